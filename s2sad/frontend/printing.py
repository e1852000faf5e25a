"""What does ``print`` do in compiled code? It prints when the program runs, as Python does.

In the order of the program, with what else has an effect, in branches that are taken and in each
pass of a loop.
"""

from __future__ import annotations

import sys
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.frontend import effects
from s2sad.frontend.builtin_calls import builtin
from s2sad.frontend.frame import Frame
from s2sad.frontend.static import as_python
from s2sad.frontend.texts import fields_of, joined, text_of
from s2sad.ir import builder as builders


@builtin(print)
def _print(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> None:
    sep, end, file, _ = as_python(_options, **kwargs)
    if file is not None and file is not sys.stdout:
        raise fail(
            "E0104", "compiled code prints to standard output only",
            help="leave `file` out, or return the value and print it where the function is called",
        )  # fmt: skip
    parts: list[Any] = []
    for place, each in enumerate(args):
        parts += [sep, text_of(each)] if place else [text_of(each)]
    text, values = fields_of(joined([*parts, end]))
    builder = builders.current()
    effects.emit(frame.session, p.print_, *map(builder.value, values), format=text)


def _options(
    *, sep: str | None = " ", end: str | None = "\n", file: Any = None, flush: bool = False
) -> tuple[str, str, Any, bool]:
    for name, value in (("sep", sep), ("end", end)):
        if value is not None and not isinstance(value, str):
            raise TypeError(f"{name} must be None or a string, not {type(value).__name__}")
    return " " if sep is None else sep, "\n" if end is None else end, file, flush
