"""Does a program from the disk do what compiling would, and is none taken that is not right here?

A world is a module that is executed anew, with objects of its own, as another process has them.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import compiled, extend, nn
from s2sad.binding.stored import programs
from s2sad.binding.stored.programs import PLACES, StoredVariant
from s2sad.core import installation
from s2sad.core.cache import cache
from s2sad.core.diagnostics import S2sadError
from s2sad.passes.dce import Dce

ROOT = Path(__file__).parent.parent.parent

NET = """
import dataclasses, enum, math
import numpy as np
import s2sad as ms
from s2sad import nn, ops

FACTOR = 2.0
SIZES = [1, 2]
TABLE = {"one": 1.0, "two": 2.0}


class Mode(enum.Enum):
    SLOW = 1
    FAST = 2


@dataclasses.dataclass
class Config:
    gain: float = 3.0


CONFIG, MODE = Config(), Mode.FAST


def helper(x):
    return x * FACTOR


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = ms.Parameter(ms.Tensor([0.5, 0.25, 2.0]), name="scale")
        self.rate = 0.5

    @property
    def twice(self):
        return 2 * self.rate

    def construct(self, x):
        return x * self.scale + self.twice


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3, 3, weight_init="ones", bias_init="zeros", activation="tanh")
        self.inner = Inner()
        self.layers = nn.CellList([nn.Tanh(), nn.ReLU()])
        self.one = ms.Parameter(ms.Tensor([1.0]), name="one")
        self.other = self.one

    def construct(self, x, power=2):
        x = helper(self.inner(self.fc(x)))
        for layer in self.layers:
            x = layer(x)
        for size in SIZES:
            x = x + size
        if MODE is Mode.FAST:
            x = x * CONFIG.gain
        if self.training:
            x = x + 1
        x = x * abs(-1.5) * self.one + self.other * len(TABLE)
        return x ** power * TABLE["two"] * math.pi


def made(rate=0.25):
    def loss(x):
        return ops.sum(net(x)) * rate

    return loss


net = Net()
optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.01, momentum=0.9)
gradient = ms.value_and_grad(made(), None, net.trainable_params())


@ms.compile
def step(x):
    value, gradients = gradient(x)
    optimizer(gradients)
    return value


def run():
    x = ms.Tensor(np.float32([[0.1, 0.2, 0.3], [-1.0, 0.5, 2.0]]))
    found = [step(x) for _ in range(3)]
    return [*found, *net.get_parameters(), *optimizer.get_parameters()]
"""


class Worlds:
    """Makes worlds, and knows whether the compiler was asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.patch, self.count = folder, monkeypatch, 0
        self.compilations: list[Any] = []
        real = compiled.compile_variant

        def counted(function: Any, *args: Any, **options: Any) -> Any:
            self.compilations.append(function)
            return real(function, *args, **options)

        monkeypatch.setattr(compiled, "compile_variant", counted)

    def make(self, text: str = NET) -> Any:
        self.count += 1
        folder = self.folder / str(self.count)
        folder.mkdir()
        (folder / "net.py").write_text(text)
        self.patch.setattr(sys, "path", [str(folder), *(x for x in sys.path if x != self._last)])
        self._last = str(folder)
        spec = importlib.util.spec_from_file_location("net", folder / "net.py")
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        self.patch.setitem(sys.modules, "net", module)
        self.compilations.clear()
        spec.loader.exec_module(module)
        return module

    _last = ""

    def result(self, text: str = NET, use: Callable[[Any], Any] | None = None) -> list[Any]:
        """What `run` gives in a world of its own."""
        world = self.make(text)
        if use is not None:
            use(world)
        return [x.asnumpy().tobytes() for x in world.run()]

    def fresh(self, text: str = NET, use: Callable[[Any], Any] | None = None) -> list[Any]:
        """The same, compiled whatever lies on the disk."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("MS_COMPILER_CACHE_ENABLE", "0")
            return self.result(text, use)


@pytest.fixture
def worlds(tmp_path, monkeypatch):
    monkeypatch.setenv("MS_COMPILER_CACHE_ENABLE", "1")
    monkeypatch.delenv("S2SAD_CACHE", raising=False)
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(installation, "own_digest", lambda: "of this s2sad")
    return Worlds(tmp_path, monkeypatch)


def entries() -> int:
    return sum(entry.kind == programs.KIND for entry in cache().entries())


def test_another_world_takes_the_program(worlds):
    first = worlds.result()
    assert worlds.compilations and entries() == 1
    assert worlds.result() == first == worlds.fresh()
    world = worlds.make()
    world.run()
    assert not worlds.compilations and isinstance(world.step.last, StoredVariant)
    assert world.step.last.cause.text == "the first call"


#: Edits of the text after which the program is another one.
EDITS = {
    "the function": ("return value\n", "return value + 1\n"),
    "a line before it": ("@ms.compile\n", "\n@ms.compile\n"),
    "a helper": ("return x * FACTOR", "return x + FACTOR"),
    "a global": ("FACTOR = 2.0", "FACTOR = 2.5"),
    "its type": ("FACTOR = 2.0", "FACTOR = 2"),
    "a sign": ("FACTOR = 2.0", "FACTOR = -2.0"),
    "a list": ("SIZES = [1, 2]", "SIZES = [2, 1]"),
    "a dict": ('"two": 2.0', '"two": 4.0'),
    "a dict's length": ('{"one": 1.0, ', '{"one": 1.0, "three": 3.0, '),
    "a variable of a closure": ("rate=0.25", "rate=0.75"),
    "an attribute": ("self.rate = 0.5", "self.rate = 0.625"),
    "a property": ("return 2 * self.rate", "return 4 * self.rate"),
    "a member of an enumeration": ("MODE = Config(), Mode.FAST", "MODE = Config(), Mode.SLOW"),
    "a field": ("gain: float = 3.0", "gain: float = 5.0"),
    "a default": ("power=2", "power=3"),
    "a builtin": ("def run():", "abs = lambda x: -x\n\n\ndef run():"),
    "an activation": ('activation="tanh"', 'activation="sigmoid"'),
    "a class": ("nn.CellList([nn.Tanh(), nn.ReLU()])", "nn.CellList([nn.Tanh(), nn.Sigmoid()])"),
    "an order": ("nn.CellList([nn.Tanh(), nn.ReLU()])", "nn.CellList([nn.ReLU(), nn.Tanh()])"),
    "a count": ("[nn.Tanh(), nn.ReLU()]", "[nn.Tanh(), nn.ReLU(), nn.Tanh()]"),
    "a method": ("return x * self.scale +", "return x / self.scale +"),
    "a name of a class": ("Inner", "Within"),
    "what is one Parameter": (
        "self.other = self.one", 'self.other = ms.Parameter(ms.Tensor([1.0]), name="other")'
    ),
    "a shape": ("ms.Tensor([1.0]), name=", "ms.Tensor([1.0, 1.0, 1.0]), name="),
    "a name": ('name="one"', 'name="uno"'),
    "what is trained": ("net = Net()\n", "net = Net()\nnet.one.requires_grad = False\n"),
    "what is differentiated": (
        "gradient = ms.value_and_grad(made(), None, net.trainable_params())",
        "gradient = ms.value_and_grad(made(), None, net.trainable_params()[::-1])\n"
        "optimizer = nn.Momentum(net.trainable_params()[::-1], 0.01, 0.9)",
    ),
    "the optimizer": ("momentum=0.9)", "momentum=0.9, use_nesterov=True)"),
    "the training flag": ("net = Net()\n", "net = Net().set_train()\n"),
    "the precision": ("net = Net()\n", "net = Net().to_float(ms.float16)\n"),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_what_was_edited_is_compiled(worlds, edit):
    first = worlds.result()
    text = NET.replace(*edit)
    assert text != NET
    found = worlds.result(text)
    assert worlds.compilations
    assert found == worlds.fresh(text)
    assert worlds.result() == first and not worlds.compilations  # it is still there


#: Edits after which the program is the same one.
DATA = {
    "numbers": ("[0.5, 0.25, 2.0]", "[1.5, -0.25, 3.0]"),
    "the learning rate": ("learning_rate=0.01", "learning_rate=0.5"),
    "what is not read": ("FACTOR = 2.0", "FACTOR, UNREAD = 2.0, 3.0"),
    "what comes after": ("def run():", "def run(count=1):"),
}


@pytest.mark.parametrize("edit", DATA.values(), ids=DATA)
def test_what_is_data_may_differ(worlds, edit):
    worlds.result()
    text = NET.replace(*edit)
    found = worlds.result(text)
    assert text != NET and not worlds.compilations
    assert found == worlds.fresh(text)


def replaced_function(world):
    world.helper = lambda x: x - 1.0


def replaced_method(world):
    world.Inner.construct = lambda self, x: x - self.scale


def replaced_in_place(world):
    world.TABLE["two"] = 7.0


def replaced_of_s2sad(world):
    world.ops = type(sys)("ops")
    world.ops.sum = lambda x: ms.ops.mean(x)


def other_cell(world):
    world.net.layers[1] = world.nn.Sigmoid()


@pytest.mark.parametrize(
    "change",
    [replaced_function, replaced_method, replaced_in_place, replaced_of_s2sad, other_cell],
    ids=lambda change: change.__name__,
)
def test_what_is_changed_after_the_import_counts(worlds, change):
    worlds.result()
    found = worlds.result(use=change)
    assert worlds.compilations
    assert found == worlds.fresh(use=change)


def test_a_program_from_the_disk_has_guards(worlds):
    worlds.result()
    world = worlds.make()
    x = ms.Tensor(np.ones((1, 3), np.float32))
    worlds.make().step(x)
    worlds.compilations.clear()
    world.step(x)
    assert isinstance(world.step.last, StoredVariant) and not worlds.compilations
    for change in (
        lambda: setattr(world, "FACTOR", 3.0),
        lambda: world.net.set_train(),
        lambda: setattr(world.net.inner, "rate", 0.75),
        lambda: world.SIZES.append(5),
        lambda: setattr(world, "abs", lambda x: x),
        lambda: setattr(world.net.one, "requires_grad", False),
    ):
        before = len(worlds.compilations)
        change()
        world.step(x)
        assert len(worlds.compilations) == before + 1
    world.step(x)
    assert len(world.step.variants) == 7


WRITES = """
import s2sad as ms

w = ms.Parameter(ms.Tensor([0.0] * 1000), name="w")


@ms.compile
def f(x):
    w[1] = x
    return x * 2.0
"""


def test_a_program_from_the_disk_writes_in_place(worlds):
    for _ in range(2):
        world = worlds.make(WRITES)
        world.f(ms.Tensor(1.0))
        assert world.f.last.executable.overwrites and len(world.f.last.own_inputs()) == 1
        place = world.w.array.ctypes.data
        world.f(ms.Tensor(2.0))
        assert world.w.array.ctypes.data == place
        view = world.w.asnumpy()
        world.f(ms.Tensor(3.0))
        assert view[1] == 2.0 and world.w[1].item() == 3.0
    assert not worlds.compilations and isinstance(world.f.last, StoredVariant)


def test_calls_of_other_kinds_have_programs_of_their_own(worlds):
    calls = [
        (np.ones((1, 3), np.float32),),
        (np.ones((2, 3), np.float32),),
        (np.ones((2, 3), np.float64),),
        (np.ones((2, 3), np.float32), 3),
        (np.ones((2, 3), np.float32), 3.0),
        (np.ones((2, 3), np.float32), True),
    ]

    def outputs(world: Any) -> list[Any]:
        net = ms.compile(world.net)
        given = [(ms.Tensor(x), *rest) for x, *rest in calls]
        return [net(*args).asnumpy().tobytes() for args in given]

    ms.set_context(mode=ms.GRAPH_MODE)
    first = outputs(worlds.make())
    assert len(worlds.compilations) == len(calls)
    second = outputs(worlds.make())
    assert not worlds.compilations
    assert first == second and len(set(first)) > 3


FORMS = """
import collections
import numpy as np
import s2sad as ms
from s2sad import nn, ops

Pair = collections.namedtuple("Pair", "a b")
w = ms.Parameter(ms.Tensor([2.0, 3.0]), name="w")
captured = ms.Tensor([0.5, 0.25])


def f(pair, scale=1.0):
    return {"sum": ops.sum(ops.sin(pair[0]) * pair[1] * w * scale), "all": [pair[0], captured]}


def g(x):
    return ops.sum(x * x * x * w)


@ms.custom_vjp
def own(x):
    return ops.exp(x)


own.defvjp(lambda x: (ops.exp(x), x), lambda x, dy: (x * dy,))


def draws(x):
    return x + ops.rand(2)


class Base(nn.Cell):
    def construct(self, x):
        return x + 1.0


class Derived(Base):
    def construct(self, x):
        return super().construct(x) * 2.0


def run():
    x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0])
    ms.set_seed(3)
    found = [
        ms.compile(f)(Pair(x, y)),
        ms.compile(f)([x, y], scale=2.0),
        ms.compile(ms.grad(f, weights=w, return_ids=True, has_aux=False))(Pair(x, y)),
        ms.compile(ms.grad(ms.grad(g)))(x),
        ms.compile(ms.value_and_grad(lambda x: (g(x), x), has_aux=True))(x),
        ms.compile(ms.grad(own))(x),
        ms.compile(draws)(x), ms.compile(draws)(x),
        ms.compile(Derived())(x),
        ms.jvp(g, x, y),
    ]
    return [leaf for each in found for leaf in flat(each)]


def flat(tree):
    if isinstance(tree, (tuple, list)):
        return [x for item in tree for x in flat(item)]
    if isinstance(tree, dict):
        return flat([*tree.values()])
    return [ms.Tensor(0.0) if isinstance(tree, (str, int)) else tree]
"""


def test_every_form_comes_back(worlds):
    ms.set_context(mode=ms.GRAPH_MODE)
    first = worlds.result(FORMS)
    assert len(worlds.compilations) == 9  # that which draws comes twice
    assert worlds.result(FORMS) == first == worlds.fresh(FORMS)
    worlds.result(FORMS)
    assert not worlds.compilations


def test_names_of_gradients_are_those_of_now(worlds):
    text = "import s2sad as ms\nw = ms.Parameter(ms.Tensor([2.0]), name='w')\n" + (
        "def f(x):\n    return x * w\ng = ms.compile(ms.grad(f, weights=w, return_ids=True))\n"
    )
    x = ms.Tensor([3.0])
    ms.set_context(mode=ms.GRAPH_MODE)
    for text_of in (text, text):
        world = worlds.make(text_of)
        (_, (name, _)) = world.g(x)
        assert name == "w"
        world.w.name = "v"
        (_, (name, _)) = world.g(x)
        assert name == "v"


FAILS = """
import s2sad as ms
from s2sad import ops


def inner(x, i):
    return ops.gather(x, i, 0)


@ms.compile
def f(x, i):
    return inner(x * 2.0, i) + 1.0


def run():
    try:
        f(ms.Tensor([1.0, 2.0]), ms.Tensor([5]))
    except Exception as error:
        return error
"""


def test_an_error_names_the_same_place(worlds):
    found = []
    for _ in range(2):
        error = worlds.make(FAILS).run()
        assert isinstance(error, S2sadError)
        found.append((str(error), [*error.diagnostic.location.chain()], error.diagnostic.scope))
    assert not worlds.compilations
    assert found[0] == found[1]
    assert found[0][1][-1].end_column is not None


EFFECTS = """
import numpy as np
import s2sad as ms
from s2sad import nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        print(f"loss {ops.sum(self.w * x):.3f}", "of", x, sep="|", end=".\\n")
        self.w += x
        for i in range(2):
            if x.max() > i + 1.0:
                print("large", i)
        assert x.min() > 0.0, f"{x} is not positive"
        if x.max() > 8.0:
            raise OverflowError(f"{x.max()} is large")
        return ops.sum(self.w)


net = Net()
step = ms.compile(net)
gradient = ms.compile(ms.grad(net, None, net.trainable_params()))

def run():
    found = []
    for data in ([1.0, 2.0], [3.0, 0.5], [-1.0, 2.0], [1.0, 9.0]):
        try:
            found.append((step(ms.Tensor(data)).item(), gradient(ms.Tensor(data))[0].tolist()))
        except Exception as error:
            place = error.__notes__[0].splitlines()[0]
            found.append((type(error), error.args, place, len(error.__notes__)))
        found.append(net.w.tolist())
    return found
"""


@pytest.mark.parametrize("backend", ["numpy", "c"])
def test_effects_come_back(worlds, backend, capsys, monkeypatch):
    monkeypatch.setenv("S2SAD_BACKEND", backend)
    found = []
    for _ in range(2):
        made = worlds.make(EFFECTS)
        found.append((made.run(), capsys.readouterr().out))
        is_stored = isinstance(made.step.last, StoredVariant)
        assert is_stored == (len(found) == 2) == (not worlds.compilations)
    assert found[0] == found[1]
    results, out = found[0]
    assert out.splitlines()[:2] == ["loss 5.000|of|[1. 2.].", "large 0"]
    assert results[4][:2] == (AssertionError, ("[-1.  2.] is not positive",))
    assert results[4][2:] == ("  --> net.py:18:8", 1)
    assert results[6] == (OverflowError, ("9.0 is large",), "  --> net.py:20:12", 1)
    assert results[5] == results[7] == results[3], "of the last good step"


def test_stages_are_compiled_when_asked_for(worlds):
    worlds.make(FORMS).run()
    one = worlds.make(FORMS)
    x, y = ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 5.0])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MS_COMPILER_CACHE_ENABLE", "0")
        whole = ms.compile(one.f)
        whole((x, y))
    for _ in range(2):
        world = worlds.make(FORMS)
        step = ms.compile(world.f)
        step((x, y))
    assert not worlds.compilations and isinstance(step.last, StoredVariant)
    assert [name for name, _ in step.stages.functions] == [n for n, _ in whole.stages.functions]
    assert step.source == whole.source and len(worlds.compilations) == 1
    step.stages  # noqa: B018 - kept now
    assert len(worlds.compilations) == 1
    assert str(step.last.program.function) == str(whole.last.program.function)
    last = ms.compile(worlds.make(FORMS).g)
    last(x)
    again = worlds.make(FORMS)
    last = ms.compile(again.g)
    last(x)
    again.w.name = again.w.name  # counts, and changes nothing
    again.ops = None
    with pytest.raises(S2sadError) as caught:
        last.stages  # noqa: B018
    assert caught.value.code == "E0308"


STEP = """
import numpy as np
import s2sad as ms
from s2sad import nn

net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
optimizer = {made}
step = ms.compile(nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer))


def run():
    x = ms.Tensor(np.float32([[0.1, 0.2, 0.3], [-1.0, 0.5, 2.0]]))
    y = ms.Tensor(np.float32([[1.0], [-1.0]]))
    found = [step(x, y) for _ in range(2)]
    return [*found, *net.get_parameters(), *optimizer.get_parameters()]
"""
OPTIMIZERS = [
    *(
        f"nn.{name}(net.trainable_params())" for name, kind in sorted(vars(nn).items())
        if isinstance(kind, type) and issubclass(kind, nn.Optimizer)
        and name not in ("Optimizer", "LARS", "Lamb", "Momentum")
    ),
    "nn.Lamb(net.trainable_params(), 0.1)",
    "nn.Momentum(net.trainable_params(), 0.1, 0.9)",
    "nn.SGD(net.trainable_params(), 0.1, 0.9)",
    "nn.LARS(nn.SGD(net.trainable_params()))",
]  # fmt: skip


@pytest.mark.parametrize("made", OPTIMIZERS)
def test_a_step_with_any_optimizer_comes_back(worlds, made):
    text = STEP.format(made=made)
    first = worlds.result(text)
    assert worlds.compilations
    assert worlds.result(text) == first
    assert not worlds.compilations


NOT_KEPT = {
    "a function that is not read": (
        "import contextlib\n@contextlib.contextmanager\ndef doubled():\n    yield 2.0\n"
        "def f(x):\n    with doubled() as scale:\n        return x * scale\n"
    ),
    "what a Cell says of itself": (
        "from s2sad import nn\nclass Net(nn.Cell):\n    def extend_repr(self):\n"
        "        return 'n'\nnet = Net()\n"
        "def f(x):\n    return x * len(f'{net}')\n"
    ),
    "its text": (
        "from s2sad import nn\nnet = nn.ReLU()\ndef f(x):\n    return x * len(str(net))\n"
    ),
    "Parameters that a Cell lists": (
        "from s2sad import nn\nnet = nn.Dense(1, 1)\n"
        "def f(x):\n    return x * len(net.trainable_params())\n"
    ),
    "an operator of the user's": (
        "class Odd:\n    def __len__(self):\n        return 3\nodd = Odd()\n"
        "def f(x):\n    return x * len(odd)\n"
    ),
    "an object without a description": (
        "import re\npattern = re.compile('a')\n"
        "def f(x):\n    return x * (2.0 if pattern is pattern else 3.0)\n"
    ),
}


@pytest.mark.parametrize("text", NOT_KEPT.values(), ids=NOT_KEPT)
def test_what_guards_do_not_know_is_not_kept(worlds, text):
    for _ in range(2):
        step = ms.compile(worlds.make(text).f)
        assert step(ms.Tensor([1.0])).shape == (1,)
        assert len(worlds.compilations) == 1
    assert entries() == 0


def test_a_global_of_an_object_with_methods_is_described_by_its_class(worlds):
    text = (
        "class Config:\n    def __init__(self):\n        self.gain = 2.0\n"
        "    def twice(self):\n        return 2 * self.gain\n"
        "config = Config()\ndef f(x):\n    return x * config.twice()\n"
    )
    x = ms.Tensor([1.0])
    assert ms.compile(worlds.make(text).f)(x).tolist() == [4.0]
    assert ms.compile(worlds.make(text).f)(x).tolist() == [4.0]
    assert not worlds.compilations
    assert ms.compile(worlds.make(text.replace("2.0", "3.0")).f)(x).tolist() == [6.0]
    assert ms.compile(worlds.make(text.replace("2 *", "5 *")).f)(x).tolist() == [10.0]


@pytest.mark.parametrize("variable", ["S2SAD_CACHE", "MS_COMPILER_CACHE_ENABLE"])
def test_the_environment_turns_it_off(worlds, monkeypatch, variable):
    worlds.result()
    monkeypatch.setenv(variable, "0")
    worlds.result()
    assert worlds.compilations


def test_the_context_turns_it_off(worlds):
    ms.set_context(enable_compile_cache=False)
    try:
        worlds.result()
        assert entries() == 0
    finally:
        ms.set_context(enable_compile_cache=None)


def test_other_settings_have_other_programs(worlds):
    worlds.result()
    ms.set_context(max_call_depth=77)
    try:
        worlds.result()
    finally:
        ms.set_context(max_call_depth=1000)
    assert worlds.compilations


def test_another_s2sad_has_other_programs(worlds, monkeypatch):
    worlds.result()
    monkeypatch.setattr(installation, "own_digest", lambda: "of another one")
    worlds.result()
    assert worlds.compilations and entries() == 2
    monkeypatch.setattr(installation, "own_digest", lambda: None)  # edited since the import
    worlds.result()
    assert worlds.compilations and entries() == 2


def test_what_is_plugged_in_has_no_digest(worlds):
    worlds.result()

    @extend.register_pass(after="dce")
    class Mine(Dce):
        name = "mine"

    try:
        worlds.result()
        assert worlds.compilations and entries() == 1
    finally:
        extend.remove("mine")


def test_a_damaged_entry_is_made_anew(worlds):
    first = worlds.result()
    (entry,) = cache().entries()
    for name in (programs.CODE, programs.RECORD):
        path = entry.path / name
        data = path.read_bytes()
        path.write_bytes(data[: len(data) // 2])
        assert worlds.result() == first and worlds.compilations
        assert worlds.result() == first and not worlds.compilations


def test_a_folder_that_cannot_be_used_is_said_once(worlds, monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("S2SAD_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr(programs, "_given_up", [])
    with pytest.warns(UserWarning, match="E0605") as caught:
        found = worlds.result()
        assert worlds.result() == found
    assert len(caught) == 1


def test_programs_of_one_key_are_few(worlds):
    x = ms.Tensor([1.0])
    for number in range(PLACES + 4):
        world = worlds.make(f"N = {number}.0\ndef f(x):\n    return x + N\n")
        assert ms.compile(world.f)(x).tolist() == [number + 1.0]
    assert entries() == PLACES
    world = worlds.make(f"N = {number}.0\ndef f(x):\n    return x + N\n")
    assert ms.compile(world.f)(x).tolist() == [number + 1.0]


def test_a_function_that_always_changes_is_not_kept_for_ever(worlds):
    world = worlds.make("N = 0.0\ndef f(x):\n    return x + N\n")
    step = ms.compile(world.f)
    with pytest.warns(UserWarning, match="was compiled 9 times"):
        for number in range(20):
            world.N = float(number)
            assert step(ms.Tensor([1.0])).tolist() == [number + 1.0]
    assert entries() <= PLACES


def test_loaded_dumps_are_kept(worlds, tmp_path):
    net = ms.compile(lambda x: x * 2.0 + 1.0)
    first, *_ = net.dump(tmp_path / "dump", ms.Tensor([1.0, 2.0]))
    ms.set_context(mode=ms.GRAPH_MODE)
    for count in (1, 0):
        worlds.compilations.clear()
        step = ms.load_ir(first).bind()
        assert step.run((ms.Tensor([4.0, 5.0]),), {}).tolist() == [9.0, 11.0]
        assert len(worlds.compilations) == count


SCRIPT = (
    NET
    + """

if __name__ == "__main__":
    import json, sys
    digests = [x.asnumpy().tobytes().hex() for x in run()]
    names = ["s2sad.compiler", "s2sad.frontend.expressions", "s2sad.frontend.statements",
             "s2sad.autodiff", "s2sad.passes"]
    print(json.dumps([digests, type(step.last).__name__, [x for x in names if x in sys.modules]]))
"""
)


def processes(tmp_path: Path, *seeds: str, text: str = SCRIPT) -> list[Any]:
    """What scripts print that run at the same time, each with a hash seed."""
    (tmp_path / "script.py").write_text(text)
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "S2SAD_CACHE_DIR": str(tmp_path / "cache"),
        "MS_COMPILER_CACHE_ENABLE": "1",
    }  # fmt: skip
    command = [sys.executable, "-W", "error", str(tmp_path / "script.py")]
    started = [
        subprocess.Popen(
            command, env={**environment, "PYTHONHASHSEED": seed},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for seed in seeds
    ]  # fmt: skip
    found = []
    for process in started:
        output, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
        found.append(json.loads(output))
    return found


def test_a_second_process_does_not_run_the_frontend(tmp_path):
    one, other = processes(tmp_path, "1", "2")  # at once
    assert one[0] == other[0] and "s2sad.frontend.expressions" in one[2]
    (third,) = processes(tmp_path, "3")
    assert third == [one[0], "StoredVariant", []]
    (fourth,) = processes(tmp_path, "4", text=SCRIPT.replace("FACTOR = 2.0", "FACTOR = 2.5"))
    assert fourth[0] != one[0] and fourth[1] == "Variant"


OBJECTS = """
import numpy as np
import s2sad as ms
from s2sad import nn, ops

double = ops.MultitypeFuncGraph("double")


@double.register("Tensor")
def _of_tensor(x):
    return x + x


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.sum = ops.ReduceSum(keep_dims=True)
        self.map = ops.HyperMap(ops.Square())

    def construct(self, x):
        (y,) = self.map((double(x),))
        return self.sum(ops.Concat(1)((y, x)), 1)


step = ms.compile(Net())

def run():
    return [step(ms.Tensor(np.float32([[1.0, 2.0], [3.0, 4.0]])))]
"""


def test_objects_of_operations_come_back(worlds):
    first = worlds.result(OBJECTS)
    assert worlds.compilations and worlds.result(OBJECTS) == first and not worlds.compilations
    other = worlds.result(OBJECTS.replace("keep_dims=True", "keep_dims=False"))
    assert worlds.compilations and other == first  # the same bytes, of another shape
    assert worlds.result(OBJECTS.replace("x + x", "x + x + x")) != first
