"""What does ``grad(f)`` return? Data: which derivative of which function, and no code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MethodType
from typing import Any, Literal

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dispatch import slots
from s2sad.core.parameter import Parameter
from s2sad.core.shown import shown
from s2sad.core.tracebacks import shorten

Kind = Literal["grad", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "vmap"]


class Every(Enum):
    """In place of positions: all arguments that hold tensors, in a tuple also where it is one."""

    ARGUMENT = "every argument"


EVERY = Every.ARGUMENT


@dataclass(frozen=True, eq=False)
class Transform:
    """A function made from another one, known by what it was made of.

    Attributes
    ----------
    kind : {"grad", "value_and_grad", "vjp", "jvp", "jacfwd", "jacrev", "vmap"}
    function : callable
        A function, a Cell, or another Transform.
    grad_position : int, tuple of int, `EVERY`, or None
        Arguments to differentiate with respect to.
    weights : Parameter, tuple of Parameter, or None
        Parameters to differentiate with respect to; a bare one gives a bare gradient.
    has_aux : bool
        Whether only the first output is differentiated.
    return_ids : bool
        Whether each gradient comes with its position or name.
    sens_param : bool
        Whether the last argument of the call is the output's cotangent.
    in_axes, out_axes : int, None, or tree of those
        Of a ``"vmap"``: the axis along which it runs in each argument, and stands in each output.
    """

    kind: Kind
    function: Callable[..., Any]
    grad_position: int | tuple[int, ...] | Every | None = 0
    weights: Parameter | tuple[Parameter, ...] | None = None
    has_aux: bool = False
    return_ids: bool = False
    sens_param: bool = False
    in_axes: Any = 0
    out_axes: Any = 0

    @property
    def is_read(self) -> bool:
        """Whether calling it is ordinary compiled code, and no derivative of a whole program."""
        return self.kind in ("jacfwd", "jacrev", "vmap")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return slots().call_transform(self, args, kwargs)
        except Exception as error:
            shorten(error)
            raise


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


def innermost(function: Any) -> Any:
    """The function or Cell that a derivative, perhaps of derivatives, is of in the end."""
    while isinstance(function, Transform):
        function = unwrapped(function.function)
    return function


def grad(
    fn: Callable[..., Any],
    grad_position: int | Sequence[int] | Every | None = 0,
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
    return made_of("grad", fn, grad_position, weights, has_aux, return_ids, sens_param)


def value_and_grad(
    fn: Callable[..., Any],
    grad_position: int | Sequence[int] | Every | None = 0,
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
    return made_of("value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param)


def vjp(
    fn: Callable[..., Any],
    *inputs: Any,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
) -> tuple[Any, ...]:
    """Output of `fn` at `inputs`, and a function from its cotangent to gradients: reverse mode.

    Parameters
    ----------
    fn : Cell, function, or what `grad`, `value_and_grad` or `compile` gave
    *inputs
        The arguments of `fn`; all that hold tensors have gradients.
    weights : Parameter or iterable of Parameter, optional
        Parameters to differentiate with respect to; one with `requires_grad` False gets zeros.
    has_aux : bool
        Only the first output is differentiated; the others are given as they are.

    Returns
    -------
    output
        What `fn` gives; with `has_aux` its first output.
    vjp_fn : callable
        Takes the cotangent of `output`, or of each tensor in it one, and gives a tuple with the
        gradient of each input, also of a single one; with `weights` a pair of that and the
        weights': a tuple, or bare for one Parameter. It keeps what it needs of this call, so later
        changes of inputs and Parameters are nothing to it, and may be called several times.
    aux
        With `has_aux` only: one other output bare, several as a tuple.

    Raises
    ------
    S2sadError
        E0304 for a `fn` that cannot be called and for a weight that is no Parameter, E0308 and
        E0404 where there is nothing to differentiate with respect to, E0404 for `has_aux` with one
        output; from `vjp_fn` those of a cotangent that does not fit (E0301, E0304, E0401).

    Notes
    -----
    The program is kept with `fn`; see `jvp`.

    Examples
    --------
    >>> import s2sad as ms
    >>> output, vjp_fn = ms.vjp(lambda x, y: x * y, ms.Tensor([3.0]), ms.Tensor([5.0]))
    >>> [gradient.asnumpy() for gradient in vjp_fn(ms.Tensor([2.0]))]
    [array([10.], dtype=float32), array([6.], dtype=float32)]
    """
    transform, args = vjp_call(fn, *inputs, weights=weights, has_aux=has_aux)
    return kept(transform)(*args)


def vjp_call(
    fn: Callable[..., Any],
    *inputs: Any,
    weights: Parameter | Iterable[Parameter] | None = None,
    has_aux: bool = False,
) -> tuple[Transform, tuple[Any, ...]]:
    """What `vjp` calls, and with which arguments."""
    positions = tuple(range(len(inputs))) or None
    made = made_of("vjp", fn, positions, weights, has_aux, return_ids=False, sens_param=False)
    return made, inputs


def jvp(fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Output of `fn` at `inputs`, and its derivative in the direction `v`: forward mode.

    Parameters
    ----------
    fn : Cell, function, or what `grad`, `value_and_grad` or `compile` gave
    inputs : Tensor, or tuple or list of Tensors and of containers of them
        The arguments of `fn`.
    v : like `inputs`
        A tangent for each Tensor, of its shape and dtype. That of integers has no effect.
    has_aux : bool
        Only the first output is differentiated; the others are given as they are.

    Returns
    -------
    tuple
        The output and its tangent, of the same form; with `has_aux` the first output, its tangent,
        and the others: one of those bare, several as a tuple. The tangent of integers is zero.

    Raises
    ------
    S2sadError
        E0302 for another number of tangents than of inputs, E0304 for what is no Tensor, E0301 and
        E0401 for a tangent of another dtype or shape, E0404 for `has_aux` with one output.

    Notes
    -----
    The program is kept with `fn`, so the second call with one function runs at once; a function
    made anew for each call is compiled for each call.

    Examples
    --------
    >>> import s2sad as ms
    >>> output, tangent = ms.jvp(lambda x: x * x, ms.Tensor([3.0]), ms.Tensor([1.0]))
    >>> output.asnumpy(), tangent.asnumpy()
    (array([9.], dtype=float32), array([6.], dtype=float32))
    """
    transform, args = jvp_call(fn, inputs, v, has_aux)
    return kept(transform)(*args)


def jvp_call(
    fn: Callable[..., Any], inputs: Any, v: Any, has_aux: bool = False
) -> tuple[Transform, tuple[Any, ...]]:
    """What `jvp` calls, and with which arguments: the inputs, then the tuple of their tangents."""
    args, tangents = _several(inputs), _several(v)
    if len(args) != len(tangents):
        raise fail("E0302", f"jvp needs a tangent an input: {len(args)}, got {len(tangents)}")
    positions = tuple(range(len(args)))
    made = made_of("jvp", fn, positions, None, has_aux, False, sens_param=True)
    return made, (*args, tangents)


def _several(given: Any) -> tuple[Any, ...]:
    return tuple(given) if isinstance(given, (tuple, list)) else (given,)


def kept(transform: Transform) -> Transform:
    """`transform`, or the same one made before: what is compiled for it stays with it.

    A function keeps those of its own, a method's stay with what it is a method of.
    """
    function = transform.function
    owner = function.__self__ if isinstance(function, MethodType) else function
    if not hasattr(owner, "__dict__"):
        return transform
    known = vars(owner).setdefault("_transforms", [])
    found = next((each for each in known if _is_same(each, transform)), None)
    if found is None:
        known.append(transform)
    return found or transform


def _is_same(one: Transform, other: Transform) -> bool:
    """Whether two transforms mean the same, by what they are of and with respect to."""

    def facts(transform: Transform) -> tuple[Any, ...]:
        kind, weights = transform.kind, transform.weights
        flags = transform.has_aux, transform.return_ids, transform.sens_param
        by_identity = tuple(map(id, weights)) if isinstance(weights, tuple) else id(weights)
        axes = repr((transform.in_axes, transform.out_axes))
        return kind, transform.grad_position, by_identity, flags, axes

    return one.function == other.function and facts(one) == facts(other)


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
        raise fail(
            "E0304", f"an argument's position or a Parameter is needed, got {shown(identifier)}",
            help="give the Parameter itself, not its name: net.weight",
        )  # fmt: skip
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


def made_of(
    kind: Kind,
    fn: Any,
    grad_position: Any,
    weights: Any,
    has_aux: bool,
    return_ids: bool,
    sens_param: bool,
) -> Transform:
    """A derivative of `fn` as a user asked for it; see `grad` for the errors."""
    if not callable(fn):
        raise fail(
            "E0304", f"{kind} takes a Cell or a function, got {shown(fn)}",
            help=f"give the function, and call what {kind} gives: {kind}(function)(x)",
        )  # fmt: skip
    flags = {"has_aux": has_aux, "return_ids": return_ids, "sens_param": sens_param}
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise fail("E0303", f"{name} is True or False, got {shown(flag)}")
    if grad_position is None and weights is None:
        raise fail(
            "E0404", "grad_position and weights are both None: nothing to differentiate",
            help="give the position of an argument, or net.trainable_params() as weights",
        )  # fmt: skip
    return Transform(kind, fn, checked_positions(grad_position), _weights(weights), **flags)


def checked_positions(given: Any) -> int | tuple[int, ...] | Every | None:
    """Positions of arguments as a user gave them, None for none (E0303, E0404)."""
    if given is None or given is EVERY:
        return given
    positions = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    for position in positions:
        if isinstance(position, bool) or not isinstance(position, int):
            raise fail(
                "E0303", f"a grad_position is an int, got {shown(position)}",
                help="count the arguments: the first one is 0",
            )  # fmt: skip
    if not positions or min(positions) < 0 or len(set(positions)) < len(positions):
        raise fail("E0404", f"each grad_position is from 0 on and occurs once, got {given!r}")
    return positions if isinstance(given, (tuple, list)) else given


def _weights(given: Any) -> Parameter | tuple[Parameter, ...] | None:
    if given is None or isinstance(given, Parameter):
        return given
    if not isinstance(given, Iterable):
        raise _no_weights(given)
    weights = tuple(given)
    for weight in weights:
        if not isinstance(weight, Parameter):
            raise _no_weights(weight)
    return weights


def _no_weights(given: Any) -> S2sadError:
    return fail(
        "E0304", f"weights are Parameters, got {shown(given)}",
        help="give those of a Cell: net.trainable_params()",
    )  # fmt: skip
