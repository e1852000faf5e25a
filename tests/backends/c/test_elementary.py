"""Are the elementary functions of the C runtime accurate, and right at the edges?

float32 is held against the NumPy meaning in float64, float64 against mpmath. The slow test goes
over all floats there are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass

import mpmath
import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends.c import arithmetic, exponential, special, trigonometric
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive
from support.c_loops import compile_shared, edge_values, random_bits, run_kernel

SCALARS = {
    **{prim: arithmetic.SCALARS[prim] for prim in (p.sqrt, p.rsqrt, p.pow)},
    **exponential.SCALARS, **trigonometric.SCALARS, **special.SCALARS,
}  # fmt: skip
BINARY = (p.pow, p.atan2)
UNARY = [prim for prim in SCALARS if prim not in (*BINARY, p.polygamma)]
ORDERS = (0, 1, 2, 3, 8)
FLOATS = (dtypes.float32, dtypes.float64)
NARROWED = (dtypes.float16, dtypes.bfloat16)
HEADERS = ("hyperbolic.h", "narrow.h", "power.h", "s2sad.h", "special.h", "trig.h")

#: In float32 these have polynomials of their own, and are held against float64; the others are
#: float64 rounded, and held against C's library where it has them.
OWN = (p.exp, p.exp2, p.log, p.sigmoid, p.tanh, p.sin, p.cos, p.erf, p.erfinv)
REFERENCES = {
    **{prim.name: f"{prim.name}(x)" for prim in UNARY},
    **{prim.name: f"s2_{prim.name}_f64(x)" for prim in OWN},
    "rsqrt": "1.0 / sqrt(x)",
}


@dataclass(frozen=True)
class Loop:
    """A function of the runtime, over arrays."""

    name: str
    operands: int
    element: str
    taken: str
    given: str

    def text(self) -> str:
        pointers = "".join(f", const {self.taken} *x{i}" for i in range(self.operands))
        return (
            f"S2_API void {self.name}(int64_t n{pointers}, {self.given} *y)\n"
            f"{{\n    for (int64_t i = 0; i < n; i++) y[i] = {self.element};\n}}\n"
        )


def loops() -> list[Loop]:
    found = []
    for dtype in FLOATS:
        c = "float" if dtype is dtypes.float32 else "double"
        for prim, scalar in SCALARS.items():
            args = ["x0[i]", "x1[i]"][: 1 + (prim in BINARY)]
            for n in ORDERS if prim is p.polygamma else (None,):
                name = f"{prim.name}{'' if n is None else n}_{dtype.short}"
                found.append(Loop(name, len(args), scalar(args, dtype, {"n": n}), c, c))
        for half in NARROWED:
            name = f"{dtype.short}_to_{half.short}"
            found.append(Loop(name, 1, f"s2_{name}(x0[i])", c, "uint16_t"))
    for half in NARROWED:
        name = f"{half.short}_to_f32"
        found.append(Loop(name, 1, f"s2_{name}(x0[i])", "uint16_t", "float"))
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("elementary")
    source = folder / "loops.c"
    includes = [f'#include "{name}"\n' for name in HEADERS]
    source.write_text("".join([*includes, *(loop.text() for loop in loops())]))
    return compile_shared([source], folder / "loops.so")


@pytest.fixture
def computed(library):
    """What the function of a name gives for arrays, in the dtype of `like`."""

    def run(name: str, *operands: np.ndarray, like: np.dtype | None = None) -> np.ndarray:
        operands = tuple(np.ascontiguousarray(x) for x in operands)
        out = np.empty(operands[0].shape, like or operands[0].dtype)
        run_kernel(getattr(library, name), out.size, operands, out)
        return out

    return run


def meaning(prim: Primitive, *operands: np.ndarray, **attrs) -> np.ndarray:
    """What `prim` is of the operands as float64."""
    with np.errstate(all="ignore"):
        return np.asarray(prim(*(x.astype(float) for x in operands), **attrs))


def test_every_primitive_of_the_families_has_an_expression():
    families = {"exponential", "trigonometric", "special"}
    expected = {q for q in p.ALL.values() if q.family in families and not q.is_composite}
    assert expected == set(SCALARS) - {p.sqrt, p.rsqrt, p.pow}


# Errors


def assert_close(got: np.ndarray, exact: np.ndarray, x: object, bound: float) -> None:
    """`got` is within `bound` ULP of float64 `exact`; zeros have their signs, NaN is NaN."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
    sure = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.signbit(got[sure]), np.signbit(rounded[sure]))
    # What lies within a ULP of where numbers end may be infinite or not.
    largest = np.finfo(got.dtype).max
    got, rounded = (np.clip(v, -largest, largest) for v in (got, rounded))
    exact = np.clip(exact, -float(largest), float(largest))
    with np.errstate(all="ignore"):
        error = np.abs(got.astype(float) - exact) / np.spacing(np.abs(rounded)).astype(float)
    error = np.where(sure, error, 0)
    worst = int(error.argmax())
    at = tuple(np.asarray(v).reshape(-1)[worst] for v in (x if isinstance(x, tuple) else (x,)))
    assert error[worst] <= bound, f"{error[worst]} ULP at {at}: {got[worst]!r}, {rounded[worst]!r}"


def points(dtype: DType, count: int, seed: int = 0) -> np.ndarray:
    """Random bits, numbers of ordinary size, the edges and what lies beside them."""
    generator = np.random.default_rng(seed)
    usual = generator.normal(0, 1, (4, count // 8)) * [[0.1], [1], [10], [100]]
    edges = edge_values(dtype)
    with np.errstate(all="ignore"):
        beside = [np.nextafter(edges, edges.dtype.type(s)) for s in (-np.inf, np.inf)]
        parts = [random_bits(dtype, count // 2, seed), usual.ravel(), edges, *beside]
        return np.concatenate([part.astype(dtype.storage) for part in parts])


@pytest.mark.parametrize("prim", UNARY, ids=str)
def test_float32_of_samples(prim, computed):
    slow = prim in (p.erfinv, p.lgamma)  # in NumPy
    x = points(dtypes.float32, 100_000 if slow else 1_000_000)
    assert_close(computed(f"{prim.name}_f32", x), meaning(prim, x), x, 2)


@pytest.mark.parametrize("n", ORDERS)
def test_float32_of_polygamma(n, computed):
    x = points(dtypes.float32, 20_000)
    # Beyond the doubles that count, a sine of a large negative number differs in its last places.
    x = x[~(x < -1e6)]
    assert_close(computed(f"polygamma{n}_f32", x), meaning(p.polygamma, x, n=n), x, 2)


@pytest.mark.parametrize("prim", BINARY, ids=str)
def test_float32_of_pairs(prim, computed):
    x, y = pairs(dtypes.float32, 1_000_000)
    got = computed(f"{prim.name}_f32", x, y)
    assert_close(got, meaning(prim, x, y), (x, y), 2)


def pairs(dtype: DType, count: int) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of edges, and random ones."""
    edges = np.meshgrid(edge_values(dtype), edge_values(dtype))
    x, y = (points(dtype, count, seed) for seed in (1, 2))
    small = np.random.default_rng(3).uniform(0.5, 2, count // 4).astype(dtype.storage)
    large = np.random.default_rng(4).normal(0, 300, count // 4).astype(dtype.storage)
    return (
        np.concatenate([edges[0].ravel(), x, small]), np.concatenate([edges[1].ravel(), y, large])
    )  # fmt: skip


# float64, against mpmath


def log_abs_gamma(x):
    if x > 0:
        return mpmath.re(mpmath.loggamma(x))
    sine = abs(x * mpmath.sin(mpmath.pi * x))
    return mpmath.log(mpmath.pi / sine) - mpmath.re(mpmath.loggamma(-x))


EXACT: dict[Primitive, Callable] = {
    p.sqrt: mpmath.sqrt,
    p.rsqrt: lambda x: 1 / mpmath.sqrt(x),
    p.exp: mpmath.exp,
    p.exp2: lambda x: mpmath.mpf(2) ** x,
    p.expm1: mpmath.expm1,
    p.log: mpmath.log,
    p.log2: lambda x: mpmath.log(x) / mpmath.log(2),
    p.log10: lambda x: mpmath.log(x) / mpmath.log(10),
    p.log1p: mpmath.log1p,
    p.sigmoid: lambda x: 1 / (1 + mpmath.exp(-x)),
    p.tanh: mpmath.tanh,
    p.sinh: mpmath.sinh,
    p.cosh: mpmath.cosh,
    p.asinh: mpmath.asinh,
    p.acosh: mpmath.acosh,
    p.atanh: mpmath.atanh,
    p.sin: mpmath.sin,
    p.cos: mpmath.cos,
    p.tan: mpmath.tan,
    p.asin: mpmath.asin,
    p.acos: mpmath.acos,
    p.atan: mpmath.atan,
    p.erf: mpmath.erf,
    p.erfc: mpmath.erfc,
    p.erfinv: lambda x: mpmath.erfinv(x) if x else x,
    p.lgamma: log_abs_gamma,
}

#: Where they are more than 2 ULP off, as their meanings in NumPy are.
BOUNDS = {p.erfc: 4, p.erfinv: 4}


def exactly(function: Callable, digits: int = 60) -> Callable[..., tuple[float, float]]:
    """The nearest double to what mpmath finds, and how far that is, as the sum of two doubles."""

    def evaluated(*args: float) -> tuple[float, float]:
        with mpmath.workdps(digits):
            value = function(*map(mpmath.mpf, args))
            near = float(value)
            return near, float(value - near) if np.isfinite(near) else 0.0

    return evaluated


def ulps(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Errors against rows of doubles and what they lack."""
    near, rest = exact.T
    return np.abs((got - near) - rest) / np.spacing(np.abs(near))


def ordinary(prim: Primitive, count: int) -> np.ndarray:
    """Doubles of all sizes, and of the usual ones, at which `prim` is a number other than 0."""
    generator = np.random.default_rng(5)
    sizes = 10 ** generator.uniform(-323, 308, count // 4) * generator.choice([-1, 1], count // 4)
    moderate = 10 ** generator.uniform(-9, 3, count // 4) * generator.choice([-1, 1], count // 4)
    x = np.concatenate([sizes, moderate, generator.uniform(-2, 2, count // 2)])
    x = np.concatenate([x, 1 + generator.normal(0, 0.01, count // 8), -1 + x[-count // 8 :] / 100])
    values = meaning(prim, x)
    return x[np.isfinite(values) & (values != 0)]


@pytest.mark.parametrize("prim", [prim for prim in UNARY if prim is not p.lgamma], ids=str)
def test_float64_against_mpmath(prim, computed):
    x = ordinary(prim, 400 if prim is p.erfinv else 3000)
    exact = np.array([exactly(EXACT[prim], 40 if prim is p.erfinv else 60)(v) for v in x])
    error = ulps(computed(f"{prim.name}_f64", x), exact)
    worst = int(error.argmax())
    assert error[worst] <= BOUNDS.get(prim, 2), f"{error[worst]} ULP at {x[worst]!r}"


def test_lgamma_in_float64_against_mpmath(computed):
    generator = np.random.default_rng(6)
    x = np.concatenate([generator.uniform(-40, 40, 500), ordinary(p.lgamma, 500)])
    exact = np.array([exactly(log_abs_gamma, 340)(v) for v in x])
    got = computed("lgamma_f64", x)
    near_zero = np.abs((got - exact[:, 0]) - exact[:, 1]) <= 4 * 2.0**-52
    assert (near_zero | (ulps(got, exact) <= 4)).all()


@pytest.mark.parametrize("n", ORDERS)
def test_polygamma_in_float64(n, computed):
    generator = np.random.default_rng(7)
    x = np.concatenate([generator.uniform(-20, 60, 2000), 10 ** generator.uniform(-5, 5, 200)])
    expected = meaning(p.polygamma, x, n=n)
    np.testing.assert_allclose(computed(f"polygamma{n}_f64", x), expected, rtol=1e-12)


@pytest.mark.parametrize("prim", BINARY, ids=str)
def test_float64_of_pairs_against_mpmath(prim, computed):
    generator = np.random.default_rng(8)
    x, y = np.exp(generator.normal(0, 3, (2, 3000))) * generator.choice([-1, 1], (2, 3000))
    x = np.abs(x) if prim is p.pow else x
    function = mpmath.power if prim is p.pow else mpmath.atan2
    values = meaning(prim, x, y)
    regular = np.isfinite(values) & (values != 0)
    x, y = x[regular], y[regular]
    exact = np.array([exactly(function)(*v) for v in zip(x, y, strict=True)])
    error = ulps(computed(f"{prim.name}_f64", x, y), exact)
    worst = int(error.argmax())
    assert error[worst] <= 2, f"{error[worst]} ULP at {x[worst]!r}, {y[worst]!r}"


def test_powers_of_integers_are_exact(computed):
    x, y = (axis.ravel() for axis in np.meshgrid(np.arange(1.0, 200), np.arange(0.0, 8)))
    exact = np.array([float(int(b) ** int(n)) for b, n in zip(x, y, strict=True)])
    held = exact < 2**53
    np.testing.assert_array_equal(computed("pow_f64", x, y)[held], exact[held])


@pytest.mark.parametrize("prim", UNARY, ids=str)
def test_edges_in_float64(prim, computed):
    x = points(dtypes.float64, 2000)
    # NumPy's own errors count here.
    assert_close(computed(f"{prim.name}_f64", x), meaning(prim, x), x, 8)


@pytest.mark.parametrize("prim", BINARY, ids=str)
def test_edges_of_pairs_in_float64(prim, computed):
    x, y = pairs(dtypes.float64, 2000)
    assert_close(computed(f"{prim.name}_f64", x, y), meaning(prim, x, y), (x, y), 8)


@pytest.mark.parametrize("n", ORDERS)
def test_edges_of_polygamma(n, computed):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1, -2, -1e20, 1, 5e-324, 1e-300, 1.7e308])
    np.testing.assert_allclose(
        computed(f"polygamma{n}_f64", x), meaning(p.polygamma, x, n=n), rtol=1e-13
    )


def test_the_angles_that_lie_nearest_to_quarter_turns(computed):
    x = np.array([6381956970095103 * 2.0**797, 5.319372648326541e255, 3.1415926535897931, 1e22])
    for prim in (p.sin, p.cos, p.tan):
        exact = np.array([exactly(EXACT[prim], 400)(v) for v in x])
        assert (ulps(computed(f"{prim.name}_f64", x), exact) <= 2).all()


# Narrow floats


def ties(dtype: DType) -> np.ndarray:
    """All finite narrow floats and what lies midway, as doubles, with their neighbours."""
    bits = np.arange(2**16, dtype=np.uint16)
    values = dtypes.widen(bits.view(dtype.storage)).astype(float)
    values = np.unique(values[np.isfinite(values)])
    middle = (values[1:] + values[:-1]) / 2
    around = [np.nextafter(middle, -np.inf), middle, np.nextafter(middle, np.inf)]
    return np.concatenate([values, *around, [np.inf, -np.inf, np.nan, -0.0]])


@pytest.mark.parametrize("half", NARROWED, ids=str)
def test_widening_is_exact(half, computed):
    bits = np.arange(2**16, dtype=np.uint16)
    got, expected = computed(f"{half.short}_to_f32", bits, like=np.dtype(np.float32)), None
    expected = dtypes.widen(bits.view(half.storage))
    known = ~np.isnan(expected)
    np.testing.assert_array_equal(np.isnan(got), ~known)
    np.testing.assert_array_equal(got.view(np.uint32)[known], expected.view(np.uint32)[known])


@pytest.mark.parametrize("half", NARROWED, ids=str)
@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_narrowing_rounds_once_and_to_even(dtype, half, computed):
    with np.errstate(all="ignore"):
        x = np.concatenate([ties(half), ties(half).astype(np.float32), edge_values(dtype)])
        x = np.concatenate([x.astype(dtype.storage), random_bits(dtype, 1_000_000, 9)])
    got = computed(f"{dtype.short}_to_{half.short}", x, like=np.dtype(np.uint16))
    expected = dtypes.narrow(x, half).view(np.uint16)
    known = ~np.isnan(x)
    np.testing.assert_array_equal(got[known], expected[known])
    assert np.isnan(dtypes.widen(got[~known].view(half.storage))).all()


# All floats

EXHAUSTIVE = """
HEADERS
/* Errors of `got`, in the last place of `near`, against `exact`; inf where only one of them is NaN,
 * or infinite and not at the end, or negative. */
static double error_of(float got, double exact) {
    float near = (float)exact, size = fabsf(near), unit = s2_from_bits_f32(0x7f800000u &
        s2_bits_f32(size < 0x1p-126f ? 0x1p-126f : size));
    double error = fabs((double)got - exact) / ((double)unit * 0x1p-23);
    int at_end = (fabs(exact) < 0x1.0000018p128) & (fabsf(got) >= 0x1.fffffcp127f);
    int infinite = size == INFINITY, same = (fabsf(got) == INFINITY) == infinite;
    uint32_t signs = (s2_bits_f32(got) ^ s2_bits_f32(near)) >> 31;
    error = infinite | at_end ? 0.0 : error;
    error = (signs != 0) | !(same | at_end) ? INFINITY : error;
    error = near != near ? 0.0 : error;
    return (got != got) != (near != near) ? INFINITY : error;
}

/* The bits of the float at which the error is largest; what it is to `worst`. */
#define WORST(name, reference)                                                              \\
    S2_API uint32_t worst_##name(double *worst) {                                           \\
        static float given[4096], got[4096];                                                \\
        static double exact[4096], error[4096];                                             \\
        uint32_t found = 0;                                                                 \\
        for (uint32_t page = 0; page < 1u << 20; page++) {                                  \\
            for (uint32_t i = 0; i < 4096; i++) given[i] = s2_from_bits_f32(page << 12 | i); \\
            for (uint32_t i = 0; i < 4096; i++) got[i] = s2_##name##_f32(given[i]);         \\
            for (uint32_t i = 0; i < 4096; i++) {                                           \\
                double x = given[i];                                                        \\
                exact[i] = reference;                                                       \\
            }                                                                               \\
            for (uint32_t i = 0; i < 4096; i++) error[i] = error_of(got[i], exact[i]);      \\
            for (uint32_t i = 0; i < 4096; i++)                                             \\
                if (error[i] > *worst) *worst = error[i], found = page << 12 | i;           \\
        }                                                                                   \\
        return found;                                                                       \\
    }
"""


@pytest.fixture(scope="module")
def exhaustive(tmp_path_factory):
    folder = tmp_path_factory.mktemp("exhaustive")
    source = folder / "worst.c"
    text = EXHAUSTIVE.replace("HEADERS", "\n".join(f'#include "{name}"' for name in HEADERS))
    source.write_text(text + "".join(f"WORST({n}, {ref})\n" for n, ref in REFERENCES.items()))
    return compile_shared([source], folder / "worst.so")


@pytest.mark.slow
@pytest.mark.parametrize("name", REFERENCES)
def test_all_floats(name, exhaustive):
    function, worst = getattr(exhaustive, f"worst_{name}"), ctypes.c_double(0)
    function.restype = ctypes.c_uint32
    bits = function(ctypes.byref(worst))
    assert worst.value <= 2, f"{worst.value} ULP at {np.uint32(bits).view(np.float32)!r}"
