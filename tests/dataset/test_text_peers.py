"""Do transforms of text give what MindSpore 2.10 gives? See `of_mindspore/record_text.py`.

They differ where that gives something wrong: words twice, offsets of words that are not there, and
the first digits of what is no number.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dataset.of_mindspore import record_text

import s2sad as ms
from s2sad.core.diagnostics import S2sadError
from s2sad.dataset import text

RECORDED = json.loads((Path(__file__).parent / "of_mindspore" / "text.json").read_text())
CASES = {
    f"{number}-{row['name']}": row for number, row in enumerate(RECORDED)
}  # fmt: skip


def is_wrong(row: dict[str, Any], value: Any, theirs: Any) -> bool:
    """Whether what MindSpore gives is known to be wrong."""
    name, given = row["name"], row["given"]
    if name in ("BasicTokenizer", "BertTokenizer") and given.get("lower_case"):
        return given["preserve_unused_token"] and "[MASK]" in value  # the text before comes twice
    if name != "ToNumber":
        return False
    is_part = value in ("1.9", "1e3", "1e400") and theirs is not None and "f" not in theirs[0][0]
    return is_part or value in ("0x10", "1_0")


def has_wrong_offsets(row: dict[str, Any], value: Any, theirs: Any) -> bool:
    """Whether they are those of pieces that are not there, or of the unknown word itself."""
    if row["name"] not in ("BertTokenizer", "WordpieceTokenizer") or len(theirs) == 1:
        return False
    longest = row["given"].get("max_bytes_per_token", 100)
    is_long = any(len(word.encode()) > longest for word in np.array(value).reshape(-1))
    return is_long or len(theirs[0][1]) != len(theirs[1][1])


def found_by(transform: Any, value: Any) -> Any:
    try:
        return record_text.plain(transform(np.array(value)))
    except S2sadError:
        return None


@pytest.mark.parametrize("case", CASES)
def test_the_same_as_in_mindspore(case):
    row = CASES[case]
    given = record_text.arguments(text, ms, row["given"])
    transform = getattr(text, row["name"])(**given)
    compared = 0
    for value, theirs in zip(row["inputs"], row["results"], strict=True):
        if is_wrong(row, value, theirs):
            continue
        found, compared = found_by(transform, value), compared + 1
        if theirs is not None and has_wrong_offsets(row, value, theirs):
            found, theirs = found[:1], theirs[:1]
        np.testing.assert_equal(found, theirs, err_msg=repr(value))
    assert compared > len(row["inputs"]) // 2


def test_what_is_recorded_are_the_cases():
    made = json.loads(json.dumps(record_text.cases()))
    assert [[row["name"], row["given"], row["inputs"]] for row in RECORDED] == made


def test_unused_words_stay_and_the_rest_is_folded():
    words = text.BasicTokenizer(lower_case=True)("[CLS] My [MASK] [UNUSED1] [unused12]É")
    assert words.tolist() == ["[CLS]", "my", "[MASK]", "[unused1]", "[unused12]", "e"]


def test_offsets_are_those_of_the_pieces():
    vocab = text.Vocab.from_list(["work", "##ing", "[UNK]"])
    found = text.BertTokenizer(vocab, with_offsets=True)("working workxx")
    assert [x.tolist() for x in found] == [["work", "##ing", "[UNK]"], [0, 4, 8], [4, 7, 14]]


@pytest.mark.parametrize("figures", ["1.9", "1e3", "0x10", "1_0", "１２", "inf"])
def test_figures_are_whole_numbers_or_none(figures):
    with pytest.raises(ValueError, match="E0404.*is no number of int32"):
        text.ToNumber(ms.int32)(figures)
