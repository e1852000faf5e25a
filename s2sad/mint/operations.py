"""Which operations of `mint` are those of `ops` under other names, and which take other arguments?

`mint` is MindSpore's second face of its operations: axes are `dim`, ``keepdim`` keeps them, and
``max(x, dim)`` gives values and indices. What is called the same and takes the same is in `SAME`;
what only has other names of arguments is in `RENAMED`; the rest is written here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.device import require_cpu
from s2sad.core.diagnostics import fail
from s2sad.ops import METHODS
from s2sad.ops.renaming import renamed
from s2sad.ops.settings import flag

#: Operations of `ops` that are the same here.
SAME = (
    "abs acos acosh addbmm addmm addmv allclose arange argmax asin asinh atan atan2 atanh baddbmm "
    "bincount bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to ceil clamp clip cos "
    "cosh cross cumprod div divide dot einsum empty empty_like eq erf erfc erfinv exp exp2 expm1 "
    "eye flip floor floor_divide fmod full full_like ge greater greater_equal gt histc inverse "
    "isclose isfinite isinf isneginf le lerp less less_equal log log10 log1p log2 logaddexp "
    "logical_and logical_not logical_or logical_xor logsumexp lt masked_select matmul maximum "
    "minimum mm mul nan_to_num ne neg negative nonzero not_equal ones_like outer pow rand randn "
    "reciprocal remainder reshape roll round rsqrt searchsorted sigmoid sign sin sinc sinh "
    "square sum swapaxes t tan tanh tile trace tril triu trunc unbind unique_consecutive "
    "unsqueeze zeros_like"
).split()

_DIM = {"dim": "axis"}
_KEEP = {"dim": "axis", "keepdim": "keepdims"}
_KEPT = {"dim": "axis", "keepdim": "keep_dims"}

#: Operations of `ops` whose arguments have other names here, in the same order.
RENAMED: dict[str, tuple[str, dict[str, str]]] = {
    "all": ("all", _KEPT), "amax": ("amax", _KEEP), "amin": ("amin", _KEEP),
    "any": ("any", _KEPT), "bmm": ("bmm", {"input": "input_x"}),
    "cat": ("cat", _DIM), "chunk": ("chunk", _DIM), "concat": ("concat", _DIM),
    "cummax": ("cummax", _DIM),
    "cummin": ("cummin", _DIM), "cumsum": ("cumsum", {"input": "x", "dim": "axis"}),
    "diff": ("diff", {"input": "x", "dim": "axis"}),
    "frac": ("frac", {"input": "x"}),
    "index_select": ("index_select", _DIM), "isnan": ("isnan", {"tensor": "input"}),
    "masked_fill": ("masked_fill", {"input": "input_x"}), "movedim": ("movedim", {"input": "x"}),
    "narrow": ("narrow", _DIM), "permute": ("permute", {"dims": "axis"}),
    "repeat_interleave": ("repeat_interleave", _DIM), "scatter": ("scatter", _DIM),
    "split": ("split", _DIM), "sqrt": ("sqrt", {"input": "x"}), "squeeze": ("squeeze", _DIM),
    "stack": ("stack", _DIM),
    "transpose": ("swapaxes", {"dim0": "axis0", "dim1": "axis1"}),
}  # fmt: skip


def add(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``input + alpha * other``.

    Examples
    --------
    >>> import s2sad as ms
    >>> add(ms.Tensor([1.0]), ms.Tensor([2.0]), alpha=3).tolist()
    [7.0]
    """
    return ops.add(input, other if alpha == 1 else ops.mul(other, alpha))


def sub(input: Any, other: Any, *, alpha: Any = 1) -> Any:
    """``input - alpha * other``.

    Examples
    --------
    >>> import s2sad as ms
    >>> sub(ms.Tensor([1.0]), ms.Tensor([2.0]), alpha=3).tolist()
    [-5.0]
    """
    return ops.sub(input, other if alpha == 1 else ops.mul(other, alpha))


def mean(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Mean over the axes `dim` (all when None), of `input` in `dtype` where one is given.

    Examples
    --------
    >>> import s2sad as ms
    >>> mean(ms.Tensor([[1, 2]]), dim=1, dtype=ms.float32).tolist()
    [1.5]
    """
    return ops.mean(_cast(input, dtype), dim, keepdim)


def prod(input: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Product over the axis `dim` (all when None), in `dtype` where one is given.

    Examples
    --------
    >>> import s2sad as ms
    >>> prod(ms.Tensor([[2.0, 3.0]]), 1).tolist()
    [6.0]
    """
    return ops.prod(input, dim, keepdim, dtype)


def max(input: Any, *args: Any, **given: Any) -> Any:  # noqa: A001
    """``max(input)``; ``max(input, dim, keepdim=False)``: values and indices; or `maximum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([[1.0, 3.0], [4.0, 2.0]])
    >>> max(x).item(), [each.tolist() for each in max(x, dim=1)]
    (4.0, [[3.0, 4.0], [1, 0]])
    >>> max(x, ms.Tensor(2.5)).tolist()
    [[2.5, 3.0], [4.0, 2.5]]
    """
    return _extreme("max", ops.amax, ops.max, ops.maximum, input, args, given)


def min(input: Any, *args: Any, **given: Any) -> Any:  # noqa: A001
    """``min(input)``; ``min(input, dim, keepdim=False)``: values and indices; or `minimum`.

    Examples
    --------
    >>> import s2sad as ms
    >>> min(ms.Tensor([[1.0, 3.0], [4.0, 2.0]]), 0)[0].tolist()
    [1.0, 2.0]
    """
    return _extreme("min", ops.amin, ops.min, ops.minimum, input, args, given)


def _extreme(
    name: str, value: Callable[..., Any], both: Callable[..., Any], of_two: Callable[..., Any],
    input: Any, args: tuple[Any, ...], given: dict[str, Any],
) -> Any:  # fmt: skip
    if not args and not given:
        return value(input)
    if set(given) == {"other"} and not args:
        return of_two(input, given["other"])
    if len(args) == 1 and not given and not isinstance(args[0], int):
        return of_two(input, args[0])
    taken = {**dict(zip(("dim", "keepdim"), args, strict=False)), **given}
    if len(args) > 2 or not taken.keys() <= {"dim", "keepdim"} or "dim" not in taken:
        raise fail(
            "E0302", f"{name} takes an input, an input, dim and keepdim, or an input and other"
        )
    return both(input, taken["dim"], flag("keepdim", taken.get("keepdim", False)))


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """``median(input)``; ``median(input, dim, keepdim=False)``: values and indices.

    Of an even number it is the smaller of the two in the middle.

    Examples
    --------
    >>> import s2sad as ms
    >>> median(ms.Tensor([[3.0, 1.0, 2.0]])).item()
    2.0
    """
    if dim is None:
        return ops.median(ops.reshape(input, (-1,)), 0)[0]
    return ops.median(input, dim, keepdim)


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """Index of the smallest along `dim`, as int64; in the flat `input` when None.

    Examples
    --------
    >>> import s2sad as ms
    >>> argmin(ms.Tensor([3.0, 1.0, 2.0])).dtype
    s2sad.int64
    """
    return ops.cast(ops.argmin(input, dim, keepdim), dtypes.int64)


def count_nonzero(input: Any, dim: Any = None) -> Any:
    """How many elements over the axes `dim`, all when None, are not zero; int64.

    Examples
    --------
    >>> import s2sad as ms
    >>> count_nonzero(ms.Tensor([[1.0, 0.0], [2.0, 3.0]]), 1).tolist()
    [1, 2]
    """
    return ops.count_nonzero(input, () if dim is None else dim, dtype=dtypes.int64)


def std(input: Any, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    """Standard deviation over `dim`, squares divided by their number less `correction`.

    Examples
    --------
    >>> import s2sad as ms
    >>> std(ms.Tensor([1.0, 2.0, 3.0])).item()
    1.0
    """
    return ops.std(input, dim, correction, keepdim)


def var(input: Any, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    """Variance over `dim`: the square of `std`.

    Examples
    --------
    >>> import s2sad as ms
    >>> var(ms.Tensor([1.0, 3.0]), correction=0).item()
    1.0
    """
    return ops.var(input, dim, correction, keepdim)


def std_mean(input: Any, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    """`std` and `mean`."""
    return ops.std_mean(input, dim, correction, keepdim)


def var_mean(input: Any, dim: Any = None, *, correction: int = 1, keepdim: bool = False) -> Any:
    """`var` and `mean`."""
    return ops.var_mean(input, dim, correction, keepdim)


def norm(
    input: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """Length of the vectors over the axes `dim`, all when None, in the sense of `p`.

    ``"fro"`` is 2; ``"nuc"`` is the sum of the singular values of matrices.

    Examples
    --------
    >>> import s2sad as ms
    >>> norm(ms.Tensor([[3.0], [4.0]])).item(), norm(ms.Tensor([[3.0, 4.0]]), 1, 1).tolist()
    (5.0, [7.0])
    """
    if p == "nuc":
        return ops.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return ops.vector_norm(input, 2 if p == "fro" else p, dim, keepdim, dtype=dtype)


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """`input` with the axes from `start_dim` to `end_dim` as one; all of them by default.

    Examples
    --------
    >>> import s2sad as ms
    >>> flatten(ms.ops.ones((2, 3, 4)), 1).shape
    (2, 12)
    """
    return ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def gather(input: Any, dim: int, index: Any) -> Any:
    """Along `dim`, the elements of `input` at `index`: `ops.gather_elements`.

    Examples
    --------
    >>> import s2sad as ms
    >>> gather(ms.Tensor([[1.0, 2.0]]), 1, ms.Tensor([[1, 1]])).tolist()
    [[2.0, 2.0]]
    """
    return ops.gather_elements(input, dim, index)


def scatter_add(input: Any, dim: int, index: Any, src: Any) -> Any:
    """`input` with `src` added to the elements that `gather` would read.

    Examples
    --------
    >>> import s2sad as ms
    >>> one = ms.Tensor([1.0, 1.0])
    >>> scatter_add(ms.Tensor([5.0, 6.0]), 0, ms.Tensor([1, 1]), one).tolist()
    [5.0, 8.0]
    """
    return ops.tensor_scatter_elements(input, index, src, dim, "add")


def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: Any = 1) -> Any:
    """`input` with the slices of ``alpha * source`` along `dim` added at `index`.

    Examples
    --------
    >>> import s2sad as ms
    >>> index_add(ms.Tensor([1.0, 2.0]), 0, ms.Tensor([1]), ms.Tensor([5.0]), alpha=2).tolist()
    [1.0, 12.0]
    """
    return METHODS["index_add"](input, dim, index, source, alpha=alpha)


def select(input: Any, dim: int, index: int) -> Any:
    """The slice of `input` at `index` of the axis `dim`, which goes.

    Examples
    --------
    >>> import s2sad as ms
    >>> select(ms.Tensor([[1.0, 2.0]]), 1, 1).tolist()
    [2.0]
    """
    return METHODS["select"](input, dim, index)


def sort(input: Any, *, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """`input` sorted along `dim`, and where each was, int64; equal ones keep their order."""
    flag("stable", stable)
    values, places = ops.sort(input, dim, descending)
    return values, ops.cast(places, dtypes.int64)


def argsort(input: Any, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """Where each element of the sorted `input` is, int64; equal ones keep their order."""
    flag("stable", stable)
    return ops.cast(ops.argsort(input, dim, descending), dtypes.int64)


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest elements along `dim`, or the smallest, and their indices, int64."""
    values, places = ops.topk(input, k, dim, largest, sorted)
    return values, ops.cast(places, dtypes.int64)


def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The values of `input`, each once; where each element is among them, and how often each is.

    Examples
    --------
    >>> import s2sad as ms
    >>> unique(ms.Tensor([3, 1, 3])).tolist()
    [1, 3]
    """
    return METHODS["unique"](input, sorted, return_inverse, return_counts, dim)


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    """`input` where `condition` holds, else `other`; without them, where it holds.

    Examples
    --------
    >>> import s2sad as ms
    >>> [each.tolist() for each in where(ms.Tensor([False, True]))]
    [[1]]
    """
    if input is None and other is None:
        return ops.nonzero(condition, as_tuple=True)
    return ops.where(condition, input, other)


def meshgrid(*tensors: Any, indexing: str = "ij") -> Any:
    """Coordinates of a grid, one Tensor an axis; the first axis is that of the first by default."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tuple(tensors[0])
    return ops.meshgrid(*tensors, indexing=indexing)


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Exponentials scaled to sum to one along `dim`, of `input` in `dtype` where one is given.

    Examples
    --------
    >>> import s2sad as ms
    >>> softmax(ms.Tensor([0.0, 0.0]), 0).tolist()
    [0.5, 0.5]
    """
    return ops.softmax(input, dim, dtype=dtype)


def zeros(size: Any, *, dtype: Any = None, device: str | None = None) -> Any:
    """Zeros of the shape `size`, float32 unless `dtype` says otherwise."""
    return ops.zeros(size, _made(dtype, device))


def ones(size: Any, *, dtype: Any = None, device: str | None = None) -> Any:
    """Ones of the shape `size`, float32 unless `dtype` says otherwise."""
    return ops.ones(size, _made(dtype, device))


def linspace(start: Any, end: Any, steps: int, *, dtype: Any = None) -> Any:
    """`steps` numbers at equal distances, from `start` to `end`."""
    return _cast(ops.linspace(start, end, steps), dtype)


def randint(
    low: Any, high: Any = None, size: Any = None, *, generator: Any = None, dtype: Any = None
) -> Any:
    """Whole numbers from `low` on, below `high`; ``randint(high, size)`` begins at 0."""
    if size is None:
        low, high, size = 0, low, high
    return ops.randint(low, high, size, dtype=dtype, generator=generator)


def randint_like(input: Any, low: Any, high: Any = None, *, dtype: Any = None) -> Any:
    """As `randint`, of the shape and dtype of `input`."""
    low, high = (0, low) if high is None else (low, high)
    return ops.randint_like(input, low, high, dtype=input.dtype if dtype is None else dtype)


def rand_like(input: Any, *, dtype: Any = None) -> Any:
    """Uniform numbers from 0 to 1, of the shape of `input`."""
    return ops.rand_like(input, dtype=dtype)


def randn_like(input: Any, *, dtype: Any = None) -> Any:
    """Normal numbers of mean 0 and deviation 1, of the shape of `input`."""
    return ops.randn_like(input, dtype=dtype)


def randperm(n: int, *, generator: Any = None, dtype: Any = dtypes.int64) -> Any:
    """The numbers below `n` in some order."""
    return ops.randperm(n, dtype=dtype, generator=generator)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None) -> Any:
    """Normal numbers of the shape `size`, or of that of `mean` or `std` where those are Tensors."""
    if size is None:
        size = getattr(mean, "shape", None) or getattr(std, "shape", ())
    return ops.normal(size, mean, std, generator=generator)


def bernoulli(input: Any, *, generator: Any = None) -> Any:
    """Ones with the probabilities that `input` holds, zeros else."""
    return ops.bernoulli(input, input, generator=generator)


def multinomial(
    input: Any, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Any:
    """Indices drawn with probabilities in proportion to `input`."""
    return ops.multinomial(input, num_samples, replacement, generator=generator)


def _cast(input: Any, dtype: Any) -> Any:
    return input if dtype is None else ops.cast(input, dtype)


def _made(dtype: Any, device: str | None) -> Any:
    require_cpu(device)
    return dtype


_WRITTEN = (
    add, argmin, argsort, bernoulli, count_nonzero, flatten, gather, index_add, linspace, max, mean,
    median, meshgrid, min, multinomial, norm, normal, ones, prod, rand_like, randint, randint_like,
    randn_like, randperm, scatter_add, select, softmax, sort, std, std_mean, sub, topk, unique, var,
    var_mean, where, zeros,
)  # fmt: skip

#: All operations of `mint`.
OPERATIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(ops, name) for name in SAME},
    **{name: renamed(name, getattr(ops, of), names) for name, (of, names) in RENAMED.items()},
    **{each.__name__: each for each in _WRITTEN},
}
