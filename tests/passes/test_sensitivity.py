"""Is a difference of rounding told from one of meaning, where a program makes much of little?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad.core.diagnostics import S2sadError
from s2sad.ir.evaluate import evaluate
from s2sad.passes.sensitivity import is_rounding
from s2sad.passes.validation import _close_elements, check_executable, is_close
from tests.passes.rewriting import read

#: The first step of Adam on a sum: of one that is all but zero it makes -1 or 1.
ADAM = """
def main(x: f32[64, 128], w: f32[128, 128]):
    sum = p.matmul(x, w)
    step = sum / (p.sqrt(sum * sum) + 1e-8)
    return sum, step
"""
#: Columns whose terms cancel out.
CANCELLING = 2


def terms() -> list[np.ndarray]:
    random = np.random.default_rng(3)
    x, w = random.normal(size=(64, 128)), random.normal(size=(128, 128))
    x[:, 64:] = x[:, :64]
    w[64:, :CANCELLING] = -w[:64, :CANCELLING]
    return [x.astype(np.float32), w.astype(np.float32)]


def otherwise(inputs: list[np.ndarray], scale: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    """The same sums in another order, times `scale` before the step is taken."""
    x, w = inputs
    total = np.zeros((64, 128), np.float32)
    for i in np.random.default_rng(0).permutation(128):
        total = total + x[:, i : i + 1] * w[i]
    wide = total * np.float32(scale)
    return total, wide / (np.sqrt(wide * wide) + np.float32(1e-8))


class Ran:
    """What a backend made, if it gave `results`."""

    def __init__(self, text: str, results: object) -> None:
        self.function = read(text)
        self.results = results

    def run(self, inputs: list[np.ndarray]) -> object:
        return self.results(inputs)  # type: ignore[operator]


def test_another_order_of_a_sum_is_rounding():
    inputs, function = terms(), read(ADAM)
    wanted, found = evaluate(function, inputs), otherwise(inputs)
    assert not is_close(found[1], wanted[1]) and is_close(found[0], wanted[0])
    assert is_rounding(function, inputs, found, wanted, _close_elements)
    check_executable(Ran(ADAM, otherwise), inputs)


def wrong_there(inputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Steps of the columns that do not cancel out are a thousandth too long."""
    total, step = otherwise(inputs)
    step[:, CANCELLING:] *= np.float32(1.001)
    return total, step


def wrong_once(inputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """One step goes further than any that rounding may turn."""
    total, step = otherwise(inputs)
    step[0, 0] = 1e3
    return total, step


def wrong_often(inputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The steps of a column that rounding does not turn go the other way."""
    total, step = otherwise(inputs)
    step[:, CANCELLING] *= -1
    return total, step


def wrong_sums(inputs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Sums lack a term."""
    x, w = inputs
    return otherwise([x, np.concatenate([w[:-1], 0 * w[-1:]])])


@pytest.mark.parametrize("wrong", [wrong_there, wrong_once, wrong_often, wrong_sums])
def test_other_numbers_are_none(wrong):
    with pytest.raises(S2sadError, match="E0903"):
        check_executable(Ran(ADAM, wrong), terms())


DECIDED = """
def main(x: f32[64, 128], w: f32[128, 128]):
    return p.greater(p.matmul(x, w), 0.0)
"""


def test_decisions_turn_where_sums_cancel_out_and_nowhere_else():
    inputs = terms()

    def turned(place: int):
        def results(given: list[np.ndarray]) -> tuple[np.ndarray]:
            (wanted,) = evaluate(read(DECIDED), given)
            total = otherwise(given)[0]
            found = np.where(np.arange(128) < CANCELLING, total > 0, wanted)
            found[:, place] ^= place >= CANCELLING
            return (found,)

        return results

    check_executable(Ran(DECIDED, turned(0)), inputs)
    with pytest.raises(S2sadError, match="E0903"):
        check_executable(Ran(DECIDED, turned(CANCELLING)), inputs)


def test_what_rounds_nothing_is_held_to_the_bound():
    text = "def main(x: f32[1000]):\n    return x * 2.0\n"
    with pytest.raises(S2sadError, match="E0903"):
        check_executable(Ran(text, lambda given: (given[0] * np.float32(2.0001),)),
                         [np.ones(1000, np.float32)])  # fmt: skip
