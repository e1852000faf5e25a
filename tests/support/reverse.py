"""What is the derivative of a straight-line function, in the simplest way that is right?

A reference for tests, not the product's autodiff: it runs adjoint templates and tangent rules on
values of the IR, operation by operation. The result is a function again, so a second derivative
is the derivative of a derivative. Composites without a rule are differentiated through their
body; operations with regions are refused.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.ir import builder
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.dims import alike
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import TensorType, Type, type_of


def is_float(type: Type) -> bool:
    return isinstance(type, TensorType) and type.dtype.is_float


def float_places(types: Sequence[Type]) -> tuple[int, ...]:
    return tuple(i for i, type in enumerate(types) if is_float(type))


def vjp(function: Function, wrt: Sequence[int] | None = None) -> Function:
    """Inputs, and a cotangent a float result, to the results, and a cotangent an input of `wrt`.

    `wrt` are places of float inputs, all of them when None. What no result depends on has zeros.
    """
    wrt = float_places(function.input_types) if wrt is None else tuple(wrt)
    places = float_places(function.result_types)
    count = len(function.args)

    def run(*values: Value) -> tuple[Value, ...]:
        primals = values[:count]
        results = _inline(function, primals, lambda prim, _: prim.adjoint_rule is not None)
        cotangents: dict[Value, Value] = {}
        operations = list(builder.current().region.operations)
        for place, dout in zip(places, values[count:], strict=True):
            _accumulate(cotangents, results[place], dout)
        for operation in reversed(operations):
            _pull(operation, cotangents)
        return (*results, *(_or_zero(cotangents.get(primals[i]), primals[i].type) for i in wrt))

    types = [*function.input_types, *(function.result_types[i] for i in places)]
    return build_function(run, types, name=f"{function.name}_vjp")


def jvp(function: Function, wrt: Sequence[int] | None = None) -> Function:
    """Inputs, and a tangent an input of `wrt`, to the results, and a tangent a float result."""
    wrt = float_places(function.input_types) if wrt is None else tuple(wrt)
    places = float_places(function.result_types)
    count = len(function.args)

    def run(*values: Value) -> tuple[Value, ...]:
        primals = values[:count]
        results = _inline(function, primals, _has_tangent)
        tangents = {primals[i]: t for i, t in zip(wrt, values[count:], strict=True)}
        for operation in list(builder.current().region.operations):
            _push(operation, tangents)
        return (*results, *(_or_zero(tangents.get(results[i]), results[i].type) for i in places))

    types = [*function.input_types, *(function.input_types[i] for i in wrt)]
    return build_function(run, types, name=f"{function.name}_jvp")


def gradient(function: Function, wrt: Sequence[int] | None = None) -> Function:
    """`vjp` without the results: inputs and cotangents to cotangents."""
    joint = vjp(function, wrt)
    joint.body.set_reads(joint.results[len(function.results) :])
    joint.tree = str(tuple(range(len(joint.results))))
    return joint


def gradients_at(prim: Primitive, *operands: Any, **attrs: Any) -> tuple[np.ndarray, ...]:
    """Cotangents of the float operands where those of the results, float64, are ones."""
    types = [type_of(x) for x in operands]
    program = build_function(lambda *v: prim(*v, **attrs), types)
    ones = [np.ones_like(x) for x in evaluate(program, operands) if is_float(type_of(x))]
    return evaluate(gradient(program), [*operands, *ones])


#: Whether a composite, on operands, stays whole.
Keep = Callable[[Primitive, Sequence[Value]], bool]


def _inline(function: Function, args: Sequence[Value], keep: Keep) -> list[Value]:
    """Emit the operations of `function`; composites stay whole where `keep` holds for them."""
    known = dict(zip(function.args, args, strict=True))
    for operation in function.body.operations:
        if operation.regions:
            raise NotImplementedError(f"{operation.prim} has regions")
        operands = [known[value] for value in operation.operands]
        results = _emit(operation.prim, operands, dict(operation.attrs), keep)
        known.update(zip(operation.results, results, strict=True))
    return [known[value] for value in function.results]


def _emit(
    prim: Primitive, operands: list[Value], attrs: dict[str, Any], keep: Keep
) -> Sequence[Value]:
    body = prim.body
    if body is None or prim.nondiff or keep(prim, operands):
        return as_tuple(builder.current().emit(prim, operands, attrs))
    traced = build_function(lambda *v: body(*v, **attrs), [v.type for v in operands])
    return _inline(traced, operands, keep)


def _pull(operation: Operation, cotangents: dict[Value, Value]) -> None:
    """Add to the cotangents of the operands what those of the results contribute."""
    prim = operation.prim
    douts = tuple(cotangents.get(result) for result in operation.results)
    if prim.nondiff or all(dout is None for dout in douts):
        return
    assert prim.adjoint_rule is not None, f"{prim} has no adjoint"
    out, dout = _single(operation.results), _single(douts)
    found = call_rule(prim.adjoint_rule, (*operation.operands, out, dout), operation.attrs)
    assert isinstance(found, tuple), f"the adjoint of {prim} must return a tuple"
    assert len(found) == len(operation.operands), f"the adjoint of {prim}: one a primal"
    for operand, cotangent in zip(operation.operands, found, strict=True):
        if cotangent is not None:
            assert isinstance(cotangent, Value), f"the adjoint of {prim} returns {cotangent!r}"
            assert is_float(operand.type), f"the adjoint of {prim} returns one for {operand.type}"
            _accumulate(cotangents, operand, _sum_to(cotangent, operand.tensor_type))


def _sum_to(cotangent: Value, type: TensorType) -> Value:
    if not alike(cotangent.shape, type.shape):
        cotangent = p.sum_to(cotangent, shape=type.shape)
    assert cotangent.type == type, f"the cotangent of {type} is {cotangent.type}"
    return cotangent


def _accumulate(cotangents: dict[Value, Value], value: Value, cotangent: Value) -> None:
    known = cotangents.get(value)
    cotangents[value] = cotangent if known is None else p.add(known, cotangent)


def _groups(prim: Primitive, count: int) -> tuple[tuple[int, ...], ...]:
    """The groups of positions in which `prim` is linear jointly."""
    if prim.linear == "all":
        return (tuple(range(count)),)
    return tuple(group if isinstance(group, tuple) else (group,) for group in prim.linear)


def _is_linear(prim: Primitive, count: int, active: set[int]) -> bool:
    return active <= {i for group in _groups(prim, count) for i in group}


def _has_tangent(prim: Primitive, operands: Sequence[Value]) -> bool:
    elementwise = prim.has(Trait.ELEMENTWISE) and prim.adjoint_rule is not None
    if prim.tangent_rule is not None or elementwise:
        return True
    return _is_linear(prim, len(operands), set(float_places([v.type for v in operands])))


def _push(operation: Operation, tangents: dict[Value, Value]) -> None:
    """Set the tangents of the results from those of the operands."""
    prim, operands = operation.prim, operation.operands
    dots = tuple(tangents.get(operand) for operand in operands)
    active = {i for i, dot in enumerate(dots) if dot is not None}
    if prim.nondiff or not active or not float_places([v.type for v in operation.results]):
        return
    if prim.tangent_rule is not None:
        out = _single(operation.results)
        found = as_tuple(call_rule(prim.tangent_rule, (*operands, out, dots), operation.attrs))
    elif _is_linear(prim, len(operands), active):
        groups = [g for g in _groups(prim, len(operands)) if active & set(g)]
        found = _linear_tangent(operation, dots, groups)
    else:
        elementwise = prim.has(Trait.ELEMENTWISE) and prim.adjoint_rule is not None
        assert elementwise, f"{prim} has no tangent for the operands {sorted(active)}"
        found = (_elementwise_tangent(operation, dots),)
    for result, dot in zip(operation.results, found, strict=True):
        if dot is not None:
            assert isinstance(dot, Value), f"the tangent of {prim} returns {dot!r}"
            assert dot.type == result.type, f"the tangent of {result.type} is {dot.type}"
            tangents[result] = dot


def _linear_tangent(
    operation: Operation, dots: Sequence[Value | None], groups: Sequence[tuple[int, ...]]
) -> tuple[Value, ...]:
    total: tuple[Value, ...] = ()
    for group in groups:
        moved = list(operation.operands)
        for i in group:
            if is_float(moved[i].type):
                moved[i] = _or_zero(dots[i], moved[i].type)
        term = as_tuple(builder.current().emit(operation.prim, moved, dict(operation.attrs)))
        total = tuple(map(p.add, total, term)) if total else term
    return total


def _elementwise_tangent(operation: Operation, dots: Sequence[Value | None]) -> Value | None:
    """The adjoint with each tangent for ``dout``, summed over the operands."""
    rule, total = operation.prim.adjoint_rule, None
    assert rule is not None
    for i, dot in enumerate(dots):
        if dot is None:
            continue
        term = call_rule(rule, (*operation.operands, operation.result, dot), operation.attrs)[i]
        if term is not None:
            total = term if total is None else p.add(total, term)
    if total is None or total.type == operation.result.type:
        return total
    return p.add(total, p.const(0.0, operation.result.type))  # the tangent of a broadcast


def call_rule(rule: Callable[..., Any], values: Sequence[Any], attrs: Any) -> Any:
    """`rule` on `values`, with those attributes that it names.

    A variadic rule takes the last two, ``out`` and ``dout`` or ``tangents``, by keyword.
    """
    parameters = inspect.signature(rule).parameters.values()
    wanted = [x.name for x in parameters if x.kind is x.KEYWORD_ONLY]
    given = {name: attrs[name] for name in attrs if name in wanted}
    if any(x.kind is x.VAR_POSITIONAL for x in parameters):
        given.update(zip(wanted[:2], values[-2:], strict=True))
        values = values[:-2]
    return rule(*values, **given)


def _single(items: Sequence[Any]) -> Any:
    return items[0] if len(items) == 1 else tuple(items)


def _or_zero(value: Value | None, type: Type) -> Value:
    return p.const(0.0, type) if value is None else value
