"""Do operations and methods give what was seen of MindSpore: values, dtypes, shapes, errors?

One row a statement. Where MindSpore's own behaviour is a fault, the row has what is right.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.ops import METHODS
from support.forms import both_forms, plain

INF, NAN = float("inf"), float("nan")
NOTHING, TWO_AND_A_HALF, ONE = None, np.float64(2.5), np.int64(1)


def of(dtype):
    return lambda values: ms.Tensor(values, dtype)


f16, f32, f64, bf16 = of(ms.float16), of(ms.float32), of(ms.float64), of(ms.bfloat16)
i8, u8, i32, i64, b = of(ms.int8), of(ms.uint8), of(ms.int32), of(ms.int64), of(ms.bool_)


def check(function, args, expected):
    """Both forms of ``function(*args)`` are `expected`: dtypes, shapes, values to the last bit."""
    found = both_forms(function, *args)
    found = found if isinstance(found, (tuple, list)) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    assert [x.dtype for x in found] == [x.dtype for x in expected]
    assert str(plain(list(found))) == str(plain(list(expected)))


X = [[1.0, 2.0], [3.0, 6.0]]
LONG = [0, 1, 2, 3, 4, 5, 6]

METHOD_FORMS = {
    "sum of ints": (lambda x: (x.sum(), x.sum(0), x.sum(axis=1, dtype=ms.float32)),
        i32([[1, 2], [3, 4]]), (i64(10), i64([4, 6]), f32([3, 7]))),
    "sum, both spellings": (
        lambda x: (x.sum(1, None, True), x.sum(1, keepdims=True), x.sum(dim=1, keepdim=True),
            x.sum(initial=1.0)),
        f32(X), (f32([[3], [9]]),) * 3 + (f32(13),)),
    "sum of bools": (lambda x: x.sum(), b([True, True]), i64(2)),
    "mean of ints is truncated": (lambda x: (x.mean(), x.mean(0, True)),
        i32([-1, -2]), (i32(-1), i32([-1]))),
    "mean, both spellings": (
        lambda x: (x.mean(1, True), x.mean(dim=1, keepdim=True), x.mean(dtype=ms.float64)),
        f32(X), (f32([[1.5], [4.5]]),) * 2 + (f64(3),)),
    "prod": (lambda x: (x.prod(), x.prod(1, True), x.prod(dim=1, keepdim=True)),
        i8([[100, 2], [3, 4]]), (i64(2400), i64([[200], [12]]), i64([[200], [12]]))),
    "max gives values": (
        lambda x: (x.max(), x.max(1), x.max(0, True), x.max(1, return_indices=True)[1]),
        f32(X), (f32(6), f32([2, 6]), f32([[3, 6]]), i64([1, 1]))),
    "max by dim gives a pair": (lambda x: x.max(dim=1), f32(X), (f32([2, 6]), i64([1, 1]))),
    "min with initial and where": (
        lambda x: (x.min(initial=0.5), x.min(0, initial=9.0, where=x > 1)),
        f32(X), (f32(0.5), f32([3, 2]))),
    "argmax and argmin": (
        lambda x: (x.argmax(), x.argmax(1), x.argmin(0, True), x.argmax(dim=1, keepdim=True)),
        f32(X), (i64(3), i64([1, 1]), i32([[0, 0]]), i64([[1], [1]]))),
    "std and var are of the population": (
        lambda x: (x.var(), x.std(), x.var(1, 1), x.var(dim=1), x.var(1, correction=0)),
        f32([[1.0, 3.0], [2.0, 6.0]]),
        (f32(3.5), f32(1.8708287), f32([2, 8]), f32([2, 8]), f32([1, 4]))),
    "all and any": (lambda x: (x.all(), x.any(1), x.all(0, True), x.any(dim=0, keepdim=True)),
        b([[True, False], [False, False]]),
        (b(False), b([True, False]), b([[False, False]]), b([[True, False]]))),
    "cumsum keeps int32": (
        lambda x: (x.cumsum(0), x.cumsum(), x.cumsum(axis=0, dtype=ms.int64), x.cumsum(dim=1)),
        i32([[1, 2], [3, 4]]),
        (i32([[1, 2], [4, 6]]), i32([1, 3, 6, 10]), i64([[1, 2], [4, 6]]), i32([[1, 3], [3, 7]]))),
    "sort": (lambda x: (*x.sort(), *x.sort(0, True), *x.sort(dim=-1, descending=True, stable=True)),
        f32([[2.0, 1.0]]),
        (f32([[1, 2]]), i32([[1, 0]]), f32([[2, 1]]), i32([[0, 0]]), f32([[2, 1]]), i32([[0, 1]]))),
    "argsort": (lambda x: (x.argsort(), x.argsort(-1, True), x.argsort(dim=0)),
        f32([2.0, 1.0, 3.0]), (i32([1, 0, 2]), i32([2, 0, 1]), i32([1, 0, 2]))),
    "topk": (lambda x: (*x.topk(2), *x.topk(1, 0, False)),
        f32([2.0, 1.0, 3.0]), (f32([3, 2]), i32([2, 0]), f32([1]), i32([1]))),
    "median": (lambda x: (*x.median(), *x.median(0, True)),
        f32([[3.0, 1.0, 2.0]]), (f32([2]), i64([2]), f32([[3, 1, 2]]), i64([[0, 0, 0]]))),
    "transpose": (lambda x: (x.transpose(1, 0), x.transpose(0, 1), x.transpose((1, 0)), x.T),
        f32([[1.0, 2.0]]), (f32([[1], [2]]), f32([[1, 2]]), f32([[1], [2]]), f32([[1], [2]]))),
    "two of three axes": (
        lambda x: (x.transpose(0, 2), x.transpose(dim0=0, dim1=2), x.swapaxes(0, 2)),
        f32([[[1.0, 2.0]]]), (f32([[[1]], [[2]]]),) * 3),
    "shapes one by one or in a tuple": (
        lambda x: (x.reshape(2, 2), x.view((2, -1)), x.broadcast_to(1, 4), x.expand(2, -1),
            x.squeeze()),
        f32([1.0, 2.0, 3.0, 4.0]),
        (f32([[1, 2], [3, 4]]), ) * 2 + (f32([[1, 2, 3, 4]]), f32([[1, 2, 3, 4]] * 2),
            f32([1, 2, 3, 4]))),
    "flatten starts at 0": (lambda x: (x.flatten(), ops.flatten(x), x.flatten(start_dim=1)),
        f32([X]), (f32([1, 2, 3, 6]), f32([[1, 2, 3, 6]]), f32([[1, 2, 3, 6]]))),
    "split by size": (lambda x: (*x.split(4), *x.split([2, 5], 0), *ops.split(x, 5)),
        i32(LONG),
        (i32(LONG[:4]), i32(LONG[4:]), i32(LONG[:2]), i32(LONG[2:]), i32(LONG[:5]), i32(LONG[5:]))),
    "chunk": (lambda x: x.chunk(3), i32(LONG), (i32(LONG[:3]), i32(LONG[3:6]), i32(LONG[6:]))),
    "gather, both forms": (
        lambda x: (x.gather(ms.Tensor([1]), 0), x.gather(1, ms.Tensor([[1], [0]]))),
        f32(X), (f32([[3, 6]]), f32([[2], [3]]))),
    "scatter, both spellings": (
        lambda x: (x.scatter(1, ms.Tensor([[1], [0]]), f32([[9.0], [8.0]])),
            x.scatter(dim=1, index=ms.Tensor([[1], [0]]), src=f32([[9.0], [8.0]]))),
        f32(X), (f32([[1, 9], [8, 6]]),) * 2),
    "where keeps itself": (lambda x: x.where(x > 1, 0.0), f32(X), f32([[0, 2], [3, 6]])),
    "select, both forms": (lambda x: (x.select(x > 1, x * 0), x.select(1, 0)),
        f32(X), (f32([[0, 2], [3, 6]]), f32([1, 3]))),
    "masked and indexed": (
        lambda x: (x.masked_fill(x > 2, -1.0), x.index_select(1, ms.Tensor([1, 1])),
            x.index_add(ms.Tensor([0], ms.int32), f32([[1.0, 1.0]]), 0),
            x.index_add(0, ms.Tensor([0], ms.int32), f32([[1.0, 1.0]]), alpha=2)),
        f32(X),
        (f32([[1, 2], [-1, -1]]), f32([[2, 2], [6, 6]]), f32([[2, 3], [3, 6]]),
            f32([[3, 4], [3, 6]]))),
    "repeats": (
        lambda x: (x.repeat_interleave(2, 0), x.repeat_interleave(2), x.tile((2, 1)), x.roll(1, 1)),
        f32([[1.0, 2.0]]),
        (f32([[1, 2], [1, 2]]), f32([1, 1, 2, 2]), f32([[1, 2], [1, 2]]), f32([[2, 1]]))),
    "take clips": (lambda x: (x.take(ms.Tensor([0, 9])), x.take(ms.Tensor([-1]), 0, "wrap")),
        f32(X), (f32([1, 6]), f32([[3, 6]]))),
    "clip and clamp": (lambda x: (x.clip(2, 4), x.clamp(min=2), x.clamp(max=2.0)),
        f32(X), (f32([[2, 2], [3, 4]]), f32([[2, 2], [3, 6]]), f32([[1, 2], [2, 2]]))),
    "round, div, add, sub": (
        lambda x: (x.round(), x.round(1), x.div(2, rounding_mode="floor"),
            x.divide(2, rounding_mode="trunc"), x.add(1, alpha=3), x.sub(1, alpha=3)),
        f32([-1.25, 2.5]),
        (f32([-1, 2]), f32([-1.2, 2.5]), f32([-1, 1]), f32([-0.0, 1]), f32([1.75, 5.5]),
            f32([-4.25, -0.5]))),
    "logsumexp, norm, softmax": (lambda x: (x.logsumexp(1), x.norm(), x.norm(1, 0), x.softmax(0)),
        f32([[0.0, -INF], [0.0, -INF]]),
        (f32([0, 0]), f32(INF), f32([0, INF]), f32([[0.5, 0.5], [0.5, 0.5]]))),
    "nan_to_num": (lambda x: (x.nan_to_num(), x.nan_to_num(1.0, 2.0, 3.0)),
        f16([NAN, INF, -INF]), (f16([0, 65504, -65504]), f16([1, 2, 3]))),
    "new tensors": (lambda x: (x.new_zeros(2), x.new_ones((1, 2), ms.int32), x.new_full((2,), 3)),
        f16([1.0]), (f16([0, 0]), i32([[1, 1]]), f16([3, 3]))),
    "narrow, both spellings": (
        lambda x: (x.narrow(0, 1, 1), x.narrow(dim=1, start=0, length=1),
            x.narrow(axis=1, start=0, length=1)),
        f32(X), (f32([[3, 6]]), f32([[1], [3]]), f32([[1], [3]]))),
    "itemset gives another": (lambda x: (x.itemset((0, 1), 9.0), x),
        f32(X), (f32([[1, 9], [3, 6]]), f32(X))),
    "casts": (
        lambda x: (x.int(), x.long(), x.half(), x.float(), x.double(), x.bool(), x.to(ms.int8)),
        f32([-1.7, 0.0, 1.7]),
        (i32([-1, 0, 1]), i64([-1, 0, 1]), f16([-1.7, 0, 1.7]), f32([-1.7, 0, 1.7]),
            f64(np.float32([-1.7, 0, 1.7])), b([True, False, True]), i8([-1, 0, 1]))),
    "value, copy, clone, fill": (
        lambda x: (x.value(), x.copy(), x.clone(), x.contiguous(), x.fill(7)),
        f32([1.0]), (f32([1]),) * 4 + (f32([7]),)),
    "None is not equal": (
        lambda x: x * (2.0 if x == NOTHING else 3.0) + (1.0 if x != NOTHING else 0.0),
        f32([1.0]), f32([4])),
    "not is logical": (lambda x: ~x, i32([0, 1, 5]), b([True, False, False])),
}  # fmt: skip


@pytest.mark.parametrize("case", METHOD_FORMS)
def test_methods(case):
    function, x, expected = METHOD_FORMS[case]
    check(function, [x], expected)


MEETINGS = {
    "int8 wraps": (lambda x: x + 300, i8([1]), i8([45])),
    "uint8 wraps": (lambda x: x - 2, u8([1]), u8([255])),
    "uint8 with int8": (lambda x: x + i8([-1]), u8([255]), of(ms.int16)([254])),
    "int64 with float16": (lambda x: x + f16([0.5]), i64([1]), f16([1.5])),
    "float16 with bfloat16": (lambda x: x + bf16([0.5]), f16([1]), f32([1.5])),
    "bool with uint8": (lambda x: x + u8([1]), b([True]), u8([2])),
    "an int with a float number": (lambda x: (x + 0.5, x * 1.0), i64([1]), (f32([1.5]), f32([1]))),
    "a bool with an int number": (lambda x: x + 1, b([True]), i64([2])),
    "a float keeps its dtype": (lambda x: (x + 1, x * 0.5), f16([1]), (f16([2]), f16([0.5]))),
    "a 0-d tensor takes part": (lambda x: x + ms.Tensor(1.0, ms.float64), f32([1]), f64([2])),
    "division of ints": (lambda x: x / 2, i32([3, -3]), f32([1.5, -1.5])),
    "floor and remainder": (lambda x: (x // 2, x % 2, x // -2, x % -2),
        i32([7, -7]), (i32([3, -4]), i32([1, 1]), i32([-4, 3]), i32([-1, -1]))),
    "comparisons give bool": (lambda x: (x < 2, x == 1.5, x >= u8([1])),
        i32([1]), (b([True]), b([False]), b([True]))),
    "numbers of NumPy": (lambda x: x * TWO_AND_A_HALF + ONE, f32([2]), f32([6])),
}  # fmt: skip


@pytest.mark.parametrize("case", MEETINGS)
def test_dtypes_that_meet(case):
    function, x, expected = MEETINGS[case]
    check(function, [x], expected)


NOTES = {
    "max and min give pairs": (lambda x: (*ops.max(x), *ops.min(x, 1), *ops.max(x, 0, True)),
        f32(X), (f32(6), i64(3), f32([1, 3]), i64([0, 0]), f32([[3, 6]]), i64([[1, 1]]))),
    "argmin is int32, argmax int64": (lambda x: (ops.argmin(x), ops.argmax(x)),
        f32(X), (i32(0), i64(3))),
    "sum": (lambda x: (ops.sum(x), ops.sum(x, 1, True, dtype=ms.float16), ops.sum(x > 1)),
        i8([[100, 100]]), (i64(200), f16([[200]]), i64(2))),
    "full and one_hot": (
        lambda x: (ops.full((2,), 3), ops.one_hot(x, 3), ops.one_hot(x, 3, 1.0, 0.0, 0)),
        i32([1, -1]), (i64([3, 3]), i64([[0, 1, 0], [0, 0, 0]]), f32([[0, 0], [1, 0], [0, 0]]))),
    "arange": (lambda x: (ops.arange(3), ops.arange(5.0), ops.arange(1, 7, 3), ops.range(4, 0, -2)),
        f32([]), (i64([0, 1, 2]), f32([0, 1, 2, 3, 4]), i64([1, 4]), i64([4, 2]))),
    "meshgrid is of points": (
        lambda x: (*ops.meshgrid(x, x[:1]), *ops.meshgrid(x, x[:1], indexing="ij")),
        i32([1, 2]), (i32([[1, 2]]), i32([[1, 1]]), i32([[1], [2]]), i32([[1], [1]]))),
    "cast truncates": (lambda x: ops.cast(x, ms.int32), f32([-1.9, 1.9]), i32([-1, 1])),
    "gather takes negative indices": (lambda x: ops.gather(x, ms.Tensor([-1, 0]), 0),
        i32([1, 2, 3]), i32([3, 1])),
    "einsum": (lambda x: ops.einsum("ij,jk->ik", x, x),
        f32([[1.0, 2.0], [3.0, 4.0]]), f32([[7, 10], [15, 22]])),
    "where of numbers": (lambda x: (ops.where(x > 0, 1.0, 0.0), ops.where(x > 0, 1, x)),
        f32([1.0, -1.0]), (f32([1, 0]), f32([1, -1]))),
    "global norm": (lambda x: ops.clip_by_global_norm((x, x * 0), 2.5),
        f32([3.0, 4.0]), (f32([1.5, 2]), f32([0, 0]))),
    "rms_norm": (lambda x: ops.rms_norm(x, f32([1.0, 2.0]), 0.0)[0],
        f32([[1.0, 7.0]]), f32([[0.2, 2.8]])),
    "depend and identity": (lambda x: (ops.depend(x, x + 1), ops.identity(x)),
        f32([1.0]), (f32([1]), f32([1]))),
    "names of primitives": (
        lambda x: (ops.reduce_sum(x), ops.reduce_mean(x, 0), ops.reduce_max(x, -1, True),
            ops.reduce_sum(x, skip_mode=True), ops.pows(x, 2)),
        i8([[100, 100]]), (i8(-56), i8([100, 100]), i8([[100]]), i8([[100, 100]]), i8([[16, 16]]))),
    "median, cummax, nansum": (
        lambda x: (*ops.median(x), *ops.cummax(x, 0), ops.nansum(x), ops.nanmean(x)),
        f32([1.0, NAN, 0.5]),
        (f32(NAN), i64(1), f32([1, NAN, NAN]), i64([0, 1, 1]), f32(1.5), f32(0.75))),
    "count_nonzero": (lambda x: (ops.count_nonzero(x), ops.count_nonzero(x, 1, True)),
        f32([[0.0, 2.0], [NAN, 0.0]]), (i32(2), i32([[1], [1]]))),
}  # fmt: skip


@pytest.mark.parametrize("case", NOTES)
def test_functions(case):
    function, x, expected = NOTES[case]
    check(function, [x], expected)


KINKS = {
    "abs": (ops.abs, [0.0], [0.0]), "relu": (ops.relu, [0.0], [0.0]),
    "relu6": (ops.relu6, [0.0], [0.0]), "sign": (ops.sign, [0.5], [0.0]),
    "leaky_relu": (lambda x: ops.leaky_relu(x, 0.5), [0.0], [0.75]), "elu": (ops.elu, [0.0], [1.0]),
    "maximum": (lambda x: ops.maximum(x, 1.0), [1.0], [0.5]),
    "max": (lambda x: ops.max(x)[0], [3.0, 1.0, 3.0], [0.5, 0.0, 0.5]),
    "amin": (ops.amin,
        [1.0, 2.0, 1.0], [0.5, 0.0, 0.5]), "min": (lambda x: x.min(), [2.0, 2.0], [0.5, 0.5]),
    "clip": (lambda x: ops.clip(x, 0.0, 1.0), [0.0, 1.0, 2.0], [1.0, 1.0, 0.0]),
    "sqrt": (ops.sqrt, [0.0], [INF]), "pow": (lambda x: x**0.5, [0.0], [INF]),
    "reciprocal": (lambda x: 1 / x, [0.0], [-INF]), "norm": (ops.norm, [0.0, 2.0], [0.0, 1.0]),
    "median": (lambda x: ops.median(x)[0], [3.0, 1.0, 2.0], [0.0, 0.0, 1.0]),
    "prod": (ops.prod, [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
    "where": (lambda x: ops.where(x > 0, ops.log(x), 0.0), [0.0, 2.0], [0.0, 0.5]),
    "remainder": (lambda x: x % 3.0,
        [5.0, -5.0], [1.0, 1.0]), "floor": (lambda x: x // 3.0, [5.0], [0.0]),
    "cast to int": (lambda x: x.astype(ms.int32).astype(ms.float32) + x * 0, [1.5], [0.0]),
    "comparison": (lambda x: (x > 1.0).astype(ms.float32) + x * 0, [1.5], [0.0]),
}  # fmt: skip


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("case", KINKS)
def test_gradients_at_kinks(case, mode):
    ms.set_context(mode=mode)
    function, x, expected = KINKS[case]
    for dtype in (ms.float16, ms.float32, ms.float64):
        gradient = ms.grad(function)(ms.Tensor(x, dtype))
        assert gradient.dtype is dtype and gradient.tolist() == expected


REFUSED = {
    "no data": (TypeError, lambda: ms.Tensor(None)), "text": (TypeError, lambda: ms.Tensor("a")),
    "a set": (TypeError,
        lambda: ms.Tensor({1})), "another device": (RuntimeError,
        lambda: ms.Tensor(1, device="Ascend")),
    "bool of several": (ValueError,
        lambda: bool(f32([1, 2]))), "int of several": (ValueError, lambda: int(f32([1, 2]))),
    "length of 0-d": (TypeError,
        lambda: len(f32(1))), "rows of 0-d": (TypeError, lambda: list(f32(1))),
    "shapes that do not broadcast": (ValueError, lambda: f32([1, 2]) + f32([1, 2, 3])),
    "matmul of other sizes": (ValueError, lambda: ops.matmul(f32([[1, 2]]), f32([[1, 2]]))),
    "an index out of range": (IndexError, lambda: ops.gather(f32([1, 2]), i64([2]), 0)),
    "two spellings at once": (TypeError, lambda: f32(X).sum(axis=0, dim=0)),
    "concat of different dtypes": (TypeError, lambda: ops.concat((i32([1]), f32([0.5])))),
    "another device of a Parameter": (
        RuntimeError, lambda: ms.Parameter(f32(1), device="GPU")),
    "a format of a Parameter": (ValueError, lambda: ms.Parameter(f32(1), storage_format="NZ")),
    "const_arg": (TypeError, lambda: ms.Tensor(1, const_arg=1)),
    "no such argument": (TypeError, lambda: f32(X).mean(axes=0)),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    kind, call = REFUSED[case]
    with pytest.raises(kind):
        call()


def test_tensor_protocol():
    x = f32([1.0, 2.5])
    assert f"{f32(2.5):.1f}" == "2.5" and int(f32([3.7])) == 3 and 2.5 in x and x.device == "CPU"
    assert hash(x) == hash(x) != hash(f32([1.0, 2.5])) and (x == NOTHING) is False
    found = [ms.Tensor(data).dtype for data in (1, 1.0, True, [1, 2.5])]
    assert found == [ms.int64, ms.float32, ms.bool_, ms.float32]
    assert ms.tensor(np.ones(2)).dtype is ms.float64 and ms.tensor(x, ms.int32).tolist() == [1, 2]
    assert x.data_ptr() == x.asnumpy().ctypes.data and ms.is_tensor(obj=x)
    y = x
    y += 1
    assert x.tolist() == [1.0, 2.5] and y.tolist() == [2.0, 3.5]


def test_methods_are_there():
    for name in ("sum", "view", "to", "swapaxes", "type_as", "value", "itemset", "new_zeros"):
        assert name in METHODS
