"""Do guards notice every change of what was read, and nothing else?"""

from __future__ import annotations

import math
import types

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core import changes
from s2sad.frontend.guards import Guards, fingerprint


class Net(nn.Cell):
    """A Cell with an attribute of every kind."""

    shared = 1.0

    def __init__(self):
        super().__init__()
        self.number = 1
        self.texts = ("a", ("b",))
        self.listed = [1, [2]]
        self.mixed = (1, [2])
        self.inner = nn.ReLU()
        self.cells = (nn.ReLU(), nn.Tanh())
        self.sequence = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        self.array = np.arange(3.0)
        self.w = ms.Parameter(ms.Tensor([1.0]), name="w")
        self.tensor = ms.Tensor([1.0])
        self.function = math.sqrt
        self.config = types.SimpleNamespace(size=3)

    def construct(self, x):
        return x

    @property
    def computed(self):
        return (self.number, self.inner)

    def helper(self):
        return None


def replaced(net):
    net.inner = nn.Tanh()


def method_of_instance(net):
    net.construct = lambda x: x


def method_of_class(net):
    type(net).construct = lambda self, x: x


CHANGES = {
    "number": lambda net: setattr(net, "number", 2),
    "number: type": lambda net: setattr(net, "number", 1.0),
    "number: gone": lambda net: delattr(net, "number"),
    "number: past __setattr__ and counted": lambda net: (
        net.__dict__.update(number=2), changes.note()
    ),
    "texts": lambda net: setattr(net, "texts", ("a", ("c",))),
    "listed": lambda net: setattr(net, "listed", [1]),
    "listed: in place": lambda net: net.listed.append(3),
    "listed: deep in place": lambda net: net.listed[1].append(3),
    "mixed: in place": lambda net: net.mixed[1].append(3),
    "inner": replaced,
    "cells": lambda net: setattr(net, "cells", (net.cells[0], nn.Tanh())),
    "sequence": lambda net: setattr(net, "sequence", nn.SequentialCell()),
    "sequence: longer": lambda net: net.sequence.append(nn.ReLU()),
    "sequence: another child": lambda net: net.sequence.__setitem__(0, nn.Tanh()),
    "array": lambda net: setattr(net, "array", np.arange(3)),
    "array: in place": lambda net: net.array.fill(5.0),
    "w": lambda net: (delattr(net, "w"), setattr(net, "w", ms.Parameter(1.0, name="w"))),
    "tensor": lambda net: setattr(net, "tensor", ms.Tensor([1.0])),
    "function": lambda net: setattr(net, "function", math.sin),
    "config": lambda net: setattr(net, "config", types.SimpleNamespace(size=3)),
    "shared": lambda net: setattr(type(net), "shared", 2.0),
    "shared: by the instance": lambda net: setattr(net, "shared", 2.0),
    "construct": method_of_instance,
    "construct: of the class": method_of_class,
    "helper": lambda net: setattr(net, "helper", print),
    "computed": lambda net: setattr(net, "number", 5),
    "computed: by a Cell": replaced,
    "training": lambda net: net.set_train(),
}  # fmt: skip


@pytest.fixture
def net():
    """An instance of a class of its own, which tests may change."""
    return type("Net", (Net,), {})()


@pytest.mark.parametrize("case", CHANGES)
def test_attributes(net, case):
    guards = Guards()
    name = case.partition(":")[0]
    guards.attribute(net, name, f"self.{name}")
    assert guards.holds() and guards.holds() and guards.broken() is None
    changes.note()
    assert guards.holds()
    CHANGES[case](net)
    assert not guards.holds() and not guards.holds()
    assert guards.broken().path == f"self.{name}"


SAME = {
    "number": lambda net: setattr(net, "number", 1),
    "texts": lambda net: setattr(net, "texts", ("a", ("b",))),
    "listed": lambda net: setattr(net, "listed", [1, [2]]),
    "cells": lambda net: setattr(net, "cells", tuple(net.cells)),
    "w": lambda net: net.w.set_data([5.0]),
    "tensor": lambda net: net.tensor.asnumpy().fill(3.0),
    "sequence": lambda net: net.sequence.set_train(),
    "array": lambda net: setattr(net, "array", np.arange(3.0)),
    "construct": lambda net: net.set_train(),
    "computed": lambda net: net.set_train(),
}


@pytest.mark.parametrize("name", SAME)
def test_what_means_the_same_breaks_nothing(net, name):
    guards = Guards()
    guards.attribute(net, name, name)
    SAME[name](net)
    assert guards.holds() and guards.broken() is None


def test_a_chain_is_covered_link_by_link(net):
    guards = Guards()
    config = guards.attribute(net, "config", "self.config")
    guards.attribute(config, "size", "self.config.size")
    assert guards.holds()
    config.size = 4
    assert not guards.holds() and guards.broken().path == "self.config.size"
    config.size = 3
    assert guards.holds()
    del config.size
    assert not guards.holds() and guards.broken().path == "self.config.size"


def test_globals_and_closures():
    guards, names = Guards(), {"a": 1, "b": 2.0}

    def make():
        value, other = 1, 1

        def read():
            return value

        def write(new):
            nonlocal value
            value = new

        def clear():
            nonlocal value
            del value

        return read, write, clear, other

    read, write, clear, _ = make()
    assert guards.item(names, "a", "a") == 1 and guards.cell(read.__closure__[0], "value") == 1
    assert guards.holds()
    names["b"] = 3.0
    assert guards.holds()
    names["a"] = True
    assert guards.broken().path == "a" and not guards.holds()
    names["a"] = 1
    write(2)
    assert guards.broken().path == "value" and not guards.holds()
    write(1)
    assert guards.holds()
    clear()
    assert guards.broken().path == "value" and not guards.holds()
    write(1)
    del names["a"]
    assert guards.broken().path == "a" and not guards.holds()
    with pytest.raises(KeyError):
        guards.item(names, "zzz", "zzz")
    with pytest.raises(AttributeError):
        guards.attribute(net, "zzz", "zzz")


def test_names_that_are_no_identifiers(net):
    net.insert_child_to_cell("0", nn.ReLU())
    guards = Guards()
    guards.attribute(net, "0", "self.0")
    assert guards.holds()
    setattr(net, "0", nn.Tanh())
    assert not guards.holds()


def test_flags_of_parameters():
    w = ms.Parameter(ms.Tensor([1.0]), name="w")
    guards = Guards()
    guards.attribute(w, "requires_grad", "w.requires_grad")
    guards.attribute(w, "name", "w.name")
    assert guards.holds()
    w.requires_grad = False
    assert guards.broken().path == "w.requires_grad" and not guards.holds()
    w.requires_grad = True
    assert guards.holds()
    w.name = "v"
    assert guards.broken().path == "w.name" and not guards.holds()


def test_no_guards_hold():
    assert Guards().holds() and Guards().broken() is None


def test_guards_added_later_are_asked_too(net):
    guards = Guards()
    assert guards.holds()
    guards.attribute(net, "number", "self.number")
    net.number = 7
    assert not guards.holds()


@pytest.mark.parametrize("held", [[1, 2.0], {"a": 1, "b": 2.0}])
def test_what_is_held_counts_by_type_and_spelling(net, held):
    keys = list(held) if isinstance(held, dict) else [0, 1]
    net.listed = held
    guards = Guards()
    guards.attribute(net, "listed", "self.listed")
    assert guards.holds()
    held[keys[1]] = float("2")  # another object
    assert guards.holds()
    for other in (True, 1.0, 3, None, [1]):
        held[keys[0]] = other
        assert not guards.holds()
    held[keys[0]] = 1
    assert guards.holds()
    net.listed = tuple(held)
    assert not guards.holds()


def test_ids_are_not_used_again(net):
    guards = Guards()
    net.listed[:] = [object()]
    guards.attribute(net, "listed", "self.listed")
    for _ in range(100):
        net.listed[0] = object()  # the first one would be gone, and its place free
        assert not guards.holds()


def f():
    return None


EQUAL = [
    (1, 1), ("a", "a"), ([1, (2,)], [1, (2,)]), ({"a": [1]}, {"a": [1]}), ({1, 2}, {2, 1}),
    (range(3), range(3)), (float("nan"), float("nan")), ([].append, None), (f, f),
    (np.float32(1), np.float32(1)), (None, None), (b"a", b"a"),
]  # fmt: skip
DIFFERENT = [
    (1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ([1], (1,)), ({1: 2}, {1: 3}), ({1: 2}, {True: 2}),
    ({1}, frozenset({1})), ({1, 2}, {1, 3}), (range(3), range(4)), (object(), object()),
    (np.float32(1), np.float64(1)), ({"a": 1, "b": 2}, {"b": 2, "a": 1}), (f, print),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal_prints(one, other):
    if other is None and one is not None:  # a method that each read makes anew
        owner = []
        one, other = owner.append, owner.append
        assert one is not other
    assert fingerprint(one) == fingerprint(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_prints(one, other):
    assert fingerprint(one) != fingerprint(other)
