"""Which programs with loops did nobody think of?

`random_program` writes one from a seed: loops over ranges, whose bodies compute with their indices,
with tensors, with variables that hold now a number and now a tensor, and branch on all of them.
Many are kept as loops, many are not, and some are wrong.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from random import Random
from typing import Any

import s2sad as ms
from s2sad import ops

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def random_program(seed: int) -> Callable[..., Any]:
    """A function of ``x`` (6, 4), ``h`` (4,), ``s`` () and integers ``m`` (4,)."""
    text = _Author(Random(seed)).text()
    file = f"<random loops {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"ops": ops, "ms": ms}
    exec(compile(text, file, "exec"), names)
    return names["program"]


class _Author:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.indices: list[str] = []
        self.lines = ["def program(x, h, s, m):"]
        self.loops = 0

    def text(self) -> str:
        self._line(1, f"g = {self._pick('0', '1.5', 'h', 'h * 2')}")
        self._line(1, f"k = {self._pick('0', '1.5', '2')}")
        self._line(1, f"q = {self._pick('None', 'h', 's')}")
        self._block(1, 3)
        self._line(1, "ends = [v for v in (h, s, m, g, k, q) if v is not None]")
        self._line(1, "return [v if isinstance(v, ms.Tensor) else x[0] * v for v in ends]")
        return "\n".join(self.lines) + "\n"

    def _pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _block(self, depth: int, size: int) -> None:
        for _ in range(self.random.randint(1, size)):
            weights = (12, 2, 2, 2, 1) if self.indices else (2, 0, 0, 6, 0)
            kinds = (self._assign, self._on_data, self._on_number, self._loop, self._leave)
            self.random.choices(kinds, weights)[0](depth)

    def _assign(self, depth: int) -> None:
        target = self.random.choices("hsmgkq", (5, 4, 3, 3, 2, 1))[0]
        value = {
            "m": self._integers, "k": self._number, "q": lambda: self._pick("g", "h", "s", "k"),
        }.get(target, self._tensor)()  # fmt: skip
        if target in "hg":
            value = f"{value} + h" if self.random.random() < 0.3 else f"ops.tanh({value} + h)"
        if target == "s":
            value = f"({value} + h)[{self.random.randint(0, 3)}]"
        self._line(depth, f"{target} = {value}")

    def _on_data(self, depth: int) -> None:
        self._branch(depth, f"s {self._pick('<', '>')} {self._number()}")

    def _on_number(self, depth: int) -> None:
        self._branch(
            depth, f"{self._int()} {self._pick(*COMPARISONS)} {self.random.randint(-2, 7)}"
        )

    def _branch(self, depth: int, test: str) -> None:
        self._line(depth, f"if {test}:")
        self._block(depth + 1, 2)
        if self.random.random() < 0.5:
            self._line(depth, "else:")
            self._block(depth + 1, 2)

    def _leave(self, depth: int) -> None:
        self._line(depth, f"if {self._int()} == {self.random.randint(0, 5)}:")
        self._line(depth + 1, self._pick("break", "continue", "return h"))

    def _loop(self, depth: int) -> None:
        if self.loops == 3 or len(self.indices) == 2:
            return self._assign(depth)
        self.loops += 1
        bound = self._pick("3", "4", "6", "0, 6", "1, 6", "5, -1, -1", "0, 6, 2")
        if self.indices and self.random.random() < 0.4:
            bound = self._pick("{0}", "{0}, 6", "{0}, {0} + 3", "5, {0}, -1").format(self._int())
        index = self._pick("i", "j", "l")
        self._line(depth, f"for {index} in range({bound}):")
        self.indices.append(index)
        self._block(depth + 1, 4)
        self.indices.pop()
        return None

    # ---- expressions -------------------------------------------------------------------------

    def _int(self, depth: int = 2) -> str:
        if not self.indices or depth == 0 or self.random.random() < 0.3:
            return self._pick(*(self.indices * 3 or ["2"]), "1", "3")
        left, number = self._int(depth - 1), self.random.randint(1, 4)
        return self._pick(
            f"({left} + {self._int(depth - 1)})", f"({left} - {number})", f"({number} * {left})",
            f"({left} // {number})", f"({left} % {number})", f"(-{left})", f"({number} - {left})",
            left, left, left,
        )  # fmt: skip

    def _number(self) -> str:
        number = self._int()
        return self._pick(
            number, number, f"({number} / 4)", f"(0.3 * {number})", f"(1 / ({number} + 5))", "0.5",
            "2", f"({number} - 0.25)", f"(-({number} / 3))",
        )  # fmt: skip

    def _row(self) -> str:
        index = self._int()
        return self._pick(
            f"x[({index}) % 6]", f"x[({index}) % 6]", f"x[{index}]",
            f"x[{index}:{index} + 2][{self._pick(0, 1)}]", f"x[{index}:3 + {index}:2][-1]",
        )  # fmt: skip

    def _tensor(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.25:
            return self._pick("h", "h", "s", self._row(), self._row(), "g")
        one, other, number = self._tensor(depth - 1), self._tensor(depth - 1), self._number()
        operator = self._pick("+", "-", "*", "*")
        return self._pick(
            f"({one} {operator} {other})", f"({one} {operator} {number})",
            f"({number} {operator} {one})", f"({one} / ({number} + 9))",
            f"ops.where(h > {number}, {one}, {other})", f"ops.tanh({one} - s)",
            f"({one} + m * {number})", f"(({one} {self._pick(*COMPARISONS)} {number}) * {other})",
        )  # fmt: skip

    def _integers(self) -> str:
        return self._pick(
            f"m + {self._int()}", f"m * {self._int()} - 1", f"{self._int()} - m",
            f"m // {self._int()}", f"m % {self._int()}", f"m + (m < {self._int()})",
        )  # fmt: skip
