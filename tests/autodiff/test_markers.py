"""Do markers give the gradient that they say, to order two and inside control flow?"""

from __future__ import annotations

import numpy as np

from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import i64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, without_adjoint

X = np.array([0.5, -1.0, 2.0])


def joint(program, *inputs, wrt=None) -> Function:
    function = program
    if not isinstance(program, Function):
        function = build_function(program, [type_of(x) for x in inputs])
    run_passes(function, [Decompose(without_adjoint)])
    found = differentiate(function, range(len(inputs)) if wrt is None else wrt)
    verify(found)
    run_passes(found, [Dce()])
    return found


def gradients(program, *inputs):
    found = joint(program, *inputs)
    return evaluate(found, inputs)[-len(inputs) :]


def tenfold(x):
    """The square, which claims that its derivative is 10 x."""
    return p.custom(
        x, primal=lambda x: (p.mul(x, x),), adjoint=lambda x, y, dy: (p.mul(p.mul(dy, x), 10.0),)
    )


def test_custom_says_its_own_gradient() -> None:
    np.testing.assert_array_equal(gradients(tenfold, X)[0], 10 * X)


def test_custom_in_a_chain_and_twice() -> None:
    found = gradients(lambda x: tenfold(tenfold(x)), X)[0]
    np.testing.assert_array_equal(found, 10 * X * X * 10 * X)


def test_the_derivative_of_a_custom_gradient() -> None:
    first = joint(tenfold, X)
    second = evaluate(joint(first, X), [X])[-1]  # of the value and of its gradient
    np.testing.assert_array_equal(second, 10 * X + 10.0)


def test_custom_with_several_results_and_an_integer() -> None:
    def program(x, n):
        y, z = p.custom(
            x, n, primal=lambda x, n: (p.sin(x), p.cos(x)),
            adjoint=lambda x, n, y, z, dy, dz: (p.add(dy, p.mul(dz, p.cast(n, dtype=x.dtype))),),
        )  # fmt: skip
        return y, z

    function = build_function(program, [type_of(X), i64])
    found = differentiate(function, [0])
    np.testing.assert_array_equal(evaluate(found, [X, np.array(3)])[-1], np.full(3, 4.0))


def test_hook_sees_the_cotangent() -> None:
    def program(x):
        return p.mul(p.hook(p.exp(x), body=lambda dx: p.clip(dx, -1.0, 1.0)), 5.0)

    np.testing.assert_array_equal(gradients(program, X)[0], np.exp(X))


def body(x, w):
    return p.tanh(x * w) * x


def test_checkpoint_is_the_same_gradient() -> None:
    w = np.array([0.3, 1.5, -0.2])
    kept = gradients(lambda x, w: body(x, w) * x, X, w)
    again = gradients(lambda x, w: p.checkpoint(x, w, body=lambda x, w: (body(x, w),)) * x, X, w)
    for one, other in zip(kept, again, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-15)


def test_checkpoint_keeps_its_operands_only() -> None:
    def program(x):
        def one_pass(i, h):
            return p.checkpoint(h, body=lambda h: (p.sin(p.exp(p.sin(h))),))

        return p.for_(0, 3, 1, x, body=one_pass)

    found = joint(program, X)
    pushed = {op.operands[1].owner for op in found.walk() if op.prim is p.stack_push}
    assert len(pushed) == 1  # h, and nothing of the body


def test_markers_inside_loops_and_branches() -> None:
    def marked(x):
        return p.for_(0, 3, 1, x, body=lambda i, h: p.if_(
            p.reduce_sum(h, axis=None) > 0.0, then=lambda: (tenfold(h),),
            orelse=lambda: (p.checkpoint(h, body=lambda h: (p.sin(h),)),),
        ))  # fmt: skip

    found = gradients(marked, X)[0]
    h, slope = X, np.ones(3)
    for _ in range(3):
        slope = slope * (10 * h if h.sum() > 0 else np.cos(h))
        h = h * h if h.sum() > 0 else np.sin(h)
    np.testing.assert_allclose(found, slope, rtol=1e-14)


def test_stop_gradient_of_a_twin_is_not_merged() -> None:
    found = gradients(lambda x: p.mul(p.exp(x), p.stop_gradient(p.exp(x))), X)[0]
    np.testing.assert_allclose(found, np.exp(2 * X), rtol=1e-15)
