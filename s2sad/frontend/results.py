"""What does the caller get of what the user's function returns? Its form, and the tensors in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.core.trees import Known, is_record, parts_of, same_tuple, with_parts
from s2sad.frontend.texts import Text, unknown
from s2sad.frontend.trail import Trail
from s2sad.frontend.trees import leaves
from s2sad.ir.builder import Builder
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Operation, Region, Value
from s2sad.prims.shape import axis_size

#: What is returned as it stands, besides ints.
PLAIN = (bool, float, str, bytes, complex, DType)
#: Keys of dicts that a dump can write down.
KEYS = (str, int, float, bool, bytes, type(None))

#: What part of a result lies at a path.
Leaf = Callable[[Any, tuple[Any, ...]], Any]


def flatten_result(result: Any, builder: Builder, trail: Trail) -> tuple[Any, list[Value]]:
    """The form of what the user's function returns, and its tensors in order.

    Raises
    ------
    S2sadError
        E0307 for what is neither a tensor nor a number, a text, a dtype or None.
    """
    values: list[Value] = []

    def leaf(value: Any, path: tuple[Any, ...]) -> Any:
        if isinstance(value, (Value, Tensor)):
            if isinstance(value, Value) and value.is_weak and _is_of_sizes(value):
                raise fail(
                    "E0402", "a number is returned that follows from sizes alone, and so is known "
                    "only for each of them", help="return it from the code that calls this",
                )  # fmt: skip
            values.append(builder.value(value))
            return len(values) - 1
        if value is None or type(value) in PLAIN or isinstance(value, DType):
            return value
        if type(value) is int:
            return Known(value)
        raise _no_result(value, path, trail)

    return _form(result, leaf, ()), values


def _is_of_sizes(value: Value) -> bool:
    """Whether `value` is computed of sizes that are symbols, and of no data."""
    rest, seen, has_size = [value], set[Value](), False
    while rest:
        made = rest.pop().owner
        if isinstance(made, Region):
            if not isinstance(made.parent, Operation):
                return False  # an argument
            continue
        for operation in made.walk() if made is not None else ():
            if operation.prim is axis_size:
                has_size |= any(isinstance(n, Symbolic) for n in operation.operands[0].shape)
            else:
                rest += [each for each in operation.operands if each not in seen]
                seen.update(operation.operands)
    return has_size


def _form(value: Any, leaf: Leaf, path: tuple[Any, ...]) -> Any:
    if isinstance(value, tuple):
        return same_tuple(value, [_form(x, leaf, (*path, i)) for i, x in enumerate(value)])
    if isinstance(value, list):
        return [_form(x, leaf, (*path, i)) for i, x in enumerate(value)]
    if isinstance(value, dict):
        for key in value:
            if not all(isinstance(part, KEYS) for part in leaves([key])):
                raise fail(
                    "E0307", f"keys of a dict that is returned are texts and numbers, got "
                    f"{shown(key)}", help="give it other keys, or a tuple of the values",
                )  # fmt: skip
        return {key: _form(x, leaf, (*path, key)) for key, x in value.items()}
    if is_record(value):
        parts = parts_of(value).items()
        return with_parts(value, {name: _form(x, leaf, (*path, name)) for name, x in parts})
    return leaf(value, path)


def _no_result(value: Any, path: tuple[Any, ...], trail: Trail) -> Exception:
    """E0307 at the part of a result that cannot be one."""
    found = trail.result(path)
    place = None if found is None else found[0].location(found[1])
    if isinstance(value, Text):
        return unknown(place)
    where = "".join(f"[{key!r}]" for key in path)
    what = shown(value) if callable(value) else f"the {type(value).__name__} {shown(value)}"
    return fail(
        "E0307", f"compiled code cannot return {what}"
        + (f" as result{where}" if path else ""),
        location=place, help="return it from the code that calls this",
    )  # fmt: skip
