"""Optimizers, learning-rate schedules and gradient clipping, with PyTorch's names and defaults."""

from autograd_ref.optim.adaptive import Adagrad, Adam, AdamW, RMSprop
from autograd_ref.optim.clip import clip_grad_norm_, clip_grad_value_
from autograd_ref.optim.optimizer import Optimizer
from autograd_ref.optim.schedules import CosineWithWarmup, ReduceLROnPlateau, Schedule, StepLR
from autograd_ref.optim.sgd import SGD

__all__ = [
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "CosineWithWarmup",
    "Optimizer",
    "RMSprop",
    "ReduceLROnPlateau",
    "Schedule",
    "StepLR",
    "clip_grad_norm_",
    "clip_grad_value_",
]
