"""Initial values: functions that fill a parameter in place, from one generator that `manual_seed` restarts.

A layer's fans are how many numbers feed an output and how many outputs a number feeds: for a weight (out, in)
they are `in` and `out`, for a convolution (out, in, *kernel) both times the kernel's size.
"""

from __future__ import annotations

import math

import numpy as np

from autograd_ref.core.tensor import Tensor

_generator = [np.random.default_rng()]


def manual_seed(seed: int) -> None:
    """Make the initial values and the dropout that follow reproducible."""
    _generator[0] = np.random.default_rng(seed)


def generator() -> np.random.Generator:
    """The source of all random numbers in `nn`."""
    return _generator[0]


def fans(tensor: Tensor) -> tuple[int, int]:
    """The pair (fan in, fan out) of a weight of two or more axes."""
    if tensor.ndim < 2:
        raise ValueError(
            f"Fans are defined for weights of two or more axes, and this has shape {tensor.shape}: "
            "fill biases with zeros_ or uniform_."
        )
    size = math.prod(tensor.shape[2:])
    return tensor.shape[1] * size, tensor.shape[0] * size


def _fill(tensor: Tensor, values: np.ndarray | float) -> Tensor:
    tensor.data[...] = values
    tensor.mark_changed()
    return tensor


def uniform_(tensor: Tensor, low: float = 0.0, high: float = 1.0) -> Tensor:
    """Uniform on [low, high)."""
    return _fill(tensor, generator().uniform(low, high, tensor.shape))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0) -> Tensor:
    """Normal with this mean and standard deviation."""
    return _fill(tensor, generator().normal(mean, std, tensor.shape))


def constant_(tensor: Tensor, value: float) -> Tensor:
    """The same number everywhere."""
    return _fill(tensor, value)


def zeros_(tensor: Tensor) -> Tensor:
    """Zeros."""
    return _fill(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """Ones."""
    return _fill(tensor, 1.0)


def xavier_uniform_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Variance `2 gain^2 / (fan in + fan out)`, uniform: for tanh and sigmoid.  Glorot and Bengio 2010.

    >>> w = Tensor(np.empty((20, 30)))
    >>> bool(abs(xavier_uniform_(w).data).max() <= (6 / 50) ** 0.5)
    True
    """
    bound = gain * math.sqrt(6 / sum(fans(tensor)))
    return uniform_(tensor, -bound, bound)


def xavier_normal_(tensor: Tensor, gain: float = 1.0) -> Tensor:
    """Variance `2 gain^2 / (fan in + fan out)`, normal.  Glorot and Bengio 2010."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(fans(tensor))))


def he_uniform_(tensor: Tensor, gain: float = math.sqrt(2)) -> Tensor:
    """Variance `gain^2 / fan in`, uniform: with the gain of sqrt(2) for relu.  He et al. 2015."""
    bound = gain * math.sqrt(3 / fans(tensor)[0])
    return uniform_(tensor, -bound, bound)


def he_normal_(tensor: Tensor, gain: float = math.sqrt(2)) -> Tensor:
    """Variance `gain^2 / fan in`, normal.  He et al. 2015."""
    return normal_(tensor, 0.0, gain / math.sqrt(fans(tensor)[0]))


kaiming_uniform_, kaiming_normal_ = he_uniform_, he_normal_
