"""Does a program keep to the memory that it may have, with the same numbers, or say why not?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.binding.limit import planned
from s2sad.core.diagnostics import S2sadError

X = ms.Tensor(np.random.default_rng(0).standard_normal((256, 16)).astype(np.float32))


@pytest.fixture(params=["numpy", "c"], autouse=True)
def backend(request, monkeypatch, programs_apart):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)
    ms.set_context(mode=ms.GRAPH_MODE)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


class Deep(nn.Cell):
    def __init__(self, depth=8):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(16, 16, activation="tanh") for _ in range(depth)])

    def construct(self, x):
        for layer in self.layers:
            x = ops.sigmoid(layer(x))
        return ops.sum(x * x)


def step(limit=None):
    """Value and gradients of a deep network, always with the same weights."""
    ms.set_seed(1)
    net = Deep()
    return ms.compile(ms.value_and_grad(net, None, net.trainable_params()), memory_limit=limit)


def needs(compiled):
    """Bytes of the plan of what ran last."""
    return planned(compiled.last.executable.function).nbytes


def arrays(result):
    value, gradients = result
    return [each.asnumpy() for each in (value, *gradients)]


def require_alike(found, expected, backend):
    """The same bits on NumPy; in C, sums that are fused otherwise round otherwise."""
    if backend == "numpy":
        assert found.tobytes() == expected.tobytes()
    else:
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


def test_less_memory_and_the_same_numbers(backend):
    whole = step()
    expected, all_of_it = arrays(whole(X)), needs(whole)
    found = []
    for limit in (all_of_it, int(all_of_it * 0.7), int(all_of_it * 0.5)):
        within = step(limit)
        for one, other in zip(arrays(within(X)), expected, strict=True):
            require_alike(one, other, backend)
        assert needs(within) <= limit
        found.append(needs(within))
    assert found[0] == all_of_it  # nothing is computed again for nothing
    names = [name for name, _ in within.stages.functions]
    assert any(name.endswith("recompute") for name in names)


def test_what_cannot_fit_names_the_lines_that_hold_it():
    with pytest.raises(S2sadError) as caught:
        step("9KB")(X)
    diagnostic = caught.value.diagnostic
    line = Deep.construct.__code__.co_firstlineno + 2
    assert diagnostic.code == "E0716" and "9 KB" in diagnostic.message
    assert diagnostic.location.line == line and diagnostic.location.file.endswith("test_limit.py")
    assert f"test_limit.py:{line}" in diagnostic.notes[0]
    sizes = [note.split(" by ")[0] for note in diagnostic.notes]
    assert len(sizes) == len(diagnostic.notes) > 0


def test_a_step_of_training_and_its_sink(backend):
    def trained(limit):
        ms.set_seed(1)
        net = Deep().set_train()
        own = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        gradient = ms.value_and_grad(net, None, net.trainable_params())

        def run(x):
            loss, gradients = gradient(x)
            own(gradients)
            return loss

        compiled = ms.compile(run, memory_limit=limit)
        losses = [compiled(X).asnumpy() for _ in range(2)]
        losses += [*compiled.sink([(X,)] * 3).asnumpy()]
        return compiled, losses, [w.asnumpy() for w in net.get_parameters()]

    whole, losses, weights = trained(None)
    limit = int(needs(whole) * (0.95 if backend == "numpy" else 0.7))
    within, other_losses, other_weights = trained(limit)
    assert needs(within) <= limit and needs(within) < needs(whole)
    for one, other in zip(losses + weights, other_losses + other_weights, strict=True):
        require_alike(other, one, backend)
    assert planned(within.last.sunk.function).nbytes <= limit


def test_a_sink_that_does_not_fit_is_refused():
    def twice(x):
        return ops.tanh(x * 2.0) + x

    plain = ms.compile(twice)
    plain(X)
    limit = needs(plain)
    within = ms.compile(lambda x: twice(x), memory_limit=limit)
    assert within(X).shape == X.shape and planned_sink(within) > limit
    with pytest.raises(S2sadError, match="E0716"):
        within.sink([(X,), (X,)])


def planned_sink(compiled):
    from s2sad import compiler
    from s2sad.ir.clone import clone
    from s2sad.passes.base import run_passes

    function = clone(compiled.last.program.function)
    run_passes(function, compiler.SINK)
    return planned(function).nbytes


def test_loops_are_cut_into_segments(backend):
    w = ms.Tensor(np.linspace(0.5, 1.5, 1000).astype(np.float32))

    def relaxed(x):
        for _ in range(400):
            x = ops.tanh(x * w)
        return ops.sum(x)

    x = ms.Tensor(np.linspace(-1, 1, 1000).astype(np.float32))
    whole, within = (ms.compile(ms.grad(relaxed), memory_limit=m) for m in (None, "400KB"))
    expected = whole(x).asnumpy()
    assert needs(whole) > 1_600_000
    assert within(x).asnumpy().tobytes() == expected.tobytes() and needs(within) <= 400_000


def test_a_loop_of_which_data_say_how_long_its_tape_is():
    def relaxed(x):
        while ops.sum(x * x) > 0.5:
            x = ops.tanh(x * 0.9)
        return ops.sum(x)

    with pytest.raises(S2sadError, match="E0716.*nobody knows") as caught:
        ms.compile(ms.grad(relaxed), memory_limit="1MB")(X)
    assert caught.value.diagnostic.location is not None
    assert ms.compile(relaxed, memory_limit="1MB")(X).shape == ()  # without a gradient it is known


def test_pullbacks_are_within_it_or_refused():
    net = Deep()
    value, pullback = ms.compile(net, memory_limit="1MB").vjp(X)
    assert value.shape == () and len(pullback(ms.Tensor(1.0))[1]) == 16
    with pytest.raises(S2sadError, match="E0716"):
        ms.compile(Deep(), memory_limit="9KB").vjp(X)


def test_ways_to_say_it():
    @ms.compile(memory_limit=8)
    class Small(nn.Cell):
        def construct(self, x):
            return ops.exp(x)

    @ms.compile(memory_limit="8B")
    def small(x):
        return ops.exp(x)

    class Owner:
        @ms.compile(memory_limit=8)
        def method(self, x):
            return ops.exp(x)

    for call in (Small(), small, Owner().method):
        assert call(ms.Tensor([1.0, 2.0])).shape == (2,)
        with pytest.raises(S2sadError, match="E0716"):
            call(ms.Tensor([1.0, 2.0, 3.0]))


def test_another_limit_compiles_anew():
    cell = Deep()
    assert ms.compile(cell) is ms.compile(cell, memory_limit="1MB")
    compiled = ms.compile(cell)
    compiled(X)
    assert compiled.memory_limit == 1_000_000 and len(compiled.variants) == 1
    with pytest.raises(S2sadError, match="E0716"):
        ms.compile(cell, memory_limit="4KB")(X)
    with pytest.raises(S2sadError, match="E0716"):
        compiled(X)


def test_open_sizes_are_held_to_it_each():
    rows = ms.Tensor(shape=[None, 2], dtype=ms.float32)
    compiled = ms.compile(lambda x: ops.exp(x), input_signature=(rows,), memory_limit="64B")
    assert compiled(ms.Tensor(np.ones((8, 2), np.float32))).shape == (8, 2)
    with pytest.raises(S2sadError, match="E0716"):
        compiled(ms.Tensor(np.ones((9, 2), np.float32)))


@pytest.mark.parametrize(("limit", "code"), [(1.5, "E0303"), (True, "E0303"), (-1, "E0404"),
                                             ("much", "E0404")])  # fmt: skip
def test_what_is_no_size(limit, code):
    with pytest.raises(S2sadError) as caught:
        ms.compile(lambda x: x, memory_limit=limit)
    assert caught.value.code == code
