"""What does a tokenizer give: words, and on request where each of them stands?"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.transforms.base import Transform, array_of


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


def texts_of(value: Any, transform: object) -> np.ndarray:
    """The texts in `value`; E0301 where there are none."""
    array = array_of(value, transform)
    if array.dtype.kind not in "US":
        raise fail("E0301", f"{type(transform).__name__} takes a text, got {array.dtype}")
    return to_str(array)


def text_of(value: Any, transform: object) -> str:
    """The text in `value`; E0301 where there is none, E0401 where there are several."""
    array = texts_of(value, transform)
    if array.size != 1:
        raise fail("E0401", f"{type(transform).__name__} takes one text, got {array.shape}")
    return str(array.reshape(())[()])


#: Words, each with the bytes of UTF-8 before its start and before its end.
Spans = Iterable[tuple[str, int, int]]


def spans(text: str, words: Iterable[tuple[int, int]]) -> Spans:
    """The `words` of `text`, which are told by their characters, from one to before another.

    Examples
    --------
    >>> list(spans("ä b", [(0, 1), (2, 3)]))
    [('ä', 0, 2), ('b', 3, 4)]
    """
    place = before = 0
    for start, end in words:
        first = before + len(text[place:start].encode())
        place, before = end, first + len(text[start:end].encode())
        yield text[start:end], first, before


def given(found: Spans, with_offsets: bool) -> Any:
    """Words, or they, their starts and their ends; one empty word where there is none."""
    rows = list(found) or [("", 0, 0)]
    words = np.array([word for word, _, _ in rows])
    if not with_offsets:
        return words
    starts, ends = np.array([row[1:] for row in rows], np.uint32).T
    return words, starts.copy(), ends.copy()


class Tokenizer(Transform, ABC):
    """Splits a text; classes define `split`.

    Parameters
    ----------
    with_offsets : bool
        Whether the bytes of UTF-8 before the start and the end of each word are given as well.
    """

    def __init__(self, with_offsets: bool = False) -> None:
        if not isinstance(with_offsets, bool):
            raise fail("E0303", f"with_offsets is True or False, got {with_offsets!r}")
        self.with_offsets = with_offsets

    def __call__(self, value: Any) -> Any:
        return given(self.split(text_of(value, self)), self.with_offsets)

    @abstractmethod
    def split(self, text: str) -> Spans:
        """The words of `text`, with the bytes before them."""
