"""Is the formula of a size what the size is, and does it survive what programs do with sizes?"""

from __future__ import annotations

import copy
import math
import operator
import pickle

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad import prims as p
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.known_sizes import KnownSize, Size, formulas, sizes_of
from s2sad.ir.primitive import number_as
from s2sad.ir.sizes import at_sizes
from s2sad.ir.types import f32

OPERATORS = (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod)


def value_of(text: str, sizes: dict[str, int]) -> int:
    """What C computes: quotients go to zero, remainders have the sign of what is cut."""

    class C(int):
        def __add__(self, other):
            return C(int(self) + int(other))

        def __sub__(self, other):
            return C(int(self) - int(other))

        def __mul__(self, other):
            return C(int(self) * int(other))

        def __truediv__(self, other):
            return C(math.trunc(int(self) / int(other)))

        def __mod__(self, other):
            return C(math.fmod(int(self), int(other)))

        def __radd__(self, other):
            return C(other) + self

        def __rsub__(self, other):
            return C(other) - self

        def __rmul__(self, other):
            return C(other) * self

        def __rtruediv__(self, other):
            return C(other) / self

        def __rmod__(self, other):
            return C(other) % self

    return int(eval(text, {}, {name: C(n) for name, n in sizes.items()}))


@settings(max_examples=300, deadline=None)
@given(
    st.integers(2, 300), st.integers(2, 300),
    st.lists(
        st.tuples(
            st.sampled_from(OPERATORS), st.integers(0, 2), st.integers(-3, 70), st.booleans()
        ),
        max_size=6,
    ),
)  # fmt: skip
def test_the_formula_is_the_number(n, m, steps):
    sizes = {"n": n, "m": m}
    names = [Size(n, "n"), Size(m, "m")]
    found: int = names[0]
    for operation, which, number, is_turned in steps:
        other = number if which == 2 else names[which]
        one, two = (other, found) if is_turned else (found, other)
        if operation in (operator.floordiv, operator.mod) and two == 0:
            continue
        plain = operation(int(one), int(two))
        found = operation(one, two)
        assert found == plain
    assert value_of(str(found), sizes) == found == int(repr(found))


def test_a_size_is_an_int_that_can_be_copied():
    n = Size(8, "n")
    for twin in (copy.deepcopy(n * 4), pickle.loads(pickle.dumps(n * 4))):
        assert twin == 32 and str(twin) == "(n * 4)" and f"{twin:d}" == "32"
    assert str(math.prod((n, 2, 3))) == "((n * 2) * 3)" and str(sum((n, 1, n))) == "((n + 1) + n)"
    assert str(n * 1) == str(n + 0) == str(n // 1) == "n" and type(n * 0) is int
    assert n == 8 and hash(n) == hash(8) and {8: "found"}[n] and n.__mul__(0.5) is NotImplemented


def test_programs_keep_formulas():
    def double(x):
        return p.reshape(p.concat(x, x, axis=0), shape=(x.shape[0] * 6,))

    anything = build_function(double, [f32[symbol("n"), 3]])
    here = at_sizes(anything, {"n": Size(5, "n")})
    assert [str(size) for size in here.results[0].shape] == ["(n * 6)"]
    assert here.results[0].type == f32[30] and str(here.results[0].type) == "f32[30]"
    assert sizes_of(v.shape for v in here.args) == {"n": 5}
    assert formulas((here.args[0].type, (Size(2, "m"), "text"))) == "nm"
    assert at_sizes(anything, {"n": 5}).results[0].type == here.results[0].type


def test_constants_made_of_sizes_are_known_as_such():
    array = number_as(Size(5, "n"), f32.dtype)
    assert isinstance(array, KnownSize) and array == np.float32(5)
    assert isinstance(1.0 / array, KnownSize) and not isinstance(number_as(5, f32.dtype), KnownSize)
