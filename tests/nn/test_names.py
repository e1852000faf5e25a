"""Do Parameters have MindSpore's names and shapes, so that checkpoints fit in both directions?

``data/mindspore_names.json`` holds what MindSpore 2.10 has: `LAYERS` and `OPTIMIZERS` of this file
were called with its modules, and `described` of it was written with `json.dump`.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn

DATA = json.loads((Path(__file__).parent / "data" / "mindspore_names.json").read_text())

LAYERS = {
    "Dense": lambda nn: nn.Dense(3, 4, activation="relu"),
    "Dense without bias": lambda nn: nn.Dense(3, 4, has_bias=False),
    "BiDense": lambda nn: nn.BiDense(3, 4, 5),
    "Conv1d": lambda nn: nn.Conv1d(4, 6, 3, group=2, has_bias=True),
    "Conv2d": lambda nn: nn.Conv2d(4, 6, (3, 2), group=2, has_bias=True),
    "Conv3d": lambda nn: nn.Conv3d(3, 4, 3, has_bias=True),
    "Conv1dTranspose": lambda nn: nn.Conv1dTranspose(4, 6, 3, group=2, has_bias=True),
    "Conv2dTranspose": lambda nn: nn.Conv2dTranspose(4, 6, (3, 2), group=2, has_bias=True),
    "Conv3dTranspose": lambda nn: nn.Conv3dTranspose(3, 4, 3, has_bias=True),
    "Conv2dBnAct": lambda nn: nn.Conv2dBnAct(
        3, 4, 3, has_bias=True, has_bn=True, activation="relu"
    ),
    "DenseBnAct": lambda nn: nn.DenseBnAct(3, 4, has_bn=True, activation="relu"),
    "BatchNorm1d": lambda nn: nn.BatchNorm1d(3),
    "BatchNorm2d": lambda nn: nn.BatchNorm2d(3),
    "BatchNorm2d that is not trained": lambda nn: nn.BatchNorm2d(3, affine=False),
    "BatchNorm3d": lambda nn: nn.BatchNorm3d(3),
    "SyncBatchNorm": lambda nn: nn.SyncBatchNorm(3),
    "LayerNorm": lambda nn: nn.LayerNorm((2, 3)),
    "GroupNorm": lambda nn: nn.GroupNorm(1, 3),
    "InstanceNorm1d": lambda nn: nn.InstanceNorm1d(3),
    "InstanceNorm2d": lambda nn: nn.InstanceNorm2d(3),
    "InstanceNorm3d": lambda nn: nn.InstanceNorm3d(3),
    "Embedding": lambda nn: nn.Embedding(3, 4),
    "EmbeddingLookup": lambda nn: nn.EmbeddingLookup(3, 4),
    "PReLU": lambda nn: nn.PReLU(3),
    "RNN": lambda nn: nn.RNN(3, 4, 2, bidirectional=True),
    "LSTM": lambda nn: nn.LSTM(3, 4, 2, bidirectional=True),
    "GRU": lambda nn: nn.GRU(3, 4, 2, bidirectional=True),
    "LSTM without bias": lambda nn: nn.LSTM(3, 4, has_bias=False),
    "RNNCell": lambda nn: nn.RNNCell(3, 4),
    "LSTMCell": lambda nn: nn.LSTMCell(3, 4),
    "GRUCell": lambda nn: nn.GRUCell(3, 4),
    "MultiheadAttention": lambda nn: nn.MultiheadAttention(8, 2),
    "MultiheadAttention of other sizes": lambda nn: nn.MultiheadAttention(
        8, 2, kdim=4, vdim=6, add_bias_kv=True
    ),
    "TransformerEncoderLayer": lambda nn: nn.TransformerEncoderLayer(8, 2, 16),
    "TransformerDecoderLayer": lambda nn: nn.TransformerDecoderLayer(8, 2, 16),
    "TransformerEncoder": lambda nn: nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 16), 2, norm=nn.LayerNorm((8,))
    ),
    "TransformerDecoder": lambda nn: nn.TransformerDecoder(
        nn.TransformerDecoderLayer(8, 2, 16), 2, norm=nn.LayerNorm((8,))
    ),
    "Transformer": lambda nn: nn.Transformer(8, 2, 1, 1, 16),
}  # fmt: skip

OPTIMIZERS = {
    "SGD": lambda ms, w: ms.nn.SGD(w),
    "SGD with momentum": lambda ms, w: ms.nn.SGD(w, momentum=0.9),
    "Momentum": lambda ms, w: ms.nn.Momentum(w, 0.1, 0.9),
    "Momentum by a list": lambda ms, w: ms.nn.Momentum(w, [0.1, 0.2], 0.9),
    "Momentum by a schedule": lambda ms, w: ms.nn.Momentum(
        w, ms.nn.ExponentialDecayLR(0.1, 0.9, 4), 0.9
    ),
    "Momentum, a rate of a group": lambda ms, w: ms.nn.Momentum(
        [{"params": w[:1]}, {"params": w[1:], "lr": 0.2}], 0.1, 0.9
    ),
    "Momentum, rates of groups": lambda ms, w: ms.nn.Momentum(
        [{"params": w[:1], "lr": 0.3}, {"params": w[1:], "lr": 0.2}], 0.1, 0.9
    ),
    "Momentum, a decay of a group": lambda ms, w: ms.nn.Momentum(
        [{"params": w[:1], "weight_decay": 0.3}, {"params": w[1:]}], 0.1, 0.9
    ),
    "Adam": lambda ms, w: ms.nn.Adam(w),
    "Adam with the largest": lambda ms, w: ms.nn.Adam(w, use_amsgrad=True),
    "LazyAdam": lambda ms, w: ms.nn.LazyAdam(w),
    "AdamOffload": lambda ms, w: ms.nn.AdamOffload(w),
    "AdamWeightDecay": lambda ms, w: ms.nn.AdamWeightDecay(w),
    "AdaMax": lambda ms, w: ms.nn.AdaMax(w),
    "Adagrad": lambda ms, w: ms.nn.Adagrad(w),
    "Adadelta": lambda ms, w: ms.nn.Adadelta(w),
    "RMSProp": lambda ms, w: ms.nn.RMSProp(w),
    "RMSProp, centered": lambda ms, w: ms.nn.RMSProp(w, centered=True),
    "FTRL": lambda ms, w: ms.nn.FTRL(w),
    "ProximalAdagrad": lambda ms, w: ms.nn.ProximalAdagrad(w),
    "Rprop": lambda ms, w: ms.nn.Rprop(w),
    "ASGD": lambda ms, w: ms.nn.ASGD(w),
    "Lamb": lambda ms, w: ms.nn.Lamb(w, 0.1),
    "LARS": lambda ms, w: ms.nn.LARS(ms.nn.Momentum(w, 0.1, 0.9)),
    "AdaFactor": lambda ms, w: ms.nn.AdaFactor(w, learning_rate=None),
    **{
        f"experimental {name}": lambda ms, w, name=name: getattr(ms.experimental.optim, name)(
            w, 0.1
        )
        for name in (
            "SGD", "Adam", "AdamW", "ASGD", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam",
            "RMSprop", "Rprop",
        )
    },
}  # fmt: skip

#: Names that only MindSpore has: what its LARS gives its base, without rate and Parameter.
ONLY_THERE = {"LARS": {"fake_lr", "fake_param"}}
#: Names that only we have: MindSpore keeps these numbers, too, but a checkpoint leaves them out.
ONLY_HERE = {
    "experimental ASGD": {"eta.a.weight", "eta.a.bias", "mu.a.weight", "mu.a.bias"},
    "experimental NAdam": {"mu_product.a.weight", "mu_product.a.bias"},
}


def described(cell):
    """Name, shape, dtype of each Parameter."""
    return {
        name: [list(x.shape), str(x.dtype).lower().rpartition(".")[2]]
        for name, x in cell.parameters_dict().items()
    }


def trained(ms):
    return [
        ms.Parameter(ms.Tensor(np.ones(shape, np.float32)), name=name)
        for name, shape in (("a.weight", (2, 3)), ("a.bias", (2,)))
    ]


@pytest.mark.parametrize("case", LAYERS)
def test_parameters_of_layers(case):
    net = nn.SequentialCell(LAYERS[case](nn))
    assert list(described(net).items()) == list(DATA["layers"][case].items())  # in this order, too
    trains = {name for name, x in net.parameters_dict().items() if x.requires_grad}
    assert trains == set(DATA["trained"][case])


@pytest.mark.parametrize("case", OPTIMIZERS)
def test_states_of_optimizers(case):
    found, right = described(OPTIMIZERS[case](ms, trained(ms))), DATA["optimizers"][case]
    assert right.keys() - found.keys() == ONLY_THERE.get(case, set())
    assert found.keys() - right.keys() == ONLY_HERE.get(case, set())
    assert found == {name: found.get(name) if name not in right else right[name] for name in found}


def test_the_table_is_whole():
    assert DATA["layers"].keys() == LAYERS.keys()
    assert DATA["optimizers"].keys() == OPTIMIZERS.keys()
