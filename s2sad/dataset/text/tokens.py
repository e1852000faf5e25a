"""How do texts become words, and words numbers?"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import int32
from s2sad.dataset.text.spans import Spans, Tokenizer, spans, text_of, to_str
from s2sad.dataset.text.vocab import Vocab
from s2sad.dataset.transforms.base import OfArray, Transform
from s2sad.dataset.transforms.values import numpy_dtype


class WhitespaceTokenizer(Tokenizer):
    """The words between spaces; one that is empty where there are none.

    Parameters
    ----------
    with_offsets : bool
        Whether the bytes of UTF-8 before the start and the end of each word are given as well.

    Examples
    --------
    >>> WhitespaceTokenizer()(np.array("to  be"))
    array(['to', 'be'], dtype='<U2')
    >>> WhitespaceTokenizer(with_offsets=True)(np.array("to  be"))[1:]
    (array([0, 4], dtype=uint32), array([2, 6], dtype=uint32))
    """

    def split(self, text: str) -> Spans:
        return spans(text, (each.span() for each in re.finditer(r"\S+", text)))


class UnicodeCharTokenizer(Tokenizer):
    """The characters of a text; `with_offsets` as of `WhitespaceTokenizer`."""

    def split(self, text: str) -> Spans:
        return spans(text, ((place, place + 1) for place in range(len(text))))


class RegexTokenizer(Tokenizer):
    r"""What stands between the places that a pattern matches.

    Parameters
    ----------
    delim_pattern : str
        A regular expression of Python's `re`, where MindSpore takes those of ICU.
    keep_delim_pattern : str
        What `delim_pattern` matches is a word as well, where this matches all of it.
    with_offsets : bool
        As of `WhitespaceTokenizer`.

    Examples
    --------
    >>> RegexTokenizer(r"[,\s]+", ",")(np.array("to,be or"))
    array(['to', ',', 'be', 'or'], dtype='<U2')
    """

    def __init__(
        self, delim_pattern: str, keep_delim_pattern: str = "", with_offsets: bool = False
    ) -> None:
        super().__init__(with_offsets)
        self.delim_pattern = compiled("delim_pattern", delim_pattern)
        self.keep_delim_pattern = compiled("keep_delim_pattern", keep_delim_pattern)

    def split(self, text: str) -> Spans:
        return spans(text, self._places(text))

    def _places(self, text: str) -> Any:
        end = 0
        for found in self.delim_pattern.finditer(text):
            if found.start() > end:
                yield end, found.start()
            if found[0] and self.keep_delim_pattern.fullmatch(found[0]):
                yield found.span()
            end = found.end()
        if end < len(text):
            yield end, len(text)


def compiled(name: str, pattern: str) -> re.Pattern[str]:
    """A regular expression (E0303, E0404)."""
    if not isinstance(pattern, str):
        raise fail("E0303", f"{name} is a str, got {pattern!r}")
    try:
        return re.compile(pattern)
    except re.error as error:
        raise fail(
            "E0404", f"{name} {pattern!r} is no regular expression of Python: {error}",
            help="write what other libraries have, such as \\p{P}, as a set of characters",
        ) from error  # fmt: skip


class PythonTokenizer(Transform):
    """The words that a function of the user's gives for a text.

    Parameters
    ----------
    tokenizer : callable
        Takes a str, and gives a list of them.

    Examples
    --------
    >>> PythonTokenizer(str.split)(np.array("to be"))
    array(['to', 'be'], dtype='<U2')
    """

    def __init__(self, tokenizer: Callable[[str], Any]) -> None:
        if not callable(tokenizer):
            raise fail("E0304", f"tokenizer is a function, got {tokenizer!r}")
        self.tokenizer = tokenizer

    def __call__(self, value: Any) -> np.ndarray:
        return np.array(self.tokenizer(text_of(value, self)))


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
