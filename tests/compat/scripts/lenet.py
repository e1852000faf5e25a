"""LeNet as old courses write it: operations as objects, wrapper Cells that train one step."""

import sys

import mindspore.nn as nn
import numpy as np
from mindspore import Tensor, context
from mindspore import dtype as mstype
from mindspore.common import set_seed
from mindspore.common.initializer import Normal, TruncatedNormal
from mindspore.nn.metrics import Accuracy
from mindspore.ops import operations as P

mode = context.GRAPH_MODE if sys.argv[1:] == ["--mode", "GRAPH"] else context.PYNATIVE_MODE
context.set_context(mode=mode, device_target="CPU")
set_seed(2)


class LeNet5(nn.Cell):
    def __init__(self, num_class=4, num_channel=1):
        super(LeNet5, self).__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid", weight_init=Normal(0.2))
        self.conv2 = nn.Conv2d(6, 16, 3, pad_mode="valid", weight_init=Normal(0.1))
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.flatten = nn.Flatten()
        self.fc1 = nn.Dense(16 * 5 * 5, 60, weight_init=TruncatedNormal(0.1))
        self.fc2 = nn.Dense(60, num_class, weight_init=TruncatedNormal(0.1), bias_init="zeros")
        self.reshape = P.Reshape()

    def construct(self, x):
        x = self.max_pool2d(self.relu(self.conv1(x)))
        x = self.max_pool2d(self.relu(self.conv2(x)))
        x = self.reshape(x, (P.Shape()(x)[0], -1))
        x = self.relu(self.fc1(x))
        return self.fc2(x)


rng = np.random.default_rng(1)
labels = np.arange(32) % 4
images = rng.normal(scale=0.3, size=(32, 1, 28, 28))
for image, label in zip(images, labels):
    image[0, 14 * (label // 2) :, 14 * (label % 2) :] += 1.0

network = LeNet5()
start = np.random.default_rng(23)
for parameter in network.trainable_params():
    values = start.normal(scale=0.15, size=parameter.shape)
    parameter.set_data(Tensor(values, mstype.float32))
loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
optimizer = nn.Momentum(filter(lambda x: x.requires_grad, network.get_parameters()), 0.05, 0.9)
train = nn.TrainOneStepCell(nn.WithLossCell(network, loss), optimizer)
train.set_train()
data, target = Tensor(images, mstype.float32), Tensor(labels, mstype.int32)
for step in range(12):
    print(f"loss: {train(data, target).asnumpy():.6f}")

network.set_train(False)
metric = Accuracy("classification")
metric.clear()
metric.update(network(data), target)
print(f"accuracy: {100 * metric.eval():.2f}")
