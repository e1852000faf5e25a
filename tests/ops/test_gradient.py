"""GradOperation: its forms, from outside and in compiled code."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import require_same

X, Y, SENS = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0]), ms.Tensor([10.0, 100.0])


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0, 4.0]), name="w")
        self.unused = ms.Parameter(ms.Tensor([1.0]), name="unused")

    def construct(self, x, y):
        return self.w * x * y


NET = Net()
WEIGHTS = ms.ParameterTuple([NET.w, NET.unused])


def lists(tree):
    return tuple(map(lists, tree)) if isinstance(tree, tuple) else tree.tolist()


DX, DY, DW, ZERO = [6.0, 20.0], [2.0, 8.0], [3.0, 10.0], [0.0]
FORMS = {
    (False, False): DX, (True, False): (DX, DY), (False, True): (DW, ZERO),
    (True, True): ((DX, DY), (DW, ZERO)),
}  # fmt: skip


def scaled(tree, by_element):
    if isinstance(tree, tuple):
        return tuple(scaled(item, by_element) for item in tree)
    return [a * b for a, b in zip(tree, by_element, strict=False)]


@pytest.mark.parametrize("get_all", [False, True])
@pytest.mark.parametrize("get_by_list", [False, True])
@pytest.mark.parametrize("sens_param", [False, True])
def test_forms(get_all, get_by_list, sens_param):
    operation = ops.GradOperation(get_all, get_by_list, sens_param)
    args = (X, Y, SENS) if sens_param else (X, Y)
    expected = FORMS[get_all, get_by_list]
    expected = scaled(expected, [10.0, 100.0]) if sens_param else expected
    found = operation(NET, WEIGHTS)(*args)
    assert lists(found) == expected

    def inside(*args):
        return operation(NET, WEIGHTS)(*args)

    def made_inside(*args):
        made = ops.GradOperation(get_all, get_by_list=get_by_list, sens_param=sens_param)
        return made(NET, WEIGHTS)(*args)

    require_same(ms.compile(inside)(*args), found)
    require_same(ms.compile(made_inside)(*args), found)


def test_one_input_and_one_weight():
    def square(x):
        return x * x

    assert lists(ops.GradOperation(get_all=True)(square)(X)) == ([2.0, 4.0],)
    assert ops.GradOperation(get_by_list=True)(NET, NET.w)(X, Y).tolist() == DW
    assert lists(ops.GradOperation(get_by_list=True)(NET, [NET.w])(X, Y)) == (DW,)
    assert lists(ops.GradOperation(get_by_list=True)(NET)(X, Y)) == (DW, ZERO)


def test_inputs_without_tensors_have_no_gradient():
    def run(x, n, pair):
        return x * n * pair[0]

    every = ops.GradOperation(get_all=True)
    by_x, by_pair = every(run)(X, 3.0, (Y, None))
    assert by_x.tolist() == [9.0, 15.0] and by_pair[0].tolist() == [3.0, 6.0]

    def of_weight_alone(n):
        return NET.w * n

    both = ops.GradOperation(True, True)
    assert lists(both(of_weight_alone, [NET.w])(3.0)) == ((), ([3.0, 3.0],))


def test_gradients_of_gradients():
    def cube(x):
        return x * x * x

    first = ops.GradOperation(get_all=True)
    second = ops.GradOperation()(lambda x: first(cube)(x)[0])
    assert second(X).tolist() == [6.0, 12.0]
    assert ops.GradOperation()(ops.GradOperation()(cube))(X).tolist() == [6.0, 12.0]


def test_a_program_is_kept_with_what_it_differentiates():
    net = Net()
    operation = ops.GradOperation(get_by_list=True)
    made = [operation(net, net.trainable_params()) for _ in range(2)]
    assert made[0] is made[1]
    assert (
        ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())
        is not made[0]
    )
    with_drop = nn.SequentialCell(nn.Dense(2, 2), nn.Dropout(p=0.5)).set_train()
    x = ms.Tensor(np.ones((1, 2)), ms.float32)
    for _ in range(3):
        operation(with_drop, with_drop.trainable_params())(x)
    assert operation(with_drop, with_drop.trainable_params()) is operation(
        with_drop, with_drop.trainable_params()
    )


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: ops.GradOperation(1), "E0303"),
        (lambda: ops.GradOperation(get_by_list=None), "E0303"),
        (lambda: ops.GradOperation()(3), "E0304"),
        (lambda: ops.GradOperation(get_by_list=True)(lambda x: x), "E0404"),
        (lambda: ops.GradOperation(get_by_list=True)(NET, [X]), "E0304"),
        (lambda: ops.GradOperation(sens_param=True)(NET)(), "E0302"),
        (lambda: ms.compile(lambda x: ops.GradOperation(get_by_list=True)(NET)(x, x))(X), "E0404"),
        (lambda: ms.compile(lambda x: ops.GradOperation(1, 2, 3, 4)(NET)(x, x))(X), "E0302"),
    ],
)  # fmt: skip
def test_what_cannot_be(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code
