"""Does `s2sad bisect` name the rewrite that is wrong, in a user's file?"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import ClassVar

import pytest

from s2sad import extend
from s2sad import prims as p
from s2sad.passes import plugins
from s2sad.passes.base import Pass
from s2sad.tools import run_ir

NET = """
import s2sad as ms
from s2sad import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 3, activation="relu")
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x, labels):
        return ops.cross_entropy(self.drop(self.fc(x)), labels)


def signs(x):
    a = ops.neg(x)
    b = ops.exp(x)
    return a * b + ops.neg(b)


def inner(x):
    return ms.grad(lambda y: ops.sum(ops.exp(y)))(x)


differentiated = ms.grad(ms.grad(lambda x: ops.sin(x) * x))
"""


@dataclass(frozen=True)
class ForgetSigns(Pass):
    """Makes each neg anew, but for that of an exp, which it takes out."""

    name: ClassVar[str] = "forget-signs"

    def run(self, function, rewriter):
        for operation in [op for op in function.walk() if op.prim is p.neg]:
            (x,) = operation.operands
            if getattr(x.owner, "prim", None) is p.exp:
                rewriter.replace_operation(operation, [x])
            else:
                again = rewriter.insert_before(operation).emit(p.neg, [x], {})
                rewriter.replace_operation(operation, again)


@dataclass(frozen=True)
class Divide(Pass):
    """Makes e * e / e of e = exp(x), which rounds otherwise."""

    name: ClassVar[str] = "divide"

    def run(self, function, rewriter):
        for operation in [op for op in function.walk() if op.prim is p.exp]:
            place = rewriter.insert_before(operation)
            e = place.emit(p.exp, list(operation.operands), {})
            square = place.emit(p.mul, [e, e], {})
            rewriter.replace_operation(operation, place.emit(p.div, [square, e], {}))


@pytest.fixture(autouse=True)
def unplugged(monkeypatch, tmp_path):
    for name, value in (("_passes", []), ("_rules", []), ("_loaded", set()), ("_found", [])):
        monkeypatch.setattr(plugins, name, value)
    (tmp_path / "net.py").write_text(NET, encoding="utf-8")
    yield
    sys.modules.pop("net", None)


@pytest.mark.parametrize(
    "arguments",
    [
        ("net.py:Net", "-i", "f32[2, 4]", "-i", "i32[2]"),
        ("net.py:Net", "-i", "f32[2, 4]", "-i", "i32[2]", "--grad", "--train"),
        ("net.py:inner", "-i", "f32[3]"),
        ("net.py:differentiated", "-i", "f32[]", "--seed", "3"),
        ("net.py:signs", "-i", "f64[3]", "--exact", "--backend", "evaluate"),
    ],
    ids=" ".join,
)
def test_where_all_is_right_it_says_so(s2sad, arguments):
    code, out, err = s2sad("bisect", *arguments)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith(": results after each pass against those before the first")
    assert lines[1].startswith("  from 00-primal: the same after expand-transforms, ")
    assert lines[-1].startswith("  and the same as ")


def test_the_first_wrong_rewrite_is_named_at_its_line(s2sad, tmp_path):
    extend.register_pass(before="expand-transforms")(ForgetSigns)
    code, out, err = s2sad("bisect", "net.py:signs", "-i", "f32[3]")
    assert (code, err) == (1, "")
    lines = out.replace(f"{tmp_path}/", "").splitlines()
    assert lines[1].startswith("  from 00-primal: result 0 was ")
    assert lines[2] == "  by rewrite 2 of 2, replace neg at net.py:19:19 of forget-signs"
    assert "    --> net.py:19:19" in lines
    assert any(line.endswith("return a * b + ops.neg(b)") for line in lines)


def test_a_wrong_pass_on_the_gradient_is_found(s2sad):
    extend.register_pass(before="strip-markers")(ForgetSigns)
    code, out, _ = s2sad("bisect", "net.py:signs", "-i", "f32[3]", "--grad")
    assert code == 1 and "of forget-signs" in out


def test_what_is_rounded_otherwise_is_wrong_only_if_asked(s2sad):
    extend.register_pass(before="cse")(Divide)
    command = ("bisect", "net.py:signs", "-i", "f32[300]")
    assert s2sad(*command).code == 0
    code, out, _ = s2sad(*command, "--exact")
    assert code == 1 and "of divide" in out


def test_a_wrong_backend_is_told_from_a_wrong_pass(s2sad, monkeypatch):
    def broken(function, inputs):
        return tuple(-x for x in run_ir.BACKENDS["numpy"](function, inputs))

    monkeypatch.setitem(run_ir.BACKENDS, "broken", broken)
    code, out, _ = s2sad("bisect", "net.py:signs", "-i", "f32[3]", "--backend", "broken")
    assert code == 1
    assert out.splitlines()[-1].startswith("  the passes are right, but run by broken: result 0 ")
