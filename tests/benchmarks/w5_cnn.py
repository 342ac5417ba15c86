"""W5: a small CNN on 28x28 images: conv 3x3 to 16, relu, pool, conv 3x3 to 32, relu, pool, linear; Adam.

The floor keeps activations in the order (channel, height, width, image). Then a slab of a patch matrix is a
few long runs, one matrix product does the whole batch, and pooling's strided views keep runs of 32 numbers.
Measured for the second convolution, float64, forward / gradient of the weight / of the input, in ms:
(C, H, W, N) 1.8 / 1.5 / 2.3; (C, N, H, W) 1.9 / 1.9 / 2.6; (N, H, W, C) 2.2 / 1.8 / 3.8;
(N, C, H, W) 2.1 / 1.8 / 2.9; sums of nine shifted products 3.4 for the forward pass alone.
"""

from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .floor_adam import FloorAdam, flat_views
from .operators import COLUMNS, builder, cnn_loss
from .timing import Gradients, Program, Workload

LR = 1e-6
N = 32
SHAPES = {
    "0.weight": (16, 1, 3, 3),
    "0.bias": (16,),
    "3.weight": (32, 16, 3, 3),
    "3.bias": (32,),
    "7.weight": (10, 32 * 49),
    "7.bias": (10,),
}


def start(dtype: np.dtype) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    parameters = {}
    for name, shape in SHAPES.items():
        bound = float(np.prod(SHAPES[name.replace("bias", "weight")][1:])) ** -0.5
        parameters[name] = rng.uniform(-bound, bound, shape).astype(dtype)
    return parameters, rng.uniform(0, 1, (N, 1, 28, 28)).astype(dtype), rng.integers(0, 10, N)


class FloorConv:
    """A 3x3 convolution with padding 1, relu and 2x2 maximum, in (C, H, W, N), with its buffers."""

    def __init__(self, c: int, o: int, h: int, dtype: np.dtype, input_gradient: bool) -> None:
        self.c, self.o, self.h = c, o, h
        self.padded = np.zeros((c, h + 2, h + 2, N), dtype)
        s = self.padded.strides
        self.windows = as_strided(self.padded, (c, 3, 3, h, h, N), (s[0], s[1], s[2], s[1], s[2], s[3]))
        self.patches = np.empty((c, 3, 3, h, h, N), dtype)
        self.matrix = self.patches.reshape(c * 9, -1)
        self.out = np.empty((o, h, h, N), dtype)
        self.ones = np.ones(h * h * N, dtype)  # a product with ones sums faster than add.reduce
        self.pooled = np.empty((o, h // 2, h // 2, N), dtype)
        self.rest = np.empty_like(self.pooled)
        self.equal = np.empty_like(self.pooled)
        self.grad_out = np.empty_like(self.out)
        corners = ((0, 0), (0, 1), (1, 0), (1, 1))
        self.corners = [self.out[:, i::2, j::2] for i, j in corners]
        self.grad_corners = [self.grad_out[:, i::2, j::2] for i, j in corners]
        if input_gradient:
            self.grad_patches = np.empty_like(self.patches)
            self.grad_padded = np.empty_like(self.padded)

    def forward(self, x: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
        out, pooled, (a, b, c, d) = self.out, self.pooled, self.corners
        self.padded[:, 1:-1, 1:-1] = x
        np.copyto(self.patches, self.windows)
        np.matmul(weight.reshape(self.o, -1), self.matrix, out=out.reshape(self.o, -1))
        np.add(out, bias[:, None, None, None], out=out)
        np.maximum(out, 0, out=out)
        np.maximum(a, b, out=pooled)
        np.maximum(pooled, c, out=pooled)
        np.maximum(pooled, d, out=pooled)
        return pooled

    def backward(
        self, g: np.ndarray, weight: np.ndarray, grad_weight: np.ndarray, grad_bias: np.ndarray
    ) -> None:
        # To the first of equal corners, as PyTorch does. Where the pooled value is 0 relu was off, so that no
        # gradient passes, and ties of zeros need no care.
        rest, equal, pooled, o = self.rest, self.equal, self.pooled, self.o
        np.greater(pooled, 0, out=equal)
        np.multiply(g, equal, out=rest)
        for corner, grad_corner in zip(self.corners[:3], self.grad_corners[:3], strict=True):
            np.equal(corner, pooled, out=equal)
            np.multiply(rest, equal, out=equal)
            np.subtract(rest, equal, out=rest)
            grad_corner[...] = equal
        self.grad_corners[3][...] = rest
        g2 = self.grad_out.reshape(o, -1)
        np.matmul(self.matrix, g2.T, out=grad_weight.reshape(o, -1).T)
        np.dot(g2, self.ones, out=grad_bias)

    def backward_input(self, weight: np.ndarray) -> np.ndarray:
        h, grad = self.h, self.grad_padded
        np.matmul(
            weight.reshape(self.o, -1).T,
            self.grad_out.reshape(self.o, -1),
            out=self.grad_patches.reshape(self.c * 9, -1),
        )
        grad.fill(0)
        for i in range(3):
            for j in range(3):
                grad[:, i : i + h, j : j + h] += self.grad_patches[:, i, j]
        return grad[:, 1:-1, 1:-1]


def floor(dtype: np.dtype) -> Program:
    parameters, images, labels = start(dtype)
    p, views = flat_views(parameters)
    w1, b1, w2, b2, w3, b3 = views.values()
    g, gradient_views = flat_views(parameters)
    gw1, gb1, gw2, gb2, gw3, gb3 = gradient_views.values()
    first = FloorConv(1, 16, 28, dtype, input_gradient=False)
    second = FloorConv(16, 32, 14, dtype, input_gradient=True)
    out, grad_flat, columns = np.empty((10, N), dtype), np.empty((1568, N), dtype), np.arange(N)
    optimizer = FloorAdam(p, g, LR)

    def backward() -> float:
        x = first.forward(images.transpose(1, 2, 3, 0), w1, b1)
        flat = second.forward(x, w2, b2).reshape(1568, N)
        np.matmul(w3, flat, out=out)
        np.add(out, b3[:, None], out=out)
        np.subtract(out, np.maximum.reduce(out, 0), out=out)
        picked = out[labels, columns]
        np.exp(out, out=out)
        total = np.add.reduce(out, 0)
        loss = (np.log(total).sum() - picked.sum()) / N
        np.divide(out, total * N, out=out)
        out[labels, columns] -= 1 / N
        np.matmul(out, flat.T, out=gw3)
        np.add.reduce(out, 1, out=gb3)
        np.matmul(w3.T, out, out=grad_flat)
        second.backward(grad_flat.reshape(second.pooled.shape), w2, gw2, gb2)
        first.backward(second.backward_input(w2), w1, gw1, gb1)
        return loss

    def step() -> None:
        backward()
        optimizer.step()

    def gradients() -> Gradients:
        loss = backward()
        return {"loss": np.asarray(loss, dtype)} | {k: v.copy() for k, v in gradient_views.items()}

    return Program(step, gradients)


def engine(dtype: np.dtype) -> Program:
    from autograd_ref import Tensor, nn, optim
    from autograd_ref.functional import cross_entropy

    parameters, images, labels = start(dtype)
    x = Tensor(images)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 49, 10),
    )
    for name, parameter in model.named_parameters():
        parameter.data = parameters[name]
    optimizer = optim.Adam(model.parameters(), lr=LR)
    return trainer(model, optimizer, lambda: cross_entropy(model(x), labels), lambda t: t.data)


def torch(dtype: np.dtype) -> Program:
    import torch
    from torch import nn
    from torch.nn.functional import cross_entropy

    parameters, images, ys = start(dtype)
    x, labels = torch.from_numpy(images), torch.from_numpy(ys)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * 49, 10),
    ).to(x.dtype)
    model.load_state_dict({n: torch.from_numpy(a) for n, a in parameters.items()})
    optimizer = torch.optim.Adam(model.parameters(), lr=LR)
    return trainer(model, optimizer, lambda: cross_entropy(model(x), labels), lambda t: t.detach().numpy())


def trainer(model, optimizer, loss_of: Callable, array_of: Callable) -> Program:
    """The same training step for this engine and for PyTorch: the names are the same."""

    def step() -> None:
        optimizer.zero_grad()
        loss_of().backward()
        optimizer.step()

    def gradients() -> Gradients:
        loss = loss_of()
        loss.backward()
        return {"loss": array_of(loss)} | {n: array_of(p.grad).copy() for n, p in model.named_parameters()}

    return Program(step, gradients)


WORKLOAD = Workload(
    "W5",
    "CNN 1x28x28, batch 32, Adam",
    {"floor": floor, "engine": engine, "torch": torch}
    | {c: builder(n, start, ["7.weight"], cnn_loss, "Adam", LR) for c, n in COLUMNS.items()},
)
