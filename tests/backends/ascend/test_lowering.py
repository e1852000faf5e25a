"""Programs become graphs that break no rule of GE, with state written in place."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.ascend.checking import check
from s2sad.core.diagnostics import S2sadError
from support.graph_files import lowered, train_step


def types(model):
    return [node.type for graph in model.graphs.values() for node in graph.nodes.values()]


def test_a_step_of_training():
    images = ms.Tensor(np.zeros((2, 1, 8, 8), np.float32))
    found, model = lowered(train_step(), images, ms.Tensor([0, 1], ms.int32))
    assert check(model) == []
    assert {"Conv2D", "Conv2DBackpropFilter", "MaxPoolV3", "MaxPoolV3Grad"} <= {*types(model)}
    assert types(model).count("MaxPoolV3") == 1  # forward and backward share it
    state = [node.name for node in model.root.of_type("RefData")]
    assert state == list(found.state.values()) and "conv_weight" in state
    written = {node.inputs[0].name for node in model.root.of_type("Assign")}
    assert written <= set(state)
    assert len(model.root.results()) == 1  # the loss; state stays on the device
    kinds = types(model)
    assert kinds.count("ApplyMomentum") == 5
    assert {"BNTrainingReduce", "BNTrainingUpdate", "BNTrainingUpdateGrad",
            "BNTrainingReduceGrad", "SparseSoftmaxCrossEntropyWithLogits"} <= {*kinds}  # fmt: skip
    assert "LogSoftmaxV2" not in kinds  # the loss's operator gives what its gradient reads


def test_who_reads_state_comes_before_who_writes_it():
    def swap(x, y):
        return x * y

    class Swapping(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = ms.Parameter(ms.Tensor([1.0, 2.0]), name="a")
            self.b = ms.Parameter(ms.Tensor([3.0, 4.0]), name="b")

        def construct(self, x):
            product = swap(self.a, x)
            a, b = self.a * 1.0, self.b * 1.0
            self.a = b
            self.b = a
            return product

    _, model = lowered(Swapping(), ms.Tensor([1.0, 1.0]))
    assert check(model) == []
    for node in model.root.of_type("Assign"):
        readers = {n.name for n in model.root.nodes.values()
                   if n is not node and node.inputs[0] in n.inputs}  # fmt: skip
        assert readers <= set(node.after)


def test_who_reads_state_through_a_reshape_comes_before_who_writes_it():
    class Reading(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([[1.0, 2.0]]), name="w")

        def construct(self, x):
            before = ops.tanh(self.w.reshape(2))
            self.w = self.w + x
            return before

    _, model = lowered(Reading(), ms.Tensor([[1.0, 1.0]]))
    (writer,) = model.root.of_type("Assign")
    (reader,) = model.root.of_type("Tanh")
    assert reader.inputs[0].name.startswith("Reshape") and reader.name in writer.after


def test_loops_and_branches_are_graphs_of_their_own():
    def run(x, n, w):
        for i in range(n):
            x = x * w + i
        while x.sum() < 10:
            if x[0] > 1:
                x = x + w
            else:
                x = x * 2
        return x

    args = (ms.Tensor([0.5, 1.0]), ms.Tensor(3), ms.Tensor([2.0, 2.0]))
    _, model = lowered(run, *args)
    assert check(model) == []
    assert types(model).count("While") == 2 and types(model).count("If") == 1
    assert len(model.graphs) == 7


def test_the_gradient_of_a_loop_keeps_its_tape_in_stacks():
    def run(x, n):
        i = 0
        while i < n:
            x = ops.tanh(x * x)
            i = i + 1
        return x.sum()

    _, model = lowered(ms.grad(run), ms.Tensor([0.5, 1.0]), ms.Tensor(3))
    assert check(model) == []
    assert {"Stack", "StackPush", "StackPop"} <= {*types(model)}


def test_what_a_device_does_not_compute_is_an_error_at_the_users_line():
    with pytest.raises(S2sadError, match=r"(?s)E0301.*MatMulV2 of GE takes no float64.*@ x"):
        lowered(lambda x: x @ x, ms.Tensor(np.eye(2)))
    with pytest.raises(S2sadError, match="E0712.*GE has no operators for this cofactor"):
        lowered(ms.grad(ops.det), ms.Tensor(np.eye(2, dtype=np.float32)))
