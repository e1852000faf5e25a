"""Which methods of Tensor draw at random?"""

from __future__ import annotations

from s2sad.ops import sampling

METHODS = {
    "bernoulli": sampling.bernoulli, "multinomial": sampling.multinomial,
    "random_categorical": sampling.random_categorical,
}  # fmt: skip
