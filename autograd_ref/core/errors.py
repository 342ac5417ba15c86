"""Errors as sentences: what was given, what was expected, what to do next."""

from __future__ import annotations

from typing import Any

import numpy as np


def shape_error(name: str, arrays: tuple[Any, ...], error: ValueError) -> ValueError:
    """The sentence for shapes that do not fit the operation `name`.

    >>> error = ValueError("operands could not be broadcast together")
    >>> print(shape_error("add", (np.zeros((2, 3)), np.zeros(4)), error))
    'add' cannot combine shapes (2, 3) and (4,): sizes must be equal or 1, counted from the last axis.
    """
    shapes = " and ".join(str(np.shape(a)) for a in arrays if a is not None)
    text = str(error)
    if "broadcast" in text:
        why = "sizes must be equal or 1, counted from the last axis"
    elif name == "linear":
        why = "the last axes of x and weight must be equal, and the bias as long as the weight"
    elif name == "matmul":
        why = "the last axis of the first must equal the second-last axis of the second"
    else:
        why = text.rstrip(".")
    verb = "cannot combine shapes" if len(arrays) > 1 else "does not fit shape"
    return ValueError(f"'{name}' {verb} {shapes}: {why}.")


def parameter_error(i: int, given: Any, expected: np.ndarray) -> ValueError:
    """The sentence for a parameter that is no more what its optimizer has memory for."""
    return ValueError(
        f"Parameter {i} is {given.dtype} of shape {given.shape}, the optimizer is for "
        f"{expected.dtype} of shape {expected.shape}: make the optimizer after such changes."
    )
