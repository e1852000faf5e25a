"""Which objects tell of values of training while a program runs?

Who hears of them is a `SummaryRecord`, which writes what it has heard at its next `record`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from s2sad.core.summaries import summarize
from s2sad.ops.primitives.base import Primitive
from s2sad.ops.summaries import require_summary


class _Summary(Primitive):
    PLUGIN: ClassVar[str]

    def __init__(self) -> None:
        super().__init__(type(self).__name__)

    def __call__(self, name: str, value: Any) -> None:
        require_summary(self.name, self.PLUGIN, name, value)
        summarize(self.PLUGIN, name, value)


class ScalarSummary(_Summary):
    """``ScalarSummary()(name, value)`` tells a `SummaryRecord` of one number.

    In compiled code it does so at each call of the program, in the order of what is printed.

    Raises
    ------
    S2sadError
        In a call E0303 for a name that is no str, E0304 for what is no Tensor, E0401 for a tensor
        of another shape.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> tell = ms.ops.ScalarSummary()
    >>> @ms.compile
    ... def loss(x):
    ...     y = (x * x).sum()
    ...     tell("loss", y)
    ...     return y
    >>> with tempfile.TemporaryDirectory() as folder, ms.SummaryRecord(folder) as record:
    ...     _ = loss(ms.Tensor([1.0, 2.0]))
    ...     record.record(1)
    True
    """

    PLUGIN = "scalar"


class TensorSummary(_Summary):
    """``TensorSummary()(name, value)`` tells of all elements of a tensor; see `ScalarSummary`."""

    PLUGIN = "tensor"


class HistogramSummary(_Summary):
    """``HistogramSummary()(name, value)`` tells how elements are spread; see `ScalarSummary`."""

    PLUGIN = "histogram"


class ImageSummary(_Summary):
    """``ImageSummary()(name, value)`` shows the first of some pictures; see `ScalarSummary`.

    They are of the shape (N, C, H, W), have 1 or 3 channels, and are bytes, or floats from 0 to 1.
    """

    PLUGIN = "image"
