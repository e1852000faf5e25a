"""Is arithmetic of different ranks refused where that is asked for, and only there?"""

from __future__ import annotations

import threading

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core import strictness
from s2sad.core.diagnostics import S2sadError

ROW, TABLE = ms.Tensor([1.0, 2.0]), ms.Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

REFUSED = {
    "+": lambda x, y: x + y, "-": lambda x, y: y - x, "*": lambda x, y: x * y,
    "/": lambda x, y: y / x, "**": lambda x, y: y**x, "//": lambda x, y: y // x,
    "%": lambda x, y: y % x, "<": lambda x, y: x < y, "==": lambda x, y: x == y,
    "ops.add": ops.add, "ops.maximum": ops.maximum,
    "by name": lambda x, y: ops.mul(other=y, input=x),
    "method": lambda x, y: y.sub(x), "object": lambda x, y: ops.Mul()(x, y),
    "in place": lambda x, y: (y * 1.0).add_(x),
    "inside": lambda x, y: ops.relu(x) * ops.relu(y),
}  # fmt: skip
TAKEN = {
    "numbers": lambda x, y: 2.0 * x + 1, "without an axis": lambda x, y: y * x.sum(),
    "ones": lambda x, y: y * x[None] + y[:, :1], "matmul": lambda x, y: y @ x,
    "ours": lambda x, y: ops.layer_norm(y, (2,), x, x) + ops.addmm(y, y, x[None] * x[:, None]),
    "where": lambda x, y: ops.where(y > 2, y, 0.0), "broadcast_to": lambda x, y: y * x.expand_as(y),
}  # fmt: skip


@pytest.fixture(autouse=True)
def lenient_again():
    yield
    ms.set_context(strict_broadcast=False)
    assert not strictness.ASKED


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_both_forms(case):
    function = REFUSED[case]
    compiled, strictly = ms.compile(lambda x, y: function(x, y)), None
    expected = function(ROW, TABLE).asnumpy()
    np.testing.assert_array_equal(compiled(ROW, TABLE).asnumpy(), expected)
    ms.set_context(strict_broadcast=True)
    for run in (function, compiled):
        with pytest.raises(S2sadError) as caught:
            run(ROW, TABLE)
        text = str(caught.value)
        assert caught.value.code == "E0401" and "f32[2]" in text and "f32[3, 2]" in text
        assert "reshape((1, 2))" in text and "test_strict_broadcast.py" in text
    ms.set_context(strict_broadcast=False)
    np.testing.assert_array_equal(function(ROW, TABLE).asnumpy(), expected)
    np.testing.assert_array_equal(compiled(ROW, TABLE).asnumpy(), expected)
    strictly = ms.compile(lambda x, y: function(x, y), strict_broadcast=True)
    with pytest.raises(S2sadError, match="E0401"):
        strictly(ROW, TABLE)
    np.testing.assert_array_equal(function(ROW, TABLE).asnumpy(), expected)


@pytest.mark.parametrize("case", TAKEN)
def test_taken_in_both_forms(case):
    function = TAKEN[case]
    expected = function(ROW, TABLE).asnumpy()
    ms.set_context(strict_broadcast=True)
    for run in (function, ms.compile(lambda x, y: function(x, y))):
        np.testing.assert_array_equal(run(ROW, TABLE).asnumpy(), expected)


def test_the_option_goes_before_the_context():
    ms.set_context(strict_broadcast=True)
    lenient = ms.compile(lambda x, y: x * y, strict_broadcast=False)
    assert lenient(ROW, TABLE).shape == (3, 2)
    with pytest.raises(S2sadError, match="E0401"):
        ROW * TABLE
    with pytest.raises(S2sadError, match="E0303"):
        ms.compile(lambda x: x, strict_broadcast=1)
    with pytest.raises(S2sadError, match="E0303"):
        ms.set_context(strict_broadcast="yes")


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_cells_methods_and_gradients(mode):
    ms.set_context(mode=mode)

    @ms.compile(strict_broadcast=True)
    class Net(nn.Cell):
        def construct(self, x, y):
            return (x * y).sum()

    class Plain:
        @ms.compile(strict_broadcast=True)
        def run(self, x, y):
            return (x * y).sum()

    for run in (
        Net(), Plain().run, ms.compile(ms.grad(lambda x, y: (x * y).sum()), strict_broadcast=True),
        ms.compile(lambda x, y: (x * y).sum(), strict_broadcast=True).vjp,
        ms.compile(lambda x, y: (x * y).sum(), strict_broadcast=True, dynamic=1),
    ):  # fmt: skip
        with pytest.raises(S2sadError, match="E0401"):
            run(ROW, TABLE)
        run(ROW[None], TABLE)


def test_no_program_of_another_rule_is_taken():
    square = ms.compile(lambda x, y: x * y)
    square(ROW, TABLE)
    ms.set_context(strict_broadcast=True)
    with pytest.raises(S2sadError, match="E0401"):
        square(ROW, TABLE)
    assert square(ROW[None], TABLE).shape == (3, 2)
    ms.set_context(strict_broadcast=False)
    assert square(ROW, TABLE).shape == (3, 2) and len(square.variants) == 2


def test_compiling_strictly_concerns_one_thread():
    found = []
    with strictness.forced(True):
        thread = threading.Thread(target=lambda: found.append((ROW * TABLE).shape))
        thread.start()
        thread.join()
    assert found == [(3, 2)]


LAYERS = {
    "dense": (lambda: nn.Dense(2, 3), TABLE),
    "norm": (lambda: nn.LayerNorm((2,)), TABLE),
    "batch norm": (lambda: nn.BatchNorm1d(2).set_train(), TABLE),
    "conv": (lambda: nn.Conv2d(1, 2, 2, has_bias=True), TABLE[None, None]),
    "prelu": (lambda: nn.PReLU(2), TABLE),
    "lstm": (lambda: nn.LSTM(2, 3), TABLE[None]),
    "attention": (lambda: nn.TransformerEncoderLayer(2, 1, 4, dropout=0.0), TABLE[None]),
}


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("case", LAYERS)
def test_our_layers_and_optimizers_are_not_concerned(case, mode):
    ms.set_context(mode=mode, strict_broadcast=True)
    make, x = LAYERS[case]
    net = make()

    def loss(x):
        out = net(x)
        out = out[0] if isinstance(out, tuple) else out
        return (out * out).sum()

    weights = net.trainable_params()
    _, gradients = ms.value_and_grad(loss, None, weights)(x)
    nn.Adam(weights)(gradients)
    nn.LARS(nn.Momentum(weights, 0.1, 0.9, weight_decay=0.1))(gradients)


@pytest.mark.parametrize(("code", "call", "text"), [
    ("E0302", lambda x: ops.add(x), "missing a required argument: 'other'"),
    ("E0302", lambda x: ops.relu(x, True, 3), "too many positional arguments"),
    ("E0302", lambda x: ops.softmax(x, dimension=1), "unexpected keyword argument 'dimension'"),
    ("E0302", lambda x: x.cumsum(0, 1, 2, 3), ""), ("E0302", lambda x: x.tril(1, 2), ""),
    ("E0302", lambda x: x.exp_(1), ""), ("E0302", lambda x: ops.Add()(x), ""),
])  # fmt: skip
def test_arguments_that_do_not_fit(code, call, text):
    for run in (call, ms.compile(call)):
        with pytest.raises(S2sadError, match="test_strict_broadcast.py") as caught:
            run(ROW)
        assert isinstance(caught.value, TypeError)
        assert caught.value.code == code and text in str(caught.value)


def test_a_type_error_of_what_is_called_stays():
    with pytest.raises(TypeError) as caught:
        ops.partial(lambda: None, 1)()
    assert not isinstance(caught.value, S2sadError)
