"""How does part of a program become a region that reads its own arguments only?

The part is evaluated into a region that reads what it likes; then what it reads from outside
becomes an argument as well, in a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter
from s2sad.frontend.carried import write_back, written_now
from s2sad.frontend.forms import is_tensor, tensors_in
from s2sad.frontend.frame import Frame
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder, discard
from s2sad.ir.clone import copy_operations
from s2sad.ir.graph import Region, Value
from s2sad.ir.types import Type

#: ``run(args, kwargs)``: what a function makes of its arguments.
Run = Callable[[list[Any], dict[str, Any]], Any]


@dataclass
class Part:
    """A call that was evaluated into a region.

    Attributes
    ----------
    operands : list of Value
        The tensors among the arguments, then the Parameters that the region takes.
    region : Region
        Takes those; yields the tensors of `result`, then what is left in the Parameters `written`.
    result : tree
        What the call gives, with values of the region in it.
    written : list of int
        Keys of captures.
    """

    operands: list[Value]
    region: Region
    result: Any
    written: list[int]


def read_part(
    frame: Frame, args: list[Any], kwargs: dict[str, Any], run: Run,
    parameters: Sequence[Parameter] = (), types: Sequence[Type] | None = None,
) -> Part:  # fmt: skip
    """Evaluate a call in a region of its own; outside nothing is written yet.

    Inside, `parameters`, each given once, hold arguments of the region; and the tensors among the
    arguments have the `types`, where those are given.
    """
    session, builder = frame.session, builders.current()
    inputs = [builder.value(x) for x in leaves([args, kwargs]) if is_argument(x)]
    operands = [*inputs, *(session.capture(parameter) for parameter in parameters)]
    taken = [value.type for value in operands] if types is None else types
    region = Region(taken, [value.name for value in operands])
    for value, operand in zip(region.args, operands, strict=True):
        value.is_weak = operand.is_weak
    given = with_values([args, kwargs], region.args[: len(inputs)])
    before, variables = written_now(frame), _variables(frame)
    try:
        for parameter, value in zip(parameters, region.args[len(inputs) :], strict=True):
            session.captures[id(parameter)].written = value
        entered = written_now(frame)
        with Builder(region).active() as inner:
            result = run(*given)
            values = [inner.value(leaf) for leaf in tensors_in(result)]
        _require_same(variables)
        after = written_now(frame)
        written = [key for key, value in after.items() if value is not entered.get(key)]
        region.set_reads([*values, *(session.captures[key].current for key in written)])
    finally:
        write_back(frame, before)
    return Part(operands, region, result, written)


def _variables(frame: Frame | None) -> list[tuple[Frame, dict[str, Any]]]:
    """The calls that led here, with what their variables hold now."""
    found = []
    while frame is not None:
        found.append((frame, dict(frame.local_names)))
        frame = frame.called_by
    return found


def _require_same(variables: list[tuple[Frame, dict[str, Any]]]) -> None:
    """Refuse that a part of a program writes into a tensor of the program around it (E0104)."""
    for frame, before in variables:
        for name, tree in before.items():
            if frame.local_names.get(name) is not tree:
                raise fail(
                    "E0104", f"a function that is differentiated or mapped writes into `{name}`, "
                    "which belongs to a function around it",
                    help="let it return the new tensor",
                )  # fmt: skip


def is_argument(leaf: Any) -> bool:
    """Whether a leaf of the arguments becomes one of a region; a Parameter is read by name."""
    return is_tensor(leaf) and not isinstance(leaf, Parameter)


def with_values(tree: Any, values: Sequence[Any]) -> Any:
    """`tree` with `values` for its tensors that are no Parameters, in order."""
    rest = iter(values)
    return map_leaves(tree, lambda leaf: next(rest) if is_argument(leaf) else leaf)


def isolated(region: Region, outside: Sequence[Value], place: int) -> Region:
    """Copy of `region` with arguments for the values `outside`, at `place` among its own.

    What it yields it yields still. `region` itself is thrown away.
    """
    given, last = region.args[:place], region.args[place:]
    values = [*given, *outside, *last]
    copy = Region([value.type for value in values], [value.name for value in values])
    mapping = dict(zip(values, copy.args, strict=True))
    for operation in copy_operations(list(region.operations), mapping):
        copy.append(operation)
    copy.set_reads([mapping.get(value, value) for value in region.yields])
    discard(region)
    return copy
