"""Does each construct do what the table in `docs/language.md` says, on either backend?

What works gives the value of plain Python on Tensors, and the gradient of float64 differences; what
does not is an error at the line that is marked, with a hint.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from language import ALL, table
from language.case import Case
from s2sad.core.diagnostics import S2sadError
from s2sad.core.tensor import Tensor
from s2sad.core.trees import is_record, parts_of
from support.c_programs import quickly_compiled

CASES = [
    pytest.param(case, id=f"{section.title.partition(' ')[0].lower()}-{case.name}")
    for section in ALL
    for case in section.cases
]


@pytest.fixture(params=["numpy", "c"])
def backend(request, monkeypatch, programs_apart):
    """Either backend, for the time of a test."""
    monkeypatch.setenv("S2SAD_BACKEND", request.param)
    with quickly_compiled():
        yield request.param


@pytest.mark.parametrize("case", CASES)
def test_a_construct_does_what_the_table_says(case: Case, backend: str, capsys):
    if case.code:
        require_refused(case)
    elif case.is_scenario:
        plain = case.function(lambda thing: thing)
        printed = capsys.readouterr().out
        require_same(plain, case.function(ms.compile), scalar=case.scalar)
        assert capsys.readouterr().out == printed
    elif case.raises is not None:
        with pytest.raises(case.raises) as plain_error:
            case.function(*case.arguments())
        with pytest.raises(case.raises) as error:
            ms.compile(case.function)(*case.arguments())
        assert type(error.value) is type(plain_error.value)
        assert error.value.args == plain_error.value.args
    else:
        require_works(case, backend, capsys)


def require_works(case: Case, backend: str, capsys: Any) -> None:
    plain = case.function(*case.arguments())
    printed = capsys.readouterr().out
    compiled = ms.compile(case.function)
    for _ in range(2):
        require_same(plain, compiled(*case.arguments()), scalar=case.scalar)
        assert capsys.readouterr().out == printed
    (variant,) = compiled.variants
    assert f".{backend}." in type(variant.executable).__module__
    if case.gradient:
        require_gradient(case)


def require_refused(case: Case) -> None:
    with pytest.raises(S2sadError) as caught:
        if case.is_scenario:
            case.function(ms.compile)
        else:
            ms.compile(case.function)(*case.arguments())
    found = caught.value.diagnostic
    assert found.code == case.code, caught.value
    assert found.place is not None
    assert found.place.line == case.line, caught.value
    assert found.help is not None, caught.value
    assert case.hint in found.help, caught.value


def require_same(one: Any, other: Any, *, scalar: bool) -> None:
    """`other` is what `one` is, the tensors in both as close as float32 is."""
    if scalar and isinstance(other, Tensor) and not isinstance(one, Tensor):
        is_exact = other.dtype in (ms.float64, ms.int64, ms.bool_)
        np.testing.assert_allclose(other.asnumpy(), one, rtol=0 if is_exact else 1e-6)
        return
    assert type(one) is type(other), (one, other)
    if isinstance(one, Tensor):
        assert (one.shape, one.dtype) == (other.shape, other.dtype), (one, other)
        np.testing.assert_allclose(other.asnumpy(), one.asnumpy(), rtol=2e-6, atol=1e-7)
    elif isinstance(one, dict) or is_record(one):
        mine, theirs = (x if isinstance(x, dict) else parts_of(x) for x in (one, other))
        assert list(mine) == list(theirs)
        for key in mine:
            require_same(mine[key], theirs[key], scalar=scalar)
    elif isinstance(one, (tuple, list)):
        assert len(one) == len(other), (one, other)
        for mine, theirs in zip(one, other, strict=True):
            require_same(mine, theirs, scalar=scalar)
    else:
        assert repr(one) == repr(other)


# ---- gradients ----------------------------------------------------------------------------------


def require_gradient(case: Case) -> None:
    """The gradient of the sum of all that is given, with respect to all floats that are taken."""
    arguments = [_wide(x) for x in case.arguments()]
    places = tuple(i for i, x in enumerate(arguments) if any(True for _ in _floats(x)))
    assert places, "nothing to differentiate"
    found = ms.compile(ms.grad(case.function, places))(*arguments)
    found = found if len(places) > 1 else (found,)
    for place, gradient in zip(places, found, strict=True):
        given = list(_floats(gradient))
        for number, tensor in enumerate(_floats(arguments[place])):
            expected = _differences(case, arguments, tensor)
            np.testing.assert_allclose(given[number].asnumpy(), expected, rtol=1e-5, atol=1e-7)


def _differences(case: Case, arguments: list[Any], tensor: Tensor) -> np.ndarray:
    step, gradient = 1e-5, np.zeros(tensor.shape)
    start = tensor.asnumpy().copy()
    for index in np.ndindex(*tensor.shape):
        values = []
        for sign in (1, -1):
            moved = start.copy()
            moved[index] += sign * step
            values.append(_total(case.function(*_with(arguments, tensor, Tensor(moved)))))
        gradient[index] = (values[0] - values[1]) / (2 * step)
    return gradient


def _total(result: Any) -> float:
    return sum(float(x.asnumpy().sum()) for x in _floats(result))


def _with(tree: Any, old: Any, new: Any) -> Any:
    """A copy of `tree` with `new` for `old`: what is written into it is not seen outside."""
    if tree is old:
        return new
    if isinstance(tree, Tensor) and type(tree) is Tensor:
        return Tensor(tree.asnumpy().copy())
    return _changed(tree, lambda item: _with(item, old, new))


def _wide(tree: Any) -> Any:
    if isinstance(tree, Tensor):
        return Tensor(tree.asnumpy().astype(np.float64)) if tree.dtype.is_float else tree
    return _changed(tree, _wide)


def _changed(tree: Any, change: Any) -> Any:
    if isinstance(tree, dict):
        return {key: change(item) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*map(change, tree))
    if isinstance(tree, (tuple, list)):
        return type(tree)(map(change, tree))
    if is_record(tree):
        return type(tree)(**{key: change(item) for key, item in parts_of(tree).items()})
    return tree


def _floats(tree: Any) -> Any:
    if isinstance(tree, Tensor):
        if tree.dtype.is_float:
            yield tree
    elif isinstance(tree, dict) or is_record(tree):
        for item in (tree if isinstance(tree, dict) else parts_of(tree)).values():
            yield from _floats(item)
    elif isinstance(tree, (tuple, list)):
        for item in tree:
            yield from _floats(item)


# ---- the table ----------------------------------------------------------------------------------


def test_the_table_is_what_the_cases_say():
    page = Path(__file__).parents[2] / "docs" / "language.md"
    assert page.read_text(encoding="utf-8") == table.text(), "run `make language`"


def test_cases_have_names_of_their_own():
    for section in ALL:
        names = [case.name for case in section.cases]
        assert len(names) == len(set(names)), [
            name for name, group in itertools.groupby(sorted(names)) if len(list(group)) > 1
        ]
