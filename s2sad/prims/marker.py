"""What tells differentiation more than the mathematics of the operations does?

Markers are opaque: no pass looks inside or merges them before differentiation, which gives them
their meaning and after which they are stripped. Their regions are isolated: what one reads is an
operand.

Differentiable here means: a tensor of floats. Tokens and stacks pass through regions, but not
into the adjoint of a `custom`, for they are used once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.core.dispatch import slots
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Operation, Region
from s2sad.ir.primitive import Trait
from s2sad.ir.types import StackType, TensorType, Token, Type, same_types, type_of
from s2sad.prims.control import flat, yielded
from s2sad.prims.define import primitive
from s2sad.prims.effect import ROW_BY_ROW
from s2sad.prims.rules import is_float, require_kind, tensor

_MARKER = {Trait.OPAQUE}


def differentiable(types: Sequence[Type]) -> tuple[Type, ...]:
    """Those of `types` that have a cotangent: tensors of floats."""
    return tuple(t for t in types if isinstance(t, TensorType) and t.dtype.is_float)


def _require_types(found: Sequence[Type], expected: Sequence[Type], what: str) -> None:
    if not same_types(found, expected):
        raise fail("E0306", f"{what} must give {tuple(expected)}, got {tuple(found)}")


# Stopping and hooking


@primitive(
    type=lambda x: tensor(x), traits={*_MARKER, Trait.MOVES}, same=(),
    nondiff="it is there to stop the gradient",
)  # fmt: skip
def stop_gradient(x):
    """`x`, through which no gradient flows.

    Parameters
    ----------
    x : Tensor of any dtype

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.stop_gradient(np.array([1.0, 2.0]))
    array([1., 2.])
    """
    return x


@primitive(
    type=lambda x: x if x is Token else tensor(x), traits={*_MARKER, Trait.MOVES},
    linear="all", same=(),
)  # fmt: skip
def barrier(x):
    """`x`, of which no pass knows that it is: what is computed from it is computed anew.

    It stands before what the backward sweep computes again rather than keep, and stays to the end.
    Before the effects of a backward sweep it stands as well.

    Parameters
    ----------
    x : Tensor of any dtype, or a token

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.barrier(np.array([1.0, 2.0]))
    array([1., 2.])
    """
    return x


@barrier.adjoint
def barrier_adjoint(x, out, dout):
    return dout


def _canonical_hook(types: Sequence[Type], attrs: dict[str, Any]) -> dict[str, Any]:
    count = attrs["count"]
    if isinstance(count, bool) or not isinstance(count, int) or not isinstance(attrs["asks"], bool):
        raise fail("E0303", f"count is an int and asks a bool, got {count!r}, {attrs['asks']!r}")
    if not 1 <= count <= len(types):
        raise fail("E0404", f"a hook of {len(types)} values is one of 1 to {len(types)}: {count}")
    return attrs


def _hook_type(
    *types: Type, regions: dict[str, Region], count: int, asks: bool
) -> tuple[Type, ...]:
    expected = "a tensor of floats: others have no cotangent"
    found = [require_kind(x, is_float, expected) for x in types[:count]]
    if any(isinstance(x, StackType) for x in types[count:]):
        raise fail("E0301", "a hook takes tensors and a token, got a stack")
    given = (*found, *(x for x in types[count:] if x.is_linear))
    _require_types(yielded(regions["body"]), given, "a hook")
    return given


@primitive(
    type=_hook_type, traits=_MARKER, regions=("body",), canonical=_canonical_hook, same=()
)  # fmt: skip
def hook(*values, body, count=1, asks=False):
    """The first `count` values; their cotangents go through `body` on their way back.

    Parameters
    ----------
    *values
        `count` tensors of floats, then what `body` reads besides, of any type. A token among that
        is given back: what `body` does comes after all effects of the forward sweep.
    body : region
        Takes the cotangents of the first results, then the other values; gives those of the first
        operands, of the same types, then the token.
    count : int
    asks : bool
        Whether `body` runs also where nothing depends on the cotangents that it gives.

    Raises
    ------
    S2sadError
        E0301 if one of the first values is not float, or another one is a stack; E0306 if the body
        gives other types; E0303 or E0404 if `count` or `asks` is none.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.hook(np.array([1.0, 2.0]), body=lambda dx: p.mul(dx, 0.5))
    array([1., 2.])
    """
    linear = [x for x in values[count:] if type_of(x).is_linear]
    return flat((*values[:count], *linear))


# Rules of the user's own


def _custom_regions(
    name: str, types: Sequence[Type], built: dict[str, Region], attrs: dict[str, Any]
) -> Sequence[Type]:
    if name == "primal":
        return types
    outs = yielded(built["primal"])
    seen = tuple(t for t in (*types, *outs) if not t.is_linear)
    return *seen, *differentiable(outs)


def _custom_type(*types: Type, regions: dict[str, Region]) -> tuple[Type, ...]:
    _require_types(yielded(regions["adjoint"]), differentiable(types), "the adjoint of a custom")
    return yielded(regions["primal"])


@primitive(
    type=_custom_type, traits=_MARKER, regions=("primal", "adjoint"), region_types=_custom_regions,
    same=(),
)  # fmt: skip
def custom(*values, primal, adjoint):
    """What `primal` makes of the values; `adjoint` says what its gradient is.

    Parameters
    ----------
    *values
        Of any type.
    primal : region
        Takes the values and gives the results.
    adjoint : region
        Takes the values, then the results, then a cotangent for each differentiable result; gives
        a cotangent for each differentiable value, of its type. Tokens and stacks among values and
        results are left out.

    Raises
    ------
    S2sadError
        E0306 if the adjoint gives other types.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.custom(
    ...     np.array([1.0, 2.0]),
    ...     primal=lambda x: p.mul(x, x),
    ...     adjoint=lambda x, y, dy: p.mul(dy, 10.0),
    ... )
    array([1., 4.])
    """
    return flat(primal(*values))


def _body_type(*types: Type, regions: dict[str, Region], **attrs: Any) -> tuple[Type, ...]:
    return yielded(regions["body"])


def _canonical_budget(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    budget = attrs["budget"]
    if budget is not None and (isinstance(budget, bool) or not isinstance(budget, int)):
        raise fail("E0303", f"a budget is a number of bytes, got {budget!r}")
    if budget is not None and budget < 0:
        raise fail("E0404", f"a budget is a number of bytes, got {budget}")
    return attrs


@primitive(type=_body_type, traits=_MARKER, regions=("body",), canonical=_canonical_budget, same=())
def checkpoint(*values, body, budget=None):
    """What `body` makes of the values; the backward sweep computes it again, not keeping it.

    Parameters
    ----------
    *values
        Of any type. They are all that is kept.
    body : region
        Takes the values and gives the results. Computed again, it has no effects.
    budget : int, optional
        Bytes that the loops of `body` may keep (`segment-loops`); then they are no longer computed
        again as a whole.

    Raises
    ------
    S2sadError
        E0303 or E0404 if `budget` is no number of bytes.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.checkpoint(np.array([1.0, 2.0]), body=lambda x: p.mul(x, x))
    array([1., 4.])
    """
    return flat(body(*values))


@primitive(type=_body_type, regions=("body",), same=())
def fused(*values, body):
    """What `body` makes of the values: operations that a backend makes one kernel of.

    Parameters
    ----------
    *values
        Of any type.
    body : region
        Takes the values and gives the results.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> p.fused(np.array([1.0, 2.0]), body=lambda x: p.add(p.mul(x, x), 1.0))
    array([2., 5.])
    """
    return flat(body(*values))


# Transforms met inside compiled code

KINDS = ("grad", "value_and_grad", "vjp", "jvp", "vmap")
Axes = tuple[Any, ...]


def _canonical_transform(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    if attrs["kind"] not in KINDS:
        raise fail("E0404", f"a transform is one of {', '.join(KINDS)}, got {attrs['kind']!r}")
    for name in ("wrt", "results", "in_axes", "out_axes"):
        value = attrs[name]
        if not isinstance(value, tuple) or not all(_is_place(x, name) for x in value):
            raise fail("E0303", f"{name} is a tuple of ints, got {value!r}")
    return attrs


def _is_place(entry: Any, name: str) -> bool:
    if entry is None:
        return name in ("in_axes", "out_axes")
    return isinstance(entry, int) and not isinstance(entry, bool)


def _transform_regions(
    name: str, types: Sequence[Type], built: dict[str, Region], attrs: dict[str, Any]
) -> Sequence[Type]:
    if attrs["kind"] == "vmap":
        return _unbatched(types, attrs["in_axes"])[0]
    return _primals(types, attrs)


def _primals(types: Sequence[Type], attrs: dict[str, Any]) -> Sequence[Type]:
    """Types of what the body takes: the operands without the cotangents or tangents behind."""
    extra = {"vjp": len(attrs["results"]), "jvp": len(attrs["wrt"])}.get(attrs["kind"], 0)
    if extra > len(types):
        raise fail("E0302", f"{attrs['kind']} takes {extra} operands more than its body")
    return types[: len(types) - extra]


def _unbatched(types: Sequence[Type], in_axes: Axes) -> tuple[tuple[Type, ...], Dim]:
    """Types without the mapped axes, and the one size that these have."""
    if len(in_axes) != len(types):
        raise fail("E0302", f"vmap needs an axis or None an operand, got {in_axes}")
    size, inner = None, []
    for type, axis in zip(types, in_axes, strict=True):  # noqa: A001
        if axis is None:
            inner.append(type)
            continue
        found = tensor(type)
        _require_place(axis, found.ndim, f"the mapped axis of {found}")
        here = found.shape[axis]
        size = here if size is None else dims.require_same(size, here, "the sizes of mapped axes")
        inner.append(TensorType(found.dtype, (*found.shape[:axis], *found.shape[axis + 1 :])))
    if size is None:
        raise fail("E0404", "vmap needs an axis to map over: all in_axes are None")
    return tuple(inner), size


def _require_place(place: int, count: int, what: str) -> None:
    if not 0 <= place < count:
        raise fail("E0403", f"{what} is from 0 to {count - 1}, got {place}")


def _select(types: Sequence[Type], places: Axes, what: str) -> tuple[TensorType, ...]:
    """Types at `places`, which must be differentiable."""
    for place in places:
        _require_place(place, len(types), f"a place in {what}")
    expected = "a tensor of floats to differentiate"
    return tuple(require_kind(types[place], is_float, expected) for place in places)


def _transform_type(*types: Type, regions: dict[str, Region], **attrs: Any) -> tuple[Type, ...]:
    outs = yielded(regions["body"])
    if attrs["kind"] == "vmap":
        _require_row_by_row(regions["body"])
        return _batched(outs, _unbatched(types, attrs["in_axes"])[1], attrs["out_axes"])
    primals = _primals(types, attrs)
    asked = _select(primals, attrs["wrt"], "the operands")
    counted = _select(outs, attrs["results"], "the results")
    given = types[len(primals) :]
    if attrs["kind"] == "jvp":
        _require_types(given, asked, "the tangents of a jvp")
        return *outs, *counted
    _require_types(given, counted if attrs["kind"] == "vjp" else (), "the cotangents of a vjp")
    lost = [t for t in outs if t.is_linear] if attrs["kind"] == "grad" else ()
    if lost:
        help = "take a value_and_grad"  # noqa: A001
        raise fail("E0306", f"a grad does not give the {lost[0]} that its body gives", help=help)
    return asked if attrs["kind"] == "grad" else (*outs, *asked)


def _require_row_by_row(body: Region) -> None:
    for operation in body.walk():
        if operation.prim.has(Trait.EFFECT) and operation.prim.name not in ROW_BY_ROW:
            raise fail(
                "E0104", f"`{operation.prim.name}` has an effect that no row has by itself",
                location=operation.loc, help="do it outside of the function that vmap maps",
            )  # fmt: skip


def _batched(outs: Sequence[Type], size: Dim, out_axes: Axes) -> tuple[Type, ...]:
    if len(out_axes) != len(outs):
        raise fail("E0302", f"vmap needs an axis a result, got {out_axes} for {len(outs)}")
    batched: list[Type] = []
    for out, axis in zip(outs, out_axes, strict=True):
        if axis is None and out == Token:
            batched.append(out)
            continue
        found = tensor(out)
        if axis is None:
            batched.append(found)
            continue
        _require_place(axis, found.ndim + 1, f"the mapped axis of the result {found}")
        batched.append(TensorType(found.dtype, (*found.shape[:axis], size, *found.shape[axis:])))
    return tuple(batched)


@primitive(
    type=_transform_type, traits=_MARKER, regions=("body",), region_types=_transform_regions,
    canonical=_canonical_transform, same=(),
)  # fmt: skip
def transform(*values, body, kind, wrt=(), results=(0,), in_axes=(), out_axes=()):
    """What a transform of `body` makes of the values: a gradient, a tangent, or a map.

    Parameters
    ----------
    *values
        What the body takes; then, for a vjp, a cotangent for each of `results`, and for a jvp, a
        tangent for each of `wrt`.
    body : region
        The function that is transformed.
    kind : str
        ``"grad"`` gives the gradients; ``"value_and_grad"`` and ``"vjp"`` the results of the body,
        then the gradients; ``"jvp"`` the results, then the tangents of `results`; ``"vmap"`` the
        results, batched. Gradients are those of the sum of `results`, unless cotangents are given.
    wrt : tuple of int
        Places of the operands to differentiate with respect to; tensors of floats.
    results : tuple of int
        Places of the results that are differentiated; tensors of floats.
    in_axes : tuple of int or None
        For a map: the axis of each operand that it runs along, or None; they have one size.
    out_axes : tuple of int or None
        For a map: where the axis stands in each result; None for one that is the same for all, and
        for a token: each effect happens for one row after the other, before the next effect does.

    Raises
    ------
    S2sadError
        E0301, E0302, E0303, E0306, E0401, E0403 or E0404 for what does not fit, E0104 for queues
        and collectives in a map, and where a result of `out_axes` None differs after all. On
        arrays, E0604 where the body is a region of a dump whose text is not there.

    Notes
    -----
    On arrays a derivative is made as the compiler makes it, of the operations of the body, and then
    computed. A body that is a region of a dump is read; any other is called on values of the IR, so
    it must not branch on them.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> x = np.array([[1.0, 2.0], [3.0, 4.0]])
    >>> p.transform(x, body=lambda row: p.mul(row, row), kind="vmap", in_axes=(0,), out_axes=(1,))
    array([[ 1.,  9.],
           [ 4., 16.]])
    >>> p.transform(x, body=lambda x: p.reduce_sum(p.mul(x, x)), kind="grad", wrt=(0,))
    array([[2., 4.],
           [6., 8.]])
    """
    attrs = {"kind": kind, "wrt": wrt, "results": results}
    if kind != "vmap":
        return slots().derive(values, body, attrs)
    pairs = list(zip(values, in_axes, strict=True))
    size = next(x.shape[axis] for x, axis in pairs if axis is not None)
    has_effects = any(value is Token for value in values)  # of which each is one of all rows
    if size == 0 or has_effects:  # only types tell what there would be
        return slots().derive(values, body, {**attrs, "in_axes": in_axes, "out_axes": out_axes})
    each = [flat(body(*[_row(x, axis, i) for x, axis in pairs])) for i in range(size)]
    results = zip(zip(*each, strict=True), out_axes, strict=True)
    return tuple(rows[0] if axis is None else np.stack(rows, axis) for rows, axis in results)


def is_derivative(operation: Operation) -> bool:
    """Whether `operation` is a `transform` that stands for a derivative."""
    return operation.prim is transform and operation.attrs["kind"] != "vmap"


def is_map(operation: Operation) -> bool:
    """Whether `operation` is a `transform` that stands for a map."""
    return operation.prim is transform and operation.attrs["kind"] == "vmap"


def _row(x: Any, axis: int | None, index: int) -> Any:
    return x if axis is None else np.take(x, index, axis)
