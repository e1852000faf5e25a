"""Does what is installed compute, and say so as MindSpore does?"""

from __future__ import annotations

import numpy as np

import s2sad as ms
from s2sad.core.diagnostics import fail

__all__ = ["run_check"]


def run_check() -> None:
    """Compile a product, run it, and print the version and whether the result is right.

    Raises
    ------
    S2sadError
        E0901 where it is not.

    Examples
    --------
    >>> run_check()
    s2sad version: 0.1.0
    The result of multiplication calculation is correct, s2sad runs on platform [CPU].
    """
    print(f"s2sad version: {ms.__version__}")
    x = np.arange(6.0).reshape(2, 3)
    found = ms.compile(lambda x, y: ms.ops.matmul(x, y))(ms.Tensor(x), ms.Tensor(x.T))
    if not np.array_equal(found.asnumpy(), x @ x.T):
        raise fail("E0901", f"the product of {x.tolist()} with itself is {found.tolist()}")
    print("The result of multiplication calculation is correct, s2sad runs on platform [CPU].")
