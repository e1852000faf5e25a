"""Programs that were compiled, run by the simulated device from the bytes of their files."""

from __future__ import annotations

import random

import numpy as np
import pytest
from backends.ascend.device.training import Training

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.ascend.datatypes import OF_DTYPE
from s2sad.backends.ascend.graph import Graph
from s2sad.backends.ascend.sink import single, sunk
from s2sad.core.diagnostics import S2sadError


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.pool = nn.MaxPool2d(2, 2)
        self.dense1 = nn.Dense(16 * 4 * 4, 24)
        self.dense2 = nn.Dense(24, 5)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        return self.dense2(ops.relu(self.dense1(ops.flatten(x))))


class Block(nn.Cell):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, has_bias=False)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, has_bias=False)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.short = nn.Conv2d(inputs, outputs, 1, stride, has_bias=False)

    def construct(self, x):
        y = ops.relu(self.norm1(self.conv1(x)))
        return ops.relu(self.norm2(self.conv2(y)) + self.short(x))


class ResNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3)
        self.blocks = nn.SequentialCell(Block(4, 4, 1), Block(4, 8, 2))
        self.head = nn.Dense(8, 5)

    def construct(self, x):
        return self.head(ops.mean(self.blocks(self.stem(x)), (2, 3)))


class Recurrent(nn.Cell):
    """Rows of an image are steps in time."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(28, 6, batch_first=True)
        self.head = nn.Dense(6, 5)

    def construct(self, x):
        y, _ = self.lstm(x[:, 0, ::7])
        return self.head(y[:, -1])


class Looping(nn.Cell):
    """How often it runs depends on the data."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(28, 5)
        self.mix = nn.Dense(5, 5)

    def construct(self, x):
        y, n = self.dense(x[:, 0, 0]), 0
        while n < 3 and ops.abs(y).sum() < 60:
            if y.sum() > 0:
                y = y + ops.tanh(self.mix(y))
            else:
                y = y * 1.5
            n = n + 1
        return y


OPTIMIZERS = {
    "momentum": lambda parameters: nn.Momentum(parameters, 0.02, 0.9),
    "adam": lambda parameters: nn.Adam(parameters, 0.005),
    "amsgrad": lambda parameters: nn.Adam(parameters, 0.005, use_amsgrad=True),
    "adamw": lambda parameters: nn.AdamWeightDecay(parameters, 0.005, weight_decay=0.1),
    "warm": lambda parameters: nn.Adam(parameters, nn.WarmUpLR(0.005, 5)),
    "falling": lambda parameters: nn.Momentum(
        parameters, nn.cosine_decay_lr(0.0, 0.02, STEPS, 1, STEPS), 0.9
    ),
    "nesterov": lambda parameters: nn.SGD(parameters, 0.01, 0.9, nesterov=True),
    "rmsprop": lambda parameters: nn.RMSProp(parameters, 0.005, centered=True),
    "adagrad": lambda parameters: nn.Adagrad(parameters, learning_rate=0.01),
    "adadelta": lambda parameters: nn.Adadelta(parameters),
    "adamax": lambda parameters: nn.AdaMax(parameters, 0.005),
    "ftrl": lambda parameters: nn.FTRL(parameters, learning_rate=0.01),
    "lamb": lambda parameters: nn.Lamb(parameters, 0.005),
    "rprop": lambda parameters: nn.Rprop(parameters, 0.005),
}
STEPS, BATCH = 20, 4


def batches():
    rng = np.random.default_rng(5)
    images = rng.normal(size=(STEPS, BATCH, 1, 28, 28)).astype(np.float32)
    return list(zip(images, rng.integers(0, 5, (STEPS, BATCH)).astype(np.int32), strict=True))


class Prepared(Training):
    """A step of training, with the losses that the NumPy backend gives."""

    def __init__(self, net, optimizer="momentum"):
        ms.set_seed(3)
        net = net().set_train()
        loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
        optimizer = OPTIMIZERS[optimizer](net.trainable_params())
        super().__init__(nn.TrainOneStepCell(loss, optimizer), batches())


@pytest.mark.parametrize(
    ("net", "optimizer"),
    [(LeNet, "momentum"), (ResNet, "momentum"), (Recurrent, "adam"), (Looping, "adam")],
)
def test_training_gives_what_the_numpy_backend_gives(net, optimizer, tmp_path):
    prepared = Prepared(net, optimizer)
    session = prepared.session(single(prepared.lowered), tmp_path)
    before = session.device.memory.used
    losses = prepared.step_by_step(session)[:, 0]
    assert losses[0] == pytest.approx(prepared.losses[0], abs=1e-4)
    np.testing.assert_allclose(losses, prepared.losses, atol=5e-3)
    assert prepared.losses[-1] != pytest.approx(prepared.losses[0], abs=1e-2)
    constants = sum(x.nbytes for x in session.device.memory._blocks if x.kind == "constant")
    assert session.device.memory.used == before + constants  # nothing is left of the steps


@pytest.mark.parametrize("form", ["engine", "while"])
@pytest.mark.parametrize("net", [LeNet, Looping])
def test_a_sink_gives_the_loss_of_every_step(net, form, tmp_path):
    prepared = Prepared(net)
    made = sunk(prepared.lowered, [0, 1], 10, form=form)
    session = prepared.session(made, tmp_path)
    assert session.run_file == made.run and made.run.is_verified == (form == "engine")
    found = []
    for first in (0, 10):
        for batch in prepared.data[first : first + 10]:
            session.send("s2sad_batches", batch)
        last, each = session.run(prepared.given(session))
        assert each.shape == (10,) and last == each[-1]
        found += each.tolist()
    np.testing.assert_allclose(found, prepared.losses, atol=5e-3)
    assert found[0] == pytest.approx(prepared.losses[0], abs=1e-4)
    counters = session.counters
    assert (counters.interactions, counters.steps, counters.queue_items) == (2, 20, 20)
    assert counters.streams == (3 if form == "engine" else 1)
    state = next(name for name in prepared.state if name.endswith("weight"))
    assert np.any(session.get(state) != prepared.state[state])


class Summing(nn.Cell):
    """Gives what it has summed up in every dtype."""

    def __init__(self, dtype):
        super().__init__()
        self.total = ms.Parameter(ms.Tensor(0.0, dtype), name="total")

    def construct(self, x):
        self.total = self.total + x.astype(self.total.dtype)
        return tuple([self.total.astype(dtype) for dtype in OF_DTYPE])


def summing(dtype):
    return Training(Summing(dtype), [(np.float32(x),) for x in (0.0, 1.5, 0.25, -3.0)])


@pytest.mark.parametrize(
    ("form", "dtype"),
    [("engine", ms.float32), ("while", ms.float32), ("engine", ms.bfloat16)],
)
def test_a_sink_gives_results_of_every_dtype_and_step(form, dtype, tmp_path):
    training = summing(dtype)
    session = training.session(sunk(training.lowered, [0], 2, form=form), tmp_path)
    found = training.sunk(session, 2)
    np.testing.assert_array_equal(found, training.results)
    totals = dict(zip(OF_DTYPE, training.results.T.tolist(), strict=True))
    assert totals[ms.bool_] == [0, 1, 1, 1] and totals[ms.int16] == [0, 1, 1, -1]
    assert totals[ms.float64] == totals[ms.bfloat16] == [0, 1.5, 1.75, -1.25]
    assert session.get("total").dtype == dtype.storage


def test_state_of_bfloat16_is_no_variable():
    with pytest.raises(S2sadError, match=r"(?s)E0301.*bfloat16.*'total'.*form='engine'"):
        sunk(summing(ms.bfloat16).lowered, [0], 2, form="while")


def shuffled(model, seed):
    """The model with the nodes of its graphs in another order: edges alone hold them together."""
    graphs = {}
    for name, graph in model.graphs.items():
        nodes = list(graph.nodes.items())
        random.Random(seed).shuffle(nodes)
        graphs[name] = Graph(graph.name, dict(nodes), graph.inputs, graph.outputs, graph.attributes)
    model.graphs = graphs


@pytest.mark.parametrize("form", ["single", "engine", "while"])
def test_the_order_of_the_file_does_not_matter(form):
    prepared = Prepared(ResNet, "adam")
    made = (
        single(prepared.lowered)
        if form == "single"
        else sunk(prepared.lowered, [0, 1], 4, form=form)
    )
    found = []
    for seed in range(3):
        for model in made.models.values():
            shuffled(model, seed)
        session = prepared.session(made)
        if form == "single":
            losses = [session.run(prepared.given(session, b))[0] for b in prepared.data[:4]]
        else:
            session.feed("s2sad_batches", prepared.data)
            losses = session.run(prepared.given(session))[1]
        found.append([*np.ravel(losses), *session.get("head_weight").ravel()])
    assert found[0] == found[1] == found[2]


class Tiny(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(28, 5)

    def construct(self, x):
        return self.dense(x[:, 0, 0])


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_what_optimizers_keep_is_on_the_device(optimizer):
    prepared = Prepared(Tiny, optimizer)
    session = prepared.session(sunk(prepared.lowered, [0, 1], STEPS // 2))
    found = prepared.sunk(session, 2)
    np.testing.assert_allclose(found, prepared.results, rtol=0, atol=5e-5)
    assert len(set(prepared.losses)) == STEPS


def test_how_often_host_and_device_meet_in_a_thousand_steps():
    prepared = Prepared(Tiny)
    counters = {}
    for form, size in (("pynative", 1), ("graph", 1), ("sink", 100)):
        plain = single(prepared.lowered)
        session = prepared.session(plain if size == 1 else sunk(prepared.lowered, [0, 1], size))
        if form == "sink":
            session.feed("s2sad_batches", prepared.data * 50)
        for step in range(1000 // size):
            batch = None if form == "sink" else prepared.data[step % STEPS]
            session.run(prepared.given(session, batch), by_operator=form == "pynative")
        counters[form] = session.counters
    assert counters["pynative"].interactions > 10_000
    assert counters["graph"].interactions == 1_000
    assert counters["sink"].interactions == 10
    assert counters["sink"].queue_items == 1_000 and counters["sink"].setups == 1
    assert {each.steps for each in counters.values()} == {1_000}
    assert counters["pynative"].launches == counters["graph"].launches
