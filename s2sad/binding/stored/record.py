"""How is it written down what a program is bound to, and how does it become bound again?

Guards, hidden inputs and written Parameters go by the numbers of a portrait, so a program is bound
by reading what its guards read, and finding the same descriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.binding.program import Label, Program
from s2sad.binding.stored.portrait import Portrait, UndescribedError
from s2sad.core.cache import digest
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.core.trees import Known
from s2sad.frontend.effects import HOST
from s2sad.frontend.guards import LITERALS, MISSING, Guard, Guards
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Primitive
from s2sad.ir.types import type_of

#: Objects of these types, and of none made from them, have attributes that say nothing new: what
#: the object is says all.
SETTLED = (*LITERALS, tuple, list, dict, set, frozenset, np.ndarray, DType, Primitive)

#: JSON.
Data = Any


class _OtherWorldError(Exception):
    """What is found here is not what the program was compiled for."""


# ---- writing -------------------------------------------------------------------------------------


def written(program: Program, portrait: Portrait) -> Data:
    """What `program` is bound to.

    Raises
    ------
    UndescribedError
        Where something in it has no description.
    """
    guards = [_guard(guard, portrait) for guard in program.guards.all() if not _is_settled(guard)]
    return {
        "guards": guards,
        "sources": [x if type(x) is int else [_holder(x, portrait)] for x in program.sources],
        "written": [_holder(holder, portrait) for holder in program.written],
        "form": _form(program.form, portrait),
        "ends": list(_ends(program.function)),
    }


def _is_settled(guard: Guard) -> bool:
    kind = type(guard.owner)
    is_number = isinstance(guard.owner, np.generic)
    return guard.kind == "attribute" and (kind in SETTLED or is_number)


def _guard(guard: Guard, portrait: Portrait) -> Data:
    owner: Any = guard.owner
    place: Data = portrait.number(owner)
    if place is None and type(guard.owner) is super:  # made anew at each call
        place = [_number(owner.__thisclass__, portrait), _number(owner.__self__, portrait)]
    if place is None:
        raise UndescribedError(f"{guard.path} is read of something that nothing leads to")
    return [guard.kind, place, guard.name, guard.path, _short(portrait.of(guard.value))]


def _short(text: str) -> str:
    """`text`, or its digest where that is shorter."""
    return text if len(text) < 64 else digest(text)


def _number(thing: Any, portrait: Portrait) -> int:
    found = portrait.number(thing)
    if found is None:
        raise UndescribedError("a tensor that no guard leads to")
    return found


def _holder(thing: Any, portrait: Portrait) -> Data:
    """A tensor by its number; the token of effects, of which there is one, by its name."""
    return thing.binding if thing is HOST else _number(thing, portrait)


def _form(form: Any, portrait: Portrait) -> Data:
    """Containers as lists that begin with their kind; results as they are."""
    if form is None or type(form) is int:
        return form
    if isinstance(form, Known):
        return ["known", form.value]
    if isinstance(form, (str, bool, float)):
        return ["known", form]
    if isinstance(form, Label):
        return ["label", form.of if type(form.of) is int else [_number(form.of, portrait)]]
    if isinstance(form, dict):
        return ["dict", *([_key(key), _form(item, portrait)] for key, item in form.items())]
    if not isinstance(form, (tuple, list)):
        raise UndescribedError(f"a result that is a {type(form).__name__}")
    items = [_form(item, portrait) for item in form]
    if type(form) in (tuple, list):
        return [type(form).__name__, *items]
    return ["named", _number(type(form), portrait), *items]


def _key(key: Any) -> Data:
    if type(key) not in (str, int, bool, type(None)):
        raise UndescribedError(f"a dict with the key {key!r}")
    return key


def _ends(function: Function) -> Iterator[Data]:
    """What is no part of the text of a program: of each operation's places, their ends.

    A third item says of a place that what stems from it is its adjoint.
    """
    for operation in function.walk():
        places = () if operation.loc is None else operation.loc.chain()
        yield [[place.end_column, place.end_line, *[True] * place.is_adjoint] for place in places]


# ---- reading -------------------------------------------------------------------------------------


def bound(data: Data, load: Callable[[], Function], portrait: Portrait) -> Program | None:
    """The program that `load` gives, bound to the objects of this process.

    Parameters
    ----------
    data
        What `written` gave.
    load : callable
        Gives the function; it is asked where all guards hold.
    portrait : Portrait
        Has met what that of `written` had met before.

    Returns
    -------
    Program, or None where a guard does not hold here.
    """
    try:
        guards = _guards(data["guards"], portrait)
    except (_OtherWorldError, UndescribedError):
        return None
    objects, function = portrait.objects, load()
    sources = tuple(x if type(x) is int else _held(x[0], objects) for x in data["sources"])
    types = zip(sources, function.input_types, strict=True)
    if any(not isinstance(x, int) and type_of(x.array) != wanted for x, wanted in types):
        return None
    _give_ends(function, data["ends"])
    holders = tuple(_held(place, objects) for place in data["written"])
    return Program(function, guards, sources, holders, _form_of(data["form"], objects))


def _held(place: Data, objects: list[Any]) -> Any:
    return HOST if place == HOST.binding else objects[place]


def _guards(data: Data, portrait: Portrait) -> Guards:
    guards, objects = Guards(), portrait.objects
    for kind, place, name, path, wanted in data:
        owner = objects[place] if type(place) is int else _super(*(objects[i] for i in place))
        found = _read(guards, kind, owner, name, path)
        if _short(portrait.of(found)) != wanted:
            raise _OtherWorldError(path)
    return guards


def _super(kind: type, owner: Any) -> Any:
    return super(kind, owner)


def _read(guards: Guards, kind: str, owner: Any, name: str, path: str) -> Any:
    """What a guard reads here; noted as one of `guards`."""
    if kind == "absent":
        if name in owner:
            raise _OtherWorldError(path)
        guards.absent(owner, name, path)
        return MISSING
    try:
        if kind == "getter":
            return guards.getter(owner, name, path)
        if kind == "cell":
            return guards.cell(owner, name)
        return (guards.item if kind == "item" else guards.attribute)(owner, name, path)
    except Exception as error:  # a property may raise anything; compiling says so in its own way
        raise _OtherWorldError(path) from error


def _form_of(data: Data, objects: list[Any]) -> Any:
    if not isinstance(data, list):
        return data
    kind, *rest = data
    if kind == "label":
        return Label(rest[0] if type(rest[0]) is int else objects[rest[0][0]])
    if kind == "known":
        return Known(rest[0]) if type(rest[0]) is int else rest[0]
    if kind == "dict":
        return {key: _form_of(item, objects) for key, item in rest}
    if kind == "named":
        named, *items = rest
        return objects[named](*(_form_of(item, objects) for item in items))
    return {"tuple": tuple, "list": list}[kind](_form_of(item, objects) for item in rest)


def _give_ends(function: Function, ends: Data) -> None:
    known: dict[tuple[Location, tuple[Any, ...]], Location] = {}
    for operation, found in zip(function.walk(), ends, strict=True):
        if operation.loc is not None:
            key = operation.loc, tuple(map(tuple, found))
            if key not in known:
                known[key] = _with_ends(operation.loc, found)
            operation.loc = known[key]


def _with_ends(place: Location, ends: list[list[Any]]) -> Location:
    (column, line, *adjoint), *rest = ends
    caller = None if place.caller is None else _with_ends(place.caller, rest)
    return replace(place, caller=caller, end_column=column, end_line=line, is_adjoint=bool(adjoint))
