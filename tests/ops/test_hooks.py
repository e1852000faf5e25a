"""Does a hook change the gradient that passes it, and nothing else?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from support.located import refused_here

X = np.array([0.5, -2.0, 3.0])


def clip(dx):
    return ops.clamp(dx, -1.0, 1.0)


def doubled(gradients):
    return (gradients[0] * 2.0,)


def halved(gradients):
    return gradients[0] * 0.5


inserted = ops.InsertGradientOf(clip)


def test_the_gradient_goes_through_the_function(mode):
    x = ms.Tensor(X)

    def f(x):
        return (inserted(x * x) * x).sum()

    assert f(x).item() == pytest.approx((X**3).sum())
    found = ms.grad(f)(x).asnumpy()
    np.testing.assert_allclose(found, np.clip(X, -1, 1) * 2 * X + X * X)
    by_tuple = ms.grad(lambda x: ops.HookBackward(doubled)(x) * x)
    np.testing.assert_allclose(by_tuple(x).asnumpy(), 3 * X)
    bare = ms.grad(lambda x: ops.HookBackward(halved, "cell")(x) * x)
    np.testing.assert_allclose(bare(x).asnumpy(), 1.5 * X)


def test_none_leaves_it(mode):
    for hook in (ops.InsertGradientOf(lambda dx: None), ops.HookBackward(lambda dx: None)):
        found = ms.grad(lambda x, hook=hook: (hook(x) * x).sum())(ms.Tensor(X))
        np.testing.assert_allclose(found.asnumpy(), 2 * X)


def test_the_function_reads_tensors_and_prints(mode, capsys):
    other = ms.Tensor(2 * X)

    def shown(dx):
        print("gradient", dx)
        return dx * other

    hook = ops.InsertGradientOf(shown)
    np.testing.assert_allclose(ms.grad(lambda x: hook(x) * 3.0)(ms.Tensor(X)).asnumpy(), 6 * X)
    assert capsys.readouterr().out == "gradient [3. 3. 3.]\n"


def test_all_parts_of_a_gradient_meet_first():
    """The function sees the sum over what reads the result."""

    def f(x):
        y = inserted(x)
        return (y * 0.75 + y * 0.75).sum()

    assert ms.grad(f)(ms.Tensor(X)).tolist() == [1.0, 1.0, 1.0]


def test_outside_of_gradients_it_is_not_read():
    def unreadable(dx):
        yield dx

    hook = ops.InsertGradientOf(unreadable)
    x = ms.Tensor(X)
    assert hook(x) is x
    assert ms.compile(lambda x: hook(x) * 2.0)(x).tolist() == (2 * X).tolist()
    refused_here("E0101", ms.grad(lambda x: hook(x) * 2.0), x)
    assert ms.compile(lambda n: hook(n) + 1)(ms.Tensor([1, 2])).tolist() == [2, 3]


def test_other_transforms(mode):
    def f(x):
        return (inserted(x) * x * x).sum()

    x = ms.Tensor(X)
    value, slope = ms.jvp(f, x, ms.Tensor(np.ones(3)))
    assert slope.item() == pytest.approx((3 * X * X).sum()), "tangents pass no hook"
    output, pullback = ms.vjp(f, x)
    pulled = pullback(ms.Tensor(np.array(2.0)))[0].asnumpy()
    np.testing.assert_allclose(pulled, np.clip(2 * X * X, -1, 1) + 4 * X * X)
    rows = ms.Tensor(np.stack([X, 0.1 * X]))
    by_row = np.stack([ms.grad(f)(ms.Tensor(r)).asnumpy() for r in (X, 0.1 * X)])
    np.testing.assert_allclose(ms.grad(lambda x: ms.vmap(f)(x).sum())(rows).asnumpy(), by_row)
    at = 0.4 * X  # of clip(x x) + 2 x hook(x), whose gradient by hook(x) is clipped as well
    second = ms.grad(lambda x: ms.grad(f)(x).sum())(ms.Tensor(at)).asnumpy()
    expected = np.where(at * at < 1, 2 * at, 0.0) + np.clip(2 * at, -1, 1) + 2 * at
    np.testing.assert_allclose(second, expected)


def test_what_does_not_fit():
    x = ms.Tensor(X)
    refused_here("E0304", ops.InsertGradientOf, 3)
    refused_here("E0304", ops.HookBackward, None)
    other = ms.Parameter(np.ones(3), name="other")
    wrong = {
        "E0401": lambda dx: dx.sum(), "E0301": lambda dx: dx.astype(ms.float32),
        "E0304": lambda dx: 1.0, "E0104": lambda dx: ops.assign(other, dx),
    }  # fmt: skip
    for code, function in wrong.items():
        hook = ops.InsertGradientOf(function)
        refused_here(code, ms.grad(lambda x, hook=hook: hook(x) * x), x)
    refused_here("E0304", ms.grad(lambda x: inserted(3.0) * x), x)
    refused_here("E0302", ms.grad(lambda x: inserted(x, x) * x), x)


def test_a_hook_whose_function_changes_is_compiled_again():
    hook = ops.InsertGradientOf(lambda dx: dx * 2.0)
    gradient = ms.compile(ms.grad(lambda x: hook(x) * 1.0))
    assert gradient(ms.Tensor(X)).tolist() == [2.0] * 3
    hook.function = lambda dx: dx * 3.0
    assert gradient(ms.Tensor(X)).tolist() == [3.0] * 3
