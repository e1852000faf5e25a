"""Do numbers that are marked as data mean what they mean in Python, in one program for all?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, ops
from s2sad.core.diagnostics import S2sadError
from support.located import refused_here


@pytest.fixture(params=["numpy", "c"], autouse=True)
def backend(request, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)
    ms.set_context(mode=ms.GRAPH_MODE)
    return request.param


def arithmetic(x, n):
    return x * n + 1, x / n, ops.zeros((2,)) + n


@pytest.mark.parametrize("dtype", ["int32", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("numbers", [(2, 3, -7), (0.5, -1.25, 3.0)])
def test_they_are_weak_as_numbers_are(dtype, numbers):
    compiled, plain = ms.compile(arithmetic), ms.compile(arithmetic)
    x = Tensor(np.array([1, -4]), getattr(ms, dtype))
    for n in numbers:
        for one, other in zip(compiled(x, ms.mutable(n)), plain(x, n), strict=True):
            assert one.dtype is other.dtype
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    assert len(compiled.variants) == 1 and len(plain.variants) == len(numbers)


def with_bits(x, n):
    return (
        x * (n & 6), x * (n | 4), x * (n ^ 1), x * (n << 2), x * (n >> 1), x * ~n, x * n**2,
        x * n**-1, x * max(n, 1), x * min(n, 5, 7), x * (n if n > 2 else 1), x * 2.0**n,
    )  # fmt: skip


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_ints_have_their_operators(dtype):
    compiled = ms.compile(with_bits)
    x = Tensor(np.array([1, -4]), getattr(ms, dtype))
    for n in (3, 6, -2):
        for one, other in zip(compiled(x, ms.mutable(n)), with_bits(x, n), strict=True):
            assert one.dtype is other.dtype
            np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())
    assert len(compiled.variants) == 1


def kinds(x, n, s):
    is_int = isinstance(n, int) and type(n) is int and not isinstance(n, (float, Tensor))
    is_float = isinstance(s, float) and type(s * n) is float and not isinstance(s, Tensor)
    is_tensor = isinstance(x * n, Tensor) and type(x.sum()) is Tensor
    return x * (1 + is_int + 2 * is_float + 4 * is_tensor)


def test_they_are_ints_and_floats():
    found = ms.compile(kinds)(Tensor([1.0]), ms.mutable(3), ms.mutable(0.5))
    assert found.tolist() == kinds(Tensor([1.0]), 3, 0.5).tolist() == [8.0]


def test_a_power_that_may_be_an_int_or_a_float():
    refused_here("E0305", ms.compile(lambda x, n: x * 2**n), Tensor([1.0]), ms.mutable(3))


def indexed(x, n):
    best = 0
    for i in range(n):
        x = x * 2 + i
        if x.sum() < 20:
            best = i
    return x, x * best, x * (best & 1)


@pytest.mark.parametrize("dtype", ["int32", "float32"])
def test_what_range_gives_is_as_weak(dtype):
    compiled = ms.compile(indexed)
    x = Tensor(np.array([1, 2]), getattr(ms, dtype))
    for n in (3, 0, 4):
        for given in (ms.mutable(n), Tensor(n)):
            for one, other in zip(compiled(x, given), indexed(x, n), strict=True):
                assert one.dtype is other.dtype
                np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def repeated(x, n):
    for _ in range(n):
        x = x * 2
    return x


def chosen(x, n):
    return x * 2 if n > 2 else x


def test_they_decide_loops_and_branches():
    loop, branch = ms.compile(repeated), ms.compile(chosen)
    for n in (0, 1, 5):
        assert loop(Tensor([1.0]), ms.mutable(n)).item() == 2.0**n
        assert branch(Tensor([1.0]), ms.mutable(n)).item() == (2.0 if n > 2 else 1.0)
    assert len(loop.variants) == len(branch.variants) == 1


def test_containers_of_them_and_gradients():
    def function(x, settings):
        return (x * settings["scale"] + settings["shift"][0]).sum()

    gradient = ms.compile(ms.grad(function))
    for scale, shift in ((2.0, 1), (3.0, 7)):
        found = gradient(Tensor([1.0, 2.0]), ms.mutable({"scale": scale, "shift": [shift]}))
        assert found.tolist() == [scale, scale]
    assert len(gradient.variants) == 1
    gradients = ms.grad(lambda x, s: (x * s * s).sum(), (0, 1))
    dx, ds = gradients(Tensor([1.0, 2.0]), ms.mutable(3.0))
    assert dx.tolist() == [9.0, 9.0] and ds.item() == 18.0 and ds.dtype is ms.float64


def test_outside_of_compiled_code_they_are_numbers():
    n, x = ms.mutable(3), ms.mutable(0.5)
    assert n == 3 and isinstance(n, int) and n + 1 == 4 and type(n + 1) is int and x * 2 == 1.0
    assert ms.mutable((1, [2.0])) == (1, [2.0]) and ms.mutable(Tensor([1.0])).tolist() == [1.0]


@pytest.mark.parametrize(
    ("given", "code"), [(True, "E0303"), ("a", "E0303"), (None, "E0303"), (2**63, "E0404")]
)
def test_what_is_no_number_is_refused(given, code):
    with pytest.raises(S2sadError, match=rf"\[{code}\]"):
        ms.mutable(given)
    with pytest.raises(S2sadError, match=r"\[E0310\]"):
        ms.mutable([1], dynamic_len=True)
