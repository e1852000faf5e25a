"""How are Cells made of Cells?

The Parameters of a child are named by the path that leads to it: the container's own, the place or
name of the child, the child's attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown

Self = TypeVar("Self", bound="_Container")


class _Container(Cell):
    """Children, and the prefix of their names."""

    _prefix: str

    def __init__(self, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        self.__dict__["_prefix"] = ""

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """As for a Cell; a container without Parameters remembers it for those to come."""
        super().update_parameters_name(prefix, recurse)
        self.__dict__["_prefix"] = prefix

    def _prefix_now(self) -> str:
        """What stands before the names of the children; they may have been named from above."""
        for name, child in self._children().items():
            for path, parameter in child.parameters_and_names(name):
                if parameter.name.endswith(path):
                    return parameter.name[: -len(path)]
        return self._prefix

    def _children(self) -> dict[str, Cell]:
        return {name: cell for name, cell in self._cells.items() if cell is not None}

    def _hold(self, children: dict[str, Any]) -> None:
        for child in children.values():
            if not isinstance(child, Cell):
                raise fail(
                    "E0304", f"{self.cls_name} holds Cells, got {shown(child)}",
                    help="give a layer, nn.ReLU() for ops.relu, or a Cell that calls it",
                )  # fmt: skip
        for name in children:  # before anything is changed
            self._check_key(name, "_cells")
        self._replace_children(children, self._prefix_now())

    def _hold_as_they_are(self: Self, children: dict[str, Cell]) -> Self:
        """Hold Cells that others hold, too: their Parameters keep their names."""
        for name, child in children.items():
            self.insert_child_to_cell(name, child)
        return self

    @property
    def cell_list(self) -> tuple[Cell, ...]:
        """The Cells in order."""
        return tuple(self._children().values())

    def __len__(self) -> int:
        return len(self._children())

    def set_grad(self: Self, requires_grad: bool = True) -> Self:
        """Set the flag `requires_grad` here and in all Cells; the container itself."""
        self.requires_grad = requires_grad
        for cell in self.cell_list:
            cell.set_grad(requires_grad)
        return self


class _Sequence(_Container):
    """Children by place."""

    def __iter__(self) -> Iterator[Cell]:
        return iter(self.cell_list)

    def __setitem__(self, index: int, cell: Cell) -> None:
        children = self._children()
        children[list(children)[self._place(index)]] = cell
        self._hold(children)

    def __delitem__(self, index: int | slice) -> None:
        cells = list(self.cell_list)
        del cells[index if isinstance(index, slice) else self._place(index)]
        self._hold(_numbered(cells))

    def _place(self, index: Any) -> int:
        if isinstance(index, bool) or not isinstance(index, int):
            raise fail("E0303", f"a place in a {self.cls_name} is an int, got {index!r}")
        if not -len(self) <= index < len(self):
            raise fail("E0501", f"index {index} is out of range for {len(self)} Cells")
        return index % len(self)


class SequentialCell(_Sequence):
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

    def __getitem__(self, index: int | slice) -> Any:
        """The Cell at a place (E0501 where there is none), or a SequentialCell of several."""
        if isinstance(index, slice):
            part = dict(list(self._children().items())[index])
            return SequentialCell()._hold_as_they_are(part)
        return self.cell_list[self._place(index)]

    def append(self, cell: Cell) -> SequentialCell:
        """Have `cell` as the last one; the SequentialCell itself."""
        place = len(self)
        while str(place) in self._cells:  # a slice keeps the names that its Cells had
            place += 1
        self._hold({**self._children(), str(place): cell})
        return self

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_Sequence):
    """Cells in a list, for a `construct` that goes through them; it has none of its own.

    Parameters
    ----------
    cells : iterable of Cell, optional
    auto_prefix : bool
        Whether the Parameters of the Cells are named by their places.

    Raises
    ------
    S2sadError
        E0304 for what is no Cell.

    Examples
    --------
    >>> import s2sad as ms
    >>> layers = ms.nn.CellList([ms.nn.Dense(2, 3)])
    >>> layers.append(ms.nn.ReLU())
    >>> layers.insert(0, ms.nn.Tanh())
    >>> layers, [parameter.name for parameter in layers.trainable_params()]
    (CellList(
      (0): Tanh()
      (1): Dense(input_channels=2, output_channels=3, has_bias=True)
      (2): ReLU()
    ), ['1.weight', '1.bias'])
    """

    def __init__(self, cells: Iterable[Cell] | None = None, auto_prefix: bool = True) -> None:
        super().__init__(auto_prefix)
        if cells is not None:
            self.extend(cells)

    def __getitem__(self, index: int | slice) -> Any:
        """The Cell at a place (E0501 where there is none), or a CellList of several."""
        if isinstance(index, slice):
            return CellList()._hold_as_they_are(_numbered(self.cell_list[index]))
        return self.cell_list[self._place(index)]

    def __iadd__(self, cells: Iterable[Cell]) -> CellList:
        return self.extend(cells)

    def append(self, cell: Cell) -> None:
        """Have `cell` as the last one."""
        self._hold(_numbered((*self.cell_list, cell)))

    def extend(self, cells: Iterable[Cell]) -> CellList:
        """Have each of `cells` after the others; the CellList itself."""
        if isinstance(cells, (str, Mapping)) or not isinstance(cells, Iterable):
            raise fail("E0304", f"a CellList is extended by Cells in a list, got {cells!r}")
        self._hold(_numbered((*self.cell_list, *cells)))
        return self

    def insert(self, index: int, cell: Cell) -> None:
        """Have `cell` before the one at `index`, which may be the end as well."""
        cells = list(self.cell_list)
        cells.insert(len(self) if index == len(self) else self._place(index), cell)
        self._hold(_numbered(cells))


class CellDict(_Container):
    """Cells by name, for a `construct` that takes them out; it has none of its own.

    Parameters
    ----------
    dict : mapping of str to Cell, or iterable of pairs, optional
    auto_prefix : bool
        Whether the Parameters of the Cells are named by their names.

    Raises
    ------
    S2sadError
        E0304 for what is no Cell, E0511 for a name that cannot be one.

    Examples
    --------
    >>> import s2sad as ms
    >>> heads = ms.nn.CellDict({"mean": ms.nn.Dense(2, 1)})
    >>> heads["scale"] = ms.nn.Dense(2, 1, has_bias=False)
    >>> list(heads), [parameter.name for parameter in heads.trainable_params()]
    (['mean', 'scale'], ['mean.weight', 'mean.bias', 'scale.weight'])
    """

    def __init__(self, dict: Any = None, auto_prefix: bool = True) -> None:  # noqa: A002
        super().__init__(auto_prefix)
        if dict is not None:
            self.update(dict)

    @property
    def pairs(self) -> tuple[tuple[str, Cell], ...]:
        """Names and Cells in order."""
        return tuple(self._children().items())

    def __iter__(self) -> Iterator[str]:
        return iter(self._children())

    def __contains__(self, key: str) -> bool:
        return key in self._children()

    def __getitem__(self, key: str) -> Cell:
        return self._children()[self._known(key)]

    def __setitem__(self, key: str, cell: Cell) -> None:
        self.update({key: cell})

    def __delitem__(self, key: str) -> None:
        self.pop(key)

    def _known(self, key: Any) -> str:
        if key not in self._children():
            raise fail("E0511", f"this CellDict has no Cell {key!r}, but {list(self)}")
        return key

    def keys(self) -> tuple[str, ...]:
        """The names in order."""
        return tuple([key for key, _ in self.pairs])

    def values(self) -> tuple[Cell, ...]:
        """The Cells in order."""
        return self.cell_list

    def items(self) -> tuple[tuple[str, Cell], ...]:
        """Names and Cells in order."""
        return self.pairs

    def pop(self, key: str) -> Cell:
        """Hold the Cell of that name no longer; the Cell (E0511 where there is none)."""
        children = self._children()
        cell = children.pop(self._known(key))
        self._hold(children)
        return cell

    def clear(self) -> None:
        """Hold no Cells."""
        self._hold({})

    def update(self, cells: Any) -> None:
        """Hold these Cells as well, or instead of those of their names."""
        if not isinstance(cells, (Mapping, CellDict)) and not isinstance(cells, Iterable):
            raise fail("E0304", f"a CellDict is made of names and Cells, got {cells!r}")
        more = dict(cells.items() if isinstance(cells, (Mapping, CellDict)) else cells)
        self._hold({**self._children(), **more})


def _numbered(cells: Iterable[Any]) -> dict[str, Any]:
    return {str(place): cell for place, cell in enumerate(cells)}
