"""How far apart are rows, or tensors?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad import prims
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.arithmetic import sub
from s2sad.ops.autocast import decided
from s2sad.ops.magnitude import vector_norm
from s2sad.ops.promotion import constant, promote_floats, require_floats, type_of
from s2sad.ops.settings import number
from s2sad.prims.arrange import static_size


def cdist(x1: Any, x2: Any, p: float = 2.0) -> Any:
    """The distance of each row of one to each row of the other.

    Parameters
    ----------
    x1 : Tensor of floats, shape (..., m, n)
    x2 : Tensor of floats, shape (..., k, n)
        The axes before the last two broadcast.
    p : float
        Which norm, not negative: 0 counts elements that differ, inf takes the greatest difference.

    Returns
    -------
    Tensor, shape (..., m, k)

    Raises
    ------
    S2sadError
        E0303 and E0404 for a `p` that cannot be, E0304 for what is no Tensor, E0401 where shapes do
        not fit.

    Notes
    -----
    Equal rows have the gradient 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> cdist(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0], [0.0, 1.0]])).asnumpy()
    array([[5., 1.]], dtype=float32)
    """
    x, y = promote_floats(*decided("cdist", x1, x2))
    if x.ndim < 2 or y.ndim < 2:
        raise fail("E0401", f"cdist takes rows, got {type_of(x)} and {type_of(y)}")
    apart = sub(prims.expand_dims(x, axis=-2), prims.expand_dims(y, axis=-3))
    return vector_norm(apart, _order(p), -1)


def pdist(input: Any, p: float = 2.0) -> Any:
    """The distance of each two rows: of the first to all others, of the second to all later ones.

    Parameters
    ----------
    input : Tensor of floats, shape (..., n, m)
    p : float
        As of `cdist`.

    Returns
    -------
    Tensor, shape (..., n * (n - 1) / 2)

    Raises
    ------
    S2sadError
        E0301 for other dtypes, E0303 and E0404 for a `p` that cannot be, E0304 for what is no
        Tensor, E0401 for a vector, E0402 for a number of rows that is not known.

    Examples
    --------
    >>> import s2sad as ms
    >>> pdist(ms.Tensor([[0.0], [1.0], [3.0]])).asnumpy()
    array([1., 3., 2.], dtype=float32)
    """
    x = require_floats(input, "pdist")
    if x.ndim < 2:
        raise fail("E0401", f"pdist takes rows, got {type_of(x)}")
    pairs = np.triu_indices(static_size(x.shape[-2], "the number of rows"), 1)
    one, other = (
        prims.gather(x, constant(places, dtypes.int64), axis=x.ndim - 2) for places in pairs
    )
    return vector_norm(prims.sub(one, other), _order(p), -1)


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The norm of the difference, over all elements; shapes broadcast.

    Parameters
    ----------
    input, other : Tensor
    p : float
        As of `cdist`.

    Raises
    ------
    S2sadError
        Those of `cdist`.

    Examples
    --------
    >>> import s2sad as ms
    >>> dist(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 6.0])).asnumpy()
    array(5., dtype=float32)
    """
    x, y = promote_floats(input, other)
    return vector_norm(sub(x, y), _order(p))


def _order(p: Any) -> float:
    if number("p", p) != p or p < 0:
        raise fail("E0404", f"the p of a distance is not negative, got {p}")
    return p
