"""Which programs become graph files in tests, and how, without the passes of a target?"""

from __future__ import annotations

from s2sad import nn, ops
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.lowering.program import lower
from s2sad.compiler import program_for_engine


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3)
        self.norm = nn.BatchNorm2d(3)
        self.pool = nn.MaxPool2d(2, 2)
        self.dense = nn.Dense(3 * 4 * 4, 5)

    def construct(self, x):
        x = self.pool(ops.relu(self.norm(self.conv(x))))
        return self.dense(ops.flatten(x))


def lowered(function, *args):
    """The model of `function`, before the passes of a target, from the bytes of its file."""
    found = lower(program_for_engine(function, args, {}).function, "net")
    return found, decode(encode(found.model))


def train_step():
    net = Net().set_train()
    loss = nn.WithLossCell(net, nn.CrossEntropyLoss())
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return nn.TrainOneStepCell(loss, optimizer)
