"""Do transforms that Pillow computes take its images and arrays, and is it needed only then?"""

from __future__ import annotations

import importlib.util
import io

import numpy as np
import pytest
from PIL import Image

import s2sad.dataset as ds
from s2sad.core.diagnostics import S2sadError
from s2sad.dataset import transforms, vision

V = vision
COLOUR = np.random.default_rng(0).integers(0, 256, (9, 8, 3)).astype(np.uint8)


def packed(image: np.ndarray = COLOUR, form: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(image).save(file, form)
    return file.getvalue()


def test_without_pillow_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for make in (
        lambda: V.Decode()(b"x"), lambda: V.ToPIL()(COLOUR), lambda: V.Grayscale()(COLOUR),
        lambda: V.RandomRotation(3)(COLOUR), lambda: V.RandomColorAdjust(1)(COLOUR),
    ):  # fmt: skip
        with pytest.raises(RuntimeError, match="E0712.*needs Pillow") as caught:
            make()
        assert "s2sad[vision]" in str(caught.value)


def test_decode():
    np.testing.assert_array_equal(V.Decode()(packed()), COLOUR)
    np.testing.assert_array_equal(V.Decode()(np.frombuffer(packed(), np.uint8)), COLOUR)
    np.testing.assert_array_equal(V.Decode()(packed(COLOUR[..., 0])), COLOUR[..., :1].repeat(3, 2))
    assert V.is_pil(V.Decode(to_pil=True)(packed())) and not V.is_pil(COLOUR)
    with pytest.raises(OSError, match="E0608"):
        V.Decode()(b"no image")
    with pytest.raises(ValueError, match="E0401"):
        V.Decode()(COLOUR)


@pytest.mark.parametrize(
    "transform",
    [
        V.CenterCrop(4),
        V.Pad(2),
        V.HorizontalFlip(),
        V.VerticalFlip(),
        V.Crop((1, 1), 3),
        V.Invert(),
    ],
    ids=lambda x: type(x).__name__,
)  # fmt: skip
def test_images_of_pillow_give_images_of_pillow(transform):
    for image in (COLOUR, COLOUR[..., 0]):
        result = transform(Image.fromarray(image))
        assert V.is_pil(result)
        np.testing.assert_array_equal(np.asarray(result), transform(image))
        np.testing.assert_array_equal(V.ToTensor()(result), V.ToTensor()(transform(image)))


def test_resize_of_pillow_is_pillows():
    image = Image.fromarray(COLOUR)
    expected = np.asarray(image.resize((4, 3), Image.Resampling.BILINEAR))
    np.testing.assert_array_equal(np.asarray(V.Resize((3, 4))(image)), expected)
    assert V.Resize(16)(image).size == (16, 18)


def test_rotation():
    image = np.arange(81, dtype=np.uint8).reshape(9, 9)
    np.testing.assert_array_equal(V.RandomRotation((90, 90))(image), np.rot90(image))
    turned = V.RandomRotation((45, 45), expand=True, fill_value=200)(COLOUR)
    assert turned.shape[0] > 9 and (turned[0, 0] == 200).all()
    ds.config.set_seed(1)
    assert len({V.RandomRotation(180)(image).tobytes() for _ in range(20)}) > 10


def test_colours():
    assert (V.RandomColorAdjust()(COLOUR) == COLOUR).mean() > 0.99
    dark = V.RandomColorAdjust(brightness=(0.5, 0.5))(COLOUR)
    np.testing.assert_allclose(dark, COLOUR * 0.5, atol=1)
    grey = V.RandomColorAdjust(saturation=(0.0, 0.0))(COLOUR)
    assert (grey[..., 0] == grey[..., 1]).all()
    flat = V.RandomColorAdjust(contrast=(0.0, 0.0))(COLOUR)
    assert len(np.unique(flat)) == 1
    red = np.full((2, 2, 3), [255, 0, 0], np.uint8)
    turned = V.RandomColorAdjust(hue=(1 / 3, 1 / 3))(red)
    np.testing.assert_allclose(turned, np.full((2, 2, 3), [0, 255, 0]), atol=8)
    single = V.RandomColorAdjust(brightness=(0.0, 0.0))(COLOUR[..., :1])
    assert single.shape == (9, 8, 1) and (single == 0).all()


def test_grayscale():
    grey = V.Grayscale()(COLOUR)
    expected = COLOUR @ [0.299, 0.587, 0.114]
    np.testing.assert_allclose(grey[..., 0], expected, atol=1)
    np.testing.assert_array_equal(V.Grayscale(3)(COLOUR), grey.repeat(3, 2))
    np.testing.assert_array_equal(V.RandomGrayscale(1.0)(COLOUR), grey.repeat(3, 2))
    np.testing.assert_array_equal(V.RandomGrayscale(0.0)(COLOUR), COLOUR)
    np.testing.assert_array_equal(V.RandomGrayscale(1.0)(COLOUR[..., :1]), COLOUR[..., :1])


def test_a_part_of_a_file():
    whole = V.RandomCropDecodeResize((9, 8), (1.0, 1.0), (8 / 9, 8 / 9))(packed())
    np.testing.assert_array_equal(whole, COLOUR)
    assert V.RandomCropDecodeResize(5)(packed()).shape == (5, 5, 3)


def test_a_pipeline_of_files():
    data = ds.GeneratorDataset([np.frombuffer(packed(), np.uint8)] * 6, "image")
    operations = [
        V.Decode(to_pil=True), V.RandomHorizontalFlip(), transforms.RandomApply([V.Invert()]),
        V.ToTensor(),
    ]  # fmt: skip
    (batch,) = next(data.map(operations).batch(6).create_tuple_iterator(output_numpy=True))
    assert batch.shape == (6, 3, 9, 8) and batch.dtype == np.float32
    images = data.map(V.Decode(to_pil=True))
    assert images.output_shapes() == [[9, 8, 3]]


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: V.ToPIL()(COLOUR.astype(float)), "E0301"),
        (lambda: V.Grayscale(2), "E0404"),
        (lambda: V.RandomColorAdjust(hue=(0, 1)), "E0404"),
        (lambda: V.RandomColorAdjust(brightness=(2, 1)), "E0404"),
        (lambda: V.RandomRotation((1, 2, 3)), "E0303"),
    ],
)
def test_what_is_refused(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code, caught.value
