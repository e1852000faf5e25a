"""How does the host launch an operation by itself, as PyNative mode does?

It becomes a graph of its own, whose kernels are launched one by one. What an effect does, and what
gives no kernel, such as another shape for the same elements, is the host's.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from s2sad.backends.ascend.lowering.optimizer import UPDATES
from s2sad.backends.ascend.target import calls
from s2sad.backends.ascend.target.ledger import ledger
from s2sad.backends.ascend.target.placement import Placement, Work, loaded
from s2sad.core import simulation, storage
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.primitive import Primitive, Trait
from s2sad.ir.types import Type, type_of

#: Operations that were launched before, by what they are: the latest.
MOST_KNOWN = 4096
_known: dict[Any, _Operation] = {}
_keeping = threading.Lock()


class _Operation:
    """An operation for operands of certain types."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.session = loaded(placement.single) if placement.gives_values else None
        self._lock = threading.Lock()

    def run(
        self, primitive: Primitive, arrays: Sequence[Any], attrs: dict[str, Any], types: Any
    ) -> tuple[tuple[Any, ...], Work]:
        """Results, and what the device does for them."""
        if self.session is None:
            return primitive.run(arrays, attrs, types), self.placement.work
        with self._lock:
            inputs = dict(enumerate(arrays))
            calls.put_state(self.session, self.placement, inputs)
            found = self.session.run(calls.values_of(self.session, inputs))
            states = calls.states_of(self.session, self.placement)
            work = calls.work_done(self.session, self.placement)
        return calls.assembled(self.placement, found, states), work


def launch(
    primitive: Primitive, arrays: Sequence[Any], attrs: dict[str, Any], types: Sequence[Type]
) -> tuple[Any, ...]:
    """Results of `primitive`, whose operands and attributes are checked.

    Raises
    ------
    S2sadError
        E0301 and E0712 for what a device does not compute, E0718 where its memory is full.
    """
    is_of_tensors = all(isinstance(x, np.ndarray) for x in arrays)
    if primitive.has(Trait.EFFECT) or not arrays or not is_of_tensors:
        with simulation.on_host():
            return primitive.run(arrays, attrs, types)
    operation = _operation(primitive, arrays, attrs)
    told = ledger()
    tensors = [x for x in arrays if x.ndim]  # a number goes with the launch
    told.bring(tensors, [f"operand of {primitive.name}"] * len(tensors))
    with simulation.on_host():
        results, work = operation.run(primitive, arrays, attrs, types)
    if work.step.launches:
        results = tuple(_apart(x, arrays) for x in results)
        with told.reserved(primitive.name, work.nbytes):
            told.launched(work.step)
    told.settle(results, primitive.name)
    return results


def _apart(result: np.ndarray, operands: Sequence[np.ndarray]) -> np.ndarray:
    """`result` in memory of its own, as kernels leave it, where NumPy shows an operand's."""
    owner = storage.owner(result)
    return result.copy() if any(storage.owner(x) is owner for x in operands) else result


def _operation(
    primitive: Primitive, arrays: Sequence[np.ndarray], attrs: Mapping[str, Any]
) -> _Operation:
    if any(isinstance(value, np.ndarray) for value in attrs.values()):
        return _made(primitive, arrays, attrs)
    # As text, -0.0 differs from 0.0, and 1.0 from 1 and True. Each storage is of one dtype.
    types = tuple((x.dtype.char, x.shape) for x in arrays)
    key = primitive.name, types, repr(attrs), simulation.chosen
    with _keeping:
        if key not in _known:
            if len(_known) >= MOST_KNOWN:
                _known.pop(next(iter(_known)))
            _known[key] = _made(primitive, arrays, attrs)
        return _known[key]


def _made(
    primitive: Primitive, arrays: Sequence[np.ndarray], attrs: Mapping[str, Any]
) -> _Operation:
    types = [type_of(x) for x in arrays]

    def call(*operands: Any) -> tuple[Any, ...]:
        return as_tuple(primitive(*operands, **attrs))

    names = [f"x{i}" for i in range(len(types))]
    function = build_function(call, types, name=primitive.name, names=names, inputs=names)
    if primitive.name in UPDATES:  # a parameter and its state are written where they lie
        function.donates = {i: i for i in range(len(UPDATES[primitive.name].written))}
    return _Operation(Placement(function))
