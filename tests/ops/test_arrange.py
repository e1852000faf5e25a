"""Repeats, grids, triangles and diagonals against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_spellings, first_of, refused

X = np.arange(1.0, 13.0).reshape(3, 4)

ARRANGED = {
    "tile": (lambda x: (ops.tile(x, (2, 3)), x.tile(2, 3), x.tile((2, 3)), x.tile(dims=(2, 3)),
                        x.repeat(2, 3), x.repeat((2, 3))), lambda x: np.tile(x, (2, 3))),
    "tile with fewer": (lambda x: (ops.tile(x, (2,)), ops.tile(x, 2), x.tile(2)),
                        lambda x: np.tile(x, 2)),
    "tile with more": (lambda x: (ops.tile(x, (2, 1, 3)), x.repeat(2, 1, 3)),
                       lambda x: np.tile(x, (2, 1, 3))),
    "tile to nothing": (lambda x: ops.tile(x, (0, 1)), lambda x: np.tile(x, (0, 1))),
    "repeat_elements": (lambda x: (ops.repeat_elements(x, 2), x.repeat(2, axis=0)),
                        lambda x: np.repeat(x, 2, 0)),
    "repeat_elements along the last": (lambda x: ops.repeat_elements(x, 3, -1),
                                       lambda x: np.repeat(x, 3, -1)),
    "repeat_interleave": (lambda x: (ops.repeat_interleave(x, 2), x.repeat_interleave(2)),
                          lambda x: np.repeat(x, 2)),
    "repeat_interleave along an axis": (lambda x: (ops.repeat_interleave(x, 2, 1),
                                                   x.repeat_interleave(2, dim=-1),
                                                   ops.repeat_interleave(x, (2,), 1)),
                                        lambda x: np.repeat(x, 2, 1)),
    "repeat_interleave one by one": (lambda x: (ops.repeat_interleave(x, [2, 0, 1], 0),
                                                x.repeat_interleave((2, 0, 1), 0),
                                                x.repeat(2, 0, 1, axis=0)),
                                     lambda x: np.repeat(x, [2, 0, 1], 0)),
    "tril": (lambda x: (ops.tril(x), x.tril()), lambda x: np.tril(x)),
    "tril above": (lambda x: (ops.tril(x, 1), x.tril(diagonal=1)), lambda x: np.tril(x, 1)),
    "triu": (lambda x: (ops.triu(x), x.triu()), lambda x: np.triu(x)),
    "triu below": (lambda x: (ops.triu(x, -1), x.triu(-1)), lambda x: np.triu(x, -1)),
    "triangles of several": (lambda x: ops.tril(ops.stack((x, -x))),
                             lambda x: np.tril(np.stack((x, -x)))),
    "diag of a vector": (lambda x: (ops.diag(x[0]), x[0].diag()), lambda x: np.diag(x[0])),
    "diag of a matrix": (lambda x: (ops.diag(x), x.diag(), ops.Diag()(x)),
                         lambda x: np.diag(x.ravel()).reshape(x.shape * 2)),
    "diagonal": (lambda x: (ops.diagonal(x, 1), x.diagonal(1), x.diagonal(offset=1)),
                 lambda x: np.diagonal(x, 1)),
    "diagonal of other axes": (lambda x: ops.diagonal(ops.stack((x, -x)), -1, 2, 1),
                               lambda x: np.diagonal(np.stack((x, -x)), -1, 2, 1)),
}  # fmt: skip


@pytest.mark.parametrize("name", ARRANGED)
def test_against_numpy(name):
    run, reference = ARRANGED[name]
    check_spellings(run, reference(X), ms.Tensor(X))


@pytest.mark.parametrize("name", [name for name in ARRANGED if "nothing" not in name])
def test_gradients(name):
    run = first_of(ARRANGED[name][0])
    check_gradients(lambda x: run(x * x), X / 10)


@pytest.mark.parametrize("indexing", ["xy", "ij"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_meshgrid(indexing, count):
    lines = [X[0], X[:, 1], X[0, :2] * 2][:count]

    def run(*lines):
        return ops.meshgrid(*lines, indexing=indexing), ops.meshgrid(lines, indexing=indexing)

    expected = np.meshgrid(*lines, indexing=indexing)
    for grids in both_forms(run, *map(ms.Tensor, lines)):
        for grid, wanted in zip(grids, expected, strict=True):
            np.testing.assert_array_equal(grid.asnumpy(), wanted)

    def joined(*lines):
        return ops.stack(ops.meshgrid(*lines, indexing=indexing))

    check_gradients(joined, *lines)


def test_meshgrid_of_numbers():
    def run(x):
        return ops.meshgrid(x, x)

    assert [grid.shape for grid in both_forms(run, ms.Tensor(1.0))] == [(1, 1), (1, 1)]


def test_indices_of_triangles():
    def run():
        return (
            ops.tril_indices(3, 4), ops.tril_indices(3, 2, -1, dtype=ms.int32),
            ops.triu_indices(3, 4, 1), ops.triu_indices(0, 2),
        )  # fmt: skip

    found = both_forms(run)
    expected = np.tril_indices(3, 0, 4), np.tril_indices(3, -1, 2), np.triu_indices(3, 1, 4)
    for result, wanted in zip(found, (*expected, np.zeros((2, 0))), strict=True):
        np.testing.assert_array_equal(result.asnumpy(), np.array(wanted))
    assert [x.dtype for x in found] == [ms.int64, ms.int32, ms.int64, ms.int64]


def test_repeats_that_are_data():
    x, repeats = ms.Tensor(X), ms.Tensor([1, 0, 2])

    def run(x, repeats):
        return ops.repeat_interleave(x, repeats, 0)

    np.testing.assert_array_equal(run(x, repeats).asnumpy(), np.repeat(X, [1, 0, 2], 0))
    with pytest.raises(TypeError, match="E0305.*must be known while compiling"):
        ms.compile(run)(x, repeats)


def test_integers_and_bools():
    def run(x, y):
        return ops.tril(x), ops.diag(y), ops.tile(y, (2,)), ops.triu(y.reshape(1, 2))

    found = both_forms(run, ms.Tensor([[1, 2], [3, 4]], ms.int8), ms.Tensor([True, False]))
    assert found[0].tolist() == [[1, 0], [3, 4]] and found[0].dtype is ms.int8
    assert found[1].tolist() == [[True, False], [False, False]]
    assert found[3].tolist() == [[True, False]]


def test_what_is_cut_off_is_zero_whatever_it_was():
    def run(x):
        return ops.tril(x), ops.diag(x[0])

    lower, full = both_forms(run, ms.Tensor([[np.inf, np.nan], [-0.0, 1.0]], ms.float64))
    np.testing.assert_array_equal(lower.asnumpy(), [[np.inf, 0.0], [0.0, 1.0]])
    assert np.signbit(lower.asnumpy()[1, 0])
    np.testing.assert_array_equal(full.asnumpy(), [[np.inf, 0.0], [0.0, np.nan]])


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0303", lambda x: ops.tile(x, (1.5, 1))), ("E0404", lambda x: ops.tile(x, (-1, 1))),
     ("E0303", lambda x: ops.tile(x, (x, 1))), ("E0303", lambda x: ops.repeat_elements(x, 1.5)),
     ("E0404", lambda x: ops.repeat_elements(x, -1)),
     ("E0403", lambda x: ops.repeat_elements(x, 1, 2)),
     ("E0401", lambda x: ops.repeat_interleave(x, (1, 2), 0)),
     ("E0404", lambda x: ops.repeat_interleave(x, (1, 2, -1), 0)),
     ("E0403", lambda x: ops.repeat_interleave(x, (1, 2, 3), 2)), ("E0303", lambda x: x.repeat(2)),
     ("E0404", lambda x: ops.meshgrid(x[0], indexing="yx")), ("E0404", lambda x: ops.meshgrid()),
     ("E0401", lambda x: ops.meshgrid(x)), ("E0304", lambda x: ops.meshgrid(x[0], 1)),
     ("E0401", lambda x: ops.tril(x[0])), ("E0303", lambda x: ops.triu(x, 1.0)),
     ("E0401", lambda x: ops.diag(x[0, 0])), ("E0403", lambda x: ops.diagonal(x, 0, 0, 0)),
     ("E0403", lambda x: ops.diagonal(x, 0, 0, 2)), ("E0404", lambda x: ops.tril_indices(-1, 2)),
     ("E0303", lambda x: ops.tril_indices(2, 2.0))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X))
