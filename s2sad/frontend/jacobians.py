"""What does calling ``jacfwd(f)`` or ``jacrev(f)`` become in compiled code?

A map of tangents pushed forward, or of cotangents pulled back, over the elements of an argument or
an output; the function is read once.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.transform import Transform
from s2sad.frontend import forms
from s2sad.frontend.bodies import TRANSFORM, Body, Place, parameters_in, read_body
from s2sad.frontend.frame import Frame
from s2sad.frontend.hooks import refuse_hooks
from s2sad.frontend.regions import Run
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir import dims
from s2sad.ir.builder import as_tuple
from s2sad.ir.clone import copy_region
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType, i64
from s2sad.prims.cast import cast
from s2sad.prims.rules import tensor
from s2sad.prims.shape import filled

#: The Jacobian of a result with respect to an operand.
Jacobians = dict[tuple[int, int], Value]


def call_jacobian(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any], run: Run
) -> Any:
    """What a call of a ``"jacfwd"`` or a ``"jacrev"`` gives.

    Raises
    ------
    S2sadError
        Those of `s2sad.jacfwd`.
    """
    positions = forms.asked_positions(transform, args)
    body = read_body(frame, args, kwargs, parameters_in([args[i] for i in positions]), run)
    outputs = body.differentiated_outputs(transform)
    chosen = body.differentiated(outputs)
    inputs = [body.inputs[i] for i in positions]
    wrt = sorted({i for i in leaves(inputs) if i is not None and body.has_cotangent(i)})
    if transform.kind == "jacrev":
        refuse_hooks(frame.session, body, wrt)
    values, _ = body.emit("value_and_grad", (), ())
    body.write(values)
    known = (_forward if transform.kind == "jacfwd" else _backward)(body, wrt, chosen)

    def jacobian(result: Any) -> Any:
        if not isinstance(result, Place):
            return result
        found = [map_leaves(x, lambda of: _at(body, known, result.index, of)) for x in inputs]
        return found[0] if len(found) == 1 else tuple(found)

    jacobians = map_leaves(outputs, jacobian)
    if not transform.has_aux:
        return jacobians
    _, *others = body.outputs(values)
    return jacobians, others[0] if len(others) == 1 else tuple(others)


def _at(body: Body, known: Jacobians, result: int, operand: int | None) -> Value | None:
    """The Jacobian of a result by an operand: one that is `known`, or zeros."""
    if operand is None:
        return None
    out, of = tensor(body.region.yields[result].type), tensor(body.operands[operand].type)
    if (result, operand) in known:
        return known[result, operand]
    return filled(0, TensorType(out.dtype, (*out.shape, *of.shape)))


def _backward(body: Body, wrt: list[int], chosen: list[int]) -> Jacobians:
    """By a cotangent for each element of each result."""
    found: Jacobians = {}
    for result in chosen if wrt else ():
        out = tensor(body.region.yields[result].type)
        attrs = {"kind": "vjp", "wrt": tuple(wrt), "results": (result,)}
        rows = _mapped(body, out, attrs, [0] * len(wrt))
        for operand, value in zip(wrt, rows, strict=True):
            shape = (*out.shape, *body.operands[operand].shape)
            found[result, operand] = p.reshape(value, shape=shape)
    return found


def _forward(body: Body, wrt: list[int], chosen: list[int]) -> Jacobians:
    """By a tangent for each element of each operand."""
    found: Jacobians = {}
    outs = [tensor(body.region.yields[i].type) for i in chosen]
    for operand in wrt if chosen else ():
        of = tensor(body.operands[operand].type)
        attrs = {"kind": "jvp", "wrt": (operand,), "results": tuple(chosen)}
        rows = _mapped(body, of, attrs, [out.ndim for out in outs])
        for result, out, value in zip(chosen, outs, rows, strict=True):
            found[result, operand] = p.reshape(value, shape=(*out.shape, *of.shape))
    return found


def _mapped(
    body: Body, of: TensorType, attrs: dict[str, Any], out_axes: list[int]
) -> tuple[Value, ...]:
    """What is derived along each element of a tensor of the type `of`."""
    builder, count = builders.current(), len(out_axes)
    body = body.later()
    effects = sum(value.type.is_linear for value in body.region.yields)

    def along(*operands: Value) -> tuple[Value, ...]:
        regions = {"body": copy_region(body.region, {})}
        found = as_tuple(builders.current().emit(TRANSFORM, operands, attrs, regions))
        tokens = (value for value in found if value.type.is_linear)
        return *tokens, *found[len(found) - count :]

    in_axes = (*[None] * len(body.operands), 0)
    axes = (*[None] * effects, *out_axes)
    mapped = {"kind": "vmap", "results": (), "in_axes": in_axes, "out_axes": axes}
    operands = [*body.operands, _basis(of)]
    found = as_tuple(builder.emit(TRANSFORM, operands, mapped, {"body": along}))
    body.write_effects(found[:effects])
    return found[effects:]


def _basis(of: TensorType) -> Value:
    """The unit tensors of a type, along an axis in front."""
    size = dims.size(of.shape)
    row = p.iota(dtype=i64.dtype, shape=(size, 1))
    column = p.iota(dtype=i64.dtype, shape=(1, size), axis=1)
    return p.reshape(cast(p.equal(row, column), dtype=of.dtype), shape=(size, *of.shape))
