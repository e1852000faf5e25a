"""Distributions as Cells."""

from s2sad.nn.probability.distribution.bernoulli import Bernoulli
from s2sad.nn.probability.distribution.beta import Beta
from s2sad.nn.probability.distribution.categorical import Categorical
from s2sad.nn.probability.distribution.cauchy import Cauchy
from s2sad.nn.probability.distribution.distribution import Distribution
from s2sad.nn.probability.distribution.exponential import Exponential
from s2sad.nn.probability.distribution.gamma import Gamma
from s2sad.nn.probability.distribution.geometric import Geometric
from s2sad.nn.probability.distribution.gumbel import Gumbel
from s2sad.nn.probability.distribution.laplace import Laplace
from s2sad.nn.probability.distribution.log_normal import LogNormal
from s2sad.nn.probability.distribution.logistic import Logistic
from s2sad.nn.probability.distribution.normal import HalfNormal, Normal
from s2sad.nn.probability.distribution.poisson import Poisson
from s2sad.nn.probability.distribution.student_t import StudentT
from s2sad.nn.probability.distribution.transformed_distribution import TransformedDistribution
from s2sad.nn.probability.distribution.uniform import Uniform

__all__ = [
    "Bernoulli", "Beta", "Categorical", "Cauchy", "Distribution", "Exponential", "Gamma",
    "Geometric", "Gumbel", "HalfNormal", "Laplace", "LogNormal", "Logistic", "Normal", "Poisson",
    "StudentT", "TransformedDistribution", "Uniform",
]  # fmt: skip
