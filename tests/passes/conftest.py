"""What is plugged in by one test is gone in the next."""

from __future__ import annotations

import pytest

from s2sad.passes import plugins


@pytest.fixture
def unplugged(monkeypatch):
    """Nothing is plugged in at first, and what the test plugs in goes with it."""
    monkeypatch.setattr(plugins, "_passes", [])
    monkeypatch.setattr(plugins, "_rules", [])
    monkeypatch.setattr(plugins, "_loaded", set())
    monkeypatch.setattr(plugins, "_found", [])


@pytest.fixture
def plugged_rule(unplugged):
    """Plugs in a rule for the time of the test."""
    return plugins.add_rule
