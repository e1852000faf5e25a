"""Are containers their Cells in order, under any change, with Parameters named by their paths?"""

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


class Holder(nn.Cell):
    """A Cell with one attribute, `body`."""

    def __init__(self, body):
        super().__init__()
        self.body = body

    def construct(self, x):
        for cell in self.body:
            x = cell(x)
        return x


def dense(size=1):
    return nn.Dense(size, size, has_bias=False)


@pytest.mark.parametrize("kind", [nn.SequentialCell, nn.CellList])
def test_names_keep_the_path_of_the_container(kind):
    net = Holder(kind([dense(), nn.ReLU(), dense()]))
    assert names(net) == ["body.0.weight", "body.2.weight"]
    net.body.append(dense())
    assert names(net) == ["body.0.weight", "body.2.weight", "body.3.weight"]
    outer = Holder(nn.SequentialCell([net]))
    net.body[1] = dense()
    assert names(net) == [f"body.0.body.{place}.weight" for place in range(4)]
    del net.body[0]
    assert names(outer) == [f"body.0.body.{place}.weight" for place in range(3)]
    del net.body[:]
    net.body.append(dense())
    assert list(net.parameters_dict()) == ["body.0.weight"]  # its own path is known, no other's


@pytest.mark.parametrize("kind", [nn.SequentialCell, nn.CellList, nn.CellDict])
def test_names_of_what_comes_later(kind):
    net = Holder(kind())
    if kind is nn.CellDict:
        net.body["0"] = dense()
    else:
        net.body.append(dense())
    assert names(net) == ["body.0.weight"]


@pytest.mark.parametrize("kind", [nn.SequentialCell, nn.CellList])
def test_slices_of_an_attribute_leave_names_alone(kind):
    net = Holder(kind([dense() for _ in range(3)]))
    before = names(net)
    part = net.body[1:]
    assert isinstance(part, kind) and list(part) == list(net.body)[1:] and names(net) == before


def test_a_subclass_is_cut_into_plain_ones():
    class Block(nn.SequentialCell):
        def __init__(self, size):
            super().__init__(dense(size), nn.ReLU(), dense(size))

    part = Block(2)[:2]
    assert type(part) is nn.SequentialCell and len(part) == 2


# ---- CellList -------------------------------------------------------------------------------


def test_a_list_changes_as_lists_do():
    a, b, c, d, e = (nn.Dense(1, 1) for _ in range(5))
    cells = nn.CellList([b])
    cells.append(d)
    cells.insert(0, a)
    cells.insert(-1, c)
    cells += (e,)
    assert list(cells) == [a, b, c, d, e] and len(cells) == 5 and cells[-1] is e
    assert cells.extend([nn.ReLU()]) is cells
    cells.insert(6, nn.Tanh())
    assert isinstance(cells[6], nn.Tanh) and list(cells.name_cells()) == list("0123456")
    assert names(cells)[::2] == [f"{place}.weight" for place in range(5)]
    cells[0] = e
    del cells[1]
    assert list(cells)[:3] == [e, c, d] and a not in cells and c in cells
    assert [cell for cell in reversed(cells)][0] is cells[-1]
    assert list(cells[1:3]) == [c, d] and len(nn.CellList()) == 0 and not nn.CellList()


def test_compiled_code_goes_through_a_list():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellList([Times(2.0), Times(3.0), Times(5.0)])

        def construct(self, x):
            total = x * 0
            for place, cell in enumerate(self.layers):
                total = total + cell(x) * (place + 1)
            for cell in self.layers[1:]:
                total = total + cell(x)
            return total + self.layers[-1](x) * len(self.layers)

    net = Net()
    compiled = ms.compile(net)
    x = ms.Tensor([1.0])

    def expected(*factors):
        weighted = sum(f * (i + 1) for i, f in enumerate(factors))
        return weighted + sum(factors[1:]) + factors[-1] * len(factors)

    assert compiled(x).item() == net.construct(x).item() == expected(2, 3, 5)
    net.layers.append(Times(7.0))
    assert compiled(x).item() == expected(2, 3, 5, 7)
    net.layers[1] = Times(1.0)
    assert compiled(x).item() == expected(2, 1, 5, 7)
    net.layers[1].factor = 4.0
    assert compiled(x).item() == expected(2, 4, 5, 7)


def test_gradients_of_what_a_list_holds():
    net = Holder(nn.CellList([nn.Dense(1, 1, "ones", "zeros"), nn.Dense(1, 1, 3.0, "zeros")]))
    found = ms.grad(net, None, net.trainable_params())(ms.Tensor([[2.0]]))
    assert [g.item() for g in found] == [6.0, 3.0, 2.0, 1.0]


def test_a_list_without_names_of_its_own():
    cells = nn.CellList([dense()], auto_prefix=False)
    cells.append(dense())
    assert names(cells) == ["weight", "weight"]


def test_flags_reach_the_cells_of_a_list():
    for cells in (nn.CellList([dense()]), nn.CellDict({"a": dense()})):
        assert cells.set_grad() is cells and cells.cell_list[0].requires_grad
        assert cells.set_train().cell_list[0].training


def test_a_list_is_not_called():
    with pytest.raises(AttributeError, match="E0220.*CellList has no method 'construct'"):
        nn.CellList([dense()])(ms.Tensor([1.0]))


@pytest.mark.parametrize("given", [3, "ab", [3], [nn.ReLU(), None], {"a": nn.ReLU()}])
def test_what_is_no_list_of_cells(given):
    with pytest.raises(S2sadError, match="E0304"):
        nn.CellList(given)
    cells = nn.CellList([nn.ReLU()])
    with pytest.raises(S2sadError, match="E0304"):
        cells.extend(given)
    assert len(cells) == 1


def test_places_in_a_list_that_do_not_exist():
    cells = nn.CellList([nn.ReLU()])
    for access in (lambda: cells[1], lambda: cells.insert(3, nn.ReLU()),
                   lambda: cells.__setitem__(-2, nn.ReLU())):  # fmt: skip
        with pytest.raises(IndexError, match="E0501"):
            access()
    with pytest.raises(TypeError, match="E0303"):
        cells["0"]
    assert len(cells) == 1


# ---- CellDict -------------------------------------------------------------------------------


def test_a_dict_changes_as_dicts_do():
    first, second, third = dense(), dense(), dense()
    cells = nn.CellDict([("a", first)])
    cells["b"] = second
    cells.update({"c": third, "a": second})
    assert list(cells) == list(cells.keys()) == ["a", "b", "c"] and len(cells) == 3
    assert list(cells.values()) == [second, second, third] and "c" in cells and "d" not in cells
    assert list(cells.items()) == [("a", second), ("b", second), ("c", third)]
    assert cells.pop("a") is second and cells["b"] is second
    del cells["b"]
    assert names(cells) == ["c.weight"]
    cells.clear()
    assert len(cells) == 0 and names(cells) == []


def test_compiled_code_takes_from_a_dict():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = nn.CellDict({"two": Times(2.0), "three": Times(3.0)})

        def construct(self, x):
            total = self.layers["two"](x)
            for name, cell in self.layers.items():
                total = total + cell(x) * len(name)
            for cell in self.layers.values():
                total = total + cell(x)
            for name in self.layers.keys():
                total = total + self.layers[name](x)
            return total

    net = Net()
    compiled = ms.compile(net)
    x = ms.Tensor([1.0])
    assert compiled(x).item() == net.construct(x).item() == 2 + (6 + 15) + 5 + 5
    net.layers["two"] = Times(1.0)
    assert compiled(x).item() == 1 + (3 + 15) + 4 + 4


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda cells: cells["b"], "E0511"), (lambda cells: cells.pop("b"), "E0511"),
        (lambda cells: cells.__delitem__("b"), "E0511"),
        (lambda cells: cells.update({"b": 3}), "E0304"), (lambda cells: cells.update(3), "E0304"),
        (lambda cells: cells.update({"b.c": dense()}), "E0511"),
        (lambda cells: cells.update({"items": dense()}), "E0511"),
    ],
)  # fmt: skip
def test_what_a_dict_refuses(change, code):
    cells = nn.CellDict({"a": dense()})
    with pytest.raises(S2sadError, match=code):
        change(cells)
    assert list(cells) == ["a"] and names(cells) == ["a.weight"]
