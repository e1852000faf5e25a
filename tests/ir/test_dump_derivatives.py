"""Does a dump that still takes a derivative run by plain Python, as the compiler makes it?"""

from __future__ import annotations

import copy
import runpy
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.backends import numpy as numpy_backend
from s2sad.core.diagnostics import S2sadError
from s2sad.ir import store
from s2sad.ir.builder import as_tuple, build_function
from s2sad.ir.clone import clone, copy_region
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Function, Value
from s2sad.ir.reader import read_text
from s2sad.ir.types import type_of
from s2sad.passes.base import run_passes
from s2sad.passes.expand import ExpandTransforms
from s2sad.prims.marker import differentiable, is_derivative
from support.dumps import run_plainly, same_values
from support.random_functions import random_function

X = np.array([0.5, -1.0, 2.0])
STYLES = ("flat", "source")


def expanded(function: Function) -> Function:
    copied = clone(function)
    run_passes(copied, [ExpandTransforms()])
    assert not any(map(is_derivative, copied.walk()))
    return copied


def run_from(path, inputs):
    """Results of the dump at `path` under plain Python, for copies of `inputs`."""
    (function,) = (value for value in runpy.run_path(str(path)).values() if hasattr(value, "ir"))
    return as_tuple(function(*copy.deepcopy(list(inputs))))


def check(function: Function, inputs, path, style: str) -> tuple[Any, ...]:
    """Results of `function`: the same by each way to run it, bit for bit."""
    wanted = evaluate(expanded(function), copy.deepcopy(inputs))
    store.save(function, path, style=style)
    assert same_values(evaluate(function, copy.deepcopy(inputs)), wanted)
    assert same_values(numpy_backend.build(function).run(copy.deepcopy(inputs)), wanted)
    assert same_values(run_from(path, inputs), wanted), path.read_text(encoding="utf-8")
    return wanted


def derivative(body: str, kind: str) -> Function:
    """A program that takes a derivative of the region `body` of x, at its input x.

    Cotangents and tangents are x too.
    """
    lines = "\n        ".join(body.strip().splitlines())
    results = "dx" if kind == "grad" else "y, dx"
    more = ", x" if kind in ("vjp", "jvp") else ""
    text = f"""
def main(x: f64[3]):
    @region
    def body_0(x: f64[3]):
        {lines}
    {results} = p.transform(x{more}, body=body_0, kind="{kind}", wrt=(0,))
    return {results}
"""
    return read_text(text, p.ALL)


BRANCH = """
large = p.reduce_sum(x) > 1.0
if large:
    y = x * x
else:
    y = p.sin(x)
return y
"""
COUNTED = """
y = x
for i in range(0, 3, 1):
    y = y * x
return y
"""
WHILE = """
y = x
while p.less(p.reduce_sum(y * y), 100.0):
    y = y * 2.0
return y * y
"""
NESTED = """
@region
def body_1(x: f64[3]):
    return x * x * x
return p.transform(x, body=body_1, kind="grad", wrt=(0,))
"""
MARKED = """
@region
def thrice(dx):
    return dx * 3.0
h = p.hook(x, body=thrice)
@region
def kept(x):
    return x * x
y = p.checkpoint(h, body=kept)
@region
def primal(y):
    return p.sin(y)
@region
def adjoint(y, z, dz):
    return dz * 10.0
z = p.custom(y, primal=primal, adjoint=adjoint)
return z * p.stop_gradient(x)
"""
#: What a body says, and its derivative times ones.
BODIES = {
    "branch": (BRANCH, 2 * X),
    "counted": (COUNTED, 4 * X**3),
    "while": (WHILE, 2 * 8 * 8 * X),
    "nested": (NESTED, 6 * X),
    "marked": (MARKED, 3 * 2 * X * 10 * X),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", BODIES)
def test_a_region_is_differentiated(name, style, tmp_path):
    body, slope = BODIES[name]
    (found,) = check(derivative(body, "grad"), [X], tmp_path / "dump.py", style)
    np.testing.assert_allclose(found, slope, rtol=1e-13)


@pytest.mark.parametrize(
    ("kind", "slope"), [("value_and_grad", 2 * X), ("vjp", X * 2 * X), ("jvp", X * 2 * X)]
)
@pytest.mark.parametrize("style", STYLES)
def test_with_the_value(kind, slope, style, tmp_path):
    found = check(derivative(BRANCH, kind), [X], tmp_path / "dump.py", style)
    np.testing.assert_array_equal(found, [X * X, slope])


@pytest.mark.parametrize("style", STYLES)
def test_inside_of_other_regions(style, tmp_path):
    """In a loop, in a branch, in the region of another marker: wherever a call may stand."""
    function = read_text(
        """
def main(x: f64[3], n: i64):
    h = x
    for i in range(0, n, 1):
        @region
        def outer(x):
            @region
            def inner(x):
                return x * x * x
            return p.transform(x, body=inner, kind="grad", wrt=(0,))
        t = p.checkpoint(h, body=outer)
        h = t * 0.5
    return h
""",
        p.ALL,
    )
    (found,) = check(function, [X, np.array(2)], tmp_path / "dump.py", style)
    np.testing.assert_allclose(found, 1.5 * (1.5 * X**2) ** 2)


def test_constants_beside_the_dump(tmp_path):
    table = np.linspace(-1.0, 1.0, 40)
    for scale in (1.0, 2.0):  # the second dump has the same text, and other constants
        weight = table * scale
        function = build_function(
            lambda x, weight=weight: p.transform(
                x,
                body=lambda x: p.mul(p.sin(x), weight),
                kind="grad", wrt=(0,),
            ),
            [type_of(table)],
        )  # fmt: skip
        (found,) = check(function, [table], tmp_path / "dump.py", "flat")
        assert (tmp_path / "dump.npz").exists()
        np.testing.assert_allclose(found, np.cos(table) * table * scale)


def test_tokens_pass_through(tmp_path, capsys):
    function = read_text(
        """
@function(inputs=("token:host", "x"))
def main(token: Token, x: f64[3]):
    @region
    def loud(token, x):
        said = p.print_(token, x, format="x is {}\\n")
        return said, x * x
    after, y, dx = p.transform(token, x, body=loud, kind="value_and_grad", wrt=(1,), results=(1,))
    return after, y, dx
""",
        p.ALL,
    )
    inputs = [function.input_types[0], X]
    store.save(function, tmp_path / "dump.py")
    for run in (evaluate, lambda _, inputs: run_from(tmp_path / "dump.py", inputs)):
        results = run(function, inputs)
        np.testing.assert_array_equal(results[1:], [X * X, 2 * X])
        assert capsys.readouterr().out == "x is [ 0.5 -1.   2. ]\n"


# ---- functions that nobody thought of ------------------------------------------------------------


def places_of_floats(values: Sequence[Value]) -> tuple[int, ...]:
    return tuple(i for i, value in enumerate(values) if differentiable([value.type]))


@cache
def random_derivative(seed: int) -> tuple[Function, list[Any]] | str:
    """A derivative of a random function with inputs, or why there is none."""
    body, inputs = random_function(seed)
    wrt = places_of_floats(body.args)
    results = places_of_floats(body.results)
    if not wrt or not results:
        return "nothing to differentiate"
    kind = ("grad", "value_and_grad", "vjp", "jvp")[seed % 4]
    if kind == "grad" and any(value.type.is_linear for value in body.results):
        kind = "value_and_grad"  # which hands them on
    more: list[Any] = []
    if kind == "jvp":
        more = [inputs[i] for i in wrt]
    elif kind == "vjp":
        found = evaluate(body, copy.deepcopy(inputs))
        more = [found[i] for i in results]
    function = build_function(
        lambda *values: p.transform(
            *values, body=copy_region(body.body, {}), kind=kind, wrt=wrt, results=results
        ),
        [*body.input_types, *map(type_of, more)],
        inputs=[*body.inputs, *(f"more{i}" for i in range(len(more)))],
    )
    try:
        expanded(function)
    except S2sadError as error:
        assert error.code == "E0104", error  # what is not differentiated yet is said so
        return "not differentiated"
    return function, [*inputs, *more]


@pytest.mark.parametrize("seed", range(60))
def test_random_derivatives(seed, tmp_path):
    made = random_derivative(seed)
    if not isinstance(made, str):
        check(*made, tmp_path / "dump.py", STYLES[seed // 4 % 2])


def test_most_random_functions_that_could_have_a_derivative_do():
    made = [random_derivative(seed) for seed in range(60)]
    count = Counter(each if isinstance(each, str) else "derived" for each in made)
    assert count["derived"] > count["not differentiated"] and count["derived"] >= 15


# ---- where there is no text ----------------------------------------------------------------------


def test_without_its_text_a_region_is_refused(tmp_path):
    text = str(derivative(COUNTED, "grad"))
    with pytest.raises(S2sadError, match="E0604.*text of the region body_0"):
        run_plainly(text, [X])
    path = tmp_path / "dump.py"
    path.write_text(text, encoding="utf-8")
    main = runpy.run_path(str(path))["main"]
    for other in ("# moved\n" + text, text.replace("p.mul(", "p.add(")):
        path.write_text(other, encoding="utf-8")
        with pytest.raises(S2sadError, match="E0604.*text of the region body_0"):
            main(X)
    path.write_text(text, encoding="utf-8")
    np.testing.assert_allclose(main(X), 4 * X**3)


def test_what_no_dump_may_say_is_refused_at_its_line(tmp_path):
    path = tmp_path / "dump.py"
    text = str(derivative("return p.sin(x)", "grad"))
    text = text.replace("p.sin(x_1)", "p.sin(x_1) if True else x_1")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(S2sadError, match="E0601.*this is no value") as caught:
        run_from(path, [X])
    place = caught.value.diagnostic.location
    assert place is not None and place.file == str(path)
    assert "if True else" in text.splitlines()[place.line - 1]
