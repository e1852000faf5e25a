"""Do the two sides of a rule agree, whatever its holes are filled with?

An instance of a rule is a program that its left side matches: holes become arguments, or constants
from the edges of their dtype; attributes are guessed until the type rules agree. Both sides are
run on edge-case arrays.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

import numpy as np

from s2sad import prims as p
from s2sad.core import dtypes, location
from s2sad.core.diagnostics import S2sadError, fail
from s2sad.core.dtypes import DType
from s2sad.ir.builder import build_function, current
from s2sad.ir.clone import clone
from s2sad.ir.evaluate import evaluate
from s2sad.ir.graph import Value
from s2sad.ir.primitive import number_as
from s2sad.ir.rewriter import Rewriter
from s2sad.ir.types import TensorType
from s2sad.ir.verify import verify
from s2sad.passes.pattern import AttributeHole, Hole, Node
from s2sad.passes.rewrite import Rule, apply, compiled
from support.differential import same
from support.guesses import guess_attributes
from support.random_values import edge_values, random_array

#: Constants that laws are about, besides the edges of the dtype.
NUMBERS = (0, 1, 0.0, -0.0, 1.0, -1, True, False)
#: Seeds a dtype at first and at most; inputs for each program; how often a rule must fire.
TRIES, MOST_TRIES, RUNS, OFTEN = 20, 3000, 2, 20
MOST_ELEMENTS = 4096


def _any_slice(random: Random, x: TensorType) -> dict[str, Any]:
    """Bounds that count from either end or are left out, steps in both directions."""

    def bound(size: int) -> int | None:
        return random.choice((None, None, random.randint(-size - 1, size + 1)))

    axes = [(bound(n), bound(n), random.choice((1, 1, 2, -1, -2))) for n in x.shape]
    start, stop, step = zip(*axes, strict=True) if axes else ((), (), ())
    return {"start": start, "stop": stop, "step": step}


#: How attributes are guessed where `support.guesses` does not know all that is legal.
GUESSES: dict[str, Callable[[Random, TensorType], dict[str, Any]]] = {"slice": _any_slice}


class Instance:
    """One program that the left side of a rule describes.

    Raises `S2sadError` where what was guessed does not fit together.
    """

    def __init__(self, rule: Rule, dtype: DType, seed: int) -> None:
        self.random = Random(zlib.crc32(f"{rule.__name__} {dtype.short} {seed}".encode()))
        self.dtype = dtype
        base = tuple(self.random.choices((0, 1, 2, 3), (1, 3, 6, 3), k=self.random.randint(0, 3)))
        ones = tuple(1 if self.random.random() < 0.5 else n for n in base)
        self.shapes = [base, base, base[1:], ones, ()]
        pattern = compiled(rule).pattern
        types = {name: self.type() for name in self.values_of(pattern)}
        self.attributes: dict[str, Any] = {}
        self.constants = [name for name in types if self.random.random() < 0.4]
        arguments = [name for name in types if name not in self.constants]

        def body(*args: Value) -> Value:
            self.values = dict(zip(arguments, args, strict=True))
            for name in self.constants:
                self.values[name] = self.constant(types[name])
            return self.build(pattern)

        with location.at(None):
            self.function = build_function(body, [types[n] for n in arguments], names=arguments)

    def values_of(self, node: Node) -> Iterator[str]:
        found = {x.name: None for n in node.nodes() for x in n.operands if isinstance(x, Hole)}
        return iter(found)

    def type(self) -> TensorType:
        choice = self.random.choices((self.dtype, dtypes.bool_), (3, 1))[0]
        return TensorType(choice, self.random.choice(self.shapes))

    def constant(self, type: TensorType) -> Value:  # noqa: A002
        number = self.random.choice(NUMBERS)
        fits = not isinstance(number, float) or type.dtype.is_float
        if fits and self.random.random() < 0.8:
            return p.const(number_as(number, type.dtype), type)
        edges = edge_values(type.dtype) if type.dtype is not dtypes.bool_ else np.array([True])
        return p.const(np.asarray(self.random.choice(list(edges)), edges.dtype), type)

    def build(self, node: Node) -> Value:
        operands = [
            self.values[x.name] if isinstance(x, Hole) else self.build(x) for x in node.operands
        ]
        types = [value.type for value in operands]
        guess = GUESSES.get(node.prim.name)
        if guess is not None:
            guessed = guess(self.random, types[0])  # type: ignore[arg-type]
        else:
            guessed = guess_attributes(node.prim, types, self.random)
        for name, part in node.attrs.items():
            if not isinstance(part, AttributeHole):
                guessed[name] = part
            elif part.name in self.attributes:
                guessed[name] = self.attributes[part.name]
        full = node.prim.complete(types, guessed)
        for name, part in node.attrs.items():
            if isinstance(part, AttributeHole):
                self.attributes[part.name] = full[name]
        result = current().emit(node.prim, operands, full)
        single = result[0] if isinstance(result, tuple) and len(result) == 1 else result
        if isinstance(single, tuple) or single.tensor_type.size > MOST_ELEMENTS:
            raise fail("E0404", "not what a rule is about")
        return single

    def inputs(self, run: int) -> list[np.ndarray]:
        """Arguments: all at the edges of their dtype, or some."""
        random = np.random.default_rng([run, self.random.randrange(2**32)])
        return [
            _all_edges(type, random) if run == 0 else random_array(type, random)  # type: ignore[arg-type]
            for type in self.function.input_types
        ]


def _all_edges(type: TensorType, random: np.random.Generator) -> np.ndarray:  # noqa: A002
    if type.dtype is dtypes.bool_:
        return random_array(type, random)
    edges = edge_values(type.dtype)
    return np.asarray(edges[random.integers(len(edges), size=type.shape)])


def instances(rule: Rule, dtype: DType, seeds: Iterable[int]) -> Iterator[Instance]:
    """Instances of `rule` whose holes are of `dtype`, or bool."""
    for seed in seeds:
        try:
            yield Instance(rule, dtype, seed)
        except S2sadError as error:
            assert not error.code.startswith("E09"), error


def check(rule: Rule, instance: Instance) -> bool:
    """Whether `rule` fires on `instance`; if so, both sides give the same, bit for bit."""
    before = instance.function
    after = clone(before)
    result = after.results[0].owner
    if not apply(rule, result, Rewriter(after)):  # type: ignore[arg-type]
        return False
    verify(after)
    for run in range(RUNS):
        inputs = instance.inputs(run)
        (wanted,), (found,) = evaluate(before, inputs), evaluate(after, inputs)
        assert same(found, wanted), f"{rule.__name__} on\n{before}\ngave\n{after}\n{inputs}"
    return True


def fired(rule: Rule) -> dict[str, int]:
    """How often `rule` fired, by dtype; it was sound each time.

    A rule that asks for much of its holes is tried until it has fired often enough, within reason.
    """
    counts = {dtype.short: 0 for dtype in dtypes.ALL}
    for start in range(0, MOST_TRIES, TRIES):
        for dtype in dtypes.ALL:
            seeds = range(start, start + TRIES)
            counts[dtype.short] += sum(check(rule, each) for each in instances(rule, dtype, seeds))
        if sum(counts.values()) >= OFTEN:
            break
    return {name: count for name, count in counts.items() if count}
