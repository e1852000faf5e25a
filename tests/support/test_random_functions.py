"""Are random functions valid, the same for a seed, quick to write, and made of everything?"""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.primitive import Form
from s2sad.ir.types import StackType, TensorType, Token, type_of
from s2sad.ir.verify import verify
from support.calls import NEVER
from support.guesses import effect_prims, elementwise_prims, nested_prims, other_prims
from support.random_functions import random_function
from support.random_values import edge_values, random_inputs

CONTROL = {"const", "if_", "while_", "for_", "stack_empty", "stack_push", "stack_pop", "stack_drop"}


def prims_of(function: Function) -> list[str]:
    return [operation.prim.name for operation in function.walk()]


def test_they_are_valid_and_run():
    for seed in range(300):
        function, inputs = random_function(seed)
        verify(function)
        results = evaluate(function, inputs)
        assert tuple(type_of(x) for x in results) == function.result_types, seed


def test_a_seed_says_all():
    for seed in range(20):
        (one, x), (other, y) = random_function(seed), random_function(seed)
        assert prims_of(one) == prims_of(other)
        assert [v.name for v in one.args] == [v.name for v in other.args]
        assert (one.inputs, one.donates, one.tree) == (other.inputs, other.donates, other.tree)
        assert repr(x) == repr(y)


def test_seeds_differ():
    assert len({tuple(prims_of(random_function(seed)[0])) for seed in range(50)}) == 50


def test_size_is_about_what_was_asked():
    counts = [len(prims_of(random_function(seed, size=200)[0])) for seed in range(5)]
    assert all(100 < count < 800 for count in counts), counts


def test_small_ones_are_quick():
    for seed in range(40):
        random_function(seed)  # fills what is asked once
    start = time.process_time()
    for seed in range(100, 200):
        random_function(seed)
    assert time.process_time() - start < 1, "fewer than 100 a second; 300 on an idle machine"


def test_each_primitive_can_be_written():
    ways = (elementwise_prims(), other_prims(), nested_prims(), effect_prims())
    known = {prim.name for prims in ways for prim in prims} | NEVER | CONTROL
    lost = sorted(set(p.ALL) - known)
    assert not lost, f"say in tests/support/guesses.py how these are called: {lost}"


@pytest.mark.slow
def test_each_primitive_is_written():
    found: Counter[str] = Counter()
    for seed in range(6000):
        found.update(prims_of(random_function(seed)[0]))
    assert set(p.ALL) - set(found) <= NEVER


def test_what_may_be_is_there():
    functions = [random_function(seed)[0] for seed in range(300)]
    operations = [operation for function in functions for operation in function.walk()]
    values = [v for operation in operations for v in operation.results]
    tensors = [v.type for v in values if isinstance(v.type, TensorType)]
    assert {t.dtype for t in tensors} == set(dtypes.ALL)
    assert any(t.shape == () for t in tensors) and any(t.size == 0 for t in tensors)
    assert any(isinstance(v.type, StackType) for v in values)
    assert any(v.type is Token for function in functions for v in function.args)
    assert {operation.prim.form for operation in operations} == set(Form)
    assert any(function.donates for function in functions)
    assert any(operation.loc and operation.loc.caller for operation in operations)
    assert any(operation.scope.count("/") for operation in operations)


def test_edges_are_edges():
    halves = edge_values(dtypes.float16)
    assert np.isnan(halves).sum() == 3 and np.isinf(halves).sum() == 2
    assert np.signbit(halves[halves == 0]).any()
    assert edge_values(dtypes.int8).min() == -128


def test_inputs_have_the_types_asked_for():
    function, _ = random_function(3)
    for seed in range(20):
        assert tuple(map(type_of, random_inputs(function, seed))) == function.input_types
