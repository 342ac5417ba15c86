"""Checkpoints: the same gradients, with the inside computed twice and kept for no longer than it is used."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from autograd_ref import Tensor, grad, nn, no_grad, ops
from autograd_ref import functional as F
from autograd_ref.utils.checkpoint import checkpoint, checkpoint_sequential

RNG = np.random.default_rng(0)
X, Y, W = RNG.standard_normal((4, 3)), RNG.standard_normal((4, 3)), RNG.standard_normal((3, 5))


def leaf(array: np.ndarray) -> Tensor:
    return Tensor(array.copy(), requires_grad=True)


def twice(x: Tensor, w: Tensor) -> Tensor:
    """A function that uses its arguments more than once."""
    h = (x @ w).tanh()
    return (h * h + h) @ w.T + x


FUNCTIONS = {
    "a chain": lambda x, y, w: (x * 2).tanh().exp(),
    "both arguments": lambda x, y, w: x * y.exp() + x,
    "what it uses besides": lambda x, y, w: ((x @ w).tanh() @ w.T) * y,
    "an argument that it does not use": lambda x, y, w: (y @ w).tanh(),
    "only what it uses besides": lambda x, y, w: w.exp(),
    "a view": lambda x, y, w: x.T,
    "the argument itself": lambda x, y, w: x,
    "a number": lambda x, y, w: (x * y).sum(),
}


def gradients_of(function: Any, w_is_leaf: bool, through: bool) -> list[Any]:
    """The gradients of three leaves, where x and y come from operations, w is used besides, and x again later."""
    leaves = [leaf(X), leaf(Y), leaf(W)]
    x, y = leaves[0].sin(), leaves[1] * 3
    w = leaves[2] if w_is_leaf else leaves[2] * 0.5

    def part(x: Tensor, y: Tensor) -> Tensor:
        return function(x, y, w)

    out = checkpoint(part, x, y) if through else part(x, y)
    (out.sum() * out.mean() + (x * x).sum() + w.sum()).backward()
    return [None if t.grad is None else t.grad.data for t in leaves]


@pytest.mark.parametrize("w_is_leaf", [True, False])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_gradients_are_those_of_the_function(name: str, w_is_leaf: bool) -> None:
    got, expected = (gradients_of(FUNCTIONS[name], w_is_leaf, through) for through in (True, False))
    for a, b in zip(got, expected, strict=True):
        assert (a is None) == (b is None)
        assert a is None or np.allclose(a, b, rtol=1e-13, atol=1e-13)


def test_an_argument_given_twice_and_used_besides_gets_all_three_parts() -> None:
    x = leaf(X)
    checkpoint(lambda a, b: a * 2 + b * 5 + x * 7, x, x).sum().backward()
    assert np.array_equal(x.grad.data, np.full(X.shape, 14.0))


def test_the_inside_is_computed_twice_and_the_rules_run_once() -> None:
    calls: list[bool] = []

    def part(x: Tensor) -> Tensor:
        calls.append(True)
        return x.tanh()

    x = leaf(X)
    out = checkpoint(part, x)
    assert len(calls) == 1
    out.sum().backward()
    assert len(calls) == 2


def test_only_the_arguments_are_kept_and_backward_lets_go_of_them() -> None:
    kept: list[Any] = []

    def part(x: Tensor) -> Tensor:
        inside = x.exp()
        kept.append(weakref.ref(inside))
        return inside.sin()

    gc.disable()
    try:
        given = leaf(X) * 2
        given_alive = weakref.ref(given._data)
        loss = checkpoint(part, given).sum()
        assert kept[0]() is None
        del given
        assert given_alive() is not None
        loss.backward()
        assert kept[1]() is None and given_alive() is None
    finally:
        gc.enable()


def test_a_chain_in_segments_keeps_less() -> None:
    """Bytes that the graph holds: 12 layers in 4 segments hold three borders, and the inside of the last."""

    def held(segments: int | None) -> int:
        x = leaf(np.full((10, 10), 0.1))
        layers = [ops.sin] * 12
        out = checkpoint_sequential(layers, segments, x) if segments else _chain(layers, x)
        arrays: dict[int, int] = {}
        stack: list[Any] = [out.grad_fn]
        while stack:
            node = stack.pop()
            arrays |= {id(a): a.nbytes for a in node.saved if a is not None}
            stack += [p for p in node.parents if type(p).__name__ == "Node"]
        return sum(arrays.values()) // 800

    assert (held(None), held(4), held(12), held(1)) == (12, 6, 12, 12)


def _chain(layers: list[Any], x: Any) -> Any:
    for layer in layers:
        x = layer(x)
    return x


def test_the_graph_is_freed_unless_it_is_to_stay() -> None:
    x = leaf(X)
    out = checkpoint(lambda x: x.exp(), x).sum()
    out.backward(retain_graph=True)
    out.backward()
    assert np.allclose(x.grad.data, 2 * np.exp(X))
    with pytest.raises(RuntimeError, match="already used by a backward pass"):
        out.backward()


def test_what_was_changed_in_place_in_between_is_noticed() -> None:
    x, w = leaf(X), leaf(W)
    for changed in (x, w):
        out = checkpoint(lambda x: (x @ w).tanh(), x).sum()
        with no_grad():
            changed *= 2.0
        with pytest.raises(RuntimeError, match="changed in place"):
            out.backward()


def frozen_weight() -> tuple[Any, Any]:
    w = Tensor(W.copy())
    return lambda x: (x @ w).tanh(), lambda: w.data.__setitem__((0, 0), 2.0)


def array() -> tuple[Any, Any]:
    w = W.copy()
    return lambda x: (x @ Tensor(w)).tanh(), lambda: w.__setitem__((2, 4), 2.0)


def one_of_many() -> tuple[Any, Any]:
    many = Tensor(np.ones((4, 300)))
    return lambda x: x.sum() * many, lambda: many.data.__setitem__((3, 298), 2.0)


def a_switch() -> tuple[Any, Any]:
    model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5))
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    return lambda x: model(x.float()), model.eval


def random_numbers_of_its_own() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return lambda x: x * rng.standard_normal(3), lambda: None


def signs() -> tuple[Any, Any]:
    many = Tensor(np.ones(400))
    return lambda x: x.sum() * many, lambda: many.data.__setitem__(slice(1, None), -1.0)


READS = [frozen_weight, array, one_of_many, signs, a_switch, random_numbers_of_its_own]


@pytest.mark.parametrize("reads", READS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_second_call_that_gives_other_numbers_is_noticed(reads: Any, create_graph: bool) -> None:
    nn.manual_seed(0)
    part, change = reads()
    x = leaf(X)
    y = checkpoint(part, x)
    change()
    with pytest.raises(RuntimeError, match="other numbers when backward called it again"):
        y.sum().backward(create_graph=create_graph)
    assert x.grad is None


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_second_call_that_reads_another_graph_is_noticed_and_leaves_that_as_it_is(
    create_graph: bool,
) -> None:
    x, w = leaf(X), leaf(np.zeros(X.shape))
    y = w * w
    out = checkpoint(lambda x: (x + y).tanh(), x).sum()
    y -= y  # zeros minus zeros: the same numbers, and another gradient
    with pytest.raises(RuntimeError, match="read another graph when backward called it again"):
        out.backward(create_graph=create_graph)
    assert x.grad is None
    y.sum().backward()
    assert w.grad is not None and not w.grad.data.any()


@pytest.mark.parametrize("create_graph", [False, True])
def test_a_second_call_that_gives_another_shape_is_told_both(create_graph: bool) -> None:
    x, rows = leaf(X), [2]
    y = checkpoint(lambda x: x[: rows[0]], x)
    rows[0] = 1
    with pytest.raises(
        RuntimeError, match=r"gave shape \(2, 3\) at first, and \(1, 3\) when backward called it again"
    ):
        y.sum().backward(create_graph=create_graph)
    assert x.grad is None


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("end", [1.0, np.inf, np.nan, 0.0])
def test_numbers_that_are_the_same_are_known_again_whatever_they_are(dtype: Any, end: float) -> None:
    w = RNG.standard_normal((3, 700)).astype(dtype)
    w[:, -1] *= end
    x = Tensor(X.astype(dtype), requires_grad=True)
    with np.errstate(all="ignore"):
        y = checkpoint(lambda x: (x @ Tensor(w)).T.exp(), x)
        kept = y * 1.0
        y *= 0.0  # its result may change: the numbers are those that the call gave
        kept.sum().backward()
    assert x.grad is not None
    assert x.grad.shape == X.shape


def test_an_empty_result_is_known_again() -> None:
    x = leaf(X)
    checkpoint(lambda x: x[:0] * 2.0, x).sum().backward()
    assert np.array_equal(x.grad.data, np.zeros_like(X))


def test_second_derivatives_and_forward_mode_go_through_it() -> None:
    def through(x: Tensor, w: Tensor) -> Tensor:
        return (checkpoint(lambda x: twice(x, w), x) ** 2).sum()

    def plain(x: Tensor, w: Tensor) -> Tensor:
        return (twice(x, w) ** 2).sum()

    found = []
    for function in (through, plain):
        x, w = leaf(X), leaf(W)
        function(x, w).backward(create_graph=True)
        first = [x.grad, w.grad]
        x.grad = w.grad = None
        (first[0] * Y).sum().backward()
        found.append([first[0].data, first[1].data, x.grad.data, w.grad.data])
    for a, b in zip(*found, strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-12)

    from autograd_ref import jvp

    w = leaf(W)
    one = jvp(lambda x: checkpoint(lambda x: twice(x, w), x), (Tensor(X),), (Tensor(Y),))
    other = jvp(lambda x: twice(x, w), (Tensor(X),), (Tensor(Y),))
    for a, b in zip(one, other, strict=True):
        assert np.allclose(np.asarray(a.data), np.asarray(b.data))


def test_dropout_drops_the_same_again_and_the_numbers_after_it_are_what_they_would_be() -> None:
    found = []
    for through in (True, False):
        nn.init.manual_seed(3)
        drop, x = nn.Dropout(0.5), leaf(np.ones((5, 7)))
        out = checkpoint(drop, x) if through else drop(x)
        later = nn.init.generator().random()
        (out * out).sum().backward()
        found.append([out.data, x.grad.data, later, nn.init.generator().random()])
    for a, b in zip(*found, strict=True):
        assert np.array_equal(a, b)


def test_nothing_is_recorded_where_nothing_would_be() -> None:
    x = leaf(X)
    with no_grad():
        assert not checkpoint(lambda x: x.exp(), x).requires_grad
    assert not checkpoint(lambda x: x.exp(), Tensor(X)).requires_grad


def test_checkpoints_in_a_checkpoint() -> None:
    x, y = leaf(X), leaf(X)
    checkpoint(lambda x: checkpoint(lambda x: x.exp(), x.sin()).tanh(), x).sum().backward()
    y.sin().exp().tanh().sum().backward()
    assert np.allclose(x.grad.data, y.grad.data)


def test_what_cannot_be_is_said() -> None:
    x = leaf(X)
    with pytest.raises(TypeError, match="one tensor"):
        checkpoint(lambda x: (x, x), x)
    with pytest.raises(ValueError, match="use_reentrant"):
        checkpoint(lambda x: x, x, use_reentrant=True)
    for segments in (0, 3):
        with pytest.raises(ValueError, match="segments"):
            checkpoint_sequential([ops.sin, ops.exp], segments, x)
    lengths = iter([2, 3])
    out = checkpoint(lambda x: x[: next(lengths)] * 2, x)
    with pytest.raises(RuntimeError, match="the same each time"):
        out.sum().backward()


def test_a_network_trains_as_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    import torch.utils.checkpoint as theirs

    weights = [RNG.standard_normal((4, 4)) / 2 for _ in range(6)]
    ours, others = [leaf(w) for w in weights], [torch.tensor(w, requires_grad=True) for w in weights]
    x, tx = leaf(RNG.standard_normal((5, 4))), None
    tx = torch.tensor(x.data.copy(), requires_grad=True)
    counts = [0, 0]

    def layers(ws: Any, which: int) -> list[Any]:
        def layer(w: Any) -> Any:
            def run(x: Any) -> Any:
                counts[which] += 1
                return (x @ w).tanh()

            return run

        return [layer(w) for w in ws]

    for segments in (1, 2, 3, 4, 6):
        counts[:] = [0, 0]
        checkpoint_sequential(layers(ours, 0), segments, x).sum().backward()
        theirs.checkpoint_sequential(layers(others, 1), segments, tx, use_reentrant=False).sum().backward()
        assert counts[0] == counts[1]
        for a, b in zip([x, *ours], [tx, *others], strict=True):
            assert np.allclose(a.grad.data, b.grad.numpy(), rtol=1e-12)
            a.grad = b.grad = None


def test_of_a_list_of_gradients_only_those_asked_for_come() -> None:
    layer = nn.Linear(3, 2)
    x = Tensor(X)
    found = grad(lambda w: F.cross_entropy(checkpoint(lambda x: x @ w, x), np.array([0, 1, 4, 2])))(leaf(W))
    plain = grad(lambda w: F.cross_entropy(x @ w, np.array([0, 1, 4, 2])))(leaf(W))
    assert np.allclose(found.data, plain.data)
    checkpoint(layer, x).sum().backward()
    assert np.allclose(layer.weight.grad.data, np.tile(X.sum(axis=0), (2, 1)))
