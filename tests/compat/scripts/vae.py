"""A variational autoencoder: noise that is given to a network, and a loss of two parts."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops
from mindspore.nn.loss.loss import LossBase

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="GRAPH")
ms.context.set_context(
    mode=ms.context.GRAPH_MODE if parser.parse_args().mode == "GRAPH" else ms.PYNATIVE_MODE
)
ms.set_seed(11)


class Encoder(nn.Cell):
    def __init__(self, size, hidden, latent):
        super().__init__()
        self.fc = nn.Dense(size, hidden, activation="relu")
        self.mean = nn.Dense(hidden, latent)
        self.log_variance = nn.Dense(hidden, latent)

    def construct(self, x):
        hidden = self.fc(x)
        return self.mean(hidden), self.log_variance(hidden)


class VAE(nn.Cell):
    def __init__(self, size, hidden, latent):
        super().__init__()
        self.encoder = Encoder(size, hidden, latent)
        self.decoder = nn.SequentialCell(
            nn.Dense(latent, hidden), nn.ReLU(), nn.Dense(hidden, size), nn.Sigmoid()
        )
        self.exp = ops.Exp()

    def construct(self, x, noise):
        mean, log_variance = self.encoder(x)
        latent = mean + self.exp(0.5 * log_variance) * noise
        return self.decoder(latent), mean, log_variance


class EvidenceLoss(LossBase):
    def __init__(self):
        super().__init__("mean")
        self.reduce_sum = ops.ReduceSum(keep_dims=False)

    def construct(self, made, mean, log_variance, x):
        error = self.reduce_sum(ops.binary_cross_entropy(made, x, reduction="none"), 1)
        divergence = -0.5 * self.reduce_sum(
            1 + log_variance - ops.square(mean) - ops.exp(log_variance), 1
        )
        return self.get_loss(error + divergence)


net, loss_fn = VAE(16, 24, 2), EvidenceLoss()
start = np.random.default_rng(28)
for parameter in net.trainable_params():
    values = start.normal(scale=0.2, size=parameter.shape)
    parameter.set_data(Tensor(values, ms.float32))
optimizer = nn.RMSProp(net.trainable_params(), learning_rate=0.005)


def forward(x, noise):
    made, mean, log_variance = net(x, noise)
    return loss_fn(made, mean, log_variance, x)


step = ops.value_and_grad(forward, None, optimizer.parameters)
rng = np.random.default_rng(13)
patterns = (rng.uniform(size=(4, 16)) > 0.5).astype(np.float32)
data = Tensor(patterns[rng.integers(0, 4, 64)])
for _ in range(25):
    noise = rng.normal(size=(64, 2)).astype(np.float32)
    loss, grads = step(data, Tensor(noise))
    optimizer(grads)
    print(f"loss: {loss.asnumpy():.6f}")
