"""Functions that can be undone, as Cells."""

from s2sad.nn.probability.bijector.bijector import Bijector
from s2sad.nn.probability.bijector.exp import Exp
from s2sad.nn.probability.bijector.gumbel_cdf import GumbelCDF
from s2sad.nn.probability.bijector.invert import Invert
from s2sad.nn.probability.bijector.power_transform import PowerTransform
from s2sad.nn.probability.bijector.scalar_affine import ScalarAffine
from s2sad.nn.probability.bijector.softplus import Softplus

__all__ = [
    "Bijector", "Exp", "GumbelCDF", "Invert", "PowerTransform", "ScalarAffine", "Softplus",
]  # fmt: skip
