"""Which operations of `ms.numpy` are those of `ops` under other names, and which differ?

They are MindSpore's: their arguments are NumPy's, but what is made of Python's numbers is int32 or
float32, and all of them take Tensors. What is called the same and takes the same is in `SAME`; what
only has other names of arguments is in `RENAMED`; the rest is written here.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ops import METHODS
from s2sad.ops.promotion import is_tensor
from s2sad.ops.renaming import renamed
from s2sad.ops.settings import flag, integer

_UNARY = (
    "abs absolute arccos arccosh arcsin arcsinh arctan arctanh ceil cos cosh exp exp2 expm1 fix "
    "floor isfinite isinf isnan log log10 log1p log2 logical_not negative ravel reciprocal sign "
    "sin sinh sqrt square tan tanh trunc"
).split()
_BINARY = (
    "add arctan2 bitwise_and bitwise_or bitwise_xor divide equal float_power floor_divide fmod "
    "greater greater_equal heaviside hypot less less_equal logaddexp logaddexp2 logical_and "
    "logical_or logical_xor maximum minimum multiply not_equal outer remainder subtract true_divide"
).split()

#: Operations of `ops` that are the same here.
SAME = "fliplr flipud meshgrid ones_like zeros_like".split()

#: Operations of `ops` whose arguments have other names here, in the same order.
RENAMED: dict[str, tuple[str, dict[str, str]]] = {
    "broadcast_to": ("broadcast_to", {"array": "input"}),
    "concatenate": ("concat", {"arrays": "tensors"}),
    "expand_dims": ("expand_dims", {"a": "input_x"}), "hstack": ("hstack", {"tup": "tensors"}),
    "matmul": ("matmul", {"x1": "input", "x2": "other"}),
    "moveaxis": ("movedim", {"a": "x"}),
    "norm": ("norm", {"x": "A", "axis": "dim", "keepdims": "keepdim"}),
    "power": ("pow", {"x1": "input", "x2": "exponent"}),
    "reshape": ("reshape", {"x": "input", "new_shape": "shape"}),
    "roll": ("roll", {"a": "input", "shift": "shifts", "axis": "dims"}),
    "squeeze": ("squeeze", {"a": "input"}),
    "stack": ("stack", {"arrays": "tensors"}),
    "swapaxes": ("swapaxes", {"x": "input", "axis1": "axis0", "axis2": "axis1"}),
    "tile": ("tile", {"a": "input", "reps": "dims"}),
    "tril": ("tril", {"m": "input", "k": "diagonal"}),
    "triu": ("triu", {"m": "input", "k": "diagonal"}),
    "vstack": ("vstack", {"tup": "inputs"}),
}  # fmt: skip


def array(obj: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Any:
    """A Tensor of numbers; int32 or float32 where they are Python's.

    Examples
    --------
    >>> array([[1, 2]]).dtype, array([1.5]).dtype, array(3, ndmin=1).shape
    (s2sad.int32, s2sad.float32, (1,))
    """
    flag("copy", copy)
    if is_tensor(obj):
        made = obj.copy() if copy else obj
    else:
        found = np.asarray(obj)
        is_plain = not isinstance(obj, (np.ndarray, np.generic))
        narrow = {"i": np.int32, "f": np.float32}.get(found.dtype.kind) if is_plain else None
        made = Tensor(found if narrow is None else found.astype(narrow))
    made = made if dtype is None else ops.cast(made, dtype)
    missing_axes = integer("ndmin", ndmin, 0) - made.ndim
    return ops.reshape(made, (1,) * missing_axes + made.shape) if missing_axes > 0 else made


def asarray(a: Any, dtype: Any = None) -> Any:
    """As `array`, but a Tensor stays itself."""
    return array(a, dtype, copy=False)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Any:
    """Numbers from `start` to `stop`; int32, or float32 where one of the three is a float.

    Examples
    --------
    >>> arange(3).dtype, arange(0, 1, 0.5).tolist()
    (s2sad.int32, [0.0, 0.5])
    """
    if dtype is None:
        floats = [x for x in (start, stop, step) if isinstance(x, (float, np.floating))]
        dtype = dtypes.float32 if floats else dtypes.int32
    start, stop = (0, start) if stop is None else (start, stop)
    return ops.arange(start, stop, step, dtype=dtype)


def zeros(shape: Any, dtype: Any = dtypes.float32) -> Any:
    """Zeros."""
    return ops.zeros(shape, dtype)


def ones(shape: Any, dtype: Any = dtypes.float32) -> Any:
    """Ones."""
    return ops.ones(shape, dtype)


def empty(shape: Any, dtype: Any = dtypes.float32) -> Any:
    """A Tensor of which nobody reads an element before it is written: zeros."""
    return ops.zeros(shape, dtype)


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`fill_value` in every element; int32 or float32 where it is Python's number."""
    if dtype is None:
        dtype = fill_value.dtype if is_tensor(fill_value) else array(fill_value).dtype
    return ops.full(shape, fill_value, dtype=dtype)


def full_like(a: Any, fill_value: Any, dtype: Any = None) -> Any:
    """`fill_value` in the shape of `a`, and its dtype unless another is given."""
    return ops.full_like(a, fill_value, dtype=a.dtype if dtype is None else dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = dtypes.float32) -> Any:  # noqa: N803
    """Ones on the diagonal `k`, zeros else.

    Examples
    --------
    >>> eye(2, 3, 1).asnumpy()
    array([[0., 1., 0.],
           [0., 0., 1.]], dtype=float32)
    """
    return Tensor(np.eye(N, M, k)).astype(dtype)


def identity(n: int, dtype: Any = dtypes.float32) -> Any:
    """`eye` with as many columns as rows."""
    return eye(n, dtype=dtype)


def linspace(
    start: Any, stop: Any, num: int = 50, endpoint: bool = True, dtype: Any = dtypes.float32
) -> Any:
    """`num` numbers at equal distances from `start` to `stop`, which is left out unless `endpoint`.

    Examples
    --------
    >>> linspace(0, 1, 4, endpoint=False).tolist()
    [0.0, 0.25, 0.5, 0.75]
    """
    if flag("endpoint", endpoint):
        return ops.cast(ops.linspace(start, stop, num), dtype)
    with_end = ops.linspace(start, stop, integer("num", num, 1) + 1)
    return ops.cast(ops.narrow(with_end, 0, 0, num), dtype)


def rand(*shape: Any, dtype: Any = dtypes.float32) -> Any:
    """Uniform numbers from 0 to 1."""
    return ops.rand(*shape, dtype=dtype)


def randn(*shape: Any, dtype: Any = dtypes.float32) -> Any:
    """Normal numbers of mean 0 and deviation 1."""
    return ops.randn(*shape, dtype=dtype)


def randint(minval: Any, maxval: Any = None, shape: Any = None, dtype: Any = dtypes.int32) -> Any:
    """Whole numbers from `minval`, below `maxval`; below `minval`, from 0, without that."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return ops.randint(low, high, () if shape is None else shape, dtype=dtype)


def sum(  # noqa: A001
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None
) -> Any:
    """Sum over `axis`, all axes when None."""
    return METHODS["sum"](a, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial)


def mean(a: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Any:
    """Mean over `axis`, in float32 where `a` is of integers.

    Examples
    --------
    >>> mean(array([1, 2])).item()
    1.5
    """
    if dtype is None and not a.dtype.is_float:
        dtype = dtypes.float32
    return ops.mean(a if dtype is None else ops.cast(a, dtype), axis, keepdims)


def prod(
    a: Any, axis: Any = None, dtype: Any = None, keepdims: bool = False, initial: Any = None
) -> Any:
    """Product over `axis`, all axes when None."""
    whole = ops.prod(a, axis, keepdims, dtype)
    return whole if initial is None else ops.mul(whole, initial)


def max(  # noqa: A001
    a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """Largest over `axis`, all axes when None."""
    return ops.amax(a, axis, keepdims, initial=initial, where=where)


def min(  # noqa: A001
    a: Any, axis: Any = None, keepdims: bool = False, initial: Any = None, where: Any = None
) -> Any:
    """Smallest over `axis`, all axes when None."""
    return ops.amin(a, axis, keepdims, initial=initial, where=where)


def argmax(a: Any, axis: int | None = None) -> Any:
    """Index of the largest along `axis`, in the flat `a` when None."""
    return ops.argmax(a, axis)


def argmin(a: Any, axis: int | None = None) -> Any:
    """Index of the smallest along `axis`, in the flat `a` when None."""
    return ops.argmin(a, axis)


def std(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Standard deviation over `axis`, squares divided by their number less `ddof`."""
    return ops.std(x, axis, ddof, keepdims)


def var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    """Variance over `axis`: the square of `std`."""
    return ops.var(x, axis, ddof, keepdims)


def all(a: Any, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A001
    """Whether all elements over `axis` hold."""
    return ops.all(a, axis, keepdims)


def any(a: Any, axis: Any = None, keepdims: bool = False) -> Any:  # noqa: A001
    """Whether some element over `axis` holds."""
    return ops.any(a, axis, keepdims)


def cumsum(a: Any, axis: int | None = None, dtype: Any = None) -> Any:
    """Sums of the elements up to each along `axis`, of the flat `a` when None."""
    return ops.cumsum(ops.ravel(a), 0, dtype) if axis is None else ops.cumsum(a, axis, dtype)


def clip(x: Any, xmin: Any, xmax: Any, dtype: Any = None) -> Any:
    """`x` between `xmin` and `xmax`, one of which may be None."""
    held = ops.clip(x, xmin, xmax)
    return held if dtype is None else ops.cast(held, dtype)


def transpose(a: Any, axes: Any = None) -> Any:
    """`a` with its axes in the order of `axes`, reversed when None.

    Examples
    --------
    >>> transpose(zeros((1, 2, 3))).shape
    (3, 2, 1)
    """
    return ops.transpose(a, tuple(range(a.ndim))[::-1] if axes is None else axes)


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Each element `repeats` times, along `axis`; of the flat `a` when None."""
    return ops.repeat_interleave(a, repeats, axis)


def cross(a: Any, b: Any, axis: int = -1) -> Any:
    """Vectors at right angles to those along `axis`, which has size 3.

    Examples
    --------
    >>> cross(eye(3)[0], eye(3)[1]).tolist()
    [0.0, 0.0, 1.0]
    """
    return ops.cross(a, b, axis)


def diag(v: Any) -> Any:
    """The matrix with `v` as its diagonal, or the diagonal of a matrix."""
    return ops.diag(v) if v.ndim == 1 else ops.diagonal(v)


def dot(a: Any, b: Any) -> Any:
    """Sums of products over the last axis of `a` and the last but one of `b`, or its only one.

    Examples
    --------
    >>> dot(ones((2, 3, 4)), ones((5, 4, 6))).shape
    (2, 3, 5, 6)
    """
    if a.ndim == 0 or b.ndim == 0:
        return ops.mul(a, b)
    return ops.tensor_dot(a, b, ((a.ndim - 1,), (0 if b.ndim == 1 else b.ndim - 2,)))


def flip(m: Any, axis: Any = None) -> Any:
    """`m` with the order of its elements along `axis`, all axes when None, turned round."""
    axes = tuple(range(m.ndim)) if axis is None else axis
    return ops.flip(m, (axes,) if isinstance(axes, int) else axes)


def trace(a: Any, offset: int = 0) -> Any:
    """Sum of the elements on the diagonal `offset` of a matrix."""
    return ops.sum(ops.diagonal(a, offset))


def around(a: Any, decimals: int = 0) -> Any:
    """`a` with so many digits after the point; halves go to the even number.

    Examples
    --------
    >>> around(array([0.5, 1.5])).tolist()
    [0.0, 2.0]
    """
    return ops.round(a, decimals=decimals)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """`x` in equal parts, or cut before each of several indices.

    Raises
    ------
    S2sadError
        E0404 where the parts would not be equal.

    Examples
    --------
    >>> [each.tolist() for each in split(arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    parts = indices_or_sections
    if isinstance(parts, int) and (parts < 1 or x.shape[axis] % parts):
        raise fail("E0404", f"{x.shape[axis]} rows make no {parts} equal parts")
    return ops.tensor_split(x, parts, axis)


def where(condition: Any, x: Any = None, y: Any = None) -> Any:
    """`x` where `condition` holds, else `y`; without them, where it holds."""
    if x is None and y is None:
        return ops.nonzero(condition, as_tuple=True)
    return ops.where(condition, x, y)


def pad(arr: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Any:
    """`arr` with more elements before and after each axis.

    Parameters
    ----------
    arr : Tensor
    pad_width : int, pair of int, or a pair for each axis
    mode : {"constant", "reflect", "edge"}
    constant_values : number

    Examples
    --------
    >>> pad(array([1, 2]), (1, 2)).tolist()
    [0, 1, 2, 0, 0]
    """
    modes = {"constant": "constant", "reflect": "reflect", "edge": "replicate"}
    if mode not in modes:
        raise fail("E0404", f"mode is constant, reflect or edge, got {mode!r}")
    pairs = np.broadcast_to(np.asarray(pad_width), (arr.ndim, 2)).tolist()
    widths = tuple(width for pair in reversed(pairs) for width in pair)
    return ops.pad(arr, widths, modes[mode], constant_values if mode == "constant" else None)


_WRITTEN = (
    all, any, arange, argmax, argmin, around, array, asarray, clip, cross, cumsum, diag, dot, empty,
    eye, flip, full, full_like,
    identity, linspace, max, mean, min, ones, pad, prod, rand, randint, randn, repeat, split, std,
    sum, trace, transpose, var, where, zeros,
)  # fmt: skip


def _as_numpy_names(name: str) -> Callable[..., Any]:
    """An operation of `ops` on one or two Tensors, called ``x``, or ``x1`` and ``x2``."""
    function = getattr(ops, name)
    ours = ("x",) if name in _UNARY else ("x1", "x2")
    taken = inspect.signature(function).parameters
    return renamed(name, function, dict(zip(ours, taken, strict=False)))


#: All operations of `ms.numpy`.
OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(ops, name) for name in SAME},
    **{name: _as_numpy_names(name) for name in (*_UNARY, *_BINARY)},
    **{name: renamed(name, getattr(ops, of), names) for name, (of, names) in RENAMED.items()},
    **{each.__name__: each for each in _WRITTEN},
    "round": around,
}
