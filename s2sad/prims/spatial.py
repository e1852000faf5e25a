"""Which facts does an operation with windows take, and how many windows fit?

A fact is a tuple with one entry a spatial axis, the padding one with pairs; an int stands for the
same everywhere.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ir.types import Type
from s2sad.prims.rules import tensor
from s2sad.prims.shape import Shape, shape_of

Pairs = tuple[tuple[int, int], ...]


# One spelling


def spatial_rank(type: Type, name: str) -> int:  # noqa: A002
    rank = tensor(type).ndim - 2
    if rank not in (1, 2, 3):
        raise fail("E0401", f"{name} needs axes (N, C, spatial...) with 1 to 3 spatial, got {type}")
    return rank


def _integer(value: Any, least: int, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise fail("E0303", f"the {what} is an int, got {value!r}")
    if value < least:
        raise fail("E0404", f"the {what} must be at least {least}, got {value}")
    return value


def _entries(value: Any, rank: int, what: str) -> tuple[Any, ...]:
    entries = value if isinstance(value, tuple) else (value,) * rank
    if len(entries) != rank:
        raise fail("E0303", f"the {what} needs an entry for each of {rank} axes, got {value!r}")
    return entries


def _sizes(value: Any, rank: int, what: str, least: int = 1) -> tuple[int, ...]:
    return tuple(_integer(entry, least, what) for entry in _entries(value, rank, what))


def _pairs(value: Any, rank: int) -> Pairs:
    entries = _entries(value, rank, "padding")
    pairs = [entry if isinstance(entry, tuple) else (entry, entry) for entry in entries]
    if any(len(pair) != 2 for pair in pairs):
        raise fail("E0303", f"the padding is a pair (before, after) an axis, got {value!r}")
    return tuple((_integer(a, 0, "padding"), _integer(b, 0, "padding")) for a, b in pairs)


def _spatial_shape(value: Any, rank: int, what: str) -> Shape:
    return shape_of(_entries(value, rank, what), what)


def canonical_spatial(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of every operation here: it spells the attributes that there are."""
    rank = spatial_rank(types[0], "a window")
    spell = {
        "kernel": lambda value: _sizes(value, rank, "kernel"),
        "stride": lambda value: _sizes(value, rank, "stride"),
        "dilation": lambda value: _sizes(value, rank, "dilation"),
        "output_padding": lambda value: _sizes(value, rank, "output_padding", 0),
        "padding": lambda value: _pairs(value, rank),
        "input_shape": lambda value: _spatial_shape(value, rank, "input_shape"),
        "kernel_shape": lambda value: _spatial_shape(value, rank, "kernel_shape"),
        "groups": lambda value: _integer(value, 1, "number of groups"),
        "count_include_pad": _truth,
        "divisor": _divisor,
    }
    return {name: spell[name](value) for name, value in attrs.items()}


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise fail("E0303", f"count_include_pad is a bool, got {value!r}")
    return value


def _divisor(value: Any) -> int | None:
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise fail("E0303", f"the divisor is an int, got {value!r}")
    if value == 0:
        raise fail("E0404", "the divisor must not be 0")
    return value


# Sizes


def window_counts(
    spatial: Shape,
    kernel: Shape,
    stride: tuple[int, ...],
    padding: Pairs,
    dilation: tuple[int, ...] | None = None,
) -> Shape:
    """How many windows there are along each spatial axis.

    Raises
    ------
    S2sadError
        E0401 naming the axis where not even one fits, E0402 where that depends on a symbol.
    """
    spacing = dilation or (1,) * len(kernel)
    facts = zip(spatial, kernel, stride, padding, spacing, strict=True)
    return tuple(_count(axis, *fact) for axis, fact in enumerate(facts, 2))


def _count(
    axis: int, size: Dim, kernel: Dim, stride: int, padding: tuple[int, int], dilation: int
) -> Dim:
    span, room = dilation * (kernel - 1) + 1, size + sum(padding)
    fits = dims.less_equal(span, room)
    if fits is None:
        raise fail(
            "E0402", f"cannot tell whether a window of {span} fits into {room} along axis {axis}"
        )
    if not fits:
        raise fail(
            "E0401",
            f"a window of {span} does not fit along axis {axis}, of size {size} and {room} padded",
            help="a smaller kernel or dilation, or more padding",
        )
    return dims.window(size, kernel, stride, *padding, dilation)


def require_counts(found: Shape, counts: Shape) -> None:
    """The spatial sizes `found` of a cotangent are the `counts` of windows; E0401 where not."""
    for axis, (size, count) in enumerate(zip(found, counts, strict=True), 2):
        dims.require_same(size, count, f"the size of dy and the windows along axis {axis}")


def require_members(
    spatial: Shape,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    padding: Pairs,
    dilation: tuple[int, ...],
) -> None:
    """Each window sees an element that is no padding: nothing has neither maximum nor mean."""
    facts = zip(spatial, kernel, stride, padding, dilation, strict=True)
    for axis, fact in enumerate(facts, 2):
        if not _sees_members(*fact):
            raise fail(
                "E0404", f"a window along axis {axis}, of size {fact[0]}, sees nothing but padding",
                help="the padding must be smaller than the kernel",
            )  # fmt: skip


def _sees_members(
    size: Dim, kernel: int, stride: int, padding: tuple[int, int], dilation: int
) -> bool:
    reach = dilation * (kernel - 1)  # a window that overlaps the input steps into it at most so far
    if max(padding) <= reach and dims.less_equal(dilation, size):
        return True
    if not isinstance(size, int):
        return False
    count: Any = dims.window(size, kernel, stride, *padding, dilation)
    starts = range(-padding[0], -padding[0] + stride * count, stride)
    return all(any(0 <= s + dilation * k < size for k in range(kernel)) for s in starts)
