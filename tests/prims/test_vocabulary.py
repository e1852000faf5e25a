"""Is the vocabulary complete: documented, differentiable or said not to be, and held to the laws?

The numbers are tested family by family. Here stands what can be asked of all primitives alike.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from s2sad import prims as p
from s2sad.ir.primitive import Form, Primitive, Trait

PRIMS = [pytest.param(prim, id=name) for name, prim in sorted(p.ALL.items())]
TEMPLATES = [
    pytest.param(prim, id=name) for name, prim in sorted(p.ALL.items()) if prim.adjoint_rule
]
TANGENTS = [
    pytest.param(prim, id=name) for name, prim in sorted(p.ALL.items()) if prim.tangent_rule
]

#: Control flow and markers, whose derivatives autodiff writes itself, from their regions.
KNOWN_TO_AUTODIFF = {
    "checkpoint", "custom", "for_", "fused", "hook", "if_", "transform", "while_",
}  # fmt: skip

#: They have an adjoint, and no operand that could have a tangent.
WITHOUT_OPERANDS = {"stack_empty"}

#: What autodiff may meet in a template besides straight lines, for it is decided while compiling.
STATEMENTS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.If, ast.Expr, ast.Return)


def is_structural(prim: Primitive) -> bool:
    """Whether `prim` is no function of arrays: it has regions, tokens or stacks."""
    if prim.regions or prim.form is not Form.CALL:
        return True
    return prim.has(Trait.EFFECT) or prim.has(Trait.OPAQUE) or prim.name.startswith("stack_")


def parameters(function: Callable[..., Any], kind: Any) -> list[str]:
    return [x.name for x in inspect.signature(function).parameters.values() if x.kind is kind]


def positional(function: Callable[..., Any]) -> list[str]:
    return parameters(function, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def keywords(function: Callable[..., Any]) -> list[str]:
    return parameters(function, inspect.Parameter.KEYWORD_ONLY)


def is_open_ended(function: Callable[..., Any]) -> bool:
    return bool(parameters(function, inspect.Parameter.VAR_POSITIONAL))


def takes_operands(prim: Primitive) -> bool:
    return bool(positional(prim.__wrapped__)) or is_open_ended(prim.__wrapped__)


@pytest.mark.parametrize("prim", PRIMS)
def test_it_is_documented_with_an_example(prim):
    text = inspect.getdoc(prim.__wrapped__) or ""
    assert text, f"{prim} has no docstring"
    assert "Examples\n--------\n>>> " in text, f"the docstring of {prim} has no example"
    summary = text.split("\n\n")[0]
    assert summary.endswith((".", "?", ":")), f"the first paragraph of {prim} is no sentence"


def test_what_autodiff_knows_by_name_is_what_has_regions():
    assert {name for name, prim in p.ALL.items() if prim.regions} == KNOWN_TO_AUTODIFF


@pytest.mark.parametrize("prim", [x for x in PRIMS if takes_operands(x.values[0])])
def test_its_operands_are_described(prim):
    text = inspect.getdoc(prim.__wrapped__) or ""
    assert "\nParameters\n----------\n" in text, f"the docstring of {prim} has no Parameters"
    described = text.split("\nParameters\n----------\n")[1].split("\n\n")[0]
    variadic = parameters(prim.__wrapped__, inspect.Parameter.VAR_POSITIONAL)
    for name in (*positional(prim.__wrapped__), *variadic):
        assert re.search(rf"^(\w+, )*\*?{name}\b", described, re.M), f"{name} of {prim}"


@pytest.mark.parametrize("prim", [x for x in PRIMS if x.id not in KNOWN_TO_AUTODIFF])
def test_its_derivative_is_one_of_given_excluded_or_that_of_its_body(prim):
    given = prim.adjoint_rule is not None
    excluded = prim.nondiff is not None
    assert not (given and excluded), f"{prim} has an adjoint and a reason to have none"
    assert given or excluded or prim.is_composite, f"{prim} needs an adjoint, or nondiff=why"
    assert prim.nondiff is None or prim.nondiff.strip(), f"{prim} does not say why"


def test_what_has_an_adjoint_and_no_operands():
    found = {x.id for x in TEMPLATES if not takes_operands(x.values[0])}
    assert found == WITHOUT_OPERANDS


@pytest.mark.parametrize("prim", [x for x in TEMPLATES if x.id not in WITHOUT_OPERANDS])
def test_what_has_an_adjoint_has_a_tangent(prim):
    ways = (prim.tangent_rule, prim.linear, prim.has(Trait.ELEMENTWISE), prim.is_composite)
    assert any(ways), f"{prim} needs linear=, or a tangent"


@pytest.mark.parametrize("prim", PRIMS)
def test_linear_positions_exist_and_are_named_once(prim):
    names = positional(prim.__wrapped__)
    groups = () if prim.linear == "all" else prim.linear
    places = [i for group in groups for i in (group if isinstance(group, tuple) else (group,))]
    assert len(set(places)) == len(places)
    assert is_open_ended(prim.__wrapped__) or all(0 <= i < len(names) for i in places)


def _check_signature(prim: Primitive, rule: Callable[..., Any], last: str) -> None:
    """After the primals come the result and `last`; by keyword where there are any number."""
    known = set(prim.attributes)
    if is_open_ended(prim.__wrapped__):
        assert is_open_ended(rule), f"{rule.__name__} takes any number of primals"
        assert {"out", last} <= set(keywords(rule)), f"{rule.__name__} takes out and {last}"
        known |= {"out", last}
    else:
        expected = [*positional(prim.__wrapped__), "out", last]
        assert positional(rule) == expected, f"{rule.__name__} takes {expected}"
    unknown = set(keywords(rule)) - known
    assert not unknown, f"{rule.__name__} takes {unknown}, which {prim} does not have"


@pytest.mark.parametrize("prim", TEMPLATES)
def test_an_adjoint_takes_the_primals_and_the_attributes(prim):
    _check_signature(prim, prim.adjoint_rule, "dout")


@pytest.mark.parametrize("prim", TANGENTS)
def test_a_tangent_takes_the_primals_and_the_attributes(prim):
    _check_signature(prim, prim.tangent_rule, "tangents")


@pytest.mark.parametrize("prim", TEMPLATES)
def test_an_adjoint_is_a_template_that_autodiff_can_read(prim):
    """Straight lines, static branches and loops, one return at the end; names that resolve."""
    rule = prim.adjoint_rule
    tree = ast.parse(textwrap.dedent(inspect.getsource(rule))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    nested = [node for statement in tree.body for node in ast.walk(statement)]
    foreign = [n for n in nested if isinstance(n, ast.stmt) and not isinstance(n, STATEMENTS)]
    assert not foreign, f"{rule.__name__} has {ast.unparse(foreign[0])}"
    returns = [node for node in nested if isinstance(node, ast.Return)]
    assert returns == [tree.body[-1]], f"{rule.__name__} has one return, its last statement"
    known = {*rule.__globals__, *dir(builtins), *inspect.signature(rule).parameters}
    known |= {n.id for n in nested if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {n.id for n in nested if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    assert used <= known, f"{rule.__name__} uses {used - known}"


def _tested() -> set[str]:
    """Names of the primitives that the tables of specs in this folder hold to the laws."""
    modules = [
        importlib.import_module(f"{__package__}.{path.stem}")
        for path in sorted(Path(__file__).parent.glob("test_*.py"))
        if path.stem != "test_vocabulary"
    ]
    return {spec.prim.name for module in modules for spec in getattr(module, "SPECS", ())}


def test_every_primitive_is_held_to_the_laws():
    wanted = {name for name, prim in p.ALL.items() if not is_structural(prim)}
    missing = sorted(wanted - _tested())
    assert not missing, f"no table SPECS under tests/prims/ has {', '.join(missing)}"


def test_names_are_in_the_module_of_their_family():
    families = {family.__name__.rpartition(".")[2] for family in p.FAMILIES}
    assert {prim.family for prim in p.ALL.values()} == families


def test_an_unknown_name_is_an_error_that_helps():
    with pytest.raises(AttributeError, match="did you mean matmul|did you mean mul"):
        p.matmull  # noqa: B018
