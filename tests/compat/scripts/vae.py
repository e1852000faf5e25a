"""A variational autoencoder: random numbers inside of a network, and a loss of two parts."""

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
        self.normal = ops.StandardNormal(seed=12)

    def construct(self, x):
        mean, log_variance = self.encoder(x)
        noise = self.normal(mean.shape)
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
optimizer = nn.RMSProp(net.trainable_params(), learning_rate=0.005)


def forward(x):
    made, mean, log_variance = net(x)
    return loss_fn(made, mean, log_variance, x)


step = ops.value_and_grad(forward, None, optimizer.parameters)
rng = np.random.default_rng(13)
patterns = (rng.uniform(size=(4, 16)) > 0.5).astype(np.float32)
data = Tensor(patterns[rng.integers(0, 4, 64)])
for _ in range(25):
    loss, grads = step(data)
    optimizer(grads)
    print(f"loss: {loss.asnumpy():.4f}")
