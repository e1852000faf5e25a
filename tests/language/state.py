"""State."""

from __future__ import annotations

import numpy as np

import s2sad as ms
from language.case import Section, f32
from s2sad import nn, ops

SECTION = Section("State")
works, refused, scenario = SECTION.works, SECTION.refused, SECTION.scenario


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.p = ms.Parameter(ms.Tensor([1.0, 2.0]), name="p")
        self.scale = 2
        self.count = 0
        self.items = []
        self.table = None
        self.last = None


class Reads(Net):
    def construct(self, x):
        return x * self.scale


@scenario("read `self.attr`", note="guarded: another value compiles anew")
def reads(wrap):
    net = Reads()
    run, found = wrap(net), []
    for scale in (2, 3.5, 2):
        net.scale = scale
        found.append(run(f32(1.0, 2.0)))
    return found


class Counts(Net):
    def construct(self, x):
        self.count += 1
        return x * self.count


@scenario("`self.n += 1` (Python int)", note="compiled anew for each value: a Parameter is quicker")
def counts(wrap):
    net = Counts()
    run = wrap(net)
    found = [run(f32(1.0)) for _ in range(3)]
    net.count = 0
    return found, run(f32(1.0)), net.count


class Builds(Net):
    def construct(self, x):
        if self.table is None:
            position = np.arange(x.shape[0], dtype=np.float32)
            table = np.zeros((2, x.shape[0]), np.float32)
            table[0, 0::2] = np.sin(position[0::2])
            table[1] = np.cos(position)
            self.table = ms.Tensor(table)
        return x * self.table[0] + self.table[1]


@scenario("`self.t = tensor` (new or existing attribute)", note="also tables that are built lazily")
def builds(wrap):
    net = Builds()
    run = wrap(net)
    found = [run(f32(1.0, 2.0, 3.0)) for _ in range(3)]
    table, net.table = net.table, None
    return found, table, run(f32(1.0, 2.0, 3.0)), net.table


class Remembers(Net):
    def construct(self, x):
        y = x if self.last is None else x + self.last
        self.last = y * 2
        return self.last + 1


@scenario("`self.t = tensor` (new or existing attribute)")
def remembers(wrap):
    net = Remembers()
    run = wrap(net)
    return [run(f32(1.0, 2.0)) for _ in range(3)], net.last


class RemembersOnData(Net):
    def construct(self, x):
        if x.sum() > 0:
            self.last = x * 2  # here
        return x


@refused("`self.t = tensor` (new or existing attribute)", "E0104", "Parameter", is_scenario=True,
         at=RemembersOnData.construct, note="not in a branch or a loop on data")  # fmt: skip
def remembers_on_data(wrap):
    return wrap(RemembersOnData())(f32(1.0))


class Appends(Net):
    def construct(self, x):
        self.items.append(x)  # here
        return x


@refused("`self.items.append(v)`, captured or global `list.append`", "E0104", "build a new one",
         is_scenario=True, at=Appends.construct)  # fmt: skip
def appends(wrap):
    return wrap(Appends())(f32(1.0))


class Writes(Net):
    def construct(self, x):
        before = self.p * 1
        self.p = self.p + x
        self.p += 1
        ops.assign(self.p, self.p * 2)
        self.p[0] = 7.0
        return before, self.p * 1, x * self.p


@scenario(
    "`self.p = self.p + 1`, `self.p += 1`, `ops.assign(self.p, v)`, `self.p[i] = v` on Parameters",
    note="in the order of the program",
)  # fmt: skip
def writes(wrap):
    net = Writes()
    run = wrap(net)
    return [run(f32(1.0, 2.0)) for _ in range(2)], net.p * 1


class Casts(Net):
    def construct(self, x):
        self.p = (x * 2).astype(ms.float16)
        return self.p * 1


@scenario("assigning another dtype to a Parameter", note="cast to that of the Parameter")
def casts(wrap):
    net = Casts()
    run = wrap(net)
    return run(f32(1.0, 2.0)), net.p * 1


class Reshapes(Net):
    def construct(self, x):
        self.p = ops.stack([x, x])  # here
        return x


@refused("assigning another rank to a Parameter", "E0401", "shape", is_scenario=True,
         at=Reshapes.construct)  # fmt: skip
def reshapes(wrap):
    return wrap(Reshapes())(f32(1.0, 2.0))


class Scales(Net):
    def construct(self, x):
        return x * self.p


@scenario("Parameter updated outside between calls", note="always seen")
def updated(wrap):
    net = Scales()
    run = wrap(net)
    one = run(f32(1.0, 2.0))
    net.p.set_data(ms.Tensor([5.0, 6.0]))
    return one, run(f32(1.0, 2.0))


class Trains(Net):
    def construct(self, x):
        return x * 2 if self.training else x


@scenario("`self.training`", note="guarded")
def trains(wrap):
    net = Trains()
    run, found = wrap(net), []
    for mode in (True, False, True):
        net.set_train(mode)
        found.append(run(f32(1.0)))
    return found


class Hooked(Net):
    def construct(self, x):
        y = x * self.p
        y.register_hook(lambda dy: dy * 10)
        return y


@scenario("hooks of Cells, `y.register_hook(f)`", note="guarded; also in loops and branches")
def hooked(wrap):
    net = Hooked()
    run, slope, found = wrap(net), wrap(ms.grad(net)), []
    for register in (net.register_forward_hook, net.register_backward_hook):
        handle = register(lambda cell, inputs, outputs: inputs[0] * 3)
        found.append((run(f32(1.0, 2.0)), slope(f32(1.0, 2.0))))
        handle.remove()
    return found, run(f32(1.0, 2.0)), slope(f32(1.0, 2.0))


class Registers(Net):
    def construct(self, x):
        self.register_forward_hook(lambda cell, inputs, output: output)  # here
        return x


@refused("registering a hook of a Cell or a Parameter in compiled code", "E0104", "outside",
         is_scenario=True, at=Registers.construct)  # fmt: skip
def registers(wrap):
    return wrap(Registers())(f32(1.0))
