"""Does `vmap` give what a loop over the rows gives, wherever it is called and of whatever?"""

from __future__ import annotations

import threading
from collections import namedtuple

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import plain
from support.located import refused_here

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [-3.0, 1.0, 0.1], [2.0, 2.0, 2.0]])
A, B = np.array([2.0, 3.0]), np.array([5.0, 7.0, 11.0])


def tensor(data):
    return ms.Tensor(np.asarray(data))


def stacked(run, *rows):
    """What a loop over `rows` gives: each result of tensors, stacked."""
    each = [run(*(tensor(x) for x in row)) for row in zip(*rows, strict=True)]
    if isinstance(each[0], tuple):
        return tuple(np.stack([np.asarray(x) for x in of]) for of in zip(*each, strict=True))
    return np.stack([x.asnumpy() for x in each])


def close(found, expected):
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            close(one, other)
        return
    assert found.asnumpy().dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12, atol=1e-14)


# ---- axes ------------------------------------------------------------------------------------


def product(x, y):
    return x * y


def test_rows_lie_along_the_first_axis(mode):
    rows = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert plain(ms.vmap(lambda x: x.sum())(rows)) == [6.0, 15.0]
    assert plain(ms.vmap(product)(rows, tensor(A))) == [[2.0, 4.0, 6.0], [12.0, 15.0, 18.0]]


def test_axes_of_arguments(mode):
    rows = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for axes in ((0, None), [0, None], (-2, None)):
        assert plain(ms.vmap(product, axes)(rows, tensor(B))) == [[5, 14, 33], [20, 35, 66]]
    wanted = [[2.0, 12.0], [4.0, 15.0], [6.0, 18.0]]
    for axes in ((1, None), (-1, None)):
        assert plain(ms.vmap(product, axes)(rows, tensor(A))) == wanted
    assert plain(ms.vmap(product, (1, 0))(rows, tensor(B))) == [[5, 20], [14, 35], [33, 66]]
    assert plain(ms.vmap(product, (None, 0))(tensor(A), tensor(B))) == [
        [10, 15],
        [14, 21],
        [22, 33],
    ]


def test_axes_of_outputs(mode):
    def f(x):
        return x, {"sum": x.sum(), "both": (x * 2.0, None)}

    rows = tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    one, more = ms.vmap(f, 0, (1, {"sum": 0, "both": (-1, None)}))(rows)
    assert plain(one) == [[1, 4], [2, 5], [3, 6]] and plain(more["sum"]) == [6, 15]
    assert plain(more["both"]) == ([[2, 8], [4, 10], [6, 12]], None)
    assert plain(ms.vmap(lambda x: x, 0, -1)(rows)) == [[1, 4], [2, 5], [3, 6]]
    same = tensor(B)
    twice, kept = ms.vmap(lambda x: (x * 2.0, same * 2.0), 0, (0, None))(rows)
    assert plain(kept) == [10, 14, 22] and twice.shape == (2, 3)
    assert plain(ms.vmap(lambda x: same * 2.0)(rows)) == [[10, 14, 22]] * 2


def test_axes_of_containers(mode):
    Pair = namedtuple("Pair", ["first", "second"])

    def f(states, pair, n):
        return states["a"] * states["b"][0] * n + pair.first * pair.second

    states = {"a": tensor([[1.0, 2.0], [3.0, 4.0]]), "b": [tensor(A)]}
    pair = Pair(tensor(A), tensor([[1.0, 1.0], [10.0, 10.0]]))
    axes = {"a": 0, "b": [None]}, (None, 0), None
    assert plain(ms.vmap(f, axes)(states, pair, 2)) == [[6.0, 15.0], [32.0, 54.0]]
    assert plain(ms.vmap(f, ({"a": 0, "b": 0}, 0, None))(states, pair, 2)) == [
        [4.0 + 2.0, 8.0 + 2.0], [18.0 + 30.0, 24.0 + 30.0],
    ]  # fmt: skip


def test_none_has_no_axis():
    assert plain(ms.vmap(lambda x, y: x)(tensor(A), None)) == [2.0, 3.0]


def test_dtypes_and_empty_axes(mode):
    for dtype in (ms.float16, ms.bfloat16, ms.float32, ms.int8, ms.bool_):
        rows = ms.Tensor(np.array([[0, 1], [1, 1], [0, 0]]), dtype)
        found = ms.vmap(lambda x: (x, x == x))(rows)
        assert [t.dtype for t in found] == [dtype, ms.bool_]
        assert found[0].tolist() == rows.tolist()
    none = ms.vmap(lambda x: (x.sum(), ops.softmax(x)))(tensor(X[:0]))
    assert [t.shape for t in none] == [(0,), (0, 3)]


def test_axes_that_do_not_fit():
    x, n = tensor(X), tensor(A)
    refused_here("E0404", ms.vmap, product, None)
    refused_here("E0404", ms.vmap, product, (None, (None, None)))
    refused_here("E0303", ms.vmap, product, 1.0)
    refused_here("E0303", ms.vmap, product, 0, (True,))
    refused_here("E0304", ms.vmap, 3)
    found = refused_here("E0401", ms.vmap(product), x, n)
    assert "4" in found.message and "2" in found.message
    refused_here("E0302", ms.vmap(product, (0, 0, 0)), x, x)
    refused_here("E0302", ms.vmap(product, ((0, 0), 0)), x, x)
    refused_here("E0302", ms.vmap(lambda x: x[0], ((0, 0),)), [x])
    refused_here("E0302", ms.vmap(lambda x: x["a"], ({"b": 0},)), {"a": x})
    found = refused_here("E0304", ms.vmap(product), x, 3.0)
    assert "argument 1" in found.message and "None" in found.help
    refused_here("E0403", ms.vmap(product), x, tensor(1.0))
    refused_here("E0403", ms.vmap(product, 2), x, x)
    refused_here("E0403", ms.vmap(product, 0, 3), x, x)
    refused_here("E0302", ms.vmap(product, 0, (0, 0)), x, x)
    refused_here("E0404", ms.vmap(lambda x: x), None)
    refused_here("E0307", ms.vmap(lambda x: (x, "text")), x)


def test_what_differs_has_an_axis():
    found = refused_here("E0104", ms.vmap(lambda x: x * 2.0, 0, None), tensor(X))
    assert "differs from row to row" in found.message


def test_arguments_by_name():
    rows = tensor([[1.0, 2.0], [3.0, 4.0]])
    found = ms.vmap(product, (0, None))(y=tensor(A), x=rows)
    assert plain(found) == [[2.0, 6.0], [6.0, 12.0]]
    refused_here("E0302", ms.vmap(lambda x, *, y: x * y), rows, y=rows)


# ---- of what ---------------------------------------------------------------------------------


class Mlp(nn.Cell):
    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)
        self.w = ms.Parameter(rng.normal(size=(3, 4)), name="w")
        self.b = ms.Parameter(rng.normal(size=(4,)), name="b")
        self.steps = ms.Parameter(np.zeros((), np.int32), name="steps", requires_grad=False)

    def construct(self, x):
        hidden = ops.tanh(ops.matmul(x, self.w) + self.b)
        return (hidden * hidden).sum()


def test_a_cell_reads_its_parameters(mode):
    net = Mlp()
    close(ms.vmap(net)(tensor(X)), stacked(net, X))
    close(ms.vmap(net.construct)(tensor(X)), stacked(net, X))
    close(ms.vmap(ms.compile(net))(tensor(X)), stacked(net, X))
    ops.assign(net.b, net.b * 2.0)
    close(ms.vmap(net)(tensor(X)), stacked(net, X))


@pytest.mark.parametrize("cell", [
    lambda: nn.Conv2d(2, 3, 3, pad_mode="same", has_bias=True),
    lambda: nn.MaxPool2d(2, 2),
    lambda: nn.SequentialCell([nn.Conv2d(2, 2, 3, group=2), nn.Flatten(), nn.Dense(50, 4)]),
    lambda: nn.LayerNorm((5,)),
    lambda: nn.BatchNorm2d(2),
])  # fmt: skip
def test_layers(cell):
    ms.set_seed(1)
    net = cell()
    x = np.random.default_rng(0).normal(size=(3, 1, 2, 5, 5)).astype(np.float32)
    found = ms.vmap(net)(tensor(x)).asnumpy()
    np.testing.assert_allclose(found, stacked(net, x), rtol=2e-5, atol=2e-6)


def test_parameters_given_with_an_axis(mode):
    """An ensemble: rows of weights."""
    w = ms.Parameter(np.arange(6.0).reshape(3, 2), name="w")
    assert plain(ms.vmap(product, (0, None))(w, tensor(A))) == [[0, 3], [4, 9], [8, 15]]
    assert plain(ms.vmap(product, (None, 0))(w, tensor(A)))[1] == [[0, 3], [6, 9], [12, 15]]


def branching(x):
    if x.sum() > 0:
        y = ops.exp(x) * x[0]
    else:
        y = x / 3.0
    return y


def looping(x):
    n = 0
    while (x * x).sum() < 50.0:
        x = x * 2.0
        n = n + 1
    return x, n


def reading(x):
    s = x[0] * 0.0
    i = ops.cast(ops.abs(x[0]), ms.int64)
    while i < 3:
        s = s + x[i]
        i = i + 1
    return s


def writing(x):
    y = x * 2.0
    y[1] = x[0]
    for i in range(3):
        y[i] = y[i] + i
    return y


@pytest.mark.parametrize("run", [branching, looping, reading, writing], ids=lambda f: f.__name__)
def test_control_flow(mode, run):
    close(ms.vmap(run)(tensor(X)), stacked(run, X))
    close(ms.vmap(lambda x: run(x), 1)(tensor(X.T.copy())), stacked(run, X))


def test_maps_of_maps(mode):
    outer = ms.vmap(ms.vmap(product, (None, 0)), (0, None))
    close(outer(tensor(A), tensor(B)), np.outer(A, B))
    close(ms.vmap(ms.vmap(branching))(tensor(np.stack([X, -X]))), np.stack(
        [stacked(branching, X), stacked(branching, -X)]))  # fmt: skip


def test_inside_compiled_code(mode):
    @ms.compile
    def f(x, w):
        return ms.vmap(lambda row: ops.tanh(row * w).sum())(x) * 2.0

    expected = 2 * np.tanh(X * B).sum(1)
    close(f(tensor(X), tensor(B)), expected)
    close(ms.compile(ms.vmap(branching))(tensor(X)), stacked(branching, X))
    assert len(ms.compile(ms.vmap(branching)).variants) == 0


# ---- derivatives -----------------------------------------------------------------------------


def test_gradients_of_each_row(mode):
    net = Mlp()
    weights = [net.w, net.b]
    by_row = ms.vmap(ms.grad(net, None, weights))(tensor(X))
    close(by_row, stacked(ms.grad(net, None, weights), X))
    value, (dx, found) = ms.vmap(ms.value_and_grad(net, 0, weights))(tensor(X))
    close(value, stacked(net, X))
    close(dx, stacked(ms.grad(net), X))
    close(found, stacked(ms.grad(net, None, weights), X))


def test_the_gradient_of_a_map(mode):
    net = Mlp()
    weights = [net.w, net.b]
    found = ms.grad(ms.vmap(net), None, weights)(tensor(X))
    by_row = stacked(ms.grad(net, None, weights), X)
    close(found, tuple(g.sum(0) for g in by_row))
    close(ms.grad(ms.vmap(branching))(tensor(X)), stacked(ms.grad(branching), X))
    close(ms.grad(lambda x: ms.vmap(looping)(x)[0].sum())(tensor(X)),
          stacked(ms.grad(lambda x: looping(x)[0]), X))  # fmt: skip


@pytest.mark.parametrize("run", [branching, reading, writing], ids=lambda f: f.__name__)
def test_derivatives_of_control_flow(mode, run):
    close(ms.vmap(ms.grad(run))(tensor(X)), stacked(ms.grad(run), X))
    v = np.cos(X)
    expected = stacked(lambda x, v: ms.jvp(run, x, v), X, v)
    close(ms.jvp(ms.vmap(run), tensor(X), tensor(v)), expected)
    close(ms.vmap(lambda x, v: ms.jvp(run, x, v))(tensor(X), tensor(v)), expected)
    second = stacked(lambda x: ms.grad(lambda y: (ms.grad(run)(y) * y).sum())(x), X)
    close(ms.vmap(ms.grad(lambda y: (ms.grad(run)(y) * y).sum()))(tensor(X)), second)
    close(ms.grad(lambda y: (ms.vmap(ms.grad(run))(y) * y).sum())(tensor(X)), second)


def test_pullbacks(mode):
    output, pullback = ms.vjp(ms.vmap(branching), tensor(X))
    seed = tensor(np.sin(X))
    close(output, stacked(branching, X))
    expected = stacked(lambda x, s: ms.grad(branching, sens_param=True)(x, s), X, np.sin(X))
    close(pullback(seed)[0], expected)
    close(ms.vmap(ms.grad(branching, sens_param=True))(tensor(X), seed), expected)

    def pulled(x, seed):
        return ms.vjp(branching, x)[1](seed)[0]

    close(ms.vmap(pulled)(tensor(X), seed), expected)

    @ms.compile
    def many(x, seeds):
        _, pullback = ms.vjp(branching, x)
        return ms.vmap(lambda seed: pullback(seed)[0])(seeds)

    row = tensor(X[1])
    assert plain(many(row, seed)) == [
        plain(ms.grad(branching, sens_param=True)(row, tensor(s))) for s in np.sin(X)
    ]


def test_inner_and_outer_variables_are_apart(mode):
    """Of x times the gradient by y of x + y, at y = x, the inner derivative is 1."""

    def slope(x):
        return x * ms.vmap(ms.grad(lambda y: (x * y * y).sum()))(x)

    x = tensor([2.0, 3.0])
    total = np.array([5.0, 5.0])  # each row y meets all of x: 2 y (x1 + x2)
    assert plain(slope(x)) == [2 * 2 * 5 * 2.0, 3 * 2 * 5 * 3.0]
    found = ms.grad(slope)(x).asnumpy()
    # sum_i 2 x_i^2 (x1 + x2), by x_k: 4 x_k (x1 + x2) + 2 (x1^2 + x2^2)
    np.testing.assert_allclose(found, 4 * np.array([2.0, 3.0]) * total + 2 * 13.0)


def test_rules_of_the_users_own(mode):
    @ms.custom_vjp
    def clipped(x):
        return x * 3.0

    clipped.defvjp(lambda x: (x * 3.0, x), lambda x, dy: (ops.clamp(dy * x, -1.0, 1.0),))
    rows = tensor(X)
    run = lambda x: clipped(x).sum()  # noqa: E731
    close(ms.vmap(ms.grad(run))(rows), stacked(ms.grad(run), X))
    close(ms.grad(lambda x: ms.vmap(clipped)(x).sum())(rows), stacked(ms.grad(run), X))
    same = tensor(B)
    by_all = ms.grad(lambda w: ms.vmap(lambda x: (x * clipped(w)).sum())(rows).sum())(same)
    by_row = ms.grad(lambda w, x: (x * clipped(w)).sum())
    expected = np.sum([by_row(same, tensor(x)).asnumpy() for x in X], 0)
    np.testing.assert_allclose(by_all.asnumpy(), expected, rtol=1e-14)
    assert not np.allclose(expected, np.clip(X.sum(0) * B, -1, 1)), "the rule is run once a row"


# ---- what a function does besides ------------------------------------------------------------


def test_draws_are_independent_and_repeatable(mode):
    def drawn(x):
        return x + ops.rand((3,), dtype=ms.float64), ops.randn((2,), dtype=ms.float64)

    ms.manual_seed(3)
    one, two = ms.vmap(drawn)(tensor(np.zeros((50, 3)))), ms.vmap(drawn)(tensor(np.zeros((50, 3))))
    after = ops.rand((3,), dtype=ms.float64).tolist()
    for uniforms in (one[0].asnumpy(), two[0].asnumpy()):
        assert len({tuple(row) for row in uniforms}) == 50, "each row draws its own"
        assert 0.4 < uniforms.mean() < 0.6
    assert not set(one[0].asnumpy().ravel()) & set(two[0].asnumpy().ravel())
    ms.manual_seed(3)
    again = ms.vmap(drawn)(tensor(np.zeros((50, 3)))), ms.vmap(drawn)(tensor(np.zeros((50, 3))))
    assert plain(again) == plain((one, two))
    assert ops.rand((3,), dtype=ms.float64).tolist() == after


def test_draws_are_those_of_the_same_row_in_both_modes():
    rows = tensor(np.ones((3, 4)))
    found = []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        ms.manual_seed(5)
        found.append(plain(ms.vmap(ms.vmap(lambda x: x * ops.rand((2,), dtype=ms.float64)))(rows)))
    assert found[0] == found[1]
    assert len({value for row in found[0] for item in row for value in item}) == 24


def test_a_parameter_that_is_written(mode):
    net = Mlp()

    def counts(x):
        ops.assign(net.steps, net.steps + 1)
        return x * 2.0

    def keeps(x):
        ops.assign(net.b, ops.concat((x, x[:1])))
        return x

    before = plain(net.b)
    assert plain(ms.vmap(counts)(tensor(A))) == [4.0, 6.0]
    assert net.steps.item() == 1, "what is the same for all rows is written once"
    refused_here("E0104", ms.vmap(keeps), tensor(X))
    assert plain(net.b) == before


# ---- effects ---------------------------------------------------------------------------------


def printed(capsys, function, *args):
    """What a call gives, and the lines that it prints."""
    capsys.readouterr()
    found = function(*args)
    return plain(found), capsys.readouterr().out.splitlines()


def shows(x):
    print("a", x)
    print("same")
    return x * 2.0


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_each_print_is_of_one_row_after_the_other(mode, backend, capsys, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    lines = ["a 2.0", "a 3.0", "same", "same"]
    doubled = [4.0, 6.0]
    assert printed(capsys, ms.vmap(shows), tensor(A)) == (doubled, lines)
    assert printed(capsys, ms.compile(lambda x: ms.vmap(shows)(x)), tensor(A)) == (doubled, lines)
    assert printed(capsys, ms.vmap(ms.grad(shows)), tensor(A)) == ([2.0, 2.0], lines)
    slope = ms.grad(lambda x: ms.vmap(shows)(x).sum())
    assert printed(capsys, slope, tensor(A)) == ([2.0, 2.0], lines)
    assert printed(capsys, ms.vmap(shows), tensor(A[:0])) == ([], [])


def test_maps_of_maps_print_row_by_row(mode, capsys):
    found = printed(capsys, ms.vmap(ms.vmap(shows)), tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert found[1] == ["a 1.0", "a 2.0", "a 3.0", "a 4.0", *["same"] * 4]


def test_prints_on_the_ways_that_rows_take(mode, capsys):
    def halves(x):
        while x > 1.0:
            x = x / 2.0
            print("loop", x)
        if x > 0.6:
            print("large", x)
        for i in range(2):
            print(i, x)
        return x

    found = printed(capsys, ms.vmap(halves), tensor([0.5, 3.0, 2.0]))
    assert found[0] == [0.5, 0.75, 1.0]
    assert found[1] == [
        "loop 1.5", "loop 0.75", "loop 1.0",  # of one row, then of the next
        "large 0.75", "large 1.0",
        "0 0.5", "0 0.75", "0 1.0", "1 0.5", "1 0.75", "1 1.0",
    ]  # fmt: skip


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_an_exception_says_which_row_raised_it(mode, backend, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)

    def checked(x):
        assert x < 3.0, f"{x} is large"
        if x < -1.0:
            raise ValueError("small")
        return x

    assert plain(ms.vmap(checked)(tensor(A - 1.0))) == [1.0, 2.0]
    with pytest.raises(AssertionError, match="^5.0 is large") as caught:
        ms.vmap(checked)(tensor(B - 0.0))
    place, row = caught.value.__notes__
    assert f"{checked.__code__.co_firstlineno + 1}:" in place and "assert x" in place
    assert row == "in row 0 of what vmap maps"
    column = X[:, :1]
    for axis, rows in ((0, column), (1, column.T)):
        with pytest.raises(ValueError, match="^small") as caught:
            ms.vmap(ms.vmap(checked), axis)(tensor(rows))
        assert caught.value.__notes__[1] == "in row [2, 0] of what vmap maps"


def test_what_an_exception_leaves_is_what_was_before(mode):
    net = Mlp()

    def checked(x):
        ops.assign(net.b, net.b * 2.0)
        assert x < 3.0
        return x

    before = plain(net.b)
    with pytest.raises(AssertionError):
        ms.vmap(checked)(tensor(B))
    assert plain(net.b) == before


# ---- several functions -----------------------------------------------------------------------


def test_cells_are_mapped_with_their_parameters_stacked(mode):
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(4)])
    x = X.astype(np.float32)
    expected = np.stack([cell(tensor(row)).asnumpy() for cell, row in zip(cells, x, strict=True)])
    for several in (cells, list(cells), tuple(cells)):
        np.testing.assert_allclose(ms.vmap(several)(tensor(x)).asnumpy(), expected, rtol=1e-5)
    each = np.stack([cell(tensor(x[0])).asnumpy() for cell in cells], axis=1)
    for axis in (None, (None,)):
        found = ms.vmap(cells, axis, 1)(tensor(x[0]))
        np.testing.assert_allclose(found.asnumpy(), each, rtol=1e-5)
    compiled = ms.compile(ms.vmap(cells))
    compiled(tensor(x))
    assert compiled.source.count("@") - compiled.source.count("#@") == 2  # `@function`, one product


def test_gradients_of_an_ensemble_are_those_of_each(mode):
    cells = nn.CellList([nn.Dense(3, 2) for _ in range(2)])
    x = tensor(X[:2].astype(np.float32))
    weights = cells.trainable_params()
    gradients = ms.grad(lambda x: (ms.vmap(cells)(x) ** 2).sum(), None, weights)(x)
    for i, cell in enumerate(cells):
        own = ms.grad(lambda row: (cell(row) ** 2).sum(), None, cell.trainable_params())(x[i])  # noqa: B023
        for one, other in zip(gradients[2 * i : 2 * i + 2], own, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5)


class Counter(nn.Cell):
    def __init__(self, number, step):
        super().__init__()
        self.step = step
        self.count = ms.Parameter(np.zeros((), np.float64), name=f"count{number}")

    def construct(self, x):
        self.count += x.sum() * self.step
        return self.count * 2.0, {"x": x}


@pytest.mark.parametrize("steps", [(1.0, 1.0), (1.0, 3.0)], ids=["alike", "different"])
def test_each_cell_of_an_ensemble_writes_its_own_parameters(mode, steps):
    cells = [Counter(i, step) for i, step in enumerate(steps)]
    doubled, same = ms.vmap(cells)(tensor([[1.0, 2.0], [3.0, 4.0]]))
    expected = [3.0 * steps[0], 7.0 * steps[1]]
    assert [cell.count.item() for cell in cells] == expected
    assert plain(doubled) == [2.0 * x for x in expected]
    assert plain(same["x"]) == [[1.0, 2.0], [3.0, 4.0]]


def test_functions_that_differ_run_one_after_the_other(mode):
    several = [lambda x, y: x * y, lambda x, y: x.sum() + y, ops.maximum]
    found = ms.vmap(several, (0, None), 1)(tensor(X[:3, :2]), tensor([1.0, 10.0]))
    assert plain(found) == [[0.5, 2.75, 1.0], [-10.0, 11.75, 10.0]]


def test_what_is_no_ensemble_is_refused(mode):
    refused_here("E0304", ms.vmap, [])
    refused_here("E0304", ms.vmap, [ops.sin, 3])
    refused_here("E0401", ms.vmap([ops.sin, ops.cos]), tensor(B))
    refused_here("E0306", ms.vmap([ops.sin, lambda x: (x, x)]), tensor(A))
    refused_here("E0104", ms.vmap([ops.sin, ops.cos], 0, None), tensor(A))


def test_errors_name_the_line_of_the_user(mode):
    two = tensor(A)

    def wrong(x):
        return ops.matmul(x, two)

    found = refused_here("E0401", ms.vmap(wrong), tensor(X))
    assert found.location.line == wrong.__code__.co_firstlineno + 1

    def outside(x, i):
        return x[i]

    with pytest.raises(S2sadError) as caught:
        ms.vmap(outside)(tensor(X), ms.Tensor([0, 1, 7, 2]))
    assert caught.value.diagnostic.code == "E0501"
    assert caught.value.diagnostic.location.line == outside.__code__.co_firstlineno + 1


# ---- again -----------------------------------------------------------------------------------


def test_a_second_call_compiles_nothing():
    mapped = ms.vmap(branching)
    compiled = ms.compile(mapped)
    for _ in range(3):
        compiled(tensor(X))
    assert len(compiled.variants) == 1
    compiled(tensor(X[:2]))
    assert len(compiled.variants) == 2
    assert ms.compile(ms.vmap(branching)) is not compiled


def test_stages_are_programs():
    compiled = ms.compile(ms.vmap(branching))
    compiled(tensor(X))
    names = [name for name, _ in compiled.stages.functions]
    assert names[:2] == ["00-primal", "01-expand-transforms"]
    assert 'kind="vmap"' in str(compiled.stages["primal"])
    assert "transform" not in str(compiled.stages["expand-transforms"]).partition("\n")[2]


def test_a_program_on_disk_is_of_its_axes(tmp_path, monkeypatch):
    square = tensor([[1.0, 2.0], [3.0, 4.0]])

    def f(x, y):
        return x * 1.0, y.sum()

    wanted = {
        (0, None): ([[1.0, 2.0], [3.0, 4.0]], [10.0, 10.0]),
        (1, None): ([[1.0, 3.0], [2.0, 4.0]], [10.0, 10.0]),
        (0, 1): ([[1.0, 2.0], [3.0, 4.0]], [4.0, 6.0]),
    }
    for axes, expected in wanted.items():
        for _ in range(2):  # the second is another object, which may find the program of the first
            assert plain(ms.compile(ms.vmap(f, axes))(square, square)) == expected


def test_threads():
    compiled, found = ms.compile(ms.vmap(branching)), []

    def run():
        found.append(compiled(tensor(X)).tolist())

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 4
