"""Which hooks are called in training, fitting and evaluation, and what do they find?

A program for MindSpore: it prints one JSON object, the calls of each scenario in order. A call is
the name of the hook; what `original_args` has that is new or another than at the call before; what
it has no longer; and whether an end was asked for. `mindspore-2.10.json` is what MindSpore itself
prints, on a CPU with NumPy 1.26:

    python record.py > mindspore-2.10.json
"""

import json
import sys

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import Tensor, nn
from mindspore.train import Callback, Model

IS_SUNK = "sunk" in sys.argv
ms.set_context(mode=ms.GRAPH_MODE)

HOOKS = [
    f"on_{time}_{hook}"
    for time in ("train", "eval")
    for hook in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]


def plain(value):
    """`value` as JSON has it; of an object its kind."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, np.floating)):
        return round(float(value), 5)
    if isinstance(value, Tensor):
        total = float(value.asnumpy().astype(np.float64).sum())
        return [str(value.dtype), list(value.shape), round(total, 5)]
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, ds.Dataset):
        return "Dataset"
    return type(value).__name__


def seen(context):
    """What a hook finds; callbacks that MindSpore adds by itself are not among them."""
    found = {name: plain(value) for name, value in sorted(context.original_args().items())}
    found["list_callback"] = [kind for kind in found["list_callback"] if not kind.startswith("_")]
    return found


class Recorder(Callback):
    """Notes each call; asks for an end at the step `last`, if there is one."""

    def __init__(self, calls, last=None):
        super().__init__()
        self.calls, self.last, self.before = calls, last, {}

    def needs_parameters_at(self, step):
        """s2sad asks for that: no step runs ahead of one that ends training."""
        return step == self.last

    def note(self, hook, context):
        now, before = seen(context), self.before
        changed = {name: now[name] for name in now if now[name] != before.get(name, self)}
        gone = sorted(set(before) - set(now))
        self.calls.append([hook, changed, gone, context.get_stop_requested()])
        self.before = now
        if hook == "on_train_step_end" and context.original_args().cur_step_num == self.last:
            context.request_stop()


def noting(hook):
    return lambda self, context: self.note(hook, context)


for each in HOOKS:
    setattr(Recorder, each, noting(each))


class OldRecorder(Callback):
    def __init__(self, calls):
        super().__init__()
        self.calls = calls


def noting_mode(hook):
    return lambda self, context: self.calls.append([hook, context.original_args().mode])


for each in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"):
    setattr(OldRecorder, each, noting_mode(each))


def dataset(batches=3):
    x = np.arange(8 * batches, dtype=np.float32).reshape(-1, 2) / 10
    y = x.sum(axis=1, keepdims=True) + 1
    return ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(4)


def model(metrics=("mse", "loss"), **kwargs):
    net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return Model(net, nn.MSELoss(), optimizer, set(metrics), **kwargs)


class WithLoss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        self.loss = nn.MSELoss()

    def construct(self, x, y):
        return self.loss(self.dense(x), y) + 0.5


def train(calls):
    model().train(2, dataset(), Recorder(calls), dataset_sink_mode=IS_SUNK)


def train_from_epoch_2(calls):
    made = model()
    made.train(3, dataset(), [Recorder(calls)], dataset_sink_mode=IS_SUNK, initial_epoch=1)


def train_that_is_stopped(calls):
    model().train(3, dataset(), Recorder(calls, last=4), dataset_sink_mode=IS_SUNK)


def train_with_a_scale(calls):
    manager = ms.FixedLossScaleManager(4.0, drop_overflow_update=False)
    made = model(loss_scale_manager=manager)
    made.train(1, dataset(2), Recorder(calls), dataset_sink_mode=IS_SUNK)


def train_what_gives_its_loss(calls):
    net = WithLoss()
    made = Model(net, optimizer=nn.SGD(net.trainable_params(), 0.01))
    made.train(1, dataset(2), Recorder(calls), dataset_sink_mode=IS_SUNK)


def fit(calls):
    made, callbacks = model(), [Recorder(calls)]
    made.fit(
        2, dataset(), dataset(2), callbacks=callbacks, dataset_sink_mode=IS_SUNK,
        valid_dataset_sink_mode=IS_SUNK,
    )  # fmt: skip


def fit_every_second_epoch(calls):
    made = model()
    made.fit(
        4, dataset(1), dataset(1), 2, Recorder(calls), dataset_sink_mode=IS_SUNK,
        valid_dataset_sink_mode=IS_SUNK,
    )  # fmt: skip


def fit_with_an_evaluation_after_epoch_2(calls):
    made = model()
    made.fit(
        3, dataset(1), dataset(1), [2], Recorder(calls), dataset_sink_mode=IS_SUNK,
        valid_dataset_sink_mode=IS_SUNK,
    )  # fmt: skip


def fit_that_is_stopped(calls):
    model().fit(
        3, dataset(2), dataset(1), callbacks=Recorder(calls, last=1), dataset_sink_mode=IS_SUNK,
        valid_dataset_sink_mode=IS_SUNK,
    )  # fmt: skip


def eval(calls):
    calls.append(plain(model().eval(dataset(2), Recorder(calls), dataset_sink_mode=IS_SUNK)))


def old_hooks_in_train_and_eval(calls):
    made = model()
    made.train(1, dataset(2), OldRecorder(calls), dataset_sink_mode=IS_SUNK)
    made.eval(dataset(1), OldRecorder(calls), dataset_sink_mode=IS_SUNK)


SCENARIOS = [
    train, train_from_epoch_2, train_that_is_stopped, train_with_a_scale, train_what_gives_its_loss,
    fit, fit_every_second_epoch, fit_with_an_evaluation_after_epoch_2, fit_that_is_stopped, eval,
    old_hooks_in_train_and_eval,
]  # fmt: skip
found = {}
for scenario in SCENARIOS:
    scenario(found.setdefault(scenario.__name__, []))
print(json.dumps(found))
