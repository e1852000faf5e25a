"""Which special functions does `mint` have under a module of their own?"""

from s2sad.core.elsewhere import missing as _missing
from s2sad.mint.functional import log_softmax
from s2sad.ops import erfc, exp2, expm1, log1p, round, sinc

__all__ = ["erfc", "exp2", "expm1", "log1p", "log_softmax", "round", "sinc"]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mint.special", name, __all__)
