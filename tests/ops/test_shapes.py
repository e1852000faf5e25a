"""Shapes, orders of axes and casts against NumPy, in both forms."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import ops
from s2sad.core import dtypes
from support.forms import both_forms, check_gradients, refused


def tensor(*shape, dtype=ms.float32):
    return ms.Tensor(np.arange(np.prod(shape)).reshape(shape), dtype)


def shapes(results):
    return [result.shape for result in results]


# ---- reshape --------------------------------------------------------------------------------


def test_reshape():
    def run(x):
        return [
            ops.reshape(x, (3, 4)), ops.reshape(x, [2, -1]), ops.reshape(x, -1), ops.reshape(x, 12),
            ops.reshape(input=x, shape=(1, 12)), x.reshape(3, 4), x.reshape((3, 4)), x.reshape(-1),
            x.reshape([2, 3, -1]), x.reshape(shape=(12,)), x.view(4, -1), x.view((4, 3)),
        ]  # fmt: skip

    found = both_forms(run, tensor(2, 6))
    assert shapes(found) == [
        (3, 4), (2, 6), (12,), (12,), (1, 12), (3, 4), (3, 4), (12,), (2, 3, 2), (12,), (4, 3),
        (4, 3),
    ]  # fmt: skip
    for result in found:
        assert result.asnumpy().ravel().tolist() == list(range(12))


def test_reshape_of_one_and_of_none():
    def one(x):
        return ops.reshape(x, ()), x.reshape(1, 1), x.reshape(()), ops.reshape(x, (-1,))

    assert shapes(both_forms(one, ms.Tensor([3.0]))) == [(), (1, 1), (), (1,)]

    def none(x):
        return ops.reshape(x, (0,)), ops.reshape(x, (3, -1)), ops.reshape(x, (2, 0, 5))

    assert shapes(both_forms(none, tensor(0, 3))) == [(0,), (3, 0), (2, 0, 5)]


@pytest.mark.parametrize(
    ("shape", "code"),
    [((5,), "E0401"), ((5, -1), "E0401"), ((-1, -1), "E0404"), ((-2, 3), "E0404"),
     ((2.0, 6), "E0303"), ("6", "E0303"), ((None, 6), "E0303"), ((0, -1), "E0404")],
)  # fmt: skip
def test_shapes_that_cannot_be(shape, code):
    def run(x):
        return ops.reshape(x, shape)

    refused(code, run, tensor(2, 6))


def test_a_shape_is_no_tensor():
    def run(x, n):
        return ops.reshape(x, (n, 2))

    refused("E0303", run, tensor(4), ms.Tensor(2))


# ---- axes of size 1 -------------------------------------------------------------------------


def test_squeeze():
    def run(x):
        return [
            (ops.squeeze(x), ops.squeeze(x, ()), x.squeeze(), x.squeeze(None),
             x.squeeze(axis=None)),
            (ops.squeeze(x, 0), ops.squeeze(x, (0,)), x.squeeze(0), x.squeeze(axis=-4),
             x.squeeze(dim=0)),
            (ops.squeeze(x, [0, 2]), x.squeeze((0, 2)), x.squeeze(0, -2), x.squeeze(axis=(2, 0))),
        ]  # fmt: skip

    groups = both_forms(run, tensor(1, 2, 1, 3))
    for group, shape in zip(groups, [(2, 3), (2, 1, 3), (2, 3)], strict=True):
        for result in group:
            assert result.shape == shape and result.asnumpy().ravel().tolist() == list(range(6))


def test_squeeze_leaves_longer_axes():
    def run(x, empty, one):
        return (
            ops.squeeze(x, 0), x.squeeze(-1), ops.squeeze(x, (0, 1)), ms.mint.squeeze(x, 1),
            ops.Squeeze(2)(x), ops.squeeze(empty, 0), ops.squeeze(one, 0), one.squeeze(-1),
        )  # fmt: skip

    found = both_forms(run, tensor(2, 1, 3), tensor(0, 1), tensor())
    assert [y.shape for y in found] == [
        (2, 1, 3), (2, 1, 3), (2, 3), (2, 3), (2, 1, 3), (0, 1), (), ()
    ]  # fmt: skip
    check_gradients(lambda x: ops.squeeze(x * x, (0, 1)), np.arange(1.0, 7.0).reshape(2, 1, 3))


def test_expand_dims():
    def run(x):
        return [
            (ops.expand_dims(x, 0), ops.unsqueeze(x, 0), x.expand_dims(0), x.unsqueeze(-3),
             x.expand_dims(axis=0), x.unsqueeze(dim=0)),
            (ops.expand_dims(x, -1), x.unsqueeze(2)), (ops.expand_dims(x, (0, -1)),),
        ]  # fmt: skip

    groups = both_forms(run, tensor(2, 3))
    for group, shape in zip(groups, [(1, 2, 3), (2, 3, 1), (1, 2, 3, 1)], strict=True):
        assert shapes(group) == [shape] * len(group)


def test_broadcast_to():
    array = np.arange(3.0).reshape(3, 1)

    def run(x, other):
        return [
            ops.broadcast_to(x, (2, 3, 4)), x.broadcast_to((2, 3, 4)), x.broadcast_to(2, 3, 4),
            x.expand(2, -1, 4), x.expand((2, 3, 4)), ops.expand(x, (2, -1, 4)),
            ops.expand_as(x, other), x.expand_as(other), x.broadcast_to([2, -1, 4]),
        ]  # fmt: skip

    for result in both_forms(run, ms.Tensor(array), tensor(2, 3, 4)):
        np.testing.assert_array_equal(result.asnumpy(), np.broadcast_to(array, (2, 3, 4)))

    def keep(x):
        return x.broadcast_to(-1, -1), x.broadcast_to((3, 0)), x[0, 0].broadcast_to(2)

    assert shapes(both_forms(keep, ms.Tensor(array))) == [(3, 1), (3, 0), (2,)]


def test_in_the_shape_of_another():
    def run(x, other):
        return ops.view_as(x, other), x.view_as(other), x.reshape_as(other), ops.ravel(x), x.ravel()

    found = both_forms(run, tensor(2, 6), tensor(4, 3))
    assert shapes(found) == [(4, 3)] * 3 + [(12,)] * 2


@pytest.mark.parametrize(
    ("code", "run"),
    [("E0403", lambda x: ops.squeeze(x, 3)), ("E0303", lambda x: ops.squeeze(x, 1.0)),
     ("E0403", lambda x: ops.squeeze(x, (1, 1))), ("E0403", lambda x: ops.expand_dims(x, 4)),
     ("E0403", lambda x: ops.expand_dims(x, (0, 0))), ("E0303", lambda x: ops.unsqueeze(x, 1.0)),
     ("E0401", lambda x: ops.broadcast_to(x, (2, 4))), ("E0404", lambda x: x.expand(-1, 2, 1, 3)),
     ("E0401", lambda x: ops.broadcast_to(x, (3,))), ("E0404", lambda x: x.expand(-2, 1, 3)),
     ("E0304", lambda x: ops.expand_as(x, (2, 3))), ("E0401", lambda x: x.view_as(x[0, 0])),
     ("E0303", lambda x: ops.broadcast_to(x, (x, 1, 3))), ("E0304", lambda x: ops.squeeze((x,)))],
)  # fmt: skip
def test_shapes_that_do_not_fit(code, run):
    refused(code, run, tensor(2, 1, 3))


# ---- what is asked --------------------------------------------------------------------------


def test_what_is_asked_of_a_tensor():
    def run(x):
        counts = [
            ops.rank(x), x.ndim, x.dim(), x.ndimension(), ops.size(x), ops.numel(x), x.size,
            x.numel(), *ops.shape(x), *x.shape, len(x), x.itemsize, x.nbytes, int(ops.is_tensor(x)),
            int(ops.dtype(x) == ms.float32), int(ops.is_tensor(1)),
        ]  # fmt: skip
        return x * 0 + ops.dyn_shape(x), [x.reshape(-1)[0] * 0 + count for count in counts]

    sizes, counts = both_forms(run, tensor(3, 2))
    assert sizes.tolist() == [[3.0, 2.0]] * 3
    expected = [2, 2, 2, 2, 6, 6, 6, 6, 3, 2, 3, 2, 3, 4, 24, 1, 1, 0]
    assert [count.item() for count in counts] == expected


def test_the_shape_as_a_tensor():
    def run(x):
        return ops.dyn_shape(x), ops.dyn_shape(x[0, 0])

    whole, none = both_forms(run, tensor(3, 2))
    assert whole.dtype is ms.int64 and whole.tolist() == [3, 2] and none.tolist() == []


# ---- copies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("copy", [lambda x: x.copy(), lambda x: x.clone()])
def test_a_copy_shares_no_memory(copy):
    x = ms.Tensor([1.0, 2.0])
    other = copy(x)
    x.asnumpy()[0] = 5.0
    assert other.tolist() == [1.0, 2.0] and other.dtype is ms.float32
    assert both_forms(copy, x).tolist() == [5.0, 2.0]
    check_gradients(lambda x: copy(x * x), [1.0, 2.0])


def test_a_copy_of_a_parameter_is_a_tensor():
    w = ms.Parameter(ms.Tensor([1.0]), name="w")
    assert type(w.copy()) is ms.Tensor and w.copy().tolist() == [1.0]


def test_contiguous():
    x = tensor(2, 3)
    assert x.contiguous() is x
    turned = x.T
    assert not turned.is_contiguous() and turned.contiguous().is_contiguous()

    def run(x):
        return x.T.contiguous(), x.contiguous()

    np.testing.assert_array_equal(both_forms(run, x)[0].asnumpy(), x.asnumpy().T)


def test_type_as():
    def run(x, y):
        return x.type_as(y), y.type_as(x)

    found = both_forms(run, ms.Tensor([1.5]), ms.Tensor([2], ms.int8))
    assert [(x.dtype, x.tolist()) for x in found] == [(ms.int8, [1]), (ms.float32, [2.0])]


# ---- flatten --------------------------------------------------------------------------------


def test_the_function_starts_at_axis_1_and_the_method_at_0():
    def run(x):
        return [
            ops.flatten(x), x.flatten(), ops.flatten(x, start_dim=0), x.flatten(start_dim=1),
            ops.flatten(x, start_dim=1, end_dim=2), x.flatten(start_dim=-2), x.flatten(end_dim=1),
            ops.flatten(x, start_dim=2, end_dim=2), ms.nn.Flatten()(x), ms.nn.Flatten(0, 1)(x),
        ]  # fmt: skip

    expected = [
        (2, 60), (120,), (120,), (2, 60), (2, 12, 5), (2, 3, 20), (6, 4, 5), (2, 3, 4, 5), (2, 60),
        (6, 4, 5),
    ]  # fmt: skip
    found = run(tensor(2, 3, 4, 5))
    assert shapes(found) == expected
    for result in found:
        assert result.asnumpy().ravel().tolist() == list(range(120))


def test_flatten_compiled():
    def run(x):
        return (
            ops.flatten(x),
            x.flatten(),
            ops.flatten(x, "F"),
            x.flatten("F"),
            x.flatten(start_dim=1),
        )

    found = both_forms(run, tensor(2, 3, 4))
    array = np.arange(24).reshape(2, 3, 4)
    assert shapes(found) == [(2, 12), (24,), (4, 6), (24,), (2, 12)]
    assert found[3].tolist() == array.flatten("F").tolist()
    assert found[2].tolist() == array.T.reshape(4, 6).tolist()


@pytest.mark.parametrize(("shape", "expected"), [((), (1,)), ((3,), (3,)), ((0,), (0,))])
def test_flatten_of_few_axes(shape, expected):
    def run(x):
        return ops.flatten(x), x.flatten(), FLATTEN(x)

    assert shapes(both_forms(run, tensor(*shape))) == [expected] * 3


FLATTEN = ms.nn.Flatten()


@pytest.mark.parametrize(
    ("options", "code"),
    [({"start_dim": 3}, "E0403"), ({"end_dim": -4}, "E0403"), ({"order": "A"}, "E0404"),
     ({"start_dim": 2, "end_dim": 1}, "E0404"), ({"start_dim": 1.0}, "E0303"),
     ({"start_dim": True}, "E0303")],
)  # fmt: skip
def test_flatten_of_axes_that_do_not_exist(options, code):
    def run(x):
        return ops.flatten(x, **options)

    refused(code, run, tensor(2, 3, 4))


# ---- transpose ------------------------------------------------------------------------------


def test_transpose():
    array = np.arange(24.0).reshape(2, 3, 4)

    def run(x):
        return [
            (ops.transpose(x, (2, 0, 1)), x.transpose(2, 0, 1), x.transpose((2, 0, 1)),
             x.transpose([-1, 0, 1])),
            (x.transpose(), x.T, ops.transpose(x, (2, 1, 0))),
            (x.transpose(1, 2), x.transpose(-1, 1), x.transpose(dim0=2, dim1=1),
             ops.swapaxes(x, 1, 2), x.swapaxes(2, 1), ops.transpose(x, (0, 2, 1))),
        ]  # fmt: skip

    expected = array.transpose(2, 0, 1), array.T, array.swapaxes(1, 2)
    for group, wanted in zip(both_forms(run, ms.Tensor(array)), expected, strict=True):
        for result in group:
            np.testing.assert_array_equal(result.asnumpy(), wanted)


def test_two_axes_of_a_matrix_are_an_order():
    def run(x):
        return x.transpose(1, 0), x.transpose(0, 1), x.T, x.transpose((0, 1))

    turned, same, reverse, tuple_form = both_forms(run, tensor(2, 3))
    assert shapes([turned, same, reverse, tuple_form]) == [(3, 2), (2, 3), (3, 2), (2, 3)]


def test_transpose_of_few_axes():
    def run(x):
        return x.T, x.transpose(), ops.transpose(x, tuple(range(x.ndim)))

    for shape in ((), (3,), (0, 2)):
        assert shapes(both_forms(run, tensor(*shape))) == [shape[::-1], shape[::-1], shape]


@pytest.mark.parametrize(
    ("order", "code"),
    [((0, 1), "E0303"), ((0, 0, 1), "E0404"), ((0, 1, 3), "E0403"), ((0, 1, -4), "E0403"),
     ((0, 1, 2.0), "E0303")],
)  # fmt: skip
def test_orders_that_cannot_be(order, code):
    def run(x):
        return ops.transpose(x, order)

    refused(code, run, tensor(2, 3, 4))


# ---- cast -----------------------------------------------------------------------------------


@pytest.mark.parametrize("source", dtypes.ALL, ids=str)
@pytest.mark.parametrize("target", dtypes.ALL, ids=str)
def test_casts(source, target):
    values = [0, 1, 1] if source is ms.bool_ else [0, 1, 100]
    x = ms.Tensor(values, source)

    def run(x):
        return ops.cast(x, target), x.astype(target), x.to(target), x.astype(target.name)

    expected = [bool(v) for v in values] if target is ms.bool_ else values
    for result in both_forms(run, x):
        assert result.dtype is target and result.tolist() == expected


def test_floats_become_integers_by_truncation():
    def run(x):
        return ops.cast(x, ms.int32), x.astype(ms.bool_), x.astype(ms.float16)

    whole, truth, narrow = both_forms(run, ms.Tensor([1.9, -1.9, 0.0, -0.5, 1e6]))
    assert whole.tolist() == [1, -1, 0, 0, 1000000]
    assert truth.tolist() == [True, True, False, True, True]
    assert narrow.tolist()[-1] == np.inf


def test_a_cast_to_the_same_dtype_is_free():
    x = tensor(2)
    assert ops.cast(x, ms.float32) is x
    compiled = ms.compile(lambda x: ops.cast(x + 1, ms.float32))
    compiled(x)
    assert [op.prim.name for op in compiled.stages["primal"].walk()] == ["const", "add"]


@pytest.mark.parametrize(
    "function",
    [lambda: ops.cast(1.0, ms.int8), lambda: ops.reshape(1.0, (1,)), lambda: ops.flatten([1.0]),
     lambda: ops.transpose(1, (0,)), lambda: ops.swapaxes(np.ones((2, 2)), 0, 1)],
)  # fmt: skip
def test_of_what_is_no_tensor(function):
    with pytest.raises(TypeError, match="E0304"):
        function()


# ---- gradients ------------------------------------------------------------------------------

MOVES = {
    "reshape": lambda x: ops.reshape(x * x, (-1, 4)),
    "flatten": lambda x: ops.flatten(x * x),
    "flatten F": lambda x: ops.flatten(x * x, "F"),
    "transpose": lambda x: ops.transpose(x * x, (2, 0, 1)),
    "T": lambda x: (x * x).T * x.T,
    "swapaxes": lambda x: ops.swapaxes(x * x, 0, 2),
    "squeeze": lambda x: ops.squeeze((x * x)[:, :1]),
    "expand_dims": lambda x: ops.expand_dims(x * x, (0, 2)) * x,
    "broadcast_to": lambda x: ops.broadcast_to(x[:, :, :1] * x[:1, :, :1], (2, 2, 3, 4)),
    "view_as": lambda x: (x * x).view_as(x.reshape(8, 3)),
    "there and back": lambda x: ops.cast(ops.cast(x * x, ms.float64), ms.float64),
}


@pytest.mark.parametrize("name", MOVES)
def test_gradients(name):
    check_gradients(MOVES[name], np.random.default_rng(0).normal(size=(2, 3, 4)))


def test_the_gradient_of_a_cast_is_cast_back():
    def run(x):
        return ops.cast(x, ms.float64) * 2

    gradient = ms.grad(run)(ms.Tensor([1.0], ms.float16))
    assert gradient.dtype is ms.float16 and gradient.tolist() == [2.0]

    def whole(x):
        return ops.cast(ops.cast(x, ms.int32), ms.float32)

    assert ms.grad(whole)(ms.Tensor([1.5])).tolist() == [0.0]
