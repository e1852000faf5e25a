"""Do the rarer optimizers make the steps of their formulas, written out in float64 NumPy?"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.diagnostics import S2sadError
from support.steps import check_rule, gradients_of, parameters

BOTH = pytest.mark.parametrize("is_compiled", [False, True])


def adadelta(w, g, state, rate, rho=0.9, eps=1e-6):
    a = state["a"] = rho * state.get("a", 0.0) + (1 - rho) * g**2
    u = np.sqrt(state.get("d", 0.0) + eps) / np.sqrt(a + eps) * g
    state["d"] = rho * state.get("d", 0.0) + (1 - rho) * u**2
    return w - rate * u


def adamax(w, g, state, rate, beta1=0.9, beta2=0.999, eps=1e-8):
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    u = state["u"] = np.maximum(beta2 * state.get("u", 0.0), np.abs(g))
    return w - rate / (1 - beta1**t) * m / (u + eps)


def adam(w, g, state, rate, beta1=0.9, beta2=0.999, eps=1e-8, nesterov=False):
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    v = state["v"] = beta2 * state.get("v", 0.0) + (1 - beta2) * g**2
    m = beta1 * m + (1 - beta1) * g if nesterov else m
    return w - rate * np.sqrt(1 - beta2**t) / (1 - beta1**t) * m / (np.sqrt(v) + eps)


def ftrl(w, g, state, rate, accum=0.1, power=-0.5, l1=0.0, l2=0.0):
    m, u = state.get("m", accum), state.get("u", 0.0)
    n = m + g**2
    u = u + g - (n**-power - m**-power) / rate * w
    state.update(m=n, u=u)
    return np.where(np.abs(u) > l1, (np.sign(u) * l1 - u) / (n**-power / rate + 2 * l2), 0.0)


def proximal(w, g, state, rate, accum=0.1, l1=0.0, l2=0.0):
    a = state["a"] = state.get("a", accum) + g**2
    r = rate / np.sqrt(a)
    v = w - r * g
    return np.sign(v) * np.maximum(np.abs(v) - r * l1, 0) / (1 + r * l2)


def rprop(w, g, state, rate, etas=(0.5, 1.2), sizes=(1e-6, 50.0)):
    step, before = state.get("step", rate), state.get("g", 0.0)
    factor = np.where(g * before > 0, etas[1], np.where(g * before < 0, etas[0], 1.0))
    step = state["step"] = np.clip(step * factor, *sizes)
    g = state["g"] = np.where(g * before < 0, 0.0, g)
    return w - np.sign(g) * step


def asgd(w, g, state, rate, lambd=1e-4, alpha=0.75, t0=1e6):
    t = state["t"] = state.get("t", 0) + 1
    eta, mu = state.get("eta", rate), state.get("mu", 1.0)
    w = w * (1 - lambd * eta) - eta * g
    state["ax"] = state.get("ax", 0.0) + mu * (w - state.get("ax", 0.0))
    state["eta"] = rate / (1 + lambd * rate * t) ** alpha
    state["mu"] = 1 / max(1, t - t0)
    return w


def lamb(w, g, state, rate, beta1=0.9, beta2=0.999, eps=1e-6, decay=0.0):
    t = state["t"] = state.get("t", 0) + 1
    m = state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * g
    v = state["v"] = beta2 * state.get("v", 0.0) + (1 - beta2) * g**2
    r = m / (1 - beta1**t) / (np.sqrt(v / (1 - beta2**t)) + eps) + decay * w
    return w - rate * np.linalg.norm(w) / np.linalg.norm(r) * r


def rms(x):
    return np.sqrt(np.mean(x**2))


def adafactor(
    w, g, state, rate, eps=(1e-30, 1e-3), clip=1.0, decay_rate=0.8, beta1=0.9, decay=0.0,
    scale=True, relative=True, warmup=False,
):  # fmt: skip
    t = state["t"] = state.get("t", 0) + 1
    if relative:
        rate = min(1e-6 * t if warmup else 0.01, 1 / np.sqrt(t))
    if scale:
        rate = rate * max(eps[1], rms(w))
    kept, squares = 1 - t**-decay_rate, g**2 + eps[0]
    if g.ndim < 2:
        v = state["v"] = kept * state.get("v", 0.0) + (1 - kept) * squares
    else:
        row = state["r"] = kept * state.get("r", 0.0) + (1 - kept) * squares.mean(-1)
        column = state["c"] = kept * state.get("c", 0.0) + (1 - kept) * squares.mean(-2)
        v = row[..., None] * column[..., None, :] / row.mean(-1)[..., None, None]
    u = g / np.sqrt(v)
    u = u / max(1, rms(u) / clip) * rate
    if beta1:
        u = state["m"] = beta1 * state.get("m", 0.0) + (1 - beta1) * u
    return w - decay * rate * w - u


#: What makes the optimizer, its rule, and the decay that goes into gradients.
RULES = {
    "adadelta": (lambda ps: nn.Adadelta(ps, 0.25), adadelta, 0.0),
    "adadelta with all": (
        lambda ps: nn.Adadelta(ps, 0.25, 0.5, 1e-3, 4.0, 0.125),
        partial(adadelta, rho=0.5, eps=1e-3), 0.125,
    ),
    "adamax": (lambda ps: nn.AdaMax(ps, 0.25), adamax, 0.0),
    "adamax with all": (
        lambda ps: nn.AdaMax(ps, 0.25, 0.5, 0.75, 1e-3, 0.125, 4.0),
        partial(adamax, beta1=0.5, beta2=0.75, eps=1e-3), 0.125,
    ),
    "lazy adam": (
        lambda ps: nn.LazyAdam(ps, 0.25, 0.5, 0.75, 1e-3, False, True, 0.125, 4.0),
        partial(adam, beta1=0.5, beta2=0.75, eps=1e-3, nesterov=True), 0.125,
    ),
    "adam offload": (lambda ps: nn.AdamOffload(ps, 0.25), adam, 0.0),
    "ftrl": (lambda ps: nn.FTRL(ps, learning_rate=0.25), ftrl, 0.0),
    "ftrl with all": (
        lambda ps: nn.FTRL(ps, 0.5, 0.25, -0.75, 0.5, 0.25, False, 4.0, 0.125),
        partial(ftrl, accum=0.5, power=-0.75, l1=0.5, l2=0.25), 0.125,
    ),
    "proximal adagrad": (lambda ps: nn.ProximalAdagrad(ps, learning_rate=0.25), proximal, 0.0),
    "proximal adagrad with all": (
        lambda ps: nn.ProximalAdagrad(ps, 0.5, 0.25, 0.5, 0.25, False, 4.0, 0.125),
        partial(proximal, accum=0.5, l1=0.5, l2=0.25), 0.125,
    ),
    "rprop": (lambda ps: nn.Rprop(ps, 0.25), rprop, 0.0),
    "rprop with all": (
        lambda ps: nn.Rprop(ps, 0.25, (0.25, 1.5), (0.0625, 0.5), 0.125),
        partial(rprop, etas=(0.25, 1.5), sizes=(0.0625, 0.5)), 0.125,
    ),
    "asgd": (lambda ps: nn.ASGD(ps, 0.25), asgd, 0.0),
    "asgd with all": (
        lambda ps: nn.ASGD(ps, 0.25, 0.125, 0.5, 3.0, 0.125),
        partial(asgd, lambd=0.125, alpha=0.5, t0=3.0), 0.125,
    ),
    "lamb": (lambda ps: nn.Lamb(ps, 0.25), lamb, 0.0),
    "adafactor": (lambda ps: nn.AdaFactor(ps), adafactor, 0.0),
    "adafactor with all": (
        lambda ps: nn.AdaFactor(
            ps, None, (1e-4, 1e-2), 0.5, 0.5, None, 0.125, False, True, True
        ),
        partial(
            adafactor, eps=(1e-4, 1e-2), clip=0.5, decay_rate=0.5, beta1=0, decay=0.125,
            scale=False, warmup=True,
        ), 0.0,
    ),
    "adafactor with a rate": (
        lambda ps: nn.AdaFactor(ps, 0.25, beta1=0.0, relative_step=False),
        partial(adafactor, beta1=0, relative=False), 0.0,
    ),
}  # fmt: skip


@BOTH
@pytest.mark.parametrize("name", RULES)
def test_rules(name, is_compiled):
    make, rule, decay = RULES[name]
    weights = parameters()
    optimizer = make(weights)
    check_rule(optimizer, weights, rule, 0.25, decay, optimizer.loss_scale, is_compiled=is_compiled)
    assert optimizer.global_step.tolist() == [50]


@BOTH
def test_the_mean_of_asgd(is_compiled):
    w = ms.Parameter(ms.Tensor([1.0, -2.0], ms.float64), name="w")
    optimizer = nn.ASGD([w], 0.25, 0.0, t0=2.0)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    seen = []
    for step in range(8):
        apply((ms.Tensor(gradients_of(step, [w])[0]),))
        seen.append(w.asnumpy().copy())
    # The first three steps count with mu 1, from then on the mean is that of all since.
    np.testing.assert_allclose(optimizer.ax[0].asnumpy(), np.mean(seen[3:], 0), rtol=1e-12)


def test_lamb_decays_apart_from_the_gradient():
    weights = parameters()
    decayed, others = [weights[0]], [weights[2]]
    check_rule(nn.Lamb(decayed, 0.25, 0.5, 0.75, 1e-3, 0.125), decayed,
        partial(lamb, beta1=0.5, beta2=0.75, eps=1e-3, decay=0.125), 0.25)  # fmt: skip
    check_rule(nn.Lamb(others, 0.25, weight_decay=0.125), others, lamb, 0.25)


@BOTH
def test_lamb_of_a_parameter_of_length_zero(is_compiled):
    w = ms.Parameter(ms.Tensor([0.0, 0.0], ms.float64), name="w")
    optimizer = nn.Lamb([w], 0.25)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    apply((ms.Tensor([1.0, -1.0], ms.float64),))
    np.testing.assert_allclose(w.asnumpy(), [-0.25, 0.25], rtol=1e-5)


def lars(w, g, decay, coefficient, eps, clip, rate):
    trust = coefficient * np.linalg.norm(w) / (
        np.linalg.norm(g) + decay * np.linalg.norm(w) + eps
    )  # fmt: skip
    trust = min(trust / rate, 1.0) if clip else trust
    return trust * (g + decay * w)


@BOTH
@pytest.mark.parametrize("clip", [False, True])
def test_lars(is_compiled, clip):
    weights = parameters()
    inner = nn.Momentum(weights, 0.25, 0.5, 0.125, 4.0)
    optimizer = nn.LARS(inner, 1e-3, 0.5, clip)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    expected, moved = [w.asnumpy().copy() for w in weights], [0.0] * len(weights)
    for step in range(50):
        gradients = gradients_of(step, weights)
        assert apply(tuple(map(ms.Tensor, gradients))) == (True,) * len(weights)
        for i, w in enumerate(weights):
            g = gradients[i] / 4
            if "bias" not in w.name:
                decay = 0.0 if "gamma" in w.name else 0.125
                g = lars(expected[i], g, decay, 0.5, 1e-3, clip, 0.25)
            moved[i] = 0.5 * moved[i] + g
            expected[i] = expected[i] - 0.25 * moved[i]
            np.testing.assert_allclose(w.asnumpy(), expected[i], rtol=1e-12, atol=1e-12)


class Halving(nn.Cell):
    def construct(self, step):
        return 0.5 ** ops.cast(step + 1, ms.float32)


@BOTH
def test_lars_takes_decays_of_groups(is_compiled):
    w, v = (ms.Parameter(ms.Tensor([2.0], ms.float64), name=name) for name in "wv")
    inner = nn.SGD([{"params": [w], "weight_decay": Halving()}, {"params": [v], "lr": 0.5}], 1.0)
    optimizer = nn.LARS(inner, 0.0, 1.0, True)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    apply((ms.Tensor([1.0], ms.float64), ms.Tensor([1.0], ms.float64)))
    # w: trust 2 / (1 + 0.5 * 2) = 1, gradient 1 + 0.5 * 2; v: trust min(2 / 0.5, 1), gradient 1.
    assert (w.item(), v.item()) == (0.0, 1.5)


def test_lars_with_lengths_of_zero():
    w, v = (ms.Parameter(ms.Tensor([x], ms.float64), name=n) for x, n in ((0.0, "w"), (2.0, "v")))
    nn.LARS(nn.SGD([w, v], 0.5))((ms.Tensor([1.0], ms.float64), ms.Tensor([0.0], ms.float64)))
    assert (w.item(), v.item()) == (-0.5, 2.0)


def test_names_of_states():
    w = ms.Parameter(ms.Tensor([1.0]), name="net.w")
    found = {
        kind.__name__: [x.name for x in kind([w], *more).get_parameters() if x is not w][2:]
        for kind, *more in [
            (nn.Adadelta,), (nn.AdaMax,), (nn.LazyAdam,), (nn.AdamOffload,), (nn.FTRL,), (nn.ASGD,),
            (nn.ProximalAdagrad,), (nn.Rprop,), (nn.Lamb, 0.1), (nn.AdaFactor,),
        ]
    }  # fmt: skip
    adam = ["beta1_power", "beta2_power", "moment1.net.w", "moment2.net.w"]
    assert found == {
        "Adadelta": ["accum.net.w", "accum_update.net.w"],
        "AdaMax": ["beta1_power", "moment1.net.w", "moment2.net.w"],
        "LazyAdam": adam,
        "AdamOffload": adam,
        "FTRL": ["moments.net.w", "linear.net.w"],
        "ASGD": ["mu_net.w", "eta_net.w", "ax_.net.w"],
        "ProximalAdagrad": ["accum.net.w"],
        "Rprop": ["prev.net.w", "step_size.net.w"],
        "Lamb": ["lamb_m.net.w", "lamb_v.net.w"],
        "AdaFactor": [
            "exp_avg.net.w", "exp_avg_sq_row_net.w", "exp_avg_sq_col_net.w", "exp_avg_sq_net.w",
            "afactor_step",
        ],
    }  # fmt: skip


def test_narrow_parameters_are_updated_in_float32():
    for kind, rule in ((nn.Adadelta, adadelta), (nn.FTRL, ftrl), (nn.AdaMax, adamax)):
        weights = parameters(ms.float16)
        before = [w.asnumpy().astype(np.float64) for w in weights]
        gradients = [ms.Tensor(g, ms.float16) for g in gradients_of(0, weights)]
        kind(weights, learning_rate=0.25)(gradients)
        for w, old, g in zip(weights, before, gradients, strict=True):
            right = rule(old, g.asnumpy().astype(np.float64), {}, 0.25)
            assert w.dtype is ms.float16
            np.testing.assert_allclose(w.asnumpy(), right, rtol=1e-3)


W = ms.Parameter(ms.Tensor([1.0]), name="w")


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (lambda: nn.Adadelta([W], rho=1.5), "E0404"), (lambda: nn.Adadelta([W], rho="a"), "E0303"),
        (lambda: nn.AdaMax([W], beta1=1.0), "E0404"), (lambda: nn.AdaMax([W], eps=0.0), "E0404"),
        (lambda: nn.FTRL([W], lr_power=0.5), "E0404"), (lambda: nn.FTRL([W], l1=-1.0), "E0404"),
        (lambda: nn.FTRL([W], learning_rate=0.0), "E0404"),
        (lambda: nn.FTRL([W], learning_rate=[0.1, 0.2]), "E0404"),
        (lambda: nn.FTRL([{"params": [W], "lr": 0.1}]), "E0404"),
        (lambda: nn.ProximalAdagrad([W], l2=-1.0), "E0404"),
        (lambda: nn.Rprop([W], etas=0.5), "E0303"), (lambda: nn.Rprop([W], etas=(1.5, 2)), "E0404"),
        (lambda: nn.Rprop([W], step_sizes=(2.0, 1.0)), "E0404"),
        (lambda: nn.ASGD([W], alpha="a"), "E0303"), (lambda: nn.Lamb([W], 0.1, 1.0), "E0404"),
        (lambda: nn.Lamb([W], 0.1, weight_decay=Halving()), "E0303"),
        (lambda: nn.AdaFactor([W], 0.1), "E0404"),
        (lambda: nn.AdaFactor([W], relative_step=False), "E0404"),
        (lambda: nn.AdaFactor([W], 0.1, relative_step=False, warmup_init=True), "E0404"),
        (lambda: nn.AdaFactor([W], decay_rate=1.0), "E0404"),
        (lambda: nn.AdaFactor([W], eps=1.0), "E0303"),
        (lambda: nn.AdaFactor([W], weight_decay=1.0), "E0404"),
        (lambda: nn.LARS(W), "E0304"), (lambda: nn.LARS(nn.SGD([W]), epsilon=-1.0), "E0404"),
        (lambda: nn.LazyAdam([W], beta2=2.0), "E0404"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be(make, code):
    with pytest.raises(S2sadError) as caught:
        make()
    assert caught.value.code == code


class Dynamic(nn.Optimizer):
    """An optimizer as MindSpore's own are written."""

    @nn.opt_init_args_register
    def __init__(self, params, rate):
        super().__init__(rate, params)
        self.moments = self._parameters.clone(prefix="moment", init="zeros")

    def construct(self, gradients):
        lr = self.get_lr()
        if not self._is_dynamic_lr_or_weight_decay():
            ops.assign_add(self.global_step, 1)
        for w, m, g in zip(self._parameters, self.moments, gradients, strict=True):
            ops.assign_add(m, g)
            ops.assign_sub(w, lr * m)
        return True


@BOTH
def test_an_optimizer_of_ones_own(is_compiled):
    w = ms.Parameter(ms.Tensor([1.0]), name="w")
    optimizer = Dynamic([w], [0.5, 0.25])
    assert optimizer.dynamic_lr and not optimizer.dynamic_weight_decay
    apply = ms.compile(optimizer) if is_compiled else optimizer
    assert [apply((ms.Tensor([1.0]),)) for _ in range(2)] == [True, True]
    assert w.item() == 1 - 0.5 - 0.25 * 2 and optimizer.global_step.tolist() == [2]


signs = ops.MultitypeFuncGraph("signs")


@signs.register("Tensor", "Tensor", "Tensor", "Bool")
def step_by_sign(rate, weight, gradient, is_wanted):
    if is_wanted:
        ops.assign_sub(weight, rate * ops.sign(gradient))
    return True


class Signs(nn.Optimizer):
    """An optimizer with a function for each Parameter, as older ones are written."""

    def construct(self, gradients):
        gradients = self.flatten_gradients(gradients)
        gradients = self.decay_weight(gradients)
        gradients = self.scale_grad(gradients)
        rate = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return self.hyper_map(
            partial(signs, rate), self._parameters, tuple(gradients), self.optim_filter
        )


@BOTH
def test_an_optimizer_with_a_function_for_each_parameter(is_compiled):
    weights = [ms.Parameter(ms.Tensor([1.0]), name=name) for name in ("w", "v")]
    optimizer = Signs(0.25, weights, weight_decay=1.0, loss_scale=2.0)
    assert optimizer.exec_weight_decay and optimizer.need_scale
    assert optimizer.reciprocal_scale == 0.5 and optimizer.decay_flags == (True, True)
    apply = ms.compile(optimizer) if is_compiled else optimizer
    assert apply((ms.Tensor([1.0]), ms.Tensor([-3.0]))) == (True, True)
    assert [w.item() for w in weights] == [0.75, 1.25] and optimizer.global_step.tolist() == [1]
