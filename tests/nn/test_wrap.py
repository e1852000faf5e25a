"""Is a step of training one program, with the loss and the update that a loop by hand has?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms

X = np.random.default_rng(0).normal(size=(8, 3))
Y = np.random.default_rng(1).normal(size=(8, 2))


@pytest.fixture(params=[ms.GRAPH_MODE, ms.PYNATIVE_MODE], ids=["graph", "pynative"])
def mode(request):
    ms.set_context(mode=request.param)
    return request.param


def dense(seed=0):
    rng = np.random.default_rng(seed)
    net = nn.Dense(3, 2, dtype=ms.float64)
    net.weight.set_data(rng.normal(size=(2, 3)))
    net.bias.set_data(rng.normal(size=2))
    return net


def mse_gradients(w, b):
    """Loss of the mean square error, and its gradients."""
    apart = X @ w.T + b - Y
    share = 2 * apart / apart.size
    return (apart**2).mean(), share.T @ X, share.sum(0)


@pytest.mark.parametrize("sens", [None, 1.0, 4])
@pytest.mark.parametrize("return_grad", [False, True])
def test_train_one_step(mode, sens, return_grad):
    net = dense()
    scale = 1.0 if sens is None else float(sens)
    optimizer = nn.Momentum(net.trainable_params(), 0.25, 0.5, loss_scale=scale)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer, sens, return_grad)
    w, b = net.weight.asnumpy().copy(), net.bias.asnumpy().copy()
    v = [0.0, 0.0]
    for _ in range(4):
        found = step(ms.Tensor(X), ms.Tensor(Y))
        loss, *gradients = mse_gradients(w, b)
        v = [0.5 * old + g for old, g in zip(v, gradients, strict=True)]
        w, b = w - 0.25 * v[0], b - 0.25 * v[1]
        if return_grad:
            found, by_name = found
            assert list(by_name) == ["weight", "bias"]
            for g, expected in zip(by_name.values(), gradients, strict=True):
                np.testing.assert_allclose(g.asnumpy(), scale * expected, rtol=1e-11)
        np.testing.assert_allclose(found.item(), loss, rtol=1e-11)
        np.testing.assert_allclose(net.weight.asnumpy(), w, rtol=1e-11)
        np.testing.assert_allclose(net.bias.asnumpy(), b, rtol=1e-11)
    assert optimizer.global_step.tolist() == [4]


def test_a_step_is_one_program():
    net = dense()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.1)
    )
    compiled = ms.compile(step)
    for _ in range(3):
        compiled(ms.Tensor(X), ms.Tensor(Y))
    assert len(compiled.variants) == 1
    program = compiled.variants[0].program
    names = {x.name for x in program.written}
    assert {"weight", "bias", "moment1.weight", "moment2.bias", "global_step"} <= names
    assert '"param:moment1.weight"' in compiled.source and "loss = " in compiled.source


def test_modes_agree_and_dropout_draws_once():
    losses, states = [], []
    for mode in (ms.GRAPH_MODE, ms.PYNATIVE_MODE):
        ms.set_context(mode=mode)
        ms.set_seed(3)
        net = nn.SequentialCell(nn.Dense(3, 16), nn.Dropout(p=0.5), nn.ReLU(), nn.Dense(16, 2))
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, nn.MSELoss()), nn.Adam(net.trainable_params(), 0.01)
        ).set_train()
        x, y = ms.Tensor(X, ms.float32), ms.Tensor(Y, ms.float32)
        losses.append([step(x, y).item() for _ in range(5)])
        states.append(ms.get_rng_state().tolist())
    np.testing.assert_allclose(*losses, rtol=1e-5)
    assert states[0] == states[1] == [3, 5 * 8 * 16 // 4, 0]
    assert len(set(losses[0])) == 5


def test_losses_in_a_tuple(mode):
    class Two(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([1.0, 2.0]))

        def construct(self, x):
            return ops.sum(self.w * x), ops.sum(self.w * self.w)

    net = Two()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5), 2.0)
    one, other = step(ms.Tensor([1.0, 1.0]))
    assert (one.item(), other.item()) == (3.0, 5.0)
    assert net.w.tolist() == [1.0 - 0.5 * 2 * 3.0, 2.0 - 0.5 * 2 * 5.0]


def test_a_loss_that_is_not_reduced(mode):
    net = dense()
    w, b = net.weight.asnumpy().copy(), net.bias.asnumpy().copy()
    step = nn.TrainOneStepCell(
        nn.WithLossCell(net, nn.MSELoss("none")), nn.SGD(net.trainable_params(), 0.5 / 16)
    )
    assert step(ms.Tensor(X), ms.Tensor(Y)).shape == (8, 2)
    _, dw, db = mse_gradients(w, b)  # of the sum it is 16 times as much
    np.testing.assert_allclose(net.weight.asnumpy(), w - 0.5 * dw, rtol=1e-11)
    np.testing.assert_allclose(net.bias.asnumpy(), b - 0.5 * db, rtol=1e-11)


def test_state_that_the_network_writes(mode):
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([1.0]))
            self.calls = ms.Parameter(ms.Tensor(0, ms.int32), requires_grad=False)

        def construct(self, x):
            ops.assign_add(self.calls, 1)
            return ops.sum(self.w * x)

    net = Counting()
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5))
    assert [step(ms.Tensor([2.0])).item() for _ in range(2)] == [2.0, 0.0]
    assert (net.calls.item(), net.w.item()) == (2, -1.0)


class ByHand(nn.TrainOneStepCell):
    """A step as scripts for MindSpore write it."""

    def construct(self, x, y):
        loss = self.network(x, y)
        sens = ops.full_like(loss, self.sens)
        gradients = self.grad(self.network, self.weights)(x, y, sens)
        gradients = self.grad_reducer(gradients)
        return ops.depend(loss, self.optimizer(gradients))


class WithoutSens(nn.TrainOneStepCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        gradients = self.grad_no_sens(self.network, self.weights)(x, y)
        self.optimizer(gradients)
        return loss


@pytest.mark.parametrize("kind", [ByHand, WithoutSens])
def test_steps_of_ones_own(mode, kind):
    nets = dense(), dense()
    kinds = kind, nn.TrainOneStepCell
    steps = [
        kind(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.25, 0.5))
        for kind, net in zip(kinds, nets, strict=True)
    ]
    for _ in range(3):
        one, other = (step(ms.Tensor(X), ms.Tensor(Y)).item() for step in steps)
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(nets[0].weight.asnumpy(), nets[1].weight.asnumpy(), rtol=1e-12)


def test_parameters_keep_their_names():
    net = nn.SequentialCell(dense(), dense(1))
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepCell(with_loss, optimizer)
    names = ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert [x.name for x in net.trainable_params()] == names
    assert [x.name for x in with_loss.trainable_params()] == names
    assert [x.name for x in step.trainable_params()] == names
    assert with_loss.backbone_network is net and net[0].requires_grad is False
    assert with_loss.requires_grad is True and net.training is False


def test_evaluation(mode):
    net = dense()
    cell = nn.WithEvalCell(net, nn.MSELoss(), add_cast_fp32=True)
    loss, output, label = cell(ms.Tensor(X), ms.Tensor(Y))
    assert loss.dtype is output.dtype is label.dtype is ms.float32
    expected = X @ net.weight.asnumpy().T + net.bias.asnumpy()
    np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(loss.item(), ((expected - Y) ** 2).mean(), rtol=1e-5)
    classes = nn.WithEvalCell(net, nn.CrossEntropyLoss(), True)
    assert classes(ms.Tensor(X), ms.Tensor(np.zeros(8, np.int32)))[2].dtype is ms.int32
    assert nn.WithEvalCell(net, nn.MSELoss())(ms.Tensor(X), ms.Tensor(Y))[1].dtype is ms.float64


def test_gradients_of_weights(mode):
    net = dense()
    _, dw, db = mse_gradients(net.weight.asnumpy(), net.bias.asnumpy())
    with_loss = nn.WithLossCell(net, nn.MSELoss())
    args = ms.Tensor(X), ms.Tensor(Y)
    cells = [
        (nn.WithGradCell(net, nn.MSELoss()), 1), (nn.WithGradCell(with_loss), 1),
        (nn.WithGradCell(net, nn.MSELoss(), ms.Tensor(3.0, ms.float64)), 3),
    ]  # fmt: skip
    for cell, factor in cells:
        for g, expected in zip(cell(*args), (dw, db), strict=True):
            np.testing.assert_allclose(g.asnumpy(), factor * expected, rtol=1e-11)
    assert net.training


def test_value_and_gradients(mode):
    net = dense()
    loss, dw, db = mse_gradients(net.weight.asnumpy(), net.bias.asnumpy())
    with_loss, weights = nn.WithLossCell(net, nn.MSELoss()), net.trainable_params()
    x, y, sens = ms.Tensor(X), ms.Tensor(Y), ms.Tensor(2.0, ms.float64)
    value, gradients = nn.ForwardValueAndGrad(with_loss, weights, get_by_list=True)(x, y)
    np.testing.assert_allclose(value.item(), loss)
    np.testing.assert_allclose(gradients[0].asnumpy(), dw, rtol=1e-11)
    both = nn.ForwardValueAndGrad(with_loss, weights, True, True, True)
    value, (by_input, by_weight) = both(x, y, sens)
    assert len(by_input) == len(by_weight) == 2
    np.testing.assert_allclose(by_weight[1].asnumpy(), 2 * db, rtol=1e-11)
    np.testing.assert_allclose(by_input[1].asnumpy().sum(0), -2 * db, rtol=1e-11)
    value, alone = nn.ForwardValueAndGrad(with_loss)(x, y)
    np.testing.assert_allclose(2 * alone.asnumpy(), by_input[0].asnumpy(), rtol=1e-11)


def test_a_parameter_that_is_set():
    w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
    cell = nn.ParameterUpdate(w)
    assert both_forms(lambda x: cell(x), ms.Tensor([3.0, 4.0])).tolist() == w.tolist() == [3.0, 4.0]


NET = nn.ReLU()
W = ms.Parameter(ms.Tensor([1.0]), name="w")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.WithLossCell(3, nn.MSELoss()), "E0304"),
        (lambda: nn.WithLossCell(NET, None), "E0304"),
        (lambda: nn.WithEvalCell(NET, 3), "E0304"),
        (lambda: nn.WithEvalCell(NET, nn.MSELoss(), 1), "E0303"),
        (lambda: nn.WithGradCell(NET, sens=1.0), "E0304"),
        (lambda: nn.TrainOneStepCell(ops.relu, nn.SGD([W])), "E0304"),
        (lambda: nn.TrainOneStepCell(NET, None), "E0304"),
        (lambda: nn.TrainOneStepCell(NET, nn.SGD([W]), 0), "E0404"),
        (lambda: nn.TrainOneStepCell(NET, nn.SGD([W]), "a"), "E0303"),
        (lambda: nn.TrainOneStepCell(NET, nn.SGD([W]), return_grad=1), "E0303"),
        (lambda: nn.ForwardValueAndGrad(3), "E0304"),
        (lambda: nn.ForwardValueAndGrad(NET, get_by_list=True), "E0404"),
        (lambda: nn.ForwardValueAndGrad(NET, get_all=1), "E0303"),
        (lambda: nn.ParameterUpdate(ms.Tensor([1.0])), "E0304"),
    ],
)  # fmt: skip
def test_arguments_that_cannot_be(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code
