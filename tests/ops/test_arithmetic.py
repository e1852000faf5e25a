"""Sums, products, powers and comparisons against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core.dtypes import widen
from support.elementwise import TOLERANCES, check_function, wide
from support.forms import both_forms, check_gradients, refused

SPECIAL = np.array([0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan, 1e-300, 6e4])
SHAPES = [
    ((3,), (3,)),
    ((2, 1), (3,)),
    ((), (2, 2)),
    ((0,), (1,)),
    ((1, 3, 1), (2, 1, 4)),
    ((), ()),
]

BINARY = {
    "add": (ops.add, np.add), "sub": (ops.sub, np.subtract), "mul": (ops.mul, np.multiply),
    "div": (ops.div, np.divide), "pow": (ops.pow, np.power), "less": (ops.less, np.less),
    "less_equal": (ops.less_equal, np.less_equal), "greater": (ops.greater, np.greater),
    "greater_equal": (ops.greater_equal, np.greater_equal), "equal": (ops.equal, np.equal),
    "not_equal": (ops.not_equal, np.not_equal),
}  # fmt: skip
OPERATORS = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y, "pow": lambda x, y: x**y, "less": lambda x, y: x < y,
    "less_equal": lambda x, y: x <= y, "greater": lambda x, y: x > y,
    "greater_equal": lambda x, y: x >= y, "equal": lambda x, y: x == y,
    "not_equal": lambda x, y: x != y,
}  # fmt: skip


def in_numpy(reference, *tensors):
    with np.errstate(all="ignore"):
        return reference(*(widen(x.array) if isinstance(x, ms.Tensor) else x for x in tensors))


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", [ms.float64, ms.float32, ms.int32], ids=str)
@pytest.mark.parametrize(("one", "other"), SHAPES)
def test_shapes_broadcast(name, dtype, one, other):
    operation, reference = BINARY[name]
    rng = np.random.default_rng(0)
    x = ms.Tensor(rng.integers(1, 5, one), dtype)
    y = ms.Tensor(rng.integers(1, 5, other), dtype)

    def run(x, y):
        return operation(x, y), operation(y, x)

    for result, operands in zip(both_forms(run, x, y), ((x, y), (y, x)), strict=True):
        expected = in_numpy(reference, *operands)
        assert result.shape == expected.shape
        np.testing.assert_allclose(result.asnumpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize("dtype", [ms.float64, ms.float32, ms.float16, ms.bfloat16], ids=str)
def test_special_values(name, dtype):
    operation, reference = BINARY[name]
    x = ms.Tensor(SPECIAL[:, None], dtype)
    y = ms.Tensor(SPECIAL, dtype)

    def run(x, y):
        return operation(x, y)

    result = both_forms(run, x, y)
    expected = in_numpy(reference, x, y)
    assert result.dtype is (ms.bool_ if expected.dtype == bool else dtype)
    found = result.asnumpy()
    exact = name != "pow"
    expected = expected if expected.dtype == bool else ms.Tensor(expected, dtype).asnumpy()
    np.testing.assert_allclose(found, expected, rtol=0 if exact else 4e-3)
    if exact:
        np.testing.assert_array_equal(np.signbit(found[~np.isnan(found)]),
                                      np.signbit(expected[~np.isnan(expected)]))  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_the_functions(name):
    x, y = ms.Tensor([1.5, -2.0]), ms.Tensor([[3], [2]])

    def run(x, y):
        return [
            (operate(x, y), function(x, y)),
            (operate(y, x), function(y, x)),
            (operate(x, 2), function(x, 2)),
            (operate(2.5, x), function(2.5, x)),
        ]

    operate, function = OPERATORS[name], BINARY[name][0]
    for one, other in both_forms(run, x, y):
        assert one.dtype is other.dtype
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


METHODS = ["add", "sub", "mul", "div", "pow"]


@pytest.mark.parametrize("name", METHODS)
def test_methods_are_the_functions(name):
    x, y = ms.Tensor([1.5, 2.0]), ms.Tensor([3, 2])

    def run(x, y):
        return {
            "add": [x.add(y), ops.add(x, y)], "sub": [x.sub(y), ops.sub(x, y)],
            "mul": [x.mul(y), ops.mul(x, y)], "div": [x.div(y), ops.div(x, y)],
            "pow": [x.pow(y), ops.pow(x, y)],
        }  # fmt: skip

    one, other = both_forms(run, x, y)[name]
    np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


@pytest.mark.parametrize("dtype", [ms.int8, ms.int16, ms.int32, ms.int64, ms.uint8], ids=str)
def test_integers_wrap(dtype):
    bounds = np.iinfo(dtype.storage)
    x = ms.Tensor(np.array([bounds.min, bounds.max, 3, 7], dtype.storage))
    y = ms.Tensor(np.array([bounds.max, 2, 5, 3], dtype.storage))

    def run(x, y):
        return x + y, x - y, x * y, x + 1, 1 - x, -y, ops.abs(x), x**2

    with np.errstate(all="ignore"):
        a, b = x.asnumpy(), y.asnumpy()
        one = dtype.storage.type(1)
        expected = a + b, a - b, a * b, a + one, one - a, -b, abs(a), a * a
    for found, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert found.dtype is dtype
        np.testing.assert_array_equal(found.asnumpy(), wanted)


def test_signs():
    def run(x, n):
        return -x, ops.neg(x), abs(x), ops.abs(x), x.abs(), x.neg(), -n, abs(n)

    values = [0.0, -0.0, 3.5, -2.0, -np.inf, np.nan]
    found = both_forms(run, ms.Tensor(values), ms.Tensor([-3, 4]))
    for negative in (found[0], found[1], found[5]):
        np.testing.assert_array_equal(negative.asnumpy(), -np.float32(values))
        assert np.signbit(negative.asnumpy()[:2]).tolist() == [True, False]
    for absolute in found[2:5]:
        np.testing.assert_array_equal(absolute.asnumpy(), abs(np.float32(values)))
        assert not np.signbit(absolute.asnumpy()[:5]).any()
    assert found[6].tolist() == [3, -4] and found[7].tolist() == [3, 4]


def test_bools_have_an_order_and_no_negative():
    x, y = ms.Tensor([False, False, True, True]), ms.Tensor([False, True, False, True])

    def compared(x, y):
        return x < y, x <= y, x > y, x >= y, x == y, x != y, x < True, x == False  # noqa: E712

    a, b = x.asnumpy(), y.asnumpy()
    expected = a < b, a <= b, a > b, a >= b, a == b, a != b, ~a, ~a
    for found, wanted in zip(both_forms(compared, x, y), expected, strict=True):
        np.testing.assert_array_equal(found.asnumpy(), wanted)

    def negated(x):
        return -x

    refused("E0301", negated, x)


def test_division_of_integers_is_in_float32():
    def run(x, y):
        return x / y, x / 2, 1 / y, x / True, (x > 0) / (y > 0)

    x, y = ms.Tensor([7, 0, -1]), ms.Tensor([2, 0, 0], ms.int8)
    expected = [3.5, np.nan, -np.inf], [3.5, 0, -0.5], [0.5, np.inf, np.inf], [7, 0, -1]
    found = both_forms(run, x, y)
    for result, wanted in zip(found, (*expected, [1.0, np.nan, np.nan]), strict=True):
        assert result.dtype is ms.float32
        np.testing.assert_array_equal(result.asnumpy(), np.float32(wanted))


@pytest.mark.parametrize("operation", [ops.add, ops.where, ops.less])
def test_shapes_that_do_not_fit(operation):
    def run(x, y):
        return operation(x > 0, x, y) if operation is ops.where else operation(x, y)

    refused("E0401", run, ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 2.0, 3.0]))


# ---- where ----------------------------------------------------------------------------------


SCALAR = np.float32(1)


def test_where():
    def run(c, x, y):
        return [
            ops.where(c, x, y), ops.where(c, x, 0), ops.where(c, 0.5, y), ops.where(c, 1, 2),
            ops.where(c, True, False), ops.where(c, 1.0, 2), ops.where(True, x, y),
            ops.where(c, SCALAR, y), ops.where(False, 1, 2),
        ]  # fmt: skip

    c, x, y = ms.Tensor([[True], [False]]), ms.Tensor([1.5, 2.5]), ms.Tensor([[7], [8]])
    found = both_forms(run, c, x, y)
    expected = [
        ([[1.5, 2.5], [8.0, 8.0]], ms.float32), ([[1.5, 2.5], [0, 0]], ms.float32),
        ([[0.5], [8.0]], ms.float32), ([[1], [2]], ms.int64), ([[True], [False]], ms.bool_),
        ([[1.0], [2.0]], ms.float32), ([[1.5, 2.5]] * 2, ms.float32),
        ([[1.0], [8.0]], ms.float32), (2, ms.int64),
    ]  # fmt: skip
    for result, (values, dtype) in zip(found, expected, strict=True):
        assert result.dtype is dtype and result.tolist() == values


def test_where_needs_a_condition():
    def run(x):
        return ops.where(x, x, x)

    refused("E0301", run, ms.Tensor([1, 0]))


def test_where_cuts_off_the_other_side():
    def run(x):
        return ops.where(x > 0, 1 / x, 0.0)

    gradient = ms.grad(run)(ms.Tensor([4.0, 0.0, -1.0]))
    assert gradient.tolist() == [-0.0625, 0.0, 0.0]


# ---- gradients ------------------------------------------------------------------------------

X = np.array([[0.5, -1.5, 2.0], [1.25, 3.0, -0.75]])
Y = np.array([2.0, -0.5, 1.5])

SMOOTH = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: ops.pow(abs(x), y),
    "numbers": lambda x, y: (2 - x) * 3 / (y + 5) - 2**y + x**3,
    "neg, abs": lambda x, y: -x * abs(y),
    "where": lambda x, y: ops.where(x > y, x * y, y),
    "where: numbers": lambda x, y: ops.where(x > 0, x, 0) + ops.where(y > 0, 1.5, y),
}


@pytest.mark.parametrize("name", SMOOTH)
def test_gradients(name):
    check_gradients(SMOOTH[name], X, Y)


def test_gradients_at_kinks():
    zero = ms.Tensor([0.0, -0.0])
    assert ms.grad(abs_of)(zero).tolist() == [0.0, 0.0]
    assert ms.grad(square_root)(ms.Tensor([0.0])).tolist() == [np.inf]
    assert ms.grad(power_0)(zero).tolist() == [0.0, 0.0]
    assert ms.grad(compared)(zero).tolist() == [0.0, 0.0]


def abs_of(x):
    return ops.abs(x)


def square_root(x):
    return x**0.5


def power_0(x):
    return x**0


def compared(x):
    return ops.cast(x > 0, ms.float32) + ops.cast(x == x, ms.float32)


# ---- other functions ------------------------------------------------------------------------


def test_bools_have_numpys_sum_and_product():
    def run(x, y):
        return x + y, x * y, ops.add(x, True), ops.multiply(x, y), x * 2, x + 1.5

    x, y = ms.Tensor([False, False, True, True]), ms.Tensor([False, True, False, True])
    *found, whole, floats = both_forms(run, x, y)
    a, b = x.asnumpy(), y.asnumpy()
    for result, wanted in zip(found, (a | b, a & b, a | True, a & b), strict=True):
        assert result.dtype is ms.bool_ and result.tolist() == wanted.tolist()
    assert (whole.dtype, whole.tolist()) == (ms.int64, [0, 0, 2, 2])
    assert (floats.dtype, floats.tolist()) == (ms.float32, [1.5, 1.5, 2.5, 2.5])

    def difference(x, y):
        return x - y

    refused("E0301", difference, x, y)


def test_other_names_and_alpha():
    x, y = ms.Tensor([1.5, -2.0]), ms.Tensor([3, 2])

    def run(x, y):
        return [
            (ops.subtract(x, y), x - y, x.subtract(y)), (ops.multiply(x, y), x * y, x.multiply(y)),
            (ops.negative(x), -x, x.negative()), (ops.absolute(x), abs(x), x.absolute()),
            (ops.positive(x), +x, x.positive(), x), (ops.sgn(x), ops.sign(x), x.sgn(), x.sign()),
            (x.add(y, alpha=2), x + 2 * y), (x.sub(y, alpha=0.5), x - 0.5 * y),
            (ops.subtract(x, y, alpha=3), x.subtract(y, alpha=3), x - 3 * y),
            (ops.square(x), x * x, x.square()), (ops.sqrt(x), x.sqrt(), x**0.5),
            (ops.rsqrt(x), x.rsqrt()),
        ]  # fmt: skip

    for group in both_forms(run, x, y):
        for other in group[1:]:
            assert group[0].dtype is other.dtype
            np.testing.assert_array_equal(group[0].asnumpy(), other.asnumpy())


@pytest.mark.parametrize("dtype", [ms.int8, ms.int64, ms.uint8], ids=str)
def test_functions_of_integers(dtype):
    def run(x):
        return ops.square(x), ops.sign(x), ops.sqrt(x), ops.rsqrt(x)

    square, sign, root, inverse = both_forms(run, ms.Tensor([4, 0, 16], dtype))
    assert square.dtype is sign.dtype is dtype and root.dtype is inverse.dtype is ms.float32
    assert square.tolist() == [16, 0, np.array(256).astype(dtype.storage)]
    assert sign.tolist() == [1, 0, 1]
    assert root.tolist() == [2.0, 0.0, 4.0] and inverse.tolist() == [0.5, np.inf, 0.25]


ROOTS = {"square": np.square, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "sign": np.sign}


@pytest.mark.parametrize("name", ROOTS)
def test_functions_of_floats(name):
    special = [0.0, 1.0, -2.5, np.inf, np.nan] + ([] if name == "square" else [-0.0])
    check_function(name, ROOTS[name], [0.25, 1.5, 3.0], special)
    check_gradients(getattr(ops, name), [0.25, 1.5, 3.0])


def test_poles():
    assert ms.grad(ops.sqrt)(ms.Tensor([0.0, 4.0])).tolist() == [np.inf, 0.25]
    assert ms.grad(ops.rsqrt)(ms.Tensor([0.0, 4.0])).tolist() == [-np.inf, -0.0625]
    assert ms.grad(ops.reciprocal)(ms.Tensor([0.0, 2.0])).tolist() == [-np.inf, -0.25]


@pytest.mark.parametrize("dtype", TOLERANCES, ids=str)
def test_hypot(dtype):
    def run(x, y):
        return ops.hypot(x, y), x.hypot(y), ops.hypot(x, 4)

    values = np.array([0.0, -0.0, 3.0, -4.0, 3e4, 0.001, np.inf, -np.inf, np.nan])
    x, y = ms.Tensor(values[:, None], dtype), ms.Tensor(values, dtype)
    a, b = wide(x), wide(y)
    expected = np.hypot(a, b), np.hypot(a, b), np.hypot(a, 4.0)
    for result, wanted in zip(both_forms(run, x, y), expected, strict=True):
        assert result.dtype is dtype
        np.testing.assert_allclose(wide(result), wanted, rtol=TOLERANCES[dtype])


def test_gradient_of_hypot_where_one_is_infinite():
    x, y = ms.Tensor([np.inf, 3.0, np.inf]), ms.Tensor([-1.0, -np.inf, np.inf])
    by_x, by_y = ms.grad(ops.hypot, (0, 1))(x, y)
    assert (by_x.tolist(), by_y.tolist()) == ([1.0, 0.0, 0.5], [0.0, -1.0, 0.5])


def test_hypot_without_overflow_and_its_derivatives():
    def run(x, y):
        return ops.hypot(x, y)

    large = both_forms(run, ms.Tensor([3e38, 3e-40]), ms.Tensor([0.0, 4e-40]))
    np.testing.assert_allclose(large.asnumpy(), np.hypot(*np.float32([[3e38, 3e-40], [0, 4e-40]])))
    whole = both_forms(run, ms.Tensor([3, 5]), ms.Tensor([4, 12]))
    assert whole.dtype is ms.float32 and whole.tolist() == [5.0, 13.0]
    check_gradients(ops.hypot, [3.0, -1.0, 0.5, 2.0], [4.0, 1.0, -0.25, 0.0])
    zero = ms.Tensor([0.0])
    assert [g.tolist() for g in ms.grad(ops.hypot, (0, 1))(zero, zero)] == [[0.0], [0.0]]
    one, five = ms.Tensor(np.float64(1.0)), ms.Tensor(np.float64(1.0))
    # d2/dx2 of the length is y**2 / length**3, also where |x| = |y|.
    assert ms.grad(ms.grad(ops.hypot))(one, five).item() == pytest.approx(8**-0.5, rel=1e-12)


def test_lerp_addcmul_addcdiv():
    def run(x, y, w):
        return [
            ops.lerp(x, y, 0.25), x.lerp(y, 0.25), ops.lerp(x, y, w), ops.addcmul(x, y, w),
            x.addcmul(y, w, 2), ops.addcmul(x, y, w, value=w), ops.addcdiv(x, y, w),
            x.addcdiv(y, w, 0.5), ops.addcdiv(x, y, w, w), ops.lerp(y, y + 4, 1),
        ]  # fmt: skip

    x, y, w = np.array([1.0, -2.0]), np.array([3, 5]), np.array([[0.5], [2.0]])
    expected = [
        x + 0.25 * (y - x), x + 0.25 * (y - x), x + w * (y - x), x + y * w, x + 2 * y * w,
        x + w * y * w, x + y / w, x + 0.5 * y / w, x + w * (y / w), [7.0, 9.0],
    ]  # fmt: skip
    found = both_forms(run, ms.Tensor(x, ms.float32), ms.Tensor(y), ms.Tensor(w, ms.float32))
    for result, wanted in zip(found, expected, strict=True):
        assert result.dtype is ms.float32
        np.testing.assert_array_equal(result.asnumpy(), wanted)

    def integers(n):
        return ops.addcmul(n, n, n, 2), ops.addcdiv(n, n, n)

    whole, divided = both_forms(integers, ms.Tensor([2, 3]))
    assert whole.tolist() == [10, 21] and whole.dtype is ms.int64
    assert divided.tolist() == [3.0, 4.0] and divided.dtype is ms.float32

    for function in (ops.lerp, ops.addcmul, ops.addcdiv):
        check_gradients(function, [0.5, -1.5], [1.25, 3.0], [0.75, 2.0])

    def a_number(x):
        return ops.lerp(x, 2.0, 0.5)

    refused("E0304", a_number, ms.Tensor([1.0]))


SHOWN = [
    ((2, 3), (4,)), ((2, 3), (2, 4)), ((5, 1, 3), (2, 2)), ((3,), (2, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SHOWN)
@pytest.mark.parametrize(
    "name", ["add", "mul", "less", "maximum", "fmod", "atan2", "hypot", "lerp"]
)
def test_the_error_shows_both_operands(name, one, other):
    function = getattr(ops, name)
    x, y = ms.Tensor(np.zeros(one), ms.float32), ms.Tensor(np.zeros(other), ms.float32)

    def run(x, y):
        return function(x, y, 0.5) if name == "lerp" else function(x, y)

    for form in (run, ms.compile(run)):
        with pytest.raises(ValueError) as caught:
            form(x, y)
        for shape in (one, other):
            assert f"f32[{', '.join(map(str, shape))}]" in str(caught.value)
