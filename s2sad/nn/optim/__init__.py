"""Optimizers: Cells that take gradients and write Parameters, a file a family."""

from s2sad.nn.optim.adagrad import Adagrad
from s2sad.nn.optim.adam import Adam, AdamWeightDecay
from s2sad.nn.optim.momentum import Momentum
from s2sad.nn.optim.optimizer import Optimizer
from s2sad.nn.optim.rmsprop import RMSProp
from s2sad.nn.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamWeightDecay", "Momentum", "Optimizer", "RMSProp"]
