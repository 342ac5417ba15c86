"""Optimizers, learning-rate schedules and gradient clipping, with PyTorch's names and defaults."""

from autograd_ref.optim.adaptive import Adagrad, Adam, AdamW, RMSprop
from autograd_ref.optim.clip import clip_grad_norm_, clip_grad_value_
from autograd_ref.optim.optimizer import Optimizer
from autograd_ref.optim.schedules import (
    CosineAnnealingLR,
    CosineWithWarmup,
    LambdaLR,
    OneCycleLR,
    ReduceLROnPlateau,
    Schedule,
    StepLR,
)
from autograd_ref.optim.sgd import SGD

__all__ = [
    "SGD",
    "Adagrad",
    "Adam",
    "AdamW",
    "CosineAnnealingLR",
    "CosineWithWarmup",
    "LambdaLR",
    "OneCycleLR",
    "Optimizer",
    "RMSprop",
    "ReduceLROnPlateau",
    "Schedule",
    "StepLR",
    "clip_grad_norm_",
    "clip_grad_value_",
]
