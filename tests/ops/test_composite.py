"""What calls functions: maps over trees, dispatch on types, partial, and the older import paths."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.ops import composite as C  # noqa: N812
from s2sad.ops import functional as F  # noqa: N812
from s2sad.ops import operations as P  # noqa: N812
from support.forms import both_forms, plain, refused, require_same

X, Y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])
TREE = (X, [Y, (X + Y,)])

clip = C.MultitypeFuncGraph("clip")


@clip.register("Number", "Number", "Tensor")
def _clip(kind: int, limit: float, gradient: Any) -> Any:
    if kind not in (0, 1):
        return gradient
    dtype = F.dtype(gradient)
    if kind == 0:
        low, high = (F.cast(F.tuple_to_array((sign * limit,)), dtype) for sign in (-1.0, 1.0))
        return C.clip_by_value(gradient, low, high)
    return nn.ReLU()(gradient)


@clip.register("Number", "Number", "Tuple")
def _clip_all(kind: int, limit: float, gradients: Any) -> Any:
    return tuple([clip(kind, limit, each) for each in gradients])


def test_maps_in_both_forms():
    def run(x: Any, y: Any) -> Any:
        tree = (x, [y, (x + y,)])
        return (
            C.HyperMap()(lambda a: a * 2.0, tree), C.HyperMap(P.Neg())(tree),
            C.HyperMap(F.tensor_add)(tree, tree), C.Map(lambda a, b: a - b)((x, y), [y, x]),
            C.Map()(lambda a: (a, a), [x]), C.HyperMap()(lambda a: a + 1.0, x),
            C.Map(ops.Add())((), ()), C.HyperMap(lambda n: n + 1)((1, (2, [3]))),
        )  # fmt: skip

    x, y = X.asnumpy(), Y.asnumpy()

    def each(by: Any) -> Any:
        return plain((ms.Tensor(by(x)), (ms.Tensor(by(y)), (ms.Tensor(by(x + y)),))))

    assert plain(both_forms(run, X, Y)) == (
        each(lambda a: a * 2), each(lambda a: -a), each(lambda a: a + a),
        ([-2.0, -2.0], [2.0, 2.0]), (([1.0, 2.0],) * 2,), [2.0, 3.0], (), (2, (3, (4,))),
    )  # fmt: skip


@pytest.mark.parametrize("reverse, order", [(False, [1, 2, 3, 4]), (True, [4, 3, 2, 1])])
def test_the_order_of_calls(reverse, order):
    seen: list[int] = []

    def note(n: int) -> int:
        seen.append(n)
        return n * 10

    assert C.HyperMap(note, reverse)((1, (2, 3), 4)) == (10, (20, 30), 40)
    assert C.Map(note, reverse=reverse)([1, 2, 3, 4]) == (10, 20, 30, 40)
    assert seen == order * 2


def test_maps_as_attributes_are_read_again_when_they_change():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.map = ops.HyperMap(ops.Square())

        def construct(self, *xs: Any) -> Any:
            return self.map(xs)

    net = Net()
    compiled = ms.compile(net)
    for function in (ops.square, ops.neg, ops.Sqrt()):
        net.map.ops = function
        require_same(compiled(X, Y), (function(X), function(Y)))
        require_same(net(X, Y), (function(X), function(Y)))


def test_gradients_are_clipped_as_scripts_do():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([5.0, -7.0]), name="w")
            self.map = C.HyperMap()

        def construct(self, x: Any) -> Any:
            gradients = C.GradOperation(get_all=True, sens_param=True)(F.tensor_mul)(x, self.w, x)
            return self.map(F.partial(clip, 0, 2.5), gradients), clip(1, 0.0, gradients)

    net = Net()
    for run in (net, ms.compile(net)):
        found = run(ms.Tensor([1.0, 2.0]))
        assert plain(found) == (([2.5, -2.5], [1.0, 2.5]), ([5.0, 0.0], [1.0, 4.0]))


def test_functions_by_type():
    kinds = ops.MultitypeFuncGraph("kinds", read_value=True)
    cases = {
        "Bool": True, "Number": 3, "String": "a", "Tensor": X, "Tuple": (X,), "List": [X],
        "None": None, "Dict": {}, "Function": ops.add,
    }  # fmt: skip
    for n, name in enumerate(cases):
        assert kinds.register(name)(lambda x, n=n: n)(None) == n
    kinds.register(float, "Tensor")(lambda n, x: x * n)
    w = ms.Parameter(X, name="w")

    def run(x: Any, w: Any) -> Any:
        found = [kinds(case) for case in (True, 3, "a", x, (x,), [x], None, {}, F.add)]
        return tuple(found), kinds(w), kinds(0.5), kinds(1.5, w)

    assert plain(both_forms(run, X, w)) == (tuple(range(9)), 3, 1, [1.5, 3.0])


def test_a_function_registered_later_is_seen():
    late = ops.MultitypeFuncGraph("late")
    late.register("Tensor", "Tensor")(lambda x, y: x + y)

    def run(x: Any) -> Any:
        return late(x, 2.0) if TWO_KINDS else late(x, x)

    TWO_KINDS = False  # noqa: N806
    compiled = ms.compile(run)
    assert compiled(X).tolist() == [2.0, 4.0]
    TWO_KINDS = True  # noqa: N806
    with pytest.raises(TypeError, match=r"late has no function for \(f32\[2\], 2.0\)"):
        compiled(X)
    late.register("Tensor", "Number")(lambda x, n: x * n)
    assert compiled(X).tolist() == [2.0, 4.0]
    late.entries[1] = (("Tensor", "Number"), lambda x, n: x - n)
    assert compiled(X).tolist() == [-1.0, 0.0]


@pytest.mark.parametrize("code, function", [
    ("E0401", lambda x: C.Map(ops.add)((x, x), (x,))),
    ("E0401", lambda x: C.HyperMap(ops.add)((x, (x, x)), (x, (x,)))),
    ("E0304", lambda x: C.HyperMap(ops.add)((x, x), x)),
    ("E0304", lambda x: C.Map(ops.neg)(x)),
    ("E0302", lambda x: C.Map(ops.neg)() or x),
    ("E0304", lambda x: C.Map(3)((x,))),
    ("E0303", lambda x: C.Map(ops.neg, reverse=2)((x,))),
    ("E0304", lambda x: clip("a", 1.0, x)),
    ("E0304", lambda x: clip(1.0, x)),
    ("E0303", lambda x: C.MultitypeFuncGraph(3)(x)),
])  # fmt: skip
def test_refused(code, function):
    refused(code, function, X)


def test_types_must_be_known():
    graph = ops.MultitypeFuncGraph("graph")
    with pytest.raises(ValueError, match="did you mean Tensor"):
        graph.register("Tensors")
    with pytest.raises(TypeError, match="E0304"):
        graph.register(3)


def test_partial():
    def run(x: Any) -> Any:
        by = ops.partial(ops.add, x)
        return by(1.0), F.partial(lambda a, b, c: a * b + c, x, 2.0)(3.0)

    assert plain(both_forms(run, X)) == ([2.0, 3.0], [5.0, 7.0])


def test_gradients_go_through_maps():
    def total(x: Any) -> Any:
        squares = C.HyperMap(lambda a, n: a * a * n)((x, (x, x)), (1.0, (2.0, 3.0)))
        return C.HyperMap()(ops.sum, squares)[0] + squares[1][0].sum() + squares[1][1].sum()

    np.testing.assert_allclose(ms.grad(total)(X).asnumpy(), 12 * X.asnumpy(), rtol=1e-6)


def test_the_older_paths_have_the_same_things():
    assert ops.operations is P and ops.functional is F
    assert P.Concat is ops.Concat and F.concat is ops.concat and F.depend is ops.depend
    assert C.HyperMap is ops.HyperMap and C.GradOperation is ops.GradOperation
    assert F.tensor_add is ops.add and F.tensor_slice is ops.slice and F.partial is ops.partial
    assert {"Concat", "add", "HyperMap", "operations"} <= set(dir(ops))
    with pytest.raises(AttributeError, match="did you mean tanh"):
        F.tanhh
    assert "tensor_add" in dir(F)


def test_printing(capsys):
    both_forms(lambda x: (ops.print_("a", x), x)[1], X)
    assert capsys.readouterr().out == "a\n[1. 2.]\n" * 2
