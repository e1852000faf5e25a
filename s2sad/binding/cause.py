"""Why did none of the variants serve a call?

The latest variant for such arguments has a guard that does not hold; where there is none for such
arguments, they differ from those of the latest variant. What is said is as small as the difference
is: ``x.shape[0]: expected 3, got 5``.

This is asked when a variant was made, and never on the way of a call that has one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.binding.program import key_of
from s2sad.core.shown import shown
from s2sad.core.trees import is_record, parts_of
from s2sad.frontend.guards import MISSING, Guard, Guards, fingerprint, members
from s2sad.frontend.inputs import is_input, named_leaves
from s2sad.ir.types import TensorType, type_of

if TYPE_CHECKING:
    from s2sad.binding.variant import Variant

#: Longer texts are cut in the middle.
WIDTH = 80


@dataclass(frozen=True)
class Cause:
    """Why a variant was compiled.

    Attributes
    ----------
    path : str
        The argument or the guard that none of the others was made for; empty for the first one.
    text : str
        What the latest of them expected, and what it is now.
    """

    path: str
    text: str

    def __str__(self) -> str:
        return f"{self.path}: {self.text}" if self.path else self.text


#: Of the first variant.
FIRST = Cause("", "the first call")

#: What there is of a call by path: a key that differs where another variant is needed, and a text.
Facts = Mapping[str, tuple[Any, str]]


def facts_of(arguments: Mapping[str, Any]) -> Facts:
    """What a call depends on in its arguments: the form of containers, and each leaf."""
    forms = ((name, form_of(value)) for name, value in arguments.items())
    leaves = {path: (_key(leaf), describe(leaf)) for path, leaf in named_leaves(arguments)}
    return {**{name: (form, form) for name, form in forms if form != LEAF}, **leaves}


def _key(leaf: Any) -> Any:
    return type_of(leaf.array) if is_input(leaf) else key_of(leaf, [])


def describe(leaf: Any) -> str:
    """An argument, or what a guard has read, in messages: data by type, all else by value."""
    return "nothing" if leaf is MISSING else shown(leaf)


#: In the place of what is no container.
LEAF = "_"


def form_of(value: Any) -> str:
    """Containers without what is in them: ``"[_, (_, _)]"``."""
    if isinstance(value, (tuple, list)):
        plain, inner = type(value) in (tuple, list), ", ".join(map(form_of, value))
        inner += "," if plain and isinstance(value, tuple) and len(value) == 1 else ""
        text = f"[{inner}]" if isinstance(value, list) else f"({inner})"
        return text if plain else f"{type(value).__name__}{text}"
    if isinstance(value, dict):
        inner = ", ".join(f"{key!r}: {form_of(item)}" for key, item in value.items())
        return f"{'' if type(value) is dict else type(value).__name__}{{{inner}}}"
    if is_record(value):
        inner = ", ".join(f"{name}={form_of(item)}" for name, item in parts_of(value).items())
        return f"{type(value).__name__}({inner})"
    return LEAF


def cause_of(facts: Facts, variants: Sequence[Variant], known: Sequence[Variant]) -> Cause:
    """Why none of `variants` served, among them those for such arguments, `known`."""
    if not variants:
        return FIRST
    for variant in reversed(known):
        guards = variant.program.guards
        guard = guards.broken()
        if guard is not None:
            return _of_guard(guard, guards)
    before = variants[-1].facts
    for path in {**before, **facts}:
        expected, got = before.get(path), facts.get(path)
        if expected is None or got is None:
            return _differing(path, expected and expected[1], got and got[1])
        if expected[0] != got[0]:
            return _of_leaves(path, expected, got)
    return Cause("the form of the arguments", "containers of other types")


def _differing(path: str, expected: str | None, got: str | None) -> Cause:
    """`path` is another than was expected; None stands for what is not there."""
    one, other = ("nothing" if text is None else _short(text) for text in (expected, got))
    return Cause(path, f"expected {one}, got {'another one' if one == other else other}")


def _short(text: str) -> str:
    half = WIDTH // 2 - 2
    return text if len(text) <= WIDTH else f"{text[:half]}...{text[-half:]}"


def _of_leaves(path: str, expected: tuple[Any, str], got: tuple[Any, str]) -> Cause:
    one, other = expected[0], got[0]
    if not isinstance(one, TensorType) or not isinstance(other, TensorType):
        return _differing(path, expected[1], got[1])
    if one.shape == other.shape:
        return _differing(f"{path}.dtype", one.dtype.name, other.dtype.name)
    if one.dtype != other.dtype:
        return _differing(path, expected[1], got[1])
    pairs = list(enumerate(zip(one.shape, other.shape, strict=False)))
    axes = [axis for axis, (x, y) in pairs if x != y]
    if len(one.shape) == len(other.shape) and len(axes) == 1:
        axis = axes[0]
        return _differing(f"{path}.shape[{axis}]", str(one.shape[axis]), str(other.shape[axis]))
    return _differing(f"{path}.shape", str(one.shape), str(other.shape))


def _of_guard(guard: Guard, guards: Guards) -> Cause:
    now = guard.read()
    path, expected, got = _narrowed(guard.path, guard.expected, fingerprint(now))
    alive = {id(each): each for each in (*guards.alive, *members(now))}
    return _differing(path, _spelled(expected, alive), _spelled(got, alive))


def _kind(found: Any) -> type:
    """Of what a fingerprint is; `object` for what goes by identity."""
    is_plain = isinstance(found, tuple) and isinstance(found[0], type)
    return found[0] if is_plain else object


def _narrowed(path: str, expected: Any, got: Any) -> tuple[str, Any, Any]:
    """The first part of a container that differs, as far as the containers have one form."""
    if _kind(expected) is not _kind(got):
        return path, expected, got
    parts, others = _parts(expected), _parts(got)
    if issubclass(_kind(expected), np.ndarray) and expected[1:3] == got[1:3]:
        parts, others = _elements(expected, got)
    if parts.keys() == others.keys():
        for key, part in parts.items():
            if part != others[key]:
                return _narrowed(f"{path}[{key}]", part, others[key])
    return path, expected, got


def _parts(found: Any) -> dict[str, Any]:
    """What a fingerprint of a container says of its parts, by what stands in the brackets."""
    kind = _kind(found)
    if issubclass(kind, dict):
        return {_spelled(key, {}): part for key, part in found[1]}
    is_cells = kind is object and isinstance(found, tuple)
    is_sequence = is_cells or issubclass(kind, (tuple, list))
    return {str(place): part for place, part in enumerate(found[1])} if is_sequence else {}


def _elements(*found: Any) -> list[dict[str, Any]]:
    """The first element that differs, of the fingerprints of two arrays of one type and shape."""
    dtype, shape = np.dtype(found[0][1]), found[0][2]
    if dtype.hasobject:
        return [{}, {}]
    flat = [np.frombuffer(data, np.uint8).reshape(-1, dtype.itemsize) for *_, data in found]
    first = np.flatnonzero((flat[0] != flat[1]).any(axis=1))[:1]
    place = ", ".join(str(int(each[0])) for each in np.unravel_index(first, shape)) or "()"
    items = [np.frombuffer(data, dtype)[first[0]] for *_, data in found]
    return [{place: (type(item), str(item))} for item in items]


def _spelled(found: Any, alive: Mapping[int, Any]) -> str:
    """What a fingerprint was made of, in messages; objects are looked up in `alive`."""
    kind = _kind(found)
    if issubclass(kind, (list, tuple, dict, set, frozenset)):
        return _spelled_container(kind, found[1], alive)
    if issubclass(kind, np.ndarray):
        return f"an array of {np.dtype(found[1]).name}, shape {found[2]}"
    if kind is MethodType:
        return describe(alive.get(found[1], MISSING))
    if kind is not object:
        return found[1]
    if isinstance(found, tuple):  # a Cell that holds others
        return f"{describe(alive.get(found[0], MISSING))} of {len(found[1])}"
    return describe(alive.get(found, MISSING))


def _spelled_container(kind: type, items: Iterable[Any], alive: Mapping[int, Any]) -> str:
    if issubclass(kind, dict):
        texts = [f"{_spelled(k, alive)}: {_spelled(v, alive)}" for k, v in items]
        return f"{{{', '.join(texts)}}}"
    texts = [_spelled(item, alive) for item in items]
    if issubclass(kind, list):
        return f"[{', '.join(texts)}]"
    if issubclass(kind, tuple):
        return f"({', '.join(texts)}{',' * (len(texts) == 1)})"
    return f"{{{', '.join(sorted(texts))}}}" if texts else f"{kind.__name__}()"


def most_common(causes: Iterable[Cause]) -> Cause:
    """The last of those causes whose path occurs most often."""
    found = list(causes)
    paths = Counter(cause.path for cause in found)
    path = max(paths, key=paths.__getitem__)
    return next(cause for cause in reversed(found) if cause.path == path)
