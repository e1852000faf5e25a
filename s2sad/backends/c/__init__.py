"""C: programs as a table of kernels, compiled by the machine's own compiler."""

from s2sad.backends.c.executable import CExecutable, build, compile_many
from s2sad.backends.c.sizes import sizes_for

__all__ = ["CExecutable", "build", "compile_many", "sizes_for"]
