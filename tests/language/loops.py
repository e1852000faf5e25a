"""Loops."""

from __future__ import annotations

import s2sad as ms
from language.case import Section, f32, i32
from s2sad import nn, ops

SECTION = Section("Loops")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


def with_count():
    return f32(0.5, 0.25, 0.125), i32(4)


@works("`for i in range(const)`, step, negative step, empty", note="a loop where passes are alike")
def ranges(x):
    for i in range(5):
        x = x * 1.1 + i
    for i in range(8, 1, -3):
        x = x + i
    for _ in range(0):
        x = x * 0
    return x


@works("`for i in range(const)`, step, negative step, empty", gradient=False)
def many_passes(x):
    for i in range(3000):
        x = x * 0.999 + i * 1e-4
    return x


@works("`for i in range(tensor)`", arguments=with_count)
def counted(x, n):
    for i in range(n):
        x = x * x + i
    for i in range(1, n, 2):
        x = x - i
    return x


@works(
    "over tuple/list of Tensors, nested, `enumerate`, `zip`, `map`, dict, `d.items()`, "
    "`reversed((..))`, CellList, a plain list attribute of Cells by index"
)
def over_containers(x):
    total = x * 0
    for y in (x, x * 2):
        for i, z in enumerate([y, y + 1], start=1):
            total = total + z * i
    for a, b in zip((x, x * 2), (3, x), strict=True):
        total = total + a * b
    for y in map(ops.tanh, (x, x * 2)):
        total = total + y
    named = {"a": x, "b": 2 * x}
    for name in named:
        total = total + named[name]
    for name, y in named.items():
        total = total + y * len(name)
    for y in reversed((x, total)):
        total = total * 0.5 + y
    return total


class Stack(nn.Cell):
    def __init__(self):
        super().__init__()
        layers = [nn.ReLU(), nn.Tanh(), nn.Sigmoid()]
        self.blocks = nn.CellList([nn.CellList([a, b]) for a, b in zip(layers, layers[::-1])])  # noqa: B905
        self.plain = layers

    def construct(self, x):
        for first, second in self.blocks:
            x = first(x) + second(x)
        for i in range(len(self.plain)):
            x = self.plain[i](x)
        return x


@scenario(
    "over tuple/list of Tensors, nested, `enumerate`, `zip`, `map`, dict, `d.items()`, "
    "`reversed((..))`, CellList, a plain list attribute of Cells by index"
)
def over_cells(wrap):
    return wrap(Stack())(f32(1.0, -2.0))


@works("over a Tensor (rows)")
def over_rows(x):
    total = x[0] * 0
    for row in x:
        total = total * 0.5 + row * row
    return total


@works("over a string")
def over_a_string(x):
    for letter in "abca":
        x = x * 2 if letter == "a" else x + 1
    return x


@works("loop variable used after the loop")
def variable_after(x):
    for i in range(4):
        x = x + i
    return x * i


@refused("loop variable used after the loop", "E0211", "assign it before", arguments=with_count,
         note="not of a loop that may not run")  # fmt: skip
def variable_after_data(x, n):
    for i in range(n):  # here
        x = x + i
    return x * i


@works("`break` / `continue` on const")
def leaves(x):
    for i in range(10):
        if i == 1:
            continue
        if i > 3:
            break
        x = x + i
    return x


@works("`break` / `continue` on a Tensor test", arguments=with_count)
def leaves_on_data(x, n):
    for i in range(10):
        if i == n:
            continue
        if x.sum() > 30:
            break
        x = x * 1.5 + i
    return x


@works("`return` inside on a Tensor test", arguments=with_count, scalar=True)
def returns_on_data(x, n):
    i = 0
    while i < 20:
        if x.sum() > n:
            return x * 2, i
        x = x * 1.5
        i += 1
    return x, i


@works("`for ... else`, `while ... else`, with or without break")
def otherwise(x):
    for i in range(3):
        if i == 7:
            break
    else:
        x = x * 2
    for i in range(3):
        if i == 1:
            break
    else:
        x = x * 100
    while x.shape[0] > 5:
        pass
    else:
        x = x + 1
    return x


@works("`for ... else`, `while ... else`, with or without break", arguments=with_count)
def otherwise_on_data(x, n):
    i = 0
    while i < n:
        x = x * 2
        i += 1
        if x.sum() > 1000:
            break
    else:
        x = x + 1
    for i in range(n):
        if x[0] > 2:
            break
        x = x + i
    else:
        x = x * 0
    return x


@works("appending Tensors to a list in a const loop, then `stack`")
def appends(x):
    rows = []
    for i in range(4):
        rows.append(x * i)
        x = x * 0.5
    return ops.stack(rows)


@works("`while const`")
def while_known(x):
    i = 0
    while i < 4:
        x = x * 1.1 + i
        i += 1
    return x


@works(
    "`while tensor`, `while i < n`, zero iterations, `while True` + break, nested, continue, "
    "return",
    arguments=with_count,
)
def while_data(x, n):
    i = 0
    while i < n:
        j = n * 1
        while j > 0:
            x = x * 1.01 + j
            j -= 2
        i += 1
    while x.sum() < 0:
        x = x * 0
    while True:
        if x[0] > 50:
            break
        x = x * 2
    return x


@works("two or more loop-carried values", arguments=with_count)
def two_values(x, n):
    y = x * 2
    while n > 0:
        x, y = y, x + y
        n = n - 1
    return x, y


@works(
    "a Python number changes in a loop on data", arguments=with_count, scalar=True,
    note="in 64 bits, and as weak as in Python",
)  # fmt: skip
def changing_numbers(x, n):
    rate, count, share = 0.1, 1, 1
    while n > 0:
        x = x * rate
        rate, count, share = rate * 0.5, count * 3, share / 3
        n = n - 1
    print(rate, count, f"{share:.17g}")
    half = ops.ones(2, ms.float16)
    numbers = rate / 3, count // 2, count % 5, -count, abs(-rate), rate**2, 2**rate, share, rate
    return x, half * rate, n * count + count, rate < 0.1, max(rate, 0.01), numbers


@works("a Python number changes in a loop on data", arguments=with_count, scalar=True)
def changing_numbers_of_rows(x, n):
    step = 0.1
    for _ in range(n):
        if x.sum() > 1.0:
            step = step / 3
        x = x - step
    return x, step


@refused(
    "a carried value changes **dtype** (int → float)", "E0306", ".astype", arguments=with_count
)
def changes_dtype(x, n):
    while n > 0:  # here
        n = n * 0.5
    return x * n


@refused("a carried value changes **shape**", "E0306", "Tensor of one type", arguments=with_count)
def changes_shape(x, n):
    while n > 0:  # here
        x = ops.concat([x, x])
        n = n - 1
    return x


@refused("appending to a list in a `while tensor`", "E0104", "x[i] = v", arguments=with_count)
def appends_in_a_loop(x, n):
    rows = [x]
    while n > 0:
        rows.append(x * n)  # here
        n = n - 1
    return ops.stack(rows)


@works("`x[i] = v` inside `while tensor`", arguments=with_count)
def writes_items(x, n):
    y = x * 2
    i = 0
    while i < 3:
        y[i] = y[i - 1] * x[i] + n
        i += 1
    return y


def _power(x, n):
    return x * 0 + 1 if n == 0 else x * _power(x, n - 1)


@works("recursion with a const argument")
def recursion(x):
    return _power(x, 5)


def _endless(x, n):
    return _endless(x * 2, n + 1)  # here


@refused("recursion with a const argument", "E0103", "write a loop", at=_endless,
         note="to a depth of 200, or `max_call_depth`")  # fmt: skip
def endless_recursion(x):
    return _endless(x, 0)


def _until(x, limit):
    if x.sum() > limit:
        return x
    return _until(x * 2, limit)  # here


@refused("recursion ended by a Tensor test", "E0103", "write a loop", at=_until)
def recursion_on_data(x):
    return _until(x, 100.0)
