"""What MindSpore offers under ``mindspore.dataset.transforms``: transforms of any column.

Each can be called on an array by itself.
"""

from s2sad.core.elsewhere import missing as _missing
from s2sad.dataset.transforms.base import Transform
from s2sad.dataset.transforms.compositions import Compose, RandomApply, RandomChoice, RandomOrder
from s2sad.dataset.transforms.values import (
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Relational,
    Slice,
    TypeCast,
    Unique,
)

#: MindSpore's names for the base of transforms.
PyTensorOperation = TensorOperation = Transform

__all__ = [
    "Compose", "Concatenate", "Duplicate", "Fill", "Mask", "OneHot", "PadEnd", "PyTensorOperation",
    "RandomApply", "RandomChoice", "RandomOrder", "Relational", "Slice", "TensorOperation",
    "TypeCast", "Unique",
]  # fmt: skip


def __getattr__(name: str) -> object:
    raise _missing("s2sad.dataset.transforms", name, __all__)
