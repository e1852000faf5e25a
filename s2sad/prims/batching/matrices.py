"""How do systems of equations and factors map? They are for many matrices as they stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.prims.batching.places import aligned
from s2sad.prims.factoring import cholesky, qr, svd
from s2sad.prims.solving import cofactor, det, pinv, slogdet, solve


def _as_it_stands(prim: Any) -> Callable[..., Any]:
    def rule(x, *, mapped, size, **attrs):
        return prim(x, **attrs)

    return rule


for _prim in (cholesky, cofactor, det, pinv, qr, slogdet, svd):
    _prim.batch(_as_it_stands(_prim))


@solve.batch
def solve_batch(a, b, *, mapped, size, transpose_a):
    a, b = aligned([a, b], mapped)
    return solve(a, b, transpose_a=transpose_a)
