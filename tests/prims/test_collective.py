"""Do collectives have the right types in a group, and is a group of one the identity?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.autodiff.forward import push_forward
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.primitive import Trait
from s2sad.ir.types import Token, bool_, f16, f32, f64
from support.reverse import gradient

EXCHANGES = [
    (p.all_reduce, {"op": "max"}),
    (p.all_gather, {"axis": 1}),
    (p.reduce_scatter, {"axis": -1}),
    (p.broadcast, {"root": 0}),
    (p.all_to_all, {"split_axis": 0, "concat_axis": 1}),
]
ids = [prim.name for prim, _ in EXCHANGES]


def refused(run, *types):
    with pytest.raises(S2sadError) as caught:
        build_function(run, types)
    return caught.value.code


def result(prim, type, **attrs):
    program = build_function(lambda t, x: prim(t, x, **attrs), [Token, type])
    assert program.result_types[0] is Token
    return program.result_types[1]


def test_types_in_a_group():
    batch = symbol("B")
    assert result(p.all_reduce, f32[4, 6], size=4) == f32[4, 6]
    assert result(p.all_gather, f32[4, batch], axis=1, size=3) == f32[4, 3 * batch]
    assert result(p.reduce_scatter, f16[4, 6], axis=1, size=3) == f16[4, 2]
    assert result(p.reduce_scatter, f32[4 * batch], axis=0, size=4) == f32[batch]
    assert result(p.broadcast, f32[4], root=2, size=3) == f32[4]
    assert result(p.all_to_all, f32[4, 6], split_axis=1, concat_axis=0, size=2) == f32[8, 3]
    assert result(p.all_to_all, f32[4, 6], split_axis=1, concat_axis=1, size=2) == f32[4, 6]
    send = build_function(lambda t, x: p.send(t, x, to=1, size=2), [Token, f32[3]])
    assert send.result_types == (Token,)
    receive = build_function(lambda t: p.receive(t, source=1, type=f32, size=2), [Token])
    assert receive.result_types == (Token, f32)


@pytest.mark.parametrize(("prim", "attrs"), EXCHANGES, ids=ids)
def test_a_group_of_one_is_the_identity(prim, attrs):
    x = np.array([[1.0, np.nan, -0.0]], np.float16)
    token, y = prim(Token, x, size=1, **attrs)
    assert token is Token and y is x
    program = build_function(lambda t, x: prim(t, x, size=1, **attrs), [Token, f64[2, 3]])
    dout = np.arange(6.0).reshape(2, 3)
    (dx,) = evaluate(gradient(program), [Token, np.ones((2, 3)), dout])
    assert np.array_equal(dx, dout)
    token, y, y_dot = evaluate(push_forward(program, (1,)), [Token, np.ones((2, 3)), dout])
    assert token is Token and np.array_equal(y, np.ones((2, 3))) and np.array_equal(y_dot, dout)


@pytest.mark.parametrize(("prim", "attrs"), EXCHANGES, ids=ids)
def test_a_larger_group_needs_a_communicator_and_no_gradient_is_made_up(prim, attrs):
    program = build_function(lambda t, x: prim(t, x, size=2, **attrs), [Token, f64[2, 4]])
    with pytest.raises(S2sadError, match=f"E0712.*{prim.name}.*2 members.*world"):
        evaluate(program, [Token, np.ones((2, 4))])
    with pytest.raises(S2sadError, match=f"E0712.*{prim.name}.*differentiated"):
        gradient(program)
    with pytest.raises(S2sadError, match=f"E0712.*{prim.name}.*differentiated"):
        push_forward(program, (1,))


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda t, x: p.all_reduce(x, x, size=2), "E0304"),
        (lambda t, x: p.all_reduce(t, x, size=0), "E0404"),
        (lambda t, x: p.all_reduce(t, x, size=2.0), "E0303"),
        (lambda t, x: p.all_reduce(t, x, size=2, group=3), "E0303"),
        (lambda t, x: p.all_reduce(t, x, size=2, op="mean"), "E0404"),
        (lambda t, x: p.all_reduce(t, p.less(x, 0.0), size=2), "E0301"),
        (lambda t, x: p.all_gather(t, x, axis=2, size=2), "E0403"),
        (lambda t, x: p.reduce_scatter(t, x, axis=1, size=4), "E0401"),
        (lambda t, x: p.all_to_all(t, x, split_axis=1, concat_axis=0, size=4), "E0401"),
        (lambda t, x: p.broadcast(t, x, root=2, size=2), "E0404"),
        (lambda t, x: p.broadcast(t, x, root=-1, size=2), "E0404"),
        (lambda t, x: p.send(t, x, to=2, size=2), "E0404"),
        (lambda t, x: p.receive(t, source=True, type=f32, size=2), "E0303"),
        (lambda t, x: p.receive(t, source=0, type="f32", size=2), "E0303"),
    ],
)
def test_what_does_not_fit_is_refused(run, code):
    assert refused(run, Token, f32[4, 6]) == code


def test_point_to_point_needs_another_process():
    with pytest.raises(S2sadError, match="E0712.*send"):
        p.send(Token, np.ones(2), to=0, size=1)
    with pytest.raises(S2sadError, match="E0712.*receive"):
        p.receive(Token, source=0, type=bool_, size=1)


def test_collectives_are_effects_that_may_fail():
    prims = [*(prim for prim, _ in EXCHANGES), p.send, p.receive]
    assert all(prim.has(Trait.EFFECT) and prim.has(Trait.FALLIBLE) for prim in prims)
