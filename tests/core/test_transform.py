"""Is a Transform data, and is its meaning left to the layer above?"""

from __future__ import annotations

import dataclasses
import math

import pytest

from s2sad.core import dispatch
from s2sad.core.diagnostics import S2sadError
from s2sad.core.dispatch import Slots, fill, slots
from s2sad.core.parameter import Parameter
from s2sad.core.transform import Transform


@pytest.fixture
def filled(monkeypatch):
    """Slots that tell how they were called."""
    known = Slots(
        {}, lambda *args: ("cell", *args), lambda *args: ("transform", *args), print, print
    )
    monkeypatch.setattr(dispatch, "_filled", [known])
    return known


def test_fields_and_defaults():
    transform = Transform("grad", math.sin)
    assert dataclasses.asdict(transform) == {
        "kind": "grad", "function": math.sin, "grad_position": 0, "weights": None,
        "has_aux": False, "return_ids": False, "sens_param": False, "in_axes": 0, "out_axes": 0,
    }  # fmt: skip


def test_it_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Transform("grad", math.sin).kind = "vjp"  # type: ignore[misc]


def test_calling_it_goes_to_the_slot(filled):
    transform = Transform("vjp", math.sin)
    assert transform(1, 2, x=3) == ("transform", transform, (1, 2), {"x": 3})
    assert Transform("grad", transform)(5)[1].function is transform


def test_two_are_never_equal_and_parameters_are_not_compared():
    w = Parameter([1.0, 2.0], name="w")
    first, second = (
        Transform("grad", math.sin, weights=(w,)),
        Transform("grad", math.sin, weights=(w,)),
    )
    assert first != second and first == first
    assert len({first, second}) == 2


def test_slots_are_filled_once(monkeypatch):
    monkeypatch.setattr(dispatch, "_filled", [])
    with pytest.raises(S2sadError) as caught:
        slots()
    assert caught.value.code == "E0901"
    ours = Slots({}, print, print, print, print)
    fill(ours)
    assert slots() is ours
    with pytest.raises(S2sadError) as caught:
        fill(ours)
    assert caught.value.code == "E0901"
