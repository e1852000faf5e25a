"""How are the primitives called that chance would not call rightly?

A table each for attributes that depend on one another, for whole calls, and for effects. Indices
are constants in range, for every random function must run.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.types import TensorType, f32, f64, i64

Shape = tuple[int, ...]
Attributes = dict[str, Any]
Call = Callable[[Random], tuple[list[Any], Attributes]]

#: They always fail, or need somebody outside: a feeder, another process.
NEVER = {
    "raise_", "queue_read", "queue_next", "queue_report", "queue_keep", "send", "receive",
}  # fmt: skip


def any_axis(random: Random, first: TensorType) -> int:
    return random.randint(-first.ndim, max(first.ndim - 1, 0))


def any_axes(random: Random, first: TensorType) -> Any:
    """One axis or several, as reductions take them; now and then all of them."""
    if random.random() < 0.3:
        return random.choice((None, any_axis(random, first)))
    return tuple(random.sample(range(first.ndim), random.randint(0, first.ndim)))


def _split(random: Random, x: TensorType) -> Attributes:
    axis = random.randrange(max(x.ndim, 1))
    size = x.shape[axis] if x.ndim else 0
    cut = random.randint(0, size)
    return {"axis": axis, "sizes": random.choice(((size,), (cut, size - cut)))}


def _roll(random: Random, x: TensorType) -> Attributes:
    axes = any_axes(random, x)
    many = tuple(range(x.ndim)) if axes is None else axes
    shift = tuple(random.randint(-2, 4) for _ in many) if isinstance(many, tuple) else 1
    return {"axis": many, "shift": shift}


def _equation(random: Random, x: TensorType) -> Attributes:
    """For one or two operands, each with the axes of the first."""
    letters = "abcdef"[: x.ndim]
    left = random.choice((letters, f"{letters},{letters}"))
    return {"equation": f"{left}->{''.join(random.sample(letters, random.randint(0, x.ndim)))}"}


#: Attributes that depend on one another, by primitive, given the type of the first operand.
BY_PRIM: dict[str, Callable[[Random, TensorType], Attributes]] = {
    "einsum": _equation,
    "repeat": lambda random, x: {"repeats": random.randint(0, 3), "axis": any_axis(random, x)},
    "roll": _roll,
    "split": _split,
}


def _floats(*others: Any, **attrs: Any) -> Call:
    """Tensors of one float dtype, by shape, and constants."""

    def make(random: Random) -> tuple[list[Any], Attributes]:
        dtype = random.choice((dtypes.float32, dtypes.float64, dtypes.float16, dtypes.bfloat16))
        values = [TensorType(dtype, x) if isinstance(x, tuple) else x for x in others]
        return values, dict(attrs)

    return make


_IMAGE, _FILTER, _SMALL = (1, 2, 4, 5), (2, 2, 3, 2), (1, 2, 2, 4)
_X, _ROW, _COLUMN_MEAN = (2, 3), (3,), (2, 1)
_ROWS, _COLUMN, _PLACES = np.array([1, -1]), np.array([[0], [3]]), np.array([[0, 1], [3, 2]])
_START = np.array(0)
_POSITIVE = np.array([[2.0, 0.5], [0.5, 1.0]])  # a matrix that has each of its factors


def _indexed(*others: Any, **attrs: Any) -> Call:
    """A tensor of shape (4, 3), then tensors of other shapes and indices, all in range."""

    def make(random: Random) -> tuple[list[Any], Attributes]:
        dtype = random.choice(dtypes.ALL[:-1])
        values = [TensorType(dtype, x) if isinstance(x, tuple) else x for x in ((4, 3), *others)]
        return values, dict(attrs)

    return make


#: Whole calls that chance would not find: operand types, or arrays for constants; attributes.
CALLS: dict[str, Call] = {
    "adam_update": _floats(*[_X] * 4, *[()] * 3),
    "adam_weight_decay_update": _floats(*[_X] * 4, ()),
    "adagrad_update": _floats(*[_X] * 3, ()),
    "adamw_update": _floats(*[_X] * 4, *[()] * 3),
    "amsgrad_update": _floats(*[_X] * 5, *[()] * 3),
    "avg_pool": _floats(_IMAGE, kernel=(2, 2)),
    "avg_pool_grad": _floats(_SMALL, kernel=(3, 2), input_shape=(4, 5)),
    "batch_norm": _floats(_X, _ROW, _ROW, eps=1e-3),
    "batch_norm_grad": _floats(_X, _ROW, _ROW, _ROW, _X),
    "batch_norm_inference": _floats(_X, _ROW, _ROW, _ROW, _ROW, eps=1e-3),
    "bernoulli": lambda random: ([i64[3], f64[2]], {}),
    "cholesky": lambda random: ([_POSITIVE], {}),
    "conv": _floats(_IMAGE, _FILTER),
    "conv_filter_grad": _floats(_IMAGE, _SMALL, kernel_shape=(3, 2)),
    "conv_input_grad": _floats(_SMALL, _FILTER, input_shape=(4, 5)),
    "conv_transpose": _floats(_SMALL, _FILTER),
    "cross_entropy": _floats(_X, _X),
    "cross_entropy_grad": _floats(_X, _X, (2,)),
    "dropout": lambda random: ([f32[2, 3], i64[3]], {"rate": 0.5}),
    "dynamic_slice": _indexed(_START, _START, sizes=(2, 3)),
    "embedding": _floats((4, 3), _ROWS),
    "embedding_grad": _floats(_X, _ROWS, size=4),
    "gather": _indexed(_ROWS),
    "gather_elements": _indexed(_COLUMN, axis=0),
    "gather_nd": _indexed(_PLACES),
    "index_add": _indexed(_ROWS, (2, 3)),
    "index_update": _indexed(_ROWS, (2, 3)),
    "is_last_element": _indexed(_COLUMN, axis=0),
    "is_last_index": lambda random: ([_ROWS], {"size": 3}),
    "is_last_nd": lambda random: ([_PLACES], {"shape": (4, 3)}),
    "lamb_update": _floats(*[_X] * 4, *[()] * 3),
    "layer_norm": _floats(_X, _ROW, _ROW, axes=(1,), eps=1e-3),
    "layer_norm_grad": _floats(_X, _ROW, _COLUMN_MEAN, _COLUMN_MEAN, _X, axes=(1,)),
    "linear_recurrence": _floats((3, 2), (3, 2), axis=0),
    "matmul": _floats((2, 3), (3, 4)),
    "max_pool": _floats(_IMAGE, kernel=(2, 2)),
    "max_pool_argmax": _floats(_IMAGE, kernel=(2, 2)),
    "max_pool_grad": _floats(_IMAGE, (1, 2, 3, 4), kernel=(2, 2)),
    "moments_grad": _floats(_X, _COLUMN_MEAN, _COLUMN_MEAN, _COLUMN_MEAN, axes=(1,)),
    "momentum_update": _floats(*[_X] * 3, (), ()),
    "pinv": lambda random: ([_POSITIVE], {}),
    "rmsprop_update": _floats(*[_X] * 4, ()),
    "centered_rmsprop_update": _floats(*[_X] * 5, ()),
    "random_bits": lambda random: ([i64[3]], {"shape": (2,)}),
    "random_fold": lambda random: ([i64[3], i64], {}),
    "random_int": lambda random: ([i64[3], np.array(-1), np.array(5)], {"shape": (2,)}),
    "random_normal": lambda random: ([i64[3]], {"shape": (2,)}),
    "random_permutation": lambda random: ([i64[3]], {"n": 4}),
    "random_uniform": lambda random: ([i64[3]], {"shape": (2,)}),
    "rms_norm": _floats(_X, _ROW, axes=(1,), eps=1e-3),
    "rms_norm_grad": _floats(_X, _ROW, _COLUMN_MEAN, _X, axes=(1,)),
    "scatter_elements": _indexed(_COLUMN, (2, 1), axis=0),
    "scatter_nd": _indexed(_PLACES, (2,)),
    "searchsorted": _floats((4,), _X),
    "sgd_momentum_update": _floats(_X, _X, np.array(True), _X, (), ()),
    "sgd_update": _floats(_X, _X, ()),
    "solve": lambda random: ([_POSITIVE, f64[2, 3]], {}),
    "sparse_cross_entropy": _floats(_X, np.array([2, 0], np.int32)),
    "sparse_cross_entropy_grad": _floats(_X, np.array([2, 0], np.int32), (2,)),
    "svd": lambda random: ([_POSITIVE], {}),
    "update": _indexed((2, 2), _START, _START),
    "update_add": _indexed((2, 2), _START, _START),
}

#: What goes with the token, for effects that would fail on anything.
EFFECTS: dict[str, list[Any]] = {
    "assert_": [np.array(True)],
    "check_finite": [np.array([0.5, -0.0], np.float32)],
}
