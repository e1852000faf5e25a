"""What are the batches of an epoch, whatever the data set is?"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor

#: The arguments of a step.
Batch = tuple[Any, ...]


def as_batch(given: Any) -> Batch:
    """`given` as the arguments of a step; arrays become Tensors.

    Raises
    ------
    S2sadError
        E0304 for a dict, whose columns have names and no order.

    Examples
    --------
    >>> as_batch([np.float32(1.0), np.zeros(2, np.float32)])[1].shape
    (2,)
    """
    if isinstance(given, dict):
        names = ", ".join(map(str, given))
        raise fail(
            "E0304", f"a batch is a tuple of its columns, got a dict of {names}",
            help="give tuples: (data, label)",
        )  # fmt: skip
    items = given if isinstance(given, (tuple, list)) else (given,)
    return tuple(Tensor(x) if isinstance(x, (np.ndarray, np.generic)) else x for x in items)


class Batches:
    """The batches of a data set, epoch after epoch.

    Parameters
    ----------
    name : str
        Of the argument, for messages.
    dataset : Dataset or iterable
        What has `create_tuple_iterator` and `get_dataset_size`, or what can be iterated anew and
        has a length: a list of tuples. Items are the arguments of a step.
    epochs : int
        How often it is read; -1 for no end.

    Raises
    ------
    S2sadError
        E0304 for what is neither, E0404 for one without batches.

    Examples
    --------
    >>> batches = Batches("train_dataset", [(np.zeros(2),), (np.ones(2),)])
    >>> len(batches), [x.tolist() for x, in batches.epoch()]
    (2, [[0.0, 0.0], [1.0, 1.0]])
    """

    def __init__(self, name: str, dataset: Any, epochs: int = 1) -> None:
        self.name = name
        self.dataset = dataset
        self._is_dataset = hasattr(dataset, "create_tuple_iterator")
        self._size = self._counted()
        self._epochs = epochs
        self._iterator: Any = None
        self._is_between = True

    def _counted(self) -> int:
        if not self._is_dataset and not (
            hasattr(self.dataset, "__len__") and hasattr(self.dataset, "__iter__")
        ):
            raise fail(
                "E0304", f"{self.name} is a data set or a list of batches, got a "
                f"{type(self.dataset).__name__}",
                help="what can be read only once, as a generator, becomes a list: list(batches)",
            )  # fmt: skip
        size = self.dataset.get_dataset_size() if self._is_dataset else len(self.dataset)
        if not size:
            raise fail(
                "E0404", f"{self.name} has no batches",
                help="a batch size above the number of rows leaves none where the rest is dropped",
            )  # fmt: skip
        return size

    def __len__(self) -> int:
        return self._size

    def epoch(self) -> Iterator[Batch]:
        """The batches of the next epoch."""
        if not self._is_dataset:
            yield from map(as_batch, self.dataset)
            return
        if not self._is_between:  # somebody has left an epoch before its end
            self.close()
        if self._iterator is None:  # one for all epochs, so that each is shuffled in its own way
            self._iterator = self.dataset.create_tuple_iterator(num_epochs=self._epochs)
        self._is_between = False
        yield from map(as_batch, self._iterator)
        self._is_between = True

    def endless(self) -> Iterator[Batch]:
        """The batches of one epoch after another.

        Raises
        ------
        S2sadError
            E0706 where an epoch has none.
        """
        while True:
            batch = None
            for batch in self.epoch():
                yield batch
            if batch is None:
                raise fail("E0706", f"{self.name} is at its end, and does not begin again")

    def reset(self) -> None:
        """Tell the data set that an epoch is over, if it wants to know."""
        reset = getattr(self.dataset, "reset", None)
        if self._is_dataset and reset is not None:
            reset()

    def close(self) -> None:
        """Let go of what reads the data set."""
        iterator, self._iterator = self._iterator, None
        if iterator is not None:
            iterator.close()


def fitting(batches: Iterator[Batch], network: Cell, has_loss: bool) -> Iterator[Batch]:
    """`batches`, the first of which is looked at as by `require_fit`."""
    for number, batch in enumerate(batches):
        if not number:
            require_fit(batch, network, has_loss)
        yield batch


def require_fit(batch: Batch, network: Cell, has_loss: bool) -> None:
    """Whether a batch has the columns that a network takes.

    Parameters
    ----------
    batch : tuple
    network : Cell
    has_loss : bool
        Whether a loss function takes the second column, and the network the first.

    Raises
    ------
    S2sadError
        E0404 for another number of columns than data and label, where there is a loss function;
        E0302 for what does not fit the signature of `network.construct`.
    """
    columns = ", ".join(map(shown, batch))
    if has_loss and len(batch) != 2:
        raise fail(
            "E0404", f"with a loss_fn a batch is data and label, got {len(batch)}: {columns}",
            help="for other columns let the network give the loss itself, and leave out loss_fn",
        )  # fmt: skip
    given = batch[:1] if has_loss else batch
    try:
        inspect.signature(network.construct).bind(*given)
    except TypeError as error:
        raise fail(
            "E0302", f"{type(network).__name__}.construct does not fit the data set: {error}",
            notes=(f"the columns are {columns}",),
            help="let a batch have as many columns as construct has arguments",
        ) from None  # fmt: skip
