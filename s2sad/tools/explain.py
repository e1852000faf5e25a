"""What does an error code mean, and what is to be done about it?

Each code has a page beside this module: ``errors/E0304.md``, whose first line is its title.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import resources
from os.path import commonprefix

from s2sad.tools.tables import show, show_table


def pages() -> dict[str, str]:
    """The page of each code, in the order of the codes.

    Examples
    --------
    >>> pages()["E0401"].startswith("# E0401")
    True
    """
    folder = resources.files("s2sad.tools") / "errors"
    found = {
        page.name.removesuffix(".md"): page.read_text(encoding="utf-8")
        for page in folder.iterdir()
        if page.name.startswith("E") and page.name.endswith(".md")
    }
    return dict(sorted(found.items()))


def title(page: str) -> str:
    r"""What the first line says after the code.

    Examples
    --------
    >>> title("# E0401: shapes do not fit\n\nMore text.")
    'shapes do not fit'
    """
    return page.partition("\n")[0].lstrip("# ").partition(" ")[2].strip()


def nearest(code: str, known: Iterable[str]) -> list[str]:
    """Three of `known` that `code` may have been meant for, the likeliest first.

    Those of the same family come first, then those with a number nearby.

    Examples
    --------
    >>> nearest("E0340", ["E0101", "E0301", "E0304", "E0401", "E0901"])
    ['E0304', 'E0301', 'E0401']
    """
    digits = code.removeprefix("E")
    if not digits.isdecimal():
        return []
    number = int(digits)

    def unlike(other: str) -> tuple[int, int]:
        return -len(commonprefix([code, other])), abs(int(other.removeprefix("E")) - number)

    return sorted(known, key=unlike)[:3]


def explain(code: str | None) -> int:
    """Print the page of `code`, or a list of all; the exit code.

    Parameters
    ----------
    code : str, optional
        ``E0304``, in either case, with or without the ``E``.
    """
    found = pages()
    if code is None:
        show_table(["code", "title"], [[name, title(page)] for name, page in found.items()], left=2)
        return 0
    wanted = "E" + code.upper().removeprefix("E")
    if wanted in found:
        _show_page(found[wanted])
        return 0
    near = nearest(wanted, found)
    show(f"there is no error {code}", "red", sys.stderr)
    if near:
        show("did you mean one of these?")
        show_table(["code", "title"], [[name, title(found[name])] for name in near], left=2)
    show("`s2sad explain` lists all")
    return 2


def _show_page(page: str) -> None:
    for line in page.rstrip().split("\n"):
        show(line, "bold" if line.startswith("#") else "")
