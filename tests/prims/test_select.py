"""Does a selection keep the two sides apart, in the gradient as well?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import bool_, f64
from support.laws import (
    EDGES,
    Spec,
    booleans,
    check_laws,
    check_values,
    identical,
    integers,
    normal,
)
from support.reverse import gradient, gradients_at

nan, inf = np.nan, np.inf

SPECS = [
    Spec(p.where, (booleans(2, 3), normal(2, 3), normal(2, 3))),
    Spec(p.where, (booleans(2, 1), normal(3), normal())),
    Spec(p.where, (booleans(3), normal(2, 1), normal(2, 3))),
    Spec(p.where, (np.array(True), normal(), normal())),
    Spec(p.where, (np.array(False), normal(2), normal(3, 1))),
    Spec(p.where, (booleans(0, 3), normal(3), normal(0, 3))),
    Spec(p.where, (booleans(4), integers(4), integers(4))),
    Spec(p.where, (booleans(4), booleans(4), booleans(4))),
    Spec(p.where, (booleans(2, 1), EDGES, EDGES[::-1]), gradient=False),
]
MASK = np.array([True, False])


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def test_values():
    found = p.where(MASK, np.array([-0.0, nan]), np.array([nan, -inf]))
    check_values(found, np.array([-0.0, -inf]))
    check_values(p.where(MASK, 1, np.array([5, 6], np.int8)), np.array([1, 6], np.int8))


def test_numbers_take_the_dtype_of_the_other_side():
    check_values(p.where(MASK, np.ones(2, np.float32), 0), np.array([1, 0], np.float32))


def test_bits_are_moved_not_computed():
    payload = np.array([0x7FA1, 0x8000], np.uint16)  # a signalling bfloat16 NaN, and -0.0
    assert p.where(MASK, payload, payload).tolist() == payload.tolist()


def test_what_is_not_selected_does_not_leak():
    mask = np.array([True, False, True])
    x, y = np.array([1.0, nan, inf]), np.array([nan, 2.0, nan])
    dx, dy = gradients_at(p.where, mask, x, y)
    check_values(dx, np.array([1.0, 0.0, 1.0]))
    check_values(dy, np.array([0.0, 1.0, 0.0]))
    program = gradient(build_function(p.where, [bool_[3], f64[3], f64[3]]))
    dx, dy = evaluate(program, [mask, x, y, np.array([nan, inf, 1.0])])
    check_values(dx, np.array([nan, 0.0, 1.0]))
    check_values(dy, np.array([0.0, inf, 0.0]))


def test_a_condition_is_bool_and_both_sides_alike():
    one = np.array(1.0)
    for operands in ((np.array(1), one, one), (np.array(True), one, np.array(1))):
        with pytest.raises(S2sadError, match="E0301"):
            p.where(*operands)
    with pytest.raises(S2sadError, match="E0401"):
        p.where(np.ones(2, bool), np.ones(3), one)


def test_operands_are_left_alone():
    x = np.array([1.0, 2.0])
    found = p.where(True, x, 0.0)
    assert identical(found, x)
    assert not np.shares_memory(found, x)
