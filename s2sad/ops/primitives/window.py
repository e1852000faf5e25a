"""Which objects cut parts out of tensors, and put something around them?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import shuffling, window
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.promotion import is_tensor, require_integers, require_tensor
from s2sad.ops.settings import flag, integer
from s2sad.ops.spatial import sizes_of
from s2sad.ops.varying import known_now

MODES = {"edge": "replicate"}

Slice = like(
    window.slice, "Slice", "ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), (0, 1), (2, 1)", "[[2.0], [4.0]]"
)  # fmt: skip


@primitive(
    begin_mask=integer, end_mask=integer, ellipsis_mask=integer, new_axis_mask=integer,
    shrink_axis_mask=integer,
)  # fmt: skip
def StridedSlice(
    input_x: Any, begin: Any, end: Any, strides: Any, *, begin_mask: int = 0, end_mask: int = 0,
    ellipsis_mask: int = 0, new_axis_mask: int = 0, shrink_axis_mask: int = 0,
) -> Any:  # fmt: skip
    """``input_x[begin[0]:end[0]:strides[0], ...]``: `ops.strided_slice`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1, 2, 3], [4, 5, 6]])
    >>> StridedSlice()(x, (0, 0), (2, 3), (1, 2)).tolist()
    [[1, 3], [4, 6]]
    """
    return window.strided_slice(
        input_x, begin, end, strides, begin_mask, end_mask, ellipsis_mask, new_axis_mask,
        shrink_axis_mask,
    )  # fmt: skip


def _pairs(name: str, given: Any) -> tuple[tuple[int, int], ...]:
    """Two ints, none negative, for each axis."""
    if not isinstance(given, (tuple, list)) or not all(
        isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in given
    ):
        raise fail("E0303", f"{name} is a tuple of two ints an axis, got {given!r}")
    return tuple((integer(name, low, 0), integer(name, high, 0)) for low, high in given)


@primitive(paddings=_pairs)
def Pad(input_x: Any, *, paddings: Any) -> Any:
    """`input_x` with zeros around it: `paddings` says how many before and behind, an axis a pair.

    Raises
    ------
    S2sadError
        E0303 for what are no pairs of ints, E0401 for another number of them than axes, E0404 for a
        negative one.

    Examples
    --------
    >>> import s2sad as ms
    >>> Pad(((0, 1), (2, 0)))(ms.Tensor([[1.0]])).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0]]
    """
    if require_tensor(input_x, "Pad").ndim != len(paddings):
        raise fail("E0401", f"Pad has {len(paddings)} pairs for the shape {tuple(input_x.shape)}")
    return window.pad(input_x, [n for pair in reversed(paddings) for n in pair])


@primitive(paddings_contiguous=flag)
def PadV3(
    input_x: Any, paddings: Any, constant_values: Any = None, *, mode: str = "constant",
    paddings_contiguous: bool = True,
) -> Any:  # fmt: skip
    """`input_x` with elements around it, of the last axis first: `ops.pad`.

    `mode` is "constant", "reflect", "edge" or "circular". Where `paddings` is not contiguous it
    names all that stand before, and then all that stand behind.

    Examples
    --------
    >>> import s2sad as ms
    >>> PadV3(mode="edge")(ms.Tensor([1.0, 2.0]), (1, 1)).tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    if not paddings_contiguous:
        half = len(paddings) // 2
        paddings = [n for pair in zip(paddings[:half], paddings[half:], strict=True) for n in pair]
    return window.pad(input_x, paddings, MODES.get(mode, mode), constant_values)


def _mirror(name: str, given: Any) -> str:
    if given not in ("REFLECT", "SYMMETRIC"):
        raise fail("E0404", f"{name} is 'REFLECT' or 'SYMMETRIC', got {given!r}")
    return given


@primitive(mode=_mirror)
def MirrorPad(input_x: Any, paddings: Any, *, mode: str = "REFLECT") -> Any:
    """`input_x` with its mirror image around it: without its edge, or with it ("SYMMETRIC").

    Parameters
    ----------
    input_x : Tensor
    paddings : Tensor of ints, shape (axes, 2), or pairs of int
        How many elements before and behind each axis; known while compiling.
    mode : {"REFLECT", "SYMMETRIC"}

    Raises
    ------
    S2sadError
        E0404 for another mode; in a call E0305 for what is not known while compiling, E0401 for
        another number of pairs than axes, E0404 for more elements than a mirror image has.

    Examples
    --------
    >>> import s2sad as ms
    >>> MirrorPad("SYMMETRIC")(ms.Tensor([1, 2, 3]), ms.Tensor([[2, 1]])).tolist()
    [2, 1, 1, 2, 3, 3]
    """
    if is_tensor(paddings):
        require_integers(paddings, "paddings of MirrorPad")
        paddings = known_now(paddings, "what MirrorPad adds", "give a tuple of pairs").tolist()
    both = (sizes_of("paddings", tuple(pair), 2, 0) for pair in paddings)
    pairs = tuple((before, behind) for before, behind in both)
    return shuffling.framed(input_x, pairs, mode.lower())
