"""What is an operation that is an object, and how does a function become its class?

The keyword-only parameters of a function are the settings, with which an object is made; the others
are what it is called with. In compiled code a call of the object is that of the function.
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, ClassVar

from s2sad.core.device import require_cpu
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.groups import rank_number
from s2sad.core.sharding import require_whole
from s2sad.core.shown import shown
from s2sad.core.signatures import fitted, written
from s2sad.ops.called import called
from s2sad.ops.settings import flag

#: ``check(name, given)``: what a setting is set to; raises where it is no such thing.
Check = Callable[[str, Any], Any]

BY_EITHER = inspect.Parameter.POSITIONAL_OR_KEYWORD


class Primitive:
    """An operation as an object, and the base of the classes of all of them.

    Parameters
    ----------
    name : str

    Raises
    ------
    S2sadError
        E0303 for a `name` that is no str; in a call E0310, where a subclass does not say what it
        computes.

    Notes
    -----
    What tells MindSpore where and how to run an operation (a stage, a strategy, recomputation) is
    taken, kept in `attrs`, and changes nothing here; what asks for several devices is an error.

    Examples
    --------
    >>> import s2sad as ms
    >>> add = ms.ops.Add().add_prim_attr("scale", 2)
    >>> add, add.name, add.attrs, isinstance(add, Primitive)
    (Add(), 'Add', {'scale': 2}, True)
    >>> class Twice(Primitive):
    ...     def __init__(self):
    ...         super().__init__("Twice")
    ...     def __call__(self, x):
    ...         return x + x
    >>> Twice()(ms.Tensor([1.5])).tolist()
    [3.0]
    """

    #: What each setting is checked by.
    _checks: ClassVar[Mapping[str, Check]] = {}
    #: Settings, in order.
    _settings: ClassVar[tuple[str, ...]] = ()

    def __init__(self, name: str) -> None:
        if not isinstance(name, str):
            raise fail("E0303", f"the name of a Primitive is a str, got {shown(name)}")
        self.name = name
        self.instance_name = name
        self._attrs: dict[str, Any] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise fail(
            "E0310", f"{self.name} does not say what it computes",
            help="define __call__, from functions of ops; or use one of the classes of ops",
        )  # fmt: skip

    def __setattr__(self, name: str, value: Any) -> None:
        check = self._checks.get(name)
        object.__setattr__(self, name, value if check is None else check(name, value))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # Python, and copies that are being made, ask for such
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        if name in self._attrs:
            return self._attrs[name]
        known = [*dir(type(self)), *vars(self)]
        raise fail(
            "E0220", f"{type(self).__name__} has no {name!r}", help=did_you_mean(name, known)
        )

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._settings)
        return f"{self.name}({given})"

    @property
    def attrs(self) -> dict[str, Any]:
        """Settings and what was added to them, by name."""
        return {**{name: getattr(self, name) for name in self._settings}, **self._attrs}

    def add_prim_attr(self, name: str, value: Any) -> Primitive:
        """Note `value` under `name`; a setting of that name is set. Gives the object itself."""
        if name in self._settings:
            setattr(self, name, value)
        else:
            self._attrs[name] = value
        return self

    def del_prim_attr(self, name: str) -> Primitive:
        """Forget what was noted under `name`; gives the object itself."""
        self._attrs.pop(name, None)
        return self

    def init_prim_io_names(self, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        """Note what operands and results are called."""
        self.add_prim_attr("input_names", list(inputs)).add_prim_attr("output_names", list(outputs))

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Let `instance_name` be `name`; gives the object itself."""
        self.instance_name = name
        return self

    def set_device(self, device_target: str) -> Primitive:
        """Gives the object itself; E0303 for what is no str, E0710 for a device but the CPU."""
        require_cpu(device_target)
        return self.add_prim_attr("primitive_target", device_target)

    def set_stage(self, stage: int) -> Primitive:
        """Note the stage of a pipeline, which is 0 (E0710); gives the object itself."""
        return self.add_prim_attr("stage", rank_number("the stage of a pipeline", stage))

    def shard(self, in_strategy: Any = None, out_strategy: Any = None) -> Primitive:
        """Note how tensors are spread over devices; gives the object itself.

        Each is None, or a tuple with a tuple of 1 for the axes of each tensor, or a `Layout`: E0303
        for what is not, E0710 where an axis is cut into several parts.
        """
        require_whole("in_strategy", in_strategy)
        require_whole("out_strategy", out_strategy)
        self.add_prim_attr("in_strategy", in_strategy)
        return self.add_prim_attr("out_strategy", out_strategy)

    def recompute(self, mode: bool = True) -> Primitive:
        """Note whether a backward pass computes it again; gives the object itself."""
        return self.add_prim_attr("recompute", flag("mode", mode))

    def place(self, role: str, rank_id: int) -> Primitive:
        """Note which process computes it, which is 0 (E0710); gives the object itself."""
        return self.add_prim_attr("place", (role, rank_number("rank_id", rank_id)))


class PrimitiveWithInfer(Primitive):
    """A `Primitive` in MindSpore's older form, which also says shapes and dtypes of its results.

    They are not asked for here: what `__call__` computes says them.
    """


class PrimitiveWithCheck(Primitive):
    """A `Primitive` in MindSpore's older form, which also checks its operands in a method."""


def prim_attr_register(fn: Callable[..., None]) -> Callable[..., None]:
    """Decorator of the `__init__` of a Primitive, which notes its arguments as attributes.

    The name is that of the class, unless `fn` gives another one.

    Examples
    --------
    >>> class Scale(Primitive):
    ...     @prim_attr_register
    ...     def __init__(self, by=2.0):
    ...         pass
    ...     def __call__(self, x):
    ...         return x * self.by
    >>> import s2sad as ms
    >>> Scale(by=3.0)(ms.Tensor([1.0])).tolist(), Scale().attrs
    ([3.0], {'by': 2.0})
    """
    signature = inspect.signature(fn)

    @wraps(fn)
    def init(self: Primitive, *args: Any, **kwargs: Any) -> None:
        Primitive.__init__(self, type(self).__name__)
        bound = fitted(type(self).__name__, signature, (self, *args), kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return init


# ---- classes of functions ------------------------------------------------------------------------


def primitive(**checks: Check) -> Callable[[Callable[..., Any]], Any]:
    """Decorator that makes a function, as described above, the class of its name.

    Parameters
    ----------
    **checks : callable
        ``check(name, given)`` for settings; it gives the value to keep.

    Examples
    --------
    >>> import s2sad as ms
    >>> from s2sad.ops.settings import number
    >>> @primitive(by=number)
    ... def Scale(x, *, by=2.0):
    ...     "`x` times `by`."
    ...     return x * by
    >>> Scale(by=3)(ms.Tensor([1.0])).tolist(), Scale()
    ([3.0], Scale(by=2.0))
    """

    def decorate(function: Callable[..., Any]) -> Any:
        parameters = inspect.signature(function).parameters.values()
        text = inspect.cleandoc(function.__doc__ or "")
        return _class(function.__name__, function, list(parameters), checks, text, _caller())

    return decorate


def like(
    function: Callable[..., Any],
    name: str,
    given: str,
    result: str,
    *,
    shown: str = "{}.tolist()",
    operands: int | None = None,
) -> Any:
    """The class `name`, without settings, whose call is that of `function`, of `ops`.

    Parameters
    ----------
    function : function of ops
    name : str
    given, result : str
        Arguments of a call, and what it gives, for the example.
    shown : str
        How the example shows that.
    operands : int
        How many of the parameters of `function` a call takes; all by default.
    """
    known = inspect.signature(function).parameters.values()
    parameters = [x for x in known if x.kind is not inspect.Parameter.KEYWORD_ONLY][:operands]
    first, _, _ = inspect.cleandoc(function.__doc__ or "").partition("\n\n")
    text = (
        f"{first}\n\nOperands, shapes, dtypes and errors are those of `ops.{function.__name__}`.\n"
        + _example(f">>> {shown.format(f'{name}()({given})')}\n{result}")
    )
    return _class(name, called(function), parameters, {}, text, _caller())


def older(
    base: Any,
    name: str,
    making: str,
    given: str,
    result: str,
    *,
    shown: str = "{}.tolist()",
    instead: str = "",
) -> Any:
    """The class `base` under the `name` that MindSpore gave up for it, which says so when used.

    Parameters
    ----------
    base : class
    name : str
    making : str
        Arguments with which the example makes an object.
    given, result, shown
        As of `like`.
    instead : str
        What to write, where that is not the name of `base`.
    """
    new = instead or base.__name__

    def __init__(self: Primitive, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        warnings.warn(f"{name} is an older name: write {new}", DeprecationWarning, stacklevel=2)
        base.__init__(self, *args, **kwargs)
        self.name = name

    __init__.__signature__ = inspect.signature(base.__init__)  # type: ignore[attr-defined]
    text = f"An older name of `{new}`; it gives a DeprecationWarning.\n" + _example(
        ">>> import warnings\n"
        ">>> with warnings.catch_warnings(record=True) as told:\n"
        "...     warnings.simplefilter('always')\n"
        f"...     made = {name}({making})\n"
        f">>> len(told), {shown.format(f'made({given})')}\n(1, {result})"
    )
    return type(name, (base,), {"__init__": __init__, "__doc__": text, "__module__": _caller()})


def _example(text: str) -> str:
    return f"\nExamples\n--------\n>>> import s2sad as ms\n{text}"


def _caller() -> str:
    """The module that makes a class with one of the functions above."""
    return sys._getframe(2).f_globals["__name__"]


def _class(
    name: str, function: Callable[..., Any], parameters: Sequence[inspect.Parameter],
    checks: Mapping[str, Check], text: str, module: str,
) -> Any:  # fmt: skip
    kind = inspect.Parameter.KEYWORD_ONLY
    settings = [x.replace(kind=BY_EITHER) for x in parameters if x.kind is kind]
    making = _Arguments(name, settings)
    operands = _Arguments(name, [x for x in parameters if x.kind is not kind])
    names = tuple(x.name for x in settings)

    def __init__(self: Primitive, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        Primitive.__init__(self, name)
        for setting, value in making.bound(args, kwargs).items():
            setattr(self, setting, value)

    def __call__(self: Primitive, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        given = {setting: getattr(self, setting) for setting in names}
        return function(*operands.placed(args, kwargs), **given)

    first, _, rest = text.partition("\n\n")
    written = f"``{name}{making.written}{operands.written}``"
    return type(
        name, (Primitive,),
        {
            "__init__": making.of_method(__init__, "__init__", module),
            "__call__": operands.of_method(__call__, name, module),
            "__doc__": f"{first}\n\n{written}\n\n{rest}",
            "__module__": module,
            "_checks": checks,
            "_settings": names,
        },
    )  # fmt: skip


class _Arguments:
    """How what is given to the object `name`, when it is made or called, fits its parameters."""

    def __init__(self, name: str, parameters: Sequence[inspect.Parameter]) -> None:
        bare = [x.replace(annotation=inspect.Parameter.empty) for x in parameters]
        self.name = name
        self.signature = inspect.Signature(bare)
        self.written = written(self.signature)
        needed = [x for x in bare if x.default is x.empty]
        self.counts = range(len(needed), len(bare) + 1)

    def bound(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Arguments by name, defaults filled in (E0302 where they do not fit)."""
        return self._fitted(args, kwargs).arguments

    def _fitted(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        bound = fitted(self.name, self.signature, args, kwargs)
        bound.apply_defaults()
        return bound

    def placed(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """Arguments in order (E0302 where they do not fit)."""
        if not kwargs and len(args) in self.counts:
            return args
        return self._fitted(args, kwargs).args

    def of_method(self, function: Any, name: str, module: str) -> Any:
        """`function`, a method with these parameters, under that name."""
        own = inspect.Parameter("self", BY_EITHER)
        parameters = [own, *self.signature.parameters.values()]
        function.__signature__ = inspect.Signature(parameters)
        function.__name__, function.__module__ = name, module
        return function
