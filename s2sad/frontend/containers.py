"""Which lists and dicts may compiled code change?

Those that it has made itself, where it made them: in the same branch, loop and function that is
differentiated. What comes from outside belongs to the user, and what a branch on data changes would
be changed whether or not it is taken.

After a branch or a loop on data a variable may hold one of several containers. It gets a new one,
which may be changed, unless something else still holds one of those: then neither may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.trees import is_record, parts_of, same_tuple, with_parts
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.trees import leaves
from s2sad.ir import builder as builders
from s2sad.ir.graph import Region

#: Containers that may change.
MUTABLE = (list, dict, set, np.ndarray)
#: What to write where one of those would change in a branch or a loop on data.
INSTEAD = {
    list: "fill a tensor of known length with `x[i] = v` instead; or, in a branch, make a new list "
    "on each side: `[*items, item]`",
    dict: "in a branch, make a new dict on each side: `{**entries, key: value}`",
}
#: Methods that change one of those.
CHANGING = frozenset({
    "add", "append", "clear", "difference_update", "discard", "extend", "fill", "insert",
    "intersection_update", "partition", "pop", "popitem", "put", "remove", "resize", "reverse",
    "setdefault", "setfield", "setflags", "sort", "symmetric_difference_update", "update",
})  # fmt: skip


def own(session: Session, made: Any) -> Any:
    """`made`, a list or dict that compiled code has made here and now."""
    session.made[id(made)] = made, builders.current().region
    return made


def own_new(session: Session, made: Any) -> Any:
    """`made`, which is nothing that was there before; noted where it is a list, a dict or such."""
    if isinstance(made, np.ndarray) and made.base is not None and id(made.base) not in session.made:
        return made  # shows a part of an array of somebody else
    return own(session, made) if type(made) in MUTABLE else made


def made_here(session: Session, made: Any) -> Any:
    """`made`, an object that compiled code has made here and now."""
    return own(session, made)


def is_made(session: Session, thing: Any) -> bool:
    """Whether compiled code has made `thing`, which may change."""
    return id(thing) in session.made


def own_all(session: Session, tree: Any) -> Any:
    """`tree`, which was built anew, with all lists and dicts in it noted."""
    if isinstance(tree, (tuple, list)):
        for item in tree:
            own_all(session, item)
    elif isinstance(tree, dict):
        for item in tree.values():
            own_all(session, item)
    return own_new(session, tree)


def renewed(frame: Frame, regions: Collection[Region]) -> None:
    """Let variables of `frame`, a fork, hold copies of lists and dicts that belong to `regions`.

    Those it may change, unless something else holds them that would have to see it.
    """
    elsewhere = _held(frame, frame.local_names)
    known: dict[int, Any] = {}

    def copied(tree: Any) -> Any:
        if isinstance(tree, tuple):
            return same_tuple(tree, [copied(item) for item in tree])
        if not isinstance(tree, MUTABLE):
            return tree
        if id(tree) not in known:
            known[id(tree)] = tree, tree if id(tree) in elsewhere else copy_of(tree)
        return known[id(tree)][1]

    def copy_of(tree: Any) -> Any:
        held, region = frame.session.made.get(id(tree), (None, None))
        if held is None or not any(region is each for each in regions):
            return tree
        if isinstance(tree, (set, np.ndarray)):
            return own(frame.session, tree.copy())
        if isinstance(tree, dict):
            return own(frame.session, {key: copied(item) for key, item in tree.items()})
        return own(frame.session, [copied(item) for item in tree])

    for name, tree in list(frame.local_names.items()):
        frame.local_names[name] = copied(tree)


def stand_for(session: Session, copy: Any, tree: Any) -> None:
    """Let what is new in `copy` be as free to be changed as what it stands for in `tree`."""
    for new, old in zip(containers(copy), containers(tree), strict=True):
        if new is not old and id(old) in session.made:
            session.made[id(new)] = new, session.made[id(old)][1]


def settle(frame: Frame, merged: Mapping[str, Any], *ends: Mapping[str, Any]) -> None:
    """Say what may be changed of what variables hold after a branch or a loop on data.

    Parameters
    ----------
    merged : dict of str to tree
        What each variable holds.
    ends : dict of str to tree
        What they hold where one path ends; a mapping a path, of trees of equal form.
    """
    made, several = frame.session.made, with_several_holders(frame, merged, *ends)
    for name, tree in merged.items():
        trees = (tree, *(end[name] for end in ends))
        for new, *olds in zip(*map(containers, trees), strict=True):
            if all(old is new for old in olds) or any(id(old) not in made for old in olds):
                continue
            if any(id(old) in several for old in olds):
                made.update({id(each): (each, None) for each in (new, *olds)})
            else:
                own(frame.session, new)


def with_several_holders(
    frame: Frame, names: Collection[str], *ends: Mapping[str, Any]
) -> set[int]:
    """Identities of containers that variables `names` hold in `ends` and something else as well."""
    paths = [Counter(id(x) for name in names for x in containers(end[name])) for end in ends]
    if not any(paths):
        return set()
    twice = {each for path in paths for each, count in path.items() if count > 1}
    return twice | _held(frame, names)


def with_leaf(session: Session, tree: Any, old: Any, new: Any, known: dict[int, Any]) -> Any:
    """`tree` with `new` for the leaf `old`; what was one list or dict stays one.

    Parameters
    ----------
    known : dict
        What became of containers, by identity: the same one for all trees.
    """
    if isinstance(tree, tuple):
        return same_tuple(tree, [with_leaf(session, x, old, new, known) for x in tree])
    if is_record(tree):
        if id(tree) not in known:
            parts = parts_of(tree).items()
            found = {key: with_leaf(session, item, old, new, known) for key, item in parts}
            known[id(tree)] = tree, with_parts(tree, found)
        return known[id(tree)][1]
    if not isinstance(tree, (list, dict)):
        return new if tree is old else tree
    if id(tree) not in known:
        items = tree.items() if isinstance(tree, dict) else enumerate(tree)
        found = {key: with_leaf(session, item, old, new, known) for key, item in items}
        known[id(tree)] = tree, _with_items(session, tree, found)
    return known[id(tree)][1]


def _with_items(session: Session, container: Any, items: dict[Any, Any]) -> Any:
    """`container` with other items: itself, but where a branch or a loop around must not see it."""
    if all(container[key] is item for key, item in items.items()):
        return container
    held, region = session.made.get(id(container), (None, None))
    is_here = region is builders.current().region
    found = container if is_here else container.copy()
    for key, item in items.items():
        found[key] = item
    if held is not None and not is_here:
        session.made[id(found)] = found, region
    return found


def containers(tree: Any) -> Iterator[Any]:
    """The lists, dicts and such of which `tree` is made, itself first."""
    if type(tree) in MUTABLE:
        yield tree
    if isinstance(tree, (tuple, list, dict)):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from containers(item)
    elif is_record(tree):
        for item in parts_of(tree).values():
            yield from containers(item)


def _held(frame: Frame, besides: Collection[str]) -> set[int]:
    """Identities of containers that variables hold, but for some of `frame`."""
    found: set[int] = set()
    rest, seen = [frame], set[int]()
    while rest:
        call = rest.pop()
        if id(call) in seen:
            continue
        seen.add(id(call))
        rest += [around for around in (call.called_by, call.enclosing) if around is not None]
        for name, tree in call.local_names.items():
            if call is not frame or name not in besides:
                found.update(map(id, containers(tree)))
            rest += [leaf.frame for leaf in leaves(tree) if isinstance(leaf, LocalFunction)]
    return found


def require_own(frame: Frame, container: Any) -> None:
    """Refuse to change a container of somebody else, or of a region around this one (E0104)."""
    kind = type(container).__name__
    is_object = not isinstance(container, MUTABLE)
    held, region = frame.session.made.get(id(container), (None, None))
    if held is None:
        raise fail(
            "E0104", f"this {kind} comes from outside of compiled code, which cannot change it",
            help="return the new value, and assign it where the function is called" if is_object
            else "build a new one: [*items, item], {**entries, key: value}",
        )  # fmt: skip
    if region is None:
        raise fail(
            "E0104", f"this {kind} may be one that something else holds as well: that depends on "
            "the data of a branch or a loop",
            help="change it before" if is_object else f"copy it before the change: {kind}(...)",
        )  # fmt: skip
    if region is not builders.current().region:
        raise fail(
            "E0104", f"this {kind} cannot be changed in a branch or a loop on data",
            help="assign a variable, and change it after" if is_object else INSTEAD.get(
                type(container), f"make a new {kind} in it"
            ),
        )  # fmt: skip
