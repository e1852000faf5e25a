"""How does training end well when somebody outside asks for that, by a signal or a file?"""

from __future__ import annotations

import json
import signal
import threading
from pathlib import Path
from typing import Any

from s2sad.checkpoints import load_checkpoint, load_param_into_net, save_checkpoint
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.settings import flag
from s2sad.train.callback.callback import Callback, RunContext

#: In a file, what asks for an end.
KEY = "GracefulExit"


class OnRequestExit(Callback):
    """Ends training, or evaluation, after the present step when asked to, and saves its state.

    Asked by a signal, or by ``{"GracefulExit": 1}`` in a JSON file. Where the state of an earlier
    run lies there, training begins with it.

    Parameters
    ----------
    save_ckpt : bool
        Whether Parameters, those of the optimizer as well, are saved when training was ended so.
    save_mindir : bool, optional
        No MINDIR is written (`s2sad.export`). So the default is not MindSpore's True, which is
        refused.
    file_name : str
        The file is ``rank_0/<file_name>_train.ckpt``.
    directory : str or path
        Where that is; it is made if need be.
    config_file : str or path, optional
        The JSON file, which is read before each step that exists then.
    sig : int
        The signal; while training runs it does nothing else. Handlers can be set in the main thread
        only.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value, E0712 for `save_mindir`; in training
        E0712 in another thread than the main one, E0608 where `config_file` is no JSON, and what
        `save_checkpoint`, `load_checkpoint` and `load_param_into_net` raise.

    Examples
    --------
    >>> OnRequestExit(file_name="LeNet", directory="runs").file.as_posix()
    'runs/rank_0/LeNet_train.ckpt'
    """

    def __init__(
        self, save_ckpt: bool = True, save_mindir: bool | None = None, file_name: str = "Net",
        directory: str | Path = "./", config_file: str | Path | None = None,
        sig: int = signal.SIGTERM,
    ) -> None:  # fmt: skip
        self.save_ckpt = flag("save_ckpt", save_ckpt)
        if save_mindir is not None and flag("save_mindir", save_mindir):
            raise fail(
                "E0712", "s2sad does not write MINDIR yet, so no network is exported at the end",
                help="leave it out; ms.compile(net).dump(folder, *inputs) writes the program",
            )  # fmt: skip
        if not isinstance(file_name, str) or not isinstance(directory, (str, Path)):
            raise fail("E0303", f"file_name is a str, got {shown(file_name)}")
        self.file = Path(directory) / "rank_0" / f"{file_name}_train.ckpt"
        self.config_file = None if config_file is None else Path(config_file)
        self.sig = _catchable(sig)
        self.is_asked = False
        self._before: Any = None

    def __enter__(self) -> OnRequestExit:
        if threading.current_thread() is not threading.main_thread():
            raise fail(
                "E0712", "signals reach the main thread only, and this is another",
                help="train in the main thread, or leave OnRequestExit out",
            )  # fmt: skip
        self.is_asked = False
        self._before = signal.signal(self.sig, self._ask)
        return self

    def __exit__(self, *exception: Any) -> None:
        signal.signal(self.sig, signal.SIG_DFL if self._before is None else self._before)

    def _ask(self, number: int, frame: Any) -> None:  # noqa: ARG002
        self.is_asked = True

    def on_train_begin(self, run_context: RunContext) -> None:
        if self.save_ckpt and self.file.exists():
            network = run_context.original_args().train_network
            load_param_into_net(network, load_checkpoint(self.file))

    def on_train_step_end(self, run_context: RunContext) -> None:
        self._end_if_asked(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        self._end_if_asked(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Asked within an evaluation, training ends as well."""
        self._end_if_asked(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        if self.is_asked and self.save_ckpt:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            save_checkpoint(run_context.original_args().train_network, self.file)

    def _end_if_asked(self, run_context: RunContext) -> None:
        self.is_asked = self.is_asked or self._is_asked_by_file()
        if self.is_asked:
            run_context.request_stop()

    def _is_asked_by_file(self) -> bool:
        if self.config_file is None or not self.config_file.exists():
            return False
        try:
            found = json.loads(self.config_file.read_text("utf-8"))
        except ValueError as error:
            raise fail("E0608", f"{self.config_file} is no JSON: {error}") from None
        return isinstance(found, dict) and found.get(KEY) == 1


def _catchable(sig: Any) -> int:
    """A signal that a handler can be set for (E0303, E0404)."""
    if isinstance(sig, bool) or not isinstance(sig, int):
        raise fail("E0303", f"sig is the number of a signal, got {shown(sig)}")
    never = {getattr(signal, name, None) for name in ("SIGKILL", "SIGSTOP")}
    if sig not in signal.valid_signals() or sig in never:
        raise fail("E0404", f"sig is a signal that can be caught, got {sig}", help="signal.SIGTERM")
    return sig
