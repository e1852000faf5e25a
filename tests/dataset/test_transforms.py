"""Do transforms compute what their definitions say, for one row as for many at once?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError
from s2sad.dataset import transforms, vision
from s2sad.dataset.transforms import Relational

T, V = transforms, vision
RNG = np.random.default_rng(0)
COLOUR = RNG.integers(0, 256, (5, 7, 6, 3)).astype(np.uint8)
GREY = COLOUR[..., 0]


def same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_array_equal(found, expected)


EXACT = [
    (V.Rescale(0.5, 1.0), lambda x: x.astype(np.float32) * np.float32(0.5) + np.float32(1)),
    (V.HWC2CHW(), lambda x: x if x.ndim == 2 else np.moveaxis(x, 2, 0)),
    (V.Invert(), lambda x: 255 - x),
    (V.HorizontalFlip(), lambda x: x[:, ::-1]),
    (V.VerticalFlip(), lambda x: x[::-1]),
    (V.Crop((1, 2), (4, 3)), lambda x: x[1:5, 2:5]),
    (V.CenterCrop(4), lambda x: x[1:5, 1:5]),
    (V.CenterCrop((9, 3)), lambda x: np.pad(x, [(1, 1), (0, 0)] + [(0, 0)] * (x.ndim - 2))[:, 1:4]),
    (V.Pad(1, 9), lambda x: np.pad(x, [(1, 1)] * 2 + [(0, 0)] * (x.ndim - 2), constant_values=9)),
    (V.Pad((1, 2, 3, 0)), lambda x: np.pad(x, [(2, 0), (1, 3)] + [(0, 0)] * (x.ndim - 2))),
    (V.Pad((1, 2), 0, V.Border.REFLECT),
     lambda x: np.pad(x, [(2, 2), (1, 1)] + [(0, 0)] * (x.ndim - 2), "reflect")),
    (V.Pad(2, 0, V.Border.EDGE),
     lambda x: np.pad(x, [(2, 2)] * 2 + [(0, 0)] * (x.ndim - 2), "edge")),
    (V.Resize((7, 6)), lambda x: x),
    (V.Resize((14, 3), V.Inter.NEAREST), lambda x: x.repeat(2, 0)[:, ::2]),
    (T.TypeCast(ms.float16), lambda x: x.astype(np.float16)),
    (T.Fill(3), lambda x: np.full(x.shape, 3, x.dtype)),
    (T.Mask(Relational.GE, 100), lambda x: x >= 100),
    (T.Mask(Relational.EQ, 7, ms.int32), lambda x: (x == 7).astype(np.int32)),
    (T.Slice(slice(1, 3), [0, 2]), lambda x: x[1:3][:, [0, 2]]),
    (T.Slice(..., 1), lambda x: x[..., 1:2]),
    (T.Slice(None, 2), lambda x: x[:, 2:3]),
    (T.Concatenate(0, None, None), lambda x: x),
]  # fmt: skip


@pytest.mark.parametrize("images", [COLOUR, GREY], ids=["colour", "grey"])
@pytest.mark.parametrize(("transform", "expected"), EXACT, ids=lambda x: type(x).__name__)
def test_exact_transforms(transform, expected, images):
    for image in images:
        before = image.copy()
        result = transform(image)
        same(result, expected(image))
        result[...] = 0  # nobody else's memory, or the very image
        if not np.shares_memory(result, image):
            np.testing.assert_array_equal(image, before)
        image[...] = before


@pytest.mark.parametrize("images", [COLOUR, GREY], ids=["colour", "grey"])
@pytest.mark.parametrize(
    "transform",
    [each for each, _ in EXACT if hasattr(each, "batched")]
    + [V.ToTensor(), V.ToTensor(np.float16), V.Normalize([9.0], [3.0]), V.Resize(4),
       V.Resize((3, 11)), V.Resize((9, 4), V.Inter.BICUBIC), V.ToType(np.float64)],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_many_rows_at_once_have_the_bits_of_each(transform, images):
    found = transform.batched(images)
    expected = [transform(image) for image in images]
    if found is not None:
        same(found, np.stack(expected))
    else:
        assert isinstance(transform, V.CenterCrop)
    small = images[:1].astype(np.float32) - np.float32(0.5)
    if not isinstance(transform, V.Invert) and found is not None:
        same(transform.batched(small), transform(small[0])[np.newaxis])


def test_normalize():
    mean, std = [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]
    expected = ((COLOUR[0] - np.float64(mean)) / std).astype(np.float32)
    np.testing.assert_allclose(V.Normalize(mean, std)(COLOUR[0]), expected, rtol=1e-6, atol=1e-7)
    first = V.Normalize(mean, std, is_hwc=False)(COLOUR[0].transpose(2, 0, 1))
    np.testing.assert_array_equal(first, V.Normalize(mean, std)(COLOUR[0]).transpose(2, 0, 1))
    with pytest.raises(ValueError, match="E0401.*3 means for 7 channels"):
        V.Normalize(mean, std, is_hwc=False)(COLOUR[0])
    with pytest.raises(ValueError, match="E0404"):
        V.Normalize(mean, [1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="E0404"):
        V.Normalize(mean, [1.0])


def test_to_tensor():
    same(V.ToTensor()(COLOUR[0]), (COLOUR[0].transpose(2, 0, 1) / np.float32(255)))
    same(V.ToTensor()(GREY[0]), (GREY[0] / np.float32(255))[np.newaxis])
    assert V.ToTensor(np.float64)(GREY[0]).dtype == np.float64


def linear(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """Bilinear values in float64: the centre of a pixel is at a half."""
    result = np.empty((height, width))
    rows, columns = image.shape
    for i in range(height):
        for j in range(width):
            y = min(max((i + 0.5) * rows / height - 0.5, 0), rows - 1)
            x = min(max((j + 0.5) * columns / width - 0.5, 0), columns - 1)
            top, left = int(y), int(x)
            bottom, right = min(top + 1, rows - 1), min(left + 1, columns - 1)
            above = image[top, left] * (1 - x + left) + image[top, right] * (x - left)
            below = image[bottom, left] * (1 - x + left) + image[bottom, right] * (x - left)
            result[i, j] = above * (1 - y + top) + below * (y - top)
    return result


@pytest.mark.parametrize("size", [(3, 4), (14, 12), (7, 11), (1, 1), (20, 2)])
def test_bilinear_resize(size):
    image = RNG.normal(size=(7, 6))
    np.testing.assert_allclose(V.Resize(size)(image), linear(image, *size), rtol=1e-6, atol=1e-6)
    rounded = V.Resize(size)(GREY[0])
    assert rounded.dtype == np.uint8
    assert np.abs(rounded - linear(GREY[0].astype(float), *size)).max() < 0.501


def test_bicubic_resize_keeps_constants_and_straight_lines():
    ramp = np.add.outer(np.arange(20.0), 3 * np.arange(16.0))
    doubled = V.Resize((40, 32), V.Inter.BICUBIC)(ramp)
    y, x = (np.arange(40) + 0.5) / 2 - 0.5, (np.arange(32) + 0.5) / 2 - 0.5
    inner = (slice(6, -6), slice(6, -6))
    # Keys's kernel with a = -0.75 keeps constants exactly, and lines up to a ripple of 1/16
    np.testing.assert_allclose(doubled[inner], np.add.outer(y, 3 * x)[inner], atol=0.2)
    same(
        V.Resize((9, 5), V.Inter.BICUBIC)(np.full((4, 4), 9, np.uint8)),
        np.full((9, 5), 9, np.uint8),
    )


def test_resize_of_the_shorter_side():
    assert V.Resize(3)(COLOUR[0]).shape == (3, 3, 3)
    assert V.Resize(12)(COLOUR[0]).shape == (14, 12, 3)
    assert V.Resize(12)(COLOUR[0].transpose(1, 0, 2)).shape == (12, 14, 3)


def test_type_cast_goes_towards_zero():
    same(T.TypeCast(ms.int32)(np.array([1.7, -1.7])), np.array([1, -1], np.int32))
    with pytest.raises(TypeError, match="E0301.*never bfloat16"):
        T.TypeCast(ms.bfloat16)
    with pytest.raises(TypeError, match="E0301"):
        T.TypeCast("nothing")


def test_one_hot():
    same(T.OneHot(3)(np.int32(1)), np.array([0, 1, 0], np.int32))
    same(T.OneHot(3)(np.array([2])), np.array([0, 0, 1]))
    same(T.OneHot(2)(np.array([1, 0])), np.array([[0, 1], [1, 0]]))
    np.testing.assert_allclose(T.OneHot(4, 0.2)(np.array(3)), [0.05, 0.05, 0.05, 0.85])
    same(T.OneHot(3).batched(np.array([1, 2])), np.array([[0, 1, 0], [0, 0, 1]]))
    same(T.OneHot(3).batched(np.array([[1], [2]])), np.array([[0, 1, 0], [0, 0, 1]]))
    for label, code in [(3, "E0404"), (-1, "E0404"), (0.5, "E0301"), ([[1]], "E0401")]:
        with pytest.raises(S2sadError, match=code):
            T.OneHot(3)(np.array(label))


def test_transforms_of_values():
    one, other = T.Duplicate()(np.arange(3))
    same(one, other)
    same(T.Concatenate(0, np.array([8]), np.array([9]))(np.arange(2)), np.array([8, 0, 1, 9]))
    same(T.Concatenate(1)(np.ones((2, 1)), np.zeros((2, 1))), np.array([[1.0, 0.0]] * 2))
    same(T.PadEnd([3, None], 7)(np.zeros((2, 1))), np.array([[0.0], [0.0], [7.0]]))
    same(T.PadEnd([2])(np.array(["a"])), np.array(["a", ""]))
    found = T.Unique()(np.array([[3, 1], [3, 2]]))
    assert [x.tolist() for x in found] == [[3, 1, 2], [0, 1, 0, 2], [2, 1, 1]]
    for make, code in [
        (lambda: T.PadEnd([1])(np.zeros(2)), "E0401"), (lambda: T.Slice(5)(np.zeros(2)), "E0501"),
        (lambda: T.Slice(0, 0)(np.zeros(2)), "E0401"), (lambda: T.Mask("=", 1), "E0303"),
        (lambda: T.Concatenate(0)(np.zeros(2), np.zeros((1, 1))), "E0401"),
        (lambda: T.Fill(1)(object()), "E0304"), (lambda: T.Compose([]), "E0303"),
        (lambda: T.Compose([3]), "E0304"), (lambda: T.RandomApply([abs], 2), "E0404"),
    ]:  # fmt: skip
        with pytest.raises(S2sadError, match=code):
            make()


# ---- chance --------------------------------------------------------------------------------


def drawn(transform, value, count: int = 4000) -> list:
    ds.config.set_seed(17)
    return [transform(value) for _ in range(count)]


def share(found, expected: float) -> bool:
    """Whether the truths among `found` are as likely as `expected`, by five deviations."""
    found = list(found)
    return abs(np.mean(found) - expected) < 5 * (expected * (1 - expected) / len(found)) ** 0.5


def test_random_choices():
    up = [lambda x: x + 1, lambda x: x * 10]
    assert share((x == 20 for x in drawn(T.RandomApply(up, 0.3), 1)), 0.3)
    choices = drawn(T.RandomChoice(up), 5)
    assert set(choices) == {6, 50} and share((x == 6 for x in choices), 0.5)
    orders = drawn(T.RandomOrder(up), 1)
    assert set(orders) == {20, 11} and share((x == 20 for x in orders), 0.5)
    assert share(
        (x[0, 0] == 1 for x in drawn(V.RandomHorizontalFlip(0.7), np.array([[0, 1]]))), 0.7
    )
    assert share(
        (x[0, 0] == 1 for x in drawn(V.RandomVerticalFlip(0.2), np.array([[0], [1]]))), 0.2
    )


def test_random_crop_takes_every_part_equally_often():
    image = np.arange(12).reshape(3, 4)
    corners = [int(x[0, 0]) for x in drawn(V.RandomCrop((2, 3)), image)]
    assert set(corners) == {0, 1, 4, 5} and all(
        share((x == c for x in corners), 1 / 4) for c in {0, 5}
    )
    assert drawn(V.RandomCrop(4, padding=1), image, 1)[0].shape == (4, 4)
    assert drawn(V.RandomCrop(8, pad_if_needed=True), image, 1)[0].shape == (8, 8)
    with pytest.raises(ValueError, match="E0401"):
        V.RandomCrop(5)(image)


def test_random_resized_crop_takes_parts_of_the_areas_that_were_asked_for():
    rows = np.add.outer(np.arange(40.0), np.zeros(30))
    for part in drawn(V.RandomResizedCrop(10, (0.25, 0.25), (1.0, 1.0)), rows, 50):
        # a square of a quarter of the area is sqrt(300) = 17 rows high, of which 10 are shown
        assert part.shape == (10, 10) and abs((part[-1, 0] - part[0, 0]) - 17 * 0.9) < 0.01
    whole = drawn(V.RandomResizedCrop((4, 6), (4.0, 4.0)), rows, 1)[0]
    assert whole.shape == (4, 6)


def test_erasing_and_cutting_out():
    image = np.ones((3, 20, 20), np.float32)
    erased = drawn(V.RandomErasing(0.5, (0.1, 0.2), value=(5, 6, 7)), image, 2000)
    assert share(((x != 1).any() for x in erased), 0.5)
    areas = [(x[1] == 6).sum() for x in erased if (x != 1).any()]
    assert 400 * 0.07 < min(areas) and max(areas) < 400 * 0.24  # rounded to pixels
    assert (image == 1).all()
    noise = V.RandomErasing(1.0, value="random")(image)
    assert (noise != 1).any()
    V.RandomErasing(1.0, inplace=True)(image)
    assert (image == 0).any()
    holes = drawn(V.CutOut(3, 1), np.ones((9, 9, 2)), 100)
    assert all((x == 0).sum() == 18 for x in holes) and len({x.tobytes() for x in holes}) > 20
    assert (V.CutOut(2, is_hwc=False)(np.ones((2, 5, 5))) == 0).sum() == 8
    with pytest.raises(ValueError, match="E0401"):
        V.CutOut(9)(np.ones((3, 3)))


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: V.Resize(0), "E0404"), (lambda: V.Resize((1, 2, 3)), "E0303"),
        (lambda: V.Resize(2, 3), "E0303"), (lambda: V.Resize(2, V.Inter.AREA), "E0712"),
        (lambda: V.Pad((1, 2, 3)), "E0303"), (lambda: V.Pad(1, 0, "edge"), "E0303"),
        (lambda: V.Crop((0, 0), 9)(GREY[0]), "E0401"), (lambda: V.HWC2CHW()(np.ones(3)), "E0401"),
        (lambda: V.Invert()(np.ones((2, 2))), "E0301"), (lambda: V.ToTensor()(np.ones(3)), "E0401"),
        (lambda: V.RandomHorizontalFlip(2), "E0404"), (lambda: V.RandomErasing()(GREY[0]), "E0401"),
        (lambda: V.RandomResizedCrop(2, (2, 1)), "E0404"), (lambda: V.Rescale(1, 0)("a"), "E0301"),
        (lambda: V.RandomErasing(1.0, value="noise")(np.ones((1, 9, 9))), "E0404"),
    ],
)  # fmt: skip
def test_what_is_refused(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code, caught.value


def test_errors_of_transforms_in_a_pipeline_name_the_row():
    data = ds.NumpySlicesDataset(COLOUR, "image", shuffle=False).map(V.Crop((0, 0), 9)).batch(2)
    with pytest.raises(ValueError, match="E0401.*Crop") as caught:
        list(data)
    assert "map called Crop for row 0" in str(caught.value)
    labels = ds.NumpySlicesDataset([0, 1, 5, 2], "label", shuffle=False).map(T.OneHot(3))
    iterator = labels.create_tuple_iterator(output_numpy=True)
    assert [row.tolist() for row in (next(iterator) + next(iterator))] == [[1, 0, 0], [0, 1, 0]]
    with pytest.raises(ValueError, match="E0404.*label 5") as caught:
        next(iterator)
    assert "map called OneHot for row 2" in str(caught.value)
    data = ds.NumpySlicesDataset(COLOUR, "image", shuffle=False)
    with pytest.raises(ValueError, match="E0401.*means") as caught:
        list(data.map([V.HWC2CHW(), V.Normalize([1.0] * 3, [1.0] * 3)]).batch(2))
    assert "map called Normalize for row 0" in str(caught.value)
    assert repr(V.Crop((0, 1), 2)) == "Crop(left=1, size=(2, 2), top=0)"
