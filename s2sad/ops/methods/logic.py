"""Which methods of Tensor combine truth values and bits?"""

from __future__ import annotations

from s2sad.ops import logic

METHODS = {
    "__and__": logic.bitwise_and, "__or__": logic.bitwise_or, "__xor__": logic.bitwise_xor,
    "__invert__": logic.logical_not, "__lshift__": logic.bitwise_left_shift,
    "__rshift__": logic.bitwise_right_shift, "bitwise_and": logic.bitwise_and,
    "bitwise_left_shift": logic.bitwise_left_shift, "bitwise_not": logic.bitwise_not,
    "bitwise_or": logic.bitwise_or, "bitwise_right_shift": logic.bitwise_right_shift,
    "bitwise_xor": logic.bitwise_xor, "logical_and": logic.logical_and,
    "logical_not": logic.logical_not, "logical_or": logic.logical_or,
    "logical_xor": logic.logical_xor,
}  # fmt: skip
