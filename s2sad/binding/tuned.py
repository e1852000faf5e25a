"""Which settings of the compiler were found best for a program, on this machine?

`s2sad tune` measures them and keeps them in the cache, by the text of the program as it is before
TARGET. Every later compile of the same program takes them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from s2sad.binding.target import backend_name
from s2sad.core.cache import cache, digest
from s2sad.core.tuning import FILE, KIND, stamp
from s2sad.ir.archive import write_whole
from s2sad.ir.graph import Function
from s2sad.ir.printer import Constants, print_text
from s2sad.passes.base import Pass
from s2sad.passes.dce import Dce
from s2sad.passes.fuse import Fuse
from s2sad.passes.recompute import Recompute

Passes = tuple[Pass, ...]
Settings = Mapping[str, int]


@dataclass(frozen=True)
class Knob:
    """Something that can be set, and what changes no result beyond rounding.

    Attributes
    ----------
    name : str
    values : tuple of int
        Those that are tried; the first is what is taken where nothing was measured.
    set : callable
        ``set(passes, value)`` gives TARGET with it.
    """

    name: str
    values: tuple[int, ...]
    set: Callable[[Passes, int], Passes]


def _with_groups(passes: Passes, value: int) -> Passes:
    return tuple(replace(x, max_ops=value) if isinstance(x, Fuse) else x for x in passes)


def _with_sweeps_apart(passes: Passes, value: int) -> Passes:
    if not value:
        return passes
    place = max((i for i, each in enumerate(passes) if isinstance(each, Dce)), default=-1) + 1
    return (*passes[:place], Recompute(), *passes[place:])


#: All of them.
KNOBS = (
    Knob("fuse.max_ops", (Fuse().max_ops, 4, 16, 64), _with_groups),
    # What is cheap is computed again in the backward sweep, and not kept from the forward one.
    Knob("recompute", (0, 1), _with_sweeps_apart),
)


def default() -> dict[str, int]:
    """The settings where nothing was measured."""
    return {knob.name: knob.values[0] for knob in KNOBS}


def with_settings(passes: Sequence[Pass], settings: Settings) -> Passes:
    """`passes`, the list TARGET, with `settings`; a knob that there is no more changes nothing."""
    found = tuple(passes)
    for knob in KNOBS:
        value = settings.get(knob.name, knob.values[0])
        if value != knob.values[0]:
            found = knob.set(found, value)
    return found


# ---- what is kept --------------------------------------------------------------------------------


def find(function: Function) -> Settings:
    """What was found best for `function`, a program before TARGET; nothing where nothing was."""
    if not stamp():
        return {}
    folder = cache().find(KIND, _name(function))
    if folder is None:
        return {}
    try:
        return json.loads((folder / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:  # another process has cleared the cache since
        return {}


def keep(function: Function, settings: Settings) -> None:
    """Let later compiles of `function` take `settings`."""
    text = json.dumps(dict(settings))

    def write(folder: Path) -> None:
        write_whole(folder / FILE, lambda file: file.write(text.encode()))

    name = _name(function)
    cache().remove(KIND, name)
    cache().store(KIND, name, write)


def clear() -> int:
    """Forget all that was measured; how many programs that was."""
    found = [entry for entry in cache().entries() if entry.kind == KIND]
    for entry in found:
        cache().remove(KIND, entry.digest)
    return len(found)


def _name(function: Function) -> str:
    constants = Constants("constants")
    text = print_text(function, constants=constants)
    arrays = [repr((array.dtype, array.shape)) for array in constants.arrays.values()]
    return digest(backend_name(), text, *arrays)
