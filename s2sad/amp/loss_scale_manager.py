"""Which scale of the loss does a training step get, and how is it to change?"""

from __future__ import annotations

from abc import ABC, abstractmethod

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.nn.loss_scale import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell
from s2sad.ops.settings import flag, integer, positive

#: Overflows in a row after which training is given up.
MOST_OVERFLOWS = 1000


class LossScaleManager(ABC):
    """Knows the scale of a loss, and what changes it."""

    @abstractmethod
    def get_loss_scale(self) -> float:
        """The present scale."""

    @abstractmethod
    def update_loss_scale(self, overflow: bool) -> None:
        """Change the scale by whether a gradient overflowed."""

    @abstractmethod
    def get_update_cell(self) -> Cell | None:
        """What changes the scale in a step of training; None where steps are not left out."""


class FixedLossScaleManager(LossScaleManager):
    """A scale that stays.

    Parameters
    ----------
    loss_scale : number
        At least 1.
    drop_overflow_update : bool
        Whether a step is left out when a gradient overflows, and the scale divided out. Without
        that, the optimizer is to have the same number as its `loss_scale`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> manager = FixedLossScaleManager(1024.0, drop_overflow_update=False)
    >>> manager.get_loss_scale(), manager.get_update_cell()
    (1024.0, None)
    """

    def __init__(self, loss_scale: float = 128.0, drop_overflow_update: bool = True) -> None:
        self._loss_scale = _at_least_one("loss_scale", loss_scale)
        self._drop_overflow_update = flag("drop_overflow_update", drop_overflow_update)

    def get_loss_scale(self) -> float:
        return self._loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether a step is left out when a gradient overflows."""
        return self._drop_overflow_update

    def update_loss_scale(self, overflow: bool) -> None:
        flag("overflow", overflow)

    def get_update_cell(self) -> Cell | None:
        return FixedLossScaleUpdateCell(self._loss_scale) if self._drop_overflow_update else None


class DynamicLossScaleManager(LossScaleManager):
    """A scale that an overflow makes smaller, and a time without one larger.

    Parameters
    ----------
    init_loss_scale : number
        To begin with; at least 1.
    scale_factor : int
        As of `nn.DynamicLossScaleUpdateCell`, as is `scale_window`.
    scale_window : int

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> manager = DynamicLossScaleManager(2.0**24)
    >>> manager.update_loss_scale(True)
    >>> manager.get_loss_scale() == 2.0**23
    True
    """

    def __init__(
        self, init_loss_scale: float = 2**24, scale_factor: int = 2, scale_window: int = 2000
    ) -> None:
        self.loss_scale = _at_least_one("init_loss_scale", init_loss_scale)
        self.scale_factor = integer("scale_factor", scale_factor, 1)
        self.scale_window = integer("scale_window", scale_window, 1)
        self._step, self._last_event, self._overflows = 1, 0, 0

    def get_loss_scale(self) -> float:
        return self.loss_scale

    def get_drop_overflow_update(self) -> bool:
        """Whether a step is left out when a gradient overflows: it is."""
        return True

    def update_loss_scale(self, overflow: bool) -> None:
        """Change the scale by whether a gradient overflowed.

        Raises
        ------
        S2sadError
            E0303 for what is no bool, E0713 after more than `MOST_OVERFLOWS` overflows in a row.
        """
        if flag("overflow", overflow):
            self.loss_scale = max(self.loss_scale / self.scale_factor, 1.0)
            self._last_event = self._step
            self._overflows += 1
        else:
            if not (self._step - self._last_event) % self.scale_window:
                self.loss_scale *= self.scale_factor
            self._overflows = 0
        if self._overflows > MOST_OVERFLOWS:
            raise fail(
                "E0713", f"gradients overflowed {self._overflows} times in a row",
                help="see whether the loss itself is finite, in float32",
            )  # fmt: skip
        self._step += 1

    def get_update_cell(self) -> Cell:
        return DynamicLossScaleUpdateCell(self.loss_scale, self.scale_factor, self.scale_window)


def _at_least_one(name: str, given: float) -> float:
    if positive(name, given) < 1:
        raise fail("E0404", f"{name} is at least 1, got {given}")
    return float(given)
