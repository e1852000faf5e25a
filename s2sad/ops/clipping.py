"""How are several tensors, such as gradients, made shorter together, their direction kept?

Norms are computed in float32, or in float64 where a tensor holds that; results have the dtypes of
the tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ops.magnitude import vector_norm
from s2sad.ops.promotion import as_dtype, common, is_tensor, require_tensor
from s2sad.ops.settings import flag, not_negative, positive


def clip_by_norm(
    x: Any, max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Any:
    """`x`, scaled down so that its norm, of all elements in a row, is `max_norm` at most.

    Parameters
    ----------
    x : Tensor of floats, or list or tuple of those
        What is scaled together.
    max_norm : float
        Not negative.
    norm_type : float
        p of the norm ``sum(|x|**p)**(1/p)``, from 1 on; inf for the largest absolute value.
    error_if_nonfinite : bool
        True is refused (E0310).

    Returns
    -------
    Tensor, list or tuple, as `x`

    Raises
    ------
    S2sadError
        E0301 for what holds no floats, E0303 or E0404 for a setting of another form or value,
        E0304 for what is no Tensor.

    Notes
    -----
    The factor is ``min(max_norm / (norm + 1e-6), 1)``: R. Pascanu et al., "On the difficulty of
    training recurrent neural networks", 2013.

    Examples
    --------
    >>> import s2sad as ms
    >>> clip_by_norm(ms.Tensor([3.0, 4.0]), 1.0).asnumpy()
    array([0.5999999 , 0.79999983], dtype=float32)
    """
    if flag("error_if_nonfinite", error_if_nonfinite):
        raise fail("E0310", "error_if_nonfinite=True of clip_by_norm is not supported")
    order = float("inf") if norm_type == float("inf") else positive("norm_type", norm_type)
    if order < 1:
        raise fail("E0404", f"norm_type is at least 1, got {norm_type}")
    tensors = _floats("clip_by_norm", (x,) if is_tensor(x) else x)
    total = _total_norm(tensors, order)
    factor = p.minimum(p.div(not_negative("max_norm", max_norm), p.add(total, 1e-6)), 1)
    scaled = _scaled(tensors, factor)
    return scaled[0] if is_tensor(x) else type(x)(scaled)


def clip_by_global_norm(x: Any, clip_norm: float = 1.0, use_norm: None = None) -> tuple[Any, ...]:
    """The tensors `x`, scaled by ``clip_norm / max(norm, clip_norm)``.

    Parameters
    ----------
    x : tuple or list of Tensors of floats
        The norm is that of all their elements in a row.
    clip_norm : float
        Positive.
    use_norm : None
        Anything else is refused (E0310).

    Returns
    -------
    tuple of Tensors

    Raises
    ------
    S2sadError
        E0301 for what holds no floats, E0303 or E0404 for a `clip_norm` of another form or value,
        E0304 for what is no tuple or list of Tensors.

    Examples
    --------
    >>> import s2sad as ms
    >>> long, short = (ms.Tensor([3.0]), ms.Tensor([4.0])), (ms.Tensor([0.1]),)
    >>> [t.item() for t in clip_by_global_norm(long, 10.0)], clip_by_global_norm(short)[0].item()
    ([3.0, 4.0], 0.10000000149011612)
    >>> [t.item() for t in clip_by_global_norm(long, 2.5)]
    [1.5, 2.0]
    """
    if use_norm is not None:
        raise fail("E0310", "use_norm of clip_by_global_norm is not supported", help="leave it out")
    limit = positive("clip_norm", clip_norm)
    tensors = _floats("clip_by_global_norm", x)
    return tuple(_scaled(tensors, p.div(limit, p.maximum(_total_norm(tensors, 2.0), limit))))


def _floats(what: str, given: Any) -> Sequence[Any]:
    """`given`, which must be a tuple or list of tensors (E0304) of floats (E0301)."""
    if not isinstance(given, (tuple, list)) or not given:
        raise fail("E0304", f"{what} takes a tuple or list of Tensors, got {given!r}")
    for x in given:
        if not require_tensor(x, what).dtype.is_float:
            raise fail("E0301", f"{what} takes floats, got {x.dtype.name}")
    return given


def _total_norm(tensors: Sequence[Any], order: float) -> Any:
    """Norm of all elements in a row."""
    dtype = tensors[0].dtype.compute
    for x in tensors[1:]:
        dtype = common(dtype, x.dtype.compute)
    norms = [vector_norm(as_dtype(x, dtype), order) for x in tensors]
    return norms[0] if len(norms) == 1 else vector_norm(p.stack(*norms, axis=0), order)


def _scaled(tensors: Sequence[Any], factor: Any) -> list[Any]:
    wide = [as_dtype(x, factor.dtype) for x in tensors]
    return [as_dtype(p.mul(x, factor), t.dtype) for x, t in zip(wide, tensors, strict=True)]
