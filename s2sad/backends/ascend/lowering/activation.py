"""Activations and their gradients, which GE has as operators of their own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from s2sad.backends.ascend.graph import Edge
from s2sad.backends.ascend.lowering.region import Lowering
from s2sad.backends.ascend.lowering.rules import direct, lowers, one_for_one, table
from s2sad.ir.graph import Operation

table({
    "relu6": "Relu6", "selu": "Selu", "softplus": "Softplus", "hard_swish": "HardSwish",
    "mish": "Mish", "silu": "Swish", "log_sigmoid": "LogSigmoid",
})  # fmt: skip
lowers("hard_sigmoid")(direct("HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}))

#: Gradients: the operator, and which operand stands at each of its ports.
GRADIENTS: dict[str, tuple[str, Sequence[tuple[str, int]]]] = {
    "gelu_grad": ("GeluGradV2", (("dy", 1), ("x", 0))),
    "mish_grad": ("MishGrad", (("grad", 1), ("x", 0))),
    "silu_grad": ("SiluGrad", (("dy", 1), ("x", 0))),
    "softmax_grad": ("SoftmaxGrad", (("softmax", 0), ("grad_softmax", 1))),
    "log_softmax_grad": ("LogSoftmaxGrad", (("grad", 1), ("x", 0))),
}

one_for_one({name: type for name, (type, _) in GRADIENTS.items()})
one_for_one({
    "gelu": "GeluV2", "softmax": "SoftmaxV2", "log_softmax": "LogSoftmaxV2", "elu": "Elu",
    "leaky_relu": "LeakyRelu", "hard_sigmoid": "HardSigmoid",
})  # fmt: skip


def _options(operation: Operation) -> dict[str, Any]:
    attrs = operation.attrs
    if "approximate" in attrs:
        return {"approximate": attrs["approximate"]}
    if "axis" not in attrs:
        return {}
    name = "axis" if operation.prim.name == "log_softmax_grad" else "axes"
    return {name: [attrs["axis"]]}


@lowers(*GRADIENTS)
def _gradient(lowering: Lowering, operation: Operation) -> Edge:
    type, ports = GRADIENTS[operation.prim.name]
    given = {port: lowering.edge(operation.operands[place]) for port, place in ports}
    return lowering.node(operation, type, given, _options(operation))


@lowers("gelu")
def _gelu(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    return lowering.node(operation, "GeluV2", {"x": x}, _options(operation))


@lowers("softmax")
def _softmax(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    return lowering.node(operation, "SoftmaxV2", {"x": x}, _options(operation))


@lowers("log_softmax")
def _log_softmax(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    return lowering.node(operation, "LogSoftmaxV2", {"logits": x}, _options(operation))


@lowers("elu")
def _elu(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    return lowering.node(operation, "Elu", {"x": x}, {"alpha": operation.attrs["alpha"]})


@lowers("leaky_relu")
def _leaky_relu(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    slope = {"negative_slope": operation.attrs["slope"]}
    return lowering.node(operation, "LeakyRelu", {"x": x}, slope)
