"""Convolutions against loops in float64, in both forms, with gradients to order 2."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core.diagnostics import S2sadError
from support import windows
from support.forms import both_forms, check_gradients, check_second_gradients, refused

CONV = {1: ops.conv1d, 2: ops.conv2d, 3: ops.conv3d}


def normal(*shape, seed=0):
    return np.random.default_rng(seed).normal(size=shape)


def expected(x, w, stride, mode, padding, dilation, groups):
    """By loops; facts are the same for every axis but for the padding, which has one each."""
    rank = x.ndim - 2
    padding = padding if isinstance(padding, list) else [padding] * rank
    axes = []
    for size, kernel, ends in zip(x.shape[2:], w.shape[2:], padding, strict=True):
        ends = windows.padding_of(mode, ends, size, kernel, stride, dilation)
        axes.append(windows.windows_along(size, kernel, stride, ends, dilation))
    return windows.conv(x, w, axes, groups)


SETTINGS = [
    # x, w, stride, mode, padding as given, padding by axis, dilation, groups
    ((2, 3, 6, 5), (4, 3, 3, 2), 1, "valid", 0, 0, 1, 1),
    ((2, 3, 6, 5), (4, 3, 3, 2), 1, "same", 0, 0, 1, 1),
    ((1, 2, 7, 6), (2, 2, 3, 4), 2, "same", 0, 0, 1, 1),
    ((1, 2, 7, 6), (2, 2, 2, 2), 3, "same", 0, 0, 1, 1),
    ((1, 2, 7, 7), (2, 2, 3, 2), 1, "same", 0, 0, 2, 1),
    ((1, 2, 7, 7), (2, 2, 3, 2), 2, "pad", 2, 2, 2, 1),
    ((1, 2, 4, 4), (3, 2, 3, 3), 1, "pad", (1, 2), [1, 2], 1, 1),
    ((1, 2, 4, 4), (3, 2, 3, 3), 1, "pad", (0, 1, 2, 0), [(0, 1), (2, 0)], 1, 1),
    ((2, 4, 5, 5), (6, 2, 3, 3), 1, "valid", 0, 0, 1, 2),
    ((2, 4, 4, 4), (8, 1, 2, 2), 2, "valid", 0, 0, 1, 4),
    ((0, 2, 4, 4), (3, 2, 3, 3), 1, "same", 0, 0, 1, 1),
    ((2, 2, 1, 1), (3, 2, 1, 1), 1, "same", 0, 0, 1, 1),
    ((2, 3, 7), (4, 3, 3), 1, "valid", 0, 0, 1, 1),
    ((2, 2, 7), (4, 1, 4), 2, "same", 0, 0, 1, 2),
    ((1, 2, 5), (4, 2, 3), 1, "pad", (2, 0), [(2, 0)], 1, 1),
    ((1, 2, 4, 3, 3), (2, 2, 2, 2, 3), 1, "same", 0, 0, 1, 1),
    ((1, 1, 4, 3, 3), (2, 1, 2, 2, 3), 2, "pad", (0, 1, 1, 0, 2, 2), [(0, 1), (1, 0), (2, 2)],
     1, 1),
]  # fmt: skip


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_conv(setting):
    x_shape, w_shape, stride, mode, padding, by_axis, dilation, groups = setting
    function = CONV[len(x_shape) - 2]
    x, w, b = normal(*x_shape), normal(*w_shape, seed=1), normal(w_shape[0], seed=2)

    def run(x, w, b):
        plain = function(x, w, None, stride, mode, padding, dilation, groups)
        named = function(
            x, w, bias=b, stride=stride, pad_mode=mode.upper(), padding=padding, dilation=dilation,
            groups=groups,
        )  # fmt: skip
        return plain, named

    found, with_bias = both_forms(run, *map(ms.Tensor, (x, w, b)))
    out = expected(x, w, stride, mode, by_axis, dilation, groups)
    assert found.shape == with_bias.shape == out.shape
    np.testing.assert_allclose(found.asnumpy(), out, rtol=1e-12, atol=1e-12)
    out = out + b.reshape(-1, *(1,) * (x.ndim - 2))
    np.testing.assert_allclose(with_bias.asnumpy(), out, rtol=1e-12, atol=1e-12)


SMALL = [
    ((1, 2, 4, 3), (2, 2, 2, 2), 1, "same", 0, 1, 1),
    ((2, 2, 5, 4), (2, 1, 2, 3), 2, "pad", (1, 0, 2, 1), 1, 2),
    ((1, 1, 5, 5), (2, 1, 2, 2), 1, "valid", 0, 3, 1),
    ((1, 2, 5), (2, 2, 3), 2, "same", 0, 1, 1),
    ((1, 1, 2, 3, 2), (1, 1, 2, 2, 2), 1, "same", 0, 1, 1),
]


@pytest.mark.parametrize("setting", SMALL, ids=str)
def test_gradients(setting):
    x_shape, w_shape, *facts = setting
    function = CONV[len(x_shape) - 2]
    x, w, b = normal(*x_shape), normal(*w_shape, seed=1), normal(w_shape[0], seed=2)

    def run(x, w, b):
        return function(x, w, b, *facts)

    def squared(x, w):
        out = function(x, w, None, *facts)
        return ops.sum(out * out)

    check_gradients(run, x, w, b)
    check_second_gradients(squared, x, w)


def test_defaults():
    x, w = ms.Tensor(normal(2, 3, 5, 5)), ms.Tensor(normal(4, 3, 2, 2, seed=1))

    def run(x, w):
        return ops.conv2d(x, w), ops.conv2d(x, w, None, 1, "valid", 0, 1, 1)

    one, other = both_forms(run, x, w)
    assert one.tolist() == other.tolist() and one.shape == (2, 4, 4, 4)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_dtypes(dtype):
    x, w = ms.Tensor(normal(1, 2, 4, 4), dtype), ms.Tensor(normal(3, 2, 3, 3, seed=1), dtype)

    def run(x, w):
        return ops.conv2d(x, w), ops.conv2d(x, w.astype(ms.float32))

    found, wide = both_forms(run, x, w)
    assert (found.dtype, wide.dtype) == (dtype, ms.float32)
    exact = expected(*(v.asnumpy().astype(float) for v in (x, w)), 1, "valid", 0, 1, 1)
    np.testing.assert_allclose(wide.asnumpy(), exact, rtol=1e-5, atol=1e-5)
    assert found.tolist() == ms.Tensor(wide, dtype).tolist()  # rounded once


def test_what_is_not_finite_stays_where_it_is_read():
    x = np.zeros((1, 1, 3, 3))
    x[0, 0, 0, 0], x[0, 0, 2, 2] = np.nan, np.inf

    def run(x, w):
        return ops.conv2d(x, w)

    found = both_forms(run, ms.Tensor(x), ms.Tensor(np.ones((1, 1, 2, 2)))).asnumpy()
    np.testing.assert_array_equal(found, [[[[np.nan, 0.0], [0.0, np.inf]]]])


# ---- transposed -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "filters", "stride", "padding", "extra", "dilation", "groups"),
    [
        ((2, 3, 3, 4), (3, 2, 3, 3), 1, 0, 0, 1, 1), ((2, 3, 3, 4), (3, 2, 3, 3), 2, 1, 1, 1, 1),
        ((1, 4, 2, 3), (4, 2, 2, 3), 2, (1, 0, 1, 0), 0, 2, 2),
        ((1, 2, 3, 3), (2, 1, 1, 2), 3, 0, 2, 1, 1), ((0, 2, 3, 3), (2, 1, 2, 2), 1, 0, 0, 1, 1),
    ],
)  # fmt: skip
def test_conv_transpose2d(shape, filters, stride, padding, extra, dilation, groups):
    x, w = normal(*shape), normal(*filters, seed=1)
    b = normal(filters[1] * groups, seed=2)

    def run(x, w, b):
        return ops.conv_transpose2d(x, w, b, stride, padding, extra, groups, dilation)

    found = both_forms(run, *map(ms.Tensor, (x, w, b)))
    cut = padding[:2] if isinstance(padding, tuple) else (padding, padding)
    out = windows.conv_transpose(x, w, stride, cut, extra, dilation, groups)
    out = out + b.reshape(-1, 1, 1)
    assert found.shape == out.shape
    np.testing.assert_allclose(found.asnumpy(), out, rtol=1e-12, atol=1e-12)


def test_gradients_of_conv_transpose2d():
    x, w, b = normal(1, 2, 2, 3), normal(2, 2, 2, 2, seed=1), normal(2)

    def run(x, w, b):
        return ops.conv_transpose2d(x, w, b, 2, 1, 1)

    def squared(x, w):
        out = ops.conv_transpose2d(x, w, None, 2)
        return ops.sum(out * out)

    check_gradients(run, x, w, b)
    check_second_gradients(squared, x, w)


# ---- bias -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4), (2, 3, 2, 2), (0, 3, 2)])
def test_bias_add(shape):
    x, b = normal(*shape), normal(3, seed=1)

    def run(x, b):
        return ops.bias_add(x, b)

    found = both_forms(run, ms.Tensor(x), ms.Tensor(b))
    np.testing.assert_array_equal(found.asnumpy(), x + b.reshape(-1, *(1,) * (len(shape) - 2)))


@pytest.mark.parametrize("shape", [(3,), (4, 3), (2, 4, 3), (2, 0, 3)])
@pytest.mark.parametrize("has_bias", [True, False])
def test_dense(shape, has_bias):
    x, w, b = normal(*shape), normal(5, 3, seed=1), normal(5, seed=2)

    def run(x, w, b):
        return ops.dense(x, w, b if has_bias else None)

    found = both_forms(run, *map(ms.Tensor, (x, w, b)))
    assert found.shape == shape[:-1] + (5,)
    np.testing.assert_allclose(found.asnumpy(), x @ w.T + (b if has_bias else 0), rtol=1e-12)


# ---- what is refused ------------------------------------------------------------------------

X, W = ms.Tensor(normal(1, 2, 6, 5)), ms.Tensor(normal(4, 2, 3, 3))
REFUSED = [
    ("E0401", lambda x, w: ops.conv2d(x[0], w)), ("E0401", lambda x, w: ops.conv2d(x, w[0])),
    ("E0401", lambda x, w: ops.conv1d(x, w)), ("E0401", lambda x, w: ops.conv2d(x, w, groups=2)),
    ("E0401", lambda x, w: ops.conv2d(x[:, :1], w)),
    ("E0401", lambda x, w: ops.conv2d(x[:, :1], w[:3, :1], groups=2)),
    ("E0401", lambda x, w: ops.conv2d(x, w, w)), ("E0401", lambda x, w: ops.conv2d(x, w, x[0, 0])),
    ("E0401", lambda x, w: ops.conv2d(x, w, dilation=3)),
    ("E0401", lambda x, w: ops.conv2d(x, w, pad_mode="pad", padding=(0, 0, 0, 1), dilation=3)),
    ("E0404", lambda x, w: ops.conv2d(x, w, padding=1)),
    ("E0404", lambda x, w: ops.conv2d(x, w, padding=(0, 1), pad_mode="same")),
    ("E0404", lambda x, w: ops.conv2d(x, w, pad_mode="full")),
    ("E0303", lambda x, w: ops.conv2d(x, w, pad_mode=1)),
    ("E0404", lambda x, w: ops.conv2d(x, w, pad_mode="pad", padding=-1)),
    ("E0303", lambda x, w: ops.conv2d(x, w, pad_mode="pad", padding=(1, 1, 1))),
    ("E0404", lambda x, w: ops.conv2d(x, w, stride=0)),
    ("E0303", lambda x, w: ops.conv2d(x, w, stride=1.0)),
    ("E0303", lambda x, w: ops.conv2d(x, w, stride=(1, 1, 1))),
    ("E0303", lambda x, w: ops.conv2d(x, w, dilation=True)),
    ("E0404", lambda x, w: ops.conv2d(x, w, groups=0)),
    ("E0301", lambda x, w: ops.conv2d(x.astype(ms.int32), w.astype(ms.int32))),
    ("E0304", lambda x, w: ops.conv2d(x, 1.0)),
    ("E0401", lambda x, w: ops.conv_transpose2d(x, w)),
    ("E0401", lambda x, w: ops.conv_transpose2d(x, w[:2], padding=9)),
    ("E0401", lambda x, w: ops.conv_transpose2d(x[0], w[:2])),
    ("E0303", lambda x, w: ops.conv_transpose2d(x, w[:2], output_padding=(1, 1, 1))),
    ("E0401", lambda x, w: ops.bias_add(x, x)), ("E0401", lambda x, w: ops.bias_add(x[0, 0, 0], x)),
    ("E0401", lambda x, w: ops.dense(x, w)), ("E0401", lambda x, w: ops.dense(x, w[0, 0])),
    ("E0401", lambda x, w: ops.dense(x, x[0, 0], x[0, 0])),
]  # fmt: skip


@pytest.mark.parametrize(("code", "function"), REFUSED)
def test_what_does_not_go_together(code, function):
    refused(code, function, X, W)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (
            lambda x, w: ops.conv2d(x, w, dilation=3),
            ("(1, 2, 6, 5)", "(4, 2, 3, 3)", "7", "axis 2"),
        ),
        (
            lambda x, w: ops.conv2d(x, w, dilation=3, pad_mode="pad", padding=(1, 0)),
            ("(1, 2, 6, 5)", "7", "axis 3", "5"),
        ),
        (lambda x, w: ops.conv2d(x[:, :1], w), ("(1, 1, 6, 5)", "(4, 2, 3, 3)", "axis 1")),
        (lambda x, w: ops.conv2d(x[0], w), ("(2, 6, 5)", "(N, C, H, W)")),
        (lambda x, w: ops.dense(x, x[0, 0, :, :4]), ("(1, 2, 6, 5)", "(6, 4)")),
    ],
)  # fmt: skip
def test_messages_name_shapes_and_axes(function, words):
    for run in (function, ms.compile(function)):
        with pytest.raises(S2sadError) as caught:
            run(X, W)
        for word in words:
            assert word in str(caught.value)
