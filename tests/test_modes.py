"""Do PyNative mode and graph mode compute the same, and train to the same network?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.numpy import NumpyExecutable
from s2sad.backends.stepwise import StepwiseExecutable

#: In order: that in which Python runs, and the default one, in which everything is compiled.
MODES = {ms.PYNATIVE_MODE: StepwiseExecutable, ms.GRAPH_MODE: NumpyExecutable}
CLASSES = 3


class Mlp(nn.Cell):
    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.hidden = nn.Dense(6, 8, dtype=dtype, activation="tanh")
        self.output = nn.Dense(8, CLASSES, dtype=dtype)

    def construct(self, x):
        return self.output(ops.relu(self.hidden(x)))


class Recurrent(nn.Cell):
    """As many turns as the data ask for."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.cell = nn.Dense(6, 6, dtype=dtype)
        self.output = nn.Dense(6, CLASSES, dtype=dtype)

    def construct(self, x):
        h, turns = x, ops.sum(x) * 0
        while ops.sum(h * h) < 60 and turns < 5:
            h = h + ops.tanh(self.cell(h))
            turns = turns + 1
        return self.output(h)


class Branches(nn.Cell):
    """Branches on data, on the training flag, and on what is static; a loop that is unrolled."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.scale = ms.Parameter(ms.Tensor(np.full(6, 0.5), dtype), name="scale")
        self.output = nn.Dense(6, CLASSES, dtype=dtype)

    def construct(self, x):
        for power in range(1, 3):
            if ops.mean(x) > 0:
                x = ops.exp(-x * self.scale) * power
            else:
                x = x * self.scale if self.training else x
        return self.output(ops.where(x > 0.25, x, x * x))


class Block(nn.Cell):
    def __init__(self, size: int, dtype: Any) -> None:
        super().__init__()
        self.dense = nn.Dense(size, size, dtype=dtype)
        self.norm = nn.LayerNorm((size,), dtype=dtype)

    def construct(self, x):
        return x + ops.gelu(self.dense(self.norm(x)))


class Nested(nn.Cell):
    """Containers of Cells, one of them under two names."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.blocks = nn.CellList([Block(6, dtype) for _ in range(2)])
        self.head = nn.SequentialCell(nn.Dense(6, 6, dtype=dtype), nn.Sigmoid(), self.blocks[0])
        self.output = nn.Dense(6, CLASSES, dtype=dtype)

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return self.output(self.head(x))


class Convolutional(nn.Cell):
    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3, dtype=dtype)
        self.norm = nn.BatchNorm2d(4, dtype=dtype)
        self.pool = nn.MaxPool2d(2, 2)
        self.flatten = nn.Flatten()
        self.output = nn.Dense(4 * 3 * 3, CLASSES, dtype=dtype)

    def construct(self, x):
        return self.output(self.flatten(self.pool(ops.relu(self.norm(self.conv(x))))))


class Text(nn.Cell):
    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.embedding = nn.Embedding(10, 6, dtype=dtype)
        self.norm = nn.LayerNorm((6,), dtype=dtype)
        self.output = nn.Dense(6, CLASSES, dtype=dtype)

    def construct(self, words):
        return self.output(ops.mean(self.norm(self.embedding(words)), 1))


class Dropped(nn.Cell):
    """Both modes draw the same random numbers."""

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.hidden = nn.Dense(6, 16, dtype=dtype)
        self.dropout = nn.Dropout(p=0.3)
        self.output = nn.Dense(16, CLASSES, dtype=dtype)

    def construct(self, x):
        return self.output(self.dropout(ops.tanh(self.hidden(x))))


def rows(rng: np.random.Generator, dtype: Any) -> ms.Tensor:
    return ms.Tensor(rng.normal(size=(5, 6)), dtype)


def images(rng: np.random.Generator, dtype: Any) -> ms.Tensor:
    return ms.Tensor(rng.normal(size=(4, 2, 6, 6)), dtype)


def words(rng: np.random.Generator, dtype: Any) -> ms.Tensor:
    return ms.Tensor(rng.integers(0, 10, size=(5, 4)))


NETS: dict[str, tuple[Callable[[Any], nn.Cell], Callable[..., ms.Tensor]]] = {
    "mlp": (Mlp, rows), "while": (Recurrent, rows), "branches": (Branches, rows),
    "nested": (Nested, rows), "convolution": (Convolutional, images), "text": (Text, words),
    "dropout": (Dropped, rows),
}  # fmt: skip


def batches(draw: Callable[..., ms.Tensor], dtype: Any, count: int) -> Iterator[tuple[Any, Any]]:
    rng = np.random.default_rng(7)
    for _ in range(count):
        x = draw(rng, dtype)
        yield x, ms.Tensor(rng.integers(0, CLASSES, size=x.shape[0]), ms.int32)


def new_net(name: str, dtype: Any) -> tuple[nn.Cell, Any]:
    """The network, with the same weights at each call, and its gradient."""
    ms.set_seed(11)
    net, loss = NETS[name][0](dtype).set_train(), nn.CrossEntropyLoss()

    def forward(x, label):
        logits = net(x)
        return loss(logits, label), logits

    return net, ms.value_and_grad(forward, None, net.trainable_params(), has_aux=True)


def first_step(name: str, mode: int) -> dict[str, np.ndarray]:
    ms.set_context(mode=mode)
    net, step = new_net(name, ms.float32)
    ((x, label),) = batches(NETS[name][1], ms.float32, 1)
    (loss, logits), gradients = step(x, label)
    assert isinstance(ms.compile(step).last.executable, MODES[mode])
    named = {p.name: g for p, g in zip(net.trainable_params(), gradients, strict=True)}
    state = {f"after {p.name}": p for p in net.get_parameters()}
    found = {"loss": loss, "logits": logits, **named, **state, "inferred": net.set_train(False)(x)}
    return {key: tensor.asnumpy() for key, tensor in found.items()}


@pytest.mark.parametrize("name", NETS)
def test_the_first_step_agrees(name):
    one, other = (first_step(name, mode) for mode in MODES)
    assert one.keys() == other.keys() and len(one) > 6
    for key, array in one.items():
        assert array.dtype == other[key].dtype == np.float32
        largest = np.abs(array).max()
        np.testing.assert_allclose(other[key], array, rtol=0, atol=1e-5 * largest, err_msg=key)
        assert largest > 0 or key.startswith("after"), key


OPTIMIZERS: dict[str, Callable[[Any], Any]] = {
    "sgd": lambda params: nn.SGD(params, 0.1),
    "nesterov": lambda params: nn.SGD(params, 0.05, momentum=0.9, weight_decay=1e-3, nesterov=True),
    "momentum": lambda params: nn.Momentum(params, 0.05, 0.9),
    "adam": lambda params: nn.Adam(params, 0.01),
    "adam_weight_decay": lambda params: nn.AdamWeightDecay(params, 0.01, weight_decay=1e-2),
    "adagrad": lambda params: nn.Adagrad(params),
    "rmsprop": lambda params: nn.RMSProp(params, 0.01),
}


def trained(name: str, optimizer: str, mode: int) -> tuple[list[float], dict[str, np.ndarray]]:
    ms.set_context(mode=mode)
    net, step = new_net(name, ms.float64)
    update, losses = OPTIMIZERS[optimizer](net.trainable_params()), []
    for x, label in batches(NETS[name][1], ms.float64, 50):
        (loss, _), gradients = step(x, label)
        update(gradients)
        losses.append(loss.item())
    return losses, {p.name: p.asnumpy() for p in net.get_parameters()}


@pytest.mark.parametrize(
    ("name", "optimizer"),
    [*((n, "sgd") for n in NETS), *(("mlp", o) for o in OPTIMIZERS if o != "sgd")],
)
def test_fifty_steps_agree(name, optimizer):
    (losses, one), (others, other) = (trained(name, optimizer, mode) for mode in MODES)
    np.testing.assert_allclose(others, losses, rtol=1e-9)
    assert len(set(losses)) == 50
    for key, array in one.items():
        assert array.dtype == np.float64
        largest = np.abs(array).max()
        np.testing.assert_allclose(other[key], array, rtol=0, atol=1e-9 * largest, err_msg=key)


@pytest.mark.parametrize("mode", MODES)
def test_stages_are_written_in_either_mode(mode, tmp_path):
    ms.set_context(mode=mode, device_target="CPU")
    ms.set_context(save_graphs=True, save_graphs_path=str(tmp_path / "graphs"))
    try:
        ms.grad(Mlp(ms.float32))(ms.Tensor(np.ones((2, 6), np.float32)))
    finally:
        ms.set_context(save_graphs=False, save_graphs_path=".")
    names = {path.stem[3:] for path in (tmp_path / "graphs").glob("*.Mlp.construct/*.py")}
    assert {"primal", "joint", "dce"} <= names
