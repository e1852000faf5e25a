"""What does ``grad(f)`` return? Data: which derivative of which function, and no code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from s2sad.core.diagnostics import fail
from s2sad.core.dispatch import slots
from s2sad.core.parameter import Parameter

Kind = Literal["grad", "value_and_grad", "vjp", "jvp"]


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

    kind: Kind
    function: Callable[..., Any]
    grad_position: int | tuple[int, ...] | None = 0
    weights: Parameter | tuple[Parameter, ...] | None = None
    has_aux: bool = False
    return_ids: bool = False
    sens_param: bool = False

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return slots().call_transform(self, args, kwargs)


class Wrapper:
    """What stands for a function and means the same: its compiled form.

    Attributes
    ----------
    function : callable
    """

    function: Any


def unwrapped(function: Any) -> Any:
    """What a `Wrapper` stands for; anything else is that itself."""
    while isinstance(function, Wrapper):
        function = function.function
    return function


def grad(
    fn: Callable[..., Any],
    grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Transform:
    """Function that gives the gradients of `fn`.

    Parameters
    ----------
    fn : Cell, function, or what `grad`, `value_and_grad` or `compile` gave
        All its float outputs count, each with a cotangent of ones.
    grad_position : int, sequence of int, or None
        Arguments to differentiate with respect to. Of a container all tensors count, and the
        gradient has its form; an argument that holds no tensor has no gradient.
    weights : Parameter or iterable of Parameter, optional
        One with `requires_grad` False gets zeros.
    has_aux : bool
        Only the first output is differentiated; the others are given as they are.
    return_ids : bool
        Each gradient comes as a pair, with the position of the argument or the name of the
        Parameter before it; see `get_grad`.
    sens_param : bool
        The last argument of the call is the cotangent of the output, in place of ones.

    Returns
    -------
    Transform
        Called as `fn` is; gives a bare Tensor for one position or one Parameter, else a tuple;
        a pair of both where both are asked for; with `has_aux` a pair of that and the tuple of
        the other outputs.

    Raises
    ------
    S2sadError
        E0303 for a position that is no int, E0304 for a `fn` that cannot be called and for a
        weight that is no Parameter, E0404 for a position that is negative or occurs twice, and
        where there is nothing to differentiate with respect to.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Tanh()
    >>> ms.grad(net)(ms.Tensor([0.0])).asnumpy()
    array([1.], dtype=float32)
    """
    return _transform("grad", fn, grad_position, weights, has_aux, return_ids, sens_param)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | Sequence[int] | None = 0,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Transform:
    """Function that gives all outputs of `fn`, and its gradients; for the rest see `grad`.

    Examples
    --------
    >>> import s2sad as ms
    >>> value, gradient = ms.value_and_grad(ms.nn.Tanh())(ms.Tensor([0.0]))
    >>> value.asnumpy(), gradient.asnumpy()
    (array([0.], dtype=float32), array([1.], dtype=float32))
    """
    return _transform("value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param)


def get_grad(gradients: Any, identifier: int | Parameter) -> Any:
    """The gradient of an argument or a Parameter, from a result made with ``return_ids=True``.

    Parameters
    ----------
    gradients : tuple
    identifier : int or Parameter
        Position of the argument, or the Parameter.

    Raises
    ------
    S2sadError
        E0304 for another identifier, E0404 when its gradient is not there.

    Examples
    --------
    >>> import s2sad as ms
    >>> gradients = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(
    ...     ms.Tensor([2.0]), ms.Tensor([3.0]))
    >>> get_grad(gradients, 1).asnumpy()
    array([2.], dtype=float32)
    """
    if isinstance(identifier, bool) or not isinstance(identifier, (int, Parameter)):
        raise fail("E0304", f"an argument's position or a Parameter is needed, got {identifier!r}")
    wanted = identifier.name if isinstance(identifier, Parameter) else identifier
    for name, gradient in _pairs(gradients):
        if type(name) is type(wanted) and name == wanted:
            return gradient
    raise fail(
        "E0404", f"there is no gradient of {wanted!r} here",
        help="ask for it, and for return_ids=True",
    )  # fmt: skip


def _pairs(gradients: Any) -> list[tuple[Any, Any]]:
    if not isinstance(gradients, tuple):
        return []
    if len(gradients) == 2 and isinstance(gradients[0], (int, str)):
        return [gradients]
    return [pair for item in gradients for pair in _pairs(item)]


def _transform(
    kind: Kind,
    fn: Any,
    grad_position: Any,
    weights: Any,
    has_aux: bool,
    return_ids: bool,
    sens_param: bool,
) -> Transform:
    if not callable(fn):
        raise fail("E0304", f"{kind} takes a Cell or a function, got {fn!r}")
    flags = {"has_aux": has_aux, "return_ids": return_ids, "sens_param": sens_param}
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise fail("E0303", f"{name} is True or False, got {flag!r}")
    if grad_position is None and weights is None:
        raise fail("E0404", "grad_position and weights are both None: nothing to differentiate")
    return Transform(kind, fn, _positions(grad_position), _weights(weights), **flags)


def _positions(given: Any) -> int | tuple[int, ...] | None:
    if given is None:
        return None
    positions = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for position in positions:
        if isinstance(position, bool) or not isinstance(position, int):
            raise fail("E0303", f"a grad_position is an int, got {position!r}")
    if not positions or min(positions) < 0 or len(set(positions)) < len(positions):
        raise fail("E0404", f"each grad_position is from 0 on and occurs once, got {given!r}")
    return positions if isinstance(given, (tuple, list)) else given


def _weights(given: Any) -> Parameter | tuple[Parameter, ...] | None:
    if given is None or isinstance(given, Parameter):
        return given
    if not isinstance(given, Iterable):
        raise fail("E0304", f"weights are Parameters, got {given!r}")
    weights = tuple(given)
    for weight in weights:
        if not isinstance(weight, Parameter):
            raise fail("E0304", f"weights are Parameters, got {weight!r}")
    return weights
