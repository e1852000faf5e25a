"""Are the special functions as accurate as they say, everywhere, and quiet about it?"""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from s2sad.prims.kernels import special

EPSILON = 2.0**-52


def precise(function, digits=60):
    """The function of mpmath on a float, with digits to spare."""

    def evaluated(x):
        with mpmath.workdps(digits):
            return +function(mpmath.mpf(float(x)))

    return evaluated


def log_abs_gamma(x):
    if x > 0:
        return mpmath.re(mpmath.loggamma(x))
    reflected = mpmath.log(mpmath.pi / abs(x * mpmath.sin(mpmath.pi * x)))
    return reflected - mpmath.re(mpmath.loggamma(-x))


def inverse_erf(x):
    return mpmath.erfinv(x) if x else x


def psi(n, x):
    """mpmath's Hurwitz zeta errs absolutely, thus needs digits for the smallness of its value."""
    with mpmath.workdps(50 + (n + 1) * max(0, math.ceil(math.log10(max(abs(x), 1))))):
        x = mpmath.mpf(float(x))
        if n == 0:
            return mpmath.digamma(x)
        steps = max(0, -int(mpmath.floor(x)) + 1)
        total = mpmath.fsum((x + k) ** -(n + 1) for k in range(steps))
        total += mpmath.zeta(n + 1, x + steps)
        return (-1) ** (n + 1) * mpmath.factorial(n) * total


ERF = precise(mpmath.erf)
ERFC = precise(mpmath.erfc)
ERFINV = precise(inverse_erf, digits=40)
LGAMMA = precise(log_abs_gamma)


def errors(got, exact):
    return np.array([float(abs(mpmath.mpf(float(g)) - e)) for g, e in zip(got, exact, strict=True)])


def ulps(got, exact):
    """Errors in units of the last place of the exact value, of `got`'s dtype."""
    with np.errstate(all="ignore"):
        rounded = np.array([float(value) for value in exact]).astype(got.dtype)
    return errors(got, exact) / np.spacing(np.abs(rounded)).astype(np.float64)


def around(*points):
    """Each point and its two neighbours."""
    points = np.array(points)
    return np.concatenate([np.nextafter(points, -np.inf), points, np.nextafter(points, np.inf)])


def spread(seed, low, high, count=400):
    return np.random.default_rng(seed).uniform(low, high, count)


def tiny(seed, lowest=-323, highest=0, count=200):
    """Numbers of every magnitude, subnormal ones included, of both signs."""
    generator = np.random.default_rng(seed)
    return 10 ** generator.uniform(lowest, highest, count) * generator.choice([-1, 1], count)


def check_ulps(function, exact, x, bound):
    got = function(x)
    error = ulps(got, [exact(v) for v in x])
    worst = int(error.argmax())
    assert error[worst] <= bound, f"{error[worst]} ULP at {x[worst]!r}"


def test_erf_is_accurate():
    edges = around(-6, -1.25, -0.84375, 0.84375, 1.25, 1 / 0.35, 6)
    x = np.concatenate([spread(1, -6.5, 6.5), spread(2, -1.5, 1.5), tiny(3), edges])
    check_ulps(special.erf, ERF, x, 1)


def test_erfc_is_accurate_down_to_subnormal_results():
    edges = around(-6, -1.25, -0.84375, 0.25, 0.84375, 1.25, 1 / 0.35, 26.5, 27.2)
    x = np.concatenate([spread(4, -6.5, 3), spread(5, 3, 27.5), tiny(6), edges])
    check_ulps(special.erfc, ERFC, x, 4)


def test_erfinv_is_accurate_up_to_the_last_numbers_before_one():
    near_one = 1 - 2.0 ** -np.arange(1, 54)
    edges = around(-0.5, 0.5, 0.953)
    x = np.concatenate([spread(7, -1, 1), near_one, -near_one, tiny(8), edges])
    check_ulps(special.erfinv, ERFINV, x, 4)


def test_erfinv_inverts_erf():
    y = spread(9, -2, 2)
    np.testing.assert_allclose(special.erfinv(special.erf(y)), y, rtol=1e-13)


def test_lgamma_is_accurate_for_positive_arguments():
    edges = around(0.2316, 0.7316, 0.9, 1, 1.2316, 1.7316, 2, 3, 4, 5, 6, 7, 8)
    large = 10 ** spread(10, 1, 305)
    x = np.concatenate([spread(11, 0, 3), spread(12, 3, 20), np.abs(tiny(13)), large, edges])
    check_ulps(special.lgamma, LGAMMA, x, 4)


def beside_poles(first, last):
    """Next to each pole from -first to -last: the neighbours, and a distance of each magnitude."""
    poles = -np.arange(first, last + 1.0)
    distance = 10.0 ** np.arange(-14, 0)
    offsets = np.concatenate([distance, -distance])
    x = np.concatenate([around(*poles), (poles[:, None] + offsets).ravel()])
    return x[x != np.floor(x)]


@pytest.mark.parametrize(
    "x",
    [
        pytest.param(spread(14, -35, 0), id="between the poles"),
        pytest.param(spread(15, -4, -2, 800), id="the zeros far from poles"),
        pytest.param(beside_poles(1, 50), id="beside the poles"),
        pytest.param(tiny(16, highest=-1) * -1, id="beside zero"),
        pytest.param(-(10 ** spread(17, 1.5, 15.4)), id="large"),
    ],
)
def test_lgamma_is_accurate_for_negative_arguments(x):
    x = x[(x != np.floor(x)) | (x > 0)]
    got, exact = special.lgamma(x), [LGAMMA(v) for v in x]
    good = (ulps(got, exact) <= 4) | (errors(got, exact) <= 4 * EPSILON)
    assert good.all(), f"off at {x[~good]}"


def test_the_product_of_lgamma_does_not_pile_up_rounding_errors():
    # The zeros beside the pole -n lie 1/n! away from it; 17 factors rounded one by one err by 3.
    poles = np.arange(12, 17)
    distance = np.exp(spread(23, -0.5, 0.5, 200)) / [[math.factorial(n)] for n in poles]
    x = np.concatenate([-poles[:, None] - distance, -poles[:, None] + distance]).ravel()
    exact = [LGAMMA(v) for v in x]
    assert errors(special.lgamma(x), exact).max() <= 2 * EPSILON


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 7, 12, 25, 60])
@pytest.mark.parametrize("low, high", [(0, 3), (0, 90), (100, 1e5), (-25, 0)])
def test_polygamma_is_accurate_away_from_its_zeros(n, low, high):
    x = np.concatenate([spread(n, low, high, 60), around(16 + n) if low == 0 else []])
    got, exact = special.polygamma(n, x), [psi(n, v) for v in x]
    # Only digamma and, among negative arguments, even orders have zeros.
    scale = math.factorial(n) * 2.0 ** (n + 1) if n % 2 == 0 and low < 0 else float(n == 0)
    size = np.array([max(abs(float(value)), scale / 100) for value in exact])
    np.testing.assert_array_less(errors(got, exact) / size, 1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 20])
def test_polygamma_is_accurate_near_zero(n):
    x = 10 ** spread(n, -280 / (n + 1), 0, 60) * np.random.default_rng(n).choice([-1, 1], 60)
    exact = [psi(n, v) for v in x]
    size = np.array([abs(float(value)) for value in exact])
    np.testing.assert_array_less(errors(special.polygamma(n, x), exact) / size, 1e-13)


def test_trigamma_and_its_derivative_far_left():
    x = -(10 ** spread(18, 2, 8, 100))
    for v, first, second in zip(x, special.polygamma(1, x), special.polygamma(2, x), strict=True):
        with mpmath.workdps(60):
            v = mpmath.mpf(float(v))
            sine, cosine = mpmath.sinpi(v), mpmath.cospi(v)
            exact = (mpmath.pi / sine) ** 2 - mpmath.psi(1, 1 - v)
            assert abs(float(first) - exact) <= 1e-13 * exact
            exact = mpmath.psi(2, 1 - v) - 2 * mpmath.pi**3 * cosine / sine**3
            assert abs(float(second) - exact) <= 1e-13 * max(abs(exact), 0.16)


def test_digamma_far_left():
    x = -(10 ** spread(19, 1, 12, 200))
    exact = [psi(0, v) for v in x]
    size = np.array([max(abs(float(value)), 1) for value in exact])
    np.testing.assert_array_less(errors(special.polygamma(0, x), exact) / size, 1e-13)


def test_polygamma_neither_overflows_nor_underflows_before_its_value_does():
    with mpmath.workdps(600):
        exact = -mpmath.factorial(170) * mpmath.zeta(171, 1000)
        got = special.polygamma(170, np.array([1000.0]))[0]
        assert abs(got / exact - 1) < 1e-13
    assert special.polygamma(1, np.array([1e300]))[0] == pytest.approx(1e-300, rel=1e-13)


def test_polygamma_of_a_high_order_has_no_nan_beside_its_poles():
    # Both halves of the sum overflow here; the sign is that of the nearer pole.
    x = np.array([-3.4, -3.6, -3.5])
    assert special.polygamma(400, x).tolist() == [np.inf, -np.inf, -np.inf]
    assert special.polygamma(401, x).tolist() == [np.inf] * 3


CONSTANTS = {
    special.erf: ([0.0, -0.0, np.inf, -np.inf, np.nan], [0.0, -0.0, 1.0, -1.0, np.nan]),
    special.erfc: (
        [0.0, -0.0, np.inf, -np.inf, np.nan, 28.0, 1e300, -1e300],
        [1.0, 1.0, 0.0, 2.0, np.nan, 0.0, 0.0, 2.0],
    ),
    special.erfinv: (
        [0.0, -0.0, 1.0, -1.0, 1.5, -1.5, np.inf, -np.inf, np.nan],
        [0.0, -0.0, np.inf, -np.inf, np.nan, np.nan, np.nan, np.nan, np.nan],
    ),
    special.lgamma: (
        [1.0, 2.0, 0.0, -0.0, -1.0, -40.0, -1e300, np.inf, -np.inf, np.nan, 1e306 * 100],
        [0.0, 0.0] + [np.inf] * 7 + [np.nan, np.inf],
    ),
}


def same(got, expected):
    """Equal in value and in the signs of zeros; NaN equals NaN."""
    np.testing.assert_array_equal(got, expected)
    number = ~np.isnan(got)
    np.testing.assert_array_equal(np.signbit(got)[number], np.signbit(expected)[number])


@pytest.mark.parametrize("function", CONSTANTS, ids=lambda function: function.__name__)
def test_special_values(function):
    x, expected = map(np.array, CONSTANTS[function])
    with np.errstate(all="raise"):
        same(function(x), expected)


@pytest.mark.parametrize(
    "n, expected",
    [
        (0, [-np.inf, np.inf, np.nan, np.nan, np.inf, np.nan, np.nan]),
        (1, [np.inf, np.inf, np.inf, np.inf, 0.0, np.nan, np.nan]),
        (2, [-np.inf, np.inf, np.nan, np.nan, -0.0, np.nan, np.nan]),
        (3, [np.inf, np.inf, np.inf, np.inf, 0.0, np.nan, np.nan]),
    ],
)
def test_polygamma_at_poles_and_infinities(n, expected):
    x = np.array([0.0, -0.0, -1.0, -1e300, np.inf, -np.inf, np.nan])
    with np.errstate(all="raise"):
        same(special.polygamma(n, x), np.array(expected))


def trigamma(x):
    return special.polygamma(1, x)


FUNCTIONS = [special.erf, special.erfc, special.erfinv, special.lgamma, trigamma]
each_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)


@each_function
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (2, 3, 4)])
def test_shape_and_dtype_stay(function, dtype, shape):
    x = np.full(shape, 0.3, dtype)
    got = function(x)
    assert isinstance(got, np.ndarray) and got.shape == shape and got.dtype == dtype
    assert (got == function(np.array([0.3], dtype))[0]).all()


@each_function
def test_strided_arrays_are_read_and_left_alone(function):
    base = np.linspace(0.1, 0.9, 24).reshape(4, 6)
    x, before = base[::2, ::-3], base.copy()
    np.testing.assert_array_equal(function(x), function(x.copy()))
    np.testing.assert_array_equal(base, before)


@each_function
def test_float32_is_float64_rounded_once(function):
    x = np.random.default_rng(20).uniform(-0.99, 0.99, 500).astype(np.float32)
    expected = function(x.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(function(x), expected)


def test_float32_is_the_nearest_number():
    x = np.concatenate([spread(21, -4, 10, 300), spread(22, 9, 10.2, 100)]).astype(np.float32)
    check_ulps(special.erfc, ERFC, x, 0.5 + 1e-6)


def test_float32_overflow_is_quiet():
    with np.errstate(all="raise"):
        assert special.lgamma(np.float32(3e38)) == np.inf
        assert special.erfc(np.float32(11)) == 0


@each_function
@pytest.mark.parametrize("dtype", [np.int64, np.float16, np.complex128, bool])
def test_other_dtypes_are_refused(function, dtype):
    with pytest.raises(TypeError, match="expected float32 or float64"):
        function(np.ones(2, dtype))


def test_orders_of_polygamma_are_checked():
    with pytest.raises(ValueError, match="at least 0, got -1"):
        special.polygamma(-1, np.ones(2))
    with pytest.raises(TypeError):
        special.polygamma(1.5, np.ones(2))
    assert special.polygamma(np.int32(1), np.ones(1))[0] == pytest.approx(math.pi**2 / 6)
