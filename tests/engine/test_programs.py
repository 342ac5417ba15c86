"""Random programs do what PyTorch does: values, gradients, dtypes, shared memory, and what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from .programs import forms
from .programs.agreed import KNOWN, MEANT, Meant, judged, leaf, lines
from .programs.language import OURS, THEIRS, Form, Program, Statement, many_programs
from .programs.many import Tally, shown, unmeant
from .programs.running import Difference, Side, array, difference, is_unsteady
from .programs.shrinking import shrunk
from .programs.writing import KINDS, Writer

pytest.importorskip("torch")

BATCHES, EACH = 6, 500


@pytest.fixture(scope="module", autouse=True)
def one_look_for_garbage() -> Iterator[None]:
    """For all of these tests together: PyTorch is so large that a look for each took longer than what it tests."""
    with many_programs():
        yield


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_differ_from_pytorch_in_no_new_way(batch: int) -> None:
    tally = Tally().run(range(batch * EACH, (batch + 1) * EACH), most=1)
    assert not tally.new, str(tally)
    assert tally.statements > 8 * EACH, "the programs end so soon that they show little"


@pytest.mark.parametrize("meant", [*MEANT, *KNOWN], ids=lambda m: m.name)
def test_a_difference_that_is_meant_or_known_is_still_there(meant: Meant) -> None:
    with many_programs():
        found = difference(meant.example)
    if meant.sometimes and found is None:
        return
    assert found is not None and meant.covers(meant.example, found), (
        f"'{meant.name}' is mended, or shows otherwise: take it out of the table. Found: {found}"
    )


#: The same differences, written otherwise than in their examples.
OTHERWISE = {
    "relu multiplies by its slope": lines(
        leaf("x", "np.array([1.27, -2.0, 0.4])"),
        ("y = x.relu().tanh().astype(np.float32)", "y = x.relu().tanh().to(torch.float32)"),
        "z = abs(y).sqrt().sum()",
        "z.backward()",
    ),
    "a product passes NaN on": lines(
        *(leaf("x", "np.array([1.0, 0.0, 0.0])"), "y = x.prod().sqrt()", "y.backward()"),
    ),
    "a view made before its base wants gradients": lines(
        leaf("x", "np.ones((2, 2))", False),
        ("v = ops.unbind(x, 0)[1]", "v = torch.unbind(x, 0)[1]"),
        *("x.requires_grad_()", "v[...] = 3.0"),
    ),
    "binary cross-entropy by its target": lines(
        *(leaf("p", "np.array([1.0, 0.25])", False), leaf("t", "np.array([1.0, 0.25])")),
        *("y = nn.BCELoss()(p, t)", "y.backward()"),
    ),
}


@pytest.mark.parametrize("name", OTHERWISE)
def test_a_difference_that_is_meant_is_known_however_it_is_written(name: str) -> None:
    program = OTHERWISE[name]
    with many_programs():
        found = difference(program)
        assert found is not None
        meant = judged(program, found)
        assert meant is not None and meant.name == name, found


#: Entries that no wrong number can hide behind: there the values are compared before, or the program ends there.
WITHOUT_NUMBERS = {
    "booleans are numbers",
    "labels of any whole numbers",
    "copying a tensor onto itself changes nothing",
    "an empty view shares nothing",
    "a copy of what depends on nothing",
    "a view made before its base wants gradients",
    "what is no view here",
    "statistics that want gradients",
    "zeros may be written to",
}


@pytest.mark.parametrize(
    "meant",
    [
        m
        for m in MEANT
        if m.kind in ("gradient", "value", "only we compute") and m.name not in WITHOUT_NUMBERS
    ],
    ids=lambda m: m.name,
)
def test_a_difference_that_is_meant_hides_no_wrong_number(
    meant: Meant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All gradients half as large again, and all changes: then the example of the entry is a new difference."""
    from autograd_ref import transforms
    from autograd_ref.tensor import Tensor

    plain, pull, update = Tensor.backward, transforms._pull, Tensor._update

    def backward(self: Any, gradient: Any = None, *args: Any, **options: Any) -> None:
        given = Tensor(np.ones(self.shape, self.dtype)) if gradient is None else gradient
        plain(self, given * 1.5, *args, **options)

    monkeypatch.setattr(Tensor, "backward", backward)
    monkeypatch.setattr(transforms, "_pull", lambda *args: [g * 1.5 for g in pull(*args)])
    monkeypatch.setattr(Tensor, "_update", lambda self, result: update(self, result * 1.5))
    with many_programs():
        found = unmeant(meant.example)
    assert found is not None, f"'{meant.name}' would hide it"


@pytest.mark.parametrize("meant", [m for m in MEANT if m.kind == "we raise"], ids=lambda m: m.name)
def test_a_refusal_that_is_meant_is_not_meant_without_its_reason(meant: Meant) -> None:
    """A line before the refusal is its reason: without it the same words are a new difference."""
    with many_programs():
        found = difference(meant.example)
        assert found is not None
        reasons = 0
        for i in range(found.at):
            without = [*meant.example[:i], *meant.example[i + 1 :]]
            reasons += not meant.covers(without, replace(found, at=found.at - 1))
    assert reasons, f"'{meant.name}' is allowed whatever stands before"


def test_the_same_seed_writes_the_same_program() -> None:
    with many_programs():
        first, second = ([s.text(OURS) for s in Writer(7).write()] for _ in range(2))
    assert first == second


def test_every_kind_of_statement_is_written() -> None:
    written: set[str] = set()
    with many_programs():
        for seed in range(60):
            writer = Writer(seed)
            writer.write()
            written |= set(writer.kinds)
    assert written == set(KINDS)


def test_a_wrong_rule_is_found_and_shrinks_to_a_few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The generator can fail: sin's slope with the wrong sign is seen, and nothing else is left of the program."""
    from autograd_ref import ops

    monkeypatch.setattr(ops.sin, "vjps", (lambda g, _ans, x: -g * ops.cos(x),))
    tally = Tally().run(range(2000), most=1)
    assert tally.new, "2,000 programs did not see it"
    seed, program, found = tally.new[0]
    assert found.kind == "gradient" and len(program) <= 5 and "sin" in str(program), shown(
        seed, program, found
    )


def test_a_missing_stamp_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A change in place that nobody notices gives a wrong gradient without a word."""
    from autograd_ref.tensor import Tensor

    monkeypatch.setattr(Tensor, "mark_changed", lambda self: None)
    tally = Tally().run(range(2000), most=1)
    assert tally.new and len(tally.new[0][1]) <= 7, str(tally)


def smallest_of(form: Form, rows: str) -> list[Statement]:
    """The gradient of the smallest number in what the form makes of these rows."""
    given = {"data": rows, "dtype": "float64", "wants": True}
    least = {"axis": None, "keep": False, "dims": (0, 1)}
    return [
        Statement(forms.TENSOR, (), "v1", tuple(given.items())),
        Statement(form, ("v1",), "v2"),
        Statement(forms.REDUCTIONS[4], ("v2",), "v3", tuple(least.items())),
        Statement(forms.BACKWARD, ("v3",), "", (("options", ""),), "", "backward"),
    ]


def test_a_tie_that_rounding_breaks_in_one_engine_is_no_difference() -> None:
    """Two columns of a batch norm are equal but for their last digits, and each engine has another smallest."""
    with many_programs():
        assert difference(smallest_of(forms.BATCH_NORM[0], "[[0.0, 3.0], [2.0, 1.0], [0.0, 1.0]]")) is None


def test_a_tie_of_equal_numbers_is_none_of_rounding(monkeypatch: pytest.MonkeyPatch) -> None:
    from autograd_ref.core.primitive import TABLE

    def first(g: Any, ans: Any, x: Any, **_options: Any) -> Any:
        flat = np.zeros(x.size)
        flat[np.argmin(x)] = g
        return flat.reshape(x.shape)

    program = smallest_of(forms.form("{0} * 2.0"), "[[0.0, 3.0], [2.0, 1.0], [0.0, 1.0]]")
    with many_programs():
        assert difference(program) is None
        monkeypatch.setattr(TABLE["min"], "vjps", (first,))
        found = difference(program)
    assert found is not None and found.kind == "gradient"


#: A batch norm that makes numbers beside -1, whose logarithm is then made of their last digits, in float32.
ROUNDED = lines(
    leaf("x", "np.array([[2.0, 0.0], [0.0, 6.0]], np.float32)", False),
    leaf("w", "np.ones(2, np.float32)", False),
    "y = F.batch_norm(x, w, w, training=True)",
    ("z = ops.log1p(y)", "z = torch.log1p(y)"),
)


def test_a_result_made_of_last_digits_is_no_difference_and_hides_no_wrong_number_beside_it() -> None:
    rows = np.log1p(np.array([[0.999995, -0.99999946], [-0.999995, 0.99999946]], np.float32))
    found = Difference("value", 3, "z", rows, rows)
    with many_programs():
        assert unmeant(ROUNDED) is None
        assert is_unsteady(ROUNDED, replace(found, ours=rows + np.float32([[0, 0.1], [0, 0]])))
        assert not is_unsteady(ROUNDED, replace(found, ours=rows + np.float32([[0.1, 0], [0, 0]])))
        assert not is_unsteady(ROUNDED, replace(found, ours=rows + np.float32([[0.1, 0.1], [0, 0]])))


def test_equal_numbers_that_a_norm_takes_apart_by_rounding_are_no_difference() -> None:
    """The mean of three equal numbers may be off by a last digit, which the norm divides by the root of 1e-5."""
    program = lines(
        leaf("x", "np.ones(3, np.float32)", False),
        leaf("w", "np.array([0.92, 3.0, -0.0], np.float32)", False),
        "y = (x + x).tanh()",
        "z = 2.0 ** y",
        ("n = F.layer_norm(z, 3, w)", "n = F.layer_norm(z, (3,), w)"),
    )
    with many_programs():
        found = difference(program)
        assert found is not None
        assert is_unsteady(program, found)
        assert not is_unsteady(program, replace(found, ours=found.ours + np.float32([0, 0.1, 0])))


def test_what_huge_slopes_leave_of_a_gradient_is_no_difference_and_hides_no_wrong_number() -> None:
    """A row of zeros has a slope of 1e12 in `normalize`, 3e14 behind the norm; in the sum they cancel."""
    program = lines(
        leaf("a", "np.array([[0.79, -1.38], [-1.27, 0.5], [-0.58, -1.0]])", False),
        leaf("w", "np.array([0.0, 1.0])"),
        "x = w * a + w",
        ("y = F.rms_norm(x, 2, w, 1e-5)", "y = F.rms_norm(x, (2,), w, 1e-5)"),
        "z = F.normalize(y, 2, 1)",
        "s = z.sum()",
        "s.backward()",
    )
    with many_programs():
        g = array(run_through(program).gradient_of("w"))
        found = Difference("gradient", len(program) - 1, "w.grad", g, g)
        assert is_unsteady(program, replace(found, ours=g + np.array([0.0, 0.01])))
        assert not is_unsteady(program, replace(found, ours=g + np.array([0.0, 2.0])))
        mild = [*program[:2], *lines("s = (w * a).sum()", "s.backward()")]
        found = replace(found, at=3)
        g = array(run_through(mild).gradient_of("w"))
        assert not is_unsteady(mild, replace(found, ours=g + np.array([0.0, 1e-6])))


def test_an_infinite_slope_times_a_rounding_error_has_no_sign_and_hides_no_number() -> None:
    """One number less its mean is 0 here, and a last digit in PyTorch's backward pass; the root's slope is infinite."""
    program = lines(
        leaf("x", "np.ones(1, np.float32)", False),
        leaf("w", "np.ones(1, np.float32)"),
        ("y = ops.sigmoid(x)", "y = torch.sigmoid(x)"),
        ("n = F.layer_norm(y, 1, w)", "n = F.layer_norm(y, (1,), w)"),
        ("z = ops.sqrt(n)", "z = torch.sqrt(n)"),
        "z.backward()",
    )
    with many_programs():
        found = difference(program)
        assert found is not None
        assert np.isnan(found.ours).all()
        assert np.isinf(found.theirs).all()
        assert is_unsteady(program, found)
        assert not is_unsteady(program, replace(found, ours=np.float32([1.0])))
        assert not is_unsteady(program, replace(found, theirs=np.float32([1.0])))
        steady = lines(leaf("x", "np.zeros(1)"), ("z = ops.sqrt(x)", "z = torch.sqrt(x)"), "z.backward()")
        infinite = np.full(1, np.inf)
        assert not is_unsteady(steady, Difference("gradient", 2, "x.grad", np.full(1, np.nan), infinite))


def run_through(program: Program) -> Side:
    """PyTorch's side of a program that nothing stops."""
    side = Side(THEIRS)
    for statement in program:
        assert side.do(statement) is None
    return side


def test_what_depends_on_nothing_is_seen_behind_an_infinite_slope() -> None:
    """PyTorch records the tangent of `2 t`, which is constant; further back the square root of 0 makes it NaN."""
    root = lines(leaf("x", "np.zeros(2)"), "y = x.sqrt()", leaf("t", "np.ones(2)", False))
    tangent = Statement(forms.JVP[2], ("y", "y", "t"), "v1")
    with many_programs():
        assert difference([*root, tangent]) is None
        known = Statement(forms.JVP[1], ("y", "y", "t"), "v1")
        assert difference([*root, known]) is None


def test_what_depends_on_nothing_is_seen_at_a_kink_whose_own_gradient_moves_with_the_leaf() -> None:
    """PyTorch records the 1 that the tangent sends to `x`; the norm's slope before it is 0 here, 1 a little further."""
    tangent = "jvp(lambda t: t * x, (n,), (t,))[1]"
    program = lines(
        leaf("x", "np.array(0.0)"),
        "n = x.norm()",
        "n.backward(retain_graph=True)",
        leaf("t", "np.array(1.0)", False),
        (f"v = {tangent}", f"v = torch.func.{tangent}"),
        "v.backward(create_graph=True)",
    )
    lost = lines(leaf("x", "np.array(2.0)"), ("y = (x * x).detach()", "y = x * x"))
    with many_programs():
        assert difference(program) is None
        found = difference(lost)
    assert found is not None and "place in the graph" in str(found)


def test_what_a_hook_puts_where_nothing_came_is_no_slope() -> None:
    """PyTorch records the gradient of a relu at 0, which depends on nothing; the hook of the leaf adds a constant."""
    program = lines(leaf("x", "np.zeros(2)"), "y = x.relu().sum()", "h = x.register_hook(lambda g: g + 1.0)")
    program = [*program, *lines("y.backward(create_graph=True)")]
    with many_programs():
        assert difference(program) is None


def test_shrinking_keeps_the_difference() -> None:
    with many_programs():
        for seed in range(400):
            writer = Writer(seed)
            program = writer.write()
            if writer.found and (meant := judged(program, writer.found)):
                small, found = shrunk(program, writer.found)
                assert found.signature == writer.found.signature and len(small) <= len(program)
                assert unmeant(small) is None or judged(small, found) is not meant
                return
    pytest.fail("no difference at all among 400 programs")
