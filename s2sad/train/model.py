"""How is a network trained, evaluated and used, by MindSpore's names for it?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from s2sad import nn
from s2sad.amp import DynamicLossScaleManager, LossScaleManager, build_train_network
from s2sad.compiled import compiled_of
from s2sad.core.cell import Cell
from s2sad.core.context import is_graph_mode
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.settings import flag, integer
from s2sad.train.arguments import (
    checked_cell,
    checked_indexes,
    checked_level,
    checked_metrics,
    checked_more,
    due_epochs,
    epoch_numbers,
)
from s2sad.train.callback.progress_bar import ProgressBar
from s2sad.train.callback.several import Callbacks, as_callbacks
from s2sad.train.data import Batches
from s2sad.train.evaluation import Evaluation
from s2sad.train.training import Training


class Model:
    """A network with what trains and measures it.

    Parameters
    ----------
    network : Cell
        Without a `loss_fn` it gives the loss; without an `optimizer` it is the whole step.
    loss_fn : Cell or function, optional
        Takes what the network gives, and the label. Batches are data and label then.
    optimizer : Optimizer, optional
    metrics : set or list of str, or dict of Metric, optional
        What `eval` measures; for the names see `s2sad.train.names`.
    eval_network : Cell, optional
        Gives what metrics are updated with. By default that is made of `network` and `loss_fn`, and
        gives loss, prediction and label.
    eval_indexes : list of 3 int, optional
        Where among what `eval_network` gives are loss, prediction and label. Without them each
        metric takes all.
    amp_level : {"O0", "O1", "O2", "O3", "auto"}
        As of `amp.build_train_network`, which takes it, and changes `network` in place.
    boost_level : {"O0"}
        Taken for compatibility.
    **kwargs
        loss_scale_manager and keep_batchnorm_fp32, as of `amp.build_train_network`;
        check_nan, whether a step of training that gives or writes NaN or an infinity is an error,
        before anything of it is kept, at the line that made the first such number;
        boost_config_dict and acc_level, taken for compatibility.

    Attributes
    ----------
    train_network, eval_network, predict_network : Cell
        A step of training, of evaluation (None without metrics), and of `predict`.

    Raises
    ------
    S2sadError
        E0304 for an argument of another kind, E0404 for another level or keyword, for metrics of
        what has no loss and no `eval_network`, and for a level without an optimizer.

    Examples
    --------
    >>> import numpy as np
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1, weight_init="zeros", has_bias=False)
    >>> model = Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.25), {"mse"})
    >>> data = [(np.ones((4, 1), np.float32), np.ones((4, 1), np.float32))] * 4
    >>> model.train(2, data, callbacks=ms.train.LossMonitor(3))
    epoch: 1 step: 3, loss is 0.0625
    epoch: 2 step: 2, loss is 0.0009765625
    >>> model.eval(data)["mse"] < 1e-4
    True
    >>> model.predict(ms.ops.ones((2, 1))).tolist()
    [[0.99609375], [0.99609375]]
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Any = None,
        optimizer: nn.Optimizer | None = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        self._network = checked_cell("network", network)
        if loss_fn is not None and not callable(loss_fn):
            raise fail("E0304", f"loss_fn is a Cell or a function, got {shown(loss_fn)}")
        if not isinstance(optimizer, (nn.Optimizer, type(None))):
            raise fail("E0304", f"optimizer is an Optimizer, got {shown(optimizer)}")
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._amp_level = checked_level(amp_level, optimizer)
        if boost_level != "O0":
            raise fail("E0404", f"boost_level is 'O0', got {boost_level!r}")
        amp = checked_more(kwargs)
        self._check_nan = flag("check_nan", amp.pop("check_nan", False))
        if amp_level == "O2":  # as `build_train_network` has it, but told of each step
            amp.setdefault("loss_scale_manager", DynamicLossScaleManager())
        self._loss_scale_manager: LossScaleManager | None = amp.get("loss_scale_manager")
        self._metrics = checked_metrics(metrics)
        self._eval_indexes = checked_indexes(eval_indexes)
        self._train_network = self._as_step(amp)
        self._eval_network = self._as_evaluation(eval_network)

    def _as_step(self, amp: dict[str, Any]) -> Cell:
        """The step of training."""
        if self._optimizer is not None:
            return build_train_network(
                self._network, self._optimizer, self._loss_fn, self._amp_level, **amp
            )
        if self._loss_fn is not None:
            return nn.WithLossCell(self._network, self._loss_fn)
        return self._network

    def _as_evaluation(self, given: Cell | None) -> Cell | None:
        """The step of evaluation, if there is anything to measure."""
        if not self._metrics:
            return None
        if given is not None:
            return checked_cell("eval_network", given)
        if self._loss_fn is None:
            raise fail(
                "E0404", "metrics of a network that has no loss_fn need an eval_network",
                help="give a loss_fn, or an eval_network that gives what the metrics take",
            )  # fmt: skip
        self._eval_indexes = [0, 1, 2]
        is_wide = self._amp_level in ("O2", "O3", "auto")
        return nn.WithEvalCell(self._network, self._loss_fn, is_wide)

    @property
    def train_network(self) -> Cell:
        """A step of training."""
        return self._train_network

    @property
    def eval_network(self) -> Cell | None:
        """A step of evaluation; None without metrics."""
        return self._eval_network

    @property
    def predict_network(self) -> Cell:
        """What `predict` calls."""
        return self._network

    # -- training -------------------------------------------------------------------------------

    def train(
        self, epoch: int, train_dataset: Any, callbacks: Any = None,
        dataset_sink_mode: bool = True, sink_size: int = -1, initial_epoch: int = 0,
    ) -> None:  # fmt: skip
        """Train for some epochs.

        Parameters
        ----------
        epoch : int
            Number of the last epoch.
        train_dataset : Dataset or list of tuple
            The batches of an epoch: a data set, or anything with a length that can be iterated
            anew. With a `loss_fn` a batch is data and label, else the arguments of the network.
        callbacks : Callback or list of Callback, optional
            Where nothing is given, a bar is drawn on a terminal.
        dataset_sink_mode : bool
            Whether one call of a program runs many steps. That changes no number, and callbacks see
            the same, perhaps some steps late; see `Callback.needs_parameters`. In PyNative mode
            steps run one by one in either case.
        sink_size : int
            -1, or the steps of what counts as an epoch: callbacks see all of them as one step, and
            the next epoch goes on where this one has stopped in the data. Read only where
            `dataset_sink_mode` is set.
        initial_epoch : int
            Epochs that were made before; the first one now has the number after that.

        Raises
        ------
        S2sadError
            E0303, E0304 or E0404 for an argument of another form, kind or value, E0404 or E0302 for
            batches with other columns than the network takes; with `check_nan` E0702 for a number
            that is not finite, and E0712 where nothing is compiled; what a step, a callback, or the
            data set raises, and then Parameters are those of the last step that ended.
        """
        bounds = epoch_numbers(epoch, initial_epoch)
        run = self._training(bounds, train_dataset, callbacks, dataset_sink_mode, sink_size)
        run.over_epochs()

    def fit(
        self, epoch: int, train_dataset: Any, valid_dataset: Any = None,
        valid_frequency: int | Iterable[int] = 1, callbacks: Any = None,
        dataset_sink_mode: bool = True, valid_dataset_sink_mode: bool = True, sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:  # fmt: skip
        """Train for some epochs, and evaluate in between.

        Parameters
        ----------
        epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch
            As of `train`.
        valid_dataset : Dataset or list of tuple, optional
            What is evaluated; without it nothing is.
        valid_frequency : int or list of int
            Epochs from one evaluation to the next, or the numbers of those that end in one.
        valid_dataset_sink_mode : bool
            What `dataset_sink_mode` is, for evaluations.

        Raises
        ------
        S2sadError
            Those of `train`; E0404 for a Model without metrics.
        """
        bounds = epoch_numbers(epoch, initial_epoch)
        self._require_metrics("fit")
        is_due = due_epochs(valid_frequency)
        run = self._training(bounds, train_dataset, callbacks, dataset_sink_mode, sink_size)
        if valid_dataset is not None:
            is_sunk = flag("valid_dataset_sink_mode", valid_dataset_sink_mode)
            evaluation = self._evaluation(valid_dataset, len(bounds), is_sunk, within_fit=True)
            run.evaluate(evaluation, is_due)
        run.over_epochs()

    def _training(
        self, epochs: range, dataset: Any, callbacks: Any, is_sunk: bool, sink_size: int
    ) -> Training:
        size = integer("sink_size", sink_size, -1)
        if not size:
            raise fail("E0404", "sink_size is -1 or at least 1, got 0")
        if self._check_nan and not is_graph_mode():
            raise fail(
                "E0712", "check_nan looks into compiled programs, of which PyNative mode has none",
                help="write set_context(mode=GRAPH_MODE), and leave MS_JIT=0 out",
            )  # fmt: skip
        if callbacks is None:
            callbacks = ProgressBar()
        is_coarse = flag("dataset_sink_mode", is_sunk) and size > 0
        return Training(
            network=self._train_network, epochs=epochs,
            batches=Batches("train_dataset", dataset, -1 if is_coarse else len(epochs)),
            callbacks=Callbacks(as_callbacks(callbacks)), is_sunk=is_sunk,
            check_nan=self._check_nan,
            sink_size=size if is_coarse else None, has_loss=self._loss_fn is not None,
            backbone=self._network, manager=self._loss_scale_manager,
            about={"loss_fn": self._loss_fn, "optimizer": self._optimizer},
        )  # fmt: skip

    # -- evaluation and use -----------------------------------------------------------------------

    def eval(
        self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = True
    ) -> dict[str, Any]:
        """The metrics of a data set, by their names.

        Parameters
        ----------
        valid_dataset : Dataset or list of tuple
        callbacks : Callback or list of Callback, optional
        dataset_sink_mode : bool
            As of `train`.

        Raises
        ------
        S2sadError
            E0404 for a Model without metrics; what `train` raises.
        """
        self._require_metrics("eval")
        run = self._evaluation(valid_dataset, 1, flag("dataset_sink_mode", dataset_sink_mode))
        return run.once(Callbacks(as_callbacks(callbacks)))

    def _evaluation(
        self, dataset: Any, times: int, is_sunk: bool, within_fit: bool = False
    ) -> Evaluation:
        assert self._eval_network is not None
        return Evaluation(
            network=self._eval_network, batches=Batches("valid_dataset", dataset, times),
            metrics=self._metrics, indexes=self._eval_indexes, is_sunk=is_sunk,
            within_fit=within_fit, backbone=self._network,
            has_loss=isinstance(self._eval_network, nn.WithEvalCell),
        )  # fmt: skip

    def _require_metrics(self, method: str) -> None:
        if not self._metrics:
            raise fail(
                "E0404", f"Model.{method} needs metrics",
                help='name them when the Model is made: Model(..., metrics={"accuracy"})',
            )  # fmt: skip

    def predict(self, *predict_data: Any, backend: str | None = None, config: Any = None) -> Any:
        """What the network gives, in inference.

        Parameters
        ----------
        *predict_data : Tensor
            The arguments of the network.
        backend, config
            None: other run times are not built in.

        Raises
        ------
        S2sadError
            E0404 for another `backend` or `config`.
        """
        for name, value in (("backend", backend), ("config", config)):
            if value is not None:
                raise fail("E0404", f"{name} can be None only, got {value!r}")
        return self._network.set_train(False)(*predict_data)

    def build(
        self, train_dataset: Any = None, valid_dataset: Any = None, sink_size: int = -1,
        epoch: int = 1, sink_mode: bool = True,
    ) -> None:  # fmt: skip
        """Compile the steps of training and evaluation for the first batch of data sets, ahead.

        Parameters
        ----------
        train_dataset, valid_dataset : Dataset or list of tuple, optional
        sink_size, epoch, sink_mode
            As of `train`; nothing depends on them.

        Raises
        ------
        S2sadError
            E0712 in PyNative mode, where nothing is compiled; E0404 for a `valid_dataset` of a
            Model without metrics; what compiling raises.
        """
        integer("sink_size", sink_size, -1)
        integer("epoch", epoch, 1)
        flag("sink_mode", sink_mode)
        if not is_graph_mode():
            raise fail(
                "E0712", "Model.build compiles, which PyNative mode does not",
                help="write set_context(mode=GRAPH_MODE) first",
            )  # fmt: skip
        if train_dataset is not None:
            _build(self._train_network.set_train(), Batches("train_dataset", train_dataset))
        if valid_dataset is not None:
            self._require_metrics("build")
            assert self._eval_network is not None
            _build(self._eval_network.set_train(False), Batches("valid_dataset", valid_dataset))

    def infer_train_layout(self, train_dataset: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Refused (E0712): there is one device, on which Parameters are whole."""
        raise _no_layout("infer_train_layout")

    def infer_predict_layout(self, *predict_data: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Refused (E0712): there is one device, on which Parameters are whole."""
        raise _no_layout("infer_predict_layout")


def _build(network: Cell, batches: Batches) -> None:
    compiled_of(network).variant(*next(batches.epoch()))
    batches.close()


def _no_layout(method: str) -> Exception:
    return fail(
        "E0712", f"Model.{method} is for networks over several devices, and there is one",
        help="leave it out: Parameters are whole, and can be loaded as they are",
    )  # fmt: skip
