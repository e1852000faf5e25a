"""Are bytes and operations counted as they are defined?"""

from __future__ import annotations

import pytest

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.types import f32, f64, i32
from s2sad.passes.work import Work, work_of


def work(body, *types):
    (operation,) = [op for op in build_function(body, types).walk() if op.prim is not p.const]
    return work_of(operation)


CONV = 2 * (2 * 5 * 6 * 6) * (3 * 3 * 3)


@pytest.mark.parametrize(
    ("body", "types", "nbytes", "flops"),
    [
        (p.add, (f32[3, 4], f32[4]), 4 * (12 + 4 + 12), 12),
        (lambda x: p.mul(x, x), (f64[10],), 8 * 20, 10),  # read once
        (p.tanh, (f32[7],), 56, 7),
        (lambda x: p.reduce_sum(x, axis=(1,)), (f32[3, 5],), 4 * 18, 15),
        (p.matmul, (f32[2, 3, 4], f32[4, 5]), 4 * (24 + 20 + 30), 2 * 30 * 4),
        (
            lambda a, b: p.matmul(a, b, transpose_a=True, transpose_b=True),
            (f32[4, 3], f32[5, 4]), 4 * (12 + 20 + 15), 2 * 15 * 4,
        ),
        (p.conv, (f32[2, 3, 8, 8], f32[5, 3, 3, 3]), 4 * (384 + 135 + 360), CONV),
        (
            lambda dy, w: p.conv_input_grad(dy, w, input_shape=(8, 8)),
            (f32[2, 5, 6, 6], f32[5, 3, 3, 3]), 4 * (384 + 135 + 360), CONV,
        ),
        (
            lambda x, dy: p.conv_filter_grad(x, dy, kernel_shape=(3, 3)),
            (f32[2, 3, 8, 8], f32[2, 5, 6, 6]), 4 * (384 + 135 + 360), CONV,
        ),
        (lambda x: p.transpose(x, perm=(1, 0)), (f32[3, 4],), 4 * 24, 0),
        (lambda x, i: p.gather(x, i), (f32[1000, 4], i32[2]), 4 * (8 + 8 + 2), 0),
        (lambda x, i, u: p.index_add(x, i, u), (f32[1000, 4], i32[2], f32[2, 4]),
         4 * (3 * (8 + 2)), None),
        (lambda x: p.sort(x)[0], (f32[9],), None, None),
        (p.add, (f32[0, 4], f32[4]), 4 * 4, 0),
    ],
)  # fmt: skip
def test_counts(body, types, nbytes, flops):
    found = work(body, *types)
    assert found.flops == flops
    assert nbytes is None or found == Work(nbytes, flops)
