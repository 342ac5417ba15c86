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
from autograd_ref.nn.containers import ModuleDict, ModuleList, Sequential
from autograd_ref.nn.convolution import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from autograd_ref.nn.dropout import Dropout
from autograd_ref.nn.embedding import Embedding
from autograd_ref.nn.init import manual_seed
from autograd_ref.nn.linear import Flatten, Identity, Linear
from autograd_ref.nn.losses import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from autograd_ref.nn.module import Buffer, Module, Parameter
from autograd_ref.nn.normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, RMSNorm
from autograd_ref.nn.pooling import (
    AdaptiveAvgPool1d,
    AdaptiveAvgPool2d,
    AdaptiveMaxPool1d,
    AdaptiveMaxPool2d,
    AvgPool1d,
    AvgPool2d,
    MaxPool1d,
    MaxPool2d,
)
from autograd_ref.nn.recurrent import GRUCell, RNNCell
from autograd_ref.nn.sequences import GRU, LSTM, RNN, LSTMCell

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "RNN",
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AvgPool1d",
    "AvgPool2d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "Buffer",
    "Conv1d",
    "Conv2d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "CrossEntropyLoss",
    "Dropout",
    "Embedding",
    "Flatten",
    "GRUCell",
    "GroupNorm",
    "HuberLoss",
    "Identity",
    "KLDivLoss",
    "L1Loss",
    "LSTMCell",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "LogSoftmax",
    "MSELoss",
    "MaxPool1d",
    "MaxPool2d",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiheadAttention",
    "NLLLoss",
    "Parameter",
    "RMSNorm",
    "RNNCell",
    "ReLU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "Softmax",
    "Softplus",
    "Tanh",
    "TransformerBlock",
    "init",
    "manual_seed",
]
