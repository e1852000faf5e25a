"""Compiling goes on from a dump: as it was written, or as somebody edited it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError

LOOSE = ms.Tensor(np.array([1.0, 2.0, 3.0], np.float32))


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Dense(4, 8, activation="relu")
        self.fc2 = nn.Dense(8, 3)

    def construct(self, x):
        return self.fc2(self.fc1(x))


class Scaled(nn.Cell):
    """Reaches a tensor by an attribute and one by a global name, and writes a Parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = ms.Tensor([2.0, 2.0, 2.0])
        self.count = ms.Parameter(ms.Tensor(0.0), name="count", requires_grad=False)

    def construct(self, x):
        ops.assign(self.count, self.count + 1.0)
        return x * self.scale + LOOSE


class Around(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Scaled()

    def construct(self, x):
        return self.inner(x) - 1.0


def data():
    rng = np.random.default_rng(3)
    x = rng.standard_normal((5, 4)).astype(np.float32)
    return ms.Tensor(x), ms.Tensor(rng.integers(0, 3, 5).astype(np.int32))


def loss_of(net):
    def loss(x, labels):
        return ops.cross_entropy(net(x), labels)

    return loss


def same_bits(one, other) -> bool:
    return one.asnumpy().tobytes() == other.asnumpy().tobytes()


def test_every_stage_goes_on_to_the_same_results(tmp_path):
    net, args = Net(), data()
    step = ms.value_and_grad(loss_of(net), None, net.trainable_params())
    value, gradients = step(*args)
    paths = ms.compile(step).dump(tmp_path)
    joint = [path for path in paths if path.name >= "04"]
    assert "04-joint.py" in {path.name for path in paths} and len(joint) >= 5
    for path in joint:
        again, found = ms.load_ir(path).bind(net)(*args)
        assert same_bits(again, value)
        assert len(found) == len(gradients) and all(map(same_bits, found, gradients))
    for path in paths[:4]:  # before differentiation they are the loss alone, and can be of it again
        loaded = ms.load_ir(path).bind(net)
        assert same_bits(loaded(*args), value)
        found = ms.grad(loaded, None, net.trainable_params())(*args)
        assert len(found) == len(gradients) and all(map(same_bits, found, gradients))


def test_a_header_says_which_passes_were_still_to_come(tmp_path):
    paths = ms.compile(Net()).dump(tmp_path, data()[0])
    heads = [path.read_text(encoding="utf-8").partition("\n")[0] for path in paths]
    joint, target = "canonicalize,cse,dce", "decompose{every},canonicalize,join-sums,cse,dce"
    left = f"strip-markers,{joint},{target}"
    assert heads[0].endswith(
        "· after 00-primal · "
        f"then expand-transforms,decompose{{without-adjoint}},hoist-constants,{left}"
    )
    assert heads[3].endswith(f"· after 03-hoist-constants · then {left}")
    assert heads[-1].endswith("· after 12-dce")
    assert [len(ms.load_ir(path).left) for path in paths] == [*range(12, -1, -1)]


def test_stages_of_a_loaded_program_are_those_that_were_left(tmp_path):
    net, (x, _) = Net(), data()
    paths = ms.compile(net).dump(tmp_path, x)
    loaded = ms.load_ir(paths[6]).bind(net)
    loaded(x)
    assert [name for name, _ in loaded.stages.functions] == [
        "00-loaded", "01-dce", "02-decompose", "03-canonicalize", "04-join-sums", "05-cse",
        "06-dce",
    ]  # fmt: skip
    original = ms.compile(net).variant(x).executable.source
    assert loaded.variant(x).executable.source == original


def test_an_edited_gradient_changes_the_result_as_written(tmp_path):
    w = ms.Parameter(ms.Tensor([3.0, -4.0]), name="w")
    step = ms.value_and_grad(lambda x: (x * w * w).sum(), None, [w])
    x = ms.Tensor([1.0, 1.0])
    step(x)
    path = ms.compile(step).dump(tmp_path)[6]
    text = path.read_text(encoding="utf-8")
    value, gradient = re.search(r"return (\w+), (\w+)\n", text).groups()
    clipped = f"p.minimum(p.maximum({gradient}, p.const(-5.0, f32)), p.const(5.0, f32))"
    edited = text.replace(f"return {value}, {gradient}\n", f"return {value}, {clipped}\n")
    path.write_text(edited, encoding="utf-8")
    value, (gradient,) = ms.load_ir(path).bind(values={"param:w": w})(x)
    assert value.item() == 25.0 and gradient.asnumpy().tolist() == [5.0, -5.0]


def test_another_network_with_the_same_names_is_bound_as_well(tmp_path):
    one, other, (x, _) = Net(), Net(), data()
    path = ms.compile(one).dump(tmp_path, x)[0]
    assert same_bits(ms.load_ir(path).bind(other)(x), other(x))


def test_parameters_are_written_and_hidden_tensors_found(tmp_path):
    net, x = Around(), ms.Tensor([1.0, 1.0, 1.0])
    path = ms.compile(net).dump(tmp_path, x)[0]
    assert net.inner.count.item() == 0.0  # a dump runs nothing
    loaded = ms.load_ir(path).bind(net, {"capture:LOOSE": LOOSE})  # of another module than Around
    assert loaded(x).asnumpy().tolist() == [2.0, 3.0, 4.0]
    assert net.inner.count.item() == 1.0


def test_what_gives_out_a_parameter_that_it_writes_still_writes_it(tmp_path):
    w = ms.Parameter(ms.Tensor(1.0), name="w")

    def step(x):
        old = w * 1.0
        ops.assign(w, x)
        return old

    path = ms.compile(step).dump(tmp_path, ms.Tensor(5.0))[-1]
    loaded = ms.load_ir(path).bind(values={"param:w": w})
    assert loaded(ms.Tensor(7.0)).item() == 1.0 and w.item() == 7.0


def test_containers_keywords_and_cotangents(tmp_path):
    def function(states, scale, weights):
        return states[0] * scale + states[1] * weights["a"]

    states = (ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0]))
    args = states, ms.Tensor(2.0), {"a": ms.Tensor(5.0)}
    path = ms.compile(function).dump(tmp_path, *args)[0]
    loaded = ms.load_ir(path).bind()
    assert loaded(states, weights=args[2], scale=args[1]).asnumpy().tolist() == [17.0, 24.0]
    gradient = ms.grad(function, 1, sens_param=True)
    seed = ms.Tensor([1.0, 10.0])
    assert gradient(*args, seed).item() == 21.0
    path = ms.compile(gradient).dump(tmp_path)[-1]
    assert ms.load_ir(path).bind()(*args, seed).item() == 21.0


def test_draws_go_on_from_the_default_generator(tmp_path):
    x = ms.Tensor(np.ones(100, np.float32))
    draw = ms.compile(lambda x: ops.dropout(x, 0.5, training=True))
    path = draw.dump(tmp_path, x)[0]
    loaded = ms.load_ir(path).bind()
    ms.set_seed(5)
    wanted = draw(x), draw(x)
    ms.set_seed(5)
    found = loaded(x), loaded(x)
    assert all(map(same_bits, found, wanted)) and not same_bits(*found)


def test_a_function_written_by_hand_runs_through_all_passes(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from s2sad import prims as p\nfrom s2sad.ir.types import *\n\n"
        "def main(x: f32[3]):\n    return p.softmax(x, axis=0)\n",
        encoding="utf-8",
    )
    loaded = ms.load_ir(path)
    assert loaded.left is None and repr(loaded) == f"<main from {path}>"
    step = loaded.bind()
    assert step(ms.Tensor([1.0, 1.0, 1.0])).asnumpy() == pytest.approx([1 / 3] * 3)
    assert "softmax" not in step.variant(ms.Tensor([1.0, 1.0, 1.0])).executable.kernels


def refused(code: str, *texts: str):
    return pytest.raises(S2sadError, match="(?s)" + rf"\[{code}\].*" + ".*".join(texts))


def test_what_does_not_fit_is_refused(tmp_path):
    net, (x, _) = Net(), data()
    path = ms.compile(net).dump(tmp_path, x)[0]
    loaded = ms.load_ir(path)
    with refused("E0404", "param:fc1.weight", "00-primal.py"):
        loaded.bind()
    with refused("E0302", "param:w"):
        loaded.bind(net, {"param:w": net.fc1.weight})
    with refused("E0401", r"param:fc1.weight is f32\[8, 4\] here, got f32\[3, 8\]"):
        loaded.bind(net, {"param:fc1.weight": net.fc2.weight})
    step = loaded.bind(net)
    with refused("E0401", r"x is f32\[5, 4\] here, got f32\[2, 4\]", "00-primal.py"):
        step(ms.Tensor(np.zeros((2, 4), np.float32)))
    with refused("E0301", r"x is f32\[5, 4\] here, got i64\[5, 4\]"):
        step(ms.Tensor(np.zeros((5, 4), np.int64)))
    with refused("E0302"):
        step(x, x)
    with refused("E0302", "no tensor is given for x"):
        step(3)
    with refused("E0302", r"takes no tensor x\[0\]|no tensor is given for x"):
        step((x, x))


def test_results_that_inputs_take_come_last(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from s2sad import prims as p\nfrom s2sad.ir.types import *\n\n"
        '@function(inputs=("param:w",), donates={"w": 0}, tree="1")\n'
        "def main(w: f32):\n    return w + w, w * w\n",
        encoding="utf-8",
    )
    w = ms.Parameter(ms.Tensor(1.0), name="w")
    with refused("E0601", "not the last ones"):
        ms.load_ir(path).bind(values={"param:w": w})


def test_stages_are_had_without_a_call():
    net = Net()
    stages = ms.compile(net).lower("f32[5, 4]")
    assert str(stages["primal"].result_types[0]) == "f32[5, 3]"
    assert len(ms.compile(net).variants) == 1
    net(data()[0])
    assert len(ms.compile(net).variants) == 1
    counter = Scaled()
    ms.compile(counter).lower(ms.Tensor([0.0, 0.0, 0.0]))
    assert counter.count.item() == 0.0
    with refused("E0303", "no type of a tensor"):
        ms.compile(net).lower("g32[5, 4]")
