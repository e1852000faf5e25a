"""Which passes and rules have been plugged in?

Storage, and no more: `s2sad.extend` fills it for users, `registry` puts the passes in their lists.
Packages that are installed plug in by the entry-point group ``s2sad.passes``: what each names is
imported when a list of passes is first asked for, and registers itself.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from s2sad.core.diagnostics import fail
from s2sad.passes.rewrite import Rewrite, Rule, compiled

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from s2sad.passes.base import Pass

GROUP = "s2sad.passes"

R = TypeVar("R", bound=Rule)


@dataclass(frozen=True)
class Plugged:
    """A pass that was plugged in, and where it goes.

    Attributes
    ----------
    instance : Pass
        With the options that it has in a list.
    before, after : str or None
        The pass next to which it goes, by its name or as in a pipeline's text; one of the two.
    """

    instance: Pass
    before: str | None
    after: str | None


_passes: list[Plugged] = []
_rules: list[Rule] = []
_loaded: set[str] = set()


def passes() -> Sequence[Plugged]:
    """Passes in the order in which they were plugged in, installed ones included."""
    load_installed()
    return tuple(_passes)


def rules() -> Sequence[Rule]:
    """Rules in the order in which they were plugged in, installed ones included."""
    load_installed()
    return tuple(_rules)


def are_there() -> bool:
    """Whether any pass or rule is plugged in by now; what is installed is not looked for."""
    return bool(_passes or _rules)


def add_pass(plugged: Plugged) -> None:
    """Plug in a pass, in place of an earlier one of that name: a cell of a notebook runs twice."""
    kept = [each for each in _passes if each.instance.name != plugged.instance.name]
    _passes[:] = [*kept, plugged]


def add_rule(rule: R) -> R:
    """Plug in a rule, in place of an earlier one of that name and module.

    Raises
    ------
    S2sadError
        E0302 or E0304 when its left side is no pattern.
    """
    if not (isinstance(rule, type) and issubclass(rule, Rewrite)):
        raise fail("E0304", f"a rule is a subclass of Rewrite, got {rule!r}")
    compiled(rule)
    key = (rule.__module__, rule.__qualname__)
    _rules[:] = [*(x for x in _rules if (x.__module__, x.__qualname__) != key), rule]
    return rule


def remove(name: str) -> None:
    """Take out the pass or the rule called `name`; nothing happens where there is none."""
    _passes[:] = [each for each in _passes if each.instance.name != name]
    _rules[:] = [rule for rule in _rules if rule.__name__ != name]


def load_installed() -> None:
    """Import what installed packages name in the group ``s2sad.passes``, each once.

    An exception that an import raises passes through, with a note that names the package.
    """
    for entry in _entry_points():
        if entry.value in _loaded:
            continue
        _loaded.add(entry.value)
        try:
            entry.load()
        except Exception as error:
            _loaded.discard(entry.value)
            note = f"raised while loading {entry.name} = {entry.value!r} of the group {GROUP!r}"
            error.__notes__ = [*getattr(error, "__notes__", ()), note]  # type: ignore[attr-defined]
            raise


_found: list[EntryPoint] | None = None


def _entry_points() -> list[EntryPoint]:
    """Those of the group; looked for once, for that reads a file of every installed package."""
    global _found
    if _found is None:
        # Not needed by `import s2sad`, and slow to import.
        metadata = importlib.import_module("importlib.metadata")
        _found = list(metadata.entry_points(group=GROUP))
    return _found


def forget_installed() -> None:
    """Look for installed packages anew when they are next asked for."""
    global _found
    _found = None
    _loaded.clear()
