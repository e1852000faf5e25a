"""Are `jacfwd`, `jacrev` and `hessian` right, of what form, and with respect to what?

Right is what float64 differences say, and closed forms where there are some.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from support.forms import plain
from support.located import refused_here

X = np.array([0.5, -1.0, 2.0])
W = np.array([[0.5, -0.25, 1.0], [1.5, 0.75, -0.5]])
KINDS = [ms.jacfwd, ms.jacrev]


def tensor(data):
    return ms.Tensor(np.asarray(data))


def differences(run, x, step=1e-5):
    """The Jacobian of `run`, an array to an array, at `x`: axes of the output, then of `x`."""
    columns = []
    for place in np.ndindex(*x.shape):
        moved = np.zeros_like(x)
        moved[place] = step
        ahead, behind = run(x + moved), run(x - moved)
        far = run(x + 2 * moved) - run(x - 2 * moved)
        columns.append((8 * (ahead - behind) - far) / (12 * step))
    out = run(x)
    return (
        np.stack(columns, -1).reshape(*out.shape, *x.shape) if columns else out[..., None][..., :0]
    )


def close(found, expected, tolerance=1e-8):
    assert found.shape == np.shape(expected)
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


# ---- numbers ---------------------------------------------------------------------------------


w = tensor(W)


def smooth(x):
    return ops.tanh(ops.matmul(w, x)) * x.sum()


def to_a_matrix(x):
    return ops.outer(ops.exp(x), x * x)


def to_a_number(x):
    return (ops.sin(x) * x).sum() * x[0]


def branching(x):
    if x[0] * x[1] > 0:
        y = ops.exp(x) / x
    else:
        y = ops.log(x * x + 1.0) * x[2]
    return y


def looping(x):
    n = 0
    while (x * x).sum() < 40.0:
        x = x * (x + 1.5)
        n = n + 1
    return x * n


def counted(x):
    h = x
    for i in range(1, 6):
        h = ops.tanh(h * x[0] + x / i)
    return h


def written(x):
    y = x * x
    y[1] = x[0] * y[2]
    return y


def rowwise(x):
    return ops.softmax(ops.stack((x, x * x)), axis=1)


RUNS = [smooth, to_a_matrix, to_a_number, branching, looping, counted, written, rowwise]
named = {"ids": lambda f: f.__name__}


def as_arrays(run):
    return lambda x: run(tensor(x)).asnumpy()


@pytest.mark.parametrize("jacobian", KINDS, **named)
@pytest.mark.parametrize("run", RUNS, **named)
def test_jacobians_are_those_of_differences(mode, run, jacobian):
    for x in (X, np.array([1.5, 0.75, -0.5])):
        close(jacobian(run)(tensor(x)), differences(as_arrays(run), x))


@pytest.mark.parametrize("run", RUNS, **named)
def test_hessians_are_those_of_differences(mode, run):
    def jacobian(x):
        return ms.jacrev(run)(tensor(x)).asnumpy()

    close(ms.hessian(run)(tensor(X)), differences(jacobian, X), 1e-7)


@pytest.mark.parametrize("outer", KINDS, **named)
@pytest.mark.parametrize("inner", KINDS, **named)
@pytest.mark.parametrize("run", [to_a_number, branching, looping], **named)
def test_all_orders_of_order_two_agree(run, inner, outer):
    expected = ms.hessian(run)(tensor(X)).asnumpy()
    close(outer(inner(run))(tensor(X)), expected, 1e-12)


def test_closed_forms(mode):
    x = tensor(X)
    close(ms.jacrev(lambda x: ops.matmul(w, x))(x), W)
    close(ms.jacfwd(lambda x: x * x * x)(x), np.diag(3 * X * X))
    close(ms.hessian(lambda x: (x * x * x).sum())(x), np.diag(6 * X))
    third = ms.jacfwd(ms.hessian(lambda x: (x * x * x).sum()))(x).asnumpy()
    assert third.shape == (3, 3, 3) and third.sum() == 18.0
    assert third[range(3), range(3), range(3)].tolist() == [6.0] * 3
    close(ms.jacrev(lambda w: ops.matmul(w, x))(w), np.einsum("ij,k->ijk", np.eye(2), X))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32])
@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_narrow_floats(jacobian, dtype):
    found = jacobian(lambda x: x * x)(ms.Tensor(X, dtype))
    assert found.dtype is dtype and found.tolist() == np.diag(2 * X).tolist()


@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_sizes_of_nothing(jacobian):
    assert jacobian(lambda x: x * x)(tensor(np.zeros(0))).shape == (0, 0)
    assert jacobian(lambda x: x[:0])(tensor(X)).shape == (0, 3)
    assert plain(jacobian(lambda x: x * x)(tensor(3.0))) == 6.0
    assert plain(ms.hessian(lambda x: x * x * x)(tensor(2.0))) == 12.0


# ---- forms -----------------------------------------------------------------------------------


def two(x, y):
    return x * y[0], {"sum": (x.sum() * y, None)}


@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_forms(mode, jacobian):
    x, y = tensor([2.0, 3.0]), tensor([5.0, 7.0])
    by_x = [[5.0, 0.0], [0.0, 5.0]], {"sum": ([[5.0, 5.0], [7.0, 7.0]], None)}
    by_y = [[2.0, 0.0], [3.0, 0.0]], {"sum": ([[5.0, 0.0], [0.0, 5.0]], None)}
    for position in (0, (0,), [0]):
        assert plain(jacobian(two, position)(x, y)) == by_x
    assert plain(jacobian(two, 1)(x, y)) == by_y
    first, more = plain(jacobian(two, (1, 0))(x, y))
    assert first == (by_y[0], by_x[0])
    assert more == {"sum": ((by_y[1]["sum"][0], by_x[1]["sum"][0]), None)}


@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_containers_and_integers(jacobian):
    def f(states, n):
        return states["a"] * states["b"][0] * n, n + 1

    states = {"a": tensor([1.0, 2.0]), "b": [tensor(3.0), tensor(np.array([4, 5])), 2]}
    of_float, of_integer = jacobian(f)(states, tensor(np.array([1, 10])))
    assert plain(of_float) == {
        "a": [[3.0, 0.0], [0.0, 30.0]],
        "b": [[1.0, 20.0], [[0.0] * 2] * 2, None],
    }
    assert of_integer["a"].dtype is ms.int64 and plain(of_integer["a"]) == [[0, 0], [0, 0]]


@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_others_of_the_outputs(mode, jacobian):
    x = tensor([2.0, 3.0])
    found, aux = jacobian(lambda x: (x * x, x + 1.0), has_aux=True)(x)
    assert plain([found, aux]) == [[[4.0, 0.0], [0.0, 6.0]], [3.0, 4.0]]
    found, aux = jacobian(lambda x: (x * x, x + 1.0, {"n": x.sum()}), 0, True)(x)
    assert plain(found) == [[4.0, 0.0], [0.0, 6.0]] and plain(aux) == ([3.0, 4.0], {"n": 5.0})
    refused_here("E0404", jacobian(lambda x: x, has_aux=True), x)


def test_others_of_the_outputs_of_a_hessian(mode):
    found, aux = ms.hessian(lambda x: ((x * x * x).sum(), x + 1.0), has_aux=True)(
        tensor([1.0, 2.0])
    )
    assert plain(found) == [[6.0, 0.0], [0.0, 12.0]] and plain(aux) == [2.0, 3.0]


def test_the_hessian_of_several_arguments(mode):
    found = ms.hessian(lambda x, y: (x * x * y).sum(), (0, 1))(
        tensor([2.0, 3.0]), tensor([5.0, 7.0])
    )
    xx, xy, yx, yy = [[10.0, 0.0], [0.0, 14.0]], *([[[4.0, 0.0], [0.0, 6.0]]] * 2), [[0.0] * 2] * 2
    assert plain(found) == ((xx, xy), (yx, yy))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(W, name="w")
        self.calls = ms.Parameter(np.zeros((), np.int32), name="calls", requires_grad=False)

    def construct(self, x):
        ops.assign(self.calls, self.calls + 1)
        return ops.tanh(ops.matmul(self.w, x))


@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_a_cell_and_its_parameters(mode, jacobian):
    net = Net()
    slope = 1 - np.tanh(W @ X) ** 2
    close(jacobian(net)(tensor(X)), slope[:, None] * W)
    assert net.calls.item() == 1, "what the function writes is written once"
    close(jacobian(ms.compile(net))(tensor(X)), slope[:, None] * W)

    def by_weights(w, x):
        return ops.tanh(ops.matmul(w, x))

    expected = np.einsum("i,ij,k->ijk", slope, np.eye(2), X)
    close(jacobian(by_weights)(net.w, tensor(X)), expected)


def test_positions_that_do_not_fit():
    x, n = tensor(X), tensor(np.array([1, 2]))
    for jacobian in (*KINDS, ms.hessian):
        refused_here("E0304", jacobian, 3)
        refused_here("E0303", jacobian, two, 1.0)
        refused_here("E0404", jacobian, two, (0, 0))
        refused_here("E0404", jacobian, two, None)
        refused_here("E0404", jacobian, two, -1)
        refused_here("E0303", jacobian, two, 0, 1)
        refused_here("E0308", jacobian(lambda x: x, 1), x)
        refused_here("E0308", jacobian(lambda x, n: x, 1), x, 3)
        refused_here("E0301", jacobian(lambda x, n: x * n.sum(), 1), x, n)


# ---- of and in other transforms --------------------------------------------------------------


def test_of_each_row(mode):
    rows = np.stack([X, -X, X[::-1]])
    for run in (branching, looping, to_a_number):
        for derived in (*KINDS, ms.hessian):
            found = ms.vmap(derived(run))(tensor(rows)).asnumpy()
            each = [derived(run)(tensor(row)).asnumpy() for row in rows]
            np.testing.assert_allclose(found, np.stack(each), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("jacobian", KINDS, **named)
def test_the_gradient_of_a_jacobian(mode, jacobian):
    def trace(x):
        return ops.trace(jacobian(lambda y: y * y * y)(x))

    close(ms.grad(trace)(tensor(X)), 6 * X)
    pushed = ms.jvp(jacobian(to_a_number), tensor(X), tensor(X))[1]
    close(pushed, ms.hessian(to_a_number)(tensor(X)).asnumpy() @ X, 1e-12)


@pytest.mark.parametrize("inner", KINDS, **named)
@pytest.mark.parametrize("outer", KINDS, **named)
def test_inner_and_outer_variables_are_apart(mode, inner, outer):
    """Of x times the slope of x + y at y = 1, the derivative is 1; at y = x, by hand."""

    def slope(x):
        return x * ops.trace(inner(lambda y: x + y)(ops.ones_like(x)))

    close(outer(slope)(tensor(X)), 3 * np.eye(3))

    def twice(x):  # the inner Jacobian is diag(2 x y), at y = x
        return ops.matmul(inner(lambda y: x * y * y)(x), x)

    close(outer(twice)(tensor(X)), np.diag(6 * X**2))
    assert plain(inner(lambda y: outer(lambda x: x * y)(y))(tensor(2.0))) == 1.0


def test_inside_compiled_code():
    def bowl(x):
        return x * x * x * x + x

    @ms.compile
    def newton(x):
        for _ in range(12):
            x = x - ms.grad(bowl)(x) / ms.hessian(bowl)(x)
        return x

    close(newton(tensor(-1.0)), -(0.25 ** (1 / 3)), 1e-14)
    starts = tensor(np.array([-1.0, -0.5]))
    close(ms.vmap(newton)(starts), np.full(2, -(0.25 ** (1 / 3))), 1e-14)


def test_what_does_not_depend_on_the_tangent_is_computed_once():
    compiled = ms.compile(ms.jacrev(lambda x: ops.tanh(ops.matmul(w, x))))
    compiled(tensor(X))
    products = [op for op in compiled.stages["dce"].walk() if op.prim.name == "tanh"]
    assert [str(op.result.type) for op in products] == ["f64[2]"]


def test_a_second_call_compiles_nothing(mode):
    derived = ms.jacrev(branching)
    compiled = ms.compile(derived)
    for _ in range(3):
        compiled(tensor(X))
        derived(tensor(X))
    assert len(compiled.variants) <= 2


def test_draws_are_those_of_one_call(mode):
    def f(x):
        return x * x * ops.rand((3,), dtype=ms.float64)

    ms.manual_seed(4)
    one = f(tensor(X)).asnumpy()
    for jacobian in KINDS:
        ms.manual_seed(4)
        close(jacobian(f)(tensor(X)), np.diag(2 * one / X), 1e-14)


def test_get_grad_and_labels():
    """Not of Jacobians: of gradients, by position or Parameter."""
    net = Net()
    gradients = ms.grad(net, (0,), [net.w], return_ids=True)(tensor(X))
    assert plain(ops.get_grad(gradients, 0)) == plain(ms.grad(net)(tensor(X)))
    assert ms.get_grad(gradients, net.w).shape == (2, 3)
    refused_here("E0404", ms.get_grad, gradients, 1)
    refused_here("E0404", ms.get_grad, gradients, net.calls)
    refused_here("E0304", ms.get_grad, gradients, "w")
