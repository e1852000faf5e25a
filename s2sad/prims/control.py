"""How does a program branch, repeat, and remember: regions, and the stack that is its tape?

Called on arrays, regions are Python functions over arrays, held to the same rules as in the IR: a
condition is a scalar bool, bounds are i64, a loop gives back what it carries in the same types.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir.builder import as_tuple
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Region
from s2sad.ir.primitive import Form, Trait, as_run_time
from s2sad.ir.types import (
    StackType,
    StackValue,
    TensorType,
    Type,
    as_type,
    bool_,
    i64,
    same_type,
    same_types,
    type_of,
)
from s2sad.prims.define import primitive
from s2sad.prims.rules import tensor
from s2sad.prims.shape import filled


def _require_scalar_bool(type: Type, what: str) -> None:  # noqa: A002
    if type != bool_:
        raise fail("E0304", f"{what} needs a scalar bool, got {type}", help="reduce it first")


def yielded(region: Region) -> tuple[Type, ...]:
    """Types of what `region` yields."""
    return tuple(value.type for value in region.yields)


def flat(results: Any) -> tuple[Any, ...]:
    """What a region's function returns, as a tuple of run-time values."""
    return tuple(as_run_time(x) for x in as_tuple(results))


def _if_type(condition: Type, *, regions: dict[str, Region]) -> tuple[Type, ...]:
    _require_scalar_bool(condition, "`if`")
    then, orelse = yielded(regions["then"]), yielded(regions["orelse"])
    if not same_types(then, orelse):
        raise fail("E0306", f"the branches give {then} and {orelse}")
    return then


@primitive(
    type=_if_type, regions=("then", "orelse"), region_types=lambda *_: (), form=Form.IF, same=()
)
def if_(condition, *, then, orelse):
    """Results of the region `then` where the scalar bool holds, else of `orelse`.

    The region that is not taken is not evaluated.

    Parameters
    ----------
    condition : bool, 0-d
    then, orelse : regions
        Without arguments; they give values of the same types.

    Raises
    ------
    S2sadError
        E0304 if `condition` is no scalar bool, E0306 if the regions give different types.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.if_(np.array(True), then=lambda: 1.0, orelse=lambda: 2.0)
    array(1.)
    """
    _require_scalar_bool(type_of(condition), "`if`")
    return flat(then() if condition else orelse())


def _while_type(*types: Type, regions: dict[str, Region]) -> tuple[Type, ...]:
    _require_condition(yielded(regions["condition"]))
    return _carried(types, yielded(regions["body"]))


def _require_condition(found: tuple[Type, ...]) -> None:
    if len(found) != 1:
        raise fail("E0304", f"the condition of `while` is one value, got {len(found)}")
    _require_scalar_bool(found[0], "`while`")


def _carried(types: tuple[Type, ...], given: tuple[Type, ...]) -> tuple[Type, ...]:
    if not same_types(given, types):
        raise fail("E0306", f"the loop carries {types}, and its body gives {given}")
    return types


def _types(values: Sequence[Any]) -> tuple[Type, ...]:
    return tuple(map(type_of, values))


@primitive(type=_while_type, regions=("condition", "body"), form=Form.WHILE, same=())
def while_(*carried, condition, body):
    """What `body` leaves of the carried values when `condition` no longer holds for them.

    Parameters
    ----------
    carried
        Values of any type.
    condition : region
        Takes the carried values and gives a bool, 0-d.
    body : region
        Takes them, and gives them anew.

    Raises
    ------
    S2sadError
        E0304 if the condition gives no scalar bool, E0306 if a type changes.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.while_(np.array(1), condition=lambda i: p.less(i, 100), body=lambda i: p.add(i, i))
    array(128)
    """
    types = _types(carried)
    while _holds(flat(condition(*carried))):
        carried = flat(body(*carried))
        _carried(types, _types(carried))
    return tuple(carried)


def _holds(condition: tuple[Any, ...]) -> bool:
    _require_condition(_types(condition))
    return bool(condition[0])


def _for_type(
    start: Type, stop: Type, step: Type, *types: Type, regions: dict[str, Region]
) -> tuple[Type, ...]:
    _require_bounds(start, stop, step)
    return _carried(types, yielded(regions["body"]))


def _require_bounds(*bounds: Type) -> None:
    for bound in bounds:
        if bound != i64:
            raise fail("E0304", f"the bounds of `range` are i64, got {bound}")


@primitive(
    type=_for_type, regions=("body",), form=Form.FOR, same=(),
    region_types=lambda name, types, built, attrs: (i64, *types[3:]),
)  # fmt: skip
def for_(start, stop, step, *carried, body):
    """Carried values after `body` ran for each index of ``range(start, stop, step)``.

    Parameters
    ----------
    start, stop, step : i64
        A step of 0 is an error at run time.
    carried
        Values of any type; `body` takes the index and them, and gives them anew.

    Raises
    ------
    S2sadError
        E0404 (a ValueError) if the step is 0; E0304 or E0306 for what does not fit.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.for_(0, 4, 1, np.array(0), body=lambda i, total: p.add(total, i))
    array(6)
    """
    _require_bounds(*_types((start, stop, step)))
    if step == 0:
        raise fail("E0404", "the step of `range` must not be 0")
    types = _types(carried)
    for i in range(int(start), int(stop), int(step)):
        carried = flat(body(np.asarray(i, np.int64), *carried))
        _carried(types, _types(carried))
    return tuple(carried)


def _stack_type(*, of: TensorType) -> StackType:
    return StackType(of)


@primitive(
    type=_stack_type, traits={Trait.MOVES},
    canonical=lambda types, attrs: {"of": as_type(attrs["of"])},
)  # fmt: skip
def stack_empty(*, of):
    """Empty stack of tensors of type `of`.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f64
    >>> p.stack_empty(of=f64[2])
    []
    """
    return StackValue(of)


@stack_empty.adjoint
def stack_empty_adjoint(out, dout, *, of):
    stack_drop(dout)
    return ()


def _drop_type(stack: Type) -> tuple[Type, ...]:
    if not isinstance(stack, StackType):
        raise fail("E0304", f"cannot drop {stack}")
    return ()


@primitive(type=_drop_type, traits={Trait.MOVES}, same=(), nondiff="it has no result")
def stack_drop(stack):
    """Nothing: the stack is used up, whatever it holds.

    Parameters
    ----------
    stack : Stack

    Raises
    ------
    S2sadError
        E0304 if it is none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f64
    >>> p.stack_drop(p.stack_empty(of=f64))
    ()
    """
    return ()


def _push_type(stack: Type, x: Type) -> StackType:
    if not isinstance(stack, StackType) or not same_type(stack.element, tensor(x)):
        raise fail("E0304", f"cannot push {x} on {stack}")
    return stack


@primitive(type=_push_type, traits={Trait.MOVES}, linear="all", same=(), form=Form.PUSH)
def stack_push(stack, x):
    """The stack with `x` on top; in place, for a stack is used once.

    Parameters
    ----------
    stack : Stack
    x : Tensor of the type of its elements

    Raises
    ------
    S2sadError
        E0304 if `stack` is none, or of another type.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f64
    >>> p.stack_push(p.stack_empty(of=f64[2]), np.ones(2))
    [array([1., 1.])]
    """
    stack.append(x)
    return stack


@stack_push.adjoint
def stack_push_adjoint(stack, x, out, dout):
    dstack, dx = stack_pop(dout)
    return dstack, dx


def _pop_type(stack: Type) -> tuple[Type, ...]:
    if not isinstance(stack, StackType):
        raise fail("E0304", f"cannot pop from {stack}")
    return stack, stack.element


@primitive(type=_pop_type, traits={Trait.MOVES, Trait.FALLIBLE}, linear="all", form=Form.POP)
def stack_pop(stack):
    """The stack without its top, and the top; E0502 when it is empty.

    Parameters
    ----------
    stack : Stack

    Raises
    ------
    S2sadError
        E0304 if it is none, E0502 if it is empty.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import f64
    >>> p.stack_pop(p.stack_push(p.stack_empty(of=f64), np.array(2.0)))
    ([], array(2.))
    """
    if not stack:
        raise fail("E0502", "pop from an empty stack")
    return stack, stack.pop()


@stack_pop.adjoint
def stack_pop_adjoint(stack, out, dout):
    dstack, dx = dout
    if dstack is None:
        dstack = stack_empty(of=_tensor_type(out[1].dtype, out[1].shape))
    if dx is None:
        dx = _zeros(out[1].dtype, out[1].shape)
    return (stack_push(dstack, dx),)


def _tensor_type(dtype: DType, shape: tuple[Dim, ...]) -> TensorType:
    return TensorType(dtype, shape)


def _zeros(dtype: DType, shape: tuple[Dim, ...]) -> Any:
    return filled(0, TensorType(dtype, shape))
