"""Are the Cells of convolutions `ops` with MindSpore's defaults, names and first values?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support import windows
from support.forms import both_forms, refused

CELLS = {1: nn.Conv1d, 2: nn.Conv2d, 3: nn.Conv3d}
TRANSPOSED = {1: nn.Conv1dTranspose, 2: nn.Conv2dTranspose, 3: nn.Conv3dTranspose}
FUNCTIONS = {1: ops.conv1d, 2: ops.conv2d, 3: ops.conv3d}


@pytest.fixture(autouse=True)
def seeded():
    ms.set_seed(7)


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


def kernels(weight, rank):
    """The weight as a function takes it: a Cell of one axis stores one more."""
    return weight.squeeze(2) if rank == 1 else weight


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize(
    "settings",
    [
        {}, {"stride": 2}, {"pad_mode": "valid"}, {"pad_mode": "pad", "padding": 2, "dilation": 2},
        {"group": 2, "has_bias": True}, {"kernel_size": 2, "pad_mode": "SAME"},
    ],
    ids=str,
)  # fmt: skip
def test_convolutions(rank, settings):
    given = {"kernel_size": 3, **settings}
    net = CELLS[rank](4, 6, given.pop("kernel_size"), dtype=ms.float64, **given)
    x = normal(2, 4, *(5, 4, 5)[:rank])

    def run(x):
        return net(x)

    found = both_forms(run, ms.Tensor(x))
    facts = {"stride": 1, "pad_mode": "same", "padding": 0, "dilation": 1, **given}
    groups, has_bias = facts.pop("group", 1), facts.pop("has_bias", False)
    axes = []
    for size, kernel in zip(x.shape[2:], net.kernel_size, strict=True):
        mode = facts["pad_mode"].lower()
        shape = kernel, facts["stride"], facts["dilation"]
        ends = windows.padding_of(mode, facts["padding"], size, *shape)
        axes.append(windows.windows_along(size, kernel, facts["stride"], ends, facts["dilation"]))
    expected = windows.conv(x, kernels(net.weight.asnumpy(), rank), axes, groups)
    if has_bias:
        expected = expected + net.bias.asnumpy().reshape(-1, *(1,) * rank)
    else:
        assert net.bias is None
    assert found.shape == expected.shape
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("mode", ["same", "valid", "pad"])
@pytest.mark.parametrize(("kernel", "stride", "dilation"), [(3, 2, 1), (2, 3, 1), (2, 1, 2)])
def test_transposed(rank, mode, kernel, stride, dilation):
    given = {"padding": 1} if mode == "pad" else {}
    net = TRANSPOSED[rank](
        4, 6, kernel, stride, mode, dilation=dilation, group=2, has_bias=True, dtype=ms.float64,
        **given,
    )  # fmt: skip
    x = normal(2, 4, *(3, 4, 2)[:rank])

    def run(x):
        return net(x)

    found = both_forms(run, ms.Tensor(x))
    reach = dilation * (kernel - 1) + 1
    over, weight = max(reach - stride, 0), kernels(net.weight.asnumpy(), rank)
    cut = {"same": (over // 2, over - over // 2), "valid": (0, 0), "pad": (1, 1)}[mode]
    extra = 0 if mode == "pad" else max(stride - reach, 0)
    expected = windows.conv_transpose(x, weight, stride, cut, extra, dilation, 2)
    expected = expected + net.bias.asnumpy().reshape(-1, *(1,) * rank)
    sizes = {
        "same": [n * stride for n in x.shape[2:]],
        "valid": [n * stride + over for n in x.shape[2:]],
        "pad": [(n - 1) * stride + reach - 2 for n in x.shape[2:]],
    }
    assert list(found.shape[2:]) == sizes[mode] and found.shape == expected.shape
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12, atol=1e-12)


def test_output_padding():
    net = nn.Conv2dTranspose(2, 3, 3, 2, "pad", (1, 0, 0, 1), (1, 0), dtype=ms.float64)
    x = ms.Tensor(normal(1, 2, 3, 3))
    function = ops.conv_transpose2d(x, net.weight, None, 2, (1, 0, 0, 1), (1, 0))
    assert net(x).shape == (1, 3, 7, 6) and net(x).tolist() == function.tolist()


def test_gradients_reach_weights_and_bias():
    net = nn.Conv2d(2, 3, 2, has_bias=True, dtype=ms.float64)
    x = ms.Tensor(normal(2, 2, 4, 4))
    weights = ms.Tensor(normal(2, 3, 4, 4))

    def loss(x):
        return ops.sum(net(x) * weights)

    by_weight, by_bias = ms.grad(loss, None, net.trainable_params())(x)
    np.testing.assert_allclose(by_bias.asnumpy(), weights.asnumpy().sum((0, 2, 3)), rtol=1e-12)
    padded = np.pad(x.asnumpy(), [(0, 0), (0, 0), (0, 1), (0, 1)])
    for i, j in np.ndindex(2, 2):
        part = padded[:, :, i : i + 4, j : j + 4]
        expected = np.einsum("nmhw,nchw->mc", weights.asnumpy(), part)
        np.testing.assert_allclose(by_weight.asnumpy()[:, :, i, j], expected, rtol=1e-11)


# ---- Parameters -----------------------------------------------------------------------------


def test_shapes_of_parameters():
    shapes = {
        nn.Conv1d(4, 6, 3, group=2): (6, 2, 1, 3), nn.Conv2d(4, 6, (3, 2), group=2): (6, 2, 3, 2),
        nn.Conv3d(4, 6, 3): (6, 4, 3, 3, 3), nn.Conv1dTranspose(4, 6, 3, group=2): (4, 3, 1, 3),
        nn.Conv2dTranspose(4, 6, (3, 2), group=2): (4, 3, 3, 2),
        nn.Conv3dTranspose(4, 6, 3): (4, 6, 3, 3, 3),
    }  # fmt: skip
    assert {net: net.weight.shape for net in shapes} == shapes
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=True))
    assert [p.name for p in net.trainable_params()] == ["0.weight", "0.bias"]
    assert [p.name for p in net[0].get_parameters()] == ["0.weight", "0.bias"]


@pytest.mark.parametrize(
    ("cell", "arguments", "fan_in"),
    [
        (nn.Conv2d, (32, 64, 5), 32 * 25), (nn.Conv2dTranspose, (64, 32, 5), 32 * 25),
        (nn.Conv3d, (8, 64, 3), 8 * 27), (nn.Conv1d, (64, 64, 9, 1, "same", 0, 1, 2), 32 * 9),
    ],
)  # fmt: skip
def test_first_values_are_mindspores(cell, arguments, fan_in):
    net = cell(*arguments, has_bias=True)
    bound = 1 / math.sqrt(fan_in)  # HeUniform of slope sqrt(5), for the weight; the same for bias
    for parameter in (net.weight, net.bias):
        values = abs(parameter.asnumpy())
        assert 0.7 * bound < values.max() <= bound
        assert parameter.dtype is ms.float32
    np.testing.assert_allclose(net.weight.asnumpy().std(), bound / math.sqrt(3), rtol=0.05)


def test_first_values_of_ones_own():
    net = nn.Conv2d(1, 1, 2, weight_init="ones", bias_init=0.5, has_bias=True, dtype=ms.float16)
    assert net.weight.tolist() == [[[[1.0, 1.0], [1.0, 1.0]]]] and net.bias.tolist() == [0.5]
    assert net.weight.dtype is net.bias.dtype is ms.float16


def test_what_is_shown():
    assert repr(nn.Conv2d(3, 4, 5, padding=1, pad_mode="pad")) == (
        "Conv2d(input_channels=3, output_channels=4, kernel_size=(5, 5), stride=(1, 1), "
        "pad_mode=pad, padding=1, dilation=(1, 1), group=1, has_bias=False)"
    )


# ---- what is refused ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"in_channels": 0}, "E0404"), ({"out_channels": 2.0}, "E0303"),
        ({"kernel_size": 0}, "E0404"), ({"kernel_size": (3, 3, 3)}, "E0303"),
        ({"stride": -1}, "E0404"), ({"padding": 1}, "E0404"), ({"pad_mode": "full"}, "E0404"),
        ({"pad_mode": "pad", "padding": (1, 1, 1)}, "E0303"), ({"dilation": 0}, "E0404"),
        ({"pad_mode": "pad", "padding": -1}, "E0404"), ({"group": 3}, "E0404"),
        ({"group": 0}, "E0404"), ({"has_bias": 1}, "E0303"), ({"weight_init": "none"}, "E0404"),
        ({"data_format": "NHWC"}, "E0404"), ({"weight_init": ms.Tensor([1.0])}, "E0401"),
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be(arguments, code):
    with pytest.raises(S2sadError) as caught:
        nn.Conv2d(**{"in_channels": 4, "out_channels": 4, "kernel_size": 3, **arguments})
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("arguments", "code"),
    [({"output_padding": 1}, "E0404"), ({"output_padding": -1, "pad_mode": "pad"}, "E0404"),
     ({"padding": 1}, "E0404"), ({"group": 3}, "E0404")],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be_of_transposed_ones(arguments, code):
    with pytest.raises(S2sadError) as caught:
        nn.Conv2dTranspose(**{"in_channels": 4, "out_channels": 4, "kernel_size": 3, **arguments})
    assert caught.value.code == code


def dilated(x):
    return DILATED(x)


def transposed(x):
    return TRANSPOSE(x)


def line(x):
    return LINE(x)


DILATED = nn.Conv2d(1, 1, 3, pad_mode="valid", dilation=8)
TRANSPOSE, LINE = nn.Conv2dTranspose(2, 1, 3), nn.Conv1d(1, 1, 3)


@pytest.mark.parametrize(
    ("function", "shape"),
    [(dilated, (1, 1, 14, 20)), (dilated, (1, 2, 20, 20)), (dilated, (1, 20, 20)),
     (transposed, (1, 1, 3, 3)), (line, (1, 1, 1, 3)), (line, (1, 2, 3))],
)  # fmt: skip
def test_inputs_that_do_not_fit(function, shape):
    refused("E0401", function, ms.Tensor(np.zeros(shape, np.float32)))


def test_a_kernel_that_does_not_fit_is_told_with_all_sizes():
    x = ms.Tensor(np.zeros((1, 1, 14, 20), np.float32))
    with pytest.raises(ValueError, match=r"E0401.*Conv2d.*\(1, 1, 14, 20\).*17.*axis 2.*14"):
        DILATED(x)
    assert DILATED(ms.Tensor(np.zeros((1, 1, 20, 17), np.float32))).shape == (1, 1, 4, 1)
