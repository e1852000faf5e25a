"""Are the arguments of a Model what they must be?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from s2sad import nn
from s2sad.amp import LossScaleManager
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.shown import shown
from s2sad.nn.metrics import Metric, get_metric_fn, get_metrics
from s2sad.ops.settings import flag, integer
from s2sad.prims.precision import LEVELS

#: What may be given by keyword beside the signature of `Model`, and the values that change nothing,
#: which are the only ones of those that have some.
MORE: dict[str, tuple[Any, ...]] = {
    "loss_scale_manager": (), "keep_batchnorm_fp32": (), "check_nan": (),
    "boost_config_dict": ("", None, {}), "acc_level": ("O0",),
}  # fmt: skip


def checked_cell(name: str, given: Any) -> Cell:
    """`given`, which must be a Cell (E0304)."""
    if not isinstance(given, Cell):
        raise fail(
            "E0304", f"{name} is a Cell, got {shown(given)}",
            help="give the Cell itself: in GRAPH_MODE the whole step is compiled",
        )  # fmt: skip
    return given


def checked_level(level: str, optimizer: nn.Optimizer | None) -> str:
    """A level of mixed precision (E0404); but for O0 there must be an optimizer."""
    if level not in LEVELS:
        raise fail("E0404", f"amp_level is one of {', '.join(LEVELS)}, got {level!r}")
    if level != "O0" and optimizer is None:
        raise fail(
            "E0404", f"amp_level {level!r} needs an optimizer: it says how a step trains",
            help="give one, or call amp.auto_mixed_precision on the network",
        )  # fmt: skip
    return level


def checked_more(given: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments that `build_train_network` takes as well (E0303, E0304, E0404)."""
    for name, value in given.items():
        if name not in MORE:
            raise fail(
                "E0404", f"Model has no argument {name!r}",
                help=did_you_mean(name, MORE) or f"it has {', '.join(MORE)}",
            )  # fmt: skip
        if MORE[name] and value not in MORE[name]:
            raise fail("E0404", f"{name} can be {MORE[name][0]!r} only, got {value!r}")
    manager = given.get("loss_scale_manager")
    if not isinstance(manager, (LossScaleManager, type(None))):
        raise fail("E0304", f"loss_scale_manager is a LossScaleManager, got {shown(manager)}")
    if given.get("keep_batchnorm_fp32") is not None:
        flag("keep_batchnorm_fp32", given["keep_batchnorm_fp32"])
    taken = {name: given[name] for name, values in MORE.items() if name in given and not values}
    if given.get("keep_batchnorm_fp32") is None:  # the level decides; no manager means none
        taken.pop("keep_batchnorm_fp32", None)
    return taken


def checked_metrics(given: Any) -> dict[str, Metric]:
    """Metrics by their names, of several names or a dict; none of None (E0304, E0404)."""
    if isinstance(given, (list, tuple, set, frozenset)):
        names = given if isinstance(given, (list, tuple)) else sorted(given, key=str)
        return {name: get_metric_fn(name) for name in names}
    return get_metrics(given) or {}


def checked_indexes(given: Any) -> list[int] | None:
    """The places of loss, prediction and label, if they are given (E0303, E0404)."""
    if given is None:
        return None
    if not isinstance(given, list) or len(given) != 3:
        raise fail(
            "E0404", f"eval_indexes are the places of loss, prediction and label, got {given!r}",
            help="write [0, 1, 2]",
        )  # fmt: skip
    return [integer("an entry of eval_indexes", place, 0) for place in given]


def epoch_numbers(epoch: int, initial_epoch: int) -> range:
    """The numbers of the epochs (E0303, E0404)."""
    last, before = integer("epoch", epoch, 1), integer("initial_epoch", initial_epoch, 0)
    if before >= last:
        raise fail(
            "E0404", f"initial_epoch is below epoch, got {initial_epoch} and {epoch}",
            help="epoch is the number of the last one, not how many there are",
        )  # fmt: skip
    return range(before + 1, last + 1)


def due_epochs(frequency: Any) -> Callable[[int], bool]:
    """Which epochs end in an evaluation, by their number (E0303, E0404)."""
    if isinstance(frequency, (list, tuple, set, frozenset)):
        chosen = {integer("an entry of valid_frequency", each, 1) for each in frequency}
        return lambda number: number in chosen
    every = integer("valid_frequency", frequency, 1)
    return lambda number: number % every == 0
