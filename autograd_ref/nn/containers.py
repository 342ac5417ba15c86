"""Modules made of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from autograd_ref.nn.module import Module


class ModuleList(Module):
    """Modules under the names "0", "1", ..., for a `forward` of your own."""

    def __init__(self, modules: Iterable[Module] = ()) -> None:
        for module in modules:
            self.append(module)

    def append(self, module: Module) -> None:
        """Add a module at the end. Raises TypeError for anything else."""
        if not isinstance(module, Module):
            raise TypeError(
                f"{type(self).__name__} is made of modules, and item {len(self)} is "
                f"of type {type(module).__name__}: "
                "nn.ReLU() is a module, the function relu is not."
            )
        setattr(self, str(len(self)), module)

    def __iter__(self) -> Iterator[Module]:
        return iter([child for _, child in self.named_children()])

    def __len__(self) -> int:
        return sum(1 for _ in self.named_children())

    def __getitem__(self, index: int) -> Module:
        return list(self)[index]


class Sequential(ModuleList):
    """Modules one after the other: each gets what the one before returned.

    >>> from autograd_ref import Tensor, nn
    >>> model = Sequential(nn.Linear(2, 3), nn.Tanh())
    >>> model(Tensor([[1.0, 2.0]])).shape
    (1, 3)
    """

    def __init__(self, *modules: Module) -> None:
        super().__init__(modules)

    def forward(self, x: Any) -> Any:
        for module in self.__dict__.values():
            if isinstance(module, Module):
                x = module.forward(x)  # what module(x) does, without its call
        return x
