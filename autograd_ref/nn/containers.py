"""Modules made of modules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
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


class ModuleDict(Module):
    """Modules by names of your own, for a `forward` of your own; an order of names is that of insertion.

    >>> from autograd_ref import nn
    >>> heads = ModuleDict({"digit": nn.Linear(4, 10), "parity": nn.Linear(4, 2)})
    >>> heads["parity"], list(heads), "age" in heads
    (Linear(4, 2), ['digit', 'parity'], False)
    """

    def __init__(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]] = ()) -> None:
        self.update(modules)

    def update(self, modules: Mapping[str, Module] | Iterable[tuple[str, Module]]) -> None:
        """Add modules, or put others in their place."""
        for name, module in modules.items() if isinstance(modules, Mapping) else modules:
            self[name] = module

    def __setitem__(self, name: str, module: Module) -> None:
        if not isinstance(module, Module):
            raise TypeError(
                f"A ModuleDict is made of modules, and {name!r} is of type {type(module).__name__}."
            )
        if not name or "." in name or (hasattr(self, name) and name not in self):
            raise KeyError(
                f"{name!r} cannot name a module here: use a name without dots that no attribute has."
            )
        setattr(self, name, module)

    def __getitem__(self, name: str) -> Module:
        return dict(self.named_children())[name]

    def __delitem__(self, name: str) -> None:
        del self.__dict__[name if name in self else ""]

    def __contains__(self, name: object) -> bool:
        return any(name == n for n, _ in self.named_children())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.keys())

    def keys(self) -> list[str]:
        """The names."""
        return [name for name, _ in self.named_children()]

    def values(self) -> list[Module]:
        """The modules."""
        return [module for _, module in self.named_children()]

    def items(self) -> list[tuple[str, Module]]:
        """Names and modules."""
        return list(self.named_children())


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
                # What module(x) does, without its call.
                x = module.forward(x) if module._hooks is None else module(x)
        return x
