"""Functions for neural networks, with PyTorch's names, argument orders and conventions."""

from __future__ import annotations

from autograd_ref.functional.activations import gelu
from autograd_ref.functional.adaptive import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
)
from autograd_ref.functional.attention import scaled_dot_product_attention, self_attention
from autograd_ref.functional.binary_losses import binary_cross_entropy, binary_cross_entropy_with_logits
from autograd_ref.functional.class_losses import cross_entropy, nll_loss
from autograd_ref.functional.convolution import conv1d, conv2d
from autograd_ref.functional.layers import dropout, embedding, linear, one_hot
from autograd_ref.functional.losses import huber_loss, kl_div, l1_loss, mse_loss, smooth_l1_loss
from autograd_ref.functional.normalization import batch_norm, group_norm, layer_norm, normalize, rms_norm
from autograd_ref.functional.padding import pad
from autograd_ref.functional.pooling import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from autograd_ref.functional.transposed import conv_transpose1d, conv_transpose2d
from autograd_ref.ops import (
    elu,
    leaky_relu,
    log_softmax,
    logsigmoid,
    relu,
    sigmoid,
    silu,
    softmax,
    softplus,
    tanh,
)

__all__ = [
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "avg_pool1d",
    "avg_pool2d",
    "batch_norm",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "conv1d",
    "conv2d",
    "conv_transpose1d",
    "conv_transpose2d",
    "cross_entropy",
    "dropout",
    "elu",
    "embedding",
    "gelu",
    "group_norm",
    "huber_loss",
    "kl_div",
    "l1_loss",
    "layer_norm",
    "leaky_relu",
    "linear",
    "log_softmax",
    "logsigmoid",
    "max_pool1d",
    "max_pool2d",
    "mse_loss",
    "nll_loss",
    "normalize",
    "one_hot",
    "pad",
    "relu",
    "rms_norm",
    "scaled_dot_product_attention",
    "self_attention",
    "sigmoid",
    "silu",
    "smooth_l1_loss",
    "softmax",
    "softplus",
    "tanh",
]
