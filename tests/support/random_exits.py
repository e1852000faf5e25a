"""Which programs that leave blocks early did nobody think of?

`random_program` writes one from a seed: branches and loops on data and on numbers, in each other,
with `return`, `break`, `continue`, `raise` and the `else` of loops anywhere. All of them end.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from random import Random
from typing import Any

import s2sad as ms
from s2sad import ops

LOOPS = ("static", "short", "bound", "rows", "while", "endless", "counting")


def random_program(seed: int, *, raises: bool = True) -> Callable[..., Any]:
    """A function of floats ``x`` (4,), ``rows`` (5, 4) and an integer ``n`` that gives one (4,)."""
    text = _Author(Random(seed), raises).text()
    file = f"<random exits {seed}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"ops": ops, "ms": ms}
    exec(compile(text, file, "exec"), names)
    return names["program"]


class _Author:
    def __init__(self, random: Random, raises: bool) -> None:
        self.random = random
        self.raises = raises
        self.lines = ["def program(x, rows, n):"]
        self.loops = 0
        self.around: list[str] = []

    def text(self) -> str:
        self._line(1, "h = x")
        self._line(1, "g = rows[1] * 0.5")
        self._line(1, "s = x[0]")
        self._line(1, "k = 1.0")
        self._block(1, 5)
        self._line(1, "return ops.tanh(h + g * s) * k")
        return "\n".join(self.lines) + "\n"

    def _pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def _line(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def _block(self, depth: int, size: int) -> None:
        for _ in range(self.random.randint(1, size)):
            kinds = (self._assign, self._branch, self._leave, self._loop, self._check)
            weights = (8, 3, 3, 4, 1) if depth < 6 else (1, 0, 0, 0, 0)
            self.random.choices(kinds, weights)[0](depth)

    def _assign(self, depth: int) -> None:
        target = self.random.choices("hgsk", (5, 4, 3, 1))[0]
        value = {
            "s": self._scalar,
            "k": lambda: self._pick("3.0 - k", "0.5", "k * -1.0", "2.0"),
        }.get(target, self._vector)()
        self._line(depth, f"{target} = {value}")

    def _vector(self) -> str:
        return self._pick(
            "ops.tanh(h * g + 0.3)", "h * 0.9 - g", "ops.sin(g) + h * s", "g + rows[2]",
            "h * k + 0.1", "ops.cos(h) * 0.7", "g * g - h",
        )  # fmt: skip

    def _scalar(self) -> str:
        return self._pick("h[1] * 0.5", "s * 0.8 + 0.1", "(h * g).sum() * 0.2", "g[3] - s")

    def _test(self) -> str:
        one = self._pick(
            "s > 0.1", "h[2] < g[1]", "h.sum() > 0.4", "g[0] < 0.2", "s * s < 0.3", "n > 2",
            "-0.5 < s < 0.6", "h[0] > 0.5",
        )  # fmt: skip
        if self.random.random() < 0.25:
            return f"{self._pick('', 'not ')}({one}) {self._pick('and', 'or')} g[2] < 0.3"
        return one

    def _branch(self, depth: int) -> None:
        self._line(depth, f"if {self._test()}:")
        self._block(depth + 1, 2)
        if self.random.random() < 0.5:
            self._line(depth, "else:")
            self._block(depth + 1, 2)

    def _leave(self, depth: int) -> None:
        ways = ["return h", "return g * s", "return ops.sin(h) + k"]
        if self.around:
            ways += ["break", "continue", "break", "continue"]
        self._line(depth, f"if {self._test()}:")
        if self.random.random() < 0.4:
            self._assign(depth + 1)
        self._line(depth + 1, self.random.choice(ways))

    def _check(self, depth: int) -> None:
        if not self.raises:
            return self._assign(depth)
        kind = self._pick("ValueError", "KeyError", "RuntimeError")
        if self.random.random() < 0.5:
            self._line(depth, f'assert s < 0.9, f"{{s}} at {len(self.lines)}"')
        else:
            self._line(depth, f"if h[1] > 0.95: raise {kind}(f'big {{h}}')")
        return None

    def _loop(self, depth: int) -> None:
        if self.loops == 3 or len(self.around) == 2:
            return self._assign(depth)
        self.loops += 1
        kind, count = self.random.choice(LOOPS), f"c{self.loops}"
        if kind in ("while", "endless", "counting"):
            self._line(depth, f"{count} = 0")
        head = {
            "static": f"for i in range({self._pick(3, 4, 6)}):", "short": "for i in range(2):",
            "bound": "for i in range(n):", "rows": "for row in rows:",
            "while": f"while ({self._test()}) and {count} < n:", "endless": "while True:",
            "counting": f"while {count} < 3:",
        }[kind]  # fmt: skip
        self._line(depth, head)
        if kind in ("while", "endless", "counting"):
            self._line(depth + 1, f"{count} += 1")
        if kind == "rows":
            self._line(depth + 1, "g = g * 0.5 + row")
        if kind == "endless":
            self._line(depth + 1, f"if {count} > n or s > 0.7: break")
        self.around.append(kind)
        self._block(depth + 1, 4)
        self.around.pop()
        if self.random.random() < 0.4 and kind != "endless":
            self._line(depth, "else:")
            self._block(depth + 1, 2)
        return None
