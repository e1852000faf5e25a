"""Sentences that are kind or not: an embedding, an LSTM of two directions, and one logit."""

import math
import sys

import mindspore as ms
import mindspore.nn as nn
import mindspore.numpy as mnp
import mindspore.ops as ops
import numpy as np
from mindspore.common.initializer import HeUniform, Uniform

ms.context.set_context(
    mode=ms.context.GRAPH_MODE if "GRAPH" in sys.argv else ms.context.PYNATIVE_MODE
)
ms.set_seed(5)

VOCABULARY = ["<pad>", "good", "fine", "kind", "bad", "poor", "dull", "film", "play", "the"]
GOOD, BAD = range(1, 4), range(4, 7)


class RNN(nn.Cell):
    def __init__(self, embeddings, hidden_dim, output_dim, n_layers, bidirectional, pad_idx):
        super().__init__()
        vocab_size, embedding_dim = embeddings.shape
        self.embedding = nn.Embedding(
            vocab_size, embedding_dim, embedding_table=ms.Tensor(embeddings), padding_idx=pad_idx
        )
        self.rnn = nn.LSTM(
            embedding_dim, hidden_dim, num_layers=n_layers, bidirectional=bidirectional,
            batch_first=True,
        )  # fmt: skip
        weight_init = HeUniform(math.sqrt(5))
        bias_init = Uniform(1 / math.sqrt(hidden_dim * 2))
        self.fc = nn.Dense(hidden_dim * 2, output_dim, weight_init=weight_init, bias_init=bias_init)

    def construct(self, inputs):
        embedded = self.embedding(inputs)
        _, (hidden, _) = self.rnn(embedded)
        hidden = ops.concat((hidden[-2, :, :], hidden[-1, :, :]), axis=1)
        return self.fc(hidden)


rng = np.random.default_rng(6)
labels = rng.integers(0, 2, 32)
sentences = rng.integers(7, 10, (32, 6))
for row, label in enumerate(labels):
    sentences[row, rng.integers(0, 6, 2)] = rng.choice(GOOD if label else BAD)

table = rng.normal(size=(len(VOCABULARY), 8)).astype(np.float32)
net = RNN(table, 8, 1, 1, True, VOCABULARY.index("<pad>"))
loss_fn = nn.BCEWithLogitsLoss(reduction="mean")
start = np.random.default_rng(26)
for parameter in net.trainable_params():
    values = start.normal(scale=0.3, size=parameter.shape)
    parameter.set_data(ms.Tensor(values, ms.float32))
optimizer = nn.Adam(net.trainable_params(), learning_rate=0.02)


def forward(data, label):
    return loss_fn(net(data), label)


grad_fn = ms.value_and_grad(forward, None, optimizer.parameters)
data = ms.Tensor(sentences, ms.int32)
target = mnp.expand_dims(ms.Tensor(labels, ms.float32), 1)
net.set_train()
for _ in range(15):
    loss, grads = grad_fn(data, target)
    optimizer(grads)
    print(f"loss: {float(loss):.6f}")
net.set_train(False)
right = mnp.equal(ops.round(ops.sigmoid(net(data))), target)
print(f"accuracy: {float(mnp.mean(ops.cast(right, ms.float32))) * 100:.2f}")
