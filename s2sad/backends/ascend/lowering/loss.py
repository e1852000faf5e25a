"""Losses of classes: GE's operators give the loss and what its gradient needs at once."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.ir.graph import Operation


def _is_plain(operation: Operation) -> bool:
    """Whether it is rows of classes and labels, none of them ignored or smoothed."""
    attrs = operation.attrs
    scores = operation.operands[0]
    is_rows = scores.ndim == 2 and attrs["axis"] in (1, -1)
    return is_rows and attrs["ignore_index"] is None and not attrs["label_smoothing"]


@lowers("sparse_cross_entropy", where=_is_plain)
def _sparse_cross_entropy(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """The log-probabilities are made where something but the loss's own gradient reads them."""
    logits, labels = map(lowering.edge, operation.operands)
    loss, scores = (desc_of(value.type) for value in operation.results)
    given = {"features": logits, "labels": labels}
    first = lowering.node(
        operation, "SparseSoftmaxCrossEntropyWithLogits", given, outputs=[loss, scores]
    )
    if all(_source(use.user) is operation for use in operation.results[1].uses):
        return first, lowering.builder.outputs(first)[1]  # which only that gradient looks at
    probabilities = lowering.node(
        operation, "LogSoftmaxV2", {"logits": logits}, {"axes": [1]}, outputs=[scores]
    )
    return first, probabilities


def _source(user: object) -> Operation | None:
    """The loss whose gradient `user` is, of the same labels."""
    if not isinstance(user, Operation) or user.prim.name != "sparse_cross_entropy_grad":
        return None
    made = user.operands[0].owner
    if not isinstance(made, Operation) or made.prim.name != "sparse_cross_entropy":
        return None
    is_its_own = user.operands[0] is made.results[1] and user.operands[1] is made.operands[1]
    return made if is_its_own else None


@lowers("sparse_cross_entropy_grad", where=lambda op: _is_plain(op) and _source(op) is not None)
def _sparse_cross_entropy_grad(lowering: Lowering, operation: Operation) -> Edge:
    """What the operator of the loss gave beside it, times the cotangent of each row."""
    source = _source(operation)
    assert source is not None
    loss = lowering.edge(source.results[0])
    scores = Edge(loss.name, 1)
    dloss = lowering.edge(operation.operands[2])
    rows = lowering.reshape(operation, dloss, (*lowering.desc(dloss).shape, 1))
    result = desc_of(operation.results[0].type)
    return lowering.node(
        operation, "Mul", {"x1": scores, "x2": rows}, outputs=[Desc(result.type, result.shape)]
    )
