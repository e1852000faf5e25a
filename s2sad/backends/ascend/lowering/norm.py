"""Normalizations: GE's operators give the statistics that their gradients read."""

from __future__ import annotations

from collections.abc import Sequence

from s2sad.backends.ascend.datatypes import data_type_of
from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.ir.graph import Operation, Value

FLOAT = data_type_of(dtypes.float32).name


def _is_over_last_axes(operation: Operation) -> bool:
    """Whether the axes are the last ones, and gamma has their shape: what GE's operators take."""
    x, gamma = operation.operands[:2]
    axes = tuple(operation.attrs["axes"])
    first = x.ndim - len(axes)
    is_last = axes == tuple(range(first, x.ndim))
    return bool(axes) and is_last and tuple(gamma.shape) == tuple(x.shape[first:])


def _in_float32(operation: Operation) -> bool:
    return operation.operands[0].dtype is not dtypes.float64


def _takes_layer(operation: Operation) -> bool:
    return _is_over_last_axes(operation) and _in_float32(operation)


@lowers("layer_norm", where=_takes_layer)
def _layer_norm(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    x, gamma, beta = map(lowering.edge, operation.operands)
    first = operation.operands[0].ndim - len(operation.attrs["axes"])
    options = {"begin_norm_axis": first, "begin_params_axis": first,
               "epsilon": operation.attrs["eps"]}  # fmt: skip
    y = lowering.node(operation, "LayerNormV3", {"x": x, "gamma": gamma, "beta": beta}, options)
    return lowering.builder.outputs(y)


@lowers("layer_norm_grad", where=_takes_layer)
def _layer_norm_grad(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    x, gamma, mean, rstd, dy = map(lowering.edge, operation.operands)
    given = {"dy": dy, "x": x, "rstd": rstd, "mean": mean, "gamma": gamma}
    results = [desc_of(value.type) for value in operation.results]
    made = [results[0], *(Desc(FLOAT, desc.shape) for desc in results[1:])]
    first = lowering.node(operation, "LayerNormGradV3", given, outputs=made)
    return _as_declared(lowering, operation, lowering.builder.outputs(first))


@lowers("rms_norm", where=_takes_layer)
def _rms_norm(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    x, gamma = map(lowering.edge, operation.operands)
    options = {"epsilon": operation.attrs["eps"]}
    y = lowering.node(operation, "RmsNorm", {"x": x, "gamma": gamma}, options)
    return lowering.builder.outputs(y)


@lowers("rms_norm_grad", where=_takes_layer)
def _rms_norm_grad(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    x, gamma, rstd, dy = map(lowering.edge, operation.operands)
    dx, dgamma = (desc_of(value.type) for value in operation.results)
    given = {"dy": dy, "x": x, "rstd": rstd, "gamma": gamma}
    made = [dx, Desc(FLOAT, dgamma.shape)]
    first = lowering.node(operation, "RmsNormGrad", given, outputs=made)
    return _as_declared(lowering, operation, lowering.builder.outputs(first))


def _as_declared(lowering: Lowering, operation: Operation, edges: Sequence[Edge]) -> Sequence[Edge]:
    """Gradients of parameters come in float32; in the dtype of the results here."""
    pairs = zip(edges, operation.results, strict=True)
    return [lowering.cast(operation, edge, value.dtype) for edge, value in pairs]


# Batch normalization: the sums first, then what they make of the batch


def _is_image(operation: Operation) -> bool:
    return operation.operands[0].ndim == 4 and _in_float32(operation)


def _wide(lowering: Lowering, operation: Operation, value: Value) -> Edge:
    return lowering.cast(operation, lowering.edge(value), dtypes.float32)


@lowers("batch_norm", where=_is_image)
def _batch_norm(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """BNTrainingReduce and BNTrainingUpdate.

    The moving statistics of GE's operator are not used: the program writes its own.
    """
    x = lowering.edge(operation.operands[0])
    gamma, beta = (_wide(lowering, operation, value) for value in operation.operands[1:])
    channels = lowering.desc(gamma)
    first = lowering.node(operation, "BNTrainingReduce", {"x": x}, outputs=[channels, channels])
    total, squares = lowering.builder.outputs(first)
    unused = lowering.constant([0.0] * channels.shape[0], dtypes.float32)
    given = {"x": x, "sum": total, "square_sum": squares, "scale": gamma, "offset": beta,
             "mean": unused, "variance": unused}  # fmt: skip
    epsilon = operation.attrs["eps"]
    y = lowering.node(
        operation, "BNTrainingUpdate", given, {"factor": 1.0, "epsilon": epsilon},
        outputs=[desc_of(operation.results[0].type), *[channels] * 4],
    )  # fmt: skip
    _, _, _, mean, variance = lowering.builder.outputs(y)
    shifted = {"x1": variance, "x2": lowering.constant(epsilon, dtypes.float32)}
    wide = lowering.node(operation, "Add", shifted, outputs=[channels])
    rstd = lowering.node(operation, "Rsqrt", {"x": wide}, outputs=[channels])
    return y, mean, variance, rstd


@lowers("batch_norm_grad", where=_is_image)
def _batch_norm_grad(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """BNTrainingUpdateGrad and BNTrainingReduceGrad, the variance with its epsilon in it."""
    x, gamma, mean, rstd, dy = operation.operands
    scale = _wide(lowering, operation, gamma)
    channels = lowering.desc(scale)
    squared = lowering.node(operation, "Square", {"x": lowering.edge(rstd)}, outputs=[channels])
    variance = lowering.node(operation, "Reciprocal", {"x": squared}, outputs=[channels])
    given = {"grads": lowering.edge(dy), "x": lowering.edge(x), "batch_mean": lowering.edge(mean),
             "batch_variance": variance}  # fmt: skip
    first = lowering.node(
        operation, "BNTrainingUpdateGrad", given, {"epsilon": 0.0}, outputs=[channels, channels]
    )
    dscale, doffset = lowering.builder.outputs(first)
    given = {**given, "diff_scale": dscale, "diff_offset": doffset, "scale": scale}
    dx = lowering.node(
        operation, "BNTrainingReduceGrad", given, {"epsilon": 0.0},
        outputs=[desc_of(operation.results[0].type)],
    )  # fmt: skip
    return _as_declared(lowering, operation, (dx, dscale, doffset))


@lowers("batch_norm_inference", where=_is_image)
def _batch_norm_inference(lowering: Lowering, operation: Operation) -> Edge:
    x = lowering.edge(operation.operands[0])
    names = ("scale", "offset", "mean", "variance")
    rest = (_wide(lowering, operation, value) for value in operation.operands[1:])
    given = {"x": x, **dict(zip(names, rest, strict=True))}
    return lowering.node(operation, "BNInfer", given, {"epsilon": operation.attrs["eps"]})
