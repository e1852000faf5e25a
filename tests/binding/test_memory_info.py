"""Does what `set_mem_info` says of memory happen, with the same numbers, or is it refused?"""

from __future__ import annotations

import gc

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.binding.limit import planned
from s2sad.core import memory_info
from s2sad.core.diagnostics import S2sadError


@pytest.fixture(params=["numpy", "c"], autouse=True)
def backend(request, monkeypatch, programs_apart):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)
    return request.param


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def code_of(call) -> str:
    with pytest.raises(S2sadError) as caught:
        call()
    return caught.value.code


def test_a_tensor_with_memory_info_changes_no_program_of_others():
    double, x = ms.compile(lambda x: x * 2.0), ms.Tensor(numbers(3))
    other = ms.Tensor(numbers(4)).set_mem_info("keep")
    double(x)
    del other
    gc.collect()
    assert not memory_info.HELD
    double(x)
    assert len(double.variants) == 1


# ---- donate -------------------------------------------------------------------------------------


def added(x):
    return ops.index_add(x, ms.Tensor([0, 1], ms.int32), ops.ones((2, 3)), 0)


def test_a_result_lies_in_the_memory_of_a_donated_argument():
    add = ms.compile(added)
    kept, given = ms.Tensor(numbers(4, 3)), ms.Tensor(numbers(4, 3)).set_mem_info("donate")
    place = given.data_ptr()
    expected = add(kept)
    found = add(given)
    assert found.data_ptr() == place and found.asnumpy().tobytes() == expected.asnumpy().tobytes()
    assert kept.tolist() == numbers(4, 3).tolist()
    assert code_of(given.asnumpy) == "E0719"
    assert code_of(lambda: add(given)) == "E0719" and code_of(lambda: given + 1) == "E0719"


def test_one_program_for_all_that_are_donated_and_one_for_the_others():
    add = ms.compile(added)
    for _ in range(3):
        add(ms.Tensor(numbers(4, 3)).set_mem_info(policy="donate"))
        add(ms.Tensor(numbers(4, 3)))
    assert len(add.variants) == 2


def test_views_keep_the_numbers_of_a_donated_argument():
    x = ms.Tensor(numbers(4, 3)).set_mem_info("donate")
    view = x.asnumpy()
    found = ms.compile(added)(x)
    assert view.tolist() == numbers(4, 3).tolist() and not np.shares_memory(view, found.asnumpy())


def test_given_twice():
    x = ms.Tensor(numbers(4, 3)).set_mem_info("donate")
    found = ms.compile(lambda x, y: (added(x), y * 1.0))(x, x)
    assert found[1].tolist() == numbers(4, 3).tolist()
    assert found[0].tolist() != found[1].tolist() and code_of(x.asnumpy) == "E0719"


def test_given_out_as_it_is():
    x = ms.Tensor(numbers(4, 3)).set_mem_info("donate")
    same, other = ms.compile(lambda x: (x, added(x)))(x)
    assert same.tolist() == numbers(4, 3).tolist()
    assert not np.shares_memory(same.asnumpy(), other.asnumpy())


def test_a_program_that_fails_uses_nothing_up():
    def fails(x):
        y = added(x)
        assert ops.sum(y) > 1e9
        return y

    x = ms.Tensor(numbers(4, 3)).set_mem_info("donate")
    with pytest.raises(AssertionError):
        ms.compile(fails)(x)
    assert x.tolist() == numbers(4, 3).tolist()


def test_no_result_of_its_type():
    x = ms.Tensor(numbers(4, 3)).set_mem_info("donate")
    assert ms.compile(lambda x: ops.sum(x))(x).shape == ()
    assert code_of(x.asnumpy) == "E0719"


def test_a_gradient_may_take_the_memory():
    x = ms.Tensor(numbers(4, 3))
    slope = ms.compile(ms.grad(lambda x: ops.sum(ops.exp(x) * x)))
    expected = slope(x).asnumpy().tobytes()
    assert slope(x.set_mem_info("donate")).asnumpy().tobytes() == expected


def test_a_sink_uses_no_batch_up():
    batches = [(ms.Tensor(numbers(4, 3)).set_mem_info("donate"),) for _ in range(3)]
    found = ms.compile(added).sink(batches)
    assert found.shape == (3, 4, 3) and batches[0][0].tolist() == numbers(4, 3).tolist()


# ---- keep ---------------------------------------------------------------------------------------


def test_updates_go_to_fresh_memory_where_that_of_a_parameter_is_kept():
    places = {}
    for policy in (None, "keep", "donate"):
        weight = ms.Parameter(ms.Tensor(numbers(64, 3)), name="weight").set_mem_info(policy)

        @ms.compile
        def step(x, weight=weight):
            ops.assign(weight, added(weight))
            return ops.sum(x)

        step(ms.Tensor(1.0))
        before = weight.data_ptr()
        step(ms.Tensor(1.0))
        places[policy] = weight.data_ptr() == before, weight.asnumpy().tobytes()
    assert [is_same for is_same, _ in places.values()] == [True, False, True]
    assert len({found for _, found in places.values()}) == 1


# ---- recompute ----------------------------------------------------------------------------------


class Deep(nn.Cell):
    def __init__(self, policy):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(32, 32) for _ in range(6)])
        self.policy = policy

    def construct(self, x):
        for layer in self.layers:
            y = ops.erf(ops.tanh(layer(x)) * 2.0)
            if self.policy is not None:
                y.set_mem_info(policy=self.policy)
            x = y
        return ops.sum(x * x)


def gradient(policy):
    ms.set_seed(1)
    net = Deep(policy)
    return ms.compile(ms.value_and_grad(net, None, net.trainable_params()))


def count(compiled, name: str) -> int:
    return sum(op.prim.name == name for op in compiled.stages.readable.walk())


def test_the_line_of_a_value_runs_again_and_less_is_kept():
    x = ms.Tensor(numbers(512, 32))
    plain, again = gradient(None), gradient("recompute")
    one, other = plain(x), again(x)
    assert one[0].asnumpy().tobytes() == other[0].asnumpy().tobytes()
    for dw, same in zip(one[1], other[1], strict=True):
        assert dw.asnumpy().tobytes() == same.asnumpy().tobytes()
    assert (count(plain, "tanh"), count(again, "tanh")) == (6, 12)
    sizes = [planned(each.last.program.function).nbytes for each in (plain, again)]
    assert sizes[1] < 0.7 * sizes[0], sizes


def test_without_a_gradient_nothing_runs_twice():
    ms.set_seed(1)
    net = ms.compile(Deep("recompute"))
    x = ms.Tensor(numbers(8, 32))
    found = net(x)
    assert count(net, "tanh") == 6
    ms.set_context(mode=ms.PYNATIVE_MODE)
    assert np.allclose(net.function(x).item(), found.item(), rtol=1e-5)


def test_second_derivatives_are_the_same():
    def made(policy):
        def f(x):
            y = ops.sin(x * x)
            y = y if policy is None else y.set_mem_info(policy=policy)
            return ops.sum(y * ops.exp(y))

        return ms.grad(lambda x: ops.sum(ms.grad(f)(x)))

    x = ms.Tensor(numbers(5))
    np.testing.assert_allclose(made("recompute")(x).asnumpy(), made(None)(x).asnumpy(), rtol=1e-5)


def test_in_a_loop_of_unknown_length():
    def made(policy):
        def f(x, n):
            i = n * 0
            while i < n:
                y = ops.sin(x) * x
                x = y if policy is None else y.set_mem_info(policy=policy)
                i = i + 1
            return ops.sum(x)

        return ms.compile(ms.grad(f))

    x, n = ms.Tensor(numbers(5)), ms.Tensor(4)
    assert made("recompute")(x, n).tolist() == made(None)(x, n).tolist()


# ---- pool_limit ---------------------------------------------------------------------------------


@pytest.mark.parametrize("is_parameter", [False, True])
def test_a_program_keeps_to_the_limit_or_is_refused(is_parameter):
    step, x = gradient(None), ms.Tensor(numbers(512, 32))
    owner = step.function.function.layers[2].weight if is_parameter else x
    free = step(x)
    need = planned(step.last.program.function).nbytes
    owner.set_mem_info(pool_limit=int(need * 0.8))
    found = step(x)
    assert planned(step.last.program.function).nbytes <= 0.8 * need
    assert found[1][0].asnumpy().tobytes() == free[1][0].asnumpy().tobytes()
    owner.set_mem_info(pool_limit="1KB")
    assert code_of(lambda: step(x)) == "E0716"
    owner.set_mem_info()
    step(x)
    assert len(step.variants) == 2


def test_the_limit_holds_for_sinks_and_pullbacks():
    x = ms.Tensor(numbers(256, 16)).set_mem_info(pool_limit="1KB")
    step = ms.compile(lambda x: ops.exp(x))
    assert code_of(lambda: step.sink([x])) == "E0716"
    assert code_of(lambda: step.vjp(x)) == "E0716"


# ---- what is refused, and what is left ----------------------------------------------------------


CASES = {
    "another policy": ("E0404", lambda x: x.set_mem_info("kept")),
    "no number of bytes": ("E0303", lambda x: x.set_mem_info(pool_limit=1.5)),
    "no size": ("E0404", lambda x: x.set_mem_info(pool_limit="many")),
    "a tensor in hand": ("E0404", lambda x: x.set_mem_info("recompute")),
    "a parameter": ("E0404", lambda x: ms.Parameter(x, name="w").set_mem_info("recompute")),
}


@pytest.mark.parametrize("case", CASES)
def test_refused(case):
    code, call = CASES[case]
    assert code_of(lambda: call(ms.Tensor(numbers(3)))) == code


WITHIN = {
    "kept within": ("E0404", lambda x: (x * 2.0).set_mem_info("keep")),
    "donated within": ("E0404", lambda x: (x * 2.0).set_mem_info("donate")),
    "limited within": ("E0404", lambda x: (x * 2.0).set_mem_info("recompute", 8)),
    "nothing said": ("E0404", lambda x: (x * 2.0).set_mem_info()),
    "an argument": ("E0104", lambda x: x.set_mem_info("recompute") * 2.0),
    "of a branch": ("E0104", lambda x: (x if x.sum() > 0 else -x).set_mem_info("recompute")),
}


@pytest.mark.parametrize("case", WITHIN)
def test_refused_within_compiled_code_at_its_place(case):
    code, function = WITHIN[case]
    with pytest.raises(S2sadError) as caught:
        ms.compile(function)(ms.Tensor(numbers(3)))
    assert caught.value.code == code
    assert __file__.endswith(caught.value.diagnostic.place.file)


def test_nothing_is_left_of_a_tensor_that_is_gone():
    gc.collect()
    before = set(memory_info.HELD)
    x = ms.Tensor(numbers(3)).set_mem_info("donate")
    assert set(memory_info.HELD) == before | {id(x)}
    del x
    assert set(memory_info.HELD) == before
