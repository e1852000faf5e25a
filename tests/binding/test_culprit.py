"""Is a number that is not finite reported with its step, and with the line that made it first?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.types import Token
from s2sad.prims import check_finite


@pytest.fixture(params=["numpy", "c"], autouse=True)
def backend(request, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)


def training(forward):
    """The parameter of `forward`, and its compiled step."""
    weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    optimizer = nn.SGD([weight], 0.1)
    gradient = ms.value_and_grad(lambda x: forward(weight, x), None, [weight])

    @ms.compile
    def step(x):
        loss, gradients = gradient(x)
        optimizer(gradients)
        return loss

    return weight, step


def root(weight, x):
    y = weight * x
    return ops.sqrt(y).sum()


def error_of(step, batches, **settings) -> S2sadError:
    with pytest.raises(FloatingPointError) as caught:
        step.sink(batches, check_nan=True, **settings)
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0702"
    return caught.value


def batches(*firsts):
    return [np.float32([first, 1.0]) for first in firsts]


@pytest.mark.parametrize("size", [None, 2])
def test_the_gradient_made_it(size):
    weight, step = training(root)
    other, same = training(root)
    seen: list[int] = []
    error = error_of(
        step, batches(1, 2, 3, 0, 1), size=size, on_step=lambda number, _: seen.append(number)
    )
    text = str(error)
    assert "NaN in step 3 of the sink, from 0" in text
    assert "made by its gradient: dw: f32[2] = p.mul(dy, x)" in text
    assert "an infinity was there: dy: f32[2] = p.div(" in text
    assert "Parameters are as the step before left them" in text
    assert "weight * x" in text  # the line that is differentiated
    assert seen == [0, 1, 2]
    same.sink(batches(1, 2, 3))
    assert weight.asnumpy().tobytes() == other.asnumpy().tobytes()
    step.sink(batches(1), check_nan=True)  # and it goes on


def test_the_program_made_it():
    _, step = training(root)
    text = str(error_of(step, batches(-1)))
    assert "NaN in step 0 of the sink, from 0" in text
    assert "made by the program:" in text and "p.sqrt(y)" in text
    assert "ops.sqrt(y)" in text and "Parameters are as they were" in text


def test_an_infinity_alone():
    _, step = training(lambda weight, x: (weight * x * 1e38).sum() * x.max())
    text = str(error_of(step, batches(1, 50)))
    assert "an infinity in step 1 of the sink, from 0" in text


def test_in_a_loop_of_the_program():
    def forward(weight, x):
        total = weight * 0
        for _ in range(3):
            total = total + ops.log(x * weight)
            x = x - 1
        return total.sum()

    _, step = training(forward)
    assert "ops.log(x * weight)" in str(error_of(step, batches(9, 9)))


def test_nothing_else_changes():
    weight, step = training(root)
    other, plain = training(root)
    given = batches(*range(1, 8))
    checked = step.sink(given, check_nan=True).asnumpy()
    assert checked.tobytes() == plain.sink(given).asnumpy().tobytes()
    assert weight.asnumpy().tobytes() == other.asnumpy().tobytes()
    assert step.last_sink.sinks == 1 and step.last_sink.steps == 7


def test_other_errors_keep_their_number():
    @ms.compile
    def step(x):
        assert x > 0, "x is {}"
        return x

    with pytest.raises(AssertionError) as caught:
        step.sink([ms.Tensor(1.0), ms.Tensor(-1.0)], check_nan=True)
    assert "it was step 1 of the sink, from 0" in "".join(caught.value.__notes__)


def test_where_nothing_is_compiled(monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    _, step = training(root)
    with pytest.raises(S2sadError, match="MS_JIT=0") as caught:
        step.sink(batches(1), check_nan=True)
    assert caught.value.code == "E0712"


@pytest.mark.parametrize("bits", [0x7FC0, 0x7F80, 0xFF80])
def test_bfloat16_that_is_not_finite_is_found(bits):
    check_finite(Token, np.array([0x3F80], np.uint16))
    with pytest.raises(FloatingPointError, match="1 elements of the loss"):
        check_finite(Token, np.array([0x3F80, bits], np.uint16), what="loss")
