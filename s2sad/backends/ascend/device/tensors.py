"""What does a device hold as a tensor, and as what do operators see its numbers?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.backends.ascend.datatypes import dtype_of
from s2sad.backends.ascend.device.memory import Block
from s2sad.backends.ascend.graph import Desc
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail

#: Types that only the engine has, and how they are stored.
UNSIGNED = {"DT_UINT64": np.dtype(np.uint64), "DT_UINT32": np.dtype(np.uint32)}
#: How NumPy's kinds of numbers are called here.
KINDS = {"f": "float", "i": "int", "u": "int", "b": "bool"}


@dataclass(eq=False)
class Tensor:
    """A tensor on the device.

    Attributes
    ----------
    value : ndarray or object
        As its type stores it, bfloat16 as bits; of a resource, what it stands for; None for a
        Variable that nothing was assigned to.
    desc : Desc
    block : Block
    is_state : bool
        Whether operators may write it in place: a RefData or a Variable.
    """

    value: Any
    desc: Desc
    block: Block
    is_state: bool = False

    def as_value(self) -> Tensor:
        """What it holds now, as a tensor that is not written in place."""
        return Tensor(self.value, self.desc, self.block)


def opened(value: Any, desc: Desc) -> Any:
    """The numbers of a tensor as operators compute with them: narrow floats as float32."""
    return value if desc.type == "DT_RESOURCE" else dtypes.widen(value)


def closed(array: Any, desc: Desc, type: str) -> Any:
    """What the operator `type` made, rounded once to the type of `desc`.

    Raises
    ------
    S2sadError
        E0717 for numbers of another kind, or another shape, than the descriptor says.
    """
    if desc.type == "DT_RESOURCE":
        return array
    array = np.asarray(array)
    if -1 not in desc.shape and desc.shape != (-2,) and array.shape != desc.shape:
        raise fail("E0717", f"it gives {list(array.shape)}, and is described as {desc}")
    if desc.type in UNSIGNED:
        return array.astype(UNSIGNED[desc.type])
    dtype = dtype_of(desc.type)
    kind = "int" if dtype.is_integer else dtype.kind
    if type != "Cast" and KINDS.get(array.dtype.kind) != kind:
        raise fail("E0717", f"it gives {array.dtype}, and is described as {desc}")
    return np.ascontiguousarray(dtypes.narrow(array, dtype)).reshape(array.shape)


def storage_of(type: str) -> np.dtype:
    """As what NumPy stores elements of `type`."""
    return UNSIGNED[type] if type in UNSIGNED else dtype_of(type).storage


def stored(array: Any, desc: Desc, name: str) -> np.ndarray:
    """What a host gives as the input `name`: elements as the type of `desc` stores them (E0717)."""
    array = np.asarray(array)
    storage = storage_of(desc.type)
    if array.dtype != storage or array.shape != desc.shape:
        what = f"{name} takes {desc}, elements stored as {storage}, got "
        raise fail("E0717", what + f"{list(array.shape)} of {array.dtype}")
    return np.array(array, order="C")
