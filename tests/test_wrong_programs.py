"""What does a user read, word for word, whose program is wrong?

Each program is a file of its own, so that its lines count from 1; what it says is compared whole.
"""

from __future__ import annotations

import linecache
import re
import traceback
from typing import Any

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops
from s2sad.core.location import PACKAGE
from s2sad.core.tracebacks import VARIABLE

FILE = "program.py"


def x(*shape: int) -> ms.Tensor:
    return ms.Tensor(np.ones(shape, np.float32))


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delenv(VARIABLE, raising=False)
    yield
    linecache.checkcache(FILE)


def error_of(program: str) -> Exception:
    """What the program raises, which is run as the file `FILE` of the present folder."""
    with open(FILE, "w", encoding="utf-8") as file:
        file.write(program)
    linecache.checkcache(FILE)
    names: dict[str, Any] = {"__name__": "program", "ms": ms, "nn": nn, "ops": ops, "x": x}
    with pytest.raises(Exception) as caught:
        exec(compile(program, FILE, "exec"), names)
    return caught.value


def text_of(error: Exception) -> str:
    """Its class, its text, and its notes, which Python shows below from 3.11 on.

    Lines of s2sad's own are left out: they move.
    """
    text = "\n".join([type(error).__name__, str(error), *getattr(error, "__notes__", [])])
    return re.sub(r"(s2sad/nn/\w+\.py):\d+:\d+", r"\1", text)


#: Programs by what is wrong with them, each with what it says.
PROGRAMS: dict[str, tuple[str, str]] = {}

PROGRAMS["matmul of misfits"] = (
    """\
def f(a, b):
    return ops.matmul(a, b)


ms.compile(f)(x(2, 3), x(4, 3))
""",
    """\
S2sadValueError
[E0401] the inner sizes of matmul, of f32[2, 3] and f32[4, 3], differ: 3 and 4
  --> program.py:2:11
  |
2 |     return ops.matmul(a, b)
  |            ^^^^^^^^^^^^^^^^ a: f32[2, 3], b: f32[4, 3]
   = help: transpose the second: `.mT`
""",
)

PROGRAMS["broadcast of misfits"] = (
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(4, 3)

    def construct(self, x):
        return self.scaled(self.dense(x))

    def scaled(self, hidden):
        return hidden * hidden.sum(1)


ms.compile(Net())(x(2, 4))
""",
    """\
S2sadValueError
[E0401] f32[2, 3] and f32[2]: sizes 3 and 2 do not broadcast at axis -1
  --> program.py:10:15
   |
10 |         return hidden * hidden.sum(1)
   |                ^^^^^^^^^^^^^^^^^^^^^^ hidden: f32[2, 3], hidden.sum(1): f32[2]
   = called at program.py:7:15
   = help: give f32[2] one more axis, its last: `[..., None]`
""",
)

PROGRAMS["an unknown attribute of self"] = (
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = ms.Parameter(x(3), name="weight")

    def construct(self, x):
        return x * self.wieght


ms.compile(Net())(x(3))
""",
    """\
S2sadAttributeError
[E0220] self (Net) has no attribute 'wieght'
  --> program.py:7:19
  |
7 |         return x * self.wieght
  |                    ^^^^^^^^^^^
   = help: did you mean weight?
""",
)

PROGRAMS["an unknown function of ops"] = (
    """\
ms.compile(lambda x: ops.rellu(x))(x(3))
""",
    """\
S2sadAttributeError
[E0220] ops (module s2sad.ops) has no attribute 'rellu'
  --> program.py:1:21
  |
1 | ms.compile(lambda x: ops.rellu(x))(x(3))
  |                      ^^^^^^^^^
   = help: did you mean relu?
""",
)

PROGRAMS["an unknown method of a Tensor"] = (
    """\
ms.compile(lambda x: x.shap[0] * x)(x(3))
""",
    """\
S2sadAttributeError
[E0220] Tensor has no attribute 'shap' in compiled code
  --> program.py:1:21
  |
1 | ms.compile(lambda x: x.shap[0] * x)(x(3))
  |                      ^^^^^^
   = help: did you mean shape?
""",
)

PROGRAMS["what a Tensor holds"] = (
    """\
ms.compile(lambda x: x.asnumpy())(x(3))
""",
    """\
S2sadAttributeError
[E0220] Tensor has no attribute 'asnumpy' in compiled code
  --> program.py:1:21
  |
1 | ms.compile(lambda x: x.asnumpy())(x(3))
  |                      ^^^^^^^^^
   = help: it asks what the Tensor holds: do so with what the compiled function returns
""",
)

PROGRAMS["classes that are floats"] = (
    """\
def loss(logits, label):
    return ops.cross_entropy(logits, label)


ms.grad(loss)(x(2, 3), x(2))
""",
    """\
S2sadValueError
[E0401] targets that are floats are probabilities, of the shape (2, 3); got (2,)
  --> program.py:2:11
  |
2 |     return ops.cross_entropy(logits, label)
  |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ logits: f32[2, 3], label: f32[2]
   = help: classes are integers: `target.astype(int32)`
""",
)

PROGRAMS["a dtype that an op does not take"] = (
    """\
ms.compile(lambda x: ops.bitwise_and(x, 3))(x(2))
""",
    """\
S2sadTypeError
[E0301] expected integers or bools, got f32[2]
  --> program.py:1:21
  |
1 | ms.compile(lambda x: ops.bitwise_and(x, 3))(x(2))
  |                      ^^^^^^^^^^^^^^^^^^^^^ x: f32[2]
   = help: cast it: `.astype(...)`
""",
)

PROGRAMS["too many arguments of an op"] = (
    """\
ms.compile(lambda x: ops.relu(x, x, 3))(x(2))
""",
    """\
S2sadTypeError
[E0302] relu: too many positional arguments
  --> program.py:1:21
  |
1 | ms.compile(lambda x: ops.relu(x, x, 3))(x(2))
  |                      ^^^^^^^^^^^^^^^^^ given (f32[2], f32[2], 3)
   = help: relu takes (input, inplace=False)
""",
)

PROGRAMS["too few arguments of a function"] = (
    """\
def scaled(x, factor, *, shift=0.5):
    return x * factor + shift


def f(x):
    return scaled(x, shift=1.0)


ms.compile(f)(x(2))
""",
    """\
S2sadTypeError
[E0302] scaled: missing a required argument: 'factor'
  --> program.py:6:11
  |
6 |     return scaled(x, shift=1.0)
  |            ^^^^^^^^^^^^^^^^^^^^ given (f32[2], shift=1.0)
   = help: scaled takes (x, factor, *, shift=0.5), defined at program.py:1
""",
)

PROGRAMS["too many arguments of construct"] = (
    """\
class Net(nn.Cell):
    def construct(self, x):
        return x


net = ms.compile(Net())
net(x(2), x(3))
""",
    """\
S2sadTypeError
[E0302] Net.construct: too many positional arguments
  --> program.py:7:0
  |
7 | net(x(2), x(3))
  | ^^^^^^^^^^^^^^^ given (f32[2], f32[3])
   = help: construct takes (x), defined at program.py:2
""",
)

PROGRAMS["a result that is no tensor"] = (
    """\
def f(x):
    total = x.sum()
    return total, {"size": len}


ms.compile(f)(x(2))
""",
    """\
S2sadTypeError
[E0307] compiled code cannot return the function len as result[1]['size']
  --> program.py:3:27
  |
3 |     return total, {"size": len}
  |                            ^^^
   = help: return it from the code that calls this
""",
)

PROGRAMS["a return in a branch"] = (
    """\
def f(x):
    if x.sum() > 0:
        return x
    y = -x


ms.compile(f)(x(2))
""",
    """\
S2sadTypeError
[E0306] this branch returns a Tensor f32[2], the path that ends at line 4 returns None
  --> program.py:3:8
  |
3 |         return x
  |         ^^^^^^^^
   = help: let every path return Tensors of the same types, in the same form
""",
)

PROGRAMS["a variable of one branch"] = (
    """\
def f(x):
    if x.sum() > 0:
        y = x
    return y


ms.compile(f)(x(2))
""",
    """\
S2sadUnboundLocalError
[E0211] `y` is not assigned where the condition does not hold
  --> program.py:2:7
  |
2 |     if x.sum() > 0:
  |        ^^^^^^^^^^^
   = note: read at program.py:4:11
   = help: assign it before, or on every path
""",
)

PROGRAMS["two shapes of one variable"] = (
    """\
def f(x):
    if x.sum() > 0:
        x = x.sum()
    return x


ms.compile(f)(x(2))
""",
    """\
S2sadTypeError
[E0306] `x` is f32 where the condition holds and f32[2] elsewhere
  --> program.py:2:7
  |
2 |     if x.sum() > 0:
  |        ^^^^^^^^^^^
   = note: read at program.py:4:11
   = help: let it be a Tensor of one type on both paths
""",
)

PROGRAMS["a condition of several elements"] = (
    """\
def f(x):
    while x > 0:
        x = x - 1
    return x


ms.compile(f)(x(2))
""",
    """\
S2sadTypeError
[E0304] a condition is one element, got bool_[2]
  --> program.py:2:10
  |
2 |     while x > 0:
  |           ^^^^^ bool_[2]
   = help: reduce it first: `.any()` or `.all()`
""",
)

PROGRAMS["several errors"] = (
    """\
def f(x):
    if x.ndim == 3:
        print(unknown)
    class Scale: by = 2
    y = [scale * each for each in x]
    with open("log.txt") as log:
        eval("x")
    return z


ms.compile(f)(x(2, 2))
""",
    """\
S2sadSyntaxError
[E0101] a class cannot be compiled yet
  --> program.py:4:4
  |
4 |     class Scale: by = 2
  |     ^^^^^^^^^^^^^^^^^^^
   = help: define it outside of the function

[E0201] the name 'scale' is not defined
  --> program.py:5:9
  |
5 |     y = [scale * each for each in x]
  |          ^^^^^

[E0104] calling open cannot be compiled yet
  --> program.py:6:9
  |
6 |     with open("log.txt") as log:
  |          ^^^^^^^^^^^^^^^
   = help: call it where the function is called

[E0104] calling eval cannot be compiled yet
  --> program.py:7:8
  |
7 |         eval("x")
  |         ^^^^^^^^^
   = help: call it where the function is called

[E0201] the name 'z' is not defined
  --> program.py:8:11
  |
8 |     return z
  |            ^
""",
)

PROGRAMS["an index out of range"] = (
    """\
ms.compile(lambda x: x[5])(x(3, 2))
""",
    """\
S2sadIndexError
[E0501] index 5 is out of range for axis 0 of size 3
  --> program.py:1:21
  |
1 | ms.compile(lambda x: x[5])(x(3, 2))
  |                      ^^^^ x: f32[3, 2]
   = help: its indices are -3 to 2
""",
)

PROGRAMS["an index out of range that is data"] = (
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(4, 3)

    def construct(self, ids):
        rows = self.table(ids)
        return rows * 2.0


ms.compile(Net())(ms.Tensor([1, 9]))
""",
    """\
S2sadIndexError
[E0501] index 9 is out of range for axis 0 of size 4
  --> program.py:7:15
  |
7 |         rows = self.table(ids)
  |                ^^^^^^^^^^^^^^^
   = inside s2sad/nn/embedding.py
   = help: its indices are -4 to 3
""",
)

PROGRAMS["an index beyond a list"] = (
    """\
ms.compile(lambda x: [x, x][2])(x(3, 2))
""",
    """\
S2sadIndexError
[E0501] index 2 is out of range for a list of 2 items
  --> program.py:1:21
  |
1 | ms.compile(lambda x: [x, x][2])(x(3, 2))
  |                      ^^^^^^^^^
""",
)

PROGRAMS["a layer of a Sequential"] = (
    """\
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(4, 3), nn.ReLU(), nn.Dense(4, 2))

    def construct(self, x):
        return self.layers(x)


ms.compile(Net())(x(2, 4))
""",
    """\
S2sadValueError
[E0401] dense multiplies axis -1 of its input (2, 3) with axis 1 of its weight (2, 4)
  --> program.py:7:15
  |
7 |         return self.layers(x)
  |                ^^^^^^^^^^^^^^ x: f32[2, 4]
   = inside layers.2 (Dense), s2sad/nn/basic.py
   = help: an input of size 3 takes Dense(3, ...)
""",
)

PROGRAMS["a layer alone"] = (
    """\
dense = ms.compile(nn.Dense(8, 3))
dense(x(2, 4, 2))
""",
    """\
S2sadValueError
[E0401] dense multiplies axis -1 of its input (2, 4, 2) with axis 1 of its weight (3, 8)
  --> program.py:2:0
  |
2 | dense(x(2, 4, 2))
  | ^^^^^^^^^^^^^^^^^
   = inside Dense, s2sad/nn/basic.py
   = help: flatten the input first: ops.flatten(x), nn.Flatten()
""",
)

PROGRAMS["a print"] = (
    """\
def f(x):
    print([x])
    return x


ms.compile(f)(x(2))
""",
    """\
S2sadSyntaxError
[E0101] the repr of a tensor cannot be part of a text in compiled code
  --> program.py:2:4
  |
2 |     print([x])
  |     ^^^^^^^^^^ [x]: [f32[2]]
   = help: show the tensors of a container one by one: print(*items)
""",
)

PROGRAMS["a function of NumPy"] = (
    """\
import numpy as np

ms.compile(lambda x: np.sum(x))(x(2))
""",
    """\
S2sadSyntaxError
[E0104] calling numpy.sum on a tensor cannot be compiled: numpy sees no gradient
  --> program.py:3:21
  |
3 | ms.compile(lambda x: np.sum(x))(x(2))
  |                      ^^^^^^^^^ x: f32[2]
   = help: ops.sum, or x.sum(...), works on a Tensor
""",
)

PROGRAMS["an int of data"] = (
    """\
ms.compile(lambda x: x * int(x + 1))(x(2))
""",
    """\
S2sadTypeError
[E0304] int takes one element, got f32[2]
  --> program.py:1:25
  |
1 | ms.compile(lambda x: x * int(x + 1))(x(2))
  |                          ^^^^^^^^^^ f32[2]
   = help: x.astype(int32) keeps all of them
""",
)

PROGRAMS["a text of data"] = (
    """\
def f(x):
    name = f"x = {x}"
    return x * len(name)


ms.compile(f)(x(2))
""",
    """\
S2sadSyntaxError
[E0101] a text cannot depend on tensor data while compiling, but in print, raise and assert
  --> program.py:3:15
  |
3 |     return x * len(name)
  |                ^^^^^^^^^
   = help: print it, format what the compiled function returns, or show x.shape and x.dtype
""",
)

PROGRAMS["endless recursion"] = (
    """\
def f(x):
    return f(x + 1)


ms.compile(f)(x(2))
""",
    """\
S2sadSyntaxError
[E0103] f is called more than 200 deep
  --> program.py:2:11
  |
2 |     return f(x + 1)
  |            ^^^^^^^^ x + 1: f32[2]
   = called at program.py:2:11, 200 times
   = help: let it end by what is known while compiling, or write a loop
""",
)

PROGRAMS["a generator"] = (
    """\
def f(x):
    yield x


ms.compile(f)(x(2))
""",
    """\
S2sadSyntaxError
[E0101] f is a generator, which cannot be compiled
  --> program.py:2:4
  |
2 |     yield x
  |     ^^^^^^^
   = help: build a list, and return it
""",
)

PROGRAMS["no source"] = (
    """\
exec("def f(x):\\n    return x")
ms.compile(f)(x(2))
""",
    """\
S2sadSyntaxError
[E0102] the source of f is not to be had: `exec` and `python -c` keep none
  --> program.py:2:0
  |
2 | ms.compile(f)(x(2))
  | ^^^^^^^^^^^^^^^^^^^
   = help: define it in a file, or in a notebook
""",
)

PROGRAMS["an error of Python"] = (
    """\
def f(x):
    scale = 1 / (x.ndim - 1)
    return x * scale


ms.compile(f)(x(2))
""",
    """\
ZeroDivisionError
division by zero
  --> program.py:2:12
  |
2 |     scale = 1 / (x.ndim - 1)
  |             ^^^^^^^^^^^^^^^^
""",
)

PROGRAMS["a gradient of a wrong program"] = (
    """\
def f(x):
    return helper(x) * 2


def helper(x):
    return ops.concat((x, x.T)).sum()


ms.grad(f)(x(2, 3))
""",
    """\
S2sadValueError
[E0401] the sizes of axis 1 of f32[2, 3] and f32[3, 2], joined along axis 0, differ: 3 and 2
  --> program.py:6:11
  |
6 |     return ops.concat((x, x.T)).sum()
  |            ^^^^^^^^^^^^^^^^^^^^ (x, x.T): (f32[2, 3], f32[3, 2])
   = called at program.py:2:11
   = help: all sizes but the joined one must agree
""",
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_it_says(name):
    program, expected = PROGRAMS[name]
    assert text_of(error_of(program)) == expected.rstrip("\n")


@pytest.mark.parametrize("name", PROGRAMS)
def test_its_traceback_shows_the_users_frames(name):
    error = error_of(PROGRAMS[name][0])
    files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
    assert files[0] == __file__ and files[1] == FILE
    assert sum(file.startswith(PACKAGE) for file in files) <= 2
    shown = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    assert "During handling" not in shown and "direct cause" not in shown
