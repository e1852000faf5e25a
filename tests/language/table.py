"""How is `docs/language.md` made of the cases? ``make language`` writes it."""

from __future__ import annotations

from pathlib import Path

from language import ALL
from language.case import Case, Section

HEAD = """\
# Python in compiled code

Each row is held by tests (`tests/language`): what works has the value of plain Python on Tensors
and the gradient of float64 differences; an error names the line, and says what to write instead.
Nothing falls back to anything. `make language` writes this page.

*Static* is what is known while compiling: numbers, texts, shapes, containers of them, and what no
Tensor decides. *Data* is what depends on what Tensors hold.

A Python number that data choose or change stays a number: it is computed with in 64 bits, as Python
does, and takes the dtype of the Tensor that it meets. What is returned is a Tensor of no axes,
Int64 or Float64. A division by such a number that is 0 gives what Tensors give, and no exception. A
power of ints of which data choose the exponent is refused: it may be negative, which makes a float.

```python
# kinds.py
import s2sad as ms


@ms.compile
def scaled(x, kind):
    match kind:
        case "twice" | "double":
            by = 2
        case int():
            by = kind
    print(f"{kind}: {x}")
    return {"value": x * by, "by": by}


print(scaled(ms.Tensor([1.0, 2.0]), "twice"))
```

```text
twice: [1. 2.]
{'value': Tensor(shape=[2], dtype=Float32, value= [ 2.00000000e+00,  4.00000000e+00]), 'by': 2}
```
"""


def text() -> str:
    """The page."""
    return "\n".join([HEAD, *map(_section, ALL)])


def _section(section: Section) -> str:
    lines = [f"## {section.title}", "", "| construct | what s2sad does | note |", "|---|---|---|"]
    lines += [f"| {row} | {_does(cases)} | {_note(cases)} |" for row, cases in section.rows.items()]
    return "\n".join([*lines, ""])


def _does(cases: list[Case]) -> str:
    codes = list(dict.fromkeys(case.code for case in cases if case.code))
    errors = ", ".join(f"error {code}" for code in codes)
    if all(case.code for case in cases):
        return errors
    works = "works"
    if any(case.gradient for case in cases if not case.code):
        works = "works, with gradient"
    if any(case.raises for case in cases) and all(case.raises or case.code for case in cases):
        works = "works: raises what Python raises"
    return f"{works}; {errors}" if errors else works


def _note(cases: list[Case]) -> str:
    notes = list(dict.fromkeys(case.note for case in cases if case.note))
    return "; ".join(notes)


if __name__ == "__main__":
    Path(__file__).parents[2].joinpath("docs", "language.md").write_text(text(), encoding="utf-8")
