"""What unit 12 says of PyTorch, and its numbers."""

from __future__ import annotations

import itertools
import math
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

from autograd_ref import Tensor, no_grad

from . import notebook, printed_by, proves
from .test_papers import papers

UNIT = "12_graph_life"

AGAIN = "backward through the graph a second time"
CHANGED = "has been modified by an inplace operation"


def curves_of(names: dict[str, Any], mark: str) -> tuple[dict[str, Any], str]:
    """The curves of all panels of the one figure with this text, and what is printed with it."""
    drawn: list[dict[str, Any]] = []
    plots = SimpleNamespace(
        lines=lambda curves, **_: drawn.append(curves) or MagicMock(),
        panels=lambda n, **_: [MagicMock() for _ in range(n)],
    )
    said = printed_by(UNIT, {**names, "plots": plots}, mark)
    return {name: [list(part) for part in curve] for one in drawn for name, curve in one.items()}, said


def curves_of_goal() -> dict[str, Any]:
    """The curves of the picture at the top, whose cell imports what it uses."""
    drawn: list[dict[str, Any]] = []
    (source,) = (c.source for c in notebook(UNIT).cells if c.cell_type == "code" and "def goal()" in c.source)
    source = source.replace(
        "from autograd_ref import Tensor, no_grad, plots", "from autograd_ref import Tensor, no_grad"
    )
    plots = SimpleNamespace(lines=lambda curves, **_: drawn.append(curves) or MagicMock())
    exec(compile(source, "goal", "exec"), {"plots": plots})
    return drawn[0]


def product_of(torch: ModuleType) -> tuple[Any, Any, Any]:
    """x, w and (x * w).sum() of the unit's example."""
    x, w = (torch.tensor(row, requires_grad=True) for row in ([5.0, 7.0], [2.0, 3.0]))
    return x, w, (x * w).sum()


@proves(
    UNIT,
    "## The same in PyTorch",
    "import torch",
    "from torch.utils.checkpoint import checkpoint as their_checkpoint",
    "What PyTorch says to a change in place by a view, to a second backward; the runs of a checkpoint:",
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


def test_where_there_is_no_pytorch_the_cell_prints_what_it_says(
    torch: ModuleType, solved: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, mark = solved(UNIT), "from torch.utils.checkpoint import checkpoint"
    there = printed_by(UNIT, names, mark)
    monkeypatch.setitem(sys.modules, "torch", None)
    first, _, told = printed_by(UNIT, names, mark).partition("\n\n")
    assert "not installed" in first and told == there


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
    "| `w.data[0] = 100` | `w.data` has a counter of its own: not noticed either |",
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


@proves(UNIT, "| `Saved` | a saved tensor of a node, such as `y.grad_fn._saved_self` |")
def test_backward_frees_what_was_saved(torch: ModuleType) -> None:
    x, _, loss = product_of(torch)
    node = loss.grad_fn.next_functions[0][0]
    assert node.name() == "MulBackward0" and node._saved_self.tolist() == x.tolist()
    loss.backward()
    with pytest.raises(RuntimeError, match=AGAIN):
        _ = node._saved_self


@proves(UNIT, "| `checkpointed` | `torch.utils.checkpoint.checkpoint_sequential` |")
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
    "66: the inputs, and the gradients behind a layer and before it.",
    "Parts of k layers need about n/k borders and k inputs of one part: for k = 8, 7 + 8, and two gradients.",
    "The sum is smallest where both are equal, at k = √n, for one more forward pass.",
    "Go through up to 128 layers and back, with never more than 16 arrays on the machine and at most 800 runs.",
)
def test_what_the_schedules_need(solved: Any) -> None:
    names = solved(UNIT)
    assert names["tried"](names["keep_all"], 64).peak == 64 + 2
    peaks = {k: names["tried"](names["checkpointed"], 64, k).peak for k in range(1, 65)}
    assert peaks[8] <= min(peaks.values()) + 1 and peaks[8] == 7 + 8 + 2
    assert all(peaks[8] < peaks[k] for k in (1, 2, 4, 16, 32, 64))
    assert all(names["tried"](names["checkpointed"], 128, k).peak > 16 for k in range(1, 129))
    for n in range(1, 129):
        little = names["tried"](names["in_little_memory"], n)
        assert little.peak <= 16 and little.runs <= 800


@proves(UNIT, "One number can hold ten graphs: what counts is whether `backward` has been there.")
def test_what_holds_graphs(solved: Any) -> None:
    names = solved(UNIT)
    said = printed_by(UNIT, names, 'prediction, "graphs_held"').split("\n")
    assert [int(line.split()[-1]) for line in said if line] == [10, 0, 10, 0]


def test_the_opening_picture_shows_the_same_bytes_as_the_pupil_counts(solved: Any) -> None:
    curves = curves_of_goal()
    train, kept, quiet = (curves[name][1] for name in ("train", "a list of losses", "a list, under no_grad"))
    counted, rng = solved(UNIT)["bytes_kept"], np.random.default_rng(0)
    x = Tensor(rng.standard_normal((64, 32)))
    weights = [Tensor(rng.normal(0, 0.2, (32, 32)), requires_grad=True) for _ in range(4)]
    h, found = x, []
    for weight in weights:
        h = (h @ weight).tanh()
        found.append(counted([x, h, *weights]) - counted([x, *weights]))
    assert [round(1000 * kb) for kb in train[1:5]] == found
    assert train[-1] == 0 and set(quiet) == {0.0} and kept == sorted(kept)
    assert kept[-1] == pytest.approx(5 * train[4])


@proves(
    UNIT,
    "`leaks(run)` trains with it, and counts the graphs alive when each new loss begins: losses, products, sums.",
    "Each training loss finds 4 more.",
    "The first held-out loss finds 3: the loss, 0.1 · loss, the mean.",
    "All should be 0.",
)
def test_the_colleague_s_graphs_are_losses_products_and_sums(solved: Any) -> None:
    names = solved(UNIT)
    training, held_out = names["leaks"](names["colleague_run"]).values()
    assert training == [0, 4, 8, 12, 16] and held_out == [3, 8, 12, 16, 20]
    assert [set(left) for left in names["leaks"](names["mended_leaks"]).values()] == [{0}, {0}]


@proves(
    UNIT,
    "**Predict, then run.** Of a chain of 101 nodes that nobody holds, how many does each of the five leave behind?",
    "The rule's *closure* (a `cell`) or its default arguments (a `tuple`) hold the node.",
    "The first node is in no cycle: the second holds it.",
    "A *weak* reference holds nothing: `sqrt_node` is in no cycle, and its rule works while somebody holds the node.",
    "Steps of 20 nodes each; here the collector comes after every 5th.",
    "What to see: the cycle piles nodes up until then; yours leaves none.",
)
def test_a_cycle_piles_up_until_the_collector_comes(solved: Any) -> None:
    names = solved(UNIT)
    ways = [
        names[make] for make in ("exp_node", "square_node", "colleague_tanh", "sigmoid_node", "sqrt_node")
    ]
    assert [names["left_behind"](make) for make in (*ways, names["tanh_node"])] == [0, 0, 101, 101, 0, 0]
    assert [names["holders"](make) for make in ways] == [[], [], ["cell"], ["tuple"], []]
    for make in ways:
        x, step = np.array(0.5), 1e-6
        out = make(names["Node"](x))
        slope = (make(names["Node"](x + step)).data - make(names["Node"](x - step)).data) / (2 * step)
        assert out.back(1.0) == pytest.approx(slope, rel=1e-6)
    rule = names["sqrt_node"](names["Node"](np.array(0.5))).back
    with pytest.raises(AttributeError, match="NoneType"):
        rule(1.0)
    curves, _ = curves_of(names, "def sawtooth")
    steps, alive = curves["colleague_tanh"]
    assert max(alive) == 5 * 20 and [n for k, n in zip(steps, alive, strict=True) if k % 5 == 0] == 4 * [
        100,
        0,
    ]
    assert set(curves["tanh_node"][1]) == {0}


@proves(
    UNIT,
    "k = 64 runs nearly all again, and holds it.",
    "What to see: of the fixed distances k = 8 holds the least; parts of 16 in parts of 4 hold less, halves still "
    "less, and run more.",
    "**Predict, then run.** A part of n layers runs its first half again, then each half does the same.",
    "So every halving costs one array, and half a forward pass.",
)
def test_the_three_lengths_of_parts_and_the_halves(solved: Any) -> None:
    names = solved(UNIT)
    found = [
        tuple(map(int, re.findall(r"\d+", line)))
        for line in printed_by(UNIT, names, 'prediction, "parts_of_k"').split("\n")
    ]
    (_, all_kept, once), (_, root, more), (_, none_kept, twice), _ = found
    assert abs(all_kept - none_kept) <= 1 and root < all_kept / 3 and once == 64 < more < twice == 127
    said = printed_by(UNIT, names, 'prediction, "runs_of_halves"')
    assert "10 arrays, 256 runs" in said and "halves: 64 + 6 · 32 = 256 runs for 64 layers" in said
    halved = [names["tried"](names["in_little_memory"], 2**k) for k in range(1, 8)]
    for k, (a, b) in enumerate(itertools.pairwise(halved), start=2):
        assert b.peak == a.peak + 1 and b.runs == 2**k + k * 2 ** (k - 1)
    fixed = [names["tried"](names["checkpointed"], 64, 2**k) for k in range(7)]
    assert halved[5].peak < min(m.peak for m in fixed) and halved[5].runs > max(m.runs for m in fixed)


def test_parts_in_parts_lie_between_parts_and_halves(solved: Any) -> None:
    names, found = solved(UNIT), []
    (source,) = (c.source for c in notebook(UNIT).cells if "def memory_against_time" in c.source)
    machines = lambda function, *rest: found.append(names["tried"](function, *rest)) or found[-1]  # noqa: E731
    exec(
        compile(source, "memory_against_time", "exec"),
        {**names, "tried": machines, "plots": MagicMock(lines=lambda *_, **__: MagicMock())},
    )
    *fixed, halved, divided = found
    assert halved.peak < divided.peak < min(m.peak for m in fixed) == fixed[3].peak
    assert halved.runs > divided.runs > max(m.runs for m in fixed)


@proves(
    UNIT,
    "What to see: the longer the parts, the less the loss keeps, by your `bytes_kept`.",
    "The most in use at once is least at k = 8.",
    "The price is time: a second forward pass.",
)
def test_a_real_network_in_parts(solved: Any) -> None:
    curves, said = curves_of(solved(UNIT), "def real_network")
    assert "All seven gradients are the same: True" in said
    (lengths, kept), (_, most) = curves["kept for the loss"], curves["most in use"]
    one = 512 * 16 * 8 / 1e6  # megabytes of one layer's input
    assert kept == pytest.approx([64 / k * one for k in lengths], rel=1e-3) and kept == sorted(
        kept, reverse=True
    )
    assert lengths[int(np.argmin(most))] == 8
    assert most == pytest.approx([(64 / k + (k if k > 1 else 0)) * one for k in lengths], rel=0.35)
    (_, (without, *parts)), (_, (second, *_)) = (
        curves["forward and back"],
        curves["none, and a second forward"],
    )
    assert without < second < 2 * without  # milliseconds, on a machine that others use
    assert min(parts) == pytest.approx(second, rel=0.5)


@proves(
    UNIT,
    "**On the engine**, in ten lines: `forward` records nothing, and `backward` gets the g that arrives.",
    "Dropout draws anew in the second run: a wrong gradient, and nobody is told.",
    "The engine's own checkpoint repeats the random numbers.",
)
def test_ten_lines_make_a_checkpoint(solved: Any) -> None:
    names = solved(UNIT)
    said = printed_by(UNIT, names, "a dropout inside").split("\n")
    assert [line.split()[-6:] for line in said if line] == [
        [right, "the", "engine's", "own", "checkpoint", "True"] for right in ("True,", "False,")
    ]
    calls: list[bool] = []
    x, w = (Tensor(np.array([0.3, -0.2]), requires_grad=True) for _ in range(2))

    def part(h: Any) -> Any:
        calls.append(names["is_grad_enabled"]())
        return (h * w).tanh()

    h = x * 1
    y = names["checkpoint"](part, h)
    assert [a.shape for a in y.grad_fn.saved if a is not None] == [(2,)]
    y.sum().backward()
    assert calls == [False, True]
    slope = 1 - np.tanh(0.3 * 0.3) ** 2, 1 - np.tanh(0.2 * 0.2) ** 2
    assert np.allclose(x.grad.data, w.data * slope) and np.allclose(w.grad.data, x.data * slope)
    h = x * 1
    y = names["checkpoint"](part, h)
    with no_grad():
        h += 1
    with pytest.raises(RuntimeError, match="changed in place"):  # as a Saved says it
        y.sum().backward()
    assert names["checkpoint"](part, Tensor(np.ones(2))).grad_fn is None  # h has to want a gradient


@proves(UNIT, "| `Again.apply(h, part)` | `torch.utils.checkpoint.checkpoint(part, h, use_reentrant=True)` |")
def test_the_checkpoint_that_goes_back_within_backward(torch: ModuleType) -> None:
    from torch.utils.checkpoint import checkpoint

    calls: list[bool] = []
    w = torch.tensor([1.0, 2.0], requires_grad=True)

    def part(h: Any) -> Any:
        calls.append(torch.is_grad_enabled())
        return (h * w).tanh()

    x = torch.tensor([0.3, -0.2], requires_grad=True)
    checkpoint(part, x, use_reentrant=True).sum().backward()
    assert calls == [False, True] and w.grad is not None and x.grad is not None
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad"):
        assert checkpoint(part, torch.ones(2), use_reentrant=True).grad_fn is None


@proves(
    UNIT,
    "With s inputs kept, and no layer run more than r times before it goes back, the best reaches L(s, r) layers: "
    "L(s-1, r) behind the first border, L(s, r-1) before it, so $\\binom{s + r}{s}$.",
    "35 layers; 8 and 4 inputs.",
)
def test_how_many_layers_the_best_schedule_reaches() -> None:
    def reached(s: int, r: int) -> int:
        """One layer goes back without a run, or with its own input alone."""
        return 1 if not s or not r else reached(s - 1, r) + reached(s, r - 1)

    assert all(reached(s, r) == math.comb(s + r, s) for s in range(7) for r in range(7))
    assert math.comb(4 + 3, 4) == 35
    for r, s in ((3, 8), (6, 4)):
        assert math.comb(s - 1 + r, s - 1) < 128 <= math.comb(s + r, s)


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
