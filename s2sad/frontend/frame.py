"""What does a name mean while a function is evaluated partially?

A `Session` is one compilation: its guards, the tensors it reaches from outside, the parameters
it writes. A `Frame` is one function's call inside it.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any

from s2sad.core import location as locations
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail, help_of
from s2sad.core.generator import RandomState
from s2sad.core.hooks import Entry
from s2sad.core.location import Location
from s2sad.core.parameter import Parameter
from s2sad.core.precision import UNMARKED, Precision, Recast, read_in, rules
from s2sad.core.tensor import Tensor
from s2sad.frontend import refusals
from s2sad.frontend.effects import HostToken
from s2sad.frontend.guards import Guards
from s2sad.frontend.scopes import is_global
from s2sad.frontend.source import location_in
from s2sad.frontend.static import as_python
from s2sad.frontend.trail import Trail, note_place
from s2sad.ir.graph import Region, Value
from s2sad.ir.types import same_type, type_of
from s2sad.prims.cast import cast


@dataclass(frozen=True)
class Unbound:
    """In place of a variable that is another thing on each path; reading it is an error.

    Attributes
    ----------
    why : str
    place : Location or None
        The branch or loop.
    code : str
        E0211 for one that only some paths assign, E0306 for one of several kinds.
    help : str
    is_dead : bool
        Whether it is known that nothing reads it before it is assigned again.
    """

    why: str
    place: Location | None
    code: str = "E0211"
    help: str = "assign it before, or on every path"
    is_dead: bool = False

    @staticmethod
    def differing(error: S2sadError) -> Unbound:
        """For a variable that is of several kinds, as `error` says: which may never be read."""
        found = error.diagnostic
        return Unbound(found.message, found.location, found.code, found.help or "")

    def read(self) -> S2sadError:
        """The error for reading the variable here."""
        here = locations.current.get()
        notes = () if here is None else (f"read at {here.file}:{here.line}:{here.column}",)
        return fail(self.code, self.why, location=self.place, notes=notes, help=self.help)


@dataclass
class Capture:
    """A tensor reached by name rather than passed: a hidden input, read at each call."""

    tensor: Tensor
    value: Value
    binding: str
    written: Value | None = None

    @property
    def current(self) -> Value:
        """The value that a read sees, in program order."""
        return self.value if self.written is None else self.written


class Session:
    """One compilation: what it reads from outside and what it writes there.

    Attributes
    ----------
    region : Region
        The body of the function being made; hidden inputs become its arguments.
    loops : list of State
        The loops around what is read now that stay loops, with what they carry.
    kept_loops : int
        Loops around what is read now whose body is read once for all passes.
    order : int
        How many derivatives are taken, one of the other, of what is read now.
    precision : Precision
        The mark of the Cell that is read now.
    trail : Trail
    writes : list of Location
        Where something was written into a tensor; see `views`.
    handled : list of Exception
        Those whose `except` is read now, the innermost last.
    stores : dict of (int, str) to Store
        Attributes of Cells that the program assigns, by the Cell's identity and the name.
    overwritten : dict of Value to int
        Tensors that a write may have changed, with the number of the last one.
    made : dict of int to (list or dict, Region or None)
        Containers that compiled code has made, by identity, and where; see `containers`.
    maybe : dict of Value to (int, tuple of Value)
        Which tensors a result of a branch or a loop may be, and the writes made before.
    hooked : dict of Value to (Value, tuple of Entry)
        What a tensor with hooks that the program registers was before, and they.
    hooks_of_inputs : dict of Value to tuple of Entry
        Those that are registered with the Tensors that the program is given.
    """

    def __init__(self, region: Region) -> None:
        self.region = region
        self.guards = Guards()
        self.captures: dict[int, Capture] = {}
        self.paths: dict[int, str] = {}
        self.cells: list[Cell] = []
        self.precision = UNMARKED
        self.loops: list[Any] = []
        self.kept_loops = 0
        self.order = 0
        self.trail = Trail()
        self.writes: list[Location | None] = []
        self.handled: list[Exception] = []
        self.stores: dict[tuple[int, str], Any] = {}
        self.overwritten: dict[Value, int] = {}
        self.made: dict[int, tuple[Any, Region | None]] = {}
        self.maybe: dict[Value, tuple[int, tuple[Value, ...]]] = {}
        self.hooked: dict[Value, tuple[Value, tuple[Entry, ...]]] = {}
        self.hooks_of_inputs: dict[Value, tuple[Entry, ...]] = {}

    @contextmanager
    def inside(self, cell: Cell, mark: Precision) -> Iterator[None]:
        """Let what is emitted inside belong to `cell` (``"Net/fc1:Dense"``), as its `mark` says."""
        name = ""
        if self.cells:
            children = self.cells[-1].name_cells().items()
            name = next((f"{name}:" for name, child in children if child is cell), "")
        self.cells.append(cell)
        try:
            with locations.within(name + type(cell).__name__), self.computing(mark):
                yield
        finally:
            self.cells.pop()

    @contextmanager
    def computing(self, mark: Precision) -> Iterator[None]:
        """Let what is read inside compute as `mark` says."""
        outer, self.precision = self.precision, mark
        try:
            with rules(mark.rule):
                yield
        finally:
            self.precision = outer

    @contextmanager
    def differentiating(self, more: int = 1) -> Iterator[None]:
        """Let so many more derivatives be taken of what is read inside; -1 where one was taken."""
        self.order += more
        try:
            yield
        finally:
            self.order -= more

    def capture(self, tensor: Tensor) -> Value:
        """Present value of a hidden input; the builder asks for it when an operation reads it."""
        if isinstance(tensor, Recast):
            return cast(self.capture(tensor.stored), dtype=tensor.dtype)
        return self._entry(tensor).current

    def write(self, parameter: Tensor, value: Value) -> None:
        """Let later reads of `parameter` see `value`, and the caller after the call."""
        entry = self._entry(parameter)
        if not same_type(value.type, entry.value.type):
            raise fail(
                "E0401", f"the Parameter {entry.binding.partition(':')[2] or entry.binding} is "
                f"{entry.value.type}, it cannot hold {value.type}",
                help="give it a value of its own shape, or keep the value in a Tensor",
            )  # fmt: skip
        entry.written = value

    def _entry(self, tensor: Tensor) -> Capture:
        if id(tensor) not in self.captures:
            self.captures[id(tensor)] = self._new(tensor)
        return self.captures[id(tensor)]

    def _new(self, tensor: Tensor) -> Capture:
        path = self.paths.get(id(tensor), "tensor")
        if isinstance(tensor, HostToken):
            binding, hint = tensor.binding, tensor.hint
        elif isinstance(tensor, RandomState):
            binding = hint = tensor.name
        elif isinstance(tensor, Parameter):
            binding, hint = f"param:{tensor.name}", tensor.name
        else:
            binding, hint = f"capture:{path}", path
        name = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in hint)
        return Capture(tensor, self.region.add_argument(type_of(tensor.array), name), binding)


class _Place:
    """What `Frame.at` gives: entered for each expression, so no generator stands behind it."""

    __slots__ = ("place", "token")

    def __init__(self, place: Location | None) -> None:
        self.place = place

    def __enter__(self) -> None:
        self.token = locations.current.set(self.place)

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        locations.current.reset(self.token)
        if isinstance(error, Exception):
            note_place(error, self.place)


@dataclass
class Frame:
    """One function's call during partial evaluation.

    Attributes
    ----------
    session : Session
    file : str
    caller : Location or None
        Where it was called.
    local_names : dict
        Variables so far: values of the IR, or static Python objects.
    global_names : mapping
    closure : mapping of str to cell
    strict : bool
        True for templates and joint programs, whose operators are the prims; False for the
        user's code, whose operators are MindSpore's.
    assigned : frozenset of str
        Names that the function assigns somewhere, so they are local throughout.
    tree : gast node or None
        The definition of the function; None where it is not the user's.
    enclosing : Frame or None
        The call in which the function is defined, for one that is defined in compiled code.
    called_by : Frame or None
    comprehended : frozenset of str
        Variables of a comprehension, which it has besides those of its function.
    activation : object
        What the copies of one call have in common.
    is_fork : bool
        Whether it is of a branch or a loop on data: what calls it lies outside of that.
    """

    session: Session
    file: str
    global_names: Mapping[str, Any]
    closure: Mapping[str, Any] = field(default_factory=dict)
    caller: Location | None = None
    strict: bool = False
    local_names: dict[str, Any] = field(default_factory=dict)
    assigned: frozenset[str] = frozenset()
    tree: Any = None
    enclosing: Frame | None = None
    called_by: Frame | None = None
    comprehended: frozenset[str] = frozenset()
    activation: object = field(default_factory=object)
    is_fork: bool = False

    def location(self, node: Any) -> Location | None:
        """Where `node` stands, with the chain of calls."""
        known = getattr(node, "lineno", None) is not None
        return location_in(self.file, node, self.caller) if known else None

    def copy(self, local_names: dict[str, Any]) -> Frame:
        """This call with other variables."""
        return replace(self, local_names=local_names)

    def at(self, node: Any) -> _Place:
        """Make `node` the origin of what is emitted or raised inside."""
        return _Place(self.location(node) or locations.current.get())

    def name(self, value: Value, variable: str) -> None:
        """Let `value` be called after the first variable that holds it."""
        if value.name is None:
            value.name = variable

    def lookup(self, name: str) -> Any:
        """What `name` is bound to.

        Raises
        ------
        S2sadError
            E0210 when it is local and not assigned yet, E0201 when it is not bound at all.
        """
        if name in self.local_names:
            value = self.local_names[name]
            if isinstance(value, Unbound):
                raise value.read()
            return value
        if name in self.assigned:
            raise refusals.unassigned(name)
        around = None if is_global(self, name) else self.enclosing
        if around is not None and around.has(name):
            return around.lookup(name)
        if name in self.closure:
            return self._from_closure(name)
        if name in self.global_names:
            return self._note(self.session.guards.item(self.global_names, name, name), name)
        if hasattr(builtins, name):
            self.session.guards.absent(self.global_names, name, name)
            return getattr(builtins, name)
        raise self.undefined(name)

    def undefined(self, name: str, place: Location | None = None) -> S2sadError:
        """E0201 for a name that nothing defines."""
        known = [*self.local_names, *self.closure, *self.global_names, *dir(builtins)]
        return fail(
            "E0201", f"the name {name!r} is not defined", location=place,
            help=self._attribute_meant(name) or did_you_mean(name, known),
        )  # fmt: skip

    def _attribute_meant(self, name: str) -> str | None:
        """Help for a name that is an attribute of the Cell whose method this is."""
        around, owner = self, self.local_names.get("self")
        while owner is None and around.enclosing is not None:
            around = around.enclosing
            owner = around.local_names.get("self")
        return (
            f"did you mean self.{name}?"
            if isinstance(owner, Cell) and hasattr(owner, name)
            else None
        )

    def has(self, name: str) -> bool:
        """Whether `name` is a variable here, or of a function around this one."""
        around = self.enclosing
        is_own = name in self.local_names or name in self.assigned
        return is_own or (around is not None and around.has(name))

    def _from_closure(self, name: str) -> Any:
        try:
            return self._note(self.session.guards.cell(self.closure[name], name), name)
        except ValueError:
            message = f"the variable {name!r} of the enclosing function is not assigned yet"
            raise fail("E0201", message) from None

    def attribute(self, owner: Any, name: str, path: str) -> Any:
        """``owner.name`` of a static object, guarded unless it is a module's constant.

        Raises
        ------
        S2sadError
            E0220 when there is none.
        """
        try:
            value = as_python(self.session.guards.attribute, owner, name, path)
        except AttributeError as error:
            kind = (
                f"module {owner.__name__}"
                if isinstance(owner, ModuleType)
                else type(owner).__name__
            )
            raise fail(
                "E0220", f"{path.rpartition('.')[0]} ({kind}) has no attribute {name!r}",
                help=help_of(error) or did_you_mean(name, dir(owner)),
            ) from None  # fmt: skip
        value = self._note(value, path)
        return read_in(value, self.session.precision.compute) if isinstance(owner, Cell) else value

    def _note(self, value: Any, path: str) -> Any:
        if isinstance(value, Tensor):
            self.session.paths.setdefault(id(value), path)
        return value
