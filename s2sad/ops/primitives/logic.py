"""Which objects compute with truth, and with bits?"""

from __future__ import annotations

from s2sad.ops import logic
from s2sad.ops.primitives.base import like

BOOLS = "ms.Tensor([True, False]), ms.Tensor([True, True])"
BITS = "ms.Tensor([6], ms.int32), ms.Tensor([3], ms.int32)"

BitwiseAnd = like(logic.bitwise_and, "BitwiseAnd", BITS, "[2]")
BitwiseOr = like(logic.bitwise_or, "BitwiseOr", BITS, "[7]")
BitwiseXor = like(logic.bitwise_xor, "BitwiseXor", BITS, "[5]")
Invert = like(logic.bitwise_not, "Invert", "ms.Tensor([6], ms.int32)", "[-7]")
LogicalAnd = like(logic.logical_and, "LogicalAnd", BOOLS, "[True, False]")
LogicalNot = like(logic.logical_not, "LogicalNot", "ms.Tensor([True, False])", "[False, True]")
LogicalOr = like(logic.logical_or, "LogicalOr", BOOLS, "[True, True]")
LogicalXor = like(logic.logical_xor, "LogicalXor", BOOLS, "[False, True]")
