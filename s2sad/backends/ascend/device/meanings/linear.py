"""Products and factors of matrices."""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.device.meanings.base import Arrays, means, only, option
from s2sad.backends.ascend.graph import Node


def _turned(x: np.ndarray, is_turned: bool) -> np.ndarray:
    return np.swapaxes(x, -1, -2) if is_turned else x


@means("MatMulV2", "BatchMatMulV2")
def _matmul(node: Node, given: Arrays) -> np.ndarray:
    word = "transpose" if node.type == "MatMulV2" else "adj"
    x, y = (_turned(given[port], option(node, f"{word}_{port}")) for port in ("x1", "x2"))
    return x @ y + given["bias"] if "bias" in given else x @ y


@means("Cholesky")
def _cholesky(node: Node, given: Arrays) -> np.ndarray:
    """The lower factor; the upper half of the matrix is not looked at."""
    return np.linalg.cholesky(given["x"])


@means("MatrixDeterminant")
def _det(node: Node, given: Arrays) -> np.ndarray:
    return np.linalg.det(given["x"])


@means("LogMatrixDeterminant")
def _slogdet(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    sign, log = np.linalg.slogdet(given["x"])
    return sign, log


@means("Svd")
def _svd(node: Node, given: Arrays) -> tuple[np.ndarray, ...]:
    """The values first, and v as it is, not turned."""
    only(node, compute_uv=True)
    u, s, v = np.linalg.svd(given["x"], option(node, "full_matrices"))
    return s, u, np.swapaxes(v, -1, -2)


@means("Qr")
def _qr(node: Node, given: Arrays) -> tuple[np.ndarray, np.ndarray]:
    mode = "complete" if option(node, "full_matrices") else "reduced"
    q, r = np.linalg.qr(given["x"], mode)
    return q, r


@means("MatrixSolve")
def _solve(node: Node, given: Arrays) -> np.ndarray:
    only(node, adjoint=False)
    return np.linalg.solve(given["matrix"], given["rhs"])
