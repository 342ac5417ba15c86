"""Learning-rate schedules: objects that set the rate of an optimizer, or of each of its groups, in `step()`."""

from __future__ import annotations

import math
from collections.abc import Callable
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

    def get_last_lr(self) -> list[float]:
        """The rates as they are now, one for each group."""
        return [group.lr for group in self.optimizer.groups]

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


class LambdaLR(Schedule):
    """The rate that the optimizer began with, times `lr_lambda(count)`; a list has a function for each group.

    >>> from autograd_ref import Tensor, optim
    >>> optimizer = optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.8)
    >>> schedule = LambdaLR(optimizer, lambda count: 1 / (1 + count))
    >>> schedule.step()
    >>> optimizer.lr
    0.4
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Callable[[int], float] | list[Callable[[int], float]]
    ) -> None:
        groups = len(optimizer.groups)
        self.lambdas = list(lr_lambda) if isinstance(lr_lambda, list | tuple) else [lr_lambda] * groups
        if len(self.lambdas) != groups:
            raise ValueError(
                f"lr_lambda has {len(self.lambdas)} functions for {groups} groups: give one for each."
            )
        super().__init__(optimizer)

    def _set(self) -> None:
        for group, base, factor in zip(self.optimizer.groups, self.bases, self.lambdas, strict=True):
            group.lr = base * factor(self.count)


class CosineAnnealingLR(Schedule):
    """From the optimizer's rate to `eta_min` along half a cosine, in `T_max` steps, and then back up.

    Loshchilov and Hutter 2017. `CosineWithWarmup` has a warm-up, and stays at the end.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0) -> None:
        if T_max < 1:
            raise ValueError(f"T_max must be at least 1, and it is {T_max}.")
        non_negative(eta_min=eta_min)
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer)

    def rate(self, count: int) -> float:
        return self.eta_min + (self.base - self.eta_min) * (1 + math.cos(math.pi * count / self.T_max)) / 2


class OneCycleLR(Schedule):
    """Up to `max_lr` in the first `pct_start` of `total_steps`, then down to far below where it began.

    It begins at `max_lr / div_factor` and ends at that divided by `final_div_factor`, along half cosines or, with
    `anneal_strategy="linear"`, lines. With `cycle_momentum` the momentum, or Adam's first beta, goes the other way,
    from `max_momentum` to `base_momentum` and back. Smith and Topin 2019. Raises ValueError for a step beyond the
    last, or for an optimizer without a momentum, where that is to cycle.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy is 'cos' or 'linear', not {anneal_strategy!r}.")
        if total_steps < 1 or not 0 <= pct_start <= 1:
            raise ValueError(
                f"OneCycleLR needs at least 1 step and a pct_start from 0 to 1, not {total_steps} and {pct_start}."
            )
        groups = optimizer.groups
        if cycle_momentum and not all(
            hasattr(group, "momentum") or hasattr(group, "betas") for group in groups
        ):
            raise ValueError(
                f"{type(optimizer).__name__} has no momentum to cycle: pass cycle_momentum=False."
            )
        self.max_lrs = list(max_lr) if isinstance(max_lr, list | tuple) else [max_lr] * len(groups)
        if len(self.max_lrs) != len(groups):
            raise ValueError(
                f"max_lr has {len(self.max_lrs)} rates for {len(groups)} groups: give one for each."
            )
        self.total_steps, self.pct_start, self.linear = total_steps, pct_start, anneal_strategy == "linear"
        self.cycle_momentum, self.momenta = cycle_momentum, (base_momentum, max_momentum)
        self.div_factor, self.final_div_factor = div_factor, final_div_factor
        super().__init__(optimizer)

    def _between(self, start: float, top: float, end: float) -> float:
        """On the way from start to top, and from there to the end."""
        turn, last = self.pct_start * self.total_steps - 1, self.total_steps - 1
        rising = self.count <= turn or turn == last
        a, b = (start, top) if rising else (top, end)
        before, after = (0.0, turn) if rising else (turn, last)
        share = (self.count - before) / (after - before) if after != before else 1.0
        return a + (b - a) * (share if self.linear else (1 - math.cos(math.pi * share)) / 2)

    def _set(self) -> None:
        if self.count > self.total_steps - 1 and self.count:
            raise ValueError(f"This OneCycleLR has {self.total_steps} steps, and this would be one more.")
        low, high = self.momenta
        for group, top in zip(self.optimizer.groups, self.max_lrs, strict=True):
            start = top / self.div_factor
            group.lr = self._between(start, top, start / self.final_div_factor)
            momentum = self._between(high, low, high)
            if self.cycle_momentum and hasattr(group, "betas"):
                group._set_option("betas", (momentum, *group.betas[1:]))
            elif self.cycle_momentum:
                group._set_option("momentum", momentum)


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
