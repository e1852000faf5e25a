"""Does an error name a place in the file of the test that provokes it?"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2sad.core.diagnostics import Diagnostic, S2sadError


def refused_here(code: str, run: Callable[..., Any], *args: Any, **kwargs: Any) -> Diagnostic:
    """What a call of `run` raises: `code`, at a place in the file of the test, or at the call."""
    with pytest.raises(S2sadError) as caught:
        run(*args, **kwargs)
    found = caught.value.diagnostic
    assert found.code == code, found.render()
    places = {Path(__file__).name, Path(sys._getframe(1).f_code.co_filename).name}
    assert found.location is not None and Path(found.location.file).name in places
    return found
