"""Which of two elements, by a third that is a bool?"""

from __future__ import annotations

import numpy as np

from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Type
from s2sad.prims.define import primitive
from s2sad.prims.rules import is_bool, one_dtype, require_kind, tensor


def _where_type(condition: Type, x: Type, y: Type) -> TensorType:
    found = require_kind(condition, is_bool, "a bool condition")
    shapes = found.shape, tensor(x).shape, tensor(y).shape
    shape = dims.broadcast(*shapes, operands=(condition, x, y))
    return TensorType(one_dtype(x, y), shape)


@primitive(type=_where_type, traits={Trait.ELEMENTWISE, Trait.MOVES}, linear=((1, 2),), same=(1, 2))
def where(condition, x, y):
    """Element of `x` where the bool `condition` holds, else of `y`; all three broadcast.

    The side that is not taken is not read: a NaN there stays there, in the gradient as well.

    Parameters
    ----------
    condition : Tensor of bools
    x, y : Tensors of one dtype, any; shapes broadcast, with that of `condition`

    Raises
    ------
    S2sadError
        E0301 if `condition` is not bool or the dtypes of `x` and `y` differ, E0401 if the shapes do
        not broadcast.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.where(np.array([True, False]), np.array([1.0, np.nan]), 0.0)
    array([1., 0.])
    """
    return np.where(condition, x, y)


@where.adjoint
def where_adjoint(condition, x, y, out, dout):
    return None, where(condition, dout, 0), where(condition, 0, dout)
