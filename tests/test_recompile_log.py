"""Does `S2SAD_LOG=recompile` say why a program was compiled, and does nobody pay for it else?"""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections import namedtuple
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.binding import variant as variants
from s2sad.binding.cause import form_of
from s2sad.core import log

Pair = namedtuple("Pair", "a b")
ROOT = Path(__file__).parents[1]
SCALE = 2.0
TABLE: list = [1, 2]
ARRAY = np.arange(4.0)
NAMES = {"k": 1}


@dataclass
class Record:
    a: object
    b: object


class Net(nn.Cell):
    """Reads its own attributes, and what stands around it."""

    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.ReLU(), nn.Tanh())
        self.sizes = [1, [2, 3]]
        self.act = nn.ReLU()

    def construct(self, x, n=1):
        if self.training:
            x = x * 2
        for layer in self.layers:
            x = layer(x)
        return helper(self.act(x)) * SCALE * n * self.sizes[1][0] + len(TABLE) + ARRAY[0]


def helper(x):
    return x + NAMES["k"]


def tensor(*shape: int, dtype: type = np.float32) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, dtype))


@pytest.fixture(autouse=True)
def kept_nowhere(monkeypatch):
    """Programs on the disk would be loaded, and say so."""
    monkeypatch.setenv("S2SAD_CACHE", "0")


@pytest.fixture
def said(monkeypatch, capsys):
    """The lines that a function makes, without what each begins with."""
    monkeypatch.setenv(log.VARIABLE, "recompile")

    def lines(function, *args, **kwargs) -> list[str]:
        capsys.readouterr()
        function(*args, **kwargs)
        out, err = capsys.readouterr()
        assert out == "" and all(line.startswith("s2sad: ") for line in err.splitlines())
        return [line.removeprefix("s2sad: ") for line in err.splitlines()]

    return lines


def why(lines: list[str]) -> str:
    """What the one line gives as the reason."""
    (line,) = lines
    return line.split(": ", 1)[1]


# ---- the line -----------------------------------------------------------------------------------


def test_a_line_says_what_was_compiled_and_where_it_stands(said):
    net = ms.compile(Net())
    line = Net.construct.__code__.co_firstlineno
    head = rf"compiled test_recompile_log\.Net\.construct \(.*test_recompile_log\.py:{line}\)"
    (first,) = said(net, tensor(3))
    assert re.fullmatch(head + ", 1 variant: the first call", first)
    (second,) = said(net, tensor(5))
    assert re.fullmatch(head + r", 2 variants: x\.shape\[0\]: expected 3, got 5", second)


def test_a_call_that_is_served_says_nothing(said):
    net = ms.compile(Net())
    net(tensor(3))
    assert said(net, tensor(3)) == []


def test_a_variant_served_again_says_nothing(said):
    net = ms.compile(Net())
    for size in (3, 5):
        net(tensor(size))
    assert said(net, tensor(3)) == []


def test_it_is_one_line_whatever_it_shows(said):
    compiled = ms.compile(lambda x, note: x)
    compiled(tensor(1), "a\nb")
    lines = said(compiled, tensor(1), "c\nd" * 200)
    assert len(lines) == 1 and len(lines[0]) < 300


def test_gradients_say_what_they_are_of(said):
    step = ms.grad(lambda x: ops.sum(x * x))
    (first,) = said(step, tensor(3))
    assert first.startswith("compiled grad of ") and first.endswith("1 variant: the first call")
    assert why(said(step, tensor(4))) == "x.shape[0]: expected 3, got 4"


def test_pullbacks_say_what_they_are_of(said):
    compiled = ms.compile(lambda x: x * x)
    (first,) = said(compiled.vjp, tensor(3))
    assert first.startswith("compiled vjp of ") and first.endswith("1 variant: the first call")


# ---- arguments ----------------------------------------------------------------------------------

ONE = tensor(1)
ARGUMENTS = {
    "a size": (tensor(3, 2), tensor(3, 4), "v.shape[1]: expected 2, got 4"),
    "two sizes": (tensor(3, 2), tensor(4, 3), "v.shape: expected (3, 2), got (4, 3)"),
    "the rank": (tensor(3), tensor(3, 1), "v.shape: expected (3,), got (3, 1)"),
    "no rank": (tensor(), tensor(0), "v.shape: expected (), got (0,)"),
    "a dtype": (ONE, tensor(1, dtype=np.float64), "v.dtype: expected float32, got float64"),
    "both": (ONE, tensor(2, dtype=np.int32), "v: expected f32[1], got i32[2]"),
    "no tensor": (ONE, 2.5, "v: expected f32[1], got 2.5"),
    "a number": (3, 4, "v: expected 3, got 4"),
    "its type": (1, True, "v: expected 1, got True"),
    "a sign": (0.0, -0.0, "v: expected 0.0, got -0.0"),
    "a text": ("sum", "mean", "v: expected 'sum', got 'mean'"),
    "none": (None, 1, "v: expected None, got 1"),
    "an item": ([ONE, 2], [ONE, 3], "v[1]: expected 2, got 3"),
    "a length": ([ONE], [ONE, ONE], "v: expected [_], got [_, _]"),
    "a container": ([ONE], (ONE,), "v: expected [_], got (_,)"),
    "a key": ({"a": 1}, {"b": 1}, "v: expected {'a': _}, got {'b': _}"),
    "an entry": ({"a": tensor(2)}, {"a": ONE}, "v['a'].shape[0]: expected 2, got 1"),
    "a name": (Pair(1, 2), (1, 2), "v: expected Pair(_, _), got (_, _)"),
    "a field": (Record(1, 2), Record(1, 3), "v['b']: expected 2, got 3"),
    "a layer": (nn.ReLU(), nn.ReLU(), "v: expected a ReLU, got another one"),
}  # fmt: skip


@pytest.mark.parametrize("name", ARGUMENTS)
def test_the_argument_that_differs_is_named(name, said):
    before, now, text = ARGUMENTS[name]
    compiled = ms.compile(lambda x, v: x + 1)
    compiled(ONE, before)
    assert why(said(compiled, ONE, now)) == text


def test_an_argument_that_was_not_given_before(said):
    compiled = ms.compile(lambda x, *rest: x)
    compiled(ONE)
    assert why(said(compiled, ONE, 2)) == "rest: expected nothing, got (_,)"


def test_the_latest_variant_is_the_one_that_is_compared(said):
    compiled = ms.compile(lambda x: x)
    for size in (1, 2, 3):
        compiled(tensor(size))
    assert why(said(compiled, tensor(4))) == "x.shape[0]: expected 3, got 4"


def test_forms_are_without_what_is_in_them():
    assert form_of([1, (2,), {"a": (), 1: None}]) == "[_, (_,), {'a': (), 1: _}]"
    assert form_of(Record([1], 2)) == "Record(a=[_], b=_)"


# ---- what is read from outside ------------------------------------------------------------------


@pytest.fixture
def net(said):
    """A compiled network that was called once."""
    compiled = ms.compile(Net())
    said(compiled, tensor(3))
    return compiled


def test_training(said, net):
    net.function.set_train(True)
    assert why(said(net, tensor(3))) == "self.training: expected False, got True"


def test_a_global_that_was_bound_anew(said, net, monkeypatch):
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert why(said(net, tensor(3))) == "SCALE: expected 2.0, got 3.0"


def test_a_function_that_was_bound_anew(said, net, monkeypatch):
    monkeypatch.setitem(globals(), "helper", ops.relu)
    text = "helper: expected the function helper, got the function relu"
    assert why(said(net, tensor(3))) == text


def test_a_global_that_is_gone(said, net, monkeypatch):
    monkeypatch.delitem(globals(), "SCALE")
    monkeypatch.setattr("builtins.SCALE", 2.0, raising=False)
    assert why(said(net, tensor(3))) == "SCALE: expected 2.0, got nothing"


def test_a_builtin_that_was_hidden(said, net, monkeypatch):
    monkeypatch.setitem(globals(), "len", lambda x: 7)
    assert why(said(net, tensor(3))) == "len: expected nothing, got the function <lambda>"


def test_a_list_that_has_grown(said, net, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "TABLE", TABLE)  # whose content is put back below
    TABLE.append(3)
    try:
        assert why(said(net, tensor(3))) == "TABLE: expected [1, 2], got [1, 2, 3]"
    finally:
        TABLE.pop()


def test_an_item_of_a_list_in_a_list(said, net):
    net.function.sizes[1][0] = 9
    assert why(said(net, tensor(3))) == "self.sizes[1][0]: expected 2, got 9"


def test_an_entry_of_a_dict(said, net, monkeypatch):
    monkeypatch.setitem(NAMES, "k", 5)
    assert why(said(net, tensor(3))) == "NAMES['k']: expected 1, got 5"


def test_an_element_of_an_array(said, net):
    ARRAY[2] = 7.0
    try:
        assert why(said(net, tensor(3))) == "ARRAY[2]: expected 2.0, got 7.0"
    finally:
        ARRAY[2] = 2.0


def test_an_array_of_another_shape(said, net, monkeypatch):
    monkeypatch.setitem(globals(), "ARRAY", np.zeros(1, np.int8))
    text = "ARRAY: expected an array of float64, shape (4,), got an array of int8, shape (1,)"
    assert why(said(net, tensor(3))) == text


def test_a_layer_that_was_replaced(said, net):
    net.function.act = nn.Tanh()
    assert why(said(net, tensor(3))) == "self.act: expected a ReLU, got a Tanh"


def test_layers_that_were_added(said, net):
    net.function.layers.append(nn.ReLU())
    text = "self.layers: expected a SequentialCell of 2, got a SequentialCell of 3"
    assert why(said(net, tensor(3))) == text


def test_a_layer_among_layers(said, net):
    net.function.layers[1] = nn.Sigmoid()
    assert why(said(net, tensor(3))) == "self.layers[1]: expected a Tanh, got a Sigmoid"


def test_a_default_of_a_function(said):
    def scaled(x, k=2):
        return x * k

    compiled = ms.compile(lambda x: scaled(x))
    compiled(tensor(3))
    scaled.__defaults__ = (3,)
    assert why(said(compiled, tensor(3))) == "scaled.__defaults__[0]: expected 2, got 3"


def test_of_variants_for_such_arguments_the_latest_is_compared(said, monkeypatch):
    compiled = ms.compile(Net())
    for scale in (2.0, 3.0):
        monkeypatch.setitem(globals(), "SCALE", scale)
        compiled(tensor(3))
    compiled(tensor(5))
    monkeypatch.setitem(globals(), "SCALE", 4.0)
    assert why(said(compiled, tensor(3))) == "SCALE: expected 3.0, got 4.0"


# ---- the warning --------------------------------------------------------------------------------


def test_the_warning_names_the_guard():
    net = ms.compile(Net())
    with pytest.warns(
        UserWarning, match=r"self\.sizes\[1\]\[0\] keeps changing \(expected 8, got 9\)"
    ):
        for number in range(1, 10):
            net.function.sizes[1][0] = number
            net(tensor(3))


# ---- the variable -------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", " ", ","])
def test_nothing_is_said_unless_it_is_asked(text, monkeypatch, capsys):
    monkeypatch.setenv(log.VARIABLE, text)
    ms.compile(Net())(tensor(3))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["recompiles", "1", "recompile,passes", "Recompile"])
def test_another_topic_is_an_error_that_names_those_there_are(text, monkeypatch, capsys):
    monkeypatch.setenv(log.VARIABLE, text)
    with pytest.raises(ms.S2sadError, match="S2SAD_LOG can be recompile, got ") as caught:
        ms.compile(Net())(tensor(3))
    place = caught.value.diagnostic.place
    assert caught.value.code == "E0404" and place is not None and place.file.endswith(".py")
    assert capsys.readouterr() == ("", "")


def test_spaces_and_commas_do_not_matter(said, monkeypatch):
    monkeypatch.setenv(log.VARIABLE, " recompile ,")
    assert len(said(ms.compile(Net()), tensor(3))) == 1


def test_without_a_standard_error_nothing_is_said(monkeypatch):
    monkeypatch.setenv(log.VARIABLE, "recompile")
    monkeypatch.setattr(sys, "stderr", None)
    assert ms.compile(helper)(tensor(3)).shape == (3,)


def test_a_call_that_is_served_asks_nothing(monkeypatch):
    net = ms.compile(Net())
    expected = net(tensor(3)).asnumpy()

    def never(*_):
        raise AssertionError

    for owner, name in ((log, "is_asked"), (variants, "cause_of"), (variants, "facts_of")):
        monkeypatch.setattr(owner, name, never)
    assert (net(tensor(3)).asnumpy() == expected).all()


PROGRAM = """\
import s2sad as ms
from s2sad.core import installation

installation.own_digest = lambda: "of this s2sad"  # which may be edited meanwhile


def double(x):
    return x + x


step = ms.compile(double)
for size in (1, 1, 2):
    step(ms.Tensor([1.0] * size))
"""


@pytest.mark.parametrize("kept", [False, True], ids=["in no cache", "in a cache"])
def test_a_process_says_whether_another_has_left_the_program(kept, tmp_path):
    path = tmp_path / "net.py"
    path.write_text(PROGRAM, encoding="utf-8")
    for made in ("compiled", "loaded" if kept else "compiled"):
        found = subprocess.run(
            [sys.executable, "-W", "error", str(path)], capture_output=True, text=True, timeout=120,
            env={
                "PYTHONPATH": str(ROOT), "S2SAD_LOG": "recompile", "S2SAD_CACHE": str(int(kept)),
                "S2SAD_CACHE_DIR": str(tmp_path / "cache"), "S2SAD_BACKEND": "numpy",
            },
        )  # fmt: skip
        assert (found.returncode, found.stdout) == (0, "")
        assert found.stderr == (
            f"s2sad: {made} __main__.double (net.py:7), 1 variant: the first call\n"
            f"s2sad: {made} __main__.double (net.py:7), 2 variants: "
            "x.shape[0]: expected 1, got 2\n"
        )


def test_no_warning_of_python_comes_along(said):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(said(ms.compile(Net()), tensor(2))) == 1
