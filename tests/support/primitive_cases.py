"""What does each object give? One row a class, or a way of making one; references are NumPy's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.special as sp

import s2sad as ms
from s2sad.ops import operations as P  # noqa: N812

I32, I64 = np.int32, np.int64


@dataclass
class Case:
    """An object, what it is called with, and what that gives.

    Attributes
    ----------
    made : Primitive
    args : tuple
        Arrays stand for tensors.
    expected : callable
        Of the same arguments: an array, or a tuple of them.
    slopes : bool
        Whether gradients by all arrays of floats are checked.
    """

    made: Any
    args: tuple[Any, ...]
    expected: Callable[..., Any]
    slopes: bool = True


def f64(*values: Any) -> np.ndarray:
    return np.array(values, np.float64)


X, Y = f64([0.3, -1.2, 2.5], [1.7, 0.4, -0.6]), f64([1.1, 0.7, -2.2], [0.5, 1.9, 3.1])
UNIT, ABOVE = X / 3, np.abs(X) + 1.05  # in (-1, 1), and from 1 on
B, C = X > 0, Y > 1
INTS, MORE = np.array([[7, -7, 12], [5, 0, 3]], I32), np.array([[2, 2, -5], [3, 4, 3]], I32)
ODD = f64(1.0, np.nan, np.inf, -np.inf)

#: One tensor, element by element.
UNARY = {
    "Abs": (np.abs, X), "Acosh": (np.arccosh, ABOVE), "ACos": (np.arccos, UNIT),
    "Asin": (np.arcsin, UNIT), "Asinh": (np.arcsinh, X), "Atan": (np.arctan, X),
    "Atanh": (np.arctanh, UNIT), "Ceil": (np.ceil, X), "Cos": (np.cos, X), "Cosh": (np.cosh, X),
    "Digamma": (sp.digamma, ABOVE), "Erf": (sp.erf, X), "Erfc": (sp.erfc, X),
    "Erfinv": (sp.erfinv, UNIT), "Exp": (np.exp, X), "Expm1": (np.expm1, X),
    "FastGeLU": (lambda x: x / (1 + np.exp(-1.702 * np.abs(x))) * np.exp(
        0.851 * (x - np.abs(x))), X),
    "Floor": (np.floor, X), "GeLU": (lambda x: x / 2 * (1 + np.tanh(
        np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))), X),
    "HSigmoid": (lambda x: np.clip((x + 3) / 6, 0, 1), X),
    "HSwish": (lambda x: x * np.clip((x + 3) / 6, 0, 1), X), "Identity": (lambda x: x, X),
    "Inv": (np.reciprocal, X), "Lgamma": (sp.gammaln, ABOVE), "Log": (np.log, ABOVE),
    "Log1p": (np.log1p, ABOVE), "Mish": (lambda x: x * np.tanh(np.log1p(np.exp(x))), X),
    "Neg": (np.negative, X), "Reciprocal": (np.reciprocal, X),
    "ReLU": (lambda x: np.maximum(x, 0), X), "ReLU6": (lambda x: np.clip(x, 0, 6), X * 5),
    "Rint": (np.rint, UNIT), "Round": (np.rint, UNIT), "Rsqrt": (lambda x: 1 / np.sqrt(x), ABOVE),
    "SeLU": (lambda x: 1.0507009873554805 * np.where(
        x > 0, x, 1.6732632423543772 * np.expm1(x)), X),
    "Sigmoid": (sp.expit, X), "Sign": (np.sign, X), "SiLU": (lambda x: x * sp.expit(x), X),
    "Sin": (np.sin, X), "Sinc": (np.sinc, X), "Sinh": (np.sinh, X),
    "Softplus": (lambda x: np.log1p(np.exp(x)), X), "Softsign": (lambda x: x / (1 + np.abs(x)), X),
    "Sqrt": (np.sqrt, ABOVE), "Square": (np.square, X), "Tan": (np.tan, UNIT),
    "Tanh": (np.tanh, X), "Trunc": (np.trunc, X),
}  # fmt: skip
#: Two tensors, element by element; of floats.
BINARY = {
    "Add": np.add, "Atan2": np.arctan2, "Div": np.divide, "FloorDiv": np.floor_divide,
    "FloorMod": np.mod, "Hypot": np.hypot, "Maximum": np.maximum, "Minimum": np.minimum,
    "Mod": np.fmod, "Mul": np.multiply, "RealDiv": np.divide, "Sub": np.subtract,
}  # fmt: skip
#: Comparisons and the like, which have no gradient.
PLAIN = {
    "BitwiseAnd": (np.bitwise_and, INTS, MORE), "BitwiseOr": (np.bitwise_or, INTS, MORE),
    "BitwiseXor": (np.bitwise_xor, INTS, MORE), "Equal": (np.equal, INTS, MORE),
    "Greater": (np.greater, X, Y), "GreaterEqual": (np.greater_equal, INTS, MORE),
    "Invert": (np.invert, INTS), "IsFinite": (np.isfinite, ODD), "IsInf": (np.isinf, ODD),
    "IsNan": (np.isnan, ODD), "Less": (np.less, X, Y), "LessEqual": (np.less_equal, INTS, MORE),
    "LogicalAnd": (np.logical_and, B, C), "LogicalNot": (np.logical_not, B),
    "LogicalOr": (np.logical_or, B, C), "LogicalXor": (np.logical_xor, B, C),
    "NotEqual": (np.not_equal, INTS, MORE),
    "ApproximateEqual": (lambda x, y: np.abs(x - y) < 1e-5, ODD[:1], ODD[:1] + 2e-6),
    "IsClose": (np.isclose, ODD, ODD + 1e-7),
    "Eye": (lambda n, m, dtype: np.eye(n, m), 2, 3, ms.float64),
    "Fill": (lambda dtype, shape, x: np.full(shape, x), ms.float64, (2, 3), 1.5),
    "FillV2": (lambda shape, x: np.full(shape, x), (2, 3), f64(1.5)[0]),
    "Ones": (lambda shape, dtype: np.ones(shape, I32), (2, 3), ms.int32),
    "OnesLike": (np.ones_like, X), "ZerosLike": (np.zeros_like, X),
    "Zeros": (lambda shape, dtype: np.zeros(shape), (2, 3), ms.float64),
    "ScalarToTensor": (lambda x, dtype: np.array(float(x)), 3, ms.float64),
    "TupleToArray": (np.array, (1, 2, 3)), "LinSpace": (np.linspace, f64(1.0)[0], f64(2.0)[0], 5),
}  # fmt: skip


def gathered_segments(x: np.ndarray, ids: np.ndarray, count: int) -> np.ndarray:
    out = np.zeros((count, *x.shape[1:]))
    np.add.at(out, ids, x)
    return out


def scattered(x: np.ndarray, indices: np.ndarray, updates: np.ndarray, function: Any) -> np.ndarray:
    out = x.copy()
    function.at(out, tuple(np.moveaxis(indices, -1, 0)), updates)
    return out


def put(x: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> np.ndarray:
    out = x.copy()
    out[tuple(np.moveaxis(indices, -1, 0))] = updates
    return out


def softmax(x: np.ndarray, axis: int = -1) -> np.ndarray:
    return sp.softmax(x, axis)


def scanned(x: np.ndarray, run: Any, first: float, exclusive: bool, reverse: bool) -> np.ndarray:
    """`run` along axis 1."""
    found = run(x[:, ::-1] if reverse else x, 1)
    if exclusive:
        found = np.concatenate([np.full_like(found[:, :1], first), found[:, :-1]], 1)
    return found[:, ::-1] if reverse else found


def conv(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Without padding; one axis of channels, then any number of spatial ones."""
    rank = w.ndim - 2
    axes = tuple(range(2, 2 + rank))
    seen = np.lib.stride_tricks.sliding_window_view(x, w.shape[2:], axis=axes)
    over = [1, *range(2 + rank, 2 + 2 * rank)]
    return np.moveaxis(np.tensordot(seen, w, (over, [1, *axes])), -1, 1)


def conv_transposed(dout: np.ndarray, w: np.ndarray, stride: int = 1) -> np.ndarray:
    """Spread by each element of an image of 2 axes; no padding."""
    n, _, rows, columns = dout.shape
    high, wide = w.shape[2:]
    out = np.zeros((n, w.shape[1], (rows - 1) * stride + high, (columns - 1) * stride + wide))
    for i in range(rows):
        for j in range(columns):
            part = np.tensordot(dout[:, :, i, j], w, (1, 0))
            a, b = i * stride, j * stride
            out[:, :, a : a + high, b : b + wide] += part
    return out


def windows(x: np.ndarray, sizes: tuple[int, ...], step: int) -> np.ndarray:
    """Windows of the last axes of `x`, flattened."""
    axes = tuple(range(2, x.ndim))
    seen = np.lib.stride_tricks.sliding_window_view(x, sizes, axis=axes)
    cut = (slice(None), slice(None), *[slice(None, None, step)] * len(axes))
    return seen[cut].reshape(*seen[cut].shape[: x.ndim], -1)


def resized(x: np.ndarray, size: tuple[int, int], mode: str, form: str) -> np.ndarray:
    """The last two axes on another grid, one element after the other."""
    places = [grid(n, m, form) for n, m in zip(x.shape[2:], size, strict=True)]
    out = np.empty((*x.shape[:2], *size), x.dtype)
    for i, row in enumerate(places[0]):
        for j, column in enumerate(places[1]):
            out[:, :, i, j] = picked(x, row, column, mode, form)
    return out


def grid(n: int, m: int, form: str) -> np.ndarray:
    at = np.arange(m)
    if form == "corners":
        return at * (n - 1) / (m - 1)
    return at * n / m if form == "plain" else (at + 0.5) * n / m


def picked(x: np.ndarray, row: float, column: float, mode: str, form: str) -> np.ndarray:
    if mode == "nearest":
        half = 0.5 if form == "corners" else 0.0
        return x[:, :, min(int(row + half), x.shape[2] - 1), min(int(column + half),
            x.shape[3] - 1)]  # fmt: skip
    shift = 0.5 if form == "centres" else 0.0
    out = 0.0
    for i, a in nodes(row - shift, x.shape[2]):
        for j, b in nodes(column - shift, x.shape[3]):
            out = out + a * b * x[:, :, i, j]
    return np.asarray(out)


def nodes(at: float, n: int) -> list[tuple[int, float]]:
    at = max(at, 0.0)
    low = int(at)
    return [(min(low, n - 1), 1 - (at - low)), (min(low + 1, n - 1), at - low)]


def layer_norm(x: np.ndarray, gamma: Any, beta: Any, eps: float) -> tuple[Any, ...]:
    mean = x.mean(-1, keepdims=True)
    rstd = 1 / np.sqrt(x.var(-1, keepdims=True) + eps)
    return (x - mean) * rstd * gamma + beta, mean, rstd


def cross_entropy(x: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return -np.log(softmax(x))[np.arange(len(labels)), labels].mean()


def lrn(x: np.ndarray) -> np.ndarray:
    """Of one neighbour at each side."""
    padded = np.pad(x**2, ((0, 0), (1, 1), (0, 0), (0, 0)))
    near = padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]
    return x / (2.0 + 0.5 * near) ** 0.75


ROW, IDS = np.array([1, 0], I32), np.array([[2], [0]], I32)
PLACES = np.array([[0, 1], [1, 2]], I32)
NEW = f64(0.5, -4.0)
LABELS = np.array([2, 0], I32)
SHARES = softmax(Y)
SQUARE = f64([2.0, 0.5], [-0.3, 1.5])
IMAGE = np.sin(np.arange(40.0)).reshape(1, 2, 4, 5)
VOLUME = np.cos(np.arange(48.0)).reshape(1, 2, 2, 3, 4)


def space_to_depth(x: np.ndarray, block: int) -> np.ndarray:
    """One slice for each place of a block, as TensorFlow's operation of the name puts them."""
    rows = range(block)
    return np.concatenate([x[:, :, i::block, j::block] for i in rows for j in rows], 1)


def depth_to_space(x: np.ndarray, block: int) -> np.ndarray:
    """What `space_to_depth` makes `x` of."""
    batch, channels, height, width = x.shape
    out = np.empty((batch, channels // block**2, height * block, width * block))
    for place, part in enumerate(np.split(x, block**2, 1)):
        i, j = divmod(place, block)
        out[:, :, i::block, j::block] = part
    return out


BLOCKS = np.sin(np.arange(72.0)).reshape(1, 9, 4, 2)
FILTERS = np.cos(np.arange(12.0)).reshape(3, 2, 1, 2)
W3 = np.sin(np.arange(8.0)).reshape(2, 2, 1, 1, 2)
WEIGHT = f64(1.0, 0.5, 2.0)

MADE = [
    Case(P.Addcdiv(), (X, Y, ABOVE, f64(0.5)), lambda x, a, b, v: x + v * a / b),
    Case(P.Addcmul(), (X, Y, ABOVE, f64(0.5)), lambda x, a, b, v: x + v * a * b),
    Case(P.Lerp(), (X, Y, ABOVE), lambda a, b, w: a + w * (b - a)),
    Case(P.Pow(), (ABOVE, Y), np.power),
    Case(P.Xlogy(), (X, ABOVE), sp.xlogy),
    Case(P.MulNoNan(), (X, Y * B), np.multiply),
    Case(P.MulNoNan(), (ODD, f64(-2.0, 0.0, -0.0, 0.0)),
        lambda x, y: np.array([-2.0, 0.0, 0.0, 0.0]), False),
    Case(P.MulNoNan(), (INTS, MORE), np.multiply, False),
    Case(P.LpNorm([0, 1]), (X,), np.linalg.norm),
    Case(P.LpNorm(1, 3, True), (X,), lambda x: np.linalg.norm(x, 3, 1, keepdims=True)),
    Case(P.LpNorm(axis=-1, p=1), (X,), lambda x: np.linalg.norm(x, 1, -1)),
    Case(P.LpNorm(0, p=0), (np.maximum(X, 0),), lambda x: np.linalg.norm(x, 0, 0), False),
    Case(P.LpNorm((0,), epsilon=1.5), (X,), lambda x: np.maximum(np.linalg.norm(x, axis=0), 1.5)),
    Case(P.SquareSumAll(), (X, Y), lambda x, y: (np.sum(x**2), np.sum(y**2))),
    Case(P.SquareSumAll(), (X[:0], Y[:0]), lambda x, y: (np.array(0.0), np.array(0.0)), False),
    Case(P.DepthToSpace(3), (BLOCKS,), lambda x: depth_to_space(x, 3)),
    Case(P.SpaceToDepth(2), (BLOCKS,), lambda x: space_to_depth(x, 2)),
    Case(P.PReLU(), (X, f64(0.1, 0.2, 0.3)), lambda x, w: np.where(x > 0, x, x * w)),
    Case(P.ApproximateEqual(tolerance=2.0), (X, Y), lambda x, y: np.abs(x - y) < 2.0, False),
    Case(P.IsClose(0.5, 0.1, True), (X, Y), lambda x, y: np.isclose(x, y, 0.5, 0.1), False),
    Case(P.ReduceSum(), (X,), np.sum),
    Case(P.ReduceSum(keep_dims=True), (X, 1), lambda x, _: x.sum(1, keepdims=True)),
    Case(P.ReduceSum(skip_mode=True), (X,), lambda x: x),
    Case(P.ReduceSum(), (INTS, (0, 1)), lambda x, _: x.sum(dtype=I32), False),
    Case(P.ReduceProd(), (X,), np.prod),
    Case(P.ReduceProd(True), (X, 0), lambda x, _: x.prod(0, keepdims=True)),
    Case(P.ReduceMean(), (X, -1), lambda x, _: x.mean(-1)),
    Case(P.ReduceMean(keep_dims=True), (X, (0, 1)), lambda x, _: x.mean(keepdims=True)),
    Case(P.ReduceMax(), (X,), np.max), Case(P.ReduceMin(), (X,), np.min),
    Case(P.ReduceMax(True), (X, 1), lambda x, _: x.max(1, keepdims=True)),
    Case(P.ReduceMin(True), (X, 1), lambda x, _: x.min(1, keepdims=True)),
    Case(P.ReduceAll(), (B,), np.all, False), Case(P.ReduceAny(), (B,), np.any, False),
    Case(P.ReduceAll(True), (B, 0), lambda x, _: x.all(0, keepdims=True), False),
    Case(P.ReduceAny(True), (B, 1), lambda x, _: x.any(1, keepdims=True), False),
    Case(P.Argmax(), (X,), lambda x: x.argmax(-1).astype(I32), False),
    Case(P.Argmax(0, ms.int64), (X,), lambda x: x.argmax(0), False),
    Case(P.Argmin(), (X,), lambda x: x.argmin(-1).astype(I32), False),
    Case(P.Argmin(axis=0, output_type=ms.int64), (X,), lambda x: x.argmin(0), False),
    Case(P.ArgMaxWithValue(), (X,), lambda x: (x.argmax(0), x.max(0)), False),
    Case(P.ArgMaxWithValue(1, True), (X,),
        lambda x: (x.argmax(1, keepdims=True), x.max(1, keepdims=True)), False),
    Case(P.ArgMinWithValue(), (X,), lambda x: (x.argmin(0), x.min(0)), False),
    Case(P.ArgMinWithValue(1, True), (X,),
        lambda x: (x.argmin(1, keepdims=True), x.min(1, keepdims=True)), False),
    Case(P.MatMul(), (X, Y.T), np.matmul),
    Case(P.MatMul(transpose_b=True), (X, Y), lambda x, y: x @ y.T),
    Case(P.MatMul(True, False), (X, Y), lambda x, y: x.T @ y),
    Case(P.BatchMatMul(), (X[None], Y.T[None]), np.matmul),
    Case(P.BatchMatMul(True), (X[None], Y[None]), lambda x, y: x.swapaxes(1, 2) @ y),
    Case(P.BatchMatMul(transpose_b=True), (X[None], Y[None]), lambda x, y: x @ y.swapaxes(1, 2)),
    Case(P.Einsum("ij,kj->ik"), ((X, Y),), lambda xs: xs[0] @ xs[1].T, False),
    Case(P.Cross(), (X.T, Y.T), lambda x, y: np.cross(x, y, axis=0)),
    Case(P.Cross(dim=1), (X, Y), lambda x, y: np.cross(x, y, axis=1)),
    Case(P.Ger(), (X[0], Y[1]), np.outer), Case(P.Trace(), (X,), np.trace),
    Case(P.Cast(), (X, ms.int32), lambda x, _: x.astype(I32), False),
    Case(P.ExpandDims(), (X, 1), np.expand_dims),
    Case(P.Flatten(), (X[None],), lambda x: x.reshape(1, 6)),
    Case(P.Reshape(), (X, (3, -1)), lambda x, _: x.reshape(3, 2)),
    Case(P.Squeeze(), (X[None, :, None],), np.squeeze),
    Case(P.Squeeze(0), (X[None, :, None],), lambda x: x[0]),
    Case(P.BroadcastTo((2, 2, -1)), (X,), lambda x: np.broadcast_to(x, (2, 2, 3))),
    Case(P.DynamicShape(), (X,), lambda x: np.array([2, 3]), False),
    Case(P.TensorShape(), (X,), lambda x: np.array([2, 3]), False),
    Case(P.Transpose(), (X, (1, 0)), lambda x, _: x.T),
    Case(P.ReverseV2([0, 1]), (X,), np.flip), Case(P.ReverseV2(1), (X,), np.fliplr),
    Case(P.Roll(1, 0), (X,), lambda x: np.roll(x, 1, 0)),
    Case(P.Roll(shift=(1, -1), axis=(0, 1)), (X,), lambda x: np.roll(x, (1, -1), (0, 1))),
    Case(P.Concat(), ((X, Y),), np.concatenate, False),
    Case(P.Concat(axis=1), ([X, Y],), lambda xs: np.concatenate(xs, 1), False),
    Case(P.Stack(), ((X, Y),), np.stack, False),
    Case(P.Stack(-1), ((X, Y),), lambda xs: np.stack(xs, -1), False),
    Case(P.Split(), (X,), lambda x: (x,)),
    Case(P.Split(1, 3), (X,), lambda x: tuple(np.split(x, 3, 1))),
    Case(P.Split(output_num=2), (X[:0],), lambda x: (x, x), False),
    Case(P.Unstack(), (X,), lambda x: tuple(x)),
    Case(P.Unstack(axis=1, num=3), (X,), lambda x: tuple(x.T)),
    Case(P.Gather(), (X, ROW, 1), lambda x, i, _: x[:, i]),
    Case(P.Gather(batch_dims=1), (X, IDS, 1), lambda x, i, _: np.take_along_axis(x, i, 1)),
    Case(P.GatherD(), (X, 1, IDS), lambda x, _, i: np.take_along_axis(x, i, 1)),
    Case(P.GatherNd(), (X, PLACES), lambda x, i: x[i[:, 0], i[:, 1]]),
    Case(P.IndexFill(), (X, 1, ROW, 9.0),
        lambda x, *_: np.concatenate([np.full((2, 2), 9.0), x[:, 2:]], 1)),
    Case(P.IndexAdd(axis=0), (X, ROW, Y), lambda x, i, y: x + y[::-1]),
    Case(P.IndexAdd(1, False, False), (X, ROW, Y[:, :2]),
        lambda x, i, y: np.concatenate([x[:, :2] + y[:, ::-1], x[:, 2:]], 1)),
    Case(P.ScatterNd(), (PLACES, NEW, (2, 3)), lambda i, u, _: put(np.zeros((2, 3)), i, u)),
    Case(P.TensorScatterUpdate(), (X, PLACES, NEW), put),
    *[
        Case(made, (X, PLACES, NEW), lambda x, i, u, by=by: scattered(x, i, u, by))
        for made, by in (
            (P.TensorScatterAdd(), np.add), (P.TensorScatterSub(), np.subtract),
            (P.TensorScatterMul(), np.multiply), (P.TensorScatterDiv(), np.divide),
            (P.TensorScatterMax(), np.maximum), (P.TensorScatterMin(), np.minimum),
        )
    ],
    Case(P.TensorScatterElements(), (X, np.array([[1, 0, 1]], I32), Y[:1]),
        lambda x, i, u: f64([x[0, 0], u[0, 1], x[0, 2]], [u[0, 0], x[1, 1], u[0, 2]])),
    Case(P.TensorScatterElements(1, "add"), (X, IDS, Y[:, :1]),
        lambda x, i, u: f64([*x[0, :2], x[0, 2] + u[0, 0]], [x[1, 0] + u[1, 0], *x[1, 1:]])),
    Case(P.UnsortedSegmentSum(), (X, ROW, 3), gathered_segments),
    Case(P.MaskedFill(), (X, B, 9.0), lambda x, m, v: np.where(m, v, x)),
    Case(P.Select(), (B, X, Y), np.where),
    Case(P.OneHot(), (ROW, 3, 2.0, 0.5), lambda i, *_: np.array(
        [[0.5, 2, 0.5], [2, 0.5, 0.5]], np.float32), False),
    Case(P.OneHot(axis=0), (ROW, 2, f64(2.0)[0], f64(0.5)[0]),
        lambda i, *_: f64([0.5, 2], [2, 0.5]), False),
    Case(P.Range(), (2, 9, 3), lambda *_: np.array([2, 5, 8]), False),
    Case(P.Range(maxlen=3), (2, 9, 3), lambda *_: np.array([2, 5, 8]), False),
    Case(P.TopK(), (X, 2),
        lambda x, _: (-np.sort(-x)[:, :2], np.argsort(-x)[:, :2].astype(I32)), False),
    Case(P.TopK(sorted=False), (X, 1),
        lambda x, _: (x.max(1, keepdims=True), x.argmax(1)[:, None].astype(I32)), False),
    Case(P.Sort(), (X,), lambda x: (np.sort(x), np.argsort(x).astype(I32)), False),
    Case(P.Sort(0, True), (X,), lambda x: (-np.sort(-x, 0), np.argsort(-x, 0).astype(I32)), False),
    Case(P.SearchSorted(), (np.sort(X[0]), Y),
        lambda x, v: np.searchsorted(x, v).reshape(v.shape), False),
    Case(P.SearchSorted(ms.int32, True), (np.sort(X[0]), X),
        lambda x, v: np.searchsorted(x, v, "right").reshape(v.shape).astype(I32), False),
    *[
        Case(made(exclusive, reverse), (X, 1), lambda x, _, run=run, first=first, e=exclusive,
            r=reverse: scanned(x, run, first, e, r))
        for made, run, first in ((P.CumSum, np.cumsum, 0), (P.CumProd, np.cumprod, 1))
        for exclusive in (False, True) for reverse in (False, True)
    ],
    Case(P.CumSum(), (INTS, 0), lambda x, _: np.cumsum(x, 0, I32), False),
    Case(P.CumSum(exclusive=True), (X[:, :0], 1), lambda x, _: x, False),
    Case(P.Cummax(axis=1), (X,),
        lambda x: (np.maximum.accumulate(x, 1), np.array([[0, 0, 2], [0, 0, 0]])), False),
    Case(P.Cummin(0), (X,),
        lambda x: (np.minimum.accumulate(x, 0), np.array([[0, 0, 0], [0, 0, 1]])), False),
    Case(P.Softmax(), (X,), softmax), Case(P.Softmax((0,)), (X,), lambda x: softmax(x, 0)),
    Case(P.LogSoftmax(), (X,), lambda x: sp.log_softmax(x, 1)),
    Case(P.LogSoftmax(axis=0), (X,), lambda x: sp.log_softmax(x, 0)),
    Case(P.Elu(), (X,), lambda x: np.where(x > 0, x, np.expm1(x))),
    Case(P.CeLU(), (X,), lambda x: np.where(x > 0, x, np.expm1(x))),
    Case(P.CeLU(2.0), (X,), lambda x: np.where(x > 0, x, 2 * np.expm1(x / 2))),
    Case(P.HShrink(), (X,), lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    Case(P.HShrink(1.0), (X,), lambda x: np.where(np.abs(x) > 1.0, x, 0)),
    Case(P.SoftShrink(), (X,), lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    Case(P.SoftShrink(lambd=1.0), (X,), lambda x: np.sign(x) * np.maximum(np.abs(x) - 1, 0)),
    Case(P.Diag(), (X[0],), np.diag), Case(P.DiagPart(), (X[:, :2],), np.diag),
    Case(P.Tile(), (X, (2, 1)), np.tile),
    Case(P.Tril(), (X,), np.tril), Case(P.Tril(diagonal=1), (X,), lambda x: np.tril(x, 1)),
    Case(P.Triu(), (X,), np.triu), Case(P.Triu(-1), (X,), lambda x: np.triu(x, -1)),
    Case(P.Meshgrid(), ((X[0], Y[1]),), lambda xs: tuple(np.meshgrid(*xs)), False),
    Case(P.Meshgrid("ij"), ((X[0], Y[1]),),
        lambda xs: tuple(np.meshgrid(*xs, indexing="ij")), False),
    Case(P.Conv2D(3, (1, 2)), (IMAGE, FILTERS), conv),
    Case(P.Conv2D(out_channel=3, kernel_size=(1, 2), pad_mode="pad", pad=(1, 0, 0, 2), stride=2),
        (IMAGE, FILTERS), lambda x, w: conv(
            np.pad(x, ((0, 0), (0, 0), (1, 0), (0, 2))), w)[:, :, ::2, ::2]),
    Case(P.Conv2D(2, 1, group=2), (IMAGE, FILTERS[:2, :1, :, :1]),
        lambda x, w: x * w[None, :, 0]),
    Case(P.Conv3D(2, (1, 1, 2)), (VOLUME, W3), conv),
    Case(P.Conv3D(2, (1, 1, 2), pad_mode="same"), (VOLUME, W3),
        lambda x, w: conv(np.pad(x, (*[(0, 0)] * 4, (0, 1))), w)),
    Case(P.Conv2DTranspose(2, (1, 2)), (IMAGE, FILTERS[:2], (1, 2, 4, 6)),
        lambda x, w, _: conv_transposed(x, w)),
    Case(P.Conv2DTranspose(2, (1, 2), stride=2), (IMAGE, FILTERS[:2], (1, 2, 8, 10)),
        lambda x, w, _: np.pad(conv_transposed(x, w, 2), ((0, 0), (0, 0), (0, 1), (0, 0)))),
    Case(P.Conv2DTranspose(2, (1, 2), "same"), (IMAGE, FILTERS[:2], (1, 2, 4, 5)),
        lambda x, w, _: conv_transposed(x, w)[:, :, :, :5]),
    Case(P.Conv2DBackpropInput(2, (1, 2), "pad", (0, 0, 1, 0)),
        (IMAGE, FILTERS[:2], (1, 2, 4, 5)), lambda x, w, _: conv_transposed(x, w)[:, :, :, 1:]),
    Case(P.BiasAdd(), (IMAGE, NEW), lambda x, b: x + b[:, None, None]),
    Case(P.BiasAdd("NCDHW"), (VOLUME, NEW), lambda x, b: x + b[:, None, None, None]),
    Case(P.MaxPool(), (IMAGE,), lambda x: x),
    Case(P.MaxPool((2, 2), 2), (IMAGE,), lambda x: windows(x, (2, 2), 2).max(-1)),
    Case(P.MaxPool(kernel_size=2, strides=2, pad_mode="SAME"), (IMAGE,), lambda x: windows(np.pad(
        x, ((0, 0), (0, 0), (0, 0), (0, 1)), constant_values=-np.inf), (2, 2), 2).max(-1)),
    Case(P.AvgPool(), (IMAGE,), lambda x: x),
    Case(P.AvgPool(2, 1), (IMAGE,), lambda x: windows(x, (2, 2), 1).mean(-1)),
    Case(P.AvgPool((1, 2), 2, "same"), (IMAGE,), lambda x: np.nanmean(windows(np.pad(
        x, ((0, 0), (0, 0), (0, 0), (0, 1)), constant_values=np.nan), (1, 2), 2), -1)),
    Case(P.MaxPoolWithArgmax((1, 5)), (IMAGE,), lambda x: (x.max(-1, keepdims=True),
        x.argmax(-1)[..., None] + 5 * np.arange(4)[:, None]), False),
    Case(P.MaxPool3D(2), (VOLUME,), lambda x: windows(x, (2, 2, 2), 1).max(-1)),
    Case(P.MaxPool3D(2, 1, "pad", 1), (VOLUME,), lambda x: windows(np.pad(x, (
        (0, 0), (0, 0), (1, 1), (1, 1), (1, 1)), constant_values=-np.inf), (2, 2, 2), 1).max(-1)),
    Case(P.AvgPool3D(2), (VOLUME,), lambda x: windows(x, (2, 2, 2), 1).mean(-1)),
    Case(P.AvgPool3D(2, divisor_override=4), (VOLUME,),
        lambda x: windows(x, (2, 2, 2), 1).sum(-1) / 4),
    Case(P.AdaptiveAvgPool2D((2, 1)), (IMAGE,),
        lambda x: x.reshape(1, 2, 2, 10).mean(-1)[..., None]),
    Case(P.AdaptiveAvgPool3D(1), (VOLUME,), lambda x: x.mean((2, 3, 4), keepdims=True)),
    Case(P.AdaptiveMaxPool2D(1), (IMAGE,), lambda x: (x.max((2, 3), keepdims=True),
        x.reshape(1, 2, -1).argmax(-1)[..., None, None]), False),
    Case(P.BatchNorm(), (X, WEIGHT, Y[0], X[1], ABOVE[0]), lambda x, g, b, m, v: (
        (x - m) / np.sqrt(v + 1e-5) * g + b, m, v, m, v)),
    Case(P.LayerNorm(), (X, WEIGHT, Y[0]), lambda x, g, b: layer_norm(x, g, b, 1e-7)),
    Case(P.LayerNorm(-1, -1, 0.5), (X, WEIGHT, Y[0]), lambda x, g, b: layer_norm(x, g, b, 0.5)),
    Case(P.RmsNorm(), (X, WEIGHT), lambda x, g: (
        x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * g,
        1 / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6))),
    Case(P.RmsNorm(epsilon=0.5), (X, WEIGHT), lambda x, g: (
        x / np.sqrt((x**2).mean(-1, keepdims=True) + 0.5) * g,
        1 / np.sqrt((x**2).mean(-1, keepdims=True) + 0.5))),
    Case(P.LRN(1, 2.0, 0.5, 0.75), (VOLUME[:, :, 0],), lrn),
    Case(P.L2Normalize(), (X,), lambda x: x / np.sqrt((x**2).sum(0))),
    Case(P.L2Normalize(axis=[0, 1], epsilon=99.0), (X,), lambda x: x / np.sqrt(99.0)),
    Case(P.SoftmaxCrossEntropyWithLogits(), (X, SHARES), lambda x, y: (
        -(y * np.log(softmax(x))).sum(-1), softmax(x) - y)),
    Case(P.SparseSoftmaxCrossEntropyWithLogits(), (X, LABELS), cross_entropy),
    Case(P.SparseSoftmaxCrossEntropyWithLogits(True, 3.0), (X, LABELS),
        lambda x, i: (softmax(x) - np.eye(3)[i]) / 2 * 3.0),
    Case(P.SigmoidCrossEntropyWithLogits(), (X, SHARES),
        lambda x, y: -(y * np.log(sp.expit(x)) + (1 - y) * np.log(sp.expit(-x)))),
    Case(P.BinaryCrossEntropy(), (SHARES, softmax(X)),
        lambda x, y: -(y * np.log(x + 1e-12) + (1 - y) * np.log(1 - x + 1e-12)).mean()),
    Case(P.BinaryCrossEntropy("sum"), (SHARES, softmax(X), ABOVE), lambda x, y, w: -(
        w * (y * np.log(x + 1e-12) + (1 - y) * np.log(1 - x + 1e-12))).sum()),
    Case(P.BCEWithLogitsLoss("none"), (X, SHARES, ABOVE, WEIGHT), lambda x, y, w, pos: -w * (
        pos * y * np.log(sp.expit(x)) + (1 - y) * np.log(sp.expit(-x)))),
    Case(P.KLDivLoss(), (X, SHARES), lambda x, y: (y * (np.log(y) - x)).mean()),
    Case(P.KLDivLoss(reduction="batchmean"), (X, SHARES),
        lambda x, y: (y * (np.log(y) - x)).sum() / 2),
    Case(P.SmoothL1Loss(), (X, Y), lambda x, y: np.where(
        np.abs(x - y) < 1, (x - y) ** 2 / 2, np.abs(x - y) - 0.5)),
    Case(P.SmoothL1Loss(2.0, "mean"), (X, Y), lambda x, y: np.where(
        np.abs(x - y) < 2, (x - y) ** 2 / 4, np.abs(x - y) - 1).mean()),
    Case(P.L2Loss(), (X,), lambda x: (x**2).sum() / 2),
    Case(P.NLLLoss(), (X, LABELS, WEIGHT), lambda x, i, w: (
        -(w[i] * x[[0, 1], i]).sum() / w[i].sum(), w[i].sum())),
    Case(P.NLLLoss("sum", 0), (X, LABELS, WEIGHT), lambda x, i, w: (-w[2] * x[0, 2], w[2])),
    Case(P.SoftMarginLoss(), (X, np.sign(Y)), lambda x, y: np.log1p(np.exp(-x * y)).mean()),
    Case(P.SoftMarginLoss("none"), (X, np.sign(Y)), lambda x, y: np.log1p(np.exp(-x * y))),
    Case(P.MultiMarginLoss(), (X, LABELS), lambda x, i: np.mean([
        sum(max(0, 1 - row[k] + v) for j, v in enumerate(row) if j != k) / 3
        for row, k in zip(x, i, strict=True)])),
    Case(P.MultiMarginLoss(2, 3.0, "sum"), (X, LABELS), lambda x, i: np.sum([
        sum(max(0, 3.0 - row[k] + v) ** 2 for j, v in enumerate(row) if j != k) / 3
        for row, k in zip(x, i, strict=True)])),
    *[
        Case(P.ResizeNearestNeighbor((6, 3), *flags), (IMAGE,),
            lambda x, form=form: resized(x, (6, 3), "nearest", form))
        for form, flags in {"plain": (), "corners": (True,), "centres": (False, True)}.items()
    ],
    Case(P.ResizeNearestNeighbor(size=(1, 2)), (INTS[None, None],),
        lambda x: x[:, :, :1, :2], False),
    *[
        Case(P.ResizeBilinearV2(*flags), (IMAGE, (6, 3)),
            lambda x, _, form=form: resized(x, (6, 3), "bilinear", form))
        for form, flags in {"plain": (), "corners": (True,), "centres": (False, True)}.items()
    ],
    Case(P.Slice(), (X, (0, 1), (2, 2)), lambda x, *_: x[:, 1:]),
    Case(P.StridedSlice(), (X, (0, 2), (2, 0), (1, -1)), lambda x, *_: x[:, 2:0:-1]),
    Case(P.StridedSlice(begin_mask=1, end_mask=2, shrink_axis_mask=0), (X, (1, 1), (2, 1), (1, 1)),
        lambda x, *_: x[:, 1:]),
    Case(P.Pad(((1, 0), (0, 2))), (X,), lambda x: np.pad(x, ((1, 0), (0, 2)))),
    Case(P.MirrorPad(), (X, ((1, 0), (0, 2))), lambda x, _: np.pad(
        x, ((1, 0), (0, 2)), mode="reflect")),
    Case(P.MirrorPad("SYMMETRIC"), (X, ((2, 1), (1, 0))), lambda x, _: np.pad(
        x, ((2, 1), (1, 0)), mode="symmetric")),
    Case(P.PadV3(), (X, (1, 2), 5.0), lambda x, *_: np.pad(
        x, ((0, 0), (1, 2)), constant_values=5.0)),
    Case(P.PadV3("edge", False), (X, (2, 0, 0, 1)), lambda x, _: np.pad(
        x, ((0, 1), (2, 0)), mode="edge")),
    Case(P.SquaredDifference(), (X, Y), lambda x, y: (x - y) ** 2),
    Case(P.DivNoNan(), (X, Y), np.divide),
    Case(P.DivNoNan(), (X, Y * B), lambda x, y: np.where(y == 0, 0, x / np.where(
        y == 0, 1, y)), False),
    Case(P.EmbeddingLookup(), (X, np.array([[5, 4], [3, 9]]), 4),
        lambda x, *_: np.stack([x[::-1], x * 0])),
    Case(P.AddN(), ((X, Y, X),), lambda xs: sum(xs), False),
    Case(P.AccumulateNV2(), ([X, Y],), lambda xs: sum(xs), False),
    Case(P.Xdivy(), (X, Y), np.divide),
    Case(P.Heaviside(), (X, Y), np.heaviside, False),
    Case(P.Gcd(), (INTS, MORE), np.gcd, False), Case(P.Lcm(), (INTS, MORE), np.lcm, False),
    Case(P.TruncateDiv(), (INTS, MORE), lambda x, y: np.trunc(x / y).astype(I32), False),
    Case(P.TruncateMod(), (INTS, MORE), np.fmod, False),
    Case(P.NanToNum(), (ODD,), np.nan_to_num, False),
    Case(P.NanToNum(1.0, 2.0, 3.0), (ODD,), lambda x: np.nan_to_num(x, True, 1, 2, 3), False),
    Case(P.MatrixDeterminant(), (SQUARE,), np.linalg.det),
    Case(P.LogMatrixDeterminant(), (SQUARE,), lambda x: tuple(np.linalg.slogdet(x)), False),
    Case(P.MatrixInverse(), (SQUARE,), np.linalg.inv),
    Case(P.MatrixInverse(adjoint=True), (SQUARE,), lambda x: np.linalg.inv(x.T)),
    Case(P.MatrixSolve(), (SQUARE, X), np.linalg.solve),
    Case(P.MatrixSolve(True), (SQUARE, X), lambda a, b: np.linalg.solve(a.T, b)),
    Case(P.Cholesky(), (SQUARE @ SQUARE.T,), np.linalg.cholesky, False),
    Case(P.Cholesky(upper=True), (SQUARE @ SQUARE.T,), lambda x: np.linalg.cholesky(x).T, False),
    Case(P.CholeskyInverse(), (np.tril(SQUARE),), lambda x: np.linalg.inv(x @ x.T), False),
    Case(P.CholeskyInverse(True), (np.triu(SQUARE),), lambda x: np.linalg.inv(x.T @ x), False),
    Case(P.Svd(compute_uv=False), (X,), lambda x: np.linalg.svd(x, compute_uv=False)),
    Case(P.MatrixBandPart(), (X, 0, 1), lambda x, *_: np.triu(np.tril(x, 1))),
    *[
        Case(made, (X, ROW, 2), lambda x, *_: x[::-1])
        for made in (P.UnsortedSegmentMax(), P.UnsortedSegmentMin(), P.UnsortedSegmentProd())
    ],
    Case(P.UnsortedSegmentMax(), (X, ROW * 0, 1), lambda x, *_: x.max(0, keepdims=True)),
    Case(P.UnsortedSegmentMin(), (X, ROW * 0, 1), lambda x, *_: x.min(0, keepdims=True)),
    Case(P.UnsortedSegmentProd(), (X, ROW * 0, 1), lambda x, *_: x.prod(0, keepdims=True)),
    Case(P.ReverseSequence(1), (X, np.array([2, 3])), lambda x, _: np.stack(
        [x[0, [1, 0, 2]], x[1, ::-1]])),
    Case(P.ReverseSequence(seq_dim=0, batch_dim=1), (X, np.array([1, 2, 1])),
        lambda x, _: np.stack([[x[0, 0], x[1, 1], x[0, 2]], [x[1, 0], x[0, 1], x[1, 2]]])),
    Case(P.SpaceToBatchND([2, 1], [[0, 0], [1, 0]]), (IMAGE,), lambda x: np.concatenate(
        [np.pad(x, ((0, 0), (0, 0), (0, 0), (1, 0)))[:, :, i::2] for i in (0, 1)])),
    Case(P.BatchToSpaceND([2, 1], [[0, 0], [0, 1]]), (np.concatenate([IMAGE, -IMAGE]),),
        lambda x: np.stack([x[:1], x[1:]], 3).reshape(1, 2, 8, 5)[..., :4]),
    Case(P.GridSampler2D(align_corners=True), (IMAGE, f64(*np.linspace(-1, 1, 5)).repeat(2).reshape(
        1, 1, 5, 2) * f64(1.0, 0.0) - f64(0.0, 1.0)), lambda x, _: x[:, :, :1], False),
    Case(P.GridSampler2D("nearest", "border"), (IMAGE, f64(9.0, 9.0).reshape(1, 1, 1, 2)),
        lambda x, _: x[:, :, -1:, -1:], False),
    Case(P.Cdist(), (X, Y), lambda x, y: np.sqrt(((x[:, None] - y) ** 2).sum(-1))),
    Case(P.Cdist(p=1.0), (X, Y), lambda x, y: np.abs(x[:, None] - y).sum(-1)),
    Case(P.InTopK(1), (X, ROW * 0), lambda x, i: np.array([False, True]), False),
    Case(P.Depend(), (X, Y), lambda x, y: x, False),
    Case(P.StopGradient(), (X,), lambda x: x, False),
    Case(P.FloatStatus(), (X,), lambda x: np.zeros(1, np.float32), False),
    Case(P.FloatStatus(), (ODD,), lambda x: np.ones(1, np.float32), False),
]  # fmt: skip

#: Those whose shapes the data decide, which compiled code refuses.
VARYING = [
    Case(P.MaskedSelect(), (X, B), lambda x, m: x[m]),
    Case(P.NonZero(), (np.maximum(INTS, 0),), np.argwhere),
    Case(P.Unique(), (np.array([[7, -7], [12, 7]]),),
        lambda x: (np.array([7, -7, 12]), np.array([[0, 1], [2, 0]]))),
    Case(P.UniqueConsecutive(), (np.array([1, 1, 2, 1]),), lambda x: np.array([1, 2, 1])),
    Case(P.UniqueConsecutive(True, True), (np.array([1, 1, 2]),),
        lambda x: (np.array([1, 2]), np.array([0, 0, 1]), np.array([2, 1]))),
]  # fmt: skip
CASES = [
    *[Case(getattr(P, name)(), (x,), by) for name, (by, x) in UNARY.items()],
    *[Case(getattr(P, name)(), (X, Y), by) for name, by in BINARY.items()],
    *[Case(getattr(P, name)(), tuple(args), by, False) for name, (by, *args) in PLAIN.items()],
    *MADE,
]
