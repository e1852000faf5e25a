"""What does a call of ``grad(f)`` from outside become: which program, bound to what?

The program is that of `f`, differentiated; `frontend.forms` says which results it has, and in what
form the caller gets them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.binding.program import Label, Program, tensors_of
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Transform
from s2sad.frontend import forms, seeds
from s2sad.frontend.inputs import is_input
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir.builder import Builder
from s2sad.ir.graph import Function, Value
from s2sad.ir.outcome import spelled
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
    outputs = numbers(forms.differentiated(transform, primal.form))
    chosen = [i for i in outputs if tensor(primal.function.result_types[i]).dtype.is_float]
    places = _places(transform, primal, inner)
    wrt = sorted({place for place in places.leaves if type(place) is int})
    joint = differentiate(primal.function, wrt, chosen, seeded=bool(seed))
    found = dict(zip(wrt, joint.results[len(primal.function.results) :], strict=True))
    gradients = places.map(lambda place: gradient_at(joint, found, place))
    tree = forms.arranged(transform, results_in(joint, primal.form), gradients, Label)
    sources = _sources(primal, inner, seed, outputs, chosen)
    return Program(joint, primal.guards, sources, primal.written, put_down(joint, primal, tree))


def numbers(form: Any) -> list[int]:
    """Results, or inputs, that a tree names, in order."""
    return [leaf for leaf in leaves(form) if type(leaf) is int]


def _places(transform: Transform, primal: Program, args: Sequence[Any]) -> forms.Gradients:
    """Inputs of the primal for all that has a gradient."""
    return forms.Gradients(
        [(i, inputs_of(primal, args, i)) for i in forms.asked_positions(transform, args)],
        [(weight, trained_place(primal, weight)) for weight in forms.asked_weights(transform)],
    )


def inputs_of(primal: Program, args: Sequence[Any], position: int) -> Any:
    """The argument at `position` with inputs of the primal in place of its tensors."""
    places = {source: i for i, source in enumerate(primal.sources) if isinstance(source, int)}
    following = count(len(tensors_of(*args[:position])))

    def place(leaf: Any) -> Place | None:
        if isinstance(leaf, Parameter):
            return _place_of(primal, leaf)
        return places[next(following)] if is_input(leaf) else None

    return map_leaves(args[position], place)


def trained_place(primal: Program, weight: Parameter) -> Place:
    """The input for `weight`; itself where that is not read, or not trained, which is guarded."""
    place = _place_of(primal, weight)
    path = f"{weight.name}.requires_grad"
    if place is not weight and not primal.guards.attribute(weight, "requires_grad", path):
        return weight
    return place


def _place_of(primal: Program, parameter: Parameter) -> Place:
    return primal.places.get(id(parameter), parameter)


def gradient_at(joint: Function, found: Mapping[int, Value], place: Place | None) -> Value | None:
    """The gradient of a place: one of those `found`, zeros of a Parameter's type, or none."""
    if place is None:
        return None
    return _zeros(joint, place) if isinstance(place, Parameter) else found[place]


def _zeros(joint: Function, weight: Parameter) -> Value:
    builder = Builder(joint.body)
    with builder.active():
        zero = builder.value(np.zeros((), weight.array.dtype))
        return p.broadcast_to(zero, shape=weight.shape)


def results_in(joint: Function, form: Any) -> Any:
    """`form` with results of `joint` in place of their numbers."""
    return map_leaves(form, lambda i: joint.results[i] if type(i) is int else i)


def put_down(joint: Function, primal: Program, tree: Any) -> Any:
    """Let `joint` give the values of `tree`, in order, and what `primal` writes; its form."""
    values: list[Value] = []

    def number(leaf: Any) -> Any:
        if not isinstance(leaf, Value):
            return leaf
        values.append(leaf)
        return len(values) - 1

    form = map_leaves(tree, number)
    seen, written = primal.count, len(primal.function.results)
    moved = len(values) - seen
    joint.donates = {place: to + moved for place, to in primal.function.donates.items()}
    joint.body.set_reads([*values, *joint.results[seen:written]])
    joint.tree = spelled(literal_form(form))
    return form


def literal_form(form: Any) -> Any:
    """`form` without labels."""
    if isinstance(form, tuple) and form and isinstance(form[0], Label):
        return literal_form(form[1])
    if isinstance(form, tuple):
        return tuple(literal_form(item) for item in form)
    if isinstance(form, list):
        return [literal_form(item) for item in form]
    if isinstance(form, dict):
        return {key: literal_form(item) for key, item in form.items()}
    return form


def _sources(
    primal: Program, inner: tuple[Any, ...], seed: tuple[Any, ...],
    outputs: list[int], chosen: list[int],
) -> tuple[int | Tensor, ...]:  # fmt: skip
    """Where the inputs of the joint program come from: those of the primal, then the cotangents."""
    if not seed:
        return primal.sources
    types = [primal.function.result_types[i] for i in outputs]
    given = seeds.cotangents(types, seed)
    return with_more(primal, inner, given, [outputs.index(i) for i in chosen])


def with_more(
    primal: Program, inner: tuple[Any, ...], given: Sequence[Tensor], places: Sequence[int]
) -> tuple[int | Tensor, ...]:
    """Sources of the inputs of `primal`, then of inputs for those at `places` of `given`.

    Those are the tensors of an argument that comes after `inner` and before what is given by name.
    """
    first, more = len(tensors_of(*inner)), tensors_of(given)
    moved = [
        source + len(more) if isinstance(source, int) and source >= first else source
        for source in primal.sources
    ]
    following = count(first)
    sources = [x if isinstance(x, Parameter) else next(following) for x in given]
    return (*moved, *(sources[place] for place in places))
