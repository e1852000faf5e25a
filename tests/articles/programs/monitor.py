"""Training with a Model, and a callback of one's own that measures how long epochs take."""

import time

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.train import Callback, LossMonitor, Model

ms.set_seed(0)


class TimeMonitor(Callback):
    """Hooks by their old names, of which MindSpore 2.10 wants nothing to know in `fit`."""

    def __init__(self):
        super().__init__()
        self.events = []

    def epoch_begin(self, run_context):
        self.events.append("begin")
        self.since = time.time()

    def epoch_end(self, run_context):
        self.events.append("end")
        params = run_context.original_args()
        assert time.time() >= self.since
        print("epoch", params.cur_epoch_num, "of", params.batch_num, "steps has ended")


def dataset(rows=64):
    rng = np.random.default_rng(rows)
    x = rng.normal(size=(rows, 4)).astype(np.float32)
    y = x.sum(axis=1, keepdims=True)
    return ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(16)


net = nn.Dense(4, 1)
optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.5)
model = Model(net, nn.MSELoss(), optimizer, metrics={"mse"})
monitor = TimeMonitor()
model.train(3, dataset(), callbacks=[monitor, LossMonitor(4)])
model.fit(2, dataset(), dataset(16), callbacks=[monitor])
print("events:", monitor.events)
print("learnt:", model.eval(dataset())["mse"] < 0.1)
