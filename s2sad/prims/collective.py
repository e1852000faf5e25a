"""What do the members of a group of processes exchange?

A group is named by `group` and has `size` members, numbered from 0; a token a communicator keeps
the order that all members must share. Along an axis, the parts are those of the members in order.

Adjoints, as mathematics has them: a sum over the group is its own; gathering and summing while
scattering are each other's; one all-to-all undoes another; the source of a broadcast sums what
the others send back. A tangent is exchanged as its value is. But the backward sweep has an order of
its own, thus needs a token of its own, and so do tangents; tokens have neither cotangents nor
tangents to carry one. So in a group of more than one, differentiation is an error that says so
(E0712), not a gradient of 0. In a group of one everything is the identity.
"""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.primitive import Trait
from s2sad.ir.types import TensorType, Token, Type, as_type
from s2sad.prims.define import primitive
from s2sad.prims.effect import require_token
from s2sad.prims.rules import axis_of, is_number, require_kind, tensor

REDUCTIONS = ("sum", "prod", "max", "min")
_TRAITS = {Trait.EFFECT, Trait.FALLIBLE, Trait.MOVES}


def _canonical(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    """``canonical=`` of every operation here: it checks the attributes that there are."""
    size = attrs["size"]
    if not isinstance(attrs["group"], str):
        raise fail("E0303", f"a group is named by a str, got {attrs['group']!r}")
    _require_int(size, "the size of a group", 1, None)
    if attrs.get("op", "sum") not in REDUCTIONS:
        raise fail("E0404", f"a reduction is one of {', '.join(REDUCTIONS)}, got {attrs['op']!r}")
    full = dict(attrs)
    for name in full.keys() & {"root", "to", "source"}:
        _require_int(full[name], f"the rank {name!r}", 0, size)
    for name in full.keys() & {"axis", "split_axis", "concat_axis"}:
        full[name] = axis_of(full[name], tensor(types[1]).ndim)
    if "type" in full:
        full["type"] = as_type(full["type"])
    return full


def _require_int(value: Any, what: str, low: int, high: int | None) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise fail("E0303", f"{what} is an int, got {value!r}")
    if value < low or high is not None and value >= high:
        bound = "" if high is None else f" and below {high}"
        raise fail("E0404", f"{what} is at least {low}{bound}, got {value}")


def _no_partner(name: str, group: str, size: int) -> Exception:
    return fail(
        "E0712", f"{name} among the {size} members of {group!r} needs a communicator",
        help="the NumPy backend runs one process",
    )  # fmt: skip


def alone(name: str, group: str, size: int) -> None:
    """NumPy computes in one process: the group must have one member (E0712)."""
    if size != 1:
        raise _no_partner(name, group, size)


def returned(name: str, derivative: Any, size: int) -> Any:
    """Cotangent or tangent of what one member gave in a group of one (E0712 in a larger one)."""
    if size != 1:
        raise fail("E0712", f"{name} among {size} members cannot be differentiated yet")
    return derivative


def _same_type(token: Type, x: Type, **attrs: Any) -> tuple[Type, ...]:
    require_token(token)
    return Token, tensor(x)


def _reduced_type(token: Type, x: Type, **attrs: Any) -> tuple[Type, ...]:
    require_token(token)
    return Token, require_kind(x, is_number, "numbers")


@primitive(type=_reduced_type, traits=_TRAITS, canonical=_canonical, same=())
def all_reduce(token, x, *, op="sum", group="world", size):
    """The tensors of all members combined, for every member.

    Parameters
    ----------
    token : Token
    x : Tensor of numbers, of one type for all members
    op : str
        ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``.
    group : str
    size : int
        Number of members.

    Returns
    -------
    token : Token
    y : Tensor, type of `x`

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 or E0404 for attributes, E0304 without a token.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.all_reduce(Token, np.array([1.0, 2.0]), size=1)
    (Token, array([1., 2.]))
    """
    alone("all_reduce", group, size)
    return token, x


@all_reduce.adjoint
def all_reduce_adjoint(token, x, out, dout, *, size):
    return None, returned("all_reduce", dout[1], size)


@all_reduce.tangent
def all_reduce_tangent(token, x, out, tangents, *, size):
    return None, returned("all_reduce", tangents[1], size)


def _gathered_type(token: Type, x: Type, *, axis: int, group: str, size: int) -> tuple[Type, ...]:
    require_token(token)
    return Token, _resized(tensor(x), axis, tensor(x).shape[axis] * size)


def _resized(x: TensorType, axis: int, size: dims.Dim) -> TensorType:
    return TensorType(x.dtype, (*x.shape[:axis], size, *x.shape[axis + 1 :]))


@primitive(type=_gathered_type, traits=_TRAITS, canonical=_canonical, same=())
def all_gather(token, x, *, axis=0, group="world", size):
    """The tensors of all members, joined along `axis`, for every member.

    Parameters
    ----------
    token : Token
    x : Tensor of any dtype, of one type for all members
    axis : int
    group : str
    size : int
        Number of members.

    Returns
    -------
    token : Token
    y : Tensor
        Along `axis` `size` times as long as `x`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for attributes, E0304 without a token, E0403 if `axis` is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.all_gather(Token, np.array([1.0, 2.0]), size=1)
    (Token, array([1., 2.]))
    """
    alone("all_gather", group, size)
    return token, x


@all_gather.adjoint
def all_gather_adjoint(token, x, out, dout, *, size):
    return None, returned("all_gather", dout[1], size)


@all_gather.tangent
def all_gather_tangent(token, x, out, tangents, *, size):
    return None, returned("all_gather", tangents[1], size)


def _part(x: TensorType, axis: int, size: int) -> TensorType:
    """`x` with a `size`-th of `axis` (E0401 where that does not divide)."""
    length = x.shape[axis]
    what = f"what {size} members leave of axis {axis}, of size {length}, and 0"
    dims.require_same(length % size, 0, what)
    return _resized(x, axis, length // size)


def _scattered_type(
    token: Type, x: Type, *, op: str, axis: int, group: str, size: int
) -> tuple[Type, ...]:
    require_token(token)
    return Token, _part(require_kind(x, is_number, "numbers"), axis, size)


@primitive(type=_scattered_type, traits=_TRAITS, canonical=_canonical, same=())
def reduce_scatter(token, x, *, op="sum", axis=0, group="world", size):
    """The tensors of all members combined, of which each member gets its part along `axis`.

    Parameters
    ----------
    token : Token
    x : Tensor of numbers, of one type for all members
    op : str
        ``"sum"``, ``"prod"``, ``"max"`` or ``"min"``.
    axis : int
    group : str
    size : int
        Number of members; divides `axis`.

    Returns
    -------
    token : Token
    y : Tensor

    Raises
    ------
    S2sadError
        E0301 for bools, E0303 or E0404 for attributes, E0304 without a token, E0401 if `axis` does
        not divide, E0403 if it is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.reduce_scatter(Token, np.array([1.0, 2.0]), size=1)
    (Token, array([1., 2.]))
    """
    alone("reduce_scatter", group, size)
    return token, x


@reduce_scatter.adjoint
def reduce_scatter_adjoint(token, x, out, dout, *, size):
    return None, returned("reduce_scatter", dout[1], size)


@reduce_scatter.tangent
def reduce_scatter_tangent(token, x, out, tangents, *, size):
    return None, returned("reduce_scatter", tangents[1], size)


@primitive(type=_same_type, traits=_TRAITS, canonical=_canonical, same=())
def broadcast(token, x, *, root=0, group="world", size):
    """The tensor of the member `root`, for every member.

    Parameters
    ----------
    token : Token
    x : Tensor of any dtype, of one type for all members
    root : int
    group : str
    size : int
        Number of members.

    Returns
    -------
    token : Token
    y : Tensor, type of `x`

    Raises
    ------
    S2sadError
        E0303 or E0404 for attributes, E0304 without a token.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.broadcast(Token, np.array([1.0, 2.0]), size=1)
    (Token, array([1., 2.]))
    """
    alone("broadcast", group, size)
    return token, x


@broadcast.adjoint
def broadcast_adjoint(token, x, out, dout, *, size):
    return None, returned("broadcast", dout[1], size)


@broadcast.tangent
def broadcast_tangent(token, x, out, tangents, *, size):
    return None, returned("broadcast", tangents[1], size)


def _exchanged_type(
    token: Type, x: Type, *, split_axis: int, concat_axis: int, group: str, size: int
) -> tuple[Type, ...]:
    require_token(token)
    part = _part(tensor(x), split_axis, size)
    return Token, _resized(part, concat_axis, part.shape[concat_axis] * size)


@primitive(type=_exchanged_type, traits=_TRAITS, canonical=_canonical, same=())
def all_to_all(token, x, *, split_axis, concat_axis, group="world", size):
    """Part i along `split_axis` of each member's tensor goes to member i, who joins what it gets.

    Parameters
    ----------
    token : Token
    x : Tensor of any dtype, of one type for all members
    split_axis, concat_axis : int
    group : str
    size : int
        Number of members; divides `split_axis`.

    Returns
    -------
    token : Token
    y : Tensor
        Joined along `concat_axis`.

    Raises
    ------
    S2sadError
        E0303 or E0404 for attributes, E0304 without a token, E0401 if `split_axis` does not
        divide, E0403 if an axis is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.all_to_all(Token, np.array([[1.0, 2.0]]), split_axis=0, concat_axis=1, size=1)
    (Token, array([[1., 2.]]))
    """
    alone("all_to_all", group, size)
    return token, x


@all_to_all.adjoint
def all_to_all_adjoint(token, x, out, dout, *, size):
    return None, returned("all_to_all", dout[1], size)


@all_to_all.tangent
def all_to_all_tangent(token, x, out, tangents, *, size):
    return None, returned("all_to_all", tangents[1], size)


_POINT_TO_POINT = "its other end is in another process, and so would be its gradient"


def _send_type(token: Type, x: Type, **attrs: Any) -> Type:
    return _same_type(token, x)[0]


@primitive(type=_send_type, traits=_TRAITS, canonical=_canonical, nondiff=_POINT_TO_POINT, same=())
def send(token, x, *, to, group="world", size):
    """Gives the tensor `x` to the member `to`, who receives it.

    Parameters
    ----------
    token : Token
    x : Tensor of any dtype
    to : int
    group : str
    size : int
        Number of members.

    Returns
    -------
    Token

    Raises
    ------
    S2sadError
        E0303 or E0404 for attributes, E0304 without a token, E0712 where there is no communicator.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token
    >>> p.send(Token, np.array([1.0]), to=1, size=2)
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0712] send among the 2 members of 'world' ...
    """
    raise _no_partner("send", group, size)


def _receive_type(token: Type, *, type: TensorType, **attrs: Any) -> tuple[Type, ...]:  # noqa: A002
    require_token(token)
    return Token, type


@primitive(
    type=_receive_type, traits=_TRAITS, canonical=_canonical, nondiff=_POINT_TO_POINT, same=()
)
def receive(token, *, source, type, group="world", size):  # noqa: A002
    """The tensor that the member `source` sends.

    Parameters
    ----------
    token : Token
    source : int
    type : TensorType
        What is sent.
    group : str
    size : int
        Number of members.

    Returns
    -------
    token : Token
    x : Tensor of `type`

    Raises
    ------
    S2sadError
        E0303 or E0404 for attributes, E0304 without a token, E0712 where there is no communicator.

    Examples
    --------
    >>> from s2sad import prims as p
    >>> from s2sad.ir.types import Token, f32
    >>> p.receive(Token, source=1, type=f32[4], size=2)
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0712] receive among the 2 members of 'world' ...
    """
    raise _no_partner("receive", group, size)
