"""What becomes of a function at each stage, and where is that written?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from s2sad.compiled import Compiled, compile
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.transform import Transform, value_and_grad
from s2sad.ir import store
from s2sad.ir.printer import print_text
from s2sad.tools.tables import show, show_table
from s2sad.tools.targets import find_target, random_arguments

#: The whole program as a person reads it, in place of one stage.
SOURCE = "source"


def dump(
    target: str,
    inputs: Sequence[str],
    *,
    grad: bool,
    stage: str,
    folder: Path | None,
    seed: int,
    train: bool,
) -> int:
    """Compile what `target` names for `inputs`, and print or write its stages.

    Parameters
    ----------
    target : str
        ``FILE:OBJECT``.
    inputs : sequence of str
        Types of tensors, or literals: the arguments in order.
    grad : bool
        Whether its value and gradients are compiled, with respect to all arguments and all
        trainable Parameters.
    stage : str
        ``"all"``, a stage such as ``"04-joint"`` or ``"joint"``, or ``"source"``.
    folder : Path, optional
        Where files go; one stage is printed without it.
    seed : int
        Of the random inputs that are written beside each stage.
    train : bool
        Whether a Cell is let train.

    Returns
    -------
    int
        0
    """
    function = find_target(target, train=train)
    arguments = random_arguments(inputs, seed)
    compiled = compile(with_gradient(function, arguments) if grad else function)
    if stage == "all":
        return _dump_all(compiled, arguments, folder or Path("dump"))
    text = _text_of(compiled, arguments, stage)
    if folder is None:
        show(text.rstrip("\n"))
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stage}.py"
    store.write_whole(path, lambda file: file.write(text.encode()))
    show(str(path))
    return 0


def with_gradient(function: Any, arguments: Sequence[Any]) -> Transform:
    """Value and gradients of `function` with respect to all float arguments and its Parameters."""
    if isinstance(function, Transform):
        raise fail("E0304", "a gradient is named already", help="leave out --grad")
    places = tuple(i for i, x in enumerate(arguments) if hasattr(x, "dtype") and x.dtype.is_float)
    weights = function.trainable_params() if isinstance(function, Cell) else None
    return value_and_grad(function, places or None, weights or None)


def _dump_all(compiled: Compiled, arguments: Sequence[Any], folder: Path) -> int:
    stages = compiled.lower(*arguments)
    paths = stages.dump(folder)
    for path in paths:
        store.save_inputs(path, compiled.inputs(*arguments))
    counts = [sum(1 for _ in function.walk()) for _, function in stages.functions]
    show(f"{compiled.__name__}: {len(paths)} stages, each runs: python {paths[0]}", "bold")
    show_table(("stage", "operations"), list(zip(map(str, paths), map(str, counts), strict=True)))
    return 0


def _text_of(compiled: Compiled, arguments: Sequence[Any], stage: str) -> str:
    stages = compiled.lower(*arguments)
    if stage == SOURCE:
        return print_text(stages.readable, style="source")
    names = [name for name, _ in stages.functions]
    for name, function in reversed(stages.functions):
        if stage in (name, name[3:]):
            return print_text(function, stage=f"after {name}")
    known = [*names, *(name[3:] for name in names)]
    raise fail(
        "E0404", f"there is no stage {stage!r}", help=did_you_mean(stage, known) or ", ".join(names)
    )
