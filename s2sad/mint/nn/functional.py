"""Which functions of layers does `mint` have? See `s2sad.mint.functional`."""

from s2sad.core.elsewhere import missing as _missing
from s2sad.mint.functional import FUNCTIONS as _FUNCTIONS
from s2sad.mint.nn.in_place import IN_PLACE as _IN_PLACE

globals().update(_FUNCTIONS)
globals().update(_IN_PLACE)

__all__ = sorted([*_FUNCTIONS, *_IN_PLACE])  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mint.nn.functional", name, __all__)
