"""Which Cells of a network compute in a narrow float?

A level marks Cells (`s2sad.core.precision`), and nothing else of the network changes: Parameters
stay as they are stored, and are cast where they are used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad import nn
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.precision import Precision, cast_floats
from s2sad.ops.autocast import ByPrimitive
from s2sad.prims.precision import LEVELS, NARROW_CELLS, WIDE_CELLS

BATCH_NORMS: tuple[type[Cell], ...] = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
WHITE_LIST: tuple[type[Cell], ...] = tuple(getattr(nn, name) for name in NARROW_CELLS)
BLACK_LIST: tuple[type[Cell], ...] = tuple(getattr(nn, name) for name in WIDE_CELLS)


def get_white_list() -> list[type[Cell]]:
    """The classes of Cells that compute in a narrow float at level O1; a list of one's own.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.Dense in get_white_list()
    True
    """
    return list(WHITE_LIST)


def get_black_list() -> list[type[Cell]]:
    """The classes of Cells that compute in float32 at level O2; a list of one's own.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.LayerNorm in get_black_list()
    True
    """
    return list(BLACK_LIST)


class OutputTo32(Cell):
    """A network, with floats among its results cast to float32."""

    def __init__(self, backbone: Cell) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    @property
    def backbone_network(self) -> Cell:
        """The network whose results are cast."""
        return self._backbone

    def construct(self, *inputs: Any, **named: Any) -> Any:
        return cast_floats(self._backbone(*inputs, **named), dtypes.float32)


class _Called(Cell):
    """A function, as a Cell that can be marked."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self._function = function

    def construct(self, *inputs: Any, **named: Any) -> Any:
        return self._function(*inputs, **named)


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: DType = dtypes.float16) -> Any:
    """Let a network compute in mixed precision.

    Parameters
    ----------
    network : Cell
        Changed in place. For level ``"auto"`` also a function. A Cell in it that has a precision of
        its own, by `Cell.to_float`, keeps that, as do those below it.
    amp_level : {"O0", "O1", "O2", "O3", "auto"}
        - O0: nothing changes.
        - O1: Cells of the white list compute in `dtype` and give float32.
        - O2: everything computes in `dtype`, but Cells of the black list, which compute in
          float32 and give `dtype`.
        - O3: everything computes in `dtype`.
        - auto: each primitive decides: products of matrices and convolutions compute in `dtype`,
          exponentials, sums and normalisations in float32, all else in the dtype in which its
          operands meet. Some operations of several primitives decide as one, as `ops.dense` does.
    dtype : DType
        float16 or bfloat16.

    Returns
    -------
    Cell
        The network; at O2 and O3 a Cell around it, whose results are float32. Of a function, a Cell
        that calls it.

    Raises
    ------
    S2sadError
        E0304 for a `network` of another kind, E0404 for another level or dtype.

    Notes
    -----
    P. Micikevicius et al., "Mixed precision training", 2018. Parameters keep their dtype at every
    level; so do gradients.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = auto_mixed_precision(ms.nn.Dense(3, 2), "O2")
    >>> net(ms.ops.ones((1, 3))).dtype, net.backbone_network(ms.ops.ones((1, 3))).dtype
    (s2sad.float32, s2sad.float16)
    """
    if amp_level not in LEVELS:
        raise fail("E0404", f"amp_level is one of {', '.join(LEVELS)}, got {amp_level!r}")
    require_narrow(dtype)
    if not isinstance(network, Cell) and amp_level == "auto" and callable(network):
        network = _Called(network)
    require_network(network)
    if amp_level == "O1":
        narrow_only(network, WHITE_LIST, dtype)
    elif amp_level == "auto":
        _decide_by_primitive(network, dtype)
    elif amp_level != "O0":
        narrow_all(network, BLACK_LIST if amp_level == "O2" else (), dtype)
        return OutputTo32(network)
    return network


def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type[Cell]] | None = None,
    black_list: list[type[Cell]] | None = None,
    dtype: DType = dtypes.float16,
) -> Cell:
    """Let a network compute in mixed precision, as lists of classes say.

    Parameters
    ----------
    network : Cell
        As of `auto_mixed_precision`.
    white_list : list of Cell classes, optional
        What computes in `dtype`, as at level O1.
    black_list : list of Cell classes, optional
        What computes in float32, as at level O2. One of the two lists is given.
    dtype : DType
        float16 or bfloat16.

    Returns
    -------
    Cell
        The network; with a `black_list`, a Cell around it, whose results are float32.

    Raises
    ------
    S2sadError
        E0304 for a `network` or a list of another kind, E0404 for both lists or none, or another
        dtype.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = custom_mixed_precision(ms.nn.ReLU(), white_list=[*get_white_list(), ms.nn.ReLU])
    >>> net(ms.Tensor([1.0001])).asnumpy(), net(ms.Tensor([1.0])).dtype
    (array([1.], dtype=float32), s2sad.float32)
    """
    require_network(network)
    require_narrow(dtype)
    if (white_list is None) is (black_list is None):
        raise fail("E0404", "custom_mixed_precision takes a white_list or a black_list, not both")
    if white_list is not None:
        narrow_only(network, _classes("white_list", white_list), dtype)
        return network
    narrow_all(network, _classes("black_list", black_list), dtype)
    return OutputTo32(network)


def require_network(network: Any) -> None:
    """E0304 unless `network` is a Cell."""
    if not isinstance(network, Cell):
        raise fail("E0304", f"network is a Cell, got a {type(network).__name__}")


def require_narrow(dtype: Any) -> None:
    """E0404 for another dtype than the two of 16 bits."""
    if dtype not in (dtypes.float16, dtypes.bfloat16):
        raise fail("E0404", f"mixed precision is in float16 or bfloat16, got {dtype!r}")


def _classes(name: str, given: Any) -> tuple[type[Cell], ...]:
    if not isinstance(given, list):
        raise fail("E0304", f"{name} is a list of Cell classes, got a {type(given).__name__}")
    for each in given:
        if not isinstance(each, type) or not issubclass(each, Cell):
            raise fail("E0304", f"{name} is a list of Cell classes, got {each!r} in it")
    return tuple(given)


def narrow_only(network: Cell, classes: Sequence[type[Cell]], dtype: DType) -> None:
    """Mark the Cells of these classes: they compute in `dtype` and give float32."""
    if network._precision is not None:
        return
    if type(network) not in classes:
        for child in network.cells():
            narrow_only(child, classes, dtype)
        return
    _mark_all(network, Precision(dtype))
    network.mark_precision(Precision(dtype, result=dtypes.float32))


def narrow_all(network: Cell, wide: Sequence[type[Cell]], dtype: DType) -> None:
    """Mark all Cells: those below `network` of the classes `wide`, or derived, are float32."""
    if network._precision is not None:
        return
    network.mark_precision(Precision(dtype))
    for child in network.cells():
        if isinstance(child, tuple(wide)) and child._precision is None:
            _mark_all(child, Precision(dtypes.float32))
            child.mark_precision(Precision(dtypes.float32, result=dtype))
        else:
            narrow_all(child, wide, dtype)


def _decide_by_primitive(network: Cell, dtype: DType) -> None:
    _mark_all(network, Precision(rule=ByPrimitive(dtype)))


def _mark_all(network: Cell, mark: Precision) -> None:
    """Give the mark to all Cells from `network` on, but those below one that has another."""
    if network._precision is None:
        network.mark_precision(mark)
        for child in network.cells():
            _mark_all(child, mark)
