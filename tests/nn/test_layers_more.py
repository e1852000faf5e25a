"""Do the rarer layers compute what their formulas say?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import signal

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, check_gradients, check_second_gradients, refused

RNG = np.random.default_rng(0)


def close(found, expected, rtol=1e-12):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=1e-14)


# ---- dense maps and tables ------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(), (4,), (2, 3)])
def test_bilinear(shape):
    net = nn.BiDense(3, 2, 5, dtype=ms.float64)
    one, other = RNG.normal(size=(*shape, 3)), RNG.normal(size=(*shape, 2))
    expected = np.einsum("...i,oij,...j->...o", one, net.weight.asnumpy(), other)
    expected = expected + net.bias.asnumpy()
    close(both_forms(lambda x, y: net(x, y), ms.Tensor(one), ms.Tensor(other)), expected)


def test_bilinear_parameters_and_gradients():
    net = nn.BiDense(4, 2, 3, dtype=ms.float64)
    assert {p.name: p.shape for p in net.get_parameters()} == {"weight": (3, 4, 2), "bias": (3,)}
    assert np.abs(net.weight.asnumpy()).max() <= 0.5 and np.abs(net.bias.asnumpy()).max() <= 0.5
    assert nn.BiDense(4, 2, 3, has_bias=False).bias is None
    one, other = RNG.normal(size=(2, 4)), RNG.normal(size=(2, 2))
    check_gradients(net, one, other)
    check_second_gradients(lambda x, y: ops.sum(ops.square(net(x, y))), one, other, rtol=1e-5)
    refused("E0401", lambda x, y: net(x, y), ms.Tensor(one), ms.Tensor(one))


def test_lookup():
    net = nn.EmbeddingLookup(5, 3, max_norm=1.0, dtype=ms.float64)
    table = RNG.normal(size=(5, 3))
    table[2] = 0.0
    net.embedding_table.set_data(ms.Tensor(table))
    rows = np.array([[0, 2], [4, 0]])
    length = np.linalg.norm(table, axis=1, keepdims=True)
    expected = table * np.where(length > 1, 1 / np.maximum(length, 1), 1)
    close(both_forms(lambda i: net(i), ms.Tensor(rows)), expected[rows])
    step = ms.value_and_grad(lambda i: ops.sum(net(i)), None, net.trainable_params())
    (gradient,) = step(ms.Tensor(rows))[1]
    assert np.isfinite(gradient.asnumpy()).all() and gradient.asnumpy()[2].tolist() == [1, 1, 1]
    assert [p.name for p in net.get_parameters()] == ["embedding_table"]
    plain = nn.EmbeddingLookup(5, 3, "ones", target="DEVICE", sparse=False)
    assert plain(ms.Tensor([1])).tolist() == [[1, 1, 1]]


def test_the_padding_row_is_trained_as_in_mindspore():
    net = nn.Embedding(4, 2, padding_idx=1)
    assert net.embedding_table.asnumpy()[1].tolist() == [0, 0]
    step = ms.value_and_grad(lambda i: ops.sum(net(i)), None, net.trainable_params())
    (gradient,) = step(ms.Tensor([1, 1, 2]))[1]
    assert gradient.tolist() == [[0, 0], [2, 2], [1, 1], [0, 0]]


# ---- normalisation --------------------------------------------------------------------------


def test_one_device_has_all_batches():
    x = ms.Tensor(RNG.normal(size=(4, 3, 2, 2)))
    one, other = (kind(3, dtype=ms.float64) for kind in (nn.SyncBatchNorm, nn.BatchNorm2d))
    for net in (one, other):
        net.set_train()
    assert np.array_equal(one(x).asnumpy(), other(x).asnumpy())
    assert np.array_equal(one.moving_variance.asnumpy(), other.moving_variance.asnumpy())
    assert nn.SyncBatchNorm(3, process_groups=[[0]])(ops.ones((2, 3))).shape == (2, 3)


# ---- pools ----------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("is_batched", [True, False])
def test_pools_are_undone(rank, is_batched):
    pool = (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)[rank - 1]
    undo = (nn.MaxUnpool1d, nn.MaxUnpool2d, nn.MaxUnpool3d)[rank - 1]
    shape = ((2, 3) if is_batched else (3,)) + (5, 4, 6)[:rank]
    x = RNG.normal(size=shape)
    if rank == 1 and not is_batched:
        shape, x = (1, *shape), x[None]
    pool = pool(2, 2, "pad", return_indices=True)

    def run(x):
        largest, places = pool(x)
        return undo(2)(largest, places, output_size=x.shape)

    found = both_forms(run, ms.Tensor(x))
    largest = pool(ms.Tensor(x))[0].asnumpy()
    close(found, np.where(np.isin(x, largest), x, 0))
    check_gradients(run, x)


def test_sizes_of_what_is_undone():
    x, places = ms.Tensor([[[[1.0]]]]), ms.Tensor([[[[2]]]])
    assert nn.MaxUnpool2d(2)(x, places).tolist() == [[[[0, 0], [1, 0]]]]
    assert nn.MaxUnpool2d(2)(x, places, (1, 1, 3, 2)).shape == (1, 1, 3, 2)
    assert nn.MaxUnpool2d(3, 2, 1)(x, places, (2, 2)).shape == (1, 1, 2, 2)
    refused("E0404", lambda x, i: nn.MaxUnpool2d(2)(x, i, (4, 4)), x, places)
    refused("E0301", lambda x, i: nn.MaxUnpool2d(2)(x, i), x, x)
    refused("E0401", lambda x, i: nn.MaxUnpool2d(2)(x, i[0]), x, places)
    refused("E0401", lambda x, i: nn.MaxUnpool3d(2)(x[0], i[0]), x, places)
    with pytest.raises(S2sadError, match="E0501"):
        nn.MaxUnpool2d(2)(x, places + 7)


@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
def test_power_means(power):
    x = RNG.random((2, 3, 6, 8))
    windows = np.lib.stride_tricks.sliding_window_view(x, (2, 4), (2, 3))[:, :, ::2, ::4]
    expected = (windows**power).sum((-1, -2)) ** (1 / power)
    net = nn.LPPool2d(power, (2, 4))
    close(both_forms(lambda x: net(x), ms.Tensor(x)), expected)
    line = nn.LPPool1d(power, 3, 2)
    windows = np.lib.stride_tricks.sliding_window_view(x[0], 3, 2)[:, :, ::2]
    close(both_forms(lambda x: line(x), ms.Tensor(x[0])), (windows**power).sum(-1) ** (1 / power))
    check_gradients(line, x[0, :, :2])


def test_power_means_beyond_the_edge():
    x = ms.Tensor([[[3.0, 4.0, 5.0]]])
    # The last window holds 5 alone, and counts as if it were two of it.
    close(nn.LPPool1d(2, 2, ceil_mode=True)(x), [[[5.0, np.sqrt(50)]]], rtol=1e-6)


def test_largest_of_volumes():
    x = RNG.normal(size=(2, 3, 4, 5, 6))
    found, places = both_forms(lambda x: nn.AdaptiveMaxPool3d((2, 1, 3), True)(x), ms.Tensor(x))
    parts = x.reshape(2, 3, 2, 2, 1, 5, 3, 2)
    close(found, parts.max((3, 5, 7)))
    picked = np.take_along_axis(x.reshape(2, 3, -1), places.asnumpy().reshape(2, 3, -1), 2)
    assert np.array_equal(picked.reshape(found.shape), found.asnumpy())
    check_gradients(nn.AdaptiveMaxPool3d((2, 1, 3)), x[:1, :1])


@pytest.mark.parametrize("kind", [nn.ReflectionPad3d, nn.ReplicationPad3d])
def test_frames_of_volumes(kind):
    x = RNG.normal(size=(2, 3, 3, 4, 5))
    mode = "reflect" if kind is nn.ReflectionPad3d else "edge"
    expected = np.pad(x, ((0, 0), (0, 0), (0, 1), (2, 1), (1, 2)), mode)
    net = kind((1, 2, 2, 1, 0, 1))
    close(both_forms(lambda x: net(x), ms.Tensor(x)), expected)
    check_gradients(net, x[:1, :1])


# ---- sequences ------------------------------------------------------------------------------


def spelled(path, blank):
    """What a path says: runs of a class made one, then blanks left out."""
    runs = [c for i, c in enumerate(path) if i == 0 or c != path[i - 1]]
    return [c for c in runs if c != blank]


def test_paths_that_spell_labels():
    steps, blank = 4, 1
    chances = RNG.dirichlet(np.ones(3), (steps, 2))
    labels, lengths = [[0, 2], [2, 2]], (4, 3)
    expected = []
    for n in range(2):
        paths = itertools.product(range(3), repeat=lengths[n])
        right = [path for path in paths if spelled(path, blank) == labels[n]]
        total = sum(np.prod([chances[t, n, c] for t, c in enumerate(path)]) for path in right)
        expected.append(-np.log(total))
    given = (ms.Tensor(labels), ms.Tensor(lengths), ms.Tensor([2, 2]))
    logs = ms.Tensor(np.log(chances))
    net = nn.CTCLoss(blank, "none")
    close(both_forms(lambda x: net(x, *given), logs), expected)
    close(nn.CTCLoss(blank, "sum")(logs, *given), np.sum(expected))
    close(nn.CTCLoss(blank)(logs, *given), np.mean(expected) / 2)


# ---- images ---------------------------------------------------------------------------------


def bell(size=11, sigma=1.5):
    places = np.arange(size) - (size - 1) / 2
    line = np.exp(-(places**2) / (2 * sigma**2))
    return np.outer(line, line) / line.sum() ** 2


def similar(x, y, window, c1=1e-4, c2=9e-4):
    def smooth(z):
        return signal.correlate2d(z, window, "valid")

    mx, my = smooth(x), smooth(y)
    sx, sy, sxy = smooth(x * x) - mx**2, smooth(y * y) - my**2, smooth(x * y) - mx * my
    contrast = (2 * sxy + c2) / (sx + sy + c2)
    return np.mean((2 * mx * my + c1) / (mx**2 + my**2 + c1) * contrast), np.mean(contrast)


def test_similarity():
    x = RNG.random((2, 3, 14, 13))
    y = x + 0.1 * RNG.normal(size=x.shape)
    expected = [
        np.mean([similar(a, b, bell())[0] for a, b in zip(*pair, strict=True)])
        for pair in zip(x, y, strict=True)
    ]
    close(both_forms(lambda x, y: nn.SSIM()(x, y), ms.Tensor(x), ms.Tensor(y)), expected, 1e-9)
    small = nn.SSIM(filter_size=2)
    check_gradients(small, x[:1, :1, :3, :3], y[:1, :1, :3, :3], rtol=1e-5, atol=1e-6)


def test_similarity_of_scales():
    x = RNG.random((1, 1, 12, 12))
    y = x + 0.1 * RNG.normal(size=x.shape)
    half = [z.reshape(6, 2, 6, 2).mean((1, 3)) for z in (x[0, 0], y[0, 0])]
    first = similar(x[0, 0], y[0, 0], bell(3))[1]
    expected = first**0.25 * similar(*half, bell(3))[0] ** 0.75
    net = nn.MSSSIM(power_factors=(0.25, 0.75), filter_size=3)
    close(both_forms(lambda x, y: net(x, y), ms.Tensor(x), ms.Tensor(y)), [expected], 1e-9)
    assert nn.MSSSIM()(ops.ones((1, 1, 176, 176)), ops.ones((1, 1, 176, 176))).item() == 1


def test_noise():
    x, y = RNG.random((2, 3, 4, 5)), RNG.random((2, 3, 4, 5))
    expected = 10 * np.log10(4.0 / ((x - y) ** 2).mean((1, 2, 3)))
    close(both_forms(lambda x, y: nn.PSNR(2.0)(x, y), ms.Tensor(x), ms.Tensor(y)), expected)
    assert nn.PSNR()(ms.Tensor(x), ms.Tensor(x)).tolist() == [np.inf, np.inf]


def test_neighbours_and_middles():
    x = RNG.normal(size=(2, 3, 4, 5))
    down, right = both_forms(lambda x: nn.ImageGradients()(x), ms.Tensor(x))
    close(down, np.diff(x, axis=2, append=x[:, :, -1:]))
    close(right, np.diff(x, axis=3, append=x[..., -1:]))
    close(both_forms(lambda x: nn.CentralCrop(0.5)(x), ms.Tensor(x)), x[..., 1:3, 1:4])
    assert nn.CentralCrop(1)(ms.Tensor(x)).shape == x.shape


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_patches(padding):
    x = RNG.normal(size=(2, 3, 7, 6))
    net = nn.Unfold([1, 2, 3, 1], [1, 2, 1, 1], [1, 2, 1, 1], padding)
    found = both_forms(lambda x: net(x), ms.Tensor(x))
    if padding == "same":  # windows of 3 by 3, one row above and two columns around
        x = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    rows, columns = (x.shape[2] - 3) // 2 + 1, x.shape[3] - 2
    expected = np.zeros((2, 2, 3, 3, rows, columns))
    for i in range(2):
        for j in range(3):
            expected[:, i, j] = x[:, :, 2 * i : 2 * i + 2 * rows : 2, j : j + columns][:, :, :rows]
    close(found, expected.reshape(2, 18, rows, columns))


def test_images_that_cannot_be_compared():
    x = ops.ones((1, 1, 12, 12))
    refused("E0401", lambda x: nn.SSIM()(x, x[:, :, 1:]), x)
    refused("E0401", lambda x: nn.SSIM()(x[:, :, :3], x[:, :, :3]), x)
    refused("E0401", lambda x: nn.MSSSIM()(x, x), x)
    refused("E0301", lambda x: nn.PSNR()(x.astype(ms.int32), x.astype(ms.int32)), x)
    refused("E0401", lambda x: nn.ImageGradients()(x[0]), x)
    refused("E0401", lambda x: nn.Unfold(*[[1, 1, 1, 1]] * 3)(x[0]), x)


# ---- arrays and several layers in one -------------------------------------------------------


def test_arrays():
    x = RNG.normal(size=(2, 3, 3))
    given = ms.Tensor(x)
    close(both_forms(lambda x: nn.Tril()(x, 1), given), np.tril(x, 1))
    close(both_forms(lambda x: nn.Triu()(x), given), np.triu(x))
    close(both_forms(lambda x: nn.MatMul(True, False)(x, x), given), x.swapaxes(1, 2) @ x)
    close(both_forms(lambda x: nn.MatMul(False, True)(x, x), given), x @ x.swapaxes(1, 2))
    mean, variance = both_forms(lambda x: nn.Moments((0, 2), True)(x), given)
    close(mean, x.mean((0, 2), keepdims=True))
    close(variance, x.var((0, 2), keepdims=True))
    assert [part.shape for part in nn.Moments()(given)] == [(), ()]
    close(nn.Moments()(given)[1], x.var())
    check_gradients(lambda x: nn.Moments(0)(x)[1], x[0])
    expected = np.log(np.exp(x).sum(1, keepdims=True))
    close(both_forms(lambda x: nn.ReduceLogSumExp(1, True)(x), given), expected)
    close(both_forms(lambda x: nn.Roll((1, -1), (0, 2))(x), given), np.roll(x, (1, -1), (0, 2)))
    assert both_forms(lambda x: nn.Range(2, 5)() + x, ms.Tensor(1)).tolist() == [3, 4, 5]
    assert nn.Range(0.0, 1.0, 0.25)().tolist() == [0.0, 0.25, 0.5, 0.75]


def test_several_layers_in_one():
    net = nn.Conv2dBnAct(2, 3, 3, has_bn=True, activation="leakyrelu", alpha=0.5)
    assert {n: p.shape for n, p in net.parameters_and_names()} == {
        "conv.weight": (3, 2, 3, 3), "batchnorm.moving_mean": (3,),
        "batchnorm.moving_variance": (3,), "batchnorm.gamma": (3,), "batchnorm.beta": (3,),
    }  # fmt: skip
    x = ms.Tensor(RNG.normal(size=(1, 2, 4, 4)).astype(np.float32))
    y = net.batchnorm(net.conv(x)).asnumpy()
    close(both_forms(lambda x: net(x), x), np.where(y > 0, y, 0.5 * y), rtol=1e-6)
    assert net.batchnorm.momentum == 0.997 and net.activation.alpha == 0.5
    plain = nn.Conv2dBnAct(2, 3, 3)
    assert np.array_equal(plain(x).asnumpy(), plain.conv(x).asnumpy())
    net = nn.DenseBnAct(4, 3, has_bn=True, activation="relu")
    x = ms.Tensor(RNG.normal(size=(5, 4)).astype(np.float32))
    expected = np.maximum(net.batchnorm(net.dense(x)).asnumpy(), 0)
    close(both_forms(lambda x: net(x), x), expected, rtol=1e-6)


# ---- wrappers -------------------------------------------------------------------------------


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0]), name="w")

    def construct(self, x, factor=1.0):
        return ops.mean(self.w * x * factor)


@pytest.mark.parametrize("kind", [nn.GradAccumulationCell, nn.PipelineCell])
def test_parts_of_a_batch(kind):
    net = kind(Scaled(), 3)
    x = ms.Tensor(np.arange(6, dtype=np.float32))
    assert both_forms(lambda x: net(x, factor=0.5), x).item() == 3 * 2.5
    assert [p.name for p in net.get_parameters()] == ["w"]
    step = ms.value_and_grad(lambda x: net(x), None, net.trainable_params())
    assert step(x)[1][0].tolist() == [3 * 2.5]
    mean = nn.MicroBatchInterleaved(Scaled())
    assert both_forms(lambda x: mean(x), x).item() == 2 * 2.5
    refused("E0401", lambda x: net(x[:4]), x)
    refused("E0401", lambda x: net(x[0]), x)


def test_gradients_of_one_device():
    ms.set_context(mode=ms.PYNATIVE_MODE)  # the very tuple comes back
    w = ms.Parameter(ms.Tensor([1.0]), name="w")
    gradients = (ms.Tensor([3.0]), ms.Tensor([6.0]))
    assert nn.DistributedGradReducer([w])(gradients) is gradients
    halved = both_forms(lambda g: nn.DistributedGradReducer([w], True, 2)((g,)), gradients[1])
    assert halved[0].tolist() == [3.0]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.BiDense(0, 1, 1), "E0404"), (lambda: nn.BiDense(1, 1.0, 1), "E0303"),
        (lambda: nn.EmbeddingLookup(2, 2, target="GPU"), "E0404"),
        (lambda: nn.EmbeddingLookup(2, 2, max_norm=0.0), "E0404"),
        (lambda: nn.SyncBatchNorm(3, process_groups=[[0, 1]]), "E0404"),
        (lambda: nn.MaxUnpool2d((2, 2, 2)), "E0303"), (lambda: nn.MaxUnpool1d(2, 0), "E0404"),
        (lambda: nn.LPPool2d(0, 2), "E0404"), (lambda: nn.LPPool1d(2, 0), "E0404"),
        (lambda: nn.AdaptiveMaxPool3d(2, 1), "E0303"), (lambda: nn.SSIM(0.0), "E0404"),
        (lambda: nn.SSIM(filter_size=1.5), "E0303"),
        (lambda: nn.MSSSIM(power_factors=()), "E0303"), (lambda: nn.PSNR("a"), "E0303"),
        (lambda: nn.CentralCrop(1.5), "E0404"),
        (lambda: nn.Unfold([2, 2], [1, 1, 1, 1], [1, 1, 1, 1]), "E0303"),
        (lambda: nn.Unfold(*[[1, 1, 1, 1]] * 3, padding="full"), "E0404"),
        (lambda: nn.MatMul(1), "E0303"), (lambda: nn.Conv2dBnAct(1, 1, 1, has_bn=1), "E0303"),
        (lambda: nn.GradAccumulationCell(3, 2), "E0304"),
        (lambda: nn.PipelineCell(nn.ReLU(), 0), "E0404"),
        (lambda: nn.CTCLoss(-1), "E0404"), (lambda: nn.CTCLoss(reduction="all"), "E0404"),
        (lambda: nn.DistributedGradReducer([], 1), "E0303"),
        (lambda: nn.DistributedGradReducer([], degree=0), "E0404"),
        (lambda: nn.DistributedGradReducer([], group=3), "E0303"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code


@pytest.mark.parametrize("aligned", [False, True])
@pytest.mark.parametrize("centres", [False, True])
def test_pictures_on_another_grid(centres, aligned):
    if centres and aligned:
        with pytest.raises(S2sadError, match="E0404"):
            nn.ResizeBilinear(True)(ms.Tensor(np.zeros((1, 1, 2, 2))), (4, 6), None, True)
        return
    net, x = nn.ResizeBilinear(centres), RNG.normal(size=(2, 3, 3, 4))
    found = both_forms(lambda x: net(x, (6, 8), None, aligned), ms.Tensor(x)).asnumpy()
    expected = x
    for axis, size in ((2, 6), (3, 8)):
        old = x.shape[axis]
        places = np.arange(size) * ((old - 1) / (size - 1) if aligned else old / size)
        places = (np.arange(size) + 0.5) * old / size - 0.5 if centres else places
        expected = np.apply_along_axis(
            lambda line, at=places: np.interp(at, np.arange(len(line)), line), axis, expected
        )
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    twice = both_forms(lambda x: net(x, scale_factor=2, align_corners=aligned), ms.Tensor(x))
    assert twice.tolist() == found.tolist()
    refused("E0302", lambda x: net(x), ms.Tensor(x))
    refused("E0302", lambda x: net(x, (6, 8), 2), ms.Tensor(x))
    refused("E0303", lambda x: net(x, scale_factor=0.5), ms.Tensor(x))
