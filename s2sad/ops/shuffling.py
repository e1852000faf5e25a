"""How do elements move between channels and space, and what frames a tensor?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer
from s2sad.ops.window import pad
from s2sad.prims.arrange import slice_axis
from s2sad.prims.rules import axis_of


def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """Each group of ``upscale_factor**2`` channels as one, on a grid that is so much finer.

    Parameters
    ----------
    input : Tensor, shape (..., C * upscale_factor**2, H, W)
    upscale_factor : int

    Returns
    -------
    Tensor, shape (..., C, H * upscale_factor, W * upscale_factor)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a factor of another form or value, E0401 for channels that it does not
        divide, or fewer than three axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> pixel_shuffle(ms.Tensor([[[1]], [[2]], [[3]], [[4]]]), 2).asnumpy()
    array([[[1, 2],
            [3, 4]]])
    """
    x, factor = require_tensor(input, "pixel_shuffle"), integer("upscale_factor", upscale_factor, 1)
    if x.ndim < 3 or dims.same(x.shape[-3] % factor**2, 0) is not True:
        raise fail("E0401", f"pixel_shuffle by {factor}: {factor**2} must divide axis -3 of "
                   f"{x.shape}")  # fmt: skip
    *batch, channels, height, width = x.shape
    split = (*batch, channels // factor**2, factor, factor, height, width)
    first = len(batch) + 1
    perm = (*range(first), first + 2, first, first + 3, first + 1)
    fine = (*batch, channels // factor**2, height * factor, width * factor)
    return p.reshape(p.transpose(p.reshape(x, shape=split), perm=perm), shape=fine)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """Each square of ``downscale_factor**2`` elements as so many channels: undoes `pixel_shuffle`.

    Parameters
    ----------
    input : Tensor, shape (..., C, H * downscale_factor, W * downscale_factor)
    downscale_factor : int

    Returns
    -------
    Tensor, shape (..., C * downscale_factor**2, H, W)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a factor of another form or value, E0401 for sizes that it does not
        divide, or fewer than three axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> pixel_unshuffle(ms.Tensor([[[1, 2], [3, 4]]]), 2).asnumpy().ravel()
    array([1, 2, 3, 4])
    """
    x = require_tensor(input, "pixel_unshuffle")
    factor = integer("downscale_factor", downscale_factor, 1)
    if x.ndim < 3 or any(dims.same(size % factor, 0) is not True for size in x.shape[-2:]):
        raise fail("E0401", f"pixel_unshuffle by {factor}, which must divide the last two axes of "
                   f"{x.shape}")  # fmt: skip
    *batch, channels, height, width = x.shape
    split = (*batch, channels, height // factor, factor, width // factor, factor)
    first = len(batch) + 1
    perm = (*range(first), first + 1, first + 3, first, first + 2)
    coarse = (*batch, channels * factor**2, height // factor, width // factor)
    return p.reshape(p.transpose(p.reshape(x, shape=split), perm=perm), shape=coarse)


def channel_shuffle(x: Any, groups: int) -> Any:
    """The channels dealt out: the first of each of `groups` groups, then the second, and so on.

    Parameters
    ----------
    x : Tensor, shape (N, C, ...)
    groups : int
        Divides C.

    Raises
    ------
    S2sadError
        E0303 or E0404 for `groups` of another form or value, E0401 for channels that it does not
        divide, or fewer than two axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> channel_shuffle(ms.Tensor([[0, 1, 2, 3]]), 2).asnumpy()
    array([[0, 2, 1, 3]])
    """
    count = integer("groups", groups, 1)
    if (
        require_tensor(x, "channel_shuffle").ndim < 2
        or dims.same(x.shape[1] % count, 0) is not True
    ):
        raise fail("E0401", f"{count} groups of channels (axis 1) of {x.shape}")
    batch, channels, *rest = x.shape
    dealt = p.reshape(x, shape=(batch, count, channels // count, *rest))
    perm = (0, 2, 1, *range(3, dealt.ndim))
    return p.reshape(p.transpose(dealt, perm=perm), shape=x.shape)


def unflatten(x: Any, axis: int, sizes: tuple[int, ...]) -> Any:
    """`x` with one axis (E0403) split into several, of these sizes (E0401); one may be -1."""
    first = axis_of(axis, require_tensor(x, "Unflatten").ndim)
    return p.reshape(x, shape=(*x.shape[:first], *sizes, *x.shape[first + 1 :]))


def framed(x: Any, paddings: tuple[tuple[int, int], ...], mode: str, value: Any = 0) -> Any:
    """`x` with elements before and behind each axis; `paddings` has a pair an axis, in order.

    `mode` is that of `pad`, or ``"symmetric"`` for a mirror image with the edge itself.
    """
    if len(paddings) != require_tensor(x, "Pad").ndim:
        raise fail("E0401", f"{len(paddings)} pairs of padding for a tensor of shape {x.shape}")
    if mode == "symmetric":
        for axis, pair in enumerate(paddings):
            x = _mirrored(x, axis, *pair)
        return x
    last_first = tuple(end for pair in reversed(paddings) for end in pair)
    return pad(x, last_first, mode, value if mode == "constant" else None)


def _mirrored(x: Any, axis: int, before: int, after: int) -> Any:
    size = x.shape[axis]
    if dims.less(size, max(before, after)):
        raise fail("E0404", f"{before} and {after} mirrored elements beside {size} of axis {axis}")
    parts = [x]
    if before:
        parts.insert(0, p.flip(slice_axis(x, axis, None, before), axis=axis))
    if after:
        parts.append(p.flip(slice_axis(x, axis, size - after, None), axis=axis))
    return p.concat(*parts, axis=axis) if len(parts) > 1 else x


def depth_to_space(x: Any, block_size: int) -> Any:
    """Each group of ``block_size**2`` channels, far apart, as one on a grid that is so much finer.

    Channel ``(i * block_size + j) * C + c`` gives place (i, j) of each block of channel c, where
    `pixel_shuffle` takes neighbours for it.

    Parameters
    ----------
    x : Tensor, shape (N, C * block_size**2, H, W)
    block_size : int
        At least 2.

    Returns
    -------
    Tensor, shape (N, C, H * block_size, W * block_size)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a size of another form or value, E0304 for what is no Tensor, E0401 for
        channels that it does not divide, or other than four axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> depth_to_space(ms.ops.arange(8).reshape(1, 8, 1, 1), 2).tolist()
    [[[[0, 2], [4, 6]], [[1, 3], [5, 7]]]]
    """
    x, block = require_tensor(x, "DepthToSpace"), integer("block_size", block_size, 2)
    if x.ndim != 4 or dims.same(x.shape[1] % block**2, 0) is not True:
        raise fail("E0401", f"DepthToSpace by {block} takes four axes, and {block**2} must divide "
                   f"axis 1, got {x.shape}")  # fmt: skip
    batch, channels, height, width = x.shape
    count = channels // block**2
    parts = p.reshape(x, shape=(batch, block, block, count, height, width))
    ordered = p.transpose(parts, perm=(0, 3, 4, 1, 5, 2))
    return p.reshape(ordered, shape=(batch, count, height * block, width * block))


def space_to_depth(x: Any, block_size: int) -> Any:
    """Each square of ``block_size**2`` elements as so many channels: undoes `depth_to_space`.

    Parameters
    ----------
    x : Tensor, shape (N, C, H * block_size, W * block_size)
    block_size : int
        At least 2.

    Returns
    -------
    Tensor, shape (N, C * block_size**2, H, W)

    Raises
    ------
    S2sadError
        E0303 or E0404 for a size of another form or value, E0304 for what is no Tensor, E0401 for
        sizes that it does not divide, or other than four axes.

    Examples
    --------
    >>> import s2sad as ms
    >>> space_to_depth(ms.ops.arange(8).reshape(1, 2, 2, 2), 2).reshape(-1).tolist()
    [0, 4, 1, 5, 2, 6, 3, 7]
    """
    x, block = require_tensor(x, "SpaceToDepth"), integer("block_size", block_size, 2)
    if x.ndim != 4 or any(dims.same(size % block, 0) is not True for size in x.shape[2:]):
        raise fail("E0401", f"SpaceToDepth by {block} takes four axes, and {block} must divide the "
                   f"last two, got {x.shape}")  # fmt: skip
    batch, channels, height, width = x.shape
    parts = p.reshape(x, shape=(batch, channels, height // block, block, width // block, block))
    ordered = p.transpose(parts, perm=(0, 3, 5, 1, 2, 4))
    coarse = (batch, channels * block**2, height // block, width // block)
    return p.reshape(ordered, shape=coarse)
