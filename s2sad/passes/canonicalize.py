"""What is the one spelling of programs that compute the same?

Later passes and people then meet one form. Nothing depends on it: a program that was not
canonicalized is right all the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.passes import plugins, rules
from s2sad.passes.base import Pass
from s2sad.passes.control import simplify_control
from s2sad.passes.facts import is_constant
from s2sad.passes.fold import fold
from s2sad.passes.greedy import Greedy
from s2sad.passes.rewrite import RuleSet


@dataclass(frozen=True)
class Canonicalize(Pass):
    """Apply all rules, compute what is known, decide branches, drop what nobody reads.

    Before:  t0 = p.transpose(x, perm=(1, 0)); t1 = p.transpose(t0, perm=(1, 0)); t2 = p.mul(t1, c1)
    After:   x, where c1 is 1

    Every law is exact, bit for bit. Under fast math those that may round otherwise apply as well.
    Markers for differentiation stay, and so does what is inside of them.

    Attributes
    ----------
    fast_math : bool
    rounds : int
        At most; E0901 names the rules that still fired.
    """

    fast_math: bool = False
    rounds: int = 64
    name: ClassVar[str] = "canonicalize"

    def run(self, function: Function, rewriter: Rewriter) -> None:
        chosen = [rule for rule in (*rules.ALL, *plugins.rules()) if rule.exact or self.fast_math]
        simplifications = (fold, constants_right, RuleSet(chosen), simplify_control)
        Greedy(rewriter, simplifications, rounds=self.rounds).run(function)

    @property
    def exact(self) -> bool:  # type: ignore[override]
        return not self.fast_math


def constants_right(operation: Operation, rewriter: Rewriter) -> str | None:
    """add(2, x)  =>  add(x, 2), for everything that commutes."""
    prim, operands = operation.prim, operation.operands
    if not prim.has(Trait.COMMUTATIVE) or len(operands) != 2:
        return None
    if not is_constant(operands[0]) or is_constant(operands[1]):
        return None
    with rewriter.step("constants_right", operation):
        place = rewriter.insert_before(operation)
        value = place.emit(prim, operands[::-1], dict(operation.attrs))
        rewriter.replace_operation(operation, value)
    return "constants_right"
