"""Do the errors of type rules show what does not fit?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p

SIX, EIGHT, TWO = np.zeros((2, 3)), np.zeros((2, 4)), np.zeros(2)

MISFITS = {
    "add": (lambda: p.add(SIX, EIGHT), ["f64[2, 3]", "f64[2, 4]", "axis -1"]),
    "less": (lambda: p.less(SIX, TWO), ["f64[2, 3]", "f64[2]", "sizes 3 and 2"]),
    "clip": (lambda: p.clip(SIX, 0.0, EIGHT), ["f64[2, 3]", "f64", "f64[2, 4]"]),
    "where": (lambda: p.where(TWO > 0, SIX, 0.0), ["bool_[2]", "f64[2, 3]", "sizes 2 and 3"]),
    "matmul": (lambda: p.matmul(SIX, EIGHT), ["f64[2, 3]", "f64[2, 4]", "3 and 2"]),
    "matmul: batches": (
        lambda: p.matmul(np.zeros((2, 1, 3)), np.zeros((5, 3, 1))),
        ["f64[2, 1, 3]", "f64[5, 3, 1]", "axis -3"],
    ),
    "einsum": (lambda: p.einsum(SIX, EIGHT, equation="ij,ij->i"), ["f64[2, 3]", "f64[2, 4]"]),
    "concat": (lambda: p.concat(SIX, EIGHT, axis=0), ["(2, 3)", "(2, 4)", "axis 1"]),
    "stack": (lambda: p.stack(SIX, EIGHT), ["2, 3)", "2, 4)"]),
}


@pytest.mark.parametrize("name", MISFITS)
def test_shapes_that_do_not_fit_are_shown(name):
    run, parts = MISFITS[name]
    with pytest.raises(ValueError, match="E0401") as caught:
        run()
    for part in parts:
        assert part in str(caught.value)
