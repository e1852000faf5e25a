"""The vocabulary of the IR: strict, pure operations, each with one meaning.

Values are positional, static facts keyword-only; all operands of an arithmetic operation have
one dtype, shapes broadcast. `ALL` holds every primitive and composite by name.
"""

from __future__ import annotations

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.ir.graph import OPERATORS
from s2sad.ir.primitive import Primitive
from s2sad.prims import (
    activation,
    arithmetic,
    arrange,
    cast,
    collective,
    comparison,
    constant,
    control,
    conv,
    dynamic,
    effect,
    einsum,
    embedding,
    exponential,
    factoring,
    index,
    linalg,
    logic,
    loss,
    marker,
    norm,
    optimizer,
    pool,
    queue,
    random,
    reduce,
    rounding,
    scan,
    select,
    shape,
    solving,
    sort,
    special,
    statistics,
    summary,
    trigonometric,
)
from s2sad.prims.define import ALL

FAMILIES = (
    activation, arithmetic, arrange, cast, collective, comparison, constant, control, conv, dynamic,
    effect, einsum, embedding, exponential, factoring, index, linalg, logic, loss, marker, norm,
    optimizer, pool, queue, random, reduce, rounding, scan, select, shape, solving, sort, special,
    statistics, summary, trigonometric,
)  # fmt: skip

globals().update(ALL)
OPERATORS.update(
    {
        operator: ALL[name]
        for operator, name in {
            "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_div",
            "mod": "mod", "pow": "pow", "matmul": "matmul", "and": "bit_and", "or": "bit_or",
            "xor": "bit_xor", "lshift": "shift_left", "rshift": "shift_right", "lt": "less",
            "le": "less_equal", "gt": "greater", "ge": "greater_equal", "neg": "neg",
            "invert": "bit_not", "abs": "abs",
        }.items()
    }
)  # fmt: skip


def __getattr__(name: str) -> Primitive:
    raise fail("E0220", f"no primitive is called {name!r}", help=did_you_mean(name, ALL))
