"""Is a network the same however it is said to be spread, and are several devices refused?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.parallel import AutoParallel, Layout, shard
from support.forms import both_forms, refused_as_it_is

X = ms.Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def test_an_automatic_network_is_its_network():
    inner = nn.Dense(3, 2)
    net = AutoParallel(inner)
    names = [parameter.name for parameter in inner.trainable_params()]
    assert [parameter.name for parameter in net.trainable_params()] == names
    assert both_forms(net, X).tolist() == inner(X).tolist()
    loss = lambda net: lambda x: ops.sum(ops.square(net(x)))  # noqa: E731
    found = ms.grad(loss(net), None, net.trainable_params())(X)
    expected = ms.grad(loss(inner), None, inner.trainable_params())(X)
    assert [g.tolist() for g in found] == [g.tolist() for g in expected]


def test_what_it_is_told_is_kept():
    net = AutoParallel(nn.ReLU(), parallel_mode="sharding_propagation")
    net.pipeline(1, scheduler="gpipe")
    net.hsdp(1, 0, "level2")
    net.dataset_strategy(((1, 1), (1,)))
    net.comm_fusion({"allreduce": {"mode": "auto"}})
    for name in (
        "no_init_parameters_in_compile", "disable_strategy_file_only_for_trainable_params",
        "enable_fp32_communication", "enable_gradients_mean", "disable_gradient_fp32_sync",
        "disable_loss_repeated_mean",
    ):  # fmt: skip
        getattr(net, name)()
    assert net.settings == {
        "parallel_mode": "sharding_propagation", "pipeline_stages": 1,
        "pipeline_result_broadcast": False, "pipeline_interleave": False,
        "pipeline_scheduler": "gpipe", "enable_parallel_optimizer": True,
        "optimizer_weight_shard_size": 1, "parallel_optimizer_threshold": 0,
        "optimizer_level": "level2", "dataset_strategy": ((1, 1), (1,)),
        "comm_fusion": {"allreduce": {"mode": "auto"}}, "init_param_in_compile": False,
        "only_trainable_params": False, "force_fp32_communication": True, "gradients_mean": True,
        "gradient_fp32_sync": False, "loss_repeated_mean": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("load_param_strategy_file", ("a.ckpt",)), ("save_param_strategy_file", ("a.ckpt",)),
        ("load_operator_strategy_file", ("/a.json",)),
        ("save_operator_strategy_file", ("/a.json",)), ("set_group_ckpt_save_file", ("a",)),
        ("transformer_opt", ("a.json",)), ("dump_local_norm", ("a",)), ("print_local_norm", ()),
        ("enable_device_local_norm", ()),
    ],
)  # fmt: skip
def test_files_that_are_not_written_are_told(name, args):
    with pytest.warns(UserWarning, match="has no effect") as told:
        getattr(AutoParallel(nn.ReLU()), name)(*args)
    assert told[0].filename == __file__


def test_what_an_automatic_network_refuses():
    net = AutoParallel(nn.ReLU())
    refused_as_it_is("E0304", lambda: AutoParallel(ops.relu))  # type: ignore[arg-type]
    refused_as_it_is("E0404", lambda: AutoParallel(nn.ReLU(), "auto"))
    refused_as_it_is("E0710", lambda: net.pipeline(2))
    refused_as_it_is("E0404", lambda: net.pipeline(0))
    refused_as_it_is("E0404", lambda: net.pipeline(scheduler="2f2b"))
    refused_as_it_is("E0303", lambda: net.pipeline(interleave=1))  # type: ignore[arg-type]
    refused_as_it_is("E0710", lambda: net.hsdp(2))
    refused_as_it_is("E0404", lambda: net.hsdp(0))
    refused_as_it_is("E0404", lambda: net.hsdp(optimizer_level="level4"))
    refused_as_it_is("E0710", lambda: net.dataset_strategy(((2, 1),)))
    refused_as_it_is("E0404", lambda: net.dataset_strategy("half"))
    refused_as_it_is("E0404", lambda: net.dataset_strategy(None))
    refused_as_it_is("E0303", lambda: net.comm_fusion(3))  # type: ignore[arg-type]
    refused_as_it_is("E0404", lambda: net.save_operator_strategy_file("a.json"))
    refused_as_it_is("E0303", lambda: net.save_param_strategy_file(3))  # type: ignore[arg-type]
    assert net.settings == {"parallel_mode": "semi_auto", "pipeline_stages": 1}


def test_layouts():
    layout = Layout((1, 1, 1), ("data", "place", "model"), [0])
    assert layout("data", "None", ("place", "model")).to_dict() == {
        "device_matrix": (1, 1, 1), "tensor_map": (2, -1, (1, 0)), "interleaved_parallel": False,
        "alias_name": ("data", "place", "model"), "rank_list": [0],
    }  # fmt: skip
    refused_as_it_is("E0404", lambda: layout.to_dict())
    refused_as_it_is("E0404", lambda: layout("rows"))
    refused_as_it_is("E0404", lambda: layout("data", "data"))
    refused_as_it_is("E0710", lambda: Layout((2, 1), ("data", "model")))
    refused_as_it_is("E0710", lambda: Layout((1,), ("data",), [1]))
    refused_as_it_is("E0404", lambda: Layout((1,), ("data", "model")))
    refused_as_it_is("E0404", lambda: Layout((1, 1), ("data", "data")))
    refused_as_it_is("E0404", lambda: Layout((1,), ("None",)))
    refused_as_it_is("E0303", lambda: Layout([1], ("data",)))  # type: ignore[arg-type]
    refused_as_it_is("E0303", lambda: Layout((1,), (1,)))  # type: ignore[arg-type]


def test_functions_and_cells_that_are_marked():
    layout = Layout((1,), ("data",))
    relu = shard(ops.relu, ((1, 1),), ((layout("data", "None")),))
    assert relu is ops.relu and ops.shard.__wrapped__ is shard
    net = nn.Dense(3, 2)
    assert net.shard(((1, 1),), parameter_plan={"weight": (1, 1)}) is net
    assert shard(net, (layout("data", "None"),), parameter_plan={"weight": layout("None")}) is net
    both_forms(lambda x: shard(ops.relu, in_strategy=((1, 1),))(x), X)
    refused_as_it_is("E0710", lambda: net.shard(((2, 1),)))
    refused_as_it_is("E0710", lambda: net.shard(((1, 1),), parameter_plan={"weight": (2, 1)}))
    refused_as_it_is("E0303", lambda: net.shard([(1, 1)]))
    refused_as_it_is("E0303", lambda: net.shard(((1, 1),), parameter_plan=[1]))
    refused_as_it_is("E0710", lambda: shard(ops.relu, ((4, 1),)))
    refused_as_it_is("E0303", lambda: shard(3, ((1, 1),)))  # type: ignore[arg-type]
    refused_as_it_is("E0303", lambda: shard(ops.relu, None))  # type: ignore[arg-type]
    refused_as_it_is("E0303", lambda: shard(ops.relu, ((1,),), parameter_plan={"w": (1,)}))


def test_cells_that_are_computed_again():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.one, self.two = nn.Dense(3, 4), nn.Dense(4, 2)

        def construct(self, x):
            return ops.sum(ops.square(self.two(ops.tanh(self.one(x)))))

    net = Net()
    before = ms.grad(net, None, net.trainable_params())(X)
    net.one.recompute(mp_comm_recompute=False, parallel_optimizer_comm_recompute=True)
    after = ms.grad(net, None, net.trainable_params())(X)
    assert [g.tolist() for g in after] == [g.tolist() for g in before]
    refused_as_it_is("E0302", lambda: net.recompute(mp_com_recompute=True))
    refused_as_it_is("E0303", lambda: net.recompute(use_reentrant=1))  # type: ignore[arg-type]
    refused_as_it_is("E0404", lambda: net.recompute(context_fn=lambda: None))


def test_stages_and_fusion_of_a_cell():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2))
    assert net.pipeline_stage is None
    net.pipeline_stage = 0
    assert net.pipeline_stage == 0 and net[0].pipeline_stage is None
    refused_as_it_is("E0710", lambda: setattr(net, "pipeline_stage", 1))
    refused_as_it_is("E0404", lambda: setattr(net, "pipeline_stage", -1))
    refused_as_it_is("E0303", lambda: setattr(net, "pipeline_stage", True))
    assert net.pipeline_stage == 0
    assert net.set_comm_fusion(3) is net
    assert {parameter.comm_fusion for parameter in net.get_parameters()} == {3}
    refused_as_it_is("E0404", lambda: net.set_comm_fusion(-1))
    refused_as_it_is("E0303", lambda: net.set_comm_fusion("all"))  # type: ignore[arg-type]
    weight = ms.Parameter(ms.Tensor([1.0]), name="w", parallel_optimizer=False)
    assert weight.parallel_optimizer is False
    refused_as_it_is("E0303", lambda: ms.Parameter([1.0], name="w", parallel_optimizer=1))  # type: ignore[arg-type]
