"""Which parts of a network compute in which dtype, at each level?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import amp, nn, ops
from s2sad.core.diagnostics import S2sadError
from tests.support.forms import both_forms, require_same

X = np.random.default_rng(3).normal(size=(2, 1, 6, 6)).astype(np.float32)


class Net(nn.Cell):
    """Gives what each of its layers gives."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.fc = nn.SequentialCell(nn.Dense(144, 3))
        self.ln = nn.LayerNorm((3,))

    def construct(self, x):
        a = self.conv(x)
        b = self.bn(a)
        c = ops.relu(b)
        d = self.fc(ops.flatten(c))
        return a, b, c, d, self.ln(d)


def layers(level, dtype=ms.float16, change=None):
    """The dtypes that the layers give, in both modes alike; and the network."""
    ms.set_seed(2)
    net = Net().set_train()
    if change is not None:
        change(net)
    ready = amp.auto_mixed_precision(net, level, dtype)
    inner = ready.backbone_network if ready is not net else net
    return [t.dtype.short for t in both_forms(inner, ms.Tensor(X))], net, ready


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ("O0", "f32 f32 f32 f32 f32"),
        ("O1", "f32 f32 f32 f32 f32"),
        ("O2", "f16 f16 f16 f16 f16"),
        ("O3", "f16 f16 f16 f16 f16"),
        ("auto", "f16 f32 f32 f32 f32"),
    ],
)
def test_dtypes_between_layers(level, expected):
    found, net, ready = layers(level)
    assert found == expected.split()
    assert {p.dtype for p in net.get_parameters()} == {ms.float32}
    assert (ready is net) is (level in ("O0", "O1", "auto"))
    results = both_forms(ready, ms.Tensor(X))
    assert results[-1].dtype is ms.float32


def by_cell(compiled, stage="primal"):
    """Dtypes of what the operations of each class of Cells compute, casts left out."""
    found: dict[str, set[str]] = {}
    for op in compiled.stages[stage].walk():
        if op.prim.name not in ("cast", "const", "stop_gradient") and op.results:
            kind = op.scope.rpartition("/")[2].rpartition(":")[2]
            found.setdefault(kind, set()).update(r.dtype.short for r in op.results)
    return found


def test_o2_keeps_normalisation_and_loss_wide():
    ms.set_seed(2)

    class Classifier(nn.Cell):
        def __init__(self):
            super().__init__()
            self.net = Net()

        def construct(self, x):
            return self.net(x)[-1]

    net = Classifier()
    step = amp.build_train_network(
        net, nn.Momentum(net.trainable_params(), 0.1, 0.9), nn.CrossEntropyLoss(), level="O2",
        loss_scale_manager=None,
    )  # fmt: skip
    compiled = ms.compile(step)
    compiled(ms.Tensor(X), ms.Tensor(np.int32([0, 2])))
    for stage in ("primal", "expand-transforms"):  # the second has the gradients
        found = by_cell(compiled, stage)
        assert found["BatchNorm2d"] == found["LayerNorm"] == {"f32"}
        assert found["CrossEntropyLoss"] <= {"f32", "i32", "i64", "bool_"}
        assert "f32" in found["CrossEntropyLoss"]
        assert found["Conv2d"] == found["Dense"] == {"f16"}
        assert found["Momentum"] <= {"f32", "i32"}
    text = str(compiled.stages["expand-transforms"])
    assert "f16[4, 1, 3, 3] = p.cast(net_conv_weight, dtype=f16)" in text
    assert "dnet_conv_weight: f32[4, 1, 3, 3] = p.cast(" in text


def test_o1_casts_at_the_boundary_of_listed_cells():
    _, net, ready = layers("O1")
    compiled = ms.compile(ready)
    compiled(ms.Tensor(X))
    found = by_cell(compiled)
    assert found["Conv2d"] == found["Dense"] == {"f16"}
    assert found["BatchNorm2d"] == found["Net"] == {"f32"}


def test_o1_is_half_precision_inside():
    ms.set_seed(1)
    net = nn.Dense(3, 2, has_bias=False)
    x = np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32)
    assert amp.auto_mixed_precision(net, "O1") is net
    out = both_forms(net, ms.Tensor(x))
    w = net.weight.asnumpy().astype(np.float16).astype(np.float32)
    expected = (x.astype(np.float16).astype(np.float32) @ w.T).astype(np.float16)
    np.testing.assert_array_equal(out.asnumpy(), expected.astype(np.float32))


def test_a_precision_of_its_own_stays():
    for level in ("O1", "O2", "O3", "auto"):
        found, net, _ = layers(level, change=lambda net: net.conv.to_float(ms.float32))
        assert found[0] == "f32", level
    assert net.conv._precision.rule is None


def test_bfloat16():
    assert layers("O2", ms.bfloat16)[0] == ["bf16"] * 5
    assert layers("auto", ms.bfloat16)[0] == ["bf16", *["f32"] * 4]


def test_twice_is_once():
    net = Net()
    amp.auto_mixed_precision(net, "O2")
    marks = [cell._precision for _, cell in net.cells_and_names()]
    amp.auto_mixed_precision(net, "O3")
    assert [cell._precision for _, cell in net.cells_and_names()] == marks


def test_a_function_at_auto():
    def function(x, w):
        return ops.matmul(x, w), ops.exp(x), x + w

    ready = amp.auto_mixed_precision(function, "auto")
    eye = ms.Tensor(np.eye(2, dtype=np.float32))
    results = both_forms(ready, eye, eye.astype(ms.float16))
    assert [t.dtype for t in results] == [ms.float16, ms.float32, ms.float32]
    assert [t.dtype for t in function(eye, eye)] == [ms.float32] * 3


def test_auto_decides_in_branches_and_loops_and_its_gradient():
    class Looping(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor(np.eye(2, dtype=np.float32) / 3), name="w")

        def construct(self, x):
            for _ in range(3):
                x = ops.exp(ops.matmul(x, self.w))
            if x.sum() > 0:
                x = x * ops.matmul(x, self.w)
            return x

    net = amp.auto_mixed_precision(Looping(), "auto")
    x = ms.Tensor(np.float32([[0.1, 0.2], [0.3, 0.4]]))
    assert both_forms(net, x).dtype is ms.float32
    step = ms.grad(lambda x: net(x).sum(), 0, net.trainable_params())
    dx, (dw,) = step(x)
    assert dx.dtype is dw.dtype is ms.float32
    require_same(ms.compile(step)(x), (dx, (dw,)))


def test_a_class_derived_from_a_listed_one_stays_wide_at_o2():
    class Norm(nn.LayerNorm):
        pass

    net = nn.SequentialCell(Norm((3,)), nn.Dense(3, 2))
    compiled = ms.compile(amp.auto_mixed_precision(net, "O2"))
    compiled(ms.Tensor(np.ones((2, 3), np.float32)))
    found = by_cell(compiled)
    assert (found["Norm"], found["Dense"]) == ({"f32"}, {"f16"})


def test_lists_of_ones_own():
    ms.set_seed(2)
    net = amp.custom_mixed_precision(Net(), white_list=[nn.LayerNorm])
    compiled = ms.compile(net)
    compiled(ms.Tensor(X))
    assert by_cell(compiled)["Dense"] == {"f32"}
    inner = Net()
    ready = amp.custom_mixed_precision(inner, black_list=[nn.Conv2d], dtype=ms.bfloat16)
    compiled = ms.compile(ready)
    compiled(ms.Tensor(X))
    assert by_cell(compiled)["Conv2d"] == {"f32"} and by_cell(compiled)["Dense"] == {"bf16"}
    listed = amp.get_black_list()
    listed.append(nn.Dense)
    assert nn.Dense not in amp.get_black_list() and nn.Dense in amp.get_white_list()


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda: amp.auto_mixed_precision(nn.ReLU(), "O4")),
        (ValueError, lambda: amp.auto_mixed_precision(nn.ReLU(), "O2", ms.float32)),
        (TypeError, lambda: amp.auto_mixed_precision(abs, "O2")),
        (TypeError, lambda: amp.auto_mixed_precision(3, "auto")),
        (ValueError, lambda: amp.custom_mixed_precision(nn.ReLU())),
        (ValueError, lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[], black_list=[])),
        (TypeError, lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=(nn.Dense,))),
        (TypeError, lambda: amp.custom_mixed_precision(nn.ReLU(), black_list=[nn.Dense(1, 1)])),
        (TypeError, lambda: amp.custom_mixed_precision(abs, white_list=[])),
        (AttributeError, lambda: amp.init_status),
    ],
)
def test_what_is_refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, S2sadError)
