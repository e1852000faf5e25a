"""Cells that users build networks from. Their `construct` is read by the compiler."""

from s2sad.core.cell import Cell
from s2sad.nn.activation import LogSoftmax, ReLU, Sigmoid, Softmax, Tanh, get_activation
from s2sad.nn.basic import Dense, Flatten
from s2sad.nn.container import SequentialCell
from s2sad.nn.loss import CrossEntropyLoss, LossBase, SoftmaxCrossEntropyWithLogits
from s2sad.nn.optim import SGD, Optimizer

__all__ = [
    "SGD", "Cell", "CrossEntropyLoss", "Dense", "Flatten", "LogSoftmax", "LossBase", "Optimizer",
    "ReLU", "SequentialCell", "Sigmoid", "Softmax", "SoftmaxCrossEntropyWithLogits", "Tanh",
    "get_activation",
]  # fmt: skip
