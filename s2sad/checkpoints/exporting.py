"""What does `export` say, as long as there is no writer of other frameworks' programs?"""

from __future__ import annotations

from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail

FORMATS = ("MINDIR", "ONNX", "AIR")


def export(net: Any, *inputs: Any, file_name: Any, file_format: Any, **kwargs: Any) -> None:
    """MindSpore's, which writes a compiled network; here it says that it cannot.

    Raises
    ------
    S2sadError
        E0304 for what is neither a Cell nor a function, E0404 for another format, else E0712.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.export(ms.nn.ReLU(), ms.Tensor([1.0]), file_name="net", file_format="MINDIR")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0712] s2sad does not write MINDIR yet
    ...
    """
    if not isinstance(net, Cell) and not callable(net):
        raise fail("E0304", f"a Cell or a function is exported, got a {type(net).__name__}")
    if file_format not in FORMATS:
        raise fail("E0404", f"file_format is 'MINDIR', 'ONNX' or 'AIR', got {file_format!r}")
    raise fail(
        "E0712", f"s2sad does not write {file_format} yet",
        help="ms.compile(net).dump(folder, *inputs) writes the program, which load_ir reads and "
        "nn.GraphCell runs; save_checkpoint the values",
    )  # fmt: skip


def load(file_name: Any, **kwargs: Any) -> None:
    """MindSpore's, which reads a MINDIR; here it says that it cannot (E0712).

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.load("net.mindir")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0712] s2sad does not read MINDIR yet: net.mindir
    ...
    """
    raise fail(
        "E0712", f"s2sad does not read MINDIR yet: {file_name}",
        help="load_ir reads a program that s2sad has dumped, load_checkpoint values",
    )  # fmt: skip
