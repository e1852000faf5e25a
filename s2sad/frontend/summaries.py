"""What does a summary do in compiled code? It tells of the value when the program runs.

In the order of the program, with what else has an effect, as ``print`` does.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.summaries import summarize
from s2sad.frontend import effects
from s2sad.frontend.builtin_calls import builtin
from s2sad.frontend.frame import Frame
from s2sad.frontend.static import as_python
from s2sad.ir import builder as builders


@builtin(summarize)
def _summarize(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> None:
    plugin, name, value = as_python(_parts, *args, **kwargs)
    value = builders.current().value(value)
    effects.emit(frame.session, p.summarize, value, plugin=plugin, name=name)


def _parts(plugin: str, name: str, value: Any) -> tuple[str, str, Any]:
    return plugin, name, value
