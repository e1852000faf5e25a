"""Is what does not fit refused, with the sizes or names that a user needs to see?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, nn, ops
from support.cases import in_both_modes


def zeros(*shape):
    return Tensor(np.zeros(shape, np.float32))


#: A layer, the shape that it cannot take, and what the message shows.
LAYERS = {
    "conv1d": (nn.Conv1d(1, 1, 5, pad_mode="valid"), (1, 1, 4), "4", "5"),
    "conv2d": (nn.Conv2d(1, 1, 3, pad_mode="valid", dilation=8), (1, 1, 14, 20), "14", "17"),
    "one axis of it": (nn.Conv2d(1, 1, (1, 7), pad_mode="pad", padding=1), (1, 1, 5, 3), "3", "7"),
    "conv3d": (nn.Conv3d(1, 1, 3, pad_mode="valid"), (1, 1, 2, 5, 5), "2", "3"),
    "its channels": (nn.Conv2d(3, 1, 1), (1, 2, 4, 4), "2", "3"),
    "its axes": (nn.Conv2d(1, 1, 3), (3, 3), "(3, 3)"),
    "max pool": (nn.MaxPool2d(3, 1), (1, 1, 2, 5), "2", "3"),
    "mean pool": (nn.AvgPool2d(5), (1, 1, 4, 4), "4", "5"),
    "pool of one axis": (nn.MaxPool1d(3), (1, 1, 2), "2", "3"),
    "dense": (nn.Dense(3, 2), (4, 5), "5", "3"),
    "batch norm": (nn.BatchNorm2d(3), (1, 2, 4, 4), "2", "3"),
    "layer norm": (nn.LayerNorm((3,)), (2, 4), "4", "3"),
    "group norm": (nn.GroupNorm(2, 4), (1, 3, 2, 2), "3", "4"),
    "upsample": (nn.Upsample(2, mode="linear"), (1, 1, 2, 3), "(1, 1, 2, 3)"),
}  # fmt: skip


@pytest.mark.parametrize("case", LAYERS)
def test_layers(case):
    net, shape, *texts = LAYERS[case]
    for _ in in_both_modes():
        with pytest.raises((ValueError, TypeError)) as caught:
            net(zeros(*shape))
        assert all(text in str(caught.value) for text in texts), caught.value


#: Operations of tensors of shapes (2, 3) and (2, 4).
OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a,
    b: a / b, "//": lambda a, b: a // b, "%": lambda a, b: a % b, "**": lambda a, b: a**b,
    "<": lambda a, b: a < b, "==": lambda a, b: ops.equal(a, b), "and": lambda a,
    b: ops.logical_and(a > 0, b > 0), "@": lambda a, b: a @ b, "maximum": ops.maximum,
    "atan2": ops.atan2, "hypot": ops.hypot, "addmm": lambda a, b: ops.addmm(a, a, b),
    "where": lambda a, b: ops.where(a > 0, a, b), "lerp": lambda a, b: ops.lerp(a, b, 0.5),
    "dense": ops.dense, "masked_fill": lambda a, b: ops.masked_fill(a, b > 0, 1.0),
    "addcmul": lambda a, b: ops.addcmul(a, a, b), "concat": lambda a, b: ops.concat((a, b), 0),
    "stack": lambda a, b: ops.stack((a, b)), "mse": ops.mse_loss, "einsum": lambda a,
    b: ops.einsum("ij,ij->i", a, b), "tensor_dot": lambda a, b: ops.tensor_dot(a, b, 1),
    "cosine": ops.cosine_similarity, "kl": ops.kl_div, "huber": ops.huber_loss,
    "logits": ops.binary_cross_entropy_with_logits,
}  # fmt: skip


@pytest.mark.parametrize("case", OPERATIONS)
def test_both_shapes_are_shown(case):
    class Net(nn.Cell):
        def construct(self, a, b):
            return OPERATIONS[case](a, b)

    for _ in in_both_modes():
        with pytest.raises((ValueError, TypeError)) as caught:
            Net()(zeros(2, 3), zeros(2, 4))
        text = str(caught.value).replace(" ", "")
        assert "2,3" in text and "2,4" in text, caught.value


class Uses(nn.Cell):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, x):
        return self.function(x)


def unknown_name(x):
    return x + undefined  # noqa: F821 - what is tested


WRONG = {
    "a shape that does not fit": (lambda x: x.reshape((4, 2)), ValueError, "(2, 3)", "(4, 2)"),
    "no broadcast": (lambda x: ops.broadcast_to(x, (3, 3)), ValueError, "(3, 3)"),
    "targets of another batch": (lambda x: ops.cross_entropy(x, Tensor([0, 1, 2])),
        ValueError, "2", "3"),
    "an index beyond": (lambda x: x[5], IndexError, "5", "2"),
    "a column beyond": (lambda x: x[:, 7], IndexError, "7", "3"),
    "too many indices": (lambda x: x[0, 0, 0], IndexError, "3"),
    "an axis beyond": (lambda x: ops.sum(x, 2), ValueError, "2"),
    "an axis of softmax": (lambda x: ops.softmax(x, 2), ValueError, "2"),
    "no order of axes": (lambda x: ops.transpose(x, (0, 0)), ValueError, "(0, 0)"),
    "no axis to squeeze": (lambda x: ops.squeeze(x, 2), ValueError, "2"),
    "pieces of size 0": (lambda x: ops.split(x, 0), ValueError, "0"),
    "an unknown name": (unknown_name, NameError, "undefined"),
    "an unknown method": (lambda x: x.nope(), AttributeError, "nope"),
    "text": (lambda x: x + "a", TypeError), "a number": (lambda x: ops.sin(0.5), TypeError),
    "no list": (lambda x: ops.concat(x), TypeError),
    "an unknown argument": (lambda x: ops.sum(x, axes=0), TypeError, "axes"),
    "a division of whole numbers": (lambda x: x * (1 // 0), ZeroDivisionError),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_wrong_calls(case):
    function, kind, *texts = WRONG[case]
    for _ in in_both_modes():
        with pytest.raises(kind) as caught:
            Uses(function)(zeros(2, 3))
        assert all(text in str(caught.value) for text in texts), caught.value


SETTINGS = {
    "a kernel of 0": lambda: nn.Conv2d(1, 1, 0),
    "a stride of 0": lambda: nn.Conv2d(1, 1, 3, stride=0),
    "groups": lambda: nn.Conv2d(3, 2, 1, group=2),
    "an unknown mode": lambda: nn.Conv2d(1, 1, 3, pad_mode="nope"),
    "a pool of 0": lambda: nn.MaxPool2d(0), "a probability of 2": lambda: nn.Dropout(p=2.0),
    "no channels": lambda: nn.Dense(0, 1), "half a channel": lambda: nn.Dense(2.5, 1),
    "groups of channels": lambda: nn.GroupNorm(3, 4),
    "a negative rate": lambda: nn.Adam([ms.Parameter(zeros(1), name="w")], -1.0),
}  # fmt: skip


@pytest.mark.parametrize("case", SETTINGS)
def test_settings(case):
    with pytest.raises((ValueError, TypeError)):
        SETTINGS[case]()
