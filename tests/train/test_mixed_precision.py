"""Does a Model train in mixed precision as in float32, and survive what overflows?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

import s2sad as ms
from s2sad import nn
from s2sad.train import LambdaCallback, Model

EPOCHS = 8


@pytest.fixture(scope="module")
def digits() -> list[tuple[np.ndarray, np.ndarray]]:
    found = load_digits()
    images = (found.data / 16.0).astype(np.float32)
    labels = found.target.astype(np.int32)
    order = np.random.default_rng(0).permutation(len(images))[:1728].reshape(27, 64)
    return [(images[rows], labels[rows]) for rows in order]


def digits_model(level: str, **settings: Any) -> Model:
    ms.set_seed(0)
    net = nn.SequentialCell(nn.Dense(64, 48), nn.LayerNorm((48,)), nn.ReLU(), nn.Dense(48, 10))
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    loss = nn.CrossEntropyLoss()
    return Model(net, loss, optimizer, {"accuracy"}, amp_level=level, **settings)


def test_o2_with_a_dynamic_scale_reaches_the_loss_of_o0(digits, mode):
    if mode == ms.PYNATIVE_MODE:
        digits = digits[:9]
    plain = digits_model("O0")
    expected = mean_losses(plain, digits)

    manager = ms.DynamicLossScaleManager(2.0**12, 2, 200)
    mixed = digits_model("O2", loss_scale_manager=manager)
    overflows: list[int] = []

    def note(context):
        params = context.original_args()
        if params.net_outputs[1].item():
            overflows.append(params.cur_step_num)

    # One batch overflows in float16: 1e6 is infinite there. Its step must leave no trace.
    poison = (digits[0][0] * 1e6, digits[0][1])
    found = mean_losses(
        mixed, [*digits[:3], poison, *digits[3:]], LambdaCallback(on_train_step_end=note)
    )
    count = len(digits) + 1
    assert overflows == [4 + count * epoch for epoch in range(EPOCHS)]
    assert found[-1] == pytest.approx(expected[-1], rel=0.02)
    assert manager.get_loss_scale() == mixed.train_network.scale_sense.item()
    assert mixed.predict_network[0].weight.dtype is ms.float32
    if mode == ms.GRAPH_MODE:
        assert mixed.eval(digits)["accuracy"] > 0.97


def mean_losses(made: Model, data: Any, *callbacks: Any) -> list[float]:
    """The mean of the finite losses of each epoch."""
    losses: list[float] = []

    def note(context):
        outputs = context.original_args().net_outputs
        losses.append((outputs[0] if isinstance(outputs, tuple) else outputs).item())

    made.train(EPOCHS, data, [LambdaCallback(on_train_step_end=note), *callbacks])
    by_epoch = np.reshape(losses, (EPOCHS, len(data)))
    return [float(np.mean(row[np.isfinite(row)])) for row in by_epoch]


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
def test_every_level_trains_and_is_evaluated_in_float32(level, digits, mode):
    made = digits_model(level)
    seen: list[Any] = []
    note = LambdaCallback(
        on_train_step_end=lambda c: seen.append(c.original_args().net_outputs),
        on_eval_step_end=lambda c: seen.append(c.original_args().net_outputs),
    )
    made.fit(1, digits[:3], digits[:2], callbacks=note)
    losses = [found[0] if isinstance(found, tuple) else found for found in seen]
    assert all(loss.dtype is ms.float32 and np.isfinite(loss.item()) for loss in losses)
    assert (len(seen[0]) == 3) if level == "O2" else isinstance(seen[0], ms.Tensor)


def test_training_ends_where_every_step_overflows(digits, mode, monkeypatch):
    monkeypatch.setattr("s2sad.amp.loss_scale_manager.MOST_OVERFLOWS", 3)
    poison = (digits[0][0] * 1e6, digits[0][1])
    with pytest.raises(RuntimeError, match="4 times in a row"):
        digits_model("O2").train(1, [*digits[:2], *[poison] * 9])


def test_a_fixed_scale_that_leaves_no_step_out(digits, mode):
    ms.set_seed(0)
    net = nn.Dense(64, 10)
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=1024.0)
    manager = ms.FixedLossScaleManager(1024.0, drop_overflow_update=False)
    made = Model(net, nn.CrossEntropyLoss(), optimizer, amp_level="O2", loss_scale_manager=manager)
    ms.set_seed(0)
    other = nn.Dense(64, 10)
    plain = Model(other, nn.CrossEntropyLoss(), nn.SGD(other.trainable_params(), 0.1))
    made.train(1, digits[:4])
    plain.train(1, digits[:4])
    np.testing.assert_allclose(net.weight.asnumpy(), other.weight.asnumpy(), atol=2e-4)


def test_no_scale_where_none_is_wanted(digits, mode):
    made = digits_model("O2", loss_scale_manager=None, keep_batchnorm_fp32=False)
    made.train(1, digits[:2])
    assert type(made.train_network) is nn.TrainOneStepCell
