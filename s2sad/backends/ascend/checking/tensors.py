"""Are types, shapes and formats of a node's tensors ones that its operator and its readers take?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from s2sad.backends.ascend.checking.finding import Finding, Place, exists
from s2sad.backends.ascend.checking.ports import sides
from s2sad.backends.ascend.datatypes import DATA_TYPES, FORMATS, UNDEFINED
from s2sad.backends.ascend.graph import Desc, whole
from s2sad.backends.ascend.prototypes import port_of

#: Bits of a format's number that say which it is; those above say more of it.
FORMAT_BITS = 0xFF


def _check_types(place: Place) -> Iterator[Finding]:
    chosen: dict[str, str] = {}
    for side, ports, descs in sides(place):
        for desc in descs:
            port = port_of(ports, desc.name)
            if desc.type not in DATA_TYPES:
                yield place.finding(
                    "type", f"the {side} {desc.name!r} has no type of GE: {desc.type}"
                )
            elif port is None:
                continue
            elif desc.type == UNDEFINED.name:
                if port.kind != "optional":
                    yield place.finding("type", f"the {side} {desc.name!r} has no type")
            elif not port.takes(desc.type):
                what = f"the {side} {desc.name!r} is {desc.type}, {place.node.type} declares "
                yield place.finding("type", what + ", ".join(sorted(port.types | port.wider)))
            elif port.variable and "(" not in port.variable and port.kind != "dynamic":
                first = chosen.setdefault(port.variable, desc.type)
                if first != desc.type:
                    what = f"ports of one type are {first} and {desc.type} ({port.variable})"
                    yield place.finding("type", what)


def _check_agreement(place: Place) -> Iterator[Finding]:
    """What a node says of its inputs is what those that make them say."""
    for edge, desc in zip(place.node.inputs, place.node.input_descs, strict=False):
        if edge is None or not exists(place.graph, edge):
            continue
        made = place.graph.nodes[edge.name].output_descs[edge.index]
        if made.type != desc.type and UNDEFINED.name not in (made.type, desc.type):
            what = f"it reads {edge} as {desc.type}, which is made as {made.type}"
            yield place.finding("type", what, "put a Cast between them")
        if not agree(made, desc):
            what = f"it reads {edge} as {list(desc.shape)}, which is made as {list(made.shape)}"
            yield place.finding("shape", what)


def agree(one: Desc, other: Desc) -> bool:
    """Whether two shapes may be of one tensor, as far as their sizes are known.

    Examples
    --------
    >>> agree(Desc(shape=(2, -1)), Desc(shape=(-1, 3))), agree(Desc(shape=(2,)), Desc(shape=(3,)))
    (True, False)
    """
    if (-2,) in (one.shape, other.shape):
        return True
    pairs = zip(one.shape, other.shape, strict=False)
    return len(one.shape) == len(other.shape) and all(n == m or -1 in (n, m) for n, m in pairs)


def _check_shapes(place: Place) -> Iterator[Finding]:
    for side, _, descs in sides(place):
        for desc in descs:
            if any(n < -2 for n in desc.shape) or (-2 in desc.shape and len(desc.shape) > 1):
                what = f"the {side} {desc.name!r} has the shape {list(desc.shape)}"
                yield place.finding(
                    "shape", what, "-1 is an unknown size, -2 alone an unknown rank"
                )


def _check_formats(place: Place) -> Iterator[Finding]:
    for side, _, descs in sides(place):
        for desc in descs:
            if desc.layout and desc.layout not in FORMATS:
                yield place.finding(
                    "format", f"the {side} {desc.name!r} has no format {desc.layout!r}"
                )
                continue
            number = whole(desc.attributes, "format_for_int")
            if "format_for_int" in desc.attributes and not _is_format(number, desc.layout):
                what = f"the {side} {desc.name!r} is {desc.layout or 'of no layout'}, "
                what += f"and its format_for_int {number}"
                yield place.finding("format", what, "the number wins over the word: leave it out")


def _is_format(number: int | None, layout: str) -> bool:
    if number is None:
        return False
    return any(
        found.number == number & FORMAT_BITS and layout in ("", found.layout)
        for found in FORMATS.values()
    )


RULES: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    _check_types, _check_agreement, _check_shapes, _check_formats,
)  # fmt: skip
