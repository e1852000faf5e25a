"""Which data types and formats does GE have, and by which numbers does it call them?

A data type has two numbers: descriptors of tensors hold that of the file format, attributes that of
the engine's own enumeration.
"""

from __future__ import annotations

from typing import NamedTuple

from s2sad.backends.ascend.tables import table
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType


class DataType(NamedTuple):
    """A data type of GE.

    Attributes
    ----------
    name : str
        ``"DT_FLOAT"``.
    number : int
        In descriptors of tensors.
    attribute : int
        In attributes, such as ``dst_type`` of Cast.
    nbytes : int or None
        Of one element; None for strings and for types of less than a byte.
    """

    name: str
    number: int
    attribute: int
    nbytes: int | None


class Format(NamedTuple):
    """What the axes of a tensor mean, or how they are laid out: ``layout`` is its word in files."""

    name: str
    number: int
    layout: str | None


DATA_TYPES = {row[0]: DataType(*row) for row in table("messages")["data_types"]}
BY_NUMBER = {x.number: x for x in DATA_TYPES.values()}
BY_ATTRIBUTE = {x.attribute: x for x in DATA_TYPES.values()}
FORMATS = {row[2]: Format(*row) for row in table("messages")["formats"]}

UNDEFINED = DATA_TYPES["DT_UNDEFINED"]

#: The types that both s2sad and GE have.
OF_DTYPE: dict[DType, DataType] = {
    dtype: DATA_TYPES[name]
    for dtype, name in {
        dtypes.bool_: "DT_BOOL", dtypes.bfloat16: "DT_BF16", dtypes.float16: "DT_FLOAT16",
        dtypes.float32: "DT_FLOAT", dtypes.float64: "DT_DOUBLE", dtypes.int8: "DT_INT8",
        dtypes.int16: "DT_INT16", dtypes.int32: "DT_INT32", dtypes.int64: "DT_INT64",
        dtypes.uint8: "DT_UINT8",
    }.items()
}  # fmt: skip
TO_DTYPE = {data_type.name: dtype for dtype, data_type in OF_DTYPE.items()}


def data_type_of(dtype: DType) -> DataType:
    """GE's type for `dtype`.

    Examples
    --------
    >>> data_type_of(dtypes.float16)
    DataType(name='DT_FLOAT16', number=2, attribute=1, nbytes=2)
    """
    return OF_DTYPE[dtype]


def dtype_of(name: str) -> DType:
    """The dtype that GE calls `name`; E0301 where s2sad has none like it.

    Examples
    --------
    >>> dtype_of("DT_BF16").name
    'bfloat16'
    """
    if name not in TO_DTYPE:
        raise fail("E0301", f"no dtype of s2sad is like {name}")
    return TO_DTYPE[name]
