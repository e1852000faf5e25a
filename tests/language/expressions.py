"""Expressions, operators, constants."""

# ruff: noqa: PLR2004, E731
from __future__ import annotations

from language.case import Section, f32, i32
from s2sad import ops

SECTION = Section("Expressions, operators, constants")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


def with_count():
    return f32(1.0, 2.0, 3.0), i32(2)


@works(
    "`+ - * / // % ** @`, unary, comparisons, on Tensors and consts; `//` and `%` of negatives",
    arguments=lambda: (f32(1.25, -2.5, 3.75), i32(-7)),
)
def operators(x, n):
    y = -x + x * 2 - 1 / (x * x + 1) + x**2 - 2**x + x @ x + abs(x)
    flags = (x > 0, x <= 1, x == 1.25, 2 != x, x >= n, x < n)
    return y + (-7 // 2) + (-7 % 3) - x // 2 + n // 2, n % 3, flags, +x


@works("`a < b < c` on consts and Tensors")
def chains(x):
    return 1 < x.shape[0] <= 3, 0 < x[0] < x[1] < 5, 3 > 2 > 1


@works("`and` / `or` as values, consts and scalar Tensors")
def values(x):
    return (x[0] or x[1]) * 2 + (x[0] and x[2]), None or x, 0 or 3, x[0] - x[0] or x[1]


@works("`and` / `or` as values, consts and scalar Tensors", scalar=True)
def values_and_numbers(x):
    zero = x[0] - x[0]
    return (x[0] and 3) * 2, zero and 3, (zero or 2.5) * x, zero or 4, x.sum() or 2


@works("`and` / `or` as values, consts and scalar Tensors", scalar=True, gradient=False,
       arguments=lambda: (i32(0),))  # fmt: skip
def values_and_ints(n):
    return n or 3, (n + 2) and 5, (n > 0) or False


@refused("`and` / `or` as values, consts and scalar Tensors", "E0306", "Tensor of one type",
         note="what data decide between has one dtype", arguments=lambda: (i32(0),))  # fmt: skip
def values_of_two_kinds(n):
    return n or 2.5  # here


@works("`not tensor`", scalar=True, gradient=False)
def negates(x):
    return not x[0], not x[0] - x[0], not x.shape


@works("`is`, `is not`, `in`, `not in` on consts")
def memberships(x):
    y = x
    facts = (y is x, x is not None, 2 in (1, 2), "b" not in "abc", "a" in {"a": x}, 5 in range(3))
    return x, facts


@works("`v in tensor`", scalar=True, gradient=False)
def in_a_tensor(x):
    return 2.0 in x, 7 in x, 7 not in x


@works("`v in tensor`", scalar=True, gradient=False, note="and in a list of Tensors")
def in_a_list(x):
    rows = [x[0], x[1]]
    return rows[1] in rows, 2.0 in rows, 9.0 in rows


@works("`& | ^ ~` on int/bool Tensors".replace("|", "\\|"), arguments=lambda: (i32(6),),
       gradient=False)  # fmt: skip
def bits(n):
    flag = n > 3
    return n & 3, n | 1, n ^ 5, ~n, flag & (n > 7), flag | (n > 7), flag ^ flag, ~flag


@works("`<<`, `>>` on Tensors", arguments=lambda: (i32(6),), gradient=False)
def shifts(n):
    return n << 2, n >> 1


@works("bool Tensor + bool Tensor", gradient=False)
def adds_bools(x):
    return (x > 0) + (x > 2)


@works("float constants", note="Python's own arithmetic")
def floats(x):
    return x * 2, 0.1 + 0.2, 1e308 * 1.0, 7 / 3, 1e16 + 1.0, -0.0, round(2.675, 2)


@works("`2 ** -1`, `2 ** 70`")
def powers(x):
    return x * 2**-1, 2**-1, 2**70, 2**70 // 2**68 * x


@refused("`2 ** -1`, `2 ** 70`", "E0404", "as a float", arguments=lambda: (i32(6),),
         note="an int beyond int64 has no Tensor")  # fmt: skip
def too_large(n):
    return n * 2**70  # here


@works("`1 / 0` const", raises=ZeroDivisionError)
def divides_by_zero(x):
    return x * (1 / 0)


@works("f-string of consts")
def f_strings(x):
    n, name = x.shape[0], "ab"
    return x, f"{n:03d}|{n / 7:.3f}|{name!r:>6}|{{}}|{n=}|{name:{n + 3}}|{x.shape}"


@refused("f-string of a Tensor", "E0101", "print it", note="but in print, raise, assert")
def f_string_of_data(x):
    return x, f"x is {x}"  # here


@refused("f-string of a Tensor", "E0101", "print it")
def looks_for_a_text_of_data(x):
    return x * 2 if f"{x.sum()}" in {"6.0": 1} else x  # here


@refused("f-string of a Tensor", "E0101", "print it")
def gets_by_a_text_of_data(x):
    return x * {"6.0": 1}.get(str(x.sum()), 5)  # here


@refused("f-string of a Tensor", "E0101", "print it")
def counts_texts_of_data(x):
    return x * len({str(x.sum()), str(x.sum())})  # here


@works('`"..." % v`, `.format`, `str.upper` etc., `.split`, `.join` on consts')
def texts(x):
    text = "%s-%03d" % ("a", x.shape[0]) + "{:>4}".format("b") + str(3.5) + repr("c")  # noqa: UP031, UP032
    return (
        x,
        text,
        text.upper().split("-"),
        "+".join(["x", "y"]),
        "abc"[::-1],
        "a" * 3,
        "b".islower(),
    )


@works('lists, tuples, dicts, nested; `[*l, 3]`, `{**d, "b": 2}`, `dict(a=1)`, int keys')
def containers(x):
    items, named = [x, (x * 2, [x + 1])], {"a": x, 2: 3}
    return [*items, 3], {**named, "b": items[1]}, dict(a=1, **{"c": x}), (*items, *named), named[2]  # noqa: C408


@works("set literal, set comprehension", note="of what is static")
def sets(x):
    kinds = {1, 2} | {i * 2 for i in range(3)}
    kinds.add(9)
    return x * len(kinds) if 4 in kinds else x, sorted(kinds)


@refused("set literal, set comprehension", "E0305", "a list or a tuple")
def sets_of_tensors(x):
    return x * len({x, 1})  # here


@works("`set([1, 1])` const")
def makes_a_set(x):
    return x * len(set([1, 1, 2])), sorted(frozenset("aba"))  # noqa: C405


@works("list/dict comprehension, one `for`, with const `if`")
def comprehensions(x):
    rows = [x * i for i in range(5) if i % 2 == 0]
    named = {f"k{i}": row for i, row in enumerate(rows) if i != 1}
    return rows, named


@works("comprehension with two `for`s")
def two_loops(x):
    rows = [x[i] * j for i in range(3) for j in range(i) if i + j != 2]
    return ops.stack(rows), {(i, j): x * i for i in range(2) for j in range(2) if j}


@works("generator expression in `sum`, `tuple`")
def generators(x):
    once = (x * i for i in range(3))
    return sum(x[i] * x[i] for i in range(3)), tuple(x * i for i in range(2)), sum(once), sum(once)


@works("`x[i]`, `x[a:b:c]`, negative step, `...`, `None`, mixed")
def items(x):
    y = ops.stack([x, x * 2, x * 3])
    return y[1], y[-1, 0], y[::2, 1:], y[::-1], y[..., 0], y[None, 1], y[:, None, -2:], y[1][0:2]


@works(
    "`x[tensor]`, `x[[0, 2]]`, `x[bool_mask]`, `x[n - 1]`, `x[:n]`", arguments=with_count,
    note="a mask where what it picks is reduced",
)  # fmt: skip
def indices(x, n):
    return (
        x[n],
        x[[0, 2]],
        x[n - 1] * x[n],
        x[ops.stack([n, n - 2])],
        ops.where(x > 1.5, x, 0).sum(),
    )


@refused("`x[tensor]`, `x[[0, 2]]`, `x[bool_mask]`, `x[n - 1]`, `x[:n]`", "E0305", "ops.where")
def picks_by_mask(x):
    return x[x > 1]  # here


@refused("`x[5]` out of range", "E0501", "3")
def out_of_range(x):
    return x[5]  # here


@works("`x[i] = v`, slices, masks, `x[i] += v`", arguments=with_count)
def writes(x, n):
    y = x * 2
    z = y
    y[0] = x[1] * 3
    y[1:] += x[:2]
    y[y > 7] = 1.5
    y[n] *= x[0]
    y[y < 3] *= 2
    w = ops.stack([x, y])
    w[:, x > 1.5] = 0.5
    return y, z, w


@refused("`x[i] = v`, slices, masks, `x[i] += v`", "E0107", "copy it before",
         note="a view of what was written is not read any more")  # fmt: skip
def reads_a_view(x):
    y = x * 2
    view = y[1:]
    y[2] = x[0]
    return view * 2  # here


@works("`x.add_(v)`, `x.zero_()` and the other methods that end in `_`", arguments=with_count)
def methods_that_write(x, n):
    y = x * 2
    z = y
    y.add_(x).clamp_(max=7.0)
    if n > 1:
        z.mul_(x)
    for _ in range(2):
        y.sub_(x)
    return y, z, ops.zeros_like(x).fill_(3.0)


@refused("`x.add_(v)`, `x.zero_()` and the other methods that end in `_`", "E0104", "a name",
         note="a part of a tensor is not written through a view")  # fmt: skip
def writes_through_a_view(x):
    y = x * 2
    y[1:].zero_()  # here
    return y


@works("`x[i] = v` on an argument", note="the caller's Tensor stays as it is; PyNative writes it")
def writes_an_argument(x):
    x[0] = x[1] * 2
    return x * x


@works(
    "list: append, extend, insert, reverse, pop, index, count, `l[i] = v`, slice assign, `+`, `*`, "
    "`in`"
)
def lists(x):
    items = [x]
    items.append(x * 2)
    items.extend([x + 1, 4])
    items.insert(0, x * 3)
    items.reverse()
    last = items.pop()
    items[0] = x * 5
    items[1:2] = [x, x]
    names = ["a", "b", "a"]
    facts = (names.index("b"), names.count("a"), "b" in names, len(items))
    return items + [last], [x] * 2, facts  # noqa: RUF005


@works("list: `sort()`, `remove()` as statements")
def sorts(x):
    names = ["b", "c", "a"]
    names.sort(reverse=True)
    names.remove("b")
    ranks = [2, 0, 1]
    ranks.sort(key=lambda i: -i)
    return x, names, ranks


@refused("list: `sort()`, `remove()` as statements", "E0305", "ops.sort")
def sorts_tensors(x):
    rows = [x[0], x[1]]
    rows.sort()  # here
    return rows


@works("dict: get, keys, values, items, update, `in`, len")
def dicts(x):
    named = {"a": x, "b": x * 2}
    named.update(c=x + 1)
    named["d"] = named.get("a") * 3
    total = sum(named.values()) + named.get("z", 0)
    return total, list(named), "b" in named, len(named), [key for key, _ in named.items()]


@works("dict: `pop`")
def pops(x):
    named = {"a": x, "b": x * 2}
    first = named.pop("a")
    return first * 2 + named.pop("c", 1), named, named.setdefault("e", 5)


@works("tuple indexed by a Tensor", arguments=lambda: (f32(1.0, 2.0), i32(1)),
       note="of Tensors of one type")  # fmt: skip
def picks(x, n):
    return (x, x * x, x + 1)[n]


@refused("tuple indexed by a Tensor", "E0305", "ops.stack", arguments=with_count)
def picks_a_number(x, n):
    return x * (1, 2, 3)[n]  # here
