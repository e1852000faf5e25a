"""`raise` and `assert` that no tensor decides about are Python's own."""

from __future__ import annotations

import pytest

import s2sad as ms
from s2sad.core.diagnostics import S2sadError


class RefusalError(Exception):
    """An exception of the user's own."""


def checked(x, mode="plain"):
    if x.shape[0] != 2:
        raise ValueError(f"two elements, got {x.shape[0]}")
    assert x.ndim == 1, "one axis"
    if mode == "own":
        raise RefusalError("no", 3)
    if mode == "class":
        raise KeyError
    if mode == "cause":
        raise ValueError("later") from KeyError("earlier")
    for _ in range(5):
        assert x.shape[0] > 1
    return x * 2.0


@pytest.mark.parametrize("shape", [(2,)])
def test_what_holds_leaves_no_trace(shape):
    compiled = ms.compile(checked)
    assert compiled(ms.Tensor([1.0, 2.0])).asnumpy().tolist() == [2.0, 4.0]
    assert [op.prim.name for op in compiled.stages["dce"].walk()] == ["const", "mul"]


@pytest.mark.parametrize(
    ("args", "kind", "text"),
    [
        ((ms.Tensor([1.0]),), ValueError, "two elements, got 1"),
        ((ms.Tensor([[1.0], [2.0]]),), AssertionError, "one axis"),
        ((ms.Tensor([1.0, 2.0]), "own"), RefusalError, "no"),
        ((ms.Tensor([1.0, 2.0]), "class"), KeyError, None),
        ((ms.Tensor([1.0, 2.0]), "cause"), ValueError, "later"),
    ],
    ids=["raise", "assert", "own", "class", "cause"],
)
def test_the_exception_is_the_users_with_its_place(args, kind, text):
    for call in (ms.compile(checked), ms.grad(checked)):
        with pytest.raises(kind, match=text) as caught:
            call(*args)
        assert type(caught.value) is kind
        assert any("test_raising.py" in note for note in caught.value.__notes__)


def raises_a_text(x):
    raise "text"  # noqa: B016 # pyright: ignore - what is tested


def test_only_exceptions_are_raised() -> None:
    with pytest.raises(S2sadError, match="E0304") as caught:
        ms.compile(raises_a_text)(ms.Tensor([1.0]))
    place = caught.value.diagnostic.location
    assert place is not None and place.file.endswith("test_raising.py")


def test_what_was_printed_before_is_printed(capsys) -> None:
    def program(x):
        print(x)
        raise ValueError("after it")

    compiled = ms.compile(program)
    for _ in range(2):
        with pytest.raises(ValueError, match="after it"):
            compiled(ms.Tensor([1.0]))
        assert capsys.readouterr().out == "[1.]\n"
