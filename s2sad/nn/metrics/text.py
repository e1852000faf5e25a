"""How good are predictions of words?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.nn.metrics.metric import Metric, rearrange_inputs
from s2sad.ops.settings import flag, integer


class Perplexity(Metric):
    """``exp`` of the mean of ``-log`` of the probabilities that right words got.

    Parameters
    ----------
    ignore_label : int, optional
        A word that does not count.

    Raises
    ------
    S2sadError
        E0303 for a label that is no int, E0401 for shapes that do not fit, E0404 where nothing was
        seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> round(ms.nn.Perplexity()([[0.2, 0.5], [0.3, 0.1], [0.9, 0.6]], [1, 0, 1]), 6)
    2.231443
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = None if ignore_label is None else integer("ignore_label", ignore_label)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._sum_metric, self._num_inst = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at probabilities (..., C) and the words (...)."""
        given, labels = self._pair(inputs)
        if given.shape[:-1] != labels.shape:
            raise fail("E0401", f"words of shape {labels.shape} for shape {given.shape}")
        words = labels.reshape(-1).astype(np.int64)
        rows = given.reshape(len(words), given.shape[-1])
        counts = (
            np.full(words.shape, True) if self.ignore_label is None else words != self.ignore_label
        )
        right = rows[np.flatnonzero(counts), words[counts]]
        self._sum_metric -= float(np.log(np.maximum(1e-10, right)).sum())
        self._num_inst += int(counts.sum())

    def eval(self) -> float:
        """The perplexity, a float."""
        self._require_seen(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)


class BleuScore(Metric):
    """BLEU: how many sequences of words a translation shares with references, 1 being best.

    Source: K. Papineni et al., BLEU: a method for automatic evaluation of machine translation,
    2002.

    Parameters
    ----------
    n_gram : int
        The longest sequences, 1 to 4 words.
    smooth : bool
        Whether 1 is added to all counts.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting that cannot be, E0401 for other than as many references as
        translations, E0404 where nothing was seen.

    Examples
    --------
    >>> import s2sad as ms
    >>> translations = ["i have a pen on my desk".split()]
    >>> references = [["i have a pen in my desk".split(), "there is a pen on the desk".split()]]
    >>> round(float(ms.nn.BleuScore()(translations, references)), 6)
    0.594604
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        if integer("n_gram", n_gram, 1) > 4:
            raise fail("E0404", f"n_gram is 1 to 4, got {n_gram}")
        self.n_gram, self.smooth = n_gram, flag("smooth", smooth)
        self.clear()

    def clear(self) -> None:
        """Forget what was seen."""
        self._shared, self._all = np.zeros(self.n_gram), np.zeros(self.n_gram)
        self._length = self._reference_length = 0

    @rearrange_inputs
    def update(self, *inputs: Any) -> None:
        """Look at translations, lists of words, and for each a list of references."""
        self._require_count(inputs, 2)
        translations, references = inputs
        if len(translations) != len(references):
            raise fail(
                "E0401", f"{len(references)} lists of references for {len(translations)} of words"
            )
        for words, those in zip(translations, references, strict=True):
            self._length += len(words)
            lengths = [len(reference) for reference in those]
            self._reference_length += min(lengths, key=lambda n: abs(len(words) - n))
            found, known = self._sequences(words), Counter[tuple[str, ...]]()
            for reference in those:
                known |= self._sequences(reference)
            for sequence, count in (found & known).items():
                self._shared[len(sequence) - 1] += count
            for sequence, count in found.items():
                self._all[len(sequence) - 1] += count

    def _sequences(self, words: Sequence[str]) -> Counter[tuple[str, ...]]:
        return Counter(
            tuple(words[start : start + size])
            for size in range(1, self.n_gram + 1)
            for start in range(len(words) - size + 1)
        )

    def eval(self) -> Any:
        """The score, from 0 to 1."""
        self._require_seen(self._length)
        if self._shared.min() == 0:
            return np.float64(0.0)
        more = int(self.smooth)
        mean = np.exp(np.mean(np.log((self._shared + more) / (self._all + more))))
        ratio = self._reference_length / self._length
        return mean * (1.0 if self._length > self._reference_length else np.exp(1 - ratio))
