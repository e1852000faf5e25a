"""Is a value of a type, or an axis there, as a program wants it? More of MindSpore's checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from itertools import repeat
from typing import Any

from s2sad.compat import checkparam
from s2sad.compat.checkparam import named
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown

__all__ = [
    "Validator", "args_type_check", "check_and_canonicalize_axes", "check_axis_in_range",
    "check_axis_valid", "check_bool", "check_element_type_of_dict",
    "check_element_type_of_iterable", "check_input_format", "check_isinstance",
    "check_pad_value_by_mode",
    "check_size_and_element_type_of_tuple", "check_subclass", "check_tensor_dtype_valid",
    "check_tensors_dtypes_same_and_valid", "check_type_name", "check_types_same_and_valid",
    "check_valid_input", "check_value_type", "triple", "twice",
]  # fmt: skip


def _several(types: Any) -> tuple[Any, ...]:
    return tuple(types) if isinstance(types, Iterable) else (types,)


def _words(types: Sequence[Any]) -> str:
    return " or ".join(getattr(each, "__name__", None) or str(each) for each in types)


def check_value_type(
    arg_name: str, arg_value: Any, valid_types: Any, prim_name: str | None = None
) -> Any:
    """`arg_value`, of one of `valid_types` (E0303); a bool is an int only where bool is named.

    Examples
    --------
    >>> check_value_type("steps", 3, [int, float], "Trainer")
    3
    """
    types = _several(valid_types)
    if not isinstance(arg_value, types) or (isinstance(arg_value, bool) and bool not in types):
        who = named(arg_name, prim_name)
        raise fail("E0303", f"{who} is of {_words(types)}, got {shown(arg_value)}")
    return arg_value


def check_bool(arg_value: Any, arg_name: str | None = None, prim_name: str | None = None) -> bool:
    """`arg_value`, a bool (E0303).

    Examples
    --------
    >>> check_bool(True, "has_bias")
    True
    """
    return check_value_type(arg_name or "the value", arg_value, bool, prim_name)


def check_isinstance(arg_name: str, arg_value: Any, classes: Any) -> Any:
    """`arg_value`, an instance of `classes` (E0404, as MindSpore raises ValueError).

    Examples
    --------
    >>> check_isinstance("steps", 3, int)
    3
    """
    if not isinstance(arg_value, classes):
        raise fail("E0404", f"{arg_name} is of {_words(_several(classes))}, got {shown(arg_value)}")
    return arg_value


def check_valid_input(arg_name: str, arg_value: Any, prim_name: Any) -> Any:
    """`arg_value`, which is not None (E0404).

    Examples
    --------
    >>> check_valid_input("x", 3, "Net")
    3
    """
    if arg_value is None:
        raise fail("E0404", f"{named(arg_name, prim_name)} is given, got None")
    return arg_value


def check_element_type_of_iterable(
    arg_name: str, arg_value: Any, valid_types: Sequence[type], prim_name: str | None = None
) -> None:
    """E0303 unless `arg_value` is a list or tuple of elements of `valid_types`.

    Examples
    --------
    >>> check_element_type_of_iterable("sizes", [1, 2], [int])
    """
    check_value_type(arg_name, arg_value, [list, tuple], prim_name)
    _require_each(arg_name, arg_value, valid_types, prim_name)


def check_element_type_of_dict(
    arg_name: str, arg_value: Any, key_types: Any, value_types: Any, prim_name: str | None = None
) -> None:
    """E0303 unless `arg_value` is a dict with keys and values of these types.

    Examples
    --------
    >>> check_element_type_of_dict("sizes", {"a": 1}, [str], [int])
    """
    check_value_type(arg_name, arg_value, [dict], prim_name)
    _require_each(f"a key of {arg_name}", arg_value, key_types, prim_name)
    _require_each(f"a value of {arg_name}", arg_value.values(), value_types, prim_name)


def _require_each(arg_name: str, values: Iterable[Any], types: Any, prim_name: Any) -> None:
    for value in values:
        if not isinstance(value, _several(types)):
            who = named(arg_name, prim_name)
            raise fail("E0303", f"{who} has {_words(_several(types))}, got {shown(value)}")


def check_size_and_element_type_of_tuple(
    arg_name: str, arg_value: Any, expect_size: int, expect_element_type: type,
    prim_name: str | None = None,
) -> None:  # fmt: skip
    """E0303 or E0404 unless `arg_value` is a tuple of so many elements of a type.

    Examples
    --------
    >>> check_size_and_element_type_of_tuple("sizes", (1, 2), 2, int)
    """
    check_value_type(arg_name, arg_value, [tuple], prim_name)
    checkparam.check_equal_int(len(arg_value), expect_size, f"the size of {arg_name}", prim_name)
    check_element_type_of_iterable(arg_name, arg_value, [expect_element_type], prim_name)


def args_type_check(*type_args: Any, **type_kwargs: Any) -> Callable[..., Any]:
    """Decorator: each argument that is given, and not None, must be of its type (E0303).

    Examples
    --------
    >>> @args_type_check(steps=int)
    ... def train(steps, name=None):
    ...     return steps
    >>> train(3)
    3
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        wanted = dict(signature.bind_partial(*type_args, **type_kwargs).arguments)
        wanted |= wanted.pop("kwargs", {})
        names = tuple(signature.parameters)

        @wraps(function)
        def checked(*args: Any, **kwargs: Any) -> Any:
            for name, value in [*zip(names, args, strict=False), *kwargs.items()]:
                if name in wanted and value is not None and not isinstance(value, wanted[name]):
                    _refuse_type(name, value, wanted[name])
            return function(*args, **kwargs)

        return checked

    return decorate


def _refuse_type(name: str, value: Any, types: Any) -> None:
    raise fail("E0303", f"{name} is of {_words(_several(types))}, got {shown(value)}")


# ---- dtypes --------------------------------------------------------------------------------------


def check_type_name(arg_name: str, arg_type: Any, valid_types: Any, prim_name: Any) -> Any:
    """`arg_type`, one of `valid_types`: types of Python or dtypes (E0303).

    Examples
    --------
    >>> from s2sad.core.dtypes import float16, float32
    >>> check_type_name("dtype", float32, [float16, float32], "Net") is float32
    True
    """
    types = _several(valid_types)
    if arg_type not in types:
        raise fail("E0303", f"{named(arg_name, prim_name)} is {_words(types)}, got {arg_type}")
    return arg_type


def check_subclass(
    arg_name: str, type_: Any, template_types: Any, prim_name: Any, addition_error_info: Any = None
) -> None:
    """E0303 unless `type_` is one of `template_types`, or a class below one.

    Examples
    --------
    >>> check_subclass("kind", bool, int, "Net")
    """
    types = _several(template_types)
    is_class = isinstance(type_, type)
    if any(is_class and isinstance(each, type) and issubclass(type_, each) for each in types):
        return
    if type_ not in types:
        more = f" {addition_error_info}" if addition_error_info else ""
        who = named(arg_name, prim_name)
        raise fail("E0303", f"{who} is {_words(types)}, got {type_}{more}")


def check_tensor_dtype_valid(
    arg_name: str, arg_type: Any, valid_dtypes: Any, prim_name: Any
) -> None:
    """E0303 unless the dtype `arg_type` is one of `valid_dtypes`.

    Examples
    --------
    >>> from s2sad.core.dtypes import float32
    >>> check_tensor_dtype_valid("x", float32, (float32,), "Net")
    """
    check_type_name(arg_name, arg_type, valid_dtypes, prim_name)


def check_types_same_and_valid(args: Mapping[str, Any], valid_values: Any, prim_name: Any) -> None:
    """E0303 unless the dtypes of `args`, by name, are the same and among `valid_values`.

    Examples
    --------
    >>> from s2sad.core.dtypes import float32
    >>> check_types_same_and_valid({"x": float32, "y": float32}, (float32,), "Net")
    """
    first: tuple[str, Any] | None = None
    for name, kind in args.items():
        check_type_name(name, kind, valid_values, prim_name)
        first = first or (name, kind)
        if kind != first[1]:
            who = named(name, prim_name)
            raise fail("E0303", f"{who} is of the dtype of {first[0]}, {first[1]}, got {kind}")


def check_tensors_dtypes_same_and_valid(
    args: Mapping[str, Any], valid_dtypes: Any, prim_name: Any
) -> None:
    """As `check_types_same_and_valid`.

    Examples
    --------
    >>> from s2sad.core.dtypes import float32
    >>> check_tensors_dtypes_same_and_valid({"x": float32}, (float32,), "Net")
    """
    check_types_same_and_valid(args, valid_dtypes, prim_name)


# ---- axes and windows ----------------------------------------------------------------------------


def check_axis_in_range(axis: Any, ndim: int) -> int:
    """`axis`, counted from the front: an int (E0303) from ``-ndim`` to ``ndim - 1`` (E0404).

    Examples
    --------
    >>> check_axis_in_range(-1, 3)
    2
    """
    checkparam.check_int_range(axis, -ndim, ndim, checkparam.INC_LEFT, "axis")
    return axis % ndim


def check_axis_valid(axes: Any, ndim: int) -> tuple[int, ...]:
    """`axes`, an int or several, counted from the front; all of them for None (E0303, E0404).

    Examples
    --------
    >>> check_axis_valid(None, 2), check_axis_valid((0, -1), 3)
    ((0, 1), (0, 2))
    """
    if axes is None:
        return tuple(range(ndim))
    given = axes if isinstance(axes, (tuple, list)) else (axes,)
    found = tuple(check_axis_in_range(axis, ndim) for axis in given)
    if len(set(found)) < len(found):
        raise fail("E0404", f"axes are named once each, got {axes}")
    return found


def check_and_canonicalize_axes(axes: Any, ndim: int) -> tuple[int, ...]:
    """`axes`, an int or a tuple, counted from the front (E0303, E0404).

    Examples
    --------
    >>> check_and_canonicalize_axes(-1, 3)
    (2,)
    """
    return check_axis_valid(axes if isinstance(axes, tuple) else (axes,), ndim)


def check_pad_value_by_mode(pad_mode: str, padding: Any, prim_name: Any) -> Any:
    """`padding`, which is 0 unless `pad_mode` is ``"pad"`` (E0404).

    Examples
    --------
    >>> check_pad_value_by_mode("same", 0, "Net")
    0
    """
    if pad_mode != "pad" and padding != 0:
        who = named("padding", prim_name)
        raise fail("E0404", f"{who} is 0 where pad_mode is {pad_mode!r}, got {padding}")
    return padding


def check_input_format(input_param: Any) -> str:
    """`input_param`, which is ``"NCHW"`` (E0404).

    Examples
    --------
    >>> check_input_format("NCHW")
    'NCHW'
    """
    return checkparam.check_string(input_param, ["NCHW"], "the data format")


def _times(name: str, count: int) -> Callable[[Any], tuple[int, ...]]:
    """A function that makes an int a tuple of so many, and lets a tuple of so many pass."""

    def run(m: Any) -> tuple[int, ...]:
        given = tuple(repeat(m, count)) if not isinstance(m, tuple) else m
        is_fit = all(isinstance(x, int) and not isinstance(x, bool) for x in given)
        if len(given) != count or not is_fit:
            raise fail("E0303", f"a size is an int or a tuple of {count} of them, got {shown(m)}")
        return given

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"`m`, an int or a tuple of {count}, as a tuple of {count} (E0303)."
    return run


twice, triple = _times("twice", 2), _times("triple", 3)


class Validator:
    """MindSpore 1's home of these checks: ``Validator.check_positive_int(3)``.

    Examples
    --------
    >>> Validator.check_positive_int(3, "steps")
    3
    """


for _module in (checkparam.__dict__, dict(globals())):
    for _name, _function in _module.items():
        if _name == "check" or _name.startswith("check_"):
            setattr(Validator, _name, staticmethod(_function))
