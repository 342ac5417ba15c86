"""W2: an MLP 2-16-1 (tanh, mean squared error) on the four points of XOR, one SGD step. Overhead only."""

import numpy as np

from .floor_adam import flat_views
from .operators import COLUMNS, builder, xor_loss
from .timing import Gradients, Program, Workload

LR = 1e-3
NAMES = ("0.weight", "0.bias", "2.weight", "2.bias")


def start(dtype: np.dtype) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    shapes = ((16, 2), (16,), (1, 16), (1,))
    parameters = {n: rng.uniform(-0.7, 0.7, s).astype(dtype) for n, s in zip(NAMES, shapes, strict=True)}
    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype)
    return parameters, x, np.array([[0], [1], [1], [0]], dtype)


def floor(dtype: np.dtype) -> Program:
    parameters, x, y = start(dtype)
    p, views = flat_views({n: a.T for n, a in parameters.items()})  # (in, out): plain x @ w
    w1, b1, w2, b2 = views.values()
    g, gradient_views = flat_views(views)
    gw1, gb1, gw2, gb2 = gradient_views.values()
    h, dh, out = np.empty((4, 16), dtype), np.empty((4, 16), dtype), np.empty((4, 1), dtype)
    ht, xt, w2t = h.T, x.T, w2.T

    def backward() -> float:
        np.matmul(x, w1, out=h)
        np.add(h, b1, out=h)
        np.tanh(h, out=h)
        np.matmul(h, w2, out=out)
        np.add(out, b2, out=out)
        np.subtract(out, y, out=out)
        loss = np.vdot(out, out) / 4
        np.multiply(out, 0.5, out=out)
        np.matmul(ht, out, out=gw2)
        np.add.reduce(out, 0, out=gb2)
        np.matmul(out, w2t, out=dh)
        np.multiply(h, h, out=h)
        np.subtract(1, h, out=h)
        np.multiply(dh, h, out=dh)
        np.matmul(xt, dh, out=gw1)
        np.add.reduce(dh, 0, out=gb1)
        return loss

    def step() -> None:
        backward()
        np.multiply(g, LR, out=g)
        np.subtract(p, g, out=p)

    def gradients() -> Gradients:
        loss = backward()
        return {"loss": np.asarray(loss, dtype)} | {n: gradient_views[n].T.copy() for n in NAMES}

    return Program(step, gradients)


def engine(dtype: np.dtype) -> Program:
    from autograd_ref import Tensor, nn, optim
    from autograd_ref.functional import mse_loss

    parameters, xs, ys = start(dtype)
    x, y = Tensor(xs), Tensor(ys)
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1))
    for name, parameter in model.named_parameters():
        parameter.data = parameters[name].copy()
    optimizer = optim.SGD(model.parameters(), lr=LR)

    def step() -> None:
        optimizer.zero_grad()
        mse_loss(model(x), y).backward()
        optimizer.step()

    def gradients() -> Gradients:
        loss = mse_loss(model(x), y)
        loss.backward()
        return {"loss": loss.data} | {n: p.grad.data.copy() for n, p in model.named_parameters()}

    return Program(step, gradients)


def torch(dtype: np.dtype) -> Program:
    import torch
    from torch import nn
    from torch.nn.functional import mse_loss

    parameters, xs, ys = start(dtype)
    x, y = torch.from_numpy(xs), torch.from_numpy(ys)
    model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 1)).to(x.dtype)
    model.load_state_dict({n: torch.from_numpy(a) for n, a in parameters.items()})
    optimizer = torch.optim.SGD(model.parameters(), lr=LR)

    def step() -> None:
        optimizer.zero_grad()
        mse_loss(model(x), y).backward()
        optimizer.step()

    def gradients() -> Gradients:
        loss = mse_loss(model(x), y)
        loss.backward()
        return {"loss": loss.detach().numpy()} | {
            n: p.grad.numpy().copy() for n, p in model.named_parameters()
        }

    return Program(step, gradients)


def hips(dtype: np.dtype) -> Program:
    import autograd.numpy as anp
    from autograd import value_and_grad

    parameters, x, y = start(dtype)

    def loss_of(p: list[np.ndarray]) -> np.ndarray:
        residual = anp.tanh(x @ p[0].T + p[1]) @ p[2].T + p[3] - y
        return anp.mean(residual * residual)

    both = value_and_grad(loss_of)
    p = [parameters[n] for n in NAMES]

    def step() -> None:
        for parameter, gradient in zip(p, both(p)[1], strict=True):
            parameter -= LR * gradient

    def gradients() -> Gradients:
        loss, grads = both(p)
        return {"loss": np.asarray(loss)} | dict(zip(NAMES, grads, strict=True))

    return Program(step, gradients)


WORKLOAD = Workload(
    "W2",
    "XOR MLP 2-16-1, batch 4, SGD",
    {"floor": floor, "engine": engine, "torch": torch, "hips": hips}
    | {
        column: builder(name, start, ["0.weight", "2.weight"], xor_loss, "SGD", LR)
        for column, name in COLUMNS.items()
    },
    rounds=25,
)
