"""Is each kind of fault in a graph file found, and located, and does none end in a crash?"""

from __future__ import annotations

import json
import random
import re
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
import s2sad.tools
from s2sad.backends.ascend.building import GraphBuilder
from s2sad.backends.ascend.checking import check, require
from s2sad.backends.ascend.decoding import decode, read_model
from s2sad.backends.ascend.encoding import LARGEST, encode
from s2sad.backends.ascend.graph import Array, Attribute, Desc, Model
from s2sad.backends.ascend.schema import message
from s2sad.backends.ascend.text import as_text
from s2sad.core.diagnostics import S2sadError
from s2sad.tools.cli import main
from support.graph_files import lowered, train_step


@cache
def step() -> bytes:
    """The file of a step of training."""
    images = ms.Tensor(np.zeros((2, 1, 8, 8), np.float32))
    return encode(lowered(train_step(), images, ms.Tensor([0, 1], ms.int32))[1])


@cache
def loop() -> bytes:
    """A file of four graphs and more: a loop that counts, and a branch in a loop."""

    def run(x, n, w):
        for i in range(n):
            x = x * w + i
        while x.sum() < 10:
            x = x + w if x[0] > 1 else x * 2
        return x

    args = (ms.Tensor([0.5, 1.0]), ms.Tensor(3), ms.Tensor([2.0, 2.0]))
    return encode(lowered(run, *args)[1])


@cache
def queue() -> bytes:
    """A file whose graph takes its input from a queue, and pads with an optional input."""
    builder = GraphBuilder("root")
    options = {"output_types": [0], "output_shapes": [[2, 3]], "output_num": 1,
               "channel_name": "rows"}  # fmt: skip
    x = builder.node("GetNext", {}, [Desc("DT_FLOAT", (2, 3))], options)
    w = builder.data(Desc("DT_FLOAT", (3, 3)), name="w", kind="RefData")
    shift = builder.data(Desc("DT_INT8", (3,)), name="shift")
    y = builder.node("MatMulV2", {"x1": x, "x2": w, "offset_w": shift}, [Desc("DT_FLOAT", (2, 3))])
    both = [Desc("DT_FLOAT", (1, 3))] * 2
    parts = builder.node("Split", {"split_dim": builder.constant(np.int32(0), ms.int32), "x": y},
        both, {"num_split": 2})  # fmt: skip
    zero = builder.constant(np.zeros((3, 3), np.float32), ms.float32)
    written = builder.node("Assign", {"ref": w, "value": zero}, [Desc("DT_FLOAT", (3, 3))],
        after=[y.name])  # fmt: skip
    builder.net_output([parts], after=[written.name])
    return encode(Model("net", {"root": builder.graph}))


def op(model, kind, graph="root"):
    """The first node of a kind."""
    (found,) = [each for each in model.graph if each.name == graph]
    return next(each for each in found.op if each.type == kind)


def graph_of(model, name="root"):
    return next(each for each in model.graph if each.name == name)


FAULTS: list[tuple[str, Callable, str, str, str, Callable]] = []


def fault(rule, where, text, of=step):
    """A fault that the decorated function plants, what finds it, where, and how that reads."""

    def register(plant):
        FAULTS.append((plant.__name__, of, rule, where, text, plant))
        return plant

    return register


@fault("operator", "MatMulV2", "no operator 'Softmax'", of=queue)
def unknown_operator(m):
    op(m, "MatMulV2").type = "Softmax"


@fault("operator", "Label", "no operator 'LabelSet'", of=queue)
def operator_of_the_engine(m):
    graph_of(m).op.add(name="Label", type="LabelSet")


@fault("name", "input_0", "two nodes are called")
def twin_nodes(m):
    graph_of(m).op.add().CopyFrom(op(m, "Data"))


@fault("name", "root", "two graphs are called")
def twin_graphs(m):
    m.graph.add().CopyFrom(graph_of(m))


@fault("name", "", "has no name", of=queue)
def node_without_a_name(m):
    node = op(m, "Split")
    node.name = ""


@fault("name", "?", "has no name", of=queue)
def graph_without_a_name(m):
    m.graph[0].name = ""


@fault("data-index", "input_1", "its index is 40, and the graph has 17 inputs")
def gap_among_inputs(m):
    graph_of(m).op[1].attr["index"].i = 40


@fault("data-index", "input_1", "its index is 0, as that of 'input_0'")
def inputs_of_one_index(m):
    graph_of(m).op[1].attr["index"].i = 0


@fault("data-index", "input_1", "has no index")
def input_without_index(m):
    del graph_of(m).op[1].attr["index"]


@fault("edge", "MatMulV2", "but it has 1 outputs", of=queue)
def output_that_is_not_made(m):
    op(m, "MatMulV2").input[0] = "GetNext:1"


@fault("edge", "MatMulV2", "no node of its graph has that name", of=queue)
def node_that_is_not_there(m):
    op(m, "MatMulV2").input[0] = "gone:0"


@fault("edge", "net_output", "reads 3 tensors, and describes 1")
def edge_beyond_what_is_described(m):
    op(m, "NetOutput").input.extend(["input_0:0", "input_1:0"])


@fault("edge", "Assign", "comes after 'gone'", of=queue)
def order_behind_nothing(m):
    op(m, "Assign").input.append("gone:-1")


@fault("edge", "root", "GraphDef.output is gone:0")
def result_that_is_not_made(m):
    graph_of(m).output.append("gone:0")


@fault("edge", "root", "GraphDef.input names gone:0")
def input_that_is_not_there(m):
    graph_of(m).input.append("gone:0")


@fault("net-output", "root", "it gives nothing", of=queue)
def no_results(m):
    graph = graph_of(m)
    kept = [each for each in graph.op if each.type != "NetOutput"]
    del graph.op[:]
    graph.op.extend(kept)


@fault("net-output", "net_output", "other tensors than GraphDef.output", of=queue)
def two_lists_of_results(m):
    graph_of(m).output.append("w:0")


@fault("net-output", "second", "of type NetOutput as well", of=queue)
def two_ends(m):
    other = graph_of(m).op.add()
    other.CopyFrom(op(m, "NetOutput"))
    other.name = "second"


@fault("cycle", "MatMulV2", "waits for what waits for it", of=queue)
def circle(m):
    op(m, "MatMulV2").input.append("Split:-1")


@fault("port", "MatMulV2", "['x2', 'x1', 'bias', 'offset_w'], MatMulV2 declares", of=queue)
def ports_out_of_order(m):
    one, other = op(m, "MatMulV2").input_desc[:2]
    one.name, other.name = other.name, one.name


@fault("port", "GetNext", "its outputs are ['y1']", of=queue)
def dynamic_port_that_skips_a_number(m):
    op(m, "GetNext").output_desc[0].name = "y1"


@fault("port", "MatMulV2", "its outputs are []", of=queue)
def output_left_out(m):
    del op(m, "MatMulV2").output_desc[:]


@fault("port-names", "MatMulV2", "its inputs is []", of=queue)
def table_of_ports_left_out(m):
    del op(m, "MatMulV2").attr["_input_name_key"]


@fault("port-names", "MatMulV2", "its inputs is [('x1', 1), ('x2', 0)", of=queue)
def table_of_ports_with_wrong_places(m):
    op(m, "MatMulV2").attr["_input_name_value"].list.i[:2] = [1, 0]


@fault("port-names", "MatMulV2", "its outputs is ['z']", of=queue)
def table_of_ports_with_wrong_names(m):
    op(m, "MatMulV2").attr["_output_name_key"].list.s[0] = b"z"


@fault("input", "MatMulV2", "nothing is read by its input 'x2'", of=queue)
def required_input_left_out(m):
    op(m, "MatMulV2").input[1] = ""


@fault("optional", "MatMulV2", "'bias' is left out without saying so", of=queue)
def optional_input_that_says_nothing(m):
    del op(m, "MatMulV2").input_desc[2].attr["_is_unfed_optional"]


@fault("optional", "MatMulV2", "'bias' is left out without saying so", of=queue)
def optional_input_with_a_type(m):
    op(m, "MatMulV2").input_desc[2].dtype = 1


@fault("type", "Conv2D", "the input 'x' is DT_STRING, Conv2D declares")
def type_that_the_operator_does_not_take(m):
    op(m, "Conv2D").input_desc[0].dtype = 13


@fault("type", "Conv2D", "has no type of GE: 99")
def type_that_is_none(m):
    op(m, "Conv2D").input_desc[0].dtype = 99


@fault("type", "Conv2D", "the output 'y' has no type")
def type_left_out(m):
    op(m, "Conv2D").output_desc[0].dtype = 0


@fault("type", "MatMulV2", "reads GetNext:0 as DT_FLOAT16, which is made as DT_FLOAT", of=queue)
def type_that_is_not_what_is_made(m):
    op(m, "MatMulV2").input_desc[0].dtype = 2


@fault("shape", "MatMulV2", "reads GetNext:0 as [2, 4], which is made as [2, 3]", of=queue)
def shape_that_is_not_what_is_made(m):
    op(m, "MatMulV2").input_desc[0].shape.dim[1] = 4


@fault("shape", "MatMulV2", "has the shape [-3, 3]", of=queue)
def size_below_what_is_unknown(m):
    op(m, "MatMulV2").output_desc[0].shape.dim[0] = -3


@fault("shape", "MatMulV2", "has the shape [2, -2]", of=queue)
def unknown_rank_among_sizes(m):
    op(m, "MatMulV2").output_desc[0].shape.dim[1] = -2


@fault("format", "Conv2D", "the input 'x' has no format 'NWHC'")
def format_that_is_none(m):
    op(m, "Conv2D").input_desc[0].layout = "NWHC"


@fault("format", "Conv2D", "the input 'x' is NCHW, and its format_for_int 1")
def format_that_another_wins_over(m):
    op(m, "Conv2D").input_desc[0].attr["format_for_int"].i = 1


@fault("attribute", "Conv2D", "'strides' is missing")
def required_attribute_left_out(m):
    del op(m, "Conv2D").attr["strides"]


@fault("attribute", "Conv2D", "'strides' is dropped: its val_type")
def list_that_does_not_say_its_kind(m):
    op(m, "Conv2D").attr["strides"].list.val_type = 0


@fault("attribute", "Conv2D", "'strides' is dropped: its val_type")
def list_of_another_kind_than_it_says(m):
    op(m, "Conv2D").attr["strides"].list.val_type = 3


@fault("attribute", "Conv2D", "'groups' is dropped: it has no value")
def attribute_without_value(m):
    op(m, "Conv2D").attr["groups"].ClearField("i")


@fault("attribute", "Conv2D", "'groups' is dropped: its value is of no kind")
def attribute_of_unknown_kind(m):
    op(m, "Conv2D").attr["groups"].ParseFromString(bytes.fromhex("f80201"))


@fault("attribute", "Conv2D", "'groups' is Float, Conv2D declares Int")
def attribute_of_another_kind(m):
    op(m, "Conv2D").attr["groups"].f = 1.0


@fault("attribute", "Conv2D", "Conv2D has no attribute 'group'")
def attribute_that_the_operator_has_not(m):
    op(m, "Conv2D").attr["group"].i = 1


@fault("attribute", "Cast", "'dst_type' is Type, Cast declares Int")
def number_of_a_type_as_a_type(m):
    op(m, "Cast").attr["dst_type"].dt = 0


@fault("attribute", "Cast", "'dst_type' is 8, which is DT_UINT32, and it gives DT_INT64")
def number_of_a_type_in_descriptors(m):
    node = op(m, "Cast")
    node.attr["dst_type"].i = node.output_desc[0].dtype


@fault("attribute", "MatMulV2", "'_is_unfed_optional' of 'bias' is dropped", of=queue)
def attribute_of_a_tensor_without_value(m):
    op(m, "MatMulV2").input_desc[2].attr["_is_unfed_optional"].ClearField("i")


@fault("constant", "const", "12 bytes, and has 11")
def constant_that_is_cut_off(m):
    value = next(x.attr["value"].t for x in graph_of(m).op if x.name == "const")
    value.data = value.data[:-1]


@fault("constant", "const", "it gives float[3], its value is float[1]")
def constant_of_another_shape(m):
    value = next(x.attr["value"].t for x in graph_of(m).op if x.name == "const")
    value.desc.shape.dim[0], value.data = 1, value.data[:4]


@fault("constant", "const", "it has no value")
def constant_of_nothing(m):
    del op(m, "Const").attr["value"]


@fault("queue", "GetNext", "output_num is 2, and it gives 1", of=queue)
def queue_of_more_than_is_given(m):
    op(m, "GetNext").attr["output_num"].i = 2


@fault("queue", "GetNext", "output_types are ['DT_INT32'], it gives ['DT_FLOAT']", of=queue)
def queue_of_other_types(m):
    op(m, "GetNext").attr["output_types"].list.dt[0] = 3


@fault("attribute", "GetNext", "'output_types' is [99]", of=queue)
def queue_of_no_types(m):
    op(m, "GetNext").attr["output_types"].list.dt[0] = 99


@fault("queue", "GetNext", "output_shapes are [[2, 2]], it gives [[2, 3]]", of=queue)
def queue_of_other_shapes(m):
    op(m, "GetNext").attr["output_shapes"].list_list_int.list_list_i[0].list_i[1] = 2


@fault("queue", "GetNext", "it names no channel", of=queue)
def queue_without_a_name(m):
    op(m, "GetNext").attr["channel_name"].s = b""


@fault("state", "Assign", "writes 'ref' in place, which is Data 'w'", of=queue)
def input_that_is_written(m):
    op(m, "RefData").type = "Data"


@fault("state", "Assign", "writes 'ref' in place, which is MatMulV2", of=queue)
def result_that_is_written(m):
    op(m, "Assign").input[0] = "MatMulV2:0"


@fault("order", "MatMulV2", "reads 'w', which 'Assign' writes, in no order", of=queue)
def state_that_is_read_and_written_in_no_order(m):
    kept = [x for x in op(m, "Assign").input if not x.endswith(":-1")]
    op(m, "Assign").input[:] = kept


@fault("state", "w", "which is the same memory, is another tensor", of=queue)
def variables_of_one_name(m):
    op(m, "RefData").type = "Variable"
    other = m.graph.add(name="init")
    other.op.add().CopyFrom(op(m, "Variable"))
    other.op[0].output_desc[0].shape.dim[0] = 7
    other.output.append("w:0")


@fault("subgraph", "init", "no node that runs calls it", of=queue)
def graph_that_nothing_calls(m):
    other = m.graph.add(name="init")
    other.CopyFrom(m.graph[0])
    other.name = "init"


@fault("subgraph", "While", "calls 'gone', which the file does not have", of=loop)
def call_of_nothing(m):
    op(m, "While").subgraph_name[0] = "gone"


@fault("subgraph", "While", "calls 'root', which is the root", of=loop)
def call_of_the_root(m):
    op(m, "While").subgraph_name[0] = "root"


@fault("subgraph", "While", "calls 1 graphs, its prototype has ['cond', 'body']", of=loop)
def call_of_too_few(m):
    del op(m, "While").subgraph_name[1]


@fault("subgraph", "While", "is called by root/While as well", of=loop)
def graph_that_is_called_twice(m):
    name = op(m, "While").subgraph_name[0]
    op(m, "While").subgraph_name[1] = name


@fault("subgraph", "While", "gives 2 results, not 1", of=loop)
def condition_of_two_values(m):
    end = op(m, "NetOutput", op(m, "While").subgraph_name[0])
    end.input.append(end.input[0])
    end.input_desc.add().CopyFrom(end.input_desc[0])


@fault("subgraph", "While", "takes 4 inputs, 5 are given", of=loop)
def input_that_the_body_does_not_take(m):
    graph = graph_of(m, op(m, "While").subgraph_name[1])
    last = [x for x in graph.op if x.type == "Data"][-1]
    last.type = "Const"


@fault("subgraph", "data_0", "it is int32[], and int64[] is given", of=loop)
def input_of_another_type_in_a_body(m):
    node = op(m, "Data", op(m, "While").subgraph_name[1])
    node.output_desc[0].dtype = 7


@fault("subgraph", "While", "gives 4", of=loop)
def while_that_gives_less_than_it_takes(m):
    del op(m, "While").output_desc[4]


@fault("subgraph", "data_1", "has no _parent_node_index, and others", of=loop)
def parents_of_some(m):
    op(m, "Data", op(m, "While").subgraph_name[1]).attr["_parent_node_index"].i = 0


@fault("subgraph", "data_1", "its _parent_node_index is 0, again", of=loop)
def parents_that_are_one(m):
    graph = graph_of(m, op(m, "While").subgraph_name[1])
    for node in graph.op:
        if node.type == "Data":
            node.attr["_parent_node_index"].i = 0


@pytest.mark.parametrize("name", [name for name, *_ in FAULTS])
def test_a_planted_fault_is_found_where_it_is(name):
    _, of, rule, where, text, plant = next(each for each in FAULTS if each[0] == name)
    model = message("ModelDef")()
    model.ParseFromString(of())
    plant(model)
    found = check(decode(model.SerializeToString(), keeps_twins=True))
    assert any(
        each.rule == rule and each.where.endswith(where) and text in str(each) for each in found
    ), "\n".join(map(str, found))


def test_every_rule_that_its_page_names_has_a_fault():
    """That of sizes has a test of its own: no fault in a file of some kilobytes breaks it."""
    page = Path(s2sad.tools.__file__).with_name("errors") / "E0610.md"
    rows = re.findall(r"^\| (`.*`) \|", page.read_text("utf-8"), re.MULTILINE)
    rules = {rule for row in rows for rule in re.findall("`(.*?)`", row)}
    assert len(rules) == 20
    assert rules - {"size"} == {rule for _, _, rule, *_ in FAULTS}


@pytest.mark.parametrize("of", [step, loop, queue])
def test_files_without_faults_have_no_findings(of):
    assert check(decode(of(), keeps_twins=True)) == []


def test_what_is_said_twice_is_refused_for_use():
    for plant in (twin_nodes, twin_graphs):
        model = message("ModelDef")()
        model.ParseFromString(step())
        plant(model)
        with pytest.raises(S2sadError, match="E0609.*two (nodes|graphs)"):
            decode(model.SerializeToString())


def test_what_is_dropped_is_written_as_it_was_read():
    model = decode(queue())
    dropped = {"a": Attribute("None", None), "b": Attribute("List", None)}
    model.root.nodes["Split"].attributes.update(dropped)
    assert decode(encode(model)) == model


class Large(bytes):
    """As many bytes as it says, none of them there."""

    def __len__(self):
        return LARGEST


def test_constants_of_two_gibibytes():
    model = decode(queue())
    for node in model.root.of_type("Const"):
        node.attributes["value"] = Attribute("Tensor", Array(Desc("DT_INT8", (LARGEST,)), Large()))
    (found,) = [each for each in check(model) if each.rule == "size"]
    assert "4,294,967,294 bytes" in found.what


def test_an_error_lists_what_was_found():
    model = message("ModelDef")()
    model.ParseFromString(queue())
    for node in model.graph[0].op:
        node.type = "Gone"
    with pytest.raises(S2sadError, match=r"(?s)E0610.*root/GetNext: GE has no.*root/shift"):
        require(decode(model.SerializeToString()))


# ---- files that are damaged ---------------------------------------------------------------------


def damaged(seed: int) -> bytes:
    """A file with a few bytes, or fields, that are not as they were."""
    rng = random.Random(seed)
    data = bytearray(rng.choice((step, loop, queue))())
    kind = seed % 4
    if kind == 0:
        for _ in range(rng.randint(1, 8)):
            data[rng.randrange(len(data))] = rng.randrange(256)
    elif kind == 1:
        del data[rng.randrange(len(data)) :]
    elif kind == 2:
        at = rng.randrange(len(data))
        data[at:at] = rng.randbytes(rng.randint(1, 12))
    else:
        return _edited(bytes(data), rng)
    return bytes(data)


def _edited(data: bytes, rng: random.Random) -> bytes:
    """The file with fields that hold other values of their kind, or none."""
    model = message("ModelDef")()
    model.ParseFromString(data)
    for _ in range(rng.randint(1, 5)):
        _edit(rng.choice(rng.choice(model.graph).op), rng)
    return model.SerializeToString()


NUMBERS = (-(2**63), -2, -1, 0, 1, 2**31, 2**63 - 1)
TEXTS = ("", ":", "a:1:-1", "x:99999999999999999999", "größe", "\0", "net_output:0", "x:١")


def _edit(message, rng):
    """Change a field of a message, or of one inside of it."""
    fields = message.ListFields()
    if not fields:
        return
    field, value = rng.choice(fields)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        key = rng.choice(sorted(value))
        if rng.random() < 0.2:
            del value[key]
        else:
            _edit(value[key], rng)
        return
    is_many = not isinstance(value, (int, float, str, bytes)) and hasattr(value, "append")
    if is_many and value and rng.random() < 0.3:
        del value[rng.randrange(len(value))]
    elif field.message_type is not None:
        _edit(rng.choice(value) if is_many else value, rng)
    elif is_many:
        value[rng.randrange(len(value))] = _other(value[0], rng)
    elif field.enum_type is not None:
        setattr(message, field.name, rng.choice((0, 1, 99, 2**31 - 1)))
    else:
        setattr(message, field.name, _other(value, rng))


def _other(value, rng):
    kinds = {bool: (True, False), float: (0.0, float("nan"), -1e38), str: TEXTS}
    if isinstance(value, bytes):
        return rng.randbytes(rng.randrange(9))
    if isinstance(value, int) and not isinstance(value, bool):
        return rng.choice(NUMBERS)
    return rng.choice(kinds[type(value)])


def looked_at(data: bytes) -> str:
    """What reading and checking a file says of it."""
    try:
        model = decode(data, keeps_twins=True)
    except S2sadError as error:
        assert error.code == "E0609" and str(error).strip()
        return "refused"
    as_text(model)
    return "found" if check(model) else "good"


def peak(data: bytes) -> int:
    """Bytes that Python's objects take at most while a file is looked at."""
    tracemalloc.start()
    looked_at(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def test_damaged_files_are_refused_or_checked():
    said = [looked_at(damaged(seed)) for seed in range(200)]
    assert said.count("refused") >= 40 and said.count("found") >= 40


def test_damaged_files_take_no_more_memory_than_twice_that_of_a_good_one():
    looked_at(step())  # tables are read once
    most = max(map(peak, (step(), loop(), queue())))
    assert all(peak(damaged(seed)) <= 2 * most for seed in range(0, 200, 5))


# ---- the command --------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path: Path, monkeypatch):
    """Write bytes to a file of a name in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def write(name: str, data: bytes) -> str:
        Path(name).write_bytes(data)
        return name

    return write


def without_strides() -> bytes:
    model = message("ModelDef")()
    model.ParseFromString(step())
    required_attribute_left_out(model)
    return model.SerializeToString()


def test_the_command_says_what_is_wrong_and_where(file, capsys):
    good, bad = file("good.air", step()), file("bad.air", without_strides())
    assert main(["ascend-check", good]) == 0
    assert capsys.readouterr().out == "nothing found in 1 file\n"
    assert main(["ascend-check", good, bad]) == 1
    said = capsys.readouterr().out
    assert "[E0610] root/network/_backbone/conv/Conv2D: attribute: 'strides' is missing" in said
    assert "graph_files.py:" in said and "in the graph file bad.air" in said
    assert "1 problem in 1 of 2 files" in said


def test_the_command_speaks_to_programs(file, capsys):
    bad = file("bad.air", without_strides())
    assert main(["ascend-check", bad, "--format", "json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["code"] == "E0610" and found["file"].endswith("graph_files.py")
    assert main(["ascend-check", bad, "--format", "sarif"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert result["ruleId"] == "E0610" and "'strides' is missing" in result["message"]["text"]


@pytest.mark.parametrize(
    ("data", "code", "text"),
    [(b"no", "E0609", "no graph file"), (b"IMOD" + bytes(252), "E0609", "compiled model"),
     (b"", "E0609", "holds no graph"), (None, "E0604", "No such file")],
)  # fmt: skip
def test_files_that_cannot_be_read(data, code, text, file, capsys):
    name = "net.air" if data is None else file("net.air", data)
    assert main(["ascend-check", name]) == 2
    said = capsys.readouterr().err
    assert code in said and text in said and "net.air" in said


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.air"
    with path.open("wb") as stream:
        stream.truncate(LARGEST + 1)
    with pytest.raises(S2sadError, match=r"E0609.*large\.air has 2,147,483,648 bytes"):
        read_model(path)
