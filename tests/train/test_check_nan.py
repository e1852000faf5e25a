"""Is a number that is not finite an error of the step of training that made it, if asked for?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.train import LambdaCallback, Model
from support.training import bits


class Roots(nn.Cell):
    """The sum of roots, whose gradient is not finite at 0."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="weight")

    def construct(self, x):
        y = self.weight * x
        return ops.sqrt(y).sum()


def model(**more) -> Model:
    net = Roots()
    return Model(net, None, nn.SGD(net.trainable_params(), 0.01), **more)


def rows(*firsts) -> list[tuple[np.ndarray]]:
    return [(np.float32([first, 1.0]),) for first in firsts]


def error_of(made: Model, data, epochs: int = 1, **settings) -> str:
    with pytest.raises(FloatingPointError) as caught:
        made.train(epochs, data, **settings)
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0702"
    return str(caught.value)


WAYS = {
    "sunk": {}, "one by one": {"dataset_sink_mode": False}, "coarse": {"sink_size": 4},
}  # fmt: skip


@pytest.mark.parametrize("backend", ["numpy", "c"])
@pytest.mark.parametrize("way", WAYS)
def test_the_step_and_the_line_of_the_gradient_are_said(way, backend, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    made, other = model(check_nan=True), model()
    text = error_of(made, rows(1, 2, 0, 1), **WAYS[way])
    assert "[E0702] NaN in step 3 of epoch 1" in text
    assert "made by its gradient: " in text and "p.mul(" in text
    assert "y = self.weight * x" in text and "Parameters are as " in text
    other.train(1, rows(1, 2))
    assert bits(made) == bits(other)


def test_the_epoch_is_said():
    made = model(check_nan=True)
    data = rows(3, 3, 3)
    later = LambdaCallback(
        on_train_epoch_end=lambda _: data.__setitem__(slice(None), rows(3, -1, 3))
    )
    text = error_of(made, data, 3, callbacks=later)
    assert "NaN in step 2 of epoch 2" in text
    assert "made by the program: " in text and "ops.sqrt(y).sum()" in text


def test_where_parameters_are_needed_the_step_is_said_as_well():
    class Reader(ms.train.Callback):
        def needs_parameters_at(self, step):
            return step in (2, 3)

    text = error_of(model(check_nan=True), rows(1, 2, 0), callbacks=Reader())
    assert "NaN in step 3 of epoch 1" in text


def test_fit_asks_as_well():
    made = Model(Roots(), lambda loss, _: loss, None, {"loss"}, check_nan=True)
    data = [(x, np.float32(0)) for (x,) in rows(1, -1)]
    with pytest.raises(FloatingPointError, match="NaN in step 2 of epoch 1"):
        made.fit(1, data, data)


@pytest.mark.parametrize("way", WAYS)
def test_nothing_else_changes(way):
    made, other = model(check_nan=True), model()
    for each in (made, other):
        each.train(2, rows(1, 2, 3, 4), **WAYS[way])
    assert bits(made) == bits(other)


def test_a_step_that_a_loss_scale_leaves_out_is_none():
    made = {}
    for asks in (False, True):
        net = Roots()
        manager = ms.amp.DynamicLossScaleManager(2.0**127, 2, 100)  # whose gradients overflow
        step = nn.SGD(net.trainable_params(), 0.01)
        made[asks] = Model(net, None, step, loss_scale_manager=manager, check_nan=asks)
        made[asks].train(1, rows(1e6, 1e6))
        assert net.weight.tolist() == [1.0, 2.0]
    assert bits(made[False]) == bits(made[True])


def test_refused_where_nothing_is_compiled():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(S2sadError, match="PyNative mode has none") as caught:
        model(check_nan=True).train(1, rows(1))
    assert caught.value.code == "E0712"


def test_it_is_a_flag():
    with pytest.raises(TypeError, match="E0303"):
        model(check_nan=1)


@pytest.mark.parametrize("way", WAYS)
def test_any_error_of_a_step_says_which(way, mode):
    class Picks(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.table = ms.Tensor([1.0, 2.0])

        def construct(self, place):
            return self.table[place]

    data = [(np.int32(place),) for place in (0, 1, 0, 7)]
    with pytest.raises(IndexError, match="it was step 4 of epoch 1"):
        Model(Picks()).train(1, data, **WAYS[way])


def test_an_error_of_a_hook_is_of_no_step():
    def fails(_):
        raise ValueError("the user's own")

    with pytest.raises(ValueError, match="the user's own") as caught:
        model().train(1, rows(1, 2), LambdaCallback(on_train_step_end=fails))
    assert not getattr(caught.value, "__notes__", [])
