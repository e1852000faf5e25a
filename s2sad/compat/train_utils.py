"""What do programs take of ``mindspore.train._utils``?"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from s2sad.compat.checktypes import check_value_type as _check
from s2sad.compat.dtypes import pytype_to_dtype
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.shown import shown


def check_value_type(arg_name: str, arg_value: Any, valid_types: Any) -> None:
    """E0303 unless `arg_value` is of one of `valid_types`.

    Examples
    --------
    >>> check_value_type("steps", 3, int)
    """
    _check(arg_name, arg_value, valid_types)


def make_directory(path: Any, arg_name: str = "path") -> str:
    """`path` from the root on, a folder that is made where there is none.

    E0303 for what is no str, E0404 for an empty one, and what the system raises.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(make_directory(f"{folder}/a/b")).is_dir()
    True
    """
    if not isinstance(path, str):
        raise fail("E0303", f"{arg_name} is a str, got {shown(path)}")
    if not path.strip():
        raise fail("E0404", f"{arg_name} is not empty")
    folder = Path(path).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder)


def convert_type(types: Iterable[Any]) -> list[DType]:
    """The dtypes of types of NumPy (E0303).

    Examples
    --------
    >>> import numpy as np
    >>> convert_type([np.dtype(np.float32)])
    [s2sad.float32]
    """
    return [pytype_to_dtype(getattr(each, "type", each)) for each in types]


def types_and_shapes(dataset: Any) -> tuple[list[DType], list[Any]]:
    """Dtypes and shapes of the columns of a data set.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import dataset as ds
    >>> types_and_shapes(ds.NumpySlicesDataset(np.ones((4, 2), np.float32)).batch(2))
    ([s2sad.float32], [[2, 2]])
    """
    return convert_type(dataset.output_types()), dataset.output_shapes()
