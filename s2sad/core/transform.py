"""What does ``grad(f)`` return? Data: which derivative of which function, and no code."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from s2sad.core.dispatch import slots
from s2sad.core.tensor import Parameter


@dataclass(frozen=True, eq=False)
class Transform:
    """A function made from another one, known by what it was made of.

    Attributes
    ----------
    kind : {"grad", "value_and_grad", "vjp", "jvp"}
    function : callable
        A function, a Cell, or another Transform.
    grad_position : int, tuple of int, or None
        Arguments to differentiate with respect to.
    weights : Parameter, tuple of Parameter, or None
        Parameters to differentiate with respect to; a bare one gives a bare gradient.
    has_aux : bool
        Whether only the first output is differentiated.
    return_ids : bool
        Whether each gradient comes with its position or name.
    sens_param : bool
        Whether the last argument of the call is the output's cotangent.
    """

    kind: Literal["grad", "value_and_grad", "vjp", "jvp"]
    function: Callable[..., Any]
    grad_position: int | tuple[int, ...] | None = 0
    weights: Parameter | tuple[Parameter, ...] | None = None
    has_aux: bool = False
    return_ids: bool = False
    sens_param: bool = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return slots().call_transform(self, args, kwargs)


def grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
) -> Transform:
    """Function that gives the gradients of `fn`.

    Parameters
    ----------
    fn : Cell or function
        All its float outputs count, each with a cotangent of ones.
    grad_position : int, tuple of int, or None
        Arguments to differentiate with respect to.
    weights : Parameter or iterable of Parameter, optional
    has_aux : bool
        Only the first output is differentiated; the others are given as they are.

    Returns
    -------
    Transform
        Called as `fn` is; gives a bare Tensor for one position or one Parameter, else a tuple;
        a pair of both where both are asked for.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Tanh()
    >>> ms.grad(net)(ms.Tensor([0.0])).asnumpy()
    array([1.], dtype=float32)
    """
    return Transform("grad", fn, grad_position, _weights(weights), has_aux)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | tuple[int, ...] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
) -> Transform:
    """Function that gives the outputs of `fn` and its gradients; parameters as for `grad`.

    Examples
    --------
    >>> import s2sad as ms
    >>> value, gradient = ms.value_and_grad(ms.nn.Tanh())(ms.Tensor([0.0]))
    >>> value.asnumpy(), gradient.asnumpy()
    (array([0.], dtype=float32), array([1.], dtype=float32))
    """
    return Transform("value_and_grad", fn, grad_position, _weights(weights), has_aux)


def _weights(weights: Parameter | Iterable[Parameter] | None) -> Any:
    if weights is None or isinstance(weights, Parameter):
        return weights
    return tuple(weights)
