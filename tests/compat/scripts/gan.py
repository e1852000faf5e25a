"""Two networks against each other: one draws points on a circle, one tells them from real ones."""

import sys

import mindspore as ms
import numpy as np
from mindspore import nn, ops
from mindspore.ops import composite as C

ms.set_context(mode=ms.GRAPH_MODE if "GRAPH" in sys.argv else ms.PYNATIVE_MODE)
ms.set_seed(9)


def generator(latent):
    return nn.SequentialCell(nn.Dense(latent, 32), nn.LeakyReLU(0.2), nn.Dense(32, 2), nn.Tanh())


def discriminator():
    return nn.SequentialCell([nn.Dense(2, 32), nn.LeakyReLU(), nn.Dense(32, 1), nn.Sigmoid()])


net_g, net_d = generator(4), discriminator()
net_g.update_parameters_name("generator.")
net_d.update_parameters_name("discriminator.")
start = np.random.default_rng(22)
for parameter in net_g.trainable_params() + net_d.trainable_params():
    values = start.normal(scale=0.4, size=parameter.shape)
    parameter.set_data(ms.Tensor(values, ms.float32))
adversarial_loss = nn.BCELoss(reduction="mean")
optimizer_g = nn.Adam(net_g.trainable_params(), 0.01, beta1=0.5)
optimizer_d = nn.Adam(net_d.trainable_params(), 0.01, beta1=0.5)


class GeneratorLoss(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=False)
        self.net_g, self.net_d, self.loss = net_g, net_d, adversarial_loss

    def construct(self, latent):
        fake = self.net_d(self.net_g(latent))
        return self.loss(fake, ops.ones_like(fake))


class DiscriminatorLoss(nn.Cell):
    def __init__(self):
        super().__init__(auto_prefix=False)
        self.net_g, self.net_d, self.loss = net_g, net_d, adversarial_loss

    def construct(self, real, latent):
        found = self.net_d(real)
        fake = self.net_d(ops.stop_gradient(self.net_g(latent)))
        return (self.loss(found, ops.ones_like(found)) + self.loss(fake, ops.zeros_like(fake))) / 2


class TrainStep(nn.Cell):
    def __init__(self, network, optimizer):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer = network, optimizer
        self.weights = optimizer.parameters
        self.grad = C.GradOperation(get_by_list=True)

    def construct(self, *inputs):
        loss = self.network(*inputs)
        grads = self.grad(self.network, self.weights)(*inputs)
        return ops.depend(loss, self.optimizer(grads))


train_g = TrainStep(GeneratorLoss(), optimizer_g)
train_d = TrainStep(DiscriminatorLoss(), optimizer_d)
rng = np.random.default_rng(10)
for _ in range(20):
    angle = rng.uniform(0, 2 * np.pi, 32)
    real = ms.Tensor(np.stack([np.cos(angle), np.sin(angle)], 1), ms.float32)
    latent = ms.Tensor(rng.normal(size=(32, 4)), ms.float32)
    loss_d, loss_g = train_d(real, latent), train_g(latent)
    print(f"loss: {float(loss_d):.6f} {float(loss_g):.6f}")
print(f"parts: {len(train_d.weights)} {sorted(p.name for p in net_d.trainable_params())[0]}")
