"""How are networks made whose first values do not matter?"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Networks that are made within, and then get their values from a checkpoint.

    Here they have first values all the same, as without; MindSpore leaves them out to save time.

    Examples
    --------
    >>> import s2sad as ms
    >>> with ms.nn.no_init_parameters():
    ...     net = ms.nn.Dense(2, 3)
    >>> net.weight.shape
    (3, 2)
    """
    yield
