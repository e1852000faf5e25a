"""Do sequences go together item by item, and which function is meant by the types of arguments?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.dtypes import DType
from s2sad.core.parameter import Parameter
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ops.promotion import is_tensor

Test = Callable[[Any], bool]


def require_sequences(sequences: Sequence[Any], what: str) -> None:
    """E0302 for none, E0304 for what is no tuple or list, E0401 for several lengths."""
    if not sequences:
        raise fail("E0302", f"{what} takes the sequences as arguments, got none")
    for each in sequences:
        if not isinstance(each, (tuple, list)):
            raise fail("E0304", f"{what} goes through tuples and lists together, got {shown(each)}")
    lengths = [len(each) for each in sequences]
    if len(set(lengths)) > 1:
        found = ", ".join(map(str, lengths))
        raise fail("E0401", f"{what} goes through sequences of one length, got {found}")


def _is_number(x: Any) -> bool:
    return isinstance(x, (bool, int, float)) and not is_tensor(x)


def _is_of(*kinds: type) -> Test:
    return lambda x: isinstance(x, kinds) and not is_tensor(x)


def _never(x: Any) -> bool:
    return False


def _is_parameter(x: Any) -> bool:
    return isinstance(x, Parameter)


def _is_int(x: Any) -> bool:
    return isinstance(x, int) and not isinstance(x, bool)


#: What MindSpore calls a type, and which values are of it. Some kinds of tensors are not there.
KINDS: dict[str, Test] = {
    "Bool": _is_of(bool), "COOTensor": _never, "CSRTensor": _never, "Dict": _is_of(dict),
    "Dictionary": _is_of(dict), "Float": _is_of(float), "Float32": _is_of(float),
    "Float64": _is_of(float), "Function": callable, "Int": _is_int, "Int32": _is_int,
    "Int64": _is_int, "List": _is_of(list), "MapTensor": _never, "None": _is_of(type(None)),
    "NoneType": _is_of(type(None)), "Number": _is_number, "Parameter": _is_parameter,
    "Ref": _is_parameter, "RowTensor": _never, "Slice": _is_of(slice),
    "String": _is_of(str), "Tensor": is_tensor, "Tuple": _is_of(tuple), "Type": _is_of(DType),
    "TypeType": _is_of(DType), "Undetermined": _never,
}  # fmt: skip
#: Names of Python's own types.
OF_PYTHON = {
    bool: "Bool", int: "Int", float: "Float", str: "String", tuple: "Tuple", list: "List",
    dict: "Dict", type(None): "None", Tensor: "Tensor", Parameter: "Parameter",
}  # fmt: skip


def kind_named(given: Any) -> str:
    """The name of a type, which is given by that or as a class.

    Raises
    ------
    S2sadError
        E0404 for another name, E0304 for what names no type.

    Examples
    --------
    >>> kind_named("Number"), kind_named(float)
    ('Number', 'Float')
    """
    if isinstance(given, type) and given in OF_PYTHON:
        return OF_PYTHON[given]
    if isinstance(given, DType):
        return "Float" if given.is_float else "Int" if given.is_integer else "Bool"
    if not isinstance(given, str):
        raise fail("E0304", f'a type is named as "Tensor" or "Number", got {shown(given)}')
    if given not in KINDS:
        raise fail("E0404", f"no type is called {given!r}", help=did_you_mean(given, KINDS))
    return given


def chosen(
    name: str, entries: Sequence[tuple[tuple[str, ...], Any]], args: Sequence[Any]
) -> Callable[..., Any]:
    """The first function among `entries` whose types are those of `args` (E0304 where none is)."""
    for kinds, function in entries:
        if len(kinds) == len(args) and all(
            KINDS[kind](x) for kind, x in zip(kinds, args, strict=True)
        ):
            return function
    known = "; ".join(", ".join(kinds) for kinds, _ in entries) or "nothing"
    given = ", ".join(map(shown, args))
    raise fail("E0304", f"{name} has no function for ({given})", help=f"it has some for: {known}")
