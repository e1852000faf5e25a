"""What does a hook become in compiled code?

One `hook` operation, whose region is what the functions make of the gradient. What these read from
around them are operands of it, and so is the token where they have effects. Where no derivative is
taken it is nothing at all.

A hook of a Parameter, or of a Tensor from outside, is about the gradient by that. So a derivative
that is taken in compiled code hands its gradients through the hooks, and one that is taken of the
whole program has a `hook` where the input enters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.hooks import Entry, Hook, checked, register_hook
from s2sad.core.location import Location
from s2sad.core.parameter import Parameter
from s2sad.core.precision import stored
from s2sad.core.shown import shown
from s2sad.core.signatures import fitted
from s2sad.core.stores import Store
from s2sad.frontend.bodies import Body
from s2sad.frontend.callee import start_of
from s2sad.frontend.carried import write_back, written_now
from s2sad.frontend.effects import HOST
from s2sad.frontend.expressions import CALL
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame, Session
from s2sad.frontend.regions import isolated, read_part
from s2sad.frontend.writes import link_loops, replace
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder, as_tuple
from s2sad.ir.graph import Value
from s2sad.ir.rewriter import outer_values
from s2sad.prims.marker import differentiable
from s2sad.prims.rules import tensor

HOOK = p.ALL["hook"]


class Rule:
    """A function of the user's, as messages have it.

    Attributes
    ----------
    function : callable
    name : str
    """

    def __init__(self, function: Any, name: str) -> None:
        self.function = function
        self.name = name

    @property
    def place(self) -> Location | None:
        return start_of(self.function)

    def refuse(self, code: str, what: str, help: str | None = None) -> Exception:  # noqa: A002
        return fail(code, f"{self.name} {what}", location=self.place, help=help)

    def of_type(self, found: Any, dx: Value) -> Value:
        """What the function gives for the gradient `dx`, which must have its type; None is that."""
        if found is None:
            return dx
        if not is_tensor(found):
            raise self.refuse("E0304", f"gives a gradient, a Tensor, or None; got {shown(found)}")
        value = builders.current().value(found)
        if value.type != dx.type:
            code = "E0401" if tensor(value.type).dtype is dx.dtype else "E0301"
            raise self.refuse(code, f"gives {value.type} for a gradient of {dx.type}")
        return value


#: ``back(gradients)``: gradients for gradients.
Back = Callable[[list[Value]], list[Value]]


def insert(
    frame: Frame, values: Sequence[Value], back: Back, rule: Rule, *, asks: bool = False
) -> list[Value]:
    """`values`, whose gradients go through `back` on their way to what they were.

    Parameters
    ----------
    rule : Rule
        Whose fault it is where `back` writes what it may not.
    asks : bool
        Whether effects of `back` are had in any case.

    Raises
    ------
    S2sadError
        E0104 where `back` writes a Parameter or draws random numbers.
    """
    session = frame.session
    with session.differentiating(-1):
        part = read_part(frame, [list(values)], {}, lambda given, _: back(given[0]))
    if any(session.captures[key].tensor is not HOST for key in part.written):
        raise rule.refuse(
            "E0104", "writes a Parameter or draws random numbers, which a hook cannot",
            help="let the function that is differentiated return what is to be kept",
        )  # fmt: skip
    outside = outer_values([part.region])
    attrs = {"count": len(values), "asks": asks and bool(part.written)}
    regions = {"body": isolated(part.region, outside, len(values))}
    found = as_tuple(builders.current().emit(HOOK, [*values, *outside], attrs, regions))
    for key in part.written:
        session.captures[key].written = found[-1]
    return list(found[: len(values)])


def has_gradient(frame: Frame, value: Value) -> bool:
    """Whether `value` may get a gradient where it stands."""
    return bool(frame.session.order) and bool(differentiable([value.type]))


# ---- hooks in a program --------------------------------------------------------------------------


def call_hook(frame: Frame, hook: Hook, x: Any) -> Any:
    """What ``hook(x)`` gives.

    Raises
    ------
    S2sadError
        E0304 for an `x` that is no Tensor, E0301 and E0401 for a gradient of another type, and
        those of `insert`.
    """
    if not is_tensor(x):
        raise fail("E0304", f"a hook takes a Tensor, got {shown(x)}")
    value = builders.current().value(x)
    if not has_gradient(frame, value):
        return value
    rule = Rule(frame.session.guards.attribute(hook, "function", hook.name), hook.name)

    def back(gradients: list[Value]) -> list[Value]:
        (dx,) = gradients
        found = CALL[0](frame, rule.function, [(dx,) if hook.in_tuple else dx], {})
        if hook.in_tuple and isinstance(found, (tuple, list)) and len(found) == 1:
            (found,) = found
        return [rule.of_type(found, dx)]

    return insert(frame, [value], back, rule)[0]


class Attached:
    """What registering a hook in compiled code gives there."""

    def remove(self) -> None:
        raise fail(
            "E0104", "a hook that compiled code registers cannot be taken away again",
            help="register it only where it is to act, or register it outside of compiled code",
        )  # fmt: skip


def call_register_hook(frame: Frame, owner: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``owner.register_hook(hook)``: all names of the tensor hold one with that hook from now on.

    Raises
    ------
    S2sadError
        E0104 for a Parameter or a Tensor from outside, E0304 for what cannot be called, and those
        of `call_hook`.
    """
    signature = inspect.signature(register_hook)
    _, given = fitted("register_hook", signature, [owner, *args], kwargs).args
    entry = Entry(checked(given, "register_hook takes a function of the gradient"))
    owner = stored(owner)
    if not isinstance(owner, Value):
        kind = "Parameter" if isinstance(owner, Parameter) else "Tensor from outside"
        raise fail(
            "E0104", f"a hook of a {kind} cannot be registered in compiled code, once a call",
            help=f"register it where the {kind.partition(' ')[0]} is made",
        )  # fmt: skip
    if has_gradient(frame, owner):
        value, entries = frame.session.hooked.get(owner, (owner, ()))
        entries = (*entries, entry)
        hooked = _with_hooks(frame, value, entries)
        link_loops(frame.session, owner)
        replace(frame, owner, hooked)
        frame.session.hooked[hooked] = value, entries
    return Attached()


def _with_hooks(frame: Frame, value: Value, entries: Iterable[Entry]) -> Value:
    rules = [_rule(entry) for entry in entries]
    back = lambda gradients: [_through(frame, rules, gradients[0])]  # noqa: E731
    return insert(frame, [value], back, rules[-1])[0]


def _rule(entry: Entry) -> Rule:
    return Rule(entry.function, "the function of register_hook")


def _through(frame: Frame, rules: Iterable[Rule], dx: Value) -> Value:
    """What hooks make of the gradient `dx`, one after the other."""
    for rule in rules:
        dx = rule.of_type(CALL[0](frame, rule.function, [dx], {}), dx)
    return dx


# ---- hooks of Parameters, and of Tensors from outside --------------------------------------------


def at_entry(
    frame: Frame, results: list[Value], stores: list[tuple[Store, Value]]
) -> tuple[list[Value], list[tuple[Store, Value]]]:
    """Let the hooks of a program's inputs see its gradients; what it gives then.

    Parameters
    ----------
    results, stores
        What it gives so far.
    """
    session = frame.session
    if not session.order:
        return results, stores
    new: dict[Value, Value] = {}
    for value, entries in [*session.hooks_of_inputs.items(), *_hooks_of_parameters(session)]:
        if entries and has_gradient(frame, value):
            new[value] = _entered(frame, value, entries)
    for capture in session.captures.values():
        if capture.written is not None:
            capture.written = new.get(capture.written, capture.written)
    return (
        [new.get(value, value) for value in results],
        [(store, new.get(value, value)) for store, value in stores],
    )


def _hooks_of_parameters(session: Session) -> list[tuple[Value, tuple[Entry, ...]]]:
    captures = [c for c in session.captures.values() if isinstance(c.tensor, Parameter)]
    return [(c.value, _hooks_of(session, c.tensor)) for c in captures]


def _hooks_of(session: Session, parameter: Any) -> tuple[Entry, ...]:
    return session.guards.attribute(parameter, "_hooks", f"{parameter.name}.register_hook")


def _entered(frame: Frame, value: Value, entries: tuple[Entry, ...]) -> Value:
    """An input of the program with its hooks, which all that reads it reads from now on."""
    session = frame.session
    before, held = written_now(frame), session.captures.get(id(HOST))
    readers = list(value.uses)
    effects = [] if held is None else list(held.value.uses)
    write_back(frame, {})  # what hooks read is as it was when the program began
    with Builder(session.region, at=0).active():
        hooked = _with_hooks(frame, value, entries)
    token = written_now(frame).get(id(HOST))
    for use in readers:
        use.user.set_read(use.index, hooked)
    write_back(frame, before)
    if token is not None:
        for use in effects:
            use.user.set_read(use.index, token)
        host = session.captures[id(HOST)]
        host.written = token if host.written is None else host.written
    return hooked


def through_hooks(frame: Frame, body: Body, known: dict[int, Value]) -> dict[int, Value]:
    """Gradients by operands of `body`, as hooks of Parameters and inputs among these leave them."""
    found: dict[int, Value] = {}
    for place, dx in known.items():
        rules = map(_rule, _hooks_of_operand(frame.session, body, place))
        found[place] = _through(frame, rules, dx)
    return found


def _hooks_of_operand(session: Session, body: Body, place: int) -> tuple[Entry, ...]:
    for key, operand in body.parameters.items():
        if operand == place:
            return _hooks_of(session, session.captures[key].tensor)
    return session.hooks_of_inputs.get(body.operands[place], ())


def refuse_hooks(session: Session, body: Body, places: Iterable[int]) -> None:
    """E0104 for hooks of what a Jacobian is by: there is no one gradient that they could see."""
    if any(_hooks_of_operand(session, body, place) for place in places):
        raise fail(
            "E0104", "a Jacobian is not one gradient, which the hooks of a Tensor could see",
            help="remove them before, or register them inside of the function",
        )  # fmt: skip
