"""Does `s2sad explain` find the page of a code, and help where there is none?"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from s2sad.core.diagnostics import class_of
from s2sad.tools.explain import nearest, pages, title

FOLDER = Path(__file__).parents[2] / "s2sad" / "tools" / "errors"


@pytest.mark.parametrize("code", ["E0401", "e0401", "0401"])
def test_a_page_is_printed_as_it_stands(code, s2sad):
    said = s2sad("explain", code)
    assert said.code == 0
    assert said.out == (FOLDER / "E0401.md").read_text(encoding="utf-8").rstrip() + "\n"


def test_all_codes_are_listed(s2sad):
    said = s2sad("explain")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].split() == ["code", "title"]
    assert [line.split()[0] for line in lines[1:]] == sorted(p.stem for p in FOLDER.glob("E*.md"))


def test_every_page_has_a_code_and_a_title():
    for code, page in pages().items():
        assert re.fullmatch(r"E\d{4}", code) and class_of(code)
        assert page.startswith(f"# {code}") and len(title(page)) > 3


def test_an_unknown_code_names_the_nearest(s2sad):
    said = s2sad("explain", "E0499")
    assert said.code == 2
    assert said.err == "there is no error E0499\n"
    assert "did you mean one of these?" in said.out and "E040" in said.out


def test_a_word_is_no_code(s2sad):
    said = s2sad("explain", "shapes")
    assert said.code == 2
    assert "did you mean" not in said.out and "`s2sad explain` lists all" in said.out


def test_nearest_is_the_likeliest_first():
    known = ["E0101", "E0303", "E0304", "E0408", "E0901"]
    assert nearest("E0403", known) == ["E0408", "E0304", "E0303"]
    assert nearest("E0399", known) == ["E0304", "E0303", "E0408"]
    assert nearest("E9", known) == ["E0101", "E0303", "E0304"]
    assert nearest("Exyz", known) == []
