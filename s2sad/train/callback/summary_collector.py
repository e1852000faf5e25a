"""What of training is written to an event file, and when?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import flag, integer
from s2sad.train.callback.callback import Callback, CallbackParams, RunContext
from s2sad.train.callback.outputs import loss_of
from s2sad.train.summary import SummaryRecord

#: What may be chosen.
CHOICES = ("collect_metric", "histogram_regular", "collect_input_data")
#: What MindSpore collects besides, for its own viewer.
OTHERS = (
    "collect_graph", "collect_train_lineage", "collect_eval_lineage", "collect_dataset_graph",
    "collect_landscape",
)  # fmt: skip
#: Parameters of which histograms are collected where nobody chooses.
FEW = 5


class SummaryCollector(Callback):
    """Writes loss, metrics, learning rate and histograms of Parameters to an event file.

    TensorBoard shows them: ``tensorboard --logdir FOLDER``.

    Parameters
    ----------
    summary_dir : str or path
    collect_freq : int
        Steps from one collection to the next; the first step is one.
    num_process : int
        Taken for compatibility.
    collect_specified_data : dict, optional
        - collect_metric : bool. Loss and rate, and the metrics of `Model.fit` and `Model.eval`.
        - histogram_regular : str. Parameters whose names it matches, a regular expression; None for
          the first five.
        - collect_input_data : bool. The first picture of a batch whose first column is pictures.

        What is not named is collected by `keep_default_action`.
    keep_default_action : bool
    custom_lineage_data : None
        It is for MindSpore's own viewer.
    collect_tensor_freq : None
        Tensors are not collected.
    max_file_size : int, optional
        As of `SummaryRecord`.
    export_options : None

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for an argument of another form, kind or value, E0604 where the file
        cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1)
    >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.train(1, [(ms.Tensor([[1.0]]), ms.Tensor([[2.0]]))], SummaryCollector(folder))
    ...     print([path.name for path in Path(folder).iterdir()])
    ['events.out.tfevents.summary..._MS']
    """

    def __init__(
        self, summary_dir: str | Path, collect_freq: int = 10, num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None, keep_default_action: bool = True,
        custom_lineage_data: None = None, collect_tensor_freq: None = None,
        max_file_size: int | None = None, export_options: None = None,
    ) -> None:  # fmt: skip
        if not isinstance(summary_dir, (str, Path)):
            raise fail("E0303", f"summary_dir is a str, got {shown(summary_dir)}")
        self.collect_freq = integer("collect_freq", collect_freq, 1)
        nothing = {
            "custom_lineage_data": custom_lineage_data, "collect_tensor_freq": collect_tensor_freq,
            "export_options": export_options,
        }  # fmt: skip
        for name, value in nothing.items():
            if value is not None:
                raise fail("E0404", f"{name} can be None only, got {shown(value)}")
        by_default = flag("keep_default_action", keep_default_action)
        chosen = _chosen(collect_specified_data)
        self._metric = chosen.get("collect_metric", by_default)
        self._input = chosen.get("collect_input_data", by_default)
        self._has_histograms = by_default or chosen.get("histogram_regular") is not None
        self._pattern: str | None = chosen.get("histogram_regular")
        self._settings: dict[str, Any] = {
            "log_dir": summary_dir, "num_process": num_process, "max_file_size": max_file_size
        }  # fmt: skip
        self._record: SummaryRecord | None = None
        self._steps = 0

    def __enter__(self) -> SummaryCollector:
        self._record = SummaryRecord(**self._settings)
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._record is not None:
            self._record.close()
        self._record = None

    def needs_parameters_at(self, step: int) -> bool:
        """Whether histograms are due after this step."""
        return self._has_histograms and self._is_due(step)

    def _is_due(self, step: int) -> bool:
        return step == 1 or step % self.collect_freq == 0

    def on_train_step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        self._steps = params.cur_step_num
        if not self._is_due(self._steps):
            return
        record = self._recording("train")
        if self._metric:
            self._collect_loss(record, params)
        if self._has_histograms:
            for name, parameter in self._chosen_parameters(params):
                record.add_value("histogram", name, parameter)
        if self._input:
            _collect_picture(record, params)
        record.record(self._steps)

    def _collect_loss(self, record: SummaryRecord, params: CallbackParams) -> None:
        loss = loss_of(params.net_outputs)
        if isinstance(loss, float):
            record.add_value("scalar", "loss", loss)
        rate = getattr(params.get("optimizer"), "learning_rate", None)
        if isinstance(rate, Tensor) and rate.size == 1:
            record.add_value("scalar", "learning_rate", rate)

    def _chosen_parameters(self, params: CallbackParams) -> list[tuple[str, Any]]:
        found = [(x.name, x) for x in params.network.trainable_params()]
        if self._pattern is None:
            return found[:FEW]
        return [entry for entry in found if re.match(self._pattern, entry[0])]

    def on_eval_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if not self._metric:
            return
        record = self._recording("eval")
        for name, value in {**params.metrics, **params.get("eval_results", {})}.items():
            array = np.asarray(value.asnumpy() if isinstance(value, Tensor) else value)
            if array.size == 1 and array.dtype.kind in "fiub":  # some metrics are curves
                record.add_value("scalar", name, array)
        record.record(self._steps)

    def _recording(self, mode: str) -> SummaryRecord:
        assert self._record is not None, "a callback is entered before its hooks run"
        self._record.set_mode(mode)
        return self._record


def _collect_picture(record: SummaryRecord, params: CallbackParams) -> None:
    batch = params.get("train_dataset_element", ())
    if batch and isinstance(batch[0], Tensor):
        first = batch[0]
        if first.ndim == 4 and first.shape[1] in (1, 3) and first.size:
            record.add_value("image", "input_data", first)


def _chosen(given: dict[str, Any] | None) -> dict[str, Any]:
    """`collect_specified_data`, checked."""
    if not isinstance(given, (dict, type(None))):
        raise fail("E0304", f"collect_specified_data is a dict, got {shown(given)}")
    for name, value in (given or {}).items():
        if name in OTHERS and value in (False, None, {}):
            continue
        if name not in CHOICES:
            help = "it is for MindSpore's own viewer" if name in OTHERS else None
            raise fail(
                "E0404", f"{name!r} is not collected: there is {', '.join(CHOICES)}",
                help=help or did_you_mean(str(name), CHOICES),
            )  # fmt: skip
        if name != "histogram_regular":
            flag(name, value)
        elif not isinstance(value, (str, type(None))):
            raise fail("E0303", f"histogram_regular is a regular expression, got {shown(value)}")
    return dict(given or {})
