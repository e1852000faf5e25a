"""Is a sunk step the same steps, one after the other, and a program like any other?"""

from __future__ import annotations

import runpy

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad import prims as p
from s2sad.backends.numpy import build
from s2sad.core.diagnostics import S2sadError
from s2sad.ir import store
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.reader import read_text
from s2sad.ir.types import Stack, Token, f32, i64
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.pipeline import format_pipeline, parse_pipeline
from s2sad.passes.sink import SinkLoop, Step
from s2sad.prims.channel import Channel, serving

STEP = """
@function(inputs=("x", "param:w", "capture:rate", "i"), donates={"w": 1}, tree="(0, 2)")
def step(x: f32[3], w: f32[3], rate: f32, i: i64) -> (f32, f32[3], i64):
    moved = w + x * rate
    loss = p.reduce_sum(w * x)
    return loss, moved, i
"""
SUNK = """
@function(inputs=("param:w", "capture:rate", "token:sink"), donates={"w": 0}, tree="()")
def step(w: f32[3], rate: f32, token: Token) -> (f32[3], Token):
    a: Token; b: bool_; c: f32[3]; d: i64
    a, b, c, d = p.queue_next(token, types=(f32[3], i64), queue="batches")
    e: Token; more: bool_; x: f32[3]; i: i64; v: f32[3]
    e, more, x, i, v = a, b, c, d, w
    while True:
        if not more: break
        moved = v + x * rate
        loss = p.reduce_sum(v * x)
        f: Token; g: f32[3]
        f, g = p.queue_keep(e, moved, queue="batches")
        h: Token = p.queue_report(f, loss, i, queue="batches")
        j: Token; k: bool_; l: f32[3]; m: i64
        j, k, l, m = p.queue_next(h, types=(f32[3], i64), queue="batches")
        e, more, x, i, v = j, k, l, m, g
    return v, e
"""
RNG = np.random.default_rng(0)
BATCHES = [(RNG.normal(size=3).astype("f4"), np.array(i)) for i in range(5)]
W, RATE = RNG.normal(size=3).astype("f4"), np.float32(0.25)


def read(text: str) -> Function:
    return read_text(text, p.ALL)


def sunk(function: Function, text: str = "sink-loop") -> Function:
    function = clone(function)
    run_passes(function, parse_pipeline(text))
    return function


def test_form():
    function = sunk(read(STEP))
    found = difference(function, read(SUNK))
    assert found is None, f"{found}\n{function}"
    assert function.inputs == ("param:w", "capture:rate", "token:sink")
    assert function.donates == {0: 0} and function.tree == "()"


def test_text():
    text = "sink-loop{queue='rows'}"
    assert format_pipeline(parse_pipeline(text)) == text
    assert parse_pipeline("sink-loop") == (SinkLoop(),)
    names = {op.attrs["queue"] for op in sunk(read(STEP), text).walk() if "queue" in op.attrs}
    assert names == {"rows"}


@pytest.mark.parametrize("run", [lambda f, x: build(f).run(x), evaluate], ids=["numpy", "plain"])
@pytest.mark.parametrize("count", [0, 1, 5])
def test_numbers(run, count):
    step, w, expected = read(STEP), W, []
    for x, i in BATCHES[:count]:
        loss, w, number = run(step, [x, w, RATE, i])
        expected.append((loss.tobytes(), number.tobytes()))
    with serving("batches", Channel.over(BATCHES[:count])) as channel:
        found, token = run(sunk(step), [W, RATE, Token])
    assert found.tobytes() == w.tobytes() and token is Token and channel.steps == count
    assert [tuple(x.tobytes() for x in report) for report in channel.reports()] == expected
    assert channel.state is None if not count else channel.state[0].tobytes() == w.tobytes()


def test_layout_is_that_of_a_step_by_itself():
    """What a step leaves is in C order: sums over it are rounded in that order."""

    def step(x, w):
        return p.reduce_sum(w), p.transpose(p.add(p.transpose(w, perm=(1, 0)), x), perm=(1, 0))

    function = build_function(step, [f32[7, 60], f32[60, 7]], inputs=["x", "param:w"])
    function.donates = {1: 1}
    batches = [[RNG.normal(size=(7, 60)).astype("f4")] for _ in range(4)]
    w, expected = np.zeros((60, 7), np.float32), []
    for (x,) in batches:
        loss, new = build(function).run([x, w])
        w = np.ascontiguousarray(new)
        expected.append(loss.tobytes())
    with serving("batches", Channel.over(batches)) as channel:
        build(sunk(function)).run([np.zeros((60, 7), np.float32), Token])
    assert [loss.tobytes() for (loss,) in channel.reports()] == expected
    assert channel.state[0].flags.c_contiguous


def test_dump_runs_as_plain_python_and_reads_back(tmp_path):
    function = sunk(read(STEP))
    path = tmp_path / "sunk.py"
    store.save(function, path, stage="after sink-loop")
    assert difference(store.load(path, p.ALL), function) is None
    run = runpy.run_path(str(path))["step"]
    with serving("batches", Channel.over(BATCHES)) as channel:
        w, _ = run(W, RATE, Token)
    with serving("batches", Channel.over(BATCHES)) as other:
        expected, _ = evaluate(function, [W, RATE, Token])
    assert w.tobytes() == expected.tobytes()
    assert [r[0].tobytes() for r in channel.reports()] == [r[0].tobytes() for r in other.reports()]


def test_a_step_of_training_goes_through_passes_behind():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dropout(p=0.5), nn.Dense(4, 1))
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params()))
    step.set_train()
    x, y = ms.Tensor(np.ones((2, 3), np.float32)), ms.Tensor(np.zeros((2, 1), np.float32))
    compiled = ms.compile(step)
    variant = compiled.variant(x, y)
    function = clone(variant.program.function)
    passes = parse_pipeline("sink-loop,hoist-constants,canonicalize,cse,dce")
    run_passes(function, passes, validate=compiled.inputs(x, y))
    verify(function)
    names = [op.prim.name for op in function.walk() if op.prim.name.startswith("queue")]
    assert names == ["queue_next", "queue_keep", "queue_report", "queue_next"]


def test_tokens_of_the_step_are_carried():
    def step(x, token):
        return p.reduce_sum(x), p.print_(token, x, format="{}\n")

    function = build_function(step, [f32[1], Token], inputs=["x", "token:host"])
    (report,) = run_passes(function, [SinkLoop()])
    assert report.titles == {"sink the step": 1}
    assert function.inputs == ("token:host", "token:sink")
    with serving("batches", Channel.over([[np.float32([i])] for i in range(2)])):
        assert evaluate(function, [Token, Token]) == (Token, Token)


def test_which_input_is_what():
    function = read(STEP)
    assert Step.of(function) == Step((0, 3), (1,), (1,), (), (), (0, 2))
    function.inputs = ("rng", "rng", "capture:rate", "i")
    assert Step.of(function).batch == (0, 3)  # a Generator that nobody draws from is an argument


def test_a_step_without_results_or_state():
    function = build_function(lambda x: (), [f32[2]], inputs=["x"])
    function.tree = "()"
    run_passes(function, [SinkLoop()])
    with serving("batches", Channel.over([[np.zeros(2, np.float32)]] * 3)) as channel:
        assert evaluate(function, [Token]) == (Token,)
    assert channel.steps == 3 and channel.reports() == [()] * 3


def test_stacks_are_refused():
    function = build_function(lambda s: s, [Stack[f32]])
    with pytest.raises(S2sadError, match="E0304"):
        run_passes(function, [SinkLoop()])


def test_validation_sees_a_sink_that_is_wrong(monkeypatch):
    inputs = [BATCHES[0][0], W, RATE, BATCHES[0][1]]
    run_passes(read(STEP), [SinkLoop()], validate=inputs)
    of = Step.of

    def wrong(function):
        found = of(function)
        return Step(found.batch, found.state, found.written, (), (), found.reported[::-1])

    run = SinkLoop.run

    def run_wrong(self, function, rewriter):
        with monkeypatch.context() as patch:
            patch.setattr(Step, "of", staticmethod(wrong))
            run(self, function, rewriter)

    monkeypatch.setattr(SinkLoop, "run", run_wrong)
    with pytest.raises(S2sadError, match="E0903.*sink-loop"):
        run_passes(read(STEP), [SinkLoop()], validate=inputs)


def test_memory_of_a_kept_step_is_not_written_before_the_next_one_is_sure():
    """An update in place comes after all that may fail in the step; else it is a copy."""

    def step(i, w, gathers_first):
        value = p.gather(w, i, axis=0) if gathers_first else None
        new = p.index_add(w, p.reshape(i, shape=(1,)), p.const(1.0, f32[1, 2]), axis=0)
        return p.gather(new, i, axis=0) if value is None else value, new

    for first in (True, False):
        function = build_function(
            lambda i, w, first=first: step(i, w, first), [i64, f32[4, 2]],
            inputs=["i", "param:w"],
        )  # fmt: skip
        function.donates = {1: 1}
        run_passes(function, [SinkLoop()])
        executable = build(function)
        assert ("index_add_in_place" in executable.source) is first
        channel = Channel.over([[np.array(i)] for i in (1, 2, 9)])
        w = np.zeros((4, 2), np.float32)
        with serving("batches", channel), pytest.raises(IndexError):
            executable.run([w, Token])
        assert channel.state[0].tolist() == [[0, 0], [1, 1], [1, 1], [0, 0]] and not w.any()
