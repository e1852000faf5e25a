"""What is the smallest part of a failing program that still fails?"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeVar

from s2sad import prims as p
from s2sad.ir.clone import clone
from s2sad.ir.graph import Function, Operation
from s2sad.ir.primitive import Form
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import TensorType
from s2sad.passes.base import run_passes
from s2sad.passes.dce import Dce
from support.random_values import constant_array

T = TypeVar("T")


def smallest(
    whole: T, parts: Callable[[T], Iterator[T]], fails: Callable[[T], bool], tries: int = 300
) -> T:
    """`whole`, made smaller by `parts` as long as it fails.

    Parameters
    ----------
    whole : object
    parts : callable
        Smaller forms of what it gets, the smallest first.
    fails : callable
        Whether one fails, in the same way.
    tries : int
        Of `fails`, at most.
    """
    left, found = tries, True
    while found:
        found = False
        for part in parts(whole):
            if not left:
                return whole
            left -= 1
            if fails(part):
                whole, found = part, True
                break
    return whole


# ---- text --------------------------------------------------------------------------------------


def shorter_texts(text: str) -> Iterator[str]:
    """`text` without one of its statements, blocks first; or with a block in place of its head."""
    lines = text.splitlines()
    blocks = sorted(_blocks(lines), key=lambda block: block[0] - block[1])
    for first, end in blocks:
        yield _joined(lines[:first], lines[end:])
    for first, end in blocks:
        if end - first > 1:
            yield _joined(lines[:first], [line[4:] for line in lines[first + 1 : end]], lines[end:])


def _blocks(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Each statement with all that stands below it; not the first, nor the last two."""
    for first in range(len(lines) - 2):
        depth = _depth(lines[first])
        if not depth:
            continue
        end = first + 1
        while end < len(lines) and _depth(lines[end]) > depth:
            end += 1
        yield first, end


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(*parts: list[str]) -> str:
    return "\n".join(line for part in parts for line in part) + "\n"


# ---- functions of the IR -----------------------------------------------------------------------


def smaller_functions(function: Function) -> Iterator[Function]:
    """`function` with fewer results, or with a constant in place of what an operation computes."""
    tensors = [i for i, v in enumerate(function.results) if isinstance(v.type, TensorType)]
    rest = set(range(len(function.results))) - set(tensors)  # stacks and tokens must be used
    if len(tensors) > 1:
        for index in tensors:
            yield _cleaned(_with_results(function, rest | set(tensors) - {index}))
    count = sum(1 for _ in function.walk())
    for number in range(count - 1, -1, -1):
        smaller = _with_constants(function, number)
        if smaller is not None:
            yield _cleaned(smaller)


def _with_results(function: Function, kept: Collection[int]) -> Function:
    smaller = clone(function)
    results = [value for i, value in enumerate(smaller.results) if i in kept]
    smaller.body.set_reads(results)
    smaller.donates = {}
    smaller.tree = repr(tuple(range(len(results))))
    return smaller


def _with_constants(function: Function, number: int) -> Function | None:
    """`function` with constants for operation `number`, where that gives tensors only."""
    smaller = clone(function)
    operation = list(smaller.walk())[number]
    if operation.prim.form is Form.CONST or not _is_simple(operation):
        return None
    rewriter = Rewriter(smaller)
    with rewriter.step("make constants", operation):
        place = rewriter.insert_before(operation)
        made = [
            place.emit(p.const, (), {"value": constant_array(v.type, 1), "type": v.type})  # type: ignore[arg-type]
            for v in operation.results
        ]
        rewriter.replace_operation(operation, made)
    return smaller


def _is_simple(operation: Operation) -> bool:
    values = (*operation.operands, *operation.results)
    return bool(operation.results) and all(isinstance(v.type, TensorType) for v in values)


def _cleaned(function: Function) -> Function:
    run_passes(function, [Dce()])
    return function


def size_of(function: Function) -> int:
    """Operations of `function`, constants not counted."""
    return sum(operation.prim.form is not Form.CONST for operation in function.walk())
