"""Reads and writes at indices against NumPy, in both forms, with gradients that add up."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_spellings, first_of, refused

X = np.arange(24.0).reshape(2, 3, 4)
I = np.array([[2, 0, 2], [-1, 1, 0]])  # noqa: E741 - short for indices
ROWS = np.array([[1, 2], [0, -1], [1, 2]])
E = np.array([[[1, 0, -1, 1]], [[0, 2, 1, -3]]])

PLACES, NAMES, FIRST, T = ms.Tensor(E), ms.Tensor(ROWS), ms.Tensor([[0]]), ms.Tensor(I)

READ = {
    "gather": (lambda x, i: (ops.gather(x, i, 1), x.gather(i, 1), x.gather(i, axis=-2)),
               lambda x: np.take(x, I, 1)),
    "gather of one": (lambda x, i: ops.gather(x, i[0, 0], 1), lambda x: np.take(x, I[0, 0], 1)),
    "gather in batches": (lambda x, i: (ops.gather(x, i, 1, 1), x.gather(i, 1, batch_dims=1),
                                        ops.gather(x, i, 1, batch_dims=-1)),
                          lambda x: np.stack([np.take(x[b], I[b], 0) for b in range(2)])),
    "gather in batches further on": (
        lambda x, i: ops.gather(x, i, 2, 1),
        lambda x: np.stack([np.take(x[b], I[b], 1) for b in range(2)])),
    "gather in batches of two axes": (lambda x, i: ops.gather(x, i, 2, 2),
                                      lambda x: np.take_along_axis(x, I[..., None] % 4, 2)[..., 0]),
    "gather_elements": (lambda x, i: (ops.gather_elements(x, 1, PLACES), ops.gather_d(x, 1, PLACES),
                                      x.gather(1, PLACES), x.gather(dim=1, index=PLACES),
                                      x.gather_elements(1, PLACES)),
                        lambda x: np.take_along_axis(x, E, 1)),
    "gather_nd": (lambda x, i: (ops.gather_nd(x, NAMES), x.gather_nd(NAMES)),
                  lambda x: x[ROWS[:, 0], ROWS[:, 1]]),
    "index_select": (lambda x, i: (ops.index_select(x, 1, i[0]), x.index_select(-2, i[0])),
                     lambda x: np.take(x, I[0], 1)),
    "take": (lambda x, i: (ops.take(x, i), x.take(i, mode="raise")), lambda x: x.reshape(-1)[I]),
    "take along an axis": (lambda x, i: (x.take(i, 1, "wrap"), x.take(i, axis=1, mode="raise")),
                           lambda x: np.take(x, I, 1)),
    "take clips": (lambda x, i: x.take(i * 9, 2), lambda x: np.take(x, I * 9, 2, mode="clip")),
    "take wraps": (lambda x, i: x.take(i * 9, 2, mode="wrap"),
                   lambda x: np.take(x, I * 9, 2, mode="wrap")),
    "take one": (lambda x, i: (x.take(3), x.take(99 - 96)), lambda x: x.reshape(-1)[3]),
    "select": (lambda x, i: (x.select(1, 2), x.select(dim=1, index=i[0, 0]), x.select(-2, -1)),
               lambda x: x[:, 2]),
}  # fmt: skip


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("dtype", [ms.int64, ms.int32])
def test_read(name, dtype):
    run, reference = READ[name]
    check_spellings(run, reference(X), ms.Tensor(X), ms.Tensor(I, dtype))


@pytest.mark.parametrize("name", READ)
def test_gradients_of_reads(name):
    run = first_of(READ[name][0])
    check_gradients(lambda x: run(x * x, T), X / 10)


def test_what_is_read_twice_gets_the_sum():
    def run(x, i):
        return ops.gather(x, i, 0).sum() + (ops.gather_elements(x, 0, i) * 10).sum()

    found = ms.grad(run)(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([1, 1, -1]))
    assert found.tolist() == [0.0, 22.0, 11.0]


# ---- written --------------------------------------------------------------------------------

#: What writes, its method, and what becomes of an element and an update.
WRITTEN = {
    "update": (ops.tensor_scatter_update, lambda x, i, u: x.tensor_scatter_update(i, u), None),
    "add": (ops.tensor_scatter_add, lambda x, i, u: x.tensor_scatter_add(i, u), np.add),
    "sub": (ops.tensor_scatter_sub, lambda x, i, u: x.tensor_scatter_sub(i, u), np.subtract),
    "mul": (ops.tensor_scatter_mul, lambda x, i, u: x.tensor_scatter_mul(i, u), np.multiply),
    "div": (ops.tensor_scatter_div, lambda x, i, u: x.tensor_scatter_div(i, u), np.divide),
    "max": (ops.tensor_scatter_max, lambda x, i, u: x.tensor_scatter_max(i, u), np.maximum),
    "min": (ops.tensor_scatter_min, lambda x, i, u: x.tensor_scatter_min(i, u), np.minimum),
}
#: Indices of elements and of slices, with places named twice.
NAMED = {
    "slices": np.array([[1], [0], [-1]]), "rows": ROWS,
    "elements": np.array([[1, 2, 3], [1, -1, -1]]), "none": np.zeros((0, 2), np.int64),
    "grid": np.array([[[0, 1], [1, 1]], [[1, 1], [0, 0]]]), "one": np.array([1, 0]),
}  # fmt: skip


def updates_for(indices):
    shape = (*indices.shape[:-1], *X.shape[indices.shape[-1] :])
    return np.random.default_rng(1).normal(size=shape) * 3


def written(x, indices, updates, combine):
    out = x.copy()
    for place in np.ndindex(*indices.shape[:-1]):
        where = tuple(indices[place].tolist())
        out[where] = updates[place] if combine is None else combine(out[where], updates[place])
    return out


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("kind", NAMED)
def test_written(name, kind):
    indices, updates = NAMED[kind], updates_for(NAMED[kind])
    function, method, combine = WRITTEN[name]

    def run(x, i, u):
        return function(x, i, u), method(x, i, u)

    x = ms.Tensor(X)
    for result in both_forms(run, x, ms.Tensor(indices), ms.Tensor(updates)):
        expected = written(X, indices, updates, combine)
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-13)
    np.testing.assert_array_equal(x.asnumpy(), X)  # what came in stays


@pytest.mark.parametrize(
    ("name", "kind"),
    [(name, kind) for kind in NAMED if kind != "none" for name in WRITTEN
     if kind == "rows" or name in ("add", "max", "update")],
)  # fmt: skip
def test_gradients_of_writes(name, kind):
    indices, function = ms.Tensor(NAMED[kind]), WRITTEN[name][0]

    def run(x, u):
        return function(x * x, indices, u * x.mean())

    x = np.random.default_rng(2).normal(size=X.shape)
    check_gradients(run, x, updates_for(NAMED[kind]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", [ms.int8, ms.uint8, ms.int32, ms.float16, ms.bfloat16], ids=str)
@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "div"])
def test_written_in_other_dtypes(name, dtype):
    x, updates = np.array([3, 5, 7]), np.array([2, 6, 100])
    indices = np.array([[0], [2], [0]])

    function, _, combine = WRITTEN[name]

    def run(x, i, u):
        return function(x, i, u)

    result = both_forms(run, ms.Tensor(x, dtype), ms.Tensor(indices), ms.Tensor(updates, dtype))
    kind = np.float32 if dtype is ms.bfloat16 else dtype.storage
    expected = written(x.astype(kind), indices, updates.astype(kind), combine)
    assert result.dtype is dtype
    np.testing.assert_allclose(result.asnumpy().astype(np.float32), expected, rtol=4e-3)


@pytest.mark.parametrize(
    ("name", "kind"), [*[(name, "rows") for name in WRITTEN], ("add", "one"), ("max", "one")]
)
def test_second_gradients_of_writes(name, kind):
    indices, function = ms.Tensor(NAMED[kind]), WRITTEN[name][0]

    def squares(x, u):
        out = function(x * x, indices, u * u + 1)
        return (out * out).sum()

    rng = np.random.default_rng(3)
    x, u = rng.normal(size=X.shape), updates_for(NAMED[kind]) / 3
    for position in (0, 1):
        run = ms.compile(ms.grad(squares, position))  # once, not for every difference
        check_gradients(lambda x, u, run=run: run(x, u), x, u, rtol=2e-5, atol=1e-5)


def test_extremes_carry_nan():
    def run(x, i, u):
        return ops.tensor_scatter_max(x, i, u), ops.tensor_scatter_min(x, i, u)

    nan = np.nan
    x, u = ms.Tensor([1.0, nan, -np.inf]), ms.Tensor([nan, 2.0, -np.inf])
    for result in both_forms(run, x, ms.Tensor([[0], [1], [2]]), u):
        np.testing.assert_array_equal(result.asnumpy(), [nan, nan, -np.inf])


def test_ties_of_extremes_share():
    def run(x, u):
        return ops.tensor_scatter_max(x, FIRST, u).sum()

    x, u = ms.grad(run, (0, 1))(ms.Tensor([2.0, 5.0]), ms.Tensor([2.0]))
    assert x.tolist() == [0.5, 1.0] and u.tolist() == [0.5]


def test_scatter_nd():
    def run(i, u):
        return ops.scatter_nd(i, u, (4, 2)), ops.scatter_nd(i, u, [4, 2])

    indices, updates = ms.Tensor([[1], [3], [1]]), ms.Tensor([[1, 2], [3, 4], [5, 6]], ms.int32)
    for result in both_forms(run, indices, updates):
        assert result.dtype is ms.int32
        assert result.tolist() == [[0, 0], [6, 8], [0, 0], [3, 4]]
    check_gradients(lambda u: ops.scatter_nd(indices, u * u, (4, 2)), [[1.0, 2], [3, 4], [5, 6]])


def test_sums_of_segments():
    ids = np.array([[0, 2, -1], [2, 0, 2]])

    def run(x, ids):
        return ops.unsorted_segment_sum(x, ids, 4), ops.unsorted_segment_sum(x, ids[:, 0], 3)

    elements, rows = both_forms(run, ms.Tensor(X), ms.Tensor(ids, ms.int32))
    expected = np.zeros((4, 4))
    np.add.at(expected, ids[ids >= 0], X[ids >= 0])
    np.testing.assert_array_equal(elements.asnumpy(), expected)
    np.testing.assert_array_equal(rows.asnumpy(), np.stack([X[0], X[0] * 0, X[1]]))
    places = ms.Tensor(ids)
    check_gradients(lambda x: ops.unsorted_segment_sum(x * x, places, 4), X / 10)


# ---- along an axis --------------------------------------------------------------------------


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_elements_written(axis):
    i = np.array([[[1, 0, 1, 1]]]) % X.shape[axis]
    u = np.arange(1.0, 5.0).reshape(1, 1, 4)

    def run(x, i, u):
        return (
            ops.tensor_scatter_elements(x, i, u, axis), ops.scatter(x, axis, i, u),
            x.scatter(axis, i, u), x.scatter(dim=axis, index=i, src=u),
            ops.tensor_scatter_elements(x, i, u, axis, "add"), x.scatter_add(axis, i, u),
            x.scatter_add(dim=axis, index=i, src=u),
        )  # fmt: skip

    found = both_forms(run, ms.Tensor(X), ms.Tensor(i), ms.Tensor(u))
    put, added = X.copy(), X.copy()
    for place in np.ndindex(*i.shape):
        where = list(place)
        where[axis] = i[place]
        put[tuple(where)] = u[place]
        added[tuple(where)] += u[place]
    for result, expected in zip(found, [put] * 4 + [added] * 3, strict=True):
        np.testing.assert_array_equal(result.asnumpy(), expected)
    places = ms.Tensor(i)
    for reduction in ("none", "add"):
        check_gradients(
            lambda x, u, r=reduction: ops.tensor_scatter_elements(x * x, places, u, axis, r),
            X / 10, u,
        )  # fmt: skip


def test_a_number_scattered():
    def run(x, i):
        return ops.scatter(x, 0, i, 9), x.scatter(0, i, 0.5)

    nine, half = both_forms(run, ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0, -1]))
    assert nine.tolist() == [9.0, 2.0, 9.0] and half.tolist() == [0.5, 2.0, 0.5]


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_slices_added(axis):
    i = np.array([1, 0, 1])
    y = np.random.default_rng(0).normal(size=np.take(X, i, axis).shape)

    def run(x, i, y):
        return (
            ops.index_add(x, i, y, axis), x.index_add(i, y, axis), x.index_add(axis, i, y),
            x.index_add(dim=axis, index=i, source=y), x.index_add(axis, i, y, alpha=2),
        )  # fmt: skip

    *same, twice = both_forms(run, ms.Tensor(X), ms.Tensor(i), ms.Tensor(y))
    for results, factor in ((same, 1), ([twice], 2)):
        expected = np.moveaxis(X, axis, 0).copy()
        np.add.at(expected, i, factor * np.moveaxis(y, axis, 0))
        for result in results:
            np.testing.assert_allclose(result.asnumpy(), np.moveaxis(expected, 0, axis), rtol=1e-13)
    places = ms.Tensor(i)
    check_gradients(lambda x, y: ops.index_add(x * x, places, y, axis), X / 10, y)


def test_slices_filled():
    def run(x, i):
        return (
            ops.index_fill(x, 1, i, -1), x.index_fill(1, i, -1.0),
            ops.index_fill(x, -1, i, x[0, 0]), ops.index_fill(x, 0, 1, 7),
        )  # fmt: skip

    one, method, last, row = both_forms(run, ms.Tensor(X[0]), ms.Tensor([2, 0, 2]))
    expected = X[0].copy()
    expected[:, [2, 0]] = -1
    for result in (one, method):
        np.testing.assert_array_equal(result.asnumpy(), expected)
    np.testing.assert_array_equal(last.asnumpy()[:, [0, 2]], 0.0)
    np.testing.assert_array_equal(row.asnumpy()[1], 7.0)
    places = ms.Tensor([1, 1])
    check_gradients(lambda x, v: ops.index_fill(x * x, 1, places, v * v), X[0] / 10, 2.0)


# ---- Parameters -----------------------------------------------------------------------------


@pytest.mark.parametrize("is_compiled", [False, True])
def test_parameters_written(is_compiled):
    w = ms.Parameter(ms.Tensor(np.zeros((3, 2), np.float32)), name="w")

    def run(i, u):
        held = ops.scatter_add(w, i, u)
        return held.sum() + ops.scatter_update(w, i[:1], u[:1] * 10)[1, 1]

    total = (ms.compile(run) if is_compiled else run)(
        ms.Tensor([1, 1]), ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    )
    assert total.item() == 10.0 + 20.0
    assert w.tolist() == [[0.0, 0.0], [10.0, 20.0], [0.0, 0.0]]
    with pytest.raises(TypeError, match="E0304"):
        ops.scatter_update(ops.zeros(2), ms.Tensor([0]), ops.ones(1))


# ---- errors ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0301", lambda x, i: ops.gather(x, x, 0)), ("E0403", lambda x, i: ops.gather(x, i, 3)),
     ("E0303", lambda x, i: ops.gather(x, i, 1.0)), ("E0404", lambda x, i: ops.gather(x, i, 1, 2)),
     ("E0404", lambda x, i: ops.gather(x, i, 0, 1)),
     ("E0303", lambda x, i: ops.gather(x, i, 1, 0.5)),
     ("E0401", lambda x, i: ops.gather(x, i[:1], 1, 1)),
     ("E0501", lambda x, i: ops.gather(x, i, 0)),
     ("E0501", lambda x, i: ops.gather(x[:, :2], i, 1, 1)),
     ("E0401", lambda x, i: ops.gather_elements(x, 0, i)),
     ("E0501", lambda x, i: ops.gather_elements(x[0], 0, i + 2)),
     ("E0401", lambda x, i: ops.gather_nd(x, ops.zeros((2, 4), ms.int64))),
     ("E0501", lambda x, i: ops.gather_nd(x, i)), ("E0401", lambda x, i: ops.index_select(x, 0, i)),
     ("E0501", lambda x, i: ops.take(x, i + 23)), ("E0404", lambda x, i: x.take(i, mode="none")),
     ("E0403", lambda x, i: x.take(i, 3)), ("E0403", lambda x, i: x.select(3, 0)),
     ("E0501", lambda x, i: x.select(1, 3)), ("E0304", lambda x, i: ops.gather(x, [0, 1], 0)),
     ("E0401", lambda x, i: ops.tensor_scatter_update(x, i[:, :1], x[:, 0])),
     ("E0301", lambda x, i: ops.tensor_scatter_add(x, i[:, :1], x.astype(ms.float32))),
     ("E0501", lambda x, i: ops.tensor_scatter_add(x, i[:, :1] + 1, x)),
     ("E0401", lambda x, i: ops.tensor_scatter_mul(x, i[:, :1], x[:1])),
     ("E0401", lambda x, i: ops.tensor_scatter_max(x, i[0, 0], x)),
     ("E0401", lambda x, i: ops.tensor_scatter_max(x, ops.zeros((0, 4), ms.int64), x[:0, 0, 0])),
     ("E0301", lambda x, i: ops.tensor_scatter_div(i, i[:, :1] * 0, i)),
     ("E0404", lambda x, i: ops.tensor_scatter_elements(x, i, x, 0, "mul")),
     ("E0401", lambda x, i: ops.scatter_nd(i, x, (3, 3, 3))),
     ("E0501", lambda x, i: ops.unsorted_segment_sum(x, i, 2)),
     ("E0401", lambda x, i: ops.unsorted_segment_sum(x, i[:1], 3)),
     ("E0301", lambda x, i: ops.unsorted_segment_sum(x, x, 3)),
     ("E0303", lambda x, i: ops.unsorted_segment_sum(x, i, 2.0)),
     ("E0401", lambda x, i: ops.index_add(x, i, x, 0)),
     ("E0401", lambda x, i: x.scatter(1, i, 0.5)),
     ("E0301", lambda x, i: ops.scatter(i, 0, i, 0.5)),
     ("E0401", lambda x, i: ops.index_fill(x, 1, i[0], x[0])),
     ("E0301", lambda x, i: ops.index_fill(i, 1, i[0], x[0, 0, 0])),
     ("E0302", lambda x, i: x.gather(1, i, 2)), ("E0304", lambda x, i: x.scatter(1, i))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X), ms.Tensor(I))
