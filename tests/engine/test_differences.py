"""The README's list of differences from PyTorch, line by line: a line without a test fails, and so does the reverse."""

from __future__ import annotations

import asyncio
import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograd_ref
from autograd_ref import Function, Tensor, detect_anomaly, nn, no_grad, ops, optim
from autograd_ref import functional as F

from .programs.agreed import MEANT

torch = pytest.importorskip("torch")
f = torch.nn.functional

README = (Path(autograd_ref.__file__).parent / "README.md").read_text(encoding="utf-8")
PART = README.split("### Differences from PyTorch")[1].split("\n## ")[0]
FIRST, FINER = PART.split("### Finer differences")
ROWS = [row.split(" | ")[0].removeprefix("| ") for row in re.findall(r"^\| .*$", FIRST, re.M)[1:]]
VERSION = tuple(int(n) for n in re.findall(r"\d+", torch.__version__)[:2])

DIFFERENCES: dict[str, Callable[[], None]] = {}


def difference(row: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    def note(test: Callable[[], None]) -> Callable[[], None]:
        assert row not in DIFFERENCES
        DIFFERENCES[row] = test
        return test

    return note


def leaves(*values: Any) -> tuple[Tensor, Any]:
    array = np.array(values if len(values) > 1 else values[0], dtype=float)
    return Tensor(array.copy(), requires_grad=True), torch.tensor(array, requires_grad=True)


def refused(*errors: type[BaseException]) -> Any:
    return pytest.raises(errors or (RuntimeError, TypeError))


@difference("names of axes")
def _() -> None:
    x, p = leaves([1.0, 2.0], [3.0, 4.0])
    assert x.sum(axis=0, keepdims=True).shape == tuple(p.sum(dim=0, keepdim=True).shape)
    with refused():
        x.sum(dim=0)
    assert ops.softmax(x).shape == x.cumsum().shape == x.flip().shape
    for name in ("cumsum", "flip"):
        with refused():
            getattr(p, name)()


@difference("`transpose`")
def _() -> None:
    a = np.zeros((2, 3, 4))
    assert Tensor(a).transpose(2, 0, 1).shape == (4, 2, 3)
    assert Tensor(a).swapaxes(0, 1).shape == tuple(torch.tensor(a).transpose(0, 1).shape) == (3, 2, 4)
    with refused(ValueError):
        Tensor(a).transpose(0, 1)


@difference("`max`, `min` over an axis")
def _() -> None:
    x, p = leaves(2.0, 1.0, 2.0)
    x.max(0).backward()
    values, index = p.max(0)
    values.backward()
    assert x.grad.tolist() == [0.5, 0, 0.5]
    assert sorted(p.grad.tolist()) == [0, 0, 1]
    p.grad = None
    p.amax(0).backward()
    assert p.grad.tolist() == [0.5, 0, 0.5]
    assert index in (0, 2)


@difference("`any`, `all`")
def _() -> None:
    assert Tensor([True, False]).any() is True
    assert Tensor([True, False]).all() is False
    assert isinstance(torch.tensor([True, False]).any(0), torch.Tensor)
    with refused():
        Tensor([True]).any(0)


@difference("`split`, `chunk`, `unbind`")
def _() -> None:
    x, p = leaves(1.0, 2.0)
    assert type(x.split(1)) is type(x.chunk(2)) is type(x.unbind()) is list
    assert type(p.split(1)) is type(p.chunk(2)) is type(p.unbind()) is tuple


@difference("`size`")
def _() -> None:
    x, p = leaves([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert x.size == x.numel() == p.numel() == 6
    assert x.shape == tuple(p.size()) == (2, 3)
    assert (x.shape[0], x.dim()) == (p.size(0), p.dim())
    with refused():
        x.size(0)


@difference("`view`")
def _() -> None:
    x, p = leaves([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert np.shares_memory(x.view(3, -1).data, x.data)
    assert x.T.view(6).tolist() == [1, 4, 2, 5, 3, 6]
    with refused():
        p.T.view(6)


@difference("precision")
def _() -> None:
    assert Tensor([1.0]).dtype == (Tensor([1]) / 2).dtype == nn.Linear(1, 1).weight.dtype == np.float64
    assert torch.tensor([1.0]).dtype == (torch.tensor([1]) / 2).dtype == torch.nn.Linear(1, 1).weight.dtype
    assert torch.tensor([1.0]).dtype == torch.float32


@difference("mean of integers")
def _() -> None:
    assert Tensor([1, 2]).mean().item() == 1.5
    with refused():
        torch.tensor([1, 2]).mean()


@difference("`data`")
def _() -> None:
    x, p = leaves(1.0, 2.0)
    assert type(x.data) is np.ndarray
    assert type(p.data) is torch.Tensor
    y = (x * x).sum()
    x.data[0] = 5.0
    x.mark_changed()
    with refused():
        y.backward()


@difference("changes of views")
def _() -> None:
    x, p = leaves(1.0, 2.0)
    v, q = (x * 1)[:1], (p * 1)[:1]
    q *= 2
    with pytest.raises(RuntimeError, match="is a view"):
        v *= 2
    v, q = (x * 1)[0], (p * 1)[0]  # one element is a view, too
    q *= 2
    with pytest.raises(RuntimeError, match="is a view"):
        v *= 2


@difference("`clip` at a limit")
def _() -> None:
    x, p = leaves(0.0, 0.5, 1.0)
    x.clip(0.0, 1.0).sum().backward()
    p.clip(0.0, 1.0).sum().backward()
    assert x.grad.tolist() == [1, 1, 1]
    assert p.grad.tolist() in (
        [[1, 1, 1]] if VERSION <= (2, 13) else [[1, 1, 1], [0, 1, 0]][VERSION >= (2, 15) :]
    )


@difference("`//`")
def _() -> None:
    x, p = leaves(5.0, 6.0)
    y, q = x // 2, p // 2
    assert y.tolist() == q.tolist() == [2, 3]
    y.sum().backward()
    assert x.grad.tolist() == [0, 0]
    with refused():
        q.sum().backward()


@difference("`0 ** y`, twice by y")
def _() -> None:
    x, p = leaves(2.0)
    (0.0**x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    with np.errstate(all="ignore"):
        slope.backward()
    (first,) = torch.autograd.grad(torch.zeros((), dtype=p.dtype) ** p, p, create_graph=True)
    (second,) = torch.autograd.grad(first, p)
    assert x.grad.item() == 0
    assert np.isnan(second.item())


@difference("`norm` at 0, twice")
def _() -> None:
    x, p = leaves(0.0, 0.0)
    x.norm().backward(create_graph=True)
    slope, x.grad = x.grad, None
    slope.sum().backward()
    (first,) = torch.autograd.grad(p.norm(), p, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), p)
    assert slope.tolist() == first.tolist() == x.grad.tolist() == [0, 0]
    assert bool(second.isnan().all())


@difference("modes of async functions")
def _() -> None:
    x, p = leaves(1.0)

    @no_grad()
    async def ours() -> bool:
        return (x * 2).requires_grad

    @torch.no_grad()
    async def theirs() -> bool:
        return (p * 2).requires_grad

    assert (asyncio.run(ours()), asyncio.run(theirs())) == (False, True)


@difference("modes of classes")
def _() -> None:
    class Empty: ...

    with refused():
        no_grad(Empty)
    with pytest.warns(FutureWarning):
        torch.no_grad()(Empty)


@difference("`detect_anomaly`")
def _() -> None:
    x, p = leaves(-1.0)
    with np.errstate(all="ignore"), refused(FloatingPointError), detect_anomaly():
        ops.log(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            torch.log(p)
            (p * np.inf).backward()
    with refused(FloatingPointError), detect_anomaly():
        (x * np.inf).backward()


@difference("third argument of losses")
def _() -> None:
    for name in (
        "mse_loss",
        "l1_loss",
        "huber_loss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
    ):
        assert list(inspect.signature(getattr(F, name)).parameters)[2] == "reduction"
        theirs = list(inspect.signature(getattr(f, name)).parameters)[2]
        assert theirs in ("weight", "size_average", "reduction")
        assert theirs != "reduction" or name == "huber_loss"


@difference("order of SGD's options")
def _() -> None:
    assert list(inspect.signature(optim.SGD).parameters)[3] == "weight_decay"
    assert list(inspect.signature(torch.optim.SGD).parameters)[3] == "dampening"


@difference("hooks of leaves")
def _() -> None:
    for make in (0, 1):
        told: list[str] = []
        old, leaf = leaves(2.0)[make], leaves(3.0)[make]
        older = old * 1.0
        product = older * (leaf * 1.0)
        older.register_hook(lambda g, told=told: told.append("value"))
        leaf.register_hook(lambda g, told=told: told.append("leaf"))
        product.backward()
        assert told == (["leaf", "value"] if make else ["value", "leaf"])


@difference("a `Function`")
def _() -> None:
    class Two(Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

    class Theirs(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

    x, p = leaves(1.0)
    with refused(TypeError):
        Two.apply(x)
    assert len(Theirs.apply(p)) == 2
    assert not hasattr(Function, "setup_context")
    assert not hasattr(Function, "jvp")
    assert hasattr(torch.autograd.Function, "setup_context")
    assert hasattr(torch.autograd.Function, "jvp")


@difference("names of module dicts")
def _() -> None:
    ours, theirs = nn.ModuleDict({"a": nn.Tanh()}), torch.nn.ModuleDict({"a": torch.nn.Tanh()})
    assert isinstance(ours.keys(), list)
    assert isinstance(ours.items(), list)
    assert not isinstance(theirs.keys(), list)
    assert list(ours.keys()) == list(theirs.keys())
    for modules in (ours, theirs):
        with refused(KeyError):
            modules["forward"] = modules["a"]


@difference("groups of an optimizer")
def _() -> None:
    x, p = leaves(1.0)
    a, b = optim.SGD([{"params": [x]}], lr=0.5), torch.optim.SGD([{"params": [p]}], lr=0.5)
    assert a.groups[0].lr == a.lr == b.param_groups[0]["lr"] == 0.5
    assert not hasattr(b, "lr")
    b.param_groups[0]["mine"] = 1
    with pytest.raises(KeyError, match="no option 'mine'"):
        a.param_groups[0]["mine"] = 1


@difference("state of an optimizer")
def _() -> None:
    x, p = leaves(1.0)
    a, b = optim.Adam([x]), torch.optim.Adam([p])
    x.grad, p.grad = Tensor(1.0), torch.ones_like(p)
    a.step()
    b.step()
    ours, theirs = a.state_dict()["state"][0], b.state_dict()["state"][0]
    assert isinstance(ours["exp_avg"], np.ndarray)
    assert set(ours) - set(theirs) == {"scaled_exp_avg", "scaled_exp_avg_sq"}


@difference("`clip_grad_norm_`")
def _() -> None:
    x, p = leaves(1.0)
    x.grad, p.grad = Tensor(1.0), torch.ones_like(p)
    assert type(optim.clip_grad_norm_([x], 1.0)) is float
    assert type(torch.nn.utils.clip_grad_norm_([p], 1.0)) is torch.Tensor


@pytest.mark.parametrize("row", DIFFERENCES)
def test_a_difference_is_as_the_readme_says(row: str) -> None:
    DIFFERENCES[row]()


def test_every_line_of_the_list_has_a_test_and_every_test_a_line() -> None:
    assert list(DIFFERENCES) == ROWS


def test_every_difference_that_random_programs_may_show_is_told() -> None:
    told = re.findall(r"^\| (.+) \| (.+) \|$", FINER.split("### Options")[0], re.M)
    assert told == list(dict.fromkeys((meant.name, meant.why) for meant in MEANT if not meant.row))
    assert {meant.row for meant in MEANT if meant.row} <= set(ROWS)


#: Options that say nothing of what is computed, or are PyTorch's old names for `reduction`.
ELSEWHERE = {
    "device",
    "dtype",
    "inplace",
    "out",
    "size_average",
    "reduce",
    "_stacklevel",
    "_weight",
    "_freeze",
    "args",
}
#: The same by another name.
RENAMED = {
    "input": "x",
    "dim": "axis",
    "keepdim": "keepdims",
    "params": "parameters",
    "defaults": "lr",
    "min": "low",
}


def signatures() -> Iterator[tuple[str, Any, Any]]:
    places = [(F, f), (nn, torch.nn), (optim, torch.optim), (optim, torch.optim.lr_scheduler)]
    for ours, theirs in [*places, (optim, torch.nn.utils)]:
        for name in ours.__all__:
            if callable(getattr(ours, name)) and hasattr(theirs, name):
                yield name, getattr(ours, name), getattr(theirs, name)


def options(function: Any) -> set[str]:
    """The names of the arguments, none where Python cannot tell them."""
    try:
        return set(inspect.signature(function).parameters) - {"args", "kwargs"}
    except ValueError:
        return set()


def test_the_options_that_are_not_here_are_those_that_the_readme_names() -> None:
    named = set(re.findall(r"`(\w+)`", PART.split("Options that are not here:")[1]))
    missing: set[str] = set()
    for _name, ours, theirs in signatures():
        own = options(ours)
        missing |= {n for n in options(theirs) if n not in own | ELSEWHERE and RENAMED.get(n) not in own}
    missing -= {"input"}  # of functions whose first argument has another name here
    subjects = {name for name, _, _ in signatures()}
    assert missing - named == set(), "say so in the README"
    assert named - subjects - missing == set(), "these are here by now"
