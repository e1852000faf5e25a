"""A first network: three dense layers learn which half of a picture is bright."""

import argparse

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="GRAPH", choices=["GRAPH", "PYNATIVE"])
args = parser.parse_args()
mindspore.set_context(mode=getattr(mindspore, f"{args.mode}_MODE"))
mindspore.set_seed(1)

rng = np.random.default_rng(0)
labels = rng.integers(0, 2, 64).astype(np.int32)
pictures = rng.normal(size=(64, 1, 8, 8)).astype(np.float32)
pictures[labels == 1, :, :4] += 1.0


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.dense_relu_sequential = nn.SequentialCell(
            nn.Dense(8 * 8, 32), nn.ReLU(), nn.Dense(32, 32), nn.ReLU(), nn.Dense(32, 2)
        )

    def construct(self, x):
        x = self.flatten(x)
        logits = self.dense_relu_sequential(x)
        return logits


model = Network()
start = np.random.default_rng(21)
for parameter in model.trainable_params():
    values = start.normal(scale=0.2, size=parameter.shape)
    parameter.set_data(Tensor(values, mindspore.float32))
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.SGD(model.trainable_params(), 0.1)


def forward_fn(data, label):
    logits = model(data)
    loss = loss_fn(logits, label)
    return loss, logits


grad_fn = mindspore.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)


def train_step(data, label):
    (loss, _), grads = grad_fn(data, label)
    optimizer(grads)
    return loss


model.set_train()
for epoch in range(5):
    for batch in range(4):
        rows = slice(16 * batch, 16 * (batch + 1))
        loss = train_step(Tensor(pictures[rows]), Tensor(labels[rows]))
        print(f"loss: {loss.asnumpy():.6f}")

model.set_train(False)
predicted = model(Tensor(pictures)).argmax(1)
accuracy = (predicted == Tensor(labels)).astype(mindspore.float32).mean()
print(f"accuracy: {ops.mul(accuracy, 100).asnumpy():.2f}")
