"""What was the program at every stage of one compilation, and how is that written out?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from s2sad.ir import store
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function
from s2sad.ir.sizes import at_sizes
from s2sad.ir.verify import Fitting
from s2sad.passes import plugins
from s2sad.passes.base import Manager, Pass, Report
from s2sad.passes.pipeline import format_pipeline

#: Begins the part of a header that names the passes which were still to come.
THEN = "then "


def stage_line(name: str, left: str) -> str:
    """Of the stage `name`, what the header of its dump says."""
    return f"after {name} · {THEN}{left}" if left else f"after {name}"


@dataclass
class Stages:
    """Every stage of one compilation, in order.

    Attributes
    ----------
    primal, joint, target : tuple of Pass
        The three lists, with the passes that users plugged in where they asked for.
    functions : list of (str, Function)
        Name of the stage and a copy of the function after it. What passes made is made again when
        somebody asks, by the same rewrites of what they were given; so is what other stages are at
        some sizes.
    left : list of str
        The passes that were to come after each stage, as the text of a pipeline.
    reports : list of Report
        What each pass did.
    limit : int or None
        Bytes that a run may need beside what it is given.
    """

    primal: tuple[Pass, ...]
    joint: tuple[Pass, ...]
    target: tuple[Pass, ...]
    left: list[str] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    limit: int | None = None
    _made: list[tuple[str, Callable[[], Function]]] = field(default_factory=list)
    _readable: int = 0
    _fitting: Fitting = field(default_factory=dict)

    @property
    def functions(self) -> list[tuple[str, Function]]:
        return [(name, made()) for name, made in self._made]

    def note(self, function: Function, name: str, passes: tuple[Pass, ...]) -> None:
        """Keep a copy of `function` as the stage `name`, which `passes` and later lists follow."""
        copy = clone(function)
        self._keep(lambda: copy, name, (*passes, *self._following(passes)))

    def run(
        self, function: Function, passes: tuple[Pass, ...], inputs: Sequence[Any] | None = None
    ) -> None:  # fmt: skip
        """Run `passes`, one of the three lists, with a stage after each.

        With `inputs` the program is run on them before and after each pass (E0903 where a pass
        changes what it computes).
        """
        following = self._following(passes)
        manager = Manager(validate=inputs, fitting=self._fitting)

        def keep(made: Callable[[], Function], name: str) -> None:
            if plugins.are_there():  # what is plugged in now may be gone later
                made()
            self._keep(made, name, (*manager.left, *following))

        manager.replay = keep
        self.reports += manager.run(function, passes)
        if not following:
            self._fitting.clear()  # it would keep operations that are no more

    def at(self, sizes: Mapping[str, int]) -> Stages:
        """These stages with numbers for the symbols in them; others may follow."""

        def here(made: Callable[[], Function]) -> Callable[[], Function]:
            return cache(lambda: at_sizes(made(), sizes))

        stages = [(name, here(made)) for name, made in self._made]
        return replace(self, _made=stages, left=[*self.left], reports=[*self.reports])

    def _following(self, passes: tuple[Pass, ...]) -> tuple[Pass, ...]:
        """The passes of the lists that come after `passes`, which is one of them."""
        if passes is self.target or not passes:
            return ()
        return self.target if passes is self.joint else (*self.joint, *self.target)

    def _keep(self, made: Callable[[], Function], name: str, left: tuple[Pass, ...]) -> None:
        self._made.append((f"{len(self._made):02}-{name}", made))
        self.left.append(format_pipeline(left))

    def __getitem__(self, name: str) -> Function:
        """The last stage of that name, without its number."""
        return next(made for stage, made in self._made[::-1] if stage[3:] == name)()

    def changed(self, name: str) -> bool:
        """Whether a pass of that name changed anything."""
        return any(report.name == name and report.changes for report in self.reports)

    def mark_readable(self) -> None:
        """Let the latest stage be the one that people read."""
        self._readable = len(self._made) - 1

    @property
    def readable(self) -> Function:
        """The joint program after JOINT, or the primal where no gradient is wanted."""
        return self._made[self._readable][1]()

    def dump(self, folder: Path) -> list[Path]:
        """Write each stage as a file that runs; their paths. Stages of an earlier dump go."""
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{name}.py" for name, _ in self.functions]
        _remove_stages(folder, keep=paths)
        for path, (name, function), left in zip(paths, self.functions, self.left, strict=True):
            store.save(function, path, stage=stage_line(name, left))
        return paths


def _remove_stages(folder: Path, keep: Sequence[Path]) -> None:
    """Remove what an earlier dump left in `folder`: two programs must not mix."""
    for path in folder.glob("[0-9][0-9]-*.py"):
        if path not in keep and path.read_text(encoding="utf-8").startswith("# s2sad ir"):
            for beside in (path, path.with_suffix(".npz"), path.with_suffix(".in.npz")):
                beside.unlink(missing_ok=True)
