"""In which dtype does an operation of several primitives compute at level ``"auto"``?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import amp, mint, nn, ops
from tests.support.forms import both_forms, check_gradients

X = np.array([[0.11, 0.32, 0.53], [0.74, 0.25, 0.46], [0.37, 0.58, 0.19]], np.float32)
LABELS = ms.Tensor(np.array([0, 1, 2], np.int32))
functional = mint.nn.functional

#: Of each: what MindSpore 2.10 gives for float16 and for float32.
OPERATIONS = {
    "ops.dense": (lambda x: ops.dense(x, x, x[0]), "f16 f16"),
    "mint linear": (lambda x: functional.linear(x, x, x[0]), "f16 f16"),
    "prelu": (lambda x: ops.prelu(x, x[0]), "f16 f16"),
    "matmul": (lambda x: ops.matmul(x, x), "f16 f16"),
    "addmm": (lambda x: ops.addmm(x, x, x), "f16 f32"),
    "reciprocal": (ops.reciprocal, "f32 f32"),
    "number / tensor": (lambda x: 2 / x, "f32 f32"),
    "tensor / tensor": (lambda x: x / x, "f16 f32"),
    "div(number, tensor)": (lambda x: ops.div(2, x), "f16 f32"),
    "tensor / number": (lambda x: x / 2, "f16 f32"),
    "softplus": (functional.softplus, "f32 f32"),
    "kl_div": (lambda x: ops.kl_div(x, x), "f32 f32"),
    "smooth_l1_loss": (lambda x: ops.smooth_l1_loss(x, x), "f32 f32"),
    "mse_loss": (lambda x: ops.mse_loss(x, x), "f16 f32"),
    "l1_loss": (lambda x: ops.l1_loss(x, x), "f16 f32"),
    "bce with logits": (lambda x: functional.binary_cross_entropy_with_logits(x, x), "f32 f32"),
    "nll_loss": (lambda x: ops.nll_loss(x, LABELS), "f32 f32"),
    "cross_entropy": (lambda x: ops.cross_entropy(x, LABELS), "f32 f32"),
    "cdist": (lambda x: ops.cdist(x, x), "f32 f32"),
    "sum": (lambda x: x.sum(), "f32 f32"),
    "mean": (lambda x: x.mean(), "f16 f32"),
    "norm": (ops.norm, "f16 f32"),
    "sigmoid": (ops.sigmoid, "f16 f32"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_dtypes_are_those_of_mindspore(name):
    function, expected = OPERATIONS[name]
    ready = amp.auto_mixed_precision(lambda x: function(x), "auto")
    given = ms.Tensor(X)
    found = [both_forms(ready, x).dtype.short for x in (given.astype(ms.float16), given)]
    assert found == expected.split()


def test_a_wide_operation_does_not_round_to_16_bits():
    ready = amp.auto_mixed_precision(lambda x: (1 / x, functional.softplus(x)), "auto")
    x = X.astype(np.float16)
    inverse, plus = both_forms(ready, ms.Tensor(x))
    wide = x.astype(float)
    np.testing.assert_allclose(inverse.asnumpy(), 1 / wide, rtol=2e-7)
    np.testing.assert_allclose(plus.asnumpy(), np.log1p(np.exp(wide)), rtol=4e-7)


def test_a_narrow_operation_rounds_what_it_adds_as_well():
    ready = amp.auto_mixed_precision(functional.linear, "auto")
    found = both_forms(ready, ms.Tensor(X), ms.Tensor(X), ms.Tensor(X[0]))
    x = X.astype(np.float16).astype(np.float32)
    product = (x @ x.T).astype(np.float16)
    np.testing.assert_array_equal(found.asnumpy(), product + x[0].astype(np.float16))


def test_layers_have_the_operations_of_mindspore():
    ms.set_seed(3)
    x = ms.Tensor(X)
    layers = {
        "f16": [mint.nn.Linear(3, 2), nn.PReLU(), nn.Dense(3, 2, has_bias=False)],
        "f32": [nn.Dense(3, 2), nn.RNNCell(3, 2), nn.LayerNorm((3,))],
    }
    for expected, members in layers.items():
        for layer in members:
            ready = amp.auto_mixed_precision(layer, "auto")
            given = (x, ms.ops.zeros((3, 2))) if isinstance(layer, nn.RNNCell) else (x,)
            assert both_forms(ready, *given).dtype.short == expected, layer


def test_gradients_pass_the_casts():
    ready = amp.auto_mixed_precision(lambda x: (2 / x).sum(), "auto")
    check_gradients(lambda x: ready(x), X.astype(float))
    step = ms.grad(amp.auto_mixed_precision(lambda x: (2 / x).sum(), "auto"))
    found = step(ms.Tensor(X.astype(np.float16)))
    assert found.dtype is ms.float16
    wide = X.astype(np.float16).astype(float)
    np.testing.assert_array_equal(found.asnumpy(), (-2 / wide**2).astype(np.float16))
