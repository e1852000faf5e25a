"""Do schedules of groups give PyTorch's rates, epoch by epoch, and when they jump to one?

Rates were computed once by PyTorch, see ``data/torch.json``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad.core.diagnostics import S2sadError
from s2sad.experimental.optim import SGD, lr_scheduler

TORCH = json.loads((Path(__file__).parent / "data" / "torch.json").read_text())["rates"]
LOSSES = [3.0, 2.0, 2.0, 2.0, 2.5, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.5]
s = lr_scheduler
SCHEDULES = {
    "StepLR": lambda o: s.StepLR(o, 3, 0.5),
    "MultiStepLR": lambda o: s.MultiStepLR(o, [2, 5, 5], 0.5),
    "ExponentialLR": lambda o: s.ExponentialLR(o, 0.75),
    "ConstantLR": lambda o: s.ConstantLR(o, 0.25, 4),
    "LinearLR": lambda o: s.LinearLR(o, 0.25, 0.75, 6),
    "PolynomialLR": lambda o: s.PolynomialLR(o, 8, 2.0),
    "LambdaLR": lambda o: s.LambdaLR(o, [lambda e: 0.9**e, lambda e: 1 / (1 + e)]),
    "MultiplicativeLR": lambda o: s.MultiplicativeLR(o, lambda e: 0.9),
    "CosineAnnealingLR": lambda o: s.CosineAnnealingLR(o, 4, 0.1),
    "CosineAnnealingWarmRestarts": lambda o: s.CosineAnnealingWarmRestarts(o, 2, 2, 0.1),
    "CosineAnnealingWarmRestarts1": lambda o: s.CosineAnnealingWarmRestarts(o, 5, 1, 0.1),
    "CyclicLR": lambda o: s.CyclicLR(o, 0.1, [0.5, 0.9], 3, 2, "triangular2"),
    "CyclicLR exp": lambda o: s.CyclicLR(o, 0.1, 0.5, 3, None, "exp_range", 0.9),
    "SequentialLR": lambda o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.5, 10), s.ExponentialLR(o, 0.75)], [4]
    ),
    "ChainedScheduler": lambda o: s.ChainedScheduler(
        [s.ConstantLR(o, 0.5, 4), s.ExponentialLR(o, 0.75)]
    ),
    "ReduceLROnPlateau": lambda o: s.ReduceLROnPlateau(
        o, "min", 0.5, 1, 0.1, "rel", 1, [0.1, 0.0]
    ),
    "ReduceLROnPlateau max": lambda o: s.ReduceLROnPlateau(o, "max", 0.5, 0, 0.1, "abs"),
}  # fmt: skip


def make_optimizer():
    w, v = (ms.Parameter(ms.Tensor([1.0]), name=name) for name in "wv")
    return SGD([{"params": [w], "lr": 0.5}, {"params": [v]}], 0.25)


def rates(optimizer):
    return [group["lr"].item() for group in optimizer.param_groups]


@pytest.mark.parametrize("name", SCHEDULES)
def test_rates_are_those_of_pytorch(name):
    optimizer = make_optimizer()
    scheduler = SCHEDULES[name](optimizer)
    found = [rates(optimizer)]
    for loss in LOSSES:
        assert scheduler.step(*([loss] if "Plateau" in name else [])) is True
        found.append(rates(optimizer))
        assert [x.item() for x in scheduler.get_last_lr()] == found[-1]
    np.testing.assert_allclose(found, TORCH[name], rtol=2e-5, atol=1e-7)


JUMPS = [
    name for name in SCHEDULES
    if not any(x in name for x in ("Plateau", "Multiplicative", "Sequential", "Chained"))
]  # fmt: skip


@pytest.mark.parametrize("name", JUMPS)
def test_jumping_to_an_epoch(name):
    optimizer = make_optimizer()
    scheduler = SCHEDULES[name](optimizer)
    for epoch in (7, 2, 12, 0):
        scheduler.step(epoch)
        np.testing.assert_allclose(rates(optimizer), TORCH[name][epoch], rtol=1e-6, atol=1e-7)


def test_parts_of_epochs():
    optimizer = make_optimizer()
    scheduler = s.CosineAnnealingWarmRestarts(optimizer, 2, 2)
    scheduler.step(3.0)  # in the round from 2 to 6
    quarter = (1 + np.cos(np.pi / 4)) / 2
    np.testing.assert_allclose(rates(optimizer), [0.5 * quarter, 0.25 * quarter], rtol=1e-6)
    scheduler.step(0.5)
    np.testing.assert_allclose(rates(optimizer), [0.5 * quarter, 0.25 * quarter], rtol=1e-6)


def test_a_compiled_step_sees_the_rate():
    w = ms.Parameter(ms.Tensor([1.0]), name="w")
    optimizer = SGD([w], 0.5)
    scheduler = s.ExponentialLR(optimizer, 0.5)
    apply = ms.compile(optimizer)
    for _ in range(3):
        apply((ms.Tensor([1.0]),))
        scheduler.step()
    assert w.item() == 1 - 0.5 - 0.25 - 0.125 and len(apply.variants) == 1


def test_going_on_from_an_epoch():
    optimizer = make_optimizer()
    for group in optimizer.param_groups:
        group["initial_lr"] = 1.0
    scheduler = s.LambdaLR(optimizer, lambda epoch: 0.5**epoch, last_epoch=2)
    assert scheduler.last_epoch == 3 and rates(optimizer) == [0.125, 0.125]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda o: s.StepLR(3, 1), "E0304"), (lambda o: s.StepLR(o, 0), "E0404"),
        (lambda o: s.StepLR(o, 1, last_epoch=-2), "E0404"),
        (lambda o: s.StepLR(o, 1, last_epoch=3), "E0404"), (lambda o: s.LRScheduler(o), "E0220"),
        (lambda o: s.LinearLR(o, 0.0), "E0404"), (lambda o: s.LinearLR(o, 0.5, 2.0), "E0404"),
        (lambda o: s.ConstantLR(o, 2.0), "E0404"),
        (lambda o: s.LambdaLR(o, [lambda e: 1.0]), "E0404"),
        (lambda o: s.CyclicLR(o, 0.1, 0.2, mode="a"), "E0404"),
        (lambda o: s.CyclicLR(o, [0.1], 0.2), "E0404"),
        (lambda o: s.SequentialLR(o, [s.StepLR(o, 1)], [1]), "E0404"),
        (lambda o: s.ChainedScheduler([]), "E0404"),
        (lambda o: s.ChainedScheduler([s.StepLR(o, 1), s.StepLR(make_optimizer(), 1)]), "E0404"),
        (lambda o: s.ReduceLROnPlateau(o, "least"), "E0404"),
        (lambda o: s.ReduceLROnPlateau(o, factor=1.0), "E0404"),
        (lambda o: s.ReduceLROnPlateau(o, min_lr=[0.1]), "E0404"),
        (lambda o: s.CosineAnnealingWarmRestarts(o, 2).step(-1.0), "E0404"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(make, code):
    with pytest.raises(S2sadError) as caught:
        make(make_optimizer())
    assert caught.value.code == code
