"""What does calling ``grad(f)``, `jvp`, `vjp` and their kind become in compiled code?

One `transform` operation, whose region is what the function computes; `forms` says what the caller
gets, as it does for calls from outside. What the function leaves in Parameters are results of the
operation as well.

A pullback is a Python object while compiling. Calling it emits a transform of its own, which
computes the outputs again; where those are equal operations, the two become one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.transform import Transform
from s2sad.frontend import forms, seeds
from s2sad.frontend.bodies import Body, Place, parameters_in, read_body, results_in
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.hooks import through_hooks
from s2sad.frontend.jacobians import call_jacobian
from s2sad.frontend.maps import call_map
from s2sad.frontend.regions import Run
from s2sad.frontend.trees import leaves, map_leaves


def call_transform(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any], run: Run
) -> Any:
    """What a call of `transform` gives in compiled code.

    Parameters
    ----------
    args, kwargs
        Of the call, by position where that is possible; with `sens_param` the cotangent, or the
        tuple of tangents, is the last of `args`.
    run : callable
        Calls the function that is transformed.

    Raises
    ------
    S2sadError
        What the same call raises outside of compiled code.
    """
    if transform.kind == "vmap":
        return call_map(frame, transform, args, kwargs, run)
    if transform.kind in ("jacfwd", "jacrev"):
        return call_jacobian(frame, transform, args, kwargs, run)
    if transform.kind == "vjp":
        return _pullback(frame, transform, args, kwargs, run)
    if not transform.sens_param:
        return _gradient(frame, transform, args, kwargs, (), run)
    if not args:
        raise fail("E0302", "the last argument must be the output's cotangent: sens_param")
    *inner, last = args
    if transform.kind == "jvp":
        return _tangent(frame, transform, inner, last, run)
    return _gradient(frame, transform, inner, kwargs, (last,), run)


# ---- gradients -----------------------------------------------------------------------------------


def _gradient(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any],
    seed: tuple[Any, ...], run: Run,
) -> Any:  # fmt: skip
    positions = forms.asked_positions(transform, args)
    trained = _trained(frame.session, transform)
    counting = [*trained, *parameters_in([args[i] for i in positions])]
    body = read_body(frame, args, kwargs, counting, run)
    outputs = body.differentiated_outputs(transform)
    chosen = body.differentiated(outputs)
    places = forms.Gradients(
        [(i, body.inputs[i]) for i in positions], _places(transform, trained, body)
    )
    wrt = _wrt(body, places)
    cotangents = _cotangents(body, outputs, seed) if seed else {}
    only = transform.kind == "grad" and not transform.has_aux and not body.written
    kind = "vjp" if seed else "grad" if only else "value_and_grad"
    values, found = body.emit(kind, wrt, chosen, [cotangents[i] for i in chosen if seed])
    body.write(values)
    known = through_hooks(frame, body, dict(zip(wrt, found, strict=True)))
    gradients = places.map(lambda place: body.gradient(place, known))
    return forms.arranged(transform, body.outputs(values), gradients, _labels(frame.session))


def _trained(session: Session, transform: Transform) -> list[Parameter]:
    """Those of the weights that have a gradient; the others get zeros."""
    return [
        weight for weight in forms.asked_weights(transform)
        if session.guards.attribute(weight, "requires_grad", f"{weight.name}.requires_grad")
    ]  # fmt: skip


def _places(
    transform: Transform, trained: Sequence[Parameter], body: Body
) -> list[tuple[Parameter, Any]]:
    """The operand of each weight; for one without a gradient the weight itself."""
    known = {id(weight): body.parameters[id(weight)] for weight in trained}
    return [(w, known.get(id(w), w)) for w in forms.asked_weights(transform)]


def _wrt(body: Body, places: forms.Gradients) -> list[int]:
    return sorted({i for i in places.leaves if type(i) is int and body.has_cotangent(i)})


def _cotangents(body: Body, outputs: Any, seed: Any) -> dict[int, Any]:
    """The cotangent of each of the outputs."""
    places = results_in(outputs)
    types = [body.region.yields[i].type for i in places]
    return dict(zip(places, seeds.cotangents(types, seed), strict=True))


def _labels(session: Session) -> Callable[[int | Parameter], Any]:
    def label(of: int | Parameter) -> Any:
        is_name = isinstance(of, Parameter)
        return session.guards.attribute(of, "name", f"{of.name}.name") if is_name else of

    return label


# ---- tangents ------------------------------------------------------------------------------------


def _tangent(
    frame: Frame, transform: Transform, args: list[Any], given: Any, run: Run
) -> tuple[Any, ...]:
    pairs = seeds.tangents(args, given)
    body = read_body(frame, args, {}, parameters_in(args), run)
    of = zip(leaves(body.inputs), [tangent for _, tangent in pairs], strict=True)
    moving = {place: tangent for place, tangent in of if body.has_cotangent(place)}
    outputs = body.differentiated_outputs(transform)
    chosen = body.differentiated(outputs)
    values, found = body.emit("jvp", moving, chosen, moving.values())
    body.write(values)
    known = dict(zip(chosen, found, strict=True))

    def tangent(leaf: Any) -> Any:
        if not isinstance(leaf, Place):
            return leaf
        return known[leaf.index] if leaf.index in known else p.zeros_like(values[leaf.index])

    return forms.beside_aux(transform, body.outputs(values), map_leaves(outputs, tangent))


# ---- pullbacks -----------------------------------------------------------------------------------


def _pullback(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any], run: Run
) -> tuple[Any, ...]:
    trained = _trained(frame.session, transform)
    body = read_body(frame, args, kwargs, [*trained, *parameters_in(args)], run)
    inputs = [(i, x) for i, x in enumerate(body.inputs) if any(y is not None for y in leaves(x))]
    if not inputs and transform.weights is None:
        raise fail("E0308", "no argument is a Tensor: there is nothing to differentiate")
    outputs = body.differentiated_outputs(transform)
    values, _ = body.emit("value_and_grad", (), ())
    body.write(values)
    places = forms.Gradients(inputs, _places(transform, trained, body))
    return forms.beside_aux(
        transform, body.outputs(values), Pullback(frame, transform, body, outputs, places)
    )


@dataclass(eq=False)
class Pullback:
    """What `vjp` gives in compiled code: gives gradients for a cotangent there.

    Attributes
    ----------
    frame : Frame
        Where `vjp` was called.
    transform : Transform
    body : Body
    outputs : tree
        The differentiated outputs.
    places : Gradients
        Operands that have a gradient.
    """

    frame: Frame
    transform: Transform
    body: Body
    outputs: Any
    places: forms.Gradients

    def pull(self, *cotangents: Any) -> Any:
        """The gradients; see `seeds.cotangents_of_each` for what it raises."""
        body = self.body.later()
        outputs = map_leaves(self.outputs, lambda x: x.index if isinstance(x, Place) else None)
        types = [value.type for value in body.region.yields]
        given = seeds.cotangents_of_each(outputs, types, cotangents)
        chosen = body.differentiated(self.outputs)
        seed = [p.const(0, types[i]) if given[i] is None else given[i] for i in chosen]
        wrt = _wrt(body, self.places)
        values, found = body.emit("vjp", wrt, chosen, seed)
        body.write_effects(values)
        known = through_hooks(self.frame, body, dict(zip(wrt, found, strict=True)))
        return forms.of_pullback(
            self.transform, self.places.map(lambda place: body.gradient(place, known))
        )
