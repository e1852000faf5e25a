"""What is said where a file cannot be read or written, and what is then there?"""

from __future__ import annotations

import builtins
import errno
import mmap
import os

import pytest

import s2sad as ms
from s2sad.checkpoints import ckpt
from s2sad.core.diagnostics import S2sadError
from s2sad.ir import archive

W = {"w": ms.Tensor([1.0, 2.0])}


def refused(function, *args, **settings):
    with pytest.raises(OSError) as caught:
        function(*args, **settings)
    error = caught.value
    assert isinstance(error, S2sadError) and error.code == "E0604"
    assert error.diagnostic.location.file == __file__
    return str(error)


def test_no_file(tmp_path):
    ms.save_checkpoint(W, tmp_path / "network.ckpt")
    text = refused(ms.load_checkpoint, tmp_path / "netwrok.ckpt")
    assert "there is no file" in text and "did you mean network.ckpt?" in text
    assert "there is no folder" in refused(ms.load_checkpoint, tmp_path / "none" / "a.ckpt")
    assert "cannot be written" in refused(ms.save_checkpoint, W, tmp_path / "none" / "a.ckpt")


def test_a_folder(tmp_path):
    (tmp_path / "a.ckpt").mkdir()
    assert "is a folder" in refused(ms.load_checkpoint, tmp_path / "a.ckpt")
    assert "is a folder" in refused(ms.save_checkpoint, W, tmp_path / "a.ckpt")
    assert os.listdir(tmp_path) == ["a.ckpt"]


def test_a_folder_that_is_a_file(tmp_path):
    (tmp_path / "a").write_text("")
    assert "cannot be written" in refused(ms.save_checkpoint, W, tmp_path / "a" / "b.ckpt")
    refused(ms.load_checkpoint, tmp_path / "a" / "b.ckpt")


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.ckpt")
    assert "is no file" in refused(ms.load_checkpoint, tmp_path / "a.ckpt")


def test_a_name_that_is_too_long(tmp_path):
    assert "cannot be written" in refused(ms.save_checkpoint, W, tmp_path / ("a" * 300))
    assert "cannot be read" in refused(ms.load_checkpoint, tmp_path / ("a" * 300 + ".ckpt"))


def failing(error, wanted):
    """`open` that raises `error` for files of which `wanted` is true."""
    real = builtins.open

    def opened(file, *args, **settings):
        if wanted(str(file)):
            raise OSError(error, os.strerror(error))
        return real(file, *args, **settings)

    return opened


def test_a_folder_that_nobody_may_write_to(tmp_path, monkeypatch):
    monkeypatch.setattr(builtins, "open", failing(errno.EACCES, lambda name: ".part" in name))
    assert "Permission denied" in refused(ms.save_checkpoint, W, tmp_path / "a.ckpt")
    assert os.listdir(tmp_path) == []


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    ms.save_checkpoint(W, tmp_path / "a.ckpt")
    monkeypatch.setattr(builtins, "open", failing(errno.EACCES, lambda x: x.endswith("a.ckpt")))
    assert "Permission denied" in refused(ms.load_checkpoint, tmp_path / "a.ckpt")


def test_a_file_that_cannot_be_mapped(tmp_path, monkeypatch):
    ms.save_checkpoint(W, tmp_path / "a.ckpt")

    def fails(*args, **settings):
        raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    monkeypatch.setattr(mmap, "mmap", fails)
    assert "cannot be read" in refused(ms.load_checkpoint, tmp_path / "a.ckpt")


@pytest.mark.parametrize("where", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch, where):
    path = tmp_path / "a.ckpt"
    ms.save_checkpoint(W, path)
    before = path.read_bytes()

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        if where == "write":
            write = ckpt.write

            def some(file, entries, crc):
                write(file, entries, crc)
                full()

            patch.setattr(ckpt, "write", some)
        else:
            patch.setattr(os, where, full)
        assert "No space left" in refused(ms.save_checkpoint, {"w": ms.Tensor(3)}, path)
    assert os.listdir(tmp_path) == ["a.ckpt"] and path.read_bytes() == before
    ms.save_checkpoint({"w": ms.Tensor(3)}, path)
    assert int(ms.load_checkpoint(path)["w"]) == 3


def test_a_save_that_is_interrupted_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(ckpt, "write", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ms.save_checkpoint(W, tmp_path / "a.ckpt")
    assert os.listdir(tmp_path) == []


def test_what_others_left_behind_is_removed_and_nothing_else(tmp_path):
    mine = [".a.ckpt.0123abcd.part", ".a.ckpt.ffffffff.part"]
    others = [".b.ckpt.0123abcd.part", ".a.ckpt.0123.part", "a.ckpt.part", ".axckpt.0123abcd.part"]
    for name in [*mine, *others]:
        (tmp_path / name).write_text("x")
    ms.save_checkpoint(W, tmp_path / "a.ckpt")
    assert sorted(os.listdir(tmp_path)) == sorted(["a.ckpt", *others])


def test_what_another_is_writing_is_left_alone(tmp_path, monkeypatch):
    write, parts = ckpt.write, []

    def with_another(file, entries, crc):
        if not parts:
            parts.extend(os.listdir(tmp_path))
            ms.save_checkpoint({"w": ms.Tensor(2)}, tmp_path / "a.ckpt")
            assert sorted(os.listdir(tmp_path)) == [*parts, "a.ckpt"]
        write(file, entries, crc)

    monkeypatch.setattr(ckpt, "write", with_another)
    ms.save_checkpoint({"w": ms.Tensor(1)}, tmp_path / "a.ckpt")
    assert len(parts) == 1 and os.listdir(tmp_path) == ["a.ckpt"]
    assert int(ms.load_checkpoint(tmp_path / "a.ckpt")["w"]) == 1


def test_where_there_are_no_locks_files_are_written_and_nothing_is_swept(tmp_path, monkeypatch):
    def none(*args):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(archive.fcntl, "flock", none)
    (tmp_path / ".a.ckpt.0123abcd.part").write_text("x")
    ms.save_checkpoint(W, tmp_path / "a.ckpt")
    assert sorted(os.listdir(tmp_path)) == [".a.ckpt.0123abcd.part", "a.ckpt"]


def test_an_empty_file_has_nothing_to_load(tmp_path):
    ms.save_checkpoint([], tmp_path / "a")
    assert (tmp_path / "a.ckpt").read_bytes() == b""
    with pytest.raises(S2sadError, match="nothing of .* is left to load") as caught:
        ms.load_checkpoint(tmp_path / "a.ckpt")
    assert caught.value.code == "E0404"


def test_a_link_is_followed_when_it_is_read(tmp_path):
    ms.save_checkpoint(W, tmp_path / "a.ckpt")
    (tmp_path / "latest.ckpt").symlink_to("a.ckpt")
    assert ms.load_checkpoint(tmp_path / "latest.ckpt")["w"].tolist() == [1.0, 2.0]
