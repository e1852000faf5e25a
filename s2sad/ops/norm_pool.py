"""How long is the vector under each window?"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.pool import avg_pool1d, avg_pool2d
from s2sad.ops.promotion import require_floats, type_of
from s2sad.ops.settings import positive
from s2sad.ops.spatial import sizes_of


def lp_pool1d(
    x: Any, norm_type: float, kernel_size: int, stride: int | None = None, ceil_mode: bool = False
) -> Any:
    """``(sum of x ** norm_type) ** (1 / norm_type)`` over each window of one axis.

    Parameters
    ----------
    x : Tensor of floats, shape (N, C, L) or (C, L)
    norm_type : float
        Positive. Where it is no even number `x` should not be negative.
    kernel_size : int
    stride : int, optional
        By default `kernel_size`.
    ceil_mode : bool
        Whether a window that does not fit in whole counts too; the mean of what it covers is taken
        for each of its elements then.

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 and E0404 for settings that cannot be, E0304 for what is no
        Tensor, E0401 for other axes.

    Notes
    -----
    The gradient is 0 where the sum is 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> lp_pool1d(ms.Tensor([[[3.0, 4.0, 0.0, 5.0]]]), 2, 2).asnumpy()
    array([[[5., 5.]]], dtype=float32)
    """
    return _pooled("lp_pool1d", x, 1, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(
    x: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False
) -> Any:
    """``(sum of x ** norm_type) ** (1 / norm_type)`` over each window of two axes.

    `x` has the shape (N, C, H, W) or (C, H, W), `kernel_size` and `stride` are an int or two.
    Other arguments and errors are those of `lp_pool1d`.

    Examples
    --------
    >>> import s2sad as ms
    >>> lp_pool2d(ms.Tensor([[[[3.0, 0.0], [0.0, 4.0]]]]), 2, 2).asnumpy()
    array([[[[5.]]]], dtype=float32)
    """
    return _pooled("lp_pool2d", x, 2, norm_type, kernel_size, stride, ceil_mode)


def _pooled(
    name: str, x: Any, rank: int, norm_type: Any, kernel_size: Any, stride: Any, ceil_mode: bool
) -> Any:
    x, order = require_floats(x, name), positive("norm_type", norm_type)
    if x.ndim not in (rank + 1, rank + 2):
        raise fail("E0401", f"{name} takes {rank + 1} or {rank + 2} axes, got {type_of(x)}")
    kernel = sizes_of("kernel_size", kernel_size, rank)
    step = kernel if stride is None else sizes_of("stride", stride, rank)
    whole = x if x.ndim == rank + 2 else p.expand_dims(x, axis=0)
    powers = p.square(whole) if order == 2 else p.pow(whole, order)
    if rank == 1:
        mean = avg_pool1d(powers, kernel[0], step[0], ceil_mode=ceil_mode)
    else:
        mean = avg_pool2d(powers, kernel, step, ceil_mode=ceil_mode)
    total = p.mul(mean, float(kernel[0] * kernel[-1] if rank == 2 else kernel[0]))
    is_none = p.equal(total, 0)
    root = p.where(is_none, 0, p.pow(p.where(is_none, 1, total), 1 / order))
    return root if x.ndim == rank + 2 else p.squeeze(root, axis=0)
