"""When is the state of training written, and which files stay?"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from s2sad.checkpoints import save_checkpoint
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.settings import flag, integer
from s2sad.train.callback.callback import Callback, CallbackParams, RunContext

#: What `append_info` may name: what it is of the parameters of callbacks.
NAMED = {"epoch_num": "cur_epoch_num", "step_num": "cur_step_num"}


class CheckpointConfig:
    """When `ModelCheckpoint` saves, what, and how many files it keeps.

    Parameters
    ----------
    save_checkpoint_steps : int
        Steps from one file to the next; 0 for none by steps.
    save_checkpoint_seconds : int
        Seconds from one to the next; read only where `save_checkpoint_steps` is 0.
    keep_checkpoint_max : int
        Files that are kept, the latest; 0 for all, or for those of the next.
    keep_checkpoint_per_n_minutes : int
        Of each so many minutes the last file is kept; read only where `keep_checkpoint_max` is 0.
    integrated_save, async_save, enc_key, enc_mode, crc_check, format
        As of `save_checkpoint`.
    saved_network : Cell, optional
        What is saved in place of the step of training, which has the optimizer's state in it.
    append_info : list, optional
        What is saved beside it: ``"epoch_num"``, ``"step_num"``, and at most one dict.
    exception_save : bool
        Whether a file whose name ends with ``_breakpoint`` is written when an exception ends
        training. No step runs ahead of what is seen then.
    remove_redundancy : bool
        False: it is for several devices.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, E0304 for another `saved_network`.

    Examples
    --------
    >>> CheckpointConfig(100, append_info=["step_num", {"mine": 1.0}]).keep_checkpoint_max
    5
    """

    def __init__(
        self, save_checkpoint_steps: int = 1, save_checkpoint_seconds: int = 0,
        keep_checkpoint_max: int = 5, keep_checkpoint_per_n_minutes: int = 0,
        integrated_save: bool = True, async_save: bool | str = False,
        saved_network: Cell | None = None, append_info: list[Any] | None = None,
        enc_key: bytes | None = None, enc_mode: str = "AES-GCM", exception_save: bool = False,
        crc_check: bool = False, remove_redundancy: bool = False, format: str = "ckpt",
    ) -> None:  # fmt: skip
        self.save_checkpoint_steps = _count("save_checkpoint_steps", save_checkpoint_steps)
        self.save_checkpoint_seconds = _count("save_checkpoint_seconds", save_checkpoint_seconds)
        if not self.save_checkpoint_steps and not self.save_checkpoint_seconds:
            raise fail(
                "E0404", "save_checkpoint_steps and save_checkpoint_seconds are both 0",
                help="one of them says when to save",
            )  # fmt: skip
        self.keep_checkpoint_max = _count("keep_checkpoint_max", keep_checkpoint_max)
        minutes = _count("keep_checkpoint_per_n_minutes", keep_checkpoint_per_n_minutes)
        self.keep_checkpoint_per_n_minutes = minutes
        if flag("remove_redundancy", remove_redundancy):
            raise fail("E0404", "remove_redundancy is False: it is for several devices")
        if not isinstance(saved_network, (Cell, type(None))):
            raise fail("E0304", f"saved_network is a Cell, got {shown(saved_network)}")
        self.saved_network = saved_network
        self.append_info = _info(append_info)
        self.exception_save = flag("exception_save", exception_save)
        self.format = format
        self.saving = {
            "integrated_save": integrated_save, "async_save": async_save, "enc_key": enc_key,
            "enc_mode": enc_mode, "crc_check": crc_check, "format": format,
        }  # fmt: skip


def _count(name: str, given: int | None) -> int:
    return 0 if given is None else integer(name, given, 0)


def _info(given: list[Any] | None) -> list[Any]:
    entries = [] if given is None else given
    dicts = [entry for entry in entries if isinstance(entry, dict)]
    names = [entry for entry in entries if not isinstance(entry, dict)]
    if not isinstance(entries, list) or len(dicts) > 1 or any(x not in NAMED for x in names):
        raise fail(
            "E0404", f"append_info is a list of 'epoch_num', 'step_num' and one dict, got {given!r}"
        )
    return entries


class ModelCheckpoint(Callback):
    """Saves the state of training to files, while it trains and at its end.

    They are called ``PREFIX-EPOCH_STEP.ckpt``; steps count within the epoch. A sink ends where one
    is due, so each holds Parameters as that step has left them.

    Parameters
    ----------
    prefix : str
        Where files of that prefix are in the folder already, ``_1``, ``_2``, ... is added.
    directory : str or path, optional
        Is made if need be. The present folder by default.
    config : CheckpointConfig, optional

    Attributes
    ----------
    latest_ckpt_file_name : str
        Of the file that was written last; empty before.

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for an argument of another form, kind or value; in training what
        `save_checkpoint` raises.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1)
    >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     saving = ModelCheckpoint("net", folder, CheckpointConfig(save_checkpoint_steps=3))
    ...     model.train(1, [(ms.Tensor([[1.0]]), ms.Tensor([[2.0]]))] * 4, saving)
    ...     print(sorted(path.name for path in Path(folder).iterdir()))
    ['net-1_3.ckpt', 'net-1_4.ckpt']
    """

    def __init__(
        self,
        prefix: str = "CKP",
        directory: str | Path | None = None,
        config: CheckpointConfig | None = None,
    ) -> None:
        if not isinstance(prefix, str):
            raise fail("E0303", f"prefix is a str, got {shown(prefix)}")
        if not prefix or "/" in prefix:
            raise fail("E0404", f"prefix is the beginning of names of files, got {prefix!r}")
        if not isinstance(directory, (str, Path, type(None))):
            raise fail("E0303", f"directory is a str, got {shown(directory)}")
        if not isinstance(config, (CheckpointConfig, type(None))):
            raise fail("E0304", f"config is a CheckpointConfig, got {shown(config)}")
        self.prefix: str | None = None
        self._given_prefix = prefix
        self.directory = Path(directory or ".")
        self.config = config or CheckpointConfig()
        self.latest_ckpt_file_name = ""
        self._due, self._saved, self._last_time = 0, 0, time.monotonic()
        self._params: CallbackParams | None = None
        self._kept = Kept(self.config)

    def needs_parameters_at(self, step: int) -> bool:
        """Whether a file is due after this step, or may be: a sink ends there."""
        is_due = self._is_due(step)
        if is_due:
            self._due, self._last_time = step, time.monotonic()
        return is_due or self.config.exception_save

    def _is_due(self, step: int) -> bool:
        if self.config.save_checkpoint_steps:
            return step >= self._due + self.config.save_checkpoint_steps
        return time.monotonic() - self._last_time >= self.config.save_checkpoint_seconds

    def on_train_begin(self, run_context: RunContext) -> None:
        self._params = run_context.original_args()
        self._due, self._saved, self._last_time = 0, 0, time.monotonic()
        self.directory.mkdir(parents=True, exist_ok=True)
        if self.prefix is None:
            self.prefix = free_prefix(self.directory, self._given_prefix)
        super().on_train_begin(run_context)

    def step_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if params.get("mode") != "eval" and params.cur_step_num == self._due:
            self._save(params)

    def end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if params.get("mode") != "eval" and params.cur_step_num != self._saved:
            self._save(params)

    def __exit__(self, kind: Any, *more: Any) -> None:
        params, self._params = self._params, None
        if kind is not None and self.config.exception_save and params and params.cur_step_num:
            self._save(params, "_breakpoint")

    def _save(self, params: CallbackParams, ending: str = "") -> None:
        step = (params.cur_step_num - 1) % params.batch_num + 1
        name = f"{self.prefix}-{params.cur_epoch_num}_{step}{ending}.{self.config.format}"
        path = self.directory / name
        network = self.config.saved_network or params.train_network
        more = self._appended(params)
        save_checkpoint(network, str(path), append_dict=more, **self.config.saving)  # type: ignore[arg-type]
        self._saved = params.last_save_ckpt_step = params.cur_step_num
        self.latest_ckpt_file_name = params.latest_ckpt_file = str(path)
        self._kept.add(path)

    def _appended(self, params: CallbackParams) -> dict[str, Any] | None:
        found: dict[str, Any] = {}
        for entry in self.config.append_info:
            found.update(entry if isinstance(entry, dict) else {entry: params[NAMED[entry]]})
        return found or None


class Kept:
    """The files that were written, of which the configuration says how many stay.

    Parameters
    ----------
    config : CheckpointConfig
    clock : callable
        The present time, in seconds.
    """

    def __init__(
        self, config: CheckpointConfig, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.config = config
        self.clock = clock
        self.files: list[Path] = []
        self._since = clock()

    def add(self, path: Path) -> None:
        """Remember one more, and remove those that are not to stay."""
        if path in self.files:
            self.files.remove(path)
        self.files.append(path)
        if self.config.keep_checkpoint_max:
            while len(self.files) > self.config.keep_checkpoint_max:
                self.files.pop(0).unlink(missing_ok=True)
        elif self.config.keep_checkpoint_per_n_minutes:
            self._thin_out()

    def _thin_out(self) -> None:
        """Remove the one before the last, unless the minutes since the last that stays are over."""
        if self.clock() - self._since >= self.config.keep_checkpoint_per_n_minutes * 60:
            self._since = self.clock()
        elif len(self.files) > 1:
            self.files.pop(-2).unlink(missing_ok=True)


def free_prefix(folder: Path, prefix: str) -> str:
    """`prefix`, with a number behind it where files of that prefix exist."""
    pattern = re.compile(re.escape(prefix) + r"(?:_(\d+))?-.*\.(?:ckpt|safetensors)")
    found = [pattern.fullmatch(path.name) for path in folder.iterdir()]
    used = [int(match[1] or 0) for match in found if match]
    return f"{prefix}_{max(used) + 1}" if used else prefix
