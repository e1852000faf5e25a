"""Does every function survive being printed and read, in both styles, and run as plain Python?"""

from __future__ import annotations

import ast
import time

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core import location
from s2sad.core.location import Location
from s2sad.ir.builder import build_function
from s2sad.ir.compare import difference
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function
from s2sad.ir.printer import print_text, print_tree
from s2sad.ir.reader import read_text, read_tree
from s2sad.ir.types import f32
from s2sad.ir.verify import verify
from support.dumps import run_plainly, same_values
from support.random_functions import random_function


def check_flat(function: Function, inputs: list) -> None:
    text = print_text(function)
    again = read_text(text, p.ALL)
    options = {"placed_constants": True, "locations": True, "scopes": True}
    assert difference(function, again, **options) is None
    assert print_text(again) == text
    verify(again)
    tree = print_tree(function)
    assert ast.dump(tree) == ast.dump(ast.parse(text))
    assert difference(function, read_tree(tree, p.ALL), **options) is None
    assert same_values(run_plainly(text, inputs), evaluate(again, inputs_of(inputs)))


def check_source(function: Function, inputs: list) -> None:
    text = print_text(function, style="source")
    again = read_text(text, p.ALL)
    assert difference(function, again) is None
    assert print_text(again, style="source") == text
    verify(again)
    assert ast.dump(print_tree(function, "source")) == ast.dump(ast.parse(text))
    assert same_values(run_plainly(text, inputs), evaluate(again, inputs_of(inputs)))


def inputs_of(inputs: list) -> list:
    """`inputs` anew: a stack is changed by running."""
    return [type(x)(x.element, list(x)) if isinstance(x, list) else x for x in inputs]


def check(seeds: range) -> None:
    for seed in seeds:
        function, inputs = random_function(seed)
        try:
            check_flat(function, inputs)
            check_source(function, inputs)
        except Exception as error:
            raise AssertionError(f"random_function({seed})") from error


@pytest.mark.parametrize("first", range(0, 150, 25))
def test_random_functions(first):
    check(range(first, first + 25))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 11000, 500))
def test_many_random_functions(first):
    check(range(first, first + 500))


def test_all_forms_occur():
    functions = [random_function(seed)[0] for seed in range(50)]
    forms = {operation.prim.form for function in functions for operation in function.walk()}
    assert len(forms) == 8


def long_function(steps: int) -> Function:
    """4 operations a step."""

    def run(x, w):
        for line in range(steps):
            with location.origin(Location("rnn.py", line, 26, Location("net.py", 12, 15)), "net"):
                x = p.mul(p.add(p.tanh(p.matmul(x, w)), 1.0), x)
        return x

    return build_function(run, [f32[8, 16], f32[16, 16]], names=["x", "w"])


def test_speed():
    """20,000 operations of a flat dump: printed in less than 3 s, read in less than 6 s."""
    function = long_function(4000)
    start = time.process_time()
    text = print_text(function)
    middle = time.process_time()
    again = read_text(text, p.ALL)
    end = time.process_time()
    assert sum(1 for _ in again.walk()) == 20000
    assert middle - start < 3, f"printing takes {middle - start:.1f} s"
    assert end - middle < 6, f"reading takes {end - middle:.1f} s"


def test_time_grows_with_the_size_only():
    """Not with its square: many values wait, many constants are written late."""

    def run(x):
        values = [p.add(p.exp(x), float(i)) for i in range(2000)]
        total = values.pop()
        while values:
            total = p.maximum(values.pop(), total)
        return total

    function = build_function(run, [f32[4]], names=["x"])
    start = time.process_time()
    text = print_text(function, style="source")
    assert difference(function, read_text(text, p.ALL)) is None
    assert time.process_time() - start < 6
    x = np.arange(4, dtype=np.float32)
    assert same_values(run_plainly(text, [x]), evaluate(function, [x]))
