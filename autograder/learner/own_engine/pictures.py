"""What unit 14 adds to the learner's own engine: convolution and max-pooling, as operations and as layers.

A convolution is two operations here, as in the notebook: patches of a picture, and their product with the weights.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autograd_ref import functional
from autograd_ref.nn.init import generator

from .engine import Names, Surface
from .parts import Part, by_reference

UNIT = "14_convolution"


def _slices(shape: Any, kh: int, kw: int, stride: int, padding: int) -> tuple[Any, list[Any]]:
    """The rows and columns of places, and for each number of the kernel what it meets of a picture with its border."""
    rows, columns = ((n + 2 * padding - k) // stride + 1 for n, k in zip(shape[2:], (kh, kw), strict=True))
    return (rows, columns), [
        (..., slice(i, i + stride * rows, stride), slice(j, j + stride * columns, stride))
        for i in range(kh)
        for j in range(kw)
    ]


def _patches(x: np.ndarray, kh: int, kw: int, stride: int = 1, padding: int = 0) -> np.ndarray:
    _, met = _slices(x.shape, kh, kw, stride, padding)
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    return np.stack([wide[at] for at in met], axis=2).reshape(len(x), x.shape[1] * kh * kw, -1)


def _scatter(g: np.ndarray, shape: Any, kh: int, kw: int, stride: int = 1, padding: int = 0) -> np.ndarray:
    places, met = _slices(shape, kh, kw, stride, padding)
    n, c, h, w = shape
    wide = np.zeros((n, c, h + 2 * padding, w + 2 * padding), g.dtype)
    parts = g.reshape(n, c, kh * kw, *places)
    for k, at in enumerate(met):
        wide[at] += parts[:, :, k]
    return wide[:, :, padding : padding + h, padding : padding + w]


def _patch_product(p: Any, weight: Any, bias: Any) -> Any:
    return weight.reshape(len(weight), -1) @ p + bias.reshape(-1, 1)


def _patch_product_rule(g: Any, p: Any, weight: Any) -> Any:
    bias = np.zeros(len(weight), weight.dtype)
    return by_reference(_patch_product, 3)(g, None, p, weight, bias)


#: The learner's exercises of unit 14, and what stands in for one that is not written.
PICTURE_PARTS = (
    Part(UNIT, "patches", {"patches": _patches}),
    Part(UNIT, "patch_product_rule", {"patch_product_rule": _patch_product_rule}),
    Part(UNIT, "scatter", {"scatter": _scatter}),
    Part(
        UNIT,
        "max_pool",
        {
            "max_pool": functional.max_pool2d,
            "max_pool_back": lambda g, x, k: by_reference(functional.max_pool2d)(g, None, x, k)[0],
        },
    ),
)


def add_operations(names: Names, pictures: Names) -> None:
    """Put the operations of unit 14 into notebook 05's tables (`names`)."""

    def like(x: Any, found: Any) -> np.ndarray:
        return np.asarray(found, x.dtype)  # in float32 a network stays, whatever an answer computes in

    names["FORWARD"] |= {
        "patches": pictures["patches"],
        "patch_product": _patch_product,
        "max_pool": pictures["max_pool"],
    }
    names["RULES"] |= {
        "patches": lambda g, out, x, *how: (like(x, pictures["scatter"](g, x.shape, *how)),),
        "patch_product": lambda g, out, p, weight, bias: tuple(
            map(like, (p, weight, bias), pictures["patch_product_rule"](g, p, weight))
        ),
        "max_pool": lambda g, out, x, k: (like(x, pictures["max_pool_back"](g, x, k)),),
    }


def picture_layers(names: Names) -> dict[str, Any]:
    """`Conv2d`, `MaxPool2d` and `Flatten`, with the constructors of `autograd_ref.nn` as far as unit 14 uses them."""
    Tensor, Parameter, Module = names["Tensor"], names["Parameter"], names["Module"]

    def tensor(x: Any) -> Any:
        return x if isinstance(x, Surface) else Tensor(x)

    class Conv2d(Module):  # type: ignore[misc, valid-type]
        def __init__(
            self, in_channels: int, out_channels: int, kernel_size: Any, stride: int = 1, padding: int = 0
        ) -> None:
            kernel = (kernel_size, kernel_size) if isinstance(kernel_size, int) else tuple(kernel_size)
            bound = 1 / math.sqrt(in_channels * math.prod(kernel))

            def draw(*shape: int) -> Any:  # the same numbers as the reference draws
                return Parameter(generator().uniform(-bound, bound, shape))

            self.stride, self.padding = stride, padding
            self.weight, self.bias = draw(out_channels, in_channels, *kernel), draw(out_channels)

        def forward(self, x: Any) -> Any:
            x, how = tensor(x), (*self.weight.shape[2:], self.stride, self.padding)
            patches = Tensor.apply("patches", x, constants=how)
            out = Tensor.apply("patch_product", patches, self.weight, self.bias)
            return out.reshape(len(x), len(self.weight), *_slices(x.shape, *how)[0])

    class MaxPool2d(Module):  # type: ignore[misc, valid-type]
        def __init__(self, kernel_size: int) -> None:
            self.kernel_size = kernel_size

        def forward(self, x: Any) -> Any:
            return Tensor.apply("max_pool", tensor(x), constants=(self.kernel_size,))

    class Flatten(Module):  # type: ignore[misc, valid-type]
        def forward(self, x: Any) -> Any:
            x = tensor(x)
            return x.reshape(len(x), -1)

    return {"Conv2d": Conv2d, "MaxPool2d": MaxPool2d, "Flatten": Flatten}
