"""How are elements arranged, without computing any?

Every primitive here moves or fills elements. Shapes are tuples of sizes that may be symbolic;
their type rules compute only through `s2sad.ir.dims`. `arrange` builds on them.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.shown import shown
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.arithmetic import sub
from s2sad.prims.cast import cast
from s2sad.prims.constant import const
from s2sad.prims.define import composite, primitive
from s2sad.prims.rules import axis_of, canonical_axes, canonical_axis, one_dtype, tensor

Shape = tuple[Dim, ...]


def shape_of(shape: Any, what: str = "shape") -> Shape:
    """`shape`, which must be a tuple of sizes (E0303 another form, E0404 a negative size)."""
    if not isinstance(shape, tuple):
        raise fail("E0303", f"the {what} must be a tuple of sizes, got {shape!r}")
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, (int, dims.Symbolic)):
            raise fail(
                "E0303", f"a size is an int, got {shown(size)} in the {what} {shown(shape)}",
                help="`//` divides to an int" if isinstance(size, float) else None,
            )  # fmt: skip
        if dims.less(size, 0):
            raise fail("E0404", f"a size of the {what} {shape} is negative")
    return shape


def per_axis(value: Any, ndim: int, what: str) -> tuple[Any, ...]:
    """`value`, which must be a tuple with one entry an axis (E0303)."""
    if not isinstance(value, tuple) or len(value) != ndim:
        raise fail("E0303", f"{what} must have {ndim} entries, one an axis, got {value!r}")
    return value


def require_shape(found: Shape, expected: Shape, what: str, help: str | None = None) -> Shape:  # noqa: A002
    """`expected`, which `found` must be (E0401, with `help` for another size)."""
    if len(found) != len(expected):
        is_thin = [n for n in found if n != 1] == [n for n in expected if n != 1]
        raise fail(
            "E0401", f"{what} must have the shape {expected}, got {found}",
            help=f".reshape({expected}) makes them fit" if is_thin else None,
        )  # fmt: skip
    axis = f"of {what}, of shapes {found} and {expected},"
    pairs = enumerate(zip(found, expected, strict=True))
    return tuple(
        dims.require_same(a, b, f"the sizes of axis {i} {axis}", help) for i, (a, b) in pairs
    )


# Order of axes


def _canonical_transpose(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    ndim, perm = tensor(types[0]).ndim, attrs["perm"]
    if perm is None:
        return {"perm": tuple(reversed(range(ndim)))}
    if isinstance(perm, tuple) and len(perm) != ndim:
        raise fail(
            "E0303", f"an order of {ndim} axes names each of them, got {perm}",
            help="ops.swapaxes(x, 0, 1) exchanges two",
        )  # fmt: skip
    found = tuple(axis_of(axis, ndim) for axis in per_axis(perm, ndim, "perm"))
    if len(set(found)) != ndim:
        raise fail("E0404", f"an order of axes names each of them once, got {perm}")
    return {"perm": found}


def _transpose_type(x: Type, *, perm: tuple[int, ...]) -> TensorType:
    found = tensor(x)
    return TensorType(found.dtype, tuple(found.shape[axis] for axis in perm))


@primitive(
    type=_transpose_type, traits={Trait.MOVES}, linear=(0,), canonical=_canonical_transpose
)  # fmt: skip
def transpose(x, *, perm=None):
    """`x` with its axes reordered.

    Parameters
    ----------
    x : Tensor of any dtype
    perm : tuple of int, optional
        Axis ``perm[i]`` of `x` becomes axis i; by default the order is reversed.

    Raises
    ------
    S2sadError
        E0303 or E0404 if `perm` is no permutation of the axes, E0403 if one is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.transpose(np.array([[1, 2], [3, 4]]), perm=(1, 0))
    array([[1, 3],
           [2, 4]])
    """
    return np.transpose(x, perm)


@transpose.adjoint
def transpose_adjoint(x, out, dout, *, perm):
    return (transpose(dout, perm=inverse(perm)),)


def inverse(perm: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes `perm`.

    >>> inverse((2, 0, 1))
    (1, 2, 0)
    """
    return tuple(perm.index(axis) for axis in range(len(perm)))


def _flip_type(x: Type, *, axis: tuple[int, ...]) -> TensorType:
    return tensor(x)


@primitive(type=_flip_type, traits={Trait.MOVES}, linear=(0,), canonical=canonical_axes)
def flip(x, *, axis=None):
    """`x` with the order of elements reversed along `axis`.

    Parameters
    ----------
    x : Tensor of any dtype
    axis : int, tuple of int or None
        None for all axes.

    Raises
    ------
    S2sadError
        E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.flip(np.arange(3), axis=0)
    array([2, 1, 0])
    """
    return np.flip(x, axis)


@flip.adjoint
def flip_adjoint(x, out, dout, *, axis):
    return (flip(dout, axis=axis),)


# One shape to another


def _canonical_reshape(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    shape = attrs["shape"]
    if not isinstance(shape, tuple) or -1 not in shape:
        return {"shape": shape_of(shape)}
    place = shape.index(-1)
    rest = shape_of(shape[:place] + tuple(n for n in shape[place + 1 :] if n != -1))
    if len(rest) < len(shape) - 1:
        raise fail(
            "E0404", f"more than one size of the shape {shape} is -1",
            help="one of them is worked out, the others must be given",
        )  # fmt: skip
    found = tensor(types[0])
    size, known = dims.size(found.shape), dims.size(rest)
    if dims.same(known, 0):
        raise fail(
            "E0404", f"the -1 of {shape} could be any size: there are no elements",
            help="write the size out",
        )  # fmt: skip
    if isinstance(size, int) and isinstance(known, int) and size % known:
        raise fail(
            "E0401", f"the {size} elements of {found} do not divide into the shape {shape}",
            help=f"the sizes without the -1 make {known}, which must divide {size}",
        )  # fmt: skip
    return {"shape": (*rest[:place], size // known, *rest[place:])}


def _reshape_type(x: Type, *, shape: Shape) -> TensorType:
    found = tensor(x)
    what = f"the numbers of elements of {found} and of the shape {shape}"
    help = "one size may be -1: it is worked out"  # noqa: A001
    dims.require_same(dims.size(found.shape), dims.size(shape), what, help)
    return TensorType(found.dtype, shape)


@primitive(type=_reshape_type, traits={Trait.MOVES}, linear=(0,), canonical=_canonical_reshape)
def reshape(x, *, shape):
    """The elements of `x`, in row-major order, in another shape.

    Parameters
    ----------
    x : Tensor of any dtype
    shape : tuple of int
        One entry may be -1: whatever is left.

    Raises
    ------
    S2sadError
        E0401 if the numbers of elements differ, E0404 if a size is negative, or -1 ambiguous.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.reshape(np.arange(4), shape=(2, -1))
    array([[0, 1],
           [2, 3]])
    """
    return np.reshape(x, shape)


@reshape.adjoint
def reshape_adjoint(x, out, dout):
    return (reshape(dout, shape=x.shape),)


def _broadcast_to_type(x: Type, *, shape: Shape) -> TensorType:
    found = tensor(x)
    extra = len(shape) - found.ndim
    if extra < 0:
        raise fail("E0401", f"{found} has more axes than the shape {shape}")
    for axis, size in enumerate(found.shape):
        if not dims.same(size, 1):
            what = f"the sizes of axis {axis} of {found} and of axis {axis + extra} of {shape}"
            dims.require_same(size, shape[axis + extra], what, "only axes of size 1 stretch")
    return TensorType(found.dtype, shape)


@primitive(
    type=_broadcast_to_type, traits={Trait.MOVES}, linear=(0,),
    canonical=lambda types, attrs: {"shape": shape_of(attrs["shape"])},
)  # fmt: skip
def broadcast_to(x, *, shape):
    """`x` repeated to `shape`: axes are aligned at the right, size 1 stretches.

    Parameters
    ----------
    x : Tensor of any dtype
    shape : tuple of int

    Raises
    ------
    S2sadError
        E0401 if `x` does not broadcast to exactly `shape`.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.broadcast_to(np.array([1, 2]), shape=(2, 2))
    array([[1, 2],
           [1, 2]])
    """
    return np.broadcast_to(x, shape)


@broadcast_to.adjoint
def broadcast_to_adjoint(x, out, dout):
    return (dout,)  # differentiation sums every contribution to the shape of its operand


# Parts


def _canonical_slice(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    shape = tensor(types[0]).shape
    given = [per_axis(attrs[name], len(shape), name) for name in ("start", "stop")]
    step = attrs["step"]
    given.append((1,) * len(shape) if step is None else per_axis(step, len(shape), "step"))
    bounds = [_bounds(size, *axis) for size, *axis in zip(shape, *given, strict=True)]
    start, stop, step = zip(*bounds, strict=True) if bounds else ((), (), ())
    return {"start": start, "stop": stop, "step": step}


def _bounds(size: Dim, start: Any, stop: Any, step: Any) -> tuple[Dim, Dim | None, int]:
    """One spelling of a slice of an axis: the bounds from the front, no further than needed.

    `stop` is None where a negative step reaches the first element.
    """
    step = 1 if step is None else step
    if any(isinstance(x, bool) or not isinstance(x, (int, dims.Symbolic, type(None)))
           for x in (start, stop, step)):  # fmt: skip
        raise fail("E0303", f"the bounds of a slice are ints, got {start!r}, {stop!r}, {step!r}")
    if step == 0 or not isinstance(step, int):
        raise fail("E0404", f"the step of a slice must be an int other than 0, got {step}")
    if not isinstance(size, int) or any(isinstance(x, dims.Symbolic) for x in (start, stop)):
        return _symbolic_bounds(size, start, stop, step)
    indices = range(*builtins.slice(start, stop, step).indices(size))
    if len(indices) < 2:
        return (indices[0], indices[0] + 1, 1) if indices else (0, 0, 1)
    past = indices[-1] + (1 if step > 0 else -1)
    return indices[0], None if past < 0 else past, step


def _symbolic_bounds(size: Dim, start: Any, stop: Any, step: int) -> tuple[Dim, Dim | None, int]:
    def resolve(bound: Dim | None, default: Dim) -> Dim:
        if bound is None:
            return default
        return size + bound if dims.less(bound, 0) else bound

    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (low, high) if step > 0 else (high, low)
    first, past = resolve(start, first), resolve(stop, last)
    inner = (first, past) if step > 0 else (past, first)
    if not (dims.less_equal(low, inner[0]) and dims.less_equal(*inner)
            and dims.less_equal(inner[1], high)):  # fmt: skip
        raise fail(
            "E0402", f"cannot tell whether the slice {start}:{stop}:{step} lies within size {size}"
        )
    return first, None if dims.same(past, -1) else past, step


def _slice_type(x: Type, *, start: Shape, stop: tuple[Any, ...], step: Any) -> TensorType:
    found = tensor(x)
    axes = zip(found.shape, start, stop, step, strict=True)
    return TensorType(found.dtype, tuple(_length(*_bounds(*axis)) for axis in axes))


def _length(start: Dim, stop: Dim | None, step: int) -> Dim:
    past = -1 if stop is None else stop
    return dims.ceil_div(past - start if step > 0 else start - past, abs(step))


@primitive(type=_slice_type, traits={Trait.MOVES}, linear=(0,), canonical=_canonical_slice)
def slice(x, *, start, stop, step: Any = None):
    """The part ``x[start:stop:step]``, with one slice an axis.

    Parameters
    ----------
    x : Tensor of any dtype
    start, stop : tuple of int or None, one an axis
        As Python slices: negative ones count from the end, those beyond it are clipped. The
        canonical spelling counts from the front; a `stop` of None is past the first element.
    step : tuple of int, optional
        1 by default; negative steps go backwards.

    Raises
    ------
    S2sadError
        E0303 if an entry or the number of entries is wrong, E0404 if a step is 0, E0402 if a
        symbolic size leaves open where the slice ends.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.slice(np.arange(5), start=(None,), stop=(None,), step=(-2,))
    array([4, 2, 0])
    """
    return x[tuple(builtins.slice(*axis) for axis in zip(start, stop, step, strict=True))]


@slice.adjoint
def slice_adjoint(x, out, dout, *, start, step):
    low, high, interior = gaps(x.shape, out.shape, start, step)
    backward = tuple(axis for axis in range(x.ndim) if step[axis] < 0)
    if backward:
        dout = flip(dout, axis=backward)
    return (pad(dout, 0, low=low, high=high, interior=interior),)


def gaps(shape: Shape, part: Shape, start: Shape, step: tuple[int, ...]) -> Any:
    """`low`, `high` and `interior` with which `pad` puts a slice, in forward order, back."""
    axes = [_gap(*axis) for axis in zip(shape, part, start, step, strict=True)]
    return tuple(zip(*axes, strict=True)) if axes else ((), (), ())


def _gap(size: Dim, length: Dim, start: Dim, step: int) -> tuple[Dim, Dim, int]:
    if dims.same(length, 0):
        return 0, size, 0
    reach = (length - 1) * abs(step)
    low = start if step > 0 else start - reach
    return low, size - low - reach - 1, abs(step) - 1


def _canonical_pad(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    ndim = tensor(types[0]).ndim
    interior = attrs["interior"]
    given = {**attrs, "interior": (0,) * ndim if interior is None else interior}
    return {name: shape_of(per_axis(entry, ndim, name), name) for name, entry in given.items()}


def _pad_type(x: Type, value: Type, *, low: Shape, high: Shape, interior: Shape) -> TensorType:
    found = tensor(x)
    one_dtype(x, value)
    if tensor(value).shape:
        raise fail("E0304", f"the padding value must be a scalar, got {value}")
    axes = zip(found.shape, low, high, interior, strict=True)
    return TensorType(found.dtype, tuple(_padded(*axis) for axis in axes))


def _padded(size: Dim, low: Dim, high: Dim, interior: Dim) -> Dim:
    if dims.same(size, 0) or dims.same(interior, 0):
        return low + size + high
    if not dims.less(0, size):
        raise fail("E0402", f"cannot tell whether an axis of size {size} is empty")
    return low + size + (size - 1) * interior + high


@primitive(type=_pad_type, traits={Trait.MOVES}, linear=((0, 1),), canonical=_canonical_pad)
def pad(x, value, *, low, high, interior: Any = None):
    """`x` with copies of `value` before, behind and between its elements.

    Parameters
    ----------
    x : Tensor of any dtype
    value : scalar of the same dtype
    low, high : tuple of int, one an axis
        How many before the first and behind the last element; not negative.
    interior : tuple of int, optional
        How many between two neighbours, 0 by default: what a slice with a step left out.

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ, E0303 or E0404 if an amount is no int or negative, E0304 if
        `value` is no scalar.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.pad(np.array([1, 2]), 0, low=(1,), high=(0,), interior=(2,))
    array([0, 1, 0, 0, 2])
    """
    axes = list(zip(x.shape, low, high, interior, strict=True))
    shape: Any = [_padded(*axis) for axis in axes]
    out = np.full(shape, value, x.dtype)
    out[tuple(_inside(*axis) for axis in axes)] = x
    return out


def _inside(size: int, low: int, high: int, interior: int) -> builtins.slice:
    return builtins.slice(low, low + max((size - 1) * (interior + 1) + 1, 0), interior + 1)


def _concat_type(*xs: Type, axis: int) -> TensorType:
    one_dtype(*xs)
    first, *others = [tensor(x) for x in xs]
    total = first.shape[axis]
    for other in others:
        if other.ndim != first.ndim:
            raise fail(
                "E0401", f"concat joins Tensors with as many axes, got {first} and {other}",
                help="give one an axis more: ops.expand_dims(x, axis)",
            )  # fmt: skip
        for i, (a, b) in enumerate(zip(first.shape, other.shape, strict=True)):
            what = f"the sizes of axis {i} of {first} and {other}, joined along axis {axis},"
            if i != axis:
                dims.require_same(a, b, what, "all sizes but the joined one must agree")
        total = total + other.shape[axis]
    return TensorType(first.dtype, (*first.shape[:axis], total, *first.shape[axis + 1 :]))


@primitive(type=_concat_type, traits={Trait.MOVES}, linear="all", canonical=canonical_axis)
def concat(x, *others, axis):
    """The operands joined along `axis`.

    Parameters
    ----------
    x, *others : Tensors of one dtype
        Their shapes agree but for `axis`.
    axis : int

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ, E0401 if the shapes do, E0403 if `axis` is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.concat(np.array([1, 2]), np.array([3]), axis=0)
    array([1, 2, 3])
    """
    return np.concatenate((x, *others), axis)


@concat.adjoint
def concat_adjoint(*xs, out, dout, axis):
    parts = split(dout, sizes=tuple(x.shape[axis] for x in xs), axis=axis)
    return parts if len(xs) > 1 else (parts,)


def _canonical_split(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    sizes = shape_of(attrs["sizes"], "sizes")
    if not sizes:
        raise fail("E0404", "split needs one size at least")
    return {"sizes": sizes, "axis": axis_of(attrs["axis"], tensor(types[0]).ndim)}


def _split_type(x: Type, *, sizes: Shape, axis: int) -> tuple[TensorType, ...]:
    found = tensor(x)
    dims.require_same(
        sum(sizes), found.shape[axis], f"the sum of the sizes {sizes} and the size of axis {axis}",
        "the pieces make up the whole axis",
    )  # fmt: skip
    before, after = found.shape[:axis], found.shape[axis + 1 :]
    return tuple(TensorType(found.dtype, (*before, size, *after)) for size in sizes)


@primitive(type=_split_type, traits={Trait.MOVES}, linear=(0,), canonical=_canonical_split)
def split(x, *, sizes, axis):
    """Consecutive parts of `x` along `axis`: as many results as there are sizes.

    Parameters
    ----------
    x : Tensor of any dtype
    sizes : tuple of int
        Size of each part; together that of the axis.
    axis : int

    Raises
    ------
    S2sadError
        E0401 if the sizes do not add up, E0403 if `axis` is out of range, E0404 without sizes.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.split(np.arange(3), sizes=(1, 2), axis=0)
    (array([0]), array([1, 2]))
    """
    ends = np.cumsum(sizes, dtype=np.int64)
    return tuple(np.split(x, ends[:-1], axis))


@split.adjoint
def split_adjoint(x, out, dout, *, sizes, axis):
    if len(sizes) == 1:
        dx = dout
    else:
        pairs = zip(dout, out, strict=True)
        dx = concat(*[zeros_like(y) if dy is None else dy for dy, y in pairs], axis=axis)
    return (dx,)


# Filled tensors


def _canonical_iota(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    shape = shape_of(attrs["shape"])
    return {**attrs, "shape": shape, "axis": axis_of(attrs["axis"], len(shape))}


def number_dtype(dtype: Any) -> DType:
    """`dtype`, which must be one of numbers (E0301, E0303 if it is none at all)."""
    if not isinstance(dtype, DType):
        raise fail("E0303", f"expected a dtype such as f32, got {dtype!r}")
    if dtype is dtypes.bool_:
        raise fail("E0301", "expected a dtype of numbers, got bool_")
    return dtype


def exact_storage(dtype: DType) -> np.dtype:
    """What computed numbers are held in, so that one rounding, the last, makes them `dtype`."""
    return dtypes.float64.storage if dtype.is_narrow else dtype.storage


def _iota_type(*, dtype: DType, shape: Shape, axis: int) -> TensorType:
    return TensorType(number_dtype(dtype), shape)


@primitive(type=_iota_type, nondiff="it has no operands", canonical=_canonical_iota)
def iota(*, dtype, shape, axis=0):
    """The index along `axis` of each element.

    Parameters
    ----------
    dtype : DType of numbers
        Integers wrap, floats round.
    shape : tuple of int
    axis : int

    Raises
    ------
    S2sadError
        E0301 if `dtype` is bool, E0403 if `axis` is out of range of `shape`.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import i64
    >>> p.iota(dtype=i64, shape=(2, 3), axis=1)
    array([[0, 1, 2],
           [0, 1, 2]])
    """
    indices = np.arange(shape[axis]).astype(exact_storage(dtype))
    return np.array(np.broadcast_to(indices.reshape((-1,) + (1,) * (len(shape) - axis - 1)), shape))


def _axis_size_type(x: Type, *, axis: tuple[int, ...], dtype: DType) -> TensorType:
    tensor(x)
    return TensorType(number_dtype(dtype))


@primitive(type=_axis_size_type, nondiff="a size is no float", canonical=canonical_axes)
def axis_size(x, *, axis: Any = None, dtype=dtypes.int64):
    """Number of elements of `x` along `axis`, where a symbol leaves that to run time.

    Parameters
    ----------
    x : Tensor of any dtype
    axis : int, tuple of int or None
        None for all axes.
    dtype : DType of numbers
        Integers wrap, floats round.

    Raises
    ------
    S2sadError
        E0301 if `dtype` is bool, E0403 if an axis is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.axis_size(np.zeros((2, 3)))
    array(6)
    """
    size = np.prod([x.shape[i] for i in axis], dtype=np.int64)
    return size.astype(exact_storage(dtype))


def counted(size: Dim, dtype: DType) -> Any:
    """The number that `size` is, as data: also of a symbol, whose number comes with the program.

    It may be negative at some sizes, or at all, as ``n - 5`` is.
    """
    more, less = dims.not_negative(size)
    if dims.same(less, 0):
        return _length_of(more, dtype)
    return cast(sub(_length_of(more), _length_of(less)), dtype=dtype)


def _length_of(size: Dim, dtype: DType = dtypes.int64) -> Any:
    flag = const(False, TensorType(dtypes.bool_))
    return axis_size(broadcast_to(flag, shape=(size,)), axis=0, dtype=dtype)


def filled(value: Any, type: TensorType) -> Any:  # noqa: A002
    """Constant of `type` with `value` everywhere, also where sizes are symbolic."""
    if all(isinstance(size, int) for size in type.shape):
        return const(value, type)
    return broadcast_to(const(value, TensorType(type.dtype)), shape=type.shape)


@composite()
def zeros_like(x):
    """Zeros with the type of `x`, a tensor of any dtype.

    Parameters
    ----------
    x : Tensor of any dtype, of any shape

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.zeros_like(np.array([1.5, np.nan]))
    array([0., 0.])
    """
    return filled(0, x.tensor_type)


@composite()
def ones_like(x):
    """Ones, or True, with the type of `x`, a tensor of any dtype.

    Parameters
    ----------
    x : Tensor of any dtype, of any shape

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.ones_like(np.array([3, 4]))
    array([1, 1])
    """
    return filled(1, x.tensor_type)


@composite()
def full_like(x, *, value, dtype=None):
    """The number `value` everywhere, with the shape of `x`.

    Parameters
    ----------
    x : Tensor of any dtype
    value : number
        Rounded or wrapped to the dtype of the result.
    dtype : DType, optional
        By default that of `x`.

    Raises
    ------
    S2sadError
        E0301 if `value` is a float and the elements of the result are none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.full_like(np.zeros(2), value=0.5)
    array([0.5, 0.5])
    """
    return filled(value, TensorType(dtype or x.dtype, x.shape))
