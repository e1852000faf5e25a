"""What the simulated device does not do is an error that names it, at the user's line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError


def refused(code, run, line=None):
    """The error of `run`; it stands at `line`, counted from the beginning of `run`, if given."""
    with pytest.raises(S2sadError) as caught:
        run()
    assert caught.value.code == code, caught.value
    place = caught.value.diagnostic.location
    if line is not None:
        assert place is not None and place.file.endswith(Path(__file__).name)
        assert place.line == run.__code__.co_firstlineno + line
    return str(caught.value)


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_an_operation_without_an_operator_of_ge(simulate, mode):
    ms.set_context(simulate=simulate)

    def run():
        x = ops.eye(3)
        return ms.grad(lambda x: ops.det(x))(x)

    assert "cofactor" in refused("E0712", run, 2)


def test_a_dtype_that_an_operator_does_not_take(mode):
    class Product(nn.Cell):
        def construct(self, x):
            return ops.matmul(x, x)

    def run():
        return Product()(ms.Tensor(np.eye(2)))

    message = refused("E0301", run)
    assert "MatMulV2 of GE takes no float64" in message and "ops.matmul(x, x)" in message


def test_what_tells_the_host_of_a_tensor_within_a_program():
    class Told(nn.Cell):
        def __init__(self):
            super().__init__()
            self.tell = ops.TensorSummary()

        def construct(self, x):
            self.tell("x", x)
            return x * 2.0

    assert "summarize" in refused("E0712", lambda: Told()(ms.Tensor([1.0])))


def test_the_tape_of_a_loop_stays_in_one_program():
    def scaled(x, n):
        while ops.sum(x) < n:
            x = x * x + 1.0
        return x

    def run():
        return ms.compile(scaled).vjp(ms.Tensor([1.0]), ms.Tensor(30.0))

    assert "tape" in refused("E0712", run)
    assert ms.grad(scaled)(ms.Tensor([1.0]), ms.Tensor(30.0)).shape == (1,)


def test_sinks_that_a_device_does_not_run():
    given = [ms.Tensor(1.0)] * 3
    double = ms.compile(lambda x: x + x)
    assert "NaN" in refused("E0712", lambda: double.sink(given, check_nan=True))
    ms.set_context(mode=ms.GRAPH_MODE)
    net = nn.ReLU()
    none = ms.compile(lambda: net(ms.Tensor(1.0)))
    assert "a batch" in refused("E0404", lambda: none.sink([()] * 3))


def test_other_devices():
    assert "GPU" in refused("E0710", lambda: ms.set_context(device_target="GPU"))
    assert ms.get_context("device_target") == "Ascend"
