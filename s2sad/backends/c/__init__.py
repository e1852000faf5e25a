"""C: programs as a table of kernels, compiled by the machine's own compiler."""

from s2sad.backends.c.executable import CExecutable, build, compile_many

__all__ = ["CExecutable", "build", "compile_many"]
