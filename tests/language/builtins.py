"""Builtins."""

# ruff: noqa: C400, C403, C405, C408, C414, C417, E721
from __future__ import annotations

import s2sad as ms
from language.case import Section, f32, i32
from s2sad import nn, ops

SECTION = Section("Builtins")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


def with_count():
    return f32(1.0, 2.0, 3.0), i32(2)


@works("`len` of Tensor, tuple, list, dict")
def lengths(x):
    return x * len(x), len((x, 2)), len([x]), len({"a": x})


@works('`len("abc")`')
def length_of_text(x):
    return x * len("abc")


@works("`int/float/bool/str` of consts")
def converts(x):
    return x * int("7") + float("0.5"), int(2.9), bool([]), str(1.5), float("-inf"), complex(1, 2)


@works(
    "`int(x[1])`, `float(x[1])`, `bool(x[1] > 0)`, `x[1].item()`", scalar=True, gradient=False,
    note="a 0-d Tensor, with gradient; `range(int(x))` is a loop",
)  # fmt: skip
def converts_data(x):
    total = 0
    for i in range(int(x[1])):
        total = total + i + x[0]
    return int(x[1] * 1.5), float(x[1]), bool(x[1] > 0), x[1].item(), int(-x[2] / 2), total


@works("`int(x[1])`, `float(x[1])`, `bool(x[1] > 0)`, `x[1].item()`", gradient=True)
def keeps_the_gradient(x):
    return x * 2


@refused("`int(x[1])`, `float(x[1])`, `bool(x[1] > 0)`, `x[1].item()`", "E0304", "astype")
def converts_several(x):
    return x * int(x)  # here


@works("`max(x)`, `min(x)`, `sum(x)`, `sum(list)`, `abs`, `pow`, `round(x)`", gradient=False)
def folds(x):
    y = -x * 1.25
    return max(x), min(y), sum(x), sum([x, y]), sum([x], y), abs(y), pow(x, 2), round(y)


@works("`max(x)`, `min(x)`, `sum(x)`, `sum(list)`, `abs`, `pow`, `round(x)`")
def folds_with_gradient(x):
    return max(x) * min(x * x - 3.5 * x) + sum(x * x) + pow(abs(-x), 3)


@works("`max(a, b)` of scalar Tensors")
def larger(x):
    return max(x[0], x[1]) * min(x[1] * x[0], x[2], x[0]), max(x[0], 0.5) * x, min(x[2], 7) * x


@works("`max(a, b)` of scalar Tensors", arguments=lambda: (f32(float("nan"), 2.0, 2.0),),
       gradient=False)  # fmt: skip
def larger_of_nan(x):
    return max(x[0], x[1]), max(x[1], x[0]), min(x[0], x[1]), min(x[1], x[0]), max(x[1], x[2])


@works("`all(x > 0)`, `any(...)` of Tensors", scalar=True, gradient=False)
def logical(x):
    return all(x > 0), any(x > 2), any(x > 5), all([x[0] > 0, x[1] > 1.5, True]), any([x[0] < 0, 3])


@works("`all/any/max/min/sum/sorted(key=, reverse=)` of consts")
def known(x):
    numbers, names = [3, 1, 2], ["bb", "a", "ccc"]
    facts = (
        all(numbers), any([]), max(numbers), min(names, key=len), max(1, 5, 3), sum(numbers, 10),
        sorted(numbers, reverse=True), sorted(names, key=lambda name: -len(name)),
        max([], default=7), sum(1 for n in numbers if n > 1), max(names, key=lambda n: n[0]),
    )  # fmt: skip
    return x * facts[2], facts


@works("`isinstance`")
def instances(x):
    facts = isinstance(x, ms.Tensor), isinstance(3, (int, str)), isinstance((x,), tuple)
    return x, facts, issubclass(bool, int), isinstance(x[0] * 2, float)


@works("`type(x) is Tensor`")
def types(x):
    return x * 2 if type(x) is ms.Tensor and int is int else x, type((x,)).__name__


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = 2

    def construct(self, x):
        if hasattr(self, "extra"):
            x = x + self.extra
        return x * getattr(self, "scale", 1) * getattr(self, "missing", 3) + getattr(x, "sum")()  # noqa: B009


@scenario("`hasattr`, `getattr` with default", note="guarded")
def attributes(wrap):
    net = Net()
    run = wrap(net)
    one = run(f32(1.0, 2.0))
    net.extra = 5
    return one, run(f32(1.0, 2.0))


class Missing(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = 2

    def construct(self, x):
        return x * self.scal  # here


@refused("`hasattr`, `getattr` with default", "E0220", "scale", is_scenario=True,
         at=Missing.construct)  # fmt: skip
def missing(wrap):
    return wrap(Missing())(f32(1.0))


@works(
    "`enumerate`, `zip`, `map`, `filter`, `range`, `reversed`, `slice`, `tuple`, `list`, `dict`, "
    "`set`, `divmod`, `chr`, `ord`, `hash`, `callable`, `list(x)`"
)
def several(x):
    rows = list(x)
    pairs = list(zip(rows, range(3), strict=True))
    moved = tuple(map(lambda a, b: a * b, rows, [3, 4, 5]))
    odd = list(filter(lambda i: i % 2, range(5)))
    some = list(filter(None, [0, 3, None, 4]))
    last = x[slice(1, None)]
    facts = (
        [i for i, _ in enumerate(rows, 1)], list(range(5, 0, -2)), list(reversed(odd)), odd, some,
        dict(a=1), len(set([1, 1])), divmod(7, 2),
        chr(97), ord("b"), hash(3) == 3,
        callable(ops.sin), callable(x), callable(lambda: 0), "".join(map(str, odd)), hex(255),
        bin(5),
    )  # fmt: skip
    return pairs, moved, last, divmod(x, 0.7)[0], facts, dict(zip("ab", rows))  # noqa: B905


@refused("`iter` + `next`", "E0104", "with `for`")
def iterates(x):
    rows = iter([x, x * 2])  # here
    return next(rows) + next(rows)


@works("`complex(1, 2)`")
def complex_numbers(x):
    return x * complex(1, 2).real, complex(1, 2) * 1j


class Loud(nn.ReLU):
    def construct(self, x):
        return super().construct(x) * 2


@scenario("`super()`")
def supers(wrap):
    return wrap(Loud())(f32(1.0, -2.0))


@refused(
    "`enumerate`, `zip`, `map`, `filter`, `range`, `reversed`, `slice`, `tuple`, `list`, `dict`, "
    "`set`, `divmod`, `chr`, `ord`, `hash`, `callable`, `list(x)`", "E0104", "make a list",
    arguments=with_count, note="an iterator made around a loop on data is not gone through in it",
)  # fmt: skip
def consumes_in_a_loop(x, n):
    rows = zip([x, x], [1, 2], strict=True)
    while n > 0:
        for a, b in rows:  # here
            x = a * b
        n = n - 1
    return x
