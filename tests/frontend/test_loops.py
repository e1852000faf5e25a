"""Does a `for` over a range stay a loop where it can, and mean what its passes mean one by one?

Every program runs in three forms: as plain Python, written out, and as the compiler chooses. The
numbers are the same, bit for bit.
"""

from __future__ import annotations

import re
import statistics
import time

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.frontend import kept
from s2sad.prims import ALL
from support.forms import check_gradients, require_same

ROWS = np.sin(np.arange(36.0)).reshape(6, 6)
X = ms.Tensor(ROWS, ms.float32)
N = ms.Tensor([7, -3, 5, 1, 0, -8], ms.int32)


def loops(compiled) -> int:
    """Counted loops in what the frontend made."""
    return sum(op.prim is ALL["for_"] for op in compiled.stages["primal"].walk())


def written_out(function, *args):
    """``function(*args)`` compiled without a loop that could be written out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "MIN_PASSES", 10**9)
        return ms.compile(function)(*args)


# Programs with the number of loops that stay.


def sums_rows(x, n):
    total = x[0] * 0
    for i in range(6):
        total = total + x[i] * (i + 1)
    return total


def a_number_becomes_a_tensor(x, n):
    total = 0.0
    for i in range(6):
        total = total + x[i]
    return total


def begins_with_none(x, n):
    state = None
    for i in range(6):
        state = (x[i], x[i] * 2) if state is None else (state[0] + x[i], state[0])
    return state


def reads_behind_and_ahead(x, n):
    h = x[0]
    for i in range(1, 5):
        h = ops.tanh(h + x[i - 1] * x[i + 1] - x[-i] + x[i // 2] * x[(2 * i) % 6] + x[4 - i])
    return h


def counts_down(x, n):
    h = x[0]
    for i in range(5, -1, -2):
        h = h * x[i] + i
    return h


def reversed_range(x, n):
    h = x[0]
    for i in reversed(range(6)):
        h = h * 0.5 + x[i] * i
    return h


def numbers_are_weak(x, n):
    f, m, b = x[0], n, n > 0
    whole, true = n * 0, b
    for i in range(2, 6):
        f = f * i + i / 4 - 1 / (i + 1) + 0.1 * i - (i - 0.3) / 7
        m = (m + i) * (3 - i) - i * i
        whole = whole + m // i + m % i + i // n
        true = (m < i) == (f > i / 2)
    return f, m, whole, true, b * 1


def a_float_beside_integers(x, n):
    total = n * x[0]
    for i in range(5):
        total = total + n * (i * 0.5) + (n > i) * i + (i >= n) * (i / 3)
    return total


def other_axes(x, n):
    y = ops.reshape(x, (3, 3, 4))
    total = x[0, :4] * 0
    for i in range(3):
        total = total + y[:, i, 0][2] + y[..., i][i, 0] + y[0, i] + y[1, None, :, i][0, i]
        total = total + y[1, i, ::2].sum() + y[-1, i, -1]
    return total


def nested(x, n):
    total = 0.0
    for i in range(6):
        for j in range(6):
            total = total * 0.5 + x[i, j] * (10 * i + j)
    return total


def triangle(x, n):
    total = x[0, 0] * 0
    for i in range(4):
        for j in range(i, 3):
            total = total + (i + 1) * x[i, j] * x[j, i]
        for j in range(i):
            total = total - x[i, j]
        for j in range(i, i + 3):
            last = x[j, i] * 2
        total = total * last
    return total


def branches_inside(x, n):
    top, seen = x[0], x[0] * 0
    for i in range(1, 6):
        if x[i].sum() > top.sum():
            top = x[i]
            seen = seen + i
        top = top if x[i, 0] > 0 else -top
    return top, seen


def loops_on_data_inside(x, n):
    total = x[0]
    for i in range(4):
        k = n[0] * 0
        while k < i:
            total = total * 0.5 + x[k]
            k = k + 1
        for j in range(n[2]):
            total = total + j * x[i]
    return total


def what_is_left_behind(x, n):
    k = j = y = None
    for i in range(6):
        k, j = 2 * i, i / 4
        y = x[i] * k
    return y * i, x[0] * k + j


def assigned_in_the_body_only(x, n):
    for i in range(1, 6):
        y, last = x[i] * 2, i - 1
    return y + last, x[last]


def the_same_names_twice(x, n):
    total = x[0]
    for i in range(3):
        row = x[i] * 2
        total = total + row
    for i in range(5):
        row = x[i + 1] / 3
        total = total * row
    return total


def containers(x, n):
    state = {"h": x[0], "pair": (x[1], 2.0), "name": "static"}
    for i in range(4):
        h = state["h"] * 0.5 + x[i]
        state = {"h": h, "pair": (h, state["pair"][1]), "name": state["name"]}
    return state["h"], state["pair"][0] * state["pair"][1]


def helper(x, i, scale=1.0):
    row = x[i]
    return row * scale + i


def functions_take_the_index(x, n):
    h = x[0]
    for i in range(4):
        h = h + helper(x, i) + helper(x, i + 1, scale=i)
    return h


def decided_by_bounds(x, n):
    h = x[0]
    for i in range(5):
        if i < 5 and not i < 0 and i != 9 and i == i + 0 - 0 if i > 7 else True:
            h = h + x[i]
    return h


def first_pass_apart(x, n):
    h = x[5]
    for i in range(6):
        if i == 0:
            h = x[0]
        else:
            h = h * x[i]
        if not i:
            h = h + 1
    return h


def with_else(x, n):
    h = x[0]
    for i in range(4):
        h = h + x[i]
    else:
        h = h * i
    return h


def widens(x, n):
    h = n
    for i in range(5):
        h = h + x[i]
    return h


def gradients_inside(x, n):
    h = x[0]
    for i in range(4):
        h = h - 0.1 * ms.grad(lambda h, i=i: (ops.tanh(h * x[i]) * (i + 1)).sum())(h)
    return h


def local_functions(x, n):
    def step(h):
        return ops.tanh(h + x[i]) * k

    h, k = x[0], 2
    for i in range(4):
        h = step(h) if i < 9 else h
    return step(h)


def takes_windows(x, n):
    h, k = x[0, :4], x[:3, 0]
    for i in range(3):
        h = h * x[i : i + 2, i : i + 4].sum(0) + x[5 - i, 2:] - x[..., 2 - i : 6 - i][i]
        k = (
            k
            + x[2 * i : 2 * (i + 1), i : 6 + i - 3][1] * x[i, None, i : 1 + i + 5 : 2][0][:3].sum()
        )
    return h, k


def batches(x, n):
    w = x[0]
    for i in range(3):
        batch = x[i * 2 : (i + 1) * 2]
        w = w - 0.1 * ms.grad(lambda w, batch=batch: ops.tanh(batch @ w).sum())(w)
    return w


def writes_rows(x, n):
    v = x * 2
    other = v
    for i in range(5):
        v[i] = v[i] * i + x[i + 1]
        v[i, 2] = v[0, i] + 1.0
        v[-1] += v[i]
    return v, other


def goes_through_rows(x, n):
    h = 0.0
    for row in x:
        h = ops.tanh(h + row)
    for first, *_, last in x[1:5]:
        h = h * first + last
    return h, row


def without_the_index(x, n):
    h = x[0]
    for _ in range(50):
        h = ops.tanh(h) * 1.01
    return h


KEPT = [
    (sums_rows, 1), (a_number_becomes_a_tensor, 1), (begins_with_none, 1),
    (reads_behind_and_ahead, 1), (counts_down, 1), (reversed_range, 1), (numbers_are_weak, 1),
    (a_float_beside_integers, 1), (other_axes, 1), (nested, 3), (triangle, 5),
    (branches_inside, 1), (loops_on_data_inside, 2), (what_is_left_behind, 1),
    (assigned_in_the_body_only, 1), (the_same_names_twice, 2), (containers, 1),
    (functions_take_the_index, 1), (decided_by_bounds, 1), (first_pass_apart, 1), (with_else, 1),
    (widens, 1), (gradients_inside, 1), (local_functions, 1), (without_the_index, 1),
]  # fmt: skip


@pytest.mark.parametrize(("program", "count"), KEPT, ids=lambda x: getattr(x, "__name__", ""))
def test_kept_loops_give_the_same_bits(program, count) -> None:
    compiled = ms.compile(program)
    found = compiled(X, N)
    assert loops(compiled) == count
    require_same(found, program(X, N))
    require_same(found, written_out(program, X, N))


@pytest.mark.parametrize(("program", "count"), KEPT, ids=lambda x: getattr(x, "__name__", ""))
def test_gradients_of_kept_loops_are_those_of_the_passes(program, count) -> None:
    x = ms.Tensor(ROWS)

    def first(x):
        results = program(x, N)
        return results[0] if isinstance(results, tuple) else results

    def second(x):
        return ops.tanh(ms.grad(first)(x)).sum()

    expected = written_out_gradient(second, x)
    np.testing.assert_allclose(ms.grad(second)(x).asnumpy(), expected, rtol=1e-11, atol=1e-12)
    if program in (numbers_are_weak, triangle, begins_with_none):
        check_gradients(first, ROWS, rtol=1e-5, atol=1e-6)


def written_out_gradient(function, x) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept, "MIN_PASSES", 10**9)
        return ms.grad(function)(x).asnumpy()


# Programs whose loops are written out.


def picks_from_a_list(x, n):
    weights = [1.0, 0.5, 0.25]
    for i in range(3):
        x = x * weights[i]
    return x


def compares(x, n):
    for i in range(4):
        if i == 2:
            x = x * 2
    return x


def writes_a_text(x, n):
    table = {"w0": 1.0, "w1": 2.0, "w2": 3.0}
    for i in range(3):
        x = x * table[f"w{i}"]
    return x


def looks_up(x, n):
    table = {0: 1.0, 1: 2.0, 2: 3.0}
    for i in range(3):
        x = x * table[i]
    return x


def makes_a_shape(x, n):
    for i in range(3):
        x = x + ops.ones((i + 1, 6, 6), ms.float32).sum(0)
    return x


def passes_it_on(x, n):
    for i in range(3):
        x = x + x.sum(i % 2, True) + ops.add(x, i)
    return x


def asks_for_its_kind(x, n):
    for i in range(3):
        x = x * 2 if isinstance(i, int) and not isinstance(i, ms.Tensor) else x
    return x


def raises_to_it(x, n):
    for i in range(3):
        x = x * (i + 1) ** 2 + n**i
    return x


def grows_a_list(x, n):
    rows = []
    for i in range(4):
        rows = [*rows, x[i]]
    return rows


def leaves_early(x, n):
    for i in range(5):
        x = x + i
        if i > 2:
            break
    return x


def goes_on(x, n):
    for i in range(5):
        if i % 2:
            continue
        x = x + i
    return x


def returns(x, n):
    for i in range(5):
        x = x + i
        if i == 3:
            return x
    return x * 0


def counts_itself(x, n):
    k = 1
    for i in range(4):
        k = k * 2 + i
        x = x * k
    return x


def remembers_the_index(x, n):
    before = -1
    for i in range(4):
        x = x * before
        before = i
    return x


def takes_growing_slices(x, n):
    total = x[0]
    for i in range(4):
        total = total + x[i : 2 * i + 1].sum(0) + x[:i, 1:].sum()
    return total


def takes_slices_beyond_the_end(x, n):
    total = x[0]
    for i in range(6):
        total = total + x[i : i + 2].sum(0) + x[-i:][0]
    return total


def compares_objects(x, n):
    h = x
    for _ in range(4):
        h = h + 1 if h is x else h * 2
    return h


def compares_with_a_captured_tensor(x, n):
    h = N
    for _ in range(4):
        h = h + 1 if h is N else h * 2
    return h


WRITTEN_OUT = [
    picks_from_a_list, compares, writes_a_text, looks_up, makes_a_shape, passes_it_on,
    asks_for_its_kind, raises_to_it, grows_a_list, leaves_early, goes_on, returns, counts_itself,
    remembers_the_index, takes_growing_slices, takes_slices_beyond_the_end, compares_objects,
    compares_with_a_captured_tensor,
]  # fmt: skip


@pytest.mark.parametrize("program", WRITTEN_OUT, ids=lambda f: f.__name__)
def test_other_loops_are_written_out(program) -> None:
    compiled = ms.compile(program)
    require_same(compiled(X, N), program(X, N))
    assert loops(compiled) == 0


def test_short_loops_are_written_out() -> None:
    def program(x):
        for i in range(2):
            x = x * (i + 1)
        return x

    compiled = ms.compile(program)
    compiled(X)
    assert loops(compiled) == 0


# What a trial leaves behind.


def wrong_in_the_third_pass(x, n):
    h = x[0]
    for i in range(4, 8):
        h = h + x[i]
    return h


def wrong_in_every_pass(x, n):
    h = x[0]
    for i in range(4):
        h = h + ops.reshape(x, (5, 5)) * i
    return h


def an_unknown_name(x, n):
    h = x[0]
    for i in range(4):
        h = h + helper(x, i) * missing  # noqa: F821
    return h


def divides_by_zero(x, n):
    h = x[0]
    for i in range(4):
        h = h / (1 / (i - 2))
    return h


def unbound_in_the_first_pass(x, n):
    for i in range(4):
        h = h + x[i] if i else later  # noqa: F821
        later = x[i]  # noqa: F841
    return h


@pytest.mark.parametrize(
    "program",
    [wrong_in_the_third_pass, wrong_in_every_pass, an_unknown_name, divides_by_zero,
     unbound_in_the_first_pass],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_errors_are_those_of_the_passes(program) -> None:
    errors = []
    for run in (ms.compile(program), lambda *args: written_out(program, *args)):
        with pytest.raises((S2sadError, ZeroDivisionError)) as caught:
            run(X, N)
        errors.append(caught.value)
    assert type(errors[0]) is type(errors[1]) and str(errors[0]) == str(errors[1])


class Net(nn.Cell):
    """Writes a Parameter, calls Cells, and picks one of them by the index."""

    def __init__(self, picks: bool):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor(np.eye(6) * 0.5 + 0.1, ms.float32), name="w")
        self.count = ms.Parameter(ms.Tensor(0.0), name="count", requires_grad=False)
        self.layers = nn.CellList(
            [nn.Dense(6, 6, weight_init="ones", has_bias=False) for _ in range(4)]
        )
        self.picks = picks

    def construct(self, x):
        h = x
        for i in range(4):
            h = ops.tanh(h @ self.w) + self.count * x
            if h.sum() > 0:
                ops.assign(self.count, self.count + (i + 1))
            if self.picks:
                h = h + self.layers[i](h)
            else:
                h = self.layers[0](h) * 0.1
        return h, self.count * 1


@pytest.mark.parametrize("picks", [False, True])
def test_parameters_are_written_pass_by_pass(picks) -> None:
    plain, net = Net(picks), Net(picks)
    compiled = ms.compile(net)
    require_same(compiled(X), plain(X))
    assert plain.count.item() == net.count.item() > 1
    assert loops(compiled) == (not picks)
    names = [v.name for v in compiled.stages["primal"].args]
    assert names[:3] == ["x", "w", "count"]  # in the order in which a pass reads them


def draws(x):
    h = x[0]
    for i in range(5):
        h = h * 0.5 + ops.dropout(x[i], 0.5) + ops.rand(6) * i
    return h, ops.rand(2)


def test_passes_draw_one_after_the_other() -> None:
    compiled = ms.compile(draws)
    found = []
    for run in (compiled, draws, lambda x: written_out(draws, x)):
        ms.set_seed(7)
        found.append([run(X), run(X)])
    assert loops(compiled) == 1
    require_same(found[0], found[1])
    require_same(found[0], found[2])


def test_a_failed_trial_leaves_no_reader_behind() -> None:
    def program(x, n):
        for i in range(4):
            h = x * 2 if n[0] > 0 else x - n[1]
            if h.sum() > 0:
                x = x * [1, 2, 3, 4][i]
            else:
                x = -x
        return x

    compiled = ms.compile(program)
    require_same(compiled(X, N), program(X, N))
    function = compiled.stages["primal"]
    inside = set(function.walk()) | {function.body}
    inside |= {region for op in function.walk() for region in op.regions.values()}
    for value in [*function.args, *(v for op in function.walk() for v in op.results)]:
        assert {use.user for use in value.uses} <= inside


# What it costs.


def length(n: int):
    def indexed(x, w):
        total = 0.0
        for i in range(n):
            total = total + x[i] * w[0] * (i + 1)
        return total

    def rows_and_state(x, w):
        h, seen = w[0], x * 0
        for i in range(n):
            h = ops.tanh(h * x[i] + x[n - 1 - i])
            seen[i] = h + seen[i]
        return h + seen[3]

    def matrix(x, w):
        h = x[0]
        for i in range(n):
            h = ops.tanh(h @ w + x[i])
        return h

    return indexed, rows_and_state, matrix


def inputs(n: int) -> tuple[ms.Tensor, ms.Tensor]:
    rows = np.sin(np.arange(8.0 * n)).reshape(n, 8)
    return ms.Tensor(rows, ms.float32), ms.Tensor(np.eye(8) * 0.5, ms.float32)


@pytest.mark.parametrize("which", range(3), ids=["indexed", "rows_and_state", "matrix"])
def test_a_long_loop_is_compiled_once(which) -> None:
    counts = []
    for n in (500, 3000):
        compiled = ms.compile(ms.grad(length(n)[which], (0, 1)))
        compiled(*inputs(n))
        counts.append([len(list(function.walk())) for _, function in compiled.stages.functions])
    assert counts[0] == counts[1]


def elements(x, w):
    seen = x * 0
    for i in range(50):
        seen[i, 0] = ops.tanh(seen[i, 1] + x[i, 2] * w[0, 0])
    return seen


@pytest.mark.parametrize("program", [length(50)[1], elements], ids=["rows", "elements"])
def test_what_is_carried_is_written_in_place(program) -> None:
    compiled = ms.compile(ms.grad(program, (0, 1)))
    compiled(*inputs(50))
    source = compiled.variants[0].executable.source
    writes = re.findall(r"\b(?:index_add|index_update|update_add|update)(\w*)\(", source)
    assert len(writes) > 3 and set(writes) == {"_in_place"}, writes


def seconds(run, *args) -> float:
    start = time.perf_counter()
    run(*args)
    return time.perf_counter() - start


@pytest.mark.slow
@pytest.mark.parametrize("which", range(3), ids=["indexed", "rows_and_state", "matrix"])
@pytest.mark.parametrize("transform", [lambda f: f, lambda f: ms.grad(f, (0, 1))], ids=["", "grad"])
def test_twice_the_length_costs_twice_the_time(which, transform) -> None:
    compiled = {n: ms.compile(transform(length(n)[which])) for n in (4096, 8192)}
    for n in compiled:
        compiled[n](*inputs(n))
    ratios = [
        seconds(compiled[8192], *inputs(8192)) / seconds(compiled[4096], *inputs(4096))
        for _ in range(5)
    ]
    assert statistics.median(ratios) < 2.5
