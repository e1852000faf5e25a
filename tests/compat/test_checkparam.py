"""Do MindSpore's checks let pass what is right, give it back, and name what is wrong?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import compat
from s2sad.core.diagnostics import S2sadError
from support.forms import both_forms, refused


@pytest.fixture(autouse=True)
def served():
    compat.serve()
    yield
    compat.withdraw()


def checks():
    from mindspore import _checkparam

    return _checkparam


INF = float("inf")
#: Of checks with one value: what is let pass, what is of another kind, what has another value.
SIMPLE = {
    "check_positive_int": ([1, 10**400], [True, 1.0, "1", None, np.int64(1)], [0, -1]),
    "check_non_negative_int": ([0, 3], [False, 0.0], [-1]),
    "check_negative_int": ([-1], [-1.0], [0, 1]),
    "check_non_positive_int": ([0, -3], [0.0], [1]),
    "check_positive_float": ([0.5, np.float64(2)], [1, True], [0.0, -0.0, -1.0, INF, float("nan")]),
    "check_non_negative_float": ([0.0, -0.0], [0], [-0.1, INF]),
    "check_negative_float": ([-0.5], [-1], [0.0, -INF]),
    "check_non_positive_float": ([0.0, -2.5], [0], [0.1]),
    "check_positive_int_sequence": ([(1, 2), [3], ()], [(1, 2.0)], [[1, 0]]),
    "check_non_negative_int_sequence": ([(0, 2)], [(True,)], [[-1]]),
    "check_positive_float_sequence": ([(0.5,)], [(1,)], [[0.0]]),
    "check_is_int": ([0, -3], [True, 1.5], []),
    "check_is_float": ([0.5], [1, "1"], [INF]),
    "check_bool": ([True, False], [1, None], []),
    "check_input_format": (["NCHW"], [], ["NHWC", None]),
}


@pytest.mark.parametrize("name", SIMPLE)
def test_checks_of_one_value(name):
    check = getattr(checks(), name)
    passed, of_another_kind, of_another_value = SIMPLE[name]
    for value in passed:
        assert check(value) is value
    for values, code, kind in (
        (of_another_kind, "E0303", TypeError), (of_another_value, "E0404", ValueError),
    ):  # fmt: skip
        for value in values:
            with pytest.raises(kind, match=code) as caught:
                check(value)
            assert isinstance(caught.value, S2sadError)
            place = caught.value.diagnostic.location
            assert place is not None and place.file == __file__


@pytest.mark.parametrize(
    ("rel", "passed", "refused"),
    [
        ("EQ", [2], [1, 3]), ("NE", [1, 3], [2]), ("LT", [1], [2, 3]), ("LE", [1, 2], [3]),
        ("GT", [3], [1, 2]), ("GE", [2, 3], [1]),
    ],
)  # fmt: skip
def test_relations(rel, passed, refused):
    c = checks()
    for value in passed:
        assert c.check_int(value, 2, getattr(c, rel), "steps") == value
        assert c.check("steps", value, "size", 2, getattr(c.Rel, rel)) == value
        assert c.check_number("steps", value, 2, getattr(c, rel), "Net") == value
    for value in refused:
        with pytest.raises(ValueError, match=f"E0404.*steps of Net .*2, got {value}"):
            c.check_int(value, 2, getattr(c, rel), "steps", "Net")


@pytest.mark.parametrize(
    ("rel", "inside"),
    [("INC_NEITHER", [2]), ("INC_LEFT", [1, 2]), ("INC_RIGHT", [2, 3]), ("INC_BOTH", [1, 2, 3])],
)
def test_ranges(rel, inside):
    c = checks()
    for value in range(5):
        if value in inside:
            assert c.check_int_range(value, 1, 3, getattr(c, rel)) == value
            assert c.check_float_range(float(value), 1, 3, getattr(c.Rel, rel)) == value
        else:
            with pytest.raises(ValueError, match=r"E0404.*rate is in .1, 3., got"):
                c.check_int_range(value, 1, 3, getattr(c, rel), "rate")
    with pytest.raises(ValueError, match="E0404"):
        c.check_float_range(float("nan"), 0.0, 1.0, getattr(c, rel))
    with pytest.raises(TypeError, match="E0303"):
        c.check_float_range(1, 0.0, 1.0, getattr(c, rel))


def test_membership_and_text():
    c = checks()
    assert c.check_int(2, (1, 2), c.IN) == 2 and c.check_int(3, (1, 2), c.NOT_IN) == 3
    assert c.check_string("sum", ["mean", "sum"], "reduction", "Loss") == "sum"
    for wrong in ("max", 3, None):
        with pytest.raises(ValueError, match="E0404.*reduction of Loss is one of 'mean', 'sum'"):
            c.check_string(wrong, ["mean", "sum"], "reduction", "Loss")
    assert c.check_str_by_regular("conv1.weight") and c.check_str_and_none_by_regular("")
    with pytest.raises(ValueError, match="E0404"):
        c.check_str_by_regular("a b")
    assert c.check_file_name_by_regular("out/net-1.ckpt")
    with pytest.raises(ValueError, match="E0404"):
        c.check_file_name_by_regular("out/")
    with pytest.raises(TypeError, match="E0303"):
        c.check_file_name_by_regular(3)


def test_the_error_that_check_is_told_to_raise():
    c = checks()
    with pytest.raises(TypeError, match="E0303"):
        c.check("x", 1, "y", 2, c.EQ, "Net", TypeError)
    with pytest.raises(KeyError):
        c.check("x", 1, "y", 2, c.EQ, "Net", KeyError)
    with pytest.raises(ValueError, match="E0404.*rel is one of EQ"):
        c.check_int(1, 2, 99)


def test_types():
    c = checks()
    assert c.check_value_type("x", 3, [int, float], "Net") == 3
    assert c.check_value_type("x", True, [bool, int]) is True
    for wrong in (True, "3", None):
        with pytest.raises(TypeError, match="E0303.*x of Net is of int or float"):
            c.check_value_type("x", wrong, [int, float], "Net")
    with pytest.raises(ValueError, match="E0404"):
        c.check_isinstance("x", 3, str)
    assert c.check_valid_input("x", 0, "Net") == 0
    with pytest.raises(ValueError, match="E0404"):
        c.check_valid_input("x", None, "Net")
    c.check_element_type_of_dict("x", {"a": 1}, [str], [int])
    c.check_size_and_element_type_of_tuple("x", (1, 2), 2, int)
    for wrong in (
        lambda: c.check_element_type_of_dict("x", {"a": 1.0}, [str], [int]),
        lambda: c.check_element_type_of_dict("x", {1: 1}, [str], [int]),
        lambda: c.check_element_type_of_iterable("x", [1, "2"], [int]),
        lambda: c.check_element_type_of_iterable("x", 1, [int]),
    ):
        with pytest.raises(TypeError, match="E0303"):
            wrong()
    with pytest.raises(ValueError, match="E0404"):
        c.check_size_and_element_type_of_tuple("x", (1,), 2, int)


def test_dtypes():
    c = checks()
    floats = (ms.float16, ms.float32)
    assert c.check_type_name("dtype", ms.float32, floats, "Net") is ms.float32
    c.check_tensor_dtype_valid("x", ms.Tensor([1.0]).dtype, floats, "Net")
    c.check_types_same_and_valid({"x": ms.float16, "y": ms.float16}, floats, "Net")
    c.check_subclass("kind", ms.float16, floats, "Net")
    c.check_subclass("kind", bool, (int, str), "Net")
    for wrong in (
        lambda: c.check_type_name("dtype", ms.int32, floats, "Net"),
        lambda: c.check_subclass("kind", float, (int, str), "Net"),
        lambda: c.check_types_same_and_valid({"x": ms.float16, "y": ms.float32}, floats, "Net"),
        lambda: c.check_types_same_and_valid({"x": ms.int32}, floats, "Net"),
    ):
        with pytest.raises(TypeError, match="E0303"):
            wrong()


def test_axes_and_windows():
    c = checks()
    assert c.check_axis_in_range(-1, 3) == 2 and c.check_axis_valid(None, 2) == (0, 1)
    assert c.check_axis_valid([0, -1], 3) == c.check_and_canonicalize_axes((0, -1), 3) == (0, 2)
    for wrong in (lambda: c.check_axis_in_range(3, 3), lambda: c.check_axis_valid((0, -3), 3)):
        with pytest.raises(ValueError, match="E0404"):
            wrong()
    with pytest.raises(TypeError, match="E0303"):
        c.check_axis_in_range(0.0, 3)
    assert c.twice(3) == (3, 3) and c.twice((1, 2)) == (1, 2) and c.triple(1) == (1, 1, 1)
    for wrong in (True, (1,), (1, 2.0), [1, 2], "12"):
        with pytest.raises(TypeError, match="E0303"):
            c.twice(wrong)
    assert c.check_pad_value_by_mode("pad", 3, "Net") == 3
    with pytest.raises(ValueError, match="E0404"):
        c.check_pad_value_by_mode("same", 3, "Net")


def test_decorated_functions():
    c = checks()

    @c.args_type_check(steps=int, name=(str, bytes))
    def train(steps, name=None, **kwargs):
        return steps, name, kwargs

    assert train(3) == (3, None, {}) and train(3, "a", rate=0.5) == (3, "a", {"rate": 0.5})
    assert train(None) == (None, None, {})
    with pytest.raises(TypeError, match="E0303.*name is of str or bytes, got 3"):
        train(3, 3)


def test_decorated_functions_in_compiled_code():
    c = checks()

    @c.args_type_check(x=ms.Tensor, by=int)
    def scaled(x, by=2):
        return x * by

    x = ms.Tensor([1.0])
    assert both_forms(lambda x: scaled(x, by=3) + scaled(x), x).tolist() == [5.0]
    refused("E0303", lambda x: scaled(x, 0.5), x)
    refused("E0303", lambda x: scaled(2, 1) * x, x)


def test_the_older_spelling():
    from mindspore._checkparam import Rel, Validator

    assert Validator.check_int(3, 1, Rel.GE, "steps") == 3
    assert Validator.check_value_type("x", 3, [int]) == 3 and Validator.check_bool(True)
    assert Rel.GE == checks().GE
    with pytest.raises(ValueError, match="E0404.*steps is above 0, got 0"):
        Validator.check_positive_int(0, "steps")


def test_in_compiled_code():
    c = checks()

    def run(x):
        return x * c.check_positive_int(x.shape[0], "rows")

    assert ms.jit(run)(ms.Tensor([1.0, 2.0])).tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="E0404.*rows is above 0"):
        ms.jit(run)(ms.ops.zeros((0,)))
