"""Do distributions have the densities, chances, moments and samples that SciPy says?"""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from scipy import integrate, special, stats

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.nn.probability import distribution as msd
from s2sad.ops.gamma_integrals import log_beta, log_gamma_term, lower_gamma, upper_gamma
from s2sad.ops.normal_tails import log_normal_cdf, normal_cdf
from support.forms import both_forms, check_gradients, check_second_gradients, refused

EDGES = [-np.inf, -1e3, -1.5, -1.0, -0.5, -0.0, 0.25, 0.5, 1.0, 2.0, 7.0, 40.0, np.inf, np.nan]
CHANCES = ("prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival")

#: Name, parameters, SciPy's distribution of them, and what is asked of it.
CONTINUOUS = [
    ("Normal", {"mean": [0.5, -2.0], "sd": [2.0, 0.3]}, lambda m, s: stats.norm(m, s)),
    ("LogNormal", {"loc": [0.5, -0.2], "scale": [1.0, 0.3]},
     lambda m, s: stats.lognorm(s, scale=np.exp(m))),
    ("Uniform", {"low": [-0.5, 0.25], "high": [1.0, 3.0]}, lambda a, b: stats.uniform(a, b - a)),
    ("Exponential", {"rate": [0.5, 3.0]}, lambda r: stats.expon(scale=1 / r)),
    ("Gumbel", {"loc": [0.5, -1.0], "scale": [2.0, 0.5]}, stats.gumbel_r),
    ("Logistic", {"loc": [0.5, -1.0], "scale": [2.0, 0.5]}, stats.logistic),
    ("Cauchy", {"loc": [0.5, -1.0], "scale": [2.0, 0.5]}, stats.cauchy),
    ("Gamma", {"concentration": [0.5, 14.0], "rate": [2.0, 0.7]},
     lambda a, r: stats.gamma(a, scale=1 / r)),
    ("Beta", {"concentration1": [0.5, 3.0], "concentration0": [1.0, 14.0]}, stats.beta),
    ("Laplace", {"mean": [0.5, -1.0], "sd": [2.0, 0.5]}, stats.laplace),
    ("StudentT", {"df": [1.5, 30.0], "mean": [0.5, -1.0], "sd": [2.0, 0.5]}, stats.t),
    ("HalfNormal", {"mean": [0.0, 0.0], "sd": [2.0, 0.5]}, lambda m, s: stats.halfnorm(m, s)),
]  # fmt: skip
DISCRETE = [
    ("Bernoulli", {"probs": [0.2, 0.9]}, stats.bernoulli),
    ("Geometric", {"probs": [0.2, 0.9]}, lambda p: stats.geom(p, loc=-1)),
    ("Poisson", {"rate": [0.4, 30.0]}, stats.poisson),
]
ALL = CONTINUOUS + DISCRETE
KINDS = {name: (parameters, scipy) for name, parameters, scipy in ALL}
#: What MindSpore's have not.
DENSITY_ONLY = ("Laplace", "StudentT", "HalfNormal")
#: Which have no parameters in calls.
FIXED = ("Gumbel",)


def made(name, dtype=ms.float64, **settings):
    """A distribution, and SciPy's."""
    parameters, scipy = KINDS[name]
    arrays = {key: np.array(value) for key, value in parameters.items()}
    if name in dict((x[0], x) for x in DISCRETE):
        given = {key: ms.Tensor(value, dtype) for key, value in arrays.items()}
        return getattr(msd, name)(**given, dtype=dtype, **settings), scipy(*arrays.values())
    return getattr(msd, name)(**arrays, dtype=dtype, **settings), scipy(*arrays.values())


def close(found, expected, rtol=1e-12, atol=1e-300):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=atol)


def chances_of(name):
    if name in DENSITY_ONLY or name == "Beta":
        return CHANCES[:2]
    return CHANCES


def expected_chance(scipy, asked, x, is_discrete):
    method = {
        "prob": "pmf" if is_discrete else "pdf", "log_prob": "logpmf" if is_discrete else "logpdf",
        "cdf": "cdf", "log_cdf": "logcdf", "survival_function": "sf", "log_survival": "logsf",
    }[asked]  # fmt: skip
    with np.errstate(all="ignore"):
        return getattr(scipy, method)(x)


@pytest.mark.parametrize("name", [x[0] for x in CONTINUOUS])
def test_densities_and_chances(name):
    distribution, scipy = made(name)
    x = np.array(EDGES)[:, None]
    for asked in chances_of(name):
        found = both_forms(lambda v, asked=asked: distribution(asked, v), ms.Tensor(x))
        expected = expected_chance(scipy, asked, x, False)
        assert found.dtype is ms.float64 and found.shape == (len(EDGES), 2)
        if name == "Gumbel" and asked in ("prob", "log_prob"):  # SciPy's is NaN at -inf
            expected = np.where(x == -np.inf, 0.0 if asked == "prob" else -np.inf, expected)
        if name == "Laplace" and asked == "log_prob":  # SciPy's is infinite far out
            expected = -np.abs(x - [0.5, -1.0]) / [2.0, 0.5] - np.log([4.0, 1.0])
        if name == "Gamma" and asked in ("prob", "log_prob"):  # SciPy's is NaN at inf
            expected = np.where(x == np.inf, 0.0 if asked == "prob" else -np.inf, expected)
        atol = 1e-300 if asked == "prob" else 1e-15
        close(found, expected, rtol=1e-11, atol=atol)


@pytest.mark.parametrize("name", [x[0] for x in DISCRETE])
def test_probabilities_of_counts(name):
    distribution, scipy = made(name)
    x = np.array([-2.0, -1.0, 0.0, 1.0, 2.0, 5.0, 31.0, 400.0])[:, None]
    x = x[2:4] if name == "Bernoulli" else x
    for asked in CHANCES:
        found = both_forms(lambda v, asked=asked: distribution(asked, v), ms.Tensor(x))
        close(found, expected_chance(scipy, asked, x, True), rtol=1e-11, atol=1e-15)
    between = np.array([-0.5, 0.5, 1.5, np.nan, np.inf, -np.inf])[:, None]
    close(distribution.cdf(ms.Tensor(between)), scipy.cdf(between), rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("name", [x[0] for x in ALL if x[0] not in DENSITY_ONLY])
def test_moments_and_entropy(name):
    distribution, scipy = made(name)
    if name != "Cauchy":
        close(distribution.mean(), scipy.mean(), atol=1e-14)
        close(distribution.sd(), scipy.std())
        close(distribution.var(), scipy.var())
    if name not in ("Poisson",):
        entropy = distribution("entropy").asnumpy()
        np.testing.assert_allclose(entropy, np.broadcast_to(scipy.entropy(), (2,)), rtol=1e-9)


def test_modes():
    modes = {
        "Normal": [0.5, -2.0], "LogNormal": np.exp([-0.5, -0.29]), "Exponential": [0, 0],
        "Gumbel": [0.5, -1.0], "Logistic": [0.5, -1.0], "Cauchy": [0.5, -1.0],
        "Gamma": [np.nan, 13 / 0.7], "Beta": [np.nan, 2 / 15], "Bernoulli": [0, 1],
        "Geometric": [0, 0], "Poisson": [0, 30],
    }  # fmt: skip
    for name, expected in modes.items():
        close(made(name)[0].mode(), expected)


OTHER = {
    "Normal": (1.0, 0.7), "LogNormal": (1.0, 0.7), "Uniform": (-1.0, 4.0), "Exponential": (0.8,),
    "Gumbel": (1.0, 1.3), "Cauchy": (1.0, 0.7), "Gamma": (3.0, 1.5), "Beta": (2.0, 3.0),
    "Bernoulli": (0.4,), "Geometric": (0.4,),
}  # fmt: skip


@pytest.mark.parametrize("name", list(OTHER))
def test_divergence_is_the_integral(name):
    distribution, _ = made(name)
    parameters, kind = KINDS[name]
    second = kind(*map(np.array, OTHER[name]))
    given = [ms.Tensor(x, ms.float64) for x in OTHER[name]]
    found = both_forms(lambda *b: distribution.kl_loss(name, *b), *given).asnumpy()
    for place in range(2):
        first = kind(*(np.array(x[place]) for x in parameters.values()))
        if name in ("Bernoulli", "Geometric"):
            counts = np.arange(2 if name == "Bernoulli" else 2000)
            with np.errstate(all="ignore"):
                parts = first.pmf(counts) * (first.logpmf(counts) - second.logpmf(counts))
            expected = np.nansum(parts)
        else:
            expected = integrated(first, second)
        np.testing.assert_allclose(found[place], expected, rtol=1e-6)
    entropy = distribution.entropy().asnumpy()
    crossed = distribution("cross_entropy", name, *given).asnumpy()
    np.testing.assert_allclose(crossed, entropy + found, rtol=1e-13)


def integrated(first, second):
    """The divergence of SciPy's distributions, over quantiles."""

    def part(q):
        x = first.ppf(q)
        return first.logpdf(x) - second.logpdf(x)

    places = [1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1 - 1e-6, 1 - 1e-12]
    pieces = zip(places, places[1:], strict=False)
    return sum(integrate.quad(part, a, b, epsabs=1e-12, limit=200)[0] for a, b in pieces)


@pytest.mark.parametrize("name", [x[0] for x in ALL if x[0] not in DENSITY_ONLY])
def test_samples(name):
    distribution, scipy = made(name, ms.float32, seed=3)
    ms.set_seed(11)
    found = distribution.sample((4000,))
    ms.set_seed(11)
    again = ms.compile(lambda: distribution.sample((4000,)))()
    assert found.shape == (4000, 2) and found.dtype is ms.float32
    assert found.asnumpy().tobytes() == again.asnumpy().tobytes()
    assert (distribution.sample((4000,)).asnumpy() != found.asnumpy()).any()
    numbers = found.asnumpy().astype(np.float64)
    parameters, kind = KINDS[name]
    for place in range(2):
        one = kind(*(np.array(x[place]) for x in parameters.values()))
        if name in ("Bernoulli", "Geometric", "Poisson"):
            spread = one.std() / np.sqrt(4000)
            assert abs(numbers[:, place].mean() - one.mean()) < 4 * spread
            assert abs(numbers[:, place].std() / one.std() - 1) < 0.1
        else:
            assert stats.kstest(numbers[:, place], one.cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", [x[0] for x in ALL if x[0] not in FIXED])
def test_parameters_of_a_call_take_the_place_of_its_own(name):
    parameters, kind = KINDS[name]
    plain = getattr(msd, name)(dtype=ms.float64)
    assert plain.batch_shape is None
    given = [ms.Tensor(np.array(x)) for x in parameters.values()]
    x = ms.Tensor([[1.0], [0.0]], ms.float64)
    close(both_forms(lambda v, *p: plain.log_prob(v, *p), x, *given),
          made(name)[0].log_prob(x).asnumpy())  # fmt: skip
    refused("E0304", lambda v: plain.log_prob(v), x)
    args = plain.get_dist_args(*given)
    assert [x.tolist() for x in args] == [list(x) for x in parameters.values()]
    assert plain("get_dist_type") == name
    if name not in DENSITY_ONLY:
        names = [key + "1" if key == "probs" else key for key in parameters]
        found = plain.sample((3,), **dict(zip(names, given, strict=True)))
        assert found.shape == (3, 2)
        assert plain.sample(shape=(), **dict(zip(names, given, strict=True))).shape == (2,)


SMOOTH = {
    "Normal": [0.3, 1.2], "LogNormal": [0.3, 1.2], "Uniform": [0.6, 0.9], "Exponential": [0.3, 1.2],
    "Gumbel": [0.3, 1.2], "Logistic": [0.3, 1.2], "Cauchy": [0.3, 1.2], "Gamma": [0.3, 16.0],
    "Beta": [0.3, 0.7], "Laplace": [0.3, 1.2], "StudentT": [0.3, 1.2], "HalfNormal": [0.3, 1.2],
    "Bernoulli": [0.0, 1.0], "Geometric": [0.0, 3.0], "Poisson": [0.0, 13.0],
}  # fmt: skip


@pytest.mark.parametrize("name", list(SMOOTH))
def test_gradients(name):
    distribution, _ = made(name)
    parameters = [] if name in FIXED else [np.array(x) for x in KINDS[name][0].values()]
    is_discrete = name in ("Bernoulli", "Geometric", "Poisson")
    value = np.array(SMOOTH[name])
    for asked in ("log_prob", "cdf", "log_survival"):
        if asked not in chances_of(name):
            continue
        if asked == "log_survival" and name in ("Bernoulli", "Gamma", "Poisson"):
            continue  # -inf, or of the same integrals as the cdf
        if is_discrete:
            x = ms.Tensor(value)

            def run(*p, asked=asked, x=x):
                return distribution(asked, x, *p)

            given = parameters
        else:

            def run(v, *p, asked=asked):
                return distribution(asked, v, *p)

            given = [value, *parameters]
        check_gradients(run, *given, rtol=1e-5)
        if asked == "log_prob":
            total = lambda *a, run=run: ops.sum(run(*a))  # noqa: E731
            check_second_gradients(total, *given, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("name", list(OTHER))
def test_gradients_of_divergence(name):
    distribution, _ = made(name)
    own = [] if name in FIXED else [np.array(x) for x in KINDS[name][0].values()]
    other = [np.array(x) for x in OTHER[name]]
    check_gradients(lambda *p: distribution.cross_entropy(name, *p), *other, *own, rtol=1e-5)


def test_samples_have_gradients():
    normal = msd.Normal(dtype=ms.float64)

    def total(mean, sd):
        return ops.sum(normal.sample((5,), mean, sd))

    ms.set_seed(1)
    by_mean, by_sd = ms.grad(total, (0, 1))(ms.Tensor(0.0, ms.float64), ms.Tensor(1.0, ms.float64))
    ms.set_seed(1)
    drawn = normal.sample((5,), ms.Tensor(0.0, ms.float64), ms.Tensor(1.0, ms.float64))
    assert by_mean.item() == 5 and np.isclose(by_sd.item(), drawn.asnumpy().sum(), rtol=1e-14)
    for name in ("Uniform", "Exponential", "Logistic", "Cauchy"):
        plain = getattr(msd, name)(dtype=ms.float64)
        given = [ms.Tensor(np.array(x)) for x in KINDS[name][0].values()]
        for place in range(len(given)):
            gradient = ms.grad(lambda *p, d=plain: ops.sum(d.sample((3,), *p)), place)(*given)
            assert np.isfinite(gradient.asnumpy()).all() and gradient.asnumpy().any()


# ---- classes --------------------------------------------------------------------------------

PROBS = np.array([[0.2, 0.3, 0.5], [0.1, 0.85, 0.05]])


def test_categorical():
    chosen = msd.Categorical(PROBS, dtype=ms.int32)
    assert (chosen.batch_shape, chosen.broadcast_shape) == ((2, 3), (2,))
    table = ms.Tensor(PROBS)
    wide = msd.Categorical(dtype=ms.float64)
    x = np.array([[0], [1], [2]])
    for asked, expected in (("prob", PROBS.T), ("log_prob", np.log(PROBS.T)),
                            ("cdf", np.cumsum(PROBS.T, 0))):  # fmt: skip
        found = both_forms(lambda v, p, asked=asked: wide(asked, v, p), ms.Tensor(x), table)
        close(found, expected, rtol=1e-14)
    numbers = np.arange(3)
    mean = (PROBS * numbers).sum(-1, keepdims=True)
    close(wide.mean(table), mean)
    close(wide.var(table), (PROBS * numbers**2).sum(-1, keepdims=True) - mean**2)
    assert chosen.mode().tolist() == [2, 1] and chosen.mode().dtype is ms.int32
    close(wide.entropy(table), stats.entropy(PROBS, axis=-1))
    close(wide.kl_loss("Categorical", ms.Tensor(PROBS[::-1].copy()), table),
          stats.entropy(PROBS, PROBS[::-1], axis=-1))  # fmt: skip
    one = ms.Tensor([0.2, 0.8], ms.float64)
    assert wide.prob(ms.Tensor(1), one).shape == () and wide.entropy(one).shape == ()
    assert wide.mean(one).shape == (1,)
    strange = wide.prob(ms.Tensor([-1.0, -0.5, 1.7, 2.0, np.nan]), one).asnumpy()
    np.testing.assert_array_equal(strange, [np.nan, 0.2, 0.8, np.nan, np.nan])
    found = wide.cdf(ms.Tensor([-1.0, 0.5, 9.0, np.nan]), one).asnumpy()
    np.testing.assert_array_equal(found, [0.0, 0.2, 1.0, np.nan])


def test_classes_that_cannot_be():
    plain = msd.Categorical(dtype=ms.float64)
    probs, sure = ms.Tensor([0.0, 0.4, 0.6], ms.float64), ms.Tensor([0.0, 1.0, 0.0], ms.float64)
    assert plain.log_prob(ms.Tensor(0), probs).item() == -np.inf
    close(plain.entropy(probs), stats.entropy([0.4, 0.6]))
    assert plain.entropy(sure).item() == 0
    assert plain.kl_loss("Categorical", sure, probs).item() == np.inf
    close(plain.kl_loss("Categorical", probs, sure), -np.log(0.4))
    gradient = ms.grad(lambda p: plain.entropy(p))(sure)
    assert np.isfinite(gradient.asnumpy()).all()


def test_classes_have_gradients():
    plain = msd.Categorical(dtype=ms.float64)
    x = ms.Tensor([0, 2])
    for run in (lambda p: plain.log_prob(x, p), lambda p: plain.entropy(p),
                lambda p: plain.kl_loss("Categorical", ms.Tensor(PROBS), p)):  # fmt: skip
        check_gradients(run, PROBS)
        check_second_gradients(lambda p, run=run: ops.sum(run(p)), PROBS, rtol=1e-5, atol=1e-5)


def test_classes_are_drawn():
    chosen = msd.Categorical(PROBS, seed=2)
    ms.set_seed(5)
    found = chosen.sample((3000,))
    ms.set_seed(5)
    assert found.tolist() == ms.compile(lambda: chosen.sample((3000,)))().tolist()
    assert found.shape == (3000, 2) and found.dtype is ms.int32
    for place in range(2):
        counts = np.bincount(found.asnumpy()[:, place], minlength=3)
        assert stats.chisquare(counts, 3000 * PROBS[place]).pvalue > 1e-3
    assert chosen.sample().shape == (2,) and chosen.sample((2, 4)).shape == (2, 4, 2)
    assert msd.Categorical([0.5, 0.5]).sample().shape == ()
    assert chosen.sample((0, 3)).shape == (0, 3, 2)


# ---- shapes, dtypes, edges -------------------------------------------------------------------


@pytest.mark.parametrize("name", [x[0] for x in ALL])
def test_shapes_and_empty_values(name):
    distribution, _ = made(name)
    assert distribution.batch_shape == (2,) or name in ("LogNormal", "Gumbel")
    assert distribution.broadcast_shape == (2,)
    assert both_forms(lambda v: distribution.log_prob(v), ops.zeros((0, 2))).shape == (0, 2)
    if name not in DENSITY_ONLY:
        assert distribution.sample().shape == (2,)
        assert distribution.sample((0, 3)).shape == (0, 3, 2)
        assert distribution.sample((3, 1)).shape == (3, 1, 2)
    numbers = [float(np.ravel(x)[-1]) for x in KINDS[name][0].values()]
    single = getattr(msd, name)(*numbers)
    assert single.is_scalar_batch and single.broadcast_shape == ()
    assert single.prob(ms.Tensor(0.5)).shape == ()
    if name not in DENSITY_ONLY:
        assert single.sample().shape == ()
        assert single.sample().dtype is single.dtype


def test_dtypes_of_parameters():
    assert msd.Normal(0, 1).parameter_type is ms.float32
    assert msd.Normal(np.zeros(2), 1.0).prob(ms.Tensor(0.0)).dtype is ms.float32
    half = msd.Normal(ms.Tensor(0.0, ms.float16), ms.Tensor(1.0, ms.float16), dtype=ms.float16)
    assert half.prob(ms.Tensor(0.0, ms.float16)).dtype is half.sample().dtype is ms.float16
    assert msd.Bernoulli(0.5).sample().dtype is ms.int32
    assert msd.Normal(0.0, 1.0, dtype=ms.float64).sample().dtype is ms.float64
    assert msd.Normal(ms.Tensor(2), 1.0).mean().dtype is ms.float32


@pytest.mark.parametrize("name", [x[0] for x in ALL if x[0] not in FIXED])
def test_nan_parameters_give_nan(name):
    plain = getattr(msd, name)(dtype=ms.float64)
    nan = [ms.Tensor(np.nan, ms.float64)] * len(KINDS[name][0])
    x = ms.Tensor([-1.0, 0.0, 0.5, 1.0, 2.0], ms.float64)
    for asked in chances_of(name):
        assert np.isnan(plain(asked, x, *nan).asnumpy()).all(), asked
    if name in OTHER:
        assert np.isnan(plain.kl_loss(name, *nan, *nan).item())


def test_what_cannot_or_must_happen():
    x = ms.Tensor([0.0, 1.0], ms.float64)
    certain = [ms.Tensor(p, ms.float64) for p in (0.0, 1.0)]
    plain = msd.Bernoulli(dtype=ms.float64)
    assert [plain.log_prob(x, p).tolist() for p in certain] == [[0, -np.inf], [-np.inf, 0]]
    assert [plain.entropy(p).item() for p in certain] == [0, 0]
    assert plain.kl_loss("Bernoulli", certain[0], certain[0]).item() == 0
    assert plain.kl_loss("Bernoulli", certain[0], certain[1]).item() == np.inf
    gradient = ms.grad(lambda p: plain.log_prob(ms.Tensor(0.0), p))(certain[0])
    assert gradient.item() == -1
    plain = msd.Geometric(dtype=ms.float64)
    assert plain.prob(x, certain[1]).tolist() == [1, 0] and plain.entropy(certain[1]).item() == 0
    plain = msd.Poisson(dtype=ms.float64)
    assert plain.prob(x, certain[0]).tolist() == [1, 0]
    assert plain.sample((2,), certain[0]).tolist() == [0, 0]
    plain = msd.Beta(dtype=ms.float64)
    tiny = ms.Tensor(1e-4, ms.float64)
    ms.set_seed(0)
    shares = plain.sample((200,), tiny, tiny).asnumpy()
    assert np.isin(shares, (0, 1)).mean() > 0.9 and 0.3 < shares.mean() < 0.7


def test_large_parameters_keep_float32_exact():
    many = ms.Tensor([1e4, 1e6])
    counts = msd.Poisson(many)
    expected = stats.poisson.logpmf([1e4, 1e6], [1e4, 1e6])
    close(counts.log_prob(many), expected, rtol=1e-6)
    expected = stats.gamma.logpdf([1e4, 1e6], [1e4, 1e6])
    close(msd.Gamma(many, ops.ones_like(many)).log_prob(many), expected, rtol=1e-6)
    expected = stats.beta.logpdf(0.5, [1e4, 1e6], [1e4, 1e6])
    close(msd.Beta(many, many).log_prob(ms.Tensor(0.5)), expected, rtol=2e-6)
    expected = stats.t.logpdf(1.0, [1e4, 1e6])
    close(msd.StudentT(many, 0.0, 1.0).log_prob(ms.Tensor(1.0)), expected, rtol=1e-6)


# ---- special functions -----------------------------------------------------------------------


def test_tails_of_the_normal_distribution():
    x = np.concatenate([np.linspace(-45, 45, 4001), [-1e3, -1e8, -np.inf, np.inf, 0.0]])
    with np.errstate(all="ignore"):
        close(both_forms(log_normal_cdf, ms.Tensor(x)), special.log_ndtr(x), 1e-12, 1e-300)
    close(normal_cdf(ms.Tensor(x)), special.ndtr(x), 1e-11)
    check_gradients(log_normal_cdf, np.array([-30.0, -6.5, -5.5, -1.0, 0.5, 3.0]))
    check_second_gradients(
        lambda x: ops.sum(log_normal_cdf(x)), np.array([-30.0, -6.5, -5.5, -1.0, 0.5]), rtol=1e-5
    )


def test_gamma_integrals():
    rng = np.random.default_rng(0)
    a = 10 ** rng.uniform(-3, 4, 300)
    x = a * np.exp(rng.normal(size=300) * np.minimum(3, 5 / np.sqrt(a)))
    close(both_forms(lower_gamma, ms.Tensor(a), ms.Tensor(x)), special.gammainc(a, x), 1e-12)
    found, expected = upper_gamma(ms.Tensor(a), ms.Tensor(x)), special.gammaincc(a, x)
    close(found, expected, 1e-11, 1e-14)
    a = np.array([0, 0, 1, 1, 2, np.inf, -1, 1, np.nan, 1, 0, 3])
    x = np.array([0, 1, 0, np.inf, np.nan, 1, 1, -1, 1, 1e-300, np.inf, 1e300])
    close(lower_gamma(ms.Tensor(a), ms.Tensor(x)), special.gammainc(a, x))
    close(upper_gamma(ms.Tensor(a), ms.Tensor(x)), special.gammaincc(a, x))


def test_logarithms_of_gamma_integrals():
    rng = np.random.default_rng(1)
    a, b = 10 ** rng.uniform(-3, 6, (2, 100))
    with mpmath.workdps(40):
        term = [i * mpmath.log(j) - j - mpmath.loggamma(i + 1)
                for i, j in zip(map(mpmath.mpf, a), map(mpmath.mpf, b), strict=True)]  # fmt: skip
        beta = [mpmath.log(mpmath.beta(i, j)) for i, j in zip(a, b, strict=True)]
    close(log_gamma_term(ms.Tensor(a), ms.Tensor(b)), np.array(term, float), 1e-13, 1e-14)
    close(log_beta(ms.Tensor(a), ms.Tensor(b)), np.array(beta, float), 1e-13, 1e-14)


def test_gradients_of_gamma_integrals():
    # Whole numbers end the continued fraction, but not its gradient.
    a, x = np.array([0.5, 2.0, 13.0, 30.0]), np.array([0.2, 3.3, 9.0, 40.0])
    for function in (lower_gamma, upper_gamma):
        check_gradients(lambda a, x, f=function: f(a, x), a, x, rtol=1e-5)
    check_second_gradients(
        lambda a, x: ops.sum(lower_gamma(a, x)), a[:2], x[:2], rtol=1e-4, atol=1e-7
    )
    for function in (log_gamma_term, log_beta):
        check_gradients(lambda a, x, f=function: f(a, x), a, x, rtol=1e-5)


# ---- in programs -----------------------------------------------------------------------------


class Agent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.policy = nn.Dense(3, 4)
        self.choose = nn.probability.distribution.Categorical(dtype=ms.float32)
        self.spread = ms.Parameter(ms.Tensor(2.0), name="spread")
        self.noise = msd.Normal(0.0, self.spread)

    def construct(self, x, action):
        probs = ops.softmax(self.policy(x), -1)
        loss = -ops.mean(self.choose.log_prob(action, probs=probs))
        return loss + ops.mean(self.noise("log_prob", x)) - ops.mean(self.choose.entropy(probs))


def test_in_a_network():
    net = Agent()
    assert len(net.trainable_params()) == 3 and net.noise.default_parameters[1] is net.spread
    x, action = ms.Tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 0.0]]), ms.Tensor([1.0, 3.0])
    plain = net.construct(x, action)
    np.testing.assert_allclose(ms.compile(net)(x, action).item(), plain.item(), rtol=1e-6)
    gradients = ms.value_and_grad(net, None, net.trainable_params())(x, action)[1]
    assert all(np.isfinite(g.asnumpy()).all() and g.asnumpy().any() for g in gradients)
    net.spread.set_data(ms.Tensor(3.0))
    assert net.construct(x, action).item() != plain.item()


class Halved(msd.Distribution):
    """Knows its logarithm of survival, and little else."""

    def __init__(self, rate=None, seed=None, dtype=ms.float64, name="Halved"):
        param = dict(locals())
        param["param_dict"] = {"rate": rate}
        super().__init__(seed, dtype, name, param)
        self._rate = self._add_parameter(rate, "rate")

    def _log_survival(self, value, rate=None):
        return -self._check_param_type(rate) * self._check_value(value, "value")

    def _var(self, rate=None):
        return 4.0 / ops.square(self._check_param_type(rate))

    def _entropy(self, rate=None):
        return 1.0 - ops.log(self._check_param_type(rate))

    def _kl_loss(self, dist, rate_b, rate=None):
        return rate_b - self._check_param_type(rate)


def test_what_follows_from_a_subclass():
    half = Halved(0.5)
    x = ms.Tensor([0.5, 2.0], ms.float64)
    survival = np.exp([-0.25, -1.0])
    for asked, expected in (("log_survival", [-0.25, -1.0]), ("survival_function", survival),
                            ("cdf", 1 - survival), ("log_cdf", np.log(1 - survival))):  # fmt: skip
        close(both_forms(lambda v, asked=asked: half(asked, v), x), expected)
    assert half.sd().item() == 4 and half.parameters["rate"] == 0.5
    other = ms.Tensor(2.0, ms.float64)
    close(half.cross_entropy("Halved", other), 1 - np.log(0.5) + 1.5)
    close(half.cross_entropy("Halved", other, ms.Tensor(1.0, ms.float64)), 2.0)
    for asked in ("prob", "log_prob", "sample", "mode", "mean", "get_dist_args"):
        with pytest.raises(S2sadError, match=r"E0220.*Halved distribution has no"):
            half(asked, x)
    with pytest.raises(S2sadError, match="E0220"):
        half("likelihood", x)


def test_what_is_refused():
    x = ms.Tensor([1.0])
    normal = msd.Normal(0.0, 1.0)
    refused("E0304", lambda v: normal.prob([1.0]), x)
    refused("E0404", lambda v: normal.kl_loss("Gamma", v, v), x)
    refused("E0303", lambda v: normal.kl_loss(v, v, v), x)
    refused("E0401", lambda v: normal.prob(v, ops.zeros((2,)), ops.ones((3,))), x)
    refused("E0220", lambda v: msd.Uniform(0.0, 1.0).mode(), x)
    refused("E0220", lambda v: msd.Cauchy(0.0, 1.0).mean(), x)
    for code, make in (
        ("E0404", lambda: msd.Normal(0.0, 0.0)), ("E0404", lambda: msd.Normal(0.0, np.nan)),
        ("E0404", lambda: msd.Bernoulli(1.0)), ("E0404", lambda: msd.Uniform(1.0, 1.0)),
        ("E0404", lambda: msd.Categorical([0.5, 0.6])), ("E0401", lambda: msd.Categorical(0.5)),
        ("E0404", lambda: msd.Normal(0.0, 1.0, seed=-1)),
        ("E0301", lambda: msd.Normal(dtype=ms.int32)),
        ("E0301", lambda: msd.Bernoulli(dtype=ms.bool_)), ("E0303", lambda: msd.Normal(name=1)),
        ("E0303", lambda: msd.Normal("0", 1.0)), ("E0303", lambda: msd.Normal(True, 1.0)),
        ("E0301", lambda: msd.Normal(ms.Tensor(0.0, ms.float16), ms.Tensor(1.0))),
        ("E0401", lambda: msd.Normal(np.zeros(2), np.ones(3))),
        ("E0303", lambda: msd.TransformedDistribution(nn.ReLU(), msd.Normal(0.0, 1.0))),
    ):  # fmt: skip
        with pytest.raises(S2sadError, match=code):
            make()
