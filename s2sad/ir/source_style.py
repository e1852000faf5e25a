"""How is a function written so that a person likes to read it?

Operators where NumPy's mean the same, numbers where reading them gives the same constant, values
that are used once in the place of their use, stacks as lists. Only parameters have types. What
is read back is isomorphic, operation by operation: an expression is folded only where Python
evaluates it at the very place in the order that its operations have in the program. Folding
therefore works like a stack machine: the expressions that wait to be used are a pile, and an
operation takes those on top that it reads in their order; what lies below a statement, and what
it takes out of order, becomes a statement before it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.ir.graph import OPERATORS, Function, Operation, Region, Value
from s2sad.ir.literals import call, element_node, name, shortest, target, tuple_of
from s2sad.ir.marks import mark
from s2sad.ir.names import by_number
from s2sad.ir.primitive import Form, Primitive
from s2sad.ir.printer import STYLES, Constants, Printer
from s2sad.ir.python_numbers import python_numbers
from s2sad.ir.tapes import carried, tapes
from s2sad.ir.types import TensorType
from s2sad.ir.unparse import unparse

WIDTH = 100
ROOM = 16  # kept free for the name that a waiting expression may get

BINARY: dict[str, ast.operator] = {
    **{"add": ast.Add(), "sub": ast.Sub(), "mul": ast.Mult(), "truediv": ast.Div()},
    **{"matmul": ast.MatMult(), "and": ast.BitAnd(), "or": ast.BitOr(), "xor": ast.BitXor()},
}
COMPARE: dict[str, ast.cmpop] = {"lt": ast.Lt(), "le": ast.LtE(), "gt": ast.Gt(), "ge": ast.GtE()}
UNARY: dict[str, ast.unaryop] = {"neg": ast.USub(), "invert": ast.Invert()}

#: Dtypes for which NumPy's operator is the primitive, bit for bit. bfloat16 is held as uint16,
#: of which NumPy knows only that it is an integer. Quotients, remainders and powers of NumPy
#: differ from ours at zero or take short cuts, so they stay calls.
_NUMBERS = frozenset(set(dtypes.ALL) - {dtypes.bfloat16, dtypes.bool_})
_BITS = frozenset(dtype for dtype in dtypes.ALL if not dtype.is_float)
SAFE: dict[str, frozenset[dtypes.DType]] = {
    **dict.fromkeys(("add", "sub", "mul", "neg", "lt", "le", "gt", "ge"), _NUMBERS),
    **dict.fromkeys(("and", "or", "xor", "invert"), _BITS),
    "truediv": frozenset({dtypes.float16, dtypes.float32, dtypes.float64}),
    "matmul": frozenset({dtypes.float32, dtypes.float64}),
}
#: Beyond these, NumPy 1 takes a Python number for one of a wider dtype.
LARGEST = {dtypes.float16: 6e4, dtypes.float32: 1e38}


@dataclass
class Waiting:
    """An expression that waits for the one place where its value is used."""

    value: Value
    node: ast.expr
    operations: list[Operation]


@dataclass
class Frame:
    """The block being written."""

    depth: int
    statements: list[ast.stmt] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)


class SourcePrinter(Printer):
    """Writes one function for people."""

    def __init__(self, function: Function, constants: Constants | None) -> None:
        super().__init__(function, constants)
        self.frame = Frame(0)
        self.operators = {prim: key for key, prim in OPERATORS.items() if key in SAFE}
        self.numbers = python_numbers(function)
        self.tapes = tapes(function)
        self.constant_nodes: dict[Value, ast.expr] = {}  # of those that stand at their one use
        self._literals: dict[Operation, dict[int, ast.expr]] = {}

    # ---- names -----------------------------------------------------------------------------

    def name(self, *values: Value, letter: str = "t") -> str:
        if self.tapes is not None and values[0] in self.tapes:
            chain = self.tapes[values[0]]
            if chain[0] not in self.named and not any(value.name for value in chain):
                self.named.update(dict.fromkeys(chain, self.names.unique("tape")))
            return super().name(*chain)
        return super().name(*values, letter=letter)

    def returns(self, region: Region) -> ast.expr | None:
        return None

    # ---- blocks ----------------------------------------------------------------------------

    def block(self, region: Region) -> list[ast.stmt]:
        """Begin the block of `region`; who asks for it writes its end and calls `leave`."""
        self.outer = getattr(self, "outer", [])
        self.outer.append(self.frame)
        self.frame = Frame(self.frame.depth + 1)
        for operation in region.operations:
            self.FORMS[operation.prim.form](self, operation)
        return self.frame.statements

    def leave(self) -> list[ast.stmt]:
        """End the block."""
        self.flush()
        statements, self.frame = self.frame.statements, self.outer.pop()
        return statements

    def return_statement(self, region: Region) -> ast.stmt:
        nodes, operations = self.fold(region.yields, {}, "return ", parallel)
        self.leave()
        return _marked(ast.Return(nodes), operations)
