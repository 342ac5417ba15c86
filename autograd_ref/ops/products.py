"""Products: outer and einsum. `matmul` is a primitive."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from autograd_ref.ops.shapes import permute, shaped
from autograd_ref.rules import products


def outer(x: Any, y: Any) -> Any:
    """The outer product of two vectors."""
    x, y = shaped(x), shaped(y)
    if x.ndim != 1 or y.ndim != 1:
        raise ValueError(f"'outer' needs two vectors, not shapes {x.shape} and {y.shape}.")
    return x.reshape(-1, 1) * y


def einsum(subscripts: str, *operands: Any) -> Any:
    """Einstein's summation, with NumPy's notation: `einsum("bij,bjk->bik", x, y)`.

    Raises ValueError if the subscripts do not fit the operands.

    >>> from autograd_ref import Tensor
    >>> einsum("ij,ij->", Tensor([[1.0, 2.0]]), Tensor([[3.0, 4.0]]))
    Tensor(11.)
    """
    xs = [shaped(x) for x in operands]
    letters_of, output = _parse(subscripts, tuple([x.ndim for x in xs]))
    inputs = list(letters_of)
    for k, letters in enumerate(inputs):
        while (twice := next((c for c in letters if letters.count(c) > 1), None)) is not None:
            first = letters.index(twice)
            xs[k] = diagonal(xs[k], first, letters.index(twice, first + 1))
            letters = letters.replace(twice, "", 2) + twice
        inputs[k] = letters
    sizes: dict[str, int] = {}
    for letters, x in zip(inputs, xs, strict=True):
        for c, n in zip(letters, x.shape, strict=True):
            if sizes.setdefault(c, n) != n and 1 not in (n, sizes[c]):
                raise ValueError(
                    f"'einsum' {subscripts!r}: the letter {c!r} stands for lengths {sizes[c]} and {n}."
                )
            sizes[c] = n if sizes[c] == 1 else sizes[c]
    return products.einsum_primitive(*xs, inputs=tuple(inputs), output=output, sizes=sizes)


def diagonal(x: Any, axis1: int = 0, axis2: int = 1) -> Any:
    """The elements whose indices on two axes are equal, along a new last axis."""
    if x.ndim == 2 and x.shape[0] == x.shape[1]:  # on the flat array, every (n + 1)-th element
        return x.reshape(-1)[:: len(x) + 1]
    rest = [i for i in range(x.ndim) if i not in (axis1, axis2)]
    i = np.arange(x.shape[axis1])
    return permute(permute(x, axis1, axis2, *rest)[i, i], *range(1, x.ndim - 1), 0)


@lru_cache(maxsize=256)
def _parse(subscripts: str, ndims: tuple[int, ...]) -> tuple[tuple[str, ...], str]:
    """The letters of every operand and of the result, with letters in place of each ellipsis."""
    left, arrow, output = subscripts.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(ndims):
        raise ValueError(f"'einsum' {subscripts!r} names {len(inputs)} operands but was given {len(ndims)}.")
    spare = [c for c in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if c not in subscripts]
    extra = [n - len(s.replace("...", "")) for s, n in zip(inputs, ndims, strict=True)]
    longest = sorted([0, *(e for e, s in zip(extra, inputs, strict=True) if "..." in s)])[-1]
    dots = "".join(spare[:longest])[::-1]
    if not arrow:
        letters = left.replace(",", "").replace("...", "")
        output = ("..." if "..." in left else "") + "".join(
            sorted(c for c in letters if letters.count(c) == 1)
        )
    for k, (letters, e) in enumerate(zip(inputs, extra, strict=True)):
        if e != 0 and "..." not in letters:
            raise ValueError(
                f"'einsum' {subscripts!r}: {letters!r} does not fit an operand of {ndims[k]} axes."
            )
        inputs[k] = letters.replace("...", dots[len(dots) - e :] if e else "")
    return tuple(inputs), output.replace("...", dots)
