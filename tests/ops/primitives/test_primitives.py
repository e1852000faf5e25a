"""Does each object give what NumPy does, in both forms, and the gradient that belongs to it?"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad.ops import operations
from support.forms import both_forms, check_gradients, first_of
from support.primitive_cases import CASES, VARYING, Case

#: What has a test of its own: draws, writes, exchanges, what is no tensor, and bases.
APART = {
    "Adam", "AllGather", "AllReduce", "AlltoAll", "ApplyMomentum", "Assign", "AssignAdd",
    "AssignSub", "Barrier", "Bernoulli", "Broadcast", "CollectiveGather", "CollectiveScatter",
    "ControlDepend", "DType", "Dropout", "Dropout2D", "Dropout3D", "FlashAttentionScore", "Gamma",
    "GatherV2", "Gelu", "HistogramSummary", "HookBackward", "ImageSummary", "InsertGradientOf",
    "InvertPermutation",
    "Multinomial", "NeighborExchange",
    "NeighborExchangeV2", "Pack", "Partial", "Poisson", "Primitive", "PrimitiveWithCheck",
    "PrimitiveWithInfer", "Print", "Qr", "RandomCategorical", "RandomShuffle", "Rank", "Receive",
    "Reduce", "ReduceOp", "ReduceScatter", "ResizeBilinear", "ScatterAdd", "ScatterDiv",
    "ScatterMax", "ScatterMin", "ScatterMul", "ScatterNdAdd", "ScatterNdDiv", "ScatterNdMax",
    "ScatterNdMin", "ScatterNdMul", "ScatterNdSub", "ScatterSub", "ScatterUpdate", "Send",
    "Shape", "Size", "SparseGatherV2", "StandardLaplace", "StandardNormal", "TensorAdd",
    "ScalarSummary", "TensorSummary", "UniformInt", "UniformReal", "Unpack", "prim_attr_register",
}  # fmt: skip


def tensor(value: Any) -> Any:
    """`value` with tensors in place of its arrays."""
    if isinstance(value, (np.ndarray, np.generic)):
        return ms.Tensor(np.asarray(value))
    if isinstance(value, (tuple, list)):
        return type(value)([tensor(item) for item in value])
    return value


@pytest.mark.parametrize("case", CASES, ids=lambda case: repr(case.made))
def test_values(case):
    require_values(case, both_forms(lambda *args: case.made(*args), *map(tensor, case.args)))


@pytest.mark.parametrize("case", VARYING, ids=lambda case: repr(case.made))
def test_what_the_data_decide(case):
    require_values(case, case.made(*map(tensor, case.args)))
    with pytest.raises(TypeError, match="E0305"):
        ms.compile(lambda *args: case.made(*args))(*map(tensor, case.args))


def require_values(case: Case, found: Any) -> None:
    expected = case.expected(*case.args)
    found = found if isinstance(found, tuple) else (found,)
    expected = expected if isinstance(expected, tuple) else (expected,)
    for one, other in zip(found, expected, strict=True):
        other = np.asarray(other)
        assert (one.shape, one.asnumpy().dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("case", [c for c in CASES if c.slopes], ids=lambda case: repr(case.made))
def test_gradients(case):
    places = [i for i, x in enumerate(case.args) if is_of_floats(x)]
    if not places:
        pytest.fail("slopes=False says that there is no gradient")

    def run(*floats: Any) -> Any:
        args = [tensor(x) for x in case.args]
        for place, x in zip(places, floats, strict=True):
            args[place] = x
        return case.made(*args)

    check_gradients(first_of(run), *[case.args[place] for place in places], rtol=2e-6, atol=1e-7)


def is_of_floats(x: Any) -> bool:
    return isinstance(x, (np.ndarray, np.generic)) and np.issubdtype(x.dtype, np.floating)


def test_none_is_left_out():
    tested = {type(case.made).__name__ for case in [*CASES, *VARYING]}
    assert tested | APART == set(operations.__all__) and not tested & APART
