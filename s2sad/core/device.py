"""Where are tensors held? On the CPU; other devices are known by name and refused."""

from __future__ import annotations

from typing import Any

from s2sad.core.diagnostics import S2sadError, fail


def unavailable(target: str) -> S2sadError:
    """The error that says so (E0710)."""
    return fail(
        "E0710", f"the device {target} is not supported yet, only CPU is",
        help='set_context(device_target="CPU"), or leave it out',
    )  # fmt: skip


def require_cpu(device: Any) -> None:
    """E0303 unless `device` is a str or None, E0710 for another device than the CPU.

    Examples
    --------
    >>> require_cpu(None), require_cpu("CPU:0")
    (None, None)
    """
    if device is None:
        return
    if not isinstance(device, str):
        raise fail("E0303", f'a device is a str such as "CPU", got {device!r}')
    if device.partition(":")[0].upper() != "CPU":
        raise unavailable(device)
