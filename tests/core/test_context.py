"""Is every setting checked, and does none of them vanish in silence?"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from s2sad.core import context, simulation
from s2sad.core.context import (
    NO_EFFECT,
    OTHER_DEVICE,
    SETTINGS,
    SIMULATED,
    USED,
    get_context,
    get_current_device,
    get_seed,
    seed_changes,
    set_context,
    set_deterministic,
    set_device,
    set_recursion_limit,
    set_seed,
)
from s2sad.core.diagnostics import S2sadError


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Settings, warnings and seed as in a new process; NumPy's own state as before."""
    for name, empty in (("_values", {}), ("_warned", set()), ("_seed", [])):
        monkeypatch.setattr(context, name, empty)
    monkeypatch.setattr(simulation, "chosen", None)
    state = np.random.get_state()
    yield
    np.random.set_state(state)


def refused(code: str, function, *args, **kwargs) -> str:
    """The message with which a call fails."""
    with pytest.raises(S2sadError) as caught:
        function(*args, **kwargs)
    assert caught.value.code == code
    return str(caught.value)


def test_defaults():
    assert get_context("mode") == context.GRAPH_MODE == 0 and context.PYNATIVE_MODE == 1
    assert (context.STRICT, context.COMPATIBLE, context.LAX) == (0, 1, 2)
    expected = {
        "device_target": "CPU", "device_id": 0, "save_graphs": 0, "save_graphs_path": ".",
        "max_call_depth": 1000, "jit_syntax_level": 2, "jit_config": {}, "deterministic": "OFF",
        "exec_order": "bfs", "debug_level": 0, "memory_optimize_level": 0,
    }  # fmt: skip
    assert {key: get_context(key) for key in expected} == expected


def test_values_are_kept():
    set_context(mode=context.GRAPH_MODE, max_call_depth=50, deterministic="ON")
    assert get_context("mode") == 0 and get_context("max_call_depth") == 50
    assert get_context("deterministic") == "ON"
    set_context(mode=1)
    assert get_context("mode") == 1 and get_context("max_call_depth") == 50
    set_context()
    assert get_context("mode") == 1


@pytest.mark.parametrize(
    ("value", "kept"), [(True, 2), (False, 0), (0, 0), (1, 1), (2, 2), (3, 3)], ids=repr
)
def test_save_graphs_is_a_level(value, kept):
    set_context(save_graphs=value)
    assert get_context("save_graphs") == kept and type(get_context("save_graphs")) is int


def test_the_folder_for_graphs_is_made(tmp_path):
    folder = tmp_path / "a" / "b"
    set_context(save_graphs_path=str(folder))
    assert folder.is_dir() and get_context("save_graphs_path") == str(folder)
    set_context(save_graphs_path=str(folder))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mode", "GRAPH"), ("mode", True), ("mode", 0.0), ("mode", None), ("device_target", 1),
        ("device_id", "0"), ("save_graphs", "1"), ("save_graphs_path", 1), ("max_call_depth", 1.5),
        ("deterministic", True), ("jit_config", "O1"), ("enable_graph_kernel", 1),
        ("max_device_memory", 4),
    ],
)  # fmt: skip
def test_wrong_types(key, value):
    text = refused("E0303", set_context, **{key: value})
    assert key in text and repr(value) in text
    with pytest.raises(TypeError):
        set_context(**{key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("mode", 3), ("mode", -1), ("device_target", "TPU"), ("device_target", "cpu"),
        ("device_id", -1), ("device_id", 4096), ("save_graphs", 4), ("save_graphs", -1),
        ("save_graphs_path", ""), ("max_call_depth", 0), ("deterministic", "on"),
        ("exec_order", "x"), ("debug_level", 2), ("jit_syntax_level", 3),
        ("memory_optimize_level", "O2"), ("max_device_memory", "3.5"),
        ("max_device_memory", "0GB"), ("max_device_memory", "x3GB"),
        ("jit_config", {"jit_level": "O3"}), ("jit_config", {"level": "O1"}),
        ("runtime_num_threads", 0), ("op_timeout", -1),
    ],
)  # fmt: skip
def test_values_out_of_range(key, value):
    text = refused("E0404", set_context, **{key: value})
    assert key in text and repr(value) in text
    with pytest.raises(ValueError):
        set_context(**{key: value})


@pytest.mark.parametrize("key", ["modes", "", "MODE", *sorted(context.REMOVED)])
def test_unknown_and_removed_keys(key):
    refused("E0407", set_context, **{key: True})
    refused("E0407", get_context, key)
    with pytest.raises(ValueError):
        get_context(key)


@pytest.mark.parametrize(
    ("key", "meant"), [("modes", "mode"), ("save_graph", "save_graphs"), ("device", "device_id")]
)
def test_a_misspelt_key_names_the_one_that_is_near(key, meant):
    for text in (refused("E0407", set_context, **{key: 1}), refused("E0407", get_context, key)):
        assert f"did you mean {meant}?" in text


def test_keywords_only():
    with pytest.raises(TypeError):
        set_context(0)


def test_all_or_nothing(tmp_path):
    folder = tmp_path / "made"
    for bad in ({"mode": 7}, {"nothing": 1}, {"device_target": "GPU"}):
        with pytest.raises(S2sadError):
            set_context(max_call_depth=5, save_graphs_path=str(folder), **bad)
        assert get_context("max_call_depth") == 1000 and not folder.exists()


@pytest.mark.parametrize("function", [lambda x: set_context(device_target=x), set_device])
def test_other_devices_are_an_error_where_they_are_asked_for(function):
    with pytest.raises(RuntimeError) as caught:
        function("GPU")
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0710"
    place = caught.value.diagnostic.location
    assert place is not None and place.file == __file__
    assert "GPU" in str(caught.value) and "CPU" in str(caught.value)
    assert get_context("device_target") == "CPU"


@pytest.mark.parametrize("target", ["Ascend", "Davinci"])
@pytest.mark.parametrize("function", [lambda x: set_context(device_target=x), set_device])
def test_ascend_is_simulated_and_says_so_once(target, function, capsys):
    function(target)
    function(target)
    assert get_context("device_target") == "Ascend" and simulation.chosen == simulation.Choice(
        memory=1024 * 2.0**30
    )
    assert capsys.readouterr().err.count("simulated") == 1
    set_context(simulate="values", sink_form="while", max_device_memory="2GB")
    assert simulation.chosen == simulation.Choice(True, "while", 2.0**31)
    set_context(device_target="CPU")
    assert simulation.chosen is None


def test_what_concerns_the_simulated_device_warns_on_the_cpu():
    with pytest.warns(UserWarning, match="concerns another device"):
        set_context(simulate="values")
    refused("E0404", set_context, simulate="both")
    refused("E0404", set_context, sink_form="for")


def test_the_cpu_may_be_chosen():
    set_context(device_target="CPU")
    set_device("CPU")
    set_device("CPU", 0)
    assert get_context("device_target") == "CPU" and get_context("device_id") == 0
    refused("E0404", set_device, "CPU", -1)


def test_the_device_that_was_chosen():
    set_device("CPU", 0)
    device = get_current_device()
    assert device == ("CPU", 0) and (device.device_target, device.device_id) == ("CPU", 0)


def test_calls_with_names_of_their_own():
    set_deterministic(True)
    set_recursion_limit(50)
    assert get_context("deterministic") == "ON" and get_context("max_call_depth") == 50
    set_deterministic(False)
    set_recursion_limit()
    assert get_context("deterministic") == "OFF" and get_context("max_call_depth") == 1000
    refused("E0303", set_deterministic, "ON")
    refused("E0404", set_recursion_limit, 0)
    refused("E0303", set_recursion_limit, True)


@pytest.mark.parametrize(("text", "is_on"), [(None, True), ("1", True), ("", True), ("0", False)])
@pytest.mark.parametrize("mode", [context.GRAPH_MODE, context.PYNATIVE_MODE])
def test_ms_jit_turns_compiling_off(monkeypatch, mode, text, is_on):
    monkeypatch.delenv("MS_JIT", raising=False)
    if text is not None:
        monkeypatch.setenv("MS_JIT", text)
    set_context(mode=mode)
    assert context.is_compiling() == is_on
    assert context.is_graph_mode() == (is_on and mode == context.GRAPH_MODE)


#: A legal value of each key that differs from its default.
OTHERS = {
    "device_id": 1, "jit_syntax_level": 0, "jit_config": {"jit_level": "O1"},
    "graph_kernel_flags": "--x", "compile_cache_path": "x",
    "runtime_num_threads": 4096, "inter_op_parallel_num": 1,
    "memory_optimize_level": "O1", "max_device_memory": "3.5GB", "exec_order": "dfs",
    "debug_level": 1, "print_file_path": "x", "env_config_path": "x", "check_bprop": True,
    "reserve_class_name_in_scope": False, "support_binary": True,
    "enable_reduce_precision": False, "op_timeout": 1, "aoe_tune_mode": "online",
    "aoe_config": {"a": 1}, "ascend_config": {"a": 1}, "gpu_config": {"a": 1},
    "mempool_block_size": "2GB", "variable_memory_max_size": "2GB",
    "disable_format_transform": True, "profiling_options": "x", "enable_sparse": True,
    "auto_tune_mode": "GA", "enable_auto_mixed_precision": True, "simulate": "values",
    "sink_form": "while",
}  # fmt: skip


def test_the_table_is_covered():
    silent = {key for key, setting in SETTINGS.items() if setting.status == USED}
    assert set(OTHERS) == set(SETTINGS) - silent
    assert {s.status for s in SETTINGS.values()} == {USED, NO_EFFECT, OTHER_DEVICE, SIMULATED}


@pytest.mark.parametrize("key", OTHERS)
def test_what_changes_nothing_warns_once(key):
    default = get_context(key)
    if default is not None and key != "memory_optimize_level":
        set_context(**{key: default})  # no news, no warning
    with pytest.warns(UserWarning, match=key) as seen:
        set_context(**{key: OTHERS[key]})
    assert seen[0].filename == __file__
    assert get_context(key) not in (default, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        set_context(**{key: OTHERS[key]})


@pytest.mark.filterwarnings("error")
def test_a_warning_that_is_an_error_changes_nothing():
    for _ in range(2):  # and it stays one
        with pytest.raises(UserWarning):
            set_context(mode=1, exec_order="dfs")
        assert get_context("exec_order") == "bfs" and get_context("mode") == 0


@pytest.mark.filterwarnings("ignore:the setting")
def test_what_is_given_out_can_be_changed():
    given = {"jit_level": "O1"}
    set_context(jit_config=given)
    given["jit_level"] = "O0"
    get_context("jit_config")["jit_level"] = "O2"
    assert get_context("jit_config") == {"jit_level": "O1"}
    get_context("ascend_config")["x"] = 1
    assert get_context("ascend_config") == {}


def test_seed():
    assert get_seed() is None and seed_changes() == 0
    set_seed(7)
    first = np.random.rand(3)
    assert get_seed() == 7 and seed_changes() == 1
    set_seed(np.int64(7))
    np.testing.assert_array_equal(np.random.rand(3), first)
    assert get_seed() == 7 and type(get_seed()) is int and seed_changes() == 2
    set_seed(2**32 - 1)
    set_seed(0)


@pytest.mark.parametrize(
    ("seed", "code"),
    [
        (-1, "E0404"),
        (2**32, "E0404"),
        (1.0, "E0303"),
        ("1", "E0303"),
        (True, "E0303"),
        (None, "E0303"),
    ],
)
def test_bad_seeds(seed, code):
    set_seed(3)
    refused(code, set_seed, seed)
    assert get_seed() == 3 and seed_changes() == 1
