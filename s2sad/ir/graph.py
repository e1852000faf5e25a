"""What is a program in the IR?

A `Function` owns a `Region`; a region is one block: arguments, operations, and the values it
yields. An operation may own regions in turn. Values know their uses; the links are kept by the
methods here and by the rewriter, never by hand.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.ir.dims import Dim
from s2sad.ir.types import TensorType, Type

if TYPE_CHECKING:
    import networkx

    from s2sad.ir.primitive import Primitive

#: Primitives behind Python's operators on values, by name without underscores ("add", "radd" is
#: "add" with operands exchanged); `prims` fills it.
OPERATORS: dict[str, Callable[..., Any]] = {}

#: Names that the printer gives by itself; as a hint they mean "no name".
AUTOMATIC = re.compile(r"[tc]\d+")
#: Attributes or regions of an operation that has none: most have no regions.
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Use(NamedTuple):
    """One place where a value is read: operand `index` of an operation, or yield of a region."""

    user: Operation | Region
    index: int


class Value:
    """Result of an operation, or argument of a region.

    Attributes
    ----------
    type : Type
    owner : Operation or Region
        What defines it.
    index : int
        Its place among the owner's results or arguments.
    uses : dict of Use to None
        Who reads it, in the order in which they began to; a dict is an ordered set here, so that
        a value with many readers loses one as fast as a value with few.
    is_weak : bool
        Whether it stands for a Python number while a program is being made: an i64 or f64 that
        takes the dtype of the tensor that it meets. It is no part of the program.
    """

    __slots__ = ("_name", "index", "is_weak", "owner", "type", "uses")

    def __init__(self, type: Type, owner: Operation | Region, index: int, name: str | None) -> None:
        self.type = type
        self.owner = owner
        self.index = index
        self.uses: dict[Use, None] = {}
        self.is_weak = False
        self.name = name

    def __shown__(self) -> str:
        """What messages call it (`s2sad.core.shown`)."""
        return str(self.type)

    @property
    def name(self) -> str | None:
        """The name wished for in print; the printer makes it unique."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        self._name = None if name is None or AUTOMATIC.fullmatch(name) else name

    @property
    def region(self) -> Region | None:
        """The region in which the value is defined."""
        return self.owner if isinstance(self.owner, Region) else self.owner.parent

    @property
    def tensor_type(self) -> TensorType:
        """The type, which must be a tensor's."""
        if not isinstance(self.type, TensorType):
            raise fail("E0304", f"expected a tensor, got a value of type {self.type}")
        return self.type

    @property
    def shape(self) -> tuple[Dim, ...]:
        return self.tensor_type.shape

    @property
    def dtype(self) -> DType:
        return self.tensor_type.dtype

    @property
    def ndim(self) -> int:
        return self.tensor_type.ndim

    def __bool__(self) -> bool:
        raise fail("E0305", "the truth of a tensor is not known while compiling")

    def replace_uses(self, other: Value) -> None:
        """Let every reader of this value read `other`."""
        for use in list(self.uses):
            use.user.set_read(use.index, other)

    def __repr__(self) -> str:
        return f"<{self.name or 'value'}: {self.type}>"

    def __deepcopy__(self, memo: object) -> Value:
        raise TypeError("values belong to a function; copy the function")


def _overload(name: str) -> None:
    def apply(self: Value, other: Any) -> Any:
        return OPERATORS[name](self, other)

    def reflected(self: Value, other: Any) -> Any:
        return OPERATORS[name](other, self)

    setattr(Value, f"__{name}__", apply)
    if name not in ("lt", "le", "gt", "ge"):
        setattr(Value, f"__r{name}__", reflected)


for _name in (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul",
    "and", "or", "xor", "lshift", "rshift", "lt", "le", "gt", "ge",
):  # fmt: skip
    _overload(_name)
for _name in ("neg", "invert", "abs"):
    setattr(Value, f"__{_name}__", lambda self, _name=_name: OPERATORS[_name](self))


class Reader:
    """What reads values: an operation its operands, a region its yields."""

    __slots__ = ("_reads",)

    def __init__(self, values: Sequence[Value]) -> None:
        self._reads: list[Value] = []
        self.set_reads(values)

    def set_read(self, index: int, value: Value) -> None:
        """Read `value` at place `index`."""
        del self._reads[index].uses[Use(self, index)]  # type: ignore[arg-type]
        self._reads[index] = value
        value.uses[Use(self, index)] = None  # type: ignore[arg-type]

    def set_reads(self, values: Sequence[Value]) -> None:
        """Read `values` in place of all that was read before."""
        for index, value in enumerate(self._reads):
            del value.uses[Use(self, index)]  # type: ignore[arg-type]
        self._reads = list(values)
        for index, value in enumerate(self._reads):
            value.uses[Use(self, index)] = None  # type: ignore[arg-type]


class Operation(Reader):
    """One step of a program: a primitive applied to operands.

    Attributes
    ----------
    prim : Primitive
    operands : tuple of Value
    attrs : mapping
        Static facts, complete and in canonical spelling.
    regions : mapping of str to Region
    results : tuple of Value
    loc : Location or None
    scope : str
        Path and classes of the Cells that it came from.
    parent : Region or None
        The region whose operations hold this one.
    """

    __slots__ = ("_place", "attrs", "loc", "parent", "prim", "regions", "results", "scope")

    def __init__(
        self,
        prim: Primitive,
        operands: Sequence[Value],
        attrs: Mapping[str, Any],
        types: Sequence[Type],
        *,
        regions: dict[str, Region] | None = None,
        names: Sequence[str | None] = (),
        loc: Location | None = None,
        scope: str = "",
    ) -> None:
        super().__init__(operands)
        self.prim = prim
        # What nobody can change, the attributes of another operation, is shared.
        is_kept = type(attrs) is MappingProxyType
        self.attrs = attrs if is_kept else MappingProxyType(dict(attrs)) if attrs else NOTHING
        self.regions = MappingProxyType(dict(regions)) if regions else NOTHING
        for region in self.regions.values():
            region.parent = self
        names = [*names, *[None] * (len(types) - len(names))]
        self.results = tuple(Value(t, self, i, names[i]) for i, t in enumerate(types))
        self.loc = loc
        self.scope = scope
        self.parent: Region | None = None
        self._place = 0  # where `Region.place` begins to search

    @property
    def operands(self) -> tuple[Value, ...]:
        return tuple(self._reads)

    @property
    def result(self) -> Value:
        """The only result."""
        (result,) = self.results
        return result

    def walk(self) -> Iterator[Operation]:
        """This operation, then those of its regions, in program order."""
        yield self
        for region in self.regions.values():
            yield from region.walk()

    def __repr__(self) -> str:
        operands = ", ".join(v.name or "_" for v in self.operands)
        return f"<{self.prim.name}({operands}) -> {', '.join(str(v.type) for v in self.results)}>"


class Region(Reader):
    """One block of operations, with arguments and the values that it yields.

    Attributes
    ----------
    args : list of Value
        Entry values; the inputs of a function, what a loop carries.
    operations : list of Operation
        In program order.
    yields : tuple of Value
    parent : Operation, Function or None
    """

    __slots__ = ("args", "operations", "parent")

    def __init__(self, types: Sequence[Type] = (), names: Sequence[str | None] = ()) -> None:
        super().__init__(())
        names = [*names, *[None] * (len(types) - len(names))]
        self.args = [Value(t, self, i, names[i]) for i, t in enumerate(types)]
        self.operations: list[Operation] = []
        self.parent: Operation | Function | None = None

    @property
    def yields(self) -> tuple[Value, ...]:
        return tuple(self._reads)

    def add_argument(self, type: Type, name: str | None = None) -> Value:
        """Append an entry value."""
        value = Value(type, self, len(self.args), name)
        self.args.append(value)
        return value

    def insert(self, index: int, operation: Operation) -> None:
        """Put `operation`, which is in no region yet, at place `index`."""
        operation.parent = self
        operation._place = index
        self.operations.insert(index, operation)

    def append(self, operation: Operation) -> None:
        """Put `operation`, which is in no region yet, last."""
        operation.parent = self
        operation._place = len(self.operations)
        self.operations.append(operation)

    def place(self, operation: Operation) -> int:
        """Index of `operation` among the operations here.

        Each remembers where it stood; edits shift that by a little, or all are counted anew. So
        a pass that asks at each of n operations takes about n steps, not n * n.
        """
        if not self._stands_at(operation._place, operation):
            start = max(operation._place - 32, 0)
            try:
                operation._place = self.operations.index(operation, start, start + 64)
            except ValueError:
                self._count_anew()
        if not self._stands_at(operation._place, operation):
            raise fail("E0901", f"{operation!r} does not stand in this region")
        return operation._place

    def _stands_at(self, index: int, operation: Operation) -> bool:
        return index < len(self.operations) and self.operations[index] is operation

    def _count_anew(self) -> None:
        for i, operation in enumerate(self.operations):
            operation._place = i

    def remove(self, operation: Operation) -> None:
        """Take `operation` out; what it reads and who reads it stays."""
        del self.operations[self.place(operation)]
        operation.parent = None

    def walk(self) -> Iterator[Operation]:
        """All operations, nested ones after their owner, in program order."""
        for operation in list(self.operations):
            yield from operation.walk()

    @property
    def function(self) -> Function | None:
        """The function that the region belongs to, however deep."""
        owner: Any = self.parent
        while isinstance(owner, Operation):
            owner = owner.parent.parent if owner.parent is not None else None
        return owner


def _on_first_need(module: str) -> ModuleType:
    """The module so called, imported by the first who asks, for the sake of import time.

    networkx takes longer to import than s2sad, and the printer with astunparse a good part of
    that: a program that neither draws nor prints an IR does not wait for them. So they cannot
    register themselves here, as `OPERATORS` are: nobody would have imported them.
    """
    return importlib.import_module(module)


@dataclass(eq=False, repr=False)
class Function:
    """A program: flat inputs to flat results.

    Attributes
    ----------
    name : str
        A Python identifier.
    body : Region
        Its arguments are the inputs, its yields the results.
    inputs : tuple of str
        What each input is bound to: an argument's path, ``param:NAME``, ``capture:PATH``,
        ``rng``, ``token:NAME``.
    donates : dict of int to int
        Input that is state, and the result that it holds after a run; its buffer may be overwritten
        where nothing else needs what it held.
    tree : str
        A Python literal whose ints name results: how callers see them, ``"(0, 1)"``.
    title : str
        Where it comes from, ``"rnn.Net.construct"``; printed in the header.
    """

    name: str
    body: Region
    inputs: tuple[str, ...] = ()
    donates: dict[int, int] = field(default_factory=dict)
    tree: str = "0"
    title: str = ""

    def __post_init__(self) -> None:
        self.body.parent = self
        self.inputs = tuple(self.inputs) or tuple(
            v.name or f"input{i}" for i, v in enumerate(self.body.args)
        )

    @property
    def args(self) -> list[Value]:
        return self.body.args

    @property
    def results(self) -> tuple[Value, ...]:
        return self.body.yields

    @property
    def input_types(self) -> tuple[Type, ...]:
        return tuple(value.type for value in self.args)

    @property
    def result_types(self) -> tuple[Type, ...]:
        return tuple(value.type for value in self.results)

    def walk(self) -> Iterator[Operation]:
        """All operations in program order, nested ones after their owner."""
        return self.body.walk()

    def to_networkx(self) -> networkx.MultiDiGraph:
        """The data flow as a graph of networkx; see `s2sad.ir.network.to_networkx`."""
        return _on_first_need("s2sad.ir.network").to_networkx(self)

    def __str__(self) -> str:
        return _on_first_need("s2sad.ir.printer").print_text(self)

    def __repr__(self) -> str:
        inputs = ", ".join(map(str, self.input_types))
        return f"<function {self.name}({inputs}) -> ({', '.join(map(str, self.result_types))})>"
