"""Do the operations of `mint` take torch's arguments and give what NumPy gives, in both forms?"""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import special

import s2sad as ms
from s2sad import mint
from s2sad.core.diagnostics import S2sadError
from s2sad.mint.functional import FUNCTIONS
from s2sad.mint.operations import OPERATIONS
from support.forms import both_forms, check_gradients, refused

F = mint.nn.functional
X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.5]])
Y = np.array([[0.5, 2.0, 1.0], [2.0, 1.5, 3.0]])
I = np.array([[2, 0], [1, 1]])  # noqa: E741

#: What is called with X, Y and I, and what it gives.
CASES = {
    "cat": (lambda x, y, i: mint.cat((x, y), dim=1), np.concatenate((X, Y), 1)),
    "concat": (lambda x, y, i: mint.concat([x, y], dim=0), np.concatenate((X, Y))),
    "stack": (lambda x, y, i: mint.stack((x, y), dim=-1), np.stack((X, Y), -1)),
    "chunk": (lambda x, y, i: mint.chunk(x, 2, dim=0)[1], X[1:]),
    "split": (lambda x, y, i: mint.split(x, 2, dim=1)[0], X[:, :2]),
    "split sizes": (lambda x, y, i: mint.split(x, [1, 2], dim=1)[1], X[:, 1:]),
    "sum": (lambda x, y, i: mint.sum(x, dim=1, keepdim=True), X.sum(1, keepdims=True)),
    "mean": (lambda x, y, i: mint.mean(x, dim=0), X.mean(0)),
    "mean of all": (lambda x, y, i: mint.mean(x), X.mean()),
    "prod": (lambda x, y, i: mint.prod(x, dim=1, keepdim=True), X.prod(1, keepdims=True)),
    "amax": (lambda x, y, i: mint.amax(x, dim=1, keepdim=True), X.max(1, keepdims=True)),
    "max": (lambda x, y, i: mint.max(x), X.max()),
    "max values": (lambda x, y, i: mint.max(x, dim=1)[0], X.max(1)),
    "max places": (lambda x, y, i: mint.max(x, 1, True)[1], X.argmax(1)[:, None]),
    "max of two": (lambda x, y, i: mint.max(x, y), np.maximum(X, Y)),
    "min": (lambda x, y, i: mint.min(x, dim=0)[0], X.min(0)),
    "min of two": (lambda x, y, i: mint.min(x, other=y), np.minimum(X, Y)),
    "argmin": (lambda x, y, i: mint.argmin(x, dim=1), X.argmin(1)),
    "argmax": (lambda x, y, i: mint.argmax(x, dim=0, keepdim=True), X.argmax(0)[None]),
    "median": (lambda x, y, i: mint.median(x), 0.5),
    "median values": (lambda x, y, i: mint.median(x, dim=1)[0], np.median(X, 1)),
    "std": (lambda x, y, i: mint.std(x, dim=1), X.std(1, ddof=1)),
    "var": (lambda x, y, i: mint.var(x, 0, correction=0, keepdim=True), X.var(0)[None]),
    "std_mean": (lambda x, y, i: mint.std_mean(x, dim=1)[1], X.mean(1)),
    "var_mean": (lambda x, y, i: mint.var_mean(x, dim=1)[0], X.var(1, ddof=1)),
    "all": (lambda x, y, i: mint.all(x > 0, dim=1), (X > 0).all(1)),
    "any": (lambda x, y, i: mint.any(x > 3, dim=1, keepdim=True), (X > 3).any(1)[:, None]),
    "count_nonzero": (lambda x, y, i: mint.count_nonzero(x > 0, dim=1), np.array([2, 2])),
    "cumsum": (lambda x, y, i: mint.cumsum(x, dim=1), X.cumsum(1)),
    "cummax": (lambda x, y, i: mint.cummax(x, dim=1)[0], np.maximum.accumulate(X, 1)),
    "logsumexp": (lambda x, y, i: mint.logsumexp(x, dim=1), special.logsumexp(X, 1)),
    "norm": (lambda x, y, i: mint.norm(x), np.linalg.norm(X.ravel())),
    "norm 1": (lambda x, y, i: mint.norm(x, 1), np.abs(X).sum()),
    "norm of two axes": (
        lambda x, y, i: mint.norm(x, p=3, dim=(0, 1)),
        (abs(X) ** 3).sum() ** (1 / 3),
    ),
    "norm inf": (lambda x, y, i: mint.norm(x, float("inf"), 1, True), abs(X).max(1)[:, None]),
    "norm nuc": (lambda x, y, i: mint.norm(x, "nuc"), np.linalg.norm(X, "nuc")),
    "linalg.norm": (lambda x, y, i: mint.linalg.norm(x, 2), np.linalg.norm(X, 2)),
    "linalg.vector_norm": (
        lambda x, y, i: mint.linalg.vector_norm(x, dim=1),
        np.linalg.norm(X, axis=1),
    ),
    "add": (lambda x, y, i: mint.add(x, y, alpha=2), X + 2 * Y),
    "sub": (lambda x, y, i: mint.sub(x, y, alpha=0.5), X - 0.5 * Y),
    "div": (lambda x, y, i: mint.div(x, y, rounding_mode="floor"), X // Y),
    "transpose": (lambda x, y, i: mint.transpose(x, 0, 1), X.T),
    "transpose by name": (lambda x, y, i: mint.transpose(x, dim0=-1, dim1=0), X.T),
    "permute": (lambda x, y, i: mint.permute(x, dims=(1, 0)), X.T),
    "swapaxes": (lambda x, y, i: mint.swapaxes(x, 0, 1), X.T),
    "movedim": (lambda x, y, i: mint.movedim(x, 0, 1), X.T),
    "flatten": (lambda x, y, i: mint.flatten(x), X.ravel()),
    "squeeze": (lambda x, y, i: mint.squeeze(mint.unsqueeze(x, dim=1), dim=1), X),
    "narrow": (lambda x, y, i: mint.narrow(x, dim=1, start=1, length=2), X[:, 1:]),
    "index_select": (lambda x, y, i: mint.index_select(x, dim=1, index=i[0]), X[:, [2, 0]]),
    "select": (lambda x, y, i: mint.select(x, 1, -1), X[:, -1]),
    "gather": (lambda x, y, i: mint.gather(x, dim=1, index=i), np.take_along_axis(X, I, 1)),
    "scatter": (
        lambda x, y, i: mint.scatter(x, 1, i[:, :1], y[:, :1]),
        np.array([[1.0, -2.0, 0.5], [0.5, 2.0, -1.5]]),
    ),
    "scatter_add": (
        lambda x, y, i: mint.scatter_add(x, 1, i, y[:, :2]),
        X + np.array([[2.0, 0, 0.5], [0, 3.5, 0]]),
    ),
    "index_add": (
        lambda x, y, i: mint.index_add(x, 0, i[0][1:], y[:1], alpha=2),
        X + [[1.0, 4, 2], [0, 0, 0]],
    ),
    "masked_fill": (
        lambda x, y, i: mint.masked_fill(input=x, mask=x < 0, value=9.0),
        np.where(X < 0, 9, X),
    ),
    "where": (lambda x, y, i: mint.where(x > y, x, y), np.maximum(X, Y)),
    "sort": (lambda x, y, i: mint.sort(x, dim=0, descending=True)[0], -np.sort(-X, 0)),
    "argsort": (lambda x, y, i: mint.argsort(x, dim=1, stable=True), X.argsort(1)),
    "topk": (lambda x, y, i: mint.topk(x, 2)[0], -np.sort(-X, 1)[:, :2]),
    "repeat_interleave": (lambda x, y, i: mint.repeat_interleave(x, 2, dim=1), X.repeat(2, 1)),
    "tile": (lambda x, y, i: mint.tile(x, (2, 1)), np.tile(X, (2, 1))),
    "diff": (lambda x, y, i: mint.diff(x, dim=1), np.diff(X)),
    "frac": (lambda x, y, i: mint.frac(input=x), X - np.trunc(X)),
    "isnan": (lambda x, y, i: mint.isnan(tensor=x), np.isnan(X)),
    "sqrt": (lambda x, y, i: mint.sqrt(input=x * x), np.abs(X)),
    "bmm": (lambda x, y, i: mint.bmm(input=x[None], mat2=y.T[None]), (X @ Y.T)[None]),
    "einsum": (lambda x, y, i: mint.einsum("ij,kj->ik", x, y), X @ Y.T),
    "meshgrid": (
        lambda x, y, i: mint.meshgrid(x[0], y[0])[0],
        np.meshgrid(X[0], Y[0], indexing="ij")[0],
    ),
    "softmax": (lambda x, y, i: mint.softmax(x, dim=0), special.softmax(X, 0)),
    "special.log_softmax": (
        lambda x, y, i: mint.special.log_softmax(x, dim=1),
        special.log_softmax(X, 1),
    ),
    "zeros": (lambda x, y, i: mint.zeros((2, 3)), np.zeros((2, 3), np.float32)),
    "ones": (lambda x, y, i: mint.ones(2, dtype=ms.int32), np.ones(2, np.int32)),
    "linspace": (lambda x, y, i: mint.linspace(0, 1, 3, dtype=ms.float64), np.linspace(0, 1, 3)),
    "F.softmax": (lambda x, y, i: F.softmax(x), special.softmax(X, 1)),
    "F.softmax of three axes": (lambda x, y, i: F.softmax(x[None, :, :]), np.ones((1, 2, 3))),
    "F.log_softmax": (lambda x, y, i: F.log_softmax(x, dim=-1), special.log_softmax(X, 1)),
    "F.linear": (lambda x, y, i: F.linear(x, y), X @ Y.T),
    "F.pad": (
        lambda x, y, i: F.pad(x, pad=(1, 0), mode="constant", value=2.0),
        np.pad(X, ((0, 0), (1, 0)), constant_values=2),
    ),
    "F.leaky_relu": (lambda x, y, i: F.leaky_relu(x), np.where(X > 0, X, 0.01 * X)),
    "F.gelu": (lambda x, y, i: F.gelu(x), X * special.ndtr(X)),
    "F.glu": (lambda x, y, i: F.glu(x, dim=0), X[:1] * special.expit(X[1:])),
    "F.one_hot": (lambda x, y, i: F.one_hot(i, num_classes=3), np.eye(3, dtype=np.int64)[I]),
    "F.mse_loss": (lambda x, y, i: F.mse_loss(x, y), ((X - Y) ** 2).mean()),
    "F.smooth_l1_loss": (
        lambda x, y, i: F.smooth_l1_loss(x, y),
        np.where(abs(X - Y) < 1, (X - Y) ** 2 / 2, abs(X - Y) - 0.5).mean(),
    ),
    "F.kl_div": (lambda x, y, i: F.kl_div(x, y, reduction="sum"), (Y * (np.log(Y) - X)).sum()),
    "F.kl_div of logarithms": (
        lambda x, y, i: F.kl_div(x, y, "sum", True),
        (np.exp(Y) * (Y - X)).sum(),
    ),
    "F.bce with logits": (
        lambda x, y, i: F.binary_cross_entropy_with_logits(x, y, None, "sum"),
        (np.logaddexp(0, X) - X * Y).sum(),
    ),
    "F.normalize": (
        lambda x, y, i: F.normalize(x, dim=1),
        X / np.linalg.norm(X, axis=1, keepdims=True),
    ),
    "F.dropout": (lambda x, y, i: F.dropout(x, 0.5, training=False), X),
    "F.hardtanh": (lambda x, y, i: F.hardtanh(x), X.clip(-1, 1)),
    "F.avg_pool2d": (
        lambda x, y, i: F.avg_pool2d(x[None, None], (1, 2)),
        np.array([[[[-0.5], [2.25]]]]),
    ),
    "F.max_pool2d": (
        lambda x, y, i: F.max_pool2d(x[None, None], (2, 1), ceil_mode=True),
        X.max(0)[None, None, None],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_gives_what_numpy_gives(name):
    function, expected = CASES[name]
    found = both_forms(function, ms.Tensor(X), ms.Tensor(Y), ms.Tensor(I)).asnumpy()
    expected = np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", [*OPERATIONS, *FUNCTIONS])
def test_every_operation_says_what_it_takes(name):
    function = OPERATIONS.get(name) or FUNCTIONS[name]
    assert function.__name__ and function.__doc__
    of_ops = {"axis", "input_x", "keepdims", "keep_dims"}
    assert not of_ops & set(inspect.signature(function).parameters)


def test_gradients_pass_through():
    check_gradients(lambda x, y: mint.cat((x, mint.max(y, dim=1)[0][:, None]), dim=1), X, Y)
    check_gradients(lambda x: mint.norm(x, p=3, dim=1), X)
    check_gradients(lambda x, y: F.conv2d(x[None, None], y[None, None, :, :2], padding=1), X, Y)


@pytest.mark.parametrize("padding", [0, 1, (0, 1), "same", "valid"])
def test_convolution(padding):
    x, w = X[None, None], Y[None, None, :1, :]
    wide = {0: (0, 0), 1: (1, 1), (0, 1): (0, 1), "same": (0, 1), "valid": (0, 0)}[padding]
    padded = np.pad(X, [(each, each) for each in wide])
    expected = [[row[i : i + 3] @ Y[0] for i in range(len(row) - 2)] for row in padded]
    found = both_forms(lambda x, w: F.conv2d(x, w, padding=padding), ms.Tensor(x), ms.Tensor(w))
    np.testing.assert_allclose(found.asnumpy()[0, 0], expected, rtol=1e-12)


def test_what_would_be_wrong_is_refused():
    x = ms.Tensor(X)
    refused("E0404", lambda x: F.one_hot(x), ms.Tensor(I))
    refused("E0302", lambda x: mint.max(x, keepdim=True), x)
    refused("E0404", lambda x: F.leaky_relu(x, 0.1, True), x)
    with pytest.raises(S2sadError, match="did you mean cat"):
        _ = mint.catt
    with pytest.raises(S2sadError, match="E0710"):
        mint.zeros(2, device="Ascend")
    assert not hasattr(mint, "equal")


def test_random_numbers():
    ms.manual_seed(3)
    assert mint.randn(2, 3).shape == (2, 3) and mint.rand_like(ms.Tensor(X)).shape == (2, 3)
    drawn = mint.randint(3, (100,)).asnumpy()
    assert set(drawn.tolist()) == {0, 1, 2}
    assert sorted(mint.randperm(4).tolist()) == [0, 1, 2, 3]
    assert set(mint.bernoulli(ms.Tensor([0.0, 1.0])).tolist()) == {0.0, 1.0}
    assert mint.normal(5.0, 0.0, (2,)).tolist() == [5.0, 5.0]
    assert mint.normal(ms.Tensor([1.0, 2.0]), 0.0).tolist() == [1.0, 2.0]
    assert sorted(mint.multinomial(ms.Tensor([1.0, 1.0, 1.0]), 3).tolist()) == [0, 1, 2]
    assert 0 <= mint.randint_like(ms.Tensor(I), 2).asnumpy().min() <= 1


IN_PLACE = {
    "relu_": (lambda x: F.relu_(x), np.maximum(X, 0)),
    "sigmoid_": (lambda x: F.sigmoid_(x), special.expit(X)),
    "elu_": (lambda x: F.elu_(x, 2.0), np.where(X > 0, X, 2 * np.expm1(X))),
    "hardtanh_": (lambda x: F.hardtanh_(input=x, max_val=2), np.clip(X, -1, 2)),
    "threshold_": (lambda x: F.threshold_(x, 0.75, 9.0), np.where(X > 0.75, X, 9.0)),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_PLACE)
def test_functions_that_write_their_tensor(name):
    write, expected = IN_PLACE[name]

    def run(x):
        y = x * 1
        other = y
        return write(y) + 0, other + 0

    for each in both_forms(run, ms.Tensor(X)):
        np.testing.assert_allclose(each.asnumpy(), expected, rtol=1e-14)
    x = ms.Tensor(X)
    assert write(x) is x
    np.testing.assert_allclose(x.asnumpy(), expected, rtol=1e-14)
    check_gradients(run_and_sum(write), X)


def run_and_sum(write):
    def run(x):
        y = x * 1
        write(y)
        return y * y

    return run
