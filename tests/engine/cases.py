"""The cases of every primitive: arguments, how to call it here, and how to call it in PyTorch.

A test takes a primitive's name from the engine's table and looks up its cases here, so a primitive without
cases fails. `smooth` cases can also be checked by finite differences; the others sit on a tie or a border.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograd_ref import functional as F
from autograd_ref import ops

RNG = np.random.default_rng(0)


@dataclass
class Case:
    args: tuple[np.ndarray, ...]
    ours: Callable[..., Any]
    torch: Callable[..., Any]
    smooth: bool = True
    second: bool = True
    note: str = ""


def normal(*shape: int) -> np.ndarray:
    return RNG.standard_normal(shape)


def positive(*shape: int) -> np.ndarray:
    return RNG.uniform(0.3, 2.0, shape)


def apart(*shape: int) -> np.ndarray:
    """Values away from 0 and from each other, so that no kink or tie is near."""
    n = int(np.prod(shape))
    return (RNG.permutation(n) + 0.5 + RNG.uniform(-0.2, 0.2, n) - n // 2).reshape(shape) * 0.37


def t() -> Any:
    import torch

    return torch


SHAPES = [(), (3,), (2, 3), (0,), (2, 0, 3), (1, 4)]
PAIRS = [
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((4, 1, 2), (3, 1)),
    ((0, 3), (3,)),
    ((2, 3), (2, 3)),
]


def unary(name: str, draw: Callable[..., np.ndarray] = normal, **border: list[float]) -> list[Case]:
    ours = getattr(ops, name)
    cases = [Case((draw(*s),), ours, lambda x: getattr(t(), name)(x)) for s in SHAPES]
    for values in border.values():
        cases.append(
            Case((np.array(values),), ours, lambda x: getattr(t(), name)(x), smooth=False, note="border")
        )
    return cases


def binary(name: str, torch_name: str, draw: Callable[..., np.ndarray] = normal) -> list[Case]:
    ours = getattr(ops, name)
    return [Case((draw(*a), draw(*b)), ours, lambda x, y: getattr(t(), torch_name)(x, y)) for a, b in PAIRS]


def one(args: Any, ours: Callable[..., Any], torch: Callable[..., Any], **more: Any) -> Case:
    return Case(args if isinstance(args, tuple) else (args,), ours, torch, **more)


def reduction(ours: Any, torch: Any, draw: Any = apart, empty: bool = True) -> list[Case]:
    shapes = [((2, 3), None), ((2, 3), 0), ((2, 3, 4), (0, 2)), ((2, 3), -1), ((5,), 0)]
    shapes += [((2, 0), 0), ((0, 3), 1)] if empty else []
    out = []
    for shape, axis in shapes:
        for keep in (False, True):
            dims = tuple(range(len(shape))) if axis is None else axis
            out.append(
                Case(
                    (draw(*shape),),
                    lambda x, a=axis, k=keep: ours(x, axis=a, keepdims=k),
                    lambda x, d=dims, k=keep: torch(x, d, k),
                )
            )
    return out


def tie(ours: Any, torch: Any) -> Case:
    x = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    return Case(
        (x,), lambda x: ours(x, axis=1), lambda x: torch(x, 1), smooth=False, second=False, note="ties"
    )


EQUAL = (np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 3.0]))
INDEX = np.array([[0, 2], [2, 2]])
MASK = np.array([[True, False, True], [False, False, True]])

CASES: dict[str, list[Case]] = {
    "add": binary("add", "add"),
    "sub": binary("sub", "sub"),
    "mul": binary("mul", "mul"),
    "div": binary("div", "div", positive),
    "neg": unary("neg"),
    "pow": [
        *binary("pow", "pow", positive),
        one(normal(2, 3), lambda x: x**2, lambda x: x**2),
        one(normal(2, 3), lambda x: x**3, lambda x: x**3),
        one(positive(3), lambda x: x**-1.5, lambda x: x**-1.5),
        one(normal(3), lambda x: x**0, lambda x: x**0),
        one(normal(3), lambda x: 2.0**x, lambda x: 2.0**x),
        one(np.array([0.0, 1.0]), lambda x: x**0, lambda x: x**0, smooth=False),
        one(np.array([0.0, 2.0]), lambda x: x**1, lambda x: x**1, smooth=False),
        Case(
            (np.array([0.0, 0.0, 2.0]), np.array([0.0, 2.0, 0.0])), ops.pow, lambda x, y: x**y, False, False
        ),
    ],
    "exp": unary("exp"),
    "expm1": unary("expm1", border=[0.0, 1e-12]),
    "log": unary("log", positive, border=[0.0, 1.0]),
    "log1p": unary("log1p", positive, border=[0.0, 1e-12]),
    "sqrt": unary("sqrt", positive, border=[0.0, 1.0]),
    "sin": unary("sin"),
    "cos": unary("cos"),
    "tan": unary("tan"),
    "tanh": unary("tanh", border=[-30.0, 0.0, 30.0]),
    "sigmoid": unary("sigmoid", border=[-700.0, -40.0, 0.0, 40.0]),
    "sign": unary("sign", apart, border=[0.0]),
    "abs": unary("abs", apart, border=[0.0, -0.0]),
    "relu": unary("relu", apart, border=[0.0, -0.0, 1.0]),
    "maximum": [
        *binary("maximum", "maximum"),
        Case(EQUAL, ops.maximum, lambda x, y: t().maximum(x, y), False),
    ],
    "minimum": [
        *binary("minimum", "minimum"),
        Case(EQUAL, ops.minimum, lambda x, y: t().minimum(x, y), False),
    ],
    "clip": [
        one(apart(2, 3), lambda x: ops.clip(x, -0.6, 0.6), lambda x: t().clip(x, -0.6, 0.6)),
        one(apart(4), lambda x: ops.clip(x, low=0.0), lambda x: t().clip(x, min=0.0)),
        one(apart(0), lambda x: ops.clip(x, high=0.0), lambda x: t().clip(x, max=0.0)),
        one(
            np.array([-1.0, 0.0, 1.0]),
            lambda x: ops.clip(x, -1, 1),
            lambda x: (
                x + 0 * t().clip(x, -1, 1)
            ),  # the slope at the limits is not the same in all its versions
            smooth=False,
        ),
    ],
    "where": [
        one(
            (normal(2, 3), normal(3)),
            lambda x, y: ops.where(MASK, x, y),
            lambda x, y: t().where(t().tensor(MASK), x, y),
        ),
        one(
            (normal(), normal(2, 3)),
            lambda x, y: ops.where(MASK, x, y),
            lambda x, y: t().where(t().tensor(MASK), x, y),
        ),
    ],
    "softplus": [one(normal(*s), ops.softplus, lambda x: t().nn.functional.softplus(x)) for s in SHAPES]
    + [
        one(
            np.array([-800.0, 0.0, 19.9, 20.1, 800.0]),
            ops.softplus,
            lambda x: t().nn.functional.softplus(x),
            smooth=False,
        )
    ],
    "erf": unary("erf", border=[-7.0, -6.0, -1e-9, 0.0, 5.99, 7.0]),
    "gelu": [one(normal(*s), F.gelu, lambda x: t().nn.functional.gelu(x)) for s in SHAPES],
    "gelu_tanh": [
        one(normal(*s), lambda x: F.gelu(x, "tanh"), lambda x: t().nn.functional.gelu(x, approximate="tanh"))
        for s in SHAPES
    ],
    "cast": [one(normal(2, 3), lambda x: ops.astype(x, np.float64), lambda x: x.double())],
    "sum": reduction(ops.sum, lambda x, d, k: t().sum(x, d, keepdim=k)),
    "mean": reduction(ops.mean, lambda x, d, k: t().mean(x, d, keepdim=k), empty=False),
    "max": [
        *reduction(ops.max, lambda x, d, k: t().amax(x, d, keepdim=k), empty=False),
        tie(ops.max, lambda x, d: t().amax(x, d)),
    ],
    "min": [
        *reduction(ops.min, lambda x, d, k: t().amin(x, d, keepdim=k), empty=False),
        tie(ops.min, lambda x, d: t().amin(x, d)),
    ],
    "logsumexp": [
        *reduction(ops.logsumexp, lambda x, d, k: t().logsumexp(x, d, keepdim=k)),
        one(
            np.array([[1000.0, 1000.0], [-np.inf, 0.0]]),
            lambda x: ops.logsumexp(x, 1),
            lambda x: t().logsumexp(x, 1),
            smooth=False,
        ),
    ],
    "softmax": [
        one(normal(2, 3, 4), lambda x, a=a: ops.softmax(x, a), lambda x, a=a: t().softmax(x, a))
        for a in (0, 1, -1)
    ]
    + [one(normal(*z), ops.softmax, lambda x: t().softmax(x, -1)) for z in ((0, 3), ())],
    "log_softmax": [
        one(normal(2, 3, 4), lambda x, a=a: ops.log_softmax(x, a), lambda x, a=a: t().log_softmax(x, a))
        for a in (0, 1, -1)
    ]
    + [one(normal(*z), ops.log_softmax, lambda x: t().log_softmax(x, -1)) for z in ((0, 3), ())],
    "cumsum": [
        one(normal(2, 3), lambda x, a=a: ops.cumsum(x, a), lambda x, a=a: t().cumsum(x, a))
        for a in (0, 1, -1)
    ]
    + [one(normal(), ops.cumsum, lambda x: t().cumsum(x, 0))]
    + [one(normal(0), ops.cumsum, lambda x: t().cumsum(x, 0))],
    "prod": [
        one(normal(2, 3), lambda x, a=a: ops.prod(x, a), lambda x, a=a: t().prod(x, a)) for a in (0, 1, -1)
    ]
    + [
        one(normal(2, 3), ops.prod, lambda x: t().prod(x)),
        one(np.array([2.0, 0.0, 3.0]), ops.prod, lambda x: t().prod(x)),
        one(np.array([2.0, 0.0, 0.0]), ops.prod, lambda x: t().prod(x)),
        one(normal(2, 0), lambda x: ops.prod(x, 1), lambda x: t().prod(x, 1)),
    ],
    "reshape": [
        one(normal(2, 3), lambda x: x.reshape(3, -1), lambda x: x.reshape(3, -1)),
        one(normal(0, 3), lambda x: x.reshape(3, 0), lambda x: x.reshape(3, 0)),
        one(normal(1), lambda x: x.reshape(()), lambda x: x.reshape(())),
        one(normal(2, 1, 3), lambda x: x.squeeze(1), lambda x: x.squeeze(1)),
        one(normal(2, 1, 3), lambda x: x.squeeze(), lambda x: x.squeeze()),
        one(normal(2, 3), lambda x: x.squeeze(0), lambda x: x.squeeze(0)),
        one(normal(2, 3), lambda x: x.unsqueeze(-1), lambda x: x.unsqueeze(-1)),
        one(normal(2, 3, 4), lambda x: x.flatten(1), lambda x: x.flatten(1)),
    ],
    "permute": [
        one(normal(2, 3, 4), lambda x: x.permute(2, 0, 1), lambda x: x.permute(2, 0, 1)),
        one(normal(2, 3, 4), lambda x: x.swapaxes(0, -1), lambda x: x.swapaxes(0, -1)),
        one(normal(2, 3), lambda x: x.T, lambda x: x.T),
        one(normal(), lambda x: x.T, lambda x: x.T),
    ],
    "broadcast_to": [
        one(normal(3), lambda x: x.broadcast_to(2, 3), lambda x: x.broadcast_to(2, 3)),
        one(normal(2, 1), lambda x: x.broadcast_to(4, 2, 3), lambda x: x.broadcast_to(4, 2, 3)),
        one(normal(), lambda x: x.broadcast_to(0, 3), lambda x: x.broadcast_to(0, 3)),
    ],
    "concatenate": [
        one((normal(2, 3), normal(1, 3)), lambda *x: ops.concatenate(x), lambda *x: t().concatenate(x)),
        one(
            (normal(2, 3), normal(2, 0), normal(2, 1)),
            lambda *x: ops.concatenate(x, -1),
            lambda *x: t().concatenate(x, -1),
        ),
        one((normal(2, 3), normal(2, 3)), lambda *x: ops.stack(x, 1), lambda *x: t().stack(x, 1)),
        one(
            normal(5, 2),
            lambda x: ops.concatenate(x.split(2)[::-1]),
            lambda x: t().concatenate(x.split(2)[::-1]),
        ),
        one(normal(2), lambda x: ops.stack([x, x]), lambda x: t().stack([x, x])),
    ],
    "pad": [
        one(
            normal(2, 3),
            lambda x: ops.pad(x, ((0, 0), (1, 2)), 7.0),
            lambda x: t().nn.functional.pad(x, (1, 2), value=7.0),
        ),
        one(normal(2, 0), lambda x: ops.pad(x, ((0, 0), (1, 2))), lambda x: t().nn.functional.pad(x, (1, 2))),
    ],
    "flip": [
        one(normal(2, 3), lambda x: x.flip(), lambda x: x.flip(0, 1)),
        one(normal(2, 3), lambda x: x.flip(1), lambda x: x.flip(1)),
    ],
    "roll": [
        one(normal(2, 3), lambda x: x.roll(1), lambda x: x.roll(1)),
        one(normal(2, 3), lambda x: x.roll((1, -2), (0, 1)), lambda x: x.roll((1, -2), (0, 1))),
    ],
    "clone": [one(normal(2, 3), lambda x: x.clone(), lambda x: x.clone())],
    "alias": [
        one(normal(2, 3), lambda x: __import__("autograd_ref").rules.shapes.alias(x), lambda x: x.view_as(x))
    ],
    "getitem": [
        one(normal(4, 3), lambda x: x[1], lambda x: x[1]),
        one(normal(4, 3), lambda x: x[1:3, ::2], lambda x: x[1:3, ::2]),
        one(normal(4, 3), lambda x: x[::-1], lambda x: x.flip(0)),
        one(normal(4, 3), lambda x: x[..., None, -1], lambda x: x[..., None, -1]),
        one(normal(4, 3), lambda x: x[2:2], lambda x: x[2:2]),
        one(normal(4, 3), lambda x: x[INDEX], lambda x: x[t().tensor(INDEX)]),
        one(normal(4, 3), lambda x: x[np.array([-1, 0, -1])], lambda x: x[t().tensor([-1, 0, -1])]),
        one(normal(4, 3), lambda x: x[[]], lambda x: x[t().tensor([], dtype=t().long)]),
        one(normal(4, 3), lambda x: x[[0, 1, 0], [2, 2, 2]], lambda x: x[[0, 1, 0], [2, 2, 2]]),
        one(normal(4, 3), lambda x: x[:, [0, 0]], lambda x: x[:, [0, 0]]),
        one(normal(2, 3), lambda x: x[MASK], lambda x: x[t().tensor(MASK)]),
        one(normal(2, 3), lambda x: x[np.array([True, False])], lambda x: x[t().tensor([True, False])]),
        one(normal(4, 3), lambda x: ops.take(x, INDEX, 1), lambda x: x[:, t().tensor(INDEX)]),
    ],
    "set_item": [
        one((normal(4, 3), normal(3)), lambda x, y: ops.set_item(x, 1, y), lambda x, y: _assign(x, 1, y)),
        one(
            (normal(4, 3), normal(2, 1)),
            lambda x, y: ops.set_item(x, slice(0, 2), y),
            lambda x, y: _assign(x, slice(0, 2), y),
        ),
    ],
    "gather": [
        one(normal(3, 2), lambda x: x.gather(0, INDEX), lambda x: x.gather(0, t().tensor(INDEX))),
        one(normal(2, 3), lambda x: x.gather(1, INDEX), lambda x: x.gather(1, t().tensor(INDEX))),
        one(normal(4, 3), lambda x: x.gather(1, INDEX), lambda x: x.gather(1, t().tensor(INDEX))),
    ],
    "matmul": [
        one((normal(*a), normal(*b)), ops.matmul, lambda x, y: x @ y)
        for a, b in [
            ((3,), (3,)),
            ((2, 3), (3,)),
            ((3,), (3, 2)),
            ((2, 3), (3, 4)),
            ((5, 2, 3), (3, 4)),
            ((2, 3), (5, 3, 4)),
            ((5, 2, 3), (5, 3, 4)),
            ((5, 1, 2, 3), (6, 3, 4)),
            ((5, 2, 3), (3,)),
            ((3,), (5, 3, 2)),
            ((0, 3), (3, 2)),
            ((2, 0), (0, 3)),
        ]
    ],
    "einsum": [
        one(
            tuple(normal(*s) for s in shapes),
            lambda *x, e=e: ops.einsum(e, *x),
            lambda *x, e=e: t().einsum(e, *x),
        )
        for e, shapes in [
            ("ij,jk->ik", [(2, 3), (3, 4)]),
            ("ij->ji", [(2, 3)]),
            ("ij->", [(2, 3)]),
            ("ii->i", [(3, 3)]),
            ("ii", [(3, 3)]),
            ("bij,bjk->bik", [(2, 2, 3), (2, 3, 2)]),
            ("i,j->ij", [(2,), (3,)]),
            ("ij,ik,il->jkl", [(2, 2), (2, 3), (2, 2)]),
            ("...ij,jk->...ik", [(2, 2, 3), (3, 2)]),
            ("ij,jk", [(2, 3), (3, 4)]),
            ("ij,k->i", [(2, 3), (4,)]),
            ("iij->j", [(2, 2, 3)]),
        ]
    ],
}


def _assign(x: Any, index: Any, y: Any) -> Any:
    x = x.clone()
    x[index] = y
    return x


def _layers() -> dict[str, list[Case]]:
    f = lambda: t().nn.functional  # noqa: E731
    labels, image = np.array([0, 3, 1]), (2, 3, 5, 4)
    convolutions = [
        ((4, 3, 3, 2), {}),
        ((4, 3, 1, 1), {}),
        ((2, 3, 3, 3), {"padding": 1, "stride": 2}),
        ((2, 3, 2, 2), {"padding": (0, 1), "stride": (2, 1), "dilation": (2, 1)}),
        ((6, 1, 2, 2), {"groups": 3, "padding": 1}),
    ]
    return {
        "conv2d": [
            one(
                (normal(*image), normal(*w), normal(w[0])),
                lambda *a, k=k: F.conv2d(*a, **k),
                lambda *a, k=k: f().conv2d(*a, **k),
            )
            for w, k in convolutions
        ]
        + [
            one(
                (normal(2, 3, 6), normal(4, 3, 3)),
                lambda *a: F.conv1d(*a, stride=2, padding=1),
                lambda *a: f().conv1d(*a, stride=2, padding=1),
            ),
            one(
                (normal(2, 6, 7), normal(4, 3, 2), normal(4)),
                lambda *a: F.conv1d(*a, groups=2, dilation=2),
                lambda *a: f().conv1d(*a, groups=2, dilation=2),
            ),
        ],
        "max_pool2d": [
            one(apart(*image), lambda x, a=a: F.max_pool2d(x, *a), lambda x, a=a: f().max_pool2d(x, *a))
            for a in [(2,), (2, 1), (3, 2, 1), ((1, 2), (2, 3)), (1,)]
        ]
        + [  # of more than 4,096 elements, which are not done by a table where windows do not overlap
            one(apart(2, 3, 30, 29), lambda x, a=a: F.max_pool2d(x, *a), lambda x, a=a: f().max_pool2d(x, *a))
            for a in [(2,), ((3, 2), (4, 2), (1, 1)), ((1, 29),), (3, 2, 1)]
        ]
        + [
            one(
                np.ones(image),
                lambda x: F.max_pool2d(x, 2),
                lambda x: f().max_pool2d(x, 2),
                smooth=False,
                note="ties",
            ),
            one(
                np.ones(image),
                lambda x: F.max_pool2d(x, 2, 1),
                lambda x: f().max_pool2d(x, 2, 1),
                smooth=False,
                note="ties",
            ),
            one(apart(2, 3, 7), lambda x: F.max_pool1d(x, 3), lambda x: f().max_pool1d(x, 3)),
        ],
        "linear": [
            one((normal(*s, 3), normal(4, 3), normal(4)), F.linear, lambda *a: f().linear(*a))
            for s in [(2,), (2, 5), (), (0,)]
        ]
        + [one((normal(2, 3), normal(4, 3)), F.linear, lambda *a: f().linear(*a))],
        "layer_norm": [
            one(
                (normal(*s, 4), normal(4), normal(4)),
                lambda x, w, b: F.layer_norm(x, 4, w, b),
                lambda x, w, b: f().layer_norm(x, (4,), w, b),
            )
            for s in [(3,), (2, 3), ()]
        ]
        + [
            one(
                (normal(3, 4), normal(4)),
                lambda x, w: F.layer_norm(x, (4,), w),
                lambda x, w: f().layer_norm(x, (4,), w),
            )
        ],
        "cross_entropy": [
            one(
                normal(3, 4),
                lambda x: F.cross_entropy(x, labels),
                lambda x: f().cross_entropy(x, t().tensor(labels)),
            ),
            one(
                normal(3, 4),
                lambda x: F.cross_entropy(x, labels, reduction="sum"),
                lambda x: f().cross_entropy(x, t().tensor(labels), reduction="sum"),
            ),
            one(
                1000 * normal(3, 4),
                lambda x: F.cross_entropy(x, labels),
                lambda x: f().cross_entropy(x, t().tensor(labels)),
                smooth=False,
            ),
        ],
        "binary_cross_entropy": [
            one(
                (RNG.uniform(0.1, 0.9, (2, 3)), RNG.uniform(0, 1, (2, 3))),
                lambda x, y: F.binary_cross_entropy(x, y, "none"),
                lambda x, y: f().binary_cross_entropy(x, y, reduction="none"),
                second=False,  # PyTorch's adds 1e-12 to a denominator; ours is checked by numbers
            )
        ],
        "mse_loss": [
            one(
                (normal(2, 3), normal(2, 3)),
                lambda x, y, r=r: F.mse_loss(x, y, r),
                lambda x, y, r=r: f().mse_loss(x, y, reduction=r),
            )
            for r in ("mean", "sum", "none")
        ],
        "attention": [
            one(
                (normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 2)),
                lambda q, k, v, c=c: F.scaled_dot_product_attention(q, k, v, is_causal=c),
                lambda q, k, v, c=c: f().scaled_dot_product_attention(q, k, v, is_causal=c),
            )
            for c in (False, True)
        ]
        + [
            one(
                (normal(2, 4), normal(3, 4), normal(3, 2)),
                lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=MASK),
                lambda q, k, v: f().scaled_dot_product_attention(q, k, v, attn_mask=t().tensor(MASK)),
            )
        ],
        "self_attention": [
            one(
                normal(2, 3, 12),
                lambda x, c=c: F.self_attention(x, 2, is_causal=c),
                lambda x, c=c: _torch_self_attention(x, 2, c),
            )
            for c in (False, True)
        ],
    }


def _torch_self_attention(x: Any, heads: int, causal: bool) -> Any:
    q, k, v = x.view(2, 3, 3, heads, 2).permute(2, 0, 3, 1, 4)
    kernel = t().nn.attention
    with kernel.sdpa_kernel(kernel.SDPBackend.MATH):  # the others cannot be differentiated twice
        out = t().nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    return out.transpose(1, 2).reshape(2, 3, 4)


CASES |= _layers()
# These two are the gradient rules of getitem and gather, and are reached by their second derivatives.
CASES["scatter"] = CASES["getitem"]
CASES["scatter_along"] = CASES["gather"]

CASES |= {
    "leaky_relu": [
        one(apart(2, 3), lambda x: F.leaky_relu(x, 0.2), lambda x: t().nn.functional.leaky_relu(x, 0.2)),
        one(np.array([-0.0, 0.0]), F.leaky_relu, lambda x: t().nn.functional.leaky_relu(x), smooth=False),
    ],
    "var": [
        *reduction(ops.var, lambda x, d, k: t().var(x, d, keepdim=k), normal, empty=False),
        one(normal(3, 4), lambda x: ops.var(x, 0, correction=0), lambda x: t().var(x, 0, correction=0)),
    ],
    "std": [
        *reduction(ops.std, lambda x, d, k: t().std(x, d, keepdim=k), normal, empty=False),
        one(normal(3, 4), lambda x: ops.std(x, 0, correction=0), lambda x: t().std(x, 0, correction=0)),
    ],
    "stack": [
        one(
            (normal(*s), normal(*s), normal(*s)),
            lambda *xs, a=a: ops.stack(xs, a),
            lambda *xs, a=a: t().stack(xs, a),
        )
        for s, a in [((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((), 0), ((0, 2), 1)]
    ],
    "gelu_erf": [
        one(normal(*s), F.gelu, lambda x: t().nn.functional.gelu(x)) for s in [(), (2, 3), (0,), (150,)]
    ],
    "huber_loss": [
        one(
            (np.array([0.3, -2.0, 4.0]), np.array([0.1, 0.5, -0.5])),
            lambda x, y, d=d: F.huber_loss(x, y, delta=d),
            lambda x, y, d=d: t().nn.functional.huber_loss(x, y, delta=d),
        )
        for d in (1.0, 0.7)
    ],
    "mean_binary_cross_entropy": [
        one(
            (np.array([[0.1, 0.4], [0.6, 0.9]]), np.array([[0.2, 0.9], [0.1, 0.3]])),
            F.binary_cross_entropy,
            lambda x, y: t().nn.functional.binary_cross_entropy(x, y),
            second=False,
        )
    ],
    "binary_cross_entropy_with_logits": [
        one(
            (normal(2, 3), np.array([[0.0, 1.0, 0.3], [0.6, 0.1, 1.0]])),
            F.binary_cross_entropy_with_logits,
            lambda x, y: t().nn.functional.binary_cross_entropy_with_logits(x, y),
        )
    ],
    "smooth_cross_entropy": [
        one(
            normal(3, 4),
            lambda x: F.cross_entropy(x, np.array([3, 0, 1]), label_smoothing=0.2),
            lambda x: t().nn.functional.cross_entropy(x, t().tensor([3, 0, 1]), label_smoothing=0.2),
        )
    ],
    "soft_cross_entropy": [
        one(
            (normal(3, 4), np.abs(normal(3, 4))),
            F.cross_entropy,
            lambda x, y: t().nn.functional.cross_entropy(x, y),
        )
    ],
    "nll_loss": [
        one(
            normal(3, 4),
            lambda x: F.nll_loss(x, np.array([3, 0, 1])),
            lambda x: t().nn.functional.nll_loss(x, t().tensor([3, 0, 1])),
        )
    ],
    "avg_pool2d": [
        one(
            normal(2, 3, 7, 6),
            lambda x, a=a: F.avg_pool2d(x, *a),
            lambda x, a=a: t().nn.functional.avg_pool2d(x, *a),
        )
        for a in [(2,), (3, 2), (3, 2, 1), ((2, 3), (1, 2), (1, 0)), (1,)]
    ],
    "batch_norm": [
        one(
            (normal(*s), normal(3), normal(3)),
            lambda x, w, b: F.batch_norm(x, None, None, w, b, True),
            lambda x, w, b: t().nn.functional.batch_norm(x, None, None, w, b, True),
        )
        for s in [(5, 3), (2, 3, 4), (2, 3, 2, 2)]
    ],
    "floor_divide": [
        one(
            (apart(2, 3), np.array([-0.7, 0.4, 1.3])),
            ops.floor_divide,
            lambda x, y: t().div(x, y, rounding_mode="floor"),
            smooth=False,
        ),
    ],
    "remainder": [
        Case((apart(*a), positive(*b)), ops.remainder, lambda x, y: t().remainder(x, y), smooth=False)
        for a, b in PAIRS
    ]
    + [
        one(np.array([-2.5, -0.3, 0.3, 2.5]), lambda x: x % -0.7, lambda x: x % -0.7, smooth=False),
        one(np.array([0.6, 0.9, 1.4]), lambda x: 2.5 % x, lambda x: t().full_like(x, 2.5) % x, smooth=False),
    ],
    "logsigmoid": [one(normal(*s), ops.logsigmoid, lambda x: t().nn.functional.logsigmoid(x)) for s in SHAPES]
    + [
        one(
            np.array([-800.0, -30.0, -0.0, 0.0, 30.0, 800.0]),
            ops.logsigmoid,
            lambda x: t().nn.functional.logsigmoid(x),
            smooth=False,
        )
    ],
    "elu": [one(apart(*s), lambda x: F.elu(x, 0.7), lambda x: t().nn.functional.elu(x, 0.7)) for s in SHAPES]
    + [
        one(
            np.array([-800.0, -0.0, 0.0, 800.0]),
            lambda x: F.elu(x, 0.7),
            lambda x: t().nn.functional.elu(x, 0.7),
            smooth=False,
        )
    ],
}

#: Cases that came later stand at the end, so that the numbers of those before stay what they are.
MORE: dict[str, list[Case]] = {
    "repeat": [
        one(normal(*s), lambda x, n=n: x.repeat(*n), lambda x, n=n: x.repeat(n))
        for s, n in [
            ((2, 3), (2, 1)),
            ((2, 4), (2, 1, 3)),
            ((1, 3), (4, 1)),
            ((3,), (1,)),
            ((), (2, 2)),
            ((), ()),
            ((2, 0), (2, 3)),
            ((2, 3), (0, 2)),
        ]
    ],
    "tril": [
        one(normal(*s), lambda x, k=k: x.tril(k), lambda x, k=k: x.tril(k))
        for s in ((3, 4), (2, 3, 2), (0, 3))
        for k in (-1, 0, 2)
    ],
    "triu": [
        one(normal(*s), lambda x, k=k: x.triu(k), lambda x, k=k: x.triu(k))
        for s in ((3, 4), (2, 3, 2), (0, 3))
        for k in (-1, 0, 2)
    ],
    "norm": [
        *[
            case
            for p in (2, 3, 1.5)
            for case in reduction(
                lambda x, axis, keepdims, p=p: ops.norm(x, p, axis, keepdims),
                lambda x, d, k, p=p: t().linalg.vector_norm(x, p, d, k),
            )
        ],
        one(np.array(-1.5), ops.norm, lambda x: x.norm()),
        one(np.array(0.75), lambda x: x.norm(3), lambda x: x.norm(3)),
        *[
            one(
                np.array([[0.0, 0.0], [3.0, 0.0]]),
                lambda x, p=p: x.norm(p, 1),
                lambda x, p=p: x.norm(p, 1),
                smooth=False,
                second=False,  # PyTorch's is NaN
            )
            for p in (2, 3, 1.5)
        ],
    ],
    **{
        f"adaptive_{kind}_pool2d": [
            one(
                apart(*s),
                lambda x, k=kind, n=n: getattr(F, f"adaptive_{k}_pool2d")(x, n),
                lambda x, k=kind, n=n: getattr(t().nn.functional, f"adaptive_{k}_pool2d")(x, n),
            )
            for s, n in [
                ((2, 3, 5, 4), 3),
                ((1, 2, 4, 6), (3, None)),
                ((1, 1, 40, 50), (7, 3)),
                ((1, 2, 3, 2), (5, 40)),
            ]
        ]
        + [
            one(
                apart(2, 3, 7),
                lambda x, k=kind: getattr(F, f"adaptive_{k}_pool1d")(x, 3),
                lambda x, k=kind: getattr(t().nn.functional, f"adaptive_{k}_pool1d")(x, 3),
            )
        ]
        for kind in ("avg", "max")
    },
    "group_norm": [
        one(
            (normal(*s), normal(s[1]), normal(s[1])),
            lambda x, w, b, g=g: F.group_norm(x, g, w, b, 0.1),
            lambda x, w, b, g=g: t().nn.functional.group_norm(x, g, w, b, 0.1),
        )
        for s, g in [((2, 6, 3), 2), ((3, 4), 2), ((2, 3, 2, 4), 1), ((2, 3, 4), 3)]
    ],
    "rms_norm": [
        one(
            (normal(*s), normal(s[-1])),
            lambda x, w: F.rms_norm(x, x.shape[-1], w, 0.1),
            lambda x, w: t().nn.functional.rms_norm(x, (x.shape[-1],), w, 0.1),
        )
        for s in [(4,), (3, 4), (2, 3, 4)]
    ],
    "conv_transpose2d": [
        one(
            (normal(*x), normal(*w), normal(w[1] * k.get("groups", 1))),
            lambda *a, k=k: F.conv_transpose2d(*a, **k),
            lambda *a, k=k: t().nn.functional.conv_transpose2d(*a, **k),
        )
        for x, w, k in [
            ((2, 3, 4, 5), (3, 2, 3, 2), {}),
            ((2, 3, 4, 5), (3, 2, 1, 1), {"stride": 2}),
            ((1, 4, 3, 2), (4, 3, 2, 3), {"stride": (2, 3), "padding": (1, 0), "output_padding": (1, 2)}),
            ((2, 4, 3, 4), (4, 1, 3, 2), {"groups": 2, "stride": 2, "padding": 1}),
            ((2, 6, 3, 3), (6, 1, 2, 2), {"groups": 6, "dilation": (2, 1)}),
            ((3, 2, 9, 11), (2, 4, 3, 3), {"stride": 2, "padding": 1, "output_padding": 1}),
        ]
    ]
    + [
        one(
            (normal(2, 3, 5), normal(3, 2, 4)),
            lambda *a: F.conv_transpose1d(*a, stride=3, padding=1, output_padding=1),
            lambda *a: t().nn.functional.conv_transpose1d(*a, stride=3, padding=1, output_padding=1),
        ),
    ],
    "broadcast_to": [one(normal(2, 1), lambda x: x.expand(4, -1, 3), lambda x: x.expand(4, -1, 3))],
    "gather": [
        *[
            one(normal(3, 4), lambda x, a=a, d=d: x.sort(a, d)[0], lambda x, a=a, d=d: x.sort(a, d)[0])
            for a in (0, 1, -1)
            for d in (False, True)
        ],
        one(normal(3, 4), lambda x: x.topk(2)[0], lambda x: x.topk(2)[0]),
        one(normal(3, 4), lambda x: x.topk(3, 0, False)[0], lambda x: x.topk(3, 0, False)[0]),
    ],
    "getitem": [
        one(normal(5, 3), lambda x: ops.concatenate(x.chunk(3)[::-1]), lambda x: t().cat(x.chunk(3)[::-1])),
        one(normal(2, 3), lambda x: ops.stack(x.unbind(1)[::-1]), lambda x: t().stack(x.unbind(1)[::-1])),
    ],
    "where": [
        one(
            normal(2, 3),
            lambda x: x.masked_fill(MASK, 2.5),
            lambda x: x.masked_fill(t().tensor(MASK), 2.5),
        ),
        one(
            (normal(3), normal()),
            lambda x, v: x.masked_fill(MASK, v),
            lambda x, v: x.masked_fill(t().tensor(MASK), v),
        ),
    ],
    "clip": [one(apart(4), lambda x: x.clamp(min=0.0), lambda x: x.clamp(min=0.0))],
}
for _name, _cases in MORE.items():
    CASES[_name] = [*CASES.get(_name, []), *_cases]

# At the end: all draw from one generator, and whether a small fault shows depends on the numbers.
CASES["silu"] = [one(normal(*s), ops.silu, lambda x: t().nn.functional.silu(x)) for s in SHAPES]
