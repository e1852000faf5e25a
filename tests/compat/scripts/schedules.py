"""Rates that change, groups with rates of their own, and a schedule that a user writes."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.nn.learning_rate_schedule import LearningRateSchedule, PolynomialDecayLR, WarmUpLR

ms.set_context(mode=ms.GRAPH_MODE if "GRAPH" in sys.argv else ms.PYNATIVE_MODE)
ms.set_seed(16)


class WarmUpPolynomial(LearningRateSchedule):
    def __init__(self, rate, warm, total):
        super().__init__()
        self.warm_up = WarmUpLR(rate, warm)
        self.decay = PolynomialDecayLR(rate, 1e-4, total, 2.0)
        self.warm = ms.Tensor([warm], ms.float32)
        self.greater = ops.Greater()
        self.cast = ops.Cast()

    def construct(self, global_step):
        is_warm = self.cast(self.greater(self.warm, global_step), ms.float32)
        return is_warm * self.warm_up(global_step) + (1 - is_warm) * self.decay(global_step)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.body = nn.Dense(4, 8, activation=nn.ReLU())
        self.head = nn.Dense(8, 1)

    def construct(self, x):
        return self.head(self.body(x))


net = Net()
start = np.random.default_rng(25)
for parameter in net.trainable_params():
    values = start.normal(scale=0.4, size=parameter.shape)
    parameter.set_data(ms.Tensor(values, ms.float32))
body = list(filter(lambda p: "body" in p.name, net.trainable_params()))
head = list(filter(lambda p: "head" in p.name, net.trainable_params()))
groups = [
    {"params": body, "lr": nn.ExponentialDecayLR(0.05, 0.9, 4, is_stair=True)},
    {"params": head, "lr": WarmUpPolynomial(0.05, 3, 20), "weight_decay": 0.01},
    {"order_params": net.trainable_params()},
]
optimizer = nn.Adam(groups, learning_rate=0.01)
step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
step.set_train()

rng = np.random.default_rng(17)
x = ms.Tensor(rng.normal(size=(32, 4)), ms.float32)
y = ops.sin(x.sum(axis=1, keepdims=True))
for _ in range(20):
    loss = step(x, y)
    print(f"loss: {float(loss):.6f}")
print(f"steps: {int(optimizer.global_step)}")
print("piecewise:", nn.piecewise_constant_lr([2, 4], [0.1, 0.01]))
