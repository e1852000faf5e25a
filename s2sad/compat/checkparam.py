"""Is a number as a program wants it? MindSpore's checks, which programs call for what is theirs.

Each gives the value back, and raises a TypeError or a ValueError that names it. `checktypes` has
those of types.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown

__all__ = [
    "EQ", "GE", "GT", "IN", "INC_BOTH", "INC_LEFT", "INC_NEITHER", "INC_RIGHT", "LE", "LT", "NE",
    "NOT_IN", "Rel", "check", "check_equal_int", "check_file_name_by_regular", "check_float",
    "check_float_range", "check_int", "check_int_range", "check_is_float", "check_is_int",
    "check_is_number", "check_negative_float", "check_negative_int", "check_non_negative_float",
    "check_non_negative_int", "check_non_negative_int_sequence", "check_non_positive_float",
    "check_non_positive_int", "check_number", "check_number_range", "check_positive_float",
    "check_positive_float_sequence", "check_positive_int", "check_positive_int_sequence",
    "check_str_and_none_by_regular", "check_str_by_regular", "check_string",
]  # fmt: skip


class Rel(IntEnum):
    """How a value stands to another, or to two."""

    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6
    INC_NEITHER = 7
    INC_LEFT = 8
    INC_RIGHT = 9
    INC_BOTH = 10
    IN = 11
    NOT_IN = 12


EQ, NE, LT, LE, GT, GE = Rel.EQ, Rel.NE, Rel.LT, Rel.LE, Rel.GT, Rel.GE
INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = (
    Rel.INC_NEITHER, Rel.INC_LEFT, Rel.INC_RIGHT, Rel.INC_BOTH
)  # fmt: skip
IN, NOT_IN = Rel.IN, Rel.NOT_IN

Test = Callable[[Any, Any], bool]

#: Relations to one value, and how they are written.
_TO_ONE: dict[int, tuple[str, Test]] = {
    Rel.EQ: ("equal to", operator.eq), Rel.NE: ("other than", operator.ne),
    Rel.LT: ("below", operator.lt), Rel.LE: ("at most", operator.le),
    Rel.GT: ("above", operator.gt), Rel.GE: ("at least", operator.ge),
    Rel.IN: ("in", lambda one, all_: one in all_),
    Rel.NOT_IN: ("not in", lambda one, all_: one not in all_),
}  # fmt: skip
#: Ranges: what is written around the limits, and how a value stands to the lower and the upper.
_RANGES: dict[int, tuple[str, Test, Test]] = {
    Rel.INC_NEITHER: ("()", operator.gt, operator.lt),
    Rel.INC_LEFT: ("[)", operator.ge, operator.lt),
    Rel.INC_RIGHT: ("(]", operator.gt, operator.le),
    Rel.INC_BOTH: ("[]", operator.ge, operator.le),
}  # fmt: skip


def named(arg_name: Any, prim_name: Any) -> str:
    """How a message names a value."""
    name = arg_name or "the value"
    return f"{name} of {prim_name}" if prim_name else str(name)


def _relation(rel: Any, known: dict[int, Any]) -> Any:
    if rel not in known:
        raise fail("E0404", f"rel is one of {', '.join(Rel(each).name for each in known)}")
    return known[rel]


def _number(value: Any, kind: type, who: str) -> Any:
    """`value`, of the type `kind`, finite and no bool (E0303, E0404)."""
    if isinstance(value, bool) or not isinstance(value, kind):
        raise fail("E0303", f"{who} is of {kind.__name__}, got {shown(value)}")
    if isinstance(value, float) and not math.isfinite(value):
        raise fail("E0404", f"{who} is finite, got {value}")
    return value


def _compared(
    value: Any, other: Any, rel: Any, kind: type, arg_name: Any = None, prim_name: Any = None
) -> Any:
    who = named(arg_name, prim_name)
    word, test = _relation(rel, _TO_ONE)
    if not test(_number(value, kind, who), other):
        raise fail("E0404", f"{who} is {word} {other}, got {value}")
    return value


def check_is_number(
    arg_value: Any, arg_type: type, arg_name: str | None = None, prim_name: str | None = None
) -> Any:
    """`arg_value`, of the type `arg_type` (E0303; a bool is no number) and finite (E0404).

    Examples
    --------
    >>> check_is_number(3, int, "steps")
    3
    """
    return _number(arg_value, arg_type, named(arg_name, prim_name))


def check_is_int(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> int:
    """`arg_value`, an int (E0303).

    Examples
    --------
    >>> check_is_int(3, "steps", "Trainer")
    3
    """
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(
    arg_value: Any, arg_name: str | None = None, prim_name: str | None = None
) -> float:
    """`arg_value`, a float (E0303) that is finite (E0404).

    Examples
    --------
    >>> check_is_float(0.5)
    0.5
    """
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_int(
    arg_value: Any, value: Any, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """`arg_value`, an int (E0303) that stands to `value` as `rel` says (E0404).

    Examples
    --------
    >>> check_int(3, 1, GE, "steps"), check_int(3, (1, 3), Rel.IN)
    (3, 3)
    """
    return _compared(arg_value, value, rel, int, arg_name, prim_name)


def check_float(
    arg_value: Any, value: Any, rel: int, arg_name: str | None = None, prim_name: str | None = None
) -> float:
    """`arg_value`, a float (E0303) that stands to `value` as `rel` says (E0404).

    Examples
    --------
    >>> check_float(0.5, 0.0, GT)
    0.5
    """
    return _compared(arg_value, value, rel, float, arg_name, prim_name)


def check_equal_int(
    arg_value: Any, value: int, arg_name: str | None = None, prim_name: str | None = None
) -> int:
    """`arg_value`, an int (E0303) that is `value` (E0404).

    Examples
    --------
    >>> check_equal_int(3, 3)
    3
    """
    return _compared(arg_value, value, EQ, int, arg_name, prim_name)


def _against_zero(name: str, kind: type, rel: int) -> Callable[..., Any]:
    """The check `name`: of the type `kind`, and to 0 as `rel` says."""

    def run(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> Any:
        return _compared(arg_value, 0, rel, kind, arg_name, prim_name)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"`arg_value`, of {kind.__name__} (E0303) and {_TO_ONE[rel][0]} 0 (E0404)."
    return run


def _of_each(name: str, one: Callable[..., Any]) -> Callable[..., Any]:
    """The check `name`: `one` of each entry of a sequence."""

    def run(
        sequence: Sequence[Any], arg_name: str | None = None, prim_name: str | None = None
    ) -> Any:
        for place, entry in enumerate(sequence):
            one(entry, f"{arg_name or 'the value'}[{place}]", prim_name)
        return sequence

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"`sequence`, each entry of which `{one.__name__}` lets pass."
    return run


check_positive_int = _against_zero("check_positive_int", int, GT)
check_negative_int = _against_zero("check_negative_int", int, LT)
check_non_positive_int = _against_zero("check_non_positive_int", int, LE)
check_non_negative_int = _against_zero("check_non_negative_int", int, GE)
check_positive_float = _against_zero("check_positive_float", float, GT)
check_negative_float = _against_zero("check_negative_float", float, LT)
check_non_positive_float = _against_zero("check_non_positive_float", float, LE)
check_non_negative_float = _against_zero("check_non_negative_float", float, GE)
check_positive_int_sequence = _of_each("check_positive_int_sequence", check_positive_int)
check_non_negative_int_sequence = _of_each(
    "check_non_negative_int_sequence", check_non_negative_int
)  # fmt: skip
check_positive_float_sequence = _of_each("check_positive_float_sequence", check_positive_float)


def check_number_range(
    arg_value: Any,
    lower_limit: Any,
    upper_limit: Any,
    rel: int,
    value_type: type,
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> Any:
    """`arg_value`, of `value_type` or a number of NumPy (E0303), between two limits (E0404).

    `rel` says which of them it may be: `INC_NEITHER`, `INC_LEFT`, `INC_RIGHT` or `INC_BOTH`.

    Examples
    --------
    >>> check_number_range(0.5, 0.0, 1.0, INC_LEFT, float, "rate")
    0.5
    """
    who = named(arg_name, prim_name)
    kinds = (np.ndarray, np.generic, value_type)
    if isinstance(arg_value, bool) or not isinstance(arg_value, kinds):
        raise fail("E0303", f"{who} is of {value_type.__name__}, got {shown(arg_value)}")
    (left, right), above, below = _relation(rel, _RANGES)
    if not (above(arg_value, lower_limit) and below(arg_value, upper_limit)):
        limits = f"{left}{lower_limit}, {upper_limit}{right}"
        raise fail("E0404", f"{who} is in {limits}, got {arg_value}")
    return arg_value


def check_int_range(
    arg_value: Any, lower_limit: Any, upper_limit: Any, rel: int,
    arg_name: str | None = None, prim_name: str | None = None,
) -> Any:  # fmt: skip
    """`check_number_range` of an int.

    Examples
    --------
    >>> check_int_range(3, 1, 3, INC_BOTH)
    3
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(
    arg_value: Any, lower_limit: Any, upper_limit: Any, rel: int,
    arg_name: str | None = None, prim_name: str | None = None,
) -> Any:  # fmt: skip
    """`check_number_range` of a float.

    Examples
    --------
    >>> check_float_range(0.5, 0.0, 1.0, INC_NEITHER)
    0.5
    """
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_number(arg_name: str, arg_value: Any, value: Any, rel: int, prim_name: Any) -> Any:
    """`arg_value`, which stands to `value` as `rel` says (E0404).

    Examples
    --------
    >>> check_number("steps", 3, 1, GE, "Trainer")
    3
    """
    return check(arg_name, arg_value, "", value, rel, prim_name)


def check(
    arg_name: str,
    arg_value: Any,
    value_name: str,
    value: Any,
    rel: int = EQ,
    prim_name: str | None = None,
    excp_cls: type[Exception] = ValueError,
) -> Any:
    """`arg_value`, which stands to `value`, called `value_name`, as `rel` says.

    Raises
    ------
    S2sadError
        E0404, or E0303 where `excp_cls` is TypeError; any other `excp_cls` itself.

    Examples
    --------
    >>> check("heads", 4, "size", 8, LE)
    4
    """
    word, test = _relation(rel, _TO_ONE)
    if not test(arg_value, value):
        other = f"{value_name}, {value}" if value_name else f"{value}"
        text = f"{named(arg_name, prim_name)} is {word} {other}, got {arg_value}"
        if issubclass(excp_cls, (TypeError, ValueError)):
            raise fail("E0303" if issubclass(excp_cls, TypeError) else "E0404", text)
        raise excp_cls(text)
    return arg_value


def check_string(
    arg_value: Any,
    valid_values: Iterable[str],
    arg_name: str | None = None,
    prim_name: str | None = None,
) -> str:
    """`arg_value`, a str among `valid_values` (E0404).

    Examples
    --------
    >>> check_string("mean", ["mean", "sum"], "reduction")
    'mean'
    """
    known = [valid_values] if isinstance(valid_values, str) else list(valid_values)
    if not isinstance(arg_value, str) or arg_value not in known:
        words = ", ".join(map(repr, known))
        raise fail("E0404", f"{named(arg_name, prim_name)} is one of {words}, got {arg_value!r}")
    return arg_value


def _matched(target: Any, pattern: str, flags: Any, prim_name: Any) -> bool:
    who = named("the name", prim_name)
    if not isinstance(target, str):
        raise fail("E0303", f"{who} is a str, got {shown(target)}")
    if re.match(pattern, target, flags) is None:
        raise fail("E0404", f"{who} is as {pattern} says, got {target!r}")
    return True


def check_str_by_regular(
    target: Any, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
) -> bool:
    """True; E0404 where `target` does not match `reg`, by default a name of letters and digits.

    Examples
    --------
    >>> check_str_by_regular("layer1.weight")
    True
    """
    return _matched(target, reg or r"^\w+[0-9a-zA-Z\_\.]*$", flag, prim_name)


def check_str_and_none_by_regular(
    target: Any, reg: str | None = None, flag: Any = re.ASCII, prim_name: str | None = None
) -> bool:
    """As `check_str_by_regular`, but the name may be empty and have a ``-``.

    Examples
    --------
    >>> check_str_and_none_by_regular("")
    True
    """
    return _matched(target, reg or r"^\w*[0-9a-zA-Z\_\.\-]*$", flag, prim_name)


def check_file_name_by_regular(
    target: Any, reg: str | None = None, prim_name: str | None = None
) -> bool:
    """True; E0303 or E0404 where `target` is not the name of a file.

    Examples
    --------
    >>> check_file_name_by_regular("out/net-1.ckpt")
    True
    """
    if isinstance(target, str) and target.endswith(("/", "\\")):
        raise fail("E0404", f"{named('the name', prim_name)} is that of a file, got {target!r}")
    return _matched(target, reg or r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$", 0, prim_name)
