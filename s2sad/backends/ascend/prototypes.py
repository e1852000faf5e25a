"""How does GE declare its operators: ports, attributes and subgraphs, in which order?

The declarations are those of public headers; what a chip's kernels take of the types they name is
not known from them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from s2sad.backends.ascend.tables import table
from s2sad.core.diagnostics import did_you_mean, fail


class Port(NamedTuple):
    """An input or output of an operator.

    Attributes
    ----------
    name : str
    kind : {"required", "optional", "dynamic"}
        A dynamic port stands for any number of tensors, named ``x0``, ``x1``, and so on.
    types : frozenset of str
        Data types that it takes; empty where only `variable` limits them.
    wider : frozenset of str
        Types that a later declaration adds.
    variable : str
        Ports of one variable have one type; "" for none.
    """

    name: str
    kind: str
    types: frozenset[str]
    wider: frozenset[str]
    variable: str

    def takes(self, type: str) -> bool:
        """Whether some declaration names `type` for it."""
        taken = self.types | self.wider
        return not taken or type in taken


class Declared(NamedTuple):
    """An attribute of an operator.

    Attributes
    ----------
    name : str
    type : str
        ``"Int"``, ``"ListInt"``, ``"Type"`` and so on.
    is_required : bool
        GE fills in no other value then.
    default : object
        None where there is none, or none that a file can hold.
    """

    name: str
    type: str
    is_required: bool
    default: Any


class Prototype(NamedTuple):
    """An operator as it is declared.

    Attributes
    ----------
    type : str
    inputs, outputs : tuple of Port
    attributes : dict of Declared, by name
    graphs : tuple of (str, str)
        Name and kind of the subgraphs that it calls, in order.
    variables : dict
        Types that each type variable may stand for, where that is declared.
    source : str
        Which of the table's sources declares it.
    """

    type: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    attributes: dict[str, Declared]
    graphs: tuple[tuple[str, str], ...]
    variables: dict[str, frozenset[str]]
    source: str


#: The engine knows these, but only NetOutput is for those who write graphs.
ENGINE_ONLY = frozenset(table("operators")["without_prototype"])
NET_OUTPUT = Prototype(
    "NetOutput", (Port("input", "dynamic", frozenset(), frozenset(), ""),), (), {}, (), {}, "engine"
)


@cache
def prototype(type: str) -> Prototype:
    """The declaration of an operator; E0901 for a name that GE does not have.

    Examples
    --------
    >>> found = prototype("MatMulV2")
    >>> [(port.name, port.kind) for port in found.inputs]
    [('x1', 'required'), ('x2', 'required'), ('bias', 'optional'), ('offset_w', 'optional')]
    >>> found.attributes["transpose_x1"].default
    False
    """
    found = find(type)
    if found is None:
        raise fail("E0901", f"GE has no operator {type!r}", help=near(type))
    return found


@cache
def find(type: str) -> Prototype | None:
    """The declaration of an operator, if there is one."""
    if type == NET_OUTPUT.type:
        return NET_OUTPUT
    entry = table("operators")["operators"].get(type)
    return None if entry is None else _read(type, entry)


def is_numbered(name: str, port: str) -> bool:
    """Whether `name` is one of those that the dynamic port stands for."""
    return name.startswith(port) and name[len(port) :].isdigit()


def port_of(ports: tuple[Port, ...], name: str) -> Port | None:
    """The port that a tensor of a node is of."""
    for port in ports:
        if port.name == name or (port.kind == "dynamic" and is_numbered(name, port.name)):
            return port
    return None


def near(type: str) -> str | None:
    """Which operator may have been meant."""
    return did_you_mean(type, table("operators")["operators"])


def _read(type: str, entry: dict[str, Any]) -> Prototype:
    return Prototype(
        type,
        tuple(map(_port, entry["inputs"])),
        tuple(map(_port, entry["outputs"])),
        {row[0]: Declared(*row) for row in entry["attributes"]},
        tuple((name, kind) for name, kind in entry.get("graphs", ())),
        {name: _types(number) for name, number in entry.get("variables", {}).items()},
        entry["source"],
    )


def _port(row: list[Any]) -> Port:
    name, kind, types, wider, variable = row
    return Port(name, kind, _types(types), _types(wider), variable)


@cache
def _types(number: int) -> frozenset[str]:
    return frozenset(table("operators")["type_sets"][number])
