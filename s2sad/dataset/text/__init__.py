"""What MindSpore offers under ``mindspore.dataset.text``, as far as programs use it: words."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.dataset.text.tokens import (
    Lookup,
    TruncateSequencePair,
    UnicodeCharTokenizer,
    WhitespaceTokenizer,
    to_bytes,
    to_str,
)
from s2sad.dataset.text.vocab import Vocab

__all__ = [
    "Lookup", "TruncateSequencePair", "UnicodeCharTokenizer", "Vocab", "WhitespaceTokenizer",
    "to_bytes", "to_str",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.dataset.text", name, __all__)
