"""Do parameters start with the values that the distribution and the seed say?"""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

import s2sad as ms
from s2sad import nn
from s2sad.core import context
from s2sad.core.diagnostics import S2sadError
from s2sad.nn import initializer as init
from s2sad.nn.initializer import initializer

SHAPE = (40, 30, 5, 2)
FAN_IN, FAN_OUT = 300, 400

UNIFORM = {
    "uniform": (init.Uniform(), 0.07),
    "uniform of 2": (init.Uniform(2.0), 2.0),
    "he_uniform": (init.HeUniform(), math.sqrt(3) * math.sqrt(2 / FAN_IN)),
    "he_uniform of slope": (init.HeUniform(math.sqrt(5)), 1 / math.sqrt(FAN_IN)),
    "he_uniform of fan_out": (
        init.HeUniform(0, "fan_out", "tanh"), math.sqrt(3) * 5 / 3 / math.sqrt(FAN_OUT)
    ),
    "xavier_uniform": (init.XavierUniform(), math.sqrt(6 / (FAN_IN + FAN_OUT))),
    "xavier_uniform of gain": (init.XavierUniform(2.0), 2 * math.sqrt(6 / (FAN_IN + FAN_OUT))),
}  # fmt: skip
NORMAL = {
    "normal": (init.Normal(), 0.01, 0.0),
    "normal of 2 around 5": (init.Normal(2.0, 5.0), 2.0, 5.0),
    "he_normal": (init.HeNormal(), math.sqrt(2 / FAN_IN), 0.0),
    "he_normal of relu": (init.HeNormal(nonlinearity="relu"), math.sqrt(2 / FAN_IN), 0.0),
    "he_normal, linear": (init.HeNormal(0, "fan_out", "linear"), 1 / math.sqrt(FAN_OUT), 0.0),
    "xavier_normal": (init.XavierNormal(), math.sqrt(2 / (FAN_IN + FAN_OUT)), 0.0),
}


@pytest.fixture(autouse=True)
def seeded():
    ms.set_seed(11)


def is_drawn_from(values, distribution):
    """Kolmogorov-Smirnov: of good values one in ten thousand is refused, and the seed is fixed."""
    return stats.kstest(values.ravel().astype(np.float64), distribution.cdf).pvalue > 1e-4


@pytest.mark.parametrize("name", UNIFORM)
def test_uniform(name):
    rule, bound = UNIFORM[name]
    values = initializer(rule, SHAPE, ms.float64).asnumpy()
    assert abs(values).max() <= bound
    assert is_drawn_from(values, stats.uniform(-bound, 2 * bound))


@pytest.mark.parametrize("name", NORMAL)
def test_normal(name):
    rule, deviation, mean = NORMAL[name]
    values = initializer(rule, SHAPE, ms.float64).asnumpy()
    assert is_drawn_from(values, stats.norm(mean, deviation))


@pytest.mark.parametrize("name", init.NAMED)
def test_names(name):
    for spelled in (name, name.upper(), name.title()):
        values = initializer(spelled, (20, 30))
        assert (values.shape, values.dtype) == ((20, 30), ms.float32)
    if name in ("zeros", "zero", "ones", "one"):
        assert set(values.asnumpy().ravel()) == {0.0 if "z" in name else 1.0}
    else:
        assert len(set(values.asnumpy().ravel())) > 500


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64], ids=str)
def test_values_are_rounded_once(dtype):
    ms.set_seed(5)
    wide = initializer("normal", (500,), ms.float64)
    ms.set_seed(5)
    values = initializer("normal", (500,), dtype)
    assert values.dtype is dtype and values.array.flags.c_contiguous
    assert values.tolist() == ms.Tensor(wide, dtype).tolist()


@pytest.mark.parametrize("shape", [(), (3,), [2, 3], 4, (0, 3), (2, 0)])
def test_shapes(shape):
    expected = (shape,) if isinstance(shape, int) else tuple(shape)
    for rule in ("normal", "zeros", 3, 0.5):
        assert initializer(rule, shape).shape == expected
    if len(expected) == 2:
        assert initializer("he_uniform", shape).shape == expected


def test_a_tensor_is_itself():
    tensor = ms.Tensor([1.0, 2.0], ms.float16)
    assert initializer(tensor, (2,)) is tensor


@pytest.mark.parametrize(
    ("rule", "shape", "code"),
    [
        ("unknown", (2,), "E0404"), (None, (2,), "E0304"), (True, (2,), "E0304"),
        ([1], (2,), "E0304"), (ms.Tensor([1.0]), (2,), "E0401"), ("he_uniform", (2,), "E0401"),
        ("xavier_normal", (), "E0401"), (init.Initializer(), (2,), "E0220"),
    ],
)  # fmt: skip
def test_what_is_no_initializer(rule, shape, code):
    with pytest.raises(S2sadError) as caught:
        initializer(rule, shape)
    assert caught.value.code == code


@pytest.mark.parametrize("options", [{"mode": "fan"}, {"nonlinearity": "gelu"}])
def test_settings_that_cannot_be(options):
    for kind in (init.HeNormal, init.HeUniform):
        with pytest.raises(S2sadError, match="E0404"):
            kind(**options)


# ---- seeds ----------------------------------------------------------------------------------


def weights():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.Dense(4, 2))
    return [p.asnumpy().copy() for p in net.trainable_params()]


def all_equal(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_the_same_seed_gives_the_same_weights():
    first = weights()
    second = weights()
    ms.set_seed(11)
    again = weights()
    ms.set_seed(12)
    other = weights()
    assert all_equal(first, again)
    assert not any(np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert not any(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_draws_of_one_network_differ():
    ms.set_seed(3)
    one, other = initializer("normal", (50,)).asnumpy(), initializer("normal", (50,)).asnumpy()
    assert not np.isin(one, other).any()


def test_numpys_seed_counts_where_none_is_set(monkeypatch):
    monkeypatch.setattr(context, "_seed", [])
    np.random.seed(4)
    first = weights()
    np.random.seed(4)
    assert all_equal(first, weights())
    assert not all_equal(first, weights())


def test_a_seed_means_the_same_in_every_process():
    ms.set_seed(21)
    here = initializer("he_normal", (3, 4)).asnumpy()
    program = (
        "import s2sad as ms; from s2sad.nn.initializer import initializer; ms.set_seed(21)\n"
        "print(initializer('he_normal', (3, 4)).asnumpy().tobytes().hex())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert done.stdout.strip() == here.tobytes().hex()
