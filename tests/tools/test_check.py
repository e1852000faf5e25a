"""Does `s2sad check FILE` find all that is wrong in what a file has compiled, and nothing else?"""

from __future__ import annotations

import json
import linecache
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import numpy as np
import pytest

import s2sad as ms
from s2sad.core.diagnostics import S2sadError
from s2sad.tools.checking.sources import sources
from s2sad.tools.explain import pages

ROOT = Path(__file__).parents[2]
HEAD = "import s2sad as ms\nfrom s2sad import nn, ops\n\n"


@pytest.fixture
def write(tmp_path):
    """Write a file in the folder of the test."""

    def write_file(text: str, name: str = "net.py", *, head: str = HEAD, **options: Any) -> str:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((head + text).encode(**options))
        linecache.clearcache()
        return name

    return write_file


@pytest.fixture
def found(s2sad, write):
    """Code and text of what a file is found to have, in order."""

    def found_in(text: str, **options: Any) -> list[tuple[str, str]]:
        said = s2sad("check", write(text, **options), "--format", "json")
        data = json.loads(said.out)
        assert said.err == "" and said.code == int(bool(data["findings"]))
        return [(each["code"], under(each)) for each in data["findings"]]

    return found_in


def under(place: dict[str, Any]) -> str:
    """The text at a place of JSON."""
    line = linecache.getline(place["file"], place["line"]).rstrip("\n").encode()
    end = place["end_column"] if place["end_line"] == place["line"] else len(line)
    return line[place["column"] : end].decode()


def function(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"@ms.jit\ndef f(x, n=1):\n{lines}"


# ---- what is looked at --------------------------------------------------------------------------

NET = """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 4)
        open("setup")

    def construct(self, x):
        y = self.helper(x) + one
        with open("scale") as file:
            y = y * file
        return scaled(y, two)

    def helper(self, x):
        class Other:
            by = three
        return Other.by * x

    def bprop(self, x, out, dout):
        return four

    def elsewhere(self, x):
        return five


def scaled(x, by):
    return eval("x") * by + six


def unused(x):
    return seven
"""


def test_all_of_a_cell_in_one_go(found):
    assert found(NET) == [
        ("E0201", "one"),
        ("E0104", 'open("scale")'),
        ("E0201", "two"),
        ("E0101", "class Other"),
        ("E0201", "four"),
        ("E0104", 'eval("x")'),
        ("E0201", "six"),
    ]


@pytest.mark.parametrize(
    "marked",
    [
        "@ms.jit\ndef f(x):\n    return nothing\n",
        "@ms.compile\ndef f(x):\n    return nothing\n",
        '@ms.jit(jit_level="O0")\ndef f(x):\n    return nothing\n',
        "def f(x):\n    return nothing\nstep = ms.compile(f)\n",
        "def f(x):\n    return nothing\nstep = ms.value_and_grad(f, None)\n",
        "step = ms.grad(lambda x: nothing)\n",
        "def make():\n    @ms.jit\n    def f(x):\n        return nothing\n    return f\n",
        "def make():\n    def f(x):\n        return nothing\n    return ms.vmap(f)\n",
        "class Plain:\n    @ms.jit\n    def f(self, x):\n        return nothing\n",
        "def make():\n    class Net(nn.Cell):\n        def construct(self): return nothing\n",
        "from s2sad.nn import Cell as C\nclass A(C):\n    pass\nclass B(A):\n"
        "    def construct(self):\n        return nothing\n",
        "from mine import Base\nclass Net(Base):\n    def construct(self): return nothing\n",
        "class Net(nn.ReLU):\n    def construct(self):\n        return nothing\n",
        "from s2sad import *\n@jit\ndef f(x):\n    return nothing\n",
        "import s2sad\n@s2sad.jit\ndef f(x):\n    return nothing\n",
        "if ms:\n    @ms.jit\n    def f(x):\n        return nothing\n",
    ],
)
def test_what_is_compiled_is_gone_through(marked, found):
    assert found(marked) == [("E0201", "nothing")]


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\n    return nothing\n",
        "class Net:\n    def construct(self):\n        return nothing\n",
        "import functools\n@functools.cache\ndef f(x):\n    return nothing\n",
        "class Net(nn.Cell):\n    def __init__(self):\n        nothing\n",
        "nothing\n",
        "def f(x):\n    return nothing\nf = ms.jit(f)\n",  # which one is meant is not told by text
        "",
    ],
)
def test_what_is_not_compiled_may_be_anything(text, found):
    assert found(text) == []


def test_the_file_is_not_run(found, tmp_path):
    text = "open('made', 'w').close()\nraise SystemExit(3)\n" + function("return nothing")
    assert found(text) == [("E0201", "nothing")]
    assert not (tmp_path / "made").exists()


CALLED = """\
class Base(nn.Cell):
    def shared(self, x):
        return one


class Net(Base):
    @property
    def width(self):
        return two

    @staticmethod
    def fixed(x):
        return three

    def construct(self, x):
        x = self.shared(x) + self.width + self.fixed(x) + super().above(x)
        return ms.vmap(rowwise)(x) + again(x)

    def above(self, x):
        return never


def rowwise(x):
    return four


def again(x):
    return again(x) + five


def replaced(x):
    return six
"""


def test_what_the_file_calls_is_gone_through(found):
    names = [text for _, text in found(CALLED)]
    assert names == ["one", "two", "three", "four", "five"]


def test_the_chain_of_calls_is_told(s2sad, write):
    text = "def inner(x):\n    return nothing\n\n\ndef outer(x):\n    return inner(x)\n\n\n"
    file = write(text + function("return outer(x)"))
    (finding,) = json.loads(s2sad("check", file, "--format", "json").out)["findings"]
    assert [under(each) for each in finding["callers"]] == ["inner(x)", "outer(x)"]
    said = s2sad("check", file).out
    assert "= called at net.py:9:11\n   = called at net.py:14:11\n" in said
    (result,) = json.loads(s2sad("check", file, "--format", "sarif").out)["runs"][0]["results"]
    lines = [x["physicalLocation"]["region"]["startLine"] for x in result["relatedLocations"]]
    assert lines == [9, 14]


# ---- what is found ------------------------------------------------------------------------------

WRONG = {
    "a name": ("return x + nothing", ("E0201", "nothing")),
    "before it is assigned": ("y = y + x\ny = 1", ("E0210", "y")),
    "before it is added to": ("y += x", ("E0210", "y")),
    "a generator": ("yield x\nyield n", ("E0101", "yield x")),
    "a class": ("class A:\n    pass", ("E0101", "class A")),
    "a global": ("global shared\nshared = x", ("E0101", "shared")),
    "an async loop": ("async def g(y):\n    return y", ("E0101", "async def g")),
    "a builtin": ("return eval('x')", ("E0104", "eval('x')")),
    "an operation": ("return ops.sofmax(x)", ("E0220", "ops.sofmax")),
    "a layer": ("return nn.Rellu()(x)", ("E0220", "nn.Rellu")),
    "of the package": ("return ms.tensr(x)", ("E0220", "ms.tensr")),
    "too many arguments": ("return ops.relu(x, 1, 2)", ("E0302", "ops.relu(x, 1, 2)")),
    "a keyword": ("return ops.relu(x, far=n)", ("E0302", "ops.relu(x, far=n)")),
    "a setting": ("ms.set_context(mode=0)", ("E0104", "ms.set_context(mode=0)")),
}


@pytest.mark.parametrize("name", WRONG)
def test_one_thing_that_is_wrong(name, found):
    body, wanted = WRONG[name]
    assert found(function(body))[:1] == [wanted]


def test_functions_of_pythons_library_that_would_run_once(found):
    text = "import random, time\nimport numpy as np\n\n"
    body = "return time.time() + random.random() + np.random.rand(3) + np.sqrt(2.0)"
    assert found(text + function(body)) == [
        ("E0104", "time.time()"), ("E0104", "random.random()"), ("E0104", "np.random.rand(3)"),
    ]  # fmt: skip


def test_many_in_one_function_are_all_told(found):
    names = [f"nothing{i}" for i in range(40)]
    assert [text for _, text in found(function("\n".join(names)))] == names


RIGHT = {
    "sides that are never taken": "if False:\n    nothing\nif not True:\n    nothing",
    "for checkers of types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    nothing",
    "behind a return": "if n:\n    raise ValueError(nothing2) if n else x\n    nothing\nreturn x",
    "what is caught": "try:\n    y = nothing\nexcept (NameError, TypeError):\n    y = 1\nreturn y",
    "caught by any": "try:\n    y = nothing\nexcept:\n    y = 1\nreturn y",
    "what is asked for": "return ops.sofmax(x) if hasattr(ops, 'sofmax') else x",
    "names of all kinds": (
        "import os.path as a\n(b, *c), d = x\nfor e in x: e\nwith x as g: g\n"
        "try: x\nexcept E as h: h\nmatch x:\n    case [i, *j]: i, j\n    case {'k': k, **l}: k, l\n"
        "[m := 1]\ndef o(p, /, q, *r, s=n, **t): return p, q, r, s, t, u\nclass v: pass\nu = 1\n"
        "return a, b, c, d, m, o, v, __name__, __file__, [w for w in x], lambda y, *z: (y, z)"
    ),
    "later passes": "for i in x:\n    if i: y\n    y = i\nreturn y",
    "one side": "if n:\n    y = 1\nreturn y",
    "of an inner function": "def g():\n    return y\ny = 1\nreturn g()",
    "by an inner function": "def g():\n    nonlocal y\n    y = 1\ng()\nz = y\ny = z\nreturn y",
    "starred arguments": "return ops.relu(*x) + ops.relu(**x)",
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_may_be_right_is_left_alone(name, found):
    left = {"E": "E0101", "nothing2": ""}
    told = [(c, t) for c, t in found("class E(Exception): pass\n" + function(RIGHT[name]))]
    assert [each for each in told if each[0] != left["E"] and each[1] != "nothing2"] == []


def test_a_refused_construct_has_no_errors_that_follow(found):
    body = "async def g(y):\n    return await y\nclass A:\n    by = g\n    at = by\nreturn g, A.by"
    assert [code for code, _ in found(function(body))] == ["E0101", "E0101"]


def test_an_unknown_name_is_not_blamed_for_what_is_done_with_it(found):
    assert found(function("return nothing.far(1, 2)[3](x)")) == [("E0201", "nothing")]


@pytest.mark.parametrize(
    "text",
    [
        "from mine import *\n",
        "globals().update(nothing=1)\n",
        "exec('nothing = 1')\n",
        "def setup():\n    exec('nothing = 1', globals())\n",
        "def setup():\n    global nothing\n    nothing = 1\n",
        "try:\n    import mine as nothing\nexcept ImportError:\n    nothing = None\n",
        "for nothing in range(3): pass\n",
        "[nothing := i for i in range(3)]\n",
        "with open('x') as nothing: pass\n",
        "from s2sad.ops import relu as nothing\n",
        "import nothing.inner\n",
    ],
)
def test_names_that_the_module_may_bind(text, found):
    assert found(text + function("return nothing")) == []


def test_a_name_with_two_meanings_has_none(found):
    text = "def g(x):\n    return one\n\n\nif n:\n    def g(x):\n        return two\n\n\n"
    assert found(text + function("return g(x)")) == []


def test_a_name_of_a_function_hides_that_of_the_module(found):
    assert found(function("ops = x\nreturn ops.sofmax(eval)")) == []


def test_what_is_found_is_what_the_compiler_says(s2sad, write, tmp_path, monkeypatch):
    file = write(function("y = x + nothing\nopen('x')\nreturn ops.sofmax(y, 1, 2)"))
    data = json.loads(s2sad("check", file, "--format", "json").out)["findings"]
    names: dict = {}
    exec(compile((tmp_path / file).read_text(), file, "exec"), names)
    with pytest.raises(S2sadError) as caught:
        names["f"].run((ms.Tensor(np.ones(3, np.float32)),), {})
    told = [caught.value.diagnostic, *caught.value.diagnostic.others]
    places = [(x["line"], x["column"]) for x in data]
    assert places == [(p.line, p.column) for p in (x.location for x in told) if p is not None]
    assert [(x["code"], x["message"], x["help"]) for x in data] == [
        (x.code, x.message, x.help) for x in told
    ]


def test_what_s2sad_is_made_of_is_right(s2sad, monkeypatch):
    folders = [ROOT / "s2sad" / "nn", ROOT / "s2sad" / "amp", ROOT / "examples"]
    said = s2sad("check", *[folder for folder in folders if folder.exists()])
    assert (said.code, said.err) == (0, "") and said.out.startswith("nothing found in ")


ATTRIBUTES = """\
class Base(nn.Cell):
    limit = 3

    def __init__(self):
        super().__init__()
        self.dense1 = nn.Dense(3, 3)
        self.{given} = 2

    def helper(self, x):
        return x


class Net(Base):
    def construct(self, x):
        return self.{read}
"""


@pytest.mark.parametrize(
    ("read", "help"),
    [
        ("desne1(x)", "did you mean dense1?"),
        ("limits", "did you mean limit?"),
        ("helpr(x)", "did you mean helper?"),
        ("traning", "did you mean training?"),
        (
            "parameters()",
            "write trainable_params(), or get_parameters() for the frozen ones as well",
        ),
    ],
)
def test_attributes_of_self_that_are_misspelt(read, help, s2sad, write):  # noqa: A002
    file = write(ATTRIBUTES.format(given="scale", read=read))
    (finding,) = json.loads(s2sad("check", file, "--format", "json").out)["findings"]
    name = read.partition("(")[0]
    assert finding["message"] == f"self (Net) has no attribute {name!r}"
    assert (finding["code"], under(finding), finding["help"]) == ("E0220", f"self.{name}", help)


@pytest.mark.parametrize(
    "text",
    [
        ATTRIBUTES.format(given="scale", read="scale"),
        ATTRIBUTES.format(given="scale", read="training"),
        ATTRIBUTES.format(given="scale", read="helper(x)"),
        ATTRIBUTES.format(given="scale", read="dense2(x)"),  # a class that inherits may set it
        ATTRIBUTES.format(given="scale", read="block(x)"),
        ATTRIBUTES.format(given="scale", read="desne1(x)") + "Net().desne1 = len\n",
        ATTRIBUTES.format(given="scale", read="desne1(x)") + "setattr(Net(), 'desne1', len)\n",
        ATTRIBUTES.format(given="scale", read="desne1(x)").replace("nn.Cell", "nn.Dense"),
        ATTRIBUTES.format(given="scale", read="desne1(x)").replace("(nn.Cell)", "(other.Base)"),
    ],
)
def test_attributes_of_self_that_may_be_there(text, found):
    assert found(text) == []


# ---- files --------------------------------------------------------------------------------------


def test_the_text_form(s2sad, write):
    said = s2sad("check", write(function("return x + nothing")))
    assert (said.code, said.err) == (1, "")
    assert said.out == (
        "[E0201] the name 'nothing' is not defined\n"
        "  --> net.py:6:15\n"
        "  |\n"
        "6 |     return x + nothing\n"
        "  |                ^^^^^^^\n"
        "\n"
        "1 problem in 1 of 1 file\n"
    )


def test_nothing_to_find(s2sad, write):
    assert s2sad("check", write(function("return x"))) == (0, "nothing found in 1 file\n", "")


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_an_empty_file(form, s2sad, write):
    said = s2sad("check", write("", head=""), "--format", form)
    assert (said.code, said.err) == (0, "") and said.out.endswith("\n")


NAMES = ["with a space.py", "größe.py", "日本/ネット.py", "a#b%20c&d.py", "quote'\".py", "[x].py"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("absolute", [False, True], ids=["relative", "absolute"])
def test_paths_of_any_kind(name, absolute, s2sad, write, tmp_path):
    file = write(function("return nothing"), name)
    given = str(tmp_path / file) if absolute else file
    assert f"--> {given}:6:11\n" in s2sad("check", given).out
    assert json.loads(s2sad("check", given, "--format", "json").out)["findings"][0]["file"] == given
    log = json.loads(s2sad("check", given, "--format", "sarif").out)
    physical = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    uri = urlparse(physical["artifactLocation"]["uri"])
    assert uri.scheme == ("file" if absolute else "") and unquote(uri.path) == given
    assert uri.query == uri.fragment == ""


LAYOUTS = {
    "unix": lambda text: text.encode(),
    "windows": lambda text: text.replace("\n", "\r\n").encode(),
    "old mac": lambda text: text.replace("\n", "\r").encode(),
    "a mark": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "a mark and windows": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "latin": lambda text: ("# -*- coding: latin-1 -*-\n" + text).encode("latin-1"),
    "no end": lambda text: text.rstrip("\n").encode(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_texts_of_any_kind(layout, s2sad, tmp_path):
    text = HEAD + "@ms.jit\ndef f(x):\n\tgröße = 'ä😀', nothing; return größe, x, other\n"
    text = text if layout != "latin" else text.replace("😀", "é")
    (tmp_path / "net.py").write_bytes(LAYOUTS[layout](text))
    linecache.clearcache()
    line = 7 if layout == "latin" else 6
    data = json.loads(s2sad("check", "net.py", "--format", "json").out)["findings"]
    assert [(each["line"], under(each)) for each in data] == [(line, "nothing"), (line, "other")]
    log = json.loads(s2sad("check", "net.py", "--format", "sarif").out)
    assert [taken(result, text) for result in log["runs"][0]["results"]] == ["nothing", "other"]
    shown = s2sad("check", "net.py").out.splitlines()
    caret = next(each for each in shown if "^" in each)
    assert caret.startswith("  | \t") and caret.count("^") == len("nothing")


def taken(result: dict[str, Any], text: str) -> str:
    """What a reader of SARIF sees at a result: lines by line feeds, columns in UTF-16."""
    region = result["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == region["endLine"]
    number = region["startLine"] - 1 - ("coding" in linecache.getline("net.py", 1))
    units = text.split("\n")[number].encode("utf-16-le")
    found = units[2 * (region["startColumn"] - 1) : 2 * (region["endColumn"] - 1)]
    return found.decode("utf-16-le")


SYNTAX = {
    "a colon": ("def f(x)\n    return x\n", 1, 8),
    "a bracket": ("x = (1,\ny = 2\n", 1, 4),
    "an indent": ("if x:\ny\n", 2, 0),
    "a tab": ("if x:\n        y\n\tz\n", 3, None),
    "after wide letters": ("größe = '😀' x\n", 1, None),
    "a return": ("return 1\n", 1, 0),
    "twice, behind wide letters": ("def f(größe, größe): pass\n", 1, None),
    "a null": ("x = 1\ny\0 = 2\n", 2, None),
    "an end": ("x = '''\n", 1, 4),
    "a word": ("nonlocal x\n", 1, 0),
    "only a bracket": (")", 1, 0),
}


@pytest.mark.parametrize("name", SYNTAX)
def test_a_text_that_is_not_python(name, s2sad, write):
    text, line, column = SYNTAX[name]
    file = write(text, head="")
    (finding,) = json.loads(s2sad("check", file, "--format", "json").out)["findings"]
    assert finding["code"] == "E0108" and finding["line"] == line
    assert column is None or finding["column"] == column
    said = s2sad("check", file)
    assert said.code == 1 and said.err == "" and "Python cannot read this: " in said.out
    log = json.loads(s2sad("check", file, "--format", "sarif").out)
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region["startLine"] == line and region["endColumn"] >= 1


def test_the_place_of_an_error_of_python_counts_characters(s2sad, write):
    file = write("größe = '😀' x\n", head="")
    (finding,) = json.loads(s2sad("check", file, "--format", "json").out)["findings"]
    assert under(finding) in ("x", "'😀' x")
    file = write("größe = 1\ndef f(größe, größe): pass\n", head="")
    (finding,) = json.loads(s2sad("check", file, "--format", "json").out)["findings"]
    assert finding["line"] == 2 and under(finding)[:1] in ("d", "g")


def test_what_is_wrong_with_one_file_does_not_stop_the_others(s2sad, write):
    files = [
        write("def", "a.py"), write(function("return nothing"), "b.py"), write("", "c.py"),
    ]  # fmt: skip
    said = s2sad("check", *files)
    assert said.code == 1 and said.out.endswith("\n2 problems in 2 of 3 files\n")


@pytest.mark.parametrize("text", ["x = " + "(" * 5000 + ")" * 5000, "x = " + "-" * 100_000 + "1"])
def test_what_is_too_deep_for_python(text, s2sad, write):
    said = s2sad("check", write(text, head=""))
    assert said.code == 1 and said.out.startswith("[E01") and "net.py:1:" in said.out


def test_what_is_too_deep_for_a_walk(s2sad, write):
    said = s2sad("check", write(function("return " + " + ".join(["x"] * 3000))))
    assert said.code in (0, 1) and said.err == ""


def test_no_warning_about_a_text(write, tmp_path):
    file = write("x = '\\d'\nif x is 1: pass\n" + function("return nothing"))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "s2sad", "check", file], cwd=tmp_path, text=True,
        capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "") and "1 problem in 1 of 1 file" in done.stdout


def test_output_that_cannot_write_all_letters(write, tmp_path):
    file = write(function("größe = nothing"))
    done = subprocess.run(
        [sys.executable, "-m", "s2sad", "check", file], cwd=tmp_path, capture_output=True,
        timeout=60, env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"},
    )  # fmt: skip
    assert done.returncode == 1 and b"gr\\xf6\\xdfe = nothing" in done.stdout


# ---- folders ------------------------------------------------------------------------------------


def test_a_folder_is_gone_through_in_order(s2sad, write):
    for name in ("b.py", "a/z.py", "a/c d/y.py", ".venv/x.py", ".hidden.py", "__pycache__/w.pyc"):
        write(function("return nothing"), f"src/{name}")
    write("not Python", "src/notes.txt")
    data = json.loads(s2sad("check", "src", "--format", "json").out)
    names = [Path(each["file"]).as_posix() for each in data["findings"]]
    assert names == ["src/b.py", "src/a/z.py", "src/a/c d/y.py"] and data["files"] == 3


def test_a_file_is_checked_once(s2sad, write):
    file = write(function("return nothing"), "src/a.py")
    said = s2sad("check", "src", file, "src/../src", file)
    assert said.out.endswith("\n1 problem in 1 of 1 file\n")


def test_a_file_that_is_named_counts_whatever_its_name(s2sad, write):
    file = write(function("return nothing"), ".hidden/net.txt")
    assert s2sad("check", file).code == 1


def test_a_folder_without_files(s2sad, tmp_path):
    (tmp_path / "empty").mkdir()
    assert s2sad("check", "empty") == (0, "nothing found in 0 files\n", "")


def test_links_in_a_circle_end(s2sad, write, tmp_path):
    write(function("return nothing"), "src/a.py")
    (tmp_path / "src" / "again").symlink_to(tmp_path / "src")
    (tmp_path / "src" / "b.py").symlink_to("b.py")
    said = s2sad("check", "src")
    assert said.code == 2 and said.err.startswith("[E0604] src/b.py cannot be read: ")
    assert said.out.endswith("\n1 problem in 1 of 1 file\n")


# ---- files that cannot be read ------------------------------------------------------------------


@pytest.mark.parametrize("form", ["text", "json", "sarif"])
def test_a_file_that_is_not_there(form, s2sad, write):
    file = write(function("return nothing"))
    said = s2sad("check", "none.py", file, "--format", form)
    assert said.code == 2
    assert said.err == "[E0604] none.py cannot be read: No such file or directory\n"
    if form == "json":
        data = json.loads(said.out)
        assert data["unreadable"] == [said.err.rstrip()] and len(data["findings"]) == 1
    if form == "sarif":
        (run,) = json.loads(said.out)["runs"]
        (invocation,) = run["invocations"]
        assert invocation["executionSuccessful"] is False and len(run["results"]) == 1
        (note,) = invocation["toolExecutionNotifications"]
        assert note["message"]["text"] == said.err.rstrip()


@pytest.mark.parametrize(
    "data", [b"x = '\xff'\n", b"# coding: no-such-code\n", b"# coding: ascii\nx = '\xc3'\n"]
)
def test_a_file_that_is_no_text(data, s2sad, tmp_path):
    (tmp_path / "net.py").write_bytes(data)
    said = s2sad("check", "net.py")
    assert said.code == 2 and said.err.startswith("[E0604] net.py cannot be read: ")
    assert said.out == "nothing found in 0 files\n"


def test_what_is_no_file(s2sad, tmp_path):
    os.mkfifo(tmp_path / "pipe.py")
    said = s2sad("check", "pipe.py")
    assert (said.code, said.err) == (2, "[E0604] pipe.py is no file and no folder\n")


def test_unreadable_files_are_told_apart():
    failures: list[S2sadError] = []
    assert list(sources(["/none/one.py", "/none/two.py"], failures.append)) == []
    assert [each.code for each in failures] == ["E0604"] * 2


@pytest.mark.parametrize(
    "arguments",
    [(), ("net.py", "--format", "xml"), ("net.py", "--format"), ("--formt", "json", "net.py")],
)
def test_usage(arguments, capsys, s2sad):
    with pytest.raises(SystemExit) as leaving:
        s2sad("check", *arguments)
    assert leaving.value.code == 2 and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ("net.py", "-i", "f32[3]"), ("net.py", "--seed", "0"), ("net.py", "--train"),
        ("net.py", "--tolerance", "1"), ("net.py:f", "--format", "json"),
    ],
)  # fmt: skip
def test_options_of_the_other_kind(arguments, s2sad, write):
    write(function("return x"))
    said = s2sad("check", *arguments)
    assert (said.code, said.out) == (2, "") and said.err.startswith("[E0302] ")


def test_an_object_has_its_gradients_compared(s2sad, write):
    write("def f(x):\n    return ops.tanh(x)\n")
    said = s2sad("check", "net.py:f", "-i", "f32[3]")
    assert said.code == 0 and "gradients in float64 against differences" in said.out


def test_a_file_with_a_colon_in_its_name(s2sad, write):
    file = write(function("return nothing"), "net:f")
    assert s2sad("check", file).out.endswith("1 problem in 1 of 1 file\n")


# ---- the forms ----------------------------------------------------------------------------------


@pytest.fixture
def three(s2sad, write):
    """What the three forms say of two files, one of them with a chain of calls."""
    write(NET, "a b.py")
    write(CALLED + function("return ops.relu(x,\n    1, 2)"), "c.py")
    forms = ("text", "json", "sarif")
    said = [s2sad("check", "a b.py", "c.py", "--format", form) for form in forms]
    assert [(each.code, each.err) for each in said] == [(1, "")] * 3
    return said[0].out, json.loads(said[1].out), json.loads(said[2].out)


def test_all_forms_say_the_same(three):
    text, data, log = three
    (run,) = log["runs"]
    shown = text.rstrip().split("\n\n")[:-1]
    assert len(shown) == len(data["findings"]) == len(run["results"]) == 13
    for block, finding, result in zip(shown, data["findings"], run["results"], strict=True):
        place = f"{finding['file']}:{finding['line']}:{finding['column']}"
        assert block.startswith(f"[{finding['code']}] {finding['message']}\n  --> {place}\n")
        calls = [f"{x['file']}:{x['line']}:{x['column']}" for x in finding["callers"]]
        assert [x for x in block.splitlines() if "called at" in x] == [
            f"   = called at {call}" for call in calls
        ]
        assert finding["help"] is None or f"   = help: {finding['help']}" in block
        assert result["ruleId"] == finding["code"]
        assert result["message"]["text"].startswith(finding["message"])
        places = [result["locations"][0], *result["relatedLocations"]]
        for known, physical in zip([finding, *finding["callers"]], places, strict=True):
            region = physical["physicalLocation"]["region"]
            uri = physical["physicalLocation"]["artifactLocation"]["uri"]
            assert unquote(uri) == known["file"]
            assert region == {
                "startLine": known["line"], "startColumn": known["column"] + 1,
                "endLine": known["end_line"], "endColumn": known["end_column"] + 1,
            }  # fmt: skip


def test_an_expression_over_lines_ends_where_it_does(three):
    last = three[1]["findings"][-1]
    assert last["code"] == "E0302" and last["end_line"] == last["line"] + 1


def test_sarif_has_what_the_standard_requires(three):
    _, _, log = three
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json")
    (run,) = log["runs"]
    assert run["columnKind"] == "utf16CodeUnits"
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("s2sad", ms.__version__)
    assert run["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]
    for result in run["results"]:
        assert {"ruleId", "level", "message", "locations", "relatedLocations"} <= set(result)
        assert result["level"] == "error" and result["message"]["text"]
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for each in (*result["locations"], *result["relatedLocations"]):
            region = each["physicalLocation"]["region"]
            start = region["startLine"], region["startColumn"]
            assert (1, 1) <= start <= (region["endLine"], region["endColumn"])
        related = result["relatedLocations"]
        assert [each["id"] for each in related] == list(range(len(related)))


def test_rules_say_what_explain_says(three):
    rules = three[2]["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["E0101", "E0104", "E0201", "E0302"]
    for rule in rules:
        page = pages()[rule["id"]]
        assert rule["help"] == {"text": page, "markdown": page}
        assert rule["shortDescription"]["text"] and page.startswith(f"# {rule['id']}")


def test_machines_read_it_in_any_encoding(s2sad, write):
    write(function("größe = nothing, '😀'"))
    for form in ("json", "sarif"):
        assert s2sad("check", "net.py", "--format", form).out.isascii()
