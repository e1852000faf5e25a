"""The same steps at each level of mixed precision, without a word about the scale of the loss."""

import mindspore as ms
import numpy as np
from mindspore import amp, nn

rng = np.random.default_rng(0)
x = rng.normal(size=(32, 6)).astype(np.float32)
labels = (x[:, :3].argmax(axis=1)).astype(np.int32)

for level in ("O0", "O1", "O2", "O3", "auto"):
    ms.set_seed(0)
    net = nn.SequentialCell(nn.Dense(6, 16), nn.LayerNorm((16,)), nn.ReLU(), nn.Dense(16, 3))
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    train = amp.build_train_network(net, optimizer, nn.CrossEntropyLoss(), level=level)
    losses = []
    for _ in range(40):
        given = train(ms.Tensor(x), ms.Tensor(labels))
        losses.append(float(given[0] if isinstance(given, tuple) else given))
    print(f"{level}: {losses[0]:.4f} {losses[-1]:.4f} {net[0].weight.dtype}")
