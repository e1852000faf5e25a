"""What is reverse mode? The joint program of a primal, as a syntax tree.

The primal's statements stand first. Then they are walked backwards: the adjoint template of each
operation is inlined, and its results are added to the cotangents of the operands. Branches are
walked by branches, loops by counted loops that run the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from s2sad import prims
from s2sad.autodiff import markers, support
from s2sad.autodiff import tree as t
from s2sad.autodiff.activity import active_values, is_differentiable
from s2sad.autodiff.inlining import Program, no_rule
from s2sad.autodiff.tape import ForwardPrinter, Tapes, follows_indices
from s2sad.autodiff.template import template_of
from s2sad.core.diagnostics import fail
from s2sad.ir.graph import Function, Operation, Region, Value
from s2sad.ir.loops import carried, is_loop
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.rewriter import captured_reads
from s2sad.ir.types import TokenType


def differentiate(
    primal: Function,
    wrt: Sequence[int],
    results: Sequence[int] | None = None,
    *,
    seeded: bool = False,
    begun: Sequence[int] = (),
) -> Function:
    """Joint function of `primal`: its results, then the gradients of its inputs `wrt`.

    Parameters
    ----------
    primal : Function
        Composites without an adjoint are decomposed already.
    wrt : sequence of int
        Inputs to differentiate with respect to.
    results : sequence of int, optional
        Results that count; all of them by default.
    seeded : bool
        Whether the cotangents of `results` are further inputs; otherwise they are ones.
    begun : sequence of int
        Those of `wrt` of which a part of the gradient is there already: further inputs as well, to
        which the rest is added.

    Returns
    -------
    Function
        ``(inputs[, cotangents][, begun]) -> (results, gradients)``.

    Raises
    ------
    S2sadError
        E0104 for `transform` and `fused`, which are expanded before or made after.
    """
    chosen = range(len(primal.results)) if results is None else results
    return JointProgram(primal, wrt, list(chosen), seeded, begun).build()


class JointProgram(Program):
    """The joint program under construction.

    Attributes
    ----------
    cotangents : dict of Value to str
        Variable that holds the cotangent of a value, where one has begun to accumulate.
    tapes : Tapes
        Residuals, values inside regions that the backward sweep reads.
    known : Cotangents
        What is known of cotangents while the program is evaluated.
    adjoint_lines : dict of Operation to int
        As `line` gives them for the backward sweep.
    """

    def __init__(
        self, primal: Function, wrt: Sequence[int], results: list[int], seeded: bool,
        begun: Sequence[int] = (),
    ) -> None:  # fmt: skip
        self.known = support.Cotangents()
        super().__init__(primal, support.helpers(self.known))
        self.wrt = wrt
        self.results = results
        self.seeded = seeded
        self.begun = [primal.args[i] for i in begun]
        self.active = active_values(primal, wrt, results)
        self.cotangents: dict[Value, str] = {}
        self.adjoint_lines: dict[Operation, int] = {}
        self.tapes = Tapes(self.fresh)
        self.token = _token(primal)
        self.after = self.fresh("after") if self.token is not None else ""

    def build(self) -> Function:
        begun = [self.fresh(f"d{self.names[value]}") for value in self.begun]
        self.cotangents.update(zip(self.begun, begun, strict=True))
        seeds = self._seed()
        if self.token is not None:
            self.body.append(t.assign(self.after, self._begun_effects(self.token), 0))
        self._walk(self.primal.body)
        gradients = [self._gradient(self.primal.args[i]) for i in self.wrt]
        for tape in self.tapes.names.values():
            self.body.append(t.expression(self.help("drop", t.load(tape)), 0))
        given = [self.after if v is self.token else self.names[v] for v in self.primal.results]
        returned = [*given, *gradients]
        self.body.append(t.return_(returned))
        types = [self.primal.results[i].type for i in self.results] if self.seeded else []
        types += [value.type for value in self.begun]
        joint = self.finish("joint", [*seeds, *begun], types, [*self._forward(), *self.body])
        self.known.finish()
        joint.inputs = (*self.primal.inputs, *(f"cotangent:{i}" for i in self.results if seeds))
        joint.donates = dict(self.primal.donates)
        return joint

    def line(self, operation: Operation) -> int:
        """Index of the origin of what the backward sweep does for `operation`."""
        if operation.loc is None:
            return super().line(operation)
        if operation not in self.adjoint_lines:
            self.adjoint_lines[operation] = len(self.origins)
            self.origins.append((replace(operation.loc, is_adjoint=True), operation.scope))
        return self.adjoint_lines[operation]

    def _begun_effects(self, token: Value) -> Any:
        """The token where the backward sweep begins, which may run later: after a barrier then."""
        node = t.load(self.names[token])
        return t.prim("barrier", node) if self.seeded else node

    def _forward(self) -> list[Any]:
        """The primal's statements, after empty tapes for the residuals that they push."""
        printer = ForwardPrinter(self.primal, self.tapes, super().line, self.bind)
        printer.named = dict(self.names)
        tapes = [
            t.assign(name, t.prim("stack_empty", of=self.type(value)), 0)
            for value, name in self.tapes.names.items()
        ]
        return tapes + printer.nodes()

    def read(self, value: Value) -> Any:
        """Node that reads a value of the forward sweep in the backward one."""
        if value.region is self.primal.body:
            return t.load(self._forward_name(value))
        if value not in self.tapes.popped and follows_indices(value, self.primal):
            self._compute_again(value)
        return t.load(self.tapes.residual(value, self._forward_name(value)))

    def _compute_again(self, value: Value) -> None:
        """Let the block that walks the region of `value` begin by computing it."""
        operation: Any = value.owner
        operands = [self.read(operand) for operand in operation.operands]
        attrs = {name: self._constant(name, x)() for name, x in operation.attrs.items()}
        name = self.tapes.popped[value] = self.fresh(self.names[value])
        node = t.prim(operation.prim.name, *operands, **attrs)
        self.tapes.again[value] = t.assign(name, node, self.line(operation))

    def _forward_name(self, value: Value) -> str:
        if value in self.names:
            return self.names[value]
        loop = next(loop for loop, trip in self.tapes.trips.items() if trip is value)
        return self.tapes.trip_names[loop]

    # ---- cotangents ------------------------------------------------------------------------

    def _seed(self) -> list[str]:
        """Begin the cotangents of the results, with parameters when seeded, else with ones.

        The parameters' names are returned. A result given twice gets the sum of its seeds.
        """
        parameters = []
        for index in self.results:
            value = self.primal.results[index]
            if self.seeded:
                parameters.append(self.fresh(f"d{self.names[value]}"))
                seed = t.load(parameters[-1])
            else:
                seed = self.help("ones", self.type(value))
            self._add(value, seed, 0)
        return parameters

    def _begin(self, value: Value, line: int) -> str:
        """Variable for the cotangent of `value`; a new one holds nothing yet."""
        if value not in self.cotangents:
            self.cotangents[value] = self.fresh(f"d{self.names[value]}")
            self.body.append(t.assign(self.cotangents[value], t.none(), line))
        return self.cotangents[value]

    def _add(self, value: Value, addend: Any, line: int) -> None:
        """Add `addend` to the cotangent of `value`."""
        name = self._begin(value, line)
        part = self.help("contribution", addend, self.type(value))
        self.body.append(t.assign(name, self.help("accumulate", t.load(name), part), line))

    def _fill(self, value: Value, line: int) -> str:
        """Let the cotangent of `value` be a value: zeros where nothing has reached it."""
        name = self._begin(value, line)
        zero = self.help("filled", t.load(name), self.type(value))
        self.body.append(t.assign(name, zero, line))
        return name

    def _cotangent(self, value: Value) -> Any:
        return t.load(self.cotangents[value]) if value in self.cotangents else t.none()

    def _gradient(self, value: Value) -> str:
        node = self.help("filled", self._cotangent(value), self.type(value))
        name = self.fresh(f"d{self.names[value]}")
        self.body.append(t.assign(name, node, 0))
        return name

    # ---- the walk --------------------------------------------------------------------------

    def _walk(self, region: Region) -> None:
        """Walk the operations of `region` backwards, into the block being written."""
        for operation in reversed(region.operations):
            if is_loop(operation):
                self._loop(operation)
            elif operation.prim.form is Form.IF:
                self._branch(operation)
            elif operation.regions:
                self._marker(operation)
            else:
                self._plain(operation)

    def _inside(self, region: Region, begin: Any, end: Any = lambda: None) -> list[Any]:
        """Block that walks `region`: pops its residuals, does `begin`, the walk, then `end`."""
        outer, self.body = self.body, []
        begin()
        self._walk(region)
        end()
        pops = []
        for value in self.tapes.of(region):
            tape = self.tapes.names[value]
            pop = t.prim("stack_pop", t.load(tape))
            pops.append(t.assign((tape, self.tapes.popped[value]), pop, 0))
        again = [node for value, node in self.tapes.again.items() if value.region is region]
        inner, self.body = self.body, outer
        return [*pops, *again, *inner]

    def _fill_outside(self, operation: Operation, line: int) -> None:
        """Make ready the cotangents of what the regions of `operation` read from outside."""
        for value in captured_reads(operation):
            if value in self.active:
                if value.type.is_linear:
                    self._begin(value, line)
                else:
                    self._fill(value, line)

    def _branch(self, operation: Operation) -> None:
        if not any(value in self.cotangents for value in operation.results):
            return
        line = self.line(operation)
        self._fill_outside(operation, line)
        stacks = [v for v in captured_reads(operation) if v in self.active and v.type.is_linear]

        def end() -> None:  # one side may have used a stack that the other handed on
            for value in stacks:
                self._fill(value, line)

        sides = []
        for region in operation.regions.values():

            def begin(region: Region = region) -> None:
                for result, value in zip(operation.results, region.yields, strict=True):
                    if value in self.active and result in self.cotangents:
                        self._add(value, self._cotangent(result), line)

            sides.append(self._inside(region, begin, end))
        then, orelse = sides
        self.body.append(t.if_(self.read(operation.operands[0]), then, orelse, line))

    def _loop(self, operation: Operation) -> None:
        places = [
            place for place in carried(operation)
            if place.result in self.active or place.argument in self.active
        ]  # fmt: skip
        if not places:
            return
        line = self.line(operation)
        slots = [self.fresh(f"d{self.names[place.result]}") for place in places]
        for slot, place in zip(slots, places, strict=True):
            first = self.help("filled", self._cotangent(place.result), self.type(place.result))
            self.body.append(t.assign(slot, first, line))
        self._fill_outside(operation, line)
        variable, bounds = self._backwards(operation)

        def begin() -> None:
            for slot, place in zip(slots, places, strict=True):
                if place.yielded in self.active:
                    self._add(place.yielded, t.load(slot), line)

        def end() -> None:
            new = [
                self.help("filled", self._cotangent(x.argument), self.type(x.argument))
                for x in places
            ]
            self.body.append(t.assign(slots, t.tuple_of(new), line))

        block = self._inside(operation.regions["body"], begin, end)
        self.body.append(t.for_(variable, bounds, block, line))
        for slot, place in zip(slots, places, strict=True):
            if place.initial in self.active:
                self._add(place.initial, t.load(slot), line)
            elif place.initial.type.is_linear:
                self.body.append(t.expression(self.help("drop", t.load(slot)), line))

    def _backwards(self, operation: Operation) -> tuple[str, list[Any]]:
        """Variable and bounds of the loop that runs the other way."""
        if operation.prim.form is Form.WHILE:
            return self.fresh("k"), [self.read(self.tapes.trip(operation))]
        index = operation.regions["body"].args[0]
        variable = self.tapes.popped[index] = self.fresh(self.names[index])
        forward = [self.read(value) for value in operation.operands[:3]]
        return variable, [t.starred(self.help("reversed_range", *forward))]

    def _plain(self, operation: Operation) -> None:
        """Inline the adjoint of `operation`, unless no cotangent reaches it after all."""
        wanted = [value in self.active for value in operation.operands]
        arriving = [self.cotangents[v] for v in operation.results if v in self.cotangents]
        is_linear = any(value.type.is_linear for value in operation.results)
        if operation.prim.nondiff is not None or not arriving or not (any(wanted) or is_linear):
            return
        if operation.prim.adjoint_rule is None:
            raise no_rule(operation.prim, "an adjoint")
        line = self.line(operation)
        for value, want in zip(operation.operands, wanted, strict=True):
            if want:
                self._begin(value, line)
        template = template_of(operation.prim.adjoint_rule)
        outer, self.body = self.body, []
        dout = [self._cotangent(v) for v in operation.results]
        inline = self.inlining(operation, template, lambda: t.bundle(dout), line)
        self.body += [inline.copy(statement) for statement in template.body]
        used = [w or v.type.is_linear for v, w in zip(operation.operands, wanted, strict=True)]
        parts = self.parts(template, inline, used, line)
        for value, want, part in zip(operation.operands, wanted, parts, strict=True):
            if want and not t.is_none(part):
                self._add(value, self._masked(operation, part), line)
            elif value.type.is_linear and not t.is_none(part):
                self.body.append(t.expression(self.help("drop", part), line))
        inner, self.body = self.body, outer
        self.body.append(t.if_given(arriving, inner, line))

    def _marker(self, operation: Operation) -> None:
        """Cotangents of the operands of an operation with regions of its own."""
        places = [i for i, value in enumerate(operation.operands) if value in self.active]
        is_wanted = bool(places) or operation.attrs.get("asks", False)
        if not is_wanted or not any(value in self.cotangents for value in operation.results):
            return
        line = self.line(operation)
        found = self._marker_gradient(operation, places)
        if found is None:
            raise fail(
                "E0104",
                f"`{operation.prim.name}` is not differentiated yet",
                location=operation.loc,
            )
        run, arguments, given = found
        name = self.fresh("parts")
        self.temporary.add(name)
        self.body.append(t.assign(name, t.call(self.bind("gradients", run), *arguments), line))
        begun = self._begun(operation, places)
        for index, place in enumerate(given):
            value, part = operation.operands[place], t.item(t.load(name), index)
            if place in begun:
                self.body.append(t.assign(self.cotangents[value], part, line))
            elif place in places:
                self._add(value, self.help("unless_zero", part), line)
        if _has_token(operation):
            self.body.append(t.assign(self.after, t.item(t.load(name), len(given)), line))

    def _begun(self, operation: Operation, places: list[int]) -> list[int]:
        """Operands of a `checkpoint` to whose cotangents its gradient is added pass by pass.

        They come from outside of the loop or branch in which it stands, so their cotangents are
        there. Added to them one by one, the parts give the sum that they give without the marker.
        """
        if operation.prim is not prims.checkpoint:
            return []
        found = {operation.operands[i]: i for i in reversed(places)}
        return sorted(i for value, i in found.items() if value.region is not operation.parent)

    def _marker_gradient(
        self, operation: Operation, places: list[int]
    ) -> tuple[markers.Run, list[Any], list[int]] | None:
        """What computes the gradient: a function, its arguments, and the operands it serves."""
        name, regions = operation.prim.name, operation.regions
        if name == "hook":
            return self._hook(operation)
        values = [self.read(v) for v in operation.operands if not v.type.is_linear]
        outs = [v for v in operation.results if is_differentiable(v)]
        if operation.prim is prims.checkpoint:
            outs = [v for v in outs if v in self.active]
        douts = [self.help("filled", self._cotangent(v), self.type(v)) for v in outs]
        if name == "custom":
            values += [self.read(v) for v in operation.results if not v.type.is_linear]
            floats = [i for i, v in enumerate(operation.operands) if is_differentiable(v)]
            return markers.of_region(regions["adjoint"]), [*values, *douts], floats
        if name == "checkpoint":
            results = [i for i, v in enumerate(operation.results) if v in outs]
            begun = self._begun(operation, places)
            run = markers.gradient_of(regions["body"], places, results, begun, differentiate)
            totals = [self._cotangent(operation.operands[i]) for i in begun]
            return run, [*values, *douts, *totals], places
        return None

    def _hook(self, operation: Operation) -> tuple[markers.Run, list[Any], list[int]]:
        """What `_marker_gradient` gives for a hook, whose effects come after all those so far."""
        count = operation.attrs["count"]
        results, others = operation.results[:count], operation.operands[count:]
        douts = [self.help("filled", self._cotangent(v), self.type(v)) for v in results]
        more = [t.load(self.after) if v.type.is_linear else self.read(v) for v in others]
        run = markers.of_region(operation.regions["body"])
        return run, [*douts, *more], [*range(count)]

    def _masked(self, operation: Operation, part: Any) -> Any:
        """`part`, kept to where the operation's cotangent may differ from zero."""
        prim = operation.prim
        if len(operation.results) != 1:
            return part
        dout = self._cotangent(operation.results[0])
        if prim.has(Trait.ELEMENTWISE):
            count = len(operation.operands)
            is_sum = prim.linear in ("all", (tuple(range(count)),), (0,) if count == 1 else None)
            return self.help("elementwise", part, dout, t.constant(is_sum))
        if prim is prims.ALL["reduce_sum"]:
            return self.help(
                "spread", part, dout, t.load(self.bind("axis", operation.attrs["axis"]))
            )
        return part


def _token(primal: Function) -> Value | None:
    """What is left of the token after the forward sweep, where hooks have effects after it."""
    if not any(_has_token(operation) for operation in primal.walk()):
        return None
    return next((v for v in primal.results if isinstance(v.type, TokenType)), None)


def _has_token(operation: Operation) -> bool:
    """Whether `operation` is a hook with effects."""
    is_hook = operation.prim is prims.ALL["hook"]
    return is_hook and any(v.type.is_linear for v in operation.operands)
