"""Elementwise operations: most of them GE has as they are."""

from __future__ import annotations

import math

from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import direct, lowers, table
from s2sad.core import dtypes
from s2sad.ir.graph import Operation

table({
    "abs": "Abs", "add": "Add", "div": "RealDiv", "floor_div": "FloorDiv", "maximum": "Maximum",
    "minimum": "Minimum", "mod": "FloorMod", "mul": "Mul", "neg": "Neg", "pow": "Pow",
    "relu": "Relu", "rsqrt": "Rsqrt", "sign": "Sign", "sqrt": "Sqrt", "square": "Square",
    "sub": "Sub", "clip": "ClipByValue",
    "ceil": "Ceil", "floor": "Floor", "round": "Rint", "trunc": "Trunc",
    "acosh": "Acosh", "asinh": "Asinh", "atanh": "Atanh", "cosh": "Cosh", "exp": "Exp",
    "expm1": "Expm1", "log": "Log", "log1p": "Log1p", "sigmoid": "Sigmoid", "sinh": "Sinh",
    "tanh": "Tanh",
    "acos": "Acos", "asin": "Asin", "atan": "Atan", "atan2": "Atan2", "cos": "Cos", "sin": "Sin",
    "tan": "Tan",
    "erf": "Erf", "erfc": "Erfc", "erfinv": "Erfinv", "lgamma": "Lgamma",
    "equal": "Equal", "greater": "Greater", "greater_equal": "GreaterEqual", "less": "Less",
    "less_equal": "LessEqual", "is_finite": "IsFinite", "is_inf": "IsInf", "is_nan": "IsNan",
    "shift_left": "LeftShift", "shift_right": "RightShift",
    "logical_and": "LogicalAnd", "logical_not": "LogicalNot", "logical_or": "LogicalOr",
})  # fmt: skip

#: The base of a logarithm or a power, which GE has as an attribute.
BASES = {"log2": ("Log", 2.0), "log10": ("Log", 10.0), "exp2": ("Exp", 2.0)}
for _name, (_type, _base) in BASES.items():
    lowers(_name)(direct(_type, {"base": _base}))


#: Operations on bits, and what they are on bools.
BITS = {"bit_and": ("BitwiseAnd", "LogicalAnd"), "bit_or": ("BitwiseOr", "LogicalOr"),
        "bit_not": ("Invert", "LogicalNot")}  # fmt: skip


@lowers(*BITS)
def _bits(lowering: Lowering, operation: Operation) -> Edge:
    of_bits, of_bools = BITS[operation.prim.name]
    is_bool = operation.operands[0].dtype is dtypes.bool_
    return direct(of_bools if is_bool else of_bits)(lowering, operation)  # type: ignore[return-value]


@lowers("logical_xor", "not_equal", "bit_xor")
def _differ(lowering: Lowering, operation: Operation) -> Edge:
    """GE's NotEqual takes no bools."""
    x, y = map(lowering.edge, operation.operands)
    if operation.operands[0].dtype is not dtypes.bool_:
        type = "BitwiseXor" if operation.prim.name == "bit_xor" else "NotEqual"
        return lowering.node(operation, type, {"x1": x, "x2": y})
    same = lowering.node(operation, "Equal", {"x1": x, "x2": y})
    return lowering.node(operation, "LogicalNot", {"x": same})


@lowers("polygamma")
def _polygamma(lowering: Lowering, operation: Operation) -> Edge:
    """Digamma, and its derivatives by the zeta function of Hurwitz."""
    n, (value,) = operation.attrs["n"], operation.operands
    if n == 0:
        return direct("Digamma")(lowering, operation)  # type: ignore[return-value]
    dtype = value.dtype if value.dtype is dtypes.float64 else dtypes.float32
    x = lowering.cast(operation, lowering.edge(value), dtype)
    made = [lowering.made(value, dtype)]
    orders = lowering.node(
        operation, "Fill", {"dims": lowering.constant(list(made[0].shape)),
        "value": lowering.constant(n + 1, dtype)}, outputs=made,
    )  # fmt: skip
    zeta = lowering.node(operation, "Zeta", {"x": orders, "q": x}, outputs=made)
    factor = lowering.constant((-1.0) ** (n + 1) * float(math.factorial(n)), dtype)
    found = lowering.node(operation, "Mul", {"x1": zeta, "x2": factor}, outputs=made)
    return lowering.cast(operation, found, value.dtype)


@lowers("where")
def _where(lowering: Lowering, operation: Operation) -> Edge:
    """SelectV2 broadcasts, and takes no bools."""
    condition, x, y = map(lowering.edge, operation.operands)
    (result,) = operation.results
    if result.dtype is not dtypes.bool_:
        return lowering.node(operation, "SelectV2", {"condition": condition, "then": x, "else": y})
    chosen = lowering.node(operation, "LogicalAnd", {"x1": condition, "x2": x})
    inverse = Desc("DT_BOOL", lowering.desc(condition).shape)
    refused = lowering.node(operation, "LogicalNot", {"x": condition}, outputs=[inverse])
    other = lowering.node(operation, "LogicalAnd", {"x1": refused, "x2": y})
    return lowering.node(operation, "LogicalOr", {"x1": chosen, "x2": other})


@lowers("cast")
def _cast(lowering: Lowering, operation: Operation) -> Edge:
    return lowering.cast(operation, lowering.edge(operation.operands[0]), operation.attrs["dtype"])


@lowers("bitcast")
def _bitcast(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    return lowering.node(operation, "Bitcast", {"x": x}, {"type": operation.attrs["dtype"]})


@lowers("const")
def _constant(lowering: Lowering, operation: Operation) -> Edge:
    return lowering.stored(operation.attrs["value"], operation.results[0].dtype)


@lowers("stop_gradient", "barrier")
def _same(lowering: Lowering, operation: Operation) -> Edge:
    """Markers mean nothing to a device."""
    return lowering.edge(operation.operands[0])


@lowers("axis_size")
def _axis_size(lowering: Lowering, operation: Operation) -> Edge:
    desc = desc_of(operation.operands[0].type)
    axis = operation.attrs["axis"]
    axes = range(len(desc.shape)) if axis is None else [axis] if isinstance(axis, int) else axis
    size = 1
    for i in axes:
        size *= desc.shape[i]
    return lowering.constant(size, operation.results[0].dtype)
