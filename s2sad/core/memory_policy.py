"""How does a user say what compiled programs may do with the memory of a Tensor?"""

from __future__ import annotations

from s2sad.core.cache import parse_bytes
from s2sad.core.context import is_graph_mode
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.memory_info import MemoryInfo, hold
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor

#: What may be said of memory; `recompute` of values in compiled code only.
POLICIES = ("keep", "donate", "recompute")


def set_mem_info(
    tensor: Tensor, policy: str | None = None, pool_limit: int | str | None = None
) -> Tensor:
    """Say what compiled programs may do with the memory of this tensor.

    Numbers are the same with it and without, to the last bit, but for sums that the C backend fuses
    otherwise where something is computed again. It holds for programs that take the tensor, as an
    argument or from around them, until it is said anew; without arguments it is taken back.

    Parameters
    ----------
    policy : {"keep", "donate", "recompute"}, optional
        ``"keep"``: nothing is written into it, so an update of a Parameter goes to fresh memory.
        ``"donate"``: a call of a compiled function that takes this tensor as an argument uses it
        up, and may let a result of its dtype and shape lie there. A Parameter is donated to its
        own updates in any case. ``"recompute"``, of a value within compiled code: a gradient does
        not keep it, and what the line that made it computes runs again, as in `checkpoint`. In
        PyNative mode nothing is kept for gradients, so nothing happens there.
    pool_limit : int or str, optional
        Bytes that a run of such a program may need beside what it is given, also as a text:
        ``"64MB"``; as `memory_limit` of `compile`, and the least holds.

    Returns
    -------
    Tensor
        This one.

    Raises
    ------
    S2sadError
        E0404 for another policy, and for one that has no meaning there; E0303 and E0404 for what is
        no number of bytes. Later E0716 for a program that does not fit into `pool_limit`, E0719
        where a tensor that was donated is used again.

    Examples
    --------
    >>> import s2sad as ms
    >>> double = ms.compile(lambda x: x * 2.0)
    >>> x = ms.Tensor([1.0, 2.0]).set_mem_info(policy="donate")
    >>> double(x).tolist()
    [2.0, 4.0]
    >>> x.tolist()
    Traceback (most recent call last):
      ...
    s2sad.core.diagnostics.S2sadRuntimeError: [E0719] this Tensor was donated to a program...
    """
    policy = checked_policy(policy)
    limit = parse_bytes("pool_limit", pool_limit)
    if policy == "recompute" and limit is None and not _is_in_hand(tensor):
        return tensor
    if policy == "recompute":
        raise fail(
            "E0404", "what is given is not computed, so it cannot be computed again",
            help="say it in compiled code, of a value there: y.set_mem_info(policy='recompute')",
        )  # fmt: skip
    hold(tensor, MemoryInfo(policy, limit))
    return tensor


def _is_in_hand(tensor: Tensor) -> bool:
    """Whether `tensor` is no value on the way of a Cell or a function that runs as Python does.

    Of such a one nothing is kept for a gradient.
    """
    return isinstance(tensor, Parameter) or is_graph_mode()


def checked_policy(policy: str | None) -> str | None:
    """`policy`, if it is one (E0404)."""
    if policy is not None and policy not in POLICIES:
        raise fail(
            "E0404", f"policy is one of {', '.join(map(repr, POLICIES))}, got {policy!r}",
            help=did_you_mean(str(policy), POLICIES),
        )  # fmt: skip
    return policy
