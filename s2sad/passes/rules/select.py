"""Which laws hold of the choice between elements?"""

# The first parameter of a function of a rule is a hole, not self.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false

from __future__ import annotations

from s2sad.ir import dims
from s2sad.ir.graph import Value
from s2sad.passes.facts import is_splat, same_shape, widens
from s2sad.passes.rewrite import Rewrite, no
from s2sad.prims.logic import logical_not
from s2sad.prims.select import where as choose
from s2sad.prims.shape import broadcast_to

_DROPPED = "what is dropped has a larger shape"


def _shape(*values: Value) -> tuple[dims.Dim, ...]:
    return dims.broadcast(*[value.shape for value in values])


def _wide(x: Value, *others: Value) -> Value:
    """`x` in the shape that it has together with `others`."""
    shape = _shape(x, *others)
    return x if same_shape(shape, x.shape) else broadcast_to(x, shape=shape)


class WhereTrue(Rewrite):
    """where(True, x, y)  =>  x, in the shape of the whole."""

    def before(c, x, y):
        return choose(c, x, y)

    def where(c):
        return is_splat(c, True) or no("the condition is not the constant True")

    def after(c, x, y):
        return _wide(x, c, y)


class WhereFalse(Rewrite):
    """where(False, x, y)  =>  y, in the shape of the whole."""

    def before(c, x, y):
        return choose(c, x, y)

    def where(c):
        return is_splat(c, False) or no("the condition is not the constant False")

    def after(c, x, y):
        return _wide(y, c, x)


class WhereSame(Rewrite):
    """where(c, x, x)  =>  x, in the shape of the whole."""

    def before(c, x):
        return choose(c, x, x)

    def after(c, x):
        return _wide(x, c)


class WhereNot(Rewrite):
    """where(logical_not(c), x, y)  =>  where(c, y, x)."""

    def before(c, x, y):
        return choose(logical_not(c), x, y)

    def after(c, x, y):
        return choose(c, y, x)


class WhereTruth(Rewrite):
    """where(c, True, False)  =>  c, unless it is widened."""

    def before(c, true, false):
        return choose(c, true, false)

    def where(c, true, false):
        if not (true.dtype is c.dtype and is_splat(true, True) and is_splat(false, False)):
            return no("it does not choose between True and False")
        return not widens(c, true, false) or no("a constant has a larger shape")

    def after(c):
        return c


class WhereUntruth(Rewrite):
    """where(c, False, True)  =>  logical_not(c), unless it is widened."""

    def before(c, false, true):
        return choose(c, false, true)

    def where(c, true, false):
        if not (true.dtype is c.dtype and is_splat(true, True) and is_splat(false, False)):
            return no("it does not choose between False and True")
        return not widens(c, true, false) or no("a constant has a larger shape")

    def after(c):
        return logical_not(c)


class WhereWhereFirst(Rewrite):
    """where(c, where(c, x, y), z)  =>  where(c, x, z), unless y widens it."""

    def before(c, x, y, z):
        return choose(c, choose(c, x, y), z)

    def where(c, x, y, z):
        return same_shape(_shape(c, x, y, z), _shape(c, x, z)) or no(_DROPPED)

    def after(c, x, z):
        return choose(c, x, z)


class WhereWhereSecond(Rewrite):
    """where(c, x, where(c, y, z))  =>  where(c, x, z), unless y widens it."""

    def before(c, x, y, z):
        return choose(c, x, choose(c, y, z))

    def where(c, x, y, z):
        return same_shape(_shape(c, x, y, z), _shape(c, x, z)) or no(_DROPPED)

    def after(c, x, z):
        return choose(c, x, z)
