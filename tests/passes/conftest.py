"""What is plugged in by one test, and what it writes, is gone in the next."""

from __future__ import annotations

import pytest

from s2sad.passes import plugins


@pytest.fixture(scope="session")
def scratch(tmp_path_factory):
    return tmp_path_factory.mktemp("reproducers")


@pytest.fixture(autouse=True)
def reproducers_in_scratch(monkeypatch, scratch):
    """Files that errors name go where pytest clears up."""
    monkeypatch.setattr("tempfile.tempdir", str(scratch))


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
