"""Which Cells drop at random where they train, and are the identity elsewhere?"""

from __future__ import annotations

import warnings
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ops.settings import fraction


class Dropout(Cell):
    """Sets random elements to 0 where it trains, and scales the others: the mean stays.

    Parameters
    ----------
    keep_prob : float
        MindSpore's older spelling, ``1 - p``, above 0; not read where `p` is given.
    p : float, optional
        Probability of being set to 0; at least 0 and below 1.
    dtype : DType
        Taken for compatibility; the result has the dtype of the input.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a probability that cannot be; those of `ops.dropout` in a call.

    Notes
    -----
    G. E. Hinton et al., "Improving neural networks by preventing co-adaptation of feature
    detectors", 2012. The gradient is that of the elements that were kept.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> net = ms.nn.Dropout(p=0.5)
    >>> net(ms.Tensor([1.0, 1.0])).asnumpy(), net.set_train()(ms.Tensor([1.0, 1.0])).asnumpy()
    (array([1., 1.], dtype=float32), array([0., 2.], dtype=float32))
    """

    def __init__(
        self, keep_prob: float = 0.5, p: float | None = None, dtype: DType = dtypes.float32
    ) -> None:
        super().__init__()
        if not isinstance(dtype, DType):
            raise fail("E0303", f"a dtype such as s2sad.float32 is needed, got {dtype!r}")
        if p is None:
            p = 1 - _kept(keep_prob)
            warnings.warn(
                f"Dropout(keep_prob={keep_prob:g}) is an older spelling: write p={p:g}, the "
                "probability of being set to 0", DeprecationWarning, stacklevel=2,
            )  # fmt: skip
        self.p = _dropped(p)
        self.keep_prob = 1 - self.p

    def construct(self, x: Any) -> Any:
        return ops.dropout(x, self.p, self.training)

    def extend_repr(self) -> str:
        return f"p={self.p:g}"


def _kept(keep_prob: Any) -> float:
    found = fraction("keep_prob", keep_prob)
    if not found:
        raise fail("E0404", "keep_prob is above 0")
    return found


def _dropped(p: Any) -> float:
    found = fraction("p", p)
    if found == 1:
        raise fail("E0404", "p is below 1: of nothing kept nothing can be learnt")
    return found


class _ChannelDropout(Cell):
    """Base of those that drop whole channels."""

    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = fraction("p", p)

    def extend_repr(self) -> str:
        return f"p={self.p:g}"


class Dropout1d(_ChannelDropout):
    """Sets random channels to 0 where it trains; see `ops.dropout1d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.set_seed(0)
    >>> ms.nn.Dropout1d().set_train()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).asnumpy()
    array([[0., 0.],
           [6., 8.]], dtype=float32)
    """

    def construct(self, x: Any) -> Any:
        return ops.dropout1d(x, self.p, self.training)


class Dropout2d(_ChannelDropout):
    """Sets random channels to 0 where it trains; see `ops.dropout2d`."""

    def construct(self, x: Any) -> Any:
        return ops.dropout2d(x, self.p, self.training)


class Dropout3d(_ChannelDropout):
    """Sets random channels to 0 where it trains; see `ops.dropout3d`."""

    def construct(self, x: Any) -> Any:
        return ops.dropout3d(x, self.p, self.training)
