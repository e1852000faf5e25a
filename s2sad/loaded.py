"""How does compiling go on from a dump?

`load_ir` reads one stage of a program, perhaps edited by hand. Bound to a network, it runs through
the passes that were still to come, and is called like the network itself.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from s2sad.binding.bound import Bound, has_effects, require_type
from s2sad.binding.stages import THEN
from s2sad.compiled import Compiled
from s2sad.core import generator
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.location import Location
from s2sad.core.tensor import Tensor
from s2sad.frontend.effects import HOST
from s2sad.ir import store
from s2sad.ir.bindings import is_argument
from s2sad.ir.graph import Function
from s2sad.ir.printer import SEPARATOR
from s2sad.ir.verify import verify
from s2sad.passes.base import Pass
from s2sad.passes.pipeline import parse_pipeline
from s2sad.prims import ALL


def load_ir(path: str | Path) -> Loaded:
    """One stage of a program, from the file that a dump wrote or somebody edited.

    Parameters
    ----------
    path : path
        The file is read and checked, never executed.

    Returns
    -------
    Loaded

    Raises
    ------
    S2sadError
        E0604 when it cannot be read, E0601 and those of the type rules for what is written in it,
        E0902 for a function that is not well formed.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> double = ms.compile(lambda x: x + x)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, *_ = double.dump(folder, ms.Tensor([1.0]))
    ...     step = ms.load_ir(first).bind()
    >>> step(ms.Tensor([4.0])).asnumpy()
    array([8.], dtype=float32)
    """
    path = Path(path)
    function = store.load(path, ALL)
    verify(function)
    return Loaded(path, function, _left(path))


def _left(path: Path) -> tuple[Pass, ...] | None:
    """The passes that the header says were still to come; None where it names no stage."""
    with open(path, encoding="utf-8") as file:
        parts = file.readline().rstrip("\n").split(SEPARATOR)[2:]
    left = next((part for part in parts if part.startswith(THEN)), None)
    if left is not None:
        return parse_pipeline(left.removeprefix(THEN))
    return () if parts else None


@dataclass(frozen=True, eq=False)
class Loaded:
    """A stage that was read from a file, not bound to anything yet.

    Attributes
    ----------
    path : Path
    function : Function
    left : tuple of Pass, or None
        The passes that were still to come; all, where the file does not say.
    """

    path: Path
    function: Function
    left: tuple[Pass, ...] | None

    def bind(self, target: Any = None, values: Mapping[str, Tensor] | None = None) -> Compiled:
        """The function, ready to be called with the arguments that are its other inputs.

        Parameters
        ----------
        target : Cell or function, optional
            Has the Parameters by their names, and other tensors where the program found them.
        values : mapping of str to Tensor, optional
            For inputs by what they are bound to, ``"param:w"`` or ``"capture:self.scale"``; they
            go before those of `target`. One that the program writes must be a Parameter.

        Returns
        -------
        Compiled
            Called as what was dumped, but for arguments that hold no tensor; it may be
            differentiated in turn.

        Raises
        ------
        S2sadError
            E0404 for an input that nothing is found for, E0301 and E0401 for a tensor of another
            type, E0302 for a value that no input is bound to, E0601 when what the program writes
            are not its last results.
        """
        places = tuple(store.parameter_places(self.path))
        given = dict(values or {})
        for name in given.keys() - set(self.function.inputs):
            raise fail("E0302", f"{self.path} has no input {name!r}", location=places[-1])
        hidden: dict[int, Tensor] = {}
        for index, binding in enumerate(self.function.inputs):
            if is_argument(binding):
                continue
            if binding == HOST.binding:
                hidden[index] = HOST
                continue
            tensor = given.get(binding, _found(target, binding))
            if not isinstance(tensor, Tensor):
                raise fail(
                    "E0404", f"nothing is found for {binding!r}", location=places[index],
                    help=f"give it: bind(..., {{{binding!r}: tensor}})",
                )  # fmt: skip
            require_type(tensor, self.function.args[index].type, binding, places[index])
            hidden[index] = tensor
        self._require_writes_last(hidden, places[-1])
        return Compiled(Bound(self.function, hidden, places, self.left))

    def _require_writes_last(self, hidden: Mapping[int, Tensor], place: Location) -> None:
        donates = self.function.donates
        count = len(self.function.results) - has_effects(self.function)  # the token is the last
        if sorted(donates.values()) != list(range(count - len(donates), count)):
            raise fail(
                "E0601", "the results that inputs take are not the last ones", location=place
            )
        for index in donates.keys() - hidden.keys():
            name = self.function.inputs[index]
            raise fail("E0601", f"the argument {name!r} cannot take a result", location=place)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise fail("E0304", f"{self.path} is read, and not bound yet", help="call .bind(net) first")

    def __repr__(self) -> str:
        return f"<{self.function.title or self.function.name} from {self.path}>"


def _found(target: Any, binding: str) -> Any:
    """What `target` has for an input; None where it has nothing."""
    if binding == "rng":  # the one from which everything draws that is given no other
        return generator.DEFAULT.state
    kind, _, name = binding.partition(":")
    if kind == "param":
        return target.parameters_dict().get(name) if isinstance(target, Cell) else None
    if kind != "capture":
        return None
    found = {id(x): x for x in (_at(names, name) for names in _scopes(target)) if x is not None}
    return next(iter(found.values())) if len(found) == 1 else None


def _scopes(target: Any) -> Iterator[Mapping[str, Any]]:
    """Names by which the code of `target` may have reached a tensor."""
    if isinstance(target, Cell):
        for _, cell in target.cells_and_names():
            yield {"self": cell}
        target = type(target).construct  # type: ignore[attr-defined]
    code = getattr(target, "__code__", None)
    if code is not None:
        cells = zip(code.co_freevars, target.__closure__ or (), strict=True)
        yield {**target.__globals__, **{name: cell.cell_contents for name, cell in cells}}


def _at(names: Mapping[str, Any], path: str) -> Any:
    """The tensor at a path such as ``self.layers[0].scale``; None where there is none."""
    try:
        found = _value(names, ast.parse(path, mode="eval").body)
    except (SyntaxError, LookupError, AttributeError, TypeError, ValueError):
        return None
    return found if isinstance(found, Tensor) else None


def _value(names: Mapping[str, Any], node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return names[node.id]
    if isinstance(node, ast.Attribute):
        return getattr(_value(names, node.value), node.attr)
    if isinstance(node, ast.Subscript):
        return _value(names, node.value)[ast.literal_eval(node.slice)]
    raise LookupError(ast.unparse(node))
