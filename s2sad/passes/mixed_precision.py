"""Which operations of a finished program compute in a narrow float?

Cells that are marked (`Cell.to_float`, `s2sad.amp`) come with their casts from the frontend. This
pass does the same to a program that has none: a dump, or one whose source cannot be changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir.builder import as_tuple
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Trait
from s2sad.ir.rewriter import Place, Rewriter
from s2sad.ir.types import TensorType
from s2sad.passes.base import Pass
from s2sad.prims.cast import cast
from s2sad.prims.precision import LEVELS, NARROW, NARROW_CELLS, WIDE_CELLS

#: Those that say a dtype themselves, or compute none.
_LEFT = frozenset({"cast", "bitcast", "const", "barrier"})


def _dtype(text: str) -> DType:
    """What `text` names (E0404)."""
    if text not in ("f16", "bf16"):
        raise fail("E0404", f"mixed-precision takes f16 or bf16, got {text!r}")
    return dtypes.BY_SHORT[text]


@dataclass(frozen=True)
class MixedPrecision(Pass):
    """Put casts around operations in float32, so that they compute in a narrow float.

    Before:  y = p.matmul(x, w)
    After:   t0 = p.cast(x, dtype=f16); t1 = p.cast(w, dtype=f16)
             t2 = p.matmul(t0, t1); y = p.cast(t2, dtype=f32)

    Where one such operation reads another's result, it reads that before it was cast. Types of
    inputs, results and of what loops carry stay. It belongs before differentiation, so that the
    backward sweep gets its casts by the adjoint of `cast`. Of a program that takes derivatives
    itself only what is differentiated is narrowed, and not what is done with the gradients.

    Attributes
    ----------
    level : {"O0", "O1", "O2", "O3", "auto"}
        As of `s2sad.amp`, by operation and scope: O1 takes operations of Cells such as `Dense`, O2
        all but those of normalisations and losses, O3 all, auto products of matrices and
        convolutions.
    dtype : DType
        f16 or bf16.
    """

    level: str = "O0"
    dtype: DType = field(
        default=dtypes.float16, metadata={"write": lambda dtype: dtype.short, "read": _dtype}
    )
    name: ClassVar[str] = "mixed-precision"
    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            levels = ", ".join(LEVELS)
            raise fail("E0404", f"the level is one of {levels}, got {self.level!r}")

    def run(self, function: Function, rewriter: Rewriter) -> None:
        for operation in _candidates(function):
            if self.narrows(operation):
                with rewriter.step(f"narrow {operation.prim.name}", operation):
                    _narrow(operation, self.dtype, rewriter)

    def narrows(self, operation: Operation) -> bool:
        """Whether `operation`, which computes in float32, is to compute in the narrow dtype."""
        prim = operation.prim
        if operation.regions or prim.name in _LEFT or prim.has(Trait.EFFECT):
            return False
        if not any(map(_is_wide, operation.operands)):
            return False
        cells = [part.rpartition(":")[2] for part in operation.scope.split("/")]
        return {
            "O0": False,
            "O1": any(cell in NARROW_CELLS for cell in cells),
            "O2": not any(cell in WIDE_CELLS or cell.endswith("Loss") for cell in cells),
            "O3": True,
            "auto": prim.name in NARROW,
        }[self.level]

    def agrees(self, found: Any, wanted: Any) -> bool:
        """Whether floats are near to what they were, as far as a narrow float tells.

        Where they were beyond it, or no numbers, nothing is asked; nor of integers, which may
        be the place of a maximum.
        """
        if not isinstance(wanted, np.ndarray) or not dtypes.BY_STORAGE[wanted.dtype].is_float:
            return type(found) is type(wanted)
        before, now = dtypes.widen(wanted), dtypes.widen(found)
        if now.shape != before.shape or now.dtype != before.dtype:
            return False
        with np.errstate(all="ignore"):
            asked = np.abs(before) <= _LARGEST
            largest = np.max(np.abs(before), where=asked, initial=1.0)
            near = np.abs(now - before) <= _BOUND[self.dtype.short] * largest
        return bool(np.all(near | ~asked | ~np.isfinite(now)))


#: Beyond half of what float16 holds a result says nothing.
_LARGEST = 32768.0
#: Relative to the largest element: some dozens of roundings.
_BOUND = {"f16": 2.0**-5, "bf16": 2.0**-2}


def _candidates(function: Function) -> list[Operation]:
    """What is differentiated in `function`; all of it where it takes no derivative itself."""
    derivatives = [op for op in function.body.operations if op.prim.name == "transform"]
    roots = [op.regions["body"] for op in derivatives] or [function.body]
    return [operation for root in roots for operation in root.walk()]


def _is_wide(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.dtype is dtypes.float32


def _narrow(operation: Operation, dtype: DType, rewriter: Rewriter) -> None:
    place = rewriter.insert_before(operation)
    with place.active():
        operands = [_narrowed(value, dtype) for value in operation.operands]
    narrow = as_tuple(place.emit(operation.prim, operands, operation.attrs))
    rewriter.replace_operation(operation, _as_before(narrow, operation.results, place))


def _narrowed(value: Value, dtype: DType) -> Value:
    """`value` in `dtype`: what it was cast from, where that is such a one."""
    if not _is_wide(value):
        return value
    maker = value.owner
    if isinstance(maker, Operation) and maker.prim is cast and maker.operands[0].dtype is dtype:
        return maker.operands[0]
    return cast(value, dtype=dtype)


def _as_before(values: Sequence[Value], results: Sequence[Value], place: Place) -> list[Value]:
    """`values` in the dtypes of `results`."""
    with place.active():
        pairs = zip(values, results, strict=True)
        return [v if v.type == old.type else cast(v, dtype=old.dtype) for v, old in pairs]
