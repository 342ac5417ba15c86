"""Layers that shift and scale what passes to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from autograd_ref.functional import batch_norm, group_norm, layer_norm, rms_norm
from autograd_ref.nn.module import Buffer, Module, Parameter


class LayerNorm(Module):
    """Normalises every item over its last axes, `normalized_shape`.  Ba, Kiros and Hinton 2016."""

    def __init__(self, normalized_shape: int | tuple[int, ...], eps: float = 1e-5) -> None:
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(np.ones(self.shape))
        self.bias = Parameter(np.zeros(self.shape))

    def forward(self, x: Any) -> Any:
        return layer_norm(x, self.shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return ", ".join(map(str, self.shape))


class RMSNorm(Module):
    """Divides every item by its root mean square over its last axes, `normalized_shape`.  Zhang and Sennrich 2019.

    `eps` is the dtype's own if it is None.
    """

    def __init__(self, normalized_shape: int | tuple[int, ...], eps: float | None = None) -> None:
        self.shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self.weight = Parameter(np.ones(self.shape))

    def forward(self, x: Any) -> Any:
        return rms_norm(x, self.shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return ", ".join(map(str, self.shape))


class GroupNorm(Module):
    """Normalises every item's channels, of (N, num_channels, ...), in groups.  Wu and He 2018.

    >>> GroupNorm(2, 6)
    GroupNorm(2, 6)
    """

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5) -> None:
        if num_groups < 1 or num_channels % num_groups:
            raise ValueError(
                f"num_channels ({num_channels}) must be a multiple of num_groups ({num_groups})."
            )
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = Parameter(np.ones(num_channels))
        self.bias = Parameter(np.zeros(num_channels))

    def forward(self, x: Any) -> Any:
        return group_norm(x, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}"


class _BatchNorm(Module):
    """Normalises every channel over the batch, and keeps running statistics for evaluation.

    They move towards each batch's by `momentum`; with None they are the mean over all batches.

    Ioffe and Szegedy 2015.
    """

    axes: tuple[int, ...]

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1) -> None:
        self.eps, self.momentum = eps, momentum
        self.weight = Parameter(np.ones(num_features))
        self.bias = Parameter(np.zeros(num_features))
        self.running_mean = Buffer(np.zeros(num_features))
        self.running_var = Buffer(np.ones(num_features))
        self.num_batches_tracked = Buffer(np.array(0))

    def forward(self, x: Any) -> Any:
        if x.ndim not in self.axes or x.shape[1] != self.weight.size:
            raise ValueError(
                f"{type(self).__name__} of {self.weight.size} features got shape {x.shape}: expected "
                f"{' or '.join(map(str, self.axes))} axes, the second of length {self.weight.size}."
            )
        momentum = self.momentum
        if self.training:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        return batch_norm(
            x,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training,
            momentum or 0.0,
            self.eps,
        )

    def extra_repr(self) -> str:
        return f"{self.weight.size}"


class BatchNorm1d(_BatchNorm):
    """Normalises every feature of (N, C) or (N, C, L) over N (and L).  Ioffe and Szegedy 2015."""

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalises every channel of (N, C, H, W) over N, H and W.  Ioffe and Szegedy 2015."""

    axes = (4,)
