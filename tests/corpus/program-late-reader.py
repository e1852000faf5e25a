"""What was moved to its first reader came behind it: the reader had moved as well."""

import s2sad as ms
from s2sad import ops

DTYPE = "float16"


def construct(self, x, h, s, m, k):
    d = {"h": h * 0.5, "s": s}
    x = ops.tanh(x)
    x[:, 1] += (ops.cast((k // 1) % 5, x.dtype) - ops.cast(k % 5, x.dtype))
    loss = (ops.tanh(x).sum() + ops.tanh(h).sum() + ops.tanh(s).sum() + ops.tanh(d["h"]).sum() + ops.tanh(d["s"]).sum()) * 0.25
    return loss, {"x": x, "more": (h, m)}, [s, k], d
