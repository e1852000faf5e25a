"""What is a rule, and where does it fire?

A law is two functions and a guard: what is there `before`, what comes `after`, and `where` it
holds. `passes/README.md` has the rules for writing rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.location import Location
from s2sad.ir.graph import Function, Operation, Value
from s2sad.ir.primitive import Primitive
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import same_type
from s2sad.passes.pattern import Bindings, Node, matches, pattern_of


class No:
    """A refusal, with its reason; it counts as False."""

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __bool__(self) -> bool:
        return False


def no(reason: str) -> No:
    """What `where` returns when a rule must not fire: `reason` says why.

    Examples
    --------
    >>> bool(no("the factor is not the constant 1"))
    False
    """
    return No(reason)


class Rewrite:
    """A law with a direction: ``before => after``, where ``where`` holds.

    A subclass is never instantiated. Its functions take no ``self``: their parameters are holes,
    positional ones for values, keyword-only ones for attributes. `before` is run once, on values
    that stand for anything; `after` is run where it matched, on what is there; `where` takes those
    of the holes that it asks about, and returns True, or ``no("why not")``.

    Attributes
    ----------
    exact : bool
        Whether both sides agree bit for bit, NaN, infinities and -0.0 included (a NaN is any NaN).
        One that does not runs under fast math only.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.reader import read_text
    >>> class MergeTransposes(Rewrite):
    ...     '''transpose(transpose(x, a), b)  =>  transpose(x, a then b).'''
    ...     def before(x, *, a, b): return p.transpose(p.transpose(x, perm=a), perm=b)
    ...     def after(x, *, a, b):  return p.transpose(x, perm=tuple(a[i] for i in b))
    >>> function = read_text('''
    ... def main(x: f32[2, 3, 4]):
    ...     return p.transpose(p.transpose(x, perm=(1, 2, 0)), perm=(1, 2, 0))
    ... ''', p.ALL)
    >>> inner, outer = function.body.operations
    >>> apply(MergeTransposes, outer, Rewriter(function))
    True
    >>> function.results[0].owner.attrs["perm"]
    (2, 0, 1)
    """

    exact: ClassVar[bool] = True
    before: ClassVar[Callable[..., Any]]
    after: ClassVar[Callable[..., Any]]
    where: ClassVar[Callable[..., Any] | None] = None

    def __init_subclass__(cls) -> None:
        holes = _holes(cls, "before", ())
        for name in ("after", "where"):
            if name == "after" or cls.where is not None:
                _holes(cls, name, (*holes[0], *holes[1]))

    def __new__(cls) -> Rewrite:
        raise fail("E0304", f"the rule {cls.__name__} is not called: it is given as it is")


Rule = type[Rewrite]


def _holes(rule: Rule, name: str, known: Sequence[str]) -> tuple[list[str], list[str]]:
    """Parameters of one function of `rule`: values, and attributes (E0302, E0304)."""
    function = getattr(rule, name, None)
    if not inspect.isfunction(function):
        raise fail("E0304", f"the rule {rule.__name__} needs a function `{name}`")
    parameters = inspect.signature(function).parameters.values()
    plain = [x.name for x in parameters if x.kind is x.POSITIONAL_OR_KEYWORD]
    keyword = [x.name for x in parameters if x.kind is x.KEYWORD_ONLY]
    if len(plain) + len(keyword) < len(parameters):
        raise fail("E0302", f"`{name}` of {rule.__name__} takes holes one by one, by their names")
    unknown = [x for x in (*plain, *keyword) if known and x not in known]
    if unknown:
        raise fail("E0302", f"`{name}` of {rule.__name__} asks for {unknown[0]}, which is no hole")
    return plain, keyword


@dataclass(frozen=True)
class Compiled:
    """A rule, ready to be matched.

    Attributes
    ----------
    rule : subclass of Rewrite
    pattern : Node
    asked : dict of str to list of str
        Holes that `where` and `after` take.
    """

    rule: Rule
    pattern: Node
    asked: dict[str, list[str]]

    def call(self, name: str, bound: Bindings) -> Any:
        """What `where` or `after` says of a match."""
        return getattr(self.rule, name)(**{hole: bound[hole] for hole in self.asked[name]})

    def refusal(self, bound: Bindings) -> str | None:
        """Why the rule must not fire on a match; None where it may."""
        if self.rule.where is None:
            return None
        answer = self.call("where", bound)
        if answer is True:
            return None
        if isinstance(answer, No):
            return answer.reason
        raise fail(
            "E0304", f"`where` of {self.rule.__name__} answers {answer!r}, not True or no(...)",
            location=source_of(self.rule),
        )  # fmt: skip


@cache
def compiled(rule: Rule) -> Compiled:
    """`rule` with its pattern, made once."""
    values, attributes = _holes(rule, "before", ())
    asked = {"after": rule.after} | ({"where": rule.where} if rule.where is not None else {})
    try:
        pattern = pattern_of(rule.before, values, attributes)
    except S2sadError as error:
        raise fail(
            error.code, f"{rule.__name__}: {error.diagnostic.message}",
            location=source_of(rule), help=error.diagnostic.help,
        ) from error  # fmt: skip
    return Compiled(
        rule, pattern, {n: list(inspect.signature(f).parameters) for n, f in asked.items()}
    )


def source_of(rule: Rule) -> Location:
    """Where `rule` is written: the line of its `before`."""
    code = rule.before.__code__
    return Location(code.co_filename, code.co_firstlineno, 4)


def root(rule: Rule) -> Primitive:
    """The primitive at whose operations `rule` is tried."""
    return compiled(rule).pattern.prim


def apply(rule: Rule, operation: Operation, rewriter: Rewriter) -> bool:
    """Let `rule` fire at `operation`, where it matches and may.

    What the rule makes has the location and the scope of `operation`.

    Raises
    ------
    S2sadError
        E0901 when the rule would change the type of the result, or fails.
    """
    law = compiled(rule)
    if operation.prim is not law.pattern.prim:
        return False
    for bound in matches(law.pattern, operation, {}):
        if law.refusal(bound) is None:
            with rewriter.step(rule.__name__, operation):
                _replace(law, operation, bound, rewriter)
            return True
    return False


def _replace(law: Compiled, operation: Operation, bound: Bindings, rewriter: Rewriter) -> None:
    place = rewriter.insert_before(operation)
    old = operation.result.type
    try:
        with place.active():
            value = law.call("after", bound)
    except S2sadError as error:
        raise _fault(law, f"its right side fails, {error.diagnostic.message}") from error
    if not isinstance(value, Value):
        raise _fault(law, f"its right side gives {value!r}, which is no value")
    if not same_type(value.type, old):
        raise _fault(law, f"it makes {value.type} of {old}")
    rewriter.replace_operation(operation, value)


def _fault(law: Compiled, what: str) -> S2sadError:
    name, place = law.rule.__name__, source_of(law.rule)
    return fail(
        "E0901", f"the rule {name} is wrong: {what}",
        notes=(f"{name} is written at {place}",), help="let its `where` refuse such a match",
    )  # fmt: skip


@dataclass(frozen=True)
class NearMiss:
    """An operation at which a rule was tried and did not fire.

    Attributes
    ----------
    operation : Operation
    reasons : tuple of str
        One a way in which it could have matched.
    is_match : bool
        Whether it matched, and `where` refused.
    """

    operation: Operation
    reasons: tuple[str, ...]
    is_match: bool

    def __str__(self) -> str:
        place = f" at {self.operation.loc}" if self.operation.loc is not None else ""
        return f"{self.operation.prim.name}{place}: {'; '.join(self.reasons)}"


def explain(rule: Rule, function: Function) -> list[NearMiss]:
    """Why `rule` does not fire: each operation of `function` at which it could and does not.

    Parameters
    ----------
    rule : subclass of Rewrite
    function : Function
        It stays as it is.

    Returns
    -------
    list of NearMiss
        Those that match and are refused first, then those that do not match; in program order.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.reader import read_text
    >>> from s2sad.passes.rules.arithmetic import MulOne
    >>> function = read_text('''
    ... def main(x: f32[1]):
    ...     return x * p.const(2.0, f32), x * p.const(1.0, f32[4])
    ... ''', p.ALL)
    >>> for miss in explain(MulOne, function):
    ...     print(miss)
    mul: no factor is the constant 1
    mul: the constant has a larger shape; no factor is the constant 1
    """
    law = compiled(rule)
    operations = [op for op in function.walk() if op.prim is law.pattern.prim]
    misses = [miss for miss in (_near_miss(law, op) for op in operations) if miss is not None]
    return sorted(misses, key=lambda miss: not miss.is_match)


def _near_miss(law: Compiled, operation: Operation) -> NearMiss | None:
    unmatched: dict[str, None] = {}
    refused: dict[str, None] = {}
    for bound in matches(law.pattern, operation, {}, lambda why: unmatched.update({why: None})):
        reason = law.refusal(bound)
        if reason is None:
            return None
        refused[reason] = None
    if len(operation.results) != 1:
        unmatched[f"{operation.prim.name} gives {len(operation.results)} results"] = None
    return NearMiss(operation, tuple(refused or unmatched), bool(refused))


class RuleSet:
    """Rules by the primitive at which they are tried; the first that fires does.

    Called with an operation and a rewriter it gives the name of the rule that fired, or None.
    """

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._by_prim: dict[Primitive, list[Rule]] = {}
        for rule in rules:
            self._by_prim.setdefault(root(rule), []).append(rule)

    def __iter__(self) -> Iterator[Rule]:
        return (rule for rules in self._by_prim.values() for rule in rules)

    def __call__(self, operation: Operation, rewriter: Rewriter) -> str | None:
        for rule in self._by_prim.get(operation.prim, ()):
            if apply(rule, operation, rewriter):
                return rule.__name__
        return None
