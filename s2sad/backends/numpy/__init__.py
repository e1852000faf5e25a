"""NumPy: the reference target, and what runs without a C compiler."""

from s2sad.backends.numpy.executable import NumpyExecutable, build
from s2sad.backends.numpy.sizes import sizes_for

__all__ = ["NumpyExecutable", "build", "sizes_for"]
