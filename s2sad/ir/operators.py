"""Which operator of Python, applied to NumPy arrays, is a primitive bit for bit?

A dump in source style also runs under plain Python, where the operands are arrays and NumPy
decides. So an operator is written only for dtypes, and beside numbers, for which NumPy 1 and 2
compute what the primitive does.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from s2sad.core import dtypes
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType

BINARY: dict[str, ast.operator] = {
    **{"add": ast.Add(), "sub": ast.Sub(), "mul": ast.Mult(), "truediv": ast.Div()},
    **{"matmul": ast.MatMult(), "and": ast.BitAnd(), "or": ast.BitOr(), "xor": ast.BitXor()},
}
COMPARISON: dict[str, ast.cmpop] = {
    **{"lt": ast.Lt(), "le": ast.LtE(), "gt": ast.Gt(), "ge": ast.GtE()}
}
UNARY: dict[str, ast.unaryop] = {"neg": ast.USub(), "invert": ast.Invert()}

#: Not bfloat16, which is held as uint16. Quotients, remainders, powers and shifts of NumPy
#: differ from ours at zero and beyond, or take short cuts, so they stay calls.
_NUMBERS = frozenset(dtypes.ALL) - {dtypes.bfloat16, dtypes.bool_}
_BITS = frozenset(dtype for dtype in dtypes.ALL if not dtype.is_float)
SAFE: dict[str, frozenset[dtypes.DType]] = {
    **dict.fromkeys(("add", "sub", "mul", "neg", "lt", "le", "gt", "ge"), _NUMBERS),
    **dict.fromkeys(("and", "or", "xor", "invert"), _BITS),
    "truediv": frozenset({dtypes.float16, dtypes.float32, dtypes.float64}),
    "matmul": frozenset({dtypes.float32, dtypes.float64}),
}

#: Dtypes that Python's numbers have by themselves.
NATURAL = (dtypes.float64, dtypes.int64, dtypes.bool_)
#: A number beyond these is of a wider dtype for NumPy 1; not finite ones are spelled by a call.
LARGEST = {dtypes.float16: 6e4, dtypes.float32: 1e38, dtypes.float64: 1e300}


def operator_node(
    key: str,
    values: Sequence[Value],
    nodes: Sequence[ast.expr],
    numbers: Mapping[int, float],
) -> ast.expr | None:
    """The operator `key` applied to `nodes`; None where it is not the same as the primitive.

    Parameters
    ----------
    key : str
        As in `OPERATORS`: ``"add"``.
    values : sequence of Value
        What the nodes stand for.
    numbers : mapping of int to number
        Places where the node is a bare number.
    """
    types = {value.type for value in values}
    found = {t.dtype for t in types if isinstance(t, TensorType)}
    if len(found) != 1 or not found <= SAFE.get(key, frozenset()):
        return None
    (dtype,) = found
    arrays = [value for i, value in enumerate(values) if i not in numbers]
    if not arrays or not all(_stays(n, dtype, arrays[0]) for n in numbers.values()):
        return None
    if key in UNARY:
        return ast.UnaryOp(UNARY[key], nodes[0])
    left, right = nodes
    if key in COMPARISON:
        return ast.Compare(left, [COMPARISON[key]], [right])
    return ast.BinOp(left, BINARY[key], right)


def _stays(number: float, dtype: dtypes.DType, partner: Value) -> bool:
    """Whether NumPy gives `number` the dtype of its partner; NumPy 1 does not beside a scalar."""
    if dtype in LARGEST and not abs(number) <= LARGEST[dtype]:
        return False
    return partner.ndim > 0 or dtype in NATURAL
