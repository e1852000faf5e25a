"""Does every kind of data become the right numbers of the right dtype, in memory of its own?"""

from __future__ import annotations

import array as arrays
import sys
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64, uint8
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor

BF16 = ml_dtypes.bfloat16


def refused(code: str, *args, **kwargs) -> str:
    """The message with which Tensor refuses its arguments."""
    with pytest.raises(S2sadError) as caught:
        Tensor(*args, **kwargs)
    assert caught.value.code == code
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "dtype", "shape"),
    [
        (True, bool_, ()), (3, int64, ()), (-(2**63), int64, ()), (2.5, float32, ()),
        ([1, 2], int64, (2,)), ([1, 2.5], float32, (2,)), ([True, False], bool_, (2,)),
        ([True, 2], int64, (2,)), ([], float32, (0,)), ([[], []], float32, (2, 0)),
        ((1, (2)), int64, (2,)), ([[1.0], [2.0]], float32, (2, 1)),
        ([np.float64(1.0)], float32, (1,)), ([np.float32(1.0)], float32, (1,)),
        ([np.int8(1), np.int8(2)], np.int8, (2,)), ([np.ones(2, np.float16)] * 2, float16, (2, 2)),
    ],
    ids=repr,
)  # fmt: skip
def test_dtype_of_python_data(data, dtype, shape):
    tensor = Tensor(data)
    assert tensor.dtype is (dtype if isinstance(dtype, dtypes.DType) else int8)
    assert tensor.shape == shape
    np.testing.assert_array_equal(tensor.array, np.array(data, tensor.array.dtype))


@pytest.mark.parametrize("dtype", [d for d in dtypes.ALL if d is not bfloat16], ids=str)
def test_numpy_data_keep_their_dtype(dtype):
    data = np.array([0, 1, 1]).astype(dtype.storage)
    assert Tensor(data).dtype is dtype
    assert Tensor(data[1]).dtype is dtype and Tensor(data[1]).shape == ()
    assert Tensor(data.reshape(3, 1)[:0]).shape == (0, 1)


def test_floats_become_the_nearest_float32():
    assert Tensor(0.1).item() == float(np.float32(0.1))
    assert Tensor([1e300, -1e300, 1e-320]).tolist() == [np.inf, -np.inf, 0.0]
    found = Tensor([-0.0, float("nan")])
    assert np.signbit(found.array[0]) and np.isnan(found.array[1])


def test_floats_named_float64_are_not_rounded_on_the_way():
    assert Tensor(0.1, float64).item() == 0.1
    assert Tensor([0.1, 1e300], float64).tolist() == [0.1, 1e300]
    assert Tensor([2**53 + 1], int64).item() == 2**53 + 1


def test_bfloat16_is_rounded_once_from_any_source():
    x = 1 + 2.0**-8 + 2.0**-40
    for data in (x, [x], np.array(x), np.float64(x)):
        assert Tensor(data, bfloat16).array.reshape(-1).tolist() == [0x3F81]
    wide = 2**60 + 2**52 + 1  # float64 would make a tie of it
    for data in (wide, [wide], np.array([wide])):
        assert Fraction(Tensor(data, bfloat16).item()) == Fraction(2**60 + 2**53)


LAYOUTS = {
    "c": lambda x: x,
    "fortran": np.asfortranarray,
    "strided": lambda x: x[::-1, ::2],
    "transposed": lambda x: x.T,
    "broadcast": lambda x: np.broadcast_to(x[0], x.shape),
    "0-d": lambda x: x[1, 1],
    "empty": lambda x: x[:0],
    "matrix": np.asmatrix,
    "unaligned": lambda x: np.frombuffer(b"-" + x.tobytes(), x.dtype, offset=1).reshape(x.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", [np.float32, np.int64, np.float16, BF16])
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_layouts_are_copied_into_c_order(layout, kind):
    data = LAYOUTS[layout](np.arange(12).reshape(3, 4).astype(kind))
    tensor = Tensor(data)
    assert type(tensor.array) is np.ndarray
    assert tensor.array.flags.c_contiguous and tensor.array.flags.writeable
    assert tensor.array.flags.aligned and tensor.array.flags.owndata
    assert tensor.shape == np.shape(data)
    numbers = np.asarray(data).astype(np.float64)
    np.testing.assert_array_equal(dtypes.widen(tensor.array), numbers)
    assert not np.shares_memory(tensor.array, np.asarray(data))


@pytest.mark.parametrize("kind", ["f4", "f8", "f2", "i8", "i4"])
def test_both_byte_orders_are_read(kind):
    for order in "<>":
        data = np.array([[1, -2], [3, 4]], order + kind)
        tensor = Tensor(data)
        assert tensor.array.dtype == np.dtype(kind) and tensor.array.dtype.isnative
        np.testing.assert_array_equal(tensor.array, data)
    assert Tensor(np.array([1.5], ">f4"), bfloat16).item() == 1.5
    assert Tensor(np.array([70000], ">u4"), int32).item() == 70000


def test_read_only_data_give_a_writable_tensor():
    data = np.arange(3.0)
    data.flags.writeable = False
    tensor = Tensor(data)
    tensor.asnumpy()[0] = 9.0
    assert data[0] == 0.0 and tensor.tolist() == [9.0, 1.0, 2.0]


def test_a_tensor_is_copied_bit_for_bit():
    for dtype in dtypes.ALL:
        first = Tensor.wrap(np.array([1, 0, 1]).astype(dtype.storage))
        second = Tensor(first)
        assert second.dtype is dtype
        np.testing.assert_array_equal(second.array, first.array)
        assert not np.shares_memory(second.array, first.array)
    signalling = Tensor.wrap(np.array([0x7F81], np.uint16))
    assert Tensor(signalling).array.tolist() == [0x7F81]
    assert Tensor(Parameter(signalling)).array.tolist() == [0x7F81]
    assert type(Tensor(Parameter([1.0]))) is Tensor


def test_tensors_in_lists():
    assert Tensor([Tensor(1), Tensor(2)]).dtype is int64
    stacked = Tensor([Tensor([1.0, 2.0], float16), Tensor([3.0, 4.0], float16)])
    assert stacked.dtype is float16 and stacked.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert Tensor([Tensor(1.5, bfloat16), 2]).dtype is bfloat16
    assert Tensor([Tensor(1.5, float64), 0.1]).tolist() == [1.5, 0.1]
    assert Tensor([Tensor(1.5, bfloat16), BF16(2)], float32).tolist() == [1.5, 2.0]
    assert "Float16, Float32" in refused("E0301", [Tensor(1.0, float16), Tensor(1.0)])
    assert Tensor([Tensor(1.5, float16), Tensor(2.5)], float64).tolist() == [1.5, 2.5]


def test_bfloat16_of_ml_dtypes():
    data = np.array([1.5, -0.0, np.inf], BF16)
    assert Tensor(data).dtype is bfloat16 and Tensor(data).array.tolist() == [
        0x3FC0,
        0x8000,
        0x7F80,
    ]
    assert Tensor(data[0]).item() == 1.5 and Tensor([BF16(2)]).dtype is bfloat16
    assert Tensor(data, float32).tolist() == [1.5, -0.0, np.inf]
    assert Tensor(data[:2], int32).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("data", "dtype", "expected"),
    [
        (np.array([300, -1]), uint8, [44, 255]),
        (np.array([2**40]), int32, [0]),
        (np.array([1.9, -1.9]), int32, [1, -1]),
        (np.array([0.0, -0.0, np.nan, 2.0]), bool_, [False, False, True, True]),
        (np.array([True]), float32, [1.0]),
        (True, int8, [1]),
        ([1, 0], bool_, [True, False]),
        (np.array([40000], np.uint16), int32, [40000]),
        (np.array([2**32 - 1], np.uint32), int64, [2**32 - 1]),
        (np.array([2**63], np.uint64), int64, [-(2**63)]),
        (np.array([2**64 - 1], np.uint64), bfloat16, [2.0**64]),
        (np.uint16(7), float16, [7.0]),
        (-(2.0**63), int64, [-(2**63)]),
        (-128.9, int8, [-128]),
        (np.float32(2147483520.0), int32, [2147483520]),
        (np.array([65519.0, 65520.0]), float16, [65504.0, np.inf]),
    ],
    ids=repr,
)
def test_numbers_in_another_dtype(data, dtype, expected):
    tensor = Tensor(data, dtype)
    assert tensor.dtype is dtype
    assert np.atleast_1d(dtypes.widen(tensor.array)).tolist() == expected


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (300, int8), ([0, -1], uint8), (2**31, int32), (2**63, None), ([2**63], None),
        ([-1, 2**63], None), ([2**64], None), ([-1, 2**64], float32), ([1.5, 2**64], None),
        (float("nan"), int32), (np.array([np.inf]), int64), (np.array(2.0**63), int64),
        (-129.0, int8), (np.float32(2**31), int32), ([np.nan], uint8),
    ],
    ids=repr,
)  # fmt: skip
def test_numbers_that_do_not_fit(data, dtype):
    refused("E0404", data, dtype)


LONG = "longdouble"
#: Where a long double is no more than a double, NumPy's name for it means float64.
HAS_LONG = np.dtype(LONG) != np.float64


@pytest.mark.parametrize(
    ("data", "name", "advice"),
    [
        (1j, "complex128", ".real"),
        (np.ones(2, np.complex64), "complex64", ".real"),
        ([1, 1j], "complex128", ".real"),
        ([1, None], "object", "one number type"),
        (np.array([{}]), "object", "one number type"),
        (["a"], "<U1", "integers"),
        (np.array(b"ab"), "|S2", "integers"),
        (np.ones(2, np.uint16), "uint16", "int64"),
        (np.uint32(1), "uint32", "int64"),
        (np.ones(2, ">u8"), ">u8", "int64"),
        (np.zeros(1, "M8[D]"), "datetime64[D]", "int64"),
        (np.zeros(1, "m8[s]"), "timedelta64[s]", "int64"),
        (np.zeros(1, [("a", "f4")]), "[('a', '<f4')]", "field"),
        (np.zeros(1, ml_dtypes.float8_e5m2), "float8_e5m2", "cast"),
        *([(np.longdouble(1), str(np.dtype(LONG)), "np.float64")] if HAS_LONG else []),
    ],
    ids=lambda x: str(x)[:20],
)
def test_elements_that_no_tensor_has(data, name, advice):
    text = refused("E0301", data)
    assert name in text and advice in text


@pytest.mark.parametrize("dtype", ["c8", "O", "U1", "M8[s]", [("a", "i4")]], ids=str)
def test_naming_a_dtype_does_not_help_what_is_no_number(dtype):
    refused("E0301", np.zeros(2, dtype), float32)


@pytest.mark.parametrize(
    "data",
    [None, "12", b"12", {1, 2}, {}, range(3), object(), iter([1]), arrays.array("d", [1.0]), len],
    ids=lambda x: type(x).__name__,
)
def test_what_is_no_data(data):
    refused("E0304", data)


def test_a_masked_array_would_lose_its_mask():
    assert "filled" in refused("E0304", np.ma.masked_array([1.0, 2.0], [True, False]))


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        ([[1], [1, 2]], "[0] has 1, [1] has 2"),
        ([[1, 2], (3, 4), []], "[0] has 2, [2] has 0"),
        ([[1], 2], "[0] has 1, [1] is a single number"),
        ([[[1]], [2]], "[0][0] has 1, [1][0] is a single number"),
        ([[[1], [2]], [[3], [4, 5]]], "[0][0] has 1, [1][1] has 2"),
        ([Tensor([1.0, 2.0]), [3.0]], "[0] has 2, [1] has 1"),
        ([np.zeros((2, 3)), np.zeros((2, 4))], "[0][0] has 3, [1][0] has 4"),
    ],
    ids=str,
)
def test_ragged_lists(data, rows):
    assert f"its rows differ in length: {rows}" in refused("E0401", data)


@pytest.mark.parametrize("dtype", [np.float32, "float32", float, np.dtype("f4"), 32], ids=repr)
def test_a_dtype_must_be_ours(dtype):
    assert "s2sad.float32" in refused("E0303", [1.0], dtype)


class OnlyArray:
    """An array of another library, with one way in; the next two have another."""

    def __init__(self, numbers):
        self.numbers = numbers

    def __array__(self, dtype=None, copy=None):
        return self.numbers


class OnlyInterface:
    def __init__(self, numbers):
        self.numbers = numbers
        self.__array_interface__ = numbers.__array_interface__


class OnlyDlpack:
    def __init__(self, numbers):
        self.numbers = numbers

    def __dlpack__(self, **options):
        return self.numbers.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()


@pytest.mark.parametrize("kind", [OnlyArray, OnlyInterface, OnlyDlpack])
def test_arrays_of_other_libraries_are_copied(kind):
    numbers = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = Tensor(kind(numbers))
    assert tensor.dtype is float32
    np.testing.assert_array_equal(tensor.array, numbers)
    assert not np.shares_memory(tensor.array, numbers)
    refused("E0301", kind(np.ones(2, np.complex64)))


class OnAnotherDevice(OnlyDlpack):
    def __dlpack__(self, **options):
        raise BufferError("not on the CPU")


def test_dlpack_that_fails_is_named():
    text = refused("E0408", OnAnotherDevice(np.ones(2)))
    assert "OnAnotherDevice" in text and "not on the CPU" in text


def test_init_fills_the_shape():
    assert Tensor(shape=(2, 2), dtype=float32, init=1.5).tolist() == [[1.5, 1.5], [1.5, 1.5]]
    assert Tensor(shape=3, dtype=bool_, init=True).tolist() == [True] * 3
    assert Tensor(shape=(), dtype=bfloat16, init=2).item() == 2.0
    assert Tensor(shape=(0, 2), dtype=int8, init=np.int64(1)).shape == (0, 2)
    tensor = Tensor(shape=(2,), dtype=int32, init=4)
    assert tensor.init_data() is tensor and not tensor.has_init
    assert tensor.is_sole_holder()


@pytest.mark.parametrize("dtype", [float16, bfloat16, float32, float64, int32], ids=str)
def test_init_may_be_a_callable_that_fills(dtype):
    seen = []

    def fill(array):
        seen.append(array.dtype)
        array[...] = np.arange(array.size).reshape(array.shape)

    tensor = Tensor(shape=(2, 3), dtype=dtype, init=fill)
    assert seen == [dtype.compute.storage] and tensor.dtype is dtype
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_init_is_refused_where_it_makes_no_sense():
    refused("E0302", [1.0], init=0.0)
    refused("E0302", init=0.0)
    refused("E0302", shape=(2,), init=0.0)
    refused("E0302", [1.0], shape=(1,))
    refused("E0302", shape=(2,))
    refused("E0302", [1.0], shape=(1,), dtype=float32)
    refused("E0303", shape=(2,), dtype=float32, init="zeros")
    refused("E0303", shape=(-1,), dtype=float32, init=0)
    refused("E0303", shape=(None, 2), dtype=float32, init=0)
    refused("E0303", shape=(2,), dtype=float32, init=lambda array: array + 1)
    refused("E0404", shape=(2,), dtype=int8, init=300)


@given(
    hnp.arrays(
        st.sampled_from(
            [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint8, np.bool_]
        ),
        hnp.array_shapes(min_dims=0, max_dims=3, min_side=0),
    )
)
@settings(max_examples=100, deadline=None)
def test_any_array_survives_bit_for_bit(data):
    tensor = Tensor(data)
    assert tensor.array.tobytes() == data.tobytes() and tensor.shape == data.shape
    assert tensor.asnumpy().tobytes() == data.tobytes()
    np.testing.assert_array_equal(np.array(tensor.tolist(), data.dtype).reshape(data.shape), data)


def test_without_ml_dtypes_bfloat16_is_taken_and_given_as_float32(monkeypatch):
    monkeypatch.delitem(sys.modules, "ml_dtypes")
    tensor = Tensor([1.5, 2.0], bfloat16)
    assert tensor.asnumpy().dtype == np.float32
    tensor.asnumpy()[0] = 7.0
    assert tensor.tolist() == [1.5, 2.0]
