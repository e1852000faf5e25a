"""Networks and data that tests of training have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

import s2sad as ms
from s2sad import nn
from s2sad.train import Callback, Model

#: Hooks in the order in which they are defined, old ones last.
HOOKS = [
    f"on_{mode}_{time}"
    for mode in ("train", "eval")
    for time in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]
OLD_HOOKS = ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]


def batches(count: int, rows: int = 4) -> list[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(count)
    return [
        (rng.normal(size=(rows, 3)).astype("f4"), rng.normal(size=(rows, 1)).astype("f4"))
        for _ in range(count)
    ]


def model(rate: Any = 0.05, **settings: Any) -> Model:
    """A Model of a small network, always with the same weights and the same draws."""
    ms.set_seed(3)
    ms.manual_seed(5)
    net = nn.SequentialCell(nn.Dense(3, 8), nn.ReLU(), nn.Dropout(p=0.25), nn.Dense(8, 1))
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.5)
    return Model(net, nn.MSELoss(), optimizer, **settings)


def bits(made: Model) -> dict[str, bytes]:
    return {x.name: x.asnumpy().tobytes() for x in made.train_network.get_parameters()}


class Trace(Callback):
    """Notes every hook, with the numbers of epoch and step and the loss of the step."""

    def __init__(self, hooks: list[str] = HOOKS) -> None:
        self.calls: list[tuple[Any, ...]] = []
        for hook in hooks:
            setattr(self, hook, self._noting(hook))

    def _noting(self, hook: str) -> Any:
        def note(run_context: Any) -> None:
            params = run_context.original_args()
            outputs = params.get("net_outputs")
            loss = outputs[0] if isinstance(outputs, tuple) else outputs
            found = loss.item() if hook.endswith("step_end") else None
            epoch = params.get("cur_epoch_num")  # before the first there is none
            self.calls.append((hook, epoch, params.cur_step_num, found))

        return note

    @property
    def names(self) -> list[str]:
        return [call[0] for call in self.calls]
