"""Does `check_laws` notice each way in which a primitive may be wrong?"""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ir.primitive import Primitive, Trait
from s2sad.prims.rules import elementwise, is_float, is_number
from support.laws import Spec, check_laws, check_values, distinct, integers, normal, positive

FLOATS = elementwise(is_float, "floats")
NUMBERS = elementwise(is_number, "numbers")


def define(meaning, *, type=FLOATS, adjoint=None, tangent=None, **facts: Any) -> Primitive:
    """A primitive outside of the vocabulary, elementwise unless `facts` say otherwise."""
    parameters = inspect.signature(meaning).parameters.values()
    attributes = {x.name: x.default for x in parameters if x.kind is x.KEYWORD_ONLY}
    facts = {"traits": frozenset({Trait.ELEMENTWISE}), **facts}
    prim = Primitive("sample", "samples", meaning, type, attributes, **facts)
    if adjoint is not None:
        prim.adjoint(adjoint)
    if tangent is not None:
        prim.tangent(tangent)
    return prim


def twice(x):
    return x + x


def twice_adjoint(x, out, dout):
    return (dout + dout,)


def cube_adjoint(x, out, dout):
    return (dout * (3 * x * x),)


def test_a_right_one_passes():
    check_laws(Spec(define(twice, adjoint=twice_adjoint), (normal(2, 3),)))
    check_laws(Spec(define(lambda x: x * x * x, adjoint=cube_adjoint), (normal(2, 3),)))


def test_rules_run_where_differences_say_nothing():
    zero = np.array([0.0, np.nan, np.inf])
    other = lambda x, out, dout: (dout * (3.0 if isinstance(x, np.ndarray) else 2.0),)  # noqa: E731
    narrow = lambda x, out, dout: (p.cast(dout, dtype=dtypes.float16),)  # noqa: E731
    with pytest.raises(AssertionError, match="on arrays gives"):
        check_laws(Spec(define(twice, adjoint=other), (zero,), gradient=False))
    with pytest.raises(AssertionError, match="the cotangent of"):
        check_laws(Spec(define(twice, adjoint=narrow), (zero,), gradient=False))
    broken = {"adjoint": twice_adjoint, "tangent": lambda x, out, tangents: tangents[0] * 2.5}
    check_laws(Spec(define(twice, **broken), (zero,), gradient=False))  # no number is compared


def write(x):
    x += x
    return x


def test_writing_into_an_operand_is_noticed():
    with pytest.raises(ValueError, match="read-only"):
        check_laws(Spec(define(write, nondiff="no matter"), (normal(3),)))


WRONG_TYPES = {
    "another dtype": (define(lambda x: x.astype(np.float64), nondiff="-"), "the meaning gives"),
    "another shape": (define(lambda x: x[:2], nondiff="-"), "the meaning gives"),
    "a float of integers": (define(lambda x: x / 2, type=NUMBERS, nondiff="-"), "gives float64"),
    "no dtype": (define(twice, type=elementwise(lambda d: False, "-"), nondiff="-"), "no dtype"),
    "narrow floats computed otherwise": (
        define(lambda x: x + x if x.dtype.itemsize > 2 else -x, nondiff="-",
               traits=frozenset({Trait.MOVES})),
        "a narrow result is not",
    ),
    "a spelling that changes": (
        define(lambda x, *, n=1: twice(x), type=lambda x, *, n: x, nondiff="-",
               canonical=lambda types, attrs: {"n": attrs["n"] + 1}),
        "changes again",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("prim", "message"), WRONG_TYPES.values(), ids=WRONG_TYPES)
def test_wrong_types_are_noticed(prim, message):
    operand = integers(4) if "float64" in message else normal(4)
    with pytest.raises(AssertionError, match=re.escape(message)):
        check_laws(Spec(prim, (operand,)))


def test_a_result_that_depends_on_the_call_is_noticed():
    count = iter(range(100))
    prim = define(lambda x: x * x.dtype.type(next(count)), nondiff="-")
    with pytest.raises(AssertionError, match="the program differs from the call"):
        check_laws(Spec(prim, (normal(4),)))


def test_an_infinite_result_must_be_announced():
    prim = define(lambda x: x / 0, adjoint=lambda x, out, dout: (dout / 0,))
    with pytest.raises(AssertionError, match="not finite"):
        check_laws(Spec(prim, (normal(4),)))
    check_laws(Spec(prim, (normal(4),), gradient=False))


#: x * x whose own derivative is hidden: right in first order only.
hidden_square = define(lambda x: x * x, nondiff="hidden")


WRONG_ADJOINTS = {
    "a sign": (twice, lambda x, out, dout: (-(dout + dout),), "adjoint 0"),
    "a factor": (twice, lambda x, out, dout: (dout * 2.0001,), "adjoint 0"),
    "none": (twice, lambda x, out, dout: (None,), "adjoint 0"),
    "no dout": (twice, lambda x, out, dout: (p.add(out, 2.0),), "adjoint 0"),
    "the second order": (lambda x: x * x * x,
                         lambda x, out, dout: (dout * (3 * hidden_square(x)),), "second adjoint"),
    "no tuple": (twice, lambda x, out, dout: dout + dout, "must return a tuple"),
    "too many": (twice, lambda x, out, dout: (dout + dout, dout), "one a primal"),
    "a bare number": (twice, lambda x, out, dout: (0.0,), "returns 0.0"),
    "another dtype": (twice, lambda x, out, dout: (p.cast(dout + dout, dtype=dtypes.float64),),
                      "the cotangent of"),
    "missing": (twice, None, "has no adjoint"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("meaning", "rule", "message"), WRONG_ADJOINTS.values(), ids=WRONG_ADJOINTS
)
def test_wrong_adjoints_are_noticed(meaning, rule, message):
    with pytest.raises(AssertionError, match=message):
        check_laws(Spec(define(meaning, adjoint=rule), (normal(4),)))


def test_an_adjoint_that_forgets_one_element_is_noticed():
    def forgetful(x, out, dout):
        return (p.where(p.equal(p.abs(x), 1.5), 0, dout + dout),)

    check_laws(Spec(define(twice, adjoint=forgetful), (normal(40),)))
    with pytest.raises(AssertionError, match="adjoint 0"):
        check_laws(Spec(define(twice, adjoint=forgetful), (np.append(normal(40), 1.5),)))


def product(x, y):
    return x * y


def product_adjoint(x, y, out, dout):
    return dout * y, dout * x


WRONG_TANGENTS = {
    "linear jointly": ({"linear": ((0, 1),)}, None, "tangent"),
    "linear in all": ({"linear": "all"}, None, "tangent"),
    "neither": ({"traits": frozenset()}, None, "no tangent"),
    "one operand only": ({}, lambda x, y, out, dots: dots[0] * y if dots[0] is not None else None,
                         "tangent"),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "rule", "message"), WRONG_TANGENTS.values(), ids=WRONG_TANGENTS)
def test_wrong_tangents_are_noticed(facts, rule, message):
    prim = define(product, adjoint=product_adjoint, tangent=rule, **facts)
    with pytest.raises(AssertionError, match=message):
        check_laws(Spec(prim, (normal(2, 3), positive(3))))


def test_right_tangents_pass():
    for linear in ((0, 1), (0,), ()):
        prim = define(product, adjoint=product_adjoint, linear=linear)
        check_laws(Spec(prim, (normal(2, 3), positive(3))))


def test_what_claims_to_be_constant_must_be():
    claim = define(twice, nondiff="piecewise constant")
    with pytest.raises(AssertionError, match="adjoint 0"):
        check_laws(Spec(claim, (normal(4),)))


def test_a_cotangent_for_an_integer_is_noticed():
    prim = define(
        lambda x, n: x * n.astype(x.dtype), type=lambda x, n: x, same=(),
        adjoint=lambda x, n, out, dout: (dout * p.cast(n, dtype=x.dtype), dout),
    )  # fmt: skip
    with pytest.raises(AssertionError, match="returns one for i64"):
        check_laws(Spec(prim, (normal(3), integers(3))))


def test_distinct_numbers_are_far_apart():
    values = np.sort(distinct(5, 20), axis=None)
    assert (np.diff(values) > 0.1).all()
    assert not np.array_equal(distinct(50), distinct(50))


@pytest.mark.parametrize(
    ("one", "other"),
    [(0.0, -0.0), (1.0, np.nan), (1.0, 1), (np.ones(1), 1.0), (1.0, np.float32(1.0))],
)
def test_values_are_compared_bit_for_bit(one, other):
    with pytest.raises(AssertionError):
        check_values(one, other)


def test_any_nan_equals_any_other():
    check_values(np.array([np.nan, -np.nan]), np.array([-np.nan, np.nan]))
    check_values(np.array([0x7FC0], np.uint16), np.array([0xFFC1], np.uint16))
