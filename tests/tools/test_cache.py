"""Does `s2sad cache` show what is kept, and change it as asked?"""

from __future__ import annotations

import os

import pytest

from s2sad.core.cache import SUMS, Cache, digest


@pytest.fixture
def kept(tmp_path, monkeypatch):
    for name in ("S2SAD_CACHE", "S2SAD_CACHE_LIMIT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("TZ", "UTC")
    return Cache(tmp_path / "cache")


def fill(kept, kind, *sizes):
    """Entries of these sizes; `SUMS` takes 67 of the bytes."""
    for number, size in enumerate(sizes):
        path = kept.store(
            kind, digest(kind, str(number)),
            lambda folder, size=size: (folder / "a").write_bytes(b"\0" * (size - 68)),
        )  # fmt: skip
        day = 86400 * (number + 1)
        os.utime(path / SUMS, (day, day))


def test_an_empty_one(s2sad, kept):
    assert s2sad("cache").out == f"{kept.folder}: 0 entries, 0 B of 1.07 GB\n"


def test_each_kind_has_a_line(s2sad, kept):
    fill(kept, "runtime", 4_000_000)
    fill(kept, "program", 1000, 500)
    code, out, err = s2sad("cache")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"{kept.folder}: 3 entries, 4 MB of 1.07 GB"
    assert lines[1].split() == ["kind", "last", "used", "entries", "size"]
    assert [line.split()[0] for line in lines[2:]] == ["program", "runtime"]
    assert lines[2].split()[-3:] == ["2", "1.5", "KB"]
    assert lines[2].split()[1].startswith("1970-01-0")
    assert lines[3].split()[-3:] == ["1", "4", "MB"]


def test_a_limit_is_kept_and_entries_beyond_it_go(s2sad, kept):
    fill(kept, "program", 600, 500)
    out = s2sad("cache", "--limit", "1KB").out
    assert out.startswith(f"{kept.folder}: 1 entry, 500 B of 1 KB\n")
    assert kept.limit() == 1000
    assert s2sad("cache").out == out


def test_a_limit_that_is_no_size_changes_nothing(s2sad, kept):
    fill(kept, "program", 600)
    code, _, err = s2sad("cache", "--limit", "small")
    assert code == 2 and err.startswith("[E0404] 'small' is no size")
    assert len(kept.entries()) == 1


def test_clearing_removes_all(s2sad, kept):
    fill(kept, "program", 600, 500)
    out = s2sad("cache", "--clear").out
    assert out == f"removed 2 entries, 1.1 KB\n{kept.folder}: 0 entries, 0 B of 1.07 GB\n"
    assert kept.entries() == []


def test_one_that_is_off_says_so(s2sad, kept, monkeypatch):
    monkeypatch.setenv("S2SAD_CACHE", "0")
    code, out, _ = s2sad("cache", "--clear")
    assert code == 0 and out.startswith("the cache is off (S2SAD_CACHE=0)")


def test_one_that_others_may_write_is_refused(s2sad, kept):
    kept.folder.mkdir()
    kept.folder.chmod(0o777)
    code, _, err = s2sad("cache", "--clear")
    assert code == 2 and err.startswith("[E0605] ")
