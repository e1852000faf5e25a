"""What does a user hold in hand? An array with one of our dtypes, or a Parameter: one with a name.

What a Tensor computes is defined in `ops` and reached through `s2sad.core.dispatch`, by name, so
that eager and compiled code mean the same.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

import numpy as np

from s2sad.core import changes, dtypes, location, printing, storage
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.core.operators import Operators


class Tensor(Operators):
    """Array of numbers or truth values.

    Parameters
    ----------
    input_data : number, nested list or tuple, NumPy array, Tensor, or any array
        Copied. Arrays of other libraries come in by ``__array__`` or DLPack.
    dtype : DType, optional
        By default int64, float32 or bool for Python numbers and lists, else that of the data.
    shape : int or tuple of int, optional
        With `init` only.
    init : number or callable, optional
        Instead of `input_data`: a number that fills the shape, or a callable that fills the NumPy
        array which it is given (float32 for float16 and bfloat16) and returns nothing.

    Raises
    ------
    S2sadError
        E0301 for elements that no dtype holds; E0302 when arguments exclude one another; E0303
        for an argument of the wrong form; E0304 for what is no data; E0401 for a ragged list;
        E0404 for a number that the dtype cannot hold.

    Notes
    -----
    NumPy hands its operators over (``array + tensor`` is a Tensor), while its functions take a
    Tensor for an array: ``np.exp(tensor)`` is a NumPy array.

    Examples
    --------
    >>> Tensor([1.0, 2.5])
    Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.50000000e+00])
    >>> Tensor(3).dtype, Tensor(3, dtypes.bfloat16).item()
    (s2sad.int64, 3.0)
    >>> Tensor(shape=(2,), dtype=dtypes.int32, init=7).tolist()
    [7, 7]
    """

    __slots__ = ("__weakref__",)

    def __init__(
        self,
        input_data: Any = None,
        dtype: DType | None = None,
        shape: Any = None,
        init: Any = None,
    ) -> None:
        if init is not None:
            if input_data is not None or shape is None or dtype is None:
                raise fail("E0302", "init goes with shape and dtype, and without input_data")
            self.array = storage.filled(shape, dtype, init)
        elif shape is not None:
            raise _shape_alone(input_data)
        else:
            self.array = storage.stored_copy(input_data, dtype)

    @staticmethod
    def wrap(array: np.ndarray) -> Tensor:
        """Tensor over `array`, which already has the storage of its dtype; nothing is copied."""
        tensor = Tensor.__new__(Tensor)
        tensor.array = array
        return tensor

    @staticmethod
    def from_numpy(array: np.ndarray) -> Tensor:
        """Tensor that shares the memory of `array`: a write to one shows in the other.

        Raises
        ------
        S2sadError
            E0301 for a dtype that no tensor has, E0304 for no array, E0408 where the memory
            cannot be shared.

        Examples
        --------
        >>> array = np.zeros(2)
        >>> tensor = Tensor.from_numpy(array)
        >>> array[0] = 5.0
        >>> tensor.tolist()
        [5.0, 0.0]
        """
        return Tensor.wrap(storage.shared(array))

    @staticmethod
    def from_dlpack(data: Any) -> Tensor:
        """Tensor that shares the memory of an array of any library that offers DLPack.

        Where that library lets nobody write, `asnumpy` gives a read-only array. Errors are those
        of `from_numpy`.
        """
        return Tensor.wrap(storage.shared_by_dlpack(data))

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return dtypes.BY_STORAGE[self.array.dtype]

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis."""
        return self.array.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.array.ndim

    @property
    def size(self) -> int:
        """Number of elements."""
        return self.array.size

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self.array.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.array.nbytes

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, along each axis."""
        return self.array.strides

    @property
    def has_init(self) -> bool:
        """Whether the data are still to be made: False, since `init` is called at once."""
        return False

    def init_data(self) -> Tensor:
        """The tensor itself, whose data are there already."""
        return self

    def is_contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return self.array.flags.c_contiguous

    def is_sole_holder(self) -> bool:
        """Whether nothing else can see this tensor's memory, so that it may be overwritten.

        Other holders are tensors over the same array, living NumPy views (from `asnumpy`, slices
        of it, ``np.asarray``), memory views, DLPack capsules, and any variable that `array` was
        read into. Memory of other libraries and read-only memory have no sole holder.

        Examples
        --------
        >>> tensor = Tensor([1.0])
        >>> tensor.is_sole_holder()
        True
        >>> view = tensor.asnumpy()
        >>> tensor.is_sole_holder()
        False
        """
        return storage.is_sole_holder(self)

    def asnumpy(self) -> np.ndarray:
        """The elements as a NumPy array that shares memory: a write to one shows in the other.

        A bfloat16 tensor gives a view with the dtype of ``ml_dtypes`` where the program has that
        package loaded, and a float32 copy otherwise.

        Examples
        --------
        >>> tensor = Tensor([1.0, 2.0])
        >>> tensor.asnumpy()[0] = 7.0
        >>> tensor.tolist()
        [7.0, 2.0]
        """
        array = self._writable().view()
        if array.dtype != np.uint16:
            return array
        theirs = dtypes.ml_bfloat16()
        return dtypes.bf16_to_f32(array) if theirs is None else array.view(theirs)

    def numpy(self) -> np.ndarray:
        """The same as `asnumpy`."""
        return self.asnumpy()

    def _writable(self) -> np.ndarray:
        """The storage, first replaced by a copy where it is a constant or a broadcast of ours."""
        if not self.array.flags.writeable and not storage.is_foreign(self.array):
            self.array = self.array.copy()
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        array = self.asnumpy()
        is_copy = self.array.dtype == np.uint16 and array.dtype == np.float32
        if dtype is not None and np.dtype(dtype) != array.dtype:
            array, is_copy = dtypes.widen(self.array).astype(dtype), True
        if is_copy and copy is False:
            raise fail("E0408", f"a {self.dtype} tensor cannot share memory as {array.dtype}")
        return array.copy() if copy and not is_copy else array

    def __dlpack__(self, **options: Any) -> Any:
        if self.array.dtype == np.uint16:
            raise fail(
                "E0301", "NumPy cannot hand over bfloat16 through DLPack",
                help="cast it first: tensor.astype(s2sad.float32)",
            )  # fmt: skip
        given = {name: value for name, value in options.items() if value is not None}
        return self._writable().__dlpack__(**given)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; one number for a 0-d tensor."""
        return dtypes.widen(self.array).tolist()

    def item(self) -> Any:
        """The one element as a Python number.

        Raises
        ------
        S2sadError
            E0405 when there is not exactly one.

        Examples
        --------
        >>> Tensor([[2.5]]).item()
        2.5
        """
        if self.array.size != 1:
            raise self._not_one("one number")
        return dtypes.widen(self.array).item()

    def _not_one(self, wanted: str) -> S2sadError:
        message = f"{wanted} was asked of a Tensor of shape {self.shape}, which has {self.size}"
        return fail("E0405", f"{message} elements", help="reduce or index it to one element")

    def __bool__(self) -> bool:
        if self.array.size != 1:
            raise fail(
                "E0405", f"a Tensor of shape {self.shape} is neither true nor false",
                help="ask tensor.any() or tensor.all(), or compare its size with 0",
            )  # fmt: skip
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        if self.dtype.is_float:
            raise fail("E0301", f"an index must be an integer, got a {self.dtype} tensor")
        return int(self.item())

    def __len__(self) -> int:
        if not self.array.ndim:
            raise fail("E0304", "a 0-d Tensor has no length")
        return len(self.array)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.array.ndim:
            raise fail("E0304", "a 0-d Tensor cannot be iterated over")
        return (Tensor.wrap(self.array[i, ...]) for i in range(len(self.array)))

    def __setitem__(self, index: Any, value: Any) -> None:
        raise fail(
            "E0104", "writing to elements of a Tensor is not supported yet",
            location=location.caller(),
            help="select with ops.where, or write to tensor.asnumpy()",
        )  # fmt: skip

    def __copy__(self) -> Tensor:
        return self._copied({})

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        return self._copied(memo)

    def _copied(self, memo: dict[int, Any]) -> Any:
        """A tensor of the same class, memory of its own, attributes copied."""
        tensor = type(self).__new__(type(self))
        memo[id(self)] = tensor
        tensor.array = self.array.copy()
        attributes = getattr(self, "__dict__", {})
        if attributes:
            tensor.__dict__.update(copy.deepcopy(attributes, memo))
        return tensor

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise fail(
            "E0309", f"a {type(self).__name__} cannot be pickled",
            help="save it in a checkpoint, or pickle tensor.asnumpy()",
        )  # fmt: skip

    def __str__(self) -> str:
        return printing.text(self.array)

    def __repr__(self) -> str:
        return printing.description(self.array, self.dtype)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)


def _shape_alone(input_data: Any) -> S2sadError:
    if input_data is not None:
        return fail("E0302", "shape goes with init; data bring their own shape")
    return fail("E0104", "a Tensor without data is not supported yet", location=location.caller())


_numbers = count(1)


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

    Raises
    ------
    S2sadError
        E0303 for an argument of the wrong form, E0304 for a bool or what is no data, E0404 for an
        empty name.

    Notes
    -----
    New data (`set_data`, or an update by compiled code) overwrite the old where this Parameter is
    the sole holder of its memory (`is_sole_holder`), and go to fresh memory otherwise: an array
    from `asnumpy`, and the Tensor that `value` gives, keep the numbers that they had.

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
    ) -> None:
        if isinstance(default_input, bool):
            raise fail("E0304", "a Parameter cannot be made of a bool; make it of a bool Tensor")
        super().__init__(default_input, dtypes.int32 if _is_int(default_input) else None)
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
                "E0401", f"data of shape {array.shape} do not fit {self.name} of shape {self.shape}"
            )  # fmt: skip
        if self.is_sole_holder():
            np.copyto(self.array, array)
            self._version += 1
        else:
            self.adopt(array)
        return self

    def adopt(self, array: np.ndarray) -> None:
        """Hold `array` itself from now on, of the same storage and shape; nothing is copied.

        For compiled code that has written an update to fresh memory, or in place.
        """
        if array.dtype != self.array.dtype or array.shape != self.array.shape:
            raise fail("E0901", f"{self} was given an array of {array.dtype}{list(array.shape)}")
        self.array = array
        self._version += 1

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
