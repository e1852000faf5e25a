"""How is a primitive or a composite defined, in one place?

The body of a `primitive` is its meaning in NumPy. The body of a `composite` is a definition over
other primitives; its types and its meaning follow from that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.known_sizes import formulas
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.types import Type, type_of

#: The whole vocabulary, by name.
ALL: dict[str, Primitive] = {}


def _attributes(body: Callable[..., Any], regions: Sequence[str]) -> dict[str, Any]:
    parameters = inspect.signature(body).parameters.values()
    keyword_only = [p for p in parameters if p.kind is p.KEYWORD_ONLY and p.name not in regions]
    return {p.name: p.default for p in keyword_only}


def _register(prim: Primitive) -> Primitive:
    if prim.name in ALL:
        raise ValueError(f"the primitive {prim.name} is defined twice")
    ALL[prim.name] = prim
    return prim


def primitive(
    *,
    type: Callable[..., Any],  # noqa: A002 - reads as `type=matmul_type`
    traits: Iterable[Trait] = (),
    linear: tuple[Any, ...] | str = (),
    nondiff: str | None = None,
    canonical: Callable[..., dict[str, Any]] | None = None,
    regions: tuple[str, ...] = (),
    region_types: Callable[..., Sequence[Type]] | None = None,
    form: Form | None = None,
    same: tuple[int, ...] | None = None,
) -> Callable[[Callable[..., Any]], Primitive]:
    """Define the primitive whose NumPy meaning is the decorated function.

    Parameters
    ----------
    type : callable
        Type rule: operand types positional, attributes keyword-only (and ``regions``, a dict,
        where there are any), to a type or a tuple of types.
    traits : iterable of Trait
    linear : tuple of positions, or "all"
        Where the operation is linear: a position each, or a tuple of positions jointly.
    nondiff : str, optional
        Why there is no gradient.
    canonical : callable, optional
        ``canonical(types, attrs) -> attrs``, one spelling for equal attributes.
    regions : tuple of str
        Keyword names of the regions.
    region_types : callable, optional
        Argument types of each region; see `Primitive.region_rule`.
    form : Form, optional
        How it is written; ``CALL`` without regions, ``NESTED`` with them.
    same : tuple of int, optional
        Positions of the operands that share one dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.mul(np.arange(3.0), 2.0)
    array([0., 2., 4.])
    """

    def define(meaning: Callable[..., Any]) -> Primitive:
        return _register(
            Primitive(
                name=meaning.__name__,
                family=meaning.__module__.rpartition(".")[2],
                meaning=meaning,
                type_rule=type,
                attributes=_attributes(meaning, regions),
                regions=regions,
                form=form or (Form.NESTED if regions else Form.CALL),
                traits=frozenset(traits),
                canonical=canonical,
                linear=linear,
                nondiff=nondiff,
                same=same,
                region_rule=region_types,
            )
        )

    return define


def composite(
    *,
    traits: Iterable[Trait] = (),
    linear: tuple[Any, ...] | str = (),
    nondiff: str | None = None,
    canonical: Callable[..., dict[str, Any]] | None = None,
    same: tuple[int, ...] | None = None,
) -> Callable[[Callable[..., Any]], Primitive]:
    """Define an operation by its body over primitives.

    It stays one operation until it is decomposed. With an adjoint registered it is
    differentiated as a whole, else through its body. Parameters as for `primitive`.
    """

    def define(body: Callable[..., Any]) -> Primitive:
        @lru_cache(maxsize=512)
        def cached(types: tuple[Type, ...], attrs: tuple[Any, ...], spelling: str) -> Function:
            function = build_function(lambda *v: body(*v, **dict(attrs)), types, name=body.__name__)
            for operation in function.walk():  # it serves every call, not only this one
                operation.loc, operation.scope = None, ""
            return function

        def traced(types: tuple[Type, ...], attrs: Mapping[str, Any]) -> Function:
            items = tuple(attrs.items())
            # 1, 1.0 and True are equal, 0.0 and -0.0 too, and so are sizes of any formula.
            return cached(types, items, repr(items) + formulas((types, items)))

        def type_rule(*types: Type, **attrs: Any) -> Any:
            return traced(types, attrs).result_types

        def meaning(*arrays: Any, **attrs: Any) -> Any:
            return evaluate(traced(tuple(type_of(x) for x in arrays), attrs), arrays)

        return _register(
            Primitive(
                name=body.__name__,
                family=body.__module__.rpartition(".")[2],
                meaning=meaning,
                type_rule=type_rule,
                attributes=_attributes(body, ()),
                traits=frozenset(traits),
                canonical=canonical,
                linear=linear,
                nondiff=nondiff,
                body=body,
                same=same,
                expand=traced,
            )
        )

    return define
