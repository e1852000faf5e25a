"""Do imports point one way, and would import-linter say so if they did not?"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from importlinter import api

ROOT = Path(__file__).parent.parent

LINT_IMPORTS = "from importlinter.cli import lint_imports_command as main; main()"

#: A package in which every contract of pyproject.toml is kept: modules and what they import.
KEPT = {
    "core": "",
    "ir": "import ast\nimport s2sad.core",
    "prims": "import s2sad.ir",
    "frontend": "import gast\nimport s2sad.prims",
    "autodiff": "import s2sad.prims",
    "passes": "import s2sad.prims",
    "backends": "",
    "backends.numpy": "import s2sad.ir",
    "binding": "import s2sad.autodiff",
    "compiler": "import s2sad.binding, s2sad.passes",
    "compiled": "import s2sad.compiler",
    "loaded": "import s2sad.compiled",
    "ops": "import s2sad.prims",
    "nn": "import s2sad.ops",
    "tools": "import s2sad.compiler",
}

#: Modules to add or to change, and the contract that then breaks.
BROKEN = {
    "upwards": ({"core": "import s2sad.prims"}, "Data flows one way"),
    "upwards inside a function": ({"ir": "def f(): import s2sad.ops"}, "Data flows one way"),
    "by way of the root": ({"core": "import s2sad", "": "import s2sad.nn"}, "Data flows one way"),
    "siblings": ({"autodiff": "import s2sad.passes"}, "Data flows one way"),
    "a module with no layer": ({"helpers": ""}, "Data flows one way"),
    "one backend in another": (
        {"backends.c": "import s2sad.backends.numpy"},
        "Backends do not know one another",
    ),
    "the numpy backend in the stepwise one": (
        {"backends.stepwise": "import s2sad.backends.numpy"},
        "Backends do not know one another",
    ),
    "a backend in what all share": (
        {"backends.generated": "import s2sad.backends.numpy"},
        "Backends do not know one another",
    ),
    "a backend with no name": ({"backends.fpga": ""}, "Backends do not know one another"),
    "ast above the IR": ({"passes": "import ast"}, "Syntax trees stop at the IR"),
    "gast in a backend": ({"backends.numpy": "import gast"}, "Syntax trees stop at the IR"),
}


def lint_imports(root: Path) -> subprocess.CompletedProcess[str]:
    """Hold the package in `root` to the contracts of the pyproject.toml there."""
    environment = {**os.environ, "PYTHONPATH": str(root), "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-c", LINT_IMPORTS, "--no-cache"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def write_package(root: Path, modules: dict[str, str]) -> None:
    """Write each dotted name as a package below `root`, beside the real contracts."""
    shutil.copy(ROOT / "pyproject.toml", root)
    for name, source in {"": "", **modules}.items():
        file = root.joinpath("s2sad", *filter(None, name.split(".")), "__init__.py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)


def test_the_package_keeps_its_layers():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_architecture_page_has_the_layers_of_the_contract():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    page = page.partition("\n## The layers\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", page, re.MULTILINE)
    contracts = api.read_configuration(str(ROOT / "pyproject.toml"))["contracts_options"]
    layers = next(c["layers"] for c in contracts if c["id"] == "layers")
    assert [names(row) for row in rows] == [names(layer) for layer in reversed(layers)]


def names(text: str) -> set[str]:
    """The modules that a layer, or a row of the page, consists of."""
    return set(re.findall(r"\w+", text))


def test_kept_contracts_pass(tmp_path):
    write_package(tmp_path, KEPT)
    done = lint_imports(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("changed", "contract"), BROKEN.values(), ids=BROKEN)
def test_broken_contract_is_named(tmp_path, changed, contract):
    write_package(tmp_path, {**KEPT, **changed})
    done = lint_imports(tmp_path)
    assert done.returncode != 0
    assert f"{contract} BROKEN" in done.stdout, done.stdout + done.stderr
