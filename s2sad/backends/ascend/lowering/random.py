"""Random numbers: what s2sad's streams give, from words that GE draws.

A stream is Philox4x32-10 under a key, from a counter on (`prims.kernels.philox`), and so is what
StatelessRandomUniformFullIntV2 draws for ``alg`` 1, in its own words: number e of 32 bits is word e
of the blocks, one of 64 bits is two of them, the low half first. Numbers are made of these by
arithmetic, and not by GE's own operators, whose uniforms use other bits of a word. That the words
are these is what TensorFlow, after which the operator is made, says of it; on a device it was not
seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from s2sad.backends.ascend.graph import Desc, Edge
from s2sad.backends.ascend.lowering.region import Lowering, desc_of
from s2sad.backends.ascend.lowering.rules import lowers
from s2sad.core import dtypes
from s2sad.core.dtypes import DType
from s2sad.ir.graph import Operation
from s2sad.prims.kernels import philox

#: GE's number of Philox, and of the words of a block.
PHILOX, WORDS = 1, 4
MASK32 = philox.MASK32
#: The bit that parts negative numbers from others.
SIGN = -(2**63)


class Numbers:
    """Arithmetic of one operation on tensors of one type, which broadcasts against scalars."""

    def __init__(self, lowering: Lowering, operation: Operation) -> None:
        self.lowering, self.operation = lowering, operation

    def node(self, type: str, inputs: dict, desc: Desc, attributes: dict | None = None) -> Edge:
        return self.lowering.node(self.operation, type, inputs, attributes, outputs=[desc])

    def constant(self, number: float | Sequence[int], dtype: DType = dtypes.int64) -> Edge:
        return self.lowering.constant(number, dtype)

    def of(self, type: str, x: Edge, y: Edge | None = None) -> Edge:
        """An operator of one operand or two, in the type and shape of the first."""
        ports = ("x",) if y is None else ("x", "y") if "Shift" in type else ("x1", "x2")
        given = dict(zip(ports, (x, y), strict=False))
        desc = self.lowering.desc(x)
        return self.node(type, given, Desc(desc.type, desc.shape))

    def bits(self, x: Edge, type: str) -> Edge:
        """The bits of `x` as another type."""
        return self.node(
            "Bitcast", {"x": x}, Desc(type, self.lowering.desc(x).shape), {"type": type}
        )

    def part(self, x: Edge, start: int, size: int) -> Edge:
        """Some places of a line."""
        given = {"x": x, "offsets": self.constant([start]), "size": self.constant([size])}
        return self.node("Slice", given, Desc(self.lowering.desc(x).type, (size,)))

    def joined(self, parts: Sequence[Edge]) -> Edge:
        """One line after the other."""
        sizes = [self.lowering.desc(part).shape[0] for part in parts]
        given = {"x": list(parts), "concat_dim": self.constant(0)}
        desc = Desc(self.lowering.desc(parts[0]).type, (sum(sizes),))
        return self.node("ConcatV2", given, desc, {"N": len(sizes)})

    def shifted(self, x: Edge, count: int, mask: int) -> Edge:
        """`x` moved right, and the bits of `mask` of that: zeros come from the left."""
        dtype = dtypes.int32 if self.lowering.desc(x).type == "DT_INT32" else dtypes.int64
        moved = self.of("RightShift", x, self.constant(count, dtype))
        return self.of("BitwiseAnd", moved, self.constant(mask, dtype))

    def scaled(self, x: Edge, dtype: DType, factor: float) -> Edge:
        """Integers as floats, times a power of two."""
        wide = self.lowering.cast(self.operation, x, dtype)
        return self.of("Mul", wide, self.constant(factor, dtype))


class Stream:
    """What a state draws, and the state after it."""

    def __init__(self, numbers: Numbers, state: Edge) -> None:
        self.numbers, self.state = numbers, state

    def words(self, count: int, dtype: DType) -> Edge:
        """The next numbers of 32 or 64 random bits."""
        key, counter = self.numbers.part(self.state, 0, 1), self.numbers.part(self.state, 1, 2)
        return drawn(self.numbers, key, counter, count, dtype)

    def after(self, words: int) -> Edge:
        """The state when so many words of 32 bits were begun: the counter has 128 bits."""
        numbers = self.numbers
        key, low, high = (numbers.part(self.state, i, 1) for i in range(3))
        blocks = numbers.constant([-(-words // WORDS)])
        low = numbers.of("Add", low, blocks)
        pair = {"x1": numbers.bits(low, "DT_UINT64"), "x2": numbers.bits(blocks, "DT_UINT64")}
        carry = numbers.node("Less", pair, Desc("DT_BOOL", (1,)))
        carry = numbers.lowering.cast(numbers.operation, carry, dtypes.int64)
        return numbers.joined([key, low, numbers.of("Add", high, carry)])


def drawn(numbers: Numbers, key: Edge, counter: Edge, count: int, dtype: DType) -> Edge:
    """`count` numbers of the blocks from `counter` on under `key`."""
    given = {
        "shape": numbers.constant([count]), "key": numbers.bits(key, "DT_UINT64"),
        "counter": numbers.bits(counter, "DT_UINT64"),
        "alg": numbers.constant(PHILOX, dtypes.int32),
    }  # fmt: skip
    type = "DT_INT32" if dtype is dtypes.int32 else "DT_INT64"
    name = "StatelessRandomUniformFullIntV2"
    return numbers.node(name, given, Desc(type, (count,)), {"dtype": dtype})


def _begin(lowering: Lowering, operation: Operation) -> tuple[Numbers, Stream, int]:
    numbers = Numbers(lowering, operation)
    stream = Stream(numbers, lowering.edge(operation.operands[0]))
    return numbers, stream, math.prod(desc_of(operation.results[0].type).shape)


def _shaped(lowering: Lowering, operation: Operation, values: Edge) -> Edge:
    """A line of numbers in the dtype and shape of the result."""
    values = lowering.cast(operation, values, operation.results[0].dtype)
    return lowering.reshape(operation, values, desc_of(operation.results[0].type).shape)


@lowers("random_bits")
def _bits(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    _, stream, size = _begin(lowering, operation)
    return _shaped(lowering, operation, stream.words(size, dtypes.int32)), stream.after(size)


@lowers("random_uniform")
def _uniform(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """The high 24 bits of a word, or 53 of two, as a fraction."""
    numbers, stream, size = _begin(lowering, operation)
    if operation.results[0].dtype is dtypes.float64:
        words = numbers.shifted(stream.words(size, dtypes.int64), 11, 2**53 - 1)
        values, after = numbers.scaled(words, dtypes.float64, 2.0**-53), stream.after(2 * size)
    else:
        words = numbers.shifted(stream.words(size, dtypes.int32), 8, 2**24 - 1)
        values, after = numbers.scaled(words, dtypes.float32, 2.0**-24), stream.after(size)
    return _shaped(lowering, operation, values), after


@lowers("random_normal")
def _normal(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """Pairs of Box and Muller, in float64."""
    numbers, stream, size = _begin(lowering, operation)
    count = 2 * ((size + 1) // 2)
    if operation.results[0].dtype is dtypes.float64:
        words = numbers.shifted(stream.words(count, dtypes.int64), 11, 2**53 - 1)
        uniforms, after = numbers.scaled(words, dtypes.float64, 2.0**-53), stream.after(2 * count)
    else:
        words = lowering.cast(operation, stream.words(count, dtypes.int32), dtypes.int64)
        words = numbers.of("BitwiseAnd", words, numbers.constant(MASK32))
        uniforms, after = numbers.scaled(words, dtypes.float64, 2.0**-32), stream.after(count)
    values = numbers.part(_pairs(numbers, uniforms, count // 2), 0, size)
    return _shaped(lowering, operation, values), after


def _pairs(numbers: Numbers, uniforms: Edge, count: int) -> Edge:
    lowering, column = numbers.lowering, Desc("DT_DOUBLE", (count, 1))
    table = lowering.reshape(numbers.operation, uniforms, (count, 2))
    given = {"x": table, "split_dim": numbers.constant(1, dtypes.int32)}
    first = lowering.node(
        numbers.operation, "Split", given, {"num_split": 2}, outputs=[column, column]
    )
    u, v = lowering.builder.outputs(first)
    size = numbers.of("Log1p", numbers.of("Neg", u))
    size = numbers.of("Sqrt", numbers.of("Mul", size, numbers.constant(-2.0, dtypes.float64)))
    angle = numbers.of("Mul", v, numbers.constant(2 * math.pi, dtypes.float64))
    sides = [numbers.of("Mul", size, numbers.of(name, angle)) for name in ("Cos", "Sin")]
    both = {"x": sides, "concat_dim": numbers.constant(1)}
    values = numbers.node("ConcatV2", both, Desc("DT_DOUBLE", (count, 2)), {"N": 2})
    return lowering.reshape(numbers.operation, values, (2 * count,))


@lowers("random_int")
def _int(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """The upper 64 bits of a word of 64 times the number of choices, from the lowest on."""
    numbers, stream, size = _begin(lowering, operation)
    low, high = (lowering.edge(value) for value in operation.operands[1:])
    _require_order(numbers, low, high)
    choices = numbers.of("Sub", high, low)
    values = _multiply_high(numbers, stream.words(size, dtypes.int64), choices)
    return _shaped(lowering, operation, numbers.of("Add", values, low)), stream.after(2 * size)


def _require_order(numbers: Numbers, low: Edge, high: Edge) -> None:
    is_less = numbers.node("Less", {"x1": low, "x2": high}, Desc("DT_BOOL", ()))
    given = {"input_condition": is_less, "input_data": [low, high]}
    lowering = numbers.lowering
    lowering.order(lowering.node(numbers.operation, "Assert", given, outputs=[]))


def _multiply_high(numbers: Numbers, words: Edge, factor: Edge) -> Edge:
    """As `philox` does it: products of halves fit into 64 bits, and sums wrap around."""

    def halves(x: Edge) -> tuple[Edge, Edge]:
        return numbers.of("BitwiseAnd", x, numbers.constant(MASK32)), upper(x)

    def upper(x: Edge) -> Edge:
        return numbers.shifted(x, 32, MASK32)

    (low, high), (factor_low, factor_high) = halves(words), halves(factor)
    first = upper(numbers.of("Mul", low, factor_low))
    middle = numbers.of("Add", numbers.of("Mul", high, factor_low), first)
    rest, over = halves(middle)
    carry = upper(numbers.of("Add", numbers.of("Mul", low, factor_high), rest))
    found = numbers.of("Add", numbers.of("Mul", high, factor_high), over)
    return numbers.of("Add", found, carry)


@lowers("random_permutation")
def _permutation(lowering: Lowering, operation: Operation) -> Sequence[Edge]:
    """The order of random keys, which are unsigned: their sign bits are turned."""
    numbers, stream, size = _begin(lowering, operation)
    keys = numbers.of("BitwiseXor", stream.words(size, dtypes.int64), numbers.constant(SIGN))
    outputs = [Desc("DT_INT64", (size,)), Desc("DT_INT32", (size,))]
    options = {"axis": 0, "descending": False, "stable": True}
    first = lowering.node(operation, "Sort", {"x": keys}, options, outputs=outputs)
    _, places = lowering.builder.outputs(first)
    return _shaped(lowering, operation, places), stream.after(2 * size)


@lowers("random_fold")
def _fold(lowering: Lowering, operation: Operation) -> Edge:
    """Two blocks, the second under what the first gave."""
    numbers = Numbers(lowering, operation)
    state, data = map(lowering.edge, operation.operands)
    tag = numbers.constant([philox.FOLD_TAG])
    key = numbers.of("BitwiseXor", numbers.part(state, 0, 1), tag)
    first = drawn(numbers, key, numbers.part(state, 1, 2), 2, dtypes.int64)
    data = lowering.reshape(operation, lowering.cast(operation, data, dtypes.int64), (1,))
    counter = numbers.joined([data, numbers.part(first, 1, 1)])
    second = drawn(numbers, numbers.part(first, 0, 1), counter, 2, dtypes.int64)
    ends = [numbers.part(second, i, 1) for i in range(2)]
    return numbers.joined([ends[0], numbers.constant([0]), ends[1]])


@lowers("seed_state")
def _seed_state(lowering: Lowering, operation: Operation) -> Edge:
    return lowering.stored(philox.seed_state(operation.attrs["seed"]), dtypes.int64)
