"""Facts about GE and its devices, as JSON; each file says where its facts come from."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """What ``name.json`` beside this module holds.

    Examples
    --------
    >>> table("messages")["data_types"][0]
    ['DT_FLOAT', 1, 0, 4]
    """
    text = resources.files(__name__).joinpath(f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text)
