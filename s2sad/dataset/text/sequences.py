"""What is done with words in a row, and with figures?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.dataset.arguments import whole
from s2sad.dataset.text.spans import texts_of
from s2sad.dataset.transforms.base import OfArray, Transform, array_of
from s2sad.dataset.transforms.values import numpy_dtype
from s2sad.ops.settings import flag


class TruncateSequencePair(Transform):
    """Two sequences of `max_length` together at most: the longer one loses its end first."""

    def __init__(self, max_length: int) -> None:
        self.max_length = whole("max_length", max_length, 1)

    def __call__(self, one: Any, other: Any) -> tuple[np.ndarray, np.ndarray]:
        first, second = array_of(one, self), array_of(other, self)
        a, b = len(first), len(second)
        while a + b > self.max_length:
            a, b = (a - 1, b) if a > b else (a, b - 1)
        return first[:a].copy(), second[:b].copy()


class Truncate(OfArray):
    """The first `max_seq_len` items of a sequence, or of each of several.

    Examples
    --------
    >>> Truncate(2)(np.array(["a", "b", "c"])).tolist()
    ['a', 'b']
    """

    def __init__(self, max_seq_len: int) -> None:
        self.max_seq_len = whole("max_seq_len", max_seq_len, 1)

    def compute(self, value: np.ndarray) -> np.ndarray:
        _require_rows(value, self)
        return value[..., : self.max_seq_len].copy()


class AddToken(Transform):
    """A word before or behind a sequence of them, or each of several.

    Parameters
    ----------
    token : str
    begin : bool
        Whether it comes before them.

    Examples
    --------
    >>> AddToken("[CLS]")(np.array(["a", "b"])).tolist()
    ['[CLS]', 'a', 'b']
    """

    def __init__(self, token: str, begin: bool = True) -> None:
        if not isinstance(token, str):
            raise fail("E0303", f"token is a str, got {token!r}")
        self.token, self.begin = token, flag("begin", begin)

    def __call__(self, value: Any) -> np.ndarray:
        words = texts_of(value, self)
        _require_rows(words, self)
        more = np.full((*words.shape[:-1], 1), self.token)
        return np.concatenate([more, words] if self.begin else [words, more], axis=-1)


def _require_rows(array: np.ndarray, transform: object) -> None:
    if array.ndim not in (1, 2):
        name = type(transform).__name__
        raise fail("E0401", f"{name} takes one sequence or several, got {array.shape}")


class Ngram(Transform):
    """Words that follow one another, joined.

    Parameters
    ----------
    n : int or list of int
        How many; of several numbers, the results of one come after those of the other.
    left_pad, right_pad : (str, int)
        What is put before and behind the words, how often; one time less than `n` at most.
    separator : str
        Between words that are joined.

    Examples
    --------
    >>> Ngram(2, ("_", 1))(np.array(["a", "b", "c"])).tolist()
    ['_ a', 'a b', 'b c']
    """

    def __init__(
        self, n: int | Sequence[int], left_pad: tuple[str, int] = ("", 0),
        right_pad: tuple[str, int] = ("", 0), separator: str = " ",
    ) -> None:  # fmt: skip
        sizes = list(n) if isinstance(n, (list, tuple)) else [n]
        self.n = [whole("n", each, 1) for each in sizes]
        if not self.n:
            raise fail("E0404", "n has no number")
        self.left_pad = _checked_pad("left_pad", left_pad)
        self.right_pad = _checked_pad("right_pad", right_pad)
        if not isinstance(separator, str):
            raise fail("E0303", f"separator is a str, got {separator!r}")
        self.separator = separator

    def __call__(self, value: Any) -> np.ndarray:
        words = texts_of(value, self)
        if words.ndim != 1:
            raise fail("E0401", f"Ngram takes words in a row, got {words.shape}")
        return np.array([each for n in self.n for each in self._of(words.tolist(), n)])

    def _of(self, words: list[str], n: int) -> list[str]:
        (left, before), (right, behind) = self.left_pad, self.right_pad
        row = [left] * min(before, n - 1) + words + [right] * min(behind, n - 1)
        return [self.separator.join(row[i : i + n]) for i in range(len(row) - n + 1)] or [""]


def _checked_pad(name: str, given: Any) -> tuple[str, int]:
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[0], str):
        raise fail("E0303", f"{name} is a text and how often it comes, got {given!r}")
    return given[0], whole(name, given[1], 0)


class SlidingWindow(OfArray):
    """All parts of `width` items of a sequence, each as a row.

    Parameters
    ----------
    width : int
    axis : {0, -1}
        Sequences have one axis.

    Examples
    --------
    >>> SlidingWindow(2)(np.array([1, 2, 3])).tolist()
    [[1, 2], [2, 3]]
    """

    def __init__(self, width: int, axis: int = 0) -> None:
        self.width = whole("width", width, 1)
        if axis not in (0, -1) or isinstance(axis, bool):
            raise fail("E0404", f"a sequence has one axis, 0 or -1, got {axis!r}")
        self.axis = axis

    def compute(self, value: np.ndarray) -> np.ndarray:
        if value.ndim != 1:
            raise fail("E0401", f"SlidingWindow takes a sequence, got {value.shape}")
        if len(value) < self.width:
            return np.empty((0, self.width), value.dtype)
        return np.lib.stride_tricks.sliding_window_view(value, self.width).copy()


#: Figures of whole numbers, and of others.
WHOLE = re.compile(r"\s*[+-]?\d+\s*", re.ASCII)
REAL = re.compile(r"\s*[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|nan)\s*", re.ASCII | re.I)


class ToNumber(Transform):
    """Texts of figures as numbers.

    Parameters
    ----------
    data_type : dtype
        A number.

    Raises
    ------
    S2sadError
        E0404 for a text that is no number of that dtype, as a whole: MindSpore 2.10 takes the
        ``"1"`` of ``"1e3"`` for an integer, and of ``"1_0"``.

    Examples
    --------
    >>> import s2sad as ms
    >>> ToNumber(ms.int32)(np.array(["12", "-3"]))
    array([12, -3], dtype=int32)
    """

    def __init__(self, data_type: DType) -> None:
        self.data_type = np.dtype(numpy_dtype(data_type))
        if self.data_type.kind not in "iuf":
            raise fail("E0404", f"data_type is a type of numbers, got {data_type}")

    def __call__(self, value: Any) -> np.ndarray:
        texts = texts_of(value, self)
        found = [self._number(text) for text in texts.reshape(-1).tolist()]
        return np.array(found, self.data_type).reshape(texts.shape)

    def _number(self, text: str) -> int | float:
        is_whole = self.data_type.kind in "iu"
        if (WHOLE if is_whole else REAL).fullmatch(text):
            number = int(text) if is_whole else float(text)
            limits = np.iinfo(self.data_type) if is_whole else np.finfo(self.data_type)
            if number != number or int(limits.min) <= number <= int(limits.max):
                return number
        raise fail("E0404", f"{text!r} is no number of {self.data_type}")
