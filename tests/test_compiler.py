"""Does one line go through everything: source, primal, gradient, NumPy, training?

Right values come from a network written out by hand in float64, and from differences.
"""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.compare import isomorphic
from s2sad.ir.store import load
from s2sad.prims import ALL


class Net(nn.Cell):
    """Two layers, in float64."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(5, 4, dtype=ms.float64)
        self.fc2 = nn.Dense(4, 3, dtype=ms.float64)

    def construct(self, x):
        return self.fc2(ops.relu(self.fc1(x)))


def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 5)), rng.integers(0, 3, 6)


def by_hand(x, labels, w1, b1, w2, b2):
    """Mean cross entropy of the two layers and its gradients."""
    before = x @ w1.T + b1
    h = np.maximum(before, 0)
    logits = h @ w2.T + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    softmax = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
    rows = np.arange(len(x))
    loss = -np.log(softmax[rows, labels]).mean()
    dlogits = softmax.copy()
    dlogits[rows, labels] -= 1
    dlogits /= len(x)
    dbefore = (dlogits @ w2) * (before > 0)
    return loss, [dbefore.T @ x, dbefore.sum(0), dlogits.T @ h, dlogits.sum(0)]


def test_value_and_gradients_of_the_network() -> None:
    net, (x, labels) = Net(), data()

    def forward(x, y):
        return ops.cross_entropy(net(x), y)

    weights = net.trainable_params()
    loss, gradients = ms.value_and_grad(forward, None, weights)(ms.Tensor(x), ms.Tensor(labels))
    expected, expected_gradients = by_hand(x, labels, *(w.asnumpy() for w in weights))
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-13)
    for one, other in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("nesterov", [False, True])
def test_fifty_steps_of_sgd(momentum, nesterov) -> None:
    if nesterov and not momentum:
        with pytest.raises(S2sadError, match="E0404"):
            nn.SGD(Net().trainable_params(), nesterov=True)
        return
    net, (x, labels) = Net(), data()
    weights = net.trainable_params()
    mine = [w.asnumpy().copy() for w in weights]
    velocities: list = [None] * 4
    optimizer = nn.SGD(weights, 0.125, momentum, weight_decay=0.01, nesterov=nesterov)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, weights)
    apply = ms.compile(optimizer)
    for _ in range(50):
        loss, gradients = step(ms.Tensor(x), ms.Tensor(labels))
        apply(gradients)
        expected, by = by_hand(x, labels, *mine)
        np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-9)
        for i, gradient in enumerate(by):
            gradient = gradient + 0.01 * mine[i]
            velocity = velocities[i]
            velocity = gradient if velocity is None else momentum * velocity + gradient
            velocities[i] = velocity
            mine[i] = mine[i] - 0.125 * (gradient + momentum * velocity if nesterov else velocity)
    for weight, other in zip(weights, mine, strict=True):
        np.testing.assert_allclose(weight.asnumpy(), other, rtol=1e-9)
    assert len(ms.compile(step).variants) == len(apply.variants) == 1


def test_compiled_and_plain_python_agree() -> None:
    net, (x, _) = Net(), data()
    x = ms.Tensor(x)
    np.testing.assert_array_equal(ms.compile(net)(x).asnumpy(), net.construct(x).asnumpy())
    np.testing.assert_array_equal(net(x).asnumpy(), net.construct(x).asnumpy())


def test_graph_mode_compiles_every_cell() -> None:
    net, (x, _) = Net(), data()
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        net(ms.Tensor(x))
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert len(ms.compile(net).variants) == 1


def test_shapes_of_results_are_mindspores() -> None:
    w = ms.Parameter(ms.Tensor([2.0]), name="w")

    def f(x, y):
        return x * y * w

    x, y = ms.Tensor([3.0]), ms.Tensor([5.0])
    assert ms.grad(f)(x, y).item() == 10.0
    assert ms.grad(f, (0,))(x, y).item() == 10.0
    assert [g.item() for g in ms.grad(f, (1, 0))(x, y)] == [6.0, 10.0]
    assert ms.grad(f, None, w)(x, y).item() == 15.0
    assert [g.item() for g in ms.grad(f, None, [w])(x, y)] == [15.0]
    inputs, weights = ms.grad(f, 0, (w,))(x, y)
    assert inputs.item() == 10.0 and weights[0].item() == 15.0
    value, gradient = ms.value_and_grad(f)(x, y)
    assert value.item() == 30.0 and gradient.item() == 10.0
    with pytest.raises(S2sadError, match="E0404"):
        ms.grad(f, None)(x, y)


def test_outputs_count_together_or_only_the_first() -> None:
    x = ms.Tensor([3.0])
    assert ms.grad(lambda x: (x * x, x))(x).item() == 7.0
    gradient, aux = ms.grad(lambda x: (x * x, x), has_aux=True)(x)
    assert gradient.item() == 6.0 and aux[0].item() == 3.0
    (value, other), gradient = ms.value_and_grad(lambda x: (x * x, x), has_aux=True)(x)
    assert (value.item(), other.item(), gradient.item()) == (9.0, 3.0, 6.0)
    with pytest.raises(S2sadError, match="E0404"):
        ms.grad(lambda x: x, has_aux=True)(x)


def test_what_does_not_count_has_zeros() -> None:
    used, unused = (ms.Parameter(ms.Tensor([2.0]), name=n) for n in ("used", "unused"))
    fixed = ms.Parameter(ms.Tensor([2.0]), name="fixed", requires_grad=False)
    x, y = ms.Tensor([3.0]), ms.Tensor([1, 2])
    by_input, by_weight = ms.grad(lambda x, y: x * used * fixed, (0, 1), (used, unused, fixed))(x, y)
    assert by_input[0].item() == 4.0
    np.testing.assert_array_equal(by_input[1].asnumpy(), np.zeros(2, np.int64))
    assert [g.item() for g in by_weight] == [6.0, 0.0, 0.0]


def test_one_tensor_given_twice_is_two_inputs() -> None:
    x = ms.Tensor([3.0])
    assert [g.item() for g in ms.grad(lambda a, b: a * a * b, (0, 1))(x, x)] == [18.0, 9.0]


def test_stop_gradient() -> None:
    assert ms.grad(lambda x: ops.stop_gradient(x) * x)(ms.Tensor([3.0])).item() == 3.0


def test_a_decorated_class_compiles_its_instances() -> None:
    @ms.compile
    class Doubling(nn.Cell):
        def construct(self, x):
            return x * 2

    one, two = Doubling(), Doubling()
    assert one(ms.Tensor([1.0])).item() == 2.0
    assert one.compiled is ms.compile(one) and one.compiled is not two.compiled
    assert len(one.compiled.variants) == 1 and not two.compiled.variants
    twin = copy.deepcopy(one)
    assert twin(ms.Tensor([2.0])).item() == 4.0 and twin.compiled is not one.compiled


def test_a_compiled_network_is_freed() -> None:
    net, (x, _) = Net(), data()
    ms.compile(net)(ms.Tensor(x))
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None


def test_every_stage_is_a_file_that_runs_and_reads_back(tmp_path) -> None:
    net, (x, labels) = Net(), data()
    step = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, net.trainable_params()
    )
    args = ms.Tensor(x), ms.Tensor(labels)
    loss, _ = step(*args)
    compiled = ms.compile(step)
    paths = compiled.dump(tmp_path)
    assert [p.name for p in paths][:1] == ["00-primal.py"] and len(paths) >= 4
    np.savez(tmp_path / "in.npz", **{f"input{i}": a for i, a in enumerate(compiled.inputs(*args))})
    for path, (_, stage) in zip(paths, compiled.stages.functions, strict=True):
        assert isomorphic(load(path, ALL), stage)
        out = tmp_path / "out.npz"
        command = [sys.executable, str(path), str(tmp_path / "in.npz"), "--out", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.load(out) as results:
            assert results["result0"] == loss.asnumpy()


def test_the_gradient_is_readable_python() -> None:
    net, (x, _) = Net(), data()
    gradient = ms.grad(net, None, net.trainable_params())
    gradient(ms.Tensor(x))
    text = ms.compile(gradient).source
    assert "dfc1_weight" in text and "p.matmul" in text
    compile(text, "gradient.py", "exec")


def test_asking_before_the_first_call_says_so() -> None:
    with pytest.raises(S2sadError, match="E0308"):
        ms.compile(Net()).dump("nowhere")


def test_what_cannot_be_compiled_is_refused() -> None:
    for thing in (3, "text", len, np.sin):
        with pytest.raises(TypeError, match="E0304"):
            ms.compile(thing)
