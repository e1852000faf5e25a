"""What can be told of as a number, a tensor, a histogram or a picture?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.promotion import require_tensor, type_of


def require_summary(what: str, plugin: str, name: Any, value: Any) -> None:
    """A name that is a str (E0303), a Tensor (E0304) of the shape that `plugin` takes (E0401)."""
    if not isinstance(name, str) or not name:
        raise fail("E0303", f"{what} takes a name first, a str, got {shown(name)}")
    shape = tuple(require_tensor(value, what).shape)
    if plugin == "scalar" and shape not in ((), (1,)):
        raise fail("E0401", f"{what} takes one number, got {type_of(value)}", help="reduce it")
    if plugin in ("tensor", "histogram") and not shape:
        raise fail(
            "E0401", f"{what} takes a tensor that has an axis, got {type_of(value)}",
            help="ScalarSummary takes one number",
        )  # fmt: skip
    if plugin == "image" and len(shape) != 4:
        raise fail("E0401", f"{what} takes pictures (N, C, H, W), got {type_of(value)}")
