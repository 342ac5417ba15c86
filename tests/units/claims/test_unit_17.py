"""What unit 17 says of PyTorch, of its model answer, of the colleague's log, and of papers."""

from __future__ import annotations

import ast
import math
import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograd_ref import Tensor, nn, optim
from autograder.learner.engine_file import EXERCISE
from autograder.referee.bank import load_bank
from autograder.unit.assignment import Course

from ...conftest import REPOSITORY
from . import notebook, proves, text_of
from .test_papers import year_of
from .test_pictures import picture_of

UNIT = "17_from_an_empty_page"


@proves(
    UNIT,
    "Where PyTorch is installed, this cell compares your engine with it, on one program.",
    "import torch",
)
def test_the_cell_that_compares_says_that_all_agree(torch: ModuleType) -> None:
    assert "all agree: True" in text_of(UNIT)


@proves(
    UNIT,
    "| a result that remembers its operands | `grad_fn`, and `grad_fn.next_functions` |",
    "| a leaf that wants a gradient | `x.is_leaf and x.requires_grad` |",
    "| nothing kept for results that want no gradient | `requires_grad` is False, and `grad_fn` is None |",
)
def test_what_pytorch_remembers_of_a_result(torch: ModuleType) -> None:
    x, c = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 4.0])
    out, other = x * c, c * 2
    assert out.grad_fn is not None and len(out.grad_fn.next_functions) == 2
    assert out.grad_fn.next_functions[0][0].variable is x and out.grad_fn.next_functions[1][0] is None
    assert [t.is_leaf and t.requires_grad for t in (x, c, out)] == [True, False, False]
    assert not other.requires_grad and other.grad_fn is None


@proves(
    UNIT,
    "| the sum over repeated axes, in one place for all rules | the same: a rule may return the larger shape |",
)
def test_pytorch_sums_over_repeated_axes_what_any_rule_returns(torch: ModuleType) -> None:
    returned = []

    class Sum(torch.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b

        @staticmethod
        def backward(ctx: Any, g: Any) -> tuple[Any, Any]:
            returned.append(tuple(g.shape))
            return g, g

    x, w = torch.rand(4, 2, 5), torch.tensor([[2.0], [3.0]], requires_grad=True)
    Sum.apply(x, w).sum().backward()
    assert returned == [(4, 2, 5)]
    assert w.grad.tolist() == [[20.0], [20.0]]


@proves(
    UNIT,
    "| `Linear`'s weight | (outputs, inputs), so that a layer computes `x @ weight.T + bias` |",
)
def test_pytorch_s_layer(torch: ModuleType) -> None:
    layer, x = torch.nn.Linear(3, 2), torch.rand(4, 3)
    assert tuple(layer.weight.shape) == (2, 3)
    assert torch.allclose(layer(x), x @ layer.weight.T + layer.bias)


DESIGNS = {
    entry.name: entry.source for entry in load_bank(Course(REPOSITORY).assignment(UNIT)) if entry.right
}


@proves(
    UNIT,
    "And it reads handwritten digits: 64-32-10, 300 steps, each with 128 of 1,437.",
    "What to see: it reads more than 95 of 100 that it has not met; the last two it misreads.",
)
@pytest.mark.parametrize("design", ["model", "closures", "functions", "table"])
def test_an_engine_reads_more_than_95_of_100_digits(design: str, capsys: pytest.CaptureFixture[str]) -> None:
    cells = {cell.id: cell.source for cell in notebook(UNIT).cells if cell.cell_type == "code"}
    source = (
        Course(REPOSITORY).assignment(UNIT).exercise(EXERCISE).solution
        if design == "model"
        else DESIGNS[design]
    )
    names: dict[str, Any] = {"np": np, "_with_your_engine": lambda picture, *needed: picture()}
    shown: list[str] = []
    names["plots"] = SimpleNamespace(images=lambda digits, titles, title: shown.extend(titles))
    exec(source, names)
    exec(cells["figure_digits"], names)
    read, known = map(int, re.findall(r"(\d+) of (\d+) digits", capsys.readouterr().out)[0])
    assert known == 360 == 1797 - 1437 and read > 0.95 * known
    assert len(shown) == 8 and [("not" in title) for title in shown] == [False] * 6 + [True] * 2


OPERATORS = ("add", "mul", "pow", "matmul", "neg", "sub", "truediv", "rsub", "rtruediv")


@proves(
    UNIT,
    "What to see: one such engine has 113 lines, and no piece more than 20.",
)
def test_the_bars_count_the_lines_of_the_model_answer() -> None:
    source = Course(REPOSITORY).assignment(UNIT).exercise(EXERCISE).solution
    pieces = {
        "recording": ("raw", "made", "Tensor.__init__"),
        "broadcasting": ("fit",),
        "+ - * / ** @": tuple(f"Tensor.__{n}__" for n in OPERATORS),
        "exp log tanh relu": tuple(f"Tensor.{n}" for n in ("exp", "log", "tanh", "relu")),
        "shapes": tuple(f"Tensor.{n}" for n in ("sum", "mean", "reshape", "T", "__getitem__")),
        "backward": ("Tensor.order", "Tensor.backward"),
        "layers": ("Linear", "Sequential"),
        "Adam": ("Adam",),
    }  # fmt: skip
    counted = {piece: sum(lines_of(source, name) for name in names) for piece, names in pieces.items()}
    drawn = ast.literal_eval(re.search(r"lines = (\{.*?\})", picture_of(UNIT), re.DOTALL)[1])  # type: ignore[index]
    assert drawn == counted
    assert max(counted.values()) <= 20 and sum(counted.values()) == 113


def lines_of(source: str, name: str) -> int:
    """The lines of code of a function or a class, without its docstrings and empty lines."""
    body: list[ast.stmt] = ast.parse(source).body
    found: Any = None
    for part in name.split("."):
        found = next(node for node in body if getattr(node, "name", "") == part)
        body = found.body
    docs = {
        line
        for node in ast.walk(found)
        if isinstance(node, ast.FunctionDef) and ast.get_docstring(node)
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    lines = source.splitlines()
    return sum(bool(lines[i - 1].strip()) for i in range(found.lineno, found.end_lineno + 1) if i not in docs)


#: The colleague's programs, of arrays of which `big` is all above 1.
PROGRAMS = {
    "mul sum": "(x * y).sum()",
    "relu sum": "relu(big).sum()",
    "matmul relu tanh sum": "relu(x @ w).tanh().sum()",
    "add relu mul sum": "(relu(x + y) * y).sum()",
    "exp log sum": "x.exp().log().sum()",
    "matmul tanh sum": "(x @ w).tanh().sum()",
    "div tanh mean": "(x / big).tanh().mean()",
    "sub relu exp sum": "relu(x - y).exp().sum()",
    "mul relu mean": "relu(big * big).mean()",
}


@proves(
    UNIT,
    "The wrong rule's column has orange in each such row.",
)
def test_the_log_is_one_that_a_wrong_relu_writes() -> None:
    rng = np.random.default_rng(4)
    shapes = {"x": (3, 4), "y": (3, 4), "w": (4, 2)}
    arrays = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    arrays["big"] = 1.5 + rng.random((3, 4))

    def wrong_relu(x: Tensor) -> Tensor:  # its slope is 1 everywhere
        return x + (x.relu() - x).detach()

    (source,) = (cell.source for cell in notebook(UNIT).cells if cell.id == "log")
    names: dict[str, Any] = {}
    exec(source, names)
    off = {}
    for used, text in PROGRAMS.items():
        both = []
        for relu in (Tensor.relu, wrong_relu):
            leaves = {name: Tensor(a, requires_grad=True) for name, a in arrays.items()}
            eval(text, {"relu": relu, **leaves}).backward()
            both.append([np.zeros(1) if a.grad is None else a.grad.data for a in leaves.values()])
        off[used] = max(abs(a - b).max() for a, b in zip(*both, strict=True))
    assert {used: distance > 1e-6 for used, distance in off.items()} == {
        used: distance > 1e-6 for used, distance in names["LOG"]
    }
    failing = [set(used.split()) for used, distance in off.items() if distance > 1e-6]
    assert set.intersection(*failing) == {"relu", "sum"}
    right = [set(used.split()) for used, distance in off.items() if distance <= 1e-6]
    (told,) = (
        cell.source for cell in notebook(UNIT).cells if 'predicted(prediction, "hunted_rule")' in cell.source
    )
    assert "in all three programs that are off; of the six that are right" in told and len(failing) == 3
    assert "relu is in two and sum in four" in told and len(right) == 6
    assert [sum(name in used for used in right) for name in ("relu", "sum")] == [2, 4]


@proves(
    UNIT,
    "A wrong rule can hide: the mean of a single number is right even when its rule forgets to divide.",
)
def test_a_mean_that_forgets_to_divide_is_right_of_one_number() -> None:
    for size in (1, 2):
        x = Tensor(np.arange(1.0, 1 + size), requires_grad=True)
        x.mean().backward()
        assert x.grad is not None
        undivided = np.ones(size)
        assert np.array_equal(x.grad.data, undivided) == (size == 1)


@proves(
    UNIT,
    "What does this add to `x.grad`?",
    "It depends on what your rule has kept.",
)
def test_what_a_second_pass_adds_depends_on_what_the_rule_has_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (source,) = (cell.source for cell in notebook(UNIT).cells if "def _with_other_data():" in cell.source)
    model = Course(REPOSITORY).assignment(UNIT).exercise(EXERCISE).solution
    added = {}
    for name, engine in {
        "model": model,
        **{n: DESIGNS[n] for n in ("closures", "functions", "tape")},
    }.items():
        names: dict[str, Any] = {"np": np, "predicted": lambda guess, name: True}
        exec(engine, names)
        exec(source, names)
        said = capsys.readouterr().out
        added[name] = re.findall(r"adds (\S+) and then (\S+)", said)[0]
        assert "6: the rule has kept x's old number, 10: it asks x again" in said
    assert added == {name: ("6", "10" if name == "closures" else "6") for name in added}


def test_pytorch_takes_new_data_without_a_word_and_refuses_a_change_in_place(torch: ModuleType) -> None:
    (said,) = (cell.source for cell in notebook(UNIT).cells if "def _with_other_data():" in cell.source)
    assert "PyTorch gives 10 here, without a word" in said
    assert "after a change in place, as by x.add_(2), it raises an error" in said
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    assert x.grad.item() == 6
    x.data = torch.tensor(5.0)
    y.backward()
    assert x.grad.item() == 6 + 10
    y = x * x
    version = x._version
    with torch.no_grad():
        x.add_(2)
    assert x._version == version + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


@proves(
    UNIT,
    '- `"machine"`: a naive engine needs several times as many instructions.',
    "The best plan known has 17.",
)
def test_the_best_plan_known_has_17_instructions_and_the_same_gradients() -> None:
    cells = {cell.id: cell.source for cell in notebook(UNIT).cells if cell.cell_type == "code"}
    for design, count in (("machine_plan", 19), ("machine_parts", 18)):
        counts: dict[str, int] = {}
        names: dict[str, Any] = {"__name__": "__main__"}
        for source in (cells["imports"], DESIGNS[design], cells["project_probes"]):
            exec(source, names)
        names["plots"] = SimpleNamespace(bars=lambda bars, title, counts=counts: counts.update(bars))
        exec(cells["figure_project"], names)
        assert (counts["best known"], counts["yours"]) == (17, count)
        assert counts["naive engine"] > 3 * counts["yours"]
    inputs = np.random.default_rng(0).normal(size=(4, 5))
    machine = names["_ArrayMachine"](inputs)
    assert [machine.answer(question) for question in BEST] == list(range(4, 21))
    a, b, c, d = leaves = [Tensor(x, requires_grad=True) for x in inputs]
    six = (a * b + c).tanh()
    ten = (six * d + a * d).tanh()
    thirteen = ten * (six * d) + ten
    (thirteen * thirteen * six).sum().backward()
    for leaf, number in zip(leaves, (19, 20), strict=False):
        assert leaf.grad is not None and np.allclose(machine.arrays[number], leaf.grad.data)


#: The picture's program by hand: values of places 5, 6, 7, 9, 10, 13 and 15, then gradients of a (19) and b (20).
BEST = [
    ("fma", 0, 1, 2), ("tanh", 4), ("mul", 5, 3), ("fma", 0, 3, 6), ("tanh", 7), ("fma", 8, 6, 8), ("mul", 9, 9),
    ("mul", 5, 9), ("add", 11, 11), ("fma", 12, 6, 12), ("slope", 13, 8), ("fma", 12, 8, 14), ("fma", 15, 3, 10),
    ("slope", 16, 5), ("mul", 14, 3), ("fma", 17, 1, 18), ("mul", 17, 0),
]  # fmt: skip


@proves(
    UNIT, "| gradients off by a factor, and nothing shows | Adam divides it out: compare with differences |"
)
def test_adam_divides_a_factor_out() -> None:
    ends = []
    for factor in (1.0, 0.2):
        p = Tensor([1.0, -2.0], requires_grad=True)
        adam = optim.Adam([p], lr=0.1)
        for slope in ([3.0, -1.0], [2.0, 0.5], [-1.0, 4.0]):
            p.grad = Tensor(factor * np.array(slope))
            adam.step()
        ends.append(p.data.copy())
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-7)


@proves(
    UNIT, "- 10,000 operations in a chain work, with a recursion limit of 1,000, and each is taken back once,"
)
def test_the_depth_that_the_check_asks_for() -> None:
    exercise = Course(REPOSITORY).assignment(UNIT).exercise(EXERCISE)
    assert "your_chain(10_000)" in exercise.check
    probes = next(cell.source for cell in notebook(UNIT).cells if "def your_chain(n):" in cell.source)
    assert "set_limit(1000)" in probes
    expected = 1000 - 999 * 0.999**5000
    x = Tensor(2.0, requires_grad=True)
    out = x
    for _ in range(5000):
        out = out * 0.999 + x
    out.backward()
    assert x.grad is not None and math.isclose(x.grad.item(), expected, rel_tol=1e-9)


@proves(
    UNIT,
    "| `Adam(parameters, lr=0.001)` | `step()` and `zero_grad()`; unit 09's numbers: 0.9, 0.999 and 1e-8; a parameter "
    "whose `.grad` is None stays, and may count that step or not |",
)
def test_the_numbers_of_adam() -> None:
    adam = optim.Adam(nn.Linear(2, 3).parameters())
    assert (adam.lr, adam.betas, adam.eps) == (0.001, (0.9, 0.999), 1e-8)


@proves(
    UNIT,
    "- Diederik Kingma and Jimmy Ba, [2014](https://arxiv.org/abs/1412.6980): Adam.",
    "- Atılım Güneş Baydin and others, [2015](https://arxiv.org/abs/1502.05767): "
    "a survey of automatic differentiation.",
    "- Adam Paszke and others, [2019](https://arxiv.org/abs/1912.01703): how PyTorch is made.",
)
def test_the_years_are_those_of_the_addresses() -> None:
    rows = re.findall(r"\[(\d{4})\]\((https://arxiv\.org/\S+?)\)", text_of(UNIT))
    assert len(rows) >= 3
    for year, address in rows:
        assert year_of(address) == int(year)


@pytest.mark.parametrize("part", ["values", "graphs", "training"])
def test_the_table_of_parts_is_the_check_s(part: str) -> None:
    assignment = Course(REPOSITORY).assignment(UNIT)
    points = {p.name: p.points for p in assignment.exercise(EXERCISE).parts}
    table = dict(re.findall(r"\| `(\w+)` \| (\d) \|", text_of(UNIT)))
    assert f"{points[part]:g}" == table[part]
    assert sum(points.values()) == assignment.exercise(EXERCISE).points
    assert Path(assignment.path).is_file()
