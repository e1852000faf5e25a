"""How does an operation map over an axis that its operands have in front?

A rule stands here where the answer is another operation, or a few; elementwise operations only
align ranks, composites without a rule are mapped through their body, and what is left runs once for
each row (`s2sad.autodiff.batching`).

A rule takes the operands, those that are ``mapped`` with an axis more in front, of one ``size``, and
the attributes. It gives the results, all with that axis in front; or None where it does not know
better than to run once for each row.
"""

from __future__ import annotations

from s2sad.prims.batching import axes, index, products, shape, windows

RULES = (axes, index, products, shape, windows)
