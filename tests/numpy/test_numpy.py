"""Do the operations of `ms.numpy` give what NumPy gives, under NumPy's names, in both forms?"""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import s2sad as ms
from s2sad.core.diagnostics import S2sadError
from s2sad.numpy.operations import OPERATIONS
from support.forms import both_forms, check_gradients, refused

mnp = ms.numpy

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]])
Y = np.array([[0.5, 2.0, 1.0], [2.0, 1.5, 3.0]])

#: What is done with either library: written once, for `m`.
CASES = {
    "abs": lambda m, x, y: m.abs(x),
    "absolute": lambda m, x, y: m.absolute(x),
    "add": lambda m, x, y: m.add(x, y),
    "all": lambda m, x, y: m.all(x > 0, axis=1),
    "any": lambda m, x, y: m.any(x > 3, axis=0, keepdims=True),
    "arctan2": lambda m, x, y: m.arctan2(x, y),
    "argmax": lambda m, x, y: m.argmax(x, axis=1),
    "argmax of all": lambda m, x, y: m.argmax(x),
    "around": lambda m, x, y: m.around(x / 3, decimals=1),
    "broadcast_to": lambda m, x, y: m.broadcast_to(x, (2, 2, 3)),
    "ceil": lambda m, x, y: m.ceil(x),
    "clip": lambda m, x, y: m.clip(x, 0.0, 2.0),
    "concatenate": lambda m, x, y: m.concatenate((x, y), axis=-1),
    "cos": lambda m, x, y: m.cos(x),
    "cross": lambda m, x, y: m.cross(x, y, axis=1),
    "cross of a square": lambda m, x, y: m.cross(m.vstack((x, x[:1])), m.vstack((y, x[1:]))),
    "cumsum": lambda m, x, y: m.cumsum(x),
    "cumsum of rows": lambda m, x, y: m.cumsum(x, axis=1),
    "diag": lambda m, x, y: m.diag(x[0]),
    "diag of a matrix": lambda m, x, y: m.diag(x),
    "divide": lambda m, x, y: m.divide(x, y),
    "dot": lambda m, x, y: m.dot(x, y[0]),
    "dot of vectors": lambda m, x, y: m.dot(x[0], y[0]),
    "dot of many axes": lambda m, x, y: m.dot(x[None], m.transpose(m.stack((y, y)), (0, 2, 1))),
    "dot with a number": lambda m, x, y: m.dot(x, y[0, 0]),
    "equal": lambda m, x, y: m.equal(x, y),
    "exp": lambda m, x, y: m.exp(x),
    "expand_dims": lambda m, x, y: m.expand_dims(x, axis=1),
    "flip": lambda m, x, y: m.flip(x),
    "flip of rows": lambda m, x, y: m.flip(x, 0),
    "trace": lambda m, x, y: m.trace(x, 1),
    "floor": lambda m, x, y: m.floor(x),
    "floor_divide": lambda m, x, y: m.floor_divide(x, y),
    "full_like": lambda m, x, y: m.full_like(x, 2.0),
    "greater": lambda m, x, y: m.greater(x, y),
    "hstack": lambda m, x, y: m.hstack((x, y)),
    "isnan": lambda m, x, y: m.isnan(m.sqrt(m.square(x))),
    "less_equal": lambda m, x, y: m.less_equal(x, y),
    "log": lambda m, x, y: m.log(y),
    "logical_and": lambda m, x, y: m.logical_and(x > 0, y > 1),
    "matmul": lambda m, x, y: m.matmul(x, m.transpose(y)),
    "max": lambda m, x, y: m.max(x, axis=1, keepdims=True),
    "maximum": lambda m, x, y: m.maximum(x, y),
    "mean": lambda m, x, y: m.mean(x, axis=0),
    "min": lambda m, x, y: m.min(x),
    "minimum": lambda m, x, y: m.minimum(x, y),
    "moveaxis": lambda m, x, y: m.moveaxis(x, 0, 1),
    "multiply": lambda m, x, y: m.multiply(x, y),
    "negative": lambda m, x, y: m.negative(x),
    "not_equal": lambda m, x, y: m.not_equal(x, y),
    "ones_like": lambda m, x, y: m.ones_like(x),
    "outer": lambda m, x, y: m.outer(x[0], y[0]),
    "pad": lambda m, x, y: m.pad(x, ((0, 1), (2, 0))),
    "pad by a number": lambda m, x, y: m.pad(x, 1, "constant", constant_values=3.0),
    "power": lambda m, x, y: m.power(y, 2),
    "prod": lambda m, x, y: m.prod(x, axis=1),
    "ravel": lambda m, x, y: m.ravel(x),
    "reciprocal": lambda m, x, y: m.reciprocal(x),
    "remainder": lambda m, x, y: m.remainder(x, y),
    "repeat": lambda m, x, y: m.repeat(x, 2),
    "repeat of columns": lambda m, x, y: m.repeat(x, 2, axis=1),
    "reshape": lambda m, x, y: m.reshape(x, (3, -1)),
    "roll": lambda m, x, y: m.roll(x, 1, axis=1),
    "roll of all": lambda m, x, y: m.roll(x, 1),
    "sign": lambda m, x, y: m.sign(x),
    "sin": lambda m, x, y: m.sin(x),
    "split": lambda m, x, y: m.split(x, 3, axis=1)[1],
    "split at": lambda m, x, y: m.split(x, [1], axis=1)[1],
    "sqrt": lambda m, x, y: m.sqrt(y),
    "square": lambda m, x, y: m.square(x),
    "squeeze": lambda m, x, y: m.squeeze(m.expand_dims(x, 0)),
    "stack": lambda m, x, y: m.stack((x, y), axis=1),
    "std": lambda m, x, y: m.std(x, axis=1),
    "subtract": lambda m, x, y: m.subtract(x, y),
    "sum": lambda m, x, y: m.sum(x, axis=1, keepdims=True),
    "sum of all": lambda m, x, y: m.sum(x),
    "swapaxes": lambda m, x, y: m.swapaxes(x, 0, 1),
    "tanh": lambda m, x, y: m.tanh(x),
    "tile": lambda m, x, y: m.tile(x, (2, 1)),
    "transpose": lambda m, x, y: m.transpose(x),
    "tril": lambda m, x, y: m.tril(x, k=-1),
    "triu": lambda m, x, y: m.triu(x, 1),
    "var": lambda m, x, y: m.var(x, axis=0, ddof=1),
    "vstack": lambda m, x, y: m.vstack((x, y)),
    "where": lambda m, x, y: m.where(x > y, x, y),
    "zeros_like": lambda m, x, y: m.zeros_like(x),
    "pi": lambda m, x, y: x * m.pi + m.e,
    "newaxis": lambda m, x, y: x[:, m.newaxis],
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_gives_what_numpy_gives(name):
    call = CASES[name]
    expected = np.asarray(call(np, X, Y))
    found = both_forms(lambda x, y: call(mnp, x, y), ms.Tensor(X), ms.Tensor(Y)).asnumpy()
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (lambda: mnp.arange(5), np.arange(5, dtype=np.int32)),
        (lambda: mnp.arange(1, 2, 0.25), np.arange(1, 2, 0.25, dtype=np.float32)),
        (lambda: mnp.arange(np.float64(1.5)), np.arange(1.5, dtype=np.float32)),
        (lambda: mnp.arange(2, dtype=ms.float32), np.arange(2, dtype=np.float32)),
        (lambda: mnp.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]], np.int32)),
        (lambda: mnp.array([1.5, 2]), np.array([1.5, 2], np.float32)),
        (lambda: mnp.array([True]), np.array([True])),
        (lambda: mnp.array(np.arange(2.0)), np.arange(2.0)),
        (lambda: mnp.array(2, ms.float16, ndmin=2), np.array([[2]], np.float16)),
        (lambda: mnp.zeros((2, 1)), np.zeros((2, 1), np.float32)),
        (lambda: mnp.ones(3, ms.int32), np.ones(3, np.int32)),
        (lambda: mnp.full((2,), 7), np.full(2, 7, np.int32)),
        (lambda: mnp.full((2,), 0.5), np.full(2, 0.5, np.float32)),
        (lambda: mnp.eye(2, 3, -1), np.eye(2, 3, -1, dtype=np.float32)),
        (lambda: mnp.identity(2, ms.int32), np.eye(2, dtype=np.int32)),
        (lambda: mnp.linspace(0, 1, 5), np.linspace(0, 1, 5, dtype=np.float32)),
        (lambda: mnp.linspace(0, 1, 4, endpoint=False), np.arange(0, 1, 0.25, np.float32)),
    ],
)
def test_what_is_made_of_numbers(made, expected):
    found = both_forms(lambda: made()).asnumpy()
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


def test_arrays_are_copied_unless_they_are_tensors_to_keep():
    x = ms.Tensor([1.0, 2.0])
    assert mnp.asarray(x) is x and mnp.array(x) is not x
    assert mnp.asarray(x, ms.float64).dtype == ms.float64


def test_means_of_integers_are_floats():
    found = mnp.mean(mnp.array([1, 2]))
    assert (found.item(), found.dtype) == (1.5, ms.float32)


def test_lengths():
    found = both_forms(lambda x: mnp.norm(x, axis=1, keepdims=True), ms.Tensor(X)).asnumpy()
    np.testing.assert_allclose(found, np.linalg.norm(X, axis=1, keepdims=True), rtol=1e-13)


def test_gradients_pass_through():
    check_gradients(lambda x, y: mnp.concatenate((mnp.repeat(x, 2, 1), mnp.pad(y, 1)[1:3])), X, Y[
        :, :1
    ].repeat(4, 1))  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_says_what_it_takes(name):
    function = OPERATIONS[name]
    assert function.__doc__
    of_ops = {"input_x", "keep_dims", "other", "tensors"}
    assert not of_ops & set(inspect.signature(function).parameters)


def test_what_would_be_wrong_is_refused():
    refused("E0404", lambda x: mnp.split(x, 2, axis=1), ms.Tensor(X))
    refused("E0404", lambda x: mnp.pad(x, 1, "wrap"), ms.Tensor(X))
    with pytest.raises(S2sadError, match="did you mean concatenate"):
        _ = mnp.concatenat


def test_random_numbers():
    ms.set_seed(1)
    assert mnp.randn(2, 3).shape == (2, 3) and mnp.rand(4).dtype == ms.float32
    drawn = mnp.randint(2, 5, (100,))
    assert drawn.dtype == ms.int32 and set(drawn.tolist()) == {2, 3, 4}
    assert set(mnp.randint(2, shape=(50,)).tolist()) == {0, 1}
