"""How does a user say what is profiled: `Profiler`, and `profile` with a schedule?"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from s2sad.core import recording
from s2sad.core.diagnostics import fail
from s2sad.profiler import files
from s2sad.profiler.options import ProfilerActivity, require_kind, require_known
from s2sad.profiler.plan import ProfilerAction, always
from s2sad.profiler.record import Record, now
from s2sad.profiler.report import text

Own = TypeVar("Own", bound="_Session")
#: Actions in which it listens and keeps what it hears.
RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class _Session:
    """What `Profiler` and `profile` share.

    Attributes
    ----------
    folder : Path or None
        Where the last analysis went.
    """

    def __init__(
        self, output: str | Path, *, start: bool, profile_memory: bool, schedule: Any,
        on_trace_ready: Callable[[Any], Any] | None,
    ) -> None:  # fmt: skip
        require_kind("start_profile", start, bool)
        require_kind("profile_memory", profile_memory, bool)
        for name, value in (("schedule", schedule), ("on_trace_ready", on_trace_ready)):
            if value is not None and not callable(value):
                raise fail("E0303", f"{name} is something to call, got {value!r}")
        self.folder: Path | None = None
        self.step_num = 0
        self._output = Path(output)
        self._with_memory = profile_memory
        self._schedule: Callable[[int], ProfilerAction] = schedule or always
        self._has_schedule = schedule is not None
        self._handler = on_trace_ready
        self._metadata: dict[str, Any] = {}
        self._record = Record()
        self._is_started = False
        self._since: int | None = None
        self._step_begun = 0
        recording.expect(self, not start or self._has_schedule)
        if start:
            self.start()

    # ---- when ------------------------------------------------------------------------------

    def start(self) -> None:
        """Begin to record.

        Raises
        ------
        S2sadError
            E0715 where another profiler records in this process.
        """
        if self._is_started:
            _warn("the profiler has started already")
            return
        self._is_started = True
        try:
            self._act()
        except BaseException:  # Ctrl-C as well: it can be started again
            self._is_started = False
            raise
        self._step_begun = now()

    def stop(self) -> None:
        """End to record; with a schedule, the handler gets what was recorded last."""
        if not self._is_started:
            _warn("the profiler has not started, so it does not stop")
            return
        self._is_started = False
        was_recording = self._since is not None
        self._listen(False)
        if self._has_schedule:
            recording.expect(self, False)
        if self._handler is not None and was_recording:
            self._ready()

    def step(self) -> None:
        """The user's step ends, and the next one begins."""
        if not self._is_started:
            _warn("the profiler has not started, so a step changes nothing")
            return
        self._end_step()
        if self._schedule(self.step_num) is ProfilerAction.RECORD_AND_SAVE:
            self._listen(False)
            if self._handler is not None:
                self._ready()
        self.step_num += 1
        self._act()
        self._step_begun = now()

    def _act(self) -> None:
        """Do what the schedule says of the present step."""
        self._listen(self._schedule(self.step_num) in RECORDING)

    def _listen(self, wanted: bool) -> None:
        if wanted and self._since is None:
            recording.begin(self._record)
            self._since = now()
        elif not wanted and self._since is not None:
            recording.end(self._record)
            self._record.windows.append((self._since, now()))
            self._since = None

    def _end_step(self) -> None:
        if self._since is not None:
            self._record.steps.append((self.step_num, self._step_begun, now()))

    def _ready(self) -> None:
        assert self._handler is not None
        self._handler(self)
        self._record = Record()

    # ---- what becomes of it ----------------------------------------------------------------

    def analyse(
        self, offline_path: str | None = None, pretty: bool = False, step_list: Any = None,
        mode: str = "sync", *, async_mode: bool = False, dir_name: str | Path | None = None,
        worker_name: str | None = None,
    ) -> None:  # fmt: skip
        """Write what was recorded: a trace, tables by kernel and by line, and a report.

        Parameters
        ----------
        offline_path, step_list : None
            MindSpore's, for data that lie on disk already; here nothing does.
        pretty : bool
            Whether the trace has a line for each number.
        mode, async_mode
            Accepted; it is written before this returns.
        dir_name : path, optional
            In place of the profiler's.
        worker_name : str, optional
            How the folder's name begins, in place of the host and the process.

        Raises
        ------
        S2sadError
            E0604 where the files cannot be written; E0712 for `offline_path` and `step_list`.
        """
        for name, value in (("offline_path", offline_path), ("step_list", step_list)):
            if value is not None:
                raise fail("E0712", f"{name} is for raw data, which this profiler does not write")
        if not self._has_schedule:
            recording.expect(self, False)
            if self._is_started:
                self._stop_quietly()
        output = self._output if dir_name is None else Path(dir_name)
        self.folder = files.folder_for(output, worker_name)
        files.write(
            self._record, self.folder, with_memory=self._with_memory, pretty=pretty,
            metadata=self._metadata,
        )  # fmt: skip

    def _stop_quietly(self) -> None:
        """`stop`, for who calls `analyse` himself."""
        self._is_started = False
        self._listen(False)

    def report(self) -> str:
        """The report that `analyse` writes, as text."""
        return text(self._record)

    def add_metadata(self, key: str, value: str) -> None:
        """Let `value`, a text, stand in the trace under `key`."""
        require_kind("the key of metadata", key, str)
        require_kind("a value of metadata", value, str)
        self._metadata[key] = value

    def add_metadata_json(self, key: str, value: str) -> None:
        """Let what `value` says in JSON stand in the trace under `key`; E0303 for other text."""
        require_kind("the key of metadata", key, str)
        try:
            self._metadata[key] = json.loads(value)
        except (TypeError, ValueError):
            raise fail("E0303", f"the metadata {key!r} is no JSON: {value!r}") from None

    # ---- as a context manager --------------------------------------------------------------

    def __enter__(self: Own) -> Own:
        if not self._is_started:
            self.start()
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if not self._is_started:
            return
        if self._handler is not None or self._has_schedule or error is not None:
            self.stop()
        else:
            self.analyse()


class Profiler(_Session):
    """Measures where the time of compiled programs, and of operations by themselves, goes.

    Parameters
    ----------
    output_path : path
        In which `analyse` makes a folder for each profile.
    profile_memory : bool
        Whether a table says what memory each program needs.
    start_profile : bool
        Whether it starts at once; else with `start`.
    schedule : callable, optional
        ``schedule(step)`` gives the action of each step, for who calls `step`; see `schedule`.
    on_trace_ready : callable, optional
        Is called with the profiler when a turn of the schedule, or all, is recorded.
    **options
        MindSpore's for other devices: `profiler_level`, `activities`, `with_stack`, ...; they
        change nothing.

    Raises
    ------
    S2sadError
        E0302 for an unknown option, E0303 for a value of the wrong kind, E0715 where another
        profiler records in this process.

    Notes
    -----
    As long as one lives that has not started at once, or has a schedule, `Model.train` sinks no
    steps, until it analyses or stops: each step is recorded, or not, by itself.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> from s2sad.profiler import Profiler
    >>> double = ms.compile(lambda x: x + x)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Profiler(output_path=folder) as profiler:
    ...         _ = double(ms.Tensor([1.0, 2.0]))
    ...     print(sorted(path.name for path in profiler.folder.iterdir()))
    ['kernel_details.csv', 'report.txt', 'source_lines.csv', 'trace_view.json']
    """

    def __init__(
        self, *, output_path: str | Path = "./data", profile_memory: bool = False,
        start_profile: bool = True, schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        require_known(options)
        super().__init__(
            output_path, start=start_profile, profile_memory=profile_memory, schedule=schedule,
            on_trace_ready=on_trace_ready,
        )  # fmt: skip


class profile(_Session):  # noqa: N801 - MindSpore's name
    """`Profiler` in the form of MindSpore 2.10, with a step for each step of a training.

    Parameters
    ----------
    activities : iterable of ProfilerActivity, optional
        Accepted: what runs is the CPU's.
    profile_memory : bool
        Whether a table says what memory each program needs.
    start_profile : bool
        Whether it starts at once; else with `start`.
    schedule : callable, optional
        The action of each step; all are recorded without it.
    on_trace_ready : callable, optional
        Is called with the profiler when a turn of the schedule, or all, is recorded; such as
        `tensorboard_trace_handler`. Without it, the end of a ``with`` writes to ``./data``.
    with_stack, data_process, parallel_strategy, hbm_ddr, pcie, sync_enable, record_shapes, \
experimental_config
        For other devices; they change nothing.

    Raises
    ------
    S2sadError
        As `Profiler`.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> from s2sad.profiler import profile, schedule, tensorboard_trace_handler
    >>> square = ms.compile(lambda x: x * x)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plan = schedule(wait=1, warmup=1, active=2, repeat=1)
    ...     with profile(schedule=plan, on_trace_ready=tensorboard_trace_handler(folder)) as prof:
    ...         for _ in range(6):
    ...             _ = square(ms.Tensor([1.0, 2.0]))
    ...             prof.step()
    ...     prof.folder.joinpath("kernel_details.csv").read_text().splitlines()[1].split(",")[3]
    '2'
    """

    def __init__(
        self, activities: Iterable[ProfilerActivity] | None = None, with_stack: bool = False,
        profile_memory: bool = False, data_process: bool = False, parallel_strategy: bool = False,
        start_profile: bool = True, hbm_ddr: bool = False, pcie: bool = False,
        sync_enable: bool = True, record_shapes: bool = False,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None, experimental_config: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            "./data", start=start_profile, profile_memory=profile_memory, schedule=schedule,
            on_trace_ready=on_trace_ready,
        )  # fmt: skip


def tensorboard_trace_handler(
    dir_name: str | Path | None = None, worker_name: str | None = None, analyse_flag: bool = True,
    async_mode: bool = False,
) -> Callable[[_Session], None]:  # fmt: skip
    """What `on_trace_ready` may be: it writes what was recorded.

    Parameters
    ----------
    dir_name : path, optional
        In place of the profiler's.
    worker_name : str, optional
        How the folder's name begins, in place of the host and the process.
    analyse_flag : bool
        Whether anything is written.
    async_mode : bool
        Accepted; it is written before the step goes on.
    """
    require_kind("analyse_flag", analyse_flag, bool)

    def handler(profiler: _Session) -> None:
        if analyse_flag:
            profiler.analyse(dir_name=dir_name, worker_name=worker_name)

    return handler


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=3)
