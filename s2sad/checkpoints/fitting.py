"""How do values of a checkpoint get into a network?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from s2sad.checkpoints.entries import named_state
from s2sad.core import dtypes, storage
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import WRITING, Parameter
from s2sad.core.tensor import Tensor
from s2sad.ops.settings import flag


def load_param_into_net(
    net: Cell,
    parameter_dict: Mapping[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Let the Parameters of `net` have the values of a checkpoint, by their names.

    Parameters
    ----------
    net : Cell
        An optimizer as well. Persistent buffers go by their paths.
    parameter_dict : dict of str to (Parameter or str)
        What `load_checkpoint` gives.
    strict_load : bool
        Whether dtypes must be equal, and names too. Else a float of another width is
        rounded, a signed integer of another width is taken where it fits, and names that
        `net` has and the dict lacks are looked for behind a prefix: ``net.w`` serves ``w``.
    remove_redundancy : bool
        False: it is for several devices.

    Returns
    -------
    param_not_load : list of str
        Names in `net` that got no value.
    ckpt_not_load : list of str
        Names in the dict that no Parameter has, also those found behind a prefix.

    Raises
    ------
    S2sadError
        E0303 or E0304 for arguments and values of the wrong form, E0406 where two Parameters have
        one name, E0711 where shapes or dtypes do not fit: all that do not are named, and nothing
        was changed. E0712 for `remove_redundancy`.

    Notes
    -----
    Axes of size 1 at the end of a shape may be too many: some devices write them.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1, has_bias=False)
    >>> found = {"net.weight": ms.Parameter([[2.0]]), "step": ms.Parameter(1)}
    >>> ms.load_param_into_net(net, found)
    ([], ['net.weight', 'step'])
    >>> net.weight.tolist()
    [[2.0]]
    """
    own = _checked(net, parameter_dict)
    strict = flag("strict_load", strict_load)
    refuse_redundancy(remove_redundancy)
    sources = {name: name for name in own if name in parameter_dict}
    unused = [name for name in parameter_dict if name not in sources]
    missing = [name for name in own if name not in sources]
    if not strict:
        sources |= _behind_prefixes(missing, unused)
    _overwrite(net, own, _fitted(net, own, parameter_dict, sources, strict))
    return [name for name in missing if name not in sources], unused


def refuse_redundancy(given: Any) -> None:
    """E0712 where parts of a state on other devices are to be brought together."""
    if flag("remove_redundancy", given):
        raise fail("E0712", "remove_redundancy=True needs several devices", help="leave it out")


def _checked(net: Any, given: Any) -> dict[str, Tensor]:
    """The state of `net` by name."""
    if not isinstance(net, Cell):
        raise fail("E0304", f"values are loaded into a Cell, got a {type(net).__name__}")
    if not isinstance(given, Mapping):
        raise fail("E0303", f"parameter_dict is a dict, got a {type(given).__name__}")
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, (Parameter, str)):
            raise fail(
                "E0304", "parameter_dict maps names to Parameters, got a "
                f"{type(value).__name__} under {name!r}",
                help="load_checkpoint gives such a dict; or write Parameter(value)",
            )  # fmt: skip
    own: dict[str, Tensor] = {}
    for name, tensor in named_state(net):
        if name in own:
            raise fail("E0406", f"two Parameters of {net.cls_name} have the name {name!r}")
        own[name] = tensor
    return own


def _behind_prefixes(missing: Iterable[str], unused: Iterable[str]) -> dict[str, str]:
    """For names that are missing the ones in the dict that end with them, behind one prefix.

    A prefix ends with a dot. One that has served a name before serves another if it can, else the
    first in the order of the dict is taken.
    """
    known = set(unused)
    prefixes: dict[str, str] = {}
    for name in unused:
        for dot in [place for place, letter in enumerate(name) if letter == "."]:
            prefixes.setdefault(name[dot + 1 :], name[: dot + 1])
    found: dict[str, str] = {}
    served: dict[str, None] = {}
    for name in missing:
        prefix = next((x for x in served if x + name in known), prefixes.get(name))
        if prefix is not None:
            served[prefix] = None
            found[name] = prefix + name
    return found


def _fitted(
    net: Cell,
    own: Mapping[str, Tensor],
    given: Mapping[str, Any],
    sources: Mapping[str, str],
    strict: bool,
) -> dict[str, np.ndarray]:
    """The new elements of each tensor, in memory of their own; E0711 where some do not fit."""
    new: dict[str, np.ndarray] = {}
    faults: list[str] = []
    for name, source in sources.items():
        value = given[source]
        fault = _fault(own[name], value, strict)
        if fault is None:
            array = storage.stored_copy(value, own[name].dtype).reshape(own[name].shape)
            fault = _lost(value.array, array, own[name].dtype)
            new[name] = array
        if fault is not None:
            faults.append(f"{name}: {fault}")
    if faults:
        raise fail(
            "E0711", f"the values do not fit {net.cls_name}: {faults[0]}", notes=tuple(faults[1:]),
            help="nothing was loaded; was the file written by a network of another form?",
        )  # fmt: skip
    return new


def _fault(own: Tensor, value: Any, strict: bool) -> str | None:
    """What makes `value` no value of `own`, if something does."""
    if isinstance(value, str):
        return f"expected {own.dtype.name} of shape {own.shape}, got the text {value!r}"
    more = value.shape[own.ndim :]
    if value.shape[: own.ndim] != own.shape or any(size != 1 for size in more):
        return f"expected shape {own.shape}, got {value.shape}"
    kinds = {own.dtype.kind, value.dtype.kind}
    if own.dtype is not value.dtype and (strict or kinds not in ({"float"}, {"int"})):
        return f"expected {own.dtype.name}, got {value.dtype.name}"
    return None


def _lost(old: np.ndarray, new: np.ndarray, dtype: dtypes.DType) -> str | None:
    """Which number the other width cannot hold, if there is one."""
    old, new = dtypes.widen(old).reshape(new.shape), dtypes.widen(new)
    if dtype.is_float:
        lost = np.isfinite(old) != np.isfinite(new)
    else:
        lost = old != new
    return f"{old[lost].flat[0]} does not fit {dtype.name}" if lost.any() else None


def _overwrite(net: Cell, own: Mapping[str, Tensor], new: Mapping[str, np.ndarray]) -> None:
    with WRITING:
        for name, array in new.items():
            tensor = own[name]
            if isinstance(tensor, Parameter):
                tensor.adopt(array)
            else:
                tensor.array = array
