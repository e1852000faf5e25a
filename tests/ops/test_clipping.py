"""Are several tensors scaled together by the norm of them all?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from support.forms import both_forms, check_gradients, refused

ARRAYS = [np.array([[3.0, -4.0], [1.0, 0.5]]), np.array(2.0), np.array([0.5, -6.0, 1.0])]


def norm_of(order, arrays=ARRAYS):
    row = np.abs(np.concatenate([a.ravel() for a in arrays]))
    return row.max() if order == float("inf") else (row**order).sum() ** (1 / order)


@pytest.mark.parametrize("order", [1, 2.0, 3.5, float("inf")])
@pytest.mark.parametrize("limit", [0.0, 1.0, 5.0, 100.0])
def test_by_norm(order, limit):
    def run(*tensors):
        return (*ops.clip_by_norm(list(tensors), limit, order),
                *ops.clip_by_norm(tensors, limit, norm_type=order),
                ops.clip_by_norm(tensors[0], limit, order))  # fmt: skip

    found = both_forms(run, *map(ms.Tensor, ARRAYS))
    factor = min(limit / (norm_of(order) + 1e-6), 1.0)
    for tensor, array in zip(found, ARRAYS * 2, strict=False):
        np.testing.assert_allclose(tensor.asnumpy(), array * factor, rtol=1e-14)
    factor = min(limit / (norm_of(order, ARRAYS[:1]) + 1e-6), 1.0)
    np.testing.assert_allclose(found[-1].asnumpy(), ARRAYS[0] * factor, rtol=1e-14)


@pytest.mark.parametrize("limit", [1.0, 8.0, 9.0])
def test_by_global_norm(limit):
    def run(*tensors):
        return ops.clip_by_global_norm(tensors, limit)

    found = both_forms(run, *map(ms.Tensor, ARRAYS))
    assert type(found) is tuple
    for tensor, array in zip(found, ARRAYS, strict=True):
        np.testing.assert_allclose(
            tensor.asnumpy(), array * limit / max(norm_of(2), limit), rtol=1e-14
        )

    def one(*tensors):
        return ops.concat([ops.reshape(x, (-1,)) for x in run(*tensors)])

    check_gradients(one, *ARRAYS)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_narrow_floats_do_not_overflow(dtype):
    big = ms.Tensor([300.0, 400.0], dtype)

    def run(x):
        return (*ops.clip_by_global_norm([x], 5.0), ops.clip_by_norm(x, 5.0))

    for found in both_forms(run, big):
        assert found.dtype is dtype
        np.testing.assert_allclose(found.astype(ms.float64).asnumpy(), [3.0, 4.0], rtol=4e-3)


def test_zeros_nan_and_infinities():
    zero = ms.Tensor([0.0, 0.0])
    for found in (ops.clip_by_global_norm((zero,))[0], ops.clip_by_norm(zero, 1.0)):
        assert found.tolist() == [0.0, 0.0]
    assert ms.grad(lambda x: ops.clip_by_global_norm((x,))[0])(zero).tolist() == [1.0, 1.0]
    lost = ops.clip_by_global_norm((ms.Tensor([float("nan")]), ms.Tensor([1.0])))
    assert [np.isnan(x.item()) for x in lost] == [True, True]
    vast = ops.clip_by_global_norm((ms.Tensor([float("inf"), 1.0]),))[0].asnumpy()
    assert np.isnan(vast[0]) and vast[1] == 0.0


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1)])
def test_the_cell(axis):
    x = ms.Tensor(ARRAYS[0], ms.float32)
    clip = nn.ClipByNorm(axis)
    for limit in (ms.Tensor(2.0), ms.Tensor([2.0])):
        found = both_forms(clip.construct, x, limit)
        length = np.sqrt((ARRAYS[0] ** 2).sum(axis, keepdims=True))
        expected = ARRAYS[0] * 2.0 / np.maximum(length, 2.0)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6)


def test_refused():
    x = ms.Tensor([1.0])

    def no_list(x):
        return ops.clip_by_global_norm(x)

    def none(x):
        return ops.clip_by_global_norm(()), x

    def integers(x):
        return ops.clip_by_global_norm((x.astype(ms.int32),))

    def zero(x):
        return ops.clip_by_global_norm((x,), 0.0)

    def norm(x):
        return ops.clip_by_global_norm((x,), 1.0, x)

    def order(x):
        return ops.clip_by_norm(x, 1.0, 0.5)

    def negative(x):
        return ops.clip_by_norm(x, -1.0)

    def checked(x):
        return ops.clip_by_norm(x, 1.0, error_if_nonfinite=True)

    def number(x):
        return ops.clip_by_norm([x, 1.0], 1.0)

    codes = {no_list: "E0304", none: "E0304", integers: "E0301", zero: "E0404", norm: "E0310",
             order: "E0404", negative: "E0404", checked: "E0310", number: "E0304"}  # fmt: skip
    for function, code in codes.items():
        refused(code, function, x)
