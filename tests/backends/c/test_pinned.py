"""Do three steps of training take as many kernels, bytes and memory as they did?

A change that is meant is written down by ``PYTHONPATH=tests:. python -m backends.c.pinned``.
"""

from __future__ import annotations

import json

import pytest
from backends.c.pinned import FILE, WORKLOADS, measured

import s2sad as ms


@pytest.mark.parametrize("name", WORKLOADS)
def test_a_step_is_as_it_was(name, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", "c")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        found = measured(name)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert found == json.loads(FILE.read_text(encoding="utf-8"))[name]
    assert found["arena"] <= 1.1 * found["alive_at_once"]
