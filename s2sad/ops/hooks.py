"""How does a function of the user's see a gradient on its way back, and change it?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.hooks import Hook


class InsertGradientOf(Hook):
    """The identity; what `f` makes of the gradient of the result is that of the argument.

    Parameters
    ----------
    f : callable
        Takes the gradient, a Tensor, and gives one of its dtype and shape, or None where it stays
        as it is. It is compiled with the gradient; it may read other tensors, and print.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called; where a gradient is taken E0301 and E0401 for another dtype
        or shape, E0104 where `f` writes a Parameter.

    Notes
    -----
    Where no gradient is taken `f` is not looked at. Forward mode has tangents and no gradient.

    Examples
    --------
    >>> import s2sad as ms
    >>> tenfold = InsertGradientOf(lambda dx: dx * 10.0)
    >>> tenfold(ms.Tensor([0.5])).tolist(), ms.grad(tenfold)(ms.Tensor([0.5])).tolist()
    ([0.5], [10.0])
    """

    def __init__(self, f: Callable[[Any], Any]) -> None:
        super().__init__(f)


class HookBackward(Hook):
    """As `InsertGradientOf`, in an older form: `hook_fn` takes a tuple of the one gradient.

    Parameters
    ----------
    hook_fn : callable
        Gives a gradient, a tuple of one, or None.
    cell_id : str
        Accepted and not used.

    Raises
    ------
    S2sadError
        Those of `InsertGradientOf`.

    Examples
    --------
    >>> import s2sad as ms
    >>> double = HookBackward(lambda gradients: gradients[0] * 2.0)
    >>> ms.grad(double)(ms.Tensor([3.0])).tolist()
    [2.0]
    """

    in_tuple = True

    def __init__(self, hook_fn: Callable[[Any], Any], cell_id: str = "") -> None:
        super().__init__(hook_fn)
