"""How does a function lie in a file?

As text, with the constants that are too big for it in an ``.npz`` of the same name. Both are
written whole or not at all, and checked when they are read; nothing in them is executed.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.ir.archive import by_number, load_arrays, save_arrays, write_whole
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Primitive
from s2sad.ir.printer import Constants, print_text
from s2sad.ir.reader import read_text


def save(function: Function, path: str | Path, *, style: str = "flat", stage: str = "") -> None:
    """Write `function` to `path`, a ``.py`` file that ``python`` runs.

    Constants of more than 16 elements that differ go to ``NAME.npz`` beside ``NAME.py``, which is
    written first. An error leaves what was there before.

    Parameters
    ----------
    function : Function
    path : path
        In a directory that exists.
    style, stage : str
        As for `print_text`.

    Raises
    ------
    S2sadError
        E0604 when the files cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda x: p.add(x, p.const(np.ones(32, np.float32), f32[32])),
    ...                           [f32[32]], names=["x"])
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     save(function, Path(directory, "sum.py"))
    ...     load(Path(directory, "sum.py"), p.ALL)
    <function main(f32[32]) -> (f32[32])>
    """
    path = Path(path)
    constants = Constants(path.with_suffix(".npz").name)
    text = print_text(function, style=style, stage=stage, constants=constants, script=True)
    if constants.arrays:
        save_arrays(path.with_suffix(".npz"), constants.arrays)
    write_whole(path, lambda file: file.write(text.encode()))


def load(path: str | Path, vocabulary: Mapping[str, Primitive]) -> Function:
    """The function in the file `path`.

    Parameters
    ----------
    path : path
    vocabulary : mapping of str to Primitive
        ``s2sad.prims.ALL``.

    Raises
    ------
    S2sadError
        E0604 when there is no such file; E0601, E0602, E0603 and those of the type rules, as from
        `read_text`.
    """
    path = Path(path)
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise fail("E0604", f"the dump cannot be read: {error}") from error
    except UnicodeDecodeError as error:
        raise fail("E0601", f"{path} is no text in UTF-8: {error}") from error
    return read_text(
        text,
        vocabulary,
        filename=str(path),
        beside=lambda file: load_arrays(path.with_name(file)),
    )


def save_inputs(path: str | Path, inputs: Sequence[Any]) -> None:
    """Write `inputs`, arrays and stacks, to where the dump `path` looks when it is run."""
    save_arrays(Path(path).with_suffix(".in.npz"), by_number("input", inputs))


def parameter_places(dump: Path) -> list[Location]:
    """Where each parameter of the dump's function stands, then where its name does."""
    tree = ast.parse(dump.read_text(encoding="utf-8"))
    definition = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
    places = [
        Location(str(dump), arg.lineno, arg.col_offset, None, arg.end_col_offset)
        for arg in definition.args.args
    ]
    column = definition.col_offset + len("def ")
    end = column + len(definition.name.encode())
    return [*places, Location(str(dump), definition.lineno, column, None, end)]
