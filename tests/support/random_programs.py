"""Which programs could users write that nobody thought of?

`random_source` writes the ``construct`` of a Cell from a seed: branches and loops on data, kept
loops, writes to items, containers, Parameters that change, and operations of every kind. Its
variables keep their types, and most of their numbers stay small, so that results of different
backends can be compared.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

#: What a program is computed in; most often what can be held to float64 closely.
DTYPES = ("float64",) * 4 + ("float32",) * 4 + ("float16", "bfloat16")
HEAD = """\
import s2sad as ms
from s2sad import ops

DTYPE = "{}"


def construct(self, x, h, s, m, k):"""


def random_source(seed: int, *, any_rows: bool = False) -> str:
    """Text of a module with a ``construct``, and the ``DTYPE`` of its floats.

    They are ``x`` (6, 4), ``h`` (4,) and ``s`` (); ``m`` (4,) and ``k`` () are integers. With
    `any_rows` it is right for any number of rows of ``x``, 2 or more, and computes with it.
    """
    return _Author(Random(seed), any_rows).text()


class _Author:
    def __init__(self, random: Random, any_rows: bool) -> None:
        self.random = random
        self.any_rows = any_rows
        #: How many rows there are, a row, some rows, and how to part them.
        self.rows, self.row, self.some, self.part = (
            ("n", "1", "1:n", "1") if any_rows else ("6", "2", "1:3", "3")
        )
        self.lines = HEAD.format(random.choice(DTYPES)).splitlines()
        if any_rows:
            self.lines.append("    n = x.shape[0]")
        self.indices: list[str] = []
        self.loops = 0
        self.counters = 0
        self.has_dict = False

    def text(self) -> str:
        if self.random.random() < 0.5:
            self.has_dict = True
            self._line(1, 'd = {"h": h * 0.5, "s": s}')
        for _ in range(self.random.randint(3, 6)):
            self._statement(1)
        ends = ["x", "h", "s", *(['d["h"]', 'd["s"]'] if self.has_dict else [])]
        total = " + ".join(f"ops.tanh({each}).sum()" for each in ends)
        self._line(1, f"loss = ({total}) * 0.25")
        given = '{"x": x, "more": (h, m)}, [s, k]' + (", d" if self.has_dict else "")
        self._line(1, f"return loss, {given}")
        return "\n".join(self.lines) + "\n"

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _pick(self, *options: str) -> str:
        return self.random.choice(options)

    def _one_of(self, *makers: Callable[[], str]) -> str:
        """What one of `makers` writes: only that one is asked."""
        return self.random.choice(makers)()

    # ---- statements --------------------------------------------------------------------------

    def _block(self, depth: int, most: int) -> None:
        for _ in range(self.random.randint(1, most)):
            self._statement(depth)

    def _statement(self, depth: int) -> None:
        kinds: list[tuple[Callable[[int], None], float]] = [
            (self._assign, 9), (self._write, 2), (self._update, 1), (self._entry, self.has_dict),
        ]  # fmt: skip
        if depth < 4:
            kinds += [(self._branch, 2)]
        if self.loops < 2 and depth < 3:
            kinds += [(self._while, 1), (self._for, 1.5)]
        if self.indices and depth < 4:
            kinds += [(self._leave, 0.4)]
        (made,) = self.random.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
        made(depth)

    def _assign(self, depth: int) -> None:
        target = self.random.choices("xhsmk", (4, 5, 3, 2, 1))[0]
        if target in "mk":
            self._line(depth, f"{target} = {self._integers(target)}")
            return
        value = {"x": self._matrix, "h": self._vector, "s": self._scalar}[target]()
        self._line(depth, f"{target} = {self._bounded(value)}")

    def _bounded(self, value: str) -> str:
        return self._pick(f"ops.tanh({value})", f"ops.tanh({value})", f"ops.sin({value})", value)

    def _write(self, depth: int) -> None:
        """Writes to items, of a tensor that has no other name."""
        if self.random.random() < 0.6:
            self._line(depth, f"x = {self._pick('x * 0.75', 'ops.tanh(x)')}")
            place = self._pick(
                self.row, self.some, f"k % {self.rows}", ":, 1", "::2, 0", "-1", *self._at()
            )
            value = {":, 1": self._scalar, "::2, 0": self._scalar}.get(place, self._vector)()
            sign = self._pick("=", "=", "+=", "*=")
            self._line(depth, f"x[{place}] {sign} {value}")
        else:
            self._line(depth, "h = h * 1.25")
            place = self._pick("0", "1:3", "h > 0.27", "m % 4", "-2")
            value = self._scalar() if place != "m % 4" else f"{self._vector()} * 0 + 0.5"
            self._line(depth, f"h[{place}] = {value}")

    def _at(self) -> list[str]:
        """Rows that counters of loops name."""
        return [f"{i} % n" for i in self.indices] if self.any_rows else self.indices

    def _update(self, depth: int) -> None:
        """Parameters that are no weights: a count, and a running mean."""
        self._line(depth, self._pick(
            f"ops.assign(self.r, self.r * 0.9 + {self._vector()} * 0.1)",
            "ops.assign_add(self.c, 1)", "ops.assign_sub(self.c, k)",
            f"self.r = ops.tanh({self._vector()})",
        ))  # fmt: skip

    def _entry(self, depth: int) -> None:
        if self.random.random() < 0.5:
            self._line(depth, f'd["h"] = {self._bounded(self._vector())}')
        else:
            self._line(depth, f'd["s"] = {self._bounded(self._scalar())}')

    def _branch(self, depth: int) -> None:
        self._line(depth, f"if {self._test()}:")
        self._block(depth + 1, 2)
        if self.random.random() < 0.6:
            self._line(depth, "else:")
            self._block(depth + 1, 2)

    def _test(self) -> str:
        number = f"{self.random.randint(-9, 9)}.0625"
        return self._one_of(
            lambda: f"{self._scalar()} {self._pick('<', '>')} {number} / 8",
            lambda: f"{self._integers('k')} % 3 {self._pick('==', '!=', '<=')} 1",
            lambda: f"ops.any({self._vector()} > {number} / 8)",
        )

    def _while(self, depth: int) -> None:
        self.loops += 1
        self.counters += 1
        count = f"n{self.counters}"
        self._line(depth, f"{count} = k * 0")
        also = f" and {self._scalar()} < 1.9375" if self.random.random() < 0.4 else ""
        self._line(depth, f"while {count} < {self.random.randint(1, 3)}{also}:")
        self._line(depth + 1, f"{count} = {count} + 1")  # before a `continue`: it has to end
        self._block(depth + 1, 3)

    def _for(self, depth: int) -> None:
        self.loops += 1
        index = "ij"[len(self.indices)]
        bound = self._pick("2", "3", "6", "8", "1, 6, 2", "5, 0, -1")
        if self.any_rows:
            bound = self._pick(
                "2", "n", "n", "n - 1", "1, n, 2", "n - 1, -1, -1", "n // 2", "n - 4"
            )
        self._line(depth, f"for {index} in range({bound}):")
        self.indices.append(index)
        self._block(depth + 1, 3)
        self.indices.pop()

    def _leave(self, depth: int) -> None:
        self._line(depth, f"if {self._test()}:")
        self._line(depth + 1, self._pick("break", "continue"))

    # ---- expressions -------------------------------------------------------------------------

    def _scalar(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            entry = ['d["s"]'] if self.has_dict else []
            return self._pick("s", "s", "h[1]", f"x[{self.row}, 3]", *entry)
        return self._one_of(
            lambda: f"{self._vector(depth - 1)}.sum()", lambda: f"{self._matrix(depth - 1)}.mean()",
            lambda: f"({self._vector(depth - 1)} * {self._vector(depth - 1)}).sum()",
            lambda: f"({self._scalar(depth - 1)} {self._pick(*'+-*')} {self._scalar(depth - 1)})",
            lambda: f"{self._smooth(self._scalar(depth - 1))}",
            lambda: f"ops.amax({self._vector(depth - 1)})",
            lambda: f"ops.logsumexp({self._vector(depth - 1)}, 0)",
            lambda: f"ops.cast({self._integers('k')} % 5, x.dtype)",
        )  # fmt: skip

    def _smooth(self, value: str) -> str:
        return self._pick(
            f"ops.tanh({value})", f"ops.sigmoid({value})", f"ops.cos({value})",
            f"ops.exp(-ops.abs({value}))", f"ops.sqrt(ops.abs({value}) + 0.5)",
            f"ops.relu({value})", f"ops.gelu({value})", f"ops.log(ops.square({value}) + 0.75)",
            f"ops.erf({value})", f"ops.softplus({value})", f"ops.clip({value}, -0.8125, 0.8125)",
            f"(1 / (1.5 + ops.square({value})))", f"({value} * 0.5)", f"ops.silu({value})",
            f"ops.atan({value})", f"ops.cast(ops.cast({value}, ms.float16), x.dtype)",
        )  # fmt: skip

    def _pair(self, one: str, other: str) -> str:
        return self._pick(
            f"({one} + {other})", f"({one} - {other})", f"({one} * {other})",
            f"({one} / (1.5 + ops.square({other})))", f"ops.maximum({one}, {other} + 0.0625)",
            f"ops.where({one} > {other} + 0.0625, {one}, {other})", f"ops.minimum({one}, {other})",
            f"ops.hypot({one} + 3, {other})",
        )  # fmt: skip

    def _vector(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.2:
            row = self._pick(self.row, "-1", f"k % {self.rows}", *self._at() * 2)
            return self._pick(
                "h", "h", "self.v", "self.r", f"x[{row}]", *(['d["h"]'] if self.has_dict else [])
            )
        inner, matrix = (lambda: self._vector(depth - 1)), (lambda: self._matrix(depth - 1))
        return self._one_of(
            lambda: self._smooth(inner()), lambda: self._smooth(inner()),
            lambda: self._pair(inner(), inner()), lambda: self._pair(inner(), inner()),
            lambda: self._pair(inner(), self._scalar(depth - 1)),
            lambda: f"{matrix()}.{self._pick('sum', 'mean')}(0)",
            lambda: f"ops.amax({matrix()}, 0)",
            lambda: f"ops.matmul({inner()}, self.w)", lambda: f"ops.softmax({inner()}, -1)",
            lambda: f"ops.cumsum({inner()}, 0)", lambda: f"ops.flip({inner()}, (0,))",
            lambda: f"ops.gather({inner()}, {self._integers('m')} % 4, 0)",
            lambda: f"ops.sort({inner()})[0]", lambda: f"ops.log_softmax({inner()}, -1)",
            lambda: f"ops.concat(({inner()}[:2], {inner()}[2:]), 0)",
            lambda: f"ops.stack(({self._scalar(depth - 1)}, s, {self._scalar(depth - 1)}, s), 0)",
            lambda: f"(ops.cast({self._integers('m')} % 7, x.dtype) * 0.25)",
            lambda: f"ops.roll({inner()}, 1, 0)",
        )  # fmt: skip

    def _matrix(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.25:
            return "x"
        inner = lambda: self._matrix(depth - 1)  # noqa: E731
        return self._one_of(
            lambda: self._smooth(inner()), lambda: self._smooth(inner()),
            lambda: self._pair(inner(), inner()),
            lambda: self._pair(inner(), self._vector(depth - 1)),
            lambda: self._pair(inner(), self._vector(depth - 1)),
            lambda: f"ops.matmul({inner()}, self.w)", lambda: f"ops.softmax({inner()}, -1)",
            lambda: f"ops.softmax({inner()}, 0)", lambda: f"ops.cumsum({inner()}, 1)",
            lambda: self._product(inner(), inner()),
            lambda: f"ops.gather({inner()}, ({self._integers('k')} % {self.rows} "
                    f"+ ops.arange({self.rows})) % {self.rows}, 0)",
            lambda: f"ops.conv2d({self._image(inner())}, self.f, pad_mode='same')"
                    f".reshape({self.rows}, 4)",
            lambda: f"ops.max_pool2d({self._image(inner())}, 3, 1, 1).reshape({self.rows}, 4)",
            lambda: f"ops.avg_pool2d({self._image(inner())}, 3, 1, 1).reshape({self.rows}, 4)",
            lambda: f"ops.concat(({inner()}[{self.part}:], {inner()}[:{self.part}]), 0)",
            lambda: f"ops.outer({self._vector(depth - 1)}.sum().reshape(1).tile(({self.rows},)), "
                    "self.v)",
            lambda: f"({inner()} - {inner()}.mean(1, keep_dims=True))",
            lambda: f"ops.flip({inner()}, ({self._pick('0', '1')},))",
            lambda: f"{inner()}.reshape(4, {self.rows}).T",
            *([lambda: self._sized(inner())] if self.any_rows else []),
        )  # fmt: skip

    def _image(self, value: str) -> str:
        return f"{value}.reshape(1, 1, {self.rows}, 4)"

    def _product(self, one: str, other: str) -> str:
        product = f"ops.matmul({one}, ops.transpose({other}, (1, 0)))"
        if self.any_rows:
            return f"(ops.matmul({product}, x) * 0.02)"
        return f"({product}[:, :4] * 0.25)"

    def _sized(self, value: str) -> str:
        """What the number of rows has a say in."""
        return self._pick(
            f"({value} / n)", f"({value} * (n - 4) * 0.125)", f"({value} + (n % 3))",
            f"ops.cumsum({value}, 0)", f"({value} - {value}.mean(0))", f"ops.sort({value}, 0)[0]",
            f"(ops.eye(n, dtype=x.dtype) @ {value})", f"ops.roll({value}, n // 2, 0)",
            f"ops.stack(({value}, x), 1).reshape(-1, 4)[: n]", f"{value}[::-1]",
            f"ops.concat(({value}[n // 2 :], {value}[: n // 2]), 0)",
            f"ops.concat(({value}[::2], {value}[1::2]), 0)",
            f"({value} * (1.0 if n > 4 else 0.5))", f"(n ** 0.5 * 0.25 * {value})",
        )  # fmt: skip

    def _integers(self, target: str) -> str:
        """Integers of the shape of ``m`` or of ``k``."""
        name = "m" if target == "m" and self.random.random() < 0.7 else target
        number = self.random.randint(1, 5)
        index = self._pick("2", "3", *self.indices * 3)
        more = (
            [f"ops.cast(h > 0.1875, ms.int32) + {name}"] if target == "m" else ["m.sum()", "m[1]"]
        )
        return self._pick(
            f"({name} + {number})", f"({name} * {number} - 1)", f"({name} // {number})", name,
            f"({name} % {number})", f"({name} - {index})", f"ops.maximum({name}, {index})", *more,
        )  # fmt: skip
