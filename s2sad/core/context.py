"""How does the user want programs to run? One table of settings, MindSpore's keys.

A key of another device, or one that has nothing to set here, is checked, kept, and named in one
warning; it is never dropped in silence. A removed one is an error.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from s2sad.core import generator, log, simulation, strictness
from s2sad.core.device import unavailable
from s2sad.core.diagnostics import did_you_mean, fail

GRAPH_MODE, PYNATIVE_MODE = 0, 1
STRICT, COMPATIBLE, LAX = 0, 1, 2

#: What becomes of a key: it has an effect; it is kept without one; it speaks of another device, or
#: of the one that is simulated.
USED, NO_EFFECT, OTHER_DEVICE, SIMULATED = "used", "no effect", "other device", "simulated"

#: Spellings of targets, and what they mean.
TARGETS = {"CPU": "CPU", "GPU": "GPU", "Ascend": "Ascend", "Davinci": "Ascend"}

REMOVED = {"grad_for_scalar", "precompile_only"}


@dataclass(frozen=True)
class Setting:
    """One key of the context.

    Attributes
    ----------
    kind : type or tuple of types
        What values are instances of; a bool is no int unless bool is named.
    default : object
    status : str
        `USED`, `NO_EFFECT`, `OTHER_DEVICE` or `SIMULATED`.
    allowed : tuple or callable or None
        Legal values, or a predicate of them.
    store : callable or None
        What is kept of a legal value.
    """

    kind: type | tuple[type, ...]
    default: Any
    status: str = USED
    allowed: tuple[Any, ...] | Callable[[Any], bool] | None = None
    store: Callable[[Any], Any] | None = None


def _between(low: int, high: int) -> Callable[[int], bool]:
    return lambda value: low <= value <= high


def _is_size(value: str) -> bool:
    return re.fullmatch(r"[0-9]+(\.[0-9]+)?GB", value) is not None and float(value[:-2]) > 0


def _is_jit_config(value: dict[str, Any]) -> bool:
    known = {"jit_level": ("O0", "O1", "O2"), "infer_boost": ("on", "off")}
    return all(key in known and word in known[key] for key, word in value.items())


SWITCH = ("ON", "OFF")

SETTINGS: dict[str, Setting] = {
    "mode": Setting(int, GRAPH_MODE, USED, (GRAPH_MODE, PYNATIVE_MODE)),
    "device_target": Setting(str, "CPU", USED, tuple(TARGETS), TARGETS.get),
    "device_id": Setting(int, 0, OTHER_DEVICE, _between(0, 4095)),
    "save_graphs": Setting(
        (bool, int), 0, USED, _between(0, 3), lambda x: 2 if x is True else int(x)
    ),
    "save_graphs_path": Setting(str, ".", USED, bool),
    "max_call_depth": Setting(int, 1000, USED, lambda x: x > 0),
    "jit_syntax_level": Setting(int, LAX, NO_EFFECT, (STRICT, COMPATIBLE, LAX)),
    "jit_config": Setting(dict, {}, NO_EFFECT, _is_jit_config, dict),
    "strict_broadcast": Setting(bool, False, USED),
    "enable_graph_kernel": Setting((bool, type(None)), None, USED),
    "graph_kernel_flags": Setting(str, "", NO_EFFECT),
    "deterministic": Setting(str, "OFF", USED, SWITCH),  # either way results are deterministic
    "enable_compile_cache": Setting((bool, type(None)), None, USED),
    "compile_cache_path": Setting(str, ".", NO_EFFECT),
    "pynative_synchronize": Setting(bool, False, USED),  # either way operations run at once
    "runtime_num_threads": Setting(int, os.cpu_count() or 1, NO_EFFECT, lambda x: x > 0),
    "inter_op_parallel_num": Setting(int, 0, NO_EFFECT, lambda x: x >= 0),
    "memory_optimize_level": Setting(str, 0, NO_EFFECT, ("O0", "O1"), lambda x: int(x[1])),
    "max_device_memory": Setting(str, "1024GB", SIMULATED, _is_size),
    "exec_order": Setting(str, "bfs", NO_EFFECT, ("bfs", "dfs")),
    "debug_level": Setting(int, 0, NO_EFFECT, (0, 1)),
    "print_file_path": Setting(str, "", NO_EFFECT),
    "env_config_path": Setting(str, "", NO_EFFECT),
    "check_bprop": Setting(bool, False, NO_EFFECT),
    "reserve_class_name_in_scope": Setting(bool, True, NO_EFFECT),
    "support_binary": Setting(bool, False, NO_EFFECT),
    "enable_reduce_precision": Setting(bool, True, OTHER_DEVICE),
    "op_timeout": Setting(int, 900, OTHER_DEVICE, lambda x: x >= 0),
    "aoe_tune_mode": Setting(str, "", OTHER_DEVICE),
    "aoe_config": Setting(dict, {}, OTHER_DEVICE),
    "ascend_config": Setting(dict, {}, OTHER_DEVICE),
    "gpu_config": Setting(dict, {}, OTHER_DEVICE),
    "mempool_block_size": Setting(str, "1GB", OTHER_DEVICE, _is_size),
    "variable_memory_max_size": Setting(str, "30GB", OTHER_DEVICE, _is_size),
    "disable_format_transform": Setting(bool, False, OTHER_DEVICE),
    "profiling_options": Setting(str, "", NO_EFFECT),
    "enable_sparse": Setting(bool, False, NO_EFFECT),
    "auto_tune_mode": Setting(str, "NO_TUNE", NO_EFFECT),
    "enable_auto_mixed_precision": Setting(bool, False, NO_EFFECT),
    "winograd": Setting(bool, True),  # ours, as those below
    "simulate": Setting(str, "counts", SIMULATED, ("counts", "values")),
    "sink_form": Setting(str, "engine", SIMULATED, ("engine", "while")),
}

_values: dict[str, Any] = {}
_warned: set[str] = set()
_seed: list[int] = []


def set_context(**kwargs: Any) -> None:
    """Set how programs run from now on; all or nothing.

    Parameters
    ----------
    mode : {GRAPH_MODE, PYNATIVE_MODE}
        Whether calling a Cell compiles it (the default), or runs it operation by operation.
    device_target : {"CPU", "Ascend"}
        Ascend is a simulated device, which a line on standard error says once: it counts what a
        device and its host would do, by the graphs that programs become; see `s2sad.runtime`.
    simulate : {"counts", "values"}
        Whether numbers come from the program of the CPU (the default), or the simulated device
        computes them from the graph files. The device computes the numbers of programs with ``if``
        and loops in either case, for these say what is to be counted.
    sink_form : {"engine", "while"}
        What runs many steps on the simulated device: the engine's own loop, or a While in the
        graph.
    max_device_memory : str
        Such as ``"32GB"``: what the simulated device may use of its memory.
    save_graphs : bool or int, 0 to 3
        How much of the compiler's work is written to `save_graphs_path`; True means 2.
    save_graphs_path : str
        Folder, made if it is missing.
    max_call_depth : int
        Calls within calls that compiled code may have.
    enable_compile_cache : bool or None
        Whether compiled programs are kept on disk for other processes; only False says no.
    strict_broadcast : bool
        Whether arithmetic of tensors of different rank is refused (E0401), but for those without an
        axis. It concerns what users write, not what s2sad computes itself.
    enable_graph_kernel : bool or None
        Whether what one nest of loops computes is fused, in programs that are compiled from then
        on; only False says no.
    winograd : bool
        Whether programs that are compiled from now on may compute convolutions of 3 by 3 filters
        in float32 by Winograd's algorithm, where that takes less time (the default): sums have
        another error then, which the page on programs as C says.
    **kwargs
        MindSpore's other keys. They are checked and kept; one that changes nothing here warns
        once, when it is set to something else than its default.

    Raises
    ------
    S2sadError
        E0303 for a value of another type, E0404 for one out of range, E0407 for an unknown or
        removed key, E0710 for a device that cannot be had.

    Examples
    --------
    >>> set_context(mode=GRAPH_MODE)
    >>> get_context("mode")
    0
    """
    _apply(kwargs)


def get_context(attr_key: str) -> Any:
    """Present value of a setting; E0407 for an unknown or removed key.

    Examples
    --------
    >>> get_context("device_target")
    'CPU'
    """
    value = _values.get(attr_key, _setting(attr_key).default)
    return dict(value) if isinstance(value, dict) else value


def chosen() -> dict[str, Any]:
    """All settings that somebody has made, also those to their defaults."""
    return dict(_values)


def is_compiling() -> bool:
    """Whether anything may be compiled: not where the environment says ``MS_JIT=0``.

    Then Cells and functions run as in PyNative mode, compiled ones as well.
    """
    return os.environ.get("MS_JIT") != "0"


def is_graph_mode() -> bool:
    """Whether calling a Cell, or a gradient, compiles it."""
    return get_context("mode") == GRAPH_MODE and is_compiling()


def set_device(device_target: str, device_id: int | None = None) -> None:
    """Choose the device.

    Parameters
    ----------
    device_target : str
    device_id : int, optional

    Raises
    ------
    S2sadError
        Those of ``set_context(device_target=...)``.

    Examples
    --------
    >>> set_device("CPU")
    """
    chosen = {} if device_id is None else {"device_id": device_id}
    _apply({"device_target": device_target, **chosen})


class Device(NamedTuple):
    """What `get_current_device` gives."""

    device_target: str
    device_id: int


def get_current_device() -> Device:
    """The device that was chosen.

    Examples
    --------
    >>> get_current_device()
    Device(device_target='CPU', device_id=0)
    """
    return Device(get_context("device_target"), get_context("device_id"))


def set_deterministic(deterministic: bool) -> None:
    """Ask for the same results at each run, which is so in any case; E0303 for no bool.

    Examples
    --------
    >>> set_deterministic(True)
    >>> get_context("deterministic")
    'ON'
    """
    if not isinstance(deterministic, bool):
        raise fail("E0303", f"deterministic is True or False, got {deterministic!r}")
    _apply({"deterministic": "ON" if deterministic else "OFF"})


def set_recursion_limit(recursion_limit: int = 1000) -> None:
    """Calls within calls that compiled code may have; errors are those of `set_context`.

    Examples
    --------
    >>> set_recursion_limit(1000)
    >>> get_context("max_call_depth")
    1000
    """
    _apply({"max_call_depth": recursion_limit})


def set_seed(seed: int) -> None:
    """Start all random numbers anew from `seed`, those of `numpy.random` too.

    Parameters
    ----------
    seed : int
        From 0 to 2**32 - 1.

    Raises
    ------
    S2sadError
        E0303 for no int, E0404 out of range.

    Examples
    --------
    >>> set_seed(1)
    >>> get_seed()
    1
    """
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
        raise fail("E0303", f"a seed is an int, got {seed!r}")
    if not 0 <= seed < 2**32:
        raise fail("E0404", f"a seed is at least 0 and less than 2**32, got {seed}")
    _seed.append(int(seed))
    np.random.seed(int(seed))
    generator.manual_seed(int(seed))


def get_seed() -> int | None:
    """The seed that was set last; None before. See `set_seed`."""
    return _seed[-1] if _seed else None


def seed_changes() -> int:
    """How often a seed was set: a generator that has seen fewer starts anew."""
    return len(_seed)


def _apply(settings: dict[str, Any]) -> None:
    new = {key: _checked(key, value) for key, value in settings.items()}
    if new.get("device_target") == "GPU":
        raise unavailable("GPU")
    if "save_graphs_path" in new:
        os.makedirs(new["save_graphs_path"], exist_ok=True)
    target = new.get("device_target", get_context("device_target"))
    for key, value in new.items():
        _warn(key, value, target)
    _values.update(new)
    _simulate(target)
    strictness.set_default(get_context("strict_broadcast"))


def _simulate(target: str) -> None:
    """Let the simulated device run programs where it is the target; the first time it says so."""
    if target != "Ascend":
        simulation.choose(None)
        return
    if target not in _warned:
        _warned.add(target)
        log.tell("Ascend is simulated: nothing runs on a device, and no time is measured")
    memory = float(get_context("max_device_memory").removesuffix("GB")) * 2**30
    values = get_context("simulate") == "values"
    simulation.choose(simulation.Choice(values, get_context("sink_form"), memory))


def _setting(key: str) -> Setting:
    if key in REMOVED:
        raise fail("E0407", f"the setting {key!r} was removed from MindSpore's context")
    if key not in SETTINGS:
        raise fail("E0407", f"there is no setting {key!r}", help=did_you_mean(key, SETTINGS))
    return SETTINGS[key]


def _checked(key: str, value: Any) -> Any:
    """What is kept of `value`, which must be of the right type and in range."""
    setting = _setting(key)
    kinds = setting.kind if isinstance(setting.kind, tuple) else (setting.kind,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        names = " or ".join(kind.__name__ for kind in kinds)
        modes = "GRAPH_MODE or PYNATIVE_MODE" if key == "mode" else None
        raise fail("E0303", f"{key} takes {names}, got {value!r}", help=modes)
    if isinstance(setting.allowed, tuple):
        if value not in setting.allowed:
            words = ", ".join(repr(x) for x in setting.allowed)
            raise fail("E0404", f"{key} is one of {words}, got {value!r}")
    elif setting.allowed is not None and not setting.allowed(value):
        raise fail("E0404", f"{key} cannot be {value!r}")
    return value if setting.store is None else setting.store(value)


def _warn(key: str, value: Any, target: str) -> None:
    setting = SETTINGS[key]
    is_used = setting.status == USED or (setting.status == SIMULATED and target == "Ascend")
    if is_used or key in _warned or value == setting.default:
        return
    other = setting.status in (OTHER_DEVICE, SIMULATED)
    reason = "concerns another device than CPU" if other else "has no effect here"
    warnings.warn(f"the setting {key!r} {reason}", stacklevel=4)  # the line that calls set_context
    _warned.add(key)
