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

from s2sad.core.diagnostics import fail
from s2sad.core.trees import same_tuple
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders

#: Methods that change a list or a dict.
CHANGING = frozenset({
    "append", "clear", "extend", "insert", "pop", "popitem", "remove", "reverse", "setdefault",
    "update",
})  # fmt: skip


def own(session: Session, made: Any) -> Any:
    """`made`, a list or dict that compiled code has made here and now."""
    session.made[id(made)] = made, builders.current().region
    return made


def own_new(session: Session, made: Any) -> Any:
    """`made`, which is nothing that was there before; noted where it is a list or a dict."""
    return own(session, made) if type(made) in (list, dict) else made


def own_all(session: Session, tree: Any) -> Any:
    """`tree`, which was built anew, with all lists and dicts in it noted."""
    if isinstance(tree, (tuple, list)):
        for item in tree:
            own_all(session, item)
    elif isinstance(tree, dict):
        for item in tree.values():
            own_all(session, item)
    return own_new(session, tree)


def renewed(frame: Frame) -> None:
    """Let the variables of `frame`, a fork, hold copies of the lists and dicts it may change."""
    made = frame.session.made
    for name, tree in list(frame.local_names.items()):
        if id(tree) in made:
            frame.local_names[name] = own_all(frame.session, map_leaves(tree, lambda leaf: leaf))


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
    """The lists and dicts of which `tree` is made, itself first."""
    if type(tree) in (list, dict):
        yield tree
    if isinstance(tree, (tuple, list, dict)):
        for item in tree.values() if isinstance(tree, dict) else tree:
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
    held, region = frame.session.made.get(id(container), (None, None))
    if held is None:
        raise fail(
            "E0104", f"this {kind} comes from outside of compiled code, which cannot change it",
            help="build a new one: [*items, item], {**entries, key: value}",
        )  # fmt: skip
    if region is None:
        raise fail(
            "E0104", f"this {kind} may be one that something else holds as well: that depends on "
            "the data of a branch or a loop",
            help=f"copy it before the change: {kind}(...)",
        )  # fmt: skip
    if region is not builders.current().region:
        raise fail(
            "E0104", f"this {kind} cannot be changed in a branch or a loop on data",
            help="fill a tensor of known length with `x[i] = v` instead",
        )  # fmt: skip
