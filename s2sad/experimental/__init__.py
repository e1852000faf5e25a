"""What MindSpore offers under ``mindspore.experimental``."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.experimental import optim

__all__ = ["optim"]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.experimental", name, __all__)
