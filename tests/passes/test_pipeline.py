"""Does the text of a pipeline say what it is, both ways?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pytest

from s2sad.core.diagnostics import S2sadError
from s2sad.passes import plugins
from s2sad.passes.base import Pass, Repeat
from s2sad.passes.canonicalize import Canonicalize
from s2sad.passes.cse import Cse
from s2sad.passes.dce import Dce
from s2sad.passes.decompose import Decompose, every, without_adjoint
from s2sad.passes.pipeline import format_pipeline, parse_pipeline


@dataclass(frozen=True)
class Options(Pass):
    """A pass with an option of every kind."""

    count: int = 8
    ratio: float = 0.5
    loud: bool = False
    title: str = "none"
    limit: int | None = None
    name: ClassVar[str] = "options"

    def run(self, function, rewriter):
        pass


@pytest.fixture
def options(unplugged):
    plugins.add_pass(plugins.Plugged(Options(), None, "dce"))


TEXTS = {
    "": (),
    "dce": (Dce(),),
    "canonicalize,cse,dce": (Canonicalize(), Cse(), Dce()),
    "canonicalize{rounds=3}": (Canonicalize(rounds=3),),
    "canonicalize{fast_math=True,rounds=3}": (Canonicalize(True, 3),),
    "decompose{every}": (Decompose(every),),
    "decompose{without-adjoint},dce": (Decompose(without_adjoint), Dce()),
    "repeat{canonicalize,decompose{every},dce}": (
        Repeat((Canonicalize(), Decompose(every), Dce())),
    ),
    "repeat{canonicalize{rounds=3},cse,rounds=2}": (Repeat((Canonicalize(rounds=3), Cse()), 2),),
    "options": (Options(),),
    "options{count=-3,ratio=1e-07,loud=True,limit=4}": (
        Options(count=-3, ratio=1e-7, loud=True, limit=4),
    ),
    "options{title='a, {b'},dce": (Options(title="a, {b"), Dce()),
    "options{ratio=inf}": (Options(ratio=float("inf")),),
}


@pytest.mark.parametrize("text", TEXTS)
def test_text_and_passes_are_each_other(text, options):
    assert parse_pipeline(text) == TEXTS[text]
    assert format_pipeline(TEXTS[text]) == text


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        (" canonicalize , dce ", (Canonicalize(), Dce())),
        ("decompose", (Decompose(every),)),
        ("dce{}", (Dce(),)),
        ("options{ title = x , limit=None }", (Options(title="x"),)),
        ('options{title="x y"}', (Options(title="x y"),)),
        ("repeat{ cse, dce }", (Repeat((Cse(), Dce())),)),
    ],
)
def test_other_spellings(text, passes, options):
    assert parse_pipeline(text) == passes


@pytest.mark.parametrize(
    ("text", "code", "reason"),
    [
        ("cannonicalize", "E0404", "did you mean canonicalize?"),
        (
            "zzz",
            "E0404",
            "there are canonicalize, cse, dce, decompose, expand-transforms, fuse, ",
        ),
        ("repeat{dec}", "E0404", "did you mean dce?"),
        ("canonicalize{round=3}", "E0404", "did you mean rounds?"),
        ("dce{rounds=3}", "E0404", "it has none"),
        ("decompose{evry}", "E0404", "decompose takes every or without-adjoint"),
        ("canonicalize{rounds=many}", "E0303", "rounds of canonicalize is int, got 'many'"),
        ("canonicalize{rounds=True}", "E0303", "rounds of canonicalize is int"),
        ("options{loud=1}", "E0303", "loud of options is bool"),
        ("options{ratio=x}", "E0303", "ratio of options is float"),
        ("options{limit=x}", "E0303", "limit of options is"),
        ("options{3}", "E0303", "takes options by name, got '3'"),
        ("dce,,cse", "E0303", "'' is no pass"),
        ("dce{", "E0303", "no partner"),
        ("dce}{", "E0303", "no partner"),
        ("options{title='x}", "E0303", "no partner"),
        ("Dce", "E0303", "'Dce' is no pass"),
    ],
)
def test_what_is_no_pipeline_is_told(text, code, reason, options):
    with pytest.raises(S2sadError) as caught:
        parse_pipeline(text)
    assert caught.value.code == code
    assert reason in str(caught.value)
