"""Is what takes no part in programs refused with its code? `forms.refused` compiles as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from s2sad.core.diagnostics import S2sadError


def fails(code: str, function: Callable[..., Any], *arguments: Any, **settings: Any) -> None:
    """Expect that the call raises the error `code`."""
    with pytest.raises(S2sadError) as caught:
        function(*arguments, **settings)
    assert caught.value.code == code, caught.value
