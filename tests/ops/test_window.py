"""Windows and paddings against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

X = np.arange(24.0).reshape(2, 3, 4)


def test_narrow():
    def run(x, i):
        return [
            (ops.narrow(x, 1, 1, 2), x.narrow(1, 1, 2), x.narrow(-2, start=-2, length=2),
             ops.narrow(x, 1, i, 2), x.narrow(1, i - 3, 2)),
            (ops.narrow(x, 2, 4, 0), ops.narrow(x, 2, i, 0)),
        ]  # fmt: skip

    windows, none = both_forms(run, ms.Tensor(X), ms.Tensor(1))
    for window in windows:
        np.testing.assert_array_equal(window.asnumpy(), X[:, 1:3])
    assert [x.shape for x in none] == [(2, 3, 0)] * 2
    check_gradients(lambda x: ops.narrow(x * x, 2, 1, 2), X / 10)
    place = ms.Tensor(1)
    check_gradients(lambda x: ops.narrow(x * x, 2, place, 2) * x[..., 2:], X / 10)


def test_slice():
    def run(x):
        return ops.slice(x, (0, 1, 2), (2, 2, 1)), ops.slice(x, [1, 0, 1], [-1, 2, -1])

    one, other = both_forms(run, ms.Tensor(X))
    np.testing.assert_array_equal(one.asnumpy(), X[0:2, 1:3, 2:3])
    np.testing.assert_array_equal(other.asnumpy(), X[1:, :2, 1:])
    check_gradients(lambda x: ops.slice(x * x, (0, 1, 2), (2, 2, 1)), X / 10)


STRIDED = {
    "plain": (((0, 0, 1), (2, 3, 4), (1, 2, 2)), {}, np.s_[0:2, 0:3:2, 1:4:2]),
    "fewer": (((1,), (2,), (1,)), {}, np.s_[1:2]),
    "backwards": (((1, 2, -1), (0, 0, -5), (-1, -1, -2)), {}, np.s_[1:0:-1, 2:0:-1, -1:-5:-2]),
    "begin and end": (((9, 1, 9), (1, 9, 9), (1, 1, 1)), {"begin_mask": 5, "end_mask": 6},
                      np.s_[:1, 1:, :]),
    "ellipsis": (((0, 0, 1), (1, 0, 3), (1, 1, 1)), {"ellipsis_mask": 2}, np.s_[0:1, ..., 1:3]),
    "new axis": (((0, 0, 1), (1, 0, 3), (1, 1, 1)), {"new_axis_mask": 2}, np.s_[0:1, None, 1:3]),
    "one index": (((1, 0, -1), (2, 2, 0), (1, 1, 1)), {"shrink_axis_mask": 5}, np.s_[1, 0:2, -1]),
    "beyond": (((0, -9, 2), (9, 9, 9), (1, 1, 1)), {}, np.s_[0:9, -9:9, 2:9]),
}  # fmt: skip


@pytest.mark.parametrize("name", STRIDED)
def test_strided_slice(name):
    bounds, masks, index = STRIDED[name]

    def run(x):
        return ops.strided_slice(x, *bounds, **masks)

    np.testing.assert_array_equal(both_forms(run, ms.Tensor(X)).asnumpy(), X[index])
    check_gradients(lambda x: ops.strided_slice(x * x, *bounds, **masks), X / 10)


PADDED = {
    "constant": ((1, 2), {}, ((0, 0), (0, 0), (1, 2)), {}),
    "two axes": ((1, 0, 0, 2), {"value": 7.0}, ((0, 0), (0, 2), (1, 0)), {"constant_values": 7}),
    "all axes": ([1, 1, 2, 0, 0, 3], {"value": -1}, ((0, 3), (2, 0), (1, 1)),
                 {"constant_values": -1}),
    "reflect": ((3, 1, 2, 0), {"mode": "reflect"}, ((0, 0), (2, 0), (3, 1)), {"mode": "reflect"}),
    "replicate": ((9, 1, 0, 2), {"mode": "replicate"}, ((0, 0), (0, 2), (9, 1)), {"mode": "edge"}),
    "circular": ((4, 1, 3, 2), {"mode": "circular"}, ((0, 0), (3, 2), (4, 1)), {"mode": "wrap"}),
    "nothing": ((0, 0), {"mode": "reflect"}, ((0, 0),) * 3, {}),
    "no axis": ((), {}, ((0, 0),) * 3, {}),
}  # fmt: skip


@pytest.mark.parametrize("name", PADDED)
def test_pad(name):
    padding, options, pairs, theirs = PADDED[name]

    def run(x):
        return ops.pad(x, padding, **options)

    np.testing.assert_array_equal(
        both_forms(run, ms.Tensor(X)).asnumpy(), np.pad(X, pairs, **theirs)
    )
    check_gradients(lambda x: ops.pad(x * x, padding, **options), X / 10)


def test_a_negative_padding_takes_away():
    def run(x):
        return ops.pad(x, (-1, 2, 0, -2)), ops.pad(x, (-2, -2))

    cut, none = both_forms(run, ms.Tensor(X))
    np.testing.assert_array_equal(cut.asnumpy(), np.pad(X[:, :1, 1:], ((0, 0), (0, 0), (0, 2))))
    assert none.shape == (2, 3, 0)
    check_gradients(lambda x: ops.pad(x * x, (-1, 2, 0, -2)), X / 10)


def test_a_value_that_is_data():
    def run(x, value):
        return ops.pad(x, (1, 1), value=value)

    assert both_forms(run, ms.Tensor([1.0]), ms.Tensor(5)).tolist() == [5.0, 1.0, 5.0]
    check_gradients(run, [1.0, 2.0], 3.0)


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.bfloat16], ids=str)
def test_other_dtypes(dtype):
    def run(x):
        return ops.pad(x, (1, 0)), ops.pad(x, (1, 0), "replicate"), ops.narrow(x, 0, 0, 1)

    for result in both_forms(run, ms.Tensor([1, 0], dtype)):
        assert result.dtype is dtype


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0501", lambda x: ops.narrow(x, 1, 2, 2)), ("E0501", lambda x: ops.narrow(x, 1, -4, 1)),
     ("E0501", lambda x: ops.narrow(x, 1, PLACE, 2)), ("E0404", lambda x: ops.narrow(x, 1, 0, -1)),
     ("E0303", lambda x: ops.narrow(x, 1, 0.5, 1)), ("E0303", lambda x: ops.narrow(x, 1, 0, PLACE)),
     ("E0403", lambda x: ops.narrow(x, 3, 0, 1)), ("E0401", lambda x: ops.narrow(x, 1, PLACE, 4)),
     ("E0303", lambda x: ops.slice(x, (0, 0), (1, 1))),
     ("E0501", lambda x: ops.slice(x, (0, 0, 1), (1, 1, 4))),
     ("E0303", lambda x: ops.strided_slice(x, (0,), (1, 2), (1,))),
     ("E0404", lambda x: ops.strided_slice(x, (0,), (1,), (0,))),
     ("E0503", lambda x: ops.strided_slice(x, (0,) * 4, (1,) * 4, (1,) * 4)),
     ("E0501", lambda x: ops.strided_slice(x, (2,), (1,), (1,), shrink_axis_mask=1)),
     ("E0303", lambda x: ops.pad(x, (1,))), ("E0303", lambda x: ops.pad(x, (1, 1.5))),
     ("E0303", lambda x: ops.pad(x, (1,) * 8)), ("E0404", lambda x: ops.pad(x, (1, 1), "mirror")),
     ("E0404", lambda x: ops.pad(x, (4, 0), "reflect")),
     ("E0404", lambda x: ops.pad(x, (0, 5), "circular")),
     ("E0404", lambda x: ops.pad(x, (-1, 0), "replicate")),
     ("E0302", lambda x: ops.pad(x, (1, 1), "reflect", 1.0)),
     ("E0404", lambda x: ops.pad(x[..., :0], (1, 0), "replicate")),
     ("E0304", lambda x: ops.pad(x, (1, 1), value="a")),
     ("E0301", lambda x: ops.pad(x.int(), (1, 1), value=0.5)),
     ("E0303", lambda x: ops.pad(x, (PLACE, 1)))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X))


PLACE = ms.Tensor(2)
