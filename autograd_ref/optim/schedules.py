"""Learning-rate schedules: objects that set the rate of an optimizer, or of each of its groups, in `step()`."""

from __future__ import annotations

import math
from typing import Any

from autograd_ref.optim.optimizer import Optimizer, non_negative


class Schedule:
    """A learning rate that depends on the number of steps only: derive from it and write `rate`."""

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer, self.count = optimizer, 0
        self.bases = [group.lr for group in optimizer.groups]
        self._set()

    def _set(self) -> None:
        for group, base in zip(self.optimizer.groups, self.bases, strict=True):
            self.base = base
            group.lr = self.rate(self.count)

    def rate(self, count: int) -> float:
        """The learning rate after `count` steps, for parameters whose rate was `self.base` at first."""
        raise NotImplementedError(f"{type(self).__name__} needs a method rate(count).")

    def step(self) -> None:
        """Count one step (or epoch: as you call it) and set the optimizer's rate."""
        self.count += 1
        self._set()

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs."""
        return {"bases": list(self.bases), "count": self.count}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the `state_dict()` was taken."""
        self.bases, self.count = list(state_dict["bases"]), state_dict["count"]
        self._set()


class StepLR(Schedule):
    """Multiply the rate by `gamma` after every `step_size` steps."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1) -> None:
        if step_size < 1:
            raise ValueError(f"step_size must be at least 1, and it is {step_size}.")
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer)

    def rate(self, count: int) -> float:
        return self.base * self.gamma ** (count // self.step_size)


class CosineWithWarmup(Schedule):
    """Rise linearly to the optimizer's rate over `warmup` steps, then fall to `min_lr` along half a cosine.

    Loshchilov and Hutter 2017 (cosine), Goyal et al. 2017 (warm-up). The first of `warmup` steps uses
    1/warmup of the rate; after `total` steps it stays at `min_lr`.
    """

    def __init__(self, optimizer: Optimizer, total: int, warmup: int = 0, min_lr: float = 0.0) -> None:
        if not 0 <= warmup < total:
            raise ValueError(f"warmup must lie from 0 to below total ({total}), and it is {warmup}.")
        non_negative(min_lr=min_lr)
        self.total, self.warmup, self.min_lr = total, warmup, min_lr
        super().__init__(optimizer)

    def rate(self, count: int) -> float:
        if count < self.warmup:
            return self.base * (count + 1) / self.warmup
        progress = min((count - self.warmup) / (self.total - self.warmup), 1.0)
        return self.min_lr + (self.base - self.min_lr) * (1 + math.cos(math.pi * progress)) / 2


class ReduceLROnPlateau:
    """Multiply the rate by `factor` when the loss has not improved for more than `patience` calls of
    `step(loss)`.

    An improvement is a loss below `(1 - threshold)` times the best. After a reduction, `cooldown` calls pass
    before bad ones count again. The rate stays above `min_lr`.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ) -> None:
        if not 0 < factor < 1:
            raise ValueError(f"factor must lie between 0 and 1, and it is {factor}.")
        non_negative(patience=patience, threshold=threshold, cooldown=cooldown, min_lr=min_lr)
        self.optimizer, self.factor, self.patience = optimizer, factor, patience
        self.threshold, self.cooldown, self.min_lr = threshold, cooldown, min_lr
        self.best, self.bad, self.waiting = math.inf, 0, 0

    def step(self, loss: float) -> None:
        """Report the loss of an epoch."""
        loss = float(loss)
        if loss < self.best * (1 - self.threshold):
            self.best, self.bad = loss, 0
        else:
            self.bad += 1
        if self.waiting:
            self.waiting -= 1
            self.bad = 0
        if self.bad > self.patience:
            for group in self.optimizer.groups:
                group.lr = max(group.lr * self.factor, self.min_lr)
            self.waiting, self.bad = self.cooldown, 0

    def state_dict(self) -> dict[str, Any]:
        """What `load_state_dict` needs."""
        rates = [group.lr for group in self.optimizer.groups]
        return {"best": self.best, "bad": self.bad, "waiting": self.waiting, "lr": rates}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where the `state_dict()` was taken."""
        self.best, self.bad, self.waiting = state_dict["best"], state_dict["bad"], state_dict["waiting"]
        for group, lr in zip(self.optimizer.groups, state_dict["lr"], strict=True):
            group.lr = lr
