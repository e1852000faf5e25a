"""`s2sad profile` on files of users."""

from __future__ import annotations

import sys

import pytest

NET = """
import s2sad as ms
from s2sad import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3)

    def construct(self, x):
        hidden = self.fc(x)
        return ops.sum(ops.tanh(hidden))
"""


@pytest.fixture
def net(tmp_path):
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    yield "net.py:Net"
    sys.modules.pop("net", None)


def test_lines_and_kernels(s2sad, net):
    said = s2sad("profile", net, "-i", "f32[8, 4]", "--grad", "--runs", "3")
    assert said.code == 0 and not said.err
    assert said.out.startswith("1 program ran 3 times, 0 operations by themselves\n")
    assert "net.py:12" in said.out and "net.py:13" in said.out
    assert "matmul" in said.out and "written" not in said.out


def test_files(s2sad, net, tmp_path):
    said = s2sad("profile", net, "-i", "f32[8, 4]", "-o", "out")
    assert said.code == 0
    (folder,) = (tmp_path / "out").glob("*_ascend_ms/ASCEND_PROFILER_OUTPUT")
    assert {path.name for path in folder.iterdir()} == {
        "kernel_details.csv", "memory_record.csv", "report.txt", "source_lines.csv",
        "trace_view.json",
    }  # fmt: skip
    assert "written to out" in said.out


def test_refusals(s2sad, net):
    assert "E0404" in s2sad("profile", net, "-i", "f32[8, 4]", "--runs", "0").err
    assert "E0220" in s2sad("profile", "net.py:Other").err
