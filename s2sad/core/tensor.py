"""What does a user hold in hand? An array with one of our dtypes.

What a Tensor computes is defined in `ops` and reached through `s2sad.core.dispatch`, by name, so
that eager and compiled code mean the same.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np

from s2sad.core import dtypes, printing, storage
from s2sad.core.device import require_cpu
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.core.hooks import Entry, hooks_of
from s2sad.core.memory_info import MemoryInfo, info_of, require_unspent
from s2sad.core.operators import Operators, method

Self = TypeVar("Self", bound="Tensor")


class Tensor(Operators):
    """Array of numbers or truth values.

    Parameters
    ----------
    input_data : number, nested list or tuple, NumPy array, Tensor, or any array
        Copied. Arrays of other libraries come in by ``__array__`` or DLPack.
    dtype : DType, optional
        By default int64, float32 or bool for Python numbers and lists, else that of the data.
    shape : int or tuple of int, optional
        With `init`; or without any data, where the result is a `Placeholder`: None is a size then
        that may be any.
    init : number or callable, optional
        Instead of `input_data`: a number that fills the shape, or a callable that fills the NumPy
        array which it is given (float32 for float16 and bfloat16) and returns nothing.
    const_arg : bool
        Taken for MindSpore's sake: a tensor is data in every program.
    device : str, optional
        ``"CPU"`` if anything.

    Raises
    ------
    S2sadError
        E0301 for elements that no dtype holds; E0302 when arguments exclude one another; E0303
        for an argument of the wrong form; E0304 for what is no data; E0401 for a ragged list;
        E0404 for a number that the dtype cannot hold; E0710 for another device.

    Notes
    -----
    NumPy leaves its operators to the Tensor: ``array + tensor`` is a Tensor, with the dtype that
    ``tensor + array`` has, and so is `array` after ``array += tensor``; of the operators only
    ``@`` takes no array. NumPy's functions take a Tensor for an array: ``np.exp(tensor)`` and
    ``np.add(array, tensor)`` are NumPy arrays.

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

    def __new__(
        cls: type[Self], input_data: Any = None, dtype: Any = None, shape: Any = None,
        init: Any = None, *args: Any, **kwargs: Any,
    ) -> Self:  # fmt: skip
        is_type_alone = input_data is None and init is None and shape is not None
        kind: Any = Placeholder if cls is Tensor and is_type_alone else cls
        return object.__new__(kind)

    def __init__(
        self,
        input_data: Any = None,
        dtype: DType | None = None,
        shape: Any = None,
        init: Any = None,
        const_arg: bool = False,
        device: str | None = None,
    ) -> None:
        if not isinstance(const_arg, bool):
            raise fail("E0303", f"const_arg is True or False, got {const_arg!r}")
        require_cpu(device)
        if init is not None:
            if input_data is not None or shape is None or dtype is None:
                raise fail("E0302", "init goes with shape and dtype, and without input_data")
            self.array = storage.filled(shape, dtype, init)
        elif shape is not None:
            raise fail("E0302", "shape goes with init; data bring their own shape")
        else:
            self.array = storage.stored_copy(input_data, dtype)

    @staticmethod
    def wrap(array: np.ndarray) -> Tensor:
        """Tensor over `array`, which already has the storage of its dtype; nothing is copied."""
        tensor = object.__new__(Tensor)
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
    def device(self) -> str:
        """The device that holds the elements."""
        return "CPU"

    @property
    def _hooks(self) -> tuple[Entry, ...]:
        """What `register_hook` has registered: guards of compiled code ask for it."""
        return hooks_of(self)

    @property
    def _memory(self) -> MemoryInfo | None:
        """What `set_mem_info` has said: guards of compiled code ask for it."""
        return info_of(self)

    def _explain_no_array(self) -> None:
        require_unspent(self)

    def data_ptr(self) -> int:
        """Address of the first element."""
        return self.array.ctypes.data

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
            raise fail(
                "E0304", "a 0-d Tensor cannot be iterated over",
                help="go through `range(n)`, or through a Tensor with an axis",
            )  # fmt: skip
        return (Tensor.wrap(self.array[i, ...]) for i in range(len(self.array)))

    def __setitem__(self, index: Any, value: Any) -> None:
        """Hold other elements from now on; who saw the old ones, as an array, keeps seeing them."""
        self.array = method("__setitem__")(self, index, value).array

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


class Placeholder(Tensor):
    """A Tensor without elements, which says what others will be.

    ``Tensor(shape=[None, 3], dtype=float32)`` makes it; arguments and errors are those of Tensor.

    Attributes
    ----------
    sizes : tuple of (int or None)
        None for a size that may be any.

    Examples
    --------
    >>> Tensor(shape=[None, 3], dtype=dtypes.float32)
    Tensor(shape=[None, 3], dtype=Float32)
    """

    __slots__ = ("_dtype", "sizes")

    def __init__(
        self, input_data: None = None, dtype: DType | None = None, shape: Any = (),
        init: None = None, const_arg: bool = False, device: str | None = None,
    ) -> None:  # fmt: skip
        require_cpu(device)
        if not isinstance(dtype, DType):
            raise fail("E0302", "a Tensor of which only the shape is given needs a dtype")
        sizes = shape if isinstance(shape, (tuple, list)) else (shape,)
        self.sizes = tuple(map(_size, sizes))
        self._dtype = dtype

    @staticmethod
    def of(sizes: tuple[Any, ...], dtype: DType) -> Placeholder:
        """One of `sizes` that need not be numbers."""
        made = object.__new__(Placeholder)
        made.sizes, made._dtype = sizes, dtype
        return made

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis, -1 where it may be any."""
        return tuple(-1 if size is None else size for size in self.sizes)

    @property
    def array(self) -> np.ndarray:  # type: ignore[override]
        raise fail(
            "E0304", f"{self!r} has no elements: it says what other Tensors will be",
            help="give a Tensor with data",
        )  # fmt: skip

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.sizes))
        return f"Tensor(shape=[{sizes}], dtype={self._dtype.name.capitalize()})"

    __str__ = __repr__


def _size(given: Any) -> int | None:
    """One size of a shape (E0303, E0404)."""
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, np.integer)):
        raise fail("E0303", f"a size is an int, or None where it may be any, got {given!r}")
    if given < 0:
        raise fail("E0404", f"a size is not below 0, got {given}", help="None where it may be any")
    return int(given)
