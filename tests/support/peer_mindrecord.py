"""Do MindSpore and s2sad read files of MindRecord that the other has written? Run by hand.

::

    python tests/support/peer_mindrecord.py write mindspore tests/mindrecord/of_mindspore
    python tests/support/peer_mindrecord.py write s2sad SOME_FOLDER
    python tests/support/peer_mindrecord.py read mindspore SOME_FOLDER

The first command made the files that ``tests/mindrecord/test_peers.py`` reads; the README beside
them has the output of the last.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

#: Integers at both sides of each width.
EDGES = [0, 1, -1, 127, 128, -32, -33, -128, -129, 255, 256, 32767, 32768, -32768, -32769, 65535,
         65536, 2**31 - 1, 2**31, 2**32, -(2**31), -(2**31) - 1, 2**62, -(2**63)]  # fmt: skip
#: MindDataset of MindSpore gives 1e30 and 1e-30 as well; its FileReader has other numbers for them.
FLOATS = [0.0, -0.0, 0.1, 1.5, -1e15, float("inf"), 1e-3]

#: Schema, number of files, fields of the index, and calls of write_raw_data with their rows.
MIXED = (
    {
        "name": {"type": "string"}, "small": {"type": "int32"}, "large": {"type": "int64"},
        "rate": {"type": "float64"}, "half": {"type": "float32"}, "data": {"type": "bytes"},
        "map": {"type": "float32", "shape": [2, -1]}, "ids": {"type": "int64", "shape": [-1]},
        "few": {"type": "int32", "shape": [3]}, "wide": {"type": "float64", "shape": [2]},
    },
    1, ["name", "small"],
    [[
        {
            "name": f"{'é' * (number * 7 % 300)}{number}", "small": number - 3,
            "large": EDGES[number], "rate": FLOATS[number % 7], "half": FLOATS[number % 4],
            "data": bytes([number, 0]) * number,
            "map": np.arange(4, dtype=np.float32).reshape(2, 2),
            "ids": np.array(EDGES[: number + 1]), "few": np.array([number, -1, 70000], np.int32),
            "wide": np.array([0.1, number]),
        }
        for number in range(len(EDGES))
    ]],
)  # fmt: skip
#: Only scalars, in three files, and rows by two calls.
SCALARS = (
    {"x": {"type": "int64"}, "f": {"type": "float32"}}, 3, None,
    [[{"x": x, "f": x / 7} for x in range(10)], [{"x": x, "f": 0.0} for x in range(10, 14)]],
)  # fmt: skip
#: More than fits in a page.
PAGES = (
    {"data": {"type": "bytes"}, "x": {"type": "int32"}}, 1, None,
    [[{"data": bytes([x % 256]) * (3000 + x), "x": x} for x in range(25)]] * 2,
)  # fmt: skip
ONE_ARRAY = (
    {"v": {"type": "int32", "shape": [-1]}}, 1, None,
    [[{"v": np.arange(n, dtype=np.int32)} for n in range(1, 6)]],
)  # fmt: skip
CASES = {"mixed": MIXED, "scalars": SCALARS, "pages": PAGES, "one_array": ONE_ARRAY}


def write(library, folder):
    for name, (schema, shards, indices, calls) in CASES.items():
        writer = library.FileWriter(str(folder / f"{name}.mindrecord"), shards, True)
        writer.set_header_size(1 << 14)
        writer.set_page_size(1 << 15)
        writer.add_schema(schema, f"of {name}")
        if indices:
            writer.add_index(indices)
        for rows in calls:
            writer.write_raw_data([dict(row) for row in rows])
        writer.commit()


def file_of(folder, name):
    """The file to be read; the first of several."""
    return str(folder / f"{name}.mindrecord{'0' * (CASES[name][1] > 1)}")


def expected(name):
    """The rows of a case, in order."""
    return [row for rows in CASES[name][3] for row in rows]


def described(value):
    if isinstance(value, np.ndarray):
        return value.dtype.name, value.shape, value.tobytes()
    return repr(value)


def same(found, wanted):
    """Whether two rows are equal bit by bit; MindSpore gives a float without a fraction as int."""
    if found.keys() != wanted.keys():
        return False
    pairs = [(found[name], wanted[name]) for name in wanted]
    return all(
        described(float(x)) == described(float(y)) or x == y == 0
        if isinstance(y, float) and isinstance(x, (int, float)) else described(x) == described(y)
        for x, y in pairs
    )  # fmt: skip


def differences(library, folder):
    """Of each case its name, how many rows there are, and numbers of those that differ."""
    for name in CASES:
        reader = library.FileReader(file_of(folder, name))
        rows, wanted = list(reader.get_next()), expected(name)
        reader.close()
        if CASES[name][1] > 1:  # which file a row goes to, MindSpore decides by chance
            rows.sort(key=lambda row: row["x"])
        pairs = enumerate(zip(rows, wanted, strict=False))
        wrong = [number for number, (x, y) in pairs if not same(x, y)]
        yield name, len(rows), wrong + ["count"] * (len(rows) != len(wanted))


def differences_of_columns(dataset, folder):
    """Numbers of the rows of ``mixed`` that differ as columns of MindDataset."""
    names = ["small", "large", "rate", "half", "name", "map", "ids", "few", "wide"]
    data = dataset.MindDataset(file_of(folder, "mixed"), names, shuffle=False)
    rows = list(data.create_dict_iterator(num_epochs=1, output_numpy=True))
    kinds = {"small": "int32", "large": "int64", "rate": "float64", "half": "float32"}
    wanted = [
        {name: np.array(row[name], kinds.get(name)) for name in names} for row in expected("mixed")
    ]
    assert len(rows) == len(wanted)
    return [n for n, pair in enumerate(zip(rows, wanted, strict=True)) if not same(*pair)]


def main(task, library, folder):
    module = importlib.import_module(f"{library}.mindrecord")
    if task == "write":
        write(module, Path(folder))
        return
    for name, count, wrong in differences(module, Path(folder)):
        print(f"{name:10} {count:3} rows, {'all equal' if not wrong else wrong}")
    wrong = differences_of_columns(importlib.import_module(f"{library}.dataset"), Path(folder))
    print(f"columns of MindDataset, {'all equal' if not wrong else wrong}")


if __name__ == "__main__":
    main(*sys.argv[1:])
