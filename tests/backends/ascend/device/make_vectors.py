"""Writes vectors.npz: what PyTorch gives for operators of GE, by what these are declared to do.

Run as ``python make_vectors.py`` beside PyTorch (2.13, on a CPU); the tests read the file only. Of
each case it holds inputs ``case/in/port``, results ``case/out/0`` and so on, and in ``cases``, as
JSON, the operators and their attributes.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F  # noqa: N812 - as all of PyTorch calls it

HERE = Path(__file__).parent
rng = np.random.default_rng(20)
arrays: dict[str, np.ndarray] = {}
cases: dict[str, dict] = {}


def case(name, type, inputs, results, attributes=None):
    """Keep a case."""
    results = results if isinstance(results, (tuple, list)) else [results]
    for port, array in inputs.items():
        arrays[f"{name}/in/{port}"] = np.asarray(array)
    for place, array in enumerate(results):
        arrays[f"{name}/out/{place}"] = np.asarray(array.detach())
    cases[name] = {"type": type, "inputs": list(inputs), "results": len(results),
                   "attributes": attributes or {}}  # fmt: skip


def normal(*shape):
    return torch.tensor(rng.normal(size=shape).astype(np.float32))


def inside(*shape):
    return torch.tensor(rng.uniform(-0.95, 0.95, shape).astype(np.float32))


def positive(*shape):
    return torch.tensor(rng.uniform(0.1, 4.0, shape).astype(np.float32))


def gradients(function, inputs, cotangent):
    """Cotangents of `inputs`."""
    inputs = [x.clone().requires_grad_() for x in inputs]
    return torch.autograd.grad(function(*inputs), inputs, cotangent)


# Elementwise, of one input

UNARY = {
    "Abs": torch.abs, "Acos": torch.acos, "Asin": torch.asin, "Asinh": torch.asinh,
    "Atan": torch.atan, "Atanh": torch.atanh, "Ceil": torch.ceil, "Cos": torch.cos,
    "Cosh": torch.cosh, "Erf": torch.erf, "Erfc": torch.erfc, "Exp": torch.exp,
    "Expm1": torch.expm1, "Floor": torch.floor, "HardSwish": F.hardswish,
    "LogSigmoid": F.logsigmoid, "Mish": F.mish, "Neg": torch.neg, "Reciprocal": torch.reciprocal,
    "Relu": torch.relu, "Relu6": F.relu6, "Rint": torch.round, "Selu": F.selu,
    "Sigmoid": torch.sigmoid, "Sign": torch.sign, "Sin": torch.sin, "Sinh": torch.sinh,
    "Softplus": F.softplus, "Square": torch.square, "Swish": F.silu, "Tan": torch.tan,
    "Tanh": torch.tanh, "Elu": F.elu,
}  # fmt: skip
for type, function in UNARY.items():
    x = inside(3, 5) * (1 if type in ("Acos", "Asin", "Atanh") else 3)
    case(type, type, {"x": x}, function(x))
for type, function in {"Erfinv": torch.erfinv, "Trunc": torch.trunc,
                       "HardSigmoid": F.hardsigmoid}.items():  # fmt: skip
    x = inside(3, 5) * (1 if type == "Erfinv" else 4)
    case(type, type, {"input_x": x}, function(x))
for type, function in {"Acosh": lambda x: torch.acosh(x + 1), "Lgamma": torch.lgamma,
                       "Log": torch.log, "Log1p": torch.log1p, "Rsqrt": torch.rsqrt,
                       "Sqrt": torch.sqrt}.items():  # fmt: skip
    x = positive(3, 5)
    case(type, type, {"x": x + 1 if type == "Acosh" else x}, function(x))
x = normal(7)
case("Exp2", "Exp", {"x": x}, torch.exp2(x), {"base": 2.0})
case("Log10", "Log", {"x": x.abs()}, torch.log10(x.abs()), {"base": 10.0})
case("LeakyRelu", "LeakyRelu", {"x": x}, F.leaky_relu(x, 0.2), {"negative_slope": 0.2})
case("GeluV2", "GeluV2", {"x": x}, F.gelu(x))
case("GeluV2_tanh", "GeluV2", {"x": x}, F.gelu(x, approximate="tanh"), {"approximate": "tanh"})

# Elementwise, of two or three

BINARY = {
    "Add": torch.add, "Atan2": torch.atan2, "FloorDiv": torch.floor_divide,
    "FloorMod": torch.remainder, "Greater": torch.gt, "Less": torch.lt, "Maximum": torch.maximum,
    "Minimum": torch.minimum, "Mul": torch.mul, "RealDiv": torch.div, "Sub": torch.sub,
}  # fmt: skip
for type, function in BINARY.items():
    x, y = normal(2, 3, 1), normal(3, 4)
    case(type, type, {"x1": x, "x2": y}, function(x, y))
x, y = positive(4), normal(4)
case("Pow", "Pow", {"x1": x, "x2": y}, torch.pow(x, y))
c, x, y = normal(3, 1) > 0, normal(3, 4), normal(4)
case("SelectV2", "SelectV2", {"condition": c, "then": x, "else": y}, torch.where(c, x, y))
low, high = torch.tensor(-0.5), torch.tensor(0.25)
case("ClipByValue", "ClipByValue", {"x": x, "clip_value_min": low, "clip_value_max": high},
     torch.clamp(x, -0.5, 0.25))  # fmt: skip
i, j = (torch.tensor(rng.integers(-9, 9, 6), dtype=torch.int32) for _ in range(2))
for type, function in {"BitwiseAnd": torch.bitwise_and, "BitwiseOr": torch.bitwise_or,
                       "BitwiseXor": torch.bitwise_xor}.items():  # fmt: skip
    case(type, type, {"x1": i, "x2": j}, function(i, j))

# Gradients of activations

for name, type, ports, function, options in (
    ("GeluGradV2", "GeluGradV2", ("dy", "x"), F.gelu, {}),
    ("GeluGradV2_tanh", "GeluGradV2", ("dy", "x"), lambda x: F.gelu(x, approximate="tanh"),
     {"approximate": "tanh"}),
    ("MishGrad", "MishGrad", ("grad", "x"), F.mish, {}),
    ("SiluGrad", "SiluGrad", ("dy", "x"), F.silu, {}),
):  # fmt: skip
    x, dy = normal(3, 4) * 2, normal(3, 4)
    case(name, type, dict(zip(ports, (dy, x), strict=True)), gradients(function, [x], dy), options)
x, dy = normal(3, 4, 2), normal(3, 4, 2)
y = torch.softmax(x, 1)
case("SoftmaxV2", "SoftmaxV2", {"x": x}, y, {"axes": [1]})
case("SoftmaxGrad", "SoftmaxGrad", {"softmax": y, "grad_softmax": dy},
     gradients(lambda x: torch.softmax(x, 1), [x], dy), {"axes": [1]})  # fmt: skip
y = torch.log_softmax(x, 0)
case("LogSoftmaxV2", "LogSoftmaxV2", {"logits": x}, y, {"axes": [0]})
case("LogSoftmaxGrad", "LogSoftmaxGrad", {"grad": dy, "x": y},
     gradients(lambda x: torch.log_softmax(x, 0), [x], dy), {"axis": [0]})  # fmt: skip

# Convolutions, with groups, dilations and pads that differ; and what their layouts are

for name, stride, pads, dilation, groups, layout in (
    ("plain", (1, 1), (0, 0), (1, 1), 1, "NCHW"),
    ("strided", (2, 3), (1, 2), (1, 1), 1, "NCHW"),
    ("dilated", (1, 2), (2, 1), (2, 1), 1, "NCHW"),
    ("grouped", (2, 1), (1, 1), (1, 2), 2, "NCHW"),
    ("deep", (1, 1), (1, 1), (1, 1), 4, "NCHW"),
    ("nhwc", (2, 3), (1, 2), (1, 1), 2, "NHWC"),
):
    x, w = normal(2, 4, 9, 8), normal(8, 4 // groups, 3, 2)
    conv = partial(F.conv2d, stride=stride, padding=pads, dilation=dilation, groups=groups)
    y = conv(x, w)
    dy = normal(*y.shape)
    order = [0, 2, 3, 1] if layout == "NHWC" else [0, 1, 2, 3]
    dx, dw = gradients(conv, [x, w], dy)
    x_, w_, y_, dy_, dx_, dw_ = (a.permute(order) for a in (x, w, y, dy, dx, dw))
    spatial = {
        "strides": [[1, 1, *stride][i] for i in order],
        "pads": [pads[0], pads[0], pads[1], pads[1]],
        "dilations": [[1, 1, *dilation][i] for i in order], "groups": groups,
        "data_format": layout,
    }  # fmt: skip
    sizes = [np.asarray(a.shape, np.int32) for a in (x_, w_)]
    case(f"Conv2D_{name}", "Conv2D", {"x": x_, "filter": w_}, y_, spatial)
    given = {"input_size": sizes[0], "filter": w_, "out_backprop": dy_}
    case(f"Conv2DBackpropInput_{name}", "Conv2DBackpropInput", given, dx_, spatial)
    given = {"x": x_, "filter_size": sizes[1], "out_backprop": dy_}
    case(f"Conv2DBackpropFilter_{name}", "Conv2DBackpropFilter", given, dw_, spatial)

# Pooling

x = normal(2, 3, 7, 8)
for name, kernel, stride, pad in (
    ("two", (2, 2), (2, 2), (0, 0)),
    ("wide", (3, 2), (2, 1), (1, 1)),
):
    options = {"ksize": [1, 1, *kernel], "strides": [1, 1, *stride],
               "pads": [pad[0], pad[0], pad[1], pad[1]]}  # fmt: skip
    pool = partial(F.max_pool2d, kernel_size=kernel, stride=stride, padding=pad)
    y = pool(x)
    dy = normal(*y.shape)
    case(f"MaxPoolV3_{name}", "MaxPoolV3", {"x": x}, y, options)
    case(f"MaxPoolV3Grad_{name}", "MaxPoolV3Grad", {"orig_input": x, "orig_output": y, "grad": dy},
         gradients(pool, [x], dy), options)  # fmt: skip
    for included in (True, False):
        pool = partial(F.avg_pool2d, kernel_size=kernel, stride=stride, padding=pad,
                       count_include_pad=included)  # fmt: skip
        more = {**options, "exclusive": not included}
        case(f"AvgPoolV2_{name}_{included}", "AvgPoolV2", {"x": x}, pool(x), more)
        given = {"orig_input_shape": np.asarray(x.shape, np.int32), "input_grad": dy}
        case(f"AvgPoolV2Grad_{name}_{included}", "AvgPoolV2Grad", given,
             gradients(pool, [x], dy), more)  # fmt: skip

# Normalizations

x, dy, gamma, beta = normal(4, 3, 5, 2) * 2 + 1, normal(4, 3, 5, 2), normal(3), normal(3)
mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3), unbiased=False)
old_mean, old_variance = normal(3), positive(3)
new_mean, new_variance = old_mean.clone(), old_variance.clone()
y = F.batch_norm(x, new_mean, new_variance, gamma, beta, True, 0.1, 1e-3)
total, squares = x.sum((0, 2, 3)), (x * x).sum((0, 2, 3))
case("BNTrainingReduce", "BNTrainingReduce", {"x": x}, [total, squares])
given = {"x": x, "sum": total, "square_sum": squares, "scale": gamma, "offset": beta,
         "mean": old_mean, "variance": old_variance}  # fmt: skip
case("BNTrainingUpdate", "BNTrainingUpdate", given, [y, new_mean, new_variance, mean, variance],
     {"factor": 0.1, "epsilon": 1e-3})  # fmt: skip
given = {"x": x, "scale": gamma, "offset": beta, "mean": old_mean, "variance": old_variance}
case("BNInfer", "BNInfer", given,
     F.batch_norm(x, old_mean, old_variance, gamma, beta, False, 0, 1e-3),
     {"epsilon": 1e-3})  # fmt: skip
dx, dgamma, dbeta = gradients(
    lambda x, gamma, beta: F.batch_norm(x, None, None, gamma, beta, True, 0, 1e-3),
    [x, gamma, beta], dy,
)  # fmt: skip
given = {"grads": dy, "x": x, "batch_mean": mean, "batch_variance": variance}
case("BNTrainingUpdateGrad", "BNTrainingUpdateGrad", given, [dgamma, dbeta], {"epsilon": 1e-3})
given = {"grads": dy, "x": x, "diff_scale": dgamma, "diff_offset": dbeta, "scale": gamma,
         "batch_mean": mean, "batch_variance": variance}  # fmt: skip
case("BNTrainingReduceGrad", "BNTrainingReduceGrad", given, dx, {"epsilon": 1e-3})

x, dy, gamma, beta = normal(4, 3, 6), normal(4, 3, 6), normal(3, 6), normal(3, 6)
y, mean, rstd = torch.native_layer_norm(x, (3, 6), gamma, beta, 1e-4)
case("LayerNormV3", "LayerNormV3", {"x": x, "gamma": gamma, "beta": beta}, [y, mean, rstd],
     {"begin_norm_axis": 1, "begin_params_axis": 1, "epsilon": 1e-4})  # fmt: skip
found = gradients(lambda x, g, b: F.layer_norm(x, (3, 6), g, b, 1e-4), [x, gamma, beta], dy)
case("LayerNormGradV3", "LayerNormGradV3",
     {"dy": dy, "x": x, "rstd": rstd, "mean": mean, "gamma": gamma}, found)  # fmt: skip
gamma = normal(6)
rstd = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-4)
y = F.rms_norm(x, (6,), gamma, 1e-4)
case("RmsNorm", "RmsNorm", {"x": x, "gamma": gamma}, [y, rstd], {"epsilon": 1e-4})
found = gradients(lambda x, g: F.rms_norm(x, (6,), g, 1e-4), [x, gamma], dy)
case("RmsNormGrad", "RmsNormGrad", {"dy": dy, "x": x, "rstd": rstd, "gamma": gamma}, found)

# Losses

scores, labels = normal(5, 4), torch.tensor(rng.integers(0, 4, 5))
loss = F.cross_entropy(scores, labels, reduction="none")
found = gradients(
    lambda s: F.cross_entropy(s, labels, reduction="sum"), [scores], torch.tensor(1.0)
)
case("SparseSoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits",
     {"features": scores, "labels": labels.int()}, [loss, *found])  # fmt: skip
soft = torch.softmax(normal(5, 4), 1)
loss = F.cross_entropy(scores, soft, reduction="none")
found = gradients(lambda s: F.cross_entropy(s, soft, reduction="sum"), [scores], torch.tensor(1.0))
case("SoftmaxCrossEntropyWithLogits", "SoftmaxCrossEntropyWithLogits",
     {"features": scores, "labels": soft}, [loss, *found])  # fmt: skip

# Reductions, scans and orders

x = normal(3, 4, 2)
axes = np.array([0, 2])
for type, function in {"ReduceSum": torch.sum, "ReduceMean": torch.mean, "ReduceMax": torch.amax,
                       "ReduceMin": torch.amin}.items():  # fmt: skip
    case(type, type, {"x": x, "axes": axes}, function(x, (0, 2)))
    case(f"{type}_kept", type, {"x": x, "axes": axes}, function(x, (0, 2), keepdim=True),
         {"keep_dims": True})  # fmt: skip
case("ReduceProd", "ReduceProd", {"x": x, "axes": np.array([1])}, torch.prod(x, 1))
case("ReduceAll", "ReduceAll", {"x": x > -1, "axes": np.array([1])}, torch.all(x > -1, 1))
case("ReduceAny", "ReduceAny", {"x": x > 1, "axes": np.array([1])}, torch.any(x > 1, 1))
case("ArgMaxV2", "ArgMaxV2", {"x": x, "dimension": np.array(1)}, torch.argmax(x, 1))
case("ArgMin", "ArgMin", {"x": x, "dimension": np.array(1)}, torch.argmin(x, 1))
case("Cumsum", "Cumsum", {"x": x, "axis": np.array(1)}, torch.cumsum(x, 1))
case("Cumsum_reverse", "Cumsum", {"x": x, "axis": np.array(1)},
     torch.cumsum(x.flip(1), 1).flip(1), {"reverse": True})  # fmt: skip
case("Cumprod", "Cumprod", {"x": x, "axis": np.array(0)}, torch.cumprod(x, 0))
ties = torch.tensor([[1.0, 3.0, 3.0, 2.0, 4.0], [2.0, 2.0, 1.0, 2.0, 0.0]])
case("Cummax", "Cummax", {"x": ties}, torch.cummax(ties, 1), {"dim": 1})
case("Cummin", "Cummin", {"x": ties}, torch.cummin(ties, 1), {"axis": 1})
for down in (False, True):
    found = torch.sort(ties, dim=1, descending=down, stable=True)
    case(f"Sort_{down}", "Sort", {"x": ties}, [found.values, found.indices.int()],
         {"axis": 1, "descending": down, "stable": True})  # fmt: skip
found = torch.topk(x, 2, 1)
case("TopKV2", "TopKV2", {"x": x, "k": np.array(2, np.int32)},
     [found.values, found.indices.int()], {"dim": 1})  # fmt: skip

# Places

x, places = normal(4, 3), torch.tensor([[3, 0], [1, 1]])
case("GatherV2", "GatherV2", {"x": x, "indices": places, "axis": np.array(0)}, x[places])
along = torch.tensor([[2, 0, 1], [3, 3, 0]])
case("GatherElements", "GatherElements", {"x": x, "index": along}, torch.gather(x, 0, along))
case("GatherNd", "GatherNd", {"x": x, "indices": torch.tensor([[3, 2], [0, 1]])}, x[[3, 0], [2, 1]])
rows, updates = torch.tensor([[2], [0], [2]]), normal(3, 3)
case("TensorScatterAdd", "TensorScatterAdd", {"x": x, "indices": rows, "updates": updates},
     x.index_add(0, rows[:, 0], updates))  # fmt: skip
rows = torch.tensor([[2], [0]])
case("TensorScatterUpdate", "TensorScatterUpdate",
     {"x": x, "indices": rows, "updates": updates[:2]},
     x.index_copy(0, rows[:, 0], updates[:2]))  # fmt: skip
case("ScatterElements_add", "ScatterElements",
     {"data": x, "indices": along, "updates": updates[:2]},
     x.scatter_add(0, along, updates[:2]), {"reduction": "add"})  # fmt: skip
labels = torch.tensor([2, 0, 1])
case("OneHot", "OneHot",
     {"x": labels, "depth": np.array(4, np.int32),
      "on_value": np.float32(1), "off_value": np.float32(0)},
     F.one_hot(labels, 4).float())  # fmt: skip

# Products and factors

x, y, b = normal(4, 3), normal(5, 4), normal(5)
case("MatMulV2", "MatMulV2", {"x1": x, "x2": y, "bias": b}, x.T @ y.T + b,
     {"transpose_x1": True, "transpose_x2": True})  # fmt: skip
x, y = normal(2, 1, 3, 4), normal(5, 3, 2)
case("BatchMatMulV2", "BatchMatMulV2", {"x1": x, "x2": y}, x.mT @ y, {"adj_x1": True})
a = normal(2, 4, 4)
a = a @ a.mT + 4 * torch.eye(4)
case("Cholesky", "Cholesky", {"x": a}, torch.linalg.cholesky(a))
r = normal(2, 4, 3)
case("MatrixSolve", "MatrixSolve", {"matrix": a, "rhs": r}, torch.linalg.solve(a, r))

# Movement

x = normal(2, 3, 4)
case("Transpose", "Transpose", {"x": x, "perm": np.array([2, 0, 1])}, x.permute(2, 0, 1))
case("Reshape", "Reshape", {"x": x, "shape": np.array([4, -1])}, x.reshape(4, -1))
case("BroadcastTo", "BroadcastTo", {"x": x[:, :1], "shape": np.array([5, 2, 3, 4])},
     x[:, :1].broadcast_to(5, 2, 3, 4))  # fmt: skip
case("ReverseV2", "ReverseV2", {"x": x, "axis": np.array([0, 2])}, x.flip(0, 2))
case("Tile", "Tile", {"x": x, "multiples": np.array([1, 2, 3])}, x.repeat(1, 2, 3))
case(
    "PadV3",
    "PadV3",
    {"x": x, "paddings": np.array([[0, 0], [1, 0], [2, 1]]), "constant_values": np.float32(0.5)},
    F.pad(x, (2, 1, 1, 0), value=0.5),
)
case(
    "StridedSlice",
    "StridedSlice",
    {
        "x": x,
        "begin": np.array([1, 0, 3]),
        "end": np.array([2, 2, 0]),
        "strides": np.array([1, 1, -1]),
    },
    x[1:2, 0:2].flip(2),
    {"end_mask": 4},
)
case("Slice", "Slice", {"x": x, "offsets": np.array([0, 1, 1]), "size": np.array([2, 1, -1])},
     x[:, 1:2, 1:])  # fmt: skip

# Updates: what a parameter is after each of three steps, its state 0 at first


def steps(name, make):
    """Keep the gradients and the parameter of each step, the first one before all of them."""
    var = normal(4).requires_grad_()
    gradients, seen = [normal(4) for _ in range(3)], [var.detach().clone()]
    optimizer = make([var])
    for gradient in gradients:
        var.grad = gradient
        optimizer.step()
        seen.append(var.detach().clone())
    arrays[f"steps/{name}/grad"] = torch.stack(gradients).numpy()
    arrays[f"steps/{name}/var"] = torch.stack(seen).numpy()


steps("ApplyGradientDescent", lambda p: torch.optim.SGD(p, 0.1))
steps("ApplyMomentum", lambda p: torch.optim.SGD(p, 0.1, 0.9))
steps("ApplyMomentum_nesterov", lambda p: torch.optim.SGD(p, 0.1, 0.9, nesterov=True))
steps("ApplyAdam", lambda p: torch.optim.Adam(p, 0.1, (0.9, 0.99), 1e-12))
steps("ApplyAdamW", lambda p: torch.optim.AdamW(p, 0.1, (0.9, 0.99), 1e-3, weight_decay=0.2))
steps(
    "ApplyAdagrad", lambda p: torch.optim.Adagrad(p, 0.1, initial_accumulator_value=0.5, eps=1e-12)
)
steps("ApplyRMSProp", lambda p: torch.optim.RMSprop(p, 0.1, 0.9, 1e-12, momentum=0.5))
steps(
    "ApplyCenteredRMSProp",
    lambda p: torch.optim.RMSprop(p, 0.1, 0.9, 1e-12, momentum=0.5, centered=True),
)

# Three spatial axes, as NCDHW and NDHWC

for name, stride, pads, dilation, groups, layout in (
    ("plain", (1, 1, 1), (0, 0, 0), (1, 1, 1), 1, "NCDHW"),
    ("mixed", (2, 1, 3), (1, 0, 2), (1, 2, 1), 2, "NCDHW"),
    ("last", (1, 2, 1), (0, 1, 1), (1, 1, 2), 1, "NDHWC"),
):
    x, w = normal(2, 4, 5, 6, 7), normal(6, 4 // groups, 2, 3, 2)
    conv = partial(F.conv3d, stride=stride, padding=pads, dilation=dilation, groups=groups)
    y = conv(x, w)
    dy = normal(*y.shape)
    order = [0, 2, 3, 4, 1] if layout == "NDHWC" else [0, 1, 2, 3, 4]
    dx, dw = gradients(conv, [x, w], dy)
    x_, w_, y_, dy_, dx_, dw_ = (a.permute(order) for a in (x, w, y, dy, dx, dw))
    spatial = {
        "strides": [[1, 1, *stride][i] for i in order], "pads": [n for n in pads for _ in range(2)],
        "dilations": [[1, 1, *dilation][i] for i in order], "groups": groups,
        "data_format": layout,
    }  # fmt: skip
    sizes = [np.asarray(a.shape, np.int32) for a in (x_, w_)]
    case(f"Conv3D_{name}", "Conv3D", {"x": x_, "filter": w_}, y_, spatial)
    given = {"input_size": sizes[0], "filter": w_, "out_backprop": dy_}
    case(f"Conv3DBackpropInput_{name}", "Conv3DBackpropInput", given, dx_, spatial)
    given = {"x": x_, "filter_size": sizes[1], "out_backprop": dy_}
    case(f"Conv3DBackpropFilter_{name}", "Conv3DBackpropFilter", given, dw_, spatial)

x = normal(2, 3, 5, 6, 4)
for name, kernel, stride, pad, layout in (
    ("two", (2, 2, 2), (2, 2, 2), (0, 0, 0), "NCDHW"),
    ("wide", (3, 2, 3), (1, 2, 2), (1, 1, 0), "NCDHW"),
    ("last", (3, 2, 2), (2, 1, 2), (1, 0, 1), "NDHWC"),
):
    order = [0, 2, 3, 4, 1] if layout == "NDHWC" else [0, 1, 2, 3, 4]
    options = {"ksize": [[1, 1, *kernel][i] for i in order],
               "strides": [[1, 1, *stride][i] for i in order],
               "pads": [n for n in pad for _ in range(2)], "data_format": layout}  # fmt: skip
    pool = partial(F.max_pool3d, kernel_size=kernel, stride=stride, padding=pad)
    y = pool(x)
    dy = normal(*y.shape)
    (dx,) = gradients(pool, [x], dy)
    x_, y_, dy_, dx_ = (a.permute(order) for a in (x, y, dy, dx))
    more = {**options, "padding": "CALCULATED"}
    case(f"MaxPool3D_{name}", "MaxPool3D", {"x": x_}, y_, more)
    case(f"MaxPool3DGrad_{name}", "MaxPool3DGrad", {"orig_x": x_, "orig_y": y_, "grads": dy_}, dx_,
         more)  # fmt: skip
    for included, divisor in ((True, 0), (False, 0), (True, 5)):
        pool = partial(F.avg_pool3d, kernel_size=kernel, stride=stride, padding=pad,
                       count_include_pad=included, divisor_override=divisor or None)  # fmt: skip
        y_ = pool(x).permute(order)
        (dx,) = gradients(pool, [x], dy)
        more = {**options, "count_include_pad": included, "divisor_override": divisor}
        case(f"AvgPool3D_{name}_{included}_{divisor}", "AvgPool3D", {"x": x_}, y_, more)
        given = {"orig_input_shape": np.asarray(x_.shape, np.int32), "grads": dy_}
        case(f"AvgPool3DGrad_{name}_{included}_{divisor}", "AvgPool3DGrad", given,
             dx.permute(order), more)  # fmt: skip

# Maxima and where they stand; of equal ones the first

ties = torch.tensor(rng.integers(0, 4, (2, 2, 5, 6, 4)).astype(np.float32))
for name, stride, pad, dilation in (("plain", 2, 0, 1), ("dilated", 1, 1, 2)):
    numbers = {"strides": stride, "pads": pad, "dilation": dilation}
    for type, pool, x in (
        ("MaxPoolWithArgmaxV3", F.max_pool2d, ties[:, 0]),
        ("MaxPool3DWithArgmaxV2", F.max_pool3d, ties),
    ):
        count = x.ndim - 2
        options = {"ksize": [2] * count, **{key: [n] * count for key, n in numbers.items()},
                   "dtype": 9}  # fmt: skip
        found = pool(x, 2, stride, pad, dilation, return_indices=True)
        case(f"{type}_{name}", type, {"x": x}, found, options)

# Derivatives of the gamma function's logarithm

x = torch.cat([positive(6) * 3, -positive(6) * 3, torch.tensor([1e-4, -1e-4, 1e6])])
case("Digamma", "Digamma", {"x": x}, torch.digamma(x.double()).float())
order, x = 1 + positive(6), positive(6) * 3
case("Zeta", "Zeta", {"x": order, "q": x}, torch.special.zeta(order.double(), x.double()).float())
order = torch.tensor([2.0, 3, 4, 7])[:, None]
x = torch.tensor([-0.25, -1.5, -3.75, 0.5, 30])
case("Zeta_whole", "Zeta", {"x": order.expand(4, 5), "q": x.expand(4, 5)},
     torch.special.zeta(order.double(), x.double()).float())  # fmt: skip

np.savez_compressed(HERE / "vectors.npz", cases=np.array(json.dumps(cases)), **arrays)
print(len(cases), "cases of", len({each["type"] for each in cases.values()}), "operators")
