"""When are the objects that a program depends on those of another process?

A portrait is a text for each object, in which addresses have no part. Objects that have an identity
get numbers in the order in which they are met, and are called by these when they are met again. So
where two processes describe the same objects in the same order and find the same texts, object 7
here is object 7 there: two names of one Parameter in the one process are that in the other.
"""

from __future__ import annotations

import collections
import functools
import struct
import sys
from abc import ABCMeta
from collections.abc import Callable
from enum import Enum, EnumMeta
from types import CellType, FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from s2sad import prims
from s2sad.binding.bound import Bound
from s2sad.binding.stored.codes import (
    class_text,
    code_digest,
    has_operators,
    is_as_written,
    is_own,
    is_own_class,
    operators_of,
)
from s2sad.core.cache import digest
from s2sad.core.cell import Cell
from s2sad.core.checkpoint import Checkpoint
from s2sad.core.custom_vjp import CustomVjp
from s2sad.core.dtypes import DType
from s2sad.core.generator import Generator
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor
from s2sad.core.transform import EVERY, Transform, Wrapper
from s2sad.frontend.guards import BUILTIN_METHODS, MISSING
from s2sad.frontend.inputs import is_input
from s2sad.ir.primitive import Primitive
from s2sad.ir.printer import print_text

#: More objects than that are not described.
MOST_OBJECTS = 50_000
#: Literals whose spelling tells them apart.
SPELLED = (bool, int, str, bytes, range, type(None), type(Ellipsis))
CONTAINERS = (tuple, list, dict, collections.OrderedDict, set, frozenset)
METACLASSES = (type, ABCMeta, EnumMeta)
#: Flags of classes, as C code has them.
HEAP_TYPE, IMMUTABLE_TYPE = 1 << 9, 1 << 8


class UndescribedError(Exception):
    """Something has no description that another process would understand."""


class Portrait:
    """Describes objects of this process.

    Attributes
    ----------
    objects : list
        Those that have numbers, in that order.
    """

    def __init__(self) -> None:
        self.objects: list[Any] = []
        self._numbers: dict[int, int] = {}
        self._places: set[int] = set()  # namespaces, of which guards know what they hold

    def copy(self) -> Portrait:
        """Another portrait that has met the same objects."""
        twin = Portrait()
        twin.objects, twin._places = list(self.objects), set(self._places)
        twin._numbers = dict(self._numbers)
        return twin

    def number(self, thing: Any) -> int | None:
        """The number of `thing`; None where it was not met."""
        return self._numbers.get(id(thing))

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
        """The arguments of a call. Tensors among them go by their types: each call has others."""
        return f"{self._argument(args)} {self._argument(kwargs)}"

    def _argument(self, value: Any) -> str:
        if is_input(value):
            if value._hooks:
                raise UndescribedError("a tensor with hooks")
            return _type_text(value)
        if isinstance(value, (tuple, list)):
            return f"{self.of(type(value))}({','.join(map(self._argument, value))})"
        if isinstance(value, dict):
            items = (f"{self.of(key)}:{self._argument(item)}" for key, item in value.items())
            return f"{self.of(type(value))}{{{','.join(items)}}}"
        return self.of(value)

    def of(self, value: Any) -> str:
        """The description of `value`.

        Raises
        ------
        UndescribedError
        """
        if type(value) in SPELLED:
            return f"{type(value).__name__} {value!r}"
        if type(value) is float:
            return f"float {struct.pack('<d', value).hex()}"
        if type(value) is complex:
            return f"complex {struct.pack('<dd', value.real, value.imag).hex()}"
        if isinstance(value, np.generic):
            return self._array(np.asarray(value), "number")
        if value is MISSING:
            return "missing"
        if value is EVERY:
            return "every"
        if isinstance(value, MethodType):  # made anew at each read, as the next are
            return f"method({self.of(value.__func__)},{self.of(value.__self__)})"
        if isinstance(value, BUILTIN_METHODS):
            return f"builtin({value.__module__},{value.__name__},{self.of(value.__self__)})"
        if type(value) in (tuple, frozenset):  # which Python may share, or not
            return f"{type(value).__name__}({self._all(*value)})"
        known = self._numbers.get(id(value))
        if known is None:
            return self._new(value)
        if id(value) in self._places:
            raise UndescribedError("a namespace is used as a dict")
        return f"#{known}"

    def _new(self, value: Any) -> str:
        self._enter(value)
        for kind, describe in self.KINDS.items():
            if isinstance(value, kind):
                return f"{describe.__name__.strip('_')}({describe(self, value)})"
        return f"object({self._object(value)})"

    def _enter(self, value: Any) -> None:
        if len(self.objects) >= MOST_OBJECTS:
            raise UndescribedError("too many objects")
        self._numbers[id(value)] = len(self.objects)
        self.objects.append(value)

    def _all(self, *values: Any) -> str:
        return ",".join(map(self.of, values))

    # ---- what knows itself by name -----------------------------------------------------------

    def _module(self, module: ModuleType) -> str:
        if sys.modules.get(module.__name__) is not module:
            raise UndescribedError(f"the module {module.__name__} is not the one of that name")
        return module.__name__

    def _primitive(self, primitive: Primitive) -> str:
        if prims.ALL.get(primitive.name) is not primitive:
            raise UndescribedError(f"{primitive.name} is no primitive of s2sad")
        return primitive.name

    def _dtype(self, dtype: DType) -> str:
        return dtype.short

    def _array(self, array: np.ndarray, kind: str = "array") -> str:
        if type(array) is not np.ndarray or array.dtype.hasobject:
            raise UndescribedError("an array of objects")
        layout = array.dtype.str, array.dtype.descr, array.shape, array.flags.c_contiguous
        return f"{kind} {layout} {digest(array.tobytes())}"

    def _npdtype(self, dtype: np.dtype) -> str:
        if dtype.hasobject:
            raise UndescribedError("a dtype of objects")
        return f"{dtype.str} {dtype.descr}"

    def _member(self, member: Enum) -> str:
        self._require_plain(type(member))
        return f"{self.of(type(member))},{member.name},{self.of(member.value)}"

    # ---- containers --------------------------------------------------------------------------

    def _tuple(self, value: tuple[Any, ...]) -> str:
        return f"{self._kind(value, tuple)}{self._all(*value)}"

    def _list(self, value: list[Any]) -> str:
        return f"{self._kind(value, list)}{self._all(*value)}"

    def _dict(self, value: dict[Any, Any]) -> str:
        items = (f"{self.of(key)}:{self.of(item)}" for key, item in value.items())
        return f"{self._kind(value, dict)}{','.join(items)}"

    def _set(self, value: set[Any] | frozenset[Any]) -> str:
        """In the order of this process: it is that in which compiled code goes through it."""
        kind = set if isinstance(value, set) else frozenset
        return f"{self._kind(value, kind)}{self._all(*value)}"

    def _kind(self, value: Any, plain: type) -> str:
        """What else than a `plain` container `value` is."""
        if type(value) is plain:
            return ""
        if type(value) not in CONTAINERS:
            self._require_plain(type(value))
        return f"{self.of(type(value))}{self._fields(value)} "

    # ---- code --------------------------------------------------------------------------------

    def _class(self, kind: type) -> str:
        if type(kind) not in METACLASSES:
            raise UndescribedError(f"the class {kind.__qualname__} is of a kind of its own")
        name = f"{kind.__module__}.{kind.__qualname__}"
        return name if is_own_class(kind) else f"{name} {digest(class_text(kind))}"

    def _function(self, function: FunctionType) -> str:
        name = f"{function.__module__}.{function.__qualname__}"
        code, cells = function.__code__, function.__closure__ or ()
        for place in (function.__globals__, *cells):
            self._place(place)
        names = [*map(self.number, (function.__globals__, *cells))]
        if is_own(code):  # may run as it is: all that it was made with counts
            contents = (_content(cell) for cell in cells)
            made = self._all(function.__defaults__, function.__kwdefaults__, *contents)
            return f"{name} {code.co_firstlineno} {names} {made}"
        if (function.__module__ or "").partition(".")[0] == "s2sad" or not is_as_written(function):
            raise UndescribedError(f"{name} is not what its name or its file says")
        has_defaults = bool(function.__defaults__), bool(function.__kwdefaults__)
        return f"{name} {code_digest(code)} {has_defaults} {names}"

    def _place(self, place: dict[str, Any] | CellType) -> None:
        """Let a namespace or a closure's cell have a number; what it holds, guards say."""
        if id(place) not in self._numbers:
            self._enter(place)
        self._places.add(id(place))

    def _compiled(self, wrapper: Wrapper) -> str:
        return self.of(wrapper.function)

    def _transform(self, transform: Transform) -> str:
        return self._all(
            transform.kind, transform.function, transform.grad_position, transform.weights,
            transform.has_aux, transform.return_ids, transform.sens_param, transform.in_axes,
            transform.out_axes,
        )  # fmt: skip

    def _custom(self, custom: CustomVjp) -> str:
        return self._all(custom.name, custom.function, custom.nondiff_argnums)

    def _checkpoint(self, marked: Checkpoint) -> str:
        return self._all(marked.name, marked.function, marked.memory)

    def _bound(self, bound: Bound) -> str:
        left = None if bound.left is None else ",".join(map(str, bound.left))
        places = ";".join(map(str, bound.places))
        return f"{print_text(bound.function)} {places} {left} {self.of(dict(bound.hidden))}"

    # ---- tensors and Cells -------------------------------------------------------------------

    def _tensor(self, tensor: Tensor) -> str:
        if type(tensor) is not Tensor:
            raise UndescribedError(f"a tensor of the class {type(tensor).__qualname__}")
        return _type_text(tensor)

    def _parameter(self, parameter: Parameter) -> str:
        kind = type(parameter)
        if not is_own_class(kind):
            raise UndescribedError(f"a Parameter of the class {kind.__qualname__}")
        name = parameter.name if parameter.is_named else None
        return f"{kind.__name__} {_type_text(parameter)} {name!r} " + self._all(
            parameter.requires_grad, parameter.layerwise_parallel, parameter.parallel_optimizer
        )

    def _generator(self, generator: Generator) -> str:
        return self.of(generator.state)

    def _cell(self, cell: Cell) -> str:
        """Its class, its settings and all that is registered; other attributes have guards."""
        self._require_plain(type(cell))
        return self._all(type(cell), *(vars(cell).get(name) for name in CELL_FIELDS))

    # ---- everything else ---------------------------------------------------------------------

    def _object(self, value: Any) -> str:
        kind = type(value)
        if kind is SimpleNamespace:
            return f"namespace {self._fields(value)}"
        if kind is functools.partial:
            return f"partial {self._all(value.func, value.args, value.keywords)}"
        self._require_plain(kind)
        if not all(map(_is_of_python, kind.__mro__[:-1])):
            raise UndescribedError(f"{kind.__qualname__} is no class of Python code")
        looked_into = is_own_class(kind) or has_operators(kind)
        return f"{self.of(kind)}{self._fields(value) if looked_into else ''}"

    def _require_plain(self, kind: type) -> None:
        """Refuse objects into which code looks that no guard knows of."""
        found = operators_of(kind)
        if found:
            raise UndescribedError(f"{kind.__qualname__} has {found[0]}")

    def _fields(self, value: Any) -> str:
        slots = (name for base in type(value).__mro__ for name in _slots(base))
        fields = {name: getattr(value, name, MISSING) for name in slots}
        fields.update(getattr(value, "__dict__", {}))
        return ",".join(f"{name}={self.of(field)}" for name, field in fields.items())

    KINDS: dict[Any, Callable[[Portrait, Any], str]] = {
        Enum: _member, tuple: _tuple, list: _list, dict: _dict, (set, frozenset): _set,
        Parameter: _parameter, Tensor: _tensor, Cell: _cell, FunctionType: _function, type: _class,
        ModuleType: _module, Primitive: _primitive, DType: _dtype, Transform: _transform,
        Wrapper: _compiled, CustomVjp: _custom, Checkpoint: _checkpoint, Generator: _generator,
        Bound: _bound,
        np.ndarray: _array, np.dtype: _npdtype,
    }  # fmt: skip


#: What a Cell has that no assignment of the user's made.
CELL_FIELDS = (
    "_params", "_buffers", "_cells", "_flags", "_precision", "_checkpoint", "_hooks",
    "training", "requires_grad", "phase",
)  # fmt: skip


def _type_text(tensor: Tensor) -> str:
    return f"{tensor.dtype.short}{list(tensor.shape)}"


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def _slots(kind: type) -> tuple[str, ...]:
    found = vars(kind).get("__slots__", ())
    names = (found,) if isinstance(found, str) else tuple(found)
    return tuple(name for name in names if name not in ("__dict__", "__weakref__"))


def _is_of_python(kind: type) -> bool:
    """Whether `kind` is a class of Python code: objects of others may keep what nobody sees."""
    is_made_there = bool(kind.__flags__ & HEAP_TYPE) and not kind.__flags__ & IMMUTABLE_TYPE
    return is_made_there and isinstance(
        vars(kind).get("__new__", _is_of_python), (FunctionType, staticmethod)
    )
