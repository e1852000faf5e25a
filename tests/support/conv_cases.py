"""Convolutions and both gradients of them, as cases for the units that compute them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from support.c_units import Case

#: What the library of the cases is made of.
UNITS = (
    "conv_f32", "conv_f64", "conv_winograd", "conv_winograd_filters", "gemm", "gemm_f32",
    "gemm_f64", "gemm_u32", "gemm_u64", "threads",
)  # fmt: skip

Facts = dict[str, Any]


def _numbers(dtype: DType, shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.asarray(dtypes.narrow(np.random.default_rng(seed).normal(size=shape), dtype))


def cases_of(
    shape: tuple[int, ...], filters: int, kernel: tuple[int, ...], facts: Facts, dtype: DType
) -> Iterator[Case]:
    """The convolution and both gradients."""
    channels = shape[1] // facts.get("groups", 1)
    x, w = _numbers(dtype, shape, 1), _numbers(dtype, (filters, channels, *kernel), 2)
    forward = Case(p.conv, (x, w), facts)
    dy = _numbers(dtype, tuple(forward.site.results[0].shape), 3)
    yield forward
    yield Case(p.conv_input_grad, (dy, w), {**facts, "input_shape": shape[2:]})
    yield Case(p.conv_filter_grad, (x, dy), {**facts, "kernel_shape": kernel})


def wide(case: Case) -> tuple[Case, Case]:
    """The same in float64, and over the sizes of all that is added."""
    operands = [dtypes.widen(x).astype(np.float64) for x in case.operands]
    sizes = [np.abs(x) for x in operands]
    return Case(case.prim, (*operands,), case.attrs), Case(case.prim, (*sizes,), case.attrs)
