"""The module: an object that owns parameters and modules, and finds them by looking at its attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np

from autograd_ref.core.hooks import Handle, Hooks
from autograd_ref.core.tensor import Tensor
from autograd_ref.nn import safetensors
from autograd_ref.nn.summary import summary


class Parameter(Tensor):
    """A tensor that is trained: it requires gradients, and a module that has it as an attribute owns it.

    >>> Parameter([1.0, 2.0])
    Parameter([1., 2.], requires_grad=True)
    """

    __slots__ = ()

    def __init__(self, data: Any, requires_grad: bool = True, dtype: Any = None) -> None:
        super().__init__(data, requires_grad, dtype)

    def __repr__(self) -> str:
        return "Parameter" + super().__repr__().removeprefix("Tensor")

    def __deepcopy__(self, memo: dict[int, Any], with_grad: bool = False) -> Any:
        """A parameter of its own, without the gradient: that was of the other model."""
        return super().__deepcopy__(memo, with_grad)


class Buffer(Tensor):
    """A tensor that belongs to a module's state but is not trained, such as a running mean."""

    __slots__ = ()


class Module:
    """Base class of layers and models: assign parameters and modules in `__init__`, compute in `forward`.

    >>> class Scale(Module):
    ...     def __init__(self):
    ...         self.factor = Parameter([1.0, 10.0])
    ...
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> model = Scale()
    >>> model(Tensor([3.0, 4.0]))
    Tensor([ 3., 40.], grad_fn=<mul>)
    >>> [name for name, _ in model.named_parameters()]
    ['factor']
    """

    training = True
    _hooks: tuple[Hooks, Hooks] | None = (
        None  # before and after `forward`; a module without costs nothing more
    )

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes; call the module itself, `model(x)`."""
        raise NotImplementedError(f"{type(self).__name__} needs a method forward.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._hooks is not None:
            return self._call_with_hooks(args, kwargs)
        return self.forward(*args, **kwargs) if kwargs else self.forward(*args)

    # -- hooks
    # ------------------------------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable[[Module, Any], Any]) -> Handle:
        """Call `hook(module, args)` before `forward`; what it returns, unless it is None, takes the arguments' place.

        Returns a handle with `remove()`.
        """
        return self._own_hooks()[0].add(hook)

    def register_forward_hook(self, hook: Callable[[Module, Any, Any], Any]) -> Handle:
        """Call `hook(module, args, result)` after `forward`; what it returns, unless it is None, is the result.

        Returns a handle with `remove()`. `Sequential` and all other modules call their children with hooks.

        >>> from autograd_ref import nn
        >>> layer, seen = nn.Tanh(), []
        >>> handle = layer.register_forward_hook(lambda module, args, result: seen.append(result.shape))
        >>> out = nn.Sequential(layer)(Tensor([[1.0, 2.0]]))
        >>> handle.remove()
        >>> seen
        [(1, 2)]
        """
        return self._own_hooks()[1].add(hook)

    def _own_hooks(self) -> tuple[Hooks, Hooks]:
        if self._hooks is None:
            self._hooks = Hooks(), Hooks()
        return self._hooks

    def _call_with_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        before, after = self._own_hooks()
        for hook in list(before.values()):
            given = hook(self, args)
            if given is not None:
                args = given if isinstance(given, tuple) else (given,)
        result = self.forward(*args, **kwargs)
        for hook in list(after.values()):
            given = hook(self, args, result)
            result = result if given is None else given
        return result

    # -- what it owns
    # -----------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules that are attributes of this one, with the attributes' names."""
        for name, value in vars(self).items():
            if isinstance(value, Module):
                yield name, value

    def children(self) -> Iterator[Module]:
        """The modules that are attributes of this one, each once."""
        yield from {id(child): child for _, child in self.named_children()}.values()

    def named_modules(self, prefix: str = "") -> Iterator[tuple[str, Module]]:
        """This module and all modules below it, each once, with dotted names; parents come first."""
        seen: set[int] = set()
        stack: list[tuple[str, Module]] = [(prefix, self)]
        while stack:
            name, module = stack.pop()
            if id(module) in seen:
                continue
            seen.add(id(module))
            yield name, module
            children = [(f"{name}.{n}" if name else n, m) for n, m in module.named_children()]
            stack += reversed(children)

    def named_tensors(self) -> Iterator[tuple[str, Parameter | Buffer]]:
        """All parameters and buffers with dotted names; one that is shared comes under each of its names."""
        for prefix, module in self.named_modules():
            for name, value in vars(module).items():
                if isinstance(value, Parameter | Buffer):
                    yield (f"{prefix}.{name}" if prefix else name), value

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """All parameters with dotted names, in the order of assignment; one that is shared comes once."""
        seen: set[int] = set()
        for name, value in self.named_tensors():
            if isinstance(value, Parameter) and id(value) not in seen:
                seen.add(id(value))
                yield name, value

    def named_buffers(self) -> Iterator[tuple[str, Buffer]]:
        """All buffers with dotted names, in the order of assignment; one that is shared comes once."""
        seen: set[int] = set()
        for name, value in self.named_tensors():
            if isinstance(value, Buffer) and id(value) not in seen:
                seen.add(id(value))
                yield name, value

    def modules(self) -> Iterator[Module]:
        """This module and all modules below it."""
        for _, module in self.named_modules():
            yield module

    def parameters(self) -> Iterator[Parameter]:
        """All parameters, each once: what an optimizer takes."""
        for _, parameter in self.named_parameters():
            yield parameter

    def buffers(self) -> Iterator[Buffer]:
        """All buffers, each once."""
        for _, buffer in self.named_buffers():
            yield buffer

    def register_buffer(self, name: str, tensor: Any) -> None:
        """Make `tensor`, anything a Tensor takes, a buffer: `self.name = Buffer(tensor)` by PyTorch's name.

        None makes an attribute that is None. Raises ValueError for a name that is no attribute's, or is taken.
        """
        if not name.isidentifier() or hasattr(self, name):
            raise ValueError(f"A buffer's name is that of a new attribute, which {name!r} cannot be here.")
        setattr(self, name, None if tensor is None else Buffer(tensor))

    # -- what you do to all of it
    # -----------------------------------------------------------------------------

    def apply(self, function: Callable[[Module], Any]) -> Self:
        """Call `function` on every module below this one, children first, then on this one."""
        for module in reversed(list(self.modules())):
            function(module)
        return self

    def train(self, mode: bool = True) -> Self:
        """Switch dropout and batch normalisation to training, or with False to evaluation."""
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Switch to evaluation."""
        return self.train(False)

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for parameter in self.parameters():
            parameter.grad = None

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Freeze all parameters (False) or train them again."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def to(self, dtype: Any) -> Self:
        """Convert all floating-point parameters and buffers, in place; gradients are forgotten."""
        for _, tensor in self.named_tensors():
            if tensor.dtype.kind == "f":
                tensor.data = tensor.data.astype(dtype, copy=False)
                tensor.grad = None
        return self

    # -- saving and loading
    # -----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, np.ndarray]:
        """Copies of all parameters and buffers, by name."""
        return {name: tensor.data.copy() for name, tensor in self.named_tensors()}

    def load_state_dict(self, state: Mapping[str, Any], strict: bool = True) -> None:
        """Copy the values of a `state_dict` (also one of PyTorch's, as arrays) into the parameters and
        buffers.

        With `strict`, names must be the same on both sides. Raises KeyError for names that are not,
        ValueError for a shape that differs; nothing is changed then.
        """
        own = dict(self.named_tensors())
        missing = [n for n in own if n not in state]
        unexpected = [n for n in state if n not in own]
        if strict and (missing or unexpected):
            parts = [
                f"{what} {', '.join(names)}"
                for what, names in (("it lacks", missing), ("it has the unknown", unexpected))
                if names
            ]
            raise KeyError(
                f"The state does not fit this {type(self).__name__}: {'; '.join(parts)}. "
                "Build the same model, or pass strict=False to load what fits."
            )
        arrays = {n: np.asarray(a.data if isinstance(a, Tensor) else a) for n, a in state.items() if n in own}
        for name, array in arrays.items():
            if array.shape != own[name].shape:
                raise ValueError(
                    f"The state's '{name}' has shape {array.shape}, this model's has {own[name].shape}: "
                    "build the model with the sizes it was saved with."
                )
        for name, array in arrays.items():
            own[name].data[...] = array
            own[name].mark_changed()

    def save(self, path: str | Path) -> None:
        """Write the state to `path`: as safetensors if it ends so, else as NumPy's .npz. Neither holds code."""
        if Path(path).suffix == ".safetensors":
            safetensors.save_file(self.state_dict(), path)
            return
        with open(path, "wb") as file:
            np.savez(file, **self.state_dict())  # type: ignore[arg-type]

    def load(self, path: str | Path, strict: bool = True) -> None:
        """Read what `save` wrote, or a .safetensors file of another library. Raises as `load_state_dict` does."""
        if Path(path).suffix == ".safetensors":
            self.load_state_dict(safetensors.load_file(path), strict)
            return
        with np.load(path, allow_pickle=False) as file:
            self.load_state_dict(dict(file), strict)

    # -- printing
    # ---------------------------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """The sizes and options to print between the parentheses."""
        return ""

    def __repr__(self) -> str:
        return summary(self)
