"""How are the graphs beside a ``run.json`` run, and what do their inputs and results mean?

A graph file does not say which graph comes first, how many steps one call runs, or from which queue
a batch comes; this file does. Who runs it needs nothing else.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from s2sad.backends.ascend.datatypes import TO_DTYPE
from s2sad.core.diagnostics import fail
from s2sad.ir.archive import write_whole

FORMAT = 1
NAME = "run.json"

#: The Variables by which the engine loops over a graph that needs iteration; the first holds N - 1.
PER_LOOP = "npu_runconfig/iterations_per_loop"
LOOP_CONDITION = "npu_runconfig/loop_cond"
ONE, ZERO = "npu_runconfig/one", "npu_runconfig/zero"


@dataclass(frozen=True)
class Input:
    """An input of a graph, by the index of its Data or RefData.

    Attributes
    ----------
    name : str
        Of the node; state has the same name in every graph.
    kind : {"state", "value"}
        State stays on the device, and is there before the graph runs; a value is given at each run.
    type : str
        GE's, such as ``"DT_FLOAT"``.
    shape : tuple of int
    number : int
        Which input of the program it is.
    """

    name: str
    kind: str
    type: str
    shape: tuple[int, ...]
    number: int


@dataclass(frozen=True)
class Result:
    """A result of a graph, by its place in NetOutput.

    Attributes
    ----------
    type : str
    shape : tuple of int
    number : int
        Which result of the program it is.
    each_step : bool
        Whether its first axis counts the steps of a call; otherwise it is of the last step.
    """

    type: str
    shape: tuple[int, ...]
    number: int
    each_step: bool


@dataclass(frozen=True)
class GraphEntry:
    """A graph, and how it is run.

    Attributes
    ----------
    name : str
    file : str
        Beside ``run.json``.
    role : {"init", "step"}
        What initializes runs once, before all others and in the order of the list.
    need_iteration : bool
        Whether to call ``SetNeedIteration(true)`` before the graph is added: no file has that flag.
    steps : int
        Steps of the program that one run of the graph does.
    inputs : tuple of Input
    results : tuple of Result
    """

    name: str
    file: str
    role: str
    need_iteration: bool
    steps: int
    inputs: tuple[Input, ...]
    results: tuple[Result, ...]


@dataclass(frozen=True)
class Channel:
    """A queue that the host fills with batches, one for each step.

    Attributes
    ----------
    name : str
        ``channel_name`` of GetNext.
    types : tuple of str
    shapes : tuple of tuple of int
    numbers : tuple of int
        Which inputs of the program the columns of a batch are.
    capacity : int
        Batches that wait in it at most.
    """

    name: str
    types: tuple[str, ...]
    shapes: tuple[tuple[int, ...], ...]
    numbers: tuple[int, ...]
    capacity: int = 128


@dataclass(frozen=True)
class RunFile:
    """What a ``run.json`` says.

    Attributes
    ----------
    format : int
    form : {"step", "engine", "while"}
        One step a call; the loop that the engine makes of ``need_iteration``; a While in the graph.
    is_verified : bool
        Whether public sources say that devices run this form: of a GetNext in a While they do not.
    soc_version : str
    graphs : tuple of GraphEntry
    channels : tuple of Channel

    Examples
    --------
    >>> print(as_json(RunFile(1, "step", True, "Ascend910B1", (), ())))
    {
      "format": 1,
      "form": "step",
      "is_verified": true,
      "soc_version": "Ascend910B1",
      "graphs": [],
      "channels": []
    }
    """

    format: int
    form: str
    is_verified: bool
    soc_version: str
    graphs: tuple[GraphEntry, ...]
    channels: tuple[Channel, ...]


#: Words that a field may hold.
CHOICES = {
    "kind": ("state", "value"), "role": ("init", "step"), "form": ("step", "engine", "while"),
}  # fmt: skip


def as_json(run: RunFile) -> str:
    """The text of the file."""
    return json.dumps(asdict(run), indent=2)


def from_json(text: str) -> RunFile:
    """What a file of the text `text` says.

    Raises
    ------
    S2sadError
        E0609 for text of another form: which field, what it holds and what it should.

    Examples
    --------
    >>> from_json('{"format": 1, "form": "loop"}')
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadFileError: [E0609] form in run.json is 'loop', not one of step, \
engine, while
    """
    try:
        read = json.loads(text)
    except ValueError as error:
        raise fail("E0609", f"{NAME} is no JSON: {error}") from None
    if isinstance(read, dict) and read.get("format") != FORMAT:
        what = f"{NAME} is of format {read.get('format')!r}, this version reads {FORMAT}"
        raise fail("E0609", what)
    return _read(RunFile, read, "")


def write(run: RunFile, folder: Path) -> Path:
    """Write `run` as ``run.json`` into `folder`; its path."""
    path = folder / NAME
    data = f"{as_json(run)}\n".encode()
    write_whole(path, lambda file: file.write(data))
    return path


def read(path: Path) -> RunFile:
    """What the file at `path`, or the ``run.json`` of a folder, says (E0604 without one)."""
    path = path / NAME if path.is_dir() else path
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise fail("E0604", f"{path} cannot be read: {error.strerror}") from None
    return from_json(text)


def _read(wanted: Any, value: Any, where: str) -> Any:
    """`value` of JSON as a `wanted`; `where` it stands is for the error."""
    if is_dataclass(wanted):
        return _read_fields(wanted, value, where)
    if get_origin(wanted) is tuple:
        if not isinstance(value, list):
            raise _wrong(where, value, "a list")
        of = get_args(wanted)[0]
        return tuple(_read(of, each, f"{where}[{i}]") for i, each in enumerate(value))
    if type(value) is not wanted:
        raise _wrong(where, value, WORDS[wanted])
    return value


def _read_fields(wanted: Any, value: Any, where: str) -> Any:
    if not isinstance(value, dict):
        raise _wrong(where, value, "an object")
    hints, found = get_type_hints(wanted), {}
    for name in value.keys() - hints.keys():
        raise fail("E0609", f"{_path(where, name)} in {NAME} is not known")
    for field in fields(wanted):
        place = _path(where, field.name)
        if field.name not in value:
            raise fail("E0609", f"{place} is missing in {NAME}")
        found[field.name] = _read(hints[field.name], value[field.name], place)
        choices = TYPES if field.name in ("type", "types") else CHOICES.get(field.name)
        _check_choice(place, found[field.name], choices)
    return wanted(**found)


def _check_choice(where: str, value: Any, choices: tuple[str, ...] | None) -> None:
    for each in value if isinstance(value, tuple) else (value,):
        if choices is not None and each not in choices:
            raise _wrong(where, each, f"one of {', '.join(choices)}")


def _path(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name


def _wrong(where: str, value: Any, wanted: str) -> Exception:
    return fail("E0609", f"{where or 'the whole'} in {NAME} is {value!r}, not {wanted}")


TYPES = tuple(TO_DTYPE)
WORDS = {str: "a text", int: "a whole number", bool: "true or false"}
