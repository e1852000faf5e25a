"""`ms.mint`: operations, layers and optimizers whose arguments are named as torch names them."""

from importlib import import_module as _import_module
from typing import Any as _Any

from s2sad.core.elsewhere import missing as _missing
from s2sad.mint.operations import OPERATIONS

globals().update(OPERATIONS)

#: Packages and modules that are imported on first need.
_PACKAGES = ("distributed", "linalg", "nn", "optim", "special")

__all__ = sorted([*OPERATIONS, *_PACKAGES])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> _Any:
    if name in _PACKAGES:
        return _import_module(f"s2sad.mint.{name}")
    raise _missing("s2sad.mint", name, __all__)
