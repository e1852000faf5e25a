"""Does a network train in mixed precision as it does in float32?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import amp, nn, ops
from s2sad.core.diagnostics import S2sadError

LEVELS = ("O0", "O1", "O2", "O3", "auto")


class Small(nn.Cell):
    """LeNet's form, for images of 8 times 8."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 6, 3)
        self.bn = nn.BatchNorm2d(6)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Dense(96, 24)
        self.fc2 = nn.Dense(24, 4)

    def construct(self, x):
        x = self.pool(ops.relu(self.bn(self.conv(x))))
        return self.fc2(ops.relu(self.fc1(ops.flatten(x))))


def images(count=96):
    """Four kinds: a bar or a diagonal, this way or that, in noise."""
    rng = np.random.default_rng(11)
    kinds = np.arange(count) % 4
    found = rng.normal(scale=0.6, size=(count, 1, 8, 8)).astype(np.float32)
    bar = np.zeros((8, 8), np.float32)
    bar[3:5] = 1.0
    diagonal = np.eye(8, dtype=np.float32) * 1.5
    shapes = np.stack([bar, bar.T, diagonal, diagonal[::-1]])
    return found + shapes[kinds][:, None], kinds.astype(np.int32)


def trained(level, steps=40, **options):
    ms.set_seed(6)
    net = Small()
    optimizer = nn.Momentum(net.trainable_params(), 0.02, 0.9)
    step = ms.compile(
        amp.build_train_network(net, optimizer, nn.CrossEntropyLoss(), level=level, **options)
    )
    x, y = images()
    losses = []
    for i in range(steps):
        part = slice(32 * (i % 3), 32 * (i % 3) + 32)
        found = step(ms.Tensor(x[part]), ms.Tensor(y[part]))
        losses.append((found[0] if isinstance(found, tuple) else found).item())
    return losses, net


def test_o2_trains_as_o0():
    wide, _ = trained("O0")
    narrow, net = trained("O2", loss_scale_manager=amp.FixedLossScaleManager(1024.0))
    assert wide[-1] < 0.3 * wide[0]
    assert narrow != wide
    np.testing.assert_allclose(np.mean(narrow[-6:]), np.mean(wide[-6:]), rtol=0.02)
    np.testing.assert_allclose(narrow, wide, atol=0.02 * wide[0])
    assert {p.dtype for p in net.get_parameters()} == {ms.float32}


def test_the_scale_of_o2_settles():
    losses, _ = trained("O2", steps=30)
    assert losses[-1] < 0.6 * losses[0]


@pytest.mark.parametrize("level", LEVELS)
def test_modes_agree_bit_for_bit(level):
    x, y = images(8)
    results = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(6)
        net = Small()
        optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
        step = amp.build_train_network(
            net, optimizer, nn.CrossEntropyLoss(), level=level,
            loss_scale_manager=amp.FixedLossScaleManager(256.0, drop_overflow_update=True),
        )  # fmt: skip
        losses = [step(ms.Tensor(x), ms.Tensor(y))[0].item() for _ in range(2)]
        results.append((losses, [p.asnumpy().copy() for p in net.get_parameters()]))
    (losses, parameters), (others, theirs) = results
    assert losses == others
    for one, other in zip(parameters, theirs, strict=True):
        np.testing.assert_array_equal(one, other)


def kinds_of(step):
    """Dtypes in which each class of Cells computes."""
    x, y = images(4)
    compiled = ms.compile(step)
    compiled(ms.Tensor(x), ms.Tensor(y))
    found: dict[str, set[str]] = {}
    for op in compiled.stages["primal"].walk():
        if op.prim.name in ("conv", "matmul", "batch_norm", "relu", "log_softmax") or (
            "cross_entropy" in op.prim.name
        ):
            found.setdefault(op.prim.name, set()).add(op.operands[0].dtype.short)
    return found


@pytest.mark.parametrize(
    ("options", "norm", "product"),
    [
        ({"level": "O0"}, "f32", "f32"),
        ({"level": "O2"}, "f32", "f16"),
        ({"level": "O2", "keep_batchnorm_fp32": False}, "f16", "f16"),
        ({"level": "O3"}, "f16", "f16"),
        ({"level": "O3", "keep_batchnorm_fp32": True}, "f32", "f16"),
        ({"level": "O2", "cast_model_type": ms.bfloat16}, "f32", "bf16"),
        ({"level": "O2", "cast_model_type": ms.float32}, "f32", "f32"),
        ({"level": "O0", "cast_model_type": ms.float16}, "f16", "f16"),
        ({"level": "auto"}, "f32", "f16"),
    ],
    ids=str,
)
def test_what_computes_in_what(options, norm, product):
    net = Small()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = amp.build_train_network(
        net, optimizer, nn.CrossEntropyLoss(), loss_scale_manager=None, **options
    )
    assert type(step) is nn.TrainOneStepCell and step.training and net.bn.training
    found = kinds_of(step)
    assert found["batch_norm"] == {norm}
    assert found["conv"] == found["matmul"] == {product}
    losses = [dtypes for name, dtypes in found.items() if "cross_entropy" in name or "log" in name]
    assert losses and all(dtypes == {"f32"} for dtypes in losses)


def test_which_step_it_is():
    def step(**options):
        net = nn.Dense(2, 2)
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        return amp.build_train_network(net, optimizer, nn.MSELoss(), **options)

    assert step(level="O2").scale_sense.item() == 2.0**24
    fixed = step(level="O0", loss_scale_manager=amp.FixedLossScaleManager(8.0))
    assert type(fixed) is nn.TrainOneStepWithLossScaleCell and fixed.scale_sense.item() == 8.0
    kept = step(loss_scale_manager=amp.FixedLossScaleManager(8.0, drop_overflow_update=False))
    assert type(kept) is nn.TrainOneStepCell and kept.sens == 8.0


def test_without_a_loss_the_network_gives_it():
    ms.set_seed(1)
    net = nn.WithLossCell(nn.Dense(2, 2), nn.MSELoss())
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = amp.build_train_network(net, optimizer, level="O2", loss_scale_manager=None)
    assert step(ops.ones((3, 2)), ops.ones((3, 2))).dtype is ms.float32


NET = nn.Dense(2, 2)
SGD = nn.SGD(NET.trainable_params(), 0.1)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda: amp.build_train_network(NET, SGD, level="O5")),
        (ValueError, lambda: amp.build_train_network(NET, SGD, boost_level="O9")),
        (ValueError, lambda: amp.build_train_network(NET, SGD, keep_batchnorm_fp33=True)),
        (TypeError, lambda: amp.build_train_network(NET, SGD, keep_batchnorm_fp32=1)),
        (TypeError, lambda: amp.build_train_network(NET, SGD, loss_scale_manager=1024)),
        (ValueError, lambda: amp.build_train_network(NET, SGD, cast_model_type=ms.float64)),
        (TypeError, lambda: amp.build_train_network(NET, NET)),
        (TypeError, lambda: amp.build_train_network(abs, SGD)),
        (TypeError, lambda: amp.build_train_network(NET, SGD, 3, level="O2")),
    ],
)
def test_what_is_refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, S2sadError) and NET._precision is None
