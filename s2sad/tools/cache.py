"""What is kept from one process to the next, and how much of it?"""

from __future__ import annotations

import time
from collections.abc import Sequence

from s2sad.core import cachefolder
from s2sad.core.cache import Entry, cache, format_size, parse_size
from s2sad.tools.tables import show, show_table


def show_cache(*, limit: str | None, clear: bool) -> int:
    """Change the cache as asked, then print what is in it.

    Parameters
    ----------
    limit : str, optional
        Size that entries may take from now on: ``"500MB"``.
    clear : bool
        Whether all entries are removed.

    Returns
    -------
    int
        0
    """
    if not cachefolder.is_on():
        show("the cache is off (S2SAD_CACHE=0): a process keeps what it makes until it ends")
        return 0
    kept = cache()
    if clear:
        freed = kept.usage()
        show(f"removed {_entries(kept.clear())}, {format_size(freed)}")
    if limit is not None:
        kept.set_limit(parse_size(limit))
    found = kept.entries()
    used = format_size(sum(each.nbytes for each in found))
    show(f"{kept.folder}: {_entries(len(found))}, {used} of {format_size(kept.limit())}", "bold")
    if found:
        kinds = sorted({each.kind for each in found})
        rows = [_row(kind, [each for each in found if each.kind == kind]) for kind in kinds]
        show_table(("kind", "last used", "entries", "size"), rows, left=2)
    return 0


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


def _row(kind: str, entries: Sequence[Entry]) -> list[str]:
    used = time.localtime(max(each.used for each in entries))
    size = format_size(sum(each.nbytes for each in entries))
    return [kind, time.strftime("%Y-%m-%d %H:%M", used), str(len(entries)), size]
