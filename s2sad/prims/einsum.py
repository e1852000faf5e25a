"""How does a sum over labelled axes become transposes, sums and products of matrices?

Labels that only one operand has are summed first. Then two operands at a time are multiplied,
those first whose product is smallest, and labels that nobody needs any more are summed in it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

from s2sad.core.diagnostics import fail
from s2sad.ir import dims
from s2sad.ir.dims import Dim
from s2sad.ir.graph import Value
from s2sad.prims.arithmetic import mul
from s2sad.prims.arrange import diagonal, squeeze
from s2sad.prims.define import composite
from s2sad.prims.linalg import matmul
from s2sad.prims.reduce import reduce_sum
from s2sad.prims.shape import reshape, transpose

#: A letter, or the place of an axis under the ellipsis, counted from the last: -1, -2, ...
Label = str | int

_TERM = re.compile(r"[A-Za-z]*(\.\.\.)?[A-Za-z]*")
_TYPICAL_SIZE = 64  # what a symbol counts as where only the order of products depends on it


@dataclass(eq=False)
class _Term:
    """An operand, or a product of some, and the label of each of its axes."""

    value: Value
    labels: list[Label]


def _canonical_einsum(types: Any, attrs: dict[str, Any]) -> dict[str, Any]:
    equation = attrs["equation"]
    if not isinstance(equation, str):
        raise fail("E0303", f"the equation of einsum is a str, got {equation!r}")
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if any(not _TERM.fullmatch(term) for term in (*terms, right)):
        raise fail("E0404", f"cannot read the equation {equation!r}", help='write it "ij,jk->ik"')
    if len(terms) != len(types):
        raise fail("E0404", f"{equation!r} has {len(terms)} terms for {len(types)} operands")
    counts = Counter(left.replace(",", "").replace(".", ""))
    if not arrow:
        once = "".join(sorted(label for label, count in counts.items() if count == 1))
        right = "..." * ("..." in left) + once
    out = Counter(right.replace("...", ""))
    wrong = [label for label, count in out.items() if count > 1 or label not in counts]
    if wrong:
        raise fail(
            "E0404", f"{wrong[0]!r} must stand once after the arrow of {equation!r}, and before"
        )
    return {"equation": f"{left}->{right}"}


@composite(canonical=_canonical_einsum)
def einsum(x, *others, equation):
    """Sum of products over labelled axes, in the notation of Einstein.

    Parameters
    ----------
    x, *others : Tensors of numbers, one dtype
    equation : str
        One term an operand, a letter an axis; then, after ``->``, the labels of the result:
        ``"ij,jk->ik"``. Labels that do not stand there are summed. ``...`` stands for further
        axes, which broadcast. A label that one operand has twice takes its diagonal. Without an
        arrow the result has the labels that stand once, in alphabetical order. An axis of size 1
        stretches.

    Raises
    ------
    S2sadError
        E0301 if the dtypes differ, E0303 or E0404 if the equation cannot be read, E0401 if it
        does not fit the shapes.

    Examples
    --------
    >>> import numpy as np
    >>> from s2sad import prims as p
    >>> p.einsum(np.array([[1, 2], [3, 4]]), np.array([1, 10]), equation="ij,j->i")
    array([21, 43])
    """
    left, _, right = equation.partition("->")
    terms = [
        _Term(value, _labels(term, value.ndim, equation))
        for term, value in zip(left.split(","), (x, *others), strict=True)
    ]
    ellipsis = max(sum(isinstance(label, int) for label in term.labels) for term in terms)
    wanted = _labels(right, len(right.replace("...", "")) + ellipsis * ("..." in right), equation)
    for term in terms:
        _take_diagonals(term)
    _drop_stretched(terms, _sizes(terms))
    for i, term in enumerate(terms):
        _sum_lone(term, {*wanted, *_all_labels(terms[:i] + terms[i + 1 :])})
    while len(terms) > 1:
        first, second = _next_pair(terms, wanted)
        terms = [term for term in terms if term is not first and term is not second]
        terms.append(_multiply(first, second, {*wanted, *_all_labels(terms)}))
    return _ordered(terms[0], wanted)


def _labels(term: str, ndim: int, equation: str) -> list[Label]:
    """Labels of the axes of an operand with `ndim` axes (E0401 if they do not fit)."""
    before, dots, after = term.partition("...")
    hidden = ndim - len(before) - len(after)
    if hidden < 0 or (hidden and not dots):
        raise fail(
            "E0401", f"the term {term!r} of {equation!r} does not fit a tensor of {ndim} axes",
            help="write a letter for each axis, or `...` for those that are left",
        )  # fmt: skip
    return [*before, *range(-hidden, 0), *after]


def _all_labels(terms: list[_Term]) -> list[Label]:
    return [label for term in terms for label in term.labels]


def _take_diagonals(term: _Term) -> None:
    for label, count in Counter(term.labels).items():
        for _ in range(count - 1):
            i, j = [i for i, other in enumerate(term.labels) if other == label][:2]
            what = f"the sizes of the axes that {label!r} labels twice"
            dims.require_same(term.value.shape[i], term.value.shape[j], what)
            term.value = diagonal(term.value, axis1=i, axis2=j)
            rest = [other for k, other in enumerate(term.labels) if k not in (i, j)]
            term.labels = [*rest, label]


def _sizes(terms: list[_Term]) -> dict[Label, Dim]:
    """Size of the axes of each label (E0401 where they do not broadcast)."""
    sizes: dict[Label, Dim] = {}
    types = [term.value.type for term in terms]
    for term in terms:
        for label, size in zip(term.labels, term.value.shape, strict=True):
            sizes[label] = dims.broadcast_dim(sizes.get(label, 1), size, operands=types)
    return sizes


def _drop_stretched(terms: list[_Term], sizes: dict[Label, Dim]) -> None:
    """Take away axes of size 1 that are longer in another operand: they are not summed."""
    for term in terms:
        pairs = enumerate(zip(term.labels, term.value.shape, strict=True))
        axes = tuple(
            i for i, (label, size) in pairs
            if dims.same(size, 1) and not dims.same(sizes[label], 1)
        )  # fmt: skip
        if axes:
            term.value = squeeze(term.value, axis=axes)
            term.labels = [label for i, label in enumerate(term.labels) if i not in axes]


def _sum_lone(term: _Term, needed: set[Label]) -> None:
    axes = tuple(i for i, label in enumerate(term.labels) if label not in needed)
    if axes:
        term.value = reduce_sum(term.value, axis=axes)
        term.labels = [label for label in term.labels if label in needed]


def _next_pair(terms: list[_Term], wanted: list[Label]) -> tuple[_Term, _Term]:
    """The two terms whose product has the fewest elements."""

    def size_of_product(pair: tuple[_Term, _Term]) -> int:
        needed = {*wanted, *_all_labels([term for term in terms if term not in pair])}
        sizes = _sizes(list(pair))
        size = dims.size([sizes[label] for label in sizes if label in needed])
        return size if isinstance(size, int) else _TYPICAL_SIZE ** len(sizes)

    return min(itertools.combinations(terms, 2), key=size_of_product)


def _multiply(a: _Term, b: _Term, needed: set[Label]) -> _Term:
    """The product of two terms, summed over the labels of both that nobody needs."""
    shared = [label for label in a.labels if label in b.labels]
    summed = [label for label in shared if label not in needed]
    rows = [label for label in a.labels if label not in shared]
    columns = [label for label in b.labels if label not in shared]
    if not summed:
        labels = a.labels + columns
        return _Term(mul(_spread(a, labels), _spread(b, labels)), labels)
    batch = [label for label in shared if label in needed]
    left, left_swapped = _as_matrix(a, batch, rows, summed)
    right, right_swapped = _as_matrix(b, batch, columns, summed)
    product = matmul(left, right, transpose_a=left_swapped, transpose_b=not right_swapped)
    labels = [*batch, *rows, *columns]
    sizes = {**_sizes([a]), **_sizes([b])}
    return _Term(reshape(product, shape=tuple(sizes[label] for label in labels)), labels)


def _spread(term: _Term, labels: list[Label]) -> Value:
    """The value of `term` with axes in the order of `labels`, of size 1 where it has none."""
    sizes = _sizes([term])
    value = _ordered(term, [label for label in labels if label in sizes])
    return reshape(value, shape=tuple(sizes.get(label, 1) for label in labels))


def _as_matrix(
    term: _Term, batch: list[Label], free: list[Label], summed: list[Label]
) -> tuple[Value, bool]:
    """The value as matrices of `free` by `summed` labels, and whether they lie the other way."""
    sizes = _sizes([term])
    is_swapped = term.labels == [*batch, *summed, *free]
    outer, inner = (summed, free) if is_swapped else (free, summed)
    value = _ordered(term, [*batch, *outer, *inner])
    rows, columns = (dims.size([sizes[label] for label in part]) for part in (outer, inner))
    return reshape(value, shape=(*(sizes[label] for label in batch), rows, columns)), is_swapped


def _ordered(term: _Term, labels: list[Label]) -> Value:
    """The value of `term` with its axes in the order of `labels`."""
    if term.labels == labels:
        return term.value
    return transpose(term.value, perm=tuple(term.labels.index(label) for label in labels))
