"""Templates of the C backend as kernels that tests may call, held to NumPy's meaning."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.c.shape import sizes
from s2sad.backends.c.template import Body, Site, Template, stored
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Operation
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import type_of
from support.c_loops import RUNTIME, compile_shared
from support.laws import promise, recast
from support.same import assert_same_array
from support.specs import all_specs

#: An array's memory, with so many bytes beyond its end that must stay as they are.
GUARD = 64


@dataclass(frozen=True, eq=False)
class Call:
    """A call of a primitive that a template serves.

    Attributes
    ----------
    prim : Primitive
    operands : sequence of array
    attrs : dict
    """

    prim: Primitive
    operands: Sequence[np.ndarray]
    attrs: Mapping[str, Any]

    def __str__(self) -> str:
        types = ", ".join(str(type_of(x)) for x in self.operands)
        return f"{self.prim.name}({types}, {dict(self.attrs)})"

    @cached_property
    def operation(self) -> Operation:
        types = [type_of(x) for x in self.operands]
        function = build_function(lambda *v: self.prim(*v, **self.attrs), types)
        return next(o for o in function.body.operations if o.prim is self.prim)


def calls_of(templates: Mapping[Primitive, Template]) -> list[Call]:
    """The calls of the law tests, in all dtypes that the primitives take."""
    found = []
    for spec in all_specs():
        if spec.prim in templates:
            for operands in recast(spec.operands):
                if promise(spec.prim, [type_of(x) for x in operands], spec.attrs) is not None:
                    found.append(Call(spec.prim, operands, spec.attrs))
    return found


class Kernels:
    """Kernels of several calls, compiled together with the units that they need."""

    def __init__(
        self, calls: Iterable[Call], templates: Mapping[Primitive, Template], folder: Path,
        *units: str,
    ) -> None:  # fmt: skip
        self.calls = list(calls)
        self.bodies = [templates[c.prim](Site(c.operation)) for c in self.calls]
        source = folder / "kernels.c"
        source.write_text(self._text())
        paths = [RUNTIME / f"{unit}.c" for unit in (*units, "threads")]
        self.loaded = compile_shared([source, *paths], folder / "kernels.so")

    def _text(self) -> str:
        headers = dict.fromkeys(h for body in self.bodies for h in ("s2sad.h", *body.headers))
        lines = [f'#include "{header}"' for header in headers]
        for i, (call, body) in enumerate(zip(self.calls, self.bodies, strict=True)):
            lines += _function(f"kernel_{i}", Site(call.operation), body)
        return "\n".join(lines) + "\n"

    def check(self, number: int) -> None:
        """The call of that number is what the primitive means, whole and cut, and in place."""
        call, body = self.calls[number], self.bodies[number]
        try:
            expected = call.prim.run(
                call.operands, dict(call.operation.attrs), [v.type for v in call.operation.results]
            )
        except S2sadError:
            expected = None
        self._compare(number, expected, parts=1)
        if body.extent > 1:
            self._compare(number, expected, parts=3)
        if body.in_place:
            self._compare(number, expected, parts=1, is_in_place=True)

    def _compare(
        self, number: int, expected: Any, *, parts: int, is_in_place: bool = False
    ) -> None:
        call, body = self.calls[number], self.bodies[number]
        operands = [np.array(x, order="C") for x in call.operands]
        site = Site(call.operation)
        outs = [_guarded(sizes(t), t.dtype.storage) for t in site.results]
        results = [out for out, _ in outs]
        if is_in_place:
            results[0] = operands[0]
        pointers = [x.ctypes.data for x in (*operands, *results)]
        memory = (ctypes.c_void_p * len(pointers))(*pointers)
        kernel = getattr(self.loaded, f"kernel_{number}")
        cuts = [body.extent * i // parts for i in range(parts + 1)]
        ended = [
            kernel(memory, ctypes.c_int64(a), ctypes.c_int64(b))
            for a, b in reversed(list(zip(cuts, cuts[1:], strict=False)))
        ]
        if expected is None:
            assert any(ended), call
        else:
            assert not any(ended), call
            for found, wanted in zip(results, expected, strict=True):
                assert_same_array(dtypes.widen(found), dtypes.widen(np.asarray(wanted)))
        for i, (x, before) in enumerate(zip(operands, call.operands, strict=True)):
            if expected is None or not (is_in_place and i == 0):
                assert x.tobytes() == np.array(before, order="C").tobytes(), f"{call}: operand {i}"
        assert all((guard == 0xA5).all() for _, guard in outs), f"{call}: beyond the end"


def _function(name: str, site: Site, body: Body) -> list[str]:
    pointers = [f"const {stored(t.dtype)} *x{i}" for i, t in enumerate(site.types)]
    pointers += [f"{stored(t.dtype)} *y{i}" for i, t in enumerate(site.results)]
    names = [text.rpartition("*")[2] for text in pointers]
    return [
        f"S2_API int {name}(void *const *p, int64_t begin, int64_t end)", "{",
        *(f"    {text} = p[{i}];" for i, text in enumerate(pointers)),
        *(f"    (void){used};" for used in (*names, "begin", "end")),
        body.text, "}",
    ]  # fmt: skip


def _guarded(shape: tuple[int, ...], storage: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """An array with garbage in it, and the bytes behind it."""
    size = int(np.prod(shape, dtype=np.int64)) * storage.itemsize
    memory = np.full(size + GUARD, 0xA5, np.uint8)
    return memory[:size].view(storage).reshape(shape), memory[size:]
