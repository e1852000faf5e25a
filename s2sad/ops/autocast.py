"""In which dtype does a primitive, or an operation of several, compute where each decides?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.core.precision import deciding
from s2sad.ir.primitive import Primitive
from s2sad.ops.promotion import as_dtype, common, is_tensor
from s2sad.prims.precision import NARROW, NARROW_OPERATIONS, WIDE, WIDE_OPERATIONS


@dataclass(frozen=True)
class ByPrimitive:
    """The rule of level ``"auto"``; see `s2sad.core.precision.Rule`.

    Attributes
    ----------
    narrow : DType
        What `prims.precision.NARROW` computes in. `WIDE` computes in float32 at least, all else in
        the dtype in which its operands meet.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad import prims as p
    >>> rule = ByPrimitive(ms.float16)
    >>> x, y = ms.ops.ones(2, ms.float16), ms.ops.ones(2)
    >>> [each.dtype.name for each in rule(p.add, (x, y))]
    ['float32', 'float32']
    """

    narrow: DType

    def __call__(self, primitive: Primitive, operands: Sequence[Any]) -> tuple[Any, ...]:
        """`operands`, tensors of floats among them cast to what `primitive` computes in."""
        places: Sequence[int] = range(len(operands))
        if primitive.same is not None and primitive.name not in NARROW | WIDE:
            places = primitive.same
        floats = [
            i for i in places
            if i < len(operands) and is_tensor(operands[i]) and operands[i].dtype.is_float
        ]  # fmt: skip
        if not floats:
            return tuple(operands)
        dtype = self.met(primitive, [operands[i].dtype for i in floats])
        return tuple(as_dtype(x, dtype) if i in floats else x for i, x in enumerate(operands))

    def met(self, primitive: Primitive, given: Sequence[DType]) -> DType:
        """What `primitive` computes in, given the dtypes of its operands."""
        if primitive.name in NARROW:
            return self.narrow
        if primitive.name in WIDE:
            return reduce(common, given, dtypes.float32)
        return reduce(common, given)

    def as_one(self, name: str, operands: Sequence[Any]) -> tuple[Any, ...]:
        """`operands` of a whole operation, tensors of floats among them cast by its name."""

        def cast(x: Any) -> Any:
            if not (is_tensor(x) and x.dtype.is_float):
                return x
            if name in NARROW_OPERATIONS:
                return as_dtype(x, self.narrow)
            return as_dtype(x, common(x.dtype, dtypes.float32)) if name in WIDE_OPERATIONS else x

        return tuple(cast(x) for x in operands)


def decided(name: str, *operands: Any) -> tuple[Any, ...]:
    """What the operation `name` gets in place of `operands`; themselves unless each decides.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.core.precision import rules
    >>> with rules(ByPrimitive(ms.float16)):
    ...     [x.dtype.name for x in decided("dense", ms.ops.ones(2), ms.ops.ones(2))]
    ['float16', 'float16']
    """
    rule = deciding.get()
    return rule.as_one(name, operands) if isinstance(rule, ByPrimitive) else operands
