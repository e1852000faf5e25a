"""Units of the C runtime and their templates as functions that tests may call on arrays."""

from __future__ import annotations

import atexit
import ctypes
import functools
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.c import template
from s2sad.backends.c.shape import sizes
from s2sad.backends.c.template import Body, Site, Template, stored
from s2sad.backends.c.toolchain import EXACT, compile_library
from s2sad.core import dtypes
from s2sad.ir.builder import build_function
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import TensorType, type_of
from support.same import assert_same_array

RUNTIME = Path(template.__file__).parent / "runtime"
WARNINGS = ("-Wall", "-Wextra", "-Werror")
#: What results hold before, and what stands on both sides of them.
GARBAGE, MARGIN = 0x5A, 64


@functools.cache
def _folder() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="s2sad-test-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


@functools.cache
def load(name: str, units: tuple[str, ...], source: str) -> ctypes.CDLL:
    """Units of the runtime, and C text beside them, as a library called `name`."""
    path, output = _folder() / f"{name}_cases.c", _folder() / f"{name}_cases.so"
    path.write_text(source)
    sources = [path, *(RUNTIME / f"{unit}.c" for unit in units)]
    compile_library(sources, output, flags=(EXACT, *WARNINGS), includes=(RUNTIME,))
    return ctypes.CDLL(str(output))


@dataclass(frozen=True, eq=False)
class Case:
    """A primitive on arrays.

    Attributes
    ----------
    prim : Primitive
    operands : tuple of arrays
        In storage form.
    attrs : dict
    """

    prim: Primitive
    operands: tuple[np.ndarray, ...]
    attrs: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        shapes = "-".join(str(type_of(x)) for x in self.operands)
        attrs = ",".join(f"{name}={value}" for name, value in self.attrs.items())
        return f"{self.prim.name}-{shapes}-{attrs}".replace(" ", "")

    @functools.cached_property
    def site(self) -> Site:
        function = build_function(
            lambda *v: self.prim(*v, **self.attrs), [type_of(x) for x in self.operands]
        )
        return Site(next(op for op in function.walk() if op.prim is self.prim))

    def meaning(self) -> tuple[np.ndarray, ...]:
        """What it is in NumPy."""
        site = self.site
        return self.prim.run(self.operands, dict(site.attrs), site.results)


def _kernel(name: str, site: Site, body: Body) -> str:
    pointers = [
        f"    const {stored(t.dtype)} *x{i} = p[{i}];\n    (void)x{i};\n"
        for i, t in enumerate(site.types)
    ] + [
        f"    {stored(t.dtype)} *y{i} = p[{len(site.types) + i}];\n    (void)y{i};\n"
        for i, t in enumerate(site.results)
    ]
    return (
        f"S2_API int {name}(s2_run *run, void *const *p, int64_t begin, int64_t end)\n{{\n"
        f"    (void)run, (void)begin, (void)end;\n{''.join(pointers)}{body.text}\n}}\n"
    )


class Kernels:
    """The kernels of many cases, compiled together.

    Parameters
    ----------
    name : str
    units : sequence of str
        Of the runtime, that they need.
    templates : dict
        From primitive to template.
    cases : sequence of Case
    """

    def __init__(
        self,
        name: str,
        units: Sequence[str],
        templates: Mapping[Primitive, Template],
        cases: Sequence[Case],
    ) -> None:
        self.bodies = {case: templates[case.prim](case.site) for case in cases}
        self.names = {case: f"kernel_{i}" for i, case in enumerate(cases)}
        headers = sorted({h for body in self.bodies.values() for h in body.headers})
        self.text = "".join(f'#include "{header}"\n' for header in ("s2sad.h", *headers))
        for case, body in self.bodies.items():
            self.text += _kernel(self.names[case], case.site, body)
        self.name, self.units = name, tuple(units)

    @functools.cached_property
    def loaded(self) -> ctypes.CDLL:
        return load(self.name, self.units, self.text)

    def run(self, case: Case) -> tuple[np.ndarray, ...]:
        """Results of the kernel."""
        failed, results = self._call(case)
        assert not failed, "the kernel failed"
        return tuple(x.checked() for x in results)

    def fails(self, case: Case) -> bool:
        """Whether the kernel says that it failed; then it has written nothing."""
        failed, results = self._call(case)
        if failed:
            assert all((x.memory == GARBAGE).all() for x in results), "written before it failed"
        return failed

    def _call(self, case: Case) -> tuple[bool, list[_Guarded]]:
        body, results = self.bodies[case], [_Guarded(t) for t in case.site.results]
        operands = [np.ascontiguousarray(x) for x in case.operands]
        before = [x.tobytes() for x in operands]
        arrays = [*operands, *(x.array for x in results)]
        pointers = (ctypes.c_void_p * len(arrays))(*(x.ctypes.data for x in arrays))
        begin, end = ctypes.c_int64(0), ctypes.c_int64(body.extent)
        failed = getattr(self.loaded, self.names[case])(None, pointers, begin, end)
        assert [x.tobytes() for x in operands] == before, "an operand has changed"
        return bool(failed), results


class _Guarded:
    """An array with bytes on both sides that nobody may touch."""

    def __init__(self, found: TensorType) -> None:
        array = np.empty(sizes(found), found.dtype.storage)
        self.memory = np.full(array.nbytes + 2 * MARGIN, GARBAGE, np.uint8)
        inside = self.memory[MARGIN : MARGIN + array.nbytes]
        self.array = inside.view(array.dtype).reshape(array.shape)

    def checked(self) -> np.ndarray:
        size = self.array.nbytes
        outside = np.concatenate([self.memory[:MARGIN], self.memory[MARGIN + size :]])
        assert (outside == GARBAGE).all(), "written beside the result"
        return self.array


def assert_same(found: np.ndarray, expected: np.ndarray) -> None:
    """The same type and bits; any NaN for a NaN."""
    assert found.dtype == expected.dtype
    assert_same_array(dtypes.widen(found), dtypes.widen(expected))


def numbers(dtype: dtypes.DType, shape: Sequence[int], seed: int = 0) -> np.ndarray:
    """Numbers with ties among them; of floats also NaN, infinities and zeros of both signs."""
    rng = np.random.default_rng(seed)
    if dtype is dtypes.bool_:
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.is_integer:
        bounds = np.iinfo(dtype.storage)
        wide = rng.integers(bounds.min, bounds.max, shape, dtype.storage, endpoint=True)
        return np.where(rng.random(shape) < 0.5, wide, wide % 4).astype(dtype.storage)
    values = np.round(rng.normal(size=shape), 1)
    special = rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape)
    return dtypes.narrow(np.where(rng.random(shape) < 0.1, special, values), dtype)
