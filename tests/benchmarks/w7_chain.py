"""W7: a chain of 10,000 element-wise operations on 10 numbers: the cost of a node, forward and backward."""

import numpy as np

from .timing import Gradients, Program, Workload

LINKS = 2500  # of four operations each: sin, times w, plus b, tanh
NAMES = ("x", "w", "b")


def start(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    x, b = rng.uniform(-1, 1, (2, 10)).astype(dtype)
    return x, rng.uniform(1.0, 1.2, 10).astype(dtype), 0.1 * b


def floor(dtype: np.dtype) -> Program:
    x, w, b = start(dtype)
    rows = list(np.empty((4 * LINKS + 1, 10), dtype))  # views made once
    rows[0][...] = x
    g, gw, gb, s = np.empty((4, 10), dtype)
    forward_links = [tuple(rows[i : i + 5]) for i in range(0, 4 * LINKS, 4)]
    backward_links = forward_links[::-1]

    def step() -> float:
        sin, multiply, add, tanh, cos, subtract = np.sin, np.multiply, np.add, np.tanh, np.cos, np.subtract
        for before, sine, product, total, after in forward_links:
            sin(before, sine)
            multiply(sine, w, product)
            add(product, b, total)
            tanh(total, after)
        loss = rows[-1].sum()
        g[...] = 1
        gw[...] = 0
        gb[...] = 0
        for before, sine, _, _, after in backward_links:
            multiply(after, after, s)
            subtract(1, s, s)
            multiply(g, s, g)
            add(gb, g, gb)
            multiply(g, sine, s)
            add(gw, s, gw)
            multiply(g, w, g)
            cos(before, s)
            multiply(g, s, g)
        return loss

    def gradients() -> Gradients:
        loss = step()
        return {"loss": np.asarray(loss), "x": g.copy(), "w": gw.copy(), "b": gb.copy()}

    return Program(step, gradients)


def engine(dtype: np.dtype) -> Program:
    from autograd_ref import Tensor

    leaves = [Tensor(a, requires_grad=True) for a in start(dtype)]
    x, w, b = leaves

    def step():
        x.grad = w.grad = b.grad = None
        y = x
        for _ in range(LINKS):
            y = y.sin()
            y = y * w
            y = y + b
            y = y.tanh()
        loss = y.sum()
        loss.backward()
        return loss

    def gradients() -> Gradients:
        loss = step()
        return {"loss": loss.data} | {n: t.grad.numpy().copy() for n, t in zip(NAMES, leaves, strict=True)}

    return Program(step, gradients)


def torch(dtype: np.dtype) -> Program:
    import torch

    leaves = [torch.from_numpy(a).requires_grad_() for a in start(dtype)]
    x, w, b = leaves

    def step():
        x.grad = w.grad = b.grad = None
        y = x
        for _ in range(LINKS):
            y = y.sin()
            y = y * w
            y = y + b
            y = y.tanh()
        loss = y.sum()
        loss.backward()
        return loss

    def gradients() -> Gradients:
        loss = step()
        return {"loss": loss.detach().numpy()} | {
            n: t.grad.numpy().copy() for n, t in zip(NAMES, leaves, strict=True)
        }

    return Program(step, gradients)


def hips(dtype: np.dtype) -> Program:
    import autograd.numpy as anp
    from autograd import value_and_grad

    p = list(start(dtype))

    def loss_of(p: list[np.ndarray]) -> np.ndarray:
        y, w, b = p
        for _ in range(LINKS):
            y = anp.tanh(anp.sin(y) * w + b)
        return anp.sum(y)

    both = value_and_grad(loss_of)

    def gradients() -> Gradients:
        loss, grads = both(p)
        return {"loss": np.asarray(loss)} | dict(zip(NAMES, grads, strict=True))

    return Program(lambda: both(p), gradients)


WORKLOAD = Workload(
    "W7",
    "chain of 10,000 operations on 10 numbers",
    {"floor": floor, "engine": engine, "torch": torch, "hips": hips},
    rounds=9,
)
