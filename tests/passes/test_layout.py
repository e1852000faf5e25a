"""Are transposes around products of matrices saved, and only those?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f64
from s2sad.passes.base import run_passes
from s2sad.passes.layout import Layout


def laid_out(run, *shapes):
    """Names of the operations that are left; the results are as before."""
    function = build_function(run, [f64[shape] for shape in shapes])
    inputs = [np.random.default_rng(i).normal(size=shape) for i, shape in enumerate(shapes)]
    before = evaluate(function, inputs)
    run_passes(function, [Layout()])
    for found, expected in zip(evaluate(function, inputs), before, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    return [op.prim.name for op in function.body.operations]


def t(x):
    return p.transpose(x, perm=(*range(x.type.ndim - 2), x.type.ndim - 1, x.type.ndim - 2))


@pytest.mark.parametrize(
    "run",
    [
        lambda x, y: p.matmul(t(x), y),
        lambda x, y: p.matmul(t(x), t(t(y))),
        lambda x, y: p.matmul(t(x), t(y), transpose_b=True),
        lambda x, y: t(p.matmul(t(x), y)),
        lambda x, y: t(p.matmul(t(y), x)),
        lambda x, y: p.matmul(x, y, transpose_a=True),
    ],
)
def test_transposes_go_into_the_product(run):
    assert laid_out(run, (4, 3), (4, 5)) == ["matmul"]


def test_both_operands_are_one():
    assert laid_out(lambda x: p.matmul(z := t(x), z), (4, 4)) == ["matmul"]


def test_of_many_matrices():
    assert laid_out(lambda x, y: t(p.matmul(t(x), y)), (2, 4, 3), (2, 4, 5)) == ["matmul"]
    names = laid_out(lambda x, y: p.matmul(p.transpose(x, perm=(2, 1, 0)), y), (4, 3, 2), (2, 4, 5))
    assert names == ["transpose", "matmul"]


def _sum(x, y):
    return p.add(p.matmul(x, y, transpose_a=True), p.matmul(p.sin(x), y, transpose_a=True))


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda x, y: t(_sum(x, y)), ["sin", "matmul", "matmul", "add"]),
        (
            lambda x, y: t(p.add(_sum(x, y), p.matmul(x, p.cos(y), transpose_a=True))),
            ["sin", "cos", "matmul", "matmul", "add", "matmul", "add"],
        ),
        (lambda x, y: (t(z := _sum(x, y)), z), ["matmul", "sin", "matmul", "add", "transpose"]),
        (
            lambda x, y: t(
                p.add(
                    _sum(x, y),
                    p.reduce_sum(p.matmul(x, y, transpose_a=True), axis=(1,), keepdims=True),
                )
            ),
            ["matmul", "sin", "matmul", "add", "matmul", "reduce_sum", "add", "transpose"],
        ),
    ],
    ids=["sum", "of_three", "read_twice", "broadcast"],
)
def test_a_sum_of_products_is_transposed_product_by_product(run, expected):
    assert sorted(laid_out(run, (4, 3), (4, 5))) == sorted(expected)


@pytest.mark.parametrize(("rows", "attrs"), [(8, (False, False)), (64, (True, False))])
def test_what_is_transposed_before_a_loop_stays_so_for_few_rows(rows, attrs):
    """And a product that would undo the transpose reads what lay there first."""

    def run(x, w):
        turned = t(w)

        def body(i, h):
            return p.matmul(p.tanh(p.matmul(h, turned)), turned, transpose_b=True)

        return p.for_(0, 3, 1, x, body=body)

    function = build_function(run, [f64[rows, 5], f64[7, 5]])
    inputs = [np.random.default_rng(i).normal(size=s) for i, s in enumerate([(rows, 5), (7, 5)])]
    (before,) = evaluate(function, inputs)
    run_passes(function, [Layout()])
    (after,) = evaluate(function, inputs)
    np.testing.assert_allclose(after, before, rtol=1e-12)
    found = [op.attrs["transpose_b"] for op in function.walk() if op.prim is p.matmul]
    assert tuple(found) == attrs


def test_a_transpose_that_others_read_stays():
    assert laid_out(lambda x, y: (p.matmul(t(x), y), t(x)), (4, 3), (4, 5)).count("matmul") == 1
    names = laid_out(lambda x, y: [z := t(x), p.matmul(z, y)], (4, 3), (4, 5))
    assert sorted(names) == ["matmul", "transpose"]


def test_a_product_that_others_read_is_not_written_transposed():
    names = laid_out(lambda x, y: [z := p.matmul(x, y), t(z)], (3, 4), (4, 5))
    assert names == ["matmul", "transpose"]
