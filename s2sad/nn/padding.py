"""Which Cells frame a tensor, or shuffle its channels?"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.ops.settings import integer
from s2sad.ops.shuffling import framed
from s2sad.ops.spatial import sizes_of

MODES = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


class Pad(Cell):
    """Elements put before and behind each axis.

    Parameters
    ----------
    paddings : tuple of pairs of int
        How many before and behind, one pair an axis.
    mode : {"CONSTANT", "REFLECT", "SYMMETRIC"}
        Zeros; a mirror image without the edge itself, or with it.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0401 for another number
        of axes, E0404 for more elements than a mirror image has.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Pad(((0, 0), (2, 1)), "SYMMETRIC")(ms.Tensor([[1, 2, 3]])).asnumpy()
    array([[2, 1, 1, 2, 3, 3]])
    """

    def __init__(self, paddings: tuple[tuple[int, int], ...], mode: str = "CONSTANT") -> None:
        super().__init__()
        if not isinstance(paddings, tuple) or any(not _is_pair(pair) for pair in paddings):
            raise fail("E0303", f"paddings is a tuple of pairs of int, got {paddings!r}")
        for pair in paddings:
            sizes_of("paddings", tuple(pair), 2, 0)
        if mode not in MODES:
            raise fail("E0404", f"the mode of Pad is one of {', '.join(MODES)}, got {mode!r}")
        self.paddings, self.mode = paddings, mode

    def construct(self, x: Any) -> Any:
        return framed(x, self.paddings, MODES[self.mode])

    def extend_repr(self) -> str:
        return f"paddings={self.paddings}, mode={self.mode}"


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, (tuple, list)) and len(pair) == 2


class _Frame(Cell):
    """Padding of the last axes."""

    RANK: ClassVar[int]
    MODE: ClassVar[str]
    LEAST: ClassVar[int | None] = 0

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = padding
        self.ends = sizes_of("padding", padding, 2 * self.RANK, self.LEAST)
        self.value: float | None = None

    def construct(self, x: Any) -> Any:
        return ops.pad(x, self.ends, self.MODE, self.value)

    def extend_repr(self) -> str:
        return f"padding={self.padding}"


class _ConstantPad(_Frame):
    MODE, LEAST = "constant", None  # what is negative takes elements away

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extend_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Numbers `value` around the last axis: an int, or (left, right); see `ConstantPad2d`."""

    RANK = 1


class ConstantPad2d(_ConstantPad):
    """Numbers `value` around the last two axes.

    Parameters
    ----------
    padding : int, or (left, right, top, bottom)
        How many; a negative one takes elements away.
    value : number

    Raises
    ------
    S2sadError
        E0303 for another number of entries, or what is no int; at a call those of `ops.pad`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.ConstantPad2d((1, 0, 0, 1), 7)(ms.Tensor([[[1, 2]]])).asnumpy()
    array([[[7, 1, 2],
            [7, 7, 7]]])
    """

    RANK = 2


class ConstantPad3d(_ConstantPad):
    """Numbers `value` around the last three axes, the last one first; see `ConstantPad2d`."""

    RANK = 3


class ZeroPad2d(_Frame):
    """Zeros around the last two axes; see `ConstantPad2d`."""

    RANK, MODE, LEAST = 2, "constant", None


class ReflectionPad1d(_Frame):
    """A mirror image, without the edge, around the last axis: an int, or (left, right).

    Raises
    ------
    S2sadError
        E0303 for another number of entries, or what is no int, E0404 for a negative one, and at a
        call for more than there is to mirror.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.ReflectionPad1d((2, 0))(ms.Tensor([[1, 2, 3]])).asnumpy()
    array([[3, 2, 1, 2, 3]])
    """

    RANK, MODE = 1, "reflect"


class ReflectionPad2d(_Frame):
    """A mirror image around the last two axes: an int, or four; see `ReflectionPad1d`."""

    RANK, MODE = 2, "reflect"


class ReflectionPad3d(_Frame):
    """A mirror image around the last three axes: an int, or six; see `ReflectionPad1d`."""

    RANK, MODE = 3, "reflect"


class ReplicationPad1d(_Frame):
    """Copies of the edge around the last axis: an int, or (left, right).

    Raises
    ------
    S2sadError
        E0303 for another number of entries, or what is no int, E0404 for a negative one.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.ReplicationPad1d((2, 0))(ms.Tensor([[1, 2, 3]])).asnumpy()
    array([[1, 1, 1, 2, 3]])
    """

    RANK, MODE = 1, "replicate"


class ReplicationPad2d(_Frame):
    """Copies of the edge around the last two axes: an int, or four; see `ReplicationPad1d`."""

    RANK, MODE = 2, "replicate"


class ReplicationPad3d(_Frame):
    """Copies of the edge around the last three axes: an int, or six; see `ReplicationPad1d`."""

    RANK, MODE = 3, "replicate"


class PixelShuffle(Cell):
    """Channels turned into a finer grid; see `ops.pixel_shuffle`."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = integer("upscale_factor", upscale_factor, 1)

    def construct(self, input: Any) -> Any:
        return ops.pixel_shuffle(input, self.upscale_factor)

    def extend_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Cell):
    """A grid turned into channels; see `ops.pixel_unshuffle`."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = integer("downscale_factor", downscale_factor, 1)

    def construct(self, input: Any) -> Any:
        return ops.pixel_unshuffle(input, self.downscale_factor)

    def extend_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Cell):
    """Channels of several groups dealt out; see `ops.channel_shuffle`."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = integer("groups", groups, 1)

    def construct(self, x: Any) -> Any:
        return ops.channel_shuffle(x, self.groups)

    def extend_repr(self) -> str:
        return f"groups={self.groups}"
