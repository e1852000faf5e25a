"""How is `docs/coverage.md` made? ``make coverage`` asks every function anew and writes it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import s2sad as ms
from api import counts, probe, reference
from api.counts import Count
from s2sad import mint, nn, ops
from s2sad.compat.table import ROWS
from s2sad.nn import initializer

PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"

HEAD = """\
# What of MindSpore's API is there

The names are those of MindSpore 2.10 that programs use. `make coverage` calls each function of
`ops` and writes this page; a test holds it to what is there. Behind each name stand the tests of
its family, which compare it with NumPy or SciPy in float64, and its gradient with differences.
Each layer of `nn` is differentiated twice, with respect to its input and to what it trains, by
`tests/nn/test_second_gradients.py`.

What `ops` does is said of one call of each function, with float64 where it takes that: whether the
program that is compiled for NumPy, and for C, gives what the call gives at once, and how often the
result could be differentiated, where 2 is the most that is asked. Plain "works" is for what was not
asked so: it draws random numbers, takes functions, writes a Parameter or gives no Tensor.
"""

REACH = """\
## How far that reaches

Counted over 15,280 files of 119 public repositories; modern are the 10,382 outside of the model zoo
of 2020 to 2023. A name counts once a file.

| of | there | weighted by files | missing (files that use it) |
|---|---|---|---|
{rows}

† MindSpore 2.10 has these no more, or never had them.

{reach}

The second share is a bound: it takes all files of each missing name to be among the first, and the
files that use `ops`, or `nn`, at all to be as few as those of its most used name. Names that are
used less are not in the list, and not in these numbers. Nor are {never},
which MindSpore never had: files with them run nowhere.
"""

#: What is said of a function with such facts.
WORDS = {
    "numpy c 2": "works on NumPy and C, twice differentiable",
    "numpy c -": "works on NumPy and C; no floats, so no gradient",
    "-": "works outside of compiled code only: a size depends on data",
    "0": "works outside of compiled code only: a size depends on data",
    "?": "works",
}
WORKS, MISSING = "works", "missing"


def text() -> str:
    """The page."""
    facts = probe.read_facts()
    parts = [HEAD, _shares(), "## `ops`\n"]
    for family, names in reference.OPS.items():
        parts.append(_section(family, names, lambda name: _of_ops(name, facts)))
    parts.append("## `nn`\n")
    for family, names in reference.NN.items():
        parts.append(_section(family, names, _status(lambda name: hasattr(nn, name))))
    for family, names in reference.INITIALIZERS.items():
        parts.append(_section(family, names, _status(lambda name: hasattr(initializer, name))))
    parts.append("## Tensor\n")
    for family, names in reference.METHODS.items():
        parts.append(_section(family, names, _status(is_method)))
    return "\n".join(parts)


def is_method(name: str) -> bool:
    """Whether a Tensor has it."""
    return name in ops.METHODS or hasattr(ms.Tensor, name)


def is_of_nn(name: str) -> bool:
    """Whether `nn` has it, or the distributions below: the counts give both by the last name."""
    return hasattr(nn, name) or hasattr(nn.probability.distribution, name)


def is_path(name: str) -> bool:
    """Whether `name`, below ``mindspore``, can be imported."""
    return name in ROWS or f"mindspore.{name}" in ROWS


def is_there(spelling: str) -> bool:
    """Whether ``ops.cat``, ``.view``, ``numpy.tile`` or ``mint.softmax`` is."""
    where, _, name = spelling.rpartition(".")
    homes: dict[str, tuple[object, ...]] = {
        "mint": (mint, mint.nn.functional, mint.linalg, mint.special, mint.distributed),
        "numpy": (ms.numpy,), "ops": (ops,),
    }  # fmt: skip
    return any(hasattr(home, name) for home in homes[where]) if where else is_method(name)


def _of_ops(name: str, facts: Mapping[str, str]) -> str:
    if not hasattr(ops, name):
        return MISSING
    return WORDS.get(facts.get(name, "?"), f"on the call that was asked: {facts.get(name)}")


def _status(is_known: Callable[[str], bool]) -> Callable[[str], str]:
    return lambda name: WORKS if is_known(name) else MISSING


def _section(family: str, names: Iterable[str], status: Callable[[str], str]) -> str:
    rows: dict[str, list[str]] = {}
    for name in names:
        rows.setdefault(status(name), []).append(f"`{name}`")
    lines = [f"| {word} | {', '.join(found)} |" for word, found in rows.items()]
    return "\n".join([f"### {family}\n", "| status | names |", "|---|---|", *lines, ""])


# ---- what that is worth -------------------------------------------------------------------------


def _shares() -> str:
    spellings = _spellings()
    rows = [
        _share("the 150 most used names of `ops`", counts.OPS, lambda x: hasattr(ops, x)),
        _share("the 110 most used names of `nn`", counts.NN, is_of_nn),
        _share("the 76 module paths imported most", counts.PATHS, is_path),
        _share("the spellings of the 110 most used operations", spellings, is_there),
    ]
    # Of a spelling's files it is seldom known which are modern; then all of them are lost.
    modern = {f"ops.{name}": count for name, count in counts.OPS.items()}
    reach = [
        _reach("ops", "operations", 150, _lost({**spellings, **modern}, is_there), _merged()),
        _reach("nn", "names", 100, _lost(_first(100, counts.NN), is_of_nn), counts.NN),
    ]
    never = " and ".join(f"`nn.{name}`" for name in counts.NEVER)
    return REACH.format(rows="\n".join(rows), reach="\n".join(reach), never=never)


def _share(title: str, names: Mapping[str, Count], is_known: Callable[[str], bool]) -> str:
    there = {name: count for name, count in names.items() if is_known(name)}
    weight = sum(x.files for x in there.values()) / sum(x.files for x in names.values())
    gone = [
        f"`{name}`{'†' if count.is_gone else ''} ({count.files})"
        for name, count in names.items() if name not in there
    ]  # fmt: skip
    return f"| {title} | {len(there)} of {len(names)} | {100 * weight:.1f} % | {', '.join(gone)} |"


def _reach(module: str, what: str, rank: int, lost: int, names: Mapping[str, Count]) -> str:
    """How many files use only what is most used, and how many of them only what is there."""
    share = counts.REACH[rank][0 if module == "ops" else 1]
    assert share is not None
    bound = int(share - 100 * lost / max(count.modern for count in names.values()))
    return (
        f"- {share} % of modern files use of `{module}` only what is among its {rank} most used "
        f"{what};\n  {bound} % at least only what of these is there."
    )


def _first(count: int, names: Mapping[str, Count]) -> dict[str, Count]:
    """The first `count` of `names`, which are in the order of their files."""
    return dict(itertools.islice(names.items(), count))


def _lost(names: Mapping[str, Count], is_known: Callable[[str], bool]) -> int:
    """Modern files that use a name which is not there, at most."""
    missing = (name for name in names if name not in counts.NEVER and not is_known(name))
    return sum(names[name].modern for name in missing)


def _merged() -> dict[str, Count]:
    heads = (row.split()[0].split(":") for row in counts.MERGED)
    return {name: Count(int(files), int(modern)) for name, files, modern in heads}


def _spellings() -> dict[str, Count]:
    words = (word.split(":") for row in counts.MERGED for word in row.split()[1:])
    numbers = ((name, int(files.rstrip("!")), files.endswith("!")) for name, files in words)
    return {name: Count(files, files, is_gone) for name, files, is_gone in numbers}


if __name__ == "__main__":
    probe.write_facts()
    PAGE.write_text(text(), encoding="utf-8")
