"""Methods that change the dtype, or give a number, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from support.forms import both_forms, refused

METHODS = {
    "float": ms.float32, "half": ms.float16, "double": ms.float64, "bfloat16": ms.bfloat16,
    "int": ms.int32, "long": ms.int64, "short": ms.int16, "byte": ms.uint8, "bool": ms.bool_,
}  # fmt: skip


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("dtype", [ms.float32, ms.int8, ms.bool_, ms.float16], ids=str)
def test_dtypes(name, dtype):
    method = ms.ops.METHODS[name]

    def run(x):
        return method(x), x.astype(METHODS[name])

    one, other = both_forms(run, ms.Tensor([0, 1, 1], dtype))
    assert one.dtype is other.dtype is METHODS[name]
    assert one.tolist() == other.tolist()


def test_gradients_come_back_in_the_dtype_of_the_input():
    def run(x):
        return x.half() * 2

    gradient = ms.grad(run)(ms.Tensor([1.0, 2.0]))
    assert (gradient.dtype, gradient.tolist()) == (ms.float32, [2.0, 2.0])


def test_item_stands_for_a_number():
    def run(x):
        return x * x.sum().item() + ms.ops.reshape(x, (2, 1)).sum().item()

    assert both_forms(run, ms.Tensor([1.0, 2.0])).tolist() == [6.0, 9.0]
    assert ms.Tensor([[2.5]]).item() == 2.5

    def of_several(x):
        return x + x.item()

    refused("E0405", of_several, ms.Tensor([1.0, 2.0]))
    np.testing.assert_array_equal(
        ms.grad(lambda x: x.sum().item() * x.max())(ms.Tensor([1.0, 2.0])).asnumpy(), [2.0, 5.0]
    )


def test_the_dtype_of_a_tensor_is_set():
    x = ms.Tensor([1.5, -2.5])
    shared = x
    assert x.set_dtype(ms.int32) is x and shared.dtype is ms.int32 and x.tolist() == [1, -2]
    assert x.set_dtype("float16").dtype is ms.float16
    with pytest.raises(ms.S2sadError, match="E0304"):
        ms.Parameter(ms.Tensor([1.0])).set_dtype(ms.float16)
    with pytest.raises(ms.S2sadError, match="E0304"):
        ms.compile(lambda x: x.set_dtype(ms.float16))(ms.Tensor([1.0]))
    with pytest.raises(ms.S2sadError, match="E0303"):
        x.set_dtype("float17")
