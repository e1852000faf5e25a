"""Does what the README and the pages of docs/ show run, print that, and link to what exists?

A page is one program. A block of ``python`` is a file of it, named in its first line where that
is ``# net.py``; where the next block is ``text``, it is what that prints, with ``...`` for what is
left out. Blocks with ``>>>`` are doctests. The recipes of CONTRIBUTING.md show parts of files.
"""

from __future__ import annotations

import doctest
import linecache
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
LINKING = [*PAGES, CONTRIBUTING, *sorted((ROOT / "docs" / "decisions").glob("*.md"))]
PICTURE = ROOT / "docs" / "pictures" / "pipeline.svg"

BLOCK = re.compile(r"^```(?P<kind>\w*)[^\n]*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """One fenced block: its text, the line of the page where that begins, and what it prints."""

    text: str
    line: int
    printed: str | None

    @property
    def file(self) -> str:
        named = re.match(r"# ([\w-]+\.py)\n", self.text)
        return named[1] if named else f"line{self.line}.py"


def blocks(page: str) -> Iterator[Block]:
    """The blocks of Python in the text of a page, in order."""
    found = list(BLOCK.finditer(page))
    for block, below in zip(found, [*found, None][1:], strict=True):
        if block["kind"] == "python":
            printed = below["text"] if below is not None and below["kind"] == "text" else None
            yield Block(block["text"], page.count("\n", 0, block.start("text")) + 1, printed)


def run_page(page: str, capsys: Any) -> dict[str, Any]:
    """Run the blocks of `page` in the present folder, one after another; what they define."""
    names: dict[str, Any] = {}
    for block in blocks(page):
        if block.text.startswith(">>>"):
            run_doctest(block, names)
        else:
            run_file(block, names, capsys)
    return names


def run_doctest(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, block.file, None, block.line - 1)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    assert runner.run(test, out=said.append, clear_globs=False).attempted > 0
    names.update(test.globs)
    assert not said, "".join(said)


def run_file(block: Block, names: dict[str, Any], capsys: Any) -> None:
    Path(block.file).write_text(block.text, encoding="utf-8")
    linecache.checkcache(block.file)
    names["__name__"] = Path(block.file).stem
    capsys.readouterr()
    exec(compile(block.text, block.file, "exec"), names)
    if block.printed is not None:
        found = capsys.readouterr().out
        assert doctest.OutputChecker().check_output(block.printed, found, doctest.ELLIPSIS), found


@pytest.fixture
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    linecache.clearcache()  # another test may have had a net.py as well
    yield tmp_path
    linecache.clearcache()


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_page_runs_and_prints_what_it_shows(page, in_folder, capsys):
    run_page(page.read_text(encoding="utf-8"), capsys)


def test_pages_have_what_to_run():
    running = [path.name for path in PAGES if any(blocks(path.read_text(encoding="utf-8")))]
    assert {"README.md", "architecture.md", "errors.md", "gradients.md", "ir.md"} <= set(running)


@pytest.mark.parametrize("page", LINKING, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    assert gone_from(page.read_text(encoding="utf-8"), page) == []


def gone_from(text: str, page: Path) -> list[str]:
    """Links in the `text` of `page` to files, or to headings of pages, that do not exist."""
    links = re.findall(r"(?:\]\(|src=\")([^)\"\s]+)", BLOCK.sub("", text))
    return [link for link in links if "://" not in link and not leads(link, page)]


def leads(link: str, page: Path) -> bool:
    file, _, anchor = link.partition("#")
    target = page.parent / file if file else page
    return target.exists() and (not anchor or anchor in anchors(target))


def anchors(page: Path) -> set[str]:
    """Names that GitHub gives to the headings of `page`."""
    text = BLOCK.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_a_link_that_leads_nowhere_is_noticed():
    page, good = ROOT / "docs" / "gradients.md", "[a](ir.md) [b](errors.md#codes-and-classes)"
    bad = "[c](none.md) [d](errors.md#none) [e](#none)"
    assert gone_from(f"{good} {bad}", page) == ["none.md", "errors.md#none", "#none"]


def test_every_file_of_the_families_and_of_the_frontend_stands_in_its_table():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    families, _, frontend = page.partition("## The families")[2].partition("## The files")
    assert unnamed(("ops", "nn"), families) == set()
    assert unnamed(("frontend",), frontend) == set()


def test_every_file_of_the_c_backend_stands_in_its_table():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = page.partition("\n## The C backend\n")[2].partition("\n## ")[0]
    files, _, units = section.partition("| unit | what it does |")
    assert unnamed(("backends/c",), files) == set()
    assert unnamed(("backends/c/runtime",), units, "*.c") == set()


def unnamed(packages: tuple[str, ...], table: str, pattern: str = "*.py") -> set[str]:
    """Files of `packages` that `table` does not name."""
    files = {path.stem for name in packages for path in (ROOT / "s2sad" / name).glob(pattern)}
    return files - {"__init__"} - set(re.findall(r"`(\w+)`", table))


DECISIONS = ROOT / "docs" / "decisions"


def test_table_of_decisions_is_the_folder():
    text = (DECISIONS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\d{4})\]\(([^)]+)\) \| (.+?) \| .+ \|$", text, re.MULTILINE)
    pages = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
    firsts = [path.read_text(encoding="utf-8").splitlines()[0] for path in pages]
    assert [file for _, file, _ in rows] == [path.name for path in pages]
    assert [f"# {number}: {title}" for number, _, title in rows] == firsts
    assert [int(number) for number, _, _ in rows] == list(range(1, len(rows) + 1))


@pytest.mark.parametrize("page", sorted(DECISIONS.glob("0*.md")), ids=lambda path: path.stem)
def test_a_decision_has_the_prescribed_parts(page):
    headings = re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == ["Context", "Choice", "What was given up"]


def test_make_commands_of_the_pages_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(" ".join(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)).split())
    for page in LINKING:
        used = re.findall(
            r"(?:^\s*|`)make ([a-z-]+)", page.read_text(encoding="utf-8"), re.MULTILINE
        )
        assert set(used) <= targets, page.name


def test_recipes_show_code_as_it_is():
    shown = [block.text for block in blocks(CONTRIBUTING.read_text(encoding="utf-8"))]
    assert len(shown) == 3
    for text in shown:
        first, *lines = text.splitlines()
        real = {
            line.rstrip() for line in (ROOT / first.removeprefix("# ")).read_text().splitlines()
        }
        code = [re.sub(r"\s\s+# .*", "", line).rstrip() for line in lines]
        assert [line for line in code if line not in real] == [], first


def test_each_recipe_ends_in_a_command_that_finds_tests():
    page = CONTRIBUTING.read_text(encoding="utf-8")
    recipes = re.split(r"^## ", page, flags=re.MULTILINE)
    recipes = [recipe for recipe in recipes if recipe.startswith("Add ")]
    assert len(recipes) == 4
    tests = list((ROOT / "tests").rglob("test_*.py"))
    for recipe in recipes:
        command = re.search(r'Check it: `make test ARGS="-k ([\w-]+)"`\n*\Z', recipe)
        assert command is not None, recipe
        texts = (f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in tests)
        assert any(command[1] in text for text in texts), command[0]


def test_picture_shows_the_stages_of_the_architecture_page(in_folder, capsys):
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    names = run_page(page, capsys)
    compiled = names["compiled"]
    real = [str(function) for _, function in compiled.stages.functions]
    real += [next(blocks(page)).text, compiled.variants[-1].executable.source]
    known = {squeezed(line) for text in real for line in text.splitlines()}
    known |= {line.partition(" #@")[0] for line in known}
    shown = [squeezed("".join(node.itertext())) for node in code_of(PICTURE)]
    assert len(shown) > 20
    assert [line for line in shown if line not in known and line != "..."] == []


def squeezed(line: str) -> str:
    """`line` without its indentation, its columns, and the scope at its end."""
    return " ".join(line.partition(" in Net")[0].split())


def code_of(picture: Path) -> list[ElementTree.Element]:
    """The lines of code in an SVG."""
    tree = ElementTree.parse(picture)
    return [node for node in tree.iter() if "code" in node.get("class", "").split()]


# ---- the test itself -----------------------------------------------------------------------

SAMPLE = """\
```python
# net.py
def name():
    return name.__code__.co_filename
print(name())
```

```text
net.py
```

```python
>>> name()
'net.py'
>>> later = 1
```

```python
assert later == 1
```
"""


def test_a_page_is_one_program(in_folder, capsys):
    run_page(SAMPLE, capsys)


@pytest.mark.parametrize("shown", ["net.py\n```", "'net.py'"], ids=["printed", "doctest"])
def test_a_page_that_shows_something_else_fails(shown, in_folder, capsys):
    with pytest.raises(AssertionError):
        run_page(SAMPLE.replace(shown, shown.replace("net", "other")), capsys)
