"""A loop of one's own: accumulated gradients, weights shared out by hand, several results."""

import sys

import mindspore as ms
import numpy as np
from mindspore import Parameter, ParameterTuple, Tensor, ops
from mindspore.nn import Cell

ms.set_context(mode=ms.GRAPH_MODE if "GRAPH" in sys.argv else ms.PYNATIVE_MODE)
ms.set_seed(14)


class Linear(Cell):
    def __init__(self, size):
        super().__init__()
        self.weight = Parameter(Tensor(np.zeros((size, 1)), ms.float32), name="weight")
        self.bias = Parameter(Tensor(np.zeros(1), ms.float32))

    def construct(self, x):
        return ops.matmul(x, self.weight) + self.bias


net = Linear(3)
weights = ParameterTuple(net.trainable_params())
totals = weights.clone(prefix="total", init="zeros")


def loss_fn(x, y):
    error = net(x) - y
    return (error * error).mean(), ops.abs(error).max()


grad_fn = ms.value_and_grad(loss_fn, grad_position=None, weights=weights, has_aux=True)


@ms.jit
def accumulate(grads):
    for total, grad in zip(totals, grads):
        ops.assign_add(total, grad)
    return True


@ms.jit
def apply(rate):
    for weight, total in zip(weights, totals):
        ops.assign_sub(weight, rate * total)
        ops.assign(total, ops.zeros_like(total))
    return True


rng = np.random.default_rng(15)
x = rng.normal(size=(40, 3)).astype(np.float32)
y = x @ np.array([[1.0], [-2.0], [0.5]], np.float32) + 0.5
for epoch in range(30):
    seen = 0.0
    for part in range(4):
        rows = slice(part * 10, part * 10 + 10)
        (loss, worst), grads = grad_fn(Tensor(x[rows]), Tensor(y[rows]))
        accumulate(grads)
        seen += float(loss)
    apply(Tensor(0.05, ms.float32))
    print(f"loss: {seen / 4:.6f}")
print("weight:", [round(each, 1) for each in net.weight.asnumpy().ravel().tolist()])
print(f"bias: {net.bias.asnumpy()[0]:.1f}")
