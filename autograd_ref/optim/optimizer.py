"""What all optimizers share: their parameters, options and groups, a step, saving and loading."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from autograd_ref.core.tensor import Tensor
from autograd_ref.optim.groups import Group
from autograd_ref.optim.memory import memory


class Optimizer:
    """Base class: derive from it, name the arrays of state and write `update`.

    `state_names` are the arrays that the optimizer keeps for every parameter, zeros at first. Frozen parameters and
    others without a gradient are left alone. Raises ValueError for no parameters, the same one twice, or a negative
    rate; TypeError for anything that is not a leaf tensor.

    In place of parameters, groups of them may have options of their own, as dicts in PyTorch's form. Each
    group then has an optimizer for itself, in `groups`:

    >>> from autograd_ref.optim import AdamW
    >>> weight, bias = Tensor([[1.0]], requires_grad=True), Tensor([0.0], requires_grad=True)
    >>> optimizer = AdamW([{"params": [weight]}, {"params": [bias], "weight_decay": 0.0}], lr=0.01)
    >>> [(group.lr, group.weight_decay) for group in optimizer.groups]
    [(0.01, 0.01), (0.01, 0.0)]
    """

    state_names: tuple[str, ...] = ()
    absent: ClassVar[dict[str, Any]] = {"maximize": False}
    """PyTorch's options that are not here, with the value at which they do nothing."""

    def __init__(
        self, parameters: Iterable[Tensor | dict[str, Any]], lr: float, weight_decay: float = 0.0
    ) -> None:
        self._groups: list[Optimizer] = []
        self.lr, self.weight_decay = lr, weight_decay
        non_negative(lr=lr, weight_decay=weight_decay)
        given: list[Any] = list(parameters)
        if given and all(isinstance(group, dict) for group in given):
            self._groups = [self._group(group) for group in given]
            given = [p for group in self._groups for p in group.parameters]
        self.parameters: list[Tensor] = given
        if not self.parameters:
            raise ValueError(f"{type(self).__name__} got no parameters: pass model.parameters().")
        for i, p in enumerate(self.parameters):
            if not isinstance(p, Tensor) or not p.is_leaf:
                raise TypeError(
                    f"{type(self).__name__} updates leaf tensors, and parameter {i}, of type {type(p).__name__}, "
                    "is not one: pass model.parameters()."
                )
        if len({id(p) for p in self.parameters}) != len(self.parameters):
            raise ValueError(f"{type(self).__name__} got the same parameter twice.")
        if self._groups:
            return
        self.steps = [0] * len(self.parameters)
        self._where = f"{type(self).__name__}.step()"
        self._memory = memory(self.parameters, self.state_names)

    def __getstate__(self) -> dict[str, Any]:
        """For copy and pickle: the state by parameter, because copies of views would be views of nothing."""
        state = {name: value for name, value in vars(self).items() if name != "_memory"}
        return state if self._groups else state | {"_state": self.state_dict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        by_parameter = state.pop("_state", None)
        vars(self).update(state)
        if by_parameter is not None:
            self._memory = memory(self.parameters, self.state_names)
            self.load_state_dict(by_parameter)

    def _group(self, given: dict[str, Any]) -> Optimizer:
        """An optimizer of this kind for one group: our own options, but for those that the group names."""
        given = dict(given)
        parameters = given.pop("params", ())
        own = self._options()
        for name in given:
            if name not in own:
                raise ValueError(
                    f"{type(self).__name__} has no option {name!r}: a group has 'params' and {', '.join(own)}."
                )
        return type(self)([parameters] if isinstance(parameters, Tensor) else parameters, **own | given)

    def _options(self) -> dict[str, Any]:
        """What the constructor takes besides the parameters, as it stands now."""
        names = list(inspect.signature(type(self)).parameters)[1:]
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    @property
    def groups(self) -> list[Optimizer]:
        """The optimizers of the groups, each with its own options; this one alone when there are no groups."""
        return self._groups or [self]

    @property
    def param_groups(self) -> list[Group]:
        """The groups in PyTorch's form: `group["params"]`, `group["lr"]` and the other options, to read and to set."""
        return [Group(group) for group in self.groups]

    def add_param_group(self, group: dict[str, Any]) -> None:
        """Add a group in PyTorch's form, `{"params": [...], "lr": ...}`; what it does not name is as in the first.

        Schedules that were made before do not know it. Raises ValueError for a parameter that is here already, or an
        unknown option.
        """
        added = self.groups[0]._group(group)
        if {id(p) for p in added.parameters} & {id(p) for p in self.parameters}:
            raise ValueError(f"{type(self).__name__} got the same parameter twice.")
        if not self._groups:
            first = self._group({"params": self.parameters})
            first.steps, first._memory, first.state_names = self.steps, self._memory, self.state_names
            self._groups = [first]
        self._groups.append(added)
        self.parameters = [*self.parameters, *added.parameters]

    def _set_option(self, name: str, value: Any) -> None:
        """Give an option another value, with the state that it wants: a momentum that was 0 has none."""
        setattr(self, name, value)
        names = self._names(self._options())
        if names != self.state_names:
            self.state_names, self._memory = names, memory(self.parameters, names)

    @property
    def lr(self) -> float:
        """The learning rate. Assigning sets that of every group."""
        return self._lr

    @lr.setter
    def lr(self, value: float) -> None:
        self._lr = value if isinstance(value, int | float) else float(value)
        for group in self._groups:
            group.lr = value

    def update(self, p: np.ndarray, g: np.ndarray, state: list[np.ndarray], s: np.ndarray, t: int) -> None:
        """Change `p` and `state` in place, given the gradient `g`, scratch space `s` and the step number from
        1.

        All are flat arrays of one length. `g` may be a view of a gradient: it must not be changed.
        """
        raise NotImplementedError(f"{type(self).__name__} needs a method update(p, g, state, s, t).")

    def zero_grad(self) -> None:
        """Forget all gradients."""
        for group in self._groups or (self,):
            group._memory.forget_gradients()

    def step(self) -> None:
        """Update every parameter that has a gradient, in place."""
        for group in self._groups or (self,):
            group._memory.step(group.update, group.steps, group._where)

    # -- saving and loading ----------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Copies of everything that a later `load_state_dict` needs to go on as if nothing had happened.

        The form and the names are PyTorch's, with arrays for tensors, which PyTorch wants:
        `{i: {n: torch.as_tensor(v) for n, v in entry.items()} for i, entry in state_dict["state"].items()}`.
        """
        state: dict[int, dict[str, Any]] = {}
        groups: list[dict[str, Any]] = []
        for group in self.groups:
            first = len(state)
            for i, step in enumerate(group.steps):
                state[first + i] = {"step": step, **group._saved(group._memory.states[i])}
            groups.append(self.absent | group._options() | {"params": list(range(first, len(state)))})
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over a `state_dict()`, also one of PyTorch's optimizer of this name, with its options.

        Raises ValueError if it fits other parameters or another optimizer; nothing is changed then.
        """
        given = state_dict["param_groups"]
        sizes, own = [len(g["params"]) for g in given], [len(g.parameters) for g in self.groups]
        if sizes != own:
            raise ValueError(
                f"This state is for groups of {sizes} parameters, the optimizer has groups of {own}: "
                "make it with the parameters that it was saved with."
            )
        entries = [[state_dict["state"].get(i) or {} for i in g["params"]] for g in given]
        ready = [
            group._checked(*pair)
            for group, pair in zip(self.groups, zip(given, entries, strict=True), strict=True)
        ]
        for group, (options, steps, arrays) in zip(self.groups, ready, strict=True):
            for name, value in options.items():
                setattr(group, name, value)
            if group.state_names != (names := group._names(options)):
                group.state_names, group._memory = names, memory(group.parameters, names)
            group.steps = steps
            for own_arrays, loaded in zip(group._memory.states, arrays, strict=True):
                for own_array, array in zip(own_arrays, loaded, strict=True):
                    own_array[...] = array
        if self._groups:
            self._lr = self._groups[0].lr

    def _checked(
        self, given: Mapping[str, Any], entries: list[Any]
    ) -> tuple[dict[str, Any], list[int], list[Any]]:
        """The options, steps and arrays of one group of a state, or the sentence why they do not fit."""
        me, options = type(self).__name__, self._options()
        for name, value in options.items():
            if name not in given:
                raise ValueError(
                    f"This state has no {name!r}, which this {me} needs: is it of another optimizer?"
                )
            options[name] = tuple(map(float, given[name])) if isinstance(value, tuple) else given[name]
        for name, value in self.absent.items():
            if given.get(name, value) != value:
                raise ValueError(
                    f"This state was saved with {name}={given[name]}, which this {me} does not have."
                )
        names = self._names(options)
        steps, arrays = [], []
        for p, entry in zip(self.parameters, entries, strict=True):
            plain = {n: _plain(v) for n, v in entry.items() if v is not None}
            steps.append(int(plain.pop("step", 0)))
            missing = [n for n in names if n not in plain] if plain else []
            wrong = {n: plain[n].shape for n in names if n in plain and plain[n].shape != p.shape}
            if missing or wrong:
                raise ValueError(
                    f"The state of a parameter of shape {p.shape} has {wrong or list(plain)}, "
                    f"and this {me} needs {', '.join(names)} of its shape."
                )
            arrays.append(self._loaded(plain, options) if plain else [0.0] * len(names))
        return options, steps, arrays

    def _saved(self, arrays: list[np.ndarray]) -> dict[str, np.ndarray]:
        """A parameter's state by PyTorch's names."""
        return {n: a.copy() for n, a in zip(self.state_names, arrays, strict=True)}

    def _loaded(self, entry: dict[str, np.ndarray], options: dict[str, Any]) -> list[np.ndarray]:
        """A parameter's state from what `_saved`, or PyTorch, made of it."""
        return [entry[n] for n in self._names(options)]

    def _names(self, options: dict[str, Any]) -> tuple[str, ...]:
        """`state_names` with these options."""
        return self.state_names

    def __repr__(self) -> str:
        if self._groups:
            return f"{type(self).__name__}({', '.join(map(repr, self._groups))})"
        total = sum(p.size for p in self.parameters)
        return f"{type(self).__name__}(lr={self.lr}, {len(self.parameters)} parameters, {total:,} numbers)"


def _plain(value: Any) -> np.ndarray:
    """A tensor of this engine, or of another that NumPy can read, as an array."""
    return np.asarray(value._data if isinstance(value, Tensor) else value)


def non_negative(**values: float) -> None:
    """Raise ValueError with a sentence if one of the named values is negative."""
    for name, value in values.items():
        if not value >= 0:
            raise ValueError(f"{name} must not be negative, and it is {value}.")


def fraction(**values: float) -> None:
    """Raise ValueError with a sentence if one of the named values does not lie in [0, 1)."""
    for name, value in values.items():
        if not 0 <= value < 1:
            raise ValueError(f"{name} must lie from 0 to below 1, and it is {value}.")
