"""Do sums of products leave loops as one product, with the same numbers, and only where it pays?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import compiler, nn, ops
from s2sad import prims as p
from s2sad.autodiff.reverse import differentiate
from s2sad.backends.c.executable import build as build_c
from s2sad.backends.numpy import build
from s2sad.core import dtypes
from s2sad.ir.builder import build_function
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import TensorType, f64
from s2sad.passes.base import run_passes
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.hoist import HoistConstants
from s2sad.passes.join_sums import JoinSums
from tests.passes.rewriting import becomes, read, stays

JOIN = (JoinSums(), Cse(), Dce())

BEFORE = """
def main(x: f64[3, 2, 4], tape: Stack[f64[2, 4]]):
    w = p.const(0.0, f64[4, 4])
    b = p.const(0.0, f64[4])
    dx = p.const(0.0, f64[3, 2, 4])
    for i in range(2, -1, -1):
        rest, h = p.stack_pop(tape)
        dh = p.tanh(p.gather(x, i) + h)
        dx_1 = p.index_add(dx, i, dh)
        b_1 = b + p.reduce_sum(dh, axis=(0,))
        w_1 = w + p.matmul(h, dh, transpose_a=True)
        tape, dx, b, w = rest, dx_1, b_1, w_1
    p.stack_drop(tape)
    return w, b, dx
"""
AFTER = """
def main(x: f64[3, 2, 4], tape: Stack[f64[2, 4]]):
    zeros = p.const(0.0, f64[3, 2, 4])
    dx = zeros
    hs = zeros
    for i in range(2, -1, -1):
        rest, h = p.stack_pop(tape)
        dh = p.tanh(p.gather(x, i) + h)
        dx_1 = p.index_add(dx, i, dh)
        hs_1 = p.index_add(hs, i, h)
        tape, dx, hs = rest, dx_1, hs_1
    rows = p.reshape(hs, shape=(6, 4))
    columns = p.reshape(dx, shape=(6, 4))
    w = p.matmul(rows, columns, transpose_a=True)
    b = p.reduce_sum(columns, axis=(0,))
    p.stack_drop(tape)
    return w, b, dx
"""


def titles(function):
    return run_passes(function, [JoinSums()])[0].titles


def test_a_sum_of_products_is_one_product_after_the_loop():
    reports = becomes(JOIN, BEFORE, AFTER)
    assert reports[0].titles == {"join sums": 1}
    assert not JoinSums.exact


# ---- numbers -------------------------------------------------------------------------------------


def loop_of(step, trips, values, *starts):
    """A function that runs `step` in a loop over `trips`, of `values` and what it carries."""

    def run(*given):
        own, zeros = given[: len(values)], given[len(values) :]
        bounds = trips.start, trips.stop, trips.step
        found = p.for_(*bounds, *zeros, body=lambda i, *carried: step(i, own, carried))
        return found

    arrays = [*values, *starts]
    types = [TensorType(dtypes.BY_STORAGE[a.dtype], a.shape) for a in arrays]
    return build_function(run, types), arrays


def with_zeros(step, trips, values, *shapes):
    """As `loop_of`, with zeros of some shapes for what it carries."""

    def run(*own):
        bounds = trips.start, trips.stop, trips.step
        zeros = [p.const(0, TensorType(own[0].dtype, shape)) for shape in shapes]
        return p.for_(*bounds, *zeros, body=lambda i, *carried: step(i, own, carried))

    types = [TensorType(dtypes.BY_STORAGE[a.dtype], a.shape) for a in values]
    return build_function(run, types), list(values)


def agree(function, arrays, wanted, *, joined=1):
    """Before and after `JoinSums`, evaluated, on NumPy and as C."""
    tolerance = 1e-12 if arrays[0].dtype == np.float64 else 0
    runs = [lambda f: evaluate(f, arrays), lambda f: build(f).run(list(arrays))]
    before = clone(function)
    assert titles(function) == ({"join sums": joined} if joined else {})
    run_passes(function, JOIN[1:])
    assert not any(report.changes for report in run_passes(function, JOIN))
    for each in (before, function):
        for run in runs:
            for found, expected in zip(run(each), wanted, strict=True):
                assert found.dtype == arrays[0].dtype
                np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def draw(*shape, dtype=np.float64):
    rng = np.random.default_rng(sum(shape))
    if dtype == np.float64:
        return rng.normal(size=shape)
    return rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, size=shape, dtype=dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.int32, np.uint8])
@pytest.mark.parametrize("flags", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("trips", [range(0, 2, 1), range(6, -1, -1)], ids=str)
def test_rows_of_arrays_are_read_where_they_are(dtype, flags, trips):
    count, (swap_a, swap_b) = len(trips), flags
    a = draw(count, *((3, 5) if swap_a else (5, 3)), dtype=dtype)
    b = draw(count, *((4, 3) if swap_b else (3, 4)), dtype=dtype)
    start = draw(5, 4, dtype=dtype)

    def step(i, own, carried):
        x, y = (p.gather(array, i) for array in own)
        return [p.add(p.matmul(x, y, transpose_a=swap_a, transpose_b=swap_b), carried[0])]

    left, right = np.swapaxes(a, 1, 2) if swap_a else a, np.swapaxes(b, 1, 2) if swap_b else b
    with np.errstate(all="ignore"):
        wanted = start + np.matmul(left, right).sum(0, dtype=dtype)
    function, arrays = loop_of(step, trips, [a, b], start)
    agree(function, arrays, [wanted])
    assert not list(function.body.operations[3].regions)  # nothing is left to loop for


@pytest.mark.parametrize("axis", [(0,), (1,), (0, 1), ()])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_of_rows_of_an_array(axis, keepdims):
    x = draw(5, 3, 4)

    def step(i, own, carried):
        term = p.reduce_sum(p.gather(own[0], i), axis=axis, keepdims=keepdims)
        return [p.add(carried[0], term)]

    wanted = x.sum(0).sum(axis=axis, keepdims=keepdims)
    function, arrays = with_zeros(step, range(0, 5, 1), [x], wanted.shape)
    agree(function, arrays, [wanted])


def test_several_terms_of_one_sum():
    a, b = draw(4, 3, 5), draw(4, 3, 5)

    def step(i, own, carried):
        x, y = (p.gather(array, i) for array in own)
        both = p.add(p.matmul(x, y, transpose_a=True), p.matmul(y, y, transpose_a=True))
        spread = p.reduce_sum(x, axis=(0,))
        return [p.add(both, p.add(carried[0], p.matmul(x, x, transpose_a=True))),
                p.add(p.add(spread, carried[1]), p.reduce_sum(y, axis=(0,)))]  # fmt: skip

    wanted = sum(x.T @ y + y.T @ y + x.T @ x for x, y in zip(a, b, strict=True))
    function, arrays = loop_of(step, range(3, -1, -1), [a, b], np.ones((5, 5)), np.ones(5))
    agree(function, arrays, [wanted + 1, (a + b).sum((0, 1)) + 1])


def test_what_is_not_finite_stays_where_it_is():
    a, b = draw(3, 2, 4), draw(3, 2, 3)
    a[1, 0, 2], b[2, 1, 1], b[0, 0, 0] = np.inf, np.nan, -np.inf

    def step(i, own, carried):
        x, y = (p.gather(array, i) for array in own)
        return [p.add(carried[0], p.matmul(x, y, transpose_a=True))]

    function, arrays = with_zeros(step, range(0, 3, 1), [a, b], (4, 3))
    with np.errstate(all="ignore"):
        agree(function, arrays, [np.einsum("tki,tkj->ij", a, b)])


@pytest.mark.parametrize("other", [-1.0, 1.0])
def test_sums_from_zero_on_are_never_minus_zero(other):
    x, y = np.full((3, 2, 4), -0.0), np.full((3, 2, 4), other)

    def step(i, own, carried):
        a, b = (p.gather(array, i) for array in own)
        return [p.add(carried[0], p.matmul(a, b, transpose_a=True)),
                p.add(carried[1], p.reduce_sum(a, axis=(0,)))]  # fmt: skip

    function, arrays = with_zeros(step, range(0, 3, 1), [x, y], (4, 4), (4,))
    assert titles(function) == {"join sums": 1}
    for found in (*evaluate(function, arrays), *build(function).run(arrays)):
        assert not np.signbit(found).any()


# ---- gradients of loops --------------------------------------------------------------------------


def recurrent(trips, *, size=6, rows=2, inside=None):
    """The joint program of a loop over rows of `x`, and arrays for it."""

    def run(x, w, h):
        def body(i, h):
            given = p.gather(x, p.add(i, inside)) if inside else p.gather(x, i)
            return p.tanh(p.add(given, p.matmul(h, w)))

        last = p.for_(trips.start, trips.stop, trips.step, h, body=body)
        return p.reduce_sum(p.mul(last, last), axis=(0, 1))

    count = max((*trips, 0)) + 1 + (inside or 0)
    types = [f64[count, rows, size], f64[size, size], f64[rows, size]]
    function = build_function(run, types)
    run_passes(function, [HoistConstants()])
    joint = differentiate(function, [0, 1, 2])
    run_passes(joint, [*compiler.JOINT, *compiler.TARGET["s2sad.backends.numpy"][:2]])
    return joint, [draw(*t.shape) * 0.4 for t in types]


TRIPS = [
    range(0, 0, 1), range(0, 1, 1), range(0, 2, 1), range(0, 7, 1), range(6, -1, -1),
    range(2, 9, 1), range(0, 8, 2), range(8, 1, -2), range(0, 9, 4),
]  # fmt: skip


@pytest.mark.parametrize("trips", TRIPS, ids=str)
def test_the_gradient_of_a_recurrence(trips):
    function, arrays = recurrent(trips)
    wanted = evaluate(clone(function), arrays)
    dense = len(trips) > 1 and max(trips) < 2 * len(trips)
    agree(function, arrays, wanted, joined=int(dense))
    loops = [op for op in function.walk() if op.prim is p.for_]
    left = [op for loop in loops for op in loop.walk() if op.prim is p.matmul]
    assert len(left) == (0 if len(trips) < 2 else 2 if dense else 3)


def test_it_agrees_with_differences_of_the_loop():
    function, arrays = recurrent(range(0, 5, 1))
    titles(function)
    x, w, h = arrays

    def loss(w):
        state = h
        for row in x:
            state = np.tanh(row + state @ w)
        return (state**2).sum()

    moves = np.eye(w.size).reshape(-1, *w.shape) * 1e-6
    wanted = np.array([(loss(w + m) - loss(w - m)) / 2e-6 for m in moves]).reshape(w.shape)
    np.testing.assert_allclose(evaluate(function, arrays)[2], wanted, rtol=1e-7, atol=1e-8)


@pytest.mark.usefixtures("programs_apart")
@pytest.mark.parametrize("trips", TRIPS[1:6], ids=str)
def test_as_c(trips):
    function, arrays = recurrent(trips)
    wanted = evaluate(clone(function), arrays)
    run_passes(function, compiler.TARGET["s2sad.backends.c"])
    for found, expected in zip(build_c(function).run(list(arrays)), wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


def test_validation_holds_it_to_its_bound():
    function, arrays = recurrent(range(0, 7, 1))
    (report, *_) = run_passes(function, JOIN, validate=arrays)
    assert report.changes


# ---- layers --------------------------------------------------------------------------------------


def without(monkeypatch):
    """Let programs be compiled without the pass."""
    spared = {name: compiler.sparing(passes) for name, passes in compiler.TARGET.items()}
    monkeypatch.setattr(compiler, "TARGET", spared)


@pytest.mark.parametrize("steps", [1, 2, 5])
@pytest.mark.parametrize("layer", [nn.RNN, nn.LSTM, nn.GRU])
def test_layers_have_the_gradients_of_the_loop(layer, steps, monkeypatch):
    ms.set_seed(3)
    net = layer(4, 6, num_layers=2)
    weights = net.trainable_params()
    x = ms.Tensor(draw(steps, 3, 4).astype(np.float32))

    def gradients():
        def loss(x):
            return (net(x)[0] ** 2).sum()

        compiled = ms.compile(ms.grad(loss, 0, weights))
        dx, found = compiled(x)
        return compiled.stages.changed("join-sums"), [dx.asnumpy(), *(g.asnumpy() for g in found)]

    is_joined, found = gradients()
    without(monkeypatch)
    never, wanted = gradients()
    assert is_joined == (steps > 2) and not never  # two passes are written out
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6)


def test_in_a_second_derivative():
    w = ms.Tensor(draw(4, 4) * 0.5)
    x = ms.Tensor(draw(5, 3, 4))

    def loss(w):
        h = ops.zeros((3, 4), ms.float64)
        for row in x:
            h = ops.tanh(row + ops.matmul(h, w))
        return (h * h).sum()

    slope = ms.grad(loss)

    def norm(w):
        return (slope(w) ** 2).sum()

    compiled = ms.compile(ms.grad(norm))
    found = compiled(w).asnumpy()
    assert compiled.stages.changed("join-sums")
    start = w.asnumpy()
    moves = np.eye(16).reshape(-1, 4, 4) * 1e-5

    def value(array):
        return norm(ms.Tensor(array)).item()

    wanted = [(value(start + m) - value(start - m)) / 2e-5 for m in moves]
    np.testing.assert_allclose(found.ravel(), wanted, rtol=1e-6, atol=1e-7)


# ---- where it stays ------------------------------------------------------------------------------

#: The product alone.
READ = """
def main(x: f64[3, 2, 4], tape: Stack[f64[2, 4]], y: f64[2, 4], n: i64):
    w = p.const(0.0, f64[4, 4])
    e = p.const(0.0, f64)
    for i in range(2, -1, -1):
        rest, h = p.stack_pop(tape)
        dh = p.tanh(p.gather(x, n) + h)
        m = p.matmul(h, dh, transpose_a=True)
        w_1 = w + m
        e_1 = e
        tape, e, w = rest, e_1, w_1
    p.stack_drop(tape)
    return w, e
"""
STAYS = {
    "the sum is read": ("e_1 = e", "e_1 = e * p.reduce_sum(w, axis=(0, 1))"),
    "the sum is read after it is made": ("e_1 = e", "e_1 = e * p.reduce_sum(w_1, axis=(0, 1))"),
    "the product is read": ("e_1 = e", "e_1 = e * p.reduce_sum(m, axis=(0, 1))"),
    "it is more than a sum": ("w_1 = w + m", "w_1 = p.tanh(w + m)"),
    "no bounds": ("range(2, -1, -1)", "range(n, -1, -1)"),
    "no pass": ("range(2, -1, -1)", "range(2, 3, -1)"),
    "one pass": ("range(2, -1, -1)", "range(2, 1, -1)"),
    "negative indices": ("range(2, -1, -1)", "range(-1, -4, -1)"),
    "few of many rows": ("range(2, -1, -1)", "range(0, 9, 8)"),
    "an operand stays": ("matmul(h, dh", "matmul(h, y"),
    "a long product": ("2, 4]", "128, 4]"),
    "a small sum of long rows": ("2, 4]", "5, 4]"),
    "what was computed again": ("p.gather(x, n) + h", "p.gather(x, n) + p.barrier(h)"),
    "a product of many matrices": ("2, 4]", "1, 2, 4]"),
    "a product that is repeated": ("2, 4]", "2, 1]"),
    "a reduction of what is in no array": (
        "m = p.matmul(h, dh, transpose_a=True)",
        "m = p.broadcast_to(p.reduce_sum(h, axis=(0,), keepdims=True), shape=(4, 4))",
    ),
}


@pytest.mark.parametrize("name", STAYS)
def test_the_loop_stays(name):
    old, new = STAYS[name]
    text = READ.replace(old, new)
    if "1, 2, 4]" in text:
        text = text.replace("f64[4, 4]", "f64[1, 4, 4]")
    stays([JoinSums()], text)


def test_but_for_that_it_would_not_stay():
    assert titles(read(READ)) == {"join sums": 1}


UNTAPED = """
def main(x: f64[3, 2, 4]):
    w = p.const(0.0, f64[4, 4])
    for i in range(0, 3, 1):
        h = p.exp(p.gather(x, i))
        w_1 = w + p.matmul(h, h, transpose_a=True)
        w = w_1
    return w
"""


def test_new_arrays_are_no_more_than_some_times_what_is_on_tapes():
    stays([JoinSums()], UNTAPED)
    stays([JoinSums()], UNTAPED.replace("range(0, 3, 1)", "range(0, 1000000000000, 1)"))
    popped = "rest, v = p.stack_pop(tape)\n        h = p.gather(x, n) * v"
    text = READ.replace("rest, h = p.stack_pop(tape)", popped)
    taped = text.replace("Stack[f64[2, 4]]", "Stack[f64[4]]")  # two arrays of twice as much
    assert titles(read(taped)) == {"join sums": 1}
    stays([JoinSums()], text.replace("Stack[f64[2, 4]]", "Stack[f64]"))


def test_new_arrays_have_a_bound():
    large = READ.replace("2, 4]", "64, 512]").replace("[4, 4]", "[512, 512]")
    assert titles(read(large)) == {"join sums": 1}
    stays([JoinSums()], large.replace("range(2,", "range(299,"))


def test_not_where_memory_is_short():
    x = ms.Tensor(draw(9, 3, 6).astype(np.float32))
    w = ms.Tensor(draw(6, 6).astype(np.float32))

    def loop(w):
        h = ops.zeros((3, 6), ms.float32)
        for row in x:
            h = ops.tanh(row + ops.matmul(h, w))
        return (h * h).sum()

    roomy = ms.checkpoint(loop, memory=10**8)
    for function, options, is_joined in (
        (loop, {}, True), (loop, {"memory_limit": 10**8}, False), (roomy, {}, False),
        (lambda w: ms.grad(roomy)(w), {}, False), (lambda w: ms.grad(loop)(w), {}, True),
    ):  # fmt: skip
        derived = function if function not in (loop, roomy) else ms.grad(function)
        compiled = ms.compile(derived, **options)
        compiled(w)
        names = [name for name, _ in compiled.stages.functions]
        assert any("join-sums" in name for name in names) == is_joined
        assert compiled.stages.changed("join-sums") == is_joined
