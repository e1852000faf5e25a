"""What is a network? A tree of Cells that own Parameters, with a name for each.

Assigning to an attribute registers: a Parameter, a Cell, or the members of a ParameterTuple.
A Parameter's name is the path of attributes that leads to it, from the Cell that was assembled
last; at the top it may have a name of its own. Lists and dicts are not looked into.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

from s2sad.core import changes, dtypes, location, precision, state
from s2sad.core.cell_devices import Placed
from s2sad.core.cell_hooks import Hooked
from s2sad.core.diagnostics import S2sadError, did_you_mean, fail
from s2sad.core.dispatch import slots
from s2sad.core.dtypes import DType
from s2sad.core.elsewhere import OF_CELLS
from s2sad.core.jit_config import JitConfig
from s2sad.core.parameter import Parameter, ParameterTuple, check_unique, reading
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.core.tracebacks import shorten

Self = TypeVar("Self", bound="Cell")

#: Registries of a Cell, in the order in which an attribute is looked up in them.
REGISTRIES = ("_params", "_buffers", "_cells")


class Cell(Hooked, Placed):
    """Part of a network: Parameters, children, and a `construct` method that computes.

    Parameters
    ----------
    auto_prefix : bool
        Whether assigning a child renames its Parameters to ``attribute.path``. Wrappers that must
        leave names alone (losses, optimizers) say False.
    flags : dict, optional
        As for `add_flags`.

    Attributes
    ----------
    training : bool
        False until `set_train`: dropout and batch normalisation infer.
    requires_grad : bool
    phase : str
        ``"train"``, or ``"predict"`` after ``set_train(False)``.

    Notes
    -----
    Where a Cell is compiled, `construct` is read as source. Each assignment to an attribute counts
    as a change of the program (`s2sad.core.changes`).

    Examples
    --------
    >>> class Scale(Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.gain = Parameter([2.0], name="custom")
    >>> class Net(Cell):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.inner = Scale()
    >>> Scale().gain.name, Net().inner.gain.name
    ('custom', 'inner.gain')
    """

    # Set by way of `__dict__`, since `__setattr__` asks for the registries.
    _params: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    _cells: dict[str, Cell | None]
    _transient: set[str]  # names of buffers that no checkpoint holds
    _auto_prefix: bool
    _param_prefix: str
    _flags: dict[str, Any]
    _precision: precision.Precision | None
    _checkpoint: tuple[int | None] | None = None  # the budget of `s2sad.checkpoint`
    training: bool
    requires_grad: bool
    phase: str

    def __init__(self, auto_prefix: bool = True, flags: Mapping[str, Any] | None = None) -> None:
        self.__dict__.update(
            _params={}, _buffers={}, _cells={}, _transient=set(), _auto_prefix=auto_prefix,
            _param_prefix="", _flags={}, _precision=None, _hooks=(), training=False,
            requires_grad=False, phase="train",
        )  # fmt: skip
        if flags:
            self.add_flags(**flags)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not hasattr(self, "construct"):
            raise no_construct(type(self), location.caller())
        try:
            return slots().call_cell(self, args, kwargs)
        except Exception as error:
            shorten(error)
            raise

    # -- attributes ---------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        if "_cells" in own:
            for registry in REGISTRIES:
                if name in own[registry]:
                    value, read = own[registry][name], reading.get()
                    return value if read is None else read(value)
        elif not name.startswith("__"):
            is_ours = name in Cell.__annotations__  # what needs it was called by the user
            raise self._not_initialised("using it" if is_ours else f"reading {name!r}")
        known = [] if name.startswith("__") else dir(self)
        raise fail(
            "E0220", f"{type(self).__name__} has no attribute {name!r}",
            help=OF_CELLS.get(name) or did_you_mean(name, known) or self._held(),
        )  # fmt: skip

    def _held(self) -> str | None:
        """Help that names what is registered, if that is little."""
        own = [name for registry in REGISTRIES for name in self.__dict__.get(registry, ())]
        return f"it has {', '.join(own)}" if 0 < len(own) < 6 else None

    def __setattr__(self, name: str, value: Any) -> None:
        if "_cells" not in self.__dict__:
            raise self._not_initialised(f"assigning {name!r}")
        try:
            self._set_attribute(name, value)
        finally:  # an error may come after a part of a change
            changes.note()

    def _set_attribute(self, name: str, value: Any) -> None:
        if isinstance(value, ParameterTuple):
            self._register_all(value)
        if isinstance(value, Parameter):
            self._register("_params", name, value)
            if not value.is_named:
                value.name = name
        elif isinstance(value, Cell):
            self._register("_cells", name, value)
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
        elif name in self._params:
            self._set_parameter(name, value)
        elif name in self._buffers:
            self._set_buffer(name, value)
        elif name in self._cells:
            self._cells[name] = self._none(name, "Cell", value)
        else:
            object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        for registry in REGISTRIES:
            if name in self.__dict__.get(registry, ()):
                del self.__dict__[registry][name]
                self._transient.discard(name)
                break
        else:
            object.__delattr__(self, name)
        changes.note()

    def __dir__(self) -> Iterable[str]:
        found = set(super().__dir__())
        for registry in REGISTRIES:
            found.update(self.__dict__.get(registry, ()))
        return sorted(found)

    def _register(self, registry: str, name: str, value: Any) -> None:
        """Enter `value`, in the place of a plain attribute or of one of its own kind."""
        for other in REGISTRIES:
            if other != registry and name in self.__dict__[other]:
                raise self._other_kind(name, value)
        if hasattr(type(self), name):  # it would hide the entry
            raise fail(
                "E0222", f"the class {self.cls_name} has an attribute {name!r} already",
                help="choose another name for the attribute of the instance",
            )  # fmt: skip
        self.__dict__.pop(name, None)
        self.__dict__[registry][name] = value

    def _register_all(self, values: ParameterTuple) -> None:
        for value in values:
            if self._params.get(value.name, value) is not value:
                raise fail("E0406", f"{self.cls_name} has another Parameter {value.name!r} already")
            self.insert_param_to_cell(value.name, value, check_name_contain_dot=False)

    def _not_initialised(self, action: str) -> S2sadError:
        return fail(
            "E0221", f"{action} comes before {type(self).__name__} is initialised",
            location=location.caller(),
            help=f"call super().__init__() first in {type(self).__name__}.__init__",
        )  # fmt: skip

    def _other_kind(self, name: str, value: Any) -> S2sadError:
        held = next(r for r in REGISTRIES if name in self.__dict__[r])
        kind = {"_params": "Parameter", "_buffers": "buffer", "_cells": "Cell"}[held]
        return fail(
            "E0304", f"{name!r} is a {kind} of {self.cls_name}, it cannot become a "
            f"{type(value).__name__}",
            help=f"delete it first: del cell.{name}",
        )  # fmt: skip

    def _none(self, name: str, kind: str, value: Any) -> None:
        if value is not None:
            raise self._other_kind(name, value)

    def _set_parameter(self, name: str, value: Any) -> None:
        held = self._params[name]
        if isinstance(value, Tensor) and held is not None:
            held.set_data(value)
        else:
            self._params[name] = self._none(name, "Parameter", value)

    def _set_buffer(self, name: str, value: Any) -> None:
        if not isinstance(value, (Tensor, type(None))):
            raise self._other_kind(name, value)
        self._buffers[name] = value

    # -- Parameters ---------------------------------------------------------------------------

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Attribute path and Parameter of each, own first, then the children's; each once.

        Parameters
        ----------
        name_prefix : str
            Comes before each path, with a dot.
        expand : bool
            False leaves the children out.

        Examples
        --------
        >>> cell = Cell()
        >>> cell.w = Parameter(1.0, name="weight")
        >>> list(cell.parameters_and_names("net"))
        [('net.w', Parameter (name=weight, shape=(), dtype=Float32, requires_grad=True))]
        """
        known: set[int] = set()
        for path, cell in self._walk(name_prefix, expand):
            for name, parameter in cell._params.items():
                if parameter is not None and id(parameter) not in known:
                    known.add(id(parameter))
                    yield _join(path, name), parameter

    def _walk(self, prefix: str, is_recursive: bool) -> Iterator[tuple[str, Cell]]:
        return self.cells_and_names(name_prefix=prefix) if is_recursive else iter([(prefix, self)])

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """All Parameters; `expand` False leaves the children's out."""
        return (parameter for _, parameter in self.parameters_and_names(expand=expand))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters with `requires_grad`."""
        return [x for x in self.get_parameters(recurse) if x.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Parameters without `requires_grad`."""
        return [x for x in self.get_parameters(recurse) if not x.requires_grad]

    def parameters_dict(self, recurse: bool = True) -> dict[str, Parameter]:
        """Parameters by their names."""
        return {x.name: x for x in self.get_parameters(recurse)}

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Register a Parameter as the attribute `param_name`.

        Raises
        ------
        S2sadError
            E0304 for what is no Parameter, E0511 for an empty name, one with a dot (unless
            `check_name_contain_dot` is False), or one that another attribute has.
        """
        if not isinstance(param, (Parameter, type(None))):
            raise fail("E0304", f"a Parameter is needed, got a {type(param).__name__}")
        self._check_key(param_name, "_params", has_dot=not check_name_contain_dot)
        self._params[param_name] = param
        changes.note()
        if param is not None and not param.is_named:
            param.name = param_name

    def _check_key(self, name: str, registry: str, *, has_dot: bool = False) -> None:
        if not name or ("." in name and not has_dot):
            raise fail("E0511", f"{name!r} cannot name an attribute of a Cell")
        others = [self.__dict__[other] for other in REGISTRIES if other != registry]
        if hasattr(type(self), name) or any(name in x for x in (self.__dict__, *others)):
            raise fail("E0511", f"{self.cls_name} has another attribute {name!r} already")

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name each Parameter `prefix` and its attribute path; the prefix brings its own dot."""
        if not isinstance(prefix, str):
            raise fail("E0303", f"a prefix is a str, got {prefix!r}")
        for path, parameter in self.parameters_and_names(expand=recurse):
            parameter.name = prefix + path

    def check_names(self) -> None:
        """E0406 when two Parameters have one name."""
        check_unique(self.get_parameters())

    def check_names_and_refresh_name(self) -> None:
        """Where names clash, rename all Parameters to their attribute paths; done at each call."""
        parameters = list(self.get_parameters())
        if len({x.name for x in parameters}) < len(parameters):
            self.update_parameters_name()

    def init_parameters_data(self) -> dict[Parameter, Parameter]:
        """Each Parameter to itself: the data of all are there from the start."""
        return {x: x for x in self.get_parameters()}

    # -- buffers ------------------------------------------------------------------------------

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Register a Tensor that belongs to the state but is not trained.

        Parameters
        ----------
        name : str
        tensor : Tensor or None
        persistent : bool
            Whether `state_dict` has it.

        Raises
        ------
        S2sadError
            E0304 for what is no Tensor, E0511 for a name as in `insert_param_to_cell`.
        """
        if not isinstance(tensor, (Tensor, type(None))) or isinstance(tensor, Parameter):
            raise fail("E0304", f"a buffer is a Tensor, got a {type(tensor).__name__}")
        self._check_key(name, "_buffers")
        self._buffers[name] = tensor
        changes.note()
        (self._transient.discard if persistent else self._transient.add)(name)

    def named_buffers(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Attribute path and Tensor of each buffer; each once."""
        known: set[int] = set()
        for path, cell in self._walk(name_prefix, expand):
            for name, buffer in cell._buffers.items():
                if buffer is not None and id(buffer) not in known:
                    known.add(id(buffer))
                    yield _join(path, name), buffer

    def buffers(self, expand: bool = True) -> Iterator[Tensor]:
        """All buffers; `expand` False leaves the children's out."""
        return (buffer for _, buffer in self.named_buffers(expand=expand))

    def get_buffer(self, target: str) -> Tensor:
        """Buffer at an attribute path; E0220 where there is none."""
        path, _, name = target.rpartition(".")
        buffer = self.get_sub_cell(path)._buffers.get(name)
        if buffer is None:
            raise fail("E0220", f"{self.cls_name} has no buffer {target!r}")
        return buffer

    # -- children -----------------------------------------------------------------------------

    def cells(self) -> Iterable[Cell]:
        """Direct children; each once."""
        return self.name_cells().values()

    def name_cells(self) -> dict[str, Cell]:
        """Direct children by attribute; one under two attributes is listed once."""
        found: dict[str, Cell] = {}
        for name, cell in self._cells.items():
            if cell is not None and not any(cell is x for x in found.values()):
                found[name] = cell
        return found

    def cells_and_names(
        self, cells: set[Cell] | None = None, name_prefix: str = ""
    ) -> Iterator[tuple[str, Cell]]:
        """Attribute path and Cell of each, starting with the Cell itself; each once.

        Parameters
        ----------
        cells : set of Cell, optional
            Cells to leave out; those that are given are added.
        name_prefix : str
            Comes before each path, with a dot.
        """
        known = set() if cells is None else cells
        if self in known:
            return
        known.add(self)
        yield name_prefix, self
        for name, cell in self._cells.items():
            if cell is not None:
                yield from cell.cells_and_names(known, _join(name_prefix, name))

    def get_sub_cell(self, target: str) -> Cell:
        """Cell at an attribute path, itself for ``""``; E0220 where there is none."""
        cell: Cell | None = self
        for name in target.split(".") if target else ():
            cell = cell._cells.get(name)
            if cell is None:
                raise fail("E0220", f"{self.cls_name} has no child {target!r}")
        return cell

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Register a child as the attribute `child_name`; its Parameters keep their names.

        Raises
        ------
        S2sadError
            E0304 for what is no Cell, E0511 for a name as in `insert_param_to_cell`.
        """
        if not isinstance(child_cell, (Cell, type(None))):
            raise fail("E0304", f"a child is a Cell, got a {type(child_cell).__name__}")
        self._check_key(child_name, "_cells")
        self._cells[child_name] = child_cell
        changes.note()

    def _replace_children(self, children: Mapping[str, Cell], prefix: str = "") -> None:
        """Have just these children, for containers; with `auto_prefix` they are renamed."""
        self._cells.clear()
        changes.note()
        for name, child in children.items():
            self.insert_child_to_cell(name, child)
            if self._auto_prefix:
                child.update_parameters_name(f"{prefix}{name}.")

    def apply(self: Self, fn: Callable[[Cell], Any]) -> Self:
        """Call `fn` with each Cell, children first; the Cell itself."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # -- state --------------------------------------------------------------------------------

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Say what the arguments of `construct` will be.

        Parameters
        ----------
        *inputs, **kwargs
            A Tensor for each argument. A size of None, as in ``Tensor(shape=[None, 3],
            dtype=float32)``, may be any: one program serves them.

        Raises
        ------
        S2sadError
            E0302 where `construct` takes no such arguments. A call with others has E0301, E0302 or
            E0401.

        Examples
        --------
        >>> from s2sad import Tensor, float32, nn
        >>> net = nn.ReLU()
        >>> net.set_inputs(Tensor(shape=[None, 3], dtype=float32))
        >>> net.get_inputs()
        (Tensor(shape=[None, 3], dtype=Float32),)
        """
        try:
            bound = inspect.signature(self.construct).bind(*inputs, **kwargs)
        except TypeError as error:
            raise fail("E0302", f"{self.cls_name}.construct: {error}") from None
        object.__setattr__(self, "inputs_said", (*bound.args, *bound.kwargs.values()))
        changes.note()

    def get_inputs(self) -> tuple[Any, ...] | None:
        """What `set_inputs` has said; None before."""
        return vars(self).get("inputs_said")

    def set_train(self: Self, mode: bool = True) -> Self:
        """Let this Cell and all below train (or infer); the Cell itself."""
        if not isinstance(mode, bool):
            raise fail("E0303", f"mode is True or False, got {mode!r}")
        for _, cell in self.cells_and_names():
            cell.training = mode
            cell.phase = "train" if mode else "predict"
        return self

    def set_grad(self: Self, requires_grad: bool = True) -> Self:
        """Set the flag `requires_grad` of this Cell only; the Cell itself."""
        self.requires_grad = requires_grad
        return self

    def to_float(self: Self, dst_type: DType) -> Self:
        """Let this Cell and all below compute in another precision; the Cell itself.

        Floats among the arguments of each are cast, and so is a Parameter where `construct` reads
        it as an attribute. What comes out stays in that dtype. Parameters themselves stay as they
        are; a gradient has the dtype of the Parameter.

        Parameters
        ----------
        dst_type : DType
            float16, bfloat16 or float32.

        Raises
        ------
        S2sadError
            E0301 for another dtype.

        Examples
        --------
        >>> import s2sad as ms
        >>> net = ms.nn.Dense(3, 2).to_float(ms.float16)
        >>> net(ms.ops.ones((1, 3))).dtype, net.weight.dtype
        (s2sad.float16, s2sad.float32)
        """
        if dst_type not in (dtypes.float16, dtypes.bfloat16, dtypes.float32):
            raise fail("E0301", f"to_float takes float16, bfloat16 or float32, got {dst_type!r}")
        for _, cell in self.cells_and_names():
            cell.mark_precision(precision.Precision(dst_type))
        return self

    def mark_precision(self, mark: precision.Precision | None) -> None:
        """Let this Cell, and none below, compute as `mark` says."""
        self.__dict__["_precision"] = mark
        changes.note()

    def mark_checkpoint(self, memory: int | None) -> None:
        """Let this Cell be computed again for its gradient; see `s2sad.checkpoint`."""
        self.__dict__["_checkpoint"] = (memory,)
        changes.note()

    def set_jit_config(self, jit_config: JitConfig) -> None:
        """Say how the Cell is compiled, once; nothing of that changes a result here.

        Raises
        ------
        S2sadError
            E0304 for what is no `JitConfig`.
        """
        if not isinstance(jit_config, JitConfig):
            raise fail("E0304", f"set_jit_config takes a JitConfig, got {shown(jit_config)}")
        if self.jit_config_dict:
            warnings.warn("the first JitConfig of a Cell holds, this one does not", stacklevel=2)
            return
        self._jit_config = jit_config

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """What `set_jit_config` was given; empty before."""
        given = self.__dict__.get("_jit_config")
        return {} if given is None else dict(given.jit_config_dict)

    def add_flags(self: Self, **flags: Any) -> Self:
        """Set attributes that `get_flags` lists; the Cell itself."""
        self._flags.update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self: Self, **flags: Any) -> Self:
        """`add_flags` for this Cell and all below; the Cell itself."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict[str, Any]:
        """Flags set so far."""
        return dict(self._flags)

    def state_dict(
        self,
        *,
        destination: dict[str, Tensor] | None = None,
        prefix: str = "",
        keep_vars: bool = False,
    ) -> dict[str, Tensor]:
        """Parameters and persistent buffers by attribute path: the live objects.

        Parameters
        ----------
        destination : dict, optional
            Filled and returned instead of a new one.
        prefix : str
            Comes before each path, as it is.
        keep_vars : bool
            Taken for compatibility: the live objects are given in either case.
        """
        found = {} if destination is None else destination
        found.update({prefix + path: tensor for path, tensor in state.state(self).items()})
        return found

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> state.Unfit:
        """Copy data into Parameters and buffers by attribute path, all or nothing.

        Parameters
        ----------
        state_dict : mapping of str to Tensor or array
        strict : bool
            Whether a path that is missing, on either side, is an error.

        Returns
        -------
        Unfit
            ``(missing_keys, unexpected_keys)``.

        Raises
        ------
        S2sadError
            E0711 when paths (if `strict`), shapes or dtypes do not fit; nothing is changed then.
        """
        return state.load(self, state_dict, strict)

    # -- names of the Cell itself -------------------------------------------------------------

    @property
    def cls_name(self) -> str:
        """Name of the class."""
        return type(self).__name__

    @property
    def param_prefix(self) -> str:
        """Attribute path from the Cell that `update_cell_prefix` was last called on."""
        return self._param_prefix

    def update_cell_prefix(self) -> None:
        """Let each Cell below know its attribute path (`param_prefix`)."""
        for path, cell in self.cells_and_names():
            cell.__dict__["_param_prefix"] = path

    def extend_repr(self) -> str:
        """What `repr` shows between the parentheses; for subclasses."""
        return ""

    def __shown__(self) -> str:
        """What messages call it (`s2sad.core.shown`)."""
        return f"a {self.cls_name}"

    def __repr__(self) -> str:
        extra = self.extend_repr()
        children = [f"({name}): {cell!r}" for name, cell in self._cells.items()]
        if not children:
            return f"{self.cls_name}({extra})"
        lines = "\n".join([extra, *children] if extra else children).replace("\n", "\n  ")
        return f"{self.cls_name}(\n  {lines}\n)"


def no_construct(kind: type[Cell], place: location.Location | None = None) -> S2sadError:
    """E0220 for a class of Cells that does not say what it computes."""
    own = [name for name in dir(kind) if not hasattr(Cell, name)]
    called = "forward" if "forward" in own else next(
        iter(get_close_matches("construct", own, 1, 0.75)), None
    )  # fmt: skip
    what = f"what {kind.__name__} computes from its arguments"
    return fail(
        "E0220", f"{kind.__name__} has no method 'construct'", location=place,
        help=f"define it: {what}" if called is None else f"give {called} the name construct",
    )  # fmt: skip


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
