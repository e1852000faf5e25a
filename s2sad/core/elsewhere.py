"""What is meant by a name that s2sad lacks: one of another library, of another module, or misspelt?

Only errors ask.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from s2sad.core.diagnostics import did_you_mean, fail

#: What to do instead of naming a device.
DEVICE = "leave it out: set_context(device_target=...) says where all of it runs"
_GRADIENT = "a Tensor keeps no gradient: grad(function)(x) and value_and_grad give it as a result"

#: Attributes of tensors elsewhere, and what does it here.
OF_TENSORS = {
    "backward": _GRADIENT, "grad": _GRADIENT, "grad_fn": _GRADIENT, "is_leaf": _GRADIENT,
    "requires_grad": "grad(function, grad_position) says for which arguments gradients are taken",
    "requires_grad_": "grad(function, grad_position) says for which arguments gradients are taken",
    "retain_grad": _GRADIENT,
    "detach": "write ops.stop_gradient(x)",
    "data": "leave it out, or write ops.stop_gradient(x) for what takes no part in gradients",
    "cuda": DEVICE, "cpu": DEVICE, "npu": DEVICE, "device": DEVICE, "is_cuda": DEVICE,
}  # fmt: skip
#: Attributes of modules and optimizers elsewhere, and what does it for a Cell.
OF_CELLS = {
    "forward": "it is called construct, and runs when the Cell is called: net(x)",
    "train": "write net.set_train()", "eval": "write net.set_train(False)",
    "parameters": "write trainable_params(), or get_parameters() for the frozen ones as well",
    "named_parameters": "write parameters_and_names()", "children": "write cells()",
    "modules": "write cells_and_names()", "named_modules": "write cells_and_names()",
    "add_module": "write insert_child_to_cell(name, cell)",
    "register_module": "write insert_child_to_cell(name, cell)",
    "register_parameter": "write insert_param_to_cell(name, parameter)",
    "requires_grad_": "set requires_grad of each of get_parameters()",
    "cuda": DEVICE, "cpu": DEVICE, "npu": DEVICE, "to": DEVICE,
    "half": "write to_float(s2sad.float16)", "bfloat16": "write to_float(s2sad.bfloat16)",
    "zero_grad": "leave it out: a gradient is the result of a call, and nothing adds them up",
    "step": "call the optimizer with the gradients: optimizer(gradients)",
}  # fmt: skip
_START = "write parameter.set_data(initializer(...)), which s2sad.nn.initializer has"
_AT_ONCE = "leave it out: a call returns when what it gives is computed"
#: Names in modules elsewhere.
OF_MODULES = {
    "Module": "write nn.Cell", "Sequential": "write nn.SequentialCell",
    "ModuleList": "write nn.CellList",
    "ModuleDict": "write nn.CellDict", "ParameterList": "write ParameterTuple",
    "functional": "such functions are in ops: ops.relu",
    "no_grad": "leave it out: only grad and its like take gradients",
    "manual_seed": "write set_seed(seed)", "optim": "optimizers are in nn: nn.Adam",
    "constant_": _START, "normal_": _START, "kaiming_normal_": _START,
    "sync": _AT_ONCE, "synchronize": _AT_ONCE,
    "complex64": "no dtype is complex: keep the real and the imaginary part in two tensors",
    "FloatTensor": "write Tensor(data, float32)", "LongTensor": "write Tensor(data, int64)",
    "control_depend": "write ops.depend(value, expression)",
    "multi_head_attention_forward": "write nn.MultiheadAttention",
    "FlashAttention": "write ops.flash_attention_score",
}  # fmt: skip
#: Names of arguments elsewhere, each with those that may stand in its place here.
OF_ARGUMENTS = {
    "bias": ("has_bias",), "dilations": ("dilation",), "dim": ("axis", "axes", "dim0"),
    "eps": ("epsilon", "eps"), "groups": ("group",), "input": ("x",),
    "keepdim": ("keepdims", "keep_dims"), "keepdims": ("keep_dims",), "keep_dims": ("keepdims",),
    "lr": ("learning_rate",), "num_embeddings": ("vocab_size",),
    "embedding_dim": ("embedding_size",), "in_features": ("in_channels",),
    "out_features": ("out_channels",), "negative_slope": ("alpha",), "x": ("input",),
}  # fmt: skip

#: Modules whose public names are looked through for one that another of them lacks.
MODULES = {
    "s2sad": "s2sad", "s2sad.nn": "nn", "s2sad.ops": "ops", "s2sad.ops.operations": "ops",
}  # fmt: skip


def of_module(module: str, name: str, known: Iterable[str]) -> str | None:
    """Help for a `name` that `module` lacks, which has `known`.

    Examples
    --------
    >>> of_module("s2sad.nn", "Module", ()), of_module("s2sad.nn", "Relu", ["ReLU6", "ReLU"])
    ('write nn.Cell', 'did you mean ReLU?')
    >>> import s2sad
    >>> of_module("s2sad", "softmax", ()), of_module("s2sad.ops", "control_depend", ())
    ('it is in ops: ops.softmax', 'write ops.depend(value, expression)')
    >>> from s2sad.ops import operations
    >>> of_module("s2sad.nn", "SpaceToDepth", ())
    'it is in ops: ops.SpaceToDepth'
    """
    if name in OF_MODULES:
        return OF_MODULES[name]
    for other, short in MODULES.items():
        if other != module and name in getattr(sys.modules.get(other), "__all__", ()):
            return f"it is in {short}: {short}.{name}"
    same = [each for each in known if each.lower() == name.lower()]
    return f"did you mean {same[0]}?" if same else did_you_mean(name, known)


def of_arguments(given: Iterable[str], known: Mapping[str, object]) -> str | None:
    """Help for the first name of an argument that is not among those `known`.

    Examples
    --------
    >>> of_arguments(["dim"], {"input": 1, "axis": 2}), of_arguments(["axes"], {"axis": 1})
    ('did you mean axis?', 'did you mean axis?')
    """
    for name in given:
        if name not in known:
            same = [each for each in OF_ARGUMENTS.get(name, ()) if each in known]
            return f"did you mean {same[0]}?" if same else did_you_mean(name, known)
    return None


def missing(module: str, name: str, known: Iterable[str]) -> AttributeError:
    """What a module raises that has no `name`: E0220, with what is meant by it.

    Names with two underscores are asked for by Python itself, and get a plain AttributeError.
    """
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    error = fail("E0220", f"{module} has no {name!r}", help=of_module(module, name, known))
    assert isinstance(error, AttributeError)
    return error
