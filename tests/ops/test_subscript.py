"""Reading ``x[...]`` against NumPy, in both forms, with its gradients and its errors."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import s2sad as ms
from s2sad import ops
from s2sad.backends.numpy import build
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.types import f64, i64
from s2sad.ops.subscript import getitem
from support.forms import both_forms, check_gradients, refused

SHAPE = (4, 3, 5)


def array(*shape):
    return np.arange(float(np.prod(shape))).reshape(shape)


X = array(*SHAPE)
D = ms.Tensor(2)  # an index that is data


def read(index):
    """``x[index]`` in both forms, held to NumPy."""
    result = both_forms(lambda x: x[index], ms.Tensor(X))
    np.testing.assert_array_equal(result.asnumpy(), X[plain(index)])
    assert result.shape == X[plain(index)].shape


def plain(index):
    """`index` with NumPy's arrays for Tensors."""
    if isinstance(index, ms.Tensor):
        return index.asnumpy()
    if isinstance(index, tuple):
        return tuple(plain(item) for item in index)
    return [plain(item) for item in index] if isinstance(index, list) else index


I1, I2 = ms.Tensor([2, 0, 2]), ms.Tensor([[1], [-1]])

INDICES = [
    0, -1, np.int64(2), slice(1, 3), slice(None, None, -1), slice(-1, 0, -2), slice(3, 1),
    slice(10, 20), slice(np.int32(1), None), ..., None, (), (0, 1, 2), (-4, -3, -5), (0, ..., 1),
    (..., None, 0), (None, 1, None), (slice(None, None, 2), -1), (0, None, slice(None, None, -2)),
    (..., slice(1, 4), None), (slice(2), slice(1, 1), 3), (slice(None), ..., slice(None)),
    # data without axes
    D, (D, 0), (0, D), (slice(None), D), (..., D), (D, D, D), (D, slice(None, None, -2)),
    (slice(1, 3), D, slice(None, None, 2)), (None, D, None), (slice(2, 0, -1), 1, D),
    (slice(3, 3), D),
    # index arrays
    [0, 2, 2], [-1, 0], [], I1, I2, [[0, 1], [2, -1]], (I1, I1, I1), (I1, I2), (I1, 0), (0, I1),
    (slice(None), I1), (..., I1), (slice(None), I1, 1), (slice(None), 1, I1), (I1, slice(None), I1),
    (0, slice(None), I1), (I1, slice(None), 0), (slice(1, 3), I1), (I1, slice(1, 3)),
    (I1, None, I1), (None, I1), (I1, None), (..., [0, 1], None), (slice(None), I2, I1),
    (slice(1, None, 2), I2, slice(None, None, -1)), (D, I1), (I1, D), (D, slice(None), I1),
    (slice(None), D, I1), (slice(None), I1, D), ([0, 1], ..., D), (I1, ..., 1, None),
    ([0, 1], slice(None), ..., slice(None)), ((0, 1), (2, 0)), (range(2), range(2)), [D, 1],
    (0, 1, I1), (I1, ..., I1, 0), ([1, 2], Ellipsis, 0, 0), (None, 0, I1, None, 0),
    # masks that are known
    [True, False, True, False], ([True, False, False, True], 0), (0, [True, False, True]),
    (slice(None), [False, False, False]), True, False, (True, 0), (0, True, [1, 2]),
    ([[True, False, True]] * 4, slice(None, 2)), (None, True, slice(None)),
    (slice(None), False, [[1]]),
]  # fmt: skip


@pytest.mark.parametrize("index", INDICES, ids=repr)
def test_against_numpy(index):
    read(index)


@st.composite
def shapes_and_indices(draw):
    """A shape, and an index into it."""
    shape = tuple(draw(st.lists(st.sampled_from([3, 2, 4, 1, 0]), max_size=4)))
    common = draw(st.sampled_from([(), (2,), (1, 3), (2, 0)]))
    first = draw(st.integers(0, len(shape)))
    last = min(first + draw(st.integers(0, 2)), len(shape))
    front, back = (
        [draw(one_item(size, common)) for size in part] for part in (shape[:first], shape[last:])
    )
    items = [*front, ..., *back] if draw(st.booleans()) else front
    for _ in range(draw(st.integers(0, 2))):
        items.insert(draw(st.integers(0, len(items))), None)
    return shape, tuple(items)


@st.composite
def one_item(draw, size, common):
    """What indexes an axis of `size`; arrays broadcast to `common`."""
    kind = draw(st.sampled_from(["slice", "int", "data", "list", "tensor", "mask"]))
    if kind == "slice" or (kind != "mask" and not size):
        bounds = st.none() | st.integers(-6, 6)
        return slice(draw(bounds), draw(bounds), draw(st.sampled_from([None, 1, 2, 3, -1, -2])))
    if kind == "mask":  # which counts as an index array as long as it has True
        count = min(common[-1] if common else 1, size)
        return draw(st.permutations([True] * count + [False] * (size - count)))
    place = st.integers(-size, size - 1)
    if kind in ("int", "data"):
        return draw(place) if kind == "int" else ms.Tensor(draw(place), ms.int32)
    widths = draw(st.sampled_from([common, (1,) * len(common), common[1:]]))
    found = np.array([draw(place) for _ in range(np.prod(widths, dtype=int))], np.int64)
    found = found.reshape(widths)
    return ms.Tensor(found) if kind == "tensor" or not found.ndim else found.tolist()


@settings(max_examples=150, deadline=None)
@given(shapes_and_indices())
def test_whatever_numpy_reads(case):
    shape, index = case
    x = array(*shape)
    try:
        expected = x[plain(index)]
    except IndexError as error:  # index arrays that do not broadcast, or masks beside them
        refused("E0401", lambda x: x[index], ms.Tensor(x))
        assert "broadcast" in str(error)
        return
    result = both_forms(lambda x: x[index], ms.Tensor(x))
    np.testing.assert_array_equal(result.asnumpy(), expected)
    assert result.shape == expected.shape


# ---- gradients ------------------------------------------------------------------------------

GRADIENTS = [
    (1, slice(None), slice(None, None, -2)), (..., slice(1, 4), None), (D, 0), (slice(None), D),
    (D, slice(2, None, -1), slice(0, 5, 3)), [2, 0, 2], (I1, I1), (slice(None), I1, 1),
    (I2, slice(1, 3), I1), (D, I1, slice(None, None, -1)), (I1, D, I1), (0, I1, [0, 0, 0]),
    [True, False, True, False], (slice(1, 1),), (slice(None), I2, I1), (True, I1),
]  # fmt: skip


@pytest.mark.parametrize("index", GRADIENTS, ids=repr)
def test_gradients(index):
    check_gradients(lambda x: (x * x)[index] * x[index], X / 10)


@pytest.mark.parametrize("index", GRADIENTS[::2], ids=repr)
def test_second_gradients(index):
    def cubes(x):
        return (x[index] * x[index] * (x * x)[index]).sum() + x[index].sum()

    gradient = ms.compile(ms.grad(cubes))  # once, not for every difference
    check_gradients(lambda x: gradient(x), X / 10)


def test_what_is_read_twice_gets_the_sum():
    def run(x, w):
        return (x[[0, 2, 0]] * w).sum() + x[0] + x[..., -1] + x[1:].sum()

    found = ms.grad(run)(ms.Tensor([1.0, 1.0, 1.0]), ms.Tensor([1.0, 10.0, 100.0]))
    assert found.tolist() == [102.0, 1.0, 12.0]


@pytest.mark.parametrize(
    "index", [(I1, I1), I2, (slice(None), I1), (D, I1), (I1, None, I1)], ids=repr
)
def test_gradients_of_places_named_several_times(index):
    def run(x):
        return x[index]

    expected = np.zeros(SHAPE)
    weights = np.arange(1.0, 1.0 + X[plain(index)].size).reshape(X[plain(index)].shape)
    np.add.at(expected, plain(index), weights)
    _, found = ms.value_and_grad(run, sens_param=True)(ms.Tensor(X), ms.Tensor(weights))
    np.testing.assert_array_equal(found.asnumpy(), expected)


def test_what_is_not_read_gets_exactly_zero():
    def run(x):
        return ops.sqrt(x[1]) + ops.sqrt(x[:1]).sum()

    x = ms.Tensor([4.0, 16.0, 0.0, -1.0])
    assert ms.grad(run)(x).tolist() == [0.25, 0.125, 0.0, 0.0]


# ---- a loop that reads ----------------------------------------------------------------------


def rows_in_a_loop(x, n):
    total = x[0] * 0
    for i in range(n):
        total = ops.tanh(total * x[i] + x[-1 - i])
    return total.sum()


def elements_in_a_loop(x, n):
    total = x[0, 0] * 0
    for i in range(n):
        total = total + x[i, 1] * x[-1, i] + x[i, i]
    return total


def windows_in_a_loop(x, n):
    total = x[0] * 0
    for i in range(n):
        total = total * 0.5 + x[:, i] + ops.narrow(x, 1, i, 3).sum(1) + x[i, 1:4:2].sum()
    return total.sum()


def arrays_in_a_loop(x, n):
    total = x[0, :2] * 0
    for i in range(n):
        total = total * x[i, [0, 0]] + x[[i, 0], [1, i]] + x[i][[2, 1]]
    return total.sum()


LOOPS = [rows_in_a_loop, elements_in_a_loop, windows_in_a_loop, arrays_in_a_loop]


@pytest.mark.parametrize("loop", LOOPS)
def test_loops_over_data(loop):
    x = np.random.default_rng(0).normal(size=(6, 6))

    def run(x):
        return loop(x, 4)  # written out

    def on_data(x):
        return loop(x, ms.ops.stop_gradient(x[0, 0] * 0 + 4).astype(ms.int64))

    expected, gradient = ms.value_and_grad(run)(ms.Tensor(x))
    found = ms.value_and_grad(on_data)(ms.Tensor(x))
    np.testing.assert_allclose(found[0].asnumpy(), expected.asnumpy(), rtol=1e-12)
    np.testing.assert_allclose(found[1].asnumpy(), gradient.asnumpy(), rtol=1e-12, atol=1e-12)
    check_gradients(run, x)


@pytest.mark.parametrize("loop", LOOPS)
def test_the_reverse_of_a_loop_that_reads_makes_no_dense_zeros(loop):
    compiled = ms.compile(ms.grad(loop))
    compiled(ms.Tensor(np.ones((7, 7))), ms.Tensor(2))
    program = compiled.stages["dce"]
    *_, reverse = [op for op in program.body.operations if op.prim.name == "for_"]
    made = [(op, value) for op in reverse.regions["body"].walk() for value in op.results]
    dense = [op for op, value in made if getattr(value.type, "size", 0) == 49]
    assert dense and all(op.prim.in_place is not None for op in dense)
    source = build(program).source
    assert all(f"{op.prim.name}_in_place" in source for op in dense)


def test_reading_rows_costs_a_row():
    seconds = {}
    for n in (500, 2000):
        compiled = ms.compile(ms.grad(rows_in_a_loop))
        x, count = ms.Tensor(np.ones((n, 64))), ms.Tensor(n)
        compiled(x, ms.Tensor(3))
        start = time.process_time()
        compiled(x, count)
        seconds[n] = time.process_time() - start
    assert seconds[2000] < 9 * seconds[500]  # the dense form costs 16 times as much


def test_static_reads_are_added_in_place():
    def run(x):
        return x[0] * x[1] + x[2, ...] * x[1] + x[1:3].sum() * x[0]

    compiled = ms.compile(ms.grad(run))
    found = compiled(ms.Tensor([2.0, 3.0, 5.0]))
    assert found.tolist() == [3.0 + 8.0, 2.0 + 5.0 + 2.0, 3.0 + 2.0]
    names = [op.prim.name for op in compiled.stages["joint"].walk()]
    assert names.count("pad") == 1 and names.count("update_add") == 5


# ---- errors ---------------------------------------------------------------------------------

REFUSED = [
    ("E0501", 4), ("E0501", -5), ("E0501", (0, 3)), ("E0501", (..., 5)), ("E0501", (None, 4)),
    ("E0501", [0, 4]), ("E0501", (0, [[1, -4]])), ("E0503", (0, 0, 0, 0)), ("E0503", (..., 0, ...)),
    ("E0503", ([True] * 3,)), ("E0503", (slice(None), [[True] * 3] * 2)),
    ("E0503", ([[[True]]], 0)), ("E0304", "a"), ("E0304", 1.0), ("E0304", (0, {})),
    ("E0304", [1.5]), ("E0304", slice(1.5)), ("E0304", ["a"]), ("E0401", [[1], [1, 2]]),
    ("E0404", slice(None, None, 0)), ("E0301", ms.Tensor([1.0])), ("E0401", ([0, 1], [0, 1, 2])),
    ("E0501", ms.Tensor(4)), ("E0501", (I1, ms.Tensor(3))), ("E0501", (0, ms.Tensor([-4]))),
    ("E0501", (slice(1, 2), ms.Tensor(7))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "index"), REFUSED, ids=repr)
def test_refused(code, index):
    def run(x):
        return x[index]

    refused(code, run, ms.Tensor(X))


def test_an_index_out_of_range_is_named_with_axis_and_size():
    def run(x):
        return x[:, 1, -6]

    for function in (run, ms.compile(run)):
        with pytest.raises(IndexError, match="index -6 is out of range for axis 2 of size 5"):
            function(ms.Tensor(X))


@pytest.mark.parametrize("index", [ms.Tensor(X[..., 0] > 20), ms.Tensor([True, False, True, True]),
                                   (ms.Tensor(True), 0), (0, ms.Tensor([True, False, True]))],
                         ids=repr)  # fmt: skip
def test_masks_that_are_data(index):
    def run(x):
        return x[index]

    np.testing.assert_array_equal(run(ms.Tensor(X)).asnumpy(), X[plain(index)])
    with pytest.raises(TypeError, match=r"E0305.*\n.*\n.*\n.*x\[index\](.*\n)*.*ops.where"):
        ms.compile(run)(ms.Tensor(X))


def test_the_bounds_of_a_slice_are_not_data():
    def run(x, n):
        return x[n : n + 2]

    np.testing.assert_array_equal(run(ms.Tensor(X), ms.Tensor(1)).asnumpy(), X[1:3])
    with pytest.raises(TypeError, match="E0305(.*\n)*.*ops.narrow"):
        ms.compile(run)(ms.Tensor(X), ms.Tensor(1))


# ---- as a program ---------------------------------------------------------------------------


def test_numpy_arrays_are_indices_of_tensors_only():
    x = ms.Tensor(X)
    np.testing.assert_array_equal(x[np.array([3, 1])].asnumpy(), X[[3, 1]])
    np.testing.assert_array_equal(x[X[:, 0, 0] > 20].asnumpy(), X[X[:, 0, 0] > 20])
    places = np.array([0, 1])
    with pytest.raises(TypeError, match="E0304"):
        ms.compile(lambda x: x[places])(x)


@pytest.mark.parametrize("dtype", [ms.bool_, ms.uint8, ms.int32, ms.float16, ms.bfloat16], ids=str)
def test_of_any_dtype(dtype):
    def run(x, i):
        return x[0], x[i], x[::-1], x[[1, 1]], x[None, ..., 0]

    for result in both_forms(run, ms.Tensor([[1, 0], [0, 1]], dtype), ms.Tensor(1)):
        assert result.dtype is dtype


@pytest.mark.parametrize("dtype", [ms.int8, ms.uint8, ms.int16, ms.int32, ms.int64], ids=str)
def test_indices_of_any_integer_dtype(dtype):
    def run(x, i, rows):
        return x[i], x[i, 1], x[rows], x[rows, i], x[[i, 0]]

    found = both_forms(run, ms.Tensor(X), ms.Tensor(2, dtype), ms.Tensor([2, 0], dtype))
    expected = X[2], X[2, 1], X[[2, 0]], X[[2, 0], 2], X[[2, 0]]
    for result, wanted in zip(found, expected, strict=True):
        np.testing.assert_array_equal(result.asnumpy(), wanted)


def test_a_whole_slice_is_no_operation():
    compiled = ms.compile(lambda x: x[:, ...] + x[0:] + x[::1])
    compiled(ms.Tensor(X))
    assert [op.prim.name for op in compiled.stages["primal"].walk()] == ["add", "add"]


def test_a_slice_of_a_tensor_is_a_view_of_it():
    x = ms.Tensor(X)
    x[1, :2].asnumpy()[0, 0] = -1.0
    assert x[1, 0, 0].item() == -1.0


# ---- sizes that are symbols -----------------------------------------------------------------


def test_sizes_may_be_symbols():
    n, whole = symbol("N"), slice(None)
    cases = [
        (lambda i: -1, f64[3]), (lambda i: (0, slice(1, None)), f64[2]), (lambda i: i, f64[3]),
        (lambda i: slice(1, None), f64[n - 1, 3]), (lambda i: (whole, [2, 0]), f64[n, 2]),
        (lambda i: [0, -1], f64[2, 3]), (lambda i: (None, whole, -2), f64[1, n]),
        (lambda i: (i, 1), f64), (lambda i: (i, [0, 1]), f64[2]), (lambda i: (whole, i), f64[n]),
    ]  # fmt: skip
    for index, result in cases:
        function = build_function(lambda x, i, at=index: getitem(x, at(i)), [f64[n, 3], i64])
        assert function.result_types == (result,)


def test_a_symbol_that_leaves_an_index_open():
    n = symbol("N")
    for index in (2, -3, [0, 2]):
        with pytest.raises(ValueError, match="E0402"):
            build_function(lambda x, index=index: getitem(x, index), [f64[n]])
