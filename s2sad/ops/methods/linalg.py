"""Methods of linear algebra."""

from __future__ import annotations

from s2sad.ops import linalg

METHODS = {"__matmul__": linalg.matmul, "matmul": linalg.matmul}
