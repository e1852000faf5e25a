"""NumPy: the reference target, and what runs without a C compiler."""

from s2sad.backends.numpy.executable import NumpyExecutable, build

__all__ = ["NumpyExecutable", "build"]
