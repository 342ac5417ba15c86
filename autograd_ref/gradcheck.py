"""Checking gradients against numbers: one random direction on either side, forward and reverse mode joined.

For a function f with Jacobian J, a random direction v of the arguments and u of the result, three numbers
must agree:
`<u, (f(x + h v) - f(x - h v)) / 2h>` by evaluation, `<u, J v>` in forward mode and `<J' u, v>` in reverse
mode.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_ref import ops, transforms
from autograd_ref.core.modes import no_grad
from autograd_ref.core.tensor import Tensor


class GradcheckError(AssertionError):
    """Two ways to compute the same derivative disagree."""


def gradcheck(
    f: Callable[..., Any],
    *args: Any,
    directions: int = 2,
    step: float = 1e-6,
    rtol: float = 1e-5,
    atol: float = 1e-7,
    forward: bool = True,
    seed: int = 0,
) -> bool:
    """True if reverse mode, forward mode and finite differences agree in random directions.

    The arguments must be float64 and not at a kink of `f`. Raises GradcheckError, which names the three
    numbers.

    >>> gradcheck(lambda x, y: x * ops.exp(y), [1.0, 2.0], [0.5, -0.5])
    True
    """
    rng = np.random.default_rng(seed)
    arrays = [np.array(a.detach().numpy() if isinstance(a, Tensor) else a, dtype=float) for a in args]
    for _ in range(directions):
        vs = [rng.standard_normal(a.shape) for a in arrays]
        out, pull = transforms.vjp(f, *arrays)
        u = rng.standard_normal(out.shape)
        numbers = {
            "finite differences": float(np.vdot(u, _difference(f, arrays, vs, step))),
            "reverse mode": float(sum(np.vdot(g.data, v) for g, v in zip(pull(u), vs, strict=True))),
        }
        if forward:
            numbers["forward mode"] = float(np.vdot(u, transforms.jvp(f, tuple(arrays), tuple(vs))[1].data))
        expected = numbers["finite differences"]
        bad = [n for n, x in numbers.items() if not abs(x - expected) <= atol + rtol * abs(expected)]
        if bad:
            told = ", ".join(f"{name} {value:.10g}" for name, value in numbers.items())
            raise GradcheckError(
                f"The derivative along a random direction disagrees ({', '.join(bad)}): {told}."
            )
    return True


def _difference(f: Callable[..., Any], arrays: list[Any], vs: list[Any], step: float) -> np.ndarray:
    with no_grad():
        ahead = f(*[Tensor(a + step * v) for a, v in zip(arrays, vs, strict=True)]).data
        behind = f(*[Tensor(a - step * v) for a, v in zip(arrays, vs, strict=True)]).data
    return (ahead - behind) / (2 * step)


def gradgradcheck(f: Callable[..., Any], *args: Any, seed: int = 0, **options: Any) -> bool:
    """`gradcheck` of the gradient of `f`: the second derivatives.

    >>> gradgradcheck(lambda x: ops.sin(x) * x, [0.3, 0.8])
    True
    """
    rng = np.random.default_rng(seed + 1)
    with no_grad():
        shape = f(*[a if isinstance(a, Tensor) else Tensor(np.asarray(a, float)) for a in args]).shape

    def gradients(*inputs: Any) -> Tensor:
        *xs, u = inputs
        _, pull = transforms.vjp(f, *xs)
        return ops.concatenate([g.reshape(-1) for g in pull(u)])

    return gradcheck(gradients, *args, rng.standard_normal(shape), seed=seed, **options)
