"""Functions that turn a function into its derivative, in the manner of JAX.

A function takes tensors and returns one. What you pass may be tensors, arrays or numbers; results are
tensors. All transforms nest: `grad(grad(f))`, `jvp` of a `grad`. They never touch `.grad` and do not write
on your tensors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autograd_ref.core import sweep
from autograd_ref.core.modes import enable_grad, state
from autograd_ref.core.tensor import Tensor, wrap
from autograd_ref.ops import stack
from autograd_ref.rules.shapes import alias

Function = Callable[..., Any]


def _inputs(args: tuple[Any, ...], which: tuple[int, ...]) -> list[Any]:
    """The arguments, with those at `which` as tensors whose place in the graph is their own."""
    out = list(args)
    for i in which:
        t = args[i] if isinstance(args[i], Tensor) else Tensor(np.asarray(args[i], dtype=_floating(args[i])))
        t = t if t.requires_grad else Tensor(t.data, requires_grad=True)
        with enable_grad():
            out[i] = alias(t)
    return out


def _floating(x: Any) -> Any:
    return float if isinstance(x, int | float | list | tuple) else None


def _outer(out: Tensor, inputs: list[Any], given: tuple[Any, ...]) -> bool:
    """True if `out` depends on more than the inputs, so that someone may differentiate the derivative.

    That is so if something given already carried a gradient, or if the function closes over one that does. One whose
    graph was freed counts: who differentiates by it is told so, and does not get a constant.
    """
    if not state.recording:
        return False
    if any(isinstance(t, Tensor) and t.requires_grad for t in given):
        return True
    own = {t.grad_fn for t in inputs if isinstance(t, Tensor) and t.grad_fn is not None}
    nodes = sweep.ancestors([sweep.edge_of(out)], stop=own) - own
    return any(node.record is None or any(isinstance(p, Tensor) for p in node.parents) for node in nodes)


def _call(f: Function, inputs: list[Any], need_scalar: bool = False) -> Tensor:
    with enable_grad():
        out = f(*inputs)
    out = out if isinstance(out, Tensor) else Tensor(out)
    if need_scalar and out.size != 1:
        raise ValueError(
            f"grad needs a function that returns one number, not shape {out.shape}: use jacobian."
        )
    return out


def _pull(out: Tensor, inputs: list[Any], g: Any, create: bool) -> list[Tensor]:
    """The gradients of `out` with respect to the inputs, zeros where it does not depend on one."""
    g = sweep.seed_for(out, g, create)
    found = sweep.backward(out, g, retain_graph=True, create_graph=create, inputs=inputs)
    return [
        wrap(np.zeros_like(t.data)) if d is None else d if isinstance(d, Tensor) else wrap(d)
        for d, t in zip(found, inputs, strict=True)
    ]


def _result(out: Tensor, create: bool) -> Tensor:
    """A function's result in memory of its own, which that of `lambda x: x` is not."""
    return (out if create else out.detach()).clone()


def value_and_grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that returns `(f(*args), gradient)`; with a tuple of `argnums`, a tuple of gradients.

    >>> value, slope = value_and_grad(lambda x: x * x)(3.0)
    >>> value.item(), slope.item()
    (9.0, 6.0)
    """
    which = (argnums,) if isinstance(argnums, int) else tuple(argnums)

    def value_and_gradient(*args: Any) -> tuple[Tensor, Any]:
        inputs = _inputs(args, which)
        out = _call(f, inputs, need_scalar=True)
        create = _outer(out, [inputs[i] for i in which], args)
        grads = _pull(out, [inputs[i] for i in which], None, create)
        return _result(out, create), grads[0] if isinstance(argnums, int) else tuple(grads)

    return value_and_gradient


def grad(f: Function, argnums: int | tuple[int, ...] = 0) -> Function:
    """A function that returns the gradient of the one-number function `f`.

    >>> grad(lambda x: (x ** 3).sum())([1.0, 2.0])
    Tensor([ 3., 12.])
    >>> grad(grad(lambda x: x ** 3))(2.0).item()
    12.0
    """
    both = value_and_grad(f, argnums)
    return lambda *args: both(*args)[1]


def vjp(f: Function, *args: Any) -> tuple[Tensor, Callable[[Any], tuple[Tensor, ...]]]:
    """`f(*args)` and a function from the gradient of the result to those of the arguments: `v -> J' v`.

    >>> y, pull = vjp(lambda x: x * x, [1.0, 2.0])
    >>> pull([1.0, 10.0])
    (Tensor([ 2., 40.]),)
    """
    inputs = _inputs(args, tuple(range(len(args))))
    out = _call(f, inputs)
    create = _outer(out, inputs, args)

    def pull(v: Any) -> tuple[Tensor, ...]:
        return tuple(_pull(out, inputs, v, create or _outer(out, inputs, (v,))))

    return _result(out, create), pull


def jvp(f: Function, args: tuple[Any, ...], tangents: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    """`f(*args)` and its derivative along `tangents`: `J v`, in forward mode by the JVP rules of the table.

    >>> jvp(lambda x: x * x, ([1.0, 2.0],), ([1.0, 10.0],))
    (Tensor([1., 4.]), Tensor([ 2., 40.]))
    """
    inputs = _inputs(args, tuple(range(len(args))))
    out = _call(f, inputs)
    create = _outer(out, inputs, (*args, *tangents))
    seeds = []
    for t, x in zip(tangents, inputs, strict=True):
        t = t.astype(x.dtype) if isinstance(t, Tensor) else wrap(np.asarray(t, dtype=x.dtype))
        if t.shape != x.shape:
            raise ValueError(f"jvp got a tangent of shape {t.shape} for an argument of shape {x.shape}.")
        seeds.append(t if create else t.data)
    found = sweep.forward([out], inputs, seeds)[0]
    if found is None:
        found = np.zeros_like(out.data)
    return _result(out, create), (found if isinstance(found, Tensor) else wrap(found))


def jacobian(f: Function, argnum: int = 0) -> Function:
    """A function that returns all derivatives, of shape `(*result.shape, *argument.shape)`.

    One backward pass per element of the result.

    >>> jacobian(lambda x: x * x)([1.0, 2.0])
    Tensor([[2., 0.],
            [0., 4.]])
    """

    def jacobian_of(*args: Any) -> Tensor:
        inputs = _inputs(args, (argnum,))
        x, out = inputs[argnum], _call(f, inputs)
        create = _outer(out, [x], args)
        rows = []
        for i in range(out.size):
            seed = np.zeros(out.size, out.dtype)
            seed[i] = 1
            rows.append(_pull(out, [x], seed.reshape(out.shape), create)[0])
        if not rows:
            return wrap(np.zeros((*out.shape, *x.shape), x.dtype))
        return stack(rows).reshape(*out.shape, *x.shape)

    return jacobian_of


def hessian(f: Function, argnum: int = 0) -> Function:
    """A function that returns the second derivatives of a one-number function, shape `(*x.shape, *x.shape)`.

    >>> hessian(lambda x: (x ** 3).sum())([1.0, 2.0])
    Tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    return jacobian(grad(f, argnum), argnum)


def hvp(f: Function, x: Any, v: Any) -> Tensor:
    """The Hessian of a one-number function times `v`, by forward mode over the gradient: no Hessian is built.

    >>> hvp(lambda x: (x ** 3).sum(), [1.0, 2.0], [1.0, 1.0])
    Tensor([ 6., 12.])
    """
    return jvp(grad(f), (x,), (v,))[1]


__all__ = [
    "grad",
    "hessian",
    "hvp",
    "jacobian",
    "jvp",
    "value_and_grad",
    "vjp",
]
