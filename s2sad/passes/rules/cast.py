"""Which laws hold of conversions between dtypes?"""

# The first parameter of a function of a rule is a hole, not self.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false

from __future__ import annotations

from s2sad.passes.facts import holds_exactly
from s2sad.passes.rewrite import Rewrite, no
from s2sad.prims.cast import bitcast, cast


class CastSame(Rewrite):
    """cast(x, d)  =>  x, where x has the dtype d."""

    def before(x, *, d):
        return cast(x, dtype=d)

    def where(x, *, d):
        return x.dtype is d or no("it changes the dtype")

    def after(x):
        return x


class CastExact(Rewrite):
    """cast(cast(x, a), b)  =>  cast(x, b), where a holds each element of x exactly.

    Not from integers by way of floats to integers that do not hold all of x: a float beyond the
    range becomes the nearest bound, an integer wraps.
    """

    def before(x, *, a, b):
        return cast(cast(x, dtype=a), dtype=b)

    def where(x, *, a, b):
        if not holds_exactly(a, x.dtype):
            return no(f"{a.short} does not hold all of {x.dtype.short}")
        through_float = x.dtype.is_integer and a.is_float and b.is_integer
        fits = not through_float or holds_exactly(b, x.dtype)
        return fits or no(f"{x.dtype.short} wraps where {a.short} stops at the bounds of {b.short}")

    def after(x, *, b):
        return cast(x, dtype=b)


class CastWraps(Rewrite):
    """cast(cast(x, a), b)  =>  cast(x, b), of integers, where a has no fewer bits than b."""

    def before(x, *, a, b):
        return cast(cast(x, dtype=a), dtype=b)

    def where(x, *, a, b):
        if not (x.dtype.is_integer and a.is_integer and b.is_integer):
            return no("not all three are integers, which wrap")
        return a.bits >= b.bits or no(f"{a.short} drops bits that {b.short} has room for")

    def after(x, *, b):
        return cast(x, dtype=b)


class BitcastSame(Rewrite):
    """bitcast(x, d)  =>  x, where x has the dtype d."""

    def before(x, *, d):
        return bitcast(x, dtype=d)

    def where(x, *, d):
        return x.dtype is d or no("it changes the dtype")

    def after(x):
        return x


class MergeBitcasts(Rewrite):
    """bitcast(bitcast(x, a), b)  =>  bitcast(x, b)."""

    def before(x, *, a, b):
        return bitcast(bitcast(x, dtype=a), dtype=b)

    def after(x, *, b):
        return bitcast(x, dtype=b)
