"""What do the hooks of a Cell become in compiled code?

Those of the forward sweep are calls. Those of the backward sweep are two `hook` operations: where
the outputs leave, and where the arguments enter. What a backward hook is told of the gradient of
the outputs comes to it as a gradient: zeros go from the one operation to the other, and their
gradient is that of the outputs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.cell_hooks import Run, around, of_kind
from s2sad.core.hooks import Entry
from s2sad.frontend.effects import last
from s2sad.frontend.expressions import CALL
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame
from s2sad.frontend.hooks import Rule, insert
from s2sad.frontend.regions import Part, is_argument, read_part
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir.builder import discard
from s2sad.ir.clone import copy_operations
from s2sad.ir.graph import Value
from s2sad.prims.marker import differentiable
from s2sad.prims.shape import filled


def call_with_hooks(
    frame: Frame, cell: Cell, entries: tuple[Entry, ...], args: list[Any], kwargs: dict[str, Any],
    run: Run,
) -> Any:  # fmt: skip
    """What ``cell(*args, **kwargs)`` gives, where ``run(args, kwargs)`` is what it computes.

    Raises
    ------
    S2sadError
        E0104 for a hook that is to be called where the Cell fails, and what the hooks raise.
    """
    for entry in entries:
        if entry.always_call:
            raise Rule(entry.function, f"the hook of {cell.cls_name}").refuse(
                "E0104", "is to be called where the Cell fails, which ends a compiled program",
                help="register it without always_call",
            )  # fmt: skip

    def call(entry: Entry, given: list[Any]) -> Any:
        return CALL[0](frame, entry.function, given, {})

    computed = around(cell, entries, call, run)
    rules = _Rules(frame, cell, entries)
    if not frame.session.order or not (rules.before or rules.after):
        return computed(args, kwargs)
    if rules.after:
        return _with_both(frame, rules, args, kwargs, computed)
    output = _valued(computed(args, kwargs))
    values = _floats(output)
    if not values:
        return output
    return _with(
        output, insert(frame, values, lambda dy: rules.of_output(output, dy), rules.first)
    )  # fmt: skip


class _Rules:
    """The backward hooks of a Cell.

    Attributes
    ----------
    before, after : list of Rule
        Those that see the gradient of the outputs, and those that see both.
    """

    def __init__(self, frame: Frame, cell: Cell, entries: tuple[Entry, ...]) -> None:
        self.frame = frame
        self.cell = cell
        self.before = self._rules(entries, "backward_pre")
        self.after = self._rules(entries, "backward")

    def _rules(self, entries: tuple[Entry, ...], kind: str) -> list[Rule]:
        name = f"the {kind} hook of {self.cell.cls_name}"
        return [Rule(entry.function, name) for entry in of_kind(entries, kind)]

    @property
    def first(self) -> Rule:
        return [*self.before, *self.after][0]

    def of_output(self, output: Any, gradients: Sequence[Value]) -> list[Value]:
        """What the hooks make of the gradients of the floats in `output`."""
        for rule in self.before:
            found = self._call(rule, [_form(_as_tuple(output), gradients)])
            gradients = _given(rule, _as_tuple(output), gradients, found)
        return list(gradients)

    def of_input(
        self, args: tuple[Any, ...], gradients: Sequence[Value], output: Any, dy: Sequence[Value]
    ) -> list[Value]:
        """What they make of the gradients of the floats in `args`."""
        for rule in self.after:
            grad_output = _form(_as_tuple(output), dy)
            found = self._call(rule, [_form(args, gradients), grad_output])
            gradients = _given(rule, args, gradients, found)
        return list(gradients)

    def _call(self, rule: Rule, given: list[Any]) -> Any:
        return CALL[0](self.frame, rule.function, [self.cell, *given], {})


def _with_both(
    frame: Frame, rules: _Rules, args: list[Any], kwargs: dict[str, Any], computed: Run
) -> Any:
    """What the Cell gives, where backward hooks see the gradients of its arguments.

    What it computes is read first, aside: how many outputs it has, the hook of the arguments must
    know.
    """
    args = _valued(args)
    part = read_part(frame, args, kwargs, computed)
    inputs = _floats(args)
    outputs = part.region.yields[: len(part.region.yields) - len(part.written)]
    zeros = [filled(0, value.tensor_type) for value in outputs if _is_float(value)]
    if not zeros:
        return _inlined(frame, part, {})
    taken = len(inputs)

    def back_in(gradients: list[Value]) -> list[Value]:
        dx, dy = gradients[:taken], gradients[taken:]
        return [*rules.of_input(tuple(args), dx, part.result, dy), *dy]

    def back_out(gradients: list[Value]) -> list[Value]:
        dy = rules.of_output(output, gradients[: len(zeros)])
        return [*dy, *dy]

    before = last(frame.session)
    entered = insert(frame, [*inputs, *zeros], back_in, rules.after[0], asks=True)
    mapping = _new_arguments(args, part, entered[:taken])
    after = last(frame.session)
    if before is not None and after is not None:
        mapping[before] = after
    output = _inlined(frame, part, mapping)
    leaving = insert(frame, [*_floats(output), *entered[taken:]], back_out, rules.first)
    return _with(output, leaving)


def _new_arguments(args: list[Any], part: Part, hooked: Sequence[Value]) -> dict[Value, Value]:
    """Arguments of the region of `part` in the place of which others stand, with those."""
    values = [leaf for leaf in leaves(args) if isinstance(leaf, Value)]
    rest = iter(hooked)
    return {
        argument: next(rest)
        for argument, value in zip(part.region.args, values, strict=False)
        if _is_float(value)
    }


def _inlined(frame: Frame, part: Part, mapping: dict[Value, Value]) -> Any:
    """What `part` gives, computed here, with the `mapping` for what its region reads."""
    builder, region = builders.current(), part.region
    mapping = {**dict(zip(region.args, part.operands, strict=True)), **mapping}
    for operation in copy_operations(list(region.operations), mapping):
        builder.add(operation)
    found = [mapping.get(value, value) for value in region.yields]
    discard(region)
    for key, value in zip(part.written, found[len(found) - len(part.written) :], strict=True):
        frame.session.captures[key].written = value
    given = iter(found)
    return map_leaves(part.result, lambda leaf: next(given) if is_tensor(leaf) else leaf)


# ---- trees of gradients --------------------------------------------------------------------------


def _valued(tree: Any) -> Any:
    """`tree` with a value for each tensor; Parameters are read by name."""
    value = builders.current().value
    return map_leaves(tree, lambda leaf: value(leaf) if is_argument(leaf) else leaf)


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, Value) and bool(differentiable([leaf.type]))


def _floats(tree: Any) -> list[Value]:
    """What in `tree` has a gradient."""
    return [leaf for leaf in leaves(tree) if _is_float(leaf)]


def _with(tree: Any, values: Sequence[Value]) -> Any:
    """`tree` with `values` for its floats, in order."""
    rest = iter(values)
    return map_leaves(tree, lambda leaf: next(rest) if _is_float(leaf) else leaf)


def _as_tuple(output: Any) -> tuple[Any, ...]:
    return output if isinstance(output, tuple) else (output,)


def _form(tree: tuple[Any, ...], gradients: Sequence[Value]) -> tuple[Any, ...]:
    """The gradients in the form of `tree`, with None for what has none."""
    rest = iter(gradients)
    return tuple(map_leaves(x, lambda leaf: next(rest) if _is_float(leaf) else None) for x in tree)


def _given(
    rule: Rule, tree: tuple[Any, ...], gradients: Sequence[Value], found: Any
) -> Sequence[Value]:
    """What a hook makes of `gradients`, of which it was given those in the form of `tree`."""
    if found is None:
        return gradients
    parts = list(found) if isinstance(found, (tuple, list)) else [found]
    if len(parts) != len(tree):
        raise rule.refuse("E0302", f"gives {len(parts)} gradients for {len(tree)}")
    rest, new = iter(gradients), []
    for part, of in zip(parts, tree, strict=True):
        held = [next(rest) if _is_float(leaf) else None for leaf in leaves(of)]
        each = [None] * len(held) if part is None else leaves(part)
        if len(each) != len(held):
            raise rule.refuse("E0302", f"gives {len(each)} gradients for {len(held)} tensors")
        new += [rule.of_type(x, dx) for x, dx in zip(each, held, strict=True) if dx is not None]
    return new
