"""Is what was stored found again as it was, whoever else writes, is killed, or meddles?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from s2sad.core import cache as caches
from s2sad.core import cachefolder
from s2sad.core.cache import SUMS, Cache, cache, digest, is_whole, parse_size
from s2sad.core.cachefolder import default_folder
from s2sad.core.diagnostics import S2sadError

ROOT = Path(__file__).parents[2]
NAME = digest("a source")


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("S2SAD_CACHE", "S2SAD_CACHE_DIR", "S2SAD_CACHE_LIMIT", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def kept(tmp_path):
    return Cache(tmp_path / "cache")


def writer(text="text", size=0):
    """Writes two files into the folder of an entry."""

    def write(folder):
        (folder / "a.c").write_text(text, encoding="utf-8")
        (folder / "b.so").write_bytes(b"\0" * size)

    return write


def python(program, *arguments, **options):
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def refused(code, function, *arguments):
    with pytest.raises(S2sadError) as caught:
        function(*arguments)
    assert caught.value.code == code
    return str(caught.value)


def leftovers(kept):
    return sorted(kept.folder.rglob(".*"))


def test_what_was_stored_is_found(kept):
    assert kept.find("program", NAME) is None
    path = kept.store("program", NAME, writer("one"))
    assert path == kept.folder / "program" / NAME == kept.find("program", NAME)
    assert sorted(file.name for file in path.iterdir()) == ["a.c", "b.so", SUMS]
    assert (path / "a.c").read_text(encoding="utf-8") == "one"
    assert kept.find("runtime", NAME) is None and kept.find("program", digest("other")) is None
    assert leftovers(kept) == []


def test_an_entry_is_made_once(kept):
    kept.entry("program", NAME, writer("one"))
    path = kept.entry("program", NAME, writer("two"))
    assert (path / "a.c").read_text(encoding="utf-8") == "one"


def test_parts_of_a_digest_are_told_apart():
    assert len({digest("ab", "c"), digest("a", "bc"), digest("abc"), digest("abc", "")}) == 4
    assert digest("é") == digest("é".encode()) and len(digest()) == 64


def test_a_writer_that_fails_leaves_nothing(kept):
    def write(folder):
        writer()(folder)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept.store("program", NAME, write)
    assert kept.find("program", NAME) is None
    assert leftovers(kept) == [] and kept.entries() == []


def truncate(path):
    (path / "b.so").write_bytes(b"\0" * 5)


def change(path):
    (path / "b.so").write_bytes(b"\0" * 9 + b"\1")


def lose(path):
    (path / "a.c").unlink()


def add(path):
    (path / "c.so").write_bytes(b"")


def lose_sums(path):
    (path / SUMS).unlink()


def empty_sums(path):
    (path / SUMS).write_bytes(b"")


def spoil_sums(path):
    (path / SUMS).write_bytes(b"\xff\xfe")


def empty(path):
    for file in path.iterdir():
        file.unlink()


def nest(path):
    (path / "inner").mkdir()


DAMAGES = (truncate, change, lose, add, lose_sums, empty_sums, spoil_sums, empty, nest)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_is_dropped_and_made_again(kept, damage):
    path = kept.store("program", NAME, writer("one", 10))
    damage(path)
    assert kept.find("program", NAME) is None and not path.exists()
    assert kept.entry("program", NAME, writer("two", 10)) == path
    assert is_whole(path) and (path / "a.c").read_text(encoding="utf-8") == "two"
    assert leftovers(kept) == []


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_entry_gives_way_to_a_new_one(kept, damage):
    path = kept.store("program", NAME, writer("one", 10))
    damage(path)
    kept.store("program", NAME, writer("two", 10))
    assert is_whole(path) and (path / "a.c").read_text(encoding="utf-8") == "two"


def test_a_file_in_the_place_of_an_entry_is_dropped(kept):
    path = kept.store("program", NAME, writer())
    kept.clear()
    path.write_text("no folder", encoding="utf-8")
    assert kept.find("program", NAME) is None
    assert is_whole(kept.store("program", NAME, writer()))


def test_of_two_writers_both_get_a_whole_entry(kept):
    def write(folder):
        Cache(kept.folder).store("program", NAME, writer("quicker"))
        writer("slower")(folder)

    path = kept.store("program", NAME, write)
    assert is_whole(path) and (path / "a.c").read_text(encoding="utf-8") == "quicker"
    assert leftovers(kept) == []


WRITERS = """
import sys
from pathlib import Path
from s2sad.core.cache import Cache, digest
kept = Cache(Path(sys.argv[1]))
for number in range(40):
    name = digest(str(number % 10))
    path = kept.entry("program", name, lambda folder: (folder / "a").write_bytes(b"x" * 2000))
    if number % 7 == int(sys.argv[2]):
        kept.clear()
    kept.trim()
    kept.entries()
"""


def test_several_processes_may_write_read_and_clear_at_once(kept):
    running = [python(WRITERS, kept.folder, number) for number in range(4)]
    said = [(process.communicate(timeout=60)[1], process.returncode) for process in running]
    assert said == [("", 0)] * 4
    assert all(is_whole(entry.path) for entry in kept.entries())
    assert leftovers(kept) == []


KILLED = """
import sys, time
from pathlib import Path
from s2sad.core.cache import Cache
def write(folder):
    (folder / "half").write_bytes(b"x" * 1000)
    print("half", flush=True)
    time.sleep(60)
Cache(Path(sys.argv[1])).store("program", sys.argv[2], write)
"""


def test_what_a_killed_writer_leaves_is_swept_when_it_is_old(kept):
    process = python(KILLED, kept.folder, NAME)
    assert process.stdout is not None and process.stdout.readline() == "half\n"
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert kept.find("program", NAME) is None and kept.entries() == []
    (left,) = (kept.folder / "program").iterdir()
    kept.store("program", digest("other"), writer())
    kept.trim()
    assert left.exists()  # it may be at work still
    old = time.time() - caches.STALE - 1
    os.utime(left, (old, old))
    kept.trim()
    assert not left.exists() and len(kept.entries()) == 1


def stored(kept, count, size=1000):
    """Names of entries, each used a second after the one before."""
    names = [digest(str(number)) for number in range(count)]
    for number, name in enumerate(names):
        path = kept.store("program", name, writer(size=size))
        os.utime(path / SUMS, (1e9 + number, 1e9 + number))
    return names


def present(kept):
    return [entry.digest for entry in kept.entries()]


def test_entries_that_were_not_used_for_longest_go_first(kept):
    names = stored(kept, 4)
    assert present(kept) == names[::-1]
    assert kept.find("program", names[0]) is not None
    assert present(kept) == [names[0], *names[:0:-1]]
    size = kept.entries()[0].nbytes
    assert kept.usage() == 4 * size and size > 1000
    kept.set_limit(2 * size)
    assert present(kept) == [names[0], names[3]]
    kept.set_limit(2 * size - 1)
    assert present(kept) == [names[0]]


def test_the_limit_holds_for_what_is_stored(kept):
    kept.set_limit(5000)
    stored(kept, 8)
    assert kept.usage() <= 5000 and len(kept.entries()) >= 3
    large = kept.store("runtime", NAME, writer(size=9000))
    assert [entry.path for entry in kept.entries()] == [large]  # or it could not be used


def test_the_limit_is_kept_and_the_environment_comes_first(kept, monkeypatch):
    assert kept.limit() == caches.DEFAULT_LIMIT == 2**30
    kept.set_limit(5000)
    assert Cache(kept.folder).limit() == 5000
    monkeypatch.setenv("S2SAD_CACHE_LIMIT", "2KB")
    assert kept.limit() == 2000
    monkeypatch.setenv("S2SAD_CACHE_LIMIT", "much")
    assert "is no size" in refused("E0404", kept.limit)


@pytest.mark.parametrize("text", ["", "MB", "-1", "1.5.2MB", "5 PB", "1e9", "5iB"])
def test_what_is_no_size_is_refused(text):
    refused("E0404", parse_size, text)


def test_sizes():
    assert [parse_size(x) for x in ("0", "12", "12 b", "3kb", "3KiB", "0.5 GB", "1TiB")] == [
        0, 12, 12, 3000, 3072, 500_000_000, 2**40,
    ]  # fmt: skip


def test_clearing_removes_entries_and_nothing_else(kept):
    stored(kept, 3)
    (kept.folder / "notes.txt").write_text("mine", encoding="utf-8")
    (kept.folder / "program" / "notes.txt").write_text("mine", encoding="utf-8")
    (kept.folder / "Other").mkdir()
    assert kept.clear() == 3
    assert kept.entries() == [] and kept.usage() == 0
    found = sorted(path.name for path in kept.folder.rglob("*"))
    assert found == ["Other", "notes.txt", "notes.txt", "program"]


def test_a_scratch_folder_goes(kept):
    with kept.scratch() as folder:
        (folder / "a").write_text("text", encoding="utf-8")
        assert folder.parent == kept.folder
    assert list(kept.folder.iterdir()) == []


# ---- whose folder it is


def test_the_folder_is_the_users_only(kept):
    old = os.umask(0)
    try:
        path = kept.store("program", NAME, writer())
    finally:
        os.umask(old)
    folders = (kept.folder, path.parent, path)
    assert [folder.stat().st_mode & 0o777 for folder in folders] == [0o700] * 3


@pytest.mark.parametrize("mode", [0o777, 0o720, 0o702, 0o1777])
def test_a_folder_that_others_may_write_is_refused(kept, mode):
    kept.store("program", NAME, writer())
    kept.folder.chmod(mode)
    for use in (kept.find, lambda *x: kept.store(*x, writer())):
        assert "others may write in it" in refused("E0605", use, "program", NAME)
    kept.folder.chmod(0o755)
    assert kept.find("program", NAME) is not None


def test_a_folder_of_another_user_is_refused(kept, monkeypatch):
    kept.store("program", NAME, writer())
    monkeypatch.setattr(os, "geteuid", lambda: kept.folder.stat().st_uid + 1)
    said = refused("E0605", kept.find, "program", NAME)
    assert "belongs to another user" in said and "S2SAD_CACHE_DIR" in said


def test_a_folder_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    refused("E0605", Cache(tmp_path / "file").find, "program", NAME)
    refused("E0605", Cache(tmp_path / "file" / "cache").find, "program", NAME)
    kept = Cache(tmp_path / "cache")
    kept.find("program", NAME)
    (kept.folder / "program").write_text("", encoding="utf-8")
    refused("E0605", kept.store, "program", NAME, writer())


# ---- where it is


def test_the_environment_names_the_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "mine"))
    assert cache().folder == tmp_path / "mine"
    assert cache() is cache()
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "other"))
    assert cache().folder == tmp_path / "other"


@pytest.mark.parametrize(
    ("platform", "variable", "value", "folder"),
    [
        ("linux", "XDG_CACHE_HOME", "/else/where", "/else/where/s2sad"),
        ("linux", "XDG_CACHE_HOME", "not/absolute", "/home/me/.cache/s2sad"),
        ("linux", "OTHER", "", "/home/me/.cache/s2sad"),
        ("darwin", "XDG_CACHE_HOME", "/else/where", "/home/me/Library/Caches/s2sad"),
        ("win32", "LOCALAPPDATA", "/local", "/local/s2sad"),
        ("win32", "OTHER", "", "/home/me/AppData/Local/s2sad"),
    ],
)
def test_each_system_has_its_folder(monkeypatch, platform, variable, value, folder):
    monkeypatch.setattr(cachefolder.sys, "platform", platform)
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv(variable, value)
    monkeypatch.setenv("HOME", "/home/me")
    assert default_folder() == Path(folder)


def test_a_user_without_a_home_is_told(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)
    assert "S2SAD_CACHE_DIR" in refused("E0605", default_folder)


OFF = """
import os, sys
from s2sad.core.cache import cache
folder = cache().folder
assert cache().folder == folder
cache().store("program", "0" * 64, lambda into: (into / "a").write_text("a"))
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
    assert folder.exists()
    print(folder, oct(folder.stat().st_mode & 0o777))
else:
    assert cache().folder != folder
    sys.exit()
"""


def test_turned_off_it_is_a_folder_of_the_process(tmp_path):
    environment = {**os.environ, "S2SAD_CACHE": "0", "TMPDIR": str(tmp_path)}
    process = python(OFF, env=environment)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    folder, mode = out.split()
    assert mode == "0o700" and Path(folder).parent == tmp_path
    assert list(tmp_path.iterdir()) == []
