"""Norms of vectors and matrices against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.elementwise import TOLERANCES, wide
from support.forms import both_forms, check_gradients, refused

INF = float("inf")
X = np.array([[3.0, -4.0, 0.0], [0.5, 1.5, -2.0]])
ORDERS = [None, 2, 1, 3, 2.5, 0.5, 0, INF, -INF, -1, -2]


@pytest.mark.parametrize("ord", ORDERS)
@pytest.mark.parametrize(("dim", "keep"), [(0, False), (-1, True), ((1,), False)], ids=str)
def test_vectors(ord, dim, keep):
    def run(x):
        return (
            ops.norm(x, ord, dim, keep),
            x.norm(ord, dim, keep),
            x.norm(ord, dim=dim, keepdim=keep),
        )

    for dtype, tolerance in TOLERANCES.items():
        x = ms.Tensor(X, dtype)
        with np.errstate(all="ignore"):
            expected = np.linalg.norm(wide(x), ord, dim if dim != (1,) else 1, keep)
        for result in both_forms(run, x):
            assert (result.dtype, result.shape) == (dtype, expected.shape)
            np.testing.assert_allclose(wide(result), expected, rtol=2 * tolerance)


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, INF, -INF])
@pytest.mark.parametrize(
    ("dim", "keep"), [(None, True), ((0, 1), False), ((1, 0), True), ([-2, -1], False)], ids=str
)
def test_matrices(ord, dim, keep):
    def run(x):
        return ops.norm(x, ord, dim, keep), x.norm(ord, dim, keep)

    for dtype, tolerance in TOLERANCES.items():
        axes = None if dim is None else tuple(dim)
        expected = np.linalg.norm(wide(ms.Tensor(X, dtype)), ord, axes, keep)
        for result in both_forms(run, ms.Tensor(X, dtype)):
            assert (result.dtype, result.shape) == (dtype, expected.shape)
            np.testing.assert_allclose(wide(result), expected, rtol=2 * tolerance)


def test_of_many_axes():
    x = np.random.default_rng(0).normal(size=(2, 3, 4))

    def run(x):
        return [
            ops.norm(x), x.norm(), ops.vector_norm(x, 3), ops.vector_norm(x, 1, (0, 2)),
            ops.matrix_norm(x), ops.matrix_norm(x, 1, (2, 0), True), ops.norm(x, dim=(0, 1, 2)),
        ]  # fmt: skip

    whole = np.linalg.norm(x)
    expected = [
        whole, whole, (np.abs(x) ** 3).sum() ** (1 / 3), np.abs(x).sum((0, 2)),
        np.linalg.norm(x, "fro", (-2, -1)), np.linalg.norm(x, 1, (2, 0), True), whole,
    ]  # fmt: skip
    for result, wanted in zip(both_forms(run, ms.Tensor(x)), expected, strict=True):
        np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-13)


def test_dtypes():
    def narrow(x, n):
        return ops.norm(n), ops.norm(x, dtype=ms.float64), ops.norm(x * 200)

    whole, wider, large = both_forms(narrow, ms.Tensor([3.0, 4.0], ms.float16), ms.Tensor([3, 4]))
    assert (whole.dtype, whole.item()) == (ms.float32, 5.0)
    assert (wider.dtype, wider.item()) == (ms.float64, 5.0)
    assert (large.dtype, large.item()) == (ms.float16, 1000.0)  # its square is no float16

    def of_zero(x):
        return ops.norm(x), ops.norm(x, -1, 0), ops.norm(x, 0.5, 0), ops.norm(x, INF, 0)

    assert [r.item() for r in both_forms(of_zero, ms.Tensor([0.0, 0.0]))] == [0.0] * 4
    assert both_forms(lambda x: ops.norm(x), ms.Tensor(-2.0)).item() == 2.0
    assert both_forms(lambda x: ops.norm(x), ms.Tensor(np.zeros(0))).item() == 0.0
    assert np.isnan(both_forms(lambda x: ops.norm(x), ms.Tensor([np.nan, 1.0])).item())


@pytest.mark.parametrize("ord", ["nuc", 2, -2])
@pytest.mark.parametrize(("dim", "keepdim"), [((0, 1), False), ((2, 0), True), ((-1, 1), False)])
def test_norms_of_singular_values(ord, dim, keepdim):
    x = np.random.default_rng(4).normal(size=(3, 4, 2))

    def run(x):
        return ops.norm(x, ord, dim, keepdim)

    found = both_forms(run, ms.Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, np.linalg.norm(x, ord, dim, keepdim), rtol=1e-12)
    check_gradients(run, x)


@pytest.mark.parametrize(
    ("ord", "dim", "code"),
    [("nuc", 0, "E0404"), (3, (0, 1), "E0404"), (3, None, "E0404"), ("fro", 0, "E0404"),
     (True, 0, "E0404"), (float("nan"), 0, "E0404"), (1, 2, "E0403"), (1, (0, 0), "E0403"),
     ("other", None, "E0404"), (None, 1.0, "E0303")],
)  # fmt: skip
def test_norms_that_do_not_exist(ord, dim, code):
    def run(x):
        return ops.norm(x, ord, dim)

    refused(code, run, ms.Tensor(X))


def test_numbers_of_axes_and_dtypes_that_do_not_fit():
    def three_axes(x):
        return ops.norm(ops.reshape(x, (1, 2, 3)), 1)

    def one_axis(x):
        return ops.matrix_norm(x, "fro", 0)

    def whole_numbers(x):
        return ops.norm(x, dtype=ms.int32)

    refused("E0404", three_axes, ms.Tensor(X))
    refused("E0404", one_axis, ms.Tensor(X))
    refused("E0301", whole_numbers, ms.Tensor(X))


@pytest.mark.parametrize("ord", [o for o in ORDERS if o != 0])
def test_gradients_of_vectors(ord):
    def run(x):
        return ops.norm(x, ord, 1)

    check_gradients(run, X + 0.125)


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, INF, -INF])
def test_gradients_of_matrices(ord):
    def run(x):
        return ops.norm(x, ord)

    check_gradients(run, X + 0.125)


@pytest.mark.parametrize("ord", ORDERS)
def test_gradients_at_zero(ord):
    def run(x):
        return ops.norm(x, ord, 0)

    assert ms.grad(run)(ms.Tensor([0.0, 0.0, 0.0])).tolist() == [0.0] * 3
    if ord not in (-INF, -1, -2):
        assert ms.grad(run)(ms.Tensor([3.0, 0.0, -4.0])).tolist()[1] == 0.0


def test_chain_rule_at_the_origin():
    def run(x):
        return ops.exp(-(ops.norm(x) ** 2))

    assert ms.grad(run)(ms.Tensor(np.zeros(2))).tolist() == [0.0, 0.0]


def test_second_derivative_of_the_length():
    def length(x):
        return ops.norm(x)

    def slope(x):
        return ms.grad(length)(x)

    gradient = ms.grad(slope)(ms.Tensor(np.array([3.0, 4.0])))
    # The gradient is x / |x|; the derivative of its sum is (1 - x_i * sum(x) / |x|**2) / |x|.
    np.testing.assert_allclose(gradient.asnumpy(), [(1 - 21 / 25) / 5, (1 - 28 / 25) / 5])
