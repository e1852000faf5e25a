"""Do composites become their bodies, where and only where that is asked for?"""

from __future__ import annotations

import numpy as np

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.compare import difference
from s2sad.ir.evaluate import evaluate
from s2sad.ir.reader import read_text
from s2sad.ir.types import f64
from s2sad.passes.base import run_passes
from s2sad.passes.decompose import Decompose, every, without_adjoint

COMPOSITE = """
def main(x: f64[3]):                        #@ net.py:1:0
    y: f64 = p.mean(x)                      #@ net.py:3:8 in Net
    return y * 2.0
"""


def test_a_body_takes_the_place_of_its_composite():
    function = read_text(COMPOSITE, p.ALL)
    x = np.array([1.0, 2.0, 6.0])
    run_passes(function, [Decompose()])
    assert not any(operation.prim.is_composite for operation in function.walk())
    np.testing.assert_array_equal(evaluate(function, [x])[0], 6.0)


def test_the_body_keeps_the_place_in_the_source():
    function = read_text(COMPOSITE, p.ALL)
    run_passes(function, [Decompose()])
    places = {(str(op.loc), op.scope) for op in function.walk() if op.prim is p.reduce_sum}
    assert places == {("net.py:3:8", "Net")}


def test_composites_of_composites_go_too():
    function = build_function(lambda x: p.standard_deviation(x, axis=0), [f64[3]])
    run_passes(function, [Decompose(every)])
    assert not any(operation.prim.is_composite for operation in function.walk())


def test_what_has_an_adjoint_may_be_kept():
    function = build_function(lambda x: p.softmax(x, axis=0), [f64[3]])
    assert p.softmax.adjoint_rule is not None
    before = clone(function)
    (report,) = run_passes(function, [Decompose(without_adjoint)])
    assert report.changes == 0 and difference(function, before) is None


def test_within_regions():
    function = read_text(
        """
def main(x: f64[3], n: i64):
    y = x
    for i in range(0, n, 1):
        y = p.softmax(y, axis=0)
    return y
""",
        p.ALL,
    )
    x = np.array([1.0, 2.0, 6.0])
    expected = evaluate(function, [x, np.array(2)])[0]
    run_passes(function, [Decompose()])
    assert not any(operation.prim.is_composite for operation in function.walk())
    assert evaluate(function, [x, np.array(2)])[0].tobytes() == expected.tobytes()


def test_text_names_what_is_chosen():
    assert str(Decompose()) == "decompose{every}"
    assert str(Decompose(without_adjoint)) == "decompose{without-adjoint}"
