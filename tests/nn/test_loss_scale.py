"""Does a step with a scaled loss train as one without, and leave out what overflows?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import S2sadError

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(8, 3)).astype(np.float32), RNG.normal(size=(8, 2)).astype(np.float32)


def made(scale, learning_rate=0.1):
    ms.set_seed(4)
    net = nn.Dense(3, 2)
    optimizer = nn.Momentum(net.trainable_params(), learning_rate, 0.9)
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    kind = nn.TrainOneStepCell if scale is None else nn.TrainOneStepWithLossScaleCell
    step = kind(with_loss, optimizer, *([] if scale is None else [scale])).set_train()
    return step, net, optimizer


def state(net, optimizer):
    found = [*net.get_parameters(), *optimizer.get_parameters()]
    return [p.asnumpy().copy() for p in found]


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=request.param)


@pytest.mark.parametrize("scale", [ms.Tensor(1024.0), ms.Tensor([1024.0])], ids=["0d", "1d"])
def test_a_power_of_two_changes_nothing(scale, mode):
    plain, scaled = made(None), made(scale)
    for _ in range(3):
        loss = plain[0](ms.Tensor(X), ms.Tensor(Y))
        found, overflow, used = scaled[0](ms.Tensor(X), ms.Tensor(Y))
        assert found.item() == loss.item() and not overflow.item() and used.item() == 1024.0
        assert found.shape == overflow.shape == () and overflow.dtype is ms.bool_
    for one, other in zip(state(*plain[1:]), state(*scaled[1:]), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_scale_is_divided_out_whatever_it_is(mode):
    plain, scaled = made(None), made(ms.Tensor(1000.0))
    plain[0](ms.Tensor(X), ms.Tensor(Y))
    scaled[0](ms.Tensor(X), ms.Tensor(Y))
    np.testing.assert_allclose(plain[1].weight.asnumpy(), scaled[1].weight.asnumpy(), rtol=1e-5)


def test_an_overflow_leaves_everything_but_the_scale(mode):
    step, net, optimizer = made(nn.DynamicLossScaleUpdateCell(8.0, 2, 2))
    step(ms.Tensor(X), ms.Tensor(Y))
    before = state(net, optimizer)
    bad = X.copy()
    bad[0, 0] = np.inf
    _, overflow, used = step(ms.Tensor(bad), ms.Tensor(Y))
    assert overflow.item() and used.item() == 8.0 and step.scale_sense.item() == 4.0
    for one, other in zip(before, state(net, optimizer), strict=True):
        np.testing.assert_array_equal(one, other)
    _, overflow, used = step(ms.Tensor(X), ms.Tensor(Y))
    assert not overflow.item() and used.item() == 4.0
    assert any((a != b).any() for a, b in zip(before, state(net, optimizer), strict=True))


def expected_scales(overflows, scale, factor, window):
    """By the words of the reference: after an overflow divided, after a window multiplied."""
    found, last = [], 0
    for step, overflow in enumerate(overflows, 1):
        is_due = step - last >= window
        if overflow:
            scale = max(scale / factor, 1.0)
        elif is_due:
            scale *= factor
        if overflow or is_due:
            last = step
        found.append(scale)
    return found


@pytest.mark.parametrize("window", [1, 2, 3])
def test_the_scale_follows_overflows(window):
    overflows = [False, False, True, False, True, True, False, False, False, False, True, True]
    for is_compiled in (False, True):
        update = nn.DynamicLossScaleUpdateCell(4.0, 2, window)
        scale = ms.Parameter(ms.Tensor(update.get_loss_scale(), ms.float32), name="scale")
        run = ms.compile(update) if is_compiled else update
        found = []
        for overflow in overflows:
            assert run(scale, ms.Tensor(overflow)).item() is overflow
            found.append(scale.item())
        assert found == expected_scales(overflows, 4.0, 2, window)


def test_a_fixed_scale_stays(mode):
    step, *_ = made(nn.FixedLossScaleUpdateCell(64))
    for x in (X, X * np.inf):
        _, overflow, used = step(ms.Tensor(x), ms.Tensor(Y))
        assert used.item() == 64.0 and step.scale_sense.item() == 64.0
    assert overflow.item()


def test_setting_the_scale():
    step, *_ = made(ms.Tensor(1.0))
    step.set_sense_scale(ms.Tensor(16.0))
    assert step(ms.Tensor(X), ms.Tensor(Y))[2].item() == 16.0


def test_a_step_of_ones_own():
    """As subclasses are written for MindSpore."""

    class Clipped(nn.TrainOneStepWithLossScaleCell):
        def construct(self, *inputs):
            loss = self.network(*inputs)
            status, scale = self.start_overflow_check(loss, self.scale_sense)
            seed = ms.ops.ones_like(loss) * ms.ops.cast(scale, loss.dtype)
            gradients = self.grad(self.network, self.weights)(*inputs, seed)
            gradients = tuple([ms.ops.clamp(g / scale, -0.01, 0.01) for g in gradients])
            overflow = self.process_loss_scale(self.get_overflow_status(status, gradients))
            if not overflow:
                self.optimizer(gradients)
            return loss, overflow

    ms.set_seed(4)
    net = nn.Dense(3, 2)
    before = net.weight.asnumpy().copy()
    step = Clipped(
        nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 1.0), ms.Tensor(8.0)
    )
    ms.compile(step)(ms.Tensor(X), ms.Tensor(Y))
    np.testing.assert_allclose(np.abs(net.weight.asnumpy() - before).max(), 0.01, rtol=1e-4)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (TypeError, lambda: made(8.0)),
        (ValueError, lambda: made(ms.Tensor([1.0, 2.0]))),
        (ValueError, lambda: made(ms.Tensor(1.0))[0].set_sense_scale(ms.Tensor([1.0, 2.0]))),
        (ValueError, lambda: nn.FixedLossScaleUpdateCell(0)),
        (TypeError, lambda: nn.FixedLossScaleUpdateCell("8")),
        (ValueError, lambda: nn.DynamicLossScaleUpdateCell(8, 2, 0)),
        (TypeError, lambda: nn.DynamicLossScaleUpdateCell(8, 2, 1.5)),
    ],
)
def test_what_is_refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, S2sadError)
