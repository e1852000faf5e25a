"""How does a function know its compiled programs, and when does it need another one?

`Compiled` stands for a function, a Cell or a gradient. It finds the variant for a call, or has the
compiler make it, and shows what the compiler made.
"""

from __future__ import annotations

import copy
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from importlib import import_module
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING, Any

import numpy as np

from s2sad.binding.bound import Bound
from s2sad.binding.cause import most_common
from s2sad.binding.open_sizes import (
    Learned,
    Opening,
    OpenProgram,
    OpenPrograms,
    Signature,
    opened,
)
from s2sad.binding.program import key_of, named_call, normal_call, tensors_of
from s2sad.binding.results import RESULTS
from s2sad.binding.sink import Naming, Tally, of_sink, sink, unsunk
from s2sad.binding.stored.programs import shelf_for
from s2sad.binding.variant import Variant
from s2sad.core import collector, context, location, log, precision, simulation, strictness
from s2sad.core.cache import parse_bytes
from s2sad.core.cell import Cell
from s2sad.core.cell_hooks import run_cell
from s2sad.core.diagnostics import fail
from s2sad.core.memory_info import HELD, least
from s2sad.core.mutable import Mutable
from s2sad.core.progress import progress
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.core.tracebacks import shorten
from s2sad.core.transform import Transform, Wrapper, innermost
from s2sad.core.tuning import stamp
from s2sad.frontend.callee import start_of, title_of, title_of_call
from s2sad.frontend.inputs import is_input
from s2sad.frontend.trees import map_leaves
from s2sad.ir import store
from s2sad.ir.printer import print_text
from s2sad.ir.types import TensorType, parse_type, type_of

if TYPE_CHECKING:
    from s2sad.backends.base import Executable
    from s2sad.binding.pullback import Half, Pullback, PullbackVariant
    from s2sad.binding.stages import Stages

#: Variants of one function beyond which a warning says what keeps changing.
MANY_VARIANTS = 8
#: Variants of one function that are kept; the oldest goes first.
MOST_VARIANTS = 64

#: What the key of a call ends with where tensors of different rank are refused.
STRICT = "strict_broadcast"

#: One function is compiled at a time.
COMPILING = threading.RLock()


class Compiled(Wrapper):
    """A function, a Cell or a gradient, compiled at its first call for each kind of arguments.

    It may be called from several threads; programs that write Parameters then run one at a time.

    Attributes
    ----------
    function : callable
    variants : list of Variant
        In the order in which they were compiled; the latest `MOST_VARIANTS`.
    last : Variant or None
        The one that ran last.
    last_sink : Tally
        How many steps the last call of `sink` ran, in how many sinks.
    is_strict : bool or None
        Whether tensors of different rank are refused in arithmetic; None leaves it to the context.
    memory_limit : int or None
        Bytes that a run may need beside what it is given.
    """

    def __init__(
        self, function: Any, opening: Opening | None = None, is_strict: bool | None = None,
        memory_limit: int | None = None,
    ) -> None:  # fmt: skip
        self.opening, self.is_strict = opening, is_strict
        self.memory_limit = memory_limit
        self._begin(function)
        innermost = self.__wrapped__
        self.__name__ = title_of(innermost)
        self.__doc__ = innermost.__doc__
        self.__module__ = innermost.__module__

    def _begin(self, function: Any) -> None:
        self.function = function
        self.variants: list[Variant] = []
        self.last: Variant | None = None
        self.last_sink = Tally()
        self._vjp: Compiled | None = None
        self._open: defaultdict[Any, OpenPrograms] = defaultdict(
            lambda: OpenPrograms(self._compile_open)
        )
        self._by_key: dict[Any, tuple[Variant, ...]] = {}
        self._counts = {False: 0, True: 0}  # by whether they are stepwise

    def limit(self, memory: int) -> None:
        """Let programs need no more than `memory` bytes from now on."""
        if memory != self.memory_limit:
            self.memory_limit = memory
            self._begin(self.function)

    @property
    def __wrapped__(self) -> Any:
        """The function or Cell that this, or the gradient that it compiles, is of."""
        return innermost(self.function)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if context.is_compiling():
            return self.run(args, kwargs)
        if isinstance(self.function, (Transform, Bound)):  # a program is all that there is
            return self.run(args, kwargs, stepwise=True)
        with strictness.forced(self.is_strict):
            if isinstance(self.function, Cell):
                return run_cell(self.function, args, kwargs)
            return self.function(*args, **kwargs)

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any], *, stepwise: bool = False) -> Any:
        """What a call gives, by the program for it.

        Parameters
        ----------
        args, kwargs
            Of the call.
        stepwise : bool
            Whether the program runs as people read it, line by line, and not as the target's.
        """
        try:
            variant, tensors = self._find(args, kwargs, stepwise)
            self.last = variant
            return variant.run(tensors)
        except Exception as error:
            shorten(error)
            raise

    def vjp(self, *args: Any, **kwargs: Any) -> tuple[Any, Pullback]:
        """What a call gives, and its pullback, which computes gradients when it is called.

        Parameters
        ----------
        *args, **kwargs
            Of a call.

        Returns
        -------
        output
            What the call gives.
        pullback : Pullback
            Takes the cotangent of `output`, in its form. Gives a tuple with the gradient of each
            argument given by position (None for one that holds no tensor; of a container, in its
            form), and a dict with the gradient of each Parameter that has `requires_grad`, by name.
            What is given by keyword only is not differentiated.

        Raises
        ------
        S2sadError
            E0304 for what gives a pullback itself, and what a call and `ms.grad` raise.

        Examples
        --------
        >>> import s2sad as ms
        >>> output, pullback = ms.compile(lambda x, n: x * n).vjp(ms.Tensor([3.0]), 2)
        >>> output.asnumpy()
        array([6.], dtype=float32)
        >>> (dx, dn), weights = pullback(ms.Tensor([1.0]))
        >>> dx.asnumpy(), dn, weights
        (array([2.], dtype=float32), None, {})
        """
        if self._vjp is None:
            with COMPILING:  # another thread may have been quicker
                transform = Transform("vjp", self.function, None)
                self._vjp = self._vjp or Compiled(
                    transform, is_strict=self.is_strict, memory_limit=self.memory_limit
                )
        result = self._vjp.run(args, kwargs, stepwise=not context.is_compiling())
        self.last = self._vjp.last
        return result

    def sink(
        self, batches: Iterable[Any], *, on_step: Callable[..., Any] | None = None,
        stop: threading.Event | None = None, size: int | None = None, results: str = "all",
        title: str | None = None, check_nan: bool = False, step_name: Naming = of_sink,
    ) -> Any:  # fmt: skip
        """What a call for each batch gives, computed by one call of a program for many of them.

        Numbers are those of single calls, bit for bit. Batches of equal shapes in a row are one
        *sink*: a loop inside the program, in a thread of its own, which this thread feeds.

        Parameters
        ----------
        batches : iterable
            Arguments of a call each: a tuple or a list of them, or one alone. NumPy arrays become
            Tensors. Some are asked for ahead of the steps.
        on_step : callable, optional
            ``on_step(number, *results)`` for every step, in order, from 0; perhaps some steps late.
            Parameters hold in it what the last sink has left, so those of this step after the last
            step of a sink.
        stop : threading.Event, optional
            Once it is set, steps end at the end of the one that runs. Ctrl-C does that as well, and
            then raises KeyboardInterrupt.
        size : int, optional
            Steps of one sink at most.
        results : {"all", "last", "none"}
            What is given in the end. Results of all steps may be much memory.
        title : str, optional
            Of a bar on a terminal, for batches of a known length.
        check_nan : bool
            Whether a step that gives or writes NaN or an infinity is an error, before anything of
            it is kept. That step runs once more then, operation by operation, and the error stands
            at the line that made the first such number.
        step_name : callable
            ``step_name(number)`` is what errors call a step, "step 3 of the sink, from 0" by
            default.

        Returns
        -------
        object
            In the form of the result of one call. Of all steps, each tensor has a first axis more;
            of tensors whose shapes differ there is a tuple. None where there was no batch.

        Raises
        ------
        S2sadError
            E0707 where what the program reads or writes is changed in `on_step` while a sink runs,
            E0303 or E0404 for a `size` that is no count, E0404 for other `results`, E0304 for a
            `vjp`, or for a bar over batches of which nobody knows how many there are; with
            `check_nan` E0702 for a number that is not finite, E0712 where compiling is turned off.
        Exception
            What a step raises, with its number in a note, or `batches`, or `on_step`. Parameters
            hold what the last step has left that ended.

        Examples
        --------
        >>> import s2sad as ms
        >>> square = ms.compile(lambda x: x * x)
        >>> square.sink([ms.Tensor(1.0), ms.Tensor(2.0), ms.Tensor(3.0)]).tolist()
        [1.0, 4.0, 9.0]
        >>> square.last_sink.steps, square.last_sink.interactions
        (3, 1)
        """
        if isinstance(self.function, Transform) and self.function.kind == "vjp":
            raise fail("E0304", "a vjp gives functions, which no loop can hand out")
        require_size(size)
        if results not in RESULTS:
            raise fail("E0404", f"results are {', '.join(map(repr, RESULTS))}, got {results!r}")
        if not check_nan:
            return self._sink(batches, on_step, stop, size, results, title, _sunk, step_name)
        if not context.is_compiling():
            raise fail(
                "E0712", "check_nan looks into compiled programs, and MS_JIT=0 turns compiling off",
                help="leave check_nan out: each step is Python, which a debugger steps through",
            )  # fmt: skip
        return import_module("s2sad.binding.culprit").checked_sink(
            lambda given, seen: self._sink(
                given, seen, stop, size, results, title, _checked, step_name
            ),
            self._of_step, lambda: self.last_sink, batches, on_step, step_name,
        )  # fmt: skip

    def _sink(
        self, batches: Iterable[Any], on_step: Callable[..., Any] | None,
        stop: threading.Event | None, size: int | None, results: str, title: str | None,
        make: Callable[[Variant], Executable], called: Naming,
    ) -> Any:  # fmt: skip
        self.last_sink = Tally()
        with nullcontext(_nothing) if title is None else progress(title, _length(batches)) as tick:
            common: dict[str, Any] = {
                "on_step": on_step, "stop": stop, "kept": results, "tick": tick,
                "tally": self.last_sink, "called": called,
            }  # fmt: skip
            try:
                if not context.is_compiling():
                    return unsunk(batches, self, **common)
                return sink(batches, self._of_step, make, size=size, **common)
            except Exception as error:
                shorten(error)
                raise

    def _of_step(self, args: tuple[Any, ...]) -> Variant:
        self.last, _ = self._find(args, {})
        return self.last

    @property
    def forward(self) -> Half:
        """What `vjp` runs at once, of the variant that it ran last (E0308 before the first)."""
        return self._pullback_variant().forward

    @property
    def backward(self) -> Half:
        """What the pullback runs, of the variant that `vjp` ran last (E0308 before the first)."""
        return self._pullback_variant().backward

    def _pullback_variant(self) -> PullbackVariant:
        last = self.last if self._vjp is None else self._vjp.last
        if not hasattr(last, "backward"):
            raise fail("E0308", f"{self.__name__} has no pullback yet", help="call vjp once")
        return last  # type: ignore[return-value]

    def variant(self, *args: Any, **kwargs: Any) -> Variant:
        """The variant for a call with these arguments, compiled if need be, but not run."""
        return self._find(args, kwargs)[0]

    def generated(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The Python function that PyNative mode runs for a call with these arguments, not run.

        It takes the arrays that `inputs` gives. ``pdb`` stops in it after ``b function``, steps
        through its lines, and knows every value by its name.

        Examples
        --------
        >>> import s2sad as ms
        >>> step = ms.grad(lambda x: ms.ops.sum(x * x))
        >>> function = ms.compile(step).generated(ms.Tensor([1.0, 2.0]))
        >>> function(np.float32([1.0, 2.0]))
        array([2., 4.], dtype=float32)
        """
        executable: Any = self._find(args, kwargs, stepwise=True)[0].executable
        return executable.generated

    def inputs(self, *args: Any, **kwargs: Any) -> list[np.ndarray]:
        """What a call with these arguments hands to the program: arguments, then hidden inputs."""
        variant, tensors = self._find(args, kwargs)
        return variant.inputs(tensors)

    def _find(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], stepwise: bool = False
    ) -> tuple[Variant, list[Tensor]]:
        """The variant for a call, and the tensors among its arguments."""
        try:
            if kwargs:
                args, kwargs = normal_call(self.function, args, kwargs)
            tensors: list[Tensor] = []
            key = stepwise, key_of((args, kwargs), tensors)
            if simulation.chosen is not None:
                key = (*key, simulation.chosen)
            if not strictness.ASKED and self.is_strict is None:
                return self._variant_of(key, args, kwargs), tensors
            with strictness.forced(self.is_strict):
                key = (*key, STRICT) if strictness.is_strict() else key
                return self._variant_of(key, args, kwargs), tensors
        except Exception as error:
            shorten(error)
            raise

    def _variant_of(
        self, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Variant:
        """The variant for a call with this key, compiled where there is none."""
        begun = precision.begin(precision.UNMARKED)  # whatever Cell calls
        try:
            found = self._known(key)
            if found is None:
                with COMPILING, collector.paused(), simulation.on_host():
                    # another thread may have been quicker
                    found = self._known(key) or self._compile(key, args, kwargs)
            return found
        finally:
            precision.end(begun)

    def _known(self, key: Any) -> Variant | None:
        for variant in self._by_key.get(key, ()):
            if variant.holds():
                return variant
        return None

    def _compile(
        self, key: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Variant:
        arguments = named_call(self.function, args, kwargs)  # if they fit
        arguments = {**arguments, STRICT: True} if key[-1] == STRICT else arguments
        if isinstance(self.__wrapped__, Cell):
            self.__wrapped__.check_names_and_refresh_name()
        stepwise, is_told = key[0], log.is_asked("recompile")
        variant, made = self._made(args, kwargs, stepwise)
        known = self._by_key.get(key, ())
        variant.note_call(key, arguments, self._like(stepwise), known)
        variant.limit = least(variant.limit, self.memory_limit)
        self.variants.append(variant)
        self._by_key[key] = (*known, variant)
        if is_told:
            log.tell(f"{made} {self._described(stepwise)}: {variant.cause}")
        if made != "completed":  # one for another size costs little
            self._counts[stepwise] += 1
            if self._counts[stepwise] == MANY_VARIANTS + 1:
                self._warn(stepwise)
        if len(self.variants) > MOST_VARIANTS:
            self._forget(self.variants[0])
        return variant

    def _described(self, stepwise: bool) -> str:
        """What is called, where it stands, and how many variants it has by now."""
        place, count = start_of(self.function), len(self._like(stepwise))
        where = "" if place is None else f" ({place.file}:{place.line})"
        return f"{title_of_call(self.function)}{where}, {count} variant{'s' * (count > 1)}"

    def _made(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], stepwise: bool
    ) -> tuple[Variant, str]:
        """A variant for a call, and where it comes from.

        Completed, of a program for any sizes; loaded, as another process has left it; or compiled.
        """
        opening = self._opening()
        tensors = tensors_of(args, kwargs)
        is_special = any(tensor._hooks or tensor._memory for tensor in tensors)
        axes = None if opening is None or is_special else opening.axes(tensors)
        call = opened(args, kwargs, axes) if axes is not None else None
        programs = self._open[strictness.is_strict(), simulation.chosen]
        found = None if call is None else programs.variant(call, stepwise)
        if found is not None:
            return found
        made = self._loaded_or_compiled(args, kwargs, stepwise)
        if opening is not None:
            programs.tell(opening, self.__name__)
        return made

    def _loaded_or_compiled(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], stepwise: bool
    ) -> tuple[Variant, str]:
        is_common = self._counts[stepwise] < MANY_VARIANTS  # else something changes all the time
        limit, shelf = self.memory_limit, None
        is_plain = not (strictness.is_strict() or HELD) and simulation.chosen is None
        if is_common and not stepwise and is_plain:
            shelf = shelf_for(self.function, args, kwargs, limit, stamp())
        if shelf is None:
            made = compile_variant(self.function, args, kwargs, stepwise=stepwise, limit=limit)
            return made, "compiled"
        function, call = self.function, map_leaves([args, kwargs], _without_data)
        found = shelf.find(lambda: compile_variant(function, *call, limit=limit))
        if found is not None:
            return found, "loaded"
        variant = compile_variant(function, args, kwargs, limit=limit)
        shelf.keep(variant)
        return variant, "compiled"

    def _opening(self) -> Opening | None:
        """What says which sizes of arguments are open, if anything does."""
        said = getattr(self.function, "inputs_said", None)  # of a Cell
        if said is not None and (not isinstance(self.opening, Signature) or
                                 self.opening.arguments is not said):  # fmt: skip
            self.opening = Signature(said)
        return self.opening

    def _compile_open(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], stepwise: bool
    ) -> OpenProgram:
        compiler = import_module("s2sad.compiler")
        return compiler.compile_open(
            self.function, args, kwargs, stepwise=stepwise, limit=self.memory_limit
        )

    def _forget(self, variant: Variant) -> None:
        self.variants.remove(variant)
        left = tuple(v for v in self._by_key.pop(variant.key) if v is not variant)
        if left:
            self._by_key[variant.key] = left

    def _like(self, stepwise: bool) -> list[Variant]:
        return [variant for variant in self.variants if variant.key[0] == stepwise]

    def _warn(self, stepwise: bool) -> None:
        cause = most_common(variant.cause for variant in self._like(stepwise)[1:])
        place = location.caller()
        warnings.warn_explicit(
            f"{self.__name__} was compiled {self._counts[stepwise]} times: {cause.path} keeps "
            f"changing ({cause.text}). Give numbers that change as Tensors, and Tensors in few "
            "shapes.",
            UserWarning, place.file if place else __file__, place.line if place else 1,
        )  # fmt: skip

    def lower(self, *types: Any, **kwargs: Any) -> Stages:
        """Every stage of the program for arguments of these types, compiled but not run.

        Parameters
        ----------
        *types, **kwargs
            Arguments of a call. In place of a Tensor its type will do: one of `s2sad.ir.types`,
            or text with brackets: ``"f32[8, 28]"``, ``"i64[]"``.

        Returns
        -------
        Stages

        Examples
        --------
        >>> import s2sad as ms
        >>> stages = ms.compile(lambda x: x * 2.0).lower("f32[3]")
        >>> [operation.prim.name for operation in stages["primal"].walk()]
        ['const', 'mul']
        """
        args = [of_type(each) for each in types]
        return self.variant(*args, **{name: of_type(each) for name, each in kwargs.items()}).stages

    @property
    def stages(self) -> Stages:
        """Stages of the variant that ran last (E0308 before the first call)."""
        if self.last is None:
            off = None if context.is_compiling() else "MS_JIT=0 turns compiling off"
            raise fail("E0308", f"{self.__name__} is not compiled yet", help=off or "call it once")
        return self.last.stages

    @property
    def source(self) -> str:
        """The program, gradients included, as Python that a colleague might have written."""
        return print_text(self.stages.readable, style="source")

    def dump(self, folder: str | Path, *args: Any, **kwargs: Any) -> list[Path]:
        """Write every stage of a variant as a Python file that runs.

        Parameters
        ----------
        folder : path
            Made where it is missing. Stages of an earlier dump in it are removed.
        *args, **kwargs
            Arguments of a call, which is not run: its variant is written, and what the call would
            hand to the program beside each file, so that ``python folder/00-primal.py`` runs.
            Without arguments it is the variant that ran last, and the inputs are up to whoever runs
            a file.

        Returns
        -------
        list of Path
            ``00-primal.py`` first.
        """
        if not args and not kwargs:
            return self.stages.dump(Path(folder))
        self.last = self.variant(*args, **kwargs)
        paths = self.stages.dump(Path(folder))
        for path in paths:
            store.save_inputs(path, self.inputs(*args, **kwargs))
        return paths

    def __set_name__(self, owner: type, name: str) -> None:
        """In the body of a class; a Cell whose `construct` is compiled is compiled as a whole."""
        if name == "construct" and issubclass(owner, Cell):
            owner.construct = self.function  # type: ignore[attr-defined]
            compile(owner)

    def __get__(self, instance: Any, owner: type | None = None) -> Compiled:
        """As a method: compiled for each instance, which keeps it."""
        if instance is None:
            return self
        if not hasattr(instance, "__dict__"):
            raise fail(
                "E0304", f"a {type(instance).__name__} has no place to keep a compiled method",
                help="leave __slots__ out, or compile a function that takes the instance",
            )  # fmt: skip
        name = f"_compiled_{self.__name__.rpartition('.')[2]}"
        method = MethodType(self.function, instance)
        return _kept(instance, name, method, self.opening, self.is_strict, self.memory_limit)

    def __deepcopy__(self, memo: dict[int, Any]) -> Compiled:
        twin = copy.copy(self)  # of names; the copied function may not have its own yet
        memo[id(self)] = twin
        twin._begin(copy.deepcopy(self.function, memo))
        return twin

    def __repr__(self) -> str:
        return f"<compiled {self.__name__}, {len(self.variants)} variants>"


def _checked(variant: Variant) -> Executable:
    with COMPILING, collector.paused():
        return import_module("s2sad.compiler").sunk(variant, checks=True)


def _sunk(variant: Variant) -> Executable:
    with COMPILING, collector.paused():
        return import_module("s2sad.compiler").sunk(variant)


def _nothing() -> None:
    """Draws no progress."""


def _length(batches: Any) -> int:
    """How many there are (E0304 where that is not known)."""
    if not hasattr(batches, "__len__"):
        kind = type(batches).__name__
        raise fail("E0304", f"a bar needs batches of a known length, got a {kind}", help="no title")
    return len(batches)


def require_size(size: Any) -> None:
    """E0303 or E0404 unless `size` is None, or a number of steps."""
    if size is None:
        return
    if isinstance(size, bool) or not isinstance(size, int):
        raise fail("E0303", f"the size of a sink is a number of steps, got {size!r}")
    if size < 1:
        raise fail("E0404", f"a sink has 1 step or more, got {size}")


def compile_variant(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, stepwise: bool = False,
    limit: int | None = None,
) -> Variant:  # fmt: skip
    """What the compiler makes; it is imported here, since programs on disk do without it."""
    compiler = import_module("s2sad.compiler")
    with COMPILING:
        return compiler.compile_variant(function, args, kwargs, stepwise=stepwise, limit=limit)


def _without_data(leaf: Any) -> Any:
    """Zeros for a tensor among the arguments: whoever keeps them keeps no memory of the user's."""
    if isinstance(leaf, Mutable) or not is_input(leaf):
        return leaf
    return of_type(type_of(leaf.array))


def of_type(given: Any) -> Any:
    """Zeros of the type `given`, as it stands or as text; anything else is that itself."""
    if isinstance(given, str) and given.endswith("]"):
        given = parse_type(given)
    if not isinstance(given, TensorType):
        return given
    return Tensor.wrap(np.zeros(given.shape, given.dtype.storage))  # type: ignore[arg-type]


def _kept(
    owner: Any, name: str, function: Any, opening: Opening | None = None,
    is_strict: bool | None = None, memory_limit: int | None = None,
) -> Compiled:  # fmt: skip
    """The compiled form of `function`, made once and kept by its owner, with which it goes.

    Past the registry of a Cell: it is no state of the network. A shallow copy of the owner has
    that of the original, and gets its own.
    """
    own = vars(owner)
    if not _is_of(own.get(name), function):
        with COMPILING:  # another thread may have been quicker
            if not _is_of(own.get(name), function):
                own[name] = Compiled(function, opening, is_strict, memory_limit)
    return own[name]


def _is_of(compiled: Compiled | None, function: Any) -> bool:
    return compiled is not None and compiled.function == function


#: What `jit` of MindSpore can be told besides `input_signature`.
OPTIONS = {
    "capture_mode": ("ast",),
    "jit_level": ("", "O0", "O1"),
    "dynamic": (0, 1),
    "fullgraph": (False, True),
    "backend": ("", "ms_backend"),
}


def compile(  # noqa: A001 - the name that users type
    function: Any = None, *, input_signature: Any = None, dynamic: int = 0,
    strict_broadcast: bool | None = None, memory_limit: int | str | None = None, **options: Any,
) -> Any:  # fmt: skip
    """Compile a Cell class, a Cell, a function or a gradient; decorate with it or call it.

    Parameters
    ----------
    function : Cell class, Cell, function, method, or what `grad` and `value_and_grad` give
        Of a class, every instance compiles at its first call. Of a method in the body of a class,
        each instance compiles its own. Left out, a decorator is returned.
    input_signature : tuple, optional
        What the arguments of a call will be: a Tensor for each, in which a size of None, as in
        ``Tensor(shape=[None, 3], dtype=float32)``, may be any. One program serves all sizes of 2
        and more there. Where the function asks what differs between sizes, each is compiled by
        itself, and a warning says what asked.
    dynamic : {0, 1}
        1: sizes that turn out to differ between calls may be any from then on.
    strict_broadcast : bool, optional
        Whether tensors of different rank are refused in arithmetic, which would put axes of size 1
        in front of the shorter shape (E0401); those without an axis are not. None leaves it to
        ``set_context(strict_broadcast=...)``. Of what is called in compiled code, or
        differentiated, the outermost says.
    memory_limit : int or str, optional
        Bytes, also as a text: ``"64MB"``. A run needs no more than that for what it computes on the
        way, for results and for the tapes of loops: gradients compute again what else would be
        kept, as little as is needed for that. What does not fit is an error.
    **options
        MindSpore's, in so far as they change nothing: ``capture_mode="ast"``, `jit_level`,
        `fullgraph` (the whole function is compiled, or an error says why not), `backend`.

    Returns
    -------
    The class itself, or a `Compiled`; a compiled Cell has it as ``cell.compiled``.

    Raises
    ------
    S2sadError
        E0302 for an unknown option, E0404 for a value that would change something, E0304 for what
        cannot be compiled, E0303 or E0404 for a `memory_limit` that is no size. Where a call is
        compiled, E0716 for one that does not fit into its `memory_limit`.

    Examples
    --------
    >>> import s2sad as ms
    >>> @ms.compile
    ... class Double(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return x + x
    >>> Double()(ms.Tensor([1.0, 2.0])).asnumpy()
    array([2., 4.], dtype=float32)

    One program for any number of rows:

    >>> rows = ms.Tensor(shape=[None, 2], dtype=ms.float32)
    >>> mean = ms.compile(lambda x: ms.ops.mean(x, 0), input_signature=(rows,))
    >>> mean(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [2.0, 3.0]
    """
    options = {**options, "dynamic": dynamic}
    for name, value in options.items():
        if name not in OPTIONS:
            raise fail("E0302", f"compile has no option {name!r}")
        if value not in OPTIONS[name]:
            known = " or ".join(map(repr, OPTIONS[name]))
            raise fail("E0404", f"{name} can be {known}, got {value!r}")
    if strict_broadcast is not None and not isinstance(strict_broadcast, bool):
        raise fail("E0303", f"strict_broadcast is True, False or None, got {strict_broadcast!r}")
    limit = parse_bytes("memory_limit", memory_limit)
    if function is None:
        return partial(
            compile,
            input_signature=input_signature,
            strict_broadcast=strict_broadcast,
            memory_limit=memory_limit,
            **options,
        )
    opening = Learned() if dynamic else None
    if input_signature is not None:
        opening = Signature(input_signature)
    if isinstance(function, type) and issubclass(function, Cell):
        function.compiled = property(compiled_of)  # type: ignore[attr-defined]
        function.opening = opening  # type: ignore[attr-defined]
        function.is_strict = strict_broadcast  # type: ignore[attr-defined]
        function.memory_limit = limit  # type: ignore[attr-defined]
        return function
    try:
        compiled = _compiled(function)
    except Exception as error:
        shorten(error)
        raise
    if opening is not None:
        compiled.opening = opening
    if strict_broadcast is not None:
        compiled.is_strict = strict_broadcast
    if limit is not None:
        compiled.limit(limit)
    return compiled


def _compiled(function: Any) -> Compiled:
    """The compiled form of what is no class (E0304 where there is none)."""
    if isinstance(function, Compiled):
        return function
    if isinstance(function, Cell):
        return compiled_of(function)
    if isinstance(function, Transform):
        return compiled_gradient(function)
    if start_of(function) is None:
        raise fail("E0304", f"compile takes a Cell or a Python function, got {shown(function)}")
    return Compiled(function)


def compiled_of(cell: Cell) -> Compiled:
    """The compiled form of `cell`, made once."""
    kind = type(cell)
    opening, is_strict = getattr(kind, "opening", None), getattr(kind, "is_strict", None)
    limit = getattr(kind, "memory_limit", None)
    return _kept(cell, "_compiled", cell, opening, is_strict, limit)


def compiled_gradient(transform: Transform) -> Compiled:
    """The compiled form of `transform`, made once."""
    return _kept(transform, "_compiled", transform)


def call_gradient(transform: Transform, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What calling `transform` does.

    In PyNative mode its program runs as people read it, unless it is of something that the user
    had compiled.
    """
    # In this order a debugger that steps in comes by no code of Python's own library.
    compiles = context.is_graph_mode() or (
        is_compiled(transform.function) and context.is_compiling()
    )
    return compiled_gradient(transform).run(args, kwargs, stepwise=not compiles)


def is_compiled(function: Any) -> bool:
    """Whether the user had `function`, or what it differentiates, compiled."""
    while isinstance(function, Transform):
        function = function.function
    return isinstance(function, Wrapper) or hasattr(type(function), "compiled")
