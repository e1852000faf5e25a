"""Tables of the C backend as loops that tests may call, and the numbers at which they are tried."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.c import arithmetic, cast, comparison, logic, processes, rounding, select
from s2sad.backends.c.libraries import EXACT, library_command, load_library, require_done
from s2sad.backends.c.runtime import SOURCES as RUNTIME
from s2sad.backends.c.scalar import Scalar
from s2sad.backends.c.template import stored
from s2sad.backends.c.toolchain import TIMEOUT, require_toolchain
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import DType
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import TensorType

#: Beside what everything is compiled with.
WARNINGS = ("-Wall", "-Wextra", "-Werror")

TABLES: dict[Primitive, Scalar] = {
    **arithmetic.SCALARS, **comparison.SCALARS, **logic.SCALARS, **rounding.SCALARS,
    **select.SCALARS, **cast.SCALARS,
}  # fmt: skip


def compile_shared(sources: Sequence[Path], output: Path) -> ctypes.CDLL:
    """A library of the C files `sources`, compiled as kernels are, and loaded."""
    flags = (EXACT, *WARNINGS)
    command = library_command(
        require_toolchain(), sources, output, flags=flags, includes=[RUNTIME]
    )  # fmt: skip
    require_done(processes.run(command, timeout=TIMEOUT), sources)
    return load_library(output)


def run_kernel(kernel: Any, n: int, operands: Sequence[np.ndarray], out: np.ndarray) -> None:
    kernel(ctypes.c_int64(n), *(ctypes.c_void_p(x.ctypes.data) for x in (*operands, out)))


# Loops over elementwise operations


@dataclass(frozen=True)
class Loop:
    """An elementwise primitive on operands of some dtypes.

    Attributes
    ----------
    prim : Primitive
    dtypes : tuple of DType
        Of the operands.
    result : DType
    attrs : dict
    """

    prim: Primitive
    dtypes: tuple[DType, ...]
    result: DType
    attrs: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        shorts = (self.prim.name, *(d.short for d in self.dtypes), self.result.short)
        return "_".join(shorts)

    def __str__(self) -> str:
        return self.name

    def text(self) -> str:
        """The loop as a function of C."""
        moves = self.prim.has(Trait.MOVES)
        names = [f"x{i}" for i in range(len(self.dtypes))]
        pointers = [f"const {stored(d)} *p{x}" for d, x in zip(self.dtypes, names, strict=True)]
        loads = [_load(f"p{x}[i]", x, d, moves) for d, x in zip(self.dtypes, names, strict=True)]
        dtype = self.result if self.prim in select.SCALARS else self.dtypes[0]
        dtype = dtype if moves else dtype.compute
        element = TABLES[self.prim](names, dtype, self.attrs)
        if self.result.is_narrow and not moves:
            element = f"s2_f32_to_{self.result.short}({element})"
        return (
            f"S2_API void {self.name}(int64_t n, {', '.join(pointers)}, {stored(self.result)} *y)\n"
            f"{{\n    for (int64_t i = 0; i < n; i++) {{\n        {' '.join(loads)}\n"
            f"        y[i] = {element};\n    }}\n}}\n"
        )


def _load(element: str, name: str, dtype: DType, moves: bool) -> str:
    if dtype.is_narrow and not moves:
        return f"float {name} = s2_{dtype.short}_to_f32({element});"
    return f"{stored(dtype)} {name} = {element};"


def loops() -> Iterator[Loop]:
    """A loop for each primitive of `TABLES` and each choice of dtypes that it takes."""
    for prim in TABLES:
        for attrs in [{"dtype": d} for d in dtypes.ALL] if prim in cast.SCALARS else [{}]:
            for dtype in dtypes.ALL:
                given = (dtype,) * prim.least
                if prim in select.SCALARS:
                    given = (dtypes.bool_, dtype, dtype)
                result = _result(prim, given, attrs)
                if result is not None:
                    yield Loop(prim, given, result, attrs)


def _result(prim: Primitive, given: tuple[DType, ...], attrs: dict[str, Any]) -> DType | None:
    try:
        (found,) = prim.infer([TensorType(d) for d in given], attrs)
    except S2sadError:
        return None
    assert isinstance(found, TensorType)
    return found.dtype


HEADERS = ("compare", "convert", "integer", "narrow", "power", "remainder")


def write_loops(path: Path) -> Path:
    """A C file at `path` with all `loops`."""
    includes = [f'#include "{name}.h"\n' for name in HEADERS]
    path.write_text("".join(chain(includes, (loop.text() for loop in loops()))))
    return path


# Numbers


def edge_values(dtype: DType) -> np.ndarray:
    """Numbers of `dtype`, in storage, at which an implementation may go wrong."""
    if dtype is dtypes.bool_:
        return np.array([False, True])
    return _edge_floats(dtype) if dtype.is_float else _edge_integers(dtype)


def _edge_integers(dtype: DType) -> np.ndarray:
    bounds, bits = np.iinfo(dtype.storage), dtype.bits
    powers = [2**k for k in (2, 4, 6, 7, 11, 15, 24, 31, 53, 62, bits // 2, bits - 2)]
    near = [sign * (power + by) for power in powers for by in (-1, 0, 1) for sign in (1, -1)]
    small = [0, 1, -1, 2, -2, 3, -3, 5, -7, 10, -100, bits - 1, bits, bits + 1]
    odd = [2**53 + 2**46 + 1, 2**62 + 2**54, 2**62 + 2**54 + 1, 65519, 65520, -65521]
    wanted = {*near, *small, *odd, bounds.min, bounds.min + 1, bounds.max, bounds.max - 1}
    return np.array(sorted(v for v in wanted if bounds.min <= v <= bounds.max), dtype.storage)


def _edge_floats(dtype: DType) -> np.ndarray:
    halves = [0.0, 0.2, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 1 / 3, 0.1, 7.0, 10.0, 1e3]
    bounds = [127.5, 128.0, 255.5, 256.0, 32767.5, 32768.0, 2.0**31 - 0.5, 2.0**31, 2.0**32]
    large = [2.0**23 - 0.5, 2.0**24 + 1, 2.0**52 + 0.5, 2.0**53 + 1, 2.0**62, 2.0**63, 2.0**64]
    f16 = [65504.0, 65519.99, 65520.0, 2.0**-14, 2.0**-24, 2.0**-25, 1 + 2.0**-11, 1 + 3 * 2.0**-11]
    rest = [np.inf, 1e-40, 5e-324, 1.2e-38, 3.4e38, 1.7e308, 1 + 2.0**-8 + 2.0**-30, 1 + 2.0**-52]
    values = np.array([*halves, *bounds, *large, *f16, *rest])
    with np.errstate(all="ignore"):
        return dtypes.narrow(np.concatenate([values, -values, [np.nan]]), dtype)


def random_bits(dtype: DType, count: int, seed: int) -> np.ndarray:
    """Elements of `dtype` of random bits."""
    bits = np.random.default_rng(seed).integers(0, 256, (count, dtype.itemsize), np.uint8)
    if dtype is dtypes.bool_:
        return bits[:, 0] > 127
    return np.frombuffer(bits.tobytes(), dtype.storage)


def grid(given: Sequence[DType]) -> list[np.ndarray]:
    """All tuples of edge values of the dtypes, and tuples of random bits."""
    sets = [edge_values(dtype) for dtype in given]
    if len(given) > 2 and not given[0].bits == 8:
        sets = [values[:: 1 + len(values) // 24] for values in sets]
    axes = [axis.reshape(-1) for axis in np.meshgrid(*sets, indexing="ij")]
    more = [random_bits(dtype, 500, seed) for seed, dtype in enumerate(given)]
    return [np.concatenate(pair) for pair in zip(axes, more, strict=True)]
