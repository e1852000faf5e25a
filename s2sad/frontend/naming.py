"""What do ``:=``, ``del``, ``import``, ``global`` and ``nonlocal`` do to the variables?

Modules are imported while compiling. A variable that was deleted cannot be read any more, nor one
that is deleted on one path only.
"""

from __future__ import annotations

import importlib
import importlib.util
import operator
import sys
from types import ModuleType
from typing import Any

import gast

from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.frontend import scopes
from s2sad.frontend.containers import require_own
from s2sad.frontend.expressions import evaluate, evaluates, is_tensor, named
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.statements import executes
from s2sad.frontend.static import as_python


@evaluates(gast.NamedExpr)
def _named_expression(frame: Frame, node: Any) -> Any:
    value = evaluate(frame, node.value)
    named(frame, node.target.id, value)
    scopes.assign_from_comprehension(frame, node.target.id, value)
    return value


@executes(gast.Global, gast.Nonlocal)
def _declaration(frame: Frame, node: Any) -> None:
    """Says whose names are meant, wherever it stands in the function; see `scopes`."""


@executes(gast.Delete)
def _delete(frame: Frame, node: Any) -> None:
    for target in node.targets:
        with frame.at(target):
            _delete_one(frame, target)


def _delete_one(frame: Frame, target: Any) -> None:
    if isinstance(target, gast.Name):
        frame.lookup(target.id)
        why = f"`{target.id}` was deleted"
        scopes.assign(frame, target.id, Unbound(why, locations.current.get()))
    elif isinstance(target, (gast.Tuple, gast.List)):
        for item in target.elts:
            _delete_one(frame, item)
    elif isinstance(target, gast.Subscript):
        owner, key = evaluate(frame, target.value), evaluate(frame, target.slice)
        if not isinstance(owner, (list, dict)):
            kind = "Tensor" if is_tensor(owner) else type(owner).__name__
            raise fail(
                "E0101", f"deleting an item of a {kind} cannot be compiled",
                help="build what is left: ops.concat of slices of a Tensor",
            )  # fmt: skip
        require_own(frame, owner)
        as_python(operator.delitem, owner, key)
    else:
        raise fail(
            "E0101", f"deleting {gast.unparse(target).strip()} cannot be compiled",
            help="delete it where the function is called",
        )  # fmt: skip


@executes(gast.Import)
def _import(frame: Frame, node: Any) -> None:
    for alias in node.names:
        module = _module(frame, alias.name)
        if alias.asname is None:
            root = alias.name.partition(".")[0]
            scopes.assign(frame, root, sys.modules[root])
        else:
            scopes.assign(frame, alias.asname, module)


@executes(gast.ImportFrom)
def _import_from(frame: Frame, node: Any) -> None:
    package = frame.global_names.get("__package__") or ""
    name = "." * (node.level or 0) + (node.module or "")
    module = _module(frame, as_python(importlib.util.resolve_name, name, package))
    for alias in node.names:
        if not hasattr(module, alias.name):
            _submodule(frame, module, alias.name)
        value = frame.attribute(module, alias.name, f"{module.__name__}.{alias.name}")
        scopes.assign(frame, alias.asname or alias.name, value)


def _module(frame: Frame, name: str) -> ModuleType:
    if name not in sys.modules:  # its code runs now, and no guard knows what it looks at
        frame.session.guards.is_complete = False
    return as_python(importlib.import_module, name)


def _submodule(frame: Frame, module: ModuleType, name: str) -> None:
    """``from package import module``, where nobody has imported that yet."""
    path = f"{module.__name__}.{name}"
    if as_python(importlib.util.find_spec, path) is None:
        as_python(_refuse_import, name, module)
    _module(frame, path)


def _refuse_import(name: str, module: ModuleType) -> None:
    where = getattr(module, "__file__", None) or "unknown location"
    raise ImportError(f"cannot import name {name!r} from {module.__name__!r} ({where})")
