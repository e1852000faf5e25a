"""What is training, from the first epoch to the last?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad.amp import LossScaleManager
from s2sad.binding.sink import Naming
from s2sad.core.cell import Cell
from s2sad.nn import TrainOneStepWithLossScaleCell
from s2sad.train.callback.callback import CallbackParams, RunContext
from s2sad.train.callback.several import Callbacks
from s2sad.train.data import Batch, Batches, fitting
from s2sad.train.evaluation import Evaluation
from s2sad.train.steps import run_coarsely, run_steps


@dataclass
class Training:
    """Some epochs of training.

    Attributes
    ----------
    network : Cell
        A step.
    backbone : Cell
        The user's network.
    epochs : range
        Their numbers.
    batches : Batches
    callbacks : Callbacks
    is_sunk : bool
    check_nan : bool
        Whether a step that makes NaN or an infinity is an error.
    sink_size : int or None
        Steps that callbacks see as one, and as an epoch.
    has_loss : bool
        Whether a batch is data and label.
    manager : LossScaleManager or None
        Is told of each step, where steps may be left out.
    about : dict
        More for callbacks.
    """

    network: Cell
    backbone: Cell
    epochs: range
    batches: Batches
    callbacks: Callbacks
    is_sunk: bool
    check_nan: bool
    sink_size: int | None
    has_loss: bool
    manager: LossScaleManager | None
    about: Mapping[str, Any]

    def __post_init__(self) -> None:
        self.params = CallbackParams(
            self.about, train_network=self.network, network=self.backbone, mode="train",
            train_dataset=self.batches.dataset, batch_num=self.sink_size or len(self.batches),
            epoch_num=len(self.epochs), cur_step_num=0, train_dataset_element=None,
            initial_step=None, dataset_sink_mode=self.is_sunk, device_number=1,
            parallel_mode="stand_alone", list_callback=self.callbacks.callbacks,
            loss_scale_mananger=self.manager, last_save_ckpt_step=None, latest_ckpt_file=None,
        )  # fmt: skip
        self.context = RunContext(self.params)
        self._evaluation: Evaluation | None = None
        self._is_due: Callable[[int], bool] = lambda number: False  # noqa: ARG005

    def evaluate(self, evaluation: Evaluation, is_due: Callable[[int], bool]) -> None:
        """Let the epochs whose numbers are due end in an evaluation."""
        self._evaluation, self._is_due = evaluation, is_due
        self.context.evaluates = True

    def over_epochs(self) -> None:
        """Train."""
        # Where an epoch is so many steps, the next goes on in the data where it has stopped.
        every = self._fitting(self.batches.endless()) if self.sink_size else None
        try:
            with self.callbacks:
                self.call("on_train_begin")
                for number in self.epochs:
                    self._epoch(number, every)
                    if self.is_stopping:
                        break
                self.call("on_train_end")
        finally:
            self.batches.close()
            if self._evaluation is not None:
                self._evaluation.batches.close()

    def _fitting(self, batches: Iterator[Batch]) -> Iterator[Batch]:
        return fitting(batches, self.backbone, self.has_loss)

    def _epoch(self, number: int, every: Iterator[Batch] | None) -> None:
        self.params.cur_epoch_num = number
        self.network.set_train()
        self.call("on_train_epoch_begin")
        self._steps(every)
        if self._evaluation is not None and self._is_due(number):
            self._evaluation.within(self.params, self.callbacks)
        if every is None:
            self.batches.reset()
        self.call("on_train_epoch_end")
        for found in ("metrics", "eval_results"):  # of an evaluation of this epoch
            self.params.pop(found, None)

    def _steps(self, every: Iterator[Batch] | None) -> None:
        if every is not None and self.sink_size is not None:
            run_coarsely(self.network, every, self.sink_size, self, check_nan=self.check_nan)
        else:
            batches = self._fitting(self.batches.epoch())
            run_steps(self.network, batches, self, is_sunk=self.is_sunk, check_nan=self.check_nan)

    # -- what it sees of steps --------------------------------------------------------------------

    def call(self, hook: str) -> None:
        """Call this hook of all callbacks."""
        self.callbacks.call(hook, self.context)

    def naming(self) -> Naming:
        epoch, last = self.params.cur_epoch_num, self.params.cur_step_num
        first = (last - (self.sink_size or 1)) % self.params.batch_num + 1
        return lambda number: f"step {first + number} of epoch {epoch}"

    def begin(self, batch: Batch) -> None:
        self.params.cur_step_num += self.sink_size or 1
        if self.sink_size is None:
            self.params.train_dataset_element = batch
        self.call("on_train_step_begin")
        if not self.backbone.training:  # a hook has evaluated it
            self.network.set_train()

    def end(self, outputs: Any) -> None:
        self.params.net_outputs = outputs
        is_known = isinstance(self.network, TrainOneStepWithLossScaleCell)
        if self.manager is not None and is_known and isinstance(outputs, tuple):
            self.manager.update_loss_scale(bool(np.all(outputs[1].asnumpy())))
        self.call("on_train_step_end")

    def needs_parameters_after(self, steps: int) -> bool:
        return self.callbacks.need_parameters_at(self.params.cur_step_num + steps)

    @property
    def is_stopping(self) -> bool:
        return self.context.get_stop_requested()
