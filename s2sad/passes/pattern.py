"""Where does a program contain what the left side of a rule describes?

The left side is a Python function over holes. It is run once, on values that stand for anything,
which gives a tree of primitives with holes for leaves; matching walks that tree down the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, NoReturn

from s2sad.core.diagnostics import fail
from s2sad.ir.builder import Builder
from s2sad.ir.compare import same_attribute
from s2sad.ir.graph import Operation, Region, Value
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.passes.facts import same_value

#: What the holes stand for: values, and attributes.
Bindings = dict[str, Any]
#: Told why something does not match.
Listener = Callable[[str], None]


@dataclass(frozen=True)
class Hole:
    """Stands for any value; where its name occurs again, for the same one."""

    name: str


@dataclass(frozen=True)
class AttributeHole:
    """Stands for any attribute."""

    name: str


@dataclass(frozen=True)
class Node:
    """Stands for the only result of an operation.

    Attributes
    ----------
    prim : Primitive
    operands : tuple of Hole and Node
    attrs : dict
        An `AttributeHole`, or the very attribute, for each that the pattern mentions; what it does
        not mention has its default.
    """

    prim: Primitive
    operands: tuple[Any, ...]
    attrs: dict[str, Any]

    @property
    def is_complete(self) -> bool:
        """Whether each attribute is a hole, so that none has to be compared."""
        holes = sum(isinstance(value, AttributeHole) for value in self.attrs.values())
        return holes == len(self.prim.attributes)

    def nodes(self) -> Iterator[Node]:
        """This node and those below it."""
        yield self
        for operand in self.operands:
            if isinstance(operand, Node):
                yield from operand.nodes()

    def holes(self) -> set[str]:
        """Names of all holes that occur."""
        names: set[str] = set()
        for node in self.nodes():
            parts = (*node.operands, *node.attrs.values())
            names |= {x.name for x in parts if isinstance(x, (Hole, AttributeHole))}
        return names


class _Anything(Value):
    """What the function of a pattern is run on: it has no type and stands nowhere."""

    __slots__ = ("stands_for",)

    def __init__(self, stands_for: Hole | Node) -> None:
        self.uses = {}
        self._name = None
        self.stands_for = stands_for

    def _unknown(self) -> NoReturn:
        raise fail(
            "E0304", "the left side of a rule knows no types, shapes or owners",
            help="ask for them in `where`",
        )  # fmt: skip

    type = property(_unknown)
    owner = property(_unknown)


class _PatternBuilder(Builder):
    """Makes nodes where others make operations."""

    def value(self, operand: Any) -> Value:
        if isinstance(operand, _Anything):
            return operand
        raise fail(
            "E0304", f"the left side of a rule consists of operations and holes, got {operand!r}",
            help="give constants holes, and ask `is_splat` in `where`",
        )  # fmt: skip

    def emit(
        self, prim: Primitive, operands: Sequence[Any], attrs: dict[str, Any],
        regions: dict[str, Any] | None = None, **names: Any,
    ) -> Any:  # fmt: skip
        if regions or prim.regions or prim.form is not Form.CALL:
            raise fail("E0304", f"{prim.name} cannot stand in a rule: write a pass")
        unknown = [name for name in attrs if name not in prim.attributes]
        if unknown:
            raise fail("E0302", f"{prim.name} has no attribute {unknown[0]!r}")
        needed = [n for n, x in prim.attributes.items() if x is Parameter.empty and n not in attrs]
        if needed:
            raise fail("E0302", f"{prim.name} needs the attribute {needed[0]!r}")
        parts = tuple(self.value(operand).stands_for for operand in operands)  # type: ignore[attr-defined]
        if len(parts) < prim.least or prim.most is not None and len(parts) > prim.most:
            raise fail("E0302", f"{prim.name} cannot take {len(parts)} operands")
        return _Anything(Node(prim, parts, dict(attrs)))


def pattern_of(
    before: Callable[..., Any], values: Sequence[str], attributes: Sequence[str]
) -> Node:
    """What `before` describes, given the names of its holes.

    Raises
    ------
    S2sadError
        E0302 or E0304 when that is no tree of operations over all of the holes.
    """
    holes = [_Anything(Hole(name)) for name in values]
    facts = {name: AttributeHole(name) for name in attributes}
    with _PatternBuilder(Region()).active():
        result = before(*holes, **facts)
    if not isinstance(result, _Anything) or not isinstance(result.stands_for, Node):
        raise fail("E0304", f"the left side of a rule is one operation, got {result!r}")
    unused = {*values, *attributes} - result.stands_for.holes()
    if unused:
        raise fail("E0302", f"the left side of a rule does not use {', '.join(sorted(unused))}")
    return result.stands_for


def matches(
    node: Node, operation: Operation, bound: Bindings, listener: Listener | None = None
) -> Iterator[Bindings]:
    """The ways in which `operation`, whose primitive is that of `node`, matches it.

    Parameters
    ----------
    node : Node
    operation : Operation
    bound : dict
        What holes stand for already.
    listener : callable, optional
        Told of each reason why something does not match.
    """
    if listener is None and not _has_producers(node, operation):
        return
    found = _with_attributes(node, operation, bound, listener)
    if found is None or len(operation.results) != 1:
        return
    operands = operation.operands
    if len(operands) != len(node.operands):
        return
    yield from _all(node.operands, operands, found, listener)
    if len(operands) == 2 and node.prim.has(Trait.COMMUTATIVE):
        yield from _all(node.operands, operands[::-1], found, listener)


def _has_producers(node: Node, operation: Operation) -> bool:
    """Whether operands come from such operations as `node` asks for: most others end here."""
    asked = [part.prim for part in node.operands if isinstance(part, Node)]
    if not asked:
        return True
    made = [getattr(value.owner, "prim", None) for value in operation.operands]
    return all(prim in made for prim in asked)


def _all(
    parts: Sequence[Any], values: Sequence[Value], bound: Bindings, listener: Listener | None
) -> Iterator[Bindings]:
    if not parts:
        yield bound
        return
    for found in _one(parts[0], values[0], bound, listener):
        yield from _all(parts[1:], values[1:], found, listener)


def _one(part: Any, value: Value, bound: Bindings, listener: Listener | None) -> Iterator[Bindings]:
    if isinstance(part, Hole):
        if part.name not in bound:
            yield {**bound, part.name: value}
        elif same_value(bound[part.name], value):
            yield bound
        elif listener:
            listener(f"{part.name} is one value here and another there")
        return
    owner = value.owner
    if isinstance(owner, Operation) and owner.prim is part.prim:
        yield from matches(part, owner, bound, listener)
    elif listener:
        found = owner.prim.name if isinstance(owner, Operation) else "an argument"
        listener(f"an operand is {found}, not {part.prim.name}")


def _with_attributes(
    node: Node, operation: Operation, bound: Bindings, listener: Listener | None
) -> Bindings | None:
    """`bound` with the attribute holes of `node` filled; None where an attribute differs."""
    if not node.prim.attributes:
        return bound
    attrs, filled = operation.attrs, dict(bound)
    for name, part in node.attrs.items():
        if not isinstance(part, AttributeHole):
            continue
        if not same_attribute(filled.setdefault(part.name, attrs[name]), attrs[name]):
            if listener:
                listener(f"the attribute {part.name} is one here and another there")
            return None
    if not node.is_complete and not _are_as_asked(node, operation):
        if listener:
            listener(f"the attributes of {node.prim.name} are others")
        return None
    return filled


def _are_as_asked(node: Node, operation: Operation) -> bool:
    """Whether the attributes that are no holes are those of the pattern, or the defaults."""
    attrs = operation.attrs
    asked = {
        name: attrs[name] if isinstance(part, AttributeHole) else part
        for name, part in node.attrs.items()
    }
    full = node.prim.complete([value.type for value in operation.operands], asked)
    return all(same_attribute(full[name], attrs[name]) for name in attrs)
