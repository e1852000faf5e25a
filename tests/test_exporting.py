"""Programs that are written for Ascend compute there what they compute here."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.lowering.program import lower
from s2sad.backends.ascend.sink import single
from s2sad.compiler import program_for_engine
from s2sad.exporting import constants_of

IMAGES = np.linspace(-1, 1, 2 * 8 * 8, dtype=np.float32).reshape(2, 1, 8, 8)
LABELS = np.array([1, 0], np.int32)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.dense = nn.Dense(2 * 8 * 8, 3)

    def construct(self, x):
        return self.dense(ops.flatten(ops.relu(self.conv(x))))


def test_a_network_is_one_file_with_its_parameters_in_it(tmp_path):
    net = Net()
    ms.export(net, ms.Tensor(IMAGES), file_name=tmp_path / "net.air", file_format="AIR")
    assert [path.name for path in tmp_path.iterdir()] == ["net.air"]
    model = decode((tmp_path / "net.air").read_bytes())
    assert [node.type for node in model.root.of_type("Data", "RefData")] == ["Data"]
    program = program_for_engine(net, (ms.Tensor(IMAGES),), {})
    single(lower(program.function, "net", constants_of(program))).write(tmp_path)
    assert decode((tmp_path / "net.air").read_bytes()) == model
    (found,) = Session.load(tmp_path).run([IMAGES])
    np.testing.assert_allclose(found, net(ms.Tensor(IMAGES)).asnumpy(), rtol=1e-5, atol=1e-6)


def test_a_step_of_training_keeps_its_state_on_the_device(tmp_path):
    net = Net().set_train()
    optimizer = nn.Adam(net.trainable_params(), 1e-2)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)
    step.set_train()
    batch = (ms.Tensor(IMAGES), ms.Tensor(LABELS))
    ms.export(step, *batch, file_name=tmp_path / "step", file_format="AIR")
    assert {path.name for path in tmp_path.iterdir()} == {"step.air", "step.ckpt", "run.json"}
    before = (tmp_path / "run.json").read_bytes()
    with pytest.raises(ms.S2sadError, match="E0604.*step.air is run, and would be lost"):
        ms.export(step, *batch, file_name=tmp_path / "other", file_format="AIR")
    assert (tmp_path / "run.json").read_bytes() == before and len(list(tmp_path.iterdir())) == 3
    session = Session.load(tmp_path)
    for name, value in ms.load_checkpoint(str(tmp_path / "step.ckpt")).items():
        session.put(name, value.asnumpy())
    there = [float(session.run([IMAGES, LABELS])[0]) for _ in range(3)]
    here = [float(step(*batch).asnumpy()) for _ in range(3)]
    np.testing.assert_allclose(there, here, rtol=1e-4)
    assert here[2] < here[0]


def test_what_cannot_be_exported(tmp_path):
    net, x = Net(), ms.Tensor(IMAGES)
    for given, code in (
        ({"file_format": "ONNX"}, "E0712"), ({"file_format": "MINDIR"}, "E0712"),
        ({"file_format": "PT"}, "E0404"),
        ({"file_format": "AIR", "quant_mode": "AUTO"}, "E0302"),
        ({"file_format": "AIR", "file_name": ""}, "E0404"),
    ):  # fmt: skip
        with pytest.raises(ms.S2sadError, match=code):
            ms.export(net, x, **{"file_name": tmp_path / "net", **given})
    with pytest.raises(TypeError, match="a Cell or a function is exported"):
        ms.export(3, file_name="net", file_format="AIR")
    with pytest.raises(ms.S2sadError, match=r"(?s)E0301.*float64.*return x @ x"):
        ms.export(square, ms.Tensor(np.eye(2)), file_name=tmp_path / "net", file_format="AIR")
    assert list(tmp_path.iterdir()) == []


def square(x):
    return x @ x
