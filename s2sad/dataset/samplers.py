"""Which rows of a source come in an epoch, and in which order?

A sampler gives the numbers of rows. It draws them from the seed of the iterator, anew in each
epoch.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from itertools import islice
from typing import Any, Protocol

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import flag, optional, whole
from s2sad.dataset.run import Place

Labels = Callable[[], np.ndarray]


class Order(Protocol):
    """What `Sampled` needs of a sampler."""

    def size(self, count: int) -> int | None: ...

    def indices(self, count: int, at: Place, labels: Labels | None) -> np.ndarray: ...


class Shuffle(str, Enum):
    """How a data set of files is shuffled; everything but FALSE shuffles rows."""

    FALSE = "false"
    ADAPTIVE = "adaptive"
    GLOBAL = "global"
    PARTIAL = "partial"
    FILES = "files"
    INFILE = "infile"


class BuiltinSampler(ABC):
    """A sampler, with another below it if `add_child` was called.

    Parameters
    ----------
    num_samples : int, optional
        How many rows come at most.
    """

    def __init__(self, num_samples: int | None = None) -> None:
        self.num_samples = optional("num_samples", num_samples)
        self._child: Order | None = None

    @abstractmethod
    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        """Rows of `count`, before there is a limit to how many."""

    def length(self, count: int) -> int:
        """How many those are."""
        return count

    def size(self, count: int) -> int | None:
        """Rows in an epoch of a source with `count` of them."""
        below = count if self._child is None else self._child.size(count)
        if below is None:
            return None
        length = self.length(below)
        return length if self.num_samples is None else min(length, self.num_samples)

    def indices(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        """Their numbers."""
        if self._child is None:
            return self.chosen(count, at, labels)[: self.num_samples]
        below = self._child.indices(count, at.input(), labels)
        return below[self.chosen(len(below), at, labels)[: self.num_samples]]

    def add_child(self, sampler: Any) -> None:
        """Let `sampler` choose first, and this one among what it gives.

        Examples
        --------
        >>> import s2sad.dataset as ds
        >>> sampler = ds.SequentialSampler(num_samples=2)
        >>> sampler.add_child(ds.SubsetSampler([7, 5, 3]))
        >>> data = ds.NumpySlicesDataset(list(range(10)), sampler=sampler)
        >>> [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
        [7, 5]
        """
        if self._child is not None:
            raise fail("E0404", "a sampler has one child at most")
        self._child = as_order(sampler)

    def get_child(self) -> Order | None:
        """The sampler that chooses first, or None."""
        return self._child

    def get_num_samples(self) -> int | None:
        """How many rows come at most; None for no limit."""
        return self.num_samples


class SequentialSampler(BuiltinSampler):
    """Rows in order, from `start_index` on."""

    def __init__(self, start_index: int | None = None, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.start = 0 if start_index is None else whole("start_index", start_index, 0)

    def length(self, count: int) -> int:
        return max(0, count - self.start)

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        return np.arange(self.start, max(count, self.start))


class RandomSampler(BuiltinSampler):
    """Rows in random order; with `replacement` each is drawn from all."""

    def __init__(self, replacement: bool = False, num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        self.replacement = flag("replacement", replacement)

    def length(self, count: int) -> int:
        return self.num_samples or count if self.replacement else count

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        if self.replacement:
            return at.rng().integers(count, size=self.length(count) if count else 0)
        return at.rng().permutation(count)


class DistributedSampler(BuiltinSampler):
    """The rows of one of several shards, which are equally long: rows at the start come twice.

    Parameters
    ----------
    num_shards, shard_id : int
    shuffle : bool
        All shards go by one random order, by seed 0 where none was set.
    num_samples : int, optional
    offset : int
        The shard that gets the first row; with it nothing comes twice. -1 for none.
    """

    def __init__(
        self, num_shards: int, shard_id: int, shuffle: bool = True,
        num_samples: int | None = None, offset: int = -1,
    ) -> None:  # fmt: skip
        super().__init__(num_samples)
        self.shards = whole("num_shards", num_shards, 1)
        self.shard = whole("shard_id", shard_id, 0)
        self.offset = whole("offset", offset, -1)
        self.shuffle = flag("shuffle", shuffle)
        if self.shard >= self.shards or self.offset > self.shards:
            raise fail(
                "E0404", f"shard_id is less than num_shards and offset no more, got shard_id "
                f"{shard_id} and offset {offset} of {num_shards}",
            )  # fmt: skip

    def length(self, count: int) -> int:
        if self.offset == -1:
            return -(-count // self.shards)
        length, rest = divmod(count + self.offset, self.shards)
        return length + (self.shard < rest) - (self.shard < self.offset)

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        order = at.shared_rng().permutation(count) if self.shuffle else np.arange(count)
        places = np.arange(self.length(count)) * self.shards + self.shard
        if self.offset != -1:
            places += (self.shard < self.offset) * self.shards - self.offset
        return order[places % count] if count else order


class SubsetSampler(BuiltinSampler):
    """The rows at `indices`, in that order."""

    def __init__(self, indices: Iterable[int], num_samples: int | None = None) -> None:
        super().__init__(num_samples)
        given = [indices] if isinstance(indices, (int, np.integer)) else list(indices)
        self.subset = np.array([whole("an index", index, 0) for index in given], np.int64)

    def length(self, count: int) -> int:
        return len(self.subset)

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        beyond = self.subset[self.subset >= count]
        if len(beyond):
            raise fail("E0501", f"a sampler names row {int(beyond[0])} of {count} rows")
        return self.subset


class SubsetRandomSampler(SubsetSampler):
    """The rows at `indices`, in random order."""

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        return at.rng().permutation(super().chosen(count, at, labels))


class WeightedRandomSampler(BuiltinSampler):
    """Rows 0 to len(weights) - 1, each as often as its weight says."""

    def __init__(
        self, weights: Iterable[float], num_samples: int | None = None, replacement: bool = True
    ) -> None:
        super().__init__(num_samples)
        self.weights = np.array(list(weights), np.float64)
        self.replacement = flag("replacement", replacement)
        if not len(self.weights) or not (self.weights >= 0).all() or not self.weights.sum() > 0:
            raise fail("E0404", "weights are numbers of 0 or more, and not all 0")

    def length(self, count: int) -> int:
        return self.num_samples or len(self.weights)

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        length, possible = self.length(count), int((self.weights > 0).sum())
        if not self.replacement and length > possible:
            raise fail("E0404", f"{length} rows cannot be drawn of {possible} that have a weight")
        chances = self.weights / self.weights.sum()
        return at.rng().choice(len(chances), length, self.replacement, chances)


class PKSampler(BuiltinSampler):
    """`num_val` random rows of each class, class by class, for data sets that have labels."""

    def __init__(
        self, num_val: int, num_class: None = None, shuffle: bool = False,
        class_column: str = "label", num_samples: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(num_samples)
        self.each = whole("num_val", num_val, 1)
        self.shuffle = flag("shuffle", shuffle)
        self.class_column = class_column
        if num_class is not None:
            raise fail("E0404", "num_class is not supported, as in MindSpore: leave it out")

    def size(self, count: int) -> int | None:
        return None

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        if labels is None:
            raise fail(
                "E0404", "PKSampler needs a data set with labels: images in folders, MNIST, CIFAR"
            )
        found = labels()
        rng = at.rng()
        classes = np.unique(found)
        rows = [np.flatnonzero(found == label) for label in classes]
        if any(len(some) < self.each for some in rows):
            raise fail("E0404", f"not every class has {self.each} rows")
        order = rng.permutation(len(rows)) if self.shuffle else range(len(rows))
        return np.concatenate([rng.permutation(rows[index])[: self.each] for index in order])


class Sampler:
    """Base of samplers of the user's: they define ``__iter__``, which gives numbers of rows.

    Attributes
    ----------
    dataset_size : int
        Rows of the source, from when rows are asked for on.
    num_samples : int or None

    Examples
    --------
    >>> import s2sad.dataset as ds
    >>> class Backwards(ds.Sampler):
    ...     def __iter__(self):
    ...         return iter(range(self.dataset_size - 1, -1, -1))
    >>> data = ds.NumpySlicesDataset([1, 2, 3], sampler=Backwards())
    >>> [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
    [3, 2, 1]
    """

    def __init__(self, num_samples: int | None = None) -> None:
        self.num_samples = optional("num_samples", num_samples)
        self.dataset_size = 0

    def __iter__(self) -> Iterator[int]:
        raise fail("E0304", f"the sampler {type(self).__name__} defines no __iter__")


class IterSampler(BuiltinSampler):
    """The numbers that an iterable of the user's gives, which is asked anew in each epoch."""

    def __init__(self, sampler: Iterable[int], num_samples: int | None = None) -> None:
        limit = num_samples if num_samples is not None else getattr(sampler, "num_samples", None)
        super().__init__(limit)
        if not hasattr(type(sampler), "__iter__") or isinstance(sampler, Iterator):
            raise fail("E0304", "a sampler is an iterable that can begin again: a list, an object")
        self.sampler = sampler

    def size(self, count: int) -> int | None:
        if isinstance(self.sampler, (list, tuple, range)):
            length = len(self.sampler)
            return length if self.num_samples is None else min(length, self.num_samples)
        return None

    def chosen(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        if isinstance(self.sampler, Sampler):
            self.sampler.dataset_size = count
        found = islice(iter(self.sampler), self.num_samples)
        return np.array([whole("an index", index, 0) for index in found], np.int64)


class Chain:
    """What one order chooses among what another does."""

    def __init__(self, below: Order, above: Order) -> None:
        self.below, self.above = below, above

    def size(self, count: int) -> int | None:
        size = self.below.size(count)
        return None if size is None else self.above.size(size)

    def indices(self, count: int, at: Place, labels: Labels | None) -> np.ndarray:
        below = self.below.indices(count, at.input(), labels)
        return below[self.above.indices(len(below), at, labels)]


def as_order(sampler: Any) -> Order:
    """`sampler`, of ours or an iterable of the user's, as an Order."""
    return sampler if isinstance(sampler, BuiltinSampler) else IterSampler(sampler)


def shuffled(given: Any) -> bool:
    """Whether `given`, None included, asks for random order.

    Raises
    ------
    S2sadError
        E0303 for what is neither a bool nor a Shuffle.
    """
    if given is not None and not isinstance(given, (bool, Shuffle)):
        raise fail("E0303", f"shuffle is True, False or a Shuffle, got {given!r}")
    return given not in (False, Shuffle.FALSE)


def order_of(sampler: Any, shuffle: Any, num_samples: Any, num_shards: Any, shard_id: Any) -> Order:
    """The order that the arguments of a data set ask for.

    Raises
    ------
    S2sadError
        E0302 for arguments that exclude one another.
    """
    is_sharded = num_shards is not None or shard_id is not None
    if sampler is not None:
        _check_exclusive(shuffle, num_samples, num_shards)
        return as_order(sampler)
    is_shuffled = shuffled(shuffle)
    if not is_sharded:
        kind = RandomSampler if is_shuffled else SequentialSampler
        return kind(num_samples=num_samples)
    if num_shards is None or shard_id is None:
        raise fail("E0302", "num_shards and shard_id go together")
    return DistributedSampler(num_shards, shard_id, is_shuffled, num_samples)


def _check_exclusive(shuffle: Any, num_samples: Any, num_shards: Any) -> None:
    """E0302 where something is said that the sampler decides."""
    said = {"shuffle": shuffle, "num_samples": num_samples, "num_shards": num_shards}
    for name, value in said.items():
        if value is not None:
            raise fail("E0302", f"sampler and {name} exclude each other: the sampler decides")
