"""Random numbers: Philox4x32-10, as its authors give it.

Salmon, Moraes, Dror and Shaw, *Parallel random numbers: as easy as 1, 2, 3* (2011).
"""

from __future__ import annotations

import numpy as np

from s2sad.backends.ascend.datatypes import BY_ATTRIBUTE
from s2sad.backends.ascend.device.meanings.base import Arrays, ints, means, option
from s2sad.backends.ascend.graph import Node
from s2sad.core.diagnostics import fail

MULTIPLIERS = np.array([0xD2511F53, 0xCD9E8D57], np.uint64)
STEPS = np.array([0x9E3779B9, 0xBB67AE85], np.uint64)
MASK, HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
PHILOX, ROUNDS = 1, 10


def philox(key: int, counter: int, blocks: int) -> np.ndarray:
    """The words of `blocks` blocks, four a row, from the 128 bits of `counter` on.

    Examples
    --------
    >>> [f"{word:08x}" for word in philox(0, 0, 1)[0]]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    counters = [counter + i for i in range(blocks)]
    words = np.array([[c >> 32 * i & 0xFFFFFFFF for i in range(4)] for c in counters], np.uint64)
    words = words.reshape(blocks, 4)
    keys = np.array([key & 0xFFFFFFFF, key >> 32 & 0xFFFFFFFF], np.uint64)
    for _ in range(ROUNDS):
        products = words[:, [0, 2]] * MULTIPLIERS
        high, low = products >> HALF, products & MASK
        words = np.stack(
            [high[:, 1] ^ words[:, 1] ^ keys[0], low[:, 1],
             high[:, 0] ^ words[:, 3] ^ keys[1], low[:, 0]], axis=1,
        )  # fmt: skip
        keys = (keys + STEPS) & MASK
    return words.astype(np.uint32)


@means("StatelessRandomUniformFullIntV2")
def _full(node: Node, given: Arrays) -> np.ndarray:
    """Numbers of 32 bits are words, those of 64 are two of them, the low one first."""
    (alg,), (key,), counter = (ints(given[name]) for name in ("alg", "key", "counter"))
    if alg != PHILOX:
        raise fail("E0712", f"the algorithm {alg} of {node.type} is not simulated")
    shape = ints(given["shape"])
    size = int(np.prod(shape))
    name = BY_ATTRIBUTE[option(node, "dtype")].name
    stored = {"DT_INT32": np.int32, "DT_INT64": np.int64}[name]
    count = size * np.dtype(stored).itemsize // 4
    words = philox(key, counter[0] | counter[1] << 64, -(-count // 4)).ravel()[:count]
    return words.view(stored).reshape(shape)
