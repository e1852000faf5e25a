"""Do hooks of tensors and of Cells see, and change, what passes them, in both modes?"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.hooks import hooks_of
from support.located import refused_here

X = np.array([0.5, -2.0, 3.0])
ONES = np.ones(3)


def tensor(array=X):
    return ms.Tensor(np.asarray(array))


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12)


class Square(nn.Cell):
    def construct(self, x):
        return x * x


class Scale(nn.Cell):
    def __init__(self, w=(1.0, 2.0, 3.0)):
        super().__init__()
        self.w = ms.Parameter(np.array(w), name="w")

    def construct(self, x):
        return x * self.w


def tenfold(gradient):
    return gradient * 10.0


def one_more(gradient):
    return gradient + 1.0


# ---- tensors in a function -----------------------------------------------------------------------


def test_the_gradient_from_there_on_goes_through_the_function(mode):
    def f(x):
        y = x * x
        y.register_hook(tenfold)
        return y * x

    close(f(tensor()), X**3)
    close(ms.grad(f)(tensor()), 10 * X * 2 * X + X * X)
    value, gradient = ms.value_and_grad(f)(tensor())
    close(value, X**3)
    close(gradient, 21 * X * X)
    _, pullback = ms.vjp(f, tensor())
    close(pullback(tensor(2 * ONES))[0], 42 * X * X)
    close(ms.compile(lambda x: ms.vjp(f, x)[1](x))(tensor())[0], 21 * X**3)
    _, tangent = ms.jvp(f, tensor(), tensor(ONES))
    close(tangent, 3 * X * X)


def test_several_are_called_in_order(mode):
    def f(x):
        y = x * 1.0
        y.register_hook(tenfold)
        y.register_hook(one_more)
        y.register_hook(lambda dy: None)
        return y * x

    close(ms.grad(f)(tensor()), 10 * X + 1 + X)


def test_every_name_of_the_tensor_is_meant(mode):
    def hooked(y):
        y.register_hook(tenfold)

    def f(x):
        y = x * 1.0
        names = [y, x]
        before = y * 3.0
        hooked(y)
        return before + y * 5.0 + names[0] * 7.0

    close(ms.grad(f)(tensor()), 3 + 120 * ONES)


def test_an_argument_and_a_written_tensor(mode):
    def f(x):
        x.register_hook(tenfold)
        y = x * 2.0
        y[0] = 0.0
        y.register_hook(one_more)
        return y * y

    inner = np.array([0.0, 2.0, 2.0]) * (4 * X + 1)
    close(ms.grad(f)(tensor()), 10 * inner)


def test_second_derivatives(mode):
    def f(x):
        y = x * x
        y.register_hook(lambda dy: dy * dy)
        return (y * x).sum()

    x = tensor()
    close(ms.grad(f)(x), X * X * 2 * X + X * X)
    # y is read in the gradient too: what comes back to it there goes through the hook as well
    close(ms.grad(lambda x: ms.grad(f)(x).sum())(x), 6 * X * X + 2 * X)


@pytest.mark.parametrize("count", [0, 1, 4])
def test_in_loops(mode, count):
    def counted(x, n):
        y = x
        for _ in range(count):
            y = y * x
            y.register_hook(tenfold)
        return y + n * 0.0

    def conditional(x, n):
        y, i = x, n * 0
        while i < n:
            y = y * x
            y.register_hook(tenfold)
            i = i + 1
        return y

    # the factor of the last pass has seen one hook, that of the first and x itself all of them
    factor = sum(10.0 ** (count - i) for i in range(count)) + 10.0**count
    expected = factor * X**count
    for f in (counted, conditional):
        close(ms.grad(f)(tensor(), ms.Tensor(count)), expected)


def test_on_one_side_of_a_branch(mode):
    def f(x):
        y = x * x
        if x.sum() > 0:
            y.register_hook(tenfold)
        return y

    close(ms.grad(f)(tensor()), 20 * X)
    close(ms.grad(f)(tensor(-X)), -2 * X)


def test_a_hook_reads_what_is_around_it(mode):
    factor = tensor([1.0, 2.0, 3.0])
    net = Scale()

    def f(x, a):
        y = x * 1.0
        y.register_hook(lambda dy: dy * a * factor + net.w)
        return y * y

    a = tensor([2.0, 2.0, -1.0])
    w = np.array([1.0, 2.0, 3.0])
    by_x, by_a = ms.grad(f, (0, 1))(tensor(), a)
    close(by_x, 2 * X * a.asnumpy() * w + w)
    close(by_a, 0 * X)
    twice = ms.grad(lambda x, a: ms.grad(f)(x, a).sum(), 1)
    close(twice(tensor(), a), 2 * X * w)


def test_a_hook_branches_on_the_gradient(mode):
    def limited(dy):
        size = ops.sqrt((dy * dy).sum())
        if size > 1.0:
            dy = dy / size
        return dy

    def f(x):
        y = x * 1.0
        y.register_hook(limited)
        return y * y

    close(ms.grad(f)(tensor()), X / np.sqrt((X * X).sum()))
    close(ms.grad(f)(tensor(X / 100)), X / 50)


def test_effects_of_hooks_come_last_and_in_order(mode, capsys):
    def shown(dy):
        print("gradient", dy)
        return dy * 2.0

    def f(x):
        y = x
        for i in range(2):
            y = y * 2.0
            y.register_hook(shown)
            print("pass", i)
        return y.sum()

    x = ms.Tensor(np.array(1.0))
    close(ms.grad(f)(x), 16.0)
    expected = "pass 0\npass 1\ngradient 1.0\ngradient 4.0\n"
    assert capsys.readouterr().out == expected
    _, pullback = ms.vjp(f, x)
    assert capsys.readouterr().out == "pass 0\npass 1\n"
    for _ in range(2):
        close(pullback(ms.Tensor(np.array(1.0)))[0], 16.0)
        assert capsys.readouterr().out == "gradient 1.0\ngradient 4.0\n"
    inside = ms.compile(lambda x: ms.vjp(f, x)[1](x)[0])
    close(inside(x), 16.0)
    assert capsys.readouterr().out == expected
    ms.grad(lambda x: ms.grad(f)(x) * x)(x)
    assert capsys.readouterr().out.startswith(expected)


def test_a_text_alone_is_printed_when_the_gradient_is_asked_for(mode, capsys):
    def f(x):
        y = x * x
        y.register_hook(lambda dy: print("here"))
        return y

    _, pullback = ms.vjp(f, tensor())
    assert capsys.readouterr().out == ""
    close(pullback(tensor(ONES))[0], 2 * X)
    assert capsys.readouterr().out == "here\n"


def test_effects_in_branches_and_while_loops(mode, capsys):
    def shown(dy):
        print("gradient", dy)

    def f(x, n):
        i = n * 0
        while i < n:
            x = x * 2.0
            if i == 1:
                x.register_hook(shown)
            i = i + 1
        return x

    close(ms.grad(f)(ms.Tensor(np.array(1.0)), ms.Tensor(3)), 8.0)
    assert capsys.readouterr().out == "gradient 2.0\n"


def test_rows_of_a_map(mode, capsys):
    def shown(dy):
        print("gradient", dy)
        return ops.clamp(dy, -1.0, 1.0)

    def f(x):
        y = x * x
        y.register_hook(shown)
        return y

    x = tensor([0.25, 3.0])
    close(ms.vmap(ms.grad(f))(x), np.array([0.5, 6.0]))
    assert capsys.readouterr().out == "gradient 1.0\ngradient 1.0\n"


def test_jacobians(mode, capsys):
    def f(x):
        print("forward")
        y = x * x
        y.register_hook(lambda dy: print("gradient", dy))
        y.register_hook(tenfold)
        return y

    x = tensor([1.0, 3.0])
    close(ms.jacrev(f)(x), np.diag([20.0, 60.0]))
    assert capsys.readouterr().out == "forward\ngradient [1. 0.]\ngradient [0. 1.]\n"
    close(ms.jacfwd(f)(x), np.diag([2.0, 6.0]))
    assert capsys.readouterr().out == "forward\n"


def test_any_sizes():
    net = Square()
    net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 10.0)
    gradient = ms.compile(ms.grad(lambda x: net(x) * 2.0))
    for count in (2, 3, 4, 5):
        x = np.arange(float(count))
        close(gradient(tensor(x)), 40 * x)
    x = tensor(np.arange(6.0))
    x.register_hook(one_more)
    close(gradient(x), 40 * np.arange(6.0) + 1)


def test_a_checkpoint(mode, capsys):
    net = Square()
    net.register_backward_hook(
        lambda cell, grad_input, grad_output: print("gradient", grad_input[0])
    )
    ms.checkpoint(net)

    @ms.checkpoint
    def f(x):
        y = x * x
        y.register_hook(tenfold)
        return y

    close(ms.grad(lambda x: net(f(x)))(ms.Tensor(np.array(2.0))), 8 * 10 * 4.0)
    assert capsys.readouterr().out == "gradient 8.0\n"


def test_a_program_from_a_dump(tmp_path):
    net = Scale()
    first, *_ = ms.compile(net).dump(tmp_path, tensor())
    loaded = ms.load_ir(first).bind(net)
    gradient = ms.grad(loaded)
    x = tensor()
    close(gradient(x), np.array([1.0, 2.0, 3.0]))
    for owner in (x, net.w):
        handle = owner.register_hook(tenfold)
        refused_here("E0104", gradient, x)
        handle.remove()
    close(gradient(x), np.array([1.0, 2.0, 3.0]))


def test_integers_have_no_gradient(mode):
    def f(x, n):
        n.register_hook(tenfold)
        return x * n

    close(ms.grad(f)(tensor(), ms.Tensor([2, 3, 4])), np.array([2.0, 3.0, 4.0]))


WRONG = {
    "E0401": lambda dy: dy.sum(),
    "E0301": lambda dy: dy.astype(ms.float32),
    "E0304": lambda dy: 1.0,
}


@pytest.mark.parametrize("code", sorted(WRONG))
def test_a_gradient_of_another_type(mode, code):
    wrong = WRONG[code]

    def f(x):
        y = x * x
        y.register_hook(wrong)
        return y

    close(f(tensor()), X * X)
    refused_here(code, ms.grad(f), tensor())


def test_what_cannot_be_registered(mode):
    net, outside = Scale(), tensor()

    def number(x):
        x.register_hook(3)
        return x

    def parameter(x):
        net.w.register_hook(tenfold)
        return net(x)

    def foreign(x):
        outside.register_hook(tenfold)
        return x * outside

    def removed(x):
        y = x * x
        handle = y.register_hook(tenfold)
        handle.remove()
        return y

    def too_many(x):
        x.register_hook(tenfold, tenfold)
        return x

    def writes(x):
        y = x * x
        y.register_hook(lambda dy: ops.assign(net.w, dy))
        return y

    codes = {
        number: "E0304", parameter: "E0104", foreign: "E0104", removed: "E0104",
        too_many: "E0302", writes: "E0104",
    }  # fmt: skip
    for f, code in codes.items():
        refused_here(code, ms.grad(f), tensor())
    refused_here("E0304", tensor().register_hook, None)


# ---- Parameters, and tensors from outside --------------------------------------------------------


def test_hooks_of_a_parameter(mode):
    net = Scale()
    gradient = ms.grad(net, None, net.trainable_params())
    close(gradient(tensor())[0], X)
    first = net.w.register_hook(tenfold)
    second = net.w.register_hook(one_more)
    close(gradient(tensor())[0], 10 * X + 1)
    by_x, (by_w,) = ms.grad(net, 0, net.trainable_params())(tensor())
    close(by_x, np.array([1.0, 2.0, 3.0]))
    close(by_w, 10 * X + 1)
    _, pullback = ms.vjp(net, tensor(), weights=net.trainable_params())
    close(pullback(tensor(ONES))[1][0], 10 * X + 1)
    first.remove()
    first.remove()
    close(gradient(tensor())[0], X + 1)
    second.remove()
    close(gradient(tensor())[0], X)


def test_hooks_of_a_parameter_see_the_whole_gradient_once(mode):
    net = Scale()
    net.w.register_hook(lambda dw: ops.clamp(dw, -1.0, 1.0))

    def f(x):
        return (net(x) + net(net(x))).sum()

    w = np.array([1.0, 2.0, 3.0])
    expected = np.clip(X + 2 * w * X, -1, 1)
    close(ms.grad(f, None, net.w)(tensor()), expected)

    @ms.compile
    def step(x):
        value, (dw,) = ms.value_and_grad(f, None, net.trainable_params())(x)
        ops.assign(net.w, net.w - dw)
        return value

    step(tensor())
    close(net.w, w - expected)


def test_hooks_of_a_parameter_act_on_each_derivative(mode):
    net = Scale()
    net.w.register_hook(tenfold)

    def cube(x):
        return (net.w * net.w * net(x)).sum()

    inner = ms.grad(cube, None, net.w)
    close(inner(tensor()), 10 * 3 * X * np.array([1.0, 4.0, 9.0]))
    twice = ms.grad(lambda x: inner(x).sum(), None, net.w)
    close(twice(tensor()), 100 * 6 * X * np.array([1.0, 2.0, 3.0]))


def test_hooks_of_a_tensor_from_outside(mode):
    x, other = tensor(), tensor()
    handle = x.register_hook(tenfold)

    def f(x):
        return x * x

    gradient = ms.grad(f)
    close(gradient(x), 20 * X)
    close(gradient(other), 2 * X)
    close(ms.compile(lambda x: gradient(x))(x), 20 * X)
    close(ms.vjp(f, x)[1](tensor(ONES))[0], 20 * X)
    close(ms.grad(lambda pair: pair[0] * pair[1])((x, other))[0], 10 * X)
    twice = ms.grad(lambda x: gradient(x) * x)
    close(twice(x), 10 * 10 * 4 * X)
    refused_here("E0104", ms.jacrev(f), x)
    close(ms.jacrev(f)(other), np.diag(2 * X))
    handle.remove()
    close(gradient(x), 2 * X)


def test_hooks_of_outside_that_print(mode, capsys):
    net = Scale()
    net.w.register_hook(lambda dw: print("weights", dw))

    def f(x):
        print("forward")
        y = net(x)
        y.register_hook(lambda dy: print("inside", dy))
        return y.sum()

    close(ms.grad(f, None, net.w)(tensor([1.0, 1.0, 1.0])), ONES)
    found = capsys.readouterr().out.splitlines()
    assert found == ["forward", "inside [1. 1. 1.]", "weights [1. 1. 1.]"]


def test_hooks_go_with_their_tensor():
    x = tensor()
    handle = x.register_hook(tenfold)
    assert len(hooks_of(x)) == 1 and hooks_of(tensor()) == ()
    del x
    gc.collect()
    handle.remove()


# ---- forward hooks of Cells ----------------------------------------------------------------------


def test_forward_hooks(mode):
    net = Square()
    shifted = net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] + 1.0,))
    bare = net.register_forward_pre_hook(lambda cell, inputs: inputs[0] * 2.0)
    first = net.register_forward_pre_hook(lambda cell, inputs: inputs[0] * 3.0, prepend=True)
    left = net.register_forward_pre_hook(lambda cell, inputs: None)
    added = net.register_forward_hook(lambda cell, inputs, output: output + inputs[0])
    halved = net.register_forward_hook(lambda cell, inputs, output: output * 0.5)
    seen = 2 * (3 * X + 1)
    close(net(tensor()), (seen**2 + seen) / 2)
    close(ms.compile(net)(tensor()), (seen**2 + seen) / 2)
    close(ms.grad(net)(tensor()), 6 * (2 * seen + 1) / 2)
    first.remove()
    added.remove()
    close(net(tensor()), 2 * (X + 1) ** 2)
    for handle in (shifted, bare, left, halved):
        handle.remove()
    close(net(tensor()), X * X)
    close(ms.grad(net)(tensor()), 2 * X)


def test_forward_hooks_with_keyword_arguments(mode):
    class Weighted(nn.Cell):
        def construct(self, x, *, scale):
            return x * scale

    net = Weighted()

    def before(cell, inputs, kwargs):
        return inputs, {"scale": kwargs["scale"] * 2.0}

    def after(cell, inputs, kwargs, output):
        return output + kwargs["scale"]

    net.register_forward_pre_hook(before, with_kwargs=True)
    net.register_forward_hook(after, with_kwargs=True)
    close(net(tensor(), scale=tensor(ONES)), 2 * X + 2)
    net.register_forward_pre_hook(lambda cell, inputs, kwargs: 3, with_kwargs=True)
    with pytest.raises(ms.S2sadError, match="E0304"):
        net(tensor(), scale=tensor(ONES))


def test_forward_hooks_of_children_and_of_cells_with_a_rule(mode):
    class Ruled(nn.Cell):
        def construct(self, x):
            return x * 2.0

        def bprop(self, x, out, dout):
            return (dout * 7.0,)

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Ruled()

        def construct(self, x):
            return self.inner(x) * 3.0

    net = Outer()
    net.inner.register_forward_hook(lambda cell, inputs, output: output * 10.0)
    net.inner.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] + 1.0)
    close(net(tensor()), 60 * X)
    close(ms.grad(net)(tensor()), 7 * 10 * 3 + ONES)


def test_a_hook_that_is_always_called():
    class Fails(nn.Cell):
        def construct(self, x):
            raise ValueError("no")

    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, calls = Fails(), []
    net.register_forward_hook(lambda cell, inputs, output: calls.append(output), always_call=True)
    net.register_forward_hook(lambda cell, inputs, output: calls.append("not this"))
    with pytest.raises(ValueError, match="no"):
        net(tensor())
    assert calls == [None]
    refused_here("E0104", ms.compile(net), tensor())


def test_python_runs_forward_hooks_as_they_stand():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net, seen = Square(), []
    net.register_forward_hook(lambda cell, inputs, output: seen.append(output.shape))
    net(tensor())
    assert seen == [(3,)]


# ---- backward hooks of Cells ---------------------------------------------------------------------


def test_backward_hooks(mode):
    net = Square()

    def f(x):
        return net(x) * 5.0

    doubled = net.register_backward_pre_hook(lambda cell, grad_output: (grad_output[0] * 2.0,))
    more = net.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] + 1.0)
    net.register_backward_pre_hook(lambda cell, grad_output: None)
    close(ms.grad(f)(tensor()), 11 * 2 * X)

    def both(cell, grad_input, grad_output):
        return (grad_input[0] * 100.0 + grad_output[0],)

    net.register_backward_hook(both)
    last = net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] - 1.0)
    close(f(tensor()), 5 * X * X)
    close(ms.grad(f)(tensor()), 100 * 22 * X + 11 - 1)
    close(ms.vjp(f, tensor())[1](tensor(ONES))[0], 2200 * X + 10)
    close(ms.compile(lambda x: ms.grad(f)(x))(tensor()), 2200 * X + 10)
    last.remove()
    more.remove()
    doubled.remove()
    close(ms.grad(f)(tensor()), 100 * 10 * X + 5)


def test_second_derivatives_through_backward_hooks(mode):
    net = Square()
    net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * grad_output[0])

    def f(x):
        return (net(x) * x).sum()

    close(ms.grad(f)(tensor()), 2 * X * X * X + X * X)
    # that is 2 a x x + y, where y is the output and a the argument, whose cotangents, 1 and
    # 2 x x + 2 x, pass the hook
    close(ms.grad(lambda x: ms.grad(f)(x).sum())(tensor()), 4 * X * X + (2 * X * X + 2 * X) * 1)


def test_several_inputs_and_outputs(mode):
    class Pair(nn.Cell):
        def construct(self, n, x, rest):
            return x * rest["a"], n + 1, x + rest["b"]

    net = Pair()

    def both(cell, grad_input, grad_output):
        by_n, by_x, by_rest = grad_input
        product, number, total = grad_output
        assert by_n is None and number is None
        return None, by_x + product, {"a": by_rest["a"] * 10.0 + total, "b": None}

    net.register_backward_hook(both)
    net.register_backward_pre_hook(lambda cell, grads: (grads[0] * 2.0, None, None))

    def f(n, x, rest):
        product, _, total = net(n, x, rest)
        return product + total * 3.0

    rest = {"a": tensor([1.0, 2.0, 3.0]), "b": tensor()}
    by_x, by_rest = ms.grad(f, (1, 2))(ms.Tensor([1, 2, 3]), tensor(), rest)
    close(by_x, 2 * np.array([1.0, 2.0, 3.0]) + 3 + 2)
    close(by_rest["a"], 20 * X + 3)
    close(by_rest["b"], 3 * ONES)


def test_weights_behind_backward_hooks(mode):
    net = Scale()
    net.register_backward_pre_hook(lambda cell, grad_output: grad_output[0] * 2.0)
    net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 100.0)
    by_x, by_w = ms.grad(net, 0, net.w)(tensor())
    close(by_w, 2 * X)
    close(by_x, 200 * np.array([1.0, 2.0, 3.0]))


def test_a_backward_hook_that_prints_asks_for_the_gradient(mode, capsys):
    net = Scale()
    net.register_backward_hook(
        lambda cell, grad_input, grad_output: print(grad_input[0], grad_output[0])
    )
    close(ms.grad(net, None, net.w)(tensor()), X)
    assert capsys.readouterr().out == "[1. 2. 3.] [1. 1. 1.]\n"
    net(tensor())
    assert capsys.readouterr().out == ""


def test_hooked_cells_one_in_the_other_and_in_loops(mode, capsys):
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Square()

        def construct(self, x):
            print("outer")
            for _ in range(2):
                x = self.inner(x) * 0.5
            return x

    net = Outer()
    net.register_backward_hook(lambda cell, grad_input, grad_output: print("outer", grad_input[0]))
    net.inner.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 10.0)
    net.inner.register_backward_pre_hook(lambda cell, grad_output: print("inner", grad_output[0]))
    # x**4 / 8, and each square's gradient tenfold
    close(ms.grad(net)(ms.Tensor(np.array(2.0))), 100 * 2.0**3 / 2)
    assert capsys.readouterr().out.splitlines() == [
        "outer", "inner 0.5", "inner 10.0", "outer 400.0",
    ]  # fmt: skip


def test_hooked_cells_in_loops_on_data_and_branches(mode):
    net = Square()
    net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 10.0)

    def f(x, n):
        i = n * 0
        while i < n:
            x = net(x) if i < 2 else x * 3.0
            i = i + 1
        return x

    x = ms.Tensor(np.array(1.5))
    close(ms.grad(f)(x, ms.Tensor(2)), 100 * 4 * 1.5**3)
    close(ms.grad(f)(x, ms.Tensor(3)), 3 * 100 * 4 * 1.5**3)
    close(ms.grad(f)(x, ms.Tensor(0)), 1.0)


def test_backward_hooks_that_give_something_else(mode):
    wrong = {
        "E0302": lambda cell, grad_input, grad_output: (grad_input[0], grad_input[0]),
        "E0401": lambda cell, grad_input, grad_output: grad_input[0].sum(),
        "E0301": lambda cell, grad_input, grad_output: (grad_input[0].astype(ms.float32),),
        "E0304": lambda cell, grad_input, grad_output: 3.0,
        "E0104": lambda cell, grad_input, grad_output: ops.assign(scale.w, grad_input[0]),
    }
    scale = Scale()
    for code, function in wrong.items():
        net = Square()
        handle = net.register_backward_hook(function)
        refused_here(code, ms.grad(net), tensor())
        close(net(tensor()), X * X)
        handle.remove()
        close(ms.grad(net)(tensor()), 2 * X)


def test_what_is_no_hook():
    net = Square()
    refused_here("E0304", net.register_forward_hook, 3)
    refused_here("E0304", net.register_backward_hook, None)
    refused_here("E0303", net.register_forward_pre_hook, print, prepend=1)

    def registers(x):
        net.register_forward_hook(lambda cell, inputs, output: None)
        return x

    refused_here("E0104", ms.compile(registers), tensor())
    handle = net.register_forward_hook(lambda cell, inputs, output: output * 2.0)

    def removes(x):
        handle.remove()
        return net(x)

    refused_here("E0104", ms.compile(removes), tensor())
    close(net(tensor()), 2 * X * X)


def test_each_set_of_hooks_is_a_variant_of_its_own():
    net = Square()
    compiled = ms.compile(net)
    gradient = ms.compile(ms.grad(net))
    close(compiled(tensor()), X * X)
    close(gradient(tensor()), 2 * X)
    handle = net.register_forward_hook(lambda cell, inputs, output: output * 2.0)
    close(compiled(tensor()), 2 * X * X)
    close(gradient(tensor()), 4 * X)
    handle.remove()
    close(compiled(tensor()), X * X)
    close(gradient(tensor()), 2 * X)
    x = tensor()
    handle = x.register_hook(tenfold)
    close(gradient(x), 20 * X)
    close(gradient(tensor()), 2 * X)
    handle.remove()
    close(gradient(x), 2 * X)


@pytest.mark.parametrize("backend", ["c", "numpy"])
def test_on_each_backend(backend, monkeypatch, capsys):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    net = Scale()
    net.register_backward_hook(lambda cell, grad_input, grad_output: grad_input[0] * 10.0)
    net.w.register_hook(lambda dw: print("weights", dw))

    def f(x):
        y = net(x)
        y.register_hook(one_more)
        return (y * y).sum()

    w = np.array([1.0, 2.0, 3.0])
    by_x, by_w = ms.compile(ms.grad(f, 0, net.w))(tensor())
    close(by_x, 10 * (2 * X * w + 1) * w)
    close(by_w, (2 * X * w + 1) * X)
    assert capsys.readouterr().out == f"weights {(2 * X * w + 1) * X}\n"


SCRIPT = """
import sys
import numpy as np, s2sad as ms
from s2sad import nn

class Scale(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(np.ones(2), name="w")

    def construct(self, x):
        return x * self.w

def tenfold(cell, grad_input, grad_output):
    return grad_input[0] * FACTOR

def more(dw):
    return dw + 1.0

net = Scale()
net.register_backward_hook(tenfold)
net.w.register_hook(more)
by_x, by_w = ms.compile(ms.grad(net, 0, net.w))(ms.Tensor(np.array([1.0, 2.0])))
print(by_x.tolist(), by_w.tolist(), "s2sad.frontend.expressions" in sys.modules)
"""


def test_a_second_process_finds_the_program_of_the_same_hooks(tmp_path):
    def run(factor):
        (tmp_path / "script.py").write_text(SCRIPT.replace("FACTOR", factor))
        environment = {
            **os.environ, "PYTHONPATH": str(Path(ms.__file__).parents[1]),
            "S2SAD_CACHE_DIR": str(tmp_path / "cache"), "MS_COMPILER_CACHE_ENABLE": "1",
            "S2SAD_CACHE": "1",
        }  # fmt: skip
        command = [sys.executable, "-W", "error", str(tmp_path / "script.py")]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert run("10.0") == "[10.0, 10.0] [2.0, 3.0] True\n"
    assert run("10.0") == "[10.0, 10.0] [2.0, 3.0] False\n"
    assert run("5.0") == "[5.0, 5.0] [2.0, 3.0] True\n"
