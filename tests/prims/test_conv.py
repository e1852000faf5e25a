"""Does convolution keep the laws, and refuse what does not fit?"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.ir.dims import symbol
from s2sad.ir.types import bf16, f16, f32, f64, i64
from support.applied import attrs_of, inferred, refused
from support.laws import Spec, check_laws, normal

PLAIN = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1}
UNEVEN = {"stride": (2, 1), "padding": ((1, 0), (0, 2)), "dilation": (1, 2), "groups": 2}

SPECS = [
    Spec(p.conv, (normal(2, 3, 6), normal(2, 3, 2)), PLAIN),
    Spec(p.conv, (normal(2, 4, 5, 4), normal(4, 2, 2, 3)), UNEVEN),
    Spec(p.conv, (normal(1, 2, 3, 3, 3), normal(1, 2, 2, 1, 2)), {"padding": 1, "stride": 2}),
    Spec(p.conv, (normal(0, 2, 4), normal(3, 2, 2))),
    Spec(p.conv, (normal(2, 3, 4), normal(0, 3, 2))),
    Spec(p.conv_input_grad, (normal(2, 2, 3), normal(2, 3, 2)), {"input_shape": 6, "stride": 2}),
    Spec(p.conv_input_grad, (normal(2, 4, 3, 2), normal(4, 2, 2, 3)),
         {"input_shape": (5, 4), **UNEVEN}),
    Spec(p.conv_filter_grad, (normal(2, 3, 6), normal(2, 2, 3)), {"kernel_shape": 2, "stride": 2}),
    Spec(p.conv_filter_grad, (normal(2, 4, 5, 4), normal(2, 4, 3, 2)),
         {"kernel_shape": (2, 3), **UNEVEN}),
    Spec(p.conv_transpose, (normal(2, 2, 3), normal(2, 3, 2)), {"stride": 2, "output_padding": 1}),
    Spec(p.conv_transpose, (normal(1, 4, 2, 3), normal(4, 1, 3, 2)),
         {"stride": 2, "padding": ((1, 1), (0, 0)), "output_padding": 1, "groups": 2}),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


# Meanings, written out


def test_convolution_is_a_sum_over_the_window():
    x, w = normal(2, 4, 5, 6), normal(6, 2, 2, 3)
    y = p.conv(x, w, stride=(2, 1), padding=((1, 0), (2, 1)), dilation=(1, 2), groups=2)
    padded = np.pad(x, ((0, 0), (0, 0), (1, 0), (2, 1)))
    expected = np.zeros((2, 6, 3, 5))
    for n, m, i, j in np.ndindex(expected.shape):
        channels = range(2 * (m // 3), 2 * (m // 3) + 2)
        seen = padded[n, channels, 2 * i : 2 * i + 2, j : j + 5 : 2]
        expected[n, m, i, j] = (seen * w[m]).sum()
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("more", [0, 1, 2, 3, 4])
@pytest.mark.parametrize("cut", [(0, 0), (1, 2), (2, 1)])
def test_transposed_convolution_adds_multiples_of_the_filter(more, cut):
    x, w = normal(2, 3, 4), normal(3, 2, 3)
    y = p.conv_transpose(x, w, stride=3, padding=(cut,), output_padding=more, dilation=2)
    whole = np.zeros((2, 2, 3 * 3 + 2 * 2 + 1 + more))
    for n, m, i, c, k in np.ndindex(2, 3, 4, 2, 3):
        whole[n, c, 3 * i + 2 * k] += x[n, m, i] * w[m, c, k]
    expected = whole[:, :, cut[0] : whole.shape[2] - cut[1]]
    assert y.shape == expected.shape
    np.testing.assert_allclose(y, expected, rtol=1e-12, atol=1e-14)


def test_transposed_convolution_without_a_rest_undoes_the_shape():
    size = inferred(
        p.conv_transpose, f32[1, 2, 7], f32[2, 3, 3], stride=2, padding=1, output_padding=1
    )
    assert size == f32[1, 3, 14]
    assert inferred(p.conv, size, f32[2, 3, 3], stride=2, padding=1) == f32[1, 2, 7]


def test_narrow_floats_are_summed_in_float32():
    x = np.full((1, 1, 2049), 1.0, np.float16)
    w = np.ones((1, 1, 2049), np.float16)
    assert p.conv(x, w)[0, 0, 0] == 2048  # 2049 rounded once, to even; in float16 2048 + 1 is 2048
    x[0, 0, :] = 1.001
    exact = x.astype(np.float64).sum()
    assert p.conv(x, w)[0, 0, 0] == np.float16(exact)


# What does not fit


def test_attributes_have_one_spelling():
    x, w = f32[1, 4, 8, 8], f32[4, 2, 3, 3]
    expected = {"stride": (2, 2), "padding": ((1, 1), (1, 1)), "dilation": (1, 1), "groups": 2}
    spellings = itertools.product([2, (2, 2), [2, 2]], [1, (1, 1), ((1, 1), (1, 1)), (1, (1, 1))])
    for stride, padding in spellings:
        assert attrs_of(p.conv, x, w, stride=stride, padding=padding, groups=2) == expected
    assert attrs_of(p.conv_transpose, x, f32[4, 2, 3, 3], output_padding=0)["output_padding"] == (
        0,
        0,
    )


@pytest.mark.parametrize(
    ("attrs", "code", "word"),
    [
        ({"stride": 0}, "E0404", "stride"),
        ({"stride": (1, 2, 3)}, "E0303", "stride"),
        ({"stride": 1.5}, "E0303", "stride"),
        ({"stride": True}, "E0303", "stride"),
        ({"dilation": (1, 0)}, "E0404", "dilation"),
        ({"padding": -1}, "E0404", "padding"),
        ({"padding": ((1, 2, 3), 1)}, "E0303", "padding"),
        ({"groups": 0}, "E0404", "groups"),
        ({"groups": 3}, "E0401", "channels"),
        ({"dilation": 4}, "E0401", "axis 2"),
        ({"extra": 1}, "E0302", "extra"),
    ],
)
def test_wrong_attributes_are_refused(attrs, code, word):
    error = refused(p.conv, f32[1, 4, 6, 9], f32[4, 4, 3, 3], **attrs)
    assert error.code == code and word in str(error)


@pytest.mark.parametrize(
    ("types", "attrs", "code", "word"),
    [
        ((f32[1, 4, 6], f32[4, 3, 3]), {}, "E0401", "channels"),
        ((f32[1, 4, 6], f32[3, 2, 3]), {"groups": 2}, "E0401", "filters"),
        ((f32[1, 4, 6], f64[4, 4, 3]), {}, "E0301", "f32 and f64"),
        ((i64[1, 4, 6], i64[4, 4, 3]), {}, "E0301", "floats"),
        ((f32[1, 4, 6], f32[4, 4, 3, 3]), {}, "E0401", "rank"),
        ((f32[4, 6], f32[4, 4]), {}, "E0401", "spatial"),
        ((f32[1, 4, 2, 2, 2, 2], f32[4, 4, 1, 1, 1, 1]), {}, "E0401", "spatial"),
        ((f32[1, 4, 6], f32[4, 4, 0]), {}, "E0404", "kernel"),
        ((f32[1, 1, 14, 20], f32[1, 1, 3, 3]), {"dilation": 8}, "E0401", "17"),
        ((f32[1, 4, 0], f32[4, 4, 1]), {}, "E0401", "axis 2"),
        ((f32[1, 4, symbol("H")], f32[4, 4, 3]), {}, "E0402", "axis 2"),
    ],
)
def test_operands_of_a_convolution_must_fit(types, attrs, code, word):
    error = refused(p.conv, *types, **attrs)
    assert error.code == code and word in str(error)


def test_gradients_of_a_convolution_must_fit():
    w = f32[4, 2, 3]
    assert "windows along axis 2" in str(refused(p.conv_input_grad, f32[1, 4, 5], w, input_shape=8))
    assert "channels" in str(refused(p.conv_input_grad, f32[1, 5, 6], w, input_shape=8))
    assert "batch" in str(refused(p.conv_filter_grad, f32[1, 2, 8], f32[2, 4, 6], kernel_shape=3))
    assert "axis 2" in str(refused(p.conv_filter_grad, f32[1, 2, 8], f32[1, 4, 5], kernel_shape=3))
    grouped = refused(p.conv_filter_grad, f32[1, 3, 8], f32[1, 4, 6], kernel_shape=3, groups=2)
    assert "channels" in str(grouped)
    assert "nothing of axis 2" in str(refused(p.conv_transpose, f32[1, 4, 2], w, padding=2))


def test_sizes_may_be_symbolic():
    batch, size = symbol("B"), symbol("H")
    x = f32[batch, 3, size + 2, 8]
    assert inferred(p.conv, x, f32[4, 3, 3, 3]) == f32[batch, 4, size, 6]
    grad = inferred(
        p.conv_input_grad, f32[batch, 4, size, 6], f32[4, 3, 3, 3], input_shape=(size + 2, 8)
    )
    assert grad == x
    assert (
        inferred(p.conv_filter_grad, x, f32[batch, 4, size, 6], kernel_shape=3) == f32[4, 3, 3, 3]
    )
    channels = refused(p.conv, f32[1, symbol("C"), 8], f32[4, 3, 3])
    assert channels.code == "E0402"


@pytest.mark.parametrize("dtype", [f16, bf16])
def test_narrow_types_stay(dtype):
    assert inferred(p.conv, dtype[1, 1, 4], dtype[1, 1, 2]) == dtype[1, 1, 3]
