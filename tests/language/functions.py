"""Functions and names."""

from __future__ import annotations

import functools
import operator

import s2sad as ms
from language.case import Section, f32
from s2sad import nn, ops

SECTION = Section("Functions and names")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


def _scaling(by):
    def scaled(x):
        return x * by

    return scaled


_DOUBLE = _scaling(2)


@works("closure over a local, function factories")
def closures(x):
    def plus(y):
        return x + y

    return plus(_DOUBLE(x)) + _scaling(3)(x) + [_scaling(i) for i in range(3)][2](x)


@works("local changed after the inner `def`", note="Python's late binding")
def late(x):
    by = 2

    def scaled(y):
        return y * by

    by = 5
    return scaled(x)


FACTOR = 2


@scenario("closure list or global changed after the first call", note="compiled anew")
def rebound(wrap):
    global FACTOR  # noqa: PLW0603
    factors = [3]

    def scaled(x):
        return x * FACTOR + factors[0]

    run, found = wrap(scaled), []
    for FACTOR in (2, 7, 2):  # noqa: B007
        factors[0] += 1
        found.append(run(f32(1.0, 2.0)))
    return found


@works("`lambda` written inside the compiled function, also in a list or as an argument")
def lambdas(x):
    square = lambda y: y * y  # noqa: E731
    several = [lambda y: y + 1, lambda y, by=3: y * by]
    return square(x) + sum(f(x) for f in several) + functools.reduce(lambda a, b: a * b, (x, x))


@scenario(
    "`lambda` written outside and handed in: `jit(lambda x: ..)`, `grad(lambda x: ..)(x)` in GRAPH "
    "mode, `vmap(lambda ..)`, a hook", note="found by its column",
)  # fmt: skip
def lambdas_outside(wrap):
    one, two = wrap(lambda x: x * 2), wrap(lambda x: x + 3)
    slope = wrap(ms.grad(lambda x: x * x))
    return one(f32(1.0)), two(f32(1.0)), slope(f32(3.0))


@works("`*args`, `**kw`, keyword-only, `f(*t, **d)`, mutable default")
def arguments(x):
    def gather(first, *rest, scale=1, **named):
        total = first * scale
        for y in rest:
            total = total + y
        for name, y in named.items():
            total = total + y * len(name)
        return total

    def default(y, seen=[1, 2]):  # noqa: B006
        return y * len(seen)

    given, options = (x, x * 2), {"scale": 3, "more": x}
    return gather(*given, x, **options) + gather(x, ab=x) + default(x)


def _positional(a, b=2, /, c=3, *, d):
    return a * b + c * d


@works("positional-only parameters `def f(a, b, /)`")
def positional(x):
    def inner(y, /, by):
        return y * by

    return _positional(x, d=1) + _positional(x, 4, 5, d=x) + inner(x, by=2)


@refused("positional-only parameters `def f(a, b, /)`", "E0302", "takes")
def positional_by_name(x):
    return _positional(a=x, d=1)  # here


def _doubled(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs) * 2

    return wrapper


def _plain(function):
    return lambda x: function(x) + 1


@_doubled
def _decorated(x, by=3):
    return x * by


@_plain
@_doubled
def _twice_decorated(x):
    return x * x


class Decorated(nn.Cell):
    @_doubled
    def construct(self, x):
        return x * 3


class PlainDecorated(nn.Cell):
    def construct(self, x):
        return x * 3

    def _shifted(function):  # noqa: N805
        def wrapper(self, x):
            return function(self, x) + 1

        return wrapper

    construct = _shifted(construct)


@works("decorated function or `construct`, with `functools.wraps`", note="what is there is called")
def decorated(x):
    @_doubled
    def inner(y):
        return y + 1

    return _decorated(x) + _decorated(x, by=2) + _twice_decorated(x) + inner(x)


@scenario("decorated function or `construct`, with `functools.wraps`")
def decorated_construct(wrap):
    return wrap(Decorated())(f32(1.0, 2.0))


@scenario("decorator without `wraps`")
def decorated_plainly(wrap):
    return wrap(PlainDecorated())(f32(1.0, 2.0)), wrap(_plain(_scaling(2)))(f32(1.0))


_HALF = functools.partial(operator.mul, 0.5)


@functools.lru_cache(maxsize=None)  # noqa: UP033
def _cached(n):
    return n * 2


@works("`functools.partial`", note="`functools.cache` as well")
def partial(x):
    def scaled(y, by, plus=0):
        return y * by + plus

    twice = functools.partial(scaled, by=2)
    return twice(x) + functools.partial(twice, plus=x)(x) + _HALF(x) + _cached(3)


@works("`functools.reduce`")
def reduce(x):
    return functools.reduce(lambda a, b: a * b + 1, [x, x * 2, 3], x) + functools.reduce(
        operator.add, (x, x)
    )


@works("`operator.add` etc.")
def operators(x):
    pick = operator.itemgetter(1)
    return operator.add(x, 2) * operator.neg(x) + pick((1, x)) + operator.getitem(x, 0)


@ms.compile
def _compiled(x):
    return x * x


def _cube(x):
    return x * x * x


@works("calling a `@jit` function, `grad(f)(x)` inside, `vmap(f)(x)` inside")
def transforms(x):
    return _compiled(x) + ms.grad(_cube)(x) + ms.grad(lambda y: ms.grad(_cube)(y) * 2)(x)


@works("calling a `@jit` function, `grad(f)(x)` inside, `vmap(f)(x)` inside", gradient=False)
def vmap(x):
    return ms.vmap(lambda row: row * row.sum())(ops.stack([x, x * 2]))


@refused("undefined name", "E0201", "mean")
def undefined(x):
    scale = 2  # noqa: F841
    return x * scalle  # noqa: F821  # here


class Methods(nn.Cell):
    kinds = (2, 3)

    def construct(this, x):  # noqa: N805
        return this.by_class(x) * this.kinds[1] + this.helper(x)

    @classmethod
    def by_class(cls, x):
        return x * cls.kinds[0]

    @staticmethod
    def helper(x):
        return x + 1


class Base(nn.Cell):
    offset = 0.5

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")

    @property
    def doubled(self):
        return self.w * 2

    @functools.cached_property
    def table(self):
        return [1, 2, 3]

    def construct(self, x):
        return x * self.w + self.offset


class Derived(Base):
    offset = 1.5

    def construct(self, x):
        return super().construct(x) * self.doubled + len(self.table) + self.twice(x)

    @staticmethod
    def twice(x):
        return x * 2


@scenario("first parameter of a method not called `self`; `@classmethod`")
def methods(wrap):
    return wrap(Methods())(f32(1.0, 2.0))


@scenario(
    "`@staticmethod`, `@property`, `super().construct(x)`, inherited helpers, class attributes",
    note="a property is read as a function is, so its gradient is there",
)  # fmt: skip
def inherited(wrap):
    net = Derived()
    run, slope = wrap(net), wrap(ms.grad(net, 0, net.trainable_params()))
    return run(f32(1.0, 2.0)), run(f32(3.0, 4.0)), slope(f32(1.0, 2.0))


@refused("`locals()`", "E0104", "where the function is called")
def asks_locals(x):
    return x * len(locals())  # here


@refused('`eval("const")`', "E0104", "where the function is called")
def evaluates(x):
    return x * eval("2")  # here
