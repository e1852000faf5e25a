"""Half precision with a scale of the loss that adapts, written out in a loop."""

import argparse

import mindspore as ms
import numpy as np
from mindspore import amp, mint, nn, ops
from mindspore.train.loss_scale_manager import DynamicLossScaleManager

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="GRAPH")
ms.set_context(mode=ms.GRAPH_MODE if parser.parse_args().mode == "GRAPH" else ms.PYNATIVE_MODE)
ms.set_seed(18)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(
            mint.nn.Linear(6, 16), nn.LayerNorm((16,)), nn.GELU(), mint.nn.Linear(16, 3)
        )

    def construct(self, x):
        return mint.cat((self.layers(x), x[:, :1]), dim=-1)


net = Net()
start = np.random.default_rng(29)
for parameter in net.trainable_params():
    values = start.normal(scale=0.3, size=parameter.shape) + ("gamma" in parameter.name)
    parameter.set_data(ms.Tensor(values, ms.float32))
net = amp.auto_mixed_precision(net, "O2")
loss_fn = nn.CrossEntropyLoss()
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
scaler = amp.DynamicLossScaler(scale_value=2**10, scale_factor=2, scale_window=5)


def forward(x, label):
    logits = net(x)
    return scaler.scale(loss_fn(logits, label)), logits


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

rng = np.random.default_rng(19)
labels = rng.integers(0, 3, 32)
x = rng.normal(size=(32, 6))
x[np.arange(32), labels] += 2.0
data, target = ms.Tensor(x, ms.float32), ms.Tensor(labels, ms.int32)
net.set_train()
for _ in range(15):
    (loss, logits), grads = grad_fn(data, target)
    loss = scaler.unscale(loss)
    finite = amp.all_finite(grads)
    if finite:
        optimizer(scaler.unscale(grads))
    scaler.adjust(finite)
    print(f"loss: {float(loss):.6f}")
print(f"scale: {int(scaler.scale_value)}, result: {logits.dtype}")
print(f"manager: {DynamicLossScaleManager().get_loss_scale()} {ops.dtype(data)}")
