"""Which Cells compare images, or take parts of them?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from s2sad import ops
from s2sad.core.cell import Cell
from s2sad.core.diagnostics import fail
from s2sad.core.tensor import Tensor
from s2sad.ops.images import require_images, rows_of_patches
from s2sad.ops.settings import integer, number, positive


def _bell(size: int, sigma: float) -> np.ndarray:
    """Weights of a window of `size` by `size`, after Gauss; they sum to 1."""
    places = np.arange(size) - (size - 1) / 2
    line = np.exp(-(places**2) / (2 * sigma**2))
    window = np.outer(line, line)
    return window / window.sum()


class _Similarity(Cell):
    def _set_window(
        self, max_val: float, filter_size: int, filter_sigma: float, k1: float, k2: float
    ) -> None:
        self.max_val = positive("max_val", max_val)
        self.filter_size = integer("filter_size", filter_size, 1)
        self.window = Tensor(_bell(filter_size, positive("filter_sigma", filter_sigma)))
        self.c1 = (positive("k1", k1) * max_val) ** 2
        self.c2 = (positive("k2", k2) * max_val) ** 2

    def _compared(self, x: Any, y: Any) -> Any:
        """Similarity, and the part of contrast and structure, (N, C) each."""
        means = [self._smooth(each) for each in (x, y, x * y, x * x + y * y)]
        product, squares = means[0] * means[1], means[0] * means[0] + means[1] * means[1]
        contrast = (2 * (means[2] - product) + self.c2) / (means[3] - squares + self.c2)
        luminance = (2 * product + self.c1) / (squares + self.c1)
        return ops.mean(luminance * contrast, (2, 3)), ops.mean(contrast, (2, 3))

    def _smooth(self, x: Any) -> Any:
        """Means by the window, of each channel."""
        n, c, h, w = x.shape
        window = ops.reshape(ops.cast(self.window, x.dtype), (1, 1, *self.window.shape))
        y = ops.conv2d(ops.reshape(x, (n * c, 1, h, w)), window)
        return ops.reshape(y, (n, c, *y.shape[2:]))


class SSIM(_Similarity):
    """Structural similarity of two batches of images, a number each; 1 for equal ones.

    ``(2 mx my + c1) (2 sxy + c2) / ((mx^2 + my^2 + c1) (sx^2 + sy^2 + c2))``, of means, variances
    and covariance in a window after Gauss, with ``c = (k * max_val)**2``; then its mean. Source: Z.
    Wang et al., Image quality assessment: from error visibility to structural similarity, 2004.

    Parameters
    ----------
    max_val : float
        The difference between the brightest and the darkest.
    filter_size : int
    filter_sigma, k1, k2 : float

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0301 for images that are
        not of floats, E0401 for those of different shapes, or smaller than the window.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.ops.ones((1, 3, 16, 16))
    >>> ms.nn.SSIM()(x, x).asnumpy().round(4), ms.nn.SSIM()(x, 0 * x).asnumpy().round(4)
    (array([1.], dtype=float32), array([0.0001], dtype=float32))
    """

    def __init__(
        self,
        max_val: float = 1.0,
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__()
        self._set_window(max_val, filter_size, filter_sigma, k1, k2)

    def construct(self, img1: Any, img2: Any) -> Any:
        require_images("SSIM", img1, img2, self.filter_size)
        return ops.mean(self._compared(img1, img2)[0], -1)


class MSSSIM(_Similarity):
    """Structural similarity over several scales, each half as large as the one before.

    The product of contrast and structure of each scale and of the similarity of the last, to the
    powers `power_factors`; what is negative counts as 0. Source: Z. Wang et al., Multiscale
    structural similarity for image quality assessment, 2003. All else as `SSIM`.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.ops.ones((1, 1, 8, 8))
    >>> ms.nn.MSSSIM(power_factors=(0.5, 0.5), filter_size=3)(x, x).asnumpy().round(4)
    array([1.], dtype=float32)
    """

    def __init__(
        self,
        max_val: float = 1.0,
        power_factors: tuple[float, ...] = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
        filter_size: int = 11,
        filter_sigma: float = 1.5,
        k1: float = 0.01,
        k2: float = 0.03,
    ) -> None:
        super().__init__()
        self._set_window(max_val, filter_size, filter_sigma, k1, k2)
        if not isinstance(power_factors, (tuple, list)) or not power_factors:
            raise fail("E0303", f"power_factors is a tuple of numbers, got {power_factors!r}")
        self.power_factors = tuple(number("power_factors", each) for each in power_factors)

    def construct(self, img1: Any, img2: Any) -> Any:
        last = len(self.power_factors) - 1
        require_images("MSSSIM", img1, img2, self.filter_size * 2**last)
        product = None
        for place, power in enumerate(self.power_factors):
            whole, contrast = self._compared(img1, img2)
            part = ops.pow(ops.relu(whole if place == last else contrast), power)
            product = part if product is None else product * part
            if place < last:
                img1, img2 = ops.avg_pool2d(img1, 2, 2), ops.avg_pool2d(img2, 2, 2)
        return ops.mean(product, -1)


class PSNR(Cell):
    """Peak signal over noise of two batches of images, in decibels: ``10 log10(max_val**2 / mse)``.

    Infinite for equal images.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a `max_val` that is no positive number; in a call E0301 for images that
        are not of floats, E0401 for those of different shapes.

    Examples
    --------
    >>> import s2sad as ms
    >>> x = ms.ops.ones((1, 3, 2, 2))
    >>> ms.nn.PSNR()(x, x * 0.9).asnumpy().round(3)
    array([20.], dtype=float32)
    """

    def __init__(self, max_val: float = 1.0) -> None:
        super().__init__()
        self.max_val = positive("max_val", max_val)

    def construct(self, img1: Any, img2: Any) -> Any:
        require_images("PSNR", img1, img2, 1)
        error = ops.mean(ops.square(img1 - img2), (1, 2, 3))
        return (math.log(self.max_val**2) - ops.log(error)) * (10 / math.log(10))


class ImageGradients(Cell):
    """Differences of neighbours down and to the right, 0 in the last row and column.

    Examples
    --------
    >>> import s2sad as ms
    >>> down, right = ms.nn.ImageGradients()(ms.Tensor([[[[1.0, 2.0], [4.0, 8.0]]]]))
    >>> down.asnumpy().ravel(), right.asnumpy().ravel()
    (array([3., 6., 0., 0.], dtype=float32), array([1., 0., 4., 0.], dtype=float32))
    """

    def construct(self, images: Any) -> Any:
        require_images("ImageGradients", images, images, 1)
        down = images[:, :, 1:] - images[:, :, :-1]
        right = images[:, :, :, 1:] - images[:, :, :, :-1]
        return ops.pad(down, (0, 0, 0, 1)), ops.pad(right, (0, 1))


class CentralCrop(Cell):
    """The middle of images, of shape (C, H, W) or (N, C, H, W): this part of each side.

    Examples
    --------
    >>> import s2sad as ms
    >>> ms.nn.CentralCrop(0.5)(ms.ops.ones((3, 8, 12))).shape
    (3, 4, 6)
    """

    def __init__(self, central_fraction: float) -> None:
        super().__init__()
        if not 0 < number("central_fraction", central_fraction) <= 1:
            raise fail("E0404", f"central_fraction is above 0 and at most 1: {central_fraction}")
        self.central_fraction = central_fraction

    def construct(self, image: Any) -> Any:
        height, width = image.shape[-2:]
        top = int((height - height * self.central_fraction) / 2)
        left = int((width - width * self.central_fraction) / 2)
        return image[..., top : height - top, left : width - left]


class Unfold(Cell):
    """Patches of images, laid out along the channels.

    Parameters
    ----------
    ksizes, strides, rates : tuple or list of int
        ``[1, rows, columns, 1]``: the size of a patch, how far one is from the next, and how far
        its elements are from each other.
    padding : {"valid", "same"}
        Whether patches go beyond the edge, onto zeros.

    Raises
    ------
    S2sadError
        E0303 or E0404 for a setting of another form or value; in a call E0401 for another number of
        axes.

    Notes
    -----
    Of (N, C, H, W) it makes (N, rows * columns * C, H', W'); the channels of one element of the
    patch stand together.

    Examples
    --------
    >>> import s2sad as ms
    >>> net = ms.nn.Unfold([1, 1, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])
    >>> net(ms.Tensor([[[[1.0, 2.0, 3.0]]]])).asnumpy()
    array([[[[1., 2.]],
    <BLANKLINE>
            [[2., 3.]]]], dtype=float32)
    """

    def __init__(self, ksizes: Any, strides: Any, rates: Any, padding: str = "valid") -> None:
        super().__init__()
        self.kernel = _middle("ksizes", ksizes)
        self.steps, self.rates = _middle("strides", strides), _middle("rates", rates)
        if not isinstance(padding, str) or padding.lower() not in ("valid", "same"):
            raise fail("E0404", f"padding is 'valid' or 'same', got {padding!r}")
        self.padding = padding.lower()

    def construct(self, input_x: Any) -> Any:
        return rows_of_patches(input_x, self.kernel, self.steps, self.rates, self.padding)


def _middle(name: str, given: Any) -> tuple[int, int]:
    if not isinstance(given, (tuple, list)) or len(given) != 4 or (given[0], given[3]) != (1, 1):
        raise fail("E0303", f"{name} is [1, rows, columns, 1], got {given!r}")
    return integer(name, given[1], 1), integer(name, given[2], 1)
