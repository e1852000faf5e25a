"""Which axes of a call's tensors are open, so that one program serves tensors of any size there?

An open axis is a symbol in the types from which the program is made, once. For each size that comes
up that program is completed: symbols become numbers, the target's passes plan memory. Axes that are
equally long in a call are one symbol. Sizes 0 and 1, which broadcast, are never open.

Where the program asks for more than can be said of every size, it is compiled for each size by
itself, as if nothing were open, with a warning that says what asked.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from s2sad.binding.program import key_of, tensors_of
from s2sad.binding.variant import Variant
from s2sad.core import location, log
from s2sad.core.diagnostics import fail
from s2sad.core.mutable import Mutable
from s2sad.core.shown import shown
from s2sad.core.tensor import Placeholder, Tensor
from s2sad.frontend.guards import Guards
from s2sad.frontend.inputs import is_input
from s2sad.frontend.trees import map_leaves
from s2sad.ir.dims import SMALLEST, symbol

#: Programs kept of those that differ by what their guards have read; the oldest goes first.
MOST_PROGRAMS = 8
#: Of each tensor of a call, whether each of its axes is open.
Axes = Sequence[tuple[bool, ...]]


@dataclass(frozen=True)
class OpenProgram:
    """A program for any sizes.

    Attributes
    ----------
    guards : Guards
    at : callable
        ``at(sizes)``: its variant for sizes by the names of their symbols.
    """

    guards: Guards
    at: Callable[[dict[str, int]], Variant]


@dataclass(frozen=True)
class OpenCall:
    """A call with symbols for open sizes.

    Attributes
    ----------
    args, kwargs
        With a `Placeholder` for each tensor of which an axis is open.
    sizes : dict of str to int
        What its symbols stand for.
    shapes : tuple
        Of the tensors, what all calls with the same program have in common.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    sizes: dict[str, int]
    shapes: tuple[Any, ...]


def opened(args: tuple[Any, ...], kwargs: dict[str, Any], axes: Axes) -> OpenCall | None:
    """A call with symbols at `axes`; None where no size that is open is large enough."""
    names: dict[int, str] = {}
    left = iter(axes)

    def change(leaf: Any) -> Any:
        if not is_input(leaf):
            return leaf
        if isinstance(leaf, Mutable):
            next(left)
            return leaf
        sizes = [_size(n, names) if is_open else n
                 for n, is_open in zip(leaf.shape, next(left), strict=True)]  # fmt: skip
        shapes.append(tuple(map(str, sizes)))
        return Placeholder.of(tuple(sizes), leaf.dtype)

    shapes: list[tuple[str, ...]] = []
    given, named = map_leaves([args, kwargs], change)
    if not names:
        return None
    return OpenCall(given, named, {name: n for n, name in names.items()}, tuple(shapes))


def _size(size: int, names: dict[int, str]) -> Any:
    if size < SMALLEST:
        return size
    return symbol(names.setdefault(size, f"n{len(names)}"))


class Opening(ABC):
    """What says which axes are open."""

    #: Whether the user asked for these very axes, and wants to know where that cannot be.
    is_asked = True

    @abstractmethod
    def axes(self, tensors: Sequence[Tensor]) -> Axes | None:
        """The open axes of the tensors of a call; None where none is."""


class Signature(Opening):
    """Axes of which a `Placeholder` says so: ``Tensor(shape=[None, 3], dtype=float32)``.

    Parameters
    ----------
    arguments : tuple
        Of a call, with placeholders for tensors; None where nothing is said of an argument.
    """

    def __init__(self, arguments: Any) -> None:
        self.arguments = arguments if isinstance(arguments, tuple) else (arguments,)
        self._tensors = tensors_of(_without_data(self.arguments))

    def axes(self, tensors: Sequence[Tensor]) -> Axes:
        """As said; E0302, E0301 or E0401 where `tensors` do not fit."""
        if len(tensors) != len(self._tensors):
            raise fail(
                "E0302", f"the signature has {len(self._tensors)} Tensors, the call "
                f"{len(tensors)}", help="a Tensor for each of the call's, in order",
            )  # fmt: skip
        return [
            _fitted(i, *pair) for i, pair in enumerate(zip(self._tensors, tensors, strict=True))
        ]


def _without_data(arguments: Any) -> Any:
    """`arguments`, of whose tensors only the types are kept."""
    return map_leaves(
        arguments,
        lambda leaf: leaf if not is_input(leaf) or isinstance(leaf, (Placeholder, Mutable))
        else Placeholder.of(leaf.shape, leaf.dtype),
    )  # fmt: skip


def _fitted(number: int, said: Any, tensor: Tensor) -> tuple[bool, ...]:
    """The open axes of `tensor`, which is to be as `said`."""
    if tensor.dtype is not said.dtype:
        raise fail(
            "E0301", f"Tensor {number} of the call is {shown(tensor)}, the signature says "
            f"{said.dtype.name}", help=f"cast it: x.astype({said.dtype.name})",
        )  # fmt: skip
    sizes = () if isinstance(said, Mutable) else said.sizes
    fits = tensor.ndim == len(sizes) and all(
        size is None or size == n for size, n in zip(sizes, tensor.shape, strict=False)
    )
    if not fits:
        raise fail(
            "E0401", f"Tensor {number} of the call is {shown(tensor)}, the signature says {said!r}",
            help="None is a size that may be any",
        )  # fmt: skip
    return tuple(size is None for size in sizes)


class Learned(Opening):
    """Axes that differed between calls that were else alike."""

    is_asked = False

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], tuple[list[tuple[int, ...]], list[list[bool]]]] = {}

    def axes(self, tensors: Sequence[Tensor]) -> Axes | None:
        """Those that differ from the first call with tensors of these dtypes and ranks on."""
        kind = tuple((tensor.dtype, tensor.ndim) for tensor in tensors)
        shapes = [tensor.shape for tensor in tensors]
        first, found = self._known.setdefault(kind, (shapes, [[False] * len(s) for s in shapes]))
        for axes, now, then in zip(found, shapes, first, strict=True):
            axes[:] = [a or m != n for a, m, n in zip(axes, now, then, strict=True)]
        return [tuple(axes) for axes in found] if any(map(any, found)) else None


@dataclass
class OpenPrograms:
    """The programs of one function for any sizes.

    Attributes
    ----------
    compile : callable
        ``compile(args, kwargs, stepwise)``: a new one.
    """

    compile: Callable[..., OpenProgram]
    _known: dict[Any, list[OpenProgram]] = field(default_factory=dict)
    _closed: set[Any] = field(default_factory=set)
    _reason: Exception | None = None

    def variant(self, call: OpenCall, stepwise: bool) -> tuple[Variant, str] | None:
        """The variant for `call`, and whether its program was compiled for that or only completed.

        None where the program cannot be for any sizes.
        """
        others = map_leaves([call.args, call.kwargs], lambda leaf: ... if is_input(leaf) else leaf)
        key = stepwise, key_of(others, []), call.shapes
        if key in self._closed:
            return None
        programs = self._known.setdefault(key, [])
        try:
            known = next((p for p in programs if p.guards.holds()), None)
            if known is not None:
                return known.at(call.sizes), "completed"
            new = self.compile(call.args, call.kwargs, stepwise)
            made = new.at(call.sizes)
            programs.append(new)
            del programs[:-MOST_PROGRAMS]
            return made, "compiled"
        except Exception as error:  # what has to do with anything but open sizes comes again
            self._closed.add(key)
            self._reason = error
            return None

    def tell(self, opening: Opening, name: str) -> None:
        """Say why the latest program of `name` is for one size, where it was to be for any."""
        error, self._reason = self._reason, None
        if error is None:
            return
        text = f"{name} is compiled for each size by itself: {_first_line(error)}"
        if opening.is_asked:
            diagnostic = getattr(error, "diagnostic", None)
            place = getattr(diagnostic, "location", None) or location.caller()
            file, line = (place.file, place.line) if place else (__file__, 1)
            warnings.warn_explicit(text, UserWarning, file, line)
        elif log.is_asked("recompile"):
            log.tell(text)


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__} {error}".partition("\n")[0]
