"""How are gradients asked for in MindSpore's older form?

An object says which gradients are meant, and is then called with the function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.core.transform import EVERY, Transform, grad, kept, unwrapped
from s2sad.ir import builder
from s2sad.ops.settings import flag


@dataclass(frozen=True)
class GradOperation:
    """Which gradients of a function are wanted; called with it, it gives what computes them.

    Parameters
    ----------
    get_all : bool
        Whether the gradients are those of all arguments that hold tensors, in a tuple.
    get_by_list : bool
        Whether they are those of Parameters, in a tuple; together with `get_all` a pair of both.
        With neither it is the gradient of the first argument.
    sens_param : bool
        The last argument of the call is the cotangent of the output, in place of ones.

    Raises
    ------
    S2sadError
        E0303 for what is neither True nor False.

    Examples
    --------
    >>> import s2sad as ms
    >>> x, y = ms.Tensor([2.0]), ms.Tensor([3.0])
    >>> def product(x, y):
    ...     return x * y
    >>> GradOperation()(product)(x, y).asnumpy()
    array([3.], dtype=float32)
    >>> [g.asnumpy() for g in GradOperation(get_all=True)(product)(x, y)]
    [array([3.], dtype=float32), array([2.], dtype=float32)]
    >>> net = ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    >>> by_list = GradOperation(get_by_list=True)(net, net.trainable_params())
    >>> [g.asnumpy() for g in by_list(ms.Tensor([[5.0]]))]
    [array([[5.]], dtype=float32), array([1.], dtype=float32)]
    """

    get_all: bool = False
    get_by_list: bool = False
    sens_param: bool = False

    def __post_init__(self) -> None:
        for name in ("get_all", "get_by_list", "sens_param"):
            flag(name, getattr(self, name))

    def __call__(
        self, fn: Callable[..., Any], weights: Parameter | Iterable[Parameter] | None = None
    ) -> Transform:
        """What gives the gradients of `fn`.

        Parameters
        ----------
        fn : Cell or function
        weights : iterable of Parameter, or Parameter, optional
            Read where `get_by_list` is set, by default those that a Cell trains. A bare one gives
            a bare gradient.

        Raises
        ------
        S2sadError
            E0304 for an `fn` that cannot be called and for a weight that is no Parameter, E0404
            where weights are wanted and not given, of a function or in compiled code.
        """
        position = EVERY if self.get_all else None if self.get_by_list else 0
        wanted = _weights(fn, weights) if self.get_by_list else None
        made = grad(fn, position, wanted, sens_param=self.sens_param)
        return made if builder.is_building(()) else kept(made)


def _weights(fn: Any, weights: Any) -> Any:
    if weights is not None:
        return weights
    function = unwrapped(fn)
    if isinstance(function, Cell) and not builder.is_building(()):
        return function.trainable_params()
    raise fail(
        "E0404", "GradOperation needs the weights whose gradients are wanted: get_by_list",
        help="GradOperation(get_by_list=True)(function, net.trainable_params())",
    )  # fmt: skip
