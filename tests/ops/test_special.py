"""Error functions and gamma functions against SciPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.special

import s2sad as ms
from s2sad import ops
from support.elementwise import check_derivatives, check_function, check_integers
from support.forms import both_forms, refused

MIDDLE = np.array([[-2.5, -1.25, -0.125], [0.25, 1.5, 3.0]])
SPECIAL = [0.0, -0.0, 0.5, -0.5, np.inf, np.nan, 5.0]

FUNCTIONS = {
    "erf": (scipy.special.erf, MIDDLE), "erfc": (scipy.special.erfc, MIDDLE / 2),
    "erfinv": (scipy.special.erfinv, MIDDLE / 4), "lgamma": (scipy.special.gammaln, MIDDLE),
    "digamma": (scipy.special.digamma, np.abs(MIDDLE)),
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_values(name):
    reference, values = FUNCTIONS[name]
    special = [x for x in SPECIAL if name != "digamma" or x > 0]
    if name == "erfinv":  # SciPy's loses the sign of -0.0
        special = [x for x in special if x or not np.signbit(x)]
    check_function(name, reference, values, special)


def test_erfinv_keeps_the_sign_of_zero():
    assert np.signbit(both_forms(lambda x: ops.erfinv(x), ms.Tensor([-0.0])).asnumpy()).all()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_integers(name):
    check_integers(name, FUNCTIONS[name][0], [1, 2])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_derivatives(name):
    check_derivatives(getattr(ops, name), FUNCTIONS[name][1])


@pytest.mark.parametrize("n", [0, 1, 3])
def test_polygamma(n):
    def run(x):
        return ops.polygamma(n, x)

    values = np.array([0.5, 1.0, 3.25])
    result = both_forms(run, ms.Tensor(values))
    np.testing.assert_allclose(result.asnumpy(), scipy.special.polygamma(n, values), rtol=1e-13)
    check_derivatives(run, values)


@pytest.mark.parametrize(("n", "code"), [(-1, "E0404"), (1.5, "E0303"), (True, "E0303")])
def test_orders_that_polygamma_has_not(n, code):
    def run(x):
        return ops.polygamma(n, x)

    refused(code, run, ms.Tensor([1.0]))
