"""Losses as modules; each calls the function of its name. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

from typing import Any

from autograd_ref import functional
from autograd_ref.nn.module import Buffer, Module


class _Loss(Module):
    def __init__(self, reduction: str = "mean") -> None:
        if reduction not in self._reductions:
            told = ", ".join(map(repr, self._reductions[:-1])) + f" or {self._reductions[-1]!r}"
            raise ValueError(f"reduction is {told}, not {reduction!r}.")
        self.reduction = reduction

    _reductions: tuple[str, ...] = ("mean", "sum", "none")

    def extra_repr(self) -> str:
        return "" if self.reduction == "mean" else f"reduction={self.reduction!r}"


def _buffer(weight: Any) -> Buffer | None:
    return None if weight is None else Buffer(weight)


class MSELoss(_Loss):
    """The squared difference.

    >>> from autograd_ref import Tensor, nn
    >>> nn.MSELoss()(Tensor([1.0, 2.0]), Tensor([1.0, 4.0]))
    Tensor(2.)
    """

    def forward(self, input: Any, target: Any) -> Any:
        return functional.mse_loss(input, target, self.reduction)


class L1Loss(_Loss):
    """The absolute difference."""

    def forward(self, input: Any, target: Any) -> Any:
        return functional.l1_loss(input, target, self.reduction)


class HuberLoss(_Loss):
    """Half the squared difference below `delta`, linear from there on.  Huber 1964."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        self.delta = delta

    def forward(self, input: Any, target: Any) -> Any:
        return functional.huber_loss(input, target, self.reduction, self.delta)


class SmoothL1Loss(_Loss):
    """The absolute difference, with a parabola below `beta`.  Girshick 2015."""

    def __init__(self, reduction: str = "mean", beta: float = 1.0) -> None:
        super().__init__(reduction)
        self.beta = beta

    def forward(self, input: Any, target: Any) -> Any:
        return functional.smooth_l1_loss(input, target, self.reduction, self.beta)


class KLDivLoss(_Loss):
    """The divergence of `target` from the distribution whose logarithm is the input; "batchmean" is per row."""

    _reductions = ("mean", "sum", "none", "batchmean")

    def __init__(self, reduction: str = "mean", log_target: bool = False) -> None:
        super().__init__(reduction)
        self.log_target = log_target

    def forward(self, input: Any, target: Any) -> Any:
        return functional.kl_div(input, target, self.reduction, self.log_target)


class CrossEntropyLoss(_Loss):
    """From logits (N, C, ...) and labels (N, ...), or probabilities in the logits' shape.

    `weight` (C,) multiplies the loss of each class, `ignore_index` is the label of what does not count.

    >>> from autograd_ref import Tensor, nn
    >>> nn.CrossEntropyLoss()(Tensor([[0.0, 0.0]]), Tensor([1])).item().__round__(4)
    0.6931
    """

    def __init__(
        self,
        weight: Any = None,
        ignore_index: int = -100,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(reduction)
        self.weight = _buffer(weight)
        self.ignore_index, self.label_smoothing = ignore_index, label_smoothing

    def forward(self, input: Any, target: Any) -> Any:
        options: Any = {"reduction": self.reduction, "label_smoothing": self.label_smoothing}
        return functional.cross_entropy(input, target, self.weight, ignore_index=self.ignore_index, **options)


class NLLLoss(_Loss):
    """Minus the input at the label, for log-probabilities (N, C, ...) and labels (N, ...)."""

    def __init__(self, weight: Any = None, ignore_index: int = -100, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight, self.ignore_index = _buffer(weight), ignore_index

    def forward(self, input: Any, target: Any) -> Any:
        how: Any = {"ignore_index": self.ignore_index, "reduction": self.reduction}
        return functional.nll_loss(input, target, self.weight, **how)


class BCELoss(_Loss):
    """Binary cross-entropy of probabilities; `weight` multiplies the loss of each element."""

    def __init__(self, weight: Any = None, reduction: str = "mean") -> None:
        super().__init__(reduction)
        self.weight = _buffer(weight)

    def forward(self, input: Any, target: Any) -> Any:
        return functional.binary_cross_entropy(input, target, self.reduction, self.weight)


class BCEWithLogitsLoss(_Loss):
    """Binary cross-entropy of logits; `pos_weight` multiplies the loss of the positive class, `weight` each element's.

    >>> from autograd_ref import Tensor, nn
    >>> nn.BCEWithLogitsLoss(reduction="sum")
    BCEWithLogitsLoss(reduction='sum')
    """

    def __init__(self, weight: Any = None, reduction: str = "mean", pos_weight: Any = None) -> None:
        super().__init__(reduction)
        self.weight, self.pos_weight = _buffer(weight), _buffer(pos_weight)

    def forward(self, input: Any, target: Any) -> Any:
        return functional.binary_cross_entropy_with_logits(
            input, target, self.reduction, self.pos_weight, self.weight
        )
