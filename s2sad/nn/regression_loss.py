"""Which losses of numbers are Cells?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.nn.loss import LossBase
from s2sad.ops.regression_loss import poisson_nll_loss, rmse_loss
from s2sad.ops.settings import flag, positive


class MSELoss(LossBase):
    """Squared differences; see `ops.mse_loss`.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.MSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy()
    array(2., dtype=float32)
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.mse_loss(logits, labels, self.reduction)


class RMSELoss(Cell):
    """Root of the mean squared difference, with gradient 0 where it is 0.

    Operands, of which one holds what was wanted, and errors are those of `ops.mse_loss`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.RMSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([4.0, 5.0])).asnumpy()
    array(3., dtype=float32)
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        return rmse_loss(logits, labels)


class L1Loss(LossBase):
    """Absolute differences; see `ops.l1_loss`.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.L1Loss("sum")(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])).asnumpy()
    array(2., dtype=float32)
    """

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """Mean absolute difference, the same as `L1Loss`; see `ops.l1_loss`."""


class SmoothL1Loss(LossBase):
    """Differences that count squared up to `beta`; see `ops.smooth_l1_loss`.

    Parameters
    ----------
    beta : float
        Positive.
    reduction : {"none", "mean", "sum"}

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.SmoothL1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, 4.0])).asnumpy()
    array([0.125, 1.5  ], dtype=float32)
    """

    def __init__(self, beta: float = 1.0, reduction: str = "none") -> None:
        super().__init__(reduction)
        self.beta = positive("beta", beta)

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Differences that count squared up to `delta`; see `ops.huber_loss`.

    Parameters
    ----------
    reduction : {"mean", "sum", "none"}
    delta : float
        Positive.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.HuberLoss("none", 2.0)(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, 5.0])).asnumpy()
    array([0.5, 4. ], dtype=float32)
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = positive("delta", delta)

    def construct(self, logits: Any, labels: Any) -> Any:
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class GaussianNLLLoss(LossBase):
    """Negative log-density under normal distributions; see `ops.gaussian_nll_loss`.

    Parameters
    ----------
    full : bool
    eps : float
        Positive.
    reduction : {"mean", "sum", "none"}

    Examples
    --------
    >>> import s2sad as ms
    >>> x, target, variance = (ms.Tensor([v]) for v in (1.0, 3.0, 1.0))
    >>> ms.nn.GaussianNLLLoss()(x, target, variance).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.full, self.eps = flag("full", full), positive("eps", eps)

    def construct(self, logits: Any, labels: Any, var: Any) -> Any:
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """Negative log-probability of counts under Poisson distributions.

    Parameters
    ----------
    log_input : bool
        Whether the first input holds the logarithms of the means.
    full : bool
        Whether to add Stirling's approximation of ``log(target!)``, for targets above 1.
    eps : float
        Positive: added to means before the logarithm is taken.
    reduction : {"mean", "sum", "none"}

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting that cannot be; at a call E0304 for what is no Tensor, E0401
        for shapes that do not broadcast.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.PoissonNLLLoss()(ms.Tensor([0.0, 0.0]), ms.Tensor([3.0, 4.0])).asnumpy()
    array(1., dtype=float32)
    """

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        eps: float = 1e-8,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction)
        self.log_input, self.full = flag("log_input", log_input), flag("full", full)
        self.eps = positive("eps", eps)

    def construct(self, input: Any, target: Any) -> Any:
        return poisson_nll_loss(input, target, self.log_input, self.full, self.eps, self.reduction)
