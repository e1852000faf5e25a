"""Is a rule matched where its left side stands, and is what is wrong with a rule told?"""

from __future__ import annotations

import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.facts import is_splat
from s2sad.passes.rewrite import Rewrite, RuleSet, apply, compiled, explain, no, root
from tests.passes.rewriting import Apply, becomes, read, stays


class Factor(Rewrite):
    """add(mul(x, y), mul(x, z))  =>  mul(x, add(y, z)), up to rounding."""

    exact = False

    def before(x, y, z):
        return x * y + x * z

    def after(x, y, z):
        return x * (y + z)


class SumAll(Rewrite):
    """reduce_sum(reduce_sum(x, a, keepdims), all)  =>  reduce_sum(x, all)."""

    exact = False

    def before(x, *, a):
        return p.reduce_sum(p.reduce_sum(x, axis=a, keepdims=True))

    def after(x):
        return p.reduce_sum(x)


class Twice(Rewrite):
    """add(x, x)  =>  mul(x, 2)."""

    def before(x):
        return x + x

    def after(x):
        return x * 2


class Wider(Rewrite):
    """neg(x)  =>  x, twice as long."""

    def before(x):
        return -x

    def after(x):
        return p.concat(x, x, axis=0)


class Unsure(Rewrite):
    """neg(x)  =>  x."""

    def before(x):
        return -x

    def where(x):
        return bool(x.shape == ())

    def after(x):
        return x


class Odd(Rewrite):
    """neg(x)  =>  3."""

    def before(x):
        return -x

    def after(x):
        return 3


class Misused(Rewrite):
    """neg(x)  =>  reshape(x, -)."""

    def before(x):
        return -x

    def after(x):
        return p.reshape(x, shape=(7, 7))


def test_a_hole_stands_for_one_value():
    text = "def main(x: f32[4], y: f32[4], z: f32[4], w: f32[4]):\n    return {}\n"
    becomes([Apply((Factor,))], text.format("x * y + x * z"), text.format("x * (y + z)"))
    stays([Apply((Factor,))], text.format("x * y + w * z"))


@pytest.mark.parametrize("sum_", ["y * x + x * z", "x * y + z * x", "y * x + z * x"])
def test_what_commutes_matches_in_any_order(sum_):
    text = "def main(x: f32[4], y: f32[4], z: f32[4]):\n    return {}\n"
    becomes([Apply((Factor,))], text.format(sum_), text.format("x * (y + z)"))


def test_what_does_not_commute_matches_in_its_order_only():
    class SubTwice(Rewrite):
        """sub(mul(x, y), x)  =>  mul(x, sub(y, 1))."""

        def before(x, y):
            return x * y - x

        def after(x, y):
            return x * (y - 1)

    text = "def main(x: f32[4], y: f32[4]):\n    return {}\n"
    becomes([Apply((SubTwice,))], text.format("y * x - x"), text.format("x * (y - 1.0)"))
    stays([Apply((SubTwice,))], text.format("x - x * y"))


def test_constants_with_the_same_bits_are_one_value():
    text = "def main(x: f32[4]):\n    return x * p.const({}, f32) + x * p.const({}, f32)\n"

    class Both(Rewrite):
        """add(mul(x, c), mul(x, c))  =>  mul(x, add(c, c))."""

        def before(x, c):
            return x * c + x * c

        def after(x, c):
            return x * (c + c)

    after = "def main(x: f32[4]):\n    return x * (p.const(0.5, f32) + p.const(0.5, f32))\n"
    becomes([Apply((Both,))], text.format("0.5", "0.5"), after)
    stays([Apply((Both,))], text.format("0.0", "-0.0"))


def test_attributes_that_are_not_holes_are_compared():
    text = "def main(x: f32[4, 3]):\n    return {}\n"
    both = "p.reduce_sum(p.reduce_sum(x, axis=(1,), keepdims={}), axis={})"
    becomes(
        [Apply((SumAll,))], text.format(both.format(True, "(0, 1)")), text.format("p.reduce_sum(x)")
    )  # fmt: skip
    stays([Apply((SumAll,))], text.format(both.format(False, "(0,)")))
    stays([Apply((SumAll,))], text.format(both.format(True, "(0,)")))


def test_what_is_made_has_the_place_of_what_was_there():
    function = read(
        "def main(x: f32[4]):                    #@ net.py:1:0\n"
        "    y: f32[4] = p.add(x, x)             #@ net.py:3:8 in Net\n"
        "    return y\n"
    )
    (operation,) = function.body.operations
    assert apply(Twice, operation, Rewriter(function))
    found = {(op.prim.name, str(op.loc), op.scope) for op in function.walk()}
    assert found == {("const", "net.py:3:8", "Net"), ("mul", "net.py:3:8", "Net")}
    assert function.results[0].name == "y"


def test_a_rule_fires_within_regions_on_values_from_around():
    text = """
def main(x: f32[4], n: i64):
    y = x
    a = -x
    for i in range(0, n, 1):
        y = y {}
    return y
"""

    class Sub(Rewrite):
        """add(x, neg(y))  =>  sub(x, y)."""

        def before(x, y):
            return x + -y

        def after(x, y):
            return x - y

    becomes([Apply((Sub,))], text.format("+ a"), text.format("- x").replace("    a = -x\n", ""))


def test_explain_tells_refusals_before_other_reasons():
    class MulTwo(Rewrite):
        """mul(neg(x), 2)  =>  mul(x, -2)."""

        def before(x, two):
            return -x * two

        def where(two):
            return is_splat(two, 2) or no("the factor is not 2")

        def after(x, two):
            return x * -two

    function = read("def main(x: f32[4]):\n    return x * 5.0, -x * 3.0, -x * 2.0\n")
    misses = explain(MulTwo, function)
    assert [miss.is_match for miss in misses] == [True, False]
    assert misses[0].reasons == ("the factor is not 2",)
    assert str(misses[1]) == "mul: an operand is an argument, not neg; an operand is const, not neg"


def test_explain_tells_differing_attributes():
    function = read(
        "def main(x: f32[4, 3]):\n"
        "    return p.reduce_sum(x, axis=(1,)), p.reduce_sum(p.reduce_sum(x))\n"
    )
    reasons = [reason for miss in explain(SumAll, function) for reason in miss.reasons]
    assert "the attributes of reduce_sum are others" in reasons


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (Wider, r"the rule Wider is wrong: it makes f32\[8\] of f32\[4\]"),
        (Odd, "its right side gives 3, which is no value"),
        (Misused, "its right side fails, the numbers of elements"),
    ],
)
def test_a_rule_with_a_wrong_right_side_is_named(rule, reason):
    function = read("def main(x: f32[4]):\n    return -x\n")
    with pytest.raises(S2sadError, match=reason) as caught:
        apply(rule, function.body.operations[0], Rewriter(function))
    assert caught.value.code == "E0901"
    assert "test_rewrite.py:" in str(caught.value)


def test_where_must_answer_true_or_say_why_not():
    function = read("def main(x: f32[4]):\n    return -x\n")
    with pytest.raises(S2sadError, match="`where` of Unsure answers False") as caught:
        apply(Unsure, function.body.operations[0], Rewriter(function))
    assert caught.value.code == "E0304"


def test_rules_are_not_instantiated():
    with pytest.raises(S2sadError, match="the rule Twice is not called"):
        Twice()


def test_rule_set_tries_rules_in_order():
    function = read("def main(x: f32[4]):\n    return x + x\n")
    rules = RuleSet([Twice, Factor])
    assert list(rules) == [Twice, Factor] and root(Factor) is p.add
    assert rules(function.body.operations[0], Rewriter(function)) == "Twice"
    assert rules(function.body.operations[-1], Rewriter(function)) is None


def _made(**functions):
    return type("Bad", (Rewrite,), functions)


@pytest.mark.parametrize(
    ("functions", "code", "reason"),
    [
        ({"after": lambda x: x}, "E0304", "needs a function `before`"),
        ({"before": lambda x: -x}, "E0304", "needs a function `after`"),
        ({"before": lambda x: -x, "after": lambda y: y}, "E0302", "asks for y, which is no hole"),
        (
            {"before": lambda x: -x, "where": lambda y: True, "after": lambda x: x},
            "E0302",
            "`where` of Bad asks for y",
        ),
        (
            {"before": lambda *xs: p.concat(*xs, axis=0), "after": lambda x: x},
            "E0302",
            "one by one",
        ),
    ],
)
def test_a_rule_that_is_none_is_refused_where_it_is_written(functions, code, reason):
    with pytest.raises(S2sadError, match=reason) as caught:
        _made(**functions)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("before", "code", "reason"),
    [
        (lambda x: x, "E0304", "one operation"),
        (lambda x: 3, "E0304", "one operation"),
        (lambda x, y: -x, "E0302", "does not use y"),
        (lambda x: x + 1, "E0304", "operations and holes, got 1"),
        (lambda x: p.neg(x, x), "E0302", "neg cannot take 2 operands"),
        (lambda x: p.reshape(x, shape=x.shape), "E0304", "no types, shapes or owners"),
        (lambda x: p.transpose(x, order=(0,)), "E0302", "no attribute 'order'"),
        (lambda x: p.cast(x), "E0302", "needs the attribute 'dtype'"),
        (lambda x: p.if_(x, then=lambda: x, orelse=lambda: x), "E0304", "write a pass"),
    ],
)
def test_a_left_side_that_is_no_pattern_is_told_with_its_place(before, code, reason):
    rule = _made(before=before, after=lambda x: x)
    with pytest.raises(S2sadError, match=reason) as caught:
        compiled(rule)
    assert caught.value.code == code
    assert caught.value.diagnostic.location.file == __file__
