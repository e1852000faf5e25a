"""How fast does s2sad run a workload? One line of JSON for each.

    python -m bench.peer --workload lenet --threads 2

Variants: ``sink`` runs the n steps by one call, ``call`` calls for each; ``--backend numpy`` takes
NumPy in place of C.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
from typing import Any

from bench import common

VARIANTS = ["sink", "call"]
#: Parameters whose names differ from ours.
RENAMED = {
    r"(bn\d?)\.weight$": r"\1.gamma",
    r"(bn\d?)\.bias$": r"\1.beta",
    r"^w_(ih|hh)$": r"rnn.weight_\1_l0",
    r"^b_(ih|hh)$": r"rnn.bias_\1_l0",
}


def name_here(name: str) -> str:
    """What a network of s2sad calls the parameter `name`.

    Examples
    --------
    >>> name_here("s0b1.bn2.weight"), name_here("w_ih"), name_here("fc1.bias")
    ('s0b1.bn2.gamma', 'rnn.weight_ih_l0', 'fc1.bias')
    """
    for pattern, other in RENAMED.items():
        name = re.sub(pattern, other, name)
    return name


class Run:
    """A workload: network, optimizer and data; `run` makes steps from where the last one ended."""

    def __init__(self, name: str, variant: str) -> None:
        import s2sad as ms
        from bench.nets import network
        from bench.optimizers import optimizer
        from s2sad import nn
        from s2sad.binding.target import backend_name

        if backend_name() == "s2sad.backends.c":
            from s2sad.backends.c.runtime import load_runtime

            load_runtime()  # built once a machine: no part of a first step
        weights, data = common.make(name)
        spec = common.SPEC[name]
        self.sink = variant == "sink"
        net = network(name).set_train()
        found = {p.name: p for p in net.trainable_params()}
        self.start = [(found.pop(name_here(k)), ms.Tensor(v)) for k, v in weights.items()]
        if found:
            raise KeyError(f"no weights for {', '.join(found)}")
        own = optimizer(spec, net.trainable_params())
        self.cell = nn.TrainOneStepCell(net, own).set_train()
        given = {id(p) for p, _ in self.start}
        rest = {id(p): p for p in (*net.get_parameters(), *own.get_parameters())}
        self.start += [
            (p, ms.Tensor(p.asnumpy().copy())) for k, p in rest.items() if k not in given
        ]
        self.step: Any = ms.compile(self.cell)
        self.batches = [tuple(ms.Tensor(v[i]) for v in data.values()) for i in range(spec["nb"])]
        self.reset()

    def reset(self) -> None:
        """Go back to the given weights and an optimizer that has done nothing."""
        for parameter, value in self.start:
            parameter.set_data(value)
        self.at = 0

    def run(self, n: int) -> list[float]:
        """The losses of `n` steps."""
        places = [(self.at + i) % len(self.batches) for i in range(n)]
        self.at += n
        if self.sink:
            return self.step.sink(self.batches[i] for i in places).tolist()
        losses = [self.step(*self.batches[i]) for i in places]
        return [loss.item() for loss in losses]


def versions() -> dict[str, str]:
    """Of what runs."""
    import numpy as np

    import s2sad

    return {"python": platform.python_version(), "numpy": np.__version__,
            "s2sad": s2sad.__version__}  # fmt: skip


def main() -> None:
    """Measure what the command line asks for."""
    first = argparse.ArgumentParser(add_help=False)
    first.add_argument("--backend", choices=("c", "numpy"))
    chosen, rest = first.parse_known_args()
    args = common.parse_args("s2sad", VARIANTS, "best", rest)
    if chosen.backend:
        os.environ["S2SAD_BACKEND"] = chosen.backend
    if "BENCH_CACHE_DIR" in os.environ:
        os.environ["S2SAD_CACHE_DIR"] = os.environ["BENCH_CACHE_DIR"]
    common.main("s2sad", lambda name: VARIANTS, {"*": "sink"}, Run, versions(), args)


if __name__ == "__main__":
    main()
