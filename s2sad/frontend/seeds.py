"""Which cotangent belongs to which output, and which tangent to which input?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.frontend.carried import shape_of
from s2sad.frontend.forms import is_tensor, tensors_in
from s2sad.frontend.inputs import type_of_input
from s2sad.frontend.trees import leaves
from s2sad.ir.graph import Value
from s2sad.ir.types import Type
from s2sad.prims.rules import tensor


def type_in(leaf: Any) -> Type:
    """The type of tensor data."""
    return leaf.type if isinstance(leaf, Value) else type_of_input(leaf)


def cotangents(types: Sequence[Type], seed: Any) -> list[Any]:
    """The tensors of `seed`, one for each of the output's `types`.

    Raises
    ------
    S2sadError
        E0401 for another number of them or another shape, E0301 for another dtype.
    """
    found = tensors_in(seed)
    if len(found) != len(types):
        raise fail("E0401", f"the cotangent has {len(found)} tensors, the output has {len(types)}")
    for leaf, wanted in zip(found, types, strict=True):
        _require_type(leaf, wanted, "the cotangent")
    return found


def cotangents_of_each(
    outputs: Any, types: Sequence[Type], given: tuple[Any, ...]
) -> dict[int, Any]:
    """The cotangent of each number in `outputs`, which names one of `types`; None for zeros.

    Parameters
    ----------
    outputs : tree
        Ints, and None for what is no tensor.
    types : sequence of Type
    given : tuple
        One tree of the form of `outputs`; or where that has several items, those one by one.

    Raises
    ------
    S2sadError
        E0302 for none at all, E0304 for another form than the output's, E0301 and E0401 for another
        dtype or shape.
    """
    if not given:
        raise fail("E0302", "a pullback takes the cotangent of the output")
    is_one = isinstance(outputs, tuple) and len(outputs) == 1 and is_tensor(given[0])
    seed = given[0] if len(given) == 1 and not is_one else given
    found = dict(_matched(outputs, seed, "the cotangent"))
    for place, leaf in found.items():
        if leaf is not None:
            _require_type(leaf, types[place], "the cotangent")
    return found


def _matched(outputs: Any, given: Any, what: str) -> Iterator[tuple[int, Any]]:
    """The tensor for each number in `outputs`, from a tree of the same form; None for zeros."""
    if given is None:
        yield from ((place, None) for place in leaves(outputs) if place is not None)
    elif isinstance(outputs, (tuple, list)):
        if not isinstance(given, (tuple, list)) or len(given) != len(outputs):
            raise _other_form(what, given, f"{len(outputs)} of them")
        for i, (output, item) in enumerate(zip(outputs, given, strict=True)):
            yield from _matched(output, item, f"{what}[{i}]")
    elif isinstance(outputs, dict):
        if not isinstance(given, dict) or given.keys() != outputs.keys():
            raise _other_form(what, given, f"a dict of {', '.join(map(repr, outputs))}")
        for key, output in outputs.items():
            yield from _matched(output, given[key], f"{what}[{key!r}]")
    elif outputs is None or not is_tensor(given):
        raise _other_form(what, given, "None" if outputs is None else "a Tensor")
    else:
        yield outputs, given


def _other_form(what: str, given: Any, wanted: str) -> Exception:
    found = f"{len(given)} of them" if isinstance(given, (tuple, list)) else type(given).__name__
    help = "give s2sad.Tensor(...)" if isinstance(given, np.ndarray) else None  # noqa: A001
    return fail("E0304", f"{what} must be {wanted}, like the output; got {found}", help=help)


ONE_INPUT = "it is one input, whatever path leads there: give a copy, `w.value()`, for the other"


def tangents(args: Sequence[Any], given: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Tensors of `args`, each with its tangent among `given`, in order.

    Raises
    ------
    S2sadError
        E0302 for another number of tangents, E0304 for what is no Tensor, E0301 and E0401 for a
        tangent of another dtype or shape, E0404 for one Parameter given twice.
    """
    found = []
    for index, (argument, tangent) in enumerate(zip(args, given, strict=True)):
        if shape_of(argument) != shape_of(tangent):
            raise fail("E0302", f"input {index} of jvp is built in another way than its tangent")
        for one, other in zip(leaves(argument), leaves(tangent), strict=True):
            for leaf, what in ((one, f"input {index}"), (other, f"the tangent of input {index}")):
                if not is_tensor(leaf):
                    raise fail("E0304", f"{what} of jvp is no Tensor: {leaf!r}")
            _require_type(other, type_in(one), f"the tangent of input {index},")
            if isinstance(one, Parameter) and any(one is known for known, _ in found):
                raise fail("E0404", f"jvp was given the Parameter {one.name} twice", help=ONE_INPUT)
            found.append((one, other))
    return found


def _require_type(leaf: Any, wanted: Type, what: str) -> None:
    found = type_in(leaf)
    if found != wanted:
        code = "E0401" if tensor(wanted).dtype is tensor(found).dtype else "E0301"
        raise fail(
            code, f"{what} of {wanted} cannot be {found}",
            help="it has the shape and the dtype of what it belongs to",
        )  # fmt: skip
