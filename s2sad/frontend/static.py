"""What does Python itself make of what is known while compiling?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from s2sad.core.diagnostics import S2sadError, fail, note_raised


def as_python(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``function(*args, **kwargs)``; what it raises is the program's, and gets the place as a note.

    >>> as_python(divmod, 7, 2)
    (3, 1)
    """
    try:
        return function(*args, **kwargs)
    except S2sadError:
        raise
    except Exception as error:
        note_raised(error)
        raise


def item(owner: Any, key: Any) -> Any:
    """``owner[key]`` of a static object.

    Raises
    ------
    S2sadError
        E0501 beyond the end of a sequence.
    """
    if isinstance(owner, (tuple, list, str, range)) and isinstance(key, int):
        count = len(owner)
        if not -count <= key < count:
            kind = type(owner).__name__
            raise fail("E0501", f"index {key} is out of range for a {kind} of {count} items")
    return as_python(operator.getitem, owner, key)
