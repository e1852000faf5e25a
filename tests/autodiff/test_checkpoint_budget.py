"""Does a gradient under a memory budget give the same numbers, and keep to the budget?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import compiler, nn, ops
from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import StackValue, TensorType, f64, i64
from s2sad.passes.base import run_passes
from s2sad.passes.hoist import HoistConstants
from s2sad.passes.segment import SegmentLoops
from support.forms import require_same

X, W = ms.Tensor(np.linspace(-1, 1, 10)), ms.Tensor(np.linspace(0.5, 1.2, 10))
TRIPS = (0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17)


def zero():
    return ops.zeros((), ms.int64)


# ---- loops: of two tensors of ten doubles, and a number of passes --------------------------------


def one_value(x, w, n):
    y, i = x, zero()
    while i < n:
        y, i = ops.tanh(y * w), i + 1
    return y * w


def until_it_is_small(x, w, n):
    y = x * n
    while ops.abs(y).sum() > 1e-3:
        y = ops.sin(y) * w * 0.5
    return y + x


def several_values_and_integers(x, w, n):
    a, b, c, k, i, before = x, w, x * w, zero(), zero(), zero()
    while i < n:
        a, b = b * 0.5 + ops.cos(a), a
        k = k * 2 + i
        c = c * w + ops.cast(k % 3, ms.float64)
        before, i = i, i + 1
    return a + c, b, k, before


def not_all_of_it_matters(x, w, n):
    y, z, i = x, w, zero()
    while i < n:
        y, z, i = ops.sin(y), ops.log(z * y), i + 1  # a derivative of z would not be a number
    return y * w


def counted_down(x, w, n):
    y = x
    for i in range(40, -3, -3):
        y = ops.sin(y * w + x[i % 5]) + y * i
    return y * n


def rows_of_a_tensor(x, w, n):
    total = ops.zeros((), ms.float64)
    for i in range(10):
        total = ops.tanh(total * w[0] + x[i])
    return total * n


def as_many_as_the_tensor_says(x, w, n):
    y = x
    for i in range(1, n + 1, 2):
        y = ops.sin(y * w) + x * i
    return y


def a_loop_in_a_loop(x, w, n):
    y, i = x, zero()
    while i < n:
        z, j = y, zero()
        while j < i + 1:
            z, j = ops.sin(z * w) + y, j + 1
        y, i = ops.tanh(y + z), i + 1
    return y * w


def a_while_in_a_for(x, w, n):
    y = x
    for i in range(7):
        j = zero()
        while j < n:
            y, j = ops.sin(y * w) + x / (i + 1), j + 1
        y = y * w
    return y


def a_for_in_a_for(x, w, n):
    y = x
    for i in range(6):
        for k in range(5):
            y = ops.sin(y * w) + x[k] / (i + 1) * ops.cos(w)
        w = w * y
    return y * n


def a_for_in_a_while(x, w, n):
    y, i = x, zero()
    while i < n:
        for k in range(8, 0, -2):
            y = ops.sin(y * w) + x[k] * i
        i = i + 1
    return y


def loops_in_branches(x, w, n):
    y, i = x, zero()
    while i < n:
        if y.sum() > 0:
            k = zero()
            while k < 3:
                y, k = ops.sin(y) * w, k + 1
        else:
            y = y * y - w
        i = i + 1
    return y


def one_after_the_other(x, w, n):
    return one_value(one_value(x, w, n), w * 2, n + 1)


LOOPS = [
    one_value, until_it_is_small, several_values_and_integers, not_all_of_it_matters, counted_down,
    rows_of_a_tensor, as_many_as_the_tensor_says, a_loop_in_a_loop, a_while_in_a_for,
    a_for_in_a_for, a_for_in_a_while, loops_in_branches, one_after_the_other,
]  # fmt: skip


@pytest.mark.parametrize("function", LOOPS)
def test_values_and_gradients_are_the_same_to_the_last_bit(function) -> None:
    plain = ms.value_and_grad(function, (0, 1))
    wanted = {n: plain(X, W, ms.Tensor(n)) for n in TRIPS}
    for memory in (2200, 5000):  # a pass or a few, some of them
        within = ms.value_and_grad(ms.checkpoint(function, memory=memory), (0, 1))
        for n in TRIPS:
            require_same(within(X, W, ms.Tensor(n)), wanted[n])


@pytest.mark.parametrize("function", [one_value, a_loop_in_a_loop, a_for_in_a_while])
def test_compiled_gradients_are_the_same_to_the_last_bit(function) -> None:
    plain = ms.compile(ms.value_and_grad(function, (0, 1)))
    within = ms.compile(ms.value_and_grad(ms.checkpoint(function, memory=3000), (0, 1)))
    for n in (0, 1, 7):
        require_same(within(X, W, ms.Tensor(n)), plain(X, W, ms.Tensor(n)))


@pytest.mark.parametrize("function", LOOPS[:4])
def test_without_a_budget_all_is_computed_again(function) -> None:
    plain, again = (ms.value_and_grad(f, (0, 1)) for f in (function, ms.checkpoint(function)))
    for n in (0, 1, 6):
        require_same(again(X, W, ms.Tensor(n)), plain(X, W, ms.Tensor(n)))


def first_of(results):
    return results[0] if isinstance(results, tuple) else results


def slope_of(function):
    """A function of the gradient of `function`, to be differentiated again."""

    def slope(x, w, n):
        inner = ms.grad(lambda y: first_of(function(y, w, n)).sum())
        return ops.sin(inner(x)).sum()

    return slope


@pytest.mark.parametrize("function", [one_value, several_values_and_integers, a_while_in_a_for])
@pytest.mark.parametrize("memory", [None, 6000])
def test_a_second_derivative(function, memory) -> None:
    marked = ms.checkpoint(function, memory=memory)
    plain, within = (ms.grad(slope_of(f), (0, 1)) for f in (function, marked))
    for n in (0, 4):
        pairs = zip(within(X, W, ms.Tensor(n)), plain(X, W, ms.Tensor(n)), strict=True)
        for found, wanted in pairs:
            np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-10, atol=1e-12)


def test_a_tangent_of_a_gradient_and_a_pullback() -> None:
    marked, n = ms.checkpoint(one_value, memory=1000), ms.Tensor(9)
    of_gradient = [
        ms.jvp(ms.grad(lambda x, f=f: f(x, W, n)), X, W) for f in (one_value, marked)
    ]  # fmt: skip
    for wanted, found in zip(*of_gradient, strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted.asnumpy(), rtol=1e-12)
    (one, pull), (other, pull_within) = (
        ms.compile(f).vjp(X, W, n) for f in (one_value, marked)
    )  # fmt: skip
    require_same(other, one)
    require_same(pull_within(W), pull(W))
    assert pull_within.nbytes < pull.nbytes


# ---- Cells and Parameters ------------------------------------------------------------------------


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(W, name="w")
        self.calls = ms.Parameter(ms.Tensor(0.0), name="calls", requires_grad=False)

    def construct(self, x, n):
        ops.assign(self.calls, self.calls + 1)
        i = zero()
        while i < n:
            x, i = ops.tanh(x * self.w), i + 1
        return x


class Decorated(Recurrent):
    construct = ms.checkpoint(Recurrent.construct, memory="1KiB")


class Around(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x, n):
        return self.inner(self.inner(x, n), n) * 2


def marked_function(net):
    return ms.checkpoint(lambda x, n: net(x, n), memory=1000)


@pytest.mark.parametrize("kind", ["marked", "without memory", "decorated", "function", "method"])
def test_parameters_have_their_gradients(kind) -> None:
    nets = Recurrent(), Decorated() if kind == "decorated" else Recurrent()
    called = {
        "marked": lambda net: ms.checkpoint(net, memory=1000),
        "without memory": ms.checkpoint,
        "decorated": lambda net: net,
        "function": marked_function,
        "method": lambda net: ms.checkpoint(net.construct, memory=1000),
    }[kind](nets[1])
    n = ms.Tensor(11)
    wanted = ms.value_and_grad(nets[0], 0, nets[0].w)(X, n)
    step = ms.value_and_grad(called, 0, nets[1].w)
    require_same(step(X, n), wanted)
    assert nets[1].calls.item() == 1
    require_same(ms.compile(step)(X, n), wanted)
    require_same(called(X, n), nets[0](X, n))


def test_a_marked_cell_stays_the_cell_that_it_is() -> None:
    net, plain = Around(ms.checkpoint(Recurrent(), memory="1KB")), Around(Recurrent())
    assert isinstance(net.inner, Recurrent)
    assert [w.name for w in net.get_parameters()] == ["inner.w", "inner.calls"]
    results = [
        ms.compile(ms.value_and_grad(each, 0, each.trainable_params()))(X, ms.Tensor(5))
        for each in (net, plain)
    ]  # fmt: skip
    require_same(*results)


def test_marking_a_cell_compiles_anew() -> None:
    net = Recurrent()
    step = ms.compile(ms.grad(net))
    before = step(X, ms.Tensor(9))
    assert "barrier" not in step.source
    ms.checkpoint(net, memory=1000)
    require_same(step(X, ms.Tensor(9)), before)
    assert "barrier" in step.source


def test_the_forms_of_a_decorator() -> None:
    @ms.checkpoint
    def bare(x):
        return ops.sin(x)

    @ms.checkpoint(memory="16MB")
    def with_memory(x):
        """Sine."""
        return ops.sin(x)

    assert (bare.memory, with_memory.memory) == (None, 16_000_000)
    assert with_memory.__doc__ == "Sine." and "with_memory" in repr(with_memory)
    for function in (bare, with_memory, ms.checkpoint(ops.sin)):
        np.testing.assert_array_equal(function(X).asnumpy(), ops.sin(X).asnumpy())
        np.testing.assert_array_equal(ms.grad(function)(X).asnumpy(), ops.cos(X).asnumpy())


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "memory"),
    [("E0303", 1.5), ("E0303", True), ("E0404", -1), ("E0404", "much"), ("E0404", "-1MB")],
)
def test_memory_is_a_number_of_bytes(code, memory) -> None:
    with pytest.raises(S2sadError, match=code):
        ms.checkpoint(one_value, memory=memory)


@pytest.mark.parametrize("thing", [3, Recurrent, "loop"])
def test_only_what_is_called_is_marked(thing) -> None:
    with pytest.raises(S2sadError, match="E0304"):
        ms.checkpoint(thing)


def test_too_little_for_one_pass() -> None:
    with pytest.raises(S2sadError, match=r"E0404.* 100 B .* one pass of it keeps 160 B") as caught:
        ms.grad(ms.checkpoint(one_value, memory=200), (0, 1))(X, W, ms.Tensor(3))
    assert Path(__file__).name in str(caught.value) and "while i < n" in str(caught.value)


def test_sizes_that_are_not_known() -> None:
    def program(x, n):
        def body(x, n):
            return p.while_(
                x, n, condition=lambda y, i: p.greater(i, 0), body=lambda y, i: (y * y, i - 1)
            )[0]

        return p.checkpoint(x, n, body=body, budget=10**6)

    function = build_function(program, [TensorType(f64.dtype, (symbol("B"),)), i64])
    with pytest.raises(S2sadError, match="E0104.*sizes are not known"):
        run_passes(function, [SegmentLoops()])


def test_a_loop_with_effects() -> None:
    def printing(x):
        y = x
        while y.sum() < 100.0:
            print(y)
            y = y + x
        return y

    with pytest.raises(S2sadError, match="E0104"):
        ms.grad(ms.checkpoint(printing, memory=1000))(ms.Tensor([1.0, 2.0]))


# ---- where budgets apply -------------------------------------------------------------------------


def many_passes(x):
    return p.for_(0, 100, 1, x, body=lambda i, y: p.sin(y) * p.cast(i, dtype=y.dtype))


def forms(function):
    return [operation.prim.name for operation in function.walk()]


def test_known_loops_with_long_tapes_are_segmented_by_themselves() -> None:
    x = np.linspace(0.1, 1.0, 8)
    functions = [build_function(many_passes, [f64[8]]) for _ in range(3)]
    for function, budget in zip(functions, (10**6, 5000, 100), strict=True):
        run_passes(function, [HoistConstants(), SegmentLoops(budget=budget)])
    unchanged, segmented, too_large = functions
    assert forms(unchanged).count("for_") == 1 and forms(too_large).count("for_") == 1
    assert forms(segmented).count("for_") == 2 and "checkpoint" in forms(segmented)
    found = [evaluate(function, [x])[0] for function in functions]
    np.testing.assert_array_equal(found[0], found[1])
    assert not SegmentLoops().concerns(unchanged)  # a common loop costs nothing


def test_a_long_loop_of_a_program(monkeypatch) -> None:
    plain, within = ms.compile(ms.grad(counted_down)), ms.compile(ms.grad(counted_down))
    wanted = plain(X, W, ms.Tensor(1))
    monkeypatch.setattr(compiler, "REVERSE", (SegmentLoops(budget=1000),))
    require_same(within(X, W, ms.Tensor(1)), wanted)
    assert "barrier" not in plain.source and "barrier" in within.source


def test_a_checkpoint_in_a_loop_keeps_nothing_of_its_loops() -> None:
    def again_and_again(x, w, n):
        inner = ms.checkpoint(one_value, memory=1000)
        for _ in range(4):
            x = inner(x, w, n)
        return x

    def plain(x, w, n):
        for _ in range(4):
            x = one_value(x, w, n)
        return x

    n = ms.Tensor(9)
    step = ms.compile(ms.grad(again_and_again, (0, 1)))
    require_same(step(X, W, n), ms.grad(plain, (0, 1))(X, W, n))
    forward = step.source.partition("barrier")[0]
    assert forward.count("append") == 1  # x, which each call begins with


def test_what_is_large_outside_of_loops_is_computed_again() -> None:
    def layers(x, w, n):
        x = ops.tanh(x) + ops.exp(x)
        x = ops.tanh(x) + ops.exp(x)
        return one_value(x, w, n)

    n = ms.Tensor(2)
    step = ms.compile(ms.grad(ms.checkpoint(layers, memory=500), (0, 1)))
    require_same(step(X, W, n), ms.grad(layers, (0, 1))(X, W, n))
    assert "append" not in step.source.partition("barrier")[0]


# ---- memory --------------------------------------------------------------------------------------


class Tapes:
    """Counts the bytes that lie on tapes."""

    def __init__(self, monkeypatch) -> None:
        self.held = self.peak = 0

        def append(stack, x):
            self.held += x.nbytes
            self.peak = max(self.peak, self.held)
            list.append(stack, x)

        def pop(stack):
            x = list.pop(stack)
            self.held -= x.nbytes
            return x

        monkeypatch.setattr(StackValue, "append", append, raising=False)
        monkeypatch.setattr(StackValue, "pop", pop, raising=False)

    def peak_of(self, function, *args) -> int:
        self.peak = 0
        function(*args)
        assert self.held == 0
        return self.peak


def solved_in_steps(x, w, n):
    """A loop of unknown length in one of unknown length."""
    y, i = x, zero()
    while i < n:
        z, j = y, zero()
        while j < 40:
            z, j = ops.sin(z) * w, j + 1
        y, i = y + z * 0.1, i + 1
    return y


@pytest.mark.parametrize(
    ("function", "passes", "tape"), [(one_value, 1500, 2.4e6), (solved_in_steps, 60, 3.8e6)]
)
def test_the_budget_holds(function, passes, tape, monkeypatch) -> None:
    tapes, n = Tapes(monkeypatch), ms.Tensor(passes)
    x, w = ms.Tensor(np.full(100, 0.3)), ms.Tensor(np.full(100, 1.1))
    marked = ms.checkpoint(function, memory=200_000)
    assert tapes.peak_of(ms.grad(function, (0, 1)), x, w, n) >= tape
    assert 50_000 < tapes.peak_of(ms.grad(marked, (0, 1)), x, w, n) <= 200_000


def test_the_budget_holds_for_a_second_derivative(monkeypatch) -> None:
    tapes, n = Tapes(monkeypatch), ms.Tensor(1500)
    x, w = ms.Tensor(np.full(100, 0.3)), ms.Tensor(np.full(100, 1.1))
    of_plain, of_marked = (
        slope_of(f) for f in (one_value, ms.checkpoint(one_value, memory=200_000))
    )
    assert tapes.peak_of(ms.grad(of_plain, (0, 1)), x, w, n) > 5e6
    assert tapes.peak_of(ms.grad(of_marked, (0, 1)), x, w, n) < 800_000


MEASURED = """
import json, resource, sys, time
import numpy as np
import s2sad as ms
from s2sad import ops

def loop(y, w, n):
    i = ops.zeros((), ms.int64)
    while i < n:
        y, i = ops.tanh(y * w), i + 1
    return y

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

size, passes = map(int, sys.argv[1:])
shape = (size,) if size else ()
y = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
w = np.full(shape, 1.001, np.float32)
step = ms.compile(ms.grad(ms.checkpoint(loop, memory="16MB"), (0, 1)))
args = ms.Tensor(y), ms.Tensor(w)
step(*args, ms.Tensor(3))
before, seconds = peak(), []
for _ in range(3):
    begin = time.process_time()  # others may be at work
    found = step(*args, ms.Tensor(passes))
    seconds.append(time.process_time() - begin)
gradients = [x.asnumpy().reshape(-1)[:256].tolist() for x in found]
print(json.dumps([min(seconds), peak() - before, y.reshape(-1)[:256].tolist(), gradients]))
"""


def by_hand(y, passes):
    """Gradients of the sum of what `loop` of MEASURED gives, in float64."""
    w, states = np.float64(np.float32(1.001)), [np.float64(y)]
    for _ in range(passes):
        states.append(np.tanh(states[-1] * w))
    dy, dw = np.ones_like(states[0]), np.zeros_like(states[0])
    for before, after in zip(states[-2::-1], states[:0:-1], strict=True):
        slope = dy * (1 - after * after)
        dy, dw = slope * w, dw + slope * before
    return dy, dw


@pytest.mark.slow
@pytest.mark.parametrize(("size", "passes"), [(16_384, 4000), (0, 10**6)])
def test_measured_in_c(size, passes, tmp_path) -> None:
    script = tmp_path / "measured.py"
    script.write_text(MEASURED)
    environment = {**os.environ, "S2SAD_BACKEND": "c"}
    command = [sys.executable, str(script), str(size), str(passes)]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    seconds, nbytes, y, gradients = json.loads(run.stdout)
    assert seconds <= 0.5 and nbytes <= 24e6
    for found, wanted in zip(gradients, by_hand(y, passes), strict=True):
        np.testing.assert_allclose(
            found, wanted, rtol=1e-3, atol=1e-4 * np.abs(wanted).max() + 1e-30
        )
