"""Does compiling take as long as the program is, and no longer?

What is counted here holds on any machine, at any load. Seconds are measured in the slow tests.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import compiler, nn, ops
from s2sad.backends.c.emit import emit
from s2sad.compiler import JOINT, TARGET
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Form
from s2sad.passes.base import run_passes

BATCH, HIDDEN = 16, 64
TO_C = (*JOINT, *TARGET["s2sad.backends.c"])


def parameter(name: str, *shape: int) -> ms.Parameter:
    values = np.random.default_rng(0).normal(size=shape) * 0.1
    return ms.Parameter(values.astype(np.float32), name=name)


def zeros() -> ms.Tensor:
    return ops.zeros((BATCH, HIDDEN), ms.float32)


class Tanh(nn.Cell):
    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.w, self.u = parameter("w", HIDDEN, HIDDEN), parameter("u", HIDDEN, HIDDEN)
        self.b = parameter("b", HIDDEN)

    def construct(self, x):
        h = zeros()
        for t in range(self.steps):
            h = ops.tanh(x[t] @ self.w + h @ self.u + self.b)
        return (h * h).sum()


class LstmByHand(nn.Cell):
    def __init__(self, steps: int) -> None:
        super().__init__()
        self.steps = steps
        self.w, self.u = parameter("w", HIDDEN, 4 * HIDDEN), parameter("u", HIDDEN, 4 * HIDDEN)
        self.b = parameter("b", 4 * HIDDEN)

    def construct(self, x):
        h, c = zeros(), zeros()
        for t in range(self.steps):
            i, f, g, o = ops.split(x[t] @ self.w + h @ self.u + self.b, HIDDEN, 1)
            c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
            h = ops.sigmoid(o) * ops.tanh(c)
        return (h * h).sum()


class Lstm(nn.Cell):
    def __init__(self, steps: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(HIDDEN, HIDDEN)

    def construct(self, x):
        start = ops.zeros((1, BATCH, HIDDEN), ms.float32)
        y, _ = self.lstm(x, (start, start))
        return (y * y).sum()


class Dense(nn.Cell):
    """As many layers as there are Cells in a list."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.layers = nn.CellList([nn.Dense(8, 8) for _ in range(layers)])

    def construct(self, x):
        for layer in self.layers:
            x = ops.tanh(layer(x))
        return x.sum()


class Scalars(nn.Cell):
    """As many statements as there are numbers in a list, all different."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.factors = [0.5 + 1e-4 * i for i in range(layers)]
        self.w = parameter("w", 8)

    def construct(self, x):
        for factor in self.factors:
            x = ops.tanh(x * factor + self.w)
        return x.sum()


class Nested(nn.Cell):
    """Cells in Cells."""

    def __init__(self, depth: int) -> None:
        super().__init__()
        self.w = parameter("w", 8)
        self.inner = Nested(depth - 1) if depth > 1 else None

    def construct(self, x):
        x = ops.tanh(x + self.w)
        return x if self.inner is None else self.inner(x)


class Summed(nn.Cell):
    def __init__(self, depth: int) -> None:
        super().__init__()
        self.nested = Nested(depth)

    def construct(self, x):
        return self.nested(x).sum()


class Block(nn.Cell):
    """One of a transformer: attention over what came before, and two dense layers."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.query, self.key, self.value, self.out = (nn.Dense(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)

    def split(self, x):
        batch, length, width = x.shape
        parts = ops.reshape(x, (batch, length, self.heads, width // self.heads))
        return ops.transpose(parts, (0, 2, 1, 3))

    def construct(self, x):
        n = self.norm1(x)
        q, k, v = self.split(self.query(n)), self.split(self.key(n)), self.split(self.value(n))
        length = x.shape[1]
        later = ops.triu(ops.ones((length, length), ms.float32), 1)
        weights = ops.softmax(ops.matmul(q, ops.swapaxes(k, -1, -2)) - 1e9 * later, -1)
        mixed = ops.transpose(ops.matmul(weights, v), (0, 2, 1, 3))
        x = x + self.out(ops.reshape(mixed, x.shape))
        return x + self.narrow(ops.gelu(self.wide(self.norm2(x))))


class Transformer(nn.Cell):
    def __init__(self, layers: int) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(64, 4) for _ in range(layers)])

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return (x * x).sum()


def training(layers: int) -> Any:
    """A step of training of a transformer."""
    net = Transformer(layers)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), 1e-3)
    return nn.TrainOneStepCell(net, optimizer).set_train()


def of_cell(cell: nn.Cell) -> Any:
    return ms.value_and_grad(cell, None, cell.trainable_params())


def gradient(cell: nn.Cell) -> Any:
    return ms.compile(of_cell(cell))


def ones(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.full(shape, 0.1, np.float32))


def sequence(steps: int) -> ms.Tensor:
    return ones(steps, BATCH, HIDDEN)


def module(folder: Path, name: str, text: str) -> ModuleType:
    """A module of a file, since compiled code is read there."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def calling(folder: Path, count: int) -> Callable[..., Any]:
    """A function that calls one that calls one, and so on."""
    lines = ["from s2sad import ops"]
    lines += [f"def f{i}(x):\n    return f{i + 1}(ops.tanh(x))" for i in range(count - 1)]
    lines += [f"def f{count - 1}(x):\n    return x.sum()"]
    return module(folder, f"calling{count}", "\n".join(lines)).f0


def expression(folder: Path, name: str, text: str) -> Callable[..., Any]:
    return module(folder, name, f"from s2sad import ops\n\ndef f(x):\n    return {text}\n").f


# Loops stay loops.


def loops_and_operations(function: Function) -> tuple[int, int]:
    found = list(function.walk())
    return sum(op.prim.form is Form.FOR for op in found), len(found)


@pytest.mark.parametrize("cell", [Tanh, LstmByHand, Lstm])
def test_a_recurrent_cell_stays_a_loop_from_the_source_to_c(cell):
    sizes = []
    for steps in (20, 200):
        compiled = gradient(cell(steps))
        compiled(sequence(steps))
        stages = [compiled.stages["primal"], compiled.stages["joint"]]
        native = clone(compiled.stages["joint"])
        run_passes(native, TO_C)
        sizes.append([loops_and_operations(stage) for stage in (*stages, native)])
    few, many = sizes
    assert few == many and [loops for loops, _ in many] == [1, 2, 2]


# Work grows with the layers, and no faster.


def calls_of(run: Callable[[], Any]) -> int:
    """How many functions `run` calls, of Python and of C."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def require_linear(calls: dict[int, int]) -> None:
    """No further layer takes more calls than those before it, within a tenth."""
    (a, at_a), (b, at_b), (c, at_c) = sorted(calls.items())
    first, then = (at_b - at_a) / (b - a), (at_c - at_b) / (c - b)
    assert then / first < 1.1, (calls, first, then)


def calls_to_c(compiled: Any) -> int:
    """Calls that the passes and the program of C take; no compiler is needed for that."""
    function = clone(compiled.stages["joint"])

    def run() -> None:
        run_passes(function, TO_C)
        emit([function])

    return calls_of(run)


def counted(make: Callable[[int], Any], x: ms.Tensor) -> tuple[dict[int, int], dict[int, int]]:
    """Calls to compile a gradient for NumPy, and to go on to C, by the number of layers."""
    calls, native = {}, {}
    for layers in (3, 12, 24, 48):  # in the first are imports, and what is remembered for others
        compiled = ms.compile(make(layers))
        calls[layers] = calls_of(lambda compiled=compiled: compiled(x))
        native[layers] = calls_to_c(compiled)
    del calls[3], native[3]
    return calls, native


@pytest.mark.parametrize(("cell", "shape"), [(Dense, (4, 8)), (Scalars, (8,)), (Summed, (8,))])
def test_calls_for_each_layer_do_not_grow(cell, shape):
    calls, native = counted(lambda layers: of_cell(cell(layers)), ones(*shape))
    require_linear(calls)
    require_linear(native)


def test_calls_for_each_function_that_calls_another_do_not_grow(tmp_path):
    calls, native = counted(lambda count: ms.grad(calling(tmp_path, count)), ones(8))
    require_linear(calls)
    require_linear(native)


def test_kernels_do_not_grow_with_the_numbers_of_a_program():
    kernels = []
    for layers in (80, 160):
        compiled = gradient(Scalars(layers))
        compiled(ones(8))
        function = clone(compiled.stages["joint"])
        run_passes(function, TO_C)
        kernels.append(emit([function]).text.count("S2_KERNEL("))
    assert max(kernels) < 16, kernels


def test_kernels_do_not_grow_with_the_layers_of_a_transformer():
    kernels = []
    for layers in (3, 6):
        stages = gradient(Transformer(layers)).lower("f32[2, 16, 64]")
        function = clone(stages["joint"])
        run_passes(function, TO_C)
        kernels.append([*emit([function]).kernels])
    assert len(kernels[0]) == len(kernels[1]) < 80, kernels


def test_stages_are_printed_in_as_many_steps_for_each_layer():
    calls = {}
    for layers in (12, 24, 48):
        compiled = gradient(Dense(layers))
        compiled(ones(4, 8))
        calls[layers] = calls_of(lambda stages=compiled.stages: str(stages["joint"]))
    require_linear(calls)


# Depth.


def test_two_hundred_functions_that_call_one_another(tmp_path):
    value, gradient_of = ms.compile(ms.value_and_grad(calling(tmp_path, 200)))(ones(8))
    x, slope = np.float64(np.float32(0.1)), 1.0
    for _ in range(199):
        x = np.tanh(x)
        slope *= 1 - x * x
    np.testing.assert_allclose(value.asnumpy(), 8 * x, rtol=1e-5)
    np.testing.assert_allclose(gradient_of.asnumpy(), np.full(8, slope), rtol=1e-3)


def test_cells_two_hundred_deep():
    value, gradients = gradient(cell := Summed(200))(ones(8))
    weights = [weight.asnumpy().astype(np.float64) for weight in cell.trainable_params()]
    x, values = np.full(8, np.float32(0.1), np.float64), []
    for weight in weights:
        x = np.tanh(x + weight)
        values.append(x)
    dx, expected = np.ones(8), []
    for value_there in reversed(values):
        dx = dx * (1 - value_there * value_there)
        expected.append(dx)
    np.testing.assert_allclose(value.asnumpy(), x.sum(), rtol=1e-5)
    for found, wanted in zip(gradients, reversed(expected), strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-3, atol=1e-30)


@pytest.mark.parametrize(
    ("name", "text", "slope"),
    [
        ("sum", " + ".join(["x"] * 1000), 1000.0),
        ("negated", "-" * 500 + "x", 1.0),
        ("parentheses", "(" * 150 + "x" + " + x)" * 150, 151.0),
        ("methods", "x" + ".abs()" * 300, 1.0),
        ("calls", "ops.abs(" * 150 + "x" + ")" * 150, 1.0),
    ],
    ids=["sum", "negated", "parentheses", "methods", "calls"],
)
def test_long_and_deep_expressions(tmp_path, name, text, slope):
    found = ms.compile(ms.grad(expression(tmp_path, name, text)))(ones(3))
    np.testing.assert_array_equal(found.asnumpy(), np.full(3, slope, np.float32))


@pytest.mark.parametrize(
    ("name", "text"),
    [("negated", "-" * 1500 + "x"), ("methods", "x" + ".abs()" * 1500)],
    ids=["negated", "methods"],
)
def test_what_is_too_deep_is_refused_with_a_hint(tmp_path, name, text):
    try:
        function = expression(tmp_path, f"deep_{name}", text)
    except (RecursionError, MemoryError):
        return  # of Python's own compiler, whose limit depends on its version
    with pytest.raises(S2sadError) as caught:
        ms.compile(function)(ones(3))
    assert caught.value.code == "E0103" and "names of their own" in str(caught.value)


def test_functions_that_call_one_another_without_end_are_refused(tmp_path):
    with pytest.raises(S2sadError) as caught:
        ms.compile(calling(tmp_path, 2000))(ones(3))
    assert caught.value.code.startswith("E01") and "help" in str(caught.value)


# What the collector of garbage does meanwhile.


@pytest.fixture
def collecting():
    """The collector as a user has it."""
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_waits_and_is_then_as_it_was(is_on, collecting, monkeypatch):
    (gc.enable if is_on else gc.disable)()
    seen, compile_variant = [], compiler.compile_variant

    def noted(*args, **kwargs):
        seen.append(gc.isenabled())
        return compile_variant(*args, **kwargs)

    monkeypatch.setattr(compiler, "compile_variant", noted)
    ms.compile(lambda x: x * 2)(ones(3))
    assert seen == [False] and gc.isenabled() is is_on
    with pytest.raises(S2sadError):
        ms.compile(lambda x: x @ ops.zeros((2,), ms.float32))(ones(3))
    assert seen == [False, False] and gc.isenabled() is is_on


# Seconds.


def cpu() -> float:
    """Seconds of processors that this process and the compilers that it called have taken."""
    return sum(os.times()[:4])


def seconds(compiled: Any, x: ms.Tensor) -> float:
    begin = cpu()
    compiled(x)
    return cpu() - begin


@pytest.fixture(params=["numpy", "c"])
def backend(request, monkeypatch, programs_apart):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)


@pytest.mark.slow
@pytest.mark.parametrize("cell", [Tanh, LstmByHand, Lstm])
def test_two_hundred_steps_compile_in_a_second(cell, backend):
    gradient(Scalars(2))(ones(8))  # imports
    assert seconds(gradient(cell(200)), sequence(200)) < 2


@pytest.mark.slow
def test_a_step_of_a_transformer_of_twelve_layers(backend):
    gradient(Scalars(2))(ones(8))  # imports
    assert seconds(ms.compile(training(12)), ones(2, 16, 64)) < 10


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "shape"), [(Dense, (4, 8)), (Scalars, (8,))])
def test_thousands_of_layers_take_the_time_of_each(cell, shape, backend):
    each = {}
    for layers in (100, 500, 2000):
        each[layers] = seconds(gradient(cell(layers)), ones(*shape)) / layers
    assert max(each[500], each[2000]) < 1.6 * each[100], each
