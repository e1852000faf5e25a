"""How is a program written for somebody else's engine? As a graph for Ascend, so far.

MindSpore's `export` writes networks; here a whole step of training may be written as well, with its
state beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.backends.ascend.checking import require
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.lowering.program import Lowered, lower
from s2sad.backends.ascend.run_file import NAME, read
from s2sad.backends.ascend.sink import single
from s2sad.binding.program import Program
from s2sad.checkpoints.files import checked_path
from s2sad.checkpoints.saving import save_checkpoint
from s2sad.compiler import program_for_engine
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ir.archive import write_whole

FORMATS = ("MINDIR", "ONNX", "AIR")


def export(net: Any, *inputs: Any, file_name: Any, file_format: Any, **kwargs: Any) -> None:
    """Write `net`, compiled for `inputs`, as a file of another engine.

    Parameters
    ----------
    net : Cell or function
    *inputs : Tensor or other argument
        Of a call: their shapes and dtypes are those of the program.
    file_name : str or Path
        Without its ending, which is the format's.
    file_format : {"AIR"}
        A graph for Ascend. Of a network that writes no Parameter it is one file, ``net.air``, and
        Parameters are constants in it. A step of training keeps its Parameters in the device's
        memory: beside ``step.air`` stand ``run.json``, which says how it is run, and ``step.ckpt``,
        what they hold.
    **kwargs
        MindSpore's other settings, which concern other formats (E0302).

    Raises
    ------
    S2sadError
        E0304 for what is neither a Cell nor a function, E0404 for another format, E0712 for one
        that is not written yet and without protobuf; E0301, E0402 and E0712 at the user's line for
        what a device does not compute; E0604 where ``run.json`` is that of another step.

    Examples
    --------
    >>> import os, tempfile
    >>> import s2sad as ms
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     name = f"{folder}/net"
    ...     ms.export(ms.nn.ReLU(), ms.Tensor([1.0]), file_name=name, file_format="AIR")
    ...     os.listdir(folder)
    ['net.air']
    """
    if not isinstance(net, Cell) and not callable(net):
        raise fail("E0304", f"a Cell or a function is exported, got a {type(net).__name__}")
    if file_format not in FORMATS:
        raise fail("E0404", f"file_format is 'MINDIR', 'ONNX' or 'AIR', got {file_format!r}")
    if file_format != "AIR":
        raise fail(
            "E0712", f"s2sad does not write {file_format} yet",
            help="ms.compile(net).dump(folder, *inputs) writes the program, which load_ir reads; "
            "save_checkpoint the values",
        )  # fmt: skip
    if kwargs:
        raise fail("E0302", f"export as AIR takes no {next(iter(kwargs))!r}")
    path = checked_path("file_name", file_name)
    path = path.with_name(path.name.removesuffix(".air"))
    program = program_for_engine(net, inputs, {})
    lowered = lower(program.function, path.name, constants_of(program))
    require(lowered.model)
    path.parent.mkdir(parents=True, exist_ok=True)
    if lowered.state:
        step = single(lowered)
        require_own_folder(path.parent, set(step.models))
        step.write(path.parent)
        save_checkpoint(_state(program, lowered), str(path.with_name(f"{path.name}.ckpt")))
    else:
        data = encode(lowered.model)
        write_whole(path.with_name(f"{path.name}.air"), lambda file: file.write(data))


def require_own_folder(folder: Path, files: set[str]) -> None:
    """Refuse to write over the ``run.json`` of other graphs than `files` (E0604)."""
    if not (folder / NAME).exists():
        return
    others = {entry.file for entry in read(folder).graphs} - files
    if others:
        raise fail(
            "E0604", f"{folder / NAME} says how {min(others)} is run, and would be lost",
            help="export each step into a folder of its own",
        )  # fmt: skip


def constants_of(program: Program) -> Mapping[int, np.ndarray]:
    """Inputs that come from no argument and that the program does not write, and what they hold."""
    return {
        number: source.array
        for number, source in enumerate(program.sources)
        if isinstance(source, Tensor) and number not in program.function.donates
    }


def _state(program: Program, lowered: Lowered) -> list[dict[str, Any]]:
    """What the state holds, by the names that the graph has for it."""
    found = []
    for number, name in lowered.state.items():
        source = program.sources[number]
        assert isinstance(source, Tensor)
        found.append({"name": name, "data": Tensor(source)})
    return found


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
