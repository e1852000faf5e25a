"""Are files that MindSpore 2.10 wrote read as what was written, and are ours the same bytes?

`support/peer_mindrecord.py` says how they were made.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from s2sad import dataset, mindrecord
from support import peer_mindrecord as peer

FILES = Path(__file__).parent / "of_mindspore"


def test_each_row_is_what_was_written():
    assert [(name, wrong) for name, _, wrong in peer.differences(mindrecord, FILES)] == [
        (name, []) for name in peer.CASES
    ]
    assert peer.differences_of_columns(dataset, FILES) == []


def test_what_is_written_is_read(tmp_path):
    peer.write(mindrecord, tmp_path)
    assert [(name, wrong) for name, _, wrong in peer.differences(mindrecord, tmp_path)] == [
        (name, []) for name in peer.CASES
    ]
    assert peer.differences_of_columns(dataset, tmp_path) == []


def parted(path):
    data = path.read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    return header, data[header["header_size"] :]


@pytest.mark.parametrize("name", ["mixed", "one_array"])
def test_headers_and_pages_are_those_of_mindspore(tmp_path, name):
    """With several pages, they are in another order: MindSpore writes call by call."""
    peer.write(mindrecord, tmp_path)
    assert parted(tmp_path / f"{name}.mindrecord") == parted(FILES / f"{name}.mindrecord")
