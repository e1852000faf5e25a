"""Does compiled source mean what the same source means under plain Python?

Each program is run as it stands and compiled, and must give the same numbers and the same
structure. What is static is evaluated while compiling and leaves no operation behind.
"""

from __future__ import annotations

import math
from functools import wraps

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops

SCALE = 3.0


def tensor(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.random.default_rng(0).normal(size=shape).astype(np.float32))


def same(found, expected) -> None:
    """Equal structures of equal numbers."""
    if isinstance(expected, ms.Tensor):
        assert found.dtype is expected.dtype
        np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
    elif isinstance(expected, dict):
        assert list(found) == list(expected)
        for key in expected:
            same(found[key], expected[key])
    elif isinstance(expected, (tuple, list)):
        assert type(found) is type(expected) and len(found) == len(expected)
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    else:
        assert found is expected is None


def straight(x, y):
    h = x * 2 - y / 4 + 1
    h, k = -h, h
    h += k * x
    return h, k


def nested_results(x, y):
    return {"sum": x + y, "list": [x - y, (x,)], "none": None}


def static_branches(x, y):
    if x.shape[0] == 2 and x.ndim > 1 or y is None:
        x = x + 1
    elif x.dtype is ms.float32:
        x = x * 100
    else:
        x = x * 1000
    return x if not len(y.shape) else x - y


def static_loops(x, y):
    parts = []
    total = x
    for i, factor in enumerate((1.0, 0.5, 0.25)):
        if i == 1:
            continue
        total = total + y * factor
        parts = [*parts, total]
    count = 0
    while True:
        count += 1
        if count > 3:
            break
    else:
        total = total * 0
    for _ in range(0):
        total = total * 0
    else:
        total = total + count
    return total, parts


def comprehensions(x, y):
    terms = [x * i + j for i in range(3) if i != 1 for j in (1, 2)]
    out = y
    for term in terms:
        out = out + term
    return out


def strings_and_dicts(x, y):
    table = {"a": x, **{"b": y}}
    name = f"{'a'}" + "b"[1:]
    return table[name] + table["b"] * len("abc".upper())


def starred(x, y):
    first, *rest = (x, y, x + y)
    values = [*rest, first]
    return add_all(*values, extra=y), values[-1]


def add_all(first, *others, extra=0.0, scale=SCALE):
    total = first
    for other in others:
        total = total + other
    return (total + extra) * scale


def comparisons(x, y):
    larger = ops.where(x > y, x, y)
    return larger, (x <= y), 1 < len(x.shape) <= 3 and larger.sum()


def chained_or(x, y):
    scale = 0 or None or 2.0
    return x * scale, y @ x.T


def pure_builtins(x, y):
    sizes = sorted(x.shape, reverse=True)
    return x * math.sqrt(max(sizes)) + sum(sizes) * divmod(7, 2)[0] + int("3"), y


def early_return(x, y):
    for i in range(5):
        if i == 2:
            return x * i
    return y


def reads_a_global(x, y):
    return x * SCALE + y


PROGRAMS = [
    straight, nested_results, static_branches, static_loops, comprehensions, strings_and_dicts,
    starred, comparisons, chained_or, pure_builtins, early_return, reads_a_global,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled_is_python(program) -> None:
    x, y = tensor(2, 3), tensor(2, 3) * 0.5 + 1
    same(ms.compile(program)(x, y), program(x, y))


def test_static_code_leaves_no_operation() -> None:
    compiled = ms.compile(static_branches)
    compiled(tensor(2, 3), tensor(2, 3))
    names = [op.prim.name for op in compiled.stages["primal"].walk()]
    assert names == ["const", "add", "sub"]


class Inner(nn.Cell):
    def __init__(self, size):
        super().__init__()
        self.w = ms.Parameter(tensor(size))
        self.sign = -1

    def scaled(self, x):
        return x * self.w * self.sign

    def construct(self, x):
        return self.scaled(x)


class Outer(Inner):
    shift = 0.5

    def __init__(self):
        super().__init__(3)
        self.inner = Inner(3)
        self.stack = nn.SequentialCell(nn.ReLU(), nn.Tanh())

    @property
    def doubled(self):
        return 2 * self.shift

    @staticmethod
    def plus(x, y):
        return x + y

    def construct(self, x, factor=2.0):
        base = super().construct(x)
        return self.plus(self.stack(self.inner(base)), self.doubled) * factor


def test_cells_methods_properties_super() -> None:
    net, x = Outer(), tensor(4, 3)
    same(ms.compile(net)(x), net.construct(x))
    same(ms.compile(net)(x, factor=3.0), net.construct(x, factor=3.0))


def test_operations_know_their_cells() -> None:
    compiled = ms.compile(Outer())
    compiled(tensor(4, 3))
    scopes = {op.prim.name: op.scope for op in compiled.stages["primal"].walk()}
    assert scopes["tanh"] == "Outer/stack:SequentialCell/1:Tanh"


def test_closures_are_read_at_the_call() -> None:
    weight = tensor(3)

    def program(x):
        return x * weight + offset

    offset = 1.0
    compiled = ms.compile(program)
    same(compiled(tensor(3)), program(tensor(3)))
    offset = 2.0
    same(compiled(tensor(3)), program(tensor(3)))
    weight = weight * 2
    same(compiled(tensor(3)), program(tensor(3)))
    assert len(compiled.variants) == 3


def test_changed_defaults_compile_anew() -> None:
    def program(x, k=2.0, *, shift=1.0):
        return x * k + shift

    compiled = ms.compile(program)
    same(compiled(tensor(3)), program(tensor(3)))
    program.__defaults__ = (4.0,)
    same(compiled(tensor(3)), program(tensor(3)))
    program.__kwdefaults__["shift"] = 0.5
    same(compiled(tensor(3)), program(tensor(3)))


def test_an_attribute_that_changes_compiles_anew_and_back() -> None:
    net, x = Inner(3), tensor(3)
    compiled = ms.compile(net)
    for sign in (-1, 1, -1, 1.0):
        net.sign = sign
        same(compiled(x), net.construct(x))
    assert len(compiled.variants) == 3  # -1, 1 and 1.0


def test_parameters_are_read_live() -> None:
    net, x = Inner(3), tensor(3)
    compiled = ms.compile(net)
    before = compiled(x).asnumpy()
    net.w.set_data(net.w.asnumpy() * 2)
    np.testing.assert_array_equal(compiled(x).asnumpy(), 2 * before)
    net.w = ms.Parameter(ms.Tensor(np.zeros(3, np.float32)))
    np.testing.assert_array_equal(compiled(x).asnumpy(), 0 * before)


def test_a_parameter_reached_by_two_paths_is_one_input() -> None:
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.one = Inner(3)
            self.two = Inner(3)
            self.two.w = self.one.w

        def construct(self, x):
            return self.two(self.one(x))

    compiled = ms.compile(Tied())
    compiled(tensor(3))
    assert len(compiled.stages["primal"].args) == 2


def test_other_types_and_other_static_values_are_other_variants() -> None:
    compiled = ms.compile(lambda x, n: x * n)
    for x, n in ((tensor(2), 2), (tensor(2), 2), (tensor(3), 2), (tensor(2), 3)):
        same(compiled(x, n), x * n)
    assert len(compiled.variants) == 3


def test_what_is_passed_in_never_changes_and_results_are_free() -> None:
    compiled = ms.compile(lambda x: (x, x.T, x + 1))
    x = tensor(2, 2)
    before = x.asnumpy().copy()
    for result in compiled(x):
        result.asnumpy()[...] = 7.0
    np.testing.assert_array_equal(x.asnumpy(), before)


def test_assignments_to_parameters_are_seen_in_order() -> None:
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = ms.Parameter(ms.Tensor([1.0]), requires_grad=False)

        def construct(self, x):
            before = self.n * x
            ops.assign(self.n, self.n * 2.0)
            return before, self.n * x

    net = Counter()
    compiled = ms.compile(net)
    before, after = compiled(ms.Tensor([3.0]))
    assert before.item() == 3.0 and after.item() == 6.0 and net.n.item() == 2.0
    compiled(ms.Tensor([3.0]))
    assert net.n.item() == 4.0
    assert list(compiled.stages["primal"].donates.values()) == [2]


def test_a_decorator_around_a_function_is_kept() -> None:
    def doubling(function):
        @wraps(function)
        def wrapper(x):
            return function(x) * 2

        return wrapper

    @doubling
    def program(x):
        return x + 1

    same(ms.compile(program)(tensor(3)), program(tensor(3)))


def test_lambdas_on_one_line_are_told_apart() -> None:
    k = 2.0
    one, two, three = ms.compile(lambda x: x + 1), ms.compile(lambda x: x + 2), ms.compile(lambda y: y * k)  # noqa: E501 # fmt: skip
    x = ms.Tensor([3.0])
    assert [f(x).item() for f in (one, two, three)] == [4.0, 5.0, 6.0]
    folded, inner = ms.compile(lambda x: x + 1 if False else x + 7), ms.compile((lambda k: lambda x: x * k)(5.0))  # noqa: E501 # fmt: skip
    assert [f(x).item() for f in (folded, inner)] == [10.0, 15.0]


class Tenfold(nn.Cell):
    """The square, which claims that its derivative is 10 x."""

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0]), name="w")
        self.factor = 10.0

    def construct(self, x, n=1):
        return x * x * self.w

    def bprop(self, x, n, out, dout):
        return dout * x * self.factor + out * 0, 0


def test_bprop_is_the_gradient() -> None:
    net = Tenfold()
    x = ms.Tensor([3.0])
    value, (by_input, by_weight) = ms.value_and_grad(net, 0, (net.w,))(x)
    assert value.item() == 18.0 and by_input.item() == 30.0 and by_weight[0].item() == 0.0


def test_bprop_inside_a_network() -> None:
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Tenfold()

        def construct(self, x, n):
            i = 0
            while i < n:
                x = self.inner(x, 1)
                i = i + 1
            return x

    gradient = ms.grad(Outer())(ms.Tensor([3.0]), ms.Tensor(2))
    assert gradient.item() == 10 * 18.0 * 10 * 3.0


def test_bprop_of_several_inputs_and_outputs() -> None:
    class Swap(nn.Cell):
        def construct(self, x, y):
            return y * 1.0, x * 1.0

        def bprop(self, x, y, out, dout):
            return dout[1] * 3.0 + y, dout[0] * 5.0 + out[1] * 0

    def program(x, y):
        a, b = swap(x, y)
        return a * 2.0 + b

    swap = Swap()
    dx, dy = ms.grad(program, (0, 1))(ms.Tensor([1.0]), ms.Tensor([7.0]))
    assert (dx.item(), dy.item()) == (10.0, 10.0)


def test_a_bprop_that_does_not_fit_is_told() -> None:
    class Wrong(nn.Cell):
        def construct(self, x, y):
            return x + y

        def bprop(self, x, y, out, dout):
            return (dout,)

    with pytest.raises(ms.S2sadError, match="E0302"):
        ms.grad(Wrong())(ms.Tensor([1.0]), ms.Tensor([7.0]))
