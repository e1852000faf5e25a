"""Has a node the attributes that its operator declares, and do they say what its tensors say?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from s2sad.backends.ascend.checking.finding import INPUTS, Finding, Place
from s2sad.backends.ascend.datatypes import BY_ATTRIBUTE
from s2sad.backends.ascend.graph import DROPPED, Array, Attribute, whole
from s2sad.backends.ascend.prototypes import Declared

#: Attributes that any node may have: written by the engine, or for people.
COMMON = ("_", "ge_")
#: Attributes that say of which type the result is.
TYPE_OF_RESULT = {"Cast": "dst_type", "Bitcast": "type", "ArgMaxV2": "dtype", "ArgMin": "dtype"}
CONSTANTS = ("Const", "Constant")
WHY = {
    "None": ("it has no value", "set one of the fields of AttrDef"),
    "List": ("its val_type is not of what the list holds", "set val_type"),
    "Unknown": ("its value is of no kind that GE has", "set one of the fields of AttrDef"),
}


def _check_declared(place: Place) -> Iterator[Finding]:
    for declared in place.declared.attributes.values():
        given = place.node.attributes.get(declared.name)
        if given is None or given.kind in DROPPED:
            if declared.is_required:
                yield place.finding(
                    "attribute", f"{declared.name!r} is missing", "nothing is filled in for it"
                )
        elif not _is_kind(declared, given):
            what = f"{declared.name!r} is {given.kind}, {place.node.type} declares {declared.type}"
            yield place.finding("attribute", what)
        elif "Type" in given.kind and not _are_types(given):
            what = f"{declared.name!r} is {given.value}, which is no number of a type"
            yield place.finding("attribute", what, "attributes have the engine's own numbers")


def _is_kind(declared: Declared, given: Attribute) -> bool:
    return declared.type == given.kind or {declared.type, given.kind} == {"String", "Bytes"}


def _are_types(given: Attribute) -> bool:
    values = given.value if given.kind == "ListType" else [given.value]
    return all(value in BY_ATTRIBUTE for value in values)


def _check_given(place: Place) -> Iterator[Finding]:
    """What is given is read, and means something to the operator."""
    is_input = place.node.type in INPUTS
    for name, given in place.node.attributes.items():
        if given.kind in DROPPED:
            what, help = WHY[given.kind]
            yield place.finding("attribute", f"{name!r} is dropped: {what}", help)
        elif name in place.declared.attributes or name.startswith(COMMON):
            continue
        elif not (is_input and name == "index") and not _is_of_files(place, name):
            yield place.finding("attribute", f"{place.node.type} has no attribute {name!r}")
    for desc in (*place.node.input_descs, *place.node.output_descs):
        for name, given in desc.attributes.items():
            if given.kind in DROPPED:
                what, help = WHY[given.kind]
                yield place.finding(
                    "attribute", f"{name!r} of {desc.name!r} is dropped: {what}", help
                )


def _is_of_files(place: Place, name: str) -> bool:
    """Whether it says where the elements of a constant lie, outside of the file."""
    return place.node.type in CONSTANTS and name in ("location", "length", "offset")


def _check_constants(place: Place) -> Iterator[Finding]:
    if place.node.type not in CONSTANTS:
        return
    value = place.node.value("value")
    if not isinstance(value, Array):
        yield place.finding("constant", "it has no value")
        return
    size = value.desc.nbytes
    is_outside = "location" in {*place.node.attributes, *value.desc.attributes}
    if size is not None and size != len(value.data) and not is_outside:
        what = f"its value is {value.desc}, {size} bytes, and has {len(value.data)}"
        yield place.finding("constant", what)
    for desc in place.node.output_descs:
        if (desc.type, desc.shape) != (value.desc.type, value.desc.shape):
            yield place.finding("constant", f"it gives {desc}, its value is {value.desc}")


def _check_queue(place: Place) -> Iterator[Finding]:
    """What GetNext takes from a queue is what its attributes say."""
    node = place.node
    if node.type not in ("GetNext", "DynamicGetNext", "DynamicGetNextV2"):
        return
    if not node.value("channel_name"):
        yield place.finding("queue", "it names no channel", "set channel_name")
    count = whole(node.attributes, "output_num")
    if count is not None and count != len(node.output_descs):
        yield place.finding(
            "queue", f"output_num is {count}, and it gives {len(node.output_descs)} tensors"
        )
    types = node.attributes.get("output_types")
    if types is not None and types.kind == "ListType":
        found = [BY_ATTRIBUTE[n].name if n in BY_ATTRIBUTE else str(n) for n in types.value]
        given = [desc.type for desc in node.output_descs]
        if found != given:
            yield place.finding("queue", f"output_types are {found}, it gives {given}")
    shapes = node.attributes.get("output_shapes")
    if shapes is not None and shapes.kind == "ListListInt":
        given = [list(desc.shape) for desc in node.output_descs]
        if shapes.value != given:
            yield place.finding("queue", f"output_shapes are {shapes.value}, it gives {given}")


def _check_made(place: Place) -> Iterator[Finding]:
    """An attribute that says the type of the result has the engine's own number for it."""
    name = TYPE_OF_RESULT.get(place.node.type, "")
    given = place.node.attributes.get(name)
    if given is None or given.kind not in ("Int", "Type") or not place.node.output_descs:
        return
    made = place.node.output_descs[0].type
    said = BY_ATTRIBUTE[given.value].name if given.value in BY_ATTRIBUTE else str(given.value)
    if said != made:
        what = f"{name!r} is {given.value}, which is {said}, and it gives {made}"
        yield place.finding("attribute", what, "attributes have the engine's own numbers")


RULES: tuple[Callable[[Place], Iterator[Finding]], ...] = (
    _check_declared, _check_given, _check_made, _check_constants, _check_queue,
)  # fmt: skip
