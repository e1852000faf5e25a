"""Which dtype of NumPy, or type of Python, is a dtype, and the reverse?"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType

__all__ = ["dtype_to_nptype", "dtype_to_pytype", "pytype_to_dtype"]

_OF_PYTHON = {bool: dtypes.bool_, int: dtypes.int64, float: dtypes.float64}


def dtype_to_nptype(type_: DType) -> Any:
    """NumPy's type for `type_`.

    Raises
    ------
    S2sadError
        E0303 for what is no dtype, E0404 for bfloat16, of which NumPy has none.

    Examples
    --------
    >>> dtype_to_nptype(dtypes.int32)
    <class 'numpy.int32'>
    """
    _require(type_)
    if type_ is dtypes.bfloat16:
        raise fail("E0404", "NumPy has no bfloat16", help="cast to float32 first")
    return type_.storage.type


def dtype_to_pytype(type_: DType) -> type:
    """Python's type for elements of `type_`: bool, int or float.

    Raises
    ------
    S2sadError
        E0303 for what is no dtype.

    Examples
    --------
    >>> dtype_to_pytype(dtypes.bfloat16)
    <class 'float'>
    """
    _require(type_)
    return {"bool": bool, "float": float}.get(type_.kind, int)


def pytype_to_dtype(obj: Any) -> DType:
    """The dtype for a type of Python or NumPy, or a dtype, which is that itself.

    Raises
    ------
    S2sadError
        E0303 for any other object.

    Examples
    --------
    >>> pytype_to_dtype(bool), pytype_to_dtype(np.float16)
    (s2sad.bool, s2sad.float16)
    """
    if isinstance(obj, DType):
        return obj
    if isinstance(obj, type) and obj in _OF_PYTHON:
        return _OF_PYTHON[obj]
    if isinstance(obj, type) and issubclass(obj, np.generic):
        found = dtypes.BY_STORAGE.get(np.dtype(obj))
        if found is not None and found is not dtypes.bfloat16:
            return found
    raise fail("E0303", f"there is no dtype for {obj!r}")


def _require(type_: Any) -> None:
    if not isinstance(type_, DType):
        raise fail("E0303", f"a dtype such as float32 is needed, got {type_!r}")
