"""Does dropout keep the mean, draw anew at each call, and keep its choice for the gradient?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from support.draws import twice
from support.forms import refused


def test_dropout():
    x = np.random.default_rng(0).normal(size=(100, 200))

    def run(x):
        return ops.dropout(x, 0.25)

    one, other = twice(run, ms.Tensor(x))
    kept = one.asnumpy() != 0
    np.testing.assert_allclose(one.asnumpy(), np.where(kept, x / 0.75, 0), rtol=1e-15)
    assert abs(kept.mean() - 0.75) < 0.02
    assert (kept != (other.asnumpy() != 0)).any()


def test_dropout_at_its_ends():
    x = ms.Tensor([1.0, np.nan, -np.inf])
    assert ops.dropout(x, 0.0) is ops.dropout(x, training=False) is x
    assert ops.dropout(x, 1.0).tolist() == [0.0, 0.0, 0.0]
    assert ops.dropout(ms.Tensor(np.zeros((0, 2)))).shape == (0, 2)
    before = ms.get_rng_state().tolist()
    for run in (lambda x: ops.dropout(x, 0.0), lambda x: ops.dropout(x, 0.5, False)):
        np.testing.assert_array_equal(ms.compile(run)(x).asnumpy(), x.asnumpy())
    assert ms.get_rng_state().tolist() == before


def test_the_gradient_of_dropout_has_its_mask():
    x = np.arange(1.0, 9.0)
    ms.set_seed(3)
    value, gradient = ms.value_and_grad(lambda x: ops.dropout(x, 0.25))(ms.Tensor(x))
    np.testing.assert_allclose(gradient.asnumpy() * x, value.asnumpy(), rtol=1e-15)
    ms.set_seed(3)
    second = ms.grad(ms.grad(lambda x: ops.dropout(x * x, 0.25)))(ms.Tensor(x))
    np.testing.assert_allclose(second.asnumpy(), 2 * gradient.asnumpy(), rtol=1e-15)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("batch", [(), (5,)])
def test_dropout_of_channels(axes, batch):
    drop = [ops.dropout1d, ops.dropout2d, ops.dropout3d][axes - 1]
    x = np.random.default_rng(0).normal(size=(*batch, 40, *(2,) * axes))
    one, other = twice(lambda x: drop(x, 0.5), ms.Tensor(x))
    kept = (one.asnumpy() != 0).reshape(*batch, 40, -1)
    assert (kept.all(-1) | ~kept.any(-1)).all() and kept.any() and not kept.all()
    np.testing.assert_allclose(one.asnumpy(), np.where(one.asnumpy() != 0, 2 * x, 0))
    assert one.tolist() != other.tolist()
    assert drop(ms.Tensor(x), 0.5, False).tolist() == x.tolist()
    ms.set_seed(1)
    value, gradient = ms.value_and_grad(lambda x: drop(x))(ms.Tensor(x))
    np.testing.assert_allclose(gradient.asnumpy() * x, value.asnumpy())


CASES = [
    (lambda x: ops.dropout(x, 1.5), "E0404"), (lambda x: ops.dropout(x, -0.1), "E0404"),
    (lambda x: ops.dropout(x, True), "E0303"), (lambda x: ops.dropout(x, "a"), "E0303"),
    (lambda x: ops.dropout(x, 0.5, 1), "E0303"), (lambda x: ops.dropout(3.0), "E0304"),
    (lambda x: ops.dropout(ops.cast(x, ms.int32)), "E0301"),
    (lambda x: ops.dropout(x, float("nan")), "E0404"), (lambda x: ops.dropout2d(x), "E0401"),
    (lambda x: ops.dropout1d(3.0), "E0304"), (lambda x: ops.dropout1d(ops.sum(x)), "E0401"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(CASES)))
def test_dropouts_that_cannot_be(place):
    refused(CASES[place][1], CASES[place][0], ms.Tensor([1.0, 2.0]))


def test_dropout_cells():
    ms.set_context(mode=ms.PYNATIVE_MODE)  # where nothing is dropped the very Tensor comes back
    x = ms.Tensor(np.ones((20, 10)), ms.float32)
    net = nn.Dropout(p=0.25)
    assert net(x) is x and repr(net) == "Dropout(p=0.25)"
    net.set_train()
    one, other = twice(net, x)
    assert set(np.ravel(one.tolist())) == {0.0, np.float32(1 / 0.75)}
    assert one.tolist() != other.tolist()
    compiled = ms.compile(net)
    assert compiled(x).tolist() != x.tolist()
    net.set_train(False)
    assert compiled(x).tolist() == x.tolist()
    assert nn.Dropout(p=0).set_train()(x) is x
    for kind in (nn.Dropout1d, nn.Dropout2d, nn.Dropout3d):
        cell = kind()
        assert (cell.p, cell.training) == (0.5, False) and "p=0.5" in repr(cell)
    channels = nn.Dropout1d(0.5).set_train()(x).asnumpy()
    assert set(np.ravel(channels)) == {0.0, 2.0} and (channels == channels[:, :1]).all()


def test_the_older_spelling_of_dropout():
    with pytest.warns(DeprecationWarning, match=r"keep_prob=0.9\).*write p=0.1"):
        net = nn.Dropout(0.9)
    np.testing.assert_allclose([net.p, net.keep_prob], [0.1, 0.9])
    with pytest.warns(DeprecationWarning):
        assert nn.Dropout().p == 0.5
    for arguments, code in (
        ({"keep_prob": 0.0}, "E0404"), ({"keep_prob": 1.5}, "E0404"), ({"keep_prob": "a"}, "E0303"),
        ({"p": 1.0}, "E0404"), ({"p": -0.5}, "E0404"), ({"p": None, "keep_prob": -1}, "E0404"),
        ({"p": 0.5, "dtype": np.float32}, "E0303"),
    ):  # fmt: skip
        with pytest.raises(ms.S2sadError, match=code):
            nn.Dropout(**arguments)


def test_dropout_between_layers():
    ms.set_seed(0)
    net = nn.SequentialCell(nn.Dense(4, 8), nn.Dropout(p=0.5), nn.Dense(8, 2)).set_train()
    x = ms.Tensor(np.random.default_rng(0).normal(size=(3, 4)), ms.float32)
    weights = net.trainable_params()
    ms.manual_seed(1)
    value, gradients = ms.value_and_grad(net, None, weights)(x)
    ms.manual_seed(1)
    hidden = net[1](net[0](x)).asnumpy()
    out = hidden @ weights[2].asnumpy().T + weights[3].asnumpy()
    np.testing.assert_allclose(value.asnumpy(), out, rtol=1e-5, atol=1e-6)
    expected = np.tile(hidden.sum(0), (2, 1))
    np.testing.assert_allclose(gradients[2].asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert len(gradients) == 4
