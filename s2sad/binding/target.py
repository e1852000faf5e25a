"""Which backend runs programs on the present target?

On a CPU it is C where there is a compiler, else NumPy; `S2SAD_BACKEND` in the environment names
one.
"""

from __future__ import annotations

import os
from importlib import import_module
from types import ModuleType

from s2sad.core import context
from s2sad.core.diagnostics import did_you_mean, fail

#: Packages for each target, by name; the first is taken where it can be.
BACKENDS = {"CPU": {"c": "s2sad.backends.c", "numpy": "s2sad.backends.numpy"}}
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
    known = BACKENDS[context.get_context("device_target")]
    wanted = os.environ.get(VARIABLE)
    if wanted:
        if wanted not in known:
            raise fail(
                "E0404", f"{VARIABLE} is {wanted!r}, there are {', '.join(known)}",
                help=did_you_mean(wanted, known),
            )  # fmt: skip
        return known[wanted]
    return known["c"] if has_compiler() else known["numpy"]


def has_compiler() -> bool:
    """Whether there is a C compiler; a warning says once in a process that there is none."""
    toolchain = import_module("s2sad.backends.c.toolchain")
    if toolchain.find_toolchain() is not None:
        return True
    toolchain.warn_of_none()
    return False
