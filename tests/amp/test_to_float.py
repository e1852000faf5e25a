"""Does a Cell compute in the precision that it was told, and nothing around it?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from tests.support.forms import both_forms, require_same

RNG = np.random.default_rng(7)
X = RNG.normal(size=(4, 3)).astype(np.float32)


def dense(seed: int = 1) -> nn.Dense:
    ms.set_seed(seed)
    return nn.Dense(3, 2)


def dense_in_half(x, net):
    """What float16 gives: operands rounded, the product accumulated wide and rounded once."""
    x, w, b = (a.astype(np.float16) for a in (x, net.weight.asnumpy(), net.bias.asnumpy()))
    product = (x.astype(np.float32) @ w.astype(np.float32).T).astype(np.float16)
    return product + b


def test_inputs_and_parameters_are_cast_and_the_result_stays():
    net = dense().to_float(ms.float16)
    out = both_forms(net, ms.Tensor(X))
    assert out.dtype is ms.float16 and net.weight.dtype is ms.float32
    np.testing.assert_array_equal(out.asnumpy(), dense_in_half(X, net))


def test_each_operation_rounds():
    class Chain(nn.Cell):
        def construct(self, x):
            return (x + 1.0) * 3.0 - x

    x = RNG.normal(size=64).astype(np.float32)
    out = both_forms(Chain().to_float(ms.float16), ms.Tensor(x))
    half = x.astype(np.float16)
    one, three = np.float16(1), np.float16(3)
    np.testing.assert_array_equal(out.asnumpy(), (half + one) * three - half)


def test_the_casts_stand_in_the_program_with_their_cells():
    net = nn.SequentialCell(dense().to_float(ms.float16), nn.ReLU())
    compiled = ms.compile(net)
    compiled(ms.Tensor(X))
    found = [
        (op.operands[0].name, op.result.dtype.short, op.scope)
        for op in compiled.stages["primal"].walk() if op.prim.name == "cast"
    ]  # fmt: skip
    scope = "SequentialCell/0:Dense"
    assert found == [
        (name, "f16", scope) for name in ("input_data", "0_weight", "0_bias")
    ]  # fmt: skip


def test_gradients_have_the_dtype_of_what_they_are_of():
    net = dense().to_float(ms.float16)

    def loss(x):
        return ops.sum(net(x).astype(ms.float32))

    step = ms.value_and_grad(loss, 0, net.trainable_params())
    (value, (dx, (dw, db))), compiled = step(ms.Tensor(X)), ms.compile(step)(ms.Tensor(X))
    assert {t.dtype for t in (value, dx, dw, db)} == {ms.float32}
    require_same(compiled, (value, (dx, (dw, db))))
    half = net.weight.asnumpy().astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(db.asnumpy(), [4.0, 4.0])
    expected = half.sum(0).astype(np.float16).astype(np.float32)
    np.testing.assert_array_equal(dx.asnumpy(), np.tile(expected, (4, 1)))
    wide = X.astype(np.float16).astype(np.float32).sum(0).astype(np.float16)
    np.testing.assert_array_equal(dw.asnumpy(), np.tile(wide.astype(np.float32), (2, 1)))


def test_forward_mode_and_pullbacks():
    net = dense().to_float(ms.float16)
    x, direction = ms.Tensor(X), ms.Tensor(np.ones_like(X))
    out, tangent = ms.jvp(net, x, direction)
    assert out.dtype is tangent.dtype is ms.float16
    out, pull = ms.vjp(net, x)
    (gradient, *_) = pull(ops.ones_like(out))
    assert out.dtype is ms.float16 and gradient.dtype is ms.float32


def test_the_inner_one_decides():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = dense()

        def construct(self, x):
            y = self.inner(x * 2.0)
            return y, x

    net = Outer().to_float(ms.float16)
    net.inner.to_float(ms.float32)
    y, x = both_forms(net, ms.Tensor(X))
    assert (y.dtype, x.dtype) == (ms.float32, ms.float16)
    net.inner.to_float(ms.bfloat16)
    y, x = both_forms(net, ms.Tensor(X))
    assert (y.dtype, x.dtype) == (ms.bfloat16, ms.float16)


def test_a_cell_that_comes_later_has_no_mark():
    net = nn.SequentialCell(dense()).to_float(ms.float16)
    net.append(nn.Dense(2, 2))
    assert both_forms(net, ms.Tensor(X)).dtype is ms.float32  # where float16 and float32 meet


def test_a_shared_cell_and_shared_parameters():
    class Tied(nn.Cell):
        def __init__(self):
            super().__init__()
            self.down = nn.Dense(3, 3, has_bias=False)

        def construct(self, x):
            return ops.matmul(self.down(self.down(x)), self.down.weight)

    net = Tied().to_float(ms.float16)
    assert both_forms(net, ms.Tensor(X)).dtype is ms.float16
    (gradient,) = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())(ms.Tensor(X))
    assert gradient.dtype is ms.float32 and np.isfinite(gradient.asnumpy()).all()


def test_containers_and_named_arguments():
    class Pair(nn.Cell):
        def construct(self, pair, *, scale, count=2):
            x, y = pair["x"], pair["rest"][0]
            assert isinstance(count, int)
            return x * scale, y

    net = Pair().to_float(ms.bfloat16)
    x, y, scale = ms.Tensor([1.0]), ms.Tensor([1, 2]), ms.Tensor(2.0, ms.float64)

    def run(x, y, scale):
        return net({"x": x, "rest": (y,)}, scale=scale)

    out, rest = both_forms(run, x, y, scale)
    assert (out.dtype, rest.dtype) == (ms.bfloat16, ms.int64)


class Written(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0, 1.0 / 3]), name="w")
        self.count = ms.Parameter(ms.Tensor([4096.0]), name="count")
        self.pair = ms.ParameterTuple(
            [ms.Parameter(ms.Tensor([1.0 / 3]), name="a"), ms.Parameter(ms.Tensor([1]), name="b")]
        )

    def construct(self, x):
        assert self.w.shape == (2,) and self.w.dtype == ms.float16 and self.w.name == "w"
        before = self.w.value()
        self.w[0] = x[0]
        ops.assign_add(self.count, 1.0)
        dtypes = [each.dtype for each in self.pair]
        assert dtypes == [ms.float16, ms.int64]
        return before, self.w * 1.0, self.pair[0] * 3.0


def test_writes_go_to_what_is_stored():
    results = []
    for is_compiled in (False, True):
        net = Written().to_float(ms.float16)
        run = ms.compile(net) if is_compiled else net
        results.append((run(ms.Tensor([5.0, 6.0])), net.w, net.count))
    (out, w, count), (other, *_) = results
    require_same(out, other)
    third = np.float32(1 / 3)
    for _, w, count in results:
        np.testing.assert_array_equal(w.asnumpy(), [5.0, third])  # the second was not rounded
        np.testing.assert_array_equal(count.asnumpy(), [4097.0])  # nor was the sum, in float32
    np.testing.assert_array_equal(out[0].asnumpy(), np.float16([1.0, third]))
    np.testing.assert_array_equal(out[2].asnumpy(), np.float16(third) * np.float16([3]))


def test_statistics_stay_wide():
    x = RNG.normal(size=(8, 3)).astype(np.float32)
    results = []
    for is_compiled in (False, True):
        net = nn.BatchNorm1d(3, momentum=0.999).to_float(ms.float16).set_train()
        run = ms.compile(net) if is_compiled else net
        out = [run(ms.Tensor(x)) for _ in range(3)][-1]
        results.append((out, net.moving_mean.asnumpy()))
        assert out.dtype is ms.float16
    np.testing.assert_array_equal(*(mean for _, mean in results))
    expected, mean = np.zeros(3, np.float32), x.astype(np.float16).astype(np.float32).mean(0)
    for _ in range(3):
        expected = expected * np.float32(0.999) + mean * np.float32(0.001)
    np.testing.assert_allclose(results[0][1], expected, rtol=1e-5)


def test_a_cell_with_a_gradient_of_its_own():
    class Tripled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(ms.Tensor([1.0 / 3]), name="w")

        def construct(self, x):
            return x * self.w

        def bprop(self, x, out, dout):  # noqa: ARG002
            return (dout * self.w * 3.0,)

    net = Tripled().to_float(ms.float16)
    gradient = both_forms(ms.grad(lambda x: net(x).sum()), ms.Tensor([1.0]))
    assert gradient.dtype is ms.float32
    assert gradient.item() == float(np.float16(1 / 3) * np.float16(3))


def test_another_precision_is_another_program():
    net = dense()
    compiled = ms.compile(net)
    dtypes = []
    for dtype in (None, ms.float16, ms.bfloat16):
        if dtype is not None:
            net.to_float(dtype)
        dtypes.append(compiled(ms.Tensor(X)).dtype)
    assert dtypes == [ms.float32, ms.float16, ms.bfloat16] and len(compiled.variants) == 3


def test_nothing_is_left_behind_when_a_construct_fails():
    class Failing(nn.Cell):
        def construct(self, x):
            raise KeyError("mine")

    net = dense()
    with pytest.raises(KeyError):
        Failing().to_float(ms.float16)(ms.Tensor(X))
    assert net(ms.Tensor(X)).dtype is ms.float32 and type(net.weight) is ms.Parameter


@ms.compile
class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0 / 3]), name="w")

    def construct(self, x):
        return x * self.w


class Around(nn.Cell):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.v = ms.Parameter(ms.Tensor([1.0 / 7]), name="v")

    @ms.compile
    def apart(self, x):
        return x * self.v

    def beside(self, x):
        return x * self.v

    def construct(self, x):
        return self.inner(x), self.apart(x), self.beside(x)


def test_what_is_compiled_by_itself():
    net = Around(Inner())
    net.to_float(ms.float16)
    for _ in range(3):
        out = both_forms(net, ms.Tensor([1.0]))
    assert [t.dtype for t in out] == [ms.float16, ms.float32, ms.float16]
    net.inner.mark_precision(None)
    out = both_forms(net, ms.Tensor([1.0]))
    assert [t.dtype for t in out] == [ms.float32, ms.float32, ms.float16]
    assert out[0].item() == float(np.float32(1 / 3))


def test_compiled_cells_in_eager_ones_are_compiled_once():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = Around(Inner())
    net.to_float(ms.float16)
    for _ in range(4):
        net(ms.Tensor([1.0]))
    assert len(ms.compile(net.inner).variants) == len(net.apart.variants) == 1


def test_recurrent_layers():
    net = nn.LSTM(3, 4, num_layers=2).to_float(ms.float16)
    x = ms.Tensor(RNG.normal(size=(5, 2, 3)).astype(np.float32))
    state = ops.zeros((2, 2, 4), ms.float32)

    def run(x, state):
        out, (h, c) = net(x, (state, state))
        return out, h, c

    assert {t.dtype for t in both_forms(run, x, state)} == {ms.float16}
