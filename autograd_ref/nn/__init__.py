"""Layers: modules that own their parameters, one file per family, with PyTorch's names and defaults.

One difference: parameters are float64 unless you call `model.to(np.float32)`.
"""

from autograd_ref.nn import init
from autograd_ref.nn.activations import (
    ELU,
    GELU,
    LeakyReLU,
    LogSoftmax,
    ReLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    Tanh,
)
from autograd_ref.nn.attention import MultiheadAttention, TransformerBlock
from autograd_ref.nn.containers import ModuleList, Sequential
from autograd_ref.nn.convolution import Conv1d, Conv2d
from autograd_ref.nn.dropout import Dropout
from autograd_ref.nn.embedding import Embedding
from autograd_ref.nn.init import manual_seed
from autograd_ref.nn.linear import Flatten, Identity, Linear
from autograd_ref.nn.module import Buffer, Module, Parameter
from autograd_ref.nn.normalization import BatchNorm1d, BatchNorm2d, LayerNorm
from autograd_ref.nn.pooling import AvgPool1d, AvgPool2d, MaxPool1d, MaxPool2d
from autograd_ref.nn.recurrent import GRUCell, RNNCell

__all__ = [
    "ELU",
    "GELU",
    "AvgPool1d",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Buffer",
    "Conv1d",
    "Conv2d",
    "Dropout",
    "Embedding",
    "Flatten",
    "GRUCell",
    "Identity",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MaxPool1d",
    "MaxPool2d",
    "Module",
    "ModuleList",
    "MultiheadAttention",
    "Parameter",
    "RNNCell",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Softplus",
    "Tanh",
    "TransformerBlock",
    "init",
    "manual_seed",
]
