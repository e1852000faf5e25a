"""What does a user hold? A data set: columns, rows, and methods that each give another data set."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.elsewhere import missing
from s2sad.dataset import config
from s2sad.dataset.arguments import flag, whole
from s2sad.dataset.block import Row
from s2sad.dataset.iterators import DataIterator, as_tensor
from s2sad.dataset.plans.base import Plan, counted, require_epochs
from s2sad.dataset.plans.batching import Batch, BatchInfo, MappedBatch, PaddedBatch
from s2sad.dataset.plans.columns import Project, Rename
from s2sad.dataset.plans.mapping import Map
from s2sad.dataset.plans.order import Concat, Filter, FlatMap, Repeat, Shuffle, Skip, Take, Zip
from s2sad.dataset.plans.source import Sampled
from s2sad.dataset.run import Place, Run
from s2sad.dataset.samplers import Chain, SubsetSampler, as_order
from s2sad.dataset.settings import check_settings, workers_of
from s2sad.dataset.splitting import counts_of, fixed_order
from s2sad.dataset.transforms.compositions import Compose

Self = TypeVar("Self", bound="Dataset")


class Dataset:
    """Rows of named columns, each row a tuple of arrays.

    A method gives a new data set and leaves this one as it is. Nothing is computed until an
    iterator is made; every loop over one is an epoch.

    Parameters
    ----------
    plan : Plan
        The last step.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._size: int | None = None

    # ---- rows ------------------------------------------------------------------------------

    def map(
        self, operations: Any, input_columns: Any = None, output_columns: Any = None,
        num_parallel_workers: int | None = None, **kwargs: Any,
    ) -> Dataset:  # fmt: skip
        """Rows after `operations` were called, one after another, for the columns of each.

        Parameters
        ----------
        operations : callable or list of callable
            Transforms or functions. The first takes the arrays of the input columns; each next one
            what the one before it returned, a value or a tuple.
        input_columns : str or list of str, optional
            By default the first column.
        output_columns : str or list of str, optional
            By default the input columns. As many stand in their places, another number in front.
        num_parallel_workers : int, optional
        **kwargs
            ``python_multiprocessing=True`` has forked processes call the functions, in place of
            threads. ``max_rowsize`` and ``offload`` are accepted, and change nothing.

        Raises
        ------
        S2sadError
            E0304 for what cannot be called, E0404 for an unknown column, E0302 for another number
            of columns than the functions give, once they run.

        Examples
        --------
        >>> import s2sad.dataset as ds
        >>> data = ds.NumpySlicesDataset({"a": [1, 2], "b": [3, 4]}, shuffle=False)
        >>> data = data.map(lambda a: (a, a * a), "a", ["a", "square"])
        >>> [list(map(int, row)) for row in data.create_tuple_iterator(output_numpy=True)]
        [[1, 1, 3], [2, 4, 4]]
        """
        check_settings("map", kwargs, ("python_multiprocessing",))
        several = operations if isinstance(operations, (list, tuple)) else [operations]
        for operation in several:
            if not callable(operation) or isinstance(operation, type):
                raise fail("E0304", f"map takes functions and transforms, got {operation!r}")
        if not several:
            raise fail("E0304", "map takes one operation or more, got none")
        flat = [each for operation in several for each in Compose.parts_of(operation)]
        workers = workers_of(num_parallel_workers, kwargs.get("python_multiprocessing"))
        return MapDataset(Map(self.plan, flat, input_columns, output_columns, workers))

    def batch(
        self, batch_size: int | Callable[[BatchInfo], int], drop_remainder: bool = False,
        num_parallel_workers: int | None = None, **kwargs: Any,
    ) -> Dataset:  # fmt: skip
        """Rows stacked to batches: each column gets a first axis of `batch_size`.

        Parameters
        ----------
        batch_size : int or callable
            A function is given a `BatchInfo` for each batch.
        drop_remainder : bool
            Leave out the last batch where it is smaller.
        num_parallel_workers : int, optional
        **kwargs
            ``per_batch_map``: a function of a list of arrays for each of the ``input_columns`` (by
            default of all) and of the BatchInfo, that returns a tuple of columns, arrays or lists,
            for ``output_columns``; ``python_multiprocessing`` has processes call it.

        Raises
        ------
        S2sadError
            E0401 for rows of different shapes in a batch, E0301 of different dtypes, with the
            column, once they come.

        Examples
        --------
        >>> import s2sad.dataset as ds
        >>> data = ds.NumpySlicesDataset(list(range(5)), shuffle=False).batch(2)
        >>> [x.tolist() for (x,) in data]
        [[0, 1], [2, 3], [4]]
        """
        known = ("per_batch_map", "input_columns", "output_columns", "python_multiprocessing")
        check_settings("batch", kwargs, known)
        length = batch_size if callable(batch_size) else whole("batch_size", batch_size, 1)
        drop = flag("drop_remainder", drop_remainder)
        function = kwargs.get("per_batch_map")
        workers = workers_of(num_parallel_workers, kwargs.get("python_multiprocessing"))
        if function is None:
            return BatchDataset(Batch(self.plan, length, drop))
        inputs, outputs = kwargs.get("input_columns"), kwargs.get("output_columns")
        plan = MappedBatch(self.plan, length, drop, function, inputs, outputs, workers)
        return BatchDataset(plan)

    def padded_batch(
        self, batch_size: int | Callable[[BatchInfo], int], drop_remainder: bool = False,
        num_parallel_workers: int | None = None,
        pad_info: Mapping[str, tuple[Any, Any]] | None = None,
    ) -> Dataset:  # fmt: skip
        """Batches of rows that are filled up to one shape.

        Parameters
        ----------
        pad_info : dict, optional
            For a column its shape, in which None is as long as the longest row of the batch, and
            the value that fills it up. By default all columns, with zeros.

        Examples
        --------
        >>> import s2sad.dataset as ds
        >>> data = ds.GeneratorDataset([np.ones(1), np.ones(2)], ["x"], shuffle=False)
        >>> [x.tolist() for (x,) in data.padded_batch(2, pad_info={"x": ([3], -1)})]
        [[[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]]
        """
        workers_of(num_parallel_workers, False)
        length = batch_size if callable(batch_size) else whole("batch_size", batch_size, 1)
        drop = flag("drop_remainder", drop_remainder)
        return BatchDataset(PaddedBatch(self.plan, length, drop, pad_info))

    def filter(
        self, predicate: Callable[..., bool], input_columns: Any = None,
        num_parallel_workers: int | None = None,
    ) -> Dataset:  # fmt: skip
        """The rows for which `predicate`, of the input columns or of all, gives True."""
        workers_of(num_parallel_workers, False)
        if not callable(predicate):
            raise fail("E0304", f"filter takes a function, got {predicate!r}")
        return Dataset(Filter(self.plan, predicate, input_columns))

    def flat_map(self, func: Callable[..., Dataset]) -> Dataset:
        """The rows of the data sets that `func` makes of each row, one after another."""
        if not callable(func):
            raise fail("E0304", f"flat_map takes a function, got {func!r}")

        def plan_of(*row: np.ndarray) -> Plan:
            found = func(*row)
            if not isinstance(found, Dataset):
                raise fail("E0304", f"a function for flat_map gives a data set, got {found!r}")
            return found.plan

        return Dataset(FlatMap(self.plan, plan_of))

    def apply(self, apply_func: Callable[[Dataset], Dataset]) -> Dataset:
        """What `apply_func` makes of this data set."""
        found = apply_func(self)
        if not isinstance(found, Dataset):
            raise fail("E0304", f"a function for apply gives a data set, got {found!r}")
        return found

    # ---- order -----------------------------------------------------------------------------

    def shuffle(self, buffer_size: int) -> Dataset:
        """Rows in random order, another one in each epoch.

        A buffer holds `buffer_size` rows, of which one at random goes and the next one takes its
        place; as many as there are rows make all orders equally likely.
        """
        return ShuffleDataset(Shuffle(self.plan, whole("buffer_size", buffer_size, 2)))

    def repeat(self, count: int | None = None) -> Dataset:
        """The rows `count` times in an epoch, each in its own order; without end for None or -1."""
        if count is None or count == -1:
            return RepeatDataset(Repeat(self.plan, -1))
        return RepeatDataset(Repeat(self.plan, whole("count", count, 1)))

    def take(self, count: int = -1) -> Dataset:
        """The first `count` rows; all for -1."""
        return self if count == -1 else TakeDataset(Take(self.plan, whole("count", count, 1)))

    def skip(self, count: int) -> Dataset:
        """All but the first `count` rows."""
        return SkipDataset(Skip(self.plan, whole("count", count, 0)))

    def concat(self, datasets: Dataset | Sequence[Dataset]) -> Dataset:
        """The rows of this data set, then those of `datasets`, with equal columns; also ``+``."""
        others = [datasets] if isinstance(datasets, Dataset) else datasets
        return ConcatDataset([self, *others])

    def __add__(self, datasets: Dataset) -> Dataset:
        return self.concat(datasets)

    def zip(self, datasets: Dataset | tuple[Dataset, ...]) -> Dataset:
        """Rows with the columns of this data set and of `datasets`, as long as all have some."""
        others = (datasets,) if isinstance(datasets, Dataset) else datasets
        return zip((self, *others))

    def split(self, sizes: Sequence[int | float], randomize: bool = True) -> list[Dataset]:
        """Parts of the rows, the same ones in every epoch.

        Parameters
        ----------
        sizes : list
            Numbers of rows that sum up to all of them, or shares that sum up to 1.
        randomize : bool
            Choose at random, by the seed that is set now.

        Raises
        ------
        S2sadError
            E0404 for sizes that do not sum up, or for an empty part.

        Examples
        --------
        >>> import s2sad.dataset as ds
        >>> train, test = ds.NumpySlicesDataset(list(range(10))).split([0.8, 0.2])
        >>> train.get_dataset_size(), test.get_dataset_size()
        (8, 2)
        """
        size = self.get_dataset_size()
        counts = counts_of(sizes, size)
        seed = Run(config.chosen_seed()).seed if flag("randomize", randomize) else None
        parts = builtins.zip(np.cumsum([0, *counts[:-1]]).tolist(), counts, strict=True)
        whole_plan = self.plan
        if isinstance(whole_plan, Sampled):
            order = fixed_order(whole_plan, seed)
            return [
                Dataset(whole_plan.with_order(SubsetSampler(order[start : start + count])))
                for start, count in parts
            ]
        if seed is not None:
            whole_plan = Shuffle(whole_plan, size, seed)
        return [Dataset(Take(Skip(whole_plan, start), count)) for start, count in parts]

    def use_sampler(self, new_sampler: Any) -> Dataset:
        """The rows of a source, as `new_sampler` chooses them."""
        return Dataset(self._sampled("use_sampler").with_order(as_order(new_sampler)))

    def add_sampler(self, new_sampler: Any) -> Dataset:
        """The rows that the present sampler chooses among those that `new_sampler` does."""
        plan = self._sampled("add_sampler")
        return Dataset(plan.with_order(Chain(as_order(new_sampler), plan.order)))

    def _sampled(self, name: str) -> Sampled:
        if not isinstance(self.plan, Sampled):
            raise fail("E0404", f"{name} is for sources of which any row can be asked for")
        return self.plan

    # ---- columns ---------------------------------------------------------------------------

    def project(self, columns: str | list[str]) -> Dataset:
        """The same rows with `columns` only, in that order."""
        return Dataset(Project(self.plan, columns))

    def rename(self, input_columns: str | list[str], output_columns: str | list[str]) -> Dataset:
        """The same rows, in which `input_columns` are called `output_columns`."""
        return Dataset(Rename(self.plan, input_columns, output_columns))

    # ---- facts -----------------------------------------------------------------------------

    def get_dataset_size(self) -> int:
        """Rows in an epoch, batches after `batch`. Where only a run can tell, there is one, once.

        Raises
        ------
        S2sadError
            E0404 for a data set that repeats without end.
        """
        if self._size is None:
            self._size = counted(self.plan)
        return self._size

    def __len__(self) -> int:
        return self.get_dataset_size()

    def get_batch_size(self) -> int:
        """Rows of the source in a batch; 1 without `batch`, -1 where it varies."""
        return self.plan.batch_size

    def get_repeat_count(self) -> int:
        """How often the source comes in an epoch; -1 for without end."""
        return self.plan.repeats

    def get_col_names(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self.plan.names)

    def output_shapes(self, estimate: bool = False) -> list[list[int | None]]:
        """Shapes of the columns of the first row; with `estimate` None where others differ."""
        if not flag("estimate", estimate):
            return [list(value.shape) for value in self._first()]
        known = [{row[i].shape for row in self._all()} for i in range(len(self.plan.names))]
        return [_common(shapes) for shapes in known]

    def output_types(self) -> list[np.dtype]:
        """NumPy dtypes of the columns, of the first row."""
        return [value.dtype for value in self._first()]

    def num_classes(self) -> int | None:
        """Classes of the source; None where it has none that are known."""
        indexing = self.get_class_indexing()
        return len(indexing) if indexing else None

    def get_class_indexing(self) -> dict[str, int]:
        """Number of each class of a source of images in folders; nothing else has any."""
        plan = self.plan
        while plan.inputs:
            plan = plan.inputs[0]
        return getattr(plan, "classes", None) or {}

    def reset(self) -> None:
        """For MindSpore's sake: an iterator that is made anew begins anew in any case."""

    def _first(self) -> Row:
        for row in self._all():
            return row
        raise fail("E0404", "the data set has no rows, so nobody knows their shapes")

    def _all(self) -> Iterator[Row]:
        """The rows of an epoch, made in this thread as they are asked for."""
        require_epochs(self.plan)
        run = Run(0, is_serial=True)
        self.plan.open(Place(run))
        return self.plan.rows(Place(run), size=1)

    # ---- iterators -------------------------------------------------------------------------

    def create_tuple_iterator(
        self, columns: list[str] | None = None, num_epochs: int = -1,
        output_numpy: bool = False, do_copy: bool = False,
    ) -> DataIterator:  # fmt: skip
        """An iterator of rows as lists of Tensors.

        Parameters
        ----------
        columns : list of str, optional
            By default all.
        num_epochs : int
            How many loops over it there will be; -1 for any number.
        output_numpy : bool
            Give NumPy arrays.
        do_copy : bool
            Have each Tensor copied once more; nothing else holds its memory in any case.

        Raises
        ------
        S2sadError
            E0404 for an unknown column; E0301, once rows come, for a dtype that no Tensor has.
            Texts come as arrays.
        """
        plan = self.plan if columns is None else Project(self.plan, columns)
        convert = _converter(output_numpy, do_copy)
        names = plan.names

        def form(row: Row) -> list[Any]:
            return [convert(value, name) for value, name in builtins.zip(row, names, strict=True)]

        return self._iterator(plan, form, num_epochs)

    def create_dict_iterator(
        self, num_epochs: int = -1, output_numpy: bool = False, do_copy: bool = False
    ) -> DataIterator:
        """An iterator of rows as dicts of Tensors; arguments are as in `create_tuple_iterator`."""
        convert = _converter(output_numpy, do_copy)
        names = self.plan.names

        def form(row: Row) -> dict[str, Any]:
            pairs = builtins.zip(names, row, strict=True)
            return {name: convert(value, name) for name, value in pairs}

        return self._iterator(self.plan, form, num_epochs)

    def _iterator(self, plan: Plan, form: Callable[[Row], Any], num_epochs: int) -> DataIterator:
        if num_epochs != -1:
            whole("num_epochs", num_epochs, 1)
        return DataIterator(plan, form, num_epochs, config.chosen_seed())

    def __iter__(self) -> DataIterator:
        return self.create_tuple_iterator(num_epochs=1)

    def __getattr__(self, name: str) -> Any:
        raise missing("a data set", name, dir(type(self)))


class MapDataset(Dataset):
    """What `map` gives."""


class BatchDataset(Dataset):
    """What `batch` and `padded_batch` give."""


class ShuffleDataset(Dataset):
    """What `shuffle` gives."""


class RepeatDataset(Dataset):
    """What `repeat` gives."""


class TakeDataset(Dataset):
    """What `take` gives."""


class SkipDataset(Dataset):
    """What `skip` gives."""


class ConcatDataset(Dataset):
    """What `concat` gives."""

    def __init__(self, datasets: Sequence[Dataset]) -> None:
        super().__init__(Concat(_plans("concat", datasets)))


class ZipDataset(Dataset):
    """What `zip` gives."""

    def __init__(self, datasets: tuple[Dataset, ...]) -> None:
        super().__init__(Zip(_plans("zip", datasets)))


def zip(datasets: tuple[Dataset, ...]) -> ZipDataset:  # noqa: A001
    """Rows with the columns of all `datasets`, as long as all have some.

    Examples
    --------
    >>> import s2sad.dataset as ds
    >>> one = ds.NumpySlicesDataset([1, 2], "a", shuffle=False)
    >>> other = ds.NumpySlicesDataset([3, 4, 5], "b", shuffle=False)
    >>> [list(map(int, row)) for row in ds.zip((one, other))]
    [[1, 3], [2, 4]]
    """
    return ZipDataset(datasets)


def _plans(name: str, datasets: Any) -> tuple[Plan, ...]:
    for each in datasets:
        if not isinstance(each, Dataset):
            raise fail("E0304", f"{name} takes data sets, got {each!r}")
    return tuple(each.plan for each in datasets)


def _converter(output_numpy: bool, do_copy: bool) -> Callable[[np.ndarray, str], Any]:
    flag("do_copy", do_copy)
    if flag("output_numpy", output_numpy):
        return lambda array, name: array
    return partial(as_tensor, do_copy=do_copy)


def _common(shapes: set[tuple[int, ...]]) -> list[int | None]:
    first, *others = shapes
    return [
        size if all(len(x) == len(first) and x[axis] == size for x in others) else None
        for axis, size in enumerate(first)
    ]
