"""Do triangular, orthogonal and singular factors keep their laws?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import type_of
from support.laws import Spec, check_laws, normal
from support.reverse import gradient

ROOT = np.array([[2.0, 0.0, 0.0], [0.5, 1.0, 0.0], [-1.0, 0.25, 1.5]])
POSITIVE = ROOT @ ROOT.T
PAIR = np.stack([POSITIVE, POSITIVE + np.eye(3)])

SPECS = [
    Spec(p.cholesky, (POSITIVE,)),
    Spec(p.cholesky, (PAIR,)),
    Spec(p.cholesky, (np.array([[4.0]]),)),
    Spec(p.qr, (normal(3, 2),)),
    Spec(p.qr, (normal(2, 3, 3),)),
    Spec(p.qr, (normal(4, 1),)),
    Spec(p.svd, (normal(3, 2),)),
    Spec(p.svd, (normal(2, 2, 3),)),
    Spec(p.svd, (normal(2, 2),)),
]


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


@pytest.mark.parametrize("shape", [(4, 2), (2, 4), (3, 3), (2, 3, 2)])
def test_factors_make_the_matrix(shape):
    x = np.random.default_rng(1).normal(size=shape)
    u, s, vh = p.svd(x)
    np.testing.assert_allclose(u * s[..., None, :] @ vh, x, rtol=1e-12, atol=1e-12)
    assert (np.diff(s) <= 0).all()
    if shape[-1] <= shape[-2]:
        q, r = p.qr(x)
        np.testing.assert_allclose(q @ r, x, atol=1e-12)
        np.testing.assert_allclose(
            np.swapaxes(q, -1, -2) @ q, np.eye(shape[-1]) + 0 * r, atol=1e-12
        )
        assert not np.tril(r, -1).any()


def test_the_derivative_of_equal_singular_values_is_finite():
    program = build_function(lambda x: p.svd(x)[1], [type_of(np.eye(3))])
    (found,) = evaluate(gradient(program), [np.eye(3), np.ones(3)])
    np.testing.assert_allclose(found, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("run", "x", "code"),
    [
        (p.cholesky, -np.eye(2), "E0704"),
        (p.cholesky, np.ones((2, 3)), "E0401"),
        (p.cholesky, np.ones((2, 2), np.int64), "E0301"),
        (p.qr, np.ones((2, 3)), "E0401"),
        (p.qr, np.ones(3), "E0401"),
        (p.svd, np.ones(3), "E0401"),
        (p.svd, np.full((2, 2), np.nan), "E0704"),
    ],
)
def test_what_has_no_factors(run, x, code):
    with pytest.raises(S2sadError, match=code):
        run(x)
