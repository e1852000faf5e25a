"""Optimizers: Cells that take gradients and write Parameters, a file a family."""

from s2sad.nn.optim.adadelta import Adadelta
from s2sad.nn.optim.adafactor import AdaFactor
from s2sad.nn.optim.adagrad import Adagrad
from s2sad.nn.optim.adam import Adam, AdamWeightDecay
from s2sad.nn.optim.adamax import AdaMax
from s2sad.nn.optim.asgd import ASGD
from s2sad.nn.optim.ftrl import FTRL
from s2sad.nn.optim.lamb import Lamb
from s2sad.nn.optim.lars import LARS
from s2sad.nn.optim.lazy_adam import AdamOffload, LazyAdam
from s2sad.nn.optim.momentum import Momentum
from s2sad.nn.optim.optimizer import Optimizer, opt_init_args_register
from s2sad.nn.optim.proximal_adagrad import ProximalAdagrad
from s2sad.nn.optim.rmsprop import RMSProp
from s2sad.nn.optim.rprop import Rprop
from s2sad.nn.optim.sgd import SGD

__all__ = [
    "ASGD", "FTRL", "LARS", "SGD", "AdaFactor", "AdaMax", "Adadelta", "Adagrad", "Adam",
    "AdamOffload", "AdamWeightDecay", "Lamb", "LazyAdam", "Momentum", "Optimizer",
    "ProximalAdagrad", "RMSProp", "Rprop", "opt_init_args_register",
]  # fmt: skip
