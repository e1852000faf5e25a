"""Cells made of Cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from s2sad.core.cell import Cell


class SequentialCell(Cell):
    """Cells applied one after the other.

    Parameters
    ----------
    *cells : Cell, or one list of Cells

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.SequentialCell(ms.nn.ReLU(), ms.nn.Tanh())
    >>> net(ms.Tensor([-1.0])).asnumpy()
    array([0.], dtype=float32)
    """

    def __init__(self, *cells: Any) -> None:
        super().__init__()
        given = cells[0] if len(cells) == 1 and isinstance(cells[0], (list, tuple)) else cells
        for index, cell in enumerate(given):
            self.insert_child_to_cell(str(index), cell)
        self.cell_list = tuple(given)

    def __len__(self) -> int:
        return len(self.cell_list)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cell_list)

    def __getitem__(self, index: int) -> Cell:
        return self.cell_list[index]

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data
