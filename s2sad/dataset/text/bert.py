"""How are texts split for BERT: at punctuation, and then into pieces of a vocabulary?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import whole
from s2sad.dataset.text.normal import NormalizeForm, casefolded, checked_form, normalized
from s2sad.dataset.text.spans import Spans, Tokenizer, given, spans, texts_of
from s2sad.dataset.text.vocab import Vocab
from s2sad.ops.settings import flag

#: Words that a vocabulary keeps for itself.
UNUSED = re.compile(r"\[(?:CLS|SEP|UNK|PAD|MASK|unused\d+)\]")
#: Such words, spaces, and all other characters.
PIECES = re.compile(rf"(?P<unused>{UNUSED.pattern})|(?P<space>\s+)|.", re.DOTALL)
#: First and last characters of the blocks of Chinese ones, each of which is a word.
CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class BasicTokenizer(Tokenizer):
    """Words, marks of punctuation and Chinese characters.

    Parameters
    ----------
    lower_case : bool
        Whether differences of case and accents go (`CaseFold`, then NFD without marks). Offsets are
        those in the text that is left.
    keep_whitespace : bool
        Whether spaces are words as well.
    normalization_form : NormalizeForm
        Of the text first, without `lower_case`.
    preserve_unused_token : bool
        Whether ``[CLS]``, ``[SEP]``, ``[UNK]``, ``[PAD]``, ``[MASK]`` and ``[unused1]`` stay.
    with_offsets : bool
        As of `WhitespaceTokenizer`.

    Examples
    --------
    >>> import numpy as np
    >>> BasicTokenizer(lower_case=True)(np.array("[CLS] Crème, 我是"))
    array(['[CLS]', 'creme', ',', '我', '是'], dtype='<U5')
    """

    def __init__(
        self, lower_case: bool = False, keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True, with_offsets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(with_offsets)
        self.lower_case = flag("lower_case", lower_case)
        self.keep_whitespace = flag("keep_whitespace", keep_whitespace)
        self.normalization_form = checked_form("normalization_form", normalization_form)
        self.preserve_unused_token = flag("preserve_unused_token", preserve_unused_token)

    def split(self, text: str) -> Spans:
        text = self._normal(text)
        return spans(text, self._places(text))

    def _normal(self, text: str) -> str:
        if not self.lower_case:
            text = normalized(text, self.normalization_form)
        elif self.preserve_unused_token:
            kept, parts = UNUSED.findall(text), UNUSED.split(text)
            folded = [_without_marks(casefolded(part)) for part in parts]
            text = "".join(a + b for a, b in zip(folded, [*kept, ""], strict=True))
        else:
            text = _without_marks(casefolded(text))
        return "".join(" " if unicodedata.category(x) in ("Cc", "Cf") else x for x in text)

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        begin = 0  # of the word that is under way
        for found in PIECES.finditer(text):
            is_unused = found["unused"] is not None
            if is_unused and not self.preserve_unused_token:
                yield from self._marks(found, begin)
                begin = found.end()
                continue
            if not is_unused and found["space"] is None and not is_alone(found[0]):
                continue
            if begin < found.start():
                yield begin, found.start()
            begin = found.end()
            if found["space"] is None or self.keep_whitespace:
                yield found.span()
        if begin < len(text):
            yield begin, len(text)

    @staticmethod
    def _marks(found: re.Match[str], begin: int) -> Iterator[tuple[int, int]]:
        """``[CLS]`` where it is no word: two brackets, and what they hold."""
        start, end = found.span()
        if begin < start:
            yield begin, start
        yield from ((start, start + 1), (start + 1, end - 1), (end - 1, end))


def is_alone(character: str) -> bool:
    """Whether a character is a word by itself: punctuation, a symbol of ASCII, a Chinese one."""
    code = ord(character)
    if code < 128:
        return not character.isalnum() and not character.isspace()
    is_chinese = any(first <= code <= last for first, last in CHINESE)
    return is_chinese or unicodedata.category(character).startswith("P")


def _without_marks(text: str) -> str:
    parts = unicodedata.normalize("NFD", text)
    return "".join(x for x in parts if unicodedata.category(x) != "Mn")


class _Pieces:
    """The longest pieces of words that a vocabulary has, from the left."""

    def __init__(self, vocab: Vocab, suffix: str, most: int, unknown: str) -> None:
        if not isinstance(vocab, Vocab):
            raise fail("E0304", f"vocab is a Vocab, got {vocab!r}")
        for name, value in (("suffix_indicator", suffix), ("unknown_token", unknown)):
            if not isinstance(value, str):
                raise fail("E0303", f"{name} is a str, got {value!r}")
        self.words = vocab.vocab()
        self.suffix, self.unknown = suffix, unknown
        self.most = whole("max_bytes_per_token", most, 0)

    def of(self, word: str) -> Spans:
        """The pieces of `word`; the unknown word, or itself, where it has none."""
        size = len(word.encode())
        places = self._places(word) if size <= self.most else None
        if places is None:
            yield self.unknown or word, 0, size
            return
        for piece, start, end in spans(word, places):
            yield (self.suffix if start else "") + piece, start, end

    def _places(self, word: str) -> list[tuple[int, int]] | None:
        found: list[tuple[int, int]] = []
        start = 0
        while start < len(word):
            prefix = self.suffix if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if prefix + word[start:end] in self.words), None)
            if end is None:
                return None
            found.append((start, end))
            start = end
        return found


class WordpieceTokenizer(Tokenizer):
    """Words as pieces of a vocabulary, from the left the longest.

    Parameters
    ----------
    vocab : Vocab
    suffix_indicator : str
        What pieces begin with that are not the first of a word.
    max_bytes_per_token : int
        Longer words are unknown.
    unknown_token : str
        Stands for a word that has no pieces; where it is empty the word does itself.
    with_offsets : bool
        As of `WhitespaceTokenizer`; within each word.

    Examples
    --------
    >>> import numpy as np
    >>> vocab = Vocab.from_list(["book", "##s", "[UNK]"])
    >>> WordpieceTokenizer(vocab)(np.array(["books", "pen"])).tolist()
    ['book', '##s', '[UNK]']
    """

    def __init__(
        self, vocab: Vocab, suffix_indicator: str = "##", max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]", with_offsets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(with_offsets)
        self._pieces = _Pieces(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def __call__(self, value: Any) -> Any:
        words = texts_of(value, self)
        if words.ndim > 1:
            raise fail("E0401", f"WordpieceTokenizer takes words in a row, got {words.shape}")
        found = (piece for word in words.reshape(-1).tolist() if word
                 for piece in self.split(word))  # fmt: skip
        return given(found, self.with_offsets)

    def split(self, text: str) -> Spans:
        return self._pieces.of(text)


class BertTokenizer(BasicTokenizer):
    """`BasicTokenizer`, and of each of its words the pieces of `WordpieceTokenizer`.

    Parameters
    ----------
    vocab, suffix_indicator, max_bytes_per_token, unknown_token
        As of `WordpieceTokenizer`.
    lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
        As of `BasicTokenizer`.

    Examples
    --------
    >>> import numpy as np
    >>> vocab = Vocab.from_list(["book", "##s", "!", "[UNK]"])
    >>> BertTokenizer(vocab, lower_case=True)(np.array("Books!")).tolist()
    ['book', '##s', '!']
    """

    def __init__(
        self, vocab: Vocab, suffix_indicator: str = "##", max_bytes_per_token: int = 100,
        unknown_token: str = "[UNK]", lower_case: bool = False, keep_whitespace: bool = False,
        normalization_form: NormalizeForm = NormalizeForm.NONE,
        preserve_unused_token: bool = True, with_offsets: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(
            lower_case, keep_whitespace, normalization_form, preserve_unused_token, with_offsets
        )
        self._pieces = _Pieces(vocab, suffix_indicator, max_bytes_per_token, unknown_token)

    def split(self, text: str) -> Spans:
        for word, first, _ in super().split(text):
            for piece, start, end in self._pieces.of(word):
                yield piece, first + start, first + end
