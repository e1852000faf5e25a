"""Do scalers and managers change the scale as the reference says, eagerly and compiled?"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import amp, nn, ops
from s2sad.core.diagnostics import S2sadError
from tests.support.forms import both_forms


def test_a_static_scale():
    scaler = amp.StaticLossScaler(scale_value=2**10)

    def run(x, y):
        a, b = scaler.scale((x, y))
        return a, b, scaler.unscale((a, b)), scaler.unscale(a)

    x, y = ms.Tensor([1.0, 1 / 3]), ms.Tensor(0.5, ms.float16)
    a, b, (c, d), e = both_forms(run, x, y)
    assert (a.dtype, b.dtype) == (ms.float32, ms.float16) and b.item() == 512.0
    np.testing.assert_array_equal(a.asnumpy(), x.asnumpy() * 1024)
    for back, given in ((c, x), (d, y), (e, x)):
        np.testing.assert_array_equal(back.asnumpy(), given.asnumpy())
    assert scaler.adjust(ms.Tensor(False)) is False and scaler.scale_value.item() == 1024.0


def test_narrow_gradients_survive_a_scale_that_no_narrow_float_holds():
    scaler = amp.StaticLossScaler(2.0**24)
    out = both_forms(lambda x: scaler.unscale(x), ms.Tensor([2.0**10, np.inf], ms.float16))
    np.testing.assert_array_equal(out.asnumpy(), np.float16([2.0**-14, np.inf]))
    grown = both_forms(lambda x: scaler.scale(x), ms.Tensor([2.0**-14, 1.0], ms.float16))
    np.testing.assert_array_equal(grown.asnumpy(), np.float16([1024.0, np.inf]))


def expected(finite, scale, factor, window):
    found, counter = [], 0
    for good in finite:
        if not good:
            scale, counter = max(1.0, scale / factor), 0
        elif counter == window - 1:
            with np.errstate(over="ignore"):
                larger = np.float32(scale) * np.float32(factor)
            scale, counter = float(larger) if np.isfinite(larger) else scale, 0
        else:
            counter += 1
        found.append((scale, counter))
    return found


@pytest.mark.parametrize("window", [1, 2, 3])
@pytest.mark.parametrize("scale", [1.0, 4.0, 2.0**127])
def test_a_dynamic_scale(window, scale):
    finite = [True, True, False, True, False, False, True, True, True, True, True, False, True]
    for is_compiled in (False, True):
        scaler = amp.DynamicLossScaler(scale, 2, window)

        def adjust(good, scaler=scaler):
            scaler.adjust(good)
            return good

        run = ms.compile(adjust) if is_compiled else adjust
        found = []
        for good in finite:
            run(ms.Tensor(good))
            found.append((scaler.scale_value.item(), scaler.counter.item()))
        assert found == expected(finite, scale, 2, window)
    assert scaler.adjust(ms.Tensor(True)) is True


def test_a_scaler_that_is_changed():
    scaler = amp.DynamicLossScaler(4.0, 2, 1)

    @ms.compile
    def adjust(good):
        scaler.adjust(good)
        return good

    adjust(ms.Tensor(True))
    scaler.scale_factor = 4.0
    adjust(ms.Tensor(True))
    assert scaler.scale_value.item() == 32.0


@pytest.mark.parametrize(
    ("inputs", "wanted"),
    [
        (([1.0], [2.0, 3.0]), True), (([1.0], [np.nan]), False), (([np.inf], [1.0]), False),
        (([-np.inf], [np.nan]), False), (([1], [2.0]), True), (([], [1.0]), True),
    ],
)  # fmt: skip
def test_all_finite(inputs, wanted):
    tensors = tuple(ms.Tensor(np.array(x, None if x else np.float32)) for x in inputs)
    out = both_forms(amp.all_finite, tensors)
    assert (out.dtype, out.shape, out.item()) == (ms.bool_, (), wanted)
    assert amp.all_finite(list(tensors)).item() is wanted
    assert amp.all_finite(tensors[0]).item() is bool(np.isfinite(inputs[0]).all())
    narrow = ms.Tensor([65504.0], ms.float16)
    assert amp.all_finite(narrow).item() and not amp.all_finite(narrow * 2.0).item()


def test_a_loop_of_ones_own():
    """A step is left out by the caller; the scale is exact."""
    w = ms.Parameter(ms.Tensor([2.0]), name="w")
    optimizer = nn.Momentum([w], 0.5, 0.5)
    scaler = amp.DynamicLossScaler(2.0**10, 2, 2)
    step = ms.value_and_grad(lambda x: scaler.scale(ops.sum(w * x)), None, [w])
    found = []
    for value in (1.0, np.inf, 1.0):
        _, gradients = step(ms.Tensor([value]))
        gradients = scaler.unscale(gradients)
        finite = amp.all_finite(gradients)
        if finite:
            optimizer(gradients)
        scaler.adjust(finite)
        found.append((w.item(), scaler.scale_value.item()))
    assert found == [(1.5, 1024.0), (1.5, 512.0), (0.75, 512.0)]


def test_managers():
    fixed = amp.FixedLossScaleManager()
    fixed.update_loss_scale(True)
    assert fixed.get_loss_scale() == 128.0 and fixed.get_drop_overflow_update()
    assert isinstance(fixed.get_update_cell(), nn.FixedLossScaleUpdateCell)
    assert amp.FixedLossScaleManager(2.0, False).get_update_cell() is None
    dynamic = amp.DynamicLossScaleManager(init_loss_scale=8, scale_factor=2, scale_window=2)
    assert dynamic.get_drop_overflow_update() and dynamic.get_loss_scale() == 8.0
    scales = []
    for overflow in (False, False, True, False, False, True, True, True, True, True):
        dynamic.update_loss_scale(overflow)
        scales.append(dynamic.get_loss_scale())
    assert scales == [8, 16, 8, 8, 16, 8, 4, 2, 1, 1]
    cell = dynamic.get_update_cell()
    assert (cell.get_loss_scale(), cell.scale_factor, cell.scale_window) == (1.0, 2.0, 2)
    for _ in range(995):
        dynamic.update_loss_scale(True)
    with pytest.raises(RuntimeError, match="E0713"):
        dynamic.update_loss_scale(True)


@pytest.mark.parametrize(
    ("kind", "call"),
    [
        (ValueError, lambda: amp.StaticLossScaler(0.5)),
        (TypeError, lambda: amp.StaticLossScaler("8")),
        (ValueError, lambda: amp.DynamicLossScaler(8.0, 0, 2)),
        (ValueError, lambda: amp.DynamicLossScaler(8.0, 2, 0)),
        (ValueError, lambda: amp.FixedLossScaleManager(0.5)),
        (TypeError, lambda: amp.FixedLossScaleManager(8.0, 1)),
        (ValueError, lambda: amp.DynamicLossScaleManager(0)),
        (TypeError, lambda: amp.DynamicLossScaleManager().update_loss_scale(1)),
        (TypeError, lambda: amp.all_finite(3.0)),
        (TypeError, lambda: amp.StaticLossScaler(2).scale(3.0)),
    ],
)
def test_what_is_refused(kind, call):
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, S2sadError)
