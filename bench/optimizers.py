"""Which optimizer does a workload take?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from s2sad import nn, ops
from s2sad import prims as p


class AdamW(nn.Adam):
    """Adam that takes a part of each parameter away beforehand.

    Both moments are corrected before epsilon is added, as the workloads have it; `nn.Adam` adds it
    before, as MindSpore does.
    """

    def __init__(self, params, decay, **settings):
        super().__init__(params, **settings)
        self.decay = decay

    def update_parameter(self, index, parameter, gradient, rate):
        mean, square = self.moment1[index], self.moment2[index]
        updated, first, second = p.adamw_update(
            parameter, mean, square, gradient, rate,
            self.scalar(self.beta1_power, parameter), self.scalar(self.beta2_power, parameter),
            beta1=self.beta1, beta2=self.beta2, eps=self.eps, weight_decay=self.decay,
        )  # fmt: skip
        ops.assign(mean, first)
        ops.assign(square, second)
        ops.assign(parameter, updated)


def optimizer(spec: Mapping[str, Any], params: Sequence[Any]) -> nn.Optimizer:
    """The optimizer that `spec`, an entry of `SPEC`, describes."""
    rate = spec["lr"]
    if spec["opt"] == "sgd":
        return nn.SGD(params, rate)
    if spec["opt"] == "momentum":
        return nn.Momentum(params, rate, spec["mu"])
    settings = {"learning_rate": rate, "beta1": spec["b1"], "beta2": spec["b2"], "eps": spec["eps"]}
    return AdamW(params, spec.get("wd", 0.0), **settings)
