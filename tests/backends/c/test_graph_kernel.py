"""Does `enable_graph_kernel` decide whether operations are fused, and change no number?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops


def of_one_program(is_on, x):
    """How many fused operations a new program has, and what it gives."""
    ms.set_context(enable_graph_kernel=is_on)

    @ms.compile
    def function(x):
        return ops.tanh(x * 2.0) + ops.exp(x)

    found = function(x).asnumpy()
    return str(function.last.stages.functions[-1][1]).count("p.fused"), found


@pytest.fixture
def as_before(monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", "c")
    yield
    ms.set_context(enable_graph_kernel=None)


@pytest.mark.usefixtures("as_before")
@pytest.mark.filterwarnings("error")
def test_only_false_says_no():
    x = ms.Tensor(np.linspace(-3, 3, 100, dtype=np.float32))
    assert ms.get_context("enable_graph_kernel") is None
    counts, results = zip(*(of_one_program(is_on, x) for is_on in (None, True, False)), strict=True)
    assert counts == (1, 1, 0)
    assert len({each.tobytes() for each in results}) == 1
