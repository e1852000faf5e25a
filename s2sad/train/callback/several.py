"""How are the hooks of several callbacks called?"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.train.callback.callback import Callback, RunContext


def as_callbacks(given: Any) -> list[Callback]:
    """Callbacks, of one, a list or tuple of them, or None (E0304 for all else).

    Examples
    --------
    >>> as_callbacks(None), len(as_callbacks(Callback()))
    ([], 1)
    """
    if given is None:
        return []
    found = list(given) if isinstance(given, (list, tuple)) else [given]
    for each in found:
        if not isinstance(each, Callback):
            help = "make an instance: LossMonitor()" if isinstance(each, type) else None
            raise fail("E0304", f"callbacks are Callbacks, got {shown(each)}", help=help)
    return found


class Callbacks:
    """Several callbacks, in their order; a context manager, as each of them is.

    Parameters
    ----------
    callbacks : list of Callback
    """

    def __init__(self, callbacks: list[Callback]) -> None:
        self.callbacks = callbacks
        self._stack = ExitStack()

    def __enter__(self) -> Callbacks:
        with ExitStack() as entered:  # of which all are left where one cannot be entered
            for each in self.callbacks:
                entered.enter_context(each)
            self._stack = entered.pop_all()
        return self

    def __exit__(self, *exception: Any) -> Any:
        return self._stack.__exit__(*exception)

    def call(self, hook: str, run_context: RunContext) -> None:
        """Call the hook of this name of each."""
        for each in self.callbacks:
            getattr(each, hook)(run_context)

    def call_own(self, hook: str, run_context: RunContext) -> None:
        """The same of those that have such a hook of their own.

        So no older hook, which knows nothing of evaluation, runs within `Model.fit` for both.
        """
        for each in self.callbacks:
            found = getattr(each, hook)
            if getattr(found, "__func__", found) is not getattr(Callback, hook):
                found(run_context)

    def need_parameters_at(self, step: int) -> bool:
        """Whether one of them needs Parameters as this step leaves them."""
        return any([each.needs_parameters_at(step) for each in self.callbacks])  # all are asked
