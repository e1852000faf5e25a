"""Products of matrices against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, refused

SHAPES = [
    ((2, 3), (3, 4)), ((3,), (3, 4)), ((2, 3), (3,)), ((3,), (3,)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((1, 2, 3), (5, 3, 4)), ((6, 1, 2, 3), (5, 3, 4)),
    ((3,), (5, 3, 4)), ((5, 2, 3), (3,)), ((0, 3), (3, 4)), ((2, 0), (0, 4)), ((2, 3), (3, 0)),
    ((0, 2, 3), (3, 4)), ((0,), (0,)), ((1, 1), (1, 1)),
]  # fmt: skip


def integers(*shape):
    return np.random.default_rng(0).integers(-4, 5, shape)


@pytest.mark.parametrize(("one", "other"), SHAPES)
@pytest.mark.parametrize("dtype", [ms.float64, ms.float32, ms.float16, ms.int32, ms.int64], ids=str)
def test_shapes(one, other, dtype):
    x, y = integers(*one), integers(*other)

    def run(x, y):
        return ops.matmul(x, y), x @ y, x.matmul(y)

    expected = x @ y
    for result in both_forms(run, ms.Tensor(x, dtype), ms.Tensor(y, dtype)):
        assert (result.dtype, result.shape) == (dtype, expected.shape)
        np.testing.assert_array_equal(result.asnumpy(), expected)


def test_dtypes_meet():
    def run(x, n):
        return x @ n, n @ x

    for result in both_forms(run, ms.Tensor([[1.5]], ms.float16), ms.Tensor([[2]])):
        assert result.dtype is ms.float16 and result.tolist() == [[3.0]]


def test_a_narrow_product_is_rounded_once():
    def run(x, y):
        return x @ y

    one = ms.Tensor(np.full((1, 4096), 1.0), ms.float16)
    result = both_forms(run, one, ms.Tensor(np.ones((4096, 1)), ms.float16))
    assert result.tolist() == [[4096.0]]


@pytest.mark.parametrize(
    ("one", "other"),
    [((2, 3), (2, 3)), ((3,), (4,)), ((2, 2, 3), (3, 3, 4)), ((), (3,)), ((2, 3), ())],
)  # fmt: skip
def test_shapes_that_do_not_fit(one, other):
    def run(x, y):
        return x @ y

    refused("E0401", run, ms.Tensor(np.ones(one)), ms.Tensor(np.ones(other)))


def test_numbers_and_bools_are_refused():
    def number(x):
        return x @ 2.0

    def reflected(x):
        return 2.0 @ x

    def bools(x):
        return (x > 0) @ (x > 0)

    x = ms.Tensor([[1.0]])
    refused("E0304", number, x)
    refused("E0304", reflected, x)
    refused("E0301", bools, x)


@pytest.mark.parametrize(("one", "other"), [pair for pair in SHAPES if 0 not in pair[0] + pair[1]])
def test_gradients(one, other):
    rng = np.random.default_rng(0)

    def run(x, y):
        return ops.matmul(x, y)

    check_gradients(run, rng.normal(size=one), rng.normal(size=other))


def test_gradients_without_elements():
    def run(x, y):
        return ops.matmul(x, y)

    by_x, by_y = ms.grad(run, (0, 1))(ms.Tensor(np.ones((2, 0))), ms.Tensor(np.ones((0, 4))))
    assert (by_x.shape, by_y.shape) == ((2, 0), (0, 4))
    by_x, by_y = ms.grad(run, (0, 1))(ms.Tensor(np.ones((0, 3))), ms.Tensor(np.ones((3, 4))))
    assert by_x.shape == (0, 3) and by_y.tolist() == [[0.0] * 4] * 3


# ---- other products -------------------------------------------------------------------------

PRODUCTS = {
    "mm": (((2, 3), (3, 4)), np.matmul), "bmm": (((5, 2, 3), (5, 3, 4)), np.matmul),
    "mv": (((2, 3), (3,)), np.matmul), "outer": (((3,), (4,)), np.outer),
    "dot": (((2, 3), (3, 4)), np.dot), "inner": (((2, 3), (4, 3)), np.inner),
    "kron": (((2, 3), (4, 2)), np.kron), "cross": (((2, 3), (2, 3)), np.cross),
}  # fmt: skip
OTHER_SHAPES = {
    "bmm": [((2, 5, 2, 3), (2, 5, 3, 4)), ((0, 2, 3), (0, 3, 4)), ((5, 2, 0), (5, 0, 4))],
    "mm": [((0, 3), (3, 2)), ((2, 0), (0, 2))], "mv": [((2, 0), (0,))],
    "outer": [((0,), (2,)), ((1,), (1,))],
    "dot": [((3,), (3,)), ((2, 4, 3), (5, 3, 2)), ((2, 3), (3,)), ((), (2, 3)), ((0,), (0,))],
    "inner": [((3,), (3,)), ((2, 4, 3), (5, 3)), ((), (3,)), ((3,), ()), ((2, 0), (0,))],
    "kron": [((3,), (2, 2)), ((2, 2), (3,)), ((), (2,)), ((2, 1, 2), (2, 3)), ((0, 2), (3, 1))],
    "cross": [((3,), (3,)), ((4, 5, 3), (4, 5, 3))],
}  # fmt: skip
CASES = [(name, *pair) for name in PRODUCTS for pair in (PRODUCTS[name][0], *OTHER_SHAPES[name])]


@pytest.mark.parametrize(("name", "one", "other"), CASES)
@pytest.mark.parametrize("dtype", [ms.float64, ms.float32, ms.int32], ids=str)
def test_products(name, one, other, dtype):
    function = getattr(ops, name)
    method = ops.METHODS[name]
    x, y = integers(*one), integers(*other)

    def run(x, y):
        return function(x, y), method(x, y)

    expected = np.asarray(PRODUCTS[name][1](x, y))
    for result in both_forms(run, ms.Tensor(x, dtype), ms.Tensor(y, dtype)):
        assert (result.dtype, result.shape) == (dtype, expected.shape)
        np.testing.assert_array_equal(result.asnumpy(), expected)


@pytest.mark.parametrize("name", PRODUCTS)
def test_dtypes_of_products_meet(name):
    function = getattr(ops, name)
    one, other = PRODUCTS[name][0]

    def run(x, n):
        return function(x, n)

    x = ms.Tensor(integers(*one), ms.float16)
    assert both_forms(run, x, ms.Tensor(integers(*other))).dtype is ms.float16


@pytest.mark.parametrize("name", PRODUCTS)
def test_gradients_of_products(name):
    rng = np.random.default_rng(0)
    check_gradients(getattr(ops, name), *(rng.normal(size=shape) for shape in PRODUCTS[name][0]))


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [("mm", (2, 3), (3,)), ("mm", (2, 3), (2, 3)), ("bmm", (2, 3), (3, 4)),
     ("bmm", (2, 2, 3), (3, 4)), ("mv", (3,), (3,)), ("outer", (2, 2), (2,)), ("dot", (2,), (3,)),
     ("inner", (2, 3), (3, 2)), ("cross", (2, 2), (2, 2)), ("cross", (3,), (2, 3))],
)  # fmt: skip
def test_products_of_shapes_that_do_not_fit(name, one, other):
    function = getattr(ops, name)

    def run(x, y):
        return function(x, y)

    refused("E0401", run, ms.Tensor(np.ones(one)), ms.Tensor(np.ones(other)))


@pytest.mark.parametrize("name", ["matmul", "mm", "dot", "inner"])
def test_the_error_shows_both_shapes(name):
    function = getattr(ops, name)
    one, other = ((2, 3), (4, 5)) if name != "inner" else ((2, 3), (5, 4))
    with pytest.raises(ValueError) as caught:
        function(ms.Tensor(np.ones(one)), ms.Tensor(np.ones(other)))
    for shape in (one, other):
        assert f"f64{list(shape)}" in str(caught.value)


@pytest.mark.parametrize("dim", [None, 0, -2, 1])
def test_axes_of_cross(dim):
    x, y = integers(3, 3, 2), integers(3, 3, 2) + 1

    def run(x, y):
        return ops.cross(x, y, dim), x.cross(y, dim)

    for result in both_forms(run, ms.Tensor(x), ms.Tensor(y)):
        np.testing.assert_array_equal(result.asnumpy(), np.cross(x, y, axis=dim or 0))

    def too_far(x, y):
        return ops.cross(x, y, 3)

    refused("E0403", too_far, ms.Tensor(x), ms.Tensor(y))


def test_trace():
    def run(x):
        return ops.trace(x), x.trace()

    for dtype, wanted in ((ms.float32, ms.float32), (ms.int8, ms.int64)):
        for result in both_forms(run, ms.Tensor([[100, 1, 2], [3, 100, 5]], dtype)):
            assert (result.dtype, result.item()) == (wanted, 200)
    refused("E0401", run, ms.Tensor([1.0]))
    check_gradients(ops.trace, np.random.default_rng(0).normal(size=(3, 3)))


@pytest.mark.parametrize(
    "axes", [0, 1, 2, ([0], [1]), ((-1, 0), (0, 1)), (1, 0), ([], [])], ids=str
)  # fmt: skip
def test_tensor_dot(axes):
    x, y = integers(3, 4), integers(4, 3)
    if axes == 2:
        y = integers(3, 4)

    def run(x, y):
        return ops.tensor_dot(x, y, axes)

    result = both_forms(run, ms.Tensor(x), ms.Tensor(y))
    expected = np.tensordot(x, y, axes)
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result.asnumpy(), expected)


@pytest.mark.parametrize(
    ("axes", "code"),
    [(3, "E0404"), (-1, "E0404"), (None, "E0303"), (([0], [0, 1]), "E0404"), (([0], [2]), "E0403"),
     (([0, 0], [0, 1]), "E0403"), (([0], [0]), "E0401")],
)  # fmt: skip
def test_axes_that_tensor_dot_cannot_sum(axes, code):
    def run(x, y):
        return ops.tensor_dot(x, y, axes)

    refused(code, run, ms.Tensor(np.ones((3, 4))), ms.Tensor(np.ones((4, 3))))


EQUATIONS = [
    ("ij,jk->ik", ((2, 3), (3, 4))), ("ij,jk", ((2, 3), (3, 4))),
    ("bij,bjk->bik", ((5, 2, 3), (5, 3, 4))),
    ("ii->i", ((3, 3),)), ("ij->ji", ((2, 3),)), ("ij->", ((2, 3),)), ("i,j->ij", ((2,), (3,))),
    ("...i,i->...", ((2, 4, 3), (3,))), ("ij,kj,k->i", ((2, 3), (4, 3), (4,))),
    ("bhqd,bhkd->bhqk", ((2, 2, 3, 4), (2, 2, 5, 4))), ("ij,ij->i", ((0, 3), (0, 3))),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "shapes"), EQUATIONS)
def test_einsum(equation, shapes):
    arrays = [integers(*shape) for shape in shapes]

    def run(*tensors):
        return ops.einsum(equation, *tensors), ops.einsum(equation, tensors)

    expected = np.einsum(equation, *arrays)
    for result in both_forms(run, *map(ms.Tensor, arrays)):
        assert result.shape == expected.shape
        np.testing.assert_array_equal(result.asnumpy(), expected)
    if 0 not in shapes[0]:
        check_gradients(lambda *tensors: ops.einsum(equation, *tensors), *arrays)


def test_einsums_that_do_not_fit():
    def another_size(x, y):
        return ops.einsum("ij,ij->i", x, y)

    def unreadable(x, y):
        return ops.einsum("ij,?->i", x, y)

    def without_operands(x, y):
        return ops.einsum("ij") + x

    x, y = ms.Tensor(np.ones((2, 3))), ms.Tensor(np.ones((2, 4)))
    refused("E0401", another_size, x, y)
    refused("E0404", unreadable, x, y)
    refused("E0302", without_operands, x, y)
    with pytest.raises(ValueError, match=r"f64\[2, 3\] and f64\[2, 4\]"):
        another_size(x, y)


ADDED = {
    "addmm": ((4,), (2, 3), (3, 4), lambda x, y: x @ y),
    "addmv": ((2,), (2, 3), (3,), lambda x, y: x @ y),
    "addbmm": ((2, 4), (5, 2, 3), (5, 3, 4), lambda x, y: (x @ y).sum(0)),
    "baddbmm": ((1, 4), (5, 2, 3), (5, 3, 4), lambda x, y: x @ y),
}


@pytest.mark.parametrize("name", ADDED)
def test_products_with_something_added(name):
    function, method = getattr(ops, name), ops.METHODS[name]
    function = getattr(ops, name)
    *shapes, product = ADDED[name]
    z, x, y = (integers(*shape) for shape in shapes)

    def run(z, x, y):
        return [
            function(z, x, y), method(z, x, y), function(z, x, y, beta=2, alpha=3),
            method(z, x, y, beta=2, alpha=3), function(z, x, y, beta=0.5),
            function(z, x, y, alpha=-1),
        ]  # fmt: skip

    once = product(x, y)
    expected = [z + once, z + once, 2 * z + 3 * once, 2 * z + 3 * once, z / 2 + once, z - once]
    for dtype in (ms.float32, ms.int64):
        found = both_forms(run, *(ms.Tensor(v, dtype) for v in (z, x, y)))
        for result, wanted in zip(found, expected, strict=True):
            assert result.dtype is (ms.float32 if wanted.dtype == np.float64 else dtype)
            np.testing.assert_array_equal(result.asnumpy(), wanted)
    check_gradients(lambda z, x, y: function(z, x, y, beta=2, alpha=3), z, x, y)

    def flat(z, x, y):
        return function(z, ops.reshape(x, (-1,)), y)

    refused("E0401", flat, *(ms.Tensor(v) for v in (z, x, y)))
