"""Losses of classes: GE's operators give the loss and what its gradient needs at once."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.datatypes import dtype_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.ir.graph import Operation


def _is_rows(operation: Operation) -> bool:
    """Whether it is rows of classes and labels, none of them smoothed."""
    scores = operation.operands[0]
    is_rows = scores.ndim == 2 and operation.attrs["axis"] in (1, -1)
    return is_rows and not operation.attrs["label_smoothing"]


@lowers("sparse_cross_entropy", where=_is_rows)
def _sparse_cross_entropy(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """The log-probabilities are made where something but the loss's own gradient reads them."""
    logits, labels = map(lowering.edge, operation.operands)
    ignored = _ignored(lowering, operation, labels)
    if ignored is not None:  # a class that there is: what it gives is left out
        labels = _chosen(lowering, operation, ignored, labels)
    loss, scores = (desc_of(value.type) for value in operation.results)
    given = {"features": logits, "labels": labels}
    first = lowering.node(
        operation, "SparseSoftmaxCrossEntropyWithLogits", given, outputs=[loss, scores]
    )
    backprop = lowering.builder.outputs(first)[1]
    lowering.backprops[operation] = backprop
    rows = first if ignored is None else _chosen(lowering, operation, ignored, first)
    if all(_source(use.user) is operation for use in operation.results[1].uses):
        return rows, backprop  # which only that gradient looks at
    probabilities = lowering.node(
        operation, "LogSoftmaxV2", {"logits": logits}, {"axes": [1]}, outputs=[scores]
    )
    return rows, probabilities


def _ignored(lowering: Lowering, operation: Operation, labels: Edge) -> Edge | None:
    """Which labels have no loss; None where all of them do."""
    index = operation.attrs["ignore_index"]
    if index is None:
        return None
    desc = lowering.desc(labels)
    given = {"x1": labels, "x2": lowering.constant(index, dtype_of(desc.type))}
    return lowering.shared(
        ("ignored", labels, index),
        lambda: lowering.node(operation, "Equal", given, outputs=[Desc("DT_BOOL", desc.shape)]),
    )


def _chosen(lowering: Lowering, operation: Operation, ignored: Edge, x: Edge) -> Edge:
    """`x`, but 0 where a label is ignored."""
    desc = lowering.desc(x)
    given = {"condition": ignored, "then": lowering.constant(0, dtype_of(desc.type)), "else": x}
    return lowering.node(operation, "SelectV2", given, outputs=[desc])


def _source(user: object) -> Operation | None:
    """The loss whose gradient `user` is, of the same labels."""
    if not isinstance(user, Operation) or user.prim.name != "sparse_cross_entropy_grad":
        return None
    made = user.operands[0].owner
    if not isinstance(made, Operation) or made.prim.name != "sparse_cross_entropy":
        return None
    is_its_own = user.operands[0] is made.results[1] and user.operands[1] is made.operands[1]
    return made if is_its_own else None


@lowers("sparse_cross_entropy_grad", where=lambda op: _is_rows(op) and _source(op) is not None)
def _sparse_cross_entropy_grad(lowering: Lowering, operation: Operation) -> Edge:
    """What the operator of the loss gave beside it, times the cotangent of each row."""
    source = _source(operation)
    assert source is not None
    labels, dloss = (lowering.edge(value) for value in operation.operands[1:])
    ignored = _ignored(lowering, operation, labels)
    if ignored is not None:
        dloss = _chosen(lowering, operation, ignored, dloss)
    rows = lowering.reshape(operation, dloss, (*lowering.desc(dloss).shape, 1))
    result = desc_of(operation.results[0].type)
    given = {"x1": lowering.backprops[source], "x2": rows}
    return lowering.node(operation, "Mul", given, outputs=[Desc(result.type, result.shape)])
