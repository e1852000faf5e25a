"""One convolution, a normalisation and a dense layer, which has to fit what comes before it."""

import mindspore as ms
import numpy as np
from mindspore import amp, nn


class SimpleNet(nn.Cell):
    """Pictures of 18 x 18; the dense layer expects what a window of 3 leaves of them: 16 x 16."""

    def __init__(self, pad_mode="same", classes=10):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 3, has_bias=False, pad_mode=pad_mode, weight_init="normal")
        self.bn = nn.BatchNorm2d(64)
        self.relu = nn.ReLU()
        self.flatten = nn.Flatten()
        self.fc = nn.Dense(64 * 16 * 16, classes)

    def construct(self, x):
        x = self.relu(self.bn(self.conv(x)))
        return self.fc(self.flatten(x))


ms.set_seed(0)
rng = np.random.default_rng(0)
labels = np.arange(8, dtype=np.int32) % 4
pictures = rng.normal(size=(8, 3, 18, 18)).astype(np.float32)
pictures += labels.reshape(-1, 1, 1, 1) / 2
data, label = ms.Tensor(pictures), ms.Tensor(labels)

try:
    SimpleNet()(data)
except ValueError as error:
    print("error:", error)

net = SimpleNet(pad_mode="valid")
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
loss_fn = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
train = amp.build_train_network(net, optimizer, loss_fn, level="O2")
train.set_train()
for _ in range(30):
    loss, overflow, scale = train(data, label)
    print(f"loss: {float(loss):.5f} {bool(overflow)} {float(scale):.0f}")
print("stored in", net.conv.weight.dtype, "trained in", net.set_train(False)(data).dtype)
