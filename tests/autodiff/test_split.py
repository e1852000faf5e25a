"""Are the halves of a joint program that program, and is what lies between them the least?

The least is found by trying all choices, on programs small enough for that.
"""

from __future__ import annotations

import copy
import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from s2sad import prims as p
from s2sad.autodiff.cut import is_cheap, typical_bytes
from s2sad.autodiff.markers import of_region
from s2sad.autodiff.readable import names_in, settle_names
from s2sad.autodiff.reverse import differentiate
from s2sad.autodiff.split import split
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Operation
from s2sad.ir.printer import print_text
from s2sad.ir.types import Stack, TensorType, Token, bool_, f32, f64, i64, symbol
from s2sad.ir.verify import verify
from s2sad.passes.base import run_passes
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, without_adjoint
from s2sad.passes.hoist import HoistConstants
from support.dumps import same_values
from support.random_functions import random_function
from support.snapshots import check_text

N = 10
VECTOR = f64[N]
MATRIX = f64[N, N]
BYTES = 8 * N


def is_float(type):
    return isinstance(type, TensorType) and type.dtype.is_float


def joint_of(primal):
    """The joint program of all floats of `primal`, and what its cotangents are called after."""
    run_passes(primal, [Decompose(without_adjoint), HoistConstants()])
    wrt = [i for i, type in enumerate(primal.input_types) if is_float(type)]
    chosen = [i for i, type in enumerate(primal.result_types) if is_float(type)]
    joint = differentiate(primal, wrt, chosen, seeded=True)
    called = names_in(primal, joint)
    run_passes(joint, [Canonicalize(), Cse(), Dce()])
    return joint, called


def halves_of(primal):
    """The joint program of `primal` and its halves, with the names that people read."""
    joint, called = joint_of(primal)
    count, cotangents = len(primal.results), sum(map(is_float, primal.result_types))
    halves = split(joint, range(count, len(joint.results)), cotangents)
    settle_names(halves, called)
    for half in (halves.forward, halves.backward):
        verify(half)
    return joint, halves


def built(function, types, names="xyzw"):
    return build_function(function, types, names=list(names[: len(types)]), name="f")


def run_halves(halves, inputs, cotangents):
    """Results of the forward half, and gradients, when the pullback is called twice."""
    given = evaluate(halves.forward, copy.deepcopy(list(inputs)))
    residuals = [inputs[r.index] if r.is_input else given[r.index] for r in halves.residuals]
    first, second = (
        evaluate(halves.backward, copy.deepcopy([*residuals, *cotangents])) for _ in range(2)
    )
    assert same_values(first, second)
    return given, first


def check_halves(primal, inputs):
    """Both halves together compute what the joint program computes, bit for bit."""
    count = len(primal.results)
    joint, halves = halves_of(primal)
    types = joint.input_types[len(inputs) :]
    rng = np.random.default_rng(0)
    cotangents = [rng.normal(size=t.shape).astype(t.dtype.compute.storage) for t in types]
    cotangents = [
        x if t.dtype.storage == x.dtype else np.ones(t.shape, t.dtype.storage)
        for x, t in zip(cotangents, types, strict=True)
    ]
    wanted = evaluate(joint, copy.deepcopy([*inputs, *cotangents]))
    given, gradients = run_halves(halves, inputs, cotangents)
    assert same_values(given[:count], wanted[:count])
    assert same_values(gradients, wanted[count:])
    return halves


def kept_bytes(halves, count):
    """Bytes of residuals that are neither inputs nor one of the primal's `count` results."""
    kept = [r.index for r in halves.residuals if not r.is_input and r.index >= count]
    return sum(typical_bytes(halves.forward.results[index].type) for index in kept)


def again(halves):
    """Operations that only the cut has put into the backward half, but for constants."""
    early = [op for op in halves.backward.body.operations if op not in halves.late]
    return [op.prim.name for op in early if op.prim.name != "const"]


def names(function):
    return [op.prim.name for op in function.walk()]


# ---- the same program ------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(6))
def test_halves_of_random_programs(block):
    done = 0
    for seed in range(12 * block, 12 * block + 12):
        primal, inputs = random_function(seed)
        try:
            check_halves(primal, inputs)
            done += 1
        except S2sadError as error:  # markers that have no gradient here, errors at run time
            assert error.code not in ("E0901", "E0902"), f"seed {seed}"
    assert done >= 4


def test_what_depends_on_no_cotangent_can_be_a_gradient():
    halves = check_halves(built(lambda x, y: p.exp(x), [VECTOR, f32[3]]), [np.ones(N), ONES32])
    assert halves.backward.results[1].type == f32[3]
    assert not halves.forward.donates


ONES32 = np.ones(3, np.float32)


def test_a_result_that_is_written_stays_donated():
    primal = built(lambda x, w: (p.mul(x, w), p.add(w, 1.0)), [VECTOR, VECTOR], "xw")
    primal.donates = {1: 1}
    joint, _ = joint_of(primal)
    y, new, dx, dw = joint.results
    joint.body.set_reads([y, dx, dw, new])
    joint.donates = {1: 3}
    halves = split(joint, range(1, 3), 2)
    made = len(halves.forward.results) - 2
    assert halves.forward.donates == {1: 1 + made}
    assert halves.forward.results[1 + made].owner.prim.name == "add"


# ---- the least -------------------------------------------------------------------------------


def least(joint, count, cotangents):
    """Fewest bytes between the halves of a program, and fewest operations run again then.

    None for a program that is not small.
    """
    operations, inputs = joint.body.operations, len(joint.args) - cotangents
    late = set(joint.args[inputs:])
    for operation in operations:
        if late & set(operation.operands):
            late.update(operation.results)
    read = {v for op in operations if late & set(op.operands) for v in op.operands} - late
    read |= set(joint.results[count:]) - late
    free = {*joint.args[:inputs], *joint.results[:count]}
    runs, pending = set(), list(joint.results[:count])
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner not in runs:
            runs.add(owner)
            pending += owner.operands

    def ran_again(kept):
        """Operations that the backward half runs; None where one of them should run only once."""
        found, pending = set(), [*read]
        while pending:
            value = pending.pop()
            if value in kept or value.owner in found:
                continue
            if value.owner in runs and not is_cheap(value.owner):
                return None
            found.add(value.owner)
            pending += value.owner.operands
        return found

    early = [
        v for op in operations for v in op.results
        if v not in late and v not in free and op.prim.name != "const"
    ]  # fmt: skip
    if len(early) > 10:
        return None
    best = None
    for size in range(len(early) + 1):
        for kept in combinations(early, size):
            found = ran_again({*kept, *free})
            if found is not None:
                cost = sum(typical_bytes(v.type) for v in kept)
                best = min(best or (cost, len(found)), (cost, len(found)))
    return best


CHEAP = (
    lambda x, y: p.exp(x), lambda x, y: p.sin(x), lambda x, y: p.tanh(x), lambda x, y: p.relu(x),
    lambda x, y: p.square(x), lambda x, y: p.mul(x, y), lambda x, y: p.maximum(x, y),
    lambda x, y: p.where(p.greater(x, y), x, p.sin(y)),
)  # fmt: skip
DEAR = (
    lambda x, y: p.cumsum(x, axis=0), lambda x, y: p.sort(x, axis=0)[0],
    lambda x, y: p.mul(p.reduce_sum(x, axis=(0,), keepdims=True), y),
)  # fmt: skip


@st.composite
def small_programs(draw):
    """A few operations on vectors, some of which cost too much to run twice."""
    kinds = st.one_of(st.sampled_from(CHEAP), st.sampled_from(DEAR))
    steps = draw(
        st.lists(st.tuples(kinds, st.integers(1, 3), st.integers(1, 4)), min_size=2, max_size=4)
    )

    def function(x, y):
        values = [x, y, p.cumsum(x, axis=0)]
        for step, i, j in steps:
            values.append(step(values[-min(i, len(values))], values[-min(j, len(values))]))
        return p.reduce_sum(p.mul(values[-1], values[-1]), axis=(0,))

    return built(function, [VECTOR, VECTOR])


@settings(max_examples=60, deadline=None)
@given(small_programs())
def test_nothing_less_is_enough(primal):
    joint, halves = halves_of(primal)
    found = least(joint, 1, 1)
    assume(found is not None)
    early = [op for op in halves.backward.body.operations if op not in halves.late]
    assert (kept_bytes(halves, 1), len(early)) == found


def total(x):
    return p.reduce_sum(x, axis=(0,))


def naive_bytes(primal):
    """Bytes of all that the backward statements read of the forward ones."""
    joint, _ = joint_of(primal)
    late, read = {joint.args[-1]}, set()
    for operation in joint.body.operations:
        if late & set(operation.operands):
            late.update(operation.results)
            read.update(operation.operands)
    known = {*joint.args, joint.results[0]}
    return sum(typical_bytes(v.type) for v in read - late - known if v.owner.prim.name != "const")


def chain(x, y):
    h = p.cumsum(x, axis=0)
    for step in (p.sin, p.tanh, p.exp, p.tanh):
        h = p.mul(step(h), y)
    return total(h)


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (lambda x, y: total(p.exp(p.sin(p.mul(x, y)))), 0),  # all from the inputs
        (chain, BYTES),  # the sum only: the rest is cheap
        (lambda x, y: total(p.relu(p.cumsum(x, axis=0))), N),  # a mask of bools
        (lambda x, y: total(p.mul(p.exp(p.cumsum(x, axis=0)), y)), BYTES),
        (lambda x, y: total(p.mul(p.cumsum(x, axis=0), p.cumsum(y, axis=0))), 2 * BYTES),
        (lambda x, y: total(p.add(p.cumsum(x, axis=0), p.cumsum(y, axis=0))), 0),
        # the number, not what it is spread over
        (lambda x, y: total(p.mul(p.exp(p.broadcast_to(total(x), shape=(N,))), y)), 8),
        # two products of one dear value: it is kept once
        (lambda x, y: total(p.mul(p.sin(h := p.cumsum(x, axis=0)), p.mul(p.cos(h), y))), BYTES),
        # the result itself is there anyway
        (lambda x, y: p.exp(p.cumsum(x, axis=0)), 0),
        # a half as wide: the cast is cheap, and so is the way back from it
        (lambda x, y: total(p.square(p.cast(p.cumsum(x, axis=0), dtype=f32))), 40),
    ],
)
def test_known_least(function, kept):
    primal = built(function, [VECTOR, VECTOR])
    halves = check_halves(primal, [np.linspace(-1, 1, N), np.linspace(0.5, 2, N)])
    assert kept_bytes(halves, 1) == kept


def test_a_chain_keeps_less_than_all_that_is_read():
    primal = built(chain, [VECTOR, VECTOR])
    assert kept_bytes(halves_of(primal)[1], 1) == BYTES
    assert naive_bytes(built(chain, [VECTOR, VECTOR])) >= 4 * BYTES


@settings(max_examples=60, deadline=None)
@given(small_programs())
def test_never_more_than_all_that_is_read(primal):
    most = naive_bytes(primal)
    assert kept_bytes(halves_of(primal)[1], 1) <= most


# ---- what runs again, and what does not ------------------------------------------------------


def test_what_is_dear_runs_once():
    def function(x, w):
        for step in (p.matmul, p.matmul, p.matmul):
            x = p.tanh(step(x, w))
        return p.reduce_sum(x, axis=(0, 1))

    halves = check_halves(built(function, [MATRIX, MATRIX], "xw"), [np.eye(N), np.eye(N)])
    assert names(halves.forward).count("matmul") == 3
    assert names(halves.backward).count("matmul") == 6  # two a product; none of the three again
    assert kept_bytes(halves, 1) == 3 * 8 * N * N


def test_what_only_gradients_need_is_left_to_the_backward_half():
    def function(x, y):  # the adjoint of sort counts places
        return total(p.mul(p.sort(x, axis=0)[0], y))

    halves = check_halves(built(function, [VECTOR, VECTOR]), [np.arange(N) % 3 * 1.0, np.ones(N)])
    assert "scatter_elements" not in names(halves.forward)


def test_random_numbers_are_drawn_once():
    def function(x, state):
        draws, state = p.random_uniform(state, shape=(N,), dtype=f64)
        return total(p.mul(p.exp(x), p.sin(draws))), state

    state = np.array([3, 0, 0], np.int64)
    halves = check_halves(built(function, [VECTOR, i64[3]], "xs"), [np.ones(N), state])
    assert names(halves.forward).count("random_uniform") == 1
    assert "random_uniform" not in names(halves.backward)
    assert again(halves).count("exp") == 1 and kept_bytes(halves, 2) == BYTES


def test_what_is_run_again_on_request_is_left_to_the_backward_half():
    def function(x, w):
        return p.reduce_sum(
            p.checkpoint(x, w, body=lambda x, w: p.exp(p.matmul(p.tanh(p.matmul(x, w)), w))),
            axis=(0, 1),
        )

    halves = check_halves(built(function, [MATRIX, MATRIX], "xw"), [np.eye(N), np.eye(N)])
    assert kept_bytes(halves, 1) == 0
    top = [op.prim.name for op in halves.forward.body.operations]
    assert top.count("checkpoint") == 1 and "matmul" not in top


def test_what_is_run_again_stands_before_its_first_use():
    def function(x, y):
        h = p.cumsum(x, axis=0)
        for _ in range(6):
            h = p.cumsum(p.sin(p.mul(p.exp(h), y)), axis=0)
        return total(h)

    _, halves = halves_of(built(function, [VECTOR, VECTOR]))
    operations = halves.backward.body.operations
    places = {op: place for place, op in enumerate(operations)}
    for operation in operations:
        if operation not in halves.late and operation.prim.name != "const":
            first = min(places[use.user] for value in operation.results for use in value.uses)
            early = [op for op in operations[places[operation] : first] if op in halves.late]
            assert not early, f"{operation} waits for {operations[first]}"


def test_effects_happen_once(capfd):
    def function(token, x):
        token = p.print_(token, x, format="x is {}\n")
        return token, total(p.exp(x))

    primal = built(function, [Token, VECTOR], "tx")
    primal.inputs = ("token:host", "x")
    halves = check_halves(primal, [Token, np.ones(N)])
    assert "print_" not in names(halves.backward)
    capfd.readouterr()
    evaluate(halves.forward, [Token, np.ones(N)])
    assert capfd.readouterr().out.count("x is") == 1


# ---- loops and branches ----------------------------------------------------------------------


def doubled_until(x, w):
    def body(n, x):
        return p.add(n, 1), p.tanh(p.mul(x, w))

    _, out = p.while_(
        p.const(0, i64), x, body=body,
        condition=lambda n, x: p.less(n, 4),
    )  # fmt: skip
    return out


def counted(x, w):
    return p.for_(0, 5, 1, x, body=lambda i, h: p.sin(p.mul(h, w)))


def branched(x, w):
    hot = p.greater(total(x), 0.0)
    return p.if_(hot, then=lambda: p.exp(p.mul(x, w)), orelse=lambda: p.mul(w, w))


def nested(x, w):
    def body(i, h):
        return p.if_(p.greater(total(h), 1.0), then=lambda: p.sin(h), orelse=lambda: counted(h, w))

    return p.for_(0, 3, 1, x, body=body)


LOOPS = [doubled_until, counted, branched, nested]


@pytest.mark.parametrize("function", LOOPS)
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_loops_and_branches(function, sign):
    inputs = [sign * np.linspace(0.1, 0.9, N), np.linspace(0.5, 1.5, N)]
    halves = check_halves(built(function, [VECTOR, VECTOR], "xw"), inputs)
    forms = {"while_", "for_", "if_"}
    assert {*names(halves.forward)} & forms, "a region is one node: it runs in one half"
    assert not forms & {*again(halves)}


@pytest.mark.parametrize("function", LOOPS)
def test_gradients_of_gradients_of_loops(function):
    inputs = [np.linspace(0.1, 0.9, N), np.linspace(0.5, 1.5, N)]
    joint, _ = joint_of(built(lambda x, w: total(function(x, w)), [VECTOR, VECTOR], "xw"))
    run = of_region(joint.body)
    check_halves(built(lambda x, w: run(x, w, p.const(1.0, f64)), [VECTOR, VECTOR], "xw"), inputs)


# ---- costs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type", "wanted"),
    [
        (f64[3, 4], 96),
        (bool_[5], 5),
        (f32, 4),
        (f32[0], 0),
        (f32[symbol("B"), 2], 64 * 8),
        (Stack[f32[2]], 64 * 8),
        (Token, 0),
    ],
)
def test_typical_bytes(type, wanted):
    assert typical_bytes(type) == wanted


@pytest.mark.parametrize(
    ("function", "wanted"),
    [
        (p.exp, True),
        (p.gelu, True),
        (lambda x: p.const(1.0, f64[N]), True),
        (lambda x: p.reshape(x, shape=(2, 5)), True),
        (lambda x: p.expand_dims(x, axis=0), True),  # a composite of what is cheap
        (lambda x: p.zeros_like(x), True),
        (lambda x: p.softmax(x, axis=0), False),
        (lambda x: p.concat(x, x, axis=0), False),
        (lambda x: p.cumsum(x, axis=0), False),
        (total, False),
        (lambda x: p.checkpoint(x, body=p.exp), False),
        (lambda x: p.gather(x, p.const([0], i64[1]), axis=0), False),
        (lambda x: p.stack_push(p.stack_empty(of=VECTOR), x), False),
    ],
)
def test_what_is_cheap(function, wanted):
    made = build_function(function, [VECTOR])
    assert is_cheap(made.body.operations[-1]) is wanted


# ---- names -----------------------------------------------------------------------------------


def source_of(halves):
    return print_text(halves.backward, style="source")


def test_a_cotangent_is_called_after_what_the_text_calls_its_value():
    def function(layer_1, layer_2):
        h = p.cumsum(p.mul(layer_1, layer_2), axis=0)
        h = p.cumsum(p.sin(p.cumsum(h, axis=0)), axis=0)
        return total(p.cumsum(p.mul(p.sin(h), p.tanh(h)), axis=0))

    primal = build_function(function, [VECTOR, VECTOR], names=["layer_1", "layer_2"])
    joint, halves = halves_of(primal)
    text = source_of(halves)
    check_text(text, halves.backward, [np.ones(N) for _ in halves.backward.args[:-1]] + [ONE])
    assert "dout: f64):" in text
    assert "return dlayer_1, dlayer_2" in text
    numbered = set(re.findall(r"\bd(t\d+)\b", text))
    assert numbered, "some cotangents are those of numbered values"
    for number in numbered:
        assert re.search(rf"\b{number}\b", text), f"d{number} is the cotangent of nothing here"


ONE = np.array(1.0)


def test_cotangents_of_several_outputs_are_called_after_them():
    def function(x, y):
        h, g = p.sin(x), p.mul(x, y)
        h.name = "h"
        return h, g

    _, halves = halves_of(built(function, [VECTOR, VECTOR]))
    assert [value.name for value in halves.backward.args[-2:]] == ["dh", "dout"]


def test_names_of_the_users_own_rule_stay():
    def rule(x, out, dout):
        delta = p.mul(dout, p.cos(x))
        delta.name = "delta"
        return p.cumsum(delta, axis=0)

    def function(x, y):
        h = p.custom(p.mul(x, y), primal=p.sin, adjoint=rule)
        return total(p.cumsum(h, axis=0))

    _, halves = halves_of(built(function, [VECTOR, VECTOR]))
    assert re.search(r"^    delta = ", source_of(halves), re.MULTILINE)


def test_locals_of_our_rules_have_no_names():
    def function(x, w):  # the adjoint of matmul calls what it computes dx and dy
        return p.reduce_sum(p.mul(p.matmul(x, w), p.matmul(w, w)), axis=(0, 1))

    _, halves = halves_of(built(function, [MATRIX, MATRIX], "xw"))
    assert not re.search(r"\bdy\b", source_of(halves))


@pytest.mark.parametrize("function", LOOPS)
def test_texts_of_loops_read_back_and_run(function):
    _, halves = halves_of(built(function, [VECTOR, VECTOR], "xw"))
    text = source_of(halves)
    assert not re.search(r"\w_\d+_\d", text), text
    inputs = [np.linspace(0.1, 0.9, N), np.linspace(0.5, 1.5, N)]
    given = evaluate(halves.forward, copy.deepcopy(inputs))
    residuals = [inputs[r.index] if r.is_input else given[r.index] for r in halves.residuals]
    check_text(text, halves.backward, [*residuals, np.ones(N)])


def test_stacks_are_no_part_of_what_a_text_hands_on():
    _, halves = halves_of(built(doubled_until, [VECTOR, VECTOR], "xw"))
    assert not re.search(r"tape.*=.*tape", source_of(halves).replace("stack_empty", ""))
