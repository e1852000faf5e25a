"""Which laws hold of sums, products and extremes?

Of floats only what holds for NaN, infinities and both zeros: ``x + 0.0`` makes 0.0 of -0.0, and
``x * 0`` is NaN where x is infinite, so neither is here.
"""

# The first parameter of a function of a rule is a hole, not self.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false

from __future__ import annotations

from s2sad.ir import dims
from s2sad.ir.types import TensorType
from s2sad.passes.facts import is_splat, is_zero, widens
from s2sad.passes.rewrite import Rewrite, no
from s2sad.prims.arithmetic import (
    abs,
    add,
    div,
    floor_div,
    maximum,
    minimum,
    mul,
    neg,
    relu,
    square,
    sub,
)
from s2sad.prims.shape import filled

_WIDENS = "the constant has a larger shape"
_FLOATS = "floats round, and have two zeros"


class AddZero(Rewrite):
    """add(x, 0)  =>  x; of floats, where the zero is -0.0."""

    def before(x, zero):
        return add(x, zero)

    def where(x, zero):
        if not is_zero(zero):
            return no("no operand is a constant 0, or -0.0 of floats")
        return not widens(x, zero) or no(_WIDENS)

    def after(x):
        return x


class SubZero(Rewrite):
    """sub(x, 0)  =>  x; of floats, where the zero is 0.0."""

    def before(x, zero):
        return sub(x, zero)

    def where(x, zero):
        if not is_splat(zero, 0):
            return no("the subtrahend is not the constant 0")
        return not widens(x, zero) or no(_WIDENS)

    def after(x):
        return x


class AddNeg(Rewrite):
    """add(x, neg(y))  =>  sub(x, y)."""

    def before(x, y):
        return add(x, neg(y))

    def after(x, y):
        return sub(x, y)


class SubNeg(Rewrite):
    """sub(x, neg(y))  =>  add(x, y)."""

    def before(x, y):
        return sub(x, neg(y))

    def after(x, y):
        return add(x, y)


class SubSelf(Rewrite):
    """sub(x, x)  =>  0, of integers."""

    def before(x):
        return sub(x, x)

    def where(x):
        return not x.dtype.is_float or no("of a float that is infinite or NaN it is NaN")

    def after(x):
        return filled(0, x.tensor_type)


class NegNeg(Rewrite):
    """neg(neg(x))  =>  x."""

    def before(x):
        return neg(neg(x))

    def after(x):
        return x


class NegSub(Rewrite):
    """neg(sub(x, y))  =>  sub(y, x), of integers."""

    def before(x, y):
        return neg(sub(x, y))

    def where(x):
        return not x.dtype.is_float or no("of two equal floats one side is -0.0, the other 0.0")

    def after(x, y):
        return sub(y, x)


class MulOne(Rewrite):
    """mul(x, 1)  =>  x, unless the 1 widens x."""

    def before(x, one):
        return mul(x, one)

    def where(x, one):
        if not is_splat(one, 1):
            return no("no factor is the constant 1")
        return not widens(x, one) or no(_WIDENS)

    def after(x):
        return x


class MulZero(Rewrite):
    """mul(x, 0)  =>  0, of integers."""

    def before(x, zero):
        return mul(x, zero)

    def where(x, zero):
        if not is_splat(zero, 0):
            return no("no factor is the constant 0")
        return not x.dtype.is_float or no("of a float that is infinite or NaN it is NaN")

    def after(x, zero):
        return filled(0, TensorType(x.dtype, dims.broadcast(x.shape, zero.shape)))


class MulNegs(Rewrite):
    """mul(neg(x), neg(y))  =>  mul(x, y)."""

    def before(x, y):
        return mul(neg(x), neg(y))

    def after(x, y):
        return mul(x, y)


class DivNegs(Rewrite):
    """div(neg(x), neg(y))  =>  div(x, y)."""

    def before(x, y):
        return div(neg(x), neg(y))

    def after(x, y):
        return div(x, y)


class DivOne(Rewrite):
    """div(x, 1)  =>  x, unless the 1 widens x."""

    def before(x, one):
        return div(x, one)

    def where(x, one):
        if not is_splat(one, 1):
            return no("the divisor is not the constant 1")
        return not widens(x, one) or no(_WIDENS)

    def after(x):
        return x


class FloorDivOne(Rewrite):
    """floor_div(x, 1)  =>  x, of integers, unless the 1 widens x."""

    def before(x, one):
        return floor_div(x, one)

    def where(x, one):
        if x.dtype.is_float:
            return no(_FLOATS)
        if not is_splat(one, 1):
            return no("the divisor is not the constant 1")
        return not widens(x, one) or no(_WIDENS)

    def after(x):
        return x


class MaximumSelf(Rewrite):
    """maximum(x, x)  =>  x."""

    def before(x):
        return maximum(x, x)

    def after(x):
        return x


class MinimumSelf(Rewrite):
    """minimum(x, x)  =>  x."""

    def before(x):
        return minimum(x, x)

    def after(x):
        return x


class AbsAbs(Rewrite):
    """abs(abs(x))  =>  abs(x)."""

    def before(x):
        return abs(abs(x))

    def after(x):
        return abs(x)


class AbsNeg(Rewrite):
    """abs(neg(x))  =>  abs(x), but of unsigned integers, whose negatives wrap."""

    def before(x):
        return abs(neg(x))

    def where(x):
        return x.dtype.kind != "uint" or no("the negative of an unsigned integer wraps")

    def after(x):
        return abs(x)


class ReluRelu(Rewrite):
    """relu(relu(x))  =>  relu(x)."""

    def before(x):
        return relu(relu(x))

    def after(x):
        return relu(x)


class SquareNeg(Rewrite):
    """square(neg(x))  =>  square(x)."""

    def before(x):
        return square(neg(x))

    def after(x):
        return square(x)


class SquareAbs(Rewrite):
    """square(abs(x))  =>  square(x)."""

    def before(x):
        return square(abs(x))

    def after(x):
        return square(x)
