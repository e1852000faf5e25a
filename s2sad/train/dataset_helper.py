"""How does a user's own loop run over a data set, by MindSpore's names for it?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from s2sad.compiled import require_size
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import flag, integer
from s2sad.train.data import Batch, Batches
from s2sad.train.steps import run_calls


class DatasetHelper:
    """What a loop over a data set iterates over, once an epoch.

    Parameters
    ----------
    dataset : Dataset or list of tuple
        As of `Model.train`.
    dataset_sink_mode : bool
        With it an epoch is one item, which is empty: what `connect_network_with_dataset` gives is
        called with it, and runs the steps. Without, items are batches.
    sink_size : int
        Steps of an item; -1 for those of the data set.
    epoch_num : int
        How often it will be iterated.

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for an argument of another form, kind or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> data = [(ms.Tensor([1.0]),), (ms.Tensor([2.0]),)]
    >>> [x.item() for x, in DatasetHelper(data, dataset_sink_mode=False)]
    [1.0, 2.0]
    >>> list(DatasetHelper(data)), DatasetHelper(data).sink_size()
    ([()], 2)
    """

    def __init__(
        self, dataset: Any, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ) -> None:
        self.is_sunk = flag("dataset_sink_mode", dataset_sink_mode)
        if sink_size != -1:
            require_size(sink_size)
        epochs = integer("epoch_num", epoch_num, 1)
        self._batches = Batches("dataset", dataset, -1 if self.is_sunk else epochs)
        self._sink_size = sink_size
        self._endless: Iterator[Batch] | None = None

    def __iter__(self) -> Iterator[Batch]:
        return iter([()]) if self.is_sunk else self._batches.epoch()

    def following(self) -> Iterator[Batch]:
        """The batches that come next, without end."""
        if self._endless is None:
            self._endless = self._batches.endless()
        return self._endless

    def sink_size(self) -> int:
        """Steps of one item: 1 where batches are items."""
        if not self.is_sunk:
            return 1
        return len(self._batches) if self._sink_size == -1 else self._sink_size

    def types_shapes(self) -> tuple[list[Any], list[Any]]:
        """Dtypes and shapes of the columns of the first batch."""
        batches = Batches("dataset", self._batches.dataset)
        first = next(batches.epoch())
        batches.close()
        columns = [x if isinstance(x, Tensor) else Tensor(x) for x in first]
        return [x.dtype for x in columns], [list(x.shape) for x in columns]

    def stop_send(self) -> None:
        """Let go of what reads the data set."""
        self.release()

    def continue_send(self) -> None:
        """Nothing: a data set is read when a batch is needed."""

    def release(self) -> None:
        """Let go of what reads the data set."""
        self._batches.close()
        self._endless = None


def connect_network_with_dataset(
    network: Cell, dataset_helper: DatasetHelper
) -> Callable[..., Any]:
    """A function that runs `network` on the batches that come next; called without arguments.

    It gives what the last of the steps gives.

    Parameters
    ----------
    network : Cell
        Takes a batch.
    dataset_helper : DatasetHelper
        In sink mode; it says how many steps a call is.

    Raises
    ------
    S2sadError
        E0304 for an argument of another kind, E0404 for a helper that does not sink.

    Examples
    --------
    >>> import s2sad as ms
    >>> helper = DatasetHelper([(ms.Tensor([-1.0]),), (ms.Tensor([2.0]),)])
    >>> step = connect_network_with_dataset(ms.nn.ReLU(), helper)
    >>> [step(*inputs).item() for inputs in helper]
    [2.0]
    """
    if not isinstance(network, Cell):
        raise fail("E0304", f"network is a Cell, got {shown(network)}")
    if not isinstance(dataset_helper, DatasetHelper):
        raise fail("E0304", f"dataset_helper is a DatasetHelper, got {shown(dataset_helper)}")
    if not dataset_helper.is_sunk:
        raise fail(
            "E0404", "the DatasetHelper does not sink, so it gives batches itself",
            help="make it with dataset_sink_mode=True, or call the network with what it gives",
        )  # fmt: skip

    def connected() -> Any:
        return run_calls(network, dataset_helper.following(), dataset_helper.sink_size())

    return connected
