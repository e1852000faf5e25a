"""Which optimizers does `mint` have? Those of `experimental.optim`, called with the gradients."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.experimental.optim import SGD, Adam, AdamW

__all__ = ["Adam", "AdamW", "SGD"]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mint.optim", name, __all__)
