"""Does a program from a file run as a Cell, with Parameters of its own?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn
from s2sad.core.diagnostics import S2sadError

X = ms.Tensor(np.random.default_rng(0).normal(size=(4, 3)).astype(np.float32))


@pytest.fixture
def net():
    ms.set_seed(0)
    return nn.SequentialCell(nn.Dense(3, 2, activation="relu"), nn.BatchNorm1d(2))


def kept(net, folder, stage=0):
    paths = ms.compile(net).dump(folder, X)
    return nn.GraphCell(ms.load_ir(paths[stage]), net.parameters_dict())


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("stage", [0, -1])
def test_it_computes_what_the_network_does(net, tmp_path, mode, stage):
    cell, expected = kept(net, tmp_path, stage), ms.compile(net)(X)
    ms.set_context(mode=mode)
    assert cell(X).tolist() == expected.tolist()
    rows = [(p.name, p.shape, p.requires_grad) for p in net.get_parameters()]
    assert sorted((p.name, p.shape, p.requires_grad) for p in cell.get_parameters()) == sorted(rows)
    cell.parameters_dict()["0.weight"].set_data(np.zeros((2, 3)))
    assert cell(X).tolist() != expected.tolist() == ms.compile(net)(X).tolist()


def test_it_writes_its_own_parameters(net, tmp_path):
    cell = kept(net.set_train(), tmp_path)
    before = net[1].moving_mean.asnumpy().copy()
    found = cell(X)
    np.testing.assert_array_equal(net[1].moving_mean.asnumpy(), before)
    assert found.tolist() == ms.compile(net)(X).tolist()
    moved = cell.parameters_dict()["1.moving_mean"].tolist()
    assert moved == net[1].moving_mean.tolist() != before.tolist()


def test_it_is_differentiated(net, tmp_path):
    cell = kept(net, tmp_path)
    found = ms.grad(cell.program)(X)
    assert found.tolist() == ms.grad(net)(X).tolist()


def test_what_cannot_be(net, tmp_path):
    path, *_ = ms.compile(net).dump(tmp_path, X)
    loaded, values = ms.load_ir(path), net.parameters_dict()
    for code, arguments in (
        ("E0304", ("net.mindir",)), ("E0404", (loaded,)), ("E0404", (loaded, values, 3)),
        ("E0404", (loaded, {**values, "0.weight": "text"})),
        ("E0401", (loaded, {**values, "0.weight": ms.Tensor([1.0])})),
    ):  # fmt: skip
        with pytest.raises(S2sadError, match=code):
            nn.GraphCell(*arguments)
    cell = nn.GraphCell(loaded, values)
    with pytest.raises(S2sadError, match="E0104"):
        ms.compile(lambda x: cell(x))(X)
