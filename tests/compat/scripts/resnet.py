"""A small residual network, with batch normalization, groups of parameters and a cosine rate."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.common.initializer import HeNormal

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="GRAPH")
ms.set_context(mode=ms.GRAPH_MODE if parser.parse_args().mode == "GRAPH" else ms.PYNATIVE_MODE)
ms.set_seed(3)


class ResidualBlock(nn.Cell):
    expansion = 1

    def __init__(self, in_channel, out_channel, stride=1, down_sample=None):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channel, out_channel, 3, stride, pad_mode="pad", padding=1)
        self.norm1 = nn.BatchNorm2d(out_channel)
        self.conv2 = nn.Conv2d(out_channel, out_channel, 3, weight_init=HeNormal())
        self.norm2 = nn.BatchNorm2d(out_channel)
        self.relu = nn.ReLU()
        self.down_sample = down_sample

    def construct(self, x):
        identity = x
        out = self.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        if self.down_sample is not None:
            identity = self.down_sample(x)
        out += identity
        return self.relu(out)


class ResNet(nn.Cell):
    def __init__(self, layers, num_classes):
        super().__init__()
        self.in_channel = 8
        self.conv1 = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.relu = ops.ReLU()
        blocks = []
        for index, (channel, count) in enumerate(layers):
            blocks.append(self._make_layer(channel, count, 1 if index == 0 else 2))
        self.layers = nn.CellList(blocks)
        self.avg_pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Dense(self.in_channel, num_classes)

    def _make_layer(self, channel, count, stride):
        down_sample = None
        if stride != 1 or self.in_channel != channel:
            down_sample = nn.SequentialCell(
                [nn.Conv2d(self.in_channel, channel, 1, stride), nn.BatchNorm2d(channel)]
            )
        blocks = [ResidualBlock(self.in_channel, channel, stride, down_sample)]
        self.in_channel = channel
        for _ in range(1, count):
            blocks.append(ResidualBlock(channel, channel))
        return nn.SequentialCell(blocks)

    def construct(self, x):
        x = self.relu(self.norm(self.conv1(x)))
        for layer in self.layers:
            x = layer(x)
        x = ops.flatten(self.avg_pool(x))
        return self.fc(x)


net = ResNet([(8, 2), (16, 1)], 3)
start = np.random.default_rng(24)
for parameter in net.trainable_params():
    values = start.normal(scale=0.15, size=parameter.shape) + ("gamma" in parameter.name)
    parameter.set_data(ms.Tensor(values, ms.float32))

decayed = [p for p in net.trainable_params() if "norm" not in p.name and "bias" not in p.name]
others = [p for p in net.trainable_params() if all(p is not each for each in decayed)]
rate = nn.cosine_decay_lr(min_lr=0.001, max_lr=0.05, total_step=10, step_per_epoch=2, decay_epoch=5)
groups = [
    {"params": decayed, "weight_decay": 1e-4},
    {"params": others},
    {"order_params": net.trainable_params()},
]
optimizer = nn.Momentum(groups, rate, 0.9)
loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
step.set_train(True)

rng = np.random.default_rng(4)
labels = np.arange(12) % 3
images = rng.normal(scale=0.5, size=(12, 3, 8, 8)).astype(np.float32)
images[np.arange(12), labels] += 1.5
for _ in range(10):
    loss = step(ms.Tensor(images), ms.Tensor(labels, ms.int32))
    print(f"loss: {float(loss):.6f}")
net.set_train(False)
logits = net(ms.Tensor(images))
print(f"accuracy: {100 * (logits.asnumpy().argmax(1) == labels).mean():.2f}")
