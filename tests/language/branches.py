"""Branches."""

from __future__ import annotations

import s2sad as ms
from language.case import Section, f32, i32
from s2sad import nn, ops

SECTION = Section("Branches")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


def with_count():
    return f32(1.0, 2.0, 3.0), i32(2)


@works(
    "`if const` (shape, ndim, None test, str, isinstance)", note="only the side taken is compiled"
)
def known(x):
    name, mask = "gelu", None
    if x.ndim == 2 or mask is not None:
        x = x.missing()
    elif isinstance(x, ms.Tensor) and x.shape[0] == 3:
        x = x * 2
    if name == "relu":
        act = ops.relu
    elif name in ("gelu", "tanh"):
        act = ops.tanh
    return act(x) if not mask else x


@works("`if tensor` with both branches assigning, no else, elif, nested", arguments=with_count)
def on_data(x, n):
    if x.sum() > 10:
        y = x * 2
    elif n > 1:
        y = x * x
        if x[0] > 0:
            y = y + 1
    else:
        y = x
    if n > 100:
        y = y * 0
    return y


@works("`if tensor` with `return` in the branches", arguments=with_count)
def returns(x, n):
    if n > 5:
        return x
    elif x[1] > 1:
        return x * x * n
    return x + 1


@works("condition of shape () or (1,), also a float (non-zero = true)")
def conditions(x):
    if x[0]:
        x = x * 2
    if x[1:2] > 0:
        x = x * 3
    if x[:1] - x[:1]:
        x = x * 5
    return x


@refused("condition with several elements", "E0304", ".any()")
def several(x):
    if x > 0:  # here
        x = x * 2
    return x


@works("`x[0] > 0 and x[1] > 0`, `or`, `not` as condition", note="short circuit")
def joined(x):
    if x[0] > 0 and x[1] > 0:
        x = x * 2
    if x[0] < 0 or not x[1] < 0:
        x = x + 1
    if x.shape[0] == 5 and x[4] > 0:
        x = x * 3
    return x


@works("branches give different Python numbers", scalar=True, note="in 64 bits, as weak as before")
def different_numbers(x):
    rate = 0.1 if x[0] > 0 else 0.3
    if x[1] > 7:
        count = 2
    else:
        count = 7
    half = ops.ones(2, ms.float16)
    return x * rate, half * rate * count, x * count, rate / 3 + count, count / 3, count // 2


@refused("branches give different **dtypes**", "E0306", ".astype")
def dtypes(x):
    if x.sum() > 0:  # here
        y = x
    else:
        y = x.astype(ms.float16)
    return y * 2


@refused("branches give different **shapes**", "E0306", "Tensor of one type")
def shapes(x):
    if x.sum() > 0:  # here
        y = x
    else:
        y = x[:2]
    return y * 2


@refused("Tensor in one branch, tuple / int in the other", "E0306", "as many items")
def kinds(x):
    if x.sum() > 0:  # here
        y = x
    else:
        y = (x, x)
    return y


@works(
    "Tensor in one branch, tuple / int in the other", note="a number becomes a Tensor of the dtype"
)
def a_number(x):
    if x[0] > 0:
        y = x[0] * 2
    else:
        y = ops.zeros_like(x[0])
    return y * x


@works("const ints in the branches `k = 2` / `k = 3`, then `x * k`")
def numbers(x):
    if x.sum() > 0:
        k = 2
    else:
        k = 3
    return x * k


@refused("strings in the branches", "E0306", "Tensor of one type")
def strings(x):
    if x.sum() > 0:  # here
        name = "a"
    else:
        name = "b"
    return x if name == "a" else -x


@refused("None in one branch", "E0306", "Tensor of one type")
def nothing(x):
    if x.sum() > 0:  # here
        y = x
    else:
        y = None
    return y


@refused("variable assigned in only one branch, used later", "E0211", "on every path")
def on_one_side(x):
    if x.sum() > 0:  # here
        y = x * 2
    return y


@works("different functions bound in the branches, called later", note="known conditions")
def functions(x):
    if x.ndim == 1:
        act = ops.tanh
    else:
        act = ops.relu
    return act(x)


@works("different functions bound in the branches, called later")
def functions_on_data(x):
    if x.sum() > 0:
        y = (lambda z: z * 2)(x)
    else:
        y = ops.tanh(x)
    return y


@works("different functions bound in the branches, called later")
def functions_bound_on_data(x):
    if x.sum() > 0:
        act = ops.tanh
    else:
        act = ops.relu
    return act(x)


@works("`a if c else b`, const or Tensor c")
def expressions(x):
    y = x * 2 if x.ndim == 1 else x.missing()
    return (y * y if x[0] > 0 else -y) + (x if x[0] > 100 else x * 3)


@works("a dict entry or list appended in one Tensor branch: same structure after")
def entries(x):
    found = {"a": x}
    items = [x]
    if x.sum() > 0:
        found = {**found, "b": x * 2}
        items = [*items, x * x]
    else:
        found = {**found, "b": x}
        items = [*items, x]
    return found, items


@refused("list appended in **one** Tensor branch", "E0104", "known length")
def appends_on_one_side(x):
    items = [x]
    if x.sum() > 0:
        items.append(x * 2)  # here
    return ops.stack(items)


@refused("list appended in **one** Tensor branch", "E0306", "as many items")
def grows_on_one_side(x):
    items = [x]
    if x.sum() > 0:  # here
        items = [*items, x * 2]
    return ops.stack(items)


@refused("list comprehension filtered by a Tensor test", "E0305", "ops.where")
def filters(x):
    return ops.stack([row * 2 for row in x if row > 1])  # here


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = ms.Parameter(ms.Tensor([1.0]), name="p")

    def construct(self, x):
        if x.sum() > 0:
            self.p = self.p * 2
        else:
            self.p = self.p - 1
        return x * self.p


@scenario("`self.p = ...` (Parameter) in the branches")
def writes(wrap):
    cell = Counter()
    run = wrap(cell)
    return [run(f32(1.0)), run(f32(-1.0)), cell.p * 1, run(f32(2.0)), cell.p * 1]
