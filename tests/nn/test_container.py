"""Is a SequentialCell its Cells in order, under any change?"""

from __future__ import annotations

import copy

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms


def names(cell):
    return [parameter.name for parameter in cell.get_parameters()]


def three():
    return nn.SequentialCell(nn.Dense(2, 3), nn.ReLU(), nn.Dense(3, 1, has_bias=False))


def test_names_are_places():
    net = three()
    assert names(net) == ["0.weight", "0.bias", "2.weight"]
    assert list(net.name_cells()) == ["0", "1", "2"]
    outer = nn.SequentialCell([three(), nn.Dense(1, 1)])
    assert names(outer)[:2] == ["0.0.weight", "0.0.bias"] and names(outer)[-1] == "1.bias"

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.body = three()

        def construct(self, x):
            return self.body(x)

    assert names(Net()) == ["body.0.weight", "body.0.bias", "body.2.weight"]


def test_names_of_a_mapping():
    net = nn.SequentialCell({"first": nn.Dense(1, 1), "act": nn.ReLU()})
    assert names(net) == ["first.weight", "first.bias"] and list(net.name_cells()) == [
        "first",
        "act",
    ]
    assert nn.SequentialCell({"first": nn.Dense(1, 1)}).first is not None


@pytest.mark.parametrize("build", [lambda c: nn.SequentialCell(*c), nn.SequentialCell,
                                   lambda c: nn.SequentialCell(tuple(c))])  # fmt: skip
def test_construct(build):
    cells = [nn.Dense(2, 3, dtype=ms.float64), nn.Tanh(), nn.Dense(3, 1, dtype=ms.float64)]
    net = build(cells)
    x = np.random.default_rng(0).normal(size=(4, 2))

    def run(x):
        return net(x)

    w1, b1, w2, b2 = (p.asnumpy() for p in net.trainable_params())
    np.testing.assert_allclose(
        both_forms(run, ms.Tensor(x)).asnumpy(), np.tanh(x @ w1.T + b1) @ w2.T + b2, rtol=1e-12
    )
    assert list(net) == cells and len(net) == 3 and net[1] is cells[1] and net[-1] is cells[2]


def test_without_cells_it_is_the_identity():
    for net in (nn.SequentialCell(), nn.SequentialCell([])):
        assert len(net) == 0 and both_forms(net.construct, ms.Tensor([1.0])).item() == 1.0


def test_one_cell_that_is_a_container():
    inner = three()
    net = nn.SequentialCell(inner)
    assert len(net) == 1 and net[0] is inner and names(net)[0] == "0.0.weight"


def test_slices_keep_the_names():
    net = three()
    tail = net[1:]
    assert isinstance(tail, nn.SequentialCell) and list(tail) == list(net)[1:]
    assert names(tail) == ["2.weight"] and names(net) == ["0.weight", "0.bias", "2.weight"]
    assert list(net[::-1]) == list(net)[::-1] and len(net[5:]) == 0
    tail.append(nn.Dense(1, 1))
    assert len(tail) == 3 and names(tail) == ["2.weight", "3.weight", "3.bias"]


def test_changes_are_seen_by_compiled_code():
    net = nn.SequentialCell(Times(2.0))
    compiled = ms.compile(net)
    x = ms.Tensor([1.0])
    assert compiled(x).item() == 2.0
    net.append(Times(3.0))
    assert compiled(x).item() == 6.0 and len(net) == 2
    net[0] = Times(5.0)
    assert compiled(x).item() == 15.0
    net[-1] = Times(7.0)
    assert compiled(x).item() == 35.0
    del net[0]
    assert compiled(x).item() == 7.0 and list(net.name_cells()) == ["0"]
    setattr(net, "0", Times(11.0))
    assert compiled(x).item() == net.construct(x).item() == 11.0
    net[0].factor = 13.0
    assert compiled(x).item() == 13.0
    del net[:]
    assert compiled(x).item() == 1.0


class Times(nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def construct(self, x):
        return x * self.factor


def test_places_that_do_not_exist():
    net = three()
    for access in (lambda: net[3], lambda: net[-4], lambda: net.__setitem__(3, nn.ReLU()),
                   lambda: net.__delitem__(-4)):  # fmt: skip
        with pytest.raises(IndexError, match="E0501"):
            access()
    assert len(net) == 3


@pytest.mark.parametrize("given", [(3,), (nn.ReLU(), "relu"), ([nn.ReLU(), None],), (ms.nn.ReLU,)])
def test_what_is_no_cell(given):
    with pytest.raises(S2sadError, match="E0304"):
        nn.SequentialCell(*given)
    net = three()
    with pytest.raises(S2sadError, match="E0304"):
        net.append(given[-1] if not isinstance(given[-1], list) else None)
    assert len(net) == 3


def test_flags_reach_the_cells():
    net = three()
    assert net.set_grad() is net and all(cell.requires_grad for cell in net)
    assert net.set_train() is net and all(cell.training for cell in net)


def test_copies():
    net = three()
    twin = copy.deepcopy(net)
    assert twin[0] is not net[0] and names(twin) == names(net)
    twin[0].weight.set_data(np.zeros((3, 2)))
    assert twin[0].weight.asnumpy().max() == 0.0 != net[0].weight.asnumpy().max()


def test_what_is_shown():
    assert repr(nn.SequentialCell(nn.ReLU(), nn.Tanh())) == (
        "SequentialCell(\n  (0): ReLU()\n  (1): Tanh()\n)"
    )
