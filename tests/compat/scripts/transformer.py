"""Attention written by hand: a network that learns to turn a sequence round."""

import argparse
import math

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.common.initializer import XavierUniform, initializer
from mindspore.ops import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--mode", default="GRAPH")
parser.add_argument("--layers", type=int, default=2)
args = parser.parse_args()
ms.set_context(mode=0 if args.mode == "GRAPH" else 1)
ms.set_seed(7)


class Attention(nn.Cell):
    def __init__(self, size, heads, dropout=0.0):
        super().__init__()
        self.heads, self.head_size = heads, size // heads
        self.qkv = nn.Dense(size, 3 * size, weight_init=XavierUniform())
        self.out = nn.Dense(size, size)
        self.dropout = nn.Dropout(p=dropout)
        self.softmax = nn.Softmax(axis=-1)

    def construct(self, x, mask=None):
        batch, length, size = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.heads, self.head_size)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        scores = ops.matmul(q, k.swapaxes(-1, -2)) / math.sqrt(self.head_size)
        if mask is not None:
            scores = ops.masked_fill(scores, mask, -1e9)
        context = ops.matmul(self.dropout(self.softmax(scores)), v)
        return self.out(context.transpose(0, 2, 1, 3).reshape((batch, length, size)))


class Block(nn.Cell):
    def __init__(self, size, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((size,)), nn.LayerNorm((size,))
        self.attention = Attention(size, heads)
        self.mlp = nn.SequentialCell(nn.Dense(size, 2 * size), nn.GELU(), nn.Dense(2 * size, size))

    def construct(self, x, mask=None):
        x = x + self.attention(self.norm1(x), mask)
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Cell):
    def __init__(self, vocabulary, length, size=24, heads=2, layers=2):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, size)
        self.positions = Parameter(initializer(XavierUniform(), (1, length, size)), name="pos")
        self.blocks = nn.CellList([Block(size, heads) for _ in range(layers)])
        self.head = nn.Dense(size, vocabulary)

    def construct(self, tokens):
        x = self.tokens(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(x)


net = Transformer(8, 6, layers=args.layers)
start = np.random.default_rng(27)
for parameter in net.trainable_params():
    values = start.normal(scale=0.1, size=parameter.shape) + ("gamma" in parameter.name)
    parameter.set_data(Tensor(values, ms.float32))
rate = nn.WarmUpLR(0.01, 5)
optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=rate, weight_decay=0.01)
loss_fn = nn.CrossEntropyLoss()


def forward(tokens, target):
    logits = net(tokens)
    return loss_fn(F.reshape(logits, (-1, 8)), target.reshape(-1))


grad_fn = ops.value_and_grad(forward, None, optimizer.parameters)


@ms.jit
def train_step(tokens, target):
    loss, grads = grad_fn(tokens, target)
    grads = ops.clip_by_global_norm(grads, 1.0)
    loss = ops.depend(loss, optimizer(grads))
    return loss


rng = np.random.default_rng(8)
net.set_train()
for _ in range(30):
    tokens = rng.integers(0, 8, (16, 6)).astype(np.int32)
    loss = train_step(Tensor(tokens), Tensor(tokens[:, ::-1].copy()))
    print(f"loss: {loss.asnumpy():.6f}")
