"""What does a call of `jvp` from outside become: which program, bound to what?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.autodiff.forward import push_forward
from s2sad.binding.gradients import inputs_of, put_down, results_in, with_more
from s2sad.binding.program import Program
from s2sad.core.transform import Transform
from s2sad.frontend import forms, seeds
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir.builder import Builder
from s2sad.prims.marker import differentiable


def tangent_program(transform: Transform, primal: Program, args: tuple[Any, ...]) -> Program:
    """The program of a call of `transform`, given that of the function which it differentiates.

    Parameters
    ----------
    transform : Transform
        Of kind ``"jvp"``.
    primal : Program
        Every operation has a tangent, or a reason for having none.
    args
        Of the call; the last is the tuple of tangents.

    Raises
    ------
    S2sadError
        Those of `seeds.tangents`, E0404 for `has_aux` with one output, and those of
        differentiation.
    """
    *inner, given = args
    pairs = seeds.tangents(inner, given)
    places = leaves([inputs_of(primal, inner, i) for i in range(len(inner))])
    types = primal.function.input_types
    moving = [
        i for i, place in enumerate(places) if type(place) is int and differentiable([types[place]])
    ]
    pushed = push_forward(primal.function, [places[i] for i in moving])
    floats = [i for i, type in enumerate(primal.function.result_types) if differentiable([type])]
    tangents = dict(zip(floats, pushed.results[len(primal.function.results) :], strict=True))

    def tangent(leaf: Any) -> Any:
        if type(leaf) is not int:
            return leaf
        with Builder(pushed.body).active():
            return tangents[leaf] if leaf in tangents else p.zeros_like(pushed.results[leaf])

    dots = map_leaves(forms.differentiated(transform, primal.form), tangent)
    tree = forms.beside_aux(transform, results_in(pushed, primal.form), dots)
    sources = with_more(primal, tuple(inner), [dot for _, dot in pairs], moving)
    return Program(pushed, primal.guards, sources, primal.written, put_down(pushed, primal, tree))
