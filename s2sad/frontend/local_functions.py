"""What is a function that is defined inside of compiled code?

Its definition, and the call in which it stands. As in Python, what it reads from around it is read
when it is called: the variables are those that the enclosing call has then, which may run in a
branch or a loop by now. So it is looked for among the calls that led here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import gast

from s2sad.core.diagnostics import fail
from s2sad.core.signatures import EMPTY, fitted
from s2sad.frontend.carried import stored_names
from s2sad.frontend.frame import Frame, Unbound
from s2sad.frontend.scopes import declared


class LocalFunction:
    """A ``def`` or a ``lambda`` in compiled code.

    Attributes
    ----------
    node : gast.FunctionDef or gast.Lambda
    frame : Frame
        Where it is defined.
    """

    def __init__(self, node: Any, frame: Frame, defaults: Callable[[Any], Any]) -> None:
        self.node = node
        self.frame = frame
        name = getattr(node, "name", "<lambda>")
        self.__name__ = self.__qualname__ = name
        self.__module__ = str(frame.global_names.get("__name__"))
        self.__signature__ = _signature(node.args, defaults)
        self.place = frame.location(node)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise fail(
            "E0104", f"{self.__name__} is defined in compiled code, and called by other code",
            help="define it outside",
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<function {self.__name__}>"

    def inner(self, calling: Frame, args: list[Any], kwargs: dict[str, Any], caller: Any) -> Frame:
        """The frame of a call from `calling` (E0302 when the arguments do not fit)."""
        bound = fitted(self.__name__, self.__signature__, args, kwargs, lambda: self.place)
        bound.apply_defaults()
        around = self._around(calling)
        body = self.node.body if isinstance(self.node, gast.FunctionDef) else []
        names = dict(bound.arguments)
        return Frame(
            around.session, around.file, around.global_names, around.closure, caller,
            around.strict, names, frozenset((*names, *stored_names(body))) - {*declared(self.node)},
            self.node,
            enclosing=around, called_by=calling,
        )  # fmt: skip

    def _around(self, calling: Frame) -> Frame:
        """The call in which the function is defined, as it is now."""
        defining, ended = self.frame, frozenset[str]()
        frame = _running(defining, calling)
        while frame is None and defining.comprehended and defining.called_by is not None:
            ended |= defining.comprehended
            defining = defining.called_by
            frame = _running(defining, calling)
        frame = frame or defining  # which has come to its end
        why = "is the variable of a comprehension that has come to its end"
        left = {name: Unbound(f"`{name}` {why}", self.place) for name in ended}
        return frame.copy({**frame.local_names, **left}) if left else frame


def _running(call: Frame, calling: Frame | None) -> Frame | None:
    """The frame of `call` among those that led to `calling`, or None: it has come to its end."""
    while calling is not None and calling.activation is not call.activation:
        calling = calling.called_by
    return calling


def _signature(arguments: Any, value: Callable[[Any], Any]) -> inspect.Signature:
    """The signature that the node `arguments` means; `value` evaluates a default."""
    kinds = inspect.Parameter
    places = [(x, kinds.POSITIONAL_ONLY) for x in arguments.posonlyargs]
    places += [(x, kinds.POSITIONAL_OR_KEYWORD) for x in arguments.args]
    defaults = [EMPTY] * (len(places) - len(arguments.defaults)) + arguments.defaults
    if arguments.vararg is not None:
        places.append((arguments.vararg, kinds.VAR_POSITIONAL))
        defaults.append(EMPTY)
    places += [(x, kinds.KEYWORD_ONLY) for x in arguments.kwonlyargs]
    defaults += [EMPTY if x is None else x for x in arguments.kw_defaults]
    if arguments.kwarg is not None:
        places.append((arguments.kwarg, kinds.VAR_KEYWORD))
        defaults.append(EMPTY)
    return inspect.Signature([
        inspect.Parameter(node.id, kind, default=x if x is EMPTY else value(x))
        for (node, kind), x in zip(places, defaults, strict=True)
    ])  # fmt: skip
