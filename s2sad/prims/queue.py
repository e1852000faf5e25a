"""How does a program that runs many steps take batches, and give out what each step has made?

Its host is reached through a channel (`s2sad.prims.channel`). As all effects, these take a token
first and give one back. They have no gradient: a program gets them when it is finished otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.core.diagnostics import fail
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Token, Type, as_type, bool_
from s2sad.prims.channel import served
from s2sad.prims.define import primitive
from s2sad.prims.effect import require_token
from s2sad.prims.rules import tensor

_NONDIFF = "an effect: its token has no cotangent, and the host wants none"
_FALLIBLE = {Trait.EFFECT, Trait.MOVES, Trait.FALLIBLE}


def _require_name(queue: Any) -> None:
    if not isinstance(queue, str):
        raise fail("E0303", f"a queue has a name, got {queue!r}")


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    _require_name(attrs["queue"])
    return attrs


def _canonical_next(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    _require_name(attrs["queue"])
    if not isinstance(attrs["types"], tuple):
        raise fail("E0303", f"a batch has a tuple of types, got {attrs['types']!r}")
    return {**attrs, "types": tuple(map(as_type, attrs["types"]))}


def _next_type(token: Type, *, types: tuple[TensorType, ...], queue: str) -> tuple[Type, ...]:
    require_token(token)
    return (Token, bool_, *map(as_type, types))


@primitive(type=_next_type, traits=_FALLIBLE, nondiff=_NONDIFF, canonical=_canonical_next)
def queue_next(token, *, types, queue):
    """Next batch that the host gives, waited for, and whether there is one.

    Parameters
    ----------
    token : Token
    types : tuple of TensorType
        What a batch holds.
    queue : str
        Name of the channel.

    Returns
    -------
    token : Token
    more : bool
        False at the end of the batches, and when the host has asked the program to end.
    *values : Tensors of `types`
        Zeros where there is no batch.

    Raises
    ------
    S2sadError
        E0512 if no channel has that name, E0303 if a batch has other types, E0304 without a token.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token, i64
    >>> from s2sad.prims.channel import Channel, serving
    >>> with serving("rows", Channel.over([[np.array([1, 2])]])):
    ...     one = p.queue_next(Token, types=(i64[2],), queue="rows")
    ...     two = p.queue_next(Token, types=(i64[2],), queue="rows")
    >>> one, two
    ((Token, array(True), array([1, 2])), (Token, array(False), array([0, 0])))
    """
    batch = served(queue).next(tuple(map(as_type, types)))
    if batch is not None:
        return (token, np.asarray(True), *batch)
    return (token, np.asarray(False), *map(_zeros, types))


def _zeros(type: Any) -> np.ndarray:  # noqa: A002
    wanted = as_type(type)
    return np.zeros(wanted.shape, wanted.dtype.storage)  # type: ignore[arg-type]


def _report_type(token: Type, *values: Type, queue: str) -> Type:
    require_token(token)
    for value in values:
        tensor(value, "result of a step")
    return Token


@primitive(type=_report_type, traits=_FALLIBLE, nondiff=_NONDIFF, canonical=_canonical, same=())
def queue_report(token, *values, queue):
    """Gives the host copies of the results of a step; waits while too many of them wait.

    Parameters
    ----------
    token : Token
    *values : Tensors of any dtype
    queue : str
        Name of the channel.

    Returns
    -------
    Token

    Raises
    ------
    S2sadError
        E0512 if no channel has that name, E0304 without a token.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> from s2sad.prims.channel import Channel, serving
    >>> with serving("rows", Channel()) as channel:
    ...     p.queue_report(Token, np.array([1, 2]), 3.0, queue="rows")
    Token
    >>> channel.reports()
    [(array([1, 2]), array(3.))]
    """
    served(queue).report(values)
    return token


def _keep_type(token: Type, *state: Type, queue: str) -> tuple[Type, ...]:
    require_token(token)
    return (Token, *(tensor(value, "state of a step") for value in state))


@primitive(type=_keep_type, traits=_FALLIBLE, nondiff=_NONDIFF, canonical=_canonical, same=())
def queue_keep(token, *state, queue):
    """Ends a step: should the next one fail, `state` is what is left.

    Parameters
    ----------
    token : Token
    *state : Tensors of any dtype
        What the next step begins with. Their memory may be written into by the next step, once
        nothing in it can fail any more.
    queue : str
        Name of the channel.

    Returns
    -------
    token : Token
    *state : Tensors
        The same numbers, in C order, as they would come into a step that is called by itself.

    Raises
    ------
    S2sadError
        E0512 if no channel has that name, E0304 without a token.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> from s2sad.prims.channel import Channel, serving
    >>> with serving("rows", Channel()) as channel:
    ...     p.queue_keep(Token, np.array([1, 2]), queue="rows")
    (Token, array([1, 2]))
    >>> channel.steps, channel.state
    (1, (array([1, 2]),))
    """
    kept = [np.asarray(value, order="C") for value in state]
    served(queue).keep(kept)
    return (token, *kept)
