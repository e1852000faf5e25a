"""What do the transforms of text give in MindSpore? Run in it: ``python record_text.py text.json``.

Recorded from MindSpore 2.10.0 (PyPI, CPU, NumPy 1.26, Python 3.11). A case is a transform, its
arguments, what it is given, and what it gave: arrays as lists, or None where it raised.
"""

from __future__ import annotations

import json
import sys
from typing import Any

VOCAB = [
    "[UNK]", "[CLS]", "[MASK]", "##ing", "##s", "##b", "b", "book", "my", "fav", "##or", "##ite",
    "favorite", "am", "mak", "make", "small", "mistake", "during", "work", "##er", "我", "是", "ä",
    "a", "h", "##e", "he", ",", "!", "hello",
]  # fmt: skip

TEXTS = [
    "Welcome to Beijing!", "  two  spaces ", "", "tab\tand\nnewline", "我是, Ünïcode ｆｕｌｌ",
    "[CLS] my favorite [MASK] [unused1] Books", "don't, stop!! a-b c_d",
    "héllo HÉLLO e\u0301 ﬁ ½ Å İß",
    "a\u3000b\u00a0c\u2003d", "x\u0000y \ufffd z\u200b.", "working workers making b " + "h" * 12,
    "12 3.5 １２ ²", "ΑΒΓσς Ǆ ŉ", "안녕 하세요", "😀 smile😀",
]  # fmt: skip

FORMS = ["NONE", "NFC", "NFKC", "NFD", "NFKD"]


def cases() -> list[tuple[str, dict[str, Any], list[Any]]]:
    """Name, keyword arguments and inputs: each text is an input, or each list of words is."""
    found: list[tuple[str, dict[str, Any], list[Any]]] = []
    for offsets in (False, True):
        more = {"with_offsets": offsets}
        found += [("WhitespaceTokenizer", more, TEXTS), ("UnicodeCharTokenizer", more, TEXTS)]
        for lower in (False, True):
            for keep in (False, True):
                for tokens in (False, True):
                    all_of = {
                        "lower_case": lower, "keep_whitespace": keep,
                        "preserve_unused_token": tokens, **more,
                    }  # fmt: skip
                    found.append(("BasicTokenizer", all_of, TEXTS))
                    found.append(("BertTokenizer", {"vocab": VOCAB, **all_of}, TEXTS))
        for form in FORMS:
            found.append(("BasicTokenizer", {"normalization_form": form, **more}, TEXTS))
        for unknown in ("[UNK]", ""):
            for most in (100, 8):
                pieces = {"vocab": VOCAB, "unknown_token": unknown, "max_bytes_per_token": most}
                words = [
                    ["my", "favorite", "books", "working"],
                    ["我", "xyz", "hello"],
                    "workers",
                    "",
                    ["h" * 12],
                ]
                found.append(("WordpieceTokenizer", {**pieces, **more}, words))
        for delimiter, kept in (
            (r"\s+", ""), (r"\s+", r"\s+"), (r"[,!\s]", "[,!]"), ("(a)|(o)", "a"),
        ):  # fmt: skip
            patterns = {"delim_pattern": delimiter, "keep_delim_pattern": kept}
            found.append(("RegexTokenizer", {**patterns, **more}, TEXTS))
    found += [("NormalizeUTF8", {"normalize_form": form}, TEXTS) for form in FORMS]
    found += [
        ("CaseFold", {}, TEXTS),
        ("RegexReplace", {"pattern": r"\s+", "replace": "_"}, TEXTS),
        ("RegexReplace", {"pattern": "(o)(.)", "replace": "$2$1", "replace_all": False}, TEXTS),
        ("RegexReplace", {"pattern": "[aeiou]", "replace": ""}, TEXTS),
    ]  # fmt: skip
    words = [["a", "b", "c", "d"], ["one"], ["x", "y"]]
    found += [
        ("Ngram", {"n": 2}, words), ("Ngram", {"n": [1, 3]}, words),
        ("Ngram", {"n": 3, "left_pad": ["_", 2], "right_pad": ["+", 1], "separator": "-"}, words),
        ("Ngram", {"n": [2], "left_pad": ["_", 5]}, words),
    ]  # fmt: skip
    numbers = [[1, 2, 3, 4, 5], [[1, 2, 3], [4, 5, 6]], [7]]
    found += [
        ("SlidingWindow", {"width": 2}, [numbers[0], numbers[2]]),
        ("SlidingWindow", {"width": 2, "axis": 0}, numbers),
        ("SlidingWindow", {"width": 3, "axis": -1}, [numbers[0]]),
        ("SlidingWindow", {"width": 2}, [["a", "bc", "d"]]),
        ("Truncate", {"max_seq_len": 2}, [["a", "b", "c"], ["a"], numbers[0], numbers[1]]),
        ("AddToken", {"token": "T"}, [["a", "b"], "one", [["a", "b"], ["c", "d"]]]),
        ("AddToken", {"token": "T", "begin": False}, [["a", "b"], [["a", "b"], ["c", "d"]]]),
    ]  # fmt: skip
    figures = [
        "12",
        " 12",
        "12 ",
        "-3",
        "+4",
        "1.9",
        "1e3",
        "abc",
        "",
        "300",
        "-129",
        "0x10",
        "nan",
        "inf",
        "1e400",
        "9223372036854775808",
        "true",
        "1_0",
    ]
    for dtype in ("int8", "uint8", "int32", "int64", "float32", "float64", "float16"):
        found.append(("ToNumber", {"data_type": dtype}, [*figures, ["1", "2"], [["1"], ["2"]]]))
    return found


def arguments(text: Any, mindspore: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What is put into a file as what the transform takes."""
    made = dict(given)
    if "vocab" in made:
        made["vocab"] = text.Vocab.from_list(made["vocab"])
    if "data_type" in made:
        made["data_type"] = getattr(mindspore, made["data_type"])
    for name in ("normalization_form", "normalize_form"):
        if name in made:
            made[name] = getattr(text.NormalizeForm, made[name])
    for name in ("left_pad", "right_pad"):
        if name in made:
            made[name] = tuple(made[name])
    return made


def plain(result: Any) -> list[Any]:
    """Arrays as lists, with their dtypes: a list of them for one array too."""
    parts = result if isinstance(result, tuple) else (result,)
    return [[part.dtype.str if part.dtype.kind != "U" else "U", part.tolist()] for part in parts]


def main(path: str) -> None:
    import mindspore  # noqa: PLC0415
    import numpy as np  # noqa: PLC0415
    from mindspore.dataset import text  # noqa: PLC0415

    rows = []
    for name, given, inputs in cases():
        transform = getattr(text, name)(**arguments(text, mindspore, given))
        results = []
        for value in inputs:
            try:
                results.append(plain(transform(np.array(value))))
            except (RuntimeError, TypeError, ValueError):
                results.append(None)
        rows.append({"name": name, "given": given, "inputs": inputs, "results": results})
    with open(path, "w", encoding="utf-8") as file:
        json.dump(rows, file, ensure_ascii=True, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
