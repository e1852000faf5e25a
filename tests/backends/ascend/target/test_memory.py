"""What lies in the device's memory, and what is told of it."""

from __future__ import annotations

import gc
from pathlib import Path

import numpy as np
import pytest
from backends.ascend.target.programs import batches, trained

import s2sad as ms
from s2sad import hal, nn, ops, runtime
from s2sad.core.diagnostics import S2sadError

MIB = 2**20


def million(count=1):
    """A tensor of `count` MiB."""
    return ms.Tensor(np.ones((count, 256, 1024), np.float32))


def test_a_tensor_is_on_the_device_from_its_first_use_to_its_end():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = million()
    assert runtime.memory_allocated() == 0
    y = x * 2.0
    assert runtime.memory_allocated() == 2 * MIB
    z = ops.reshape(y, (-1,))  # the same memory
    assert runtime.memory_allocated() == 2 * MIB
    del y
    assert runtime.memory_allocated() == 2 * MIB
    turned = ops.transpose(z.reshape(256, 1024), (1, 0))  # of a kernel, in memory of its own
    assert runtime.memory_allocated() == 3 * MIB
    del z, x, turned
    gc.collect()
    assert runtime.memory_allocated() == 0
    assert 3 * MIB <= runtime.max_memory_allocated() <= 3 * MIB + 512  # and the permutation
    assert runtime.memory_reserved() == 3 * MIB
    runtime.empty_cache()
    assert (runtime.memory_reserved(), runtime.max_memory_reserved()) == (0, 3 * MIB)
    runtime.reset_peak_memory_stats()
    assert (runtime.max_memory_allocated(), runtime.max_memory_reserved()) == (0, 0)


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_values_on_the_way_count_at_the_peak(simulate):
    """Of ``x``, ``exp(x)`` and their product three are alive at once, and a sum after them."""
    ms.set_context(simulate=simulate)
    x = million()
    ms.compile(lambda x: ops.sum(ops.exp(x) * x))(x)
    assert runtime.max_memory_allocated() == 3 * MIB
    assert runtime.memory_allocated() == MIB
    summary = runtime.memory_summary().splitlines()
    assert summary[0].startswith("peak 3.15 MB of 68.7 GB") and len(summary) == 3


@pytest.mark.parametrize("simulate", ["counts", "values"])
@pytest.mark.parametrize("sink", [{"dataset_sink_mode": False}, {"sink_size": 5, "epochs": 8}])
def test_training_takes_no_more_memory_from_step_to_step(simulate, sink, mode):
    ms.set_context(simulate=simulate)
    trained(batches(5), **{**sink, "epochs": 1})
    gc.collect()
    assert runtime.memory_allocated() < 2048  # the state of random numbers, and the like
    runtime.reset_peak_memory_stats()
    peaks = []
    for count in (5, 40):
        trained(batches(count), **sink)
        gc.collect()  # networks and those who watch them hold one another
        peaks.append(runtime.max_memory_allocated())
    gc.collect()
    assert peaks[1] <= peaks[0] + 1024 and runtime.memory_allocated() < 2048


def test_state_lies_there_once_whichever_program_reads_it():
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.total = ms.Parameter(ops.zeros((256, 1024)), name="total")

        def construct(self, x):
            self.total = self.total + x
            return ops.sum(self.total)

    net = Counting()
    read = ms.compile(lambda: ops.amax(net.total))
    for turn in range(3):
        net(ms.Tensor(1.0))
        assert read().item() == turn + 1.0
        allocated = runtime.memory_allocated()
        assert MIB <= allocated <= MIB + 4096
    stats = runtime.memory_stats()
    assert stats["persistent_mem_pool_stats"]["block_counts"] == 1
    copies = [event for event in runtime.timeline().events if event.name == "batch"]
    assert copies[0].duration > 3 * max(event.duration for event in copies[1:])


@pytest.mark.parametrize("simulate", ["counts", "values"])
def test_what_does_not_fit_is_an_error_at_the_line_that_needs_it(simulate, mode):
    def grown(x):
        y = ops.exp(x)
        return ops.sum(y * x)

    x, run = million(), ms.compile(grown)
    ms.set_context(simulate=simulate, max_device_memory="0.002GB")
    with pytest.raises(S2sadError) as caught:
        run(x) if mode == ms.GRAPH_MODE else grown(x)
    assert caught.value.code == "E0718"
    place = caught.value.diagnostic.location
    assert place is not None and place.file.endswith(Path(__file__).name)
    assert place.line == grown.__code__.co_firstlineno + 2
    assert runtime.memory_allocated() == (MIB if mode == ms.GRAPH_MODE else 2 * MIB)
    ms.set_context(max_device_memory="0.004GB")
    assert run(x).item() == pytest.approx(np.e * MIB / 4)


def test_what_others_hold_counts_where_a_program_runs():
    ms.set_context(max_device_memory="0.004GB")
    double, held = ms.compile(lambda x: x * 2.0), million(2)
    kept = double(held)
    with pytest.raises(S2sadError) as caught:
        double(kept)
    assert caught.value.code == "E0718"
    del held
    assert double(kept).shape == kept.shape


def test_older_names_say_the_same_and_nothing_of_the_cpu():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = million() * 2.0
    assert hal.memory_allocated() == hal.memory_allocated("Ascend") == MIB
    assert hal.memory_stats() == runtime.memory_stats()
    assert hal.max_memory_allocated() == runtime.max_memory_allocated() == 2 * MIB
    assert hal.memory_reserved() == hal.max_memory_reserved() == 2 * MIB
    assert hal.memory_summary() == runtime.memory_summary()
    assert hal.memory_allocated("CPU") == 0 and "not counted" in hal.memory_summary("CPU")
    hal.reset_peak_memory_stats("CPU")
    assert hal.max_memory_allocated() == 2 * MIB
    hal.reset_max_memory_allocated()
    hal.reset_max_memory_reserved()
    hal.reset_peak_memory_stats()
    assert hal.max_memory_allocated() == MIB
    hal.empty_cache()
    assert x.shape == (1, 256, 1024)


def test_which_devices_there_are():
    assert hal.is_initialized("Ascend") and not hal.is_initialized("CPU")
    assert hal.is_available("CPU") and not hal.is_available("Ascend")
    assert hal.device_count() == hal.device_count("CPU") == 1 and hal.device_count("GPU") == 0
    assert hal.get_device_name(0) == "Ascend910B1 (simulated)"
    assert hal.get_device_name(0, "CPU") == "CPU"
    for code, call in (
        ("E0404", lambda: hal.device_count("TPU")), ("E0404", lambda: hal.get_device_name(1)),
        ("E0710", lambda: hal.memory_stats("GPU")), ("E0404", lambda: hal.is_available(1)),
        ("E0404", lambda: runtime.timeline(steps=0)),
        ("E0404", lambda: runtime.timeline(steps=True)),
    ):  # fmt: skip
        with pytest.raises(S2sadError) as caught:
            call()
        assert caught.value.code == code
    for module in (hal, runtime):
        with pytest.raises(AttributeError, match="did you mean memory_stats"):
            module.memory_stat  # noqa: B018


def test_a_timeline_is_a_copy_and_waits_when_it_is_told_to():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = million(64)
    x = ops.exp(x)
    before = runtime.timeline("one", 1)
    runtime.synchronize()
    ops.exp(x)
    after = runtime.timeline()
    launches = [event for event in after.events if event.lane == "host"]
    work = [event for event in after.events if event.lane == "device"]
    assert len(launches) == len(work) == 2 and len(before.events) == 3
    assert launches[1].start == pytest.approx(work[0].start + work[0].duration)
    assert (before.form, before.steps, after.form) == ("one", 1, "pynative")
    ms.compile(ops.exp)(x)
    assert runtime.timeline().form == "mixed"
    runtime.reset_device_counters()
    assert runtime.timeline().events == [] and runtime.device_counters().launches == 0
