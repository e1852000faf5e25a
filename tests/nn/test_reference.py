"""Do layers, losses, optimizers and rates give what was seen of MindSpore?

One row a statement. Where MindSpore's own behaviour is a fault, the row has what is right.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.nn import initializer as rules

BOTH = pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
ONE_TO_NINE = np.arange(1.0, 10.0, dtype=np.float32).reshape(1, 1, 3, 3)


def tensor(values, dtype=ms.float32):
    return ms.Tensor(values, dtype)


def zeros(*shape):
    return ms.Tensor(np.zeros(shape, np.float32))


def ones_conv(kind=nn.Conv2d, size=2, **settings):
    return kind(1, 1, size, weight_init="ones", **settings)


SHAPES = {
    "same divides and rounds up": (nn.Conv2d(3, 4, 3, 2), (1, 3, 5, 6), (1, 4, 3, 3)),
    "valid": (nn.Conv2d(3, 4, 3, 2, "valid"), (1, 3, 5, 6), (1, 4, 2, 2)),
    "pad by four numbers": (nn.Conv2d(3, 4, 3, 1, "pad", (1, 0, 2, 0)), (1, 3, 5, 6), (1, 4, 4, 6)),
    "dilation": (nn.Conv2d(3, 4, 3, 1, "valid", dilation=2), (1, 3, 5, 6), (1, 4, 1, 2)),
    "one axis": (nn.Conv1d(3, 4, 3, 2), (1, 3, 5), (1, 4, 3)),
    "three axes": (nn.Conv3d(3, 4, 2, 2, "valid"), (1, 3, 4, 5, 6), (1, 4, 2, 2, 3)),
    "transposed, same": (nn.Conv2dTranspose(3, 4, 3, 2), (1, 3, 5, 6), (1, 4, 10, 12)),
    "transposed, valid": (nn.Conv2dTranspose(3, 4, 5, 2, "valid"), (1, 3, 5, 6), (1, 4, 13, 15)),
    "transposed, pad": ( nn.Conv2dTranspose(3, 4, 3, 2, "pad", 1, 1), (1, 3, 5, 6), (1, 4, 10, 12)),
    "a pool of one element": (nn.MaxPool2d(), (1, 2, 5, 6), (1, 2, 5, 6)),
    "a pool moves by 1": (nn.AvgPool2d(2), (1, 2, 5, 6), (1, 2, 4, 5)),
    "same pool": (nn.MaxPool2d(3, 2, "same"), (1, 2, 5, 6), (1, 2, 3, 3)),
    "no batch": (nn.MaxPool2d(2, 2), (2, 5, 6), (2, 2, 3)),
    "rounded up": (nn.MaxPool2d(2, 2, "pad", 0, ceil_mode=True), (1, 2, 5, 6), (1, 2, 3, 3)),
    "any number of axes": (nn.Dense(3, 2), (4, 5, 3), (4, 5, 2)),
    "flatten": (nn.Flatten(), (2, 3, 4), (2, 12)),
    "upsample": (nn.Upsample(scale_factor=2.0), (1, 2, 3, 4), (1, 2, 6, 8)),
    "adaptive": (nn.AdaptiveAvgPool2d((None, 1)), (1, 2, 3, 4), (1, 2, 3, 1)),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("case", SHAPES)
def test_shapes(case, mode):
    ms.set_context(mode=mode)
    net, shape, expected = SHAPES[case]
    assert net(zeros(*shape)).shape == expected


PARAMETERS = {
    "dense": (nn.Dense(3, 2), {"weight": (2, 3), "bias": (2,)}),
    "conv": (nn.Conv2d(4, 6, (3, 5), group=2), {"weight": (6, 2, 3, 5)}),
    "conv of one axis": (nn.Conv1d(4, 6, 3, has_bias=True), {"weight": (6, 4, 1, 3), "bias": (6,)}),
    "transposed": (nn.Conv2dTranspose(4, 6, 3, group=2), {"weight": (4, 3, 3, 3)}),
    "batch norm": (nn.BatchNorm2d(2, affine=False),
        { "mean": (2,), "variance": (2,), "gamma": (2,), "beta": (2,)}),
    "layer norm": (nn.LayerNorm((2, 3)), {"gamma": (2, 3), "beta": (2, 3)}),
    "embedding": (nn.Embedding(5, 2), {"embedding_table": (5, 2)}),
    "prelu": (nn.PReLU(3), {"a": (3,)}),
}  # fmt: skip


@pytest.mark.parametrize("case", PARAMETERS)
def test_parameters(case):
    net, expected = PARAMETERS[case]
    assert {p.name: p.shape for p in net.get_parameters()} == expected


def test_what_trains():
    assert nn.BatchNorm2d(2, affine=False).trainable_params() == []
    inner = nn.SequentialCell(nn.BatchNorm1d(1))
    names = [p.name for p in inner.get_parameters()]
    assert names == ["0.moving_mean", "0.moving_variance", "0.gamma", "0.beta"]
    assert [p.name for p in inner.trainable_params()] == ["0.gamma", "0.beta"]
    assert (inner.training, inner.requires_grad, inner.phase) == (False, False, "train")


VALUES = {
    "the odd element of padding comes last": (ones_conv(),
        ONE_TO_NINE, [[[[12, 16, 9], [24, 28, 15], [15, 17, 9]]]]),
    "same mean is of real elements": (nn.AvgPool2d(2, 1, "same"),
        ONE_TO_NINE, [[[[3, 4, 4.5], [6, 7, 7.5], [7.5, 8.5, 9]]]]),
    "mean with padding": (nn.AvgPool2d(2, 2, "pad", 1), ONE_TO_NINE, [[[[0.25, 1.25], [2.75, 7]]]]),
    "mean without padding": (nn.AvgPool2d(2, 2, "pad", 1, count_include_pad=False),
        ONE_TO_NINE, [[[[1, 2.5], [5.5, 7]]]]),
    "norm of the reference": (nn.BatchNorm1d(1, eps=0.0, use_batch_statistics=True),
        [[1.0], [2.0], [3.0], [6.0]], [[-1.0690449], [-0.5345225], [0.0], [1.6035675]]),
    "layer norm": (nn.LayerNorm((2,)), [[1.0, 3.0]], [[-0.99999994, 0.99999994]]),
    "group norm": (nn.GroupNorm(1, 2, eps=0.0), [[[[1.0]], [[3.0]]]], [[[[-1]], [[1]]]]),
    "dropout infers": (nn.Dropout(p=0.5), [1.0, 2.0], [1, 2]),
    "gelu is approximate": (nn.GELU(), [1.0], [0.841192]),
    "gelu, exact": (nn.GELU(False), [1.0], [0.8413447]),
    "leaky relu": (nn.LeakyReLU(), [-1.0, 2.0], [-0.2, 2]),
    "hard sigmoid": (nn.HSigmoid(), [-4.0, 0.0, 1.5, 4.0], [0, 0.5, 0.75, 1]),
    "softmax of the last axis": (nn.Softmax(), [[0.0, 0.0]], [[0.5, 0.5]]),
    "prelu": (nn.PReLU(), [[[[-4.0, 4.0]]]], [[[[-1, 4]]]]),
    "nearest": (nn.Upsample(size=4), [[[1.0, 2.0]]], [[[1, 1, 2, 2]]]),
    "one-hot": (nn.OneHot(axis=0, depth=2, on_value=5.0), [1, 0, 2], [[0, 5, 0], [5, 0, 0]]),
    "norm over an axis": (nn.Norm(1, True), [[3.0, 4.0], [0.0, 0.0]], [[5], [0]]),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("case", VALUES)
def test_values(case, mode):
    ms.set_context(mode=mode)
    net, x, expected = VALUES[case]
    found = net(ms.Tensor(x))
    assert found.dtype is ms.float32
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-6, atol=1e-6)


REFUSED = {
    "padding with another mode": (ValueError, lambda: nn.Conv2d(1, 1, 3, padding=1)),
    "padding of a valid pool": (ValueError, lambda: nn.MaxPool2d(3, padding=1)),
    "rounding up a valid pool": (ValueError, lambda: nn.MaxPool2d(3, ceil_mode=True)),
    "an int for a shape": (TypeError, lambda: nn.LayerNorm(3)),
    "an int for a rate": (TypeError, lambda: nn.ExponentialDecayLR(1, 0.5, 2)),
    "an int for the warm rate": (TypeError, lambda: nn.WarmUpLR(1, 2)),
    "min above max": (ValueError, lambda: nn.CosineDecayLR(0.5, 0.1, 2)),
    "no parameters": (ValueError, lambda: nn.SGD([])),
    "a negative rate": (ValueError, lambda: nn.SGD([ms.Parameter(zeros(1), name="w")], -0.1)),
    "an unknown activation": (ValueError, lambda: nn.Dense(1, 1, activation="nope")),
    "an id out of range": (IndexError, lambda: nn.Embedding(2, 1)(ms.Tensor([2]))),
    "fan of one axis": (ValueError, lambda: rules.initializer("xavier_uniform", (3,))),
    "milestones that fall": (ValueError, lambda: nn.piecewise_constant_lr([3, 2], [0.1, 0.2])),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    kind, call = REFUSED[case]
    with pytest.raises(kind):
        call()


ACTIVATIONS = (
    "softmin softmax softmax2d logsoftmax relu relu6 rrelu silu tanh tanhshrink hardtanh gelu "
    "fast_gelu elu sigmoid softsign prelu leakyrelu hswish hsigmoid logsigmoid softshrink hshrink"
).split()


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_names_of_activations(name):
    assert isinstance(nn.Dense(2, 3, activation=name).activation, nn.Cell)


# ---- losses ---------------------------------------------------------------------------------

SCORES, LABELS = [[0.0, math.log(3.0)], [0.0, 0.0]], [1, 0]
NATS = [math.log(4 / 3), math.log(2.0)]
LOSSES = {
    "sparse, one a row": (nn.SoftmaxCrossEntropyWithLogits(sparse=True), SCORES, LABELS, NATS),
    "dense": (nn.SoftmaxCrossEntropyWithLogits(), SCORES, [[0.0, 1.0], [1.0, 0.0]], NATS),
    "weighted mean": (nn.CrossEntropyLoss(tensor([3.0, 1.0])),
        SCORES, LABELS, (NATS[0] + 3 * NATS[1]) / 4),
    "ignored": (nn.CrossEntropyLoss(ignore_index=1), SCORES, LABELS, NATS[1]),
    "smoothed": (nn.CrossEntropyLoss(label_smoothing=0.5, reduction="none"),
        SCORES, LABELS, [0.75 * NATS[0] + 0.25 * math.log(4.0), NATS[1]]),
    "smooth l1 is one each": (nn.SmoothL1Loss(2.0), [0.0, 0.0], [1.0, 3.0], [0.25, 2]),
    "huber": (nn.HuberLoss("sum", 2.0), [0.0, 0.0], [1.0, 3.0], 0.5 + 4),
    "bce of logits": (nn.BCEWithLogitsLoss("none", None, tensor([3.0])),
        [0.0], [1.0], [3 * math.log(2.0)]),
    "bce": (nn.BCELoss(tensor([2.0, 1.0]), "sum"),
        [0.5, 0.25], [1.0, 0.0], 2 * math.log(2) + math.log(4 / 3)),
    "kl over elements": (nn.KLDivLoss(), [[0.0, 0.0]], [[0.5, 0.5]], -math.log(2) / 2),
    "kl over the batch": (nn.KLDivLoss("batchmean"), [[0.0, 0.0]], [[0.5, 0.5]], -math.log(2)),
    "mse broadcasts": (nn.MSELoss(), [[1.0, 2.0]], [1.0, 4.0], 2.0),
    "rmse": (nn.RMSELoss(), [0.0, 0.0], [3.0, 3.0], 3.0),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("case", LOSSES)
def test_losses(case, mode):
    ms.set_context(mode=mode)
    loss, x, y, expected = LOSSES[case]
    for labels in (ms.Tensor(y), ms.Tensor(y).astype(ms.int32)) if y is LABELS else (ms.Tensor(y),):
        np.testing.assert_allclose(loss(tensor(x), labels).asnumpy(), expected, rtol=2e-6)


def test_a_loss_of_none_trains_by_its_sum():
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)
    found = ms.grad(loss)(tensor(SCORES), ms.Tensor(LABELS)).asnumpy()
    np.testing.assert_allclose(found, [[0.25, -0.25], [-0.5, 0.5]], rtol=1e-6)


# ---- optimizers and rates -------------------------------------------------------------------

STATE = {
    "momentum": (lambda w: nn.Momentum(w, 0.1, 0.9), {"momentum", "moments.w"}),
    "adam": (lambda w: nn.Adam(w), {"beta1_power", "beta2_power", "moment1.w", "moment2.w"}),
    "amsgrad": (lambda w: nn.Adam(w, use_amsgrad=True),
        {"beta1_power", "beta2_power", "moment1.w", "moment2.w", "vhat.w"}),
    "adam with decay": (lambda w: nn.AdamWeightDecay(w), {"adam_m.w", "adam_v.w"}),
    "adagrad": (lambda w: nn.Adagrad(w), {"accum.w"}),
    "rmsprop": (lambda w: nn.RMSProp(w, centered=True),
        {"mean_square.w", "moment.w", "mean_grad.w"}),
}  # fmt: skip


@pytest.mark.parametrize("case", STATE)
def test_names_of_state(case):
    make, expected = STATE[case]
    optimizer = make([ms.Parameter(zeros(2), name="w")])
    names = {p.name for p in optimizer.get_parameters()} - {"w"}
    assert names == expected | {"global_step", "learning_rate"}
    assert (optimizer.global_step.dtype, optimizer.global_step.shape) == (ms.int32, (1,))


SCHEDULES = {
    "exponential": (nn.ExponentialDecayLR(0.1, 0.9, 4), lambda s: 0.1 * 0.9 ** (s / 4)),
    "exponential stairs": (nn.ExponentialDecayLR(0.1, 0.9, 4, True),
        lambda s: 0.1 * 0.9 ** (s // 4)),
    "natural": (nn.NaturalExpDecayLR(0.1, 0.9, 4), lambda s: 0.1 * math.exp(-0.9 * s)),
    "natural stairs": (nn.NaturalExpDecayLR(0.1, 0.9, 4, True),
        lambda s: 0.1 * math.exp(-0.9 * (s // 4 * 4))),
    "inverse": (nn.InverseDecayLR(0.1, 0.9, 4), lambda s: 0.1 / (1 + 0.9 * s / 4)),
    "inverse stairs": (nn.InverseDecayLR(0.1, 0.9, 4, True), lambda s: 0.1 / (1 + 0.9 * (s // 4))),
    "cosine": (nn.CosineDecayLR(0.01, 0.1, 4),
        lambda s: 0.01 + 0.045 * (1 + math.cos(math.pi * min(s, 4) / 4))),
    "polynomial": (nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5),
        lambda s: 0.09 * (1 - min(s, 4) / 4) ** 0.5 + 0.01),
    "polynomial again": (nn.PolynomialDecayLR(0.1, 0.01, 4, 2.0, True),
        lambda s: 0.09 * (1 - s / (4 * max(-(-s // 4), 1))) ** 2 + 0.01),
    "warm-up starts at 0": (nn.WarmUpLR(0.1, 4), lambda s: 0.1 * min(s, 4) / 4),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("case", SCHEDULES)
def test_schedules(case, mode):
    ms.set_context(mode=mode)
    schedule, expected = SCHEDULES[case]
    for step in (0, 1, 3, 4, 5, 8, 11):
        for dtype in (ms.int32, ms.int64):
            found = schedule(ms.Tensor([step], dtype))
            np.testing.assert_allclose(found.asnumpy(), [expected(step)], rtol=1e-6, atol=1e-9)


@BOTH
def test_an_optimizer_reads_a_schedule_at_each_step(mode):
    ms.set_context(mode=mode)
    w = ms.Parameter(tensor([0.0]), name="w")
    optimizer = nn.SGD([w], nn.WarmUpLR(0.5, 2))
    for expected in (0.0, -0.25, -0.75, -1.25):
        optimizer((tensor([1.0]),))
        assert w.tolist() == [expected]


RATES = {
    "pieces": (nn.piecewise_constant_lr([2, 3], [0.5, 0.1]), [0.5, 0.5, 0.1]),
    "exponential": (nn.exponential_decay_lr(0.1, 0.9, 5, 2, 2),
        [0.1] * 2 + [0.1 * 0.9**0.5] * 2 + [0.09]),
    "exponential stairs": (nn.exponential_decay_lr(0.1, 0.9, 5, 2, 2, True), [0.1] * 4 + [0.09]),
    "natural": (nn.natural_exp_decay_lr(0.1, 0.9, 3, 2, 2), [0.1] * 2 + [0.1 * math.exp(-0.9)]),
    "natural stairs": (nn.natural_exp_decay_lr(0.1, 0.9, 3, 1, 2, True),
        [0.1] * 2 + [0.1 * math.exp(-1.8)]),
    "inverse": (nn.inverse_decay_lr(0.1, 0.5, 3, 1, 2), [0.1, 0.08, 0.1 / 1.5]),
    "inverse stairs": (nn.inverse_decay_lr(0.1, 0.5, 3, 1, 2, True), [0.1, 0.1, 0.1 / 1.5]),
    "cosine": (nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2), [0.1] * 2 + [0.055] * 2 + [0.01] * 2),
    "polynomial": (nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5),
        [0.1] * 2 + [0.09 * 0.5**0.5 + 0.01] * 2 + [0.01] * 2),
    "polynomial again": (nn.polynomial_decay_lr(0.1, 0.01, 4, 1, 2, 1.0, True),
        [0.1, 0.055, 0.01, 0.0325]),
    "warm-up": (nn.warmup_lr(0.1, 6, 2, 2), [0.0] * 2 + [0.05] * 2 + [0.1] * 2),
    "no warm-up": (nn.warmup_lr(0.1, 2, 1, 0), [0.1] * 2),
}  # fmt: skip


@pytest.mark.parametrize("case", RATES)
def test_lists_of_rates(case):
    found, expected = RATES[case]
    assert all(type(rate) is float for rate in found)
    np.testing.assert_allclose(found, expected, rtol=1e-15)


def test_past_the_end_of_a_list():
    w = ms.Parameter(tensor([0.0]), name="w")
    optimizer = nn.SGD([w], nn.piecewise_constant_lr([1], [0.5]))
    optimizer((tensor([1.0]),))
    with pytest.raises(IndexError):
        optimizer((tensor([1.0]),))
    assert w.tolist() == [-0.5]


# ---- first values ---------------------------------------------------------------------------

BOUNDS = {
    "dense": (lambda: nn.Dense(100, 50).weight,
        0.1), "its bias": (lambda: nn.Dense(100, 50).bias, 0.1),
    "conv": (lambda: nn.Conv2d(25, 40, 2).weight, 0.1),
    "xavier": (lambda: rules.initializer("xavier_uniform", (100, 50)), math.sqrt(6 / 150)),
    "he": (lambda: rules.initializer(rules.HeUniform(), (100, 50)), math.sqrt(6 / 50)),
    "uniform": (lambda: rules.initializer("uniform", (100, 50)), 0.07),
}  # fmt: skip


@pytest.mark.parametrize("case", BOUNDS)
def test_bounds_of_first_values(case):
    make, bound = BOUNDS[case]
    values = make().asnumpy()
    assert 0.9 * bound < abs(values).max() <= bound


def test_spread_of_first_values():
    spreads = {"normal": 0.01, "he_normal": (2 / 50) ** 0.5, "xavier_normal": (2 / 150) ** 0.5}
    for name, expected in spreads.items():
        values = rules.initializer(name, (100, 50)).asnumpy()
        assert abs(values.std() / expected - 1) < 0.05
    cut = rules.initializer("truncatednormal", (100, 50)).asnumpy()
    assert abs(cut).max() < 0.06  # the bounds are absolute, so 2 cuts nothing of a spread of 0.01
    named = rules.initializer(rules.VarianceScaling(2.0), (100, 50)).asnumpy()
    assert abs(named.std() / math.sqrt(2.0 / 50) - 1) < 0.1 and abs(named).max() > 1.8 * named.std()
    assert nn.Embedding(5, 2, padding_idx=1).embedding_table.tolist()[1] == [0.0, 0.0]
