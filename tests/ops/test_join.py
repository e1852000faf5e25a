"""Tensors joined and taken apart against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.forms import both_forms, check_gradients, check_spellings, first_of, refused

X = np.arange(24.0).reshape(2, 3, 4)
Y = -np.arange(1.0, 25.0).reshape(2, 3, 4)

JOINED = {
    "concat": (lambda x, y: (ops.concat((x, y)), ops.cat([x, y]), ops.concat((x, y), axis=-3)),
               lambda x, y: np.concatenate((x, y))),
    "concat along the last": (lambda x, y: ops.concat((x, y, x), 2),
                              lambda x, y: np.concatenate((x, y, x), 2)),
    "concat of one": (lambda x, y: ops.concat([x], 1), lambda x, y: x),
    "concat of different sizes": (lambda x, y: ops.cat((x[:, :1], y, x[:, 1:1]), 1),
                                  lambda x, y: np.concatenate((x[:, :1], y), 1)),
    "stack": (lambda x, y: (ops.stack((x, y)), ops.stack([x, y], axis=-4)),
              lambda x, y: np.stack((x, y))),
    "stack at the end": (lambda x, y: ops.stack((x, y), -1), lambda x, y: np.stack((x, y), -1)),
    "hstack": (lambda x, y: ops.hstack((x, y)), lambda x, y: np.hstack((x, y))),
    "hstack of vectors": (lambda x, y: ops.hstack([x[0, 0], y[0, 0]]),
                          lambda x, y: np.hstack((x[0, 0], y[0, 0]))),
    "hstack of numbers": (lambda x, y: ops.hstack([x[0, 0, 0], y[0, 0, 1]]),
                          lambda x, y: np.hstack((x[0, 0, 0], y[0, 0, 1]))),
    "vstack": (lambda x, y: ops.vstack((x, y)), lambda x, y: np.vstack((x, y))),
    "vstack of vectors": (lambda x, y: ops.vstack((x[0, 0], y[0, 0])),
                          lambda x, y: np.vstack((x[0, 0], y[0, 0]))),
    "vstack of numbers": (lambda x, y: ops.vstack((x[0, 0, 0], y[0, 0, 1])),
                          lambda x, y: np.vstack((x[0, 0, 0], y[0, 0, 1]))),
}  # fmt: skip


@pytest.mark.parametrize("name", JOINED)
def test_joined(name):
    run, reference = JOINED[name]
    check_spellings(run, reference(X, Y), ms.Tensor(X), ms.Tensor(Y))


@pytest.mark.parametrize("name", JOINED)
def test_gradients_of_joined(name):
    run = first_of(JOINED[name][0])
    check_gradients(lambda x, y: run(x * x, y * x), X / 10, Y / 10)


TAKEN_APART = {
    "split by size": (lambda x: (ops.split(x, 3, -1), x.split(3, 2), x.split(split_size=3, dim=-1),
                                 x.split(3, axis=2)), lambda x: np.split(x, [3], 2)),
    "split by sizes": (lambda x: (ops.split(x, (1, 2), 1), x.split([1, 2], 1)),
                       lambda x: np.split(x, [1], 1)),
    "split whole": (lambda x: (ops.split(x, 5), ops.split(x, 2, axis=0)), lambda x: [x]),
    "split into parts of nothing": (lambda x: (ops.split(x, (0, 2, 0)),),
                                    lambda x: np.split(x, [0, 2], 0)),
    "chunk": (lambda x: (ops.chunk(x, 3, 2), x.chunk(3, axis=-1), x.chunk(3, dim=2)),
              lambda x: np.split(x, [2], 2)),
    "more chunks than slices": (lambda x: (ops.chunk(x, 7), x.chunk(7)), lambda x: np.split(x, 2)),
    "tensor_split": (lambda x: (ops.tensor_split(x, 3, 2), x.tensor_split(3, -1)),
                     lambda x: np.array_split(x, 3, 2)),
    "tensor_split into more": (lambda x: (ops.tensor_split(x, 3),), lambda x: np.array_split(x, 3)),
    "tensor_split at places": (lambda x: (ops.tensor_split(x, (1, 3, 9), 2),
                                          x.tensor_split([1, 3, 9], 2)),
                               lambda x: np.array_split(x, [1, 3, 9], 2)),
    "unbind": (lambda x: (ops.unbind(x, 1), ops.unstack(x, axis=-2), x.unbind(1), x.unbind(dim=1)),
               lambda x: [x[:, i] for i in range(3)]),
    "unbind of one": (lambda x: (ops.unbind(x[:1]), x[:1].unbind()), lambda x: [x[0]]),
    "unbind of none": (lambda x: (ops.unbind(x[:0]), x[:0].unbind()), lambda x: []),
}  # fmt: skip


@pytest.mark.parametrize("name", TAKEN_APART)
def test_taken_apart(name):
    run, reference = TAKEN_APART[name]
    expected = reference(X)
    for parts in both_forms(run, ms.Tensor(X)):
        assert isinstance(parts, tuple)
        assert [part.shape for part in parts] == [part.shape for part in expected]
        for part, wanted in zip(parts, expected, strict=True):
            np.testing.assert_array_equal(part.asnumpy(), wanted)


@pytest.mark.parametrize("name", [name for name in TAKEN_APART if name != "unbind of none"])
def test_gradients_of_what_is_taken_apart(name):
    def run(x):
        parts = TAKEN_APART[name][0](x * x)[0]
        return ops.concat([part.reshape(-1) * (i + 1) for i, part in enumerate(parts)])

    check_gradients(run, X / 10)


def test_a_part_that_is_not_used_gets_zero():
    def run(x):
        first, _, last = ops.split(x, 1)
        return (first + last * 3).sum()

    assert ms.grad(run)(ms.Tensor([1.0, 2.0, 3.0])).tolist() == [1.0, 0.0, 3.0]


def test_nothing_to_take_apart():
    def run(x):
        return ops.split(x, 2), ops.chunk(x, 3)

    split, chunk = both_forms(run, ops.zeros((0, 2)))
    assert [part.shape for part in split] == [part.shape for part in chunk] == [(0, 2)]


@pytest.mark.parametrize("dtype", [ms.bool_, ms.int8, ms.bfloat16])
def test_of_any_dtype(dtype):
    def run(x):
        return ops.concat((x, x)), ops.stack((x, x)), *ops.unbind(x)

    for result in both_forms(run, ms.Tensor([1, 0], dtype)):
        assert result.dtype is dtype


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0304", lambda x: ops.concat(x)), ("E0304", lambda x: ops.concat((x, 1.0))),
     ("E0404", lambda x: ops.concat(())), ("E0404", lambda x: ops.stack([])),
     ("E0301", lambda x: ops.concat((x, x.astype(ms.float32)))),
     ("E0301", lambda x: ops.stack((x, x.astype(ms.float32)))),
     ("E0401", lambda x: ops.concat((x, x[0]))), ("E0401", lambda x: ops.concat((x, x[:, :1]), 0)),
     ("E0401", lambda x: ops.stack((x, x[:1]))), ("E0403", lambda x: ops.concat((x, x), 3)),
     ("E0403", lambda x: ops.stack((x, x), 4)), ("E0404", lambda x: ops.split(x, 0)),
     ("E0404", lambda x: ops.split(x, [])), ("E0303", lambda x: ops.split(x, 1.5)),
     ("E0303", lambda x: x.split(None)), ("E0401", lambda x: ops.split(x, (1, 2), 0)),
     ("E0404", lambda x: ops.split(x, (3, -1), 0)), ("E0403", lambda x: ops.split(x, 1, 3)),
     ("E0404", lambda x: ops.chunk(x, 0)), ("E0303", lambda x: ops.chunk(x, True)),
     ("E0303", lambda x: ops.tensor_split(x, 1.5)), ("E0404", lambda x: ops.tensor_split(x, 0)),
     ("E0403", lambda x: ops.unbind(x, 3)), ("E0403", lambda x: ops.unbind(x[0, 0, 0])),
     ("E0302", lambda x: x.split(1, axis=0, dim=1)), ("E0302", lambda x: x.chunk(2, 0, 1))],
)  # fmt: skip
def test_refused(code, run):
    refused(code, run, ms.Tensor(X))
