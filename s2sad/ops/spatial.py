"""How do users say where windows lie: their kernel, stride and dilation, and how much is padded?

Here these become the facts of `s2sad.prims.spatial`: a tuple with one entry a spatial axis, pairs
(before, after) of padding.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer

Sizes = tuple[int, ...]
Pairs = tuple[tuple[int, int], ...]

PAD_MODES = ("valid", "same", "pad")
#: How axes are called, by their number.
AXES = {2: "(N, C)", 3: "(N, C, L)", 4: "(N, C, H, W)", 5: "(N, C, D, H, W)"}


def sizes_of(name: str, given: Any, rank: int, least: int | None = 1) -> Sizes:
    """`given`, an int for all spatial axes or an entry for each, as a tuple.

    Raises
    ------
    S2sadError
        E0303 for what is no int, or another number of entries; E0404 for one below `least`.

    Examples
    --------
    >>> sizes_of("stride", 2, 2), sizes_of("kernel_size", (3, 5), 2)
    ((2, 2), (3, 5))
    """
    entries = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    entries = entries * rank if len(entries) == 1 else entries
    if len(entries) != rank:
        raise fail("E0303", f"{name} is an int, or has {rank} of them, got {shown(given)}")
    return tuple(integer(name, entry, least) for entry in entries)


def pairs_of(padding: Any, rank: int) -> Pairs:
    """`padding` as pairs: of an int, of one each axis, or of two each axis, before and after.

    Raises
    ------
    S2sadError
        E0303 for what is no int, or another number of entries; E0404 for a negative one.

    Examples
    --------
    >>> pairs_of(1, 2), pairs_of((1, 2), 2), pairs_of((0, 1, 2, 3), 2)
    (((1, 1), (1, 1)), ((1, 1), (2, 2)), ((0, 1), (2, 3)))
    """
    count = 2 * rank if isinstance(padding, (tuple, list)) and len(padding) == 2 * rank else rank
    ends = sizes_of("padding", padding, count, least=0)
    return tuple(zip(ends[::2], ends[1::2], strict=True)) if count > rank else _twice(ends)


def _twice(ends: Sizes) -> Pairs:
    return tuple((end, end) for end in ends)


def mode_of(pad_mode: Any, padding: Any) -> str:
    """`pad_mode` in small letters; only ``"pad"`` goes with a `padding`.

    Raises
    ------
    S2sadError
        E0303 for what is no str, E0404 for another mode or a padding without ``"pad"``.
    """
    if not isinstance(pad_mode, str):
        raise fail("E0303", f"pad_mode is a str, got {pad_mode!r}")
    mode = pad_mode.lower()
    if mode not in PAD_MODES:
        raise fail(
            "E0404", f"pad_mode is 'valid', 'same' or 'pad', got {pad_mode!r}",
            help="'same' keeps the size, 'valid' pads nothing, 'pad' as padding says",
        )  # fmt: skip
    ends = padding if isinstance(padding, (tuple, list)) else (padding,)
    if mode != "pad" and any(end != 0 for end in ends):
        raise fail(
            "E0404", f"padding goes with pad_mode='pad', got {padding!r} with {pad_mode!r}",
            help="say pad_mode='pad', or leave the padding 0",
        )  # fmt: skip
    return mode


def padded_by(
    mode: str, padding: Any, shape: tuple[Dim, ...], kernel: Sizes, stride: Sizes, dilation: Sizes
) -> Pairs:
    """Padding of each spatial axis of `shape` that a mode means.

    With ``"same"`` there are as many windows as an axis has elements, over the stride, rounded up;
    the odd element of padding comes after.
    """
    if mode == "pad":
        return pairs_of(padding, len(shape))
    if mode == "valid":
        return ((0, 0),) * len(shape)
    return tuple(map(_same, shape, kernel, stride, dilation))


def _same(size: Dim, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    reach = dilation * (kernel - 1) + 1
    if stride == 1:  # the size cancels out
        total = reach - 1
    elif isinstance(size, int):
        total = max((-(-size // stride) - 1) * stride + reach - size, 0)
    else:
        raise fail("E0402", f"pad_mode='same' with stride {stride} needs to know the size {size}")
    return total // 2, total - total // 2


def require_axes(what: str, x: Any, *counts: int) -> Any:
    """`x`, a tensor with one of these numbers of axes (E0401)."""
    if require_tensor(x, what).ndim not in counts:
        names = " or ".join(AXES[count] for count in counts)
        instead = None
        if what.startswith("BatchNorm") and x.ndim < 4:
            instead = "nn.BatchNorm1d takes (N, C) and (N, C, L)"
        elif x.ndim + 1 in counts:
            instead = "give it a batch axis: x[None], ops.expand_dims(x, 0)"
        raise fail(
            "E0401", f"{what} takes a tensor of axes {names}, got the shape {x.shape}",
            help=instead,
        )  # fmt: skip
    return x


def require_sequence(what: str, x: Any, size: int, batch_first: bool) -> Any:
    """`x`, a tensor of three axes: one of `size`, and two of steps and sequences (E0401)."""
    axes = f"(N, T, {size})" if batch_first else f"(T, N, {size})"
    if require_tensor(x, what).ndim != 3:
        one = "x[None]" if batch_first else "x[:, None]"
        raise fail(
            "E0401", f"{what} takes axes {axes}, got the shape {x.shape}",
            help=f"{one} makes one sequence a batch" if x.ndim == 2 else None,
        )  # fmt: skip
    if dims.same(x.shape[-1], size) is False:
        raise fail(
            "E0401", f"{what} takes axes {axes}, got the shape {x.shape}",
            help=f"an input of size {x.shape[-1]} takes {what}({x.shape[-1]}, ...)",
        )  # fmt: skip
    return x


def require_fit(
    what: str, shape: tuple[Dim, ...], kernel: tuple[Dim, ...], pairs: Pairs, dilation: Sizes
) -> None:
    """E0401 where the spatial axes of `shape` do not hold a single window; `what` says of what."""
    facts = zip(shape[2:], kernel, pairs, dilation, strict=True)
    for axis, (size, length, ends, spacing) in enumerate(facts, 2):
        span, room = spacing * (length - 1) + 1, size + sum(ends)
        if dims.less(room, span):
            padded = f"{size}, {room} with padding" if sum(ends) else f"{size}"
            raise fail(
                "E0401", f"{what}: a window reaches over {span} elements of axis {axis}, which has "
                f"{padded}", help="a smaller kernel or dilation, or more padding",
            )  # fmt: skip


def rounded_up(
    shape: tuple[Dim, ...], kernel: Sizes, stride: Sizes, padding: Pairs, dilation: Sizes
) -> Sizes:
    """How much more padding after each axis lets the last window in that begins on the tensor."""
    return tuple(map(_missing, shape, kernel, stride, padding, dilation))


def _missing(size: Dim, kernel: int, stride: int, padding: tuple[int, int], dilation: int) -> int:
    if not isinstance(size, int):
        raise fail("E0402", f"ceil_mode needs to know the size of an axis, which is {size}")
    before, after = padding
    span, room = dilation * (kernel - 1) + 1, before + size + after
    steps = -((span - room) // stride)
    if steps * stride >= before + size:  # that window would see nothing but padding
        steps -= 1
    return max(steps * stride + span - room, 0) if steps >= 0 else 0


def require_layout(what: str, data_format: Any, only: str) -> None:
    """E0404 for an order of axes that `what` does not take."""
    if data_format != only:
        raise fail(
            "E0404", f"data_format of {what} is {only!r}, got {data_format!r}",
            help="bring the channels to axis 1: ops.transpose(x, ...)",
        )  # fmt: skip
