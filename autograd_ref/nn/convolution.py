"""Convolutional layers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref.functional import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from autograd_ref.nn.init import uniform_
from autograd_ref.nn.module import Module, Parameter

Pair = int | tuple[int, int]


class _Conv(Module):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel: tuple[int, ...],
        stride: Any,
        padding: Any,
        dilation: Any,
        groups: int,
        bias: bool,
    ) -> None:
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                f"The channels, {in_channels} in and {out_channels} out, are divided among groups={groups}: "
                "use multiples of it."
            )
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        bound = 1 / math.sqrt(in_channels // groups * math.prod(kernel))
        self.weight = Parameter(np.empty((out_channels, in_channels // groups, *kernel)))
        self.bias = Parameter(np.empty(out_channels)) if bias else None
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        out_channels, seen, *kernel = self.weight.shape
        same = len(set(kernel)) == 1
        text = f"{seen * self.groups}, {out_channels}, kernel_size={kernel[0] if same else tuple(kernel)}"
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text + ("" if self.bias is not None else ", bias=False")


class Conv1d(_Conv):
    """Cross-correlation along one axis: (N, in_channels, L) to (N, out_channels, L').

    `groups` divides the channels into groups that do not see each other, as in `Conv2d`.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        super().__init__(in_channels, out_channels, (kernel_size,), stride, padding, dilation, groups, bias)

    def forward(self, x: Any) -> Any:
        return conv1d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """Cross-correlation of images: (N, in_channels, H, W) to (N, out_channels, H', W').

    `kernel_size`, `stride`, `padding` and `dilation` are one number for both axes, or a pair. `groups` divides
    the channels into groups that do not see each other; as many groups as channels is a depthwise convolution.

    >>> Conv2d(3, 8, 5, padding=2)
    Conv2d(3, 8, kernel_size=5, padding=2)
    >>> Conv2d(6, 12, 3, groups=6).weight.shape
    (12, 1, 3, 3)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        padding: Pair = 0,
        dilation: Pair = 1,
        groups: int = 1,
        bias: bool = True,
    ) -> None:
        kernel = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
        super().__init__(in_channels, out_channels, kernel, stride, padding, dilation, groups, bias)

    def forward(self, x: Any) -> Any:
        return conv2d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class _ConvTranspose(Module):
    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel: tuple[int, ...],
        groups: int,
        bias: bool,
        **how: Any,
    ) -> None:
        if in_channels % groups or out_channels % groups:
            raise ValueError(
                f"The channels, {in_channels} in and {out_channels} out, are divided among groups={groups}: "
                "use multiples of it."
            )
        self.groups, self.how = groups, how
        bound = 1 / math.sqrt(out_channels // groups * math.prod(kernel))
        self.weight = Parameter(np.empty((in_channels, out_channels // groups, *kernel)))
        self.bias = Parameter(np.empty(out_channels)) if bias else None
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        in_channels, made, *kernel = self.weight.shape
        same = len(set(kernel)) == 1
        text = f"{in_channels}, {made * self.groups}, kernel_size={kernel[0] if same else tuple(kernel)}"
        usual = {"stride": 1, "padding": 0, "output_padding": 0, "dilation": 1}
        text += "".join(f", {name}={value}" for name, value in self.how.items() if value != usual[name])
        text += "" if self.groups == 1 else f", groups={self.groups}"
        return text + ("" if self.bias is not None else ", bias=False")


class ConvTranspose1d(_ConvTranspose):
    """The transpose of a `Conv1d`: (N, in_channels, L) to (N, out_channels, L'), which is longer where it strides.

    L' = (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1.
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        output_padding: int = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: int = 1,
    ) -> None:
        how = {"stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
        super().__init__(in_channels, out_channels, (kernel_size,), groups, bias, **how)

    def forward(self, x: Any) -> Any:
        return conv_transpose1d(x, self.weight, self.bias, groups=self.groups, **self.how)


class ConvTranspose2d(_ConvTranspose):
    """The transpose of a `Conv2d`: (N, in_channels, H, W) to (N, out_channels, H', W'), larger where it strides.

    H' = (H - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, and W' likewise.

    >>> from autograd_ref import Tensor
    >>> ConvTranspose2d(3, 8, 2, stride=2)(Tensor(np.zeros((1, 3, 5, 5)))).shape
    (1, 8, 10, 10)
    """

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Pair,
        stride: Pair = 1,
        padding: Pair = 0,
        output_padding: Pair = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Pair = 1,
    ) -> None:
        kernel = (kernel_size, kernel_size) if isinstance(kernel_size, int) else kernel_size
        how = {"stride": stride, "padding": padding, "output_padding": output_padding, "dilation": dilation}
        super().__init__(in_channels, out_channels, kernel, groups, bias, **how)

    def forward(self, x: Any) -> Any:
        return conv_transpose2d(x, self.weight, self.bias, groups=self.groups, **self.how)
