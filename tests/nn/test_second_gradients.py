"""Are gradients of gradients of every layer right, with respect to its input and its Parameters?

In a direction of all of them at once: the gradient of ``<gradient, direction>`` is compared with
the difference of the gradients a little ahead and a little back, in float64.
"""

from __future__ import annotations

import numpy as np
import pytest

import s2sad as ms
from s2sad import nn, ops

F64 = {"dtype": ms.float64}


def x(*shape, seed=0, low=-1.0, high=1.0):
    """Numbers that lie apart from each other and from 0, so that no step crosses an edge."""
    rng, count = np.random.default_rng(seed), int(np.prod(shape))
    places = rng.permutation(np.linspace(low, high, count) + (0.01 + 0.1 * seed) / count)
    return ms.Tensor(places.reshape(shape))


def whole(*shape, below=2, seed=0):
    return ms.Tensor(np.random.default_rng(seed).integers(0, below, shape).astype(np.int32))


def like_64(net):
    """`net`, which knows no dtype, with Parameters of float64."""
    for _, cell in net.cells_and_names():
        for name, old in [*cell._params.items()]:
            if old is not None:
                new = ms.Parameter(old.astype(ms.float64), old.name, old.requires_grad)
                cell._params[name] = new
    return net


TABLE, LINE, PICTURE, VOLUME = x(3, 4), x(2, 2, 6), x(1, 2, 4, 4), x(1, 2, 2, 3, 2)
#: The layer, and what it is called with; gradients are taken of the first.
CASES = {
    # elementwise
    **{
        name: (getattr(nn, name), TABLE)
        for name in (
            "CELU", "ELU", "FastGelu", "GELU", "GLU", "HShrink", "HSigmoid", "HSwish", "Hardtanh",
            "LeakyReLU", "LogSigmoid", "LogSoftmax", "Mish", "ReLU", "ReLU6", "SeLU",
            "SiLU", "Sigmoid", "SoftShrink", "Softmax", "Softmin", "Softsign", "Tanh",
            "Tanhshrink", "Identity", "Norm", "Flatten", "Tril",
            "Triu", "Moments",
        )
    },
    "RReLU": (lambda: nn.RReLU(0.25, 0.25), TABLE),  # which draws a slope between these
    "Dropout": (lambda: nn.Dropout(p=0.5).set_train(False), TABLE),
    "Dropout1d": (lambda: nn.Dropout1d(0.5).set_train(False), LINE),
    "Dropout2d": (lambda: nn.Dropout2d(0.5).set_train(False), PICTURE),
    "Dropout3d": (lambda: nn.Dropout3d(0.5).set_train(False), VOLUME),
    "ReduceLogSumExp": (lambda: nn.ReduceLogSumExp(1), TABLE),
    "ClipByNorm": (nn.ClipByNorm, TABLE, ms.Tensor(0.5, ms.float64)),
    "PReLU": (lambda: like_64(nn.PReLU(4)), TABLE),
    "Threshold": (lambda: nn.Threshold(0.1, 2.0), TABLE),
    "Softmax2d": (nn.Softmax2d, PICTURE),
    # shapes
    "Unflatten": (lambda: nn.Unflatten(1, (2, 2)), TABLE),
    "Roll": (lambda: nn.Roll(1, 0), TABLE),
    "Pad": (lambda: nn.Pad(((0, 1), (2, 1)), "SYMMETRIC"), TABLE),
    "ConstantPad1d": (lambda: nn.ConstantPad1d((1, 2), 0.5), LINE),
    "ConstantPad2d": (lambda: nn.ConstantPad2d(1, 0.5), PICTURE),
    "ConstantPad3d": (lambda: nn.ConstantPad3d(1, 0.5), VOLUME),
    "ZeroPad2d": (lambda: nn.ZeroPad2d(1), PICTURE),
    "ReflectionPad1d": (lambda: nn.ReflectionPad1d(1), LINE),
    "ReflectionPad2d": (lambda: nn.ReflectionPad2d(1), PICTURE),
    "ReflectionPad3d": (lambda: nn.ReflectionPad3d(1), VOLUME),
    "ReplicationPad1d": (lambda: nn.ReplicationPad1d(1), LINE),
    "ReplicationPad2d": (lambda: nn.ReplicationPad2d(1), PICTURE),
    "ReplicationPad3d": (lambda: nn.ReplicationPad3d(1), VOLUME),
    "ChannelShuffle": (lambda: nn.ChannelShuffle(2), x(1, 4, 2, 2)),
    "PixelShuffle": (lambda: nn.PixelShuffle(2), x(1, 4, 2, 2)),
    "PixelUnshuffle": (lambda: nn.PixelUnshuffle(2), PICTURE),
    "Unfold": (
        lambda: nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1], "valid"), x(1, 1, 3, 3)
    ),
    "Upsample": (lambda: nn.Upsample(scale_factor=2.0, mode="bilinear"), PICTURE),
    "ResizeBilinear": (nn.ResizeBilinear, PICTURE, (3, 5)),
    "CentralCrop": (lambda: nn.CentralCrop(0.5), x(2, 4, 4)),
    "ImageGradients": (nn.ImageGradients, PICTURE),
    "MatMul": (nn.MatMul, TABLE, x(4, 2, seed=1)),
    # dense
    "Dense": (lambda: nn.Dense(4, 3, activation="tanh", **F64), TABLE),
    "Linear": (lambda: nn.Linear(4, 3, **F64), TABLE),
    "BiDense": (lambda: nn.BiDense(4, 2, 3, **F64), TABLE, x(3, 2, seed=1)),
    "Embedding": (lambda: nn.Embedding(4, 3, dtype=ms.float64), whole(2, 3, below=4)),
    "EmbeddingLookup": (
        lambda: like_64(nn.EmbeddingLookup(4, 3)), whole(2, 3, below=4)
    ),
    "DenseBnAct": (
        lambda: like_64(nn.DenseBnAct(4, 3, has_bn=True, activation="sigmoid")).set_train(), TABLE
    ),
    # convolution
    "Conv1d": (lambda: nn.Conv1d(2, 2, 3, has_bias=True, **F64), LINE),
    "Conv2d": (lambda: nn.Conv2d(2, 2, 3, has_bias=True, **F64), PICTURE),
    "Conv3d": (lambda: nn.Conv3d(2, 1, 2, has_bias=True, **F64), VOLUME),
    "Conv1dTranspose": (lambda: nn.Conv1dTranspose(2, 2, 3, has_bias=True, **F64), LINE),
    "Conv2dTranspose": (lambda: nn.Conv2dTranspose(2, 2, 3, has_bias=True, **F64), PICTURE),
    "Conv3dTranspose": (lambda: nn.Conv3dTranspose(2, 1, 2, has_bias=True, **F64), VOLUME),
    "Conv2dBnAct": (
        lambda: like_64(nn.Conv2dBnAct(2, 2, 3, has_bn=True, activation="tanh")).set_train(),
        PICTURE,
    ),
    # normalisation, with statistics of the batch
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4, **F64).set_train(), TABLE),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(2, **F64).set_train(), PICTURE),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(2, **F64).set_train(), VOLUME),
    "SyncBatchNorm": (lambda: nn.SyncBatchNorm(4, **F64).set_train(), TABLE),
    "LayerNorm": (lambda: nn.LayerNorm((4,), **F64), TABLE),
    "GroupNorm": (lambda: nn.GroupNorm(1, 2, **F64), PICTURE),
    "InstanceNorm1d": (lambda: nn.InstanceNorm1d(2, **F64).set_train(), LINE),
    "InstanceNorm2d": (lambda: nn.InstanceNorm2d(2, **F64).set_train(), PICTURE),
    "InstanceNorm3d": (lambda: nn.InstanceNorm3d(2, **F64).set_train(), VOLUME),
    "LRN": (lambda: nn.LRN(2), PICTURE),
    # pooling
    "AvgPool1d": (lambda: nn.AvgPool1d(2, 1), LINE),
    "AvgPool2d": (lambda: nn.AvgPool2d(2, 1), PICTURE),
    "AvgPool3d": (lambda: nn.AvgPool3d(2, 1), VOLUME),
    "MaxPool1d": (lambda: nn.MaxPool1d(2, 1), LINE),
    "MaxPool2d": (lambda: nn.MaxPool2d(2, 1), PICTURE),
    "MaxPool3d": (lambda: nn.MaxPool3d(2, 1), VOLUME),
    "AdaptiveAvgPool1d": (lambda: nn.AdaptiveAvgPool1d(4), LINE),
    "AdaptiveAvgPool2d": (lambda: nn.AdaptiveAvgPool2d((3, 2)), PICTURE),
    "AdaptiveAvgPool3d": (lambda: nn.AdaptiveAvgPool3d((1, 2, 2)), VOLUME),
    "AdaptiveMaxPool1d": (lambda: nn.AdaptiveMaxPool1d(3), LINE),
    "AdaptiveMaxPool2d": (lambda: nn.AdaptiveMaxPool2d((3, 2)), PICTURE),
    "AdaptiveMaxPool3d": (lambda: nn.AdaptiveMaxPool3d((1, 2, 2)), VOLUME),
    "LPPool1d": (lambda: nn.LPPool1d(3, 2), x(2, 2, 6, low=0.5)),
    "LPPool2d": (lambda: nn.LPPool2d(2, 2), PICTURE),
    "MaxUnpool1d": (lambda: nn.MaxUnpool1d(2), x(1, 1, 2), ms.Tensor([[[1, 2]]])),
    "MaxUnpool2d": (lambda: nn.MaxUnpool2d(2), x(1, 1, 1, 2), ms.Tensor([[[[1, 2]]]])),
    "MaxUnpool3d": (lambda: nn.MaxUnpool3d(2), x(1, 1, 1, 1, 2), ms.Tensor([[[[[1, 2]]]]])),
    # recurrent, attention
    "RNNCell": (lambda: nn.RNNCell(4, 2, **F64), TABLE, x(3, 2, seed=1)),
    "LSTMCell": (
        lambda: nn.LSTMCell(4, 2, **F64), TABLE, (x(3, 2, seed=1), x(3, 2, seed=2))
    ),
    "GRUCell": (lambda: nn.GRUCell(4, 2, **F64), TABLE, x(3, 2, seed=1)),
    "RNN": (lambda: nn.RNN(2, 2, bidirectional=True, **F64), x(3, 1, 2)),
    "LSTM": (lambda: nn.LSTM(2, 2, 2, bidirectional=True, **F64), x(3, 1, 2)),
    "GRU": (lambda: nn.GRU(2, 2, 2, batch_first=True, **F64), x(1, 3, 2)),
    "MultiheadAttention": (
        lambda: nn.MultiheadAttention(4, 2, **F64), x(3, 1, 4), x(2, 1, 4, seed=1),
        x(2, 1, 4, seed=2),
    ),
    "TransformerEncoderLayer": (
        lambda: nn.TransformerEncoderLayer(4, 2, 3, 0.0, "gelu", **F64), x(3, 1, 4)
    ),
    "TransformerDecoderLayer": (
        lambda: nn.TransformerDecoderLayer(4, 2, 3, 0.0, "gelu", norm_first=True, **F64),
        x(2, 1, 4), x(3, 1, 4, seed=1),
    ),
    "TransformerEncoder": (
        lambda: nn.TransformerEncoder(
            nn.TransformerEncoderLayer(2, 1, 3, 0.0, **F64), 2, nn.LayerNorm((2,), **F64)
        ),
        x(3, 1, 2),
    ),
    "TransformerDecoder": (
        lambda: nn.TransformerDecoder(nn.TransformerDecoderLayer(2, 1, 3, 0.0, **F64), 1),
        x(2, 1, 2), x(3, 1, 2, seed=1),
    ),
    "Transformer": (lambda: nn.Transformer(2, 1, 1, 1, 3, 0.0, **F64), x(3, 1, 2), x(2, 1, 2)),
    # losses
    **{
        name: (getattr(nn, name), TABLE, x(3, 4, seed=1))
        for name in ("L1Loss", "MAELoss", "MSELoss", "RMSELoss", "SmoothL1Loss", "HuberLoss")
    },
    "BCELoss": (nn.BCELoss, x(3, 4, low=0.1, high=0.9), x(3, 4, seed=1, low=0.1, high=0.9)),
    "BCEWithLogitsLoss": (nn.BCEWithLogitsLoss, TABLE, x(3, 4, seed=1, low=0.1, high=0.9)),
    "CosineEmbeddingLoss": (
        nn.CosineEmbeddingLoss, TABLE, x(3, 4, seed=1), ms.Tensor([1, -1, 1])
    ),
    "CrossEntropyLoss": (nn.CrossEntropyLoss, TABLE, whole(3, below=4)),
    "CTCLoss": (
        nn.CTCLoss, ops.log_softmax(x(4, 1, 3), -1), ms.Tensor([[1, 2]]), ms.Tensor([4]),
        ms.Tensor([2]),
    ),
    "L1Regularizer": (lambda: nn.L1Regularizer(0.3), TABLE),
    "MultiClassDiceLoss": (
        lambda: nn.MultiClassDiceLoss(x(4, 2), 1, "sigmoid"), x(3, 4), x(3, 4, seed=1, low=0.1)),
    "DiceLoss": (nn.DiceLoss, x(3, 4, low=0.1, high=0.9), x(3, 4, seed=1, low=0.1, high=0.9)),
    "FocalLoss": (nn.FocalLoss, x(2, 3), whole(2, 1, below=3)),
    "GaussianNLLLoss": (
        nn.GaussianNLLLoss, TABLE, x(3, 4, seed=1), x(3, 4, seed=2, low=0.5, high=2.0)
    ),
    "HingeEmbeddingLoss": (nn.HingeEmbeddingLoss, TABLE, x(3, 4).sign()),
    "KLDivLoss": (nn.KLDivLoss, TABLE, x(3, 4, seed=1, low=0.1, high=0.9)),
    "MarginRankingLoss": (nn.MarginRankingLoss, x(4), x(4, seed=1), x(4, seed=2).sign()),
    "MultiLabelSoftMarginLoss": (
        nn.MultiLabelSoftMarginLoss, TABLE, x(3, 4, seed=1).sign().astype(ms.float64)
    ),
    "MultiMarginLoss": (nn.MultiMarginLoss, TABLE, whole(3, below=4)),
    "MultilabelMarginLoss": (
        nn.MultilabelMarginLoss, x(2, 3), ms.Tensor([[0, 2, -1], [1, -1, 0]], ms.int32)
    ),
    "NLLLoss": (nn.NLLLoss, TABLE, whole(3, below=4)),
    "PoissonNLLLoss": (nn.PoissonNLLLoss, TABLE, x(3, 4, seed=1, low=0.5, high=3.0)),
    "SampledSoftmaxLoss": (
        lambda: nn.SampledSoftmaxLoss(
            2, 5,
            sampled_values=(
                ms.Tensor([1, 3]), ms.Tensor([[0.5], [0.5]], ms.float64),
                ms.Tensor([0.5, 0.5], ms.float64),
            ),
        ),
        x(5, 3), x(5, seed=1), ms.Tensor([[0], [2]]), x(2, 3, seed=2),
    ),
    "SoftMarginLoss": (nn.SoftMarginLoss, TABLE, x(3, 4, seed=1).sign()),
    "SoftmaxCrossEntropyWithLogits": (
        lambda: nn.SoftmaxCrossEntropyWithLogits(reduction="mean"), TABLE,
        ops.softmax(x(3, 4, seed=1)),
    ),
    "TripletMarginLoss": (
        nn.TripletMarginLoss, TABLE, x(3, 4, seed=1), x(3, 4, seed=2), 1.0
    ),
    "PSNR": (nn.PSNR, x(1, 1, 4, 4, low=0.1, high=0.9), x(1, 1, 4, 4, seed=1, low=0.1, high=0.9)),
    "SSIM": (
        lambda: nn.SSIM(filter_size=3), x(1, 1, 4, 4, low=0.1, high=0.9),
        x(1, 1, 4, 4, seed=1, low=0.1, high=0.9),
    ),
    "MSSSIM": (
        lambda: nn.MSSSIM(filter_size=2, power_factors=(0.5, 0.5)),
        x(1, 1, 4, 4, low=0.1, high=0.9), x(1, 1, 4, 4, seed=1, low=0.1, high=0.9),
    ),
    # networks around networks
    "SequentialCell": (
        lambda: nn.SequentialCell(nn.Dense(4, 2, **F64), nn.Tanh(), nn.Dense(2, 1, **F64)), TABLE
    ),
    "WithLossCell": (
        lambda: nn.WithLossCell(nn.Dense(4, 2, activation="tanh", **F64), nn.MSELoss()), TABLE,
        x(3, 2, seed=1),
    ),
}  # fmt: skip
#: Cells that compute nothing that has a gradient, hold others, or make steps.
OTHERS = {
    "Cell", "CellDict", "CellList", "GraphCell", "LossBase", "OneHot", "Range",
    "DistributedGradReducer", "DynamicLossScaleUpdateCell", "FixedLossScaleUpdateCell",
    "ForwardValueAndGrad", "GradAccumulationCell", "MicroBatchInterleaved", "ParameterUpdate",
    "PipelineCell", "TrainOneStepCell", "TrainOneStepWithLossScaleCell", "WithEvalCell",
    "WithGradCell", "LearningRateSchedule", "CosineDecayLR", "ExponentialDecayLR",
    "InverseDecayLR", "NaturalExpDecayLR", "PolynomialDecayLR", "WarmUpLR",
}  # fmt: skip


#: The step, and what is allowed, where it is not as for the others: this computes in float32.
ROUGH = {"ClipByNorm": (1e-2, 2e-3)}


def test_no_layer_is_left_out():
    kinds = {name for name in nn.__all__ if isinstance(getattr(nn, name), type)}
    kinds = {name for name in kinds if issubclass(getattr(nn, name), nn.Cell)}
    steps = {name for name in kinds if issubclass(getattr(nn, name), nn.Optimizer)} | {"LARS"}
    assert kinds - steps == CASES.keys() | OTHERS


def floats(result):
    """The float Tensors of a result."""
    if isinstance(result, (tuple, list)):
        return [tensor for part in result for tensor in floats(part)]
    return [result] if result.dtype.is_float else []


def numbers(tensors):
    return np.concatenate([np.ravel(tensor.asnumpy()) for tensor in tensors])


@pytest.mark.parametrize("case", CASES)
def test_second_gradients(case):
    ms.set_seed(1)
    make, first, *others = CASES[case]
    net = make()
    weights = list(net.trainable_params())
    rng = np.random.default_rng(3)
    for place, weight in enumerate(weights):  # apart from what makes it all 0
        shaken = weight.asnumpy() + 0.3 * rng.normal(size=weight.shape)
        weight.set_data(shaken)
        assert weight.dtype is ms.float64, place
    given = [first, *weights] if first.dtype.is_float else weights
    directions = [ms.Tensor(rng.normal(size=each.shape)) for each in given]
    position = 0 if first.dtype.is_float else None

    def loss(first):
        parts = [ops.reshape(part, (-1,)) for part in floats(net(first, *others))]
        bent = [ops.sin(part) + ops.square(part) for part in parts]
        return sum(
            ops.sum(part * ops.cos(ops.arange(part.shape[0]).astype(ms.float64))) for part in bent
        )

    def gradients(first):
        found = ms.grad(loss, position, weights or None)(first)
        if not weights:
            return (found,)
        return (found[0], *found[1]) if position is not None else tuple(found)

    def along(first):
        found = gradients(first)
        return sum(ops.sum(g * d) for g, d in zip(found, directions, strict=True))

    found = ms.compile(ms.grad(along, position, weights or None))(first)
    if weights:
        found = (found[0], *found[1]) if position is not None else found
    else:
        found = (found,)
    step, allowed = ROUGH.get(case, (1e-5, 1e-6))
    sides = []
    run = ms.compile(gradients)
    before = [weight.asnumpy().copy() for weight in weights]
    for sign in (step, -step):
        for weight, old, direction in zip(weights, before, directions[-len(weights) or None :],
                                          strict=False):  # fmt: skip
            weight.set_data(old + sign * direction.asnumpy())
        moved = first if position is None else first + sign * directions[0]
        sides.append(numbers(run(moved)))
    expected = (sides[0] - sides[1]) / (2 * step)
    np.testing.assert_allclose(numbers(found), expected, rtol=10 * allowed, atol=allowed)
