"""Does one line go through everything: source, primal, gradient, NumPy, training?

Right values come from a network written out by hand in float64, and from differences.
"""

from __future__ import annotations

import copy
import gc
import inspect
import linecache
import subprocess
import sys
import warnings
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.compare import isomorphic
from s2sad.ir.store import load
from s2sad.prims import ALL


class Net(nn.Cell):
    """Two layers, in float64."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Dense(5, 4, dtype=ms.float64)
        self.fc2 = nn.Dense(4, 3, dtype=ms.float64)

    def construct(self, x):
        return self.fc2(ops.relu(self.fc1(x)))


def data():
    rng = np.random.default_rng(0)
    return rng.normal(size=(6, 5)), rng.integers(0, 3, 6)


def by_hand(x, labels, w1, b1, w2, b2):
    """Mean cross entropy of the two layers and its gradients."""
    before = x @ w1.T + b1
    h = np.maximum(before, 0)
    logits = h @ w2.T + b2
    shifted = logits - logits.max(axis=1, keepdims=True)
    softmax = np.exp(shifted) / np.exp(shifted).sum(axis=1, keepdims=True)
    rows = np.arange(len(x))
    loss = -np.log(softmax[rows, labels]).mean()
    dlogits = softmax.copy()
    dlogits[rows, labels] -= 1
    dlogits /= len(x)
    dbefore = (dlogits @ w2) * (before > 0)
    return loss, [dbefore.T @ x, dbefore.sum(0), dlogits.T @ h, dlogits.sum(0)]


def test_value_and_gradients_of_the_network() -> None:
    net, (x, labels) = Net(), data()

    def forward(x, y):
        return ops.cross_entropy(net(x), y)

    weights = net.trainable_params()
    loss, gradients = ms.value_and_grad(forward, None, weights)(ms.Tensor(x), ms.Tensor(labels))
    expected, expected_gradients = by_hand(x, labels, *(w.asnumpy() for w in weights))
    np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-13)
    for one, other in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-11, atol=1e-14)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("nesterov", [False, True])
def test_fifty_steps_of_sgd(momentum, nesterov) -> None:
    if nesterov and not momentum:
        with pytest.raises(S2sadError, match="E0404"):
            nn.SGD(Net().trainable_params(), nesterov=True)
        return
    net, (x, labels) = Net(), data()
    weights = net.trainable_params()
    mine = [w.asnumpy().copy() for w in weights]
    velocities: list = [None] * 4
    optimizer = nn.SGD(weights, 0.125, momentum, weight_decay=0.01, nesterov=nesterov)
    step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, weights)
    apply = ms.compile(optimizer)
    for _ in range(50):
        loss, gradients = step(ms.Tensor(x), ms.Tensor(labels))
        apply(gradients)
        expected, by = by_hand(x, labels, *mine)
        np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-9)
        for i, gradient in enumerate(by):
            gradient = gradient + 0.01 * mine[i]
            velocity = velocities[i]
            velocity = gradient if velocity is None else momentum * velocity + gradient
            velocities[i] = velocity
            mine[i] = mine[i] - 0.125 * (gradient + momentum * velocity if nesterov else velocity)
    for weight, other in zip(weights, mine, strict=True):
        np.testing.assert_allclose(weight.asnumpy(), other, rtol=1e-9)
    assert len(ms.compile(step).variants) == len(apply.variants) == 1


def test_compiled_and_plain_python_agree() -> None:
    net, (x, _) = Net(), data()
    x = ms.Tensor(x)
    np.testing.assert_array_equal(ms.compile(net)(x).asnumpy(), net.construct(x).asnumpy())
    np.testing.assert_array_equal(net(x).asnumpy(), net.construct(x).asnumpy())


def test_graph_mode_compiles_every_cell() -> None:
    net, (x, _) = Net(), data()
    ms.set_context(mode=ms.GRAPH_MODE)
    net(ms.Tensor(x))
    assert len(ms.compile(net).variants) == 1


def test_shapes_of_results_are_mindspores() -> None:
    w = ms.Parameter(ms.Tensor([2.0]), name="w")

    def f(x, y):
        return x * y * w

    x, y = ms.Tensor([3.0]), ms.Tensor([5.0])
    assert ms.grad(f)(x, y).item() == 10.0
    assert ms.grad(f, (0,))(x, y).item() == 10.0
    assert [g.item() for g in ms.grad(f, (1, 0))(x, y)] == [6.0, 10.0]
    assert ms.grad(f, None, w)(x, y).item() == 15.0
    assert [g.item() for g in ms.grad(f, None, [w])(x, y)] == [15.0]
    inputs, weights = ms.grad(f, 0, (w,))(x, y)
    assert inputs.item() == 10.0 and weights[0].item() == 15.0
    value, gradient = ms.value_and_grad(f)(x, y)
    assert value.item() == 30.0 and gradient.item() == 10.0
    with pytest.raises(S2sadError, match="E0404"):
        ms.grad(f, None)(x, y)


def test_outputs_count_together_or_only_the_first() -> None:
    x = ms.Tensor([3.0])
    assert ms.grad(lambda x: (x * x, x))(x).item() == 7.0
    gradient, aux = ms.grad(lambda x: (x * x, x), has_aux=True)(x)
    assert gradient.item() == 6.0 and aux[0].item() == 3.0
    (value, other), gradient = ms.value_and_grad(lambda x: (x * x, x), has_aux=True)(x)
    assert (value.item(), other.item(), gradient.item()) == (9.0, 3.0, 6.0)
    with pytest.raises(S2sadError, match="E0404"):
        ms.grad(lambda x: x, has_aux=True)(x)


def test_what_does_not_count_has_zeros() -> None:
    used, unused = (ms.Parameter(ms.Tensor([2.0]), name=n) for n in ("used", "unused"))
    fixed = ms.Parameter(ms.Tensor([2.0]), name="fixed", requires_grad=False)
    x, y = ms.Tensor([3.0]), ms.Tensor([1.0, 2.0])
    by_input, by_weight = ms.grad(lambda x, y: x * used * fixed, (0, 1), (used, unused, fixed))(
        x, y
    )
    assert by_input[0].item() == 4.0
    np.testing.assert_array_equal(by_input[1].asnumpy(), np.zeros(2, np.float32))
    assert [g.item() for g in by_weight] == [6.0, 0.0, 0.0]


def test_one_tensor_given_twice_is_two_inputs() -> None:
    x = ms.Tensor([3.0])
    assert [g.item() for g in ms.grad(lambda a, b: a * a * b, (0, 1))(x, x)] == [18.0, 9.0]


def test_stop_gradient() -> None:
    assert ms.grad(lambda x: ops.stop_gradient(x) * x)(ms.Tensor([3.0])).item() == 3.0


def test_a_decorated_class_compiles_its_instances() -> None:
    @ms.compile
    class Doubling(nn.Cell):
        def construct(self, x):
            return x * 2

    one, two = Doubling(), Doubling()
    assert one(ms.Tensor([1.0])).item() == 2.0
    assert one.compiled is ms.compile(one) and one.compiled is not two.compiled
    assert len(one.compiled.variants) == 1 and not two.compiled.variants
    twin = copy.deepcopy(one)
    assert twin(ms.Tensor([2.0])).item() == 4.0 and twin.compiled is not one.compiled


def test_a_compiled_network_is_freed() -> None:
    net, (x, _) = Net(), data()
    ms.compile(net)(ms.Tensor(x))
    gone = weakref.ref(net)
    del net
    gc.collect()
    assert gone() is None


def test_every_stage_is_a_file_that_runs_and_reads_back(tmp_path) -> None:
    net, (x, labels) = Net(), data()
    step = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, net.trainable_params()
    )
    args = ms.Tensor(x), ms.Tensor(labels)
    loss, _ = step(*args)
    compiled = ms.compile(step)
    paths = compiled.dump(tmp_path)
    assert [p.name for p in paths][:1] == ["00-primal.py"] and len(paths) >= 4
    np.savez(tmp_path / "in.npz", **{f"input{i}": a for i, a in enumerate(compiled.inputs(*args))})
    for path, (_, stage) in zip(paths, compiled.stages.functions, strict=True):
        assert isomorphic(load(path, ALL), stage)
        out = tmp_path / "out.npz"
        command = [sys.executable, str(path), str(tmp_path / "in.npz"), "--out", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with np.load(out) as results:
            assert results["result0"] == loss.asnumpy()


def test_the_gradient_is_readable_python() -> None:
    net, (x, _) = Net(), data()
    gradient = ms.grad(net, None, net.trainable_params())
    gradient(ms.Tensor(x))
    text = ms.compile(gradient).source
    assert "dfc1_weight" in text and "p.matmul" in text
    compile(text, "gradient.py", "exec")


def test_asking_before_the_first_call_says_so() -> None:
    with pytest.raises(S2sadError, match="E0308"):
        ms.compile(Net()).dump("nowhere")


def test_what_cannot_be_compiled_is_refused() -> None:
    for thing in (3, "text", len, np.sin):
        with pytest.raises(TypeError, match="E0304"):
            ms.compile(thing)


# ---- what can be compiled, and how it is called ------------------------------------------------


def double(x, factor=2.0, *others, bias=None, **rest):
    for other in (*others, *rest.values()):
        x = x + other
    return x * factor if bias is None else x * factor + bias


def test_a_call_is_bound_as_pythons() -> None:
    compiled = ms.compile(double)
    x, y = ms.Tensor([1.0]), ms.Tensor([10.0])
    assert compiled(x).item() == compiled(x=x).item() == 2.0
    assert compiled(x, 3.0).item() == compiled(x, factor=3.0).item() == 3.0
    assert compiled(x, 2.0, y, bias=y).item() == 32.0
    assert compiled(x, bias=y, z=y).item() == 32.0
    assert len(compiled.variants) == 4  # by position or by name is one kind of call
    for args, kwargs in (((), {}), ((x,), {"x": x})):
        with pytest.raises(TypeError, match="E0302"):
            compiled(*args, **kwargs)


def test_the_kinds_of_arguments_have_variants_of_their_own() -> None:
    compiled = ms.compile(lambda x: x)
    x = ms.Tensor([1.0])
    calls = [[x], (x,), {0: x}, {"0": x}, {True: x}, [x, []], [x, ()], [x, None], [[x]], x]
    for argument in calls + calls:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # there are many
            result = compiled(argument)
        assert type(result) is type(argument)
        assert str(result) == str(argument)
    assert len(compiled.variants) == len(calls)


class Point(NamedTuple):
    x: ms.Tensor
    y: ms.Tensor


def test_named_tuples_are_arguments() -> None:
    def distance(point):
        return point.x - point.y

    point = Point(ms.Tensor([3.0]), ms.Tensor([1.0]))
    assert ms.compile(distance)(point).item() == 2.0
    gradient = ms.grad(distance)(point)
    assert isinstance(gradient, Point) and [g.item() for g in gradient] == [1.0, -1.0]


def test_parameter_tuples_are_arguments() -> None:
    def total(weights):
        return weights[0] * weights[1]

    weights = ms.ParameterTuple(ms.Parameter(ms.Tensor([x]), name=str(x)) for x in (2.0, 3.0))
    assert ms.compile(total)(weights).item() == 6.0
    assert [g.item() for g in ms.grad(total)(weights)] == [3.0, 2.0]


@pytest.mark.parametrize(
    "values", [(1, 1.0, True), (0.0, -0.0), ("1", 1), (None, 0), (float("nan"), 0.0)], ids=str
)
def test_static_values_that_python_calls_equal_are_told_apart(values) -> None:
    compiled = ms.compile(lambda x, value: x)
    for value in values + values:
        compiled(ms.Tensor([1.0]), value)
    assert len(compiled.variants) == len(values)


def test_an_object_is_known_by_identity_as_long_as_it_matters() -> None:
    compiled = ms.compile(lambda x, f: f(x))
    x = ms.Tensor([3.0])
    for number in range(1, 30):  # each function is gone before the next one is made
        namespace = {}
        exec(f"def f(x): return x * {number}", namespace)
        text = f"def f(x): return x * {number}"
        name = f"<test {number}>"
        linecache.cache[name] = (len(text), None, [text], name)
        exec(compile(text, name, "exec"), namespace)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert compiled(x, namespace.pop("f")).item() == 3.0 * number


def test_numpy_arrays_are_no_arguments() -> None:
    compiled = ms.compile(lambda x, states: x)
    for states in (np.ones(2), [np.ones(2)], {"a": np.float32(1), "b": np.ones(())}):
        with pytest.raises(TypeError, match="E0304.*states") as caught:
            compiled(ms.Tensor([1.0]), states)
        assert caught.value.diagnostic.location.file == __file__
    assert compiled(ms.Tensor([1.0]), np.float32(1)).item() == 1.0
    assert not any(isinstance(s, np.ndarray) for s in compiled.last.program.sources)


class Methods(nn.Cell):
    """A Cell with compiled methods."""

    def __init__(self, factor):
        super().__init__()
        self.factor = factor
        self.w = ms.Parameter(ms.Tensor([10.0]), name="w")

    @ms.jit
    def construct(self, x):
        return self.scaled(x) + self.w

    def scaled(self, x):
        return x * self.factor

    @ms.compile(fullgraph=True)
    def other(self, x):
        """Docstring."""
        return self.scaled(x) - self.w


def test_a_compiled_construct_compiles_the_class() -> None:
    one, two = Methods(2.0), Methods(3.0)
    x = ms.Tensor([1.0])
    assert (one(x).item(), two(x).item()) == (12.0, 13.0)
    assert len(one.compiled.variants) == len(two.compiled.variants) == 1
    assert inspect.isfunction(Methods.construct) and ms.compile(one) is one.compiled
    assert ms.grad(one)(x).item() == 2.0 and ms.grad(one.construct)(x).item() == 2.0


def test_each_instance_compiles_its_methods() -> None:
    one, two = Methods(2.0), Methods(3.0)
    x = ms.Tensor([1.0])
    assert (one.other(x).item(), two.other(x).item()) == (-8.0, -7.0)
    assert one.other is one.other and one.other is not two.other
    assert one.other.__doc__ == "Docstring." and "other" in one.other.__name__
    one.factor = 5.0
    assert one.other(x).item() == -5.0 and len(one.other.variants) == 2
    assert "factor" in one.other.variants[-1].cause.path
    assert ms.grad(one.other)(x).item() == 5.0
    assert isinstance(Methods.other, type(one.other))
    assert [name for name, _ in one.parameters_and_names()] == ["w"]


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy])
def test_a_copy_compiles_for_itself(duplicate) -> None:
    one = Methods(2.0)
    x = ms.Tensor([1.0])
    assert (one(x).item(), one.other(x).item()) == (12.0, -8.0)
    twin = duplicate(one)
    twin.factor = 3.0
    assert (twin(x).item(), twin.other(x).item()) == (13.0, -7.0)
    assert (one(x).item(), one.other(x).item()) == (12.0, -8.0)
    assert twin.compiled is not one.compiled and twin.other is not one.other


class Plain:
    """No Cell."""

    def __init__(self, factor):
        self.factor = factor

    @ms.compile
    def scaled(self, x):
        return x * self.factor

    def more(self, x):
        return x + self.factor


def test_methods_of_what_is_no_cell() -> None:
    thing, x = Plain(2.0), ms.Tensor([1.0])
    assert thing.scaled(x).item() == 2.0 and ms.compile(thing.more)(x).item() == 3.0
    thing.factor = 5.0
    assert thing.scaled(x).item() == 5.0
    assert copy.deepcopy(thing).scaled(x).item() == 5.0

    class Slots:
        __slots__ = ()

        @ms.compile
        def scaled(self, x):
            return x

    with pytest.raises(TypeError, match="E0304"):
        Slots().scaled(x)


def test_names_that_clash_become_paths() -> None:
    class Pair(nn.Cell):
        def __init__(self):
            super().__init__(auto_prefix=False)
            self.one, self.two = nn.Dense(1, 1), nn.Dense(1, 1)

        def construct(self, x):
            return self.one(x) + self.two(x)

    net = Pair()
    assert [w.name for w in net.trainable_params()] == ["weight", "bias"] * 2
    gradient = ms.grad(net, None, net.trainable_params(), return_ids=True)(ms.Tensor([[1.0]]))
    names = ["one.weight", "one.bias", "two.weight", "two.bias"]
    assert [name for name, _ in gradient] == [w.name for w in net.trainable_params()] == names


class Unprintable:
    def __repr__(self):
        raise RuntimeError("no")


def test_arguments_that_cannot_be_shown() -> None:
    compiled = ms.compile(lambda x, thing: x)
    x = ms.Tensor([1.0])
    for thing in (Unprintable(), "a" * 10**6, [Unprintable()] * 100, list(range(10**4))):
        assert compiled(x, thing).item() == 1.0
        assert len(compiled.last.cause.text) < 300


def test_compiling_twice_is_compiling_once() -> None:
    net, step = Net(), ms.grad(lambda x: x * x)
    function = ms.compile(double)
    assert ms.compile(function) is function and ms.compile(net) is ms.compile(net)
    assert ms.compile(step) is ms.compile(ms.compile(step))

    @ms.compile
    @ms.compile
    class Twice(nn.Cell):
        def construct(self, x):
            return x + x

    assert Twice()(ms.Tensor([1.0])).item() == 2.0


def test_options_of_mindspores_jit() -> None:
    x = ms.Tensor([1.0])
    options = {"capture_mode": "ast", "jit_level": "O1", "fullgraph": True, "dynamic": 0}
    assert ms.jit(double, **options)(x).item() == ms.jit(**options)(double)(x).item() == 2.0
    assert ms.jit()(Net)().__class__ is Net
    with pytest.raises(TypeError, match="E0302"):
        ms.jit(double, hash_args=3)
    for option in ({"dynamic": 2}, {"capture_mode": "trace"}, {"fullgraph": "yes"}):
        with pytest.raises(ValueError, match="E0404"):
            ms.jit(double, **option)
    del Net.compiled


class Nested(nn.Cell):
    """A Cell that calls compiled code of all kinds."""

    def __init__(self):
        super().__init__()
        self.inner = Methods(3.0)
        self.function = ms.compile(double)

    @ms.compile
    def helper(self, x):
        return x + 1

    def construct(self, x):
        return self.function(self.inner(x)) + self.inner.other(self.helper(x)) + triple(x)


@ms.jit
def triple(x):
    return x * 3


def test_compiled_code_may_call_compiled_code() -> None:
    net, x = Nested(), ms.Tensor([1.0])
    expected = (3.0 + 10.0) * 2 + (2.0 * 3 - 10.0) + 3.0
    assert net(x).item() == expected
    assert ms.compile(net)(x).item() == expected
    value, gradients = ms.value_and_grad(net, 0, net.trainable_params())(x)
    assert value.item() == expected
    assert gradients[0].item() == 3.0 * 2 + 3.0 + 3.0 and gradients[1][0].item() == 2.0 - 1.0


# ---- variants ----------------------------------------------------------------------------------


def test_one_warning_says_which_argument_keeps_changing() -> None:
    compiled = ms.compile(double)
    x = ms.Tensor([1.0])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for step in range(12):
            assert compiled(x, float(step)).item() == step
        line = inspect.currentframe().f_lineno - 1
    (warning,) = found
    text = str(warning.message)
    assert "double was compiled 9 times: factor keeps changing (expected 7.0, got 8.0)" in text
    assert (warning.filename, warning.lineno) == (__file__, line)
    assert len(compiled.variants) == 12


def test_one_warning_says_which_shape_keeps_changing() -> None:
    compiled = ms.compile(double)
    with pytest.warns(UserWarning, match=r"x.shape\[0\] keeps changing \(expected 8, got 9\)"):
        for size in range(1, 13):
            compiled(ms.Tensor(np.ones(size, np.float32)))


def test_one_warning_says_which_guard_keeps_changing() -> None:
    net = Methods(1.0)
    x = ms.Tensor([0.0])
    with pytest.warns(UserWarning, match=r"self.factor keeps changing \(expected 8.0, got 9.0\)"):
        for step in range(1, 13):
            net.factor = float(step)
            net(x)
    net.factor = 3.0
    count = len(net.compiled.variants)
    net(x)
    assert len(net.compiled.variants) == count  # that one is known


def test_the_oldest_variants_are_forgotten(monkeypatch) -> None:
    monkeypatch.setattr("s2sad.compiled.MOST_VARIANTS", 3)
    compiled = ms.compile(double)
    x = ms.Tensor([1.0])
    for step in (1.0, 2.0, 3.0, 4.0, 1.0, 4.0):
        assert compiled(x, step).item() == step
    assert [v.facts["factor"][1] for v in compiled.variants] == ["3.0", "4.0", "1.0"]


# ---- memory ------------------------------------------------------------------------------------


def test_a_transform_made_in_a_loop_is_freed_with_what_was_compiled() -> None:
    net, (x, labels) = Net(), data()
    args = ms.Tensor(x), ms.Tensor(labels)
    gone = []
    for _ in range(3):
        step = ms.value_and_grad(lambda x, y: ops.cross_entropy(net(x), y), None, [net.fc1.weight])
        step(*args)
        compiled = ms.compile(step)
        gone += map(weakref.ref, (step, compiled, compiled.last, compiled.last.executable))
    del step, compiled
    gc.collect()
    assert [ref() for ref in gone] == [None] * len(gone)


def test_a_compiled_function_is_freed() -> None:
    def function(x):
        return x * 2

    compiled = ms.compile(function)
    result = compiled(ms.Tensor([1.0]))
    gone = list(map(weakref.ref, (function, compiled, compiled.last)))
    del function, compiled
    gc.collect()
    assert [ref() for ref in gone] == [None] * 3 and result.item() == 2.0


def test_instances_with_compiled_methods_are_freed() -> None:
    x = ms.Tensor([1.0])
    things = [Methods(2.0), Plain(2.0)]
    things[0](x), things[0].other(x), things[1].scaled(x)
    gone = list(map(weakref.ref, things))
    del things
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_arguments_are_not_kept() -> None:
    compiled = ms.compile(lambda x: x * 2)
    x = ms.Tensor(np.ones(3))
    gone, result = weakref.ref(x), compiled(x)
    memory = weakref.ref(x.array)
    del x
    gc.collect()
    assert gone() is None and memory() is None and result.tolist() == [2.0] * 3


# ---- networks of narrow floats -----------------------------------------------------------------


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_narrow_networks_train(dtype) -> None:
    ms.set_seed(3)
    net = nn.SequentialCell(nn.Dense(5, 8, dtype=dtype), nn.ReLU(), nn.Dense(8, 3, dtype=dtype))
    x, labels = data()
    x, labels = ms.Tensor(x, dtype), ms.Tensor(labels)
    step = ms.value_and_grad(
        lambda x, y: ops.cross_entropy(net(x), y), None, net.trainable_params()
    )
    optimizer = ms.compile(nn.SGD(net.trainable_params(), 0.25, 0.5))
    losses = []
    for _ in range(40):
        loss, gradients = step(x, labels)
        assert loss.dtype is dtype and all(g.dtype is dtype for g in gradients)
        optimizer(gradients)
        losses.append(loss.item())
    assert all(w.dtype is dtype for w in net.trainable_params())
    assert losses[-1] < 0.3 * losses[0]


def test_the_import_of_the_compiler_waits_for_its_first_use() -> None:
    program = "import sys, s2sad as ms; ms.set_context(mode=ms.PYNATIVE_MODE)\n"
    program += "x = ms.Tensor([1.0]); y = ms.nn.Dense(1, 1)(x + x)\n"
    program += "assert 's2sad.compiled' not in sys.modules and 'compile' in dir(ms)\n"
    program += "assert ms.jit is ms.compile and 's2sad.compiled' in sys.modules\n"
    program += "assert 's2sad.compiler' not in sys.modules"
    subprocess.run([sys.executable, "-c", program], check=True)
    with pytest.raises(AttributeError, match="did you mean compile"):
        ms.complie  # noqa: B018


def test_a_dump_of_a_call_runs_by_itself_and_leaves_no_older_stage(tmp_path) -> None:
    x = ms.Tensor([1.0, 2.0])
    step = ms.compile(ms.grad(lambda x: (x * x).sum()))
    step.dump(tmp_path, x)
    paths = ms.compile(lambda x: x + 1).dump(tmp_path, x)
    assert sorted(tmp_path.glob("*.py")) == sorted(paths)
    for path in (paths[0], paths[-1]):
        done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True)
        assert done.returncode == 0 and "[2.0, 3.0]" in done.stdout, done.stderr + done.stdout


def test_save_graphs_writes_the_stages(tmp_path) -> None:
    ms.set_context(save_graphs=True, save_graphs_path=str(tmp_path))
    try:
        ms.compile(lambda x: x * 2)(ms.Tensor([1.0]))
    finally:
        ms.set_context(save_graphs=0, save_graphs_path=".")
    (folder,) = tmp_path.iterdir()
    assert (folder / "00-primal.py").is_file()
