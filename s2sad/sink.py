"""How is a data set sunk by MindSpore's name for it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from s2sad.compiled import Compiled, compile, require_size
from s2sad.core.diagnostics import fail


class DataSink:
    """A call of it is one sink over the batches that come next.

    Attributes
    ----------
    compiled : Compiled
        The step.
    dataset : iterable
    sink_size : int
    """

    def __init__(self, compiled: Compiled, dataset: Iterable[Any], sink_size: int) -> None:
        self.compiled = compiled
        self.dataset = dataset
        self.sink_size = sink_size
        self._batches: Iterator[Any] = iter(dataset)

    def __call__(self) -> Any:
        """What the last of the steps gives."""
        following = (self._next() for _ in range(self.sink_size))
        return self.compiled.sink(following, results="last")

    def _next(self) -> Any:
        for batch in self._batches:
            return batch
        self._batches = iter(self.dataset)
        for batch in self._batches:
            return batch
        raise fail("E0706", "the data set is at its end, and does not begin again")


def data_sink(
    fn: Any, dataset: Iterable[Any], sink_size: int = 1,
    jit_config: None = None, input_signature: None = None,
) -> DataSink:  # fmt: skip
    """A function without arguments that runs `fn` on the next `sink_size` batches, in one sink.

    It gives what the last step gave. `Compiled.sink` gives more: the results of all steps, and a
    function that is called for each.

    Parameters
    ----------
    fn : Cell, function or gradient
        Is compiled.
    dataset : iterable
        Of batches, as `Compiled.sink` takes them. At its end it begins anew, if it can.
    sink_size : int
        1 or more.
    jit_config, input_signature
        None: programs are of static shapes, one for each shape of a batch.

    Returns
    -------
    DataSink

    Raises
    ------
    S2sadError
        E0303 or E0404 for a `sink_size` that is no count, E0404 for other settings; from its calls
        E0706 where a data set that cannot begin anew is at its end.

    Examples
    --------
    >>> import s2sad as ms
    >>> process = ms.data_sink(lambda x: x * x, [ms.Tensor(2.0), ms.Tensor(3.0)], sink_size=2)
    >>> process().item()
    9.0
    """
    if sink_size is None:
        raise fail("E0303", "the size of a sink is a number of steps, got None")
    require_size(sink_size)
    for name, value in (("jit_config", jit_config), ("input_signature", input_signature)):
        if value is not None:
            raise fail("E0404", f"{name} can be None only, got {value!r}")
    return DataSink(compile(fn), dataset, sink_size)
