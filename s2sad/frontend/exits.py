"""How is a block left: at its end, or by `return`, `break`, `continue` or `raise` before it?

Where data decide, the paths part: a branch stays `Open` as long as some of its paths have left the
block and others go on. What follows in the block is then compiled where the one path goes on; so
the rest of a function after ``if c: return a`` is the other side of the branch. Where several paths
go on they are joined first, and flags say which of the ways each has taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Union

from s2sad.core import location as locations
from s2sad.core.dtypes import DType
from s2sad.core.location import Location
from s2sad.frontend import carried
from s2sad.frontend.frame import Frame
from s2sad.ir import builder as builders
from s2sad.ir.builder import Builder, discard
from s2sad.ir.graph import Region, Value


class Exit:
    """Why a block ended early, on all paths: ``return`` with its value, ``break``, ``continue``.

    Its kind is ``raise`` where what comes next is never reached, and ``stop`` where the condition
    of a loop no longer holds.
    """

    def __init__(self, kind: str, value: Any = None, node: Any = None) -> None:
        self.kind = kind
        self.value = value
        self.node = node
        self.place = locations.current.get()


class NeverReturns(BaseException):  # noqa: N818 - a signal, as `Unfit` is
    """A call of which every path ends in an exception at run time."""


#: How a block was left: None at its end, which is where the next statement goes on.
Leaving = Union[Exit, "Open", None]

#: What is done in a frame; how it is left.
Run = Callable[[Frame], Leaving]


@dataclass
class Side:
    """One side of a branch.

    Attributes
    ----------
    frame : Frame
    region : Region
    written : dict
        What the parameters hold at its end so far.
    overwritten : dict
        As in `Session`.
    leaving : Exit, Open or None
        How it is left.
    yields : list of Value
    is_entered : bool
        Whether what follows the branch is compiled in it.
    """

    frame: Frame
    region: Region
    written: dict[int, Value | None]
    overwritten: dict[Value, int]
    leaving: Leaving = None
    yields: list[Value] = field(default_factory=list)
    is_entered: bool = False

    @staticmethod
    def of(frame: Frame) -> Side:
        """A new side of a branch in `frame`."""
        session = frame.session
        written = carried.written_now(frame)
        return Side(carried.fork(frame), Region(), written, dict(session.overwritten))

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Emit at the end of this side, where what was written in it so far counts."""
        session = self.frame.session
        before, outer = carried.written_now(self.frame), session.overwritten
        carried.write_back(self.frame, self.written)
        session.overwritten = self.overwritten
        try:
            with Builder(self.region).active():
                yield
        finally:
            self.written = carried.written_now(self.frame)
            self.overwritten = session.overwritten
            carried.write_back(self.frame, before)
            session.overwritten = outer

    def run(self, run: Run) -> Side:
        """Go on with `run` at the end of this side."""
        with self.entered():
            try:
                self.leaving = run(self.frame)
            except NeverReturns:
                self.leaving = Exit("raise")
        return self

    def value(self, leaf: Any, dtype: DType | None = None) -> Value:
        """A leaf as a value inside of this side's region, of `dtype` where that is given."""
        builder = Builder(self.region)
        with builder.active():
            return carried.as_value(builder, leaf, dtype)

    @property
    def goes_on(self) -> bool:
        """Whether its variables count behind the branch."""
        return keeps_variables(self.leaving)


@dataclass
class Open:
    """A branch on data that is still being compiled: its paths end in different ways.

    Attributes
    ----------
    frame : Frame
        Around the branch.
    condition : Value
    sides : tuple of Side
        Where the condition holds, and elsewhere.
    names : list of str
        Variables that come first among the results.
    region : Region
        In which the branch will stand.
    place : Location or None
    """

    frame: Frame
    condition: Value
    sides: tuple[Side, Side]
    names: list[str] = field(default_factory=list)
    region: Region = field(default_factory=lambda: builders.current().region)
    place: Location | None = field(default_factory=locations.current.get)

    def leaves(self) -> Iterator[Side]:
        """The sides, its own or of branches in them, that are no branch again."""
        for side in self.sides:
            if isinstance(side.leaving, Open):
                yield from side.leaving.leaves()
            else:
                yield side

    def exits(self) -> dict[str, Exit]:
        """The first exit of each kind."""
        found: dict[str, Exit] = {}
        for side in self.leaves():
            if isinstance(side.leaving, Exit):
                found.setdefault(side.leaving.kind, side.leaving)
        return found

    def ends(self) -> list[Side]:
        """Leaves at whose end the next statement goes on."""
        return [side for side in self.leaves() if side.leaving is None]

    def abandon(self) -> None:
        """Let nothing that was compiled in the branch read anything: it will not be finished."""
        for side in self.sides:
            if isinstance(side.leaving, Open):
                side.leaving.abandon()
            discard(side.region)

    @property
    def depth(self) -> int:
        """How many branches lie in each other."""
        inner = [x.leaving.depth for x in self.sides if isinstance(x.leaving, Open)]
        return 1 + max(inner, default=0)


def keeps_variables(leaving: Leaving) -> bool:
    """Whether the variables of a block count behind it that is left so."""
    if isinstance(leaving, Open):
        return any(keeps_variables(side.leaving) for side in leaving.leaves())
    return leaving is None or leaving.kind in ("break", "continue", "stop")


def goes_on(leaving: Leaving) -> bool:
    """Whether a path reaches the next statement."""
    return leaving is None or (isinstance(leaving, Open) and bool(leaving.ends()))
