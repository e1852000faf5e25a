"""s2sad: source-to-source automatic differentiation for Python, with MindSpore's API.

Decorate a Cell with `compile`; its `construct` is parsed, differentiated as Python, and run by
NumPy. Every stage in between is a Python program that you can read and run.

The compiler is imported when it is first needed, so that a program which only looks at tensors,
or a command line which only prints its help, does not wait for it.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from s2sad import nn, ops
from s2sad.core import dispatch as _dispatch
from s2sad.core.cell import Cell as _Cell
from s2sad.core.cell_hooks import run_cell as _run
from s2sad.core.checkpoint import checkpoint
from s2sad.core.context import (
    COMPATIBLE,
    GRAPH_MODE,
    LAX,
    PYNATIVE_MODE,
    STRICT,
    get_context,
    get_current_device,
    get_seed,
    set_context,
    set_deterministic,
    set_device,
    set_recursion_limit,
    set_seed,
)
from s2sad.core.context import is_graph_mode as _is_graph_mode
from s2sad.core.custom_vjp import custom_vjp
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import (
    bfloat16,
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
)
from s2sad.core.elsewhere import missing as _missing
from s2sad.core.generator import (
    Generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from s2sad.core.jacobians import hessian, jacfwd, jacrev
from s2sad.core.jit_config import JitConfig
from s2sad.core.mapping import vmap
from s2sad.core.mutable import mutable
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.tensor import Tensor
from s2sad.core.transform import get_grad, grad, jvp, value_and_grad, vjp
from s2sad.ops.creation import tensor
from s2sad.ops.promotion import is_tensor

from_numpy = Tensor.from_numpy

if _TYPE_CHECKING:
    from s2sad import (
        amp,
        dataset,
        experimental,
        hal,
        mindrecord,
        mint,
        parallel,
        profiler,
        runtime,
        train,
    )
    from s2sad.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
    from s2sad.checkpoints import (
        check_checkpoint,
        ckpt_to_safetensors,
        load_checkpoint,
        load_checkpoint_async,
        load_param_into_net,
        safetensors_to_ckpt,
        save_checkpoint,
    )
    from s2sad.compat.installed import run_check
    from s2sad.compat.log import get_level
    from s2sad.compiled import compile  # noqa: A004
    from s2sad.compiled import compile as jit
    from s2sad.exporting import export, load
    from s2sad.loaded import load_ir
    from s2sad.profiler import Profiler
    from s2sad.sink import data_sink
    from s2sad.train import (
        BackupAndRestore,
        Callback,
        CheckpointConfig,
        DatasetHelper,
        EarlyStopping,
        History,
        LambdaCallback,
        LearningRateScheduler,
        LossMonitor,
        Model,
        ModelCheckpoint,
        ReduceLROnPlateau,
        RunContext,
        SummaryCollector,
        SummaryRecord,
        TimeMonitor,
        connect_network_with_dataset,
    )

__version__ = "0.1.0"

__all__ = [
    "BackupAndRestore", "COMPATIBLE", "Callback", "CheckpointConfig", "DatasetHelper",
    "DynamicLossScaleManager", "EarlyStopping", "FixedLossScaleManager", "GRAPH_MODE", "Generator",
    "History", "JitConfig", "LAX", "LambdaCallback", "LearningRateScheduler", "LossMonitor",
    "LossScaleManager", "Model", "ModelCheckpoint", "PYNATIVE_MODE", "Parameter", "ParameterTuple",
    "Profiler",
    "ReduceLROnPlateau", "RunContext", "S2sadError", "STRICT", "SummaryCollector", "SummaryRecord",
    "Tensor", "TimeMonitor", "amp", "bfloat16", "bool_", "check_checkpoint", "checkpoint",
    "ckpt_to_safetensors", "compile", "connect_network_with_dataset", "custom_vjp", "data_sink",
    "dataset", "experimental", "export", "float16", "float32", "float64", "from_numpy",
    "get_context", "get_current_device", "get_grad", "get_level", "get_rng_state", "get_seed",
    "grad", "hal", "hessian", "initial_seed", "int16", "int32", "int64", "int8", "is_tensor",
    "jacfwd", "jacrev", "jit", "jvp", "load", "load_checkpoint", "load_checkpoint_async", "load_ir",
    "load_param_into_net", "manual_seed", "mindrecord", "mint", "mutable", "nn", "ops", "parallel",
    "profiler", "run_check", "runtime", "safetensors_to_ckpt", "save_checkpoint", "seed",
    "set_context", "set_deterministic", "set_device", "set_recursion_limit", "set_rng_state",
    "set_seed", "tensor",
    "train", "uint8", "value_and_grad", "vjp", "vmap",
]  # fmt: skip


#: The compiler, once it was needed. Held here, so that a debugger which steps into a gradient does
#: not step through the import of a module that is there already.
_held: list[_Any] = []


def _compiler() -> _Any:
    if not _held:
        _held.append(_import_module("s2sad.compiled"))
    return _held[0]


#: Where names are that load the compiler, or that few programs need; `jit` is MindSpore's for
#: `compile`.
_ON_FIRST_NEED = {
    "compile": ("s2sad.compiled", "compile"),
    "data_sink": ("s2sad.sink", "data_sink"),
    "export": ("s2sad.exporting", "export"),
    "jit": ("s2sad.compiled", "compile"),
    "load": ("s2sad.exporting", "load"),
    "get_level": ("s2sad.compat.log", "get_level"),
    "Profiler": ("s2sad.profiler", "Profiler"),
    "load_ir": ("s2sad.loaded", "load_ir"),
    "run_check": ("s2sad.compat.installed", "run_check"),
    **{
        name: ("s2sad.checkpoints", name)
        for name in (
            "check_checkpoint",
            "ckpt_to_safetensors",
            "load_checkpoint",
            "load_checkpoint_async",
            "load_param_into_net",
            "safetensors_to_ckpt",
            "save_checkpoint",
        )  # fmt: skip
    },
    **{
        name: ("s2sad.train", name)
        for name in (
            "BackupAndRestore",
            "Callback",
            "CheckpointConfig",
            "DatasetHelper",
            "EarlyStopping",
            "History",
            "LambdaCallback",
            "LearningRateScheduler",
            "LossMonitor",
            "Model",
            "ModelCheckpoint",
            "ReduceLROnPlateau",
            "RunContext",
            "SummaryCollector",
            "SummaryRecord",
            "TimeMonitor",
            "connect_network_with_dataset",
        )
    },
    **{
        name: ("s2sad.amp", name)
        for name in ("DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager")
    },
}
#: Packages that are imported on first need.
_PACKAGES = (
    "amp", "dataset", "experimental", "hal", "mindrecord", "mint", "numpy", "parallel", "profiler",
    "runtime", "train",
)  # fmt: skip


def __getattr__(name: str) -> _Any:
    if name in _ON_FIRST_NEED:
        module, attribute = _ON_FIRST_NEED[name]
        return getattr(_import_module(module), attribute)
    if name in _PACKAGES:
        return _import_module(f"s2sad.{name}")
    raise _missing("s2sad", name, __all__)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _call_cell(cell: _Cell, args: tuple[_Any, ...], kwargs: dict[str, _Any]) -> _Any:
    if _is_graph_mode() or hasattr(type(cell), "compiled"):
        return _compiler().compiled_of(cell)(*args, **kwargs)
    return _run(cell, args, kwargs)


def _call_transform(transform: _Any, args: tuple[_Any, ...], kwargs: dict[str, _Any]) -> _Any:
    return _compiler().call_gradient(transform, args, kwargs)


def _derive(values: _Any, body: _Any, attrs: dict[str, _Any]) -> tuple[_Any, ...]:
    return _import_module("s2sad.passes.expand").derive(values, body, attrs)


def _launch(*operation: _Any) -> tuple[_Any, ...]:
    return _import_module("s2sad.backends.ascend.target.operations").launch(*operation)


_dispatch.fill(_dispatch.Slots(ops.METHODS, _call_cell, _call_transform, _derive, _launch))
