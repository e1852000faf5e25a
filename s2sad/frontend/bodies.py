"""What does a function become of which compiled code takes a derivative?

A region that reads its arguments only: tensors among the arguments of the call, Parameters that
count, and what the function reads from around it. These are operands apart, even where they are one
value, so there is no confusion about what a derivative is with respect to.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.transform import Transform
from s2sad.frontend import forms
from s2sad.frontend.effects import HOST
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.regions import Part, Run, is_argument, isolated, read_part
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import as_tuple
from s2sad.ir.clone import copy_region
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Trait
from s2sad.ir.rewriter import outer_values
from s2sad.ir.types import type_of
from s2sad.prims.marker import differentiable

TRANSFORM, HOOK = p.ALL["transform"], p.ALL["hook"]


@dataclass(frozen=True)
class Place:
    """Stands for a result of a region in a tree of outputs."""

    index: int


def results_in(form: Any) -> list[int]:
    """Results that a tree names, in order."""
    return [leaf.index for leaf in leaves(form) if isinstance(leaf, Place)]


def require_tensors(outputs: Any, how: str) -> Any:
    """`outputs`, of which every leaf must be a tensor or None (E0307)."""
    for leaf in leaves(outputs):
        if leaf is not None and not isinstance(leaf, Place):
            kind = type(leaf).__name__
            raise fail("E0307", f"a function that is {how} gives tensors; got a {kind}")
    return outputs


def parameters_in(tree: Any) -> list[Parameter]:
    """Parameters among the leaves of `tree`, in order."""
    return [leaf for leaf in leaves(tree) if isinstance(leaf, Parameter)]


@dataclass
class Body:
    """What a function computes, as a region that reads its arguments only.

    Attributes
    ----------
    session : Session
    region : Region
        Yields the tensors among the outputs, then what is left in the Parameters `written`.
    operands : list of Value
        Tensors among the arguments, then Parameters that count, then what is read from around.
    inputs : list
        The arguments, with the number of an operand for each tensor, and None for other leaves.
    parameters : dict of int to int
        Operand of each Parameter that counts, by its identity.
    form : tree
        The outputs, with a `Place` for each tensor.
    written : list of int
        Keys of captures.
    """

    session: Session
    region: Region
    operands: list[Value]
    inputs: list[Any]
    parameters: dict[int, int]
    form: Any
    written: list[int]

    def has_cotangent(self, operand: int) -> bool:
        return bool(differentiable([self.operands[operand].type]))

    def differentiated_outputs(self, transform: Transform) -> Any:
        """The outputs that are differentiated (E0307 where they hold more than tensors)."""
        found = forms.differentiated(transform, self.form)
        if transform.kind in ("grad", "value_and_grad") and results_in(found):
            return found  # a gradient passes over what is no tensor
        return require_tensors(found, "differentiated")

    def differentiated(self, form: Any) -> list[int]:
        """Results of the region that `form`, a part of the outputs, names and that are floats."""
        return [i for i in results_in(form) if differentiable([self.region.yields[i].type])]

    def emit(
        self, kind: str, wrt: Iterable[int], results: Iterable[int], more: Iterable[Any] = ()
    ) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """Append a transform; what the region yields there, and what was derived.

        Parameters
        ----------
        more : iterable of Value or Tensor
            The cotangents or tangents.
        """
        builder = builders.current()
        operands = [*self.operands, *map(builder.value, more)]
        attrs = {"kind": kind, "wrt": tuple(wrt), "results": tuple(results)}
        regions = {"body": copy_region(self.region, {})}
        found = as_tuple(builder.emit(TRANSFORM, operands, attrs, regions))
        count = 0 if kind == "grad" else len(self.region.yields)
        return found[:count], found[count:]

    def later(self) -> Body:
        """The same for computing it once more: what it does besides was done then, hooks apart."""
        region = copy_region(self.region, {})
        for operation in _around_hooks(region):
            if operation.prim.has(Trait.EFFECT):
                operation.result.replace_uses(operation.operands[0])
                operation.set_reads(())
                operation.parent.remove(operation)  # type: ignore[union-attr]
        operands = [
            self.session.capture(HOST) if value.type.is_linear else value for value in self.operands
        ]
        return replace(self, region=region, operands=operands)

    def write_effects(self, values: Sequence[Value]) -> None:
        """Let effects come after those of what was emitted, which gave `values`."""
        for value in values:
            if value.type.is_linear:
                self.session.write(HOST, value)

    def write(self, values: Sequence[Value]) -> None:
        """Let Parameters hold from now on what the region left in them."""
        for key, value in zip(self.written, values[len(values) - len(self.written) :], strict=True):
            self.session.captures[key].written = value

    def gradient(self, place: Any, known: dict[int, Value]) -> Value | None:
        """The gradient at a place: one that is `known`, or zeros of an operand or a Parameter."""
        if isinstance(place, Parameter):
            return p.const(0, type_of(place.array))
        if place is None:
            return None
        return known[place] if place in known else p.zeros_like(self.operands[place])

    def outputs(self, values: Sequence[Value]) -> Any:
        """The outputs, given what the region yields; without that, they are not asked for."""
        if not values:
            return self.form
        return map_leaves(self.form, lambda x: values[x.index] if isinstance(x, Place) else x)


def _around_hooks(region: Region) -> list[Operation]:
    """Operations of `region`, at any depth, but for what hooks do."""
    found = []
    for operation in region.operations:
        inner = () if operation.prim is HOOK else operation.regions.values()
        found += [operation, *(each for nested in inner for each in _around_hooks(nested))]
    return found


def read_body(
    frame: Frame, args: list[Any], kwargs: dict[str, Any], counting: Sequence[Parameter], run: Run
) -> Body:
    """Evaluate a call that is to be differentiated, also with respect to `counting`."""
    parameters = list({id(parameter): parameter for parameter in counting}.values())
    with frame.session.differentiating():
        part = read_part(frame, args, kwargs, run, parameters)
    return body_of(frame.session, part, args, parameters)


def body_of(
    session: Session, part: Part, args: list[Any], parameters: Sequence[Parameter] = ()
) -> Body:
    """A call that was evaluated with `args`, `parameters` being arguments of it."""
    outside = outer_values([part.region])
    region = isolated(part.region, outside, len(part.operands))
    numbers, results = count(), count()
    first = len(part.operands) - len(parameters)
    places = {id(parameter): first + i for i, parameter in enumerate(parameters)}

    def number(leaf: Any) -> int | None:
        return next(numbers) if is_argument(leaf) else places.get(id(leaf))

    inputs = map_leaves(args, number)
    form = map_leaves(part.result, lambda x: Place(next(results)) if is_tensor(x) else x)
    operands = [*part.operands, *outside]
    return Body(session, region, operands, inputs, places, form, part.written)
