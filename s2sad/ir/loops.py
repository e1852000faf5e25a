"""What does a loop carry from one pass to the next?"""

from __future__ import annotations

from typing import NamedTuple

from s2sad.ir.graph import Operation, Value
from s2sad.ir.primitive import Form

LOOPS = (Form.WHILE, Form.FOR)


class Carried(NamedTuple):
    """One place of what a loop carries.

    Attributes
    ----------
    initial : Value
        What stands there before the first pass.
    args : tuple of Value
        The argument for it of each region: of the condition, where there is one, then of the body.
    yielded : Value
        What the body leaves there.
    result : Value
        What stands there after the last pass.
    """

    initial: Value
    args: tuple[Value, ...]
    yielded: Value
    result: Value

    @property
    def argument(self) -> Value:
        """The argument of the body."""
        return self.args[-1]


def is_loop(operation: Operation) -> bool:
    return operation.prim.form in LOOPS


def carried(loop: Operation) -> list[Carried]:
    """What the operation `loop` carries, in order.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(
    ...     lambda x: p.for_(0, 3, 1, x, body=lambda i, h: p.neg(h)), [f32], names=["x"]
    ... )
    >>> [place] = carried(function.body.operations[-1])
    >>> place.initial, len(place.args)
    (<x: f32>, 1)
    """
    regions = list(loop.regions.values())
    is_counted = loop.prim.form is Form.FOR
    initial = loop.operands[3:] if is_counted else loop.operands
    args = zip(*(region.args[is_counted:] for region in regions), strict=True)
    places = zip(initial, args, regions[-1].yields, loop.results, strict=True)
    return [Carried(*place) for place in places]
