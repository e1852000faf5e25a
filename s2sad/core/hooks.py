"""What is a hook? Data: a function of the gradient that passes a place.

A hook stands in a program (`Hook`), or is registered: with a Tensor, or with a Cell (`cell_hooks`).
What is registered with a Tensor is kept beside it, so that one without hooks carries nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import ref

from s2sad.core import changes
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown

if TYPE_CHECKING:
    from s2sad.core.tensor import Tensor


class Hook:
    """The identity, whose gradient goes through a function on its way back.

    Attributes
    ----------
    name : str
    function : callable
        Takes the gradient, and gives the one that takes its place; None where that stays.
    in_tuple : bool
        Whether `function` takes it as a tuple of one.
    """

    in_tuple = False

    def __init__(self, function: Callable[..., Any]) -> None:
        name = type(self).__name__
        self.name = f"the function of {name}"
        self.function = checked(function, f"{name} takes a function of the gradient")

    def __call__(self, x: Tensor) -> Tensor:
        return x


def checked(function: Any, what: str) -> Any:
    """`function`, which must be callable (E0304)."""
    if not callable(function):
        raise fail("E0304", f"{what}, got {shown(function)}")
    return function


class Entry:
    """One hook that is registered, apart from all others.

    Attributes
    ----------
    function : callable
    kind : str
        ``"tensor"``, ``"forward_pre"``, ``"forward"``, ``"backward_pre"`` or ``"backward"``.
    with_kwargs : bool
        Whether it takes keyword arguments as well.
    always_call : bool
        Whether it is called where the Cell fails, too.
    """

    def __init__(
        self, function: Callable[..., Any], kind: str = "tensor", with_kwargs: bool = False,
        always_call: bool = False,
    ) -> None:  # fmt: skip
        self.function = function
        self.kind = kind
        self.with_kwargs = with_kwargs
        self.always_call = always_call


class HookHandle:
    """What registering a hook gives: it takes the hook away again.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter([2.0], name="w")
    >>> handle = w.register_hook(lambda dw: dw * 10.0)
    >>> slope = ms.grad(lambda x: w * x, None, w)
    >>> x = ms.Tensor([3.0])
    >>> slope(x).tolist(), handle.remove(), slope(x).tolist()
    ([30.0], None, [3.0])
    """

    def __init__(self, entry: Entry, remove: Callable[[Entry], None]) -> None:
        self._entry = entry
        self._remove = remove

    def remove(self) -> None:
        """Take the hook away; once it is gone, nothing happens."""
        self._remove(self._entry)


# ---- hooks of Tensors ----------------------------------------------------------------------------

#: Of each Tensor that has hooks, by its identity: itself, held weakly, and they.
_held: dict[int, tuple[ref[Tensor], tuple[Entry, ...]]] = {}


def hooks_of(tensor: Tensor) -> tuple[Entry, ...]:
    """Hooks that are registered with `tensor`, in that order."""
    return _held[id(tensor)][1] if id(tensor) in _held else ()


def register_hook(tensor: Tensor, hook: Callable[[Any], Any]) -> HookHandle:
    """Let gradients by this tensor go through `hook`.

    Parameters
    ----------
    hook : callable
        Takes the gradient, a Tensor, and gives one of its dtype and shape, or None where it stays
        as it is. It is compiled with the gradient. Several are called in the order in which they
        were registered.

    Returns
    -------
    HookHandle
        Its `remove` takes the hook away.

    Raises
    ------
    S2sadError
        E0304 for what cannot be called. Where a gradient is taken: E0301 and E0401 for another
        dtype or shape, E0304 for what is no Tensor, E0104 where `hook` writes a Parameter; in
        compiled code also for a Parameter or a Tensor from outside.

    Notes
    -----
    Outside of compiled code: each gradient by the tensor that a call gives goes through `hook`,
    also where that call is compiled. In a function that is differentiated, the gradient of what is
    computed from the tensor from there on.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.Tensor([3.0])
    >>> handle = x.register_hook(lambda dx: dx * 10.0)
    >>> ms.grad(ms.ops.square)(x).tolist()
    [60.0]
    """
    entry = Entry(checked(hook, "register_hook takes a function of the gradient"))
    _hold(tensor, (*hooks_of(tensor), entry))
    held = ref(tensor)

    def remove(gone: Entry) -> None:
        owner = held()
        if owner is not None:
            _hold(owner, tuple(x for x in hooks_of(owner) if x is not gone))

    return HookHandle(entry, remove)


def _hold(tensor: Tensor, entries: tuple[Entry, ...]) -> None:
    key = id(tensor)
    if entries:
        _held[key] = ref(tensor, lambda _: _held.pop(key, None)), entries
    else:
        _held.pop(key, None)
    changes.note()
