"""What does calling ``vmap([f, g, ...])`` become, where each row has a function of its own?

Every function is read on a row. Where all of them turn out to be one program, but for the
Parameters of each, it is mapped over rows and stacked Parameters; else they run one after the
other, on their rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad import prims as p
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.ensemble import Ensemble
from s2sad.core.parameter import Parameter
from s2sad.core.transform import Transform, unwrapped
from s2sad.frontend.bodies import Body, Place, body_of, require_tensors
from s2sad.frontend.carried import shape_of
from s2sad.frontend.forms import is_tensor
from s2sad.frontend.frame import Frame
from s2sad.frontend.maps import Rows, emit_map, rows_of, spread
from s2sad.frontend.regions import Run, is_argument, read_part
from s2sad.frontend.trees import leaves, map_leaves
from s2sad.ir import builder as builders
from s2sad.ir import dims
from s2sad.ir.compare import isomorphic
from s2sad.ir.graph import Function
from s2sad.ir.types import i64, same_types
from s2sad.prims.rules import axis_of


def call_ensemble(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any], runs: Sequence[Run]
) -> Any:  # fmt: skip
    """What a call of a ``"vmap"`` of several functions gives; `runs` calls each.

    Raises
    ------
    S2sadError
        Those of `s2sad.vmap`.
    """
    rows, own = rows_of(transform, args, kwargs), _parameters(transform)
    for size in rows.sizes:
        dims.require_same(
            size, len(runs), "the rows and the functions that vmap maps", "give one for each row"
        )
    bodies = _bodies(frame, rows, own, runs)
    if bodies is None:
        return _one_by_one(rows, transform, runs)
    first = bodies[0]
    stacked = [p.stack(*map(frame.session.capture, each)) for each in zip(*own, strict=True)]
    count = len(rows.tensors)
    first.operands[count : count + len(stacked)] = stacked
    axes = [*rows.axes, *[0] * len(stacked)]
    places = {id(each[0]): each for each in zip(*own, strict=True)}
    return emit_map(first, axes, transform.out_axes, len(runs), places)


def _parameters(transform: Transform) -> list[list[Parameter]]:
    """Those of each function that no other one has."""
    ensemble = unwrapped(transform.function)
    assert isinstance(ensemble, Ensemble)
    found = [
        list(function.get_parameters()) if isinstance(function, Cell) else []
        for function in map(unwrapped, ensemble.functions)
    ]
    everywhere = [id(parameter) for each in found for parameter in each]
    return [[x for x in each if everywhere.count(id(x)) == 1] for each in found]


def _bodies(
    frame: Frame, rows: Rows, own: list[list[Parameter]], runs: Sequence[Run]
) -> list[Body] | None:
    """What the functions compute of a row; None where that is not the same program for all."""
    kinds = [[frame.session.capture(x).type for x in each] for each in own]
    if not all(same_types(kind, kinds[0]) for kind in kinds):
        return None
    bodies = []
    for run, parameters in zip(runs, own, strict=True):
        types = [*rows.types, *kinds[0]]
        part = read_part(frame, rows.args, {}, run, parameters, types=types)
        bodies.append(body_of(frame.session, part, rows.args, parameters))
        require_tensors(bodies[-1].form, "mapped")
    keys = [{id(x): i for i, x in enumerate(each)} for each in own]
    facts = [_facts(body, of, len(rows.tensors)) for body, of in zip(bodies, keys, strict=True)]
    functions = [_function(body) for body in bodies]
    is_one = all(fact == facts[0] for fact in facts) and all(
        isomorphic(functions[0], other, locations=True) for other in functions[1:]
    )
    return bodies if is_one else None


def _function(body: Body) -> Function:
    """What `body` computes, whatever its Parameters are called."""
    return Function("row", body.region, tuple(str(i) for i in range(len(body.operands))))


def _facts(body: Body, keys: dict[int, int], count: int) -> Any:
    """What else two bodies must have in common: what they read from around, write and give."""
    outside = [id(value) for value in body.operands[count + len(keys) :]]
    return outside, [keys.get(key, key) for key in body.written], body.form


def _one_by_one(rows: Rows, transform: Transform, runs: Sequence[Run]) -> Any:
    """Each function on its row; the outputs, stacked."""
    found = [run(_row(rows, i), {}) for i, run in enumerate(runs)]
    shape = shape_of(found[0])
    for i, each in enumerate(found):
        if shape_of(each) != shape:
            raise fail(
                "E0306", f"the functions that vmap maps give outputs in several forms: the first "
                f"one {len(leaves(found[0]))} tensors, that of row {i} {len(leaves(each))}",
                help="let all of them give as many tensors, in the same form",
            )  # fmt: skip
    form = map_leaves(found[0], lambda leaf: Place(0) if is_tensor(leaf) else leaf)
    require_tensors(form, "mapped")
    given = spread(transform.out_axes, form, "the output")
    each = zip(given, *map(leaves, found), strict=True)
    stacked = iter([_stacked(axis, list(values)) for axis, *values in each])
    return map_leaves(form, lambda _: next(stacked))


def _row(rows: Rows, number: int) -> list[Any]:
    """The arguments for one row."""
    axes, place = iter(rows.axes), p.const(number, i64)

    def row(leaf: Any) -> Any:
        axis = next(axes) if is_argument(leaf) else None
        return leaf if axis is None else p.gather(leaf, place, axis=axis)

    return map_leaves(rows.args, row)


def _stacked(axis: int | None, values: list[Any]) -> Any:
    """One output of all rows."""
    if all(value is None for value in values):
        return None
    if axis is None:
        raise fail(
            "E0104", "an output of vmap has out_axes None and yet each row has a function of its "
            "own", help="give the axis along which the rows are to stand",
        )  # fmt: skip
    first, *others = map(builders.current().value, values)
    return p.stack(first, *others, axis=axis_of(axis, first.ndim + 1))
