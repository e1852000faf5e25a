"""What does calling ``vmap(f)`` become in compiled code?

One `transform` operation, whose region is what the function computes of one row. Random draws are
those of a stream of its own in each row, made of the state before the call and the number of the
row; the state after the call is that before it, one draw further on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from s2sad import prims as p
from s2sad.core.diagnostics import fail
from s2sad.core.generator import RandomState
from s2sad.core.parameter import Parameter
from s2sad.core.transform import Transform
from s2sad.frontend.bodies import TRANSFORM, Body, Place, body_of, require_tensors
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame
from s2sad.frontend.regions import Run, is_argument, read_part
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir import dims
from s2sad.ir.builder import as_tuple
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.ir.types import TensorType, i64
from s2sad.prims.rules import axis_of, tensor

#: An axis of a tensor; None for what is the same for all rows.
Axis = int | None


def call_map(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any], run: Run
) -> Any:
    """What a call of a ``"vmap"`` gives.

    Raises
    ------
    S2sadError
        Those of `s2sad.vmap`.
    """
    rows = rows_of(transform, args, kwargs)
    body = body_of(frame.session, read_part(frame, rows.args, {}, run, types=rows.types), rows.args)
    require_tensors(body.form, "mapped")
    return emit_map(body, rows.axes, transform.out_axes, _size(rows))


@dataclass(frozen=True)
class Rows:
    """The arguments of a map.

    Attributes
    ----------
    args : list
        A Parameter that has rows is a value in them, like any other.
    tensors : list of Value
        Those among them.
    axes : list of int or None
        Along which each of these has its rows.
    """

    args: list[Any]
    tensors: list[Value]
    axes: list[Axis]

    @property
    def types(self) -> list[TensorType]:
        """Types of one row."""
        pairs = zip(self.tensors, self.axes, strict=True)
        return [_row_type(x.type, axis) for x, axis in pairs]

    @property
    def sizes(self) -> list[Dim]:
        pairs = zip(self.tensors, self.axes, strict=True)
        return [x.shape[axis] for x, axis in pairs if axis is not None]


def rows_of(transform: Transform, args: list[Any], kwargs: dict[str, Any]) -> Rows:
    if kwargs:
        names = ", ".join(kwargs)
        raise fail(
            "E0302", f"what vmap gave takes arguments by position, got {names} by name",
            help="leave the names out",
        )  # fmt: skip
    given = _axes_of_arguments(transform.in_axes, args)
    args = _with_rows(args, given)
    axes = [axis for axis, leaf in zip(given, leaves(args), strict=True) if is_argument(leaf)]
    return Rows(args, [leaf for leaf in leaves(args) if is_argument(leaf)], axes)


# ---- axes ----------------------------------------------------------------------------------------


def _axes_of_arguments(axes: Any, args: list[Any]) -> list[Axis]:
    """The axis for each leaf of `args`, from the front."""
    if isinstance(axes, tuple) and len(axes) != len(args):
        raise fail(
            "E0302", f"in_axes has {len(axes)} entries, and there are {len(args)} arguments",
            help="give an axis or None for each argument",
        )  # fmt: skip
    each = axes if isinstance(axes, tuple) else [axes] * len(args)
    pairs = enumerate(zip(each, args, strict=True))
    return [axis for i, (of, arg) in pairs for axis in spread(of, arg, f"argument {i}")]


def spread(axes: Any, tree: Any, what: str) -> Iterator[Axis]:
    """The axis for each leaf of `tree`, which `axes` is a part of the form of."""
    if isinstance(tree, (tuple, list)):
        if isinstance(axes, (tuple, list)) and len(axes) != len(tree) or isinstance(axes, dict):
            raise fail("E0302", f"the axes {axes} do not fit {what}, which has {len(tree)} items")
        each = axes if isinstance(axes, (tuple, list)) else [axes] * len(tree)
        for i, (of, item) in enumerate(zip(each, tree, strict=True)):
            yield from spread(of, item, f"{what}[{i}]")
    elif isinstance(tree, dict):
        if isinstance(axes, tuple) or isinstance(axes, dict) and axes.keys() != tree.keys():
            names = ", ".join(map(repr, tree))
            raise fail("E0302", f"the axes {axes} do not fit {what}, a dict of {names}")
        each = axes if isinstance(axes, dict) else dict.fromkeys(tree, axes)
        for key, item in tree.items():
            yield from spread(each[key], item, f"{what}[{key!r}]")
    elif isinstance(axes, (tuple, dict)):
        raise fail("E0302", f"the axes {axes} do not fit {what}, which is no container")
    else:
        yield _checked(axes, tree, what)


def _checked(axis: Axis, leaf: Any, what: str) -> Axis:
    if axis is None or leaf is None:
        return None
    if isinstance(leaf, Place):  # of an output, whose type is not known yet
        return axis
    if not is_tensor(leaf):
        raise fail(
            "E0304", f"vmap has the axis {axis} for {what}, which is no Tensor: {leaf!r}",
            help="give None for what is the same for all rows",
        )  # fmt: skip
    return axis_of(axis, leaf.ndim)


def _with_rows(args: list[Any], axes: Sequence[Axis]) -> list[Any]:
    """`args` in which a Parameter that has rows is a value like any other."""
    builder, rest = builders.current(), iter(axes)

    def value(leaf: Any) -> Any:
        is_mapped = next(rest) is not None
        return builder.value(leaf) if is_argument(leaf) or is_mapped else leaf

    return map_leaves(args, value)


def _size(rows: Rows) -> Dim:
    """How many rows there are."""
    sizes = rows.sizes
    if not sizes:
        raise fail(
            "E0404", "vmap has no axis to map over: no argument has one",
            help="give a Tensor, and its axis in in_axes",
        )  # fmt: skip
    for size in sizes[1:]:
        dims.require_same(
            sizes[0], size, "the sizes of the axes that vmap maps over", "give axes of one size"
        )
    return sizes[0]


def _row_type(type: Any, axis: Axis) -> TensorType:  # noqa: A002
    found = tensor(type)
    if axis is None:
        return found
    return TensorType(found.dtype, (*found.shape[:axis], *found.shape[axis + 1 :]))


# ---- the operation -------------------------------------------------------------------------------


def emit_map(
    body: Body, axes: list[Axis], out_axes: Any, size: Dim,
    own: Mapping[int, Sequence[Parameter]] = MappingProxyType({}),
) -> Any:  # fmt: skip
    """Emit the map; the outputs.

    Parameters
    ----------
    axes : list of int or None
        Of the first operands; the others are the same for all rows.
    own : mapping of int to sequence of Parameter
        By its key, what each row has in place of a Parameter that the body writes.
    """
    states = _states(body)
    operands = [_streams(x, size) if x in states else x for x in body.operands]
    in_axes = [*axes, *(0 if x in states else None for x in body.operands[len(axes) :])]
    yields, count = body.region.yields, len(body.written)
    places = _out_axes(body, out_axes)
    is_state = [isinstance(body.session.captures[key].tensor, RandomState) for key in body.written]
    has_rows = [drawn or key in own for key, drawn in zip(body.written, is_state, strict=True)]
    out = [places.get(i, 0) for i in range(len(yields) - count)]
    attrs = {
        "kind": "vmap", "results": (), "in_axes": tuple(in_axes),
        "out_axes": (*out, *(0 if each else None for each in has_rows)),
    }  # fmt: skip
    found = as_tuple(builders.current().emit(TRANSFORM, operands, attrs, {"body": body.region}))
    for key, drawn, value in zip(body.written, is_state, found[len(found) - count :], strict=True):
        if key in own:
            for row, parameter in enumerate(own[key]):
                body.session.write(parameter, p.gather(value, p.const(row, i64)))
            continue
        capture = body.session.captures[key]
        capture.written = _after(capture.current) if drawn else value
    return body.outputs(found) if found else body.form


def _out_axes(body: Body, out_axes: Any) -> dict[int, Axis]:
    """The axis for each of the results that are outputs, from the front."""
    found = {}
    given = spread(out_axes, body.form, "the output")
    for axis, place in zip(given, leaves(body.form), strict=True):
        if place is not None:
            ndim = body.region.yields[place.index].ndim
            found[place.index] = None if axis is None else axis_of(axis, ndim + 1)
    return found


def _states(body: Body) -> list[Value]:
    """The random states from which the function draws, before the call."""
    captures = [body.session.captures[key] for key in body.written]
    return [each.current for each in captures if isinstance(each.tensor, RandomState)]


def _streams(state: Value, size: Dim) -> Value:
    """A state for each row."""
    rows = p.iota(dtype=i64.dtype, shape=(size,))
    return p.transform(
        state, rows, body=lambda state, row: p.random_fold(state, row), kind="vmap", results=(),
        in_axes=(None, 0), out_axes=(0,),
    )  # fmt: skip


def _after(state: Value) -> Value:
    return p.random_bits(state, shape=(1,))[1]
