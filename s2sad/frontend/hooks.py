"""What does a hook become in compiled code?

One `hook` operation, whose region is what the user's function makes of the gradient. Where no
derivative is taken it is nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.hooks import Hook
from s2sad.frontend.callee import start_of
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame
from s2sad.ir import builder as builders
from s2sad.ir.builder import build_region
from s2sad.ir.graph import Value
from s2sad.ir.rewriter import outer_values
from s2sad.prims.marker import differentiable
from s2sad.prims.rules import tensor

HOOK = p.ALL["hook"]


def call_hook(frame: Frame, hook: Hook, x: Any, call: Callable[[Any, list[Any]], Any]) -> Any:
    """What ``hook(x)`` gives; ``call(function, args)`` calls a function of the user.

    Raises
    ------
    S2sadError
        E0304 for an `x` that is no Tensor, E0301 and E0401 for a gradient of another type, E0104
        where the function reads more than the gradient.
    """
    if not is_tensor(x):
        raise fail("E0304", f"a hook takes a Tensor, got {x!r}")
    value = builders.current().value(x)
    if not frame.session.order or not differentiable([value.type]):
        return value

    function = frame.session.guards.attribute(hook, "function", hook.name)

    def back(dx: Value) -> Value:
        with frame.session.differentiating(-1):
            found = call(function, [(dx,) if hook.in_tuple else dx])
        if hook.in_tuple and isinstance(found, (tuple, list)) and len(found) == 1:
            (found,) = found
        return dx if found is None else _of_type(hook, found, dx)

    region = build_region(back, [value.type])
    if outer_values([region]):
        raise _refused(
            hook, "E0104", "reads or writes more than the gradient",
            help="numbers are fine; a custom_vjp keeps tensors for its gradient",
        )  # fmt: skip
    return builders.current().emit(HOOK, [value], {}, {"body": region})


def _of_type(hook: Hook, found: Any, dx: Value) -> Value:
    if not is_tensor(found):
        raise _refused(hook, "E0304", f"gives a gradient, a Tensor, or None; got {found!r}")
    value = builders.current().value(found)
    if value.type != dx.type:
        code = "E0401" if tensor(value.type).dtype is dx.dtype else "E0301"
        raise _refused(hook, code, f"gives {value.type} for a gradient of {dx.type}")
    return value


def _refused(hook: Hook, code: str, what: str, help: str | None = None) -> S2sadError:  # noqa: A002
    return fail(code, f"{hook.name} {what}", location=start_of(hook.function), help=help)
