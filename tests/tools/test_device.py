"""Does `s2sad device-info` show a chip, and say that it is none?"""

from __future__ import annotations

from s2sad.tools.cli import main


def test_the_chip_is_shown_as_simulated(capsys):
    assert main(["device-info"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("simulated:") and "910B1" in out and "0 / 65536" in out
    assert "24 AI, 48 vector" in out
    widths = {len(line) for line in out.splitlines()[1:]}
    assert len(widths) == 1


def test_another_chip(capsys):
    assert main(["device-info", "--soc", "Ascend910A"]) == 0
    assert "0 / not known" in capsys.readouterr().out


def test_no_chip(capsys):
    assert main(["device-info", "--soc", "H200"]) == 2
    assert "no chip is called 'H200'" in capsys.readouterr().err
