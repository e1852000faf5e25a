"""Has every error code a page whose example fails with that code, and whose fix does not fail?"""

from __future__ import annotations

import ast
import linecache
import re
from pathlib import Path

import pytest

from s2sad.core import context, recording
from s2sad.core.diagnostics import class_of
from s2sad.tools.explain import pages, title

PACKAGE = Path(__file__).parents[2] / "s2sad"
PAGES = pages()
SECTIONS = ["What it means", "Smallest example", "How to mend it"]


def used_codes() -> set[str]:
    """Codes that stand as literals in the package, which is how each is given to `fail`."""
    found: set[str] = set()
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.update(re.findall(r"^E\d{4}$", node.value))
    return found


def sections(code: str) -> dict[str, str]:
    """Text of each section of a page, by heading."""
    parts = re.split(r"^## (.+)$", PAGES[code], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and text of each fenced block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)


def run(name: str, program: str) -> None:
    """Execute `program`, whose source s2sad finds as it finds that of a notebook."""
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    try:
        exec(compile(program, name, "exec"), {"__name__": "__main__"})
    finally:
        del linecache.cache[name]


@pytest.fixture(autouse=True)
def apart(monkeypatch, tmp_path):
    """Examples neither write into the checkout nor change the settings of other tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(context, "_values", {})
    monkeypatch.setattr(recording, "active", None)  # one that an example lets run on


def test_every_code_has_a_page_and_every_page_a_code():
    assert used_codes() == set(PAGES)


@pytest.mark.parametrize("code", PAGES)
def test_a_page_has_its_title_and_three_sections(code):
    first = PAGES[code].splitlines()[0]
    assert re.fullmatch(rf"# {code}: \S.*", first) and title(PAGES[code])
    found = sections(code)
    assert list(found) == SECTIONS
    assert all(text.strip() for text in found.values())
    assert all(len(line) <= 100 for line in PAGES[code].splitlines())
    assert class_of(code)


@pytest.mark.parametrize("code", PAGES)
def test_the_example_fails_with_the_code(code):
    ((language, program),) = blocks(sections(code)["Smallest example"])
    assert language in ("python", "text")
    if language == "text":  # a part of a larger program
        return
    with pytest.raises(Exception) as caught:
        run(f"<example of {code}>", program)
    assert caught.value.diagnostic.code == code, caught.value


@pytest.mark.parametrize("code", PAGES)
def test_the_fix_works(code):
    for language, program in blocks(sections(code)["How to mend it"]):
        assert language in ("python", "text")
        if language == "python":
            run(f"<fix of {code}>", program)


def test_few_examples_cannot_run_alone():
    alone = {code for code in PAGES if "```python" in sections(code)["Smallest example"]}
    assert set(PAGES) - alone == {"E0105"}
