"""What may a user have called while a network trains, and what does he find out there?"""

from __future__ import annotations

from typing import Any, TypeVar

from s2sad.core.diagnostics import did_you_mean, fail

Self = TypeVar("Self", bound="Callback")


class CallbackParams(dict[str, Any]):
    """What hooks may know: a dict whose keys are attributes as well.

    Raises
    ------
    S2sadError
        E0220 for an attribute that is no key at the time; `get` gives None.

    Examples
    --------
    >>> params = CallbackParams(cur_epoch_num=1)
    >>> params.cur_step_num = 3
    >>> params.cur_epoch_num, params["cur_step_num"], params.get("net_outputs")
    (1, 3, None)
    """

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        if name.startswith("__"):
            raise AttributeError(name)
        help = did_you_mean(name, self) or f"at this time there are {', '.join(sorted(self))}"
        raise fail("E0220", f"callbacks have no parameter {name!r} here", help=help)

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class RunContext:
    """What every hook is called with.

    Parameters
    ----------
    original_args : dict
        What `original_args` gives.

    Attributes
    ----------
    evaluates : bool
        Whether some epochs of this training end in an evaluation.

    Raises
    ------
    S2sadError
        E0304 for what is no dict.

    Examples
    --------
    >>> context = RunContext(CallbackParams(cur_step_num=3))
    >>> context.request_stop()
    >>> context.original_args().cur_step_num, context.get_stop_requested()
    (3, True)
    """

    def __init__(self, original_args: Any) -> None:
        if not isinstance(original_args, dict):
            kind = type(original_args).__name__
            raise fail("E0304", f"original_args is a dict, got a {kind}")
        self._original_args = original_args
        self._stop_requested = False
        self.evaluates = False

    def original_args(self) -> Any:
        """What is known at the time, in `CallbackParams`.

        In training: batch_num, cur_epoch_num and cur_step_num (both from 1), dataset_sink_mode,
        device_number, epoch_num, initial_step, last_save_ckpt_step, latest_ckpt_file,
        list_callback, loss_fn, loss_scale_mananger (spelt so), mode, net_outputs, network,
        optimizer, parallel_mode, train_dataset, train_dataset_element, train_network. In evaluation
        also eval_network, eval_dataset_element, valid_dataset, and once it is over metrics, within
        `Model.fit` also eval_results.
        """
        return self._original_args

    def request_stop(self) -> None:
        """Let this step be the last; hooks at the end of the epoch and of training still run."""
        self._stop_requested = True

    def get_stop_requested(self) -> bool:
        """Whether somebody has called `request_stop`."""
        return self._stop_requested


class Callback:
    """Base of what is called while a network trains or is evaluated.

    Each hook takes a `RunContext`. Those called ``on_train_...`` run in training, and those called
    ``on_eval_...`` in evaluation; where a subclass does not define one, the older hook of that time
    runs, `begin`, `epoch_begin`, `step_begin`, `step_end`, `epoch_end` or `end`. Within `Model.fit`
    older hooks are those of training only.

    It is a context manager, entered before the first hook and left after the last, also by an
    exception.

    Attributes
    ----------
    needs_parameters : bool
        Whether hooks of steps read or set Parameters, or have to stop at exactly their step. Then
        no step runs ahead of them. It is False by default: a hook sees its step, with its loss,
        perhaps some steps late.

    Examples
    --------
    >>> class Steps(Callback):
    ...     def on_train_step_end(self, run_context):
    ...         params = run_context.original_args()
    ...         print(params.cur_epoch_num, params.cur_step_num)
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1)
    >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
    >>> model.train(2, [(ms.Tensor([[1.0]]), ms.Tensor([[2.0]]))], Steps())
    1 1
    2 2
    """

    needs_parameters: bool = False

    def needs_parameters_at(self, step: int) -> bool:  # noqa: ARG002
        """Whether the hooks of this step of training need Parameters as it leaves them.

        `needs_parameters`, where no subclass knows better. It is asked once for each step, in
        order, before that runs.

        Parameters
        ----------
        step : int
            As cur_step_num counts.
        """
        return self.needs_parameters

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *exception: Any) -> Any:
        """Nothing; for subclasses."""

    # -- older hooks, of training and evaluation ------------------------------------------------

    def begin(self, run_context: RunContext) -> None:
        """Before the first epoch."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """After each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Before each step."""

    def step_end(self, run_context: RunContext) -> None:
        """After each step."""

    def end(self, run_context: RunContext) -> None:
        """After the last epoch."""

    # -- hooks of training ----------------------------------------------------------------------

    def on_train_begin(self, run_context: RunContext) -> None:
        """Before the first epoch of training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Before each epoch of training."""
        self.epoch_begin(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """After each epoch of training, and after its evaluation."""
        self.epoch_end(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Before each step of training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """After each step of training."""
        self.step_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """After the last epoch of training."""
        self.end(run_context)

    # -- hooks of evaluation --------------------------------------------------------------------

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Before an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Before the one epoch of an evaluation."""
        self.epoch_begin(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """After the one epoch of an evaluation."""
        self.epoch_end(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Before each batch of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """After each batch of an evaluation."""
        self.step_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """After an evaluation, when its metrics are known."""
        self.end(run_context)
