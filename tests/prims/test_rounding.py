"""Do floats round to the whole numbers that they should, with their sign?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from support.laws import check_laws, check_values, edges, normal, unary
from support.reverse import gradients_at

ROUNDINGS = (p.floor, p.ceil, p.round, p.trunc)
X = [-2.5, -1.5, -0.5, -0.2, -0.0, 0.0, 0.5, 1.5, 2.5, 2.6, 1e300, np.inf, -np.inf, np.nan]
TAIL = [1e300, np.inf, -np.inf, np.nan]

SPECS = [*(spec for prim in ROUNDINGS for spec in unary(prim, normal)), *edges(*ROUNDINGS)]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize(
    ("prim", "expected"),
    [
        (p.floor, [-3, -2, -1, -1, -0.0, 0, 0, 1, 2, 2, *TAIL]),
        (p.ceil, [-2, -1, -0.0, -0.0, -0.0, 0, 1, 2, 3, 3, *TAIL]),
        (p.round, [-2, -2, -0.0, -0.0, -0.0, 0, 0, 2, 2, 3, *TAIL]),
        (p.trunc, [-2, -1, -0.0, -0.0, -0.0, 0, 0, 1, 2, 2, *TAIL]),
    ],
)
def test_values(prim, expected):
    check_values(prim(np.array(X)), np.array(expected))


@pytest.mark.parametrize("prim", ROUNDINGS)
def test_no_gradient_flows(prim):
    (dx,) = gradients_at(prim, np.array([0.5, 1.0, np.nan]))
    check_values(dx, np.zeros(3))


@pytest.mark.parametrize("prim", ROUNDINGS)
def test_integers_are_refused(prim):
    with pytest.raises(S2sadError, match="E0301"):
        prim(np.array(1))
