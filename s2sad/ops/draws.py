"""How does a draw read the state of a Generator, and leave what comes after it?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.dtypes import DType
from s2sad.core.generator import DEFAULT, Generator
from s2sad.core.parameter import WRITING
from s2sad.ops.promotion import dtype_of
from s2sad.ops.settings import integer
from s2sad.ops.state import assign

#: ``draw(state)``: numbers, and the state after them.
Draw = Callable[[Any], tuple[Any, Any]]


def drawn(draw: Draw, *seeds: int | None, generator: Generator | None = None) -> Any:
    """What `draw` makes of the state of a Generator, which goes on.

    Parameters
    ----------
    draw : callable
    *seeds : int or None
        Those that are ints name, together, a stream of the Generator.
    generator : Generator, optional
        Else the default one.

    Raises
    ------
    S2sadError
        E0303 for what is no int or no Generator, E0404 for a seed that is negative or has more
        than 63 bits.
    """
    streams = [_seed(x) for x in seeds if x is not None]
    state = _generator(generator).state
    with WRITING:
        start = state
        for stream in streams:
            start = p.random_fold(start, stream)
        values, after = draw(start)
        if streams:  # the Generator itself goes on by one draw
            after = p.random_bits(state, shape=(1,))[1]
        assign(state, after)
    return values


def _seed(seed: Any) -> int:
    if integer("a seed", seed, 0) >= 2**63:
        raise fail("E0404", f"a seed has 63 bits, got {seed}")
    return seed


def _generator(generator: Any) -> Generator:
    if generator is None:
        return DEFAULT
    if not isinstance(generator, Generator):
        raise fail("E0303", f"a Generator is needed, got {generator!r}")
    return generator


def float_dtype(dtype: Any, default: DType = dtypes.float32) -> DType:
    """`dtype`, or `default` where it is None; it must be one of floats (E0301)."""
    found = default if dtype is None else dtype_of(dtype)
    if not found.is_float:
        raise fail("E0301", f"a dtype of floats is needed, got {found.name}")
    return found


def integer_dtype(dtype: Any, default: DType = dtypes.int64) -> DType:
    """`dtype`, or `default` where it is None; it must be one of integers (E0301)."""
    found = default if dtype is None else dtype_of(dtype)
    if not found.is_integer:
        raise fail("E0301", f"a dtype of integers is needed, got {found.name}")
    return found
