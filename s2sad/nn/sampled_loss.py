"""What is a loss of very many classes, of which only some are looked at?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.nn.loss import LossBase
from s2sad.ops.candidates import uniform_candidate_sampler
from s2sad.ops.promotion import require_integers, require_tensor
from s2sad.ops.settings import flag, integer


class SampledSoftmaxLoss(LossBase):
    """Cross entropy of the right classes with some that are drawn, for a softmax over all.

    Parameters
    ----------
    num_sampled : int
        How many classes are drawn, for the whole batch.
    num_classes : int
    num_true : int
        Right classes a row, of equal weight.
    sampled_values : tuple of three Tensors, optional
        Classes and expected counts, as `ops.uniform_candidate_sampler` gives them and by default is
        asked to.
    remove_accidental_hits : bool
        Whether right classes are not drawn.
    seed : int
    reduction : {"none", "mean", "sum"}
        MindSpore documents it, and gives every row's loss nonetheless.

    Raises
    ------
    S2sadError
        E0303 or E0404 for settings that cannot be; at a call E0304 for what is no Tensor, E0301 for
        labels that are no integers, E0401 for shapes that do not fit, at run time E0501 for a label
        that names no class, or too few classes to draw.

    Notes
    -----
    Called with weights (classes, features), biases (classes,), labels (rows, num_true), or (rows,)
    for one, and logits (rows, features). The logarithm of what is expected of a class is taken off
    its logit. S. Jean et al., "On using very large target vocabulary for neural machine
    translation", 2015.

    Examples
    --------
    >>> import s2sad as ms
    >>> loss = ms.nn.SampledSoftmaxLoss(2, 3)
    >>> weights, biases = ms.ops.zeros((3, 4)), ms.ops.zeros((3,))
    >>> loss(weights, biases, ms.Tensor([0]), ms.ops.ones((1, 4))).asnumpy().round(4)
    array([1.0986], dtype=float32)
    """

    def __init__(
        self, num_sampled: int, num_classes: int, num_true: int = 1, sampled_values: Any = None,
        remove_accidental_hits: bool = True, seed: int = 0, reduction: str = "none",
    ) -> None:  # fmt: skip
        super().__init__(reduction)
        self.num_classes = integer("num_classes", num_classes, 1)
        self.num_sampled = _at_most("num_sampled", num_sampled, num_classes)
        self.num_true = _at_most("num_true", num_true, num_classes)
        self.sampled_values = None if sampled_values is None else _three(sampled_values)
        self.remove_accidental_hits = flag("remove_accidental_hits", remove_accidental_hits)
        self.seed = integer("seed", seed, 0)

    def construct(self, weights: Any, biases: Any, labels: Any, logits: Any) -> Any:
        labels = require_integers(require_tensor(labels, "SampledSoftmaxLoss"), "labels")
        labels = ops.reshape(labels, (-1, self.num_true))
        drawn, true_count, drawn_count = self._candidates(labels)
        rows = ops.gather(weights, labels, 0)
        true = ops.sum(ops.expand_dims(logits, 1) * rows, -1) + ops.gather(biases, labels, 0)
        others = ops.matmul(logits, ops.gather(weights, drawn, 0).T) + ops.gather(biases, drawn, 0)
        scores = ops.cat((true - ops.log(true_count), others - ops.log(drawn_count)), 1)
        found = ops.log_softmax(scores, -1)[:, : self.num_true]
        return self.get_loss(-ops.mean(found, -1))

    def _candidates(self, labels: Any) -> tuple[Any, Any, Any]:
        if self.sampled_values is not None:
            return self.sampled_values
        return uniform_candidate_sampler(
            labels, self.num_true, self.num_sampled, True, self.num_classes, self.seed,
            self.remove_accidental_hits,
        )  # fmt: skip


def _at_most(name: str, given: Any, most: int) -> int:
    if integer(name, given, 1) > most:
        raise fail("E0404", f"{name} is at most the number of classes, {most}, got {given}")
    return given


def _three(given: Any) -> tuple[Any, Any, Any]:
    if not isinstance(given, (tuple, list)):
        raise fail("E0303", f"sampled_values are three Tensors, got {shown(given)}")
    if len(given) != 3:
        raise fail("E0404", f"sampled_values are three Tensors, got {len(given)}")
    return tuple(given)
