"""What is forward mode? A primal's program with a tangent beside each value that varies.

Each statement of the primal is followed by the one that computes its tangents: an elementwise
operation uses its adjoint with the tangent for ``dout``, a linear one is applied to the tangent,
the rest have a rule of their own. Branches and loops carry tangents as they carry values. A stack
of floats has a stack of tangents beside it wherever it goes: what is pushed on one, used once, and
dropped in the end, is so on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast

from s2sad.autodiff import markers, support
from s2sad.autodiff import tree as t
from s2sad.autodiff.activity import active_values, is_differentiable
from s2sad.autodiff.inlining import Program, no_rule
from s2sad.autodiff.reverse import differentiate
from s2sad.autodiff.tape import ForwardPrinter, Tapes
from s2sad.autodiff.template import template_of
from s2sad.core.diagnostics import fail
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.primitive import ALL, Form, Primitive, Trait
from s2sad.ir.types import StackType


def push_forward(primal: Function, wrt: Sequence[int]) -> Function:
    """Function of the inputs of `primal` and a tangent for each of `wrt`.

    Parameters
    ----------
    primal : Function
        Composites without a tangent are decomposed already (`has_tangent`).
    wrt : sequence of int
        Inputs that vary; tensors of floats.

    Returns
    -------
    Function
        ``(inputs, tangents) -> (results, a tangent for each float result)``.

    Raises
    ------
    S2sadError
        E0104 for `fused`, which is made after differentiation, and for an input that is a stack.
    """
    return TangentProgram(primal, wrt).build()


def has_tangent(prim: Primitive) -> bool:
    """Whether forward mode takes `prim` as it is rather than through the body of a composite."""
    return (
        not prim.is_composite
        or prim.nondiff is not None
        or prim.tangent_rule is not None
        or prim.linear == ALL
        or (prim.has(Trait.ELEMENTWISE) and prim.adjoint_rule is not None)
    )


def linear_groups(prim: Primitive, moving: Sequence[int], count: int) -> list[tuple[int, ...]]:
    """Groups of positions in which `prim` is linear jointly, or none unless they cover `moving`."""
    groups: Any = [tuple(range(count))] if prim.linear == ALL else prim.linear
    found = [group if isinstance(group, tuple) else (group,) for group in groups]
    covered = {place for group in found for place in group}
    return found if all(place in covered for place in moving) else []


class TangentProgram(Program):
    """The program under construction.

    Attributes
    ----------
    tangents : dict of Value to str
        Variable that holds the tangent of a value.
    """

    def __init__(self, primal: Function, wrt: Sequence[int]) -> None:
        super().__init__(primal, support.tangent_helpers())
        self.wrt = wrt
        self.printer = ForwardPrinter(primal, Tapes(self.fresh), self.line, self.bind)
        self.printer.named = dict(self.names)
        self.results = [i for i, v in enumerate(primal.results) if is_differentiable(v)]
        self.active = active_values(primal, wrt, self.results) | _stacks(primal)
        self.tangents: dict[Value, str] = {}

    def build(self) -> Function:
        primal = self.primal
        inputs = [primal.args[i] for i in self.wrt]
        parameters = [self.fresh(f"{self.names[value]}_dot") for value in inputs]
        self.tangents.update(zip(inputs, parameters, strict=True))
        self._walk(primal.body)
        dots = [self._filled(primal.results[i]) for i in self.results]
        returned = [*(self.names[v] for v in primal.results), *(self._name(d) for d in dots)]
        self.body.append(t.return_(returned))
        function = self.finish("tangent", parameters, [v.type for v in inputs], self.body)
        function.inputs = (*primal.inputs, *(f"tangent:{i}" for i in self.wrt))
        return function

    def _name(self, node: Any) -> str:
        name = self.fresh("dot")
        self.body.append(t.assign(name, node, 0))
        return name

    def _walk(self, region: Region) -> None:
        for operation in region.operations:
            line = self.line(operation)
            if is_loop(operation):
                self._loop(operation, line)
            elif operation.prim.form is Form.IF:
                self._branch(operation, line)
            elif operation.regions and self._moving(operation):
                self._marker(operation, line)
            else:
                self._statements(operation)
                self._plain(operation, line)

    def _statements(self, operation: Operation) -> None:
        """The operation as it stands in the primal."""
        self.body += [gast.ast_to_gast(statement) for statement in self.printer.lines(operation)]

    def _moving(self, operation: Operation) -> list[int]:
        """Operands that have a tangent, where a result is to have one."""
        if not any(value in self.active for value in operation.results):
            return []
        return [i for i, value in enumerate(operation.operands) if value in self.tangents]

    def _block(self, write: Callable[[], None]) -> list[Any]:
        """The statements that `write` appends."""
        outer, self.body = self.body, []
        write()
        inner, self.body = self.body, outer
        return inner

    def _dot(self, value: Value) -> str:
        """Variable for the tangent of `value`."""
        if value not in self.tangents:
            self.tangents[value] = self.fresh(f"{self.names[value]}_dot")
        return self.tangents[value]

    def _tangent(self, value: Value) -> Any:
        return t.load(self.tangents[value]) if value in self.tangents else t.none()

    def _filled(self, value: Value) -> Any:
        return self.help("filled", self._tangent(value), self.type(value))

    # ---- regions ---------------------------------------------------------------------------

    def _hand_over(
        self, sources: Sequence[Value], targets: Sequence[Value], dots: Sequence[str], line: int
    ) -> None:
        """One parallel assignment of values and of their tangents, where those are carried."""
        if not targets:
            return
        names = [self.names[v] for v in targets]
        nodes = [self.read(v) for v in sources]
        for source, target in zip(sources, targets, strict=True):
            if target in self.active:
                nodes.append(self._filled(source))
        self.body.append(t.assign([*names, *dots], t.tuple_of(nodes), line))

    def _branch(self, operation: Operation, line: int) -> None:
        dots = [self._dot(v) for v in operation.results if v in self.active]

        def side(region: Region) -> Callable[[], None]:
            def write() -> None:
                self._walk(region)
                self._hand_over(region.yields, operation.results, dots, line)

            return write

        then, orelse = (self._block(side(region)) for region in operation.regions.values())
        self.body.append(t.if_(self.read(operation.operands[0]), then, orelse, line))

    def _loop(self, operation: Operation, line: int) -> None:
        places = carried(operation)
        results = [place.result for place in places]
        for place in places:  # a place that varies is carried with its tangent
            if place.argument in self.active or place.result in self.active:
                self.active.update((place.argument, place.result))
        dots = [self._dot(v) for v in results if v in self.active]
        self._hand_over([place.initial for place in places], results, dots, line)
        for place in places:
            if place.result in self.active:
                self.tangents[place.argument] = self.tangents[place.result]
        body = operation.regions["body"]

        def write() -> None:
            if operation.prim.form is Form.WHILE:
                self._condition(operation, line)
            self._walk(body)
            self._hand_over(body.yields, results, dots, line)

        block = self._block(write)
        if operation.prim.form is Form.WHILE:
            self.body.append(t.while_true(block, line))
        else:
            bounds = [self.read(v) for v in operation.operands[:3]]
            self.body.append(t.for_(self.names[body.args[0]], bounds, block, line))

    def _condition(self, operation: Operation, line: int) -> None:
        region = operation.regions["condition"]
        for inner in region.operations:
            self._statements(inner)
        self.body.append(t.leave_unless(self.read(region.yields[0]), line))

    # ---- operations ------------------------------------------------------------------------

    def _plain(self, operation: Operation, line: int) -> None:
        """Tangents of the results, in variables of their own."""
        prim, operands = operation.prim, operation.operands
        moving = self._moving(operation)
        if prim.name == "stack_empty" and operation.result in self.active:
            empty = self.help("filled", t.none(), self.type(operation.result))
            self.body.append(t.assign(self._dot(operation.result), empty, line))
        elif prim.name == "stack_drop" and operands[0] in self.tangents:
            self.body.append(t.expression(t.prim("stack_drop", self._tangent(operands[0])), line))
        if not moving:
            return
        if prim.tangent_rule is not None:
            nodes = self._by_rule(operation, line)
        elif groups := linear_groups(prim, moving, len(operands)):
            groups = [group for group in groups if any(i in group for i in moving)]
            nodes = self._as_linear(operation, groups, line)
        elif prim.has(Trait.ELEMENTWISE) and prim.adjoint_rule is not None:
            nodes = [self._elementwise(operation, moving, line)]
        else:
            raise no_rule(prim, "a tangent")
        for value, node in zip(operation.results, nodes, strict=True):
            if is_differentiable(value):
                spread = self.help("spread_tangent", node, self.type(value))
                self.body.append(t.assign(self._dot(value), spread, line))

    def _marker(self, operation: Operation, line: int) -> None:
        """An operation with regions of its own, and tangents of its results."""
        moving, name = self._moving(operation), operation.prim.name
        if any(operation.operands[i].type.is_linear for i in moving):
            raise fail("E0104", f"`{name}` over stacks is not differentiated yet")
        if name == "checkpoint":
            run = markers.tangents_of_body(operation, moving, push_forward)
        elif name == "custom":
            run = markers.transposed(operation, moving, differentiate)
        elif name == "hook":
            run = markers.tangents_of_hook(operation, moving)
        else:
            raise fail("E0104", f"`{name}` is not differentiated yet", location=operation.loc)
        pushed = self.fresh("pushed")
        self.temporary.add(pushed)
        arguments = [self.read(value) for value in operation.operands]
        dots = [self._tangent(operation.operands[i]) for i in moving]
        call = t.call(self.bind(name, run), *arguments, *dots)
        self.body.append(t.assign(pushed, call, line))
        targets = [self.names[value] for value in operation.results]
        targets += [self._dot(value) for value in operation.results if is_differentiable(value)]
        for index, target in enumerate(targets):
            self.body.append(t.assign(target, t.item(t.load(pushed), index), line))

    def _by_rule(self, operation: Operation, line: int) -> list[Any]:
        assert operation.prim.tangent_rule is not None
        template = template_of(operation.prim.tangent_rule)
        tangents = [self._tangent(v) for v in operation.operands]
        inline = self.inlining(operation, template, lambda: t.tuple_of(tangents), line)
        self.body += [inline.copy(statement) for statement in template.body]
        return self.parts(template, inline, [True] * len(operation.results), line)

    def _as_linear(
        self, operation: Operation, groups: list[tuple[int, ...]], line: int
    ) -> list[Any]:
        """The operation applied to tangents, group by group of operands."""
        operands = operation.operands
        sums: list[Any] = [t.none() for _ in operation.results]
        attributes = {
            name: t.load(self.bind(name, value)) for name, value in operation.attrs.items()
        }
        for group in groups:
            nodes = [
                self._filled(v) if i in group else self.read(v) for i, v in enumerate(operands)
            ]
            applied = t.prim(operation.prim.name, *nodes, **attributes)
            sums = self._summed(sums, applied, len(operation.results), line)
        return sums

    def _summed(self, sums: list[Any], applied: Any, count: int, line: int) -> list[Any]:
        name = self.fresh("part")
        self.temporary.add(name)
        self.body.append(t.assign(name, applied, line))
        parts = [t.load(name)] if count == 1 else [t.item(t.load(name), i) for i in range(count)]
        return [self.help("add", one, part) for one, part in zip(sums, parts, strict=True)]

    def _elementwise(self, operation: Operation, moving: list[int], line: int) -> Any:
        """Sum over operands of the adjoint's cotangent, with the tangent for ``dout``."""
        assert operation.prim.adjoint_rule is not None
        template = template_of(operation.prim.adjoint_rule)
        total = t.none()
        for i in moving:
            dot = self._tangent(operation.operands[i])
            wide = self.help("spread_tangent", dot, self.type(operation.result))
            name = self.fresh("moved")
            self.temporary.add(name)
            self.body.append(t.assign(name, wide, line))
            inline = self.inlining(operation, template, lambda name=name: t.load(name), line)
            self.body += [inline.copy(statement) for statement in template.body]
            only = [j == i for j in range(len(operation.operands))]
            parts = self.parts(template, inline, only, line)
            total = self.help("add", total, parts[i])
        return total


def _stacks(primal: Function) -> set[Value]:
    """All stacks of floats in `primal`; none may come from outside."""
    found: set[Value] = set()
    for operation in primal.walk():
        arguments = [value for region in operation.regions.values() for value in region.args]
        found.update(v for v in (*operation.results, *arguments) if _is_stack(v))
    if any(map(_is_stack, primal.args)):
        raise fail("E0104", "forward mode takes no stack from outside yet")
    return found


def _is_stack(value: Value) -> bool:
    return isinstance(value.type, StackType) and is_differentiable(value)
