"""Tests of a target begin with a device on which nothing has run."""

from __future__ import annotations

import pytest

import s2sad as ms
from s2sad.backends.ascend.target import ledger
from s2sad.core import context


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """Programs run on the simulated device; its settings and numbers are those of a new process."""
    monkeypatch.setattr(context, "_values", dict(context._values))
    monkeypatch.setattr(ledger, "_ledgers", [])
    ms.set_context(device_target="Ascend")
    yield
    ms.set_context(device_target="CPU")
