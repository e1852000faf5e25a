"""How is the table of `docs/ascend.md` made? ``make ascend`` lowers all primitives anew."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import s2sad as ms
from s2sad import prims as p
from s2sad.backends.ascend.checking import check
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.graph import OPERATION, Model
from s2sad.backends.ascend.lowering.optimizer import UPDATES
from s2sad.backends.ascend.lowering.program import lower
from s2sad.compiler import program_for_engine
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.types import TensorType, Token, bool_, f32, type_of
from support.graph_files import Net, train_step
from support.laws import promise, recast
from support.specs import all_specs

PAGE = Path(__file__).parents[3] / "docs" / "ascend.md"
HEADING = "## Every primitive\n"
ABOUT = """
`make ascend` lowers the calls of each primitive that its law tests make, in every dtype that its
type rule takes, and writes this table; a test holds it to what is there, and every graph to the
checks above. *Direct* is one operator, *composed* a few that a rule puts together; *decomposed* is
a composite that becomes the primitives of its body first; *no operator* is a constant, or what it
was given. Constants, and casts and reshapes beside other operators, are left out. Under *not in*
stand dtypes in which no call is taken (E0301).

| primitive | becomes | operators of GE | not in |
|---|---|---|---|
"""

#: Why there is nothing in GE for a primitive, or nothing left of it.
NONE = {
    "checkpoint": "its body is in its place when a program is complete",
    "cofactor": "GE has no operator for it",
    "custom": "its body, or its own gradient, is in its place when a program is complete",
    "fused": "kernels of the C backend",
    "hook": "it calls Python on the host",
    "linear_recurrence": "GE has no operator for it; a loop of the program is one",
    "queue_keep": "it gives state to the host between the steps of a sunk loop",
    "queue_next": "the engine of a sunk loop takes batches itself",
    "queue_read": "the engine of a sunk loop takes batches itself",
    "queue_report": "the engine of a sunk loop gives results itself",
    "summarize": "it tells the host of a tensor",
    "transform": "grad, vmap and the like, which are carried out before",
}
WAYS = ("direct", "composed", "decomposed", "no operator")
#: The dtype whose calls are shown.
USUAL = "Float32"
#: Operators that do not bear the mark of the primitive that they stand for.
OWN = {"const": "Const"}
#: Operators that stand beside others without being what a primitive becomes.
BESIDE = ("Const", "Data", "RefData", "NetOutput")
HELPERS = ("Cast", "Reshape")


@dataclass
class Row:
    """What was found of a primitive.

    Attributes
    ----------
    ways : Counter of str
        How calls of it were lowered.
    operators : dict of str to dict of str
        By the way: those of all direct calls, else those of the first, in float32 if there is one.
    usual : set of str
        Ways of which it is one in float32.
    taken, refused : set of str
        Dtypes of calls.
    findings : list
        What the checks say of all of them.
    """

    ways: Counter[str] = field(default_factory=Counter)
    operators: dict[str, dict[str, None]] = field(default_factory=dict)
    usual: set[str] = field(default_factory=set)
    taken: set[str] = field(default_factory=set)
    refused: set[str] = field(default_factory=set)
    findings: list[Any] = field(default_factory=list)


def text() -> str:
    """The page, with a new table."""
    head = PAGE.read_text(encoding="utf-8").partition(HEADING)[0]
    return "".join([head, HEADING, ABOUT, *(_line(name, row) for name, row in rows().items())])


def _line(name: str, row: Row) -> str:
    if not row.ways:
        return f"| `{name}` | none: {NONE.get(name, '?')} | | |\n"
    ways = [way for way in WAYS if row.ways[way]]
    used = "; or ".join(", ".join(row.operators[way]) for way in ways if row.operators[way])
    refused = sorted(row.refused - row.taken)
    return f"| `{name}` | {', or '.join(ways)} | {used} | {', '.join(refused)} |\n"


@cache
def rows() -> dict[str, Row]:
    """What is found of every primitive."""
    found = {name: Row() for name in sorted(p.ALL)}
    for name, function in calls():
        _look(found[name], name, function)
    return found


def _look(row: Row, name: str, function: Function) -> None:
    dtype = _dtype(function)
    try:
        model = lower(function, "call").model
    except S2sadError as error:
        assert error.code in ("E0301", "E0712"), error
        row.refused |= {dtype} if error.code == "E0301" else set()
        return
    main = _operators(model, name)
    way = "direct" if len(main) == 1 else "composed" if main else "no operator"
    if not main and p.ALL[name].is_composite:
        way, main = "decomposed", _operators(model, None)
    row.ways[way] += 1
    row.taken.add(dtype)
    if way == "direct":
        row.operators.setdefault(way, {}).update(dict.fromkeys(main))
    elif way not in row.operators or (dtype == USUAL and way not in row.usual):
        row.operators[way] = dict.fromkeys(main)
        row.usual |= {way} if dtype == USUAL else set()
    row.findings += check(decode(encode(model)))


def _operators(model: Model, name: str | None) -> list[str]:
    """Types of the nodes that stand for a primitive, or of all that are no inputs and constants."""
    own = OWN.get(name or "")
    kinds = {
        node.type: None
        for graph in model.graphs.values()
        for node in graph.nodes.values()
        if node.type == own or (node.type not in BESIDE and name in (None, node.value(OPERATION)))
    }
    return [kind for kind in kinds if kind not in HELPERS] or list(kinds)


def _dtype(function: Function) -> str:
    types = [value.type for value in (*function.args, *function.results)]
    return next((str(t.dtype) for t in types if isinstance(t, TensorType)), "")


# ---- calls of every primitive -------------------------------------------------------------------


def calls() -> Iterator[tuple[str, Function]]:
    """A primitive's name, and a function that calls it."""
    for spec in all_specs():
        for operands in recast(spec.operands):
            types = [type_of(x) for x in operands]
            if spec.prim.regions or promise(spec.prim, types, spec.attrs) is None:
                continue
            function = build_function(lambda *v, s=spec: s.prim(*v, **s.attrs), types)
            yield spec.prim.name, function
            if spec.prim.name in UPDATES:
                yield spec.prim.name, _in_place(function)
    yield from _volumes()
    yield from _effects()
    yield from _control()


def _volumes() -> Iterator[tuple[str, Function]]:
    """Windows over three spatial axes, which other operators of GE compute."""
    x, w, y, small = f32[2, 4, 4, 4, 4], f32[4, 4, 2, 2, 2], f32[2, 4, 3, 3, 3], f32[2, 4, 2, 2, 2]
    size, gaps = (4, 4, 4), {"kernel": 2, "dilation": 2}
    made: Sequence[tuple[str, Callable, Sequence]] = [
        ("conv", lambda x, w: p.conv(x, w), (x, w)),
        ("conv_input_grad", lambda w, dy: p.conv_input_grad(dy, w, input_shape=size), (w, y)),
        ("conv_filter_grad", lambda x, dy: p.conv_filter_grad(x, dy, kernel_shape=(2, 2, 2)),
         (x, y)),
        ("max_pool", lambda x: p.max_pool(x, kernel=2), (x,)),
        ("max_pool", lambda x: p.max_pool(x, **gaps), (x,)),
        ("max_pool_argmax", lambda x: p.max_pool_argmax(x, kernel=2), (x,)),
        ("max_pool_grad", lambda x, dy: p.max_pool_grad(x, dy, kernel=2), (x, y)),
        ("max_pool_grad", lambda x, dy: p.max_pool_grad(x, dy, **gaps), (x, small)),
        ("avg_pool", lambda x: p.avg_pool(x, kernel=2), (x,)),
        ("avg_pool_grad", lambda dy: p.avg_pool_grad(dy, input_shape=size, kernel=2), (y,)),
    ]  # fmt: skip
    for name, write, types in made:
        yield name, build_function(write, list(types))


def _in_place(function: Function) -> Function:
    """The update as a program has it: what it writes is state."""
    function = clone(function)
    function.donates.update((i, i) for i in range(len(function.results)))
    return function


def _effects() -> Iterator[tuple[str, Function]]:
    x, shape = f32[4, 6], f32[6]
    made: dict[str, tuple[Callable, Sequence]] = {
        "all_gather": (lambda t, v: p.all_gather(t, v, axis=0, size=2), (Token, x)),
        "all_reduce": (lambda t, v: p.all_reduce(t, v, size=2), (Token, x)),
        "all_to_all": (
            lambda t, v: p.all_to_all(t, v, split_axis=0, concat_axis=1, size=2), (Token, x)),
        "assert_": (lambda t, c: p.assert_(t, c, message="no"), (Token, bool_[()])),
        "barrier": (lambda v: p.barrier(v), (x,)),
        "broadcast": (lambda t, v: p.broadcast(t, v, root=0, size=2), (Token, x)),
        "check_finite": (lambda t, v: p.check_finite(t, v, what="x"), (Token, x)),
        "const": (lambda v: p.add(v, p.const(np.zeros(6, np.float32), shape)), (shape,)),
        "print_": (lambda t, v: p.print_(t, v, format="{}"), (Token, x)),
        "raise_": (lambda t, v: p.raise_(t, v, kind="ValueError", message="{}"), (Token, x)),
        "receive": (lambda t: p.receive(t, source=1, type=x, size=2), (Token,)),
        "reduce_scatter": (lambda t, v: p.reduce_scatter(t, v, axis=1, size=2), (Token, x)),
        "send": (lambda t, v: p.send(t, v, to=1, size=2), (Token, x)),
        "stop_gradient": (lambda v: p.stop_gradient(v), (x,)),
    }  # fmt: skip
    for name, (write, types) in made.items():
        yield name, build_function(write, list(types))


def _counted(x, n):
    for i in range(n):
        x = x * i
    return x


def _repeated(x, n):
    i = 0
    while i < n:
        x = ms.ops.tanh(x * x)
        i = i + 1
    return x.sum()


def _chosen(x, n):
    if n > 0:
        return x + n
    return x


def _control() -> Iterator[tuple[str, Function]]:
    """Programs of users, for what no call alone makes."""
    args = (ms.Tensor([0.5, 1.0]), ms.Tensor(3))
    programs = {
        "for_": _counted, "if_": _chosen, "while_": _repeated,
        **dict.fromkeys(("stack_empty", "stack_push", "stack_pop", "stack_drop"),
                        ms.grad(_repeated)),
    }  # fmt: skip
    for name, program in programs.items():
        function = program_for_engine(program, args, {}).function
        yield name, function
    images = ms.Tensor(np.zeros((2, 1, 8, 8), np.float32))
    step = program_for_engine(train_step(), (images, ms.Tensor([0, 1], ms.int32)), {}).function
    for name in ("batch_norm", "batch_norm_grad", "sparse_cross_entropy_grad"):
        yield name, step
    net = program_for_engine(Net().set_train(False), (images,), {}).function
    yield "batch_norm_inference", net


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
