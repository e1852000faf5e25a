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


def test_a_pipeline_for_bert():
    vocab = text.Vocab.from_list(["[CLS]", "[UNK]", "book", "##s", "!"])
    data = ds.GeneratorDataset(["Books!", "pens"], "text", shuffle=False)
    steps = [text.BertTokenizer(vocab, lower_case=True), text.AddToken("[CLS]")]
    data = data.map(steps, "text").map(text.Lookup(vocab), "text").map(text.Truncate(3), "text")
    assert [x.tolist() for (x,) in data] == [[0, 2, 3], [0, 1]]


def test_offsets_become_columns():
    data = ds.GeneratorDataset(["to be"], "text")
    names = ["words", "starts", "ends"]
    data = data.map(text.WhitespaceTokenizer(with_offsets=True), "text", names)
    ((words, starts, ends),) = data.create_tuple_iterator(output_numpy=True)
    assert words.tolist() == ["to", "be"] and starts.tolist() == [0, 3] and ends.tolist() == [2, 5]


def test_a_tokenizer_of_the_users():
    assert text.PythonTokenizer(lambda x: x.split("-"))("a-b").tolist() == ["a", "b"]


REFUSED = {
    "no text": ("E0301", lambda: text.CaseFold()(np.arange(2))),
    "texts for one": ("E0401", lambda: text.BasicTokenizer()(np.array(["a", "b"]))),
    "no flag": ("E0303", lambda: text.WhitespaceTokenizer(with_offsets=1)),
    "no form": ("E0304", lambda: text.NormalizeUTF8("NFC")),
    "no vocabulary": ("E0304", lambda: text.BertTokenizer({"a": 0})),
    "no unknown": ("E0303", lambda: text.WordpieceTokenizer(text.Vocab({}), unknown_token=None)),
    "rows of words": ("E0401", lambda: text.WordpieceTokenizer(text.Vocab({}))([["a"]])),
    "a pattern of ICU": ("E0404", lambda: text.RegexTokenizer(r"\p{P}")),
    "no such group": ("E0404", lambda: text.RegexReplace("(a)", "$2")),
    "no pattern": ("E0303", lambda: text.RegexReplace(1, "")),
    "no count": ("E0404", lambda: text.Ngram(0)),
    "no counts": ("E0404", lambda: text.Ngram([])),
    "a pad": ("E0303", lambda: text.Ngram(2, "_")),
    "an axis": ("E0404", lambda: text.SlidingWindow(2, 1)),
    "a matrix": ("E0401", lambda: text.SlidingWindow(2)(np.zeros((2, 2)))),
    "one text": ("E0401", lambda: text.AddToken("a")("b")),
    "no token": ("E0303", lambda: text.AddToken(1)),
    "no numbers": ("E0404", lambda: text.ToNumber(ms.bool_)),
    "no function": ("E0304", lambda: text.PythonTokenizer("split")),
    "jieba": ("E0220", lambda: text.JiebaTokenizer),
    "sentencepiece": ("E0220", lambda: text.SentencePieceTokenizer),
    "vectors": ("E0220", lambda: text.GloVe),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_its_code(case):
    code, call = REFUSED[case]
    with pytest.raises(S2sadError) as caught:
        call()
    assert caught.value.code == code
    assert code != "E0220" or caught.value.diagnostic.help
