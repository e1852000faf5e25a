"""What do Python's builtins mean on containers and tensors, and those of `functools`?

Functions that they are given are called as compiled code calls any. What they decide (which item is
kept, what comes first) must be known while compiling; what they compute need not.
"""

from __future__ import annotations

import functools
import inspect
import operator
import typing
from collections.abc import Callable, Iterable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, amend, fail
from s2sad.core.shown import shown
from s2sad.core.signatures import fitted
from s2sad.core.tensor import Tensor
from s2sad.frontend import expressions, refusals, texts
from s2sad.frontend.carried import is_weak
from s2sad.frontend.containers import is_made, own
from s2sad.frontend.expressions import (
    FUNCTIONS,
    BoundMethod,
    Range,
    attribute_of,
    data_condition,
    holds_tensor,
    is_a,
    is_tensor,
    method_of_tensor,
    operate,
    static_iterable,
    truth,
)
from s2sad.frontend.frame import Frame
from s2sad.frontend.guards import MISSING
from s2sad.frontend.index import VaryingRange
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.numbers import are_numbers, kind_of, number_of, select
from s2sad.frontend.sequences import Once
from s2sad.frontend.static import as_python
from s2sad.ir import builder as builders
from s2sad.ir import dims
from s2sad.ir.dims import Symbolic
from s2sad.ir.graph import Value
from s2sad.ir.varying import Unfit, holds_varying

#: ``meaning(frame, args, kwargs)``.
Meaning = Callable[[Frame, list[Any], dict[str, Any]], Any]

#: What calls of known functions mean, by identity.
BUILTINS: dict[int, Meaning] = {}


def builtin(*functions: Any) -> Callable[[Meaning], Meaning]:
    """Register what a call of one of `functions` means."""

    def register(meaning: Meaning) -> Meaning:
        BUILTINS.update({id(function): meaning for function in functions})
        return meaning

    return register


def _call(frame: Frame, function: Any, *args: Any) -> Any:
    return expressions.CALL[0](frame, function, list(args), {})


def _bound(
    name: str, model: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]
) -> tuple[Any, ...]:
    """The arguments of a call, as `model`, which has the builtin's signature, gives (E0302)."""
    if holds_varying(args) or holds_varying(kwargs):
        raise Unfit("an argument that varies from pass to pass")
    if model.__name__ == "<lambda>":
        fitted(name, inspect.signature(model), args, kwargs)
    return as_python(model, *args, **kwargs)


# ---- going through ------------------------------------------------------------------------------


@builtin(map)
def _map(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Once:
    function, *iterables = _bound(
        "map", lambda function, first, *rest: (function, first, *rest), args, kwargs
    )
    rows = zip(*map(static_iterable, iterables), strict=False)
    return Once([_call(frame, function, *row) for row in rows], "map")


@builtin(filter)
def _filter(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Once:
    function, items = _bound("filter", lambda function, items: (function, items), args, kwargs)
    return Once(
        [item for item in static_iterable(items) if _is_kept(frame, function, item)], "filter"
    )


def _is_kept(frame: Frame, function: Any, item: Any) -> bool:
    value = item if function is None else _call(frame, function, item)
    if is_tensor(value):
        raise fail(
            "E0305", "the length of what filter gives would depend on tensor data",
            label=shown(value), help="keep all, and choose with ops.where(c, x, 0)",
        )  # fmt: skip
    return truth(value)


@builtin(zip)
def _zip(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Once:
    if holds_varying(args):
        raise Unfit("an argument that varies from pass to pass")
    return Once(as_python(lambda: list(zip(*map(static_iterable, args), **kwargs))), "zip")  # noqa: B905


@builtin(enumerate)
def _enumerate(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Once:
    items, start = _bound("enumerate", lambda iterable, start=0: (iterable, start), args, kwargs)
    return Once(as_python(enumerate, static_iterable(items), start), "enumerate")


@builtin(reversed)
def _reversed(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (items,) = _bound("reversed", lambda items: (items,), args, kwargs)
    if isinstance(items, range):
        return items[::-1]
    if is_tensor(items):
        items = list(static_iterable(items))
    return Once(as_python(reversed, items), "reversed")


@builtin(sum)
def _sum(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    items, total = _bound("sum", lambda items, /, start=0: (items, start), args, kwargs)
    for item in static_iterable(items):
        total = operate(frame, "add", total, item)
    return total


@builtin(functools.reduce)
def _reduce(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    function, items, *first = _bound(
        "reduce", lambda function, items, *first: (function, items, *first), args, kwargs
    )
    values = [*first, *static_iterable(items)]
    if not values:
        as_python(functools.reduce, function, [])
    total, *rest = values
    for item in rest:
        total = _call(frame, function, total, item)
    return total


@builtin(any)
def _any(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (items,) = _bound("any", lambda items: (items,), args, kwargs)
    return _logical(frame, items, stops=True)


@builtin(all)
def _all(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (items,) = _bound("all", lambda items: (items,), args, kwargs)
    return _logical(frame, items, stops=False)


def _logical(frame: Frame, items: Any, *, stops: bool) -> Any:
    """Whether one of `items` is true, or all are: a bool, or one element of it where data say."""
    found: Any = not stops
    join = p.logical_or if stops else p.logical_and
    for item in static_iterable(items):
        condition = data_condition(frame, item)
        if condition is None:
            if truth(item) is stops:
                return stops
        else:
            found = condition if isinstance(found, bool) else join(found, condition)
    return found


@builtin(max)
def _max(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _extreme(frame, max, "gt", args, kwargs)


@builtin(min)
def _min(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _extreme(frame, min, "lt", args, kwargs)


def _extreme(
    frame: Frame, function: Any, better: str, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """The first item that no other is better than, by comparing one after the other."""
    items, key, default = _bound("min", _candidates, args, kwargs)
    candidates = list(static_iterable(items))
    if not candidates:
        return default[0] if default else as_python(function, [])
    ranks = candidates if key is None else [_call(frame, key, item) for item in candidates]
    best, rank = candidates[0], ranks[0]
    for item, other in zip(candidates[1:], ranks[1:], strict=True):
        test = operate(frame, better, other, rank)
        try:
            condition = data_condition(frame, test)
        except S2sadError as error:  # of several elements
            amend(error, help=f"ops.{function.__name__}imum(a, b) compares element by element")
            raise
        if condition is not None:
            best, rank = (_chosen(condition, *pair) for pair in ((item, best), (other, rank)))
        elif truth(test):
            best, rank = item, other
    return best


def _candidates(*items: Any, key: Any = None, **default: Any) -> tuple[Any, Any, tuple[Any, ...]]:
    if set(default) - {"default"}:
        max([], **default)  # says which name is wrong
    return items[0] if len(items) == 1 else items, key, tuple(default.values())


def _chosen(condition: Any, one: Any, other: Any) -> Any:
    """`one` where the condition holds, else `other`: tensors of one type, or numbers."""
    if one is other:
        return one
    if all(is_weak(x) or isinstance(x, Symbolic) for x in (one, other)):
        return select(condition, one, other)
    for each in (one, other):
        if not is_tensor(each) and not isinstance(each, (bool, int, float)):
            raise fail(
                "E0306", f"which of {shown(one)} and {shown(other)} it is depends on data",
                help="let both be Tensors of one type",
            )  # fmt: skip
    return slots_where(condition, one, other)


def slots_where(condition: Any, one: Any, other: Any) -> Any:
    values = [builders.current().value(x) if is_tensor(x) else x for x in (one, other)]
    shapes = [x.shape for x in values if isinstance(x, Value)]
    if len(shapes) == 2 and shapes[0] != shapes[1]:
        raise fail(
            "E0306", f"which of {shown(one)} and {shown(other)} it is depends on data",
            help="let both have one shape",
        )  # fmt: skip
    return (
        method_of_tensor("where")(values[0], condition, values[1])
        if isinstance(values[0], Value)
        else method_of_tensor("where")(values[1], p.logical_not(condition), values[0])
    )


@builtin(sorted)
def _sorted(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    items, key, reverse = _bound(
        "sorted", lambda items, /, *, key=None, reverse=False: (items, key, reverse), args, kwargs
    )
    return own(frame.session, in_order(frame, static_iterable(items), key, reverse))


def in_order(frame: Frame, items: Iterable[Any], key: Any, reverse: Any) -> list[Any]:
    """`items` sorted by what `key` gives, which must be known (E0305)."""
    given = list(items)
    ranks = given if key is None else [_call(frame, key, item) for item in given]
    if any(map(holds_tensor, ranks)):
        raise fail(
            "E0305", "the order would depend on tensor data",
            help="ops.sort sorts the elements of a Tensor",
        )  # fmt: skip
    order = as_python(sorted, range(len(given)), key=ranks.__getitem__, reverse=truth(reverse))
    return [given[i] for i in order]


# ---- attributes and types -----------------------------------------------------------------------


@builtin(getattr)
def _getattr(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    owner, name, *default = _bound(
        "getattr", lambda owner, name, *default: (owner, name, *default), args, kwargs
    )
    if default and not _has(frame, owner, name):
        return default[0]
    return attribute_of(frame, owner, name, f"{_path(frame, owner)}.{name}")


@builtin(hasattr)
def _hasattr(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> bool:
    owner, name = _bound("hasattr", lambda owner, name: (owner, name), args, kwargs)
    return _has(frame, owner, name)


def _path(frame: Frame, owner: Any) -> str:
    """What the user calls `owner`, as far as a variable holds it."""
    names = (name for name, held in frame.local_names.items() if held is owner)
    return next(names, type(owner).__name__)


def _has(frame: Frame, owner: Any, name: Any) -> bool:
    """Whether ``owner.name`` is there, which is guarded."""
    if not isinstance(name, str):
        as_python(getattr, owner, name)
    if isinstance(owner, Symbolic) or (isinstance(owner, Value) and owner.is_weak):
        return hasattr(kind_of(owner), name)
    if is_tensor(owner):
        return hasattr(Tensor, name) or name in ("name", "requires_grad", "shape", "dtype")
    if is_made(frame.session, owner):
        return hasattr(owner, name)
    value = getattr(owner, name, MISSING)
    if value is MISSING:
        frame.session.guards.without(owner, name, f"{_path(frame, owner)}.{name}")
    return value is not MISSING


@builtin(callable)
def _callable(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> bool:
    (value,) = _bound("callable", lambda value: (value,), args, kwargs)
    return isinstance(value, (BoundMethod, LocalFunction)) or (
        not is_tensor(value) and callable(value)
    )


@builtin(isinstance)
def _isinstance(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> bool:
    value, kind = _bound("isinstance", lambda value, kind: (value, kind), args, kwargs)
    return as_python(is_a, value, kind)


@builtin(type)
def _type(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 1 or kwargs:
        raise fail("E0101", "a class cannot be made in compiled code", help="define it outside")
    (value,) = _bound("type", lambda value: (value,), args, kwargs)
    if isinstance(value, Once):
        raise refusals.calling(type)
    return kind_of(value) if isinstance(value, (Value, Symbolic)) else type(value)


@builtin(len)
def _len(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (value,) = _bound("len", lambda value: (value,), args, kwargs)
    method = expressions.objects.users_method(value, "__len__")
    if method is not None:
        return _call(frame, method, value)
    if not is_tensor(value):
        return as_python(len, value)
    if not value.ndim:
        raise fail("E0304", "a 0-d Tensor has no length", help="x.size counts its elements")
    return value.shape[0]


@builtin(typing.cast)
def _cast(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _bound("cast", lambda typ, val: (typ, val), args, kwargs)[1]


# ---- numbers and texts --------------------------------------------------------------------------


@builtin(int)
def _int(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _number(int, args, kwargs, lambda x: number_of(x, dtypes.int64))


@builtin(float)
def _float(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _number(float, args, kwargs, lambda x: number_of(x, dtypes.float64))


@builtin(bool)
def _bool(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and is_tensor(args[0]):
        return data_condition(frame, args[0])
    if len(args) == 1 and not kwargs:
        return truth(args[0])
    return _number(bool, args, kwargs, lambda x: x)


def _number(
    kind: Any, args: list[Any], kwargs: dict[str, Any], convert: Callable[[Value], Any]
) -> Any:
    """``kind(x)``: of a tensor of one element, that as a scalar."""
    if holds_varying(args):
        raise Unfit("a number that varies from pass to pass")
    if not args or not is_tensor(args[0]):
        return as_python(kind, *args, **kwargs)
    value = builders.current().value(args[0])
    if dims.same(value.tensor_type.size, 1) is not True:
        raise fail(
            "E0304", f"{kind.__name__} takes one element, got {value.type}", label=str(value.type),
            help=f"x.astype({kind.__name__}32) keeps all of them",
        )  # fmt: skip
    return convert(p.reshape(value, shape=()) if value.ndim else value)


@builtin(str)
def _str(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _text(str, args, kwargs)


@builtin(repr, ascii)
def _repr(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return _text(repr, args, kwargs)


@builtin(format)
def _format(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    value, spec = _bound("format", lambda value, spec="", /: (value, spec), args, kwargs)
    return texts.text_of(value, spec)


def _text(kind: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) == 1 and not kwargs and not holds_varying(args):
        return texts.text_of(args[0], form=kind)
    return _bound("format", lambda *x, **y: kind(*x, **y), args, kwargs)


@builtin(range)
def _range(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if holds_varying(args):
        return VaryingRange(*args)
    is_open = any(is_tensor(bound) or isinstance(bound, Symbolic) for bound in args)
    return Range(*args) if is_open else as_python(range, *args, **kwargs)


@builtin(set)
def _set(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (items,) = _bound("set", lambda items=(), /: (items,), args, kwargs)
    return own(frame.session, expressions.a_set(static_iterable(items)))


@builtin(frozenset)
def _frozenset(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    (items,) = _bound("frozenset", lambda items=(), /: (items,), args, kwargs)
    return frozenset(expressions.a_set(static_iterable(items)))


@builtin(list)
def _list(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> list[Any]:
    (items,) = _bound("list", lambda items=(), /: (items,), args, kwargs)
    return own(frame.session, as_python(list, static_iterable(items)))


@builtin(tuple)
def _tuple(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    (items,) = _bound("tuple", lambda items=(), /: (items,), args, kwargs)
    return as_python(tuple, static_iterable(items))


@builtin(dict)
def _dict(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> dict[Any, Any]:
    if holds_varying(args) or holds_varying(kwargs):
        raise Unfit("an argument that varies from pass to pass")
    found = as_python(dict, *args, **kwargs)
    for key in found:
        expressions.require_static(key, "dict")
    return own(frame.session, found)


@builtin(functools.partial)
def _partial(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if holds_varying(args) or holds_varying(kwargs):
        raise Unfit("an argument that varies from pass to pass")
    return as_python(functools.partial, *args, **kwargs)


@builtin(functools.update_wrapper)
def _update_wrapper(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What `functools.wraps` does: the wrapper is called as what it wraps is."""
    wrapper, wrapped = _bound(
        "update_wrapper", lambda wrapper, wrapped, *rest, **more: (wrapper, wrapped), args, kwargs
    )
    if not isinstance(wrapper, LocalFunction):
        raise fail(
            "E0104", f"{shown(wrapper)} comes from outside of compiled code, and cannot be changed",
            help="wrap it where the function is called",
        )  # fmt: skip
    for name in ("__name__", "__qualname__", "__module__"):
        setattr(wrapper, name, getattr(wrapped, name, getattr(wrapper, name)))
    return wrapper


def _operator_meaning(name: str) -> Meaning:
    def meaning(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if kwargs:
            as_python(FUNCTIONS[name], *args, **kwargs)
        return operate(frame, name, *args)

    return meaning


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "lshift", "rshift", "neg",
    "pos", "invert", "lt", "le", "gt", "ge", "eq", "ne", "and", "or", "xor",
):  # fmt: skip
    builtin(FUNCTIONS[_name])(_operator_meaning(_name))


@builtin(abs)
def _abs(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return operate(frame, "abs", *args)


@builtin(divmod)
def _divmod(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if are_numbers(tuple(args)) and len(args) == 2:
        return operate(frame, "floordiv", *args), operate(frame, "mod", *args)
    if any(map(is_tensor, args)):
        return method_of_tensor("__divmod__")(*args)
    return _bound("divmod", divmod, args, kwargs)


@builtin(pow)
def _pow(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if any(map(is_tensor, args)):
        return operate(frame, "pow", *args)
    return _bound("pow", pow, args, kwargs)


@builtin(round)
def _round(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if args and is_tensor(args[0]):
        found = method_of_tensor("__round__")(*args, **kwargs)
        if not are_numbers(tuple(args[:1])):
            return found
        is_int = len(args) == 1 and not kwargs
        return number_of(found, dtypes.int64 if is_int else found.dtype)
    return _bound("round", round, args, kwargs)


@builtin(operator.getitem)
def _getitem(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    owner, key = _bound("getitem", lambda owner, key, /: (owner, key), args, kwargs)
    return expressions.item_of(frame, owner, key, "operator.getitem")


# ---- what is never called -----------------------------------------------------------------------


@builtin(iter)
def _iter(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    raise refusals.calling(iter)


@builtin(next)
def _next(frame: Frame, args: list[Any], kwargs: dict[str, Any]) -> Any:
    raise refusals.calling(next)


def through(function: Any, args: list[Any], kwargs: dict[str, Any]) -> tuple[Any, Any, Any] | None:
    """What a call of a `partial`, or of what `functools.cache` gives, calls in turn."""
    if isinstance(function, functools.partial):
        return function.func, [*function.args, *args], {**function.keywords, **kwargs}
    if isinstance(function, functools._lru_cache_wrapper):
        return function.__wrapped__, args, kwargs
    return None
