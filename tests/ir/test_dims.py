"""Do dimensions compute as the sizes they stand for, and never claim what is not so?"""

from __future__ import annotations

import copy
import operator
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from s2sad.core.diagnostics import S2sadError
from s2sad.ir import dims
from s2sad.ir.dims import Symbolic, same, symbol

NAMES = ("B", "H", "W")
B, H, W = SYMBOLS = tuple(symbol(name) for name in NAMES)
NAMESPACE: dict[str, Any] = dict(zip(NAMES, SYMBOLS, strict=True))
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}
DIVISION = {"//": operator.floordiv, "%": operator.mod}

sizes = st.fixed_dictionaries({name: st.integers(2, 40) for name in NAMES})
leaves = st.sampled_from(NAMES) | st.integers(-6, 6).map(lambda n: f"({n})")


def grow(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions over `parts`; divisors are positive at all sizes."""
    divisors = st.integers(1, 6).map(str) | st.sampled_from(
        [*NAMES, "(B*H)", "(H + 1)", "(2*W - 3)"]
    )
    sums = st.builds("({} {} {})".format, parts, st.sampled_from([*ARITHMETIC]), parts)
    quotients = st.builds("({} {} {})".format, parts, st.sampled_from([*DIVISION]), divisors)
    return sums | quotients


expressions = st.recursive(leaves, grow, max_leaves=5)
quick = settings(max_examples=80, deadline=None)
#: Sizes at which each answer is checked; small ones, where claims break first.
GRID: list[dict[str, Any]] = [
    dict(zip(NAMES, (b, h, w), strict=True))
    for b in (2, 3, 5, 8)
    for h in (2, 3, 4, 9)
    for w in (2, 7)
]


def evaluate(text: str, values: dict[str, Any]) -> Any:
    return eval(text, {}, values)


def raises(code: str, *parts: str):
    """Expect an error of this code that names all `parts`."""
    return pytest.raises(
        S2sadError,
        match=r"(?s)\[" + code + r"\]" + "".join(f".*?(?<!\\w){p}(?!\\w)" for p in parts),
    )


@quick
@given(expressions, sizes)
def test_arithmetic_agrees_with_integers(text, values):
    dim = evaluate(text, NAMESPACE)
    assert dims.substitute(dim, values) == evaluate(text, values)
    assert type(dims.substitute(dim, values)) is int


@quick
@given(expressions, sizes)
def test_substituting_one_symbol_at_a_time_is_the_same(text, values):
    dim = evaluate(text, NAMESPACE)
    for name, value in values.items():
        dim = dims.substitute(dim, {name: value})
    assert dim == evaluate(text, values)


@quick
@given(expressions)
def test_text_evaluates_back(text):
    dim = evaluate(text, NAMESPACE)
    again = evaluate(str(dim), NAMESPACE)
    assert again == dim and hash(again) == hash(dim) and str(again) == str(dim)
    assert set(dims.free_symbols(dim)) <= set(NAMES)


@quick
@given(expressions, sizes)
def test_text_means_the_same_on_integers(text, values):
    dim = evaluate(text, NAMESPACE)
    assert evaluate(str(dim), values) == dims.substitute(dim, values)


@quick
@given(expressions, expressions, st.integers(-3, 3))
def test_every_answer_is_true_at_all_sizes_tried(left, right, offset):
    pairs = {
        "same": operator.eq,
        "less": operator.lt,
        "less_equal": operator.le,
    }
    for text in (right, f"{left} + ({offset})", f"{left} + {right}"):
        a, b = evaluate(left, NAMESPACE), evaluate(text, NAMESPACE)
        for name, compare in pairs.items():
            answer = getattr(dims, name)(a, b)
            assert answer in (True, False, None)
            for values in GRID if answer is not None else ():
                assert compare(evaluate(left, values), evaluate(text, values)) is answer


@quick
@given(expressions, expressions)
def test_sums_and_products_are_canonical(left, right):
    a, b = evaluate(left, NAMESPACE), evaluate(right, NAMESPACE)
    assert a + b == b + a and a * b == b * a and (a + b) * 2 == 2 * a + 2 * b
    assert a - a == 0 and (a - b) + b == a and 0 - (0 - a) == a
    for dim in (a + b, a * b, a - b):
        assert isinstance(dim, int) or any(word for word, _ in dim.terms)


@quick
@given(expressions, expressions)
def test_multiplying_and_dividing_gives_the_factor_back(left, right):
    a, b = evaluate(left, NAMESPACE), evaluate(right, NAMESPACE)
    assume(dims.less(0, b))
    assert (a * b) // b == a and (a * b) % b == 0


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (2 * B + 1, "2*B + 1"),
        ((H + 2) // 2, "(H + 2)//2"),
        ((H + 2) // 2 * 3, "3*((H + 2)//2)"),
        (1 - B, "-B + 1"),
        (-(H // 2), "-(H//2)"),
        (B - H // 2, "B - H//2"),
        (W + B * B * H - 3, "B*B*H + W - 3"),
        (7 // B, "7//B"),
        (-5 // B, "(-5)//B"),
        (B // (H + 1), "B//(H + 1)"),
        (H % 3, "H - 3*(H//3)"),
        ((2 * H + 2) // 4, "(H + 1)//2"),
        (H // 2 // 3, "H//6"),
        ((H // B + W - 1) // 3, "(B*W - B + H)//(3*B)"),
    ],
)
def test_text(dim, text):
    assert str(dim) == repr(dim) == text


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (B - B, 0),
        (0 * B, 0),
        (B // 1, B),
        (B % 1, 0),
        (4 * B // 2, 2 * B),
        ((2 * H - 1) // 2, H - 1),
        ((2 * H + 1) // 2, H),
        (B * H * 4 // (2 * B), 2 * H),
        ((B * H + B) // B, H + 1),
        ((B * H + 2 * B) // (H + 2), B),
        ((B * B - 1) // (B + 1), B - 1),
        ((B * H + 1) // B, H),
        (1 // B, 0),
        ((B - 1) // B, 0),
        (0 // B, 0),
        (1 % B, 1),
        ((B + 1) % B, 1),
        (H % 4 // 4, 0),
    ],
)
def test_division_finds_the_polynomial(result, expected):
    assert result == expected and type(result) is type(expected)


def test_dimensions_are_values():
    assert symbol("B") == B and hash(symbol("B")) == hash(B)
    assert {B + 1: "found"}[1 + B] == "found"
    assert B != 1 and (2, symbol("B")) == (2, B) and B != "B"
    with pytest.raises(AttributeError):
        setattr(B, "terms", ())  # noqa: B010
    dim = (B * H + 1) // (2 * W)
    assert pickle.loads(pickle.dumps(dim)) == copy.deepcopy(dim) == dim
    with pytest.raises(TypeError):
        evaluate("B * 1.5", NAMESPACE)


@pytest.mark.parametrize(
    "text", ["B == 2", "B != 2", "B == H", "B < 3", "3 >= B", "B % 2 == 0", "bool(B - 2)"]
)
def test_comparisons_say_what_holds_for_all_sizes_or_nothing(text):
    with raises("E0402"):
        evaluate(text, NAMESPACE)


@pytest.mark.parametrize("use", [int, float, operator.index, range, "ab".__mul__, [0].__getitem__])
def test_a_size_is_no_number_yet(use):
    with raises("E0402"):
        use(B)


def test_comparisons_that_hold_for_all_sizes():
    assert B and B > 1 and 2 <= B and B < B + 1 and not B == 0 and 2 * B // 2 == B and B // B == 1
    assert (H + 2) // 2 == H // 2 + 1 and not dims.alike(((H + 2) // 2,), (H + 1,))


@pytest.mark.parametrize("name", ["", "2B", "a b", "if", "ﬁ", "B.C"])
def test_symbol_needs_a_name(name):
    with raises("E0404"):
        symbol(name)


def test_divisors_must_be_positive():
    for divisor in (0, -2, 1 - B):
        with raises("E0401"):
            operator.floordiv(B, divisor)
    for divisor in (B - 2, B - H, H // 3):
        with raises("E0402"):
            operator.floordiv(B, divisor)
        with raises("E0402"):
            operator.mod(7, divisor)


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (3, 3, True),
        (3, 4, False),
        (B, 1, False),
        (B, 0, False),
        (B + 1, 2, False),
        (2 * B, 2 * H + 1, False),
        (B * H, B, False),
        (B // 2, B, False),
        ((H + 2) // 2, H // 2 + 1, True),
        (H // 2 // 2, H // 4, True),
        ((H + 2) // 2 - H // 2, 1, True),
        # Unknown: it depends on the sizes.
        (B, 2, None),
        (B, 7, None),
        (B, H, None),
        (B + H, 4, None),
        (B * H, 2 * B, None),
        (B // 2, 1, None),
        (H % 2, 0, None),
        (2 * B, H + 1, None),
        (B - H, 0, None),
        # Unknown: true, but beyond what is proven.
        (H % 2 * (H % 2), H % 2, None),
    ],
)
def test_same(a, b, answer):
    assert same(a, b) is answer and same(b, a) is answer
    if answer:
        expected = b if isinstance(b, int) else a
        assert dims.require_same(a, b, "sizes") == expected == dims.require_same(a, b, "sizes")
        return
    with raises("E0401" if answer is False else "E0402", "the batch sizes") as caught:
        dims.require_same(a, b, "the batch sizes")
    assert f": {a} and {b}" in str(caught.value)
    assert (caught.value.diagnostic.help is None) is (answer is False)


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        (1, 2, True),
        (2, 2, False),
        (1, B, True),
        (B, 2, False),
        (B, B * H, True),
        (B, B + H - 1, True),
        (B + H, B * H, None),  # equal at 2, 2
        (B + H - 1, B * H, True),
        (B % 5, 5, True),
        (-1, B % 5, True),
        (B // 3 * 3, B + 1, True),
        (B % H, H, True),
        (B // H, B, True),
        (B, 3, None),
        (B, H, None),
        (B - H, H, None),
        (B // 2, H, None),
        (B - 3, 0, None),
    ],
)
def test_less(a, b, answer):
    assert dims.less(a, b) is answer
    assert dims.less_equal(b, a) is (None if answer is None else not answer)


def test_the_sign_of_a_factor_beside_a_division_matters():
    parity = 1 - (H * W + 1) % 2  # 0 or 1
    assert dims.less_equal(0, (B - 1) // 3 * parity) is True
    assert dims.less_equal(0, (B - 9) // 3 * parity) is None


def test_size():
    assert dims.size(()) == 1 and dims.size((2, 0, 3)) == 0 and dims.size((2, 3)) == 6
    assert dims.size((2, B, H)) == 2 * B * H and dims.size((B, 0)) == 0


small_shapes = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)


@quick
@given(st.lists(small_shapes, max_size=3))
def test_broadcast_agrees_with_numpy(shapes):
    try:
        expected = np.broadcast_shapes(*shapes)
    except ValueError:
        with raises("E0401"):
            dims.broadcast(*shapes)
    else:
        assert dims.broadcast(*shapes) == expected


@quick
@given(st.lists(st.lists(expressions | st.just("1"), max_size=2), min_size=2, max_size=3))
def test_symbolic_broadcast_agrees_with_numpy_at_all_sizes(shapes):
    values = [[tuple(evaluate(d, v) for d in shape) for shape in shapes] for v in GRID]
    grid = [
        (v, s)
        for v, s in zip(GRID, values, strict=True)
        if min(map(min, filter(None, s)), default=0) >= 0
    ]
    try:
        result = dims.broadcast(*(tuple(evaluate(d, NAMESPACE) for d in s) for s in shapes))
    except S2sadError as error:
        if error.code == "E0401":
            for _, given_shapes in grid:
                with pytest.raises(ValueError):
                    np.broadcast_shapes(*given_shapes)
        return
    for values, given_shapes in grid:
        assert np.broadcast_shapes(*given_shapes) == tuple(
            dims.substitute(d, values) for d in result
        )


def test_the_error_of_broadcast_shows_all_operands():
    with raises("E0401", r"\(2, 3\)", r"\(4,\)", "3", "4", "axis -1"):
        dims.broadcast((2, 3), (4,))
    with raises("E0401", "one", "other", "third", "axis -2"):
        dims.broadcast((3, 2), (2,), (5, 1), operands=("one", "other", "third"))
    with raises("E0402", r"\(B,\)", r"\(H,\)"):
        dims.broadcast((B,), (H,))
    with raises("E0401", "2", "5", "axis -3"):  # before two axes that do not broadcast
        dims.broadcast((2,), (5,), behind=2)


def test_broadcast_of_symbols():
    assert dims.broadcast((B, 1), (H,), (1, 1, 1)) == (1, B, H)
    assert dims.broadcast((B, 3), (B, 3)) == (B, 3)
    assert dims.broadcast((B // 2,), (1,)) == (B // 2,)
    assert dims.broadcast(((H + 2) // 2 - H // 2,), (5,)) == (5,)
    with raises("E0402", "B", "3", "axis -2"):
        dims.broadcast((B, 4), (3, 4))
    with raises("E0402", "B", "H", "axis -1"):
        dims.broadcast((B,), (H,))
    with raises("E0401", "B", "0", "axis -1"):
        dims.broadcast((B,), (0,))
    with raises("E0401", "3", "4"):
        dims.broadcast_dim(3, 4)
    with raises("E0402", r"H - 1", "H"):  # 1 and 2 broadcast, 2 and 3 do not
        dims.broadcast_dim(H - 1, H)


@quick
@given(st.integers(-50, 50), st.integers(1, 9), expressions, sizes)
def test_ceil_div(a, b, text, values):
    assert dims.ceil_div(a, b) == -(-a // b)
    symbolic = dims.ceil_div(evaluate(text, NAMESPACE), b)
    assert dims.substitute(symbolic, values) == -(-evaluate(text, values) // b)


window_arguments = st.tuples(*[st.integers(1, 4)] * 2, *[st.integers(0, 3)] * 2, st.integers(1, 3))


@quick
@given(st.integers(0, 20), window_arguments)
def test_window_counts_places(size, arguments):
    kernel, stride, low, high, dilation = arguments
    starts = range(-low, size + high - dilation * (kernel - 1), stride)
    assert dims.window(size, *arguments) == len(starts)
    try:
        symbolic = dims.window(B, *arguments)
    except S2sadError as error:
        assert error.code == "E0402" and 2 + low + high < dilation * (kernel - 1) + 1
    else:
        for n in range(2, 20):
            assert dims.substitute(symbolic, {"B": n}) == dims.window(n, *arguments)


def test_window_of_symbols():
    assert dims.window(H, 3, pad_low=1, pad_high=1) == H
    assert dims.window(2 * H, 3, stride=2, pad_low=1, pad_high=1) == H
    assert dims.window(H, 1, stride=2) == dims.window(H, 3, stride=2, pad_low=1, pad_high=1)
    pooled = halved = H
    for _ in range(5):
        pooled = dims.window(pooled, 2, stride=2)
        halved = dims.window(halved, 3, stride=2, pad_low=1, pad_high=1)
    assert str(pooled) == "H//32" and str(halved) == "(H + 31)//32"
    with raises("E0402", "H - 4"):
        dims.window(H, 5)
    for bad in ({"kernel": 0}, {"kernel": 3, "stride": 0}, {"kernel": 3, "dilation": B - 2}):
        with raises("E0404", "must be positive"):
            dims.window(H, **bad)


bounds = st.none() | st.integers(-12, 12)
steps = st.none() | st.integers(-4, 4).filter(bool)


@quick
@given(st.integers(0, 10), bounds, bounds, steps)
def test_slice_length_is_that_of_python(size, start, stop, step):
    assert dims.slice_length(size, start, stop, step) == len(range(size)[start:stop:step])


@quick
@given(bounds, bounds, steps)
def test_symbolic_slice_length_is_that_of_python(start, stop, step):
    for dim in (B, 2 * B + 3):
        try:
            length = dims.slice_length(dim, start, stop, step)
        except S2sadError as error:
            assert error.code == "E0402"
            continue
        for n in range(2, 20):
            elements = [0] * evaluate(str(dim), {"B": n})
            assert dims.substitute(length, {"B": n}) == len(elements[start:stop:step])


def test_slices_of_symbols():
    assert dims.slice_length(B, None, None) == dims.slice_length(B, None, None, -1) == B
    assert dims.slice_length(B, 1, None) == dims.slice_length(B, None, -1) == B - 1
    assert dims.slice_length(B + 3, 2, -1) == B
    assert dims.slice_length(B, 0, 2) == dims.slice_length(B, -2, None) == 2
    assert dims.slice_length(2 * B, None, None, 2) == dims.slice_length(2 * B, 1, None, 2) == B
    assert dims.slice_length(B, 2, 2) == dims.slice_length(B, 2, 1) == 0
    for start, stop in ((3, None), (None, 3), (1, -2), (-3, None)):
        with raises("E0402"):
            dims.slice_length(B, start, stop)
    for size in (5, B):
        with raises("E0404"):
            dims.slice_length(size, None, None, 0)


def test_substitute_and_free_symbols():
    dim = (B * H + 1) // (W + 1) + 2 * B
    assert dims.free_symbols(dim) == ("B", "H", "W") and dims.free_symbols(3) == ()
    assert dims.free_symbols(7 // B) == ("B",)
    assert dims.substitute(dim, {"W": 2, "Q": 5}) == (B * H + 1) // 3 + 2 * B
    assert dims.substitute(dim, {"B": 2 * H}) == (2 * H * H + 1) // (W + 1) + 4 * H
    assert dims.substitute(7, {"B": 3}) == 7 and isinstance(dims.substitute(B, {}), Symbolic)
    for bad in (1, 0, -3, H - 1):
        with raises("E0404", "B"):
            dims.substitute(dim, {"B": bad})
