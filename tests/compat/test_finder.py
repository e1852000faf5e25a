"""Is each of MindSpore's paths served from s2sad, and what is missing named?"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import s2sad
from s2sad import compat, nn, ops
from s2sad.compat.table import ROWS
from s2sad.core.diagnostics import S2sadError


@pytest.fixture(autouse=True)
def served():
    compat.serve()
    yield
    compat.withdraw()


@pytest.mark.parametrize("path", ROWS)
def test_every_path_and_every_name_of_it_is_there(path):
    module = importlib.import_module(path)
    assert module is sys.modules[path]
    names = [name for name in dir(module) if not name.startswith("__")]
    assert names or path == "mindspore.parallel"
    for name in names:
        assert hasattr(module, name), name
    assert {name for name in names if not name.startswith("_")} <= {*module.__all__, *dir(builtins)}


def test_paths_are_below_one_another():
    for path in ROWS:
        parent, _, name = path.rpartition(".")
        assert not parent or (parent in ROWS and name in dir(importlib.import_module(parent)))


def test_what_is_served_is_the_same_object():
    import mindspore
    import mindspore.nn
    from mindspore import Parameter, Tensor, context
    from mindspore import dtype as mstype
    from mindspore.common import dtype
    from mindspore.common.initializer import Normal
    from mindspore.nn.learning_rate_schedule import LearningRateSchedule
    from mindspore.ops import composite as C  # noqa: N812
    from mindspore.ops import functional as F  # noqa: N812
    from mindspore.ops import operations as P  # noqa: N812

    assert (Tensor, Parameter) == (s2sad.Tensor, s2sad.Parameter)
    assert mindspore.nn.Dense is nn.Dense and mindspore.ops.relu is ops.relu
    assert mindspore.common.initializer.Normal is Normal
    assert mstype.float32 is dtype.float32 is mindspore.float32 is s2sad.float32
    assert mstype.bool_ is mindspore.bool_ is s2sad.bool_
    assert isinstance(s2sad.float16, mindspore.Type)
    assert P.ReLU is ops.ReLU and F.relu is ops.relu and F.tensor_add is ops.add
    assert C.GradOperation is ops.GradOperation and C.HyperMap is ops.HyperMap
    assert LearningRateSchedule is nn.LearningRateSchedule
    assert context.set_context is mindspore.set_context is s2sad.set_context
    assert (context.GRAPH_MODE, context.PYNATIVE_MODE) == (0, 1)
    assert mindspore.ms_function is mindspore.jit is s2sad.jit
    assert mindspore.mint.nn.functional.relu is ops.relu


def test_a_network_of_these_names_is_compiled():
    import mindspore as ms
    import mindspore.numpy as mnp

    class Net(ms.nn.Cell):
        def construct(self, x):
            return mnp.sum(ms.ops.operations.ReLU()(x), axis=0) + ms.mint.sum(x, dim=0)

    x = np.array([[1.0, -2.0], [3.0, 4.0]], np.float32)
    found = ms.jit(Net())(ms.Tensor(x))
    np.testing.assert_array_equal(found.asnumpy(), np.maximum(x, 0).sum(0) + x.sum(0))


def test_a_star_gives_the_public_names():
    names: dict[str, object] = {}
    exec("from mindspore.nn import *", names)
    assert names["Dense"] is nn.Dense and "__getattr__" not in names
    exec("from mindspore import *", names)
    assert names["Tensor"] is s2sad.Tensor and not {"bool", "compile"} & names.keys()


def test_what_is_served_can_be_pickled():
    from mindspore.common.initializer import Normal

    assert type(pickle.loads(pickle.dumps(Normal(0.5)))) is Normal


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("from mindspore.ops import Relu", "did you mean ReLU?"),
        ("from mindspore import nnn", "did you mean nn?"),
        ("import mindspore.nn.los", "did you mean loss?"),
        ("from mindspore.common.initializer import Normall", "did you mean Normal?"),
        ("from mindspore.nn import Module", "write nn.Cell"),
        ("import mindspore.nowhere.at_all", None),
        ("from mindspore.nn.nowhere import x", None),
    ],
)
def test_an_import_of_what_is_not_there(line, nearest):
    with pytest.raises(ModuleNotFoundError) as caught:
        exec(compile(line, __file__, "exec"), {})
    assert isinstance(caught.value, S2sadError)
    found = caught.value.diagnostic
    assert (found.code, found.help) == ("E0223", nearest)
    assert "mindspore." in found.message
    assert found.location is not None and found.location.file == __file__


def test_an_attribute_that_is_not_there():
    import mindspore as ms

    with pytest.raises(AttributeError, match="mindspore.ops has no 'softmaxx'") as caught:
        _ = ms.ops.softmaxx
    assert isinstance(caught.value, S2sadError)
    found = caught.value.diagnostic
    assert (found.code, found.help) == ("E0220", "did you mean softmax?")
    assert found.location is not None and found.location.file == __file__
    assert not hasattr(ms, "softmax") and not hasattr(ms.nn, "_private")
    assert not hasattr(ms.context, "np") and not hasattr(ms.nn, "ops")
    assert getattr(ms, "no_such", 3) == 3


def test_what_is_not_there_within_compiled_code():
    import mindspore as ms

    def wrong(x):
        return ms.ops.softmaxx(x)

    with pytest.raises(AttributeError, match="softmaxx") as caught:
        ms.jit(wrong)(ms.Tensor([1.0]))
    assert caught.value.diagnostic.help == "did you mean softmax?"  # type: ignore[attr-defined]


def test_serving_changes_nothing_else():
    before = [each for each in sys.meta_path if type(each).__module__ != "s2sad.compat.finder"]
    compat.serve()  # once more
    assert len(sys.meta_path) == len(before) + 1 and sys.meta_path[1:] == before
    assert importlib.util.find_spec("mindsporelike") is None
    import mindspore.nn

    compat.withdraw()
    assert sys.meta_path == before
    assert not [name for name in sys.modules if name.partition(".")[0] == "mindspore"]
    assert mindspore.nn.Dense is nn.Dense  # what was imported stays what it is


def test_the_table_is_data():
    text = (Path(s2sad.__file__).parent / "compat" / "table.py").read_text(encoding="utf-8")
    imported = {
        node.module for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)
    }
    assert imported == {"__future__", "typing"}


# ---- what has no other home -----------------------------------------------------------------


def test_one_process_is_alone():
    from mindspore.communication import GlobalComm, get_group_size, get_rank, init, release
    from mindspore.communication.management import get_local_rank
    from mindspore.parallel._utils import _get_device_num, _get_gradients_mean, _get_parallel_mode

    assert (get_rank(), get_group_size(), get_local_rank(), _get_device_num()) == (0, 1, 0, 1)
    assert get_group_size(GlobalComm.WORLD_COMM_GROUP) == 1
    assert (_get_parallel_mode(), _get_gradients_mean()) == ("stand_alone", False)
    init()
    assert (get_rank(), get_group_size()) == (0, 1)
    release()


def test_settings_of_several_devices():
    from mindspore import context
    from mindspore.context import ParallelMode

    context.set_auto_parallel_context(
        parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True, device_num=1
    )
    assert context.get_auto_parallel_context("parallel_mode") == "data_parallel"
    for wrong in ({"device_num": 8}, {"pipeline_stages": 2}, {"global_rank": 1}):
        with pytest.raises(RuntimeError, match="E0710"):
            context.set_auto_parallel_context(full_batch=True, **wrong)
    assert context.get_auto_parallel_context("full_batch") is False
    with pytest.raises(ValueError, match="did you mean gradients_mean"):
        context.set_auto_parallel_context(gradient_mean=True)
    context.reset_auto_parallel_context()
    assert context.get_auto_parallel_context("parallel_mode") == "stand_alone"


def test_dtypes_and_types():
    from mindspore import dtype_to_nptype, pytype_to_dtype
    from mindspore.common import dtype as mstype

    assert dtype_to_nptype(mstype.float16) is np.float16
    assert dtype_to_nptype(mstype.bool_) is np.bool_
    assert pytype_to_dtype(float) is mstype.float64 and pytype_to_dtype(int) is mstype.int64
    assert pytype_to_dtype(np.uint8) is mstype.uint8
    assert mstype.dtype_to_pytype(mstype.int32) is int
    for wrong, code in ((mstype.bfloat16, "E0404"), (np.float32, "E0303")):
        with pytest.raises((TypeError, ValueError), match=code):
            dtype_to_nptype(wrong)
    for wrong in (str, np.uint16, 3):
        with pytest.raises(TypeError, match="E0303"):
            pytype_to_dtype(wrong)


def test_messages_go_to_pythons_log(monkeypatch, capfd):
    import logging

    from mindspore import log

    monkeypatch.setattr(logging.getLogger("mindspore"), "handlers", [])
    monkeypatch.setenv("GLOG_v", "1")
    log.info("at step %d", 3)
    log.debug("never")
    log.error("wrong")
    assert capfd.readouterr().err == "[INFO] at step 3\n[ERROR] wrong\n"
    monkeypatch.setenv("GLOG_v", "loud")
    with pytest.raises(ValueError, match="E0404"):
        log.warning("x")
