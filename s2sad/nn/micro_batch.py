"""How does a network take a batch in parts?"""

from __future__ import annotations

from typing import Any

from s2sad.core.cell import Cell
from s2sad.nn.wrap import require_cell
from s2sad.ops.batch_parts import part_of
from s2sad.ops.settings import integer


class _Parts(Cell):
    """Calls a network with each of `count` equal parts of a batch, and sums what it gives."""

    def _set_parts(self, network: Cell, name: str, count: int) -> None:
        self.network = require_cell("network", network)
        self.count = integer(name, count, 1)

    def _sum(self, inputs: Any, named: Any) -> Any:
        total = None
        for place in range(self.count):
            parts = [part_of(x, place, self.count) for x in inputs]
            more = {name: part_of(x, place, self.count) for name, x in named.items()}
            out = self.network(*parts, **more)
            total = out if total is None else total + out
        return total


class GradAccumulationCell(_Parts):
    """The sum of what a network gives for each of `micro_size` parts of a batch.

    Parameters
    ----------
    network : Cell
        Gives one Tensor, such as a loss.
    micro_size : int
        How many parts; it divides the first axis of all inputs.

    Raises
    ------
    S2sadError
        E0304 for what is no Cell, E0303 or E0404 for the size; in a call E0401 for a batch that
        cannot be divided.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())
    >>> x = ms.Tensor([1.0, 1.0, 2.0, 2.0])
    >>> ms.nn.GradAccumulationCell(net, 2)(x, ms.ops.zeros((4,))).asnumpy()
    array(5., dtype=float32)
    """

    def __init__(self, network: Cell, micro_size: int) -> None:
        super().__init__(auto_prefix=False)
        self._set_parts(network, "micro_size", micro_size)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self._sum(args, kwargs)


class PipelineCell(_Parts):
    """As `GradAccumulationCell`: there is one device, and all stages of a pipeline are on it.

    `stage_config` says which Cell is of which stage; it is taken for compatibility.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())
    >>> x = ms.Tensor([1.0, 1.0, 2.0, 2.0])
    >>> ms.nn.PipelineCell(net, 2)(x, ms.ops.zeros((4,))).asnumpy()
    array(5., dtype=float32)
    """

    def __init__(
        self, network: Cell, micro_size: int, stage_config: dict[str, int] | None = None
    ) -> None:
        super().__init__(auto_prefix=False)
        self._set_parts(network, "micro_size", micro_size)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self._sum(args, kwargs)


class MicroBatchInterleaved(_Parts):
    """The mean of what a network gives for each of `interleave_num` parts of a batch.

    Arguments and errors are those of `GradAccumulationCell`.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.WithLossCell(ms.nn.Identity(), ms.nn.MSELoss())
    >>> x = ms.Tensor([1.0, 1.0, 2.0, 2.0])
    >>> ms.nn.MicroBatchInterleaved(net)(x, ms.ops.zeros((4,))).asnumpy()
    array(2.5, dtype=float32)
    """

    def __init__(self, network: Cell, interleave_num: int = 2) -> None:
        super().__init__(auto_prefix=False)
        self._set_parts(network, "interleave_num", interleave_num)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self._sum(args, kwargs) / self.count
