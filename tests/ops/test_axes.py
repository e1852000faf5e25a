"""Axes in another order, and elements along them, against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_spellings, first_of, refused

X = np.arange(24.0).reshape(2, 3, 4)

#: What is computed, and what NumPy makes of it.
MOVES = {
    "permute": (lambda x: (ops.permute(x, (2, 0, 1)), x.permute(2, 0, 1), x.permute((-1, 0, 1))),
                lambda x: x.transpose(2, 0, 1)),
    "swap": (lambda x: (ops.swapdims(x, 0, -1), x.swapdims(0, 2), x.swapaxes(axis0=2, axis1=0)),
             lambda x: x.swapaxes(0, 2)),
    "one axis moved": (lambda x: (ops.movedim(x, 0, -1), ops.moveaxis(x, 0, 2), x.movedim(-3, 2),
                                  x.moveaxis(0, -1)), lambda x: np.moveaxis(x, 0, -1)),
    "axes moved": (lambda x: (ops.movedim(x, (0, 1), [2, 0]), x.moveaxis([0, 1], (-1, 0))),
                   lambda x: np.moveaxis(x, (0, 1), (2, 0))),
    "mT": (lambda x: x.mT, lambda x: x.swapaxes(1, 2)),
    "t": (lambda x: (ops.t(x[0]), x[0].t()), lambda x: x[0].T),
    "t of a vector": (lambda x: ops.t(x[0, 0]), lambda x: x[0, 0]),
    "flip": (lambda x: (ops.flip(x, (0, 2)), x.flip(0, 2), x.flip((2, 0)), x.flip(dims=[0, -1])),
             lambda x: np.flip(x, (0, 2))),
    "flip of one axis": (lambda x: (ops.flip(x, 1), x.flip(1)), lambda x: np.flip(x, 1)),
    "roll": (lambda x: (ops.roll(x, 1), x.roll(1)), lambda x: np.roll(x, 1)),
    "roll along axes": (lambda x: (ops.roll(x, (1, -2), (0, 2)), x.roll([1, -2], dims=[0, -1])),
                        lambda x: np.roll(x, (1, -2), (0, 2))),
    "roll around": (lambda x: ops.roll(x, -9, 1), lambda x: np.roll(x, -9, 1)),
    **{f"rot90 {k} {s}": (lambda x, k=k, s=s: (ops.rot90(x, k, s), x.rot90(k, s)),
                          lambda x, k=k, s=s: np.rot90(x, k, s))
       for k in (0, 1, 2, 3, -1, 6) for s in ((0, 1), (2, 0))},
}  # fmt: skip


@pytest.mark.parametrize("name", MOVES)
def test_against_numpy(name):
    run, reference = MOVES[name]
    check_spellings(run, reference(X), ms.Tensor(X))


@pytest.mark.parametrize("name", MOVES)
def test_gradients(name):
    run = first_of(MOVES[name][0])
    check_gradients(lambda x: run(x * x), X / 10)


def test_nothing_to_move():
    def run(x, empty):
        return ops.roll(empty, 1), ops.roll(empty, 1, 0), ops.flip(empty, 0), ops.roll(x, 3)

    found = both_forms(run, ms.Tensor(2.5), ms.ops.zeros((0, 2)))
    assert [x.shape for x in found] == [(0, 2), (0, 2), (0, 2), ()]
    assert found[3].item() == 2.5


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0303", lambda x: ops.movedim(x, (0, 1), 0)), ("E0403", lambda x: ops.movedim(x, 3, 0)),
     ("E0403", lambda x: ops.movedim(x, (0, -3), (0, 1))), ("E0401", lambda x: ops.t(x)),
     ("E0401", lambda x: x[0, 0].mT), ("E0403", lambda x: ops.flip(x, (0, 0))),
     ("E0403", lambda x: ops.flip(x, 3)), ("E0303", lambda x: ops.roll(x, (1, 2), 0)),
     ("E0303", lambda x: ops.roll(x, 1.5)), ("E0303", lambda x: ops.rot90(x, 1, (0, 1, 2))),
     ("E0303", lambda x: ops.rot90(x, 1.0, (0, 1))), ("E0403", lambda x: ops.rot90(x, 1, (0, 3))),
     ("E0303", lambda x: ops.swapaxes(x, 0.0, 1)), ("E0403", lambda x: ops.swapdims(x, 0, 3)),
     ("E0304", lambda x: ops.flip(1, 0)), ("E0302", lambda x: x.permute(order=(0, 1, 2)))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X))
