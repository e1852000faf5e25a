"""What does ``FILE:OBJECT`` name, and what are the arguments that ``--input`` describes?"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.tensor import Tensor
from s2sad.core.transform import unwrapped
from s2sad.ir.types import parse_type
from s2sad.tools.inputs import random_input


def find_target(text: str, *, train: bool) -> Any:
    """The object that ``FILE:OBJECT`` names; of a Cell class, an instance made without arguments.

    Parameters
    ----------
    text : str
        ``net.py:Net`` or ``package.module:net.block``. The file is executed, as by an import.
    train : bool
        Whether a Cell is let train; otherwise it stays as it is.

    Raises
    ------
    S2sadError
        E0303 for text of another form, E0604 for a file that is not there, E0220 for a name that
        is not in it, E0304 for what can be neither called nor compiled. What the file itself
        raises passes through.
    """
    file, colon, path = text.rpartition(":")
    if not colon or not path:
        raise fail("E0303", f"{text!r} is not FILE:OBJECT", help="such as net.py:Net")
    found: Any = _module(file)
    for name in path.split("."):
        if not hasattr(found, name):
            hint = did_you_mean(name, [x for x in dir(found) if not x.startswith("_")])
            raise fail("E0220", f"{file} has no {path!r}", help=hint)
        found = getattr(found, name)
    if isinstance(found, type) and issubclass(found, Cell):
        found = _instance(found, text)
    if not callable(found):
        raise fail("E0304", f"{text} is a {type(found).__name__}, no Cell and no function")
    function = unwrapped(found)
    if train and isinstance(function, Cell):
        function.set_train(True)
    return function


def names_object(text: str) -> bool:
    """Whether `text` is ``FILE:OBJECT``, and no file of that name.

    Examples
    --------
    >>> names_object("net.py:Net"), names_object("net.py"), names_object("nets:/net.py")
    (True, False, False)
    """
    file, _, path = text.rpartition(":")
    is_name = all(part.isidentifier() for part in path.split("."))
    return bool(file) and is_name and not Path(text).exists()


def _instance(kind: type[Cell], text: str) -> Cell:
    try:
        return kind()
    except TypeError as error:
        raise fail(
            "E0302", f"{kind.__name__}() cannot be made without arguments: {error}",
            help=f"name an instance: net = {kind.__name__}(...), and {text.rpartition(':')[0]}:net",
        ) from error  # fmt: skip


def _module(name: str) -> ModuleType:
    path = Path(name)
    if path.suffix != ".py":
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not name.startswith(error.name):
                raise
            raise fail("E0604", f"there is no module {name!r}", help="or name a .py file") from None
    if not path.is_file():
        raise fail("E0604", f"there is no file {name}")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    sys.path.insert(0, str(path.parent.resolve()))  # as ``python net.py`` has it
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module


def random_arguments(inputs: Sequence[str], seed: int) -> list[Any]:
    """An argument for each of `inputs`: a random Tensor for a type, the value of any literal.

    Raises
    ------
    S2sadError
        E0303 for a text that is neither.

    Examples
    --------
    >>> tensor, number = random_arguments(["i32[3]", "0.5"], seed=0)
    >>> tensor.shape, number
    ((3,), 0.5)
    """
    rng = np.random.default_rng(seed)
    return [_argument(text, rng) for text in inputs]


def _argument(text: str, rng: np.random.Generator) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return Tensor.wrap(random_input(parse_type(text), rng))
