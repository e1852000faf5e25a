"""Does a function come back from a file, and is a file that is wrong refused?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError, S2sadFileError
from s2sad.ir import archive, store
from s2sad.ir.builder import build_function
from s2sad.ir.compare import difference
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import StackValue, Token, bf16, f32, f64, i32, i64

ROOT = Path(__file__).parent.parent.parent
TABLE = np.arange(32, dtype=np.float32)


def with_constants() -> Function:
    def run(x, y):
        z = p.add(p.mul(x, y), p.const(TABLE, f32[32]))
        narrow = p.const(np.arange(20, dtype=np.uint16), bf16[20])
        return z, p.const(np.arange(17, dtype=np.int32), i32[17]), narrow

    return build_function(run, [f32[32], f32], names=["x", "y"])


def code_of(path: Path) -> str:
    with pytest.raises(S2sadFileError) as caught:
        store.load(path, p.ALL)
    return caught.value.code


@pytest.mark.parametrize("style", ["flat", "source"])
def test_what_is_saved_comes_back(tmp_path, style):
    function = with_constants()
    store.save(function, tmp_path / "net.py", style=style, stage="after 01-cse")
    assert sorted(os.listdir(tmp_path)) == ["net.npz", "net.py"]
    again = store.load(str(tmp_path / "net.py"), p.ALL)
    assert difference(function, again, placed_constants=style == "flat") is None


def test_saving_what_was_loaded_gives_the_same_bytes(tmp_path):
    store.save(with_constants(), tmp_path / "net.py")
    files = {name: (tmp_path / name).read_bytes() for name in ("net.py", "net.npz")}
    store.save(store.load(tmp_path / "net.py", p.ALL), tmp_path / "net.py")
    assert {name: (tmp_path / name).read_bytes() for name in files} == files


def test_small_functions_are_one_file(tmp_path):
    store.save(build_function(lambda x: p.exp(x), [f32[100]]), tmp_path / "net.py")
    assert os.listdir(tmp_path) == ["net.py"]
    assert "consts=None" in (tmp_path / "net.py").read_text(encoding="utf-8")


def test_any_name_of_a_file(tmp_path):
    path = tmp_path / "03 größer · net.v2.py"
    store.save(with_constants(), path)
    assert (tmp_path / "03 größer · net.v2.npz").exists()
    assert difference(store.load(path, p.ALL), with_constants()) is None


def test_an_error_leaves_what_was_there(tmp_path, monkeypatch):
    path = tmp_path / "net.py"
    store.save(build_function(lambda x: p.exp(x), [f32]), path)
    before = path.read_bytes()

    def fails(descriptor: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(S2sadError, match="the disk is full") as caught:
        store.save(build_function(lambda x: p.sin(x), [f32]), path)
    assert caught.value.code == "E0604"
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["net.py"]


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(S2sadError) as caught:
        store.save(with_constants(), tmp_path / "none" / "net.py")
    assert caught.value.code == "E0604"


def test_files_that_are_missing_or_damaged(tmp_path):
    path = tmp_path / "net.py"
    assert code_of(path) == "E0604"
    store.save(with_constants(), path)
    constants = (tmp_path / "net.npz").read_bytes()
    for content in (b"", b"PK", b"no zip file", constants[:-30], constants[:200]):
        (tmp_path / "net.npz").write_bytes(content)
        assert code_of(path) == "E0602"
    (tmp_path / "net.npz").unlink()
    assert code_of(path) == "E0602"
    path.write_bytes(b"\xff\xfe")
    assert code_of(path) == "E0601"
    path.write_bytes(b"# s2sad ir 7 \xc2\xb7 net\n")
    assert code_of(path) == "E0603"


def test_every_damaged_byte_is_an_error_of_ours(tmp_path):
    path = tmp_path / "net.py"
    store.save(with_constants(), path)
    content = (tmp_path / "net.npz").read_bytes()
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 0xFF
        (tmp_path / "net.npz").write_bytes(bytes(damaged))
        try:
            store.load(path, p.ALL)
        except S2sadError as error:
            assert error.code in ("E0602", "E0303"), error


def test_constants_must_fit(tmp_path):
    path = tmp_path / "net.py"
    store.save(with_constants(), path)
    arrays = archive.load_arrays(tmp_path / "net.npz")
    for wrong in (arrays["k0"][:-1], arrays["k0"].astype(np.float64)):
        archive.save_arrays(tmp_path / "net.npz", {**arrays, "k0": wrong})
        with pytest.raises(S2sadError) as caught:
            store.load(path, p.ALL)
        assert caught.value.code == "E0303"
        assert caught.value.diagnostic.location.file == str(path)
    archive.save_arrays(tmp_path / "net.npz", {"k1": arrays["k1"]})
    assert code_of(path) == "E0602"


class Trap:
    """Would tell if it were unpickled."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was opened",))


def test_no_pickle_is_opened(tmp_path):
    path = tmp_path / "net.py"
    store.save(with_constants(), path)
    np.savez(tmp_path / "net.npz", k0=np.array([Trap()], object))
    assert code_of(path) == "E0602"


def test_arrays_that_no_tensor_can_hold(tmp_path):
    path = tmp_path / "net.py"
    store.save(with_constants(), path)
    np.savez(tmp_path / "net.npz", k0=TABLE.astype(np.complex64))
    assert code_of(path) == "E0602"


# ---- a dump is a script --------------------------------------------------------------------


def run_script(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(path), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("style", ["flat", "source"])
def test_a_dump_runs_by_itself(tmp_path, style):
    function, path = with_constants(), tmp_path / "net.py"
    inputs = [np.linspace(0, 1, 32, dtype=np.float32), np.float32(3)]
    store.save(function, path, style=style)
    store.save_inputs(path, inputs)
    done = run_script(path, "--out", str(tmp_path / "out.npz"))
    assert done.returncode == 0, done.stderr
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [
        ["result0:", "f32[32]"], ["result1:", "i32[17]"], ["result2:", "bf16[20]"],
    ]  # fmt: skip
    assert "0.0 to 34.0" in done.stdout
    found = archive.load_arrays(tmp_path / "out.npz")
    for number, wanted in enumerate(evaluate(function, inputs)):
        np.testing.assert_array_equal(found[f"result{number}"], wanted)


def test_inputs_may_come_from_elsewhere(tmp_path):
    path = tmp_path / "net.py"
    store.save(build_function(lambda x: p.add(x, x), [f32[2]]), path)
    np.savez(tmp_path / "x.npz", input0=np.array([1, 2], np.float32))
    done = run_script(path, str(tmp_path / "x.npz"))
    assert done.stdout.endswith("  [2.0, 4.0]\n"), done.stderr


def test_a_script_says_what_is_missing(tmp_path):
    path = tmp_path / "net.py"
    store.save(build_function(lambda x: p.add(x, x), [f32[2]]), path)
    assert "[E0602] the arrays beside the dump are missing" in run_script(path).stderr
    np.savez(tmp_path / "net.in.npz", x=np.ones(2, np.float32))
    assert "has no input0" in run_script(path).stderr
    assert run_script(path, "a", "b").stderr.startswith("usage: python ")
    assert run_script(path, "--help").stderr.startswith("usage: python ")


def test_a_script_may_need_a_token_only(tmp_path):
    path = tmp_path / "net.py"
    store.save(build_function(lambda t: p.print_(t, format="hello\n"), [Token]), path)
    done = run_script(path)
    assert done.stdout == "hello\nresult0: Token\n", done.stderr


@pytest.mark.parametrize("style", ["flat", "source"])
@pytest.mark.parametrize("pushed", [0, 3])
def test_a_script_writes_stacks_too(tmp_path, style, pushed):
    def run(x, n, token):
        def push(i, tape):
            return p.stack_push(tape, p.mul(x, p.cast(i, dtype=f32)))

        return token, p.for_(0, n, 1, p.stack_empty(of=f32[2]), body=push), p.neg(x)

    path = tmp_path / "net.py"
    store.save(
        build_function(run, [f32[2], i64, Token], names=["x", "n", "token"]), path, style=style
    )
    store.save_inputs(path, [np.array([1, 2], np.float32), np.array(pushed)])
    done = run_script(path, "--out", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    assert sorted(each.name for each in tmp_path.iterdir()) == ["net.in.npz", "net.py", "out"]
    found = archive.load_arrays(tmp_path / "out")
    assert list(found) == ["result1", "result2"]
    assert found["result1"].dtype == np.float32 and found["result1"].shape == (pushed, 2)
    assert found["result1"].tolist() == [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]][:pushed]
    assert found["result2"].tolist() == [-1.0, -2.0]


def test_results_are_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "out.npz"
    archive.save_results(path, [np.ones(2)])
    before = path.read_bytes()
    with pytest.raises(S2sadError, match="E0402"):
        archive.save_results(path, [np.ones(2), StackValue(f64[symbol("B")])])
    assert path.read_bytes() == before
    with pytest.raises(S2sadError, match="E0604"):
        archive.save_results(tmp_path / "missing" / "out.npz", [np.ones(2)])
    assert [each.name for each in tmp_path.iterdir()] == ["out.npz"]
