"""Which Cell runs a program that was kept in a file?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2sad.core.cell import Cell
from s2sad.core.diagnostics import did_you_mean, fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor

PARAMETER = "param:"


class GraphCell(Cell):
    """A program of `load_ir` as a Cell, with Parameters of its own.

    Parameters
    ----------
    graph : Loaded
        What `load_ir` gives. A file of a program holds no values of Parameters.
    params_init : dict of str to Tensor, optional
        The value of each Parameter, by name: what `load_checkpoint` gives. Others are not looked
        at.
    obf_random_seed : None
        Programs are not obfuscated.

    Attributes
    ----------
    program : Compiled
        What a call runs; `ms.grad` takes it.

    Raises
    ------
    S2sadError
        E0304 for what is no program, E0404 for a Parameter that has no value, and for a seed; those
        of `Loaded.bind`. In compiled code a call is E0104.

    Examples
    --------
    >>> import tempfile
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1, weight_init=2.0, bias_init=1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, *_ = ms.compile(net).dump(folder, ms.Tensor([[1.0]]))
    ...     ms.save_checkpoint(net, f"{folder}/net.ckpt")
    ...     values = ms.load_checkpoint(f"{folder}/net.ckpt")
    ...     kept = ms.nn.GraphCell(ms.load_ir(first), values)
    >>> kept(ms.Tensor([[3.0]])).tolist(), [p.name for p in kept.trainable_params()]
    ([[7.0]], ['weight', 'bias'])
    """

    def __init__(
        self, graph: Any, params_init: Mapping[str, Any] | None = None, obf_random_seed: Any = None
    ) -> None:
        super().__init__(auto_prefix=False)
        if not callable(getattr(graph, "bind", None)):
            raise fail(
                "E0304", f"GraphCell runs a program, got {shown(graph)}",
                help="load_ir reads one that ms.compile(net).dump(folder, *inputs) wrote",
            )  # fmt: skip
        if obf_random_seed is not None:
            raise fail("E0404", "obf_random_seed can be None only, programs are not obfuscated")
        names = [x.removeprefix(PARAMETER) for x in graph.function.inputs if _is_parameter(x)]
        values = dict(params_init or {})
        self.params = ParameterTuple(_parameter(name, values) for name in names)
        self.program = graph.bind(None, {PARAMETER + x.name: x for x in self.params})

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.program(*args, **kwargs)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.program(*args, **kwargs)


def _is_parameter(binding: str) -> bool:
    return binding.startswith(PARAMETER)


def _parameter(name: str, values: Mapping[str, Any]) -> Parameter:
    value = values.get(name)
    if not isinstance(value, Tensor):
        raise fail(
            "E0404", f"the program has a Parameter {name!r}, and params_init no Tensor for it",
            help=did_you_mean(name, values) or "give the values: load_checkpoint reads them",
        )  # fmt: skip
    is_trained = value.requires_grad if isinstance(value, Parameter) else True
    return Parameter(value, name, is_trained)
