"""Cells that users build networks from. Their `construct` is read by the compiler."""

from s2sad.core.cell import Cell
from s2sad.nn.activation import ReLU, Sigmoid, Softmax, Tanh
from s2sad.nn.basic import Dense, Flatten
from s2sad.nn.container import SequentialCell
from s2sad.nn.loss import CrossEntropyLoss, SoftmaxCrossEntropyWithLogits
from s2sad.nn.optim import SGD

__all__ = [
    "SGD", "Cell", "CrossEntropyLoss", "Dense", "Flatten", "ReLU", "SequentialCell", "Sigmoid",
    "Softmax", "SoftmaxCrossEntropyWithLogits", "Tanh",
]  # fmt: skip
