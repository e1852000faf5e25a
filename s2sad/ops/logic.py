"""How are truth values combined, and bits combined and shifted?

The operators ``&``, ``|`` and ``^`` are the functions on bits, which on bools say the same as
those on truth values; ``~`` is `logical_not`.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import bool_
from s2sad.ops.promotion import as_dtype, as_operand, is_tensor, promote, require_tensor


def logical_and(input: Any, other: Any) -> Any:
    """Whether both hold, elementwise; a number holds where it is not 0.

    Parameters
    ----------
    input, other : Tensor, bool or number
        At least one is a Tensor; shapes broadcast.

    Returns
    -------
    Tensor of bools

    Raises
    ------
    S2sadError
        E0304 for what is neither Tensor nor number, or no Tensor at all; E0401 for shapes that do
        not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> logical_and(ms.Tensor([True, False]), ms.Tensor([2, 2])).asnumpy()
    array([ True, False])
    """
    return p.logical_and(*_truths(input, other))


def logical_or(input: Any, other: Any) -> Any:
    """Whether at least one holds, elementwise; a number holds where it is not 0.

    Arguments and errors are those of `logical_and`.

    Examples
    --------
    >>> import s2sad as ms
    >>> logical_or(ms.Tensor([True, False]), False).asnumpy()
    array([ True, False])
    """
    return p.logical_or(*_truths(input, other))


def logical_xor(input: Any, other: Any) -> Any:
    """Whether exactly one holds, elementwise; a number holds where it is not 0.

    Arguments and errors are those of `logical_and`.

    Examples
    --------
    >>> import s2sad as ms
    >>> logical_xor(ms.Tensor([True, False]), True).asnumpy()
    array([False,  True])
    """
    return p.logical_xor(*_truths(input, other))


def logical_not(input: Any) -> Any:
    """Whether each element does not hold; a number holds where it is not 0.

    Of any shape and dtype, the result of bools; E0304 for what is no Tensor.

    Examples
    --------
    >>> import s2sad as ms
    >>> logical_not(ms.Tensor([0, 2])).asnumpy()
    array([ True, False])
    """
    return p.logical_not(as_dtype(require_tensor(input, "logical_not"), bool_))


def _truths(*operands: Any) -> tuple[Any, ...]:
    given = [as_operand(x, operands) for x in operands]
    if not any(map(is_tensor, given)):
        raise fail("E0304", "expected at least one Tensor")
    return tuple(as_dtype(x, bool_) if is_tensor(x) else bool(x) for x in given)


def bitwise_and(input: Any, other: Any) -> Any:
    """Bits that are set in both, of integers or bools (E0301).

    Parameters
    ----------
    input, other : Tensor or int
        At least one is a Tensor; shapes broadcast.

    Returns
    -------
    Tensor
        Of the dtype in which the operands meet.

    Raises
    ------
    S2sadError
        E0301 for floats, E0304 for what is neither Tensor nor number, or no Tensor at all; E0401
        for shapes that do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> bitwise_and(ms.Tensor([6, 5]), 3).asnumpy()
    array([2, 1])
    """
    return p.bit_and(*promote(input, other))


def bitwise_or(input: Any, other: Any) -> Any:
    """Bits that are set in at least one, of integers or bools (E0301).

    Arguments and errors are those of `bitwise_and`.

    Examples
    --------
    >>> import s2sad as ms
    >>> bitwise_or(ms.Tensor([6, 5]), 3).asnumpy()
    array([7, 7])
    """
    return p.bit_or(*promote(input, other))


def bitwise_xor(input: Any, other: Any) -> Any:
    """Bits that are set in exactly one, of integers or bools (E0301).

    Arguments and errors are those of `bitwise_and`.

    Examples
    --------
    >>> import s2sad as ms
    >>> bitwise_xor(ms.Tensor([6, 5]), 3).asnumpy()
    array([5, 6])
    """
    return p.bit_xor(*promote(input, other))


def bitwise_not(input: Any) -> Any:
    """All bits inverted, of integers or bools (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> bitwise_not(ms.Tensor([0, 5])).asnumpy()
    array([-1, -6])
    """
    return p.bit_not(require_tensor(input, "bitwise_not"))


def bitwise_left_shift(input: Any, other: Any) -> Any:
    """Integers times two to the power `other`, wrapping.

    Arguments and errors are those of `bitwise_and`; bools are none (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> bitwise_left_shift(ms.Tensor([1, 3]), 2).asnumpy()
    array([ 4, 12])
    """
    return p.shift_left(*promote(input, other))


def bitwise_right_shift(input: Any, other: Any) -> Any:
    """Integers divided by two to the power `other`, rounded down.

    Arguments and errors are those of `bitwise_and`; bools are none (E0301).

    Examples
    --------
    >>> import s2sad as ms
    >>> bitwise_right_shift(ms.Tensor([12, -3]), 1).asnumpy()
    array([ 6, -2])
    """
    return p.shift_right(*promote(input, other))
