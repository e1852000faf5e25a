"""Are rows kept, and is what does not fit, or is damaged, refused with the reason?"""

from __future__ import annotations

import random
import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad.core.diagnostics import S2sadError
from s2sad.mindrecord import FileReader, FileWriter, packing, set_enc_key
from support.refusals import fails

OF_MINDSPORE = Path(__file__).parent / "of_mindspore"
SCHEMA = {
    "name": {"type": "string"}, "x": {"type": "int32"}, "data": {"type": "bytes"},
    "v": {"type": "int64", "shape": [-1]},
}  # fmt: skip


def rows(count):
    return [
        {"name": f"n{x}", "x": x, "data": bytes([x % 256]) * x, "v": np.arange(x) - 3}
        for x in range(count)
    ]


def written(path, given, schema=SCHEMA, shards=1, page=1 << 15):
    writer = FileWriter(str(path), shards)
    writer.set_header_size(1 << 14)
    writer.set_page_size(page)
    writer.add_schema(schema)
    writer.write_raw_data(given)
    writer.commit()
    return writer


def same(found, wanted):
    pairs = zip(found, wanted, strict=True)
    return all(
        one.keys() == other.keys() and all(np.array_equal(one[k], other[k]) for k in one)
        for one, other in pairs
    )


@pytest.mark.parametrize("shards", [1, 3, 11])
def test_rows_come_back_in_order_from_one_file_of_several(tmp_path, shards):
    written(tmp_path / "a", rows(400), shards=shards)
    names = sorted(path.name for path in tmp_path.iterdir() if path.suffix != ".db")
    assert len(names) == shards
    for name in {names[0], names[-1]}:
        reader = FileReader(str(tmp_path / name))
        assert reader.len() == 400 and same(reader.get_next(), rows(400))
    assert FileReader([str(tmp_path / names[0])]).len() == 400 // shards


def test_some_columns(tmp_path):
    written(tmp_path / "a", rows(3))
    reader = FileReader(str(tmp_path / "a"), columns=["x", "v"])
    assert [sorted(row) for row in reader.get_next()] == [["v", "x"]] * 3
    assert reader.schema() == SCHEMA
    fails("E0404", FileReader, str(tmp_path / "a"), columns=["y"])
    reader.close()
    fails("E0706", lambda: list(reader.get_next()))


def test_raw_parts_larger_than_a_page_take_several(tmp_path):
    schema = {"s": {"type": "string"}}
    texts = [{"s": chr(65 + x % 26) * 5000} for x in range(40)]
    written(tmp_path / "a", texts, schema)
    assert same(FileReader(str(tmp_path / "a")).get_next(), texts)


def test_rows_that_do_not_fit_are_left_out_with_a_warning(tmp_path):
    wrong = [{"name": "a"}, {**rows(1)[0], "x": "1"}, {**rows(1)[0], "x": True},
             {**rows(1)[0], "v": np.zeros(2, np.int32)}]  # fmt: skip
    with pytest.warns(UserWarning, match="row 0 is left out: it has no field 'x'"):
        written(tmp_path / "a", [wrong[0], *rows(2)])
    assert same(FileReader(str(tmp_path / "a")).get_next(), rows(2))
    writer = FileWriter(str(tmp_path / "b"))
    writer.add_schema(SCHEMA)
    with pytest.warns(UserWarning, match="left out"):
        fails("E0404", writer.write_raw_data, wrong)
    fails("E0404", writer.write_raw_data, [{**rows(1)[0], "x": 2**31}])


def test_schemas_that_no_file_has():
    writer = FileWriter("unused")
    for wrong, code in (
        ({}, "E0303"), ({"a b": {"type": "int32"}}, "E0404"), ({"a": {"type": "uint8"}}, "E0404"),
        ({"a": {"type": "bytes", "shape": [1]}}, "E0404"), ({"a": "int32"}, "E0303"),
        ({"a": {"type": "int32", "shape": [-1, -1]}}, "E0404"),
        ({"a": {"type": "int32", "shape": 3}}, "E0303"),
    ):  # fmt: skip
        fails(code, writer.add_schema, wrong)
    fails("E0706", writer.write_raw_data, [{}])
    writer.add_schema(SCHEMA)
    fails("E0404", writer.add_index, ["v"])
    fails("E0404", writer.set_page_size, 100)
    fails("E0404", writer.set_header_size, (1 << 14) + 1)


def test_arguments_and_what_is_not_supported(tmp_path):
    fails("E0404", FileWriter, "a", 0)
    fails("E0404", FileWriter, "a*")
    fails("E0303", FileWriter, 3)
    fails("E0712", set_enc_key, "0123456789012345")
    fails("E0604", FileWriter.open_for_append, "a")
    set_enc_key(None)
    written(tmp_path / "a", rows(1))
    writer = FileWriter(str(tmp_path / "a"))
    writer.add_schema(SCHEMA)
    fails("E0604", writer.write_raw_data, rows(1))
    again = FileWriter(str(tmp_path / "a"), overwrite=True)
    again.add_schema(SCHEMA)
    again.write_raw_data(rows(2))
    again.commit()
    assert FileReader(str(tmp_path / "a")).len() == 2
    fails("E0706", again.write_raw_data, rows(2))


def test_a_row_larger_than_a_page(tmp_path):
    fails("E0404", written, tmp_path / "a", [{**rows(1)[0], "data": bytes(1 << 15)}])


def test_files_that_are_missing(tmp_path):
    written(tmp_path / "a", rows(9), shards=2)
    fails("E0604", FileReader, str(tmp_path / "b"))
    (tmp_path / "a1").unlink()
    fails("E0604", FileReader, str(tmp_path / "a0"))
    (tmp_path / "a0.db").unlink()
    fails("E0604", FileReader, [str(tmp_path / "a0")])


def load(path):
    try:
        return list(FileReader([str(path)]).get_next())
    except S2sadError as error:
        return error


def test_damaged_files_are_refused_or_read_as_they_stand(tmp_path):
    written(tmp_path / "a", rows(20))
    whole, refusals = (tmp_path / "a").read_bytes(), 0
    for seed in range(150):
        chance, data = random.Random(seed), bytearray(whole)
        begin = chance.choice([0, 1 << 14, (1 << 14) + (1 << 15)])
        for _ in range(chance.choice([1, 3])):
            place = begin + chance.randrange(300)
            if place < len(data):
                data[place] = chance.randrange(256)
        if seed % 10 == 0:
            del data[chance.randrange(len(data)) :]
        (tmp_path / "a").write_bytes(data)
        found = load(tmp_path / "a")
        if isinstance(found, S2sadError):
            assert found.code in ("E0608", "E0712"), seed
            refusals += 1
    assert refusals > 50


def test_a_damaged_index(tmp_path):
    written(tmp_path / "a", rows(3))
    index = tmp_path / "a.db"
    whole = index.read_bytes()
    with sqlite3.connect(index) as connection:
        connection.execute("UPDATE INDEXES SET PAGE_OFFSET_BLOB_END = 1 WHERE ROW_ID = 1")
    connection.close()
    assert load(tmp_path / "a").code == "E0608"
    for data in (b"", whole[:100], b"x" * 4096):
        index.write_bytes(data)
        assert load(tmp_path / "a").code == "E0608"


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()))
def test_maps_come_back(fields):
    found = packing.unpack_map(packing.pack_map(fields))
    assert repr(dict(sorted(found.items()))) == repr(dict(sorted(fields.items())))


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-300, 300)))
def test_integers_come_back(values):
    array = np.array(values, np.int64)
    assert packing.unpack_integers(packing.pack_integers(array), np.dtype(np.int64)).tolist() == (
        values
    )


def test_a_text_of_each_length_comes_back():
    for size in (31, 32, 255, 256, 65535, 65536):
        assert packing.unpack_map(packing.pack_map({"a": "x" * size})) == {"a": "x" * size}
    many = {f"k{number}": number for number in range(40)}
    assert packing.unpack_map(packing.pack_map(many)) == many


def test_scripts_find_it_where_mindspore_has_it(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "from mindspore.mindrecord import FileWriter\n"
        "from mindspore.dataset.text import Vocab\n"
        "print(FileWriter.__name__, Vocab.__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "s2sad", "run", str(script)], capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.stdout.split() == ["FileWriter", "Vocab"], done.stderr


def appended(path, given):
    writer = FileWriter.open_for_append(str(path))
    for place in range(0, len(given), 50):
        writer.write_raw_data(given[place : place + 50])
    return writer


@pytest.mark.parametrize("shards", [1, 3])
def test_rows_are_added_behind_those_that_are_there(tmp_path, shards):
    written(tmp_path / "a", rows(150), shards=shards)
    name = tmp_path / ("a" if shards == 1 else "a2")
    appended(name, rows(120)).commit()
    appended(name, rows(1)).commit()
    reader = FileReader(str(name))
    assert reader.len() == 271 and reader.schema() == SCHEMA
    found = sorted(row["x"] for row in reader.get_next())
    assert found == sorted([*range(150), *range(120), 0])
    if shards == 1:
        assert same(reader.get_next(), [*rows(150), *rows(120), *rows(1)])


def test_rows_are_added_to_files_of_mindspore(tmp_path):
    for suffix in ("", ".db"):
        shutil.copy(OF_MINDSPORE / f"mixed.mindrecord{suffix}", tmp_path)
    path = tmp_path / "mixed.mindrecord"
    before = list(FileReader(str(path)).get_next())
    appended(path, before).commit()
    assert same(FileReader(str(path)).get_next(), before * 2)


def test_a_writer_that_is_dropped_leaves_the_rows_that_were_there(tmp_path):
    written(tmp_path / "a", rows(90))
    writer = appended(tmp_path / "a", rows(200))
    del writer
    assert same(FileReader(str(tmp_path / "a")).get_next(), rows(90))
    appended(tmp_path / "a", rows(3)).commit()
    assert same(FileReader(str(tmp_path / "a")).get_next(), [*rows(90), *rows(3)])


def test_a_writer_may_be_dropped_on_another_thread(tmp_path):
    held = [FileWriter(str(tmp_path / "a"))]
    held[0].add_schema({"n": {"type": "int64"}})
    held[0].write_raw_data([{"n": 1}])
    index = held[0]._shards[0]._index
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        index.execute("SELECT 1")


def test_what_is_there_stays_as_it_is(tmp_path):
    written(tmp_path / "a", rows(2))
    writer = FileWriter.open_for_append(str(tmp_path / "a"))
    for call in (
        lambda: writer.add_schema(SCHEMA), lambda: writer.add_index(["x"]),
        lambda: writer.set_page_size(1 << 16), lambda: writer.set_header_size(1 << 15),
    ):  # fmt: skip
        fails("E0706", call)
    (tmp_path / "a.db").unlink()
    fails("E0608", FileWriter.open_for_append, str(tmp_path / "a"))
    (tmp_path / "a").write_bytes(b"abc")
    fails("E0608", FileWriter.open_for_append, str(tmp_path / "a"))
