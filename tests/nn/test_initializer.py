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
    shape = (20, 30) if name != "dirac" else (20, 30, 1)
    for spelled in (name, name.upper(), name.title()):
        values = initializer(spelled, shape)
        assert (values.shape, values.dtype) == (shape, ms.float32)
    if name in ("identity", "dirac"):
        assert values.asnumpy().sum() == 20.0
    elif name in ("zeros", "zero", "ones", "one"):
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


def test_without_a_shape():
    tensor = ms.Tensor([1.0, 2.0])
    assert initializer(tensor) is tensor
    with pytest.raises(S2sadError, match="E0303"):
        initializer("normal")


# ---- distributions that are cut -------------------------------------------------------------


@pytest.mark.parametrize(
    ("sigma", "mean", "a", "b"),
    [(0.01, 0.0, -2.0, 2.0), (1.0, 0.0, -0.5, 2.0), (2.0, 1.0, 3.0, 9.0)],
)
def test_truncated_normal(sigma, mean, a, b):
    values = initializer(init.TruncatedNormal(sigma, mean, a, b), SHAPE, ms.float64).asnumpy()
    assert a <= values.min() and values.max() <= b
    cut = stats.truncnorm((a - mean) / sigma, (b - mean) / sigma, mean, sigma)
    assert is_drawn_from(values, cut)


@pytest.mark.parametrize("mode", ["fan_in", "fan_out", "fan_avg"])
@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_variance_scaling(mode, scale):
    fan = {"fan_in": FAN_IN, "fan_out": FAN_OUT, "fan_avg": (FAN_IN + FAN_OUT) / 2}[mode]
    deviation = math.sqrt(scale / fan)
    wider = deviation / stats.truncnorm(-2, 2).std()
    distributions = {
        "truncated_normal": stats.truncnorm(-2, 2, 0, wider),
        "untruncated_normal": stats.norm(0, deviation),
        "uniform": stats.uniform(-math.sqrt(3) * deviation, 2 * math.sqrt(3) * deviation),
    }
    for name, distribution in distributions.items():
        rule = init.VarianceScaling(scale, mode, name)
        values = initializer(rule, SHAPE, ms.float64).asnumpy()
        assert is_drawn_from(values, distribution)
        np.testing.assert_allclose(values.std(), deviation, rtol=0.03)
    default = initializer(init.VarianceScaling(), SHAPE).asnumpy()
    assert abs(default).max() <= 2 / math.sqrt(FAN_IN) / stats.truncnorm(-2, 2).std() * 1.000001


# ---- matrices and filters -------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(4, 6), (6, 4), (5, 5), (3, 2, 4), (8, 1, 2, 2), (1, 3)])
def test_orthogonal(shape):
    values = initializer(init.Orthogonal(2.0), shape, ms.float64).asnumpy().reshape(shape[0], -1)
    rows, columns = values.shape
    product = values @ values.T if rows <= columns else values.T @ values
    np.testing.assert_allclose(product, 4 * np.eye(min(rows, columns)), atol=1e-12)


def test_signs_of_orthogonal_matrices_are_even():
    signs = [initializer("orthogonal", (1, 1)).item() for _ in range(40)]
    assert set(signs) == {-1.0, 1.0}


@pytest.mark.parametrize("shape", [(3, 3), (2, 4), (4, 2)])
def test_identity(shape):
    assert initializer(init.Identity(), shape).tolist() == np.eye(*shape).tolist()


@pytest.mark.parametrize(("shape", "groups"), [((4, 2, 3), 2), ((3, 3, 3, 3), 1), ((6, 2, 1, 3), 2),
                                               ((2, 3, 3, 3, 3), 1)])  # fmt: skip
def test_filters_that_hand_on_their_input(shape, groups):
    filters = initializer(init.Dirac(groups), shape, ms.float64)
    x = np.random.default_rng(0).normal(size=(2, shape[1] * groups, *(5,) * (len(shape) - 2)))
    function = {3: ms.ops.conv1d, 4: ms.ops.conv2d, 5: ms.ops.conv3d}[len(shape)]
    found = function(ms.Tensor(x), filters, None, 1, "same", 0, 1, groups).asnumpy()
    of_group, seen = shape[0] // groups, shape[1]
    for group in range(groups):
        for channel in range(of_group):
            expected = x[:, group * seen + channel] if channel < seen else 0 * x[:, 0]
            np.testing.assert_array_equal(found[:, group * of_group + channel], expected)


@pytest.mark.parametrize(("sparsity", "zeros"), [(0.0, 0), (0.25, 25), (0.999, 100), (1.0, 100)])
def test_sparse(sparsity, zeros):
    values = initializer(init.Sparse(sparsity, 2.0), (100, 50), ms.float64).asnumpy()
    assert ((values == 0).sum(axis=0) == zeros).all()
    if zeros < 100:
        assert is_drawn_from(values[values != 0], stats.norm(0, 2.0))
        assert zeros == 0 or len(set((values == 0).sum(axis=1))) > 5  # not the same rows


@pytest.mark.parametrize(
    ("rule", "shape"),
    [
        (init.Identity(), (3,)), (init.Identity(), (2, 2, 2)), (init.Dirac(), (2, 2)),
        (init.Dirac(2), (3, 2, 1)), (init.Sparse(0.5), (2, 2, 2)), (init.Orthogonal(), (3,)),
        (init.VarianceScaling(), (3,)),
    ],
)  # fmt: skip
def test_shapes_that_a_rule_does_not_fill(rule, shape):
    with pytest.raises(S2sadError, match="E0401"):
        initializer(rule, shape)


@pytest.mark.parametrize(
    "build",
    [
        lambda: init.TruncatedNormal(a=2.0, b=2.0), lambda: init.TruncatedNormal(sigma=0.0),
        lambda: init.VarianceScaling(mode="fan"), lambda: init.VarianceScaling(distribution="n"),
        lambda: init.VarianceScaling(0.0), lambda: init.Dirac(0), lambda: init.Sparse(1.5),
    ],
)  # fmt: skip
def test_settings_of_rules_that_cannot_be(build):
    with pytest.raises(S2sadError, match="E0404"):
        build()


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
