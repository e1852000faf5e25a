"""Do linear systems, determinants and pseudo-inverses keep their laws, also without an inverse?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from support.laws import Spec, check_laws, normal
from support.reverse import gradients_at

WELL = np.array([[2.0, -1.0, 0.5], [0.25, 1.5, -0.75], [1.0, 0.5, -2.0]])
PAIR = np.stack([WELL, WELL.T + np.eye(3)])
#: Of rank 2.
FLAT = np.array([[1.0, 2.0, 3.0], [0.5, -1.0, 0.25], [1.5, 1.0, 3.25]])
#: Of rank 1, so that its cofactors do not all vanish in the 2x2 case.
LINE = np.array([[1.0, 2.0], [0.5, 1.0]])
SMALL = {"atol": 0.0, "rtol": 1e-10}

SPECS = [
    Spec(p.solve, (WELL, normal(3, 2))),
    Spec(p.solve, (WELL, normal(3, 2)), {"transpose_a": True}),
    Spec(p.solve, (PAIR, normal(3, 1))),
    Spec(p.solve, (WELL, normal(2, 3, 1)), {"transpose_a": True}),
    Spec(p.solve, (normal(0, 0), normal(0, 2))),
    Spec(p.det, (WELL,)),
    Spec(p.det, (PAIR,)),
    Spec(p.det, (normal(1, 1),)),
    Spec(p.cofactor, (PAIR,)),
    Spec(p.cofactor, (np.array([[3.0]]),), gradient=False),
    Spec(p.slogdet, (PAIR,)),
    Spec(p.pinv, (WELL[:, :2],), SMALL),
    Spec(p.pinv, (PAIR[:, :2],), SMALL),
    Spec(p.pinv, (WELL,), SMALL),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize("x", [WELL, FLAT, LINE, np.zeros((3, 3)), np.array([[0.0]])])
def test_cofactors_are_signed_minors(x):
    n = len(x)
    minors = [
        [
            (-1.0) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1))
            for j in range(n)
        ]
        for i in range(n)
    ]  # fmt: skip
    np.testing.assert_allclose(p.cofactor(x), minors, atol=1e-12)


def test_the_derivative_of_a_determinant_that_is_zero():
    (found,) = gradients_at(p.det, LINE)
    np.testing.assert_allclose(found, [[1.0, -0.5], [-2.0, 1.0]], atol=1e-14)


@pytest.mark.parametrize(
    ("run", "operands", "code"),
    [
        (p.solve, (np.zeros((2, 2)), np.ones((2, 1))), "E0704"),
        (p.solve, (np.ones((2, 3)), np.ones((2, 1))), "E0401"),
        (p.solve, (WELL, np.ones((2, 1))), "E0401"),
        (p.solve, (WELL, np.ones(3)), "E0401"),
        (p.solve, (WELL, np.ones((3, 1), np.float32)), "E0301"),
        (p.det, (np.ones((2, 3)),), "E0401"),
        (p.det, (np.ones(3),), "E0401"),
        (p.det, (np.ones((2, 2), np.int64),), "E0301"),
        (lambda x: p.pinv(x, **SMALL), (np.full((2, 2), np.nan),), "E0704"),
    ],
)
def test_what_cannot_be_solved(run, operands, code):
    with pytest.raises(S2sadError, match=code):
        run(*operands)


def test_cofactors_of_what_is_not_finite_are_nan_and_of_the_rest_as_ever():
    x = np.array(
        [[[2.0, 0.0], [0.0, 4.0]], [[np.nan, 0.0], [0.0, 1.0]], [[np.inf, 0.0], [0.0, 1.0]]]
    )
    found = p.cofactor(x)
    np.testing.assert_allclose(found[0], [[4.0, 0.0], [0.0, 2.0]], atol=1e-12)
    assert np.isnan(found[1:]).all()
