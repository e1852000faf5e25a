"""Graph files: what is written is read back, and is on the wire what GE's reader looks for."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from s2sad.backends.ascend import tables
from s2sad.backends.ascend.building import GraphBuilder
from s2sad.backends.ascend.checking import check
from s2sad.backends.ascend.datatypes import BY_ATTRIBUTE, BY_NUMBER, DATA_TYPES
from s2sad.backends.ascend.decoding import decode
from s2sad.backends.ascend.encoding import encode
from s2sad.backends.ascend.graph import Array, Attribute, Desc, Edge, Graph, Model, Node
from s2sad.backends.ascend.prototypes import find, prototype
from s2sad.backends.ascend.text import as_text
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError

VECTOR = Desc("DT_FLOAT", (2, 3))

ATTRIBUTES = {
    "i": Attribute("Int", -(2**62)), "f": Attribute("Float", 0.25), "b": Attribute("Bool", False),
    "s": Attribute("String", "größe"), "bt": Attribute("Bytes", b"\x00\xff"),
    "dt": Attribute("Type", 27), "t": Attribute("Tensor", Array(VECTOR, bytes(24))),
    "td": Attribute("TensorDesc", VECTOR), "none": Attribute("None", None),
    "func": Attribute("NamedAttrs", ("name", {"x": Attribute("Int", 3)})),
    "g": Attribute("Graph", Graph("inner", {"a": Node("a", "Add")})),
    "li": Attribute("ListInt", [1, -1]), "lf": Attribute("ListFloat", [0.5]),
    "lb": Attribute("ListBool", [True, False]), "ls": Attribute("ListString", ["a", ""]),
    "ldt": Attribute("ListType", [0, 3]), "lt": Attribute("ListTensor", [Array(VECTOR, b"12")]),
    "lbt": Attribute("ListBytes", [b"1"]), "empty": Attribute("ListInt", []),
    "lli": Attribute("ListListInt", [[1, 2], []]), "llf": Attribute("ListListFloat", [[0.5]]),
    "no rows": Attribute("ListListInt", []),
}  # fmt: skip


def net():
    builder = GraphBuilder("root")
    x = builder.data(VECTOR)
    w = builder.data(VECTOR, name="w", kind="RefData")
    two = builder.constant(np.float32(2.0), dtypes.float32)
    y = builder.node("Mul", {"x1": x, "x2": two}, [VECTOR])
    z = builder.node("ConcatD", {"x": [y, x]}, [Desc("DT_FLOAT", (4, 3))], {"concat_dim": 0})
    moments = builder.node("Assign", {"ref": w, "value": y}, [VECTOR], after=[z.name])
    builder.net_output([z, moments])
    return Model("net", {"root": builder.graph}, dict(ATTRIBUTES))


def test_a_model_is_read_back_as_it_was_written():
    model = net()
    model.graphs["root"].nodes["Mul"].attributes.update(ATTRIBUTES)
    model.graphs["root"].nodes["Mul"].input_descs[0].attributes["origin"] = Attribute("Int", 1)
    assert decode(encode(model)) == model
    assert encode(decode(encode(model))) == encode(model)


def test_a_net_that_is_built_has_no_findings():
    model = net()
    model.attributes.clear()
    assert check(decode(encode(model))) == []


def fields(data):
    """Fields of a message by number, read by the rules of the wire format and nothing else."""
    found, place = {}, 0

    def varint():
        nonlocal place
        number = shift = 0
        while True:
            byte = data[place]
            place += 1
            number |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return number

    while place < len(data):
        key = varint()
        if key & 7 == 0:
            value = varint()
        elif key & 7 == 5:
            value, place = data[place : place + 4], place + 4
        else:
            assert key & 7 == 2
            size = varint()
            value, place = data[place : place + size], place + size
        found.setdefault(key >> 3, []).append(value)
    return found


def attribute(op, name):
    for entry in fields(op)[10]:
        key, value = (fields(entry)[n][0] for n in (1, 2))
        if key == name.encode():
            return fields(value)
    raise AssertionError(name)


def test_the_numbers_on_the_wire_are_those_of_the_engine():
    model = fields(encode(net()))
    assert model[1] == [b"net"]
    (graph,) = model[7]
    assert fields(graph)[1] == [b"root"]
    ops = {fields(op)[1][0].decode(): op for op in fields(graph)[6]}
    mul = fields(ops["Mul"])
    assert (mul[2], mul[5], mul[21]) == ([b"Mul"], [b"data_0:0", b"const:0"], [3])
    desc = fields(mul[33][0])
    assert (desc[1], desc[2], desc[4]) == ([b"x1"], [1], [b"ND"])  # DT_FLOAT is 1 in descriptors
    assert fields(desc[3][0])[1] == [bytes([2, 3])]
    assert "root" not in ops and fields(ops["w"])[2] == [b"RefData"]
    names = fields(attribute(ops["Mul"], "_input_name_key")[1][0])
    assert names[2] == [b"x1", b"x2"] and names[20] == [1]  # a list says of which kind it is
    places = fields(attribute(ops["Mul"], "_input_name_value")[1][0])
    assert places[3] == [bytes([0, 1])] and places[20] == [2]
    value = fields(attribute(ops["const"], "value")[12][0])
    assert value[2] == [struct.pack("<f", 2.0)]
    assert fields(ops["Assign"])[5] == [b"w:0", b"Mul:0", b"ConcatD:-1"]  # -1: order only
    assert attribute(ops["ConcatD"], "concat_dim")[3] == [0]


def test_types_have_one_number_in_descriptors_and_another_in_attributes():
    assert len(BY_NUMBER) == len(BY_ATTRIBUTE) == len(DATA_TYPES)
    numbers = {
        name: DATA_TYPES[name][1:3] for name in ("DT_FLOAT", "DT_INT64", "DT_BOOL", "DT_BF16")
    }
    assert numbers == {
        "DT_FLOAT": (1, 0), "DT_INT64": (8, 9), "DT_BOOL": (11, 12), "DT_BF16": (27, 27)
    }  # fmt: skip


def test_an_optional_input_that_is_left_out_keeps_its_place():
    builder = GraphBuilder("root")
    x, y = builder.data(VECTOR), builder.data(VECTOR)
    offset = builder.data(Desc("DT_INT8", (3,)))
    edge = builder.node(
        "MatMulV2", {"x1": x, "x2": y, "offset_w": offset}, [Desc("DT_FLOAT", (2, 2))],
        {"transpose_x2": True},
    )  # fmt: skip
    short = builder.node("MatMulV2", {"x1": x, "x2": y}, [Desc("DT_FLOAT", (2, 2))])
    builder.net_output([edge, short])
    node = builder.graph.nodes[edge.name]
    assert [d.name for d in node.input_descs] == ["x1", "x2", "bias", "offset_w"]
    assert node.inputs[2] is None and node.input_descs[2].type == "DT_UNDEFINED"
    assert [d.name for d in builder.graph.nodes[short.name].input_descs] == ["x1", "x2"]
    assert check(decode(encode(Model("net", {"root": builder.graph})))) == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("Add", {"x1": Edge("data_0")}, [VECTOR]), "needs its input 'x2'"),
        (("Relu", {"y": Edge("data_0")}, [VECTOR]), "no input 'y'"),
        (("Relu", {"x": Edge("data_0")}, []), "1 outputs"),
        (("Cast", {"x": Edge("data_0")}, [VECTOR]), "needs its attribute 'dst_type'"),
        (("Relu", {"x": Edge("data_0")}, [VECTOR], {"slope": 1}), "no attribute 'slope'"),
        (("Softmax", {"x": Edge("data_0")}, [VECTOR]), "no operator 'Softmax'"),
    ],
)
def test_what_does_not_fit_a_prototype_is_not_built(given, message):
    builder = GraphBuilder("root")
    builder.data(VECTOR)
    with pytest.raises(S2sadError, match=message):
        builder.node(*given)


def test_the_table_of_operators_is_whole():
    assert len(tables.table("operators")["operators"]) == 1979
    assert find("Softmax") is None and find("NetOutput") is not None
    bn = prototype("BNTrainingUpdate")
    assert [port.name for port in bn.outputs] == [
        "y", "mean", "variance", "batch_mean", "batch_variance"
    ]  # fmt: skip
    assert [name for name, _ in prototype("While").graphs] == ["cond", "body"]


@pytest.mark.parametrize("data", [b"", b"nothing of the kind", b"\x3a\x05", encode(net())[:-3]])
def test_bytes_that_are_no_graph_file(data):
    with pytest.raises(S2sadError, match="E0609"):
        decode(data)


def test_the_text_shows_what_a_file_holds():
    text = as_text(net())
    for line in ("Mul(x1=data_0, x2=const)", ": float[4, 3]", "concat_dim=0", "value=[2]",
                 "NetOutput(input0=ConcatD, input1=Assign)", "after ConcatD"):  # fmt: skip
        assert line in text
    assert "_name_key" not in text
