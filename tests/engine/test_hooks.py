"""Hooks and retained gradients: what they see, change and leave, as in PyTorch."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from autograd_ref import Tensor, enable_grad, nn, no_grad, optim
from autograd_ref.core import hooks

torch = pytest.importorskip("torch")


def of(engine: str, values: Any) -> Any:
    if engine == "ours":
        return Tensor(np.array(values), requires_grad=True)
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def plain(value: Any) -> Any:
    return None if value is None else value.tolist()


def a_hook_of_a_value_and_one_of_a_leaf(x: Any, seen: list[Any]) -> None:
    y = x * x
    y.register_hook(lambda g: seen.append(("y", g.tolist())))
    x.register_hook(lambda g: seen.append(("x", g.tolist())))
    (y * y + x).sum().backward()


def a_hook_that_changes_the_gradient(x: Any, seen: list[Any]) -> None:
    y = x * 3.0
    y.register_hook(lambda g: g * 10)
    y.register_hook(lambda g: seen.append(g.tolist()))
    x.register_hook(lambda g: g + 1)
    (y * y + x * y).sum().backward()


def a_hook_that_is_removed(x: Any, seen: list[Any]) -> None:
    first, second = x.register_hook(lambda g: g * 2), x.register_hook(lambda g: g + 5)
    first.remove()
    first.remove()
    (x * x).sum().backward()
    seen.append(plain(x.grad))
    second.remove()
    (x * x).sum().backward()


def a_leaf_in_several_passes(x: Any, seen: list[Any]) -> None:
    x.register_hook(lambda g: seen.append(g.tolist()))
    for _ in range(2):
        (x * x + x).sum().backward()


def a_leaf_by_itself(x: Any, seen: list[Any]) -> None:
    x.register_hook(lambda g: g * 3)
    x[0:1].sum().backward()
    x.sum().backward()


def retained(x: Any, seen: list[Any]) -> None:
    y = x * x
    z = y * 2.0
    y.retain_grad()
    y.retain_grad()
    x.retain_grad()
    y.register_hook(lambda g: g * 4)  # what is retained has been through all hooks
    z.sum().backward(retain_graph=True)
    seen.append(plain(y.grad))
    z.sum().backward()
    seen.append(plain(y.grad))


def retained_through_a_change_in_place(x: Any, seen: list[Any]) -> None:
    y = x * 1.0
    y.retain_grad()
    y.register_hook(lambda g: seen.append(g.tolist()))
    y *= 3.0
    (y * y).sum().backward()
    seen.append(plain(y.grad))


def recorded_gradients(x: Any, seen: list[Any]) -> None:
    y = x * x
    y.register_hook(lambda g: g * g)
    x.register_hook(lambda g: g * 2)
    (y * y).sum().backward(create_graph=True)
    slope, x.grad = x.grad, None
    seen.append(slope.requires_grad)
    slope.sum().backward()


PROGRAMS = [
    a_hook_of_a_value_and_one_of_a_leaf,
    a_hook_that_changes_the_gradient,
    a_hook_that_is_removed,
    a_leaf_in_several_passes,
    a_leaf_by_itself,
    retained,
    retained_through_a_change_in_place,
    recorded_gradients,
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("values", [[1.0, -2.0, 0.5], [[3.0], [0.25]]])
@pytest.mark.filterwarnings("ignore:Using backward")
def test_hooks_see_change_and_leave_what_pytorchs_do(program: Callable[..., None], values: Any) -> None:
    results = []
    for engine in ("ours", "theirs"):
        x, seen = of(engine, values), []
        program(x, seen)
        results.append((sorted(map(str, seen)), seen[-1:], plain(x.grad)))
    assert results[0] == results[1]
    assert not hooks.gathering.found


def test_a_hook_gets_a_value_of_its_own_and_its_computation_is_not_recorded() -> None:
    x, w, seen = of("ours", [1.0, 2.0]), of("ours", [3.0, 4.0]), []
    y = x * 2.0
    y.register_hook(lambda g: seen.append((g, (g * w).requires_grad)))
    y.sum().backward()
    (x * 5.0).sum().backward()
    assert seen[0][1] is False
    assert seen[0][0].tolist() == [1, 1]


@pytest.mark.parametrize("given", [1.0, "text", Tensor([1.0]), Tensor(np.ones(3, np.float32))])
def test_a_hook_that_returns_no_gradient_is_refused_and_leaves_no_trace(given: Any) -> None:
    for leaf in (True, False):
        x = of("ours", [1.0, 2.0, 3.0])
        t = x if leaf else x * 1.0
        handle = t.register_hook(lambda g: given)
        with pytest.raises(TypeError, match="A hook returns None or a gradient like that which it got"):
            (t * 2.0).sum().backward()
        handle.remove()
        assert not hooks.gathering.found
        x.grad = None
        (t * 2.0).sum().backward(retain_graph=True)
        assert x.grad.tolist() == [2, 2, 2]


def test_what_has_no_gradient_takes_no_hook() -> None:
    for call in (lambda t: t.register_hook(print), lambda t: t.retain_grad()):
        with pytest.raises(RuntimeError, match="does not require one"):
            call(Tensor([1.0]))


def test_hooks_keep_no_leaf_and_no_value_alive() -> None:
    x = of("ours", [1.0])
    y = x * 2.0
    x.register_hook(lambda g: None)
    y.retain_grad()
    there = [weakref.ref(x), weakref.ref(y)]
    count = len(hooks.watched)
    z = (y * 3.0).sum()
    del y
    z.backward()
    assert x.grad.tolist() == [6]
    del x, z
    gc.collect()
    assert [ref() for ref in there] == [None, None]
    assert len(hooks.watched) == count - 1


def test_hooks_of_parameters_change_what_an_optimizer_does() -> None:
    results = []
    for frozen in (False, True):
        nn.manual_seed(0)
        layer = nn.Linear(2, 2)
        start = layer.weight.data.copy()
        optimizer = optim.SGD(layer.parameters(), lr=0.5, momentum=0.9)
        if frozen:
            layer.weight.register_hook(lambda g: g * 0)
        for _ in range(3):
            optimizer.zero_grad()
            (layer(Tensor([[1.0, -1.0]])) ** 2).sum().backward()
            optimizer.step()
        results.append(bool((layer.weight.data == start).all()))
    assert results == [False, True]


def test_a_backward_pass_inside_of_a_hook_is_one_of_its_own() -> None:
    x, other = of("ours", [1.0, 2.0]), of("ours", [3.0])

    def hook(g: Tensor) -> None:
        with enable_grad():
            (other * other).sum().backward()

    x.register_hook(hook)
    other.register_hook(lambda g: g * 2)
    (x * x).sum().backward()
    assert (x.grad.tolist(), other.grad.tolist()) == ([2, 4], [12])


def test_a_value_computed_under_no_grad_has_no_hooks() -> None:
    with no_grad():
        y = of("ours", [1.0]) * 2
    with pytest.raises(RuntimeError, match="does not require one"):
        y.register_hook(print)


def test_a_retained_gradient_is_recorded_by_the_passes_that_record():
    for engine, leaf in (
        ("here", Tensor([1.0, 2.0], requires_grad=True)),
        ("PyTorch", torch.tensor([1.0, 2.0], requires_grad=True)),
    ):
        y = leaf * leaf
        y.retain_grad()
        y.sum().backward(retain_graph=True)
        (y * leaf).sum().backward(create_graph=True, retain_graph=True)
        assert y.grad.requires_grad, engine
        y.sum().backward()
        assert not y.grad.requires_grad, engine
        assert y.grad.tolist() == [3.0, 4.0], engine
