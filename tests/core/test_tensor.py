"""Does a Tensor behave as an object, share the memory that it says, and know who else holds it?"""

from __future__ import annotations

import copy
import gc
import operator
import pickle
import sys
import weakref

import ml_dtypes
import numpy as np
import pytest

from s2sad.core import dispatch, dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dispatch import Slots
from s2sad.core.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64
from s2sad.core.parameter import Parameter
from s2sad.core.tensor import Tensor


def refused(code: str, function, *args, **kwargs) -> str:
    """The message with which a call fails."""
    with pytest.raises(S2sadError) as caught:
        function(*args, **kwargs)
    assert caught.value.code == code
    return str(caught.value)


def records(name: str):
    """An operation that tells how it was called."""
    return lambda *args, **kwargs: (name, *args, kwargs) if kwargs else (name, *args)


@pytest.fixture
def methods(monkeypatch):
    """Tensor methods that only tell how they were called."""
    table = {name: records(name) for name in ("astype", "reshape", "T", "mT", "__getitem__")}
    names = "add sub mul truediv floordiv mod pow matmul and or xor lt le gt ge neg pos invert abs"
    table |= {f"__{name}__": records(f"__{name}__") for name in names.split()}
    table["__eq__"] = lambda x, y: Tensor(x.array == np.asarray(y))
    table["__ne__"] = lambda x, y: Tensor(x.array != np.asarray(y))
    slots = Slots(
        table, records("call_cell"), records("call_transform"), records("derive"), records("launch")
    )
    monkeypatch.setattr(dispatch, "_filled", [slots])
    return table


def test_attributes():
    tensor = Tensor(np.zeros((2, 3), np.int32))
    assert tensor.shape == (2, 3) and tensor.dtype is int32
    assert (tensor.ndim, tensor.size, tensor.itemsize, tensor.nbytes) == (2, 6, 4, 24)
    assert tensor.strides == (12, 4) and tensor.is_contiguous()
    assert not Tensor.wrap(tensor.array.T).is_contiguous()
    scalar = Tensor(1.5, bfloat16)
    assert scalar.shape == () and scalar.size == 1 and scalar.nbytes == 2
    assert Tensor(np.zeros((2, 0))).size == 0


@pytest.mark.parametrize("name", ["shape", "dtype", "ndim", "size", "nbytes", "strides"])
def test_attributes_cannot_be_set(name):
    with pytest.raises(AttributeError):
        setattr(Tensor([1.0]), name, 1)


def test_a_misspelt_attribute_cannot_be_set():
    with pytest.raises(AttributeError):
        Tensor([1.0]).shaep = (1,)


def test_wrap_copies_nothing_and_gives_a_plain_tensor():
    array = np.zeros(2, np.float32)
    assert Tensor.wrap(array).array is array
    assert type(Parameter.wrap(array)) is Tensor


# -- operators and methods ----------------------------------------------------------------------

BINARY = {
    "__add__": operator.add, "__sub__": operator.sub, "__mul__": operator.mul,
    "__truediv__": operator.truediv, "__floordiv__": operator.floordiv, "__mod__": operator.mod,
    "__pow__": operator.pow, "__matmul__": operator.matmul, "__and__": operator.and_,
    "__or__": operator.or_, "__xor__": operator.xor,
}  # fmt: skip
ORDER = {"__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge}
UNARY = {
    "__neg__": operator.neg, "__pos__": operator.pos, "__invert__": operator.invert,
    "__abs__": abs,
}  # fmt: skip


@pytest.mark.parametrize("name", [*BINARY, *ORDER])
def test_binary_operators_are_looked_up_by_name(methods, name):
    x, y = Tensor([1.0]), Tensor([2.0])
    function = {**BINARY, **ORDER}[name]
    for other in (y, 3, 2.5, True, np.ones(1), np.float32(1)):
        found = function(x, other)
        assert found[0] == name and found[1] is x and found[2] is other


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "other",
    [3, 2.5, np.ones(3), np.array(2.0), np.float32(2), np.float64(2), np.int64(2)],
    ids=repr,
)
def test_reflected_operators_exchange_the_operands(methods, name, other):
    x = Tensor([1.0])
    found = BINARY[name](other, x)
    assert found[0] == name and found[1] is other and found[2] is x


MIRRORED = {"__lt__": "__gt__", "__le__": "__ge__", "__gt__": "__lt__", "__ge__": "__le__"}


@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize("other", [3, np.ones(3), np.float64(2)], ids=repr)
def test_order_with_the_tensor_on_the_right_is_mirrored(methods, name, other):
    x = Tensor([1.0])
    found = ORDER[name](other, x)
    assert found[0] == MIRRORED[name] and found[1] is x and found[2] is other


@pytest.mark.parametrize("name", UNARY)
def test_unary_operators(methods, name):
    x = Tensor([1.0])
    assert UNARY[name](x) == (name, x)


def test_indexing(methods):
    x = Tensor([1.0])
    for index in (0, slice(1, 2), (0, None), ..., x):
        name, owner, given = x[index]
        assert name == "__getitem__" and owner is x and given is index


def test_augmented_assignment_rebinds(methods):
    x = y = Tensor([1.0])
    y += 2
    assert y[0] == "__add__" and x.tolist() == [1.0]


def test_comparison_with_none_is_python(methods):
    x = Tensor([1.0])
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert (None == x) is False and (None != x) is True  # noqa: E711
    assert (x == 1.0).tolist() == [True] and (1.0 == x).tolist() == [True]
    assert (np.ones(1) == x).tolist() == [True] and (x != 1.0).tolist() == [False]


def test_membership_asks_for_equal_elements(methods):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert 3.0 in x and 5.0 not in x
    assert Tensor([[3.0]]) in x
    assert 1.0 not in Tensor([])


def test_a_tensor_is_hashed_by_identity(methods):
    x, y = Tensor([1.0]), Tensor([1.0])
    assert len({x, y, x}) == 2 and {x: 1}[x] == 1
    assert hash(x) == hash(x)


def test_methods_are_bound(methods):
    x = Tensor([1.0])
    assert x.reshape(2, 3) == ("reshape", x, 2, 3)
    assert x.astype(dtype=1) == ("astype", x, {"dtype": 1})
    assert x.T == ("T", x) and x.mT == ("mT", x)
    bound = x.reshape
    assert bound.__self__ is x and bound.__func__ is methods["reshape"]


def test_what_does_not_exist_says_what_does(methods):
    x = Tensor([1.0])
    with pytest.raises(AttributeError) as caught:
        x.reshap(2)
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0220"
    assert "did you mean reshape?" in str(caught.value)
    assert "did you mean" not in refused("E0220", getattr, x, "zzzzzz")
    assert not hasattr(x, "zzzzzz") and not hasattr(x, "__array_interface__")


def test_an_operator_that_ops_lacks_is_named(methods):
    del methods["__floordiv__"]
    assert "__floordiv__" in refused("E0220", operator.floordiv, Tensor([1.0]), 2)


@pytest.mark.parametrize("name", ["lshift", "rshift"])
def test_shifts_come_from_the_table(methods, name):
    shift = getattr(operator, name)
    assert f"__{name}__" in refused("E0220", shift, Tensor([1]), 1)
    methods[f"__{name}__"] = lambda x, y: (x, y)
    one = Tensor([1])
    assert shift(one, 2) == (one, 2) and shift(2, one) == (2, one)


def test_writing_to_elements_comes_from_the_table(methods):
    methods["__setitem__"] = lambda x, index, value: Tensor([value + index])
    tensor = Tensor([1.0])
    seen = tensor.asnumpy()
    tensor[2] = 3.0
    assert tensor.item() == 5.0 and seen.item() == 1.0


def test_a_tensor_that_is_not_made_yet_has_no_attributes():
    with pytest.raises(AttributeError):
        Tensor.__new__(Tensor).array


# -- Python's protocols -------------------------------------------------------------------------

ONE = [((), 2.0), ((1,), 2.0), ((1, 1), 2.0)]


@pytest.mark.parametrize(("shape", "number"), ONE)
@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_one_element_is_a_number(shape, number, dtype):
    tensor = Tensor(np.full(shape, number), dtype)
    expected = dtype is bool_ or number
    assert tensor.item() == expected
    assert type(tensor.item()) is (float if dtype.is_float else bool if dtype is bool_ else int)
    assert bool(tensor) is True and int(tensor) == expected and float(tensor) == expected
    assert complex(tensor) == expected


@pytest.mark.parametrize("shape", [(0,), (2,), (1, 2), (2, 0)])
@pytest.mark.parametrize("function", [bool, int, float, operator.index, Tensor.item])
def test_other_sizes_are_no_number(shape, function):
    text = refused("E0405", function, Tensor(np.ones(shape, np.int64)))
    assert str(shape) in text
    with pytest.raises(ValueError):
        function(Tensor(np.ones(shape, np.int64)))


def test_truth_of_zero_and_nan():
    assert not Tensor(0.0) and not Tensor(-0.0) and not Tensor([0]) and not Tensor(False)
    assert Tensor(float("nan")) and Tensor(1e-45)


def test_index():
    assert [10, 20, 30][Tensor(1)] == 20 and [10, 20][Tensor([True])] == 20
    assert list(range(5))[Tensor(1) : Tensor([3], int8)] == [1, 2]
    refused("E0301", operator.index, Tensor(1.0))
    with pytest.raises(TypeError):
        [1, 2][Tensor(1.0)]


def test_int_of_what_is_no_integer_is_pythons_error():
    assert int(Tensor(-2.7)) == -2
    with pytest.raises(ValueError):
        int(Tensor(float("nan")))
    with pytest.raises(OverflowError):
        int(Tensor(float("inf")))


def test_length_and_iteration():
    tensor = Tensor([[1, 2], [3, 4]])
    assert len(tensor) == 2 and [row.tolist() for row in tensor] == [[1, 2], [3, 4]]
    assert all(isinstance(row, Tensor) and row.dtype is int64 for row in tensor)
    assert [x.shape for x in Tensor([1.0, 2.0], bfloat16)] == [(), ()]
    first, second = Tensor([1.5, 2.5], bfloat16)
    assert (first.item(), second.item()) == (1.5, 2.5) and first.dtype is bfloat16
    assert list(Tensor([])) == [] and len(Tensor(np.zeros((0, 3)))) == 0
    assert type(next(iter(Parameter([1.0])))) is Tensor


@pytest.mark.parametrize("function", [len, iter, list, lambda x: [*x]])
def test_a_0d_tensor_has_no_length(function):
    with pytest.raises(TypeError) as caught:
        function(Tensor(1.0))
    assert isinstance(caught.value, S2sadError) and caught.value.code == "E0304"


def test_tolist():
    assert Tensor([[1.5, 2.0]], bfloat16).tolist() == [[1.5, 2.0]]
    assert Tensor(3).tolist() == 3 and Tensor([]).tolist() == []
    assert Tensor(0.1).tolist() == float(np.float32(0.1))
    assert Tensor([True]).tolist() == [True]


# -- text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tensor", "text"),
    [
        (Tensor([1.0, -2.5]),
         "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00, -2.50000000e+00])"),
        (Tensor([1.0, float("nan"), float("-inf")], float16),
         "Tensor(shape=[3], dtype=Float16, value= [ 1.0000e+00,  nan, -inf])"),
        (Tensor([0.1], float64),
         "Tensor(shape=[1], dtype=Float64, value= [ 1.0000000000000001e-01])"),
        (Tensor([1.5], bfloat16), "Tensor(shape=[1], dtype=BFloat16, value= [ 1.5000e+00])"),
        (Tensor([1, -2]), "Tensor(shape=[2], dtype=Int64, value= [ 1, -2])"),
        (Tensor([[1, 2], [3, 4]], int32),
         "Tensor(shape=[2, 2], dtype=Int32, value=\n[[1, 2],\n [3, 4]])"),
        (Tensor([True, False]), "Tensor(shape=[2], dtype=Bool, value= [ True, False])"),
        (Tensor(0.1), "Tensor(shape=[], dtype=Float32, value= 0.1)"),
        (Tensor(7), "Tensor(shape=[], dtype=Int64, value= 7)"),
        (Tensor(True), "Tensor(shape=[], dtype=Bool, value= True)"),
        (Tensor([]), "Tensor(shape=[0], dtype=Float32, value= [])"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_repr(tensor, text):
    assert repr(tensor) == text


def test_str_is_numpys():
    assert str(Tensor([1.0, 2.5])) == "[1.  2.5]"
    assert str(Tensor([1.5, 2.0], bfloat16)) == "[1.5 2. ]"
    assert str(Tensor(0.1)) == "0.1" and str(Tensor(2, bfloat16)) == "2.0"
    assert f"{Tensor([1, 2])}" == "[1 2]"


def test_format_of_one_element():
    assert f"{Tensor(3.14159):.2f}" == "3.14" and f"{Tensor([[7]]):03d}" == "007"
    assert f"{Tensor(1.5, bfloat16):.1e}" == "1.5e+00"
    with pytest.raises(ValueError):
        format(Tensor([1.0, 2.0]), ".2f")


def test_a_large_tensor_is_shortened():
    assert len(repr(Tensor(np.zeros(100_000)))) < 300


# -- memory -------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [Tensor.asnumpy, Tensor.numpy, np.asarray])
def test_numpy_arrays_share_memory_both_ways(read):
    tensor = Tensor([1.0, 2.0, 3.0])
    array = read(tensor)
    array[0] = 9.0
    tensor.array[1] = 8.0
    assert tensor.tolist() == array.tolist() == [9.0, 8.0, 3.0]
    assert array is not tensor.array


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_a_numpy_array_cannot_change_the_shape_of_its_tensor():
    tensor = Tensor([[1.0, 2.0]])
    array = tensor.asnumpy()
    array.shape = (2, 1)
    assert tensor.shape == (1, 2)


def test_bfloat16_as_ml_dtypes():
    tensor = Tensor([1.5, 2.0], bfloat16)
    array = tensor.asnumpy()
    assert array.dtype == ml_dtypes.bfloat16 and array.tolist() == [1.5, 2.0]
    array[0] = 3.0
    assert tensor.tolist() == [3.0, 2.0]


def test_array_protocol_with_a_dtype():
    tensor = Tensor([1.5, 2.5])
    assert np.asarray(tensor, np.float32).dtype == np.float32
    assert np.asarray(tensor, np.int64).tolist() == [1, 2]
    assert np.array(tensor, "f2").dtype == np.float16
    narrow = Tensor([1.5, 2.5], bfloat16)
    assert np.asarray(narrow, np.float64).tolist() == [1.5, 2.5]
    assert np.asarray(narrow, np.uint16).tolist() == [1, 2]  # numbers, not bits
    assert np.asarray(narrow, ml_dtypes.bfloat16).dtype == ml_dtypes.bfloat16


def test_array_protocol_copies_when_told():
    tensor = Tensor([1.5, 2.5])
    for array in (
        np.array(tensor),
        tensor.__array__(copy=True),
        tensor.__array__(np.float32, True),
    ):
        assert not np.shares_memory(array, tensor.array)
    for array in (tensor.__array__(), tensor.__array__(copy=False), tensor.__array__(copy=None)):
        assert np.shares_memory(array, tensor.array)
    refused("E0408", tensor.__array__, np.float64, copy=False)
    assert tensor.__array__(np.float64, copy=None).tolist() == [1.5, 2.5]


def test_bfloat16_without_ml_dtypes_cannot_share(monkeypatch):
    tensor = Tensor([1.5], bfloat16)
    monkeypatch.delitem(sys.modules, "ml_dtypes")
    assert np.asarray(tensor).dtype == np.float32 and np.array(tensor).tolist() == [1.5]
    refused("E0408", tensor.__array__, copy=False)
    assert tensor.__array__(copy=True).tolist() == [1.5]


def test_functions_of_numpy_take_a_tensor_for_an_array():
    tensor = Tensor([0.0, 1.0])
    found = np.exp(tensor)
    assert type(found) is np.ndarray and found.dtype == np.float32
    np.testing.assert_array_equal(np.concatenate([tensor, tensor]), [0, 1, 0, 1])
    np.testing.assert_allclose(tensor, [0.0, 1.0])
    assert type(np.add(np.ones(2), tensor)) is np.ndarray


def test_operators_of_numpy_leave_it_to_the_tensor():
    array, tensor = np.array([1.0, 2.0]), Tensor([0.5, 3.0])
    for found in (array + tensor, tensor + array):
        assert type(found) is Tensor and found.dtype is float64 and found.tolist() == [1.5, 5.0]
    assert type(array < tensor) is Tensor and (array < tensor).tolist() == [False, True]
    refused("E0304", lambda: array @ tensor)
    array += tensor
    assert type(array) is Tensor and array.tolist() == [1.5, 5.0]


def test_constants_are_copied_before_they_can_be_written_to():
    constant = np.broadcast_to(np.float32(1.0), (3,))
    tensor = Tensor.wrap(constant)
    assert not tensor.is_sole_holder()
    tensor.asnumpy()[0] = 5.0
    assert tensor.tolist() == [5.0, 1.0, 1.0] and constant.tolist() == [1.0, 1.0, 1.0]
    assert np.shares_memory(tensor.asnumpy(), tensor.array)


def test_from_numpy_shares_memory():
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    for view in (array, array.T, array[::-1, ::2]):
        tensor = Tensor.from_numpy(view)
        assert np.shares_memory(tensor.array, array) and tensor.shape == view.shape
        np.testing.assert_array_equal(tensor.array, view)
    array[0, 0] = 7.0
    assert Tensor.from_numpy(array).tolist()[0][0] == 7.0
    narrow = np.array([1.5], ml_dtypes.bfloat16)
    tensor = Tensor.from_numpy(narrow)
    narrow[0] = 2.5
    assert tensor.dtype is bfloat16 and tensor.tolist() == [2.5]


@pytest.mark.filterwarnings("ignore:Setting the shape:DeprecationWarning")
def test_a_shared_array_cannot_change_the_shape_of_its_tensor():
    array = np.zeros((1, 2))
    tensor = Tensor.from_numpy(array)
    array.shape = (2, 1)
    assert tensor.shape == (1, 2)


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("array", "code"),
    [
        (read_only(np.ones(2)), "E0408"),
        (np.ones(2, ">f4" if sys.byteorder == "little" else "<f4"), "E0408"),
        (np.lib.stride_tricks.as_strided(np.ones(2), (3, 2), (0, 8)), "E0408"),
        (np.frombuffer(bytearray(9), np.float64, offset=1), "E0408"),
        (np.ones(2, np.uint16), "E0301"), (np.ones(2, np.complex64), "E0301"),
        (np.array([None]), "E0301"), (np.ma.masked_array([1.0]), "E0304"), ([1.0], "E0304"),
        (1.0, "E0304"), (np.float32(1), "E0304"), (None, "E0304"),
    ],
    ids=["read-only", "byte order", "overlap", "unaligned", "uint16", "complex", "object", "masked",
         "list", "number", "scalar", "None"],
)  # fmt: skip
def test_what_cannot_be_shared_is_refused(array, code):
    refused(code, Tensor.from_numpy, array)


def test_dlpack_goes_out_without_a_copy():
    tensor = Tensor([1.0, 2.0])
    array = np.from_dlpack(tensor)
    assert np.shares_memory(array, tensor.array) and array.tolist() == [1.0, 2.0]
    assert tensor.__dlpack_device__() == (1, 0)
    again = Tensor.from_dlpack(tensor)
    assert np.shares_memory(again.array, tensor.array)
    assert "float32" in refused("E0301", np.from_dlpack, Tensor([1.0], bfloat16))


def test_dlpack_comes_in_without_a_copy():
    array = np.arange(4, dtype=np.int32)
    tensor = Tensor.from_dlpack(array)
    array[0] = 9
    assert tensor.dtype is int32 and tensor.tolist() == [9, 1, 2, 3]
    refused("E0304", Tensor.from_dlpack, [1.0])
    refused("E0301", Tensor.from_dlpack, np.ones(2, np.complex64))
    refused("E0301", Tensor.from_dlpack, np.ones(2, np.uint16))


class ReadOnly:
    """An exporter whose memory nobody may write to."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        view = self.array.view()
        # An older NumPy does not hand out read-only memory, and takes in all as such.
        view.flags.writeable = np.lib.NumpyVersion(np.__version__) < "2.1.0"
        return view.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_read_only_dlpack_stays_shared_and_read_only():
    array = np.arange(3.0)
    tensor = Tensor.from_dlpack(ReadOnly(array))
    view = tensor.asnumpy()
    array[0] = 9.0
    assert tensor.tolist() == view.tolist() == [9.0, 1.0, 2.0]
    with pytest.raises(ValueError):
        view[0] = 1.0
    assert not tensor.is_sole_holder()


# -- holders ------------------------------------------------------------------------------------


def test_a_new_tensor_is_the_sole_holder():
    for _ in range(50):  # also once the interpreter has specialised the code
        for tensor in (Tensor([1.0]), Tensor(1.0), Tensor([]), Tensor([1], bfloat16)):
            assert tensor.is_sole_holder()
    views = [
        Tensor.wrap(np.arange(6.0).reshape(2, 3)),
        Tensor.wrap(np.arange(6.0)[2:].reshape(2, 2).T),
    ]
    assert [view.is_sole_holder() for view in views] == [True, True]


def torch_like(tensor):
    return np.from_dlpack(tensor)


@pytest.mark.parametrize(
    "hold",
    [
        Tensor.asnumpy,
        np.asarray,
        lambda t: t.array,
        lambda t: t.asnumpy()[1:],
        lambda t: t.asnumpy().reshape(3, 1).T,
        lambda t: memoryview(t.asnumpy()),
        lambda t: t.asnumpy().flat,
        lambda t: Tensor.wrap(t.array),
        lambda t: Tensor.wrap(t.array[1:]),
        lambda t: next(iter(t)),
        lambda t: t.asnumpy().__dlpack__(),
        torch_like,
        lambda t: [t.array],
        lambda t: iter(t),
    ],
)
@pytest.mark.parametrize(
    "make",
    [lambda: Tensor([1.0, 2.0, 3.0]), lambda: Tensor.wrap(np.arange(6.0)[::2].reshape(3))],
    ids=["own", "view"],
)
def test_other_holders_are_seen_until_they_die(hold, make):
    tensor = make()
    assert tensor.is_sole_holder()
    other = hold(tensor)
    is_iterator = hasattr(other, "__next__") and not isinstance(other, np.flatiter)
    assert tensor.is_sole_holder() == is_iterator  # an iterator holds the tensor, not its memory
    del other
    gc.collect()
    assert tensor.is_sole_holder()


def test_a_shared_array_has_two_holders_while_its_variable_lives():
    array = np.arange(3.0)
    tensor = Tensor.from_numpy(array)
    assert not tensor.is_sole_holder()
    del array
    assert tensor.is_sole_holder()


def test_memory_of_others_never_has_a_sole_holder(tmp_path):
    buffer = bytearray(16)
    assert not Tensor.wrap(np.frombuffer(buffer)).is_sole_holder()
    file = np.memmap(tmp_path / "x", np.float32, "w+", shape=(4,))
    tensor = Tensor.from_numpy(file)
    assert not tensor.is_sole_holder()
    tensor.asnumpy()[0] = 2.0
    assert file[0] == 2.0
    assert not Tensor.from_dlpack(np.arange(3)).is_sole_holder()


def test_a_weak_reference_is_no_holder():
    tensor = Tensor([1.0])
    reference = weakref.ref(tensor)
    assert tensor.is_sole_holder() and reference() is tensor
    del tensor
    assert reference() is None


# -- copies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("dtype", [float32, bfloat16, int8, bool_], ids=str)
def test_copies_have_memory_of_their_own(function, dtype):
    tensor = Tensor([1, 0, 1], dtype)
    twin = function(tensor)
    assert type(twin) is Tensor and twin.dtype is dtype and twin.tolist() == tensor.tolist()
    twin.asnumpy()[0] = 0
    assert tensor.tolist() == [1, 0, 1]
    assert twin.is_sole_holder()


def test_deepcopy_keeps_one_tensor_one():
    tensor = Tensor([1.0])
    pair = copy.deepcopy([tensor, tensor, {"x": tensor}])
    assert pair[0] is pair[1] is pair[2]["x"] and pair[0] is not tensor


class Tagged(Tensor):
    """A subclass with attributes of its own."""


def test_subclasses_keep_class_and_attributes():
    tensor = Tagged([1.0])
    tensor.tags = ["a"]
    twin = copy.deepcopy(tensor)
    assert type(twin) is Tagged and twin.tags == ["a"] and twin.tags is not tensor.tags


def test_pickling_is_refused():
    for tensor in (Tensor([1.0]), Parameter([1.0])):
        with pytest.raises(TypeError) as caught:
            pickle.dumps(tensor)
        assert isinstance(caught.value, S2sadError) and caught.value.code == "E0309"
        assert "asnumpy" in str(caught.value)
