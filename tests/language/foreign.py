"""Foreign code: NumPy, `math`, and what is not pure."""

# ruff: noqa: NPY002, S311
from __future__ import annotations

import itertools
import math
import random
import time

import numpy as np

import s2sad as ms
from language.case import Section
from s2sad import nn, ops

SECTION = Section("Foreign code")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


@works("`math.f(const)`, `np.pi`, `np.float32(2)`")
def constants(x):
    grid = np.linspace(0, 1, 3, dtype=np.float32).reshape(3)
    return x * math.sqrt(2.0) + np.pi * np.float32(2) + ms.Tensor(np.sqrt(grid)), int(
        np.prod((2, 3))
    )


@works(
    "`math.f(const)`, `np.pi`, `np.float32(2)`", note="arrays that compiled code makes may change"
)
def tables(x):
    table = np.zeros((2, 3), np.float32)
    table[0] = np.arange(3)
    table[1, ::2] += 5
    return ms.Tensor(table) * x, [a * b for a, b in itertools.product((1, 2), (3, 4))]


@refused("`math.sin(x[0])`", "E0104", "ops.sin")
def math_of_data(x):
    return x * math.sin(x[0])  # here


@works("`Tensor(np.array(const))` inside")
def makes_tensors(x):
    return ms.Tensor(np.array([1.0, 2.0, 3.0], np.float32)) * x + ms.Tensor([1, 2, 3], ms.float32)


@refused("`np.f(x.asnumpy())`", "E0220", "what the compiled function returns",
         note="NumPy sees no gradient")  # fmt: skip
def leaves_for_numpy(x):
    return ms.Tensor(np.sin(x.asnumpy())) + x * x  # here


@refused("`np.f(x.asnumpy())`", "E0104", "ops.sin")
def numpy_of_data(x):
    return np.sin(x) + x  # here


@refused("`x.tolist()`, `x.asnumpy()` returned", "E0220", "what the compiled function returns")
def lists_data(x):
    return x.tolist()  # here


@refused("`random.random()`, `time.time()`", "E0104", "ops.rand",
         note="would run once, while compiling")  # fmt: skip
def random_numbers(x):
    return x * random.random()  # here


@refused("`random.random()`, `time.time()`", "E0104", "pass the value")
def the_time(x):
    return x * time.time()  # here


@refused("`random.random()`, `time.time()`", "E0104", "ops.rand")
def numpy_random(x):
    return x * np.random.rand()  # here


@refused("unknown Tensor attribute", "E0220", "mean")
def unknown_attribute(x):
    return x.meann()  # here


@refused(
    "`ops.nonzero`, `ops.unique`, `ops.masked_select` (data-dependent shape)", "E0305", "ops.where"
)  # fmt: skip
def depends_on_data(x):
    return ops.masked_select(x, x > 1)  # here


@works("`ops.nonzero`, `ops.unique`, `ops.masked_select` (data-dependent shape)",
       note="write the mask as a factor, or with ops.where")  # fmt: skip
def masks(x):
    return ops.where(x > 1.5, x * x, 0).sum()


@refused("`Parameter(...)` created inside", "E0104", "in __init__")
def makes_a_parameter(x):
    return x * ms.Parameter(x, name="w")  # here


@works("Cells and Primitives created inside", note="Cells without Parameters")
def makes_cells(x):
    return nn.ReLU()(x) + nn.SequentialCell([nn.Tanh(), nn.Sigmoid()])(x)


@refused("Cells and Primitives created inside", "E0104", "in __init__")
def makes_a_dense(x):
    return nn.Dense(3, 2)(x)  # here
