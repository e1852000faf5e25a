"""Distributions and invertible functions as Cells, called `nn.probability` as in MindSpore."""

# The order matters: bijectors make distributions.
from s2sad.nn.probability import distribution  # isort: skip
from s2sad.nn.probability import bijector  # isort: skip

__all__ = ["bijector", "distribution"]
