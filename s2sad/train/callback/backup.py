"""How does training go on with the Parameters that an interrupted run had?"""

from __future__ import annotations

from pathlib import Path

from s2sad.checkpoints import load_checkpoint, load_param_into_net, save_checkpoint
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.settings import flag, integer
from s2sad.train.callback.callback import Callback, RunContext


class BackupAndRestore(Callback):
    """Saves the state of training after epochs, and begins with it where a run was interrupted.

    It restores Parameters, those of the optimizer as well; epochs count from the beginning again.

    Parameters
    ----------
    backup_dir : str or path
        The folder of the file, ``backup.ckpt``; is made if need be.
    save_freq : "epoch" or int
        Epochs from one time to the next.
    delete_checkpoint : bool
        Whether the file is removed when training has come to its end.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in training what `save_checkpoint`,
        `load_checkpoint` and `load_param_into_net` raise, and E0711 where the file is of another
        network.

    Examples
    --------
    >>> BackupAndRestore("backups", save_freq=5).backup_file.as_posix()
    'backups/backup.ckpt'
    """

    def __init__(
        self, backup_dir: str | Path, save_freq: str | int = "epoch", delete_checkpoint: bool = True
    ) -> None:
        if not isinstance(backup_dir, (str, Path)):
            raise fail("E0303", f"backup_dir is a str, got {shown(backup_dir)}")
        self.backup_file = Path(backup_dir) / "backup.ckpt"
        self.save_freq = 1 if save_freq == "epoch" else integer("save_freq", save_freq, 1)
        self.delete_checkpoint = flag("delete_checkpoint", delete_checkpoint)

    def on_train_begin(self, run_context: RunContext) -> None:
        self.backup_file.parent.mkdir(parents=True, exist_ok=True)
        if self.backup_file.exists():
            self.restore(run_context.original_args().train_network)

    def restore(self, network: Cell) -> None:
        """Let Parameters be those of the file, all or none."""
        found = load_checkpoint(self.backup_file)
        other = set(found) ^ set(network.parameters_dict())
        if other:
            raise fail(
                "E0711", f"{self.backup_file} is of another network: one of the two has no "
                f"{', '.join(sorted(other))}",
                help="remove the file, or give another backup_dir",
            )  # fmt: skip
        load_param_into_net(network, found)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        if params.cur_epoch_num % self.save_freq == 0:
            save_checkpoint(params.train_network, self.backup_file)

    def on_train_end(self, run_context: RunContext) -> None:  # noqa: ARG002
        if self.delete_checkpoint:
            self.backup_file.unlink(missing_ok=True)
