"""Does each exchange among one process give its operand, and is what needs another one refused?"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core import groups
from s2sad.core.diagnostics import S2sadError
from s2sad.ops import operations as P  # noqa: N812
from support.forms import both_forms, check_gradients, check_second_gradients, refused

X = np.array([[1.5, np.nan, -0.0], [np.inf, 2.0, -3.0]])

#: Of each exchange of one tensor, one object.
ONE = {
    "AllGather": P.AllGather(),
    "AllReduce": P.AllReduce(),
    "AlltoAll": P.AlltoAll(1, 0, 1),
    "CollectiveGather": P.CollectiveGather(0),
    "CollectiveScatter": P.CollectiveScatter(),
    "Reduce": P.Reduce(0, P.ReduceOp.MAX),
    "ReduceScatter": P.ReduceScatter(ops.ReduceOp.PROD),
}
#: MindSpore's names, order and defaults.
SIGNATURES = {
    "AllGather": "(group='mccl_world_group')",
    "AllReduce": "(op='sum', group='mccl_world_group')",
    "AlltoAll": "(split_count, split_dim, concat_dim, group='mccl_world_group')",
    "Barrier": "(group='mccl_world_group')",
    "Broadcast": "(root_rank, group='mccl_world_group')",
    "CollectiveGather": "(dest_rank, group='mccl_world_group')",
    "CollectiveScatter": "(src_rank=0, group='mccl_world_group')",
    "NeighborExchange": "(send_rank_ids, recv_rank_ids, recv_shapes, send_shapes, recv_type, "
    "group='mccl_world_group')",
    "NeighborExchangeV2": "(send_rank_ids, send_lens, recv_rank_ids, recv_lens, data_format, "
    "group='mccl_world_group')",
    "Receive": "(sr_tag, src_rank, shape, dtype, group='mccl_world_group', "
    "group_back='mccl_world_group')",
    "Reduce": "(dest_rank, op='sum', group='mccl_world_group')",
    "ReduceScatter": "(op='sum', group='mccl_world_group')",
    "Send": "(sr_tag, dest_rank, group='mccl_world_group', group_back='mccl_world_group')",
}


def same(found, expected):
    assert found.asnumpy().dtype == expected.dtype
    assert found.asnumpy().tobytes() == expected.tobytes()


@pytest.mark.parametrize("name", SIGNATURES)
def test_settings(name):
    assert str(inspect.signature(getattr(P, name))) == SIGNATURES[name]


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("dtype", [np.float64, np.float16, np.int32])
@pytest.mark.parametrize("name", ONE)
def test_a_group_of_one_gives_the_operand(name, dtype, backend, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    x = (X if np.issubdtype(dtype, np.floating) else np.arange(6).reshape(2, 3)).astype(dtype)
    same(both_forms(lambda x: ONE[name](x), ms.Tensor(x)), x)
    same(both_forms(lambda x: ONE[name](x), ms.Tensor(x[:0])), x[:0])


@pytest.mark.parametrize("name", ONE)
def test_gradients_to_the_second_order(name):
    x = np.array([[0.5, -1.0], [2.0, 3.0]])

    def run(x):
        y = ONE[name](x * x)
        return ops.sum(y * y * ops.sin(x))

    check_gradients(run, x)
    check_second_gradients(run, x, rtol=1e-5)


@pytest.mark.parametrize("name", ONE)
def test_the_result_is_a_tensor_of_its_own(name):
    weight = ms.Parameter(ms.Tensor([[1.0, 2.0]]), name="w")
    found = ONE[name](weight)
    assert type(found) is ms.Tensor
    found.add_(1.0)
    assert weight.tolist() == [[1.0, 2.0]] and found.tolist() == [[2.0, 3.0]]


def test_a_write_to_the_result_leaves_the_operand_alone():
    def run(x):
        y = ops.AllReduce()(x)
        y[0] = 5.0
        return x, y

    x, y = both_forms(run, ms.Tensor([1.0, 2.0]))
    assert (x.tolist(), y.tolist()) == ([1.0, 2.0], [5.0, 2.0])


def test_maps_go_through():
    found = ms.vmap(lambda row: ops.AllReduce()(row) * 2)(ms.Tensor(np.ones((3, 2))))
    assert found.tolist() == [[2.0, 2.0]] * 3


def test_a_scalar_is_combined_and_not_joined():
    assert both_forms(lambda x: ops.AllReduce()(x), ms.Tensor(3.0)).tolist() == 3.0
    for name in ("AllGather", "ReduceScatter", "CollectiveGather", "CollectiveScatter"):
        refused("E0401", lambda x, made=ONE[name]: made(x), ms.Tensor(3.0))


def test_broadcast_takes_and_gives_a_tuple():
    one, two = both_forms(lambda x, y: ops.Broadcast(0)((x, y)), ms.Tensor(X), ms.Tensor([True]))
    same(one, X)
    assert two.tolist() == [True]
    refused("E0303", lambda x: ops.Broadcast(0)(x), ms.Tensor(X))


def test_a_barrier_is_passed():
    def run(x):
        ops.Barrier()()
        return x + 1

    assert both_forms(run, ms.Tensor([1.0])).tolist() == [2.0]


def test_neighbours():
    x = ms.Tensor(np.arange(4.0).reshape(1, 1, 2, 2))
    made = ops.NeighborExchangeV2([-1] * 8, [1] * 4, [-1] * 8, [1] * 4, "NCHW")
    same(both_forms(lambda x: made(x), x), x.asnumpy())
    refused("E0401", lambda x: made(x), x[0])
    itself = ops.NeighborExchange([0], [0], ([2],), ([2],), ms.float32)
    (found,) = both_forms(lambda x: itself((x,)), ms.Tensor([1.0, 2.0]))
    assert found.tolist() == [1.0, 2.0]
    refused("E0401", lambda x: itself((x, x)), ms.Tensor([1.0, 2.0]))
    refused("E0401", lambda x: itself((x,)), ms.Tensor([1.0]))
    refused("E0301", lambda x: itself((x,)), ms.Tensor([1, 2]))
    nobody = ops.NeighborExchange([], [], (), (), ms.float32)
    assert nobody(()) == ()


class Net(nn.Cell):
    """As programs for several devices have it."""

    def __init__(self):
        super().__init__()
        self.reduce = ops.AllReduce(ops.ReduceOp.SUM)
        self.gather = ops.AllGather()
        self.dense = nn.Dense(3, 2)

    def construct(self, x):
        return self.reduce(self.dense(self.gather(x))) / 1


def test_in_a_cell_which_is_trained():
    net, x = Net(), ms.Tensor(np.ones((4, 3), np.float32))
    same(ms.jit(net)(x), net.dense(x).asnumpy())
    loss, slopes = ms.value_and_grad(lambda x: ops.sum(net(x)), None, net.trainable_params())(x)
    assert loss.shape == () and [s.tolist() for s in slopes] == [[[4.0] * 3] * 2, [4.0] * 2]


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("E0303", lambda: ops.AllReduce(1)),
        ("E0404", lambda: ops.AllReduce("mean")),
        ("E0303", lambda: ops.AllReduce(group=1)),
        ("E0404", lambda: ops.AllGather("no_such_group")),
        ("E0302", lambda: ops.AllReduce(reduce="sum")),
        ("E0302", lambda: ops.Broadcast()),
        ("E0710", lambda: ops.Broadcast(1)),
        ("E0303", lambda: ops.Broadcast("0")),
        ("E0404", lambda: ops.Broadcast(-1)),
        ("E0710", lambda: ops.Reduce(2)),
        ("E0710", lambda: ops.CollectiveScatter(1)),
        ("E0710", lambda: ops.CollectiveGather(3)),
        ("E0710", lambda: ops.AlltoAll(2, 0, 1)),
        ("E0303", lambda: ops.AlltoAll(1, 0.5, 1)),
        ("E0710", lambda: ops.NeighborExchange([1], [1], ([2],), ([2],), ms.float32)),
        ("E0710", lambda: ops.NeighborExchangeV2([1] * 8, [1] * 4, [1] * 8, [1] * 4, "NCHW")),
        ("E0404", lambda: ops.NeighborExchangeV2([-1] * 8, [1] * 4, [-1] * 8, [1] * 4, "NHWC")),
        ("E0303", lambda: ops.NeighborExchangeV2([-1] * 4, [1] * 4, [-1] * 8, [1] * 4, "NCHW")),
        ("E0303", lambda: ops.NeighborExchangeV2([-1] * 8, [1] * 3, [-1] * 8, [1] * 4, "NCHW")),
        ("E0303", lambda: ops.Send("0", 1)),
    ],
)
def test_what_settings_are_refused(code, make):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code
    place = caught.value.diagnostic.location
    assert place is not None and place.file == __file__


@pytest.mark.parametrize(
    ("code", "function", "x"),
    [
        ("E0301", lambda x: ops.AllReduce()(x), ms.Tensor([True])),
        ("E0301", lambda x: ops.ReduceScatter()(x), ms.Tensor([True])),
        ("E0304", lambda x: ops.AllReduce()(3), ms.Tensor([1.0])),
        ("E0403", lambda x: ops.AlltoAll(1, 0, 1)(x), ms.Tensor([1.0])),
        ("E0404", lambda x: P.NeighborExchange([0], [], (), ([2],), ms.float32)((x,)),
         ms.Tensor([1.0, 2.0])),
        ("E0712", lambda x: ops.Send(0, 1)(x), ms.Tensor([1.0])),
        ("E0712", lambda x: ops.Send(0, 0)(x), ms.Tensor([1.0])),
        ("E0712", lambda x: ops.Receive(0, 1, [1], ms.float32)() + x, ms.Tensor([1.0])),
    ],
)  # fmt: skip
def test_what_is_refused_with_its_place(code, function, x):
    refused(code, function, x)


def test_a_group_that_was_made():
    groups.create("mine", [0])
    try:
        same(ops.AllReduce(group="mine")(ms.Tensor(X)), X)
    finally:
        groups.destroy("mine")
    with pytest.raises(S2sadError, match="E0404"):
        ops.AllReduce(group="mine")
