"""Which results has ``grad(f)``, and in what form does the caller get them?

Forms are MindSpore's: a bare gradient for one argument or one Parameter, else a tuple; a pair where
both are asked for. An argument that holds no tensor has no gradient, a container of tensors has a
container of gradients.

Whoever calls says what the leaves of its trees are: results of a program where a transform is
called from outside, values of the IR where compiled code calls it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.mutable import Mutable
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.core.transform import EVERY, Transform
from s2sad.core.trees import Known
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir.graph import Value


@dataclass(frozen=True)
class Gradients:
    """What the gradients of one call are.

    Attributes
    ----------
    by_input : list of (int, tree)
        Positions that have a gradient, each with a tree like the argument.
    by_weight : list of (Parameter, leaf)
    """

    by_input: list[tuple[int, Any]]
    by_weight: list[tuple[Parameter, Any]]

    @property
    def leaves(self) -> list[Any]:
        """Leaves of all, in order."""
        return leaves([*(tree for _, tree in self.by_input), *(leaf for _, leaf in self.by_weight)])

    def map(self, change: Callable[[Any], Any]) -> Gradients:
        """The same with `change` applied to each leaf, in order."""
        return Gradients(
            [(i, map_leaves(tree, change)) for i, tree in self.by_input],
            [(weight, change(leaf)) for weight, leaf in self.by_weight],
        )


def is_tensor(leaf: Any) -> bool:
    """Whether a leaf is tensor data: a tensor, or a value of the IR that stands for one."""
    return isinstance(leaf, (Tensor, Mutable, Value))


def tensors_in(tree: Any) -> list[Any]:
    """Leaves of `tree` that are tensor data, in order."""
    return [leaf for leaf in leaves(tree) if is_tensor(leaf)]


def differentiated(transform: Transform, outputs: Any) -> Any:
    """The part of `outputs` whose sum is differentiated: all of it, or the first output.

    Raises
    ------
    S2sadError
        E0404 for `has_aux` with one output.
    """
    if not transform.has_aux:
        return with_tensors(transform, outputs)
    if not isinstance(outputs, (tuple, list)) or len(outputs) < 2:
        raise fail(
            "E0404", "has_aux needs a function with at least two outputs",
            help="return the loss, then what is given besides: return loss, logits",
        )  # fmt: skip
    return with_tensors(transform, outputs[0])


#: What a function gives besides tensors, as far as forms hold it as it stands.
STATIC = (Known, bool, float, str, bytes, complex, DType)


def with_tensors(transform: Transform, outputs: Any) -> Any:
    """`outputs` of a function, of which there is a derivative (E0307).

    A gradient passes over what is no tensor; tangents and cotangents stand for each of the outputs.
    """
    found = [leaf for leaf in leaves(outputs) if leaf is not None]
    static = [leaf for leaf in found if isinstance(leaf, STATIC)]
    if static and (len(static) == len(found) or transform.kind not in ("grad", "value_and_grad")):
        leaf = static[0].value if isinstance(static[0], Known) else static[0]
        kind = type(leaf).__name__
        raise fail(
            "E0307", f"a function that is differentiated gives tensors; got a {kind}",
            help="give the rest beside it: has_aux=True, or from another function",
        )  # fmt: skip
    return outputs


def asked_positions(transform: Transform, args: Sequence[Any]) -> list[int]:
    """Positions of the arguments `args` that have a gradient, in the order asked for.

    Raises
    ------
    S2sadError
        E0308 for a position beyond the arguments, and where none of those asked for holds a tensor;
        E0301 for a gradient by a tensor of integers or bools. In containers these get zeros.
    """
    position = transform.grad_position
    if position is EVERY:
        return [i for i, argument in enumerate(args) if any(map(is_tensor, leaves(argument)))]
    asked = position if isinstance(position, tuple) else () if position is None else (position,)
    for missing in (i for i in asked if i >= len(args)):
        count = len(args)
        what = f"none of the {count} arguments" if count != 1 else "no argument: there is one"
        raise fail(
            "E0308", f"grad_position {missing} names {what}",
            help="the first argument is 0; Parameters are asked for by weights",
        )  # fmt: skip
    found = [i for i in asked if any(map(is_tensor, leaves(args[i])))]
    if asked and not found:
        names = ", ".join(map(str, asked))
        raise fail("E0308", f"grad_position {names} names no Tensor among the arguments")
    if transform.kind in ("grad", "value_and_grad", "jacfwd", "jacrev"):
        for i in found:
            _require_float(args[i], i)
    return found


def _require_float(argument: Any, position: int) -> None:
    """E0301 for a tensor of integers or bools: zeros would look like its gradient."""
    if is_tensor(argument) and not argument.dtype.is_float:
        raise fail(
            "E0301", f"grad_position {position} names a tensor of {argument.dtype.name}, which has "
            "no gradient",
            help="cast it to a float dtype before the call, or ask for other positions",
        )  # fmt: skip


def asked_weights(transform: Transform) -> tuple[Parameter, ...]:
    """Parameters that have a gradient, in the order asked for."""
    given = transform.weights
    return (given,) if isinstance(given, Parameter) else given or ()


def arranged(
    transform: Transform,
    outputs: Any,
    gradients: Gradients,
    label: Callable[[int | Parameter], Any],
) -> Any:
    """What the caller of a gradient gets.

    Parameters
    ----------
    transform : Transform
    outputs : tree
        What the function gives.
    gradients : Gradients
    label : callable
        What comes with the gradient of a position or a Parameter, for `return_ids`.
    """
    found = _gradients(transform, gradients, label)
    if transform.kind == "value_and_grad":
        return outputs, found
    return (found, tuple(outputs[1:])) if transform.has_aux else found


def _gradients(
    transform: Transform, gradients: Gradients, label: Callable[[int | Parameter], Any]
) -> Any:
    def labelled(of: int | Parameter, gradient: Any) -> Any:
        return (label(of), gradient) if transform.return_ids else gradient

    inputs = [labelled(i, gradient) for i, gradient in gradients.by_input]
    weights = [labelled(weight, gradient) for weight, gradient in gradients.by_weight]
    is_bare = len(inputs) == 1 and transform.grad_position is not EVERY
    of_inputs = inputs[0] if is_bare else tuple(inputs)
    of_weights = weights[0] if isinstance(transform.weights, Parameter) else tuple(weights)
    if transform.weights is None:
        return of_inputs
    return of_weights if transform.grad_position is None else (of_inputs, of_weights)


def beside_aux(transform: Transform, outputs: Any, derived: Any) -> Any:
    """``(output, derived)`` of `jvp` and `vjp`; with `has_aux` the other outputs come third.

    One of those comes bare, several as a tuple.
    """
    if not transform.has_aux:
        return outputs, derived
    first, *others = outputs
    return first, derived, others[0] if len(others) == 1 else tuple(others)


def of_pullback(transform: Transform, gradients: Gradients) -> Any:
    """What a pullback gives: a tuple over inputs, also over one, and weights beside it."""
    of_inputs = tuple(gradient for _, gradient in gradients.by_input)
    of_weights = tuple(gradient for _, gradient in gradients.by_weight)
    if transform.weights is None:
        return of_inputs
    return of_inputs, of_weights[0] if isinstance(transform.weights, Parameter) else of_weights
