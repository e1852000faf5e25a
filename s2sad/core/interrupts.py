"""What happens at Ctrl-C while a program must not be torn away from what it has half done?"""

from __future__ import annotations

import signal
import threading
from contextlib import AbstractContextManager
from typing import Any


class Interrupts:
    """Ctrl-C is noted inside, for whoever asks, and becomes a KeyboardInterrupt at the end.

    In code of the user's, which `at_once` is around, it is one at once. That is so in the main
    thread, where Python's own handler is in place: other threads get no signals, and a handler that
    somebody has chosen stays.

    Attributes
    ----------
    is_pending : bool
        Whether there was one.
    is_at_once : bool
        Whether code of the user's runs.
    """

    def __init__(self) -> None:
        self.is_pending = False
        self.is_at_once = False
        self._at_once = _AtOnce(self)
        self._is_installed = False

    def __enter__(self) -> Interrupts:
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._is_installed = True
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._is_installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        if self.is_pending and error is None:
            raise KeyboardInterrupt

    def _note(self, number: int, frame: Any) -> None:
        self.is_pending = True
        if self.is_at_once:
            raise KeyboardInterrupt

    def at_once(self) -> AbstractContextManager[None]:
        """Let Ctrl-C end what runs inside."""
        return self._at_once


class _AtOnce(AbstractContextManager[None]):
    """A context that a step enters several times, so it is no generator."""

    __slots__ = ("_interrupts",)

    def __init__(self, interrupts: Interrupts) -> None:
        self._interrupts = interrupts

    def __enter__(self) -> None:
        self._interrupts.is_at_once = True

    def __exit__(self, *error: object) -> None:
        self._interrupts.is_at_once = False
