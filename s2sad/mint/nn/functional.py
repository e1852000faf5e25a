"""Which functions of layers does `mint` have? See `s2sad.mint.functional`."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.mint.functional import FUNCTIONS as _FUNCTIONS

globals().update(_FUNCTIONS)

__all__ = sorted(_FUNCTIONS)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mint.nn.functional", name, __all__)
