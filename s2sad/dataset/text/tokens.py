"""How do texts become words, and words numbers?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import int32
from s2sad.dataset.arguments import whole
from s2sad.dataset.text.vocab import Vocab
from s2sad.dataset.transforms.base import OfArray, Transform, array_of
from s2sad.dataset.transforms.values import numpy_dtype


def to_str(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """An array of bytes as one of texts.

    Examples
    --------
    >>> to_str(np.array([b"a", b"bc"]))
    array(['a', 'bc'], dtype='<U2')
    """
    given = np.asarray(array)
    return given if given.dtype.kind == "U" else np.char.decode(given, encoding)


def to_bytes(array: np.ndarray, encoding: str = "utf8") -> np.ndarray:
    """An array of texts as one of bytes."""
    given = np.asarray(array)
    return given if given.dtype.kind == "S" else np.char.encode(given, encoding)


def text_of(value: Any, transform: object) -> str:
    """The text in `value`; E0301 where there is none, E0401 where there are several."""
    array = array_of(value, transform)
    if array.dtype.kind not in "US":
        raise fail("E0301", f"{type(transform).__name__} takes a text, got {array.dtype}")
    if array.size != 1:
        raise fail("E0401", f"{type(transform).__name__} takes one text, got {array.shape}")
    return str(to_str(array).reshape(())[()])


class WhitespaceTokenizer(Transform):
    """The words between spaces; one that is empty where there are none.

    Examples
    --------
    >>> WhitespaceTokenizer()(np.array("to  be"))
    array(['to', 'be'], dtype='<U2')
    """

    def __call__(self, value: Any) -> np.ndarray:
        return np.array(text_of(value, self).split() or [""])


class UnicodeCharTokenizer(Transform):
    """The characters of a text."""

    def __call__(self, value: Any) -> np.ndarray:
        return np.array(list(text_of(value, self)) or [""])


class Lookup(OfArray):
    """Numbers of words.

    Parameters
    ----------
    vocab : Vocab
    unknown_token : str, optional
        Stands for words that `vocab` lacks; without it they are E0404.
    data_type : dtype
    """

    def __init__(
        self, vocab: Vocab, unknown_token: str | None = None, data_type: Any = int32
    ) -> None:
        if not isinstance(vocab, Vocab):
            raise fail("E0304", f"Lookup takes a Vocab, got {vocab!r}")
        self.vocab = vocab
        self.data_type = numpy_dtype(data_type)
        self.unknown = None if unknown_token is None else vocab.tokens_to_ids(unknown_token)
        if self.unknown == -1:
            raise fail("E0404", f"the vocabulary has no {unknown_token!r}")

    def compute(self, value: np.ndarray) -> np.ndarray:
        words = to_str(value).reshape(-1).tolist()
        found = self.vocab.tokens_to_ids(words)
        assert isinstance(found, list)
        numbers = np.array(found, np.int64).reshape(value.shape)
        if (numbers < 0).any():
            if self.unknown is None:
                raise fail(
                    "E0404", f"the vocabulary has no {words[found.index(-1)]!r}",
                    help="unknown_token says what stands for words that are not there",
                )  # fmt: skip
            numbers = np.where(numbers < 0, self.unknown, numbers)
        return numbers.astype(self.data_type)


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
