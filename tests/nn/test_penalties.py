"""Are the losses that compare sets, class by class, and that weigh sizes, those of the formulas?"""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import nn
from support.forms import both_forms, refused

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(3, 4, 2)), RNG.uniform(size=(3, 4, 2))
W = RNG.normal(size=(4, 2))


def dice(x, y):
    return 1 - 2 * np.sum(x * y) / (np.sum(x**2) + np.sum(y**2) + 1e-5)


#: What the activation makes of logits.
ACTIVATIONS = {
    "softmax": lambda x: scipy.special.softmax(x, -1), "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh, None: lambda x: x,
}  # fmt: skip


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("ignored", [None, 0, 3, 9])
@pytest.mark.parametrize("weights", [None, W])
def test_multi_class_dice_loss(activation, ignored, weights):
    given = None if weights is None else ms.Tensor(weights)
    net = nn.MultiClassDiceLoss(given, ignored, activation)
    x = ACTIVATIONS[activation](X)
    rows = np.ones(4) if weights is None else weights
    expected = sum(dice(x[:, i], Y[:, i]) * rows[i] for i in range(4) if i != ignored) / 4
    found = both_forms(net, ms.Tensor(X), ms.Tensor(Y))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)


def test_dtypes_of_a_dice_loss():
    net = nn.MultiClassDiceLoss(activation=None)
    narrow = both_forms(net, ms.Tensor(300 * Y, ms.float16), ms.Tensor(300 * Y, ms.float16))
    assert narrow.dtype is ms.float16 and abs(narrow.item()) < 1e-3


def test_l1_regularizer():
    net = nn.L1Regularizer(0.5)
    found = both_forms(net, ms.Tensor(X))
    np.testing.assert_allclose(found.asnumpy(), 0.5 * np.abs(X).sum(), rtol=1e-13)
    for dtype in (ms.float16, ms.bfloat16, ms.float32, ms.int8, ms.int64, ms.uint8):
        found = both_forms(nn.L1Regularizer(0.5), ms.Tensor([[1, 2], [3, 4]], dtype))
        assert (found.dtype, found.item()) == (ms.float32, 5.0)
    net = nn.L1Regularizer(0.5)
    assert both_forms(net, ms.Tensor([-128], ms.int8)).item() == 64.0
    assert both_forms(net, ms.Tensor(np.zeros((0, 2)))).item() == 0.0
    refused("E0301", lambda x: net(x), ms.Tensor([True]))


@pytest.mark.parametrize(
    ("code", "make"),
    [
        ("E0404", lambda: nn.L1Regularizer(0)),
        ("E0404", lambda: nn.L1Regularizer(float("inf"))),
        ("E0303", lambda: nn.L1Regularizer(True)),
        ("E0304", lambda: nn.MultiClassDiceLoss(3)),
        ("E0401", lambda: nn.MultiClassDiceLoss(ms.Tensor([1.0]))),
        ("E0303", lambda: nn.MultiClassDiceLoss(None, 1.0)),
        ("E0404", lambda: nn.MultiClassDiceLoss(activation="softmix")),
    ],
)
def test_settings_that_cannot_be(code, make):
    with pytest.raises(ms.S2sadError, match=code):
        make()


def test_shapes_that_do_not_fit():
    x, y = ms.Tensor(X), ms.Tensor(Y)
    plain, weighted = nn.MultiClassDiceLoss(), nn.MultiClassDiceLoss(ms.Tensor(W[:3]))
    refused("E0401", lambda x, y: plain(x, y[:2]), x, y)
    refused("E0401", lambda x, y: weighted(x, y), x, y)
    refused("E0401", lambda x, y: plain(x[:, 0, 0], y[:, 0, 0]), x, y)
