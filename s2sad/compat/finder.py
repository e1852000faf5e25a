"""How does ``import mindspore`` find s2sad?

A finder, first among those that Python asks, answers for the paths of `table.ROWS` and for no other
module. Each becomes a `Face`: a module that looks names up behind it when they are first asked for.
"""

from __future__ import annotations

import builtins
import importlib
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from s2sad.compat.table import ROWS, Row
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.elsewhere import missing, of_module

#: The package whose paths are served.
ROOT = "mindspore"


class Face(ModuleType):
    """A module of MindSpore; its names are those of the modules of s2sad in its row."""

    def __getattr__(self, name: str) -> Any:
        path = self.__name__
        if name == "__all__":
            return [each for each in dir(self) if _is_for_all(path, each)]
        if f"{path}.{name}" in ROWS:
            return importlib.import_module(f"{path}.{name}")
        try:
            value = _find(ROWS[path], name)
        except LookupError:
            raise missing(path, name, _names(path)) from None
        vars(self)[name] = value
        return value

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *_names(self.__name__)})


def _is_for_all(path: str, name: str) -> bool:
    """Whether ``from path import *`` binds `name`: a bool or compile is not what it replaces."""
    return not name.startswith("_") and not (path == ROOT and hasattr(builtins, name))


def _find(row: Row, name: str) -> Any:
    """What a path with `row` has under `name`; LookupError if nothing."""
    if name in row.names:
        module, _, attribute = row.names[name].partition(":")
        found = importlib.import_module(module)
        return getattr(found, attribute) if attribute else found
    for each in row.modules:
        module = importlib.import_module(each)
        if name in _public(module):
            return getattr(module, name)
    raise LookupError(name)


def _public(module: ModuleType) -> Iterator[str]:
    """Names that `module` offers: those it lists, and those it loads when they are asked for."""
    listed = getattr(module, "__all__", ())
    yield from listed
    for name in dir(module) if hasattr(module, "__getattr__") else ():
        if not name.startswith("_") and not isinstance(vars(module).get(name), ModuleType):
            yield name


def _names(path: str) -> list[str]:
    """All names of `path`, and of what lies below it."""
    row = ROWS[path]
    below = [each.rpartition(".")[2] for each in ROWS if each.rpartition(".")[0] == path]
    public = [name for each in row.modules for name in _public(importlib.import_module(each))]
    return sorted({*below, *row.names, *public})


class _Finder(MetaPathFinder, Loader):
    """Finds and loads the faces."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != ROOT:
            return None
        if fullname not in ROWS:
            raise _not_there(fullname)
        # Each is a package, so that Python asks here for a name that ``from path import`` misses.
        return ModuleSpec(fullname, self, origin="s2sad", is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Face(spec.name, f"What stands for {spec.name}: `s2sad.compat.table` says what.")

    def exec_module(self, module: ModuleType) -> None:
        for each in ROWS[module.__name__].modules:
            importlib.import_module(each)


def _not_there(path: str) -> ImportError:
    """E0223 for a path that is not served: of a module, or a name that a module lacks."""
    parent, _, name = path.rpartition(".")
    if parent in ROWS:
        help_line = of_module(parent, name, _names(parent))
    else:
        help_line = did_you_mean(path, ROWS)
    error = fail("E0223", f"s2sad has nothing for {path}", help=help_line)
    assert isinstance(error, ImportError)
    return error


_FINDER = _Finder()


def serve() -> None:
    """Let ``import mindspore``, and all below it, give s2sad from now on, in this process.

    Nothing else of the process changes. MindSpore itself, if it is installed, is not looked for; a
    module of it that was imported before stays what it is where it is bound to a name.

    Examples
    --------
    >>> serve()
    >>> import mindspore.nn
    >>> from s2sad import nn
    >>> mindspore.nn.Dense is nn.Dense
    True
    >>> from mindspore.ops import Relu
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadImportError: [E0223] s2sad has nothing for mindspore.ops.Relu...
    >>> withdraw()
    """
    if _FINDER not in sys.meta_path:
        _forget()
        sys.meta_path.insert(0, _FINDER)


def withdraw() -> None:
    """Undo `serve`: the next import of MindSpore looks for MindSpore itself."""
    if _FINDER in sys.meta_path:
        sys.meta_path.remove(_FINDER)
        _forget()


def _forget() -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == ROOT]:
        del sys.modules[name]
