"""Do plugged-in passes and rules come to where they belong?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from s2sad import extend
from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.passes import plugins
from s2sad.passes.base import Pass, Repeat, run_passes
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint
from s2sad.passes.pipeline import parse_pipeline
from s2sad.passes.registry import arranged
from tests.passes.rewriting import becomes, read, stays

PRIMAL = (Decompose(without_adjoint),)
JOINT = (Canonicalize(), Cse(), Dce())
TARGET = (Decompose(every), Dce())

pytestmark = pytest.mark.usefixtures("unplugged")


@dataclass(frozen=True)
class Mine(Pass):
    """Does nothing."""

    much: int = 1
    name: ClassVar[str] = "mine"

    def run(self, function, rewriter):
        pass


@dataclass(frozen=True)
class Other(Mine):
    """Does nothing either."""

    name: ClassVar[str] = "other"


def test_nothing_plugged_in_changes_nothing():
    assert arranged(PRIMAL, JOINT, TARGET) == (PRIMAL, JOINT, TARGET)


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"after": "canonicalize"}, (PRIMAL, (Canonicalize(), Mine(), Cse(), Dce()), TARGET)),
        ({"before": "canonicalize"}, (PRIMAL, (Mine(), *JOINT), TARGET)),
        ({"after": "dce"}, (PRIMAL, (*JOINT, Mine()), TARGET)),
        ({"before": "decompose"}, ((Mine(), *PRIMAL), JOINT, TARGET)),
        ({"after": "decompose{every}"}, (PRIMAL, JOINT, (Decompose(every), Mine(), Dce()))),
    ],
    ids=str,
)
def test_a_pass_goes_beside_the_one_that_it_names(where, expected):
    extend.register_pass(**where)(Mine)
    assert arranged(PRIMAL, JOINT, TARGET) == expected
    assert parse_pipeline("mine{much=3}") == (Mine(3),)


def test_a_pass_may_name_one_that_was_plugged_in():
    extend.register_pass(after="cse")(Mine)
    extend.register_pass(before="mine")(Other)
    assert arranged(JOINT) == ((Canonicalize(), Cse(), Other(), Mine(), Dce()),)


def test_a_pass_goes_into_what_is_repeated():
    extend.register_pass(after="cse")(Mine)
    found = arranged((Repeat((Canonicalize(), Cse()), 3), Dce()))
    assert found == ((Repeat((Canonicalize(), Cse(), Mine()), 3), Dce()),)


def test_a_pass_goes_beside_what_is_repeated():
    extend.register_pass(before="repeat")(Mine)
    repeat = Repeat((Canonicalize(), Cse()))
    assert arranged((repeat, Dce())) == ((Mine(), repeat, Dce()),)


def test_a_pass_that_names_none_is_an_error_when_compiling():
    extend.register_pass(after="cannonicalize")(Mine)
    with pytest.raises(S2sadError, match="no pass is called 'cannonicalize'") as caught:
        arranged(PRIMAL, JOINT, TARGET)
    assert caught.value.code == "E0404" and "did you mean canonicalize?" in str(caught.value)


def test_a_pass_that_is_written_anew_takes_the_place_of_the_old():
    extend.register_pass(after="cse")(Mine)

    @extend.register_pass(after="dce")
    @dataclass(frozen=True)
    class Again(Pass):
        """Has the old name."""

        name: ClassVar[str] = "mine"

        def run(self, function, rewriter):
            pass

    assert arranged(JOINT) == ((*JOINT, Again()),)
    extend.remove("mine")
    assert arranged(JOINT) == (JOINT,)


def test_what_is_no_pass_is_refused():
    for where in ({}, {"before": "cse", "after": "cse"}):
        with pytest.raises(S2sadError, match="give one of the two"):
            extend.register_pass(**where)
    with pytest.raises(S2sadError, match="a pass is a subclass of Pass"):
        extend.register_pass(after="cse")(int)
    with pytest.raises(S2sadError, match="there is a pass called 'cse' already"):
        extend.register_pass(after="dce")(Cse)

    @dataclass(frozen=True)
    class Needy(Pass):
        """Cannot be made without an option."""

        much: int
        name: ClassVar[str] = "needy"

        def run(self, function, rewriter):
            pass

    with pytest.raises(S2sadError, match="needy needs a default for each option"):
        extend.register_pass(after="dce")(Needy)


class ExpLog(extend.Rewrite):
    """log(exp(x))  =>  x, up to rounding."""

    exact = False

    def before(x):
        return p.log(p.exp(x))

    def after(x):
        return x


class ReluAbs(extend.Rewrite):
    """relu(abs(x))  =>  abs(x)."""

    def before(x):
        return p.relu(p.abs(x))

    def after(x):
        return p.abs(x)


def test_a_rule_is_part_of_the_canonical_form():
    text = "def main(x: f32[4]):\n    return {}\n"
    stays([Canonicalize()], text.format("p.relu(p.abs(x))"))
    assert extend.rewrite(ReluAbs) is ReluAbs
    extend.rewrite(ReluAbs)
    assert plugins.rules() == (ReluAbs,)
    becomes([Canonicalize()], text.format("p.relu(p.abs(x))"), text.format("p.abs(x)"))
    extend.remove("ReluAbs")
    stays([Canonicalize()], text.format("p.relu(p.abs(x))"))


def test_a_rule_that_rounds_needs_fast_math():
    extend.rewrite(ExpLog)
    text = "def main(x: f32[4]):\n    return {}\n"
    stays([Canonicalize()], text.format("p.log(p.exp(x))"))
    becomes([Canonicalize(fast_math=True)], text.format("p.log(p.exp(x))"), text.format("x"))


def test_what_is_no_rule_is_refused():
    with pytest.raises(S2sadError, match="a rule is a subclass of Rewrite"):
        extend.rewrite(int)


# Installed packages

PLUGIN = """
from dataclasses import dataclass
from typing import ClassVar
from s2sad import extend, prims as p

@extend.register_pass(after="canonicalize")
@dataclass(frozen=True)
class Installed(extend.Pass):
    name: ClassVar[str] = "installed"
    def run(self, function, rewriter):
        pass

@extend.rewrite
class ReluRelu6(extend.Rewrite):
    '''relu(relu6(x))  =>  relu6(x).'''
    def before(x): return p.relu(p.relu6(x))
    def after(x): return p.relu6(x)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Makes a package on the path that names a module in the entry-point group."""

    def install(name: str, source: str) -> None:
        (tmp_path / f"{name}.py").write_text(source)
        about = tmp_path / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[s2sad.passes]\n{name} = {name}\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.delitem(sys.modules, name, raising=False)
        plugins.forget_installed()

    return install


def test_an_installed_package_plugs_in(install):
    install("s2sad_sample_plugin", PLUGIN)
    names = [step.name for step in arranged(JOINT)[0]]
    assert names == ["canonicalize", "installed", "cse", "dce"]
    assert [rule.__name__ for rule in plugins.rules()] == ["ReluRelu6"]
    assert [step.name for step in parse_pipeline("installed")] == ["installed"]
    function_text = "def main(x: f32[4]):\n    return {}\n"
    (report,) = becomes(
        [Canonicalize()],
        function_text.format("p.relu(p.relu6(x))"),
        function_text.format("p.relu6(x)"),
    )
    assert report.titles["ReluRelu6"] == 1


def test_a_package_that_fails_is_named(install):
    install("s2sad_broken_plugin", "raise ImportError('no such thing')\n")
    for _ in range(2):  # the second time as well
        with pytest.raises(ImportError, match="no such thing") as caught:
            arranged(JOINT)
        assert "s2sad_broken_plugin" in caught.value.__notes__[0]


def test_plugged_in_passes_run():
    seen = []

    @extend.register_pass(before="dce")
    @dataclass(frozen=True)
    class Seen(Pass):
        """Remembers that it ran."""

        name: ClassVar[str] = "seen"

        def run(self, function, rewriter):
            seen.append(function.name)

    run_passes(read("def main(x: f32[4]):\n    return x\n"), arranged(JOINT)[0])
    assert seen == ["main"]
