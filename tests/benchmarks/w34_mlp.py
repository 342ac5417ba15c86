"""W3 and W4: relu MLPs with cross-entropy and Adam, one as in a homework, one as for MNIST."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from .floor_adam import FloorAdam, flat_views
from .operators import COLUMNS, builder, mlp_loss
from .timing import Builder, Gradients, Program, Workload

LR = 1e-6  # so small that thousands of steps do not change what is measured
Start = Callable[[np.dtype], tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]]


def starter(sizes: tuple[int, int, int, int], batch: int) -> Start:
    def start(dtype: np.dtype) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
        rng = np.random.default_rng(3)
        parameters = {}
        for i, (n_in, n_out) in enumerate(pairwise(sizes)):
            bound = n_in**-0.5
            parameters[f"{2 * i}.weight"] = rng.uniform(-bound, bound, (n_out, n_in)).astype(dtype)
            parameters[f"{2 * i}.bias"] = rng.uniform(-bound, bound, n_out).astype(dtype)
        x = rng.uniform(0, 1, (batch, sizes[0])).astype(dtype)
        return parameters, x, rng.integers(0, sizes[-1], batch)

    return start


def floor_of(start: Start) -> Builder:
    def floor(dtype: np.dtype) -> Program:
        parameters, x, labels = start(dtype)
        p, views = flat_views(parameters)
        w1, b1, w2, b2, w3, b3 = views.values()
        g, gradient_views = flat_views(parameters)
        gw1, gb1, gw2, gb2, gw3, gb3 = gradient_views.values()
        n = len(x)
        rows = np.arange(n)
        ones = np.ones(n, dtype)  # a product with ones sums rows faster than add.reduce
        h1, d1, m1 = (
            np.empty((n, len(b1)), dtype),
            np.empty((n, len(b1)), dtype),
            np.empty((n, len(b1)), dtype),
        )
        h2, d2, m2 = (
            np.empty((n, len(b2)), dtype),
            np.empty((n, len(b2)), dtype),
            np.empty((n, len(b2)), dtype),
        )
        out = np.empty((n, len(b3)), dtype)
        optimizer = FloorAdam(p, g, LR)

        def backward() -> float:
            np.matmul(x, w1.T, out=h1)
            np.add(h1, b1, out=h1)
            np.maximum(h1, 0, out=h1)
            np.matmul(h1, w2.T, out=h2)
            np.add(h2, b2, out=h2)
            np.maximum(h2, 0, out=h2)
            np.matmul(h2, w3.T, out=out)
            np.add(out, b3, out=out)
            np.subtract(out, np.maximum.reduce(out, 1, keepdims=True), out=out)
            picked = out[rows, labels]
            np.exp(out, out=out)
            total = np.add.reduce(out, 1, keepdims=True)
            loss = (np.log(total).sum() - picked.sum()) / n
            np.divide(out, total * n, out=out)  # softmax / n
            out[rows, labels] -= 1 / n
            np.matmul(out.T, h2, out=gw3)
            np.dot(ones, out, out=gb3)
            np.matmul(out, w3, out=d2)
            np.greater(h2, 0, out=m2)
            np.multiply(d2, m2, out=d2)
            np.matmul(d2.T, h1, out=gw2)
            np.dot(ones, d2, out=gb2)
            np.matmul(d2, w2, out=d1)
            np.greater(h1, 0, out=m1)
            np.multiply(d1, m1, out=d1)
            np.matmul(d1.T, x, out=gw1)
            np.dot(ones, d1, out=gb1)
            return loss

        def step() -> None:
            backward()
            optimizer.step()

        def gradients() -> Gradients:
            loss = backward()
            return {"loss": np.asarray(loss, dtype)} | {k: v.copy() for k, v in gradient_views.items()}

        return Program(step, gradients)

    return floor


def engine_of(start: Start) -> Builder:
    def engine(dtype: np.dtype) -> Program:
        from autograd_ref import Tensor, nn, optim
        from autograd_ref.functional import cross_entropy

        parameters, xs, labels = start(dtype)
        x = Tensor(xs)
        w = [a.shape for a in parameters.values()][::2]
        model = nn.Sequential(
            nn.Linear(w[0][1], w[0][0]),
            nn.ReLU(),
            nn.Linear(w[1][1], w[1][0]),
            nn.ReLU(),
            nn.Linear(w[2][1], w[2][0]),
        )
        for name, parameter in model.named_parameters():
            parameter.data = parameters[name]
        optimizer = optim.Adam(model.parameters(), lr=LR)

        def step() -> None:
            optimizer.zero_grad()
            cross_entropy(model(x), labels).backward()
            optimizer.step()

        def gradients() -> Gradients:
            loss = cross_entropy(model(x), labels)
            loss.backward()
            return {"loss": loss.data} | {n: p.grad.data.copy() for n, p in model.named_parameters()}

        return Program(step, gradients)

    return engine


def torch_of(start: Start) -> Builder:
    def torch(dtype: np.dtype) -> Program:
        import torch
        from torch import nn
        from torch.nn.functional import cross_entropy

        parameters, xs, ys = start(dtype)
        x, labels = torch.from_numpy(xs), torch.from_numpy(ys)
        w = [a.shape for a in parameters.values()][::2]
        model = nn.Sequential(
            nn.Linear(w[0][1], w[0][0]),
            nn.ReLU(),
            nn.Linear(w[1][1], w[1][0]),
            nn.ReLU(),
            nn.Linear(w[2][1], w[2][0]),
        ).to(x.dtype)
        model.load_state_dict({n: torch.from_numpy(a) for n, a in parameters.items()})
        optimizer = torch.optim.Adam(model.parameters(), lr=LR)

        def step() -> None:
            optimizer.zero_grad()
            cross_entropy(model(x), labels).backward()
            optimizer.step()

        def gradients() -> Gradients:
            loss = cross_entropy(model(x), labels)
            loss.backward()
            return {"loss": loss.detach().numpy()} | {
                n: p.grad.numpy().copy() for n, p in model.named_parameters()
            }

        return Program(step, gradients)

    return torch


def hips_of(start: Start) -> Builder:
    def hips(dtype: np.dtype) -> Program:
        import autograd.numpy as anp
        from autograd import value_and_grad

        parameters, x, labels = start(dtype)
        one_hot = np.eye(10, dtype=dtype)[labels]
        flat, views = flat_views(parameters)
        gradient_flat, gradient_views = flat_views(parameters)
        p = list(views.values())
        optimizer = FloorAdam(flat, gradient_flat, LR)

        def loss_of(p: list[np.ndarray]) -> np.ndarray:
            h = anp.maximum(x @ p[0].T + p[1], 0)
            h = anp.maximum(h @ p[2].T + p[3], 0)
            out = h @ p[4].T + p[5]
            out = out - anp.max(out, axis=1, keepdims=True)
            logs = out - anp.log(anp.sum(anp.exp(out), axis=1, keepdims=True))
            return -anp.sum(logs * one_hot) / len(x)

        both = value_and_grad(loss_of)

        def gradients() -> Gradients:
            loss, grads = both(p)
            return {"loss": np.asarray(loss)} | dict(zip(parameters, grads, strict=True))

        def step() -> None:
            for view, gradient in zip(gradient_views.values(), both(p)[1], strict=True):
                view[...] = gradient
            optimizer.step()

        return Program(step, gradients)

    return hips


def workload(name: str, about: str, sizes: tuple[int, int, int, int], batch: int) -> Workload:
    start = starter(sizes, batch)
    builders = {
        "floor": floor_of(start),
        "engine": engine_of(start),
        "torch": torch_of(start),
        "hips": hips_of(start),
    }
    matrices = ["0.weight", "2.weight", "4.weight"]
    builders |= {c: builder(n, start, matrices, mlp_loss, "Adam", LR) for c, n in COLUMNS.items()}
    return Workload(name, about, builders)


W3 = workload("W3", "digits MLP 64-128-64-10, batch 64, Adam", (64, 128, 64, 10), 64)
W4 = workload("W4", "MLP 784-512-256-10, batch 128, Adam", (784, 512, 256, 10), 128)
