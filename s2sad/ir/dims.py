"""How long is an axis, and what is known when that depends on a symbol?

A dimension is a Python int or a `Symbolic`: a polynomial with integer coefficients over symbols
and floor divisions. A symbol stands for any size of 2 or more (0 and 1 get variants of their
own), so every answer here holds for all such sizes. Comparisons answer True, False or None;
None is "it depends, or no proof was found", and a rule that needs the answer raises E0402. Python's
own operators do so as well: no code that compares sizes is wrong for some of them.
"""

from __future__ import annotations

import keyword
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from operator import index
from typing import TypeAlias

from s2sad.core.diagnostics import fail

DIFFERENT, UNKNOWN, BAD_VALUE = "E0401", "E0402", "E0404"
HELP = "give the axis a fixed size, or both axes one symbol"
SMALLEST = 2  # the least size that a symbol stands for


@dataclass(frozen=True, slots=True, eq=False)
class FloorDivision:
    """An atom of polynomials: `numerator` // `divisor`, where the quotient is no polynomial."""

    numerator: Dim
    divisor: Dim

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FloorDivision) and alike(self._parts(), other._parts())

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[Dim, Dim]:
        return self.numerator, self.divisor

    def __str__(self) -> str:
        return f"{_grouped(self.numerator)}//{_grouped(self.divisor)}"


Atom: TypeAlias = "str | FloorDivision"
Word: TypeAlias = "tuple[Atom, ...]"  # a monomial: its atoms in order, repeated for powers


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Symbolic:
    """A dimension that depends on symbols: an immutable polynomial, never a constant.

    Comparisons, and truth, hold for all sizes; E0402 where they do not say the same for all, and
    where Python wants a number. `alike` compares structure. ``str`` is Python that evaluates back,
    given the symbols.

    Attributes
    ----------
    terms : tuple of (word, int)
        Monomials with their coefficients, none 0, in graded lexicographic order.

    Examples
    --------
    >>> B, H = symbol("B"), symbol("H")
    >>> 2 * B + 1, (H + 2) // 2, (B * H + B) // B, B - B
    (2*B + 1, (H + 2)//2, H + 1, 0)
    """

    terms: tuple[tuple[Word, int], ...]

    def __add__(self, other: Dim) -> Dim:
        return _sum(self.terms + _terms(other))

    def __mul__(self, other: Dim) -> Dim:
        products = ((u + v, a * b) for u, a in self.terms for v, b in _terms(other))
        return _sum((tuple(sorted(word, key=str)), c) for word, c in products)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Dim:
        return self * -1

    def __sub__(self, other: Dim) -> Dim:
        return self + other * -1

    def __rsub__(self, other: Dim) -> Dim:
        return self * -1 + other

    def __floordiv__(self, other: Dim) -> Dim:
        return _floor_divide(self, other)

    def __rfloordiv__(self, other: Dim) -> Dim:
        return _floor_divide(other, self)

    def __mod__(self, other: Dim) -> Dim:
        return self - other * (self // other)

    def __rmod__(self, other: Dim) -> Dim:
        return other - self * (other // self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (int, Symbolic)):
            return NotImplemented
        return _answer(same(self, other), f"{self} == {other}")

    def __hash__(self) -> int:
        return hash(self.terms)

    def __lt__(self, other: Dim) -> bool:
        return _answer(less(self, other), f"{self} < {other}")

    def __le__(self, other: Dim) -> bool:
        return _answer(less_equal(self, other), f"{self} <= {other}")

    def __gt__(self, other: Dim) -> bool:
        return _answer(less(other, self), f"{self} > {other}")

    def __ge__(self, other: Dim) -> bool:
        return _answer(less_equal(other, self), f"{self} >= {other}")

    def __bool__(self) -> bool:
        return self != 0

    def __index__(self) -> int:
        raise fail(UNKNOWN, f"the size {self} is a number only when the program runs", help=HELP)

    __int__ = __float__ = __index__

    def __str__(self) -> str:
        text = ""
        for word, coefficient in self.terms:
            sign = "-" if coefficient < 0 else "+" if text else ""
            factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not word else []
            # A division stands bare only where nothing else would bind to its numerator.
            is_bare = len(word) == 1 and not factors and (text or not sign)
            factors += [str(atom) if is_bare else _grouped(atom) for atom in word]
            text += (f" {sign} " if text else sign) + "*".join(factors)
        return text

    __repr__ = __str__


Dim = int | Symbolic


def symbol(name: str) -> Symbolic:
    """The symbol `name`; E0404 if that cannot stand as a name in a dump."""
    if not name.isidentifier() or keyword.iskeyword(name) or not name.isascii():
        raise fail(BAD_VALUE, f"a symbol needs an ASCII Python name, got {name!r}")
    return Symbolic((((name,), 1),))


def _answer(known: bool | None, question: str) -> bool:
    """What is `known` (E0402 where nothing is)."""
    if known is None:
        raise fail(UNKNOWN, f"{question} holds for some sizes and not for others", help=HELP)
    return known


def alike(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether two shapes are written alike, whatever else may be known of them.

    >>> B = symbol("B")
    >>> alike((B, 2), (B, 2)), alike((B,), (2,))
    (True, False)
    """
    return len(a) == len(b) and all(map(_is_alike, a, b))


def _is_alike(a: Dim, b: Dim) -> bool:
    if isinstance(a, Symbolic):
        return isinstance(b, Symbolic) and a.terms == b.terms
    return not isinstance(b, Symbolic) and a == b


def _grouped(part: Dim | Atom) -> str:
    text = str(part)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _terms(dim: Dim) -> tuple[tuple[Word, int], ...]:
    if isinstance(dim, Symbolic):
        return dim.terms
    constant = index(dim)
    return (((), constant),) if constant else ()


def _sum(terms: Iterable[tuple[Word, int]]) -> Dim:
    """What `terms` add up to, in canonical form; an int where that is constant."""
    total: dict[Word, int] = {}
    for word, coefficient in terms:
        total[word] = total.get(word, 0) + coefficient
    # Graded lexicographic order: products keep it, which long division relies on.
    kept = sorted(
        ((word, c) for word, c in total.items() if c),
        key=lambda term: (-len(term[0]), [str(atom) for atom in term[0]]),
    )
    if kept and kept[0][0]:
        return Symbolic(tuple(kept))
    return kept[0][1] if kept else 0


def _atoms(dim: Dim) -> set[Atom]:
    return {atom for word, _ in _terms(dim) for atom in word}


def _replace(dim: Dim, image: Callable[[Atom], Dim]) -> Dim:
    """`dim` with each atom replaced by its `image`."""
    terms = [c * size([image(atom) for atom in word]) for word, c in _terms(dim)]
    return sum(terms)


def _without(word: Word, part: Word) -> Word | None:
    """The monomial `word` divided by `part`, or None where that is no monomial."""
    left = Counter(word)
    left.subtract(part)
    return tuple(left.elements()) if min(left.values(), default=0) >= 0 else None


def _divide(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """Polynomials (q, r) with ``a == q*b + r``, by long division on leading terms."""
    leading, divisor = _terms(b)[0]
    for word, coefficient in _terms(a):
        factor = _without(word, leading)
        if factor is not None and coefficient // divisor:
            step = _sum([(factor, coefficient // divisor)])
            quotient, remainder = _divide(a - step * b, b)
            return quotient + step, remainder
    return 0, a


def _floor_divide(a: Dim, b: Dim) -> Dim:
    """``a // b`` for a positive `b`: a polynomial where that is proven, an atom otherwise."""
    if not _is_positive(b):
        code = DIFFERENT if less(0, b) is False else UNKNOWN
        raise fail(code, f"cannot divide {a} by {b}: the divisor must be positive")
    common = math.gcd(*(coefficient for _, coefficient in _terms(a) + _terms(b)))
    a, b = _divide(a, common)[0], _divide(b, common)[0]
    quotient, remainder = _divide(a, b)
    for result, left in ((quotient, remainder), (quotient - 1, remainder + b), (0, a)):
        if less_equal(0, left) and less(left, b):
            return result
    for word, coefficient in _terms(a):
        if coefficient == 1 and len(word) == 1 and isinstance(inner := word[0], FloorDivision):
            rest = a - _sum([(word, 1)])  # (x//y + z)//b is (x + z*y)//(y*b)
            return _floor_divide(inner.numerator + rest * inner.divisor, inner.divisor * b)
    return _sum([((FloorDivision(a, b),), 1)])


def _is_positive(dim: Dim) -> bool:
    """Whether it was proven that `dim` > 0 at all sizes."""
    weaker: Dim | None = dim
    while weaker is not None:
        if (_lower_bound(weaker) or 0) > 0:
            return True
        weaker = _clear_division(weaker)
    return False


def _lower_bound(dim: Dim) -> int | None:
    """A number that `dim` is never below.

    Each atom x that is never below n is written as n + y with y >= 0. Where no coefficient
    but the constant is negative after that, the constant is the bound.
    """
    least = {atom: _least(atom) for atom in _atoms(dim)}
    if None in least.values():
        return None
    terms = _terms(_replace(dim, lambda atom: _sum([((atom,), 1), ((), least[atom] or 0)])))
    if any(coefficient < 0 for word, coefficient in terms if word):
        return None
    return dict(terms).get((), 0)


def _least(atom: Atom) -> int | None:
    if isinstance(atom, str):
        return SMALLEST
    bound = _lower_bound(atom.numerator)
    if bound is None or isinstance(atom.divisor, Symbolic):
        return bound and min(bound, 0)
    return bound // atom.divisor


def _clear_division(dim: Dim) -> Dim | None:
    """A dimension that is positive only where `dim` is, with a floor division less.

    With q = p // d, ``p - d + 1 <= d*q <= p``: multiply by d, and put the worse end for d*q.
    None where no division is left, or where the factors beside it may be negative.
    """
    divisions = [atom for atom in _atoms(dim) if isinstance(atom, FloorDivision)]
    if not divisions:
        return None
    outermost = max(divisions, key=lambda atom: (len(str(atom)), str(atom)))
    numerator, divisor = outermost.numerator, outermost.divisor
    total: Dim = 0
    for word, coefficient in _terms(dim):
        rest = _without(word, (outermost,))
        if rest is None:
            total += _sum([(word, coefficient)]) * divisor
            continue
        if any((least := _least(atom)) is None or least < 0 for atom in rest):
            return None
        worse = numerator - divisor + 1 if coefficient > 0 else numerator
        total += _sum([(rest, coefficient)]) * worse
    return total


def same(a: Dim, b: Dim) -> bool | None:
    """Whether `a` equals `b` at all sizes (True), at none (False), or that is unknown (None).

    >>> B, H = symbol("B"), symbol("H")
    >>> same(B, B), same(B + 1, 2), same((H + 2) // 2, H // 2 + 1), same(B, H)
    (True, False, True, None)
    """
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if _is_alike(a, b):
        return True
    difference = a - b
    if _is_positive(difference) or _is_positive(-difference):
        return False
    if _is_positive(difference + 1) and _is_positive(1 - difference):
        return True
    step = math.gcd(*(c for word, c in _terms(difference) if word))
    return False if dict(_terms(difference)).get((), 0) % step else None


def less(a: Dim, b: Dim) -> bool | None:
    """Whether `a` < `b` at all sizes (True), at none (False), or that is unknown (None).

    >>> B = symbol("B")
    >>> less(1, B), less(B, 2), less(B, 3), less(B % 4, 4)
    (True, False, None, True)
    """
    if isinstance(a, int) and isinstance(b, int):
        return a < b
    return True if _is_positive(b - a) else False if _is_positive(a - b + 1) else None


def less_equal(a: Dim, b: Dim) -> bool | None:
    """Whether `a` <= `b` at all sizes (True), at none (False), or that is unknown (None)."""
    return less(a, b + 1)


def require_same(a: Dim, b: Dim, what: str, help: str | None = None) -> Dim:  # noqa: A002
    """The one dimension that `a` and `b` are, as an int where one of them is an int.

    `what` names both, in the plural: ``"the inner sizes of matmul"``. E0401 if they differ, with
    `help`; E0402 if that is unknown.
    """
    answer = same(a, b)
    if answer is None:
        raise fail(UNKNOWN, f"cannot tell whether {what} are equal: {a} and {b}", help=HELP)
    if not answer:
        raise fail(DIFFERENT, f"{what} differ: {a} and {b}", help=help)
    return b if isinstance(b, int) else a


def _ordered(a: Dim, b: Dim) -> tuple[Dim, Dim]:
    """`a` and `b`, the smaller first; E0402 where that depends on the sizes."""
    if less_equal(a, b):
        return a, b
    if less_equal(b, a):
        return b, a
    raise fail(UNKNOWN, f"cannot tell which is larger: {a} or {b}", help=HELP)


def size(shape: Sequence[Dim]) -> Dim:
    """Number of elements: the product of `shape`, 1 for the empty one."""
    return math.prod(shape)


def broadcast_dim(
    a: Dim, b: Dim, *, axis: int | None = None, operands: Sequence[object] = (),
    shapes: Sequence[Sequence[Dim]] = (),
) -> Dim:  # fmt: skip
    """Size to which axes of sizes `a` and `b` of `shapes` broadcast; 1 stretches.

    Errors as `broadcast`.
    """
    if _is_alike(a, b) or same(b, 1):
        return a
    if same(a, 1):
        return b
    equal = same(a, b)
    if equal:
        return b if isinstance(b, int) else a
    named = " and ".join(map(str, operands))
    named, place = f"{named}: " if named else "", "" if axis is None else f" at axis {axis}"
    # A size that may be 1 may stretch: being different is no proof of a misfit.
    if None not in (equal, same(a, 1), same(b, 1)):
        message = f"{named}sizes {a} and {b} do not broadcast{place}"
        raise fail(DIFFERENT, message, help=_to_fit(shapes, operands))
    message = f"{named}cannot tell whether sizes {a} and {b} broadcast{place}"
    raise fail(UNKNOWN, message, help=HELP)


def broadcast(
    *shapes: tuple[Dim, ...], operands: Sequence[object] = (), behind: int = 0
) -> tuple[Dim, ...]:
    """Shape to which `shapes` broadcast together, by NumPy's rule.

    E0401 if two sizes misfit, E0402 if that is unknown. The error names `operands`, by default
    the shapes themselves, and the axis, counted from the right, where `behind` more axes follow.

    >>> broadcast((symbol("B"), 1), (4,), ())
    (B, 4)
    """
    operands = operands or shapes
    result: tuple[Dim, ...] = ()
    for shape in shapes:
        if not alike(shape, result):
            pairs = zip_longest(reversed(result), reversed(shape), fillvalue=1)
            about = {"operands": operands, "shapes": () if behind else shapes}
            sizes = [
                broadcast_dim(a, b, axis=~i - behind, **about) for i, (a, b) in enumerate(pairs)
            ]
            result = tuple(reversed(sizes))
    return result


def _fit(a: Sequence[Dim], b: Sequence[Dim]) -> bool:
    """Whether two shapes surely broadcast."""
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    return all(same(m, n) or same(m, 1) or same(n, 1) for m, n in pairs)


def _to_fit(shapes: Sequence[Sequence[Dim]], operands: Sequence[object]) -> str:
    """What may be done with shapes that do not broadcast."""
    if len(shapes) == len(operands) == 2:
        for (one, other), operand in zip((shapes, shapes[::-1]), operands, strict=True):
            if len(one) < len(other) and _fit((*one, 1), other):
                return f"give {operand} one more axis, its last: `[..., None]`"
            if len(one) == len(other) == 2 and _fit(one[::-1], other):
                return "transpose one of them: `.T`"
    return "sizes that meet must be equal, or one of them 1"


def ceil_div(a: Dim, b: Dim) -> Dim:
    """`a` / `b` rounded up, for a positive `b`."""
    return (a + b - 1) // b


def window(
    size: Dim, kernel: Dim, stride: Dim = 1, pad_low: Dim = 0, pad_high: Dim = 0, dilation: Dim = 1
) -> Dim:
    """Number of places where a sliding window fits on a padded axis; 0 where it is too long.

    The window spans ``dilation*(kernel - 1) + 1`` elements and moves by `stride`. E0404 if one
    of these three is not positive; E0402 if it is unknown whether the window fits.

    >>> window(8, 3, stride=2, pad_low=1, pad_high=1), window(symbol("H"), 2, stride=2)
    (4, H//2)
    """
    for name, value in (("kernel", kernel), ("stride", stride), ("dilation", dilation)):
        if not less(0, value):
            raise fail(BAD_VALUE, f"the {name} of a window must be positive, got {value}")
    room = size + pad_low + pad_high - dilation * (kernel - 1) - 1
    return _ordered(0, (room + stride) // stride)[1]


def not_negative(size: Dim) -> tuple[Dim, Dim]:
    """Two dimensions, neither of them ever negative, whose difference `size` is (E0402).

    >>> N = symbol("N")
    >>> not_negative(N - 2), not_negative(5 - 2 * N), not_negative((N - 7) // 2)
    ((N - 2, 0), (5, 2*N), ((N - 7)//2 + 3, 3))
    """
    if less_equal(0, size):
        return size, 0
    more = _sum((word, c) for word, c in _terms(size) if c > 0)
    less_ = _sum((word, -c) for word, c in _terms(size) if c < 0)
    bounds = _lower_bound(more), _lower_bound(less_)
    if bounds[0] is None or bounds[1] is None:
        raise fail(UNKNOWN, f"cannot tell how far below 0 the number {size} may be", help=HELP)
    shift = max(0, -min(bounds[0], bounds[1]))
    return more + shift, less_ + shift


def slice_length(size: Dim, start: int | None, stop: int | None, step: int | None = 1) -> Dim:
    """Length of ``x[start:stop:step]`` on an axis of `size`, exactly as Python slices.

    E0404 if `step` is 0; E0402 if a symbolic `size` does not tell where the slice ends.

    >>> slice_length(10, -3, None), slice_length(symbol("B"), 1, -1), slice_length(5, 9, 0, -2)
    (3, B - 2, 2)
    """
    if step == 0:
        raise fail(BAD_VALUE, "the step of a slice must not be 0")
    if isinstance(size, int):
        return len(range(*slice(start, stop, step).indices(size)))
    step = step or 1
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (low, high) if step > 0 else (high, low)
    begin, end = (
        default if i is None else _ordered(low, size + i)[1] if i < 0 else _ordered(i, high)[0]
        for i, default in ((start, first), (stop, last))
    )
    distance = end - begin if step > 0 else begin - end
    return ceil_div(_ordered(0, distance)[1], abs(step))


def substitute(dim: Dim, sizes: Mapping[str, Dim]) -> Dim:
    """`dim` with the symbols named in `sizes` replaced; others stay.

    E0404 if a size may be below 2: what was simplified need not hold there.

    >>> substitute(2 * symbol("B") + symbol("H"), {"B": 3})
    H + 6
    """
    for name, value in sizes.items():
        if not less_equal(SMALLEST, value):
            raise fail(BAD_VALUE, f"{name} stands for sizes of {SMALLEST} or more, got {value}")

    def image(atom: Atom) -> Dim:
        if isinstance(atom, str):
            return sizes[atom] if atom in sizes else symbol(atom)
        return _replace(atom.numerator, image) // _replace(atom.divisor, image)

    return _replace(dim, image)


def free_symbols(dim: Dim) -> tuple[str, ...]:
    """Names of the symbols that `dim` depends on, sorted."""
    return tuple(sorted(set(re.findall(r"[^\W\d]\w*", str(dim)))))
