"""Do blocks that data leave early mean what they mean under plain Python, and their gradients?

Eager code runs on the same tensors. Gradients are held against differences of that, to order 2.
"""

from __future__ import annotations

import linecache
import re
import traceback

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from s2sad.frontend.kept import SIGNALS
from support.exit_programs import checked
from support.random_exits import random_program


def returns_from_a_branch(x, n):
    if x.sum() > 0:
        return x * 2
    y = -x
    return y * y


def returns_in_a_row(x, n):
    if n == 0:
        return x
    if x[0] > x[1]:
        return x * x
    elif n == 1:
        x = x + 1
    else:
        return ops.sin(x)
    return x * x[0]


def returns_from_inner_branches(x, n):
    if n > 0:
        if x[0] > 0:
            return x * 3
        x = x + 1
    else:
        if x[1] > 0:
            return ops.exp(x)
    y = x * x
    if y.sum() > 4:
        return y
    return y + x


def returns_from_a_while(x, n):
    i = 0
    while i < n:
        x = x * 1.5
        if x.sum() > 5:
            return x * i
        i += 1
    return x


def returns_from_nested_loops(x, n):
    for i in range(6):
        for j in range(n):
            if x.sum() > 4:
                return x * x
            if x[0] > i:
                break
            x = x + j * 0.25
        else:
            continue
        x = x * 1.5
    return x


def breaks_and_else(x, n):
    for _ in range(10):
        if x.sum() > 6:
            break
        if x[0] < 0:
            x = x + 0.5
            continue
        x = x * 1.5
    else:
        x = x * 100
    return x


def breaks_from_a_while(x, n):
    i = 0
    while i < n:
        i = i + 1
        if x[1] > 3:
            x = x - 1
            break
        if x[0] > 1:
            continue
        x = x * 2
    else:
        x = x * 10
    return x * i


def endless(x, n):
    i = 0
    while True:
        i += 1
        y = x * i
        if i > n:
            break
        if y.sum() > 9:
            return y
        x = x + y * 0.1
    return x + y


def ends_by_return_only(x, n):
    while True:
        if x.sum() > 3:
            return x * x
        x = x + 1


def loop_over_rows(x, n):
    total = x * 0
    for row in ops.stack([x, x * 2, -x, x + 1]):
        if row.sum() > 5:
            continue
        total = total + row * row
        if total.sum() > 8:
            break
    return total


def few_passes(x, n):
    for i in range(2):
        if x.sum() > i:
            break
        x = x + 1
    else:
        x = x * 2
    return x * (i + 1)


def bound_of_data(x, n):
    for i in range(n, 0, -1):
        if x.sum() > 4:
            return x
        if i == 2:
            continue
        x = x * 1.5
    else:
        x = x + 10
    return x


def index_after_the_loop(x, n):
    for i in range(50):  # noqa: B007 - it is read behind the loop
        x = x * 1.25
        if x.sum() > 8:
            break
    return x * i


def changes_what_the_test_reads(x, n):
    i = 0
    while i < 3:
        i += 1
        if x.sum() > 4:
            break
        x = x * 2
    else:
        x = -x
    return x * i


def in_a_call(x, n):
    def halved(y):
        if y.sum() > 2:
            return y * 0.5
        for k in range(4):
            if y[0] > k:
                return y - k
        return y

    return halved(x) + halved(x * n)


def writes_and_leaves(x, n):
    y = x * 1
    for i in range(4):
        y[0] = y[0] * 2 + i
        if y[0] > 4:
            break
        y[1] = y[0]
    return y + x


def lists_go_on(x, n):
    found = []
    if x.sum() < 0:
        return x
    found.append(x)
    found.append(x * 2)
    if n > 2:
        return found[1]
    found.append(x * 3)
    return ops.stack(found).sum(0)


def dead_variables_may_differ(x, n):
    t = "text"
    if n > 1:
        t = x.sum()
        u = None
    else:
        t, u = x, 3
    while x.sum() < 3:
        z = x
        if n > 1:
            z = x.sum()
        x = x + 1
    t = z = u = 1.0
    return x * t * z * u


def compares_and_combines(x, n):
    if 0 < x[0] < x[1] < n and (x[1] > 0.5 or not n > 1):
        return x * 2
    if not (x[0] <= 0 <= x[1]) or n == 0:
        return x * 3
    if n and x[0] or not (x[1] and n > 1):
        return x * (x[0] and x[1] or x[0] * 2)
    return x if (x[0] and n) else -x


def needed_on_one_path_only(x, n):
    s = x[0]
    for _ in range(4):
        if x[0] > 0.5:
            if x[1] > 1:
                continue
        else:
            for j in range(5):
                s = s * x[1] + j
                x = x + s * 0.01
        s = x[1] * 0.5
        if s > 2:
            return x
    return x * s


PROGRAMS = [
    needed_on_one_path_only,
    returns_from_a_branch, returns_in_a_row, returns_from_inner_branches, returns_from_a_while,
    returns_from_nested_loops, breaks_and_else, breaks_from_a_while, endless, ends_by_return_only,
    loop_over_rows, few_passes, bound_of_data, index_after_the_loop, changes_what_the_test_reads,
    in_a_call, writes_and_leaves, lists_go_on, dead_variables_may_differ, compares_and_combines,
]  # fmt: skip
POINTS = [(0.31, 0.72), (2.03, 1.17), (-1.23, 0.41), (0.93, -2.37), (7.13, 3.29), (-0.43, -0.87)]


def arguments(x, n) -> tuple[ms.Tensor, ms.Tensor]:
    return ms.Tensor(np.array(x)), ms.Tensor(n)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled_is_python(program) -> None:
    compiled = ms.compile(program)
    for x in POINTS:
        for n in (0, 1, 2, 5):
            found, expected = (f(*arguments(x, n)).asnumpy() for f in (compiled, program))
            np.testing.assert_allclose(found, expected, rtol=1e-15, err_msg=f"{x}, {n}")
    assert len(compiled.variants) == 1


def differences(run, x: np.ndarray) -> np.ndarray:
    """Gradient of the sum of ``run(x)`` by central differences."""
    step, found = 1e-6, np.zeros_like(x)
    for index in np.ndindex(x.shape):
        ahead, behind = x.copy(), x.copy()
        ahead[index] += step
        behind[index] -= step
        found[index] = (run(ahead).sum() - run(behind).sum()) / (2 * step)
    return found


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_gradients_are_those_of_python(program) -> None:
    first = ms.compile(ms.grad(program))
    second = ms.compile(ms.grad(lambda x, n: ms.grad(program)(x, n)))
    stepwise = ms.grad(program)
    for point in POINTS:
        for n in (0, 2, 5):
            x = np.array(point)
            found = first(*arguments(x, n)).asnumpy()
            expected = differences(lambda x, n=n: program(*arguments(x, n)).asnumpy(), x)
            np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
            np.testing.assert_array_equal(found, stepwise(*arguments(x, n)).asnumpy())
            found = second(*arguments(x, n)).asnumpy()
            expected = differences(lambda x, n=n: first(*arguments(x, n)).asnumpy(), x)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_the_side_not_taken_is_never_evaluated() -> None:
    def program(table, i):
        if i > 2:
            return table.sum()
        while True:
            if i > 1:
                return table[i]
            i = i + 1

    compiled, gradient = ms.compile(program), ms.compile(ms.grad(program))
    table = ms.Tensor([1.0, 2.0, 4.0])
    for i, value, slopes in ((7, 7.0, [1, 1, 1]), (0, 4.0, [0, 0, 1]), (2, 4.0, [0, 0, 1])):
        assert compiled(table, ms.Tensor(i)).item() == value
        assert gradient(table, ms.Tensor(i)).asnumpy().tolist() == slopes


def test_the_square_root_of_the_path_not_taken_has_no_gradient() -> None:
    def program(x):
        for i in range(5):
            if x[i] < 0:
                continue
            if x[i] > 1:
                return ops.sqrt(x[i])
        return x[0] * 0

    gradient = ms.compile(ms.grad(program))(ms.Tensor([-1.0, -4.0, 0.0, 4.0, -1.0]))
    assert gradient.asnumpy().tolist() == [0.0, 0.0, 0.0, 0.25, 0.0]


def test_the_rest_of_a_function_is_the_other_side() -> None:
    compiled = ms.compile(returns_from_a_branch)
    compiled(*arguments((1.0, 2.0), 0))
    names = [op.prim.name for op in compiled.stages["dce"].body.operations]
    assert names.count("if_") == 1 and names[-1] == "if_"


def test_many_returns_in_a_row_are_no_deep_nest() -> None:
    lines = [f"    if x.sum() < {i}: return x * {i}" for i in range(150)]
    text = "\n".join(["def program(x):", *lines, "    return x"])
    linecache.cache["<row>"] = (len(text), None, text.splitlines(True), "<row>")
    names: dict = {}
    exec(compile(text, "<row>", "exec"), names)
    compiled = ms.compile(names["program"])
    for value in (-3.0, 41.5, 148.5, 500.0):
        x = ms.Tensor([value])
        assert compiled(x).item() == names["program"](x).item()


# ---- raise and assert ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x", [(1.0, 0.5), (-4.0, -3.0), (4.0, 1.0), (0.0, 2.5), (0.0, 4.5), (0.0, -2.5), (1.0, 9.0)]
)
@pytest.mark.parametrize("transform", [ms.compile, lambda f: ms.compile(ms.grad(f)), ms.grad])
def test_exceptions_are_pythons(x, transform) -> None:
    x = ms.Tensor(np.array(x))
    try:
        checked(x)
    except Exception as expected:
        with pytest.raises(type(expected)) as caught:
            transform(checked)(x)
        assert type(caught.value) is type(expected) and caught.value.args == expected.args
        line = traceback.extract_tb(expected.__traceback__)[1].lineno
        notes = getattr(caught.value, "__notes__", ())
        assert any(f"exit_programs.py:{line}:" in note for note in notes)
    else:
        transform(checked)(x)


def test_every_path_may_raise() -> None:
    def program(x):
        if x.sum() > 0:
            raise ValueError("positive")
        raise KeyError("negative")

    compiled = ms.compile(program)
    for value, kind in ((1.0, ValueError), (-1.0, KeyError)):
        with pytest.raises(kind):
            compiled(ms.Tensor([value]))


class Stepping(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.array([1.0, 2.0], np.float32), name="w")

    def construct(self, x):
        self.w += x
        for i in range(3):
            self.w *= 2.0
            if self.w.sum() > 100.0:
                raise FloatingPointError(f"{self.w} after {i}")
            if self.w[0] < 0.0:
                break
        return self.w * 1.0


def test_parameters_stay_those_of_the_last_good_step() -> None:
    net = Stepping()
    compiled = ms.compile(net)
    compiled(ms.Tensor([1.0, -2.0]))
    good = net.w.asnumpy().copy()
    assert good.tolist() == [16.0, 0.0]
    with pytest.raises(
        FloatingPointError, match=re.escape("[ 72. 40.] after 1".replace("[ ", "["))
    ):
        compiled(ms.Tensor([2.0, 10.0]))
    assert net.w.asnumpy().tolist() == good.tolist()
    compiled(ms.Tensor([-17.0, 1.0]))
    assert net.w.asnumpy().tolist() == [-2.0, 2.0]


def test_a_step_of_zero_raises_as_range_does() -> None:
    def program(x, n):
        for _ in range(0, 3, n):
            x = x * 2
            if x.sum() > 100:
                break
        return x

    compiled = ms.compile(program)
    assert compiled(ms.Tensor([1.0]), ms.Tensor(2)).item() == 4.0
    assert compiled(ms.Tensor([1.0]), ms.Tensor(-1)).item() == 1.0
    with pytest.raises(ValueError, match=re.escape("range() arg 3 must not be zero")):
        compiled(ms.Tensor([1.0]), ms.Tensor(0))


# ---- what is refused -----------------------------------------------------------------------------


def returns_none_there(x):
    if x.sum() > 0:
        return x
    x = x + 1


def returns_a_pair_there(x):
    while x.sum() > 0:
        if x[0] > 3:
            return x, x
        x = x - 1
    return x


def returns_another_shape(x):
    if x.sum() > 0:
        return x.sum()
    return x


def reads_what_differs(x):
    if x.sum() > 0:
        y = x.sum()
    else:
        y = x
    return y


def reads_what_one_side_has(x):
    for _ in range(3):
        if x.sum() > 0:
            y = x
            break
    return y


def returns_texts(x):
    if x.sum() > 0:
        return "yes"
    return "no"


class OwnError(Exception):
    pass


def raises_its_own(x):
    if x.sum() > 0:
        raise OwnError("no")
    return x


def raises_two(x):
    if x.sum() > 0:
        raise ValueError("no", x)
    return x


@pytest.mark.parametrize(
    ("program", "code", "words"),
    [
        (returns_none_there, "E0306", ("Tensor f32[1]", "the path that ends at line", "None")),
        (returns_a_pair_there, "E0306", ("a tuple of (a Tensor f32[1], a Tensor f32[1])", "line")),
        (returns_another_shape, "E0306", ("a Tensor f32,", "f32[1]")),
        (reads_what_differs, "E0306", ("`y` is f32 ", "read at")),
        (reads_what_one_side_has, "E0211", ("`y` is not assigned where", "read at")),
        (returns_texts, "E0306", ("'yes'", "'no'")),
        (raises_its_own, "E0104", ("OwnError", "builtin exception")),
        (raises_two, "E0104", ("one text", 'f"..."')),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_what_cannot_be_is_told(program, code, words) -> None:
    with pytest.raises(S2sadError, match=code) as caught:
        ms.compile(program)(ms.Tensor(np.array([1.0], np.float32)))
    assert all(word in str(caught.value) for word in words), str(caught.value)
    place = caught.value.diagnostic.location
    assert place is not None and place.file.endswith("test_exits.py")


# ---- programs that nobody thought of -------------------------------------------------------------


def draw(seed: int) -> tuple[ms.Tensor, ...]:
    random = np.random.default_rng(seed)
    x, rows = random.uniform(-1, 1, 4), random.uniform(-1, 1, (5, 4))
    return ms.Tensor(x), ms.Tensor(rows), ms.Tensor(int(random.integers(0, 5)))


def outcome(run, *args):
    try:
        return run(*args).asnumpy()
    except (ValueError, KeyError, RuntimeError, AssertionError) as error:
        return error


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_random_programs_are_python(seed) -> None:
    program = random_program(seed)
    compiled = ms.compile(program)
    for k in range(6):
        with np.errstate(all="ignore"):
            found, expected = (outcome(f, *draw(k)) for f in (compiled, program))
        if isinstance(expected, Exception) or isinstance(found, Exception):
            assert type(found) is type(expected) and str(found) == str(expected)
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_so_are_their_gradients(seed) -> None:
    program = random_program(seed, raises=False)

    def loss(x, rows, n):
        return ops.sin(program(x, rows, n)).sum()

    def slopes(x, rows, n):
        return ops.tanh(ms.grad(loss)(x, rows, n)).sum()

    value = ms.compile(loss)
    first, second = ms.compile(ms.grad(loss)), ms.compile(ms.grad(slopes))
    for k in range(2):
        x, rows, n = draw(k)
        expected = differences(
            lambda a, r=rows, n=n: value(ms.Tensor(a), r, n).asnumpy(), x.asnumpy()
        )
        if np.abs(expected).max() > 1e3:  # a jump lies within the step
            continue
        np.testing.assert_allclose(first(x, rows, n).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        expected = differences(
            lambda a, r=rows, n=n: np.tanh(first(ms.Tensor(a), r, n).asnumpy()), x.asnumpy()
        )
        if np.abs(expected).max() < 1e3:
            np.testing.assert_allclose(second(x, rows, n).asnumpy(), expected, rtol=1e-4, atol=1e-4)


def test_no_except_of_the_users_catches_a_signal():
    def program(x, n):
        k = 1
        while n > 0:
            n = n - 1
            k = k + 1
            try:
                x = x * k  # k must be a tensor before the loop: the compiler begins again
            finally:
                break  # noqa: B012 - what it silences is what is tested
        return x, k

    x, n = ms.Tensor([1.0, 2.0]), ms.Tensor(3)
    found, count = ms.compile(program)(x, n)
    assert found.tolist() == program(x, n)[0].tolist() == [2.0, 4.0] and int(count) == 2
    assert not any(issubclass(signal, Exception) for signal in SIGNALS)
