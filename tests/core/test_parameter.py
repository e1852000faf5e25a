"""Does a Parameter keep its name, its dtype and its shape, and nobody else's numbers change?"""

from __future__ import annotations

import copy
import threading
from typing import Any

import numpy as np
import pytest

from s2sad.core import changes, dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dtypes import bfloat16, bool_, float16, float32, float64, int8, int32, int64
from s2sad.core.parameter import WRITING, Parameter, ParameterTuple, withheld
from s2sad.core.tensor import Tensor


def refused(code: str, function, *args, **kwargs) -> str:
    """The message with which a call fails."""
    with pytest.raises(S2sadError) as caught:
        function(*args, **kwargs)
    assert caught.value.code == code
    return str(caught.value)


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (1, int32), (1.5, float32), ([1, 2], int64), ([1.0], float32), (np.ones(2), float64),
        (Tensor([1.0], bfloat16), bfloat16), (np.float64(1), float64), (Tensor(True), bool_),
        (np.int8(1), int8),
    ],
    ids=repr,
)  # fmt: skip
def test_dtype_of_the_data(data, dtype):
    assert Parameter(data).dtype is dtype


@pytest.mark.parametrize("data", [True, None, "zeros", {1}], ids=repr)
def test_what_is_no_data(data):
    refused("E0304", Parameter, data)


def test_the_data_are_copied():
    source = Tensor([1.0, 2.0])
    parameter = Parameter(source)
    source.asnumpy()[0] = 9.0
    assert parameter.tolist() == [1.0, 2.0]
    assert isinstance(parameter, Tensor)


def test_attributes():
    parameter = Parameter(1.0, "w", False, True, False)
    assert (parameter.name, parameter.requires_grad) == ("w", False)
    assert parameter.layerwise_parallel and not parameter.parallel_optimizer
    plain = Parameter(1.0)
    assert plain.requires_grad and not plain.layerwise_parallel and plain.parallel_optimizer
    assert plain.version == 0 and plain.init_data() is plain and not plain.has_init


def test_a_placeholder_name_until_there_is_one():
    first, second = Parameter(1.0), Parameter(1.0)
    assert first.name.startswith("Parameter#") and first.name != second.name
    assert not first.is_named and Parameter(1.0, name="w").is_named
    first.name = "w"
    assert first.name == "w" and first.is_named


@pytest.mark.parametrize(("name", "code"), [("", "E0404"), (3, "E0303"), (b"w", "E0303")])
def test_bad_names(name, code):
    refused(code, Parameter, 1.0, name)
    refused(code, setattr, Parameter(1.0), "name", name)


@pytest.mark.parametrize(
    "flags",
    [{"requires_grad": 1}, {"layerwise_parallel": None}, {"parallel_optimizer": "yes"}],
    ids=str,
)
def test_flags_are_bools(flags):
    refused("E0303", Parameter, 1.0, **flags)


def test_name_and_flag_count_as_changes_of_the_program():
    parameter = Parameter(1.0, "w")
    for name, value in (("name", "v"), ("requires_grad", False)):
        before = changes.count()
        setattr(parameter, name, value)
        assert changes.count() > before and getattr(parameter, name) == value
    refused("E0303", setattr, parameter, "requires_grad", 0)
    assert parameter.requires_grad is False


def test_text():
    parameter = Parameter(np.ones((1,), np.float32), name="w")
    text = "Parameter (name=w, shape=(1,), dtype=Float32, requires_grad=True)"
    assert str(parameter) == repr(parameter) == f"{parameter}" == text
    assert f"{parameter:.1f}" == "1.0"


# -- new data -----------------------------------------------------------------------------------


def test_set_data_casts_and_counts():
    parameter = Parameter([1.0, 2.0], name="w")
    assert parameter.set_data(Tensor([3, 4])) is parameter
    assert parameter.tolist() == [3.0, 4.0] and parameter.dtype is float32
    assert parameter.version == 1
    parameter.set_data(np.array([0.1, 1e300]))
    assert parameter.tolist() == [float(np.float32(0.1)), np.inf] and parameter.version == 2
    parameter.set_data([True, False])
    assert parameter.tolist() == [1.0, 0.0]
    parameter.set_data(Parameter([7.0, 8.0]))
    assert parameter.tolist() == [7.0, 8.0]
    parameter.set_data(parameter)
    assert parameter.tolist() == [7.0, 8.0] and parameter.name == "w"


def test_set_data_keeps_float64_and_bfloat16_exact():
    parameter = Parameter(np.zeros(1))
    parameter.set_data([0.1])
    assert parameter.item() == 0.1
    narrow = Parameter(Tensor([0.0], bfloat16))
    narrow.set_data(np.array([1 + 2.0**-8 + 2.0**-40]))
    assert narrow.array.tolist() == [0x3F81]


@pytest.mark.parametrize(
    ("held", "data"),
    [
        (1, 2.0), (1, Tensor(2.0)), (1, np.float16(2)), (Tensor(1, int8), Tensor(1.0, bfloat16)),
        (Tensor(True), 1), (Tensor(True), Tensor(1.0)),
    ],
)  # fmt: skip
def test_data_do_not_go_down_from_floats_to_integers(held, data):
    parameter = Parameter(held, name="count")
    assert "count" in refused("E0301", parameter.set_data, data)
    assert parameter.item() == 1 and parameter.version == 0


@pytest.mark.parametrize("data", [[1.0], [[1.0, 2.0]], 1.0, [1.0, 2.0, 3.0], []])
def test_the_shape_stays(data):
    parameter = Parameter([1.0, 2.0], name="w")
    text = refused("E0401", parameter.set_data, data)
    assert "w" in text and "(2,)" in text
    refused("E0401", parameter.set_data, data, slice_shape=True)
    assert parameter.tolist() == [1.0, 2.0] and parameter.version == 0


def test_new_data_are_nobody_elses():
    parameter, data = Parameter([1.0, 2.0]), np.float32([3.0, 4.0])
    parameter.set_data(data)
    assert parameter.is_sole_holder()
    assert not np.shares_memory(parameter.array, data)


def test_what_is_withheld_is_read_by_nobody_else():
    parameter, other = Parameter([1.0, 2.0], name="w"), Parameter([3.0], name="v")
    memory = parameter.array.ctypes.data
    seen: list[Any] = []
    reading = threading.Thread(target=lambda: seen.append(parameter.tolist()))
    view = other.asnumpy()
    with WRITING:
        arrays = [other.array, parameter.array]
        with withheld({1: parameter, 0: other}, arrays) as alone:
            assert alone == [1]  # of the other somebody has a view
            assert other.tolist() == view.tolist() == [3.0]
            reading.start()
            reading.join(0.05)
            assert reading.is_alive() and not seen
            with pytest.raises(AttributeError):  # not even whoever withholds it
                parameter.array  # noqa: B018
            arrays[1][:] = [5.0, 6.0]
    reading.join(10)
    assert seen == [[5.0, 6.0]] and parameter.array.ctypes.data == memory


def test_what_is_withheld_comes_back_after_an_error():
    parameter = Parameter([1.0, 2.0], name="w")
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), WRITING:
            with withheld({0: parameter}, [parameter.array]) as alone:
                assert alone == [0]
                raise error
        assert parameter.tolist() == [1.0, 2.0] and parameter.is_sole_holder()


@pytest.mark.parametrize("read", [Tensor.asnumpy, Parameter.value, lambda p: p.asnumpy()[:1], iter])
def test_other_holders_keep_their_numbers(read):
    parameter = Parameter([1.0, 2.0])
    other = next(iter(read(parameter))) if read is iter else read(parameter)
    before = np.array(other)
    parameter.set_data([3.0, 4.0])
    np.testing.assert_array_equal(other, before)
    assert parameter.tolist() == [3.0, 4.0]


def test_set_data_from_a_view_of_itself():
    parameter = Parameter([1.0, 2.0, 3.0])
    parameter.set_data(parameter.asnumpy()[::-1])
    assert parameter.tolist() == [3.0, 2.0, 1.0]
    parameter.set_data(Tensor.wrap(parameter.array[::-1]))
    assert parameter.tolist() == [1.0, 2.0, 3.0]


def test_the_value_is_a_tensor_without_a_name():
    parameter = Parameter([1.0], name="w")
    value = parameter.value()
    assert type(value) is Tensor and np.shares_memory(value.array, parameter.array)


def test_adopt_takes_the_array_itself():
    parameter = Parameter([1.0, 2.0], name="w")
    array = np.array([5.0, 6.0], np.float32)
    parameter.adopt(array)
    assert parameter.array is array and parameter.version == 1
    for wrong in (np.zeros(2), np.zeros(3, np.float32), np.zeros((1, 2), np.float32)):
        refused("E0901", parameter.adopt, wrong)
    assert parameter.array is array and parameter.version == 1


# -- copies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [copy.copy, copy.deepcopy, Parameter.clone])
def test_copies_keep_name_and_flags(function):
    parameter = Parameter([1.0, 2.0], name="w", requires_grad=False, layerwise_parallel=True)
    parameter.set_data([3.0, 4.0])
    parameter.comm_fusion = 2
    twin = function(parameter)
    assert type(twin) is Parameter and (twin.name, twin.requires_grad) == ("w", False)
    assert twin.layerwise_parallel and twin.comm_fusion == 2 and twin.version == 0
    twin.set_data([0.0, 0.0])
    assert parameter.tolist() == [3.0, 4.0] and twin.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("dtype", [float32, bfloat16, float16, int8, bool_], ids=str)
@pytest.mark.parametrize(("init", "number"), [("zeros", 0), ("ones", 1), (1, 1), (True, 1)])
def test_clone_with_other_data(dtype, init, number):
    parameter = Parameter(Tensor([[0, 1]], dtype), name="w")
    twin = parameter.clone(init)
    assert twin.dtype is dtype and twin.tolist() == [[number, number]] and twin.name == "w"
    assert parameter.tolist() == [[0, 1]]


def test_clone_from_a_tensor_or_a_callable():
    parameter = Parameter([1.0, 2.0])
    assert parameter.clone(Tensor([5, 6])).tolist() == [5.0, 6.0]
    assert parameter.clone(lambda array: array.fill(7)).tolist() == [7.0, 7.0]
    refused("E0401", parameter.clone, Tensor([5.0]))
    assert "'same'" in refused("E0404", parameter.clone, "normal")
    refused("E0303", parameter.clone, [1.0, 2.0])


# -- tuples -------------------------------------------------------------------------------------


def test_a_tuple_of_parameters():
    a, b = Parameter(1.0, name="a"), Parameter(2.0, name="b")
    pair = ParameterTuple(x for x in (a, b))
    assert isinstance(pair, tuple) and len(pair) == 2 and pair[0] is a and pair[1] is b
    assert len(ParameterTuple([])) == 0
    assert [p.name for p in ParameterTuple([a, a])] == ["a", "a"]


def test_two_parameters_of_one_name():
    text = refused("E0406", ParameterTuple, [Parameter(1.0, name="w"), Parameter(2.0, name="w")])
    assert "'w'" in text
    with pytest.raises(ValueError):
        ParameterTuple([Parameter(1.0, name="w"), Parameter(2.0, name="w")])


@pytest.mark.parametrize("member", [Tensor(1.0), 1.0, None, "w"], ids=repr)
def test_only_parameters_are_members(member):
    refused("E0304", ParameterTuple, [member])


def test_clone_of_a_tuple_renames():
    pair = ParameterTuple([Parameter([1.0], name="fc.w"), Parameter([2.0], name="fc.b")])
    moments = pair.clone("moments", init="zeros")
    assert isinstance(moments, ParameterTuple)
    assert [p.name for p in moments] == ["moments.fc.w", "moments.fc.b"]
    assert [p.tolist() for p in moments] == [[0.0], [0.0]]
    assert [p.name for p in pair] == ["fc.w", "fc.b"]
    assert [p.tolist() for p in pair.clone("same")] == [[1.0], [2.0]]


def test_deepcopy_of_a_tuple():
    parameter = Parameter([1.0], name="w")
    twin_tuple, twin = copy.deepcopy((ParameterTuple([parameter]), parameter))
    assert type(twin_tuple) is ParameterTuple and twin_tuple[0] is twin is not parameter


@pytest.mark.parametrize("dtype", dtypes.ALL, ids=str)
def test_every_dtype_may_be_a_parameter(dtype):
    parameter = Parameter(Tensor([1, 0], dtype))
    assert parameter.dtype is dtype and parameter.set_data(Tensor([0, 1], dtype)).tolist() == [0, 1]
