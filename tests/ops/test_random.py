"""Draws: distributions, shapes and dtypes, the same compiled and not, in program order."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import s2sad as ms
from s2sad import ops
from s2sad.prims.kernels import philox
from support.draws import twice
from support.forms import refused, require_same

COUNT = 20_000


def is_from(sample, distribution):
    """Kolmogorov and Smirnov do not object."""
    return stats.kstest(np.ravel(sample), distribution).pvalue > 1e-3


# ---- distributions --------------------------------------------------------------------------


def test_uniform_numbers():
    one, other = twice(lambda: ops.rand(COUNT))
    assert one.dtype is ms.float32 and one.shape == (COUNT,)
    for x in (one.asnumpy(), other.asnumpy()):
        assert is_from(x, stats.uniform().cdf) and x.min() >= 0 and x.max() < 1
    assert abs(np.corrcoef(one.asnumpy(), other.asnumpy())[0, 1]) < 0.03


def test_normal_numbers():
    for draw in (lambda: ops.randn(COUNT), lambda: ops.standard_normal((COUNT,))):
        one, other = twice(draw)
        assert one.dtype is ms.float32
        assert is_from(one.asnumpy(), stats.norm().cdf) and one.tolist() != other.tolist()


def test_normal_numbers_around():
    mean, deviation = ms.Tensor([[1.0], [-2.0]]), ms.Tensor(3.0)
    x, _ = twice(lambda m, d: ops.normal((COUNT,), m, d), mean, deviation)
    assert x.shape == (2, COUNT) and x.dtype is ms.float32
    assert is_from(x.asnumpy()[0], stats.norm(1, 3).cdf)
    assert is_from(x.asnumpy()[1], stats.norm(-2, 3).cdf)
    assert ops.normal((2,), 0, ms.Tensor(1.0, ms.float64)).dtype is ms.float64
    assert ops.normal((2,), 5, 0).tolist() == [5.0, 5.0]
    assert ops.normal((), ms.Tensor([1, 2]), 0).tolist() == [1.0, 2.0]


def test_uniform_numbers_between():
    low, high = ms.Tensor([[-1.0], [4.0]]), ms.Tensor(5.0)
    x, _ = twice(lambda a, b: ops.uniform((COUNT,), a, b), low, high)
    assert x.shape == (2, COUNT) and x.dtype is ms.float32
    assert is_from(x.asnumpy()[0], stats.uniform(-1, 6).cdf)
    assert is_from(x.asnumpy()[1], stats.uniform(4, 1).cdf)


def test_uniform_integers():
    x, _ = twice(
        lambda a, b: ops.uniform((COUNT,), a, b, dtype=ms.int32), ms.Tensor(2), ms.Tensor(6)
    )
    assert x.dtype is ms.int32
    assert stats.chisquare(np.bincount(x.asnumpy())[2:]).pvalue > 1e-3
    y, _ = twice(lambda: ops.randint(-3, 2, (COUNT,)))
    assert y.dtype is ms.int64 and set(y.tolist()) == {-3, -2, -1, 0, 1}
    assert stats.chisquare(np.bincount(y.asnumpy() + 3)).pvalue > 1e-3


def test_permutations():
    one, other = twice(lambda: ops.randperm(50))
    assert sorted(one.tolist()) == sorted(other.tolist()) == list(range(50))
    assert one.tolist() != other.tolist() and one.dtype is ms.int64
    assert twice(lambda: ops.randperm(3, dtype=ms.int32))[0].dtype is ms.int32
    firsts = [ops.randperm(3).tolist()[0] for _ in range(900)]
    assert stats.chisquare(np.bincount(firsts)).pvalue > 1e-3
    rows, _ = twice(ops.shuffle, ms.Tensor(np.arange(20).reshape(10, 2)))
    assert sorted(rows.tolist()) == [[2 * i, 2 * i + 1] for i in range(10)]


def test_numbers_like_others():
    x, n = ms.Tensor(np.zeros((2, 3)), ms.float16), ms.Tensor([1, 2], ms.int8)
    for draw in (ops.rand_like, ops.randn_like):
        assert (draw(x).shape, draw(x).dtype) == ((2, 3), ms.float16)
        assert draw(x, dtype=ms.float64).dtype is ms.float64
    like = twice(lambda n: ops.randint_like(n, 5, 7), n)[0]
    assert (like.shape, like.dtype) == ((2,), ms.int8) and set(like.tolist()) <= {5, 6}


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64])
def test_dtypes(dtype):
    for draw in (ops.rand, ops.randn):
        x, _ = twice(lambda draw=draw: draw(3, dtype=dtype))
        assert x.dtype is dtype
    assert ops.uniform((2,), 0.0, 1.0, dtype=dtype).dtype is dtype


def test_the_numbers_are_philox():
    ms.set_seed(5)
    state = philox.seed_state(5)
    expected, state = philox.uniform(state, (3,), np.float32)
    assert ops.rand(3).tolist() == expected.tolist()
    expected, state = philox.normal(state, (2, 2), np.float64)
    assert ops.randn((2, 2), dtype=ms.float64).tolist() == expected.tolist()
    assert ms.get_rng_state().tolist() == state.tolist()


def test_sizes():
    for size in ((), (0,), (2, 0), (3,)):
        assert ops.rand(*size).shape == ops.rand(size).shape == ops.randn(list(size)).shape == size
        assert ops.randint(0, 2, size).shape == size
    assert ops.randint(0, 2, 4).shape == ops.standard_normal(4).shape == (4,)
    assert ops.randperm(0).shape == (0,)


# ---- the state in programs ------------------------------------------------------------------


def test_draws_stand_in_program_order():
    def run(x):
        first = ops.rand(2)
        total = x
        for _ in range(3):
            total = total + ops.randn(2)
        return first, total, ops.randint(0, 100, (2,))

    one, other = twice(run, ms.Tensor([1.0, 2.0]))
    assert one[0].tolist() != other[0].tolist() and one[2].tolist() != other[2].tolist()


def test_an_unused_draw_shifts_nothing():
    def run():
        ops.rand(1000)
        return ops.rand(2)

    ms.set_seed(0)
    ops.rand(1000)
    expected = ops.rand(2).tolist()
    assert twice(run)[0].tolist() == expected


def test_draws_under_a_condition():
    def run(x):
        y = x * 1
        if x > 0:
            y = y + ops.rand(())
        return y + ops.rand(())

    for value in (1.0, -1.0):
        twice(run, ms.Tensor(value))
    ms.set_seed(0)
    taken = run(ms.Tensor(1.0)).item() - 1
    ms.set_seed(0)
    assert 0 < run(ms.Tensor(-1.0)).item() + 1 < taken


def test_draws_in_a_loop_on_data():
    def run(n, x):
        total = x
        i = n * 0
        while i < n:
            total = total + ops.rand(2)
            i = i + 1
        return total

    x = ms.Tensor([0.0, 0.0])
    (one, _), (two, _) = (twice(run, ms.Tensor(n), x) for n in (3, 0))
    ms.set_seed(0)
    by_hand = x
    for _ in range(3):
        by_hand = by_hand + ops.rand(2)
    assert one.tolist() == by_hand.tolist() and two.tolist() == [0.0, 0.0]


def test_the_dump_names_the_state():
    def run(x):
        return x + ops.rand(2) + ops.rand(2)

    compiled = ms.compile(run)
    compiled(ms.Tensor([1.0, 2.0]))
    assert 'inputs=("x", "rng")' in compiled.source
    assert 'donates={"rng": 1}' in compiled.source


def test_seeds_name_streams():
    def run():
        return [ops.rand(4, seed=seed) for seed in (1, 2, 1, None)]

    one, other = twice(run)
    rows = {tuple(x.tolist()) for x in (*one, *other)}
    assert len(rows) == 8  # two draws with one seed differ as well
    ms.set_seed(0)
    alone = ops.rand(4, seed=1).tolist()
    ms.set_seed(0)
    assert ops.rand(4, seed=1).tolist() == alone != ops.rand(4, seed=2).tolist()
    ms.set_seed(1)
    assert ops.rand(4, seed=1).tolist() != alone


def test_seeds_of_permutations():
    ms.set_seed(0)
    found = [ops.randperm(30).tolist()]
    for seed, offset in ((0, 1), (1, 0), (1, 1)):
        ms.set_seed(0)
        found.append(ops.randperm(30, seed, offset).tolist())
    assert len(set(map(tuple, found))) == 4


def test_a_generator_of_ones_own():
    generator = ms.Generator().manual_seed(3)

    def run():
        return ops.rand(3, generator=generator), ops.normal((2,), 0.0, 1.0, generator=generator)

    before = ms.get_rng_state().tolist()
    plain = run(), run()
    generator.manual_seed(3)
    compiled = ms.compile(run)
    require_same((compiled(), compiled()), plain)
    assert ms.get_rng_state().tolist() == before


# ---- gradients ------------------------------------------------------------------------------


def test_gradients_by_mean_and_deviation():
    weights = ms.Tensor([1.0, 2.0, 3.0, 4.0])

    def run(mean, deviation):
        return ops.sum(ops.normal((4,), mean, deviation) * weights)

    ms.manual_seed(7)
    by_mean, by_deviation = ms.grad(run, (0, 1))(ms.Tensor(1.0), ms.Tensor(2.0))
    ms.manual_seed(7)
    z = ops.randn(4).asnumpy()
    assert by_mean.item() == 10.0
    np.testing.assert_allclose(by_deviation.item(), (z * [1, 2, 3, 4]).sum(), rtol=1e-6)


def test_gradients_by_bounds():
    def run(low, high):
        return ops.uniform((3,), low, high)

    ms.manual_seed(7)
    by_low, by_high = ms.grad(run, (0, 1))(ms.Tensor(1.0), ms.Tensor(2.0))
    ms.manual_seed(7)
    u = ops.rand(3).asnumpy().sum()
    np.testing.assert_allclose([by_low.item(), by_high.item()], [3 - u, u], rtol=1e-6)


def test_a_gradient_draws_as_the_function_does():
    def run(x):
        return ops.sum(x * x * ops.rand(3))

    x = ms.Tensor([1.0, 2.0, 3.0])
    ms.set_seed(0)
    run(x)
    after = ms.get_rng_state().tolist()
    ms.set_seed(0)
    value, gradient = ms.value_and_grad(run)(x)
    assert ms.get_rng_state().tolist() == after
    ms.set_seed(0)
    u = ops.rand(3).asnumpy()
    np.testing.assert_allclose(gradient.asnumpy(), 2 * x.asnumpy() * u, rtol=1e-6)
    ms.set_seed(0)
    assert run(x).item() == value.item()
    ms.set_seed(0)
    second = ms.grad(ms.grad(run))(x)
    np.testing.assert_allclose(second.asnumpy(), 2 * u, rtol=1e-6)
    assert ms.get_rng_state().tolist() == after


def test_gradients_of_a_loop_that_draws():
    def run(n, x):
        i = n * 0
        while i < n:
            x = x * (1 + ops.rand(2))
            i = i + 1
        return x

    x = ms.Tensor([1.0, 2.0])
    ms.set_seed(0)
    value, gradient = ms.value_and_grad(run, 1)(ms.Tensor(3), x)
    np.testing.assert_allclose(gradient.asnumpy() * x.asnumpy(), value.asnumpy(), rtol=1e-6)
    ms.set_seed(0)
    assert run(ms.Tensor(3), x).tolist() == value.tolist()


def test_gradients_through_a_shuffle():
    weights = ms.Tensor([1.0, 2.0, 3.0])

    def run(x):
        return ops.shuffle(x) * weights

    x = ms.Tensor([10.0, 20.0, 30.0])
    ms.set_seed(0)
    value, gradient = ms.value_and_grad(run)(x)
    ms.set_seed(0)
    order = ops.randperm(3).tolist()
    assert value.tolist() == [(i + 1) * x.tolist()[order[i]] for i in range(3)]
    assert [gradient.tolist()[order[i]] for i in range(3)] == [1.0, 2.0, 3.0]


# ---- what cannot be -------------------------------------------------------------------------

CASES = [
    (lambda x: ops.rand(2, dtype=ms.int32), "E0301"), (lambda x: ops.rand(2, dtype=int), "E0303"),
    (lambda x: ops.rand(-1), "E0404"), (lambda x: ops.rand(2.0), "E0303"),
    (lambda x: ops.rand(2, seed=-1), "E0404"), (lambda x: ops.rand(2, seed=2**63), "E0404"),
    (lambda x: ops.rand(2, seed=1.0), "E0303"), (lambda x: ops.rand(2, seed=True), "E0303"),
    (lambda x: ops.rand(2, generator=3), "E0303"),
    (lambda x: ops.rand_like(ops.cast(x, ms.int32)), "E0301"),
    (lambda x: ops.rand_like(3.0), "E0304"), (lambda x: ops.randn_like(None), "E0304"),
    (lambda x: ops.randint(3, 3, (2,)), "E0404"), (lambda x: ops.randint(0.5, 3, (2,)), "E0303"),
    (lambda x: ops.randint(0, 2**63, (2,)), "E0404"),
    (lambda x: ops.randint(x, 3, (2,)), "E0301"), (lambda x: ops.randint_like(x, 0, 2), "E0301"),
    (lambda x: ops.randint(ops.cast(x, ms.int32), 3, ()), "E0401"),
    (lambda x: ops.randint(0, 3, (2,), dtype=ms.float32), "E0301"),
    (lambda x: ops.uniform((2,), 3, 3, dtype=ms.int32), "E0404"),
    (lambda x: ops.uniform((2,), 0, 1, dtype=ms.bool_), "E0301"),
    (lambda x: ops.uniform((3,), x, 1.0), "E0401"), (lambda x: ops.normal((3,), x, 1.0), "E0401"),
    (lambda x: ops.normal((3,), "a", 1.0), "E0304"), (lambda x: ops.randperm(-1), "E0404"),
    (lambda x: ops.randperm(2.0), "E0303"), (lambda x: ops.randperm(2, dtype=ms.float32), "E0301"),
    (lambda x: ops.shuffle(ops.sum(x)), "E0401"), (lambda x: ops.shuffle([1, 2]), "E0304"),
]  # fmt: skip


@pytest.mark.parametrize("place", range(len(CASES)))
def test_arguments_that_cannot_be(place):
    function, code = CASES[place]
    before = ms.get_rng_state().tolist()
    refused(code, function, ms.Tensor([1.0, 2.0]))
    assert ms.get_rng_state().tolist() == before


def test_bounds_that_are_known_at_run_time():
    def run(low, high):
        return ops.randint(low, high, (3,))

    assert set(twice(run, ms.Tensor(4), ms.Tensor([5]))[0].tolist()) == {4}
    before = ms.get_rng_state().tolist()
    refused("E0404", run, ms.Tensor(5), ms.Tensor(5))
    assert ms.get_rng_state().tolist() == before
