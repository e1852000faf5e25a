"""What does ``vmap(f)`` return, and which axes may it be given?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.ensemble import Ensemble
from s2sad.core.shown import shown
from s2sad.core.transform import Transform


def vmap(
    fn: Callable[..., Any] | Sequence[Callable[..., Any]], in_axes: Any = 0, out_axes: Any = 0
) -> Transform:
    """Function that runs `fn` on each row of its arguments, all rows at once.

    What `fn` computes is that of a loop over the rows whose results are stacked; each operation
    runs once, on all rows. `fn` reads Parameters, and all that it is not given, as they are.

    Parameters
    ----------
    fn : Cell, function, or what `grad`, `vmap`, `jvp` or `compile` and their kind gave
        A CellList, list or tuple of those stands for as many rows: each runs on a row of its own.
        Where they compute the same, but for their Parameters, these are stacked and they run as
        one; else one after the other.
    in_axes : int, None, or tuple or list of those, one an argument
        The axis of an argument that the rows lie along; negative ones count from the end. None
        for an argument that is the same for all rows, also one that holds no tensor. Of a container
        it may be one for all tensors in it, or a container of the same form.
    out_axes : int, None, or tuple or list of those, one an output
        Where the rows stand in an output; None for one that is the same for all rows.

    Returns
    -------
    Transform
        Called as `fn` is, by position.

    Raises
    ------
    S2sadError
        E0304 for a `fn` that cannot be called, E0303 for an axis that is no int, E0404 where all
        `in_axes` of one function are None. From its calls: E0302 for axes of another form than the
        arguments, E0403 for an axis that a tensor does not have, E0401 for axes of several sizes,
        E0304 for an axis of what is no Tensor, E0306 where several functions give outputs in
        several forms; E0104 where an output of `out_axes` None, or a Parameter that `fn` writes,
        differs from row to row.

    Notes
    -----
    A branch on data that differs from row to row computes both sides and selects; where one of them
    could fail or not end, and in a ``for`` over a range that differs, each row runs by itself.
    Random draws are independent from row to row: each has a stream of its own, made of the state
    and the number of the row. What is printed is printed for one row after the other, before the
    next statement; an exception says in a note which row raised it.

    Examples
    --------
    >>> import s2sad as ms
    >>> def dot(x, y):
    ...     return ms.ops.sum(x * y)
    >>> x = ms.Tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> ms.vmap(dot, in_axes=(0, None))(x, ms.Tensor([1.0, 10.0])).tolist()
    [21.0, 43.0]
    >>> ms.vmap(dot, in_axes=(0, 1))(x, x).tolist()
    [7.0, 22.0]
    >>> ms.vmap([ms.ops.sum, ms.ops.amax])(x).tolist()
    [3.0, 4.0]
    """
    several = _several(fn)
    if several is not None:
        fn = Ensemble(several)
    if not callable(fn):
        raise fail("E0304", f"vmap takes a Cell or a function, got {shown(fn)}")
    found = _checked("in_axes", in_axes), _checked("out_axes", out_axes)
    if not _holds_axis(found[0]) and not isinstance(fn, Ensemble):
        raise fail(
            "E0404", "vmap needs an axis to map over: all in_axes are None",
            help="give the axis of one argument at least",
        )  # fmt: skip
    return Transform("vmap", fn, None, in_axes=found[0], out_axes=found[1])


def _several(fn: Any) -> tuple[Callable[..., Any], ...] | None:
    """The functions in a list, or in a Cell that holds others and computes nothing."""
    functions: Any = fn
    is_list = isinstance(fn, Cell) and isinstance(fn, Iterable) and not hasattr(fn, "construct")
    return tuple(functions) if is_list or isinstance(fn, (list, tuple)) else None


def _checked(name: str, axes: Any) -> Any:
    """`axes` in tuples, with an int or None at each leaf (E0303)."""
    if isinstance(axes, (tuple, list)):
        return tuple(_checked(name, item) for item in axes)
    if isinstance(axes, dict):
        return {key: _checked(name, item) for key, item in axes.items()}
    if axes is not None and (isinstance(axes, bool) or not isinstance(axes, int)):
        raise fail("E0303", f"an axis in {name} is an int or None, got {axes!r}")
    return axes


def _holds_axis(axes: Any) -> bool:
    if isinstance(axes, dict):
        axes = tuple(axes.values())
    return any(map(_holds_axis, axes)) if isinstance(axes, tuple) else axes is not None
