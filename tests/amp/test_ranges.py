"""Does `amp.explain` know what 16 bits would lose, and where?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import amp, nn, ops
from s2sad.core.diagnostics import S2sadError


class Powers(nn.Cell):
    def construct(self, x):
        y = ops.exp(x)
        return y * 1e-9


def row_of(found, operation):
    (row,) = [each for each in found.rows if each.operation == operation]
    return row


def test_ranges_and_verdicts():
    x = np.log(np.array([1.0, 65519.0, 65520.0, 3.0], np.float64)).astype(np.float32)
    found = amp.explain(Powers(), x)
    exp, mul = row_of(found, "exp"), row_of(found, "mul")
    values = np.exp(x, dtype=np.float32)
    assert exp.smallest == 1.0 and exp.largest == values.max()
    assert exp.overflow == np.count_nonzero(values >= 65520.0)
    assert (exp.count, exp.vanish) == (4, 0)
    assert [exp.verdict(level) for level in ("O0", "O1", "O2", "O3", "auto")] == [
        "32", "32", "overflow", "overflow", "32",
    ]  # fmt: skip
    assert mul.overflow == 0 and mul.vanish == 2  # 1e-9 and 3e-9 are 0, 6.6e-5 is not
    assert mul.verdict("O3") == "vanish 50%"
    assert found.lost("O3") == [exp, mul] and found.lost("O1") == []


def test_the_borders_of_float16():
    class Same(nn.Cell):
        def construct(self, x):
            return x * 1.0

    tiny = np.float32(2.0**-25)
    above = np.nextafter(tiny, np.float32(1))
    cases = {
        65519.9: (0, 0), 65520.0: (1, 0), tiny: (0, 1), above: (0, 0), 0.0: (0, 0), np.inf: (0, 0),
    }  # fmt: skip
    for value, (overflow, vanish) in cases.items():
        row = row_of(amp.explain(Same(), np.array([value, -1.0], np.float32)), "mul")
        assert (row.overflow, row.vanish) == (overflow, vanish), value
    wide = row_of(amp.explain(Same(), np.float32([1e30, 1e-30]), ms.bfloat16), "mul")
    assert (wide.overflow, wide.vanish) == (0, 0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 3, weight_init="ones", bias_init="zeros")
        self.norm = nn.LayerNorm((3,))

    def construct(self, x):
        total = self.norm(self.dense(x)).sum()
        for _ in range(2):
            total = total * 1e-5
        return total


def test_a_loss_has_its_gradient_looked_at_and_nothing_is_written():
    net = Net()
    before = [p.asnumpy().copy() for p in net.get_parameters()]
    found = amp.explain(net, (np.eye(4, dtype=np.float32),))
    names = [row.operation for row in found.rows]
    assert "layer_norm" in names and "layer_norm_grad" in names
    assert {row.verdict("O2") for row in found.rows if row.operation.startswith("layer")} == {"32"}
    lines = {row.where.rpartition(":")[2] for row in found.rows if row.verdict("O1") == "16"}
    source = Path(__file__).read_text("utf-8").splitlines()
    assert {source[int(line) - 1].strip() for line in lines} == {
        "total = self.norm(self.dense(x)).sum()"
    }
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    step = amp.build_train_network(net, optimizer)
    assert len(amp.explain(step, np.eye(4, dtype=np.float32)).rows) > len(found.rows)
    for old, parameter in zip(before, net.get_parameters(), strict=True):
        np.testing.assert_array_equal(old, parameter.asnumpy())
    assert not np.any(optimizer.moments[0].asnumpy())


def test_a_loop_of_the_program_is_one_row():
    class Loop(nn.Cell):
        def construct(self, x):
            turns = x.sum() * 0
            while turns < 5:
                x = x * 100.0
                turns = turns + 1
            return x

    found = amp.explain(Loop(), ms.Tensor([1.0, 2.0]))
    row = max(found.rows, key=lambda each: each.largest)
    assert (row.operation, row.largest, row.smallest, row.count) == ("mul", 2e10, 100.0, 10)


def test_text_is_a_table():
    lines = str(amp.explain(Powers(), ms.Tensor([0.0, 12.0]))).splitlines()
    assert lines[0].split() == [
        "line", "operation", "smallest", "largest", "O1", "O2", "O3", "auto",
    ]  # fmt: skip
    assert len(lines) == 3 and lines[1].split()[1] == "exp" and "test_ranges.py:" in lines[1]


def test_refused():
    for code, call in {
        "E0304": lambda: amp.explain(lambda x: x, ms.Tensor([1.0])),
        "E0404": lambda: amp.explain(Powers(), ms.Tensor([1.0]), ms.float32),
    }.items():
        with pytest.raises(S2sadError) as caught:
            call()
        assert caught.value.code == code
    with pytest.raises(S2sadError):
        amp.explain(Powers(), ms.Tensor([1.0])).lost("O4")
