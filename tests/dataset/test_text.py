"""Do texts become words, and words numbers and back?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError
from s2sad.dataset import text


def test_vocabularies(tmp_path):
    words = text.Vocab.from_list(["b", "a"], ["<pad>"], special_first=False)
    assert words.vocab() == {"b": 0, "a": 1, "<pad>": 2}
    assert words.tokens_to_ids("a") == 1 and words.tokens_to_ids(["b", "c"]) == [0, -1]
    assert words.ids_to_tokens(2) == "<pad>" and words.ids_to_tokens([1, 9]) == ["a", ""]
    assert text.Vocab.from_dict({"x": 7}).ids_to_tokens(np.int64(7)) == "x"
    path = tmp_path / "words.txt"
    path.write_text("one,1\ntwo,2\ndrei ä,3\n", encoding="utf-8")
    assert list(text.Vocab.from_file(str(path), ",").vocab()) == ["one", "two", "drei ä"]
    assert list(text.Vocab.from_file(str(path), ",", 1, ["<s>"]).vocab()) == ["<s>", "one"]


def test_a_vocabulary_of_a_data_set():
    rows = [(["b", "a"], "c"), (["b", "d"], "b"), (["a", "a"], "e")]
    data = ds.GeneratorDataset(rows, ["x", "y"])
    assert list(text.Vocab.from_dataset(data).vocab()) == ["a", "b", "c", "d", "e"]
    assert list(text.Vocab.from_dataset(data, "x").vocab()) == ["a", "b", "d"]
    assert list(text.Vocab.from_dataset(data, freq_range=(2, None), top_k=1).vocab()) == ["a"]
    assert list(text.Vocab.from_dataset(data, freq_range=(None, 1)).vocab()) == ["c", "d", "e"]


def test_a_pipeline_of_words():
    vocab = text.Vocab.from_list(["to", "be", "or"], ["<unk>"])
    data = ds.GeneratorDataset(["to be", "or not"], "text", shuffle=False)
    data = data.map([text.WhitespaceTokenizer(), text.Lookup(vocab, "<unk>")]).batch(2)
    ((ids,),) = list(data)
    assert ids.dtype is ms.int32 and ids.tolist() == [[1, 2], [3, 0]]


def test_tokens():
    assert text.UnicodeCharTokenizer()(np.array("aä")).tolist() == ["a", "ä"]
    assert text.WhitespaceTokenizer()(np.array([b" a  b "])).tolist() == ["a", "b"]
    assert text.WhitespaceTokenizer()(np.array("")).tolist() == [""]
    assert text.to_bytes(np.array(["ä"])).tolist() == ["ä".encode()]
    assert text.to_str(text.to_bytes(np.array("ä"))) == "ä"
    pair = text.TruncateSequencePair(5)(np.arange(4), np.arange(3))
    assert [x.tolist() for x in pair] == [[0, 1, 2], [0, 1]]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: text.Vocab.from_list(["a", "a"]), "E0404"),
        (lambda: text.Vocab.from_list([3]), "E0303"),
        (lambda: text.Vocab.from_dict({"a": 1, "b": 1}), "E0404"),
        (lambda: text.Vocab.from_dict({"a": -1}), "E0404"),
        (lambda: text.Vocab.from_file("/no/such/file"), "E0604"),
        (lambda: text.Lookup({}), "E0304"),
        (lambda: text.Lookup(text.Vocab.from_list(["a"]), "b"), "E0404"),
        (lambda: text.Lookup(text.Vocab.from_list(["a"]))(np.array(["b"])), "E0404"),
        (lambda: text.WhitespaceTokenizer()(np.array(3)), "E0301"),
        (lambda: text.WhitespaceTokenizer()(np.array(["a", "b"])), "E0401"),
        (lambda: text.JiebaTokenizer, "E0220"),
    ],
)
def test_what_is_refused(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code, caught.value
