"""Do prints come in order, and does an assertion end a step, wherever a program runs?

In dumps that were loaded, in sinks, in derivatives of every kind; on either backend.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops

GOOD, BAD = ms.Tensor([1.0, 2.0]), ms.Tensor([-1.0, 2.0])
PRINTED = "loss 5.0\nw [2. 4.]\n"


@pytest.fixture(params=["numpy", "c"], autouse=True)
def backend(request, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", request.param)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        print("loss", ops.sum(self.w * x))
        self.w += x
        print("w", self.w)
        assert x.min() > 0.0, f"{x} is not positive"
        return ops.sum(self.w * x)


def require_fails(call):
    """`call` raises the assertion of `Net`, at its line."""
    with pytest.raises(AssertionError, match=r"^\[-1\.  2\.\] is not positive") as caught:
        call()
    assert "assert x.min() > 0.0" in caught.value.__notes__[0]
    return caught.value


def test_loaded_dumps_have_effects(mode, tmp_path, capsys):
    ms.compile(Net()).dump(tmp_path, GOOD)
    files = sorted(tmp_path.glob("*.py"))
    for file in (files[0], files[4], files[-1]):
        net = Net()
        capsys.readouterr()
        loaded = ms.load_ir(file).bind(net)
        assert loaded(GOOD).item() == 10.0 and capsys.readouterr().out == PRINTED
        require_fails(lambda: loaded(BAD))  # noqa: B023
        assert net.w.tolist() == [2.0, 4.0], "as the last good step has left it"


def test_so_have_their_gradients(mode, tmp_path, capsys):
    ms.compile(Net()).dump(tmp_path, GOOD)
    net = Net()
    loaded = ms.load_ir(sorted(tmp_path.glob("*.py"))[0]).bind(net)
    capsys.readouterr()
    assert ms.grad(loaded)(GOOD).tolist() == [3.0, 6.0]
    assert capsys.readouterr().out == PRINTED and net.w.tolist() == [2.0, 4.0]
    require_fails(lambda: ms.grad(loaded)(BAD))
    assert net.w.tolist() == [2.0, 4.0]


def test_a_sink_has_effects_step_by_step(capsys):
    net = Net()
    results = ms.compile(net).sink([(GOOD,), (GOOD,)])
    assert [x.item() for x in results] == [10.0, 15.0]
    assert capsys.readouterr().out == PRINTED + "loss 10.0\nw [3. 6.]\n"
    assert net.w.tolist() == [3.0, 6.0]


def test_an_assertion_ends_a_sink(capsys):
    net, steps = Net(), []
    step = ms.compile(net)

    def call():
        step.sink([(GOOD,), (BAD,), (GOOD,)], on_step=lambda *args: steps.append(args))

    error = require_fails(call)
    assert "step 1 of the sink" in error.__notes__[1]
    assert net.w.tolist() == [2.0, 4.0] and len(steps) == 1
    assert capsys.readouterr().out.startswith(PRINTED)


def shown(x):
    print("in", x)
    y = x * x
    if x.sum() > 5:
        raise ValueError(f"the sum is {x.sum()}")
    print("out", y)
    return y.sum()


def by_vjp(x):
    value, pullback = ms.vjp(shown, x)
    return value, pullback(ms.Tensor(1.0)), pullback(ms.Tensor(2.0))


def by_its_halves(x):
    value, pullback = ms.compile(shown).vjp(x)
    return value, pullback(ms.Tensor(1.0)), pullback(ms.Tensor(2.0))


DERIVATIVES = {
    "grad": ms.grad(shown),
    "grad that is compiled": ms.compile(ms.grad(shown)),
    "value_and_grad": ms.value_and_grad(shown),
    "grad of a grad": ms.grad(lambda x: ms.grad(shown)(x).sum()),
    "vjp": by_vjp,
    "the halves of a vjp": by_its_halves,
    "jvp": lambda x: ms.jvp(shown, x, x),
    "jvp that is compiled": ms.compile(lambda x: ms.jvp(shown, x, x)),
    "jacrev": ms.jacrev(shown),
    "jacfwd": ms.jacfwd(shown),
    "hessian": ms.hessian(shown),
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_a_derivative_has_the_effects_of_its_function_once(mode, name, capsys):
    DERIVATIVES[name](GOOD)
    assert capsys.readouterr().out == "in [1. 2.]\nout [1. 4.]\n"
    with pytest.raises(ValueError, match=r"^the sum is 9\.0") as caught:
        DERIVATIVES[name](GOOD * 3)
    assert "raise ValueError" in caught.value.__notes__[0]
    assert capsys.readouterr().out == "in [3. 6.]\n"


def only_raises(x, limit):
    count = ops.zeros((), ms.int64)
    while True:
        count = count + 1
        x = x * 2
        print(x)
        if x > limit:
            raise StopIteration(f"{count} passes")


def raises_inside(x, limit):
    while True:
        for _ in range(2):
            x = x * 2
            if not x < limit:
                raise ArithmeticError(f"{x} is beyond")


def left_in_the_end(x, limit):
    passes = 0
    while True:
        passes = passes + 1
        if x > limit:
            raise ValueError("too large")
        x = x * 2
        if passes == 3:
            break
    return x


@pytest.mark.parametrize("function", [only_raises, raises_inside])
def test_a_loop_that_only_an_exception_ends(function, capsys):
    given = ms.Tensor(1.0), ms.Tensor(5.0)
    for run in (function, ms.compile(function)):
        with pytest.raises((StopIteration, ArithmeticError)) as caught:
            run(*given)
        found = type(caught.value), caught.value.args, capsys.readouterr().out
        assert found == (
            (StopIteration, ("3 passes",), "2.0\n4.0\n8.0\n") if function is only_raises
            else (ArithmeticError, ("8.0 is beyond",), "")
        )  # fmt: skip


def test_a_loop_that_something_else_ends_as_well():
    compiled = ms.compile(left_in_the_end)
    assert compiled(ms.Tensor(1.0), ms.Tensor(50.0)).item() == 8.0
    with pytest.raises(ValueError, match="too large"):
        compiled(ms.Tensor(30.0), ms.Tensor(50.0))
    slope = ms.grad(left_in_the_end)(ms.Tensor(1.0), ms.Tensor(50.0))
    np.testing.assert_array_equal(slope.asnumpy(), np.float32(8.0))
