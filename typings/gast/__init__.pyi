"""gast builds its classes while it is imported, so there is nothing to check against."""

from typing import Any

def __getattr__(name: str) -> Any: ...
