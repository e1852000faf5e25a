"""How do kernels that are compiled for one size serve others?"""

from __future__ import annotations

from collections.abc import Mapping

from s2sad.ir.known_sizes import Size

#: Begins the name of a size in C, so that it is none of a kernel's own.
PREFIX = "size_"


def sizes_for(sizes: Mapping[str, int]) -> dict[str, int]:
    """`sizes` that kernels read, and so are in no text of theirs."""
    return {name: Size(size, PREFIX + name) for name, size in sizes.items()}
