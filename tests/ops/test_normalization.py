"""Normalisation against its formulas in float64, in both forms, with gradients to order 2."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_second_gradients, refused

EPS = 1e-3


def normal(*shape, seed=0, shift=0.0):
    return np.random.default_rng(seed).normal(size=shape) + shift


def along(value, ndim):
    """`value`, one a channel, for a tensor with `ndim` axes."""
    return value.reshape(-1, *(1,) * (ndim - 2))


def normalised(x, axes, eps=EPS):
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps)


def parameter(values, name):
    return ms.Parameter(ms.Tensor(values), name=name, requires_grad=False)


# ---- over a batch ---------------------------------------------------------------------------

BATCHES = [(4, 3), (2, 3, 4), (2, 3, 2, 3), (2, 3, 1, 2, 2), (1, 3)]


@pytest.mark.parametrize("shape", BATCHES)
def test_batch_norm_with_running_statistics(shape):
    x, gamma, beta, mean = normal(*shape), normal(3, seed=1), normal(3, seed=2), normal(3, seed=3)
    variance = normal(3, seed=4) ** 2

    def run(x, mean, variance, gamma, beta):
        return (
            ops.batch_norm(x, mean, variance, gamma, beta, eps=EPS),
            ops.batch_norm(x, mean, variance, None, None, False, 0.1, EPS),
            ops.batch_norm(x, mean, variance, bias=beta, eps=EPS),
        )

    full, bare, moved = both_forms(run, *map(ms.Tensor, (x, mean, variance, gamma, beta)))
    mean, variance, gamma, beta = (along(v, len(shape)) for v in (mean, variance, gamma, beta))
    h = (x - mean) / np.sqrt(variance + EPS)
    np.testing.assert_allclose(full.asnumpy(), h * gamma + beta, rtol=1e-12)
    np.testing.assert_allclose(bare.asnumpy(), h, rtol=1e-12)
    np.testing.assert_allclose(moved.asnumpy(), h + beta, rtol=1e-12)


@pytest.mark.parametrize("shape", BATCHES)
@pytest.mark.parametrize("is_compiled", [False, True])
def test_batch_norm_in_training(shape, is_compiled):
    axes = (0, *range(2, len(shape)))
    gamma, beta = normal(3, seed=1), normal(3, seed=2)
    mean, variance = normal(3, seed=3), normal(3, seed=4) ** 2
    running_mean, running_var = parameter(mean, "mean"), parameter(variance, "var")

    def run(x, gamma, beta):
        return ops.batch_norm(x, running_mean, running_var, gamma, beta, True, 0.25, EPS)

    step = ms.compile(run) if is_compiled else run
    for seed in range(3):
        x = normal(*shape, seed=seed, shift=1.0)
        found = step(*map(ms.Tensor, (x, gamma, beta)))
        expected = normalised(x, axes) * along(gamma, x.ndim) + along(beta, x.ndim)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-11)
        count = x.size // 3
        unbiased = x.var(axes) * count / max(count - 1, 1)
        mean = 0.75 * mean + 0.25 * x.mean(axes)
        variance = 0.75 * variance + 0.25 * unbiased
        np.testing.assert_allclose(running_mean.asnumpy(), mean, rtol=1e-12)
        np.testing.assert_allclose(running_var.asnumpy(), variance, rtol=1e-12)
    if is_compiled:
        assert len(step.variants) == 1


def test_nothing_is_written_outside_of_training():
    mean, variance = parameter(np.zeros(3), "mean"), parameter(np.ones(3), "var")

    def run(x):
        return ops.batch_norm(x, mean, variance)

    both_forms(run, ms.Tensor(normal(4, 3, shift=1.0)))
    assert (mean.version, variance.version) == (0, 0)


def test_without_running_statistics():
    x = normal(4, 3)

    def run(x):
        return ops.batch_norm(x, None, None, training=True, eps=EPS)

    found = both_forms(run, ms.Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), normalised(x, 0), rtol=1e-12)


def test_gradients_of_batch_norm():
    x, gamma, beta = normal(3, 2, 2), normal(2, seed=1), normal(2, seed=2)
    mean, variance = ms.Tensor(normal(2, seed=3)), ms.Tensor(normal(2, seed=4) ** 2)

    def train(x, gamma, beta):
        return ops.batch_norm(x, None, None, gamma, beta, True, eps=EPS)

    def infer(x, gamma, beta):
        return ops.batch_norm(x, mean, variance, gamma, beta, eps=EPS)

    def cubed(x, gamma):
        return ops.sum(ops.batch_norm(x, None, None, gamma, None, True, eps=EPS) ** 3)

    check_gradients(train, x, gamma, beta)
    check_gradients(infer, x, gamma, beta)
    check_second_gradients(cubed, x, gamma, rtol=1e-5)


def test_no_gradient_flows_through_what_is_written():
    running = parameter(np.zeros(2), "mean")

    def run(x):
        y = ops.batch_norm(x, running, None, training=True, momentum=1.0, eps=EPS)
        return ops.sum(y * 0 + running)

    assert ms.grad(run)(ms.Tensor(normal(3, 2))).tolist() == np.zeros((3, 2)).tolist()


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_a_narrow_input_with_wide_parameters(dtype):
    x = ms.Tensor(normal(8, 2, shift=100.0), dtype)
    mean, variance = (ms.Parameter(ms.Tensor([0.0, 0.0])) for _ in range(2))

    gamma = ms.Tensor([1.0, 1.0])

    def run(x):
        return ops.batch_norm(x, mean, variance, gamma, None, True, 1.0)

    for step in (run, ms.compile(run)):
        exact = x.astype(ms.float64).asnumpy()
        found = step(x)
        assert found.dtype is dtype
        expected = ms.Tensor(normalised(exact, 0, 1e-5), ms.float64).asnumpy()
        np.testing.assert_allclose(found.astype(ms.float64).asnumpy(), expected, rtol=1e-2)
        np.testing.assert_allclose(mean.asnumpy(), exact.mean(0), rtol=1e-6)
        np.testing.assert_allclose(variance.asnumpy(), exact.var(0, ddof=1), rtol=1e-3)


def test_running_variances_beyond_a_narrow_dtype():
    def run(x, mean, variance):
        return ops.batch_norm(x, mean, variance)

    x = ms.Tensor([[1000.0], [-1000.0]], ms.float16)
    found = both_forms(run, x, ms.Tensor([0.0]), ms.Tensor([1e6]))
    assert found.dtype is ms.float16 and found.tolist() == [[1.0], [-1.0]]


# ---- over a layer ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "normalised_shape"),
    [((4, 3), (3,)), ((4, 3), 3), ((2, 3, 4), [3, 4]), ((2, 3, 4), (4,)), ((5,), (5,)),
     ((2, 3, 1), (1,)), ((0, 3), (3,))],
)  # fmt: skip
def test_layer_norm(shape, normalised_shape):
    sizes = (normalised_shape,) if isinstance(normalised_shape, int) else tuple(normalised_shape)
    x, gamma, beta = normal(*shape), normal(*sizes, seed=1), normal(*sizes, seed=2)

    def run(x, gamma, beta):
        return (
            ops.layer_norm(x, normalised_shape, gamma, beta, EPS),
            ops.layer_norm(x, normalised_shape, eps=EPS),
            ops.layer_norm(x, normalised_shape, weight=gamma, eps=EPS),
        )

    full, bare, scaled = both_forms(run, *map(ms.Tensor, (x, gamma, beta)))
    h = normalised(x, tuple(range(len(shape) - len(sizes), len(shape))))
    np.testing.assert_allclose(full.asnumpy(), h * gamma + beta, rtol=1e-11)
    np.testing.assert_allclose(bare.asnumpy(), h, rtol=1e-11)
    np.testing.assert_allclose(scaled.asnumpy(), h * gamma, rtol=1e-11)


def test_gradients_of_layer_norm():
    x, gamma, beta = normal(2, 2, 3), normal(2, 3, seed=1), normal(2, 3, seed=2)

    def run(x, gamma, beta):
        return ops.layer_norm(x, (2, 3), gamma, beta, EPS)

    def cubed(x, gamma):
        return ops.sum(ops.layer_norm(x, (2, 3), gamma, None, EPS) ** 3)

    check_gradients(run, x, gamma, beta)
    check_second_gradients(cubed, x, gamma, rtol=1e-5)


# ---- over groups ----------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 3), (2, 6, 2, 2), (0, 6, 2)])
@pytest.mark.parametrize("groups", [1, 2, 6])
def test_group_norm(shape, groups):
    x, gamma, beta = normal(*shape), normal(6, seed=1), normal(6, seed=2)

    def run(x, gamma, beta):
        full = ops.group_norm(x, groups, gamma, beta, EPS)
        return full, ops.group_norm(x, num_groups=groups, eps=EPS)

    full, bare = both_forms(run, *map(ms.Tensor, (x, gamma, beta)))
    grouped = x.reshape(shape[0], groups, x[0].size // groups if len(x) else 6 // groups * 2)
    h = normalised(grouped, 2).reshape(shape)
    np.testing.assert_allclose(bare.asnumpy(), h, rtol=1e-10, atol=1e-12)
    expected = h * along(gamma, x.ndim) + along(beta, x.ndim)
    np.testing.assert_allclose(full.asnumpy(), expected, rtol=1e-10, atol=1e-12)


def test_gradients_of_group_norm():
    x, gamma, beta = normal(2, 4, 2), normal(4, seed=1), normal(4, seed=2)

    def run(x, gamma, beta):
        return ops.group_norm(x, 2, gamma, beta, EPS)

    def cubed(x, gamma):
        return ops.sum(ops.group_norm(x, 2, gamma, None, EPS) ** 3)

    check_gradients(run, x, gamma, beta)
    check_second_gradients(cubed, x, gamma, rtol=1e-5)


# ---- by the root of the mean square, and by neighbours ---------------------------------------


@pytest.mark.parametrize(("shape", "last"), [((4, 3), (3,)), ((2, 3, 4), (3, 4)), ((3,), (3,))])
def test_rms_norm(shape, last):
    x, gamma = normal(*shape), normal(*last, seed=1)

    def run(x, gamma):
        return ops.rms_norm(x, gamma, EPS)

    y, rstd = both_forms(run, ms.Tensor(x), ms.Tensor(gamma))
    axes = tuple(range(len(shape) - len(last), len(shape)))
    expected = 1 / np.sqrt((x**2).mean(axes, keepdims=True) + EPS)
    np.testing.assert_allclose(rstd.asnumpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(y.asnumpy(), x * expected * gamma, rtol=1e-12)

    def first(x, gamma):
        return ops.rms_norm(x, gamma, EPS)[0]

    def cubed(x, gamma):
        return ops.sum(ops.rms_norm(x, gamma, EPS)[0] ** 3)

    check_gradients(first, x, gamma)
    check_second_gradients(cubed, x, gamma, rtol=1e-5)


@pytest.mark.parametrize("radius", [0, 1, 5])
def test_lrn(radius):
    x = normal(2, 4, 3, 2)

    def run(x):
        return ops.lrn(x, radius, 2.0, 0.5, 0.75)

    found = both_forms(run, ms.Tensor(x))
    sums = np.zeros_like(x)
    for channel in range(4):
        near = x[:, max(channel - radius, 0) : channel + radius + 1]
        sums[:, channel] = (near**2).sum(1)
    np.testing.assert_allclose(found.asnumpy(), x / (2.0 + 0.5 * sums) ** 0.75, rtol=1e-12)
    check_gradients(run, x[:1, :, :1])


# ---- what is refused ------------------------------------------------------------------------

X, C = ms.Tensor(normal(4, 3)), ms.Tensor(np.ones(3))
REFUSED = [
    ("E0401", lambda x, c: ops.batch_norm(x[:, :2], c, c)),
    ("E0401", lambda x, c: ops.batch_norm(x, c, c, c[:2])),
    ("E0401", lambda x, c: ops.batch_norm(x[0], c, c)),
    ("E0401", lambda x, c: ops.batch_norm(x, c, x)),
    ("E0304", lambda x, c: ops.batch_norm(x, None, c)),
    ("E0304", lambda x, c: ops.batch_norm(x, c, c, training=True)),
    ("E0401", lambda x, c: ops.batch_norm(x[:0], None, None, training=True)),
    ("E0303", lambda x, c: ops.batch_norm(x, c, c, training=1)),
    ("E0303", lambda x, c: ops.batch_norm(x, c, c, eps="1")),
    ("E0404", lambda x, c: ops.batch_norm(x, c, c, eps=-1.0)),
    ("E0404", lambda x, c: ops.batch_norm(x, c, c, momentum=1.5)),
    ("E0401", lambda x, c: ops.layer_norm(x, (4,))), ("E0303", lambda x, c: ops.layer_norm(x, ())),
    ("E0401", lambda x, c: ops.layer_norm(x, (2, 4, 3))),
    ("E0401", lambda x, c: ops.layer_norm(x, (3,), x)),
    ("E0303", lambda x, c: ops.layer_norm(x, (3.0,))),
    ("E0401", lambda x, c: ops.group_norm(x, 2)), ("E0404", lambda x, c: ops.group_norm(x, 0)),
    ("E0401", lambda x, c: ops.group_norm(x, 3, c[:2])),
    ("E0401", lambda x, c: ops.group_norm(c, 3)), ("E0401", lambda x, c: ops.rms_norm(x, c[:2])),
    ("E0401", lambda x, c: ops.rms_norm(c, x)), ("E0401", lambda x, c: ops.lrn(x)),
    ("E0404", lambda x, c: ops.lrn(x.reshape(4, 3, 1, 1), norm_region="WITHIN")),
    ("E0304", lambda x, c: ops.layer_norm(1.0, (1,))),
]  # fmt: skip


@pytest.mark.parametrize(("code", "function"), REFUSED)
def test_what_does_not_go_together(code, function):
    refused(code, function, X, C)


def test_integers_are_normalised_in_float32():
    def run(n):
        return ops.layer_norm(n, (2,), eps=0.0), ops.group_norm(n, 1, eps=0.0)

    for found in both_forms(run, ms.Tensor([[1, 3]])):
        assert found.dtype is ms.float32 and found.tolist() == [[-1.0, 1.0]]
