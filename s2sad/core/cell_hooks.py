"""Which functions does a Cell call before and after it computes, and on the way back?

They are called here, both where a Cell runs and where it is compiled: only how a function is called
differs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import ref

from s2sad.core import changes, precision
from s2sad.core.diagnostics import fail
from s2sad.core.hooks import Entry, HookHandle, checked

#: ``call(entry, args)``: what the function of a hook gives.
Call = Callable[[Entry, list[Any]], Any]
#: ``run(args, kwargs)``: what the Cell computes.
Run = Callable[[list[Any], dict[str, Any]], Any]


class Hooked:
    """What lets hooks be registered with a Cell."""

    _hooks: tuple[Entry, ...]

    def register_forward_pre_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookHandle:
        """Let `hook_fn` see, and change, the arguments of each call.

        Parameters
        ----------
        hook_fn : callable
            ``hook_fn(cell, inputs)``, with the positional arguments as a tuple. What it gives takes
            their place, in a tuple or as the only one; None leaves them.
        prepend : bool
            Whether it comes before those that are there, and not after them.
        with_kwargs : bool
            Whether it is ``hook_fn(cell, inputs, kwargs)`` and gives the pair of both, or None.

        Returns
        -------
        HookHandle

        Raises
        ------
        S2sadError
            E0304 for what cannot be called, E0303 for a flag that is no bool.

        Examples
        --------
        >>> import s2sad as ms
        >>> net = ms.nn.ReLU()
        >>> handle = net.register_forward_pre_hook(lambda cell, inputs: inputs[0] + 5.0)
        >>> net(ms.Tensor([-2.0])).tolist(), handle.remove(), net(ms.Tensor([-2.0])).tolist()
        ([3.0], None, [0.0])
        """
        return self._add_hook(hook_fn, "forward_pre", prepend=prepend, with_kwargs=with_kwargs)

    def register_forward_hook(
        self, hook_fn: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:  # fmt: skip
        """Let `hook_fn` see, and change, what each call gives.

        Parameters
        ----------
        hook_fn : callable
            ``hook_fn(cell, inputs, output)``, `inputs` as for `register_forward_pre_hook`. What it
            gives takes the place of the output; None leaves that.
        prepend : bool
            Whether it comes before those that are there, and not after them.
        with_kwargs : bool
            Whether it is ``hook_fn(cell, inputs, kwargs, output)``.
        always_call : bool
            Whether it is called, with None for the output, where the call fails as well. Compiled
            code cannot do that (E0104).

        Returns
        -------
        HookHandle

        Raises
        ------
        S2sadError
            E0304 for what cannot be called, E0303 for a flag that is no bool.

        Examples
        --------
        >>> import s2sad as ms
        >>> net = ms.nn.ReLU()
        >>> handle = net.register_forward_hook(lambda cell, inputs, output: output - inputs[0])
        >>> net(ms.Tensor([-2.0, 3.0])).tolist()
        [2.0, 0.0]
        """
        return self._add_hook(
            hook_fn, "forward", prepend=prepend, with_kwargs=with_kwargs, always_call=always_call
        )

    def register_backward_pre_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Let `hook_fn` see, and change, the gradient of what a call gives.

        Parameters
        ----------
        hook_fn : callable
            ``hook_fn(cell, grad_output)``, with a tuple of a gradient for each output, None for one
            that is no float. What it gives takes its place: a tuple like it, or the only gradient;
            None, also in the tuple, leaves what is there. It is compiled with the gradient.

        Returns
        -------
        HookHandle

        Raises
        ------
        S2sadError
            E0304 for what cannot be called. Where a gradient is taken: E0302 for another number of
            gradients, E0301, E0304 and E0401 for one of another type, E0104 where `hook_fn` writes
            a Parameter.

        Examples
        --------
        >>> import s2sad as ms
        >>> net = ms.nn.Tanh()
        >>> handle = net.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] * 2.0)
        >>> ms.grad(net)(ms.Tensor([0.0])).tolist()
        [2.0]
        """
        return self._add_hook(hook_fn, "backward_pre")

    def register_backward_hook(self, hook_fn: Callable[..., Any]) -> HookHandle:
        """Let `hook_fn` see both gradients of a call, and change that of its arguments.

        Parameters
        ----------
        hook_fn : callable
            ``hook_fn(cell, grad_input, grad_output)``, each a tuple: a gradient for each positional
            argument of the call, with None for one that has none, and what `hook_fn` of
            `register_backward_pre_hook` takes. What it gives takes the place of `grad_input`, in
            the forms that are allowed there. It is compiled with the gradient.

        Returns
        -------
        HookHandle

        Raises
        ------
        S2sadError
            Those of `register_backward_pre_hook`.

        Notes
        -----
        A hook that prints runs in any case: where the arguments need no gradient, it is computed
        for the hook.

        Examples
        --------
        >>> import s2sad as ms
        >>> def weighed(cell, grad_input, grad_output):
        ...     return grad_input[0] * 2.0 + grad_output[0] * 10.0
        >>> net = ms.nn.Tanh()
        >>> handle = net.register_backward_hook(weighed)
        >>> ms.grad(net)(ms.Tensor([0.0])).tolist()
        [12.0]
        """
        return self._add_hook(hook_fn, "backward")

    def _add_hook(
        self, function: Any, kind: str, *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> HookHandle:  # fmt: skip
        flags = {"prepend": prepend, "with_kwargs": with_kwargs, "always_call": always_call}
        for name, flag in flags.items():
            if not isinstance(flag, bool):
                raise fail("E0303", f"{name} is True or False, got {flag!r}")
        checked(function, f"register_{kind}_hook takes a function")
        entry = Entry(function, kind, with_kwargs, always_call)
        self._hold_hooks((entry, *self._hooks) if prepend else (*self._hooks, entry))
        held = ref(self)

        def remove(gone: Entry) -> None:
            owner = held()
            if owner is not None:
                owner._hold_hooks(tuple(x for x in owner._hooks if x is not gone))

        return HookHandle(entry, remove)

    def _hold_hooks(self, entries: tuple[Entry, ...]) -> None:
        self.__dict__["_hooks"] = entries
        changes.note()


def of_kind(entries: tuple[Entry, ...], kind: str) -> list[Entry]:
    """Those of `entries` that are of one kind, in order."""
    return [entry for entry in entries if entry.kind == kind]


def around(cell: Any, entries: tuple[Entry, ...], call: Call, run: Run) -> Run:
    """What `cell` computes by `run`, with its forward hooks before and after that."""

    def computed(args: list[Any], kwargs: dict[str, Any]) -> Any:
        args, kwargs = before(cell, entries, call, args, kwargs)
        return after(cell, entries, call, args, kwargs, run(args, kwargs))

    return computed


def before(
    cell: Any, entries: tuple[Entry, ...], call: Call, args: list[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that the hooks leave (E0304 for what are none)."""
    for entry in of_kind(entries, "forward_pre"):
        found = call(entry, [cell, tuple(args), *([kwargs] if entry.with_kwargs else [])])
        if found is None:
            continue
        if not entry.with_kwargs:
            args = list(found) if isinstance(found, tuple) else [found]
        elif _is_pair(found):
            args, kwargs = list(found[0]), found[1]
        else:
            raise fail("E0304", f"a hook with_kwargs gives a tuple and a dict, or None: {found!r}")
    return args, kwargs


def _is_pair(found: Any) -> bool:
    is_pair = isinstance(found, tuple) and len(found) == 2
    return is_pair and isinstance(found[0], (tuple, list)) and isinstance(found[1], dict)


def after(
    cell: Any, entries: tuple[Entry, ...], call: Call, args: list[Any], kwargs: dict[str, Any],
    output: Any,
) -> Any:  # fmt: skip
    """The output that the hooks leave."""
    for entry in of_kind(entries, "forward"):
        given = [cell, tuple(args), *([kwargs] if entry.with_kwargs else []), output]
        found = call(entry, given)
        output = output if found is None else found
    return output


def run_cell(cell: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What `cell` and its hooks make of the arguments, where Python runs them as they stand."""
    entries = cell.__dict__.get("_hooks")
    if not entries:
        return precision.run_cell(cell, args, kwargs)
    args, kwargs = before(cell, entries, _plainly, list(args), kwargs)
    try:
        output = precision.run_cell(cell, args, kwargs)
    except Exception:
        always = tuple(entry for entry in entries if entry.always_call)
        after(cell, always, _plainly, args, kwargs, None)
        raise
    return after(cell, entries, _plainly, args, kwargs, output)


def _plainly(entry: Entry, args: list[Any]) -> Any:
    return entry.function(*args)
