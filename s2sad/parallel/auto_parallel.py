"""What is a network whose tensors are spread over devices, where there is one?"""

from __future__ import annotations

import os
import warnings
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.groups import needs_several
from s2sad.core.sharding import require_whole
from s2sad.core.shown import shown
from s2sad.ops.settings import flag, integer

MODES = ("semi_auto", "sharding_propagation", "recursive_programming")
SCHEDULERS = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
LEVELS = ("level1", "level2", "level3")


class AutoParallel(Cell):
    """A network, computed as it stands: on one device there is nothing to spread.

    Its methods are MindSpore's. What they are told is kept in `settings`; what asks for several
    devices is an error, and what would write or read files about them, or print, gives a warning
    that nothing of it happens.

    Parameters
    ----------
    network : Cell
    parallel_mode : {"semi_auto", "sharding_propagation", "recursive_programming"}

    Raises
    ------
    S2sadError
        E0304 for what is no Cell, E0404 for another mode.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = AutoParallel(ms.nn.Dense(3, 2))
    >>> net.pipeline(stages=1)
    >>> net(ms.ops.ones((1, 3))).shape, net.get_pipeline_stages()
    ((1, 2), 1)
    """

    def __init__(self, network: Cell, parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(network, Cell):
            raise fail("E0304", f"AutoParallel takes a Cell, got {shown(network)}")
        self.network = network
        self.settings: dict[str, Any] = {
            "parallel_mode": _one_of("parallel_mode", parallel_mode, MODES), "pipeline_stages": 1,
        }  # fmt: skip

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.network(*args, **kwargs)

    def get_pipeline_stages(self) -> int:
        """How many stages a pipeline has: 1."""
        return self.settings["pipeline_stages"]

    def pipeline(
        self,
        stages: int = 1,
        output_broadcast: bool = False,
        interleave: bool = False,
        scheduler: str = "1f1b",
    ) -> None:
        """Let the network be cut into `stages`, which is 1 (E0303, E0404, E0710)."""
        if integer("stages", stages, 1) > 1:
            raise needs_several(f"a pipeline of {stages} stages")
        self.settings.update(
            pipeline_stages=stages,
            pipeline_result_broadcast=flag("output_broadcast", output_broadcast),
            pipeline_interleave=flag("interleave", interleave),
            pipeline_scheduler=_one_of("scheduler", scheduler, SCHEDULERS),
        )

    def hsdp(
        self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1"
    ) -> None:
        """Let an optimizer's state be cut into `shard_size` parts, 1, or -1 for as many as can be.

        E0303, E0404; E0710 for several parts.
        """
        if integer("shard_size", shard_size, -1) == 0:
            raise fail("E0404", "shard_size is positive, or -1, got 0")
        if shard_size > 1:
            raise needs_several(f"an optimizer in {shard_size} parts")
        self.settings.update(
            enable_parallel_optimizer=True, optimizer_weight_shard_size=shard_size,
            parallel_optimizer_threshold=integer("threshold", threshold, 0),
            optimizer_level=_one_of("optimizer_level", optimizer_level, LEVELS),
        )  # fmt: skip

    def dataset_strategy(self, config: Any) -> None:
        """Say how rows are cut: by a strategy, or a word for one (E0303, E0404, E0710)."""
        if isinstance(config, str):
            _one_of("config", config, ("full_batch", "data_parallel"))
        elif config is None:
            raise fail("E0404", "dataset_strategy takes a strategy, got None")
        else:
            require_whole("config", config)
        self.settings["dataset_strategy"] = config

    def comm_fusion(self, config: dict[str, Any] | None) -> None:
        """Say which exchanges are joined; there are none (E0303)."""
        if config is not None and not isinstance(config, dict):
            raise fail("E0303", f"config is a dict, got {shown(config)}")
        self.settings["comm_fusion"] = config

    def no_init_parameters_in_compile(self) -> None:
        """Let Parameters be initialised before compiling: they always are."""
        self.settings["init_param_in_compile"] = False

    def disable_strategy_file_only_for_trainable_params(self) -> None:
        """Let files speak of all Parameters; there are no files."""
        self.settings["only_trainable_params"] = False

    def enable_fp32_communication(self) -> None:
        """Let exchanges be in float32; there are none."""
        self.settings["force_fp32_communication"] = True

    def enable_gradients_mean(self) -> None:
        """Let gradients be averaged over devices: over one that changes nothing."""
        self.settings["gradients_mean"] = True

    def disable_gradient_fp32_sync(self) -> None:
        """Let gradients be exchanged in their own dtype; they are not exchanged."""
        self.settings["gradient_fp32_sync"] = False

    def disable_loss_repeated_mean(self) -> None:
        """Let a loss that is repeated not be averaged: over one that changes nothing."""
        self.settings["loss_repeated_mean"] = False

    # What would read, write or print: it is named in a warning.

    def load_param_strategy_file(self, file_path: str) -> None:
        """Keep `file_path` (E0303); it is not read."""
        self._note("strategy_ckpt_load_file", file_path)

    def save_param_strategy_file(self, file_path: str) -> None:
        """Keep `file_path` (E0303); it is not written."""
        self._note("strategy_ckpt_save_file", file_path)

    def load_operator_strategy_file(self, file_path: str) -> None:
        """Keep `file_path`, that of JSON from the root on (E0303, E0404); it is not read."""
        self._note("load_operator_strategy_file", _json(file_path))

    def save_operator_strategy_file(self, file_path: str) -> None:
        """Keep `file_path`, that of JSON from the root on (E0303, E0404); it is not written."""
        self._note("save_operator_strategy_file", _json(file_path))

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Keep `file_path` (E0303); it is not written."""
        self._note("group_ckpt_save_file", file_path)

    def transformer_opt(self, file_path: str) -> None:
        """Keep `file_path` (E0303); it is not read."""
        self._note("transformer_opt", file_path)

    def dump_local_norm(self, file_path: str) -> None:
        """Keep `file_path` (E0303); no norms are written."""
        self._note("dump_local_norm_path", file_path)

    def print_local_norm(self) -> None:
        """Keep that norms are to be printed; they are not."""
        self._note("dump_local_norm", "True")

    def enable_device_local_norm(self) -> None:
        """Keep that norms of devices are wanted; they are not computed."""
        self._note("dump_device_local_norm", "True")

    def _note(self, key: str, value: Any) -> None:
        if not isinstance(value, str):
            raise fail("E0303", f"file_path is a str, got {shown(value)}")
        self.settings[key] = value
        warnings.warn(f"with one device {key} has no effect", UserWarning, stacklevel=3)


def _one_of(name: str, given: Any, known: tuple[str, ...]) -> Any:
    if not isinstance(given, str) or given not in known:
        raise fail("E0404", f"{name} is one of {', '.join(known)}, got {given!r}")
    return given


def _json(file_path: Any) -> Any:
    is_path = isinstance(file_path, str)
    if is_path and not (os.path.isabs(file_path) and file_path.endswith(".json")):
        raise fail("E0404", f"file_path is that of JSON from the root on, got {file_path!r}")
    return file_path
