"""How does one function take its arguments under other names?"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any


def renamed(name: str, function: Callable[..., Any], names: Mapping[str, str]) -> Callable:
    """`function` as `name`, with the arguments of `names` under other names, in the same order.

    Parameters
    ----------
    name : str
        What the function is called.
    function : callable
    names : dict of str to str
        The name of an argument of `function`, by that which is used instead.

    Examples
    --------
    >>> from s2sad import ops
    >>> cat = renamed("cat", ops.cat, {"dim": "axis"})
    >>> cat.__name__, str(inspect.signature(cat)).split(",")[1].split(":")[0]
    ('cat', ' dim')
    """

    def call(*args: Any, **given: Any) -> Any:
        return function(*args, **{names.get(key, key): item for key, item in given.items()})

    signature = inspect.signature(function)
    new = {theirs: ours for ours, theirs in names.items()}
    parameters = [
        each.replace(name=new.get(each.name, each.name)) for each in signature.parameters.values()
    ]
    call.__name__ = call.__qualname__ = name
    call.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__doc__ = f"`ops.{function.__name__}`, with the names of arguments that the signature has."
    return call
