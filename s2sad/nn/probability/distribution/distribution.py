"""What have all distributions in common, and what follows from what one of them knows?"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.ops.distribution_parameters import (
    as_parameter,
    batch_shape,
    known,
    missing,
    numeric_dtype,
    parameter_dtype,
    require_kind,
    together,
)
from s2sad.ops.promotion import require_tensor
from s2sad.ops.settings import integer

#: What a distribution may be asked by name: ``distribution("prob", value)``.
FUNCTIONS = (
    "prob", "log_prob", "cdf", "log_cdf", "survival_function", "log_survival", "mean", "mode", "sd",
    "var", "entropy", "kl_loss", "cross_entropy", "sample", "get_dist_args", "get_dist_type",
)  # fmt: skip


def described(values: Mapping[str, Any], **parameters: Any) -> dict[str, Any]:
    """Arguments of a distribution that is made, and its parameters apart."""
    return {**values, "param_dict": parameters}


def beyond(where: Any, outcome: Any, inside: Any) -> Any:
    """`outcome` where a value is beyond what can happen, else `inside`, and NaN where that is."""
    return ops.where(ops.logical_and(where, ops.logical_not(ops.isnan(inside))), outcome, inside)


class Distribution(Cell):
    """Base of distributions: densities, chances, moments and samples.

    A subclass has methods ``_prob``, ``_log_prob``, ``_cdf``, ``_log_cdf``, ``_survival_function``,
    ``_log_survival``, ``_mean``, ``_mode``, ``_sd``, ``_var``, ``_entropy``, ``_kl_loss``,
    ``_cross_entropy`` and ``_sample``, as many as it knows. Those of one name without the dash use
    them, and where one is missing what follows from another: `prob` from ``_log_prob``.

    Parameters
    ----------
    seed : int or None
        Names a stream of the random numbers; None is 0. Not negative.
    dtype : DType
        Of events, and of what is sampled.
    name : str
    param : dict
        What was given to the subclass, as by ``dict(locals())``, with its parameters once more
        under ``"param_dict"``.

    Attributes
    ----------
    parameter_type : DType
        Of the parameters: their own if they are floats, else `dtype`, else float32.
    batch_shape, broadcast_shape : tuple of int, or None
        The shape of the parameters together; None where one is not given.
    is_scalar_batch : bool
        Whether all parameters that are given are Python numbers.

    Raises
    ------
    S2sadError
        E0303 for an argument of the wrong form, E0404 for a negative seed, E0301 for a dtype that
        does not fit, E0401 for parameters that do not broadcast; at a call E0220 for what the
        distribution does not have, E0304 for a value that is no Tensor or a parameter that is
        given nowhere.

    Notes
    -----
    Parameters that are given in a call, as Tensors, take the place of those of the distribution
    for that call. What is at once unlikely and asked for as a logarithm keeps its precision:
    `log_prob`, `log_cdf` and `log_survival` are computed as such.

    Examples
    --------
    >>> import s2sad as ms
    >>> class Triangle(Distribution):
    ...     def __init__(self, width, seed=None, dtype=ms.float32, name="Triangle"):
    ...         super().__init__(seed, dtype, name, {"param_dict": {"width": width}})
    ...         self.width = self._add_parameter(width, "width")
    ...     def _prob(self, value, width=None):
    ...         width = self._check_param_type(width)
    ...         return ms.ops.relu(1 - ms.ops.abs(value) / width) / width
    >>> Triangle(2.0).log_prob(ms.Tensor([0.0, 1.0])).asnumpy().round(3)
    array([-0.693, -1.386], dtype=float32)
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, ways in WAYS.items():
            taken = next((way for needed, way in ways if hasattr(cls, needed)), None)
            setattr(cls, f"_call_{name}", getattr(cls, taken) if taken else _lacking(name))

    def __init__(self, seed: int | None, dtype: Any, name: str, param: Mapping[str, Any]) -> None:
        super().__init__()
        if not isinstance(name, str):
            raise fail("E0303", f"name is a str, got {shown(name)}")
        self._name = name
        self._seed = 0 if seed is None else integer("seed", seed, 0)
        self._dtype = numeric_dtype(dtype)
        self._parameters = {
            key: value for key, value in param.items() if key != "self" and not key.startswith("_")
        }
        self._reset_parameters()
        self._set_parameters(self._parameters.get("param_dict", {}))

    def _set_parameters(self, parameters: Mapping[str, Any]) -> None:
        self.parameter_type = parameter_dtype(parameters, self.dtype)
        self._batch_shape = self._broadcast_shape = batch_shape(parameters.values())
        given = [x for x in parameters.values() if x is not None]
        self._is_scalar_batch = all(isinstance(x, (int, float)) for x in given)

    # -- what it was made of ------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def seed(self) -> int:
        return self._seed

    @property
    def parameters(self) -> dict[str, Any]:
        return self._parameters

    @property
    def is_scalar_batch(self) -> bool:
        return self._is_scalar_batch

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        return self._batch_shape

    @property
    def broadcast_shape(self) -> tuple[int, ...] | None:
        return self._broadcast_shape

    def extend_repr(self) -> str:
        if not self.is_scalar_batch:
            return f"batch_shape = {self.broadcast_shape}"
        named = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in named)

    # -- for subclasses -----------------------------------------------------------------------

    def _reset_parameters(self) -> None:
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []

    def _add_parameter(self, value: Any, name: str) -> Any:
        """`value` as a tensor, or None: the default of the parameter that comes next."""
        found = None if value is None else as_parameter(name, value, self.parameter_type)
        self.default_parameters.append(found)
        self.parameter_names.append(name)
        return found

    def _check_param_type(self, *args: Any) -> Any:
        """The parameters, each from a call or else its default, of one dtype and shape."""
        given = self._known(*args)
        found = together(given, self.parameter_type)
        return found[0] if len(found) == 1 else found

    def _known(self, *args: Any) -> tuple[Any, ...]:
        """The parameters, each from a call or else its default."""
        return known(self.parameter_names, args, self.default_parameters)

    def _check_value(self, value: Any, name: str) -> Any:
        return require_tensor(value, name)

    def _event(self, value: Any) -> Any:
        """A value that is asked about, as a float."""
        dtype = self.dtype if self.dtype.is_float else self.parameter_type
        return ops.cast(require_tensor(value, "value"), dtype)

    def _other(self, kind: Any, *args: Any) -> tuple[Any, ...]:
        """Parameters of the distribution that is compared with, which is of the same kind."""
        require_kind(kind, self._get_dist_type())
        return known([f"{name}_b" for name in self.parameter_names], args, [None] * len(args))

    def _wide(self, shape: Any) -> Any:
        """Uniform numbers between 0 and 1, in float64 and without these."""
        numbers = ops.uniform(shape, 0.0, 1.0, self.seed, "float64")
        return ops.maximum(numbers, 2.0**-54)

    # -- densities and chances ----------------------------------------------------------------

    def prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The density at `value`, or its probability where events are discrete."""
        return self._call_prob(value, *args, **kwargs)

    def log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Logarithm of `prob`."""
        return self._call_log_prob(value, *args, **kwargs)

    def cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of `value` or less."""
        return self._call_cdf(value, *args, **kwargs)

    def log_cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Logarithm of `cdf`."""
        return self._call_log_cdf(value, *args, **kwargs)

    def survival_function(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The probability of more than `value`."""
        return self._call_survival(value, *args, **kwargs)

    def log_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Logarithm of `survival_function`."""
        return self._call_log_survival(value, *args, **kwargs)

    # -- moments and comparisons --------------------------------------------------------------

    def mean(self, *args: Any, **kwargs: Any) -> Any:
        """The mean."""
        return self._mean(*args, **kwargs)

    def mode(self, *args: Any, **kwargs: Any) -> Any:
        """The most likely event."""
        return self._mode(*args, **kwargs)

    def sd(self, *args: Any, **kwargs: Any) -> Any:
        """The standard deviation."""
        return self._call_sd(*args, **kwargs)

    def var(self, *args: Any, **kwargs: Any) -> Any:
        """The variance."""
        return self._call_var(*args, **kwargs)

    def entropy(self, *args: Any, **kwargs: Any) -> Any:
        """The entropy, in nats."""
        return self._entropy(*args, **kwargs)

    def kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Any:
        """The Kullback-Leibler divergence from this distribution to another.

        Parameters
        ----------
        dist : str
            The other's kind, which is this one's: ``"Normal"``.
        *args, **kwargs
            Parameters of the other, then, optionally, of this one.
        """
        return self._kl_loss(dist, *args, **kwargs)

    def cross_entropy(self, dist: str, *args: Any, **kwargs: Any) -> Any:
        """The cross entropy of this distribution and another; arguments as of `kl_loss`."""
        return self._call_cross_entropy(dist, *args, **kwargs)

    def sample(self, *args: Any, **kwargs: Any) -> Any:
        """Random events, by default one for each of the batch.

        Parameters
        ----------
        shape : tuple of int
            How many for each: it comes before the shape of the batch.
        """
        return self._sample(*args, **kwargs)

    def get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """The parameters, each from this call or else its default."""
        return self._get_dist_args(*args, **kwargs)

    def get_dist_type(self) -> str:
        """The kind of distribution, as `kl_loss` takes it."""
        return self._get_dist_type()

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if name not in FUNCTIONS:
            return missing(self.name, name)
        return getattr(self, name)(*args, **kwargs)

    # -- what a subclass may leave out --------------------------------------------------------

    def _mean(self, *args: Any, **kwargs: Any) -> Any:
        return missing(self.name, "mean")

    def _mode(self, *args: Any, **kwargs: Any) -> Any:
        return missing(self.name, "mode")

    def _entropy(self, *args: Any, **kwargs: Any) -> Any:
        return missing(self.name, "entropy")

    def _kl_loss(self, dist: str, *args: Any, **kwargs: Any) -> Any:
        return missing(self.name, "kl_loss")

    def _sample(self, *args: Any, **kwargs: Any) -> Any:
        return missing(self.name, "sample")

    def _get_dist_args(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        return missing(self.name, "get_dist_args")

    def _get_dist_type(self) -> str:
        return type(self).__name__

    # -- what follows from another ------------------------------------------------------------

    def _exp_log_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.exp(self._log_prob(value, *args, **kwargs))

    def _log_of_prob(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.log(self._prob(value, *args, **kwargs))

    def _exp_log_cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.exp(self._log_cdf(value, *args, **kwargs))

    def _rest_of_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return 1.0 - self._survival_function(value, *args, **kwargs)

    def _rest_of_log_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return -ops.expm1(self._log_survival(value, *args, **kwargs))

    def _log_of_cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.log(self._call_cdf(value, *args, **kwargs))

    def _exp_log_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.exp(self._log_survival(value, *args, **kwargs))

    def _rest_of_cdf(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return 1.0 - self._call_cdf(value, *args, **kwargs)

    def _log_of_survival(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ops.log(self._call_survival(value, *args, **kwargs))

    def _root_of_var(self, *args: Any, **kwargs: Any) -> Any:
        return ops.sqrt(self._var(*args, **kwargs))

    def _square_of_sd(self, *args: Any, **kwargs: Any) -> Any:
        return ops.square(self._sd(*args, **kwargs))

    def _entropy_and_loss(self, dist: str, *args: Any, **kwargs: Any) -> Any:
        """By the entropy of this one: `args` are parameters of the other, then of this one."""
        mine = {name: x for name, x in kwargs.items() if name in self.parameter_names}
        own = self._entropy(*args[len(self.parameter_names) :], **mine)
        return own + self._kl_loss(dist, *args, **kwargs)


def _lacking(name: str) -> Callable[..., Any]:
    """A method that says E0220 of `name`."""
    spoken = "survival_function" if name == "survival" else name

    def lacking(self: Distribution, *args: Any, **kwargs: Any) -> Any:
        return missing(self.name, spoken)

    return lacking


#: For each function, which of a subclass's methods it needs, and what then computes it.
WAYS: dict[str, tuple[tuple[str, str], ...]] = {
    "prob": (("_prob", "_prob"), ("_log_prob", "_exp_log_prob")),
    "log_prob": (("_log_prob", "_log_prob"), ("_prob", "_log_of_prob")),
    "sd": (("_sd", "_sd"), ("_var", "_root_of_var")),
    "var": (("_var", "_var"), ("_sd", "_square_of_sd")),
    "cdf": (
        ("_cdf", "_cdf"), ("_log_cdf", "_exp_log_cdf"),
        ("_survival_function", "_rest_of_survival"), ("_log_survival", "_rest_of_log_survival"),
    ),
    "log_cdf": (
        ("_log_cdf", "_log_cdf"), ("_cdf", "_log_of_cdf"), ("_survival_function", "_log_of_cdf"),
        ("_log_survival", "_log_of_cdf"),
    ),
    "survival": (
        ("_survival_function", "_survival_function"), ("_log_survival", "_exp_log_survival"),
        ("_cdf", "_rest_of_cdf"), ("_log_cdf", "_rest_of_cdf"),
    ),
    "log_survival": (
        ("_log_survival", "_log_survival"), ("_survival_function", "_log_of_survival"),
        ("_cdf", "_log_of_survival"), ("_log_cdf", "_log_of_survival"),
    ),
    "cross_entropy": (("_cross_entropy", "_cross_entropy"), ("_kl_loss", "_entropy_and_loss")),
}  # fmt: skip
