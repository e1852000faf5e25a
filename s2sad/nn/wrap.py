"""What stands around a network: its loss, its gradients, a whole step of training?"""

from __future__ import annotations

from typing import Any

from s2sad import ops
from s2sad.core import dtypes
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.parameter import Parameter, ParameterTuple
from s2sad.core.shown import shown
from s2sad.core.tensor import Tensor
from s2sad.core.transform import EVERY, value_and_grad
from s2sad.nn.basic import Identity
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.ops.gradient import GradOperation
from s2sad.ops.settings import flag, number


def require_cell(name: str, given: Any) -> Cell:
    """`given`, which must be a Cell (E0304)."""
    if not isinstance(given, Cell):
        raise fail("E0304", f"{name} is a Cell, got a {type(given).__name__}")
    return given


class WithLossCell(Cell):
    """A network and its loss: called with data and label it gives the loss.

    Parameters
    ----------
    backbone : Cell
    loss_fn : Cell or function
        Takes what the network gives, and the label.

    Raises
    ------
    S2sadError
        E0304 for a `backbone` that is no Cell, or a `loss_fn` that cannot be called.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.WithLossCell(ms.nn.ReLU(), ms.nn.MSELoss())
    >>> net(ms.Tensor([-1.0, 3.0]), ms.Tensor([0.0, 1.0])).asnumpy()
    array(2., dtype=float32)
    """

    def __init__(self, backbone: Cell, loss_fn: Any) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = require_cell("backbone", backbone)
        self._loss_fn = _callable("loss_fn", loss_fn)

    @property
    def backbone_network(self) -> Cell:
        """The network without its loss."""
        return self._backbone

    def construct(self, data: Any, label: Any) -> Any:
        return self._loss_fn(self._backbone(data), label)


def _callable(name: str, given: Any) -> Any:
    if not callable(given):
        raise fail(
            "E0304", f"{name} is a Cell or a function, got {shown(given)}",
            help="give a layer: nn.MSELoss()",
        )  # fmt: skip
    return given


class WithEvalCell(Cell):
    """A network and its loss, for evaluation: gives loss, output and label.

    Parameters
    ----------
    network : Cell
    loss_fn : Cell or function
    add_cast_fp32 : bool
        Whether output and label, where it is of floats, are cast to float32 first.

    Raises
    ------
    S2sadError
        E0303 or E0304 for an argument of another kind.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.WithEvalCell(ms.nn.ReLU(), ms.nn.MSELoss())
    >>> [x.asnumpy() for x in net(ms.Tensor([3.0]), ms.Tensor([1.0]))]
    [array(4., dtype=float32), array([3.], dtype=float32), array([1.], dtype=float32)]
    """

    def __init__(self, network: Cell, loss_fn: Any, add_cast_fp32: bool = False) -> None:
        super().__init__(auto_prefix=False)
        self._network = require_cell("network", network)
        self._loss_fn = _callable("loss_fn", loss_fn)
        self.add_cast_fp32 = flag("add_cast_fp32", add_cast_fp32)

    def construct(self, data: Any, label: Any) -> Any:
        outputs = self._network(data)
        if self.add_cast_fp32:
            outputs = ops.cast(outputs, dtypes.float32)
            if label.dtype.is_float:
                label = ops.cast(label, dtypes.float32)
        return self._loss_fn(outputs, label), outputs, label


class WithGradCell(Cell):
    """The gradients of a network's loss by the Parameters that it trains.

    Parameters
    ----------
    network : Cell
    loss_fn : Cell or function, optional
        Without one the network gives the loss itself.
    sens : Tensor, optional
        Cotangent of the loss, in place of ones.

    Raises
    ------
    S2sadError
        E0304 for an argument of another kind.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    >>> gradients = ms.nn.WithGradCell(net, ms.nn.MSELoss())
    >>> [g.asnumpy() for g in gradients(ms.Tensor([[2.0]]), ms.Tensor([[1.0]]))]
    [array([[4.]], dtype=float32), array([2.], dtype=float32)]
    """

    def __init__(self, network: Cell, loss_fn: Any = None, sens: Tensor | None = None) -> None:
        super().__init__(auto_prefix=False)
        self.network = require_cell("network", network)
        self.weights = ParameterTuple(network.trainable_params())
        self.network_with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
        self.network_with_loss.set_train()
        if not isinstance(sens, (Tensor, type(None))):
            raise fail("E0304", f"sens is a Tensor, got {shown(sens)}")
        self.sens = sens
        self.grad = GradOperation(get_by_list=True, sens_param=sens is not None)

    def construct(self, *inputs: Any) -> Any:
        gradients = self.grad(self.network_with_loss, self.weights)
        return gradients(*inputs) if self.sens is None else gradients(*inputs, self.sens)


class ForwardValueAndGrad(Cell):
    """What a network gives, and its gradients, in one program.

    Parameters
    ----------
    network : Cell or function
    weights : iterable of Parameter, optional
        Read where `get_by_list` is set.
    get_all, get_by_list, sens_param : bool
        As of `ops.GradOperation`.

    Raises
    ------
    S2sadError
        E0303 or E0304 for an argument of another kind, E0404 for `get_by_list` without `weights`.

    Examples
    --------
    >>> import s2sad as ms
    >>> value, gradient = ms.nn.ForwardValueAndGrad(ms.nn.ReLU())(ms.Tensor([-1.0, 3.0]))
    >>> value.asnumpy(), gradient.asnumpy()
    (array([0., 3.], dtype=float32), array([0., 1.], dtype=float32))
    """

    def __init__(
        self,
        network: Any,
        weights: Any = None,
        get_all: bool = False,
        get_by_list: bool = False,
        sens_param: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = _callable("network", network)
        for name, given in {"get_all": get_all, "get_by_list": get_by_list}.items():
            flag(name, given)
        if get_by_list and weights is None:
            raise fail("E0404", "ForwardValueAndGrad needs weights: get_by_list")
        position = EVERY if get_all else None if get_by_list else 0
        wanted = weights if get_by_list else None
        self.value_and_gradients = value_and_grad(network, position, wanted, sens_param=sens_param)

    def construct(self, *inputs: Any) -> Any:
        return self.value_and_gradients(*inputs)


class TrainOneStepCell(Cell):
    """A step of training: the loss, its gradients, and the update of the Parameters.

    Compiled, it is one program.

    Parameters
    ----------
    network : Cell
        Gives the loss.
    optimizer : Optimizer
        Its Parameters are trained.
    sens : number, optional
        The loss is differentiated times this; it is not divided out again, so it belongs together
        with the optimizer's `loss_scale`. It is not 0.
    return_grad : bool
        Whether the gradients are given as well, in a dict by the Parameters' names.

    Returns
    -------
    loss : Tensor
        As it was before the update; with `return_grad` a pair with the gradients.

    Raises
    ------
    S2sadError
        E0303, E0304 or E0404 for an argument that cannot be.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    >>> step = ms.nn.TrainOneStepCell(
    ...     ms.nn.WithLossCell(net, ms.nn.MSELoss()), ms.nn.SGD(net.trainable_params(), 0.125))
    >>> step(ms.Tensor([[2.0]]), ms.Tensor([[1.0]])).asnumpy(), net.weight.asnumpy()
    (array(1., dtype=float32), array([[0.5]], dtype=float32))
    """

    def __init__(
        self,
        network: Cell,
        optimizer: Optimizer,
        sens: float | None = None,
        return_grad: bool = False,
    ) -> None:
        super().__init__(auto_prefix=False)
        self.network = require_cell("network", network)
        self.network.set_grad()
        self.optimizer = require_cell("optimizer", optimizer)
        self.weights = optimizer.parameters
        self.sens = 1.0 if sens is None else number("sens", sens)
        if not self.sens:
            raise fail("E0404", "sens is not 0: all gradients would be")
        self.return_grad = flag("return_grad", return_grad)
        # What subclasses that are written for MindSpore use:
        self.grad = GradOperation(get_by_list=True, sens_param=True)
        self.grad_no_sens = GradOperation(get_by_list=True)
        self.reducer_flag = False
        self.grad_reducer = Identity()
        self.value_and_gradients = value_and_grad(
            self.scaled_loss, None, self.weights, has_aux=True
        )

    def scaled_loss(self, *inputs: Any) -> Any:
        """The loss times `sens`, which is differentiated, and the loss."""
        loss = self.network(*inputs)
        if self.sens == 1:
            return loss, loss
        if isinstance(loss, (tuple, list)):
            return [part * self.sens for part in loss], loss
        return loss * self.sens, loss

    def construct(self, *inputs: Any) -> Any:
        (_, loss), gradients = self.value_and_gradients(*inputs)
        gradients = self.grad_reducer(gradients)
        self.optimizer(gradients)
        if self.return_grad:
            names = [weight.name for weight in self.weights]
            return loss, dict(zip(names, gradients, strict=True))
        return loss


class ParameterUpdate(Cell):
    """Lets a Parameter hold what it is called with, and gives that.

    Parameters
    ----------
    param : Parameter

    Raises
    ------
    S2sadError
        E0304 for what is no Parameter; in a call those of `ops.assign`.

    Examples
    --------
    >>> import s2sad as ms
    >>> w = ms.Parameter(ms.Tensor([1.0]), name="w")
    >>> _ = ms.nn.ParameterUpdate(w)(ms.Tensor([2.0]))
    >>> w.asnumpy()
    array([2.], dtype=float32)
    """

    def __init__(self, param: Parameter) -> None:
        super().__init__(auto_prefix=False)
        if not isinstance(param, Parameter):
            raise fail("E0304", f"a Parameter is needed, got a {type(param).__name__}")
        self._param = param

    def construct(self, x: Any) -> Any:
        ops.assign(self._param, x)
        return x
