"""How are simplifications applied until none applies?

In rounds. A round visits every operation in program order, inner ones before those that hold them,
and simplifies it as long as something applies, what was made on the way included; then it erases
what nobody reads. Markers for differentiation are opaque: nobody looks inside.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.ir.graph import Function, Operation, Region
from s2sad.ir.primitive import Trait
from s2sad.ir.rewriter import Rewriter
from s2sad.passes.dce import sweep

#: Changes at most one thing: makes operations right before the one that it is given, and erases
#: that, or lets it read others. Gives the name of the rule that did, or None.
Simplification = Callable[[Operation, Rewriter], "str | None"]

#: Rewrites, each of what the one before made, after which rules must be turning in a circle.
LONGEST = 64


class Greedy:
    """One run over one function.

    Parameters
    ----------
    rewriter : Rewriter
    simplifications : sequence of callable
        Tried in order; the first that applies does.
    rounds : int
        At most.
    """

    def __init__(
        self, rewriter: Rewriter, simplifications: Sequence[Simplification], *, rounds: int = 64
    ) -> None:
        self.rewriter = rewriter
        self.simplifications = simplifications
        self.rounds = rounds
        #: Names of the rules that fired in this round, each once, in order.
        self.fired: dict[str, None] = {}

    def run(self, function: Function) -> None:
        """Simplify `function` until a round changes nothing.

        Raises
        ------
        S2sadError
            E0901, which names the rules, when they undo one another.
        """
        for _ in range(self.rounds):
            before = self.rewriter.changes
            self.fired = {}
            self.forward(function.body)
            sweep(function.body, self.rewriter)
            if self.rewriter.changes == before:
                return
        raise self.endless(f"{self.rounds} rounds", None)

    def forward(self, region: Region) -> None:
        for operation in list(region.operations):
            if operation.parent is region:
                self.visit(operation)

    def visit(self, operation: Operation) -> None:
        """Simplify `operation`, and what comes in its place."""
        pending = [(operation, 0)]
        while pending:
            each, age = pending.pop()
            if each.parent is None:
                continue
            if not each.prim.has(Trait.OPAQUE):
                for region in each.regions.values():
                    self.forward(region)
            made = self.simplified(each)
            if made is None:
                continue
            if age == LONGEST:
                raise self.endless(f"{LONGEST} rewrites of one operation", each)
            pending += [(new, age + 1) for new in (each, *reversed(made))]

    def simplified(self, operation: Operation) -> list[Operation] | None:
        """What was made in place of `operation`; None where nothing applies."""
        region = operation.parent
        assert region is not None
        first, length = region.place(operation), len(region.operations)
        for simplify in self.simplifications:
            name = simplify(operation, self.rewriter)
            if name is not None:
                self.fired[name] = None
                added = len(region.operations) - length + (operation.parent is None)
                return region.operations[first : first + added]
        return None

    def endless(self, what: str, operation: Operation | None) -> S2sadError:
        names = ", ".join(self.fired)
        return fail(
            "E0901", f"rules undo one another: after {what} there is still something to do",
            location=None if operation is None else operation.loc,
            notes=(f"those that fired in the last round: {names}",),
        )  # fmt: skip
