"""Are tensors framed, and channels shuffled, as MindSpore does it?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, refused

X = np.random.default_rng(0).normal(size=(2, 3, 4, 5))


@pytest.mark.parametrize("mode", ["CONSTANT", "REFLECT", "SYMMETRIC"])
@pytest.mark.parametrize("pairs", [((0, 0), (1, 2), (0, 3), (2, 0)), ((0, 0),) * 4])
def test_pad(pairs, mode):
    net = nn.Pad(pairs, mode)

    def run(x):
        return net(x)

    expected = np.pad(X, pairs, mode.lower())
    np.testing.assert_array_equal(both_forms(run, ms.Tensor(X)).asnumpy(), expected)
    check_gradients(run, X[:1, :, :, :4])


FRAMES = [
    (nn.ConstantPad1d((1, 2), 7.0), [(1, 2)], {"constant_values": 7.0}),
    (nn.ConstantPad2d(1, -1.0), [(1, 1), (1, 1)], {"constant_values": -1.0}),
    (nn.ConstantPad3d((1, 0, 0, 2, 1, 1), 0.5), [(1, 1), (0, 2), (1, 0)], {"constant_values": 0.5}),
    (nn.ZeroPad2d((1, 2, 3, 0)), [(3, 0), (1, 2)], {}),
    (nn.ReflectionPad1d((1, 2)), [(1, 2)], {"mode": "reflect"}),
    (nn.ReflectionPad2d((1, 2, 3, 0)), [(3, 0), (1, 2)], {"mode": "reflect"}),
    (nn.ReplicationPad1d(2), [(2, 2)], {"mode": "edge"}),
    (nn.ReplicationPad2d((1, 2, 3, 0)), [(3, 0), (1, 2)], {"mode": "edge"}),
]


@pytest.mark.parametrize(("net", "pairs", "how"), FRAMES, ids=lambda x: type(x).__name__)
def test_frames(net, pairs, how):
    def run(x):
        return net(x), net(x[0])

    whole, part = both_forms(run, ms.Tensor(X))
    expected = np.pad(X, [(0, 0)] * (4 - len(pairs)) + pairs, **how)
    np.testing.assert_array_equal(whole.asnumpy(), expected)
    expected = np.pad(X[0], [(0, 0)] * (3 - len(pairs)) + pairs, **how)
    np.testing.assert_array_equal(part.asnumpy(), expected)


def test_what_is_negative_takes_away():
    net = nn.ZeroPad2d((-1, 0, 1, -2))
    expected = np.pad(X[:, :, :2, 1:], [(0, 0), (0, 0), (1, 0), (0, 0)])
    assert net(ms.Tensor(X)).tolist() == expected.tolist()


@pytest.mark.parametrize("factor", [1, 2, 3])
def test_pixels(factor):
    coarse = np.arange(2 * 2 * factor**2 * 3 * 2.0).reshape(2, 2 * factor**2, 3, 2)
    there, back = nn.PixelShuffle(factor), nn.PixelUnshuffle(factor)

    def run(x):
        return there(x), back(there(x)), ops.pixel_shuffle(x[0], factor)

    fine, again, one = both_forms(run, ms.Tensor(coarse))
    assert fine.shape == (2, 2, 3 * factor, 2 * factor) and again.tolist() == coarse.tolist()
    for n, c, y, x in np.ndindex(*fine.shape):
        source = c * factor**2 + y % factor * factor + x % factor
        assert fine.asnumpy()[n, c, y, x] == coarse[n, source, y // factor, x // factor]
    assert one.tolist() == fine[0].tolist()


@pytest.mark.parametrize("groups", [1, 2, 3, 6])
def test_channels(groups):
    net = nn.ChannelShuffle(groups)
    x = np.arange(2 * 6 * 2.0).reshape(2, 6, 2)

    def run(x):
        return net(x)

    found = both_forms(run, ms.Tensor(x)).asnumpy()
    order = [group * (6 // groups) + place for place in range(6 // groups)
             for group in range(groups)]  # fmt: skip
    np.testing.assert_array_equal(found, x[:, order])


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: nn.Pad(((1, 2, 3),)), "E0303"), (lambda: nn.Pad([(1, 2)]), "E0303"),
        (lambda: nn.Pad(((1, -2),)), "E0404"), (lambda: nn.Pad(((1, 2),), "constant"), "E0404"),
        (lambda: nn.ZeroPad2d((1, 2)), "E0303"), (lambda: nn.ZeroPad2d(1.0), "E0303"),
        (lambda: nn.ReflectionPad1d(-1), "E0404"), (lambda: nn.PixelShuffle(0), "E0404"),
        (lambda: nn.PixelUnshuffle(2.0), "E0303"), (lambda: nn.ChannelShuffle(0), "E0404"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(build, code):
    with pytest.raises(S2sadError, match=code):
        build()


SYMMETRIC, PAIRS = nn.Pad(((0, 6),), "SYMMETRIC"), nn.Pad(((0, 6),))
REFUSED = [
    ("E0404", lambda x: SYMMETRIC(x[0, 0, 0])), ("E0401", lambda x: PAIRS(x)),
    ("E0401", lambda x: ops.pixel_shuffle(x, 2)),
    ("E0401", lambda x: ops.pixel_shuffle(x[0, 0], 1)),
    ("E0401", lambda x: ops.pixel_unshuffle(x, 2)), ("E0401", lambda x: ops.channel_shuffle(x, 2)),
    ("E0401", lambda x: ops.channel_shuffle(x[0, 0, 0], 1)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "function"), REFUSED)
def test_inputs_that_do_not_fit(code, function):
    refused(code, function, ms.Tensor(X))


def test_what_is_shown():
    assert repr(nn.ZeroPad2d(1)) == "ZeroPad2d(padding=1)"
    assert repr(nn.ConstantPad1d((1, 2), 3)) == "ConstantPad1d(padding=(1, 2), value=3)"
    assert repr(nn.PixelShuffle(2)) == "PixelShuffle(upscale_factor=2)"
