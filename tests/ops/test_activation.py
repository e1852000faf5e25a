"""Activations against formulas in float64, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

import s2sad as ms
from s2sad import nn, ops
from support.forms import both_forms, check_gradients, refused

VALUES = np.array([[-3.0, -0.5, -0.0, 0.0], [0.25, 1.0, 40.0, -40.0]])
EXTREME = np.array([np.inf, -np.inf, np.nan, 1e30, -1e30])
FLOATS = [(ms.float64, 1e-14), (ms.float32, 3e-7), (ms.float16, 2e-3), (ms.bfloat16, 1e-2)]

ELEMENTWISE = {
    "relu": (ops.relu, nn.ReLU(), lambda x: np.maximum(x, 0)),
    "tanh": (ops.tanh, nn.Tanh(), np.tanh),
    "sigmoid": (ops.sigmoid, nn.Sigmoid(), special.expit),
}
ALONG = {
    "softmax": (ops.softmax, nn.Softmax, special.softmax),
    "log_softmax": (ops.log_softmax, nn.LogSoftmax, special.log_softmax),
}


@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize(("dtype", "rtol"), FLOATS, ids=str)
def test_elementwise(name, dtype, rtol):
    function, cell, reference = ELEMENTWISE[name]

    def run(x):
        return function(x), cell(x)

    for values in (VALUES, EXTREME, np.zeros((0, 2)), np.array(0.5)):
        x = ms.Tensor(values, dtype)
        for result in both_forms(run, x):
            assert (result.dtype, result.shape) == (dtype, values.shape)
            expected = reference(x.asnumpy().astype(np.float64))
            tiny = 6e-8 if dtype is ms.float16 else 1e-37  # the smallest number that it has
            np.testing.assert_allclose(result.asnumpy(), expected, rtol=rtol, atol=tiny)


@pytest.mark.parametrize("name", ALONG)
@pytest.mark.parametrize("axis", [-1, 0, 1])
@pytest.mark.parametrize(("dtype", "rtol"), FLOATS, ids=str)
def test_along_an_axis(name, axis, dtype, rtol):
    function, cell_of, reference = ALONG[name]
    cell = cell_of(axis)

    def run(x):
        return function(x, axis), cell(x)

    x = ms.Tensor(VALUES, dtype)
    for result in both_forms(run, x):
        assert (result.dtype, result.shape) == (dtype, VALUES.shape)
        expected = reference(x.asnumpy().astype(np.float64), axis=axis)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=2 * rtol, atol=rtol)


def test_large_scores_do_not_overflow():
    def run(x):
        return ops.softmax(x), ops.log_softmax(x)

    share, logarithm = both_forms(run, ms.Tensor([1e30, 0.0, -np.inf]))
    assert share.tolist() == [1.0, 0.0, 0.0]
    assert logarithm.tolist() == [0.0, np.float32(-1e30), -np.inf]


def test_defaults_and_methods():
    x = ms.Tensor(VALUES, ms.float32)

    def run(x):
        return [
            (ops.softmax(x), ops.softmax(x, -1), x.softmax(-1), x.softmax(axis=1), nn.Softmax()(x)),
            (ops.log_softmax(x), ops.log_softmax(x, axis=-1), nn.LogSoftmax()(x)),
            (ops.relu(x), x.relu(), ops.relu(x, False)),
            (ops.tanh(x), x.tanh()),
            (ops.sigmoid(x), x.sigmoid()),
        ]

    for group in run(x):
        for other in group[1:]:
            np.testing.assert_array_equal(group[0].asnumpy(), other.asnumpy())


def test_softmax_in_another_dtype():
    def run(x):
        return ops.softmax(x, -1, dtype=ms.float64), x.softmax(-1, ms.float64)

    for result in both_forms(run, ms.Tensor(VALUES, ms.float16)):
        assert result.dtype is ms.float64
        expected = special.softmax(VALUES.astype(np.float16).astype(np.float64), axis=-1)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-14)


def test_relu_of_integers():
    def run(n):
        return ops.relu(n)

    result = both_forms(run, ms.Tensor([-3, 4], ms.int8))
    assert result.dtype is ms.int8 and result.tolist() == [0, 4]


@pytest.mark.parametrize("function", [ops.tanh, ops.sigmoid, ops.softmax, ops.log_softmax])
def test_integers_are_refused(function):
    def run(n):
        return function(n)

    refused("E0301", run, ms.Tensor([1, 2]))


@pytest.mark.parametrize("function", [ops.softmax, ops.log_softmax])
def test_axes_that_do_not_exist(function):
    def run(x):
        return function(x, 2)

    refused("E0403", run, ms.Tensor(VALUES))


def test_what_is_passed_in_never_changes():
    def run(x):
        return ops.relu(x, True)

    refused("E0104", run, ms.Tensor(VALUES))


def test_of_what_is_no_tensor():
    for function in (ops.relu, ops.tanh, ops.sigmoid, ops.softmax, ops.log_softmax):
        with pytest.raises(TypeError, match="E0304"):
            function(1.0)


SMOOTH = np.random.default_rng(1).normal(size=(3, 4))


@pytest.mark.parametrize("name", [*ELEMENTWISE, *ALONG])
def test_gradients(name):
    function = ({**ELEMENTWISE, **ALONG})[name][0]

    def run(x):
        return function(x)

    def run_along(x):
        return function(x, 0)

    check_gradients(run, SMOOTH)
    if name in ALONG:
        check_gradients(run_along, SMOOTH)


def test_the_gradient_of_relu_at_0_is_0():
    assert ms.grad(nn.ReLU())(ms.Tensor([0.0, -0.0, 1.0])).tolist() == [0.0, 0.0, 1.0]
