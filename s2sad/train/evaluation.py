"""What is an evaluation, from its first batch to its metrics?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from s2sad.binding.sink import Naming
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.nn.metrics import Loss, Metric
from s2sad.train.callback.callback import CallbackParams, RunContext
from s2sad.train.callback.several import Callbacks
from s2sad.train.data import Batch, Batches, fitting
from s2sad.train.steps import run_steps

#: What an evaluation within training changes of the parameters of callbacks, and sets back.
BORROWED = ("batch_num", "cur_step_num", "dataset_sink_mode", "mode", "net_outputs")


@dataclass
class Evaluation:
    """An evaluation, which may be made again and again.

    Attributes
    ----------
    network : Cell
        A step of it.
    batches : Batches
    metrics : dict of Metric
    indexes : list of 3 int or None
        Where among results are loss, prediction and label.
    is_sunk : bool
    within_fit : bool
        Whether it is part of training: then the mean of losses is measured as well.
    backbone : Cell
        The user's network, of which messages speak.
    has_loss : bool
        Whether `network` takes data and label.
    """

    network: Cell
    batches: Batches
    metrics: Mapping[str, Metric]
    indexes: list[int] | None
    is_sunk: bool
    within_fit: bool
    backbone: Cell
    has_loss: bool
    mean_loss: Loss = field(default_factory=Loss)

    def once(self, callbacks: Callbacks) -> dict[str, Any]:
        """The metrics, of an evaluation that stands alone."""
        params = CallbackParams(list_callback=callbacks.callbacks, network=self.backbone)
        try:
            with callbacks:
                self.run(params, callbacks)
        finally:
            self.batches.close()
        return params.metrics

    def within(self, params: CallbackParams, callbacks: Callbacks) -> None:
        """One that is part of training, whose parameters stay but for what it has found."""
        before = {name: params[name] for name in BORROWED if name in params}
        self.run(params, callbacks)
        params.update(before)

    def run(self, params: CallbackParams, callbacks: Callbacks) -> None:
        """Evaluate; `params` has the metrics afterwards."""
        watch = _Watch(self, params, callbacks)
        params.update(
            eval_network=self.network, valid_dataset=self.batches.dataset, mode="eval",
            batch_num=len(self.batches), cur_step_num=0, dataset_sink_mode=self.is_sunk,
        )  # fmt: skip
        for metric in (*self.metrics.values(), self.mean_loss):
            metric.clear()
        self.network.set_train(False)
        watch.call("on_eval_begin")
        watch.call("on_eval_epoch_begin")
        taker = self.backbone if self.has_loss else self.network
        batches = fitting(self.batches.epoch(), taker, self.has_loss)
        run_steps(self.network, batches, watch, is_sunk=self.is_sunk)
        watch.call("on_eval_epoch_end")
        self.batches.reset()
        params.metrics = {name: metric.eval() for name, metric in self.metrics.items()}
        if self.within_fit:
            params.eval_results = {**params.metrics, **self.eval_loss()}
        watch.call("on_eval_end")

    def eval_loss(self) -> dict[str, float]:
        """The mean of the losses of batches, where it is known which of results that is."""
        return {} if self.indexes is None else {"eval_loss": self.mean_loss.eval()}

    def update(self, outputs: Any) -> None:
        """Let metrics see what a batch gave."""
        found = outputs if isinstance(outputs, tuple) else (outputs,)
        if self.indexes is None:
            for metric in self.metrics.values():
                metric.update(*found)
            return
        if max(self.indexes) >= len(found):
            raise fail(
                "E0404", f"eval_indexes are {self.indexes}, eval_network gives {shown(outputs)}",
                help="they are the places of loss, prediction and label among what it gives",
            )  # fmt: skip
        loss, prediction, label = (found[place] for place in self.indexes)
        for metric in (*self.metrics.values(), self.mean_loss):
            metric.update(*((loss,) if isinstance(metric, Loss) else (prediction, label)))


class _Watch:
    """Who sees the steps of an evaluation."""

    def __init__(
        self, evaluation: Evaluation, params: CallbackParams, callbacks: Callbacks
    ) -> None:
        self.evaluation = evaluation
        self.params = params
        self.context = RunContext(params)  # to stop it does not stop the training around it
        self.callbacks = callbacks

    def call(self, hook: str) -> None:
        call = self.callbacks.call_own if self.evaluation.within_fit else self.callbacks.call
        call(hook, self.context)

    def naming(self) -> Naming:
        first = self.params.cur_step_num
        return lambda number: f"step {first + number} of an evaluation"

    def begin(self, batch: Batch) -> None:
        self.params.cur_step_num += 1
        self.params.eval_dataset_element = batch
        self.call("on_eval_step_begin")

    def end(self, outputs: Any) -> None:
        self.params.net_outputs = outputs
        self.call("on_eval_step_end")
        self.evaluation.update(outputs)

    def needs_parameters_after(self, steps: int) -> bool:  # noqa: ARG002
        return any(each.needs_parameters for each in self.callbacks.callbacks)

    @property
    def is_stopping(self) -> bool:
        return self.context.get_stop_requested()
