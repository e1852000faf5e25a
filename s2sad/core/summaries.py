"""What did a program say of its training while it ran, and who wants to know?

`summarize` is what the operations of `ops` call that are named for it, and what compiled code does
in the order of its effects. What nobody listens to is forgotten at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from s2sad.core import dtypes


class Summary(NamedTuple):
    """One value.

    Attributes
    ----------
    plugin : str
        "scalar", "tensor", "histogram" or "image".
    name : str
    value : array
        Not shared with anybody; float32 for bfloat16.
    """

    plugin: str
    name: str
    value: np.ndarray


class Listener:
    """Who wants to know, from `listen` until `leave`; each hears all of it."""

    def __init__(self) -> None:
        self._heard: list[Summary] = []

    def listen(self) -> None:
        """Hear of what is said from now on."""
        LISTENERS.append(self)

    def leave(self) -> None:
        """Hear no more; who does not listen may leave as well."""
        LISTENERS[:] = [each for each in LISTENERS if each is not self]

    def hear(self, said: Summary) -> None:
        """Keep one value."""
        self._heard.append(said)

    def take(self) -> list[Summary]:
        """What was heard since the last time, in order."""
        heard, self._heard = self._heard, []
        return heard


LISTENERS: list[Listener] = []


def note(plugin: str, name: str, array: np.ndarray) -> None:
    """Tell all listeners of one value, in the storage of its dtype."""
    if LISTENERS:
        said = Summary(plugin, name, np.array(dtypes.widen(array)))
        for listener in [*LISTENERS]:
            listener.hear(said)


def summarize(plugin: str, name: str, value: Any) -> None:
    """`note` the elements of a Tensor; in compiled code at each call of the program."""
    note(plugin, name, value.array)
