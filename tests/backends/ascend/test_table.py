"""Does every primitive become what `docs/ascend.md` says, and do all graphs pass the checks?"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from s2sad import prims as p


def _table():
    """The module beside this one: folders of tests are no packages."""
    path = Path(__file__).with_name("table.py")
    found = importlib.util.spec_from_file_location("ascend_table", path)
    assert found is not None and found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module  # where its dataclass looks
    found.loader.exec_module(module)
    return module


table = _table()


def test_the_page_says_what_is_there():
    assert table.text() == table.PAGE.read_text(encoding="utf-8"), "run make ascend"


def test_every_primitive_is_lowered_or_said_to_have_nothing():
    rows = table.rows()
    assert set(rows) == set(p.ALL)
    assert {name for name, row in rows.items() if not row.ways} == set(table.NONE)


def test_every_graph_passes_the_checks():
    assert {name: row.findings[:3] for name, row in table.rows().items() if row.findings} == {}
