"""What becomes of the gradients of several devices?"""

from __future__ import annotations

from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.ops.settings import flag, integer


class DistributedGradReducer(Cell):
    """Sums gradients over all devices, and with `mean` divides by `degree`; there is one device.

    Parameters
    ----------
    parameters : iterable of Parameter
    mean : bool, optional
        False by default.
    degree : int, optional
        How many devices there are; 1 by default. With another number gradients are divided by it
        all the same.
    fusion_type, group
        Taken for compatibility.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> ms.nn.DistributedGradReducer([w])((ms.Tensor([3.0]),))[0].asnumpy()
    array([3.], dtype=float32)
    """

    def __init__(
        self,
        parameters: Any,
        mean: bool | None = None,
        degree: int | None = None,
        fusion_type: int = 1,
        group: str | None = None,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.mean = flag("mean", False if mean is None else mean)
        self.degree = 1 if degree is None else integer("degree", degree, 1)
        integer("fusion_type", fusion_type)
        if group is not None and not isinstance(group, str):
            raise fail("E0303", f"group is the name of one, got {group!r}")

    def construct(self, grads: Any) -> Any:
        if not self.mean or self.degree == 1:
            return grads
        return tuple([gradient / self.degree for gradient in grads])
