"""Do locations and scopes come back from their comment, whatever they are called?"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from s2sad.core.location import Location
from s2sad.ir.marks import mark, read_mark

PLACES = st.builds(Location, st.text(), st.integers(0, 10**6), st.integers(0, 10**6))


@given(st.lists(PLACES, max_size=4), st.text())
def test_any_location_and_scope(places, scope):
    location = None
    for place in places:
        location = Location(place.file, place.line, place.column, location)
    text = mark(location, scope)
    if location is None and not scope:
        assert text is None
    else:
        assert text.isprintable()
        assert read_mark(text) == (location, scope)


@pytest.mark.parametrize(
    ("location", "scope", "text"),
    [
        (Location("a/b-c.py", 1, 2), "", "@ a/b-c.py:1:2"),
        (Location("<stdin>", 1, 0, Location(r"C:\x", 3, 4)), "", r"@ <stdin>:1:0 < 'C:\\x':3:4"),
        (Location("a:b.py", 1, 2), "", "@ 'a:b.py':1:2"),
        (Location("größe.py", 1, 2), "net/fc[0]:Dense", "@ größe.py:1:2 in net/fc[0]:Dense"),
        (None, "in the net", "@ in 'in the net'"),
    ],
)
def test_how_they_are_written(location, scope, text):
    assert mark(location, scope) == text
    assert read_mark(text) == (location, scope)


@pytest.mark.parametrize(
    "text",
    ["", "@", "@ x", "@ a:1", "@ a:1:2 <", "@ a:1:2 in", "@ in 'x", "@ a:1:2 < b", r"@ '\x':1:2",
     "@ a:1:2 b:1:2", "a:1:2", "@ a:1:2 in b c"],
)  # fmt: skip
def test_what_is_no_mark(text):
    with pytest.raises(ValueError, match="not a "):
        read_mark(text)
