"""The groups of an optimizer in PyTorch's form: each reads and writes like a dict."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from autograd_ref.optim.optimizer import Optimizer


class Group(MutableMapping[str, Any]):
    """One entry of `Optimizer.param_groups`: "params", and the options by name, such as "lr".

    >>> from autograd_ref import Tensor, optim
    >>> optimizer = optim.SGD([Tensor([1.0], requires_grad=True)], lr=0.5)
    >>> for group in optimizer.param_groups:
    ...     group["lr"] *= 0.1
    >>> optimizer.lr
    0.05
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self._optimizer = optimizer

    def __getitem__(self, name: str) -> Any:
        return self._all()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in self._optimizer._options():
            raise KeyError(
                f"{type(self._optimizer).__name__} has no option {name!r} to set: "
                f"it has {', '.join(self._optimizer._options())}."
            )
        self._optimizer._set_option(name, value)

    def __delitem__(self, name: str) -> None:
        raise TypeError("The options of an optimizer cannot be taken away.")

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        options = {n: v for n, v in self.items() if n != "params"}
        return f"<{len(self['params'])} parameters, {', '.join(f'{n}={v}' for n, v in options.items())}>"

    def _all(self) -> dict[str, Any]:
        return {"params": self._optimizer.parameters} | self._optimizer._options()
