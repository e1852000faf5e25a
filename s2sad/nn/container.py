"""Cells made of Cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail


class SequentialCell(Cell):
    """Cells applied one after the other; the names of those below begin with their places.

    Parameters
    ----------
    *cells : Cell, or one list or tuple of Cells, or one mapping of names to Cells

    Raises
    ------
    S2sadError
        E0304 for what is no Cell, E0511 for a name that cannot be one.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.ReLU())
    >>> [parameter.name for parameter in net.trainable_params()]
    ['0.weight', '0.bias']
    >>> len(net), net[-1]
    (2, ReLU())
    """

    def __init__(self, *cells: Any) -> None:
        super().__init__()
        given = cells[0] if len(cells) == 1 else cells
        if isinstance(given, Cell):
            given = (given,)
        if not isinstance(given, (list, tuple, Mapping)):
            raise fail("E0304", f"SequentialCell takes Cells, got {given!r}")
        self._hold(dict(given) if isinstance(given, Mapping) else _numbered(given))

    def _hold(self, children: dict[str, Any]) -> None:
        for child in children.values():
            if not isinstance(child, Cell):
                raise fail("E0304", f"SequentialCell holds Cells, got {child!r}")
        self._replace_children(children)

    @property
    def cell_list(self) -> tuple[Cell, ...]:
        """The Cells in order."""
        return tuple(self._children().values())

    def _children(self) -> dict[str, Cell]:
        return {name: cell for name, cell in self._cells.items() if cell is not None}

    def __len__(self) -> int:
        return len(self.cell_list)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cell_list)

    def __getitem__(self, index: int | slice) -> Any:
        """The Cell at a place (E0501 where there is none), or a SequentialCell of several."""
        if isinstance(index, slice):
            return type(self)(dict(list(self._children().items())[index]))
        return self.cell_list[self._place(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        children = self._children()
        children[list(children)[self._place(index)]] = cell
        self._hold(children)

    def __delitem__(self, index: int | slice) -> None:
        cells = list(self.cell_list)
        del cells[index if isinstance(index, slice) else self._place(index)]
        self._hold(_numbered(cells))

    def _place(self, index: int) -> int:
        if not -len(self) <= index < len(self):
            raise fail("E0501", f"index {index} is out of range for {len(self)} Cells")
        return index % len(self)

    def append(self, cell: Cell) -> SequentialCell:
        """Have `cell` as the last one; the SequentialCell itself."""
        place = len(self)
        while str(place) in self._cells:  # a slice keeps the names that its Cells had
            place += 1
        self._hold({**self._children(), str(place): cell})
        return self

    def set_grad(self, requires_grad: bool = True) -> SequentialCell:
        """Set the flag `requires_grad` here and in all Cells; the SequentialCell itself."""
        self.requires_grad = requires_grad
        for cell in self.cell_list:
            cell.set_grad(requires_grad)
        return self

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


def _numbered(cells: Any) -> dict[str, Any]:
    return {str(place): cell for place, cell in enumerate(cells)}
