"""What do programs for several devices find, which are run as one process?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import compat
from s2sad.compat import comm_func
from s2sad.core import groups
from support.forms import refused_as_it_is


@pytest.fixture(autouse=True)
def served():
    compat.serve()
    yield
    compat.withdraw()
    groups.stop()


# ---- groups --------------------------------------------------------------------------------------


def test_groups_of_this_process():
    from mindspore import communication as comm

    comm.init("nccl")
    comm.create_group("mine", [0])
    comm.create_group("mine", [0])  # the same once more is the same
    assert (comm.get_group_size("mine"), comm.get_rank("mine"), comm.get_local_rank("mine")) == (
        1, 0, 0
    )  # fmt: skip
    assert comm.get_local_rank_size("mine") == 1
    assert comm.get_process_group_ranks("mine") == [0]
    assert comm.get_world_rank_from_group_rank("mine", 0) == 0
    assert comm.get_group_rank_from_world_rank(0, "mine") == 0
    for name in ("HCCL", "NCCL", "MCCL"):
        assert comm.get_group_size(getattr(comm, f"{name}_WORLD_COMM_GROUP")) == 1
    comm.destroy_group("mine")
    refused_as_it_is("E0404", lambda: comm.get_rank("mine"))
    comm.create_group("yours", [0])
    comm.release()
    refused_as_it_is("E0404", lambda: comm.get_group_size("yours"))


def test_larger_groups_are_refused(monkeypatch):
    from mindspore import communication as comm

    refused_as_it_is("E0710", lambda: comm.create_group("two", [0, 1]))
    refused_as_it_is("E0710", lambda: comm.create_group("other", [1]))
    refused_as_it_is("E0404", lambda: comm.create_group("twice", [0, 0]))
    refused_as_it_is("E0404", lambda: comm.create_group("empty", []))
    refused_as_it_is("E0303", lambda: comm.create_group("mine", 0))
    refused_as_it_is("E0303", lambda: comm.create_group("mine", ["0"]))
    refused_as_it_is("E0303", lambda: comm.create_group("mine", [[0]]))
    refused_as_it_is("E0303", lambda: comm.create_group("mine", [False]))
    refused_as_it_is("E0404", lambda: comm.create_group("hccl_world_group", [0]))
    refused_as_it_is("E0303", lambda: comm.create_group(1, [0]))
    refused_as_it_is("E0404", lambda: comm.destroy_group("hccl_world_group"))
    refused_as_it_is("E0710", lambda: comm.get_world_rank_from_group_rank("hccl_world_group", 1))
    refused_as_it_is("E0710", lambda: comm.get_group_rank_from_world_rank(1, "hccl_world_group"))
    refused_as_it_is("E0404", lambda: comm.init("gloo"))
    refused_as_it_is("E0303", lambda: comm.init(1))
    refused_as_it_is("E0303", lambda: comm.get_rank(None))
    monkeypatch.setenv("RANK_SIZE", "8")
    refused_as_it_is("E0710", lambda: comm.init())


def test_a_rank_is_known_while_compiling():
    from mindspore.communication import get_group_size, get_rank

    def run(x):
        return x / get_group_size() + get_rank()

    assert ms.jit(run)(ms.Tensor([3.0])).tolist() == [3.0]


# ---- functions that exchange ---------------------------------------------------------------------


#: Of each function that gives what is exchanged, the call.
CALLS = {
    "all_reduce": lambda x: comm_func.all_reduce(x, "max")[0],
    "all_gather_into_tensor": lambda x: comm_func.all_gather_into_tensor(x)[0],
    "reduce_scatter_tensor": lambda x: comm_func.reduce_scatter_tensor(x)[0],
    "reduce": lambda x: comm_func.reduce(x, 0),
    "broadcast": lambda x: comm_func.broadcast(x, 0),
    "scatter_tensor": lambda x: comm_func.scatter_tensor(x),
    "gather_into_tensor": lambda x: comm_func.gather_into_tensor(x, 0),
    "all_to_all": lambda x: comm_func.all_to_all_with_output_shape([(2, 2)], [x])[0][0],
    "all_to_all_single": lambda x: comm_func.all_to_all_single_with_output_shape(x, x, [2])[0],
}


@pytest.mark.parametrize("name", CALLS)
def test_functions_give_the_operand(name):
    x = np.array([[1.0, np.nan], [-0.0, 2.0]])
    run = CALLS[name]
    for way in (run, ms.compile(lambda x: run(x))):
        found = way(ms.Tensor(x))
        assert found.asnumpy().tobytes() == x.tobytes()
    given = ms.Tensor(x)
    run(given).add_(1.0)
    assert given.asnumpy().tobytes() == x.tobytes()


def test_functions_refuse():
    from mindspore.communication import comm_func as f

    assert f.all_reduce is comm_func.all_reduce
    x = ms.Tensor([1.0, 2.0])
    assert f.all_reduce(x)[1] is None and f.all_reduce(x, async_op=True)[1] is not None
    assert f.barrier() is None
    refused_as_it_is("E0710", lambda: f.reduce(x, 1))
    refused_as_it_is("E0404", lambda: f.all_reduce(x, "mean"))
    refused_as_it_is("E0404", lambda: f.broadcast(x, 0, "nobody"))
    refused_as_it_is("E0401", lambda: f.all_to_all_with_output_shape([(3,)], [x]))
    refused_as_it_is("E0404", lambda: f.all_to_all_with_output_shape([(2,), (2,)], [x]))
    refused_as_it_is("E0404", lambda: f.all_to_all_single_with_output_shape((2,), x, [1, 1]))
    refused_as_it_is("E0404", lambda: f.all_to_all_v_c(x, x, [1]))
    refused_as_it_is("E0303", lambda: f.all_to_all_v_c(x, x, 2))
    refused_as_it_is("E0712", lambda: f.send(x, 1))
    refused_as_it_is("E0712", lambda: f.irecv(x, 1))


# ---- settings ------------------------------------------------------------------------------------


def test_the_settings_as_an_object():
    from mindspore import context
    from mindspore.parallel._auto_parallel_context import auto_parallel_context
    from mindspore.parallel._utils import (
        _get_full_batch,
        _get_pipeline_stages,
        _is_in_auto_parallel_mode,
        _is_in_data_parallel_mode,
    )

    settings = auto_parallel_context()
    settings.set_all_reduce_fusion_split_indices([85, 160])
    assert settings.get_all_reduce_fusion_split_indices() == [85, 160]
    assert (settings.get_device_num(), settings.get_device_num_is_set()) == (1, False)
    context.set_auto_parallel_context(device_num=1, parallel_mode="semi_auto_parallel")
    assert settings.get_device_num_is_set() and settings.get_pipeline_stages() == 1
    assert settings.get_parallel_mode() == "semi_auto_parallel"
    assert _is_in_auto_parallel_mode() and not _is_in_data_parallel_mode()
    assert (_get_full_batch(), _get_pipeline_stages()) == (False, 1)
    settings.set_strategy_search_mode("sharding_propagation")
    assert context.get_auto_parallel_context("search_mode") == "sharding_propagation"
    settings.get_all_reduce_fusion_split_sizes().append(3)
    assert settings.get_all_reduce_fusion_split_sizes() == []
    refused_as_it_is("E0710", lambda: settings.set_device_num(8))
    refused_as_it_is("E0710", lambda: settings.set_optimizer_weight_shard_size(4))
    refused_as_it_is("E0220", lambda: settings.get_device_numb())
    refused_as_it_is("E0407", lambda: context.get_auto_parallel_context("communi_parallel_mode"))
    refused_as_it_is("E0404", lambda: context.set_auto_parallel_context(parallel_mode="both"))
    context.reset_auto_parallel_context()
    assert settings.get_all_reduce_fusion_split_indices() == []
    assert settings.get_parallel_mode() == "stand_alone"


# ---- names that are MindSpore's own --------------------------------------------------------------


def test_names_below_the_public_ones():
    from mindspore._c_expression import Tensor as Tensor_
    from mindspore._c_expression import typing
    from mindspore._extends import cell_attr_register
    from mindspore._extends.utils import cell_attr_register as same
    from mindspore.ops import operations as P  # noqa: N812
    from mindspore.ops._primitive_cache import _get_cache_prim
    from mindspore.parallel.auto_parallel import AutoParallel

    assert Tensor_ is ms.Tensor and isinstance(ms.float32, typing.Type)
    assert cell_attr_register is same and AutoParallel is ms.parallel.AutoParallel

    class Scale(ms.nn.Cell):
        @cell_attr_register
        def __init__(self, by):
            super().__init__()
            self.by = by

        def construct(self, x):
            return _get_cache_prim(P.Softmax)(-1)(x) * self.by

    x = ms.Tensor([1.0, 1.0])
    assert Scale(4.0)(x).tolist() == ms.jit(Scale(4.0))(x).tolist() == [2.0, 2.0]
    refused_as_it_is("E0303", lambda: _get_cache_prim(ms.ops.relu))
    with pytest.raises(ImportError, match="E0223.*MSContext"):
        exec("from mindspore._c_expression import MSContext", {})
    with pytest.raises(AttributeError, match="E0220.*jit_mode"):
        import mindspore._c_expression

        _ = mindspore._c_expression.jit_mode


def test_what_training_takes(tmp_path):
    from mindspore.train._utils import (
        _convert_type,
        _get_types_and_shapes,
        _make_directory,
        check_value_type,
    )

    folder = _make_directory(str(tmp_path / "a" / "b"))
    assert (tmp_path / "a" / "b").is_dir() and folder == str(tmp_path / "a" / "b")
    assert _convert_type([np.int32, np.dtype(np.float16)]) == [ms.int32, ms.float16]
    rows = ms.dataset.NumpySlicesDataset(np.ones((4, 3), np.float64)).batch(2)
    assert _get_types_and_shapes(rows) == ([ms.float64], [[2, 3]])
    check_value_type("steps", 1, [int])
    refused_as_it_is("E0303", lambda: check_value_type("steps", True, [int]))
    refused_as_it_is("E0303", lambda: _make_directory(3))
    refused_as_it_is("E0404", lambda: _make_directory(" "))
