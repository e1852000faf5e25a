"""Do the losses keep the laws, and are they right for far scores, -inf, and ignored labels?"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from s2sad import prims as p
from s2sad.core import dtypes
from s2sad.core.diagnostics import S2sadError
from s2sad.ir.builder import build_function
from s2sad.ir.dims import symbol
from s2sad.ir.evaluate import evaluate
from s2sad.ir.types import f16, f32, f64, i32, i64, type_of
from support.laws import Spec, check_laws, distinct, integers, normal, positive
from support.reverse import gradient

inf, nan = np.inf, np.nan
SMOOTH = {"label_smoothing": 0.3}
LABELS = np.array([0, 3, -100, 1])

SPECS = [
    Spec(p.sparse_cross_entropy, (distinct(3, 4), np.array([0, 3, 1]))),
    Spec(p.sparse_cross_entropy, (distinct(2, 4, 3), integers(2, 3, low=0, high=4)),
         {"axis": 1, **SMOOTH}),
    Spec(p.sparse_cross_entropy, (distinct(4, 5), LABELS), {"ignore_index": -100, **SMOOTH}),
    Spec(p.sparse_cross_entropy, (distinct(5), np.array(2))),
    Spec(p.sparse_cross_entropy_grad, (normal(3, 4), np.array([0, 3, 1]), normal(3))),
    Spec(p.sparse_cross_entropy_grad, (normal(4, 5), LABELS, normal(4)),
         {"ignore_index": -100, **SMOOTH}),
    Spec(p.cross_entropy, (distinct(3, 4), positive(3, 4))),
    Spec(p.cross_entropy, (distinct(2, 4, 3), positive(2, 4, 3)), {"axis": 1, **SMOOTH}),
    Spec(p.cross_entropy_grad, (normal(3, 4), positive(3, 4), normal(3)), SMOOTH),
]  # fmt: skip


@pytest.mark.parametrize("spec", SPECS, ids=str)
def test_laws(spec):
    check_laws(spec)


def pulled(run, operands, dout):
    """Gradients of the first result of `run`."""
    program = build_function(lambda *v: run(*v)[0], [type_of(x) for x in operands])
    return evaluate(gradient(program), [*operands, dout])


def sparse(logits, labels, **attrs):
    """Loss and gradient of its sum with respect to the logits."""
    logits, labels = np.asarray(logits, float), np.asarray(labels)
    loss, _ = p.sparse_cross_entropy(logits, labels, **attrs)
    run = lambda x, y: p.sparse_cross_entropy(x, y, **attrs)  # noqa: E731
    return loss, pulled(run, [logits, labels], np.ones(loss.shape))[0]


def reference(logits, labels, smoothing, axis):
    """Written out with the distribution that is wanted."""
    count = logits.shape[axis]
    wanted = np.moveaxis(np.eye(count)[labels], -1, axis) * (1 - smoothing) + smoothing / count
    logs = special.log_softmax(logits, axis)
    return -(wanted * logs).sum(axis), special.softmax(logits, axis) - wanted


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_sparse_loss_is_the_formula(axis, smoothing):
    logits = normal(4, 5, 3) * 10
    shape = tuple(np.delete(logits.shape, axis))
    labels = integers(*shape, low=0, high=logits.shape[axis])
    found = sparse(logits, labels, axis=axis, label_smoothing=smoothing)
    for one, other in zip(found, reference(logits, labels, smoothing, axis), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_far_scores_and_masked_classes():
    loss, dx = sparse([[1000.0, 0.0, -1000.0]] * 3, [0, 1, 2])
    np.testing.assert_allclose(loss, [0, 1000, 2000])
    np.testing.assert_allclose(dx, [[0, 0, 0], [1, -1, 0], [1, 0, -1]])
    loss, dx = sparse([[0.0, -inf, 0.0]] * 2, [0, 1])
    np.testing.assert_allclose(loss, [np.log(2), inf])
    np.testing.assert_allclose(dx, [[-0.5, 0, 0.5], [0.5, -1, 0.5]])


def test_ignored_labels():
    logits = normal(4, 5)
    logits[2] = nan  # what is ignored is not looked at
    loss, dx = sparse(logits, LABELS, ignore_index=-100)
    kept = [0, 1, 3]
    expected = reference(logits[kept], LABELS[kept], 0.0, 1)
    np.testing.assert_allclose(loss[kept], expected[0], rtol=1e-12)
    np.testing.assert_allclose(dx[kept], expected[1], rtol=1e-12)
    assert loss[2] == 0 and not dx[2].any()
    loss, dx = sparse(normal(2, 3), [1, 2], ignore_index=2)  # a class may be ignored
    assert loss[1] == 0 and loss[0] > 0 and not dx[1].any()


@pytest.mark.parametrize("label", [4, -1, -4, 100, -(2**63)])
def test_labels_must_name_a_class(label):
    program = build_function(lambda x, y: p.sparse_cross_entropy(x, y), [f64[1, 4], i64[1]])
    with pytest.raises(IndexError, match="E0501"):
        evaluate(program, [np.zeros((1, 4)), np.array([label])])


@pytest.mark.parametrize("dtype", dtypes.ALL[4:9], ids=lambda d: d.short)
def test_labels_of_any_integer_dtype(dtype):
    logits = normal(2, 200)  # more classes than an i8 has
    labels = np.array([3, 120], dtype.storage)
    expected = -special.log_softmax(logits, 1)[[0, 1], [3, 120]]
    np.testing.assert_allclose(p.sparse_cross_entropy(logits, labels)[0], expected, rtol=1e-12)


def test_dense_loss_is_the_formula():
    logits, targets, dloss = normal(3, 4) * 5, positive(3, 4), normal(3)
    loss, logs = p.cross_entropy(logits, targets)
    np.testing.assert_allclose(logs, special.log_softmax(logits, 1), rtol=1e-12)
    np.testing.assert_allclose(loss, -(targets * logs).sum(1), rtol=1e-12)
    dlogits, dtargets = pulled(p.cross_entropy, [logits, targets], dloss)
    total = targets.sum(1, keepdims=True)
    expected = dloss[:, None] * (special.softmax(logits, 1) * total - targets)
    np.testing.assert_allclose(dlogits, expected, rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(dtargets, -dloss[:, None] * logs, rtol=1e-12)


def test_one_hot_targets_are_labels():
    logits, labels = normal(3, 4), np.array([0, 3, 1])
    for smoothing in (0.0, 0.2):
        attrs = {"label_smoothing": smoothing}
        dense = p.cross_entropy(logits, np.eye(4)[labels], **attrs)[0]
        np.testing.assert_allclose(
            dense, p.sparse_cross_entropy(logits, labels, **attrs)[0], rtol=1e-12
        )


def test_classes_that_are_not_wanted_do_not_count():
    logits, targets = np.array([0.0, 0.0, -inf]), np.array([0.25, 0.75, 0.0])
    loss, _ = p.cross_entropy(logits, targets)
    assert loss == pytest.approx(np.log(2))
    dlogits, _ = pulled(p.cross_entropy, [logits, targets], np.array(1.0))
    np.testing.assert_allclose(dlogits, [0.25, -0.25, 0])


@pytest.mark.parametrize("dtype", [dtypes.float16, dtypes.bfloat16], ids=lambda d: d.short)
def test_narrow_floats_are_rounded_once(dtype):
    logits, labels = dtypes.narrow(normal(3, 4) * 4, dtype), np.array([0, 3, 1])
    narrow = p.sparse_cross_entropy(logits, labels, **SMOOTH)
    wide = p.sparse_cross_entropy(dtypes.widen(logits), labels, **SMOOTH)
    for one, other in zip(narrow, wide, strict=True):
        np.testing.assert_array_equal(one, dtypes.narrow(other, dtype))


def test_no_rows():
    loss, logs = p.sparse_cross_entropy(np.zeros((0, 3)), np.zeros(0, np.int64))
    assert loss.shape == (0,) and logs.shape == (0, 3)
    assert p.cross_entropy(np.zeros((0, 3)), np.zeros((0, 3)))[0].shape == (0,)


@pytest.mark.parametrize(
    ("prim", "types", "attrs", "code"),
    [
        (p.sparse_cross_entropy, (f32[2, 3], f32[2]), {}, "E0301"),
        (p.sparse_cross_entropy, (i32[2, 3], i32[2]), {}, "E0301"),
        (p.sparse_cross_entropy, (f32[2, 3], i32[3]), {}, "E0401"),
        (p.sparse_cross_entropy, (f32[2, 3], i32[2, 1]), {}, "E0401"),
        (p.sparse_cross_entropy, (f32[2, 3], i32[2]), {"axis": 2}, "E0403"),
        (p.sparse_cross_entropy, (f32[2, 3], i32[2]), {"label_smoothing": 1.5}, "E0404"),
        (p.sparse_cross_entropy, (f32[2, 3], i32[2]), {"label_smoothing": "x"}, "E0303"),
        (p.sparse_cross_entropy, (f32[2, 3], i32[2]), {"ignore_index": 1.0}, "E0303"),
        (p.cross_entropy, (f32[2, 3], f16[2, 3]), {}, "E0301"),
        (p.cross_entropy, (f32[2, 3], f32[3]), {}, "E0401"),
        (p.cross_entropy, (f32[2, 3], f32[2, 3]), {"axis": -3}, "E0403"),
    ],
)
def test_what_does_not_fit_is_refused(prim, types, attrs, code):
    with pytest.raises(S2sadError) as caught:
        build_function(lambda *v: prim(*v, **attrs), types)
    assert caught.value.code == code


def test_sizes_may_be_symbolic():
    batch, classes = symbol("B"), symbol("C")
    types = f32[batch, classes], i32[batch]
    program = build_function(lambda *v: p.sparse_cross_entropy(*v, **SMOOTH), types)
    assert program.result_types == (f32[batch], f32[batch, classes])
    assert gradient(program).result_types == (f32[batch, classes],)
