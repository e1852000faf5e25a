"""Is a function of the IR well formed?

One walk in program order, linear in the size of the function: what is read is computed on every
path before, types and attributes are what each primitive's rules say again, uses and parents
agree both ways, stacks and tokens are used once on every path, and what the function says of its
inputs and results holds. It runs after every pass, always.
"""

from __future__ import annotations

import ast
import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from keyword import iskeyword
from operator import is_
from types import NoneType
from typing import Any, NoReturn

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.ir import dims
from s2sad.ir.graph import Function, Operation, Reader, Region, Use, Value
from s2sad.ir.known_sizes import Size
from s2sad.ir.neighbours import describe, neighbours
from s2sad.ir.primitive import Form, Primitive, Trait
from s2sad.ir.types import StackType, TensorType, TokenType, Type, same_type, same_types

LITERALS = (int, float, str, bool, NoneType, DType, dims.Symbolic, Size)
#: Of a tree, besides the ints that name results.
LEAVES = (str, bytes, float, complex, bool, NoneType)


#: Operations that fitted their rules, each with all that the rules were asked about.
Fitting = dict[Operation, tuple[Any, ...]]


def verify(function: Function, *, after: str = "", fitting: Fitting | None = None) -> None:
    """Check that `function` is well formed.

    Parameters
    ----------
    function : Function
    after : str
        What was done last, such as the name of a pass; the message begins with it.
    fitting : dict, optional
        Of those who verify a function often: what fitted its rule before, and is the very same
        now, need not be held to it again. Where it stands and who reads it is checked always.

    Raises
    ------
    S2sadError
        E0902, which names the bad operation and shows its neighbours.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.builder import build_function
    >>> from s2sad.ir.types import f32
    >>> function = build_function(lambda x: p.neg(p.neg(x)), [f32[4]], names=["x"])
    >>> verify(function)
    >>> function.body.operations.reverse()
    >>> verify(function, after="a careless pass")
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadInternalError: [E0902] after a careless pass: neg reads `t2`, which
    is computed later
       = note: in main, body (x: f32[4]):
       = note: --> t1: f32[4] = p.neg(t2)
       = note:     t2: f32[4] = p.neg(x)
       = note:     yield t1
    """
    _Verifier(function, after, {} if fitting is None else fitting).check()


class _Verifier:
    """One walk over one function."""

    def __init__(self, function: Function, after: str, fitting: Fitting) -> None:
        self.function = function
        self.after = after
        self.fitting = fitting
        #: Values that may be read here, with the number of times that they were.
        self.visible: dict[Value, int] = {}
        self.seen: set[Operation | Region] = set()
        #: Linear values with the regions that they are defined in, in program order.
        self.linear: list[tuple[Value, Region]] = []

    def check(self) -> None:
        check_header(self.function, self.fault)
        if self.function.body.parent is not self.function:
            self.fault("its body has another parent")
        for value in self.function.args:
            self.check_type(value.type, "an input")
        self.check_region(self.function.body)
        for value, region in self.linear:
            self.check_linear(value, region)
        check_bindings(self.function, self.fault)
        check_tree(self.function, self.fault)
        check_donations(self.function, self.fault)

    def fault(self, message: str, at: Reader | None = None, cause: Any = None) -> NoReturn:
        """Refuse the function; `at` is the operation, or the region whose yields are wrong."""
        place = getattr(at, "loc", None)
        prefix = f"after {self.after}: " if self.after else ""
        raise fail(
            "E0902",
            prefix + message,
            location=place if isinstance(place, Location) else None,
            notes=tuple(neighbours(self.function, at)),
        ) from cause

    def named(self, value: Any) -> str:
        return describe(self.function, value)

    # Regions and operations

    def check_region(self, region: Region) -> None:
        if region in self.seen:
            self.fault("a region stands in two places", region)
        self.seen.add(region)
        defined = list(region.args)
        for index, value in enumerate(region.args):
            self.define(value, region, index)
        self.note_linear(region.args, region)
        for operation in region.operations:
            self.check_operation(operation, region)
            defined += operation.results
            self.note_linear(operation.results, region)
        self.check_reads(region)
        for value in defined:
            self.leave(value, region)

    def check_operation(self, operation: Operation, region: Region) -> None:
        if not isinstance(operation, Operation):
            self.fault(f"a {type(operation).__name__} stands among the operations", region)
        if operation in self.seen:
            self.fault(f"{operation.prim.name} stands in two places", operation)
        self.seen.add(operation)
        if operation.parent is not region:
            self.fault(f"{operation.prim.name} has another parent than its region", operation)
        self.check_reads(operation)
        asked = _asked_about(operation)
        if _are_same(asked, self.fitting.get(operation, ())):
            self.define_results(operation)
            return
        self.check_fit(operation)
        if not operation.regions:  # what stands in regions is not asked about
            self.fitting[operation] = asked

    def check_fit(self, operation: Operation) -> None:
        """What an operation says of itself is what the rules of its primitive say."""
        types = [value.type for value in operation._reads]
        self.check_attributes(operation, types)
        if operation.regions or operation.prim.regions:
            self.check_regions(operation, types)
        self.check_results(operation, types)
        self.check_origin(operation)
        if operation.prim.has(Trait.EFFECT):
            self.check_effect(operation, types)

    def check_reads(self, reader: Operation | Region) -> None:
        """Each value read is visible here and knows of it."""
        visible = self.visible
        for index, value in enumerate(reader._reads):
            if type(value) is not Value or value not in visible:
                self.fault(f"{_title(reader)} {self.why_invisible(value, reader)}", reader)
            visible[value] += 1
            if Use(reader, index) not in value.uses:
                what = f"{_title(reader)} reads {self.named(value)} at place {index}"
                self.fault(f"{what}, which does not know it", reader)

    def why_invisible(self, value: Any, reader: Operation | Region) -> str:
        if not isinstance(value, Value):
            return f"reads a {type(value).__name__}, which is no value"
        name = self.named(value)
        here = reader if isinstance(reader, Region) else reader.parent
        if value.region is here:
            return f"reads {name}, which is computed later"
        if value.region is None or value.region.function is not self.function:
            return f"reads {name}, which is not part of the function"
        if any(each is value.region for each in _around(here)):
            return f"reads {name}, which is computed later or outside of an isolated region"
        return f"reads {name}, which is local to another region"

    def define(self, value: Value, owner: Operation | Region, index: int) -> None:
        if not isinstance(value, Value) or not isinstance(value.type, Type):
            self.fault(f"{_title(owner)} defines {value!r}, which is no value", owner)
        if value.owner is not owner or value.index != index:
            self.fault(f"{self.named(value)} does not know that {_title(owner)} defines it", owner)
        if value in self.visible:
            self.fault(f"{self.named(value)} is defined twice", owner)
        if not isinstance(value.name, str | None):
            self.fault(f"a value of {_title(owner)} is called {value.name!r}", owner)
        self.visible[value] = 0

    def note_linear(self, values: Sequence[Value], region: Region) -> None:
        self.linear += [(value, region) for value in values if value.type.is_linear]

    def leave(self, value: Value, region: Region) -> None:
        """Nothing after `region` reads `value`: its uses must be those that were met."""
        if self.visible.pop(value) == len(value.uses):
            return
        for use in value.uses:
            if value not in use.user._reads[use.index : use.index + 1]:
                what = f"{self.named(value)} knows of {_title(use.user)} at place {use.index}"
                self.fault(f"{what}, which does not read it", value.owner)
            if not any(each is region for each in _around(_region_of(use))):
                what = f"{_title(use.user)} reads {self.named(value)}"
                self.fault(f"{what}, which is local to another region", use.user)
        self.fault(f"{self.named(value)} has a reader that stands nowhere", value.owner)

    def check_attributes(self, operation: Operation, types: Sequence[Type]) -> None:
        prim, attrs = operation.prim, operation.attrs
        if not prim.attributes and not attrs:
            return
        for name, value in attrs.items():
            if not (prim.form is Form.CONST and isinstance(value, np.ndarray)):
                self.check_literal(value, f"the attribute {name!r} of {prim.name}", operation)
        full = self.asked(operation, prim.complete, types, dict(attrs))
        if list(full) != list(attrs):
            self.fault(f"{prim.name} has the attributes {list(attrs)}, not {list(full)}", operation)
        for name, value in attrs.items():
            if not _same_attribute(value, full[name]):
                what = f"the attribute {name!r} of {prim.name} is {value!r}"
                self.fault(f"{what}; its canonical spelling is {full[name]!r}", operation)

    def check_literal(self, value: Any, what: str, operation: Operation) -> None:
        if type(value) is tuple:
            for item in value:
                self.check_literal(item, what, operation)
        elif isinstance(value, Type):
            self.check_type(value, what, operation)
        elif type(value) not in LITERALS:
            self.fault(f"{what} is {value!r}, which is no literal", operation)

    def check_type(self, found: Any, what: str, at: Operation | None = None) -> None:
        element = found.element if isinstance(found, StackType) else found
        if isinstance(element, TokenType):
            return
        known = isinstance(element, TensorType) and element.dtype in dtypes.ALL
        if not known or type(element.shape) is not tuple or not all(map(_is_size, element.shape)):
            self.fault(f"{what} has the type {found!r}, which cannot be", at)

    def check_regions(self, operation: Operation, types: Sequence[Type]) -> None:
        prim = operation.prim
        if tuple(operation.regions) != prim.regions:
            found, expected = tuple(operation.regions), prim.regions
            self.fault(f"{prim.name} has the regions {found}, not {expected}", operation)
        built: dict[str, Region] = {}
        for name, region in operation.regions.items():
            if not isinstance(region, Region) or region.parent is not operation:
                self.fault(f"the region {name!r} of {prim.name} has another parent", operation)
            expected = self.asked(operation, prim.region_types, name, types, built, operation.attrs)
            found = [value.type for value in region.args]
            if not same_types(found, expected):
                what = f"the region {name!r} of {prim.name} takes {_types(found)}"
                self.fault(f"{what}, not {_types(expected)}", operation)
            outer = self.visible
            if prim.is_isolated:
                self.visible = {}
            self.check_region(region)
            self.visible = outer
            built[name] = region

    def define_results(self, operation: Operation) -> None:
        for index, value in enumerate(operation.results):
            self.define(value, operation, index)

    def check_results(self, operation: Operation, types: Sequence[Type]) -> None:
        self.define_results(operation)
        prim, results, regions = operation.prim, operation.results, dict(operation.regions)
        expected = self.asked(operation, prim.infer, types, dict(operation.attrs), regions)
        found = [value.type for value in results]
        if not same_types(found, expected):
            self.fault(f"{prim.name} gives {_types(found)}, not {_types(expected)}", operation)

    def asked(self, operation: Operation, rule: Callable[..., Any], *args: Any) -> Any:
        """What a rule of the operation's primitive says; a rule may fail in any way."""
        try:
            return rule(*args)
        except S2sadError as error:
            reason = f"{error.code}, {error.diagnostic.message}"
            self.fault(f"{operation.prim.name} does not fit its rule: {reason}", operation, error)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            self.fault(f"{operation.prim.name} does not fit its rule: {reason}", operation, error)

    def check_origin(self, operation: Operation) -> None:
        if not isinstance(operation.loc, Location | None):
            self.fault(f"{operation.prim.name} has the location {operation.loc!r}", operation)
        if not isinstance(operation.scope, str):
            self.fault(f"{operation.prim.name} has the scope {operation.scope!r}", operation)

    def check_effect(self, operation: Operation, types: Sequence[Type]) -> None:
        takes = sum(isinstance(t, TokenType) for t in types)
        gives = sum(isinstance(v.type, TokenType) for v in operation.results)
        if not takes == gives != 0:
            what = f"{operation.prim.name} takes {takes} tokens and gives {gives}"
            self.fault(f"{what}; an effect gives back what it takes", operation)

    # Linear values

    def check_linear(self, value: Value, region: Region) -> None:
        """A linear value is used once on every path; a condition of `while` only looks."""
        owner = region.parent
        looks = isinstance(owner, Operation) and owner.prim.form is Form.WHILE
        expected = 1
        if looks and value.owner is region and region is owner.regions["condition"]:  # type: ignore[union-attr]
            expected = 0
        if expected and len(value.uses) == 1 and _region_of(next(iter(value.uses))) is region:
            return
        found = self.uses_on_paths(value, region, list(value.uses))
        if found != expected:
            what = f"{self.named(value)}, a {value.type}, is used {found} times"
            reason = "once on every path" if expected else "by the body of the loop alone"
            self.fault(f"{what}; it must be used {reason}", value.owner)

    def uses_on_paths(self, value: Value, region: Region, uses: list[Use]) -> int:
        """How often each path through `region` uses `value`."""
        here, inner = 0, {}
        for use in uses:
            branch = self.branch_of(value, use, region)
            if branch is None:
                here += 1
            else:
                inner.setdefault(branch.parent, {}).setdefault(branch, []).append(use)
        for operation, branches in inner.items():
            counts = {
                name: self.uses_on_paths(value, branch, branches.get(branch, []))
                for name, branch in operation.regions.items()
            }
            if len(set(counts.values())) != 1:
                what = f"{self.named(value)}, a {value.type}, is used in one branch"
                self.fault(f"{what} of {operation.prim.name} and not in the other", operation)
            here += next(iter(counts.values()))
        return here

    def branch_of(self, value: Value, use: Use, region: Region) -> Region | None:
        """The region right below `region` that holds `use`; None where `region` itself does."""
        place, below = _region_of(use), None
        while place is not region:
            owner = place.parent if place is not None else None
            if not isinstance(owner, Operation) or owner.prim.form is not Form.IF:
                what = f"{self.named(value)}, a {value.type}, is captured by {_title(owner)}"
                self.fault(f"{what}; a loop must carry it", use.user)
            below, place = place, owner.parent
        return below


# What a function says of itself. `fault` raises.


def check_header(function: Function, fault: Callable[..., NoReturn]) -> None:
    name = function.name
    if not isinstance(name, str) or not name.isidentifier() or iskeyword(name):
        fault(f"the function is called {function.name!r}, which is no name in Python")
    if not isinstance(function.title, str):
        fault(f"the function has the title {function.title!r}")
    if not isinstance(function.body, Region):
        fault(f"the body of the function is a {type(function.body).__name__}")


def check_bindings(function: Function, fault: Callable[..., NoReturn]) -> None:
    """Each input is bound to something, parameters and tokens once; tokens come back."""
    inputs = function.inputs
    if len(inputs) != len(function.args) or not all(isinstance(x, str) for x in inputs):
        fault(f"the {len(function.args)} inputs are bound to {inputs}")
    once = Counter(x for x in inputs if x.startswith(("param:", "token:")))
    for binding, count in once.items():
        if count > 1:
            fault(f"two inputs are bound to {binding}")
    for binding, value in zip(inputs, function.args, strict=True):
        if binding.startswith("token:") != isinstance(value.type, TokenType):
            fault(f"an input of type {value.type} is bound to {binding}")
    takes, gives = (
        sum(isinstance(t, TokenType) for t in types)
        for types in (function.input_types, function.result_types)
    )
    if takes != gives:
        fault(f"the function takes {takes} tokens and gives {gives}", function.body)


def check_tree(function: Function, fault: Callable[..., NoReturn]) -> None:
    """The tree is a literal that names results, each at most once."""
    try:
        tree = ast.literal_eval(function.tree)
    except (SyntaxError, ValueError, TypeError) as error:
        fault(f"the tree is no literal: {function.tree!r}", None, error)
    named: set[int] = set()
    for leaf in _leaves(tree):
        if isinstance(leaf, LEAVES) or (isinstance(leaf, set) and len(leaf) == 1):
            continue
        if not isinstance(leaf, int) or not 0 <= leaf < len(function.results):
            fault(f"the tree {function.tree} names {leaf!r}, which is no result")
        if leaf in named:
            fault(f"the tree {function.tree} names result {leaf} twice")
        named.add(leaf)


def check_donations(function: Function, fault: Callable[..., NoReturn]) -> None:
    """What an input holds after a run is one result, of its type."""
    args, results = function.args, function.results
    for source, target in function.donates.items():
        what = f"input {source} is donated to result {target}"
        if not _is_index(source, len(args)) or not _is_index(target, len(results)):
            fault(f"{what}: there is no such input or result")
        given, taken = args[source].type, results[target].type
        if not isinstance(given, TensorType) or not same_type(given, taken):
            fault(f"{what}: it is a {given}, and the result a {taken}")
    if len(set(function.donates.values())) != len(function.donates):
        fault(f"two inputs are donated to one result: {function.donates}")


def _leaves(tree: Any) -> Iterator[Any]:
    if isinstance(tree, (tuple, list, Mapping)):
        for item in tree.values() if isinstance(tree, Mapping) else tree:
            yield from _leaves(item)
    else:
        yield tree


def _is_index(index: Any, length: int) -> bool:
    return type(index) is int and 0 <= index < length


def _is_size(size: Any) -> bool:
    return isinstance(size, dims.Symbolic) or (type(size) in (int, Size) and size >= 0)


def _asked_about(operation: Operation) -> tuple[Any, ...]:
    """All that `check_fit` looks at but for regions; none of it can be changed, only replaced."""
    return (
        operation.prim, operation.attrs, operation.loc, operation.scope,
        *[value.type for value in operation._reads], None,
        *[getattr(value, "type", None) for value in operation.results],
    )  # fmt: skip


def _are_same(now: tuple[Any, ...], before: tuple[Any, ...]) -> bool:
    """Whether all are the very objects that they were; equal ones may be spelled otherwise."""
    return len(now) == len(before) and all(map(is_, now, before))


def _title(place: Any) -> str:
    """What reads or defines: an operation's name, or whose region it is."""
    if isinstance(place, Operation):
        return place.prim.name if isinstance(place.prim, Primitive) else repr(place.prim)
    owner = getattr(place, "parent", None)
    if isinstance(owner, Operation):
        names = [name for name, region in owner.regions.items() if region is place]
        return f"the region {', '.join(names)} of {owner.prim.name}"
    return "the function"


def _types(types: Sequence[Type]) -> str:
    return f"({', '.join(map(str, types))})"


def _region_of(use: Use) -> Region | None:
    return use.user if isinstance(use.user, Region) else use.user.parent


def _around(region: Region | None) -> Iterator[Region]:
    """`region`, and those that hold it."""
    while region is not None:
        yield region
        owner = region.parent
        region = owner.parent if isinstance(owner, Operation) else None


def _same_attribute(a: Any, b: Any) -> bool:
    """Whether `a` is spelled as `b` is: 1 is not True, -0.0 is not 0.0. Sizes are just equal."""
    if a is b:
        return True
    if isinstance(a, Type) and isinstance(b, Type):
        return same_type(a, b)
    if isinstance(a, (dims.Symbolic, Size)) or isinstance(b, (dims.Symbolic, Size)):
        kinds = (int, dims.Symbolic)
        return isinstance(a, kinds) and isinstance(b, kinds) and dims.same(a, b) is True
    if type(a) is not type(b):
        return False
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(_same_attribute, a, b))
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b)
    if isinstance(a, np.ndarray):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    return a == b
