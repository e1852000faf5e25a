"""What operators give, against numbers of PyTorch and closed forms."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest
from backends.ascend.device.running import desc_of, operate

from s2sad.backends.ascend import lowering
from s2sad.backends.ascend.device.graphs import ACTIONS
from s2sad.backends.ascend.device.meanings import MEANINGS
from s2sad.backends.ascend.graph import Desc
from s2sad.backends.ascend.prototypes import find
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError

VECTORS = np.load(Path(__file__).parent / "vectors.npz")
CASES = json.loads(str(VECTORS["cases"]))


#: Located errors (E0712) on the simulated device: what one rank lacks.
NOT_SIMULATED = {"HcomReceive", "HcomSend"}


def test_every_operator_that_lowering_names_is_simulated():
    named = set()
    for file in Path(lowering.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                named.add(node.value)
    types = {name for name in named if name[:1].isupper() and find(name) is not None}
    assert len(types) > 150
    held = {"Data", "RefData", "Const"}
    assert types - MEANINGS.keys() - ACTIONS.keys() - held == NOT_SIMULATED


def test_there_are_many_operators():
    assert len({case["type"] for case in CASES.values()}) > 100


@pytest.mark.parametrize("name", CASES)
def test_what_pytorch_gives(name):
    case = CASES[name]
    inputs = {port: VECTORS[f"{name}/in/{port}"] for port in case["inputs"]}
    wanted = [VECTORS[f"{name}/out/{i}"] for i in range(case["results"])]
    found, _ = operate(case["type"], inputs, [desc_of(x) for x in wanted], case["attributes"])
    for right, got in zip(wanted, found, strict=True):
        assert got.dtype == right.dtype
        if right.dtype.kind == "f":
            np.testing.assert_allclose(got, right, rtol=2e-5, atol=2e-5)
        else:
            np.testing.assert_array_equal(got, right)


# Updates, which write their state in place

BETAS = {"beta1": 0.9, "beta2": 0.99, "epsilon": 1e-12}
RMS = {"lr": 0.1, "rho": 0.9, "momentum": 0.5, "epsilon": 1e-12}
UPDATES = {
    "ApplyGradientDescent": ((), {"alpha": 0.1}, {}),
    "ApplyMomentum": (("accum",), {"lr": 0.1, "momentum": 0.9}, {}),
    "ApplyMomentum_nesterov": (
        ("accum",), {"lr": 0.1, "momentum": 0.9}, {"use_nesterov": True}
    ),
    "ApplyAdam": (("m", "v"), {"lr": 0.1, **BETAS}, {}),
    "ApplyAdamW": (
        ("m", "v"), {"lr": 0.1, **BETAS, "epsilon": 1e-3, "weight_decay": 0.2}, {}
    ),
    "ApplyAdagrad": (("accum",), {"lr": 0.1}, {}),
    "ApplyRMSProp": (("ms", "mom"), RMS, {}),
    "ApplyCenteredRMSProp": (("mg", "ms", "mom"), RMS, {}),
}  # fmt: skip


def update(type, state, numbers, gradient, options):
    """What `state` holds afterwards."""
    name = "delta" if type == "ApplyGradientDescent" else "grad"
    given = {port: np.float32(number) for port, number in numbers.items()}
    count = 3 if type == "ApplyAdamW" else 1
    _, session = operate(
        type, {**state, **given, name: gradient}, [desc_of(gradient)] * count, options,
        state=tuple(state),
    )  # fmt: skip
    return {port: session.get(f"in_{port}") for port in state}


@pytest.mark.parametrize("name", UPDATES)
def test_steps_of_optimizers_are_those_of_pytorch(name):
    slots, numbers, options = UPDATES[name]
    type = name.partition("_")[0]
    gradients, wanted = VECTORS[f"steps/{name}/grad"], VECTORS[f"steps/{name}/var"]
    first = 0.5 if type == "ApplyAdagrad" else 0.0
    state = {"var": wanted[0], **{slot: np.full(4, first, np.float32) for slot in slots}}
    for step, gradient in enumerate(gradients, 1):
        powers = {"beta1_power": 0.9**step, "beta2_power": 0.99**step} if "m" in slots else {}
        state = update(type, state, {**numbers, **powers}, gradient, options)
        np.testing.assert_allclose(state["var"], wanted[step], rtol=1e-5, atol=1e-6)


def test_amsgrad_divides_by_the_largest_mean_of_squares():
    x = np.float32([1.0, 2.0])
    state = {"var": x, "m": x * 0, "v": x * 0, "vhat": np.float32([100.0, 0.0])}
    numbers = {"lr": 0.5, "beta1": 0.5, "beta2": 0.5, "epsilon": 0.0, "beta1_power": 0.5,
               "beta2_power": 0.5}  # fmt: skip
    got = update("ApplyAdamWithAmsgrad", state, numbers, np.float32([2.0, 2.0]), {})
    np.testing.assert_allclose(got["m"], [1, 1])
    np.testing.assert_allclose(got["v"], [2, 2])
    np.testing.assert_allclose(got["vhat"], [100, 2])
    rate = 0.5 * np.sqrt(0.5) / 0.5
    np.testing.assert_allclose(got["var"], [1 - rate / 10, 2 - rate / np.sqrt(2)], rtol=1e-6)


def test_an_update_writes_only_what_is_state():
    x = np.float32([1.0, 2.0])
    rate = np.float32(0.1)
    given = {"var": x, "accum": x, "lr": rate, "grad": x, "momentum": rate}
    with pytest.raises(S2sadError, match=r"E0717.*'accum', which is no RefData and no Variable"):
        operate("ApplyMomentum", given, [desc_of(x)], state=("var",))
    with pytest.raises(S2sadError, match=r"(?s)E0717.*does not take net.air.*writes 'var'"):
        operate("ApplyMomentum", given, [desc_of(x)])


@pytest.mark.parametrize(("type", "wanted"), [("Assign", [3.0, 5.0]), ("AssignAdd", [4.0, 7.0])])
def test_what_is_assigned_is_what_state_holds(type, wanted):
    given = {"ref": np.float32([1.0, 2.0]), "value": np.float32([3.0, 5.0])}
    (found,), session = operate(type, given, [Desc("DT_FLOAT", (2,))], state=("ref",))
    assert session.get("in_ref").tolist() == found.tolist() == wanted


def test_rows_are_written_in_place():
    given = {"var": np.zeros((3, 2), np.float32), "indices": np.int64([[2], [0]]),
             "updates": np.float32([[1, 2], [3, 4]])}  # fmt: skip
    _, session = operate("ScatterNdUpdate", given, [Desc("DT_FLOAT", (3, 2))], state=("var",))
    assert session.get("in_var").tolist() == [[3, 4], [0, 0], [1, 2]]


# Closed forms


def one(type, inputs, result, attributes=None):
    (found,), _ = operate(type, inputs, [result], attributes)
    return found


def test_narrow_floats_are_computed_in_float32_and_rounded_once():
    """1 + 2**-11 + 2**-11 is 1 + 2**-10 in float32, and 1 when float16 rounds between."""
    x = np.float16([1.0, 2**-11, 2**-11])
    given = {"x": x, "axes": np.int64([0])}
    assert one("ReduceSum", given, Desc("DT_FLOAT16", ())) == np.float16(1 + 2**-10)
    bits = dtypes.f32_to_bf16(np.float32([1.0, 1.0078125]))
    found = one("Mul", {"x1": bits, "x2": bits}, Desc("DT_BF16", (2,)))
    assert dtypes.bf16_to_f32(found).tolist() == [1.0, 1.015625]


def test_casts():
    x = np.float32([-1.7, 0.0, 2.5, np.nan])
    given = {"x": x}
    assert one("Cast", given, Desc("DT_BOOL", (4,)), {"dst_type": 12}).tolist() == [
        True, False, True, True,
    ]  # fmt: skip
    given = {"x": x[:3]}
    assert one("Cast", given, Desc("DT_INT32", (3,)), {"dst_type": 3}).tolist() == [-1, 0, 2]
    assert one("Cast", given, Desc("DT_FLOAT16", (3,)), {"dst_type": 1}).dtype == np.float16
    far = {"x": np.float64([-2e9, -1.5, 300.7, 1e30, -np.inf, np.nan, 2**63, -(2.0**63)])}
    for type, number, wanted in (
        ("DT_UINT8", 4, [0, 0, 255, 255, 0, 0, 255, 0]),
        ("DT_INT16", 6, [-32768, -1, 300, 32767, -32768, 0, 32767, -32768]),
        ("DT_INT64", 9, [-2000000000, -1, 300, 2**63 - 1, -(2**63), 0, 2**63 - 1, -(2**63)]),
        ("DT_UINT32", 8, [0, 0, 300, 2**32 - 1, 0, 0, 2**32 - 1, 0]),
    ):
        assert one("Cast", far, Desc(type, (8,)), {"dst_type": number}).tolist() == wanted
    bits = one("Bitcast", {"x": np.float32([1.0])}, Desc("DT_INT32", (1,)), {"type": "DT_INT32"})
    assert bits.tolist() == [0x3F800000]
    halves = one("Bitcast", {"x": np.int32([0x3C00C000])}, Desc("DT_FLOAT16", (1, 2)),
                 {"type": "DT_FLOAT16"})  # fmt: skip
    assert halves.tolist() == [[-2.0, 1.0]]


@pytest.mark.parametrize(
    ("type", "inputs", "wanted", "attributes"),
    [
        ("Range", {"start": 2, "limit": 9, "delta": 3}, [2, 5, 8], {}),
        ("Fill", {"dims": [2, 2], "value": 7}, [[7, 7], [7, 7]], {}),
        ("ConcatV2", {"x0": [[1], [2]], "x1": [[3], [4]], "concat_dim": 1}, [[1, 3], [2, 4]],
         {"N": 2}),
        ("Pack", {"x0": [1, 2], "x1": [3, 4]}, [[1, 3], [2, 4]], {"axis": 1, "N": 2}),
        ("Invert", {"x": [0, 5]}, [-1, -6], {}),
        ("LeftShift", {"x": [1, 3], "y": [2, 1]}, [4, 6], {}),
        ("RightShift", {"x": [9, -8], "y": [2, 1]}, [2, -4], {}),
        ("Pow", {"x1": [2, -1, 3, -2], "x2": [3, -3, -1, 2]}, [8, -1, 0, 4], {}),
        ("FloorDiv", {"x1": [7, -7], "x2": [2, 2]}, [3, -4], {}),
        ("FloorMod", {"x1": [7, -7], "x2": [3, 3]}, [1, 2], {}),
        ("Cumsum", {"x": [1, 2, 3], "axis": 0}, [0, 1, 3], {"exclusive": True}),
        ("Cumprod", {"x": [2, 3, 4], "axis": 0}, [12, 4, 1], {"exclusive": True, "reverse": True}),
        ("OneHot", {"x": [1, -1, 9], "depth": 2, "on_value": 5, "off_value": 3},
         [[3, 3, 3], [5, 3, 3]], {"axis": 0}),
        ("GatherV2", {"x": [4, 5, 6], "indices": [-1, 0], "axis": 0}, [6, 4],
         {"negative_index_support": True}),
        ("Slice", {"x": [1, 2, 3, 4], "offsets": [1], "size": [2]}, [2, 3], {}),
        ("PadV3", {"x": [1, 2], "paddings": [[1, -1]], "constant_values": 9}, [9, 1], {}),
        ("HcomAllReduce", {"x": [1, 2]}, [1, 2], {"reduction": "sum", "group": "g"}),
        ("HcomAllGather", {"x": [1, 2]}, [1, 2], {"rank_size": 1, "group": "g"}),
        ("HcomReduceScatter", {"x": [1, 2]}, [1, 2],
         {"rank_size": 1, "group": "g", "reduction": "max"}),
        ("Identity", {"x": [1, 2]}, [1, 2], {}),
    ],
)  # fmt: skip
def test_whole_numbers(type, inputs, wanted, attributes):
    int32 = ("depth",)
    given = {
        port: np.asarray(value, np.int32 if port in int32 else np.int64)
        for port, value in inputs.items()
    }
    found = one(type, given, Desc("DT_INT64", np.shape(wanted)), attributes)
    assert found.tolist() == wanted


def test_several_results():
    given = {"x": np.int64([1, 2, 3]), "size_splits": np.int64([1, 2]), "split_dim": np.int64(0)}
    results = [Desc("DT_INT64", (1,)), Desc("DT_INT64", (2,))]
    found, _ = operate("SplitV", given, results, {"num_split": 2})
    assert [x.tolist() for x in found] == [[1], [2, 3]]
    given = {"x": np.int64([[1, 2, 3], [4, 5, 6]])}
    found, _ = operate("Unpack", given, [Desc("DT_INT64", (2,))] * 3, {"num": 3, "axis": 1})
    assert [x.tolist() for x in found] == [[1, 4], [2, 5], [3, 6]]
    given = {"x0": np.float32([1]), "x1": np.float32([2])}
    results = [Desc("DT_FLOAT", (1,))] * 2
    found, _ = operate("HcomBroadcast", given, results, {"root_rank": 0, "group": "g"})
    assert [x.tolist() for x in found] == [[1], [2]]
    given = {"split_dim": np.int32(0), "x": np.float32([1, 2, 3, 4])}
    found, _ = operate("Split", given, [Desc("DT_FLOAT", (2,))] * 2, {"num_split": 2})
    assert [x.tolist() for x in found] == [[1, 2], [3, 4]]
    x = np.float32([[3.0, 1.0], [4.0, 2.0]])
    assert one("MatrixDeterminant", {"x": x}, Desc("DT_FLOAT", ())) == pytest.approx(2)
    found, _ = operate("LogMatrixDeterminant", {"x": -x[::-1]}, [Desc("DT_FLOAT", ())] * 2)
    assert found[0] == -1 and found[1] == pytest.approx(np.log(2), rel=1e-5)
    found, _ = operate("Svd", {"x": x}, [Desc("DT_FLOAT", (2,)), desc_of(x), desc_of(x)])
    np.testing.assert_allclose(found[1] * found[0] @ found[2].T, x, rtol=1e-5)
    found, _ = operate("Qr", {"x": x}, [desc_of(x)] * 2)
    np.testing.assert_allclose(found[0] @ found[1], x, rtol=1e-6)
    np.testing.assert_allclose(found[0].T @ found[0], np.eye(2), atol=1e-6)


def test_places_in_order_and_sums_at_places():
    given = {"sorted_sequence": np.float32([[1, 3, 3], [0, 2, 5]]),
             "values": np.float32([[3, 0], [9, 2]])}  # fmt: skip
    wanted = Desc("DT_INT64", (2, 2))
    assert one("SearchSorted", given, wanted).tolist() == [[1, 0], [3, 1]]
    assert one("SearchSorted", given, wanted, {"right": True}).tolist() == [[3, 0], [3, 2]]
    given = {"indices": np.int64([[1], [1]]), "x": np.float32([2, 3]), "shape": np.int64([3])}
    assert one("ScatterNd", given, Desc("DT_FLOAT", (3,))).tolist() == [0, 5, 0]


def test_poles_of_the_gamma_function():
    x = np.float32([0.0, -0.0, -1.0, np.inf, np.nan])
    wanted = [-np.inf, np.inf, np.nan, np.inf, np.nan]
    np.testing.assert_array_equal(one("Digamma", {"x": x}, desc_of(x)), wanted)
    orders, x = np.float32([1, 0.5, 2, 3, 2.5, 2, 2]), np.float32([2, 2, 0, -2, -0.5, np.inf, 1])
    wanted = np.float32([np.inf, np.nan, np.inf, np.inf, np.nan, 0, np.pi**2 / 6])
    np.testing.assert_array_equal(one("Zeta", {"x": orders, "q": x}, desc_of(x)), wanted)


def test_the_first_nan_is_the_largest_and_padding_never():
    x = np.float32([[-np.inf, 1, np.nan, np.nan, 5, -np.inf]]).reshape(1, 1, 1, 6)
    options = {"ksize": [1, 2], "strides": [1, 2], "pads": [0, 1], "dtype": 9}
    results = [Desc("DT_FLOAT", (1, 1, 1, 4)), Desc("DT_INT64", (1, 1, 1, 4))]
    (y, places), _ = operate("MaxPoolWithArgmaxV3", {"x": x}, results, options)
    np.testing.assert_array_equal(y.ravel(), [-np.inf, np.nan, np.nan, -np.inf])
    assert places.ravel().tolist() == [0, 2, 3, 5]


def test_pooling_that_keeps_the_size_pads_more_behind():
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    options = {"ksize": [1, 1, 3, 3], "strides": [1, 1, 2, 2], "padding_mode": "SAME"}
    assert one("MaxPoolV3", {"x": x}, Desc("DT_FLOAT", (1, 1, 2, 2)), options).tolist() == [
        [[[10, 11], [14, 15]]]
    ]
    whole = {"ksize": [1, 1, 1, 1], "strides": [1, 1, 1, 1], "global_pooling": True}
    assert one("AvgPoolV2", {"x": x}, Desc("DT_FLOAT", (1, 1, 1, 1)), whole).item() == 7.5


def test_moving_statistics_keep_what_the_factor_leaves():
    """The mean of 1 and 3 is 2, their variance 1, unbiased 2; a quarter of each is new."""
    row = np.float32([0.0])
    x = np.float32([1.0, 3.0]).reshape(2, 1, 1, 1)
    given = {"x": x, "sum": np.float32([4]), "square_sum": np.float32([10]), "scale": row + 2,
             "offset": row + 5, "mean": row + 10, "variance": row + 8}  # fmt: skip
    results = [desc_of(x), *[desc_of(row)] * 4]
    (y, *rest), _ = operate("BNTrainingUpdate", given, results, {"factor": 0.25, "epsilon": 0.0})
    assert y.ravel().tolist() == [3, 7]
    assert [x.item() for x in rest] == [8.0, 6.5, 2.0, 1.0]


@pytest.mark.parametrize(
    ("type", "inputs", "attributes", "code", "message"),
    [
        ("AvgPoolV2", {"x": np.zeros((1, 1, 4, 4), np.float32)},
         {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "ceil_mode": True}, "E0712",
         "ceil_mode=True of AvgPoolV2 is not simulated"),
        ("GatherV2", {"x": np.zeros(3, np.float32), "indices": np.int64([-1]),
                      "axis": np.int64(0)}, {}, "E0501", "no place -1 in an axis of 3"),
        ("HcomAllGather", {"x": np.zeros(3, np.float32)}, {"rank_size": 2, "group": "g"}, "E0712",
         "rank_size=2 of HcomAllGather is not simulated"),
        ("Cholesky", {"x": -np.eye(2, dtype=np.float32)}, {}, "E0717", "LinAlgError"),
        ("Relu", {"x": np.zeros(2, np.float32)}, {}, "E0717", r"gives \[2\].*float\[7\]"),
        ("ReduceAll", {"x": np.ones(2, bool), "axes": np.int64([0])}, {}, "E0717", "gives"),
        ("Softsign", {"x": np.zeros(2, np.float32)}, {}, "E0712", "device has no Softsign"),
    ],
)  # fmt: skip
def test_what_an_operator_does_not_do(type, inputs, attributes, code, message):
    with pytest.raises(S2sadError, match=rf"(?s){code}.*{message}.*at the node root/it, {type}"):
        one(type, inputs, Desc("DT_BOOL" if type == "ReduceAll" else "DT_FLOAT", (7,)), attributes)
