"""Are functions of constants computed while compiling, and are older names what they were?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, refused


@ops.constexpr
def triangle(n):
    """Ones below the diagonal."""
    rows = []
    for i in range(n):
        rows.append([float(j <= i) for j in range(n)])
    return ms.Tensor(np.array(rows)), {"n": n}["n"]


@ops.constexpr(name="halves", reuse_result=False)
def halved(*sizes, by=2):
    return [ops.add(ms.Tensor([1.0]), size // by).item() for size in sizes]


def test_it_is_computed_while_compiling():
    def run(x):
        mask, n = triangle(x.shape[0])
        return ops.matmul(mask, x) * n + halved(4, 9, by=3)[1]

    x = np.arange(6.0).reshape(3, 2)
    found = both_forms(run, ms.Tensor(x))
    np.testing.assert_allclose(found.asnumpy(), np.tril(np.ones((3, 3))) @ x * 3 + 4, rtol=1e-15)
    check_gradients(run, x)
    assert triangle.__doc__ == "Ones below the diagonal." and triangle.name == "triangle"


def test_tensor_data_are_refused():
    def run(x):
        return x * triangle(x)[1]

    with pytest.raises(S2sadError, match="E0304.*triangle is a constexpr"):
        ms.compile(run)(ms.Tensor(2))


def test_what_it_raises_is_the_programs():
    @ops.constexpr
    def fails(n):
        raise KeyError(f"no {n}")

    class Net(nn.Cell):
        def construct(self, x):
            return x * fails(x.shape[0])

    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        with pytest.raises(KeyError, match="no 1"):
            Net()(ms.Tensor([1.0]))


def test_settings_are_checked():
    with pytest.raises(S2sadError, match="E0310"):
        ops.constexpr(len, get_instance=False)
    with pytest.raises(S2sadError, match="E0303"):
        ops.constexpr(len, check=1)
    with pytest.raises(S2sadError, match="E0304"):
        ops.constexpr(3)


def test_identity():
    x = ms.Tensor([1.0])
    assert ops.identity(x) is x and both_forms(lambda x: ops.identity(x) * 2, x).tolist() == [2.0]


@pytest.mark.parametrize("axis", [(), 0, -1, (0, 1), [1]])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod"])
def test_older_reductions(name, axis):
    x = np.array([[1.5, -2.0, 0.5], [4.0, 3.0, 4.0]])
    function = getattr(ops, f"reduce_{name}")
    over = None if axis == () else tuple(axis) if isinstance(axis, list) else axis
    for keep in (False, True):
        found = both_forms(lambda x, keep=keep: function(x, axis, keep), ms.Tensor(x))
        expected = getattr(np, name)(x, axis=over, keepdims=keep)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-15)
    whole = ms.Tensor(x.astype(np.int8))
    assert function(whole, axis).dtype is ms.int8


def test_older_names():
    truths = ms.Tensor([[True, False], [True, True]])
    found = both_forms(lambda x: (ops.reduce_all(x, 1), ops.reduce_any(x, 0, True)), truths)
    assert [x.tolist() for x in found] == [[False, True], [[True, True]]]
    assert ops.pows(ms.Tensor([3.0]), 2).tolist() == [9.0]
    assert ops.reduce_sum(ms.Tensor([1.0, 2.0]), skip_mode=True).tolist() == [1.0, 2.0]
    assert ops.reduce_sum(ms.Tensor([1.0, 2.0]), 0, skip_mode=True).item() == 3.0

    def of_bools(x):
        return ops.reduce_sum(x)

    refused("E0301", of_bools, truths)
    for name in ("grad", "value_and_grad", "vjp", "jvp", "get_grad"):
        assert getattr(ops, name) is getattr(ms, name)
