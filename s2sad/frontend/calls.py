"""What does a call mean while compiling?

Primitives emit, functions of `ops` run on values of the IR (they are ours, and Python over
prims), the user's functions and Cells are read and evaluated in a frame of their own, and a
short list of builtins is computed on static arguments. Everything else is an error that says so.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import gast

from s2sad.core import context, generator
from s2sad.core import location as locations
from s2sad.core.cell import Cell
from s2sad.core.cell_hooks import Hooked
from s2sad.core.checkpoint import Checkpoint
from s2sad.core.custom_vjp import CustomVjp
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.ensemble import Ensemble
from s2sad.core.hooks import Hook, HookHandle, register_hook
from s2sad.core.in_place import InPlace
from s2sad.core.location import Location
from s2sad.core.memory_policy import set_mem_info
from s2sad.core.precision import UNMARKED
from s2sad.core.signatures import fitted
from s2sad.core.tensor import Tensor
from s2sad.core.transform import Transform, Wrapper, jvp, jvp_call, unwrapped, vjp, vjp_call
from s2sad.frontend import foreign, objects, refusals
from s2sad.frontend.branches import branch, returning
from s2sad.frontend.builtin_calls import BUILTINS, in_order, through
from s2sad.frontend.callee import bind, bind_through, name_of, start_of
from s2sad.frontend.cell_hooks import call_with_hooks
from s2sad.frontend.checkpoint import call_checkpoint
from s2sad.frontend.choices import Choice
from s2sad.frontend.containers import is_made, made_here, require_own
from s2sad.frontend.custom import Rule, call_custom, call_custom_vjp
from s2sad.frontend.ensembles import call_ensemble
from s2sad.frontend.exits import NeverReturns, Open
from s2sad.frontend.expressions import (
    CALL,
    BoundMethod,
    evaluate,
    evaluates,
    holds_tensor,
    is_tensor,
    items,
    method_of_tensor,
)
from s2sad.frontend.frame import Frame
from s2sad.frontend.hooks import call_hook, call_register_hook
from s2sad.frontend.local_functions import LocalFunction
from s2sad.frontend.memory import call_set_mem_info
from s2sad.frontend.numbers import as_tensors
from s2sad.frontend.raising import is_exception
from s2sad.frontend.shown import point_out
from s2sad.frontend.source import Source, source_of
from s2sad.frontend.statements import execute, executes
from s2sad.frontend.static import as_python
from s2sad.frontend.transforms import Pullback, call_transform
from s2sad.frontend.unread import DESCRIBING, READ_MODULES, runs_unread
from s2sad.frontend.writes import rewrite
from s2sad.ir import builder as builders
from s2sad.ir.primitive import Primitive
from s2sad.ir.varying import Unfit, holds_varying

#: Functions that call a transform which they make, and what makes it.
AT_ONCE = {jvp: jvp_call, vjp: vjp_call}
#: Deeper calls are taken for endless recursion, whatever ``max_call_depth`` of the context allows:
#: Python's own stack ends not far behind.
MAX_DEPTH = 200


@evaluates(gast.Call)
def _call(frame: Frame, node: Any) -> Any:
    function = evaluate(frame, node.func)
    args = items(frame, node.args)
    kwargs: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(frame, keyword.value)
        kwargs.update(value if keyword.arg is None else {keyword.arg: value})
    try:
        return call(frame, function, args, kwargs)
    except S2sadError as error:
        point_out(error, frame.location(node), _operands(node, function, args, kwargs))
        raise


def _operands(
    node: Any, function: Any, args: list[Any], kwargs: dict[str, Any]
) -> Iterator[tuple[Any, Any]]:
    """What a call is about, with where it is written: the owner of a method, and the arguments."""
    if isinstance(function, BoundMethod) and isinstance(node.func, gast.Attribute):
        yield node.func.value, function.owner
    if len(args) == len(node.args):  # none is starred
        yield from zip(node.args, args, strict=True)
    yield from ((each.value, kwargs[each.arg]) for each in node.keywords if each.arg is not None)


def call(frame: Frame, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Result of ``function(*args, **kwargs)`` in compiled code.

    Raises
    ------
    S2sadError
        E0101 for what cannot be called there, E0302 when the arguments do not fit.
    """
    meaning = BUILTINS.get(id(function))
    if (meaning is None or function in DESCRIBING) and runs_unread(function, args, kwargs):
        frame.session.guards.is_complete = False
    if meaning is not None:
        return meaning(frame, args, kwargs)
    held = through(function, args, kwargs)
    if held is not None:
        return call(frame, *held)
    if isinstance(function, Primitive):
        _refuse_varying(args, kwargs)
        return function(*args, **kwargs)
    if isinstance(function, Wrapper):
        with frame.session.computing(UNMARKED):
            return call(frame, function.function, args, kwargs)
    if isinstance(function, Choice):
        return branch(
            frame, function.condition, lambda inner: call(inner, function.one, args, kwargs),
            lambda inner: call(inner, function.other, args, kwargs),
        )  # fmt: skip
    if isinstance(function, LocalFunction):
        return _call_local(frame, function, args, kwargs)
    if isinstance(function, Transform):
        return _call_transform(frame, function, args, kwargs)
    if isinstance(function, Pullback):
        return run_ours(function.pull, args, kwargs)
    if isinstance(function, CustomVjp):
        return _call_custom_vjp(frame, function, args, kwargs)
    if isinstance(function, Hook):
        _refuse_varying(args, kwargs)
        bound = fitted(function.name, inspect.signature(function), args, kwargs)
        return call_hook(frame, function, bound.args[0])
    if isinstance(function, Checkpoint):
        _refuse_varying(args, kwargs)
        return call_checkpoint(
            frame, function.memory, args, kwargs,
            lambda given, named: call(frame, function.function, given, named),
        )  # fmt: skip
    if isinstance(function, BoundMethod):
        method, owner = function.function, function.owner
        if method is register_hook:
            return call_register_hook(frame, owner, args, kwargs)
        if method is set_mem_info:
            return call_set_mem_info(frame, owner, args, kwargs)
        if isinstance(method, InPlace):
            return rewrite(frame, owner, lambda held: run_ours(method.value, [held, *args], kwargs))
        return run_ours(method, [owner, *args], kwargs)
    if isinstance(function, Cell):
        return _call_cell(frame, function, args, kwargs)
    if isinstance(function, MethodType):
        if is_of_ops(function.__func__) and is_ours(function.__func__):
            guard_settings(frame, function.__self__)
            return run_ours(function, args, kwargs)
        return call(frame, function.__func__, [function.__self__, *args], kwargs)
    if isinstance(function, FunctionType):
        if function in AT_ONCE:
            transform, given = run_ours(AT_ONCE[function], args, kwargs)
            return _call_transform(frame, transform, list(given), {})
        if is_ours(function):
            return run_ours(function, args, kwargs)
        if is_foreign(function):
            return _call_other(frame, function, args, kwargs)
        return inline(frame, function, args, kwargs)
    if function is Tensor:
        return make_tensor(*as_tensors([args, kwargs]))
    if is_exception(function):
        return as_python(function, *args, **kwargs)
    if isinstance(function, type) and is_of_ops(function):
        return made_here(frame.session, run_ours(function, args, kwargs))
    method = objects.defined(function, "__call__")
    if is_of_ops(method):  # of an object of such a class, or of a class of the user's below it
        return call(frame, _bound(frame, function, method), args, kwargs)
    return _call_other(frame, function, args, kwargs)


CALL.append(call)


def is_ours(function: Callable[..., Any]) -> bool:
    """Whether `function` is s2sad's own and runs on values as it stands; some is read instead."""
    name = function.__module__ or ""
    return name.startswith("s2sad.") and not name.startswith(READ_MODULES)


def is_of_ops(thing: Any) -> bool:
    """Whether `thing`, a class such as GradOperation or a method of one, belongs to `ops`."""
    return (getattr(thing, "__module__", None) or "").startswith("s2sad.ops.")


def _bound(frame: Frame, owner: Any, method: Any) -> Any:
    """The `method` of an object of `ops` that a call means; guarded where its text is read."""
    if is_ours(method) or is_made(frame.session, owner):
        return MethodType(method, owner)
    return frame.session.guards.attribute(owner, "__call__", f"{type(owner).__name__}.__call__")


def guard_settings(frame: Frame, owner: Any) -> None:
    """Let the program depend on what an object of `ops` was made with, which may be changed."""
    if is_made(frame.session, owner):
        return
    for name in getattr(owner, "__dict__", ()):
        if not name.startswith("_"):
            frame.session.guards.attribute(owner, name, f"{type(owner).__name__}.{name}")


def changes_process(function: Callable[..., Any]) -> bool:
    """Whether `function` would be run once, while compiling, in place of once a call."""
    module, name = function.__module__, function.__name__
    return module == generator.__name__ or (module == context.__name__ and name.startswith("set_"))


def registers(function: Callable[..., Any]) -> bool:
    """Whether `function` registers something with a Cell, or takes it away again."""
    return function is HookHandle.remove or getattr(Hooked, function.__name__, None) is function


def is_foreign(function: FunctionType) -> bool:
    """Whether `function` belongs to Python's library or NumPy, whose source is not read."""
    if (function.__module__ or "").partition(".")[0] == "numpy":
        return True
    return locations.is_of_python(function.__code__.co_filename)


def run_ours(function: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Run a function of s2sad on values; arguments that do not fit are the user's (E0302)."""
    _refuse_varying(args, kwargs)
    if changes_process(function):
        raise refusals.of_process(function)
    if registers(function):
        raise fail(
            "E0104", f"{function.__qualname__} changes an object, and not one program",
            help="call it outside of compiled code, where the object is made",
        )  # fmt: skip
    fitted(function.__name__, _signature(function), args, kwargs)
    args, kwargs = as_tensors([args, kwargs])
    return function(*args, **kwargs)


_signature = lru_cache(maxsize=1024)(inspect.signature)


def _call_cell(frame: Frame, cell: Cell, args: list[Any], kwargs: dict[str, Any]) -> Any:
    path = f"{type(cell).__name__}.register_hook"
    hooks = frame.session.guards.attribute(cell, "_hooks", path)
    if not hooks:
        return _compute_cell(frame, cell, args, kwargs)
    _refuse_varying(args, kwargs)

    def run(given: list[Any], named: dict[str, Any]) -> Any:
        return _compute_cell(frame, cell, given, named)

    return call_with_hooks(frame, cell, hooks, args, kwargs, run)


def _compute_cell(frame: Frame, cell: Cell, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What a Cell computes, whatever its hooks."""
    construct = frame.attribute(cell, "construct", f"{type(cell).__name__}.construct").__func__
    mark = frame.attribute(cell, "_precision", f"{type(cell).__name__}._precision") or UNMARKED
    with frame.session.inside(cell, mark):
        args, kwargs = mark.taken(args, kwargs)
        if hasattr(type(cell), "bprop"):
            return mark.given(_call_with_bprop(frame, cell, construct, args, kwargs))
        again = frame.attribute(cell, "_checkpoint", f"{type(cell).__name__}._checkpoint")
        if isinstance(construct, Checkpoint):
            again, construct = (construct.memory,), construct.function
        if again is None:
            return mark.given(inline(frame, construct, [cell, *args], kwargs))
        _refuse_varying(args, kwargs)
        results = call_checkpoint(
            frame, again[0], args, kwargs,
            lambda given, named: inline(frame, construct, [cell, *given], named),
        )  # fmt: skip
        return mark.given(results)


def _call_with_bprop(
    frame: Frame, cell: Cell, construct: FunctionType, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    """A Cell that says its own gradient; keyword arguments take their places first."""
    _refuse_varying(args, kwargs)
    bprop = frame.attribute(cell, "bprop", f"{type(cell).__name__}.bprop").__func__
    _, *given = bind_arguments(construct, [cell, *args], kwargs).values()

    def gradients(values: list[Any], out: Any, dout: Any) -> Any:
        with locations.at(start_of(bprop)):
            bind_arguments(bprop, [cell, *values, out, dout], {})
        return inline(frame, bprop, [cell, *values, out, dout], {})

    rule = Rule(gradients, len(given), bprop.__qualname__, start_of(bprop))
    return call_custom(
        frame, given, lambda values: inline(frame, construct, [cell, *values], {}), rule
    )


def _call_custom_vjp(
    frame: Frame, custom: CustomVjp, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    _refuse_varying(args, kwargs)
    bound = bind(custom, args, kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        names = ", ".join(bound.kwargs)
        message = f"{custom.name} takes arguments by position only, got {names} by name"
        raise fail("E0302", message, help="leave the names out")
    return call_custom_vjp(
        frame, custom, list(bound.args), lambda function, given: call(frame, function, given, {})
    )


def _call_transform(
    frame: Frame, transform: Transform, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    _refuse_varying(args, kwargs)
    if kwargs:  # those that have a position get it
        bound, seeds = bind_through(transform, args, kwargs)
        args, kwargs = [*bound.args, *seeds], bound.kwargs
    ensemble = unwrapped(transform.function)
    if isinstance(ensemble, Ensemble):
        runs = [partial(call, frame, each) for each in ensemble.functions]
        return call_ensemble(frame, transform, args, kwargs, runs)
    return call_transform(
        frame, transform, args, kwargs,
        lambda given, named: call(frame, transform.function, given, named),
    )  # fmt: skip


def inline(frame: Frame, function: FunctionType, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Evaluate the body of a function of the user, in a frame of its own."""
    source = source_of(function)
    caller = _caller(frame, function)
    for defaults in ("__defaults__", "__kwdefaults__"):
        if getattr(function, defaults):
            frame.session.guards.attribute(function, defaults, f"{function.__name__}.{defaults}")
    names = bind_arguments(function, args, kwargs)
    return run_body(_frame_for(frame, source, names, caller), source.node)


def _caller(frame: Frame, function: Any) -> Location | None:
    """Where `function` is called (E0103 when that is too deep)."""
    caller = locations.current.get() if frame.file else None
    depth = min(MAX_DEPTH, context.get_context("max_call_depth"))
    if caller is not None and sum(1 for _ in caller.chain()) > depth:
        raise fail(
            "E0103", f"{name_of(function)} is called more than {depth} deep",
            help="let it end by what is known while compiling, or write a loop",
        )  # fmt: skip
    return caller


@evaluates(gast.Lambda)
def _lambda(frame: Frame, node: Any) -> LocalFunction:
    return LocalFunction(node, frame, lambda default: evaluate(frame, default))


@executes(gast.FunctionDef)
def _define(frame: Frame, node: Any) -> None:
    if any(isinstance(inner, (gast.Yield, gast.YieldFrom)) for inner in gast.walk(node)):
        raise fail(
            "E0101", f"{node.name} is a generator, which cannot be compiled",
            help="build a list, and return it",
        )  # fmt: skip
    function: Any = LocalFunction(node, frame, lambda default: evaluate(frame, default))
    for decorator in reversed(node.decorator_list):
        function = call(frame, evaluate(frame, decorator), [function], {})
    frame.local_names[node.name] = function


def _call_local(
    frame: Frame, function: LocalFunction, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    return run_body(function.inner(frame, args, kwargs, _caller(frame, function)), function.node)


def bind_arguments(
    function: FunctionType, args: list[Any], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Parameters of `function` by name, defaults filled in (E0302 when they do not fit)."""
    signature = inspect.signature(function, follow_wrapped=False)
    bound = fitted(name_of(function), signature, args, kwargs, lambda: start_of(function))
    bound.apply_defaults()
    return dict(bound.arguments)


def _frame_for(frame: Frame, source: Source, names: dict[str, Any], caller: Any) -> Frame:
    function: Any = source.function
    code = function.__code__
    return Frame(
        frame.session, source.file, function.__globals__, source.closure, caller,
        local_names=names, assigned=frozenset((*code.co_varnames, *code.co_cellvars)),
        tree=source.node, called_by=frame,
    )  # fmt: skip


def run_body(frame: Frame, node: Any) -> Any:
    """What a function or a lambda returns in `frame`."""
    trail = frame.session.trail
    trail.enter(node, frame)
    if isinstance(node, gast.Lambda):
        trail.returned[node] = node.body
        return evaluate(frame, node.body)
    leaving = execute(frame, node.body)
    if isinstance(leaving, Open):
        with frame.at(node.body[-1]):
            leaving = returning(leaving)
    trail.returned[node] = None if leaving is None else leaving.node
    if leaving is not None and leaving.kind == "raise":
        raise NeverReturns
    return None if leaving is None else leaving.value


def _call_other(frame: Frame, function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A call of what is neither s2sad's nor a function of the user's."""
    if function is super and not args:
        return _super(frame)
    method = None if isinstance(function, type) else objects.users_method(function, "__call__")
    if method is not None:
        return call(frame, method, [function, *args], kwargs)
    _refuse_varying(args, kwargs)
    objects.refuse_parameter(function)
    if objects.is_empty_init(function) and not args and not kwargs:
        return None
    if objects.makes(function):
        return objects.make(frame, function, args, kwargs, call)
    if isinstance(function, BuiltinFunctionType) and isinstance(function.__self__, list):
        if function.__name__ == "sort":
            return _sort(frame, function.__self__, *args, **kwargs)
    if foreign.is_known(function):
        return foreign.run(frame, function, args, kwargs)
    raise foreign.unknown(function) or refusals.calling(function)


def _sort(frame: Frame, owner: list[Any], *, key: Any = None, reverse: Any = False) -> None:
    require_own(frame, owner)
    owner[:] = in_order(frame, owner, key, reverse)


def make_tensor(args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``Tensor(data, dtype)``: a constant, or what is given in another dtype.

    Raises
    ------
    S2sadError
        E0104 for a list that holds tensors, and those of `Tensor`.
    """
    _refuse_varying(args, kwargs)
    data, *_ = (*args, kwargs.get("input_data"))
    if is_tensor(data):
        dtype = args[1] if len(args) > 1 else kwargs.get("dtype")
        return method_of_tensor("copy" if dtype is None else "astype")(
            data, *([] if dtype is None else [dtype])
        )
    if holds_tensor(data):
        raise fail(
            "E0104", "a Tensor of a list of tensors cannot be compiled",
            help="join them: ops.stack, ops.concat",
        )  # fmt: skip
    made = run_ours(Tensor, args, kwargs)
    return builders.current().value(made.array)


def _refuse_varying(args: list[Any], kwargs: dict[str, Any]) -> None:
    """`Unfit` where an argument is the index of a loop, or was computed with one."""
    if holds_varying(args) or holds_varying(kwargs):
        raise Unfit("an argument that varies from pass to pass")


def _super(frame: Frame) -> Any:
    if "__class__" not in frame.closure or not frame.local_names:
        raise fail("E0101", "super() works in a method only")
    owner = next(iter(frame.local_names.values()))
    return super(frame.closure["__class__"].cell_contents, owner)
