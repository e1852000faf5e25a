"""Passes and rules that are wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from s2sad import prims as p
from s2sad.ir.types import f32
from s2sad.passes.base import Pass
from s2sad.passes.rewrite import Rewrite


class MulZeroWrong(Rewrite):
    """mul(x, c)  =>  c, which is wrong but for zeros."""

    def before(x, c):
        return p.mul(x, c)

    def after(x, c):
        return p.broadcast_to(c, shape=x.shape)


class LoseSign(Rewrite):
    """abs(x)  =>  x, wrong for what is below 0 and for -0.0."""

    def before(x):
        return p.abs(x)

    def after(x):
        return x


@dataclass(frozen=True)
class DropExp(Pass):
    """Takes out every exp, and every neg, one by one; only the former changes a result much."""

    only: int = -1
    name: ClassVar[str] = "drop-exp"

    def run(self, function, rewriter):
        found = [op for op in function.walk() if op.prim in (p.exp, p.stop_gradient)]
        for number, operation in enumerate(found):
            if self.only in (-1, number):
                rewriter.replace_operation(operation, operation.operands)


@dataclass(frozen=True)
class Reassociate(Pass):
    """Says that it rounds otherwise: adds `amount` to each result of an add."""

    amount: float = 1e-7
    name: ClassVar[str] = "reassociate"
    exact: ClassVar[bool] = False

    def run(self, function, rewriter):
        for operation in [op for op in function.walk() if op.prim is p.add]:
            with rewriter.step("shift", operation):
                with rewriter.insert_before(operation).active():
                    value = p.add(p.sub(operation.operands[0], -self.amount), operation.operands[1])
                rewriter.replace_operation(operation, value)


@dataclass(frozen=True)
class Crash(Pass):
    """Raises an exception of Python."""

    name: ClassVar[str] = "crash"

    def run(self, function, rewriter):
        raise KeyError("lost")


@dataclass(frozen=True)
class Corrupt(Pass):
    """Leaves a function that is not well formed."""

    name: ClassVar[str] = "corrupt"

    def run(self, function, rewriter):
        function.body.operations[-1].results[0].type = f32[99]


@dataclass(frozen=True)
class Torn(Pass):
    """Replaces a print by two, by changes that make sense together only; says so if `grouped`."""

    grouped: bool = False
    name: ClassVar[str] = "torn"

    def run(self, function, rewriter):
        for operation in [op for op in function.walk() if op.prim is p.print_]:
            if self.grouped:
                with rewriter.step("print twice", operation):
                    self.twice(operation, rewriter)
            else:
                self.twice(operation, rewriter)

    def twice(self, operation, rewriter):
        place = rewriter.insert_before(operation)
        value = place.emit(p.print_, operation.operands, dict(operation.attrs))
        rewriter.replace_operation(operation, value)
