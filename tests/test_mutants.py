"""Are faults in rules found?

Of all mutants of all adjoints and rewrite rules 150 are drawn. Those of adjoints must be named by
the check of gradients, those of rewrites by validation. A survivor is explained below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.graph import Function
from s2sad.ir.types import type_of
from s2sad.passes import rules
from s2sad.passes.base import run_passes
from s2sad.tools.check import check_gradients, is_float
from support.laws import Spec
from support.mutants import Mutant, mutants
from support.specs import differentiable_specs
from tests.passes.rewriting import Apply
from tests.passes.soundness import instances

DRAWN, SEED = 150, 20
NAMED = 0.95
#: Programs of each dtype on which the rewrite of a mutant is validated.
INSTANCES = 40

SYMMETRIC = "a shape that two operands broadcast to does not depend on their order"
NOTHING = "integers have no gradient, however many are said to have none"
SYMBOLIC = "a guard against sizes that are symbols: validation runs programs, whose sizes are known"
KINK = "the value at a kink, where any is a gradient: tests of the values there say which it is"

#: Mutants that survive, by how their names begin, and why.
EXPLAINED = {
    "activation.leaky_relu_adjoint: dropped factor: dout * ((1 + slope) / 2)": KINK,
    "activation.leaky_relu_adjoint: dropped factor: (1 + slope) / 2": KINK,
    "activation.leaky_relu_adjoint: exchanged operands: (1 + slope) / 2": KINK,
    "activation.leaky_relu_adjoint: dropped term: 1 + slope": KINK,
    "activation.leaky_relu_adjoint: flipped sign: 1 + slope": KINK,
    "arithmetic.maximum_adjoint: dropped factor: dout * 0.5 -> dout": KINK,
    "arithmetic.minimum_adjoint: dropped factor: dout * 0.5 -> dout": KINK,
    "dynamic.dynamic_slice_adjoint: off by one: 1: -> 1 + 1:": NOTHING,
    "select.WhereTrue.after: exchanged operands: _wide(x, c, y)": SYMMETRIC,
    "select.WhereFalse.after: exchanged operands: _wide(y, c, x)": SYMMETRIC,
    "shape.MergeSlices.where: dropped guard": SYMBOLIC,
    "shape.ZerosLike.where: dropped guard": SYMBOLIC,
    "shape.OnesLike.where: dropped guard": SYMBOLIC,
    "shape.FullLike.where: dropped guard": SYMBOLIC,
    "shape.AxisSize.where: dropped guard": SYMBOLIC,
}


@cache
def specs_by_prim() -> dict[str, list[Spec]]:
    found: dict[str, list[Spec]] = {}
    for spec in differentiable_specs():
        found.setdefault(spec.prim.name, []).append(spec)
    return found


def adjoint_mutants() -> Iterator[tuple[Any, Mutant]]:
    for name in sorted(specs_by_prim()):
        prim = p.ALL[name]
        if prim.adjoint_rule is not None:
            yield from ((prim, mutant) for mutant in mutants(prim.adjoint_rule))


def rewrite_mutants() -> Iterator[tuple[Any, Mutant]]:
    for rule in rules.ALL:
        yield from ((rule, mutant) for mutant in mutants(rule.after))  # type: ignore[arg-type]
        if "where" in vars(rule):
            yield rule, Mutant("dropped guard", rule.where, _always, "where", "True", 0)  # type: ignore


def _always() -> bool:
    return True


def is_named(owner: Any, mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> bool:
    if isinstance(owner, type):
        return _named_by_validation(owner, mutant)
    with monkeypatch.context() as patch:
        patch.setattr(owner, "adjoint_rule", mutant.function)
        return any(map(_named_by_check, specs_by_prim()[owner.name]))


def _named_by_check(spec: Spec) -> bool:
    """Whether the check finds fault with the gradient, or with the gradient of that."""
    arrays = [np.asarray(x) for x in spec.operands]
    function = _call_of(spec, arrays)
    try:
        return (
            _is_wrong(function, arrays)
            or _is_wrong(*_gradient(function, arrays))
            or any(_is_wrong(each, arrays) for each in _results_alone(spec, function, arrays))
        )
    except (S2sadError, TypeError, ValueError, IndexError, AttributeError):
        return True  # such a rule does not even give a program


def _call_of(spec: Spec, arrays: list[Any], result: int | None = None) -> Function:
    def call(*values: Any) -> Any:
        found = spec.prim(*values, **spec.attrs)
        return found if result is None else found[result]

    return build_function(call, list(map(type_of, arrays)))


def _results_alone(spec: Spec, function: Function, arrays: list[Any]) -> Iterator[Function]:
    """Each result of several by itself: then there is no gradient of the others."""
    if len(function.results) > 1:
        for i, value in enumerate(function.results):
            if is_float(value.type):
                yield _call_of(spec, arrays, i)


def _is_wrong(function: Function, arrays: list[Any]) -> bool:
    places = [i for i, value in enumerate(function.args) if is_float(value.type)]
    function.tree = repr(tuple(range(len(function.results))))
    return any(
        row.verdict == "WRONG"
        for row in check_gradients(function, arrays, places, seed=0, tolerance=1e-5)
    )


def _gradient(function: Function, arrays: list[Any]) -> tuple[Function, list[Any]]:
    places = [i for i, value in enumerate(function.args) if is_float(value.type)]
    outs = [i for i, value in enumerate(function.results) if is_float(value.type)]
    joint = differentiate(function, places, outs, seeded=True)
    random = np.random.default_rng(1)
    seeds = [random.standard_normal(function.results[i].shape) for i in outs]  # type: ignore[arg-type]
    return joint, [*arrays, *seeds]


def _named_by_validation(rule: Any, mutant: Mutant) -> bool:
    part = "where" if mutant.function is _always else "after"
    wrong = type(rule.__name__, (rule,), {part: mutant.function, "__module__": rule.__module__})
    for dtype in dtypes.ALL:
        for instance in instances(wrong, dtype, range(INSTANCES)):
            try:
                run_passes(instance.function, [Apply((wrong,))], validate=instance.inputs(1))
            except (S2sadError, TypeError, ValueError, IndexError, AttributeError):
                return True
    return False


def survivors_of(chosen: Iterable[tuple[Any, Mutant]]) -> list[str]:
    with pytest.MonkeyPatch.context() as patch:
        return [mutant.name for owner, mutant in chosen if not is_named(owner, mutant, patch)]


def is_explained(name: str) -> bool:
    return any(name.startswith(begin) for begin in EXPLAINED)


def test_faults_in_rules_are_named():
    everything = [*adjoint_mutants(), *rewrite_mutants()]
    survivors = survivors_of(Random(SEED).sample(everything, DRAWN))
    assert [name for name in survivors if not is_explained(name)] == []
    assert len(survivors) <= (1 - NAMED) * DRAWN, survivors


@pytest.mark.slow
def test_all_faults_in_rules_are_named_or_explained():
    everything = [*adjoint_mutants(), *rewrite_mutants()]
    survivors = survivors_of(everything)
    assert [name for name in survivors if not is_explained(name)] == []
    unused = [begin for begin in EXPLAINED if not any(name.startswith(begin) for name in survivors)]
    assert unused == []
    assert len(survivors) <= (1 - NAMED) * len(everything)
