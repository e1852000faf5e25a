"""How is a function called with each item of tuples and lists?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.matching import require_sequences
from s2sad.ops.settings import flag


class Map:
    """A function called with each item of sequences; the results in a tuple.

    Parameters
    ----------
    ops : callable, optional
        Without it, it is the first argument of a call.
    reverse : bool
        Whether the last items come first; results stay in their places.

    Raises
    ------
    S2sadError
        E0303 for a `reverse` that is no bool, E0304 for what cannot be called. In a call E0304 for
        what is no tuple or list, E0401 for sequences of several lengths, E0302 for none.

    Examples
    --------
    >>> import s2sad as ms
    >>> add = Map(lambda x, y: x + y)
    >>> [x.tolist() for x in add((ms.Tensor([1.0]), ms.Tensor([2.0])), [3.0, 4.0])]
    [[4.0], [6.0]]
    """

    def __init__(self, ops: Callable[..., Any] | None = None, reverse: bool = False) -> None:
        if ops is not None and not callable(ops):
            raise fail("E0304", f"{type(self).__name__} calls a function, got {shown(ops)}")
        self.ops = ops
        self.reverse = flag("reverse", reverse)

    def __call__(self, *args: Any) -> Any:
        if self.ops is None:
            return _mapped(args[0], args[1:], self.reverse)
        return _mapped(self.ops, args, self.reverse)


class HyperMap(Map):
    """A function called with each leaf of nested tuples and lists of one structure.

    The results are in tuples, nested in that way. Arguments and errors are those of `Map`.

    Examples
    --------
    >>> import s2sad as ms
    >>> tree = (ms.Tensor([1.0]), [ms.Tensor([2.0]), ms.Tensor([3.0])])
    >>> HyperMap()(lambda x: (x * 2.0).tolist(), tree)
    ([2.0], ([4.0], [6.0]))
    """

    def __call__(self, *args: Any) -> Any:
        if self.ops is None:
            return _mapped_deep(args[0], args[1:], self.reverse)
        return _mapped_deep(self.ops, args, self.reverse)


def _mapped(function: Callable[..., Any], sequences: Any, reverse: bool) -> tuple[Any, ...]:
    """What `function` gives for each place of `sequences`, one item of each of them."""
    require_sequences(sequences, "Map")
    return _in_places([function(*row) for row in _rows(sequences, reverse)], reverse)


def _mapped_deep(function: Callable[..., Any], sequences: Any, reverse: bool) -> Any:
    """What `function` gives for each leaf of trees of one structure."""
    if sequences and not any([isinstance(each, (tuple, list)) for each in sequences]):
        return function(*sequences)
    require_sequences(sequences, "HyperMap")
    rows = _rows(sequences, reverse)
    return _in_places([_mapped_deep(function, row, reverse) for row in rows], reverse)


def _rows(sequences: Any, reverse: bool) -> list[tuple[Any, ...]]:
    """The items of `sequences` at each place, together."""
    rows = list(zip(*sequences, strict=True))
    return rows[::-1] if reverse else rows


def _in_places(found: list[Any], reverse: bool) -> tuple[Any, ...]:
    return tuple(found[::-1] if reverse else found)
