"""What MindSpore offers under ``mindspore.dataset.text``, as far as programs use it: words."""

from s2sad.core.diagnostics import fail as _fail
from s2sad.core.elsewhere import missing as _missing
from s2sad.dataset.text.bert import BasicTokenizer, BertTokenizer, WordpieceTokenizer
from s2sad.dataset.text.normal import CaseFold, NormalizeForm, NormalizeUTF8, RegexReplace
from s2sad.dataset.text.sequences import (
    AddToken,
    Ngram,
    SlidingWindow,
    ToNumber,
    Truncate,
    TruncateSequencePair,
)
from s2sad.dataset.text.spans import to_bytes, to_str
from s2sad.dataset.text.tokens import (
    Lookup,
    PythonTokenizer,
    RegexTokenizer,
    UnicodeCharTokenizer,
    WhitespaceTokenizer,
)
from s2sad.dataset.text.vocab import Vocab

__all__ = [
    "AddToken", "BasicTokenizer", "BertTokenizer", "CaseFold", "Lookup", "Ngram", "NormalizeForm",
    "NormalizeUTF8", "PythonTokenizer", "RegexReplace", "RegexTokenizer", "SlidingWindow",
    "ToNumber", "Truncate", "TruncateSequencePair", "UnicodeCharTokenizer", "Vocab",
    "WhitespaceTokenizer", "WordpieceTokenizer", "to_bytes", "to_str",
]  # fmt: skip

_JIEBA = "it needs the dictionaries of jieba: install that, and map PythonTokenizer(jieba.lcut)"
_PIECES = (
    "it needs the library sentencepiece: install that, and map PythonTokenizer(processor.encode)"
)
_VECTORS = "it needs files of vectors: read them, and map Lookup and a function that takes rows"
_SCRIPTS = "it needs the table of scripts of Unicode, which Python lacks: map RegexTokenizer"

#: Names of MindSpore for which something is missing here, and what to do instead.
_LACKING = {
    "JiebaTokenizer": _JIEBA, "JiebaMode": _JIEBA,
    "SentencePieceTokenizer": _PIECES, "SentencePieceVocab": _PIECES,
    "SentencePieceModel": _PIECES, "SPieceTokenizerOutType": _PIECES,
    "SPieceTokenizerLoadType": _PIECES,
    "CharNGram": _VECTORS, "FastText": _VECTORS, "GloVe": _VECTORS, "ToVectors": _VECTORS,
    "Vectors": _VECTORS,
    "UnicodeScriptTokenizer": _SCRIPTS,
    "FilterWikipediaXML": "map a function of your own, or several RegexReplace",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name in _LACKING:
        raise _fail("E0220", f"s2sad.dataset.text has no {name!r}", help=_LACKING[name])
    raise _missing("s2sad.dataset.text", name, __all__)
