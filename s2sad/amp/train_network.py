"""What does a network, its optimizer and its loss become, that are to train in mixed precision?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2sad import nn
from s2sad.amp.levels import (
    BATCH_NORMS,
    BLACK_LIST,
    OutputTo32,
    auto_mixed_precision,
    narrow_all,
    require_narrow,
    require_network,
)
from s2sad.amp.loss_scale_manager import DynamicLossScaleManager, LossScaleManager
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.precision import cast_floats
from s2sad.ops.settings import flag
from s2sad.prims.precision import LEVELS

#: What may be given by keyword beside the signature of `build_train_network`.
MORE = ("cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager")


class WithWideLoss(nn.WithLossCell):
    """A network and its loss, which is computed in float32."""

    def construct(self, data: Any, label: Any) -> Any:
        output = cast_floats(self._backbone(data), dtypes.float32)
        return self._loss_fn(output, cast_floats(label, dtypes.float32))


def build_train_network(
    network: Cell,
    optimizer: nn.Optimizer,
    loss_fn: Any = None,
    level: str = "O0",
    boost_level: str = "O0",
    **kwargs: Any,
) -> nn.TrainOneStepCell:
    """A step of training in mixed precision.

    Parameters
    ----------
    network : Cell
        Changed in place, as by `auto_mixed_precision`. Without a `loss_fn` it gives the loss.
    optimizer : Optimizer
    loss_fn : Cell or function, optional
        Computed in float32 at the levels O2, O3 and auto.
    level : {"O0", "O1", "O2", "O3", "auto"}
        As of `auto_mixed_precision`, in float16.
    boost_level : {"O0"}
        Taken for compatibility.
    **kwargs
        - cast_model_type : DType. What all of the network computes in, in place of what the level
          says: float16, bfloat16 or float32.
        - keep_batchnorm_fp32 : bool. Whether batch normalisation nevertheless is in float32. At O2
          it is by default, and so is `LayerNorm`.
        - loss_scale_manager : LossScaleManager or None. At O2 `DynamicLossScaleManager` by default,
          else None.

    Returns
    -------
    TrainOneStepWithLossScaleCell or TrainOneStepCell
        In training (`set_train`). The first where the loss scale manager leaves steps out.

    Raises
    ------
    S2sadError
        E0304 for an argument of another kind, E0404 for another level, dtype or keyword.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(3, 2)
    >>> optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
    >>> step = build_train_network(net, optimizer, ms.nn.MSELoss(), level="O2")
    >>> loss, overflow, scale = step(ms.ops.ones((4, 3)), ms.ops.ones((4, 2)))
    >>> loss.dtype, scale.item() == 2.0**24, net.weight.dtype
    (s2sad.float32, True, s2sad.float32)
    """
    require_network(network)
    if not isinstance(optimizer, nn.Optimizer):
        raise fail("E0304", f"optimizer is an Optimizer, got a {type(optimizer).__name__}")
    if level not in LEVELS:
        raise fail("E0404", f"level is one of {', '.join(LEVELS)}, got {level!r}")
    if boost_level != "O0":
        raise fail("E0404", f"boost_level is 'O0', got {boost_level!r}")
    if not callable(loss_fn) and loss_fn is not None:
        raise fail("E0304", f"loss_fn is a Cell or a function, got {loss_fn!r}")
    manager = _checked(kwargs, level)
    network = _narrowed(network, level, kwargs)
    if loss_fn is not None:
        is_wide = level in ("O2", "O3", "auto") or isinstance(network, OutputTo32)
        network = (WithWideLoss if is_wide else nn.WithLossCell)(network, loss_fn)
    return _step(network, optimizer, manager).set_train()


def _checked(given: Mapping[str, Any], level: str) -> LossScaleManager | None:
    """The loss scale manager among the keyword arguments, all of which are checked."""
    for name in given:
        if name not in MORE:
            raise fail(
                "E0404", f"build_train_network has no argument {name!r}",
                help=did_you_mean(name, MORE) or f"it has {', '.join(MORE)}",
            )  # fmt: skip
    flag("keep_batchnorm_fp32", given.get("keep_batchnorm_fp32", True))
    default = DynamicLossScaleManager() if level == "O2" else None
    manager = given.get("loss_scale_manager", default)
    if not isinstance(manager, (LossScaleManager, type(None))):
        kind = type(manager).__name__
        raise fail("E0304", f"loss_scale_manager is a LossScaleManager or None, got a {kind}")
    return manager


def _narrowed(network: Cell, level: str, given: Mapping[str, Any]) -> Cell:
    """The network as the level says, or as the keyword arguments do."""
    keep = given.get("keep_batchnorm_fp32", level == "O2")
    dtype = given.get("cast_model_type", dtypes.float16 if level in ("O2", "O3") else None)
    if dtype is None:
        return auto_mixed_precision(network, level)
    if dtype is dtypes.float32:
        return network
    require_narrow(dtype)
    norms = BLACK_LIST if level == "O2" else BATCH_NORMS
    narrow_all(network, norms if keep else (), dtype)
    return OutputTo32(network)


def _step(
    network: Cell, optimizer: nn.Optimizer, manager: LossScaleManager | None
) -> nn.TrainOneStepCell:
    if manager is None:
        return nn.TrainOneStepCell(network, optimizer)
    update = manager.get_update_cell()
    if update is None:
        return nn.TrainOneStepCell(network, optimizer, manager.get_loss_scale())
    return nn.TrainOneStepWithLossScaleCell(network, optimizer, update)
