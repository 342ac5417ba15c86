"""W8: (512, 1, 256) times (1, 64, 256), exp, sum: broadcasting forward, summing it away backward."""

import numpy as np

from .timing import Gradients, Program, Workload

NAMES = ("a", "b")


def start(dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    return rng.uniform(-1, 1, (512, 1, 256)).astype(dtype), rng.uniform(-1, 1, (1, 64, 256)).astype(dtype)


def floor(dtype: np.dtype) -> Program:
    a, b = start(dtype)
    big = np.empty((512, 64, 256), dtype)

    def step() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        np.multiply(a, b, out=big)
        np.exp(big, out=big)
        loss = big.sum()
        # The gradient of the product is exp's output. einsum multiplies and sums in one pass, no big array.
        ga = np.einsum("ijk,jk->ik", big, b[0])
        gb = np.einsum("ijk,ik->jk", big, a[:, 0])
        return loss, ga, gb

    def gradients() -> Gradients:
        loss, ga, gb = step()
        return {"loss": np.asarray(loss), "a": ga[:, None], "b": gb[None]}

    return Program(step, gradients)


def engine(dtype: np.dtype) -> Program:
    from autograd_ref import Tensor

    a, b = (Tensor(array, requires_grad=True) for array in start(dtype))

    def step():
        a.grad = b.grad = None
        loss = (a * b).exp().sum()
        loss.backward()
        return loss

    def gradients() -> Gradients:
        loss = step()
        return {"loss": loss.data, "a": a.grad.numpy().copy(), "b": b.grad.numpy().copy()}

    return Program(step, gradients)


def torch(dtype: np.dtype) -> Program:
    import torch

    a, b = (torch.from_numpy(array).requires_grad_() for array in start(dtype))

    def step():
        a.grad = b.grad = None
        loss = (a * b).exp().sum()
        loss.backward()
        return loss

    def gradients() -> Gradients:
        loss = step()
        return {"loss": loss.detach().numpy(), "a": a.grad.numpy().copy(), "b": b.grad.numpy().copy()}

    return Program(step, gradients)


def hips(dtype: np.dtype) -> Program:
    import autograd.numpy as anp
    from autograd import value_and_grad

    p = start(dtype)
    both = value_and_grad(lambda p: anp.sum(anp.exp(p[0] * p[1])))

    def gradients() -> Gradients:
        loss, grads = both(p)
        return {"loss": np.asarray(loss)} | dict(zip(NAMES, grads, strict=True))

    return Program(lambda: both(p), gradients)


WORKLOAD = Workload(
    "W8",
    "(512,1,256) * (1,64,256), exp, sum",
    {"floor": floor, "engine": engine, "torch": torch, "hips": hips},
    rounds=9,
)
