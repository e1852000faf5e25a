"""What does a call of `vjp` become: which two programs, bound to what?

The joint program of the function, with the cotangents of its output as inputs, is split in two. The
forward half runs at once; the backward half when the pullback is called.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from s2sad.autodiff.readable import Names, names_in, settle_names
from s2sad.autodiff.reverse import differentiate
from s2sad.autodiff.split import Residual, split
from s2sad.binding.gradients import (
    gradient_at,
    inputs_of,
    literal_form,
    numbers,
    put_down,
    results_in,
    trained_place,
)
from s2sad.binding.program import Program
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.transform import Transform
from s2sad.frontend import forms
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir.graph import Function
from s2sad.ir.outcome import spelled
from s2sad.prims.marker import differentiable


@dataclass
class Vjp:
    """The joint program of a call of `vjp`.

    Attributes
    ----------
    transform : Transform
    program : Program
        Its results: the function's, the gradients, what is written; its form is the pair of the
        first two. Its sources are those of the function's inputs; the cotangents come after these.
    outputs : tree
        The differentiated outputs, as numbers of results.
    cotangents : tuple of int
        Results that have a cotangent, in order.
    weights : tuple of Parameter
        Those that have a gradient, in order.
    names : Names
        What is called how.
    """

    transform: Transform
    program: Program
    outputs: Any
    cotangents: tuple[int, ...]
    weights: tuple[Parameter, ...]
    names: Names = field(repr=False)

    def split(self) -> Split:
        """The two programs, as the passes have left the joint one."""
        program = self.program
        outputs, gradients = program.form
        first = len(numbers(outputs))
        halves = split(program.function, range(first, program.count), len(self.cotangents))
        settle_names(halves, self.names)
        form = map_leaves(gradients, lambda x: x - first if type(x) is int else x)
        halves.forward.tree = spelled(literal_form(outputs))
        halves.backward.tree = spelled(literal_form(form))
        forward = Program(
            halves.forward, program.guards, program.sources, program.written, outputs
        )  # fmt: skip
        return Split(self, forward, halves.backward, halves.residuals, form)


@dataclass
class Split:
    """The two programs of a call of `vjp`.

    Attributes
    ----------
    vjp : Vjp
    forward : Program
        Its results: the function's, the residuals that it makes, what is written.
    backward : Function
        Takes the residuals and the cotangents.
    residuals : tuple of Residual
        Where they are found.
    form : tree
        What a pullback gives, as numbers of results of `backward`.
    """

    vjp: Vjp
    forward: Program
    backward: Function
    residuals: tuple[Residual, ...]
    form: Any


def vjp_program(transform: Transform, primal: Program, args: Sequence[Any]) -> Vjp:
    """The joint program of a call of `transform`, given that of the function.

    Parameters
    ----------
    transform : Transform
        Of kind ``"vjp"``. Without positions and weights it is with respect to all arguments and all
        Parameters that the function reads and that have `requires_grad`.
    primal : Program
        Every operation has an adjoint, or a reason for having none.
    args : sequence
        Of the call.

    Raises
    ------
    S2sadError
        E0308 where there is nothing to differentiate with respect to, E0404 for `has_aux` with one
        output, and those of differentiation.
    """
    places = _places(transform, primal, args)
    outputs = forms.differentiated(transform, primal.form)
    types = primal.function.result_types
    chosen = [i for i in numbers(outputs) if differentiable([types[i]])]
    wrt = sorted({place for place in places.leaves if type(place) is int})
    joint = differentiate(primal.function, wrt, chosen, seeded=True)
    names = names_in(primal.function, joint)
    found = dict(zip(wrt, joint.results[len(types) :], strict=True))
    gradients = places.map(lambda place: gradient_at(joint, found, place))
    tree = (results_in(joint, primal.form), _arranged(transform, gradients))
    form = put_down(joint, primal, tree)
    program = Program(joint, primal.guards, primal.sources, primal.written, form)
    weights = tuple(weight for weight, _ in places.by_weight)
    return Vjp(transform, program, outputs, tuple(chosen), weights, names)


def is_of_everything(transform: Transform) -> bool:
    """Whether a `vjp` is with respect to all that has a gradient."""
    return transform.grad_position is None and transform.weights is None


def _places(transform: Transform, primal: Program, args: Sequence[Any]) -> forms.Gradients:
    """Inputs of the primal for all that has a gradient."""
    by_input = [(i, inputs_of(primal, args, i)) for i in range(len(args))]
    if is_of_everything(transform):
        hidden = [source for source in primal.sources if isinstance(source, Parameter)]
        found = [(weight, trained_place(primal, weight)) for weight in hidden]
        trained = [(weight, place) for weight, place in found if type(place) is int]
        return forms.Gradients(by_input, trained)
    by_input = [(i, tree) for i, tree in by_input if any(x is not None for x in leaves(tree))]
    weights = forms.asked_weights(transform)
    if not by_input and transform.weights is None:
        raise fail("E0308", "no argument is a Tensor: there is nothing to differentiate")
    return forms.Gradients(
        by_input, [(weight, trained_place(primal, weight)) for weight in weights]
    )


def _arranged(transform: Transform, gradients: forms.Gradients) -> Any:
    """What a pullback gives; of everything, weights are a tuple in the order of `Vjp.weights`."""
    if not is_of_everything(transform):
        return forms.of_pullback(transform, gradients)
    of_inputs = tuple(gradient for _, gradient in gradients.by_input)
    return of_inputs, tuple(gradient for _, gradient in gradients.by_weight)
