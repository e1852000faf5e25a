"""Which losses are of sequences whose labels have no places?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.nn.loss import LossBase
from s2sad.ops.settings import flag, integer


class CTCLoss(LossBase):
    """Connectionist temporal classification: how unlikely it is that a sequence spells its labels.

    Parameters
    ----------
    blank : int
        The class that is no label.
    reduction : {"mean", "sum", "none"}
    zero_infinity : bool
        Whether the loss of labels that do not fit into the steps is 0, and not inf.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call those of `ops.ctc_loss`.

    Notes
    -----
    Called with the logarithms of probabilities (T, N, C), the labels (N, S), and how many steps and
    labels count, (N,) each. Source: A. Graves et al., Connectionist temporal classification, 2006.

    Examples
    --------
    >>> import s2sad as ms
    >>> half = ms.ops.log(ms.ops.full((2, 1, 2), 0.5))
    >>> lengths = ms.Tensor([2]), ms.Tensor([1])
    >>> round(ms.nn.CTCLoss()(half, ms.Tensor([[1]]), *lengths).item(), 4)
    0.2877
    """

    def __init__(
        self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False
    ) -> None:
        super().__init__(reduction)
        self.blank = integer("blank", blank, 0)
        self.zero_infinity = flag("zero_infinity", zero_infinity)

    def construct(
        self, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any
    ) -> Any:
        return ops.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
            self.zero_infinity,
        )[0]  # fmt: skip
