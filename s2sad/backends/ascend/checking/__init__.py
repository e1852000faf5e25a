"""What in a graph file would GE not take, or drop without a word?

The rules are those that its reader's public source and the declarations of its operators give; each
finding says where and what to do. What a chip's kernels take is not known from them.

``model`` goes through a model by the rules of the other modules: ``graphs`` of inputs, results and
order, ``ports``, ``tensors`` and ``attributes`` of each node, ``state`` of what is written in
place, and ``calls`` of graphs inside of graphs.
"""

from s2sad.backends.ascend.checking.finding import Finding
from s2sad.backends.ascend.checking.model import check, require

__all__ = ["Finding", "check", "require"]
