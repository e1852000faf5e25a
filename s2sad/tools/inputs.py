"""Which values does a dump that is run get for its inputs?

Those of an ``.npz``, which must hold each input once and nothing else, or random ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.core.location import Location
from s2sad.ir import dims
from s2sad.ir.graph import Function
from s2sad.ir.types import StackType, StackValue, TensorType, Token, TokenType, type_of
from s2sad.prims.kernels.philox import seed_state

#: Arrays on a stack that is a random input.
STACK_HEIGHT = 3


def random_inputs(function: Function, seed: int) -> list[Any]:
    """An input of each type that `function` declares; the same for the same seed."""
    rng = np.random.default_rng(seed)
    return [
        seed_state(seed) if name == "rng" else random_input(value.type, rng)
        for name, value in zip(function.inputs, function.args, strict=True)
    ]


def random_input(type: Any, rng: np.random.Generator) -> Any:  # noqa: A002
    """A value of `type`: normal floats; integers that are 0 or 1, so that they index any axis.

    Examples
    --------
    >>> from s2sad.ir.types import i32
    >>> random_input(i32[4], np.random.default_rng(0))
    array([1, 1, 1, 0], dtype=int32)
    """
    if isinstance(type, TokenType):
        return Token
    if isinstance(type, StackType):
        return StackValue(
            type.element, [random_input(type.element, rng) for _ in range(STACK_HEIGHT)]
        )
    if type.dtype.is_float:
        return np.asarray(dtypes.narrow(rng.standard_normal(type.shape), type.dtype))
    return np.asarray(rng.integers(0, 2, type.shape)).astype(type.dtype.storage)


def given_inputs(
    function: Function,
    arrays: Mapping[str, np.ndarray],
    npz: Path,
    places: Sequence[Location],
) -> list[Any]:
    """The inputs of `function` among `arrays`, which must hold each once and nothing else.

    Raises
    ------
    S2sadError
        E0302 for a name that is missing, unknown or given twice, E0301 and E0401 for an array
        of another type. The first fault is the error, the others stand in its notes.
    """
    rest = dict(arrays)
    faults: list[S2sadError] = []
    inputs = []
    for index in range(len(function.args)):
        try:
            inputs.append(_given(function, index, rest, npz, places[index]))
        except S2sadError as error:
            faults.append(error)
    for key in rest:
        known = [name for index in range(len(function.args)) for name in _names(function, index)]
        help = did_you_mean(key, known)
        faults.append(
            fail("E0302", f"{npz} has {key!r}, which is no input", location=places[-1], help=help)
        )
    if faults:
        raise _joined(faults)
    return inputs


def _names(function: Function, index: int) -> list[str]:
    """What input `index` may be called in an ``.npz``: none of it is another input's binding."""
    binding = function.inputs[index]
    others = [name for name in (function.args[index].name, f"input{index}") if name]
    return [binding, *(name for name in dict.fromkeys(others) if name not in function.inputs)]


def _given(
    function: Function, index: int, rest: dict[str, np.ndarray], npz: Path, place: Location
) -> Any:
    """Input `index`, taken out of `rest`."""
    wanted = function.args[index].type
    if isinstance(wanted, TokenType):
        return Token
    names = _names(function, index)
    found = [name for name in names if name in rest]
    arrays = [rest.pop(name) for name in found]
    if not found:
        choice = " or ".join(map(repr, names))
        raise fail(
            "E0302", f"{npz} has no {names[0]!r}", location=place, help=f"save it as {choice}"
        )
    if len(found) > 1:
        both = " and ".join(map(repr, found))
        raise fail("E0302", f"{npz} has one input twice, as {both}", location=place)
    if isinstance(wanted, StackType):
        height = TensorType(
            wanted.element.dtype, (len(np.atleast_1d(arrays[0])), *wanted.element.shape)
        )
        _require_type(arrays[0], height, found[0], place)
        return wanted.unstacked(arrays[0])
    _require_type(arrays[0], wanted, found[0], place)
    return arrays[0]


def _require_type(array: np.ndarray, wanted: Any, name: str, place: Location) -> None:
    if array.dtype != wanted.dtype.storage:
        how = f", stored as {wanted.dtype.storage}" if wanted.dtype is dtypes.bfloat16 else ""
        raise fail(
            "E0301", f"{name!r} must be {wanted}{how}, got an array of {array.dtype}",
            location=place, help=f"convert it: array.astype({str(wanted.dtype.storage)!r})",
        )  # fmt: skip
    if array.shape != wanted.shape:
        raise fail("E0401", f"{name!r} must be {wanted}, got {type_of(array)}", location=place)


def _joined(faults: Sequence[S2sadError]) -> S2sadError:
    first = faults[0].diagnostic
    others = [fault.diagnostic for fault in faults[1:]]
    return fail(
        first.code, first.message, location=first.location, label=first.label,
        notes=(*first.notes, *(f"{other.code}: {other.message}" for other in others)),
        help=first.help,
    )  # fmt: skip


def require_numbers(function: Function, places: Sequence[Location]) -> None:
    """Every size of the inputs must be a number."""
    for value, place in zip(function.args, places, strict=False):
        type = value.type.element if isinstance(value.type, StackType) else value.type
        shape = type.shape if isinstance(type, TensorType) else ()
        symbols = sorted({name for size in shape for name in dims.free_symbols(size)})
        if symbols:
            raise fail(
                "E0402", f"the size {symbols[0]} has no value", location=place,
                help="write numbers in the dump, or run it by Python itself",
            )  # fmt: skip
