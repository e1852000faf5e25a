"""Is `docs/coverage.md` what is there, and do functions do what it says?"""

from __future__ import annotations

import warnings

import pytest

from api import counts, probe, reference, table
from s2sad import nn, ops

FACTS = probe.read_facts()


def test_the_page_is_what_is_there():
    assert table.PAGE.read_text(encoding="utf-8") == table.text(), "run `make coverage`"


def test_every_function_was_asked():
    assert list(FACTS) == probe.names()
    assert set(FACTS.values()) <= table.WORDS.keys() | {"2"}, "say it in table.WORDS"


#: Some of each kind; all of them take minutes.
SOME = [name for i, name in enumerate(FACTS) if i % 12 == 0]


@pytest.mark.parametrize("name", SOME)
def test_a_function_does_what_the_page_says(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert probe.probe(name) == FACTS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in FACTS if name not in SOME])
def test_the_other_functions_do_what_the_page_says(name):
    test_a_function_does_what_the_page_says(name)


def test_names_are_told_apart():
    assert table.is_there("ops.ReLU") and table.is_there(".view") and table.is_there("mint.softmax")
    for wrong in ("ops.ReLUU", ".vieww", "mint.softmaxx", "numpy.tilee"):
        assert not table.is_there(wrong)
    assert table.is_path("mindspore") and table.is_path("nn.loss") and not table.is_path("nn.los")
    assert all(map(table.is_of_nn, ("Dense", "Normal", "Categorical")))
    assert not any(map(table.is_of_nn, ("Normall", "Uniforms")))
    status = table._of_ops("no_such_name", FACTS)
    assert status == table.MISSING


def test_counts_are_those_of_the_list():
    lists = counts.OPS, counts.NN, counts.MERGED, counts.PATHS
    assert [*map(len, lists)] == [150, 110, 110, 76]
    assert counts.OPS["Concat"] == (1306, 650, False) and counts.NN["Module"].is_gone
    for family in (*reference.OPS.values(), *reference.NN.values()):
        assert len(family) == len(set(family))
    assert hasattr(ops, "Concat") and hasattr(nn, "Cell")
