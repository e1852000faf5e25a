"""Which backend runs programs, by the environment and by what is installed?"""

from __future__ import annotations

import pytest

from s2sad.backends.c import toolchain
from s2sad.binding import target
from s2sad.core.diagnostics import S2sadError


@pytest.mark.parametrize("name", ["c", "numpy"])
def test_the_environment_chooses(name, monkeypatch):
    monkeypatch.setenv(target.VARIABLE, name)
    assert target.backend_name() == f"s2sad.backends.{name}"
    assert target.backend().build.__module__.startswith(f"s2sad.backends.{name}")


def test_another_name_is_refused_with_those_that_there_are(monkeypatch):
    monkeypatch.setenv(target.VARIABLE, "nunpy")
    with pytest.raises(S2sadError, match="there are c, numpy") as caught:
        target.backend_name()
    assert caught.value.diagnostic.help == "did you mean numpy?"


def test_c_is_the_default_where_there_is_a_compiler(monkeypatch):
    monkeypatch.delenv(target.VARIABLE)
    assert target.backend_name() == "s2sad.backends.c"


def test_numpy_is_the_default_without_one_and_a_warning_says_so_once(monkeypatch):
    monkeypatch.delenv(target.VARIABLE)
    monkeypatch.setattr(toolchain, "find_toolchain", lambda: None)
    toolchain.warn_of_none.cache_clear()
    with pytest.warns(UserWarning, match="no C compiler found: programs run on NumPy") as warned:
        assert target.backend_name() == target.backend_name() == "s2sad.backends.numpy"
    assert len(warned) == 1 and warned[0].filename == __file__
