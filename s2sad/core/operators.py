"""Where do a Tensor's operators and methods come from? From `ops`, by name, through the slots.

Python's operators are defined here once, in a loop; each looks its meaning up at the call. A
reflected one (``1 - tensor``) is the same operation with its operands exchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any

from s2sad.core import storage
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.dispatch import slots
from s2sad.core.elsewhere import OF_TENSORS

#: Names in `tensor_methods` that are read without a call.
PROPERTIES = frozenset({"T", "mT"})

REFLECTED = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul", "lshift",
    "rshift", "and", "or", "xor",
)  # fmt: skip
FORWARD = (
    *REFLECTED, "lt", "le", "gt", "ge", "neg", "pos", "invert", "abs", "round", "getitem",
)  # fmt: skip


def method(name: str) -> Callable[..., Any]:
    """Operator or method of a Tensor, as a function of the tensor and the other arguments.

    Raises
    ------
    S2sadError
        E0220 when there is none, with the name that comes near.
    """
    methods = slots().tensor_methods
    if name in methods:
        return methods[name]
    if name.startswith("__"):
        raise fail("E0220", f"Tensor has no operator {name!r}")
    near = OF_TENSORS.get(name) or did_you_mean(name, [*methods, *dir(Operators)])
    raise fail("E0220", f"Tensor has no attribute {name!r}", help=near)


class Operators(storage.Stored):
    """What a Tensor can do besides holding its elements."""

    __slots__ = ()

    def __shown__(self) -> str:
        """What messages call it (`s2sad.core.shown`)."""
        return f"{self.dtype.short}{list(self.shape) or ''}"

    #: NumPy's operators leave ``array + tensor`` to the tensor.
    __array_priority__ = 1000.0

    def __eq__(self, other: object) -> Any:
        return False if other is None else method("__eq__")(self, other)

    def __ne__(self, other: object) -> Any:
        return True if other is None else method("__ne__")(self, other)

    __hash__ = object.__hash__

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).array.any())

    def _explain_no_array(self) -> None:
        """Raise what says more of it than that it is not there."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "array":  # protocols, and a tensor not made yet
            if name == "array":
                self._explain_no_array()
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        if name in PROPERTIES:
            return method(name)(self)
        return MethodType(method(name), self)


def _define(spelling: str, name: str, *, is_reflected: bool) -> None:
    def forward(self: Operators, *operands: Any) -> Any:
        return method(name)(self, *operands)

    def reflected(self: Operators, other: Any) -> Any:
        return method(name)(other, self)

    function = reflected if is_reflected else forward
    function.__name__ = spelling
    function.__qualname__ = f"Tensor.{spelling}"
    setattr(Operators, spelling, function)


for _name in FORWARD:
    _define(f"__{_name}__", f"__{_name}__", is_reflected=False)
for _name in REFLECTED:
    _define(f"__r{_name}__", f"__{_name}__", is_reflected=True)
