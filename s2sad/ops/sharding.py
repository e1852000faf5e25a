"""How is a function marked with the way its tensors are spread over devices?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.sharding import require_whole
from s2sad.core.shown import shown


def shard(
    fn: Callable[..., Any],
    in_strategy: tuple[Any, ...],
    out_strategy: tuple[Any, ...] | None = None,
    parameter_plan: dict[str, Any] | None = None,
) -> Callable[..., Any]:
    """`fn` itself, whose tensors are in one part, since there is one device.

    Parameters
    ----------
    fn : callable
        A Cell or a function.
    in_strategy, out_strategy, parameter_plan
        As of `Cell.shard`; the last for a Cell only.

    Raises
    ------
    S2sadError
        E0303 for another form, E0404 for a number below 1, E0710 for one above.

    Examples
    --------
    >>> import s2sad as ms
    >>> shard(ms.ops.relu, in_strategy=((1, 1),)) is ms.ops.relu
    True
    """
    if not callable(fn):
        raise fail("E0303", f"shard takes a function or a Cell, got {shown(fn)}")
    if not isinstance(in_strategy, tuple):
        raise fail("E0303", f"in_strategy is a tuple, got {shown(in_strategy)}")
    if parameter_plan is not None:
        if not hasattr(fn, "shard"):
            raise fail("E0303", f"a parameter_plan is for a Cell, got {shown(fn)}")
        return fn.shard(in_strategy, out_strategy, parameter_plan)
    require_whole("in_strategy", in_strategy)
    require_whole("out_strategy", out_strategy)
    return fn
