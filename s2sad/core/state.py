"""What does a Cell have to keep from one run to the next, and how does it come back?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor

if TYPE_CHECKING:
    from s2sad.core.cell import Cell


class Unfit(NamedTuple):
    """Paths that only one side of `Cell.load_state_dict` had."""

    missing_keys: list[str]
    unexpected_keys: list[str]


def state(cell: Cell, path: str = "", above: tuple[Cell, ...] = ()) -> dict[str, Tensor]:
    """Parameters and persistent buffers by attribute path; what has two paths is listed twice."""
    found: dict[str, Tensor] = {}
    for name, tensor in {**cell._params, **cell._buffers}.items():
        if tensor is not None and name not in cell._transient:
            found[path + name] = tensor
    above = (*above, cell)  # a way back up leads to nothing new
    for name, child in cell._cells.items():
        if child is not None and child not in above:
            found |= state(child, f"{path}{name}.", above)
    return found


def load(cell: Cell, given: Mapping[str, Any], strict: bool) -> Unfit:
    """See `Cell.load_state_dict`: all is checked and converted before anything is changed."""
    own = state(cell)
    missing = [path for path in own if path not in given]
    unexpected = [path for path in given if path not in own]
    faults = [f"no data for {path}" for path in missing if strict]
    faults += [f"data for {path}, which does not exist" for path in unexpected if strict]
    new: dict[str, Tensor] = {}
    for path in (path for path in own if path in given):
        try:
            new[path] = Parameter(own[path], name=path).set_data(given[path])
        except S2sadError as error:
            faults.append(error.diagnostic.message)
    if faults:
        raise fail("E0711", f"the state does not fit {cell.cls_name}", notes=tuple(faults))
    for path, tensor in new.items():
        _overwrite(own[path], tensor)
    return Unfit(missing, unexpected)


def _overwrite(tensor: Tensor, new: Tensor) -> None:
    if isinstance(tensor, Parameter):
        tensor.set_data(new)
    else:
        tensor.array = new.array
