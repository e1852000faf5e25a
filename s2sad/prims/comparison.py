"""Which of two elements is larger, and is an element a number at all?"""

from __future__ import annotations

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.primitive import Trait
from s2sad.prims.define import primitive
from s2sad.prims.rules import elementwise, is_number

_compare_numbers = elementwise(is_number, "numbers", dtypes.bool_)
_NONDIFF = "the result is not a float"


@primitive(type=_compare_numbers, traits={Trait.ELEMENTWISE}, nondiff=_NONDIFF)
def less(x, y):
    """Whether ``x < y``, elementwise; NaN is less than nothing.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.less(np.arange(3), 1)
    array([ True, False, False])
    """
    return np.less(x, y)
