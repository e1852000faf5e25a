"""Are the updates those of the papers, over several steps, and are they programs like others?"""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import prims as p
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.types import bool_, f16, f32
from support.laws import Spec, check_laws, normal, positive

RATE, KEEP, POWERS = np.array(0.1), np.array(0.9), (np.array(0.8), np.array(0.9))
STATE = (normal(2, 3), normal(2, 3), positive(2, 3))  # parameter, first and second moment
FACTS = {"beta1": 0.8, "beta2": 0.9, "eps": 0.01}
RMS = {"decay": 0.8, "momentum": 0.5, "eps": 0.01}

SPECS = [
    Spec(p.sgd_update, (normal(2, 3), normal(2, 3), RATE)),
    Spec(p.momentum_update, (normal(3), normal(3), normal(3), RATE, KEEP)),
    Spec(p.momentum_update, (normal(3), normal(3), normal(3), RATE, KEEP), {"nesterov": True}),
    *(
        Spec(p.sgd_momentum_update, (normal(3), normal(3), np.array(first), normal(3), RATE, KEEP),
             {"dampening": 0.2, "nesterov": nesterov})
        for first in (False, True) for nesterov in (False, True)
    ),
    Spec(p.adam_update, (*STATE, normal(2, 3), RATE, *POWERS), FACTS),
    Spec(p.adam_update, (*STATE, normal(2, 3), RATE, *POWERS), {"nesterov": True, **FACTS}),
    Spec(p.amsgrad_update, (*STATE, positive(2, 3), normal(2, 3), RATE, *POWERS), FACTS),
    Spec(p.adam_weight_decay_update, (*STATE, normal(2, 3), RATE), {"weight_decay": 0.1, **FACTS}),
    Spec(p.adamw_update, (*STATE, normal(2, 3), RATE, *POWERS), {"weight_decay": 0.1, **FACTS}),
    Spec(p.lamb_update, (*STATE, normal(2, 3), RATE, *POWERS), {"weight_decay": 0.1, **FACTS}),
    Spec(p.adagrad_update, (normal(3), positive(3), normal(3), RATE)),
    Spec(p.adagrad_update, (normal(3), positive(3), normal(3), RATE), {"update_slots": False}),
    Spec(p.rmsprop_update, (normal(3), positive(3), normal(3), normal(3), RATE), RMS),
    Spec(
        p.centered_rmsprop_update,
        (normal(3), normal(3) * 0.1, positive(3) + 1.0, normal(3), normal(3), RATE), RMS,
    ),
    Spec(p.adam_update, (*(np.zeros((0, 2)),) * 4, RATE, *POWERS)),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


W, GRADIENTS = normal(4), [normal(4) for _ in range(3)]
BETA1, BETA2, EPS, LR = 0.9, 0.99, 1e-3, 0.05


def run(prim, slots, *, powers=False, **attrs):
    """Parameter after three steps of `prim` with `slots` zero slots."""
    values = [W, *[np.zeros(4)] * slots]
    for step, g in enumerate(GRADIENTS, 1):
        extra = (BETA1**step, BETA2**step) if powers else ()
        values = list(prim(*values, g, LR, *extra, beta1=BETA1, beta2=BETA2, eps=EPS, **attrs))
    return values[0]


def moments():
    """First and second moment of each step, as the papers define them: sums over the past."""
    for step in range(1, 4):
        past = range(step)
        m = sum((1 - BETA1) * BETA1 ** (step - 1 - i) * GRADIENTS[i] for i in past)
        v = sum((1 - BETA2) * BETA2 ** (step - 1 - i) * GRADIENTS[i] ** 2 for i in past)
        yield step, GRADIENTS[step - 1], m, v


def test_sgd_and_momentum():
    w = p.sgd_update(W, GRADIENTS[0], 0.5)
    np.testing.assert_allclose(w, W - 0.5 * GRADIENTS[0])
    for nesterov in (False, True):
        w, velocity, expected, sum_ = W, np.zeros(4), W, np.zeros(4)
        for g in GRADIENTS:
            w, velocity = p.momentum_update(w, velocity, g, LR, 0.9, nesterov=nesterov)
            sum_ = 0.9 * sum_ + g
            expected = expected - LR * (g + 0.9 * sum_ if nesterov else sum_)
        np.testing.assert_allclose(w, expected, rtol=1e-12)
        np.testing.assert_allclose(velocity, sum_, rtol=1e-12)


def test_damped_momentum_starts_with_the_whole_gradient():
    w, velocity = W, np.full(4, 7.0)
    for step, g in enumerate(GRADIENTS):
        first = np.array(step == 0)
        w, velocity = p.sgd_momentum_update(w, velocity, first, g, LR, 0.9, dampening=0.25)
    g0, g1, g2 = GRADIENTS
    v1, v2 = 0.9 * g0 + 0.75 * g1, 0.81 * g0 + 0.675 * g1 + 0.75 * g2
    np.testing.assert_allclose(velocity, v2, rtol=1e-12)
    np.testing.assert_allclose(w, W - LR * (g0 + v1 + v2), rtol=1e-12)


def test_adam_and_its_nesterov_form():
    plain = ahead = W
    for step, g, m, v in moments():
        scale = LR * np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
        plain = plain - scale * m / (np.sqrt(v) + EPS)
        ahead = ahead - scale * (BETA1 * m + (1 - BETA1) * g) / (np.sqrt(v) + EPS)
    np.testing.assert_allclose(run(p.adam_update, 2, powers=True), plain, rtol=1e-12)
    found = run(p.adam_update, 2, powers=True, nesterov=True)
    np.testing.assert_allclose(found, ahead, rtol=1e-12)


def test_amsgrad():
    w, largest = W, np.zeros(4)
    for step, _, m, v in moments():
        largest = np.maximum(largest, v)
        scale = LR * np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
        w = w - scale * m / (np.sqrt(largest) + EPS)
    np.testing.assert_allclose(run(p.amsgrad_update, 3, powers=True), w, rtol=1e-12)


def test_decoupled_decay():
    ours = decoupled = W
    for step, _, m, v in moments():
        ours = ours - LR * (m / (np.sqrt(v) + EPS) + 0.1 * ours)
        m, v = m / (1 - BETA1**step), v / (1 - BETA2**step)
        decoupled = decoupled - LR * (m / (np.sqrt(v) + EPS) + 0.1 * decoupled)
    found = run(p.adam_weight_decay_update, 2, weight_decay=0.1)
    np.testing.assert_allclose(found, ours, rtol=1e-12)
    found = run(p.adamw_update, 2, powers=True, weight_decay=0.1)
    np.testing.assert_allclose(found, decoupled, rtol=1e-12)


def test_lamb():
    w = W
    for step, _, m, v in moments():
        m, v = m / (1 - BETA1**step), v / (1 - BETA2**step)
        move = m / (np.sqrt(v) + EPS) + 0.1 * w
        w = w - LR * np.linalg.norm(w) / np.linalg.norm(move) * move
    np.testing.assert_allclose(run(p.lamb_update, 2, powers=True, weight_decay=0.1), w, rtol=1e-12)


def test_lamb_where_a_length_is_zero():
    zero, g = np.zeros(2), np.array([3.0, 4.0])
    w, *_ = p.lamb_update(zero, zero, zero, g, 0.1, 0.9, 0.999, eps=0.0)
    np.testing.assert_allclose(w, [-0.1, -0.1])
    w, *_ = p.lamb_update(g, zero, zero, zero, 0.1, 0.9, 0.999)
    np.testing.assert_array_equal(w, g)


def test_adam_at_rest_stays():
    zero = np.zeros(3, np.float32)
    w, m, v = p.adam_update(zero + 1, zero, zero, zero, 0.1, 0.9, 0.999)
    assert (w == 1).all() and not m.any() and not v.any() and w.dtype == np.float32


def test_a_narrow_parameter_may_have_wide_state():
    w, state = np.ones(3, np.float16), np.zeros(3, np.float32)
    g = np.full(3, 1e-4, np.float16)
    rate, powers = np.array(0.1, np.float32), np.array([0.9, 0.999], np.float32)
    new, m, v = p.adam_update(w, state, state, g, rate, powers[0], powers[1])
    assert new.dtype == np.float16 and m.dtype == v.dtype == np.float32
    assert (v > 0).all()  # in float16 it would be 0
    np.testing.assert_allclose(new, 0.9, rtol=1e-3)


@pytest.mark.parametrize(
    ("prim", "types", "attrs", "code"),
    [
        (p.sgd_update, (f32[3], f32[1], f32), {}, "E0401"),
        (p.sgd_update, (f32[3], f32[3], f32[3]), {}, "E0401"),
        (p.adam_update, (*[f32[3]] * 3, f32, f32, f32, f32), {}, "E0401"),
        (p.adam_update, (*[f32[3]] * 4, f32, f32, f32), {"nesterov": 1}, "E0303"),
        (p.adam_update, (*[f32[3]] * 4, f32, f32, f32), {"eps": "1"}, "E0303"),
        (p.adam_update, (*[f32[3]] * 4, f32, f32), {}, "E0302"),
        (p.momentum_update, (*[f32[3]] * 3, f32, bool_), {}, "E0301"),
        (p.sgd_momentum_update, (f32[3], f32[3], f32, f32[3], f32, f32), {}, "E0301"),
    ],
)
def test_what_does_not_fit_is_refused(prim, types, attrs, code):
    with pytest.raises(S2sadError) as caught:
        build_function(lambda *v: prim(*v, **attrs), types)
    assert caught.value.code == code


def test_a_gradient_may_be_narrower_than_its_parameter():
    program = build_function(lambda *v: p.sgd_update(*v), (f32[3], f16[3], f32))
    assert program.result_types == (f32[3],)


@pytest.mark.parametrize("grows", [True, False])
def test_adagrad(grows):
    w, total = W, np.full(4, 0.1)
    for g in GRADIENTS:
        w, total = p.adagrad_update(w, total, g, LR, update_slots=grows)
    expected, sums = W, np.full(4, 0.1)
    for g in GRADIENTS:
        sums = sums + g**2 * grows
        expected = expected - LR * g / np.sqrt(sums)
    np.testing.assert_allclose(w, expected, rtol=1e-12)
    np.testing.assert_allclose(total, sums, rtol=1e-12)


@pytest.mark.parametrize("centered", [True, False])
def test_rmsprop(centered):
    facts = {"decay": 0.75, "momentum": 0.5, "eps": 1e-3}
    update = p.centered_rmsprop_update if centered else p.rmsprop_update
    state = [W, *[np.zeros(4)] * centered, np.ones(4), np.zeros(4)]
    for g in GRADIENTS:
        state = list(update(*state, g, LR, **facts))
    w, mean, square, moved = W, np.zeros(4), np.ones(4), np.zeros(4)
    for g in GRADIENTS:
        mean, square = 0.75 * mean + 0.25 * g, 0.75 * square + 0.25 * g**2
        moved = 0.5 * moved + LR * g / np.sqrt(square - mean**2 * centered + 1e-3)
        w = w - moved
    expected = [w, *[mean] * centered, square, moved]
    for found, right in zip(state, expected, strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-12)
