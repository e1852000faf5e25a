"""What operations do the statements of a dump stand for?

The statements are walked in order, each appends to the region that is being built. Values are
looked up by name in scopes, one a region. A name is assigned once; what a loop carries and what
a branch gives are the exceptions, known by their place: the last statement of the body assigns
them. A loop carries a stack also by calling its methods.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from s2sad.ir import builder
from s2sad.ir.graph import Operation, Value
from s2sad.ir.names import by_number
from s2sad.ir.primitive import Form
from s2sad.ir.read_expressions import STACK_METHODS, ExpressionReader, Scope
from s2sad.ir.types import Type, same_type


class BlockReader(ExpressionReader):
    """Reads statements of `source` into the region of the active builder."""

    def block(self, statements: Sequence[ast.stmt], scope: Scope) -> None:
        """Read `statements`, whose names go to `scope`."""
        for statement in statements:
            read = self.STATEMENTS.get(type(statement))
            if read is None:
                what = type(statement).__name__
                raise self.source.refusal(statement, f"a dump has no statement {what} here")
            read(self, statement, scope)

    def close(self, scope: Scope) -> None:
        """Nothing may be left over at the end of a region."""
        for name, (_, node) in scope.declared.items():
            raise self.source.refusal(node, f"{name} is declared, and nothing assigns it")
        for name, definition in scope.regions.items():
            raise self.source.refusal(definition, f"no call takes the region {name}")

    # ---- assignments -----------------------------------------------------------------------

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if not isinstance(node.target, ast.Name) or not node.simple:
            raise self.source.refusal(node.target, "only a name has a type")
        name, declared = node.target.id, self.static.type(node.annotation)
        if name in scope.declared:
            raise self.source.refusal(node.target, f"{name} is declared twice")
        if node.value is None:
            scope.declared[name] = declared, node.annotation
            return
        self.origin = self.source.origin(node)
        value = self.expression(node.value, scope, declared)
        self.check_type(declared, value.type, node.annotation)
        self._bind_all([name], [value], node, scope)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        names = assigned(node)
        if names is None:
            raise self.source.refusal(node, "only names are assigned, one or several in parallel")
        self.origin = self.source.origin(node)
        expected = [scope.declared_type(name) for name in names]
        self._bind_all(names, self._parallel(node.value, scope, expected), node, scope)

    def _bind_all(
        self, names: Sequence[str], values: Sequence[Value], node: Any, scope: Scope
    ) -> None:
        if len(values) != len(names):
            raise self.source.refusal(
                node.value, f"there are {len(names)} names, and {len(values)} values to assign"
            )
        # What had a name before keeps it, and a loop gives its own names to what it starts with.
        fresh = not isinstance(node.value, (ast.Name, ast.Tuple))
        for name, value in zip(names, values, strict=True):
            self.bind(name, value, node, scope)
            if fresh:
                value.name = name

    def _parallel(
        self, node: ast.expr, scope: Scope, expected: Sequence[Type | None]
    ) -> list[Value]:
        """Values on the right of an assignment or a return; numbers must have types `expected`."""
        if not isinstance(node, ast.Tuple):
            return list(self.results(node, scope, expected[0] if len(expected) == 1 else None))
        types = expected if len(expected) == len(node.elts) else [None] * len(node.elts)
        pairs = zip(node.elts, types, strict=True)
        return [self.expression(item, scope, type) for item, type in pairs]

    def _effect(self, node: ast.Expr, scope: Scope) -> None:
        """A call for what it does, or whose results nobody reads."""
        self.origin = self.source.origin(node)
        if not isinstance(node.value, ast.Call):
            raise self.source.refusal(node, "this does nothing", help="give the value a name")
        self.results(node.value, scope)

    def _pass(self, node: ast.Pass, scope: Scope) -> None:
        pass

    # ---- functions and the regions of calls ------------------------------------------------

    def _definition(self, node: ast.FunctionDef, scope: Scope) -> None:
        decorators = [d.id if isinstance(d, ast.Name) else None for d in node.decorator_list]
        if decorators != ["region"]:
            raise self.source.refusal(node, "a function within the function is a `@region`")
        if node.name in scope.regions:
            raise self.source.refusal(node, f"the region {node.name} is defined twice")
        scope.regions[node.name] = node

    def region(self, node: ast.expr, scope: Scope) -> Callable[..., Sequence[Value]]:
        definition = scope.regions.pop(node.id, None) if isinstance(node, ast.Name) else None
        if definition is None:
            raise self.source.refusal(
                node, "no region is called so here", help="define it above by @region, for one call"
            )
        return lambda *args: self.function_body(definition, args)

    def parameters(self, node: ast.FunctionDef) -> list[ast.arg]:
        """The parameters of a definition, which must be plain and different."""
        given = node.args
        others = [*given.posonlyargs, *given.kwonlyargs, *given.defaults]
        if others or given.vararg or given.kwarg:
            raise self.source.refusal(node, f"{node.name} may have plain parameters only")
        return given.args

    def function_body(self, node: ast.FunctionDef, args: Sequence[Value]) -> list[Value]:
        """What `node` returns for `args`, which its parameters name; it sees nothing else."""
        parameters, scope = self.parameters(node), Scope()
        if len(parameters) != len(args):
            raise self.source.refusal(
                node, f"{node.name} has {len(parameters)} parameters, and takes {len(args)} values"
            )
        for parameter, value in zip(parameters, args, strict=True):
            if parameter.annotation is not None:
                declared = self.static.type(parameter.annotation)
                self.check_type(declared, value.type, parameter.annotation)
            self.bind(parameter.arg, value, parameter, scope)
            value.name = parameter.arg
        *statements, last = without_docstring(node.body) or node.body
        if not isinstance(last, ast.Return):
            raise self.source.refusal(last, f"{node.name} ends without a return")
        self.block(statements, scope)
        return self._returned(node, last, scope)

    def _returned(self, node: ast.FunctionDef, last: ast.Return, scope: Scope) -> list[Value]:
        self.origin = self.source.origin(last)
        declared = () if node.returns is None else self.static.types(node.returns)
        values = [] if last.value is None else self._parallel(last.value, scope, declared)
        self.close(scope)
        found = tuple(value.type for value in values)
        same = len(declared) == len(found) and all(map(same_type, declared, found))
        if node.returns is not None and not same:
            raise self.source.refusal(
                node.returns,
                f"the annotation says {_listed(declared)}, and the values are {_listed(found)}",
                help="correct the annotation, or leave it out",
            )
        return values

    # ---- branches and loops ----------------------------------------------------------------

    def _if(self, node: ast.If, scope: Scope) -> None:
        then, orelse = _last_assigned(node.body), _last_assigned(node.orelse)
        names = then if then is not None and then == orelse else []
        if not names and scope.declared:
            listed = ", ".join(scope.declared)
            raise self.source.refusal(
                node, f"each branch ends with one assignment to what is declared: {listed}"
            )
        stacks = [s for s in _stacks([*node.body, *node.orelse], scope) if s not in names]
        self.origin = self.source.origin(node, node.test)
        condition = self.single(node.test, scope)
        expected = [scope.declared_type(name) for name in names]

        def branch(statements: list[ast.stmt]) -> Callable[[], list[Value]]:
            own = {*_stacks(statements, scope), *_reassigned_stacks(statements, scope)}
            inner = Scope(scope, {stack: scope.values[stack] for stack in own})
            return lambda: self._yields(statements, inner, names, stacks, expected)

        regions = [branch(node.body), branch(node.orelse)]
        self._emit_regions(Form.IF, [condition], regions, node, [*names, *stacks], scope)

    def _while(self, node: ast.While, scope: Scope) -> None:
        self._no_else(node)
        before, stop, statements = self._condition(node)
        names, stacks, initial = self._carried(statements, scope)
        closed = dict[str, str]()

        def condition(*args: Value) -> list[Value]:
            inner = self._enter(scope, [*names, *stacks], args)
            self.block(before, inner)
            self.origin = origin if stop is None else self.source.origin(stop, stop.body[0])
            result = self.expression(node.test if stop is None else stop.test.operand, inner)
            self.close(inner)
            hint = "it belongs to the loop's condition: compute it again in the body, or carry it"
            closed.update((name, hint) for name in inner.values)
            if any(inner.values[n] is not a for n, a in zip([*names, *stacks], args, strict=True)):
                raise self.source.refusal(node, "the condition of a loop changes what it carries")
            return [result]

        def body(*args: Value) -> list[Value]:
            inner = self._enter(scope, [*names, *stacks], args)
            inner.closed = closed
            return self._yields(statements, inner, names, stacks, [arg.type for arg in args])

        self.origin = origin = self.source.origin(node, node.test)
        self._emit_regions(Form.WHILE, initial, [condition, body], node, [*names, *stacks], scope)

    def _condition(self, node: ast.While) -> tuple[list[ast.stmt], Any, list[ast.stmt]]:
        """Statements of the condition, the ``if not c: break`` if there is one, the body."""
        if not (isinstance(node.test, ast.Constant) and node.test.value is True):
            return [], None, node.body
        breaks = [i for i, statement in enumerate(node.body) if _is_stop(statement)]
        if len(breaks) != 1:
            raise self.source.refusal(
                node,
                f"`while True` stops at {len(breaks)} places",
                help="write `if not c: break` once",
            )
        (place,) = breaks
        return node.body[:place], node.body[place], node.body[place + 1 :]

    def _for(self, node: ast.For, scope: Scope) -> None:
        self._no_else(node)
        if not isinstance(node.target, ast.Name):
            raise self.source.refusal(node.target, "a loop counts with one name")
        counter, bounds = node.target.id, self._bounds(node)
        names, stacks, initial = self._carried(node.body, scope)
        self.origin = self.source.origin(node, node.iter)
        given = [self.single(bound, scope) for bound in bounds]
        start, stop, step = ([0, *given, 1] if len(given) == 1 else [*given, 1])[:3]

        def body(index: Value, *args: Value) -> list[Value]:
            inner = self._enter(scope, [*names, *stacks], args)
            self.bind(counter, index, node.target, inner)
            index.name = counter
            return self._yields(node.body, inner, names, stacks, [arg.type for arg in args])

        operands = [start, stop, step, *initial]
        self._emit_regions(Form.FOR, operands, [body], node, [*names, *stacks], scope)

    def _bounds(self, node: ast.For) -> list[ast.expr]:
        steps = node.iter
        if (
            isinstance(steps, ast.Call)
            and isinstance(steps.func, ast.Name)
            and steps.func.id == "range"
            and not steps.keywords
            and len(steps.args) in (1, 2, 3)
        ):
            return steps.args
        raise self.source.refusal(steps, "a loop counts over range(a, b, s)")

    def _no_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise self.source.refusal(node.orelse[0], "a loop has no else")

    def _carried(
        self, statements: Sequence[ast.stmt], scope: Scope
    ) -> tuple[list[str], list[str], list[Value]]:
        """What a loop carries: by assignment, by a stack's methods, and what they start with."""
        names = _last_assigned(statements) or []
        if not all(name in scope.values for name in names):
            names = []
        stacks = [stack for stack in _stacks(statements, scope) if stack not in names]
        initial = [scope.values[name] for name in [*names, *stacks]]
        for name, value in zip(names, initial, strict=False):
            if value.name == name and isinstance(value.owner, Operation):
                value.name = None  # the name is meant for what the loop carries
        return names, stacks, initial

    def _enter(self, outer: Scope, names: Sequence[str], args: Sequence[Value]) -> Scope:
        """Scope of a loop's region."""
        for name, value in zip(names, args, strict=True):
            value.name = name
        return Scope(outer, dict(zip(names, args, strict=True)))

    def _yields(
        self,
        statements: Sequence[ast.stmt],
        scope: Scope,
        names: Sequence[str],
        stacks: Sequence[str],
        expected: Sequence[Type | None],
    ) -> list[Value]:
        """What a branch or a body gives: its last assignment if it has `names`, then `stacks`."""
        values: list[Value] = []
        if names:
            *statements, last = statements
            assignment: Any = last
            self.block(statements, scope)
            self.origin = self.source.origin(last)
            values = self._parallel(assignment.value, scope, expected[: len(names)])
            if len(values) != len(names):
                raise self.source.refusal(
                    last, f"there are {len(names)} names, and {len(values)} values to assign"
                )
        else:
            self.block(statements, scope)
        self.close(scope)
        if scope.outer is not None:
            hint = "it belongs to a branch or a loop, whose last statement may hand it out"
            scope.outer.closed.update(dict.fromkeys(scope.values, hint))
        return values + [scope.current(stack) for stack in stacks]

    def _emit_regions(
        self,
        form: Form,
        operands: Sequence[Any],
        regions: Sequence[Callable[..., Any]],
        node: ast.AST,
        names: Sequence[str],
        scope: Scope,
    ) -> None:
        prim = self.forms[form]
        given = dict(zip(prim.regions, regions, strict=True))
        emitted = self.emit(prim, operands, {}, node, given)
        for name, value in zip(names, builder.as_tuple(emitted), strict=True):
            self.rebind(name, value, node, scope)
            value.name = name

    STATEMENTS: dict[type[ast.stmt], Callable[..., None]] = {
        **{ast.AnnAssign: _annotated, ast.Assign: _assign, ast.Expr: _effect, ast.Pass: _pass},
        **{ast.If: _if, ast.While: _while, ast.For: _for, ast.FunctionDef: _definition},
    }


def assigned(node: ast.stmt) -> list[str] | None:
    """Names that a plain assignment binds; None for any other statement."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    (left,) = node.targets
    targets = left.elts if isinstance(left, ast.Tuple) else [left]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    plain = names and len(names) == len(targets) == len(set(names))
    return names if plain else None


def without_docstring(body: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """`body` but for a string that stands first."""
    first = body[0] if body else None
    is_docstring = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return body[1:] if is_docstring else body


def _last_assigned(statements: Sequence[ast.stmt]) -> list[str] | None:
    return assigned(statements[-1]) if statements else None


def _is_stop(node: ast.stmt) -> bool:
    """Whether `node` is ``if not c: break``."""
    return (
        isinstance(node, ast.If)
        and isinstance(node.test, ast.UnaryOp)
        and isinstance(node.test.op, ast.Not)
        and len(node.body) == 1
        and isinstance(node.body[0], ast.Break)
        and not node.orelse
    )


def _stacks(statements: Sequence[ast.stmt], scope: Scope) -> list[str]:
    """Stacks of `scope` whose methods `statements` call, by name: ``tape, tape_1, tape_2``."""
    called = {
        node.func.value.id
        for statement in statements
        for node in _walk(statement)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.attr in STACK_METHODS
    }
    return sorted(filter(scope.holds_stack, called), key=by_number)


def _reassigned_stacks(statements: Sequence[ast.stmt], scope: Scope) -> list[str]:
    """Stacks of `scope` that loops within `statements` carry by assignment."""
    nodes = (node for statement in statements for node in _walk(statement))
    names = (name for node in nodes if isinstance(node, ast.stmt) for name in assigned(node) or ())
    return list(filter(scope.holds_stack, names))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """`node` and all below it but for functions, which see only their arguments."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef):
            yield from _walk(child)


def _listed(types: Sequence[Type]) -> str:
    return f"({', '.join(map(str, types))})"
