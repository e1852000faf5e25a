"""MindSpore's functions of `ops` under their older path: ``from s2sad.ops import functional as F``.

All functions of `ops` are here, and the names that are only known under this path.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from s2sad.ops import add as tensor_add
from s2sad.ops import div as tensor_div
from s2sad.ops import floor_div as tensor_floordiv
from s2sad.ops import floor_mod as tensor_mod
from s2sad.ops import ge as tensor_ge
from s2sad.ops import gt as tensor_gt
from s2sad.ops import le as tensor_le
from s2sad.ops import lt as tensor_lt
from s2sad.ops import mul as tensor_mul
from s2sad.ops import neg as neg_tensor
from s2sad.ops import pow as tensor_pow
from s2sad.ops import slice as tensor_slice
from s2sad.ops import sub as tensor_sub

__all__ = [
    "neg_tensor", "tensor_add", "tensor_div", "tensor_floordiv", "tensor_ge", "tensor_gt",
    "tensor_le", "tensor_lt", "tensor_mod", "tensor_mul", "tensor_pow", "tensor_slice",
    "tensor_sub",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    return getattr(import_module("s2sad.ops"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(import_module("s2sad.ops"))})
