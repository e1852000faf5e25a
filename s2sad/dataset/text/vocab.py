"""Which number does each word have?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.dataset.arguments import optional, whole
from s2sad.dataset.dataset import Dataset


class Vocab:
    """Words and their numbers.

    Parameters
    ----------
    words : mapping of str to int

    Examples
    --------
    >>> from s2sad.dataset import text
    >>> vocab = text.Vocab.from_list(["home", "world"], special_tokens=["<unk>"])
    >>> vocab.vocab(), vocab.tokens_to_ids(["world", "none"]), vocab.ids_to_tokens(1)
    ({'<unk>': 0, 'home': 1, 'world': 2}, [2, -1], 'home')
    """

    def __init__(self, words: Mapping[str, int]) -> None:
        self._ids = dict(words)
        self._words = {number: word for word, number in self._ids.items()}
        if len(self._words) != len(self._ids):
            raise fail("E0404", "words of a vocabulary have different numbers")

    @classmethod
    def from_dict(cls, word_dict: Mapping[str, int]) -> Vocab:
        """Words with the numbers that they are given, 0 or more."""
        numbers = {_word(word): whole("a number", word_dict[word], 0) for word in word_dict}
        return cls(numbers)

    @classmethod
    def from_list(
        cls, word_list: Sequence[str], special_tokens: Sequence[str] | None = None,
        special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """Words numbered in order, special ones before or after them.

        Raises
        ------
        S2sadError
            E0404 for a word that comes twice.
        """
        special, words = list(special_tokens or ()), list(word_list)
        ordered = [*special, *words] if special_first else [*words, *special]
        counts = Counter(map(_word, ordered))
        twice = [word for word, count in counts.items() if count > 1]
        if twice:
            raise fail("E0404", f"the word {twice[0]!r} comes twice")
        return cls({word: number for number, word in enumerate(ordered)})

    @classmethod
    def from_file(
        cls, file_path: str, delimiter: str = "", vocab_size: int | None = None,
        special_tokens: Sequence[str] | None = None, special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """The words at the starts of lines, up to `delimiter`; `vocab_size` of them at most.

        Raises
        ------
        S2sadError
            E0604 where the file cannot be read.
        """
        try:
            with open(file_path, encoding="utf-8") as file:
                lines = file.read().splitlines()
        except OSError as error:
            raise fail("E0604", f"{file_path} cannot be read: {error.strerror}") from error
        words = [line.split(delimiter)[0] if delimiter else line for line in lines]
        limit = optional("vocab_size", vocab_size)
        return cls.from_list(words[:limit], special_tokens, special_first)

    @classmethod
    def from_dataset(
        cls, dataset: Dataset, columns: str | list[str] | None = None,
        freq_range: tuple[int | None, int | None] | None = None, top_k: int | None = None,
        special_tokens: Sequence[str] | None = None, special_first: bool = True,
    ) -> Vocab:  # fmt: skip
        """The words of `columns` (all by default), the most frequent first, then by alphabet.

        Parameters
        ----------
        freq_range : (least, most), optional
            How often a word comes that is taken; None is no bound.
        top_k : int, optional
            How many are taken at most.
        """
        names = [columns] if isinstance(columns, str) else columns
        counts: Counter[str] = Counter()
        for row in dataset.create_tuple_iterator(names, num_epochs=1, output_numpy=True):
            for column in row:
                counts.update(map(str, column.reshape(-1).tolist()))
        least, most = freq_range or (None, None)
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        words = [
            word for word in ordered
            if (least or 0) <= counts[word] <= (counts[word] if most is None else most)
        ]  # fmt: skip
        return cls.from_list(words[: optional("top_k", top_k)], special_tokens, special_first)

    def vocab(self) -> dict[str, int]:
        """Number of each word."""
        return dict(self._ids)

    def tokens_to_ids(self, tokens: str | Iterable[str]) -> int | list[int]:
        """Numbers of words; -1 for those that are not there."""
        if isinstance(tokens, str):
            return self._ids.get(tokens, -1)
        return [self._ids.get(str(token), -1) for token in tokens]

    def ids_to_tokens(self, ids: int | Iterable[int]) -> str | list[str]:
        """Words of numbers; empty for those that are not there."""
        if isinstance(ids, (int, np.integer)):
            return self._words.get(int(ids), "")
        return [self._words.get(int(number), "") for number in ids]


def _word(given: Any) -> str:
    if not isinstance(given, str):
        raise fail("E0303", f"a word is a str, got {given!r}")
    return given
