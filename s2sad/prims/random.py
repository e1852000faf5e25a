"""Which random numbers does a state give, and which state is left?

A state is an i64 tensor of shape (3,): the key and the two halves of a counter of Philox4x32-10
(`s2sad.prims.kernels.philox` says which words each draw takes). A draw is a pure function of the
state and the static shape, and the counter goes on by its own addition: dropping a draw changes
no other, and all backends give the same bits and uniforms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.ir.dims import Dim
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type, as_dtype, i32, i64
from s2sad.prims.arithmetic import mul
from s2sad.prims.cast import cast
from s2sad.prims.comparison import greater_equal, less
from s2sad.prims.define import composite, primitive
from s2sad.prims.kernels import philox
from s2sad.prims.rules import require_kind
from s2sad.prims.select import where
from s2sad.prims.shape import shape_of

Shape = tuple[Dim, ...]
STATE = i64[3]
_INTEGERS = "integers have no derivative"
_DRAW = "it draws: the numbers do not depend smoothly on the state"


def _require_state(state: Type) -> None:
    found = require_kind(state, _is_i64, "a random state, i64[3]")
    if found.shape != STATE.shape:
        raise fail("E0401", f"a random state is i64[3], got {state}", help="seed_state makes one")


def _require_scalar(type: Type, what: str) -> None:  # noqa: A002
    if require_kind(type, _is_i64, f"{what}, a scalar of i64").shape:
        raise fail("E0304", f"{what} must be a scalar of i64, got {type}")


def _is_i64(dtype: DType) -> bool:
    return dtype is dtypes.int64


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    full = {**attrs, "shape": shape_of(attrs["shape"])}
    return {**full, "dtype": _float_dtype(attrs["dtype"])} if "dtype" in attrs else full


def _float_dtype(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not found.is_float:
        raise fail("E0301", f"expected a float dtype, got {found.short}")
    return found


def _seed_type(*, seed: int) -> TensorType:
    return STATE


def _canonical_seed(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    seed = attrs["seed"]
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise fail("E0303", f"a seed is an int, got {seed!r}")
    if not -(2**63) <= seed < 2**64:
        raise fail("E0404", f"a seed has 64 bits, got {seed}")
    return {"seed": seed}


@primitive(type=_seed_type, nondiff=_INTEGERS, canonical=_canonical_seed)
def seed_state(*, seed):
    """First state of the stream that `seed` names.

    Parameters
    ----------
    seed : int
        From -2**63 to 2**64 - 1; a negative one stands for its two's complement.

    Returns
    -------
    Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0303 if `seed` is no int, E0404 if it is out of range.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.seed_state(seed=7)
    array([7, 0, 0])
    """
    return philox.seed_state(seed)


def _bits_type(state: Type, *, shape: Shape) -> tuple[TensorType, ...]:
    _require_state(state)
    return TensorType(i32.dtype, shape), STATE


@primitive(type=_bits_type, nondiff=_INTEGERS, canonical=_canonical)
def random_bits(state, *, shape):
    """Words of 32 random bits, and the state after them.

    Parameters
    ----------
    state : Tensor, i64[3]
    shape : tuple of int

    Returns
    -------
    bits : Tensor, i32, shape `shape`
    state : Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0301 or E0401 if `state` is none, E0303 or E0404 if `shape` is none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.random_bits(p.seed_state(seed=0), shape=(2,))
    (array([1713891541, -513161843], dtype=int32), array([0, 1, 0]))
    """
    return philox.random_bits(state, shape)


def _float_type(state: Type, *, shape: Shape, dtype: DType) -> tuple[TensorType, ...]:
    _require_state(state)
    return TensorType(dtype, shape), STATE


def _drawn(dtype: DType) -> np.dtype:
    """What is drawn for `dtype`: narrow floats are rounded from float32."""
    return dtype.compute.storage


@primitive(type=_float_type, nondiff=_DRAW, canonical=_canonical)
def random_uniform(state, *, shape, dtype=dtypes.float32):
    """Uniform numbers in [0, 1), and the state after them.

    Parameters
    ----------
    state : Tensor, i64[3]
    shape : tuple of int
    dtype : DType of floats
        f32 has multiples of 2**-24, f64 of 2**-53. Narrow floats are the f32 numbers rounded, and
        the largest of these round to 1.

    Returns
    -------
    values : Tensor of `dtype`, shape `shape`
    state : Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0301 if `dtype` is no float, E0301 or E0401 if `state` is none, E0303 or E0404 if `shape`
        is none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> values, state = p.random_uniform(p.seed_state(seed=0), shape=(2,))
    >>> values.round(4), state
    (array([0.399 , 0.8805], dtype=float32), array([0, 1, 0]))
    """
    return philox.uniform(state, shape, _drawn(dtype))


@primitive(type=_float_type, nondiff=_DRAW, canonical=_canonical)
def random_normal(state, *, shape, dtype=dtypes.float32):
    """Normal numbers of mean 0 and variance 1, and the state after them.

    Parameters
    ----------
    state : Tensor, i64[3]
    shape : tuple of int
    dtype : DType of floats
        Narrow floats are the f32 numbers rounded.

    Returns
    -------
    values : Tensor of `dtype`, shape `shape`
    state : Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0301 if `dtype` is no float, E0301 or E0401 if `state` is none, E0303 or E0404 if `shape`
        is none.

    Notes
    -----
    G. E. P. Box and M. E. Muller, 1958. Backends agree to 2 ULP.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> values, state = p.random_normal(p.seed_state(seed=0), shape=(2,))
    >>> values.round(4), state
    (array([ 0.7379, -0.6884], dtype=float32), array([0, 1, 0]))
    """
    return philox.normal(state, shape, _drawn(dtype))


def _int_type(state: Type, low: Type, high: Type, *, shape: Shape) -> tuple[TensorType, ...]:
    _require_state(state)
    for bound in (low, high):
        _require_scalar(bound, "a bound of random_int")
    return TensorType(i64.dtype, shape), STATE


@primitive(
    type=_int_type, traits={Trait.FALLIBLE}, nondiff=_INTEGERS, canonical=_canonical, same=(1, 2)
)
def random_int(state, low, high, *, shape):
    """Integers from `low` to ``high - 1``, as good as equally likely, and the state after them.

    Parameters
    ----------
    state : Tensor, i64[3]
    low, high : scalars, i64
    shape : tuple of int

    Returns
    -------
    values : Tensor, i64, shape `shape`
    state : Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0404 if `low` is not below `high`; E0301, E0304 or E0401 if an operand is none of these;
        E0303 or E0404 if `shape` is none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.random_int(p.seed_state(seed=0), 0, 10, shape=(4,))
    (array([8, 6, 3, 0]), array([0, 2, 0]))
    """
    if not low < high:
        raise fail("E0404", f"there is no integer from {low} up to and without {high}")
    return philox.randint(state, shape, int(low), int(high))


def _permutation_type(state: Type, *, n: Dim) -> tuple[TensorType, ...]:
    _require_state(state)
    return TensorType(i64.dtype, (n,)), STATE


@primitive(
    type=_permutation_type, nondiff=_INTEGERS,
    canonical=lambda types, attrs: {"n": shape_of((attrs["n"],), "size")[0]},
)  # fmt: skip
def random_permutation(state, *, n):
    """The numbers 0 to ``n - 1`` in random order, and the state after them.

    Parameters
    ----------
    state : Tensor, i64[3]
    n : int

    Returns
    -------
    order : Tensor, i64, shape (n,)
    state : Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0301 or E0401 if `state` is none, E0303 or E0404 if `n` is no size.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.random_permutation(p.seed_state(seed=0), n=5)
    (array([3, 4, 2, 1, 0]), array([0, 3, 0]))
    """
    return philox.permutation(state, n)


def _fold_type(state: Type, data: Type) -> TensorType:
    _require_state(state)
    _require_scalar(data, "what is folded into a state")
    return STATE


@primitive(type=_fold_type, nondiff=_INTEGERS, same=(1,))
def random_fold(state, data):
    """State of a stream of its own for each `state` and `data`, such as a step, layer or rank.

    Parameters
    ----------
    state : Tensor, i64[3]
    data : scalar, i64

    Returns
    -------
    Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0301, E0304 or E0401 if an operand is none of these.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> state = p.seed_state(seed=7)
    >>> bool((p.random_fold(state, 0) == p.random_fold(state, 1)).all())
    False
    """
    return philox.fold_in(state, int(data))


@composite(nondiff="whether a number is drawn below `probability` is piecewise constant", same=())
def bernoulli(state, probability):
    """True with `probability`, element by element, and the state after the draw.

    Parameters
    ----------
    state : Tensor, i64[3]
    probability : Tensor of floats, shape (...)
        At or below 0 never, at or above 1 always, NaN never.

    Returns
    -------
    values : Tensor of bool, shape (...)
    state : Tensor, i64[3]

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.bernoulli(p.seed_state(seed=0), np.array([0.0, 0.7, 1.0]))
    (array([False,  True,  True]), array([0, 2, 0]))
    """
    wide = _float_dtype(probability.dtype).compute
    values, state = random_uniform(state, shape=probability.shape, dtype=wide)
    return less(values, cast(probability, dtype=wide)), state


def _canonical_rate(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    rate = attrs["rate"]
    if isinstance(rate, bool) or not isinstance(rate, (int, float)):
        raise fail("E0303", f"the rate is a number, got {rate!r}")
    if not 0 <= rate <= 1:
        raise fail("E0404", f"the rate is a probability, got {rate}")
    return {"rate": float(rate)}


def kept_scale(rate: float) -> float:
    """By what kept elements are multiplied so that the mean stays; of none kept it is 0."""
    return 1 / (1 - rate) if rate < 1 else 0.0


@composite(canonical=_canonical_rate, same=())
def dropout(x, state, *, rate):
    """`x` with a random part of its elements set to 0, the others scaled so that the mean stays.

    Parameters
    ----------
    x : Tensor of floats
    state : Tensor, i64[3]
    rate : float
        Probability of being dropped, 0 to 1.

    Returns
    -------
    y : Tensor, type of `x`
    mask : Tensor of bool, shape of `x`
        Which elements are kept.
    state : Tensor, i64[3]

    Raises
    ------
    S2sadError
        E0301 if `x` is not float, E0301 or E0401 if `state` is no state, E0303 or E0404 if `rate`
        is no probability.

    Notes
    -----
    Adjoint: the cotangent scaled where the mask holds, 0 elsewhere. Nothing is drawn again.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.dropout(np.ones(4), p.seed_state(seed=0), rate=0.5)
    (array([2., 2., 0., 0.]), array([ True,  True, False, False]), array([0, 2, 0]))
    """
    wide = _float_dtype(x.dtype).compute
    values, after = random_uniform(state, shape=x.shape, dtype=wide)
    mask = greater_equal(values, rate)
    return where(mask, mul(x, kept_scale(rate)), 0), mask, after


@dropout.adjoint
def dropout_adjoint(x, state, out, dout, *, rate):
    return where(out[1], dout[0] * kept_scale(rate), 0), None


@dropout.tangent
def dropout_tangent(x, state, out, tangents, *, rate):
    return where(out[1], tangents[0] * kept_scale(rate), 0), None, None
