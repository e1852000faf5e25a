"""Which columns does a table of CSV have, and of which types?

A type is found as pandas finds it, which MindSpore asks: by all that stands in a column.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from s2sad.core.datafiles import read_bytes
from s2sad.core.diagnostics import fail

#: Of each column its type in a schema, and its values.
Table = dict[str, tuple[str, list[Any]]]

#: What stands for a missing value.
MISSING = frozenset({
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null",
})  # fmt: skip
BOOLS = {"True": 1, "TRUE": 1, "true": 1, "False": 0, "FALSE": 0, "false": 0}
_WHOLE = re.compile(r"\s*[+-]?[0-9]+\s*", re.ASCII)
_NUMBER = re.compile(
    r"\s*[+-]?([0-9]+\.?[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|inf|infinity)\s*",
    re.ASCII | re.IGNORECASE,
)


def read_csv(path: Path) -> Table:
    """The columns of a file, whose first line names them; empty lines count for nothing.

    Raises
    ------
    S2sadError
        E0604 without the file, E0608 where it is no table: rows longer than the first, a name
        twice, or no rows.
    """
    try:
        text = read_bytes(path).decode("utf-8-sig")
        lines = [line for line in csv.reader(io.StringIO(text, newline=""), strict=True) if line]
    except (UnicodeDecodeError, csv.Error) as error:
        raise fail("E0608", f"{path} is no table of CSV: {error}") from error
    if len(lines) < 2:
        raise fail("E0608", f"{path} has no rows")
    names, *rows = lines
    if len(set(names)) < len(names):
        raise fail("E0608", f"{path} names a column twice: {', '.join(names)}")
    for number, row in enumerate(rows, 1):
        if len(row) > len(names):
            raise fail("E0608", f"{path}: row {number} has {len(row)} fields, not {len(names)}")
    padded = [row + [""] * (len(names) - len(row)) for row in rows]
    return {name: typed([row[place] for row in padded]) for place, name in enumerate(names)}


def typed(column: Sequence[str]) -> tuple[str, list[Any]]:
    """The type of a column, and its values; a string that is missing is None.

    Examples
    --------
    >>> typed(["1", "2"]), typed(["1", ""]), typed(["true", "False"])
    (('int64', [1, 2]), ('float64', [1.0, nan]), ('int32', [1, 0]))
    >>> typed(["a", "NA", "3"])
    ('string', ['a', None, '3'])
    """
    there = [text for text in column if text not in MISSING]
    if len(there) == len(column) and all(map(_WHOLE.fullmatch, column)):
        whole = [int(text) for text in column]
        if -(2**63) <= min(whole) and max(whole) < 2**63:
            return "int64", whole
    elif all(map(_NUMBER.fullmatch, there)):
        return "float64", [float("nan") if text in MISSING else float(text) for text in column]
    elif len(there) == len(column) and all(text in BOOLS for text in column):
        return "int32", [BOOLS[text] for text in column]
    return "string", [None if text in MISSING else text for text in column]
