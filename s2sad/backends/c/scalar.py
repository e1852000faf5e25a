"""What is one element of an elementwise operation, as an expression of C?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from s2sad.core.dtypes import DType

#: From C expressions of the operands' elements, the dtype that they are computed in, and the
#: attributes, to the expression of the result's element.
Scalar = Callable[[Sequence[str], DType, Mapping[str, Any]], str]


def plain(text: str) -> Scalar:
    """The expression `text`, with ``{0}``, ``{1}`` for operands, the same for all dtypes.

    Examples
    --------
    >>> from s2sad.core import dtypes
    >>> plain("({0} + {1})")(["x", "y"], dtypes.float32, {})
    '(x + y)'
    """
    return lambda args, dtype, attrs: text.format(*args)


def function(name: str) -> Scalar:
    """A call of the function `name` of the runtime for the dtype.

    Examples
    --------
    >>> from s2sad.core import dtypes
    >>> function("s2_exp")(["x"], dtypes.float32, {})
    's2_exp_f32(x)'
    """
    return lambda args, dtype, attrs: f"{name}_{dtype.short}({', '.join(args)})"
