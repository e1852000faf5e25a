"""Are the Cells of pooling `ops` with MindSpore's defaults?

What they compute is tested with the functions of `ops`.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support import windows
from support.forms import both_forms, refused


def normal(*shape):
    return np.random.default_rng(0).normal(size=shape)


def test_defaults_are_kernel_and_stride_of_one():
    x = ms.Tensor(normal(1, 2, 4, 5))
    for cell in (nn.MaxPool2d(), nn.AvgPool2d()):
        assert cell(x).tolist() == x.tolist()
    assert nn.MaxPool2d(2)(x).shape == (1, 2, 3, 4) and nn.AvgPool2d(2)(x).shape == (1, 2, 3, 4)
    assert nn.MaxPool2d(2, None)(x).shape == nn.AvgPool2d(2, None)(x).shape == (1, 2, 2, 2)


@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("mode", ["valid", "SAME", "pad"])
@pytest.mark.parametrize(("kernel", "stride"), [(2, 1), (3, 2), (2, 3)])
def test_pad_modes(rank, mode, kernel, stride):
    largest = {1: nn.MaxPool1d, 2: nn.MaxPool2d, 3: nn.MaxPool3d}[rank]
    means = {1: nn.AvgPool1d, 2: nn.AvgPool2d, 3: nn.AvgPool3d}[rank]
    padding = 1 if mode == "pad" else 0
    cells = [cell(kernel, stride, mode, padding) for cell in (largest, means)]
    x = normal(2, 3, *(5, 4, 3)[:rank])

    def run(x):
        return [cell(x) for cell in cells], [cell(x[0]) for cell in cells]

    (values, averages), without_batch = both_forms(run, ms.Tensor(x))
    ends = [windows.padding_of(mode.lower(), padding, n, kernel, stride, 1) for n in x.shape[2:]]
    axes = [
        windows.windows_along(n, kernel, stride, end, 1)
        for n, end in zip(x.shape[2:], ends, strict=True)
    ]
    expected = windows.pool(x, axes, lambda members, _: np.max(members, axis=0))
    np.testing.assert_array_equal(values.asnumpy(), expected)
    # Padding that makes sizes the same counts in volumes alone, padding that was asked for does.
    counted = mode == "pad" or rank == 3
    expected = windows.pool(
        x, axes, lambda m, count: np.sum(m, axis=0) / (count if counted else len(m))
    )
    np.testing.assert_allclose(averages.asnumpy(), expected, rtol=1e-12)
    assert [y.tolist() for y in without_batch] == [values[0].tolist(), averages[0].tolist()]


def test_padding_of_volumes_counts_unless_told_otherwise():
    x = ms.Tensor(np.arange(1.0, 4.0).reshape(1, 1, 1, 1, 3))
    for included, expected in ((True, [1.5, 2.5, 1.5]), (False, [1.5, 2.5, 3.0])):
        cell = nn.AvgPool3d((1, 1, 2), pad_mode="same", count_include_pad=included)
        np.testing.assert_array_equal(cell(x).asnumpy()[0, 0, 0, 0], expected)
    flat = nn.AvgPool2d((1, 2), pad_mode="same", count_include_pad=False)
    np.testing.assert_array_equal(flat(x[0]).asnumpy()[0, 0, 0], [1.5, 2.5, 3.0])


def test_settings_of_pad():
    x = ms.Tensor(normal(1, 2, 6, 7))
    cells = [
        nn.MaxPool2d((3, 2), (2, 1), "pad", (1, 0), (1, 2), True, True),
        nn.AvgPool2d((3, 2), (2, 1), "pad", (1, 0), True, False, 5),
    ]

    def run(x):
        return [cell(x) for cell in cells]

    (values, places), means = both_forms(run, x)
    expected = ops.max_pool2d(x, (3, 2), (2, 1), (1, 0), (1, 2), True, True)
    assert [values.tolist(), places.tolist()] == [y.tolist() for y in expected]
    assert means.tolist() == ops.avg_pool2d(x, (3, 2), (2, 1), (1, 0), True, False, 5).tolist()


def test_adaptive():
    x, line, box = (ms.Tensor(normal(*s)) for s in ((2, 3, 7, 5), (2, 3, 7), (1, 1, 4, 3, 5)))
    cells = [
        nn.AdaptiveAvgPool2d((None, 2)), nn.AdaptiveMaxPool2d(2), nn.AdaptiveMaxPool2d(2, True),
        nn.AdaptiveAvgPool1d(3), nn.AdaptiveMaxPool1d(3), nn.AdaptiveAvgPool3d(2),
    ]  # fmt: skip

    def run(x, line, box):
        inputs = [x, x, x, line, line, box]
        return [cell(value) for cell, value in zip(cells, inputs, strict=True)]

    found = both_forms(run, x, line, box)
    assert found[0].tolist() == ops.adaptive_avg_pool2d(x, (None, 2)).tolist()
    assert found[1].tolist() == found[2][0].tolist() == ops.adaptive_max_pool2d(x, 2).tolist()
    assert found[3].tolist() == ops.adaptive_avg_pool1d(line, 3).tolist()
    assert found[4].tolist() == ops.adaptive_max_pool1d(line, 3).tolist()
    assert found[5].tolist() == ops.adaptive_avg_pool3d(box, 2).tolist()


def test_what_is_shown():
    shown = "MaxPool2d(kernel_size=3, stride=2, pad_mode=SAME)"
    assert repr(nn.MaxPool2d(3, 2, "same")) == shown
    assert repr(nn.AdaptiveAvgPool2d((1, None))) == "AdaptiveAvgPool2d(output_size=(1, None))"


MAX, AVG = nn.MaxPool2d, nn.AvgPool2d


@pytest.mark.parametrize(
    ("cell", "arguments", "code"),
    [
        (MAX, {"kernel_size": 0}, "E0404"), (MAX, {"kernel_size": (1, 2, 3)}, "E0303"),
        (MAX, {"stride": 0}, "E0404"), (MAX, {"pad_mode": "full"}, "E0404"),
        (MAX, {"padding": 1}, "E0404"), (MAX, {"padding": 1, "pad_mode": "same"}, "E0404"),
        (MAX, {"dilation": 2}, "E0404"), (MAX, {"return_indices": True}, "E0404"),
        (MAX, {"ceil_mode": True}, "E0404"), (MAX, {"ceil_mode": 1, "pad_mode": "pad"}, "E0303"),
        (MAX, {"data_format": "NHWC"}, "E0404"), (MAX, {"pad_mode": "pad", "padding": -1}, "E0404"),
        (AVG, {"divisor_override": 2}, "E0404"),
        (AVG, {"divisor_override": 0, "pad_mode": "pad"}, "E0404"),
        (AVG, {"data_format": "NHWC"}, "E0404"), (AVG, {"count_include_pad": 1}, "E0303"),
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be(cell, arguments, code):
    with pytest.raises(S2sadError) as caught:
        cell(**arguments)
    assert caught.value.code == code


def pooled(x):
    return POOL(x)


POOL = nn.MaxPool2d(5)


@pytest.mark.parametrize("shape", [(1, 1, 4, 20), (4, 20), (1, 1, 1, 8, 8)])
def test_inputs_that_do_not_fit(shape):
    refused("E0401", pooled, ms.Tensor(np.zeros(shape, np.float32)))
