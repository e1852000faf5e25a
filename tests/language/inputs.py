"""Inputs and outputs."""

from __future__ import annotations

import numpy as np

import s2sad as ms
from language.case import Section, f32
from language.objects import Config, Pair, Scaler
from s2sad import nn, ops

SECTION = Section("Inputs and outputs")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


@works(
    "None, str, int, float, bool, dtype arguments", note="one program for each value",
    arguments=lambda: (f32(1.0, 2.0), None, "twice", 3, 0.5, True, ms.float16),
)  # fmt: skip
def constants(x, mask, kind, n, scale, flag, dtype):
    if mask is None and kind == "twice" and flag:
        return x * n * scale, ops.zeros(2, dtype)
    return x


@scenario("None, str, int, float, bool, dtype arguments")
def other_constants(wrap):
    def scaled(x, by):
        return x * by, by

    run = wrap(scaled)
    return [run(f32(1.0, 2.0), by) for by in (2, 2.0, True, 2, 3)]


NESTED = (f32(1.0, 2.0), [f32(3.0), {"a": f32(0.5), "b": (f32(1.5), 4)}])


@works("tuple, list, dict of Tensors as arguments", arguments=lambda: NESTED,
       note="with the gradient in the same form")  # fmt: skip
def containers(x, rest):
    first, named = rest
    return x * first * named["a"] + named["b"][0] * named["b"][1], {"all": [rest, x]}


@scenario("tuple, list, dict of Tensors as arguments")
def containers_as_they_come(wrap):
    def total(rows, **named):
        return sum(rows) + sum(named.values())

    run, slope = wrap(total), wrap(ms.grad(lambda rows: total(rows)))
    found = [run([f32(i), f32(2.0)], a=f32(3.0)) for i in range(3)]
    return found, slope([f32(1.0), f32(2.0)])


@refused("a list argument appended to inside", "E0104", "build a new one",
         arguments=lambda: ([f32(1.0), f32(2.0)],))  # fmt: skip
def appends(rows):
    rows.append(rows[0] * 2)  # here
    return rows


@refused(
    "numpy array argument", "E0304", "Tensor", arguments=lambda: (np.ones(3, np.float32),),
    is_scenario=True,
)  # fmt: skip
def arrays(wrap):
    return wrap(lambda x: x * 2)(np.ones(3, np.float32))  # here


@works(
    "plain object, dataclass, namedtuple argument",
    arguments=lambda: (f32(1.0, 2.0), SCALER, Config(3), Pair(f32(2.0), 3)),
    note="an object is guarded by identity; a dataclass or named tuple is what it holds",
)  # fmt: skip
def objects(x, scaler, config, pair):
    return scaler(x) * config.width + pair.first * pair.second


SCALER = Scaler(2.0, 1)


@scenario("function argument", note="`def` or lambda")
def functions(wrap):
    def applied(function, x):
        return function(x) + 1

    run = wrap(applied)
    return run(lambda x: x * 2, f32(1.0)), run(ops.tanh, f32(1.0)), run(nn.ReLU(), f32(-1.0))


@works("returning tuple, list, nested, int, float, str, shape, dtype")
def results(x):
    facts = (3, -0.5, "text", x.shape, x.dtype, True, [x.ndim, (float("inf"), b"bytes")])
    return [(x * 2,), [x, (x + 1, [x])]], facts, ()


@works("returning dict")
def returns_a_dict(x):
    return {"a": x * 2, "shape": x.shape, 3: {"b": [x]}}


@works("returning None inside a tuple")
def returns_none(x):
    return x * 2, None, [None, x]


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        return x, self.w * 1


@scenario("returning the argument itself or a Parameter", note="a Parameter as a Tensor copy")
def returns_what_it_got(wrap):
    run = wrap(Weighted())
    return run(f32(3.0, 4.0))


@works("returning the argument itself or a Parameter")
def returns_the_argument(x):
    return x, x, x[0]
