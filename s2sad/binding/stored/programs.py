"""Which program on disk serves a call, and how does one come there?

All that is known before anything is compiled gives a key: the function and the arguments of the
call, the settings, Python, NumPy, s2sad itself. Programs of one key differ by what their guards
have read. A program that is wrong here is never taken for right: what has no description, or may
depend on more than its guards say, is compiled in each process.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.binding.program import Program
from s2sad.binding.stored import record
from s2sad.binding.stored.portrait import Portrait, UndescribedError
from s2sad.binding.target import backend, backend_name
from s2sad.binding.variant import Variant
from s2sad.core import changes, context, generator, installation, parameter, precision
from s2sad.core.cache import cache, digest
from s2sad.core.cachefolder import is_on
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.transform import Transform
from s2sad.ir import store
from s2sad.ir.archive import write_whole
from s2sad.prims import ALL

#: Of the cache.
KIND = "program"
#: Changes with what lies in an entry.
VERSION = "2"
#: Programs of one key.
PLACES = 8
#: Files of an entry: the program after TARGET, and what it is bound to.
CODE, RECORD = "program.py", "record.json"


class Shelf:
    """Where programs lie for one kind of call of one function.

    Attributes
    ----------
    key : str
    """

    def __init__(self, key: str, portrait: Portrait) -> None:
        self.key = key
        self._portrait = portrait
        self._changes = changes.count()

    def find(self, compiled: Callable[[], Variant]) -> StoredVariant | None:
        """The program that is right here and now; None where there is none.

        Parameters
        ----------
        compiled : callable
            Compiles it after all, for who wants to see its stages.
        """
        try:
            for name in self._names():
                folder = cache().find(KIND, name)
                program = None if folder is None else self._program(folder)
                if program is not None:
                    build = functools.partial(backend().build, program.function)
                    return StoredVariant(program, build, compiled)
        except S2sadError as error:
            _give_up(error)
        return None

    def _names(self) -> list[str]:
        return [digest(self.key, str(place)) for place in range(PLACES)]

    def _program(self, folder: Path) -> Program | None:
        try:
            data = json.loads((folder / RECORD).read_text(encoding="utf-8"))
            return record.bound(data, lambda: store.load(folder / CODE, ALL), self._portrait.copy())
        except (OSError, S2sadError):
            if folder.exists():
                raise
            return None  # another process has made room

    def keep(self, variant: Variant) -> None:
        """Keep the program of `variant`, which was compiled since this shelf was looked for.

        It is not kept where it may depend on something else than its guards say.
        """
        program = variant.program
        if not program.guards.is_complete or are_plugged():
            return
        try:
            data = record.written(program, self._portrait.copy())
        except (UndescribedError, RecursionError):
            return
        if changes.count() != self._changes or not program.guards.holds():
            return  # something was changed meanwhile, and may have been described as it is now
        try:
            self._write(program, json.dumps(data))
        except S2sadError as error:
            _give_up(error)

    def _write(self, program: Program, text: str) -> None:
        def write(folder: Path) -> None:
            store.save(program.function, folder / CODE)
            write_whole(folder / RECORD, lambda file: file.write(text.encode()))

        names = self._names()
        free = [name for name in names if cache().find(KIND, name) is None]
        if not free:  # one of them makes room
            free = [names[int(digest(text)[:8], 16) % PLACES]]
            cache().remove(KIND, free[0])
        cache().store(KIND, free[0], write)


def shelf_for(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *settings: object
) -> Shelf | None:
    """Where programs for a call of `function` lie, compiled with these `settings`; None where none
    are kept.

    None are kept of `vjp`, which are two programs, and what lies between them.
    """
    has_halves = isinstance(function, Transform) and function.kind == "vjp"
    if has_halves or not is_kept() or are_plugged():
        return None
    own = installation.own_digest()
    if own is None:
        return None
    portrait = Portrait()
    try:
        texts = [portrait.of(x) for x in (generator.DEFAULT, function)]
        texts.append(portrait.call(args, kwargs))
    except (UndescribedError, RecursionError):
        return None
    chosen = repr((sorted(context.chosen().items()), settings))
    return Shelf(digest(VERSION, own, _surroundings(), backend_name(), chosen, *texts), portrait)


def is_kept() -> bool:
    """Whether programs are kept on disk: where nobody turned it off, or wants to see the compiler.

    Not either where what runs now decides how tensors are read.
    """
    is_wanted = context.get_context("enable_compile_cache") is not False
    is_wanted = is_wanted and os.environ.get("MS_COMPILER_CACHE_ENABLE") != "0" and is_on()
    is_ambient = parameter.reading.get() or precision.deciding.get()
    return is_wanted and not is_ambient and not context.get_context("save_graphs")


@functools.cache
def _surroundings() -> str:
    """Digest of Python, NumPy and all that is installed, which may plug passes in."""
    return digest(sys.version, str(sys.flags), np.__version__, *installation.installed())


def are_plugged() -> bool:
    """Whether somebody has plugged passes or rules in; they have no digest."""
    plugins = sys.modules.get("s2sad.passes.plugins")  # without it nobody has
    return plugins is not None and plugins.are_there()


_given_up: list[S2sadError] = []


def _give_up(error: S2sadError) -> None:
    """Say once that programs are not kept."""
    if not _given_up:
        _given_up.append(error)
        warnings.warn(f"compiled programs are not kept: {error}", stacklevel=2)


class StoredVariant(Variant):
    """A program from the disk, which another process has compiled.

    Parameters
    ----------
    compiled : callable
        Compiles it here: its stages are not on disk.
    """

    def __init__(
        self, program: Program, build: Callable[[], Any], compiled: Callable[[], Variant]
    ) -> None:
        super().__init__(program, build, None)
        self._compiled = compiled

    @property
    def stages(self) -> Any:
        """The stages, compiled when they are first asked for.

        Raises
        ------
        S2sadError
            E0308 when what the program depends on has changed since.
        """
        if self._stages is None:
            if not self.program.guards.holds():
                raise fail(
                    "E0308", "the stages of this program are not on disk, and what it was compiled "
                    "for has changed",
                    help="call it again",
                )  # fmt: skip
            self._stages = self._compiled().stages
        return self._stages
