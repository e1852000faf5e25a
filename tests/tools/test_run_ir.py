"""Does `s2sad run-ir` compute what the dump says, and refuse inputs that do not fit?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.core import dtypes
from s2sad.ir.types import StackType, TensorType, bf16, i32, type_of
from s2sad.tools import run_ir
from s2sad.tools.inputs import random_input
from tools.dumps import EFFECTS, FAILS, RAISES, RNN

X = np.arange(6, dtype=np.float32).reshape(2, 3)
W = np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]], np.float32)
GOOD = {"x": X, "n": np.array(2, np.int32), "param:w": W}


def test_given_inputs_are_run(s2sad, dump):
    np.savez("in.npz", **GOOD)
    said = s2sad("run-ir", dump(RNN), "--npz", "in.npz", "--out", "out.npz")
    assert (said.code, said.err) == (0, "")
    assert said.out == (
        "rnn.Net.construct: 6 operations, run by numpy\n"
        "\n"
        "inputs (in.npz)\n"
        "  name         type       value  min      mean  max  NaN  inf\n"
        "  x            f32[2, 3]           0       2.5    5    0    0\n"
        "  n            i32            2\n"
        "  param:w (w)  f32[3, 3]           0  0.333333    1    0    0\n"
        "\n"
        "results\n"
        "  name         type       min  mean  max  NaN  inf\n"
        "  result0 (h)  f32[2, 3]    0   2.5    5    0    0\n"
    )
    with np.load("out.npz", allow_pickle=False) as found:
        assert found.files == ["result0"]
        np.testing.assert_array_equal(found["result0"], X @ W @ W)


@pytest.mark.parametrize("names", [("x", "n", "w"), ("input0", "input1", "input2")])
def test_inputs_have_other_names(names, s2sad, dump):
    np.savez("in.npz", **dict(zip(names, GOOD.values(), strict=True)))
    assert s2sad("run-ir", dump(RNN), "--npz", "in.npz", "--out", "out.npz").code == 0
    with np.load("out.npz", allow_pickle=False) as found:
        np.testing.assert_array_equal(found["result0"], X @ W @ W)


@pytest.mark.parametrize("backend", ["numpy", "evaluate"])
def test_random_inputs_depend_on_the_seed_alone(backend, s2sad, dump):
    results = []
    for seed in (0, 0, 1):
        options = ("--seed", seed, "--out", "out.npz", "--backend", backend)
        said = s2sad("run-ir", dump(RNN), *options)
        assert said.code == 0 and f"inputs (random, seed {seed})" in said.out
        with np.load("out.npz", allow_pickle=False) as found:
            results.append(found["result0"].tobytes())
    assert results[0] == results[1] != results[2]


def test_backends_agree(s2sad, dump):
    for backend in ("numpy", "evaluate"):
        s2sad("run-ir", dump(RNN), "--backend", backend, "--out", f"{backend}.npz")
    with np.load("numpy.npz") as one, np.load("evaluate.npz") as other:
        assert one["result0"].tobytes() == other["result0"].tobytes()


def test_tokens_stacks_states_and_narrow_floats(s2sad, dump):
    said = s2sad("run-ir", dump(EFFECTS), "--out", "out.npz", "--seed", 7)
    assert said.code == 0
    assert "\nx is [" in said.out
    assert "tape" in said.out and "Stack[bf16[2]]  3 pushed" in said.out
    with np.load("out.npz", allow_pickle=False) as found:
        assert found.files == ["result1", "result2"]
        assert found["result1"].shape == (4, 2) and found["result1"].dtype == np.uint16
        np.testing.assert_array_equal(found["result2"], [7, 1, 0])


def test_a_stack_is_given_as_one_array(s2sad, dump):
    np.savez("in.npz", tape=np.zeros((5, 2), np.uint16), rng=np.arange(3), x=np.ones(2, np.uint16))
    said = s2sad("run-ir", dump(EFFECTS), "--npz", "in.npz", "--out", "out.npz")
    assert (said.code, said.err) == (0, "")
    with np.load("out.npz", allow_pickle=False) as found:
        np.testing.assert_array_equal(found["result1"], [[0, 0]] * 5 + [[1, 1]])


# ---- what does not fit ---------------------------------------------------------------------

WRONG = {
    "dtype": (
        {"x": X.astype(np.float64)},
        "[E0301] 'x' must be f32[2, 3], got an array of float64",
    ),
    "shape": ({"x": X.T}, "[E0401] 'x' must be f32[2, 3], got f32[3, 2]"),
    "missing": ({"x": None}, "[E0302] in.npz has no 'x'"),
    "unknown": ({"param:v": W}, "[E0302] in.npz has 'param:v', which is no input"),
    "twice": ({"input0": X}, "[E0302] in.npz has one input twice, as 'x' and 'input0'"),
}


@pytest.mark.parametrize(("changed", "message"), WRONG.values(), ids=WRONG)
def test_inputs_that_do_not_fit_are_located(changed, message, s2sad, dump):
    arrays = {k: v for k, v in {**GOOD, **changed}.items() if v is not None}
    np.savez("in.npz", **arrays)
    said = s2sad("run-ir", dump(RNN), "--npz", "in.npz", "--out", "out.npz")
    assert said.code == 2 and said.out == ""
    assert said.err.startswith(f"{message}\n  --> dump.py:6:")
    assert "Traceback" not in said.err


def test_all_faults_are_told(s2sad, dump):
    np.savez("in.npz", x=X.T, v=W)
    said = s2sad("run-ir", dump(RNN), "--npz", "in.npz")
    assert said.code == 2
    assert said.err == (
        "[E0401] 'x' must be f32[2, 3], got f32[3, 2]\n"
        "  --> dump.py:6:14\n"
        "  |\n"
        "6 | def construct(x: f32[2, 3], n: i32, w: f32[3, 3]) -> f32[2, 3]:\n"
        "  |               ^^^^^^^^^^^^\n"
        "   = note: E0302: in.npz has no 'n'\n"
        "   = note: E0302: in.npz has no 'param:w'\n"
        "   = note: E0302: in.npz has 'v', which is no input\n"
    )


def test_bfloat16_says_how_it_is_stored(s2sad, dump):
    arrays = {"tape": np.zeros((1, 2), np.uint16), "rng": np.arange(3), "x": np.ones(2, np.float32)}
    np.savez("in.npz", **arrays)
    said = s2sad("run-ir", dump(EFFECTS), "--npz", "in.npz")
    assert said.code == 2
    assert "'x' must be bf16[2], stored as uint16, got an array of float32" in said.err


@pytest.mark.parametrize("content", [None, b"no zip"], ids=["missing", "damaged"])
def test_arrays_that_cannot_be_read(content, s2sad, dump, tmp_path):
    if content is not None:
        (tmp_path / "in.npz").write_bytes(content)
    said = s2sad("run-ir", dump(RNN), "--npz", "in.npz")
    assert said.code == 2 and said.err.startswith("[E0602] ")


def test_a_dump_that_cannot_be_read(s2sad, dump):
    assert s2sad("run-ir", "none.py").err.startswith("[E0604] ")
    said = s2sad("run-ir", dump(RNN.replace("p.less", "p.lesss")))
    assert said.code == 2
    assert "--> dump.py:12:" in said.err and "did you mean less?" in said.err


def test_a_size_without_a_number_is_refused(s2sad, dump):
    text = RNN.replace("[2, 3]", "[B, 3]").replace("\n\n@", '\n\nB = symbol("B")\n\n@')
    said = s2sad("run-ir", dump(text))
    assert said.code == 2
    assert said.err.startswith("[E0402] the size B has no value\n  --> dump.py:8:14\n")


# ---- a program that fails ------------------------------------------------------------------


@pytest.mark.parametrize("backend", ["numpy", "evaluate"])
def test_a_failing_program_is_no_fault_of_its_inputs(backend, s2sad, dump):
    said = s2sad("run-ir", dump(FAILS), "--backend", backend, "--out", "out.npz")
    assert said.code == 1
    assert said.err.startswith("[E0701] x is 0.1")
    assert "inputs (random" in said.out and "results" not in said.out


def test_an_exception_of_the_program_is_shown_as_its_own(s2sad, dump):
    said = s2sad("run-ir", dump(RAISES))
    assert said.code == 1
    assert said.err.startswith("KeyError: 'w'")


def test_a_fault_of_a_backend_is_not_hidden(s2sad, dump, monkeypatch):
    def broken(function, inputs):
        raise ZeroDivisionError("a fault")

    monkeypatch.setitem(run_ir.BACKENDS, "numpy", broken)
    with pytest.raises(ZeroDivisionError):
        s2sad("run-ir", dump(RNN))


# ---- random inputs -------------------------------------------------------------------------


@pytest.mark.parametrize("short", dtypes.BY_SHORT)
@pytest.mark.parametrize("shape", [(), (0, 2), (3, 4)], ids=str)
def test_random_inputs_have_their_type(short, shape):
    type = TensorType(dtypes.BY_SHORT[short], shape)
    found = random_input(type, np.random.default_rng(0))
    assert isinstance(found, np.ndarray) and type_of(found) == type


def test_random_integers_index_any_axis():
    found = random_input(i32[100], np.random.default_rng(0))
    assert set(found.tolist()) == {0, 1}


def test_random_stacks_are_not_empty():
    stack = random_input(StackType(bf16[2]), np.random.default_rng(0))
    assert len(stack) == 3 and all(type_of(x) == bf16[2] for x in stack)


def test_inputs_that_lie_beside_a_dump_are_taken(s2sad, dump, tmp_path):
    path = dump("from s2sad.ir.types import *\n\ndef main(x: f32[2]):\n    return x + x\n")
    assert "inputs (random, seed 0)" in s2sad("run-ir", path).out
    np.savez(tmp_path / "dump.in.npz", input0=np.array([1.0, 2.5], np.float32))
    assert "inputs (dump.in.npz)" in s2sad("run-ir", path).out
    assert "inputs (random, seed 3)" in s2sad("run-ir", path, "--seed", "3").out
