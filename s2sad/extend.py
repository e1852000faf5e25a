"""What can be plugged in?

A pass, with ``@register_pass``; a rule of the canonical form, with ``@rewrite``. From then on they
are part of every compilation. A package that is installed plugs in by naming a module in the
entry-point group ``s2sad.passes`` of its ``pyproject.toml``::

    [project.entry-points."s2sad.passes"]
    my_rules = "my_package.rules"

The module is imported, and its decorators run, when a program is first compiled. All that one needs
to write either stands here as well: `Pass`, `Rewriter`, `Rewrite`, `no`, and what rules ask of
values. New operations are defined by `s2sad.prims.define`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from s2sad.core.diagnostics import fail
from s2sad.ir.rewriter import Rewriter
from s2sad.passes import plugins, registry
from s2sad.passes.base import Pass, Repeat, run_passes
from s2sad.passes.facts import constant, is_constant, is_splat, same_shape, widens
from s2sad.passes.pipeline import format_pipeline, parse_pipeline
from s2sad.passes.rewrite import Rewrite, Rule, explain, no

__all__ = [
    "Pass", "Repeat", "Rewrite", "Rewriter", "constant", "explain", "format_pipeline",
    "is_constant", "is_splat", "no", "parse_pipeline", "register_pass", "remove", "rewrite",
    "run_passes", "same_shape", "widens",
]  # fmt: skip

P = TypeVar("P", bound=type[Pass])
R = TypeVar("R", bound=Rule)


def rewrite(rule: R) -> R:
    """Let `canonicalize` apply a rule as well; decorate the rule with it.

    A rule that is not exact is applied under fast math only. One of the same name and module takes
    the place of an earlier one, so a cell of a notebook may run twice.

    Parameters
    ----------
    rule : subclass of Rewrite

    Raises
    ------
    S2sadError
        E0302 or E0304 when it is no rule, or its left side no pattern.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> @rewrite
    ... class ReluAbs(Rewrite):
    ...     '''relu(abs(x))  =>  abs(x).'''
    ...     def before(x): return p.relu(p.abs(x))
    ...     def after(x):  return p.abs(x)
    >>> remove("ReluAbs")
    """
    return plugins.add_rule(rule)


def register_pass(*, before: str | None = None, after: str | None = None) -> Callable[[P], P]:
    """Let a pass run in every compilation; decorate the pass with it.

    Parameters
    ----------
    before, after : str
        One of them: the pass next to which it runs, in the list that holds that one. Its name, as
        ``"dce"``, or, where two of a name differ, its text, as ``"decompose{every}"``.

    Raises
    ------
    S2sadError
        E0302 when none or both are given, E0304 when it is no pass, or cannot be made without
        options; E0404 when one of our own passes has its name. When a program is compiled, E0404
        if there is no pass of the name given here.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @register_pass(after="canonicalize")
    ... @dataclass(frozen=True)
    ... class ForgetScopes(Pass):
    ...     name = "forget-scopes"
    ...     def run(self, function, rewriter):
    ...         for operation in function.walk():
    ...             operation.scope = ""
    >>> parse_pipeline("forget-scopes")
    (ForgetScopes(),)
    >>> remove("forget-scopes")
    """
    if (before is None) == (after is None):
        raise fail("E0302", "a pass goes before another or after another: give one of the two")

    def plug_in(kind: P) -> P:
        if not (isinstance(kind, type) and issubclass(kind, Pass)):
            raise fail("E0304", f"a pass is a subclass of Pass, got {kind!r}")
        if kind.name in registry.PASSES:
            raise fail("E0404", f"there is a pass called {kind.name!r} already")
        try:
            instance = kind()
        except TypeError as error:
            raise fail("E0304", f"{kind.name} needs a default for each option: {error}") from error
        plugins.add_pass(plugins.Plugged(instance, before, after))
        return kind

    return plug_in


def remove(name: str) -> None:
    """Take out the pass or the rule called `name` that was plugged in; else nothing happens."""
    plugins.remove(name)
