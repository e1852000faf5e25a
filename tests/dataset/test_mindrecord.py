"""Are rows of files of MindRecord the rows of a data set?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
import s2sad.dataset as ds
from s2sad.mindrecord import FileWriter
from support.refusals import fails


@pytest.fixture
def file(tmp_path):
    writer = FileWriter(str(tmp_path / "a.mindrecord"), 3)
    writer.add_schema({
        "x": {"type": "float32", "shape": [2]}, "y": {"type": "int32"}, "s": {"type": "string"},
        "data": {"type": "bytes"},
    })  # fmt: skip
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.write_raw_data([
        {"x": np.array([y, 0.5], np.float32), "y": y, "s": f"é{y}", "data": bytes([y, 0])}
        for y in range(20)
    ])  # fmt: skip
    writer.commit()
    return str(tmp_path / "a.mindrecord0")


def test_columns_and_their_dtypes(file):
    data = ds.MindDataset(file, shuffle=False)
    assert data.get_col_names() == ["data", "s", "x", "y"] and data.get_dataset_size() == 20
    rows = list(data.create_dict_iterator(output_numpy=True, num_epochs=1))
    assert [int(row["y"]) for row in rows] == list(range(20))
    assert {name: (str(x.dtype), x.shape) for name, x in rows[3].items()} == {
        "data": ("uint8", (2,)), "s": ("<U2", ()), "x": ("float32", (2,)), "y": ("int32", ()),
    }  # fmt: skip
    assert rows[3]["data"].tolist() == [3, 0] and rows[3]["s"] == "é3"
    rows[3]["x"][0] = 7  # it is its own


def test_some_columns_shuffled_and_sharded(file):
    ms.set_seed(3)
    data = ds.MindDataset(file, ["y"])
    one = [int(y) for (y,) in data.create_tuple_iterator(num_epochs=1)]
    assert sorted(one) == list(range(20)) and one != list(range(20))
    parts = [
        [int(y) for (y,) in ds.MindDataset(file, ["y"], num_shards=2, shard_id=k, shuffle=False)]
        for k in range(2)
    ]
    assert parts == [list(range(0, 20, 2)), list(range(1, 20, 2))]
    sampled = ds.MindDataset(file, ["y"], sampler=ds.SubsetSampler([5, 2]))
    assert [int(y) for (y,) in sampled] == [5, 2]
    assert len(list(ds.MindDataset(file, num_samples=4))) == 4


def test_rows_that_fill_up(file):
    data = ds.MindDataset(file, ["y", "s"], shuffle=False, padded_sample={"y": -1, "s": "no"},
                          num_padded=2)  # fmt: skip
    rows = list(data.create_tuple_iterator(output_numpy=True, num_epochs=1))
    assert [int(y) for y, _ in rows[-3:]] == [19, -1, -1] and rows[-1][1] == "no"
    fails("E0302", ds.MindDataset, file, num_padded=2)
    fails("E0404", ds.MindDataset, file, ["y"], padded_sample={"s": "no"}, num_padded=1)


def test_what_is_refused(file, tmp_path):
    fails("E0404", ds.MindDataset, file, ["z"])
    fails("E0604", ds.MindDataset, str(tmp_path / "none"))
    fails("E0712", ds.MindDataset, file, cache=object())
