"""What does a function become that says its own gradient: a Cell with a `bprop`, a `custom_vjp`?

One `custom` operation. Its primal region is what the function computes, its adjoint region what the
rule does. Regions of a `custom` read their arguments only, so what either reads from outside
becomes an operand as well; with respect to those there is no gradient.

The residuals of a `custom_vjp` are computed outside of the operation, like any other code, and are
operands: so a second derivative knows how they depend on the arguments. Of its two rules one
derivative less is taken than of the function, and where none is left the function itself is read:
so `fwd` and `bwd` may call it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad import prims as p
from s2sad.core.custom_vjp import CustomVjp
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.core.shown import shown
from s2sad.frontend.callee import start_of
from s2sad.frontend.carried import written_now
from s2sad.frontend.forms import is_tensor, tensors_in
from s2sad.frontend.frame import Frame
from s2sad.frontend.regions import Part, isolated, read_part
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder, as_tuple
from s2sad.ir.graph import Region, Value
from s2sad.ir.rewriter import outer_values
from s2sad.ir.types import Type
from s2sad.prims.marker import differentiable
from s2sad.prims.rules import tensor

CUSTOM = p.ALL["custom"]


@dataclass(frozen=True)
class Rule:
    """A rule of the user's own for a gradient.

    Attributes
    ----------
    run : callable
        ``run(args, out, dout)``, all trees, gives the gradients.
    count : int
        Arguments that have one, from the first on.
    name : str
        What it is called in messages.
    place : Location or None
        Where it is defined.
    """

    run: Callable[[list[Any], Any, Any], Any]
    count: int
    name: str
    place: Location | None

    def refuse(self, code: str, message: str) -> Exception:
        return fail(
            code, f"{self.name} {message}", location=self.place,
            help="return a gradient for each input, of its type, or None for zeros",
        )  # fmt: skip


def call_custom(
    frame: Frame, args: list[Any], function: Callable[[list[Any]], Any], rule: Rule
) -> Any:
    """Emit a `custom` for a call of a function with `args`; what the function gives.

    Parameters
    ----------
    function : callable
        ``function(args)``.
    rule : Rule

    Raises
    ------
    S2sadError
        E0104 when the rule writes a Parameter; E0302 for another number of gradients, E0301 and
        E0401 for a gradient of another dtype or shape than its argument.
    """
    builder = builders.current()
    args = map_leaves(args, lambda leaf: builder.value(leaf) if is_tensor(leaf) else leaf)
    part = read_part(frame, args, {}, lambda given, _: function(given))
    adjoint = _adjoint_region(frame, args, part, rule)
    outside = outer_values([part.region, adjoint])
    zeros = differentiable([value.type for value in outside])
    taken = len(part.operands)
    regions = {
        "primal": isolated(part.region, outside, taken),
        "adjoint": isolated(_with_zeros(adjoint, zeros), outside, taken),
    }
    found = as_tuple(builder.emit(CUSTOM, [*part.operands, *outside], {}, regions))
    for key, value in zip(part.written, found[len(found) - len(part.written) :], strict=True):
        frame.session.captures[key].written = value
    return _with(part.result, found)


def _adjoint_region(frame: Frame, args: list[Any], part: Part, rule: Rule) -> Region:
    """Region over inputs, results and cotangents that yields a gradient for each float input."""
    types, outs = ([value.type for value in x] for x in (part.operands, part.region.yields))
    region = Region([*types, *outs, *differentiable(outs)])
    given, rest = region.args[: len(types)], region.args[len(types) :]
    out, douts = rest[: len(outs)], iter(rest[len(outs) :])
    before = written_now(frame)
    with Builder(region).active():
        dout = [next(douts) if differentiable([v.type]) else p.zeros_like(v) for v in out]
        given_args = _with(args, given)
        found = rule.run(given_args, _with(part.result, out), _with(part.result, dout))
        region.set_reads(_gradients(given_args, found, rule))
    if any(value is not before.get(key) for key, value in written_now(frame).items()):
        raise rule.refuse(
            "E0104", "writes a Parameter or draws random numbers, which no gradient can yet"
        )
    return region


def _gradients(args: list[Any], found: Any, rule: Rule) -> list[Value]:
    """One gradient for each float input, in order, from what the rule gave."""
    given = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(given) != rule.count:
        raise rule.refuse("E0302", f"gives one gradient an input: {rule.count}, got {len(given)}")
    values: list[Value] = []
    given += [None] * (len(args) - len(given))
    for argument, gradient in zip(args, given, strict=True):
        tensors = tensors_in(argument)
        parts = [None] * len(tensors) if gradient is None else leaves(gradient)
        if tensors and len(parts) != len(tensors):
            raise rule.refuse(
                "E0302", f"gives {len(parts)} gradients for {len(tensors)} tensors of an input"
            )
        pairs = zip(tensors, parts, strict=bool(tensors))
        values += [_of_type(x, of, rule) for of, x in pairs if differentiable([of.type])]
    return values


def _of_type(gradient: Any, of: Value, rule: Rule) -> Value:
    """A gradient as a value of the type of `of`: None is zero, a number fills the shape."""
    if gradient is None:
        return p.zeros_like(of)
    if not is_tensor(gradient):
        return p.add(p.zeros_like(of), gradient)
    value = builders.current().value(gradient)
    if value.type != of.type:
        code = "E0401" if tensor(value.type).dtype is of.dtype else "E0301"
        raise rule.refuse(code, f"gives {value.type} as the gradient of an input of {of.type}")
    return value


def _with_zeros(region: Region, types: Sequence[Type]) -> Region:
    """`region`, which yields zeros of `types` besides."""
    with Builder(region).active():
        region.set_reads([*region.yields, *(p.const(0, type) for type in types)])
    return region


def _with(tree: Any, values: Sequence[Value]) -> Any:
    """`tree` with `values` for its tensors, in order."""
    rest = iter(values)
    return map_leaves(tree, lambda leaf: next(rest) if is_tensor(leaf) else leaf)


# ---- custom_vjp ----------------------------------------------------------------------------------

#: ``call(function, args)``: what a function of the user gives, by position.
Call = Callable[[Any, list[Any]], Any]


def call_custom_vjp(frame: Frame, custom: CustomVjp, args: list[Any], call: Call) -> Any:
    """What a call of `custom` gives; `args` are by position, with defaults filled in.

    Raises
    ------
    S2sadError
        E0308 where a derivative is taken and there is no rule, E0302 for a `fwd` that gives no
        pair, and those of `call_custom`.
    """
    session = frame.session
    if not session.order:
        return call(custom.function, args)
    name = custom.name
    rules = session.guards.attribute(custom, "rules", f"{name}.rules")
    if rules is None:
        raise fail("E0308", f"{name} has no gradient yet", help=f"call {name}.defvjp(fwd, bwd)")
    fwd, bwd = rules
    with session.differentiating(-1):
        pair = call(fwd, args)
    if not isinstance(pair, tuple) or len(pair) != 2:
        message = f"{_name(fwd)} gives the pair of an output and residuals, got {shown(pair)}"
        raise fail("E0302", message, location=start_of(fwd))
    fixed = [args[i] for i in custom.nondiff_argnums]
    free = [x for i, x in enumerate(args) if i not in custom.nondiff_argnums]

    def gradients(given: list[Any], out: Any, dout: Any) -> Any:
        with session.differentiating(-1):
            return call(bwd, [*fixed, given[-1], dout])

    rule = Rule(gradients, len(free), _name(bwd), start_of(bwd))
    return call_custom(frame, [*free, *pair], lambda given: given[-2], rule)


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", type(function).__name__)
