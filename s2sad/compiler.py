"""The whole compiler on one page: from a call of the user's function to results.

 construct ─frontend─▶ primal ─PRIMAL─▶ primal ─autodiff─▶ joint ─JOINT─▶ joint ─TARGET─▶ IR ─backend─▶ executable
"""

from __future__ import annotations

import ast
import copy
import inspect
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.autodiff.reverse import differentiate
from s2sad.core import context
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Parameter, Tensor
from s2sad.core.transform import Transform
from s2sad.frontend.guards import fingerprint
from s2sad.frontend.read import Reading, bind, map_leaves, named_leaves, read, start_of, title_of
from s2sad.ir import store
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.printer import print_text
from s2sad.ir.types import type_of
from s2sad.passes.base import Report, run_passes
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint

if TYPE_CHECKING:
    from s2sad.backends.base import Executable

PRIMAL = (
    Decompose(without_adjoint),  # what has no adjoint of its own is differentiated as its body
)
JOINT = (
    Dce(),  # adjoints leave behind what only unused gradients needed
)
TARGET = (
    Decompose(every),  # NumPy keeps no composite
    Dce(),  # bodies compute more than was asked of them
)

#: Package of each target.
BACKENDS = {"CPU": "s2sad.backends.numpy"}

#: Variants of one function beyond which a new one is reported.
MAX_VARIANTS = 8


@dataclass(frozen=True)
class Wanted:
    """Which gradients a compiled function gives besides its value.

    Attributes
    ----------
    positions : tuple of int
        Arguments.
    weights : tuple of Parameter
    has_aux : bool
        Only the first output is differentiated.
    """

    positions: tuple[int, ...] = ()
    weights: tuple[Parameter, ...] = ()
    has_aux: bool = False


def compile_variant(
    function: Callable[..., Any], bound: inspect.BoundArguments, wanted: Wanted | None
) -> Variant:
    """Compile `function` for the types of `bound`: the arrows of the picture above, in order."""
    stages = Stages()
    reading = read(function, bound)
    program = reading.function
    stages.note(program, "primal")
    stages.reports += run_passes(program, PRIMAL, stages.note)
    places: list[int | None] = []
    if wanted is not None:
        places = gradient_inputs(reading, bound, wanted)
        asked = sorted({place for place in places if place is not None})
        program = differentiate(program, asked, differentiated_results(reading, wanted))
        stages.note(program, "joint")
        stages.reports += run_passes(program, JOINT, stages.note)
        places = [None if p is None else asked.index(p) for p in places]
    stages.reports += run_passes(program, TARGET, stages.note)
    backend = import_module(BACKENDS[context.get_context("device_target")])  # on first need
    return Variant(reading, backend.build(program), stages, wanted, places)


@dataclass
class Stages:
    """Every stage of one compilation, in order.

    Attributes
    ----------
    functions : list of (str, Function)
        Name of the stage and a copy of the function after it.
    reports : list of Report
        What each pass did.
    """

    functions: list[tuple[str, Function]] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)

    def note(self, function: Function, name: str) -> None:
        """Keep a copy of `function` as the stage `name`."""
        self.functions.append((f"{len(self.functions):02}-{name}", clone(function)))

    def __getitem__(self, name: str) -> Function:
        """The first stage of that name, without its number."""
        return next(function for stage, function in self.functions if stage[3:] == name)

    @property
    def readable(self) -> Function:
        """The joint program after JOINT, or the primal where no gradient is wanted."""
        names = [stage[3:] for stage, _ in self.functions]
        place = names.index("joint") + len(JOINT) if "joint" in names else 0
        return self.functions[place][1]

    def dump(self, folder: Path) -> list[Path]:
        """Write each stage as a file that runs; their paths."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{name}.py" for name, _ in self.functions]
        for path, (name, function) in zip(paths, self.functions, strict=True):
            store.save(function, path, stage=f"after {name}")
        return paths


@dataclass
class Variant:
    """One compiled program, and what ties it to the tensors of the world."""

    reading: Reading
    executable: Executable
    stages: Stages
    wanted: Wanted | None
    places: list[int | None]

    def __post_init__(self) -> None:
        self.tree = ast.literal_eval(self.reading.function.tree)
        self.count = len(self.reading.function.results)

    def holds(self) -> bool:
        """Whether everything that was read while compiling is as it was."""
        return self.reading.guards.broken() is None

    def inputs(self, bound: inspect.BoundArguments) -> list[np.ndarray]:
        """Arrays in the order of the program's inputs."""
        leaves = [leaf for _, leaf in named_leaves(bound.arguments)]
        return [t.array for t in (*leaves, *self.reading.hidden) if isinstance(t, Tensor)]

    def run(self, bound: inspect.BoundArguments) -> Any:
        """Results as the user's function gives them, with the gradients where wanted."""
        inputs = self.inputs(bound)
        results = self.executable.run(inputs)
        values = results[: self.count]
        written = values[self.count - len(self.reading.written) :]
        for parameter, array in zip(self.reading.written, written, strict=True):
            parameter.adopt(_own(array, inputs))
        output = map_leaves(self.tree, lambda i: None if i is None else _tensor(values[i], inputs))
        if self.wanted is None:
            return output
        return output, self._gradients(results[self.count :], inputs, bound)

    def _gradients(
        self, arrays: Sequence[np.ndarray], inputs: list[np.ndarray], bound: inspect.BoundArguments
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Gradients of the arguments asked for, and of the weights."""
        assert self.wanted is not None
        split = len(self.wanted.positions)
        unused = [*(_argument(bound, i) for i in self.wanted.positions), *self.wanted.weights]
        found = [
            Tensor.wrap(np.zeros_like(tensor.array)) if place is None else _tensor(arrays[place], inputs)
            for place, tensor in zip(self.places, unused, strict=True)
        ]
        return found[:split], found[split:]


def gradient_inputs(
    reading: Reading, bound: inspect.BoundArguments, wanted: Wanted
) -> list[int | None]:
    """Input of the primal behind each gradient wanted; None where the program does not read it."""
    tensors = [leaf for _, leaf in named_leaves(bound.arguments) if isinstance(leaf, Tensor)]
    places: list[int | None] = []
    for position in wanted.positions:
        _argument(bound, position)
        before = named_leaves(dict(enumerate(bound.args[:position])))
        places.append(sum(1 for _, leaf in before if isinstance(leaf, Tensor)))
    for weight in wanted.weights:
        found = [i for i, t in enumerate(reading.hidden) if t is weight and _requires_grad(reading, weight)]
        places.append(len(tensors) + found[0] if found else None)
    return places


def _requires_grad(reading: Reading, weight: Parameter) -> bool:
    return reading.guards.attribute(weight, "requires_grad", f"{weight.name}.requires_grad")


def _argument(bound: inspect.BoundArguments, position: int) -> Tensor:
    arguments = bound.args
    if not 0 <= position < len(arguments) or not isinstance(arguments[position], Tensor):
        raise fail("E0308", f"grad_position {position} names no Tensor among the arguments")
    return arguments[position]


def differentiated_results(reading: Reading, wanted: Wanted) -> list[int]:
    """Results whose sum is differentiated: all floats, or those of the first output."""
    tree = ast.literal_eval(reading.function.tree)
    if wanted.has_aux:
        if not isinstance(tree, tuple) or len(tree) < 2:
            raise fail("E0404", "has_aux needs a function with at least two outputs")
        tree = tree[0]
    found: list[int] = []
    map_leaves(tree, lambda i: None if i is None else found.append(i))
    types = reading.function.result_types
    return [i for i in found if getattr(types[i], "dtype").is_float]


def _tensor(array: np.ndarray, inputs: Sequence[np.ndarray]) -> Tensor:
    return Tensor.wrap(_own(array, inputs))


def _own(array: np.ndarray, inputs: Sequence[np.ndarray]) -> np.ndarray:
    """`array`, copied where it is a view, a constant or an input: what is given out is free."""
    shared = array.base is not None or not array.flags.writeable or any(array is x for x in inputs)
    return array.copy() if shared else array


class Compiled:
    """A function, a Cell or a gradient, compiled at its first call for each kind of arguments.

    Attributes
    ----------
    function : callable
    variants : list of Variant
        In the order in which they were compiled.
    last : Variant or None
        The one that ran last.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        wanted: Wanted | None = None,
        shaped: Callable[..., Any] = lambda result: result,
    ) -> None:
        self.function = function
        self.variants: list[Variant] = []
        self.last: Variant | None = None
        self._wanted = wanted
        self._shaped = shaped
        self._by_key: dict[Any, list[Variant]] = {}
        self.__name__ = title_of(function)
        self.__doc__ = function.__doc__
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        bound = bind(self.function, args, kwargs)
        self.last = self.variant(bound)
        return self._shaped(self.last.run(bound))

    def inputs(self, *args: Any, **kwargs: Any) -> list[np.ndarray]:
        """What a call with these arguments hands to the program: arguments, then hidden inputs."""
        bound = bind(self.function, args, kwargs)
        return self.variant(bound).inputs(bound)

    def variant(self, bound: inspect.BoundArguments) -> Variant:
        """The variant for the types and static values of `bound`, compiled if need be."""
        known = self._by_key.setdefault(_key(bound), [])
        for variant in known:
            if variant.holds():
                return variant
        variant = compile_variant(self.function, bound, self._wanted)
        known.append(variant)
        self.variants.append(variant)
        del known[:-MAX_VARIANTS]
        return variant

    @property
    def stages(self) -> Stages:
        """Stages of the variant that ran last (E0308 before the first call)."""
        if self.last is None:
            raise fail("E0308", f"{self.__name__} is not compiled yet", help="call it once")
        return self.last.stages

    @property
    def source(self) -> str:
        """The program, gradients included, as Python that a colleague might have written."""
        return print_text(self.stages.readable, style="source")

    def dump(self, folder: str | Path) -> list[Path]:
        """Write every stage of the variant that ran last as a Python file that runs.

        Returns
        -------
        list of Path
            ``00-primal.py`` first.
        """
        return self.stages.dump(Path(folder))

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        return Compiled(copy.deepcopy(self.function, memo), self._wanted, self._shaped)

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}, {len(self.variants)} variants>"


def _key(bound: inspect.BoundArguments) -> Any:
    """What a variant is looked up by: types of tensors, values of everything else."""
    return tuple(
        (path, type_of(leaf.array) if isinstance(leaf, Tensor) else fingerprint(leaf))
        for path, leaf in named_leaves(bound.arguments)
    )


_of_transforms: weakref.WeakKeyDictionary[Any, Compiled] = weakref.WeakKeyDictionary()


def compile(function: Any) -> Any:  # noqa: A001 - the name that users type
    """Compile a Cell class, a Cell, a function or a gradient; decorate with it or call it.

    Parameters
    ----------
    function : Cell class, Cell, function, or what `grad` and `value_and_grad` give
        Of a class, every instance compiles at its first call.

    Returns
    -------
    The class itself, or a `Compiled`; a compiled Cell has it as ``cell.compiled``.

    Examples
    --------
    >>> import s2sad as ms
    >>> @ms.compile
    ... class Double(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x + x
    >>> Double()(ms.Tensor([1.0, 2.0])).asnumpy()
    array([2., 4.], dtype=float32)
    """
    if isinstance(function, type) and issubclass(function, Cell):
        function.compiled = property(compiled_of)  # type: ignore[attr-defined]
        return function
    if isinstance(function, Cell):
        return compiled_of(function)
    if isinstance(function, Transform):
        return compiled_gradient(function)
    if start_of(function) is None:
        raise fail("E0304", f"compile takes a Cell or a Python function, got {function!r}")
    return Compiled(function)


def compiled_of(cell: Cell) -> Compiled:
    """The compiled form of `cell`, made once."""
    own = cell.__dict__  # past the registry: this is no state of the network
    if "_compiled" not in own:
        own["_compiled"] = Compiled(cell)
    return own["_compiled"]


def call_cell(cell: Cell, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``cell(*args)`` does: compiled in graph mode or when asked for, else as it stands."""
    graph = context.get_context("mode") == context.GRAPH_MODE
    if graph or isinstance(getattr(type(cell), "compiled", None), property):
        return compiled_of(cell)(*args, **kwargs)
    return cell.construct(*args, **kwargs)


def call_transform(transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What calling ``grad(f)`` or ``value_and_grad(f)`` does: compile the joint program, run it."""
    return compiled_gradient(transform)(*args, **kwargs)


def compiled_gradient(transform: Transform) -> Compiled:
    """The compiled form of `transform`, made once."""
    if transform.kind not in ("grad", "value_and_grad"):
        raise fail("E0104", f"{transform.kind} is not supported yet")
    if transform.return_ids or transform.sens_param:
        raise fail("E0104", "return_ids and sens_param are not supported yet")
    if transform not in _of_transforms:
        _of_transforms[transform] = Compiled(
            transform.function, _wanted(transform), partial(_shaped, transform)
        )
    return _of_transforms[transform]


def _wanted(transform: Transform) -> Wanted:
    position, weights = transform.grad_position, transform.weights
    positions = position if isinstance(position, tuple) else () if position is None else (position,)
    given = (weights,) if isinstance(weights, Parameter) else tuple(weights or ())
    if not positions and weights is None:
        raise fail("E0404", "grad_position and weights are both None: nothing to differentiate")
    return Wanted(positions, given, transform.has_aux)


def _shaped(transform: Transform, result: tuple[Any, tuple[list[Tensor], list[Tensor]]]) -> Any:
    """MindSpore's shape of the result: bare for one, a pair for inputs and weights."""
    value, (inputs, weights) = result
    by_input = inputs[0] if len(inputs) == 1 else tuple(inputs)
    by_weight = weights[0] if isinstance(transform.weights, Parameter) else tuple(weights)
    gradients = (by_input, by_weight)
    if transform.weights is None:
        gradients = by_input
    elif transform.grad_position is None:
        gradients = by_weight
    if transform.kind == "value_and_grad":
        return value, gradients
    return (gradients, tuple(value[1:])) if transform.has_aux else gradients
