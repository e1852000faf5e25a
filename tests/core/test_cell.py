"""Does a Cell register what is assigned to it, and name its Parameters as MindSpore does?"""

from __future__ import annotations

import copy
import gc
import weakref

import numpy as np
import pytest

from s2sad.core import changes, dispatch, dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dispatch import Slots
from s2sad.core.jit_config import JitConfig
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor


def refused(code: str, function, *args, **kwargs) -> str:
    """The message with which a call fails."""
    with pytest.raises(S2sadError) as caught:
        function(*args, **kwargs)
    assert caught.value.code == code
    return str(caught.value)


class Dense(Cell):
    """Two Parameters without names of their own."""

    def __init__(self, size: int = 1):
        super().__init__()
        self.size = size
        self.weight = Parameter(np.ones((size, 2), np.float32))
        self.bias = Parameter(np.zeros(2, np.float32), requires_grad=False)

    def construct(self, x):
        return x

    def extend_repr(self) -> str:
        return f"size={self.size}"


class Norm(Cell):
    """Parameters whose own names are not their attributes."""

    def __init__(self):
        super().__init__()
        self.gamma = Parameter([1.0], name="gamma")
        self.moving_mean = Parameter([0.0], name="mean", requires_grad=False)


class Block(Cell):
    def __init__(self):
        super().__init__()
        self.fc = Dense()
        self.bn = Norm()


class Net(Cell):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.scale = Parameter([1.0], name="custom")


def names(cell: Cell) -> list[str]:
    return [parameter.name for parameter in cell.get_parameters()]


def paths(cell: Cell, **options) -> list[str]:
    return [path for path, _ in cell.parameters_and_names(**options)]


def filled(monkeypatch, call):
    monkeypatch.setattr(dispatch, "_filled", [Slots({}, call, call, call, call)])


# -- a new Cell ---------------------------------------------------------------------------------


def test_a_fresh_cell():
    cell = Cell()
    assert (cell.training, cell.requires_grad, cell.phase) == (False, False, "train")
    assert (cell.cls_name, cell.param_prefix, cell.get_flags()) == ("Cell", "", {})
    assert list(cell.get_parameters()) == [] and list(cell.cells()) == []


class NotInitialised(Cell):
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("value", [1, None, Parameter(1.0), Cell(), ParameterTuple([])], ids=repr)
def test_super_init_comes_first(value):
    text = refused("E0221", NotInitialised, value)
    assert "super().__init__()" in text and "NotInitialised" in text
    with pytest.raises(AttributeError):
        NotInitialised(value)
    refused("E0221", getattr, Cell.__new__(Cell), "training")


def test_calling_goes_to_the_slot(monkeypatch):
    filled(monkeypatch, lambda cell, args, kwargs: (cell, args, kwargs))
    cell = Dense()
    assert cell(1, 2, x=3) == (cell, (1, 2), {"x": 3})


def test_calling_a_cell_without_construct(monkeypatch):
    filled(monkeypatch, lambda *args: args)
    with pytest.raises(AttributeError) as caught:
        Net()(1)
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0220"
    place = caught.value.diagnostic.location
    assert place is not None and place.file == __file__ and "construct" in str(caught.value)


def test_construct_may_be_an_attribute(monkeypatch):
    filled(monkeypatch, lambda cell, args, kwargs: args)
    cell = Cell()
    cell.construct = lambda x: x
    assert cell(4) == (4,)


# -- attributes ---------------------------------------------------------------------------------


def test_attributes_are_registered_by_kind():
    net = Net()
    assert list(net._params) == ["scale"] and list(net._cells) == ["block"]
    assert net.scale is net._params["scale"] and net.block is net._cells["block"]
    assert "scale" not in net.__dict__ and "scale" in dir(net) and "block" in dir(net)


def test_containers_are_not_looked_into():
    cell = Cell()
    cell.layers = [Dense(), Parameter(1.0)]
    cell.table = {"a": Dense()}
    assert list(cell.get_parameters()) == [] and list(cell.cells()) == []


def test_a_tensor_assigned_to_a_parameter_is_its_new_data():
    cell = Norm()
    gamma = cell.gamma
    cell.gamma = Tensor([5.0])
    assert cell.gamma is gamma and gamma.tolist() == [5.0] and gamma.version == 1
    refused("E0401", setattr, cell, "gamma", Tensor([1.0, 2.0]))


def test_a_parameter_or_a_child_may_be_replaced():
    net = Net()
    new, block = Parameter([2.0]), Block()
    net.scale, net.block = new, block
    assert net.scale is new and new.name == "scale" and net.block is block
    assert paths(net)[0] == "scale" and len(paths(net)) == 5


@pytest.mark.parametrize("value", [1.0, [1.0], "x", Cell()], ids=repr)
def test_a_parameter_does_not_become_something_else(value):
    cell = Norm()
    assert "gamma" in refused("E0304", setattr, cell, "gamma", value)
    with pytest.raises(TypeError):
        cell.gamma = value
    assert isinstance(cell.gamma, Parameter)


@pytest.mark.parametrize("value", [1.0, Tensor(1.0), Parameter(1.0)], ids=repr)
def test_a_child_does_not_become_something_else(value):
    net = Net()
    assert "block" in refused("E0304", setattr, net, "block", value)
    assert isinstance(net.block, Block)


def test_none_clears_and_keeps_the_place():
    net = Net()
    net.block.fc.weight = None
    assert net.block.fc.weight is None and "block.fc.weight" not in paths(net)
    net.block.fc.weight = Parameter([3.0])
    assert paths(net) == ["scale", *(f"block.{x}" for x in
                          ("fc.weight", "fc.bias", "bn.gamma", "bn.moving_mean"))]  # fmt: skip
    net.block = None
    assert net.block is None and paths(net) == ["scale"] and list(net.cells()) == []
    net.block = Dense()
    assert paths(net) == ["scale", "block.weight", "block.bias"]


def test_plain_attributes_give_way_to_registered_ones():
    cell = Cell()
    cell.w = None
    cell.child = 3
    cell.w, cell.child = Parameter(1.0), Dense()
    assert isinstance(cell.w, Parameter) and isinstance(cell.child, Dense)
    assert "w" not in cell.__dict__


def test_a_name_that_the_class_has_cannot_be_registered():
    cell = Cell()
    for value in (Dense(), Parameter(1.0)):
        assert "cells" in refused("E0222", setattr, cell, "cells", value)
    assert callable(cell.cells)


def test_deleting():
    net = Net()
    del net.scale, net.block
    assert paths(net) == [] and list(net.cells()) == []
    net.number = 3
    del net.number
    for name in ("scale", "block", "number", "never"):
        assert not hasattr(net, name)
        with pytest.raises(AttributeError):
            delattr(net, name)
    net.scale = 3  # free for anything again
    assert net.scale == 3


def test_what_does_not_exist_says_what_does():
    net = Net()
    assert "did you mean scale?" in refused("E0220", getattr, net, "scal")
    assert "did you mean block?" in refused("E0220", getattr, net, "blok")
    assert "did you mean" not in refused("E0220", getattr, net, "zzzzzz")
    assert getattr(net, "zzzzzz", 5) == 5 and not hasattr(net, "__array__")


def test_changes_are_counted():
    net = Net()
    for change in (
        lambda: setattr(net, "number", 1),
        lambda: setattr(net, "scale", Tensor([2.0])),
        lambda: setattr(net, "scale", Parameter([2.0])),
        lambda: setattr(net, "block", Block()),
        lambda: net.set_train(),
        lambda: net.set_grad(),
        lambda: net.insert_child_to_cell("other", Dense()),
        lambda: net.insert_param_to_cell("p", Parameter(1.0)),
        lambda: net.register_buffer("b", Tensor(1.0)),
        lambda: setattr(net, "b", Tensor(2.0)),
        lambda: delattr(net, "number"),
        lambda: delattr(net, "scale"),
        lambda: net.add_flags(fast=True),
        lambda: net._replace_children({}),
    ):
        before = changes.count()
        change()
        assert changes.count() > before
    before = changes.count()
    list(net.get_parameters()), net.state_dict(), net.training, repr(net), net.update_cell_prefix()
    assert changes.count() == before


# -- names --------------------------------------------------------------------------------------


def test_the_attribute_path_wins_below_the_top():
    assert names(Dense()) == ["weight", "bias"]
    assert names(Norm()) == ["gamma", "mean"]
    assert names(Block()) == ["fc.weight", "fc.bias", "bn.gamma", "bn.moving_mean"]
    net = Net()
    below = ["block.fc.weight", "block.fc.bias", "block.bn.gamma", "block.bn.moving_mean"]
    assert names(net) == ["custom", *below]
    assert paths(net) == ["scale", *below]


def test_wrappers_leave_names_alone():
    class Wrapper(Cell):
        def __init__(self, net):
            super().__init__(auto_prefix=False)
            self.network = net

    wrapper = Wrapper(Net())
    assert names(wrapper)[:2] == ["custom", "block.fc.weight"]
    assert paths(wrapper)[:2] == ["network.scale", "network.block.fc.weight"]


def test_own_parameters_come_first_then_children_in_order():
    cell = Cell()
    cell.b = Dense()
    cell.a = Parameter(1.0)
    cell.c = Norm()
    assert paths(cell) == ["a", "b.weight", "b.bias", "c.gamma", "c.moving_mean"]
    assert paths(cell, expand=False) == ["a"]
    assert paths(cell, name_prefix="net")[:2] == ["net.a", "net.b.weight"]
    assert paths(cell, name_prefix="net", expand=False) == ["net.a"]


def test_one_cell_under_two_attributes_is_listed_once():
    cell = Cell()
    cell.first = shared = Dense()
    cell.second = shared
    assert paths(cell) == ["first.weight", "first.bias"]
    assert names(cell) == ["second.weight", "second.bias"]  # the last assignment named them
    assert list(cell.name_cells()) == ["first"] and list(cell.cells()) == [shared]
    assert [path for path, _ in cell.cells_and_names()] == ["", "first"]


def test_one_parameter_in_two_cells_is_listed_once():
    cell, first, second = Cell(), Dense(), Dense()
    second.weight = first.weight
    cell.a, cell.b = first, second
    assert paths(cell) == ["a.weight", "a.bias", "b.bias"]


def test_clashing_names_are_mended_from_the_paths():
    cell = Cell(auto_prefix=False)
    cell.a, cell.b = Dense(), Dense()
    assert names(cell) == ["weight", "bias", "weight", "bias"]
    assert "'weight'" in refused("E0406", cell.check_names)
    cell.check_names_and_refresh_name()
    assert names(cell) == ["a.weight", "a.bias", "b.weight", "b.bias"]
    cell.check_names()
    for parameter in cell.get_parameters():
        parameter.name = f"x.{parameter.name}"
    cell.check_names_and_refresh_name()  # no clash, nothing to mend
    assert names(cell)[0] == "x.a.weight"


def test_update_parameters_name():
    net = Net()
    net.update_parameters_name("model.")
    assert names(net)[:2] == ["model.scale", "model.block.fc.weight"]
    net.update_parameters_name("top_", recurse=False)
    assert names(net)[:2] == ["top_scale", "model.block.fc.weight"]
    net.update_parameters_name()
    assert names(net) == paths(net)
    refused("E0303", net.update_parameters_name, None)


def test_renaming_a_child_does_not_recurse_into_cycles():
    parent, child = Cell(), Dense()
    parent.child = child
    child.parent = parent
    assert sorted(paths(parent)) == ["child.bias", "child.weight"]
    assert [path for path, _ in parent.cells_and_names()] == ["", "child"]


# -- lists of Parameters ------------------------------------------------------------------------


def test_parameters_by_requires_grad_and_by_name():
    net = Net()
    assert [p.name for p in net.trainable_params()] == [
        "custom", "block.fc.weight", "block.bn.gamma"
    ]  # fmt: skip
    assert [p.name for p in net.untrainable_params()] == ["block.fc.bias", "block.bn.moving_mean"]
    assert [p.name for p in net.trainable_params(recurse=False)] == ["custom"]
    assert net.untrainable_params(recurse=False) == []
    assert list(net.parameters_dict()) == names(net)
    assert net.parameters_dict()["custom"] is net.scale
    assert list(net.parameters_dict(recurse=False)) == ["custom"]
    assert [p.name for p in net.get_parameters(expand=False)] == ["custom"]
    assert all(x is y for x, y in net.init_parameters_data().items())


def test_a_parameter_tuple_registers_its_members():
    net = Net()

    class Optimizer(Cell):
        def __init__(self, parameters):
            super().__init__(auto_prefix=False)
            self.parameters = ParameterTuple(parameters)
            self.moments = self.parameters.clone("moments", init="zeros")

    optimizer = Optimizer(net.trainable_params())
    assert isinstance(optimizer.parameters, ParameterTuple)
    assert names(optimizer) == paths(optimizer) == [
        "custom", "block.fc.weight", "block.bn.gamma",
        "moments.custom", "moments.block.fc.weight", "moments.block.bn.gamma",
    ]  # fmt: skip
    assert optimizer.parameters[0] is net.scale and names(net)[0] == "custom"


def test_a_parameter_tuple_does_not_replace_another_parameter():
    cell = Norm()
    other = Parameter([1.0], name="gamma")
    refused("E0406", setattr, cell, "tuple", ParameterTuple([other]))
    assert cell.gamma is not other
    cell.tuple = ParameterTuple([cell.gamma])
    assert paths(cell) == ["gamma", "moving_mean"]


def test_members_without_names_keep_their_placeholders():
    cell = Cell()
    cell.pair = ParameterTuple([Parameter(1.0), Parameter(2.0)])
    assert names(cell) == paths(cell) and len(set(names(cell))) == 2
    assert all(parameter.is_named for parameter in cell.pair)


def test_insert_param_to_cell():
    cell = Cell()
    parameter = Parameter(1.0)
    cell.insert_param_to_cell("w", parameter)
    assert cell.w is parameter and parameter.name == "w"
    cell.insert_param_to_cell("a.b", Parameter(1.0, name="c"), check_name_contain_dot=False)
    assert paths(cell) == ["w", "a.b"] and names(cell) == ["w", "c"]
    cell.insert_param_to_cell("w", None)
    assert cell.w is None and paths(cell) == ["a.b"]
    cell.number, cell.child = 3, Dense()
    for name in ("a.c", "", "number", "child", "cells"):
        refused("E0511", cell.insert_param_to_cell, name, Parameter(1.0))
        with pytest.raises(KeyError):
            cell.insert_param_to_cell(name, Parameter(1.0))
    refused("E0304", cell.insert_param_to_cell, "t", Tensor(1.0))


def test_insert_child_to_cell():
    cell, child = Cell(), Dense()
    cell.insert_child_to_cell("0", child)
    assert cell.name_cells() == {"0": child} and paths(cell) == ["0.weight", "0.bias"]
    assert names(cell) == ["weight", "bias"]  # names are the container's to give
    child.update_parameters_name("0.")
    parent = Cell()
    parent.seq = cell
    assert names(parent) == ["seq.0.weight", "seq.0.bias"]
    cell.insert_child_to_cell("0", None)
    assert list(cell.cells()) == []
    cell.w = Parameter(1.0)
    for name in ("a.b", "", "w", "cells", "training"):
        refused("E0511", cell.insert_child_to_cell, name, Dense())
    refused("E0304", cell.insert_child_to_cell, "x", Parameter(1.0))


def test_replace_children_renames_like_an_assignment():
    cell, a, b = Cell(), Dense(), Norm()
    cell.insert_child_to_cell("0", Dense())
    cell._replace_children({"0": b, "1": a})
    assert names(cell) == ["0.gamma", "0.moving_mean", "1.weight", "1.bias"]
    plain = Cell(auto_prefix=False)
    plain._replace_children({"0": a})
    assert names(plain) == ["1.weight", "1.bias"]


# -- children -----------------------------------------------------------------------------------


def test_cells_and_names():
    net = Net()
    assert [(path, cell.cls_name) for path, cell in net.cells_and_names()] == [
        ("", "Net"), ("block", "Block"), ("block.fc", "Dense"), ("block.bn", "Norm"),
    ]  # fmt: skip
    assert [path for path, _ in net.cells_and_names(name_prefix="a")][:2] == ["a", "a.block"]
    known = {net.block.fc}
    assert [path for path, _ in net.cells_and_names(known)] == ["", "block", "block.bn"]
    assert known == {net, net.block, net.block.fc, net.block.bn}


def test_get_sub_cell():
    net = Net()
    assert net.get_sub_cell("") is net and net.get_sub_cell("block.fc") is net.block.fc
    for path in ("scale", "block.x", "block.fc.weight", "."):
        refused("E0220", net.get_sub_cell, path)


def test_apply_visits_children_first():
    net, seen = Net(), []
    assert net.apply(lambda cell: seen.append(cell.cls_name)) is net
    assert seen == ["Dense", "Norm", "Block", "Net"]


def test_set_train_and_set_grad():
    net = Net()
    assert net.set_train() is net
    assert all(cell.training and cell.phase == "train" for _, cell in net.cells_and_names())
    net.set_train(False)
    assert not any(cell.training for _, cell in net.cells_and_names())
    assert net.block.fc.phase == "predict"
    refused("E0303", net.set_train, 1)
    assert net.set_grad() is net and net.requires_grad and not net.block.requires_grad
    assert not net.set_grad(False).requires_grad


def test_flags_are_attributes():
    cell = Cell(flags={"fast": True})
    assert cell.fast is True and cell.get_flags() == {"fast": True}
    net = Net()
    assert net.add_flags(a=1) is net and net.a == 1 and not hasattr(net.block, "a")
    assert net.add_flags_recursive(b=2) is net and net.block.fc.b == 2
    assert net.get_flags() == {"a": 1, "b": 2} and net.block.get_flags() == {"b": 2}
    net.get_flags()["a"] = 5
    assert net.get_flags()["a"] == 1


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16, dtypes.float32], ids=str)
def test_to_float_marks_all_below(dtype):
    net = Net()
    before = changes.count()
    assert net.to_float(dtype) is net and changes.count() > before
    assert {cell._precision.compute for _, cell in net.cells_and_names()} == {dtype}
    assert {p.dtype for p in net.get_parameters()} == {dtypes.float32}


@pytest.mark.parametrize("dtype", [dtypes.int32, dtypes.float64, np.float16, "float16"], ids=str)
def test_to_float_takes_three_dtypes(dtype):
    refused("E0301", Net().to_float, dtype)


def test_the_prefix_is_the_path_from_the_top():
    net = Net()
    net.update_cell_prefix()
    assert [cell.param_prefix for _, cell in net.cells_and_names()] == [
        "", "block", "block.fc", "block.bn"
    ]  # fmt: skip


def test_repr():
    assert repr(Cell()) == "Cell()"
    assert repr(Dense(3)) == "Dense(size=3)"
    assert repr(Net()) == (
        "Net(\n  (block): Block(\n    (fc): Dense(size=1)\n    (bn): Norm()\n  )\n)"
    )

    class Both(Dense):
        def __init__(self):
            super().__init__()
            self.inner = Dense(2)

    assert repr(Both()) == "Both(\n  size=1\n  (inner): Dense(size=2)\n)"


def test_deepcopy():
    net = Net()
    net.twice = net.block.fc
    twin = copy.deepcopy(net)
    assert names(twin) == names(net) and repr(twin) == repr(net)
    assert twin.twice is twin.block.fc is not net.block.fc
    twin.scale.set_data([9.0])
    twin.set_train()
    assert net.scale.tolist() == [1.0] and not net.training
    twin.extra = Parameter(1.0)
    assert not hasattr(net, "extra")


def test_a_cell_is_freed():
    net = Net()
    reference = weakref.ref(net)
    del net
    gc.collect()
    assert reference() is None


# -- buffers and state --------------------------------------------------------------------------


class Buffered(Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter([1.0])
        self.register_buffer("count", Tensor([0]))
        self.register_buffer("cache", Tensor([0.0]), persistent=False)
        self.register_buffer("empty", None)


def test_buffers():
    cell, outer = Buffered(), Cell()
    outer.inner = cell
    assert cell.count.tolist() == [0] and cell.empty is None and "count" in dir(cell)
    assert [name for name, _ in outer.named_buffers()] == ["inner.count", "inner.cache"]
    assert list(outer.named_buffers(expand=False)) == []
    assert [name for name, _ in outer.named_buffers("a")] == ["a.inner.count", "a.inner.cache"]
    assert list(cell.buffers()) == [cell.count, cell.cache]
    assert outer.get_buffer("inner.count") is cell.count
    new = Tensor([5])
    cell.count = new
    assert cell.count is new
    cell.count = None
    assert cell.count is None
    refused("E0220", outer.get_buffer, "inner.count")
    refused("E0220", outer.get_buffer, "inner.w")
    refused("E0220", outer.get_buffer, "nothing.count")
    refused("E0304", setattr, cell, "count", 3)
    refused("E0304", setattr, cell, "count", Parameter(1.0))
    refused("E0304", cell.register_buffer, "x", Parameter(1.0))
    refused("E0304", cell.register_buffer, "x", [1.0])
    for name in ("w", "a.b", "", "cells"):
        refused("E0511", cell.register_buffer, name, Tensor(1.0))
    del cell.cache
    assert not hasattr(cell, "cache") and paths(cell) == ["w"]
    cell.register_buffer("cache", Tensor([1.0]))
    assert "cache" in cell.state_dict()


def test_state_dict_has_live_objects_by_path():
    cell, net = Buffered(), Net()
    assert list(cell.state_dict()) == ["w", "count"] and cell.state_dict()["w"] is cell.w
    assert list(net.state_dict()) == paths(net)
    assert list(net.state_dict(prefix="a.", keep_vars=True))[0] == "a.scale"
    store = {"x": Tensor(1.0)}
    assert net.state_dict(destination=store) is store and list(store)[:2] == ["x", "scale"]
    net.twice = net.block.fc
    assert {"twice.weight", "block.fc.weight"} <= set(net.state_dict())
    before = list(net.state_dict())
    net.block.net = net.twice.again = net
    assert list(net.state_dict()) == before


def test_load_state_dict_copies_values():
    source, target = Net(), Net()
    for number, parameter in enumerate(source.get_parameters()):
        parameter.set_data(np.full(parameter.shape, number))
    kept = target.block.fc.weight
    found = target.load_state_dict(source.state_dict())
    assert found == ([], []) and found.missing_keys == found.unexpected_keys == []
    for x, y in zip(source.get_parameters(), target.get_parameters(), strict=True):
        assert x.tolist() == y.tolist() and x is not y
    assert target.block.fc.weight is kept and names(target) == names(Net())
    source.scale.set_data([7.0])
    assert target.scale.tolist() == [0.0]


def test_load_state_dict_of_buffers():
    cell = Buffered()
    cell.load_state_dict({"w": np.array([2.0]), "count": np.array([3], np.int32)})
    assert cell.w.tolist() == [2.0] and cell.count.tolist() == [3]
    assert cell.count.dtype is dtypes.int64 and type(cell.count) is Tensor


def test_load_state_dict_names_all_that_does_not_fit():
    cell = Buffered()
    given = {"w": Tensor([1.0, 2.0]), "count": Tensor([1.5]), "more": Tensor(1.0)}
    with pytest.raises(RuntimeError) as caught:
        cell.load_state_dict(given)
    error = caught.value
    assert isinstance(error, S2sadError) and error.code == "E0711"
    assert len(error.diagnostic.notes) == 3
    for name in ("w", "count", "more"):
        assert any(name in note for note in error.diagnostic.notes)


def test_load_state_dict_changes_nothing_when_something_does_not_fit():
    cell = Buffered()
    for given in (
        {"w": Tensor([5.0]), "count": Tensor([1, 2])},
        {"w": Tensor([5.0])},
        {"w": Tensor([5.0]), "count": Tensor([1]), "x": Tensor(1)},
    ):
        refused("E0711", cell.load_state_dict, given)
        assert cell.w.tolist() == [1.0] and cell.count.tolist() == [0] and cell.w.version == 0


def test_load_state_dict_loosely():
    cell = Buffered()
    found = cell.load_state_dict({"w": Tensor([5.0]), "x": Tensor(1.0)}, strict=False)
    assert found == (["count"], ["x"]) and cell.w.tolist() == [5.0]
    refused("E0711", cell.load_state_dict, {"w": Tensor([5.0, 6.0])}, strict=False)


def test_the_first_jit_config_holds():
    net = Dense()
    assert net.jit_config_dict == {}
    net.set_jit_config(JitConfig("O1", debug_level="DEBUG", backend="ms_backend"))
    assert net.jit_config_dict == {
        "backend": "ms_backend", "jit_level": "O1", "exc_mode": "auto", "jit_syntax_level": "",
        "debug_level": "DEBUG", "infer_boost": "off",
    }  # fmt: skip
    with pytest.warns(UserWarning, match="first JitConfig"):
        net.set_jit_config(JitConfig("O0"))
    assert net.jit_config_dict["jit_level"] == "O1"
    refused("E0304", net.set_jit_config, {"jit_level": "O1"})
    refused("E0404", JitConfig, "O3")
    refused("E0404", JitConfig, infer_boost=True)
