"""Which Cells of `mint` only hold the settings of a function?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.mint import functional
from s2sad.ops.settings import flag


class Dropout(Cell):
    """In training, zeros in place of elements with the probability `p`.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.mint.nn.Dropout(0.5)(ms.Tensor([1.0])).tolist()
    [1.0]
    """

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        _require_new(inplace)
        self.p = p

    def construct(self, input: Any) -> Any:
        return functional.dropout(input, self.p, self.training)

    def extend_repr(self) -> str:
        return f"p={self.p}"


class GELU(Cell):
    """`functional.gelu`; not approximated unless `approximate` is ``"tanh"``."""

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def construct(self, input: Any) -> Any:
        return functional.gelu(input, approximate=self.approximate)


class LeakyReLU(Cell):
    """`functional.leaky_relu`."""

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        _require_new(inplace)
        self.negative_slope = negative_slope

    def construct(self, input: Any) -> Any:
        return functional.leaky_relu(input, self.negative_slope)


class ReLU(Cell):
    """`functional.relu`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        _require_new(inplace)

    def construct(self, input: Any) -> Any:
        return ops.relu(input)


class SiLU(Cell):
    """`functional.silu`."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        _require_new(inplace)

    def construct(self, input: Any) -> Any:
        return ops.silu(input)


class Softmax(Cell):
    """`functional.softmax`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Any) -> Any:
        return functional.softmax(input, self.dim)


class LogSoftmax(Cell):
    """`functional.log_softmax`."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def construct(self, input: Any) -> Any:
        return functional.log_softmax(input, self.dim)


class AvgPool2d(Cell):
    """`functional.avg_pool2d`: the windows are `kernel_size` apart by default."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def construct(self, input: Any) -> Any:
        return functional.avg_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override,
        )  # fmt: skip


class MaxPool2d(Cell):
    """`functional.max_pool2d`: the windows are `kernel_size` apart by default."""

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.dilation, self.return_indices, self.ceil_mode = dilation, return_indices, ceil_mode

    def construct(self, input: Any) -> Any:
        return functional.max_pool2d(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices,
        )  # fmt: skip


class BCEWithLogitsLoss(Cell):
    """`functional.binary_cross_entropy_with_logits`."""

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__()
        self.weight, self.reduction, self.pos_weight = weight, reduction, pos_weight

    def construct(self, input: Any, target: Any) -> Any:
        return functional.binary_cross_entropy_with_logits(
            input, target, self.weight, self.reduction, self.pos_weight
        )


class SmoothL1Loss(Cell):
    """`functional.smooth_l1_loss`: their mean by default."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__()
        self.reduction, self.beta = reduction, beta

    def construct(self, input: Any, target: Any) -> Any:
        return functional.smooth_l1_loss(input, target, self.reduction, self.beta)


def _require_new(inplace: bool) -> None:
    if flag("inplace", inplace):
        raise fail("E0404", "layers give new Tensors, got inplace=True", help="leave it out")
