"""Which of MindSpore's import paths are there, and what of s2sad stands behind each?

One row a path: the modules whose public names it has, in which a name is looked for from left to
right, and single names that are called otherwise, or lie elsewhere, in s2sad. ``"module:name"`` is
an attribute of a module. Paths below a path are its attributes as well, as in MindSpore, where
``import mindspore as ms`` is enough for ``ms.ops.operations``.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """What stands behind one path.

    Attributes
    ----------
    modules : tuple of str
        Names of modules.
    names : dict of str to str
        Attributes of modules, by the name that MindSpore has for each.
    """

    modules: tuple[str, ...]
    names: dict[str, str]


def _row(*modules: str, **names: str) -> Row:
    return Row(modules, names)


def _of(module: str, names: str) -> dict[str, str]:
    """A row's names for some attributes of `module` that are called the same."""
    return {name: f"{module}:{name}" for name in names.split()}


_DTYPES = {
    **_of(
        "s2sad.core.dtypes",
        "bfloat16 bool_ float16 float32 float64 int8 int16 int32 int64 uint8",
    ),
    **_of("s2sad.compat.dtypes", "dtype_to_nptype dtype_to_pytype pytype_to_dtype"),
    "Type": "s2sad.core.dtypes:DType",
    "bool": "s2sad.core.dtypes:bool_",
    "byte": "s2sad.core.dtypes:int8",
    "double": "s2sad.core.dtypes:float64",
    "half": "s2sad.core.dtypes:float16",
    "intc": "s2sad.core.dtypes:int32",
    "long": "s2sad.core.dtypes:int64",
    "short": "s2sad.core.dtypes:int16",
    "single": "s2sad.core.dtypes:float32",
}
_CONTEXT = {
    **_of(
        "s2sad.core.context",
        "COMPATIBLE GRAPH_MODE LAX PYNATIVE_MODE STRICT get_context get_current_device set_context "
        "set_deterministic set_device set_recursion_limit",
    ),
    **_of(
        "s2sad.compat.parallel",
        "ParallelMode get_auto_parallel_context reset_auto_parallel_context "
        "set_auto_parallel_context",
    ),
}
_API = {
    **_of("s2sad.compat.marks", "jit_class lazy_inline no_inline"),
    "jit": "s2sad:jit",
    "ms_class": "s2sad.compat.marks:jit_class",
    "ms_function": "s2sad:jit",
}
_PARAMETERS = _of("s2sad.core.parameter", "Parameter ParameterTuple")
_SEEDS = _of("s2sad.core.context", "get_seed set_seed")
_TENSORS = {**_of("s2sad.core.tensor", "Tensor"), "tensor": "s2sad.ops.creation:tensor"}
_INITIALIZERS = _of(
    "s2sad.nn.initializer",
    "Constant Dirac HeNormal HeUniform Identity Initializer Normal One Orthogonal Sparse "
    "TruncatedNormal Uniform VarianceScaling XavierNormal XavierUniform Zero initializer",
)
_REDUCTIONS = {
    "_get_device_num": "s2sad.compat.communication:get_group_size",
    "_get_enable_parallel_optimizer": "s2sad.compat.parallel:enable_parallel_optimizer",
    "_get_full_batch": "s2sad.compat.parallel:full_batch",
    "_get_global_rank": "s2sad.compat.communication:get_rank",
    "_get_gradients_mean": "s2sad.compat.parallel:gradients_mean",
    "_get_parallel_mode": "s2sad.compat.parallel:parallel_mode",
    "_get_parameter_broadcast": "s2sad.compat.parallel:parameter_broadcast",
    "_get_pipeline_stages": "s2sad.compat.parallel:pipeline_stages",
    "_get_stage_device_num": "s2sad.compat.communication:get_group_size",
    "_is_in_auto_parallel_mode": "s2sad.compat.parallel:is_auto_parallel",
    "_is_in_data_parallel_mode": "s2sad.compat.parallel:is_data_parallel",
}
#: What of MindSpore's own C++ has a meaning without it.
_NATIVE = {
    "Cell_": "s2sad.core.cell:Cell", "Primitive_": "s2sad.ops.primitives.base:Primitive",
    "Tensor": "s2sad.core.tensor:Tensor", "TensorPy": "s2sad.core.tensor:Tensor",
}  # fmt: skip
_DTYPE_CLASSES = {"Number": "s2sad.core.dtypes:DType", "Type": "s2sad.core.dtypes:DType"}

#: The row of each path.
ROWS: dict[str, Row] = {
    "mindspore": _row(
        "s2sad", **_DTYPES, **_CONTEXT, **_API, **_INITIALIZERS,
        **_of("s2sad.parallel", "Layout shard"), __version__="s2sad.compat.marks:MINDSPORE",
    ),
    "mindspore._c_expression": _row(**_NATIVE),
    "mindspore._c_expression.typing": _row(**_DTYPE_CLASSES),
    "mindspore._checkparam": _row("s2sad.compat.checkparam", "s2sad.compat.checktypes"),
    "mindspore._extends": _row(**_of("s2sad.compat.marks", "cell_attr_register")),
    "mindspore._extends.utils": _row(**_of("s2sad.compat.marks", "cell_attr_register")),
    "mindspore.amp": _row("s2sad.amp"),
    "mindspore.common": _row(**_DTYPES, **_API, **_PARAMETERS, **_SEEDS, **_TENSORS,
                             **_INITIALIZERS),
    "mindspore.common.api": _row(**_API),
    "mindspore.common.dtype": _row(**_DTYPES),
    "mindspore.common.initializer": _row(**_INITIALIZERS),
    "mindspore.common.parameter": _row(**_PARAMETERS),
    "mindspore.common.seed": _row(**_SEEDS),
    "mindspore.common.tensor": _row(**_TENSORS),
    "mindspore.communication": _row("s2sad.compat.communication"),
    "mindspore.communication.comm_func": _row("s2sad.compat.comm_func"),
    "mindspore.communication.management": _row("s2sad.compat.communication"),
    "mindspore.context": _row(**_CONTEXT),
    "mindspore.dataset": _row("s2sad.dataset"),
    "mindspore.dataset.config": _row(**_of(
        "s2sad.dataset.config", "get_num_parallel_workers get_prefetch_size get_seed "
        "set_num_parallel_workers set_prefetch_size set_seed",
    )),
    "mindspore.dataset.engine": _row("s2sad.dataset"),
    "mindspore.dataset.engine.datasets": _row("s2sad.dataset"),
    "mindspore.dataset.text": _row("s2sad.dataset.text"),
    "mindspore.dataset.text.transforms": _row("s2sad.dataset.text"),
    "mindspore.dataset.text.utils": _row("s2sad.dataset.text"),
    "mindspore.dataset.transforms": _row("s2sad.dataset.transforms"),
    "mindspore.dataset.transforms.c_transforms": _row("s2sad.dataset.transforms"),
    "mindspore.dataset.transforms.py_transforms": _row("s2sad.dataset.transforms"),
    "mindspore.dataset.transforms.transforms": _row("s2sad.dataset.transforms"),
    "mindspore.dataset.vision": _row("s2sad.dataset.vision"),
    "mindspore.dataset.vision.c_transforms": _row("s2sad.dataset.vision"),
    "mindspore.dataset.vision.py_transforms": _row("s2sad.dataset.vision"),
    "mindspore.dataset.vision.utils": _row("s2sad.dataset.vision"),
    "mindspore.dtype": _row(**_DTYPES),
    "mindspore.experimental": _row("s2sad.experimental"),
    "mindspore.experimental.optim": _row("s2sad.experimental.optim"),
    "mindspore.experimental.optim.lr_scheduler": _row("s2sad.experimental.optim.lr_scheduler"),
    "mindspore.experimental.optim.optimizer": _row(
        Optimizer="s2sad.experimental.optim:Optimizer"
    ),
    "mindspore.hal": _row("s2sad.hal"),
    "mindspore.log": _row("s2sad.compat.log"),
    "mindspore.mindrecord": _row("s2sad.mindrecord"),
    "mindspore.mint": _row("s2sad.mint"),
    "mindspore.mint.distributed": _row("s2sad.mint.distributed"),
    "mindspore.mint.linalg": _row("s2sad.mint.linalg"),
    "mindspore.mint.nn": _row("s2sad.mint.nn"),
    "mindspore.mint.nn.functional": _row("s2sad.mint.nn.functional"),
    "mindspore.mint.optim": _row("s2sad.mint.optim"),
    "mindspore.mint.special": _row("s2sad.mint.special"),
    "mindspore.nn": _row("s2sad.nn"),
    "mindspore.nn.cell": _row("s2sad.nn"),
    "mindspore.nn.dynamic_lr": _row("s2sad.nn"),
    "mindspore.nn.grad": _row("s2sad.nn"),
    "mindspore.nn.layer": _row("s2sad.nn"),
    "mindspore.nn.layer.activation": _row("s2sad.nn"),
    "mindspore.nn.layer.basic": _row("s2sad.nn"),
    "mindspore.nn.layer.container": _row("s2sad.nn"),
    "mindspore.nn.layer.conv": _row("s2sad.nn"),
    "mindspore.nn.layer.embedding": _row("s2sad.nn"),
    "mindspore.nn.layer.normalization": _row("s2sad.nn"),
    "mindspore.nn.layer.pooling": _row("s2sad.nn"),
    "mindspore.nn.learning_rate_schedule": _row("s2sad.nn"),
    "mindspore.nn.loss": _row("s2sad.nn"),
    "mindspore.nn.loss.loss": _row("s2sad.nn"),
    "mindspore.nn.metrics": _row("s2sad.nn.metrics"),
    "mindspore.nn.optim": _row("s2sad.nn"),
    "mindspore.nn.optim.adam": _row("s2sad.nn"),
    "mindspore.nn.optim.momentum": _row("s2sad.nn"),
    "mindspore.nn.optim.optimizer": _row("s2sad.nn"),
    "mindspore.nn.optim.sgd": _row("s2sad.nn"),
    "mindspore.nn.probability": _row("s2sad.nn.probability"),
    "mindspore.nn.probability.bijector": _row("s2sad.nn.probability.bijector"),
    "mindspore.nn.probability.distribution": _row("s2sad.nn.probability.distribution"),
    "mindspore.nn.utils": _row(no_init_parameters="s2sad.nn:no_init_parameters"),
    "mindspore.nn.wrap": _row("s2sad.nn"),
    "mindspore.nn.wrap.cell_wrapper": _row("s2sad.nn"),
    "mindspore.nn.wrap.grad_reducer": _row("s2sad.nn"),
    "mindspore.nn.wrap.loss_scale": _row("s2sad.nn"),
    "mindspore.numpy": _row("s2sad.numpy"),
    "mindspore.ops": _row("s2sad.ops"),
    "mindspore.ops._primitive_cache": _row(_get_cache_prim="s2sad.compat.marks:get_cache_prim"),
    "mindspore.ops.auto_generate": _row("s2sad.ops"),
    "mindspore.ops.composite": _row("s2sad.ops.composite", "s2sad.ops"),
    "mindspore.ops.function": _row("s2sad.ops"),
    "mindspore.ops.functional": _row("s2sad.ops.functional"),
    "mindspore.ops.operations": _row("s2sad.ops.operations"),
    "mindspore.ops.operations.array_ops": _row("s2sad.ops.operations"),
    "mindspore.ops.operations.comm_ops": _row("s2sad.ops.operations"),
    "mindspore.ops.operations.math_ops": _row("s2sad.ops.operations"),
    "mindspore.ops.operations.nn_ops": _row("s2sad.ops.operations"),
    "mindspore.ops.primitive": _row("s2sad.ops"),
    "mindspore.parallel": _row("s2sad.parallel"),
    "mindspore.parallel._auto_parallel_context": _row(
        **_of("s2sad.compat.parallel", "auto_parallel_context"),
        _AutoParallelContext="s2sad.compat.parallel:AutoParallelContext",
        _get_auto_parallel_context="s2sad.compat.parallel:get_auto_parallel_context",
        _reset_auto_parallel_context="s2sad.compat.parallel:reset_auto_parallel_context",
        _set_auto_parallel_context="s2sad.compat.parallel:set_auto_parallel_context",
    ),
    "mindspore.parallel._utils": _row(**_REDUCTIONS),
    "mindspore.parallel.auto_parallel": _row(**_of("s2sad.parallel", "AutoParallel")),
    "mindspore.profiler": _row("s2sad.profiler"),
    "mindspore.runtime": _row("s2sad.runtime"),
    "mindspore.train": _row(
        "s2sad.train", amp="s2sad.amp", **_of("s2sad.amp", "DynamicLossScaleManager "
        "FixedLossScaleManager LossScaleManager"), ParallelMode="s2sad.compat.parallel:ParallelMode"
    ),
    "mindspore.train._utils": _row(
        **_of("s2sad.compat.train_utils", "check_value_type"),
        _convert_type="s2sad.compat.train_utils:convert_type",
        _get_types_and_shapes="s2sad.compat.train_utils:types_and_shapes",
        _make_directory="s2sad.compat.train_utils:make_directory",
    ),
    "mindspore.train.amp": _row("s2sad.amp"),
    "mindspore.train.callback": _row("s2sad.train"),
    "mindspore.train.callback._callback": _row("s2sad.train"),
    "mindspore.train.dataset_helper": _row("s2sad.train"),
    "mindspore.train.loss_scale_manager": _row("s2sad.amp"),
    "mindspore.train.metrics": _row("s2sad.nn.metrics"),
    "mindspore.train.model": _row("s2sad.train"),
    "mindspore.train.serialization": _row("s2sad.checkpoints"),
    "mindspore.train.summary": _row("s2sad.train"),
}  # fmt: skip
