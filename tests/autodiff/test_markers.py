"""Do markers give the gradient that they say, to order two and inside control flow?"""

from __future__ import annotations

import numpy as np

from s2sad import prims as p
from s2sad.autodiff.forward import push_forward
from s2sad.autodiff.reverse import differentiate
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.types import Token, f64, i64, type_of
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, without_adjoint, without_tangent

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


def test_hook_of_several_values_reads_others() -> None:
    def program(x, y, w):
        x, y = p.hook(x, y, w, body=lambda dx, dy, w: (p.mul(dy, w), p.add(dx, dy)), count=2)
        return p.mul(x, y)

    y, w = 2.0 * X, np.array([1.0, -1.0, 3.0])
    dx, dy, dw = gradients(program, X, y, w)
    np.testing.assert_array_equal(dx, X * w)
    np.testing.assert_array_equal(dy, X + y)
    np.testing.assert_array_equal(dw, 0 * w)


def test_what_a_hook_does_comes_last_and_where_it_asks(capsys) -> None:
    def program(asks):
        def run(x, y, token):
            def body(dx, token):
                return dx, p.print_(token, dx, format="gradient {}\n")

            x, token = p.hook(x, token, body=body, asks=asks)
            return p.mul(x, y), p.print_(token, format="forward\n")

        function = build_function(run, [f64, f64, Token])
        found = differentiate(function, [1], [0])
        return evaluate(found, [np.array(3.0), np.array(5.0), Token])

    for asks, printed in ((True, "forward\ngradient 5.0\n"), (False, "forward\n")):
        value, token, dy = program(asks)
        assert (value.item(), token, dy.item()) == (15.0, Token, 3.0)
        assert capsys.readouterr().out == printed


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


# ---- forward mode --------------------------------------------------------------------------------

V = np.array([1.0, 10.0, 100.0])


def tangents(program, x=X, v=V):
    """Results and tangents of `program`, which is a function of one tensor or a Function of it."""
    function = program
    if not isinstance(function, Function):
        function = build_function(program, [type_of(x)])
    run_passes(function, [Decompose(without_tangent)])
    pushed = push_forward(function, [0])
    verify(pushed)
    return evaluate(pushed, [x, v])


def test_a_custom_rule_is_transposed() -> None:
    np.testing.assert_allclose(tangents(tenfold)[1], 10 * X * V)
    np.testing.assert_allclose(tangents(lambda x: tenfold(tenfold(x)))[1], 100 * X**3 * V)
    value, gradient, _, slope = tangents(joint(tenfold, X))
    np.testing.assert_allclose((value, gradient, slope), (X * X, 10 * X, 10 * V))


def test_the_transpose_of_a_rule_with_several_values_and_results() -> None:
    def program(x):
        y = p.exp(x)
        n = p.cast(x, dtype=i64)
        return p.custom(
            x, n, y,
            primal=lambda x, n, y: (p.mul(x, y), p.add(n, 1), p.reduce_sum(y)),
            adjoint=lambda x, n, y, out, m, total, dout, dtotal: (
                p.add(p.mul(dout, 2.0), p.mul(y, 0.0)), p.add(p.mul(dout, x), dtotal)
            ),
        )  # fmt: skip

    *_, by_out, by_total = tangents(program)
    y_dot = np.exp(X) * V
    np.testing.assert_allclose(by_out, 2 * V + X * y_dot)
    np.testing.assert_allclose(by_total, y_dot.sum())


def test_a_checkpoint_stays_one_with_its_tangent() -> None:
    w = np.array([0.3, 1.5, -0.2])

    def program(x):
        return p.checkpoint(x, p.const(w, f64[3]), body=lambda x, w: body(x, w))

    slope = np.tanh(X * w) + X * w / np.cosh(X * w) ** 2
    function = build_function(program, [f64[3]])
    run_passes(function, [Decompose(without_tangent)])
    pushed = push_forward(function, [0])
    np.testing.assert_allclose(evaluate(pushed, [X, V])[1], slope * V, rtol=1e-13)
    (marker,) = (op for op in pushed.walk() if op.prim is p.checkpoint)
    assert len(marker.results) == 2
    back = evaluate(joint(pushed, X, V, wrt=[1]), [X, V])[-1]  # of the value and of the tangent
    np.testing.assert_allclose(back, slope, rtol=1e-13)


def test_a_hook_is_of_no_concern_to_tangents() -> None:
    found = tangents(lambda x: p.hook(p.exp(x), body=lambda dx: p.neg(dx)))
    np.testing.assert_allclose(found[1], np.exp(X) * V)


def test_tangents_of_markers_inside_loops_and_branches() -> None:
    def marked(x):
        return p.for_(0, 3, 1, x, body=lambda i, h: p.if_(
            p.reduce_sum(h, axis=None) > 0.0, then=lambda: (tenfold(h),),
            orelse=lambda: (p.checkpoint(h, body=lambda h: (p.sin(h),)),),
        ))  # fmt: skip

    h, dot = X, V
    for _ in range(3):
        dot = dot * (10 * h if h.sum() > 0 else np.cos(h))
        h = h * h if h.sum() > 0 else np.sin(h)
    np.testing.assert_allclose(tangents(marked)[1], dot, rtol=1e-13)
    *_, second = tangents(joint(marked, X))  # of 10 x, 10 x^2 and 10 x^4, as the rule says
    np.testing.assert_allclose(second, 1000 * 111 * X**6 * V, rtol=1e-13)


def test_a_marker_that_does_not_vary_is_left_as_it_is() -> None:
    function = build_function(
        lambda x, y: (p.mul(x, p.stop_gradient(tenfold(y))), tenfold(y)), [f64[3], f64[3]]
    )
    found = evaluate(push_forward(function, [0]), [X, X, V])
    np.testing.assert_allclose(found[2], V * X * X)
    np.testing.assert_array_equal(found[3], np.zeros(3))


# ---- zeros and barriers --------------------------------------------------------------------------


def test_a_cotangent_that_a_rule_leaves_at_zero_goes_nowhere() -> None:
    def program(x, y):
        root = p.sqrt(y)
        return p.custom(
            x, root, primal=lambda x, r: p.add(x, r),
            adjoint=lambda x, r, out, dout: (dout, p.zeros_like(r)),
        )  # fmt: skip

    zero = np.zeros(3)
    by_x, by_y = gradients(program, X, zero)
    np.testing.assert_array_equal(by_x, np.ones(3))
    np.testing.assert_array_equal(by_y, zero)  # 0 times infinity would be NaN


def test_what_is_behind_a_barrier_has_its_gradient() -> None:
    def program(x):
        return p.mul(p.barrier(p.sin(x)), x)

    expected = np.cos(X) * X + np.sin(X)
    np.testing.assert_allclose(gradients(program, X)[0], expected, rtol=1e-15)
    np.testing.assert_allclose(tangents(program)[1], expected * V, rtol=1e-15)
    *_, second = evaluate(joint(joint(program, X), X), [X])  # of value and gradient
    np.testing.assert_allclose(second, expected + 2 * np.cos(X) - X * np.sin(X), rtol=1e-14)
