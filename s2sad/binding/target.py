"""Which backend runs programs on the present target?

On a CPU it is C where there is a compiler, else NumPy; `S2SAD_BACKEND` in the environment names
one. So it is where the device is simulated, whose numbers come from the CPU unless it is asked for
its own.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from s2sad.core.diagnostics import did_you_mean, fail

#: Packages by name; the first is taken where it can be.
BACKENDS = {"c": "s2sad.backends.c", "numpy": "s2sad.backends.numpy"}
#: Variable of the environment that names one.
VARIABLE = "S2SAD_BACKEND"


def backend() -> ModuleType:
    """The package whose `build` makes executables."""
    return import_module(backend_name())


def backend_name() -> str:
    """The name of that package.

    Raises
    ------
    S2sadError
        E0404 where the environment names none.
    """
    wanted = os.environ.get(VARIABLE)
    if wanted:
        if wanted not in BACKENDS:
            raise fail(
                "E0404", f"{VARIABLE} is {wanted!r}, there are {', '.join(BACKENDS)}",
                help=did_you_mean(wanted, BACKENDS),
            )  # fmt: skip
        return BACKENDS[wanted]
    return BACKENDS["c"] if has_compiler() else BACKENDS["numpy"]


def has_compiler() -> bool:
    """Whether there is a C compiler; a warning says once in a process that there is none."""
    toolchain = import_module("s2sad.backends.c.toolchain")
    if toolchain.find_toolchain() is not None:
        return True
    toolchain.warn_of_none()
    return False
