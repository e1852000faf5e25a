"""What would ``npu-smi info`` show of the simulated device?"""

from __future__ import annotations

from s2sad.backends.ascend.device.memory import soc
from s2sad.tools.tables import show

#: Widths of the three parts of a line.
WIDTHS = (27, 17, 50)


def device_info(soc_version: str) -> int:
    """Print the chip `soc_version` as ``npu-smi info`` prints a chip, marked as simulated.

    What only silicon has, power and temperature, is a dash.

    Returns
    -------
    int
        0

    Raises
    ------
    S2sadError
        E0710 for a chip that is not known.
    """
    show("\n".join(lines(soc_version)))
    return 0


def lines(soc_version: str) -> list[str]:
    """The lines that are printed.

    Examples
    --------
    >>> print(lines("Ascend910B4")[0])
    simulated: this is no device, and nothing of it was measured
    """
    chip = soc(soc_version)
    memory = "not known" if chip["hbm_bytes"] is None else str(chip["hbm_bytes"] >> 20)
    cores = chip.get("cube_core_cnt") or chip["ai_core_cnt"]
    thin = "+".join(["", *("-" * width for width in WIDTHS), ""])
    rows = [
        ("NPU   Name", "Health", "Power(W)    Temp(C)"),
        ("Chip  Cores", "Bus-Id", "AICore(%)   HBM-Usage(MB)"),
        ("0     " + soc_version.removeprefix("Ascend"), "simulated", "-           -"),
        (f"0     {cores} AI, {chip['vector_core_cnt']} vector", "-", f"0           0 / {memory}"),
    ]
    text = [_line(row) for row in rows]
    return [
        "simulated: this is no device, and nothing of it was measured",
        thin, *text[:2], thin.replace("-", "="), *text[2:], thin,
    ]  # fmt: skip


def _line(row: tuple[str, ...]) -> str:
    cells = (f" {cell:<{width - 1}}" for cell, width in zip(row, WIDTHS, strict=True))
    return "|".join(["", *cells, ""])
