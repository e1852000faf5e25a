"""Where do random numbers come from, and how are they made to come again?

A Generator holds one state: the key and the counter of Philox4x32-10, in the form that the
primitives of `s2sad.prims.random` take. A draw reads it and writes back what is left, like any
other Parameter that a program writes; so draws stand in program order, compiled or not.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import WRITING, Parameter
from s2sad.core.tensor import Tensor

MASK = 2**64 - 1


class RandomState(Parameter):
    """State of a Generator, int64, shape (3,): a hidden input of every program that draws.

    It belongs to no Cell, so no optimizer or checkpoint meets it; in dumps it is bound to ``rng``.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(Tensor(_words(seed)), "rng", requires_grad=False)


def _words(seed: int) -> np.ndarray:
    """The state with `seed` as its key and a counter of 0."""
    return np.array([seed & MASK, 0, 0], np.uint64).view(np.int64)


def _fresh() -> int:
    """A seed that nobody chose."""
    return int.from_bytes(os.urandom(8), "little")


class Generator:
    """A source of random numbers, apart from all others; it starts anywhere.

    Attributes
    ----------
    state : RandomState

    Examples
    --------
    >>> import s2sad as ms
    >>> generator = ms.Generator().manual_seed(7)
    >>> generator.initial_seed(), generator.get_state().tolist()
    (7, [7, 0, 0])
    """

    def __init__(self) -> None:
        self.state = RandomState(_fresh())

    def manual_seed(self, seed: int) -> Generator:
        """Start the numbers that `seed` names; the Generator itself.

        Parameters
        ----------
        seed : int
            From -2**63 to 2**64 - 1; a negative one stands for its two's complement.

        Raises
        ------
        S2sadError
            E0303 for no int, E0404 out of range.
        """
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)):
            raise fail("E0303", f"a seed is an int, got {seed!r}")
        if not -(2**63) <= seed <= MASK:
            raise fail("E0404", f"a seed has 64 bits, got {seed}")
        self._write(_words(int(seed)))
        return self

    def seed(self) -> int:
        """Start anywhere; the seed, from 0 to 2**64 - 1, for `manual_seed` to start there again."""
        seed = _fresh()
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed that the present numbers started with, from 0 to 2**64 - 1."""
        return int(self.state.array[0]) & MASK

    def get_state(self) -> Tensor:
        """Where the Generator is, int64, shape (3,): `set_state` goes back there."""
        return Tensor(self.state.array)

    def set_state(self, state: Tensor) -> None:
        """Go to where `get_state` was called.

        Raises
        ------
        S2sadError
            E0304 for what is no Tensor, E0301 or E0401 for one that is not int64 of shape (3,).
        """
        if not isinstance(state, Tensor):
            raise fail("E0304", f"a random state is a Tensor, got a {type(state).__name__}")
        if state.dtype is not dtypes.int64:
            raise fail("E0301", f"a random state is int64, got {state.dtype.name}")
        self._write(state)

    def _write(self, words: Any) -> None:
        with WRITING:
            self.state.set_data(words)


#: From it draw all operations that are not given another one.
DEFAULT = Generator()


def manual_seed(seed: int) -> Generator:
    """Start the default Generator anew, and nothing else (see `set_seed`); see `Generator`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.manual_seed(1).initial_seed()
    1
    """
    return DEFAULT.manual_seed(seed)


def seed() -> int:
    """Start the default Generator anywhere; the seed.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.seed() == ms.initial_seed()
    True
    """
    return DEFAULT.seed()


def initial_seed() -> int:
    """The seed that the numbers of the default Generator started with; see `manual_seed`."""
    return DEFAULT.initial_seed()


def get_rng_state() -> Tensor:
    """Where the default Generator is, int64, shape (3,); see `set_rng_state`."""
    return DEFAULT.get_state()


def set_rng_state(state: Tensor) -> None:
    """Let the default Generator go on from `state`.

    Raises
    ------
    S2sadError
        E0304 for what is no Tensor, E0301 or E0401 for one that is not int64 of shape (3,).

    Examples
    --------
    >>> import s2sad as ms
    >>> state = ms.get_rng_state()
    >>> one = ms.ops.randn(3)
    >>> ms.set_rng_state(state)
    >>> one.tolist() == ms.ops.randn(3).tolist()
    True
    """
    DEFAULT.set_state(state)
