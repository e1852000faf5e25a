"""How is an adjoint rule read as a template?

A rule is a Python function in a small subset: assignments, `if` and `for` on statics, one return
at its end. Inlining it means: parameters become the names of the primal program, locals get
fresh names, and names of its module are resolved.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import gast

from s2sad import prims
from s2sad.autodiff.support import zeros
from s2sad.autodiff.tree import attribute, call, copied, load, place, tuple_of
from s2sad.core.diagnostics import fail
from s2sad.frontend.source import source_of
from s2sad.ir.primitive import Primitive


@dataclass(frozen=True)
class Template:
    """An adjoint or tangent rule, ready to be inlined.

    Attributes
    ----------
    positional : tuple of str
        Its parameters for primals, ``out`` and ``dout``.
    static : tuple of str
        Its keyword-only parameters, attributes of the operation.
    body : list of statements
        All but the return.
    returns : list of expressions
        One a primal; of a variadic rule a single one, the tuple of all.
    globals : mapping
        Its module's names.
    """

    positional: tuple[str, ...]
    static: tuple[str, ...]
    variadic: str | None
    body: list[Any]
    returns: list[Any]
    globals: Mapping[str, Any]

    @cached_property
    def assigned(self) -> set[str]:
        """Names that the rule binds, in its body or in a comprehension of its return."""
        return {
            node.id
            for statement in (*self.body, *self.returns)
            for node in gast.walk(statement)
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)
        }


@cache
def template_of(rule: Callable[..., Any]) -> Template:
    """The template that `rule` is.

    Raises
    ------
    S2sadError
        E0105 when it is not of the form that can be inlined.
    """
    source = source_of(rule)
    node, arguments = source.node, source.node.args
    body = [s for s in node.body if not _is_docstring(s)]
    if not body or not isinstance(body[-1], gast.Return) or body[-1].value is None:
        raise _refuse(rule, "ends with its only `return`")
    for statement in body[:-1]:
        for inner in gast.walk(statement):
            if isinstance(inner, (gast.Return, gast.While, gast.Try, gast.With, gast.FunctionDef)):
                raise _refuse(rule, f"contains no {type(inner).__name__}")
    value = body[-1].value
    separate = isinstance(value, gast.Tuple) and not arguments.vararg
    returns = value.elts if separate else [value]
    return Template(
        tuple(a.id for a in arguments.args), tuple(a.id for a in arguments.kwonlyargs),
        arguments.vararg.id if arguments.vararg else None, body[:-1], returns, rule.__globals__,
    )  # fmt: skip


def _is_docstring(statement: Any) -> bool:
    return isinstance(statement, gast.Expr) and isinstance(statement.value, gast.Constant)


def _refuse(rule: Callable[..., Any], law: str) -> Exception:
    return fail("E0105", f"{rule.__name__} cannot be inlined: a rule {law}")


#: Facts of a value that are static: reading one needs no value at run time.
FACTS = ("shape", "dtype", "ndim")


class Inline(gast.NodeTransformer):
    """Copies of a template's nodes with names replaced and every line set to `origin`.

    Parameters
    ----------
    names : dict of str to callable
        What parameters and locals become; called only for names that the template reads, for
        what it does not mention is no residual.
    values : dict of str to Value or tuple of Value
        What parameters stand for, for facts that are static.
    module : mapping
        Names of the template's module.
    bind : callable
        ``bind(wish, thing)``: a name under which the joint program finds `thing`.
    read : callable
        Gives a node that reads a value.
    origin : int
        Index of the primal operation's origin.
    """

    def __init__(
        self,
        names: dict[str, Callable[[], Any]],
        values: dict[str, Any],
        module: Mapping[str, Any],
        bind: Callable[[str, Any], str],
        read: Callable[[Any], Any],
        origin: int,
    ) -> None:
        self.names = names
        self.values = values
        self.module = module
        self.bind = bind
        self.read = read
        self.origin = origin

    def copy(self, node: Any) -> Any:
        """A changed copy of `node`; the template stays as it is."""
        return self.visit(copied(node))

    def generic_visit(self, node: Any) -> Any:
        if hasattr(node, "lineno"):
            node.lineno = self.origin
        return super().generic_visit(node)

    def visit_Attribute(self, node: Any) -> Any:  # noqa: N802 - name given by ast
        value = self._meant(node.value) if node.attr in FACTS else None
        if value is None:
            return self.generic_visit(node)
        wish = f"{node.attr}_of_{value.name or 'value'}"
        return place(load(self.bind(wish, getattr(value, node.attr))), self.origin)

    def visit_Subscript(self, node: Any) -> Any:  # noqa: N802 - name given by ast
        """An item or a slice of a tuple of values reads no other ones."""
        values = self.values.get(getattr(node.value, "id", ""))
        if not isinstance(values, tuple):
            return self.generic_visit(node)
        try:
            found = values[literal(node.slice)]
        except ValueError:
            return self.generic_visit(node)
        nodes = tuple_of(map(self.read, found)) if isinstance(found, tuple) else self.read(found)
        return place(nodes, self.origin)

    def visit_Call(self, node: Any) -> Any:  # noqa: N802 - name given by ast
        value = self._meant(node.args[0]) if self._makes_zeros(node) else None
        if value is None:
            return self.generic_visit(node)
        kind = load(self.bind("type", value.type))
        return place(call(self.bind("zeros", zeros), kind), self.origin)

    def _makes_zeros(self, node: Any) -> bool:
        """Whether `node` calls `zeros_like`, which looks at the type of its argument only."""
        name = getattr(node.func, "id", "")
        return name not in self.names and self.module.get(name) is prims.ALL["zeros_like"]

    def _meant(self, node: Any) -> Any:
        """The value that a parameter, or an item of one, stands for; None for anything else."""
        if isinstance(node, gast.Name):
            found = self.values.get(node.id)
            return None if isinstance(found, tuple) else found
        if isinstance(node, gast.Subscript) and isinstance(node.slice, gast.Constant):
            found = self.values.get(getattr(node.value, "id", ""))
            return found[node.slice.value] if isinstance(found, tuple) else None
        return None

    def visit_Name(self, node: Any) -> Any:  # noqa: N802 - name given by ast
        replacement = self.names.get(node.id)
        if replacement is None:
            node.lineno = self.origin
            return self._from_module(node)
        new = replacement()
        if isinstance(new, gast.Name):
            new.ctx = node.ctx
        return place(new, self.origin)  # its names are those of the primal already

    def _from_module(self, node: Any) -> Any:
        if node.id not in self.module:
            if hasattr(builtins, node.id):
                return node
            raise fail("E0201", f"a rule reads {node.id!r}, which its module does not define")
        thing = self.module[node.id]
        if isinstance(thing, Primitive):
            return place(attribute("p", thing.name), self.origin)
        node.id = self.bind(node.id, thing)
        return node


def literal(index: Any) -> Any:
    """What a node of an index is: an int, or a slice between ints (ValueError for all else)."""
    if isinstance(index, gast.Slice):
        parts = (index.lower, index.upper, index.step)
        return slice(*(None if part is None else literal(part) for part in parts))
    return ast.literal_eval(gast.gast_to_ast(index))
