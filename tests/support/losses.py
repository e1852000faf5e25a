"""A loss as a function and as a Cell, against a formula in float64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import s2sad as ms
from support.forms import both_forms, check_gradients, require_same

REDUCTIONS = ("mean", "sum", "none")


def reduced(losses: np.ndarray, reduction: str) -> Any:
    return losses if reduction == "none" else getattr(losses, reduction)()


def check_loss(
    make: Callable[[str], tuple[Callable[..., Any], Any]],
    formula: Callable[..., Any],
    arrays: Sequence[np.ndarray],
    *,
    differentiable: int,
    reductions: Sequence[str] = REDUCTIONS,
) -> None:
    """Function and Cell give the formula's losses, in both forms, and its gradients.

    Parameters
    ----------
    make : callable
        The function, and the Cell, of a reduction.
    formula : callable
        The losses of `arrays`.
    differentiable : int
        How many of the first of `arrays` have a gradient.
    """
    tensors = [ms.Tensor(array) for array in arrays]
    losses = np.asarray(formula(*arrays))
    for reduction in reductions:
        function, cell = make(reduction)
        one = both_forms(function, *tensors)
        require_same(one, both_forms(lambda *x, cell=cell: cell(*x), *tensors))
        expected = reduced(losses, reduction)
        assert one.dtype is ms.float64 and one.shape == np.shape(expected)
        np.testing.assert_allclose(one.asnumpy(), expected, rtol=1e-11, atol=1e-13)
    rest = tensors[differentiable:]
    function, _ = make(reductions[0])
    check_gradients(lambda *x: function(*x, *rest), *arrays[:differentiable])
    _check_narrow(function, arrays)


def _check_narrow(function: Callable[..., Any], arrays: Sequence[np.ndarray]) -> None:
    """float16 gives the rounded result of the float32 program."""
    narrow = [ms.Tensor(a, ms.float16) if a.dtype.kind == "f" else ms.Tensor(a) for a in arrays]
    wide = [x.astype(ms.float32) if x.dtype is ms.float16 else x for x in narrow]
    found = both_forms(function, *narrow)
    expected = function(*wide).astype(ms.float16)
    assert found.dtype is ms.float16
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-3)
