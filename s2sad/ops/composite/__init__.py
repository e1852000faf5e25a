"""What calls functions of the user's: ``from s2sad.ops import composite as C``.

All that is defined here is read where it is compiled, as code of the user's is.
"""

from s2sad.core.transform import grad, value_and_grad
from s2sad.ops.clipping import clip_by_global_norm
from s2sad.ops.composite.maps import HyperMap, Map
from s2sad.ops.composite.multitype import MultitypeFuncGraph
from s2sad.ops.composite.objects import partial
from s2sad.ops.extreme import clip_by_value
from s2sad.ops.gradient import GradOperation
from s2sad.ops.linalg import matmul, tensor_dot
from s2sad.ops.random import normal, uniform
from s2sad.ops.random_integers import shuffle
from s2sad.ops.reduce import count_nonzero
from s2sad.ops.sampling import multinomial
from s2sad.ops.selection import sequence_mask

__all__ = [
    "GradOperation", "HyperMap", "Map", "MultitypeFuncGraph", "clip_by_global_norm",
    "clip_by_value", "count_nonzero", "grad", "matmul", "multinomial", "normal", "partial",
    "sequence_mask", "shuffle", "tensor_dot", "uniform", "value_and_grad",
]  # fmt: skip
