"""Do networks train on the simulated device as they do in C, from the bytes of their files?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from backends.ascend.device.test_programs import LeNet
from backends.ascend.device.training import Training

import s2sad as ms
from examples.gpt_licence import Gpt
from examples.resnet_digits import ResNet
from s2sad import amp, nn, ops
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.sink import single, sunk
from s2sad.tools.cli import main

STEPS, SIZE, CALLS = 20, 4, 2
LETTERS, LENGTH, CLASSES = 11, 8, 5


class Reader(nn.Cell):
    """An LSTM that reads as far as the longest text of the batch goes; 0 is no letter."""

    def __init__(self, units=8):
        super().__init__()
        self.units = units
        self.embedding = nn.Embedding(LETTERS, 6, embedding_table="normal")
        self.cell = nn.LSTMCell(6, units)
        self.output = nn.Dense(units, CLASSES)

    def construct(self, text):
        read = self.embedding(text)
        hidden = ops.zeros((text.shape[0], self.units), read.dtype)
        memory, place = hidden, 0
        while place < (text > 0).sum(1).max():
            hidden, memory = self.cell(read[:, place], (hidden, memory))
            place = place + 1
        return self.output(hidden)


def letters_loss(scores, following):
    return nn.CrossEntropyLoss()(scores.reshape(-1, LETTERS), following.reshape(-1))


def images(channels, size):
    """Batches of images, and which class each is of."""
    rng = np.random.default_rng(5)
    for _ in range(STEPS):
        image = rng.normal(size=(SIZE, channels, size, size))
        yield image.astype(np.float32), rng.integers(0, CLASSES, SIZE).astype(np.int32)


def pieces():
    """Batches of texts, and the same one letter on."""
    rng = np.random.default_rng(5)
    for _ in range(STEPS):
        text = rng.integers(0, LETTERS, (SIZE, LENGTH + 1)).astype(np.int32)
        yield text[:, :-1], text[:, 1:]


def texts():
    """Batches of texts of many lengths, and which class each is of."""
    rng = np.random.default_rng(5)
    for _ in range(STEPS):
        text = rng.integers(1, LETTERS, (SIZE, LENGTH)).astype(np.int32)
        text[np.arange(LENGTH) >= rng.integers(1, LENGTH + 1, (SIZE, 1))] = 0
        yield text, rng.integers(0, CLASSES, SIZE).astype(np.int32)


#: How each network is made, its loss, its batches, and how many loops its graphs have.
NETWORKS = {
    "lenet": (LeNet, nn.CrossEntropyLoss(), lambda: images(1, 28), 0),
    "resnet": (lambda: ResNet(4, (1, 1), CLASSES), nn.CrossEntropyLoss(), lambda: images(3, 8), 0),
    "gpt": (lambda: Gpt(LETTERS, LENGTH, 16, 2, 1), letters_loss, pieces, 0),
    "lstm": (Reader, nn.CrossEntropyLoss(), texts, 2),
}
#: Rates so small that what one rounding to float16 makes of a loss does not grow from step to step.
OPTIMIZERS = {
    "momentum": lambda parameters: nn.Momentum(parameters, 0.005, 0.9),
    "adam": lambda parameters: nn.Adam(parameters, 0.005, 0.75, 0.875),
}
#: How far losses may be off after many steps.
TOLERANCES = {"O0": 5e-3, "O2": 2e-2}


class Case(NamedTuple):
    """A network and its training."""

    network: str
    optimizer: str
    level: str

    def step(self) -> nn.Cell:
        """At O2 the scale of the loss is so large at first that steps are left out."""
        make, loss, _, _ = NETWORKS[self.network]
        ms.set_seed(3)
        net = make()
        optimizer = OPTIMIZERS[self.optimizer](net.trainable_params())
        manager = amp.DynamicLossScaleManager(2.0**19, 2, 5) if self.level == "O2" else None
        return amp.build_train_network(
            net, optimizer, loss, level=self.level, loss_scale_manager=manager
        )

    def training(self) -> Training:
        return Training(self.step(), list(NETWORKS[self.network][2]()))


CASES = [Case(net, optimizer, level)
         for net in NETWORKS for optimizer in OPTIMIZERS for level in TOLERANCES]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_losses_are_those_of_c(case, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("S2SAD_BACKEND", "c")
    training = case.training()
    assert type(training.compiled.last.executable).__module__.startswith("s2sad.backends.c.")
    assert loops(training) == NETWORKS[case.network][3]
    require_steps_of_many_kinds(training, case)
    for form in ("single", "engine", *(["while"] if case[1:] == ("momentum", "O0") else [])):
        session = started(training, form, tmp_path / form)
        assert main(["ascend-check", *map(str, (tmp_path / form).glob("*.air"))]) == 0
        assert "nothing found in" in capsys.readouterr().out
        if form == "single":
            found = training.step_by_step(session)
        else:
            found = training.sunk(session, CALLS)
        require_alike(found, training, TOLERANCES[case.level])
        if form == "engine":
            require_state(session, training, case)


def loops(training: Training) -> int:
    return sum(1 for graph in training.model.graphs.values() for _ in graph.of_type("While"))


def require_steps_of_many_kinds(training: Training, case: Case) -> None:
    """Every step is another one, and at O2 some are left out and the scale rises again."""
    assert training.results.shape == (STEPS, 3 if case.level == "O2" else 1)
    assert len(set(training.losses)) == STEPS
    if case.level == "O2":
        _, left_out, scale = training.results.T
        assert 0 < left_out.sum() < STEPS / 2 and np.any(np.diff(scale) > 0)


def started(training: Training, form: str, folder) -> Session:
    if form == "single":
        return training.session(single(training.lowered), folder)
    made = sunk(training.lowered, [0, 1], STEPS // CALLS, form=form)
    return training.session(made, folder)


def require_alike(found: np.ndarray, training: Training, tolerance: float) -> None:
    """The losses are near; which steps were left out, and with which scale, is the same."""
    assert found[0, 0] == pytest.approx(training.losses[0], abs=1e-4)
    np.testing.assert_allclose(found[:, 0], training.losses, rtol=0, atol=tolerance)
    np.testing.assert_array_equal(found[:, 1:], training.results[:, 1:])


def require_state(session: Session, training: Training, case: Case) -> None:
    """What the optimizer counts is on the device, and counts on from call to call."""
    done = STEPS - int(training.results[:, 1:2].sum())
    assert session.counters.interactions == CALLS
    if case.optimizer == "adam":
        wanted = {"beta1_power": 0.75**done, "beta2_power": 0.875**done, "global_step": done}
        for name, value in wanted.items():
            assert session.get(name).item() == pytest.approx(value, rel=1e-5), name
