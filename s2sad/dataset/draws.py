"""From where do random transforms draw, so that a row gets the same numbers whoever computes it?

Each row of each step has numbers of its own: those of Philox4x32-10 whose key names the step and
the epoch, and whose counter names the row. So neither workers nor a start in the middle matter.
"""

from __future__ import annotations

import threading

import numpy as np

from s2sad.dataset.config import chosen_seed

MASK = 2**64 - 1


class _Source(threading.local):
    """What the thread draws for: the key of a step in an epoch, the row, and which function."""

    key: np.ndarray | None = None
    row: int = 0
    function: int = 0
    drawn: np.random.Generator | None = None


_source = _Source()


def draw_for(key: np.ndarray | None, row: int = 0, function: int = 0) -> None:
    """Let `generator` be that of `row` in this thread; without a key that of no row."""
    _source.key, _source.row, _source.function, _source.drawn = key, row, function, None


def generator() -> np.random.Generator:
    """Random numbers of the row that is being computed: for functions of the user's in `map`.

    They are the same for the same seed, whatever the number of workers and in whichever order rows
    are computed, which ``numpy.random`` is not: all threads share it. Outside of a pipeline they
    go on from call to call, and begin anew when a seed is set.

    Examples
    --------
    >>> import s2sad.dataset as ds
    >>> ds.config.set_seed(7)
    >>> data = ds.NumpySlicesDataset([0, 0, 0], shuffle=False)
    >>> data = data.map(lambda x: x + ds.generator().integers(100))
    >>> rows = [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
    >>> rows == [int(x) for (x,) in data.create_tuple_iterator(output_numpy=True)]
    True
    """
    if _source.key is None:
        return _outside()  # not kept: a seed may be set before the next call
    if _source.drawn is None:
        _source.drawn = _of_row()
    return _source.drawn


def _of_row() -> np.random.Generator:
    counter = np.array([0, _source.row, _source.function, 0], np.uint64)
    return np.random.Generator(np.random.Philox(key=_source.key, counter=counter))


#: The generator outside of pipelines, and the seed that it started from.
_standing: dict[int | None, np.random.Generator] = {}


def _outside() -> np.random.Generator:
    seed = chosen_seed()
    if seed not in _standing:
        _standing.clear()
        _standing[seed] = np.random.default_rng(seed)
    return _standing[seed]


def row_seed() -> int:
    """A seed of 32 bits for what has a generator of its own; it takes nothing from `generator`.

    It is asked for at every row, so it is a hash of a microsecond: the steps of SplitMix64 (Steele,
    Lea and Flood, 2014), one for each word that says which row it is.
    """
    assert _source.key is not None
    word = 0
    for part in (*map(int, _source.key), _source.row, _source.function):
        word = (word + part + 0x9E3779B97F4A7C15) & MASK
        word = ((word ^ word >> 30) * 0xBF58476D1CE4E5B9) & MASK
        word = ((word ^ word >> 27) * 0x94D049BB133111EB) & MASK
        word ^= word >> 31
    return word >> 32
