"""Functions that few programs use: each against NumPy or SciPy in float64, in both forms.

A row says what is called on which arrays, and what it gives. Rows of floats are differentiated too,
but those that say why not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
import scipy.integrate
import scipy.linalg
import scipy.signal.windows
import scipy.spatial.distance
import scipy.special

import s2sad as ms
from s2sad import Tensor, ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused, require_same

NAN, INF = math.nan, math.inf
RNG = np.random.default_rng(11)
X = RNG.normal(size=(3, 4))
Y = RNG.normal(size=(3, 4))
V = RNG.normal(size=4)
CUBE = RNG.normal(size=(3, 2, 4))
HOLES = np.array([[1.0, NAN, 3.0, 2.0], [NAN, NAN, NAN, NAN], [4.0, 1.0, NAN, 0.5]])
WHOLE = np.array([[12, -9, 0, 7], [0, 5, 8, -6]])
OTHER = np.array([18, 6, 5, -14])


class Row(NamedTuple):
    run: Callable[..., Any]
    arrays: tuple[Any, ...]
    expected: Any
    is_smooth: bool = True


def nanmedian(x):
    """The lower middle of what is not NaN in each row."""
    rows = [np.sort(row[~np.isnan(row)]) for row in x]
    return np.array([row[(len(row) - 1) // 2] if len(row) else NAN for row in rows])


ROWS = {
    "signbit": Row(ops.signbit, (np.array([0.0, -0.0, -1.5, INF]),), [False, True, True, False]),
    "copysign": Row(ops.copysign, (X, Y), np.copysign(X, Y)),
    "copysign zeros": Row(ops.copysign, (X, np.array([0.0, -0.0, INF, -INF])),
                          np.copysign(X, [0.0, -0.0, INF, -INF]), False),
    "heaviside": Row(lambda x: ops.heaviside(x, 0.5), (np.array([-1.0, 0.0, 2.0, NAN]),),
                     np.heaviside([-1.0, 0.0, 2.0, NAN], 0.5), False),
    "isneginf": Row(ops.isneginf, (np.array([INF, -INF, NAN]),), [False, True, False]),
    "isposinf": Row(ops.isposinf, (np.array([INF, -INF, NAN]),), [True, False, False]),
    "isposinf of ints": Row(ops.isposinf, (OTHER,), [False] * 4),
    "float_power": Row(ops.float_power, (np.abs(X), V), np.float_power(np.abs(X), V)),
    "float_power of ints": Row(lambda x: ops.float_power(x, -1), (OTHER,), OTHER**-1.0),
    "ldexp": Row(ops.ldexp, (X, np.array([1, 0, -2, 5])), np.ldexp(X, [1, 0, -2, 5]), False),
    "xdivy": Row(ops.xdivy, (X, Y), X / Y),
    "xdivy zeros": Row(ops.xdivy, (np.array([0.0, 0.0, 0.0, 1.0]), np.array([0.0, NAN, 2.0, 0.0])),
                       [0.0, 0.0, 0.0, INF], False),
    "logit": Row(ops.logit, (np.array([0.25, 0.5, 0.9]),), scipy.special.logit([0.25, 0.5, 0.9])),
    "logit ends": Row(ops.logit, (np.array([0.0, 1.0, 2.0]),), [-INF, INF, NAN], False),
    "logit eps": Row(lambda x: ops.logit(x, 0.1), (np.array([0.0, 0.4, 1.0]),),
                     scipy.special.logit([0.1, 0.4, 0.9]), False),
    "gcd": Row(ops.gcd, (WHOLE, OTHER), np.gcd(WHOLE, OTHER)),
    "lcm": Row(ops.lcm, (WHOLE, OTHER), np.lcm(WHOLE, OTHER)),
    "truncate_div": Row(ops.truncate_div, (WHOLE, OTHER), np.fix(WHOLE / OTHER).astype(int)),
    "truncate_div floats": Row(ops.truncate_div, (X, Y), np.trunc(X / Y), False),
    "truncate_mod": Row(ops.truncate_mod, (WHOLE, OTHER), np.fmod(WHOLE, OTHER)),
    "atleast_1d": Row(ops.atleast_1d, (np.array(3.0),), [3.0]),
    "atleast_2d": Row(ops.atleast_2d, (V,), V[None]),
    "atleast_3d": Row(ops.atleast_3d, (X,), np.atleast_3d(X)),
    "atleast_3d of a vector": Row(ops.atleast_3d, (V,), np.atleast_3d(V)),
    "column_stack": Row(lambda a, b: ops.column_stack((a, b)), (V, X.T), np.column_stack((V, X.T))),
    "dstack": Row(lambda a, b: ops.dstack([a, b]), (X, Y), np.dstack([X, Y])),
    "dstack of vectors": Row(lambda a, b: ops.dstack([a, b]), (V, V), np.dstack([V, V])),
    "hsplit": Row(lambda x: ops.hsplit(x, 2)[1], (X,), np.hsplit(X, 2)[1]),
    "hsplit of a vector": Row(lambda x: ops.hsplit(x, (1, 3))[1], (V,), V[1:3]),
    "vsplit": Row(lambda x: ops.vsplit(x, (1,))[1], (X,), X[1:]),
    "dsplit": Row(lambda x: ops.dsplit(x[None], 2)[0], (X,), X[None, :, :2]),
    "flipud": Row(ops.flipud, (X,), np.flipud(X)),
    "fliplr": Row(ops.fliplr, (X,), np.fliplr(X)),
    "addn": Row(lambda a, b: ops.addn((a, b, a)), (X, Y), 2 * X + Y),
    "accumulate_n": Row(lambda a, b: ops.accumulate_n([a, b]), (X, Y), X + Y),
    "quantile": Row(lambda x: ops.quantile(x, 0.3), (X,), np.quantile(X, 0.3)),
    "quantile axis": Row(lambda x: ops.quantile(x, 0.7, 1, True), (X,),
                         np.quantile(X, 0.7, 1, keepdims=True)),
    "quantile several": Row(lambda x, q: ops.quantile(x, q, 0), (X, np.array([0.0, 0.5, 1.0])),
                            np.quantile(X, [0.0, 0.5, 1.0], 0), False),
    "quantile NaN": Row(lambda x: ops.quantile(x, 0.5, 1), (HOLES,), [NAN, NAN, NAN], False),
    "nanquantile": Row(lambda x: ops.nanquantile(x, 0.4, 1), (HOLES,), [1.8, NAN, 0.9], False),
    "nanmedian": Row(lambda x: ops.nanmedian(x)[0], (HOLES,), nanmedian(HOLES), False),
    "nanmedian index": Row(lambda x: ops.nanmedian(x, 1, True)[1][::2], (HOLES,), [[3], [1]]),
    "aminmax": Row(lambda x: ops.aminmax(x, axis=1)[0], (X,), X.min(1)),
    "aminmax last": Row(lambda x: ops.aminmax(x, keepdims=True)[1], (X,), X.max(0, keepdims=True)),
    "diff": Row(ops.diff, (X,), np.diff(X)),
    "diff twice": Row(lambda x, a: ops.diff(x, 2, 0, prepend=a, append=a), (X, Y),
                      np.diff(X, 2, 0, prepend=Y, append=Y)),
    "diff of bools": Row(ops.diff, (np.array([True, False, False]),), [True, False]),
    "trapz": Row(lambda x: ops.trapz(x, dx=0.5), (X,), scipy.integrate.trapezoid(X, dx=0.5)),
    "trapz places": Row(lambda y, x: ops.trapz(y, x, dim=0), (X, V[:3]),
                        scipy.integrate.trapezoid(X, V[:3], axis=0)),
    "cov": Row(ops.cov, (X,), np.cov(X)),
    "cov of a vector": Row(ops.cov, (V,), np.cov(V)),
    "cov weights": Row(
        lambda x, f, a: ops.cov(x, correction=0, fweights=f, aweights=a),
        (X, np.array([1, 2, 3, 1]), np.array([0.5, 1.0, 0.25, 2.0])),
        np.cov(X, ddof=0, fweights=[1, 2, 3, 1], aweights=[0.5, 1.0, 0.25, 2.0]), False),
    "cov weights and ddof": Row(
        lambda x, a: ops.cov(x, aweights=a), (X, np.array([0.5, 1.0, 0.25, 2.0])),
        np.cov(X, aweights=[0.5, 1.0, 0.25, 2.0])),
    "segment max": Row(lambda x, i: ops.unsorted_segment_max(x, i, 3), (X, np.array([2, -1, 2])),
                       [[-np.finfo(np.float64).max] * 4] * 2 + [np.maximum(X[0], X[2])]),
    "segment min": Row(lambda x, i: ops.unsorted_segment_min(x, i, 2), (X, np.array([1, 0, 1])),
                       [X[1], np.minimum(X[0], X[2])]),
    "segment min of ints": Row(lambda x: ops.unsorted_segment_min(x, Tensor([1]), 2), (OTHER[:1],),
                               [np.iinfo(np.int64).max, 18]),
    "segment prod": Row(lambda x, i: ops.unsorted_segment_prod(x, i, 3), (X, np.array([0, 2, 0])),
                        [X[0] * X[2], np.ones(4), X[1]]),
    "cdist": Row(ops.cdist, (X, Y), scipy.spatial.distance.cdist(X, Y)),
    "cdist 1": Row(lambda x, y: ops.cdist(x, y, 1.0), (X, Y),
                   scipy.spatial.distance.cdist(X, Y, "cityblock")),
    "cdist inf": Row(lambda x, y: ops.cdist(x, y, INF), (X, Y),
                     scipy.spatial.distance.cdist(X, Y, "chebyshev")),
    "cdist 3": Row(lambda x, y: ops.cdist(x, y, 3.0), (X, Y),
                   scipy.spatial.distance.cdist(X, Y, "minkowski", p=3)),
    "pdist": Row(ops.pdist, (X,), scipy.spatial.distance.pdist(X)),
    "pdist 0": Row(lambda x: ops.pdist(x, 0.0), (np.array([[1.0, 2.0], [1.0, 3.0]]),), [1.0],
                   False),
    "dist": Row(ops.dist, (X, V), np.linalg.norm(X - V)),
    "reverse": Row(lambda x: ops.reverse(x, [0, 1]), (X,), X[::-1, ::-1]),
    "reverse_sequence": Row(
        lambda x, n: ops.reverse_sequence(x, n, 1), (X, np.array([0, 2, 4])),
        [X[0], X[1][[1, 0, 2, 3]], X[2][::-1]]),
    "msort": Row(ops.msort, (X,), np.sort(X, 0)),
    "combinations": Row(ops.combinations, (V,), list(itertools.combinations(V, 2))),
    "combinations again": Row(lambda x: ops.combinations(x, 3, True), (V[:2],),
                              list(itertools.combinations_with_replacement(V[:2], 3))),
    "bucketize": Row(lambda x: ops.bucketize(x, [-0.5, 0.0, 0.5]), (X,),
                     np.digitize(X, [-0.5, 0.0, 0.5], right=True).astype(np.int32)),
    "bucketize right": Row(lambda x: ops.bucketize(x, [6, 18], right=True), (OTHER,),
                           np.array([2, 1, 0, 0], np.int32)),
    "histc": Row(lambda x: ops.histc(x, 5, -1.0, 1.0), (X,),
                 np.histogram(X, 5, (-1.0, 1.0))[0].astype(float), False),
    "histc ends": Row(lambda x: ops.histc(x, 4), (X,), np.histogram(X, 4)[0].astype(float), False),
    "histc of one": Row(lambda x: ops.histc(x, 4), (np.full(3, 2.0),), [0.0, 0.0, 3.0, 0.0], False),
    "intopk": Row(lambda x: ops.intopk(x, Tensor([1, 0, 3]), 2), (X,),
                  [np.sum(X[i] > X[i, j]) < 2 for i, j in enumerate([1, 0, 3])]),
    "batch_dot": Row(ops.batch_dot, (X, Y), np.sum(X * Y, 1, keepdims=True)),
    "batch_dot axes": Row(
        lambda x, y: ops.batch_dot(x, y, (2, 1)),
        (X.reshape(1, 3, 4), Y.reshape(1, 4, 3)), np.matmul(X, Y.reshape(4, 3))[None]),
    "batch_dot of other ranks": Row(
        lambda x, y: ops.batch_dot(x, y, [1, 2]), (X, CUBE),
        np.einsum("ab,acb->ac", X, CUBE)),
    "vecdot": Row(ops.vecdot, (X, V), X @ V),
    "ger": Row(ops.ger, (V, V), np.outer(V, V)),
    "addr": Row(lambda x, a, b: ops.addr(x, a, b, beta=2, alpha=0.5), (X, V[:3], V),
                2 * X + 0.5 * np.outer(V[:3], V)),
    "vander": Row(ops.vander, (V,), np.vander(V)),
    "vander 3": Row(lambda x: ops.vander(x, 3), (V,), np.vander(V, 3)),
    "vander 0": Row(lambda x: ops.vander(x, 0), (V,), np.vander(V, 0)),
    "renorm": Row(lambda x: ops.renorm(x, 2, 0, 1.5), (X,),
                  X * np.minimum(1, 1.5 / np.linalg.norm(X, axis=1, keepdims=True))),
    "normalize": Row(ops.normalize, (X,), X / np.linalg.norm(X, axis=1, keepdims=True)),
    "normalize zeros": Row(ops.normalize, (np.zeros((2, 2)),), np.zeros((2, 2)), False),
    "matrix_band_part": Row(lambda x: ops.matrix_band_part(x, 1, 0), (X,),
                            np.tril(np.triu(X, -1))),
    "matrix_band_part all": Row(lambda x: ops.matrix_band_part(x, -1, 1), (X,), np.tril(X, 1)),
    "diag_embed": Row(ops.diag_embed, (X,), np.stack([np.diag(row) for row in X])),
    "diag_embed offset": Row(lambda x: ops.diag_embed(x, -2), (V,), np.diag(V, -2)),
    "diag_embed axes": Row(lambda x: ops.diag_embed(x, 1, 0, 2), (X,),
                           np.stack([np.diag(row, 1) for row in X], 1)),
    "diagflat": Row(lambda x: ops.diagflat(x, 1), (X[:2, :2],), np.diagflat(X[:2, :2], 1)),
    "block_diag": Row(lambda a, b: ops.block_diag(a, b, a[0, 0]), (X, V),
                      scipy.linalg.block_diag(X, V, X[0, 0])),
    "fill_diagonal": Row(lambda x: ops.fill_diagonal(x, 0.5), (X,),
                         np.where(np.eye(3, 4) == 1, 0.5, X)),
    "index_put": Row(lambda x, v: ops.index_put(x, (Tensor([0, 2]),), v), (X, V),
                     [V, X[1], V]),
    "index_put sums": Row(lambda x: ops.index_put(x, (Tensor([1, 1]),), x[:2], True), (X,),
                          [X[0], X[1] + X[0] + X[1], X[2]]),
    "hamming": Row(lambda: ops.hamming_window(7, dtype=ms.float64), (),
                   scipy.signal.windows.hamming(7, False)),
    "hann": Row(lambda: ops.hann_window(7, False, dtype=ms.float64), (),
                scipy.signal.windows.hann(7)),
    "bartlett": Row(lambda: ops.bartlett_window(6, dtype=ms.float64), (),
                    scipy.signal.windows.bartlett(6, False)),
    "blackman": Row(lambda: ops.blackman_window(6, False, dtype=ms.float64), (),
                    scipy.signal.windows.blackman(6)),
    "kaiser": Row(lambda: ops.kaiser_window(6, beta=3.0, dtype=ms.float64), (),
                  scipy.signal.windows.kaiser(6, 3.0, False)),
    "window of one": Row(lambda: ops.hann_window(1, False, dtype=ms.float64), (), [1.0]),
    "inplace_update": Row(lambda x, v: ops.inplace_update(x, v[None], 1), (X, V), [X[0], V, X[2]]),
    "inplace_add": Row(lambda x, v: ops.inplace_add(x, v[None], (1,)), (X, V),
                       [X[0], X[1] + V, X[2]]),
    "inplace_sub": Row(lambda x, v: ops.inplace_sub(x, v[None], 1), (X, V), [X[0], X[1] - V, X[2]]),
    "resize shorter": Row(lambda x: x.resize(2, 3), (X,), X.reshape(-1)[:6].reshape(2, 3)),
    "resize longer": Row(lambda x: x.resize((5,)), (V,), [*V, 0.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_values(name):
    run, arrays, expected, _ = ROWS[name]
    expected = np.asarray(expected)
    found = both_forms(run, *map(Tensor, arrays)).asnumpy()
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def floats(row):
    kinds = {np.asarray(array).dtype.kind for array in (*row.arrays, row.expected)}
    return row.is_smooth and row.arrays and kinds == {"f"}


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if floats(row)])
def test_gradients(name):
    row = ROWS[name]
    check_gradients(row.run, *row.arrays)


def test_gradient_of_logit_at_its_ends_and_outside():
    x = ms.Tensor([0.0, 0.25, 1.0, -0.5, 2.0, np.nan])
    found = ms.grad(ops.logit)(x).asnumpy()
    np.testing.assert_allclose(found, [INF, 1 / (0.25 * 0.75), INF, NAN, NAN, NAN], rtol=1e-6)


@pytest.mark.parametrize("name", ["cdist", "cov", "normalize", "trapz", "quantile axis", "logit"])
def test_second_gradients(name):
    row = ROWS[name]
    check_second_gradients(lambda *x: ops.sum(row.run(*x) ** 2), *row.arrays, rtol=1e-5)


@pytest.mark.parametrize(("block", "paddings"), [((2, 2), ((0, 0), (1, 1))), (2, ((1, 0), (0, 0)))])
def test_blocks_go_to_the_batch_and_back(block, paddings):
    x = RNG.normal(size=(2, 3, 4 - sum(paddings[0]), 6 - sum(paddings[1])))

    def there(x):
        return ops.space_to_batch_nd(x, block, paddings)

    found = both_forms(there, Tensor(x))
    padded = np.pad(x, ((0, 0), (0, 0), *paddings))
    for i, j in itertools.product(range(2), repeat=2):
        part = found.asnumpy()[2 * (2 * i + j) : 2 * (2 * i + j) + 2]
        np.testing.assert_array_equal(part, padded[:, :, i::2, j::2])
    back = both_forms(lambda y: ops.batch_to_space_nd(y, block, paddings), found)
    np.testing.assert_array_equal(back.asnumpy(), x)
    check_gradients(there, x[:1, :1])


WRITES = {
    "scatter_sub": [1.0, -10.0, 3.0], "scatter_mul": [1.0, 70.0, 3.0],
    "scatter_div": [1.0, 2.0 / 35.0, 3.0], "scatter_max": [1.0, 7.0, 3.0],
    "scatter_min": [1.0, 2.0, 3.0],
}  # fmt: skip


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_parameters_are_written_at_indices(name, is_compiled):
    w = ms.Parameter(Tensor([1.0, 2.0, 3.0], ms.float64), name="w")
    other = ms.Parameter(Tensor([1.0, 2.0, 3.0], ms.float64), name="other")

    def run(updates):
        rows = getattr(ops, name)(w, Tensor([1, 1]), updates)
        nd = getattr(ops, name.replace("scatter", "scatter_nd"))
        return rows, nd(other, Tensor([[1], [1]]), updates)

    run = ms.compile(run) if is_compiled else run
    for found in (*run(Tensor([5.0, 7.0], ms.float64)), w, other):
        np.testing.assert_allclose(found.asnumpy(), WRITES[name], rtol=1e-14)


def test_a_parameter_is_added_to_in_both_ways():
    w = ms.Parameter(Tensor([1.0, 2.0]), name="w")
    ops.scatter_nd_add(w, Tensor([[0]]), Tensor([5.0]))
    ops.inplace_index_add(w, Tensor([1]), Tensor([1.0]), 0)
    np.testing.assert_array_equal(w.asnumpy(), [6.0, 3.0])
    refused("E0304", lambda x: ops.scatter_nd_add(x, Tensor([[0]]), x[:1]), Tensor([1.0]))


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda x: ops.gcd(x, x), "E0301"),
        (lambda x: ops.addn(x), "E0304"),
        (lambda x: ops.addn((x, x[0])), "E0401"),
        (lambda x: ops.column_stack(()), "E0304"),
        (lambda x: ops.vsplit(x[0], 2), "E0401"),
        (lambda x: ops.quantile(x, 1.5), "E0404"),
        (lambda x: ops.quantile(x, x), "E0401"),
        (lambda x: ops.quantile(x[:, :0], 0.5, 1), "E0401"),
        (lambda x: ops.diff(x[0, 0]), "E0401"),
        (lambda x: ops.cov(x[None]), "E0401"),
        (lambda x: ops.cov(x, aweights=x[0, :2]), "E0401"),
        (lambda x: ops.cdist(x, x, -1.0), "E0404"),
        (lambda x: ops.pdist(x[0]), "E0401"),
        (lambda x: ops.reverse_sequence(x, Tensor([1, 2]), 1), "E0401"),
        (lambda x: ops.reverse_sequence(x, Tensor([1, 2, 3]), 0), "E0403"),
        (lambda x: ops.combinations(x), "E0401"),
        (lambda x: ops.space_to_batch_nd(x, 2, [0, 0]), "E0303"),
        (lambda x: ops.space_to_batch_nd(x[None], 5, [[0, 0], [0, 0]]), "E0401"),
        (lambda x: ops.bucketize(x, [1.0, 0.0]), "E0404"),
        (lambda x: ops.histc(x, 0), "E0404"),
        (lambda x: ops.histc(x, 3, 1.0, 0.0), "E0404"),
        (lambda x: ops.intopk(x, Tensor([1]), 2), "E0401"),
        (lambda x: ops.batch_dot(x, x, (0, 1)), "E0403"),
        (lambda x: ops.batch_dot(x, x[0]), "E0401"),
        (lambda x: ops.renorm(x, 2, 0, 0.0), "E0404"),
        (lambda x: ops.matrix_band_part(x[0], 1, 1), "E0401"),
        (lambda x: ops.diag_embed(x, 0, 1, 1), "E0403"),
        (lambda x: ops.diag_embed(x[0, 0]), "E0401"),
        (lambda x: ops.block_diag(x[None]), "E0401"),
        (lambda x: ops.block_diag(), "E0302"),
        (lambda x: ops.fill_diagonal(x[0], 1.0), "E0401"),
        (lambda x: ops.index_put(x, Tensor([0]), x[:1]), "E0303"),
        (lambda x: ops.hann_window(-1), "E0404"),
        (lambda x: ops.hann_window(2, dtype=ms.int32), "E0301"),
        (lambda x: ops.unsorted_segment_max(x, Tensor([0.0, 1.0, 0.0]), 2), "E0301"),
        (lambda x: ops.unsorted_segment_max(x, Tensor([0, 1]), 2), "E0401"),
        (lambda x: ops.logit(x, 2.0), "E0404"),
    ],
)
def test_what_cannot_be(run, code):
    refused(code, run, Tensor(X))


def test_a_segment_that_does_not_exist_is_an_error():
    for place in (2, 3):
        with pytest.raises(ms.S2sadError, match="E0501"):
            ops.unsorted_segment_max(Tensor(X), Tensor([0, place, 1]), 2)


def test_kinds_are_known_while_compiling():
    found = both_forms(
        lambda x: (ops.is_floating_point(x), x.astype(ms.int8).is_floating_point()), Tensor(X)
    )
    assert found == (True, False)
    for dtype, is_signed in ((ms.float16, True), (ms.int8, True), (ms.uint8, False),
                             (ms.bool_, False)):  # fmt: skip
        x = Tensor(X).astype(dtype)
        found = both_forms(lambda x: (x.is_signed(), x.is_complex(), ops.is_complex(x)), x)
        assert found == (is_signed, False, False)
    refused("E0304", lambda x: ops.is_complex(1.0), Tensor(X))
    assert both_forms(lambda x: (x.type(), x.nelement()), Tensor(X)) == (
        str(Tensor(X).dtype), X.size)  # fmt: skip
    for dtype in (ms.int32, "int32", np.int32):
        found = Tensor(X).type(dtype)
        np.testing.assert_array_equal(found.asnumpy(), X.astype(np.int32), strict=True)
    assert both_forms(lambda x: x.type(dtype=ms.float16), Tensor(X)).dtype is ms.float16
    refused("E0303", lambda x: x.type("whole"), Tensor(X))
    assert both_forms(lambda x: ops.empty(2, 3, dtype=ms.int8) + ops.empty_like(x), Tensor(
        np.zeros((2, 3), np.int8))).shape == (2, 3)  # fmt: skip


#: Methods that are functions as they stand, with the arguments behind the tensor.
ALIKE: dict[str, tuple[Any, ...]] = {
    "addr": (V[:3], V), "aminmax": (), "bernoulli": (1.0,), "cov": (), "copysign": (V,),
    "diag_embed": (1,), "diagflat": (), "diff": (2,), "dist": (V,), "dsplit": (1,),
    "fill_diagonal": (2.0,), "float_power": (2,), "fliplr": (), "flipud": (), "heaviside": (V,),
    "histc": (3,), "hsplit": (2,), "index_put": ((np.array([0]),), V), "isneginf": (),
    "isposinf": (), "ldexp": (2,), "log_softmax": (0,), "gelu": (), "logit": (0.1,),
    "lstsq": (X,), "msort": (), "nanmean": (), "nanmedian": (), "nanquantile": (0.5,),
    "pinv": (), "qr": (), "quantile": (0.5, 0), "renorm": (2, 0, 1.0), "reverse": (1,),
    "searchsorted": (X,), "signbit": (), "svd": (), "top_k": (2,), "vsplit": (3,), "xdivy": (V,),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIKE)
def test_methods_are_the_functions(name):
    def ready(value):
        if isinstance(value, tuple):
            return tuple(map(ready, value))
        return Tensor(value) if isinstance(value, np.ndarray) else value

    x, args = Tensor(X[:, :3, None] if name == "dsplit" else X), tuple(map(ready, ALIKE[name]))
    found = both_forms(lambda x: getattr(x, name)(*args), x)
    require_same(found, getattr(ops, name)(x, *args))


@pytest.mark.parametrize(
    "name", ["cholesky", "cholesky_inverse", "det", "inverse", "logdet", "slogdet"]
)
def test_methods_of_square_matrices(name):
    x = Tensor(X @ X.T + np.eye(3))
    require_same(both_forms(lambda x: getattr(x, name)(), x), getattr(ops, name)(x))
    np.testing.assert_allclose((x.matrix_power(-1) @ x).asnumpy(), np.eye(3), atol=1e-12)
    assert both_forms(lambda x: x.new_empty((2,)), x).shape == (2,)
    require_same(both_forms(lambda x: x.adjoint(), x), x.mT)


# Draws


@pytest.mark.parametrize(
    ("draw", "mean", "variance"),
    [
        (lambda: ops.gamma((20000,), Tensor(3.0), Tensor(2.0)), 1.5, 0.75),
        (lambda: ops.gamma((20000,), Tensor(0.3), Tensor(1.0)), 0.3, 0.3),
        (lambda: ops.random_gamma((20000,), Tensor([7.0])), 7.0, 7.0),
        (lambda: ops.poisson((20000,), Tensor(0.7)), 0.7, 0.7),
        (lambda: ops.poisson((20000,), Tensor(200.0)), 200.0, 200.0),
        (lambda: ops.random_poisson((20000,), Tensor([3.5])), 3.5, 3.5),
        (lambda: ops.standard_laplace((20000,)), 0.0, 2.0),
        (lambda: ops.laplace((20000,), Tensor(1.0), Tensor(0.5)), 1.0, 0.5),
    ],
)
def test_moments(draw, mean, variance):
    ms.set_seed(4)
    plain = draw()
    ms.set_seed(4)
    compiled = ms.compile(lambda x: draw())(Tensor(1))
    np.testing.assert_array_equal(plain.asnumpy(), compiled.asnumpy())
    values = plain.asnumpy().astype(np.float64)
    assert abs(values.mean() - mean) < 4 * (variance / 20000) ** 0.5
    assert abs(values.var() - variance) < 0.08 * variance


def test_counts_have_their_distribution():
    ms.set_seed(5)
    counts = ops.poisson((50000,), Tensor(4.0)).asnumpy()
    expected = np.exp(-4.0) * 4.0 ** np.arange(9) / scipy.special.factorial(np.arange(9))
    found = np.bincount(counts, minlength=9)[:9] / 50000
    np.testing.assert_allclose(found, expected, atol=4 * (0.25 / 50000) ** 0.5)


def test_means_that_no_count_has():
    found = ops.poisson((3,), Tensor([NAN, -1.0, INF]))
    np.testing.assert_array_equal(found.asnumpy(), [-1, -1, -1])


def test_the_gradient_of_a_gamma_by_its_rate():
    def run(rate):
        return ops.sum(ops.gamma((5,), Tensor(2.0, ms.float64), rate))

    ms.set_seed(6)
    value, gradient = ms.value_and_grad(run)(Tensor(2.0, ms.float64))
    np.testing.assert_allclose(gradient.asnumpy(), -value.asnumpy() / 2.0, rtol=1e-12)
