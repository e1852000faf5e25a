"""What do the static parts of a dump mean: types, sizes, attributes, constants?

The other half of `literals`. Nothing is evaluated but the literals and the few names that a dump
may use.
"""

from __future__ import annotations

import ast
import math
from typing import Any

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, did_you_mean
from s2sad.ir.dims import Dim, Symbolic, symbol
from s2sad.ir.plain import bits
from s2sad.ir.read_source import Source
from s2sad.ir.types import StackType, TensorType, Token, Type

_FLOATS = {"inf": math.inf, "nan": math.nan}
_TYPES = [*dtypes.BY_SHORT, "Stack", "Token"]
_DIM_OPERATORS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
}


class StaticReader:
    """Reads static parts of `source`; `symbols` are the sizes that have a name."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.symbols: dict[str, Symbolic] = {}

    # ---- types -----------------------------------------------------------------------------

    def type(self, node: ast.expr, *, declares: bool = False) -> Type:
        """The type that `node` writes; with `declares`, unknown names in sizes become symbols."""
        if isinstance(node, ast.Name):
            return Token if node.id == "Token" else TensorType(self._dtype(node))
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            if node.value.id == "Stack":
                return StackType(self.tensor_type(node.slice, declares=declares))
            sizes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            shape = tuple(self._size(size, declares) for size in sizes)
            return TensorType(self._dtype(node.value), shape)
        raise self.source.refusal(node, "this is no type", help="a type is f32, f32[8, 16], ...")

    def tensor_type(self, node: ast.expr, *, declares: bool = False) -> TensorType:
        found = self.type(node, declares=declares)
        if not isinstance(found, TensorType):
            raise self.source.refusal(node, f"a tensor's type is needed here, not {found}")
        return found

    def types(self, node: ast.expr) -> tuple[Type, ...]:
        """The types of several results, or of the only one."""
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        return tuple(self.type(item) for item in items)

    def _dtype(self, node: ast.Name) -> dtypes.DType:
        found = dtypes.BY_SHORT.get(node.id)
        if found is None:
            raise self.source.refusal(
                node, f"no type is called {node.id}", help=did_you_mean(node.id, _TYPES)
            )
        return found

    # ---- sizes -----------------------------------------------------------------------------

    def _size(self, node: ast.expr, declares: bool) -> Dim:
        size = self._dim(node, declares)
        if isinstance(size, int) and size < 0:
            raise self.source.refusal(node, f"a size is 0 or more, not {size}")
        return size

    def _dim(self, node: ast.expr, declares: bool) -> Dim:
        """An int, or a polynomial over symbols, evaluated."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name):
            return self.symbol(node, declares)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self._dim(node.operand, declares)
        if isinstance(node, ast.BinOp) and type(node.op) in _DIM_OPERATORS:
            left, right = self._dim(node.left, declares), self._dim(node.right, declares)
            try:
                return _DIM_OPERATORS[type(node.op)](left, right)
            except S2sadError as error:
                self.source.reraise(error, node)
            except ZeroDivisionError as error:
                raise self.source.refusal(node, "a size is divided by 0") from error
        raise self.source.refusal(node, "this is no size", help="sizes are ints, symbols, 2*B + 1")

    def symbol(self, node: ast.Name, declares: bool = False) -> Symbolic:
        """The symbol called so."""
        if node.id not in self.symbols:
            if not declares:
                line = f'write `{node.id} = symbol("{node.id}")`'
                help = did_you_mean(node.id, self.symbols) or line
                raise self.source.refusal(node, f"no symbol is called {node.id}", help=help)
            self.declare(node, node.id)
        return self.symbols[node.id]

    def declare(self, node: ast.AST, name: str) -> None:
        """Let `name` be a symbol from here on."""
        try:
            self.symbols[name] = symbol(name)  # type: ignore[assignment]
        except S2sadError as error:
            self.source.reraise(error, node)

    # ---- numbers and attributes ------------------------------------------------------------

    def number(self, node: ast.expr) -> bool | int | float | None:
        """The Python number that `node` writes; None where it writes none."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, (bool, int, float)) else None
        if isinstance(node, ast.Name):
            return _FLOATS.get(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self.number(node.operand)
            return None if number is None or isinstance(number, bool) else -number
        return None

    def attribute(self, node: ast.expr) -> Any:
        """The literal that an attribute is given."""
        number = self.number(node)
        if number is not None:
            return number
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str)):
            return node.value
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.attribute(item) for item in node.elts)
        if isinstance(node, ast.Name):
            if node.id in self.symbols:
                return self.symbols[node.id]
            return self.type(node)
        if isinstance(node, ast.Subscript):
            return self.type(node)
        if isinstance(node, (ast.BinOp, ast.UnaryOp)):
            return self._dim(node, False)
        raise self.source.refusal(
            node, "this is no static fact", help="attributes are numbers, strings, tuples and types"
        )

    # ---- constants -------------------------------------------------------------------------

    def constant(self, node: ast.expr, shape: tuple[Dim, ...]) -> Any:
        """What stands first in ``p.const``: a number, `bits`, a key, or tuples of these."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return node.value
        return self._elements(node, shape) if isinstance(node, ast.Tuple) else self._element(node)

    def _elements(self, node: ast.expr, shape: tuple[Dim, ...]) -> Any:
        if not shape:
            return self._element(node)
        if not isinstance(node, ast.Tuple) or len(node.elts) != shape[0] or not node.elts:
            raise self.source.refusal(
                node,
                f"a tuple of length {shape[0]} is needed here",
                help="the tuples of a constant nest as its shape; one number alone fills it",
            )
        return tuple(self._elements(item, shape[1:]) for item in node.elts)

    def _element(self, node: ast.expr) -> Any:
        number = self.number(node)
        if number is not None:
            return number
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "bits"
            and len(node.args) == 1
            and not node.keywords
        ):
            pattern = self.number(node.args[0])
            if type(pattern) is int:
                return bits(pattern)
        raise self.source.refusal(
            node, "this is no element of a constant", help="write a number or bits(0x7fc00001)"
        )
