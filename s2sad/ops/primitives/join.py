"""Which objects join tensors to one, and take one apart?"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ops import join
from s2sad.ops.primitives.base import older, primitive
from s2sad.ops.primitives.checks import count
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer
from s2sad.prims.arrange import static_size
from s2sad.prims.rules import axis_of


@primitive(axis=integer)
def Concat(tensors: Any, *, axis: int = 0) -> Any:
    """The tensors of a tuple or list, one behind the other along `axis`: `ops.concat`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Concat(axis=1)((ms.Tensor([[1.0], [2.0]]), ms.Tensor([[3.0], [4.0]]))).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return join.concat(tensors, axis)


@primitive(axis=integer)
def Stack(input_x: Any, *, axis: int = 0) -> Any:
    """The tensors of a tuple or list, side by side along a new `axis`: `ops.stack`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Stack(axis=1)([ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])]).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return join.stack(input_x, axis)


@primitive(axis=integer, output_num=count)
def Split(input_x: Any, *, axis: int = 0, output_num: int = 1) -> tuple[Any, ...]:
    """`output_num` pieces of one size along `axis`, in a tuple; `ops.split` takes their size.

    Raises
    ------
    S2sadError
        E0404 where pieces would differ in size; those of `ops.split`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [piece.tolist() for piece in Split(0, 2)(ms.Tensor([1.0, 2.0, 3.0, 4.0]))]
    [[1.0, 2.0], [3.0, 4.0]]
    """
    place = axis_of(axis, require_tensor(input_x, "Split").ndim)
    size = static_size(input_x.shape[place], f"the size of axis {axis}, to split it,")
    if size % output_num:
        raise fail(
            "E0404", f"Split cuts axis {axis} of size {size} into {output_num} pieces of one size",
            help="ops.split(x, [2, 3], axis) takes the size of each",
        )  # fmt: skip
    pieces = join.split(input_x, max(size // output_num, 1), axis)
    return pieces if size else (input_x,) * output_num


def _count_or_none(name: str, given: Any) -> int | None:
    return None if given is None else count(name, given)


@primitive(axis=integer, num=_count_or_none)
def Unstack(input_x: Any, *, axis: int = 0, num: int | None = None) -> tuple[Any, ...]:
    """The slices along `axis`, which they have no more, in a tuple: `ops.unstack`.

    `num`, where it is given, is how many they are (E0404 where it is not).

    Examples
    --------
    >>> import s2sad as ms
    >>> [piece.tolist() for piece in Unstack(axis=1)(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))]
    [[1.0, 3.0], [2.0, 4.0]]
    """
    found = join.unstack(input_x, axis)
    if num not in (None, len(found)):
        raise fail("E0404", f"Unstack gives {len(found)} slices along axis {axis}, not {num}")
    return found


Pack = older(Stack, "Pack", "", "[ms.Tensor([1.0]), ms.Tensor([2.0])]", "[[1.0], [2.0]]")
Unpack = older(
    Unstack, "Unpack", "", "ms.Tensor([[1.0], [2.0]])", "[[1.0], [2.0]]",
    shown="[x.tolist() for x in {}]",
)  # fmt: skip
