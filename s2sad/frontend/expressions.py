"""What is the value of an expression, when some of it is known while compiling?

Static parts are computed by Python itself. As soon as a tensor takes part, an operation is
emitted instead. Each kind of node has one small function in `EXPRESSIONS`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import gast
import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail, help_of
from s2sad.core.dispatch import slots
from s2sad.core.elsewhere import OF_TENSORS
from s2sad.core.operators import PROPERTIES
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.core.trees import is_record
from s2sad.frontend import index, numbers, objects, refusals, scopes, static, texts
from s2sad.frontend.branches import branch
from s2sad.frontend.carried import shape_of, stored_names
from s2sad.frontend.containers import MUTABLE, is_made, own, own_new
from s2sad.frontend.elements import element
from s2sad.frontend.frame import Frame
from s2sad.frontend.guards import MISSING
from s2sad.frontend.sequences import Once
from s2sad.frontend.shown import point_out, text_of
from s2sad.frontend.static import as_python, require_numbers
from s2sad.frontend.trees import leaves
from s2sad.frontend.unread import runs_unread
from s2sad.frontend.views import require_fresh
from s2sad.ir import builder as builders
from s2sad.ir import dims
from s2sad.ir.graph import Value
from s2sad.ir.varying import Unfit, Varying, holds_varying
from s2sad.prims.cast import cast
from s2sad.prims.shape import counted

EXPRESSIONS: dict[type, Callable[[Frame, Any], Any]] = {}

BINARY = {
    gast.Add: "add", gast.Sub: "sub", gast.Mult: "mul", gast.Div: "truediv",
    gast.FloorDiv: "floordiv", gast.Mod: "mod", gast.Pow: "pow", gast.MatMult: "matmul",
    gast.BitAnd: "and", gast.BitOr: "or", gast.BitXor: "xor", gast.LShift: "lshift",
    gast.RShift: "rshift",
}  # fmt: skip
UNARY = {gast.USub: "neg", gast.UAdd: "pos", gast.Invert: "invert"}
COMPARE = {
    gast.Lt: "lt", gast.LtE: "le", gast.Gt: "gt", gast.GtE: "ge", gast.Eq: "eq", gast.NotEq: "ne"
}  # fmt: skip
STATIC_COMPARE: dict[type, Callable[[Any, Any], bool]] = {
    gast.Is: operator.is_,
    gast.IsNot: operator.is_not,
    gast.In: lambda x, y: x in y,
    gast.NotIn: lambda x, y: x not in y,
}  # fmt: skip
ORDERING = frozenset(COMPARE.values())
#: ``call(frame, function, args, kwargs)``, for operators and properties; filled by `calls`.
CALL: list[Callable[..., Any]] = []
#: ``stored(session, owner, name, default)``: what the program has assigned; filled by `stores`.
STORED: list[Callable[..., Any]] = []
#: Of a Tensor, what is known while compiling.
ATTRIBUTES = ("shape", "dtype", "ndim", "size", "itemsize", "nbytes")
FUNCTIONS = {name: getattr(operator, name) for name in dir(operator) if not name.startswith("_")}
FUNCTIONS |= {"and": operator.and_, "or": operator.or_}


def evaluates(*kinds: type) -> Callable[[Callable[[Frame, Any], Any]], Callable[[Frame, Any], Any]]:
    """Register the function that evaluates nodes of `kinds`."""

    def register(function: Callable[[Frame, Any], Any]) -> Callable[[Frame, Any], Any]:
        EXPRESSIONS.update(dict.fromkeys(kinds, function))
        return function

    return register


def evaluate(frame: Frame, node: Any) -> Any:
    """Value of the expression `node`: a value of the IR, a tensor, or a static object.

    Raises
    ------
    S2sadError
        E0101 for an expression that compiled code may not contain, and whatever the
        expression's parts raise, located at them.
    """
    with frame.at(node):
        handler = EXPRESSIONS.get(type(node))
        if handler is None:
            raise refusals.construct(node)
        return handler(frame, node)


def is_tensor(value: Any) -> bool:
    """Whether `value` depends on tensor data."""
    return isinstance(value, (Value, Tensor))


def operate(frame: Frame, name: str, *operands: Any) -> Any:
    """A Python operator: static on static operands, the prims' in strict code, else MindSpore's."""
    if not frame.strict:
        operands = numbers.with_sizes(name, operands)
    if numbers.are_numbers(operands):
        found = numbers.operate(name, operands)
        if found is not None:
            return found
    if any(isinstance(x, Varying) for x in operands):
        return index.operate(name, operands, method_of_tensor)
    written = None if frame.strict else objects.operator_of(operands, name)
    if written is not None:
        return CALL[0](frame, *written, {})
    for operand in operands:
        if isinstance(operand, BoundMethod):
            called = f"call it: x.{operand.name}(...)"
            raise fail("E0304", f"{shown(operand)} is no Tensor", help=called)
    if not any(is_tensor(x) for x in operands):
        if name in ORDERING and any(map(holds_tensor, operands)):
            return _compare_containers(frame, name, *operands)
        return own_new(frame.session, as_python(FUNCTIONS[name], *operands))
    if frame.strict:
        return FUNCTIONS[name](*operands)
    is_format = name == "mod" and isinstance(operands[0], str)
    if is_format or any(isinstance(x, texts.Text) for x in operands):
        raise texts.unknown()
    if any(isinstance(x, np.ndarray) for x in operands):  # known by now: a constant
        operands = tuple(as_constant(x) for x in operands)
    return method_of_tensor(f"__{name}__")(*numbers.as_tensors(operands))


def as_constant(operand: Any) -> Any:
    """A NumPy array as the Tensor that eager code makes of it."""
    if not isinstance(operand, np.ndarray):
        return operand
    return builders.current().value(Tensor(operand).array)


def holds_tensor(value: Any) -> bool:
    """Whether `value` is a tensor, or a container with one in it."""
    if isinstance(value, (tuple, list, dict)) or is_record(value):
        return any(is_tensor(leaf) for leaf in leaves(value))
    return is_tensor(value)


def _compare_containers(frame: Frame, name: str, one: Any, other: Any) -> bool:
    """``==`` and ``!=`` of containers with tensors in them, as far as no tensor decides."""
    if name in ("eq", "ne"):
        if (
            type(one) is not type(other)
            or len(one) != len(other)
            or shape_of(one) != shape_of(other)
        ):
            return name == "ne"
        if all(x is y for x, y in zip(leaves(one), leaves(other), strict=True)):
            return name == "eq"
    raise fail(
        "E0305", "this must be known while compiling, and depends on tensors in a container",
        help="compare the tensors one by one",
    )  # fmt: skip


def method_of_tensor(name: str) -> Callable[..., Any]:
    """MindSpore's operator or method `name` of a Tensor (E0220 when there is none)."""
    methods = slots().tensor_methods
    if name in methods:
        return methods[name]
    if name.startswith("__"):
        raise fail("E0220", f"Tensor has no operator {name.strip('_')!r} in compiled code")
    if name in OF_TENSORS:
        near = OF_TENSORS[name]
    elif hasattr(Tensor, name):
        near = "it asks what the Tensor holds: do so with what the compiled function returns"
    else:
        near = did_you_mean(name, [*ATTRIBUTES, *(m for m in methods if not m.startswith("__"))])
    raise fail("E0220", f"Tensor has no attribute {name!r} in compiled code", help=near)


@evaluates(gast.Constant)
def _constant(frame: Frame, node: Any) -> Any:
    return node.value


@evaluates(gast.Name)
def _name(frame: Frame, node: Any) -> Any:
    value = frame.lookup(node.id)
    require_fresh(frame, node.id, value)
    return value


@evaluates(gast.Tuple)
def _tuple(frame: Frame, node: Any) -> tuple[Any, ...]:
    return tuple(items(frame, node.elts))


@evaluates(gast.List)
def _list(frame: Frame, node: Any) -> list[Any]:
    return own(frame.session, items(frame, node.elts))


def items(frame: Frame, nodes: list[Any]) -> list[Any]:
    """Values of `nodes`, starred ones spread."""
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, gast.Starred):
            found.extend(static_iterable(evaluate(frame, node.value)))
        else:
            found.append(evaluate(frame, node))
    return found


@evaluates(gast.Dict)
def _dict(frame: Frame, node: Any) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            found.update(evaluate(frame, value))
        else:
            found[require_static(evaluate(frame, key), "dict")] = evaluate(frame, value)
    return own(frame.session, found)


@evaluates(gast.BinOp)
def _binary(frame: Frame, node: Any) -> Any:
    left, right = evaluate(frame, node.left), evaluate(frame, node.right)
    try:
        return operate(frame, BINARY[type(node.op)], left, right)
    except S2sadError as error:
        point_out(error, frame.location(node), [(node.left, left), (node.right, right)])
        raise


@evaluates(gast.UnaryOp)
def _unary(frame: Frame, node: Any) -> Any:
    value = evaluate(frame, node.operand)
    if isinstance(node.op, gast.Not):
        return _negated(frame, value)
    try:
        return operate(frame, UNARY[type(node.op)], value)
    except S2sadError as error:
        point_out(error, frame.location(node), [(node.operand, value)])
        raise


def _not(frame: Frame, value: Any) -> Any:
    condition = data_condition(frame, value)
    return not truth(value) if condition is None else p.logical_not(condition)


@evaluates(gast.Compare)
def _compare(frame: Frame, node: Any) -> Any:
    parts = [node.left, *node.comparators]
    return _compare_chain(frame, node, evaluate(frame, node.left), node.ops, parts)


def _compare_chain(frame: Frame, node: Any, left: Any, ops: list[Any], parts: list[Any]) -> Any:
    """``left < a < b``: each part is evaluated once, and none after the first that fails."""
    first, second, *_ = parts
    right = evaluate(frame, second)
    try:
        result = _compare_two(frame, ops[0], left, right)
    except S2sadError as error:
        point_out(error, frame.location(node), [(first, left), (second, right)])
        raise
    if not ops[1:]:
        return result
    condition = data_condition(frame, result)
    if condition is None:
        rest = ops[1:], parts[1:]
        return _compare_chain(frame, node, right, *rest) if truth(result) else result
    return branch(
        frame, condition, lambda inner: _compare_chain(inner, node, right, ops[1:], parts[1:]),
        lambda inner: result, parts[2:],
    )  # fmt: skip


def _compare_two(frame: Frame, op: Any, left: Any, right: Any) -> Any:
    if type(op) in STATIC_COMPARE:
        if frame.session.kept_loops and is_tensor(left) and is_tensor(right):
            raise Unfit("whether tensors are the same object, which may differ between passes")
        if isinstance(op, (gast.In, gast.NotIn)):
            found = _contains(frame, left, right)
            return found if isinstance(op, gast.In) else _negated(frame, found)
        return STATIC_COMPARE[type(op)](left, right)
    if frame.strict and isinstance(op, (gast.Eq, gast.NotEq)) and is_tensor(left):
        raise fail("E0101", "`==` compares identities here; call `equal`")
    return operate(frame, COMPARE[type(op)], left, right)


def _contains(frame: Frame, value: Any, owner: Any) -> Any:
    """``value in owner``; in a Tensor it is one element of bool."""
    if is_tensor(owner):
        return method_of_tensor("any")(operate(frame, "eq", owner, value))
    method = objects.users_method(owner, "__contains__")
    if method is not None:
        return truth(CALL[0](frame, method, [owner, value], {}))
    if isinstance(owner, dict) and not is_tensor(value):
        return as_python(operator.contains, owner, value)
    if not is_tensor(value) and not holds_tensor(owner):
        return as_python(operator.contains, owner, value)
    found: Any = False
    for item in static_iterable(owner):
        if item is value:
            return True
        if not is_tensor(item) and not is_tensor(value):
            same = truth(operate(frame, "eq", item, value))
        else:
            same = operate(frame, "eq", item, value) if _comparable(item, value) else False
        if same is True:
            return True
        if same is not False:
            condition = data_condition(frame, same)
            found = condition if found is False else p.logical_or(found, condition)
    return found


def _comparable(one: Any, other: Any) -> bool:
    """Whether one of them is a tensor, and the other a tensor or a number."""
    return all(is_tensor(x) or isinstance(x, (bool, int, float)) for x in (one, other))


def _negated(frame: Frame, value: Any) -> Any:
    condition = data_condition(frame, value)
    return not truth(value) if condition is None else p.logical_not(condition)


@evaluates(gast.BoolOp)
def _boolean(frame: Frame, node: Any) -> Any:
    return _boolean_parts(frame, isinstance(node.op, gast.Or), node.values)


def _boolean_parts(frame: Frame, is_or: bool, parts: list[Any]) -> Any:
    """``and`` and ``or``, which evaluate no more parts than they need, also on data."""
    first, *rest = parts
    value = evaluate(frame, first)
    if not rest:
        return value
    condition = data_condition(frame, value)
    if condition is None:
        return value if truth(value) == is_or else _boolean_parts(frame, is_or, rest)

    def kept(inner: Frame) -> Any:
        return value

    def others(inner: Frame) -> Any:
        return _boolean_parts(inner, is_or, rest)

    then, orelse = (kept, others) if is_or else (others, kept)
    return branch(frame, condition, then, orelse, rest)


def evaluate_test(frame: Frame, node: Any) -> Any:
    """Value of a condition, of which only the truth counts: parts of it may be of several types."""
    with frame.at(node):
        if isinstance(node, gast.BoolOp):
            return _boolean_test(frame, isinstance(node.op, gast.Or), node.values)
        if isinstance(node, gast.UnaryOp) and isinstance(node.op, gast.Not):
            return _not(frame, evaluate_test(frame, node.operand))
        return evaluate(frame, node)


def _boolean_test(frame: Frame, is_or: bool, parts: list[Any]) -> Any:
    first, *rest = parts
    value = evaluate_test(frame, first)
    if not rest:
        return value
    condition = data_condition(frame, value)
    if condition is None:
        return value if truth(value) == is_or else _boolean_test(frame, is_or, rest)

    def kept(inner: Frame) -> bool:
        return is_or

    def others(inner: Frame) -> Any:
        found = _boolean_test(inner, is_or, rest)
        other = data_condition(inner, found)
        return truth(found) if other is None else other

    then, orelse = (kept, others) if is_or else (others, kept)
    return branch(frame, condition, then, orelse, rest)


@evaluates(gast.IfExp)
def _conditional(frame: Frame, node: Any) -> Any:
    test = evaluate_test(frame, node.test)
    condition = data_condition(frame, test)
    if condition is None:
        is_true = frame.session.trail.take(node, truth(test))
        return evaluate(frame, node.body if is_true else node.orelse)
    return branch(
        frame, condition, lambda inner: evaluate(inner, node.body),
        lambda inner: evaluate(inner, node.orelse), [node.body, node.orelse],
    )  # fmt: skip


def data_condition(frame: Frame, test: Any) -> Value | None:
    """The condition of a branch or a loop as a scalar bool; None when it is static.

    A tensor of one element counts, whatever its shape; a number that is not 0 is true.

    Raises
    ------
    S2sadError
        E0304 for a tensor of several elements.
    """
    if not is_tensor(test):
        return None
    value = builders.current().value(test)
    if dims.same(value.tensor_type.size, 1) is not True:
        raise fail(
            "E0304", f"a condition is one element, got {value.type}", label=str(value.type),
            help="reduce it first: `.any()` or `.all()`",
        )  # fmt: skip
    if value.ndim:
        value = p.reshape(value, shape=())
    return value if value.dtype is dtypes.bool_ else p.not_equal(value, 0)


class Range:
    """``range`` with a bound that is a tensor, or a symbol: its values are i64."""

    def __init__(self, *args: Any) -> None:
        start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1)[:3]
        self.bounds = _index(start), _index(stop), _index(step)


def _index(bound: Any) -> Value:
    """A bound of `range` as an i64 value (E0304 unless it is one integer)."""
    if isinstance(bound, dims.Symbolic):
        return counted(bound, dtypes.int64)
    value = builders.current().value(bound)
    if not value.dtype.is_integer or dims.same(value.tensor_type.size, 1) is not True:
        raise fail(
            "E0304", f"`range` takes integers, got {value.type}",
            help="give one integer: n.astype(int64) of one element",
        )  # fmt: skip
    value = p.reshape(value, shape=()) if value.ndim else value
    return value if value.dtype is dtypes.int64 else cast(value, dtype=dtypes.int64)


def truth(value: Any) -> bool:
    """Whether a static value counts as true.

    Raises
    ------
    S2sadError
        E0305 for a tensor.
    """
    if is_tensor(value):
        raise fail(
            "E0305", "this must be known while compiling, and depends on tensor data",
            label=shown(value), help="take all of them, and choose with ops.where",
        )  # fmt: skip
    return as_python(bool, value)


def static_iterable(value: Any) -> Any:
    """`value`, whose length must be known while compiling; of a tensor its slices, one by one.

    Raises
    ------
    S2sadError
        E0304 for a tensor without axes.
    """
    if not is_tensor(value):
        as_python(iter, value)
        return value
    if not value.ndim:
        raise fail(
            "E0304", "a 0-d Tensor cannot be iterated over",
            help="go through `range(n)`, or through a Tensor with an axis",
        )  # fmt: skip
    return method_of_tensor("unbind")(value)


@evaluates(gast.Attribute)
def _attribute(frame: Frame, node: Any) -> Any:
    owner = evaluate(frame, node.value)
    return attribute_of(frame, owner, node.attr, text_of(node))


def attribute_of(frame: Frame, owner: Any, name: str, path: str) -> Any:
    """``owner.name``, which the user wrote as `path`; a property is read as a function is.

    Raises
    ------
    S2sadError
        E0220 when there is none, E0107 for a tensor that may have changed since it was put there.
    """
    if isinstance(owner, Varying):
        raise Unfit("an attribute of a number")
    if isinstance(owner, texts.Text):
        raise texts.unknown()
    if isinstance(owner, dims.Symbolic):
        require_numbers(owner)
    own = isinstance(owner, Tensor) and name in ("name", "requires_grad")
    if is_tensor(owner) and not own:
        return _attribute_of_tensor(owner, name)
    assigned = STORED[0](frame.session, owner, name, MISSING)
    if assigned is not MISSING:
        return assigned
    getter = objects.getter(owner, name)
    if getter is not None:
        if not is_made(frame.session, owner):
            frame.session.guards.getter(owner, name, path)
        return CALL[0](frame, getter, [owner], {})
    if is_made(frame.session, owner) and not isinstance(owner, MUTABLE):
        value = own_attribute(owner, name, path)
    else:
        value = frame.attribute(owner, name, path)
    require_fresh(frame, path, value)
    return value


def own_attribute(owner: Any, name: str, path: str) -> Any:
    """``owner.name`` of an object that compiled code has made, which needs no guard."""
    try:
        return as_python(getattr, owner, name)
    except AttributeError as error:
        raise fail(
            "E0220", f"{path.rpartition('.')[0]} ({type(owner).__name__}) has no attribute "
            f"{name!r}", help=help_of(error) or did_you_mean(name, dir(owner)),
        ) from None  # fmt: skip


def is_a(value: Any, kind: Any) -> bool:
    """``isinstance(value, kind)``, where a value is a Tensor or a number, a size an int."""
    if isinstance(value, (Value, dims.Symbolic)):
        return issubclass(numbers.kind_of(value), kind)
    return isinstance(value, kind)


def _attribute_of_tensor(owner: Any, name: str) -> Any:
    if name in ("shape", "dtype", "ndim"):
        return getattr(owner, name)
    if name == "size":
        return dims.size(owner.shape)
    if name in ("itemsize", "nbytes"):
        return owner.dtype.itemsize * (dims.size(owner.shape) if name == "nbytes" else 1)
    if name in PROPERTIES:
        return method_of_tensor(name)(owner)
    return BoundMethod(method_of_tensor(name), owner, name)


class BoundMethod:
    """A method of a tensor, not called yet."""

    def __init__(self, function: Callable[..., Any], owner: Any, name: str) -> None:
        self.function = function
        self.owner = owner
        self.name = name

    def __shown__(self) -> str:
        return f"the method {self.name}"


@evaluates(gast.Subscript)
def _subscript(frame: Frame, node: Any) -> Any:
    owner, key = evaluate(frame, node.value), evaluate(frame, node.slice)
    try:
        return item_of(frame, owner, key, text_of(node))
    except S2sadError as error:
        if is_tensor(owner):
            point_out(error, frame.location(node), [(node.value, owner), (node.slice, key)])
        raise


def item_of(frame: Frame, owner: Any, key: Any, path: str) -> Any:
    """``owner[key]``, which the user wrote as `path`."""
    if is_tensor(owner):
        return item_of_tensor(owner, key)
    method = objects.users_method(owner, "__getitem__")
    if method is not None:
        return CALL[0](frame, method, [owner, key], {})
    item = _item_at(owner, key) if is_tensor(key) else static.item(owner, key)
    require_fresh(frame, path, item)
    is_new = isinstance(key, slice) or isinstance(owner, np.ndarray)
    return own_new(frame.session, item) if is_new else item


def item_of_tensor(tensor: Any, key: Any) -> Any:
    """``tensor[key]``."""
    if holds_varying(key):
        return element(tensor, key, method_of_tensor)
    return method_of_tensor("__getitem__")(tensor, key)


def _item_at(owner: Any, index: Any) -> Any:
    """Item of a static container at an index that is data: one of tensors of equal types."""
    if not isinstance(owner, (tuple, list)) or not owner or not all(map(is_tensor, owner)):
        raise fail(
            "E0305", f"the index of a {type(owner).__name__} must be known while compiling, "
            "but for tuples and lists of Tensors", label=shown(owner),
            help="index a Tensor of the numbers: Tensor(numbers)[i], or ops.stack(tensors)[i]",
        )  # fmt: skip
    types = [str(builders.current().value(item).type) for item in owner]
    if len(set(types)) > 1:
        raise fail(
            "E0306", f"the items of a {type(owner).__name__} whose index is data have one type, "
            f"got {types[0]} and {next(x for x in types if x != types[0])}",
            help="cast or reshape them before, or choose with `if`",
        )  # fmt: skip
    return method_of_tensor("__getitem__")(p.stack(*owner), p.reshape(index, shape=()))


@evaluates(gast.Slice)
def _slice(frame: Frame, node: Any) -> slice:
    parts = [None if p is None else evaluate(frame, p) for p in (node.lower, node.upper, node.step)]
    return slice(*parts)


@evaluates(gast.ListComp)
def _list_comprehension(frame: Frame, node: Any) -> list[Any]:
    return own(frame.session, list(_generate(frame, (node.elt,), node.generators, "list")))


@evaluates(gast.GeneratorExp)
def _generator(frame: Frame, node: Any) -> Once:
    return Once(_generate(frame, (node.elt,), node.generators, "generator"), "generator")


@evaluates(gast.DictComp)
def _dict_comprehension(frame: Frame, node: Any) -> dict[Any, Any]:
    entries = _generate(frame, (node.key, node.value), node.generators, "dict")
    return own(frame.session, {require_static(key, "dict"): value for key, value in entries})


@evaluates(gast.SetComp)
def _set_comprehension(frame: Frame, node: Any) -> set[Any]:
    return own(frame.session, a_set(_generate(frame, (node.elt,), node.generators, "set")))


@evaluates(gast.Set)
def _set(frame: Frame, node: Any) -> set[Any]:
    return own(frame.session, a_set(items(frame, node.elts)))


def a_set(items: Any) -> set[Any]:
    """``set(items)``, of what is known while compiling (E0305)."""
    return as_python(set, [require_static(item, "set") for item in items])


def require_static(value: Any, what: str) -> Any:
    """`value` as an item of a set or a key of a dict, which no tensor can be (E0305)."""
    if holds_tensor(value):
        kind = "an item of a set" if what == "set" else "a key of a dict"
        raise fail(
            "E0305", f"{kind} must be known while compiling, and this is a tensor",
            label=shown(value), help="keep tensors in a list or a tuple: (a, b)",
        )  # fmt: skip
    require_numbers(value)
    return value


def _generate(frame: Frame, parts: Any, generators: list[Any], what: str) -> Iterator[Any]:
    """What a comprehension makes: a value, or a tuple of them where it has several `parts`."""
    if not generators:
        one, *more = (evaluate(frame, part) for part in parts)
        yield (one, *more) if more else one
        return
    first, *rest = generators
    for item in static_iterable(evaluate(frame, first.iter)):
        inner = inner_frame(frame, first.target, item)
        if all(_keeps(inner, test, what) for test in first.ifs):
            yield from _generate(inner, parts, rest, what)


def _keeps(frame: Frame, test: Any, what: str) -> bool:
    """Whether an item is kept (E0305 where that depends on data: so would the length)."""
    with frame.at(test):
        value = evaluate(frame, test)
        if is_tensor(value):
            raise fail(
                "E0305", f"the length of this {what} would depend on tensor data",
                label=shown(value), help="keep all, and choose with ops.where(c, x, 0)",
            )  # fmt: skip
        return truth(value)


def inner_frame(frame: Frame, target: Any, item: Any) -> Frame:
    """`frame` with the loop variable of a comprehension bound."""
    inner = Frame(
        frame.session, frame.file, frame.global_names, frame.closure, frame.caller, frame.strict,
        dict(frame.local_names), frame.assigned, enclosing=frame.enclosing, called_by=frame,
        comprehended=frozenset(stored_names([target])),
    )  # fmt: skip
    bind(inner, target, item)
    return inner


def bind(frame: Frame, target: Any, value: Any) -> None:
    """Assign `value` to the target of an assignment or a loop.

    A value of the IR without a name takes the name of its first variable.
    """
    if isinstance(target, gast.Name):
        named(frame, target.id, value)
        scopes.assign(frame, target.id, value)
    elif isinstance(target, (gast.Tuple, gast.List)):
        _unpack(frame, target.elts, value)
    else:
        with frame.at(target):
            TARGETS[type(target)](frame, target, value)


def named(frame: Frame, name: str, value: Any) -> None:
    """Let data without a name be called after the variable `name`."""
    if isinstance(value, (Value, Varying)):
        frame.name(value.value if isinstance(value, Varying) else value, name)


#: What assigning to an item or an attribute does; filled by `writes`.
TARGETS: dict[type, Callable[[Frame, Any, Any], None]] = {}


TARGETS_NEEDED = "write as many targets as there are values, or a starred one: first, *rest"


def _unpack(frame: Frame, targets: list[Any], value: Any) -> None:
    values = list(static_iterable(value))
    stars = [i for i, target in enumerate(targets) if isinstance(target, gast.Starred)]
    if stars:
        first, after = stars[0], len(targets) - stars[0] - 1
        if len(values) < first + after:
            message = f"at least {first + after} values needed, got {len(values)}"
            raise fail("E0404", message, label=shown(value), help=TARGETS_NEEDED)
        stop = len(values) - after
        values = [*values[:first], values[first:stop], *values[stop:]]
        targets = [t.value if isinstance(t, gast.Starred) else t for t in targets]
    if len(targets) != len(values):
        message = f"{len(targets)} targets, but {len(values)} values"
        raise fail("E0404", message, label=shown(value), help=TARGETS_NEEDED)
    for target, part in zip(targets, values, strict=True):
        bind(frame, target, part)


@evaluates(gast.JoinedStr)
def _f_string(frame: Frame, node: Any) -> str | texts.Text:
    """What shows tensors is a text of its own kind."""
    return texts.joined([_part(frame, part) for part in node.values])


def _part(frame: Frame, node: Any) -> str | texts.Text:
    value = evaluate(frame, node)
    return value if isinstance(value, texts.Text) else str(value)


@evaluates(gast.FormattedValue)
def _formatted(frame: Frame, node: Any) -> str | texts.Text:
    value = evaluate(frame, node.value)
    spec = evaluate(frame, node.format_spec) if node.format_spec else ""
    is_size = isinstance(value, dims.Symbolic) or texts.is_open_shape(value)
    if is_size or holds_tensor(value) or isinstance(value, texts.Text):
        return texts.text_of(value, spec, {-1: str, 115: str}.get(node.conversion, repr))
    if runs_unread(format, [value], {}):
        frame.session.guards.is_complete = False
    conversion = {-1: lambda x: x, 115: str, 114: repr, 97: ascii}[node.conversion]
    return as_python(format, conversion(value), spec)
