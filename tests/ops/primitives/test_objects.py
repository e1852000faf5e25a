"""What is an object of an operation: made, asked, changed, called where code is compiled?"""

from __future__ import annotations

import copy
import inspect
import pickle
import warnings
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.ops import operations as P  # noqa: N812
from support.forms import both_forms, plain, refused, require_same

X = ms.Tensor([[0.5, -1.0], [2.0, 3.0]], ms.float64)

#: How settings are given, and what the objects then say of themselves.
WRITTEN = {
    "Add()": P.Add(),
    "ReduceSum(keep_dims=False, skip_mode=False)": P.ReduceSum(),
    "ReduceSum(keep_dims=True, skip_mode=False)": P.ReduceSum(True),
    "MatMul(transpose_a=False, transpose_b=True)": P.MatMul(transpose_b=True),
    "Concat(axis=-1)": P.Concat(-1),
    "Split(axis=0, output_num=1)": P.Split(),
    "Argmax(axis=-1, output_type=s2sad.int32)": P.Argmax(),
    "Conv2D(out_channel=2, kernel_size=(3, 3), mode=1, pad_mode='valid', pad=0, stride=(1, 1), "
    "dilation=(1, 1), group=1, data_format='NCHW')": P.Conv2D(2, 3),
    "MaxPool(kernel_size=(2, 2), strides=(1, 1), pad_mode='same', data_format='NCHW')": P.MaxPool(
        2, pad_mode="SAME"
    ),
    "Dropout(keep_prob=0.9, Seed0=0, Seed1=3)": P.Dropout(0.9, Seed1=3),
}

DEFAULTS = {
    "ApplyMomentum": "(use_nesterov=False, use_locking=False, gradient_scale=1.0)",
    "Adam": "(use_locking=False, use_nesterov=False)",
    "ArgMaxWithValue": "(axis=0, keep_dims=False)",
    "AvgPool": "(kernel_size=1, strides=1, pad_mode='valid', data_format='NCHW')",
    "BatchMatMul": "(transpose_a=False, transpose_b=False)",
    "BatchNorm": "(is_training=False, epsilon=1e-05, momentum=0.1, data_format='NCHW')",
    "BiasAdd": "(data_format='NCHW')",
    "BroadcastTo": "(shape)",
    "Conv2D": "(out_channel, kernel_size, mode=1, pad_mode='valid', pad=0, stride=1, dilation=1, "
    "group=1, data_format='NCHW')",
    "CumSum": "(exclusive=False, reverse=False)",
    "Dropout": "(keep_prob=0.5, Seed0=0, Seed1=0)",
    "Gather": "(batch_dims=0)",
    "L2Normalize": "(axis=0, epsilon=0.0001)",
    "LayerNorm": "(begin_norm_axis=1, begin_params_axis=1, epsilon=1e-07)",
    "LogSoftmax": "(axis=-1)",
    "OneHot": "(axis=-1)",
    "Pad": "(paddings)",
    "ReduceMean": "(keep_dims=False)",
    "ResizeBilinear": "(size, align_corners=False, half_pixel_centers=False)",
    "ResizeNearestNeighbor": "(size, align_corners=False, half_pixel_centers=False)",
    "SparseSoftmaxCrossEntropyWithLogits": "(is_grad=False, sens=1.0)",
    "Squeeze": "(axis=())",
    "Stack": "(axis=0)",
    "StandardNormal": "(seed=0, seed2=0)",
    "StridedSlice": "(begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, "
    "shrink_axis_mask=0)",
    "TopK": "(sorted=True)",
    "UniformReal": "(seed=0, seed2=0)",
    "Unstack": "(axis=0, num=None)",
}


@pytest.mark.parametrize("written", WRITTEN)
def test_repr(written):
    made = WRITTEN[written]
    assert repr(made) == written
    assert made.name == type(made).__name__ and isinstance(made, ops.Primitive)
    for other in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert repr(other) == written and type(other) is type(made)


@pytest.mark.parametrize("name", DEFAULTS)
def test_settings_have_mindspores_names_order_and_defaults(name):
    parameters = inspect.signature(getattr(P, name))
    assert str(parameters) == DEFAULTS[name]


def test_what_mindspore_notes_is_kept():
    made = P.MatMul(transpose_b=True)
    same = made.add_prim_attr("scale", 2).set_device("CPU").set_stage(0).shard(((1, 1), (1, 1)))
    assert same.recompute().place("MS_WORKER", 0).set_prim_instance_name("mm") is made
    made.init_prim_io_names(["x", "y"], ["z"])
    assert made.attrs == {
        "transpose_a": False, "transpose_b": True, "scale": 2, "primitive_target": "CPU",
        "stage": 0, "in_strategy": ((1, 1), (1, 1)), "out_strategy": None, "recompute": True,
        "place": ("MS_WORKER", 0), "input_names": ["x", "y"], "output_names": ["z"],
    }  # fmt: skip
    assert (made.scale, made.transpose_b, made.instance_name, made.name) == (
        2,
        True,
        "mm",
        "MatMul",
    )
    assert "scale" not in made.del_prim_attr("scale").attrs and not hasattr(made, "scale")
    assert made(X, X).tolist() == (X @ X.T).tolist()
    assert made.add_prim_attr("transpose_b", False)(X, X).tolist() == (X @ X).tolist()


@pytest.mark.parametrize("code, note", [
    ("E0710", lambda made: made.shard(((1, 2), (2, 1)))),
    ("E0710", lambda made: made.shard(None, ((1, 2),))),
    ("E0404", lambda made: made.shard(((0, 1), (1, 1)))),
    ("E0303", lambda made: made.shard([(1, 1)])),
    ("E0303", lambda made: made.shard(((1.0, 1),))),
    ("E0303", lambda made: made.shard(((True, 1),))),
    ("E0710", lambda made: made.set_stage(1)),
    ("E0404", lambda made: made.set_stage(-1)),
    ("E0303", lambda made: made.set_stage("0")),
    ("E0710", lambda made: made.place("MS_WORKER", 1)),
    ("E0303", lambda made: made.recompute(1)),
])  # fmt: skip
def test_what_asks_for_several_devices_is_refused(code, note):
    made = P.MatMul()
    with pytest.raises(S2sadError) as caught:
        note(made)
    assert caught.value.code == code and caught.value.diagnostic.location is not None
    assert made.attrs == {"transpose_a": False, "transpose_b": False}


@pytest.mark.parametrize("code, function", [
    ("E0302", lambda x: P.ReduceSum(keep_dim=True)(x)),
    ("E0302", lambda x: P.Add(1)(x, x)),
    ("E0302", lambda x: P.Conv2D(1)(x, x)),
    ("E0302", lambda x: P.Add()(x)),
    ("E0302", lambda x: P.ReLU()(x, True)),
    ("E0302", lambda x: P.ReduceSum()(x, keep_dims=True)),
    ("E0303", lambda x: P.ReduceSum(keep_dims=1)(x)),
    ("E0303", lambda x: P.Concat(axis=0.5)((x, x))),
    ("E0303", lambda x: P.Pad((1, 2))(x)),
    ("E0401", lambda x: P.Pad(((1, 2),))(x)),
    ("E0404", lambda x: P.Pad(((1, -2), (0, 0)))(x)),
    ("E0404", lambda x: P.MirrorPad("CONSTANT")(x, ((0, 0), (0, 0)))),
    ("E0404", lambda x: P.MirrorPad()(x, ((0, 0), (0, 9)))),
    ("E0401", lambda x: P.MirrorPad()(x, ((0, 0),))),
    ("E0404", lambda x: P.Split(0, 3)(x)),
    ("E0404", lambda x: P.Unstack(num=3)(x)),
    ("E0404", lambda x: P.Softmax((0, 1))(x)),
    ("E0401", lambda x: P.MatMul()(x[None], x)),
    ("E0401", lambda x: P.BatchMatMul(transpose_a=True)(x[0], x)),
    ("E0304", lambda x: P.Einsum("ij,jk->ik")(x)),
    ("E0401", lambda x: P.Conv2D(3, 2)(x[None, None], x[None, None])),
    ("E0404", lambda x: P.Conv2D(1, 2, mode=3)(x[None, None], x[None, None])),
    ("E0404", lambda x: P.MaxPool(data_format="NHWC")(x[None, None])),
    ("E0401", lambda x: P.Conv2DTranspose(1, 2)(x[None, None], x[None, None], (1, 1, 9, 9))),
    ("E0404", lambda x: P.ResizeNearestNeighbor((1, 1), True, True)(x[None, None])),
    ("E0301", lambda x: P.ResizeBilinearV2()((x > 0)[None, None], (1, 1))),
    ("E0404", lambda x: P.Dropout(keep_prob=0.0)(x)),
    ("E0301", lambda x: P.Argmax(output_type=ms.float32)(x)),
    ("E0404", lambda x: P.StandardNormal(2**31)((2,))),
    ("E0310", lambda x: ops.Primitive("Nothing")(x)),
    ("E0710", lambda x: P.Add().set_device("GPU")(x, x)),
])  # fmt: skip
def test_refused(code, function):
    refused(code, function, X)


def test_an_unknown_setting_gets_the_nearest_one():
    with pytest.raises(TypeError, match=r"did you mean keep_dims\? ReduceSum takes \(keep_dims="):
        P.ReduceSum(keep_dim=True)
    with pytest.raises(AttributeError, match="did you mean keep_dims"):
        P.ReduceSum().keep_dim
    with pytest.raises(AttributeError, match="did you mean Concat"):
        ops.Concatt


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sum = P.ReduceSum(keep_dims=True)
        self.activations = [P.Tanh(), P.Sigmoid()]
        self.by_name = {"mul": ops.Mul()}
        self.weight = ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]], ms.float64), name="weight")

    def construct(self, x: Any) -> Any:
        y = P.MatMul(transpose_b=True)(x, self.weight)
        for activation in self.activations:
            y = activation(y)
        y = self.by_name["mul"](y, x)
        return self.sum(y, 0), SHAPE(y), isinstance(self.sum, ops.Primitive)


SHAPE = ops.Shape()


def test_objects_in_a_cell():
    net = Net()
    found = net(X)
    x, w = X.asnumpy(), net.weight.asnumpy()
    expected = (x / (1 + np.exp(-np.tanh(x @ w.T)))).sum(0, keepdims=True)
    np.testing.assert_allclose(found[0].asnumpy(), expected, rtol=1e-12)
    assert found[1:] == ((2, 2), True)
    compiled = ms.compile(net)
    require_same(compiled(X), found)
    net.sum.keep_dims = False  # what a program was compiled for is looked at in each call
    assert compiled(X)[0].shape == (2,) and net(X)[0].shape == (2,)
    net.activations[1] = P.ReLU()
    require_same(compiled(X), net(X))
    with pytest.raises(TypeError, match="keep_dims is True or False"):
        net.sum.keep_dims = "no"


class Behind(ops.Concat):
    """A class of a user's, which keeps the call."""

    def __init__(self, axis: int = 0) -> None:
        super().__init__(axis)


class Scaled(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, by: float = 2.0) -> None:
        pass

    def __call__(self, x: Any) -> Any:
        return x * self.by


class Louder(Behind):
    def __call__(self, tensors: Any) -> Any:
        return super().__call__(tensors) * 10.0


def test_classes_of_a_users():
    behind, scaled, louder = Behind(), Scaled(by=3.0), Louder(1)

    def run(x: Any) -> Any:
        return behind((x, x)), scaled(x), Scaled(5.0)(x), louder((x, x)), Behind(1)((x, x))

    x = X.asnumpy()
    compiled = ms.compile(run)
    for axis, by in ((0, 3.0), (1, 4.0)):
        behind.axis, louder.axis = axis, 1 - axis
        scaled.add_prim_attr("by", by)
        expected = (
            np.concatenate([x, x], axis), by * x, 5 * x, 10 * np.concatenate([x, x], 1 - axis),
            np.concatenate([x, x], 1),
        )  # fmt: skip
        for found in (run(X), compiled(X)):
            assert plain(found) == plain(tuple(map(ms.Tensor, expected)))
    assert scaled.name == "Scaled" and Scaled().attrs == {"by": 2.0}
    assert isinstance(louder, ops.Concat) and louder.name == "Concat"


def test_gradient_through_an_attribute():
    net = Net()
    for value in (True, False):
        net.sum.keep_dims = value
        slope = ms.grad(lambda x: net(x)[0].sum())(X)
        direct = ms.grad(lambda x: (ops.sigmoid(ops.tanh(x @ net.weight.T)) * x).sum())(X)
        np.testing.assert_allclose(slope.asnumpy(), direct.asnumpy(), rtol=1e-12)


# ---- older names ---------------------------------------------------------------------------------

OLDER = {
    "TensorAdd": ((), (X, X), X + X), "Pack": ((1,), ([X, X],), ops.stack((X, X), 1)),
    "Unpack": ((0,), (X,), ops.unstack(X, 0)), "Gelu": ((), (X,), ops.gelu(X, "tanh")),
    "GatherV2": ((), (X, ms.Tensor([1]), 0), X[1:]),
    "SparseGatherV2": ((), (X, ms.Tensor([1]), 0), X[1:]),
    "ResizeBilinear": (((1, 2),), (X[None, None],), X[None, None, :1]),
    "ControlDepend": ((), (X, X), X),
}  # fmt: skip


@pytest.mark.parametrize("name", OLDER)
def test_older_names_work_and_say_so(name):
    settings, args, expected = OLDER[name]
    with pytest.warns(DeprecationWarning, match=f"{name} is an older name: write") as told:
        made = getattr(ops, name)(*settings)
    assert len(told) == 1 and told[0].filename == __file__ and made.name == name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        require_same(both_forms(lambda *given: made(*given), *args), expected)


# ---- what stands apart from the table ------------------------------------------------------------


def test_what_is_no_tensor():
    def ask(x: Any) -> Any:
        return P.Shape()(x), P.Rank()(x), P.Size()(x), P.DType()(x)

    assert both_forms(ask, X) == ((2, 2), 2, 4, ms.float64)


def test_writes():
    def step(w: Any, x: Any) -> Any:
        return P.Assign()(w, x) + 0, P.AssignAdd()(w, 1.0) + 0, P.AssignSub()(w, x) + 0, w + 0

    for run in (step, ms.compile(step)):
        w = ms.Parameter(X * 0, name="w")
        found = run(w, X)
        assert (
            plain(found) == plain((X, X + 1, X * 0 + 1, X * 0 + 1)) and w.tolist() == [[1] * 2] * 2
        )


def test_scattered_writes():
    rows = ms.Tensor([1], ms.int32)

    def step(w: Any, x: Any) -> Any:
        P.ScatterUpdate()(w, rows, x[:1])
        return P.ScatterAdd(use_locking=True)(w, rows, x[1:])

    for run in (step, ms.compile(step)):
        w = ms.Parameter(X * 0, name="w")
        assert plain(run(w, X)) == w.tolist() == [[0, 0], [2.5, 2]]


WRITES = {
    "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Max": np.maximum, "Min": np.minimum,
    "Add": np.add,
}  # fmt: skip


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("name", WRITES)
def test_writes_at_indices(name, nested):
    kind = getattr(P, f"Scatter{'Nd' * nested}{name}")
    write, rows = kind(use_locking=True), ms.Tensor([[1], [0]] if nested else [1, 0], ms.int32)
    expected = WRITES[name](X.asnumpy(), 2 * X.asnumpy()[::-1] + 1)
    for run in (write, ms.compile(lambda *args: write(*args))):
        w = ms.Parameter(X + 0, name="w")
        found = run(w, rows, 2 * X + 1)
        assert found.tolist() == w.tolist() == expected.tolist()


def test_qr():
    for made in (P.Qr(), P.Qr(full_matrices=True)):
        q, r = both_forms(lambda x, made=made: made(x), X)
        np.testing.assert_allclose((q @ r).asnumpy(), X.asnumpy(), rtol=1e-12)
        np.testing.assert_allclose((q.T @ q).asnumpy(), np.eye(2), atol=1e-12)
        assert r.tolist()[1][0] == 0


@pytest.mark.parametrize("nesterov, scale", [(False, 1.0), (True, 0.5)])
def test_apply_momentum(nesterov, scale):
    step = P.ApplyMomentum(nesterov, gradient_scale=scale)
    w, a, g = np.array([1.0, 2.0]), np.array([0.5, -1.0]), np.array([3.0, 4.0])
    expected_a = 0.9 * a + scale * g
    expected = w - 0.1 * (scale * g + 0.9 * expected_a if nesterov else expected_a)
    for run in (step, ms.compile(lambda *args: step(*args))):
        held, moved = ms.Parameter(ms.Tensor(w), name="w"), ms.Parameter(ms.Tensor(a), name="a")
        found = run(held, moved, 0.1, ms.Tensor(g), 0.9)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-14)
        np.testing.assert_allclose(moved.asnumpy(), expected_a, rtol=1e-14)
        assert held.tolist() == found.tolist()


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("as_tensors", [False, True])
def test_adam(nesterov, as_tensors):
    step = P.Adam(use_nesterov=nesterov)
    w, m, v, g = np.array([[1.0, 2.0], [0.5, -1.0], [0.1, 0.2], [3.0, -4.0]])
    next_m, next_v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
    moment = 0.9 * next_m + 0.1 * g if nesterov else next_m
    rate = 0.1 * np.sqrt(1 - 0.99**3) / (1 - 0.9**3)
    expected = w - rate * moment / (np.sqrt(next_v) + 1e-8)
    facts = (0.9**3, 0.99**3, 0.1, 0.9, 0.99, 1e-8)
    given = [ms.Tensor(x, ms.float64) for x in facts] if as_tensors else facts
    for run in (step, ms.compile(lambda *args: step(*args))):
        held = [ms.Parameter(ms.Tensor(x), name=n) for n, x in zip("wmv", (w, m, v), strict=True)]
        found = run(*held, *given, ms.Tensor(g))
        assert plain(found) == tuple(p.tolist() for p in held)
        for one, other in zip(found, (expected, next_m, next_v), strict=True):
            np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-12)


def test_batch_norm_in_training():
    step = P.BatchNorm(is_training=True, momentum=0.3)
    x, one, zero = X.asnumpy(), np.ones(2), np.zeros(2)
    for run in (step, ms.compile(lambda *args: step(*args))):
        mean, variance = (ms.Parameter(ms.Tensor(a), name=f"s{a[0]}") for a in (zero, one))
        found = run(X, ms.Tensor(one), ms.Tensor(zero), mean, variance)
        expected = (x - x.mean(0)) / np.sqrt(x.var(0) + 1e-5)
        for y, other in zip(found, (expected, *[x.mean(0), x.var(0)] * 2), strict=True):
            np.testing.assert_allclose(y.asnumpy(), other, rtol=1e-12)
        np.testing.assert_allclose(mean.asnumpy(), 0.3 * x.mean(0), rtol=1e-12)
        np.testing.assert_allclose(variance.asnumpy(), 0.7 + 0.3 * x.var(0, ddof=1), rtol=1e-12)


DRAWS = {
    "StandardNormal": (P.StandardNormal, ((500,),), ms.float32, (-6, 6)),
    "UniformReal": (P.UniformReal, ((500,),), ms.float32, (0, 1)),
    "UniformInt": (P.UniformInt, ((500,), -3, 4), ms.int32, (-3, 3)),
    "Gamma": (P.Gamma, ((500,), ms.Tensor(2.0), ms.Tensor(1.0)), ms.float32, (0, 30)),
    "Poisson": (P.Poisson, ((500,), ms.Tensor(4.0)), ms.int32, (0, 30)),
    "StandardLaplace": (P.StandardLaplace, ((500,),), ms.float32, (-30, 30)),
}  # fmt: skip


@pytest.mark.parametrize("name", DRAWS)
def test_draws(name):
    kind, args, dtype, (low, high) = DRAWS[name]
    plainly, seeded, other = kind(), kind(seed=5), kind(5, 1)

    def draw() -> Any:
        return plainly(*args), seeded(*args), other(*args), seeded(*args)

    found = []
    for run in (draw, ms.compile(draw)):
        ms.set_seed(3)
        found.append(run())
        for numbers in found[-1]:
            assert numbers.dtype is dtype and numbers.shape == (500,)
            assert low <= numbers.asnumpy().min() and numbers.asnumpy().max() <= high
            assert len(set(numbers.tolist())) > min(6, high - low)
    require_same(*found)
    assert len({str(numbers.tolist()) for numbers in found[0]}) == 4


def test_draws_of_data():
    shuffled = P.RandomShuffle(seed=1)
    certain = ms.Tensor([0.0, 0.0, 1.0])

    def draw(x: Any) -> Any:
        places = P.Multinomial(seed=2, dtype=ms.int64)(certain, 4)
        classes = P.RandomCategorical(ms.int32)(ms.Tensor([[0.0, 500.0]]), 3, 7)
        return shuffled(x), places, classes, P.Bernoulli(seed=3)(x, ms.Tensor(1.0))

    for run in (draw, ms.compile(draw)):
        order, places, classes, ones = run(ms.Tensor(np.arange(50.0)))
        assert sorted(order.tolist()) == list(range(50)) != order.tolist()
        assert places.tolist() == [2] * 4 and places.dtype is ms.int64
        assert classes.tolist() == [[1] * 3] and classes.dtype is ms.int32
        assert ones.tolist() == [1.0] * 50


@pytest.mark.parametrize(
    "kind, shape", [(P.Dropout2D, (30, 20, 2, 3)), (P.Dropout3D, (30, 20, 1, 2, 3))]
)
def test_dropped_channels(kind, shape):
    x = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    y, kept = kind(keep_prob=0.8)(ms.Tensor(x))
    kept = kept.asnumpy()
    assert kept.dtype == bool and 0.7 < kept.mean() < 0.9
    channels = kept.reshape(600, -1)
    assert (channels.all(1) | ~channels.any(1)).all()
    np.testing.assert_allclose(y.asnumpy(), np.where(kept, x / 0.8, 0), rtol=1e-12)


def test_dropout():
    x = np.arange(1.0, 2001.0)
    drop = P.Dropout(0.8, 3, 4)
    found = []
    for run in (drop, ms.compile(lambda x: drop(x))):
        ms.set_seed(0)
        y, mask = run(ms.Tensor(x))
        found.append((y, mask))
        assert mask.dtype is ms.float64 and set(mask.tolist()) == {0.0, 1.0}
        assert 0.75 < mask.asnumpy().mean() < 0.85
        np.testing.assert_allclose(y.asnumpy(), x * mask.asnumpy() / 0.8, rtol=1e-12)
    require_same(*found)
    ms.set_seed(0)
    slope = ms.grad(lambda x: drop(x)[0].sum())(ms.Tensor(x))
    np.testing.assert_allclose(slope.asnumpy(), found[0][1].asnumpy() / 0.8, rtol=1e-12)


def test_print_and_partial(capsys):
    show = P.Print()

    def run(x: Any) -> Any:
        show("x is", x)
        double = P.Partial()(ops.mul, 2.0)
        return ops.Depend()(double(x), ops.print_("end"))

    assert both_forms(run, X).tolist() == (X * 2.0).tolist()
    once = f"x is\n{X}\nend\n"
    assert capsys.readouterr().out == once * 2


def test_documents_say_how_each_is_made_and_called():
    made = [thing for thing in vars(P).values() if getattr(thing, "_settings", ())]
    assert len(made) > 80
    for thing in made:
        text = thing.__doc__ or ""
        assert f"``{thing.__name__}(" in text or text.startswith("An older name of"), thing


def test_errors_are_of_s2sad():
    with pytest.raises(S2sadError) as caught:
        P.MatMul(transpose_c=True)
    place = caught.value.diagnostic.location
    assert place is not None and place.file.endswith("test_objects.py")


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_mirror_images(mode):
    pad, pairs, x = P.MirrorPad(mode=mode), ((1, 1), (1, 2)), np.arange(6.0).reshape(2, 3)
    found = both_forms(lambda x: pad(x, pairs), ms.Tensor(x))
    np.testing.assert_array_equal(found.asnumpy(), np.pad(x, pairs, mode.lower()))
    assert pad(ms.Tensor(x), ms.Tensor(pairs)).tolist() == found.tolist()
    with pytest.raises(S2sadError, match="E0305"):
        ms.compile(lambda x, y: pad(x, y))(X, ms.Tensor(pairs))


@pytest.mark.parametrize("order", [(3, 4, 0, 2, 1), [1, 0], (0,)])
def test_inverse_of_an_order(order):
    found = both_forms(lambda x: (P.InvertPermutation()(order), x), X)[0]
    assert found == tuple(np.argsort(order).tolist())


def test_axes_are_put_back():
    def run(x, order):
        return x.transpose(order).transpose(P.InvertPermutation()(order))

    x = ms.Tensor(np.arange(24.0).reshape(2, 3, 4))
    assert both_forms(lambda x: run(x, (2, 0, 1)), x).tolist() == x.tolist()


@pytest.mark.parametrize(
    ("code", "function"),
    [
        ("E0404", lambda x: P.InvertPermutation()((0, 2))),
        ("E0404", lambda x: P.InvertPermutation()([1, 1])),
        ("E0404", lambda x: P.InvertPermutation()((-1, 0))),
        ("E0303", lambda x: P.InvertPermutation()(())),
        ("E0303", lambda x: P.InvertPermutation()((0.0, 1.0))),
        ("E0303", lambda x: P.InvertPermutation()(x)),
        ("E0303", lambda x: P.LpNorm(None)(x)),
        ("E0303", lambda x: P.LpNorm([])(x)),
        ("E0303", lambda x: P.LpNorm(0, 1.5)(x)),
        ("E0404", lambda x: P.LpNorm(0, -1)(x)),
        ("E0404", lambda x: P.LpNorm(0, epsilon=-1.0)(x)),
        ("E0403", lambda x: P.LpNorm([0, -2])(x)),
        ("E0403", lambda x: P.LpNorm(2)(x)),
        ("E0401", lambda x: P.SquareSumAll()(x, x[0])),
        ("E0304", lambda x: P.SquareSumAll()(x, 1.0)),
        ("E0301", lambda x: P.MulNoNan()(x > 0, x > 0)),
        ("E0304", lambda x: P.MulNoNan()(x, "x")),
        ("E0404", lambda x: P.DepthToSpace(1)(x)),
        ("E0303", lambda x: P.SpaceToDepth(2.0)(x)),
        ("E0401", lambda x: P.DepthToSpace(2)(x)),
        ("E0401", lambda x: P.DepthToSpace(2)(x.reshape(1, 2, 2, 1))),
        ("E0401", lambda x: P.SpaceToDepth(2)(x.reshape(1, 2, 2, 1))),
    ],
)
def test_refused_by_what_measures_and_moves(code, function):
    refused(code, function, X)


def test_edges_of_what_measures():
    zero = ms.Tensor([[0.0, 3.0], [0.0, 4.0]])
    norm = P.LpNorm(0)
    assert both_forms(lambda x: norm(x), zero).tolist() == [np.float32(1e-12).item(), 5.0]
    by_x = ms.grad(lambda x: norm(x))(zero).asnumpy()
    np.testing.assert_allclose(by_x, [[0.0, 0.6], [0.0, 0.8]], rtol=1e-6)
    short = ms.grad(lambda x: P.LpNorm(0, epsilon=9.0)(x))(zero)
    assert short.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    narrow = both_forms(lambda x: P.LpNorm(0)(x), ms.Tensor(np.full(100, 200.0), ms.float16))
    assert (narrow.dtype, narrow.item()) == (ms.float16, 2000.0)  # 200**2 is none of float16
    one, other = both_forms(lambda x: P.SquareSumAll()(x, x), ms.Tensor([3, 4]))
    assert (one.dtype, one.item(), other.item()) == (ms.float32, 25.0, 25.0)


def test_edges_of_a_product_without_nan():
    inf, nan = np.inf, np.nan
    x, y = ms.Tensor([inf, nan, -3.0, 2.0, 0.0]), ms.Tensor([0.0, -0.0, 0.0, nan, inf])
    product = P.MulNoNan()
    found = both_forms(lambda x, y: product(x, y), x, y).asnumpy()
    np.testing.assert_array_equal(found, [0.0, 0.0, 0.0, nan, nan])
    assert not np.signbit(found[:3]).any()
    by_x, by_y = ms.grad(lambda x, y: product(x, y), (0, 1))(x, y)
    np.testing.assert_array_equal(by_x.asnumpy(), [0.0, 0.0, 0.0, nan, inf])
    np.testing.assert_array_equal(by_y.asnumpy(), [0.0, 0.0, -3.0, 2.0, 0.0])
    mixed = both_forms(lambda x: (product(x, 0), product(2, x)), ms.Tensor([1.5, -2.0]))
    assert [each.tolist() for each in mixed] == [[0.0, 0.0], [3.0, -4.0]]
    assert np.signbit(both_forms(lambda x: product(x, 1.0), ms.Tensor(-0.0)).item())


def test_blocks_of_whole_numbers():
    x = ms.Tensor(np.arange(16).reshape(1, 4, 2, 2))
    back = both_forms(lambda x: P.SpaceToDepth(2)(P.DepthToSpace(2)(x)), x)
    assert back.dtype is ms.int64 and back.tolist() == x.tolist()
