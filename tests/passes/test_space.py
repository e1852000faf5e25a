"""Is each axis where it should be when operations run along one space?"""

from __future__ import annotations

import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.types import f64
from s2sad.passes.space import STILL, Axis, Space, Unfit
from s2sad.passes.worth import outputs_of


def space_of(run, *types) -> tuple[Space, list]:
    function = build_function(run, types)
    operations = [op for op in function.body.operations if op.prim.name != "const"]
    return Space.of(operations, outputs_of(operations)), operations


def test_elements_run_along_the_dimensions():
    space, (add,) = space_of(lambda x, y: p.add(x, y), f64[3, 4], f64[4])
    assert space.sizes == (3, 4) and space.reduced == frozenset()
    assert space.reads[add, 0] == (Axis(0), Axis(1)) and space.reads[add, 1] == (Axis(1),)


def test_axes_of_one_element_stand_still():
    space, (add,) = space_of(lambda x, y: p.add(x, y), f64[3, 1], f64[1, 4])
    assert space.reads[add, 0] == (Axis(0), STILL) and space.reads[add, 1] == (STILL, Axis(1))


def test_moves_say_how_an_axis_runs():
    def run(x):
        y = p.transpose(x)
        z = p.slice(y, start=(1, 2), stop=(5, 3), step=(2, 1))
        return p.neg(p.flip(z, axis=(0,)))

    space, (transpose, slice_, flip, neg) = space_of(run, f64[3, 6])
    assert space.sizes == (2, 1)
    assert space.reads[neg, 0] == space.maps[neg.result] == (Axis(0), STILL)
    assert space.reads[flip, 0] == (Axis(0, 1, -1), STILL)
    assert space.reads[slice_, 0] == (Axis(0, 3, -2), Axis(None, 2))
    assert space.reads[transpose, 0] == (Axis(None, 2), Axis(0, 3, -2))


def test_a_reduction_has_a_space_of_its_operand():
    space, (mul, total) = space_of(lambda x: p.reduce_sum(p.mul(x, x), axis=(0,)), f64[3, 4])
    assert space.sizes == (3, 4) and space.reduced == {0} and space.outer == (1,)
    assert space.maps[total.result] == (Axis(1),) and space.is_full(space.maps[mul.result])
    assert not space.is_full(space.maps[total.result])


@pytest.mark.parametrize(
    "run",
    [
        lambda x: p.add(y := p.neg(x), p.transpose(y)),
        lambda x: p.add(y := p.neg(x), p.flip(y, axis=(0,))),
        lambda x: (p.reduce_sum(x, axis=(0,)), p.reduce_sum(x, axis=(1,))),
        lambda x: p.reshape(p.neg(x), shape=(2, 8)),
        lambda x: (p.neg(x), p.neg(p.slice(x, start=(0, 0), stop=(2, 4), step=(1, 1)))),
        lambda x: p.cumsum(p.neg(x), axis=0),
    ],
    ids=["transposed", "flipped", "two reductions", "split", "two shapes", "no part"],
)
def test_what_is_no_single_loop(run):
    with pytest.raises(Unfit):
        space_of(run, f64[4, 4])


def test_what_nobody_reads():
    function = build_function(lambda x: [p.neg(x), x][1], [f64[3]])
    with pytest.raises(Unfit, match="nobody"):
        Space.of(list(function.body.operations), [])
