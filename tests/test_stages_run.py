"""Does every stage of a program that takes derivatives run by plain Python, with its numbers?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.ir.archive import load_arrays
from s2sad.ir.evaluate import evaluate
from support.dumps import run_scripts, same_values

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
Y = np.array([2, 0], np.int32)


class Net(nn.Cell):
    """A layer, a branch and a loop on tensor data, and a count of its calls."""

    def __init__(self):
        super().__init__()
        weight = np.linspace(-1.0, 1.0, 9).reshape(3, 3)
        self.dense = nn.Dense(3, 3, weight_init=ms.Tensor(weight), dtype=ms.float64)
        self.scale = ms.Parameter(ms.Tensor(1.5, ms.float64), name="scale")
        self.calls = ms.Parameter(ms.Tensor(0, ms.int32), name="calls", requires_grad=False)

    def construct(self, x):
        ops.assign(self.calls, self.calls + 1)
        h = ops.tanh(self.dense(x))
        h = h * self.scale if ops.sum(h) > 0 else h - self.scale
        while ops.sum(h * h) < 40.0:
            h = h * 2.0
        return h


class Swish(nn.Cell):
    """A layer with a rule of its own, which is not the derivative."""

    def construct(self, x):
        return x * ops.sigmoid(x)

    def bprop(self, x, out, dout):
        return (dout * 3.0,)


def energy(x):
    return ops.sum(ops.sin(x) * x)


def training_step():
    net, loss_fn = Net(), nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.1, momentum=0.9)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())

    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss, gradients

    return step


def rule_of_its_own():
    swish = Swish()
    return lambda x, y: ms.grad(lambda x: energy(swish(x)))(x)


def in_a_loop():
    def descend(x, y):
        while ops.sum(x * x) > 1.0:
            x = x - 0.2 * ms.grad(lambda x: ops.sum(x * x * x * x))(x)
        return x

    return descend


#: Each gives a function of X and Y that takes a derivative.
PROGRAMS = {
    "step": training_step,
    "grad": lambda: lambda x, y: ms.grad(energy)(x),
    "value_and_grad": lambda: lambda x, y: ms.value_and_grad(energy)(x),
    "jvp": lambda: lambda x, y: ms.jvp(energy, x, x * 2.0),
    "vjp": lambda: lambda x, y: ms.vjp(ops.sin, x)[1](x),
    "twice": lambda: lambda x, y: ms.grad(lambda x: ops.sum(ms.grad(energy)(x) * x))(x),
    "forward_over_reverse": lambda: lambda x, y: ms.jvp(ms.grad(energy), x, x)[1],
    "rule_of_its_own": rule_of_its_own,
    "in_a_loop": in_a_loop,
}


@pytest.fixture(scope="module", params=PROGRAMS)
def compiled(request, tmp_path_factory):
    """A compiled program that was run, what it gave, its inputs before that, and its dumps."""
    ms.set_seed(0)
    x, y = ms.Tensor(X), ms.Tensor(Y)
    program = ms.compile(PROGRAMS[request.param]())
    paths = program.dump(tmp_path_factory.mktemp(request.param), x, y)
    inputs = [np.array(value) for value in program.inputs(x, y)]
    return program, inputs, paths


def results_of_scripts(paths):
    run_scripts(paths)
    for path in paths:
        found = load_arrays(path.with_suffix(".out.npz"))
        yield [found[f"result{i}"] for i in range(len(found))]


def test_each_stage_gives_what_was_compiled(compiled):
    program, inputs, paths = compiled
    functions = [function for _, function in program.stages.functions]
    assert "p.transform(" in paths[0].read_text(encoding="utf-8")
    assert [path.stem[3:] for path in paths[:2]] == ["primal", "expand-transforms"]
    evaluated = [evaluate(function, inputs) for function in functions]
    assert same_values(evaluated[0], evaluated[1])
    wanted = program.last.executable.run([np.array(value) for value in inputs])
    for path, by_evaluation, found in zip(paths, evaluated, results_of_scripts(paths), strict=True):
        assert same_values(found, by_evaluation), path.name
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13, err_msg=path.name)
