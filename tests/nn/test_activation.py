"""Are activations found by their names, and shown as what they are?

What they compute is tested with the functions of `ops`.
"""

from __future__ import annotations

import pytest

from s2sad import nn
from s2sad.core.diagnostics import S2sadError

NAMES = [
    "softmin", "softmax", "softmax2d", "logsoftmax", "relu", "relu6", "silu", "tanh", "tanhshrink",
    "hardtanh", "gelu", "fast_gelu", "elu", "sigmoid", "softsign", "prelu", "leakyrelu", "hswish",
    "hsigmoid", "logsigmoid", "softshrink", "hshrink", "rrelu",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name):
    for spelled in (name, name.upper(), name.title()):
        assert type(nn.get_activation(spelled)).__name__.lower() == name.replace("_", "")
    assert nn.get_activation(name) is not nn.get_activation(name)


def test_what_is_an_activation_itself():
    cell = nn.ReLU()
    assert nn.get_activation(cell) is cell and nn.get_activation(None) is None
    assert nn.get_activation(abs) is abs


def test_what_is_none():
    with pytest.raises(S2sadError, match="E0404.*for Dense is called 'unknown'") as caught:
        nn.Dense(1, 1, activation="unknown")
    assert "leakyrelu" in str(caught.value)
    with pytest.raises(S2sadError, match="E0304"):
        nn.get_activation(3)


def test_what_is_shown():
    shown = {
        nn.ReLU6(): "ReLU6()", nn.LeakyReLU(): "LeakyReLU(alpha=0.2)", nn.ELU(): "ELU(alpha=1.0)",
        nn.GELU(): "GELU(approximate=True)", nn.HShrink(): "HShrink(lambd=0.5)",
        nn.Hardtanh(): "Hardtanh(min_val=-1.0, max_val=1.0)", nn.Softmax(): "Softmax(axis=-1)",
        nn.Threshold(0, 1): "Threshold(threshold=0, value=1)", nn.GLU(1): "GLU(axis=1)",
        nn.CELU(2.0): "CELU(alpha=2.0)", nn.Softmin(): "Softmin(axis=-1)",
    }  # fmt: skip
    assert {cell: repr(cell) for cell in shown} == shown


def test_settings_that_cannot_be():
    with pytest.raises(S2sadError, match="E0303"):
        nn.GELU("tanh")
