"""`nn`, `functional` and `optim` of the learner's own engine: the reference's constructors, the learner's functions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from autograd_ref.nn.init import generator, manual_seed

from .engine import Names, Surface
from .pictures import picture_layers


class Namespace(SimpleNamespace):
    """What stands for a module, such as `nn`."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"your own engine has no `{name}` here, only {', '.join(vars(self))}")


def extend_module(names: Names) -> None:
    """Give notebook 08's Module the methods that unit 10 calls; what is defined later in the notebook builds on it."""

    class Module(names["Module"]):  # type: ignore[misc, valid-type]
        def named_parameters(self) -> Iterator[tuple[str, Any]]:
            """Names and Parameters in pairs, as the reference and PyTorch give them; notebook 08's makes a dict."""
            return iter(super().named_parameters().items())

        def parameters(self) -> list[Any]:
            return [p for _, p in self.named_parameters()]

        def zero_grad(self) -> None:
            for p in self.parameters():
                p.grad = None

        def to(self, dtype: Any) -> Any:
            for p in self.parameters():
                p.data, p.grad = p.data.astype(dtype), None
            return self

        # Unit 10 writes these two itself, as functions.
        def state_dict(self) -> dict[str, np.ndarray]:
            return {name: p.data.copy() for name, p in self.named_parameters()}

        def load_state_dict(self, state: Mapping[str, np.ndarray]) -> None:
            parameters = dict(self.named_parameters())
            if parameters.keys() != state.keys():
                raise KeyError(f"the module has {list(parameters)}, the state {list(state)}")
            for name, p in parameters.items():
                p.data[...] = state[name]

    names["Module"] = Module


def make_nn(names: Names) -> Namespace:
    """Layers with the constructors of `autograd_ref.nn`; they compute with the functions of notebook 08."""
    # Long, because a class for each layer stands in it: they close over the learner's own functions.
    Tensor, Parameter, Module = names["Tensor"], names["Parameter"], names["Module"]

    def tensor(x: Any) -> Any:
        return x if isinstance(x, Surface) else Tensor(x)

    class Linear(Module):  # type: ignore[misc, valid-type]
        def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
            bound = 1 / math.sqrt(in_features)

            def draw(*shape: int) -> Any:  # the same numbers as the reference draws
                return Parameter(generator().uniform(-bound, bound, shape))

            self.weight, self.bias = draw(out_features, in_features), draw(out_features) if bias else None

        def forward(self, x: Any) -> Any:
            return names["linear"](tensor(x), self.weight, self.bias)

    class Sequential(names["Sequential"]):  # type: ignore[misc, valid-type]
        def __getitem__(self, index: int) -> Any:
            return self.layers[index]

        def __len__(self) -> int:
            return len(self.layers)

    class Dropout(Module):  # type: ignore[misc, valid-type]
        def __init__(self, p: float = 0.5) -> None:
            self.p = p

        def forward(self, x: Any) -> Any:
            x = tensor(x)
            out = names["dropout"](x, self.p, self.training, generator())
            # A mask is float64 easily; a network in float32 stays one.
            return out if out.dtype == x.dtype else Tensor.apply("cast", out, constants=(x.dtype,))

    class LayerNorm(Module):  # type: ignore[misc, valid-type]
        def __init__(self, width: int, eps: float = 1e-5) -> None:
            self.weight, self.bias, self.eps = Parameter(np.ones(width)), Parameter(np.zeros(width)), eps

        def forward(self, x: Any) -> Any:
            return names["layer_norm"](tensor(x), self.weight, self.bias, self.eps)

    class Embedding(Module):  # type: ignore[misc, valid-type]
        def __init__(self, entries: int, width: int) -> None:
            self.weight = Parameter(generator().normal(size=(entries, width)))

        def forward(self, ids: Any) -> Any:
            ids = np.asarray(ids)
            if (ids < 0).any() or (ids >= len(self.weight)).any():
                raise IndexError(f"ids go from 0 to {len(self.weight) - 1}")
            return self.weight[ids]

    return Namespace(
        Module=Module,
        Parameter=Parameter,
        Linear=Linear,
        Sequential=Sequential,
        Tanh=names["Tanh"],
        ReLU=names["ReLU"],
        Dropout=Dropout,
        LayerNorm=LayerNorm,
        Embedding=Embedding,
        **picture_layers(names),
        manual_seed=manual_seed,
    )


# -- losses and optimizers ----------------------------------------------------------------------------------------


def make_functional(Tensor: Any, losses: Names, layers: Names) -> Namespace:
    """Losses of tensors, or of arrays: then the result is a number."""

    def of(op: str, x: Any, *constants: Any) -> Any:
        out = Tensor.apply(op, x if isinstance(x, Surface) else Tensor(x), constants=constants)
        return out if isinstance(x, Surface) else out.data[()]

    def array(x: Any) -> np.ndarray:
        return x.data if isinstance(x, Surface) else np.asarray(x)

    def paired(name: str, x: Any, target: Any) -> np.ndarray:
        target = array(target)
        if x.shape != target.shape:
            raise ValueError(
                f"'{name}' cannot combine shapes {x.shape} and {target.shape}: they must be equal"
            )
        return target

    def mse_loss(input: Any, target: Any) -> Any:
        return of("mse", input, paired("mse_loss", input, target))

    def cross_entropy(input: Any, target: Any) -> Any:
        return of("cross_entropy", input, losses["log_softmax"](array(input)), array(target))

    def binary_cross_entropy_with_logits(input: Any, target: Any) -> Any:
        return of("bce", input, paired("binary_cross_entropy_with_logits", input, target))

    return Namespace(
        mse_loss=mse_loss,
        cross_entropy=cross_entropy,
        binary_cross_entropy_with_logits=binary_cross_entropy_with_logits,
        linear=layers["linear"],
    )


def make_optim(names: Names) -> Namespace:
    """Notebook 09's steps, each in its `Optimizer`, with the constructors of `autograd_ref.optim`."""
    # Long, because a class for each optimizer stands in it: they close over the learner's own functions.

    def optimizer(parameters: Any, step: Any, slots: int, lr: float, weight_decay: float) -> Any:
        def rule(p: Any, g: Any, state: Sequence[Any], lr: float, t: int) -> Any:
            new, *state = step(p, g, state, lr, t)
            return new, tuple(state)

        return names["Optimizer"](list(parameters), rule, slots, lr, weight_decay)

    def SGD(
        parameters: Any,
        lr: float = 1e-3,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
        nesterov: bool = False,
    ) -> Any:
        def step(p: Any, g: Any, state: Any, lr: float, t: int) -> Any:
            if not momentum:
                return (names["sgd_step"](p, g, lr),)
            return names["nesterov_step" if nesterov else "momentum_step"](p, g, *state, lr, momentum)

        return optimizer(parameters, step, 1 if momentum else 0, lr, weight_decay)

    def RMSprop(
        parameters: Any, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0.0
    ) -> Any:
        def step(p: Any, g: Any, state: Any, lr: float, t: int) -> Any:
            return names["rmsprop_step"](p, g, *state, lr, alpha, eps)

        return optimizer(parameters, step, 1, lr, weight_decay)

    def Adam(
        parameters: Any,
        lr: float = 1e-3,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> Any:
        def step(p: Any, g: Any, state: Any, lr: float, t: int) -> Any:
            return names["adam_step"](p, g, *state, t, lr, betas, eps)

        return optimizer(parameters, step, 2, lr, weight_decay)

    def AdamW(
        parameters: Any,
        lr: float = 1e-3,
        betas: Any = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> Any:
        def step(p: Any, g: Any, state: Any, lr: float, t: int) -> Any:
            # From 0 with rate 1 Adam moves by minus its direction.
            moved, m, v = names["adam_step"](np.zeros_like(p), g, *state, t, 1.0, betas, eps)
            return names["adamw_step"](p, -moved, lr, weight_decay), m, v

        return optimizer(parameters, step, 2, lr, 0.0)

    return Namespace(SGD=SGD, RMSprop=RMSprop, Adam=Adam, AdamW=AdamW, Optimizer=names["Optimizer"])
