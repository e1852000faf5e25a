"""Do markers compute what they mark, and hold their regions to the right types?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.primitive import Trait
from s2sad.ir.types import Stack, Token, f32, f64, i64, type_of


def both(run, *operands):
    """Results of `run` on arrays, once they are those of the program that `run` writes."""
    operands = [np.asarray(x) for x in operands]
    program = build_function(run, [type_of(x) for x in operands])
    found = evaluate(program, operands)
    for one, other in zip(as_tuple(run(*operands)), found, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    return [x.tolist() for x in found]


def refused(run, *types):
    with pytest.raises(S2sadError) as caught:
        build_function(run, types)
    return caught.value.code


def region_types(program, prim, name):
    (operation,) = [o for o in program.walk() if o.prim is prim]
    return [v.type for v in operation.regions[name].args]


def test_stop_gradient_is_the_identity():
    for x in (np.array([1.0, np.nan, -0.0]), np.array(3), np.zeros((0, 2), np.uint16)):
        assert p.stop_gradient(x) is x
    assert p.stop_gradient.nondiff and p.stop_gradient.has(Trait.OPAQUE)
    assert refused(lambda t: p.stop_gradient(t), Token) == "E0304"


def test_barrier_is_the_identity():
    for x in (np.array([1.0, np.nan, -0.0]), np.array(3), np.zeros((0, 2), np.uint16)):
        assert p.barrier(x) is x
    assert p.barrier.linear == "all" and p.barrier.has(Trait.OPAQUE)
    assert refused(lambda s: p.barrier(s), Stack[f32[2]]) == "E0304"
    assert p.barrier(Token) is Token
    assert build_function(lambda t: p.barrier(t), [Token]).result_types == (Token,)


def test_hook():
    run = lambda x: p.hook(x, body=lambda dx: p.neg(dx))  # noqa: E731
    assert both(run, [1.0, 2.0]) == [[1.0, 2.0]]
    assert region_types(build_function(run, [f32[2]]), p.hook, "body") == [f32[2]]
    assert refused(run, i64[2]) == "E0301"
    assert refused(lambda x: p.hook(x, body=lambda dx: p.reduce_sum(dx)), f32[2]) == "E0306"
    assert refused(lambda x: p.hook(x, body=lambda dx: (dx, dx)), f32[2]) == "E0306"


def test_a_hook_of_several_values_that_reads_others():
    def run(x, y, n, token):
        def body(dx, dy, n, token):
            return p.mul(dx, 2.0), dy, p.print_(token, n, format="{}\n")

        return p.hook(x, y, n, token, body=body, count=2, asks=True)

    program = build_function(run, [f32[2], f64, i64, Token])
    assert region_types(program, p.hook, "body") == [f32[2], f64, i64, Token]
    assert program.result_types == (f32[2], f64, Token)
    x, y = np.ones(2, np.float32), np.array(2.0)
    for found in (run(x, y, np.array(3), Token), evaluate(program, [x, y, np.array(3), Token])):
        assert found[0].tolist() == [1.0, 1.0] and found[1].item() == 2.0 and found[2] is Token


def test_a_hook_of_a_wrong_number():
    def run(**attrs):
        return lambda x, y: p.hook(x, y, body=lambda dx, dy: (dx, dy), **attrs)

    assert build_function(run(count=2), [f32[2], f32[2]]).result_types == (f32[2], f32[2])
    assert refused(run(count=2), f32[2], i64) == "E0301"
    assert refused(run(count=3), f32[2], f32[2]) == "E0404"
    assert refused(run(count=0), f32[2], f32[2]) == "E0404"
    assert refused(run(count=True), f32[2], f32[2]) == "E0303"
    assert refused(run(count=2, asks=1), f32[2], f32[2]) == "E0303"
    assert refused(run(), f32[2], f32[2]) == "E0306"
    reading = lambda x, s: p.hook(x, s, body=lambda dx, s: dx)  # noqa: E731
    assert refused(reading, f32[2], Stack[f32[2]]) == "E0301"


def test_what_a_hook_gives_may_spell_its_size_otherwise():
    H = symbol("H")  # noqa: N806 - so in types
    one, other = f32[(H + 2) // 2], f32[H // 2 + 1]
    program = build_function(lambda x, y: p.hook(x, body=lambda dx: y), [one, other])
    assert program.result_types == (one,)


def test_custom_computes_its_primal():
    run = lambda x, n: p.custom(  # noqa: E731
        x, n,
        primal=lambda x, n: (p.mul(x, x), p.add(n, 1)),
        adjoint=lambda x, n, y, m, dy: p.mul(dy, 10.0),
    )  # fmt: skip
    assert both(run, [1.0, 2.0], 3) == [[1.0, 4.0], 4]
    program = build_function(run, [f32[2], i64])
    assert program.result_types == (f32[2], i64)
    assert region_types(program, p.custom, "primal") == [f32[2], i64]
    # The values, the results, and a cotangent for the one result of floats.
    assert region_types(program, p.custom, "adjoint") == [f32[2], i64, f32[2], i64, f32[2]]


def test_the_adjoint_of_a_custom_gives_a_cotangent_a_float_operand():
    def run(*given):
        return lambda x, n, y: p.custom(
            x, n, y, primal=lambda x, n, y: p.mul(x, y), adjoint=lambda x, n, y, z, dz: tuple(
                {"x": x, "n": n, "dz": dz}[name] for name in given)
        )  # fmt: skip

    types = f32[2], i64, f32[2]
    assert build_function(run("x", "dz"), types).result_types == (f32[2],)
    for given in (("x",), ("x", "n"), ("x", "dz", "dz"), ()):
        assert refused(run(*given), *types) == "E0306"


def test_tokens_pass_a_custom_but_not_its_adjoint(capsys):
    def run(token, x):
        primal = lambda t, x: (p.print_(t, x, format="{}"), p.mul(x, x))  # noqa: E731
        return p.custom(token, x, primal=primal, adjoint=lambda x, y, dy: p.mul(dy, x))

    program = build_function(run, [Token, f64])
    assert evaluate(program, [Token, np.array(3.0)]) == (Token, 9.0)
    assert capsys.readouterr().out == "3.0"


def test_checkpoint_and_fused_run_their_body():
    for prim in (p.checkpoint, p.fused):
        run = lambda x, y: prim(x, y, body=lambda x, y: (p.mul(x, y), p.less(x, y)))  # noqa: B023, E731
        assert both(run, [1.0, 2.0], [3.0, 1.0]) == [[3.0, 2.0], [True, False]]
        assert build_function(run, [f32[2], f32[2]]).result_types[0] == f32[2]
    assert p.checkpoint.has(Trait.OPAQUE) and not p.fused.has(Trait.OPAQUE)


def test_regions_may_read_from_outside():
    def run(x, w):
        return p.checkpoint(x, body=lambda x: p.fused(x, body=lambda x: p.mul(x, w)))

    assert both(run, [1.0, 2.0], 3.0) == [[3.0, 6.0]]


@pytest.mark.parametrize(("budget", "code"), [(-1, "E0404"), (1.5, "E0303"), (True, "E0303")])
def test_budgets_are_bytes(budget, code):
    assert refused(lambda x: p.checkpoint(x, body=lambda x: x, budget=budget), f32) == code
    program = build_function(lambda x: p.checkpoint(x, body=lambda x: x, budget=1 << 20), [f32])
    assert program.body.operations[0].attrs["budget"] == 1 << 20


# Transforms


def product(x, n, y):
    return p.mul(x, y), n, p.reduce_sum(y)


TYPES = (f32[2], i64, f32[2])


@pytest.mark.parametrize(
    ("kind", "extra", "attrs", "expected"),
    [
        ("grad", (), {"wrt": (0,)}, (f32[2],)),
        ("grad", (), {"wrt": (2, 0), "results": (2,)}, (f32[2], f32[2])),
        ("value_and_grad", (), {"wrt": (0,)}, (f32[2], i64, f32, f32[2])),
        ("vjp", (f32[2], f32), {"wrt": (2,), "results": (0, 2)}, (f32[2], i64, f32, f32[2])),
        ("jvp", (f32[2], f32[2]), {"wrt": (0, 2), "results": (2,)}, (f32[2], i64, f32, f32)),
    ],
)
def test_types_of_derivatives(kind, extra, attrs, expected):
    run = lambda *v: p.transform(*v, body=product, kind=kind, **attrs)  # noqa: E731
    program = build_function(run, [*TYPES, *extra])
    assert program.result_types == expected
    assert region_types(program, p.transform, "body") == list(TYPES)
    operands = [np.ones(t.shape, t.dtype.storage) for t in (*TYPES, *extra)]
    results = as_tuple(run(*operands))
    assert tuple(map(type_of, results)) == expected
    for one, other in zip(results, evaluate(program, operands), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_gradient_alone_leaves_no_token_behind():
    def run(kind):
        body = lambda t, x: (t, p.sin(x))  # noqa: E731
        return lambda *v: p.transform(*v, body=body, kind=kind, wrt=(1,), results=(1,))

    assert refused(run("grad"), Token, f32) == "E0306"
    assert build_function(run("value_and_grad"), [Token, f32]).result_types == (Token, f32, f32)


def test_derivatives_are_computed():
    x, n, y, v = np.array([0.5, -1.0]), np.array(3), np.array([2.0, 4.0]), np.array([1.0, 10.0])
    body = lambda x, n, y: (p.mul(p.mul(x, x), y), n)  # noqa: E731

    def found(kind, *more, wrt=(0,)):
        return both(lambda *v: p.transform(*v, body=body, kind=kind, wrt=wrt), x, n, y, *more)

    value, by_x, by_y = (x * x * y).tolist(), 2 * x * y, x * x
    assert found("grad") == [by_x.tolist()]
    assert found("grad", wrt=(2, 0)) == [by_y.tolist(), by_x.tolist()]
    assert found("value_and_grad") == [value, 3, by_x.tolist()]
    assert found("vjp", v, wrt=(2,)) == [value, 3, (v * by_y).tolist()]
    assert found("jvp", v, v, wrt=(0, 2)) == [value, 3, (v * (by_x + by_y)).tolist()]


def test_a_derivative_of_a_derivative():
    cube = lambda x: p.mul(p.mul(x, x), x)  # noqa: E731
    inner = lambda x: p.transform(x, body=cube, kind="grad", wrt=(0,))  # noqa: E731
    second = lambda x: p.transform(x, body=inner, kind="grad", wrt=(0,))  # noqa: E731
    assert both(second, [2.0, -0.5]) == [[12.0, -3.0]]


def test_other_markers_say_what_a_derivative_is():
    def marked(x):
        x = p.hook(x, body=lambda dx: p.mul(dx, 100.0))
        y = p.custom(x, primal=p.sin, adjoint=lambda x, y, dy: p.mul(dy, 10.0))
        return p.checkpoint(y, p.stop_gradient(x), body=lambda y, x: p.mul(y, x))

    gradient = lambda x: p.transform(x, body=marked, kind="value_and_grad", wrt=(0,))  # noqa: E731
    value, slope = both(gradient, [2.0])
    assert value == [np.sin(2.0) * 2.0] and slope == [2.0 * 10.0 * 100.0]


def test_a_body_on_arrays_does_not_branch():
    branching = lambda x: p.neg(x) if p.less(x, 0.0) else x  # noqa: E731
    with pytest.raises(S2sadError, match="E0305"):
        p.transform(np.array(1.0), body=branching, kind="grad", wrt=(0,))
    with pytest.raises(S2sadError, match="E0403"):
        p.transform(np.array(1.0), body=p.neg, kind="grad", wrt=(1,))


@pytest.mark.parametrize(
    ("types", "attrs", "code"),
    [
        (TYPES, {"kind": "hessian"}, "E0404"),
        (TYPES, {"kind": "grad", "wrt": (3,)}, "E0403"),
        (TYPES, {"kind": "grad", "wrt": (-1,)}, "E0403"),
        (TYPES, {"kind": "grad", "wrt": (1,)}, "E0301"),
        (TYPES, {"kind": "grad", "wrt": (0,), "results": (1,)}, "E0301"),
        (TYPES, {"kind": "grad", "wrt": (0,), "results": (5,)}, "E0403"),
        (TYPES, {"kind": "grad", "wrt": 0}, "E0303"),
        (TYPES, {"kind": "grad", "wrt": (None,)}, "E0303"),
        ((*TYPES, f32), {"kind": "vjp", "wrt": (0,)}, "E0306"),
        ((*TYPES, f32), {"kind": "jvp", "wrt": (0,)}, "E0306"),
        ((), {"kind": "jvp", "wrt": (0,)}, "E0302"),
        (TYPES, {"kind": "vmap", "in_axes": (0,)}, "E0302"),
        (TYPES, {"kind": "vmap", "in_axes": (None, None, None)}, "E0404"),
        (TYPES, {"kind": "vmap", "in_axes": (1, None, 0)}, "E0403"),
        ((f32[2], i64, f32[3]), {"kind": "vmap", "in_axes": (0, None, 0)}, "E0401"),
        (TYPES, {"kind": "vmap", "in_axes": (0, None, None), "out_axes": (0, 0)}, "E0302"),
        (TYPES, {"kind": "vmap", "in_axes": (0, None, None), "out_axes": (2, 0, 0)}, "E0403"),
    ],
)
def test_transforms_that_do_not_fit(types, attrs, code):
    assert refused(lambda *v: p.transform(*v, body=product, **attrs), *types) == code


def test_vmap_maps():
    def run(x, y, n):
        body = lambda x, y, n: (p.add(p.reduce_sum(x), y), p.mul(x, 2.0), n)  # noqa: E731
        return p.transform(
            x, y, n, body=body, kind="vmap", in_axes=(1, 0, None), out_axes=(0, 1, 0)
        )

    x = np.arange(6.0).reshape(2, 3)
    assert both(run, x, [10.0, 20.0, 30.0], 7) == [[13, 25, 37], (2 * x).tolist(), [7, 7, 7]]


def test_an_empty_map_has_its_types():
    body = lambda x, n: (p.reduce_sum(x), x, n)  # noqa: E731
    run = lambda x, n: p.transform(  # noqa: E731
        x, n, body=body, kind="vmap", in_axes=(1, None), out_axes=(0, 0, 0)
    )
    operands = np.zeros((2, 0), np.float32), np.array(7)
    for results in (run(*operands), evaluate(build_function(run, [f32[2, 0], i64]), operands)):
        assert tuple(map(type_of, results)) == (f32[0], f32[0, 2], i64[0])


def test_vmap_inside_vmap():
    inner = lambda x, y: p.transform(  # noqa: E731
        x, y, body=lambda x, y: p.mul(x, y), kind="vmap", in_axes=(None, 0), out_axes=(0,)
    )
    run = lambda x, y: p.transform(  # noqa: E731
        x, y, body=inner, kind="vmap", in_axes=(0, None), out_axes=(0,)
    )
    assert both(run, [1.0, 2.0], [3.0, 4.0, 5.0]) == [[[3, 4, 5], [6, 8, 10]]]


def test_vmap_over_symbolic_sizes():
    batch = symbol("B")
    run = lambda x: p.transform(x, body=p.neg, kind="vmap", in_axes=(0,), out_axes=(1,))  # noqa: E731
    program = build_function(run, [f32[batch, 4]])
    assert program.result_types == (f32[4, batch],)
    assert region_types(program, p.transform, "body") == [f32[4]]
