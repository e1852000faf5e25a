"""How does plain text stand in columns?"""

from __future__ import annotations

from collections.abc import Sequence

#: Spaces between two columns.
GAP = "  "


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> list[str]:
    r"""Lines of a table: the heads, then a line a row.

    A column in which no row says anything is left out, with its head.

    Parameters
    ----------
    heads : sequence of str
    rows : sequence of sequences of str
        As long as `heads` each.
    left : int
        The first so many columns are aligned left, the others, numbers, right.

    Examples
    --------
    >>> rows = [["x", "-1", "2.5"], ["labels", "0", "9"]]
    >>> print("\n".join(table(["name", "min", "max"], rows)))
    name    min  max
    x        -1  2.5
    labels    0    9
    """
    columns = [
        _column([head, *(row[i] for row in rows)], i < left)
        for i, head in enumerate(heads)
        if any(row[i] for row in rows)
    ]
    return [GAP.join(line).rstrip() for line in zip(*columns, strict=True)]


def _column(texts: Sequence[str], left: bool) -> list[str]:
    width = max(map(len, texts))
    return [text.ljust(width) if left else text.rjust(width) for text in texts]
