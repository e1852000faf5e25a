"""What is a tensor times weights, and with a bias added?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.graph import Operation, Value
from s2sad.ops.arithmetic import add
from s2sad.ops.autocast import decided
from s2sad.ops.linalg import matmul
from s2sad.ops.promotion import promote, require_tensor, require_tensors


def dense(input: Any, weight: Any, bias: Any = None) -> Any:
    """Affine map of the last axis: ``input @ weight.T + bias``.

    Parameters
    ----------
    input : Tensor, shape (..., n)
    weight : Tensor, shape (m, n)
    bias : Tensor, shape (m,) or (), optional

    Returns
    -------
    Tensor, shape (..., m)

    Raises
    ------
    S2sadError
        E0401 for shapes that do not go together.

    Examples
    --------
    >>> import s2sad as ms
    >>> dense(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0, 1.0], [0.0, 1.0]])).asnumpy()
    array([[3., 2.]], dtype=float32)
    """
    return affine(*decided("dense", input, weight, bias))


def affine(input: Any, weight: Any, bias: Any = None) -> Any:
    """As `dense`, of which the product and the sum decide each by itself at level ``"auto"``.

    So do a product and a `bias_add`: what layers are made of in MindSpore, but `Linear`.

    Examples
    --------
    >>> import s2sad as ms
    >>> affine(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[1.0, 1.0]]), ms.Tensor([0.5])).asnumpy()
    array([[3.5]], dtype=float32)
    """
    x, w = require_tensors("dense", input, weight)
    if w.ndim != 2 or not x.ndim or dims.same(x.shape[-1], w.shape[1]) is False:
        raise fail(
            "E0401", f"dense multiplies axis -1 of its input {x.shape} with axis 1 of its weight "
            f"{w.shape}", help=_to_fit(x, w),
        )  # fmt: skip
    shape = x.shape
    if len(shape) > 2:  # one product of matrices, not one for each of the leading indices
        x = p.reshape(x, shape=(math.prod(shape[:-1]), shape[-1]))
    out = matmul(x, p.transpose(w, perm=None))
    if bias is not None:
        if require_tensor(bias, "dense").ndim > 1:
            raise fail("E0401", f"the bias of dense has one axis, got the shape {bias.shape}")
        out = add(out, bias)
    return p.reshape(out, shape=(*shape[:-1], w.shape[0])) if len(shape) > 2 else out


def _to_fit(x: Any, w: Any) -> str | None:
    """What may be done with an input that does not fit the weight."""
    if w.ndim != 2:
        return "a weight has the axes (out, in)"
    if x.ndim > 1 and dims.same(dims.size(x.shape[1:]), w.shape[1]):
        return "flatten the input first: ops.flatten(x), nn.Flatten()"
    if not x.ndim:
        return None
    fits = f"an input of size {x.shape[-1]} takes Dense({x.shape[-1]}, ...)"
    image = _flattened(x)
    if image is None:
        return fits
    return f"{fits}: it is {image}, flattened, and Conv2d keeps sizes unless pad_mode='valid'"


def _flattened(x: Any) -> str | None:
    """The sizes of the images that `x` was made of, while compiling: ``"6 x 14 x 14"``."""
    made = x.owner if isinstance(x, Value) else None
    if not isinstance(made, Operation) or made.prim is not p.reshape:
        return None
    shape = made.operands[0].shape
    return " x ".join(map(str, shape[1:])) if len(shape) == 4 and x.ndim == 2 else None


def bias_add(input_x: Any, bias: Any) -> Any:
    """`input_x` plus a number a channel, which is axis 1.

    Parameters
    ----------
    input_x : Tensor, shape (N, C, ...)
    bias : Tensor, shape (C,)

    Raises
    ------
    S2sadError
        E0401 for other shapes.

    Examples
    --------
    >>> import s2sad as ms
    >>> bias_add(ms.Tensor([[[1.0, 2.0], [3.0, 4.0]]]), ms.Tensor([0.5, 10.0])).asnumpy()
    array([[[ 1.5,  2.5],
            [13. , 14. ]]], dtype=float32)
    """
    x, b = promote(*require_tensors("bias_add", input_x, bias))
    if x.ndim < 2 or b.ndim != 1 or dims.same(b.shape[0], x.shape[1]) is False:
        raise fail(
            "E0401", f"a bias has one element a channel, which is axis 1: got the shape {b.shape} "
            f"for {x.shape}",
        )  # fmt: skip
    return p.add(x, p.reshape(b, shape=(b.shape[0], *(1,) * (x.ndim - 2))))
