"""Which numbers among the arguments of compiled code are data, though Python's?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.tensor import Tensor
from s2sad.core.trees import changed


class Mutable:
    """A number that compiled code takes as data: its program serves any other too.

    Attributes
    ----------
    dtype : DType
        Of what the program gets.
    """

    dtype: DType
    shape: tuple[int, ...] = ()
    ndim = 0
    _hooks = ()
    _memory = None

    @property
    def array(self) -> np.ndarray:
        """What the program gets."""
        return np.array(self, self.dtype.storage)


class MutableInt(Mutable, int):
    """An int that is data."""

    dtype = dtypes.int64


class MutableFloat(Mutable, float):
    """A float that is data."""

    dtype = dtypes.float64


def mutable(input_data: Any, dynamic_len: bool = False) -> Any:
    """Numbers that compiled code takes as data, where it would else be compiled for each.

    Parameters
    ----------
    input_data : int, float, Tensor, or tuple, list or dict of those
        Numbers in a program are as in Python: an int takes the dtype of a Tensor that it meets.
    dynamic_len : bool
        True is refused (E0310): containers of other lengths have programs of their own.

    Returns
    -------
    The same number, or a container with such numbers; Tensors are data in any case.

    Raises
    ------
    S2sadError
        E0303 for what is neither a number nor a Tensor; E0404 for an int beyond 64 bits.

    Examples
    --------
    >>> import s2sad as ms
    >>> power = ms.compile(lambda x, n: ms.ops.mul(x, n))
    >>> [power(ms.Tensor([1.5]), ms.mutable(n)).item() for n in (2, 3, 4)]
    [3.0, 4.5, 6.0]
    >>> len(power.variants)
    1
    """
    if dynamic_len:
        raise fail(
            "E0310", "dynamic_len=True of mutable is not supported",
            help="stack the items into a Tensor, and leave its length open: input_signature",
        )  # fmt: skip
    return changed(input_data, _as_data)


def _as_data(leaf: Any) -> Any:
    if isinstance(leaf, Tensor):
        return leaf
    if isinstance(leaf, bool) or not isinstance(leaf, (int, float)):
        raise fail(
            "E0303", f"mutable takes numbers and Tensors, got {leaf!r}",
            help="give a Tensor: Tensor(True)" if isinstance(leaf, bool) else None,
        )  # fmt: skip
    if isinstance(leaf, float):
        return MutableFloat(leaf)
    if not -(2**63) <= leaf < 2**63:
        raise fail("E0404", f"the integer {leaf} does not fit int64")
    return MutableInt(leaf)
