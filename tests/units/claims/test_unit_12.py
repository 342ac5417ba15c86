"""What unit 12 says of PyTorch, and its numbers."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

from autograd_ref import Tensor, no_grad

from . import proves
from .test_papers import papers

UNIT = "12_graph_life"

AGAIN = "backward through the graph a second time"
CHANGED = "has been modified by an inplace operation"


def product_of(torch: ModuleType) -> tuple[Any, Any, Any]:
    """x, w and (x * w).sum() of the unit's example."""
    x, w = (torch.tensor(row, requires_grad=True) for row in ([5.0, 7.0], [2.0, 3.0]))
    return x, w, (x * w).sum()


@proves(
    UNIT,
    "## The same in PyTorch",
    "import torch",
    "from torch.utils.checkpoint import checkpoint",
    "Where PyTorch is installed, this cell shows what it says to a change in place by a view and to a second backward, "
    "and counts the runs of a checkpoint.",
    '| "a second time" | a state that is carried on, or a part that two losses share |',
    '| "modified by an inplace operation" | `+=` on something that a rule saved |',
)
def test_pytorch_says_so_and_runs_a_checkpoint_twice(torch: ModuleType, solved: Any) -> None:
    _, w, y = product_of(torch)
    with torch.no_grad():
        w[:1].add_(98.0)
    with pytest.raises(RuntimeError, match=CHANGED):
        y.backward()
    _, _, y = product_of(torch)
    y.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        y.backward()
    printed = solved(UNIT, demonstrations=True)["printed"]
    assert CHANGED in printed and AGAIN in printed
    assert "runs: 2  the gradient is right: True" in printed


def test_the_four_changes_end_in_pytorch_as_here(torch: ModuleType) -> None:
    def in_place(w: Any) -> None:
        w += 1

    def by_a_view(w: Any) -> None:
        v = w[:1]
        v += 1

    def around(w: Any) -> None:
        w.data[0] = 100

    for change, expected in ((in_place, None), (by_a_view, None), (around, [100.0, 3.0])):
        x, w, y = product_of(torch)
        ours_x, ours_w = (Tensor(np.array(row), requires_grad=True) for row in ([5.0, 7.0], [2.0, 3.0]))
        ours = (ours_x * ours_w).sum()
        with torch.no_grad(), no_grad():
            change(w)
            change(ours_w)
        for loss, leaf in ((y, x), (ours, ours_x)):
            if expected is None:
                with pytest.raises(RuntimeError, match=r"in ?place"):
                    loss.backward()
            else:
                loss.backward()
                assert leaf.grad.tolist() == expected


@proves(UNIT, "| `item`, `detach`, `no_grad`, `retain_graph` | the same names |")
def test_the_four_names(torch: ModuleType) -> None:
    x, _, y = product_of(torch)
    y.backward(retain_graph=True)
    y.backward()
    assert y.item() == 31.0 and x.grad.tolist() == [4.0, 6.0]
    assert not y.detach().requires_grad and y.detach().data_ptr() == y.data_ptr()
    with torch.no_grad():
        assert not (x * 2).requires_grad


@proves(
    UNIT,
    "By a **version counter**, as in PyTorch.",
    "| `Counted.version` | `tensor._version` |",
    "| `w.data[0] = 100`, which nobody notices | `w.data` has a counter of its own: not noticed either |",
)
def test_a_view_and_a_detached_tensor_share_the_counter_and_data_does_not(torch: ModuleType) -> None:
    w = torch.tensor([1.0, 2.0, 3.0])
    view, clone = w[1:], w.clone()
    w.add_(1)
    view.add_(1)
    w.detach().add_(1)
    assert (w._version, view._version, clone._version) == (3, 3, 0)
    w.data.add_(1)
    assert w._version == 3


@proves(
    UNIT,
    "| `Saved` | a saved tensor of a node, such as `y.grad_fn._saved_self` |",
    "One difference: after `backward` PyTorch frees what nodes saved, and the nodes stay until nobody holds the loss.",
)
def test_backward_frees_what_was_saved_and_the_nodes_stay(torch: ModuleType) -> None:
    x, _, loss = product_of(torch)
    node = loss.grad_fn.next_functions[0][0]
    assert node.name() == "MulBackward0" and node._saved_self.tolist() == x.tolist()
    loss.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        _ = node._saved_self
    del node
    assert loss.grad_fn.next_functions[0][0].name() == "MulBackward0"
    x = Tensor(np.array([5.0, 7.0]), requires_grad=True)
    ours = (x * x).sum()
    ours.backward()
    assert list(ours.grad_fn.parents) == []


@proves(
    UNIT,
    "| `checkpointed` | `torch.utils.checkpoint.checkpoint_sequential` |",
    "| a checkpoint of any part | `torch.utils.checkpoint.checkpoint(part, x, use_reentrant=False)`; here "
    "`autograd_ref.utils.checkpoint` |",
)
def test_checkpoint_of_a_chain_runs_as_often_as_ours(torch: ModuleType) -> None:
    from torch.utils.checkpoint import checkpoint, checkpoint_sequential

    from autograd_ref.utils import checkpoint as ours

    for n, segments in ((6, 3), (16, 4)):
        calls: list[int] = []

        def layer(x: Any, calls: list[int] = calls) -> Any:
            calls.append(1)
            return x.tanh()

        x = torch.tensor([0.3, -0.2], requires_grad=True)
        checkpoint_sequential([layer] * n, segments, x, use_reentrant=False).sum().backward()
        there = len(calls)
        calls.clear()
        ours.checkpoint_sequential(
            [layer] * n, segments, Tensor(np.array([0.3, -0.2]), requires_grad=True)
        ).sum().backward()
        # The last segment is not run twice; and a checkpoint runs whole, where our `checkpointed` leaves out its last.
        assert there == len(calls) == 2 * n - n // segments
    x = torch.tensor([0.3, -0.2], requires_grad=True)
    checkpoint(lambda x: x.tanh(), x, use_reentrant=False).sum().backward()
    assert np.allclose(x.grad, 1 - np.tanh([0.3, -0.2]) ** 2)


@proves(
    UNIT,
    "The sum is smallest where both are equal, at k = √n: 64 layers need 8 + 8, for one more forward pass.",
    "(√128 is about 11, and 11 + 11 is too many.)",
    "Go through up to 128 layers and back, with never more than 16 arrays on the machine and at most 800 runs.",
)
def test_what_the_schedules_need(solved: Any) -> None:
    names = solved(UNIT)
    peaks = {k: names["tried"](names["checkpointed"], 64, k).peak for k in range(1, 65)}
    assert peaks[8] <= min(peaks.values()) + 1 and 16 <= peaks[8] <= 16 + 3
    assert all(peaks[8] < peaks[k] for k in (1, 2, 4, 16, 32, 64))
    assert round(128**0.5) == 11
    assert all(names["tried"](names["checkpointed"], 128, k).peak > 16 for k in range(1, 129))
    for n in range(1, 129):
        little = names["tried"](names["in_little_memory"], n)
        assert little.peak <= 16 and little.runs <= 800


@proves(
    UNIT,
    "| 1990 | Ronald Williams, Jing Peng | [truncated backpropagation](https://doi.org/10.1162/neco.1990.2.4.490) "
    "through time, every few steps |",
    "| 1992 | Andreas Griewank | [logarithmic growth](https://doi.org/10.1080/10556789208805505): checkpoints in "
    "checkpoints |",
    "| 2000 | Andreas Griewank, Andrea Walther | [revolve](https://doi.org/10.1145/347837.347846): the schedule that "
    "needs the fewest runs |",
    "| 2016 | Tianqi Chen and others | [training deep nets with sublinear memory](https://arxiv.org/abs/1604.06174): "
    "the root of n |",
)
def test_the_papers_are_in_the_order_of_their_years() -> None:
    years = [year for year, _ in papers(UNIT)]
    assert years == sorted(years) and len(set(years)) == 4
