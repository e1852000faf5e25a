"""Does PyNative mode run as Python does: line by line, for debuggers and tracebacks to see?"""

from __future__ import annotations

import gc
import inspect
import linecache
import os
import re
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.numpy import NumpyExecutable
from s2sad.backends.stepwise import StepwiseExecutable
from s2sad.core import location
from s2sad.core.diagnostics import S2sadError

ROOT = Path(__file__).parent.parent
X = np.float32([[1.0, -2.0], [0.5, 3.0], [0.0, 1.0]])


@pytest.fixture(autouse=True)
def pynative_mode() -> None:
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.w = ms.Parameter(np.float32([[0.5], [-1.0]]), name="w")

    def construct(self, x: Any) -> Any:
        hidden = ops.matmul(x, self.w)
        active = ops.tanh(hidden)
        return ops.sum(active * active)


def expected(w: np.ndarray) -> np.ndarray:
    """Gradient of `Net` by its Parameter."""
    t = np.tanh(X @ w)
    return X.T @ (2 * t * (1 - t * t))


def executable(step: Any) -> Any:
    """What ran last for `step`."""
    return ms.compile(step).last.executable


# ---- which form runs -------------------------------------------------------------------------


def test_a_gradient_runs_as_people_read_it():
    net = Net()
    step = ms.value_and_grad(net, None, net.w)
    value, gradient = step(ms.Tensor(X))
    np.testing.assert_allclose(gradient.asnumpy(), expected(net.w.asnumpy()), rtol=1e-5)
    np.testing.assert_allclose(
        value.asnumpy(), np.sum(np.tanh(X @ net.w.asnumpy()) ** 2), rtol=1e-6
    )
    assert isinstance(executable(step), StepwiseExecutable)
    lines = executable(step).source.splitlines()
    assert ms.compile(step).source.splitlines() == lines
    code = [re.sub(r"_\d+", "", line.strip().partition("  ")[0]) for line in lines[6:]]
    assert code == [
        "hidden = x @ w",
        "active = p.tanh(hidden)",
        "t0 = active * active",
        "t1 = p.reduce_sum(t0, axis=(0, 1))",
        "dactive = active + active",
        "dhidden = dactive * (1.0 - t0)",
        "dw = p.matmul(x, dhidden, transpose_a=True)",
        "return t1, dw",
    ]


def test_the_forward_half_has_the_lines_of_the_user():
    step = ms.grad(Net())
    step(ms.Tensor(X))
    file, source = Path(__file__).name, executable(step).source.splitlines()
    first = inspect.getsourcelines(Net.construct)[1]
    for offset, start in ((1, "hidden = x @ w"), (2, "active = p.tanh(hidden)")):
        (line,) = [line for line in source if line.strip().startswith(start)]
        assert f"{file}:{first + offset}:" in line.partition("#@")[2]


def test_what_is_compiled_on_purpose_is_compiled_in_both_modes():
    step = ms.grad(Net())
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.compile(step)(ms.Tensor(X))
        assert isinstance(executable(step), NumpyExecutable)
    assert len(ms.compile(step).variants) == 1


def test_the_gradient_of_what_is_compiled_is_compiled():
    @ms.compile
    class Compiled(Net):
        pass

    def plain(x):
        return ops.sum(x * x)

    for function in (Compiled(), ms.compile(Net()), ms.compile(plain), ms.grad(ms.compile(plain))):
        step = ms.grad(function)
        step(ms.Tensor(X))
        assert isinstance(executable(step), NumpyExecutable), function
    inner = Compiled()
    for function in (plain, Net(), ms.grad(plain), lambda x: inner(x)):
        step = ms.grad(function)
        step(ms.Tensor(X))
        assert isinstance(executable(step), StepwiseExecutable), function


def test_the_mode_of_each_call_counts():
    net = Net()
    step, x = ms.grad(net, None, net.w), ms.Tensor(X)
    forms = {ms.PYNATIVE_MODE: StepwiseExecutable, ms.GRAPH_MODE: NumpyExecutable}
    for mode in (1, 0, 1, 1, 0, 0):
        ms.set_context(mode=mode)
        gradient = step(x)
        assert isinstance(executable(step), forms[mode])
        np.testing.assert_allclose(gradient.asnumpy(), expected(net.w.asnumpy()), rtol=1e-5)
    assert len(ms.compile(step).variants) == 2
    assert [v.cause.text for v in ms.compile(step).variants] == ["the first call"] * 2


def test_guards_hold_in_both_forms():
    net = Net()
    net.factor = 2.0
    step, x = ms.grad(lambda x: ops.sum(net(x) * net.factor), None, net.w), ms.Tensor(X)
    for factor in (2.0, 3.0, 2.0):
        net.factor = factor
        for mode in (1, 0):
            ms.set_context(mode=mode)
            wanted = expected(net.w.asnumpy()) * factor
            np.testing.assert_allclose(step(x).asnumpy(), wanted, rtol=1e-5)


def test_only_variants_of_one_form_make_a_warning():
    step = ms.grad(lambda x: ops.sum(x * x))
    for size in range(1, 8):
        step(ms.Tensor(np.ones(size)))
        ms.compile(step)(ms.Tensor(np.ones(size)))
    step(ms.Tensor(np.ones(8)))
    with pytest.warns(UserWarning, match=r"compiled 9 times: x.shape\[0\] keeps changing"):
        step(ms.Tensor(np.ones(9)))


def test_gradients_of_gradients():
    step = ms.grad(ms.grad(lambda x: x * x * x))
    assert step(ms.Tensor(np.float64(2.0))).item() == 12.0
    assert executable(step).file.startswith("<s2sad grad of grad of test_pynative.")


def test_parameters_are_written():
    count = ms.Parameter(ms.Tensor(0.0), name="count")

    def loss(x):
        ops.assign(count, count + 1.0)
        return ops.sum(x * count)

    step, x = ms.value_and_grad(loss), ms.Tensor(X)
    held = count.asnumpy()
    for turn in (1.0, 2.0):
        value, gradient = step(x)
        assert count.item() == turn and value.item() == turn * X.sum()
        assert (gradient.asnumpy() == turn).all()
    assert held == 0.0


def test_results_are_nobody_elses_memory():
    x = ms.Tensor(np.ones(3))
    value, gradient = ms.value_and_grad(lambda x: x)(x)
    value.asnumpy()[:] = 7.0
    gradient.asnumpy()[:] = 7.0
    assert x.tolist() == [1.0, 1.0, 1.0]
    assert ms.grad(lambda x: x)(x).tolist() == [1.0, 1.0, 1.0]


def test_outside_of_a_gradient_the_code_itself_runs():
    seen: list[Any] = []

    class Eager(nn.Cell):
        def construct(self, x):
            try:
                seen.append(x.asnumpy().sum())
                return x + seen[-1]
            finally:
                seen.append("done")

    assert Eager()(ms.Tensor([1.0, 2.0])).tolist() == [4.0, 5.0]
    assert seen == [3.0, "done"]
    with pytest.raises(S2sadError, match="E0104|E0220"):  # the list is not its own, nor is NumPy
        ms.grad(Eager())(ms.Tensor([1.0, 2.0]))


# ---- linecache -------------------------------------------------------------------------------


def test_the_text_is_in_linecache_while_the_variant_lives():
    step = ms.grad(lambda x: ops.sum(ops.exp(x)))
    step(ms.Tensor([1.0]))
    file, text = executable(step).file, executable(step).source
    assert file.startswith("<s2sad grad of test_pynative.") and file.endswith(">")
    linecache.checkcache()
    assert "".join(linecache.getlines(file)) == text
    assert inspect.getsource(executable(step).generated) in text
    del step
    gc.collect()
    assert file not in linecache.cache


def test_names_are_unique():
    step = ms.grad(lambda x: ops.sum(ops.cos(x)))
    files = []
    for size in range(1, 6):
        step(ms.Tensor(np.ones(size)))
        files.append(executable(step).file)
    assert len(set(files)) == 5 and files[1] == files[0].replace(">", ", 2>")
    sources = ["".join(linecache.getlines(file)) for file in files]
    assert [f"f64[{size}]" in source for size, source in enumerate(sources, 1)] == [True] * 5


def test_forgotten_variants_leave_nothing_behind(monkeypatch):
    monkeypatch.setattr("s2sad.compiled.MANY_VARIANTS", 100)
    monkeypatch.setattr("s2sad.compiled.MOST_VARIANTS", 3)
    gc.collect()
    before = set(linecache.cache)
    step = ms.grad(lambda x: ops.sum(ops.sin(x)))
    for size in range(1, 9):
        step(ms.Tensor(np.ones(size)))
    gc.collect()
    assert len(ms.compile(step).variants) == 3
    assert len(set(linecache.cache) - before) == 3


# ---- errors ----------------------------------------------------------------------------------


def text_of(error: BaseException) -> str:
    return "".join(traceback.format_exception(type(error), error, error.__traceback__))


def test_an_error_shows_the_generated_line_and_the_users():
    def pick(x, i):
        row = ops.gather(x, i, 0)
        return ops.sum(row * row)

    step = ms.grad(pick)
    assert step(ms.Tensor(X), ms.Tensor([2])).tolist() == [[0.0, 0.0], [0.0, 0.0], [0.0, 2.0]]
    with pytest.raises(IndexError) as caught:
        step(ms.Tensor(X), ms.Tensor([3]))
    place = caught.value.diagnostic.location
    assert place.line == pick.__code__.co_firstlineno + 1 and "row = ops.gather" in str(
        caught.value
    )
    shown = text_of(caught.value)
    assert f'File "{executable(step).file}", line' in shown
    assert "    row = p.gather(x, i" in shown


class Backward(nn.Cell):
    """Its backward reads past the end of what it is given."""

    def construct(self, x, i):
        return x * 2.0

    def bprop(self, x, i, out, dout):
        rows = ops.gather(dout, i, 0)
        return ops.sum(rows) * dout, i


def test_an_error_in_the_backward_shows_its_line():
    cell = Backward()
    step = ms.grad(lambda x, i: ops.sum(ops.tanh(cell(x, i))))
    step(ms.Tensor(X), ms.Tensor([0]))
    with pytest.raises(IndexError) as caught:
        step(ms.Tensor(X), ms.Tensor([9]))
    first = inspect.getsourcelines(Backward.bprop)[1]
    assert caught.value.diagnostic.location.line == first + 1
    shown = text_of(caught.value)
    assert f'File "{executable(step).file}", line' in shown
    assert "rows = p.gather(d" in shown and "rows = ops.gather(dout, i, 0)" in shown


def test_the_values_of_a_failing_program_can_be_looked_at():
    step = ms.grad(lambda x, i: ops.sum(ops.gather(ops.exp(x), i, 0)))
    with pytest.raises(IndexError) as caught:
        step(ms.Tensor(X), ms.Tensor([3]))
    frames = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)]
    (frame,) = [f for f in frames if f.f_code.co_filename == executable(step).file]
    np.testing.assert_array_equal(frame.f_locals["x"], X)
    assert frame.f_locals["i"].tolist() == [3]


def test_another_exception_has_the_users_line_as_a_note():
    step = ms.grad(lambda x: ops.sum(ops.sort(x)[0]))
    place = inspect.currentframe().f_lineno - 1
    step(ms.Tensor(X))
    executable(step).namespace["p"] = None  # as if a name were missing
    with pytest.raises(AttributeError) as caught:
        step(ms.Tensor(X))
    assert f"{Path(__file__).name}:{place}:" in "".join(caught.value.__notes__)


# ---- errors of eager code --------------------------------------------------------------------

EAGER: dict[str, Callable[[Any], Any]] = {
    "an operation": lambda x: ops.matmul(x, x),
    "an operation on an array": lambda x: ms.prims.matmul(X, X),
    "an argument": lambda x: ops.reduce.sum(x, "rows"),
    "an operator": lambda x: x + ms.Tensor(np.ones((4, 5), np.float32)),
    "a reflected operator": lambda x: "text" + x,
    "a method": lambda x: x.reshape(7),
    "an attribute": lambda x: x.nonsense,
    "an index": lambda x: x[5],
    "a Cell": lambda x: nn.Dense(5, 4)(x),
    "the making of a Cell": lambda x: nn.Dense("five", 4),
    "the making of a Tensor": lambda x: ms.Tensor([1, [2]]),
    "an assignment": lambda x: ops.assign(x, x),
    "a setting": lambda x: ms.set_context(nothing=1),
    "a transform": lambda x: ms.grad(3),
    "a number of arguments": lambda x: ms.grad(Net())(x, x, x),
    "a comprehension": lambda x: [ops.matmul(x, x) for _ in range(1)],
}


@pytest.mark.parametrize("function", EAGER.values(), ids=EAGER)
def test_errors_of_eager_code_are_at_the_users_line(function):
    with pytest.raises(S2sadError) as caught:
        function(ms.Tensor(X))
    place = caught.value.diagnostic.location
    assert place is not None
    if place.file == __file__:
        assert place.line == function.__code__.co_firstlineno
        line = linecache.getline(place.file, place.line)
        assert f"{place.line} | {line.rstrip()}" in str(caught.value)
    else:  # the function that does not take the arguments
        assert place.line == inspect.getsourcelines(Net.construct)[1]


def test_the_caret_is_under_the_expression():
    def run(x):
        return ops.exp(x) + ops.matmul(x, x) + 1.0

    with pytest.raises(S2sadError) as caught:
        run(ms.Tensor(X))
    excerpt, caret = str(caught.value).splitlines()[3:5]
    marked = excerpt[caret.index("^") : len(caret)]
    # Before 3.11 Python knows the line only.
    is_exact = sys.version_info >= (3, 11)
    assert marked == ("ops.matmul(x, x)" if is_exact else excerpt.partition("| ")[2].strip())


def test_an_error_in_a_cell_is_in_its_construct():
    class Wrong(nn.Cell):
        def construct(self, x):
            y = x + 1
            return ops.matmul(y, y)

    with pytest.raises(S2sadError) as caught:
        nn.SequentialCell(nn.Tanh(), Wrong())(ms.Tensor(X))
    first = inspect.getsourcelines(Wrong.construct)[1]
    assert caught.value.diagnostic.location.line == first + 2


def test_code_typed_at_a_prompt_has_no_source_to_show():
    names = {"ms": ms, "x": ms.Tensor(X)}
    with pytest.raises(S2sadError) as caught:
        exec(compile("ms.ops.matmul(x, x)", "<stdin>", "single"), names)
    assert caught.value.diagnostic.location is None and "-->" not in str(caught.value)


def test_the_command_line_is_no_source(tmp_path):
    script = tmp_path / "s2sad-script"
    script.write_text("import sys\nfrom s2sad.tools.cli import main\nsys.exit(main())\n")
    done = subprocess.run(
        [sys.executable, str(script), "explain", "E9999"], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2 and "E9999" in done.stderr
    assert "-->" not in done.stderr and "Traceback" not in done.stderr


def test_code_that_works_pays_nothing(monkeypatch):
    def forbidden():
        raise AssertionError("looked for a caller")

    monkeypatch.setattr(location, "caller", forbidden)
    x = ms.Tensor(X)
    assert (nn.Dense(2, 4)(x).relu() + 1.0).shape == (3, 4)
    assert ms.grad(Net())(x).shape == (3, 2)


# ---- MS_JIT=0 --------------------------------------------------------------------------------


def test_ms_jit_0_turns_compiling_off(monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    seen = []

    @ms.compile
    def function(x):
        seen.append(x)  # nothing that compiled code may do
        return x + 1

    @ms.compile
    class Cell(nn.Cell):
        def construct(self, x):
            return function(x) * 2

        @ms.jit
        def method(self, x):
            return function(x) * 3

    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        cell = Cell()
        assert cell(ms.Tensor([1.0])).tolist() == [4.0]
        assert cell.method(ms.Tensor([1.0])).tolist() == [6.0]
        assert ms.compile(cell)(ms.Tensor([2.0])).tolist() == [6.0]
        assert nn.Tanh()(ms.Tensor([0.0])).tolist() == [0.0]
        assert cell.compiled.variants == function.variants == []
    assert len(seen) == 6
    with pytest.raises(S2sadError, match="E0308.*not compiled yet\n(.*\n)*.*MS_JIT=0"):
        assert function.source


def test_gradients_are_stepwise_with_ms_jit_0(monkeypatch):
    monkeypatch.setenv("MS_JIT", "0")
    step = ms.compile(ms.grad(ms.compile(lambda x: ops.sum(x * x))))
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        assert step(ms.Tensor([3.0])).tolist() == [6.0]
        assert isinstance(step.last.executable, StepwiseExecutable)
    monkeypatch.setenv("MS_JIT", "1")
    assert step(ms.Tensor([3.0])).tolist() == [6.0]
    assert isinstance(step.last.executable, NumpyExecutable)


def test_a_loaded_program_runs_with_ms_jit_0(monkeypatch, tmp_path):
    def double(x):
        return x + x

    (path, *_) = ms.compile(double).dump(tmp_path, ms.Tensor([1.0]))
    monkeypatch.setenv("MS_JIT", "0")
    loaded = ms.load_ir(path).bind()
    assert loaded(ms.Tensor([3.0])).tolist() == [6.0]
    assert isinstance(loaded.last.executable, StepwiseExecutable)


# ---- debuggers -------------------------------------------------------------------------------

PROGRAM = """\
import numpy as np
import s2sad as ms
from s2sad import nn, ops
ms.set_context(mode=ms.PYNATIVE_MODE)

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.array([[0.5], [-1.0]]), name="w")

    def construct(self, x):
        hidden = ops.matmul(x, self.w)
        return ops.sum(hidden * hidden)


net = Net()
step = ms.value_and_grad(net, None, net.w)
x = ms.Tensor(np.array([[1.0, 2.0]]))
value, gradient = step(x)
print("gradient", gradient.tolist())
"""


def debugged(folder: Path, program: str, commands: list[str], *options: str) -> str:
    """What a program says under commands to the debugger."""
    (folder / "train.py").write_text(program, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, *options, "train.py"], cwd=folder, env=environment, text=True,
        input="\n".join([*commands, ""]), capture_output=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_pdb_stops_in_the_generated_program(tmp_path):
    said = debugged(
        tmp_path, PROGRAM,
        [
            "b 19", "c",  # the line of the call
            "!function = ms.compile(step).generated(x)", "b function", "c",
            "n", "n", "n", "n", "p hidden, dhidden", "p dw", "c", "q",
        ],
        "-m", "pdb",
    )  # fmt: skip
    file = "<s2sad value_and_grad of __main__.Net.construct>"
    assert f"> {file}(6)construct_joint()\n-> hidden = x @ w " in said or (
        f"> {file}(7)construct_joint()\n-> hidden = x @ w " in said
    )
    backward = said[said.index("-> dw = p.matmul(x, dhidden, transpose_a=True)") :]
    assert "train.py:12:17" in backward.splitlines()[0]
    assert "(array([[-1.5]]), array([[-3.]]))" in backward
    assert "array([[-3.],\n       [-6.]])" in backward
    assert "gradient [[-3.0], [-6.0]]" in backward


def test_pdb_steps_from_the_call_into_the_gradient(tmp_path):
    skip = "['s2sad*', 'numpy*']"
    program = PROGRAM.replace(
        "value, gradient =",
        f"step(x)\nimport pdb; pdb.Pdb(skip={skip}).set_trace()\nvalue, gradient =",
    )
    to_the_call = ["n"] if sys.version_info >= (3, 13) else []
    commands = [*to_the_call, "s", "s", "p x", "until 11", "p dw", "c"]
    said = debugged(tmp_path, program, commands)
    call = "--Call--\n> <s2sad value_and_grad of __main__.Net.construct>(5)construct_joint()"
    assert call in said
    assert "-> hidden = x @ w " in said and "array([[1., 2.]])" in said
    assert "array([[-3.],\n       [-6.]])" in said


def test_breakpoint_in_a_cell_stops_there(tmp_path):
    program = PROGRAM.replace(
        "        return ops.sum", "        breakpoint()\n        return ops.sum"
    ).replace("value, gradient = step(x)", "value = net(x)")
    program = program[: program.index("print(")]
    said = debugged(tmp_path, program, ["p hidden", "n", "c"])
    assert "train.py(14)construct()\n-> return ops.sum(hidden * hidden)" in said
    assert "(Pdb) Tensor(shape=" in said and "-1.5" in said


def test_breakpoint_in_a_gradient_says_how_to_stop_there():
    def stops(x):
        breakpoint()
        return x

    with pytest.raises(S2sadError, match=r"(?s)E0104.*calling breakpoint.*help:.*\.generated\("):
        ms.grad(stops)(ms.Tensor(X))


def test_post_mortem_finds_the_values_of_the_backward(tmp_path):
    program = PROGRAM.replace("hidden * hidden", "ops.gather(hidden, one, 0)")
    program = program[: program.index("value, gradient")] + (
        "import pdb\n"
        "one = ms.Tensor([1])\n"
        "try:\n"
        "    step(x)\n"
        "except IndexError as error:\n"
        "    pdb.post_mortem(error.__traceback__)\n"
    )
    said = debugged(tmp_path, program, ["p hidden", "q"])
    assert "<s2sad value_and_grad of __main__.Net.construct>" in said
    assert "array([[-1.5]])" in said
