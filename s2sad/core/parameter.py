"""What does training change? A Parameter: a Tensor with a name, which a Cell owns."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from typing import Any

import numpy as np

from s2sad.core import changes, dtypes, storage
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.operators import method
from s2sad.core.tensor import Tensor

_numbers = count(1)

#: Held by whoever computes what a Parameter is to hold from what it holds: of two updates at the
#: same time both are made. Who reads several Parameters under it finds all as one update left them.
WRITING = threading.RLock()

#: What the user's code that runs now gets for a Parameter of a Cell; None for the Parameter itself.
#: See `s2sad.core.precision`.
reading: ContextVar[Callable[[Any], Any] | None] = ContextVar("reading", default=None)


class Parameter(Tensor):
    """Tensor that a Cell owns and training changes; it has a name.

    Parameters
    ----------
    default_input : Tensor, array, list or number
        Copied. A Python int becomes int32, a float float32.
    name : str, optional
        Without one, the attribute of the Cell that it is assigned to names it.
    requires_grad : bool
        False keeps optimizers and gradients away.
    layerwise_parallel, parallel_optimizer : bool
        Kept for programs on several devices.
    storage_format : str
        ``""``.
    device : str, optional
        ``"CPU"`` if anything.

    Raises
    ------
    S2sadError
        E0303 for an argument of the wrong form, E0304 for a bool or what is no data, E0404 for an
        empty name or a format, E0710 for another device.

    Notes
    -----
    New data go to fresh memory, or overwrite the old where compiled code makes an update and this
    Parameter is the sole holder of its memory (`is_sole_holder`): an array from `asnumpy`, and the
    Tensor that `value` gives, keep the numbers that they had. A thread that reads the Parameter
    while a program overwrites it waits for the end of that.

    Examples
    --------
    >>> Parameter([1.0, 2.0], name="w")
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        if isinstance(default_input, bool):
            raise fail("E0304", "a Parameter cannot be made of a bool; make it of a bool Tensor")
        if storage_format != "":
            raise fail("E0404", f"storage_format is '' on a CPU, got {storage_format!r}")
        dtype = dtypes.int32 if _is_int(default_input) else None
        super().__init__(default_input, dtype, device=device)
        self._version = 0
        self._is_named = name is not None
        self._name = _checked_name(f"Parameter#{next(_numbers)}" if name is None else name)
        self._requires_grad = _flag("requires_grad", requires_grad)
        self.layerwise_parallel = _flag("layerwise_parallel", layerwise_parallel)
        self.parallel_optimizer = _flag("parallel_optimizer", parallel_optimizer)

    @property
    def name(self) -> str:
        """What optimizers, checkpoints and dumps know the Parameter by."""
        return self._name

    @name.setter
    def name(self, name: str) -> None:
        self._name, self._is_named = _checked_name(name), True
        changes.note()

    @property
    def is_named(self) -> bool:
        """False while the name is a placeholder, such as ``Parameter#14``."""
        return self._is_named

    @property
    def requires_grad(self) -> bool:
        """Whether training changes the Parameter."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._requires_grad = _flag("requires_grad", value)
        changes.note()

    @property
    def version(self) -> int:
        """How often new data were set; writes through NumPy views do not count."""
        return self._version

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Let the Parameter hold other numbers, cast to its dtype; the Parameter itself.

        Parameters
        ----------
        data : Tensor, array, list or number
            Copied. Its shape must be the Parameter's.
        slice_shape : bool
            Taken for compatibility: the shapes must agree in either case.

        Raises
        ------
        S2sadError
            E0301 for floats into an integer Parameter, or integers into a bool one; E0401 when
            the shape differs.

        Examples
        --------
        >>> w = Parameter([1.0, 2.0])
        >>> w.set_data(np.array([3, 4])).tolist(), w.version
        ([3.0, 4.0], 1)
        """
        found = storage.default_dtype(data)
        if _rank(found) > _rank(self.dtype):
            raise fail(
                "E0301", f"{found} data do not fit {self.name}, a Parameter of {self.dtype}",
                help="cast them first: tensor.astype(...)",
            )  # fmt: skip
        array = storage.stored_copy(data, self.dtype)
        if array.shape != self.shape:
            raise fail(
                "E0401", f"data of shape {array.shape} do not fit {self.name} of shape "
                f"{self.shape}", help="make another Parameter for data of another shape",
            )  # fmt: skip
        self.adopt(array)
        return self

    def adopt(self, array: np.ndarray) -> None:
        """Hold `array` itself from now on, of the same storage and shape; nothing is copied.

        For compiled code that has written an update to fresh memory, or in place.
        """
        if array.dtype != self.array.dtype or array.shape != self.array.shape:
            raise fail("E0901", f"{self} was given an array of {array.dtype}{list(array.shape)}")
        with WRITING:
            self.array = array
            self._version += 1

    def __setitem__(self, index: Any, value: Any) -> None:
        with WRITING:
            self.adopt(method("__setitem__")(self, index, value).array)

    def __getattr__(self, name: str) -> Any:
        if name == "array":  # some program overwrites it: see `withheld`
            with WRITING:
                return storage.Stored.array.__get__(self)  # type: ignore[attr-defined]
        return super().__getattr__(name)

    def value(self) -> Tensor:
        """Tensor of the present numbers; it keeps them when the Parameter gets others."""
        return Tensor.wrap(self.array)

    def clone(self, init: Any = "same") -> Parameter:
        """Parameter of the same name, dtype and flags, with data of its own.

        Parameters
        ----------
        init : {"same", "zeros", "ones"}, number, Tensor or callable
            The data; a callable fills an array, as in `Tensor`.

        Raises
        ------
        S2sadError
            E0404 for another word, and what `set_data` raises.
        """
        twin = copy.deepcopy(self)
        if isinstance(init, Tensor):
            return twin.set_data(init)
        if isinstance(init, str) and init not in ("same", "zeros", "ones"):
            raise fail("E0404", f"init is 'same', 'zeros' or 'ones', got {init!r}")
        if init != "same":
            number = {"zeros": 0, "ones": 1}.get(init, init) if isinstance(init, str) else init
            twin.array = storage.filled(self.shape, self.dtype, number)
        return twin

    def _copied(self, memo: dict[int, Any]) -> Any:
        twin = super()._copied(memo)
        twin._version = 0
        return twin

    def __str__(self) -> str:
        return (
            f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, "
            f"requires_grad={self.requires_grad})"
        )

    def __repr__(self) -> str:
        return str(self)


@contextmanager
def withheld(parameters: Mapping[int, Tensor], arrays: list[Any]) -> Iterator[list[int]]:
    """Let nobody read those of `parameters` whose memory nobody else sees, under `WRITING`.

    Yields
    ------
    list of int
        Places in `arrays` of the memory that may be overwritten until the end: whoever read a
        Parameter before holds its array, whoever comes now waits for `WRITING`.

    Parameters
    ----------
    parameters : mapping of int to Tensor
        By the place of their array in `arrays`.
    arrays : list
        Must be the only other thing that holds the arrays.
    """
    taken: dict[int, storage.Stored] = {}
    try:
        for place, parameter in parameters.items():
            taken[place] = held = storage.Stored()
            held.array, arrays[place] = arrays[place], None
            del parameter.array
            alone = storage.is_sole_holder(held)
            arrays[place] = held.array
            if not alone:
                parameter.array = taken.pop(place).array
        yield list(taken)
    finally:
        for place, held in taken.items():
            parameters[place].array = held.array


def _is_int(data: Any) -> bool:
    return isinstance(data, int) and not isinstance(data, bool)


def _rank(dtype: DType) -> int:
    """Place among bool, integer, float: data go up, not down."""
    return dtype.is_integer + 2 * dtype.is_float


def _checked_name(name: Any) -> str:
    if not isinstance(name, str):
        raise fail("E0303", f"a Parameter's name is a str, got {name!r}")
    if not name:
        raise fail("E0404", "a Parameter's name must not be empty")
    return name


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise fail("E0303", f"{name} is True or False, got {value!r}")
    return value


class ParameterTuple(tuple[Parameter, ...]):
    """Parameters with names that differ, as optimizers take them.

    Raises
    ------
    S2sadError
        E0304 for what is no Parameter, E0406 when two Parameters have one name.

    Examples
    --------
    >>> pair = ParameterTuple([Parameter(1.0, name="a"), Parameter(2.0, name="b")])
    >>> [p.name for p in pair.clone("moments", init="zeros")]
    ['moments.a', 'moments.b']
    """

    def __new__(cls, iterable: Iterable[Parameter]) -> ParameterTuple:
        members = tuple(iterable)
        for member in members:
            if not isinstance(member, Parameter):
                kind = type(member).__name__
                raise fail("E0304", f"a ParameterTuple holds Parameters, got a {kind}")
        check_unique(members)
        return super().__new__(cls, members)

    def __iter__(self) -> Iterator[Any]:
        read = reading.get()
        return super().__iter__() if read is None else map(read, super().__iter__())

    def __getitem__(self, index: Any) -> Any:
        found, read = super().__getitem__(index), reading.get()
        if read is None:
            return found
        return tuple(map(read, found)) if isinstance(index, slice) else read(found)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Clones of all members (see `Parameter.clone`), with `prefix` and a dot in their names."""
        twins = []
        for member in self:
            twin = member.clone(init)
            twin.name = f"{prefix}.{member.name}"
            twins.append(twin)
        return ParameterTuple(twins)


def check_unique(parameters: Iterable[Parameter]) -> None:
    """E0406 when two of the Parameters have one name; one that occurs twice is no offence."""
    known: dict[str, Parameter] = {}
    for parameter in parameters:
        if known.setdefault(parameter.name, parameter) is not parameter:
            raise fail(
                "E0406", f"two Parameters are called {parameter.name!r}",
                help="name them apart: Parameter(..., name=...)",
            )  # fmt: skip
