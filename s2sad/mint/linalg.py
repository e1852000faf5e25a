"""Which operations of linear algebra does `mint` have under a module of their own?"""

from s2sad import ops as _ops
from s2sad.core.elsewhere import missing as _missing
from s2sad.ops.renaming import renamed as _renamed

inv = _renamed("inv", _ops.inverse, {"A": "input"})
matrix_norm = _renamed("matrix_norm", _ops.matrix_norm, {"dim": "axis", "keepdim": "keepdims"})
norm = _ops.norm
qr = _renamed("qr", _ops.qr, {"A": "input"})
vector_norm = _renamed("vector_norm", _ops.vector_norm, {"dim": "axis", "keepdim": "keepdims"})

__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]


def __getattr__(name: str) -> object:
    raise _missing("s2sad.mint.linalg", name, __all__)
