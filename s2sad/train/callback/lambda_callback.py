"""How are functions callbacks?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.train.callback.callback import Callback, RunContext

#: What is called at a hook.
Function = Callable[[RunContext], Any]


class LambdaCallback(Callback):
    """Calls functions at hooks; each takes the `RunContext`.

    Parameters
    ----------
    on_train_epoch_begin, on_train_epoch_end, on_train_step_begin, on_train_step_end : callable
    on_train_begin, on_train_end : callable
    on_eval_epoch_begin, on_eval_epoch_end, on_eval_step_begin, on_eval_step_end : callable
    on_eval_begin, on_eval_end : callable

    Raises
    ------
    S2sadError
        E0304 for what cannot be called.

    Examples
    --------
    >>> callback = LambdaCallback(on_train_begin=lambda run_context: print("begin"))
    >>> callback.on_train_begin(RunContext({}))
    begin
    """

    def __init__(
        self,
        on_train_epoch_begin: Function | None = None,
        on_train_epoch_end: Function | None = None,
        on_train_step_begin: Function | None = None,
        on_train_step_end: Function | None = None,
        on_train_begin: Function | None = None,
        on_train_end: Function | None = None,
        on_eval_epoch_begin: Function | None = None,
        on_eval_epoch_end: Function | None = None,
        on_eval_step_begin: Function | None = None,
        on_eval_step_end: Function | None = None,
        on_eval_begin: Function | None = None,
        on_eval_end: Function | None = None,
    ) -> None:
        given = {name: value for name, value in locals().items() if name.startswith("on_")}
        self._functions: dict[str, Function] = {}
        for name, function in given.items():
            if function is None:
                continue
            if not callable(function):
                raise fail("E0304", f"{name} is a function, got {shown(function)}")
            self._functions[name] = function

    def _call(self, name: str, run_context: RunContext) -> None:
        if name in self._functions:
            self._functions[name](run_context)

    def on_train_begin(self, run_context: RunContext) -> None:
        self._call("on_train_begin", run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        self._call("on_train_epoch_begin", run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        self._call("on_train_epoch_end", run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        self._call("on_train_step_begin", run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        self._call("on_train_step_end", run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        self._call("on_train_end", run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        self._call("on_eval_begin", run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        self._call("on_eval_epoch_begin", run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        self._call("on_eval_epoch_end", run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        self._call("on_eval_step_begin", run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        self._call("on_eval_step_end", run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        self._call("on_eval_end", run_context)
