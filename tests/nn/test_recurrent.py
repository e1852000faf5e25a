"""Do recurrent layers compute the textbook's steps, in all layers, directions and lengths?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from support.cases import in_both_modes, require_near
from support.forms import both_forms, check_gradients, check_second_gradients, refused


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(given, hidden, state):
    i, f, g, o = np.split(given + hidden, 4, -1)
    c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


def gru(given, hidden, state):
    (r, z, n), (r_h, z_h, n_h) = np.split(given, 3, -1), np.split(hidden, 3, -1)
    update = sigmoid(z + z_h)
    return ((1 - update) * np.tanh(n + sigmoid(r + r_h) * n_h) + update * state[0],)


def tanh(given, hidden, state):
    return (np.tanh(given + hidden),)


def relu(given, hidden, state):
    return (np.maximum(given + hidden, 0),)


KINDS = {
    "lstm": (nn.LSTM, nn.LSTMCell, lstm, {}), "gru": (nn.GRU, nn.GRUCell, gru, {}),
    "tanh": (nn.RNN, nn.RNNCell, tanh, {}),
    "relu": (nn.RNN, nn.RNNCell, relu, {"nonlinearity": "relu"}),
}  # fmt: skip


def arrays(net):
    return {p.name: p.asnumpy().astype(np.float64) for p in net.get_parameters()}


def by_hand(net, step, x, states, lengths=None):
    """Output and last states, sequence by sequence, of a net that takes (T, N, ...)."""
    weights, ends = arrays(net), [[] for _ in states]
    for layer in range(net.num_layers):
        sides = []
        for direction in range(net.directions):
            suffix = f"_l{layer}" + "_reverse" * direction
            place = layer * net.directions + direction
            out, last = np.zeros((*x.shape[:2], net.hidden_size)), []
            for n in range(x.shape[1]):
                state = tuple(each[place, n] for each in states)
                count = x.shape[0] if lengths is None else lengths[n]
                for t in reversed(range(count)) if direction else range(count):
                    given = weights["weight_ih" + suffix] @ x[t, n]
                    hidden = weights["weight_hh" + suffix] @ state[0]
                    if net.has_bias:
                        given = given + weights["bias_ih" + suffix]
                        hidden = hidden + weights["bias_hh" + suffix]
                    state = step(given, hidden, state)
                    out[t, n] = state[0]
                last.append(state)
            for k, end in enumerate(ends):
                end.append(np.stack([state[k] for state in last]))
            sides.append(out)
        x = np.concatenate(sides, -1)
    return x, [np.stack(end) for end in ends]


def tensors(*values):
    return [ms.Tensor(value, ms.float64) for value in values]


@pytest.mark.parametrize(
    "layers, both, bias", [(1, False, True), (2, True, True), (3, False, False)]
)
@pytest.mark.parametrize("case", KINDS)
def test_layers(case, layers, both, bias):
    kind, _, step, given = KINDS[case]
    rng = np.random.default_rng(0)
    x, lengths = rng.normal(size=(4, 3, 2)), np.array([4, 1, 2])
    count = 2 if case == "lstm" else 1
    states = rng.normal(size=(count, layers * (1 + both), 3, 5))
    for batch_first in (False, True):
        net = kind(2, 5, layers, bias, batch_first, bidirectional=both, dtype=ms.float64, **given)
        turned = x.swapaxes(0, 1) if batch_first else x
        hx = tuple(tensors(*states)) if count == 2 else tensors(states[0])[0]
        for length in (None, lengths):
            out, ends = by_hand(net, step, x, states, length)
            args = (ms.Tensor(turned), hx, None if length is None else ms.Tensor(length))
            for _ in in_both_modes():
                found, last = net(*args)
                require_near(found, out.swapaxes(0, 1) if batch_first else out, 1e-12, 1e-12)
                require_near(last if count == 2 else [last], ends, 1e-12, 1e-12)
        out, ends = by_hand(net, step, x, states * 0)
        require_near(net(ms.Tensor(turned))[0], out.swapaxes(0, 1) if batch_first else out, 1e-12)


@pytest.mark.parametrize("case", KINDS)
def test_cells(case):
    _, kind, step, settings = KINDS[case]
    rng = np.random.default_rng(1)
    x, states = rng.normal(size=(3, 2)), rng.normal(size=(2, 3, 5))
    for bias in (True, False):
        cell = kind(2, 5, has_bias=bias, dtype=ms.float64, **settings)
        weights = {"bias_ih": 0.0, "bias_hh": 0.0, **arrays(cell)}
        given = x @ weights["weight_ih"].T + weights["bias_ih"]
        hidden = states[0] @ weights["weight_hh"].T + weights["bias_hh"]
        expected = step(given, hidden, states)
        hx = tuple(tensors(*states)) if case == "lstm" else ms.Tensor(states[0])
        found = both_forms(cell.construct, ms.Tensor(x), hx)
        require_near(found if case == "lstm" else [found], list(expected), 1e-12)


@pytest.mark.parametrize("case", KINDS)
def test_gradients(case):
    kind, _, _, given = KINDS[case]
    ms.set_seed(0)
    net = kind(2, 2, 2, bidirectional=True, dtype=ms.float64, **given)

    def run(x):
        out, states = net(x)
        return ops.concat([out.reshape(-1), (states[0] if case == "lstm" else states).reshape(-1)])

    x = np.random.default_rng(2).normal(size=(3, 1, 2))
    for _ in in_both_modes():
        check_gradients(run, x)
    if case in ("lstm", "gru"):
        check_second_gradients(lambda x: run(x).sum(), x, rtol=1e-5)


def test_gradients_of_weights_are_those_of_all_steps():
    ms.set_seed(0)
    net, x = (
        nn.LSTM(2, 3, dtype=ms.float64),
        ms.Tensor(np.random.default_rng(3).normal(size=(5, 2, 2))),
    )
    weights = net.trainable_params()
    for _ in in_both_modes():
        found = ms.grad(lambda x: net(x)[0].sum(), None, weights)(x)
        for weight, gradient in zip(weights, found, strict=True):
            place, step = (0,) * weight.ndim, 1e-6
            sides, before = [], weight.asnumpy().copy()
            for sign in (step, -step):
                moved = before.copy()
                moved[place] += sign
                weight.set_data(ms.Tensor(moved))
                sides.append(net(x)[0].sum().item())
            weight.set_data(ms.Tensor(before))
            assert abs(gradient.asnumpy()[place] - (sides[0] - sides[1]) / (2 * step)) < 1e-8


def test_a_long_sequence_stays_a_loop():
    net = nn.GRU(2, 3)
    compiled = ms.compile(net)
    compiled(ms.Tensor(np.zeros((60, 1, 2), np.float32)))
    assert len(str(compiled.stages["primal"]).splitlines()) < 60


def test_names_shapes_and_first_values():
    net = nn.LSTM(3, 100, 2, bidirectional=True)
    shapes = {p.name: p.shape for p in net.get_parameters()}
    assert shapes["weight_ih_l0_reverse"] == (400, 3) and shapes["weight_ih_l1"] == (400, 200)
    assert shapes["weight_hh_l1_reverse"] == (400, 100) and shapes["bias_hh_l0"] == (400,)
    assert 0.09 < abs(net.weight_hh_l0.asnumpy()).max() <= 0.1
    assert {p.name for p in nn.GRUCell(3, 2).get_parameters()} == {"weight_ih", "weight_hh", "bias_ih", "bias_hh"}  # noqa: E501 # fmt: skip


def test_dropout_between_layers():
    ms.set_seed(0)
    net = nn.RNN(2, 50, 2, dropout=0.5)
    x = ms.Tensor(np.ones((2, 1, 2), np.float32))
    assert net(x)[0].tolist() == net(x)[0].tolist()
    net.set_train()
    assert net(x)[0].tolist() != net(x)[0].tolist()
    one = nn.RNN(2, 50, 1, dropout=0.5).set_train()
    assert one(x)[0].tolist() == one(x)[0].tolist()


def test_narrow_input_goes_with_wide_weights():
    out, (h, c) = nn.LSTM(2, 3)(ms.Tensor(np.ones((2, 1, 2)), ms.float16))
    assert (out.dtype, h.dtype, c.dtype) == (ms.float32,) * 3


def test_refused():
    net = nn.LSTM(2, 3)

    def axes(x):
        return net(x[0])

    def size(x):
        return net(x[:, :, :1])

    for function in (axes, size):
        refused("E0401", function, ms.Tensor(np.zeros((4, 1, 2), np.float32)))
    for make in (lambda: nn.RNN(2, 3, nonlinearity="sin"), lambda: nn.GRU(0, 3), lambda: nn.LSTM(2, 3, dropout=2.0)):  # noqa: E501 # fmt: skip
        with pytest.raises(ValueError):
            make()
