"""Tensors made of numbers against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core import dtypes
from support.forms import both_forms, check_gradients, refused

NUMBER, PLACES = np.float32(1.5), ms.Tensor([1, 0])
ON, OFF = ms.Tensor(1.0, ms.float16), ms.Tensor(0.0, ms.float16)


def values(results):
    return [(result.dtype, result.tolist()) for result in results]


def test_filled():
    def run(x):
        return [
            ops.zeros((2,)), ops.zeros([2], ms.int32), ops.zeros(2, dtype="float16"), ops.ones(2),
            ops.ones((1, 2), ms.bool_), ops.full((2,), 3), ops.full(2, 0.5), ops.full((), True),
            ops.full((2,), 3, dtype=ms.float64), ops.fill(ms.int8, (2,), 7), ops.zeros(()),
            ops.zeros((2, 0)), ops.full((2,), 2.75, dtype=ms.int32), ops.full((2,), NUMBER),
            ops.full(2, 0.5, dtype=ms.bool_), ops.full(1, -1, dtype=ms.uint8),
        ]  # fmt: skip

    f, i = ms.float32, ms.int64
    assert values(both_forms(run, ms.Tensor(1.0))) == [
        (f, [0.0, 0.0]), (ms.int32, [0, 0]), (ms.float16, [0.0, 0.0]), (f, [1.0, 1.0]),
        (ms.bool_, [[True, True]]), (i, [3, 3]), (f, [0.5, 0.5]), (ms.bool_, True),
        (ms.float64, [3.0, 3.0]), (ms.int8, [7, 7]), (f, 0.0), (f, [[], []]), (ms.int32, [2, 2]),
        (f, [1.5, 1.5]), (ms.bool_, [True, True]), (ms.uint8, [255]),
    ]  # fmt: skip


def test_like_another():
    def run(x):
        return [
            ops.zeros_like(x), ops.ones_like(x), ops.full_like(x, 7),
            ops.zeros_like(x, dtype=ms.bool_), ops.full_like(x, 0.5, dtype=ms.float32),
            x.new_zeros((2,)), x.new_ones(2, ms.float32),
            x.new_full((2,), 5), x.new_full(1, 5, dtype=ms.float16), x.fill(9), x.new_zeros(()),
        ]  # fmt: skip

    s = ms.int16
    assert values(both_forms(run, ms.Tensor([3, 4], s))) == [
        (s, [0, 0]), (s, [1, 1]), (s, [7, 7]), (ms.bool_, [False, False]), (ms.float32, [0.5, 0.5]),
        (s, [0, 0]), (ms.float32, [1.0, 1.0]), (s, [5, 5]), (ms.float16, [5.0]), (s, [9, 9]),
        (s, 0),
    ]  # fmt: skip


def test_numbers_and_tuples_of_them():
    def run():
        return [
            ops.scalar_to_tensor(2), ops.scalar_to_tensor(2.5, ms.int64),
            ops.tuple_to_array((1, 2)), ops.tuple_to_array([1, 2.5]), ops.tuple_to_array((True,)),
        ]  # fmt: skip

    assert values(both_forms(run)) == [
        (ms.float32, 2.0), (ms.int64, 2), (ms.int64, [1, 2]), (ms.float32, [1.0, 2.5]),
        (ms.bool_, [True]),
    ]  # fmt: skip


def test_filled_with_data():
    def run(x):
        return ops.full((2, 2), x), ops.full_like(x, x, dtype=ms.float32)

    whole, alone = both_forms(run, ms.Tensor(2.5, ms.float64))
    assert whole.tolist() == [[2.5, 2.5]] * 2 and whole.dtype is ms.float64
    assert alone.dtype is ms.float32 and alone.item() == 2.5
    check_gradients(lambda x: ops.full((2, 2), x * x) * x, 1.5)


def test_filled_tensors_are_written_to_by_themselves():
    x = ops.zeros((2, 2))
    x.asnumpy()[0] = 1.0
    assert x.tolist() == [[1.0, 1.0], [0.0, 0.0]] and ops.zeros((2, 2)).tolist() == [[0.0] * 2] * 2


@pytest.mark.parametrize(
    "args",
    [(3,), (1, 4), (5, 1, -2), (0, 0), (3, 1), (-2, 7, 3), (1, 2, 5), (np.int32(3),), (True,)],
)
def test_arange_of_integers(args):
    def run():
        return ops.arange(*args), ops.arange(*args, dtype=ms.float16)

    found, half = both_forms(run)
    expected = np.arange(*map(int, args))
    assert found.dtype is ms.int64 and found.tolist() == expected.tolist()
    assert half.dtype is ms.float16 and half.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "args", [(5.0,), (0.0, 1.0, 0.1), (1, 2, 0.25), (2.5, -1, -0.5), (1.0, 0.0), (0, 1e-3, 1e-4)]
)
def test_arange_of_floats(args):
    def run():
        return ops.arange(*args), ops.arange(*args, dtype=ms.float64)

    found, wide = both_forms(run)
    start, end, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
    expected = start + np.arange(max(int(np.ceil((end - start) / step)), 0)) * step
    assert (found.dtype, wide.dtype) == (ms.float32, ms.float64)
    np.testing.assert_array_equal(wide.asnumpy(), expected)
    np.testing.assert_array_equal(found.asnumpy(), expected.astype(np.float32))


def test_range_and_arange_by_name():
    def run():
        return ops.range(1, 7, 2), ops.arange(start=1, end=7, step=2), ops.arange(end=3)

    found = both_forms(run)
    assert [x.tolist() for x in found] == [[1, 3, 5], [1, 3, 5], [0, 1, 2]]


def test_bounds_that_are_data():
    def run(n):
        return ops.arange(n)

    assert run(ms.Tensor(3)).tolist() == [0, 1, 2]
    assert ops.arange(ms.Tensor(2.0)).dtype is ms.float32
    with pytest.raises(TypeError, match="E0305(.*\n)*.*mask"):
        ms.compile(run)(ms.Tensor(3))


@pytest.mark.parametrize(("low", "high", "steps"), [(0, 1, 5), (-3.5, 2, 4), (1, 1, 3), (5, 0, 1)])
def test_linspace(low, high, steps):
    def run(x, y):
        return ops.linspace(low, high, steps), ops.linspace(x, y, steps)

    found, of_data = both_forms(run, ms.Tensor(low, ms.float64), ms.Tensor(high, ms.float64))
    expected = np.linspace(low, high, steps)
    assert found.dtype is ms.float32
    np.testing.assert_array_equal(found.asnumpy(), expected.astype(np.float32))
    np.testing.assert_allclose(of_data.asnumpy(), expected, rtol=1e-15, atol=1e-15)
    if steps > 1:
        assert of_data.asnumpy()[-1] == high


def test_linspace_between_tensors():
    low, high = np.array([0.0, -1.0]), np.array([1.0, 3.0])

    def run(x, y):
        return ops.linspace(x, y, 4)

    found = both_forms(run, ms.Tensor(low), ms.Tensor(high))
    np.testing.assert_allclose(found.asnumpy(), np.linspace(low, high, 4, axis=-1), rtol=1e-15)
    check_gradients(run, low, high)
    check_gradients(lambda x: ops.linspace(x, 2, 3) * x, 0.5)


def test_logspace():
    def run(x):
        return (
            ops.logspace(0, 3, 4),
            ops.logspace(0, 3, 4, 2, dtype=ms.float64),
            ops.logspace(x, 2, 3),
        )

    ten, two, data = both_forms(run, ms.Tensor(1.0))
    assert ten.tolist() == [1.0, 10.0, 100.0, 1000.0] and two.tolist() == [1.0, 2.0, 4.0, 8.0]
    assert two.dtype is ms.float64
    np.testing.assert_allclose(data.asnumpy(), 10 ** np.linspace(1, 2, 3), rtol=1e-6)


def test_eye():
    def run():
        return (
            ops.eye(2),
            ops.eye(2, 3),
            ops.eye(3, 1, ms.int32),
            ops.eye(0),
            ops.eye(2, dtype=ms.bool_),
        )

    for result, wanted in zip(
        both_forms(run), (np.eye(2), np.eye(2, 3), np.eye(3, 1), np.eye(0), np.eye(2)), strict=True
    ):
        np.testing.assert_array_equal(result.asnumpy(), wanted)
    assert [x.dtype for x in run()] == [ms.float32] * 2 + [ms.int32, ms.float32, ms.bool_]


@pytest.mark.parametrize("axis", [-1, 0, 1, 2, -3])
def test_one_hot(axis):
    indices = np.array([[0, 2, -1], [3, 1, 9]])

    def run(x, on):
        return ops.one_hot(x, 4, axis=axis), ops.one_hot(x, 4, on, 0.5, axis)

    plain, valued = both_forms(run, ms.Tensor(indices, ms.int32), ms.Tensor(2.0))
    hot = np.moveaxis(indices[..., None] == np.arange(4), -1, axis)
    assert (plain.dtype, valued.dtype) == (ms.int64, ms.float32)
    np.testing.assert_array_equal(plain.asnumpy(), hot)
    np.testing.assert_array_equal(valued.asnumpy(), np.where(hot, 2.0, 0.5))


def test_one_hot_of_tensors_as_values():
    def run(x):
        return ops.one_hot(x, 2, ON, OFF), ops.one_hot(x, 2, True, False)

    found = both_forms(run, ms.Tensor(1))
    assert values(found) == [(ms.float16, [0.0, 1.0]), (ms.bool_, [False, True])]
    check_gradients(lambda on, off: ops.one_hot(PLACES, 3, on * on, off), 2.0, 3.0)


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_dtype(dtype):
    def run():
        return (
            ops.zeros(2, dtype),
            ops.ones(2, dtype),
            ops.arange(2, dtype=dtype),
            ops.eye(1, dtype=dtype),
        )

    for result in both_forms(run):
        assert result.dtype is dtype and set(result.asnumpy().ravel().astype(int)) <= {0, 1}


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0404", lambda x: ops.zeros((-1,))), ("E0303", lambda x: ops.zeros((1.5,))),
     ("E0303", lambda x: ops.zeros((x, 2))), ("E0303", lambda x: ops.ones(2, "float99")),
     ("E0404", lambda x: ops.full(2, float("nan"), dtype=ms.int32)),
     ("E0404", lambda x: ops.full(2, 2**63)), ("E0401", lambda x: ops.full(2, ops.zeros(3))),
     ("E0304", lambda x: ops.tuple_to_array((x,))), ("E0304", lambda x: ops.tuple_to_array(1)),
     ("E0304", lambda x: ops.full(2, "a")), ("E0304", lambda x: ops.zeros_like(2)),
     ("E0404", lambda x: ops.arange(0, 1, 0)), ("E0404", lambda x: ops.arange(float("inf"))),
     ("E0404", lambda x: ops.arange(2**63, 2**63 + 1)), ("E0304", lambda x: ops.arange("a")),
     ("E0404", lambda x: ops.range(0, 9, 1, maxlen=8)), ("E0404", lambda x: ops.linspace(0, 1, 0)),
     ("E0303", lambda x: ops.linspace(0, 1, 2.5)), ("E0404", lambda x: ops.logspace(0, 1, 0)),
     ("E0404", lambda x: ops.eye(-1)), ("E0303", lambda x: ops.eye(2.0)),
     ("E0301", lambda x: ops.one_hot(x, 2)), ("E0404", lambda x: ops.one_hot(ops.arange(2), -1)),
     ("E0403", lambda x: ops.one_hot(ops.arange(2), 2, axis=2)),
     ("E0303", lambda x: ops.one_hot(ops.arange(2), 2.0))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(1.0))
