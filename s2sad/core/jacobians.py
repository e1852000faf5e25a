"""What do ``jacfwd(f)``, ``jacrev(f)`` and ``hessian(f)`` return?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.transform import Kind, Transform, made_of


def jacfwd(
    fn: Callable[..., Any], grad_position: int | Sequence[int] = 0, has_aux: bool = False
) -> Transform:
    """Function that gives the Jacobian of `fn`, by forward mode: for few inputs.

    Parameters
    ----------
    fn : Cell, function, or what `grad`, `jacrev`, `vmap` or `compile` and their kind gave
    grad_position : int or sequence of int
        Arguments to differentiate with respect to. Of a container all tensors count.
    has_aux : bool
        Only the first output is differentiated; the others are given as they are.

    Returns
    -------
    Transform
        Called as `fn` is. Of an output and an argument the Jacobian has the axes of the output,
        then those of the argument. For several arguments it is a tuple; for outputs in containers
        it has the form of those. With `has_aux` a pair of that and the others: one of those bare,
        several as a tuple.

    Raises
    ------
    S2sadError
        E0304 for a `fn` that cannot be called, E0303 for a position that is no int, E0404 for one
        that is negative or occurs twice. From its calls: E0308 for a position without a Tensor,
        E0301 for one of integers, E0104 for a function with effects, E0404 for `has_aux` with one
        output.

    Notes
    -----
    A tangent is pushed forward for each element of the arguments, all at once; what does not
    depend on the tangent is computed once. Integer outputs have zeros.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.jacfwd(lambda x: x * x)(ms.Tensor([2.0, 3.0])).tolist()
    [[4.0, 0.0], [0.0, 6.0]]
    """
    return _jacobian("jacfwd", fn, grad_position, has_aux)


def jacrev(
    fn: Callable[..., Any], grad_position: int | Sequence[int] = 0, has_aux: bool = False
) -> Transform:
    """Function that gives the Jacobian of `fn`, by reverse mode: for few outputs; see `jacfwd`.

    Examples
    --------
    >>> import s2sad as ms
    >>> by_x, by_y = ms.jacrev(lambda x, y: ms.ops.sum(x) * y, (0, 1))(
    ...     ms.Tensor([2.0, 3.0]), ms.Tensor([1.0, 10.0]))
    >>> by_x.tolist(), by_y.tolist()
    ([[1.0, 1.0], [10.0, 10.0]], [[5.0, 0.0], [0.0, 5.0]])
    """
    return _jacobian("jacrev", fn, grad_position, has_aux)


def hessian(
    fn: Callable[..., Any], grad_position: int | Sequence[int] = 0, has_aux: bool = False
) -> Transform:
    """Function that gives the second derivatives of `fn`: forward over reverse; see `jacfwd`.

    Returns
    -------
    Transform
        For an output and two arguments its axes, then those of the one, then those of the other;
        for several arguments a tuple of tuples.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.hessian(lambda x: ms.ops.sum(x * x * x))(ms.Tensor([2.0, 3.0])).tolist()
    [[12.0, 0.0], [0.0, 18.0]]
    """
    first = _jacobian("jacrev", fn, grad_position, has_aux)
    return _jacobian("jacfwd", first, grad_position, has_aux)


def _jacobian(kind: Kind, fn: Any, grad_position: Any, has_aux: bool) -> Transform:
    if grad_position is None:
        raise fail("E0404", f"{kind} needs a grad_position: nothing to differentiate")
    return made_of(kind, fn, grad_position, None, has_aux, return_ids=False, sens_param=False)
