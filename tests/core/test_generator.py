"""Does a Generator start anew, come back, and stay apart from what is trained?"""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.core.generator import DEFAULT


def numbers(count=3):
    return [ops.rand(4).tolist() for _ in range(count)]


def test_a_seed_starts_the_same_numbers():
    ms.set_seed(3)
    first = numbers()
    assert first[0] != first[1] != first[2]
    ms.set_seed(4)
    assert numbers() != first
    ms.set_seed(3)
    assert numbers() == first
    ms.manual_seed(3)
    assert numbers() == first and ms.initial_seed() == 3


def test_manual_seed_leaves_numpy_and_initializers_alone():
    ms.set_seed(1)
    before, weight = np.random.get_state()[1].copy(), nn.Dense(2, 2).weight.tolist()
    ms.manual_seed(5)
    assert (np.random.get_state()[1] == before).all() and ms.get_seed() == 1
    ms.set_seed(1)
    assert nn.Dense(2, 2).weight.tolist() == weight


def test_state_goes_back():
    ms.set_seed(0)
    ops.randn(5)
    state = ms.get_rng_state()
    assert (state.dtype, state.tolist()) == (ms.int64, [0, 2, 0])
    first = numbers()
    ms.set_rng_state(state)
    assert numbers() == first and state.tolist() == [0, 2, 0]


def test_generators_are_apart():
    ms.set_seed(0)
    before = ms.get_rng_state().tolist()
    one, other = ms.Generator().manual_seed(9), ms.Generator().manual_seed(9)
    assert ops.randn(3, generator=one).tolist() == ops.randn(3, generator=other).tolist()
    assert ms.get_rng_state().tolist() == before
    assert one.get_state().tolist() == [9, 1, 0]
    assert ms.Generator().initial_seed() != ms.Generator().initial_seed()


def test_seeds_of_64_bits():
    generator = ms.Generator()
    for seed in (0, 2**64 - 1, -1, -(2**63), np.int64(5)):
        assert generator.manual_seed(seed).initial_seed() == int(seed) % 2**64
    chosen = generator.seed()
    first = ops.rand(2, generator=generator).tolist()
    assert ops.rand(2, generator=ms.Generator().manual_seed(chosen)).tolist() == first
    assert ms.seed() == ms.initial_seed()


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: ms.manual_seed(1.0), "E0303"), (lambda: ms.manual_seed(True), "E0303"),
        (lambda: ms.manual_seed(2**64), "E0404"), (lambda: ms.manual_seed(-(2**63) - 1), "E0404"),
        (lambda: ms.set_rng_state([1, 2, 3]), "E0304"),
        (lambda: ms.set_rng_state(ms.Tensor([1, 2])), "E0401"),
        (lambda: ms.set_rng_state(ms.Tensor([1, 2, 3], ms.int32)), "E0301"),
        (lambda: ms.set_rng_state(ms.Tensor([1.0, 2.0, 3.0])), "E0301"),
    ],
)  # fmt: skip
def test_what_is_no_seed_and_no_state(call, code):
    before = ms.get_rng_state().tolist()
    with pytest.raises(S2sadError, match=code):
        call()
    assert ms.get_rng_state().tolist() == before


def test_nobody_trains_the_state():
    assert not DEFAULT.state.requires_grad
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5)).set_train()
    ms.grad(net)(ms.Tensor(np.ones((1, 2)), ms.float32))
    assert [x.name for x in net.get_parameters()] == ["0.weight", "0.bias"]
    assert list(net.state_dict()) == ["0.weight", "0.bias"]


@pytest.mark.parametrize("is_compiled", [False, True])
def test_threads_draw_different_numbers(is_compiled):
    draw = ms.compile(lambda: ops.rand(1)) if is_compiled else lambda: ops.rand(1)
    ms.set_seed(0)
    expected = sorted(draw().item() for _ in range(200))
    ms.set_seed(0)
    found: list[float] = []

    def work():
        found.extend(draw().item() for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == expected


def test_without_a_seed_processes_differ():
    program = "import s2sad as ms; print(ms.initial_seed(), ms.get_seed())"
    runs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
        ).stdout
        for _ in range(2)
    }
    assert len(runs) == 2 and all(text.endswith("None\n") for text in runs)


@pytest.mark.parametrize(
    "change",
    [
        lambda x: ms.set_seed(1), lambda x: ms.manual_seed(1), lambda x: DEFAULT.seed(),
        lambda x: ms.get_rng_state(), lambda x: ms.set_context(mode=ms.GRAPH_MODE),
    ],
)  # fmt: skip
def test_compiled_code_does_not_start_anew(change):
    before = ms.get_rng_state().tolist()
    with pytest.raises(S2sadError, match="E0104"):
        ms.compile(change)(ms.Tensor([1.0]))
    assert ms.get_rng_state().tolist() == before
