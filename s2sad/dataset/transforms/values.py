"""Which transforms are there of any array, images or not?"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.dataset.arguments import chance, whole
from s2sad.dataset.block import filled_up
from s2sad.dataset.transforms.base import OfArray, Transform, array_of


def numpy_dtype(given: Any) -> np.dtype:
    """The dtype of NumPy that `given`, s2sad's or NumPy's, names.

    Raises
    ------
    S2sadError
        E0301 for bfloat16, which no array of NumPy has, and for what is no dtype.
    """
    if given is dtypes.bfloat16:
        raise fail(
            "E0301", "arrays of NumPy are never bfloat16",
            help="cast the Tensor in the network: x.astype(s2sad.bfloat16)",
        )  # fmt: skip
    if isinstance(given, DType):
        return given.storage
    try:
        return np.dtype(given)
    except TypeError as error:
        raise fail("E0301", f"{given!r} is no dtype") from error


class TypeCast(OfArray):
    """The same numbers as `data_type`; towards 0 where that is an integer type.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.dataset.transforms.TypeCast(ms.int32)(np.array([1.7, -1.7]))
    array([ 1, -1], dtype=int32)
    """

    def __init__(self, data_type: Any) -> None:
        self.data_type = numpy_dtype(data_type)

    def compute(self, value: np.ndarray) -> np.ndarray:
        return value.astype(self.data_type)

    batched = compute


class OneHot(OfArray):
    """A vector of `num_classes` with 1 at the label and 0 elsewhere, of the label's dtype.

    Parameters
    ----------
    num_classes : int
    smoothing_rate : float
        Share of the 1 that all classes get in equal parts; the vector is float64 then.
    """

    def __init__(self, num_classes: int, smoothing_rate: float = 0.0) -> None:
        self.num_classes = whole("num_classes", num_classes, 1)
        self.smoothing_rate = chance("smoothing_rate", smoothing_rate)

    def compute(self, value: np.ndarray) -> np.ndarray:
        if value.ndim > 1:
            raise fail("E0401", f"OneHot takes a label or a row of them, got {list(value.shape)}")
        return self._encoded(value[0] if value.shape == (1,) else value)

    def batched(self, rows: np.ndarray) -> np.ndarray | None:
        if rows.ndim > 2:
            return None
        return self._encoded(rows[:, 0] if rows.shape[1:] == (1,) else rows)

    def _encoded(self, labels: Any) -> np.ndarray:
        labels = np.asarray(labels)
        if labels.dtype.kind not in "iu":
            raise fail("E0301", f"OneHot takes labels of an integer dtype, got {labels.dtype}")
        wrong = labels[(labels < 0) | (labels >= self.num_classes)]
        if wrong.size:
            raise fail("E0404", f"label {int(wrong.flat[0])} is none of {self.num_classes} classes")
        vectors = (labels[..., np.newaxis] == np.arange(self.num_classes)).astype(labels.dtype)
        if self.smoothing_rate == 0:
            return vectors
        return (1 - self.smoothing_rate) * vectors + self.smoothing_rate / self.num_classes


class Fill(OfArray):
    """An array of the same shape and dtype that is `fill_value` everywhere."""

    def __init__(self, fill_value: Any) -> None:
        self.fill_value = fill_value

    def compute(self, value: np.ndarray) -> np.ndarray:
        return np.full_like(value, self.fill_value)

    batched = compute


class Slice(OfArray):
    """A part of an array: an int, list of ints, slice, None (all) or Ellipsis for each axis.

    Axes stay: an int takes a part of length 1.

    Examples
    --------
    >>> from s2sad.dataset import transforms
    >>> transforms.Slice(slice(0, 2))(np.array([1, 2, 3])), transforms.Slice(2)(np.array([1, 2, 3]))
    (array([1, 2]), array([3]))
    """

    def __init__(self, *slices: Any) -> None:
        self.slices = slices

    def compute(self, value: np.ndarray) -> np.ndarray:
        given = list(self.slices)
        if Ellipsis in given:
            at = given.index(Ellipsis)
            given[at : at + 1] = [None] * (value.ndim - len(given) + 1)
        if len(given) > value.ndim:
            raise fail("E0401", f"Slice has {len(given)} parts for {value.ndim} axes")
        for axis, part in enumerate(given):
            value = self._along(value, axis, part)
        return value.copy()

    def _along(self, value: np.ndarray, axis: int, part: Any) -> np.ndarray:
        if part is None:
            return value
        if isinstance(part, slice):
            return value[(slice(None),) * axis + (part,)]
        size = value.shape[axis]
        indices = [part] if isinstance(part, (int, np.integer)) else list(part)
        for index in indices:
            if not -size <= index < size:
                raise fail("E0501", f"Slice takes {index} of an axis of {size}")
        return np.take(value, np.array(indices, np.int64), axis)


class Concatenate(Transform):
    """Arrays joined along `axis`, with others before and after them."""

    def __init__(self, axis: int = 0, prepend: Any = None, append: Any = None) -> None:
        self.axis = axis
        self.prepend = [] if prepend is None else [np.asarray(prepend)]
        self.append = [] if append is None else [np.asarray(append)]

    def __call__(self, *values: Any) -> np.ndarray:
        arrays = [*self.prepend, *(array_of(value, self) for value in values), *self.append]
        try:
            return np.concatenate(arrays, self.axis)
        except ValueError as error:
            raise fail("E0401", f"Concatenate: {error}") from error


class Duplicate(Transform):
    """The array twice, as two columns."""

    def __call__(self, value: Any) -> tuple[np.ndarray, np.ndarray]:
        array = array_of(value, self)
        return array, array.copy()


class Relational(Enum):
    """How `Mask` compares."""

    EQ = "equal"
    NE = "not_equal"
    GT = "greater"
    GE = "greater_equal"
    LT = "less"
    LE = "less_equal"


class Mask(OfArray):
    """Whether each element compares so with `constant`, as `dtype`."""

    def __init__(self, operator: Relational, constant: Any, dtype: Any = np.bool_) -> None:
        if not isinstance(operator, Relational):
            raise fail("E0303", f"operator is one of Relational, got {operator!r}")
        self.operator = operator
        self.constant = constant
        self.dtype = numpy_dtype(dtype)

    def compute(self, value: np.ndarray) -> np.ndarray:
        return getattr(np, self.operator.value)(value, self.constant).astype(self.dtype)

    batched = compute


class PadEnd(OfArray):
    """The array filled up at its ends to `pad_shape`, whose None leave an axis as it is."""

    def __init__(self, pad_shape: Sequence[int | None], pad_value: Any = None) -> None:
        self.pad_shape = list(pad_shape)
        self.pad_value = 0 if pad_value is None else pad_value

    def compute(self, value: np.ndarray) -> np.ndarray:
        if value.ndim != len(self.pad_shape):
            raise fail("E0401", f"PadEnd to {self.pad_shape} got {list(value.shape)}")
        pairs = zip(value.shape, self.pad_shape, strict=True)
        target = [now if size is None else size for now, size in pairs]
        if any(now > size for now, size in zip(value.shape, target, strict=True)):
            raise fail("E0401", f"PadEnd to {self.pad_shape} got more, {list(value.shape)}")
        return filled_up(value, target, self.pad_value)


class Unique(Transform):
    """The different values as they first come, each element's place among them, and how many each.

    Three columns; the second and third are int32.

    Examples
    --------
    >>> from s2sad.dataset import transforms
    >>> [x.tolist() for x in transforms.Unique()(np.array([7, 5, 7]))]
    [[7, 5], [0, 1, 0], [2, 1]]
    """

    def __call__(self, value: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        flat = array_of(value, self).reshape(-1)
        found, first, inverse, counts = np.unique(
            flat, return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        indices = place[inverse.reshape(-1)].astype(np.int32)
        return found[order], indices, counts[order].astype(np.int32)
