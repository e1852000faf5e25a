"""Named tuples, dataclasses and other objects."""

from __future__ import annotations

import dataclasses
import enum
from collections import namedtuple
from typing import Any, NamedTuple

from language.case import Section, f32
from s2sad import nn, ops

SECTION = Section("Objects")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


class Pair(NamedTuple):
    first: Any
    second: Any = 2.0


Point = namedtuple("Point", ["x", "y"])  # noqa: PYI024


@works("namedtuple created inside", note="returned as what it is; as an argument with its gradient")
def named_tuples(x):
    pair = Pair(x * 2)
    other = pair._replace(second=x)
    point = Point(y=pair, x=x + 1)
    a, b = other
    return pair, point, a * b + point.y.first, other._asdict(), len(pair)


@works("namedtuple created inside", arguments=lambda: (Pair(f32(1.0, 2.0), Point(f32(3.0), 4)),))
def named_tuple_arguments(pair):
    return Pair(pair.first * pair.second.x, pair.second.y), pair


@dataclasses.dataclass
class State:
    value: Any
    scale: float = 2.0
    more: list[Any] = dataclasses.field(default_factory=list)

    @property
    def scaled(self):
        return self.value * self.scale

    def moved(self, by):
        return dataclasses.replace(self, value=self.value + by)


@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 3
    kind: str = "relu"


CONFIG = Config(4, "tanh")


@works("dataclass: global instance, created inside, as argument", note="returned as what it is")
def dataclasses_inside(x):
    state = State(x * 3, more=[x])
    moved = state.moved(by=x)
    return state, moved.scaled * state.scaled + CONFIG.width, moved, CONFIG.kind


@works(
    "dataclass: global instance, created inside, as argument",
    arguments=lambda: (State(f32(1.0, 2.0), 3.0, [f32(0.5)]), Config(5)),
    note="as an argument with its gradient",
)  # fmt: skip
def dataclass_arguments(state, config):
    return state.scaled * config.width + state.more[0], State(state.value * state.value)


@works("dataclass: global instance, created inside, as argument")
def dataclasses_on_data(x):
    state = State(x, 1.5)
    if x.sum() > 0:
        state = State(x * x, 1.5)
    for i in range(3):
        state = State(state.value * 1.1 + i, 1.5)
    return state.scaled


class Scaler:
    kind = "scaler"

    def __init__(self, by, plus=0):
        self.by = by
        self.plus = plus

    def __call__(self, x):
        return self.shift(x * self.by)

    def shift(self, x):
        return x + self.plus

    def __add__(self, other):
        return Scaler(self.by + other.by, self.plus)

    def __len__(self):
        return 7

    def __getitem__(self, i):
        return self.by * i


class Doubler(Scaler):
    def __init__(self, plus):
        super().__init__(2, plus)
        self.name = f"{self.kind}-{plus}"


SCALER = Scaler(3.0, 1)


@works("plain object: attribute read, method call, created inside")
def plain_objects(x):
    inner = Scaler(x, plus=1)
    both = inner + Doubler(3)
    inner.plus = 5
    return SCALER(x) + inner(x) * both.by + len(inner) + both[2], Doubler(4).name


@refused("plain object: attribute **set** inside", "E0101", "set attributes on self")
def sets_an_attribute(x):
    SCALER.plus = x  # here
    return SCALER(x)


class Act(nn.Cell):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.inner = nn.ReLU()

    def construct(self, x):
        return self.inner(x) * self.scale


@works("`jit_class` object created inside", note="and Cells without Parameters")
def cells_inside(x):
    return Act(3)(x) + nn.Tanh()(x)


class Mode(enum.Enum):
    FAST = "fast"
    EXACT = "exact"


@works("enums")
def enums(x):
    mode = Mode("fast")
    return x * 2 if mode is Mode.FAST and mode.value == "fast" else x


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first = nn.ReLU()
        self.second = nn.Tanh()
        self.kind = "second"

    def construct(self, x):
        for name in ("first", self.kind):
            x = getattr(self, name)(x) * 2
        return x


@scenario("`getattr(self, name)`", note="guarded: another name compiles anew")
def by_name(wrap):
    net = Layers()
    run = wrap(net)
    one = run(f32(1.0, -2.0))
    net.kind = "first"
    return one, run(f32(1.0, -2.0))


OBJECTS = {"tanh": ops.Tanh(), "sum": ops.ReduceSum(keep_dims=True)}
square = ops.MultitypeFuncGraph("square")


@square.register("Tensor")
def _square(x):
    return x * x


@works(
    "objects of operations: `ops.ReduceSum(keep_dims=True)`, `ops.HyperMap(f)`",
    note="made inside or outside; guarded",
)
def objects_of_operations(x):
    y = OBJECTS["tanh"](x)
    for activation in (ops.Sigmoid(), OBJECTS["tanh"]):
        y = activation(y)
    pairs = ops.HyperMap(square)((x, [y, (x,)]))
    a, b = ops.Map(lambda p, q: p * q)((x, y), (y, x))
    double = ops.partial(ops.Mul(), 2.0)
    return OBJECTS["sum"](y, 0), pairs, double(a) + b, ops.Concat(0)((x, y))


@works("objects of operations: `ops.ReduceSum(keep_dims=True)`, `ops.HyperMap(f)`")
def objects_of_operations_on_data(x):
    y = x
    if x.sum() > 1.0:
        y = OBJECTS["tanh"](y) * 2.0
    n = x.sum()
    while n > 0.5:
        y = ops.Add()(y, OBJECTS["sum"](x, 0))
        n = n * 0.5
    for i in range(3):
        y = ops.Sub()(y, ops.Mul()(x, 0.1 * i))
    return ops.Tanh()(y)
