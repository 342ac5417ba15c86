"""What unit 13 says of PyTorch, its numbers, and who found what."""

from __future__ import annotations

import re
from types import ModuleType
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

from autograd_ref import Tensor

from ..test_units import assignment_of
from . import PROVED, flat, notebook, printed_by, proves, text_of

UNIT = "13_second_derivatives"


# -- PyTorch ------------------------------------------------------------------------------------------------------


@proves(
    UNIT,
    "In PyTorch a pass is recorded with `create_graph=True`.",
    "Where PyTorch is installed, this cell compares its product and its residual with yours.",
    "import torch",
    "## The same in PyTorch",
    "| `gradient(out, x)` | `torch.autograd.grad(out.sum(), x, create_graph=True)[0]` |",
)
def test_a_recorded_pass_is_differentiated_as_here(torch: ModuleType, solved: Any) -> None:
    gradient = solved(UNIT)["gradient"]
    data = np.random.default_rng(0).normal(size=(3, 2))
    theirs, ours = torch.tensor(data, requires_grad=True), Tensor(data, requires_grad=True)
    found, mine = (theirs.tanh() * theirs).exp(), (ours.tanh() * ours).exp()
    for _ in range(3):
        (found,) = torch.autograd.grad(found.sum(), theirs, create_graph=True)
        mine = gradient(mine, ours)
        np.testing.assert_allclose(mine.data, found.detach().numpy(), rtol=1e-10)


@proves(UNIT, '| "does not require grad" in PyTorch | a first gradient without `create_graph=True` |')
def test_without_create_graph_a_second_gradient_raises(torch: ModuleType) -> None:
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (first,) = torch.autograd.grad((x**3).sum(), x)
    with pytest.raises(RuntimeError, match="does not require grad"):
        torch.autograd.grad(first.sum(), x)


@proves(
    UNIT,
    "| `hessian_by_rows` | `torch.autograd.functional.hessian` |",
    "| `hvp`, forward over reverse | `torch.func.jvp(torch.func.grad(f), (x,), (v,))[1]` |",
)
def test_the_hessian_and_its_product(torch: ModuleType, solved: Any) -> None:
    names, rng = solved(UNIT), np.random.default_rng(0)
    weights, x, v = rng.normal(size=(4, 3)), rng.normal(size=4), rng.normal(size=4)

    def f(p: Any) -> Any:
        return ((p @ torch.tensor(weights)).tanh() ** 2).sum()

    theirs = torch.autograd.functional.hessian(f, torch.tensor(x)).numpy()
    product = torch.func.jvp(torch.func.grad(f), (torch.tensor(x),), (torch.tensor(v),))[1]

    def mine(p: Any) -> Any:
        return ((p @ weights).tanh() ** 2).sum()

    np.testing.assert_allclose(names["hessian_by_rows"](mine, x), theirs, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(names["hvp"](mine, x, v), product.numpy(), rtol=1e-9, atol=1e-12)


@proves(UNIT, "| `tanh_rule` | `backward` of a `torch.autograd.Function`, made of operations on Tensors |")
def test_a_rule_of_ones_own_is_differentiated_if_it_is_made_of_operations(torch: ModuleType) -> None:
    def tanh_with(slope: Any) -> Any:
        class Tanh(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, a: Any) -> Any:
                out = a.tanh()
                ctx.save_for_backward(out)
                return out

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return g * slope(*ctx.saved_tensors)

        return Tanh.apply

    def second(tanh: Any) -> float:
        a = torch.tensor([0.5], dtype=torch.float64, requires_grad=True)
        (first,) = torch.autograd.grad(tanh(a).sum() * a.sum(), a, create_graph=True)
        return float(torch.autograd.grad(first.sum(), a)[0])

    operations = tanh_with(lambda out: 1 - out * out)
    a = torch.tensor([0.5, -1.2], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradgradcheck(operations, (a,))
    t = np.tanh(0.5)
    true = 2 * (1 - t * t) - 2 * 0.5 * t * (1 - t * t)
    assert second(operations) == pytest.approx(true)
    arrays = tanh_with(lambda out: torch.from_numpy(1 - out.detach().numpy() ** 2))
    assert abs(second(arrays) - true) > 0.1  # wrong, and no error


# -- numbers ------------------------------------------------------------------------------------------------------


@proves(
    UNIT,
    "**Predict, then run.** At a = 0.5 the slope of tanh is 0.786, and the slope of this slope is -0.727.",
    "With single numbers, W = 0.5 and z = 0.6: s = 0.64, u = g / 0.68; x gets 0.94 g, W 0.56 g.",
    "For x²y at (2, 3) and v = (1, 10) that is (6·1 + 4·10, 4·1) = (46, 4).",
)
def test_the_worked_numbers(solved: Any) -> None:
    names = solved(UNIT)
    leaf = names["Node"](0.5)
    (slope,) = names["gradients"](leaf.tanh(), [leaf])
    (bend,) = names["gradients"](slope, [leaf])
    assert (round(slope.data.item(), 3), round(bend.data.item(), 3)) == (0.786, -0.727)
    product = names["hvp"](lambda p: p[0] * p[0] * p[1], np.array([2.0, 3.0]), np.array([1.0, 10.0]))
    assert product.tolist() == [6 * 1 + 4 * 10, 4 * 1] == [46, 4]
    z, W = np.array([0.6]), np.array([[0.5]])
    assert [round(1 - 0.6**2, 2), round(1 - 0.64 * 0.5, 2)] == [0.64, 0.68]
    by_W, by_x = names["fixed_point_rule"](np.ones(1), z, W, np.arctanh(z) - W @ z)
    assert (round(by_x.item(), 2), round(by_W.item(), 2)) == (0.94, 0.56)
    assert names["residual"](lambda t: t * t * t, np.array([[3.0]])).data.tolist() == [[18 + 27]] == [[45]]


@proves(
    UNIT,
    "The valley of unit 09, from the ring to the minimum at (0, 0).",
    "What to see: Adam swings for twenty steps.",
    "Two methods of this unit, *conjugate gradients* and *Newton*, arrive after two steps and after one: they know how "
    "the valley is *curved*.",
)
def test_the_typed_paths_of_the_first_picture(solved: Any) -> None:
    names = solved(UNIT)
    (source,) = (cell.source for cell in notebook(UNIT).cells if cell.id == "figure_goal")
    typed = re.search(r'adam = """(.*?)"""', source, re.DOTALL)
    assert typed
    start, curved = np.array([-4.5, 1.0]), np.array([1.0, 25.0])
    point = Tensor(start.copy(), requires_grad=True)
    adam, path = names["optim"].Adam([point], lr=0.3, betas=(0.8, 0.99)), [start]
    for _ in range(20):
        adam.zero_grad()
        (point * point * curved / 2).sum().backward()
        adam.step()
        path.append(point.data.copy())
    assert abs(np.array(path) - np.array(typed[1].split(), dtype=float).reshape(-1, 2)).max() < 0.006
    steps = [
        start - names["conjugate_gradients"](lambda d: curved * d, curved * start, count)
        for count in (0, 1, 2)
    ]
    assert np.array(steps).round(3).tolist() == [[-4.5, 1.0], [-4.314, -0.031], [0.0, 0.0]]
    assert "[[-4.5, 1.0], [-4.314, -0.031], [0.0, 0.0]]" in source
    newton = names["newton"](lambda p: (p * p * curved / 2).sum(), start, 1)
    assert newton.round(9).tolist() == [[-4.5, 1.0], [0.0, 0.0]]


@proves(
    UNIT,
    "with its minimum at (1, 1).",
    "Newton jumps, twice to a *higher* place, and arrives with the seventh step.",
    "Each costs a gradient and two products: the seven record as much as 32 gradients.",
)
def test_newton_rises_in_the_bent_valley_from_where_the_hessian_is_positive_definite(solved: Any) -> None:
    names = solved(UNIT)

    def f(p: Any) -> Any:
        return 10 * (p[1] - p[0] * p[0]) ** 2 + (1 - p[0]) ** 2

    points = names["newton"](f, np.array([-1.2, 1.0]), 7)
    heights = [f(Tensor(p)).item() for p in points]
    rises = np.flatnonzero(np.diff(heights) > 0)
    assert len(rises) == 2 and heights[-2] > heights[-1] and heights[-1] < 1e-9
    np.testing.assert_allclose(points[-1], 1.0, atol=1e-4)
    for k in rises:
        assert np.linalg.eigvalsh(names["hessian_by_rows"](f, points[k])).min() > 0
    (figure,) = (cell.source for cell in notebook(UNIT).cells if cell.id == "figure_bent")
    assert "lambda x, y: np.log(" in figure

    def slopes() -> None:
        leaf = Tensor(points[0], requires_grad=True)
        names["gradient"](f(leaf), leaf)

    seven = operations(lambda: names["newton"](f, np.array([-1.2, 1.0]), 7))
    assert 31 <= seven / operations(slopes) <= 33
    counted = [
        re.findall(r"\d+", line)[-1] for line in printed_by(UNIT, names, "def bent_valley").splitlines()
    ]
    assert counted == ["360", "875", "27"] and 875 // 27 == 32
    plt.close("all")


@proves(
    UNIT,
    "Near x, f looks like a parabola with the gradient g and the Hessian H.",
    "It is flat at $x-p$ with $Hp=g$: to go there is **Newton's step**.",
    r"1. a makes $r'\cdot d=0$: along d nothing is missing.",
    r"2. A step along d' takes a multiple of Hd' off r'. It leaves 1 true if $d'\cdot Hd=0$: *conjugate* directions.",
    r"As $r\cdot d=r\cdot r$, and $r'\cdot r=0$ (r is d less a share of the d before), "
    r"$\beta\,r\cdot r-r'\cdot r'=0$ is left.",
    r"4. The same holds for all r and d before. If $d\cdot Hd>0$ for all d but 0 (*positive definite*), after n "
    "steps p is exact, up to rounding.",
    r"Curvatures 1 and 3, $b=(1,1)$: $a=1/2$, $r'=(1/2,-1/2)$, $\beta=1/4$, $d'=(3/4,-1/4)$; the next a, 2/3, leads to "
    "$(1,1/3)$.",
    "| NaN after some steps of conjugate gradients | 0 / 0 after the solution, or d · Hd = 0 in a saddle |",
)
def test_conjugate_gradients_need_a_positive_definite_hessian(solved: Any) -> None:
    newton = solved(UNIT)["newton"]
    with np.errstate(all="ignore"):
        saddle = newton(lambda p: p[0] * p[0] - p[1] * p[1], np.array([1.0, 1.0]), 1)
    bowl = newton(lambda p: p[0] * p[0] + 3 * p[1] * p[1], np.array([1.0, 1.0]), 1)
    assert np.isnan(saddle[1]).all() and abs(bowl[1]).max() < 1e-15
    # Who does not stop at the solution divides 0 by 0.
    text = assignment_of(UNIT).exercise("conjugate_gradients").solution
    names = dict(solved(UNIT))
    assert names["conjugate_gradients"](lambda d: d, np.array([3.0, 4.0]), 3).tolist() == [3, 4]
    exec(text.replace("if size == 0:", "if False:"), names)
    with np.errstate(all="ignore"):
        assert np.isnan(names["conjugate_gradients"](lambda d: d, np.array([3.0, 4.0]), 3)).all()
    rng, directions = np.random.default_rng(0), []
    M, b = rng.normal(size=(5, 4)), rng.normal(size=4)
    H = M.T @ M

    def product(d: Any) -> Any:
        directions.append(d)
        return H @ d

    p = solved(UNIT)["conjugate_gradients"](product, b, 4)
    np.testing.assert_allclose(H @ p, b, rtol=1e-9)
    D = np.array(directions)
    R = np.array([b - H @ solved(UNIT)["conjugate_gradients"](lambda d: H @ d, b, k) for k in range(4)])
    size = np.diag(R @ R.T)
    assert abs(R @ R.T - np.diag(size)).max() < 1e-9 * size.max()  # each r is perpendicular to all before
    np.testing.assert_allclose(np.diag(R @ D.T), size, rtol=1e-9)  # r · d = r · r
    seen: list[Any] = []
    two = solved(UNIT)["conjugate_gradients"](lambda d: seen.append(d) or np.array([1, 3]) * d, np.ones(2), 2)
    np.testing.assert_allclose(seen, [[1, 1], [3 / 4, -1 / 4]], rtol=1e-14)
    np.testing.assert_allclose(two, [1, 1 / 3], rtol=1e-14)
    one = solved(UNIT)["conjugate_gradients"](lambda d: np.array([1, 3]) * d, np.ones(2), 1)
    assert one.tolist() == [1 / 2, 1 / 2] and (1 - np.array([1, 3]) * one).tolist() == [1 / 2, -1 / 2]
    np.testing.assert_allclose(two - one, np.array([3 / 4, -1 / 4]) * 2 / 3, rtol=1e-14)
    between = D @ H @ D.T
    assert abs(between - np.diag(np.diag(between))).max() < 1e-9 * between.max()
    found = [solved(UNIT)["conjugate_gradients"](product, b, steps) for steps in range(5)]
    for steps, p in enumerate(found):
        # Along each d before, the slope of the parabola p · Hp / 2 - b · p is 0.
        assert abs(D[:steps] @ (H @ p - b)).max(initial=0.0) < 1e-9 * abs(D @ b).max()


@proves(
    UNIT,
    "n = 50, curvatures from 1 to 100: long before 50 steps little is missing; with five different curvatures, nothing "
    "after five.",
)
@pytest.mark.parametrize("seed", range(3))
def test_few_steps_do_where_the_curvatures_are_few_or_not_far_apart(seed: int, solved: Any) -> None:
    b = np.random.default_rng(seed).normal(size=50)
    drawn = '{"50 curvatures": np.logspace(0, 2, 50), "5 curvatures": np.repeat([1.0, 10, 25, 50, 100], 10)}'
    assert drawn in text_of(UNIT)
    cases = ((np.logspace(0, 2, 50), 25, 0.02), (np.repeat([1.0, 10, 25, 50, 100], 10), 5, 1e-9))
    for h, steps, most in cases:
        p = solved(UNIT)["conjugate_gradients"](lambda d, h=h: h * d, b, steps)
        assert np.linalg.norm(b - h * p) < most * np.linalg.norm(b)


@proves(
    UNIT,
    "What to see, left: steps along gradients zigzag; conjugate ones arrive with the second.",
    "Middle, where level lines are stretched to circles, the conjugate steps are perpendicular.",
)
def test_conjugate_steps_are_perpendicular_where_level_lines_are_circles(solved: Any) -> None:
    assert "root = np.array([1.0, 3.0])" in text_of(
        UNIT
    ) and "start, product = np.array([-2.7, 0.9])" in text_of(UNIT)
    root, start = np.array([1.0, 3.0]), np.array([-2.7, 0.9])
    descend = solved(UNIT)["conjugate_gradients"]
    points = [start - descend(lambda d: root**2 * d, root**2 * start, k) for k in range(3)]
    one, two = np.diff(points, axis=0)
    assert abs((root * one) @ (root * two)) < 1e-12 < 0.1 < abs(one @ two)
    assert np.abs(points[2]).max() < 1e-12
    along = [start]
    for _ in range(8):
        along.append(along[-1] - descend(lambda d: root**2 * d, root**2 * along[-1], 1))
    turns = np.sign(np.diff(along, axis=0)[:, 1])
    assert (turns[1:] == -turns[:-1]).all() and np.abs(along[8]).max() > 0.01


@proves(UNIT, "A Hessian that is too large; three losses along v check the curvature:")
def test_the_curvature_of_a_large_network_is_that_of_three_losses(solved: Any) -> None:
    said = printed_by(UNIT, dict(solved(UNIT)), "def large_loss").splitlines()
    assert said[0] == "92700 parameters: a Hessian of 69 gigabytes"
    assert round(8 * 92700**2 / 1e9) == 69
    one, other = (float(line.split()[-1]) for line in said[1:])
    assert one == pytest.approx(other, abs=0.11) and one > 50


@proves(
    UNIT,
    "It is an *eigenvalue* of H: for one direction v, Hv is that number times v.",
    "turns nearly every v towards that of the eigenvalue largest in absolute value.",
    "In a minimum this is the largest: none is negative.",
)
def test_power_iteration_finds_the_eigenvalue_of_largest_absolute_value(solved: Any) -> None:
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    H = Q @ np.diag([3.0, 1, -5, 2]) @ Q.T
    value, v = solved(UNIT)["sharpest"](lambda d: H @ d, rng.normal(size=4), 300)
    assert value == pytest.approx(-5)
    np.testing.assert_allclose(H @ v, value * v, atol=1e-9)


@proves(UNIT, "With a million parameters these are 10¹² numbers, eight terabytes.")
def test_the_size_of_a_hessian() -> None:
    assert (10**6) ** 2 == 10**12 and 8 * 10**12 == 8e12


@proves(
    UNIT,
    "What to see: differences of gradients keep at most eleven digits, whatever the step.",
    "backward twice *reverse over reverse*.",
    "Both are exact.",
)
@pytest.mark.parametrize("seed", range(5))
def test_differences_of_gradients_lose_digits_and_products_do_not(seed: int, solved: Any) -> None:
    names = solved(UNIT)
    gradient, along = names["gradient"], names["along"]
    x, v = np.random.default_rng(seed).normal(size=(2, 5))

    def f(p: Any) -> Any:
        return (p.tanh() * p).exp().sum()

    def slopes(at: Any) -> Any:
        leaf = Tensor(at, requires_grad=True)
        return gradient(f(leaf), leaf).data

    rows = names["hessian_by_rows"](f, x) @ v
    leaf = Tensor(x, requires_grad=True)
    twice = gradient((gradient(f(leaf), leaf) * v).sum(), leaf).data
    forward = along(gradient(f(leaf), leaf), leaf, v).data
    for h in np.logspace(-9, -1, 33):
        difference = (slopes(x + h * v) - slopes(x - h * v)) / (2 * h)
        assert abs(difference - rows).max() / abs(rows).max() > 1e-12
    assert max(abs(twice - rows).max(), abs(forward - rows).max()) / abs(rows).max() < 1e-14


def operations(work: Any) -> int:
    def newest() -> int:
        return int((Tensor(1.0, requires_grad=True) * 2.0).grad_fn.number)

    before = newest()
    work()
    return newest() - before


@proves(
    UNIT,
    "The operations that the engine records are as many for 4 numbers as for 64; only the rows need more.",
    "A product is one more pass through the graph of the gradient, and costs as much as two or three gradients, for "
    "any n.",
)
def test_a_product_costs_as_many_operations_for_any_n(solved: Any) -> None:
    names = solved(UNIT)

    def f(p: Any) -> Any:
        return (p.tanh() * p).exp().sum()

    few, many = (operations(lambda n=n: names["hvp"](f, np.ones(n), np.ones(n))) for n in (3, 300))
    assert few == many < 60 < operations(lambda: names["hessian_by_rows"](f, np.ones(300)))

    def slopes() -> None:
        leaf = Tensor(np.ones(300), requires_grad=True)
        names["gradient"](f(leaf), leaf)

    assert 2 <= many / operations(slopes) <= 3.1


@proves(
    UNIT,
    "With a rate of 0.2 descent stays only where the curvature is at most 2 / 0.2 = 10.",
    "It begins at 12.",
    "What to see: descent drifts to where the loss is more curved, as with many networks.",
    "With the large rate the curvature falls at first: above 10, steps overshoot and land in flatter places.",
    "Then it rises again, and swings about 10, less and less: the *edge of stability*.",
    "From the narrow minimum of the small rate the limit is 2 / 17:",
)
@pytest.mark.parametrize("nudge", range(4))
def test_the_two_minima_are_there_whatever_a_machine_rounds(nudge: int, solved: Any) -> None:
    names = solved(UNIT)
    start = names["first_parameters"](1)
    start = start + 1e-9 * np.random.default_rng(nudge).normal(size=start.size)
    found = {}
    assert 12 <= names["curvature"](start, np.ones(49), 300)[0] < 12.5
    for rate in (0.05, 0.2):
        _, p = names["descend"](start, rate, 2000)
        found[rate], _ = names["curvature"](p, np.ones(49), 300)
        if rate == 0.2:
            p_here, swings = start, []
            for _ in range(12):
                swings.append(names["curvature"](p_here, np.ones(49), 100)[0])
                _, p_here = names["descend"](p_here, rate, 40)
            assert swings[0] > 12 > 10 > swings[1] and max(swings[2:8]) > 10 > min(swings[2:8]), swings
            assert np.ptp(swings[2:8]) > 1, swings
            beside = []
            for _ in range(12):
                beside.append(names["curvature"](p, np.ones(49), 300)[0])
                _, p = names["descend"](p, rate, 5)
            assert min(beside) < 10 < max(beside) < 11 and np.ptp(beside) < 0.2, beside
    assert 16.5 < found[0.05] < 17.5
    assert 9.5 < found[0.2] < 10.5


@proves(
    UNIT,
    "What to see: where the residual is small all the way from 0, the curve is the sine; at step 100 it is smaller "
    "after t = 3, and the curve is off there: what came before decides.",
)
@pytest.mark.parametrize("seed", range(3))
def test_the_network_comes_to_the_sine_from_the_start_on(seed: int, solved: Any) -> None:
    names = solved(UNIT)
    times = np.linspace(0, 2 * np.pi, 40)[:, None]

    def trained() -> tuple[float, float, float, float]:
        rng = np.random.default_rng(seed)
        first = (rng.normal(size=(1, 16)), rng.uniform(-6, 6, 16), rng.normal(size=(16, 1)) / 4)
        w, b, v = parameters = [Tensor(p, requires_grad=True) for p in first]

        def u(t: Any) -> Any:
            return t + t * t * ((t @ w + b).tanh() @ v) / 4

        adam, losses, off = names["optim"].Adam(parameters, lr=0.01), [], 0.0
        for step in range(1500):
            rest = names["residual"](u, times)
            if step == 100:
                late = times > 3
                off = abs(u(Tensor(times)).data - np.sin(times))[late].max()
                if seed == 0:  # the one that is drawn
                    assert abs(rest.data)[late].max() < 0.15 < 0.3 < abs(rest.data)[~late].max()
            adam.zero_grad()
            loss = (rest * rest).mean()
            loss.backward()
            adam.step()
            losses.append(loss.item())
        return losses[0], losses[-1], abs(u(Tensor(times)).data - np.sin(times)).max(), off

    at_first, at_last, far, off = trained()
    assert at_last < 0.01 * at_first and far < 0.05 and off > 0.2


@proves(
    UNIT,
    "It does where the absolute values in each row of W add up to less than 1.",
    "`x` is not needed.",
)
def test_the_loop_comes_to_its_end_where_rows_are_small(solved: Any) -> None:
    names, rng = solved(UNIT), np.random.default_rng(0)
    for _ in range(20):
        W, x, g = rng.normal(size=(4, 4)), rng.normal(size=4), rng.normal(size=4)
        W /= 1.01 * abs(W).sum(axis=1, keepdims=True)
        z = names["fixed_point"](W, x)
        np.testing.assert_allclose(np.tanh(W @ z + x), z, rtol=0, atol=1e-15)
        for given in (None, x + 1):
            for found, wanted in zip(
                names["fixed_point_rule"](g, z, W, given), names["fixed_point_rule"](g, z, W, x), strict=True
            ):
                np.testing.assert_array_equal(found, wanted)
    settled = []
    for _ in range(40):
        W, x = rng.normal(size=(4, 4)) / 2, rng.normal(size=4)
        if abs(W).sum(axis=1).max() > 1:
            z = names["fixed_point"](W, x)
            settled.append(abs(np.tanh(W @ z + x) - z).max() < 1e-12)
    assert len(settled) > 30 and np.mean(settled) > 0.5
    rng = np.random.default_rng(0)  # the W of the picture
    W, x = rng.normal(size=(4, 4)) / 3, rng.normal(size=4)
    z = names["fixed_point"](W, x)
    assert abs(W).sum(axis=1).max() > 1.5 and abs(np.tanh(W @ z + x) - z).max() < 1e-15


@proves(UNIT, "What does x get from backward through one last round alone, for g = 1?")
def test_one_last_round_counts_the_loop_not(solved: Any) -> None:
    assert printed_by(UNIT, solved(UNIT), "np.arctanh(0.6) - 0.5") == "0.64, and 0.94 through all rounds\n"
    x = Tensor(np.arctanh(0.6) - 0.5 * 0.6, requires_grad=True)
    (0.5 * 0.6 + x).tanh().backward()
    assert round(float(x.grad.data), 2) == 0.64


@proves(
    UNIT,
    "Write its residual as `pendulum(u, t)`, with `.sin()`, and call `solved_equation(pendulum)`: it swings "
    "back later.",
)
def test_the_pendulum_is_slower_than_the_sine_and_the_picture_draws_it(solved: Any) -> None:
    names, state, h, back = dict(solved(UNIT)), np.array([0.0, 1.0]), 1e-3, 0.0

    def moved(s: Any) -> Any:
        return np.array([s[1], -np.sin(s[0])])

    while state[0] >= 0.0:  # Runge and Kutta's method
        a = moved(state)
        b = moved(state + h / 2 * a)
        c = moved(state + h / 2 * b)
        state = state + h / 6 * (a + 2 * b + 2 * c + moved(state + h * c))
        back += h
    assert 1.05 * np.pi < back < 1.1 * np.pi

    def pendulum(u: Any, t: Any) -> Any:
        t = Tensor(t, requires_grad=True)
        values = u(t)
        return names["gradient"](names["gradient"](values, t), t) + values.sin()

    (figure,) = (cell.source for cell in notebook(UNIT).cells if cell.id == "figure_solved_equation")
    exec(figure.rpartition("solved_equation()")[0], names)
    names["solved_equation"](pendulum)
    drawn = [line for ax in plt.gcf().axes[:1] for line in ax.lines]
    (last,) = [line.get_ydata() for line in drawn if line.get_label() == "step 1500"]
    times = np.linspace(0, 2 * np.pi, 40)
    (i,) = np.flatnonzero((last[:-1] > 0) & (last[1:] <= 0))
    crossing = np.interp(0.0, [last[i + 1], last[i]], [times[i + 1], times[i]])
    assert 1.03 * np.pi < crossing < 1.12 * np.pi  # the sine's is π
    plt.close("all")


@pytest.mark.parametrize("name", ["gradient", "along"])
def test_what_was_cut_from_its_graph_is_refused_with_the_reason(name: str, solved: Any) -> None:
    helper, more = solved(UNIT)[name], [np.ones(2)] * (name == "along")
    x = Tensor(np.ones(2), requires_grad=True)
    with pytest.raises(ValueError, match=f"^{name}: a Tensor with a graph is wanted, .* ndarray"):
        helper((x * x).data, x, *more)
    with pytest.raises(ValueError, match=f"^{name}: no graph knows this x"):
        helper(x * x, Tensor(np.ones(2)), *more)
    with pytest.raises(ValueError, match=f"^{name}: no graph knows this x"):  # the leaf was forgotten
        helper(np.float64(2.0), np.ones(2), *more)
    with pytest.raises(ValueError, match=f"^{name}: this is a function. Give what it returns"):
        helper(lambda x: x * x, x, *more)
    assert helper(x * x, x, *more).data.tolist() == [2.0, 2.0]


# -- people -------------------------------------------------------------------------------------------------------

#: Authors, year, and what the publisher or a catalogue says of the paper under this address.
SOURCES = {
    "https://doi.org/10.6028/jres.049.044": (
        ("Hestenes", "Stiefel"),
        1952,
        "Methods of conjugate gradients for solving linear systems. J. Res. National Bureau of Standards 49, 409-436",
    ),
    "https://doi.org/10.1109/72.165600": (
        ("Drucker", "Le Cun"),
        1992,
        "Improving generalization performance using double backpropagation. IEEE Transactions on Neural "
        "Networks 3, 991-997",
    ),
    "https://doi.org/10.1162/neco.1994.6.1.147": (
        ("Pearlmutter",),
        1994,
        "Fast exact multiplication by the Hessian. Neural Computation 6, 147-160",
    ),
    "https://doi.org/10.1016/j.jcp.2018.10.045": (
        ("Raissi",),
        2019,
        "Physics-informed neural networks: a deep learning framework for solving forward and inverse problems "
        "involving nonlinear partial differential equations. Journal of Computational Physics 378, 686-707",
    ),
    "https://arxiv.org/abs/2103.00065": (
        ("Cohen",),
        2021,
        "Gradient descent on neural networks typically occurs at the edge of stability",
    ),
    "https://arxiv.org/abs/1909.01377": (("Bai",), 2019, "Deep equilibrium models"),
}


@proves(
    UNIT,
    "- Magnus Hestenes and Eduard Stiefel, [1952](https://doi.org/10.6028/jres.049.044): conjugate gradients.",
    "- Harris Drucker and Yann Le Cun, [1992](https://doi.org/10.1109/72.165600): *double backpropagation*.",
    "- Barak Pearlmutter, [1994](https://doi.org/10.1162/neco.1994.6.1.147): fast exact multiplication by the Hessian.",
    "- Jeremy Cohen and others, [2021](https://arxiv.org/abs/2103.00065): gradient descent goes to the edge of "
    "stability.",
    "- Maziar Raissi and others, [2019](https://doi.org/10.1016/j.jcp.2018.10.045): "
    "networks that solve differential equations.",
    "- Shaojie Bai and others, [2019](https://arxiv.org/abs/1909.01377): networks that are one fixed point.",
)
@pytest.mark.parametrize("address", SOURCES)
def test_a_sentence_names_the_authors_and_the_year_of_its_source(address: str) -> None:
    authors, year, _ = SOURCES[address]
    (sentence,) = re.findall(rf"- ([^-]*?, \[\d{{4}}\]\({re.escape(address)}\))", text_of(UNIT))
    assert all(author in sentence for author in authors)
    assert f"[{year}]" in sentence
    assert any(place == UNIT and flat(sentence) in told for place, told in PROVED)
