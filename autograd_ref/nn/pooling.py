"""Pooling layers: the largest or the mean number of every window."""

from __future__ import annotations

from typing import Any

from autograd_ref import functional
from autograd_ref.functional import avg_pool1d, avg_pool2d, max_pool1d, max_pool2d
from autograd_ref.nn.module import Module

Pair = int | tuple[int, int]


class _Pool(Module):
    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def extra_repr(self) -> str:
        text = f"{self.kernel_size}"
        text += "" if self.stride is None else f", stride={self.stride}"
        return text + (f", padding={self.padding}" if self.padding else "")


class MaxPool1d(_Pool):
    """The largest number of every window of (N, C, L); windows lie side by side by default."""

    def forward(self, x: Any) -> Any:
        return max_pool1d(x, self.kernel_size, self.stride, self.padding)


class MaxPool2d(_Pool):
    """The largest number of every window of (N, C, H, W); windows lie side by side by default."""

    def forward(self, x: Any) -> Any:
        return max_pool2d(x, self.kernel_size, self.stride, self.padding)


class AvgPool1d(_Pool):
    """The mean of every window of (N, C, L)."""

    def forward(self, x: Any) -> Any:
        return avg_pool1d(x, self.kernel_size, self.stride, self.padding)


class AvgPool2d(_Pool):
    """The mean of every window of (N, C, H, W)."""

    def forward(self, x: Any) -> Any:
        return avg_pool2d(x, self.kernel_size, self.stride, self.padding)


class _AdaptivePool(Module):
    def __init__(self, output_size: Any) -> None:
        self.output_size = output_size

    def extra_repr(self) -> str:
        return f"{self.output_size}"


class AdaptiveAvgPool1d(_AdaptivePool):
    """The means of `output_size` windows of (N, C, L)."""

    def forward(self, x: Any) -> Any:
        return functional.adaptive_avg_pool1d(x, self.output_size)


class AdaptiveAvgPool2d(_AdaptivePool):
    """The means of `output_size` windows of (N, C, H, W), a number for both axes or a pair: 1 for one per channel."""

    def forward(self, x: Any) -> Any:
        return functional.adaptive_avg_pool2d(x, self.output_size)


class AdaptiveMaxPool1d(_AdaptivePool):
    """The largest numbers of `output_size` windows of (N, C, L)."""

    def forward(self, x: Any) -> Any:
        return functional.adaptive_max_pool1d(x, self.output_size)


class AdaptiveMaxPool2d(_AdaptivePool):
    """The largest numbers of `output_size` windows of (N, C, H, W), a number for both axes or a pair."""

    def forward(self, x: Any) -> Any:
        return functional.adaptive_max_pool2d(x, self.output_size)
