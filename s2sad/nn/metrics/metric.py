"""What do all metrics have in common?"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor

Self = TypeVar("Self", bound="Metric")


def rearrange_inputs(func: Callable[..., Any]) -> Callable[..., Any]:
    """An `update` whose inputs are those that `set_indexes` chose, in that order.

    Examples
    --------
    >>> class Last(Metric):
    ...     def clear(self): ...
    ...     def eval(self):
    ...         return self.seen
    ...     @rearrange_inputs
    ...     def update(self, *inputs):
    ...         self.seen = inputs
    >>> Last().set_indexes([2, 0])(5, 6, 7)
    (7, 5)
    """

    @functools.wraps(func)
    def rearranged(self: Metric, *inputs: Any) -> Any:
        chosen = self.indexes
        return func(self, *([inputs[i] for i in chosen] if chosen else inputs))

    return rearranged


class Metric:
    """Base of metrics: `clear`, then `update` with each batch, then `eval`.

    Called with a batch it does all three.

    Raises
    ------
    S2sadError
        E0220 for a method that a subclass does not define.
    """

    def __init__(self) -> None:
        self._indexes: list[int] | None = None

    @property
    def indexes(self) -> list[int] | None:
        """Which inputs `update` reads, where `set_indexes` chose them."""
        return getattr(self, "_indexes", None)

    def set_indexes(self: Self, indexes: list[int]) -> Self:
        """Let `update` read these of its inputs, in this order (E0303 for what is no list of int).

        Examples
        --------
        >>> import s2sad as ms
        >>> metric = ms.nn.Accuracy().set_indexes([0, 2])
        >>> metric([[0.2, 0.5], [0.9, 0.6]], [0, 0], [1, 0])
        1.0
        """
        if not isinstance(indexes, list) or not all(isinstance(i, int) for i in indexes):
            raise fail("E0303", f"indexes is a list of int, got {indexes!r}")
        self._indexes = indexes
        return self

    def clear(self) -> None:
        """Forget what was seen."""
        raise fail("E0220", f"{type(self).__name__} has no method 'clear'", help="define it")

    def update(self, *inputs: Any) -> None:
        """Look at a batch."""
        raise fail("E0220", f"{type(self).__name__} has no method 'update'", help="define it")

    def eval(self) -> Any:
        """The metric of all that was seen since `clear`."""
        raise fail("E0220", f"{type(self).__name__} has no method 'eval'", help="define it")

    def __call__(self, *inputs: Any) -> Any:
        self.clear()
        self.update(*inputs)
        return self.eval()

    def _convert_data(self, data: Any) -> np.ndarray:
        """A Tensor, list or array as an array (E0304 for what is none)."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, (list, np.ndarray)):
            return np.asarray(data)
        kind = type(data).__name__
        raise fail("E0304", f"{type(self).__name__} takes Tensors, lists or arrays, got a {kind}")

    def _pair(self, inputs: tuple[Any, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Prediction and truth (E0302 for another number of inputs)."""
        self._require_count(inputs, 2)
        return self._convert_data(inputs[0]), self._convert_data(inputs[1])

    def _require_count(self, inputs: tuple[Any, ...], count: int) -> None:
        if len(inputs) != count:
            kind = type(self).__name__
            raise fail("E0302", f"{kind}.update takes {count} inputs, got {len(inputs)}")

    def _require_seen(self, has_seen: Any) -> None:
        if not has_seen:
            kind = type(self).__name__
            raise fail("E0404", f"{kind} has seen nothing yet", help="call update first")

    def _require_same(self, one: np.ndarray, other: np.ndarray) -> None:
        if one.shape != other.shape:
            kind = type(self).__name__
            raise fail("E0401", f"{kind} of arrays of shapes {one.shape} and {other.shape}")


def is_onehot(data: np.ndarray) -> bool:
    """Whether each row along axis 1 holds one 1 among zeros."""
    if data.ndim < 2 or not np.equal(data**2, data).all():
        return False
    return bool(np.equal(data.sum(axis=1), 1).all())
