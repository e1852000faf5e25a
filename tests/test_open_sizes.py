"""Does one program serve tensors of any size, and is it right for each of them?"""

from __future__ import annotations

import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import Tensor, nn, ops
from s2sad.compiled import Compiled
from s2sad.core.diagnostics import S2sadError

f32, i32 = ms.float32, ms.int32
RNG = np.random.default_rng(7)
SIZES = ((4,), (2,), (300,))
PAIRS = ((2, 5), (3, 4), (5, 40))


@pytest.fixture(params=["numpy", "c"], autouse=True)
def backend(request, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)
    ms.set_context(mode=ms.GRAPH_MODE)
    return request.param


def of(*sizes: int | None, dtype: Any = f32) -> Tensor:
    """What a signature says of a Tensor."""
    return Tensor(shape=list(sizes), dtype=dtype)


def floats(*shape: int) -> Tensor:
    return Tensor(RNG.standard_normal(shape).astype(np.float32))


def below(limit: int, *shape: int) -> Tensor:
    return Tensor(RNG.integers(0, limit, shape).astype(np.int32))


def grad(function: Callable[..., Any], position: Any = 0) -> Any:
    return ms.grad(lambda *args: (function(*args) ** 2).sum(), position)


def attention(x):
    scores = ops.matmul(x, x.transpose(0, 2, 1)) / 4.0
    mask = ops.tril(ops.ones((x.shape[1], x.shape[1]), f32))
    return ops.matmul(ops.softmax(ops.where(mask > 0, scores, -1e9), -1), x)


def halved(x):
    while ops.abs(x).sum() > 1.0:
        x = x * 0.5
    return x


def recurrent(x):
    h = ops.zeros((4,), f32)
    for t in range(x.shape[0]):
        h = ops.tanh(h + x[t])
    return h


def over_rows(x):
    total = ops.zeros((), f32)
    for row in x:
        total = total + (row * row).sum()
    return total


def written(x):
    y = x * 1.0
    y[0] = 5.0
    y[:, 1] += 2.0
    return y


def asked(x):
    n, width = x.shape
    if isinstance(n, int) and n >= 2 and len(x) > 1 and x.shape[1:] == (4,):
        return x.reshape(n * width) * min(n, 1)
    return x


def parity(x):
    if x.shape[0] % 3 == 0 or len(x) > 100:
        return x * 2
    return x * 3


def printed(x):
    print("rows", x.shape[0] / 2)
    return x


def at_sizes(x):
    n = x.shape[0]
    return x[n - 1] * x[n // 2] + x[-n] - x[-(n // 2)] + x[-1, ops.arange(4) % 3].sum()


def parts(x):
    n = x.shape[0]
    halves = x[: n // 2].mean(0) * x[n // 2 :].mean(0) + x[1 - n :].mean(0) - x[: -(n // 2)].mean(0)
    return halves, x[n // 2 : n - 1], x[n - 2 :, 0], x[: n - 1]


def with_steps(x):
    return x[::2].mean(0) * x[1::3].mean(0) + x[:-1:2].mean(0) - x[-1::-2].mean(0)


def written_at_sizes(x):
    n = x.shape[0]
    y = x * 1.0
    y[-1] = 5.0
    y[n // 2] += x[0]
    y[n - 1, 0] = 7.0
    y[-1, ops.arange(2)] *= 2.0
    y[: n // 2, 1] = 0.0
    y[1:n] = x[0]
    return y


def below_zero(x):
    n = x.shape[0]
    k = x.astype(i32) * (3 - n)
    return x * (n - 10), x * -n, x + (5 - 2 * n), k, x * ((n - 9) // 4), x * ((n - 1) * (5 - n))


def counted_down(x):
    n = k = x.shape[0]
    best = n
    while k > 3:
        k = k // 2
        x = x * 1.5
    for i in range(n - 4):
        if x[i].sum() > 0.5:
            best = i
    return x * k + best, x.astype(i32) * best, x * (n if x.sum() > 0 else 3), x * max(x.shape)


def kinds(x):
    n = x.shape[0]
    is_number = isinstance(n, int) and type(n) is int and hasattr(n, "real")
    return x * (2.0 if is_number and not isinstance(n, (bool, float, Tensor)) else 3.0)


class Convolutional(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.norm = nn.BatchNorm2d(8)
        self.pool = nn.MaxPool2d(2, 2)
        self.dense = nn.Dense(8 * 16, 5)

    def construct(self, x):
        return self.dense(ops.flatten(self.pool(ops.relu(self.norm(self.conv(x))))))


rows, labels = of(None, 4), of(None, dtype=i32)
norm, loss, table, gru = (
    nn.LayerNorm((4,)),
    nn.CrossEntropyLoss(),
    nn.Embedding(10, 4),
    nn.GRU(4, 5),
)
net = Convolutional().set_train(False)
images = of(None, 3, 8, 8)


def four(n: int) -> tuple[Tensor]:
    return (floats(n, 4),)


#: A function, its signature, the sizes tried, and arguments of such sizes.
CASES: dict[str, tuple[Any, tuple[Tensor, ...], Any, Any]] = {
    "mean": (lambda x: x.mean(), (rows,), SIZES, four),
    "gradient of a mean": (grad(lambda x: x.mean(0)), (rows,), SIZES, four),
    "a size in arithmetic": (lambda x: x.sum() / x.shape[0] + len(x), (rows,), SIZES, four),
    "a size keeps the dtype": (
        lambda x: x * x.shape[0], (of(None, 3, dtype=i32),), SIZES, lambda n: (below(9, n, 3),)),
    "reshape": (lambda x: x.reshape(x.shape[0], -1, 2).sum(1), (rows,), SIZES, four),
    "view": (lambda x: x.view(-1, 2) * 2, (rows,), SIZES, four),
    "slices": (lambda x: x[1:] - x[:-1], (rows,), SIZES, four),
    "gradient of slices": (grad(lambda x: x[1:] * x[:-1]), (rows,), SIZES, four),
    "rows at both ends": (lambda x: x[0] + x[-1], (rows,), SIZES, four),
    "softmax": (grad(lambda x: ops.softmax(x, 0) * x), (rows,), SIZES, four),
    "tensors made": (
        lambda x: ops.zeros((x.shape[0], 4), f32) + x + ops.full((len(x), 1), 2.0),
        (rows,), SIZES, four),
    "two sizes": (
        grad(lambda x, y: ops.cat((x, y), 0), (0, 1)), (rows, rows), PAIRS,
        lambda n, m: (floats(n, 4), floats(m, 4))),
    "convolution": (lambda x: net(x), (images,), SIZES[:2], lambda n: (floats(n, 3, 8, 8),)),
    "gradient of a convolution": (
        grad(lambda x: net(x)), (images,), SIZES[:2], lambda n: (floats(n, 3, 8, 8),)),
    "images of any size": (
        lambda x: ops.relu(net.conv(x)).mean((2, 3)), (of(2, 3, None, None),),
        ((8, 9), (9, 7), (16, 5)), lambda h, w: (floats(2, 3, h, w),)),
    "attention": (attention, (of(None, None, 16),), PAIRS, lambda n, m: (floats(n, m, 16),)),
    "gradient of attention": (
        grad(attention), (of(None, None, 16),), PAIRS, lambda n, m: (floats(n, m, 16),)),
    "layer norm": (grad(lambda x: norm(x)), (rows,), SIZES, four),
    "cross entropy": (
        ms.grad(lambda x, y: loss(x, y)), (rows, labels), SIZES,
        lambda n: (floats(n, 4), below(4, n))),
    "embedding": (
        lambda i: table(i), (of(None, None, dtype=i32),), PAIRS, lambda n, m: (below(10, n, m),)),
    "while": (grad(halved), (of(None),), SIZES, lambda n: (floats(n),)),
    "for over a size": (recurrent, (rows,), SIZES, four),
    "gradient of for over a size": (grad(recurrent), (rows,), SIZES, four),
    "for over rows": (over_rows, (rows,), SIZES, four),
    "a recurrent layer": (
        lambda x: gru(x)[0], (of(None, None, 4),), PAIRS, lambda n, m: (floats(n, m, 4),)),
    "arange": (lambda x: ops.arange(len(x)) * 2, (rows,), SIZES, four),
    "what all sizes answer alike": (asked, (rows,), SIZES, four),
    "statistics": (lambda x: (x.var(0), x.std(), x.max(), x.argmax(0)), (rows,), SIZES, four),
    "scans and sorts": (
        lambda x: (ops.cumsum(x, 0), ops.sort(x, 0)[0], ops.topk(x, 2)[0]), (rows,), SIZES, four),
    "gather": (
        lambda x, i: ops.gather(x, i, 0), (rows, labels), PAIRS,
        lambda n, m: (floats(n, 4), below(n, m))),
    "written items": (written, (rows,), SIZES, four),
    "gradient of written items": (grad(written), (rows,), SIZES, four),
    "rearranged": (
        lambda x: (ops.roll(x, 1, 0), ops.flip(x, (0,)), ops.tile(x, (2, 1)), ops.stack((x, x), 1)),
        (rows,), SIZES, four),
    "sizes among floats": (
        lambda x: x * (1.0 / x.shape[0]) + x.shape[0] ** 0.5 - len(x) / 2, (rows,), SIZES, four),
    "a branch on a size": (parity, (rows,), SIZES, four),
    "a size in a text": (printed, (rows,), SIZES, four),
    "indices by a size": (at_sizes, (rows,), SIZES, four),
    "gradient of indices by a size": (grad(at_sizes), (rows,), SIZES, four),
    "parts by a size": (parts, (rows,), SIZES, four),
    "gradient of parts by a size": (grad(lambda x: parts(x)[0]), (rows,), SIZES, four),
    "gradient of parts with steps": (grad(with_steps), (rows,), SIZES, four),
    "items written by a size": (written_at_sizes, (rows,), SIZES, four),
    "gradient of items written by a size": (grad(written_at_sizes), (rows,), SIZES, four),
    "numbers below zero": (below_zero, (rows,), SIZES, four),
    "a size that loops and branches change": (counted_down, (rows,), SIZES, four),
    "a size is an int": (kinds, (rows,), SIZES, four),
    "einsum": (grad(lambda x: ops.einsum("ni,nj->ij", x, x)), (rows,), SIZES, four),
}  # fmt: skip


#: Where something is empty, or a single row, for 2 rows: there the text is another.
VARIED = ("parts by a size", "a size that loops and branches change")


def same(one: Any, other: Any) -> None:
    """Both hold tensors of one dtype and shape, and of numbers that differ by rounding."""
    if isinstance(one, tuple):
        for a, b in zip(one, other, strict=True):
            same(a, b)
        return
    assert one.dtype is other.dtype and one.shape == other.shape
    np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-5, atol=2e-5)


def programs(compiled: Compiled) -> int:
    """How many programs for any sizes there are; none may be closed."""
    assert not compiled._open[False, None]._closed
    return sum(map(len, compiled._open[False, None]._known.values()))


@pytest.mark.parametrize("name", CASES)
def test_it_computes_what_a_program_for_one_size_does(name, backend, monkeypatch):
    function, signature, sizes, arguments = CASES[name]
    anything = Compiled(function)
    anything.opening = ms.compile(lambda x: x, input_signature=signature).opening
    alone = Compiled(function)
    libraries = set()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in sizes:
            args = arguments(*n)
            found = anything(*args)
            libraries.add(anything.last.executable.source)  # type: ignore[union-attr]
            with monkeypatch.context() as other:
                other.setenv("S2SAD_BACKEND", "numpy")
                same(found, alone(*args))
    assert programs(anything) == 1
    if backend == "c" and len(sizes[0]) == 1 and "gradient" not in name and name not in VARIED:
        assert len(libraries) <= 2  # some loops over many rows go by blocks


def square(x):
    return (x * x).mean(0)


def test_the_numbers_are_those_of_numpy():
    compiled = ms.compile(square, input_signature=rows)
    for n in (2, 5, 64):
        x = floats(n, 4)
        expected = (x.asnumpy().astype(np.float64) ** 2).mean(0)
        np.testing.assert_allclose(compiled(x).asnumpy(), expected, rtol=1e-5)
    assert programs(compiled) == 1


def test_small_sizes_have_programs_of_their_own():
    compiled = ms.compile(lambda x, y: x + y, input_signature=(rows, rows))
    for n, m in ((3, 1), (1, 3), (1, 1), (0, 0), (0, 1), (3, 3), (5, 5)):
        x, y = floats(n, 4), floats(m, 4)
        np.testing.assert_array_equal(compiled(x, y).asnumpy(), x.asnumpy() + y.asnumpy())
    with pytest.raises(S2sadError, match=r"\[E0401\].*do not broadcast"):
        compiled(floats(3, 4), floats(2, 4))


def test_axes_of_one_length_are_one_symbol_until_a_call_differs():
    compiled = ms.compile(lambda x, y: (x * 2, y), input_signature=(rows, rows))
    compiled(floats(3, 4), floats(3, 4))
    compiled(floats(5, 4), floats(5, 4))
    assert programs(compiled) == 1
    compiled(floats(5, 4), floats(6, 4))
    compiled(floats(7, 4), floats(6, 4))
    assert programs(compiled) == 2


def cut(x):
    return x[:2] if x.shape[0] > 4 else x


def looked_up(x):
    return x * {4: 2.0, 5: 3.0}.get(x.shape[0], 1.0)


def shown(x):
    return {f"rows: {x.shape[0]}": x}


def counted(x):
    return x, x.shape[0]


def keyed(x):
    return x * len({x.shape[0]: 1, 4: 2}) + len({n: n for n in (x.shape[0], 5)})


def half_as_many(x):
    return x, x.shape[0] / 2, max(x.shape)


def tallied(x):
    return x * len(Counter(x.shape))


@pytest.mark.parametrize("function", [cut, looked_up, shown, counted, keyed, half_as_many, tallied])
def test_what_differs_between_sizes_is_compiled_for_each_and_said(function):
    compiled = ms.compile(function, input_signature=rows)
    plain = Compiled(function)
    with pytest.warns(UserWarning, match="is compiled for each size by itself"):
        first = compiled(four(4)[0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (4, 5, 6):
            x = floats(n, 4)
            one, other = compiled(x), plain(x)
            assert repr(one) == repr(other)
    assert repr(first) is not None


def described(x):
    n = x.shape[0]
    print(n, x.shape, f"{n:03d} of {x.shape}", str(n), x.shape[1:])
    assert x.sum() < 1e5, f"{n} rows: {x.shape}"
    return x * (n & 1) + ~n, x.astype(i32) * 2**n


def test_texts_show_sizes(capsys):
    compiled = ms.compile(described, input_signature=rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in (2, 5, 9):
            given = Tensor(np.ones((n, 4), np.float32))
            one, other = compiled(given)
            assert capsys.readouterr().out == f"{n} ({n}, 4) {n:03d} of ({n}, 4) {n} (4,)\n"
            assert one.tolist() == [[float((n & 1) + ~n)] * 4] * n
            assert other.dtype is i32 and other.tolist() == [[2**n] * 4] * n
        with pytest.raises(AssertionError, match=r"^3 rows: \(3, 4\)"):
            compiled(Tensor(np.full((3, 4), 1e5, np.float32)))
    assert programs(compiled) == 1


def test_numbers_that_are_data_stand_in_a_signature():
    compiled = ms.compile(lambda x, n: x * n + len(x), input_signature=(rows, ms.mutable(2)))
    for count, n in ((2, 3), (5, 1), (3, -4)):
        x = floats(count, 4)
        np.testing.assert_array_equal(compiled(x, ms.mutable(n)).asnumpy(), x.asnumpy() * n + count)
    assert programs(compiled) == 1


def test_calls_must_fit_the_signature():
    compiled = ms.compile(square, input_signature=rows)
    for wrong, code in (
        ((floats(3, 5),), "E0401"), ((floats(3),), "E0401"), ((below(3, 2, 4),), "E0301"),
    ):  # fmt: skip
        with pytest.raises(S2sadError, match=rf"\[{code}\].*the signature says"):
            compiled(*wrong)
    with pytest.raises(S2sadError, match=r"\[E0302\].*the signature has 1 Tensor"):
        ms.compile(lambda x, y: x, input_signature=rows)(floats(2, 4), floats(2, 4))


def test_inputs_of_a_cell():
    cell = ms.compile(Convolutional())
    cell = cell.function.set_train(False)
    cell.set_inputs(images)
    assert cell.get_inputs() == (images,)
    for n in (2, 3, 5):
        assert cell(floats(n, 3, 8, 8)).shape == (n, 5)
    assert programs(cell._compiled) == 1
    with pytest.raises(S2sadError, match=r"\[E0302\]"):
        cell.set_inputs(images, images)


def test_a_class_and_a_method_take_a_signature():
    @ms.compile(input_signature=rows)
    class Twice(nn.Cell):
        def construct(self, x):
            return x * 2

    class Holder:
        @ms.compile(input_signature=rows)
        def thrice(self, x):
            return x * 3

    cell, holder = Twice(), Holder()
    for n in (2, 3, 4):
        assert cell(floats(n, 4)).shape == holder.thrice(floats(n, 4)).shape == (n, 4)
    assert programs(cell.compiled) == programs(holder.thrice) == 1  # type: ignore[attr-defined]


def test_sizes_that_turn_out_to_differ():
    compiled = ms.compile(square, dynamic=1)
    for n in (3, 3, 5, 6, 7):
        x = floats(n, 4)
        same(compiled(x), Tensor((x.asnumpy() ** 2).mean(0)))
    assert programs(compiled) == 1 and len(compiled.variants) == 4
    known = repr([*compiled._open[False, None]._known])
    assert "'n0'" in known and "'4'" in known


def test_parameters_are_trained_by_batches_of_any_size():
    def trained(**options: Any) -> np.ndarray:
        ms.set_seed(3)
        layer = nn.Dense(4, 3)
        optimizer = nn.Adam(layer.trainable_params(), 0.1)
        gradient = ms.value_and_grad(
            lambda x, y: loss(layer(x), y), None, layer.trainable_params()
        )  # fmt: skip

        def step(x, y):
            value, gradients = gradient(x, y)
            optimizer(gradients)
            return value

        compiled = ms.compile(step, **options)
        generator = np.random.default_rng(0)
        for n in (8, 8, 5, 3, 8, 2):
            x = Tensor(generator.standard_normal((n, 4)).astype(np.float32))
            compiled(x, Tensor(generator.integers(0, 3, n).astype(np.int32)))
        return layer.weight.asnumpy()

    np.testing.assert_allclose(
        trained(input_signature=(rows, labels)), trained(), rtol=1e-5, atol=1e-6
    )  # fmt: skip


def test_stages_show_numbers_and_the_guards_hold(tmp_path):
    factor = 2.0
    compiled = ms.compile(lambda x: x.mean(0) * factor, input_signature=rows)
    compiled(floats(3, 4))
    compiled(floats(6, 4))
    paths = compiled.dump(tmp_path, floats(6, 4))
    assert "f32[6, 4]" in paths[0].read_text() and "n0" not in paths[0].read_text()
    for path in paths:
        subprocess.run([sys.executable, str(path)], check=True, capture_output=True)
    before = compiled(Tensor(np.ones((6, 4), np.float32))).asnumpy()
    factor = 3.0
    after = compiled(Tensor(np.ones((6, 4), np.float32))).asnumpy()
    np.testing.assert_array_equal(before * 1.5, after)
    assert sum(map(len, compiled._open[False, None]._known.values())) == 2


def test_a_placeholder_is_no_data():
    assert rows.shape == (-1, 4) and repr(rows) == "Tensor(shape=[None, 4], dtype=Float32)"
    with pytest.raises(S2sadError, match=r"\[E0304\].*has no elements"):
        rows + 1
    with pytest.raises(S2sadError, match=r"\[E0304\].*has no elements"):
        Compiled(square)(rows)
    for wrong, code in (([-1, 2], "E0404"), ([2.5], "E0303"), ([True], "E0303")):
        with pytest.raises(S2sadError, match=rf"\[{code}\]"):
            Tensor(shape=wrong, dtype=f32)
    with pytest.raises(S2sadError, match=r"\[E0302\].*needs a dtype"):
        Tensor(shape=[None, 2])
