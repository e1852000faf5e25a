"""Which objects repeat, and make grids and diagonals?"""

from __future__ import annotations

from typing import Any

from s2sad.ops import arrange
from s2sad.ops.primitives.base import like, primitive
from s2sad.ops.settings import integer

Diag = like(arrange.diag, "Diag", "ms.Tensor([1.0, 2.0])", "[[1.0, 0.0], [0.0, 2.0]]")
Tile = like(arrange.tile, "Tile", "ms.Tensor([1.0, 2.0]), (2,)", "[1.0, 2.0, 1.0, 2.0]")


@primitive()
def DiagPart(x: Any) -> Any:
    """The diagonal of a matrix `x`: `ops.diagonal`.

    Examples
    --------
    >>> import s2sad as ms
    >>> DiagPart()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [1.0, 4.0]
    """
    return arrange.diagonal(x)


@primitive(diagonal=integer)
def Tril(x: Any, *, diagonal: int = 0) -> Any:
    """0 above the `diagonal`: `ops.tril`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Tril()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[1.0, 0.0], [3.0, 4.0]]
    """
    return arrange.tril(x, diagonal)


@primitive(diagonal=integer)
def Triu(x: Any, *, diagonal: int = 0) -> Any:
    """0 below the `diagonal`: `ops.triu`.

    Examples
    --------
    >>> import s2sad as ms
    >>> Triu(1)(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    return arrange.triu(x, diagonal)


@primitive()
def Meshgrid(inputs: Any, *, indexing: str = "xy") -> tuple[Any, ...]:
    """Coordinates of the points of a grid, of a tuple of vectors: `ops.meshgrid`.

    Examples
    --------
    >>> import s2sad as ms
    >>> [x.tolist() for x in Meshgrid("ij")((ms.Tensor([1.0, 2.0]), ms.Tensor([3.0])))]
    [[[1.0], [2.0]], [[3.0], [3.0]]]
    """
    return arrange.meshgrid(*inputs, indexing=indexing)
