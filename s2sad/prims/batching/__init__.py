"""How does an operation map over an axis that its operands have in front?

A rule stands here where the answer is another operation, or a few; elementwise operations only
align ranks, composites without a rule are mapped through their body, and what is left runs once for
each row (`s2sad.autodiff.batching`).

A rule takes the operands, of which those that are ``mapped`` have an axis of one ``size`` more, in
front, and the attributes. It gives the results, all with that axis in front; or None where it does
not know better than to run once for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.ir.primitive import Primitive
from s2sad.prims.batching import axes, index, matrices, products, shape, windows

#: Those who register rules; nobody needs them before something is mapped.
FAMILIES = (axes, index, matrices, products, shape, windows)


def rule_of(prim: Primitive) -> Callable[..., Any] | None:
    """The rule of `prim`, where it has one."""
    return prim.batch_rule
