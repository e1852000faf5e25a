"""What does each function of `ops` do on a call that it takes: on NumPy, as C, and differentiated?

A call is guessed by the names of the arguments; of those that the function refuses, the next is
tried. What is found is kept in ``facts.txt``, since C takes minutes. The numbers themselves are
held by the tests of each family; here is asked whether the ways agree.
"""

from __future__ import annotations

import inspect
import itertools
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import s2sad as ms
from api import reference
from s2sad.core.diagnostics import S2sadError

FACTS = Path(__file__).with_name("facts.txt")
#: Calls that are tried of one function.
MOST_CALLS = 600

_RNG = np.random.default_rng(0)


def _floats(*shape: int) -> ms.Tensor:
    return ms.Tensor(0.1 + 0.8 * _RNG.uniform(size=shape))


MATRIX, SQUARE, VECTOR, BATCH = _floats(2, 3), _floats(3, 3), _floats(3), _floats(2, 3, 3)
IMAGE, ROWS = _floats(2, 2, 6, 6), _floats(2, 2, 6)
POSITIVE = ms.Tensor(SQUARE.asnumpy() @ SQUARE.asnumpy().T + np.eye(3))
INDEX, PLACES = ms.Tensor([1, 0]), ms.Tensor([[0, 1, 0], [1, 0, 1]])
BOOLS, INTS = (
    ms.Tensor([[True, False, True], [False, True, True]]),
    ms.Tensor([[5, 2, 7], [1, 4, 3]]),
)
TENSORS = (
    MATRIX, SQUARE, VECTOR, BATCH, IMAGE, ROWS, POSITIVE, INDEX, PLACES, INTS, BOOLS,
)  # fmt: skip
OTHERS = (1, 2, 0, (2, 3), (1, 0), 0.5, (2,), ms.float32, "ij,jk->ik", [MATRIX, MATRIX])

#: What goes first for an argument of such a name.
HINTS: dict[str, tuple[Any, ...]] = {
    "axis": (0, 1), "depth": (3,), "dim": (0, 1), "dims": ((1, 0), (0,), 1), "dtype": (ms.float64,),
    "equation": ("ij,jk->ik",), "index": (PLACES, INDEX), "indices": (INDEX, PLACES, INDEX[:1]),
    "input_indices": (INDEX,), "k": (2, 1), "kernel_size": (2,), "mask": (BOOLS,), "n": (3,),
    "num_segments": (2,), "output_size": (2,), "segment_ids": (INDEX,), "shape": ((2, 3), (3, 2)),
    "size": ((2, 3), (1, 2)), "tensors": ((MATRIX, MATRIX),), "inputs": ((MATRIX, MATRIX), MATRIX),
    "normalized_shape": ((3,),), "split_size_or_sections": (1,), "steps": (3,),
    "type": (ms.float64,), "condition": (BOOLS,), "labels": (MATRIX,), "target": (MATRIX, INDEX),
    "weight": (MATRIX, SQUARE),
}  # fmt: skip

#: Calls that chance would not find.
CALLS: dict[str, tuple[Any, ...]] = {
    "clamp": (MATRIX, 0.3, 0.6), "clip": (MATRIX, 0.3, 0.6), "clip_by_value": (MATRIX, 0.3, 0.6),
    "conv3d": (_floats(1, 2, 3, 3, 3), _floats(2, 2, 2, 2, 2)),
    "ctc_loss": (
        _floats(4, 2, 3), ms.Tensor([[1, 2], [2, 1]]), ms.Tensor([4, 4]), ms.Tensor([2, 1])
    ),
    "einsum": ("ij,jk->ik", MATRIX, SQUARE),
    "fold": (_floats(1, 4, 4), (4, 4), (2, 2), 1, 0, (2, 2)),
    "grid_sample": (IMAGE, _floats(2, 4, 4, 2)), "interpolate": (IMAGE, (3, 3)),
    "meshgrid": (VECTOR, VECTOR), "one_hot": (INDEX, 3), "range": (0, 4, 1),
    "scatter_nd": (INDEX[:, None], VECTOR[:2], (3,)),
    "sequence_mask": (INDEX, 3), "strided_slice": (MATRIX, (0, 0), (2, 2), (1, 1)),
    "tensor_scatter_add": (MATRIX, INDEX[:, None], MATRIX), "upsample": (IMAGE, (3, 3)),
    "unsorted_segment_sum": (MATRIX, INDEX, 2),
}  # fmt: skip


def candidates(name: str, function: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    """Arguments that `function` may take: those that it needs, and the first of several."""
    if name in CALLS:
        yield CALLS[name]
    needed = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            needed.append((MATRIX, 2, SQUARE))
        elif parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            needed.append((*HINTS.get(parameter.name, ()), *TENSORS, *OTHERS))
    yield from itertools.islice(itertools.product(*needed), MOST_CALLS)


def probe(name: str) -> str:
    """``"numpy c 2"``: the backends that agree on a call, and the order of gradients.

    ``"?"`` where no call gives a Tensor.
    """
    function = getattr(ms.ops, name)
    for args in candidates(name, function):
        try:
            plain = _leaves(function(*args))
        except (S2sadError, TypeError, ValueError, AttributeError, IndexError):
            continue
        if plain:
            return _described(function, args, plain)
    return "?"


def _described(function: Callable[..., Any], args: tuple[Any, ...], plain: list[Any]) -> str:
    tensors, slots = [each for arg in args for each in _leaves(arg)], _slots(args)

    def call(*values: Any) -> Any:
        return function(*[_filled(slot, values) for slot in slots])

    ways = [way for way in ("numpy", "c") if _agrees(call, tensors, plain, way)]
    return " ".join([*ways, _order(call, tensors, plain)])


@contextmanager
def _backend(name: str) -> Iterator[None]:
    before = os.environ.get("S2SAD_BACKEND")
    os.environ["S2SAD_BACKEND"] = name
    try:
        yield
    finally:
        if before is None:
            del os.environ["S2SAD_BACKEND"]
        else:
            os.environ["S2SAD_BACKEND"] = before


def _agrees(call: Callable[..., Any], tensors: list[Any], plain: list[Any], way: str) -> bool:
    with _backend(way):
        try:
            found = _leaves(ms.compile(lambda *values: call(*values))(*tensors))
        except S2sadError:
            return False
    return len(found) == len(plain) and all(map(_close, found, plain))


def _close(one: ms.Tensor, other: ms.Tensor) -> bool:
    if (one.shape, one.dtype) != (other.shape, other.dtype):
        return False
    tolerance = 1e-10 if one.dtype == ms.float64 else 1e-5
    return np.allclose(one.asnumpy(), other.asnumpy(), tolerance, tolerance, equal_nan=True)


def _order(call: Callable[..., Any], tensors: list[Any], plain: list[Any]) -> str:
    """How often the result can be differentiated, 2 at most; ``-`` where it is of no floats."""
    positions = tuple(i for i, each in enumerate(tensors) if each.dtype.is_float)
    if not positions or not any(each.dtype.is_float for each in plain):
        return "-"

    def total(*values: Any) -> Any:
        floats = [each for each in _values(call(*values)) if each.dtype.is_float]
        return sum(ms.ops.sum(each * each) for each in floats)

    def slopes(*values: Any) -> Any:
        found = ms.grad(total, positions)(*values)
        return sum(ms.ops.sum(each * each) for each in _values(found))

    order = 0
    with _backend("numpy"):
        for function in (total, slopes):
            try:
                ms.grad(function, positions)(*tensors)
            except S2sadError:
                break
            order += 1
    return str(order)


def _slots(args: tuple[Any, ...]) -> list[tuple[str, Any]]:
    """Of each argument, which of all tensors it is, or consists of, or what it is."""
    slots: list[tuple[str, Any]] = []
    count = 0
    for arg in args:
        several = len(_leaves(arg))
        if isinstance(arg, ms.Tensor):
            slots.append(("one", count))
        elif several:
            slots.append(("several", tuple(range(count, count + several))))
        else:
            slots.append(("given", arg))
        count += several
    return slots


def _filled(slot: tuple[str, Any], values: Any) -> Any:
    """The argument that a slot stands for; this is compiled as well."""
    kind, what = slot
    if kind == "one":
        return values[what]
    return tuple([values[i] for i in what]) if kind == "several" else what


def _values(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (tuple, list)) else [found]


def _leaves(found: Any) -> list[ms.Tensor]:
    return [each for each in _values(found) if isinstance(each, ms.Tensor)]


def names() -> list[str]:
    """Functions of `ops` that are asked: not those that draw, and those that take functions."""
    skipped = ("Random", "Gradients, state, misc", "Operations as objects")
    return sorted({x for family, of in reference.OPS.items() if family not in skipped for x in of})


def read_facts() -> dict[str, str]:
    """What was found, by name."""
    lines = FACTS.read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ") for line in lines)


def write_facts() -> None:
    """Ask all functions anew."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [f"{name}: {probe(name)}\n" for name in names()]
    FACTS.write_text("".join(found), encoding="utf-8")


if __name__ == "__main__":
    write_facts()
