"""What is a map? A program in which every value that differs from row to row has all rows.

Each operation of the function gives way to one on all rows: by the rule of its primitive, by
aligning ranks where it is elementwise, by its body where it is a composite, else in a loop over the
rows. What is the same for all rows is computed once. A branch whose condition differs computes both
sides and selects, a `while` runs until the last row is done and leaves those that are. An effect
happens for one row after the other.

Derivatives that the function takes are derivatives of the function on all rows, whose rows know
nothing of one another: so loops and branches are mapped before they have tapes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import MappingProxyType
from typing import Any

from s2sad import prims as p
from s2sad.autodiff.activity import is_differentiable
from s2sad.autodiff.mapped import differs, has_effect, mapped_values, reads_of, runs_by_rows
from s2sad.core import location as locations
from s2sad.core.diagnostics import fail
from s2sad.ir.builder import Builder, as_tuple, current
from s2sad.ir.clone import copy_operation
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form, Trait
from s2sad.ir.types import StackType, TensorType, Token, Type, i64
from s2sad.prims.batching import rule_of
from s2sad.prims.batching.places import aligned, leading, with_axis, with_rank
from s2sad.prims.shape import filled

#: ``derived(transform)``: region that computes what an operation `transform` gives.
Derived = Callable[[Operation], Region]


def batch_region(
    region: Region, mapped: Sequence[bool], size: Dim, derived: Derived,
    *, every: bool = False, after: Callable[[list[Value]], Sequence[Value]] | None = None,
) -> tuple[Region, list[bool]]:  # fmt: skip
    """Region that computes all rows of what `region` computes of one.

    Parameters
    ----------
    region : Region
        Reads its own arguments only.
    mapped : sequence of bool
        Which arguments have rows: these have an axis more, in front.
    size : Dim
        How many rows there are.
    derived : callable
        Takes a derivative of which only the cotangents or tangents differ.
    every : bool
        Whether all results have rows, also those that are the same for all.
    after : callable, optional
        What is yielded in place of the results.

    Returns
    -------
    region : Region
    mapped : list of bool
        Which results have rows.

    Raises
    ------
    S2sadError
        E0104 for stacks in branches and loops that differ from row to row.
    """
    types = [
        with_axis(value.type, size) if is_mapped else value.type
        for value, is_mapped in zip(region.args, mapped, strict=True)
    ]
    made = Region(types, [value.name for value in region.args])
    with Builder(made).active() as builder:
        batching = Batching(region, mapped, size, derived)
        values, rows = batching.run(made.args, every)
        if after is not None:
            values = [builder.value(x) for x in after(values)]
        made.set_reads(values)
    return made, rows


class Batching:
    """A region on its way to one of all rows, into the region that is being built.

    Attributes
    ----------
    mapped : set of Value
        Values of the old region that have rows.
    values : dict of Value to Value
        What stands for them, and for all others.
    """

    def __init__(self, region: Region, mapped: Sequence[bool], size: Dim, derived: Derived) -> None:
        self.region, self.size, self.derived = region, size, derived
        self.mapped = mapped_values(region, mapped)
        self.values: dict[Value, Value] = {}

    def run(self, args: Sequence[Value], every: bool = False) -> tuple[list[Value], list[bool]]:
        """What the region yields of `args`, and which of that has rows."""
        rows = [
            value in self.mapped or (every and value.type != Token) for value in self.region.yields
        ]
        return self._block(self.region, args, rows), rows

    def _block(self, region: Region, args: Sequence[Value], rows: Sequence[bool]) -> list[Value]:
        self.values.update(zip(region.args, args, strict=True))
        for operation in region.operations:
            place = operation.loc or locations.current.get()
            with locations.origin(place, operation.scope or locations.scope.get()):
                self._operation(operation)
        pairs = zip(region.yields, rows, strict=True)
        return [self._leading(v) if has_rows else self.values[v] for v, has_rows in pairs]

    def _leading(self, value: Value) -> Value:
        return leading(self.values[value], value in self.mapped, self.size)

    def _flags(self, values: Sequence[Value]) -> tuple[bool, ...]:
        return tuple(value in self.mapped for value in values)

    def _operation(self, operation: Operation) -> None:
        is_same = not any(self._flags([*reads_of(operation), *operation.results]))
        if is_same and not has_effect(operation):
            self.values.update(zip(operation.results, self._copied(operation), strict=True))
            return
        pairs = zip(operation.results, self._results(operation), strict=True)
        for result, found in pairs:
            self.values[result] = found
            found.name = found.name or result.name

    def _copied(self, operation: Operation) -> Sequence[Value]:
        """The operation itself, which is the same for all rows."""
        return current().add(copy_operation(operation, self.values)).results

    def _results(self, operation: Operation) -> Sequence[Value]:
        """The results, all of which have rows where `mapped` says so."""
        if operation.prim.form is Form.IF:
            return self._branch(operation)
        if operation.prim.form is Form.WHILE:
            return self._while(operation)
        if operation.prim.form is Form.FOR:
            return self._for(operation)
        if operation.regions:
            return self._nested(operation)
        if operation.prim.has(Trait.EFFECT):
            return self._rows(operation)
        if _holds_stack([*operation.operands, *operation.results]):
            return self._stack(operation)
        return self._plain(operation)

    # ---- operations without regions ------------------------------------------------------------

    def _plain(self, operation: Operation) -> Sequence[Value]:
        prim, attrs = operation.prim, operation.attrs
        operands = [self.values[v] for v in operation.operands]
        mapped, rule = self._flags(operation.operands), rule_of(operation.prim)
        if rule is not None:
            found = rule(*operands, mapped=mapped, size=self.size, **attrs)
            return self._rows(operation) if found is None else as_tuple(found)
        if prim.has(Trait.ELEMENTWISE):
            return as_tuple(prim(*aligned(operands, mapped), **attrs))
        if prim.expand is not None:
            function = prim.expand(tuple(v.type for v in operation.operands), attrs)
            return self._inlined(function.body, operands, mapped)
        return self._rows(operation)

    def _inlined(
        self, region: Region, operands: Sequence[Value], mapped: Sequence[bool]
    ) -> Sequence[Value]:
        return Batching(region, mapped, self.size, self.derived).run(operands, every=True)[0]

    def _stack(self, operation: Operation) -> Sequence[Value]:
        """Whole rows are pushed and popped: control flow that differs holds no stack."""
        operands, attrs = [self._leading_or_stack(v) for v in operation.operands], operation.attrs
        if "of" in attrs:
            attrs = {"of": with_axis(attrs["of"], self.size)}
        return as_tuple(operation.prim(*operands, **attrs))

    def _leading_or_stack(self, value: Value) -> Value:
        is_stack = isinstance(value.type, StackType)
        return self.values[value] if is_stack else self._leading(value)

    def _rows(self, operation: Operation) -> Sequence[Value]:
        """The operation once for each row."""
        reads = reads_of(operation)
        if _holds_stack([*reads, *operation.results]):
            raise fail(
                "E0104", f"`{operation.prim.name}` takes another way in each row, and keeps what "
                "it does on a stack: that is not mapped yet",
                help="map the function before it is differentiated",
            )  # fmt: skip
        tokens = [value for value in reads if value.type == Token]
        starts = [
            self.values[tokens[0]] if value.type == Token else filled(0, self._type(value.type))
            for value in operation.results
        ]

        def row(index: Value, *found: Value) -> list[Value]:
            inputs = {
                value: p.gather(self.values[value], index) if value in self.mapped
                else self.values[value]
                for value in reads
            }  # fmt: skip
            inputs.update((tokens[0], value) for value in found if value.type == Token)
            copy = copy_operation(operation, inputs)
            _number(copy, index)
            pairs = zip(found, current().add(copy).results, strict=True)
            return [
                result if result.type == Token else p.index_update(rows, index, result)
                for rows, result in pairs
            ]

        return as_tuple(p.for_(p.const(0, i64), self._count(reads), 1, *starts, body=row))

    def _type(self, type: Type) -> TensorType:  # noqa: A002
        found = with_axis(type, self.size)
        assert isinstance(found, TensorType)
        return found

    def _count(self, reads: Sequence[Value]) -> Value:
        if isinstance(self.size, int):
            return p.const(self.size, i64)
        some = next(self.values[x] for x in (*reads, *self.region.args) if x in self.mapped)
        return p.axis_size(some, axis=0)

    # ---- control flow --------------------------------------------------------------------------

    def _branch(self, operation: Operation) -> Sequence[Value]:
        then, orelse = operation.regions.values()
        rows = self._flags(operation.results)
        (condition,) = operation.operands
        if not differs(operation, self.mapped):
            return self._emitted(
                operation, [self.values[condition]], then=lambda: self._block(then, (), rows),
                orelse=lambda: self._block(orelse, (), rows),
            )  # fmt: skip
        if self._goes_by_rows(operation):
            return self._rows(operation)
        sides = [self._block(side, (), self._flags(side.yields)) for side in (then, orelse)]
        return self._selected(self.values[condition], operation.results, *sides)

    def _selected(
        self, condition: Value, results: Sequence[Value],
        one: Sequence[Value], other: Sequence[Value],
    ) -> list[Value]:  # fmt: skip
        """Rows of `one` where the condition, one for each row, holds; else of `other`."""
        return [
            p.where(with_rank(condition, result.ndim), a, b)
            for result, a, b in zip(results, one, other, strict=True)
        ]

    def _goes_by_rows(self, operation: Operation) -> bool:
        linear = any(v.type.is_linear for v in (*reads_of(operation), *operation.results))
        return linear or runs_by_rows(operation, self.mapped)

    def _emitted(
        self, operation: Operation, operands: Sequence[Value], **regions: Any
    ) -> Sequence[Value]:
        return as_tuple(current().emit(operation.prim, operands, dict(operation.attrs), regions))

    def _initial(self, operation: Operation, first: int) -> list[Value]:
        """What a loop carries at first, with rows where it has some later."""
        pairs = zip(operation.operands[first:], operation.results, strict=True)
        return [
            self._leading_or_stack(value) if result in self.mapped else self.values[value]
            for value, result in pairs
        ]

    def _for(self, operation: Operation) -> Sequence[Value]:
        if differs(operation, self.mapped):
            return self._rows(operation)
        body, rows = operation.regions["body"], self._flags(operation.results)
        operands = [*(self.values[v] for v in operation.operands[:3]), *self._initial(operation, 3)]
        return self._emitted(operation, operands, body=lambda *args: self._block(body, args, rows))

    def _while(self, operation: Operation) -> Sequence[Value]:
        condition, body = operation.regions["condition"], operation.regions["body"]
        rows, initial = self._flags(operation.results), self._initial(operation, 0)
        if not differs(operation, self.mapped):
            return self._emitted(
                operation, initial, condition=lambda *args: self._block(condition, args, [False]),
                body=lambda *args: self._block(body, args, rows),
            )  # fmt: skip
        if self._goes_by_rows(operation):
            return self._rows(operation)

        def on(values: Sequence[Value]) -> Value:
            return self._block(condition, values, [True])[0]

        def one_pass(going: Value, *args: Value) -> list[Value]:
            new = self._selected(going, operation.results, self._block(body, args, rows), args)
            return [on(new), *new]

        _, *results = p.while_(
            on(initial), *initial, condition=lambda going, *_: p.reduce_any(going), body=one_pass
        )
        return results

    # ---- regions that read their arguments only ------------------------------------------------

    def _nested(self, operation: Operation) -> Sequence[Value]:
        kinds = {"custom": self._custom, "hook": self._hook, "transform": self._transform}
        return kinds.get(operation.prim.name, self._body)(operation)

    def _region(self, region: Region, mapped: Sequence[bool], after: Any = None) -> Region:
        return batch_region(region, mapped, self.size, self.derived, every=True, after=after)[0]

    def _body(self, operation: Operation) -> Sequence[Value]:
        operands = [self.values[v] for v in operation.operands]
        body = self._region(operation.regions["body"], self._flags(operation.operands))
        return self._emitted(operation, operands, body=body)

    def _hook(self, operation: Operation) -> Sequence[Value]:
        count = operation.attrs["count"]
        hooked, others = operation.operands[:count], operation.operands[count:]
        body = self._region(operation.regions["body"], [*[True] * count, *self._flags(others)])
        operands = [*map(self._leading, hooked), *(self.values[v] for v in others)]
        return self._emitted(operation, operands, body=body)

    def _custom(self, operation: Operation) -> Sequence[Value]:
        """What is the same for all rows has the sum of their cotangents."""
        mapped = self._flags(operation.operands)
        seen = self._flags([v for v in operation.operands if not v.type.is_linear])
        floats = [i for i, value in enumerate(operation.operands) if is_differentiable(value)]
        adjoint = operation.regions["adjoint"]
        more = len(adjoint.args) - len(seen)

        def summed(cotangents: list[Value]) -> list[Value]:
            pairs = zip(cotangents, floats, strict=True)
            return [x if mapped[i] else p.reduce_sum(x, axis=0) for x, i in pairs]

        return self._emitted(
            operation, [self.values[v] for v in operation.operands],
            primal=self._region(operation.regions["primal"], mapped),
            adjoint=self._region(adjoint, [*seen, *[True] * more], summed),
        )  # fmt: skip

    def _transform(self, operation: Operation) -> Sequence[Value]:
        if operation.attrs["kind"] == "vmap":
            return self._map(operation)
        body, wrt = operation.regions["body"], operation.attrs["wrt"]
        mapped = self._flags(operation.operands)
        count = len(body.args)
        if not any(mapped[:count]):  # only cotangents or tangents differ: the rest is done once
            operands = [self.values[v] for v in operation.operands]
            return self._inlined(self.derived(operation), operands, mapped)
        rows = [mapped[i] or i in wrt for i in range(count)]
        operands = [
            self._leading(v) if i >= count or rows[i] else self.values[v]
            for i, v in enumerate(operation.operands)
        ]
        return self._emitted(operation, operands, body=self._region(body, rows))

    def _map(self, operation: Operation) -> Sequence[Value]:
        """A map of a map: its body has the rows of this one in front."""
        attrs, mapped = operation.attrs, self._flags(operation.operands)
        axes = [
            axis + 1 if has_rows and axis is not None else axis
            for axis, has_rows in zip(attrs["in_axes"], mapped, strict=True)
        ]
        out = [None if axis is None else axis + 1 for axis in attrs["out_axes"]]
        moved = {**attrs, "in_axes": tuple(axes), "out_axes": tuple(out)}
        operands = [self.values[v] for v in operation.operands]
        body = self._region(operation.regions["body"], mapped)
        return as_tuple(current().emit(operation.prim, operands, moved, {"body": body}))


def _holds_stack(values: Sequence[Value]) -> bool:
    return any(isinstance(value.type, StackType) for value in values)


def _number(operation: Operation, index: Value) -> None:
    """Let what `operation` raises say in which row that was, where it may read `index`."""
    if "rows" in operation.attrs:
        operation.set_reads([*operation.operands, index])
        operation.attrs = MappingProxyType({**operation.attrs, "rows": operation.attrs["rows"] + 1})
    if not operation.prim.is_isolated:
        for region in operation.regions.values():
            for inner in region.operations:
                _number(inner, index)
