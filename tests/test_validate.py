"""Does a program prove itself on its first call, where the environment asks for it?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad import prims as p
from s2sad.backends.numpy import NumpyExecutable
from s2sad.compiler import VALIDATE
from s2sad.core.diagnostics import S2sadError
from s2sad.passes.canonicalize import Canonicalize


@pytest.fixture(autouse=True)
def validating(monkeypatch):
    monkeypatch.setenv(VALIDATE, "1")
    ms.set_context(mode=ms.GRAPH_MODE)


def training_step():
    net = nn.SequentialCell([nn.Dense(4, 5), nn.ReLU(), nn.Dense(5, 3)])
    loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 1e-2)
    gradient = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, net.trainable_params())

    @ms.compile
    def step(x, y):
        loss, gradients = gradient(x, y)
        optimizer(gradients)
        return loss

    return step


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_a_training_step_proves_itself(backend, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    step = training_step()
    x = ms.Tensor(np.linspace(-1, 1, 24).reshape(6, 4).astype(np.float32))
    y = ms.Tensor(np.array([0, 1, 2, 0, 1, 2], np.int32))
    assert step(x, y).item() > step(x, y).item()


def test_a_pass_that_changes_a_program_is_named(monkeypatch):
    def run(self, function, rewriter):
        for operation in list(function.body.operations):
            if operation.prim is p.add:
                with rewriter.step("add is sub", operation):
                    value = rewriter.insert_before(operation).emit(p.sub, operation.operands, {})
                    rewriter.replace_operation(operation, [value])

    monkeypatch.setattr(Canonicalize, "run", run)
    with pytest.raises(S2sadError, match="E0903.*pass canonicalize changes what the program"):
        ms.compile(lambda x: x + x)(ms.Tensor([1.0, 2.0]))


def test_a_backend_that_computes_something_else_is_named(monkeypatch):
    compute = NumpyExecutable.compute
    monkeypatch.setattr(
        NumpyExecutable, "compute", lambda self, arrays: tuple(x + 1 for x in compute(self, arrays))
    )
    with pytest.raises(S2sadError, match="E0903.*backends.numpy computes something else"):
        ms.compile(lambda x: ops.tanh(x))(ms.Tensor([1.0, 2.0]))


def test_nothing_is_run_twice_otherwise(monkeypatch):
    monkeypatch.delenv(VALIDATE)
    compute, calls = NumpyExecutable.compute, []

    def counted(self, arrays):
        calls.append(arrays)
        return compute(self, arrays)

    monkeypatch.setattr(NumpyExecutable, "compute", counted)
    ms.compile(lambda x: ops.tanh(x))(ms.Tensor([1.0, 2.0]))
    assert len(calls) == 1
