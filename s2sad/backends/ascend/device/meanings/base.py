"""How is the meaning of an operator written?

A function takes the node, for its attributes, and the arrays of its inputs by port, narrow floats
as float32. It gives an array, or one for each output; of an operator that writes in place, what
each written input holds afterwards, by port. What comes out is rounded once to the type that the
node's descriptor names, as a kernel rounds what it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from s2sad.backends.ascend.graph import Node
from s2sad.backends.ascend.prototypes import prototype
from s2sad.core.diagnostics import fail

Arrays = Mapping[str, Any]
Meaning = Callable[[Node, Arrays], Any]

#: Meanings by the operator's type.
MEANINGS: dict[str, Meaning] = {}


def means(*types: str) -> Callable[[Meaning], Meaning]:
    """Register the meaning of the operators `types`."""

    def register(function: Meaning) -> Meaning:
        for type in types:
            prototype(type)  # a name that GE does not have is refused
            MEANINGS[type] = function
        return function

    return register


def table(types: Mapping[str, Callable[..., Any]]) -> None:
    """Register operators that apply a function to their inputs, in the order of the prototype."""
    for type, function in types.items():
        means(type)(_applied(function, [port.name for port in prototype(type).inputs]))


def _applied(function: Callable[..., Any], names: list[str]) -> Meaning:
    return lambda node, given: function(*(given[name] for name in names))


def option(node: Node, name: str) -> Any:
    """The value of an attribute; where the node does not say, the prototype's default.

    Examples
    --------
    >>> option(Node("relu", "LeakyRelu"), "negative_slope")
    0.0
    """
    return node.value(name, prototype(node.type).attributes[name].default)


def dynamic(given: Arrays, port: str) -> list[Any]:
    """The tensors of a dynamic port, in order."""
    found: list[Any] = []
    while f"{port}{len(found)}" in given:
        found.append(given[f"{port}{len(found)}"])
    return found


def ints(array: Any) -> tuple[int, ...]:
    """The numbers of an input that says sizes, axes or places."""
    return tuple(int(n) for n in np.ravel(array))


def only(node: Node, **expected: Any) -> None:
    """Refuse attributes with another value than is simulated (E0712)."""
    for name, value in expected.items():
        if option(node, name) != value:
            what = f"{name}={option(node, name)!r} of {node.type} is not simulated"
            raise fail("E0712", what, help=f"only {name}={value!r} is")
