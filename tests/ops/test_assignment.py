"""``x[...] = v`` against NumPy, as an operation and on Tensors themselves."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.ops.assignment import assigned
from s2sad.ops.masking import updated
from support.forms import both_forms, check_gradients, refused

X = np.arange(24.0).reshape(2, 3, 4)
INDICES = [
    0, -1, (0, 1), (1, -1, 2), slice(1, None), (slice(None), 1),
    (slice(0, 2), slice(None, None, -1)), (..., 2), (slice(None), [0, 2]), ([0, 1], [1, -1]),
    (None, 0), (0, slice(1, 1)), [1, 1, 0],
    (slice(None), [True, False, True]), (slice(None, None, 2), ..., slice(3, 0, -2)), ...,
    True, (),
]  # fmt: skip


def expected(index, value):
    array = X.copy()
    array[index] = value
    return array


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_every_index_means_what_it_means_when_it_is_read(index):
    shape = X[index].shape
    values = [7.0, np.arange(1.0, 1.0 + np.prod(shape, dtype=int)).reshape(shape)]
    values += [np.ones(shape[-1:])] if shape else []
    for value in values:
        given = value if isinstance(value, float) else ms.Tensor(value, ms.float64)
        result = both_forms(lambda x, v: assigned(x, index, v), ms.Tensor(X, ms.float64), given)
        np.testing.assert_array_equal(result.asnumpy(), expected(index, value))
        tensor = ms.Tensor(X, ms.float64)
        tensor[index] = given
        np.testing.assert_array_equal(tensor.asnumpy(), expected(index, value))


@pytest.mark.parametrize(
    "index", [0, (slice(None), 1), (..., [2, 0, 2]), ([0, 1], [1, 1])], ids=str
)
def test_gradients(index):
    value = np.linspace(1.0, 2.0, X[index].size).reshape(X[index].shape)
    check_gradients(lambda x, v: assigned(x * x, index, v * v), X / 10, value)


def test_a_mask_that_is_data():
    mask = X % 3 == 0
    for given, value in ((mask, 5.0), (mask[:, 0, 0], 5.0), (mask[:, :, 0], np.arange(4.0))):
        wrapped = value if isinstance(value, float) else ms.Tensor(value, ms.float64)
        result = both_forms(
            lambda x, m, v: assigned(x, m, v), ms.Tensor(X, ms.float64), ms.Tensor(given), wrapped
        )
        np.testing.assert_array_equal(result.asnumpy(), expected(given, value))
    chosen = ms.Tensor(np.arange(mask.sum()))
    np.testing.assert_array_equal(
        assigned(ms.Tensor(X, ms.float64), ms.Tensor(mask), chosen).asnumpy(),
        expected(mask, np.arange(mask.sum())),
    )


#: An index, given masks of X's first axis, its second, its last, its first two, and none.
AMONG_OTHERS = {
    "last": lambda a, b, c, d, e: (..., c),
    "middle": lambda a, b, c, d, e: (slice(None), b),
    "middle, reversed": lambda a, b, c, d, e: (slice(None, None, -1), b, slice(1, 3)),
    "beside an int": lambda a, b, c, d, e: (0, b),
    "before an int": lambda a, b, c, d, e: (a, -1, slice(0, 2)),
    "apart from an int": lambda a, b, c, d, e: (a, slice(None), 1),
    "apart by ...": lambda a, b, c, d, e: (1, ..., c),
    "apart by None": lambda a, b, c, d, e: (a, None, 1),
    "two axes": lambda a, b, c, d, e: (d, slice(1, None)),
    "two axes, alone": lambda a, b, c, d, e: (d, None),
    "without axes": lambda a, b, c, d, e: (e, 1),
    "without axes, alone": lambda a, b, c, d, e: e,
    "new axes": lambda a, b, c, d, e: (None, a, ..., None),
}
MASKS = (
    np.array([True, False]), np.array([True, False, True]), np.array([False, True, True, False]),
    X[..., 0] % 8 == 0, np.array(True),
)  # fmt: skip


@pytest.mark.parametrize("name", AMONG_OTHERS)
@pytest.mark.parametrize("all_of", [None, False, True], ids=["some", "none", "all"])
def test_a_mask_that_is_data_among_other_indices(name, all_of):
    masks = [m if all_of is None else np.full_like(m, all_of) for m in MASKS]
    index = AMONG_OTHERS[name]
    row = X[index(*masks)].shape[-1:] if name != "last" else ()  # there it is what is selected
    for value in (5.0, np.arange(1.0, 1.0 + np.prod(row, dtype=int)).reshape(row)):

        def run(x, v, *given):
            return assigned(x, index(*given), v), updated(x, index(*given), ops.mul, v)

        given = (ms.Tensor(value, ms.float64), *map(ms.Tensor, masks))
        found, product = ms.compile(run)(ms.Tensor(X, ms.float64), *given)
        np.testing.assert_array_equal(found.asnumpy(), expected(index(*masks), value))
        times = X.copy()
        times[index(*masks)] *= value
        np.testing.assert_array_equal(product.asnumpy(), times)


def test_gradients_of_what_a_mask_selects_among_other_indices():
    def run(x, v):
        masks = [ms.Tensor(m) for m in MASKS]
        x = assigned(x * x, (slice(None), masks[1], 1), v * v)
        return updated(x, (masks[0], ..., slice(1, 3)), ops.mul, v[0])

    check_gradients(run, X / 10, np.array([[1.5], [0.5]]))


def test_what_a_mask_that_is_data_cannot_take():
    x, mask, rows = ms.Tensor(X), ms.Tensor([True, False]), ms.Tensor(np.ones((2, 3)))
    compiled = ms.compile(assigned)
    for index, value, code in (
        ((mask, 0), rows, "E0305"), ((mask, [0, 1]), 1.0, "E0305"), ((mask, mask), 1.0, "E0305"),
        ((slice(None), mask), 1.0, "E0503"), ((0, 0, 0, mask), 1.0, "E0503"),
    ):  # fmt: skip
        with pytest.raises((TypeError, IndexError), match=code):
            compiled(x, index, value)
    with pytest.raises(TypeError, match="E0305"):
        ms.compile(lambda x, m: updated(x, (m, [0]), ops.mul, 1))(x, mask)


def test_an_index_that_is_data():
    for i in (0, 1, -1):
        result = both_forms(
            lambda x, i: assigned(assigned(x, i, 1.0), (i, 2), 3.0),
            ms.Tensor(X, ms.float64), ms.Tensor(i),
        )  # fmt: skip
        array = expected(i, 1.0)
        array[i, 2] = 3.0
        np.testing.assert_array_equal(result.asnumpy(), array)


def test_values_are_cast_and_nothing_else_changes():
    x = ms.Tensor([1, 2, 3], ms.int8)
    view = x.asnumpy()
    other = ms.Tensor(x)
    x[1] = 300.0 - 256.0
    x[0] = True
    assert x.asnumpy().tolist() == [1, 44, 3] and x.dtype is ms.int8
    assert view.tolist() == [1, 2, 3] and other.asnumpy().tolist() == [1, 2, 3]
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    w[0] = 5.0
    assert isinstance(w, ms.Parameter) and w.asnumpy().tolist() == [5.0, 2.0]
    x[0] += 1
    assert x.asnumpy().tolist() == [2, 44, 3]


def test_what_does_not_fit_is_refused():
    x = ms.Tensor(X, ms.float64)
    refused("E0501", assigned, x, 2, 0.0)
    refused("E0401", assigned, x, 0, ms.Tensor(np.ones(5), ms.float64))
    refused("E0503", assigned, x, ms.Tensor([True, False, True]), 0.0)
    refused("E0304", assigned, x, 0, "text")
    refused("E0503", assigned, ms.Tensor(1.0), 0, 2.0)
