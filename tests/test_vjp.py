"""Does a pullback give the right gradients, whenever it is called, and in the right form?

Right are those of `ms.grad` with the same cotangent, bit for bit: the same joint program computes
both. That one is held to float64 differences elsewhere.
"""

from __future__ import annotations

import copy
import gc
import linecache
import subprocess
import sys
import threading
import traceback
import tracemalloc
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.core.transform import Transform
from s2sad.ir import store
from s2sad.ir.archive import load_arrays
from s2sad.ir.evaluate import evaluate
from s2sad.prims import ALL
from support.dumps import run_plainly, same_values
from support.snapshot_programs import Mlp, repeated

X = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
ROOT = Path(__file__).parents[1]
LABELS = np.array([0, 1])
A, B = np.array([2.0, 3.0]), np.array([5.0, 7.0])


def tensor(data):
    return ms.Tensor(np.asarray(data))


def plain(result):
    """`result` with lists of numbers in place of its tensors."""
    if isinstance(result, ms.Tensor):
        return result.tolist()
    if isinstance(result, dict):
        return {key: plain(item) for key, item in result.items()}
    if isinstance(result, (tuple, list)):
        return type(result)(plain(item) for item in result)
    return result


def bits(tree):
    """Types and bytes of all tensors of a tree."""
    if isinstance(tree, ms.Tensor):
        return tree.array.dtype.str, tree.shape, tree.array.tobytes()
    if isinstance(tree, dict):
        return {key: bits(item) for key, item in tree.items()}
    if isinstance(tree, (tuple, list)):
        return [bits(item) for item in tree]
    return tree


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    before = ms.get_context("mode")
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=before)


def refused(code, run, *args, **kwargs):
    """The error that `run` raises; it says where in this file."""
    with pytest.raises(S2sadError) as caught:
        run(*args, **kwargs)
    found = caught.value.diagnostic
    assert found.code == code, found.render()
    assert found.location is not None and Path(found.location.file).name == Path(__file__).name
    return found


# ---- the same numbers as `grad` --------------------------------------------------------------


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.linspace(-0.5, 0.5, 9).reshape(3, 3), name="w")
        self.b = ms.Parameter(np.full(3, 0.1), name="b")

    def construct(self, x, n):
        i = 0
        h = x
        while i < n:
            h = ops.tanh(ops.matmul(h, self.w) + self.b)
            i = i + 1
        return h


class Branching(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.linspace(0.5, 1.5, 3), name="w")

    def construct(self, x):
        if x.sum() > 0:
            y = ops.exp(x * self.w)
        else:
            y = x / self.w
        return y * y


CASES = [
    (Mlp, (X, LABELS)),
    (Recurrent, (X, np.array(4))),
    (Recurrent, (X, np.array(0))),
    (Branching, (X,)),
    (Branching, (-X - 1,)),
]


@pytest.mark.parametrize(("cell", "arrays"), CASES)
def test_gradients_are_those_of_grad(mode, cell, arrays):
    net, args = cell(), [tensor(a) for a in arrays]
    weights = net.trainable_params()
    rng = np.random.default_rng(0)
    output, vjp_fn = ms.vjp(net, *args, weights=weights)
    seed = tensor(rng.normal(size=output.shape))
    wanted, (dx, by_weight) = ms.value_and_grad(net, 0, weights, sens_param=True)(*args, seed)
    by_input = (dx, *(tensor(np.zeros_like(n)) for n in arrays[1:]))
    assert bits(output) == bits(wanted)
    for _ in range(2):
        assert bits(vjp_fn(seed)) == bits((by_input, by_weight))
    output, pullback = ms.compile(net).vjp(*args)
    inputs, named = pullback(seed)
    assert bits(output) == bits(wanted) and bits(inputs) == bits(by_input)
    assert bits(named) == {w.name: bits(g) for w, g in zip(weights, by_weight, strict=True)}


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
def test_narrow_floats(dtype):
    x, w = ms.Tensor(X, dtype), ms.Tensor(X[::-1].copy(), dtype)

    def f(x, w):
        return ops.exp(ops.matmul(x, w.transpose(1, 0)) / 4.0)

    output, vjp_fn = ms.vjp(f, x, w)
    seed = ms.Tensor(np.array([[1.0, -2.0], [0.5, 3.0]]), dtype)
    assert bits(vjp_fn(seed)) == bits(ms.grad(f, (0, 1), sens_param=True)(x, w, seed))
    assert output.dtype is dtype


# ---- forms: `ms.vjp` -------------------------------------------------------------------------


def product(x, y):
    return x * y


def test_one_input_has_a_tuple_of_one(mode):
    output, vjp_fn = ms.vjp(lambda x: x * x, tensor(A))
    assert plain(output) == [4.0, 9.0]
    assert plain(vjp_fn(tensor([1.0, 10.0]))) == ([4.0, 60.0],)


def test_weights_stand_beside_inputs(mode):
    w, v = ms.Parameter(tensor(B), name="w"), ms.Parameter(tensor(A), name="v")

    def f(x):
        return x * w

    seed = tensor([1.0, 1.0])
    for weights, wanted in (
        ([w], ([2.0, 3.0],)),
        ((v, w), ([0.0, 0.0], [2.0, 3.0])),
        (ms.ParameterTuple([w]), ([2.0, 3.0],)),
        (w, [2.0, 3.0]),
        ([], ()),
    ):
        _, vjp_fn = ms.vjp(f, tensor(A), weights=weights)
        assert plain(vjp_fn(seed)) == (([5.0, 7.0],), wanted)
    w.requires_grad = False
    _, vjp_fn = ms.vjp(f, tensor(A), weights=[w])
    assert plain(vjp_fn(seed)) == (([5.0, 7.0],), ([0.0, 0.0],))


def test_a_function_of_weights_only():
    w = ms.Parameter(tensor(B), name="w")
    output, vjp_fn = ms.vjp(lambda: w * w, weights=w)
    assert plain(output) == [25.0, 49.0]
    assert plain(vjp_fn(tensor([1.0, 2.0]))) == ((), [10.0, 28.0])


def test_aux_comes_third(mode):
    def one(x):
        return x * x, x + 1.0

    def two(x):
        return x * x, x + 1.0, {"twice": x + x}

    output, vjp_fn, aux = ms.vjp(one, tensor(A), has_aux=True)
    assert plain([output, aux]) == [[4.0, 9.0], [3.0, 4.0]]
    assert plain(vjp_fn(tensor([1.0, 1.0]))) == ([4.0, 6.0],)
    output, vjp_fn, aux = ms.vjp(two, tensor(A), has_aux=True)
    assert plain(aux) == ([3.0, 4.0], {"twice": [4.0, 6.0]})
    assert plain(vjp_fn(tensor([1.0, 1.0]))) == ([4.0, 6.0],)
    refused("E0404", ms.vjp, lambda x: x, tensor(A), has_aux=True)


def test_several_outputs_have_a_cotangent_each(mode):
    def f(x, y):
        return x * y, x + y

    output, vjp_fn = ms.vjp(f, tensor(A), tensor(B))
    assert plain(output) == ([10.0, 21.0], [7.0, 10.0])
    seeds = tensor([1.0, 2.0]), tensor([10.0, 20.0])
    wanted = ([15.0, 34.0], [12.0, 26.0])
    assert plain(vjp_fn(*seeds)) == plain(vjp_fn(seeds)) == plain(vjp_fn([*seeds])) == wanted
    assert plain(vjp_fn(seeds[0], None)) == ([5.0, 14.0], [2.0, 6.0])
    assert plain(vjp_fn(None)) == ([0.0, 0.0], [0.0, 0.0])
    output, vjp_fn = ms.vjp(lambda x: (x * x,), tensor(A))
    assert plain(vjp_fn(seeds[0])) == plain(vjp_fn((seeds[0],))) == ([4.0, 12.0],)


def test_inputs_that_hold_no_tensor_have_no_gradient():
    _, vjp_fn = ms.vjp(product, tensor(A), 3.0)
    assert plain(vjp_fn(tensor([1.0, 1.0]))) == ([3.0, 3.0],)
    one = tensor(A)
    found = refused("E0308", ms.vjp, lambda x: one * x, 3.0)
    assert "nothing to differentiate" in found.message


def test_integers_have_zeros():
    _, vjp_fn = ms.vjp(product, tensor(A), tensor(np.array([2, 3], np.int32)))
    dx, dn = vjp_fn(tensor([1.0, 1.0]))
    assert dn.dtype is ms.int32 and plain([dx, dn]) == [[2.0, 3.0], [0, 0]]


def test_anything_that_can_be_called():
    net = Mlp()
    args, seed = (tensor(X), tensor(LABELS)), tensor(1.0)
    wanted = bits(ms.vjp(net, *args)[1](seed))
    assert bits(ms.vjp(ms.compile(net), *args)[1](seed)) == wanted
    assert bits(ms.vjp(net.construct, *args)[1](seed)) == wanted
    assert bits(ms.vjp(lambda x, labels: net(x, labels), *args)[1](seed)) == wanted
    refused("E0304", ms.vjp, 3, tensor(A))
    refused("E0304", ms.vjp, product, tensor(A), tensor(B), weights=[tensor(A)])


def test_the_vjp_of_a_gradient(mode):
    def cubed(x):
        return x * x * x

    first, vjp_fn = ms.vjp(ms.grad(cubed), tensor(A))
    assert plain(first) == [12.0, 27.0]
    assert plain(vjp_fn(tensor([1.0, 10.0]))) == ([12.0, 180.0],)
    (value, first), vjp_fn = ms.vjp(ms.value_and_grad(cubed), tensor(A))
    assert plain([value, first]) == [[8.0, 27.0], [12.0, 27.0]]
    assert plain(vjp_fn(tensor([1.0, 1.0]), tensor([1.0, 10.0]))) == ([24.0, 207.0],)
    seeded = ms.grad(cubed, sens_param=True)
    first, vjp_fn = ms.vjp(seeded, tensor(A), tensor([1.0, 2.0]))
    assert plain(first) == [12.0, 54.0]
    assert plain(vjp_fn(tensor([1.0, 1.0]))) == ([12.0, 36.0], [12.0, 27.0])


def test_a_pullback_has_no_gradient():
    transform = Transform("vjp", product, None)
    refused("E0304", ms.compile(transform).vjp, tensor(A), tensor(B))
    refused("E0304", ms.grad(transform), tensor(A), tensor(B))


def test_a_second_call_compiles_nothing():
    def f(x):
        return x * 2.0

    w = ms.Parameter(tensor(A), name="w")
    made = [ms.vjp(f, tensor(A), weights=[w])[1] for _ in range(3)]
    assert len({id(pullback.backward) for pullback in made}) == 1
    net = Mlp()
    made = [ms.vjp(net.construct, tensor(X), tensor(LABELS))[1] for _ in range(2)]
    assert made[0].backward is made[1].backward


# ---- forms: `Compiled.vjp` -------------------------------------------------------------------


Pair = namedtuple("Pair", ["first", "second"])


def test_gradients_have_the_form_of_the_arguments():
    def f(states, x, n, *more, scale):
        return states["a"] * states["b"][0] * n + x.first * more[0] * scale

    c = ms.compile(f)
    states = {"a": tensor(A), "b": [tensor(B), 3]}
    scale = tensor([2.0, 2.0])
    _, pullback = c.vjp(states, Pair(tensor(B), None), 2, tensor(A), scale=scale)
    (by_states, by_x, by_n, by_more), weights = pullback(tensor([1.0, 10.0]))
    assert plain(by_states) == {"a": [10.0, 140.0], "b": [[4.0, 60.0], None]}
    assert type(by_x) is Pair and plain(by_x.first) == [4.0, 60.0] and by_x.second is None
    assert by_n is None and plain(by_more) == [10.0, 140.0] and weights == {}
    _, pullback = ms.compile(product).vjp(y=tensor(B), x=tensor(A))
    assert plain(pullback(tensor([1.0, 1.0]))) == (([5.0, 7.0], [2.0, 3.0]), {})


def test_cotangents_have_the_form_of_the_output():
    def f(x):
        return {"loss": x * x, "more": [x + 1.0, None, (x > 2.0, x * 3.0)]}

    c = ms.compile(f)
    output, pullback = c.vjp(tensor(A))
    one, ten = tensor([1.0, 1.0]), tensor([10.0, 10.0])
    full = {"loss": one, "more": [ten, None, (output["more"][2][0], one)]}
    assert plain(pullback(full)) == (([17.0, 19.0],), {})
    some = {"loss": None, "more": (ten, None, [None, None])}
    assert plain(pullback(some)) == (([10.0, 10.0],), {})
    assert plain(pullback({"loss": one, "more": None})) == (([4.0, 6.0],), {})


def test_cotangents_of_another_form():
    def f(x):
        return {"loss": x * x, "more": [x + 1.0, None]}

    one = tensor([1.0, 1.0])
    _, pullback = ms.compile(f).vjp(tensor(A))
    for code, seed, says in (
        ("E0304", one, "the cotangent must be a dict of 'loss', 'more'"),
        ("E0304", {"loss": one}, "must be a dict"),
        ("E0304", {"loss": A, "more": None}, "the cotangent['loss'] must be a Tensor"),
        ("E0304", {"loss": 1.0, "more": None}, "got float"),
        ("E0304", {"loss": one, "more": [one]}, "the cotangent['more'] must be 2 of them"),
        ("E0304", {"loss": one, "more": [one, one]}, "the cotangent['more'][1] must be None"),
        ("E0401", {"loss": tensor([1.0]), "more": None}, "cannot be f64[1]"),
        ("E0301", {"loss": ms.Tensor([1.0, 1.0]), "more": None}, "cannot be f32[2]"),
    ):
        assert says in refused(code, pullback, seed).message
    assert "Tensor" in (refused("E0304", pullback, {"loss": A, "more": None}).help or "")
    refused("E0302", pullback)
    refused("E0304", pullback, one, one)
    _, single = ms.compile(product).vjp(tensor(A), tensor(B))
    refused("E0304", single, one, one)
    refused("E0301", single, tensor([1, 1]))


def test_parameters_that_count():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(tensor(A), name="w")
            self.frozen = ms.Parameter(tensor(B), name="frozen", requires_grad=False)
            self.unread = ms.Parameter(ms.Tensor([1.0]), name="unread")

        def construct(self, x):
            return x * self.w + self.frozen

    net = Net()
    c = ms.compile(net)
    seed = tensor([1.0, 1.0])
    _, pullback = c.vjp(tensor(B))
    assert plain(pullback(seed)) == (([2.0, 3.0],), {"w": [5.0, 7.0], "unread": [0.0]})
    net.frozen.requires_grad = True
    net.unread.requires_grad = False
    net.w.name = "weight"
    _, pullback = c.vjp(tensor(B))
    assert plain(pullback(seed)[1]) == {"weight": [5.0, 7.0], "frozen": [1.0, 1.0]}


def test_parameters_of_a_function():
    w, v = ms.Parameter(tensor(A), name="w"), ms.Parameter(tensor(B), name="w")
    c = ms.compile(lambda x: x * w)
    assert plain(c.vjp(tensor(B))[1](tensor([1.0, 1.0]))[1]) == {"w": [5.0, 7.0]}
    refused("E0406", ms.compile(lambda x: x * w + v).vjp, tensor(A))


def test_a_parameter_given_as_an_argument():
    w = ms.Parameter(tensor(A), name="w")
    _, pullback = ms.compile(product).vjp(w, tensor(B))
    assert plain(pullback(tensor([1.0, 1.0]))) == (([5.0, 7.0], [2.0, 3.0]), {"w": [5.0, 7.0]})


# ---- later -----------------------------------------------------------------------------------


def scaled(x, y):
    return ops.exp(x) * y


@pytest.fixture
def made():
    """A pullback with what it depends on, and its gradients."""
    w = ms.Parameter(tensor(A), name="w")
    x = tensor(B / 10)

    def f(x):
        return ops.exp(x * w) * w

    c = ms.compile(f)
    output, pullback = c.vjp(x)
    return w, x, output, pullback, bits(pullback(tensor(A)))


def test_parameters_may_change(made):
    w, _, _, pullback, wanted = made
    for change in (
        lambda: w.set_data(tensor([100.0, 100.0])),
        lambda: np.copyto(w.asnumpy(), 7.0),
        lambda: ms.compile(lambda: ops.assign(w, w * 3.0))(),
        lambda: ops.assign_add(w, 1.0),
    ):
        before = plain(w)
        change()
        assert plain(w) != before, "the change reaches the Parameter"
        assert bits(pullback(tensor(A))) == wanted


def test_inputs_and_outputs_may_change(made):
    _, x, output, pullback, wanted = made
    shown = plain(output)
    np.copyto(x.asnumpy(), 7.0)
    assert plain(x) == [7.0, 7.0] and bits(pullback(tensor(A))) == wanted
    np.copyto(output.asnumpy(), 7.0)
    assert plain(output) != shown and bits(pullback(tensor(A))) == wanted
    x[0], output[1] = 8.0, 9.0
    assert plain([x, output]) == [[8.0, 7.0], [7.0, 9.0]]
    assert bits(pullback(tensor(A))) == wanted


def test_memory_that_others_see_is_copied():
    batch = B / 10
    x = ms.Tensor.from_numpy(batch)
    view = (w := ms.Parameter(tensor(A), name="w")).asnumpy()
    _, vjp_fn = ms.vjp(lambda x: ops.exp(x) * w, x, weights=w)
    wanted = bits(vjp_fn(tensor(A)))
    batch[:], view[:] = 9.0, 9.0
    assert plain(x) == [9.0, 9.0] and plain(w) == [9.0, 9.0]
    assert bits(vjp_fn(tensor(A))) == wanted


def test_gradients_belong_to_the_caller(made):
    _, _, _, pullback, wanted = made
    inputs, weights = pullback(tensor(A))
    np.copyto(inputs[0].asnumpy(), 7.0)
    np.copyto(weights["w"].asnumpy(), 7.0)
    assert bits(pullback(tensor(A))) == wanted
    seed = tensor(A)
    _, vjp_fn = ms.vjp(lambda x: x + 1.0, tensor(B))
    (gradient,) = vjp_fn(seed)
    np.copyto(gradient.asnumpy(), 7.0)
    assert plain(seed) == plain(A.tolist())


def test_the_input_as_output_and_as_gradient():
    class Identity(nn.Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            return (x,)

    x = tensor(A)
    output, vjp_fn = ms.vjp(Identity(), x)
    assert plain(vjp_fn(tensor(B))) == ([2.0, 3.0],)
    np.copyto(output.asnumpy(), 7.0)
    np.copyto(x.asnumpy(), 8.0)
    (gradient,) = vjp_fn(tensor(B))
    np.copyto(gradient.asnumpy(), 9.0)
    assert plain(vjp_fn(tensor(B))) == ([2.0, 3.0],)


def test_views_of_inputs_on_a_stack(mode):
    def f(x, n):
        i = 0
        while i < n:
            x = x.transpose(1, 0) * x
            i = i + 1
        return x

    x = tensor(np.array([[0.5, -1.0], [1.5, 0.25]]))
    output, vjp_fn = ms.vjp(f, x, tensor(3))
    seed = tensor(np.eye(2))
    wanted = bits(vjp_fn(seed))
    assert bits(ms.grad(f, sens_param=True)(x, tensor(3), seed)) == wanted[0]
    np.copyto(x.asnumpy(), 7.0)
    np.copyto(output.asnumpy(), 7.0)
    assert bits(vjp_fn(seed)) == wanted and bits(vjp_fn(seed)) == wanted


def test_several_pullbacks_live_side_by_side():
    w = ms.Parameter(tensor(A), name="w")
    c = ms.compile(lambda x: x * w * w)
    made = []
    for step in range(4):
        made.append((plain(w), c.vjp(tensor(B))[1]))
        w.set_data(w.asnumpy() + float(step + 1))
    for (w0, w1), pullback in made:
        assert plain(pullback(tensor([1.0, 1.0]))[0]) == ([w0 * w0, w1 * w1],)


def test_what_is_written_is_written_once(mode):
    count = ms.Parameter(tensor([0.0, 0.0]), name="count", requires_grad=False)

    def f(x):
        ops.assign(count, count + 1.0)
        return ops.exp(x) * count

    _, vjp_fn = ms.vjp(f, tensor(A))
    wanted = plain(vjp_fn(tensor([1.0, 1.0])))
    assert plain(count) == [1.0, 1.0]
    assert wanted == (np.exp(A).tolist(),)
    ms.vjp(f, tensor(A))
    assert plain(count) == [2.0, 2.0] and plain(vjp_fn(tensor([1.0, 1.0]))) == wanted


def test_the_gradient_is_with_respect_to_the_value_at_entry():
    w = ms.Parameter(tensor(A), name="w")

    def f(x):
        ops.assign(w, w * w)
        return x * w

    _, vjp_fn = ms.vjp(f, tensor(B), weights=w)
    assert plain(w) == [4.0, 9.0]
    assert plain(vjp_fn(tensor([1.0, 1.0]))) == (([4.0, 9.0],), [20.0, 42.0])


def test_a_pullback_from_several_threads():
    _, pullback = ms.compile(Recurrent()).vjp(tensor(X), tensor(5))
    wanted, found = bits(pullback(tensor(X))), []
    threads = [
        threading.Thread(target=lambda: found.append(bits(pullback(tensor(X))))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


# ---- memory ----------------------------------------------------------------------------------


def test_memory_goes_with_the_pullback():
    def f(x, w):
        x = ops.tanh(ops.matmul(x, w))
        x = ops.tanh(ops.matmul(x, w))
        x = ops.tanh(ops.matmul(x, w))
        return ops.tanh(ops.matmul(x, w)).sum()

    n = 256
    x, w = tensor(np.full((n, n), 0.01)), tensor(np.eye(n))
    ms.vjp(f, x, w)  # compiled
    gc.collect()
    tracemalloc.start()
    try:
        _, pullback = ms.vjp(f, x, w)
        held = tracemalloc.get_traced_memory()[0]
        assert pullback.nbytes == 4 * 8 * n * n
        assert pullback.nbytes <= held < pullback.nbytes + 100_000
        pullback(tensor(1.0))
        assert tracemalloc.get_traced_memory()[0] < pullback.nbytes + 100_000
        del pullback
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()


def test_a_part_of_something_large_is_kept_alone():
    def f(x):
        big = ops.cumsum(x, 0)
        return ops.exp(big[:2]).sum() * ops.exp(big[:2]).sum()

    _, pullback = ms.vjp(f, tensor(np.full(1000, 0.01)))
    assert pullback.nbytes < 100


def test_inputs_and_outputs_are_not_counted():
    _, pullback = ms.vjp(scaled, tensor(A), tensor(B))
    assert pullback.nbytes == 0 and "keeps 0 bytes" in repr(pullback)


# ---- what it looks like ----------------------------------------------------------------------


def test_halves_can_be_read():
    c = ms.compile(Mlp())
    for read in (lambda: c.forward, lambda: c.backward):
        with pytest.raises(S2sadError, match="no pullback yet") as caught:
            read()
        assert caught.value.code == "E0308"
    _, pullback = c.vjp(tensor(X), tensor(LABELS))
    half = c.backward
    assert half.function.title == "vjp of snapshot_programs.Mlp.construct"
    assert half.function.name == "construct_vjp" and "dout: f64):" in half.source
    assert c.forward.function.name == "construct_forward"
    assert [name[3:] for name, _ in c.forward.stages][0] == "forward"
    assert [name[3:] for name, _ in half.stages] == [
        "backward", *(name[3:] for name, _ in half.stages[1:])
    ]  # fmt: skip
    c(tensor(X), tensor(LABELS))
    assert c.backward is half, "another call leaves it as it is"


def test_the_text_runs_as_plain_python():
    net = Mlp()
    c = ms.compile(net)
    output, pullback = c.vjp(tensor(X), tensor(LABELS))
    inputs, weights = pullback(tensor(1.0))
    arrays = [X, LABELS, *(w.asnumpy() for w in net.trainable_params())]
    assert same_values(run_plainly(c.forward.source, arrays)[:1], [output.array])
    found = run_plainly(c.backward.source, [*pullback.residuals, np.array(1.0)])
    assert same_values(found, [t.array for t in (*inputs, *weights.values())])


def test_stages_are_dumped(tmp_path):
    c = ms.compile(repeated)
    output, pullback = c.vjp(tensor([0.1, -0.2]), tensor([0.5, 1.5]))
    wanted = [g.array for g in pullback(tensor(2.0))[0]]
    paths = c.dump(tmp_path)
    names = [path.stem[3:] for path in paths]
    assert names[0] == "primal" and {"joint", "forward", "backward"} <= {*names}
    loaded = {path.stem[3:]: store.load(path, ALL) for path in paths}
    inputs = [np.array([0.1, -0.2]), np.array([0.5, 1.5])]
    joint = evaluate(loaded["joint"], [*inputs, np.array(2.0)])
    assert same_values(joint, [output.array, *wanted])
    assert same_values(evaluate(loaded["forward"], inputs)[:1], [output.array])
    residuals = copy.deepcopy(pullback.residuals)  # a run uses stacks up
    assert same_values(evaluate(loaded["backward"], [*residuals, np.array(2.0)]), wanted)
    (path,) = (path for path in paths if path.stem.endswith("-backward"))
    store.save_inputs(path, [*pullback.residuals, np.array(2.0)])
    out = tmp_path / "out.npz"
    subprocess.run([sys.executable, path, "--out", out], check=True, timeout=60, cwd=ROOT)
    assert same_values([*load_arrays(out).values()], wanted)
    assert "dx" in c.source, "what ran last is the joint program"


def test_each_kind_of_call_has_its_own_program():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.power = 2

        def construct(self, x):
            return x**self.power

    net = Net()
    c = ms.compile(net)
    one = tensor([1.0, 1.0])
    assert plain(c.vjp(tensor(A))[1](one)[0]) == ([4.0, 6.0],)
    net.power = 3
    assert plain(c.vjp(tensor(A))[1](one)[0]) == ([12.0, 27.0],)
    assert plain(c.vjp(ms.Tensor([[2.0]]))[1](ms.Tensor([[1.0]]))[0]) == ([[12.0]],)


def test_a_traceback_shows_the_pullback():
    def f(x):
        return ops.exp(ops.sin(x))

    before = ms.get_context("mode")
    ms.set_context(mode=ms.PYNATIVE_MODE)
    try:
        _, vjp_fn = ms.vjp(f, tensor(A))
    finally:
        ms.set_context(mode=before)
    generated = vjp_fn.backward.executable.generated
    file = generated.__code__.co_filename
    assert file.startswith("<s2sad vjp of test_vjp.") and file.endswith("f>")
    with pytest.raises(Exception) as caught:
        generated("no array", None, None)
    shown = "".join(traceback.format_tb(caught.value.__traceback__))
    assert f'File "{file}"' in shown
    assert any("dout" in line for line in linecache.getlines(file))


def test_networkx_is_loaded_by_the_first_vjp():
    program = """
import sys, s2sad as ms
x, f = ms.Tensor([1.0]), ms.nn.Tanh()
ms.grad(f)(x)
print('networkx' in sys.modules)
ms.vjp(f, x)
print('networkx' in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, cwd=ROOT
    )
    assert done.stdout.split() == ["False", "True"], done.stderr
