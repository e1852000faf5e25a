"""Numbers of the simulated device, against those of the CPU."""

from __future__ import annotations

import numpy as np
import pytest
from backends.ascend.target.programs import batches, trained

import s2sad as ms
from s2sad import nn, ops


def on_cpu(run):
    """What `run` gives on the CPU."""
    ms.set_context(device_target="CPU")
    try:
        return run()
    finally:
        ms.set_context(device_target="Ascend")


@pytest.mark.parametrize("sink", [{"dataset_sink_mode": False}, {}, {"sink_size": 5, "epochs": 4}])
def test_by_default_numbers_are_those_of_the_cpu_bit_for_bit(sink, mode):
    def run():
        return trained(batches(20), **sink)

    (losses, parameters), wanted = run(), on_cpu(run)
    assert losses == wanted[0] and len(losses) == (4 if "epochs" in sink else 20)
    for one, other in zip(parameters, wanted[1], strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("form", ["engine", "while"])
@pytest.mark.parametrize("sink", [{"dataset_sink_mode": False}, {}, {"sink_size": 5, "epochs": 4}])
def test_the_device_trains_from_its_files(sink, form):
    """Losses of each step come back from a Variable, the parameters from the device's memory."""
    ms.set_context(simulate="values", sink_form=form)

    def run():
        return trained(batches(20), **sink)

    (losses, parameters), wanted = run(), on_cpu(run)
    np.testing.assert_allclose(losses, wanted[0], rtol=1e-5)
    assert len(set(losses)) == len(losses) == (4 if "epochs" in sink else 20)
    for one, other in zip(parameters, wanted[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_pynative_numbers_of_the_device(monkeypatch):
    ms.set_context(mode=ms.PYNATIVE_MODE, simulate="values")
    losses, _ = trained(batches(5))
    wanted, _ = on_cpu(lambda: trained(batches(5)))
    np.testing.assert_allclose(losses, wanted, rtol=1e-5)


def scaled(x, n):
    i = 0
    while i < n:
        x = x * 2.0
        i = i + 1
    return x


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_a_loop_is_counted_as_often_as_it_runs(simulate, mode):
    ms.set_context(simulate=simulate)
    compiled, found = ms.compile(scaled), []
    for turns in (2, 5):
        ms.runtime.reset_device_counters()
        assert compiled(ms.Tensor([1.0, 3.0]), ms.Tensor(turns)).tolist() == [
            2.0**turns,
            3 * 2.0**turns,
        ]
        found.append(ms.runtime.device_counters())
    assert [each.interactions for each in found] == [1, 1]
    a_turn = (found[1].launches - found[0].launches) / 3
    assert a_turn == int(a_turn) >= 3  # the condition, the product and the count
    ms.runtime.reset_device_counters()
    gradient = ms.grad(scaled)(ms.Tensor([1.0, 3.0]), ms.Tensor(3))
    assert gradient.tolist() == [8.0, 8.0] and ms.runtime.device_counters().launches > 9


@pytest.mark.parametrize("form", ["engine", "while"])
def test_a_sink_of_steps_that_numbers_decide(form):
    ms.set_context(sink_form=form)
    given = [(ms.Tensor([float(i)]), ms.Tensor(i)) for i in range(4)]
    assert ms.compile(scaled).sink(given).tolist() == [[0.0], [2.0], [8.0], [24.0]]
    counters = ms.runtime.device_counters()
    assert (counters.interactions, counters.steps, counters.queue_items) == (1, 4, 4)


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_random_numbers_are_those_of_the_cpu(simulate, mode):
    ms.set_context(simulate=simulate)
    net = nn.Dropout(p=0.5).set_train()

    def run():
        ms.set_seed(3)
        return [net(ops.ones((50,))).tolist() for _ in range(3)]

    assert run() == on_cpu(run)


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_what_a_program_prints_is_printed_once(simulate, mode, capsys):
    class Shown(nn.Cell):
        def construct(self, x):
            print("x is", x)
            return x + 1.0

    def run():
        Shown()(ms.Tensor([1.0]))
        return capsys.readouterr().out

    ms.set_context(simulate=simulate)
    assert run() == on_cpu(run) == "x is [1.]\n"


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_special_numbers_and_dtypes(simulate, mode):
    ms.set_context(simulate=simulate)
    for value in (0.0, -0.0, np.nan, np.inf):
        for dtype in (ms.float32, ms.float16, ms.bfloat16, ms.float64):
            x = ms.Tensor([value], dtype)
            found = ops.mul(x, 1.0).astype(ms.float32).asnumpy()
            np.testing.assert_array_equal(found, np.float32([value]))
            assert np.signbit(found) == np.signbit(np.float32([value]))
    assert ops.clamp(ms.Tensor([-0.5]), 0.0, 1.0).tolist() == [0.0]
    assert ops.clamp(ms.Tensor([True + 0.5]), 0, True).tolist() == [1.0]
    assert (ms.Tensor([127], ms.int8) + ms.Tensor([1], ms.int8)).tolist() == [-128]
    assert ops.sum(ops.zeros((0, 3)) * 2.0, 0).tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_a_pullback_is_a_call_of_its_own(simulate):
    ms.set_context(simulate=simulate)
    output, pullback = ms.compile(lambda x: ops.exp(x) * x).vjp(ms.Tensor([1.0, 2.0]))
    np.testing.assert_allclose(output.asnumpy(), np.exp([1.0, 2.0]) * [1.0, 2.0], rtol=1e-6)
    for factor in (1.0, 3.0):
        (dx,), _ = pullback(ms.Tensor([factor, factor]))
        np.testing.assert_allclose(dx.asnumpy(), factor * np.exp([1, 2]) * [2, 3], rtol=1e-6)
    assert ms.runtime.device_counters().interactions == 3


def test_a_sink_that_fails_says_at_which_step_and_keeps_nothing_of_its_call():
    class Kept(nn.Cell):
        def __init__(self):
            super().__init__()
            self.total = ms.Parameter(ms.Tensor([0.0]), name="total")

        def construct(self, x):
            assert x > 0, "positive"
            self.total = self.total + x
            return self.total

    ms.set_context(simulate="values")
    net = Kept()
    given = [ms.Tensor([float(x)]) for x in (1, 2, 3)]
    ms.compile(net).sink(given)
    assert net.total.tolist() == [6.0]
    with pytest.raises(AssertionError, match="positive") as caught:
        ms.compile(net).sink([*given[:2], ms.Tensor([-1.0])])
    assert "it was step 2 of the sink, from 0; Parameters are as they were" in str(caught.value)
    assert net.total.tolist() == [6.0]


def test_programs_of_either_target_are_apart():
    double = ms.compile(lambda x: x + x)
    for target in ("CPU", "Ascend", "CPU", "Ascend"):
        ms.set_context(device_target=target)
        assert double(ms.Tensor([1.0])).tolist() == [2.0]
    assert len(double.variants) == 2
    assert ms.runtime.device_counters().interactions == 2
    assert "Add(" in double.variants[1].executable.source
    assert double.variants[1].executable.kernels == ("Add",)
