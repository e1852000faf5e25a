"""How does a user write numbers, histograms and pictures of training to a file?"""

from __future__ import annotations

import socket
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import numpy as np

from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.shown import shown
from s2sad.core.summaries import Listener
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import flag, integer
from s2sad.train.summary import events

Self = TypeVar("Self", bound="SummaryRecord")

MODES = ("train", "eval")
#: What else MindSpore records, and nobody but its own viewer reads.
OTHERS = (
    "graph", "train_lineage", "eval_lineage", "dataset_graph", "custom_lineage_data",
    "LANDSCAPE",
)  # fmt: skip


class SummaryRecord:
    """An event file, which TensorBoard shows; a context manager, which closes it.

    Parameters
    ----------
    log_dir : str or path
        The folder, which is made if need be.
    file_prefix, file_suffix : str
        How the name of the file begins and ends. Between them are ``tfevents``, by which
        TensorBoard knows such files, the time, and the name of the computer.
    num_process : int
        Taken for compatibility.
    network : None
        Taken for compatibility.
    max_file_size : int, optional
        Bytes. What would make the file larger is left out, and a warning says so, once.
    raise_exception : bool
        Taken for compatibility: errors are always raised.
    export_options : None
        Other forms of files are not built in.

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for an argument of another form, kind or value, E0604 where the file
        cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, SummaryRecord(folder) as record:
    ...     record.add_value("scalar", "loss", Tensor(0.5))
    ...     record.record(1)
    True
    """

    def __init__(
        self, log_dir: str | Path, file_prefix: str = "events", file_suffix: str = "_MS",
        num_process: int = 32, network: Any = None, max_file_size: int | None = None,
        raise_exception: bool = False, export_options: None = None,
    ) -> None:  # fmt: skip
        for name, text in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            if not isinstance(text, str) or "/" in text:
                raise fail("E0303", f"{name} is part of the name of a file, got {shown(text)}")
        integer("num_process", num_process, 1)
        flag("raise_exception", raise_exception)
        if max_file_size is not None:
            integer("max_file_size", max_file_size, 1)
        for name, value in (("network", network), ("export_options", export_options)):
            if value is not None:
                raise fail("E0404", f"{name} can be None only, got {shown(value)}")
        self._most = max_file_size
        self._mode = "train"
        self._values: list[bytes] = []
        self._listener = Listener()
        self._is_full = False
        place = f"{file_prefix}.out.tfevents.summary.{int(time.time())}.{socket.gethostname()}"
        self._path, self._file = _opened(Path(log_dir), place, file_suffix)
        self._write(events.event(time.time(), None, events.version()))
        self._listener.listen()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.close()

    @property
    def log_dir(self) -> str:
        """The path of the file."""
        return str(self._path)

    def set_mode(self, mode: str) -> None:
        """Say of what values are from now on: "train" or "eval", which stands before their names.

        Raises
        ------
        S2sadError
            E0404 for another mode.
        """
        if mode not in MODES:
            raise fail("E0404", f"mode is one of {', '.join(MODES)}, got {mode!r}")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Note a value, which `record` will write.

        Parameters
        ----------
        plugin : {"scalar", "tensor", "histogram", "image"}
        name : str
        value : Tensor, array or number
            One number; any shape for the next two; or of the shape (N, C, H, W), with 1 or 3
            channels, of which the first picture is taken: bytes, or floats from 0 to 1.

        Raises
        ------
        S2sadError
            E0404 for another plugin, E0303 for a name that is none, E0304, E0401 or E0405 for
            another value.
        """
        if plugin not in PLUGINS:
            help = "it is for MindSpore's own viewer" if plugin in OTHERS else None
            raise fail(
                "E0404", f"plugin is one of {', '.join(PLUGINS)}, got {plugin!r}",
                help=help or did_you_mean(str(plugin), PLUGINS),
            )  # fmt: skip
        if not isinstance(name, str) or not name:
            raise fail("E0303", f"the name of a value is a str, got {shown(name)}")
        self._values.append(PLUGINS[plugin](f"{self._mode}/{name}", _array(value)))

    def record(
        self, step: int, train_network: Any = None,  # noqa: ARG002
        plugin_filter: Callable[[str], bool] | None = None,
    ) -> bool:  # fmt: skip
        """Write what was noted since the last call, as of this step; whether it was written.

        Beside what `add_value` has noted that is what programs have told by `ops.ScalarSummary` and
        its like.

        Parameters
        ----------
        step : int
        train_network : object
            Taken for compatibility.
        plugin_filter : None
            Note less instead.

        Raises
        ------
        S2sadError
            E0303 or E0404 for another step or filter, E0604 where the file cannot be written.
        """
        integer("step", step, 0)
        if plugin_filter is not None:
            raise fail("E0404", "plugin_filter can be None only", help="add fewer values instead")
        for plugin, name, value in self._listener.take():
            self.add_value(plugin, name, value)
        values, self._values = self._values, []
        if not values:
            return True
        return self._write(events.event(time.time(), step, events.summary(values)))

    def _write(self, message: bytes) -> bool:
        data = events.record(message)
        if self._file.closed:
            raise fail("E0604", f"{self._path} is closed", help="make another SummaryRecord")
        if self._most is not None and self._file.tell() + len(data) > self._most:
            if not self._is_full:
                warnings.warn(f"{self._path} is full: nothing more is recorded", stacklevel=3)
            self._is_full = True
            return False
        try:
            self._file.write(data)
            self._file.flush()
        except OSError as error:
            raise fail("E0604", f"{self._path} cannot be written: {error}") from error
        return True

    def flush(self) -> None:
        """Nothing: what `record` wrote is in the file when it comes back."""

    def close(self) -> None:
        """Close the file."""
        self._listener.leave()
        self._file.close()


def _opened(folder: Path, name: str, suffix: str) -> tuple[Path, Any]:
    """A new file in `folder`, with a number in its name if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for count in range(1_000_000):
            path = folder / f"{name}{f'.{count}' if count else ''}{suffix}"
            if not path.exists():
                return path, open(path, "xb")  # noqa: SIM115 - `close` closes it
    except OSError as error:
        raise fail("E0604", f"no file can be made in {folder}: {error}") from error
    raise fail("E0604", f"{folder} has too many files of this second")


def _array(value: Any) -> np.ndarray:
    if isinstance(value, Tensor):
        return value.asnumpy()
    array = np.asarray(value)
    if array.dtype.kind not in "fiub":
        raise fail("E0304", f"a value is a Tensor, an array or a number, got {shown(value)}")
    return array


def _scalar(tag: str, data: np.ndarray) -> bytes:
    if data.size != 1:
        raise fail("E0405", f"{tag} is to be one number, got the shape {data.shape}")
    return events.scalar(tag, float(data.reshape(())))


def _image(tag: str, data: np.ndarray) -> bytes:
    if data.ndim != 4 or data.shape[1] not in (1, 3) or not data.size:
        raise fail(
            "E0401", f"{tag} is to be of the shape (N, C, H, W), with 1 or 3 channels, "
            f"got {data.shape}",
        )  # fmt: skip
    first = np.moveaxis(data[0], 0, -1)
    if first.dtype != np.uint8:
        first = np.nan_to_num(np.clip(first, 0.0, 1.0) * 255).round().astype(np.uint8)
    return events.image(tag, first)


#: What makes a value of a tag and an array.
PLUGINS: dict[str, Callable[[str, np.ndarray], bytes]] = {
    "scalar": _scalar, "tensor": events.tensor, "histogram": events.histogram, "image": _image,
}  # fmt: skip
