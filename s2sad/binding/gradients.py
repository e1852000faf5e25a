"""Which results has ``grad(f)``, and in what form does the caller get them?

Forms are MindSpore's: a bare gradient for one argument or one Parameter, else a tuple; a pair where
both are asked for. An argument that holds no tensor has no gradient, a container of tensors has a
container of gradients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.binding.program import Label, Program, tensors_of
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Transform
from s2sad.frontend.read import named_leaves
from s2sad.frontend.trees import map_leaves
from s2sad.ir.builder import Builder
from s2sad.ir.graph import Function, Value
from s2sad.ir.types import type_of
from s2sad.prims.rules import tensor

#: An input of the primal, or a Parameter that it does not read or that has no gradient.
Place = int | Parameter


def joint_program(
    transform: Transform, primal: Program, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Program:
    """The program of a call of `transform`, given that of the function which it differentiates.

    Parameters
    ----------
    transform : Transform
    primal : Program
        Every operation has an adjoint, or a reason for having none.
    args, kwargs
        Of the call; with `sens_param` the cotangent is the last of `args`.

    Raises
    ------
    S2sadError
        E0308 for a position without a Tensor, E0404 for `has_aux` with one output, E0301 and E0401
        for a cotangent of another type than the output, and those of differentiation.
    """
    inner, seed = (args[:-1], args[-1:]) if transform.sens_param else (args, ())
    outputs = _differentiated(transform, primal)
    types = primal.function.result_types
    chosen = [i for i in outputs if tensor(types[i]).dtype.is_float]
    by_input = _arguments(transform, primal, inner)
    by_weight = _weights(transform, primal)
    wrt = sorted({*_places([form for _, form in by_input]), *_places([i for _, i in by_weight])})
    joint = differentiate(primal.function, wrt, chosen, seeded=bool(seed))
    gradients = dict(zip(wrt, joint.results[len(primal.function.results) :], strict=True))
    form = _Results(transform, primal, joint, gradients).put_down(by_input, by_weight)
    return Program(
        joint, primal.guards, _sources(primal, inner, seed, kwargs, outputs, chosen),
        primal.written, form,
    )  # fmt: skip


def _differentiated(transform: Transform, primal: Program) -> list[int]:
    """Results whose sum is differentiated, where they are floats: all, or the first output's."""
    form = primal.form
    if transform.has_aux:
        if not isinstance(form, (tuple, list)) or len(form) < 2:
            raise fail("E0404", "has_aux needs a function with at least two outputs")
        form = form[0]
    return _places(form)


def _places(form: Any) -> list[int]:
    found: list[int] = []
    map_leaves(form, lambda leaf: found.append(leaf) if type(leaf) is int else None)
    return found


def _arguments(transform: Transform, primal: Program, args: Sequence[Any]) -> list[tuple[int, Any]]:
    """Positions that have a gradient, each with the inputs that stand for its tensors."""
    position = transform.grad_position
    positions = position if isinstance(position, tuple) else () if position is None else (position,)
    for missing in (i for i in positions if i >= len(args)):
        raise fail("E0308", f"grad_position {missing} names none of the {len(args)} arguments")
    forms = [(i, _inputs_of(primal, args, i)) for i in positions]
    found = [(i, form) for i, form in forms if _has_tensors(args[i])]
    if positions and not found:
        names = ", ".join(map(str, positions))
        raise fail("E0308", f"grad_position {names} names no Tensor among the arguments")
    return found


def _has_tensors(argument: Any) -> bool:
    return any(isinstance(leaf, Tensor) for _, leaf in named_leaves({"": argument}))


def _inputs_of(primal: Program, args: Sequence[Any], position: int) -> Any:
    """The argument at `position` with inputs of the primal in place of its tensors."""
    places = {source: i for i, source in enumerate(primal.sources) if isinstance(source, int)}
    numbers = count(len(tensors_of(*args[:position])))

    def place(leaf: Any) -> Place | None:
        if isinstance(leaf, Parameter):
            return _place_of(primal, leaf)
        return places[next(numbers)] if isinstance(leaf, Tensor) else None

    return map_leaves(args[position], place)


def _weights(transform: Transform, primal: Program) -> list[tuple[Parameter, Place]]:
    """Parameters that have a gradient, each with its input."""
    given = transform.weights
    weights = (given,) if isinstance(given, Parameter) else given or ()
    return [(weight, _input_of(primal, weight)) for weight in weights]


def _input_of(primal: Program, weight: Parameter) -> Place:
    place = _place_of(primal, weight)
    path = f"{weight.name}.requires_grad"
    if place is not weight and not primal.guards.attribute(weight, "requires_grad", path):
        return weight
    return place


def _place_of(primal: Program, parameter: Parameter) -> Place:
    return next((i for i, source in enumerate(primal.sources) if source is parameter), parameter)


@dataclass
class _Results:
    """Gives the joint program its results, and says how the caller sees them."""

    transform: Transform
    primal: Program
    joint: Function
    gradients: dict[int, Value]

    def put_down(
        self, by_input: list[tuple[int, Any]], by_weight: list[tuple[Parameter, Place]]
    ) -> Any:
        """What the caller gets; the results of the joint program are then these, in this order."""
        self.values: list[Value] = []
        form = self._form(by_input, by_weight)
        seen, written = self.primal.count, len(self.primal.function.results)
        self.joint.donates = {
            place: result - seen + len(self.values)
            for place, result in self.primal.function.donates.items()
        }
        self.values += self.joint.results[seen:written]
        self.joint.body.set_reads(self.values)
        self.joint.tree = repr(_without_labels(form))
        return form

    def _form(
        self, by_input: list[tuple[int, Any]], by_weight: list[tuple[Parameter, Place]]
    ) -> Any:
        outputs = self.primal.form
        if self.transform.kind == "value_and_grad":
            return self._outputs(outputs), self._gradients(by_input, by_weight)
        gradients = self._gradients(by_input, by_weight)
        if self.transform.has_aux:
            return gradients, self._outputs(tuple(outputs[1:]))
        return gradients

    def _gradients(
        self, by_input: list[tuple[int, Any]], by_weight: list[tuple[Parameter, Place]]
    ) -> Any:
        inputs = [self._labelled(i, map_leaves(form, self._gradient)) for i, form in by_input]
        weights = [self._labelled(w, self._gradient(place)) for w, place in by_weight]
        of_inputs = inputs[0] if len(inputs) == 1 else tuple(inputs)
        of_weights = weights[0] if isinstance(self.transform.weights, Parameter) else tuple(weights)
        if self.transform.weights is None:
            return of_inputs
        return of_weights if self.transform.grad_position is None else (of_inputs, of_weights)

    def _labelled(self, label: int | Parameter, form: Any) -> Any:
        return (Label(label), form) if self.transform.return_ids else form

    def _outputs(self, form: Any) -> Any:
        results = self.joint.results
        return map_leaves(form, lambda i: self._put(results[i]) if type(i) is int else i)

    def _gradient(self, place: Place | None) -> int | None:
        if place is None:
            return None
        is_zero = isinstance(place, Parameter)
        return self._put(self._zeros(place) if is_zero else self.gradients[place])

    def _zeros(self, weight: Parameter) -> Value:
        builder = Builder(self.joint.body)
        with builder.active():
            zero = builder.value(np.zeros((), weight.array.dtype))
            return p.broadcast_to(zero, shape=weight.shape)

    def _put(self, value: Value) -> int:
        self.values.append(value)
        return len(self.values) - 1


def _without_labels(form: Any) -> Any:
    if isinstance(form, tuple) and form and isinstance(form[0], Label):
        return _without_labels(form[1])
    if isinstance(form, tuple):
        return tuple(_without_labels(item) for item in form)
    if isinstance(form, list):
        return [_without_labels(item) for item in form]
    if isinstance(form, dict):
        return {key: _without_labels(item) for key, item in form.items()}
    return form


def _sources(
    primal: Program, inner: tuple[Any, ...], seed: tuple[Any, ...], kwargs: Mapping[str, Any],
    outputs: list[int], chosen: list[int],
) -> tuple[int | Tensor, ...]:  # fmt: skip
    """Where the inputs of the joint program come from: those of the primal, then the cotangents."""
    first, seeds = len(tensors_of(*inner)), tensors_of(*seed)
    if not seed:
        return primal.sources
    if len(seeds) != len(outputs):
        raise fail(
            "E0401", f"the cotangent has {len(seeds)} tensors, the output has {len(outputs)}"
        )
    for i, given in zip(outputs, seeds, strict=True):
        _check_seed(primal.function, i, given)
    moved = [
        source + len(seeds) if isinstance(source, int) and source >= first else source
        for source in primal.sources
    ]
    return (*moved, *(first + place for place, i in enumerate(outputs) if i in chosen))


def _check_seed(function: Function, result: int, seed: Tensor) -> None:
    found, wanted = type_of(seed.array), function.result_types[result]
    if found != wanted:
        code = "E0401" if tensor(wanted).dtype is seed.dtype else "E0301"
        raise fail(code, f"the cotangent of {wanted} cannot be {found}")
