"""What may compiled programs do with the memory of a Tensor?

`Tensor.set_mem_info` says it. It is kept beside the Tensor, as hooks are, so that one of which
nothing is said carries nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from weakref import ref

from s2sad.core import changes
from s2sad.core.diagnostics import fail

if TYPE_CHECKING:
    from s2sad.core.tensor import Tensor

#: What becomes of a Tensor that was donated.
SPENT = "spent"


@dataclass(frozen=True)
class MemoryInfo:
    """What was said of a Tensor.

    Attributes
    ----------
    policy : str or None
    pool_limit : int or None
        Bytes.
    """

    policy: str | None = None
    pool_limit: int | None = None


#: Of each Tensor of which something was said, by its identity: itself, held weakly, and that.
HELD: dict[int, tuple[ref[Tensor], MemoryInfo]] = {}


def info_of(tensor: Tensor) -> MemoryInfo | None:
    """What was said of `tensor`, if anything was."""
    return HELD[id(tensor)][1] if id(tensor) in HELD else None


def is_kept(tensor: Tensor) -> bool:
    """Whether nothing may be written into the memory of `tensor`."""
    return bool(HELD) and (info_of(tensor) or MemoryInfo()).policy == "keep"


def least(*limits: int | None) -> int | None:
    """The least of the limits that there are.

    Examples
    --------
    >>> least(None, 8, 4), least(None)
    (4, None)
    """
    return min((limit for limit in limits if limit is not None), default=None)


def spend(tensor: Tensor) -> None:
    """Let go of the memory of `tensor`, which a program has used up."""
    hold(tensor, MemoryInfo(SPENT))
    del tensor.array


def require_unspent(tensor: Tensor) -> None:
    """E0719 where `tensor` was used up."""
    info = info_of(tensor)
    if info is not None and info.policy == SPENT:
        raise fail(
            "E0719", "this Tensor was donated to a program, which has used it up",
            help="use the result, or leave out set_mem_info(policy='donate')",
        )  # fmt: skip


def hold(tensor: Tensor, info: MemoryInfo) -> None:
    """Let `info` be what was said of `tensor`."""
    key = id(tensor)
    if info == MemoryInfo():
        HELD.pop(key, None)
    else:
        HELD[key] = ref(tensor, lambda _: HELD.pop(key, None)), info
    changes.note()
