"""How does a loop get its rows, which a thread prepares while the loop works?

The thread knows the iterator's channel only, not the iterator, so an iterator that nobody holds is
collected, and takes its thread and its workers with it. Nor does anything else hold what it is made
of: the functions of its pipeline may reach the iterator itself, by the names around them.
"""

from __future__ import annotations

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.interrupts import Interrupts
from s2sad.core.tensor import Tensor
from s2sad.dataset import config
from s2sad.dataset.block import Row
from s2sad.dataset.plans.base import USUAL, Plan
from s2sad.dataset.run import THREADS, Place, Run, is_own_thread


class _End:
    """The rows of an epoch are over; `error` says why, unless it is their end."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error


class Channel:
    """At most `size` rows between the thread that makes them and the one that takes them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: deque[Row | _End] = deque()
        self._changed = threading.Condition()
        self._is_closed = False

    def put(self, item: Row | _End) -> bool:
        """Wait for a place, and put `item` there; False where nobody takes it any more."""
        with self._changed:
            while len(self._items) >= self._size and not self._is_closed:
                self._changed.wait()
            self._items.append(item)
            self._changed.notify_all()
            return not self._is_closed

    def get(self) -> Row | _End:
        """Wait for an item; E0706 where another thread closes the iterator meanwhile."""
        with self._changed:
            while not self._items and not self._is_closed:
                self._changed.wait()
            if not self._items:
                raise fail("E0706", "the iterator of a data set is closed")
            self._changed.notify_all()
            return self._items.popleft()

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            self._items.clear()
            self._changed.notify_all()


def _fill(channel: Channel, plan: Plan, at: Place, start: int) -> None:
    """Put the rows of an epoch into `channel`: what the thread does."""
    rows = plan.rows(at, start)
    try:
        for row in rows:
            if not channel.put(row):
                return
        channel.put(_End())
    except BaseException as error:
        channel.put(_End(error))
    finally:
        rows.close()


class Ahead:
    """The rows of an epoch, prepared by a thread."""

    def __init__(self, plan: Plan, at: Place, start: int) -> None:
        self._channel = Channel(config.get_prefetch_size())
        self._thread = threading.Thread(
            target=_fill, args=(self._channel, plan, at, start), daemon=True, name=THREADS
        )
        self._thread.start()

    def take(self) -> Row | None:
        item = self._channel.get()
        if not isinstance(item, _End):
            return item
        self._thread.join()
        if item.error is not None:
            raise item.error
        return None

    def close(self) -> None:
        self._channel.close()

    def join(self) -> None:
        if not is_own_thread():
            self._thread.join()


class Direct:
    """The rows of an epoch, made when they are taken."""

    def __init__(self, plan: Plan, at: Place, start: int) -> None:
        self._rows = plan.rows(at, start, USUAL)

    def take(self) -> Row | None:
        return next(self._rows, None)

    def close(self) -> None:
        self._rows.close()

    def join(self) -> None:
        """There is no thread."""


class Source:
    """The rows of one epoch after another, without the iterator that hands them out.

    Ctrl-C tears it away from nothing: between the start of a worker and its being written down, or
    in the middle of the end, something would be left.
    """

    def __init__(self, plan: Plan, seed: int | None) -> None:
        self.plan = plan
        self.run = Run(seed, is_serial=config.get_debug_mode())
        self.owner = os.getpid()
        self._end = threading.Lock()  # taken once, by whoever closes it
        self._epoch: Ahead | Direct | None = None
        try:
            with Interrupts():
                plan.open(Place(self.run))
        except BaseException:  # some of the workers may be there
            self._end.acquire()
            self.run.close()
            raise
        OPEN.add(self)

    @property
    def is_closed(self) -> bool:
        return self._end.locked()

    def begin(self, epoch: int, start: int) -> None:
        self.leave()
        kind = Direct if self.run.is_serial else Ahead
        with Interrupts():
            self._epoch = kind(self.plan, Place(self.run, epoch=epoch), start)

    def take(self) -> Row | None:
        assert self._epoch is not None
        return self._epoch.take()

    def leave(self) -> None:
        """End the epoch, however far it is."""
        with Interrupts():
            epoch, self._epoch = self._epoch, None
            if epoch is not None:
                epoch.close()
                epoch.join()

    def close(self) -> None:
        """End the thread and all workers. A child that was forked leaves them to its parent."""
        if os.getpid() != self.owner or not self._end.acquire(blocking=False):
            return
        with Interrupts():
            epoch, self._epoch = self._epoch, None
            if epoch is not None:
                epoch.close()
            self.run.stop()  # first: the thread may wait for a worker
            if epoch is not None:
                epoch.join()
            self.run.close()

    def __del__(self) -> None:
        if hasattr(self, "_epoch"):  # else it was never made
            self.close()


#: What has workers that nobody has ended; the end of the program does.
OPEN: weakref.WeakSet[Source] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for source in list(OPEN):
        source.close()


class DataIterator:
    """Rows of a data set, one epoch for each loop over it.

    Made by `Dataset.create_tuple_iterator` and `create_dict_iterator`. `state_dict` says where it
    is, and an iterator of the same pipeline goes on from there after `load_state_dict`.

    Attributes
    ----------
    epoch : int
        The one that is under way or comes next, from 0.
    position : int
        How many rows of it were handed out.
    """

    def __init__(
        self, plan: Plan, form: Callable[[Row], Any], num_epochs: int, seed: int | None
    ) -> None:
        self._form = form
        self._num_epochs = num_epochs
        self._source = Source(plan, seed)
        self._is_begun = False
        self.epoch = self.position = 0

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return self._form(self._row())
        except StopIteration:
            raise
        except BaseException:  # Ctrl-C as well
            with Interrupts():
                self.close()
            raise

    def _row(self) -> Row:
        self._begin()
        row = self._source.take()
        if row is None:
            self._end()
            raise StopIteration
        self.position += 1
        return row

    def _begin(self) -> None:
        if self._source.is_closed:
            said = "is closed" if self.epoch != self._num_epochs else (
                f"was asked for {self.epoch + 1} epochs, and made for num_epochs={self.epoch}"
            )  # fmt: skip
            raise fail("E0706", f"the iterator of a data set {said}")
        if not self._is_begun:
            self._source.begin(self.epoch, self.position)
            self._is_begun = True

    def _end(self) -> None:
        self._source.leave()
        self._is_begun = False
        self.epoch, self.position = self.epoch + 1, 0
        if self.epoch == self._num_epochs:
            self.close()

    def close(self) -> None:
        """End its thread and its workers: no rows come any more. Dropping it does this as well."""
        self._source.close()

    def state_dict(self) -> dict[str, int]:
        """Where the iterator is: what it has handed out counts, not what was read ahead.

        Returns
        -------
        dict
            ``epoch``, ``position``, ``seed`` and whether that was set: numbers that any file keeps.

        Examples
        --------
        >>> import s2sad.dataset as ds
        >>> data = ds.NumpySlicesDataset(list(range(8)))
        >>> one = data.create_tuple_iterator(output_numpy=True)
        >>> passed, state = [next(one) for _ in range(5)], one.state_dict()
        >>> other = data.create_tuple_iterator(output_numpy=True)
        >>> other.load_state_dict(state)
        >>> list(map(str, other)) == list(map(str, one))
        True
        """
        run = self._source.run
        return {
            "epoch": self.epoch, "position": self.position,
            "seed": run.seed, "is_repeatable": run.is_repeatable,
        }  # fmt: skip

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go to where `state_dict` was called, of an iterator of the same pipeline.

        Raises
        ------
        S2sadError
            E0303 for what is no such state, E0706 for an iterator that is closed.
        """
        names = ("epoch", "position", "seed", "is_repeatable")
        if not isinstance(state, dict) or set(state) != set(names):
            raise fail("E0303", f"a state is a dict of {', '.join(names)}, got {state!r}")
        if self._source.is_closed:
            raise fail("E0706", "the iterator of a data set is closed: make another one")
        self._source.leave()
        run = self._source.run
        run.seed, run.is_repeatable = int(state["seed"]), bool(state["is_repeatable"])
        self.epoch, self.position = int(state["epoch"]), int(state["position"])
        self._is_begun = False


def as_tensor(array: np.ndarray, name: str, do_copy: bool) -> Tensor | np.ndarray:
    """`array` of the column `name` as a Tensor; texts stay arrays, as there is no Tensor of them.

    Raises
    ------
    S2sadError
        E0301 for a dtype that no Tensor has.
    """
    if array.dtype.kind in "US":
        return array
    native = array.dtype.newbyteorder("=")
    if native == np.uint16 or native not in dtypes.BY_STORAGE:
        raise fail(
            "E0301", f"column {name!r} holds {native}, which no Tensor does",
            help="map it first, with transforms.TypeCast(s2sad.int32), or ask for output_numpy",
        )  # fmt: skip
    return Tensor.wrap(array.astype(native, order="C", copy=do_copy))
