"""What does a user read who writes what cannot be compiled?

Each case names the code and the text that the caret points at.
"""

from __future__ import annotations

import importlib.util
import linecache
import posixpath
import textwrap

import gast
import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.frontend import expressions


def x(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, np.float32))


SEVEN = x(7)


def calls_numpy(a, b):
    return np.concatenate((a, b))


def matmul_of_misfits(a, b):
    return ops.matmul(a, b)


def sum_of_misfits(a, b):
    return a + b.T


def unknown_name(a, b):
    return a + missing_name  # noqa: F821


def unknown_function(a, b):
    return ops.rellu(a)


def unknown_method(a, b):
    return a.summ()


def too_few_arguments(a, b):
    return two(a)


def two(one, other):
    return one + other


def returns_two_types(a, b):
    if a.sum() > 0:
        return a.sum()
    return a


def condition_of_several(a, b):
    while a > b:
        a = a - 1
    return a


def branches_of_two_dtypes(a, b):
    if a.sum() > 0:
        c = a
    else:
        c = ops.cast(a, ms.float16)
    return c


def branches_of_two_kinds(a, b):
    return a if a.sum() > 0 else "none"


def bound_in_one_branch(a, b):
    if a.sum() > 0:
        c = a
    return c


def loop_changes_shape(a, b):
    while a.sum() > 0:
        a = a.sum()
    return a


def loop_grows_a_list(a, b):
    parts = []
    while a.sum() > 0:
        parts = [*parts, a]
        a = a - 1
    return parts


def raises_its_own(a, b):
    if a.sum() > 0:
        raise pytest.UsageError("positive")
    return a


def loop_variable_after(a, b):
    for i in range(a.sum().astype(ms.int32)):
        b = b + i
    return b * i


def loop_on_a_number(a, b):
    for row in a.sum():
        b = b + row
    return b


def no_result(a, b):
    return linecache


def with_statement(a, b):
    with open(__file__):
        return a


def tries(a, b):
    try:
        return a + b
    except ValueError:
        return b


def assigns_an_item(a, b):
    pair = (a, b)
    pair[0] = b
    return pair


def prints(a, b):
    print([a])
    return a


def unbound(a, b):
    if b is None:
        c = a
    return a + c


def adds_a_text(a, b):
    return a + "b"


CASES = [
    (matmul_of_misfits, "E0401", "ops.matmul(a, b)", ("f32[2, 3]", "f32[2, 3]")),
    (sum_of_misfits, "E0401", "a + b.T", ("2", "3")),
    (unknown_name, "E0201", "missing_name", ("missing_name",)),
    (unknown_function, "E0220", "ops.rellu", ("rellu", "did you mean relu")),
    (unknown_method, "E0220", "a.summ", ("summ", "did you mean sum")),
    (too_few_arguments, "E0302", "two(a)", ("other",)),
    (returns_two_types, "E0306", "return a.sum()", ("f32,", "f32[2, 3]", "ends at line 65")),
    (condition_of_several, "E0304", "a > b", ("bool_[2, 3]", ".any()")),
    (branches_of_two_dtypes, "E0306", "a.sum() > 0", ("`c`", "f32[2, 3]", "f16[2, 3]", "astype")),
    (branches_of_two_kinds, "E0306", 'a if a.sum() > 0 else "none"', ("str",)),
    (bound_in_one_branch, "E0211", "a.sum() > 0", ("`c`", "not assigned")),
    (loop_changes_shape, "E0306", "while a.sum() > 0:", ("`a`", "f32[2, 3]", "f32")),
    (loop_grows_a_list, "E0306", "while a.sum() > 0:", ("`parts`", "0 items before, 1 after")),
    (raises_its_own, "E0104", 'raise pytest.UsageError("positive")', ("UsageError",)),
    (loop_variable_after, "E0211", "for i in range(a.sum().astype(ms.int32)):", ("`i`",)),
    (loop_on_a_number, "E0304", "for row in a.sum():", ("iterated over",)),
    (no_result, "E0307", "linecache", ("the module linecache",)),
    (with_statement, "E0104", "open(__file__)", ("open",)),
    (tries, "E0101", "try:", ("`try`",)),
    (assigns_an_item, "E0101", "pair[0]", ("tuple",)),
    (prints, "E0101", "print([a])", ("print(*items)",)),
    (calls_numpy, "E0104", "np.concatenate((a, b))", ("concatenate",)),
    (unbound, "E0210", "c", ("'c'",)),
    (adds_a_text, "E0304", 'a + "b"', ("str",)),
]


@pytest.mark.parametrize(
    ("program", "code", "under", "words"), CASES, ids=[c[0].__name__ for c in CASES]
)
def test_the_caret_is_under_the_expression(program, code, under, words) -> None:
    with pytest.raises(S2sadError) as caught:
        ms.compile(program)(x(2, 3), x(2, 3))
    found = caught.value.diagnostic
    assert found.code == code, found.render()
    assert found.location is not None and __file__.endswith(found.location.file)
    line = linecache.getline(__file__, found.location.line)
    stop = found.location.end_column or len(line.rstrip("\n"))
    pointed = line[found.location.column : stop]
    assert under.startswith(pointed) or pointed == under, (pointed, under)
    for word in words:
        assert word in found.render()


def test_the_chain_of_calls_is_told() -> None:
    class Net(nn.Cell):
        def construct(self, a):
            return self.helper(a)

        def helper(self, a):
            return two(a, SEVEN)

    with pytest.raises(S2sadError) as caught:
        ms.compile(Net())(x(2, 3))
    places = list(caught.value.diagnostic.location.chain())
    assert [linecache.getline(p.file, p.line).strip() for p in places] == [
        "return one + other", "return two(a, SEVEN)", "return self.helper(a)",
    ]  # fmt: skip


def test_endless_recursion_is_told() -> None:
    with pytest.raises(S2sadError) as caught:
        ms.compile(forever)(x(2))
    assert caught.value.code == "E0103"


def endless(a):
    n = 0
    while n < 3:
        a = a + 1
    return a


def test_an_endless_loop_is_told() -> None:
    with pytest.raises(S2sadError) as caught:
        ms.compile(endless)(x(2))
    assert caught.value.code == "E0106"


def test_a_cell_without_construct_is_told() -> None:
    class Empty(nn.Cell):
        """Nothing to compute."""

    with pytest.raises(S2sadError) as caught:
        ms.compile(Empty())(x(2))
    assert caught.value.code == "E0220"


def test_a_number_that_fits_no_float_is_told() -> None:
    with pytest.raises(S2sadError, match="E0404"):
        ms.compile(lambda a: a * 10**400)(x(2))


def test_the_depth_that_the_context_allows() -> None:
    def count_down(a, n):
        return a if n == 0 else count_down(a + 1, n - 1)

    ms.set_context(max_call_depth=3)
    try:
        ms.compile(count_down)(x(2), 2)
        with pytest.raises(S2sadError) as caught:
            ms.compile(count_down)(x(2), 5)
    finally:
        ms.set_context(max_call_depth=1000)
    assert caught.value.code == "E0103" and "3 deep" in str(caught.value)


def forever(a):
    return forever(a) + 1


def test_functions_without_source_are_told() -> None:
    names: dict = {}
    exec("def made(a):\n    return a", names)
    with pytest.raises(S2sadError) as caught:
        ms.compile(names["made"])(x(2))
    assert caught.value.code == "E0102"


def test_generators_are_told() -> None:
    def numbers(a):
        yield a

    with pytest.raises(S2sadError) as caught:
        ms.compile(numbers)(x(2))
    assert caught.value.code == "E0101"


def test_arguments_that_do_not_fit_the_compiled_function() -> None:
    with pytest.raises(TypeError, match="E0302"):
        ms.compile(two)(x(2))


def test_gradients_ask_for_tensors() -> None:
    with pytest.raises(S2sadError, match="grad_position 1"):
        ms.grad(lambda a, n: a * n, 1)(x(2), 3)


def test_only_the_library_itself_is_foreign(tmp_path, monkeypatch):
    (tmp_path / "wave.py").write_text("def double(x):\n    return x + x\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("wave", tmp_path / "wave.py")  # Python has one
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    compiled = ms.compile(lambda x: module.double(x))
    assert compiled(ms.Tensor([1.0])).item() == 2.0
    for function in (textwrap.dedent, posixpath.join):
        with pytest.raises(S2sadError, match="E0104"):
            ms.compile(lambda x, function=function: function(x))(ms.Tensor([1.0]))


def test_an_exception_that_nobody_expected_has_the_users_line(monkeypatch):
    def broken(frame, node):
        raise TypeError("a fault of s2sad")

    monkeypatch.setitem(expressions.EXPRESSIONS, gast.BinOp, broken)
    with pytest.raises(TypeError, match="a fault of s2sad") as caught:
        ms.compile(two)(x(2), x(2))
    (note,) = caught.value.__notes__
    assert "return one + other" in note and " ^^^^^^^^^^^\n" in f"{note}\n"
    assert not hasattr(caught.value, "diagnostic")
