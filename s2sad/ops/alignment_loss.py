"""How unlikely is a sequence of labels, whatever the places at which a network finds them?"""

from __future__ import annotations

import math
from typing import Any

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import fail
from s2sad.ops.creation import counted
from s2sad.ops.loss import REDUCTIONS
from s2sad.ops.promotion import (
    as_dtype,
    constant,
    is_tensor,
    require_floats,
    require_integers,
    require_tensor,
    type_of,
)
from s2sad.ops.scattering import in_loop
from s2sad.ops.settings import flag, integer
from s2sad.prims.arrange import slice_axis, static_size


def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> tuple[Any, Any]:
    """Negative logarithm of the probability of all paths that spell the targets.

    Parameters
    ----------
    log_probs : Tensor of floats, shape (steps, batch, classes) or (steps, classes)
        Logarithms of probabilities, such as `log_softmax` gives.
    targets : Tensor of integers, shape (batch, labels) or (labels,)
        Classes, not `blank`; what lies beyond a length does not matter.
    input_lengths, target_lengths : Tensor of integers, shape (batch,) or (); or tuple of int
        How many steps and how many labels count.
    blank : int
        The class of paths that is no label.
    reduction : {"mean", "sum", "none"}
        "mean" is that of the losses, each divided by its number of labels.
    zero_infinity : bool
        Whether a loss of inf, where labels do not fit into the steps, is 0, with the gradient 0.

    Returns
    -------
    tuple of two Tensors
        The loss, and the logarithms of the probabilities of beginnings of paths, shape (batch,
        steps, 2 * labels + 1), or without batch.

    Raises
    ------
    S2sadError
        E0301 for dtypes, E0303 and E0404 for settings that cannot be, E0304 for what is no Tensor,
        E0401 where shapes do not fit; at run time E0501 for a class that does not exist.

    Notes
    -----
    The forward variables of Graves et al. 2006, equations 5 to 8. Where the loss is inf its
    gradient is 0.

    Examples
    --------
    >>> import s2sad as ms
    >>> half = ms.ops.log(ms.Tensor([[0.5, 0.5], [0.5, 0.5]]))
    >>> loss, _ = ctc_loss(half, ms.Tensor([1]), (2,), (1,))
    >>> loss.item().__round__(4)
    0.2877
    """
    scores, labels = require_floats(log_probs, "ctc_loss"), require_tensor(targets, "ctc_loss")
    require_integers(labels, "targets")
    is_one = scores.ndim == 2
    if is_one:
        scores, labels = p.expand_dims(scores, axis=1), p.reshape(labels, shape=(1, -1))
    if scores.ndim != 3 or labels.ndim != 2 or labels.shape[0] != scores.shape[1]:
        raise fail(
            "E0401", f"ctc_loss takes (steps, batch, classes) and (batch, labels), got "
            f"{type_of(log_probs)} and {type_of(targets)}",
        )  # fmt: skip
    if reduction not in REDUCTIONS:
        raise fail("E0404", f"reduction is one of {REDUCTIONS}, got {reduction!r}")
    batch, classes = scores.shape[1:]
    if integer("blank", blank, 0) >= classes:
        raise fail("E0404", f"blank names one of {classes} classes, got {blank}")
    steps = _lengths("input_lengths", input_lengths, batch)
    counts = _lengths("target_lengths", target_lengths, batch)
    wide = as_dtype(scores, scores.dtype.compute)
    begun = _beginnings(wide, as_dtype(labels, dtypes.int64), steps, counts, blank)
    loss = p.neg(_endings(begun, steps, counts))
    loss = _reduced(loss, counts, reduction, flag("zero_infinity", zero_infinity))
    paths = p.transpose(begun, perm=(1, 0, 2))
    if is_one:
        paths = p.squeeze(paths, axis=0)
        loss = p.squeeze(loss, axis=0) if reduction == "none" else loss
    return as_dtype(loss, scores.dtype), as_dtype(paths, scores.dtype)


def _lengths(name: str, given: Any, batch: Any) -> Any:
    """The lengths, one a sequence, as int64."""
    if not is_tensor(given):
        entries = given if isinstance(given, (tuple, list)) else (given,)
        given = constant([integer(name, entry, 0) for entry in entries], dtypes.int64)
    found = p.reshape(as_dtype(require_integers(given, name), dtypes.int64), shape=(-1,))
    if found.shape[0] != batch:
        raise fail("E0401", f"{name} has {found.shape[0]} entries for {batch} sequences")
    return found


def _beginnings(scores: Any, labels: Any, steps: Any, counts: Any, blank: int) -> Any:
    """Logarithms of the probabilities of the beginnings of paths, step by step."""
    length = static_size(scores.shape[0], "the number of steps")
    if not length:
        raise fail("E0401", "ctc_loss needs one step at least")
    states = _with_blanks(labels, counts, blank)
    own = p.transpose(_emitted(scores, states), perm=(1, 0, 2))
    width = states.shape[1]
    skips = _may_skip(states, blank)
    first = p.less(counted((width,)), 2)
    start = p.where(first, slice_axis(own, 0, 0, 1), -math.inf)
    begun = p.pad(start, -math.inf, low=(0, 0, 0), high=(length - 1, 0, 0))
    own, skips = in_loop(own), in_loop(skips)

    def step(t: Any, begun: Any) -> Any:
        before = p.gather(begun, p.sub(t, 1), axis=0)
        ways = (before, _later(before, 1), p.where(skips, _later(before, 2), -math.inf))
        reached = p.log_sum_exp(p.concat(*(p.expand_dims(w, axis=0) for w in ways), axis=0), axis=0)
        now = p.add(reached, p.gather(own, t, axis=0))
        return p.index_update(begun, t, now, axis=0)

    return p.for_(1, length, 1, begun, body=step)


def _with_blanks(labels: Any, counts: Any, blank: int) -> Any:
    """Blank, label, blank, label, ..., blank; blanks beyond a length."""
    size = labels.shape[1]
    counts_too = p.less(counted((size,)), p.expand_dims(counts, axis=1))
    known = p.where(counts_too, labels, blank)
    return p.pad(known, blank, low=(0, 1), high=(0, 1), interior=(0, 1))


def _emitted(scores: Any, states: Any) -> Any:
    """The score of each state at each step: (batch, steps, states)."""
    rows = p.transpose(scores, perm=(1, 0, 2))
    spread = p.broadcast_to(
        p.expand_dims(states, axis=1), shape=(rows.shape[0], rows.shape[1], states.shape[1])
    )  # fmt: skip
    return p.gather_elements(rows, spread, axis=2)


def _may_skip(states: Any, blank: int) -> Any:
    """Whether a path may come to a state from the one before the last: to a new label."""
    kept = max(states.shape[1] - 2, 0)
    before = slice_axis(states, 1, 0, kept)
    earlier = p.pad(before, blank, low=(0, states.shape[1] - kept), high=(0, 0))
    return p.logical_and(p.not_equal(states, blank), p.not_equal(states, earlier))


def _later(before: Any, places: int) -> Any:
    """`before`, moved on by some states."""
    kept = max(before.shape[-1] - places, 0)
    return p.pad(
        slice_axis(before, 1, 0, kept), -math.inf, low=(0, before.shape[-1] - kept), high=(0, 0)
    )  # fmt: skip


def _endings(begun: Any, steps: Any, counts: Any) -> Any:
    """The logarithm of the probability of each sequence, its last state a label or a blank."""
    _, batch, width = begun.shape
    row = p.maximum(p.sub(steps, 1), 0)
    place = p.broadcast_to(p.reshape(row, shape=(1, batch, 1)), shape=(1, batch, width))
    last = p.squeeze(p.gather_elements(begun, place, axis=0), axis=0)
    blanks, labels = p.mul(counts, 2), p.maximum(p.sub(p.mul(counts, 2), 1), 0)
    by_blank, by_label = (_one_of(last, places) for places in (blanks, labels))
    by_label = p.where(p.greater(counts, 0), by_label, -math.inf)
    both = p.concat(p.expand_dims(by_blank, axis=1), p.expand_dims(by_label, axis=1), axis=1)
    nothing = p.where(p.greater(counts, 0), -math.inf, p.zeros_like(by_blank))
    return p.where(p.greater(steps, 0), p.log_sum_exp(both, axis=1), nothing)


def _one_of(rows: Any, places: Any) -> Any:
    """The element of each row at its place."""
    found = p.gather_elements(rows, p.expand_dims(places, axis=1), axis=1)
    return p.squeeze(found, axis=1)


def _reduced(loss: Any, counts: Any, reduction: str, zero_infinity: bool) -> Any:
    loss = p.where(p.equal(loss, math.inf), 0.0 if zero_infinity else math.inf, loss)
    if reduction == "none":
        return loss
    if reduction == "sum":
        return p.reduce_sum(loss)
    return p.mean(p.div(loss, as_dtype(p.maximum(counts, 1), loss.dtype)))
