"""Helper: a step of training for a device, with what its state holds, and how it runs here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import s2sad as ms
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.sink import CHANNEL, Sunk
from s2sad.core.dtypes import widen
from support.graph_files import lowered


class Training:
    """A step, the arrays of its state before the first batch, and what each batch gives here.

    Parameters
    ----------
    step : Cell
        Of a loss, or of a loss and more.
    data : list of batches
        Arrays of the inputs 0, 1 and so on.
    """

    def __init__(self, step: ms.nn.Cell, data: list[tuple[Any, ...]]) -> None:
        self.data = data
        first = [ms.Tensor(x) for x in data[0]]
        self.compiled = ms.compile(step)
        self.lowered, self.model = lowered(step, *first)
        self.values = [np.array(x) for x in self.compiled.inputs(*first)]
        self.state = {name: self.values[i] for i, name in self.lowered.state.items()}
        #: Of each step and each result.
        self.results = np.array([self._here(batch) for batch in data])
        self.losses = self.results[:, 0].tolist()

    def _here(self, batch: tuple[np.ndarray, ...]) -> list[float]:
        found = self.compiled(*map(ms.Tensor, batch))
        return [x.item() for x in (found if isinstance(found, tuple) else (found,))]

    def session(self, sunk: Sunk, folder: Path | None = None) -> Session:
        """A session with its state in place, from files where there is a folder for them."""
        if folder is None:
            session = Session(sunk.run, sunk.models)
        else:
            session = Session.load(sunk.write(folder))
        for entry in session.run_file.graphs:
            for each in entry.inputs:
                if each.kind == "state":
                    session.put(each.name, self.state[each.name])
        session.init({f"{name}/first": value for name, value in self.state.items()})
        return session

    def given(
        self, session: Session, batch: tuple[np.ndarray, ...] | None = None
    ) -> list[np.ndarray]:
        """The values of a call; those of the batch where no queue has it."""
        entry = next(e for e in session.run_file.graphs if e.role == "step")
        columns = len(self.data[0])
        return [
            batch[x.number] if batch is not None and x.number < columns else self.values[x.number]
            for x in entry.inputs
            if x.kind == "value"
        ]

    def step_by_step(self, session: Session) -> np.ndarray:
        """The results of each step, one a call."""
        found = [session.run(self.given(session, batch)) for batch in self.data]
        return np.array([[widen(x).item() for x in row] for row in found])

    def sunk(self, session: Session, calls: int) -> np.ndarray:
        """The results of each step, many a call, which are the later half of what it gives."""
        session.feed(CHANNEL, self.data)
        found = [session.run(self.given(session)) for _ in range(calls)]
        rows = [row[len(row) // 2 :] for row in found]
        return np.concatenate([np.stack([widen(x) for x in row], -1) for row in rows])
