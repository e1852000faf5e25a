"""Systems, inverses, determinants and factors against NumPy and SciPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

WELL = np.array([[2.0, -1.0, 0.5], [0.25, 1.5, -0.75], [1.0, 0.5, -2.0]])
PAIR = np.stack([WELL, WELL.T + np.eye(3)])
POSITIVE = WELL @ WELL.T + np.eye(3)
TALL = np.array([[1.0, 2.0], [0.5, -1.0], [1.5, 1.0], [-0.25, 0.75]])
RIGHT = np.array([[1.0, -1.0], [2.0, 0.5], [0.0, 3.0]])


def close(found, expected):
    found = found if isinstance(found, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("run", "arrays", "expected"),
    [
        (ops.inverse, (PAIR,), np.linalg.inv(PAIR)),
        (ops.det, (PAIR,), np.linalg.det(PAIR)),
        (ops.slogdet, (PAIR,), tuple(np.linalg.slogdet(PAIR))),
        (ops.logdet, (POSITIVE,), np.linalg.slogdet(POSITIVE)[1]),
        (lambda x: ops.matrix_power(x, 5), (PAIR,), np.linalg.matrix_power(PAIR, 5)),
        (lambda x: ops.matrix_power(x, 0), (PAIR,), np.linalg.matrix_power(PAIR, 0)),
        (lambda x: ops.matrix_power(x, -3), (PAIR,), np.linalg.matrix_power(PAIR, -3)),
        (ops.pinv, (TALL,), np.linalg.pinv(TALL)),
        (ops.pinv, (TALL.T,), np.linalg.pinv(TALL.T)),
        (lambda x: ops.pinv(x, rtol=0.6), (TALL,), np.linalg.pinv(TALL, rcond=0.6)),
        (
            lambda x: ops.pinv(x, atol=0.5, hermitian=True),
            (np.diag([3.0, 0.25]),),
            np.diag([1 / 3, 0.0]),
        ),
        (ops.matrix_solve, (PAIR, RIGHT), np.linalg.solve(PAIR, RIGHT[None])),
        (lambda a, b: ops.matrix_solve(a, b, True), (WELL, RIGHT), np.linalg.solve(WELL.T, RIGHT)),
        (ops.lstsq, (TALL, TALL[:, 0] ** 2), scipy.linalg.lstsq(TALL, TALL[:, :1] ** 2)[0]),
        (ops.lstsq, (TALL.T, RIGHT[:2]), scipy.linalg.lstsq(TALL.T, RIGHT[:2])[0]),
        (ops.cholesky, (POSITIVE,), np.linalg.cholesky(POSITIVE)),
        (lambda x: ops.cholesky(x, True), (POSITIVE,), scipy.linalg.cholesky(POSITIVE)),
        (
            ops.cholesky_solve,
            (RIGHT, np.linalg.cholesky(POSITIVE)),
            np.linalg.solve(POSITIVE, RIGHT),
        ),
        (
            lambda b, f: ops.cholesky_solve(b, f, True),
            (RIGHT, scipy.linalg.cholesky(POSITIVE)),
            np.linalg.solve(POSITIVE, RIGHT),
        ),
        (ops.cholesky_inverse, (np.linalg.cholesky(POSITIVE),), np.linalg.inv(POSITIVE)),
        (lambda x: ops.svd(x, compute_uv=False), (TALL,), scipy.linalg.svdvals(TALL)),
    ],
)  # fmt: skip
def test_values(run, arrays, expected):
    close(both_forms(run, *map(Tensor, arrays)), expected)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 3, 2), (2, 2, 3)])
def test_factors_make_the_matrix(shape):
    x = np.random.default_rng(2).normal(size=shape)
    q, r = both_forms(ops.qr, Tensor(x))
    close(q @ r, x)
    assert q.shape[-1] == r.shape[-2] == min(shape[-2:])
    assert not np.tril(r.asnumpy(), -1).any()
    s, u, v = both_forms(ops.svd, Tensor(x))
    close((u * s[..., None, :]) @ v.mT, x)


SQUARED = (
    (ops.inverse, (WELL,)),
    (ops.det, (WELL,)),
    (lambda x: ops.slogdet(x)[1], (WELL,)),
    (lambda x: ops.matrix_power(x, -2), (WELL,)),
    (ops.pinv, (TALL,)),
    (ops.matrix_solve, (WELL, RIGHT)),
    (ops.cholesky, (POSITIVE,)),
    (lambda x: ops.cholesky(x, True), (POSITIVE,)),
    (lambda x: ops.qr(x)[0] * 2 + ops.qr(x)[1].sum(), (TALL,)),
    (lambda x: ops.qr(x)[1], (TALL[:3].T,)),
    (lambda x: ops.svd(x, compute_uv=False), (TALL,)),
    (lambda x: ops.svd(x)[1] ** 2, (TALL,)),
    (lambda x: ops.svd(x)[2] ** 2, (TALL.T[:, :3],)),
)


@pytest.mark.parametrize(("run", "arrays"), SQUARED)
def test_gradients(run, arrays):
    check_gradients(run, *arrays)
    check_second_gradients(lambda *x: ops.sum(run(*x) ** 2), *arrays, rtol=1e-5, atol=1e-6)


MANY = np.stack([POSITIVE, POSITIVE + np.eye(3), WELL @ np.diag([1.0, 2.0, 3.0]) @ WELL.T])


@pytest.mark.parametrize(
    "run",
    [ops.inverse, ops.det, ops.slogdet, ops.cholesky, ops.pinv, ops.qr, lambda x: ops.svd(x)[0],
     ms.grad(ops.det), ms.grad(lambda x: ops.sum(ops.cholesky(x)))],
)  # fmt: skip
def test_rows_of_matrices(run):
    found = ms.vmap(run)(Tensor(MANY))
    rows = [run(Tensor(x)) for x in MANY]
    if not isinstance(found, tuple):
        found, rows = (found,), [(row,) for row in rows]
    for one, *others in zip(found, *rows, strict=True):
        close(one, np.stack([x.asnumpy() for x in others]))


@pytest.mark.parametrize("in_axes", [(0, None), (None, 0), (0, 0)])
def test_rows_of_systems(in_axes):
    arrays = [MANY if axis == 0 else MANY[0] for axis in in_axes]
    found = ms.vmap(ops.matrix_solve, in_axes)(*map(Tensor, arrays))
    close(found, np.linalg.solve(*(x if x.ndim == 3 else x[None] for x in arrays)))


def test_the_gradient_of_a_determinant_that_is_zero():
    found = ms.grad(ops.det)(Tensor([[1.0, 2.0], [0.5, 1.0]]))
    np.testing.assert_allclose(found.asnumpy(), [[1.0, -0.5], [-2.0, 1.0]], atol=1e-6)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_dtypes_stay(dtype):
    x = Tensor(POSITIVE, dtype)
    for run in (ops.inverse, ops.det, ops.cholesky, ops.pinv, lambda x: ops.svd(x)[1]):
        assert both_forms(run, x).dtype is dtype


@pytest.mark.parametrize(
    ("run", "x", "code"),
    [
        (ops.inverse, np.zeros((2, 2)), "E0704"),
        (ops.inverse, np.ones((2, 3)), "E0401"),
        (ops.inverse, np.ones(3), "E0401"),
        (ops.inverse, np.ones((2, 2), np.int64), "E0301"),
        (ops.det, np.ones((2, 3)), "E0401"),
        (ops.cholesky, -np.eye(2), "E0704"),
        (lambda x: ops.matrix_power(x, 1.5), np.eye(2), "E0303"),
        (lambda x: ops.qr(x, "full"), np.eye(2), "E0404"),
        (lambda x: ops.qr(x, "complete"), TALL, "E0404"),
        (ops.qr, np.ones(3), "E0401"),
        (lambda x: ops.svd(x, True), TALL, "E0404"),
        (ops.svd, np.full((2, 2), np.nan), "E0704"),
        (lambda x: ops.lstsq(x[0], x), TALL, "E0401"),
        (lambda x: ops.pinv(x, atol=-1.0), TALL, "E0404"),
        (lambda x: ops.matrix_solve(x, x, 1), np.eye(2), "E0303"),
    ],
)
def test_what_cannot_be_computed(run, x, code):
    if code == "E0704":
        for form in (run, ms.compile(run)):
            with pytest.raises(ms.S2sadError, match=code):
                form(Tensor(x))
    else:
        refused(code, run, Tensor(x))
