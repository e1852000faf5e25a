"""What must still hold for a compiled variant to be right?

Every Python value that partial evaluation reads from outside its arguments (a global, a closure
variable, an attribute) leaves a guard. Each guard's owner is itself guarded by identity, so a
chain of attribute reads is covered link by link.

The guards of a variant become one generated Python function, since they are asked at each call.
Those that only an assignment to a Cell or Parameter can break are skipped as long as
`s2sad.core.changes` has counted none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import is_
from types import BuiltinMethodType, MethodType, MethodWrapperType
from typing import Any

import numpy as np

from s2sad.core import changes
from s2sad.core.cell import Cell
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor

MISSING = object()

#: Values of these types are compared by type and spelling.
LITERALS = (bool, int, float, complex, str, bytes, range, type(None), np.generic)
#: Values of these types are compared by what they hold; those of `CHANGING` may change in place.
CONTAINERS = (tuple, list, dict, set, frozenset, np.ndarray)
CHANGING = (list, dict, set, np.ndarray)
#: Methods of what is built in; each read makes a new one.
BUILTIN_METHODS = (BuiltinMethodType, MethodWrapperType)


def fingerprint(value: Any) -> Any:
    """A key of what compiled code may depend on in `value`.

    Numbers and texts count by type and spelling (1, 1.0 and True differ, and so do 0.0 and
    -0.0), containers and NumPy arrays by their contents, methods by function and owner, Cells that
    can be iterated over by their children as well, all else by identity.
    """
    if isinstance(value, LITERALS):
        return type(value), repr(value)
    if isinstance(value, (tuple, list)):
        return type(value), tuple(fingerprint(item) for item in value)
    if isinstance(value, dict):
        return type(value), tuple((fingerprint(k), fingerprint(v)) for k, v in value.items())
    if isinstance(value, (set, frozenset)):
        return type(value), frozenset(map(fingerprint, value))
    if isinstance(value, MethodType):
        return MethodType, id(value.__func__), id(value.__self__)
    if isinstance(value, BUILTIN_METHODS):
        return type(value), value.__name__, id(value.__self__)
    if isinstance(value, np.ndarray):
        return type(value), value.dtype.str, value.shape, value.tobytes()
    if is_cell_list(value):
        return id(value), tuple(map(id, value._cells.values()))
    return id(value)


def is_cell_list(value: Any) -> bool:
    """Whether `value` is a Cell that is used as a container of its children."""
    return isinstance(value, Cell) and hasattr(type(value), "__iter__")


def members(value: Any) -> list[Any]:
    """`value` and what it holds, however deep: all whose identity its fingerprint may name."""
    if isinstance(value, MethodType):
        return [value, value.__func__, value.__self__]
    if isinstance(value, BUILTIN_METHODS):
        return [value, value.__self__]
    if is_cell_list(value):
        return [value, *value._cells.values()]
    if not isinstance(value, CONTAINERS) or isinstance(value, np.ndarray):
        return [value]
    inner = [*value, *value.values()] if isinstance(value, dict) else value
    return [value, *(member for item in inner for member in members(item))]


@dataclass(frozen=True)
class Guard:
    """One fact about the outside that was read while compiling.

    Attributes
    ----------
    path : str
        How the source reads it, ``"self.fc1.activation"``.
    read : callable
        Gives the present value, `MISSING` when there is none.
    value : object
        What was read while compiling.
    expected : object
        Its `fingerprint` then.
    text : str
        The read as an expression of ``owner``.
    owner : object
    kind : str
        The method of `Guards` that reads it: ``"attribute"``, ``"item"``, ``"cell"``, ``"absent"``.
    name : str
        What is read of `owner`.
    is_counted : bool
        Whether nothing can change it but what `changes` counts.
    items : list or None
        What a list or a dictionary held then, where that tells what its fingerprint was.
    """

    path: str
    read: Callable[[], Any]
    value: Any
    expected: Any
    text: str
    owner: Any
    kind: str
    name: str
    is_counted: bool
    items: list[Any] | None

    def holds(self) -> bool:
        """Whether the value is still what the variant was compiled for."""
        return fingerprint(self.read()) == self.expected


class Guards:
    """The guards of one variant, each read once.

    Attributes
    ----------
    is_complete : bool
        False where compiling ran code of the user's as Python runs it: what that read, no guard
        knows.
    alive : list
        All whose identity a fingerprint names.
    """

    def __init__(self) -> None:
        self.is_complete = True
        self._by_key: dict[tuple[int, str], Guard] = {}
        self.alive: list[Any] = []
        self._tests: tuple[Callable[[], bool], Callable[[], bool]] | None = None
        self._seen = -1

    def attribute(self, owner: Any, name: str, path: str) -> Any:
        """``owner.name``, guarded; AttributeError where there is none."""
        value = getattr(owner, name)
        counted = _is_counted(owner, name, value)
        if _is_own_method(value, owner, name):
            # What the class has is asked once for all its Cells; assigning to one is counted.
            self._attribute(type(owner), name, path, value.__func__, is_counted=False)
            counted = True
        self._attribute(owner, name, path, value, is_counted=counted)
        return value

    def _attribute(self, owner: Any, name: str, path: str, value: Any, *, is_counted: bool) -> None:
        text = f"owner.{name}" if name.isidentifier() else f"getattr(owner, {name!r})"
        text = f"getattr(owner, {name!r}, MISSING)" if value is MISSING else text
        self._note(
            owner, name, path, lambda: getattr(owner, name, MISSING), value, text, "attribute",
            is_counted=is_counted,
        )  # fmt: skip

    def item(self, owner: Any, key: str, path: str) -> Any:
        """``owner[key]`` of a namespace, guarded; KeyError where there is none."""
        value = owner[key]
        text = f"owner[{key!r}]"
        self._note(owner, key, path, lambda: owner.get(key, MISSING), value, text, "item")
        return value

    def absent(self, owner: Any, key: str, path: str) -> None:
        """That a namespace has no `key`, so that a builtin is meant; guarded."""
        text = f"owner.get({key!r}, MISSING)"
        self._note(owner, key, path, lambda: owner.get(key, MISSING), MISSING, text, "absent")

    def getter(self, owner: Any, name: str, path: str) -> Any:
        """The function that reads the property ``owner.name``; guarded."""
        part = "fget" if isinstance(getattr(type(owner), name), property) else "func"

        def read() -> Any:
            return getattr(getattr(type(owner), name, None), part, MISSING)

        text = f"getattr(type(owner), {name!r}).{part}"
        value = read()
        self._note(owner, name, path, read, value, text, "getter")
        return value

    def without(self, owner: Any, name: str, path: str) -> None:
        """That ``owner`` has no attribute `name`; guarded."""
        self._attribute(owner, name, path, MISSING, is_counted=False)

    def cell(self, cell: Any, name: str) -> Any:
        """Content of a closure's cell, guarded; ValueError when it is empty."""
        value = cell.cell_contents
        self._note(cell, name, name, lambda: _content(cell), value, "owner.cell_contents", "cell")
        return value

    def _note(
        self, owner: Any, name: str, path: str, read: Callable[[], Any], value: Any, text: str,
        kind: str, *, is_counted: bool = False,
    ) -> None:  # fmt: skip
        key = (id(owner), name)
        if key not in self._by_key:
            expected = fingerprint(value)
            self._by_key[key] = Guard(
                path, read, value, expected, text, owner, kind, name, is_counted, _items(value)
            )
            self.alive += [owner, *members(value)]  # so that no id is used again
            self._tests = None

    def all(self) -> list[Guard]:
        return list(self._by_key.values())

    def holds(self) -> bool:
        """Whether every guard does; what a call asks."""
        if self._tests is None:
            guards = self.all()
            self._tests = (
                _test([g for g in guards if not g.is_counted]),
                _test([g for g in guards if g.is_counted]),
            )
        others, counted = self._tests
        if not others():
            return False
        count = changes.count()
        if count != self._seen:
            if not counted():
                return False
            self._seen = count
        return True

    def broken(self) -> Guard | None:
        """The first guard that does not hold, or None."""
        return next((g for g in self._by_key.values() if not g.holds()), None)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _is_own_method(value: Any, owner: Any, name: str) -> bool:
    """Whether `value` is the method that the class of the Cell `owner` defines."""
    return (
        isinstance(owner, Cell)
        and isinstance(value, MethodType)
        and value.__self__ is owner
        and getattr(type(owner), name, None) is value.__func__
    )


def _is_counted(owner: Any, name: str, value: Any) -> bool:
    """Whether `changes` counts whatever can change ``owner.name``."""
    if isinstance(owner, Tensor) and name in ("_hooks", "_memory"):
        return True
    if isinstance(owner, Parameter):
        return name in ("name", "requires_grad")
    if not isinstance(owner, Cell) or hasattr(type(owner), name):
        return False
    uncounted = (*CHANGING, *BUILTIN_METHODS, MethodType)
    return not any(isinstance(member, uncounted) for member in members(value))


def _test(guards: Sequence[Guard]) -> Callable[[], bool]:
    """One function that tells whether all `guards` hold."""
    names: dict[str, Any] = {
        "__name__": __name__, "fingerprint": fingerprint, "MISSING": MISSING,
        "holds_still": _holds_still,
    }  # fmt: skip
    lines = ["def test():", "    try:", "        pass"]
    for index, guard in enumerate(guards):
        names |= {f"o{index}": guard.owner, f"v{index}": guard.value, f"e{index}": guard.expected}
        if guard.items is not None:
            names[f"i{index}"] = type(guard.value), guard.items
        lines += _question(guard, index)
    lines += ["    except (AttributeError, KeyError, ValueError):", "        return False"]
    lines += ["    return True"]
    exec("\n".join(lines), names)
    return names["test"]


def _question(guard: Guard, index: int) -> list[str]:
    """Lines that end the function where `guard` does not hold."""
    if guard.kind == "absent":
        return [f"        if {guard.name!r} in o{index}: return False"]
    read = guard.text.replace("owner", f"o{index}", 1)
    condition = _condition(guard.value, index)
    if guard.items is not None:  # the very objects that it held are quick to see
        condition = f"not holds_still(x, i{index}) and {condition}"
    if condition == f"x is not v{index}":
        return [f"        if {read} is not v{index}: return False"]
    return [f"        x = {read}", f"        if {condition}: return False"]


def _items(value: Any) -> list[Any] | None:
    """What a list or a dictionary holds, keys first, if none of that may change in place."""
    if type(value) not in (list, dict):
        return None
    items = [*value, *value.values()] if type(value) is dict else [*value]
    return None if any(map(_may_change, items)) else items


def _may_change(value: Any) -> bool:
    """Whether the fingerprint of the same object may be another one later."""
    return isinstance(value, CONTAINERS) or is_cell_list(value)


def _holds_still(value: Any, before: tuple[type, list[Any]]) -> bool:
    """Whether `value` is of that type, and holds these very objects."""
    kind, items = before
    if type(value) is not kind:
        return False
    now = [*value, *value.values()] if kind is dict else value
    return len(now) == len(items) and all(map(is_, now, items))


def _condition(value: Any, index: int) -> str:
    """Python for: `x` is not what was expected. Identity comes first, since it is quick."""
    by_print = f"fingerprint(x) != e{index}"
    if any(isinstance(member, CHANGING) for member in members(value)):
        return by_print
    if is_cell_list(value):
        return by_print
    if isinstance(value, (*LITERALS, *CONTAINERS, *BUILTIN_METHODS, MethodType)):
        return f"x is not v{index} and {by_print}"
    return f"x is not v{index}"
