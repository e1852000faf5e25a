"""How long does an epoch take?"""

from __future__ import annotations

import time

from s2sad.ops.settings import flag, integer
from s2sad.train.callback.callback import Callback, RunContext


class TimeMonitor(Callback):
    """Prints how long each epoch took, and each of its steps on average.

    Parameters
    ----------
    data_size : int, optional
        Steps of an epoch, where nobody else knows.
    data_time : bool
        Whether to print as well how long a step waited for its batch. Steps run one by one then.

    Raises
    ------
    S2sadError
        E0303 or E0404 for another size, E0303 for what is no bool.

    Examples
    --------
    >>> from s2sad.train.callback import CallbackParams
    >>> context, monitor = RunContext(CallbackParams(mode="train", batch_num=2)), TimeMonitor()
    >>> monitor.epoch_begin(context)
    >>> monitor.epoch_end(context)
    Train epoch time: ... ms, per step time: ... ms
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        self.data_size = None if data_size is None else integer("data_size", data_size, 1)
        self.data_time = self.needs_parameters = flag("data_time", data_time)
        self.epoch_time = self._waiting_since = time.perf_counter()
        self._waited = 0.0

    def epoch_begin(self, run_context: RunContext) -> None:  # noqa: ARG002
        self.epoch_time = self._waiting_since = time.perf_counter()
        self._waited = 0.0

    def step_begin(self, run_context: RunContext) -> None:  # noqa: ARG002
        self._waited += time.perf_counter() - self._waiting_since

    def step_end(self, run_context: RunContext) -> None:  # noqa: ARG002
        self._waiting_since = time.perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        milliseconds = (time.perf_counter() - self.epoch_time) * 1000
        params = run_context.original_args()
        steps = params.get("batch_num") or self.data_size or 1
        line = (f"{params.get('mode', '').title()} epoch time: {milliseconds:5.3f} ms, "
                f"per step time: {milliseconds / steps:5.3f} ms")  # fmt: skip
        if self.data_time:
            line += f", data time: {self._waited * 1000 / steps:5.3f} ms"
        print(line, flush=True)
