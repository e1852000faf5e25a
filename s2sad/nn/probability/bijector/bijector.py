"""What have all functions in common that can be undone, and bend a distribution into another?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.ir import dims
from s2sad.nn.probability.distribution.distribution import Distribution
from s2sad.nn.probability.distribution.transformed_distribution import TransformedDistribution
from s2sad.ops.distribution_parameters import batch_shape, missing
from s2sad.ops.draws import float_dtype
from s2sad.ops.promotion import is_tensor, require_floats, require_tensor
from s2sad.ops.settings import flag

#: What a bijector may be asked by name: ``bijector("forward", value)``.
FUNCTIONS = ("forward", "inverse", "forward_log_jacobian", "inverse_log_jacobian")


class Bijector(Cell):
    """Base of functions that can be undone.

    A subclass has methods ``_forward``, ``_inverse``, ``_forward_log_jacobian`` and
    ``_inverse_log_jacobian``. Called with a Distribution, a bijector gives that of what it makes of
    events.

    Parameters
    ----------
    is_constant_jacobian : bool
        Whether the function is linear.
    is_injective : bool
    name : str
    dtype : DType of floats, optional
        Of values; any floats by default.
    param : dict, optional
        What was given to the subclass, with its parameters once more under ``"param_dict"``.

    Raises
    ------
    S2sadError
        E0303 for an argument of the wrong form, E0301 for a dtype that does not fit, E0401 for
        parameters that do not broadcast; at a call E0304 for a value that is no Tensor, E0220 for
        a function that does not exist.

    Examples
    --------
    >>> import s2sad as ms
    >>> class Cubed(Bijector):
    ...     def __init__(self):
    ...         super().__init__(name="Cubed", param={})
    ...     def _forward(self, x):
    ...         return x**3
    >>> Cubed().forward(ms.Tensor([2.0])).asnumpy()
    array([8.], dtype=float32)
    """

    def __init__(
        self, is_constant_jacobian: bool = False, is_injective: bool = True,
        name: str | None = None, dtype: Any = None, param: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if not isinstance(name, str):
            raise fail("E0303", f"name is a str, got {shown(name)}")
        self._name = name
        self._dtype = None if dtype is None else float_dtype(dtype)
        self._parameters = {
            key: value
            for key, value in (param or {}).items()
            if key not in ("self", "param") and not key.startswith("_")
        }
        self._is_constant_jacobian = flag("is_constant_jacobian", is_constant_jacobian)
        self._is_injective = flag("is_injective", is_injective)
        self.default_parameters: list[Any] = []
        self.parameter_names: list[str] = []
        given = self._parameters.get("param_dict")
        self._batch_shape = None if given is None else batch_shape(given.values())
        self._is_scalar_batch = given is not None and all(
            isinstance(x, (int, float)) for x in given.values()
        )

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def parameters(self) -> dict[str, Any]:
        return self._parameters

    @property
    def is_constant_jacobian(self) -> bool:
        return self._is_constant_jacobian

    @property
    def is_injective(self) -> bool:
        return self._is_injective

    @property
    def batch_shape(self) -> tuple[int, ...] | None:
        return self._batch_shape

    @property
    def is_scalar_batch(self) -> bool:
        return self._is_scalar_batch

    def extend_repr(self) -> str:
        if not self.is_scalar_batch:
            return f"batch_shape = {self.batch_shape}"
        named = zip(self.parameter_names, self.default_parameters, strict=True)
        return ", ".join(f"{name} = {value}" for name, value in named)

    # -- for subclasses -----------------------------------------------------------------------

    def _add_parameter(self, value: Any, name: str) -> Any:
        """`value` as a tensor of floats, of one dtype with the others."""
        if value is None or isinstance(value, (bool, str)):
            raise fail("E0303", f"{name} is a number, a list of them or a Tensor, got {value!r}")
        found = require_floats(value if is_tensor(value) else Tensor(value), name)
        others = [x.dtype for x in self.default_parameters]
        wanted = next(iter(others), found.dtype) if self.dtype is None else self.dtype
        if found.dtype is not wanted:
            raise fail("E0301", f"{name} is {found.dtype.name}, but {wanted.name} is wanted")
        self.default_parameters.append(found)
        self.parameter_names.append(name)
        return found

    def _check_value(self, value: Any, name: str) -> Any:
        return require_tensor(value, name)

    def _check_value_dtype(self, value: Any) -> Any:
        """`value`, a tensor of floats, and of `dtype` where there is one."""
        found = require_floats(value, "a bijector")
        if self.dtype is not None and found.dtype is not self.dtype:
            raise fail("E0301", f"a value of {self.dtype.name} is needed, got {found.dtype.name}")
        return found

    def cast_param_by_value(self, value: Any, para: Any) -> Any:
        """The parameter `para`, of the dtype of `value`."""
        return ops.cast(para, value.dtype)

    def shape_mapping(self, shape: Any) -> tuple[Any, ...]:
        """The shape of what is made of values of `shape`."""
        return tuple(dims.broadcast(tuple(shape), self.batch_shape or ()))

    # -- what it computes ---------------------------------------------------------------------

    def forward(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """The function of `value`."""
        return self._forward(value, *args, **kwargs)

    def inverse(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """What the function makes `value` of."""
        return self._inverse(value, *args, **kwargs)

    def forward_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Logarithm of the absolute derivative of `forward`."""
        return self._forward_log_jacobian(value, *args, **kwargs)

    def inverse_log_jacobian(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        """Logarithm of the absolute derivative of `inverse`."""
        return self._inverse_log_jacobian(value, *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and isinstance(args[0], Distribution):
            return TransformedDistribution(self, args[0])
        return super().__call__(*args, **kwargs)

    def construct(self, name: str, *args: Any, **kwargs: Any) -> Any:
        if name not in FUNCTIONS:
            return missing(self.name, name, "bijector")
        return getattr(self, name)(*args, **kwargs)
