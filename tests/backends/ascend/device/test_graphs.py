"""How graphs run: order, state, branches, loops, stacks, effects, and where errors point."""

from __future__ import annotations

import numpy as np
import pytest
from backends.ascend.device.running import session_of
from backends.ascend.device.test_programs import shuffled
from backends.ascend.test_lowering import lowered

import s2sad as ms
from s2sad import nn, ops
from s2sad.backends.ascend.building import GraphBuilder
from s2sad.backends.ascend.device.graphs import Runner
from s2sad.backends.ascend.device.session import Session
from s2sad.backends.ascend.graph import Attribute, Desc, Edge, Model
from s2sad.backends.ascend.run_file import GraphEntry, Input, RunFile
from s2sad.backends.ascend.sink import single
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError

PAIR = Desc("DT_FLOAT", (2,))
ONES = np.float32([1.0, 1.0])


def run(function, *args):
    """What a compiled function gives on the device, and its session."""
    found, _ = lowered(function, *args)
    made = single(found)
    session = Session(made.run, made.models)
    inputs = ms.compile(function).inputs(*args)
    entry = made.run.graphs[0]
    for each in entry.inputs:
        if each.kind == "state":
            session.put(each.name, np.array(inputs[each.number]))
    given = [np.array(inputs[x.number]) for x in entry.inputs if x.kind == "value"]
    return session.run(given), session


def test_state_is_read_before_it_is_written_and_written_once_a_run():
    builder = GraphBuilder("root")
    w = builder.data(PAIR, name="w", kind="RefData")
    before = builder.node("Identity", {"x": w}, [PAIR], name="before")
    builder.node("AssignAdd", {"ref": w, "value": before}, [PAIR], name="twice")
    after = builder.node("Neg", {"x": Edge("twice")}, [PAIR])
    builder.net_output([before, after])
    session = session_of(builder, ["w"], ("w",))
    session.put("w", np.float32([1.0, 2.0]))
    assert [x.tolist() for x in session.run()] == [[1, 2], [-2, -4]]
    assert [x.tolist() for x in session.run()] == [[2, 4], [-4, -8]]
    assert session.get("w").tolist() == [4, 8]


def test_a_value_that_was_read_stays_when_its_source_is_written():
    """Reshape renames what is in memory, but what a reader has seen does not change."""
    builder = GraphBuilder("root")
    w = builder.data(PAIR, name="w", kind="RefData")
    given = {"x": w, "shape": builder.constant(np.int64([2, 1]), dtypes.int64)}
    column = builder.node("Reshape", given, [Desc("DT_FLOAT", (2, 1))], name="column")
    builder.node("Assign", {"ref": w, "value": builder.constant(ONES * 9, dtypes.float32)},
                 [PAIR], name="write", after=["column"])  # fmt: skip
    late = builder.node("Neg", {"x": column}, [Desc("DT_FLOAT", (2, 1))], after=["write"])
    builder.net_output([late])
    session = session_of(builder, ["w"], ("w",))
    session.put("w", ONES)
    assert session.run()[0].ravel().tolist() == [-1, -1]
    assert session.get("w").tolist() == [9, 9]


def test_one_result_can_be_given_twice():
    builder = GraphBuilder("root")
    x = builder.data(PAIR)
    y = builder.node("Neg", {"x": x}, [PAIR])
    builder.net_output([y, x, y])
    session = session_of(builder, ["x"])
    for _ in range(2):
        assert [r.tolist() for r in session.run([ONES])] == [[-1, -1], [1, 1], [-1, -1]]
    assert session.device.memory.used == 0


def test_results_can_be_listed_in_the_graph():
    builder = GraphBuilder("root")
    x = builder.data(PAIR)
    builder.graph.outputs = [builder.node("Neg", {"x": x}, [PAIR]), x]
    assert [r.tolist() for r in session_of(builder, ["x"]).run([ONES])] == [[-1, -1], [1, 1]]


def test_branches_loops_and_the_tape_of_their_gradient():
    def steps(x, n, w):
        for i in range(n):
            x = x * w + i
        while x.sum() < 10:
            if x[0] > 1:
                x = x + w
            else:
                x = x * 2
        return x.sum()

    args = (ms.Tensor([0.5, 1.0]), ms.Tensor(3), ms.Tensor([0.25, 0.5]))
    (found,), session = run(steps, *args)
    assert found == pytest.approx(steps(*args).item(), rel=1e-6)
    assert not session.device.stacks
    gradient = ms.grad(steps, (0, 2))
    found, session = run(gradient, *args)
    for got, right in zip(found, gradient(*args), strict=True):
        np.testing.assert_allclose(got, right.asnumpy(), rtol=1e-5)
    assert not session.device.stacks  # every tape was closed
    kept = sum(x.nbytes for x in session.device.memory._blocks if x.kind == "constant")
    assert session.device.memory.used == kept


def test_a_loop_that_never_runs_gives_what_it_was_given():
    def never(x):
        while x.sum() < 0:
            x = x + 1
        return x

    assert run(never, ms.Tensor([0.5, 1.0]))[0][0].tolist() == [0.5, 1.0]


def test_a_graph_that_is_called():
    inner = GraphBuilder("inner")
    a, b = inner.data(PAIR), inner.data(PAIR)
    inner.net_output([inner.node("Sub", {"x1": a, "x2": b}, [PAIR])])
    builder = GraphBuilder("root")
    x, y = builder.data(PAIR, name="x"), builder.data(PAIR, name="y")
    call = builder.node("PartitionedCall", {"args": [x, y]}, [PAIR], subgraphs=["inner"])
    builder.net_output([call])
    entry = GraphEntry("net", "net.air", "step", False, 1, tuple(
        Input(name, "value", "DT_FLOAT", (2,), i) for i, name in enumerate("xy")), ())  # fmt: skip
    model = Model("net", {"root": builder.graph, "inner": inner.graph})
    session = Session(RunFile(1, "step", True, "Ascend910B1", (entry,), ()), {"net.air": model})
    assert session.run([ONES, ONES * 3])[0].tolist() == [-2, -2]


def test_what_is_printed():
    def show(x):
        print("x is", x)
        return x * 2

    assert run(show, ms.Tensor([1.0, 2.0]))[1].device.printed == ["x is [1. 2.]\n"]


def test_an_assertion_points_to_the_users_line():
    builder = GraphBuilder("root")
    x = builder.data(Desc("DT_BOOL", ()))
    marks = {"_s2sad_message": Attribute("String", "too large"),
             "_s2sad_location": Attribute("String", f"{__file__}:1")}  # fmt: skip
    builder.node("Assert", {"input_condition": x, "input_data": [x]}, [], marks, name="holds")
    builder.net_output([], after=["holds"])
    session = session_of(builder, ["x"])
    assert session.run([np.array(True)]) == []
    with pytest.raises(
        AssertionError, match=r"(?s)E0701.*too large.*test_graphs.py:1.*seen: False"
    ):
        session.run([np.array(False)])


def test_a_failing_operator_points_to_the_users_line():
    def lookup(x, i):
        return ops.gather(x, i, 0) * 2

    with pytest.raises(
        S2sadError, match=r"(?s)E0501.*no place 7.*gather\(x, i, 0\).*GatherV2"
    ) as e:
        run(lookup, ms.Tensor([1.0, 2.0]), ms.Tensor([7]))
    assert e.value.diagnostic.location.line == lookup.__code__.co_firstlineno + 1


def test_a_stack_that_is_empty_or_closed():
    builder = GraphBuilder("root")
    size = builder.constant(np.int32(-1), dtypes.int32)
    options = {"elem_type": dtypes.float32, "stack_name": "tape"}
    stack = builder.node("Stack", {"max_size": size}, [Desc("DT_RESOURCE", ())], options)
    x = builder.data(PAIR)
    builder.node("StackPush", {"handle": stack, "element": x}, [PAIR], name="push")
    pop = {"elem_type": dtypes.float32}
    first = builder.node("StackPop", {"handle": stack}, [PAIR], pop, after=["push"], name="pop")
    builder.net_output([first])
    assert session_of(builder, ["x"]).run([ONES])[0].tolist() == [1, 1]
    again = GraphBuilder.of(builder.graph)
    del builder.graph.nodes["net_output"]
    again.node("StackPop", {"handle": stack}, [PAIR], pop, after=["pop"], name="too_many")
    GraphBuilder.of(builder.graph).net_output([Edge("too_many")])
    session = session_of(builder, ["x"])
    with pytest.raises(S2sadError, match=r"E0717.*nothing is left in the stack 'tape'"):
        session.run([ONES])
    assert not session.device.stacks


def test_a_variable_has_to_be_assigned_and_has_one_shape():
    def graph(name, desc, assigned):
        builder = GraphBuilder(name)
        builder.variable("v", desc)
        if assigned:
            value = builder.constant(np.ones(desc.shape, np.float32), dtypes.float32)
            builder.node("Assign", {"ref": Edge("v"), "value": value}, [desc], name="set")
            builder.net_output([Edge("set")])
        else:
            builder.net_output([builder.node("Neg", {"x": Edge("v")}, [desc])])
        return builder

    with pytest.raises(S2sadError, match="E0717.*holds nothing yet"):
        session_of(graph("root", PAIR, False), []).run()
    session = session_of(graph("root", PAIR, True), [])
    session.run()
    assert session.get("v").tolist() == [1, 1]
    other = graph("root", Desc("DT_FLOAT", (3,)), False).graph
    with pytest.raises(S2sadError, match=r"E0717.*variable v is float\[2\] elsewhere"):
        Runner(Model("other", {"root": other}), session.device).run(other, [])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(2)
        self.count = ms.Parameter(ms.Tensor([0.0]), name="count")

    def construct(self, x):
        self.count = self.count + 1
        return self.norm(x)


def test_moving_statistics_and_counters_stay_on_the_device():
    net = Net().set_train()
    x = ms.Tensor(np.arange(16, dtype=np.float32).reshape(2, 2, 2, 2))
    (found,), session = run(net, x)
    wanted = net(x)
    np.testing.assert_allclose(found, wanted.asnumpy(), atol=1e-5)
    assert session.get("count").tolist() == [1]
    for name in ("moving_mean", "moving_variance"):
        right = getattr(net.norm, name).asnumpy()
        np.testing.assert_allclose(session.get(f"norm_{name}"), right, rtol=1e-6)


class Changing(nn.Cell):
    """Gives what a parameter held before it was updated, and by how much it changed."""

    def __init__(self, shape):
        super().__init__()
        self.net = nn.Dense(2, 3)
        self.update = nn.Momentum(self.net.trainable_params(), 0.1, 0.9)
        self.gradient = ms.grad(lambda x: self.net(x).sum(), None, self.net.trainable_params())
        self.shape = shape

    def construct(self, x):
        before = self.net.weight.value().reshape(self.shape)
        self.update(self.gradient(x))
        return before, self.net.weight.value().reshape(self.shape) - before


@pytest.mark.parametrize("shape", [(3, 2), (6,)])
@pytest.mark.parametrize("seed", range(3))
def test_what_state_held_before_is_kept_for_who_asks_later(shape, seed):
    """Reshapes copy nothing, so who reads through them waits as others do."""
    net, x = Changing(shape), ms.Tensor([[1.0, 2.0]])
    before = net.net.weight.asnumpy().copy()
    found, _ = lowered(net, x)
    shuffled(found.model, seed)
    made = single(found)
    session = Session(made.run, made.models)
    inputs = ms.compile(net).inputs(x)
    for each in made.run.graphs[0].inputs:
        if each.kind == "state":
            session.put(each.name, np.array(inputs[each.number]))
    values = [inputs[x.number] for x in made.run.graphs[0].inputs if x.kind == "value"]
    old, change = session.run(values)
    np.testing.assert_array_equal(old, before.reshape(shape))
    np.testing.assert_allclose(change, np.float32([[-0.1, -0.2]] * 3).reshape(shape), atol=1e-6)
    assert found.model.root.nodes["update/ApplyMomentum"].after  # it is written in place
