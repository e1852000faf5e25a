"""What do joint programs call besides prims?

These run while the joint program is evaluated: they emit operations on values, and pass on
``None``, the cotangent of what is not differentiated.
"""

from __future__ import annotations

from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.ir.graph import Value


def contribution(value: Value | None, primal: Value) -> Value | None:
    """`value`, one addend of the cotangent of `primal`, summed over what was broadcast."""
    if value is None:
        return None
    if value.dtype is not primal.dtype:
        raise fail("E0901", f"a cotangent of {primal.type} came out as {value.type}")
    return value if value.type == primal.type else p.sum_to(value, shape=primal.shape)


def accumulate(total: Value | None, value: Value | None) -> Value | None:
    """Sum of two addends of a cotangent; the first is taken as it is."""
    if total is None or value is None:
        return value if total is None else total
    return p.add(total, value)


def gradient(total: Value | None, primal: Value) -> Value:
    """The finished cotangent of an input: zeros where nothing reached it."""
    return p.zeros_like(primal) if total is None else total


def ones(primal: Value) -> Value:
    """Seed of a result: its cotangent is one everywhere."""
    return p.ones_like(primal)


#: What joint programs find under these names.
NAMES = {
    "accumulate": accumulate, "contribution": contribution, "gradient": gradient, "ones": ones
}  # fmt: skip
