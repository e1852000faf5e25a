"""Which laws hold of truth values, bits and comparisons?"""

# The first parameter of a function of a rule is a hole, not self.
# pyright: reportSelfClsParameterName=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false

from __future__ import annotations

from s2sad.ir import dims
from s2sad.ir.types import TensorType
from s2sad.passes.facts import is_splat, widens
from s2sad.passes.rewrite import Rewrite, no
from s2sad.prims.comparison import (
    equal,
    greater,
    greater_equal,
    less,
    less_equal,
    not_equal,
)
from s2sad.prims.logic import (
    bit_and,
    bit_not,
    bit_or,
    bit_xor,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    shift_left,
    shift_right,
)
from s2sad.prims.shape import filled

_WIDENS = "the constant has a larger shape"
_NAN = "of a NaN neither comparison holds"


class NotNot(Rewrite):
    """logical_not(logical_not(x))  =>  x."""

    def before(x):
        return logical_not(logical_not(x))

    def after(x):
        return x


class NotEqual(Rewrite):
    """logical_not(equal(x, y))  =>  not_equal(x, y)."""

    def before(x, y):
        return logical_not(equal(x, y))

    def after(x, y):
        return not_equal(x, y)


class NotNotEqual(Rewrite):
    """logical_not(not_equal(x, y))  =>  equal(x, y)."""

    def before(x, y):
        return logical_not(not_equal(x, y))

    def after(x, y):
        return equal(x, y)


class NotLess(Rewrite):
    """logical_not(less(x, y))  =>  greater_equal(x, y), but of floats."""

    def before(x, y):
        return logical_not(less(x, y))

    def where(x):
        return not x.dtype.is_float or no(_NAN)

    def after(x, y):
        return greater_equal(x, y)


class NotLessEqual(Rewrite):
    """logical_not(less_equal(x, y))  =>  greater(x, y), but of floats."""

    def before(x, y):
        return logical_not(less_equal(x, y))

    def where(x):
        return not x.dtype.is_float or no(_NAN)

    def after(x, y):
        return greater(x, y)


class NotGreater(Rewrite):
    """logical_not(greater(x, y))  =>  less_equal(x, y), but of floats."""

    def before(x, y):
        return logical_not(greater(x, y))

    def where(x):
        return not x.dtype.is_float or no(_NAN)

    def after(x, y):
        return less_equal(x, y)


class NotGreaterEqual(Rewrite):
    """logical_not(greater_equal(x, y))  =>  less(x, y), but of floats."""

    def before(x, y):
        return logical_not(greater_equal(x, y))

    def where(x):
        return not x.dtype.is_float or no(_NAN)

    def after(x, y):
        return less(x, y)


class AndTrue(Rewrite):
    """logical_and(x, True)  =>  x, unless the True widens x."""

    def before(x, true):
        return logical_and(x, true)

    def where(x, true):
        if not is_splat(true, True):
            return no("no operand is the constant True")
        return not widens(x, true) or no(_WIDENS)

    def after(x):
        return x


class AndFalse(Rewrite):
    """logical_and(x, False)  =>  False."""

    def before(x, false):
        return logical_and(x, false)

    def where(false):
        return is_splat(false, False) or no("no operand is the constant False")

    def after(x, false):
        return filled(False, TensorType(x.dtype, dims.broadcast(x.shape, false.shape)))


class AndSelf(Rewrite):
    """logical_and(x, x)  =>  x."""

    def before(x):
        return logical_and(x, x)

    def after(x):
        return x


class OrFalse(Rewrite):
    """logical_or(x, False)  =>  x, unless the False widens x."""

    def before(x, false):
        return logical_or(x, false)

    def where(x, false):
        if not is_splat(false, False):
            return no("no operand is the constant False")
        return not widens(x, false) or no(_WIDENS)

    def after(x):
        return x


class OrTrue(Rewrite):
    """logical_or(x, True)  =>  True."""

    def before(x, true):
        return logical_or(x, true)

    def where(true):
        return is_splat(true, True) or no("no operand is the constant True")

    def after(x, true):
        return filled(True, TensorType(x.dtype, dims.broadcast(x.shape, true.shape)))


class OrSelf(Rewrite):
    """logical_or(x, x)  =>  x."""

    def before(x):
        return logical_or(x, x)

    def after(x):
        return x


class XorFalse(Rewrite):
    """logical_xor(x, False)  =>  x, unless the False widens x."""

    def before(x, false):
        return logical_xor(x, false)

    def where(x, false):
        if not is_splat(false, False):
            return no("no operand is the constant False")
        return not widens(x, false) or no(_WIDENS)

    def after(x):
        return x


class XorTrue(Rewrite):
    """logical_xor(x, True)  =>  logical_not(x), unless the True widens x."""

    def before(x, true):
        return logical_xor(x, true)

    def where(x, true):
        if not is_splat(true, True):
            return no("no operand is the constant True")
        return not widens(x, true) or no(_WIDENS)

    def after(x):
        return logical_not(x)


class BitNotNot(Rewrite):
    """bit_not(bit_not(x))  =>  x."""

    def before(x):
        return bit_not(bit_not(x))

    def after(x):
        return x


class BitAndSelf(Rewrite):
    """bit_and(x, x)  =>  x."""

    def before(x):
        return bit_and(x, x)

    def after(x):
        return x


class BitOrSelf(Rewrite):
    """bit_or(x, x)  =>  x."""

    def before(x):
        return bit_or(x, x)

    def after(x):
        return x


class BitXorSelf(Rewrite):
    """bit_xor(x, x)  =>  0."""

    def before(x):
        return bit_xor(x, x)

    def after(x):
        return filled(0, x.tensor_type)


class BitOrZero(Rewrite):
    """bit_or(x, 0)  =>  x, unless the 0 widens x."""

    def before(x, zero):
        return bit_or(x, zero)

    def where(x, zero):
        if not is_splat(zero, 0):
            return no("no operand is the constant 0")
        return not widens(x, zero) or no(_WIDENS)

    def after(x):
        return x


class BitXorZero(Rewrite):
    """bit_xor(x, 0)  =>  x, unless the 0 widens x."""

    def before(x, zero):
        return bit_xor(x, zero)

    def where(x, zero):
        if not is_splat(zero, 0):
            return no("no operand is the constant 0")
        return not widens(x, zero) or no(_WIDENS)

    def after(x):
        return x


class BitAndZero(Rewrite):
    """bit_and(x, 0)  =>  0."""

    def before(x, zero):
        return bit_and(x, zero)

    def where(zero):
        return is_splat(zero, 0) or no("no operand is the constant 0")

    def after(x, zero):
        return filled(0, TensorType(x.dtype, dims.broadcast(x.shape, zero.shape)))


class ShiftLeftZero(Rewrite):
    """shift_left(x, 0)  =>  x, unless the 0 widens x."""

    def before(x, zero):
        return shift_left(x, zero)

    def where(x, zero):
        if not is_splat(zero, 0):
            return no("the count is not the constant 0")
        return not widens(x, zero) or no(_WIDENS)

    def after(x):
        return x


class ShiftRightZero(Rewrite):
    """shift_right(x, 0)  =>  x, unless the 0 widens x."""

    def before(x, zero):
        return shift_right(x, zero)

    def where(x, zero):
        if not is_splat(zero, 0):
            return no("the count is not the constant 0")
        return not widens(x, zero) or no(_WIDENS)

    def after(x):
        return x
